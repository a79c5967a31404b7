//! Gradient descent, with and without momentum.

use workbench_ground::check::{above_zero, fraction, not_negative, within};

use crate::{Error, Layout, Optimizer, Saved};

/// Settings of [`Sgd`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SgdSettings {
    /// Rate $\eta>0$; PyTorch's default is 0.001.
    pub rate: f64,
    /// Momentum $\mu\in[0,1)$; 0 by default.
    pub momentum: f64,
    /// Dampening $\delta\ge0$ of new gradients; 0 by default.
    pub dampening: f64,
    /// Whether the step looks ahead; needs momentum and no dampening.
    pub nesterov: bool,
    /// Weight decay $w\ge0$, added to the gradient as $w\theta$; 0 by default.
    pub weight_decay: f64,
}

impl Default for SgdSettings {
    fn default() -> SgdSettings {
        SgdSettings { rate: 1e-3, momentum: 0.0, dampening: 0.0, nesterov: false, weight_decay: 0.0 }
    }
}

/// Gradient descent:
///
/// $$ g\leftarrow g+w\theta,\qquad b_1=g,\quad b_t=\mu b_{t-1}+(1-\delta)g,\qquad
/// \theta\leftarrow\theta-\eta\,(b_t\ \text{or}\ g+\mu b_t) $$
///
/// with the second form for Nesterov's.
///
/// **Source**: `torch.optim.SGD`. **State** $p$ numbers with momentum, none without. **Cost** O(p).
///
/// ```
/// use workbench_optimizer::{Layout, Optimizer, classical::{Sgd, SgdSettings}};
/// let mut sgd = Sgd::new(Layout::of(&[("x", &[1])])?, SgdSettings { rate: 0.25, ..SgdSettings::default() })?;
/// let mut x = [2.0];
/// sgd.step(&mut x, &[4.0])?;
/// assert_eq!(x, [1.0]);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sgd {
    layout: Layout,
    settings: SgdSettings,
    steps: u64,
    buffer: Vec<f64>,
}

impl Sgd {
    /// A fresh one.
    ///
    /// **Errors**: a rate that is not positive, momentum outside [0, 1), negative dampening or decay, Nesterov's form without momentum
    /// or with dampening.
    pub fn new(layout: Layout, settings: SgdSettings) -> Result<Sgd, Error> {
        const OP: &str = "Sgd::new";
        above_zero(OP, "rate", settings.rate)?;
        fraction(OP, "momentum", settings.momentum)?;
        not_negative(OP, "dampening", settings.dampening)?;
        not_negative(OP, "weight_decay", settings.weight_decay)?;
        if settings.nesterov {
            let allowed = "a momentum above 0 with Nesterov's form";
            within(OP, "momentum", settings.momentum, settings.momentum > 0.0, allowed)?;
            let allowed = "0 with Nesterov's form";
            within(OP, "dampening", settings.dampening, settings.dampening == 0.0, allowed)?;
        }
        let remembered = if settings.momentum > 0.0 { layout.len() } else { 0 };
        Ok(Sgd { layout, settings, steps: 0, buffer: vec![0.0; remembered] })
    }

    fn numbers(&self) -> [f64; 5] {
        let s = &self.settings;
        let nesterov = f64::from(u8::from(s.nesterov));
        [s.rate, s.momentum, s.dampening, nesterov, s.weight_decay]
    }
}

impl Optimizer for Sgd {
    fn name(&self) -> &'static str {
        "sgd"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn step(&mut self, theta: &mut [f64], gradient: &[f64]) -> Result<(), Error> {
        self.layout.check("Sgd::step", theta, gradient)?;
        let s = self.settings;
        if self.buffer.is_empty() {
            for (x, g) in theta.iter_mut().zip(gradient) {
                *x -= s.rate * (g + s.weight_decay * *x);
            }
        } else {
            let first = self.steps == 0;
            for ((x, g), b) in theta.iter_mut().zip(gradient).zip(&mut self.buffer) {
                let g = g + s.weight_decay * *x;
                *b = if first { g } else { s.momentum * *b + (1.0 - s.dampening) * g };
                *x -= s.rate * if s.nesterov { g + s.momentum * *b } else { *b };
            }
        }
        self.steps += 1;
        Ok(())
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn state_len(&self) -> usize {
        self.buffer.len()
    }

    fn save(&self) -> Saved {
        Saved {
            name: self.name().into(),
            settings: self.numbers().to_vec(),
            steps: self.steps,
            tensors: self.layout.tensors().to_vec(),
            numbers: self.buffer.clone(),
            parts: Vec::new(),
        }
    }

    fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        saved.expect("Sgd::restore", "sgd", &self.numbers(), &self.layout, self.buffer.len())?;
        self.steps = saved.steps;
        self.buffer.copy_from_slice(&saved.numbers);
        Ok(())
    }
}
