//! The best that coefficients shared by all prompts can do, where it has a closed form.

use ndarray::{Array1, Array2};

use super::quadratic::Quadratic;
use super::single_memory::SingleMemory;
use crate::Error;
use crate::arithmetic::algebra::{inner, step};
use workbench_ground::check::{positive, same_shape, within};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// What is averaged over the prompts of a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// The in-context loss R(w) of Eq. 2.11.
    Loss,
    /// $\lVert w-w^\ast\rVert^2$: the squared error of the answer to a query with covariance I.
    Distance,
    /// $(w-w^\ast)^\top\Sigma(w-w^\ast)$: the squared error of the answer to a query with covariance $\Sigma$, (d, d); Eq. 2.7 with the
    /// mean over the query taken.
    Query(Array2<f64>),
}

impl Measure {
    /// The value at `w` for a prompt with loss `f` and minimiser `target`.
    pub(crate) fn value(&self, f: &Quadratic<f64>, target: &Array1<f64>, w: &Array1<f64>) -> f64 {
        let miss = target - w;
        match self {
            Measure::Loss => 0.5 * miss.dot(&f.hessian.dot(&miss)),
            Measure::Distance => miss.dot(&miss),
            Measure::Query(sigma) => miss.dot(&sigma.dot(&miss)),
        }
    }
}

/// The best method with scalar coefficients shared by a batch, and how far it comes.
#[derive(Clone, Debug)]
pub struct SharedOptimum {
    /// The shared coefficients.
    pub method: SingleMemory<f64>,
    /// Mean measure over the batch after 0, 1, ..., K steps: the least that any scalar coefficients shared by the batch reach, after
    /// every number of steps at once.
    pub means: Vec<f64>,
}

/// The mean measure, one row after each step.
impl Tabulated for SharedOptimum {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Best shared scalars after each step")
            .x("step", (0..self.means.len()).collect::<Vec<usize>>())
            .with("mean measure", &self.means)
            .log_y())
    }
}

/// The best shared scalars, in closed form: conjugate gradients on the direct sum of all prompts.
///
/// With scalar weights, $w_k-w^\ast=p(H)(w_0-w^\ast)$ with one polynomial p, $p(0)=1$, for all prompts. The mean loss is then the loss of
/// the block diagonal quadratic that holds all prompts, and conjugate gradients on it find the best polynomial of every degree:
///
/// $$ \gamma_n=\frac{\sum\langle r_n,r_n\rangle}{\sum\langle r_{n-1},r_{n-1}\rangle},\qquad
/// \alpha_n=\frac{\sum\langle r_n,r_n\rangle}{\sum\langle s_n,Hs_n\rangle} $$
///
/// For [`Measure::Distance`] the products are $\langle r,H^{-1}r\rangle$ and $\langle s,s\rangle$. So a single register with shared
/// $\alpha$ and $\gamma$ is as good as any scalar linear first-order method shared by these prompts, separate registers included.
///
/// **Source**: ours, for the sharing of Remark 3.3. **Errors**: an empty batch, no step, several dimensions, a singular Hessian,
/// [`Measure::Query`] (see [`best_stagewise`](super::stagewise::best_stagewise)), a stop request. Cost K B d^2.
///
/// ```
/// use workbench_memformer::{Measure, Quadratic, best_shared_memory};
/// use ndarray::array;
/// let one = |h: f64| Quadratic::around(array![[h]], &array![1.0]);
/// // Two prompts with curvatures 1 and 3: alpha = sum h^2 / sum h^3 is best for one step.
/// let best = best_shared_memory(&[one(1.0)?, one(3.0)?], 1, &Measure::Loss)?;
/// assert!((best.method.alpha[0] - 10.0 / 28.0).abs() < 1e-14);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn best_shared_memory(batch: &[Quadratic<f64>], steps: usize, measure: &Measure) -> Result<SharedOptimum, Error> {
    const OP: &str = "best_shared_memory";
    let targets = targets(OP, batch, steps)?;
    if let Measure::Query(_) = measure {
        let instead = "use best_stagewise, or precondition with its inverse and use Measure::Distance";
        return Err(Error::unavailable(OP, "a closed form for a query covariance", instead));
    }
    let mut iterates: Vec<Array1<f64>> = batch.iter().map(Quadratic::origin).collect();
    let mut memories = iterates.clone();
    let mean = |iterates: &[Array1<f64>]| {
        let values = batch.iter().zip(&targets).zip(iterates);
        values.map(|((f, t), w)| measure.value(f, t, w)).sum::<f64>() / batch.len() as f64
    };
    let mut means = vec![mean(&iterates)];
    let (mut alpha, mut gamma) = (Vec::new(), Vec::new());
    let (mut first, mut before) = (0.0, 0.0);
    for n in 0..steps {
        work::check(OP, n, steps)?;
        let residuals: Vec<Array1<f64>> =
            batch.iter().zip(&iterates).map(|(f, w)| f.gradient(w).mapv(|g| -g)).collect();
        let square: f64 = match measure {
            Measure::Loss => residuals.iter().map(|r| inner(r, r)).sum(),
            _ => residuals.iter().zip(&targets).zip(&iterates).map(|((r, t), w)| inner(r, &(t - w))).sum(),
        };
        if n == 0 {
            first = square;
        }
        /// Below this share of the start what is left is rounding.
        const DONE: f64 = 1e-28;
        let done = square <= DONE * first;
        let deflection = if n == 0 || done { 0.0 } else { square / before };
        for (memory, residual) in memories.iter_mut().zip(&residuals) {
            *memory = step(residual, &deflection, memory);
        }
        let curvature: f64 = match measure {
            Measure::Loss => batch.iter().zip(&memories).map(|(f, s)| s.dot(&f.hessian.dot(s))).sum(),
            _ => memories.iter().map(|s| s.dot(s)).sum(),
        };
        let size = if done || curvature == 0.0 { 0.0 } else { square / curvature };
        for (iterate, memory) in iterates.iter_mut().zip(&memories) {
            iterate.scaled_add(size, memory);
        }
        means.push(mean(&iterates));
        alpha.push(size);
        gamma.push(deflection);
        before = square;
    }
    let method = SingleMemory::new(alpha, gamma)?;
    Ok(SharedOptimum { method, means })
}

/// Minimisers of a batch whose members must have one dimension.
pub(crate) fn targets(op: &'static str, batch: &[Quadratic<f64>], steps: usize) -> Result<Vec<Array1<f64>>, Error> {
    positive(op, "the batch size (B)", batch.len())?;
    positive(op, "the number of steps", steps)?;
    let d = batch[0].dim();
    for (b, f) in batch.iter().enumerate() {
        if b % 64 == 0 {
            work::check(op, b, batch.len())?;
        }
        same_shape(op, "a Hessian", f.hessian.shape(), &[d, d])?;
    }
    batch.iter().map(Quadratic::minimiser).collect()
}

/// Exact expected loss of one layer with $A=a\Sigma^{-1}$, n examples in d dimensions: $d\,\bigl(1-2a+a^2\frac{n+d+1}n\bigr)$.
///
/// The whitened Gram matrix $W=\Sigma^{-1/2}H\Sigma^{-1/2}$ is Wishart with $\mathbb E W=I$ and $\mathbb E W^2=\frac{n+d+1}nI$, and the
/// whitened error of the answer is $(I-aW)\,v$ with $v\sim\mathcal N(0,I)$.
///
/// **Source**: ours, for Eq. 2.7 with $w^\ast\sim\mathcal N(0,\Sigma^{-1})$ and the sign that fits Lemma 2.1. With the printed sign the
/// value is that of $-a$: see Eq. 2.7's check. **Errors**: n or d of 0, a that is not finite.
pub fn one_layer_loss(a: f64, n: usize, d: usize) -> Result<f64, Error> {
    const OP: &str = "one_layer_loss";
    positive(OP, "the number of examples (n)", n)?;
    positive(OP, "d", d)?;
    within(OP, "a", a, true, "a finite number")?;
    let (n, d) = (n as f64, d as f64);
    Ok(d * (1.0 - 2.0 * a + a * a * (n + d + 1.0) / n))
}

/// Where [`one_layer_loss`] is least: $a=\frac n{n+d+1}$; its value there is $\frac{d\,(d+1)}{n+d+1}$.
///
/// **Source**: ours, for Eq. 2.7 as in [`one_layer_loss`].
/// **Errors**: n or d of 0.
///
/// ```
/// use workbench_memformer::{one_layer_best, one_layer_loss};
/// let a = one_layer_best(20, 5)?;
/// assert_eq!(a, 20.0 / 26.0);
/// assert!((one_layer_loss(a, 20, 5)? - 30.0 / 26.0).abs() < 1e-14);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn one_layer_best(n: usize, d: usize) -> Result<f64, Error> {
    one_layer_loss(0.0, n, d)?;
    Ok(n as f64 / (n + d + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::stagewise::{Kind, best_stagewise};
    use crate::{Prompts, TaskLaw};
    use workbench_ground::stats::Streams;

    fn batch(size: usize) -> Vec<Quadratic<f64>> {
        let law = TaskLaw::isotropic(3).unwrap();
        let mut stream = Streams::new(11).stream("batch").unwrap();
        Quadratic::of_batch(&Prompts::draw(&law, 6, size, &mut stream).unwrap().statistics().unwrap()).unwrap()
    }

    #[test]
    fn shared_scalars_are_the_best_of_all_arrays() {
        let batch = batch(20);
        for measure in [Measure::Loss, Measure::Distance] {
            let best = best_shared_memory(&batch, 4, &measure).unwrap();
            let any = best_stagewise(&batch, 4, Kind::Scalar, &measure).unwrap();
            for (a, b) in best.means.iter().zip(&any.means) {
                assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
            }
            // The coefficients alone reproduce the means, and moving one of them makes the end worse.
            let mean = |method: &SingleMemory<f64>| {
                let ends = batch.iter().map(|f| {
                    let run = method.run(f, &f.origin()).unwrap();
                    measure.value(f, &f.minimiser().unwrap(), &run.iterates[4])
                });
                ends.sum::<f64>() / batch.len() as f64
            };
            assert!((mean(&best.method) / best.means[4] - 1.0).abs() < 1e-10);
            for l in 0..4 {
                for by in [0.99, 1.01] {
                    let mut moved = best.method.clone();
                    moved.alpha[l] *= by;
                    assert!(mean(&moved) > best.means[4]);
                }
            }
        }
    }

    #[test]
    fn one_prompt_alone_gets_conjugate_gradients() {
        let batch = batch(1);
        let best = best_shared_memory(&batch, 4, &Measure::Loss).unwrap();
        let own = crate::conjugate_gradient(&batch[0], &batch[0].origin(), 3).unwrap();
        for l in 0..3 {
            assert!((best.method.alpha[l] / own.coefficients.alpha[l] - 1.0).abs() < 1e-9);
        }
        assert!(best.means[3] < 1e-25 && best.method.alpha[3].is_finite());
        let shown = best.columns().unwrap();
        assert_eq!(shown.list[0].1, [0, 1, 2, 3, 4].into());
        assert_eq!(shown.list[1].1, (&best.means).into());
    }

    #[test]
    fn one_layer_against_its_own_minimum() {
        let best = one_layer_best(20, 5).unwrap();
        assert_eq!(best, 20.0 / 26.0);
        let least = one_layer_loss(best, 20, 5).unwrap();
        assert!((least - 30.0 / 26.0).abs() < 1e-14);
        assert!(
            one_layer_loss(best + 0.01, 20, 5).unwrap() > least && one_layer_loss(best - 0.01, 20, 5).unwrap() > least
        );
        assert!(one_layer_loss(-best, 20, 5).unwrap() > 5.0);
    }

    #[test]
    fn bad_input() {
        assert!(best_shared_memory(&[], 2, &Measure::Loss).is_err());
        assert!(best_shared_memory(&batch(2), 0, &Measure::Loss).is_err());
        assert!(best_shared_memory(&batch(2), 2, &Measure::Query(Array2::eye(3))).is_err());
        let mut mixed = batch(2);
        mixed.push(Quadratic::around(Array2::eye(2), &Array1::ones(2)).unwrap());
        assert!(best_shared_memory(&mixed, 2, &Measure::Loss).is_err());
        assert!(one_layer_loss(1.0, 0, 5).is_err() && one_layer_loss(f64::NAN, 1, 5).is_err());
    }

    #[test]
    fn a_stop_is_heard() {
        let batch = batch(200);
        let refused = workbench_ground::rehearsal::stop_after(5, || best_shared_memory(&batch, 50, &Measure::Loss));
        assert!(matches!(refused, Err(Error::Stopped(_))));
    }
}
