//! Random input and output embeddings.

use crate::blocks::watched_blocks;
use ndarray::{Array2, Axis, s};
use rand::Rng;
use rand_distr::StandardNormal;
use workbench_ground::Error;
use workbench_ground::check::positive;
use workbench_ground::stats::Stream;

/// A Gaussian draw, in units of an addition.
const OPERATIONS_PER_NORMAL: usize = 16;

/// Input embeddings $e_x\sim\mathcal N(0,I_d)$ and output embeddings $u_y$ uniform on the unit sphere.
///
/// **Source**: Section 2, Model, Eq. 1.
///
/// **Shapes**: `inputs` is `(n_inputs, dim)`, `outputs` is `(n_classes, dim)` with rows of norm one.
#[derive(Clone, Debug, PartialEq)]
pub struct Embeddings {
    /// $e_x$, one row per input.
    pub inputs: Array2<f64>,
    /// $u_y$, one row per class.
    pub outputs: Array2<f64>,
}

impl Embeddings {
    /// Draws embeddings coordinate by coordinate, so that a larger `dim` on the same stream extends a smaller one.
    ///
    /// **Errors**: a zero size, [`Error::Stopped`].
    ///
    /// ```
    /// use workbench_ground::stats::Streams;
    /// use workbench_memory::Embeddings;
    /// let mut stream = Streams::new(1).stream("embeddings")?;
    /// let embeddings = Embeddings::draw(10, 3, 8, &mut stream)?;
    /// assert_eq!(embeddings.inputs.dim(), (10, 8));
    /// assert!((embeddings.outputs.row(0).mapv(|u| u * u).sum() - 1.0).abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draw(n_inputs: usize, n_classes: usize, dim: usize, stream: &mut Stream) -> Result<Embeddings, Error> {
        for (name, value) in [("n_inputs (N)", n_inputs), ("n_classes (M)", n_classes), ("dim (d)", dim)] {
            positive("Embeddings::draw", name, value)?;
        }
        let mut inputs = Array2::zeros((dim, n_inputs));
        let mut outputs = Array2::zeros((dim, n_classes));
        for coordinates in watched_blocks("Embeddings::draw", dim, OPERATIONS_PER_NORMAL * (n_inputs + n_classes)) {
            for c in coordinates? {
                fill_normal(outputs.row_mut(c).iter_mut(), stream);
                fill_normal(inputs.row_mut(c).iter_mut(), stream);
            }
        }
        Ok(Embeddings { inputs: inputs.reversed_axes(), outputs: normalised(outputs.reversed_axes()) })
    }

    /// The first `dim` coordinates; outputs are normalised again. The result has the law of a fresh draw in `dim`
    /// dimensions, and is paired with the original.
    ///
    /// **Errors**: zero, or more than the present dimension.
    pub fn truncated(&self, dim: usize) -> Result<Embeddings, Error> {
        positive("Embeddings::truncated", "dim (d)", dim)?;
        if dim > self.dim() {
            let next = "give both the same size";
            let op = "Embeddings::truncated";
            return Err(Error::shape(op, ("asked dim", dim), ("present dim", self.dim()), next));
        }
        Ok(Embeddings {
            inputs: self.inputs.slice(s![.., ..dim]).to_owned(),
            outputs: normalised(self.outputs.slice(s![.., ..dim]).to_owned()),
        })
    }

    /// The dimension d.
    pub fn dim(&self) -> usize {
        self.inputs.ncols()
    }
}

/// Fills a sequence with standard normals.
pub(crate) fn fill_normal<'a>(slots: impl Iterator<Item = &'a mut f64>, stream: &mut Stream) {
    for slot in slots {
        *slot = stream.sample(StandardNormal);
    }
}

fn normalised(mut rows: Array2<f64>) -> Array2<f64> {
    for mut row in rows.axis_iter_mut(Axis(0)) {
        let norm = row.dot(&row).sqrt();
        row /= norm;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn truncation_equals_a_smaller_draw() {
        let streams = Streams::new(4);
        let large = Embeddings::draw(6, 3, 9, &mut streams.stream("e").unwrap()).unwrap();
        let small = Embeddings::draw(6, 3, 4, &mut streams.restart("e").unwrap()).unwrap();
        let cut = large.truncated(4).unwrap();
        assert_eq!(cut.inputs, small.inputs);
        assert!((&cut.outputs - &small.outputs).iter().all(|x| x.abs() < 1e-15));
    }

    #[test]
    fn refuses_bad_input() {
        let streams = Streams::new(4);
        let mut stream = streams.stream("e").unwrap();
        assert!(matches!(Embeddings::draw(0, 3, 9, &mut stream), Err(Error::Zero { .. })));
        assert!(matches!(Embeddings::draw(2, 0, 9, &mut stream), Err(Error::Zero { .. })));
        assert!(matches!(Embeddings::draw(2, 3, 0, &mut stream), Err(Error::Zero { .. })));
        let e = Embeddings::draw(2, 3, 4, &mut stream).unwrap();
        assert!(matches!(e.truncated(5), Err(Error::Shape { left, right, .. }) if left == [5] && right == [4]));
        assert!(matches!(e.truncated(0), Err(Error::Zero { .. })));
    }
}
