//! Adam on gates, registers or everything.

use super::experts::Gated;
use crate::training::adam::{Adam, clip};
use crate::training::divergence::diverged;
use crate::{Batch, Clip, Error, Part, RegisterKind};
use std::ops::Range;
use workbench_ground::check::{finite, positive, within};
use workbench_ground::work::{self, Observer, Step, Unwatched};

/// Decay of Adam's moments, and what is added to the root: the usual values.
const BETAS: (f64, f64) = (0.9, 0.99);
const EPSILON: f64 = 1e-8;

/// The parts that are tuned; everything else is frozen, bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TunedParts {
    /// The gates.
    pub gates: bool,
    /// The register weights $\Gamma_j$ of every head.
    pub registers: bool,
    /// The preconditioners $A_\ell$ of every head.
    pub preconditioners: bool,
}

impl TunedParts {
    /// Gates only: Fig. 8, Fig. 9 and the gray line of Fig. 10.
    pub const GATES: TunedParts = TunedParts { gates: true, registers: false, preconditioners: false };
    /// Gates and $\Gamma$: the black line of Fig. 10.
    pub const REGISTERS: TunedParts = TunedParts { gates: true, registers: true, preconditioners: false };
    /// Everything: what test-time adaptation wants to avoid.
    pub const ALL: TunedParts = TunedParts { gates: true, registers: true, preconditioners: true };
}

/// Tunes a part of a gated model on given prompts.
///
/// The gradient of the one-head model ([`Gated::merged`]) is exact and fused; that of gates, registers and heads follows from it, since
/// $A_j=\sum_h\alpha_hA_j^h(\Lambda_j^h)^\top$.
///
/// **Source**: Section 4.2: gates, or the diagonal of $\Gamma$, are tuned at test time while the main parameters stay as they are.
///
/// ```
/// use ndarray::Array2;
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Architecture, Batch, Gated, Parameters, Precision, TaskLaw, TunedParts, Tuner};
/// let mut head = Parameters::neutral(Architecture::new(1, 2)?);
/// head.set_a(0, &Array2::eye(2))?;
/// let mut stream = Streams::new(1).stream("test time")?;
/// let prompts = Batch::draw(&TaskLaw::isotropic(2)?.scaled(4.0)?, 50, 200, Precision::Double, &mut stream)?;
/// let mut tuner = Tuner::new(Gated::summed(vec![head.clone()])?, TunedParts::GATES)?;
/// let losses = tuner.run(&prompts, 300, 0.02)?;
/// assert!(losses[299] < 0.1 * losses[0]);
/// assert_eq!(tuner.model().heads()[0], head);
/// assert!((tuner.model().gates()[0] - 0.25).abs() < 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tuner {
    model: Gated,
    parts: TunedParts,
    adam: Adam,
    betas: (f64, f64),
    clip: Clip,
    groups: Vec<Range<usize>>,
    ranges: Vec<Range<usize>>,
}

impl Tuner {
    /// A tuner of `model` with fresh moments.
    ///
    /// **Errors**: no part is tuned.
    pub fn new(model: Gated, parts: TunedParts) -> Result<Tuner, Error> {
        const OP: &str = "Tuner::new";
        let count = model.heads().len();
        let architecture = model.architecture();
        let each = architecture.count();
        let (mut ranges, mut groups) = (Vec::new(), Vec::new());
        if parts.gates {
            ranges.push(0..count);
        }
        groups.push(0..count);
        for h in 0..count {
            let from = count + h * each;
            let shifted = |r: Range<usize>| from + r.start..from + r.end;
            if parts.preconditioners {
                ranges.push(shifted(architecture.range(Part::Preconditioners)));
            }
            if parts.registers {
                ranges.push(shifted(architecture.range(Part::Registers)));
            }
            groups.extend(architecture.groups().into_iter().map(shifted));
        }
        ranges.retain(|r| !r.is_empty());
        positive(OP, "the number of tuned parameters", ranges.len())?;
        Ok(Tuner {
            adam: Adam::new(count + count * each),
            model,
            parts,
            betas: BETAS,
            clip: Clip::None,
            groups,
            ranges,
        })
    }

    /// The same with clipped gradients.
    pub fn with_clip(mut self, clip: Clip) -> Tuner {
        self.clip = clip;
        self
    }

    /// The same with other decays of Adam's moments.
    pub fn with_betas(mut self, betas: (f64, f64)) -> Tuner {
        self.betas = betas;
        self
    }

    /// The model as it stands.
    pub fn model(&self) -> &Gated {
        &self.model
    }

    /// The parts that are tuned.
    pub fn parts(&self) -> TunedParts {
        self.parts
    }

    /// How many numbers are tuned.
    pub fn numbers(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).sum()
    }

    /// Loss and gradient: gates, then the parameters of each head, in the order of their values.
    ///
    /// **Errors**: another dimension, a stop request.
    pub fn gradient(&self, batch: &Batch) -> Result<(f64, Vec<f64>), Error> {
        let merged = self.model.merged();
        let (loss, slope) = batch.pass(&merged)?;
        let architecture = self.model.architecture();
        let (depth, d) = (architecture.depth(), architecture.dim());
        let (count, each) = (self.model.heads().len(), architecture.count());
        let mut gradient = vec![0.0; count + count * each];
        let (of_gates, of_heads) = gradient.split_at_mut(count);
        let registers = architecture.range(Part::Registers);
        for (h, head) in self.model.heads().iter().enumerate() {
            let gate = self.model.gates()[h];
            let out = &mut of_heads[h * each..(h + 1) * each];
            let (width, of_registers) = match architecture.registers() {
                RegisterKind::Separate { weight, .. } => (weight.width(d), head.registers()),
                _ => (0, &[][..]),
            };
            for l in 0..depth {
                let layer = l * d * d..(l + 1) * d * d;
                let lambda = &of_registers[l * width..(l + 1) * width];
                let (g, a) = (&slope[layer.clone()], &head.values()[layer.clone()]);
                let (in_a, in_lambda) = pulled_back(g, a, lambda, d);
                of_gates[h] += in_a.iter().zip(a).map(|(g, a)| g * a).sum::<f64>();
                if self.parts.preconditioners {
                    out[layer].iter_mut().zip(&in_a).for_each(|(to, g)| *to += gate * g);
                }
                if self.parts.registers {
                    let to = &mut out[registers.start + l * width..][..width];
                    to.iter_mut().zip(&in_lambda).for_each(|(to, g)| *to += gate * g);
                }
            }
        }
        Ok((loss, gradient))
    }

    /// One step of Adam; the loss before it.
    ///
    /// **Errors**: a rate that is not positive, [`Error::Diverged`] with the model left as it was, and as [`Tuner::gradient`].
    pub fn step(&mut self, batch: &Batch, rate: f64) -> Result<f64, Error> {
        const OP: &str = "Tuner::step";
        let allowed = "a positive number, 0.001 to 0.1 as a rule";
        within(OP, "learning rate", rate, rate > 0.0, allowed)?;
        let (loss, mut gradient) = self.gradient(batch)?;
        let steps = self.adam.steps;
        let diverged = || diverged(OP, steps, loss, loss, rate);
        if !loss.is_finite() || finite(OP, "the gradient", &gradient).is_err() {
            return Err(diverged());
        }
        clip(&mut gradient, self.clip, &self.groups, &self.ranges);
        let mut values = self.model.gates().to_vec();
        for head in self.model.heads() {
            values.extend_from_slice(head.values());
        }
        self.adam.step(&mut values, &gradient, &self.ranges, rate, self.betas, EPSILON);
        let (count, each) = (self.model.heads().len(), self.model.architecture().count());
        let mut heads = self.model.heads().to_vec();
        for (h, head) in heads.iter_mut().enumerate() {
            head.values_mut().copy_from_slice(&values[count + h * each..][..each]);
        }
        self.model = Gated::new(heads, values[..count].to_vec()).map_err(|_| diverged())?;
        Ok(loss)
    }

    /// `steps` steps on the same prompts; the loss before each.
    ///
    /// **Errors**: as [`Tuner::step`], a stop request.
    pub fn run(&mut self, batch: &Batch, steps: usize, rate: f64) -> Result<Vec<f64>, Error> {
        self.run_watched(batch, steps, rate, &mut Unwatched)
    }

    /// [`Tuner::run`], telling `observer` the loss before each step.
    ///
    /// **Errors**: as there.
    pub fn run_watched(
        &mut self,
        batch: &Batch,
        steps: usize,
        rate: f64,
        observer: &mut dyn Observer,
    ) -> Result<Vec<f64>, Error> {
        const OP: &str = "Tuner::run";
        observer.value_is("loss");
        let mut losses = Vec::new();
        for done in 0..steps {
            work::check(OP, done, steps)?;
            let loss = self.step(batch, rate)?;
            losses.push(loss);
            observer.observe(Step { done: done + 1, of: steps, value: Some(loss) });
        }
        Ok(losses)
    }
}

/// With M = A Lambda^T and G = dM: what G is in A, G Lambda, and in the numbers of Lambda, G^T A where it has them.
///
/// Lambda is no number (the identity), one, a diagonal or a matrix, as its numbers are.
fn pulled_back(g: &[f64], a: &[f64], lambda: &[f64], d: usize) -> (Vec<f64>, Vec<f64>) {
    let mut in_lambda = vec![0.0; lambda.len()];
    let mut in_a = g.to_vec();
    let full = lambda.len() > d;
    for (i, (g, a)) in g.chunks_exact(d).zip(a.chunks_exact(d)).enumerate() {
        let row = &mut in_a[i * d..(i + 1) * d];
        if full {
            row.fill(0.0);
            for k in 0..d {
                for j in 0..d {
                    row[j] += g[k] * lambda[k * d + j];
                    in_lambda[k * d + j] += g[k] * a[j];
                }
            }
        } else if let [number] = lambda {
            row.iter_mut().for_each(|v| *v *= number);
            in_lambda[0] += g.iter().zip(a).map(|(g, a)| g * a).sum::<f64>();
        } else if !lambda.is_empty() {
            for j in 0..d {
                row[j] *= lambda[j];
                in_lambda[j] += g[j] * a[j];
            }
        }
    }
    (in_a, in_lambda)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Parameters, Precision, RegisterWeight, TaskLaw};
    use workbench_ground::stats::Streams;
    use workbench_ground::work::Seen;

    fn setup(weight: RegisterWeight) -> (Gated, Batch) {
        let mut stream = Streams::new(6).stream("tuner").unwrap();
        let kind = RegisterKind::Separate { weight, tied: true };
        let architecture = Architecture::new(3, 2).unwrap().with_registers(kind);
        let heads = (0..2)
            .map(|_| {
                let mut head = Parameters::random(architecture, 0.2, &mut stream).unwrap();
                head.registers_mut().iter_mut().for_each(|v| *v += 0.1 * stream.normal());
                head
            })
            .collect();
        let law = TaskLaw::isotropic(2).unwrap();
        let batch = Batch::draw(&law, 8, 64, Precision::Double, &mut stream).unwrap();
        (Gated::new(heads, vec![0.6, -0.3]).unwrap(), batch)
    }

    #[test]
    fn gradients_are_those_of_the_loss() {
        for weight in [RegisterWeight::Scalar, RegisterWeight::Diagonal, RegisterWeight::Full] {
            let (model, batch) = setup(weight);
            let tuner = Tuner::new(model.clone(), TunedParts::ALL).unwrap();
            let (_, gradient) = tuner.gradient(&batch).unwrap();
            assert_eq!(gradient.len(), tuner.numbers());
            let each = model.architecture().count();
            for i in 0..gradient.len() {
                let at = |h: f64| {
                    let (mut heads, mut gates) = (model.heads().to_vec(), model.gates().to_vec());
                    match i.checked_sub(2) {
                        None => gates[i] += h,
                        Some(k) => heads[k / each].values_mut()[k % each] += h,
                    }
                    batch.loss(&Gated::new(heads, gates).unwrap().merged()).unwrap()
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((gradient[i] - difference).abs() < 1e-7 * (1.0 + difference.abs()), "{weight:?} {i}");
            }
        }
    }

    #[test]
    fn what_is_frozen_stays_bit_for_bit() {
        let (model, batch) = setup(RegisterWeight::Diagonal);
        for (parts, numbers) in
            [(TunedParts::GATES, 2), (TunedParts::REGISTERS, 2 + 12), (TunedParts::ALL, 2 + 12 + 24)]
        {
            let mut tuner = Tuner::new(model.clone(), parts).unwrap();
            assert_eq!(tuner.numbers(), numbers);
            let mut seen = Seen::default();
            let losses = tuner.run_watched(&batch, 50, 0.01, &mut seen).unwrap();
            assert!(losses[49] < losses[0]);
            assert_eq!((seen.0.len(), seen.0[49].value), (50, Some(losses[49])));
            for (before, after) in model.heads().iter().zip(tuner.model().heads()) {
                let matrices = before.architecture().range(Part::Preconditioners);
                assert_eq!(before.registers() == after.registers(), !parts.registers);
                assert_eq!(before.values()[matrices.clone()] == after.values()[matrices], !parts.preconditioners);
            }
        }
    }

    #[test]
    fn bad_requests_are_named() {
        let (model, batch) = setup(RegisterWeight::Scalar);
        let still = TunedParts { gates: false, ..TunedParts::GATES };
        assert!(Tuner::new(model.clone(), still).unwrap_err().to_string().contains("of tuned parameters"));
        let plain = Parameters::neutral(Architecture::new(1, 2).unwrap());
        let only = TunedParts { registers: true, ..still };
        assert!(Tuner::new(Gated::summed(vec![plain]).unwrap(), only).is_err());
        let mut tuner = Tuner::new(model.clone(), TunedParts::GATES).unwrap();
        assert!(tuner.step(&batch, 0.0).unwrap_err().to_string().contains("learning rate"));
        assert!(tuner.step(&batch, f64::NAN).is_err());
        let wild = model.with_gates(&[1e200, 1e200]).unwrap();
        let error = Tuner::new(wild, TunedParts::GATES).unwrap().step(&batch, 0.1).unwrap_err();
        assert!(error.to_string().contains("diverged"), "{error}");
        let stopped = workbench_ground::rehearsal::stop_after(3, || tuner.run(&batch, 9, 0.01));
        assert!(matches!(stopped, Err(Error::Stopped(_))));
    }
}
