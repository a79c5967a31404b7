//! Tasks that begin with given parameters.

use workbench_ground::check;
use workbench_ground::stats::Stream;

use crate::Error;
use crate::task::{Split, Task, Tensor};

/// A task whose runs all start from the same parameters, as fine-tuning does: everything else is that of the task.
///
/// **Source**: B.7 to B.9. **Cost** that of the task.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_optimizer::task::Task;
/// use workbench_optimizer::tasks::{NoisyQuadratic, Started};
/// let task = Started::new(NoisyQuadratic::new(2, 1.0, 0.0, 1)?, vec![0.5, -0.5])?;
/// assert_eq!(task.start(&mut Streams::new(1).stream("any")?), [0.5, -0.5]);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Started<T> {
    task: T,
    start: Vec<f64>,
}

impl<T: Task> Started<T> {
    /// This task from these parameters on.
    ///
    /// **Errors**: parameters of another number, or not finite.
    pub fn new(task: T, start: Vec<f64>) -> Result<Started<T>, Error> {
        const OP: &str = "Started::new";
        check::same(OP, ("parameters to start from", start.len()), ("parameters of the task", task.len()))?;
        check::finite(OP, "parameters to start from", &start)?;
        Ok(Started { task, start })
    }

    /// The task.
    pub fn task(&self) -> &T {
        &self.task
    }
}

impl<T: Task> Task for Started<T> {
    type Batch = T::Batch;

    fn tensors(&self) -> &[Tensor] {
        self.task.tensors()
    }

    fn start(&self, _: &mut Stream) -> Vec<f64> {
        self.start.clone()
    }

    fn batch(&self, split: Split, stream: &mut Stream) -> T::Batch {
        self.task.batch(split, stream)
    }

    fn gradient(&self, theta: &[f64], batch: &T::Batch, gradient: &mut [f64]) -> Result<f64, Error> {
        self.task.gradient(theta, batch, gradient)
    }

    fn loss(&self, theta: &[f64], batch: &T::Batch) -> Result<f64, Error> {
        self.task.loss(theta, batch)
    }

    fn hessian_product(
        &self,
        theta: &[f64],
        batch: &T::Batch,
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), Error> {
        self.task.hessian_product(theta, batch, direction, product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::NoisyQuadratic;
    use workbench_ground::stats::Streams;

    #[test]
    fn only_the_start_is_another() {
        let plain = NoisyQuadratic::new(3, 4.0, 0.1, 1).unwrap();
        let task = Started::new(plain.clone(), vec![1.0, 2.0, 3.0]).unwrap();
        let mut streams = [(); 2].map(|()| Streams::new(1).stream("x").unwrap());
        let [a, b] = &mut streams;
        let batch = plain.batch(Split::Training, a);
        assert_eq!(batch, task.batch(Split::Training, b));
        let (mut g, mut h) = (vec![0.0; 3], vec![0.0; 3]);
        let theta = task.start(a);
        assert_eq!(plain.gradient(&theta, &batch, &mut g).unwrap(), task.gradient(&theta, &batch, &mut h).unwrap());
        assert_eq!((g, task.tensors()), (h, plain.tensors()));
        assert!(Started::new(plain.clone(), vec![1.0]).is_err());
        assert!(Started::new(plain, vec![f64::NAN; 3]).is_err());
    }
}
