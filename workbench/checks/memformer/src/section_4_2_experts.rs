//! Section 4.2: experts for variances and their gates.
//!
//! **Claim** (`memformer/moe-gating`). In a 3-head, 4-layer memformer each head specialises in Gaussian inputs of one variance, 1, 2 or 3.
//! At inference a learnable gate scales the layer output sum_{j <= l} Gamma_j o R_j per head coordinate-wise; each head has one scalar
//! coefficient alpha_i.
//!
//! "Coordinate-wise" and "one scalar" agree, since with Eq. 2.8 only the last coordinate of a register is not zero. One-hot gates must
//! give back the expert at every layer, in fractions. Gates learned by Adam must come to the optimum, which three numbers allow to find
//! by Newton steps and on a grid; and nothing but the gates may have moved.

use ndarray::Array1;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Batch, Fraction, GateKind, Gated, Instance, Layer, LinearTransformer, Parameters, Precision, TunedParts, Tuner,
    best_layer_gates, fraction_matrix, gated_registers,
};

use super::exact::{Tally, part, whole};
use super::section_3_3::EXAMPLES;
use super::section_4::{LEARNED, TRAINING, entries_off, gate, tuned};
use super::section_4_2::variances;
use crate::vocabulary::{EXACT, by_scale, largest_of, least_of};

const FOUND: Margin = Margin::new(
    "found",
    1e-9,
    "what Newton steps to a least value leave in double precision, with three digits to spare",
);
const MERGED: Margin =
    Margin::new("merged", 1e-10, "a product of eight matrices in another order, in double precision");

/// Points of the grid of gates along each axis, from -1/2 to 3/2.
fn grid(setting: &Setting) -> Vec<f64> {
    let parts = setting.scale().pick(4, 12);
    (-parts / 2..=3 * parts / 2).map(|g| f64::from(g) / f64::from(parts)).collect()
}

/// Gates of three experts.
#[derive(Clone, Debug)]
pub struct Gates {
    /// Prompts in fractions; by scale if 0.
    pub prompts: usize,
    /// The variance at which gates are learned.
    pub variance: f64,
    /// Steps of Adam.
    pub steps: usize,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates { prompts: 0, variance: 1.5, steps: 1500 }
    }
}

#[derive(Default)]
struct Exact {
    one_hot: Tally,
    upper: Tally,
    half: Tally,
}

/// What was learned on prompts of the unseen variance.
struct Learned {
    /// Squared errors of one-hot gates that are not the expert's.
    one_hot: Tally,
    /// Loss of learned, best and uniform gates, and the least on the grid.
    learned: f64,
    best: f64,
    uniform: f64,
    on_grid: f64,
    /// Numbers of the heads that moved while gates were learned, and while Gamma was free to move too.
    moved: Tally,
    moved_registers: Tally,
}

impl Gates {
    fn exact(&self, setting: &Setting) -> Result<Exact, Failure> {
        let mut stream = setting.stream("one-hot gates")?;
        let mut seen = Exact::default();
        let (d, n, heads, layers) = (2, 3, 3, 2);
        for case in 0..by_scale(self.prompts, setting.scale().pick(6, 18)) {
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
            let alone = set[hot].forward(&prompt.tokens)?;
            let (same, upper) = (states(0, whole(1))?, states(7, part(1, 2))?);
            let half = states(0, part(1, 2))?;
            let join = |tally: &mut Tally, other: Tally| tally.add(other.off, other.of);
            join(&mut seen.one_hot, entries_off(&alone, &same));
            join(&mut seen.upper, entries_off(&half, &upper));
            seen.half.see(entries_off(&alone, &half).off > 0);
        }
        Ok(seen)
    }

    fn learned(&self, setting: &Setting) -> Result<Learned, Failure> {
        let trained = variances(setting)?;
        let run = &trained[0];
        let mut stream = setting.stream("gates")?;
        let law = run.law.scaled(self.variance)?;
        let test = Batch::draw(&law, EXAMPLES, tuned(setting), Precision::Double, &mut stream)?;
        let uniform = Gated::uniform(run.experts.clone())?;
        let mut one_hot = Tally::default();
        for h in 0..3 {
            let mut gates = [0.0; 3];
            gates[h] = 1.0;
            let merged = test.losses(&uniform.with_gates(&gates)?.merged())?;
            for (a, b) in merged.iter().zip(&test.losses(&run.experts[h])?) {
                one_hot.see((a - b).abs() > MERGED.value * (1.0 + b.abs()));
            }
        }
        let mut tuner = Tuner::new(uniform.clone(), TunedParts::GATES)?;
        let losses = tuner.run(&test, self.steps, 0.01)?;
        let mut on_grid = f64::INFINITY;
        let grid = grid(setting);
        for &i in &grid {
            for &j in &grid {
                for &k in &grid {
                    on_grid = least_of([on_grid, test.loss(&uniform.with_gates(&[i, j, k])?.merged())?]);
                }
            }
        }
        let mut wrong = Tuner::new(uniform.clone(), TunedParts::REGISTERS)?;
        wrong.run(&test, 3, 0.01)?;
        Ok(Learned {
            one_hot,
            learned: test.loss(&tuner.model().merged())?,
            best: best_layer_gates(&uniform, &test, GateKind::Free)?.loss,
            uniform: losses[0],
            on_grid,
            moved: moved(tuner.model().heads(), &run.experts),
            moved_registers: moved(wrong.model().heads(), &run.experts),
        })
    }
}

/// Numbers of the heads that are not the same, bit for bit.
fn moved(a: &[Parameters], b: &[Parameters]) -> Tally {
    let mut seen = Tally::default();
    for (a, b) in a.iter().zip(b) {
        for (x, y) in a.values().iter().zip(b.values()) {
            seen.see(x.to_bits() != y.to_bits());
        }
    }
    seen
}

impl TypedCheck for Gates {
    const CLAIM: &'static str = "memformer/moe-gating";
    const PLAN: Plan = Plan::new(
        "entries that differ, in fractions; loss of learned gates over that of the best ones",
        "an entry that one-hot gates change; a gate of another coordinate that acts; gates that miss the optimum; a head that moved",
        &[EXACT, LEARNED, FOUND, MERGED],
    )
    .protocol(&["three experts for σ² = 1, 2, 3 with four layers, gates learned at σ² = 1.5"])
    .departures(&["prompts in fractions have d = 2, n = 3 and two layers", TRAINING])
    .rivals(&["gates by Newton steps from every corner, and a grid of 15,625 gates (729 at quick scale) from -1/2 to 3/2"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (exact, learned) = (self.exact(setting)?, self.learned(setting)?);
        let over = |a: f64, b: f64| largest_of([a / b - 1.0, 0.0]);
        let label = "loss of gates learned by Adam over that of the best gates, minus 1";
        let evidence =
            Evidence::of(exact.one_hot.none(
                "one-hot gates: entries of the states that differ from the expert's, all layers, exact",
                "entries",
            ))
            .and(exact.upper.none("gates of the coordinates 1 to d: entries of the states that they change", "entries"))
            .and(Finding::identity(label, over(learned.learned, learned.best), LEARNED))
            .and(learned.moved.none("numbers of the heads that moved while gates were learned", "numbers"))
            .and(
                Finding::identity(
                    "loss of the best gates over the least on a grid, minus 1",
                    over(learned.best, learned.on_grid),
                    FOUND,
                )
                .cases(grid(setting).len().pow(3))
                .unit("gates"),
            )
            .and(
                learned
                    .one_hot
                    .none("trained experts, one-hot gates: squared errors that differ from the expert's", "errors"),
            )
            .twin(exact.half.none("gates of one half: prompts whose states differ", "prompts"))
            .twin(Finding::identity(
                "gates left at one third: loss over that of the best gates, minus 1",
                over(learned.uniform, learned.best),
                LEARNED,
            ))
            .twin(learned.moved_registers.none("Γ free as well: numbers of the heads that moved", "numbers"));
        Ok(evidence.into())
    }
}
