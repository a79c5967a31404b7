//! Gradients of the prediction with respect to all P and Q, by the adjoint of the forward pass and by complex steps.

use ndarray::Array2;
use ndarray_linalg::c64;

use super::literal::{Mask, literal_forward, output};
use crate::model::forward::{ByMoments, forward};
use crate::{Error, Head, LayerMemory};
use workbench_ground::work;

/// Gradients of $\mathrm{TF}_L$ with respect to $P_\ell$ and $Q_\ell$, layer by layer.
///
/// With $S=ZMZ^\top$ a layer is $Z'=Z+PSQZ/n$. For an adjoint G of $Z'$:
///
/// $$ dP=\tfrac1nG\,(SQZ)^\top,\qquad dQ=\tfrac1n(PS)^\top GZ^\top,\qquad dS=\tfrac1nP^\top G\,(QZ)^\top, $$
/// $$ dZ=G+\tfrac1n(PSQ)^\top G+(dS+dS^\top)\,ZM $$
///
/// **Source**: ours, for Eqs. 2.5 and 2.6. **Shapes**: as the layers. **Errors**: no layer, shapes. Cost L n d^2, as the forward pass.
///
/// ```
/// use workbench_memformer::{Head, complex_step_gradients, prediction_gradients};
/// use ndarray::array;
/// let layers = vec![Head::restricted(&array![[0.5]])?];
/// let z = array![[1.0, 2.0], [3.0, 0.0]];
/// let (exact, stepped) = (prediction_gradients(&layers, &z)?, complex_step_gradients(&layers, &z)?);
/// assert!((exact[0].q() - stepped[0].q()).iter().all(|e| e.abs() < 1e-14));
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn prediction_gradients(layers: &[Head], z0: &Array2<f64>) -> Result<Vec<Head>, Error> {
    const OP: &str = "prediction_gradients";
    let of_layers = layers.iter().map(std::slice::from_ref);
    let states = forward(OP, of_layers, &LayerMemory::None, z0, &ByMoments)?.states;
    let n = z0.ncols() - 1;
    let mut adjoint = Array2::zeros(z0.dim());
    adjoint[[z0.nrows() - 1, n]] = -1.0; // TF_L is the negated entry
    let mut gradients = Vec::with_capacity(layers.len());
    for (layer, z) in layers.iter().zip(&states).rev() {
        let keys = z.slice(ndarray::s![.., ..n]);
        let moments = keys.dot(&keys.t());
        let queries = layer.q.dot(z);
        let share = &adjoint / n as f64;
        let p = share.dot(&moments.dot(&queries).t());
        let q = layer.p.dot(&moments).t().dot(&share).dot(&z.t());
        let in_moments = layer.p.t().dot(&share).dot(&queries.t());
        let through = layer.p.dot(&moments).dot(&layer.q).t().dot(&share);
        let both = &in_moments + &in_moments.t();
        let in_keys = both.dot(&keys);
        adjoint = adjoint + through;
        let mut of_keys = adjoint.slice_mut(ndarray::s![.., ..n]);
        of_keys += &in_keys;
        gradients.push(Head { p, q });
    }
    gradients.reverse();
    Ok(gradients)
}

/// The same by complex steps: the derivative of an analytic f is $\operatorname{Im}f(x+ih)/h$, without cancellation, to rounding for
/// tiny h.
///
/// **Source**: ours, for Eqs. 2.5 and 2.6.
/// **Errors**: as [`prediction_gradients`], a stop request. Cost: one forward pass for each entry of each matrix.
pub fn complex_step_gradients(layers: &[Head], z0: &Array2<f64>) -> Result<Vec<Head>, Error> {
    /// Small enough that h^2 vanishes beside 1.
    const H: f64 = 1e-100;
    let complex: Vec<Head<c64>> = layers.iter().map(complex).collect();
    let z = z0.mapv(|v| c64::new(v, 0.0));
    let slope =
        |moved: &[Head<c64>]| -> Result<f64, Error> { Ok(output(&literal_forward(moved, &z, Mask::Printed)?)?.im / H) };
    let mut gradients = layers.to_vec();
    for l in 0..layers.len() {
        work::check("complex_step_gradients", l, layers.len())?;
        for at in ndarray::indices(layers[l].p.dim()) {
            let mut moved = complex.clone();
            moved[l].p[at].im = H;
            gradients[l].p[at] = slope(&moved)?;
            let mut moved = complex.clone();
            moved[l].q[at].im = H;
            gradients[l].q[at] = slope(&moved)?;
        }
    }
    Ok(gradients)
}

/// The same numbers, as complex ones.
fn complex(head: &Head) -> Head<c64> {
    let lift = |m: &Array2<f64>| m.mapv(|v| c64::new(v, 0.0));
    Head { p: lift(&head.p), q: lift(&head.q) }
}

/// The largest difference of two sets of matrices beside the largest entry of the first; infinite if their shapes differ.
///
/// **Source**: ours.
pub fn relative_difference(a: &[Head], b: &[Head]) -> f64 {
    use crate::arithmetic::algebra::largest_difference;
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let size = a.iter().flat_map(|x| x.p.iter().chain(&x.q)).fold(0.0, |m: f64, v| m.max(v.abs()));
    let gap = a
        .iter()
        .zip(b)
        .fold(0.0, |m: f64, (x, y)| m.max(largest_difference(&x.p, &y.p)).max(largest_difference(&x.q, &y.q)));
    if gap == 0.0 { 0.0 } else { gap / size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::{Streams, normal_array2};

    #[test]
    fn three_ways_to_the_gradient() {
        let mut stream = Streams::new(5).stream("gradients").unwrap();
        let z = normal_array2(&mut stream, 4, 6);
        let layers: Vec<Head> = (0..3)
            .map(|_| Head::new(0.3 * normal_array2(&mut stream, 4, 4), 0.3 * normal_array2(&mut stream, 4, 4)).unwrap())
            .collect();
        let exact = prediction_gradients(&layers, &z).unwrap();
        let stepped = complex_step_gradients(&layers, &z).unwrap();
        assert!(relative_difference(&exact, &stepped) < 1e-13);
        // A central difference, good to eight digits.
        let value = |h: f64| {
            let mut moved = layers.clone();
            moved[1].q[[2, 3]] += h;
            output(&literal_forward(&moved, &z, Mask::Printed).unwrap()).unwrap()
        };
        let slope = (value(1e-6) - value(-1e-6)) / 2e-6;
        assert!((slope - exact[1].q[[2, 3]]).abs() < 1e-6 * slope.abs().max(1.0));
        assert_eq!(relative_difference(&exact, &exact[..2]), f64::INFINITY);
        assert!(prediction_gradients(&[], &z).is_err());
    }
}
