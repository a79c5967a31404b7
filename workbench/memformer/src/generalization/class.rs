//! Classes of learned methods that are linear in their parameters: everything about their population risk is exact.

use super::faces;
use super::krylov::Krylov;
use super::sample::Sample;
use super::source::Source;
use crate::Error;
use ndarray::{Array1, Array2, s};
use ndarray_linalg::Solve;
use workbench_ground::check::{positive, same_shape, within};
use workbench_ground::stats::Stream;
use workbench_ground::work;

/// Prompts between two looks at a stop request.
const LOOK: usize = 1024;

/// How covariates and targets of a class are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covariates {
    /// Independent $\mathcal N(0,1)$ entries: Section 3.3 in whitened coordinates.
    Normal,
    /// Independent entries -1 or 1: bounded data, for which condition (i) of Theorem 5.1 holds.
    Signs,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// w^1 = diag(theta) H w*, with coordinates in groups that share a rate: sizes of the groups.
    OneStep(Vec<usize>),
    /// w^K = w* - p(H) w* with p(h) = 1 - sum_k theta_k h^k.
    Polynomial(usize),
}

/// A class $\Theta$ of linear first-order methods whose prediction is linear in $\theta$, namely $\sum_i\theta_i\phi_i(Z_0)$.
///
/// With $y=\langle x^{(n+1)},w^\ast\rangle$ and $g=(y,\phi_1,\dots,\phi_p)$ the loss of a prompt is $\langle t,g\rangle^2$,
/// $t=(1,-\theta)$, so population and empirical risk are $t^\top Gt$ with $G=\mathbb E\,gg^\top$ and its sample mean. G is known exactly
/// for every class here.
///
/// **Source**: Theorem 5.1. **Shapes**: G (p + 1, p + 1).
///
/// ```
/// use workbench_memformer::LinearClass;
/// let class = LinearClass::one_step(20, 5, 5)?; // a diagonal preconditioner in five dimensions
/// let best = class.best()?;
/// assert!(best.iter().all(|t| (t - 20.0 / 26.0).abs() < 1e-12));
/// assert!((class.risk(&best)? - 30.0 / 26.0).abs() < 1e-12);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinearClass {
    pub(super) n: usize,
    pub(super) d: usize,
    pub(super) kind: Kind,
    pub(super) covariates: Covariates,
    pub(super) moments: Array2<f64>,
}

impl LinearClass {
    /// One step with a diagonal preconditioner: `p` rates, each for d/p coordinates (as equal as they can be).
    ///
    /// $\phi_P=\sum_{c\in P}x_c(Hw^\ast)_c$ over the coordinates c of the group P. **Errors**: n, d or p of 0, more rates than coordinates.
    pub fn one_step(n: usize, d: usize, p: usize) -> Result<LinearClass, Error> {
        LinearClass::steps_of(n, d, p, Covariates::Normal)
    }

    /// As [`LinearClass::one_step`], with all entries of covariates, query and target -1 or 1.
    ///
    /// **Errors**: as [`LinearClass::one_step`].
    pub fn one_step_of_signs(n: usize, d: usize, p: usize) -> Result<LinearClass, Error> {
        LinearClass::steps_of(n, d, p, Covariates::Signs)
    }

    fn steps_of(n: usize, d: usize, p: usize, covariates: Covariates) -> Result<LinearClass, Error> {
        const OP: &str = "LinearClass::one_step";
        positive(OP, "the number of examples (n)", n)?;
        positive(OP, "d", d)?;
        positive(OP, "the number of parameters (p)", p)?;
        let allowed = "at most one rate for each coordinate";
        within(OP, "the number of parameters (p)", p as f64, p <= d, allowed)?;
        let sizes: Vec<usize> = (0..p).map(|i| d / p + usize::from(i < d % p)).collect();
        // E (H^2)_cc: Wishart for normals; entries of one sign vector square to 1.
        let second = match covariates {
            Covariates::Normal => (n + d + 1) as f64 / n as f64,
            Covariates::Signs => (n + d - 1) as f64 / n as f64,
        };
        let moments = Array2::from_shape_fn((p + 1, p + 1), |(i, j)| match (i, j) {
            (0, 0) => d as f64,
            (0, j) => sizes[j - 1] as f64,
            (i, 0) => sizes[i - 1] as f64,
            (i, j) if i == j => sizes[i - 1] as f64 * second,
            _ => 0.0,
        });
        Ok(LinearClass { n, d, kind: Kind::OneStep(sizes), covariates, moments })
    }

    /// K steps of any method with scalar weights, in whitened coordinates: $\theta$ are the coefficients of $1-p$, where the error after
    /// K steps is $p(H)\,w^\ast$.
    ///
    /// Every array of weights of Eq. 1.1 gives such a p, and every p with $p(0)=1$ comes from one.
    /// $\phi_k=\langle x^{(n+1)},H^kw^\ast\rangle$.
    /// **Errors**: n, d or K of 0, more than 5 steps or so.
    pub fn polynomial(n: usize, d: usize, steps: usize) -> Result<LinearClass, Error> {
        positive("LinearClass::polynomial", "the number of steps (K)", steps)?;
        let m = super::whitened::spectral_moments(n, d, 2 * steps)?;
        Ok(LinearClass {
            n,
            d,
            kind: Kind::Polynomial(steps),
            covariates: Covariates::Normal,
            moments: Array2::from_shape_fn((steps + 1, steps + 1), |(i, j)| d as f64 * m[i + j]),
        })
    }

    /// Number of parameters p.
    pub fn parameters(&self) -> usize {
        self.moments.nrows() - 1
    }

    /// How data are drawn.
    pub fn covariates(&self) -> Covariates {
        self.covariates
    }

    /// $G=\mathbb E\,gg^\top$, exact.
    pub fn moments(&self) -> &Array2<f64> {
        &self.moments
    }

    /// Population risk $R(\theta)$, exact. **Errors**: another number of parameters.
    pub fn risk(&self, theta: &[f64]) -> Result<f64, Error> {
        same_shape("LinearClass::risk", "theta", &[theta.len()], &[self.parameters()])?;
        Ok(faces::value(&self.moments, theta))
    }

    /// The parameters with the least population risk. **Errors**: a failed solve.
    pub fn best(&self) -> Result<Vec<f64>, Error> {
        const OP: &str = "LinearClass::best";
        let (free, right) = self.normal_equations();
        Ok(free.solve(&right).map_err(Error::linear_algebra(OP))?.to_vec())
    }

    pub(super) fn normal_equations(&self) -> (Array2<f64>, Array1<f64>) {
        (self.moments.slice(s![1.., 1..]).to_owned(), self.moments.slice(s![1.., 0]).to_owned())
    }

    /// No prompts yet.
    pub fn empty(&self) -> Sample {
        Sample::new(self.parameters())
    }

    /// Adds `count` independent prompts to a sample.
    ///
    /// Only the numbers that the loss depends on are drawn, from their exact law: a normal prompt of one step takes 3d + 1 draws instead of
    /// (n + 2) d. **Errors**: a sample of another class, a stop request.
    pub fn extend(&self, sample: &mut Sample, count: usize, stream: &mut Stream) -> Result<(), Error> {
        const OP: &str = "LinearClass::extend";
        same_shape(OP, "the sample's moments", &[sample.parameters()], &[self.parameters()])?;
        let mut source = Source::new(self);
        let mut g = vec![0.0; self.parameters() + 1];
        for i in 0..count {
            if i % LOOK == 0 {
                work::check(OP, i, count)?;
            }
            source.draw(stream, &mut g);
            sample.push(&g);
        }
        Ok(())
    }

    pub(super) fn krylov(&self, op: &'static str, steps: usize) -> Result<Krylov, Error> {
        Krylov::new(op, self.n, self.d, steps)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{Prompts, TaskLaw};
    use ndarray::Axis;
    use workbench_ground::stats::{Streams, mean};

    fn classes() -> Vec<LinearClass> {
        vec![
            LinearClass::one_step(6, 5, 2).unwrap(),
            LinearClass::one_step(4, 1, 1).unwrap(),
            LinearClass::one_step_of_signs(4, 3, 3).unwrap(),
            LinearClass::polynomial(8, 4, 2).unwrap(),
        ]
    }

    pub(crate) fn features(class: &LinearClass, count: usize, name: &str) -> Vec<Vec<f64>> {
        let mut stream = Streams::new(9).stream(name).unwrap();
        let mut source = Source::new(class);
        (0..count)
            .map(|_| {
                let mut g = vec![0.0; class.parameters() + 1];
                source.draw(&mut stream, &mut g);
                g
            })
            .collect()
    }

    #[test]
    fn drawn_features_have_the_exact_moments() {
        for (k, class) in classes().iter().enumerate() {
            let drawn = features(class, 100_000, &format!("moments {k}"));
            for i in 0..=class.parameters() {
                for j in 0..=i {
                    let seen = mean(&drawn.iter().map(|g| g[i] * g[j]).collect::<Vec<_>>()).unwrap();
                    assert!(seen.contains(class.moments()[[i, j]]), "{k} {i} {j}: {seen}");
                }
            }
        }
    }

    #[test]
    fn the_short_cut_has_the_law_of_prompts() {
        let (n, d, size) = (6, 4, 40_000);
        let streams = Streams::new(10);
        let prompts =
            Prompts::draw(&TaskLaw::isotropic(d).unwrap(), n, size, &mut streams.stream("p").unwrap()).unwrap();
        let statistics = prompts.statistics().unwrap();
        let theta = 0.6;
        let direct: Vec<f64> = (0..size)
            .map(|b| {
                let (q, w) = (statistics.query().row(b), statistics.truth().row(b));
                let h = statistics.gram().index_axis(Axis(0), b);
                (q.dot(&w) - theta * q.dot(&h.dot(&w))).abs().sqrt()
            })
            .collect();
        let direct = mean(&direct).unwrap();
        for class in [LinearClass::one_step(n, d, 2).unwrap(), LinearClass::polynomial(n, d, 1).unwrap()] {
            let drawn = features(&class, size, "law");
            let short: Vec<f64> =
                drawn.iter().map(|g| (g[0] - theta * g[1..].iter().sum::<f64>()).abs().sqrt()).collect();
            let short = mean(&short).unwrap();
            assert!(short.low < direct.high && direct.low < short.high, "{short} {direct}");
        }
    }

    #[test]
    fn the_best_polynomial_is_the_whitened_optimum() {
        let class = LinearClass::polynomial(20, 5, 3).unwrap();
        let loss = class.risk(&class.best().unwrap()).unwrap();
        let optimum = crate::best_whitened(20, 5, 3).unwrap();
        assert!((loss / optimum.loss - 1.0).abs() < 1e-9);
    }

    #[test]
    fn bad_sizes_are_named() {
        assert!(LinearClass::one_step(0, 2, 1).is_err() && LinearClass::one_step(2, 0, 1).is_err());
        assert!(LinearClass::one_step(5, 2, 3).unwrap_err().to_string().contains("each coordinate"));
        assert!(LinearClass::polynomial(5, 2, 0).is_err());
        let class = LinearClass::one_step(5, 2, 2).unwrap();
        assert!(class.risk(&[0.1]).unwrap_err().to_string().contains("= 1 does not match the shape needed = 2;"));
        let mut other = LinearClass::one_step(5, 2, 1).unwrap().empty();
        let mut stream = Streams::new(1).stream("x").unwrap();
        assert!(class.extend(&mut other, 1, &mut stream).is_err());
        let mut sample = class.empty();
        let stopped = workbench_ground::rehearsal::stop_after(3, || class.extend(&mut sample, 1_000_000, &mut stream));
        assert!(matches!(stopped, Err(Error::Stopped(_))));
    }
}
