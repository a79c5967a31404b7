//! RMSprop.

use workbench_ground::check::{above_zero, fraction, not_negative};

use crate::{Error, Layout, Optimizer, Saved};

/// Settings of [`RmsProp`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RmsPropSettings {
    /// Rate $\eta>0$; PyTorch's default is 0.01.
    pub rate: f64,
    /// Decay $\alpha\in[0,1)$ of the mean square; 0.99 by default.
    pub alpha: f64,
    /// $\epsilon\ge0$, added to the root; 1e-8 by default.
    pub epsilon: f64,
    /// Momentum $\mu\in[0,1)$ of the scaled gradients; 0 by default.
    pub momentum: f64,
    /// Whether the mean gradient is taken out of the mean square.
    pub centered: bool,
    /// Weight decay $w\ge0$, added to the gradient as $w\theta$; 0 by default.
    pub weight_decay: f64,
}

impl Default for RmsPropSettings {
    fn default() -> RmsPropSettings {
        RmsPropSettings { rate: 1e-2, alpha: 0.99, epsilon: 1e-8, momentum: 0.0, centered: false, weight_decay: 0.0 }
    }
}

/// RMSprop:
///
/// $$ v_t=\alpha v_{t-1}+(1-\alpha)g^2,\qquad \theta\leftarrow\theta-\eta\,b_t,\qquad
/// b_t=\mu b_{t-1}+\frac{g}{\sqrt{v_t-\bar g_t^2}+\epsilon} $$
///
/// where $\bar g_t$ is the running mean of the gradients in the centered form and zero otherwise.
///
/// **Source**: `torch.optim.RMSprop`. **State** $p$ numbers, $p$ more when centered, $p$ more with momentum. **Cost** O(p).
///
/// ```
/// use workbench_optimizer::{Layout, Optimizer, classical::{RmsProp, RmsPropSettings}};
/// let mut rule = RmsProp::new(Layout::of(&[("x", &[1])])?, RmsPropSettings::default())?;
/// let mut x = [1.0];
/// rule.step(&mut x, &[1e-3])?; // 0.01 / sqrt(0.01), whatever the size of the gradient
/// assert!((x[0] - 0.9).abs() < 1e-4);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RmsProp {
    layout: Layout,
    settings: RmsPropSettings,
    steps: u64,
    square: Vec<f64>,
    mean: Vec<f64>,
    buffer: Vec<f64>,
}

impl RmsProp {
    /// A fresh one.
    ///
    /// **Errors**: a rate that is not positive, alpha or momentum outside [0, 1), negative epsilon or decay.
    pub fn new(layout: Layout, settings: RmsPropSettings) -> Result<RmsProp, Error> {
        const OP: &str = "RmsProp::new";
        above_zero(OP, "rate", settings.rate)?;
        fraction(OP, "alpha", settings.alpha)?;
        not_negative(OP, "epsilon", settings.epsilon)?;
        fraction(OP, "momentum", settings.momentum)?;
        not_negative(OP, "weight_decay", settings.weight_decay)?;
        let zeros = |wanted: bool| vec![0.0; if wanted { layout.len() } else { 0 }];
        Ok(RmsProp {
            square: zeros(true),
            mean: zeros(settings.centered),
            buffer: zeros(settings.momentum > 0.0),
            layout,
            settings,
            steps: 0,
        })
    }

    fn numbers(&self) -> [f64; 6] {
        let s = &self.settings;
        let centered = f64::from(u8::from(s.centered));
        [s.rate, s.alpha, s.epsilon, s.momentum, centered, s.weight_decay]
    }
}

impl Optimizer for RmsProp {
    fn name(&self) -> &'static str {
        "rmsprop"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn step(&mut self, theta: &mut [f64], gradient: &[f64]) -> Result<(), Error> {
        self.layout.check("RmsProp::step", theta, gradient)?;
        let s = self.settings;
        for (i, x) in theta.iter_mut().enumerate() {
            let g = gradient[i] + s.weight_decay * *x;
            let v = &mut self.square[i];
            *v = s.alpha * *v + (1.0 - s.alpha) * g * g;
            let mut spread = *v;
            if s.centered {
                let mean = &mut self.mean[i];
                *mean += (g - *mean) * (1.0 - s.alpha);
                spread -= *mean * *mean;
            }
            let mut direction = g / (spread.sqrt() + s.epsilon);
            if s.momentum > 0.0 {
                let b = &mut self.buffer[i];
                *b = s.momentum * *b + direction;
                direction = *b;
            }
            *x -= s.rate * direction;
        }
        self.steps += 1;
        Ok(())
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn state_len(&self) -> usize {
        self.square.len() + self.mean.len() + self.buffer.len()
    }

    fn save(&self) -> Saved {
        Saved {
            name: self.name().into(),
            settings: self.numbers().to_vec(),
            steps: self.steps,
            tensors: self.layout.tensors().to_vec(),
            numbers: [&self.square[..], &self.mean, &self.buffer].concat(),
            parts: Vec::new(),
        }
    }

    fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        saved.expect("RmsProp::restore", "rmsprop", &self.numbers(), &self.layout, self.state_len())?;
        let (square, rest) = saved.numbers.split_at(self.square.len());
        let (mean, buffer) = rest.split_at(self.mean.len());
        self.steps = saved.steps;
        self.square.copy_from_slice(square);
        self.mean.copy_from_slice(mean);
        self.buffer.copy_from_slice(buffer);
        Ok(())
    }
}
