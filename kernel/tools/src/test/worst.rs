//! A record in which every word is as bad as words can be, made into a site of a few pages: nothing of them may be live.

use std::path::{Path, PathBuf};

use serde_json::json;
use workbench_record::table::{Line, to_csv};
use workbench_record::{FindingLine, Kind, Note, Outcome, Role, Row, Run, Scale, Verdict};

use workbench_base::error::{Error, Result};
use workbench_pages::site;
use workbench_setup::Ready;
use workbench_setup::paths::{Workspace, build_folder};

/// Prose of a notebook, a map and a page on refereeing: each line tries another way to run something, to load something from elsewhere
/// or to show a file of the machine.
const PROSE: &str = r#"<script>alert("script")</script> <img src=x onerror=alert("image")> <iframe srcdoc="<script>alert('frame')</script>"></iframe>

<svg onload=alert("drawing")><a xlink:href="javascript:alert('drawing')"><text>x</text></a></svg>

<a href="jav&#x09;ascript:alert('link')">a</a> <a href="data:text/html,<script>alert('data')</script>">b</a>
[c](javascript:alert('markdown')) <javascript:alert('auto')> ![d](javascript:alert('picture'))

<base href="https://example.org/"> <meta http-equiv="refresh" content="0;url=javascript:alert('meta')"> <object data="x"></object>
<embed src="x"> <form action="javascript:alert('form')"><button formaction="javascript:alert('button')">x</button></form>

<math><mi xlink:href="javascript:alert('mathml')">x</mi></math> <p style="background:url(https://example.org/p)">x</p>

<b title="<!--">x</b><b title="--><script>alert('comment')</script>">x</b> <noscript><p title="</noscript><img src=x onerror=alert('raw')>"></noscript>

| a | b |
| --- | --- |
| <img src=x onerror=alert("table")> | `<script>alert("code")</script>` |

$\href{javascript:alert('href')}{x}$ $\mmlToken{mi}[href=javascript:alert('token')]{x}$ $\require{html}\style{background:url(https://example.org/s)}{x}$
$\text{</noscript><img src=x onerror=alert('formula')>}$ $x

<img src=x onerror=alert("open")>

```<script>alert("language")</script>
code
```

```{raw} html
<script>alert("directive")</script>
```

```{picture}
<script>alert("ours")</script>
```

```{eval-rst}
.. raw:: html

   <script>alert("restructured")</script>
```

```{include} /etc/hostname
```

{raw-html}`<script>alert("role")</script>` ![passwd](../../../../../../../../../../etc/passwd) [passwd](../../../../../../../../../../etc/passwd)

\input{/etc/hostname} $\input{/etc/hostname}$ $^^5cinput{/etc/hostname}$ `\input{/etc/hostname}`{=latex} [run](run:/bin/sh)

$$\immediate\write18{ls}$$

```
\end{verbatim}\input{/etc/hostname}
```

![far](https://example.org/far.png) <img alt="near" src="//example.org/near.png"> <img src="/\\example.org/slash.png">

<details><summary>Kept</summary>

**Still** here, and $\alpha_1<2$.

</details>
"#;

/// Words of a field, which say where they come from if they run.
fn words(field: &str) -> String {
    format!(
        "{field}\"'><script>alert('{field}')</script><img src=x onerror=alert('{field}')> \
         $\\href{{javascript:alert('{field}')}}{{x}}</p><img src=x onerror=alert('{field}')>$ [x](javascript:alert('{field}')) \
         `</code><script>alert('{field}')</script>` {{{{ 7*7 }}}} {{% raw %}}\n\n```{{raw}} html\n<script>alert('{field}')</script>\n```\n"
    )
}

/// Builds the site; the folder of its pages.
///
/// # Errors
/// As of [`site::build`]; [`Error::Io`].
pub fn build(ready: &Ready) -> Result<PathBuf> {
    let made = tempfile::tempdir().map_err(|source| Error::io("make", &std::env::temp_dir(), source))?;
    let state = made.path().join(".workbench");
    std::os::unix::fs::symlink(ready.workspace.state(), &state).map_err(|source| Error::io("link", &state, source))?;
    for name in ["environment.yml", "environment.lock"] {
        let to = made.path().join(name);
        std::fs::copy(ready.workspace.root().join(name), &to).map_err(|source| Error::io("write", &to, source))?;
    }
    write(made.path())?;
    // Kept from test to test, so that only what changed is built again.
    let out = build_folder()?.join("../workbench-test/worst");
    let built = site::build(&Workspace::at(made.path())?, &out, true)?;
    Ok(built.folders.html)
}

/// Registry, notebook, map, check and tables.
fn write(root: &Path) -> Result<()> {
    let put = |place: &str, text: String| {
        let path = root.join(place);
        let folder = path.parent().unwrap_or(root);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|source| Error::io("write", &path, source))
    };
    // By these a folder is known for a workspace.
    put("workbench/Cargo.toml", String::new())?;
    put("kernel/Cargo.toml", String::new())?;
    put("notebooks/claims.toml", registry())?;
    put("notebooks/worst.ipynb", notebook())?;
    put("notebooks/maps/m.md", format!("# {}\n\n{PROSE}", words("map").replace('\n', " ")))?;
    put("notebooks/refereed/m/a.md", format!("# {}\n\n{PROSE}", words("refereed").replace('\n', " ")))?;
    put(
        "workbench/checks/m/src/one.rs",
        "//! </code></pre><script>alert('check')</script>\nconst ONE: Check = Check {\n    claim: \"m/a\",\n};\n"
            .into(),
    )?;
    let (rows, findings, notes, runs) = tables();
    for (name, bytes) in [
        (Row::FILE, to_csv(&rows)),
        (findings[0].file(), to_csv(&findings)),
        (Note::FILE, to_csv(&notes)),
        (Run::FILE, to_csv(&runs)),
    ] {
        put(&format!("notebooks/results/{name}"), String::from_utf8_lossy(&bytes).into_owned())?;
    }
    Ok(())
}

fn registry() -> String {
    let text = |field: &str| toml::Value::String(words(field)).to_string();
    let mut out = format!("[[paper]]\nid = \"m\"\ntitle = {}\n", text("title"));
    for (name, uses, open) in
        [("a", "", "\"\"".to_string()), ("b", "\"m/a\"", "\"\"".into()), ("c", "\"m/b\"", text("open"))]
    {
        out += &format!(
            "[[claim]]\nid = \"m/{name}\"\npaper = \"m\"\nnotebook = \"worst\"\nuses = [{uses}]\nopen = {open}\n\
             kind = \"figure\"\nreach = \"gpu\"\n"
        );
        for field in ["where", "says", "setup", "check"] {
            out += &format!("{field} = {}\n", text(field));
        }
    }
    out
}

/// The notebook: prose, cells, outputs and settings.
pub fn notebook() -> String {
    let output = |data: serde_json::Value| json!({"output_type": "display_data", "metadata": {}, "data": data});
    let outputs = [
        output(json!({"text/html": PROSE, "text/plain": "x"})),
        output(json!({"text/markdown": PROSE, "text/plain": "x"})),
        output(
            json!({"image/svg+xml": "<svg onload=\"alert('svg')\"><title>a\" onerror=\"alert('svg')</title><script>alert('svg')</script></svg>"}),
        ),
        output(json!({"application/javascript": "alert('javascript')", "text/plain": words("plain")})),
        output(json!({"text/latex": "$\\href{javascript:alert('latex')}{x}$"})),
        json!({"output_type": "stream", "name": "stdout", "text": words("stream")}),
        json!({"output_type": "error", "ename": words("name"), "evalue": words("value"), "traceback": [words("trace")]}),
    ];
    let heading = format!(
        "# {}\n\n## <img src=x onerror=alert(\"below\")> second\n\n{PROSE}",
        words("heading").replace('\n', " ")
    );
    json!({
        "nbformat": 4, "nbformat_minor": 5,
        "metadata": {
            "title": words("metadata"), "authors": [{"name": words("author")}],
            "mystnb": {"execution_mode": "force"}, "myst": {"html_meta": {"refresh": words("meta")}, "enable_extensions": ["html_admonition"]},
            "widgets": {"application/vnd.jupyter.widget-state+json": {"state": {"x": words("widget")}}}
        },
        "cells": [
            {"cell_type": "markdown", "id": "title", "metadata": {}, "source": heading},
            {"cell_type": "raw", "id": "raw", "metadata": {"format": "text/html", "raw_mimetype": "text/html"}, "source": PROSE},
            {"cell_type": "code", "id": "cell", "metadata": {"tags": [words("tag")]}, "execution_count": 1,
             "source": format!("// </pre>{}", words("code")), "outputs": outputs}
        ]
    })
    .to_string()
}

type All = (Vec<Row>, Vec<FindingLine>, Vec<Note>, Vec<Run>);

/// Two claims with rows, one of them changed, with findings of all roles.
fn tables() -> All {
    let (scale, seed) = (Scale::Quick, 1);
    let row = |claim: &str, verdict: Verdict| Row {
        verdict,
        kind: (verdict == Verdict::HoldsWithChange).then_some(Kind::Misprint),
        expected: words("expected"),
        measured: Some(1.0),
        low: Some(0.9),
        high: Some(1.1),
        notebook: "worst".into(),
        cell: "cell".into(),
        finding: words("label"),
        change: words("change"),
        note: words("note"),
        run: words("run"),
        ..Row::blank(claim, scale, seed)
    };
    let finding = |role: Role, outcome: Outcome| FindingLine {
        claim: "m/a".into(),
        scale,
        seed,
        role,
        what: words("label"),
        relation: words("relation"),
        expected_low: None,
        expected_high: Some(0.5),
        measured: 1.0,
        low: 0.9,
        high: 1.1,
        n: 9,
        unit: words("unit"),
        outcome,
    };
    let run = Run {
        run: words("run"),
        commit: words("commit"),
        dirty: false,
        lock: String::new(),
        source: String::new(),
        compiler: words("compiler"),
        processor: words("processor"),
        cores: 2,
        blas: words("blas"),
        device: words("device"),
        // What is not written as a time is refused where the table is read.
        start: "2026-01-31T12:00:00Z".into(),
        seconds: 1.0,
        scale,
        seed,
    };
    let note = Note { claim: "m/a".into(), scale, seed, place: 1, text: words("remark") };
    (
        vec![row("m/a", Verdict::HoldsWithChange), row("m/b", Verdict::Holds)],
        vec![
            finding(Role::Printed, Outcome::Contradicts),
            finding(Role::Corrected, Outcome::Supports),
            finding(Role::Twin, Outcome::Contradicts),
            finding(Role::Support, Outcome::Supports),
        ],
        vec![note],
        vec![run],
    )
}
