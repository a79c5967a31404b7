//! `cargo workbench diff`: what changed between two records.

use clap::Args;
use serde::Serialize;
use workbench_record::{Registry, Row, Tables};

use super::changes::Changes;
use super::comparison::text;
use super::source::Source;
use super::{chosen, fit, print_json};
use workbench_base::error::Result;
use workbench_setup::paths::Workspace;

/// Options of `diff`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "The exit status is 0 if no verdict differs and neither misses a row that the other has at a scale \
                        and seed that both have, else 1. Findings and their numbers do not change it."
)]
pub struct DiffArgs {
    /// `record`, a run or the beginning of its id, a folder with tables, or a git revision
    #[arg(value_name = "A")]
    pub a: String,
    /// What to compare it with, one of the same
    #[arg(value_name = "B")]
    pub b: String,
    /// Only claims whose id matches
    #[arg(value_name = "GLOB")]
    pub claims: Option<String>,
    /// Print one object with all changes
    #[arg(long)]
    pub json: bool,
}

/// Prints what changed from A to B; the exit status is 0 if verdicts and rows agree, 1 if not.
///
/// # Errors
/// If A or B is none of what can be compared, a table is corrupt, or no claim matches the pattern.
pub fn command(args: &DiffArgs) -> Result<i32> {
    let workspace = Workspace::find()?;
    let a = Source::find(&args.a, "A", &workspace)?;
    let b = Source::find(&args.b, "B", &workspace)?;
    let changes = match &args.claims {
        None => compare(&a, &b, |_| true),
        Some(pattern) => {
            let ids = matching(pattern, &workspace, &[&a.tables, &b.tables])?;
            compare(&a, &b, |row| ids.contains(&row.claim))
        }
    };
    if args.json {
        print_json(&json(&a, &b, &changes))?;
    } else {
        println!("{}", text(&a, &b, &changes, fit::terminal()));
    }
    Ok(i32::from(changes.differ()))
}

pub(super) fn compare(a: &Source, b: &Source, keep: impl Fn(&Row) -> bool) -> Changes {
    let findings = a.no_findings.is_none() && b.no_findings.is_none();
    Changes::between(&a.tables, &b.tables, keep, findings)
}

/// The claims that a pattern means: those of today's registry, and one of exactly this id that it no longer has.
fn matching(pattern: &str, workspace: &Workspace, tables: &[&Tables]) -> Result<std::collections::HashSet<String>> {
    let once = tables.iter().flat_map(|tables| &tables.rows).any(|row| row.claim == pattern);
    let registry = Registry::read(&workspace.notebooks().join("claims.toml"))?;
    match chosen(&registry, &[pattern.to_string()]) {
        Err(_) if once => Ok([pattern.to_string()].into()),
        found => Ok(found?.into_iter().flatten().map(str::to_string).collect()),
    }
}

#[derive(Serialize)]
struct Side<'a> {
    name: &'a str,
    kind: &'static str,
    rows: usize,
    findings: usize,
    no_findings: Option<&'a str>,
}

impl<'a> From<&'a Source> for Side<'a> {
    fn from(source: &'a Source) -> Side<'a> {
        Side {
            name: &source.name,
            kind: source.kind.word(),
            rows: source.tables.rows.len(),
            findings: source.tables.findings.len(),
            no_findings: source.no_findings.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    a: Side<'a>,
    b: Side<'a>,
    differ: bool,
    #[serde(flatten)]
    changes: &'a Changes,
}

fn json<'a>(a: &'a Source, b: &'a Source, changes: &'a Changes) -> Report<'a> {
    Report { a: a.into(), b: b.into(), differ: changes.differ(), changes }
}

#[cfg(test)]
mod tests {
    use super::super::comparison::tests::source;
    use super::super::older;
    use super::super::source::Kind;
    use super::*;
    use crate::fixtures::{record, save, workspace};
    use workbench_record::Scale;

    #[test]
    fn long_lists_are_cut_in_text_and_whole_in_json() {
        let (_folder, workspace) = workspace();
        let rows = (1..=30).map(|seed| Row::blank(&format!("m/{seed:02}"), Scale::Quick, 1));
        let a = Tables { rows: rows.collect(), ..Tables::default() };
        let (a, b) = (source(Kind::Record, "record", a), source(Kind::Run, "r1", record(&workspace)));
        let changes = compare(&a, &b, |_| true);
        let told = text(&a, &b, &changes, None);
        assert!(told.contains("rows only in A (30)") && told.contains("... and 10 more; --json has all"), "{told}");
        let object = serde_json::to_value(json(&a, &b, &changes)).unwrap();
        assert_eq!(object["only_a"].as_array().unwrap().len(), 30);
        assert_eq!((&object["differ"], &object["a"]["kind"]), (&true.into(), &"record".into()));
        assert_eq!(object["findings"]["same"], 0);
    }

    #[test]
    fn a_record_without_findings_says_so() {
        let (_folder, workspace) = workspace();
        let old = "claim,verdict,seed,scale\nm/a,holds,1,quick\n";
        let file = |name: &str| Ok((name == "ledger.csv").then(|| old.as_bytes().to_vec()));
        let read = older::read::<workbench_record::Error>(std::path::Path::new("x"), file).unwrap();
        let mut a = source(Kind::Revision, "v1", read.tables);
        a.no_findings = read.no_findings;
        let b = source(Kind::Record, "record", record(&workspace));
        let changes = compare(&a, &b, |row| row.claim == "m/a");
        assert!(!changes.differ());
        let told = text(&a, &b, &changes, None);
        assert!(told.contains("1 row, no findings: it is from before") && told.ends_with("findings are not compared"));
    }

    #[test]
    fn a_pattern_may_be_the_id_of_a_claim_that_is_gone() {
        let (_folder, workspace) = workspace();
        let mut tables = record(&workspace);
        tables.rows.push(Row::blank("m/gone", Scale::Quick, 1));
        save(&workspace.results(), &tables);
        let ids = |pattern: &str| matching(pattern, &workspace, &[&tables]);
        assert_eq!(ids("m/gone").unwrap().len(), 1);
        assert_eq!(ids("m/[ab]").unwrap().len(), 2);
        assert!(ids("m/nothing*").unwrap_err().to_string().contains("m/nothing*"));
    }
}
