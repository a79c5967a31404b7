//! Lemma 2.1: a layer of linear attention is a step of preconditioned gradient descent.
//!
//! **Claim** (`memformer/lemma-2-1`, Eqs. 2.8 to 2.11). With P = [[0, 0], [0, 1]] and Q = -[[A_l, 0], [0, 0]] the last entry is
//! -<x(n+1), w_l>, where w_0 = 0 and w_{l+1} = w_l - A_l grad R(w_l) for l = 1, ..., L - 1, R the loss of the prompt.
//!
//! Nothing is said about A_l; training starts it from independent normal entries. In Z^T Q Z the row index of Q meets the example and the
//! column index the token that is updated, so one expects A_l^T. And the recursion as printed begins at l = 1, which leaves w_1 open; it
//! is read as w_0. Refuted by an answer, after any layer, that is not the recursion's.

use ndarray::{Array1, Array2};
use workbench_display::{Table, columns};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memformer::{Fraction, Instance, Layer, Mask, literal_forward, output, preconditioned_descent};

use super::exact::{part, whole};
use super::exact_layers::{answers, general, layers_of, scaled, sizes, symmetric, transposes};
use super::prompts_and_heads::prompts;
use super::task_law::DIM;
use crate::vocabulary::{EXACT, ROUNDING, largest_of};

/// Forward pass against recursion, in fractions and in floats.
pub const CHECK: Check = Check {
    claim: "memformer/lemma-2-1",
    metric: "answers that differ from the recursion's, in fractions and at every layer; difference beside the largest answer, in floats",
    against: "an answer of the forward pass that is not that of the recursion",
    protocol: &["floats: d = 5, n = 20, four layers, as in Section 3.3"],
    departures: &[
        "fractions have d = 2 or 3, n = 3 to 5 and three layers; w_1, which the recursion from l = 1 leaves open, is read as w_0",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint(
        "the step is taken with the transpose of A (as printed the lemma needs symmetric A), and the recursion starts at l = 0",
    );
    let mut stream = s.stream("lemma 2.1")?;
    in_fractions(s, &mut stream)?;
    in_floats(s, &mut stream)
}

fn in_fractions(s: &Sheet, stream: &mut Stream) -> Done {
    const LAYERS: usize = 3;
    let (mut off, mut of) = ([0; 5], 0);
    for case in s.cases("prompts", 20, 100)? {
        let (d, n) = sizes(case);
        let prompt = Instance::draw(stream, d, n)?;
        let a = general(stream, LAYERS, d);
        let even = symmetric(&a);
        let forward = |a: &[Array2<Fraction>]| -> Result<_, Failure> {
            Ok(literal_forward(&layers_of(a)?, &prompt.tokens, Mask::Printed)?)
        };
        let (states, of_even) = (forward(&a)?, forward(&even)?);
        let steps = transposes(&a);
        let mut late = even.clone();
        late[0].fill(whole(0));
        let backwards: Vec<_> = steps.iter().rev().cloned().collect();
        let (nth, uphill) = (scaled(&part(1, n as i64), &steps), scaled(&whole(-1), &steps));

        let (printed, changed, twin) = (s.printed(EXACT), s.changed(EXACT), s.twin(EXACT));
        let label = "general A, as printed: answers that differ from the recursion";
        off[1] += answers(printed, label, &prompt, &states, &a)?;
        let label = "symmetric A: answers that differ from the recursion";
        off[0] += answers(printed, label, &prompt, &of_even, &even)?;
        let label = "symmetric A, recursion from l = 1 with w₁ = w₀: answers that differ";
        answers(printed, label, &prompt, &of_even, &late)?;
        let label = "general A: answers that differ from the recursion with the transpose";
        off[2] += answers(changed, label, &prompt, &states, &steps)?;
        off[3] += answers(twin, "with a factor 1/n before the gradient", &prompt, &states, &nth)?;
        off[4] += answers(twin, "with the other sign", &prompt, &states, &uphill)?;
        answers(twin, "with the layers in the opposite order", &prompt, &states, &backwards)?;
        of += LAYERS;
    }
    let frame = columns(vec![
        ("step taken with", ["A, symmetric A", "A", "Aᵀ", "Aᵀ/n", "−Aᵀ"].into()),
        ("answers that differ", off.map(|off| off as f64).into()),
        ("of", [of as f64; 5].into()),
    ])?;
    s.table(Table::new(frame).title("The forward pass against five recursions, in fractions").digits(4));
    Ok(())
}

/// At the size and depth of the document's models; A near half the identity.
fn in_floats(s: &Sheet, stream: &mut Stream) -> Done {
    const LAYERS: usize = 4;
    let batch = prompts(s)?;
    let [mut size, mut printed, mut transposed] = [const { Vec::new() }; 3];
    for b in 0..s.knob("prompts in floats", 200, 1..=20_000)? {
        let prompt = Instance::of_prompts(&batch, b)?;
        let f = prompt.quadratic();
        let near = || 0.5 * &Array2::<f64>::eye(DIM) + 0.2 * normal_array2(stream, DIM, DIM);
        let a: Vec<Array2<f64>> = std::iter::repeat_with(near).take(LAYERS).collect();
        let layers = a.iter().map(Layer::restricted).collect::<Result<Vec<_>, _>>()?;
        let answer = output(&literal_forward(&layers, &prompt.tokens, Mask::Printed)?)?;
        let query: Array1<f64> = prompt.query();
        let off = |steps: &[Array2<f64>]| -> Result<f64, Failure> {
            let asked = query.dot(&preconditioned_descent(&f, &f.origin(), steps)?.iterates[LAYERS]);
            Ok((answer - asked).abs())
        };
        size.push(answer.abs());
        printed.push(off(&a)?);
        transposed.push(off(&a.iter().map(|a| a.t().to_owned()).collect::<Vec<_>>())?);
    }
    let (prompts, size) = (size.len(), largest_of(size));
    let label = "floats, d = 5, n = 20, 4 layers: difference as printed, relative";
    s.printed(ROUNDING).over(prompts, "prompts").same(label, largest_of(printed) / size);
    let label = "floats, d = 5, n = 20, 4 layers: difference with the transpose, relative";
    s.changed(ROUNDING).over(prompts, "prompts").same(label, largest_of(transposed) / size);
    Ok(())
}
