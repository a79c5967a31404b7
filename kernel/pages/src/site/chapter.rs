//! A notebook as a chapter: its cells and saved outputs, with an anchor for each cell, and links that lead to pages of the site.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::error::SiteError;
use super::facts::Book;
use super::shorter::shorter;
use super::still::is_still;
use super::text::html;
use super::{claim, outline, sources};
use crate::export::pages::link;
use workbench_queries::links::{links, rewritten};

/// From a chapter to the root of the site.
const ROOT: &str = "../";
/// Mark of the style and of the address that a cell's anchor has; JupyterLab's links to cells have the same.
const CELL: &str = "cell-id=";

/// What the site is told of a notebook as a whole.
const METADATA: [&str; 2] = ["kernelspec", "language_info"];
/// Forms of outputs that the site shows.
const SHOWN: [&str; 7] =
    ["text/html", "text/markdown", "image/svg+xml", "text/latex", "image/png", "image/jpeg", "text/plain"];

/// A notebook ready for the site.
#[derive(Clone, Debug, PartialEq)]
pub struct Chapter {
    /// The notebook.
    pub text: String,
    /// Figures: place below the root of the source, and content.
    pub figures: Vec<(String, String)>,
}

/// Makes a chapter of a notebook's text.
///
/// # Errors
/// [`SiteError::Notebook`] if it cannot be read, [`SiteError::UnknownLink`] if it links a claim that is not in the registry.
pub fn chapter(book: &Book, name: &str, text: &str) -> Result<Chapter, SiteError> {
    let wrong = |why: String| SiteError::Notebook { notebook: name.to_string(), why };
    let mut notebook: Value = serde_json::from_str(text).map_err(|cause| wrong(cause.to_string()))?;
    let cells = notebook["cells"].as_array().ok_or_else(|| wrong("it has no list of cells".into()))?;
    let (mut made, mut figures) = (Vec::new(), Vec::new());
    let has_heading = |cell: &Value| {
        let begins = joined(&cell["source"]).lines().any(|line| line.starts_with('#'));
        cell["cell_type"] == "markdown" && begins
    };
    if !cells.iter().any(has_heading) {
        // A page without a title stands in no list.
        made.push(
            json!({"cell_type": "markdown", "id": "title-of-page", "metadata": {}, "source": format!("# {name}")}),
        );
    }
    for cell in cells {
        let id = cell["id"].as_str().unwrap_or_default().to_string();
        let mut cell = cell.clone();
        let anchor = format!("<div class=\"wb-anchor\" id=\"{CELL}{}\"></div>", html(&id));
        if cell["cell_type"] == "markdown" {
            let text = with_links(book, &joined(&cell["source"]), &format!("{name}, cell {id}"))?;
            cell["source"] = json!(anchored(&text, &anchor));
        } else {
            made.push(json!({"cell_type": "markdown", "id": format!("at-{id}"), "metadata": {}, "source": anchor}));
            for (number, output) in cell["outputs"].as_array_mut().into_iter().flatten().enumerate() {
                let place = format!("_static/figures/{name}/{}-{number}.svg", in_file_names(&id));
                let drawn = show(book, output, &place);
                figures.extend(drawn.into_iter().map(|(place, svg)| (place, shorter(&svg))));
            }
            // A raw cell is shown by the format that its metadata names, or not at all.
            if cell["cell_type"] != "code" || !cell["metadata"].is_object() {
                cell["metadata"] = json!({});
            }
            cell["metadata"]["mystnb"] = json!({"image": {"alt": format!("figure of cell {id}")}});
        }
        made.push(cell);
    }
    notebook["cells"] = Value::Array(made);
    // Other words of a notebook about itself would be settings of the site, down to running its cells.
    if let Some(metadata) = notebook["metadata"].as_object_mut() {
        metadata.retain(|name, _| METADATA.contains(&name.as_str()));
    }
    // Keys come sorted, so that the same notebook is the same text.
    Ok(Chapter { text: notebook.to_string(), figures })
}

/// The id of a cell as a part of a file name, whatever somebody has made of it.
fn in_file_names(id: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    id.chars().map(|c| if plain(c) { c } else { '-' }).collect()
}

/// The source of a cell, which the format allows as one string or as a list of lines.
fn joined(source: &Value) -> String {
    match source {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().unwrap_or_default().to_string(),
    }
}

/// The anchor before the text; after a heading that begins it, so that the heading opens its section.
fn anchored(text: &str, anchor: &str) -> String {
    match text.split_once('\n') {
        Some((first, rest)) if first.starts_with('#') => format!("{first}\n\n{anchor}\n\n{rest}"),
        None if text.starts_with('#') => format!("{text}\n\n{anchor}"),
        _ => format!("{anchor}\n\n{text}"),
    }
}

/// A text whose links to claims, notebooks and files of checks lead to pages of the site. `place` serves messages.
///
/// # Errors
/// [`SiteError::UnknownLink`].
pub fn with_links(book: &Book, text: &str, place: &str) -> Result<String, SiteError> {
    let mut changes = Vec::new();
    for link in links(text) {
        let Some(claim) = book.registry.position(&link.claim) else {
            return Err(SiteError::UnknownLink { place: place.to_string(), claim: link.claim });
        };
        // The claim's page shows the findings of this row.
        let shown = book.row(claim).map_or(Vec::new(), |row| book.findings(row));
        let anchor = match link.meant(&shown).first() {
            Some(at) => format!("#finding-{}", at + 1),
            None => String::new(),
        };
        let words = match link.words.as_str() {
            "" => link.claim.clone(),
            words => format!("{}: {words}", link.claim),
        };
        changes.push((
            link.whole.clone(),
            format!(
                "<a class=\"wb-number\" href=\"{ROOT}claims/{}.html{anchor}\" title=\"{}\">{}</a>",
                html(&link.claim),
                html(&words),
                &text[link.text]
            ),
        ));
    }
    Ok(with_pages(&rewritten(text, &changes), book))
}

/// Links to notebooks, `](name.ipynb#cell-id=x)` and `](../name.ipynb)`, as links to chapters.
fn with_pages(text: &str, book: &Book) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let Some(open) = rest[..at].rfind('[') else {
            out += &rest[..at + 2];
            rest = &rest[at + 2..];
            continue;
        };
        let end = rest[at..].find(')').map_or(rest.len(), |end| at + end);
        let target = &rest[at + 2..end];
        match page_of(target, book) {
            Some(page) => {
                out += &rest[..open];
                out += &format!("<a href=\"{ROOT}{}\">{}</a>", html(&page), &rest[open + 1..at]);
                rest = &rest[(end + 1).min(rest.len())..];
            }
            None => {
                out += &rest[..at + 2];
                rest = &rest[at + 2..];
            }
        }
    }
    out + rest
}

/// The page of the site, below its root, that a link to a file of the project means.
fn page_of(target: &str, book: &Book) -> Option<String> {
    let (file, rest) = target.split_once('#').unwrap_or((target, ""));
    let fragment = if rest.is_empty() { String::new() } else { format!("#{rest}") };
    if let Some(name) = file.strip_suffix(".ipynb") {
        let name = name.rsplit('/').next().unwrap_or(name);
        return book.notebooks.contains_key(name).then(|| format!("notebooks/{name}.html{fragment}"));
    }
    if let Some(page) = file.strip_suffix(".md") {
        return match page.rsplit_once("maps/") {
            Some((_, paper)) => Some(format!("documents/{paper}.html")),
            // The folder's own page is not one of the site.
            None => (!page.contains('/') && page != "README").then(|| format!("notebooks/{page}.html")),
        };
    }
    sources::address_of_file(&book.registry, file.trim_start_matches("../"))
}

/// Leaves of an output the one form that the site shows, and takes figures out of it.
fn show(book: &Book, output: &mut Value, place: &str) -> Option<(String, String)> {
    let data = output.get_mut("data")?.as_object_mut()?;
    data.retain(|mime, _| SHOWN.contains(&mime.as_str()));
    if data.contains_key("text/html") {
        let page = joined(&data["text/html"]);
        let (page, figure) = folded_figure(&page, place).map_or((page, None), |(page, figure)| (page, Some(figure)));
        data.retain(|mime, _| mime == "text/html");
        data.insert("text/html".into(), json!(in_html(book, &page)));
        return Some((place.to_string(), lean(&figure?)));
    }
    if data.contains_key("text/markdown") {
        data.retain(|mime, _| mime == "text/markdown");
        return None;
    }
    let picture = joined(data.get("image/svg+xml")?);
    // As a file of its own a drawing with a script in it would run it; inside the page none does.
    let (address, file) = match is_still(&picture) {
        true => (format!("{ROOT}{place}"), Some(place.to_string())),
        false => (format!("data:image/svg+xml,{}", link(&picture)), None),
    };
    let image =
        format!("<div class=\"wb-figure\"><img src=\"{address}\" alt=\"{}\" loading=\"lazy\"></div>", titled(&picture));
    data.clear();
    data.insert("text/html".into(), json!(image));
    Some((file?, lean(&picture)))
}

/// The title of a drawing, for an attribute.
fn titled(picture: &str) -> String {
    let title = between(picture, "<title>", "</title>").unwrap_or("figure");
    title.replace('"', "&quot;").replace('<', "&lt;").replace('\n', " ")
}

/// A drawing as browsers need it: it uses a letter fifty thousand times, and the old name of its link is for programs that print.
fn lean(picture: &str) -> String {
    let drawing = picture.replace(" xlink:href=\"#", " href=\"#").replace("\" x=\"0\"/>", "\"/>");
    outline::lean(&drawing).unwrap_or(drawing)
}

/// HTML in which a drawing stands as data, with its description: the same with its address and title, as all drawings of a page have them,
/// and the drawing. Nothing where there is none, or one that is not still.
fn folded_figure(page: &str, place: &str) -> Option<(String, String)> {
    let (before, rest) = page.split_once("\" src=\"data:image/svg+xml;base64,")?;
    let (before, _) = before.rsplit_once("<img alt=\"")?;
    let (data, after) = rest.split_once('"')?;
    let picture = String::from_utf8(STANDARD.decode(data).ok()?).ok()?;
    let image = format!("<img alt=\"{}\" src=\"{ROOT}{place}\" loading=\"lazy\"", titled(&picture));
    is_still(&picture).then(|| (format!("{before}{image}{after}"), picture))
}

fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let from = text.find(begin)? + begin.len();
    let to = text[from..].find(end)? + from;
    Some(&text[from..to])
}

/// HTML of an output: claims lead to their pages, files of checks to theirs; without blank lines, which would end it in Markdown.
fn in_html(book: &Book, text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("<code>") {
        let inside = &rest[at + "<code>".len()..];
        let id = inside.split("</code>").next().unwrap_or_default();
        out += &rest[..at];
        let used = match book.registry.position(id) {
            Some(_) => {
                let page = claim::file(id).replace(".md", ".html");
                out += &format!("<a href=\"{ROOT}{page}\"><code>{id}</code></a>");
                "<code>".len() + id.len() + "</code>".len()
            }
            None => {
                out += "<code>";
                "<code>".len()
            }
        };
        rest = &rest[at + used..];
    }
    out += rest;
    let mut linked = String::new();
    let mut rest = out.as_str();
    while let Some(at) = rest.find("href=\"../workbench/") {
        let from = at + "href=\"".len();
        let end = rest[from..].find('"').map_or(rest.len(), |end| from + end);
        linked += &rest[..from];
        match page_of(&rest[from..end], book) {
            Some(page) => linked += &format!("{ROOT}{page}"),
            None => linked += &rest[from..end],
        }
        rest = &rest[end..];
    }
    // Said on every cell of every card; here a style sheet says it.
    (linked + rest)
        .replace(" style=\"text-align:left;padding:2px 12px 2px 0\"", "")
        .replace(" style=\"text-align:left;white-space:nowrap;padding:2px 12px 2px 0\"", " class=\"wb-short\"")
        .replace(" style=\"text-align:right;white-space:nowrap;padding:2px 12px 2px 0\"", " class=\"wb-r\"")
        .replace(" style=\"cursor:pointer;display:list-item\"", "")
        .replace(" style=\"color:inherit;margin:4px 0\"", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::facts::tests::book;

    fn notebook(cells: Value) -> String {
        json!({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).to_string()
    }

    #[test]
    fn cells_get_anchors_and_links_lead_to_pages() {
        let cells = json!([
            {"cell_type": "markdown", "id": "title", "metadata": {}, "source": ["# A title\n", "Words."]},
            {"cell_type": "markdown", "id": "seen", "metadata": {},
             "source": "It is [0.5](#m/b \"n: slope\"), see [there](n.ipynb#cell-id=a) and [elsewhere](other.ipynb)."},
            {"cell_type": "code", "id": "b", "metadata": {}, "source": "1", "execution_count": 1, "outputs": [
                {"output_type": "execute_result", "metadata": {}, "execution_count": 1,
                 "data": {"text/html": "<p><code>m/a</code> <code>x</code></p>", "text/plain": "m/a"}},
                {"output_type": "display_data", "metadata": {},
                 "data": {"image/svg+xml": ["<svg><title>A figure</title></svg>"], "image/png": "AAAA", "text/plain": ""}}]}
        ]);
        let chapter = chapter(&book(), "n", &notebook(cells)).unwrap();
        let made: Value = serde_json::from_str(&chapter.text).unwrap();
        let text = |at: usize| made["cells"][at]["source"].as_str().unwrap().to_string();
        assert!(text(0).starts_with("# A title\n\n<div class=\"wb-anchor\" id=\"cell-id=title\">"));
        assert!(text(1).contains("href=\"../claims/m/b.html#finding-1\" title=\"m/b: n: slope\">0.5</a>"));
        assert!(text(1).contains("<a href=\"../notebooks/n.html#cell-id=a\">there</a> and [elsewhere](other.ipynb)"));
        assert!(text(2).contains("id=\"cell-id=b\""));
        let outputs = &made["cells"][3]["outputs"];
        assert_eq!(
            outputs[0]["data"],
            json!({"text/html": "<p><a href=\"../claims/m/a.html\"><code>m/a</code></a> <code>x</code></p>"})
        );
        assert!(outputs[1]["data"]["text/html"].as_str().unwrap().contains("alt=\"A figure\""));
        assert_eq!(chapter.figures[0].0, "_static/figures/n/b-1.svg");
    }

    #[test]
    fn a_notebook_without_a_heading_is_named_by_its_file() {
        let cells = json!([{"cell_type": "markdown", "id": "a", "metadata": {}, "source": "Words."}]);
        let chapter = chapter(&book(), "n", &notebook(cells)).unwrap();
        let made: Value = serde_json::from_str(&chapter.text).unwrap();
        assert_eq!((made["cells"][0]["source"].as_str(), made["cells"].as_array().unwrap().len()), (Some("# n"), 2));
    }

    #[test]
    fn a_folded_drawing_is_a_file_unless_it_is_not_still() {
        let page = |drawing: &str| {
            let data = STANDARD.encode(drawing);
            format!("<details><summary>x</summary><img alt=\"a\" src=\"data:image/svg+xml;base64,{data}\"></details>")
        };
        let (text, drawing) = folded_figure(&page("<svg><title>A</title></svg>"), "_static/b.svg").unwrap();
        assert_eq!(drawing, "<svg><title>A</title></svg>");
        assert!(text.ends_with("<img alt=\"A\" src=\"../_static/b.svg\" loading=\"lazy\"></details>"), "{text}");
        assert_eq!(folded_figure(&page("<svg><script>alert(1)</script></svg>"), "b.svg"), None);
        assert_eq!(folded_figure("<p>none</p>", "b.svg"), None);
    }

    #[test]
    fn links_to_maps_and_to_pages_beside_the_notebooks_lead_to_pages_of_the_site() {
        let of = |target| page_of(target, &book());
        assert_eq!(of("maps/m.md").as_deref(), Some("documents/m.html"));
        assert_eq!(of("glossary.md").as_deref(), Some("notebooks/glossary.html"));
        assert_eq!([of("README.md"), of("https://example.org/a.md")], [None, None]);
    }

    #[test]
    fn what_somebody_wrote_stays_in_its_place() {
        let cells = json!([
            {"cell_type": "markdown", "id": "seen", "metadata": {},
             "source": "[there](n.ipynb#x\" onclick=\"alert(1))"},
            {"cell_type": "code", "id": "../../../x", "metadata": {}, "source": "1", "execution_count": 1, "outputs": [
                {"output_type": "display_data", "metadata": {}, "data": {"application/javascript": "alert(1)", "text/plain": "x"}},
                {"output_type": "display_data", "metadata": {},
                 "data": {"image/svg+xml": "<svg><title>a\" onerror=\"alert(1)</title></svg>"}},
                {"output_type": "display_data", "metadata": {},
                 "data": {"image/svg+xml": "<svg><script>alert(1)</script></svg>"}}]}
        ]);
        let metadata = json!({"mystnb": {"execution_mode": "force"}, "kernelspec": {"name": "workbench"}});
        let notebook = json!({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells});
        let chapter = chapter(&book(), "n", &notebook.to_string()).unwrap();
        let made: Value = serde_json::from_str(&chapter.text).unwrap();
        assert_eq!(made["metadata"], json!({"kernelspec": {"name": "workbench"}}));
        assert!(made["cells"][1]["source"].as_str().unwrap().contains("#x&quot; onclick=&quot;alert(1\""));
        let outputs = &made["cells"][3]["outputs"];
        assert_eq!(outputs[0]["data"], json!({"text/plain": "x"}));
        let image = |at: usize| outputs[at]["data"]["text/html"].as_str().unwrap().to_string();
        assert!(image(1).contains("alt=\"a&quot; onerror=&quot;alert(1)\""), "{}", image(1));
        assert!(image(2).contains("src=\"data:image/svg+xml,%3Csvg%3E%3Cscript"), "{}", image(2));
        let places: Vec<&str> = chapter.figures.iter().map(|(place, _)| place.as_str()).collect();
        assert_eq!(places, ["_static/figures/n/---------x-1.svg"]);
    }

    #[test]
    fn a_link_to_no_claim_and_a_broken_notebook_are_named() {
        let cells = json!([{"cell_type": "markdown", "id": "c9", "metadata": {}, "source": "[1](#m/zz \"x\")"}]);
        let error = chapter(&book(), "n", &notebook(cells)).unwrap_err().to_string();
        assert!(error.contains("n, cell c9 links `m/zz`"), "{error}");
        let error = chapter(&book(), "n", "{").unwrap_err().to_string();
        assert!(error.contains("notebook n") && error.contains("git checkout"), "{error}");
    }
}
