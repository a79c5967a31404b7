//! The table of claims: what each document says, what was found, and where nothing was found, why.

use polars::prelude::{DataFrame, NamedFrom, Series};
use serde::Serialize;
use workbench_record::{Claim, FindingLine, Line, Registry, Row, Scale, Tables, Verdict, number, number_of_change};

use crate::Error;

/// Columns of `claims.csv` and `claims.parquet`.
pub(super) const COLUMNS: [&str; 11] =
    ["id", "place", "statement", "verdict", "kind", "finding", "number", "right", "scale", "seed", "reason"];

/// What a claim says and what was found. Fields stand in the order of [`COLUMNS`]; what there is not is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct ClaimLine {
    pub(super) id: String,
    pub(super) place: String,
    pub(super) statement: String,
    #[serde(serialize_with = "word")]
    pub(super) verdict: Option<Verdict>,
    pub(super) kind: String,
    /// Label of the finding that decided.
    pub(super) finding: String,
    /// What was measured beside what was expected.
    pub(super) number: String,
    /// Of a claim that does not hold as printed, the finding for the changed form, with its number.
    pub(super) right: String,
    pub(super) scale: String,
    pub(super) seed: Option<u64>,
    /// The verdict as tables say it: of what is inconclusive, which of the two it is; `open` where there is none.
    #[serde(skip)]
    pub(super) said: &'static str,
    /// Why there is no verdict; of a verdict, what had to change, and whether seeds differ.
    pub(super) reason: String,
}

fn word<S: serde::Serializer>(verdict: &Option<Verdict>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(verdict.map_or("", Verdict::text))
}

/// The lines of one document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Section {
    pub(super) title: String,
    pub(super) lines: Vec<ClaimLine>,
}

/// The whole table, by document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claims {
    pub(super) sections: Vec<Section>,
}

impl Claims {
    /// One line for each claim of the registry, in its order, then one for each claim that only the ledger knows.
    pub(super) fn of(tables: &Tables, registry: &Registry) -> Claims {
        let mut sections: Vec<Section> = Vec::new();
        for paper in registry.papers() {
            let claims = registry.claims().iter().filter(|claim| claim.paper == paper.id);
            sections.push(Section {
                title: paper.title.clone(),
                lines: claims.map(|claim| line(&claim.id, Some(claim), tables)).collect(),
            });
        }
        let mut own: Vec<&str> = Vec::new();
        for row in &tables.rows {
            if registry.position(&row.claim).is_none() && !own.contains(&row.claim.as_str()) {
                own.push(&row.claim);
            }
        }
        sections.push(Section {
            title: "Claims outside the registry".to_string(),
            lines: own.into_iter().map(|id| line(id, None, tables)).collect(),
        });
        sections.retain(|section| !section.lines.is_empty());
        Claims { sections }
    }

    /// All lines, in order.
    pub(super) fn lines(&self) -> impl Iterator<Item = &ClaimLine> {
        self.sections.iter().flat_map(|section| &section.lines)
    }

    /// The table as CSV.
    ///
    /// # Errors
    /// [`Error::Table`].
    pub(super) fn csv(&self) -> Result<Vec<u8>, Error> {
        let failed = |problem: String| Error::Table { operation: "writing claims.csv", problem };
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        writer.write_record(COLUMNS).map_err(|cause| failed(cause.to_string()))?;
        for line in self.lines() {
            writer.serialize(line).map_err(|cause| failed(cause.to_string()))?;
        }
        writer.into_inner().map_err(|cause| failed(cause.to_string()))
    }

    /// The table as a frame: text, and `u64` for the seed.
    ///
    /// # Errors
    /// [`Error::Table`] if polars refuses the columns.
    pub(super) fn frame(&self) -> Result<DataFrame, Error> {
        let text = |name: &str, of: fn(&ClaimLine) -> &str| {
            let values: Vec<&str> = self.lines().map(of).collect();
            Series::new(name.into(), values).into()
        };
        let seeds: Vec<Option<u64>> = self.lines().map(|line| line.seed).collect();
        let columns = vec![
            text("id", |line| &line.id),
            text("place", |line| &line.place),
            text("statement", |line| &line.statement),
            text("verdict", |line| line.verdict.map_or("", Verdict::text)),
            text("kind", |line| &line.kind),
            text("finding", |line| &line.finding),
            text("number", |line| &line.number),
            text("right", |line| &line.right),
            text("scale", |line| &line.scale),
            Series::new("seed".into(), seeds).into(),
            text("reason", |line| &line.reason),
        ];
        DataFrame::new(self.lines().count(), columns)
            .map_err(|cause| Error::Table { operation: "building the table of claims", problem: cause.to_string() })
    }
}

/// `12 claims: 8 holds, 1 fails, 3 open`.
pub(super) fn counts<'a>(lines: impl Iterator<Item = &'a ClaimLine>) -> String {
    // What has no verdict comes last.
    let order = |line: &ClaimLine| (line.verdict.is_none(), line.verdict, line.said);
    let mut words: Vec<_> = lines.map(order).collect();
    words.sort();
    let counted: Vec<String> =
        words.chunk_by(|a, b| a == b).map(|same| format!("{} {}", same.len(), same[0].2)).collect();
    let all = match words.len() {
        0 => return "No claims".to_string(),
        1 => "1 claim".to_string(),
        many => format!("{many} claims"),
    };
    format!("{all}: {}", counted.join(", "))
}

/// The line of a claim, from the row at paper scale before quick, with the smallest seed.
fn line(id: &str, claim: Option<&Claim>, tables: &Tables) -> ClaimLine {
    let rows: Vec<&Row> = tables.rows.iter().filter(|row| row.claim == id).collect();
    let row = rows.iter().copied().min_by_key(|row| (row.scale != Scale::Paper, row.seed));
    let mut line = ClaimLine { id: id.to_string(), said: "open", ..ClaimLine::default() };
    if let Some(claim) = claim {
        line.place = claim.place.clone();
        line.statement = claim.says.clone();
        line.kind = claim.kind.clone();
        line.reason = match claim.open.as_str() {
            "" => format!("not computed yet: run notebook {}", claim.notebook),
            why => why.to_string(),
        };
    }
    if let Some(row) = row {
        if claim.is_none() {
            line.statement = row.note.clone();
        }
        line.verdict = Some(row.verdict);
        line.said = match row.verdict {
            Verdict::Inconclusive => row.verdict.word(row.kind),
            verdict => verdict.text(),
        };
        line.finding = row.finding.clone();
        line.number = number(row);
        line.right = right(row, tables);
        line.scale = row.scale.text().to_string();
        line.seed = Some(row.seed);
        line.reason = reason(row, claim.is_some(), &rows);
    }
    line
}

/// `-0.51 [-0.53, -0.49], expected -0.5 ± 0.05`; the exact numbers are in `ledger.csv`.
fn number(row: &Row) -> String {
    let words: Vec<String> = row.expected.split(' ').map(short).collect();
    let measured = match (row.measured, row.low, row.high) {
        // An interval that six digits do not show is a point here.
        (Some(value), Some(low), Some(high)) if number::digits_for(value, low, high) > 6 => number::rounded(value, 6),
        _ => row.measured_text(),
    };
    match (measured, words.join(" ").as_str()) {
        (measured, "") => measured,
        (measured, expected) if measured.is_empty() => format!("expected {expected}"),
        (measured, expected) => format!("{measured}, expected {expected}"),
    }
}

/// `slope with 1/2: -0.25 [-0.26, -0.24]`: what answers the number of the printed form; nothing of a claim that holds as printed.
fn right(row: &Row, tables: &Tables) -> String {
    let lines: Vec<&FindingLine> = tables.findings.iter().filter(|line| line.key() == row.key()).collect();
    number_of_change(row, &lines).map_or(String::new(), |line| {
        format!("{}: {}", line.what, number::with_interval(line.measured, line.low, line.high))
    })
}

/// A word, with few digits if it is a number.
fn short(word: &str) -> String {
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() && number::rounded(x, 6).len() < word.len() => number::rounded(x, 6),
        _ => word.to_string(),
    }
}

fn reason(row: &Row, registered: bool, rows: &[&Row]) -> String {
    let mut parts = Vec::new();
    if row.verdict == Verdict::NotTested && registered {
        parts.push(match row.note.as_str() {
            "" => "the check gives no reason".to_string(),
            why => why.to_string(),
        });
    }
    if !row.change.is_empty() {
        parts.push(match row.kind {
            Some(kind) => format!("change ({kind}): {}", row.change),
            None if row.verdict == Verdict::Fails => format!("instead: {}", row.change),
            None => format!("change: {}", row.change),
        });
    }
    if !row.see.is_empty() {
        parts.push(format!("see {}", row.see));
    }
    if !row.settled.is_empty() {
        parts.push(format!("settled by {}", row.settled));
    }
    let mut seeds: Vec<&&Row> = rows.iter().filter(|other| other.scale == row.scale).collect();
    seeds.sort_by_key(|other| other.seed);
    if seeds.iter().any(|other| other.verdict != row.verdict) {
        let each: Vec<String> = seeds.iter().map(|other| format!("{} with {}", other.verdict, other.seed)).collect();
        parts.push(format!("differs between seeds: {}", each.join(", ")));
    }
    parts.join("; ")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::path::Path;

    const REGISTRY: &str = r#"
[[paper]]
id = "m"
title = "A memory: 100 % of $E_0$"
[[paper]]
id = "empty"
title = "Nothing yet"
[[claim]]
id = "m/rate_1"
paper = "m"
where = "Theorem 2 & 3"
kind = "theorem"
says = 'For $|x|<1$ the rate is $\frac{1}{2}$.'
setup = "Not given."
check = "Fit it."
reach = "cpu-seconds"
notebook = "memory-model"
[[claim]]
id = "m/later"
paper = "m"
where = "Lemma 1"
kind = "lemma"
says = "It costs $5, or #6."
setup = "Not given."
check = "Fit it."
reach = "cpu-seconds"
notebook = "memory-model"
[[claim]]
id = "m/open"
paper = "m"
where = "Figure 4"
kind = "figure"
says = "It falls."
setup = "Not given."
check = "Fit it."
reach = "gpu"
notebook = "memory-later"
open = "needs 1e9 steps | an α-stable law"
"#;

    pub(in super::super) fn registry() -> Registry {
        Registry::parse(REGISTRY, Path::new("claims.toml")).unwrap()
    }

    fn row(claim: &str, scale: Scale, seed: u64, verdict: Verdict) -> Row {
        Row {
            verdict,
            expected: "-0.5 ± 0.05".into(),
            measured: Some(-0.51234),
            low: Some(-0.53),
            high: Some(-0.49),
            finding: "slope of the error".into(),
            ..Row::blank(claim, scale, seed)
        }
    }

    /// A claim with four rows, one without a row, an open one, and one that the registry does not know.
    pub(in super::super) fn table() -> Claims {
        let mut own = Row::blank("own-1", Scale::Quick, 1);
        own.note = "What I say of a*b.".into();
        let tables = Tables {
            rows: vec![
                row("m/rate_1", Scale::Quick, 1, Verdict::Fails),
                row("m/rate_1", Scale::Paper, 3, Verdict::Fails),
                row("m/rate_1", Scale::Paper, 2, Verdict::Holds),
                own,
            ],
            ..Tables::default()
        };
        Claims::of(&tables, &registry())
    }

    #[test]
    fn paper_before_quick_then_the_smallest_seed() {
        let claims = table();
        let line = &claims.sections[0].lines[0];
        assert_eq!((line.scale.as_str(), line.seed, line.verdict), ("paper", Some(2), Some(Verdict::Holds)));
        assert_eq!(line.number, "-0.5123 [-0.53, -0.49], expected -0.5 ± 0.05");
        assert_eq!(line.reason, "differs between seeds: holds with 2, fails with 3");
        assert_eq!(line.statement, registry().claims()[0].says);
    }

    #[test]
    fn numbers_have_few_digits() {
        let mut long = row("m/rate_1", Scale::Quick, 1, Verdict::Holds);
        long.expected = "at most 7.136238463529791e-6 of 1024 ± 0.05".into();
        let expected = "expected at most 7.13624e-6 of 1024 ± 0.05";
        assert_eq!(number(&long), format!("-0.5123 [-0.53, -0.49], {expected}"));
        (long.low, long.high) = (Some(-0.512340001), Some(-0.512339999));
        assert!(number(&long).starts_with("-0.51234, expected"), "{}", number(&long));
    }

    #[test]
    fn what_has_no_verdict_says_why() {
        let claims = table();
        let reasons: Vec<&str> = claims.lines().map(|line| line.reason.as_str()).collect();
        assert_eq!(reasons[1], "not computed yet: run notebook memory-model");
        assert_eq!(reasons[2], "needs 1e9 steps | an α-stable law");
        let mut untested = Row::blank("m/later", Scale::Quick, 1);
        for (note, reason) in [("no such data", "no such data"), ("", "the check gives no reason")] {
            untested.note = note.into();
            let tables = Tables { rows: vec![untested.clone()], ..Tables::default() };
            let line = line("m/later", Some(&registry().claims()[1]), &tables);
            assert_eq!((line.verdict, line.reason.as_str()), (Some(Verdict::NotTested), reason));
        }
    }

    #[test]
    fn a_change_is_told_with_its_verdict() {
        let mut changed = row("m/rate_1", Scale::Quick, 1, Verdict::HoldsWithChange);
        changed.change = "a factor 1/2 is missing".into();
        assert_eq!(reason(&changed, true, &[&changed]), "change: a factor 1/2 is missing");
    }

    #[test]
    fn a_claim_that_does_not_hold_as_printed_has_both_numbers() {
        use crate::{Evidence, Finding};
        let evidence = Evidence::of(Finding::identity("gap with 2", 0.5, 0.1))
            .corrected("2 should read 3", vec![Finding::identity("gap with 3", 1e-14, 0.1)]);
        let row = crate::entry::decide(crate::entry::tests::blank("m/rate_1", Scale::Paper), &evidence).unwrap();
        let mut tables = Tables::default();
        tables.put([row]);
        let claims = Claims::of(&tables, &registry());
        let line = &claims.sections[0].lines[0];
        assert_eq!(
            (line.number.as_str(), line.right.as_str()),
            ("0.5, expected error at most 0.1", "gap with 3: 1e-14")
        );
        let page = super::super::markdown::page(&claims);
        assert!(page.contains("gap with 2: 0.5, expected error at most 0.1; right: gap with 3: 1e-14"), "{page}");
        let bytes = claims.csv().unwrap();
        assert!(String::from_utf8_lossy(&bytes).contains(",gap with 3: 1e-14,paper,"));
    }

    #[test]
    fn claims_of_ones_own_come_last_and_stand_alone_without_a_registry() {
        let claims = table();
        assert_eq!(claims.sections.len(), 2, "a document without claims has no section");
        let own = claims.lines().last().unwrap();
        assert_eq!((own.id.as_str(), own.statement.as_str()), ("own-1", "What I say of a*b."));
        assert_eq!(counts(claims.lines()), "4 claims: 1 holds, 1 not tested, 2 open");
        assert_eq!(counts(Claims::of(&Tables::default(), &Registry::empty()).lines()), "No claims");
    }

    #[test]
    fn csv_and_frame_hold_the_same() {
        let claims = table();
        let bytes = claims.csv().unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        assert_eq!(reader.headers().unwrap(), &csv::StringRecord::from(COLUMNS.to_vec()));
        let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!((records.len(), &records[1][9], &records[0][9]), (4, "", "2"));
        let frame = claims.frame().unwrap();
        let names: Vec<&str> = frame.get_column_names().into_iter().map(|name| name.as_str()).collect();
        assert_eq!(names, COLUMNS);
        for column in ["id", "statement", "verdict", "reason"] {
            let at = COLUMNS.iter().position(|name| *name == column).unwrap();
            let values = frame.column(column).unwrap().str().unwrap();
            for (place, record) in records.iter().enumerate() {
                assert_eq!(values.get(place), Some(&record[at]));
            }
        }
        assert_eq!(frame.column("seed").unwrap().u64().unwrap().null_count(), 2);
    }
}
