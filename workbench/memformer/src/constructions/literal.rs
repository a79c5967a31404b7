//! Linear attention as it is printed: matrices written out, products from left to right, in any arithmetic.
//!
//! [`LinearTransformer`](crate::LinearTransformer) runs the same recursion with products and sums in another order; this one
//! keeps the printed order, in any arithmetic, and is slow and plain.

use ndarray::Array2;

use crate::arithmetic::algebra::{reciprocal, step_matrix, times};
use crate::arithmetic::number::Number;
use crate::model::forward::{Factor, Order, forward};
use crate::{Error, Head, LayerMemory};
use workbench_ground::check::{positive, same_shape};

/// Which tokens serve as keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mask {
    /// Eq. 2.3: M is the identity with a zero for the query.
    Printed,
    /// No mask: the query is a key too.
    Absent,
}

impl Mask {
    /// M, (n + 1, n + 1).
    pub fn matrix<T: Number>(self, n: usize) -> Array2<T> {
        let keys = if self == Mask::Printed { n } else { n + 1 };
        Array2::from_shape_fn((n + 1, n + 1), |(i, j)| if i == j && i < keys { T::one() } else { T::zero() })
    }
}

/// $PZM(Z^\top QZ)$, as printed.
///
/// **Source**: Eq. 2.4. **Shapes**: `z` and result (d + 1, n + 1). **Errors**: shapes, n = 0.
///
/// ```
/// use workbench_memformer::{Head, Mask, attention, literal_attention};
/// use ndarray::array;
/// let head = Head::restricted(&array![[1.0]])?;
/// let z = array![[2.0, 3.0], [10.0, 0.0]];
/// assert_eq!(literal_attention(&head, &z, Mask::Printed)?, attention(&head, &z)?);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn literal_attention<T: Number>(layer: &Head<T>, z: &Array2<T>, mask: Mask) -> Result<Array2<T>, Error> {
    fits("literal_attention", layer, z)?;
    let m = mask.matrix::<T>(z.ncols() - 1);
    let scores = times(&times(&z.t().to_owned(), &layer.q), z);
    Ok(times(&times(&times(&layer.p, z), &m), &scores))
}

/// $Z_0$ to $Z_L$ of $Z_{\ell+1}=Z_\ell+\frac1n\operatorname{Attn}(Z_\ell)$.
///
/// **Source**: Eq. 2.5. **Errors**: as [`literal_attention`], no layer.
///
/// ```
/// use workbench_memformer::{Head, Mask, literal_forward, output};
/// use ndarray::array;
/// let layers = vec![Head::restricted(&array![[0.25]])?; 2];
/// let states = literal_forward(&layers, &array![[2.0, 3.0], [10.0, 0.0]], Mask::Printed)?;
/// assert_eq!(output(&states)?, 15.0); // w = 5 after one step, which is exact: 0.25 x^2 = 1
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn literal_forward<T: Number>(layers: &[Head<T>], z0: &Array2<T>, mask: Mask) -> Result<Vec<Array2<T>>, Error> {
    let layers = layers.iter().map(std::slice::from_ref);
    Ok(forward("literal_forward", layers, &LayerMemory::None, z0, &mask)?.states)
}

/// The printed order, and every term with its own 1/n.
impl<T: Number> Order<T> for Mask {
    fn attention(&self, head: &Head<T>, z: &Array2<T>) -> Result<Array2<T>, Error> {
        literal_attention(head, z, *self)
    }

    fn moved(&self, z: &Array2<T>, terms: &[(Factor<T>, &Array2<T>)]) -> Array2<T> {
        let share = reciprocal::<T>(z.ncols() - 1);
        terms.iter().fold(z.clone(), |next, (factor, register)| match factor {
            Factor::One => step_matrix(&next, &share, register),
            Factor::Scalar(c) => step_matrix(&next, &c.times(&share), register),
            Factor::Entries(weight) => {
                let part = Array2::from_shape_fn(z.dim(), |at| weight[at].times(&register[at]));
                step_matrix(&next, &share, &part)
            }
        })
    }
}

/// $\mathrm{TF}_L=-(Z_L)_{d+1,n+1}$, for the last of the given states.
///
/// **Source**: Eq. 2.6. **Errors**: no state.
pub fn output<T: Number>(states: &[Array2<T>]) -> Result<T, Error> {
    match states.last().and_then(|z| z.last()) {
        Some(entry) => Ok(entry.negated()),
        None => Err(Error::zero("output", "the number of states")),
    }
}

/// The attention of Eq. 2.4 in both orders of association, with the multiplications that each takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Associations {
    /// $(PZM)(Z^\top QZ)$, through all pairs of tokens.
    pub by_scores: Array2<f64>,
    /// Its multiplications: quadratic in n.
    pub score_products: usize,
    /// $P(ZMZ^\top)QZ$, through second moments.
    pub by_moments: Array2<f64>,
    /// Its multiplications: linear in n.
    pub moment_products: usize,
}

/// Both orders of $PZM(Z^\top QZ)$, counting multiplications as they are made (the mask drops columns and costs none).
///
/// **Source**: Eq. 2.4; Section 6, Efficiency vs. Generalization.
/// **Errors**: as [`literal_attention`].
///
/// ```
/// use workbench_memformer::{Head, associations};
/// use ndarray::Array2;
/// let both = associations(&Head::restricted(&Array2::eye(2))?, &Array2::ones((3, 41)))?;
/// assert_eq!(both.by_scores, both.by_moments);
/// assert!(both.score_products > 8 * both.moment_products);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn associations(layer: &Head, z: &Array2<f64>) -> Result<Associations, Error> {
    fits("associations", layer, z)?;
    let counted = |a: &Array2<f64>, b: &Array2<f64>, count: &mut usize| {
        *count += a.nrows() * a.ncols() * b.ncols();
        times(a, b)
    };
    let keys = z.slice(ndarray::s![.., ..z.ncols() - 1]).to_owned();
    let keys_transposed = keys.t().to_owned();
    let (mut score_products, mut moment_products) = (0, 0);
    let queries = counted(&layer.q, z, &mut score_products);
    let scores = counted(&keys_transposed, &queries, &mut score_products);
    let values = counted(&layer.p, &keys, &mut score_products);
    let by_scores = counted(&values, &scores, &mut score_products);
    let moments = counted(&keys, &keys_transposed, &mut moment_products);
    let map = counted(&layer.p, &moments, &mut moment_products);
    let map = counted(&map, &layer.q, &mut moment_products);
    let by_moments = counted(&map, z, &mut moment_products);
    Ok(Associations { by_scores, score_products, by_moments, moment_products })
}

fn fits<T>(op: &'static str, layer: &Head<T>, z: &Array2<T>) -> Result<(), Error> {
    positive(op, "the number of examples (n)", z.ncols().saturating_sub(1))?;
    same_shape(op, "Z", z.shape(), &[layer.p.nrows(), z.ncols()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::number::{Fraction, fraction_matrix};
    use crate::{LinearTransformer, attention, unmasked_attention};
    use workbench_ground::stats::{Streams, normal_array2};

    #[test]
    fn the_rooms_model_is_the_printed_one() {
        let mut stream = Streams::new(3).stream("literal").unwrap();
        let z = normal_array2(&mut stream, 4, 6);
        let heads: Vec<Head> = (0..3)
            .map(|_| Head::new(0.3 * normal_array2(&mut stream, 4, 4), 0.3 * normal_array2(&mut stream, 4, 4)).unwrap())
            .collect();
        let near = |a: Array2<f64>, b: Array2<f64>| (a - b).iter().all(|v| v.abs() < 1e-11);
        assert!(near(literal_attention(&heads[0], &z, Mask::Printed).unwrap(), attention(&heads[0], &z).unwrap()));
        assert!(near(
            literal_attention(&heads[0], &z, Mask::Absent).unwrap(),
            unmasked_attention(&heads[0], &z).unwrap()
        ));
        let stack = heads.iter().map(|head| vec![head.clone()]).collect();
        let model = LinearTransformer::new(stack, LayerMemory::None).unwrap();
        let states = literal_forward(&heads, &z, Mask::Printed).unwrap();
        for (mine, theirs) in states.iter().zip(model.forward(&z).unwrap()) {
            assert!(near(mine.clone(), theirs));
        }
        assert!((output(&states).unwrap() - model.predict(&z).unwrap()).abs() < 1e-11);
    }

    #[test]
    fn restricted_layers_keep_the_covariates() {
        let mut stream = Streams::new(3).stream("exact").unwrap();
        let z = fraction_matrix(&mut stream, 3, 5);
        let a = fraction_matrix(&mut stream, 2, 2);
        let out = literal_attention(&Head::restricted(&a).unwrap(), &z, Mask::Printed).unwrap();
        assert!(out.slice(ndarray::s![..2, ..]).iter().all(|v| *v == Fraction::zero()));
        assert!(literal_forward::<Fraction>(&[], &z, Mask::Printed).is_err());
        assert!(Head::restricted(&fraction_matrix(&mut stream, 2, 3)).is_err());
        assert!(output::<f64>(&[]).is_err());
    }

    #[test]
    fn both_orders_agree_and_one_is_linear_in_n() {
        let mut stream = Streams::new(3).stream("orders").unwrap();
        let layer = Head::new(normal_array2(&mut stream, 3, 3), normal_array2(&mut stream, 3, 3)).unwrap();
        let run = |n: usize| associations(&layer, &Array2::from_elem((3, n + 1), 0.5)).unwrap();
        let (small, large) = (run(10), run(100));
        assert!((small.by_scores - small.by_moments).iter().all(|v| v.abs() < 1e-10));
        assert_eq!(small.moment_products, 9 * 10 + 27 + 27 + 9 * 11);
        assert_eq!(small.score_products, 9 * 11 + 3 * 10 * 11 + 9 * 10 + 3 * 10 * 11);
        assert!(large.score_products > 50 * small.score_products && large.moment_products < 10 * small.moment_products);
    }
}
