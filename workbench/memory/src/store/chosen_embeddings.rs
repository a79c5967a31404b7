//! Embeddings other than the paper's random ones: on the sphere, orthonormal, given, learned as in Eq. 12, and rotated.

use crate::store::associative_memory::check_labels;
use crate::store::embedding::Embeddings;
use ndarray::{Array2, s};
use workbench_ground::Error;
use workbench_ground::check::{finite_matrix, positive, same, within};
use workbench_ground::stats::{Stream, orthonormal, unit_sphere};

impl Embeddings {
    /// Embeddings given as arrays.
    ///
    /// **Shapes**: `inputs` is `(n_inputs, dim)`, `outputs` is `(n_classes, dim)`; no norm is asked for.
    ///
    /// **Errors**: empty arrays, dimensions that differ, entries that are not finite.
    pub fn from_parts(inputs: Array2<f64>, outputs: Array2<f64>) -> Result<Embeddings, Error> {
        const OP: &str = "Embeddings::from_parts";
        for (name, value) in
            [("n_inputs (N)", inputs.nrows()), ("n_classes (M)", outputs.nrows()), ("dim (d)", inputs.ncols())]
        {
            positive(OP, name, value)?;
        }
        same(OP, ("input dim", inputs.ncols()), ("output dim", outputs.ncols()))?;
        finite_matrix(OP, "inputs", &inputs)?;
        finite_matrix(OP, "outputs", &outputs)?;
        Ok(Embeddings { inputs, outputs })
    }

    /// Inputs and outputs both uniform on the unit sphere.
    ///
    /// **Source**: Appendix A, Lemma 2 and Eq. 13, where inputs have norm one.
    ///
    /// **Errors**: a zero size.
    pub fn spherical(n_inputs: usize, n_classes: usize, dim: usize, stream: &mut Stream) -> Result<Embeddings, Error> {
        sizes("Embeddings::spherical", n_inputs, n_classes, dim)?;
        Ok(Embeddings { inputs: unit_sphere(stream, n_inputs, dim), outputs: unit_sphere(stream, n_classes, dim) })
    }

    /// Orthonormal inputs in a random orientation, outputs uniform on the sphere: no interference between inputs.
    ///
    /// **Errors**: a zero size, more inputs than dimensions.
    pub fn orthonormal(
        n_inputs: usize,
        n_classes: usize,
        dim: usize,
        stream: &mut Stream,
    ) -> Result<Embeddings, Error> {
        sizes("Embeddings::orthonormal", n_inputs, n_classes, dim)?;
        let allowed = "at most d, no more vectors can be orthonormal";
        let op = "Embeddings::orthonormal";
        within(op, "n_inputs (N)", n_inputs as f64, n_inputs <= dim, allowed)?;
        Ok(Embeddings {
            inputs: orthonormal(stream, dim, dim)?.slice(s![..n_inputs, ..]).to_owned(),
            outputs: unit_sphere(stream, n_classes, dim),
        })
    }

    /// The learned embeddings $e_x=u_{f_\ast(x)}$: with $W=I$ every input is recalled as soon as the outputs are distinct unit vectors.
    ///
    /// **Source**: Section 3, Eq. 12.
    ///
    /// **Shapes**: `outputs` is `(n_classes, dim)`; one label per input.
    ///
    /// **Errors**: no labels or outputs, labels beyond the classes.
    ///
    /// ```
    /// use workbench_ground::stats::{Streams, unit_sphere};
    /// use workbench_memory::{Embeddings, Target, identity_margins};
    /// let outputs = unit_sphere(&mut Streams::new(1).stream("u")?, 5, 2);
    /// let labels = Target::modulo(5)?.labels(1000);
    /// let learned = Embeddings::aligned(outputs, &labels)?;
    /// // A thousand associations in two dimensions.
    /// assert!(identity_margins(&learned, &labels)?.iter().all(|m| *m > 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn aligned(outputs: Array2<f64>, labels: &[usize]) -> Result<Embeddings, Error> {
        const OP: &str = "Embeddings::aligned";
        check_labels(OP, labels, labels.len(), outputs.nrows())?;
        let inputs = outputs.select(ndarray::Axis(0), labels);
        Embeddings::from_parts(inputs, outputs)
    }

    /// Inputs turned by R, outputs by S: `e -> R e`, `u -> S u`.
    ///
    /// **Shapes**: both `(dim, dim)`.
    ///
    /// **Errors**: matrices of another size.
    pub fn turned(&self, r: &Array2<f64>, s: &Array2<f64>) -> Result<Embeddings, Error> {
        let d = self.dim();
        for side in [r.nrows(), r.ncols(), s.nrows(), s.ncols()] {
            same("Embeddings::turned", ("side of a matrix", side), ("dim", d))?;
        }
        Ok(Embeddings { inputs: self.inputs.dot(&r.t()), outputs: self.outputs.dot(&s.t()) })
    }
}

/// Margins of the memory $W=I$: $u_{f_\ast(x)}^\top e_x$ minus the best other $u_y^\top e_x$.
///
/// **Source**: Eq. 12.
///
/// **Errors**: labels that do not match.
pub fn identity_margins(embeddings: &Embeddings, labels: &[usize]) -> Result<Vec<f64>, Error> {
    let scores = embeddings.inputs.dot(&embeddings.outputs.t());
    check_labels("identity_margins", labels, scores.nrows(), scores.ncols())?;
    Ok(scores
        .outer_iter()
        .zip(labels)
        .map(|(row, &y)| crate::store::associative_memory::margin(row.iter().copied(), y))
        .collect())
}

fn sizes(op: &'static str, n: usize, m: usize, d: usize) -> Result<(), Error> {
    for (name, value) in [("n_inputs (N)", n), ("n_classes (M)", m), ("dim (d)", d)] {
        positive(op, name, value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn kinds_have_their_geometry() {
        let mut stream = Streams::new(2).stream("e").unwrap();
        let e = Embeddings::orthonormal(7, 3, 9, &mut stream).unwrap();
        let gram = e.inputs.dot(&e.inputs.t()) - Array2::<f64>::eye(7);
        assert!(gram.iter().all(|x| x.abs() < 1e-13));
        let e = Embeddings::spherical(7, 3, 9, &mut stream).unwrap();
        assert!(e.inputs.outer_iter().all(|r| (r.dot(&r) - 1.0).abs() < 1e-14));
        let learned = Embeddings::aligned(e.outputs.clone(), &[2, 0, 2]).unwrap();
        assert_eq!(learned.inputs.row(0), e.outputs.row(2));
        // Two equal outputs tie for ever.
        let twin = Embeddings::aligned(ndarray::array![[1.0, 0.0], [1.0, 0.0]], &[0, 1]).unwrap();
        assert_eq!(identity_margins(&twin, &[0, 1]).unwrap(), vec![0.0, 0.0]);
    }

    #[test]
    fn refuses_bad_input() {
        let mut stream = Streams::new(2).stream("e").unwrap();
        assert!(matches!(
            Embeddings::orthonormal(5, 2, 4, &mut stream),
            Err(Error::Parameter { name: "n_inputs (N)", .. })
        ));
        assert!(matches!(Embeddings::spherical(0, 2, 4, &mut stream), Err(Error::Zero { .. })));
        assert!(matches!(
            Embeddings::from_parts(Array2::eye(3), Array2::eye(4)),
            Err(Error::Shape { left, right, .. }) if left == [3] && right == [4]
        ));
        assert!(matches!(
            Embeddings::from_parts(Array2::eye(3) * f64::NAN, Array2::eye(3)),
            Err(Error::NotFinite { .. })
        ));
        assert!(matches!(Embeddings::from_parts(Array2::zeros((0, 3)), Array2::eye(3)), Err(Error::Zero { .. })));
        assert!(matches!(Embeddings::aligned(Array2::eye(2), &[0, 2]), Err(Error::NoSuch { .. })));
        assert!(matches!(Embeddings::aligned(Array2::eye(2), &[]), Err(Error::Zero { .. })));
        let e = Embeddings::from_parts(Array2::eye(3), Array2::eye(3)).unwrap();
        assert!(matches!(e.turned(&Array2::eye(2), &Array2::eye(3)), Err(Error::Shape { .. })));
        assert!(matches!(identity_margins(&e, &[0; 2]), Err(Error::Shape { .. })));
    }
}
