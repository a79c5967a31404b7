//! Prompts closed under signed permutations of whitened coordinates: the rotation invariance of the law, made exact for a finite batch.

use crate::{Architecture, Batch, Error, Parameters, Statistics, TaskLaw};
use ndarray::{Array1, Array2, Array3, Axis};
use ndarray_linalg::Inverse;
use workbench_ground::check::{positive, same_shape, within};
use workbench_ground::work;

/// Prompts in all: a gigabyte of Gram matrices at d = 5 would be five million.
const MOST: usize = 1_000_000;

/// Every prompt with all its images under the signed permutations O of whitened coordinates, $d!\,2^d$ for each.
///
/// With $R=\Sigma^{1/2}O\Sigma^{-1/2}$: $H\mapsto RHR^\top$, $x^{(n+1)}\mapsto Rx^{(n+1)}$, $w^\ast\mapsto R^{-\top}w^\ast$, which has the
/// law of the prompts again. The mean loss over such a batch does not change under $A_\ell\mapsto R^\top A_\ell R$, so at
/// $A_\ell=a_\ell\Sigma^{-1}$ its gradient commutes with all signed permutations in whitened coordinates, and only multiples of the
/// identity do: $\nabla_{A_\ell}f=c_\ell\Sigma$, exactly, for *this* batch, with no sampling error. The law itself is closed under all
/// rotations, which proves the same for the population.
///
/// **Source**: ours, for Theorem 3 of Ahn et al. as quoted in Appendix D. **Errors**: a law of another dimension, more than a million
/// images, a stop request.
///
/// ```
/// use ndarray_linalg::Inverse;
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Architecture, Batch, Parameters, Precision, Prompts, TaskLaw, conjugated, distance_to_identity, symmetrised};
/// let streams = Streams::new(1);
/// let law = TaskLaw::rotated(&[1.0, 0.25, 0.5], &mut streams.stream("rotation")?)?;
/// let prompts = Prompts::draw(&law, 8, 3, &mut streams.stream("prompts")?)?;
/// let batch = Batch::new(&symmetrised(&prompts.statistics()?, &law)?, Precision::Double)?;
/// assert_eq!(batch.prompts(), 3 * 48);
/// let mut model = Parameters::neutral(Architecture::new(2, 3)?);
/// model.set_a(0, &(0.3 * law.truth_covariance()))?;
/// model.set_a(1, &(0.8 * law.truth_covariance()))?;
/// let (_, gradient) = batch.loss_and_gradient(&model)?;
/// let whitened = conjugated(&gradient.a(0)?.to_owned(), &law.root()?.inv()?)?;
/// assert!(distance_to_identity(&whitened)? < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn symmetrised(statistics: &Statistics, law: &TaskLaw) -> Result<Statistics, Error> {
    const OP: &str = "symmetrised";
    let (batch, d) = (statistics.batch(), statistics.dim());
    same_shape(OP, "the law's covariance", law.covariance().shape(), &[d, d])?;
    positive(OP, "d", d)?;
    let group = (1..=d).try_fold(1usize, |product, k| product.checked_mul(2 * k));
    let images = group.and_then(|g| g.checked_mul(batch)).filter(|i| *i <= MOST);
    let Some(images) = images else {
        let images = (1..=d).map(|k| 2.0 * k as f64).product::<f64>() * batch as f64;
        let allowed = "at most a million: fewer prompts, or d up to 6";
        let name = "the number of prompts times d! 2^d";
        return Err(Error::parameter(OP, name, images, allowed));
    };
    let root = law.root()?;
    let inverse = root.inv().map_err(Error::linear_algebra(OP))?;
    let mut gram = Array3::zeros((images, d, d));
    let (mut query, mut truth) = (Array2::zeros((images, d)), Array2::zeros((images, d)));
    let whitened: Vec<(Array2<f64>, Array1<f64>, Array1<f64>)> = (0..batch)
        .map(|b| {
            let h = statistics.gram().index_axis(Axis(0), b);
            (
                inverse.dot(&h).dot(&inverse),
                inverse.dot(&statistics.query().row(b)),
                root.dot(&statistics.truth().row(b)),
            )
        })
        .collect();
    let mut at = 0;
    for order in permutations(d) {
        work::check(OP, at, images)?;
        for signs in 0..1usize << d {
            let sign = |i: usize| if signs >> i & 1 == 0 { 1.0 } else { -1.0 };
            for (h, q, w) in &whitened {
                let reflected = Array2::from_shape_fn((d, d), |(i, j)| sign(i) * sign(j) * h[[order[i], order[j]]]);
                let vector = |v: &Array1<f64>| Array1::from_shape_fn(d, |i| sign(i) * v[order[i]]);
                gram.index_axis_mut(Axis(0), at).assign(&root.dot(&reflected).dot(&root));
                query.row_mut(at).assign(&root.dot(&vector(q)));
                truth.row_mut(at).assign(&inverse.dot(&vector(w)));
                at += 1;
            }
        }
    }
    Statistics::from_parts(gram, query, truth)
}

/// The multiples $a_\ell$ of one matrix M with the least mean loss over a batch, $A_\ell=a_\ell M$: a stationary point found by gradient
/// descent with halved and doubled steps.
///
/// $\partial f/\partial a_\ell=\langle\nabla_{A_\ell}f,M\rangle$. With $M=\Sigma^{-1}$ the multiples tend to those of
/// [`crate::best_whitened`], in some order.
///
/// **Source**: ours, for Theorem 3 of Ahn et al. as quoted in Appendix D.
/// **Shapes**: M `(d, d)`, result (L). **Errors**: no layer, another dimension, a matrix of zeros, a stop request.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Batch, Precision, TaskLaw, best_multiples};
/// let law = TaskLaw::isotropic(3)?;
/// let batch = Batch::draw(&law, 20, 20_000, Precision::Double, &mut Streams::new(1).stream("batch")?)?;
/// let a = best_multiples(&batch, law.truth_covariance(), 1)?;
/// assert!((a[0] - 20.0 / 24.0).abs() < 0.02);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn best_multiples(batch: &Batch, matrix: &Array2<f64>, layers: usize) -> Result<Vec<f64>, Error> {
    const OP: &str = "best_multiples";
    /// Steps after which the point is taken as it is.
    const MOST_STEPS: usize = 5000;
    /// Slopes below this share of the loss count as zero.
    const FLAT: f64 = 1e-9;
    let mut model = Parameters::neutral(Architecture::new(layers, batch.dim())?);
    let size = matrix.iter().map(|v| v * v).sum::<f64>().sqrt();
    let allowed = "a finite matrix that is not zero";
    within(OP, "the norm of the matrix", size, size > 0.0, allowed)?;
    let mut at = |a: &[f64]| -> Result<(f64, Vec<f64>), Error> {
        for (l, a) in a.iter().enumerate() {
            model.set_a(l, &(*a / size * matrix))?;
        }
        let (loss, gradient) = batch.loss_and_gradient(&model)?;
        let slope = |l: usize| -> Result<f64, Error> { Ok((&gradient.a(l)? * matrix).sum() / size) };
        let slopes = (0..layers).map(slope).collect::<Result<Vec<f64>, Error>>()?;
        Ok((loss, slopes))
    };
    // Different starts for the layers: equal ones would stay equal.
    let mut a: Vec<f64> = (0..layers).map(|l| 1e-3 * (l + 1) as f64 * size).collect();
    let (mut loss, mut slopes) = at(&a)?;
    let mut step = 1e-3;
    for done in 0..MOST_STEPS {
        work::check(OP, done, MOST_STEPS)?;
        if slopes.iter().all(|s| s.abs() <= FLAT * loss) || step < f64::MIN_POSITIVE {
            break;
        }
        let next: Vec<f64> = a.iter().zip(&slopes).map(|(a, s)| a - step * s).collect();
        let (there, new_slopes) = at(&next)?;
        if there < loss {
            (a, loss, slopes) = (next, there, new_slopes);
            step *= 1.5;
        } else {
            step *= 0.5;
        }
    }
    Ok(a.into_iter().map(|a| a / size).collect())
}

/// All orders of 0..d.
fn permutations(d: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for next in 0..d {
        all = all
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..=order.len()).map(move |place| {
                    let mut longer = order.clone();
                    longer.insert(place, next);
                    longer
                })
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Precision, Prompts, conjugated, distance_to_identity};
    use workbench_ground::stats::{Streams, largest_of};

    #[test]
    fn orders_are_all_and_different() {
        let mut all = permutations(4);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 24);
    }

    #[test]
    fn only_inverse_covariances_have_gradients_along_the_covariance() {
        let streams = Streams::new(2);
        let law = TaskLaw::rotated(&[1.0, 0.25, 0.0625], &mut streams.stream("u").unwrap()).unwrap();
        let prompts = Prompts::draw(&law, 6, 4, &mut streams.stream("p").unwrap()).unwrap();
        let statistics = prompts.statistics().unwrap();
        let batch = Batch::new(&symmetrised(&statistics, &law).unwrap(), Precision::Double).unwrap();
        let inverse = law.root().unwrap().inv().unwrap();
        let off = |matrix: &Array2<f64>| {
            let mut model = Parameters::neutral(Architecture::new(3, 3).unwrap());
            for (l, a) in [0.5, 0.2, 0.9].iter().enumerate() {
                model.set_a(l, &(*a * matrix)).unwrap();
            }
            let gradient = batch.loss_and_gradient(&model).unwrap().1;
            let of_layer = |l| {
                let whitened = conjugated(&gradient.a(l).unwrap().to_owned(), &inverse).unwrap();
                distance_to_identity(&whitened).unwrap()
            };
            largest_of((0..3).map(of_layer))
        };
        assert!(off(law.truth_covariance()) < 1e-12);
        assert!(off(&Array2::eye(3)) > 1e-2 && off(law.covariance()) > 1e-2);
    }

    #[test]
    fn the_best_multiples_are_stationary_along_their_matrix() {
        let streams = Streams::new(6);
        let law = TaskLaw::rotated(&[1.0, 0.25, 0.5], &mut streams.stream("u").unwrap()).unwrap();
        let batch = Batch::draw(&law, 12, 50_000, Precision::Double, &mut streams.stream("b").unwrap()).unwrap();
        let mut a = best_multiples(&batch, law.truth_covariance(), 2).unwrap();
        a.sort_by(f64::total_cmp);
        let exact = crate::best_whitened(12, 3, 2).unwrap();
        for (a, want) in a.iter().zip(&exact.steps) {
            assert!((a / want - 1.0).abs() < 0.05, "{a} {want}");
        }
        assert!(best_multiples(&batch, &Array2::zeros((3, 3)), 2).is_err());
        assert!(best_multiples(&batch, &Array2::eye(2), 2).is_err());
    }

    #[test]
    fn too_many_images_are_refused() {
        let law = TaskLaw::isotropic(8).unwrap();
        let prompts = Prompts::draw(&law, 2, 1, &mut Streams::new(1).stream("p").unwrap()).unwrap();
        let error = symmetrised(&prompts.statistics().unwrap(), &law).unwrap_err();
        assert!(error.to_string().contains("million"), "{error}");
        let other = TaskLaw::isotropic(7).unwrap();
        assert!(symmetrised(&prompts.statistics().unwrap(), &other).is_err());
    }
}
