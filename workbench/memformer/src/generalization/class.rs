//! Classes of learned methods that are linear in their parameters: everything about their population risk is exact.

use super::chi;
use super::faces;
use super::krylov::Krylov;
use super::sample::Sample;
use super::source::Source;
use crate::Error;
use ndarray::{Array1, Array2, s};
use ndarray_linalg::{Inverse, Solve};
use workbench_ground::check::{positive, same_shape, within};
use workbench_ground::stats::Stream;
use workbench_ground::work;

/// Prompts between two looks at a stop request.
const LOOK: usize = 1024;

/// How covariates and targets of a class are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covariates {
    /// Independent N(0, 1) entries: Section 3.3 in whitened coordinates.
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

/// A class Theta of linear first-order methods whose prediction is linear in theta: prediction = sum_i theta_i phi_i(Z_0).
///
/// With y = <x(n+1), w*> and g = (y, phi_1, ..., phi_p) the loss of a prompt is <t, g>^2, t = (1, -theta), so population and empirical
/// risk are t^T G t with G = E g g^T and its sample mean. G is known exactly for every class here.
///
/// **Source**: Theorem 5.1. **Shapes**: G (p + 1, p + 1).
///
/// ```
/// use workbench::memformer::LinearClass;
/// let class = LinearClass::one_step(20, 5, 5)?; // a diagonal preconditioner in five dimensions
/// let best = class.best()?;
/// assert!(best.iter().all(|t| (t - 20.0 / 26.0).abs() < 1e-12));
/// assert!((class.risk(&best)? - 30.0 / 26.0).abs() < 1e-12);
/// # Ok::<(), workbench::memformer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinearClass {
    pub(super) n: usize,
    pub(super) d: usize,
    pub(super) kind: Kind,
    pub(super) covariates: Covariates,
    moments: Array2<f64>,
}

impl LinearClass {
    /// One step with a diagonal preconditioner: `p` rates, each for d/p coordinates (as equal as they can be).
    ///
    /// phi_P = sum over coordinates c of the group P of x_c (H w*)_c. **Errors**: n, d or p of 0, more rates than coordinates.
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
        Ok(LinearClass {
            n,
            d,
            kind: Kind::OneStep(sizes),
            covariates,
            moments,
        })
    }

    /// K steps of any method with scalar weights, in whitened coordinates: theta are the coefficients of 1 - p, where the error after
    /// K steps is p(H) w*.
    ///
    /// Every array of weights of Eq. 1.1 gives such a p, and every p with p(0) = 1 comes from one. phi_k = <x(n+1), H^k w*>.
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

    /// G = E g g^T, exact.
    pub fn moments(&self) -> &Array2<f64> {
        &self.moments
    }

    /// Population risk R(theta), exact. **Errors**: another number of parameters.
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

    fn normal_equations(&self) -> (Array2<f64>, Array1<f64>) {
        (
            self.moments.slice(s![1.., 1..]).to_owned(),
            self.moments.slice(s![1.., 0]).to_owned(),
        )
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
                work::check(OP, i as u64, count as u64)?;
            }
            source.draw(stream, &mut g);
            sample.push(&g);
        }
        Ok(())
    }

    /// The limit of N E[R(theta_hat) - min R] for the empirical minimiser over N prompts: tr(M^{-1} V), with M = E phi phi^T and
    /// V = E[residual^2 phi phi^T] at the best parameters.
    ///
    /// It is finite because the loss has all moments; excess risk therefore falls as 1/N and not as the N^{-1/2} of uniform convergence.
    ///
    /// **Source**: classical asymptotics of least squares; the moments are exact. **Errors**: signs, a failed solve.
    ///
    /// ```
    /// use workbench::memformer::LinearClass;
    /// // One rate in one dimension, many examples: H = 1, so the class is exact and no prompt misleads.
    /// let class = LinearClass::one_step(1_000_000, 1, 1)?;
    /// assert!(class.excess_constant()? < 1e-4);
    /// # Ok::<(), workbench::memformer::Error>(())
    /// ```
    pub fn excess_constant(&self) -> Result<f64, Error> {
        const OP: &str = "LinearClass::excess_constant";
        self.normal_only(OP)?;
        let best = self.best()?;
        match &self.kind {
            Kind::OneStep(sizes) => {
                let pair = self.pair(OP, best[0])?;
                let groups = sizes.iter().enumerate();
                // Of M only the diagonal is not zero.
                Ok(groups
                    .map(|(i, size)| {
                        let noise = *size as f64 / self.d as f64 * pair.squares + 2.0 * pair.of_group(*size);
                        noise / self.moments[[i + 1, i + 1]]
                    })
                    .sum())
            }
            Kind::Polynomial(steps) => {
                let inverse = self.normal_equations().0.inv().map_err(Error::linear_algebra(OP))?;
                let (width, mut sum) = (steps + 1, 0.0);
                let mut powers = vec![0.0; width * width];
                self.krylov(OP, *steps)?.each(OP, 2, &mut |weight, t| {
                    t.powers(&mut powers);
                    let x = |k: usize| &powers[k * width..(k + 1) * width];
                    let left: Vec<f64> = (0..width)
                        .map(|i| x(0)[i] - (0..*steps).map(|k| best[k] * x(k + 1)[i]).sum::<f64>())
                        .collect();
                    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
                    let size = dot(&left, &left);
                    for i in 0..*steps {
                        for j in 0..*steps {
                            let (a, b) = (x(i + 1), x(j + 1));
                            let both = size * dot(a, b) + 2.0 * dot(&left, a) * dot(&left, b);
                            sum += weight * inverse[[i, j]] * both;
                        }
                    }
                })?;
                Ok(chi::moment(self.d, 2) * sum)
            }
        }
    }

    /// E |g|^4, exact: what the variance of empirical moments is made of.
    ///
    /// **Errors**: signs (their g is bounded: see [`LinearClass::feature_bound`]).
    pub fn fourth_moment(&self) -> Result<f64, Error> {
        const OP: &str = "LinearClass::fourth_moment";
        self.normal_only(OP)?;
        match &self.kind {
            Kind::OneStep(sizes) => {
                // g is <q, K q> with K = w w^T + sum_P x_P x_P^T: its square has the mean (tr K)^2 + 2 tr K^2 over the query q.
                let pair = self.pair(OP, 0.0)?;
                let (d, square) = (self.d as f64, chi::moment(self.d, 2));
                let trace = square + 2.0 * pair.squares + pair.fourth;
                let groups: f64 = sizes
                    .iter()
                    .map(|size| {
                        let k = *size as f64;
                        2.0 * pair.of_group(*size) + k * (k + 2.0) / (d * (d + 2.0)) * pair.fourth
                    })
                    .sum();
                Ok(trace + 2.0 * (square + groups))
            }
            Kind::Polynomial(steps) => {
                let width = steps + 1;
                let (mut powers, mut sum) = (vec![0.0; width * width], 0.0);
                self.krylov(OP, *steps)?.each(OP, 2, &mut |weight, t| {
                    t.powers(&mut powers);
                    let dot = |a: usize, b: usize| -> f64 {
                        (0..width).map(|i| powers[a * width + i] * powers[b * width + i]).sum()
                    };
                    let trace: f64 = (0..width).map(|k| dot(k, k)).sum();
                    let squares: f64 = (0..width)
                        .flat_map(|a| (0..width).map(move |b| (a, b)))
                        .map(|(a, b)| dot(a, b).powi(2))
                        .sum();
                    sum += weight * (trace * trace + 2.0 * squares);
                })?;
                Ok(chi::moment(self.d, 2) * sum)
            }
        }
    }

    /// A bound on |g|^2 that holds for every prompt of signs: d^2 + (largest group) d^3.
    ///
    /// |<q, w>| and the entries of H w are at most d. **Errors**: normal data, for which there is none.
    pub fn feature_bound(&self) -> Result<f64, Error> {
        match (&self.kind, self.covariates) {
            (Kind::OneStep(sizes), Covariates::Signs) => {
                let d = self.d as f64;
                let largest = sizes.iter().copied().max().unwrap_or(1) as f64;
                Ok(d * d + largest * d.powi(3))
            }
            _ => Err(Error::unavailable(
                "LinearClass::feature_bound",
                "a bound on features of normal data",
                "use fourth_moment, or data of signs",
            )),
        }
    }

    fn normal_only(&self, op: &'static str) -> Result<(), Error> {
        match self.covariates {
            Covariates::Normal => Ok(()),
            Covariates::Signs => Err(Error::unavailable(
                op,
                "an exact moment for signs",
                "use normal data, or the bound on features of signs",
            )),
        }
    }

    fn krylov(&self, op: &'static str, steps: usize) -> Result<Krylov, Error> {
        Krylov::new(op, self.n, self.d, steps)
    }

    /// Fourth-order moments of u = w - theta H w and g = H w, with w ~ N(0, I).
    ///
    /// H w = |w| (s e + sqrt(s) xi) / n with e = w / |w|, s chi-squared with n and |xi|^2 = t chi-squared with d - 1 degrees of freedom.
    fn pair(&self, op: &'static str, theta: f64) -> Result<Pair, Error> {
        let (n, d) = (self.n as f64, self.d as f64);
        let (first, second) = (chi::rule(op, self.n, 4)?, chi::rule(op, self.d - 1, 2)?);
        let length = chi::moment(self.d, 2);
        let (mut squares, mut inner, mut fourth) = (0.0, 0.0, 0.0);
        for (s, ws) in first.nodes.iter().zip(&first.weights) {
            for (t, wt) in second.nodes.iter().zip(&second.weights) {
                let weight = ws * wt * length;
                let (along, across) = (s / n, s * t / (n * n));
                let left = 1.0 - theta * along;
                let g = along * along + across;
                squares += weight * (left * left + theta * theta * across) * g;
                inner += weight * (left * along - theta * across).powi(2);
                fourth += weight * g * g;
            }
        }
        // E u_i u_j g_k g_l = A d_ij d_kl + B (d_ik d_jl + d_il d_jk) for a pair whose law no rotation changes.
        let mixed = if self.d == 1 {
            0.0
        } else {
            (inner - squares / d) / (d * d + d - 2.0)
        };
        let straight = (squares - 2.0 * d * mixed) / (d * d);
        Ok(Pair {
            squares,
            fourth,
            straight,
            mixed,
        })
    }
}

/// Moments of a pair of vectors u and g.
struct Pair {
    /// E |u|^2 |g|^2.
    squares: f64,
    /// E |g|^4.
    fourth: f64,
    straight: f64,
    mixed: f64,
}

impl Pair {
    /// E (sum over a group of u_c g_c)^2.
    fn of_group(&self, size: usize) -> f64 {
        let k = size as f64;
        k * (self.straight + (k + 1.0) * self.mixed)
    }
}

#[cfg(test)]
mod tests {
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

    fn features(class: &LinearClass, count: usize, name: &str) -> Vec<Vec<f64>> {
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
        let prompts = Prompts::draw(
            &TaskLaw::isotropic(d).unwrap(),
            n,
            size,
            &mut streams.stream("p").unwrap(),
        )
        .unwrap();
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
        for class in [
            LinearClass::one_step(n, d, 2).unwrap(),
            LinearClass::polynomial(n, d, 1).unwrap(),
        ] {
            let drawn = features(&class, size, "law");
            let short: Vec<f64> = drawn
                .iter()
                .map(|g| (g[0] - theta * g[1..].iter().sum::<f64>()).abs().sqrt())
                .collect();
            let short = mean(&short).unwrap();
            assert!(short.low < direct.high && direct.low < short.high, "{short} {direct}");
        }
    }

    #[test]
    fn fourth_moments_and_noise_by_sampling() {
        // Many examples: with few of them, what the best polynomial leaves is so rare and large that sampling misses half of it.
        let many = [
            LinearClass::one_step(20, 5, 2).unwrap(),
            LinearClass::one_step(20, 1, 1).unwrap(),
            LinearClass::polynomial(60, 3, 2).unwrap(),
        ];
        for (k, class) in many.iter().enumerate() {
            let drawn = features(class, 400_000, &format!("fourth {k}"));
            let exact = class.fourth_moment().unwrap();
            let seen = drawn
                .iter()
                .map(|g| g.iter().map(|v| v * v).sum::<f64>().powi(2))
                .sum::<f64>()
                / 400_000.0;
            // Eighth moments of products of normals: a few percent of scatter at this size.
            assert!((seen / exact - 1.0).abs() < 0.15, "{k}: {seen} {exact}");
            let (best, inverse) = (class.best().unwrap(), class.normal_equations().0.inv().unwrap());
            let noise = drawn.iter().map(|g| {
                let left = g[0] - best.iter().zip(&g[1..]).map(|(t, f)| t * f).sum::<f64>();
                let f = Array1::from(g[1..].to_vec());
                left * left * f.dot(&inverse.dot(&f))
            });
            let seen = noise.sum::<f64>() / 400_000.0;
            let exact = class.excess_constant().unwrap();
            assert!((seen / exact - 1.0).abs() < 0.15, "{k}: {seen} {exact}");
        }
    }

    #[test]
    fn signs_stay_below_their_bound() {
        let class = LinearClass::one_step_of_signs(1, 3, 3).unwrap();
        let bound = class.feature_bound().unwrap();
        let drawn = features(&class, 5000, "signs");
        let largest = drawn
            .iter()
            .map(|g| g.iter().map(|v| v * v).sum::<f64>())
            .fold(0.0, f64::max);
        assert!(largest <= bound && largest > 0.3 * bound, "{largest} {bound}");
        assert!(class.fourth_moment().is_err() && class.excess_constant().is_err());
        assert!(LinearClass::one_step(2, 2, 1).unwrap().feature_bound().is_err());
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
        assert!(
            LinearClass::one_step(5, 2, 3)
                .unwrap_err()
                .to_string()
                .contains("each coordinate")
        );
        assert!(LinearClass::polynomial(5, 2, 0).is_err());
        let class = LinearClass::one_step(5, 2, 2).unwrap();
        assert!(
            class
                .risk(&[0.1])
                .unwrap_err()
                .to_string()
                .contains("= 1 does not match the shape needed = 2;")
        );
        let mut other = LinearClass::one_step(5, 2, 1).unwrap().empty();
        let mut stream = Streams::new(1).stream("x").unwrap();
        assert!(class.extend(&mut other, 1, &mut stream).is_err());
        let mut sample = class.empty();
        let stopped = workbench_ground::rehearsal::stop_after(3, || class.extend(&mut sample, 1_000_000, &mut stream));
        assert!(matches!(stopped, Err(Error::Stopped(_))));
    }
}
