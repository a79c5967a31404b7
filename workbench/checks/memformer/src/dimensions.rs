//! After Eq. 3.5, proof sketch and footnote 1: how rich the architecture is.
//!
//! **Claim** (`memformer/gamma-lambda-dimensions`). Gamma in R^{(d+1) x (n+1)} (in the sketch R^{(n+1) x (d+1)}) and Lambda in R^{d x d}
//! serve similar roles; the architecture is expected to perform richer algorithms than LFOMs.
//!
//! The answer of two layers as a function of all entries of Gamma, and that of two steps of a diagonal LFOM as a function of all entries
//! of Lambda: the ranks of the two Jacobians over many prompts, in fractions. Counted by hand they are n + 1 and 3d - 1; the check stands
//! on it. What decides is one update in the first class and not in the second: a first layer that listens to half of the examples. Every
//! two-step diagonal LFOM answers in the span of x_c g_c and x_c H_ce g_e, so what least squares leaves over that span bounds the distance
//! to all of them from below.

use ndarray::{Array1, Array2, Axis};
use workbench_display::{Table, columns};
use workbench_ground::stats::Stream;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{
    Fraction, Instance, Layer, LayerMemory, LinearTransformer, Prompts, fraction_vector, gamma_jacobian, identity,
    lambda_jacobian, least_squares, rank,
};

use super::exact::{stack, whole};
use super::task_law::{DIM, EXAMPLES, law};
use crate::vocabulary::EXACT;

const OUTSIDE: Margin = Margin::rounding("outside", 1e-12, "a share of squares; rounding leaves 1e-30");

/// Ranks, shapes and one update outside.
pub const CHECK: Check = Check {
    claim: "memformer/gamma-lambda-dimensions",
    metric: "ranks of Jacobians in fractions; share of the answers that no two-step diagonal LFOM gives, least squares",
    against: "a shape that the register refuses; answers that all lie within the LFOMs",
    choices: &["two layers", "the update outside: law of Section 3.3, d = 5, n = 20"],
    departures: &["the document gives no measure of richness; ranks of Jacobians are ours"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint("the shape is (d+1) × (n+1) as in the text");
    s.note("the extra freedom speaks of positions in the prompt: examples come in random order, so no position deserves more than another");
    s.note("gated memory: the weights are fixed numbers, while gates of an LSTM or GRU are computed from the input");
    let (mut stream, mut shapes) = (s.stream("dimensions")?, s.stream("shapes")?);
    let mut rows = Vec::new();
    for (d, n) in s.each("sizes", &[(2, 4), (2, 8), (3, 10), (4, 14)][..s.scale().pick(3, 4)]).copied() {
        let (gamma, lambda) = ranks(&mut stream, d, n)?;
        s.support(EXACT).same("rank of the Jacobian in Γ against n + 1", gamma.abs_diff(n + 1) as f64);
        s.support(EXACT).same("rank of the Jacobian in Λ against 3d - 1", lambda.abs_diff(3 * d - 1) as f64);
        rows.push([d, n, gamma, lambda]);
        let prompt = Instance::draw(&mut shapes, d, n)?;
        let refused = |rows: usize, columns: usize| -> Result<bool, Failure> {
            let gamma = vec![vec![Array2::from_elem((rows, columns), whole(1))]];
            let model = LinearTransformer::new(vec![stack(&identity(d), 1)?], LayerMemory::Separate { gamma });
            Ok(model.and_then(|model| model.run(&prompt.tokens)).is_err())
        };
        let label = "sizes at which R refuses Γ of shape (n+1) × (d+1), as in the sketch";
        s.printed(EXACT).never(label, refused(n + 1, d + 1)?);
        s.changed(EXACT).never("sizes at which R refuses Γ of shape (d+1) × (n+1)", refused(d + 1, n + 1)?);
    }

    let [beyond, within] = outside(s)?;
    let label = "first layer on half of the examples: share of the answers outside all two-step diagonal LFOMs";
    let size = s.scale().pick(1000, 4000);
    s.both_forms(OUTSIDE).over(size, "prompts").at_least(label, beyond);
    s.twin(OUTSIDE).over(size, "prompts").at_least("the same share with constant Γ", within);

    let column = |c: usize| rows.iter().map(|row| row[c] as f64).collect::<Vec<f64>>().into();
    let names = ["d", "n", "rank in Γ", "rank in Λ"];
    let frame = columns(names.iter().enumerate().map(|(c, name)| (*name, column(c))).collect())?;
    s.table(Table::new(frame).title("How many directions the answer has").digits(2));
    Ok(())
}

/// Ranks of the Jacobians in Gamma and in Lambda. The generic rank is the largest at three random points, for a weight that happens to be
/// zero takes some away.
fn ranks(stream: &mut Stream, d: usize, n: usize) -> Result<(usize, usize), Failure> {
    let prompts = (n + 4).max(3 * d + 2);
    let asked = (0..prompts).map(|_| Instance::draw(stream, d, n)).collect::<Result<Vec<Instance<Fraction>>, _>>()?;
    let layers = stack(&identity(d), 2)?;
    let mut draw = |len: usize| -> Vec<Vec<Array1<Fraction>>> {
        (0..2).map(|k| (0..=k).map(|_| fraction_vector(stream, len)).collect()).collect()
    };
    let (mut gamma, mut lambda) = (0, 0);
    for _ in 0..3 {
        gamma = gamma.max(rank(&gamma_jacobian(&asked, &layers, &draw(n + 1))?));
    }
    for _ in 0..3 {
        lambda = lambda.max(rank(&lambda_jacobian(&asked, &draw(d))?));
    }
    Ok((gamma, lambda))
}

/// Shares of the answers outside all two-step diagonal LFOMs: first layer on half of the examples, and on all.
fn outside(s: &Sheet) -> Result<[f64; 2], Failure> {
    let size = s.scale().pick(1000, 4000);
    let many = Prompts::draw(&law(s)?, EXAMPLES, size, &mut s.stream("half of the examples")?)?;
    let seen = many.statistics()?;
    let mut features = Array2::zeros((size, DIM + DIM * DIM));
    for b in 0..size {
        let (x, g) = (seen.query().row(b), -seen.cross(b)?);
        let h = seen.gram().index_axis(Axis(0), b);
        for c in 0..DIM {
            features[[b, c]] = x[c] * g[c];
            for e in 0..DIM {
                features[[b, DIM + c * DIM + e]] = x[c] * h[[c, e]] * g[e];
            }
        }
    }
    let tokens = EXAMPLES + 1;
    let left = |listens: usize| -> Result<f64, Failure> {
        let first = Array1::from_shape_fn(tokens, |i| if i < listens { 1.0 } else { 0.0 });
        let second = vec![Array1::ones(tokens), Array1::from_elem(tokens, 0.5)];
        let layers = vec![Layer::restricted(&Array2::eye(DIM))?; 2];
        let network = LinearTransformer::with_rows(layers, &[vec![first], second])?;
        let mut answers = Array1::zeros(size);
        for b in 0..size {
            answers[b] = network.predict(&many.tokens(b)?)?;
        }
        Ok(least_squares(&features, &answers)?.left)
    };
    Ok([left(EXAMPLES / 2)?, left(tokens)?])
}
