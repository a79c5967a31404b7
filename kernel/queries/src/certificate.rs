//! Certificate: which verdicts, from which numbers, computed by whom from what, and what it leaves out.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use workbench_record::number::with_interval;
use workbench_record::table::{Key, Line};
use workbench_record::{Family, FindingLine, Row, Scale, Verdict, number_of_change, program};

use super::findings::by_key;
use super::groups::{Group, groups};
use super::list::reason;
use super::origin::{Origin, again, origins};
use super::page::{self, Block, Text};
use super::present::{Present, runs};
use super::seal::Seal;
use super::source::{Kind, Source};
use workbench_base::text::{agree, count};

/// Title of the page.
pub const TITLE: &str = "Certificate of verdicts";

/// What is to be certified.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The record or the run.
    pub source: &'a Source,
    /// Registry, notebooks and sources of today.
    pub present: &'a Present,
    /// Only rows of this scale.
    pub scale: Option<Scale>,
    /// Only these claims.
    pub claims: Option<&'a HashSet<&'a str>>,
    /// The pattern that they were chosen by.
    pub pattern: Option<&'a str>,
    /// Who certifies.
    pub by: Option<&'a str>,
}

/// A certificate before it is written.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// What it says.
    pub blocks: Vec<Block>,
    /// What it covers.
    pub seal: Seal,
    /// Rows that it leaves out because they are stale.
    pub stale: usize,
    /// Rows that it covers whose findings are in no table.
    pub bare: usize,
}

impl Certificate {
    /// Writes down what the source says today.
    ///
    /// # Errors
    /// If there is no row that could be certified, as a sentence that says what to run.
    pub fn new(order: &Order) -> Result<Certificate, String> {
        let Order { source, present, .. } = *order;
        let runs = runs(&source.tables);
        let asked = |row: &Row| {
            order.scale.is_none_or(|scale| scale == row.scale)
                && order.claims.is_none_or(|claims| claims.contains(row.claim.as_str()))
        };
        let asked: Vec<&Row> = source.tables.rows.iter().filter(|row| asked(row)).collect();
        let (stale, fresh): (Vec<&Row>, Vec<&Row>) = asked.iter().partition(|row| present.stale(row).is_some());
        if fresh.is_empty() {
            return Err(match (stale.len(), order.scale) {
                (0, None) => format!("it has no row to certify; run `{} run` first", program()),
                (0, Some(scale)) => {
                    format!("it has no row of scale {scale} to certify; run `{} run --scale {scale}` first", program())
                }
                (n, _) => format!(
                    "its {} {} stale, so there is nothing to certify; `{program} list --stale` says why, \
                     `{program} run` computes them again",
                    count(n, "row"),
                    agree(n, "is", "are"),
                    program = program()
                ),
            });
        }
        let of = if source.kind == Kind::Record { source.kind.word() } else { &source.name };
        let findings = by_key(&source.tables.findings);
        let seal = Seal::new(of, &fresh, &findings);
        let origins = origins(&fresh, &runs);
        let bare = source.tables.bare().iter().filter(|row| fresh.contains(row)).count();
        let mut blocks = warnings(source, &stale, &origins);
        if bare > 0 {
            blocks.push(Block::Warning(format!(
                "The findings of {} are in no table: of these the verdict is known, and not all that it rests on.",
                count(bare, "row")
            )));
        }
        blocks.push(Block::Words(
            "A verdict is what a check found when it compared a claim with numbers that were computed. It is no proof. The \
             digest below changes with every number, interval and verdict that this page covers, and not with the time that \
             a run took."
                .to_string(),
        ));
        blocks.push(Block::Facts(facts(order, &seal, &fresh)));
        blocks.extend([verdicts(&fresh), documents(order, &fresh)]);
        blocks.extend(left_out(order, &stale));
        blocks.extend(without_verdict(order, &asked));
        blocks.push(Block::Heading("Where it was computed".to_string()));
        origins.iter().for_each(|origin| blocks.extend(origin.blocks(present)));
        blocks.push(Block::Heading("How to check it".to_string()));
        blocks.extend(again(&origins, present, order.pattern, &source.knobs));
        blocks.push(Block::Heading("Claims".to_string()));
        blocks.push(claims(source, present, &fresh));
        Ok(Certificate { blocks, seal, stale: stale.len(), bare })
    }
}

fn warnings(source: &Source, stale: &[&Row], origins: &[Origin]) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !source.knobs.is_empty() {
        let knobs: Vec<String> = source.knobs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        blocks.push(Block::Warning(format!(
            "This run did not compute what the notebooks say, but the same with other values: {}.",
            knobs.join(", ")
        )));
    }
    if source.cut_off {
        blocks.push(Block::Warning(
            "This run did not come to its end. What it did not reach has no verdict here.".to_string(),
        ));
    }
    if !stale.is_empty() {
        blocks.push(Block::Warning(format!(
            "This certificate does not cover {} of {}: the statement or the check has changed since the numbers were computed. \
             They are listed under \"Not certified\".",
            count(stale.len(), "row"),
            count(distinct(stale), "claim")
        )));
    }
    if origins.iter().any(|origin| origin.run.is_some_and(|run| run.dirty)) {
        blocks.push(Block::Warning(
            "Some of it was computed from sources that differ from the commit they name, so others cannot run exactly the same."
                .to_string(),
        ));
    }
    if origins.iter().any(|origin| origin.run.is_none()) {
        blocks.push(Block::Warning("Of some rows the record does not say who computed them from what.".to_string()));
    }
    blocks
}

fn distinct(rows: &[&Row]) -> usize {
    rows.iter().map(|row| row.claim.as_str()).collect::<HashSet<_>>().len()
}

fn facts(order: &Order, seal: &Seal, rows: &[&Row]) -> Vec<(&'static str, Text)> {
    let mut facts = Vec::new();
    if let Some(by) = order.by {
        facts.push(("Certified by", Text::plain(by)));
    }
    facts.push(match order.source.kind {
        Kind::Run => ("Run", Text::code(&order.source.name)),
        _ => ("Record", Text::code("notebooks/results")),
    });
    if let Some(pattern) = order.pattern {
        facts.push(("Claims chosen by", Text::code(pattern)));
    }
    let claims = count(distinct(rows), "claim");
    let covered = format!("{claims}, {}, {}", count(rows.len(), "row"), count(seal.findings, "finding"));
    facts.push(("Covers", Text::plain(covered)));
    let mut seeds: BTreeMap<Scale, BTreeSet<u64>> = BTreeMap::new();
    for row in rows {
        seeds.entry(row.scale).or_default().insert(row.seed);
    }
    let told = seeds.iter().map(|(scale, seeds)| {
        let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
        format!("scale {scale} with seed {}", seeds.join(", "))
    });
    facts.push(("Scales and seeds", Text::plain(told.collect::<Vec<_>>().join("; "))));
    // Part of a record is no family.
    if order.pattern.is_none() {
        for family in Family::all(&order.source.tables.findings) {
            facts.push(("All findings together", Text::plain(family.text())));
        }
    }
    facts.push(("SHA-256", Text::code(&seal.digest)));
    facts
}

/// What a page says of its rows, and these do not: a claim with another verdict or number, another count of verdicts.
pub fn falsified(page: &str, source: &Source, covered: &HashSet<Key>) -> Vec<String> {
    let is_covered = |row: &Row| covered.contains(&row.key());
    let findings = by_key(&source.tables.findings);
    let claims = groups(&source.tables.rows, is_covered).into_iter().map(|group| {
        let told = told(&group, &findings);
        (Text::code(&group.first.claim), told.to_vec(), group.first.claim.clone())
    });
    let rows: Vec<&Row> = source.tables.rows.iter().filter(|row| is_covered(row)).collect();
    let counts = counts(&rows).map(|(verdict, numbers)| {
        let name = format!("the number of claims with the verdict \"{verdict}\"");
        (Text::plain(verdict.text()), numbers.to_vec(), name)
    });
    let wrong = claims.chain(counts).filter(|(name, cells, _)| !page::has_row(page, name, cells));
    wrong.map(|(_, _, what)| format!("{what}: the page itself says something else")).collect()
}

/// Each verdict with its claims and its rows.
fn counts(rows: &[&Row]) -> impl Iterator<Item = (Verdict, [Text; 2])> {
    Verdict::ALL.into_iter().map(|verdict| {
        let ours: Vec<&Row> = rows.iter().filter(|row| row.verdict == verdict).copied().collect();
        (verdict, [distinct(&ours), ours.len()].map(|n| Text::plain(n.to_string())))
    })
}

fn verdicts(rows: &[&Row]) -> Block {
    let lines = counts(rows).map(|(verdict, numbers)| [vec![Text::plain(verdict.text())], numbers.to_vec()].concat());
    Block::Table {
        caption: "Verdicts (a claim counts once for each verdict that it has at some scale and seed)".to_string(),
        columns: vec!["verdict", "claims", "rows"],
        rows: lines.collect(),
    }
}

fn documents(order: &Order, rows: &[&Row]) -> Block {
    let registry = &order.present.registry;
    let has: HashSet<&str> = rows.iter().map(|row| row.claim.as_str()).collect();
    let lines = registry.papers().iter().filter_map(|paper| {
        let claims = registry.claims().iter().filter(|claim| claim.paper == paper.id);
        let (mut all, mut covered) = (0, 0);
        for claim in claims {
            all += 1;
            covered += usize::from(has.contains(claim.id.as_str()));
        }
        let numbers = [covered, all].map(|n: usize| Text::plain(n.to_string()));
        (covered > 0).then(|| [vec![Text::plain(&paper.title)], numbers.to_vec()].concat())
    });
    Block::Table {
        caption: "Documents".to_string(),
        columns: vec!["document", "claims certified", "claims registered"],
        rows: lines.collect(),
    }
}

/// Rows that say nothing any more about today's statement or check.
fn left_out(order: &Order, stale: &[&Row]) -> Vec<Block> {
    if stale.is_empty() {
        return Vec::new();
    }
    let Order { source, present, .. } = *order;
    let line = |group: &Group| {
        let row = group.first;
        let why = group.remarks(|row| present.stale(row).map(|why| why.to_string()));
        vec![
            Text::code(&row.claim),
            Text::plain(present.place(&row.claim)),
            Text::plain(row.scale.text()),
            Text::plain(group.seeds()),
            Text::plain(why.join("; ")),
        ]
    };
    vec![
        Block::Heading("Not certified".to_string()),
        Block::Table {
            caption: "Rows that are stale".to_string(),
            columns: vec!["claim", "place", "scale", "seed", "why"],
            rows: grouped(source, present, stale).iter().map(line).collect(),
        },
    ]
}

/// These rows, seeds that agree together, in the order of the registry.
fn grouped<'a>(source: &'a Source, present: &Present, rows: &[&Row]) -> Vec<Group<'a>> {
    let keys: HashSet<*const Row> = rows.iter().map(|row| std::ptr::from_ref(*row)).collect();
    let mut groups = groups(&source.tables.rows, |row| keys.contains(&std::ptr::from_ref(row)));
    groups.sort_by_key(|group| present.position(&group.first.claim));
    groups
}

/// Claims that have no row, and claims whose row says that nothing was tested. Of a run, only those of notebooks that it ran.
fn without_verdict(order: &Order, asked: &[&Row]) -> Vec<Block> {
    let Order { source, present, .. } = *order;
    let notebooks: HashSet<&str> = source.tables.rows.iter().map(|row| row.notebook.as_str()).collect();
    let has: HashSet<&str> = asked.iter().map(|row| row.claim.as_str()).collect();
    let known: HashSet<&str> = source.tables.rows.iter().map(|row| row.claim.as_str()).collect();
    let untested: HashMap<&str, &str> = asked
        .iter()
        .filter(|row| row.verdict == Verdict::NotTested && present.stale(row).is_none())
        .map(|row| (row.claim.as_str(), row.note.as_str()))
        .collect();
    let (mut lines, mut elsewhere) = (Vec::new(), 0);
    for claim in present.registry.claims() {
        let id = claim.id.as_str();
        if order.claims.is_some_and(|claims| !claims.contains(id)) {
            continue;
        }
        let why = match untested.get(id) {
            Some(why) => why.to_string(),
            None if has.contains(id) => continue,
            None if source.kind == Kind::Run && !notebooks.contains(claim.notebook.as_str()) => {
                elsewhere += 1;
                continue;
            }
            None => reason(claim, known.contains(id), order.scale, None, present),
        };
        lines.push(vec![Text::code(id), Text::plain(&claim.place), Text::plain(why)]);
    }
    let mut blocks = Vec::new();
    if !lines.is_empty() || elsewhere > 0 {
        blocks.push(Block::Heading("Claims without a verdict".to_string()));
    }
    if !lines.is_empty() {
        blocks.push(Block::Table {
            caption: "Nothing is said about these".to_string(),
            columns: vec!["claim", "place", "why"],
            rows: lines,
        });
    }
    if elsewhere > 0 {
        let claims = count(elsewhere, "claim");
        blocks.push(Block::Words(format!("{claims} of notebooks that this run did not run.")));
    }
    blocks
}

/// All claims with their verdicts; seeds that agree stand on one line, with the number of the first.
fn claims(source: &Source, present: &Present, fresh: &[&Row]) -> Block {
    let findings = by_key(&source.tables.findings);
    let line = |group: &Group| {
        let claim = &group.first.claim;
        let runs: BTreeSet<&str> = group.rows.iter().map(|row| row.run.as_str()).collect();
        let runs = Text::code(runs.into_iter().collect::<Vec<_>>().join(" "));
        let head = vec![Text::code(claim), Text::plain(present.place(claim))];
        [head, told(group, &findings).to_vec(), vec![runs]].concat()
    };
    Block::Table {
        caption: "Claims with the number that decided, at the first seed, and its interval".to_string(),
        columns: vec!["claim", "place", "verdict", "measured", "expected", "what is right", "scale", "seed", "run"],
        rows: grouped(source, present, fresh).iter().map(line).collect(),
    }
}

/// Verdict, number and what is right of seeds that agree, at which scale.
fn told(group: &Group, findings: &HashMap<Key, Vec<&FindingLine>>) -> [Text; 6] {
    let row = group.first;
    let split = if group.split { " (seeds differ)" } else { "" };
    [
        format!("{}{split}", row.verdict),
        row.measured_text(),
        row.expected.clone(),
        right(row, findings),
        row.scale.to_string(),
        group.seeds(),
    ]
    .map(Text::Plain)
}

/// What had to change for a claim to hold, or holds instead, and the number of the changed form. Nothing of a claim that holds as printed.
fn right(row: &Row, findings: &HashMap<Key, Vec<&FindingLine>>) -> String {
    let lines = findings.get(&row.key()).map_or(&[][..], Vec::as_slice);
    match number_of_change(row, lines) {
        Some(line) => {
            format!("{}; {}: {}", row.change, line.what, with_interval(line.measured, line.low, line.high))
        }
        None => row.change.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{finding, record, workspace};
    use workbench_record::{Outcome, Role};

    #[test]
    fn what_is_right_stands_beside_its_number() {
        let (_folder, workspace) = workspace();
        let mut row = record(&workspace).rows.remove(0);
        let corrected = |what: &str, measured| FindingLine { role: Role::Corrected, ..finding(&row, what, measured) };
        let printed = FindingLine { outcome: Outcome::Contradicts, ..finding(&row, "slope", 2.0) };
        let lines = [printed, corrected("another", 5.0), corrected("slope", 3.0)];
        assert_eq!(right(&row, &by_key(&lines)), "", "it holds as printed");
        row.change = "2 should read 3".into();
        assert_eq!(right(&row, &by_key(&lines)), "2 should read 3; slope: 3 [2.99, 3.01]");
        assert_eq!(right(&row, &by_key(&lines[..2])), "2 should read 3; another: 5 [4.99, 5.01]");
        assert_eq!(right(&row, &by_key(&lines[..1])), "2 should read 3");
    }
}
