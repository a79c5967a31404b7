//! Numbers in prose that name their finding: `[1.9](#memformer/theorem-3-1 "part of the finding's label")`.
//!
//! The words in quotes occur in one finding of the claim; `n:`, `low:`, `high:` or `expected:` before them ask for another of its
//! numbers than the measured one. The numbers are those of the paper's scale, from the first seed.

use std::ops::Range;

use workbench_record::{FindingLine, Registry, Role, Scale, Tables, Verdict};

use crate::numeral::{Numeral, SPELLINGS};

/// A link to a claim in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it stands.
    pub whole: Range<usize>,
    /// Where its text stands.
    pub text: Range<usize>,
    /// The claim.
    pub claim: String,
    /// The words of a finding; empty if the link is to the claim only.
    pub words: String,
}

impl Link {
    /// Which of a claim's findings its words mean, by place: those whose label they are, else those that have them in it.
    pub fn meant(&self, lines: &[&FindingLine]) -> Vec<usize> {
        let (_, words) = part(&self.words);
        let fitting = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
            (0..lines.len()).filter(|at| fits(&lines[*at].what)).collect()
        };
        let exact = fitting(&|what| what == words);
        match words.is_empty() || !exact.is_empty() {
            true => exact,
            false => fitting(&|what| what.contains(words)),
        }
    }
}

/// The links to claims in a text, in order.
pub fn links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    for (middle, _) in text.match_indices("](#") {
        let Some(open) = text[..middle].rfind('[') else {
            continue;
        };
        let target = &text[middle + 3..];
        let Some(end) = target.find([')', '\n', '"']) else {
            continue;
        };
        let claim = target[..end].trim_end();
        if !claim.contains('/') || claim.contains(' ') {
            continue;
        }
        let rest = &target[end..];
        let (words, length) = match rest.strip_prefix('"').and_then(|rest| rest.split_once("\")")) {
            Some((words, _)) => (words, words.len() + "\"\")".len()),
            None => ("", rest.find(')').map_or(0, |at| at + 1)),
        };
        found.push(Link {
            whole: open..middle + 3 + end + length,
            text: open + 1..middle,
            claim: claim.to_string(),
            words: words.to_string(),
        });
    }
    found
}

/// Whether a link stands inside a formula: behind an odd number of dollar signs of its paragraph, those in code not counted.
pub fn is_in_formula(text: &str, link: &Link) -> bool {
    let paragraph = text[..link.whole.start].rsplit("\n\n").next().unwrap_or_default();
    let outside_code = paragraph.split('`').step_by(2);
    let signs = outside_code.map(|part| part.replace("\\$", "").replace("$$", "$").matches('$').count());
    signs.sum::<usize>() % 2 == 1
}

/// A text with the words of its links to claims in their place, for paper: there is nothing to follow.
pub fn as_on_paper(text: &str) -> String {
    let plain = links(text).into_iter().map(|link| (link.whole, text[link.text].to_string()));
    rewritten(text, &plain.collect::<Vec<_>>())
}

/// What a link's text should say.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// What it says.
    Right,
    /// Something else: the text that the record gives.
    Wrong(String),
    /// Nobody knows, for this reason.
    Unknown(String),
}

/// Holds a link's text to the record.
pub fn told(link: &Link, text: &str, registry: &Registry, tables: &Tables) -> Told {
    let claim = match registry.get(&link.claim) {
        Ok(claim) => claim,
        Err(why) => return Told::Unknown(why.to_string()),
    };
    if link.words.is_empty() {
        return match Numeral::read(text) {
            None => Told::Right,
            Some(_) => Told::Unknown(format!(
                "the link of {text} names no finding, so that nobody holds it to the record; write `[{text}](#{} \"words of a finding\")`",
                claim.id
            )),
        };
    }
    let of_claim: Vec<&FindingLine> = tables
        .findings
        .iter()
        .filter(|line| line.claim == claim.id && line.scale == Scale::Paper && line.seed == 1)
        .collect();
    let (what, words) = part(&link.words);
    let mut fitting: Vec<&FindingLine> = Vec::new();
    for line in link.meant(&of_claim).into_iter().map(|at| of_claim[at]) {
        // What is stated of both forms stands twice, with the same words and numbers.
        let numbers = |line: &FindingLine| (line.measured, line.low, line.high, line.n);
        if !fitting.iter().any(|old| old.what == line.what && numbers(old) == numbers(line)) {
            fitting.push(line);
        }
    }
    let [line] = fitting[..] else {
        return Told::Unknown(why_not_one(words, &claim.id, &fitting, &of_claim, tables));
    };
    let Some(measured) = what.of(line) else {
        return Told::Unknown(format!(
            "the finding \"{}\" has no such number: it measured {}",
            line.what, line.measured
        ));
    };
    match Numeral::read(text) {
        None => Told::Unknown(format!(
            "`{text}` is no number; the record has {measured}; numbers are written as {SPELLINGS}"
        )),
        Some(numeral) if numeral.is(measured) => Told::Right,
        Some(numeral) => Told::Wrong(numeral.write(measured)),
    }
}

fn why_not_one(words: &str, claim: &str, fitting: &[&FindingLine], all: &[&FindingLine], tables: &Tables) -> String {
    if all.is_empty() {
        let untested = |row: &workbench_record::Row| row.claim == claim && row.verdict == Verdict::NotTested;
        return match tables.rows.iter().any(untested) {
            true => format!("`{claim}` is not tested, so it has no findings"),
            false => format!("the record has no findings of `{claim}` at scale paper with seed 1; run it"),
        };
    }
    let label = |line: &FindingLine| match line.role {
        Role::Printed => format!("\"{}\"", line.what),
        role => format!("\"{}\" ({})", line.what, role.text()),
    };
    let (said, lines): (&str, Vec<String>) = match fitting.is_empty() {
        true => ("no finding", all.iter().map(|line| label(line)).collect()),
        false => ("more than one finding", fitting.iter().map(|line| label(line)).collect()),
    };
    format!("{said} of `{claim}` has the words \"{words}\": {}", lines.join(", "))
}

/// Which number of a finding a link asks for.
#[derive(Clone, Copy)]
enum Part {
    Measured,
    Low,
    High,
    Expected,
    Count,
    /// The size of a measured number below zero: words such as "ahead by" carry the sign.
    Less,
}

impl Part {
    fn of(self, line: &FindingLine) -> Option<f64> {
        match self {
            Part::Measured => Some(line.measured),
            Part::Low => Some(line.low),
            Part::High => Some(line.high),
            Part::Count => Some(line.n as f64),
            Part::Less => (line.measured < 0.0).then_some(-line.measured),
            Part::Expected => match (line.expected_low, line.expected_high) {
                (Some(low), Some(high)) => Some(0.5 * (low + high)),
                (one, other) => one.or(other),
            },
        }
    }
}

fn part(words: &str) -> (Part, &str) {
    for (name, part) in [
        ("n:", Part::Count),
        ("low:", Part::Low),
        ("high:", Part::High),
        ("expected:", Part::Expected),
        ("less:", Part::Less),
    ] {
        if let Some(rest) = words.strip_prefix(name) {
            return (part, rest.trim_start());
        }
    }
    (Part::Measured, words)
}

/// A text with other words in the places of its links.
pub fn rewritten(text: &str, changes: &[(Range<usize>, String)]) -> String {
    let mut out = String::new();
    let mut from = 0;
    for (place, words) in changes {
        out += &text[from..place.start];
        out += words;
        from = place.end;
    }
    out + &text[from..]
}

#[cfg(test)]
mod tests {
    use workbench_record::Outcome;

    use super::*;
    use crate::fixtures::two_claims as registry;

    const TEXT: &str = "All [0](#m/a \"labels\") of [624](#m/a \"n: labels\") agree, as in [the notes](other.ipynb#x/y), \
                        and [Theorem 2](#m/b) says; the ratio is [1.7](#m/a \"ratio\").";

    #[test]
    fn on_paper_links_to_claims_are_their_words() {
        assert_eq!(
            as_on_paper(TEXT),
            "All 0 of 624 agree, as in [the notes](other.ipynb#x/y), and Theorem 2 says; the ratio is 1.7."
        );
        assert_eq!(as_on_paper("[99.4 %](#m/a \"part (of)\")!"), "99.4 %!");
    }

    fn tables() -> Tables {
        let line = |what: &str, measured: f64, n: u64| FindingLine {
            claim: "m/a".into(),
            scale: Scale::Paper,
            seed: 1,
            role: Role::Printed,
            what: what.into(),
            relation: "at most".into(),
            expected_low: None,
            expected_high: Some(2.5),
            measured,
            low: measured - 0.1,
            high: measured + 0.1,
            n,
            unit: String::new(),
            outcome: Outcome::Supports,
        };
        Tables {
            findings: vec![
                line("labels that differ", 0.0, 624),
                line("ratio of losses", 1.9, 10),
                line("ratio of losses, shuffled", 3.0, 10),
                line("ratio", 1.74, 10),
                line("gap, ours minus theirs", -0.62, 10),
            ],
            ..Tables::default()
        }
    }

    #[test]
    fn links_to_claims_are_found_with_their_words() {
        let found = links(TEXT);
        let said: Vec<(&str, &str, &str)> =
            found.iter().map(|link| (&TEXT[link.text.clone()], link.claim.as_str(), link.words.as_str())).collect();
        assert_eq!(
            said,
            [("0", "m/a", "labels"), ("624", "m/a", "n: labels"), ("Theorem 2", "m/b", ""), ("1.7", "m/a", "ratio"),]
        );
    }

    #[test]
    fn a_number_is_held_to_its_finding() {
        let (registry, tables) = (registry(), tables());
        let ask = |text: &str, claim: &str, words: &str| {
            let link = Link { whole: 0..0, text: 0..0, claim: claim.into(), words: words.into() };
            told(&link, text, &registry, &tables)
        };
        for link in links(TEXT) {
            assert_eq!(told(&link, &TEXT[link.text.clone()], &registry, &tables), Told::Right, "{link:?}");
        }
        assert_eq!(ask("1.8", "m/a", "ratio"), Told::Wrong("1.7".into()), "the exact label goes first");
        assert_eq!(ask("1.9", "m/a", "low: ratio of losses, s"), Told::Wrong("2.9".into()));
        assert_eq!(ask("2.5", "m/a", "expected: labels"), Told::Right);
        assert_eq!(ask("0.62", "m/a", "less: gap"), Told::Right, "the words carry the sign");
        assert_eq!(ask("0.7", "m/a", "less: gap"), Told::Wrong("0.6".into()));
        assert!(matches!(ask("1.9", "m/a", "less: ratio of losses, s"), Told::Unknown(_)), "and must not lie");
        for (text, claim, words, part) in [
            ("1", "m/c", "x", "claim `m/c` is not in the registry"),
            ("1", "m/a", "", "the link of 1 names no finding"),
            ("1", "m/b", "x", "no findings of `m/b`"),
            ("1", "m/a", "x", "no finding of `m/a` has the words \"x\": \"labels that differ\""),
            ("1", "m/a", "losses", "more than one finding"),
            ("a few", "m/a", "labels", "`a few` is no number; the record has 0"),
        ] {
            match ask(text, claim, words) {
                Told::Unknown(why) => assert!(why.contains(part), "{why}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn texts_are_rewritten_in_place() {
        let places: Vec<Range<usize>> = links(TEXT).into_iter().map(|link| link.text).collect();
        let changes = [(places[0].clone(), "3".to_string()), (places[3].clone(), "1.75".to_string())];
        let text = rewritten(TEXT, &changes);
        assert!(text.starts_with("All [3](#m/a") && text.ends_with("is [1.75](#m/a \"ratio\")."), "{text}");
    }
}
