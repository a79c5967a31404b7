//! Shapes of keys, values and memory that fit each other.

use ndarray::Array2;
use workbench_ground::Error;
use workbench_ground::check::finite_matrix;

/// What keys and memory agree in.
pub(crate) const KEY_DIMENSION: &str = "both have the key dimension d_k: W is (d_v, d_k), keys are (n, d_k)";

/// Refuses batches that are empty or do not fit: keys (n, d_k), values (n, d_v), n >= 1.
pub(crate) fn paired<S>(op: &'static str, keys: &Array2<S>, values: &Array2<S>) -> Result<(), Error> {
    if keys.nrows() != values.nrows() {
        let next = "both have one row for each of the n pairs: keys are (n, d_k), values are (n, d_v)";
        return Err(Error::shape(op, ("keys", keys.dim()), ("values", values.dim()), next));
    }
    for (what, empty) in [("the batch of keys", keys.is_empty()), ("the batch of values", values.is_empty())] {
        if empty {
            return Err(Error::empty(op, what, "give at least one pair"));
        }
    }
    Ok(())
}

/// Refuses batches that do not fit the weights.
pub(crate) fn fits<S>(op: &'static str, w: &Array2<S>, keys: &Array2<S>, values: &Array2<S>) -> Result<(), Error> {
    paired(op, keys, values)?;
    let memory = ("W", w.dim());
    if w.ncols() != keys.ncols() {
        return Err(Error::shape(op, memory, ("keys", keys.dim()), KEY_DIMENSION));
    }
    if w.nrows() != values.ncols() {
        let next = "both have the value dimension d_v: W is (d_v, d_k), values are (n, d_v)";
        return Err(Error::shape(op, memory, ("values", values.dim()), next));
    }
    Ok(())
}

/// [`fits`], with every entry finite.
pub(crate) fn fits_finite(
    op: &'static str,
    w: &Array2<f64>,
    keys: &Array2<f64>,
    values: &Array2<f64>,
) -> Result<(), Error> {
    fits(op, w, keys, values)?;
    finite_matrix(op, "keys", keys)?;
    finite_matrix(op, "values", values)
}
