//! Adam and AdamW.

use workbench_ground::check::{above_zero, fraction, not_negative};
use workbench_ground::lanes::wide;

use crate::{Error, Layout, Optimizer, Saved};

/// Settings of [`Adam`] and [`AdamW`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamSettings {
    /// Rate $\eta>0$; PyTorch's default is 0.001.
    pub rate: f64,
    /// Decay $\beta_1\in[0,1)$ of the mean; 0.9 by default.
    pub beta1: f64,
    /// Decay $\beta_2\in[0,1)$ of the mean square; 0.999 by default.
    pub beta2: f64,
    /// $\epsilon\ge0$, added to the root; 1e-8 by default.
    pub epsilon: f64,
    /// Weight decay $w\ge0$: added to the gradient as $w\theta$ by Adam, taken off the parameters by AdamW. 0 by default; PyTorch's
    /// AdamW has 0.01.
    pub weight_decay: f64,
}

impl Default for AdamSettings {
    fn default() -> AdamSettings {
        AdamSettings { rate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.0 }
    }
}

impl AdamSettings {
    fn check(&self, op: &'static str) -> Result<(), Error> {
        above_zero(op, "rate", self.rate)?;
        fraction(op, "beta1", self.beta1)?;
        fraction(op, "beta2", self.beta2)?;
        not_negative(op, "epsilon", self.epsilon)?;
        not_negative(op, "weight_decay", self.weight_decay)?;
        Ok(())
    }

    fn numbers(&self) -> [f64; 5] {
        [self.rate, self.beta1, self.beta2, self.epsilon, self.weight_decay]
    }
}

/// The numbers of one step, the same for all parameters.
struct Rule {
    keep: f64,
    decay: f64,
    betas: [f64; 2],
    rate: f64,
    root: f64,
    epsilon: f64,
}

impl Rule {
    #[inline(always)]
    fn apply(&self, theta: &mut [f64], gradient: &[f64], mean: &mut [f64], square: &mut [f64]) {
        let [beta1, beta2] = self.betas;
        for (((x, g), m), v) in theta.iter_mut().zip(gradient).zip(mean).zip(square) {
            *x *= self.keep;
            let g = g + self.decay * *x;
            *m += (g - *m) * (1.0 - beta1);
            *v = beta2 * *v + (1.0 - beta2) * g * g;
            *x -= self.rate * (*m / (v.sqrt() / self.root + self.epsilon));
        }
    }
}

/// The two running means of Adam, and how many steps they hold.
#[derive(Clone, Debug)]
struct Means {
    layout: Layout,
    settings: AdamSettings,
    steps: u64,
    mean: Vec<f64>,
    square: Vec<f64>,
}

impl Means {
    fn new(op: &'static str, layout: Layout, settings: AdamSettings) -> Result<Means, Error> {
        settings.check(op)?;
        Ok(Means { mean: vec![0.0; layout.len()], square: vec![0.0; layout.len()], layout, settings, steps: 0 })
    }

    /// `keep` is what is left of the parameters before the step, `decay` what of them is added to the gradient.
    fn step(&mut self, theta: &mut [f64], gradient: &[f64], keep: f64, decay: f64) {
        let s = self.settings;
        self.steps += 1;
        let t = self.steps as f64;
        let rate = s.rate / (1.0 - s.beta1.powf(t));
        let root = (1.0 - s.beta2.powf(t)).sqrt();
        let rule = Rule { keep, decay, betas: [s.beta1, s.beta2], rate, root, epsilon: s.epsilon };
        let (mean, square) = (&mut self.mean[..], &mut self.square[..]);
        wide(
            #[inline(always)]
            || rule.apply(theta, gradient, mean, square),
        );
    }

    fn save(&self, name: &'static str) -> Saved {
        Saved {
            name: name.into(),
            settings: self.settings.numbers().to_vec(),
            steps: self.steps,
            tensors: self.layout.tensors().to_vec(),
            numbers: [&self.mean[..], &self.square].concat(),
            parts: Vec::new(),
        }
    }

    fn restore(&mut self, op: &'static str, name: &'static str, saved: &Saved) -> Result<(), Error> {
        let numbers = self.settings.numbers();
        saved.expect(op, name, &numbers, &self.layout, 2 * self.mean.len())?;
        let (mean, square) = saved.numbers.split_at(self.mean.len());
        self.steps = saved.steps;
        self.mean.copy_from_slice(mean);
        self.square.copy_from_slice(square);
        Ok(())
    }
}

macro_rules! of_means {
    ($name:ident, $text:literal, $new:literal, $step:literal, $restore:literal, |$s:ident| $keep_and_decay:expr, $(#[$doc:meta])*) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(Means);

        impl $name {
            /// A fresh one.
            ///
            /// **Errors**: a rate that is not positive, a beta outside [0, 1), negative epsilon or decay.
            pub fn new(layout: Layout, settings: AdamSettings) -> Result<$name, Error> {
                Means::new($new, layout, settings).map($name)
            }

            /// Its settings.
            pub fn settings(&self) -> &AdamSettings {
                &self.0.settings
            }
        }

        impl Optimizer for $name {
            fn name(&self) -> &'static str {
                $text
            }
            fn layout(&self) -> &Layout {
                &self.0.layout
            }
            fn step(&mut self, theta: &mut [f64], gradient: &[f64]) -> Result<(), Error> {
                self.0.layout.check($step, theta, gradient)?;
                let $s = &self.0.settings;
                let (keep, decay) = $keep_and_decay;
                self.0.step(theta, gradient, keep, decay);
                Ok(())
            }
            fn steps(&self) -> u64 {
                self.0.steps
            }
            fn state_len(&self) -> usize {
                2 * self.0.mean.len()
            }
            fn save(&self) -> Saved {
                self.0.save($text)
            }
            fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
                self.0.restore($restore, $text, saved)
            }
        }
    };
}

of_means!(
    Adam,
    "adam",
    "Adam::new",
    "Adam::step",
    "Adam::restore",
    |s| (1.0, s.weight_decay),
    /// Adam:
    ///
    /// $$ m_t=\beta_1m_{t-1}+(1-\beta_1)g,\qquad v_t=\beta_2v_{t-1}+(1-\beta_2)g^2,\qquad
    /// \theta\leftarrow\theta-\frac{\eta}{1-\beta_1^t}\,\frac{m_t}{\sqrt{v_t}/\sqrt{1-\beta_2^t}+\epsilon} $$
    ///
    /// with $g+w\theta$ in place of $g$ where there is weight decay.
    ///
    /// **Source**: `torch.optim.Adam` without `amsgrad`; the expert of B.1 and the rule of the bias in B.7.1. **State** $2p$ numbers.
    /// **Cost** O(p). An example stands at [`Optimizer`].
);
of_means!(
    AdamW,
    "adamw",
    "AdamW::new",
    "AdamW::step",
    "AdamW::restore",
    |s| (1.0 - s.rate * s.weight_decay, 0.0),
    /// AdamW: [`Adam`] without decay in the gradient, after $\theta\leftarrow(1-\eta w)\theta$.
    ///
    /// **Source**: `torch.optim.AdamW` without `amsgrad`. **State** $2p$ numbers. **Cost** O(p).
    ///
    /// ```
    /// use workbench_optimizer::{Layout, Optimizer, classical::{AdamSettings, AdamW}};
    /// let settings = AdamSettings { rate: 0.5, weight_decay: 0.5, ..AdamSettings::default() };
    /// let mut adamw = AdamW::new(Layout::of(&[("x", &[1])])?, settings)?;
    /// let mut x = [4.0];
    /// adamw.step(&mut x, &[0.0])?;
    /// assert_eq!(x, [3.0]);
    /// # Ok::<(), workbench_optimizer::Error>(())
    /// ```
);
