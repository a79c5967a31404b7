//! Reformulation, second line: the shorthand, and what is held fixed.
//!
//! **Claim** (`gradient-memory/eq-reformulation-yu`). With u_{t+1} = grad_y L(W_t, x_{t+1}) the problem reads
//! W_{t+1} = argmin_W <y_{t+1}, u_{t+1}> + 1/(2 eta) |W - W_t|_2^2.
//!
//! The note defines y_{t+1} as the prediction made with W_t: a constant, and then nothing is learned. So y has to mean W x_{t+1}, as
//! under the equals sign above it, and u has to stay at W_t. If u moved too, the memory would aim at half the value.

use ndarray::Array2;
use workbench_gradient_memory::{GradientStep, InnerObjective, Loss, UpdateRule};
use workbench_ground::stats::{Estimate, Stream, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{Largest, Least, apart};

const SOLVER: Margin = Margin::new("solver", 1e-11, "conjugate gradients on a quadratic whose Hessian is I / eta");
const ANOTHER: Margin = Margin::new("another minimiser", 1e-2, "far above what a solver leaves");

/// Steps against three readings of the second line.
#[derive(Clone, Debug)]
pub struct Shorthand {
    /// Step size.
    pub eta: f64,
    /// Dimension of keys, of values.
    pub dims: (usize, usize),
    /// Draws with each loss.
    pub draws: usize,
}

impl Default for Shorthand {
    fn default() -> Shorthand {
        Shorthand { eta: 0.3, dims: (6, 4), draws: 20 }
    }
}

/// Weights, a key and a value, drawn.
struct Drawn {
    w: Array2<f64>,
    x: Array2<f64>,
    v: Array2<f64>,
}

/// Distances over the draws.
#[derive(Default)]
struct Seen {
    /// Step minus argmin, y at the old weights.
    frozen: Least,
    frozen_from_w: Largest,
    /// Step minus argmin, y moving, u held.
    moving: Largest,
    penalty: Least,
    /// Squared error only: u moving too.
    both: Least,
    both_by_hand: Largest,
    at_the_value: Least,
}

impl Shorthand {
    fn draw(&self, loss: Loss, stream: &mut Stream) -> Drawn {
        let (d_k, d_v) = self.dims;
        let w = normal_array2(stream, d_v, d_k);
        let x = normal_array2(stream, 1, d_k);
        let v = match loss {
            // Cross-entropy wants probabilities.
            Loss::CrossEntropy => {
                let weights = normal_array2(stream, 1, d_v).mapv(f64::exp);
                &weights / weights.sum()
            }
            _ => normal_array2(stream, 1, d_v),
        };
        Drawn { w, x, v }
    }

    fn compare(&self, loss: Loss, drawn: &Drawn, seen: &mut Seen) -> Result<(), Failure> {
        let (Drawn { w, x, v }, (d_k, d_v), eta) = (drawn, self.dims, self.eta);
        let mut rule = GradientStep::new(d_v, d_k, eta, loss)?;
        rule.restart(w)?;
        let u = loss.output_gradient(w, x, v)?;
        rule.step(x, v)?;
        let step = rule.weights();
        let near = InnerObjective::new("W").anchor(1.0 / eta, w.clone());
        let frozen = near.clone().minimise()?;
        seen.frozen.see(apart(&frozen, step));
        seen.frozen_from_w.see(apart(&frozen, w));
        let slope = u.t().dot(x);
        seen.moving.see(apart(&near.clone().linear(slope.clone()).minimise()?, step));
        let whole = InnerObjective::new("W").anchor(2.0 / eta, w.clone());
        seen.penalty.see(apart(&whole.linear(slope).minimise()?, step));
        if loss == Loss::Squared {
            let both = near.clone().fit(2.0, x.clone(), v / 2.0).minimise()?;
            // W_t + 2 eta / (1 + 2 eta |x|^2) (v/2 - W_t x) x^T.
            let rate = 2.0 * eta / (1.0 + 2.0 * eta * (x * x).sum());
            let by_hand = w + &(rate * (v / 2.0 - x.dot(&w.t())).t().dot(x));
            seen.both.see(apart(&both, step));
            seen.both_by_hand.see(apart(&both, &by_hand));
            let at_the_value = near.fit(2.0, x.clone(), v.clone()).minimise()?;
            seen.at_the_value.see(apart(&at_the_value, &by_hand));
        }
        Ok(())
    }
}

impl TypedCheck for Shorthand {
    const CLAIM: &'static str = "gradient-memory/eq-reformulation-yu";
    const PLAN: Plan = Plan::new(
        "largest entry of step minus minimiser, absolute; over draws the least where it should differ, the largest where it should not",
        "a minimiser that is not the step, with y as the note defines it",
        &[SOLVER, ANOTHER],
    )
    .protocol(&["twenty draws with the squared error and twenty with cross-entropy, W of shape (4, 6)"])
    .departures(&[
        "y = W x is what the equals sign above the line says; read so, the line needs no change, but the note defines the same symbol as the prediction of the old weights",
        "the norm is Frobenius's, as in the first line",
        "u that moves has a closed form for the squared error, so it is asked there only",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("second line")?;
        let mut seen = Seen::default();
        for loss in [Loss::Squared, Loss::CrossEntropy] {
            for _ in 0..self.draws {
                let drawn = self.draw(loss, &mut stream);
                self.compare(loss, &drawn, &mut seen)?;
            }
        }
        let squared = self.draws;
        let within = |label: &str, off: f64, of: usize| Finding::identity(label, off, SOLVER).cases(of).unit("draws");
        let all = 2 * squared;
        let evidence = Evidence::of(within(
            "step against the argmin with y at W_t x, as the note defines it, least",
            seen.frozen.0,
            all,
        ))
        .misprint(
            "y is W x, a function of the variable, and u stays at W_t",
            vec![
                within("step against that argmin", seen.moving.0, all),
                within("y at W_t x: the argmin is W_t", seen.frozen_from_w.0, all),
                Finding::at_least(
                    "u moving too: distance of the argmin from the step, least",
                    ANOTHER,
                    Estimate::exact(seen.both.0),
                )
                .cases(squared)
                .unit("draws"),
                within("u moving too: argmin against its closed form", seen.both_by_hand.0, squared),
            ],
        )
        .twin(within("penalty 1/eta for 1/(2 eta): step against the argmin, least", seen.penalty.0, all))
        .twin(within(
            "u moving too, aiming at the whole value: argmin against the closed form, least",
            seen.at_the_value.0,
            squared,
        ));
        Ok(evidence.into())
    }
}
