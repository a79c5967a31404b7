//! Figure 13, right: numbers of random features.
//!
//! **Claim** (`mnemosyne/fig-13-right`), not tested: numbers of random features in the hyperbolic mechanism, compared. B.4 and the caption name
//! no winner and print no number.
//!
//! What the kept trainings show is in the table: twelve of them tell none of the other five numbers, from two to sixty-four, from the
//! document's 16. Why more features should help at all is exact: the variance of the kernel estimate falls as 1/r.

use workbench_features::moments::log_relative_variance;
use workbench_features::{Ensemble, MapKind};
use workbench_ledger::{Check, Done, Failure, Sheet};

use super::meta_curves::{DATA, OPEN, PICTURE, SCALED, best, figure, late, table, trend};
use crate::vocabulary::largest_of;

/// Numbers of features, and the variants that have them.
pub const SIZES: [(f64, &str); 6] =
    [(2.0, "r-2"), (4.0, "r-4"), (8.0, "r-8"), (16.0, "k-2"), (32.0, "r-32"), (64.0, "r-64")];

const SHOWN: [(&str, &str); 6] =
    [("k-2", "r = 16"), ("r-2", "r = 2"), ("r-4", "r = 4"), ("r-8", "r = 8"), ("r-32", "r = 32"), ("r-64", "r = 64")];

/// Six numbers of features.
pub const CHECK: Check = Check {
    claim: "mnemosyne/fig-13-right",
    metric: "late log meta-loss by the number of features; variance of the kernel estimate times r",
    against: "nothing that is printed",
    protocol: &["r = 16, the document's own, and others; hyperbolic features"],
    choices: &["r = 2, 4, 8, 16, 32, 64; kernel at |q + k|^2 = 1 in 8 dimensions, independent projections", DATA],
    departures: &[SCALED, OPEN, PICTURE, "the values of r are ours"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let best = best(s, &["r-2", "r-4", "r-8", "r-32", "r-64"])?;
    let (apart, slope) = (late(s, "k-2", best)?, trend(s, &SIZES)?);
    let variance = |r: f64| -> Result<f64, Failure> {
        Ok(log_relative_variance(MapKind::Hyperbolic, Ensemble::Independent, r as usize, 8, 1.0)?.exp())
    };
    let first = 2.0 * variance(2.0)?;
    let off = SIZES.iter().map(|(r, _)| Ok((r * variance(*r)? / first - 1.0).abs()));
    let off = largest_of(off.collect::<Result<Vec<f64>, Failure>>()?);
    let other = best.replace('-', " = ");
    s.not_tested(format!(
        "B.4 and the caption compare numbers of features, name no winner and print no number; shown instead, scaled down: late log meta-loss, r = 16 minus {other}, the best other number on the same trainings, {:.4} [{:.4}, {:.4}]; slope in ln r {:.4} [{:.4}, {:.4}]; the variance of the kernel estimate times r is one number, up to {off:.0e}",
        apart.value, apart.low, apart.high, slope.value, slope.low, slope.high
    ));
    s.table(table(s, "Numbers of features, late in training", &SHOWN)?);
    s.figure(figure(s, "Six numbers of features in meta-training", &SHOWN)?);
    Ok(())
}
