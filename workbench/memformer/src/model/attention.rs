//! One attention layer: linear with mask, linear without it, and softmax for contrast.

use crate::Error;
use crate::arithmetic::number::Number;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};
use workbench_ground::check::{positive, same_shape};

/// The matrices of one head: $P=W_v$ and $Q=W_k^\top W_q$, both `(d + 1, d + 1)`, in any arithmetic.
///
/// **Source**: Section 2.1, Eqs. 2.4 and 2.8.
#[derive(Clone, Debug, PartialEq)]
pub struct Head<T = f64> {
    pub(crate) p: Array2<T>,
    pub(crate) q: Array2<T>,
}

/// A layer with one head, as in the proofs, is that head.
pub type Layer<T = f64> = Head<T>;

impl<T: Number> Head<T> {
    /// A head with free matrices.
    ///
    /// **Shapes**: both `(d + 1, d + 1)` with d >= 1. **Errors**: other shapes.
    pub fn new(p: Array2<T>, q: Array2<T>) -> Result<Head<T>, Error> {
        const OP: &str = "Head::new";
        let width = p.nrows();
        positive(OP, "d", width.saturating_sub(1))?;
        same_shape(OP, "P", p.shape(), &[width, width])?;
        same_shape(OP, "Q", q.shape(), &[width, width])?;
        Ok(Head { p, q })
    }

    /// The restricted form with $B=0$, in which a layer is a step of descent.
    ///
    /// **Source**: Eq. 2.8. **Shapes**: `a` `(d, d)`. **Errors**: other shapes.
    ///
    /// A layer takes a step of gradient descent preconditioned with $A^\top$, not A: $Z^\top QZ$ pairs the row index of Q with the
    /// example and its column index with the token that is updated. Lemma 2.1 as printed holds for symmetric A.
    pub fn restricted(a: &Array2<T>) -> Result<Head<T>, Error> {
        Head::with_block(a, &a.mapv(|_| T::zero()))
    }

    /// The restricted form.
    ///
    /// $$ P=\begin{pmatrix}B&0\\0&1\end{pmatrix},\qquad Q=-\begin{pmatrix}A&0\\0&0\end{pmatrix} $$
    ///
    /// **Source**: Eq. 2.8. **Shapes**: both `(d, d)`. **Errors**: other shapes.
    pub fn with_block(a: &Array2<T>, b: &Array2<T>) -> Result<Head<T>, Error> {
        const OP: &str = "Head::with_block";
        let d = a.nrows();
        positive(OP, "d", d)?;
        same_shape(OP, "A", a.shape(), &[d, d])?;
        same_shape(OP, "B", b.shape(), &[d, d])?;
        let p = Array2::from_shape_fn((d + 1, d + 1), |(i, j)| match (i < d, j < d) {
            (true, true) => b[[i, j]].clone(),
            (false, false) => T::one(),
            _ => T::zero(),
        });
        let q = Array2::from_shape_fn(
            (d + 1, d + 1),
            |(i, j)| {
                if i < d && j < d { a[[i, j]].negated() } else { T::zero() }
            },
        );
        Ok(Head { p, q })
    }
}

impl<T> Head<T> {
    /// P, `(d + 1, d + 1)`.
    pub fn p(&self) -> &Array2<T> {
        &self.p
    }

    /// Q, `(d + 1, d + 1)`.
    pub fn q(&self) -> &Array2<T> {
        &self.q
    }

    /// The entries of P, to be changed; its shape stays.
    pub fn p_mut(&mut self) -> ArrayViewMut2<'_, T> {
        self.p.view_mut()
    }

    /// The entries of Q, to be changed; its shape stays.
    pub fn q_mut(&mut self) -> ArrayViewMut2<'_, T> {
        self.q.view_mut()
    }

    /// Dimension d of the covariates.
    pub fn dim(&self) -> usize {
        self.p.nrows().saturating_sub(1)
    }
}

/// Linear attention, where the mask M leaves the query out as a key.
///
/// $$ \operatorname{Attn}_{P,Q}(Z)=P\,Z\,M\,(Z^\top Q\,Z),\qquad M=\begin{pmatrix}I_n&0\\0&0\end{pmatrix} $$
///
/// **Source**: Eqs. 2.3 and 2.4. **Shapes**: Z and the result `(d + 1, n + 1)`, tokens are columns.
/// **Errors**: Z without columns or of another height. Cost: n d^2, through $(ZMZ^\top)$.
///
/// ```
/// use ndarray::array;
/// use workbench_memformer::{Head, attention};
/// let head = Head::restricted(&array![[1.0]])?;
/// let z = array![[2.0, 3.0], [10.0, 0.0]];
/// // Responses move by -y x A x; the query sees the example, not itself.
/// assert_eq!(attention(&head, &z)?, array![[0.0, 0.0], [-40.0, -60.0]]);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn attention<T: Number>(head: &Head<T>, z: &Array2<T>) -> Result<Array2<T>, Error> {
    fits("attention", head, z)?;
    let keys = z.slice(s![.., ..z.ncols() - 1]);
    Ok(linear(head, keys, z))
}

/// Linear attention without the mask, $P\,Z\,(Z^\top QZ)$.
///
/// **Source**: Eq. 2.4 without M of Eq. 2.3.
/// **Shapes**, **Errors**: as [`attention`].
pub fn unmasked_attention<T: Number>(head: &Head<T>, z: &Array2<T>) -> Result<Array2<T>, Error> {
    fits("unmasked_attention", head, z)?;
    Ok(linear(head, z.view(), z))
}

/// From left to right, through second moments of the keys.
fn linear<T: Number>(head: &Head<T>, keys: ArrayView2<T>, z: &Array2<T>) -> Array2<T> {
    let moments = T::matrix_product(&keys, &keys.t());
    [&moments, &head.q, z]
        .into_iter()
        .fold(head.p.clone(), |product, next| T::matrix_product(&product.view(), &next.view()))
}

/// Softmax attention, for contrast: $W_vZ\,M\operatorname{smax}(Z^\top W_k^\top W_qZ)$ with a softmax over each column.
///
/// **Source**: Eq. 2.2: the softmax runs over all n + 1 rows before the mask removes the query's. **Shapes**, **Errors**: as
/// [`attention`].
pub fn masked_softmax_attention(head: &Head, z: &Array2<f64>) -> Result<Array2<f64>, Error> {
    fits("masked_softmax_attention", head, z)?;
    let n = z.ncols() - 1;
    let mut weights = z.t().dot(&head.q).dot(z);
    for mut column in weights.axis_iter_mut(Axis(1)) {
        let top = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        column.mapv_inplace(|v| (v - top).exp());
        let total = column.sum();
        column.mapv_inplace(|v| v / total);
    }
    Ok(head.p.dot(&z.slice(s![.., ..n])).dot(&weights.slice(s![..n, ..])))
}

fn fits<T>(op: &'static str, head: &Head<T>, z: &Array2<T>) -> Result<(), Error> {
    positive(op, "the number of tokens (n + 1)", z.ncols())?;
    same_shape(op, "Z", z.shape(), &[head.dim() + 1, z.ncols()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::{Streams, normal_array2};

    fn setup() -> (Head, Array2<f64>) {
        let mut stream = Streams::new(8).stream("attention").unwrap();
        let head = Head::new(normal_array2(&mut stream, 4, 4), normal_array2(&mut stream, 4, 4)).unwrap();
        (head, normal_array2(&mut stream, 4, 7))
    }

    #[test]
    fn attention_is_the_triple_loop() {
        let (head, z) = setup();
        let n = z.ncols() - 1;
        for (result, keys) in [(attention(&head, &z), n), (unmasked_attention(&head, &z), n + 1)] {
            let mut naive = Array2::zeros(z.dim());
            for token in 0..=n {
                for key in 0..keys {
                    let score = z.column(key).dot(&head.q().dot(&z.column(token)));
                    let value = head.p().dot(&z.column(key));
                    naive.column_mut(token).scaled_add(score, &value);
                }
            }
            assert!((result.unwrap() - naive).iter().all(|v| v.abs() < 1e-11));
        }
    }

    #[test]
    fn the_mask_hides_the_query_from_the_examples() {
        let (head, z) = setup();
        let n = z.ncols() - 1;
        let mut other = z.clone();
        other.column_mut(n).fill(3.0);
        let moved = |f: fn(&Head, &Array2<f64>) -> Result<Array2<f64>, Error>| {
            (f(&head, &z).unwrap() - f(&head, &other).unwrap()).slice(s![.., ..n]).iter().any(|v| *v != 0.0)
        };
        assert!(!moved(attention) && moved(unmasked_attention));
    }

    #[test]
    fn softmax_weights_sum_to_one() {
        let (head, mut z) = setup();
        let d = head.dim();
        // Values of one and a query that nobody attends to: each column sums to almost one.
        let mut p = Array2::zeros((d + 1, d + 1));
        p[[d, d]] = 1.0;
        let mut q = Array2::zeros((d + 1, d + 1));
        q[[0, 0]] = 1.0;
        z.row_mut(d).fill(1.0);
        z.row_mut(0).fill(1.0);
        let n = z.ncols() - 1;
        z[[0, n]] = -800.0;
        let out = masked_softmax_attention(&Head::new(p, q).unwrap(), &z).unwrap();
        assert!((0..n).all(|i| (out[[d, i]] - 1.0).abs() < 1e-14));
    }

    #[test]
    fn shapes_are_named() {
        let (head, z) = setup();
        let error = attention(&head, &z.slice(s![..3, ..]).to_owned()).unwrap_err();
        assert!(error.to_string().contains("(3, 7) does not match the shape needed = (4, 7)"), "{error}");
        assert!(attention(&head, &Array2::zeros((4, 0))).is_err());
        assert!(Head::<f64>::new(Array2::zeros((1, 1)), Array2::zeros((1, 1))).is_err());
        assert!(Head::<f64>::new(Array2::zeros((3, 3)), Array2::zeros((3, 2))).is_err());
        assert!(Head::<f64>::with_block(&Array2::eye(2), &Array2::eye(3)).is_err());
    }
}
