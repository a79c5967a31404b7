//! The closing table of a notebook: what was decided, what is still open.

use polars::prelude::DataFrame;
use workbench_record::number::{brief, rounded, typeset};
use workbench_record::{Registry, Row, Scale, Verdict};

use super::Error;
use super::frame::verdicts;
use super::show::{Side, badge, mark, show, table};
use workbench_display::escape;

/// The rows of one notebook at one scale and seed, and its claims without a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    notebook: String,
    scale: Scale,
    rows: Vec<Row>,
    open: Vec<(String, String)>,
}

impl Summary {
    pub(crate) fn new(notebook: &str, scale: Scale, seed: u64, rows: Vec<Row>, registry: &Registry) -> Summary {
        let rows: Vec<Row> =
            rows.into_iter().filter(|r| r.notebook == notebook && r.scale == scale && r.seed == seed).collect();
        let open = registry
            .of_notebook(notebook)
            .iter()
            .filter(|c| !rows.iter().any(|r| r.claim == c.id))
            .map(|c| (c.id.clone(), c.place.clone()))
            .collect();
        Summary { notebook: notebook.to_string(), scale, rows, open }
    }

    /// The rows, in the order of the registry.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The ids of the notebook's claims that have no row yet.
    pub fn open(&self) -> Vec<String> {
        self.open.iter().map(|(id, _)| id.clone()).collect()
    }

    /// How many rows carry a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|r| r.verdict == verdict).count()
    }

    /// The rows as a polars frame with the columns of `ledger.csv`.
    ///
    /// # Errors
    /// [`Error::Table`] if polars refuses the columns.
    pub fn to_frame(&self) -> Result<DataFrame, Error> {
        verdicts(&self.rows)
    }

    /// One line: how many claims, how many with each verdict, how many open.
    pub fn headline(&self) -> String {
        let mut parts: Vec<String> =
            Verdict::ALL.into_iter().filter(|v| self.count(*v) > 0).map(|v| format!("{} {v}", self.count(v))).collect();
        if !self.open.is_empty() {
            parts.push(format!("{} open", self.open.len()));
        }
        if parts.is_empty() {
            parts.push("no claims".to_string());
        }
        format!("{}, scale {}: {}", self.notebook, self.scale, parts.join(", "))
    }

    /// The table as plain text.
    pub fn text(&self) -> String {
        let width = |f: fn(&Row) -> usize| self.rows.iter().map(f).max().unwrap_or(0);
        let claim = width(|r| r.claim.chars().count());
        let verdict = width(|r| r.verdict.text().len());
        let mut out = self.headline();
        for row in &self.rows {
            out += &format!("\n{} {:claim$}  {:verdict$}  {}", mark(row.verdict), row.claim, row.verdict, numbers(row));
        }
        for (id, place) in &self.open {
            out += &format!("\n· {id:claim$}  open  {place}");
        }
        out
    }

    /// The table as HTML with inline styles; it reads without them too.
    pub fn html(&self) -> String {
        let columns = [
            ("claim", Side::Left),
            ("verdict", Side::Left),
            ("measured", Side::Right),
            ("expected", Side::Left),
            ("n", Side::Right),
            ("seconds (s)", Side::Right),
        ];
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| {
                vec![
                    format!("<code>{}</code>", escape::html(&row.claim)),
                    badge(row),
                    escape::html(&typeset(&brief(&row.measured_text()))),
                    escape::html(&typeset(&brief(&row.expected))),
                    row.n.map_or(String::new(), |n| n.to_string()),
                    rounded(row.seconds, 3),
                ]
            })
            .collect();
        let mut out = format!("<div>{}</div>", escape::html(&self.headline()));
        if !rows.is_empty() {
            out += &table(&self.headline(), &columns, &rows);
        }
        if !self.open.is_empty() {
            out += "<div>Open:</div><ul>";
            for (id, place) in &self.open {
                out += &format!("<li><code>{}</code> · {}</li>", escape::html(id), escape::html(place));
            }
            out += "</ul>";
        }
        out
    }

    /// Shows the table; the notebook calls this for the last expression of a cell.
    pub fn evcxr_display(&self) {
        show(&self.html(), &self.text());
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

fn numbers(row: &Row) -> String {
    if row.verdict == Verdict::NotTested {
        return row.note.clone();
    }
    typeset(&brief(&format!("{}, expected {}", row.measured_text(), row.expected)))
}

#[cfg(test)]
mod tests {
    use super::super::entry::tests::blank;
    use super::*;
    use std::path::Path;

    fn registry() -> Registry {
        let mut text = "[[paper]]\nid = \"m\"\ntitle = \"M\"\n".to_string();
        for id in ["m/a", "m/b"] {
            text += &format!(
                "[[claim]]\nid = \"{id}\"\npaper = \"m\"\nwhere = \"Lemma 3\"\nkind = \"lemma\"\nsays = \"s\"\n\
                 setup = \"s\"\ncheck = \"c\"\nreach = \"gpu\"\nnotebook = \"memory-model\"\n"
            );
        }
        Registry::parse(&text, Path::new("claims.toml")).unwrap()
    }

    #[test]
    fn counts_rows_of_this_notebook_and_scale_and_lists_the_rest() {
        let mut elsewhere = blank("m/b", Scale::Quick);
        elsewhere.notebook = "other".to_string();
        let mut other_seed = blank("m/b", Scale::Quick);
        other_seed.seed = 2;
        let rows = vec![blank("m/a", Scale::Quick), blank("m/b", Scale::Paper), elsewhere, other_seed];
        let summary = Summary::new("memory-model", Scale::Quick, 1, rows, &registry());
        assert_eq!(summary.rows().len(), 1);
        assert_eq!(summary.open(), ["m/b"]);
        assert_eq!(summary.headline(), "memory-model, scale quick: 1 not tested, 1 open");
        assert!(summary.text().contains("– m/a  not tested  no reason"));
        assert!(summary.text().contains("· m/b  open  Lemma 3"));
        assert!(summary.html().contains("<li><code>m/b</code>"));
        assert_eq!(summary.to_frame().unwrap().shape(), (1, 21));
    }

    #[test]
    fn an_empty_notebook_says_so() {
        let summary = Summary::new("tour", Scale::Quick, 1, Vec::new(), &registry());
        assert_eq!(summary.to_string(), "tour, scale quick: no claims");
        assert_eq!(summary.to_frame().unwrap().shape(), (0, 21));
    }
}
