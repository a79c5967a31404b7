//! History of verdicts: the ledger of each commit that changed it, from the oldest to today's.

use std::collections::{BTreeMap, HashMap};

use workbench_record::table::Line;
use workbench_record::{Kind, Row, Scale, Verdict};

use super::claim::badge;
use super::text::html;
use super::text::table;
use workbench_base::text::count;
use workbench_queries::git::{Commit, Git};
use workbench_queries::older;
use workbench_setup::paths::Workspace;

/// The committed ledger, from the root of the workspace.
const LEDGER: &str = "notebooks/results/ledger.csv";

/// The verdict that a commit gave a claim, other than the one that it had before.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The commit.
    pub commit: Commit,
    /// The row that spoke for the claim from then on.
    pub row: Row,
}

/// The turns of each claim, the newest first.
#[derive(Clone, Debug, Default)]
pub struct History(BTreeMap<String, Vec<Turn>>);

impl History {
    /// What version control knows; nothing outside of it, or without git.
    pub fn read(workspace: &Workspace) -> History {
        let git = Git::at(workspace.root());
        let mut commits = git.log(LEDGER).unwrap_or_default();
        commits.reverse();
        let ledgers = git.show_each(&commits, LEDGER).unwrap_or_default();
        let mut history = History::default();
        for (commit, bytes) in commits.iter().zip(ledgers) {
            let file =
                |name: &str| -> Result<_, workbench_record::Error> { Ok(bytes.clone().filter(|_| name == Row::FILE)) };
            // A ledger that was damaged once says nothing; the next one speaks again.
            if let Ok(read) = older::read(&workspace.results(), file) {
                history.add(commit, read.tables.rows);
            }
        }
        history.0.values_mut().for_each(|turns| turns.reverse());
        history
    }

    /// Adds the turns of a commit, which is younger than all before it.
    fn add(&mut self, commit: &Commit, rows: Vec<Row>) {
        let mut speaking: HashMap<String, Row> = HashMap::new();
        for row in rows {
            let first = |row: &Row| (row.scale != Scale::Paper, row.seed);
            match speaking.get(&row.claim) {
                Some(other) if first(other) <= first(&row) => {}
                _ => {
                    speaking.insert(row.claim.clone(), row);
                }
            }
        }
        for (claim, row) in speaking {
            let turns = self.0.entry(claim).or_default();
            if turns.last().is_none_or(|turn| verdict(&turn.row) != verdict(&row)) {
                let commit = commit.clone();
                turns.push(Turn { commit, row });
            }
        }
    }

    /// The turns of a claim, the newest first.
    pub fn of(&self, claim: &str) -> &[Turn] {
        self.0.get(claim).map_or(&[], Vec::as_slice)
    }

    /// The part of a claim's page; nothing where nothing is known.
    pub fn part(&self, claim: &str) -> String {
        let turns = self.of(claim);
        if turns.is_empty() {
            return String::new();
        }
        let line = |turn: &Turn| {
            let row = &turn.row;
            format!(
                "<tr><td class=\"wb-time\">{}</td><td>{}</td><td>{}</td><td>{}</td>\
                 <td class=\"wb-wide\">{}</td><td><code>{}</code></td></tr>",
                html(&turn.commit.day),
                badge(Some(row)),
                row.scale,
                html(&row.measured_text()),
                html(&turn.commit.subject),
                turn.commit.id.chars().take(10).collect::<String>(),
            )
        };
        let lines: String = turns.iter().map(line).collect();
        let told = match changes(turns) {
            0 if turns.len() == 1 => "The verdict is the first that was recorded.".to_string(),
            0 => "No verdict has changed; the newest state stands first.".to_string(),
            n => format!("The verdict has changed {}, the newest state first.", count(n, "time")),
        };
        let columns = ["since", "verdict", "scale", "deciding number then", "commit", ""];
        format!("## History\n\n{told}\n\n{}\n\n", table("Verdicts of this claim by commit", &columns, &lines))
    }
}

/// How often the verdict at a scale became another; that of another scale is no change.
fn changes(turns: &[Turn]) -> usize {
    let at = |scale: Scale| turns.iter().filter(move |turn| turn.row.scale == scale);
    let became = |(new, old): &(&Turn, &Turn)| verdict(&new.row) != verdict(&old.row);
    [Scale::Quick, Scale::Paper].map(|scale| at(scale).zip(at(scale).skip(1)).filter(became).count()).iter().sum()
}

/// What makes a turn: another verdict, another kind of change, or the document's scale instead of the quick one.
fn verdict(row: &Row) -> (Verdict, Option<Kind>, Scale) {
    (row.verdict, row.kind, row.scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::commit_all;
    use crate::fixtures::{record, save, workspace};

    #[test]
    fn a_verdict_that_a_commit_changed_is_a_turn_and_one_that_it_left_is_none() {
        let (folder, workspace) = workspace();
        assert!(History::read(&workspace).of("m/a").is_empty(), "outside version control");
        let mut tables = record(&workspace);
        save(&workspace.results(), &tables);
        commit_all(folder.path());
        tables.rows.iter_mut().for_each(|row| row.seconds += 1.0);
        save(&workspace.results(), &tables);
        commit_all(folder.path());
        let ledger = folder.path().join(LEDGER);
        let sound = std::fs::read(&ledger).unwrap();
        std::fs::write(&ledger, "claim,verdict\nm/a,perhaps\n").unwrap();
        commit_all(folder.path());
        std::fs::write(&ledger, sound).unwrap();
        let before = tables.rows[0].verdict;
        let after = match before {
            Verdict::Fails => Verdict::Holds,
            _ => Verdict::Fails,
        };
        let claim = tables.rows[0].claim.clone();
        tables.rows.iter_mut().filter(|row| row.claim == claim).for_each(|row| row.verdict = after);
        save(&workspace.results(), &tables);
        commit_all(folder.path());

        let history = History::read(&workspace);
        let verdicts: Vec<Verdict> = history.of(&claim).iter().map(|turn| turn.row.verdict).collect();
        assert_eq!(verdicts, [after, before]);
        let part = history.part(&claim);
        for words in ["## History", "has changed 1 time", "wb-F", &history.of(&claim)[0].commit.id[..10]] {
            assert!(part.contains(words), "{words} in {part}");
        }
        assert_eq!(history.part("m/zz"), "");
        let quick = history.of(&claim)[1].clone();
        let at = |scale: Scale, verdict: Verdict| {
            let mut turn = quick.clone();
            (turn.row.scale, turn.row.verdict) = (scale, verdict);
            turn
        };
        assert_eq!(changes(&[at(Scale::Paper, after), at(Scale::Quick, after)]), 0, "another scale is no change");
        let newest = at(Scale::Paper, before);
        assert_eq!(changes(&[newest, at(Scale::Paper, after), at(Scale::Quick, after), at(Scale::Quick, before)]), 2);
        let other = tables.rows.iter().find(|row| row.claim != claim).unwrap();
        assert!(history.part(&other.claim).contains("the first that was recorded"));
    }
}
