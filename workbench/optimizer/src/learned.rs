//! A cell with weights as an optimizer.

use workbench_ground::check::{finite, same};
use workbench_ground::lanes::Precision;

use super::cell::{Cell, Runner, TensorScale};
use super::layout::first_not_finite;
use super::{Error, Layout, Optimizer, Saved};

/// A learned optimizer: $\theta_{t+1}=\theta_t+u_t$ with the updates of a [`Cell`] applied to each unit of the parameters.
///
/// [`Learned::plain`] runs the definition, in double precision. [`Learned::fused`] runs it over registers, in single precision: several
/// coordinates side by side, weights broadcast, one pass from gradient to update.
///
/// **Source**: B.1. **State** [`Cell::state_len`] numbers for each unit: 2.2 KB for each parameter in the default form and single
/// precision. **Cost** that of the cell for each unit; units are shared out over the threads of the pool in use.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_optimizer::cell::{Cell, Form, Mnemosyne};
/// use workbench_optimizer::{Layout, Learned, Optimizer};
/// let cell = Mnemosyne::new(Form::light())?;
/// let weights = cell.start(&mut Streams::new(1).stream("weights")?)?;
/// let mut optimizer = Learned::plain(cell, weights, Layout::of(&[("x", &[2])])?)?;
/// let mut theta = [0.0, 0.0];
/// optimizer.step(&mut theta, &[0.3, 0.3])?;
/// assert!(theta[0] != 0.0 && theta[0] == theta[1]); // one rule for all coordinates
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Debug)]
pub struct Learned<C: Cell> {
    cell: C,
    weights: Vec<f64>,
    layout: Layout,
    runner: Runner,
    /// Of a cell that answers with directions.
    scale: Option<TensorScale>,
    precision: Precision,
    steps: u64,
    /// An update was not finite.
    spoiled: bool,
    update: Vec<f64>,
}

impl<C: Cell> Learned<C> {
    /// In double precision, by the definition.
    ///
    /// **Errors**: weights of another number than the cell's, or not finite.
    pub fn plain(cell: C, weights: Vec<f64>, layout: Layout) -> Result<Learned<C>, Error> {
        Learned::new(cell, weights, layout, Precision::Double)
    }

    /// In single precision, in the widest registers of this processor.
    ///
    /// **Errors**: as [`Learned::plain`]; a cell with units of several coordinates, which has only the plain form.
    pub fn fused(cell: C, weights: Vec<f64>, layout: Layout) -> Result<Learned<C>, Error> {
        if cell.unit() > 1 {
            let instead = "use Learned::plain";
            return Err(Error::unavailable("Learned::fused", "the kernel for units of several coordinates", instead));
        }
        Learned::new(cell, weights, layout, Precision::Single)
    }

    fn new(cell: C, weights: Vec<f64>, layout: Layout, precision: Precision) -> Result<Learned<C>, Error> {
        const OP: &str = "Learned::new";
        same(OP, ("weights", weights.len()), ("the cell's", cell.weights().len()))?;
        finite(OP, "weights", &weights)?;
        let update = vec![0.0; layout.len()];
        let runner = cell.runner(&weights, &layout, precision);
        let scale = cell.step_law().map(|law| TensorScale::new(law, &layout));
        Ok(Learned { cell, weights, layout, runner, scale, precision, steps: 0, spoiled: false, update })
    }

    /// The cell.
    pub fn cell(&self) -> &C {
        &self.cell
    }

    /// The weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn state(&self) -> Vec<f64> {
        let mut all = self.runner.0.state();
        all.extend(self.scale.iter().flat_map(TensorScale::state));
        all
    }

    /// What tells this rule from another: precision, form, and a sum over the bits of the weights.
    fn numbers(&self) -> Vec<f64> {
        let hash = self.weights.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, w| {
            (hash ^ w.to_bits()).wrapping_mul(0x0100_0000_01b3).rotate_left(23)
        });
        let mut all = vec![f64::from(u8::from(self.precision == Precision::Single))];
        all.extend(self.cell.settings());
        all.extend([f64::from((hash >> 32) as u32), f64::from(hash as u32)]);
        all
    }
}

/// The weights of a cell with what tells its form, to be kept in a file; `steps` counts the meta-steps behind them.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_optimizer::cell::{Cell, Form, Mnemosyne};
/// use workbench_optimizer::{Saved, save_weights, weights_of};
/// let cell = Mnemosyne::new(Form::light())?;
/// let weights = cell.start(&mut Streams::new(1).stream("weights")?)?;
/// let bytes = save_weights(&cell, &weights, 0).to_bytes();
/// assert_eq!(weights_of(&cell, &Saved::from_bytes(&bytes)?)?, weights);
/// assert!(weights_of(&Mnemosyne::new(Form::default())?, &Saved::from_bytes(&bytes)?).is_err());
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
pub fn save_weights<C: Cell>(cell: &C, weights: &[f64], steps: u64) -> Saved {
    Saved {
        name: cell.name().into(),
        settings: cell.settings(),
        steps,
        tensors: cell.weights().tensors().to_vec(),
        numbers: weights.to_vec(),
        parts: Vec::new(),
    }
}

/// The weights in a file.
///
/// **Errors**: weights of another form.
pub fn weights_of<C: Cell>(cell: &C, saved: &Saved) -> Result<Vec<f64>, Error> {
    let layout = cell.weights();
    saved.expect("weights_of", cell.name(), &cell.settings(), layout, layout.len())?;
    Ok(saved.numbers.clone())
}

impl<C: Cell> Optimizer for Learned<C> {
    fn name(&self) -> &'static str {
        self.cell.name()
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn step(&mut self, theta: &mut [f64], gradient: &[f64]) -> Result<(), Error> {
        const OP: &str = "Learned::step";
        const NEXT: &str = "restore a state from before, and lower the output scale or train the weights longer";
        if self.spoiled {
            return Err(Error::refused(OP, "an earlier update was not finite", NEXT));
        }
        self.layout.check(OP, theta, gradient)?;
        match &mut self.scale {
            None => self.runner.0.step(self.steps, gradient, &mut self.update),
            Some(scale) => {
                let shown = scale.before(self.steps, gradient);
                self.runner.0.step(self.steps, &shown, &mut self.update);
                scale.after(&mut self.update);
            }
        }
        if let Some(index) = first_not_finite(&self.update) {
            self.spoiled = true;
            let problem = format!("the update of {} is {}", self.layout.place(index), self.update[index]);
            return Err(Error::refused(OP, problem, NEXT));
        }
        theta.iter_mut().zip(&self.update).for_each(|(x, u)| *x += u);
        self.steps += 1;
        Ok(())
    }

    fn may_refuse_updates(&self) -> bool {
        true
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn state_len(&self) -> usize {
        self.runner.0.state_len() + self.scale.as_ref().map_or(0, TensorScale::state_len)
    }

    fn save(&self) -> Saved {
        Saved {
            name: self.name().into(),
            settings: self.numbers(),
            steps: self.steps,
            tensors: self.layout.tensors().to_vec(),
            numbers: self.state(),
            parts: Vec::new(),
        }
    }

    fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        let (numbers, len) = (self.numbers(), self.state_len());
        saved.expect("Learned::restore", self.name(), &numbers, &self.layout, len)?;
        let (units, tensors) = saved.numbers.split_at(self.runner.0.state_len());
        self.runner.0.set_state(units);
        if let Some(scale) = &mut self.scale {
            scale.set_state(tensors);
        }
        (self.steps, self.spoiled) = (saved.steps, false);
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::cell::{Form, Mnemosyne};
    use crate::classical::conformance::conforms;
    use workbench_ground::stats::{Stream, Streams};

    fn stream(name: &str) -> Stream {
        Streams::new(9).stream(name).unwrap()
    }

    fn cell(form: Form) -> (Mnemosyne, Vec<f64>) {
        let cell = Mnemosyne::new(form).unwrap();
        let mut weights = cell.start(&mut stream("weights")).unwrap();
        let mut noise = stream("noise");
        weights[..cell.trained()].iter_mut().for_each(|w| *w += 0.1 * noise.normal());
        (cell, weights)
    }

    fn layout(n: usize) -> Layout {
        Layout::of(&[("x", &[n])]).unwrap()
    }

    #[test]
    fn learned_rules_conform() {
        let mut forms = crate::cell::tests::forms();
        forms.push(Form::light());
        for form in forms {
            let (cell, weights) = cell(form);
            conforms(&|layout| Ok(Box::new(Learned::plain(cell.clone(), weights.clone(), layout)?)));
            conforms(&|layout| Ok(Box::new(Learned::fused(cell.clone(), weights.clone(), layout)?)));
        }
    }

    /// Sixty steps with gradients over five decades and coordinates that do not fill the last register.
    pub(crate) fn follows_its_definition<C: Cell>(cell: &C, weights: &[f64]) {
        let mut plain = Learned::plain(cell.clone(), weights.to_vec(), layout(37)).unwrap();
        let mut fused = Learned::fused(cell.clone(), weights.to_vec(), layout(37)).unwrap();
        let mut noise = stream("gradients");
        for step in 0..60 {
            let size = |i: usize| (f64::from(i as u32 % 12) - 9.0).exp();
            let gradient: Vec<f64> = (0..37).map(|i| noise.normal() * size(i)).collect();
            let (mut a, mut b) = (vec![0.0; 37], vec![0.0; 37]);
            plain.step(&mut a, &gradient).unwrap();
            fused.step(&mut b, &gradient).unwrap();
            let largest = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            for (a, b) in a.iter().zip(&b) {
                assert!((a - b).abs() < 2e-5 * largest, "{} step {step}: {a} {b}", cell.name());
            }
        }
    }

    #[test]
    fn the_fused_kernel_follows_the_definition() {
        let mut forms = crate::cell::tests::forms();
        forms.extend([Form::default(), Form::light()]);
        for form in forms {
            let (cell, weights) = cell(form);
            follows_its_definition(&cell, &weights);
        }
    }

    #[test]
    fn permuted_coordinates_give_permuted_updates() {
        let (cell, weights) = cell(Form::light());
        let order = stream("order").permutation(40);
        let mut noise = stream("gradients");
        for fused in [false, true] {
            let make = || {
                let of = if fused { Learned::fused } else { Learned::plain };
                of(cell.clone(), weights.clone(), layout(40)).unwrap()
            };
            let (mut straight, mut turned) = (make(), make());
            let (mut a, mut b) = (vec![0.0; 40], vec![0.0; 40]);
            for _ in 0..7 {
                let gradient: Vec<f64> = (0..40).map(|_| noise.normal()).collect();
                let permuted: Vec<f64> = order.iter().map(|i| gradient[*i]).collect();
                straight.step(&mut a, &gradient).unwrap();
                turned.step(&mut b, &permuted).unwrap();
            }
            assert!(order.iter().zip(&b).all(|(i, b)| a[*i].to_bits() == b.to_bits()));
        }
    }

    #[test]
    fn an_update_that_is_not_finite_leaves_the_parameters_and_stops_the_rule() {
        let (cell, mut weights) = cell(Form::light());
        weights[cell.trained() - 1] = f64::MAX;
        weights[cell.trained() - 2] = f64::MAX;
        let mut rule = Learned::fused(cell, weights, layout(3)).unwrap();
        let (before, mut theta) = (rule.save(), [1.0; 3]);
        let error = rule.step(&mut theta, &[1.0; 3]).unwrap_err().to_string();
        assert!(error.contains("the update of x[0]") && theta == [1.0; 3], "{error}");
        assert!(rule.step(&mut theta, &[1.0; 3]).unwrap_err().to_string().contains("earlier"));
        rule.restore(&before).unwrap();
        assert_eq!(rule.save(), before);
    }
}
