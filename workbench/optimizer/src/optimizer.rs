//! Optimizer: what all of them have in common.

use std::fmt::Debug;

use super::{Error, Layout, Saved};

/// A rule $\theta_{t+1}=\theta_t+u_t$ whose update is made of the gradients seen so far.
///
/// An optimizer is made for one [`Layout`] and keeps its state between steps. A step that is refused changes neither the parameters nor
/// the state: a gradient with a NaN or an infinity is refused with the name of its parameter, and so are slices of another length.
///
/// ```
/// use workbench_optimizer::{Layout, Optimizer, classical::{Adam, AdamSettings}};
/// let layout = Layout::of(&[("x", &[2])])?;
/// let mut adam = Adam::new(layout, AdamSettings { rate: 0.1, ..AdamSettings::default() })?;
/// let mut theta = [3.0, -2.0];
/// for _ in 0..200 {
///     let gradient = theta.map(|x| 2.0 * x);
///     adam.step(&mut theta, &gradient)?;
/// }
/// assert!(theta.iter().all(|x| x.abs() < 0.05));
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
pub trait Optimizer: Debug + Send + Sync {
    /// The name of the rule, as `adam`.
    fn name(&self) -> &'static str;

    /// The layout that it was made for.
    fn layout(&self) -> &Layout;

    /// Takes one step.
    ///
    /// **Shapes**: `theta` and `gradient` hold [`Layout::len`] numbers each. **Errors**: another length; a gradient that is not finite,
    /// with the parameter named. Nothing has changed then. A learned rule also refuses an update that is not finite: the parameters are
    /// as they were, and it takes no further step before it is restored. **Cost** O(p) on p numbers; a learned rule's that of its cell for
    /// each.
    fn step(&mut self, theta: &mut [f64], gradient: &[f64]) -> Result<(), Error>;

    /// Whether a step can be refused after the gradient was found in order, because the update is not finite: true of learned rules.
    fn may_refuse_updates(&self) -> bool {
        false
    }

    /// How many steps were taken.
    fn steps(&self) -> u64;

    /// How many numbers it remembers from one step to the next, all parameters together.
    fn state_len(&self) -> usize;

    /// Everything that the next step depends on, apart from the settings.
    fn save(&self) -> Saved;

    /// Goes back to a saved state; steps after it give the same bits.
    ///
    /// **Errors**: a state of another rule, of other settings or of another layout; nothing has changed then.
    fn restore(&mut self, saved: &Saved) -> Result<(), Error>;
}

impl Optimizer for Box<dyn Optimizer> {
    fn name(&self) -> &'static str {
        (**self).name()
    }
    fn layout(&self) -> &Layout {
        (**self).layout()
    }
    fn step(&mut self, theta: &mut [f64], gradient: &[f64]) -> Result<(), Error> {
        (**self).step(theta, gradient)
    }
    fn may_refuse_updates(&self) -> bool {
        (**self).may_refuse_updates()
    }
    fn steps(&self) -> u64 {
        (**self).steps()
    }
    fn state_len(&self) -> usize {
        (**self).state_len()
    }
    fn save(&self) -> Saved {
        (**self).save()
    }
    fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        (**self).restore(saved)
    }
}
