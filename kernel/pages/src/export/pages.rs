//! Notebooks as web pages that work without a network: MathJax lies beside them, and nothing else is loaded. Without scripts the
//! browser sets the formulas itself.

use std::path::{Path, PathBuf};

use super::links::Places;
use super::{formulas, nbconvert};
use workbench_base::error::{Error, Result};
use workbench_base::names::is_a_beginning;
use workbench_base::progress;
use workbench_base::text::html;
use workbench_setup::paths::Workspace;

/// MathJax in one file, fonts included, with the path under which the pages load it.
pub(crate) const MATHJAX: &str = "mathjax/tex-svg-full.js";
/// The package of the Python environment that holds it.
const PACKAGE: &str = "sphinx-mathjax-offline";

/// Forms of outputs in the order in which they are shown. Scripts and widgets are none of them: an output has something else to show.
const SHOWN: &str = "--NbConvertBase.display_data_priority=['text/html','text/markdown','image/svg+xml','text/latex','image/png',\
                     'image/jpeg','text/plain']";

/// Renders notebooks into `out` with an index, and copies MathJax beside them.
///
/// # Errors
/// [`Error::Failed`] or [`Error::Start`] if nbconvert does not do it, [`Error::Python`] without MathJax, [`Error::Io`].
pub fn write(workspace: &Workspace, notebooks: &[PathBuf], out: &Path) -> Result<()> {
    let mathjax = mathjax(&workspace.venv())?;
    nbconvert(workspace, "html", "page", &[SHOWN], notebooks, out)?;
    copy(&mathjax, &out.join(MATHJAX))?;
    let (mut entries, mut places) = (Vec::new(), Places::default());
    for path in notebooks {
        places.add(&name(path), &read(&out.join(name(path)))?);
    }
    for path in notebooks {
        let page = out.join(name(path));
        let linked = places.linked(&name(path), &read(&page)?, &|file| out.join(file).is_file());
        let text = formulas::with_mathml(&linked);
        save(&page, text.as_bytes())?;
        for address in loaded_from_outside(&text) {
            progress::note(&format!("{} loads {address}, which needs a network", name(path)));
        }
        entries.push((name(path), title(&read(path)?)));
    }
    // A notebook of that name is an index of its own.
    if !entries.iter().any(|(page, _)| page == "index.html") {
        save(&out.join("index.html"), index(&entries).as_bytes())?;
    }
    progress::note(&format!("pages are in {}; index.html links them", out.display()));
    Ok(())
}

/// File name of a notebook's page.
pub fn name(notebook: &Path) -> String {
    let stem = notebook.file_stem().unwrap_or_default().to_string_lossy();
    format!("{stem}.html")
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))
}

fn save(path: &Path, bytes: &[u8]) -> Result<()> {
    workbench_record::atomic::write(path, bytes).map_err(|source| Error::io("write", path, source))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let bytes = std::fs::read(from).map_err(|source| Error::io("read", from, source))?;
    save(to, &bytes)
}

/// MathJax inside a Python environment.
pub(crate) fn mathjax(venv: &Path) -> Result<PathBuf> {
    let libraries = std::fs::read_dir(venv.join("lib")).into_iter().flatten().flatten();
    libraries
        .map(|library| library.path().join("site-packages").join(PACKAGE).join("static").join(MATHJAX))
        .find(|path| path.is_file())
        .ok_or_else(|| Error::Python {
            path: venv.to_path_buf(),
            why: format!("it has no {PACKAGE}, which sets the equations of exported pages"),
            hint: "delete .workbench/venv and try again".into(),
        })
}

/// First heading of a notebook; none if it has no heading or does not read.
fn title(notebook: &str) -> Option<String> {
    let notebook: serde_json::Value = serde_json::from_str(notebook).ok()?;
    let cells = notebook["cells"].as_array()?.iter().filter(|cell| cell["cell_type"] == "markdown");
    cells.into_iter().find_map(|cell| {
        let source = match &cell["source"] {
            serde_json::Value::Array(lines) => lines.iter().filter_map(|line| line.as_str()).collect(),
            other => other.as_str()?.to_string(),
        };
        source.lines().find_map(|line| line.strip_prefix("# ")).map(|line| line.trim().to_string())
    })
}

/// A page that links the pages, given by file name and title.
fn index(entries: &[(String, Option<String>)]) -> String {
    let mut out = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1.0\">\n<title>Notebooks</title>\n\
         <style>:root { color-scheme: light dark; }\n\
         body { font-family: sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em; line-height: 1.6; }\n\
         code { opacity: 0.7; }</style>\n</head>\n<body>\n<h1>Notebooks</h1>\n",
    );
    let stem = |page: &str| page.strip_suffix(".html").unwrap_or(page).to_string();
    let (first, others): (Vec<_>, Vec<_>) = entries.iter().partition(|(page, _)| is_a_beginning(&stem(page)));
    let headings = if first.is_empty() || others.is_empty() {
        ["", ""]
    } else {
        ["<h2>Start here</h2>\n", "<h2>All others</h2>\n"]
    };
    for (heading, entries) in headings.into_iter().zip([first, others]).filter(|(_, entries)| !entries.is_empty()) {
        out += &format!("{heading}<ul>\n");
        for (page, title) in entries {
            let text = match title {
                Some(title) => {
                    format!("<a href=\"{}\">{}</a> <code>{}</code>", link(page), html(title), html(&stem(page)))
                }
                None => format!("<a href=\"{}\">{}</a>", link(page), html(&stem(page))),
            };
            out += &format!("<li>{text}</li>\n");
        }
        out += "</ul>\n";
    }
    out + "</body>\n</html>\n"
}

/// A path as part of an address.
pub(crate) fn link(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// The addresses on the network that a browser would load with a page: scripts, styles, pictures, fonts. Links to follow are none.
pub fn loaded_from_outside(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in page.match_indices("//") {
        let before = page[..at].trim_end_matches("http:").trim_end_matches("https:").trim_end_matches(['"', '\'', ' ']);
        // `"http://a"` begins with its scheme, `"//a"` takes that of the page.
        let begin = if page[..at].ends_with(':') {
            page[..at - 1].rfind(['"', '\'', ' ', '(', '=']).map_or(at, |quote| quote + 1)
        } else {
            at
        };
        if loads(before) {
            let address = page[begin..].split(['"', '\'', ' ', ')', '>', '\n']).next().unwrap_or_default();
            found.push(address.to_string());
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Whether what comes after this text is loaded.
fn loads(before: &str) -> bool {
    let ends = |word: &str| {
        before.len() >= word.len()
            && before.is_char_boundary(before.len() - word.len())
            && before[before.len() - word.len()..].eq_ignore_ascii_case(word)
    };
    if ["src=", "srcset=", "poster=", "url(", "@import", "import(", "import", "from"].iter().any(|word| ends(word)) {
        return true;
    }
    let tag = before.rfind('<').map_or("", |open| &before[open + 1..]);
    let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
    (ends("href=") && ["link", "image", "use", "script"].contains(&name.as_str()))
        || (ends("data=") && name == "object")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_loads_is_told_from_what_it_links() {
        for (page, address) in [
            ("<script src=\"https://a.org/x.js\"></script>", "https://a.org/x.js"),
            ("<IMG SRC='http://a.org/x.png'>", "http://a.org/x.png"),
            ("<img alt=é src=//a.org/x.png>", "//a.org/x.png"),
            ("<link rel=\"stylesheet\" href=\"https://a.org/x.css\">", "https://a.org/x.css"),
            ("<image xlink:href=\"https://a.org/x.png\"/>", "https://a.org/x.png"),
            ("@font-face { src: url(https://a.org/f.woff) }", "https://a.org/f.woff"),
            ("@import \"https://a.org/x.css\";", "https://a.org/x.css"),
            ("import mermaid from \"https://a.org/m.mjs\";", "https://a.org/m.mjs"),
            ("<object data=\"https://a.org/x.svg\">", "https://a.org/x.svg"),
        ] {
            assert_eq!(loaded_from_outside(page), [address], "{page}");
        }
        for page in [
            "<a href=\"https://a.org\">see</a>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
            "<script src=\"mathjax/x.js\"></script> // a comment",
            "<img src=\"data:image/png;base64,//8A\">",
            "see https://a.org",
        ] {
            assert_eq!(loaded_from_outside(page), [""; 0], "{page}");
        }
    }

    #[test]
    fn the_index_links_pages_by_their_titles() {
        let notebook = r##"{"cells": [{"cell_type": "code", "source": "# no"}, {"cell_type": "markdown",
            "source": ["text\n", "# A & B\n"]}]}"##;
        assert_eq!(title(notebook), Some("A & B".into()));
        assert_eq!(title("{}"), None);
        let page = index(&[("a b.html".into(), title(notebook)), ("c.html".into(), None)]);
        assert!(page.contains("<a href=\"a%20b.html\">A &amp; B</a> <code>a b</code>"), "{page}");
        assert!(page.contains("<a href=\"c.html\">c</a>") && !page.contains("Start here"), "{page}");
        let page = index(&[("a.html".into(), None), ("ideas-a.html".into(), None), ("tour.html".into(), None)]);
        let order = ["Start here", "ideas-a.html", "tour.html", "All others", "\"a.html\""].map(|word| page.find(word));
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{page}");
        assert_eq!(loaded_from_outside(&page), [""; 0]);
    }

    #[test]
    fn an_environment_without_mathjax_says_so() {
        let venv = tempfile::tempdir().unwrap();
        let error = mathjax(venv.path()).unwrap_err().to_string();
        assert!(error.contains(PACKAGE), "{error}");
        let file = venv.path().join("lib/python3.11/site-packages").join(PACKAGE).join("static").join(MATHJAX);
        save(&file, b"x").unwrap();
        assert_eq!(mathjax(venv.path()).unwrap(), file);
    }
}
