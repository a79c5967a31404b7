//! The law of a regression task: how covariates and targets are drawn.

use crate::Error;
use ndarray::{Array1, Array2};
use ndarray_linalg::{Cholesky, Eigh, Inverse, UPLO};
use workbench_ground::check::{above_zero, entries, finite, positive, same_shape};
use workbench_ground::stats::{Stream, orthonormal};

/// Differences between mirrored entries of a covariance up to this part of its largest entry count as rounding.
const SYMMETRY: f64 = 1e-10;

/// Law of the tasks: covariates $x\sim\mathcal N(\mathrm{mean},\mathrm{covariance})$, target
/// $w\sim\mathcal N(\mathrm{truth\;mean},\mathrm{truth\;covariance})$.
///
/// Unless told otherwise the means are zero and the truth has the inverse covariance, $w\sim\mathcal N(0,\Sigma^{-1})$, so that
/// $\mathbb E\langle w,x\rangle^2=d$ for every $\Sigma$.
///
/// **Source**: memformer document, Section 2.1 (Data Distribution) and Section 3.3 (Setup), where D holds variances. The public
/// code of preconditioned gradient descent takes D for standard deviations instead: square the entries to compare with it.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::TaskLaw;
/// let law = TaskLaw::rotated(&[1.0, 1.0, 0.5, 0.25, 1.0], &mut Streams::new(1).stream("rotation")?)?;
/// let product = law.covariance().dot(law.truth_covariance());
/// assert!((&product - &ndarray::Array2::<f64>::eye(5)).iter().all(|v| v.abs() < 1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TaskLaw {
    mean: Array1<f64>,
    covariance: Array2<f64>,
    truth_mean: Array1<f64>,
    truth_covariance: Array2<f64>,
    factor: Array2<f64>,
    truth_factor: Array2<f64>,
}

impl TaskLaw {
    /// $x\sim\mathcal N(0,\mathrm{covariance})$, $w\sim\mathcal N(0,\mathrm{covariance}^{-1})$.
    ///
    /// **Shapes**: `(d, d)`. **Errors**: d = 0, not square, not finite, not symmetric, not positive definite.
    pub fn new(covariance: Array2<f64>) -> Result<TaskLaw, Error> {
        const OP: &str = "TaskLaw::new";
        let factor = factor(OP, &covariance)?;
        let truth_covariance = symmetric(covariance.inv().map_err(Error::linear_algebra(OP))?);
        let truth_factor = self::factor(OP, &truth_covariance)?;
        let d = covariance.nrows();
        Ok(TaskLaw {
            mean: Array1::zeros(d),
            covariance,
            truth_mean: Array1::zeros(d),
            truth_covariance,
            factor,
            truth_factor,
        })
    }

    /// $x\sim\mathcal N(0,I)$, $w\sim\mathcal N(0,I)$ in `d` dimensions.
    ///
    /// **Errors**: d = 0.
    pub fn isotropic(d: usize) -> Result<TaskLaw, Error> {
        positive("TaskLaw::isotropic", "d", d)?;
        TaskLaw::new(Array2::eye(d))
    }

    /// $\Sigma=U^\top DU$ with U uniform on the orthogonal group and $D=\operatorname{diag}(\mathrm{spectrum})$.
    ///
    /// **Errors**: empty spectrum, entries that are not positive.
    pub fn rotated(spectrum: &[f64], stream: &mut Stream) -> Result<TaskLaw, Error> {
        const OP: &str = "TaskLaw::rotated";
        positive(OP, "the length of the spectrum (d)", spectrum.len())?;
        let allowed = "positive, finite variances";
        entries(OP, "eigenvalue", spectrum, |v| v > 0.0 && v.is_finite(), allowed)?;
        let u = orthonormal(stream, spectrum.len(), spectrum.len())?;
        let scaled = &Array1::from(spectrum.to_vec()).insert_axis(ndarray::Axis(1)) * &u;
        TaskLaw::new(symmetric(u.t().dot(&scaled)))
    }

    /// The same law with the covariance multiplied by `variance`, and the truth's divided by it.
    ///
    /// **Source**: Section 3.3, the scalar $\sigma^2$. **Errors**: a variance that is not positive and finite.
    pub fn scaled(&self, variance: f64) -> Result<TaskLaw, Error> {
        above_zero("TaskLaw::scaled", "variance (sigma^2)", variance)?;
        let mut law = TaskLaw::new(&self.covariance * variance)?;
        law.mean = self.mean.clone();
        law.truth_mean = self.truth_mean.clone();
        Ok(law)
    }

    /// The same law with other means.
    ///
    /// **Source**: Theorem 4.1, where covariates and targets of a component share a mean.
    /// **Shapes**: both `(d)`. **Errors**: other lengths, entries that are not finite.
    pub fn with_means(mut self, mean: Array1<f64>, truth_mean: Array1<f64>) -> Result<TaskLaw, Error> {
        const OP: &str = "TaskLaw::with_means";
        same_shape(OP, "mean", mean.shape(), &[self.dim()])?;
        same_shape(OP, "truth mean", truth_mean.shape(), &[self.dim()])?;
        finite(OP, "mean", mean.iter().chain(truth_mean.iter()))?;
        self.mean = mean;
        self.truth_mean = truth_mean;
        Ok(self)
    }

    /// The same law with another covariance of the truth.
    ///
    /// **Shapes**: `(d, d)`. **Errors**: as [`TaskLaw::new`], another size.
    pub fn with_truth_covariance(mut self, covariance: Array2<f64>) -> Result<TaskLaw, Error> {
        const OP: &str = "TaskLaw::with_truth_covariance";
        same_shape(OP, "covariance", covariance.shape(), &[self.dim(), self.dim()])?;
        self.truth_factor = factor(OP, &covariance)?;
        self.truth_covariance = covariance;
        Ok(self)
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.covariance.nrows()
    }

    /// Mean of the covariates, `(d)`.
    pub fn mean(&self) -> &Array1<f64> {
        &self.mean
    }

    /// Covariance $\Sigma$ of the covariates, `(d, d)`.
    pub fn covariance(&self) -> &Array2<f64> {
        &self.covariance
    }

    /// Mean of the truth, `(d)`.
    pub fn truth_mean(&self) -> &Array1<f64> {
        &self.truth_mean
    }

    /// Covariance of the truth, `(d, d)`.
    pub fn truth_covariance(&self) -> &Array2<f64> {
        &self.truth_covariance
    }

    /// Lower triangle L of the covariates, $LL^\top=\Sigma$.
    pub fn factor(&self) -> &Array2<f64> {
        &self.factor
    }

    /// Lower triangle of the truth's covariance.
    pub fn truth_factor(&self) -> &Array2<f64> {
        &self.truth_factor
    }

    /// Symmetric square root $\Sigma^{1/2}$, `(d, d)`, in which Appendix D measures distances.
    ///
    /// **Errors**: a failed decomposition.
    pub fn root(&self) -> Result<Array2<f64>, Error> {
        let (values, vectors) = self.covariance.eigh(UPLO::Lower).map_err(Error::linear_algebra("TaskLaw::root"))?;
        Ok((&vectors * &values.mapv(f64::sqrt)).dot(&vectors.t()))
    }
}

fn symmetric(m: Array2<f64>) -> Array2<f64> {
    0.5 * (&m + &m.t())
}

/// The Cholesky factor, after every check a covariance has to pass.
fn factor(op: &'static str, covariance: &Array2<f64>) -> Result<Array2<f64>, Error> {
    let (d, columns) = covariance.dim();
    positive(op, "d", d)?;
    same_shape(op, "covariance", &[d, columns], &[d, d])?;
    finite(op, "covariance", covariance)?;
    let largest = covariance.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    for ((row, column), value) in covariance.indexed_iter() {
        let difference = (value - covariance[[column, row]]).abs();
        if difference > SYMMETRY * largest {
            let problem = format!(
                "the covariance is not symmetric, entries ({row}, {column}) and ({column}, {row}) differ by {difference:e}"
            );
            return Err(Error::refused(op, problem, "use (C + C^T) / 2"));
        }
    }
    if let Ok(factor) = covariance.cholesky(UPLO::Lower) {
        return Ok(factor);
    }
    let (values, _) = covariance.eigh(UPLO::Lower).map_err(Error::linear_algebra(op))?;
    let problem =
        format!("the covariance has the eigenvalue {:e}", values.iter().copied().fold(f64::INFINITY, f64::min));
    let next = "all must be positive, since targets have its inverse as covariance";
    Err(Error::refused(op, problem, next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use workbench_ground::stats::Streams;

    #[test]
    fn a_rotated_law_has_its_spectrum_and_differs_between_streams() {
        let streams = Streams::new(4);
        let spectrum = [1.0, 1.0, 0.5, 0.25, 1.0];
        let law = TaskLaw::rotated(&spectrum, &mut streams.replicate("u", 0).unwrap()).unwrap();
        let other = TaskLaw::rotated(&spectrum, &mut streams.replicate("u", 1).unwrap()).unwrap();
        let (values, _) = law.covariance().eigh(UPLO::Lower).unwrap();
        for (got, want) in values.iter().zip([0.25, 0.5, 1.0, 1.0, 1.0]) {
            assert!((got - want).abs() < 1e-13, "{values}");
        }
        assert!((law.covariance() - other.covariance()).iter().any(|v| v.abs() > 0.01));
        let root = law.root().unwrap();
        assert!((root.dot(&root) - law.covariance()).iter().all(|v| v.abs() < 1e-14));
    }

    #[test]
    fn scaling_divides_the_truth() {
        let law = TaskLaw::new(array![[2.0, 0.5], [0.5, 1.0]]).unwrap().scaled(3.0).unwrap();
        assert!((law.covariance()[[0, 1]] - 1.5).abs() < 1e-15);
        let product = law.covariance().dot(law.truth_covariance());
        assert!((product - Array2::<f64>::eye(2)).iter().all(|v| v.abs() < 1e-14));
    }

    #[test]
    fn bad_covariances_are_named() {
        let say = |m: Array2<f64>| TaskLaw::new(m).unwrap_err().to_string();
        assert!(say(Array2::zeros((0, 0))).contains("d is zero"));
        assert!(say(Array2::zeros((2, 3))).contains("(2, 3)"));
        assert!(say(array![[1.0, 0.1], [0.2, 1.0]]).contains("not symmetric"));
        assert!(say(array![[1.0, 2.0], [2.0, 1.0]]).contains("eigenvalue -1"));
        assert!(say(array![[f64::NAN, 0.0], [0.0, 1.0]]).contains("NaN"));
        let law = TaskLaw::isotropic(2).unwrap();
        assert!(
            law.clone().with_means(Array1::zeros(3), Array1::zeros(2)).unwrap_err().to_string().contains("= 3 does")
        );
        assert!(law.scaled(0.0).is_err() && law.scaled(f64::NAN).is_err());
        assert!(TaskLaw::rotated(&[], &mut Streams::new(1).stream("u").unwrap()).is_err());
        assert!(TaskLaw::rotated(&[1.0, 0.0], &mut Streams::new(1).stream("u").unwrap()).is_err());
        assert!(law.with_truth_covariance(array![[1.0]]).unwrap_err().to_string().contains("(1, 1)"));
    }
}
