//! Windows of a roll-out, and the gradient of their loss for the weights.

use workbench_ground::check::{not_negative, positive, same};
use workbench_ground::stats::Stream;
use workbench_ground::tabulated::{Columns, Tabulated};

use super::{Drawn, ScaledProblem, Tapes};
use crate::cell::Cell;
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

/// The loss of a window that starts at $\theta_0$ with everything before it given:
///
/// $$ L(\phi)=\kappa\sum_{t=1}^{T}f_t(\theta_t)+\mu\sum_{t=0}^{T-1}\frac1p\lVert u_t-a_t\rVert^2,\qquad \theta_{t+1}=\theta_t+u_t $$
///
/// $f_t$ is the loss on the $t$-th batch, $a_t$ the expert's update for the same gradients, which counts as a constant in the derivative.
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
}

impl Default for RolloutObjective {
    fn default() -> RolloutObjective {
        RolloutObjective {
            task: 1.0,
            imitation: 0.0,
            expert: AdamSettings { rate: 3e-2, ..AdamSettings::default() },
            derivative: Derivative::Stopped,
            path: Path::Own,
        }
    }
}

/// What a window gave.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowOutcome {
    /// $L$.
    pub loss: f64,
    /// $f_1(\theta_1),\dots,f_T(\theta_T)$.
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
    /// **Cost** with the adjoint about three times that without. A window is a whole: what trains looks for a stop between windows.
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
            };
            if at < steps {
                let mut update = vec![0.0; p];
                if adjoint {
                    self.tapes.0.forward(self.time, at, &step.gradient, &mut update);
                } else {
                    self.tapes.0.step(self.time, &step.gradient, &mut update);
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
            loss: objective.task * losses.iter().sum::<f64>() + objective.imitation * imitation,
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
        let (mut d_update, mut d_gradient, mut product) = (vec![0.0; p], vec![0.0; p], vec![0.0; p]);
        // Where the expert leads, no update moves the parameters.
        let own = objective.path == Path::Own;
        let kappa = if own { objective.task } else { 0.0 };
        let mut a = vec![0.0; p];
        let add = |a: &mut [f64], slope: &[f64]| a.iter_mut().zip(slope).for_each(|(a, g)| *a += kappa * g);
        add(&mut a, past.last().map_or(&[], |last| &last.gradient));
        for (at, step) in past[..past.len() - 1].iter().enumerate().rev() {
            for ((d, a), apart) in d_update.iter_mut().zip(&a).zip(&step.apart) {
                *d = a + pull * apart;
            }
            self.tapes.0.backward(start, at, &d_update, &mut d_gradient);
            if at > 0 {
                if own && objective.derivative == Derivative::Exact {
                    setting.curve(&step.theta, &step.batch, &d_gradient, &mut product)?;
                    a.iter_mut().zip(&product).for_each(|(a, h)| *a += h);
                }
                add(&mut a, &step.gradient);
            }
        }
        let gradient = self.tapes.0.gradient();
        match first_not_finite(&gradient) {
            None => Ok(gradient),
            Some(index) => Err(self.diverged("gradient of the weights", gradient[index])),
        }
    }

    /// Parameters, state and expert.
    pub fn save(&self) -> Saved {
        Saved {
            name: "roll-out".into(),
            settings: Vec::new(),
            steps: self.time,
            tensors: self.expert.layout().tensors().to_vec(),
            numbers: [&self.theta[..], &self.tapes.0.state()].concat(),
            parts: vec![self.expert.save()],
        }
    }

    /// Goes back to where [`Rollout::save`] was.
    ///
    /// **Errors**: a state of another task or cell.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        const OP: &str = "Rollout::restore";
        let len = self.theta.len() + self.tapes.0.state_len();
        saved.expect(OP, "roll-out", &[], self.expert.layout(), len)?;
        let [expert] = &saved.parts[..] else {
            return Err(Error::refused(OP, "the expert is missing", "pass what Rollout::save gave"));
        };
        self.expert.restore(expert)?;
        let (theta, state) = saved.numbers.split_at(self.theta.len());
        self.theta.copy_from_slice(theta);
        self.tapes.0.set_state(state);
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
}
