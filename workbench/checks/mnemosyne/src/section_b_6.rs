//! B.6: the compute that was used.
//!
//! **Claim** (`mnemosyne/compute-resources`), not tested: all variants were trained and tested on a pod of 4 TPU v3 chips with JAX; hundreds
//! of rounds of training and inference were needed.
//!
//! What somebody used cannot be computed again, and the text prints no number that it must add up to. What can be counted is counted: the
//! operations of one step of the cell, and of its adjoint, by running both on numbers that count. Hours would follow from that only with
//! windows, sizes and a speed that are all ours, so they decide nothing.

use std::cell::Cell as Counter;
use std::ops::{Add, Div, Mul, Neg, Sub};

use workbench_ground::stats::Estimate;
use workbench_ledger::{Failure, Finding, Margin, Setting};
use workbench_optimizer::cell::{Cell, Downward, Form, Gathered, Mnemosyne, Window};
use workbench_optimizer::curves::{SHORT, TASKS, Variant, WINDOWS};
use workbench_optimizer::number::CellNumber;
use workbench_optimizer::task::Task;

use super::optimizer_laboratory::lab;
use super::section_b_rules::Mechanism;

/// Agreement of the counted with the estimated operations.
const ESTIMATE: Margin = Margin::statistical(
    "an estimate by hand",
    0.25,
    "the estimate leaves out norms, exponentials and divisions, which are less than a quarter of the work",
);

/// Operations a second of a TPU v3 chip, in bfloat16, as its maker gives them: 123e12. Four of them, at one hundredth.
const POD: f64 = 4.0 * 123e12 / 100.0;
/// "Hundreds of rounds", taken as five hundred.
const ROUNDS: f64 = 500.0;
/// Windows of a meta-training; the document gives no number, and this is a hundred times ours.
const WINDOWS_THERE: f64 = 1e5;
/// Examples of a batch.
const BATCH: f64 = 64.0;
/// Parameters of the network 784-20-10.
const NETWORK: f64 = 15_910.0;

thread_local! {
    static COUNT: Counter<u64> = const { Counter::new(0) };
}

fn tick() {
    COUNT.with(|count| count.set(count.get() + 1));
}

/// A number that counts what is done with it on this thread.
#[derive(Clone, Copy, Debug)]
struct Counted(f64);

macro_rules! counted {
    ($($name:ident $method:ident $op:tt),*) => {$(
        impl $name for Counted {
            type Output = Counted;
            fn $method(self, other: Counted) -> Counted {
                tick();
                Counted(self.0 $op other.0)
            }
        }
    )*};
}
counted!(Add add +, Sub sub -, Mul mul *, Div div /);

impl Neg for Counted {
    type Output = Counted;
    fn neg(self) -> Counted {
        Counted(-self.0)
    }
}

impl CellNumber for Counted {
    type Shared = Counted;

    fn of(value: f64) -> Counted {
        Counted(value)
    }
    fn shared(value: f64) -> Counted {
        Counted(value)
    }
    fn spread(weight: Counted) -> Counted {
        weight
    }
    fn exp(self) -> Counted {
        tick();
        Counted(self.0.exp())
    }
    fn ln(self) -> Counted {
        tick();
        Counted(self.0.ln())
    }
    fn sqrt(self) -> Counted {
        tick();
        Counted(self.0.sqrt())
    }
    fn at_least(self, y: Counted, then: Counted, otherwise: Counted) -> Counted {
        tick();
        if self.0 >= y.0 { then } else { otherwise }
    }
}

fn counting(work: impl FnOnce()) -> f64 {
    let before = COUNT.with(Counter::get);
    work();
    (COUNT.with(Counter::get) - before) as f64
}

/// Operations for one coordinate and step: forward, and of the adjoint, as means over a window of five.
fn operations(form: Form) -> Result<[f64; 2], Failure> {
    const STEPS: usize = 5;
    let cell = Mnemosyne::new(form)?;
    let weights: Vec<Counted> = (0..cell.weights().len()).map(|i| Counted(0.1 * (0.37 * i as f64).sin())).collect();
    let zeros = |len: usize| vec![Counted(0.0); len];
    let (mut state, len) = (zeros(cell.state_len()), cell.tape_len());
    let (before, mut tapes) = (state.clone(), zeros(STEPS * len));
    let forward = counting(|| {
        for (t, tape) in tapes.chunks_exact_mut(len).enumerate() {
            let mut update = [Counted(0.0)];
            cell.step(&weights, t as u64, &[Counted(0.1)], &mut state, tape, &mut update);
        }
    });
    let (mut slopes, mut carry) = (zeros(weights.len()), zeros(cell.carry_len(STEPS)));
    let (mut scratch, mut gradient, mut derived) = (zeros(cell.scratch_len()), zeros(1), zeros(cell.derived_len()));
    let window = Window { time: 0, state: &before, tapes: &tapes };
    let adjoint = counting(|| {
        for at in (0..STEPS).rev() {
            let down = Downward {
                update: &[Counted(1.0)],
                gradient: &mut gradient,
                weights: &mut slopes,
                carry: &mut carry,
                scratch: &mut scratch,
                derived: &mut derived,
            };
            cell.adjoint(&weights, window, at, down);
            let gathered = Gathered {
                tapes: &tapes,
                window: tapes.len(),
                start: at * len,
                derived: &derived,
                each: derived.len(),
            };
            cell.gather(gathered, &mut slopes);
        }
    });
    Ok([forward / STEPS as f64, adjoint / STEPS as f64])
}

/// The products of matrices and features alone, two operations each: $2E(4d^2+2df+3rd+rd)$ with $r/2$ projections for each of two maps.
fn by_hand(form: &Form) -> f64 {
    let (d, f, r) = (form.hidden as f64, form.feed_forward as f64, 16.0);
    let encoder = 4.0 * d * d + 2.0 * d * f + 2.0 * (0.5 * r * d) + 2.5 * r * d;
    2.0 * form.encoders as f64 * encoder
}

/// Operations of one meta-training: five steps and one gradient more a window; a gradient of a network takes six operations for each example
/// and parameter.
fn of_training([forward, adjoint]: [f64; 2], parameters: f64, windows: f64) -> f64 {
    windows * (5.0 * (forward + adjoint) * parameters + 6.0 * 6.0 * BATCH * parameters)
}

/// Counts behind a claim on cost.
#[derive(Clone, Debug, Default)]
pub struct Compute {}

impl Compute {
    /// What can be checked without the hours: the count of a step, and what follows from it.
    ///
    /// # Errors
    /// Those of the cell.
    pub fn mechanism(&self, setting: &Setting) -> Result<Mechanism, Failure> {
        let form = Form::default();
        let (there, here) = (operations(form)?, operations(Variant::base())?);
        let share = |label: &str, form: &Form| {
            Finding::equals(label, 1.0, ESTIMATE, Estimate::exact(there[0] / by_hand(form))).unit("count")
        };
        let large = of_training(there, NETWORK, WINDOWS_THERE);
        let small = of_training(here, lab(setting)?.suite.task(TASKS[0])?.len() as f64, (SHORT * WINDOWS) as f64);
        let (hours, factor) = (ROUNDS * large / POD / 3600.0, large / small);
        let reason = "what somebody used cannot be computed again, and the text prints no number that it must add up to: no windows, no sizes, no hours";
        let findings = vec![share("operations of a step, counted over estimated by hand", &form)];
        Ok(Mechanism::new(reason, findings)
            .twin(share("counted over an estimate with one encoder", &Form { encoders: 1, ..form }))
            .remark(format!(
                "a step of a coordinate takes {:.0} operations and its adjoint {:.0}; in the cell of our trainings {:.0} and {:.0}",
                there[0], there[1], here[0], here[1]
            ))
            .remark(format!(
                "if it were five hundred trainings of 100,000 windows at a hundredth of the speed that the maker gives, {hours:.1} hours; one of them is {factor:.0} of ours"
            )))
    }
}
