//! Lemma 2.1: a layer of linear attention is a step of preconditioned gradient descent.
//!
//! **Claim** (`memformer/lemma-2-1`, Eqs. 2.8 to 2.11). With P = [[0, 0], [0, 1]] and Q = -[[A_l, 0], [0, 0]] the last entry is
//! -<x(n+1), w_l>, where w_0 = 0 and w_{l+1} = w_l - A_l grad R(w_l) for l = 1, ..., L - 1, R the loss of the prompt.
//!
//! Nothing is said about A_l; training starts it from independent normal entries. In Z^T Q Z the row index of Q meets the example and the
//! column index the token that is updated, so one expects A_l^T. And the recursion as printed begins at l = 1, which leaves w_1 open; it
//! is read as w_0. Against the claim counts an answer, after any layer, that is not the recursion's.

use ndarray::{Array1, Array2};
use workbench_display::{Table, columns};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{Fraction, Instance, Layer, Mask, Prompts, literal_forward, output, preconditioned_descent};

use super::appendix_a_1::{answers_off, cases, general, layers_of, scaled, sizes, symmetric, transposes};
use super::exact::{Tally, part, whole};
use super::section_2_1::prompts;
use super::section_3_3::DIM;
use crate::vocabulary::{EXACT, Largest, ROUNDING};

/// Forward pass against recursion, in fractions and in floats.
#[derive(Clone, Debug)]
pub struct LayerIsStep {
    /// Prompts in fractions; by scale if 0.
    pub prompts: usize,
    /// Prompts in floats.
    pub floats: usize,
}

impl Default for LayerIsStep {
    fn default() -> LayerIsStep {
        LayerIsStep { prompts: 0, floats: 200 }
    }
}

const LAYERS: usize = 3;
/// Layers of the document's models.
const DEEP: usize = 4;

#[derive(Default)]
struct Exact {
    symmetric: Tally,
    late: Tally,
    printed: Tally,
    transposed: Tally,
    nth: Tally,
    uphill: Tally,
    backwards: Tally,
}

/// Largest differences beside the largest answer, with A as printed and with its transpose.
#[derive(Default)]
struct Floats {
    size: Largest,
    printed: Largest,
    transposed: Largest,
}

impl LayerIsStep {
    fn exact(&self, setting: &Setting, stream: &mut Stream) -> Result<Exact, Failure> {
        let mut seen = Exact::default();
        for case in 0..cases(setting, self.prompts) {
            let (d, n) = sizes(case);
            let prompt = Instance::draw(stream, d, n)?;
            let a = general(stream, LAYERS, d);
            let run = |a: &[Array2<Fraction>]| {
                literal_forward(&layers_of(a)?, &prompt.tokens, Mask::Printed).map_err(Failure::from)
            };
            let even = symmetric(&a);
            let (states, of_even) = (run(&a)?, run(&even)?);
            let steps = transposes(&a);
            let mut late = even.clone();
            late[0].fill(whole(0));
            let backwards: Vec<_> = steps.iter().rev().cloned().collect();
            let nth = scaled(&part(1, n as i64), &steps);
            let uphill = scaled(&whole(-1), &steps);
            for (tally, states, steps) in [
                (&mut seen.symmetric, &of_even, &even),
                (&mut seen.late, &of_even, &late),
                (&mut seen.printed, &states, &a),
                (&mut seen.transposed, &states, &steps),
                (&mut seen.nth, &states, &nth),
                (&mut seen.uphill, &states, &uphill),
                (&mut seen.backwards, &states, &backwards),
            ] {
                tally.add(answers_off(&prompt, states, steps)?, LAYERS);
            }
        }
        Ok(seen)
    }

    fn in_floats(&self, prompts: &Prompts, stream: &mut Stream) -> Result<Floats, Failure> {
        let mut seen = Floats::default();
        for b in 0..self.floats {
            let prompt = Instance::of_prompts(prompts, b)?;
            let f = prompt.quadratic();
            let near = || 0.5 * &Array2::<f64>::eye(DIM) + 0.2 * normal_array2(stream, DIM, DIM);
            let a: Vec<Array2<f64>> = std::iter::repeat_with(near).take(DEEP).collect();
            let layers = a.iter().map(Layer::restricted).collect::<Result<Vec<_>, _>>()?;
            let answer = output(&literal_forward(&layers, &prompt.tokens, Mask::Printed)?)?;
            let query: Array1<f64> = prompt.query();
            let by = |steps: &[Array2<f64>]| -> Result<f64, Failure> {
                Ok(query.dot(&preconditioned_descent(&f, &f.origin(), steps)?.iterates[DEEP]))
            };
            let transposed: Vec<Array2<f64>> = a.iter().map(|a| a.t().to_owned()).collect();
            seen.size.see(answer.abs());
            seen.printed.see((answer - by(&a)?).abs());
            seen.transposed.see((answer - by(&transposed)?).abs());
        }
        Ok(seen)
    }
}

fn table(seen: &Exact) -> Result<Table, Failure> {
    let rows = [
        ("A, symmetric A", seen.symmetric),
        ("A", seen.printed),
        ("Aᵀ", seen.transposed),
        ("Aᵀ/n", seen.nth),
        ("−Aᵀ", seen.uphill),
    ];
    let frame = columns(vec![
        ("step taken with", rows.map(|(name, _)| name).into()),
        ("answers that differ", rows.map(|(_, tally)| tally.off as f64).into()),
        ("of", rows.map(|(_, tally)| tally.of as f64).into()),
    ])?;
    Ok(Table::new(frame).title("The forward pass against five recursions, in fractions").digits(4))
}

impl TypedCheck for LayerIsStep {
    const CLAIM: &'static str = "memformer/lemma-2-1";
    const PLAN: Plan = Plan::new(
        "answers that differ from the recursion's, in fractions and at every layer; difference beside the largest answer, in floats",
        "an answer of the forward pass that is not that of the recursion",
        &[EXACT, ROUNDING],
    )
    .protocol(&["floats: d = 5, n = 20, four layers, as in Section 3.3"])
    .departures(&["fractions have d = 2 or 3, n = 3 to 5 and three layers; w_1, which the recursion from l = 1 leaves open, is read as w_0"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let batch = prompts(setting)?;
        let mut stream = setting.stream("lemma 2.1")?;
        let (exact, floats) = (self.exact(setting, &mut stream)?, self.in_floats(&batch, &mut stream)?);
        let relative = |label: &str, gap: f64| {
            Finding::identity(label, gap / floats.size.0, ROUNDING).cases(self.floats).unit("prompts")
        };
        let evidence = Evidence::of(
            exact.printed.none("general A, as printed: answers that differ from the recursion", "answers"),
        )
        .and(exact.symmetric.none("symmetric A: answers that differ from the recursion", "answers"))
        .and(exact.late.none("symmetric A, recursion from l = 1 with w₁ = w₀: answers that differ", "answers"))
        .and(relative("floats, d = 5, n = 20, 4 layers: difference as printed, relative", floats.printed.0))
        .misprint(
            "the step is taken with the transpose of A (as printed the lemma needs symmetric A), and the recursion starts at l = 0",
            vec![
                exact
                    .transposed
                    .none("general A: answers that differ from the recursion with the transpose", "answers"),
                relative(
                    "floats, d = 5, n = 20, 4 layers: difference with the transpose, relative",
                    floats.transposed.0,
                ),
            ],
        )
        .twin(exact.nth.none("with a factor 1/n before the gradient", "answers"))
        .twin(exact.uphill.none("with the other sign", "answers"))
        .twin(exact.backwards.none("with the layers in the opposite order", "answers"));
        Ok(Checked::from(evidence).table(table(&exact)?))
    }
}
