//! The class of linear first-order methods: a triangular array of coefficients, and its executor.

use ndarray::{Array1, Array2};

use super::objective::Objective;
use crate::Error;
use crate::arithmetic::algebra::{apply, scaled, step_matrix};
use crate::arithmetic::number::Number;
use workbench_ground::check::{positive, same_shape};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// A coefficient $\Gamma_i^k$ of Eq. 1.1: what one past gradient is multiplied with.
#[derive(Clone, Debug, PartialEq)]
pub enum Weight<T> {
    /// A multiple of the identity.
    Scalar(T),
    /// A diagonal matrix, (d): the case that the document allows.
    Diagonal(Array1<T>),
    /// A full matrix, (d, d): beyond Eq. 1.1, as with preconditioners $A_\ell$.
    Full(Array2<T>),
}

impl<T: Number> Weight<T> {
    /// The weight times a gradient.
    pub fn times(&self, gradient: &Array1<T>) -> Array1<T> {
        match self {
            Weight::Scalar(c) => gradient.mapv(|g| c.times(&g)),
            Weight::Diagonal(c) => Array1::from_shape_fn(c.len(), |i| c[i].times(&gradient[i])),
            Weight::Full(c) => apply(c, gradient),
        }
    }

    /// The weight as a (d, d) matrix.
    pub fn matrix(&self, d: usize) -> Array2<T> {
        Array2::from_shape_fn((d, d), |(i, j)| match self {
            Weight::Scalar(c) if i == j => c.clone(),
            Weight::Diagonal(c) if i == j => c[i].clone(),
            Weight::Full(c) => c[[i, j]].clone(),
            _ => T::zero(),
        })
    }

    /// Numbers that have to be stored: 1, d or d^2.
    pub fn numbers(&self) -> usize {
        match self {
            Weight::Scalar(_) => 1,
            Weight::Diagonal(c) => c.len(),
            Weight::Full(c) => c.len(),
        }
    }

    /// `self + c other`, in the larger of the two kinds.
    fn plus(&self, c: &T, other: &Weight<T>) -> Weight<T> {
        match (self, other) {
            (Weight::Scalar(a), Weight::Scalar(b)) => Weight::Scalar(a.plus(&c.times(b))),
            (Weight::Diagonal(a), Weight::Diagonal(b)) => {
                Weight::Diagonal(Array1::from_shape_fn(a.len(), |i| a[i].plus(&c.times(&b[i]))))
            }
            (Weight::Diagonal(a), Weight::Scalar(b)) => Weight::Diagonal(a.mapv(|x| x.plus(&c.times(b)))),
            (Weight::Scalar(a), Weight::Diagonal(b)) => Weight::Diagonal(b.mapv(|x| a.plus(&c.times(&x)))),
            (Weight::Full(a), b) => Weight::Full(step_matrix(a, c, &b.matrix(a.nrows()))),
            (a, Weight::Full(b)) => Weight::Full(step_matrix(&a.matrix(b.nrows()), c, b)),
        }
    }
}

/// A linear first-order method.
///
/// $$ w^{k+1}=w^0+\sum_{i\le k}\Gamma_i^k\,\nabla f(w^i) $$
///
/// **Source**: Eq. 1.1; the sum counts from the start, so row k holds k + 1 weights. Increments, which is what a layer adds, are
/// $\Gamma_i^k-\Gamma_i^{k-1}$ ([`Lfom::increments`]).
///
/// ```
/// use workbench_memformer::{Lfom, Quadratic};
/// use ndarray::array;
/// let f = Quadratic::around(array![[2.0]], &array![1.0])?;
/// let descent = Lfom::scalars(vec![vec![-0.25], vec![-0.25, -0.25]])?; // two steps of gradient descent
/// let run = descent.run(&f, &array![0.0])?;
/// assert_eq!(run.iterates[2], array![0.75]);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "linear first-order method")]
pub struct Lfom<T> {
    rows: Vec<Vec<Weight<T>>>,
}

/// What a method did.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory<T> {
    /// $w^0$ to $w^K$, each (d).
    pub iterates: Vec<Array1<T>>,
    /// The gradients it was given, K of them, each (d).
    pub gradients: Vec<Array1<T>>,
}

/// One row for each step: the norms of the gradient and of the change of the iterate.
impl Tabulated for Trajectory<f64> {
    fn columns(&self) -> Result<Columns, Error> {
        let steps = self.gradients.iter().zip(self.iterates.windows(2));
        let norms = steps.map(|(gradient, pair)| {
            let change = pair[0].iter().zip(&pair[1]).map(|(a, b)| (b - a) * (b - a));
            (gradient.dot(gradient).sqrt(), change.sum::<f64>().sqrt())
        });
        let (gradients, changes): (Vec<f64>, Vec<f64>) = norms.unzip();
        Ok(Columns::new("Norms at each step")
            .x("step", (0..gradients.len()).collect::<Vec<usize>>())
            .with("gradient", gradients)
            .with("change", changes)
            .log_y())
    }
}

impl<T: Number> Lfom<T> {
    /// The method with the weights `rows[k][i]`, $i\le k$.
    ///
    /// **Errors**: no row, row k without k + 1 weights, weights of several dimensions.
    pub fn new(rows: Vec<Vec<Weight<T>>>) -> Result<Lfom<T>, Error> {
        const OP: &str = "Lfom::new";
        positive(OP, "the number of steps", rows.len())?;
        let mut dim = None;
        for (k, row) in rows.iter().enumerate() {
            same_shape(OP, "a row of weights", &[row.len()], &[k + 1])?;
            for weight in row {
                let size = match weight {
                    Weight::Scalar(_) => continue,
                    Weight::Diagonal(c) => [c.len(), c.len()],
                    Weight::Full(c) => [c.nrows(), c.ncols()],
                };
                let d = *dim.get_or_insert(size[0]);
                same_shape(OP, "a weight", &size, &[d, d])?;
            }
        }
        Ok(Lfom { rows })
    }

    /// The method with scalar weights.
    ///
    /// **Errors**: as [`Lfom::new`].
    pub fn scalars(rows: Vec<Vec<T>>) -> Result<Lfom<T>, Error> {
        Lfom::new(rows.into_iter().map(|row| row.into_iter().map(Weight::Scalar).collect()).collect())
    }

    /// The method with diagonal weights.
    ///
    /// **Errors**: as [`Lfom::new`].
    pub fn diagonals(rows: Vec<Vec<Array1<T>>>) -> Result<Lfom<T>, Error> {
        Lfom::new(rows.into_iter().map(|row| row.into_iter().map(Weight::Diagonal).collect()).collect())
    }

    /// The method whose step k adds $\sum_i\mathrm{steps}_{ki}\nabla f(w^i)$: running sums give the weights of Eq. 1.1.
    ///
    /// **Errors**: as [`Lfom::new`].
    pub fn from_increments(steps: Vec<Vec<Weight<T>>>) -> Result<Lfom<T>, Error> {
        Lfom::new(steps.clone())?;
        let mut rows: Vec<Vec<Weight<T>>> = Vec::new();
        for step in steps {
            let row = step
                .iter()
                .enumerate()
                .map(|(i, weight)| match rows.last().and_then(|before| before.get(i)) {
                    Some(before) => before.plus(&T::one(), weight),
                    None => weight.clone(),
                })
                .collect();
            rows.push(row);
        }
        Lfom::new(rows)
    }

    /// What step k adds: $\Gamma_i^k-\Gamma_i^{k-1}$, with $\Gamma_k^{k-1}=0$.
    pub fn increments(&self) -> Vec<Vec<Weight<T>>> {
        let minus = T::whole(-1);
        self.rows
            .iter()
            .enumerate()
            .map(|(k, row)| {
                row.iter()
                    .enumerate()
                    .map(|(i, weight)| if i < k { weight.plus(&minus, &self.rows[k - 1][i]) } else { weight.clone() })
                    .collect()
            })
            .collect()
    }

    /// The weights, row k with k + 1 of them.
    pub fn rows(&self) -> &[Vec<Weight<T>>] {
        &self.rows
    }

    /// Number of steps K.
    pub fn steps(&self) -> usize {
        self.rows.len()
    }

    /// Runs the method from `start`.
    ///
    /// **Errors**: a start or weights of another dimension than the function. Cost O(K^2 d) for scalar and diagonal weights, and K
    /// gradients.
    pub fn run(&self, f: &impl Objective<T>, start: &Array1<T>) -> Result<Trajectory<T>, Error> {
        const OP: &str = "Lfom::run";
        let d = f.dim();
        same_shape(OP, "the start", start.shape(), &[d])?;
        for weight in self.rows.iter().flatten() {
            match weight {
                Weight::Scalar(_) => {}
                Weight::Diagonal(c) => same_shape(OP, "a weight", c.shape(), &[d])?,
                Weight::Full(c) => same_shape(OP, "a weight", c.shape(), &[d, d])?,
            }
        }
        let mut run = Trajectory { iterates: vec![start.clone()], gradients: Vec::new() };
        for (k, row) in self.rows.iter().enumerate() {
            work::check(OP, k, self.rows.len())?;
            run.gradients.push(f.gradient(k, &run.iterates[k]));
            let next = row.iter().zip(&run.gradients).fold(start.clone(), |w, (weight, gradient)| {
                let part = weight.times(gradient);
                Array1::from_shape_fn(d, |i| w[i].plus(&part[i]))
            });
            run.iterates.push(next);
        }
        Ok(run)
    }

    /// The array with every weight multiplied by `c`.
    pub fn scaled(&self, c: &T) -> Lfom<T> {
        let by = |weight: &Weight<T>| match weight {
            Weight::Scalar(x) => Weight::Scalar(c.times(x)),
            Weight::Diagonal(x) => Weight::Diagonal(x.mapv(|v| c.times(&v))),
            Weight::Full(x) => Weight::Full(scaled(c, x)),
        };
        Lfom { rows: self.rows.iter().map(|row| row.iter().map(by).collect()).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::number::{Fraction, fraction_matrix, fraction_vector};
    use crate::methods::quadratic::Quadratic;
    use ndarray::array;
    use workbench_ground::stats::{Stream, Streams};

    fn setup() -> (Quadratic<Fraction>, Stream) {
        let mut stream = Streams::new(4).stream("lfom").unwrap();
        let x = fraction_matrix(&mut stream, 3, 5);
        let y = fraction_vector(&mut stream, 5);
        (Quadratic::of_prompt(&x, &y).unwrap(), stream)
    }

    #[test]
    fn zero_weights_stand_still_and_equal_ones_descend() {
        let (f, mut stream) = setup();
        let start = fraction_vector(&mut stream, 3);
        let constant = |c: Fraction| Lfom::scalars((0..4).map(|k| vec![c.clone(); k + 1]).collect()).unwrap();
        let still = constant(Fraction::zero()).run(&f, &start).unwrap();
        assert!(still.iterates.iter().all(|w| *w == start));
        let rate = Fraction::one().over(&Fraction::whole(7)).unwrap();
        let run = constant(rate.negated()).run(&f, &start).unwrap();
        let mut w = start;
        for iterate in &run.iterates {
            assert_eq!(*iterate, w);
            let g = f.gradient(&w);
            w = Array1::from_shape_fn(3, |i| w[i].minus(&rate.times(&g[i])));
        }
        let f = Quadratic::around(array![[2.0]], &array![1.0]).unwrap();
        let descent = Lfom::scalars(vec![vec![-0.25], vec![-0.25, -0.25]]).unwrap();
        let shown = descent.run(&f, &array![0.0]).unwrap().columns().unwrap();
        assert_eq!(shown.list[1].1, [2.0, 1.0].into());
        assert_eq!(shown.list[2].1, [0.5, 0.25].into());
    }

    #[test]
    fn increments_and_sums_are_inverse_for_every_kind() {
        let (f, mut stream) = setup();
        let mut draw = |kind: usize| match kind {
            0 => Weight::Scalar(Fraction::draw(&mut stream)),
            1 => Weight::Diagonal(fraction_vector(&mut stream, 3)),
            _ => Weight::Full(fraction_matrix(&mut stream, 3, 3)),
        };
        for kind in 0..4 {
            // Kind 3 mixes them.
            let rows =
                (0..4).map(|k| (0..=k).map(|i| draw(if kind == 3 { (i + k) % 3 } else { kind })).collect()).collect();
            let method = Lfom::new(rows).unwrap();
            let again = Lfom::from_increments(method.increments()).unwrap();
            let start = f.origin();
            assert_eq!(method.run(&f, &start).unwrap(), again.run(&f, &start).unwrap());
            assert!(kind == 3 || method == again);
        }
    }

    #[test]
    fn kinds_agree_where_they_overlap() {
        let (f, mut stream) = setup();
        let rows: Vec<Vec<Fraction>> = (0..3).map(|k| (0..=k).map(|_| Fraction::draw(&mut stream)).collect()).collect();
        let as_kind = |kind: &dyn Fn(&Fraction) -> Weight<Fraction>| {
            Lfom::new(rows.iter().map(|row| row.iter().map(kind).collect()).collect()).unwrap()
        };
        let scalar = as_kind(&|c| Weight::Scalar(c.clone()));
        let diagonal = as_kind(&|c| Weight::Diagonal(Array1::from_elem(3, c.clone())));
        let full = as_kind(&|c| Weight::Full(Weight::Scalar(c.clone()).matrix(3)));
        let run = scalar.run(&f, &f.origin()).unwrap();
        assert_eq!(run, diagonal.run(&f, &f.origin()).unwrap());
        assert_eq!(run, full.run(&f, &f.origin()).unwrap());
        let numbers = |m: &Lfom<Fraction>| m.rows()[0][0].numbers();
        assert_eq!([numbers(&scalar), numbers(&diagonal), numbers(&full)], [1, 3, 9]);
        let doubled = scalar.scaled(&Fraction::whole(2));
        assert_eq!(doubled.rows()[0][0], Weight::Scalar(rows[0][0].plus(&rows[0][0])));
    }

    #[test]
    fn bad_arrays_are_refused() {
        let (f, _) = setup();
        let one = || Weight::Diagonal(Array1::from_elem(2, Fraction::one()));
        assert!(Lfom::<f64>::new(vec![]).is_err());
        assert!(Lfom::<f64>::scalars(vec![vec![1.0], vec![1.0]]).is_err());
        assert!(
            Lfom::new(vec![vec![one()], vec![one(), Weight::Diagonal(Array1::from_elem(3, Fraction::one()))]]).is_err()
        );
        assert!(Lfom::new(vec![vec![one()]]).unwrap().run(&f, &f.origin()).is_err());
        assert!(
            Lfom::scalars(vec![vec![Fraction::one()]])
                .unwrap()
                .run(&f, &Array1::from_elem(2, Fraction::one()))
                .is_err()
        );
    }
}
