//! Batches of prompts.

use crate::{Error, Statistics, TaskLaw};
use ndarray::{Array1, Array2, Array3, ArrayView1, ArrayView2, Axis, s};
use workbench_ground::check::{finite, position, positive, same_shape};
use workbench_ground::stats::Stream;
use workbench_ground::work;

/// Prompts between two looks at a stop request.
const LOOK: usize = 512;

/// A batch of in-context regression prompts: n covariates with responses $y^{(i)}=\langle x^{(i)},w\rangle$, and a query.
///
/// **Source**: Section 2.1, Eq. 2.1. **Shapes**: covariates `(B, n, d)`, responses `(B, n)`, queries and truths `(B, d)`.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Prompts, TaskLaw};
/// let law = TaskLaw::isotropic(3)?;
/// let prompts = Prompts::draw(&law, 20, 8, &mut Streams::new(1).stream("prompts")?)?;
/// let z = prompts.tokens(0)?;
/// assert_eq!(z.dim(), (4, 21));
/// assert_eq!(z[[3, 20]], 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Prompts {
    x: Array3<f64>,
    y: Array2<f64>,
    query: Array2<f64>,
    truth: Array2<f64>,
}

impl Prompts {
    /// `batch` independent prompts with `n` examples each.
    ///
    /// **Errors**: n or B zero, a stop request. Cost: B (n + 2) d normals and B (n + 2) d^2 multiplications.
    pub fn draw(law: &TaskLaw, n: usize, batch: usize, stream: &mut Stream) -> Result<Prompts, Error> {
        const OP: &str = "Prompts::draw";
        positive(OP, "the number of examples (n)", n)?;
        positive(OP, "the batch size (B)", batch)?;
        let d = law.dim();
        let mut prompts = Prompts {
            x: Array3::zeros((batch, n, d)),
            y: Array2::zeros((batch, n)),
            query: Array2::zeros((batch, d)),
            truth: Array2::zeros((batch, d)),
        };
        let mut noise = Array1::zeros(d);
        let mut normal = |mean: &Array1<f64>, factor: &Array2<f64>, mut out: ndarray::ArrayViewMut1<f64>| {
            noise.mapv_inplace(|_: f64| stream.normal());
            out.assign(mean);
            for (i, out) in out.iter_mut().enumerate() {
                // The factor is lower triangular.
                *out += factor.slice(s![i, ..=i]).dot(&noise.slice(s![..=i]));
            }
        };
        for b in 0..batch {
            if b % LOOK == 0 {
                work::check(OP, b, batch)?;
            }
            normal(law.truth_mean(), law.truth_factor(), prompts.truth.row_mut(b));
            for i in 0..n {
                normal(law.mean(), law.factor(), prompts.x.slice_mut(s![b, i, ..]));
            }
            normal(law.mean(), law.factor(), prompts.query.row_mut(b));
            let y = prompts.x.index_axis(Axis(0), b).dot(&prompts.truth.row(b));
            prompts.y.row_mut(b).assign(&y);
        }
        Ok(prompts)
    }

    /// Prompts given as arrays; the responses follow from covariates and truths.
    ///
    /// **Shapes**: `x` is `(B, n, d)`, `query` and `truth` are `(B, d)`.
    /// **Errors**: a zero size, shapes that do not agree, entries that are not finite.
    pub fn from_parts(x: Array3<f64>, query: Array2<f64>, truth: Array2<f64>) -> Result<Prompts, Error> {
        const OP: &str = "Prompts::from_parts";
        let (batch, n, d) = x.dim();
        positive(OP, "the batch size (B)", batch)?;
        positive(OP, "the number of examples (n)", n)?;
        positive(OP, "d", d)?;
        same_shape(OP, "query", query.shape(), &[batch, d])?;
        same_shape(OP, "truth", truth.shape(), &[batch, d])?;
        finite(OP, "x", &x)?;
        finite(OP, "query", &query)?;
        finite(OP, "truth", &truth)?;
        let mut y = Array2::zeros((batch, n));
        for b in 0..batch {
            y.row_mut(b).assign(&x.index_axis(Axis(0), b).dot(&truth.row(b)));
        }
        Ok(Prompts { x, y, query, truth })
    }

    /// Batch size B.
    pub fn batch(&self) -> usize {
        self.x.dim().0
    }

    /// Examples per prompt, n.
    pub fn examples(&self) -> usize {
        self.x.dim().1
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.x.dim().2
    }

    /// Covariates, `(B, n, d)`.
    pub fn x(&self) -> &Array3<f64> {
        &self.x
    }

    /// Responses, `(B, n)`.
    pub fn y(&self) -> &Array2<f64> {
        &self.y
    }

    /// Queries x(n+1), `(B, d)`.
    pub fn query(&self) -> &Array2<f64> {
        &self.query
    }

    /// Truths $w^\ast$, `(B, d)`.
    pub fn truth(&self) -> &Array2<f64> {
        &self.truth
    }

    /// Answers $\langle w^\ast,x^{(n+1)}\rangle$, `(B)`: what a model is asked for.
    pub fn answers(&self) -> Array1<f64> {
        (&self.query * &self.truth).sum_axis(Axis(1))
    }

    /// Covariates of prompt `b`, `(n, d)`.
    ///
    /// **Errors**: no such prompt.
    pub fn covariates(&self, b: usize) -> Result<ArrayView2<'_, f64>, Error> {
        self.index("Prompts::covariates", b)?;
        Ok(self.x.index_axis(Axis(0), b))
    }

    /// Query of prompt `b`, `(d)`.
    ///
    /// **Errors**: no such prompt.
    pub fn query_of(&self, b: usize) -> Result<ArrayView1<'_, f64>, Error> {
        self.index("Prompts::query_of", b)?;
        Ok(self.query.row(b))
    }

    /// The input matrix $Z_0$ of prompt `b`, `(d + 1, n + 1)`: tokens are columns, the unknown response is zero.
    ///
    /// **Source**: Eq. 2.1. **Errors**: no such prompt.
    pub fn tokens(&self, b: usize) -> Result<Array2<f64>, Error> {
        self.index("Prompts::tokens", b)?;
        let (_, n, d) = self.x.dim();
        let mut z = Array2::zeros((d + 1, n + 1));
        z.slice_mut(s![..d, ..n]).assign(&self.x.index_axis(Axis(0), b).t());
        z.slice_mut(s![d, ..n]).assign(&self.y.row(b));
        z.slice_mut(s![..d, n]).assign(&self.query.row(b));
        Ok(z)
    }

    /// The part of the batch that models of Eq. 2.8 depend on.
    ///
    /// **Errors**: a stop request. Cost: B n d^2.
    pub fn statistics(&self) -> Result<Statistics, Error> {
        Statistics::of(self)
    }

    fn index(&self, op: &'static str, index: usize) -> Result<(), Error> {
        position(op, "prompt", index, self.batch())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use workbench_ground::stats::Streams;

    #[test]
    fn tokens_hold_the_prompt_and_a_zero() {
        let x = array![[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]];
        let prompts = Prompts::from_parts(x, array![[7.0, 8.0]], array![[1.0, -1.0]]).unwrap();
        let z = prompts.tokens(0).unwrap();
        assert_eq!(z, array![[1.0, 3.0, 5.0, 7.0], [2.0, 4.0, 6.0, 8.0], [-1.0, -1.0, -1.0, 0.0]]);
        assert_eq!(prompts.answers(), array![-1.0]);
    }

    #[test]
    fn draws_have_the_law_that_was_asked_for() {
        let covariance = array![[2.0, 0.6], [0.6, 0.5]];
        let law = TaskLaw::new(covariance.clone()).unwrap();
        let law = law.with_means(array![1.0, -2.0], array![0.5, 0.0]).unwrap();
        let (n, batch) = (10, 4000);
        let prompts = Prompts::draw(&law, n, batch, &mut Streams::new(3).stream("p").unwrap()).unwrap();
        let rows = prompts.x().to_shape((n * batch, 2)).unwrap().to_owned();
        let mean = rows.mean_axis(Axis(0)).unwrap();
        // Five standard errors of means and second moments.
        let count = (n * batch) as f64;
        for i in 0..2 {
            assert!((mean[i] - law.mean()[i]).abs() < 5.0 * (covariance[[i, i]] / count).sqrt());
        }
        let centred = &rows - law.mean();
        let second = centred.t().dot(&centred) / count;
        for ((i, j), v) in second.indexed_iter() {
            let spread = (covariance[[i, i]] * covariance[[j, j]] + covariance[[i, j]].powi(2)) / count;
            assert!((v - covariance[[i, j]]).abs() < 5.0 * spread.sqrt());
        }
        let truth = prompts.truth().mean_axis(Axis(0)).unwrap();
        assert!((truth[0] - 0.5).abs() < 5.0 * (law.truth_covariance()[[0, 0]] / batch as f64).sqrt());
    }

    #[test]
    fn bad_shapes_and_numbers_are_named() {
        let law = TaskLaw::isotropic(2).unwrap();
        let mut stream = Streams::new(1).stream("p").unwrap();
        assert!(Prompts::draw(&law, 0, 1, &mut stream).unwrap_err().to_string().contains("(n)"));
        assert!(Prompts::draw(&law, 1, 0, &mut stream).unwrap_err().to_string().contains("(B)"));
        let x = Array3::zeros((2, 3, 4));
        let say = |q: Array2<f64>, w: Array2<f64>| Prompts::from_parts(x.clone(), q, w).unwrap_err().to_string();
        assert!(
            say(Array2::zeros((2, 3)), Array2::zeros((2, 4)))
                .contains("(2, 3) does not match the shape needed = (2, 4)")
        );
        assert!(say(Array2::zeros((2, 4)), Array2::from_elem((2, 4), f64::NAN)).contains("NaN"));
        let prompts = Prompts::draw(&law, 2, 3, &mut stream).unwrap();
        assert!(prompts.tokens(3).unwrap_err().to_string().contains("there are 3"));
    }

    #[test]
    fn drawing_stops() {
        let law = TaskLaw::isotropic(2).unwrap();
        let error = workbench_ground::rehearsal::stop_after(3, || {
            Prompts::draw(&law, 1, 5000, &mut Streams::new(1).stream("p").unwrap())
        });
        assert!(matches!(error, Err(Error::Stopped(s)) if s.done == 3 * LOOK));
    }
}
