//! Eq. 36: the upper bound for random outputs at one eta.
//!
//! **Claim** (`heavy-tailed/eq-36`). E_{e,u}[E(f_q)] <= M^2/(2 sqrt pi) sqrt(2/(eta^2 d)) exp(-eta^2 d/2) + sum_x p(x) sum_{y != f} (1 +
//! (1-eta)^2/4 q^2/||q||^2)^{-d/2}. "Since this is true for any eta one can consider the supremum in the upper bound."
//!
//! The best upper bound is an infimum; the supremum is infinite, as eta goes to 0. And "any eta" must stop at one: beyond it (1-eta)^2
//! grows again while the failure term vanishes. The second term is Eq. 28 with a cruder ratio, which certified families test. Against the
//! bound would count an error above the infimum over eta up to one, or a ratio below the cruder one.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{ConditionalDraws, output_failure_bound, quasi_upper, random_upper};

use super::proof_of_lemma_3::{BOUND, MANY, above, below, draws, enough, expected_error, in_turn};
use super::quasi_orthogonal_ratio::links;
use crate::vocabulary::{Largest, Least, least_of};

/// The right side over a grid of eta.
#[derive(Clone, Debug)]
pub struct RandomOutputsUpper {
    /// Draws of output embeddings; by scale if 0.
    pub draws: usize,
    /// Numbers of inputs of equal weight.
    pub inputs: Vec<usize>,
    /// Exponents of two of the dimensions.
    pub exponents: Vec<u32>,
    /// An eta beyond one.
    pub beyond: f64,
}

impl Default for RandomOutputsUpper {
    fn default() -> RandomOutputsUpper {
        RandomOutputsUpper { draws: 0, inputs: vec![2, 4, 8], exponents: (5..=16).collect(), beyond: 100.0 }
    }
}

fn etas() -> Vec<f64> {
    (1..200).map(|i| f64::from(i) / 200.0).collect()
}

/// Error and right side of eight equal inputs at one dimension.
struct Valley {
    dim: usize,
    error: f64,
    values: Vec<f64>,
}

#[derive(Default)]
struct Seen {
    informative: usize,
    cells: usize,
    worst: Largest,
    supremum: Least,
    sharper_31: usize,
    shown: Vec<Valley>,
}

impl RandomOutputsUpper {
    fn grid(&self, four: &ConditionalDraws) -> Result<Seen, Failure> {
        let (etas, mut seen) = (etas(), Seen::default());
        for &n in &self.inputs {
            for &exponent in &self.exponents {
                let (dim, profile) = (1usize << exponent, in_turn(&vec![1.0; n], 4)?);
                let error = expected_error(four, &profile, dim)?;
                let mut values = Vec::with_capacity(etas.len());
                let (mut least, mut best) = (f64::INFINITY, 0.5);
                for &eta in &etas {
                    let value = random_upper(&profile, dim, eta)?;
                    if value.is_nan() || value < least {
                        (least, best) = (value, eta);
                    }
                    values.push(value);
                }
                seen.supremum.see(random_upper(&profile, dim, 1e-6)?);
                // Below the range of doubles error and bound are both zero.
                if least < 1.0 && least > 1e-250 {
                    seen.informative += 1;
                    seen.worst.see(error.high / least);
                }
                let second_term = least - output_failure_bound(4, dim, best)?;
                seen.sharper_31 += usize::from(quasi_upper(&profile, dim, best)? <= second_term);
                seen.cells += 1;
                if n == 8 && [5, 7, 9].contains(&exponent) {
                    let error = error.value;
                    seen.shown.push(Valley { dim, error, values });
                }
            }
        }
        Ok(seen)
    }
}

fn figure(shown: &[Valley]) -> Figure {
    let etas = etas();
    let mut panel = Panel::new("eight inputs of equal weight, M = 4")
        .x_label("η")
        .y_label("error and bounds")
        .log_y()
        .y_limits(1e-12, 30.0);
    for (k, valley) in shown.iter().enumerate() {
        panel = panel.theory(&format!("Eq. 36, d = {}", valley.dim), &etas, &valley.values).colour(k);
        if valley.error > 1e-12 {
            let error = [valley.error, valley.error];
            panel = panel.line(&format!("error, d = {}", valley.dim), &[0.0, 1.0], &error).colour(k);
        }
    }
    Figure::new("The right side of Eq. 36 has a valley in η")
        .panel(panel.legend_below())
        .caption(
            "Too small an η and random outputs are not quasi orthogonal, too large and nothing is left of the signal. The bound of use is \
             the bottom of the valley, an infimum; for η → 0 it is infinite. The errors lie far below; one below the axis is not drawn.",
        )
}

/// The right side with q/||q|| in the place of its square, least over eta, for equal inputs in d = 4096, M = 4.
fn without_square(inputs: usize) -> Result<f64, Failure> {
    let mut least = 1.0f64;
    for eta in etas() {
        let ratio = 0.25 * (1.0 - eta).powi(2) / (inputs as f64).sqrt();
        let bound = output_failure_bound(4, 4096, eta)? + 3.0 * (1.0 + ratio).powf(-2048.0);
        least = least_of([least, bound]);
    }
    Ok(least)
}

impl TypedCheck for RandomOutputsUpper {
    const CLAIM: &'static str = "heavy-tailed/eq-36";
    const PLAN: Plan = Plan::new(
        "upper end of the expected error over the right side, at one eta and at the best of a grid",
        "an error above the right side at an eta that the text allows; a supremum that is no use as a bound",
        &[BOUND, MANY],
    )
    .departures(&[
        "equal weights, M = 4; the bound is far above the error, so its second term is tested through its ratio",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let draws = draws(setting, self.draws)?;
        let (seen, links) = (self.grid(&draws.four)?, links(setting)?);
        // Ten inputs a class in 32 dimensions.
        let weak = in_turn(&[1.0; 40], 4)?;
        let error = expected_error(&draws.four, &weak, 32)?;
        let mut infimum = 1.0f64;
        for eta in etas() {
            infimum = least_of([infimum, random_upper(&weak, 32, eta)?]);
        }
        let less = |label: &str, bound: f64| -> Result<Finding, Failure> {
            Ok(Finding::at_most(label, 0.0, error.affine(1.0, -bound)?).unit("draws"))
        };
        let many = expected_error(&draws.four, &in_turn(&[1.0; 4000], 4)?, 4096)?;
        let squareless = many.affine(1.0 / without_square(4000)?, 0.0)?;
        let evidence = Evidence::of(Finding::at_most(
            "the supremum over η, smallest over the grid (a bound of use is below one)",
            BOUND,
            Estimate::exact(seen.supremum.0),
        ))
        .and(less(
            "40 equal inputs, d = 32: error less the right side at η = 100",
            random_upper(&weak, 32, self.beyond)?,
        )?)
        .misprint(
            "the infimum, not the supremum, and over 0 < η ≤ 1",
            vec![
                below(
                    "upper end of the error over the infimum, largest where the latter is below one",
                    seen.worst.0,
                    seen.informative,
                ),
                less("40 equal inputs, d = 32: error less the infimum, at most 1", infimum)?,
                above(
                    "ratio of Eq. 28 over that of Eq. 36, certified families, smallest",
                    links.cruder.0,
                    links.cells,
                ),
            ],
        )
        .support(enough("configurations whose infimum is below one", seen.informative))
        .twin(
            Finding::at_most(
                "q/‖q‖ in the place of q²/‖q‖²: error over the right side, 4000 equal inputs, d = 4096",
                BOUND,
                squareless,
            )
            .unit("draws"),
        )
        .note(format!(
            "the infimum over all η > 0 would be 0. The text plugs in Eq. 31, which is sharper than the term printed in {} of {} \
             configurations",
            seen.sharper_31, seen.cells
        ));
        Ok(Checked::from(evidence).figure(figure(&seen.shown)))
    }
}
