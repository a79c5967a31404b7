//! Appendix D, Theorem 3 (of Ahn et al., 2024): stationary points of the training loss among multiples of Sigma^{-1}.
//!
//! **Claim** (`memformer/thm-3-ahn`). Let S be the set of A_i = a_i Sigma^{-1}. Then inf over S of sum_i |grad_{A_i} f|_F^2 = 0. Printed
//! with (A, B) in S, although S holds only A, which is counted, and with k layers for L.
//!
//! *Direction.* In whitened coordinates the law of prompts does not change under rotations, so on S the gradient is a multiple of the
//! identity there, and of Sigma in the original coordinates. A batch closed under all d! 2^d signed permutations has such a gradient
//! without sampling error. The theorem does not say so: the check stands on it, since it leaves one number of a matrix. *Size.* What is
//! left are L numbers, and they vanish at the inverse roots of an orthogonal polynomial, exactly. One layer has a closed form, grad f = -2
//! Sigma + 2 c Sigma A Sigma with c = (n + d + 1) / n. On fresh prompts the squared norm is the mean of <g, g'> for gradients of
//! independent batches, beside that at A = 0, L |2 Sigma|^2. Wrong twins: multiples of I and of Sigma, a batch that is not closed, and
//! rates that are 5 % too large.

use ndarray::Array2;
use ndarray_linalg::Inverse;
use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memformer::{
    Architecture, Batch, Parameters, Part, Precision, Prompts, TaskLaw, best_multiples, best_whitened, conjugated,
    distance_to_identity, symmetrised, whitened_gradient,
};

use super::aligned_training::{LAYERS, VARIANCES, on};
use super::task_law::{DIM, EXAMPLES};
use crate::vocabulary::{EXACT, largest_of};

const ALIGNED: Margin =
    Margin::rounding("aligned", 1e-10, "sums over thousands of prompts in double precision, with two digits to spare");
const VANISHES: Margin = Margin::rounding(
    "vanishes",
    1e-15,
    "the square of 1e-12, the rounding of a gradient of order one, with nine digits to spare",
);
const STATIONARY: Margin = Margin::statistical(
    "stationary",
    1e-3,
    "a fourteenth of what the best multiples of Σ leave of the squared norm at A = 0",
);

/// Direction, size and fresh prompts.
pub const CHECK: Check = Check {
    claim: "memformer/thm-3-ahn",
    metric: "part of the gradient that is not along Σ; squared norm of the gradient; numbers of a point",
    against: "a best point of S with a gradient; a point that S cannot hold",
    protocol: &["the theorem's law, with the numbers of Appendix D: d = 5, n = 20, three layers"],
    choices: &["one, two and four layers as well where the gradient is exact"],
    rivals: &["the best multiples of Σ, found by descent on 20,000 prompts"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let law = TaskLaw::rotated(&VARIANCES, &mut s.stream("rotation of Appendix D")?)?;
    let (sigma, inverse, eye) = (law.covariance(), law.truth_covariance(), Array2::<f64>::eye(DIM));
    s.misprint("inf over A in S, since S holds no B, and L layers for k");
    let pair = Architecture::new(LAYERS, DIM)?.with_upper_block();
    let [a, b] = [Part::Preconditioners, Part::UpperBlocks].map(|part| pair.range(part).len());
    let of_s = LAYERS * DIM * DIM;
    s.printed(EXACT)
        .same("numbers of a point (A, B) of three layers that a point of S does not have", (a + b - of_s) as f64);
    s.changed(EXACT).same("numbers of a point A of three layers that a point of S does not have", (a - of_s) as f64);
    direction(s, &law)?;

    let (mut losses, mut rates, mut norms) = (Vec::new(), Vec::new(), Vec::new());
    for layers in s.each("depths", 1..=4usize) {
        let best = best_whitened(EXAMPLES, DIM, layers)?;
        let norm = squared_on_s(&best.steps, sigma)?;
        s.both_forms(VANISHES).same("exact optimum on S, 1 to 4 layers: squared norm of the gradient", norm);
        losses.push(best.loss);
        rates.push(best.steps.iter().map(|a| format!("{a:.3}")).collect::<Vec<_>>().join(", "));
        norms.push(norm);
    }
    let best = best_whitened(EXAMPLES, DIM, LAYERS)?;
    let larger: Vec<f64> = best.steps.iter().map(|a| 1.05 * a).collect();
    s.twin(VANISHES).same("every rate of the optimum 5 % larger: squared norm", squared_on_s(&larger, sigma)?);

    let label = "one layer, closed form: least squared norm over multiples of Σ⁻¹";
    s.both_forms(VANISHES).same(label, one_layer(inverse, sigma));
    s.twin(VANISHES).same("one layer: least squared norm over multiples of I", one_layer(&eye, sigma));
    s.twin(VANISHES).same("one layer: least squared norm over multiples of Σ", one_layer(sigma, sigma));

    let fit = Batch::draw(&law, EXAMPLES, 20_000, Precision::Double, &mut s.stream("multiples")?)?;
    let models = [on(&best.steps, inverse)?, on(&best_multiples(&fit, sigma, LAYERS)?, sigma)?];
    let fresh = on_fresh(s, &law, &models)?;
    let label = "fresh prompts at the exact optimum of three layers: squared norm over that at A = 0";
    s.both_forms(STATIONARY).of("pairs of batches").equals(label, 0.0, fresh[0]);
    let label = "fresh prompts, best multiples of Σ: squared norm over that at A = 0";
    s.twin(STATIONARY).of("pairs of batches").equals(label, 0.0, fresh[1]);

    s.note("the gradient is that with respect to A_i, in the norm of Frobenius; printed is a derivative \"with respect to the Frobenius norm\" of A_i");
    s.note("the gradient on S is along Σ, not along Σ⁻¹: descent in the original coordinates leaves S");
    s.note("with the sign printed in Eq. 2.7 the rates change sign");
    let table = Table::new(columns(vec![
        ("layers", vec![1.0, 2.0, 3.0, 4.0].into()),
        ("least loss on S", losses.into()),
        ("its rates a", rates.into()),
        ("squared norm of the gradient", norms.into()),
    ])?);
    s.table(table.title("The infimum is attained").digits(3));
    Ok(())
}

/// The part of the gradient that is not along Sigma, at random points of S and beside it.
fn direction(s: &Sheet, law: &TaskLaw) -> Done {
    let (sigma, inverse, eye) = (law.covariance(), law.truth_covariance(), Array2::<f64>::eye(DIM));
    let root = law.root()?.inv()?;
    let few = Prompts::draw(law, EXAMPLES, s.scale().pick(4, 32), &mut s.stream("a few prompts")?)?.statistics()?;
    let bare = Batch::new(&few, Precision::Double)?;
    let closed = Batch::new(&symmetrised(&few, law)?, Precision::Double)?;
    let off = |batch: &Batch, a: &[f64], matrix: &Array2<f64>| -> Result<f64, Failure> {
        let gradient = batch.loss_and_gradient(&on(a, matrix)?)?.1;
        let distances = (0..LAYERS).map(|l| -> Result<f64, Failure> {
            Ok(distance_to_identity(&conjugated(&gradient.a(l)?.to_owned(), &root)?)?)
        });
        Ok(largest_of(distances.collect::<Result<Vec<f64>, Failure>>()?))
    };
    let (along, twin) = (s.support(ALIGNED), s.twin(ALIGNED));
    let mut stream = s.stream("points of S")?;
    for _ in s.cases("points", 20, 100)? {
        let a: Vec<f64> = (0..LAYERS).map(|_| 0.1 + 0.8 * stream.uniform()).collect();
        let label = "random points of S, three layers, closed batch: part of the gradient that is not along Σ";
        along.same(label, off(&closed, &a, inverse)?);
        twin.same("multiples of I: part of the gradient that is not along Σ", off(&closed, &a, &eye)?);
        twin.same("multiples of Σ: part of the gradient that is not along Σ", off(&closed, &a, sigma)?);
        twin.same("on S, batch not closed: part of the gradient that is not along Σ", off(&bare, &a, inverse)?);
    }
    Ok(())
}

fn square(m: &Array2<f64>) -> f64 {
    m.iter().map(|v| v * v).sum()
}

/// Squared norm of the gradient at a_i Sigma^{-1}, exact.
fn squared_on_s(steps: &[f64], sigma: &Array2<f64>) -> Result<f64, Failure> {
    let slopes = whitened_gradient(steps, EXAMPLES, DIM)?;
    Ok(slopes.iter().map(|s| (s / DIM as f64).powi(2)).sum::<f64>() * square(sigma))
}

/// One layer: least squared norm of the gradient over the multiples of a matrix.
fn one_layer(m: &Array2<f64>, sigma: &Array2<f64>) -> f64 {
    let c = (EXAMPLES + DIM + 1) as f64 / EXAMPLES as f64;
    let (constant, slope) = (-2.0 * sigma, 2.0 * c * sigma.dot(m).dot(sigma));
    let a = -(&constant * &slope).sum() / square(&slope);
    square(&(&constant + &(a * &slope)))
}

/// Squared norm of the gradient of each model on fresh prompts, over that at A = 0.
fn on_fresh(setting: &Setting, law: &TaskLaw, models: &[Parameters]) -> Result<Vec<Estimate>, Failure> {
    let at_zero = LAYERS as f64 * 4.0 * square(law.covariance());
    let mut products = vec![Vec::new(); models.len()];
    for pair in 0..setting.scale().pick(40, 100) {
        let mut stream = setting.streams().replicate("gradient pairs", pair)?;
        let mut draw = || Batch::draw(law, EXAMPLES, 4000, Precision::Double, &mut stream);
        let (one, other) = (draw()?, draw()?);
        for (model, products) in models.iter().zip(&mut products) {
            let (g, h) = (one.loss_and_gradient(model)?.1, other.loss_and_gradient(model)?.1);
            let product: f64 = g.values().iter().zip(h.values()).map(|(x, y)| x * y).sum();
            products.push(product / at_zero);
        }
    }
    products.iter().map(|p| Ok(mean(p)?)).collect()
}
