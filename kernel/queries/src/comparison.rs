//! The changes between two records as text.

use workbench_record::number::{rounded, shortest};

use super::changes::{At, Changes};
use super::findings::{Findings, Move, Place};
use super::fit::{self, Column};
use super::source::Source;
use workbench_base::text::count;

/// Lines of one kind that the text shows; JSON has all.
const SHOWN: usize = 20;

/// The changes as text, cut to `width` if there is one; the last line sums up.
pub fn text(a: &Source, b: &Source, changes: &Changes, width: Option<usize>) -> String {
    let mut parts = vec![format!("A  {}\nB  {}\n{}", a.title(), b.title(), how(a, b, changes))];
    let both = |at: &At, a: String, b: String| [cells(at), vec![a, b]].concat();
    let verdicts = changes.verdicts.iter().map(|c| both(&c.at, c.a.to_string(), c.b.to_string()));
    parts.extend(section("verdicts that differ", &ROWS, verdicts.collect(), usize::MAX, width));
    for (title, rows) in [("rows only in A", &changes.only_a), ("rows only in B", &changes.only_b)] {
        parts.extend(section(title, &ROWS[..3], rows.iter().map(cells).collect(), SHOWN, width));
    }
    if let Some(findings) = &changes.findings {
        parts.extend(sections(findings, width));
    }
    parts.push(summary(changes));
    parts.join("\n\n")
}

const ROWS: [Column; 5] =
    [Column::whole("claim"), Column::whole("scale"), Column::whole("seed"), Column::cut("A", 6), Column::cut("B", 6)];
const FINDINGS: [Column; 8] = [
    Column::whole("claim"),
    Column::whole("scale"),
    Column::whole("seed"),
    Column::whole("role").spare(),
    Column::cut("finding", 16),
    Column::cut("A", 8),
    Column::cut("B", 8),
    Column::whole("move"),
];

fn cells(at: &At) -> Vec<String> {
    vec![
        at.claim.clone(),
        at.scale.map_or(String::new(), |scale| scale.to_string()),
        at.seed.map_or(String::new(), |seed| seed.to_string()),
    ]
}

fn sections(findings: &Findings, width: Option<usize>) -> Vec<String> {
    let line = |place: &Place, rest: [String; 3]| {
        let about = vec![place.role.text().to_string(), place.what.clone()];
        [cells(&place.at), about, rest.to_vec()].concat()
    };
    let none = String::new;
    let outcomes = findings.outcomes.iter();
    let outcomes = outcomes.map(|c| line(&c.at, [c.a.text().into(), c.b.text().into(), none()]));
    let predictions = findings.predictions.iter();
    let predictions = predictions.map(|c| line(&c.at, [c.a.clone(), c.b.clone(), none()]));
    let moved = findings.moved.iter().map(|m| line(&m.at, [number(m.a), number(m.b), distance(m)]));
    let places = |places: &[Place]| places.iter().map(|place| line(place, [none(), none(), none()])).collect();
    let told: [(_, Vec<Vec<String>>, _); 5] = [
        ("findings whose outcome differs", outcomes.collect(), usize::MAX),
        ("findings that compare with something else", predictions.collect(), SHOWN),
        ("findings only in A", places(&findings.removed), SHOWN),
        ("findings only in B", places(&findings.added), SHOWN),
        ("findings whose number moved, the largest moves first", moved.collect(), SHOWN / 2),
    ];
    let told = told.into_iter();
    told.filter_map(|(title, lines, most)| section(title, &FINDINGS, lines, most, width)).collect()
}

/// Seven digits, more than most intervals support.
fn number(x: f64) -> String {
    let short = rounded(x, 7);
    if short.len() < shortest(x).len() { short } else { shortest(x) }
}

fn distance(moved: &Move) -> String {
    match moved.half_widths {
        Some(widths) => format!("{} half-widths", rounded(widths, 2)),
        None => format!("{} of itself", rounded(moved.relative, 2)),
    }
}

fn section(
    title: &str,
    columns: &[Column],
    mut lines: Vec<Vec<String>>,
    most: usize,
    width: Option<usize>,
) -> Option<String> {
    let all = lines.len();
    if all == 0 {
        return None;
    }
    lines.truncate(most);
    let mut text = format!("{title} ({all})\n{}", fit::table(columns, &lines, width));
    if all > most {
        text += &format!("\n... and {} more; --json has all", all - most);
    }
    Some(text)
}

/// How rows are matched, and which are not.
fn how(a: &Source, b: &Source, changes: &Changes) -> String {
    if changes.by_claim {
        let of = |source: &Source| match source.tables.rows.first() {
            Some(row) => format!("scale {}, seed {}", row.scale, row.seed),
            None => "empty".to_string(),
        };
        return format!("compared by claim only: A is of {}, B of {}", of(a), of(b));
    }
    let mut text = format!("compared by claim, scale and seed: {} in both", count(changes.compared, "row"));
    for beside in &changes.beside {
        text += &format!(
            "\nnot compared: {} only in {} at scale {} with seed {}",
            count(beside.rows, "row"),
            beside.only_in,
            beside.scale,
            beside.seed
        );
    }
    text
}

/// One line: whether they agree, and how far findings moved.
fn summary(changes: &Changes) -> String {
    let mut text = match (changes.differ(), changes.compared) {
        (false, 0) => "nothing to compare: neither has a row".to_string(),
        (false, n) => format!("no verdict differs in {}", count(n, "row")),
        (true, n) => format!(
            "verdicts: {} of {} differ, {} only in A, {} only in B",
            changes.verdicts.len(),
            n,
            count(changes.only_a.len(), "row"),
            count(changes.only_b.len(), "row")
        ),
    };
    let Some(findings) = &changes.findings else {
        return format!("{text}; findings are not compared");
    };
    text += &format!("; findings: {} same, {} moved", findings.same, findings.moved.len());
    // The list begins with the largest move in half-widths, and has exact numbers behind.
    if let Some(largest) = findings.moved.first() {
        text += &format!(" (at most {}, {})", distance(largest), largest.at.at.claim);
    }
    for (n, what) in [
        (findings.outcomes.len(), "with another outcome"),
        (findings.predictions.len(), "with another prediction"),
        (findings.added.len(), "added"),
        (findings.removed.len(), "removed"),
    ] {
        text += &format!(", {n} {what}");
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::diff::compare;
    use super::super::source::Kind;
    use super::*;
    use crate::fixtures::{record, workspace};
    use workbench_record::{Outcome, Tables, Verdict};

    pub fn source(kind: Kind, name: &str, tables: Tables) -> Source {
        Source::new(kind, name, None, tables)
    }

    #[test]
    fn the_text_ends_with_a_summary_and_shows_what_differs() {
        let (_folder, workspace) = workspace();
        let a = source(Kind::Record, "record", record(&workspace));
        let mut b = source(Kind::Run, "r2", record(&workspace));
        let same = compare(&a, &b, |_| true);
        let told = text(&a, &b, &same, None);
        assert!(told.starts_with("A  record (notebooks/results): 3 rows, 3 findings\nB  run r2: "), "{told}");
        assert!(told.contains("compared by claim, scale and seed: 3 rows in both"), "{told}");
        assert!(told.ends_with(
            "no verdict differs in 3 rows; findings: 3 same, 0 moved, 0 with another outcome, \
             0 with another prediction, 0 added, 0 removed"
        ));
        b.tables.rows[0].verdict = Verdict::Fails;
        b.tables.rows.pop();
        b.tables.findings[0].outcome = Outcome::Contradicts;
        b.tables.findings[0].measured = 1.05;
        let told = text(&a, &b, &compare(&a, &b, |_| true), Some(100));
        for part in [
            "verdicts that differ (1)",
            "m/a    quick  1     holds  fails",
            "rows only in A (1)",
            "m/b    quick  1",
            "findings whose outcome differs (1)",
            "3 half-widths",
            "verdicts: 1 of 2 differ, 1 row only in A, 0 rows only in B; findings: 1 same, 1 moved (at most 3 half-widths, m/a)",
        ] {
            assert!(told.contains(part), "{part}\n{told}");
        }
    }

    #[test]
    fn runs_of_two_seeds_and_rows_beside_are_named() {
        let (_folder, workspace) = workspace();
        let mut one = record(&workspace);
        one.rows.remove(1);
        let mut two = one.clone();
        two.rows.iter_mut().for_each(|row| row.seed = 2);
        let (a, b) = (source(Kind::Run, "r1", one), source(Kind::Run, "r2", two));
        let told = text(&a, &b, &compare(&a, &b, |_| true), None);
        assert!(told.contains("by claim only: A is of scale quick, seed 1, B of scale quick, seed 2"), "{told}");
        let all = source(Kind::Record, "record", record(&workspace));
        let told = text(&a, &all, &compare(&a, &all, |_| true), None);
        assert!(told.contains("not compared: 1 row only in B at scale quick with seed 2"), "{told}");
        let none = source(Kind::Run, "r3", Tables::default());
        let told = text(&none, &none, &compare(&none, &none, |_| true), None);
        assert!(told.contains("nothing to compare"), "{told}");
    }
}
