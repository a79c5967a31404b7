//! The table of features, for the terminal, as CSV and as Markdown. Written from a run only.

use workbench_base::progress::table;

use super::scenarios::{SCENARIOS, Scenario};
use super::stage::Seen;

/// Columns: name of a kernel and one cell for each scenario.
pub type Columns = [(&'static str, Vec<Seen>)];

fn in_groups() -> Vec<(usize, &'static Scenario)> {
    let mut groups: Vec<&str> = Vec::new();
    for scenario in &SCENARIOS {
        if !groups.contains(&scenario.group) {
            groups.push(scenario.group);
        }
    }
    groups.into_iter().flat_map(|group| SCENARIOS.iter().enumerate().filter(move |(_, s)| s.group == group)).collect()
}

/// For the terminal: one word for each cell.
pub fn text(columns: &Columns) -> String {
    let mut header = vec!["feature"];
    header.extend(columns.iter().map(|(name, _)| *name));
    let mut rows: Vec<Vec<String>> = in_groups()
        .into_iter()
        .map(|(index, scenario)| {
            let mut row = vec![scenario.name.to_string()];
            row.extend(columns.iter().map(|(_, column)| column[index].mark.word().to_string()));
            row
        })
        .collect();
    rows.push(totals(columns));
    table(&header, &rows, &[])
}

fn totals(columns: &Columns) -> Vec<String> {
    let mut row = vec!["works".to_string()];
    row.extend(columns.iter().map(|(_, column)| {
        let works = column.iter().filter(|seen| seen.mark.word() == "works").count();
        format!("{works} of {}", column.len())
    }));
    row
}

/// One line for each cell: feature, kernel, mark, fact.
pub fn csv(columns: &Columns) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut lines = vec!["group,feature,kernel,mark,measured".to_string()];
    for (index, scenario) in in_groups() {
        for (name, column) in columns {
            let seen = &column[index];
            lines.push(format!(
                "{},{},{name},{},{}",
                quoted(scenario.group),
                quoted(scenario.name),
                seen.mark.word(),
                quoted(&seen.fact)
            ));
        }
    }
    lines.join("\n") + "\n"
}

/// For readers: the mark and what was measured.
pub fn markdown(columns: &Columns) -> String {
    let escaped = |text: &str| text.replace('|', "\\|").replace('<', "&lt;").replace('\n', " ");
    let mut lines = vec![
        "# What the kernels do".to_string(),
        String::new(),
        "Written by `cargo workbench bench features`: each cell comes from a scenario that talks the messaging protocol with the".into(),
        "kernel as it is installed here, and says what was measured. Our column is also a test (`kernel/bench/tests/conformance_features.rs`).".into(),
    ];
    let mut group = "";
    for (index, scenario) in in_groups() {
        if scenario.group != group {
            group = scenario.group;
            lines.push(String::new());
            let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
            lines.push(format!("| {group} | {} |", names.join(" | ")));
            lines.push(format!("| --- |{}", " --- |".repeat(columns.len())));
        }
        let cells: Vec<String> = columns
            .iter()
            .map(|(_, column)| format!("**{}**: {}", column[index].mark.word(), escaped(&column[index].fact)))
            .collect();
        lines.push(format!("| {} | {} |", escaped(scenario.name), cells.join(" | ")));
    }
    lines.push(String::new());
    lines.push(format!("| in all | {} |", columns.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(" | ")));
    lines.push(format!("| --- |{}", " --- |".repeat(columns.len())));
    lines.push(format!("| {} |", totals(columns).join(" | ")));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::super::stage::seen;
    use super::*;

    fn columns() -> Vec<(&'static str, Vec<Seen>)> {
        vec![
            ("ours", vec![seen(true, true, "3 of 3, \"all\""); SCENARIOS.len()]),
            ("other", vec![seen(false, true, "a|b <i>"); SCENARIOS.len()]),
        ]
    }

    #[test]
    fn every_scenario_has_its_line_in_each_form() {
        let columns = columns();
        let (text, csv, markdown) = (text(&columns), csv(&columns), markdown(&columns));
        for scenario in &SCENARIOS {
            assert!(text.contains(scenario.name) && markdown.contains(scenario.name), "{}", scenario.name);
        }
        assert_eq!(csv.lines().count(), 1 + 2 * SCENARIOS.len());
        assert!(csv.contains("works,\"3 of 3, \"\"all\"\"\""));
        assert!(markdown.contains("**partly**: a\\|b &lt;i>"));
        assert!(text.contains(&format!("0 of {}", SCENARIOS.len())));
    }

    #[test]
    fn names_are_told_apart() {
        let mut names: Vec<&str> = SCENARIOS.iter().map(|s| s.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SCENARIOS.len());
    }
}
