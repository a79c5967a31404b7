//! Section 4.2: experts for variances and their gates.
//!
//! **Claim** (`memformer/moe-gating`). In a 3-head, 4-layer memformer each head specialises in Gaussian inputs of one variance, 1, 2 or 3.
//! At inference a learnable gate scales the layer output sum_{j <= l} Gamma_j o R_j per head coordinate-wise; each head has one scalar
//! coefficient alpha_i.
//!
//! "Coordinate-wise" and "one scalar" agree, since with Eq. 2.8 only the last coordinate of a register is not zero. One-hot gates must give
//! back the expert at every layer, in fractions. Gates learned by Adam must come to the optimum, which three numbers allow to find by
//! Newton steps and on a grid; and nothing but the gates may have moved.

use ndarray::Array1;
use workbench_ledger::{Check, Done, Failure, Margin, Says, Setting, Sheet};
use workbench_memformer::{
    Batch, Fraction, GateKind, Gated, Instance, Layer, LinearTransformer, Parameters, Precision, TunedParts, Tuner,
    best_layer_gates, fraction_matrix, gated_registers,
};

use super::exact::{part, whole};
use super::expert_heads::variances;
use super::independent_runs::{LEARNED, TRAINING, entries, gate, tuned};
use super::task_law::EXAMPLES;
use crate::vocabulary::EXACT;

/// What Newton steps to a least value leave of it in double precision, with three digits to spare.
const FOUND: f64 = 1e-9;
const MERGED: Margin =
    Margin::rounding("merged", 1e-10, "a product of eight matrices in another order, in double precision");

/// Gates of three experts.
pub const CHECK: Check = Check {
    claim: "memformer/moe-gating",
    metric: "entries that differ, in fractions; loss of learned gates over that of the best ones",
    against: "an entry that one-hot gates change; learned gates that miss the optimum",
    protocol: &["three experts for σ² = 1, 2, 3 with four layers, gates at σ² = 1.5"],
    choices: &["1500 steps of Adam for the gates"],
    departures: &["prompts in fractions have d = 2, n = 3 and two layers", TRAINING],
    rivals: &[
        "gates by Newton steps from every corner, and a grid of 15,625 gates (729 at quick scale) from -1/2 to 3/2",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    in_fractions(s)?;
    learned(s)
}

/// One-hot gates on three heads of two layers with tied Gamma.
fn in_fractions(s: &Sheet) -> Done {
    let mut stream = s.stream("one-hot gates")?;
    let (d, n, heads, layers) = (2, 3, 3, 2);
    for case in s.cases("prompts", 6, 18)? {
        let prompt = Instance::draw(&mut stream, d, n)?;
        let mut set: Vec<LinearTransformer<Fraction>> = Vec::new();
        for _ in 0..heads {
            let weights: Vec<Fraction> = (0..layers).map(|_| Fraction::draw(&mut stream)).collect();
            let row = |j: usize| Array1::from_elem(n + 1, weights[j].clone());
            let rows: Vec<Vec<_>> = (0..layers).map(|l| (0..=l).map(row).collect()).collect();
            let layer = |_| Ok(Layer::restricted(&fraction_matrix(&mut stream, d, d))?);
            set.push(LinearTransformer::with_rows((0..layers).map(layer).collect::<Result<_, Failure>>()?, &rows)?);
        }
        let hot = case % heads;
        // Gates of head h: upper + h for coordinates 1 to d, `last` or nothing for the label.
        let states = |upper: i64, last: Fraction| -> Result<_, Failure> {
            let of_head = |h: usize| {
                let mut gates = gate(d, &whole(upper + h as i64));
                gates[d] = if h == hot { last.clone() } else { whole(0) };
                gates
            };
            let gates: Vec<_> = (0..heads).map(of_head).collect();
            Ok(gated_registers(&set, &gates)?.forward(&prompt.tokens)?)
        };
        let (alone, half) = (set[hot].forward(&prompt.tokens)?, states(0, part(1, 2))?);
        let label = "one-hot gates: entries of the states that differ from the expert's, all layers, exact";
        entries(s.printed(EXACT), label, &alone, &states(0, whole(1))?);
        let label = "gates of the coordinates 1 to d: entries of the states that they change";
        entries(s.support(EXACT), label, &half, &states(7, part(1, 2))?);
        s.twin(EXACT).never("gates of one half: prompts whose states differ", alone != half);
    }
    Ok(())
}

/// Gates of trained experts, learned on prompts of a variance that none has seen.
fn learned(s: &Sheet) -> Done {
    let trained = variances(s)?;
    let run = &trained[0];
    let law = run.law.scaled(s.knob("variance σ²", 1.5, 0.1..=10.0)?)?;
    let test = Batch::draw(&law, EXAMPLES, tuned(s), Precision::Double, &mut s.stream("gates")?)?;
    let uniform = Gated::uniform(run.experts.clone())?;
    for h in 0..3 {
        let gates: [f64; 3] = std::array::from_fn(|i| f64::from(u8::from(i == h)));
        let merged = test.losses(&uniform.with_gates(&gates)?.merged())?;
        for (a, b) in merged.iter().zip(&test.losses(&run.experts[h])?) {
            let label = "trained experts, one-hot gates: squared errors that differ from the expert's";
            s.printed(EXACT).of("errors").never(label, (a - b).abs() > MERGED.value * (1.0 + b.abs()));
        }
    }
    let over = |a: f64, b: f64| (a / b - 1.0).abs();
    let best = best_layer_gates(&uniform, &test, GateKind::Free)?.loss;
    let mut tuner = Tuner::new(uniform.clone(), TunedParts::GATES)?;
    let losses = tuner.run(&test, s.knob("steps of Adam", 1500, 1..)?, 0.01)?;
    let learned = test.loss(&tuner.model().merged())?;
    s.printed(LEARNED).same("loss of gates learned by Adam over that of the best gates, minus 1", over(learned, best));
    let label = "gates left at one third: loss over that of the best gates, minus 1";
    s.twin(LEARNED).same(label, over(losses[0], best));
    let label = "numbers of the heads that moved while gates were learned";
    numbers(s.support(EXACT), label, tuner.model().heads(), &run.experts);
    let mut wrong = Tuner::new(uniform.clone(), TunedParts::REGISTERS)?;
    wrong.run(&test, 3, 0.01)?;
    let label = "Γ free as well: numbers of the heads that moved";
    numbers(s.twin(EXACT), label, wrong.model().heads(), &run.experts);

    // What learned gates are compared with has to be the best there is.
    let (grid, says) = (grid(s), s.support(EXACT).of("gates"));
    for &i in &grid {
        for &j in &grid {
            for &k in &grid {
                let loss = test.loss(&uniform.with_gates(&[i, j, k])?.merged())?;
                says.never("gates of a grid whose loss is below that of the best ones", loss < best * (1.0 - FOUND));
            }
        }
    }
    Ok(())
}

/// Points of the grid of gates along each axis, from -1/2 to 3/2.
fn grid(setting: &Setting) -> Vec<f64> {
    let parts = setting.scale().pick(4, 12);
    (-parts / 2..=3 * parts / 2).map(|g| f64::from(g) / f64::from(parts)).collect()
}

/// States for every number of the heads that it is the same, bit for bit.
fn numbers(says: Says, label: &str, a: &[Parameters], b: &[Parameters]) {
    for (x, y) in a.iter().zip(b).flat_map(|(a, b)| a.values().iter().zip(b.values())) {
        says.of("numbers").never(label, x.to_bits() != y.to_bits());
    }
}
