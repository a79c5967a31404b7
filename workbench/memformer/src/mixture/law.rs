//! Mixtures of task laws.

use crate::{Batch, Error, Precision, Prompts, TaskLaw};
use ndarray::{Array1, Array2, Array3, s};
use workbench_ground::check::{entries, positive, same_shape, within};
use workbench_ground::stats::Stream;
use workbench_ground::work;

/// Weights may miss a sum of one by this much: rounding of decimals.
const SUM: f64 = 1e-9;
/// Prompts between two looks at a stop request.
const LOOK: usize = 256;

/// What is drawn from one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// A prompt: its covariates, query and target come from the same component, as Theorem 4.1 has it.
    Prompt,
    /// A token: each covariate, the query and the target come from components of their own, as samples of a Gaussian mixture do.
    Token,
}

/// A mixture of task laws: component m with probability `weights[m]`.
///
/// **Source**: Section 4.2, Gaussian Mixture Models; Theorem 4.1.
///
/// ```
/// use workbench_memformer::{GaussianMixture, TaskLaw};
/// let mixture = GaussianMixture::document(&TaskLaw::isotropic(5)?)?;
/// // The printed means and weights cancel: 0.2 * 2.5 + 0.3 * 0 - 0.5 * 1 = 0.
/// assert!(mixture.mean().iter().all(|m| m.abs() < 1e-15));
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GaussianMixture {
    weights: Vec<f64>,
    components: Vec<TaskLaw>,
}

/// Prompts of a mixture, and where they came from.
#[derive(Clone, Debug)]
pub struct MixturePrompts {
    /// The prompts.
    pub prompts: Prompts,
    /// Component of each target, (B).
    pub targets: Vec<usize>,
    /// Component of each token, (B, n + 1); the last is the query's.
    pub tokens: Array2<usize>,
}

impl GaussianMixture {
    /// The mixture of `components` with `weights`.
    ///
    /// **Errors**: no component, another number of weights, weights that are negative or do not sum to one, laws of several dimensions.
    pub fn new(weights: &[f64], components: Vec<TaskLaw>) -> Result<GaussianMixture, Error> {
        const OP: &str = "GaussianMixture::new";
        positive(OP, "the number of components (M)", components.len())?;
        same_shape(OP, "weights", &[weights.len()], &[components.len()])?;
        let allowed = "finite numbers, zero or more";
        entries(OP, "weight", weights, |w| w.is_finite() && w >= 0.0, allowed)?;
        let sum: f64 = weights.iter().sum();
        let allowed = "weights that sum to 1; divide them by their sum";
        within(OP, "sum of the weights", sum, (sum - 1.0).abs() <= SUM, allowed)?;
        let d = components[0].dim();
        for law in &components {
            same_shape(OP, "a component's covariance", law.covariance().shape(), &[d, d])?;
        }
        Ok(GaussianMixture { weights: weights.to_vec(), components })
    }

    /// Components $x\sim\mathcal N(\mu_m\mathbf 1,v_m\Sigma)$, $w^\ast\sim\mathcal N(\mu_m\mathbf 1,(v_m\Sigma)^{-1})$, for the covariance
    /// $\Sigma$ of `base`.
    ///
    /// **Source**: Theorem 4.1: targets share the mean of the covariates. **Errors**: lengths, variances that are not positive, and as
    /// [`GaussianMixture::new`].
    pub fn around(base: &TaskLaw, means: &[f64], variances: &[f64], weights: &[f64]) -> Result<GaussianMixture, Error> {
        const OP: &str = "GaussianMixture::around";
        same_shape(OP, "means", &[means.len()], &[weights.len()])?;
        same_shape(OP, "variances", &[variances.len()], &[weights.len()])?;
        let component = |(mean, variance): (&f64, &f64)| {
            let centre = Array1::from_elem(base.dim(), *mean);
            base.scaled(*variance)?.with_means(centre.clone(), centre)
        };
        let components = means.iter().zip(variances).map(component);
        GaussianMixture::new(weights, components.collect::<Result<_, Error>>()?)
    }

    /// The document's mixture: means 2.5, 0, -1; variances 0.5, 1, 2; weights 0.2, 0.3, 0.5.
    ///
    /// **Source**: Section 4.2. A mean is taken for all coordinates, a variance as a factor of $\Sigma$, as elsewhere in the document.
    /// **Errors**: none for a law with a finite covariance.
    pub fn document(base: &TaskLaw) -> Result<GaussianMixture, Error> {
        GaussianMixture::around(base, &[2.5, 0.0, -1.0], &[0.5, 1.0, 2.0], &[0.2, 0.3, 0.5])
    }

    /// The laws of `base` with covariances multiplied by `variances`, equally likely: what a pooled model is trained on.
    ///
    /// **Errors**: no variance, variances that are not positive.
    pub fn pooled(base: &TaskLaw, variances: &[f64]) -> Result<GaussianMixture, Error> {
        positive("GaussianMixture::pooled", "the number of components (M)", variances.len())?;
        let weight = 1.0 / variances.len() as f64;
        let components = variances.iter().map(|v| base.scaled(*v)).collect::<Result<_, Error>>()?;
        GaussianMixture::new(&vec![weight; variances.len()], components)
    }

    /// Probabilities of the components.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The components.
    pub fn components(&self) -> &[TaskLaw] {
        &self.components
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.components[0].dim()
    }

    /// Mean of a token, $\sum_mp_m\mu_m$, `(d)`.
    pub fn mean(&self) -> Array1<f64> {
        let terms = self.weights.iter().zip(&self.components);
        terms.fold(Array1::zeros(self.dim()), |sum, (p, law)| sum + *p * law.mean())
    }

    /// Covariance of a token, $\sum_mp_m(\Sigma_m+\mu_m\mu_m^\top)-\mu\mu^\top$, `(d, d)`.
    ///
    /// The components' means add to it: prompts that mix by token have this as the mean of H, those that mix by prompt never do.
    pub fn covariance(&self) -> Array2<f64> {
        let mean = self.mean();
        let mut sum = -outer(&mean, &mean);
        for (p, law) in self.weights.iter().zip(&self.components) {
            sum.scaled_add(*p, &(law.covariance() + &outer(law.mean(), law.mean())));
        }
        sum
    }

    /// `batch` prompts with `n` examples.
    ///
    /// **Errors**: n or B zero, a stop request. Cost: B (n + 2) d^2.
    pub fn draw(&self, n: usize, batch: usize, level: Level, stream: &mut Stream) -> Result<MixturePrompts, Error> {
        const OP: &str = "GaussianMixture::draw";
        positive(OP, "the number of examples (n)", n)?;
        positive(OP, "the batch size (B)", batch)?;
        let d = self.dim();
        let mut x = Array3::zeros((batch, n, d));
        let (mut query, mut truth) = (Array2::zeros((batch, d)), Array2::zeros((batch, d)));
        let (mut targets, mut tokens) = (Vec::with_capacity(batch), Array2::zeros((batch, n + 1)));
        let mut noise = Array1::zeros(d);
        for b in 0..batch {
            if b % LOOK == 0 {
                work::check(OP, b, batch)?;
            }
            let target = self.component(stream);
            let law = &self.components[target];
            normal(law.truth_mean(), law.truth_factor(), &mut noise, stream, truth.row_mut(b));
            targets.push(target);
            for i in 0..=n {
                let m = match level {
                    Level::Prompt => target,
                    Level::Token => self.component(stream),
                };
                let law = &self.components[m];
                let row = if i < n { x.slice_mut(s![b, i, ..]) } else { query.row_mut(b) };
                normal(law.mean(), law.factor(), &mut noise, stream, row);
                tokens[[b, i]] = m;
            }
        }
        Ok(MixturePrompts { prompts: Prompts::from_parts(x, query, truth)?, targets, tokens })
    }

    /// The same, packed for the passes.
    ///
    /// **Errors**: as [`GaussianMixture::draw`].
    pub fn batch(
        &self,
        n: usize,
        batch: usize,
        level: Level,
        precision: Precision,
        stream: &mut Stream,
    ) -> Result<Batch, Error> {
        let drawn = self.draw(n, batch, level, stream)?;
        Batch::new(&drawn.prompts.statistics()?, precision)
    }

    fn component(&self, stream: &mut Stream) -> usize {
        let mut left = stream.uniform();
        for (m, p) in self.weights.iter().enumerate() {
            left -= p;
            if left < 0.0 {
                return m;
            }
        }
        // Rounding of the sum: the last component that can occur.
        self.weights.iter().rposition(|p| *p > 0.0).unwrap_or(0)
    }
}

/// $\mathbb E\langle w^\ast,x\rangle^2$ for one law, with W and $\nu$ of the target.
///
/// $$ \operatorname{tr}(\Sigma W)+\mu^\top W\mu+\nu^\top\Sigma\nu+\langle\mu,\nu\rangle^2 $$
///
/// It is d for every covariance if the means are zero and $W=\Sigma^{-1}$. With means it depends on the unit of x: multiply x by c and
/// divide $w^\ast$ by c, and the answers stay, but $\mathcal N(\mu_m,\Sigma_m^{-1})$ does not go over into itself.
///
/// **Source**: ours, for Theorem 4.1.
///
/// ```
/// use workbench_memformer::{TaskLaw, answer_power};
/// assert!((answer_power(&TaskLaw::isotropic(5)?.scaled(3.0)?) - 5.0).abs() < 1e-12);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn answer_power(law: &TaskLaw) -> f64 {
    let (sigma, w, mu, nu) = (law.covariance(), law.truth_covariance(), law.mean(), law.truth_mean());
    (sigma * w).sum() + mu.dot(&w.dot(mu)) + nu.dot(&sigma.dot(nu)) + mu.dot(nu).powi(2)
}

fn outer(a: &Array1<f64>, b: &Array1<f64>) -> Array2<f64> {
    Array2::from_shape_fn((a.len(), b.len()), |(i, j)| a[i] * b[j])
}

/// mean + factor noise, for a lower triangular factor.
fn normal(
    mean: &Array1<f64>,
    factor: &Array2<f64>,
    noise: &mut Array1<f64>,
    stream: &mut Stream,
    mut out: ndarray::ArrayViewMut1<f64>,
) {
    noise.mapv_inplace(|_| stream.normal());
    for (i, out) in out.iter_mut().enumerate() {
        *out = mean[i] + factor.slice(s![i, ..=i]).dot(&noise.slice(s![..=i]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use workbench_ground::stats::{Streams, mean as estimate};

    fn base() -> TaskLaw {
        TaskLaw::new(array![[1.0, 0.3], [0.3, 0.5]]).unwrap()
    }

    fn stream(name: &str) -> Stream {
        Streams::new(17).stream(name).unwrap()
    }

    #[test]
    fn draws_have_the_stated_weights_and_moments_at_both_levels() {
        let mixture = GaussianMixture::document(&base()).unwrap();
        let (n, batch) = (6, 6000);
        for level in [Level::Prompt, Level::Token] {
            let drawn = mixture.draw(n, batch, level, &mut stream(&format!("{level:?}"))).unwrap();
            for (m, p) in mixture.weights().iter().enumerate() {
                let share = drawn.targets.iter().filter(|t| **t == m).count() as f64 / batch as f64;
                assert!((share - p).abs() < 5.0 * (p * (1.0 - p) / batch as f64).sqrt());
            }
            // One token of each prompt: independent.
            let first: Vec<f64> = (0..batch).map(|b| drawn.prompts.x()[[b, 0, 1]]).collect();
            let squares: Vec<f64> = first.iter().map(|v| v * v).collect();
            assert!(estimate(&first).unwrap().contains(0.0));
            assert!(estimate(&squares).unwrap().contains(mixture.covariance()[[1, 1]]), "{level:?}");
            let whole = (0..batch).filter(|b| drawn.tokens.row(*b).iter().all(|m| *m == drawn.targets[*b])).count();
            assert_eq!(level == Level::Prompt, whole == batch);
            let labelled = (0..batch).filter(|b| drawn.tokens[[*b, n]] == 0).map(|b| drawn.prompts.query()[[b, 0]]);
            let of_first = estimate(&labelled.collect::<Vec<f64>>()).unwrap();
            assert!(of_first.contains(2.5), "{of_first:?}");
        }
    }

    #[test]
    fn the_power_of_the_answers() {
        let law = GaussianMixture::document(&base()).unwrap().components()[2].clone();
        let prompts = Prompts::draw(&law, 1, 40_000, &mut stream("power")).unwrap();
        let squares = prompts.answers().mapv(|a| a * a).to_vec();
        assert!(estimate(&squares).unwrap().contains(answer_power(&law)));
        // A change of unit that leaves the answers alone leaves no such law as it is.
        let scaled = law.scaled(4.0).unwrap();
        assert!((answer_power(&scaled) - answer_power(&law)).abs() > 0.1);
    }

    #[test]
    fn bad_mixtures_are_named() {
        let say = |weights: &[f64], laws: Vec<TaskLaw>| GaussianMixture::new(weights, laws).unwrap_err().to_string();
        assert!(say(&[], vec![]).contains("(M)"));
        assert!(say(&[1.0], vec![base(), base()]).contains("= 1 does"));
        assert!(say(&[0.5, 0.4], vec![base(), base()]).contains("sum of the weights = 0.9"));
        assert!(say(&[1.5, -0.5], vec![base(), base()]).contains("-0.5"));
        assert!(say(&[0.5, f64::NAN], vec![base(), base()]).contains("NaN"));
        assert!(say(&[0.5, 0.5], vec![base(), TaskLaw::isotropic(3).unwrap()]).contains("(3, 3)"));
        assert!(GaussianMixture::around(&base(), &[0.0], &[-1.0], &[1.0]).unwrap_err().to_string().contains("-1"));
        assert!(GaussianMixture::around(&base(), &[0.0, 1.0], &[1.0], &[1.0]).is_err());
        assert!(GaussianMixture::pooled(&base(), &[]).is_err());
        let mixture = GaussianMixture::pooled(&base(), &[1.0, 2.0]).unwrap();
        assert!(mixture.draw(0, 1, Level::Token, &mut stream("a")).unwrap_err().to_string().contains("(n)"));
        assert!(mixture.draw(1, 0, Level::Token, &mut stream("b")).unwrap_err().to_string().contains("(B)"));
        let stopped =
            workbench_ground::rehearsal::stop_after(2, || mixture.draw(1, 900, Level::Token, &mut stream("c")));
        assert!(matches!(stopped, Err(Error::Stopped(_))));
    }
}
