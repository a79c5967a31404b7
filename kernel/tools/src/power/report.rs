//! The table of faults and what became of them, for the terminal, as CSV and as Markdown.

use std::collections::{BTreeMap, BTreeSet};

use super::hunt::{Hunted, Outcome};
use super::operator::Operator;
use super::sites::Site;
use workbench_base::progress;
use workbench_base::text::count;

/// The share of faults that change a result and are caught, below which the command ends with a failure.
pub const WANTED: f64 = 0.95;

/// Faults with their hunts, in the order of their numbers.
pub struct Report<'a> {
    sites: &'a [Site],
    hunted: &'a BTreeMap<u32, Hunted>,
    claims: (usize, usize),
}

const COLUMNS: [&str; 12] =
    ["fault", "room", "file", "line", "operator", "before", "after", "reached by", "asked", "outcome", "claim", "said"];

impl<'a> Report<'a> {
    /// A report on `sites`, with `claims` asked of all that there are.
    pub fn new(sites: &'a [Site], hunted: &'a BTreeMap<u32, Hunted>, claims: (usize, usize)) -> Report<'a> {
        Report { sites, hunted, claims }
    }

    /// Of the hunted faults that change a result, how many are caught, and how many there are.
    pub fn caught(&self) -> (usize, usize) {
        let changing = self.hunted.values().filter(|hunted| hunted.changes_a_result());
        changing.fold((0, 0), |(caught, all), hunted| (caught + usize::from(hunted.outcome.is_caught()), all + 1))
    }

    /// Whether every claim was asked and every fault hunted to its end.
    pub fn is_whole(&self) -> bool {
        let ended = self.hunted.values().filter(|hunted| hunted.outcome != Outcome::Unfinished);
        self.claims.0 == self.claims.1 && ended.count() == self.sites.len()
    }

    /// Whether enough of them are caught; what was not asked is not caught, and no fault that changes a result is not enough.
    pub fn is_enough(&self) -> bool {
        let (caught, all) = self.caught();
        self.is_whole() && all > 0 && caught as f64 >= WANTED * all as f64
    }

    /// The table for a terminal, with the totals.
    pub fn terminal(&self) -> String {
        let rows: Vec<Vec<String>> = self
            .rows()
            .map(|row| {
                let [fault, _, file, line, operator, before, after, reached, _, outcome, claim, _] = row;
                let place = format!("{}:{line}", file.trim_start_matches("workbench/"));
                vec![fault, place, operator, short(&before, 28), short(&after, 28), reached, outcome, claim]
            })
            .collect();
        let header = ["fault", "where", "operator", "before", "after", "reached by", "outcome", "claim"];
        let mut text = progress::table(&header, &rows, &[0, 5]);
        for (_, site, hunted) in self.survivors() {
            text += &format!(
                "\n\n{}:{} {}\n  {} -> {}",
                site.file,
                site.line,
                site.operator.text(),
                short(&site.before, 90),
                short(&site.after, 90)
            );
            text += &format!("\n  {}: {}", hunted.claim.as_deref().unwrap_or_default(), hunted.said);
        }
        format!("{text}\n\n{}", self.totals())
    }

    /// The totals in words, a line for each outcome that there is.
    pub fn totals(&self) -> String {
        let (caught, all) = self.caught();
        let mut lines: Vec<String> = Outcome::ALL
            .into_iter()
            .map(|outcome| (outcome, self.hunted.values().filter(|hunted| hunted.outcome == outcome).count()))
            .filter(|(_, n)| *n > 0)
            .map(|(outcome, n)| format!("{n:4}  {}", outcome.text()))
            .collect();
        let share = match all {
            0 => String::new(),
            _ => format!(" ({:.1} %)", 100.0 * caught as f64 / all as f64),
        };
        lines.push(format!(
            "{} of {} hunted; {caught} of {all} that change a result are caught{share}; {} of {} claims asked",
            self.hunted.len(),
            count(self.sites.len(), "fault"),
            self.claims.0,
            self.claims.1
        ));
        lines.join("\n")
    }

    /// Of the faults that change a result, how many are caught: a line for each operator, a column for each room.
    fn parts(&self) -> String {
        let of = |operator: Operator, room: &str| {
            let here = |(fault, _): &(&u32, &Hunted)| {
                let site = self.sites.get(**fault as usize - 1);
                site.is_some_and(|site| site.operator == operator && site.room == room)
            };
            let changing = self.hunted.iter().filter(here).map(|(_, hunted)| hunted);
            let changing: Vec<&Hunted> = changing.filter(|hunted| hunted.changes_a_result()).collect();
            let caught = changing.iter().filter(|hunted| hunted.outcome.is_caught()).count();
            match changing.len() {
                0 => String::new(),
                all => format!("{caught}/{all}"),
            }
        };
        let rooms: BTreeSet<&str> = self.sites.iter().map(|site| site.room.as_str()).collect();
        let names = Vec::from_iter(rooms);
        let mut out = format!("| caught | {} |\n|{}\n", names.join(" | "), " --- |".repeat(1 + names.len()));
        for operator in Operator::ALL {
            let cells: Vec<String> = names.iter().map(|room| of(operator, room)).collect();
            out += &format!("| {} | {} |\n", operator.text(), cells.join(" | "));
        }
        out
    }

    /// The whole table as CSV.
    pub fn csv(&self) -> Vec<u8> {
        let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
        // Writing to memory cannot fail, and every record has the length of the header.
        let _ = writer.write_record(COLUMNS);
        for row in self.rows() {
            let _ = writer.write_record(&row);
        }
        writer.into_inner().unwrap_or_default()
    }

    /// The whole table as Markdown, survivors first.
    pub fn markdown(&self) -> String {
        let mut out = String::from("# What the verdicts catch\n\n");
        for line in self.totals().lines() {
            out += &format!("- {}\n", line.trim());
        }
        out += &format!("\n{}", self.parts());
        let survivors: Vec<_> = self.survivors().collect();
        if !survivors.is_empty() {
            out += "\n## Survivors\n\n";
        }
        for (fault, site, hunted) in survivors {
            let claim = hunted.claim.as_deref().unwrap_or_default();
            out += &format!(
                "- fault {fault}, `{}:{}`, {}: `{}` for `{}`. `{claim}`: {}\n",
                site.file,
                site.line,
                site.operator.text(),
                short(&site.after, 200),
                short(&site.before, 200),
                hunted.said
            );
        }
        out += &format!("\n## All faults\n\n| {} |\n|{}\n", COLUMNS.join(" | "), " --- |".repeat(COLUMNS.len()));
        for row in self.rows() {
            let cells: Vec<String> = row.iter().map(|cell| short(cell, 120).replace('|', "\\|")).collect();
            out += &format!("| {} |\n", cells.join(" | "));
        }
        out
    }

    fn survivors(&self) -> impl Iterator<Item = (u32, &Site, &Hunted)> {
        let all = self.hunted.iter().filter(|(_, hunted)| hunted.changes_a_result() && !hunted.outcome.is_caught());
        all.filter_map(|(fault, hunted)| Some((*fault, self.sites.get(*fault as usize - 1)?, hunted)))
    }

    fn rows(&self) -> impl Iterator<Item = [String; 12]> {
        self.sites.iter().enumerate().map(|(at, site)| {
            let fault = at as u32 + 1;
            let hunted = self.hunted.get(&fault);
            let of = |told: &dyn Fn(&Hunted) -> String| hunted.map(told).unwrap_or_default();
            let outcome = hunted.map_or("not hunted", |hunted| hunted.outcome.text());
            [
                fault.to_string(),
                site.room.clone(),
                site.file.clone(),
                site.line.to_string(),
                site.operator.text().to_string(),
                short(&site.before, usize::MAX),
                short(&site.after, usize::MAX),
                of(&|hunted| hunted.reached_by.to_string()),
                of(&|hunted| hunted.asked.to_string()),
                outcome.to_string(),
                of(&|hunted| hunted.claim.clone().unwrap_or_default()),
                of(&|hunted| hunted.said.clone()),
            ]
        })
    }
}

/// Code on one line, of at most so many letters.
pub fn short(code: &str, most: usize) -> String {
    let line = code.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        None => line,
        Some(_) => line.chars().take(most.saturating_sub(3)).chain("...".chars()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::compare::Moved;
    use super::super::sites::of_file;
    use super::*;

    fn sites() -> Vec<Site> {
        let text = "fn f(a: f64, b: f64) -> f64 {\n    let c = a\n        - b;\n    c * (a | b)\n}\n";
        of_file("memory", "workbench/memory/src/a.rs", text)
    }

    fn hunted(fault: u32, outcome: Outcome) -> (u32, Hunted) {
        let survived = outcome == Outcome::Survived;
        let nearest = survived.then(|| Moved { what: "error".into(), before: 1.0, after: 2.0, share: Some(0.5) });
        let hunted = Hunted {
            fault,
            outcome,
            reached_by: 2,
            asked: 2,
            claim: Some("m/a".into()),
            check: "c".into(),
            said: "holds -> fails".into(),
            nearest,
            seconds: 1.0,
        };
        (fault, hunted)
    }

    #[test]
    fn only_faults_that_change_a_result_count() {
        let sites = sites();
        let hunts =
            BTreeMap::from([hunted(1, Outcome::Verdict), hunted(2, Outcome::Survived), hunted(3, Outcome::Equivalent)]);
        let report = Report::new(&sites, &hunts, (5, 9));
        assert_eq!(report.caught(), (1, 2));
        assert!(!report.is_enough());
        assert!(
            report.totals().ends_with(
                "3 of 3 faults hunted; 1 of 2 that change a result are caught (50.0 %); 5 of 9 claims asked"
            ),
            "{}",
            report.totals()
        );
        let none = BTreeMap::new();
        assert!(!Report::new(&sites, &none, (0, 9)).is_enough());
        let all = |outcome| BTreeMap::from_iter((1..=sites.len() as u32).map(|fault| hunted(fault, outcome)));
        let (caught, open) = (all(Outcome::Verdict), all(Outcome::Unfinished));
        assert!(Report::new(&sites, &caught, (9, 9)).is_enough());
        assert!(!Report::new(&sites, &caught, (8, 9)).is_enough(), "a claim was not asked");
        assert!(!Report::new(&sites, &open, (9, 9)).is_enough(), "no hunt came to its end");
        assert!(!Report::new(&sites, &all(Outcome::Equivalent), (9, 9)).is_enough());
        let one = BTreeMap::from([hunted(1, Outcome::Verdict)]);
        assert!(!Report::new(&sites, &one, (9, 9)).is_enough(), "the others were not hunted");
    }

    #[test]
    fn the_tables_have_a_line_for_each_fault() {
        let sites = sites();
        let hunts = BTreeMap::from([hunted(1, Outcome::Verdict), hunted(2, Outcome::Survived)]);
        let report = Report::new(&sites, &hunts, (9, 9));
        let csv = String::from_utf8(report.csv()).unwrap();
        assert_eq!(csv.lines().count(), 1 + sites.len());
        assert!(csv.starts_with("fault,room,file,line"));
        assert!(csv.contains(",a - b,"), "code stands on one line: {csv}");
        assert!(csv.contains("not hunted"));
        let markdown = report.markdown();
        assert!(markdown.contains("## Survivors\n\n- fault 2") && markdown.contains("a \\| b"), "{markdown}");
        let terminal = report.terminal();
        assert!(terminal.contains("memory/src/a.rs:2") && terminal.contains("SURVIVED"), "{terminal}");
    }

    #[test]
    fn long_code_is_cut() {
        assert_eq!(short("a\n  + b", 10), "a + b");
        assert_eq!(short("abcdefgh", 6), "abc...");
    }
}
