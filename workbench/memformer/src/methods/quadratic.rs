//! The in-context loss of one prompt as a quadratic.

use ndarray::{Array1, Array2};

use crate::arithmetic::algebra::{apply, inner, reciprocal, solve, times};
use crate::arithmetic::number::Number;
use crate::{Error, Statistics};
use workbench_ground::check::{positive, same_shape};

/// A quadratic function, as the in-context loss of a prompt is one.
///
/// $$ R(w)=\tfrac12w^\top Hw-b^\top w+c $$
///
/// With $H=\frac1nXX^\top$, $b=\frac1nXy$ and $c=\frac1{2n}\langle y,y\rangle$ this is the loss of Eq. 2.11.
///
/// **Source**: Eqs. 2.11 and A.9. **Shapes**: H (d, d) symmetric, b (d).
///
/// ```
/// use workbench_memformer::Quadratic;
/// use ndarray::array;
/// let r = Quadratic::of_prompt(&array![[1.0, 1.0], [0.0, 2.0]], &array![3.0, 1.0])?; // two examples, as columns
/// assert_eq!(r.hessian, array![[1.0, 1.0], [1.0, 2.0]]);
/// assert_eq!(r.minimiser()?, array![3.0, -1.0]);
/// assert_eq!(r.value(&array![3.0, -1.0]), 0.0);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Quadratic<T> {
    /// H, (d, d).
    pub hessian: Array2<T>,
    /// b, (d).
    pub linear: Array1<T>,
    /// c.
    pub constant: T,
}

impl<T: Number> Quadratic<T> {
    /// The quadratic with Hessian `hessian`, minimiser `target` and least value 0.
    ///
    /// **Errors**: d = 0, shapes.
    pub fn around(hessian: Array2<T>, target: &Array1<T>) -> Result<Quadratic<T>, Error> {
        const OP: &str = "Quadratic::around";
        let d = target.len();
        positive(OP, "d", d)?;
        same_shape(OP, "the Hessian", hessian.shape(), &[d, d])?;
        let linear = apply(&hessian, target);
        let constant = half(&inner(target, &linear));
        Ok(Quadratic { hessian, linear, constant })
    }

    /// Eq. 2.11 of a prompt: $H=XX^\top/n$, $b=Xy/n$, $c=\langle y,y\rangle/2n$.
    ///
    /// **Shapes**: `x` (d, n), one example in each column, as in the document; `y` (n). **Errors**: d = 0, n = 0, shapes.
    pub fn of_prompt(x: &Array2<T>, y: &Array1<T>) -> Result<Quadratic<T>, Error> {
        const OP: &str = "Quadratic::of_prompt";
        positive(OP, "d", x.nrows())?;
        positive(OP, "the number of examples (n)", x.ncols())?;
        same_shape(OP, "y", y.shape(), &[x.ncols()])?;
        let share = reciprocal::<T>(x.ncols());
        Ok(Quadratic {
            hessian: times(x, &x.t().to_owned()).mapv(|v| v.times(&share)),
            linear: apply(x, y).mapv(|v| v.times(&share)),
            constant: half(&inner(y, y).times(&share)),
        })
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.linear.len()
    }

    /// R(w).
    pub fn value(&self, w: &Array1<T>) -> T {
        let curved = inner(w, &apply(&self.hessian, w));
        half(&curved).minus(&inner(&self.linear, w)).plus(&self.constant)
    }

    /// $Hw-b$.
    pub fn gradient(&self, w: &Array1<T>) -> Array1<T> {
        let mut gradient = apply(&self.hessian, w);
        gradient.zip_mut_with(&self.linear, |hw, b| *hw = hw.minus(b));
        gradient
    }

    /// The Hessian by second differences of [`Quadratic::value`], which for a quadratic are exact:
    /// $R(e_i+e_j)-R(e_i)-R(e_j)+R(0)$.
    pub fn hessian_by_differences(&self) -> Array2<T> {
        let d = self.dim();
        let unit = |i: usize, j: usize| Array1::from_shape_fn(d, |k| T::whole(i64::from(k == i) + i64::from(k == j)));
        let zero = self.value(&Array1::from_elem(d, T::zero()));
        let alone: Vec<T> = (0..d).map(|i| self.value(&unit(i, usize::MAX))).collect();
        Array2::from_shape_fn((d, d), |(i, j)| self.value(&unit(i, j)).minus(&alone[i]).minus(&alone[j]).plus(&zero))
    }

    /// Where the gradient vanishes.
    ///
    /// **Errors**: a singular Hessian.
    pub fn minimiser(&self) -> Result<Array1<T>, Error> {
        solve(&self.hessian, &self.linear)
    }

    /// The origin, where every layer stack starts ($w_0=0$).
    pub fn origin(&self) -> Array1<T> {
        Array1::from_elem(self.dim(), T::zero())
    }
}

impl Quadratic<f64> {
    /// The losses of a batch of prompts, one quadratic for each.
    ///
    /// **Errors**: as [`Quadratic::around`].
    pub fn of_batch(statistics: &Statistics) -> Result<Vec<Quadratic<f64>>, Error> {
        let truths = statistics.truth();
        statistics
            .gram()
            .outer_iter()
            .zip(truths.outer_iter())
            .map(|(h, w)| Quadratic::around(h.to_owned(), &w.to_owned()))
            .collect()
    }
}

fn half<T: Number>(x: &T) -> T {
    x.times(&reciprocal(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::number::{Fraction, fraction_matrix, fraction_vector};
    use workbench_ground::stats::Streams;

    #[test]
    fn the_prompts_loss_is_the_mean_of_squares() {
        let mut stream = Streams::new(2).stream("quadratic").unwrap();
        let (d, n) = (3, 5);
        let x = fraction_matrix(&mut stream, d, n);
        let target = fraction_vector(&mut stream, d);
        let y = apply(&x.t().to_owned(), &target);
        let r = Quadratic::of_prompt(&x, &y).unwrap();
        let w = fraction_vector(&mut stream, d);
        let misses = apply(&x.t().to_owned(), &Array1::from_shape_fn(d, |i| w[i].minus(&target[i])));
        let printed = inner(&misses, &misses).times(&reciprocal(2 * n));
        assert_eq!(r.value(&w), printed);
        assert_eq!(r, Quadratic::around(r.hessian.clone(), &target).unwrap());
        assert_eq!(r.hessian_by_differences(), r.hessian);
        assert_eq!(r.minimiser().unwrap(), target);
        // The gradient is the slope: R(w + e) - R(w - e) = 2 <grad, e> for a quadratic, exactly.
        for i in 0..d {
            let shifted = |by: i64| {
                let mut v = w.clone();
                v[i] = v[i].plus(&Fraction::whole(by));
                r.value(&v)
            };
            let slope = shifted(1).minus(&shifted(-1)).times(&reciprocal(2));
            assert_eq!(slope, r.gradient(&w)[i]);
        }
    }

    #[test]
    fn bad_shapes() {
        let x = Array2::<f64>::ones((2, 3));
        assert!(Quadratic::of_prompt(&x, &Array1::ones(2)).is_err());
        assert!(Quadratic::of_prompt(&Array2::<f64>::ones((2, 0)), &Array1::ones(0)).is_err());
        assert!(Quadratic::around(x, &Array1::ones(2)).is_err());
    }
}
