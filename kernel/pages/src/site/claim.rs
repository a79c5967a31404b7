//! The page of a claim.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;
use workbench_record::formulas::with_formulas;
use workbench_record::{FindingLine, Note, Role, Row, Verdict, number, program};

use super::facts::{Book, Facts, Lack, Mark, Standing, Tested, verdict};
use super::graph::{Graph, legend};
use super::strip::{Strip, allowed, class, measured, outcome, tell};
use super::text::table;
use super::text::{html, markdown, name};
use super::{refereed, sources};
use workbench_base::text::{agree, count};

/// From a claim's page to the root of the site.
const ROOT: &str = "../../";

/// Steps from a claim that its graph offers beside all.
const NEAR: usize = 2;

/// The place of a claim's page below the root of the source, with its ending.
pub fn file(id: &str) -> String {
    format!("claims/{id}.md")
}

/// A link to a claim's page, its name as text.
pub fn link(book: &Book, at: usize, root: &str) -> String {
    let id = &book.claim(at).id;
    format!("<a href=\"{root}claims/{0}.html\">{1}</a>", html(id), html(name(id)))
}

/// A verdict as a coloured word with its letter.
pub fn badge(row: Option<&Row>) -> String {
    let letter = Mark::of(row).letter();
    format!(
        "<span class=\"wb-badge wb-{letter}\"><span class=\"wb-letter\">{letter}</span> {}</span>",
        html(verdict(row))
    )
}

/// A verdict as its coloured letter, where many of them stand below each other.
pub fn chip(row: &Row) -> String {
    let letter = Mark::of(Some(row)).letter();
    format!("<span class=\"wb-chip wb-{letter}\" title=\"{}\">{letter}</span>", html(verdict(Some(row))))
}

/// The whole page.
pub fn page(book: &Book, at: usize) -> String {
    let claim = book.claim(at);
    let mut out = format!("---\norphan: true\n---\n\n# {}: {}\n\n", markdown(name(&claim.id)), markdown(&claim.place));
    out += &head(book, at);
    let _ = write!(
        out,
        "\n## What the document says\n\n{}\n\n**Setting.** {}\n\n",
        markdown(&claim.says),
        markdown(&claim.setup)
    );
    let _ = write!(out, "## What decides it\n\n{}\n\n", markdown(&claim.check));
    if !claim.open.is_empty() {
        let _ = write!(out, "**Why it is open.** {}\n\n", markdown(&claim.open));
    }
    if let Some(row) = book.row(at) {
        out += &decided(book, row);
        out += &findings(book, at, row);
        out += &notes(book, row);
        out += &computed(book, at);
    }
    out += &book.history.part(&claim.id);
    out += &around(book, at);
    let _ = write!(out, "## Compute it again\n\n```console\n$ {} run --claim '{}'\n```\n\n", program(), claim.id);
    if book.registry.checks().of(&claim.id).is_some() {
        let _ = write!(
            out,
            "Without a kernel, in seconds, with every finding:\n\n```console\n$ {} verify '{}' --full\n```\n",
            program(),
            claim.id
        );
    }
    out
}

fn head(book: &Book, at: usize) -> String {
    let (claim, facts) = (book.claim(at), book.facts(at));
    let paper = book.registry.papers().iter().find(|paper| paper.id == claim.paper);
    let mut lines = vec![
        ("Verdict", badge(book.row(at))),
        ("Stands", stands(book, facts)),
        (
            "Document",
            format!(
                "<a href=\"{ROOT}documents/{0}.html\">{1}</a>, {2}",
                html(&claim.paper),
                html(paper.map_or("", |paper| &paper.title)),
                html(&claim.place)
            ),
        ),
        ("Kind", html(&claim.kind)),
    ];
    if let Some(row) = book.row(at) {
        lines.push((
            "Cell",
            format!(
                "<a href=\"{ROOT}notebooks/{0}.html#cell-id={1}\">{1}</a> in {0}",
                html(&row.notebook),
                html(&row.cell)
            ),
        ));
    }
    if let Some(check) = book.registry.checks().of(&claim.id) {
        lines.push((
            "Source of its check",
            format!("<a href=\"{ROOT}{}\"><code>{}</code></a>", html(&sources::address(check)), html(&check.name)),
        ));
    }
    if book.refereed.contains_key(&claim.id) {
        let page = refereed::file(&claim.id).replace(".md", ".html");
        lines.push(("Refereed", format!("<a href=\"{ROOT}{}\">how, with the document open</a>", html(&page))));
    }
    lines.push(("Tested", tested(facts, &claim.id)));
    if let Some(why) = &facts.stale {
        lines.push(("Stale", format!("<strong>{}</strong>", html(why))));
    }
    let lines: String = lines.into_iter().map(|(what, said)| format!("<dt>{what}</dt><dd>{said}</dd>")).collect();
    format!("<dl class=\"wb-facts\">{lines}</dl>\n")
}

fn tested(facts: &Facts, id: &str) -> String {
    match facts.tested {
        Tested::Well => {
            "at the document's scale, the same verdict from three seeds, and a wrong form was told apart".into()
        }
        Tested::Some(lack) => format!("in part: {}", lacking(lack, id)),
        Tested::Split => "seeds or scales have different verdicts".into(),
        Tested::Not => "not at all".into(),
    }
}

/// What a claim lacks, and what adds it.
fn lacking(lack: Lack, id: &str) -> String {
    let (mut what, mut options) = (Vec::new(), String::new());
    if lack.scale {
        what.push("a smaller scale than the document's".to_string());
        options += " --scale paper";
    }
    if let Some(seeds) = lack.seeds {
        what.push(format!("{} in place of three", count(seeds, "seed")));
        options += " --seeds 1..=3";
    }
    let mut said = Vec::new();
    if !what.is_empty() {
        let call = html(&format!("{} run --claim '{id}'{options}", program()));
        said.push(format!("{}; <code>{call}</code> adds what is missing", what.join(", ")));
    }
    if lack.twin {
        said.push("no wrong form was told apart; <code>s.twin</code> states one in its check".to_string());
    }
    said.join("; ")
}

/// Whether a claim stands, in words with links.
fn stands(book: &Book, facts: &Facts) -> String {
    let list = |claims: &[usize]| {
        const SHOWN: usize = 6;
        let links: Vec<String> = claims.iter().take(SHOWN).map(|at| link(book, *at, ROOT)).collect();
        match claims.len().saturating_sub(SHOWN) {
            0 => links.join(", "),
            more => format!("{} and {more} more", links.join(", ")),
        }
    };
    match &facts.standing {
        Standing::Stands if facts.uses.is_empty() => "yes; it rests on no other claim".to_string(),
        Standing::Stands => "yes; it holds, and so does all that it rests on".to_string(),
        Standing::OnChanged(claims) => format!(
            "it holds, but rests on {}: {}",
            agree(
                claims.len(),
                "a claim that holds only with a change or fails",
                "claims that hold only with a change or fail"
            ),
            list(claims)
        ),
        Standing::OnUndecided(claims) => format!("it holds, but rests on what is not decided: {}", list(claims)),
        Standing::Itself if facts.mark == Mark::Changed => "not as printed".to_string(),
        Standing::Itself if facts.mark == Mark::Fails => "no".to_string(),
        Standing::Itself => format!("unknown: it is {}", facts.mark.words()),
    }
}

fn decided(book: &Book, row: &Row) -> String {
    let mut out = String::from("## Verdict\n\n");
    let _ = write!(out, "{}", badge(Some(row)));
    if !row.change.is_empty() {
        let what = if row.verdict == Verdict::Fails { "What is true instead" } else { "What has to change" };
        let _ = write!(out, " **{what}:** {}", markdown(&with_formulas(&row.change)));
    }
    if !row.see.is_empty() {
        let _ = write!(out, " It builds on {}, and is checked with the slip there mended.", see(book, row));
    }
    if !row.settled.is_empty() {
        let _ = write!(out, " **What would settle it:** {}", markdown(&row.settled));
    }
    if !row.note.is_empty() {
        let _ = write!(out, " {}", markdown(&row.note));
    }
    out += "\n\n";
    if !row.finding.is_empty() {
        let _ = write!(
            out,
            "It was decided by the finding \"{}\": expected {}, measured {} (scale {}, seed {}).\n\n",
            markdown(&row.finding),
            markdown(&row.expected),
            markdown(&row.measured_text()),
            row.scale,
            row.seed
        );
    }
    out
}

fn findings(book: &Book, at: usize, row: &Row) -> String {
    let of_row = book.findings(row);
    if of_row.is_empty() {
        return String::new();
    }
    let rows = book.rows(at);
    let of_claim: Vec<&FindingLine> = rows.iter().flat_map(|row| book.findings(row)).collect();
    let line = |number: usize, line: &FindingLine| {
        let strip = Strip::new(line, &of_row, &of_claim);
        let n = match line.unit.as_str() {
            "" if line.n <= 1 => String::new(),
            "" => tell(line.n as f64),
            unit => format!("{} {}", tell(line.n as f64), html(unit)),
        };
        format!(
            "<tr id=\"finding-{number}\"><td><span class=\"wb-outcome {}\">{}</span></td><td>{}{}{}</td><td>{}</td><td>{}</td><td>{n}</td></tr>",
            class(line),
            outcome(line),
            role(line.role),
            html(&line.what),
            strip.svg(),
            html(&measured(line)),
            html(&allowed(line)),
        )
    };
    let lines: String = of_row.iter().enumerate().map(|(number, found)| line(number + 1, found)).collect();
    let columns = ["", "finding", "measured", "allowed", "from"];
    format!(
        "## Findings\n\nScale {}, seed {}. The band is what the prediction allows, the filled sign what was measured, with its interval; \
         small dots are other seeds and scales, a hollow sign or a broken line is the printed or the changed form beside the other, and a \
         cross is a wrong form, which the same prediction has to refuse.\n\n{}\n\n",
        row.scale,
        row.seed,
        table("Findings", &columns, &lines)
    )
}

/// The claim in whose row an inherited fault is charged, as a link where there is one.
fn see(book: &Book, row: &Row) -> String {
    match book.registry.position(&row.see) {
        Some(at) => link(book, at, ROOT),
        None => html(&row.see),
    }
}

/// What a finding is about, before its label.
fn role(role: Role) -> &'static str {
    match role {
        Role::Printed => "",
        Role::Corrected => "<span class=\"wb-role\">changed:</span> ",
        Role::Twin => "<span class=\"wb-role\">wrong form:</span> ",
        Role::Support => "<span class=\"wb-role\">control:</span> ",
        Role::Aside => "<span class=\"wb-role\">beside:</span> ",
    }
}

fn notes(book: &Book, row: &Row) -> String {
    let of_row = |note: &&Note| note.claim == row.claim && note.scale == row.scale && note.seed == row.seed;
    let lines: String =
        book.tables.notes.iter().filter(of_row).map(|note| format!("- {}\n", markdown(&note.text))).collect();
    match lines.is_empty() {
        true => lines,
        false => format!("**Remarks of the check**\n\n{lines}\n"),
    }
}

/// Every row of the claim: seed, scale, machine and run.
fn computed(book: &Book, at: usize) -> String {
    let mut rows = book.rows(at);
    rows.sort_by(|a, b| (&b.run, b.scale, a.seed).cmp(&(&a.run, a.scale, b.seed)));
    let line = |row: &&Row| {
        let run = book.run(row);
        let said = |say: fn(&workbench_record::Run) -> String| run.map_or(String::new(), say);
        format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
             <td>{}</td><td>{}</td><td><code>{}</code></td></tr>",
            html(&said(|run| run.start.replace('T', " ").replace('Z', ""))),
            row.scale,
            row.seed,
            chip(row),
            html(&row.measured_text()),
            html(&said(|run| format!("{}, {}, {}", run.processor, count(run.cores as usize, "core"), run.device))),
            number::rounded(row.seconds, 3),
            html(&said(|run| run.commit.chars().take(10).collect())),
        )
    };
    let lines: String = rows.iter().map(line).collect();
    let columns = ["started (UTC)", "scale", "seed", "verdict", "deciding number", "machine", "seconds", "commit"];
    let seeds: BTreeSet<u64> = rows.iter().map(|row| row.seed).collect();
    format!(
        "## Seeds, scales, machines\n\n{} from {}, the newest run first.\n\n{}\n\n",
        count(rows.len(), "row"),
        count(seeds.len(), "seed"),
        table("Runs that computed this claim", &columns, &lines)
    )
}

/// The graph, to a depth that one chooses, and the same as lists.
fn around(book: &Book, at: usize) -> String {
    let facts = book.facts(at);
    let list = |claims: &[usize]| match claims.is_empty() {
        true => "nothing".to_string(),
        false => {
            let links: Vec<String> = claims.iter().map(|at| link(book, *at, ROOT)).collect();
            links.join(", ")
        }
    };
    let mut out = format!(
        "## What it rests on, what rests on it\n\n<dl class=\"wb-facts\"><dt>Rests on</dt><dd>{}</dd><dt>Used by</dt><dd>{}</dd></dl>\n\n",
        list(&facts.uses),
        list(&facts.users)
    );
    if facts.uses.is_empty() && facts.users.is_empty() {
        return out;
    }
    let graph = Graph { book, focus: Some(at), root: ROOT };
    // The nearest, and everything.
    let mut depths: Vec<BTreeSet<usize>> = (1..=NEAR).map(|steps| book.around(at, steps)).collect();
    depths.push(book.around(at, book.count()));
    depths.dedup();
    let last = depths.len() - 1;
    let mut choices = String::new();
    for (number, claims) in depths.iter().enumerate() {
        let checked = if number == 0 { " checked" } else { "" };
        let words = if number == last { "all".to_string() } else { (number + 1).to_string() };
        let _ = write!(
            choices,
            "<label><input type=\"radio\" name=\"wb-depth\" value=\"{number}\"{checked}> {words} ({})</label>",
            claims.len()
        );
    }
    // The first picture is there without a script; the others are drawn by it, since there are many of them.
    let numbers: Vec<Value> = depths.iter().map(|claims| graph.numbers(claims)).collect();
    let _ = write!(
        out,
        "On the left stands what it rests on, on the right what rests on it.\n\n```{{picture}}\n<div class=\"wb-depths\">\
         <fieldset class=\"pst-js-only\"><legend>Steps from it (claims)</legend>{choices}</fieldset>\
         <div class=\"wb-picture\" role=\"region\" tabindex=\"0\" aria-label=\"Graph\" data-claim=\"{at}\" data-root=\"{ROOT}\">{}</div>\
         <script type=\"application/json\">{}</script></div>{}\n```\n\n",
        graph.svg(&depths[0]),
        Value::Array(numbers),
        legend()
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::facts::tests::book;

    #[test]
    fn the_page_has_statement_verdict_findings_graph_and_command() {
        let book = book();
        let page = page(&book, 1);
        for part in [
            "# b: Lemma b \\<1\\>",
            "$x_1<2$ & more",
            "**Setting.** none",
            "rests on a claim that holds only with a change or fails: <a href=\"../../claims/m/a.html\">a</a>",
            "notebooks/n.html#cell-id=b",
            "id=\"finding-1\"",
            "wrong form:",
            "4 rows from 3 seeds",
            "value=\"0\" checked> all (3)</label>",
            "cargo workbench run --claim 'm/b'",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
    }

    #[test]
    fn a_claim_that_is_tested_in_part_says_what_is_missing_and_what_adds_it() {
        let call = |options: &str| html(&format!("{} run --claim 'm/a'{options}", program()));
        let lack = Lack { seeds: Some(1), scale: false, twin: false };
        let adds = format!("<code>{}</code> adds what is missing", call(" --seeds 1..=3"));
        assert_eq!(lacking(lack, "m/a"), format!("1 seed in place of three; {adds}"));
        let said = lacking(Lack { seeds: Some(2), scale: true, twin: true }, "m/a");
        assert!(said.starts_with("a smaller scale than the document's, 2 seeds in place of three; <code>"), "{said}");
        assert!(
            said.contains(&call(" --scale paper --seeds 1..=3")) && said.ends_with("states one in its check"),
            "{said}"
        );
        let said = lacking(Lack { seeds: None, scale: false, twin: true }, "m/a");
        assert_eq!(said, "no wrong form was told apart; <code>s.twin</code> states one in its check");
        assert!(page(&book(), 0).contains("in part: 1 seed in place of three; "));
    }

    #[test]
    fn depths_that_show_the_same_are_offered_once() {
        let book = book();
        let page = page(&book, 2);
        assert!(page.contains("> 1 (2)</label>") && page.contains("> all (3)</label>"), "{page}");
        assert_eq!(page.matches("type=\"radio\"").count(), 2);
        let from = page.find("application/json\">").unwrap() + "application/json\">".len();
        let numbers: Value = serde_json::from_str(page[from..].split("</script>").next().unwrap()).unwrap();
        assert_eq!(numbers.as_array().unwrap().len(), 2);
    }

    #[test]
    fn an_open_claim_has_a_page_too() {
        let page = page(&book(), 4);
        assert!(page.contains("unknown: it is open") && !page.contains("## Findings"), "{page}");
    }
}
