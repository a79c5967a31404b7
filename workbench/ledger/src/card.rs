//! The card that a recorded claim shows in its notebook.

use workbench_record::number::rounded;
use workbench_record::words::{count, markdown};
use workbench_record::{Claim, Entry, Outcome, Role, Row, Verdict};

use super::Error;
use super::check::Fixed;
use super::evidence::Evidence;
use super::finding::Finding;
use super::show::{badge, colour, mark, show};
use super::words;
use workbench_display::{Bundle, Mime, emit, escape};

mod lines;

use lines::{Line, closed, fixed_before, folded, prefix, rows, says};

/// How a verdict compares with the committed one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Committed {
    /// No verdict is committed for this claim and scale.
    None,
    /// The same verdict is committed.
    Same,
    /// Another verdict is committed.
    Differs(Verdict),
    /// `expected.csv` does not read, for this reason.
    Unreadable(String),
}

/// A verdict with the numbers behind it, as the last expression of a cell: a card in a notebook, plain
/// text elsewhere.
///
/// Above it stands the statement, as Markdown, which every viewer sets with its formulas. The card's first line is the verdict in a
/// sentence, with the number that decided it; where something has to change, the same number of the changed form stands below. All
/// findings, the wrong forms that the check was tried on, remarks, and what was fixed before it ran are folded away.
#[derive(Clone, Debug)]
pub struct VerdictCard {
    entry: Entry,
    place: String,
    says: String,
    lines: Vec<Line>,
    committed: Committed,
    preview: bool,
    /// Whether what was tried says what is true instead.
    denies: bool,
    fixed: Option<Fixed>,
}

impl VerdictCard {
    pub(crate) fn new(
        entry: Entry,
        claim: &Claim,
        evidence: Option<&Evidence>,
        committed: Committed,
    ) -> Result<VerdictCard, Error> {
        let mut lines = Vec::new();
        if let Some(evidence) = evidence {
            let mut add = |role, findings: &[Finding]| -> Result<(), Error> {
                for finding in findings {
                    lines.push(Line {
                        role,
                        label: finding.label().to_string(),
                        measured: words::measured(finding),
                        expected: words::expected(finding),
                        n: words::behind(finding),
                        outcome: finding.outcome()?,
                    });
                }
                Ok(())
            };
            add(Role::Printed, &evidence.printed)?;
            if let Some(correction) = evidence.corrections.first() {
                add(Role::Corrected, &correction.findings)?;
            }
            add(Role::Twin, &evidence.twins)?;
            add(Role::Support, &evidence.supports)?;
            add(Role::Aside, &evidence.asides)?;
        }
        Ok(VerdictCard {
            entry,
            place: claim.place.clone(),
            says: claim.says.clone(),
            lines,
            committed,
            preview: false,
            denies: evidence.is_some_and(|e| e.corrections.first().is_some_and(|c| c.denies)),
            fixed: None,
        })
    }

    /// With what was fixed before the check ran.
    pub(crate) fn with_fixed(mut self, fixed: Fixed) -> VerdictCard {
        self.fixed = Some(fixed);
        self
    }

    pub(crate) fn into_preview(mut self) -> VerdictCard {
        self.preview = true;
        self
    }

    /// The row of `ledger.csv`.
    pub fn row(&self) -> &Row {
        &self.entry.row
    }

    /// What is written down: the row, its findings and remarks.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.entry.row.verdict
    }

    /// How the verdict compares with the committed one.
    pub fn committed(&self) -> &Committed {
        &self.committed
    }

    /// The verdict in a sentence: what has to change if anything does, and the number that decided.
    pub fn sentence(&self) -> String {
        let row = self.row();
        let head = row.verdict.said(row.kind);
        if row.verdict == Verdict::NotTested {
            return format!("{head}: {}.", stripped(&row.note));
        }
        let change = match self.tells_change() {
            false => String::new(),
            true if row.verdict == Verdict::Fails => format!(", and instead: {}", stripped(&row.change)),
            true => format!(": {}", stripped(&row.change)),
        };
        let printed = if row.verdict == Verdict::HoldsWithChange { "As printed, " } else { "" };
        match self.lines.iter().find(|line| line.label == row.finding) {
            None => format!("{head}{change}."),
            Some(line) => format!(
                "{head}{change}. {printed}{}: {} (expected: {}).",
                if printed.is_empty() { capital(&line.label) } else { line.label.clone() },
                line.measured,
                line.expected
            ),
        }
    }

    /// The finding that decided, in a line: whether it is a wrong form that passes, and the change that the statement needs.
    pub fn decided(&self) -> String {
        let row = self.row();
        let Some(line) = self.lines.iter().find(|line| line.label == row.finding) else { return row.note.clone() };
        let rest = match (line.role, self.tells_change(), row.verdict) {
            (Role::Twin, ..) => format!(": {}", says(line).1),
            (_, false, _) => String::new(),
            (_, true, Verdict::Fails) => format!("; instead: {}", row.change),
            _ => match self.changed() {
                None => format!("; with the change: {}", row.change),
                Some(right) => {
                    format!("; with the change: {}: {} (expected {})", row.change, right.measured, right.expected)
                }
            },
        };
        format!("{}{}: {} (expected {}){rest}", prefix(line.role), line.label, row.measured_text(), row.expected)
    }

    /// The card as plain text.
    pub fn text(&self) -> String {
        let row = self.row();
        let mut out = format!("{} {}\n  {} ({})\n", mark(row.verdict), self.sentence(), row.claim, self.place);
        for line in &self.lines {
            let (mark, words) = says(line);
            out += &format!(
                "  {mark} {}{}: {}, expected {}{}: {words}\n",
                prefix(line.role),
                line.label,
                line.measured,
                line.expected,
                if line.n.is_empty() { String::new() } else { format!(" ({})", line.n) }
            );
        }
        for text in self.notes().into_iter().chain(self.warnings()) {
            out += &format!("  {text}\n");
        }
        out + &format!("  {}", self.circumstances())
    }

    /// The card as HTML with inline styles; it reads without them too.
    pub fn html(&self) -> String {
        let row = self.row();
        let claim = escape::html(&row.claim);
        // Some viewers follow a link to the claim without slash and capitals; a preview is not what the link means.
        let anchor = match self.preview {
            true => String::new(),
            false => format!(" id=\"{}\"", claim.replace('/', "").to_lowercase()),
        };
        let mut out = format!(
            "<div{anchor} role=\"group\" aria-label=\"verdict on {claim}\" \
             style=\"border-left:5px solid {};padding:4px 12px;margin:4px 0;max-width:60em\">\
             <div>{} <strong>{}</strong></div>\
             <div style=\"margin:4px 0;opacity:.85\"><code>{claim}</code> · {}</div>",
            colour(row),
            badge(row),
            escape::html(&self.sentence()),
            escape::html(&self.place)
        );
        let (tried, found): (Vec<&Line>, Vec<&Line>) = self.lines.iter().partition(|line| line.role == Role::Twin);
        if let Some(changed) = self.changed() {
            out += &rows("the changed form", &[changed]);
        }
        for text in self.warnings() {
            out += &format!("<div>{}</div>", escape::html(&text));
        }
        out += &folded(&count(found.len(), "finding"), &found);
        let told_apart = tried.iter().filter(|line| line.outcome == Outcome::Contradicts).count();
        out += &folded(&format!("{} tried, {told_apart} told apart", count(tried.len(), "wrong form")), &tried);
        let notes: String = self.notes().iter().map(|text| format!("<div>{}</div>", escape::html(text))).collect();
        out += &closed(&count(self.notes().len(), "remark"), &notes);
        if let Some(fixed) = &self.fixed {
            out += &fixed_before(fixed);
        }
        out + &format!("<div style=\"opacity:.7;font-size:90%\">{}</div></div>", escape::html(&self.circumstances()))
    }

    /// What the document says, as Markdown with formulas between dollars.
    pub fn statement(&self) -> String {
        format!("**{}.** {}", markdown(&self.place), markdown(&self.says))
    }

    /// Shows the statement and the card; the notebook calls this for the last expression of a cell.
    pub fn evcxr_display(&self) {
        emit(&Bundle::new(&format!("{}. {}", self.place, self.says)).with(Mime::Markdown, &self.statement()));
        show(&self.html(), &self.text());
    }

    /// Whether the first sentence says what has to change, or what is true instead.
    fn tells_change(&self) -> bool {
        let row = self.row();
        !row.change.is_empty()
            && (row.verdict == Verdict::HoldsWithChange || row.verdict == Verdict::Fails && self.denies)
    }

    /// Of the changed form, the finding that decided as printed, or its first one.
    fn changed(&self) -> Option<&Line> {
        let mut changed = self.lines.iter().filter(|line| line.role == Role::Corrected && self.tells_change());
        changed.clone().find(|line| line.label == self.row().finding).or_else(|| changed.next())
    }

    /// What a reader has to know beside the first sentence.
    fn warnings(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let row = self.row();
        // Where the verdict is another one, the sentence does not say it.
        if !row.change.is_empty() && !self.tells_change() {
            remarks.push(format!("Change that was tried: {}", row.change));
        }
        if !row.see.is_empty() {
            remarks.push(format!("Builds on {}; checked with the slip there mended", row.see));
        }
        if !row.settled.is_empty() {
            remarks.push(format!("What would settle it: {}", row.settled));
        }
        match &self.committed {
            Committed::Differs(other) => {
                remarks.push(format!("Differs from the committed verdict: {other} at scale {}", row.scale))
            }
            Committed::Unreadable(problem) => {
                remarks.push(format!("Not compared with the committed verdict: {problem}"));
            }
            Committed::None | Committed::Same => {}
        }
        if self.preview {
            remarks.push("Preview, not written to the ledger".to_string());
        }
        remarks
    }

    fn notes(&self) -> Vec<String> {
        self.entry.notes.iter().map(|note| format!("Note: {}", note.text)).collect()
    }

    fn circumstances(&self) -> String {
        let Row { scale, seed, seconds, .. } = self.row();
        format!("seed {seed} · scale {scale} · {} s", rounded(*seconds, 3))
    }
}

impl std::fmt::Display for VerdictCard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

fn stripped(text: &str) -> &str {
    text.trim_end_matches('.')
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        // A symbol keeps its case: `f(x)`, `d = 3`.
        Some(first) if letters.clone().next().is_some_and(char::is_lowercase) => {
            first.to_uppercase().chain(letters).collect()
        }
        _ => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::entry::{decide, tests::blank};
    use super::*;
    use workbench_ground::stats::Estimate;
    use workbench_record::Scale;

    fn claim() -> Claim {
        Claim {
            id: "memory/rate".into(),
            paper: "memory".into(),
            place: "Theorem 2".into(),
            kind: "theorem".into(),
            says: "If $a<b$ & so on, the rate is 1/2.".into(),
            setup: "s".into(),
            check: "c".into(),
            reach: "r".into(),
            notebook: "memory-model".into(),
            uses: Vec::new(),
            open: String::new(),
        }
    }

    fn card(committed: Committed) -> VerdictCard {
        let measured = Estimate { value: 0.25, low: 0.24, high: 0.26, n: 9, confidence: 0.999 };
        let evidence = Evidence::of(Finding::equals("slope <printed>", 0.5, 0.02, measured))
            .misprint("half of it", vec![Finding::equals("slope", 0.25, 0.02, measured)])
            .twin(Finding::equals("flipped", -0.25, 0.02, measured))
            .note("a remark");
        let entry = decide(blank("memory/rate", Scale::Paper), &evidence).unwrap();
        VerdictCard::new(entry, &claim(), Some(&evidence), committed).unwrap()
    }

    #[test]
    fn plain_text_says_it_all() {
        let card = card(Committed::Differs(Verdict::Holds));
        let text = card.text();
        assert_eq!(card.to_string(), text);
        assert_eq!(
            text.lines().next().unwrap(),
            "≈ True, once a misprint is mended: half of it. As printed, slope <printed>: 0.250 [0.240, 0.260] (expected: 0.5 ± 0.02)."
        );
        for part in [
            "memory/rate (Theorem 2)",
            "✗ slope <printed>: 0.250 [0.240, 0.260], expected 0.5 ± 0.02 (9): contradicts",
            "✓ changed: slope",
            "wrong form: flipped",
            "rejected, as it should be",
            "Note: a remark",
            "Differs from the committed verdict: holds at scale paper",
            "seed 1 · scale paper · 0.25 s",
        ] {
            assert!(text.contains(part), "{part} not in\n{text}");
        }
        assert_eq!(text.matches("flipped").count(), 1);
        let end = "(expected 0.5 ± 0.02); with the change: half of it: 0.250 [0.240, 0.260] (expected 0.25 ± 0.02)";
        assert!(card.decided().starts_with("slope <printed>: 0.25 [") && card.decided().ends_with(end));
    }

    #[test]
    fn html_is_escaped_and_balanced() {
        let html = card(Committed::Same).html();
        assert!(html.contains("slope &lt;printed&gt;"));
        assert!(html.starts_with("<div id=\"memoryrate\" "), "{html}");
        assert!(!html.contains('$'), "no formula, which not every viewer would set: {html}");
        assert!(!html.contains("Differs"));
        let (seen, hidden) = html.split_once("<details").unwrap();
        assert!(seen.contains("changed: slope") && !seen.contains("a remark") && hidden.contains("a remark"), "{html}");
        for tag in ["div", "table", "tr", "td", "th", "span", "code", "details", "strong"] {
            let opened = html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, html.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }

    #[test]
    fn the_statement_is_markdown_with_formulas_that_no_reader_takes_for_tags() {
        let mut claim = claim();
        claim.says = "If $a_1<b_1$ & *so* on, x_1 <= 2.".into();
        let entry = Entry { row: blank("memory/rate", Scale::Paper), findings: Vec::new(), notes: Vec::new() };
        let card = VerdictCard::new(entry, &claim, None, Committed::None).unwrap();
        assert_eq!(card.statement(), r"**Theorem 2.** If $a_1< b_1$ & \*so\* on, x\_1 \<= 2.");
    }

    #[test]
    fn not_tested_gives_its_reason() {
        let entry = Entry { row: blank("memory/rate", Scale::Quick), findings: Vec::new(), notes: Vec::new() };
        let card = VerdictCard::new(entry, &claim(), None, Committed::None).unwrap();
        assert!(card.text().contains("Not tested: no reason."));
        assert!(card.html().contains("not tested"));
        assert_eq!(card.decided(), "no reason");
        assert!(card.into_preview().text().contains("not written"));
    }
}
