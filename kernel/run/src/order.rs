//! The order in which notebooks are started.

use std::collections::HashMap;

use workbench_record::{Row, Scale};

use super::drive::Job;

/// Puts the notebooks that took longest in the record first, so that at the end no kernel works alone on a long one. Those that the
/// record does not know come before all others; equal ones keep their order.
pub fn longest_first(jobs: &mut [Job], rows: &[Row], scale: Scale) {
    let seed = rows.iter().filter(|row| row.scale == scale).map(|row| row.seed).min();
    let mut seconds: HashMap<&str, f64> = HashMap::new();
    for row in rows.iter().filter(|row| row.scale == scale && Some(row.seed) == seed) {
        *seconds.entry(&row.notebook).or_default() += row.seconds;
    }
    jobs.sort_by(|a, b| {
        let of = |job: &Job| seconds.get(job.notebook.name().as_str()).copied().unwrap_or(f64::INFINITY);
        of(b).total_cmp(&of(a))
    });
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use workbench_base::notebook::Notebook;

    #[test]
    fn the_longest_of_the_record_is_started_first() {
        let row = |notebook: &str, scale, seed, seconds| Row {
            notebook: notebook.into(),
            seconds,
            ..Row::blank("a/1", scale, seed)
        };
        let rows = [
            row("short", Scale::Quick, 1, 1.0),
            row("short", Scale::Quick, 2, 90.0),
            row("short", Scale::Paper, 1, 90.0),
            row("long", Scale::Quick, 1, 2.0),
            row("long", Scale::Quick, 1, 3.0),
        ];
        let text = r#"{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"#;
        let mut jobs: Vec<Job> = ["short", "long", "new"]
            .into_iter()
            .enumerate()
            .map(|(part, name)| Job {
                part,
                notebook: Notebook::parse(Path::new(&format!("{name}.ipynb")), text).unwrap(),
            })
            .collect();
        longest_first(&mut jobs, &rows, Scale::Quick);
        let names: Vec<String> = jobs.iter().map(|job| job.notebook.name()).collect();
        assert_eq!(names, ["new", "long", "short"]);
        longest_first(&mut jobs, &rows, Scale::Paper);
        let names: Vec<String> = jobs.iter().map(|job| job.notebook.name()).collect();
        assert_eq!(names, ["new", "long", "short"]);
    }
}
