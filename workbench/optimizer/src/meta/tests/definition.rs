//! Windows by their definition, over any number.

use super::bowl::{Bowl, bowl};
use super::{H, stream};
use crate::cell::Cell;
use crate::classical::Adam;
use crate::meta::{Derivative, Path, Precision, Rollout, RolloutObjective, ScaledProblem, scales};
use crate::number::{CellNumber, Complex};
use crate::task::{Split, Task};
use crate::{Layout, Optimizer};

/// What a window starts from.
struct Definition<'a, C: Cell> {
    cell: &'a C,
    bowl: &'a Bowl,
    scales: Vec<f64>,
    objective: RolloutObjective,
    time: u64,
    theta: Vec<f64>,
    state: Vec<f64>,
    expert: Adam,
    batches: Vec<Vec<f64>>,
}

impl<C: Cell> Definition<'_, C> {
    /// The loss of the window over any number. `constants` are the recorded gradients that a stopped derivative is given.
    fn loss<N: CellNumber<Shared = N>>(
        &self,
        weights: &[N],
        targets: &[Vec<f64>],
        constants: Option<&[Vec<f64>]>,
    ) -> N {
        let number = |values: &[f64]| values.iter().map(|v| N::of(*v)).collect::<Vec<N>>();
        let (len, mut theta, mut state) = (self.cell.state_len(), number(&self.theta), number(&self.state));
        let mut tape = vec![N::zero(); self.cell.tape_len()];
        let mut loss = N::zero();
        for (t, target) in targets.iter().enumerate() {
            let slope = match constants {
                Some(constants) => number(&constants[t]),
                None => self.slope(&theta, t),
            };
            let mut update = vec![N::zero(); theta.len()];
            for (i, unit) in self.units().into_iter().enumerate() {
                let own = &mut state[i * len..(i + 1) * len];
                let (g, u) = (&slope[unit.clone()], &mut update[unit]);
                self.cell.step(weights, self.time + t as u64, g, own, &mut tape, u);
            }
            for i in 0..theta.len() {
                let taken = match self.objective.path {
                    Path::Own => update[i],
                    Path::Expert => N::of(target[i]),
                };
                theta[i] = theta[i] + taken;
                let apart = update[i] - N::of(target[i]);
                loss = loss.plus(N::of(self.objective.imitation / theta.len() as f64) * apart, apart);
            }
            let scaled = self.scaled(&theta);
            loss = loss.plus(N::of(self.objective.task), self.bowl.value_of(&scaled, &self.batches[t + 1]));
        }
        loss
    }

    fn units(&self) -> Vec<std::ops::Range<usize>> {
        crate::cell::units(&Layout::new(self.bowl.tensors()).unwrap(), self.cell.unit())
    }

    fn scaled<N: CellNumber>(&self, theta: &[N]) -> Vec<N> {
        theta.iter().zip(&self.scales).map(|(x, c)| *x * N::of(*c)).collect()
    }

    fn slope<N: CellNumber>(&self, theta: &[N], t: usize) -> Vec<N> {
        self.scaled(&self.bowl.slope_of(&self.scaled(theta), &self.batches[t]))
    }

    /// The gradients and the expert's updates on the way of these weights.
    fn record(&self, weights: &[f64], steps: usize) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let (len, mut theta, mut state) = (self.cell.state_len(), self.theta.clone(), self.state.clone());
        let (mut tape, mut expert) = (vec![0.0; self.cell.tape_len()], self.expert.clone());
        let (mut slopes, mut targets) = (Vec::new(), Vec::new());
        for t in 0..steps {
            let slope = self.slope(&theta, t);
            let mut target = vec![0.0; theta.len()];
            expert.step(&mut target, &slope).unwrap();
            let mut update = vec![0.0; theta.len()];
            for (i, unit) in self.units().into_iter().enumerate() {
                let own = &mut state[i * len..(i + 1) * len];
                let (g, u) = (&slope[unit.clone()], &mut update[unit]);
                self.cell.step(weights, self.time + t as u64, g, own, &mut tape, u);
            }
            let taken = match self.objective.path {
                Path::Own => &update,
                Path::Expert => &target,
            };
            theta.iter_mut().zip(taken).for_each(|(x, u)| *x += u);
            slopes.push(slope);
            targets.push(target);
        }
        (slopes, targets)
    }
}

/// The gradient of a window after three other steps, by the adjoint and by complex steps of the definition.
pub(crate) fn agrees_with_complex_steps<C: Cell>(cell: &C, weights: &[f64]) {
    let (p, steps, bowl) = (5, 4, bowl(5, 0.2));
    let layout = Layout::new(bowl.tensors()).unwrap();
    for (derivative, imitation, scaled, task, path) in [
        (Derivative::Stopped, 0.0, false, 1.0, Path::Own),
        (Derivative::Exact, 0.0, false, 1.0, Path::Own),
        (Derivative::Stopped, 300.0, true, 1.0, Path::Own),
        (Derivative::Exact, 300.0, true, 0.5, Path::Own),
        (Derivative::Exact, 300.0, true, 0.5, Path::Expert),
    ] {
        let objective = RolloutObjective { task, path, imitation, derivative, ..RolloutObjective::default() };
        let scales = if scaled { scales(0.7, p, &mut stream("scales")).unwrap() } else { vec![1.0; p] };
        let setting = match scaled {
            true => ScaledProblem::scaled(&bowl, 0.7, &mut stream("scales")).unwrap(),
            false => ScaledProblem::plain(&bowl),
        };
        let start = setting.seen(bowl.start(&mut stream("start")));
        let mut rollout = Rollout::new(cell, weights, &layout, start, objective.expert, Precision::Double).unwrap();
        let mut batches = stream("batches");
        rollout.window(&setting, &objective, 3, false, &mut batches).unwrap();
        let saved = rollout.save();
        let mut expert = Adam::new(layout.clone(), objective.expert).unwrap();
        expert.restore(&saved.parts[0]).unwrap();
        let mut ahead = batches.clone();
        let definition = Definition {
            cell,
            bowl: &bowl,
            scales,
            objective,
            time: rollout.time(),
            theta: saved.numbers[..p].to_vec(),
            state: saved.numbers[p..].to_vec(),
            expert,
            batches: (0..=steps).map(|_| bowl.batch(Split::Training, &mut ahead)).collect(),
        };
        let outcome = rollout.window(&setting, &objective, steps, true, &mut batches).unwrap();
        let (slopes, targets) = definition.record(weights, steps);
        let constants = (derivative == Derivative::Stopped).then_some(&slopes[..]);
        let loss = definition.loss(weights, &targets, constants);
        assert!((outcome.loss - loss).abs() < 1e-11 * (1.0 + loss.abs()), "{} {loss}", outcome.loss);
        let largest = outcome.gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()));
        for (i, ours) in outcome.gradient.iter().enumerate() {
            let mut turned: Vec<Complex> = weights.iter().map(|w| Complex::of(*w)).collect();
            turned[i].im = H;
            let right = definition.loss(&turned, &targets, constants).im / H;
            let name = cell.weights().place(i);
            assert!(
                (ours - right).abs() < 1e-10 * (right.abs() + 1e-2 * largest),
                "{derivative:?} {name}: {ours} {right}"
            );
        }
    }
}
