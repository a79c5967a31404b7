//! Beyond the document: rules that correct their errors hold d pairs in total.
//!
//! Ours. A rule that is linear in the values and corrects its errors, fed with v = x, ends at W = I; its trace is the sum of the
//! retentions of all pairs. The Hebbian rule corrects nothing: it keeps every pair and pays in accuracy.

use workbench_gradient_memory::{HeavyBall, Loss, UpdateRule};
use workbench_ground::stats::unit_sphere;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use super::beyond_retention::{AGES, DIM, PAIRS, retention_of_all};
use crate::vocabulary::row;

const TOTAL: Margin = Margin::statistical("total", 2.0, "two pairs of 32, above the noise of a sum over 256 ages");
const ALL_KEPT: Margin =
    Margin::statistical("all kept", 8.0, "of 256 pairs: each retention has the noise of full interference");
const TRACE: Margin = Margin::statistical("trace", 1e-6, "4000 steps leave exp(-4000 η/d), far below it");
const LEVEL: Margin = Margin::statistical(
    "level",
    0.05,
    "twice what two means leave; rules that prefer the late ones differ by a half and more",
);
const LEVEL_NOISY: Margin =
    Margin::statistical("level, with interference", 0.4, "two means with the noise of 255 other pairs each");
const ERROR: Margin = Margin::statistical("error", 0.2, "7 % of the predicted length, of which the runs leave half");
const ANSWERED: Margin =
    Margin::rounding("answered in full", 1e-12, "rounding: at η = 1 the newest key is answered exactly");

/// Whose pairs are held, and how many.
pub const CHECK: Check = Check {
    claim: "a-budget-of-d-pairs",
    says: "Rules that correct their errors hold d pairs in total and differ in whose; the Hebbian rule holds all of them and answers \
           with an error of √((T − 1)/d).",
    metric: "sum of retentions over all ages, differences between ages, relative error; means over runs with 99.9 % intervals",
    against: "a sum that is not d, a preference where there should be none or the reverse",
    choices: &["256 pairs in 32 dimensions, the same pairs for every rule, runs independent"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let all = retention_of_all(s)?;
    let [hebbian, _, delta, _, ball, _, exact, fading] = [0, 1, 2, 3, 4, 5, 6, 7].map(|k| &all.kept[k].measured);
    let (d, pairs, oldest) = (DIM as f64, PAIRS as f64, AGES.len() - 1);

    let total = s.printed(TOTAL);
    let left_by_delta = d * (1.0 - (1.0 - 1.0 / d).powf(pairs));
    total.equals("delta rule, η = 1: sum of all retentions", left_by_delta, delta.total()?);
    let ages: Vec<usize> = (0..PAIRS).collect();
    let left_by_ball = all.kept[4].theory(&ages)?.iter().sum();
    total.equals("heavy ball, β = 3/4: sum of all retentions", left_by_ball, ball.total()?);
    total.equals("least squares: sum of all retentions", d, exact.total()?);
    total.equals("least squares with forgetting: sum of all retentions", d, fading.total()?);
    s.printed(ALL_KEPT).equals("Hebbian: sum of all retentions", pairs, hebbian.total()?);
    s.twin(TOTAL).equals("Hebbian rule with a budget of d: sum of all retentions", d, hebbian.total()?);
    s.twin(TOTAL).equals("heavy ball that holds d/(1 − β): sum of all retentions", 4.0 * d, ball.total()?);
    let trace = trace(s, s.knob("steps with v = x", 4000, 1..)?)?;
    s.printed(TRACE).equals("heavy ball fed with v = x: trace of W", d, trace);

    s.printed(LEVEL).equals("least squares: newest minus oldest", 0.0, exact.contrast(0, oldest)?);
    s.printed(LEVEL_NOISY).equals("Hebbian: newest minus oldest", 0.0, hebbian.contrast(0, oldest)?);
    let later = s.printed(Margin::ZERO);
    later.at_least("delta rule, η = 1: newest minus oldest", delta.contrast(0, oldest)?);
    later.at_least("heavy ball, β = 3/4: newest minus oldest", ball.contrast(0, oldest)?);
    later.at_least("least squares with forgetting: newest minus oldest", fading.contrast(0, oldest)?);
    later.at_least("Adam: age 20 minus oldest", all.adam.contrast(4, oldest)?);

    let error = ((pairs - 1.0) / d).sqrt();
    s.printed(ERROR).equals("Hebbian: relative error of the oldest pair", error, hebbian.error_at(oldest)?);
    s.printed(ANSWERED).at_most("delta rule, η = 1: relative error of the newest pair", delta.error_at(0)?);
    Ok(())
}

/// The trace of the memory that was asked to store every key as its own value.
fn trace(s: &Sheet, steps: usize) -> Result<f64, Failure> {
    let keys = unit_sphere(&mut s.stream("budget")?, steps, DIM);
    let mut rule = HeavyBall::new(DIM, DIM, 0.25, 0.75, Loss::Squared)?;
    for t in 0..steps {
        rule.step(&row(&keys, t), &row(&keys, t))?;
    }
    Ok(rule.weights().diag().sum())
}
