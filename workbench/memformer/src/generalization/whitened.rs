//! Exact risk and moments of the loss of models on the set $A_\ell=a_\ell\Sigma^{-1}$.

use super::chi;
use super::krylov::{Krylov, Tridiagonal};
use crate::Error;
use ndarray::Array2;
use ndarray_linalg::{Cholesky, Eigh, UPLO};
use workbench_ground::check::{finite, positive};
use workbench_ground::tabulated::{Columns, Tabulated};

/// p(T) e_1 with p(h) = prod_l (1 - a_l h), and what is left out: the buffers of one evaluation.
struct Walk {
    at: Vec<f64>,
    image: Vec<f64>,
}

impl Walk {
    fn new(steps: usize) -> Walk {
        Walk { at: vec![0.0; steps + 1], image: vec![0.0; steps + 1] }
    }

    /// The product over all layers but `skip`.
    fn run(&mut self, t: &Tridiagonal, steps: &[f64], skip: Option<usize>) -> &[f64] {
        self.at.fill(0.0);
        self.at[0] = 1.0;
        for (l, a) in steps.iter().enumerate() {
            if Some(l) != skip {
                t.times(&self.at, &mut self.image);
                self.at.iter_mut().zip(&self.image).for_each(|(x, y)| *x -= a * y);
            }
        }
        &self.at
    }
}

fn square(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

/// Exact expected loss (2.7) of L layers with $A_\ell=a_\ell\Sigma^{-1}$, $x\sim\mathcal N(0,\Sigma)$,
/// $w^\ast\sim\mathcal N(0,\Sigma^{-1})$, for every $\Sigma$.
///
/// $$ f(a)=\mathbb E\Bigl\lVert\prod_\ell(I-a_\ell W)\,v\Bigr\rVert^2=d\,\mathbb E\Bigl\lVert\prod_\ell(I-a_\ell T)\,e_1\Bigr\rVert^2 $$
///
/// with the whitened Gram matrix W and its tridiagonal form T; the mean is a polynomial in 2L independent chi-squared
/// variables, which Gauss rules integrate exactly.
///
/// **Source**: ours, for Eq. 2.7 with the sign that fits Lemma 2.1. **Shapes**: `steps` (L). **Errors**: n, d or L of 0, steps that are
/// not finite, more than 6 layers or so. Cost: $\prod_{j\le L}(j+1)j$ nodes.
///
/// ```
/// use workbench_memformer::{one_layer_loss, whitened_risk};
/// let exact = whitened_risk(&[0.4], 20, 5)?;
/// assert!((exact - one_layer_loss(0.4, 20, 5)?).abs() < 1e-12);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn whitened_risk(steps: &[f64], n: usize, d: usize) -> Result<f64, Error> {
    const OP: &str = "whitened_risk";
    finite(OP, "the steps", steps)?;
    let mut walk = Walk::new(steps.len());
    let mut sum = 0.0;
    Krylov::new(OP, n, d, steps.len())?.each(OP, 1, &mut |weight, t| {
        sum += weight * square(walk.run(t, steps, None));
    })?;
    Ok(d as f64 * sum)
}

/// Derivatives of [`whitened_risk`] by each $a_\ell$, exact.
///
/// By rotation invariance $\nabla_{A_\ell}f$ at such a point is $\frac1d\frac{\partial f}{\partial a_\ell}\Sigma$: see
/// [`crate::symmetrised`].
///
/// **Source**: ours, for Eq. 2.7 with the sign that fits Lemma 2.1.
/// **Errors**: as [`whitened_risk`]. Cost: as there.
///
/// ```
/// use workbench_memformer::whitened_gradient;
/// let slope = whitened_gradient(&[20.0 / 26.0], 20, 5)?;
/// assert!(slope[0].abs() < 1e-12); // the best single layer
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn whitened_gradient(steps: &[f64], n: usize, d: usize) -> Result<Vec<f64>, Error> {
    const OP: &str = "whitened_gradient";
    finite(OP, "the steps", steps)?;
    let layers = steps.len();
    let (mut whole, mut part) = (Walk::new(layers), Walk::new(layers));
    let mut image = vec![0.0; layers + 1];
    let mut sums = vec![0.0; layers];
    Krylov::new(OP, n, d, layers)?.each(OP, 1, &mut |weight, t| {
        let end = whole.run(t, steps, None);
        for (l, sum) in sums.iter_mut().enumerate() {
            t.times(part.run(t, steps, Some(l)), &mut image);
            let slope: f64 = end.iter().zip(&image).map(|(x, y)| x * y).sum();
            *sum -= 2.0 * weight * slope;
        }
    })?;
    Ok(sums.into_iter().map(|s| d as f64 * s).collect())
}

/// Exact k-th moment $\mathbb E\,l^k$ of the loss of one prompt, $l=(\mathrm{prediction}-\langle x,w^\ast\rangle)^2$, for
/// $A_\ell=a_\ell\Sigma^{-1}$.
///
/// $l$ is a product of independent factors, $\chi^2_1\,\chi^2_d\,\lVert\prod_\ell(I-a_\ell T)\,e_1\rVert^2$: the query, the length of the
/// target, and what the layers leave. The last is a polynomial of degree 2L in each variable of T, so that $l$ has moments of all orders,
/// which grow as $k^{2+2L}$ to the power k.
///
/// **Source**: ours, for condition (i) of Theorem 5.1. **Errors**: as [`whitened_risk`], a moment of so high order that its rules leave the
/// doubles ($2Lk>180$).
///
/// ```
/// use workbench_memformer::{whitened_moment, whitened_risk};
/// let steps = [0.4, 0.7];
/// assert!((whitened_moment(&steps, 20, 5, 1)? / whitened_risk(&steps, 20, 5)? - 1.0).abs() < 1e-12);
/// // Without layers' help, l = <x, w*>^2 in one dimension: E l^2 = 3 * 3.
/// assert!((whitened_moment(&[0.0], 20, 1, 2)? - 9.0).abs() < 1e-12);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn whitened_moment(steps: &[f64], n: usize, d: usize, k: usize) -> Result<f64, Error> {
    const OP: &str = "whitened_moment";
    finite(OP, "the steps", steps)?;
    positive(OP, "the order of the moment (k)", k)?;
    let mut walk = Walk::new(steps.len());
    let mut sum = 0.0;
    Krylov::new(OP, n, d, steps.len())?.each(OP, k, &mut |weight, t| {
        sum += weight * square(walk.run(t, steps, None)).powi(k as i32);
    })?;
    Ok(chi::moment(1, k) * chi::moment(d, k) * sum)
}

/// Moments of the mean spectral measure of the whitened Gram matrix: $\mathbb E\operatorname{tr}W^k/d$ for $k=0,1,\dots$, `count`.
///
/// **Source**: ours, from the moments of Wishart matrices.
/// **Errors**: n or d of 0, a count of 0 or beyond 12.
///
/// ```
/// use workbench_memformer::spectral_moments;
/// assert!((spectral_moments(20, 5, 2)?[2] - 26.0 / 20.0).abs() < 1e-13);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn spectral_moments(n: usize, d: usize, count: usize) -> Result<Vec<f64>, Error> {
    const OP: &str = "spectral_moments";
    let steps = count.div_ceil(2);
    let width = steps + 1;
    let (mut powers, mut sums) = (vec![0.0; width * width], vec![0.0; count + 1]);
    Krylov::new(OP, n, d, steps)?.each(OP, 1, &mut |weight, t| {
        t.powers(&mut powers);
        for (k, sum) in sums.iter_mut().enumerate() {
            let (a, b) = (&powers[k / 2 * width..], &powers[(k - k / 2) * width..]);
            *sum += weight * a[..width].iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        }
    })?;
    Ok(sums)
}

/// The best point of a set of models, and its loss.
#[derive(Clone, Debug, PartialEq)]
pub struct WhitenedOptimum {
    /// $a_0,\dots,a_{L-1}$, rising; the loss does not depend on their order.
    pub steps: Vec<f64>,
    /// The expected loss there.
    pub loss: f64,
}

/// One row for each layer.
impl Tabulated for WhitenedOptimum {
    fn columns(&self) -> Result<Columns, Error> {
        let title = format!("Best multiples, with an expected loss of {:.3e}", self.loss);
        Ok(Columns::new(&title)
            .with("layer", (0..self.steps.len()).collect::<Vec<usize>>())
            .with("multiple", &self.steps))
    }
}

/// The least expected loss over $A_\ell=a_\ell\Sigma^{-1}$, and over all scalar linear first-order methods of L steps preconditioned by
/// $\Sigma^{-1}$.
///
/// The error after L layers is $p(W)\,v$ with $p(0)=1$. Over all such polynomials $\mathbb E\lVert p(W)\,v\rVert^2$ is least where p is
/// orthogonal to lower degrees in the measure $h\,d\mu(h)$, $\mu$ the mean spectral measure. Its roots are real, simple and positive, so
/// $p=\prod_\ell(1-a_\ell h)$ with $a_\ell$ their inverses: registers with scalar weights cannot do better in expectation, and the gradient
/// vanishes there.
///
/// **Source**: ours, for Theorem 3 of Ahn et al. as quoted in Appendix D. **Errors**: n, d or L of 0, more than 5 layers or so.
///
/// ```
/// use workbench_memformer::best_whitened;
/// let one = best_whitened(20, 5, 1)?;
/// assert!((one.steps[0] - 20.0 / 26.0).abs() < 1e-12 && (one.loss - 30.0 / 26.0).abs() < 1e-12);
/// assert!(best_whitened(20, 5, 3)?.loss < 0.2 * one.loss);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn best_whitened(n: usize, d: usize, layers: usize) -> Result<WhitenedOptimum, Error> {
    const OP: &str = "best_whitened";
    positive(OP, "the number of layers (L)", layers)?;
    let m = spectral_moments(n, d, 2 * layers + 1)?;
    // Golub and Welsch: the Jacobi matrix of h dmu from the Cholesky factor of its Hankel matrix.
    let hankel = Array2::from_shape_fn((layers + 1, layers + 1), |(i, j)| m[i + j + 1]);
    let r = hankel.cholesky(UPLO::Upper).map_err(Error::linear_algebra(OP))?;
    let ratio = |j: usize| r[[j, j + 1]] / r[[j, j]];
    let jacobi = Array2::from_shape_fn((layers, layers), |(i, j)| match i.abs_diff(j) {
        0 if i == 0 => ratio(0),
        0 => ratio(i) - ratio(i - 1),
        1 => r[[i.max(j), i.max(j)]] / r[[i.min(j), i.min(j)]],
        _ => 0.0,
    });
    let (roots, _) = jacobi.eigh(UPLO::Lower).map_err(Error::linear_algebra(OP))?;
    let mut steps: Vec<f64> = roots.iter().map(|h| h.recip()).collect();
    steps.sort_by(f64::total_cmp);
    let loss = whitened_risk(&steps, n, d)?;
    Ok(WhitenedOptimum { steps, loss })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Batch, Parameters, Precision, TaskLaw};
    use workbench_ground::stats::{Streams, mean};

    #[test]
    fn the_exact_risk_is_the_mean_loss_of_prompts() {
        let streams = Streams::new(3);
        let law = TaskLaw::rotated(&[1.0, 0.25, 0.5], &mut streams.stream("u").unwrap()).unwrap();
        let steps = [0.3, 0.9];
        let mut model = Parameters::neutral(Architecture::new(2, 3).unwrap());
        for (l, a) in steps.iter().enumerate() {
            model.set_a(l, &(*a * law.truth_covariance())).unwrap();
        }
        let batch = Batch::draw(&law, 12, 200_000, Precision::Double, &mut streams.stream("b").unwrap()).unwrap();
        let losses = batch.losses(&model).unwrap().row(2).to_vec();
        let (first, second) =
            (mean(&losses).unwrap(), mean(&losses.iter().map(|l| l.sqrt()).collect::<Vec<_>>()).unwrap());
        assert!(first.contains(whitened_risk(&steps, 12, 3).unwrap()), "{first}");
        // Moments by an independent route, in one dimension: E l^k = E chi^2_1^k squared times E prod (1 - a s / n)^{2k}.
        let s = chi::rule("test", 12, 20).unwrap();
        let want: f64 = s
            .nodes
            .iter()
            .zip(&s.weights)
            .map(|(s, w)| w * ((1.0 - 0.3 * s / 12.0) * (1.0 - 0.9 * s / 12.0)).powi(6))
            .sum();
        let got = whitened_moment(&steps, 12, 1, 3).unwrap();
        assert!((got / (225.0 * want) - 1.0).abs() < 1e-11, "{got}");
        assert!(second.value > 0.0);
    }

    #[test]
    fn slopes_are_differences_and_vanish_at_the_best() {
        let steps = [0.3, 0.8, 0.5];
        let slopes = whitened_gradient(&steps, 20, 5).unwrap();
        for l in 0..3 {
            let at = |h: f64| {
                let mut moved = steps;
                moved[l] += h;
                whitened_risk(&moved, 20, 5).unwrap()
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((slopes[l] - difference).abs() < 1e-8, "{slopes:?}");
        }
        for layers in 1..=4 {
            let best = best_whitened(20, 5, layers).unwrap();
            let slopes = whitened_gradient(&best.steps, 20, 5).unwrap();
            assert!(slopes.iter().all(|s| s.abs() < 1e-9), "{layers}: {slopes:?}");
            assert!(best.steps.windows(2).all(|w| w[0] < w[1]) && best.steps[0] > 0.0);
        }
    }

    #[test]
    fn no_polynomial_is_better() {
        let best = best_whitened(20, 5, 3).unwrap();
        let shown = best.columns().unwrap();
        assert_eq!(shown.list[0].1, [0, 1, 2].into());
        assert_eq!(shown.list[1].1, (&best.steps).into());
        let m = spectral_moments(20, 5, 6).unwrap();
        // Coefficients of prod (1 - a h).
        let mut p = vec![1.0, 0.0, 0.0, 0.0];
        for a in &best.steps {
            for k in (1..4).rev() {
                p[k] -= a * p[k - 1];
            }
        }
        let value = |p: &[f64]| -> f64 {
            let mut sum = 0.0;
            for i in 0..4 {
                for j in 0..4 {
                    sum += 5.0 * p[i] * p[j] * m[i + j];
                }
            }
            sum
        };
        assert!((value(&p) / best.loss - 1.0).abs() < 1e-9);
        for k in 1..4 {
            for by in [-0.02, 0.02] {
                let mut moved = p.clone();
                moved[k] += by;
                assert!(value(&moved) > best.loss);
            }
        }
    }

    #[test]
    fn bad_input_is_named() {
        assert!(whitened_risk(&[], 20, 5).is_err());
        assert!(whitened_risk(&[f64::NAN], 20, 5).unwrap_err().to_string().contains("NaN"));
        assert!(whitened_risk(&[0.1], 0, 5).is_err() && whitened_gradient(&[0.1], 5, 0).is_err());
        assert!(whitened_moment(&[0.1], 20, 5, 0).is_err());
        assert!(whitened_moment(&[0.1], 20, 5, 200).is_err());
        assert!(spectral_moments(20, 5, 0).is_err() && best_whitened(20, 5, 0).is_err());
    }

    #[test]
    fn a_stop_is_heard() {
        let refused = workbench_ground::rehearsal::stop_after(3, || whitened_moment(&[0.4, 0.5, 0.6], 20, 5, 4));
        assert!(matches!(refused, Err(Error::Stopped(_))));
    }
}
