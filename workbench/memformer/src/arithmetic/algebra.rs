//! Matrices in any arithmetic: the few operations that the paper's equations use, written out.

use ndarray::{Array1, Array2};

use super::number::{Number, entry_by_entry};
use crate::Error;
use workbench_ground::check::{same_shape, within};

/// The product of two matrices, entry by entry.
///
/// **Source**: textbook; the products of Eqs. 2.4 and A.2 to A.9 in any arithmetic.
/// **Shapes**: `a` (m, k), `b` (k, n), result (m, n).
///
/// **Errors**: inner sizes that differ. Cost m k n multiplications.
///
/// ```
/// use workbench_memformer::product;
/// use ndarray::array;
/// assert_eq!(product(&array![[1.0, 2.0]], &array![[3.0], [4.0]])?, array![[11.0]]);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn product<T: Number>(a: &Array2<T>, b: &Array2<T>) -> Result<Array2<T>, Error> {
    same_shape("product", "the right factor", b.shape(), &[a.ncols(), b.ncols()])?;
    Ok(times(a, b))
}

/// `a v`.
///
/// **Source**: textbook; as in Eq. 2.11.
/// **Shapes**: `a` (m, k), `v` (k). **Errors**: sizes that differ.
pub fn matrix_vector<T: Number>(a: &Array2<T>, v: &Array1<T>) -> Result<Array1<T>, Error> {
    same_shape("matrix_vector", "the vector", v.shape(), &[a.ncols()])?;
    Ok(apply(a, v))
}

/// `<u, v>`.
///
/// **Source**: textbook; as in Eq. 2.6.
/// **Errors**: lengths that differ.
pub fn inner_product<T: Number>(u: &Array1<T>, v: &Array1<T>) -> Result<T, Error> {
    same_shape("inner_product", "the second vector", v.shape(), u.shape())?;
    Ok(inner(u, v))
}

/// [`product`] of factors known to fit.
pub(crate) fn times<T: Number>(a: &Array2<T>, b: &Array2<T>) -> Array2<T> {
    entry_by_entry(&a.view(), &b.view())
}

/// `a v`, of sizes known to fit.
pub(crate) fn apply<T: Number>(a: &Array2<T>, v: &Array1<T>) -> Array1<T> {
    a.rows().into_iter().map(|row| sum_of_products(row.iter(), v.iter())).collect()
}

/// `<u, v>`, of lengths known to fit.
pub(crate) fn inner<T: Number>(u: &Array1<T>, v: &Array1<T>) -> T {
    sum_of_products(u.iter(), v.iter())
}

fn sum_of_products<'a, T: Number>(u: impl Iterator<Item = &'a T>, v: impl Iterator<Item = &'a T>) -> T {
    u.zip(v).fold(T::zero(), |sum, (x, y)| sum.plus(&x.times(y)))
}

/// `u + c v`, of lengths known to fit.
pub(crate) fn step<T: Number>(u: &Array1<T>, c: &T, v: &Array1<T>) -> Array1<T> {
    u.iter().zip(v).map(|(u, v)| u.plus(&c.times(v))).collect()
}

/// `a + c b`, of shapes known to fit.
pub(crate) fn step_matrix<T: Number>(a: &Array2<T>, c: &T, b: &Array2<T>) -> Array2<T> {
    Array2::from_shape_fn(a.dim(), |at| a[at].plus(&c.times(&b[at])))
}

/// `c a`.
pub(crate) fn scaled<T: Number>(c: &T, a: &Array2<T>) -> Array2<T> {
    a.mapv(|x| c.times(&x))
}

/// The identity matrix in any arithmetic.
///
/// **Source**: textbook; $A_\ell=I$ of Theorem 3.1.
///
/// ```
/// use workbench_memformer::{Fraction, identity};
/// assert_eq!(identity::<f64>(2), ndarray::array![[1.0, 0.0], [0.0, 1.0]]);
/// # let _ = identity::<Fraction>(1);
/// ```
pub fn identity<T: Number>(d: usize) -> Array2<T> {
    Array2::from_shape_fn((d, d), |(i, j)| if i == j { T::one() } else { T::zero() })
}

/// The reciprocal of a size; sizes are checked to be positive where they enter.
pub(crate) fn reciprocal<T: Number>(n: usize) -> T {
    T::one().over(&T::whole(n as i64)).unwrap_or_else(T::zero)
}

/// The largest absolute difference of two matrices of one shape, as a float; infinite if the shapes differ or an entry is NaN.
///
/// With fractions the result is 0 if and only if the matrices are equal.
///
/// **Source**: ours.
pub fn largest_difference<T: Number>(a: &Array2<T>, b: &Array2<T>) -> f64 {
    if a.dim() != b.dim() {
        return f64::INFINITY;
    }
    worst(a.iter().zip(b).map(|(x, y)| gap(x, y)))
}

/// [`largest_difference`] of two vectors.
///
/// **Source**: ours.
pub fn largest_gap<T: Number>(a: &Array1<T>, b: &Array1<T>) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    worst(a.iter().zip(b).map(|(x, y)| gap(x, y)))
}

/// A difference too small for a float still is one.
fn gap<T: Number>(x: &T, y: &T) -> f64 {
    let gap = x.minus(y).magnitude();
    if gap == 0.0 && x != y { f64::MIN_POSITIVE } else { gap }
}

fn worst(gaps: impl Iterator<Item = f64>) -> f64 {
    gaps.fold(0.0, |worst: f64, gap| if gap.is_nan() { f64::INFINITY } else { worst.max(gap) })
}

/// The solution of $ax=b$ by elimination with row exchanges, exact for fractions.
///
/// **Source**: textbook (Gaussian elimination); $w^\ast$ of Eq. 2.11.
/// **Shapes**: `a` (d, d), `b` (d).
///
/// **Errors**: shapes; a singular matrix. Cost d^3/3 multiplications.
pub fn solve<T: Number>(a: &Array2<T>, b: &Array1<T>) -> Result<Array1<T>, Error> {
    const OP: &str = "solve";
    let d = a.nrows();
    same_shape(OP, "the matrix", a.shape(), &[d, d])?;
    same_shape(OP, "the right side", b.shape(), &[d])?;
    let joined = Array2::from_shape_fn((d, d + 1), |(i, j)| if j < d { a[[i, j]].clone() } else { b[i].clone() });
    let (reduced, pivots) = eliminate(joined, d);
    let allowed = "a matrix of full rank";
    let inside = pivots.len() >= d;
    within(OP, "the rank of the matrix", pivots.len() as f64, inside, allowed)?;
    Ok(Array1::from_shape_fn(d, |i| reduced[[i, d]].clone()))
}

/// The rank: exact for fractions; for floats pivots below 1e-10 of the largest entry count as zero.
///
/// **Source**: textbook; Appendix C speaks of the rank of $XX^\top$.
pub fn rank<T: Number>(a: &Array2<T>) -> usize {
    eliminate(a.clone(), a.ncols()).1.len()
}

/// Reduced row echelon form over the first `columns` columns, and the pivot columns.
fn eliminate<T: Number>(mut a: Array2<T>, columns: usize) -> (Array2<T>, Vec<usize>) {
    /// Floats: what is left of a dependent row after elimination is rounding.
    const ROUNDING: f64 = 1e-10;
    let floor = ROUNDING * a.iter().map(Number::magnitude).fold(0.0, f64::max);
    let (mut pivots, mut row) = (Vec::new(), 0);
    for column in 0..columns {
        let Some(best) =
            (row..a.nrows()).max_by(|i, j| a[[*i, column]].magnitude().total_cmp(&a[[*j, column]].magnitude()))
        else {
            break;
        };
        let pivot = a[[best, column]].clone();
        // A fraction is zero or is not; `vanishes_beside` of a float only catches rounding, so floats need the floor too.
        let exact = std::any::TypeId::of::<T>() == std::any::TypeId::of::<super::number::Fraction>();
        if pivot == T::zero() || (!exact && pivot.magnitude() <= floor) {
            continue;
        }
        for j in 0..a.ncols() {
            a.swap([row, j], [best, j]);
        }
        let top: Vec<T> = (0..a.ncols())
            // The pivot is not zero, so the quotient exists.
            .map(|j| a[[row, j]].over(&pivot).unwrap_or_else(T::zero))
            .collect();
        for i in 0..a.nrows() {
            let factor = a[[i, column]].clone();
            for j in 0..a.ncols() {
                a[[i, j]] = if i == row { top[j].clone() } else { a[[i, j]].minus(&factor.times(&top[j])) };
            }
        }
        pivots.push(column);
        row += 1;
    }
    (a, pivots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::number::{Fraction, fraction_matrix, fraction_vector};
    use ndarray::array;
    use workbench_ground::stats::Streams;

    #[test]
    fn solving_and_rank_are_exact() {
        let mut stream = Streams::new(1).stream("solve").unwrap();
        let a = fraction_matrix(&mut stream, 5, 5);
        let b = fraction_vector(&mut stream, 5);
        let x = solve(&a, &b).unwrap();
        assert_eq!(apply(&a, &x), b);
        assert_eq!(rank(&a), 5);
        let thin = fraction_matrix(&mut stream, 5, 2);
        assert_eq!(rank(&times(&thin, &fraction_matrix(&mut stream, 2, 5))), 2);
        let refused = solve(&times(&thin, &thin.t().to_owned()), &b).unwrap_err();
        assert!(refused.to_string().contains("rank of the matrix = 2"), "{refused}");
        assert_eq!(rank(&Array2::<f64>::zeros((3, 3))), 0);
    }

    #[test]
    fn floats_by_hand() {
        let a = array![[0.0, 2.0], [1.0, 1.0]];
        assert_eq!(solve(&a, &array![4.0, 3.0]).unwrap(), array![1.0, 2.0]);
        assert_eq!(product(&a, &identity(2)).unwrap(), a);
        assert!(product(&a, &array![[1.0]]).is_err() && solve(&a, &array![1.0]).is_err());
        assert_eq!(rank(&array![[1.0, 1.0], [1.0, 1.0 + 1e-14]]), 1);
        assert_eq!(inner(&array![1.0, 2.0], &array![3.0, 4.0]), 11.0);
    }

    #[test]
    fn differences_are_never_hidden() {
        let one = array![[Fraction::one()]];
        let tiny = (0..200).fold(Fraction::one(), |x, _| x.over(&Fraction::whole(100_000)).unwrap());
        let near = one.mapv(|x| x.plus(&tiny));
        assert!(largest_difference(&one, &near) > 0.0);
        assert_eq!(largest_difference(&one, &one), 0.0);
        assert_eq!(largest_difference(&array![[f64::NAN]], &array![[0.0]]), f64::INFINITY);
        assert_eq!(largest_gap(&array![1.0], &array![1.0, 2.0]), f64::INFINITY);
    }
}
