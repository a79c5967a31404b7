//! Rows that inherit a fault: the row that they refer to has to carry one, or to leave it open.

use workbench_record::{Tables, Verdict};

/// Rows whose `see` leads to a row of the same scale that holds as printed, or is not tested, or to none.
pub fn charged_nowhere(tables: &Tables) -> Vec<String> {
    let mut wrong = Vec::new();
    for row in tables.rows.iter().filter(|row| !row.see.is_empty()) {
        let mut carriers = tables.rows.iter().filter(|other| other.claim == row.see && other.scale == row.scale);
        let carries = |verdict| matches!(verdict, Verdict::HoldsWithChange | Verdict::Fails | Verdict::Inconclusive);
        if !carriers.any(|other| carries(other.verdict)) {
            wrong.push(format!(
                "{} (scale {}, seed {}) says that a fault is charged in {}, and that row charges none; charge it in one of the two",
                row.claim, row.scale, row.seed, row.see
            ));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use workbench_record::{Row, Scale};

    use super::*;

    #[test]
    fn a_fault_that_is_charged_nowhere_is_told() {
        let row =
            |claim: &str, verdict, see: &str| Row { verdict, see: see.into(), ..Row::blank(claim, Scale::Quick, 1) };
        let tables = Tables {
            rows: vec![
                row("m/a", Verdict::Holds, "m/b"),
                row("m/b", Verdict::HoldsWithChange, ""),
                row("m/c", Verdict::Holds, "m/a"),
                row("m/d", Verdict::Inconclusive, ""),
                row("m/e", Verdict::Holds, "m/d"),
            ],
            ..Tables::default()
        };
        let told = charged_nowhere(&tables);
        assert!(told.len() == 1 && told[0].starts_with("m/c (scale quick, seed 1)"), "{told:?}");
    }
}
