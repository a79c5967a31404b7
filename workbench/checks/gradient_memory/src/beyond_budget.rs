//! Beyond the document: rules that correct their errors hold d pairs in total.
//!
//! Ours. A rule that is linear in the values and corrects its errors, fed with v = x, ends at W = I; its trace is the sum of the
//! retentions of all pairs. The Hebbian rule corrects nothing: it keeps every pair and pays in accuracy.

use workbench_gradient_memory::{HeavyBall, Loss, UpdateRule};
use workbench_ground::stats::{Estimate, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use super::beyond_retention::{AGES, All, DIM, PAIRS};
use crate::vocabulary::row;

const TOTAL: Margin = Margin::new("total", 2.0, "two pairs of 32, above the noise of a sum over 256 ages");
const ALL_KEPT: Margin =
    Margin::new("all kept", 8.0, "of 256 pairs: each retention has the noise of full interference");
const TRACE: Margin = Margin::new("trace", 1e-6, "4000 steps leave exp(-4000 η/d), far below it");
const LEVEL: Margin = Margin::new("level", 0.05, "a twentieth of full retention counts as no preference");
const LEVEL_NOISY: Margin =
    Margin::new("level, with interference", 0.4, "two means with the noise of 255 other pairs each");
const MUCH: Margin = Margin::new("much later", 0.8, "four fifths of full retention");
const SOME: Margin = Margin::new("later", 0.1, "a tenth of full retention, twice what counts as none");
const ERROR: Margin = Margin::new("error", 0.2, "7 % of the predicted length");
const ANSWERED: Margin =
    Margin::new("answered in full", 1e-12, "rounding: at η = 1 the newest key is answered exactly");

/// Whose pairs are held, and how many.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Steps of the rule that stores each key under itself.
    pub steps: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { steps: 4000 }
    }
}

impl Budget {
    /// The trace of the memory that was asked to store every key as its own value.
    fn trace(&self, setting: &Setting) -> Result<f64, Failure> {
        let keys = unit_sphere(&mut setting.stream("budget")?, self.steps, DIM);
        let mut rule = HeavyBall::new(DIM, DIM, 0.25, 0.75, Loss::Squared)?;
        for t in 0..self.steps {
            rule.step(&row(&keys, t), &row(&keys, t))?;
        }
        Ok(rule.weights().diag().sum())
    }
}

impl TypedCheck for Budget {
    const CLAIM: &'static str = "a-budget-of-d-pairs";
    const SAYS: &'static str = "Rules that correct their errors hold d pairs in total and differ in whose; the Hebbian rule holds \
                                all of them and answers with an error of √((T − 1)/d).";
    const PLAN: Plan = Plan::new(
        "sum of retentions over all ages, differences between ages, relative error; means over runs with 99.9 % intervals",
        "a sum that is not d, a preference where there should be none or the reverse",
        &[TOTAL, ALL_KEPT, TRACE, LEVEL, LEVEL_NOISY, MUCH, SOME, ERROR, ANSWERED],
    )
    .protocol(&["256 pairs in 32 dimensions, the same pairs for every rule, runs independent"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let all = setting.shared("retention by age", All::measure)?;
        let [hebbian, _, delta, _, ball, _, exact, fading] = [0, 1, 2, 3, 4, 5, 6, 7].map(|k| &all.kept[k].measured);
        let (d, pairs, oldest) = (DIM as f64, PAIRS as f64, AGES.len() - 1);
        let fine: Vec<usize> = (0..PAIRS).collect();
        let ball_total = all.kept[4].theory(&fine)?.iter().sum();
        let delta_total = d * (1.0 - (1.0 - 1.0 / d).powf(pairs));
        let evidence = Evidence::of(Finding::equals(
            "delta rule, η = 1: sum of all retentions",
            delta_total,
            TOTAL,
            delta.total()?,
        ))
        .and(Finding::equals("heavy ball, β = 3/4: sum of all retentions", ball_total, TOTAL, ball.total()?))
        .and(Finding::equals("least squares: sum of all retentions", d, TOTAL, exact.total()?))
        .and(Finding::equals("least squares with forgetting: sum of all retentions", d, TOTAL, fading.total()?))
        .and(Finding::equals("Hebbian: sum of all retentions", pairs, ALL_KEPT, hebbian.total()?))
        .and(Finding::equals("heavy ball fed with v = x: trace of W", d, TRACE, Estimate::exact(self.trace(setting)?)))
        .and(Finding::equals("least squares: newest minus oldest", 0.0, LEVEL, exact.contrast(0, oldest)?))
        .and(Finding::equals("Hebbian: newest minus oldest", 0.0, LEVEL_NOISY, hebbian.contrast(0, oldest)?))
        .and(Finding::at_least("delta rule, η = 1: newest minus oldest", MUCH, delta.contrast(0, oldest)?))
        .and(Finding::at_least("heavy ball, β = 3/4: newest minus oldest", SOME, ball.contrast(0, oldest)?))
        .and(Finding::at_least("least squares with forgetting: newest minus oldest", SOME, fading.contrast(0, oldest)?))
        .and(Finding::at_least("Adam: age 20 minus oldest", SOME, all.adam.contrast(4, oldest)?))
        .and(Finding::equals(
            "Hebbian: relative error of the oldest pair",
            ((pairs - 1.0) / d).sqrt(),
            ERROR,
            hebbian.error_at(oldest)?,
        ))
        .and(Finding::at_most("delta rule, η = 1: relative error of the newest pair", ANSWERED, delta.error_at(0)?))
        .twin(Finding::equals("Hebbian rule with a budget of d: sum of all retentions", d, TOTAL, hebbian.total()?))
        .twin(Finding::equals(
            "heavy ball that holds d/(1 − β): sum of all retentions",
            4.0 * d,
            TOTAL,
            ball.total()?,
        ));
        Ok(evidence.into())
    }
}
