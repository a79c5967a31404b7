//! After Eq. 3.5, proof sketch and footnote 1: how rich the architecture is.
//!
//! **Claim** (`memformer/gamma-lambda-dimensions`). Gamma in R^{(d+1) x (n+1)} (in the sketch R^{(n+1) x (d+1)}) and Lambda in R^{d x d}
//! serve similar roles; the architecture is expected to perform richer algorithms than LFOMs.
//!
//! The answer of two layers as a function of all entries of Gamma, and that of two steps of a diagonal LFOM as a function of all entries
//! of Lambda: the ranks of the two Jacobians over many prompts, in fractions. Counted by hand they are n + 1 and 3d - 1. Then one update
//! in the first class and not in the second: a first layer that listens to half of the examples. Every two-step diagonal LFOM answers in
//! the span of x_c g_c and x_c H_ce g_e, so what least squares leaves over that span bounds the distance to all of them from below.

use ndarray::{Array1, Array2, Axis};
use workbench_display::{Table, columns};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Instance, Layer, LayerMemory, LinearTransformer, Prompts, fraction_vector, gamma_jacobian, identity,
    lambda_jacobian, least_squares, rank,
};

use super::exact::{stack, whole};
use super::section_3_3::{DIM, EXAMPLES, law};
use crate::vocabulary::EXACT;

const OUTSIDE: Margin = Margin::new("outside", 1e-3, "a thousandth of the answers; rounding leaves 1e-30");

/// Ranks, shapes and one update outside.
#[derive(Clone, Debug, Default)]
pub struct HowRich {
    /// Dimension and examples of the ranks; by scale if empty.
    pub sizes: Vec<(usize, usize)>,
}

struct Ranks {
    d: usize,
    n: usize,
    gamma: usize,
    lambda: usize,
}

impl HowRich {
    fn sizes(&self, setting: &Setting) -> Vec<(usize, usize)> {
        let all = vec![(2, 4), (2, 8), (3, 10), (4, 14)];
        match self.sizes.is_empty() {
            true => setting.scale().pick(all[..3].to_vec(), all),
            false => self.sizes.clone(),
        }
    }

    fn ranks(&self, setting: &Setting) -> Result<(Vec<Ranks>, Shapes), Failure> {
        let mut stream = setting.stream("dimensions")?;
        let mut ranks = Vec::new();
        for (d, n) in self.sizes(setting) {
            let asked = (0..(n + 4).max(3 * d + 2))
                .map(|_| Instance::draw(&mut stream, d, n))
                .collect::<Result<Vec<Instance<Fraction>>, _>>()?;
            let layers = stack(&identity(d), 2)?;
            let mut draw = |len: usize| -> Vec<Vec<Array1<Fraction>>> {
                (0..2).map(|k| (0..=k).map(|_| fraction_vector(&mut stream, len)).collect()).collect()
            };
            // The generic rank: the largest at three random points, for a weight that happens to be zero takes some away.
            let (mut gamma, mut lambda) = (0, 0);
            for _ in 0..3 {
                gamma = gamma.max(rank(&gamma_jacobian(&asked, &layers, &draw(n + 1))?));
            }
            for _ in 0..3 {
                lambda = lambda.max(rank(&lambda_jacobian(&asked, &draw(d))?));
            }
            ranks.push(Ranks { d, n, gamma, lambda });
        }
        let prompt = Instance::draw(&mut stream, 2, 4)?;
        let accepted = |rows: usize, columns: usize| -> Result<bool, Failure> {
            let gamma = vec![vec![Array2::from_elem((rows, columns), whole(1))]];
            let layers = vec![stack(&identity(2), 1)?];
            let model = LinearTransformer::new(layers, LayerMemory::Separate { gamma });
            Ok(model.and_then(|model| model.run(&prompt.tokens)).is_ok())
        };
        let shapes = Shapes { text: accepted(3, 5)?, sketch: accepted(5, 3)? };
        Ok((ranks, shapes))
    }

    /// Shares of the answers outside all two-step diagonal LFOMs: first layer on half of the examples, and on all.
    fn outside(&self, setting: &Setting) -> Result<[f64; 2], Failure> {
        let many = Prompts::draw(
            &law(setting)?,
            EXAMPLES,
            setting.scale().pick(1000, 4000),
            &mut setting.stream("half of the examples")?,
        )?;
        let seen = many.statistics()?;
        let tokens = EXAMPLES + 1;
        let listening = |first: Array1<f64>| -> Result<LinearTransformer<f64>, Failure> {
            let layers = vec![Layer::restricted(&Array2::eye(DIM))?; 2];
            let second = vec![Array1::ones(tokens), Array1::from_elem(tokens, 0.5)];
            Ok(LinearTransformer::with_rows(layers, &[vec![first], second])?)
        };
        let half = Array1::from_shape_fn(tokens, |i| if i < EXAMPLES / 2 { 1.0 } else { 0.0 });
        let networks = [listening(half)?, listening(Array1::ones(tokens))?];
        let mut features = Array2::zeros((many.batch(), DIM + DIM * DIM));
        let mut answers = [Array1::zeros(many.batch()), Array1::zeros(many.batch())];
        for b in 0..many.batch() {
            let z = many.tokens(b)?;
            for (answers, network) in answers.iter_mut().zip(&networks) {
                answers[b] = network.predict(&z)?;
            }
            let (x, g) = (seen.query().row(b), -seen.cross(b)?);
            let h = seen.gram().index_axis(Axis(0), b);
            for c in 0..DIM {
                features[[b, c]] = x[c] * g[c];
                for e in 0..DIM {
                    features[[b, DIM + c * DIM + e]] = x[c] * h[[c, e]] * g[e];
                }
            }
        }
        let [half, all] = answers;
        Ok([least_squares(&features, &half)?.left, least_squares(&features, &all)?.left])
    }
}

/// Which shapes of Gamma a register accepts.
struct Shapes {
    text: bool,
    sketch: bool,
}

impl TypedCheck for HowRich {
    const CLAIM: &'static str = "memformer/gamma-lambda-dimensions";
    const PLAN: Plan = Plan::new(
        "ranks of Jacobians in fractions; share of the answers that no two-step diagonal LFOM gives, least squares",
        "a shape that the register refuses; answers that all lie within the LFOMs",
        &[EXACT, OUTSIDE],
    )
    .protocol(&["the update outside: law of Section 3.3, d = 5, n = 20, two layers"])
    .departures(&["the document gives no measure of richness; ranks of Jacobians are ours"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (ranks, shapes) = self.ranks(setting)?;
        let [beyond, within] = self.outside(setting)?;
        let farthest = |off: fn(&Ranks) -> usize| ranks.iter().map(off).max().unwrap_or(0) as f64;
        let refused = |accepted: bool| f64::from(u8::from(!accepted));
        let sizes = ranks.len();
        let column = |of: fn(&Ranks) -> usize| ranks.iter().map(|r| of(r) as f64).collect::<Vec<f64>>();
        let frame = columns(vec![
            ("d", column(|r| r.d).into()),
            ("n", column(|r| r.n).into()),
            ("rank in Γ", column(|r| r.gamma).into()),
            ("rank in Λ", column(|r| r.lambda).into()),
        ])?;
        let outside = |label: &str, share: f64| Finding::at_least(label, OUTSIDE, Estimate::exact(share));
        let evidence = Evidence::of(Finding::identity(
            "Γ of shape (n+1) × (d+1), as in the sketch: 1 if R refuses it",
            refused(shapes.sketch),
            EXACT,
        ))
        .and(outside(
            "first layer on half of the examples: share of the answers outside all two-step diagonal LFOMs",
            beyond,
        ))
        .misprint(
            "the shape is (d+1) × (n+1) as in the text",
            vec![
                Finding::identity(
                    "Γ of shape (d+1) × (n+1): 1 if R refuses it",
                    refused(shapes.text),
                    EXACT,
                ),
                Finding::identity(
                    "rank of the Jacobian in Γ against n + 1",
                    farthest(|r| r.gamma.abs_diff(r.n + 1)),
                    EXACT,
                )
                .cases(sizes)
                .unit("sizes"),
                Finding::identity(
                    "rank of the Jacobian in Λ against 3d - 1",
                    farthest(|r| r.lambda.abs_diff(3 * r.d - 1)),
                    EXACT,
                )
                .cases(sizes)
                .unit("sizes"),
                outside(
                    "share of the answers outside all two-step diagonal LFOMs, half of the examples",
                    beyond,
                ),
            ],
        )
        .twin(outside("the same share with constant Γ", within))
        .note("the extra freedom speaks of positions in the prompt: examples come in random order, so no position deserves more than another")
        .note("gated memory: the weights are fixed numbers, while gates of an LSTM or GRU are computed from the input");
        let table = Table::new(frame).title("How many directions the answer has").digits(2);
        Ok(Checked::from(evidence).table(table))
    }
}
