//! Gradient descent that ends where a method with memory ends.

use ndarray::Array2;
use ndarray_linalg::{EigValsh, UPLO};
use workbench_ground::check::entries;

use super::single_memory::SingleMemory;
use crate::Error;

impl SingleMemory<f64> {
    /// The rates of a gradient descent without memory that reaches the same point after the last step: $a_\ell=1/\theta_\ell$.
    ///
    /// After K steps the error is $p(H)$ of the start, and $\theta$ are the zeros of p: the eigenvalues of the tridiagonal matrix with
    /// $1/\alpha_k+\gamma_k/\alpha_{k-1}$ on its diagonal and $\sqrt{\gamma_{k+1}}/\alpha_k$ beside it (Lanczos). For $\gamma\ge0$ and
    /// $\alpha>0$ it is symmetric, the zeros are real, and $p(h)=\prod_\ell(1-a_\ell h)$. So memory can only help before the last step, or
    /// methods whose polynomial has complex zeros. Rates come in the order of rising $\theta$, largest steps first.
    ///
    /// **Source**: ours. **Errors**: $\alpha$ or $\gamma$ outside of the ranges above; a failed decomposition. Cost K^3.
    ///
    /// ```
    /// use workbench_memformer::{Quadratic, SingleMemory};
    /// use ndarray::array;
    /// let f = Quadratic::around(array![[1.0, 0.2], [0.2, 3.0]], &array![1.0, -1.0])?;
    /// let method = SingleMemory::chebyshev(0.9, 3.1, 4)?;
    /// let plain = SingleMemory::new(method.memoryless()?, vec![0.0; 4])?;
    /// let (a, b) = (method.run(&f, &f.origin())?, plain.run(&f, &f.origin())?);
    /// assert!((&a.iterates[4] - &b.iterates[4]).iter().all(|e| e.abs() < 1e-12));
    /// # Ok::<(), workbench_memformer::Error>(())
    /// ```
    pub fn memoryless(&self) -> Result<Vec<f64>, Error> {
        const OP: &str = "SingleMemory::memoryless";
        let allowed = "positive step sizes; shorten a method that is done early";
        entries(OP, "alpha", &self.alpha, |a| a > 0.0, allowed)?;
        if let Some(&value) = self.gamma.iter().skip(1).find(|g| g.is_nan() || **g < 0.0) {
            let allowed = "memories that are not negative, else zeros may be complex";
            return Err(Error::parameter(OP, "gamma", value, allowed));
        }
        let steps = self.steps();
        let mut matrix = Array2::zeros((steps, steps));
        for k in 0..steps {
            matrix[[k, k]] = self.alpha[k].recip();
            if k > 0 {
                matrix[[k, k]] += self.gamma[k] / self.alpha[k - 1];
                matrix[[k, k - 1]] = self.gamma[k].sqrt() / self.alpha[k - 1];
                matrix[[k - 1, k]] = matrix[[k, k - 1]];
            }
        }
        let zeros = matrix.eigvalsh(UPLO::Lower).map_err(Error::linear_algebra(OP))?;
        Ok(zeros.mapv(f64::recip).to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Measure, Prompts, Quadratic, TaskLaw, best_shared_memory};
    use workbench_ground::stats::Streams;

    #[test]
    fn the_best_shared_method_needs_no_memory_at_its_end() {
        let law = TaskLaw::isotropic(4).unwrap();
        let mut stream = Streams::new(2).stream("batch").unwrap();
        let statistics = Prompts::draw(&law, 12, 300, &mut stream).unwrap().statistics().unwrap();
        let batch = Quadratic::of_batch(&statistics).unwrap();
        for measure in [Measure::Loss, Measure::Distance] {
            for steps in 1..5 {
                let best = best_shared_memory(&batch, steps, &measure).unwrap().method;
                let plain = SingleMemory::new(best.memoryless().unwrap(), vec![0.0; steps]).unwrap();
                for f in &batch[..20] {
                    let run = |m: &SingleMemory<f64>| m.run(f, &f.origin()).unwrap().iterates;
                    let (a, b) = (run(&best), run(&plain));
                    assert!((&a[steps] - &b[steps]).iter().all(|e| e.abs() < 1e-10));
                    // Before the end it is behind, or at least elsewhere.
                    assert!(steps == 1 || (&a[1] - &b[1]).iter().any(|e| e.abs() > 1e-3));
                }
            }
        }
    }

    #[test]
    fn complex_zeros_are_refused() {
        let method = |alpha: f64, gamma: f64| SingleMemory::new(vec![1.0, alpha], vec![0.0, gamma]).unwrap();
        assert!(method(0.5, -0.1).memoryless().unwrap_err().to_string().contains("-0.1"));
        assert!(method(-0.5, 0.1).memoryless().unwrap_err().to_string().contains("-0.5"));
        assert_eq!(method(0.5, 0.0).memoryless().unwrap(), [1.0, 0.5]);
    }
}
