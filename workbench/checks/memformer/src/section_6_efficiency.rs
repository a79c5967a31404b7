//! Section 6, "Efficiency vs. Generalization".
//!
//! **Claim** (`memformer/cost-against-classical`). Attention-based models can be more demanding than momentum or conjugate gradients, and
//! exhibit strong generalization across diverse tasks.
//!
//! Numbers that count their operations run through the forward pass as printed and through the classical methods; the counts are
//! polynomials in d and n. For the second half the trained models meet fresh prompts of their own law and prompts of another rotation.
//! On its own law it generalises if it is ahead, on prompts that it has not seen, of a method that needs no training: momentum with its best
//! constants. Against the claim speaks a layer that costs no more than the dearest classical step, and a loss that rises on other tasks;
//! to be ahead of momentum on another rotation too is the wrong form.

use ndarray::{Array1, Array2};
use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, Streams, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Averaging, Counted, Family, Instance, Layer, Mask, Operations, Quadratic, Score, SingleMemory, conjugate_gradient,
    count_operations, least_squares, literal_forward, nesterov, preconditioned_descent,
};

use super::appendix_b::best;
use super::section_3_3::{DIM, EXAMPLES};
use super::section_3_3_abroad::Abroad;
use super::section_3_3_training::{LAYERS, Reading, TWICE, ahead, curve, deepest, field, group};
use crate::vocabulary::{EXACT, largest_of};

const TENFOLD: Margin = Margin::new("tenfold", 10.0, "an order of magnitude in operations");
const PARITY: Margin = Margin::new("parity", 1.0, "as many operations as the dearest classical step");
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
#[derive(Clone, Debug)]
pub struct CostAndTransfer {
    /// Dimensions and examples from which the polynomials are fitted: from and to.
    pub dims: (usize, usize),
    /// Numbers of examples.
    pub examples: (usize, usize),
}

impl Default for CostAndTransfer {
    fn default() -> CostAndTransfer {
        CostAndTransfer { dims: (4, 8), examples: (5, 9) }
    }
}

fn monomials(d: f64, n: f64) -> [f64; 8] {
    [1.0, d, d * d, n, n * d, n * d * d, n * n, n * n * d]
}

/// Operations of one further layer or step.
fn more(count: impl Fn(usize) -> Result<Operations, Failure>) -> Result<f64, Failure> {
    Ok((count(3)?.total() - count(2)?.total()) as f64)
}

fn counted<R>(work: impl FnOnce() -> Result<R, workbench_memformer::Error>) -> Result<Operations, Failure> {
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

struct Costs {
    /// Whole coefficients of the polynomials, by method.
    coefficients: Vec<[f64; 8]>,
    /// At d = 5, n = 20.
    at_home: [f64; 6],
}

impl Costs {
    /// What the polynomials say at d and n, minus what is counted there: largest difference; with the first `kept` monomials only.
    fn missed(&self, d: usize, n: usize, kept: usize) -> Result<f64, Failure> {
        let (found, at) = (operations(d, n)?, monomials(d as f64, n as f64));
        let said = |c: &[f64; 8]| -> f64 { c.iter().zip(at).take(kept).map(|(c, m)| c * m).sum() };
        let gaps = self.coefficients.iter().zip(found).map(|(c, found)| (said(c) - found).abs());
        Ok(largest_of(gaps))
    }

    fn table(&self) -> Result<Table, Failure> {
        let formula = |c: &[f64; 8]| {
            let terms = c.iter().zip(MONOMIALS).filter(|(c, _)| **c != 0.0);
            terms.map(|(c, m)| format!("{c:.0}{m}")).collect::<Vec<_>>().join(" + ")
        };
        let formulas: Vec<String> = self.coefficients.iter().map(formula).collect();
        let list = vec![
            ("one more", METHODS.map(str::to_string).to_vec().into()),
            ("operations", formulas.into()),
            ("d = 5, n = 20", self.at_home.to_vec().into()),
        ];
        Ok(Table::new(columns(list)?).title("Operations, counted"))
    }
}

impl CostAndTransfer {
    fn costs(&self) -> Result<Costs, Failure> {
        let (mut rows, mut counts) = (Vec::new(), vec![Vec::new(); METHODS.len()]);
        for d in self.dims.0..=self.dims.1 {
            for n in self.examples.0..=self.examples.1 {
                rows.extend(monomials(d as f64, n as f64));
                for (list, value) in counts.iter_mut().zip(operations(d, n)?) {
                    list.push(value);
                }
            }
        }
        let features = Array2::from_shape_vec((rows.len() / 8, 8), rows)?;
        let mut coefficients = Vec::new();
        for list in counts {
            let fit = least_squares(&features, &Array1::from(list))?;
            let mut whole = [0.0; 8];
            whole.iter_mut().zip(&fit.coefficients).for_each(|(w, c)| *w = c.round());
            coefficients.push(whole);
        }
        Ok(Costs { coefficients, at_home: operations(DIM, EXAMPLES)? })
    }
}

impl TypedCheck for CostAndTransfer {
    const CLAIM: &'static str = "memformer/cost-against-classical";
    const PLAN: Plan = Plan::new(
        "operations of a further layer or step; decades lost after four layers on fresh prompts and on another rotation",
        "a layer as printed that is as cheap as a step of conjugate gradients; a loss that rises on other tasks",
        &[TENFOLD, EXACT, TWICE, PARITY],
    )
    .protocol(&["set-up of Section 3.3: one register, four layers, each model on the prompts of the four other rotations; log of the mean loss"])
    .departures(&[
        "which tasks are diverse is not said: fresh prompts of the same law, and of the same spectrum turned, are ours",
    ])
    .rivals(&[
        "a step of conjugate gradients, of momentum and of Nesterov's method on H and b, whichever is dearest",
        "on fresh prompts momentum with the best of 288 pairs after four steps",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let costs = self.costs()?;
        let at = Reading::Variances;
        let abroad = Abroad::of(group(setting, at, &deepest::ONE)?.of_depth(LAYERS), &field(setting, at)?.tests)?;
        let lost = abroad.over_pairs(|law, loss| loss - abroad.at_home(law))?;
        let momentum = best(setting, Family::Momentum, LAYERS)?;
        let own = ahead(&*curve(setting, at, &deepest::ONE)?, &momentum.curve, LAYERS)?;
        let decades = momentum.curve.decades(Score::Query, Averaging::LogOfMeans);
        let elsewhere = abroad.over_pairs(|law, loss| decades[[law, LAYERS]] - loss)?;
        let dearest = largest_of(costs.at_home[3..].iter().copied());
        let dearer = || {
            let ratio = Estimate::exact(costs.at_home[0] / dearest);
            Finding::at_least(
                "operations of a layer as printed over those of the dearest classical step",
                TENFOLD,
                ratio,
            )
        };
        let pairs = |finding: Finding| finding.unit("pairs");
        let predicted = |label: &str, kept: usize| -> Result<Finding, Failure> {
            Ok(Finding::identity(label, costs.missed(DIM, EXAMPLES, kept)?, EXACT).cases(METHODS.len()).unit("counts"))
        };
        let evidence = Evidence::of(pairs(Finding::at_most(
            "prompts of another rotation: decades lost after 4 layers, mean of ten pairs",
            TWICE,
            lost,
        )))
        .and(dearer())
        .and(predicted("d = 5, n = 20: largest miss of the polynomials, which were fitted elsewhere", 8)?)
        .condition(
            "it generalises to fresh prompts of its own law, not to another rotation; and it costs more as printed, not computed from H and b",
            vec![
                dearer(),
                Finding::at_most(
                    "operations of a layer on H and b over those of the dearest classical step",
                    PARITY,
                    Estimate::exact(costs.at_home[2] / dearest),
                ),
                Finding::at_least(
                    "fresh prompts of its own law, 4 layers: decades below momentum with its best constants",
                    0.0,
                    own,
                )
                .unit("runs"),
                pairs(Finding::at_least("another rotation: decades lost, at least", TWICE, lost)),
            ],
        )
        .twin(pairs(Finding::at_least(
            "prompts of another rotation, 4 layers: decades below momentum with its best constants",
            0.0,
            elsewhere,
        )))
        .twin(predicted("without the term n²d: largest miss", 7)?);
        Ok(Checked::from(evidence).table(costs.table()?))
    }
}
