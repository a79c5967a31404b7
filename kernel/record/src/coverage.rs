//! Coverage of each document by checks.

use super::registry::Registry;
use super::row::Row;
use super::{Scale, Verdict};

/// The coverage of one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaperCoverage {
    /// Paper id.
    pub paper: String,
    /// Registered claims.
    pub total: usize,
    /// Claims with each verdict, in the order of [`Verdict::ALL`].
    pub verdicts: [usize; 5],
    /// Claims without a row.
    pub open: usize,
}

/// The coverage of all documents, with a last line for the sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// One entry per paper in the order of the registry, then `all`.
    pub papers: Vec<PaperCoverage>,
}

impl Coverage {
    /// Counts claims by their verdict at `scale`, of the smallest seed; without a scale a paper-scale row goes before a quick one.
    pub fn of(registry: &Registry, rows: &[Row], scale: Option<Scale>) -> Coverage {
        let verdict = |claim: &str| {
            rows.iter()
                .filter(|r| r.claim == claim && scale.is_none_or(|s| s == r.scale))
                .max_by_key(|r| (r.scale, std::cmp::Reverse(r.seed)))
                .map(|r| r.verdict)
        };
        let line = |name: &str, all: bool| {
            let mut line = PaperCoverage { paper: name.to_string(), total: 0, verdicts: [0; 5], open: 0 };
            for claim in registry.claims().iter().filter(|c| all || c.paper == name) {
                line.total += 1;
                match verdict(&claim.id) {
                    Some(verdict) => line.verdicts[verdict as usize] += 1,
                    None => line.open += 1,
                }
            }
            line
        };
        let mut papers: Vec<PaperCoverage> = registry.papers().iter().map(|p| line(&p.id, false)).collect();
        papers.push(line("all", true));
        Coverage { papers }
    }

    /// The table as plain text.
    pub fn text(&self) -> String {
        let mut table = vec![header()];
        for line in &self.papers {
            let mut cells = vec![line.paper.clone(), line.total.to_string()];
            cells.extend(line.verdicts.iter().map(usize::to_string));
            cells.push(line.open.to_string());
            table.push(cells);
        }
        let widths: Vec<usize> = (0..8).map(|c| table.iter().map(|r| r[c].len()).max().unwrap_or(0)).collect();
        let mut out = String::new();
        for cells in table {
            let texts: Vec<String> = cells
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(c, (text, w))| if c == 0 { format!("{text:w$}") } else { format!("{text:>w$}") })
                .collect();
            out += texts.join("  ").trim_end();
            out.push('\n');
        }
        out
    }
}

fn header() -> Vec<String> {
    let mut names = vec!["paper".to_string(), "claims".to_string()];
    names.extend(Verdict::ALL.iter().map(Verdict::to_string));
    names.push("not yet".to_string());
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn counts_by_paper_and_prefers_the_papers_own_scale() {
        let mut text = String::new();
        for paper in ["m", "f"] {
            text += &format!("[[paper]]\nid = \"{paper}\"\ntitle = \"T\"\n");
        }
        for id in ["m/a", "m/b", "f/a"] {
            text += &format!(
                "[[claim]]\nid = \"{id}\"\npaper = \"{}\"\nwhere = \"w\"\nkind = \"lemma\"\nsays = \"s\"\n\
                 setup = \"s\"\ncheck = \"c\"\nreach = \"gpu\"\nnotebook = \"n\"\n",
                &id[..1]
            );
        }
        let registry = Registry::parse(&text, Path::new("claims.toml")).unwrap();
        let mut paper = Row::blank("m/a", Scale::Paper, 1);
        paper.verdict = Verdict::Fails;
        let mut quick = Row::blank("m/a", Scale::Quick, 1);
        quick.verdict = Verdict::Holds;
        let rows = [paper, quick, Row::blank("f/a", Scale::Quick, 1)];
        let coverage = Coverage::of(&registry, &rows, None);
        assert_eq!(coverage.papers[0].verdicts, [0, 0, 1, 0, 0]);
        assert_eq!(coverage.papers[0].open, 1);
        assert_eq!(coverage.papers[2].total, 3);
        assert_eq!(coverage.papers[2].verdicts, [0, 0, 1, 0, 1]);
        let coverage = Coverage::of(&registry, &rows, Some(Scale::Quick));
        assert_eq!(coverage.papers[0].verdicts, [1, 0, 0, 0, 0]);
        let text = coverage.text();
        assert_eq!(text.lines().count(), 4);
        assert!(text.lines().next().unwrap().ends_with("not tested  not yet"));
    }
}
