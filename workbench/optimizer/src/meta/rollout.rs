//! Windows of a roll-out, and the gradient of their loss for the weights.

use workbench_ground::check::{not_negative, positive, same};
use workbench_ground::stats::Stream;
use workbench_ground::tabulated::{Columns, Tabulated};

use super::{Drawn, ScaledProblem, Tapes};
use crate::cell::{Cell, Normed, TensorScale};
use crate::classical::{Adam, AdamSettings};
use crate::layout::first_not_finite;
use crate::task::Split;
use crate::{Error, Layout, Optimizer, Saved};
use workbench_ground::lanes::Precision;

const OP: &str = "Rollout::window";

/// What the derivative of a window lets vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// The gradients that the cell is given count as constants: the public code of \[2\].
    Stopped,
    /// They vary with the parameters; takes one Hessian-vector product for each step but the first.
    Exact,
}

/// Whose updates the parameters follow in a roll-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Those of the optimizer that is trained: on-policy, as B.1 has it.
    Own,
    /// Those of the expert: behaviour cloning, off-policy. The losses of the task then say nothing about the weights.
    Expert,
}

/// How a loss of the task counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossScale {
    /// As it is: B.1.
    Plain,
    /// By its logarithm: a tenth off counts the same wherever a roll-out is, and on every task. Celo scores by it.
    Log,
}

/// Losses below this count as this in a logarithm.
const LEAST: f64 = 1e-6;

impl LossScale {
    fn of(self, loss: f64) -> f64 {
        match self {
            LossScale::Plain => loss,
            LossScale::Log => loss.max(LEAST).ln(),
        }
    }

    fn slope(self, loss: f64) -> f64 {
        match self {
            LossScale::Plain => 1.0,
            LossScale::Log => 1.0 / loss.max(LEAST),
        }
    }
}

/// The loss of a window that starts at $\theta_0$ with everything before it given:
///
/// $$ L(\phi)=\kappa\sum_{t=1}^{T}f_t(\theta_t)+\mu\sum_{t=0}^{T-1}\frac1p\lVert u_t-a_t\rVert^2,\qquad \theta_{t+1}=\theta_t+u_t $$
///
/// $f_t$ is the loss on the $t$-th batch, or its logarithm ([`LossScale`]), $a_t$ the expert's update for the same gradients, which counts as a constant in the derivative.
/// With [`Path::Expert`], $\theta_{t+1}=\theta_t+a_t$.
///
/// **Source**: B.1, "hybrid loss". Open there: $\mu$; whether a mean or a sum (ours: mean over coordinates, sum over steps).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolloutObjective {
    /// $\kappa\ge0$, the weight of the task: 1, or 0 for imitation alone.
    pub task: f64,
    /// $\mu\ge0$, the weight of the imitation.
    pub imitation: f64,
    /// The expert: Adam at 0.03 in B.1.
    pub expert: AdamSettings,
    /// What the derivative lets vary.
    pub derivative: Derivative,
    /// Whose updates are taken.
    pub path: Path,
    /// How $f_t$ counts.
    pub measure: LossScale,
}

impl Default for RolloutObjective {
    fn default() -> RolloutObjective {
        RolloutObjective {
            task: 1.0,
            imitation: 0.0,
            expert: AdamSettings { rate: 3e-2, ..AdamSettings::default() },
            derivative: Derivative::Stopped,
            path: Path::Own,
            measure: LossScale::Plain,
        }
    }
}

/// What a window gave.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowOutcome {
    /// $L$.
    pub loss: f64,
    /// $f_1(\theta_1),\dots,f_T(\theta_T)$; of a meta-step by evolution the mean over all its runs alone.
    pub losses: Vec<f64>,
    /// $\sum_t\frac1p\lVert u_t-a_t\rVert^2$, without its weight.
    pub imitation: f64,
    /// $\partial L/\partial\phi$ of the trained weights; empty if it was not asked for.
    pub gradient: Vec<f64>,
}

/// One row for each step: the loss of the task after it.
impl Tabulated for WindowOutcome {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("A window of a roll-out")
            .x("step", (1..=self.losses.len()).collect::<Vec<usize>>())
            .with("loss", &self.losses))
    }
}

/// A learned optimizer on its way through a task, window by window.
#[derive(Debug)]
pub struct Rollout {
    theta: Vec<f64>,
    expert: Adam,
    tapes: Tapes,
    /// Of a cell that answers with directions.
    scale: Option<TensorScale>,
    time: u64,
}

impl Rollout {
    /// At the start of a task: `theta` as the optimizer sees it.
    ///
    /// **Errors**: parameters of another number than the layout's, weights of another number than the cell's, a bad expert.
    pub fn new<C: Cell>(
        cell: &C,
        weights: &[f64],
        layout: &Layout,
        theta: Vec<f64>,
        expert: AdamSettings,
        precision: Precision,
    ) -> Result<Rollout, Error> {
        const OP: &str = "Rollout::new";
        same(OP, ("parameters", theta.len()), ("the layout", layout.len()))?;
        same(OP, ("weights", weights.len()), ("the cell's", cell.weights().len()))?;
        Ok(Rollout {
            theta,
            expert: Adam::new(layout.clone(), expert)?,
            tapes: cell.tapes(weights, layout, precision),
            scale: cell.step_law().map(|law| TensorScale::new(law, layout)),
            time: 0,
        })
    }

    /// Other weights from here on.
    pub fn set_weights(&mut self, weights: &[f64]) {
        self.tapes.0.set_weights(weights);
    }

    /// The parameters, as the optimizer sees them.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Steps taken.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// The next `steps` steps, their loss, and if `adjoint` is set its gradient for the trained weights.
    ///
    /// **Errors**: no steps, a negative weight of the imitation, the errors of the task, a loss or an update that is not finite.
    /// **Cost** that of T steps, with the adjoint about three times as much for the short windows of training, and a tape of each step. The
    /// adjoint of a compact memory reads the keys and values of all earlier steps of the window: O(T^2 (r + d)) for each coordinate, which
    /// is the larger part beyond some r d / (r + d) steps. So it needs no sums but the first, and a tape r times shorter; for a long
    /// course take windows one after the other. A window is a whole: what trains looks for a stop between windows.
    pub fn window(
        &mut self,
        setting: &ScaledProblem<'_>,
        objective: &RolloutObjective,
        steps: usize,
        adjoint: bool,
        batches: &mut Stream,
    ) -> Result<WindowOutcome, Error> {
        positive(OP, "steps of a window", steps)?;
        not_negative(OP, "imitation", objective.imitation)?;
        not_negative(OP, "task", objective.task)?;
        if self.scale.is_some() && objective.derivative == Derivative::Exact {
            let problem = "exact derivatives of a cell that counts its gradients as given";
            return Err(Error::refused(OP, problem, "ask for Derivative::Stopped"));
        }
        let p = self.theta.len();
        let start = self.time;
        self.tapes.0.open(steps, adjoint);
        let mut past: Vec<Past> = Vec::with_capacity(steps + 1);
        let mut imitation = 0.0;
        for at in 0..=steps {
            let batch = setting.problem().draw(Split::Training, batches);
            let mut gradient = vec![0.0; p];
            let loss = setting.slope(&self.theta, &batch, &mut gradient)?;
            if !loss.is_finite() || first_not_finite(&gradient).is_some() {
                return Err(self.diverged("loss of the task", loss));
            }
            let mut step = Past {
                theta: if objective.derivative == Derivative::Exact { self.theta.clone() } else { Vec::new() },
                batch,
                loss,
                gradient,
                apart: Vec::new(),
                scaled: None,
            };
            if at < steps {
                let mut update = vec![0.0; p];
                let shown = self.scale.as_mut().map(|scale| scale.before(self.time, &step.gradient));
                let shown = shown.as_ref().unwrap_or(&step.gradient);
                if adjoint {
                    self.tapes.0.forward(self.time, at, shown, &mut update);
                } else {
                    self.tapes.0.step(self.time, shown, &mut update);
                }
                if let Some(scale) = &mut self.scale {
                    let directions = update.clone();
                    step.scaled = Some((directions, scale.after(&mut update)));
                }
                if let Some(index) = first_not_finite(&update) {
                    return Err(self.diverged("update", update[index]));
                }
                let mut target = vec![0.0; p];
                self.expert.step(&mut target, &step.gradient)?;
                let taken = if objective.path == Path::Own { &update } else { &target };
                self.theta.iter_mut().zip(taken).for_each(|(x, u)| *x += u);
                update.iter_mut().zip(&target).for_each(|(u, a)| *u -= a);
                imitation += update.iter().map(|d| d * d).sum::<f64>() / p.max(1) as f64;
                step.apart = update;
                self.time += 1;
            }
            past.push(step);
        }
        let losses: Vec<f64> = past[1..].iter().map(|step| step.loss).collect();
        let gradient = if adjoint { self.backward(setting, objective, start, &past)? } else { Vec::new() };
        Ok(WindowOutcome {
            loss: objective.task * losses.iter().map(|loss| objective.measure.of(*loss)).sum::<f64>()
                + objective.imitation * imitation,
            losses,
            imitation,
            gradient,
        })
    }

    fn diverged(&self, name: &'static str, value: f64) -> Error {
        Error::Diverged {
            op: OP,
            step: self.time as usize,
            name,
            value,
            rate: None,
            next: "go back to a checkpoint; lower the rate of the meta-training or clip its gradients".into(),
        }
    }

    /// From the last step to the first; $a_t=\partial L/\partial\theta_t$.
    fn backward(
        &mut self,
        setting: &ScaledProblem<'_>,
        objective: &RolloutObjective,
        start: u64,
        past: &[Past],
    ) -> Result<Vec<f64>, Error> {
        let p = self.theta.len();
        let pull = 2.0 * objective.imitation / p.max(1) as f64;
        let (mut d_gradient, mut product) = (vec![0.0; p], vec![0.0; p]);
        // Where the expert leads, no update moves the parameters.
        let own = objective.path == Path::Own;
        let exact = own && objective.derivative == Derivative::Exact;
        let kappa = if own { objective.task } else { 0.0 };
        let mut a = vec![0.0; p];
        let add = |a: &mut [f64], step: &Past| {
            let kappa = kappa * objective.measure.slope(step.loss);
            a.iter_mut().zip(&step.gradient).for_each(|(a, g)| *a += kappa * g);
        };
        past.last().into_iter().for_each(|last| add(&mut a, last));
        // Without second derivatives nothing waits for an adjoint: all of them are done at once.
        let mut waiting: Vec<(usize, Vec<f64>)> = Vec::new();
        let mut carry = vec![0.0; self.scale.as_ref().map_or(0, TensorScale::count)];
        for (at, step) in past[..past.len() - 1].iter().enumerate().rev() {
            let mut d_update: Vec<f64> = a.iter().zip(&step.apart).map(|(a, apart)| a + pull * apart).collect();
            if let (Some(scale), Some((directions, normed))) = (&self.scale, &step.scaled) {
                scale.adjoint(normed, directions, &mut carry, &mut d_update);
            }
            waiting.push((at, d_update));
            if exact || at == 0 {
                let steps_back: Vec<(usize, &[f64])> = waiting.iter().map(|(at, d)| (*at, &d[..])).collect();
                self.tapes.0.backward(start, &steps_back, &mut d_gradient);
                waiting.clear();
            }
            if at > 0 {
                if exact {
                    setting.curve(&step.theta, &step.batch, &d_gradient, &mut product)?;
                    a.iter_mut().zip(&product).for_each(|(a, h)| *a += h);
                }
                add(&mut a, step);
            }
        }
        let gradient = self.tapes.0.gradient();
        match first_not_finite(&gradient) {
            None => Ok(gradient),
            Some(index) => Err(self.diverged("gradient of the weights", gradient[index])),
        }
    }

    /// What is remembered of tensors as a whole.
    fn tensors(&self) -> Vec<f64> {
        self.scale.as_ref().map_or(Vec::new(), TensorScale::state)
    }

    /// Parameters, state and expert.
    pub fn save(&self) -> Saved {
        Saved {
            name: "roll-out".into(),
            settings: Vec::new(),
            steps: self.time,
            tensors: self.expert.layout().tensors().to_vec(),
            numbers: [&self.theta[..], &self.tapes.0.state(), &self.tensors()].concat(),
            parts: vec![self.expert.save()],
        }
    }

    /// Goes back to where [`Rollout::save`] was.
    ///
    /// **Errors**: a state of another task or cell.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        const OP: &str = "Rollout::restore";
        let len = self.theta.len() + self.tapes.0.state_len() + self.tensors().len();
        saved.expect(OP, "roll-out", &[], self.expert.layout(), len)?;
        let [expert] = &saved.parts[..] else {
            return Err(Error::refused(OP, "the expert is missing", "pass what Rollout::save gave"));
        };
        self.expert.restore(expert)?;
        let (theta, state) = saved.numbers.split_at(self.theta.len());
        let (units, tensors) = state.split_at(self.tapes.0.state_len());
        self.theta.copy_from_slice(theta);
        self.tapes.0.set_state(units);
        if let Some(scale) = &mut self.scale {
            scale.set_state(tensors);
        }
        self.time = saved.steps;
        Ok(())
    }
}

/// What the adjoint needs of a step.
struct Past {
    /// Only for exact derivatives.
    theta: Vec<f64>,
    batch: Drawn,
    loss: f64,
    gradient: Vec<f64>,
    /// $u_t-a_t$.
    apart: Vec<f64>,
    /// The directions of a cell that answers with them, and what became of each tensor's.
    scaled: Option<(Vec<f64>, Vec<Normed>)>,
}
