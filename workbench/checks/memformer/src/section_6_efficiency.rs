//! Section 6, "Efficiency vs. Generalization".
//!
//! **Claim** (`memformer/cost-against-classical`). Attention-based models can be more demanding than momentum or conjugate gradients, and
//! exhibit strong generalization across diverse tasks.
//!
//! Numbers that count their operations run through the forward pass as printed and through the classical methods; the counts are
//! polynomials in d and n. For the second half the trained models meet fresh prompts of their own law, "new regression problems" in the
//! words of Section 1, as in Figures 1 and 2, whose test data have the law of the training data. A model generalises if it is ahead, on
//! tasks that it has not seen, of a method that needs no training: momentum with its best constants. Refuted by a layer that costs no more
//! than the dearest classical step, and a model that is behind momentum. Another rotation, which the document does not try, stands beside
//! it; the other laws that it tries are judged in the rows of Section 4. The wrong form of the counts leaves one term out.

use ndarray::{Array1, Array2};
use workbench_display::{Table, columns};
use workbench_ground::stats::{Streams, normal_array2};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{
    Averaging, Counted, Error, Family, Instance, Layer, Mask, Operations, Quadratic, Score, SingleMemory,
    conjugate_gradient, count_operations, least_squares, literal_forward, nesterov, preconditioned_descent,
};

use super::other_rotations::Abroad;
use super::task_law::{DIM, EXAMPLES};
use super::trained_memformers::{LAYERS, Reading, ahead, curve, deepest, field, group};
use super::tuned_rivals::best;
use crate::vocabulary::{EXACT, largest_of};

const PARITY: Margin = Margin::printed(
    "parity",
    1.0,
    "\"more computationally demanding\": more operations than the dearest classical step",
);
const METHODS: [&str; 6] = [
    "layer, as printed",
    "H and b, once for a prompt",
    "layer on H and b",
    "conjugate gradients, a step",
    "momentum, a step",
    "Nesterov, a step",
];
const MONOMIALS: [&str; 8] = ["", "d", "d²", "n", "nd", "nd²", "n²", "n²d"];

/// Operations, and prompts of other laws.
pub const CHECK: Check = Check {
    claim: "memformer/cost-against-classical",
    metric: "operations of a further layer or step; decades below momentum after four layers on fresh prompts of its law; beside it decades lost on another rotation",
    against: "a layer as printed that is as cheap as a step of conjugate gradients; fresh prompts on which a model is behind momentum",
    protocol: &["set-up of Section 3.3, four layers"],
    choices: &[
        "one register; log of the mean loss",
        "which tasks are diverse is not said: they are read as new draws from the law of the training, as in Figures 1 and 2; other laws, as in Section 4, are judged in its rows",
        "each model on the prompts of the four other rotations: the same spectrum turned is ours, shown, and judges nothing",
    ],
    rivals: &[
        "a step of conjugate gradients, of momentum and of Nesterov's method on H and b, whichever is dearest",
        "on fresh prompts momentum with the best of 288 pairs after four steps",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let at = Reading::Variances;
    let abroad = Abroad::of(group(s, at, &deepest::ONE)?.of_depth(LAYERS), &field(s, at)?.tests)?;
    let lost = abroad.over_pairs(|law, loss| loss - abroad.at_home(law))?;
    s.aside(Margin::ZERO).of("pairs").at_most("another rotation: decades lost after 4 layers, mean of ten pairs", lost);
    let momentum = &best(s, Family::Momentum, LAYERS)?.curve;
    let own = ahead(&*curve(s, at, &deepest::ONE)?, momentum, LAYERS)?;
    let label = "fresh prompts of its own law, 4 layers: decades below momentum with its best constants";
    s.printed(Margin::ZERO).of("runs").at_least(label, own);
    let decades = momentum.decades(Score::Query, Averaging::LogOfMeans);
    let elsewhere = abroad.over_pairs(|law, loss| decades[[law, LAYERS]] - loss)?;
    let label = "prompts of another rotation, 4 layers: decades below momentum with its best constants";
    s.aside(Margin::ZERO).of("pairs").at_least(label, elsewhere);

    let counts = operations(DIM, EXAMPLES)?;
    let dearest = largest_of(counts[3..].iter().copied());
    let label = "operations of a layer as printed over those of the dearest classical step";
    s.printed(PARITY).at_least(label, counts[0] / dearest);
    let label = "operations of a layer on H and b over those of the dearest classical step";
    s.aside(PARITY).at_least(label, counts[2] / dearest);
    let polynomials = polynomials()?;
    // With the first so many monomials.
    let missed = |kept: usize| {
        let at = monomials(DIM as f64, EXAMPLES as f64);
        let said = |c: &[f64; 8]| -> f64 { c.iter().zip(at).take(kept).map(|(c, m)| c * m).sum() };
        largest_of(polynomials.iter().zip(counts).map(|(c, found)| (said(c) - found).abs()))
    };
    let label = "d = 5, n = 20: largest miss of the polynomials, which were fitted elsewhere";
    s.support(EXACT).over(METHODS.len(), "counts").same(label, missed(8));
    s.twin(EXACT).over(METHODS.len(), "counts").same("without the term n²d: largest miss", missed(7));

    let formula = |c: &[f64; 8]| {
        let terms = c.iter().zip(MONOMIALS).filter(|(c, _)| **c != 0.0);
        terms.map(|(c, m)| format!("{c:.0}{m}")).collect::<Vec<_>>().join(" + ")
    };
    let formulas: Vec<String> = polynomials.iter().map(formula).collect();
    let list = vec![
        ("one more", METHODS.map(str::to_string).to_vec().into()),
        ("operations", formulas.into()),
        ("d = 5, n = 20", counts.to_vec().into()),
    ];
    s.table(Table::new(columns(list)?).title("Operations, counted"));
    Ok(())
}

/// Whole coefficients of [`MONOMIALS`] for each of [`METHODS`], fitted to counts at d = 4 to 8 and n = 5 to 9.
fn polynomials() -> Result<Vec<[f64; 8]>, Failure> {
    let (mut features, mut counts) = (Vec::new(), Vec::new());
    for d in 4..=8 {
        for n in 5..=9 {
            features.extend(monomials(d as f64, n as f64));
            counts.extend(operations(d, n)?);
        }
    }
    let features = Array2::from_shape_vec((features.len() / 8, 8), features)?;
    let counts = Array2::from_shape_vec((features.nrows(), METHODS.len()), counts)?;
    let whole = |count: Array1<f64>| -> Result<[f64; 8], Failure> {
        let fit = least_squares(&features, &count)?.coefficients;
        Ok(std::array::from_fn(|k| fit[k].round()))
    };
    counts.columns().into_iter().map(|count| whole(count.to_owned())).collect()
}

fn monomials(d: f64, n: f64) -> [f64; 8] {
    [1.0, d, d * d, n, n * d, n * d * d, n * n, n * n * d]
}

/// Operations of one further layer or step.
fn more(count: impl Fn(usize) -> Result<Operations, Failure>) -> Result<f64, Failure> {
    Ok((count(3)?.total() - count(2)?.total()) as f64)
}

fn counted<R>(work: impl FnOnce() -> Result<R, Error>) -> Result<Operations, Failure> {
    let (result, operations) = count_operations(work);
    result?;
    Ok(operations)
}

/// Operations of each of [`METHODS`].
fn operations(d: usize, n: usize) -> Result<[f64; 6], Failure> {
    let mut stream = Streams::new(7).stream("counted")?;
    let x = normal_array2(&mut stream, d, n + 1).mapv(Counted);
    let prompt = Instance::new(x, normal_array2(&mut stream, 1, d).row(0).mapv(Counted))?;
    let (x, y) = (prompt.covariates(), prompt.labels());
    let f = Quadratic::of_prompt(&x, &y)?;
    let a = Array2::from_shape_fn((d, d), |(i, j)| Counted(0.1 + (i + j) as f64));
    let layer = Layer::restricted(&a)?;
    let (rate, beta, start) = (Counted(0.1), Counted(0.5), f.origin());
    Ok([
        more(|l| counted(|| literal_forward(&vec![layer.clone(); l], &prompt.tokens, Mask::Printed)))?,
        counted(|| Quadratic::of_prompt(&x, &y))?.total() as f64,
        more(|l| counted(|| preconditioned_descent(&f, &start, &vec![a.clone(); l])))?,
        more(|l| counted(|| conjugate_gradient(&f, &start, l)))?,
        more(|l| counted(|| SingleMemory::momentum(rate, beta, l)?.run(&f, &start)))?,
        more(|l| counted(|| nesterov(&f, &start, &rate, &beta, l)))?,
    ])
}
