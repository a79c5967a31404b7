//! Eq. 2.1: the prompt.
//!
//! **Claim** (`memformer/eq-2-1`). Z_0 holds the examples (x(i), y(i)) with y(i) = <x(i), w*> as columns and, last, the query with a zero
//! for its label.
//!
//! Structure is exact, and an example tells nothing of the query: <x(1), Sigma^{-1} x(n+1)> has mean zero. The law is left open; here it is
//! the one of Section 3.3, x ~ N(0, Sigma) and w* ~ N(0, Sigma^{-1}). That prompts are of this law is what the check stands on: whitened
//! vectors have a squared length that is chi-square with d degrees of freedom (mean d, variance 2d), and E <w*, x>^2 =
//! tr(Sigma Sigma^{-1}) = d whatever Sigma is. Refuted by an entry in a wrong place, or a covariate that depends on another.

use ndarray::{Array2, s};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::Prompts;

use super::prompts_and_heads::prompts;
use super::task_law::{DIM, EXAMPLES, law};
use crate::vocabulary::{EXACT, ROUNDING, largest_of};

const LENGTH: Margin = Margin::statistical(
    "mean length",
    0.2,
    "four parts in a hundred of d = 5; a wrong covariance of this spectrum moves it by a third or more",
);
const SPREAD: Margin = Margin::statistical(
    "spread of lengths",
    1.0,
    "a tenth of 2d = 10; entries of one size but not normal, or correlated, move it by more",
);
const ANSWERS: Margin = Margin::statistical(
    "squared answers",
    0.5,
    "a tenth of d = 5; with Σ for its inverse in the law of w* it is a third less",
);

/// Prompts of the law of Section 3.3.
pub const CHECK: Check = Check {
    claim: "memformer/eq-2-1",
    metric: "matrices of a wrong form; labels, absolute; means of squared lengths and answers, with intervals",
    against: "an entry out of place, a label that is not <x(i), w*>, an example that the query depends on",
    choices: &[
        "the document leaves the law open here; it is that of Section 3.3: d = 5, n = 20, Σ = UᵀDU with D = diag(1, 1, 1/2, 1/4, 1)",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (law, prompts) = (law(s)?, prompts(s)?);
    structure(s, &prompts)?;
    let d = DIM as f64;
    let label = "mean of <x(1), Σ⁻¹ x(n+1)>, an example and the query";
    s.printed(LENGTH).of("prompts").equals(label, 0.0, mean(&products(&prompts, law.truth_covariance())?)?);
    let lengths = s.support(LENGTH).of("prompts");
    let of_x = squared_lengths(prompts.query(), law.truth_covariance());
    let of_w = squared_lengths(prompts.truth(), law.covariance());
    lengths.equals("mean squared length of the whitened covariates", d, mean(&of_x)?);
    lengths.equals("mean squared length of the whitened targets", d, mean(&of_w)?);
    let squares: Vec<f64> = of_x.iter().map(|l| (l - d).powi(2)).collect();
    s.support(SPREAD).of("prompts").equals("variance of that squared length", 2.0 * d, mean(&squares)?);
    s.support(ANSWERS).of("prompts").equals("mean of <w*, x>²", d, squared_answers(&prompts)?);
    let trace = law.covariance().dot(law.truth_covariance()).diag().sum();
    s.support(ROUNDING).equals("tr(Σ Σ⁻¹)", d, trace);
    let label = "the query in the place of the example: mean of that product";
    s.twin(LENGTH).of("prompts").equals(label, 0.0, mean(&of_x)?);

    let unwhitened = mean(&squared_lengths(prompts.query(), law.covariance()))?;
    let label = "squared length of the covariates whitened with Σ";
    s.twin(LENGTH).of("prompts").equals(label, d, unwhitened);
    let wrong = law.clone().with_truth_covariance(law.covariance().clone())?;
    let wrong = Prompts::draw(&wrong, EXAMPLES, prompts.batch(), &mut s.stream("prompts, wrong law")?)?;
    let label = "w* drawn from N(0, Σ): mean squared answer";
    s.twin(ANSWERS).of("prompts").equals(label, d, squared_answers(&wrong)?);
    Ok(())
}

/// Shape, query and last label; labels against w* and, as a twin, against w* with the neighbour's covariate.
fn structure(s: &Sheet, prompts: &Prompts) -> Done {
    let (d, n) = (DIM, EXAMPLES);
    let looked_at = s.knob("prompts whose every entry is looked at", 200, 1..=prompts.batch())?;
    for b in s.each("prompts", 0..looked_at) {
        let (z, w) = (prompts.tokens(b)?, prompts.truth().row(b).to_owned());
        let shaped = z.dim() == (d + 1, n + 1) && z[[d, n]] == 0.0 && z.slice(s![..d, n]) == prompts.query_of(b)?;
        s.printed(EXACT).of("matrices").never("matrices with a wrong shape, query or last label", !shaped);
        let off = |column: usize, i: usize| (z[[d, i]] - w.dot(&z.slice(s![..d, column]))).abs();
        s.printed(ROUNDING).same("labels against <x(i), w*>", largest_of((0..n).map(|i| off(i, i))));
        s.twin(ROUNDING).same("labels against <x(i+1), w*>, best prompt", largest_of((0..n).map(|i| off(i + 1, i))));
    }
    Ok(())
}

/// <x(1), M x(n+1)> of each prompt.
fn products(prompts: &Prompts, m: &Array2<f64>) -> Result<Vec<f64>, Failure> {
    let queries = prompts.query().outer_iter().enumerate();
    queries.map(|(b, query)| Ok(prompts.covariates(b)?.row(0).dot(&m.dot(&query)))).collect()
}

/// <v, M v> of each row v.
fn squared_lengths(rows: &Array2<f64>, m: &Array2<f64>) -> Vec<f64> {
    rows.outer_iter().map(|v| v.dot(&m.dot(&v))).collect()
}

fn squared_answers(prompts: &Prompts) -> Result<Estimate, Failure> {
    Ok(mean(&prompts.answers().mapv(|y| y * y).to_vec())?)
}
