//! One prompt in any arithmetic.

use ndarray::{Array1, Array2, Axis, concatenate, s};
use ndarray_linalg::c64;

use crate::arithmetic::algebra::inner;
use crate::arithmetic::number::{Fraction, Number, fraction_matrix, fraction_vector};
use crate::methods::quadratic::Quadratic;
use crate::{Error, Prompts};
use workbench_ground::check::{positive, same_shape};
use workbench_ground::stats::Stream;

/// One prompt: the input matrix $Z_0$ and the vector $w^\ast$ behind its labels.
///
/// **Source**: Eq. 2.1. **Shapes**: tokens (d + 1, n + 1), one token in each column; target (d).
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Fraction, Instance};
/// let prompt = Instance::draw(&mut Streams::new(1).stream("prompt")?, 2, 3)?;
/// assert_eq!(prompt.tokens.dim(), (3, 4));
/// assert_eq!(prompt.quadratic().minimiser()?, prompt.target);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Instance<T> {
    /// $Z_0$.
    pub tokens: Array2<T>,
    /// $w^\ast$.
    pub target: Array1<T>,
}

impl<T: Number> Instance<T> {
    /// The prompt with the covariates `x` (examples and, last, the query) and labels $\langle x^{(i)},w^\ast\rangle$; the query's label
    /// is 0.
    ///
    /// **Shapes**: `x` (d, n + 1), `target` (d). **Errors**: d = 0, n = 0, lengths.
    pub fn new(x: Array2<T>, target: Array1<T>) -> Result<Instance<T>, Error> {
        const OP: &str = "Instance::new";
        positive(OP, "d", x.nrows())?;
        positive(OP, "the number of examples (n)", x.ncols().saturating_sub(1))?;
        same_shape(OP, "w*", target.shape(), &[x.nrows()])?;
        let n = x.ncols() - 1;
        let labels =
            Array2::from_shape_fn(
                (1, n + 1),
                |(_, i)| {
                    if i < n { inner(&x.column(i).to_owned(), &target) } else { T::zero() }
                },
            );
        // The row has as many columns as x.
        let tokens = concatenate(Axis(0), &[x.view(), labels.view()]).map_err(|_| Error::zero(OP, "n"))?;
        Ok(Instance { tokens, target })
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.target.len()
    }

    /// Number of examples n.
    pub fn examples(&self) -> usize {
        self.tokens.ncols() - 1
    }

    /// Covariates of the examples, (d, n).
    pub fn covariates(&self) -> Array2<T> {
        self.tokens.slice(s![..self.dim(), ..self.examples()]).to_owned()
    }

    /// Labels of the examples, (n).
    pub fn labels(&self) -> Array1<T> {
        self.tokens.slice(s![self.dim(), ..self.examples()]).to_owned()
    }

    /// The query, (d).
    pub fn query(&self) -> Array1<T> {
        self.tokens.slice(s![..self.dim(), self.examples()]).to_owned()
    }

    /// The in-context loss R of Eq. 2.11.
    pub fn quadratic(&self) -> Quadratic<T> {
        // An instance has d, n >= 1 and labels of the same n.
        let built = Quadratic::of_prompt(&self.covariates(), &self.labels());
        built.unwrap_or_else(|_| unreachable!("sizes were checked when the instance was made"))
    }

    /// The same prompt with another last token: covariates `x`, label `y`.
    ///
    /// **Errors**: a query of another dimension.
    pub fn with_query(&self, x: &Array1<T>, y: &T) -> Result<Instance<T>, Error> {
        same_shape("Instance::with_query", "the query", x.shape(), &[self.dim()])?;
        let mut tokens = self.tokens.clone();
        let last = self.examples();
        for i in 0..self.dim() {
            tokens[[i, last]] = x[i].clone();
        }
        tokens[[self.dim(), last]] = y.clone();
        let target = self.target.clone();
        Ok(Instance { tokens, target })
    }
}

impl Instance<Fraction> {
    /// A prompt of small random fractions.
    ///
    /// **Errors**: d = 0, n = 0.
    pub fn draw(stream: &mut Stream, d: usize, n: usize) -> Result<Instance<Fraction>, Error> {
        Instance::new(fraction_matrix(stream, d, n + 1), fraction_vector(stream, d))
    }
}

impl Instance<f64> {
    /// Prompt `b` of a batch.
    ///
    /// **Errors**: no such prompt.
    pub fn of_prompts(prompts: &Prompts, b: usize) -> Result<Instance<f64>, Error> {
        Ok(Instance { tokens: prompts.tokens(b)?, target: prompts.truth().row(b).to_owned() })
    }

    /// The same numbers, as complex ones.
    pub fn complex(&self) -> Instance<c64> {
        Instance { tokens: self.tokens.mapv(|v| c64::new(v, 0.0)), target: self.target.mapv(|v| c64::new(v, 0.0)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaskLaw;
    use workbench_ground::stats::Streams;

    #[test]
    fn a_prompt_of_a_batch_is_the_same_prompt() {
        let mut stream = Streams::new(1).stream("p").unwrap();
        let prompts = Prompts::draw(&TaskLaw::isotropic(3).unwrap(), 4, 2, &mut stream).unwrap();
        let one = Instance::of_prompts(&prompts, 1).unwrap();
        let again = Instance::new(one.tokens.slice(s![..3, ..]).to_owned(), one.target.clone()).unwrap();
        assert!((&again.tokens - &one.tokens).iter().all(|v| v.abs() < 1e-14));
        assert_eq!((one.dim(), one.examples()), (3, 4));
        assert_eq!(one.query(), prompts.query_of(1).unwrap());
        assert!(
            (one.quadratic().hessian - prompts.statistics().unwrap().gram().index_axis(Axis(0), 1))
                .iter()
                .all(|v| v.abs() < 1e-14)
        );
        assert_eq!(one.complex().tokens[[0, 0]].re, one.tokens[[0, 0]]);
    }

    #[test]
    fn queries_are_exchanged_and_bad_sizes_refused() {
        let mut stream = Streams::new(1).stream("p").unwrap();
        let prompt = Instance::draw(&mut stream, 2, 3).unwrap();
        let (x, y) = (fraction_vector(&mut stream, 2), Fraction::whole(5));
        let other = prompt.with_query(&x, &y).unwrap();
        assert_eq!(other.query(), x);
        assert_eq!(other.tokens[[2, 3]], y);
        assert_eq!(other.covariates(), prompt.covariates());
        assert!(prompt.with_query(&fraction_vector(&mut stream, 3), &y).is_err());
        assert!(Instance::draw(&mut stream, 0, 3).is_err() && Instance::draw(&mut stream, 2, 0).is_err());
    }
}
