//! Figure 8, left and middle: error over d and T of equal weights and of weights by frequency.
//!
//! **Claims**, at alpha = 0.5, N = 100, M = 5, 100 runs. `heavy-tailed/fig-8-left`, q_0: d is too small and the memory overflows, which leads to a
//! large error, or it is big enough, and with enough data the error is zero. `heavy-tailed/fig-8-middle`, q_1: for small d and big T it avoids
//! overflow and has a smaller error than q_0; for big d it gives rare associations too little and has a bigger one.
//!
//! "Zero" means exactly zero in a run, counted with an exact interval. "Large" is judged by more wrong answers than right ones, which must
//! not be said of the memory that is big enough. The differences of the two schemes are paired, on the same embeddings and data.

use std::sync::Arc;

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, Sourced, TypedCheck};
use workbench_memory::{Errors, Samples, Scheme, Zipf, log_grid};

use super::error_curves::Curves;

const NEARLY_ALL: Margin = Margin::new(
    "nearly all runs",
    0.9,
    "a hundred runs without a single error prove no more than nine in ten at this confidence",
);
const MOSTLY_WRONG: Margin =
    Margin::new("mostly wrong", 0.5, "more queries wrong than right; the caption says large and gives no number");

/// The grid of both panels.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Inputs N.
    pub inputs: usize,
    /// Exponent of the law.
    pub alpha: f64,
    /// Dimensions.
    pub dims: Vec<usize>,
    /// Independent runs.
    pub runs: usize,
}

impl Default for Grid {
    fn default() -> Grid {
        Grid {
            inputs: 100,
            alpha: 0.5,
            dims: vec![5, 7, 10, 14, 20, 30, 40, 60, 80, 100, 140, 200, 300, 400, 600, 1000, 1400, 2000],
            runs: 100,
        }
    }
}

/// Dimensions that the claims speak of: N/10 and 10N.
const SMALL: usize = 10;
const BIG: usize = 1000;
/// The most data of the grid.
const MOST: Samples = Samples::Draws(1_000_000);

fn by_frequency() -> Result<Scheme, Failure> {
    Ok(Scheme::power(1.0)?)
}

impl Grid {
    /// Errors of equal weights, weights by frequency and, as a wrong form, weights p in the opposite order of ranks.
    fn errors(&self, setting: &Setting) -> Result<Arc<Sourced<Errors>>, Failure> {
        let samples = log_grid(10, 1_000_000, 2)?.into_iter().map(Samples::Draws);
        let curves = Curves {
            inputs: self.inputs,
            alpha: self.alpha,
            schemes: vec![
                ("error_equal", Scheme::uniform()),
                ("error_by_frequency", by_frequency()?),
                ("error_backwards", self.backwards()?),
            ],
            dims: self.dims.clone(),
            samples: samples.collect(),
            runs: self.runs,
            stream: "figure 8, left and middle",
        };
        curves.errors(setting, &format!("figure 8, {self:?}"))
    }

    /// Weights p in the opposite order of ranks.
    fn backwards(&self) -> Result<Scheme, Failure> {
        let law = Zipf::new(self.alpha, self.inputs)?;
        let backwards: Vec<f64> = law.probabilities(self.inputs).into_iter().rev().collect();
        Ok(Scheme::explicit(&backwards)?)
    }

    fn figure(errors: &Errors) -> Result<Figure, Failure> {
        let (t, d) = (errors.sizes(), errors.dims());
        let map = |title: &str, values: &Array2<f64>, bar: &str| {
            Panel::new(title).x_label("T").y_label("d").log_x().log_y().heatmap(values, &t, &d, bar)
        };
        let (equal, weighted) = (errors.map(&Scheme::uniform())?, errors.map(&by_frequency()?)?);
        let difference = map("q₁ minus q₀", &(&weighted - &equal), "difference").signed_colour();
        Ok(Figure::new("Weights by frequency help in few dimensions and cost in many")
            .panel(map("q₀", &equal, "error").colour_limits(0.0, 0.8))
            .panel(map("q₁", &weighted, "error").colour_limits(0.0, 0.8))
            .panel(difference)
            .columns(3)
            .caption("Means of 100 runs; embeddings and data are the same for both schemes. Blue in the right panel: weights by frequency have the smaller error."))
    }
}

/// Left panel: equal weights.
#[derive(Clone, Debug, Default)]
pub struct Left(
    /// The grid.
    pub Grid,
);

impl TypedCheck for Left {
    const CLAIM: &'static str = "heavy-tailed/fig-8-left";
    const PLAN: Plan = Plan::new(
        "share of runs with error exactly zero at d = 10N and the most data; error at d = N/10, the lowest over T",
        "runs with errors where d is big and data are many; an error that is not large where d is small, for some T",
        &[NEARLY_ALL, MOSTLY_WRONG],
    )
    .protocol(&["α = 0.5, N = 100, M = 5, f(x) = x mod 5, 100 runs, as printed; T = 10 to 10^6"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let runs = self.0.errors(setting)?;
        let errors = &runs.value;
        let equal = Scheme::uniform();
        let large = |label: &str, d: usize| -> Result<Finding, Failure> {
            let along = errors.over_samples(&equal, d)?;
            let mut lowest = along.at(0)?;
            for t in 1..along.x().len() {
                let error = along.at(t)?;
                if error.low < lowest.low {
                    lowest = error;
                }
            }
            Ok(Finding::at_least(label, MOSTLY_WRONG, lowest).unit("runs"))
        };
        let zero = |label: &str, scheme: &Scheme| -> Result<Finding, Failure> {
            Ok(Finding::at_least(label, NEARLY_ALL, errors.zero_share(scheme, BIG, MOST)?).unit("runs"))
        };
        let evidence = Evidence::of(zero("share of runs with error exactly zero, d = 1000, T = 10^6", &equal)?)
            .and(large("error at d = 10, lowest over T", SMALL)?)
            .twin(zero(
                "weights by frequency in place of equal ones: share of runs with error exactly zero",
                &by_frequency()?,
            )?)
            .twin(large("a memory that is big enough, d = 1000: error, lowest over T", BIG)?);
        Ok(Checked::from(runs.noted(evidence)).figure(Grid::figure(errors)?))
    }
}

/// Middle panel: weights by frequency.
#[derive(Clone, Debug, Default)]
pub struct Middle(
    /// The grid.
    pub Grid,
);

impl TypedCheck for Middle {
    const CLAIM: &'static str = "heavy-tailed/fig-8-middle";
    const PLAN: Plan = Plan::new(
        "error of q_1 minus error of q_0, paired by embeddings and data, at T = 10^6",
        "a difference of the other sign at d = 10 or at d = 1000",
        &[],
    )
    .protocol(&["as on the left"])
    .rivals(&["equal weights on the same embeddings and data"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let runs = self.0.errors(setting)?;
        let errors = &runs.value;
        let (equal, weighted, backwards) = (Scheme::uniform(), by_frequency()?, self.0.backwards()?);
        let gap = |scheme: &Scheme, d: usize| errors.difference(scheme, &equal, d, MOST);
        let smaller = |label: &str, gap| Finding::at_most(label, 0.0, gap).unit("runs");
        let dims = &self.0.dims;
        let mut turn = dims.len() - 1;
        while turn > 0 && gap(&weighted, dims[turn - 1])?.value > 0.0 {
            turn -= 1;
        }
        let evidence = Evidence::of(smaller("error of q₁ minus that of q₀, d = 10, T = 10^6", gap(&weighted, SMALL)?))
            .and(
                Finding::at_least("error of q₁ minus that of q₀, d = 1000, T = 10^6", 0.0, gap(&weighted, BIG)?)
                    .unit("runs"),
            )
            .twin(smaller(
                "weights in the opposite order of ranks: error minus that of q₀, d = 10, T = 10^6",
                gap(&backwards, SMALL)?,
            ))
            .note(format!("the sign changes below d = {}", dims[turn]));
        Ok(runs.noted(evidence).into())
    }
}
