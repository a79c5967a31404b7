//! Seeds, scales and machines side by side.

use std::collections::{BTreeMap, BTreeSet};

use workbench_record::{Row, Scale, number};

use super::claim::{chip, link};
use super::facts::{Book, Tested};
use super::text::html;
use super::text::table;
use workbench_base::text::count;

/// The page.
pub fn page(book: &Book) -> String {
    let split: Vec<usize> = (0..book.count()).filter(|at| book.facts(*at).tested == Tested::Split).collect();
    let told = match split.is_empty() {
        true => "No claim has different verdicts at different seeds or scales.".to_string(),
        false => {
            let links: Vec<String> = split.iter().map(|at| link(book, *at, "")).collect();
            format!("Verdicts differ between seeds or scales for {}.", links.join(", "))
        }
    };
    format!(
        "# Seeds, scales, machines\n\n<p>{told}</p>\n\n## Machines\n\n{}\n\n## Claim by claim\n\nThe number that decided, at each scale and \
         seed, with its interval.\n\n{}\n",
        machines(book),
        claims(book)
    )
}

fn machines(book: &Book) -> String {
    #[derive(Default)]
    struct Machine<'a> {
        runs: BTreeSet<&'a str>,
        rows: usize,
        claims: BTreeSet<&'a str>,
    }
    let mut found: BTreeMap<[String; 4], Machine> = BTreeMap::new();
    for row in &book.tables.rows {
        let Some(run) = book.run(row) else { continue };
        let words = [run.processor.clone(), run.cores.to_string(), run.blas.clone(), run.device.clone()];
        let machine = found.entry(words).or_default();
        machine.runs.insert(&row.run);
        machine.rows += 1;
        machine.claims.insert(&row.claim);
    }
    let lines: String = found
        .iter()
        .map(|([processor, cores, blas, device], machine)| {
            format!(
                "<tr><td>{}</td><td>{cores}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                html(processor),
                html(blas),
                html(device),
                machine.runs.len(),
                machine.rows,
                machine.claims.len()
            )
        })
        .collect();
    let columns = ["processor", "cores", "BLAS", "device", "runs", "rows", "claims"];
    let mut both: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in &book.tables.rows {
        if let Some(run) = book.run(row) {
            both.entry(&row.claim).or_default().insert(&run.processor);
        }
    }
    let both = both.values().filter(|machines| machines.len() > 1).count();
    let told = match both {
        0 => "No claim was computed on more than one processor.".to_string(),
        n => format!("{} computed on more than one processor.", count(n, "claim")),
    };
    format!("{}\n\n{told}", table("Machines", &columns, &lines))
}

fn claims(book: &Book) -> String {
    let columns: BTreeSet<(Scale, u64)> = book.tables.rows.iter().map(|row| (row.scale, row.seed)).collect();
    let mut columns: Vec<(Scale, u64)> = columns.into_iter().collect();
    columns.sort_by_key(|(scale, seed)| (*scale != Scale::Paper, *seed));
    let number = |row: Option<&&Row>, first: &Row| match row {
        None => String::new(),
        Some(row) => {
            let value = match (row.measured, row.low, row.high) {
                (Some(value), Some(low), Some(high)) => number::with_interval(value, low, high),
                _ => String::new(),
            };
            let other = match row.verdict == first.verdict {
                true => String::new(),
                false => format!(" {}", chip(row)),
            };
            let finding = match row.finding == first.finding {
                true => String::new(),
                false => format!(" <small>{}</small>", html(&row.finding)),
            };
            format!("{}{other}{finding}", html(&value))
        }
    };
    let mut lines = String::new();
    for at in 0..book.count() {
        let rows = book.rows(at);
        let Some(first) = rows.first() else { continue };
        let cells: String = columns
            .iter()
            .map(|(scale, seed)| {
                let row = rows.iter().find(|row| (row.scale, row.seed) == (*scale, *seed));
                format!("<td>{}</td>", number(row, first))
            })
            .collect();
        lines += &format!(
            "<tr><td>{}</td><td>{}</td><td class=\"wb-wide\">{}</td>{cells}</tr>",
            link(book, at, ""),
            chip(first),
            html(&first.finding)
        );
    }
    let named: Vec<String> = columns.iter().map(|(scale, seed)| format!("{scale}, seed {seed}")).collect();
    let mut heads = vec!["claim", "verdict", "finding"];
    heads.extend(named.iter().map(String::as_str));
    table("Deciding numbers at each scale and seed", &heads, &lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::facts::tests::book;

    #[test]
    fn seeds_that_differ_are_named_and_every_scale_and_seed_has_a_column() {
        let page = page(&book());
        assert!(page.contains("Verdicts differ between seeds or scales for <a href=\"claims/m/d.html\">d</a>"));
        for part in ["<th scope=\"col\">paper, seed 1</th>", "<th scope=\"col\">quick, seed 3</th>", "wb-I"] {
            assert!(page.contains(part), "{part} in {page}");
        }
    }
}
