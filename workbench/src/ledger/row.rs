//! One line of `ledger.csv`.

use super::evidence::Evidence;
use super::finding::Finding;
use super::number::shortest;
use super::{Error, Scale, Verdict};

/// The columns of `ledger.csv`, in order.
pub const COLUMNS: [&str; 15] = [
    "claim", "verdict", "expected", "measured", "low", "high", "n", "seed", "scale", "seconds", "notebook", "cell",
    "finding", "change", "note",
];

/// One line of the ledger: a claim at a scale, its verdict and the numbers behind it.
///
/// `expected`, `measured`, `low`, `high` and `n` belong to the finding that decided the verdict;
/// `finding` lists all of them with their numbers and outcomes, the deciding one first.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Claim id.
    pub claim: String,
    /// The derived verdict.
    pub verdict: Verdict,
    /// The prediction with its tolerance, in words; empty if not tested.
    pub expected: String,
    /// The estimate.
    pub measured: Option<f64>,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end of its interval.
    pub high: Option<f64>,
    /// Independent units behind it.
    pub n: Option<u64>,
    /// Seed of the random streams.
    pub seed: u64,
    /// Scale of the run.
    pub scale: Scale,
    /// Wall-clock seconds from the start of the cell.
    pub seconds: f64,
    /// Notebook, without extension.
    pub notebook: String,
    /// Cell id, empty where the kernel does not name cells.
    pub cell: String,
    /// The findings on the printed form.
    pub finding: String,
    /// What had to change, with the findings on the changed form.
    pub change: String,
    /// Remarks, wrong twins, or why the claim was not tested.
    pub note: String,
}

impl Row {
    /// Fills verdict, numbers and texts of `self` from evidence.
    pub(crate) fn decide(mut self, evidence: &Evidence) -> Result<Row, Error> {
        self.verdict = evidence.verdict()?;
        let deciding = evidence.deciding()?;
        let measured = deciding.measured();
        self.expected = deciding.expected_text();
        self.measured = Some(measured.value);
        self.low = Some(measured.low);
        self.high = Some(measured.high);
        self.n = Some(measured.n);
        let others = evidence.printed.iter().filter(|f| !std::ptr::eq(*f, deciding));
        self.finding = sentences(std::iter::once(deciding).chain(others))?;
        if let Some((change, findings)) = evidence.changes.first() {
            self.change = one_line(&format!("{change}: {}", sentences(findings.iter())?));
        }
        let mut notes = evidence.notes.clone();
        if !evidence.twins.is_empty() {
            notes.push(format!("wrong twin: {}", sentences(evidence.twins.iter())?));
        }
        self.note = one_line(&notes.join("; "));
        Ok(self)
    }

    /// The fields as text, in the order of [`COLUMNS`]. Numbers read back bit for bit.
    pub fn fields(&self) -> [String; 15] {
        let number = |x: Option<f64>| x.map_or(String::new(), shortest);
        [
            self.claim.clone(),
            self.verdict.to_string(),
            self.expected.clone(),
            number(self.measured),
            number(self.low),
            number(self.high),
            self.n.map_or(String::new(), |n| n.to_string()),
            self.seed.to_string(),
            self.scale.to_string(),
            shortest(self.seconds),
            self.notebook.clone(),
            self.cell.clone(),
            self.finding.clone(),
            self.change.clone(),
            self.note.clone(),
        ]
    }

    /// Reads fields written by [`Row::fields`]; the error says which column is wrong and how.
    pub(crate) fn from_fields(fields: &[&str]) -> Result<Row, String> {
        let [
            claim,
            verdict,
            expected,
            measured,
            low,
            high,
            n,
            seed,
            scale,
            seconds,
            notebook,
            cell,
            finding,
            change,
            note,
        ] = fields
        else {
            return Err(format!("{} fields where {} are due", fields.len(), COLUMNS.len()));
        };
        if claim.is_empty() {
            return Err("column `claim` is empty".to_string());
        }
        Ok(Row {
            claim: claim.to_string(),
            verdict: verdict.parse()?,
            expected: expected.to_string(),
            measured: optional("measured", measured)?,
            low: optional("low", low)?,
            high: optional("high", high)?,
            n: match *n {
                "" => None,
                text => Some(whole("n", text)?),
            },
            seed: whole("seed", seed)?,
            scale: scale.parse()?,
            seconds: optional("seconds", seconds)?.ok_or("column `seconds` is empty")?,
            notebook: notebook.to_string(),
            cell: cell.to_string(),
            finding: finding.to_string(),
            change: change.to_string(),
            note: note.to_string(),
        })
    }
}

/// `label: measured 1.5 [1.4, 1.6], expected 1.5 ± 0.2, supports; ...`
fn sentences<'a>(findings: impl Iterator<Item = &'a Finding>) -> Result<String, Error> {
    let mut parts = Vec::new();
    for finding in findings {
        parts.push(format!(
            "{}: measured {}, expected {}, {}",
            finding.label(),
            finding.measured_text(),
            finding.expected_text(),
            finding.outcome()?.text()
        ));
    }
    Ok(one_line(&parts.join("; ")))
}

/// Runs of white space become one space, so that a row stays on one line of the file.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn optional(column: &str, text: &str) -> Result<Option<f64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(Some(x)),
        _ => Err(format!("column `{column}`: `{text}` is not a finite number")),
    }
}

fn whole(column: &str, text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("column `{column}`: `{text}` is not a whole number"))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::stats::Estimate;

    /// A row of a claim, for tests.
    pub(crate) fn blank(claim: &str, scale: Scale) -> Row {
        Row {
            claim: claim.to_string(),
            verdict: Verdict::NotTested,
            expected: String::new(),
            measured: None,
            low: None,
            high: None,
            n: None,
            seed: 1,
            scale,
            seconds: 0.25,
            notebook: "memory-model".to_string(),
            cell: "c1".to_string(),
            finding: String::new(),
            change: String::new(),
            note: "no reason".to_string(),
        }
    }

    #[test]
    fn fields_read_back() {
        let estimate = Estimate {
            value: 0.1 + 0.2,
            low: 1e-300,
            high: 2.0 / 3.0,
            n: 12,
            confidence: 0.999,
        };
        let evidence = Evidence::of(Finding::at_most("a \"quoted\",\nlabel", 1.0, estimate))
            .and(Finding::identity("b", 0.0, 1e-12))
            .note("one")
            .note("two");
        let row = blank("memory/rate", Scale::Paper).decide(&evidence).unwrap();
        let fields = row.fields();
        let back: Vec<&str> = fields.iter().map(String::as_str).collect();
        assert_eq!(Row::from_fields(&back).unwrap(), row);
        assert_eq!(row.note, "one; two");
        assert!(!row.finding.contains('\n'));
        assert!(
            row.finding
                .contains("b: measured 0, expected error at most 1e-12, supports")
        );
    }

    #[test]
    fn both_numbers_of_a_correction_are_in_the_row() {
        let quarter = Estimate {
            value: 0.25,
            low: 0.24,
            high: 0.26,
            n: 9,
            confidence: 0.999,
        };
        let evidence = Evidence::of(Finding::equals("printed", 0.5, 0.02, quarter)).corrected(
            "a factor 1/2 is missing",
            vec![Finding::equals("corrected", 0.25, 0.02, quarter)],
        );
        let row = blank("memory/rate", Scale::Quick).decide(&evidence).unwrap();
        assert_eq!(row.verdict, Verdict::HoldsWithChange);
        assert_eq!(row.expected, "0.5 ± 0.02");
        assert_eq!(
            row.change,
            "a factor 1/2 is missing: corrected: measured 0.25 [0.24, 0.26], expected 0.25 ± 0.02, supports"
        );
    }

    #[test]
    fn a_wrong_field_is_named() {
        let good = blank("memory/rate", Scale::Quick).fields();
        for (column, text, part) in [
            (0, "", "claim"),
            (1, "maybe", "verdict"),
            (3, "NaN", "measured"),
            (4, "inf", "low"),
            (6, "1.5", "`n`"),
            (7, "", "seed"),
            (8, "huge", "scale"),
            (9, "", "seconds"),
        ] {
            let mut fields: Vec<&str> = good.iter().map(String::as_str).collect();
            fields[column] = text;
            let error = Row::from_fields(&fields).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        assert!(Row::from_fields(&["a"]).unwrap_err().contains("15"));
    }
}
