//! Eqs. 30 and 31: one feature's variance over r.
//!
//! **Claim** (`mnemosyne/eq-30-31`). With Z_k = sum_mu (W_k - Z_k), independent for independent projections,
//! Var(Delta) = (1/r^2) sum_k Var(Z_k): r times the variance does not depend on r.
//!
//! Sampling is honest here only because the dimension is small and A-hat large, so that fourth moments are tame; the figure shows what it
//! would do elsewhere. The mechanism itself, after Eq. 9, draws orthogonal blocks, whose summands depend on each other: for N = 2 their
//! covariance is an integral over an angle and two lengths. That is the wrong twin, and with four projections the sampler must meet its exact
//! value. The input is a noisy one, the first pattern with one sign turned, so that it is none of the patterns. Refuted by a number of
//! features whose r Var is not Var(Z).

use workbench_display::{Figure, Panel};
use workbench_features::compact::{
    Flip, FlipVariance, Patterns, RandomFeatures, Signs, naive_relative_second_moment, orthogonal_pair_covariance,
    squared_deviations,
};
use workbench_features::{Ensemble, MapKind, best_a_hat_for_pair};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};

/// The variance for several numbers of features, in units of that of one.
pub const CHECK: Check = Check {
    claim: "mnemosyne/eq-30-31",
    metric: "r times the sampled variance over the exact variance of one feature; its interval against 1",
    against: "a number of independent features for which the interval misses 1",
    protocol: &["independent projections"],
    choices: &[
        "the input is the first pattern with one sign turned; the flip turns it back",
        "N = 2, M = 2 and Â = 1, so that fourth moments are tame and sampling is honest; r = 1, 2, 4 and 8",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let a_hat = s.knob("Â", 1.0, 0.1..=10.0)?;
    let runs = s.knob("draws", s.scale().pick(50_000, 200_000), 2..)?;
    // The input is one sign from the first pattern, and both from the second.
    let first = Signs::plus(2)?;
    let (second, input) = (first.flipped(1)?, first.flipped(0)?);
    let patterns = Patterns::from_signs(vec![first, second])?;
    let flip = FlipVariance::new(&patterns, &input, 0, a_hat)?;
    // Relative variance of one feature, exact.
    let one = flip.log_relative_variance(false)?.exp();
    // r Var over Var(Z), sampled.
    let scaled = |ensemble: Ensemble, r: usize| -> Result<Estimate, Failure> {
        let flip = Flip { patterns: &patterns, input: &input, entry: 0 };
        let features = RandomFeatures { kind: MapKind::FavorPlusPlus { a_hat }, ensemble, r };
        let squares = squared_deviations(flip, features, runs, s.streams(), &format!("{ensemble:?} {r}"))?;
        Ok(mean(&squares)?.affine(r as f64 / one, 0.0)?)
    };
    for r in s.knobs("features r", &[1, 2, 4, 8], 1..)? {
        let label = format!("r Var(ΔE) over Var(Z), r = {r}");
        s.printed(Margin::ZERO).of("draws").near(label, 1.0, scaled(Ensemble::Independent, r)?);
    }

    let pair = orthogonal_pair_covariance(&patterns, &input, 0, a_hat)? / flip.mean().value().powi(2);
    let orthogonal = 1.0 + pair / one;
    let label = "two orthogonal pairs, r = 4: r Var(ΔE) over Var(Z), against its exact value";
    s.support(Margin::ZERO).of("draws").near(label, orthogonal, scaled(Ensemble::BlockOrthogonal, 4)?);
    let label = "an orthogonal pair, r = 2, as if independent";
    s.twin(Margin::ZERO).of("draws").near(label, 1.0, scaled(Ensemble::BlockOrthogonal, 2)?);
    s.note(format!(
        "orthogonal blocks change r Var by the factor {orthogonal:.4}, exact; the theorem's formula is for independent projections"
    ));
    s.figure(naive_figure(s)?);
    Ok(())
}

fn naive_figure(setting: &Setting) -> Result<Figure, Failure> {
    let draws = setting.scale().pick(20_000, 200_000);
    let dims: Vec<usize> = (1..=12).collect();
    let x: Vec<f64> = dims.iter().map(|n| *n as f64).collect();
    let mut panel =
        Panel::new("one pattern, input = pattern").x_label("N").y_label("sample E[Z²] / exact E[Z²]").log_y();
    // The colours of the two maps in all figures.
    for (colour, label, best) in [(0, "FAVOR+", false), (2, "FAVOR++, best Â", true)] {
        let mut seen = Vec::new();
        for &n in &dims {
            let set = Patterns::from_signs(vec![Signs::plus(n)?])?;
            let a_hat = if best { best_a_hat_for_pair(n, 4.0 * n as f64)? } else { 0.0 };
            let (input, name) = (set.pattern(0)?, format!("naive {label} {n}"));
            let flip = Flip { patterns: &set, input: &input, entry: 0 };
            seen.push(naive_relative_second_moment(flip, a_hat, draws, setting.streams(), &name)?);
        }
        panel = panel.line(label, &x, &seen).colour(colour).points("", &x, &seen).colour(colour);
    }
    Ok(Figure::new("Plain draws see almost nothing of the second moment")
        .panel(panel.hline("exact", 1.0).legend_below())
        .caption(&format!(
            "{draws} plain draws for each point. Far below one: the draws miss where the moment arises, and nothing in them says so."
        )))
}
