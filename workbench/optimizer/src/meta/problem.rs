//! Tasks of different kinds in one list, and random scaling.

use std::any::Any;
use std::fmt::Debug;

use workbench_ground::check::not_negative;
use workbench_ground::stats::Stream;

use crate::task::{Split, Task, Tensor};
use crate::{Error, Layout};

/// A batch of a task whose kind is not known.
pub type Drawn = Box<dyn Any + Send + Sync>;

/// A [`Task`] without its type of batch, so that tasks of different kinds stand in one list. Every task is one.
pub trait Problem: Debug + Send + Sync {
    /// [`Task::tensors`].
    fn parts(&self) -> &[Tensor];

    /// [`Task::start`].
    fn begin(&self, stream: &mut Stream) -> Vec<f64>;

    /// [`Task::batch`].
    fn draw(&self, split: Split, stream: &mut Stream) -> Drawn;

    /// [`Task::gradient`].
    ///
    /// **Errors**: as there, or a batch of another task.
    fn slope(&self, theta: &[f64], batch: &Drawn, gradient: &mut [f64]) -> Result<f64, Error>;

    /// [`Task::hessian_product`].
    ///
    /// **Errors**: as there, or a batch of another task.
    fn curve(&self, theta: &[f64], batch: &Drawn, direction: &[f64], product: &mut [f64]) -> Result<(), Error>;
}

impl<T: Task> Problem for T
where
    T::Batch: 'static,
{
    fn parts(&self) -> &[Tensor] {
        self.tensors()
    }

    fn begin(&self, stream: &mut Stream) -> Vec<f64> {
        self.start(stream)
    }

    fn draw(&self, split: Split, stream: &mut Stream) -> Drawn {
        Box::new(self.batch(split, stream))
    }

    fn slope(&self, theta: &[f64], batch: &Drawn, gradient: &mut [f64]) -> Result<f64, Error> {
        self.gradient(theta, own::<T>(batch)?, gradient)
    }

    fn curve(&self, theta: &[f64], batch: &Drawn, direction: &[f64], product: &mut [f64]) -> Result<(), Error> {
        self.hessian_product(theta, own::<T>(batch)?, direction, product)
    }
}

fn own<T: Task>(batch: &Drawn) -> Result<&T::Batch, Error>
where
    T::Batch: 'static,
{
    let next = "draw the batch from the same task";
    batch
        .downcast_ref()
        .ok_or_else(|| Error::refused("Problem", "the batch was drawn from a task of another kind", next))
}

/// Random scaling: $c_i=e^{U_i}$ with $U_i$ uniform on $[-b,b]$.
///
/// The optimizer is shown $f(c\odot\theta')$ in place of $f(\theta)$, with $\theta'=\theta/c$ at the start: the function is the same, its
/// gradient is multiplied by $c$.
///
/// **Source**: B.1, "random-scaling trick proposed by \[42\]"; that paper's code has $b=3$. **Errors**: a negative bound.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_optimizer::meta::scales;
/// let c = scales(3.0, 100, &mut Streams::new(1).stream("scaling")?)?;
/// assert!(c.iter().all(|c| c.ln().abs() <= 3.0));
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
pub fn scales(bound: f64, len: usize, stream: &mut Stream) -> Result<Vec<f64>, Error> {
    not_negative("scales", "bound", bound)?;
    Ok((0..len).map(|_| (bound * (2.0 * stream.uniform() - 1.0)).exp()).collect())
}

/// A problem as the optimizer sees it: scaled or not.
#[derive(Clone, Debug)]
pub struct ScaledProblem<'a> {
    problem: &'a dyn Problem,
    scales: Option<Vec<f64>>,
}

impl<'a> ScaledProblem<'a> {
    /// The problem as it is.
    pub fn plain(problem: &'a dyn Problem) -> ScaledProblem<'a> {
        ScaledProblem { problem, scales: None }
    }

    /// The problem under random scaling.
    ///
    /// **Errors**: a negative bound.
    pub fn scaled(problem: &'a dyn Problem, bound: f64, stream: &mut Stream) -> Result<ScaledProblem<'a>, Error> {
        let len = Layout::new(problem.parts())?.len();
        Ok(ScaledProblem { problem, scales: Some(scales(bound, len, stream)?) })
    }

    /// The problem.
    pub fn problem(&self) -> &'a dyn Problem {
        self.problem
    }

    /// Parameters of the problem as the optimizer sees them.
    pub fn seen(&self, mut theta: Vec<f64>) -> Vec<f64> {
        if let Some(scales) = &self.scales {
            theta.iter_mut().zip(scales).for_each(|(x, c)| *x /= c);
        }
        theta
    }

    fn times(&self, values: &[f64]) -> Vec<f64> {
        match &self.scales {
            None => values.to_vec(),
            Some(scales) => values.iter().zip(scales).map(|(x, c)| x * c).collect(),
        }
    }

    fn times_in_place(&self, values: &mut [f64]) {
        if let Some(scales) = &self.scales {
            values.iter_mut().zip(scales).for_each(|(x, c)| *x *= c);
        }
    }

    /// Loss, and its gradient for what the optimizer sees.
    ///
    /// **Errors**: as [`Task::gradient`].
    pub fn slope(&self, seen: &[f64], batch: &Drawn, gradient: &mut [f64]) -> Result<f64, Error> {
        let loss = self.problem.slope(&self.times(seen), batch, gradient)?;
        self.times_in_place(gradient);
        Ok(loss)
    }

    /// The Hessian for what the optimizer sees, times a direction.
    ///
    /// **Errors**: as [`Task::hessian_product`].
    pub fn curve(&self, seen: &[f64], batch: &Drawn, direction: &[f64], product: &mut [f64]) -> Result<(), Error> {
        let direction = self.times(direction);
        self.problem.curve(&self.times(seen), batch, &direction, product)?;
        self.times_in_place(product);
        Ok(())
    }
}
