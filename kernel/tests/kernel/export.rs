//! A notebook with a card, a figure and equations as a page that needs no network, as PDF and as LaTeX. Where the Python
//! environment of `cargo workbench lab` is not installed, nothing is tested.

use std::path::Path;
use std::process::{Command, Stdio};

use workbench_pages::export::{browser, find_pandoc, latex, pages, print};
use workbench_setup::paths::Workspace;
use workbench_setup::system::Machine;
use workbench_tools::test::worst;

const CARD: &str =
    "<div><span>holds</span> <code>memory/rate</code><p>The rate is $\\\\frac{1}{2}$ for $|x|<1$.</p></div>";

const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><circle r=\"4\"/></svg>";
/// One dot.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn notebook() -> String {
    let card = CARD.replace("\\\\", "\\");
    serde_json::json!({
        "nbformat": 4, "nbformat_minor": 5, "metadata": {},
        "cells": [
            {"cell_type": "markdown", "id": "m1", "metadata": {},
             "source": "# Rates & sums\n\nWith $x_1^2$ and\n\n$$\\sum_k \\alpha_k = 1.$$\n\n[99.4 %](#memory/rate \"share\") agree, to 10⁻⁶ · ‖x‖².\n"},
            {"cell_type": "code", "id": "c1", "metadata": {}, "execution_count": 1,
             "source": "ledger.record(\"memory/rate\", evidence)?",
             "outputs": [{"output_type": "execute_result", "execution_count": 1, "metadata": {},
                          "data": {"text/html": card, "text/plain": "✓ holds: memory/rate, α ≥ ℓ, ½ x₁ᵀ ✗ ŷ"}}]},
            {"cell_type": "code", "id": "c2", "metadata": {}, "execution_count": 2, "source": "figure",
             "outputs": [{"output_type": "execute_result", "execution_count": 2, "metadata": {},
                          "data": {"image/svg+xml": SVG, "image/png": PNG, "text/plain": "a dot"}}]}
        ]
    })
    .to_string()
}

/// The workspace, if its Python environment is there.
fn workspace() -> Option<Workspace> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let workspace = Workspace::find().or_else(|_| Workspace::at(root)).unwrap();
    let ready = workspace.venv_program("jupyter-nbconvert").is_file();
    if !ready {
        println!("skipped: no Python environment in {}", workspace.venv().display());
    }
    ready.then_some(workspace)
}

#[test]
fn a_page_needs_nothing_from_outside_its_folder() {
    let Some(workspace) = workspace() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rates.ipynb");
    std::fs::write(&path, notebook()).unwrap();
    let out = folder.path().join("html");
    pages::write(&workspace, &[path], &out).unwrap();

    let page = std::fs::read_to_string(out.join("rates.html")).unwrap();
    assert_eq!(pages::loaded_from_outside(&page), [""; 0]);
    assert!(
        page.contains("The rate is <span class=\"workbench-tex\">$\\frac{1}{2}$</span><noscript><math"),
        "the card keeps its equation, and has it for browsers without scripts"
    );
    assert!(page.contains("data:image/svg+xml;base64,"), "the figure keeps its vectors");
    assert!(page.contains("src=\"mathjax/tex-svg-full.js\""));
    assert!(std::fs::metadata(out.join("mathjax/tex-svg-full.js")).unwrap().len() > 1_000_000);
    let index = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(index.contains("<a href=\"rates.html\">Rates &amp; sums</a>"), "{index}");

    let Ok(browser) = browser(&Machine) else {
        println!("skipped: no browser to print with");
        return;
    };
    let pdf = folder.path().join("pdf");
    print(&browser, &[out.join("rates.html")], &pdf).unwrap();
    assert!(std::fs::metadata(pdf.join("rates.pdf")).unwrap().len() > 5_000);
}

#[test]
fn nothing_that_somebody_wrote_is_live_in_a_page_or_carried_out_on_paper() {
    let Some(workspace) = workspace() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("worst.ipynb");
    std::fs::write(&path, worst::notebook()).unwrap();
    let out = folder.path().join("html");
    pages::write(&workspace, std::slice::from_ref(&path), &out).unwrap();
    let looked = Command::new(workspace.venv_program("python"))
        .arg("-B")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/live.py"))
        .arg(&out)
        .output()
        .unwrap();
    assert!(looked.status.success(), "{}", String::from_utf8_lossy(&looked.stdout));
    let page = std::fs::read_to_string(out.join("worst.html")).unwrap();
    for kept in ["<details><summary>Kept</summary>", "<strong>Still</strong>", "$\\alpha_1&lt;2$", "alert(\"script\")"]
    {
        assert!(page.contains(kept), "{kept}");
    }
    assert!(!page.contains("\"html\",") && page.contains("\"packages\": [\"base\""), "MathJax is told what to know");

    if find_pandoc(&Machine).is_err() {
        println!("skipped: no pandoc");
        return;
    }
    latex(&workspace, &[path], &folder.path().join("latex")).unwrap();
    let text = std::fs::read_to_string(folder.path().join("latex/worst.tex")).unwrap();
    let begin = text.find("\\maketitle").unwrap();
    for command in ["\\input", "\\immediate", "\\write18", "^^5c", "run:", "\\href{javascript"] {
        assert!(!text[begin..].contains(command), "{command}");
    }
    assert!(text.contains("\\textbackslash{}input") || text.contains("\\textbackslash input"));
    assert!(text.contains("\\alpha_1<2"));
}

#[test]
fn latex_needs_no_inkscape() {
    let Some(workspace) = workspace() else { return };
    if find_pandoc(&Machine).is_err() {
        println!("skipped: no pandoc");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rates.ipynb");
    std::fs::write(&path, notebook()).unwrap();
    let out = folder.path().join("latex");
    latex(&workspace, &[path], &out).unwrap();
    let text = std::fs::read_to_string(out.join("rates.tex")).unwrap();
    assert!(text.contains("\\includegraphics") && text.contains("rates_files/"), "the figure is in it");
    assert!(text.contains("DejaVu Sans Mono"), "our template was used");
    assert!(text.contains("99.4 \\% agree") || text.contains("99.4~\\% agree"), "a number from a finding");
    let files: Vec<_> = std::fs::read_dir(out.join("rates_files")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].extension().unwrap(), "png");
    for engine in ["pdflatex", "xelatex", "lualatex"] {
        typesets(engine, &out);
    }
}

/// An engine that is there sets the file without an error, and without leaving out a sign.
fn typesets(engine: &str, out: &Path) {
    let ran = Command::new(engine)
        .args(["-interaction=nonstopmode", "-halt-on-error", "rates.tex"])
        .current_dir(out)
        .stdin(Stdio::null())
        .output();
    let Ok(ran) = ran else {
        println!("skipped: no {engine}");
        return;
    };
    let said = String::from_utf8_lossy(&ran.stdout);
    if said.contains(".sty' not found") {
        println!("skipped: a package of LaTeX is not installed for {engine}");
        return;
    }
    assert!(ran.status.success(), "{engine}: {said}");
    let log = String::from_utf8_lossy(&std::fs::read(out.join("rates.log")).unwrap()).into_owned();
    assert!(!log.contains("Missing character"), "{engine}: {log}");
}
