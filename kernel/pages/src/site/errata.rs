//! Errata, for the papers' authors: what is printed, what is right, the numbers that separate the two, how far apart they are, and what
//! else falls.

use std::fmt::Write;

use workbench_record::formulas::with_formulas;
use workbench_record::{FindingLine, Paper, Row, printed_and_right};

use super::claim::{badge, link};
use super::facts::{Book, Mark};
use super::strip::{Strip, allowed, how_far, measured};
use super::text::{html, latex, markdown, name};
use crate::export::pages::MATHJAX;
use workbench_base::text::{agree, count};

/// Claims that rest on one, as far as a file names them.
const NAMED: usize = 6;

/// One erratum.
#[derive(Clone, Debug)]
pub struct Erratum<'a> {
    /// The claim, by its place in the registry.
    pub at: usize,
    /// The row that says so.
    pub row: &'a Row,
    /// The finding that speaks most plainly against the printed form.
    pub against: Option<&'a FindingLine>,
    /// The finding that speaks for the corrected form.
    pub for_it: Option<&'a FindingLine>,
}

/// The kinds in the order of the pages: those of a change, a change that names no kind, and what fails.
pub const KINDS: [(&str, &str); 6] = [
    ("misprint", "Misprints"),
    ("condition", "Conditions that are not stated"),
    ("weaker", "Weaker forms"),
    ("step", "Steps of proofs"),
    ("change", "Other changes"),
    ("fails", "Failures"),
];

/// The errata of a document and of a kind.
pub fn errata<'a>(book: &'a Book, paper: &str, kind: &str) -> Vec<Erratum<'a>> {
    let of_kind = |row: &Row| match (Mark::of(Some(row)), row.kind) {
        (Mark::Changed, Some(change)) => change.text() == kind,
        (Mark::Changed, None) => kind == "change",
        (Mark::Fails, _) => kind == "fails",
        _ => false,
    };
    let mut found = Vec::new();
    for at in (0..book.count()).filter(|at| book.claim(*at).paper == paper) {
        let Some(row) = book.row(at).filter(|row| of_kind(row)) else {
            continue;
        };
        let lines = book.findings(row);
        let (against, for_it) = printed_and_right(row, &lines);
        found.push(Erratum { at, row, against, for_it });
    }
    found
}

/// How many errata a document has, of all kinds.
pub fn total(book: &Book, paper: &str) -> usize {
    KINDS.iter().map(|(kind, _)| errata(book, paper, kind).len()).sum()
}

/// Where the printed page lies, beside the page.
pub const PDF: &str = "errata.pdf";
/// The folder of what sets equations in fonts, there while the errata are printed, and the script in it.
pub const FONTS: &str = "errata-on-paper";
pub const IN_FONTS: &str = "tex-chtml-full.js";

/// The page of the site; it leads to the printed one where that is made.
pub fn page(book: &Book, pdf: bool) -> String {
    let printed = match pdf {
        // As HTML, since Sphinx looks among its sources for what Markdown leads to.
        true => format!("<span class=\"d-print-none\"> To print or send: <a href=\"{PDF}\">{PDF}</a>.</span>"),
        false => String::new(),
    };
    let mut out = format!(
        "# Errata\n\nWhat of the documents holds only with a change, or fails, each with the numbers that separate the printed form from \
         the right one. They were computed; nobody proved them. The same as files beside the site: `errata.md` and `errata.tex`.{printed}\n\n{}\n\n",
        summary(book)
    );
    for paper in book.registry.papers() {
        let _ = write!(out, "## {}\n\n", markdown(&paper.title));
        for (kind, words) in KINDS {
            let found = errata(book, &paper.id, kind);
            if found.is_empty() {
                continue;
            }
            let _ = write!(out, "### {words}: {}\n\n", found.len());
            for erratum in &found {
                out += &entry(book, erratum);
            }
        }
    }
    out
}

/// The page with equations in fonts, and without the links that lead out of it: a PDF would name the folders of the machine that printed it.
pub fn on_paper(page: &str) -> String {
    const LINK: &str = " href=\"";
    // What stands before loads the styles.
    let (head, body) = page.split_at(page.find("<body").unwrap_or(0));
    let head = head.replace(&format!("_static/{MATHJAX}"), &format!("{FONTS}/{IN_FONTS}"));
    let mut parts = body.split(LINK);
    let mut out = format!("{head}{}", parts.next().unwrap_or_default());
    for part in parts {
        match part.split_once('"') {
            Some((target, rest)) if !target.starts_with('#') => out += rest,
            _ => {
                out += LINK;
                out += part;
            }
        }
    }
    out
}

fn summary(book: &Book) -> String {
    let line = |paper: &Paper| {
        let numbers: String =
            KINDS.iter().map(|(kind, _)| format!("<td>{}</td>", errata(book, &paper.id, kind).len())).collect();
        format!("<tr><td>{}</td>{numbers}</tr>", html(&paper.title))
    };
    let lines: String = book.registry.papers().iter().map(line).collect();
    let columns: Vec<&str> = ["document"].into_iter().chain(KINDS.map(|(kind, _)| kind)).collect();
    super::text::table("Errata by document and kind", &columns, &lines)
}

fn entry(book: &Book, erratum: &Erratum) -> String {
    let claim = book.claim(erratum.at);
    let mut out = format!(
        "<div class=\"wb-erratum\" id=\"{0}\"><p><strong>{1}</strong> · {2} {3}</p></div>\n\n**Printed:** {4}\n\n",
        html(&claim.id),
        html(&claim.place),
        link(book, erratum.at, ""),
        badge(Some(erratum.row)),
        markdown(&claim.says),
    );
    if !erratum.row.change.is_empty() {
        let _ = write!(out, "**Right:** {}\n\n", markdown(&with_formulas(&erratum.row.change)));
    }
    let (printed, changed) = (erratum.against, erratum.for_it);
    let lines: String = [("as printed", printed, changed), ("changed", changed, printed)]
        .into_iter()
        .filter_map(|(which, line, other)| {
            let line = line?;
            let strip = Strip::pair(line, other);
            let far = how_far(line).map_or(String::new(), |far| format!(" ({})", html(&far)));
            Some(format!(
                "<tr><td>{which}</td><td>{}{}</td><td>{}{far}</td><td>{}</td></tr>",
                html(&line.what),
                strip.svg(),
                html(&measured(line)),
                html(&allowed(line)),
            ))
        })
        .collect();
    if !lines.is_empty() {
        let columns = ["form", "finding", "measured", "allowed"];
        out += &super::text::table(&format!("Numbers of {}", claim.id), &columns, &lines);
        out += "\n\n";
    }
    let falls = falls(book, erratum.at);
    if !falls.is_empty() {
        let links: Vec<String> = falls.iter().map(|at| link(book, *at, "")).collect();
        let _ = write!(
            out,
            "<details class=\"wb-falls\"><summary>{} on it</summary><p>{}</p></details>\n\n",
            rest(falls.len()),
            links.join(", ")
        );
    }
    out
}

fn rest(n: usize) -> String {
    format!("{} {}", count(n, "claim"), agree(n, "rests", "rest"))
}

/// What else falls with a claim: all that rests on it and holds.
fn falls(book: &Book, at: usize) -> Vec<usize> {
    let above = book.above(at).into_iter();
    above.filter(|claim| book.facts(*claim).mark == Mark::Holds).collect()
}

/// As a Markdown file of its own.
pub fn as_markdown(book: &Book) -> String {
    let mut out = String::from(
        "# Errata\n\nComputed by Workbench: what holds only with a change, or fails, with the numbers that say so.\n",
    );
    for paper in book.registry.papers() {
        let _ = write!(out, "\n## {}\n", markdown(&paper.title));
        for (kind, words) in KINDS {
            let found = errata(book, &paper.id, kind);
            if !found.is_empty() {
                let _ = write!(out, "\n### {words}\n");
            }
            for erratum in &found {
                let claim = book.claim(erratum.at);
                let _ = write!(out, "\n- **{}** (`{}`)\n", markdown(&claim.place), claim.id);
                for (what, said) in told(book, erratum, markdown) {
                    let _ = writeln!(out, "  - {what}: {said}");
                }
            }
        }
    }
    out
}

/// As a LaTeX document of its own; xelatex and lualatex take it.
pub fn as_latex(book: &Book) -> String {
    let mut out = String::from(
        "\\documentclass{article}\n\\usepackage{amsmath,amssymb,fontspec,geometry,enumitem}\n\
         \\IfFontExistsTF{DejaVu Serif}{\\setmainfont{DejaVu Serif}[Scale=0.9]}{}\n\\title{Errata}\n\\date{}\n\\begin{document}\n\\maketitle\n",
    );
    for paper in book.registry.papers() {
        let _ = write!(out, "\n\\section*{{{}}}\n", latex(&paper.title));
        for (kind, words) in KINDS {
            let found = errata(book, &paper.id, kind);
            if found.is_empty() {
                continue;
            }
            let _ = write!(out, "\n\\subsection*{{{words}}}\n\\begin{{description}}[style=nextline]\n");
            for erratum in &found {
                let claim = book.claim(erratum.at);
                let _ = writeln!(out, "\\item[{}] \\texttt{{{}}}", latex(&claim.place), latex(&claim.id));
                for (what, said) in told(book, erratum, latex) {
                    let _ = writeln!(out, "\n  \\emph{{{what}}}: {said}");
                }
            }
            out += "\\end{description}\n";
        }
    }
    out + "\\end{document}\n"
}

/// What is said of an erratum, line by line, in words that `write` brings into a form.
fn told(book: &Book, erratum: &Erratum, write: fn(&str) -> String) -> Vec<(&'static str, String)> {
    let claim = book.claim(erratum.at);
    let mut lines = vec![("printed", write(&claim.says))];
    if !erratum.row.change.is_empty() {
        lines.push(("right", write(&with_formulas(&erratum.row.change))));
    }
    for (what, line) in [("numbers as printed", erratum.against), ("numbers with the change", erratum.for_it)] {
        let Some(line) = line else { continue };
        let far = how_far(line).map_or(String::new(), |far| format!(", {far}"));
        let said = format!("{}: measured {}, allowed {}{far}", line.what, measured(line), allowed(line));
        lines.push((what, write(&said)));
    }
    let falls = falls(book, erratum.at);
    if !falls.is_empty() {
        let names: Vec<&str> = falls.iter().take(NAMED).map(|at| name(&book.claim(*at).id)).collect();
        let more = falls.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {}", count(more, "other")) } else { String::new() };
        lines.push(("rests on it", write(&format!("{}{more}", names.join(", ")))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::facts::tests::book;
    use workbench_record::Outcome;

    #[test]
    fn on_paper_equations_are_fonts_and_only_links_inside_the_page_are_left() {
        let body = "<body><a class=\"x\" href=\"claims/a.html\">a</a> <a href=\"#b\">b</a></body>";
        let page = format!("<link href=\"a.css\"/><script src=\"_static/{MATHJAX}?v=1\"></script>{body}");
        let head = "<link href=\"a.css\"/><script src=\"errata-on-paper/tex-chtml-full.js?v=1\"></script>";
        assert_eq!(on_paper(&page), format!("{head}<body><a class=\"x\">a</a> <a href=\"#b\">b</a></body>"));
    }

    #[test]
    fn an_erratum_says_printed_right_numbers_and_what_falls() {
        let mut book = book();
        let line = &mut book.tables.findings[0];
        (line.measured, line.low, line.high, line.outcome) = (3.0, 2.9, 3.1, Outcome::Contradicts);
        assert_eq!(total(&book, "m"), 1);
        assert!(!page(&book, false).contains(PDF));
        let page = page(&book, true);
        assert!(page.contains("href=\"errata.pdf\""));
        for part in [
            "**Printed:** $x_1<2$ & more",
            "**Right:** the index is j",
            "3 times 1",
            "2 claims rest on it",
            "id=\"m/a\"",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        let text = as_markdown(&book);
        assert!(text.contains("measured 3 \\[2.9, 3.1\\], allowed at most 1, 3 times 1"), "{text}");
        let tex = as_latex(&book);
        assert!(tex.contains("\\item[Lemma a $<$1$>$]") && tex.contains("$x_1<2$ \\& more"), "{tex}");
    }
}
