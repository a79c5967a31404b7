//! Origin of rows: the runs that computed them, told by sources and machine, and the commands that compute them again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use workbench_record::{Row, Run, Scale, program};

use super::page::{Block, Text};
use super::present::Present;
use workbench_base::progress;

/// Runs of the same sources on the same machine, with their rows.
pub struct Origin<'a> {
    /// One of them, if the record describes them.
    pub run: Option<&'a Run>,
    /// By name: each run and its rows.
    runs: BTreeMap<&'a str, (Option<&'a Run>, Vec<&'a Row>)>,
}

/// The runs, those of the same sources on the same machine together, in the order in which rows name them.
pub fn origins<'a>(rows: &[&'a Row], runs: &HashMap<&str, &'a Run>) -> Vec<Origin<'a>> {
    let mut origins: Vec<Origin> = Vec::new();
    let mut place: HashMap<&str, usize> = HashMap::new();
    for row in rows {
        let run = runs.get(row.run.as_str()).copied();
        let at = *place.entry(&row.run).or_insert_with(|| {
            let same = origins.iter().position(|origin| match (origin.run, run) {
                (Some(one), Some(other)) => environment(one) == environment(other),
                (None, None) => true,
                _ => false,
            });
            same.unwrap_or_else(|| {
                origins.push(Origin { run, runs: BTreeMap::new() });
                origins.len() - 1
            })
        });
        let (_, ours) = origins[at].runs.entry(&row.run).or_insert((run, Vec::new()));
        ours.push(row);
    }
    origins
}

/// All that is told of a run, but its name, time, scale and seed.
fn environment(run: &Run) -> Vec<(&'static str, Text)> {
    let plain = |text: &str| Text::plain(if text.is_empty() { "not known" } else { text });
    let code = |text: &str| if text.is_empty() { plain(text) } else { Text::code(text) };
    let sources = match (run.commit.is_empty(), run.dirty) {
        (true, _) => "of no commit that is known",
        (false, true) => "differ from the commit",
        (false, false) => "as committed",
    };
    vec![
        ("Commit", code(&run.commit)),
        ("Sources", plain(sources)),
        ("Digest of the sources", code(&run.source)),
        ("Digest of Cargo.lock", code(&run.lock)),
        ("Compiler", plain(&run.compiler)),
        ("Processor", plain(&run.processor)),
        ("Cores", plain(&run.cores.to_string())),
        ("BLAS", plain(&run.blas)),
        ("Device", plain(&run.device)),
    ]
}

impl Origin<'_> {
    /// Scales and notebooks with the seeds at which they ran.
    fn parts(&self) -> BTreeMap<(Scale, BTreeSet<&str>), Vec<u64>> {
        let mut notebooks: BTreeMap<(Scale, u64), BTreeSet<&str>> = BTreeMap::new();
        for row in self.runs.values().flat_map(|(_, rows)| rows) {
            notebooks.entry((row.scale, row.seed)).or_default().insert(&row.notebook);
        }
        let mut parts: BTreeMap<(Scale, BTreeSet<&str>), Vec<u64>> = BTreeMap::new();
        for ((scale, seed), notebooks) in notebooks {
            parts.entry((scale, notebooks)).or_default().push(seed);
        }
        parts
    }

    /// What is known of them.
    pub fn blocks(&self, present: &Present) -> Vec<Block> {
        let mut blocks = match self.run {
            Some(run) => vec![Block::Facts(environment(run))],
            None => vec![Block::Words("The record does not describe these runs.".to_string())],
        };
        if present.is_older(self.run) {
            blocks.push(Block::Words(
                "The sources of the crate have changed since, as they may without touching a check.".to_string(),
            ));
        }
        let line = |(id, (run, rows)): (&&str, &(Option<&Run>, Vec<&Row>))| {
            let of = |say: fn(&Run) -> String| Text::plain(run.map_or("not known".to_string(), say));
            vec![
                Text::code(if id.is_empty() { "not named" } else { id }),
                of(|run| run.scale.to_string()),
                of(|run| run.seed.to_string()),
                of(|run| run.start.clone()),
                of(|run| progress::seconds(run.seconds)),
                Text::plain(rows.len().to_string()),
            ]
        };
        blocks.push(Block::Table {
            caption: "Runs".to_string(),
            columns: vec!["run", "scale", "seed", "start (universal time)", "duration", "rows"],
            rows: self.runs.iter().map(line).collect(),
        });
        blocks
    }
}

/// The commands that compute it again and compare; `pattern` chose the claims, `knobs` were turned.
pub fn again(origins: &[Origin], present: &Present, pattern: Option<&str>, knobs: &[(String, String)]) -> Vec<Block> {
    let claims = present.registry.claims().iter();
    let all: BTreeSet<&str> = claims
        .filter(|claim| claim.open.is_empty() && present.notebooks.contains(&claim.notebook))
        .map(|claim| claim.notebook.as_str())
        .collect();
    let mut blocks = vec![Block::Words("Compute it again:".to_string())];
    for origin in origins {
        let mut lines = Vec::new();
        if let Some(run) = origin.run.filter(|run| !run.commit.is_empty()) {
            lines.push(format!("git checkout {}", run.commit));
        }
        for ((scale, notebooks), seeds) in origin.parts() {
            let mut line = format!("{} run --scale {scale}", program());
            line += &match &seeds[..] {
                [one] => format!(" --seed {one}"),
                several => format!(" --seeds {}", several.iter().map(u64::to_string).collect::<Vec<_>>().join(",")),
            };
            match pattern {
                Some(pattern) => line += &format!(" --claim {}", quoted(pattern)),
                None if notebooks.is_superset(&all) => {}
                None => notebooks.iter().for_each(|name| line += &format!(" --notebook {name}")),
            }
            knobs.iter().for_each(|(name, value)| line += &format!(" --param {}", quoted(&format!("{name}={value}"))));
            lines.push(line);
        }
        blocks.push(Block::Commands(lines));
    }
    blocks.push(Block::Words(
        "Compare this page with the numbers in the record, or add --run and the name of a run:".to_string(),
    ));
    blocks.push(Block::Commands(vec![format!("{} certify --check certificate.md", program())]));
    blocks
}

/// A word that a shell leaves alone.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{record, run, workspace};

    fn commands(blocks: &[Block]) -> Vec<String> {
        let lines = blocks.iter().filter_map(|block| match block {
            Block::Commands(lines) => Some(lines.join("; ")),
            _ => None,
        });
        lines.collect()
    }

    #[test]
    fn runs_of_the_same_sources_and_machine_stand_together() {
        let (_folder, workspace) = workspace();
        let present = Present::read(&workspace).unwrap();
        let rows = record(&workspace).rows;
        let mut rows: Vec<Row> = [rows.clone(), rows].concat();
        rows.iter_mut().zip(["r1", "r2", "r3", "", "r1", "gone"]).for_each(|(row, id)| row.run = id.into());
        let mut runs = ["r1", "r2", "r3"].map(|id| run(&workspace, id, Scale::Quick, 1));
        (runs[1].start, runs[1].seconds) = ("later".into(), 9.0);
        runs[2].compiler = "another".into();
        let by_id = runs.iter().map(|run| (run.run.as_str(), run)).collect();
        let rows: Vec<&Row> = rows.iter().collect();
        let origins = origins(&rows, &by_id);
        let told: Vec<Vec<(&str, usize)>> = origins
            .iter()
            .map(|origin| origin.runs.iter().map(|(id, (_, rows))| (*id, rows.len())).collect())
            .collect();
        assert_eq!(told, [vec![("r1", 2), ("r2", 1)], vec![("r3", 1)], vec![("", 1), ("gone", 1)]]);
        assert!(origins[2].run.is_none());
        let commands = commands(&again(&origins, &present, None, &[]));
        assert_eq!(commands.len(), 4);
        assert!(commands[0].starts_with("git checkout 0123"), "{commands:?}");
        assert!(commands[2].starts_with("cargo workbench run"), "{commands:?}");
    }

    #[test]
    fn commands_name_what_was_chosen_so_that_a_shell_keeps_it() {
        let (_folder, workspace) = workspace();
        let present = Present::read(&workspace).unwrap();
        let tables = record(&workspace);
        let rows: Vec<&Row> = tables.rows.iter().collect();
        let origins = origins(&rows, &HashMap::new());
        let told =
            |pattern, knobs: &[(String, String)]| commands(&again(&origins, &present, pattern, knobs))[0].clone();
        assert_eq!(told(None, &[]), "cargo workbench run --scale quick --seeds 1,2");
        assert_eq!(
            told(Some("m/*"), &[("n".into(), "\"it's\"".into())]),
            "cargo workbench run --scale quick --seeds 1,2 --claim 'm/*' --param 'n=\"it'\\''s\"'"
        );
    }
}
