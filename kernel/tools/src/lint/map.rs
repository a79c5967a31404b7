//! The map of a document: every statement in its order, with its verdict and a link to its cell.
//!
//! `notebooks/maps/DOCUMENT.md` is written by hand but for the table between two marks, which is made from registry and record.

use std::path::PathBuf;

use workbench_record::{Claim, Registry, Row, Scale, Tables, Verdict, program};

const BEGIN: &str = "<!-- the map: written by `";
const END: &str = "<!-- end of the map -->";

/// A map as it stands on disk and as it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Its file, below the folder of notebooks.
    pub file: PathBuf,
    /// Its text, with the table of today.
    pub text: String,
    /// Whether that is what stands there.
    pub current: bool,
}

/// The maps of all documents; a document without a file gets one that begins with its title.
pub fn maps(registry: &Registry, tables: &Tables, read: impl Fn(&PathBuf) -> Option<String>) -> Vec<Map> {
    let papers = registry.papers().iter();
    papers
        .map(|paper| {
            let file = PathBuf::from("maps").join(format!("{}.md", paper.id));
            let found = read(&file);
            let old = found.clone().unwrap_or_else(|| format!("# {}\n", paper.title));
            let claims = registry.claims().iter().filter(|claim| claim.paper == paper.id);
            let text = with_table(&old, &table(claims, tables));
            Map { current: found.as_ref() == Some(&text), file, text }
        })
        .collect()
}

/// The text with this table between the marks; at its end where it has none.
fn with_table(text: &str, table: &str) -> String {
    let made = format!("{BEGIN}{} lint notebooks --write` -->\n\n{table}\n{END}", program());
    match (text.find(BEGIN), text.find(END)) {
        (Some(begin), Some(end)) if begin < end => {
            format!("{}{made}{}", &text[..begin], &text[end + END.len()..])
        }
        _ => format!("{}\n\n{made}\n", text.trim_end()),
    }
}

fn table<'a>(claims: impl Iterator<Item = &'a Claim>, tables: &Tables) -> String {
    let mut out = String::from("| place | verdict | claim | notebook |\n| --- | --- | --- | --- |\n");
    for claim in claims {
        let row = shown(&claim.id, tables);
        let name = claim.id.split_once('/').map_or(claim.id.as_str(), |(_, name)| name);
        let name = match row {
            Some(row) if !row.cell.is_empty() => {
                format!("[{name}](../{}.ipynb#cell-id={})", row.notebook, row.cell)
            }
            _ => name.to_string(),
        };
        let notebook = match row {
            Some(row) => format!("[{0}](../{0}.ipynb)", row.notebook),
            None => "none yet".to_string(),
        };
        let place = claim.place.replace('|', "\\|");
        out += &format!("| {place} | {} | {name} | {notebook} |\n", verdict(row));
    }
    out
}

/// The row that speaks for a claim: the paper's scale before the quick one, the first seed before others.
fn shown<'a>(claim: &str, tables: &'a Tables) -> Option<&'a Row> {
    let rows = tables.rows.iter().filter(|row| row.claim == claim);
    rows.min_by_key(|row| (row.scale != Scale::Paper, row.seed))
}

fn verdict(row: Option<&Row>) -> String {
    match row {
        None => "open".to_string(),
        Some(row) => match (row.verdict, row.kind) {
            (Verdict::HoldsWithChange, Some(kind)) => format!("with a change: {kind}"),
            (Verdict::HoldsWithChange, None) => "with a change".to_string(),
            (verdict, kind) => verdict.word(kind).to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_record::Kind;

    #[test]
    fn the_table_stands_between_its_marks_and_the_rest_stays() {
        const MARK: &str = "<!-- the map: written by `cargo workbench lint notebooks --write` -->";
        let old = format!("# A\n\nWritten by hand.\n\n{BEGIN}workbench` -->\nold\n{END}\n\n## Questions\n");
        let new = with_table(&old, "| new |\n");
        assert_eq!(new, format!("# A\n\nWritten by hand.\n\n{MARK}\n\n| new |\n\n{END}\n\n## Questions\n"));
        assert_eq!(with_table(&new, "| new |\n"), new);
        assert!(with_table("# B\n", "| t |\n").ends_with(&format!("# B\n\n{MARK}\n\n| t |\n\n{END}\n")));
    }

    #[test]
    fn a_row_of_the_paper_s_scale_speaks_for_its_claim() {
        let row = |scale, verdict, kind| Row {
            verdict,
            kind,
            notebook: "n".into(),
            cell: "c".into(),
            ..Row::blank("m/a", scale, 1)
        };
        let tables = Tables {
            rows: vec![
                row(Scale::Quick, Verdict::Fails, None),
                row(Scale::Paper, Verdict::HoldsWithChange, Some(Kind::Misprint)),
            ],
            ..Tables::default()
        };
        assert_eq!(verdict(shown("m/a", &tables)), "with a change: misprint");
        assert_eq!(verdict(shown("m/b", &tables)), "open");
    }
}
