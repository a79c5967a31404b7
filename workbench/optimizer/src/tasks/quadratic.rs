//! Quadratic bowls, for tests: everything about them is known.

use workbench_ground::check;
use workbench_ground::stats::{Stream, Streams};

use crate::Error;
use crate::task::{Split, Task, Tensor};

/// $f(\theta)=\tfrac12(\theta-\theta^*)^\top A(\theta-\theta^*)+n^\top(\theta-\theta^*)$ with $n\sim\mathcal N(0,\sigma^2I)$ drawn for each
/// training batch and 0 in validation.
///
/// $A=R\Lambda R$ with a random reflection $R$ and eigenvalues from $1$ down to $1/\kappa$ in equal ratios, so coordinates are coupled.
/// **Shapes**: one vector, `theta`. **Start**: standard normal. **Cost** of everything: $O(p)$.
///
/// ```
/// use workbench_optimizer::task::Task;
/// use workbench_optimizer::tasks::NoisyQuadratic;
/// let task = NoisyQuadratic::new(5, 100.0, 0.0, 1)?;
/// let mut gradient = vec![0.0; 5];
/// let loss = task.gradient(task.minimum(), &vec![0.0; 5], &mut gradient)?;
/// assert!(loss == 0.0 && gradient.iter().all(|g| *g == 0.0));
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyQuadratic {
    tensors: [Tensor; 1],
    eigenvalues: Vec<f64>,
    mirror: Vec<f64>,
    minimum: Vec<f64>,
    noise: f64,
}

impl NoisyQuadratic {
    /// `count` coordinates, a condition number, the deviation of the gradient's noise. The `seed` fixes reflection and minimum.
    ///
    /// **Errors**: a count of zero, a condition number below 1, negative noise.
    pub fn new(count: usize, condition: f64, noise: f64, seed: u64) -> Result<NoisyQuadratic, Error> {
        const OP: &str = "NoisyQuadratic::new";
        check::positive(OP, "number of coordinates", count)?;
        check::within(OP, "condition number", condition, condition >= 1.0, "a finite number, 1 or above")?;
        check::not_negative(OP, "noise", noise)?;
        let mut stream = Streams::new(seed).restart("quadratic")?;
        let mut draw = || -> Vec<f64> { (0..count).map(|_| stream.normal()).collect() };
        let (mut mirror, minimum) = (draw(), draw());
        let norm = mirror.iter().map(|x| x * x).sum::<f64>().sqrt();
        mirror.iter_mut().for_each(|x| *x /= norm);
        let last = (count - 1).max(1) as f64;
        Ok(NoisyQuadratic {
            tensors: [Tensor { name: "theta".into(), shape: vec![count], range: 0..count }],
            eigenvalues: (0..count).map(|i| libm::pow(condition, -(i as f64) / last)).collect(),
            mirror,
            minimum,
            noise,
        })
    }

    /// $\theta^*$.
    pub fn minimum(&self) -> &[f64] {
        &self.minimum
    }

    /// The eigenvalues of $A$, largest first.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// $A x$.
    fn curve(&self, x: &[f64]) -> Vec<f64> {
        let mut x = self.reflect(x.to_vec());
        x.iter_mut().zip(&self.eigenvalues).for_each(|(x, e)| *x *= e);
        self.reflect(x)
    }

    fn reflect(&self, mut x: Vec<f64>) -> Vec<f64> {
        let twice: f64 = 2.0 * x.iter().zip(&self.mirror).map(|(x, u)| x * u).sum::<f64>();
        x.iter_mut().zip(&self.mirror).for_each(|(x, u)| *x -= twice * u);
        x
    }

    fn sized(&self, op: &'static str, name: &'static str, values: &[f64]) -> Result<(), Error> {
        check::same(op, (name, values.len()), ("number of coordinates", self.minimum.len()))
    }
}

impl Task for NoisyQuadratic {
    /// $n$.
    type Batch = Vec<f64>;

    fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    fn start(&self, stream: &mut Stream) -> Vec<f64> {
        self.minimum.iter().map(|_| stream.normal()).collect()
    }

    fn batch(&self, split: Split, stream: &mut Stream) -> Vec<f64> {
        let noise = match split {
            Split::Training => self.noise,
            Split::Validation => 0.0,
        };
        self.minimum.iter().map(|_| noise * stream.normal()).collect()
    }

    fn gradient(&self, theta: &[f64], batch: &Vec<f64>, gradient: &mut [f64]) -> Result<f64, Error> {
        const OP: &str = "NoisyQuadratic::gradient";
        self.sized(OP, "length of theta", theta)?;
        self.sized(OP, "length of the batch", batch)?;
        self.sized(OP, "length of gradient", gradient)?;
        let away: Vec<f64> = theta.iter().zip(&self.minimum).map(|(x, m)| x - m).collect();
        let slope = self.curve(&away);
        let mut loss = 0.0;
        for (((out, slope), noise), away) in gradient.iter_mut().zip(slope).zip(batch).zip(away) {
            *out = slope + noise;
            loss += away * (0.5 * slope + noise);
        }
        Ok(loss)
    }

    fn hessian_product(
        &self,
        theta: &[f64],
        _: &Vec<f64>,
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), Error> {
        const OP: &str = "NoisyQuadratic::hessian_product";
        self.sized(OP, "length of theta", theta)?;
        self.sized(OP, "length of direction", direction)?;
        self.sized(OP, "length of product", product)?;
        product.copy_from_slice(&self.curve(direction));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradient_and_product_are_those_of_the_formula() {
        let task = NoisyQuadratic::new(7, 50.0, 0.3, 2).unwrap();
        let mut stream = Streams::new(1).stream("x").unwrap();
        let theta = task.start(&mut stream);
        let batch = task.batch(Split::Training, &mut stream);
        let mut gradient = vec![0.0; 7];
        let loss = |theta: &[f64]| task.loss(theta, &batch).unwrap();
        task.gradient(&theta, &batch, &mut gradient).unwrap();
        for i in 0..7 {
            let mut moved = theta.clone();
            moved[i] += 1e-4;
            let up = loss(&moved);
            moved[i] -= 2e-4;
            assert!((gradient[i] - (up - loss(&moved)) / 2e-4).abs() < 1e-9);
        }
        // Powers of A on a vector grow at most as the largest eigenvalue, 1, and the trace is the sum of eigenvalues.
        let mut trace = 0.0;
        for i in 0..7 {
            let mut unit = vec![0.0; 7];
            unit[i] = 1.0;
            let mut product = vec![0.0; 7];
            task.hessian_product(&theta, &batch, &unit, &mut product).unwrap();
            trace += product[i];
            assert!(product.iter().map(|x| x * x).sum::<f64>() <= 1.0 + 1e-12);
        }
        assert!((trace - task.eigenvalues().iter().sum::<f64>()).abs() < 1e-12);
        assert!(task.batch(Split::Validation, &mut stream).iter().all(|n| *n == 0.0));
    }

    #[test]
    fn refuses_bad_sizes() {
        assert!(NoisyQuadratic::new(0, 1.0, 0.0, 1).is_err() && NoisyQuadratic::new(1, 0.5, 0.0, 1).is_err());
        assert!(NoisyQuadratic::new(1, 1.0, -1.0, 1).is_err() && NoisyQuadratic::new(1, f64::NAN, 0.0, 1).is_err());
        let task = NoisyQuadratic::new(2, 1.0, 0.0, 1).unwrap();
        assert!(task.gradient(&[0.0], &vec![0.0; 2], &mut [0.0; 2]).is_err());
        assert!(task.hessian_product(&[0.0; 2], &vec![0.0; 2], &[0.0; 3], &mut [0.0; 2]).is_err());
    }
}
