//! Eqs. 30 and 31: one feature's variance over r.
//!
//! **Claim** (`mnemosyne/eq-30-31`). With Z_k = sum_mu (W_k - Z_k), independent for independent projections,
//! Var(Delta) = (1/r^2) sum_k Var(Z_k): r times the variance does not depend on r.
//!
//! Sampling is honest here only because the dimension is small and A-hat large, so that fourth moments are tame; the figure shows what it
//! would do elsewhere. The mechanism itself, after Eq. 9, draws orthogonal blocks, whose summands depend on each other: for N = 2 their
//! covariance is an integral over an angle and two lengths. That is the wrong twin, and with four projections the sampler must meet its
//! exact value. The input is a noisy one, the first pattern with one sign turned, so that it is none of the patterns. What would count
//! against the claim: a number of features whose r Var is not Var(Z).

use workbench_display::{Figure, Panel};
use workbench_features::compact::{
    Flip, FlipVariance, Patterns, RandomFeatures, Signs, naive_relative_second_moment, orthogonal_pair_covariance,
    squared_deviations,
};
use workbench_features::{Ensemble, MapKind, best_a_hat_for_pair};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

/// The variance for several numbers of features, in units of that of one.
#[derive(Clone, Debug)]
pub struct Independence {
    /// Numbers of independent features.
    pub features: Vec<usize>,
    /// The parameter of FAVOR++.
    pub a_hat: f64,
}

impl Default for Independence {
    fn default() -> Independence {
        Independence { features: vec![1, 2, 4, 8], a_hat: 1.0 }
    }
}

struct Model {
    set: Patterns,
    input: Signs,
    a_hat: f64,
    /// Relative variance of one feature, exact.
    one: f64,
    /// r Var over Var(Z) for orthogonal pairs, exact.
    orthogonal: f64,
}

impl Model {
    fn new(a_hat: f64) -> Result<Model, Failure> {
        // The input is one sign from the first pattern, and both from the second.
        let first = Signs::plus(2)?;
        let (second, input) = (first.flipped(1)?, first.flipped(0)?);
        let set = Patterns::from_signs(vec![first, second])?;
        let flip = FlipVariance::new(&set, &input, 0, a_hat)?;
        let one = flip.log_relative_variance(false)?.exp();
        let pair = orthogonal_pair_covariance(&set, &input, 0, a_hat)? / flip.mean().value().powi(2);
        Ok(Model { orthogonal: 1.0 + pair / one, set, input, a_hat, one })
    }

    /// r Var over Var(Z), sampled.
    fn scaled(&self, setting: &Setting, ensemble: Ensemble, r: usize) -> Result<Estimate, Failure> {
        let (runs, name) = (setting.scale().pick(50_000, 200_000), format!("{ensemble:?} {r}"));
        let flip = Flip { patterns: &self.set, input: &self.input, entry: 0 };
        let kind = MapKind::FavorPlusPlus { a_hat: self.a_hat };
        let features = RandomFeatures { kind, ensemble, r };
        let squares = squared_deviations(flip, features, runs, setting.streams(), &name)?;
        Ok(mean(&squares)?.affine(r as f64 / self.one, 0.0)?)
    }
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
            let streams = setting.streams();
            seen.push(naive_relative_second_moment(flip, a_hat, draws, streams, &name)?);
        }
        panel = panel.line(label, &x, &seen).colour(colour).points("", &x, &seen).colour(colour);
    }
    Ok(Figure::new("Plain draws see almost nothing of the second moment")
        .panel(panel.hline("exact", 1.0).legend_below())
        .caption(&format!(
            "{draws} plain draws for each point. Far below one: the draws miss where the moment arises, and nothing in them says so."
        )))
}

impl TypedCheck for Independence {
    const CLAIM: &'static str = "mnemosyne/eq-30-31";
    const PLAN: Plan = Plan::new(
        "r times the sampled variance over the exact variance of one feature; its interval against 1",
        "a number of independent features for which the interval misses 1",
        &[],
    )
    .protocol(&["the input is the first pattern with one sign turned; the flip turns it back"])
    .departures(&["N = 2, M = 2 and A-hat = 1, so that fourth moments are tame and sampling is honest"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let model = Model::new(self.a_hat)?;
        let mut findings = Vec::new();
        for &r in &self.features {
            let scaled = model.scaled(setting, Ensemble::Independent, r)?;
            findings.push(Finding::near(format!("r Var(ΔE) over Var(Z), r = {r}"), 1.0, 0.0, scaled).unit("draws"));
        }
        let rest = findings.split_off(1);
        let mut evidence = findings.remove(0).into();
        for finding in rest {
            evidence = Evidence::and(evidence, finding);
        }
        let blocks = |r| model.scaled(setting, Ensemble::BlockOrthogonal, r);
        let evidence = evidence
            .support(
                Finding::near(
                    "two orthogonal pairs, r = 4: r Var(ΔE) over Var(Z), against its exact value",
                    model.orthogonal,
                    0.0,
                    blocks(4)?,
                )
                .unit("draws"),
            )
            .twin(Finding::near("an orthogonal pair, r = 2, as if independent", 1.0, 0.0, blocks(2)?).unit("draws"))
            .note(format!(
                "orthogonal blocks change r Var by the factor {:.4}, exact; the theorem's formula is for independent projections",
                model.orthogonal
            ));
        Ok(Checked::from(evidence).figure(naive_figure(setting)?))
    }
}
