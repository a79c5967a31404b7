//! Section 3.3, "Setup": what is trained, and on what.
//!
//! **Claim** (`memformer/setup-3-3`). d = 5, n = 20; a random rotation U for each run, Sigma = U^T D U with D = diag(1, 1, 1/2, 1/4, 1), x
//! ~ N(0, Sigma), w* ~ N(0, Sigma^{-1}); Adam from Gaussian A_l, batches of 1000 drawn anew every 100 steps, clipping at 0.01, five runs.
//!
//! A set-up is right if it can be run and does what it says: covariates and targets must have the covariances that are printed, every run
//! must learn, those of four layers more than any one layer could. What the check stands on: the protocol has the printed numbers, the
//! engine's gradient is that of the architecture as printed (complex steps through the literal forward pass), and a run is determined by
//! its seed. Wrong twins: targets held to the covariance of the covariates, the gradient with respect to the transpose, a run from another
//! seed, the squares of the printed D, which are the variances if D holds standard deviations.

use std::sync::Arc;

use ndarray::{Array2, Axis, s as at};
use ndarray_linalg::{EigValsh, Inverse, UPLO};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memformer::{
    Architecture, Batch, Clip, Curve, Instance, Layer, Mask, Parameters, Precision, Prompts, RegisterKind,
    RegisterWeight, Trainer, complex_step_gradients, literal_forward, output,
};

use super::task_law::{DIM, EXAMPLES};
use super::trained_memformers::{
    FREE, Field, HELD, LAYERS, LINEAR, ONE, Reading, TIED, budget, curve, field, gap_table, group, schedule,
};
use crate::vocabulary::{EXACT, apart, largest, largest_of};

const GRADIENT: Margin =
    Margin::rounding("gradient", 1e-12, "a few thousand products in double precision, relative to the largest entry");
/// (d + 1)/(n + d + 1), the share of the loss that the best single layer leaves.
const ONE_LAYER: f64 = (DIM as f64 + 1.0) / (EXAMPLES as f64 + DIM as f64 + 1.0);
const LAW: Margin = Margin::statistical(
    "law",
    0.05,
    "five standard errors of a variance over the 20,000 prompts of quick scale; a wrong covariance is off by a quarter at least",
);
const TURNED: Margin =
    Margin::rounding("another rotation", 1e-9, "the same U would leave zero; sums of five products leave 1e-16");
/// D as printed, in ascending order.
const PRINTED: [f64; DIM] = [0.25, 0.5, 1.0, 1.0, 1.0];

/// The set-up, run.
pub const CHECK: Check = Check {
    claim: "memformer/setup-3-3",
    metric: "relative error of the gradient; eigenvalues of second moments over the printed D, and second moments in white coordinates; loss on batches that no step has seen, end over start; numbers that differ",
    against: "another law; rotations that are one; a run that does not learn",
    protocol: &["as printed, D the eigenvalues of Sigma; five rotations"],
    choices: &[
        "every kind of model whose A is trained, one to four layers; clipping of each matrix and each weight on its own",
        "learning rate 0.02, halved ten times, moments 0.99 and 0.9, start of size 1e-4: not in the document, taken from the public code it builds on",
        "4000 steps at quick scale and 30,000 at paper scale: their number is not in the document",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let reading = Reading::Variances;
    let field = field(s, reading)?;
    let (first, second) = budget(s);
    let used = schedule(first, second);
    let numbers = (used.examples, used.batch, used.resample_every, used.clip);
    let label = "protocols with other numbers than n = 20, batches of 1000, renewal every 100 steps, clipping at 0.01";
    s.support(EXACT).never(label, numbers != (EXAMPLES, 1000, 100, Clip::PerMatrix(0.01)));
    gradient(s, &field)?;
    for recipe in [&LINEAR, &ONE, &TIED, &HELD, &FREE] {
        let group = group(s, reading, recipe)?;
        for (depth, left) in s.each("runs", group.depths.iter().cycle().zip(&group.left)) {
            let label = "loss on fresh batches, decades above its start, worst of all runs";
            s.printed(Margin::ZERO).at_most(label, left.log10());
            if *depth == LAYERS {
                let label =
                    "four layers: decades that the worst run leaves above the best single layer, on fresh batches";
                s.printed(Margin::ZERO).at_most(label, (left / ONE_LAYER).log10());
            }
        }
    }
    let repeats = repeats(s)?;
    let label = "numbers of a model that differ when a run is repeated from its seed";
    s.support(EXACT).over(repeats.of, "numbers").same(label, repeats.same as f64);
    s.twin(EXACT).over(repeats.of, "numbers").same("numbers that differ from another seed", repeats.other as f64);
    moments(s, &field)?;
    for (i, a) in field.laws.iter().enumerate() {
        for b in s.each("pairs", &field.laws[..i]) {
            let label = "five rotations: largest entry by which two Σ differ, least of all pairs";
            s.printed(TURNED).at_least(label, apart(a.covariance(), b.covariance()));
        }
    }
    s.note("not in the document: learning rate, steps, moments of Adam, size of the start; see reproducibility for what they change");
    let one = curve(s, reading, &ONE)?;
    let rows: [(&str, &Curve, &Curve); 1] = [("one register, below conjugate gradients", &one, &field.cgd)];
    s.table(gap_table("The two averages differ", &rows, LAYERS)?);
    Ok(())
}

/// The engine's gradient, and that with respect to A^T, against complex steps through the literal forward pass.
fn gradient(s: &Sheet, field: &Field) -> Done {
    let size = s.knob("prompts", 6, 1..)?;
    let prompts = Prompts::draw(&field.laws[0], EXAMPLES, size, &mut s.stream("gradient check")?)?;
    let model = Parameters::random(Architecture::new(LAYERS, DIM)?, 0.3, &mut s.stream("gradient check, model")?)?;
    let batch = Batch::new(&prompts.statistics()?, Precision::Double)?;
    let (_, gradient) = batch.loss_and_gradient(&model)?;
    let stack = (0..LAYERS).map(|l| Ok(Layer::restricted(&model.a(l)?.to_owned())?));
    let stack = stack.collect::<Result<Vec<_>, Failure>>()?;
    let mut stepped = vec![Array2::<f64>::zeros((DIM, DIM)); LAYERS];
    for b in 0..size {
        let z = Instance::of_prompts(&prompts, b)?.tokens;
        let miss = output(&literal_forward(&stack, &z, Mask::Printed)?)? - prompts.answers()[b];
        for (sum, layer) in stepped.iter_mut().zip(complex_step_gradients(&stack, &z)?) {
            // Q = -A.
            sum.scaled_add(-2.0 * miss / size as f64, &layer.q().slice(at![..DIM, ..DIM]));
        }
    }
    let (mut right, mut transposed) = (Vec::new(), Vec::new());
    for (l, want) in stepped.iter().enumerate() {
        let got = gradient.a(l)?;
        right.push(apart(&got, &want.view()));
        transposed.push(apart(&got.t(), want));
    }
    let entry = largest_of(stepped.iter().map(largest));
    let label = "gradient against complex steps, relative";
    s.support(GRADIENT).over(size, "prompts").same(label, largest_of(right) / entry);
    s.twin(GRADIENT).same("gradient with respect to Aᵀ against complex steps", largest_of(transposed) / entry);
    Ok(())
}

/// Second moments over the fresh prompts of all laws, in coordinates in which they should be I, and the spectrum of covariates.
fn moments(s: &Sheet, field: &Field) -> Done {
    let mut sums = [(); 3].map(|()| Array2::<f64>::zeros((DIM, DIM)));
    let mut spectra = Vec::new();
    for (law, test) in field.laws.iter().zip(&field.tests) {
        let (root, statistics) = (law.root()?, test.statistics());
        let inverse = root.inv()?;
        let white = [statistics.query().dot(&inverse), statistics.truth().dot(&root), statistics.truth().dot(&inverse)];
        for (sum, white) in sums.iter_mut().zip(white) {
            *sum += &white.t().dot(&white);
        }
        let mean = statistics.gram().mean_axis(Axis(0)).ok_or("no prompts")?;
        spectra.push(mean.eigvalsh(UPLO::Lower)?);
    }
    let prompts: usize = field.tests.iter().map(|test| test.size()).sum();
    let [covariates, targets, swapped] = sums.map(|sum| largest(&(sum / prompts as f64 - Array2::<f64>::eye(DIM))));
    let off = |want: [f64; DIM]| {
        let pairs = spectra.iter().flat_map(|spectrum| spectrum.iter().zip(want));
        largest_of(pairs.map(|(seen, want)| (seen / want - 1.0).abs()))
    };
    let (printed, twin) = (s.printed(LAW).over(prompts, "prompts"), s.twin(LAW).over(prompts, "prompts"));
    printed.same("x ~ N(0, Σ): second moment in white coordinates, off I", covariates);
    printed.same("w* ~ N(0, Σ⁻¹): second moment in white coordinates, off I", targets);
    let label = "eigenvalues of the mean of X Xᵀ / n over diag(1, 1, 1/2, 1/4, 1), minus one, largest";
    printed.same(label, off(PRINTED));
    let label = "eigenvalues over the squares, diag(1, 1, 1/4, 1/16, 1), minus one, largest";
    twin.same(label, off(PRINTED.map(|v| v * v)));
    twin.same("w* ~ N(0, Σ): second moment in white coordinates, off I", swapped);
    Ok(())
}

/// Numbers of a model that differ when a run is repeated, with its seed and with another, and how many there are.
pub struct Repeats {
    /// With its own seed.
    pub same: usize,
    /// With another seed.
    pub other: usize,
    /// Numbers of a model.
    pub of: usize,
}
/// A run with tied registers, repeated.
pub fn repeats(setting: &Setting) -> Result<Arc<Repeats>, Failure> {
    setting.shared("repeated runs of Section 3.3", |own| {
        let (first, second) = budget(own);
        let law = field(own, Reading::Variances)?.laws[0].clone();
        let registers = RegisterKind::Separate { weight: RegisterWeight::Scalar, tied: true };
        let values = |name: &str| -> Result<Vec<f64>, Failure> {
            let architecture = Architecture::new(LAYERS, DIM)?.with_registers(registers);
            let protocol = schedule(first / 4, second / 4);
            let mut run = Trainer::new(architecture, law.clone(), protocol, &mut own.streams().restart(name)?)?;
            run.run()?;
            Ok(run.parameters().values().to_vec())
        };
        let one = values("repeat")?;
        let differ = |other: Vec<f64>| -> usize {
            let pairs = one.iter().zip(&other);
            pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count()
        };
        Ok(Repeats { same: differ(values("repeat")?), other: differ(values("another seed")?), of: one.len() })
    })
}
