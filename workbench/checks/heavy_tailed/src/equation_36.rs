//! Eq. 36: the upper bound for random outputs at one eta.
//!
//! **Claim** (`heavy-tailed/eq-36`). E_{e,u}[E(f_q)] <= M^2/(2 sqrt pi) sqrt(2/(eta^2 d)) exp(-eta^2 d/2) + sum_x p(x) sum_{y != f} (1 +
//! (1-eta)^2/4 q^2/||q||^2)^{-d/2}. "Since this is true for any eta one can consider the supremum in the upper bound."
//!
//! The best upper bound is an infimum; the supremum is infinite, as eta goes to 0. "Any eta" is read as one at which unit vectors can be quasi
//! orthogonal and more, that is up to one: beyond it (1-eta)^2 grows again, which stands beside the rest. The second term is not what Eq. 31
//! gives, but Eq. 28 with a cruder ratio, which certified families test. Refuted by an error above the infimum over eta up to one, a ratio below
//! the cruder one, or a second term below that of Eq. 31.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{ConditionalDraws, Profile, output_failure_bound, quasi_upper, random_upper};

use super::profiles::{BOUND, MANY, draws, expected_error, in_turn};
use super::quasi_orthogonal_ratio::links;
use crate::vocabulary::{EXACT, least_of};

/// The right side over a grid of eta.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-36",
    metric: "upper end of the expected error over the right side, at one eta and at the best of a grid",
    against: "an error above the infimum of the right side; a supremum that is no use as a bound",
    choices: &[
        "equal weights, M = 4; the bound is far above the error, so its second term is tested through its ratio",
    ],
    departures: &["any eta is read as any eta up to one: inner products of unit vectors are not larger"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint("the infimum over η, not the supremum");
    let four = &draws(s)?.four;
    grid(s, four)?;

    // Ten inputs a class in 32 dimensions.
    let weak = in_turn(&[1.0; 40], 4)?;
    let error = expected_error(four, &weak, 32)?;
    let beyond = s.knob("an η beyond one", 100.0, 1.0..)?;
    let label = format!("40 equal inputs, d = 32: error less the right side at η = {beyond}");
    s.aside(Margin::ZERO).of("draws").at_most(label, error.affine(1.0, -random_upper(&weak, 32, beyond)?)?);

    for link in s.each("cells", links(s)?) {
        let label = "ratio of Eq. 28 over that of Eq. 36, certified families, smallest";
        s.both_forms(BOUND).at_least(label, link.chain.ratio / link.of_36);
    }
    let many = expected_error(four, &in_turn(&[1.0; 4000], 4)?, 4096)?;
    let label = "q/‖q‖ in the place of q²/‖q‖²: error over the right side, 4000 equal inputs, d = 4096";
    s.twin(BOUND).of("draws").at_most(label, many.affine(1.0 / without_square(4000)?, 0.0)?);
    Ok(())
}

fn etas() -> Vec<f64> {
    (1..200).map(|i| f64::from(i) / 200.0).collect()
}

/// The right side over the grid of eta.
fn right_sides(profile: &Profile, dim: usize) -> Result<Vec<f64>, Failure> {
    etas().into_iter().map(|eta| Ok(random_upper(profile, dim, eta)?)).collect()
}

/// Supremum and infimum for equal inputs in many dimensions.
fn grid(s: &Sheet, four: &ConditionalDraws) -> Done {
    let mut informative = 0;
    let panel = Panel::new("eight inputs of equal weight, M = 4").x_label("η").y_label("error and bounds").log_y();
    let mut panel = panel.y_limits(1e-12, 30.0);
    for n in [2, 4, 8] {
        for exponent in s.each("cells", 5..=16) {
            let (dim, profile) = (1usize << exponent, in_turn(&vec![1.0; n], 4)?);
            let (error, values) = (expected_error(four, &profile, dim)?, right_sides(&profile, dim)?);
            let label = "the supremum over η, smallest over the grid (a bound of use is below one)";
            s.printed(BOUND).least().at_most(label, random_upper(&profile, dim, 1e-6)?);
            let least = least_of(values.iter().copied());
            // Below the range of doubles error and bound are both zero.
            if least < 1.0 && least > 1e-250 {
                informative += 1;
                let label = "upper end of the error over the infimum, largest where the latter is below one";
                s.changed(BOUND).at_most(label, error.high / least);
            }
            let best = values.iter().position(|value| *value == least).map_or(0.5, |at| etas()[at]);
            let second_term = least - output_failure_bound(4, dim, best)?;
            let label = "second term below what Eq. 31 gives, which the text plugs in: cases that break it";
            s.both_forms(EXACT).never(label, second_term < quasi_upper(&profile, dim, best)?);
            if n == 8 && [5, 7, 9].contains(&exponent) {
                let k = (exponent as usize - 5) / 2;
                panel = panel.theory(&format!("Eq. 36, d = {dim}"), &etas(), &values).colour(k);
                if error.value > 1e-12 {
                    let line = [error.value, error.value];
                    panel = panel.line(&format!("error, d = {dim}"), &[0.0, 1.0], &line).colour(k);
                }
            }
        }
    }
    s.support(MANY).of("cells").at_least("configurations whose infimum is below one", f64::from(informative));
    s.note("the infimum over all η > 0, without an end at one, would be 0");
    s.figure(Figure::new("The right side of Eq. 36 has a valley in η").panel(panel.legend_below()).caption(
        "Too small an η and random outputs are not quasi orthogonal, too large and nothing is left of the signal. The bound of use is \
         the bottom of the valley, an infimum; for η → 0 it is infinite. The errors lie far below; one below the axis is not drawn.",
    ));
    Ok(())
}

/// The right side with q/||q|| in the place of its square, least over eta, for equal inputs in d = 4096, M = 4.
fn without_square(inputs: usize) -> Result<f64, Failure> {
    let bound = |eta: f64| {
        let ratio = 0.25 * (1.0 - eta).powi(2) / (inputs as f64).sqrt();
        Ok(output_failure_bound(4, 4096, eta)? + 3.0 * (1.0 + ratio).powf(-2048.0))
    };
    Ok(least_of(etas().into_iter().map(bound).collect::<Result<Vec<f64>, Failure>>()?).min(1.0))
}
