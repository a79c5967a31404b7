//! The front page, the page of each document with its way through, the graphs of its sections, and coverage.

use std::collections::BTreeMap;
use std::fmt::Write;

use workbench_record::{Family, Paper, Scale};

use super::chapter::with_links;
use super::claim::{badge, link};
use super::errata;
use super::error::SiteError;
use super::facts::{Book, Mark, Standing};
use super::graph::{Graph, legend};
use super::text::table;
use super::text::{html, markdown, short};
use workbench_base::names::is_a_beginning;
use workbench_base::text::{agree, count};

/// The notebooks of a document in its order: by their first claim, and those without claims behind.
pub fn notebooks<'a>(book: &'a Book, paper: &str) -> Vec<&'a str> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for at in (0..book.count()).rev().filter(|at| book.claim(*at).paper == paper) {
        first.insert(&book.claim(at).notebook, at);
    }
    let ours = |name: &&str| first.contains_key(*name) || (name.starts_with(paper) && !has_claims(book, name));
    let mut found: Vec<&str> = book.notebooks.keys().map(String::as_str).filter(ours).collect();
    found.sort_by_key(|name| (first.get(name).copied().unwrap_or(usize::MAX), *name));
    found
}

fn has_claims(book: &Book, notebook: &str) -> bool {
    book.registry.claims().iter().any(|claim| claim.notebook == notebook)
}

/// The front page with the tree of all pages.
pub fn index(book: &Book) -> String {
    let mut counts = String::new();
    for paper in book.registry.papers() {
        counts += &line(
            &format!("<a href=\"documents/{}.html\">{}</a>", html(&paper.id), html(&paper.title)),
            &claims_of(book, paper),
            book,
        );
    }
    counts += &line("all", &(0..book.count()).collect::<Vec<_>>(), book);
    let mut out = format!(
        "# The record\n\nWhat {} {}, recomputed claim by claim. Every claim has a page: the statement as printed, the verdict, \
         the comparisons behind it as pictures, what it rests on and what rests on it, and the command that computes it again. The \
         notebooks stand here as chapters, with the outputs of their last run; a number in their text leads to the finding that it \
         comes from.\n\n{}\n\n",
        count(book.registry.papers().len(), "document"),
        agree(book.registry.papers().len(), "claims", "claim"),
        table("Claims by verdict", &COLUMNS, &counts)
    );
    let beginnings: Vec<String> = book
        .notebooks
        .keys()
        .filter(|name| is_a_beginning(name))
        .map(|name| format!("- {{doc}}`notebooks/{name}`\n"))
        .collect();
    if !beginnings.is_empty() {
        out += &format!("**Start here**\n\n{}\n", beginnings.concat());
    }
    out += "A claim *stands* if it and all that it rests on hold as printed. The other verdicts: a claim *holds with a change* if the printed \
            form is contradicted and a stated other form is supported, and its badge says by what change; it *fails* if the printed form is contradicted and no form near it is true. What is \
            inconclusive is of two kinds: *against, at our size*, where all that was found speaks against the claim on a smaller system \
            than it speaks of, and *not decided*, where the intervals are too wide; its page says what would settle it. A claim is *open* \
            if no notebook checks it yet. A verdict is what a check found when it compared a claim with computed numbers. It is no proof.\n\n";
    out += "```{toctree}\n:hidden:\n:caption: The record\n\nErrata <errata>\nSeeds, scales, machines <comparison>\nCoverage <coverage>\n```\n\n";
    let mut placed = Vec::new();
    for paper in book.registry.papers() {
        let _ = write!(
            out,
            "```{{toctree}}\n:hidden:\n:caption: '{}'\n\nStatement by statement <documents/{1}>\nWhat rests on what <graphs/{1}>\n",
            short(&paper.title, 44).replace('\'', "''").replace(['\n', '\r'], " "),
            paper.id
        );
        for name in notebooks(book, &paper.id) {
            let _ = writeln!(out, "notebooks/{name}");
            placed.push(name);
        }
        out += "```\n\n";
    }
    let others: Vec<&String> = book.notebooks.keys().filter(|name| !placed.contains(&name.as_str())).collect();
    if !others.is_empty() {
        out += "```{toctree}\n:hidden:\n:caption: About notebooks\n\n";
        others.iter().for_each(|name| out += &format!("notebooks/{name}\n"));
        out += "```\n";
    }
    out
}

/// The short list beside pages of claims and sources, of which there are hundreds.
pub fn beside(book: &Book) -> String {
    let link = |page: &str, words: &str| {
        format!(
            "<li class=\"toctree-l1\"><a class=\"reference internal\" href=\"{{{{ pathto('{page}') }}}}\">{}</a></li>",
            html(words)
        )
    };
    let mut out = String::from(
        "<nav class=\"bd-links bd-docs-nav\" aria-label=\"Main\"><div class=\"bd-toc-item navbar-nav\"><ul class=\"nav bd-sidenav\">",
    );
    for (page, words) in [
        ("index", "The record"),
        ("errata", "Errata"),
        ("comparison", "Seeds, scales, machines"),
        ("coverage", "Coverage"),
    ] {
        out += &link(page, words);
    }
    out += "</ul>";
    for paper in book.registry.papers() {
        let _ = write!(
            out,
            "<p aria-level=\"2\" class=\"caption\" role=\"heading\"><span class=\"caption-text\">{}</span></p><ul class=\"nav bd-sidenav\">{}{}</ul>",
            // Braces are the template's own.
            html(&short(&paper.title, 44)).replace('{', "&#123;").replace('}', "&#125;"),
            link(&format!("documents/{}", paper.id), "Statement by statement"),
            link(&format!("graphs/{}", paper.id), "What rests on what"),
        );
    }
    out + "</div></nav>\n"
}

const COLUMNS: [&str; 9] = ["", "claims", "holds", "changed", "fails", "inconclusive", "not tested", "open", "stands"];

fn claims_of(book: &Book, paper: &Paper) -> Vec<usize> {
    (0..book.count()).filter(|at| book.claim(*at).paper == paper.id).collect()
}

/// Counts of some claims as a line of a table, with a bar.
fn line(what: &str, claims: &[usize], book: &Book) -> String {
    let with = |mark: Mark| claims.iter().filter(|at| book.facts(**at).mark == mark).count();
    let stands = claims.iter().filter(|at| book.facts(**at).standing == Standing::Stands).count();
    let numbers: String = Mark::ALL.iter().map(|mark| format!("<td>{}</td>", with(*mark))).collect();
    format!("<tr><td>{what}</td><td>{}</td>{numbers}<td>{stands}</td></tr>", claims.len())
}

/// The page of a document: its map, and every statement in its order. `map` is what was written by hand.
///
/// # Errors
/// [`SiteError::UnknownLink`] if the map links a claim that the registry does not have.
pub fn document(book: &Book, paper: &Paper, map: &str) -> Result<String, SiteError> {
    let mut lines = String::new();
    for at in claims_of(book, paper) {
        let claim = book.claim(at);
        let cell = book.row(at).map_or(String::new(), |row| {
            format!("<a href=\"../notebooks/{0}.html#cell-id={1}\">{0}</a>", html(&row.notebook), html(&row.cell))
        });
        let stands = match &book.facts(at).standing {
            Standing::Stands => "stands",
            Standing::OnChanged(_) => "rests on a changed claim",
            Standing::OnUndecided(_) => "rests on an undecided claim",
            Standing::Itself => "",
        };
        lines += &format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{stands}</td><td>{cell}</td></tr>",
            html(&claim.place),
            link(book, at, "../"),
            badge(book.row(at))
        );
    }
    let columns = ["place", "claim", "verdict", "", "chapter"];
    let made = table(&format!("Claims of {}", paper.title), &columns, &lines);
    let written = with_links(book, &without_table(map), &format!("maps/{}.md", paper.id))?;
    let heading = "## Statement by statement";
    let text = match written.find(heading) {
        Some(at) => format!("{}{heading}\n\n{made}\n{}", &written[..at], &written[at + heading.len()..]),
        None => format!("{}\n\n{heading}\n\n{made}\n", written.trim_end()),
    };
    Ok(match text.trim_start().starts_with("# ") {
        true => text,
        false => format!("# {}\n\n{text}", markdown(&paper.title)),
    })
}

/// A map without its made table: the part between the two marks.
fn without_table(map: &str) -> String {
    let begin = map.find("<!-- the map");
    let end = "<!-- end of the map -->";
    match (begin, map.find(end)) {
        (Some(from), Some(to)) if from < to => format!("{}{}", &map[..from], &map[to + end.len()..]),
        _ => map.to_string(),
    }
}

/// The graph of each section of a document; a section is what one notebook takes.
pub fn graphs(book: &Book, paper: &Paper) -> String {
    let mut out = format!(
        "# What rests on what: {}\n\nOne picture for each section, which is what one notebook takes. What stands left is what others rest \
         on. Each box leads to the page of its claim, which shows also what lies in other sections.\n\n```{{picture}}\n{}\n```\n\n",
        markdown(&paper.title),
        legend()
    );
    let graph = Graph { book, focus: None, root: "../" };
    let mut sections: Vec<&str> = Vec::new();
    for at in claims_of(book, paper) {
        let name = book.claim(at).notebook.as_str();
        if !sections.contains(&name) {
            sections.push(name);
        }
    }
    for name in sections {
        let claims = claims_of(book, paper).into_iter().filter(|at| book.claim(*at).notebook == name).collect();
        let _ = write!(
            out,
            "## {}\n\n```{{picture}}\n<div class=\"wb-picture\" role=\"region\" tabindex=\"0\" aria-label=\"Graph of {}\">{}</div>\n```\n\n",
            markdown(name),
            html(name),
            graph.svg(&claims)
        );
    }
    out
}

/// Verdicts by document and section.
pub fn coverage(book: &Book) -> String {
    let mut out =
        String::from("# Coverage\n\nClaims of each section by verdict; a section is what one notebook takes.\n\n");
    out += "Every interval is stated at 99.9 % or more. For all findings of a run together:\n\n";
    for family in Family::all(&book.tables.findings) {
        let _ = writeln!(out, "- {}", markdown(&family.text()));
    }
    out.push('\n');
    for paper in book.registry.papers() {
        let all = claims_of(book, paper);
        let mut lines = String::new();
        let mut sections: Vec<&str> = Vec::new();
        for at in &all {
            let name = book.claim(*at).notebook.as_str();
            if !sections.contains(&name) {
                sections.push(name);
            }
        }
        for name in sections {
            let claims: Vec<usize> = all.iter().copied().filter(|at| book.claim(*at).notebook == name).collect();
            let what = match book.notebooks.contains_key(name) {
                true => format!("<a href=\"notebooks/{0}.html\">{0}</a>", html(name)),
                false => html(name),
            };
            lines += &line(&what, &claims, book);
        }
        lines += &line("all", &all, book);
        let at_scale = |at: &&usize| book.row(**at).is_some_and(|row| row.scale == Scale::Paper);
        let _ = write!(
            out,
            "## {}\n\n{} of {} computed at the document's own scale; {}.\n\n{}\n\n",
            markdown(&paper.title),
            all.iter().filter(at_scale).count(),
            format_args!("{} {}", count(all.len(), "claim"), agree(all.len(), "is", "are")),
            match errata::total(book, &paper.id) {
                1 => "1 erratum".to_string(),
                n => format!("{n} errata"),
            },
            table(&format!("Coverage of {}", paper.title), &COLUMNS, &lines)
        );
        let open: Vec<usize> =
            all.into_iter().filter(|at| matches!(book.facts(*at).mark, Mark::Open | Mark::NotTested)).collect();
        if !open.is_empty() {
            out += "**Without a verdict:**\n\n<ul>";
            for at in open {
                let why = match book.row(at) {
                    Some(row) => row.note.clone(),
                    None => book.claim(at).open.clone(),
                };
                let _ = write!(out, "<li>{} {}: {}</li>", badge(book.row(at)), link(book, at, ""), html(&why));
            }
            out += "</ul>\n\n";
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::facts::tests::book;

    #[test]
    fn the_front_page_counts_and_leads_everywhere() {
        let page = index(&book());
        for part in [
            "What 1 document claims, recomputed",
            "<td>5</td>",
            "documents/m>",
            "graphs/m>",
            "notebooks/n",
            "Errata <errata>",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
    }

    #[test]
    fn the_short_list_leads_to_each_document() {
        let list = beside(&book());
        assert!(list.contains("{{ pathto('documents/m') }}") && list.contains("A memory"), "{list}");
    }

    #[test]
    fn a_title_is_no_template_and_no_option() {
        let text = "[[paper]]\nid = \"m\"\ntitle = \"It's {{ 7*7 }}\\n```{raw}\"\n";
        let registry = workbench_record::Registry::parse(text, std::path::Path::new("claims.toml")).unwrap();
        let book = Book::new(registry, Default::default(), BTreeMap::new(), |_| None);
        assert!(beside(&book).contains("It&#39;s &#123;&#123; 7*7 &#125;&#125; ```"), "{}", beside(&book));
        assert!(index(&book).contains(":caption: 'It''s {{ 7*7 }} ```{raw}'\n"), "{}", index(&book));
    }

    #[test]
    fn a_document_keeps_what_was_written_by_hand_and_gets_its_table() {
        let book = book();
        let paper = &book.registry.papers()[0];
        let map = "# A memory\n\nBegin with [a](../n.ipynb#cell-id=a).\n\n## Statement by statement\n\n<!-- the map: written -->\nEARLIER\n\
                   <!-- end of the map -->\n\n## Ten questions\n\nWhy?\n";
        let page = document(&book, paper, map).unwrap();
        assert!(page.starts_with("# A memory") && page.ends_with("## Ten questions\n\nWhy?\n"), "{page}");
        assert!(!page.contains("EARLIER") && page.contains("href=\"../notebooks/n.html#cell-id=a\">a</a>"));
        assert!(page.contains("rests on a changed claim"));
        let bare = document(&book, paper, "").unwrap();
        assert!(bare.starts_with("# A memory") && bare.contains("## Statement by statement"));
        assert!(document(&book, paper, "[1](#m/q \"x\")").is_err());
    }

    #[test]
    fn sections_have_graphs_and_counts() {
        let book = book();
        let graphs = graphs(&book, &book.registry.papers()[0]);
        assert!(graphs.contains("## n\n") && graphs.contains("../claims/m/c.html"));
        let coverage = coverage(&book);
        assert!(coverage.contains("2 of 5 claims are computed at the document's own scale; 1 erratum."), "{coverage}");
    }
}
