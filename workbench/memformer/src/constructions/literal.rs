//! Linear attention as it is printed: matrices written out, products from left to right, in any arithmetic.
//!
//! The room's model computes the same in floats and another order; this one is slow and plain, and decides in exact fractions.

use ndarray::Array2;
use ndarray_linalg::c64;

use crate::arithmetic::algebra::{reciprocal, step_matrix, times};
use crate::arithmetic::number::Number;
use crate::{Error, Head};
use workbench_ground::check::{positive, same_shape};

/// The matrices P and Q of one layer with one head.
///
/// **Source**: Eq. 2.4. **Shapes**: both (d + 1, d + 1).
#[derive(Clone, Debug, PartialEq)]
pub struct Layer<T> {
    /// $P=W_v$.
    pub p: Array2<T>,
    /// $Q=W_k^\top W_q$.
    pub q: Array2<T>,
}

impl<T: Number> Layer<T> {
    /// A layer with free matrices.
    ///
    /// **Errors**: shapes.
    pub fn new(p: Array2<T>, q: Array2<T>) -> Result<Layer<T>, Error> {
        const OP: &str = "Layer::new";
        let width = p.nrows();
        positive(OP, "d", width.saturating_sub(1))?;
        same_shape(OP, "P", p.shape(), &[width, width])?;
        same_shape(OP, "Q", q.shape(), &[width, width])?;
        Ok(Layer { p, q })
    }

    /// $P=\begin{pmatrix}B&0\\0&1\end{pmatrix}$, $Q=-\begin{pmatrix}A&0\\0&0\end{pmatrix}$ with $B=0$.
    ///
    /// **Source**: Eq. 2.8. **Shapes**: `a` (d, d). **Errors**: shapes.
    pub fn restricted(a: &Array2<T>) -> Result<Layer<T>, Error> {
        Layer::with_block(a, &a.mapv(|_| T::zero()))
    }

    /// $P=\begin{pmatrix}B&0\\0&1\end{pmatrix}$, $Q=-\begin{pmatrix}A&0\\0&0\end{pmatrix}$.
    ///
    /// **Source**: Eq. 2.8. **Shapes**: both (d, d). **Errors**: shapes.
    pub fn with_block(a: &Array2<T>, b: &Array2<T>) -> Result<Layer<T>, Error> {
        const OP: &str = "Layer::with_block";
        let d = a.nrows();
        positive(OP, "d", d)?;
        same_shape(OP, "A", a.shape(), &[d, d])?;
        same_shape(OP, "B", b.shape(), &[d, d])?;
        let p = Array2::from_shape_fn((d + 1, d + 1), |(i, j)| match (i < d, j < d) {
            (true, true) => b[[i, j]].clone(),
            (false, false) => T::one(),
            _ => T::zero(),
        });
        let q = Array2::from_shape_fn((d + 1, d + 1), |(i, j)| {
            if i < d && j < d { a[[i, j]].negated() } else { T::zero() }
        });
        Ok(Layer { p, q })
    }
}

impl Layer<f64> {
    /// The head of a model.
    pub fn of_head(head: &Head) -> Layer<f64> {
        Layer {
            p: head.p().clone(),
            q: head.q().clone(),
        }
    }

    /// The same numbers, as complex ones.
    pub fn complex(&self) -> Layer<c64> {
        let lift = |m: &Array2<f64>| m.mapv(|v| c64::new(v, 0.0));
        Layer {
            p: lift(&self.p),
            q: lift(&self.q),
        }
    }
}

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
        Array2::from_shape_fn(
            (n + 1, n + 1),
            |(i, j)| if i == j && i < keys { T::one() } else { T::zero() },
        )
    }
}

/// $PZM(Z^\top QZ)$, as printed.
///
/// **Source**: Eq. 2.4. **Shapes**: `z` and result (d + 1, n + 1). **Errors**: shapes, n = 0.
///
/// ```
/// use workbench::memformer::{Head, Layer, Mask, attention, literal_attention};
/// use ndarray::array;
/// let head = Head::restricted(&array![[1.0]], &array![[0.0]])?;
/// let z = array![[2.0, 3.0], [10.0, 0.0]];
/// assert_eq!(literal_attention(&Layer::of_head(&head), &z, Mask::Printed)?, attention(&head, &z)?);
/// # Ok::<(), workbench::memformer::Error>(())
/// ```
pub fn literal_attention<T: Number>(layer: &Layer<T>, z: &Array2<T>, mask: Mask) -> Result<Array2<T>, Error> {
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
/// use workbench::memformer::{Layer, Mask, literal_forward, output};
/// use ndarray::array;
/// let layers = vec![Layer::restricted(&array![[0.25]])?; 2];
/// let states = literal_forward(&layers, &array![[2.0, 3.0], [10.0, 0.0]], Mask::Printed)?;
/// assert_eq!(output(&states)?, 15.0); // w = 5 after one step, which is exact: 0.25 x^2 = 1
/// # Ok::<(), workbench::memformer::Error>(())
/// ```
pub fn literal_forward<T: Number>(layers: &[Layer<T>], z0: &Array2<T>, mask: Mask) -> Result<Vec<Array2<T>>, Error> {
    positive("literal_forward", "the number of layers (L)", layers.len())?;
    let mut states = vec![z0.clone()];
    for (l, layer) in layers.iter().enumerate() {
        let change = literal_attention(layer, &states[l], mask)?;
        states.push(step_matrix(&states[l], &reciprocal(z0.ncols() - 1), &change));
    }
    Ok(states)
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
    pub score_products: u64,
    /// $P(ZMZ^\top)QZ$, through second moments.
    pub by_moments: Array2<f64>,
    /// Its multiplications: linear in n.
    pub moment_products: u64,
}

/// Both orders of $PZM(Z^\top QZ)$, counting multiplications as they are made (the mask drops columns and costs none).
///
/// **Errors**: as [`literal_attention`].
///
/// ```
/// use workbench::memformer::{Layer, associations};
/// use ndarray::Array2;
/// let both = associations(&Layer::restricted(&Array2::eye(2))?, &Array2::ones((3, 41)))?;
/// assert_eq!(both.by_scores, both.by_moments);
/// assert!(both.score_products > 8 * both.moment_products);
/// # Ok::<(), workbench::memformer::Error>(())
/// ```
pub fn associations(layer: &Layer<f64>, z: &Array2<f64>) -> Result<Associations, Error> {
    fits("associations", layer, z)?;
    let counted = |a: &Array2<f64>, b: &Array2<f64>, count: &mut u64| {
        *count += (a.nrows() * a.ncols() * b.ncols()) as u64;
        times(a, b)
    };
    let (keys, turned) = (z.slice(ndarray::s![.., ..z.ncols() - 1]).to_owned(), z.t().to_owned());
    let (mut score_products, mut moment_products) = (0, 0);
    let queries = counted(&layer.q, z, &mut score_products);
    let scores = counted(
        &turned.slice(ndarray::s![..z.ncols() - 1, ..]).to_owned(),
        &queries,
        &mut score_products,
    );
    let values = counted(&layer.p, &keys, &mut score_products);
    let by_scores = counted(&values, &scores, &mut score_products);
    let moments = counted(&keys, &keys.t().to_owned(), &mut moment_products);
    let map = counted(&layer.p, &moments, &mut moment_products);
    let map = counted(&map, &layer.q, &mut moment_products);
    let by_moments = counted(&map, z, &mut moment_products);
    Ok(Associations {
        by_scores,
        score_products,
        by_moments,
        moment_products,
    })
}

fn fits<T>(op: &'static str, layer: &Layer<T>, z: &Array2<T>) -> Result<(), Error> {
    positive(op, "the number of examples (n)", z.ncols().saturating_sub(1))?;
    same_shape(op, "Z", z.shape(), &[layer.p.nrows(), z.ncols()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::number::{Fraction, fraction_matrix};
    use crate::{LinearTransformer, Memory, attention, unmasked_attention};
    use workbench_ground::stats::{Streams, normal_array2};

    #[test]
    fn the_rooms_model_is_the_printed_one() {
        let mut stream = Streams::new(3).stream("literal").unwrap();
        let z = normal_array2(&mut stream, 4, 6);
        let heads: Vec<Head> = (0..3)
            .map(|_| {
                Head::new(
                    0.3 * normal_array2(&mut stream, 4, 4),
                    0.3 * normal_array2(&mut stream, 4, 4),
                )
                .unwrap()
            })
            .collect();
        let layers: Vec<Layer<f64>> = heads.iter().map(Layer::of_head).collect();
        let near = |a: Array2<f64>, b: Array2<f64>| (a - b).iter().all(|v| v.abs() < 1e-11);
        assert!(near(
            literal_attention(&layers[0], &z, Mask::Printed).unwrap(),
            attention(&heads[0], &z).unwrap()
        ));
        assert!(near(
            literal_attention(&layers[0], &z, Mask::Absent).unwrap(),
            unmasked_attention(&heads[0], &z).unwrap()
        ));
        let model = LinearTransformer::new(heads.into_iter().map(|h| vec![h]).collect(), Memory::None).unwrap();
        let states = literal_forward(&layers, &z, Mask::Printed).unwrap();
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
        let out = literal_attention(&Layer::restricted(&a).unwrap(), &z, Mask::Printed).unwrap();
        assert!(out.slice(ndarray::s![..2, ..]).iter().all(|v| *v == Fraction::zero()));
        assert!(literal_forward::<Fraction>(&[], &z, Mask::Printed).is_err());
        assert!(Layer::restricted(&fraction_matrix(&mut stream, 2, 3)).is_err());
        assert!(output::<f64>(&[]).is_err());
    }

    #[test]
    fn both_orders_agree_and_one_is_linear_in_n() {
        let mut stream = Streams::new(3).stream("orders").unwrap();
        let layer = Layer::new(normal_array2(&mut stream, 3, 3), normal_array2(&mut stream, 3, 3)).unwrap();
        let run = |n: usize| associations(&layer, &Array2::from_elem((3, n + 1), 0.5)).unwrap();
        let (small, large) = (run(10), run(100));
        assert!((small.by_scores - small.by_moments).iter().all(|v| v.abs() < 1e-10));
        assert_eq!(small.moment_products, 9 * 10 + 27 + 27 + 9 * 11);
        assert_eq!(small.score_products, 9 * 11 + 3 * 10 * 11 + 9 * 10 + 3 * 10 * 11);
        assert!(large.score_products > 50 * small.score_products && large.moment_products < 10 * small.moment_products);
    }
}
