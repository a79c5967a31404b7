//! Eq. 2.1: the prompt.
//!
//! **Claim** (`memformer/eq-2-1`). Z_0 holds the examples (x(i), y(i)) with y(i) = <x(i), w*> as columns and, last, the query with a zero
//! for its label.
//!
//! Structure is exact. The law is the one of Section 3.3, x ~ N(0, Sigma) and w* ~ N(0, Sigma^{-1}): whitened vectors have a squared
//! length that is chi-square with d degrees of freedom (mean d, variance 2d), and E <w*, x>^2 = tr(Sigma Sigma^{-1}) = d whatever Sigma is.
//! Against it counts an entry in a wrong place, or a moment that another law has.

use ndarray::{Array2, s};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{Prompts, TaskLaw};

use super::exact::Tally;
use super::section_2_1::prompts;
use super::section_3_3::{DIM, EXAMPLES, law};
use crate::vocabulary::{EXACT, Largest, Least, ROUNDING};

const LENGTH: Margin = Margin::new(
    "mean length",
    0.2,
    "four parts in a hundred of d = 5; a wrong covariance of this spectrum moves it by a third or more",
);
const SPREAD: Margin = Margin::new(
    "spread of lengths",
    1.0,
    "a tenth of 2d = 10; entries of one size but not normal, or correlated, move it by more",
);
const ANSWERS: Margin =
    Margin::new("squared answers", 0.5, "a tenth of d = 5; with Σ for its inverse in the law of w* it is a third less");

/// Prompts of the law of Section 3.3.
#[derive(Clone, Debug)]
pub struct StructureAndLaw {
    /// Prompts whose every entry is looked at.
    pub looked_at: usize,
}

impl Default for StructureAndLaw {
    fn default() -> StructureAndLaw {
        StructureAndLaw { looked_at: 200 }
    }
}

/// <v, M v> of each row v.
fn lengths(rows: &Array2<f64>, m: &Array2<f64>) -> Vec<f64> {
    rows.outer_iter().map(|v| v.dot(&m.dot(&v))).collect()
}

fn squared_answers(prompts: &Prompts) -> Result<Estimate, Failure> {
    Ok(mean(&prompts.answers().mapv(|y| y * y).to_vec())?)
}

impl StructureAndLaw {
    /// Matrices of a wrong form; labels against w* and, as a twin, against w* with the neighbour's covariate.
    fn structure(&self, prompts: &Prompts) -> Result<(Tally, Largest, Least), Failure> {
        let (d, n) = (DIM, EXAMPLES);
        let (mut wrong, mut labels, mut neighbour) = (Tally::default(), Largest::default(), Least::default());
        for b in 0..self.looked_at {
            let (z, w) = (prompts.tokens(b)?, prompts.truth().row(b).to_owned());
            let shaped = z.dim() == (d + 1, n + 1) && z[[d, n]] == 0.0;
            wrong.see(!shaped || z.slice(s![..d, n]) != prompts.query_of(b)?);
            let mut apart = Largest::default();
            for i in 0..n {
                labels.see((z[[d, i]] - w.dot(&z.slice(s![..d, i]))).abs());
                apart.see((z[[d, i]] - w.dot(&z.slice(s![..d, i + 1]))).abs());
            }
            neighbour.see(apart.0);
        }
        Ok((wrong, labels, neighbour))
    }
}

impl TypedCheck for StructureAndLaw {
    const CLAIM: &'static str = "memformer/eq-2-1";
    const PLAN: Plan = Plan::new(
        "matrices of a wrong form; labels, absolute; means of squared lengths and answers, with intervals",
        "an entry out of place, a label that is not <x(i), w*>, a moment of another law",
        &[EXACT, ROUNDING, LENGTH, SPREAD, ANSWERS],
    )
    .protocol(&["d = 5, n = 20, Σ = UᵀDU with D = diag(1, 1, 1/2, 1/4, 1), as in Section 3.3; the document leaves the law open here"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (law, prompts) = (law(setting)?, prompts(setting)?);
        let (d, looked_at) = (DIM as f64, self.looked_at);
        let (wrong, labels, neighbour) = self.structure(&prompts)?;
        let of_x = lengths(prompts.query(), law.truth_covariance());
        let of_w = lengths(prompts.truth(), law.covariance());
        let spread: Vec<f64> = of_x.iter().map(|l| (l - d).powi(2)).collect();
        let trace = law.covariance().dot(law.truth_covariance()).diag().sum();
        // The same law with Sigma in the place of its inverse.
        let other: TaskLaw = law.clone().with_truth_covariance(law.covariance().clone())?;
        let other = Prompts::draw(&other, EXAMPLES, prompts.batch(), &mut setting.stream("prompts, wrong law")?)?;
        let unwhitened = mean(&lengths(prompts.query(), law.covariance()))?;
        let moment = |label: &str, expected: f64, margin: Margin, measured: Estimate| {
            Finding::equals(label, expected, margin, measured).unit("prompts")
        };
        let label = |what: &str, error: f64| Finding::identity(what, error, ROUNDING).cases(looked_at).unit("prompts");
        let evidence = Evidence::of(wrong.none("matrices with a wrong shape, query or last label", "matrices"))
            .and(label("labels against <x(i), w*>", labels.0))
            .and(moment("mean squared length of the whitened covariates", d, LENGTH, mean(&of_x)?))
            .and(moment("variance of that squared length", 2.0 * d, SPREAD, mean(&spread)?))
            .and(moment("mean squared length of the whitened targets", d, LENGTH, mean(&of_w)?))
            .and(Finding::equals("tr(Σ Σ⁻¹)", d, ROUNDING, Estimate::exact(trace)))
            .and(moment("mean of <w*, x>²", d, ANSWERS, squared_answers(&prompts)?))
            .twin(label("labels against <x(i+1), w*>, best prompt", neighbour.0))
            .twin(moment("w* drawn from N(0, Σ): mean squared answer", d, ANSWERS, squared_answers(&other)?))
            .twin(moment("squared length of the covariates whitened with Σ", d, LENGTH, unwhitened));
        Ok(evidence.into())
    }
}
