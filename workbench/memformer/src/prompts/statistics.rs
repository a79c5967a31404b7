//! Sufficient statistics of a prompt for a model with the restricted parameters (2.8): $d(d+1)/2+2d$ numbers.

use crate::{Error, Prompts, TaskLaw};
use ndarray::{Array1, Array2, Array3, Axis};
use ndarray_linalg::Inverse;
use workbench_ground::check::{finite, position, positive, same_shape};
use workbench_ground::work;

/// Prompts between two looks at a stop request.
const LOOK: usize = 1024;

/// Per prompt: Gram matrix $H=XX^\top/n$, truth w, query $x^{(n+1)}$.
///
/// With the parameters of Eq. 2.8, registers included, every layer maps the covariates to a matrix times themselves and the
/// responses follow: H, w and the query decide the output. $Hw=Xy^\top/n$ and the answer $\langle w,x^{(n+1)}\rangle$ follow from them.
///
/// **Shapes**: Gram `(B, d, d)`, query and truth `(B, d)`.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Prompts, TaskLaw};
/// let prompts = Prompts::draw(&TaskLaw::isotropic(2)?, 20, 4, &mut Streams::new(1).stream("p")?)?;
/// let statistics = prompts.statistics()?;
/// let x = prompts.covariates(3)?;
/// let cross = x.t().dot(&prompts.y().row(3)) / 20.0;
/// assert!((statistics.cross(3)? - cross).iter().all(|v| v.abs() < 1e-14));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Statistics {
    gram: Array3<f64>,
    query: Array2<f64>,
    truth: Array2<f64>,
}

impl Statistics {
    /// The statistics of a batch of prompts.
    ///
    /// **Errors**: a stop request. Cost: B n d^2.
    pub fn of(prompts: &Prompts) -> Result<Statistics, Error> {
        let (batch, n, d) = prompts.x().dim();
        let mut gram = Array3::zeros((batch, d, d));
        for b in 0..batch {
            if b % LOOK == 0 {
                work::check("Statistics::of", b, batch)?;
            }
            let x = prompts.x().index_axis(Axis(0), b);
            gram.index_axis_mut(Axis(0), b).assign(&(x.t().dot(&x) / n as f64));
        }
        Ok(Statistics { gram, query: prompts.query().clone(), truth: prompts.truth().clone() })
    }

    /// Statistics given as arrays; each Gram matrix is taken as $(H+H^\top)/2$.
    ///
    /// **Shapes**: `(B, d, d)`, `(B, d)`, `(B, d)`. **Errors**: a zero size, shapes that do not agree, entries that are not finite.
    pub fn from_parts(mut gram: Array3<f64>, query: Array2<f64>, truth: Array2<f64>) -> Result<Statistics, Error> {
        const OP: &str = "Statistics::from_parts";
        let (batch, d, _) = gram.dim();
        positive(OP, "the batch size (B)", batch)?;
        positive(OP, "d", d)?;
        same_shape(OP, "Gram matrices", gram.shape(), &[batch, d, d])?;
        same_shape(OP, "query", query.shape(), &[batch, d])?;
        same_shape(OP, "truth", truth.shape(), &[batch, d])?;
        finite(OP, "a Gram matrix", &gram)?;
        finite(OP, "query", &query)?;
        finite(OP, "truth", &truth)?;
        for mut h in gram.axis_iter_mut(Axis(0)) {
            let transposed = h.t().to_owned();
            h += &transposed;
            h *= 0.5;
        }
        Ok(Statistics { gram, query, truth })
    }

    /// Batch size B.
    pub fn batch(&self) -> usize {
        self.gram.dim().0
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.gram.dim().1
    }

    /// Gram matrices $XX^\top/n$, the Hessians of Eq. 2.11, `(B, d, d)`.
    pub fn gram(&self) -> &Array3<f64> {
        &self.gram
    }

    /// Queries, `(B, d)`.
    pub fn query(&self) -> &Array2<f64> {
        &self.query
    }

    /// Truths, `(B, d)`.
    pub fn truth(&self) -> &Array2<f64> {
        &self.truth
    }

    /// $Xy^\top/n=Hw$ of prompt `b`, `(d)`: minus the gradient of Eq. 2.11 at zero.
    ///
    /// **Errors**: no such prompt.
    pub fn cross(&self, b: usize) -> Result<Array1<f64>, Error> {
        position("Statistics::cross", "prompt", b, self.batch())?;
        Ok(self.gram.index_axis(Axis(0), b).dot(&self.truth.row(b)))
    }

    /// Answers <w, x(n+1)>, `(B)`.
    pub fn answers(&self) -> Array1<f64> {
        (&self.query * &self.truth).sum_axis(Axis(1))
    }

    /// The same prompts in the coordinates in which covariates have the covariance I: H becomes $S\,H\,S$, the query $Sx$ and the truth
    /// $S^{-1}w$ with $S=\Sigma^{-1/2}$. A method with the preconditioner $\Sigma^{-1}$ is the same method without one there.
    ///
    /// **Errors**: a law of another dimension, a failed decomposition. Cost B d^3.
    pub fn whitened(&self, law: &TaskLaw) -> Result<Statistics, Error> {
        const OP: &str = "Statistics::whitened";
        same_shape(OP, "the law's covariance", &[law.dim()], &[self.dim()])?;
        let root = law.root()?;
        let whitener = root.inv().map_err(Error::linear_algebra(OP))?;
        let mut gram = self.gram.clone();
        for mut h in gram.axis_iter_mut(Axis(0)) {
            let white = whitener.dot(&h).dot(&whitener);
            h.assign(&white);
        }
        Statistics::from_parts(gram, self.query.dot(&whitener), self.truth.dot(&root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_gram_matrix_of_a_small_prompt() {
        let x = array![[[1.0, 2.0], [3.0, -1.0]]];
        let prompts = Prompts::from_parts(x, array![[1.0, 1.0]], array![[2.0, 1.0]]).unwrap();
        let statistics = prompts.statistics().unwrap();
        assert_eq!(statistics.gram().index_axis(Axis(0), 0), array![[5.0, -0.5], [-0.5, 2.5]]);
        assert_eq!(statistics.cross(0).unwrap(), array![9.5, 1.5]);
        assert_eq!(statistics.answers(), array![3.0]);
        assert!(statistics.cross(1).is_err());
    }

    #[test]
    fn whitening_keeps_the_answers_and_makes_the_mean_gram_matrix_one() {
        let law = TaskLaw::new(array![[1.0, 0.3], [0.3, 0.4]]).unwrap();
        let mut stream = workbench_ground::stats::Streams::new(5).stream("white").unwrap();
        let seen = Prompts::draw(&law, 20, 4000, &mut stream).unwrap().statistics().unwrap();
        let white = seen.whitened(&law).unwrap();
        for (a, b) in white.answers().iter().zip(&seen.answers()) {
            assert!((a - b).abs() < 1e-12);
        }
        let mean = white.gram().mean_axis(Axis(0)).unwrap();
        // Entries scatter by sqrt(2 / (B n)) = 0.005 at most.
        assert!((&mean - &Array2::<f64>::eye(2)).iter().all(|e| e.abs() < 0.03), "{mean}");
        let other = TaskLaw::isotropic(3).unwrap();
        assert!(seen.whitened(&other).unwrap_err().to_string().contains("= 3 does not match the shape needed = 2;"));
    }

    #[test]
    fn parts_are_checked_and_made_symmetric() {
        let gram = array![[[1.0, 0.5], [0.0, 2.0]]];
        let ones = Array2::ones((1, 2));
        let statistics = Statistics::from_parts(gram.clone(), ones.clone(), ones.clone()).unwrap();
        assert_eq!(statistics.gram()[[0, 0, 1]], 0.25);
        let say = Statistics::from_parts(gram, Array2::ones((2, 2)), ones).unwrap_err().to_string();
        assert!(say.contains("(2, 2) does not match the shape needed = (1, 2)"), "{say}");
        assert!(
            Statistics::from_parts(Array3::zeros((1, 0, 0)), Array2::zeros((1, 0)), Array2::zeros((1, 0))).is_err()
        );
    }
}
