//! Facts of each claim: its rows, its findings, what it rests on, what rests on it, and whether it stands.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use workbench_record::{Cells, Claim, FindingLine, Outcome, Registry, Role, Row, Run, Scale, Tables, Verdict};

use super::history::History;

/// A verdict, or that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// Holds as printed.
    Holds,
    /// Holds with a stated change.
    Changed,
    /// Fails.
    Fails,
    /// The intervals are too wide.
    Inconclusive,
    /// Not tested, for a stated reason.
    NotTested,
    /// No row at all.
    Open,
}

impl Mark {
    /// All of them, in the order of tables.
    pub const ALL: [Mark; 6] =
        [Mark::Holds, Mark::Changed, Mark::Fails, Mark::Inconclusive, Mark::NotTested, Mark::Open];

    /// Of a row, if there is one.
    pub fn of(row: Option<&Row>) -> Mark {
        match row.map(|row| row.verdict) {
            None => Mark::Open,
            Some(Verdict::Holds) => Mark::Holds,
            Some(Verdict::HoldsWithChange) => Mark::Changed,
            Some(Verdict::Fails) => Mark::Fails,
            Some(Verdict::Inconclusive) => Mark::Inconclusive,
            Some(Verdict::NotTested) => Mark::NotTested,
        }
    }

    /// The letter in pictures, and the end of the name of its style.
    pub fn letter(self) -> char {
        match self {
            Mark::Holds => 'H',
            Mark::Changed => 'C',
            Mark::Fails => 'F',
            Mark::Inconclusive => 'I',
            Mark::NotTested => 'N',
            Mark::Open => 'O',
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Mark::Holds => "holds",
            Mark::Changed => "holds with a change",
            Mark::Fails => "fails",
            Mark::Inconclusive => "inconclusive",
            Mark::NotTested => "not tested",
            Mark::Open => "open",
        }
    }
}

/// Whether a claim stands: it and all that it rests on hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It and all below it hold as printed.
    Stands,
    /// It holds, and rests on these, which hold only with a change or fail.
    OnChanged(Vec<usize>),
    /// It holds, nothing below it is changed, and these below it are undecided.
    OnUndecided(Vec<usize>),
    /// It does not hold as printed itself.
    Itself,
}

/// How well a claim is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tested {
    /// At the document's scale, with the same verdict from three seeds, and a wrong form was told apart.
    Well,
    /// Less than that.
    Some(Lack),
    /// Seeds or scales have different verdicts.
    Split,
    /// Not at all.
    Not,
}

/// What a claim that is tested in part lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack {
    /// Its seeds, where they are fewer than three.
    pub seeds: Option<usize>,
    /// Whether it was tested at a smaller scale alone.
    pub scale: bool,
    /// Whether no wrong form was told apart.
    pub twin: bool,
}

/// What is known of one claim.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Its rows, the one that speaks for it first.
    pub rows: Vec<usize>,
    /// Its verdict.
    pub mark: Mark,
    /// What it rests on directly.
    pub uses: Vec<usize>,
    /// What rests on it directly.
    pub users: Vec<usize>,
    /// Whether it stands.
    pub standing: Standing,
    /// How well it is tested.
    pub tested: Tested,
    /// Why rows of it are stale, if they are.
    pub stale: Option<String>,
}

/// Everything that pages are made of; claims go by their place in the registry.
#[derive(Debug)]
pub struct Book {
    /// The registry.
    pub registry: Registry,
    /// The record.
    pub tables: Tables,
    /// The notebooks by name.
    pub notebooks: BTreeMap<String, Cells>,
    /// How rows were refereed, in words, for those that have a page on it.
    pub refereed: BTreeMap<String, String>,
    /// Which commits changed a verdict.
    pub history: History,
    facts: Vec<Facts>,
    findings: HashMap<(String, Scale, u64), Vec<usize>>,
}

impl Book {
    /// Puts together what registry, record and notebooks say. `stale` says why a row is.
    pub fn new(
        registry: Registry,
        tables: Tables,
        notebooks: BTreeMap<String, Cells>,
        stale: impl Fn(&Row) -> Option<String>,
    ) -> Book {
        let claims = registry.claims();
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); claims.len()];
        for (at, row) in tables.rows.iter().enumerate() {
            if let Some(claim) = registry.position(&row.claim) {
                rows[claim].push(at);
            }
        }
        let mut findings: HashMap<(String, Scale, u64), Vec<usize>> = HashMap::new();
        for (at, line) in tables.findings.iter().enumerate() {
            let key = (line.claim.clone(), line.scale, line.seed);
            findings.entry(key).or_default().push(at);
        }
        let mut facts: Vec<Facts> = Vec::new();
        for (claim, mut rows) in claims.iter().zip(rows) {
            rows.sort_by_key(|at| (tables.rows[*at].scale != Scale::Paper, tables.rows[*at].seed));
            let of_claim: Vec<&Row> = rows.iter().map(|at| &tables.rows[*at]).collect();
            facts.push(Facts {
                mark: Mark::of(of_claim.first().copied()),
                uses: claim.uses.iter().filter_map(|id| registry.position(id)).collect(),
                users: Vec::new(),
                standing: Standing::Itself,
                tested: tested(&of_claim, &tables.findings, &findings),
                stale: of_claim.iter().find_map(|row| stale(row)),
                rows,
            });
        }
        for claim in 0..facts.len() {
            for used in facts[claim].uses.clone() {
                facts[used].users.push(claim);
            }
        }
        let mut book = Book {
            registry,
            tables,
            notebooks,
            refereed: BTreeMap::new(),
            history: History::default(),
            facts,
            findings,
        };
        for claim in 0..book.facts.len() {
            book.facts[claim].standing = book.standing(claim);
        }
        book
    }

    /// How many claims there are.
    pub fn count(&self) -> usize {
        self.facts.len()
    }

    /// A claim as the registry has it.
    pub fn claim(&self, at: usize) -> &Claim {
        &self.registry.claims()[at]
    }

    /// What is known of it.
    pub fn facts(&self, at: usize) -> &Facts {
        &self.facts[at]
    }

    /// Its rows, the one that speaks for it first: the document's scale before the quick one, the first seed before others.
    pub fn rows(&self, at: usize) -> Vec<&Row> {
        self.facts[at].rows.iter().map(|row| &self.tables.rows[*row]).collect()
    }

    /// The row that speaks for it.
    pub fn row(&self, at: usize) -> Option<&Row> {
        self.facts[at].rows.first().map(|row| &self.tables.rows[*row])
    }

    /// The findings behind a row.
    pub fn findings(&self, row: &Row) -> Vec<&FindingLine> {
        let key = (row.claim.clone(), row.scale, row.seed);
        let lines = self.findings.get(&key).into_iter().flatten();
        lines.map(|at| &self.tables.findings[*at]).collect()
    }

    /// The run of a row, if the record has it.
    pub fn run(&self, row: &Row) -> Option<&Run> {
        self.tables.runs.iter().find(|run| run.run == row.run)
    }

    /// All claims that it rests on, however indirectly, in the registry's order.
    pub fn below(&self, at: usize) -> BTreeSet<usize> {
        self.reach(at, usize::MAX, |facts| &facts.uses)
    }

    /// All claims that rest on it, however indirectly.
    pub fn above(&self, at: usize) -> BTreeSet<usize> {
        self.reach(at, usize::MAX, |facts| &facts.users)
    }

    /// It, what it rests on and what rests on it, up to so many steps away.
    pub fn around(&self, at: usize, steps: usize) -> BTreeSet<usize> {
        let mut found = self.reach(at, steps, |facts| &facts.uses);
        found.extend(self.reach(at, steps, |facts| &facts.users));
        found.insert(at);
        found
    }

    fn reach(&self, at: usize, steps: usize, next: impl Fn(&Facts) -> &Vec<usize>) -> BTreeSet<usize> {
        let (mut found, mut front, mut step) = (BTreeSet::new(), vec![at], 0);
        while !front.is_empty() && step < steps {
            let mut further = Vec::new();
            for claim in front {
                for other in next(&self.facts[claim]) {
                    if found.insert(*other) {
                        further.push(*other);
                    }
                }
            }
            (front, step) = (further, step + 1);
        }
        found
    }

    fn standing(&self, at: usize) -> Standing {
        if self.facts[at].mark != Mark::Holds {
            return Standing::Itself;
        }
        let below = self.below(at);
        let with = |wanted: &[Mark]| -> Vec<usize> {
            let fits = |claim: &&usize| wanted.contains(&self.facts[**claim].mark);
            below.iter().filter(fits).copied().collect()
        };
        let changed = with(&[Mark::Changed, Mark::Fails]);
        if !changed.is_empty() {
            return Standing::OnChanged(changed);
        }
        match with(&[Mark::Inconclusive, Mark::NotTested, Mark::Open]) {
            none if none.is_empty() => Standing::Stands,
            undecided => Standing::OnUndecided(undecided),
        }
    }
}

fn tested(rows: &[&Row], lines: &[FindingLine], findings: &HashMap<(String, Scale, u64), Vec<usize>>) -> Tested {
    let Some(first) = rows.first() else {
        return Tested::Not;
    };
    if first.verdict == Verdict::NotTested {
        return Tested::Not;
    }
    if rows.iter().any(|row| row.verdict != first.verdict) {
        return Tested::Split;
    }
    let seeds: BTreeSet<u64> = rows.iter().map(|row| row.seed).collect();
    let told_apart = rows.iter().any(|row| {
        let key = (row.claim.clone(), row.scale, row.seed);
        let mut of_row = findings.get(&key).into_iter().flatten().map(|at| &lines[*at]);
        of_row.any(|line| line.role == Role::Twin && line.outcome == Outcome::Contradicts)
    });
    let lack = Lack {
        seeds: Some(seeds.len()).filter(|seeds| *seeds < 3),
        scale: first.scale != Scale::Paper,
        twin: !told_apart,
    };
    match lack {
        Lack { seeds: None, scale: false, twin: false } => Tested::Well,
        lack => Tested::Some(lack),
    }
}

/// The verdict of a row in the words of its card; a change by its kind.
pub fn verdict(row: Option<&Row>) -> &'static str {
    row.map_or(Mark::Open.words(), |row| row.verdict.word(row.kind))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::path::Path;
    use workbench_record::Kind;

    /// Claims `m/a` to `m/e`: `b` rests on `a`, `c` on `b`, `d` and `e` on nothing; `a` holds with a change, `e` has no row.
    pub(crate) fn book() -> Book {
        let mut text = "[[paper]]\nid = \"m\"\ntitle = \"A memory\"\n".to_string();
        for (id, kind, uses) in [
            ("a", "definition", ""),
            ("b", "theorem", "\"m/a\""),
            ("c", "figure", "\"m/b\""),
            ("d", "statement", ""),
            ("e", "bound", "\"m/d\""),
        ] {
            text += &format!(
                "[[claim]]\nid = \"m/{id}\"\npaper = \"m\"\nwhere = \"Lemma {id} <1>\"\nkind = \"{kind}\"\n\
                 says = \"$x_1<2$ & more\"\nsetup = \"none\"\ncheck = \"count\"\nreach = \"gpu\"\nnotebook = \"n\"\n\
                 uses = [{uses}]\n"
            );
        }
        let registry = Registry::parse(&text, Path::new("claims.toml")).unwrap();
        let mut tables = Tables::default();
        for (id, scale, seed, verdict) in [
            ("a", Scale::Paper, 1, Verdict::HoldsWithChange),
            ("b", Scale::Quick, 1, Verdict::Holds),
            ("b", Scale::Quick, 2, Verdict::Holds),
            ("b", Scale::Quick, 3, Verdict::Holds),
            ("b", Scale::Paper, 1, Verdict::Holds),
            ("c", Scale::Quick, 1, Verdict::Holds),
            ("d", Scale::Quick, 1, Verdict::Holds),
            ("d", Scale::Quick, 2, Verdict::Inconclusive),
        ] {
            let claim = format!("m/{id}");
            tables.rows.push(Row {
                verdict,
                kind: (verdict == Verdict::HoldsWithChange).then_some(Kind::Misprint),
                change: "the index is j".into(),
                expected: "at most 1".into(),
                measured: Some(0.5),
                low: Some(0.4),
                high: Some(0.6),
                notebook: "n".into(),
                cell: id.into(),
                finding: "slope".into(),
                run: format!("run-{seed}"),
                ..Row::blank(&claim, scale, seed)
            });
            let line = FindingLine {
                claim,
                scale,
                seed,
                role: Role::Printed,
                what: "slope <s>".into(),
                relation: "at most".into(),
                expected_low: None,
                expected_high: Some(1.0),
                measured: 0.5,
                low: 0.4,
                high: 0.6,
                n: 12_400,
                unit: "draws".into(),
                outcome: Outcome::Supports,
            };
            let twin = FindingLine {
                role: Role::Twin,
                what: "without the root".into(),
                measured: 40.0,
                low: 39.0,
                high: 41.0,
                outcome: Outcome::Contradicts,
                ..line.clone()
            };
            tables.findings.extend([line, twin]);
        }
        let cells = ["a", "b", "c", "d"].map(|id| (id.to_string(), String::new()));
        let notebooks = BTreeMap::from([("n".to_string(), Cells::new(cells.to_vec()))]);
        Book::new(registry, tables, notebooks, |_| None)
    }

    #[test]
    fn a_claim_stands_only_on_claims_that_hold() {
        let book = book();
        let standing = |at: usize| book.facts(at).standing.clone();
        assert_eq!(standing(0), Standing::Itself);
        assert_eq!(standing(1), Standing::OnChanged(vec![0]));
        assert_eq!(standing(2), Standing::OnChanged(vec![0]), "however far below");
        assert_eq!(standing(3), Standing::Stands);
        assert_eq!(standing(4), Standing::Itself);
        assert_eq!(book.facts(4).mark, Mark::Open);
    }

    #[test]
    fn the_document_s_scale_speaks_and_seeds_that_differ_are_seen() {
        let book = book();
        assert_eq!(book.row(1).unwrap().scale, Scale::Paper);
        assert_eq!(book.findings(book.row(1).unwrap()).len(), 2);
        let tested = |at: usize| book.facts(at).tested;
        assert_eq!(
            [tested(0), tested(1), tested(3), tested(4)],
            [
                Tested::Some(Lack { seeds: Some(1), scale: false, twin: false }),
                Tested::Well,
                Tested::Split,
                Tested::Not
            ]
        );
        assert_eq!(verdict(book.row(0)), "misprint");
        assert_eq!(verdict(book.row(4)), "open");
    }

    #[test]
    fn what_is_around_a_claim_depends_on_the_steps() {
        let book = book();
        assert_eq!(book.around(1, 1), BTreeSet::from([0, 1, 2]));
        assert_eq!(book.around(2, 1), BTreeSet::from([1, 2]));
        assert_eq!(book.around(2, 2), BTreeSet::from([0, 1, 2]));
        assert_eq!(book.above(0), BTreeSet::from([1, 2]));
        assert_eq!(book.below(4), BTreeSet::from([3]));
    }
}
