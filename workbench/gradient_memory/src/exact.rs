//! Fractions, in which identities are decided without a tolerance.

use ndarray::Array2;

use crate::Error;
use workbench_ground::check::same;
pub use workbench_ground::exact::{Fraction, fraction_matrix};

/// How many entries of two exact matrices differ; 0 means that they are equal, without any tolerance.
///
/// **Source**: ours.
///
/// **Errors**: different shapes.
///
/// ```
/// use workbench_gradient_memory::{Fraction, entries_that_differ};
/// use ndarray::array;
/// let third = array![[Fraction::new(1, 3), Fraction::from(0)]];
/// let same = array![[Fraction::new(2, 6), Fraction::from(1)]];
/// assert_eq!(entries_that_differ(&third, &same)?, 1);
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
pub fn entries_that_differ(a: &Array2<Fraction>, b: &Array2<Fraction>) -> Result<usize, Error> {
    let op = "comparing exact matrices";
    same(op, ("the first matrix", a.dim()), ("the second", b.dim()))?;
    Ok(a.iter().zip(b).filter(|(x, y)| x != y).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn differing_entries_are_counted_and_shapes_compared() {
        let a = fraction_matrix(&mut Streams::new(3).stream("axioms").unwrap(), 30, 3);
        let b = a.mapv(|x| x + Fraction::from(1));
        assert_eq!(entries_that_differ(&a, &b).unwrap(), 90);
        assert_eq!(entries_that_differ(&a, &a).unwrap(), 0);
        let transposed = a.t().to_owned();
        assert!(matches!(entries_that_differ(&a, &transposed), Err(Error::Shape { .. })));
    }
}
