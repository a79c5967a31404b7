//! Rows of one claim that agree over seeds, told on one line.

use std::collections::HashMap;

use workbench_record::{Row, Scale, Verdict};

/// Rows of one claim at one scale with one verdict.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// The row of the smallest seed, whose number is shown.
    pub first: &'a Row,
    /// All rows, by seed.
    pub rows: Vec<&'a Row>,
    /// Whether other seeds of the claim at this scale have another verdict.
    pub split: bool,
}

impl Group<'_> {
    /// `1 2 3`.
    pub fn seeds(&self) -> String {
        join(&self.rows)
    }

    /// What `say` has to say about the rows, each sentence once, with the seeds if it is not about all of them.
    pub fn remarks(&self, say: impl Fn(&Row) -> Option<String>) -> Vec<String> {
        let mut told: Vec<(String, Vec<&Row>)> = Vec::new();
        for row in &self.rows {
            let Some(text) = say(row) else { continue };
            match told.iter_mut().find(|(known, _)| *known == text) {
                Some((_, rows)) => rows.push(row),
                None => told.push((text, vec![row])),
            }
        }
        let told = told.into_iter().map(|(text, rows)| match rows.len() == self.rows.len() {
            true => text,
            false => format!("{text} (seed {})", join(&rows)),
        });
        told.collect()
    }
}

fn join(rows: &[&Row]) -> String {
    let seeds: Vec<String> = rows.iter().map(|row| row.seed.to_string()).collect();
    seeds.join(" ")
}

/// Groups the rows that `keep` keeps, in the order in which claim and scale come first. Whether seeds differ is judged by all rows.
pub fn groups<'a>(rows: &'a [Row], keep: impl Fn(&Row) -> bool) -> Vec<Group<'a>> {
    let mut verdicts: HashMap<(&str, Scale), Vec<Verdict>> = HashMap::new();
    let mut order: Vec<(&str, Scale)> = Vec::new();
    let mut kept: HashMap<(&str, Scale), Vec<&Row>> = HashMap::new();
    for row in rows {
        let key = (row.claim.as_str(), row.scale);
        let known = verdicts.entry(key).or_default();
        if !known.contains(&row.verdict) {
            known.push(row.verdict);
        }
        if keep(row) {
            let group = kept.entry(key).or_default();
            if group.is_empty() {
                order.push(key);
            }
            group.push(row);
        }
    }
    let mut found: Vec<Group> = Vec::new();
    for key in order {
        let mut rows = kept.remove(&key).unwrap_or_default();
        rows.sort_by_key(|row| row.seed);
        let split = verdicts.get(&key).is_some_and(|known| known.len() > 1);
        let begin = found.len();
        for row in rows {
            match found[begin..].iter_mut().find(|group| group.first.verdict == row.verdict) {
                Some(group) => group.rows.push(row),
                None => found.push(Group { first: row, rows: vec![row], split }),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(claim: &str, scale: Scale, seed: u64, verdict: Verdict) -> Row {
        Row { verdict, ..Row::blank(claim, scale, seed) }
    }

    #[test]
    fn seeds_that_agree_stand_together_and_others_are_marked() {
        use Scale::{Paper, Quick};
        use Verdict::{Fails, Holds};
        let rows = [
            row("m/b", Quick, 3, Holds),
            row("m/b", Quick, 1, Holds),
            row("m/a", Quick, 1, Holds),
            row("m/b", Paper, 1, Fails),
            row("m/b", Quick, 2, Fails),
        ];
        let told = |keep: fn(&Row) -> bool| -> Vec<(String, String, bool)> {
            let groups = groups(&rows, keep);
            groups.iter().map(|g| (g.first.claim.clone(), g.seeds(), g.split)).collect()
        };
        let line = |claim: &str, seeds: &str, split| (claim.to_string(), seeds.to_string(), split);
        assert_eq!(
            told(|_| true),
            [line("m/b", "1 3", true), line("m/b", "2", true), line("m/a", "1", false), line("m/b", "1", false)]
        );
        // A seed that is left out still counts for the mark.
        assert_eq!(told(|row| row.seed == 2), [line("m/b", "2", true)]);
        assert!(groups(&[], |_| true).is_empty());
    }

    #[test]
    fn a_remark_names_seeds_only_where_it_is_not_about_all() {
        let rows: Vec<Row> = (1..=3).map(|seed| row("m/a", Scale::Quick, seed, Verdict::Holds)).collect();
        let group = &groups(&rows, |_| true)[0];
        assert_eq!(group.remarks(|_| Some("stale".into())), ["stale"]);
        assert_eq!(group.remarks(|row| (row.seed > 1).then(|| "stale".into())), ["stale (seed 2 3)"]);
        assert!(group.remarks(|_| None).is_empty());
    }
}
