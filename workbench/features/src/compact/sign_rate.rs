//! Rate at which the sign of the random-feature energy change is right, as a function of the number of features.

use super::integral::Summand;
use super::{Error, Patterns, RandomFeatures, Signs};
use crate::{Draws, MapKind};
use rayon::prelude::*;
use workbench_ground::check::{positive, same, within};
use workbench_ground::stats::{Estimate, Streams, mean, proportion};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// Outcomes of independent draws of the projections: for each run and each number of features, how many of the N flips have the right
/// sign.
#[derive(Clone, Debug, PartialEq)]
pub struct SignRuns {
    features: Vec<usize>,
    n: usize,
    /// Right signs of run `j` at number of features `k`.
    right: Vec<Vec<u32>>,
}

impl SignRuns {
    /// The numbers of features.
    pub fn features(&self) -> Vec<f64> {
        self.features.iter().map(|r| *r as f64).collect()
    }

    /// How often all N flips have the right sign, for each number of features.
    ///
    /// **Errors**: none for runs made by [`sign_runs`].
    pub fn all_right(&self) -> Result<Vec<Estimate>, Error> {
        let hits = |k: usize| self.right.iter().filter(|run| run[k] as usize == self.n).count();
        let rates = (0..self.features.len()).map(|k| proportion(hits(k), self.right.len()));
        rates.collect::<Result<_, _>>().map_err(Error::during("SignRuns::all_right"))
    }

    /// Share of right signs among the N flips, for each number of features; runs are the independent units.
    ///
    /// **Errors**: fewer than two runs.
    pub fn share_right(&self) -> Result<Vec<Estimate>, Error> {
        let share = |k: usize| self.right.iter().map(|run| f64::from(run[k]) / self.n as f64).collect::<Vec<f64>>();
        let means = (0..self.features.len()).map(|k| mean(&share(k)));
        means.collect::<Result<_, _>>().map_err(Error::during("SignRuns::share_right"))
    }

    /// $\ln r$ at which all flips are right with probability `level`, between the two sizes around it; the interval comes from the
    /// intervals of the rates.
    ///
    /// **Errors**: a level that the curve (or the ends of its intervals) does not cross.
    pub fn log_features_at(&self, level: f64) -> Result<Estimate, Error> {
        const OP: &str = "SignRuns::log_features_at";
        let rates = self.all_right()?;
        let x: Vec<f64> = self.features.iter().map(|r| (*r as f64).ln()).collect();
        let at = |value: fn(&Estimate) -> f64| {
            let y: Vec<f64> = rates.iter().map(value).collect();
            let allowed = "a rate that the curve crosses; more features or more runs reach further";
            crossing(&x, &y, level).ok_or(Error::parameter(OP, "level", level, allowed))
        };
        let (value, low, high) = (at(|e| e.value)?, at(|e| e.high)?, at(|e| e.low)?);
        Estimate::new(value, low.min(value), high.max(value), rates[0].n, rates[0].confidence)
            .map_err(Error::during(OP))
    }
}

/// The last place where the curve through the points comes up to `level`.
pub(crate) fn crossing(x: &[f64], y: &[f64], level: f64) -> Option<f64> {
    let k = (1..x.len()).rev().find(|&k| (y[k - 1] < level) != (y[k] < level))?;
    Some(x[k - 1] + (x[k] - x[k - 1]) * (level - y[k - 1]) / (y[k] - y[k - 1]))
}

/// Which signs are counted, with which features, how often.
#[derive(Clone, Debug, PartialEq)]
pub struct SignTrials {
    /// The pattern, from 0, towards which flips should lower the energy; 0 by default.
    pub pattern: usize,
    /// The map; [`MapKind::FavorPlus`] by default.
    pub kind: MapKind,
    /// Numbers of features, rising, even for a hyperbolic map; the powers of two from 2 to 32768 by default.
    pub features: Vec<usize>,
    /// Independent draws of all projections; 200 by default.
    pub runs: usize,
}

impl Default for SignTrials {
    fn default() -> SignTrials {
        SignTrials { pattern: 0, kind: MapKind::FavorPlus, features: (1..=15).map(|k| 1 << k).collect(), runs: 200 }
    }
}

/// Draws the projections in each run and counts, at each number of features, the flips of `input` whose random-feature energy change
/// has the sign that the distance to the pattern asks for.
///
/// The projections of one run are used one after another, so that the smaller numbers of features are prefixes of the larger ones and
/// one pass serves all. A hyperbolic map takes two features from each projection. Only signs are counted. They are bounded, so the
/// intervals of their rates hold even where sample moments cannot be trusted.
///
/// **Source**: A.2, Theorem A.1: the sign of $\Delta_i(E_{\mathrm{rand}})$ against that of $\Delta_i(E_{\mathrm{reg}})$.
///
/// **Errors**: another length, a pattern that is not there, no runs, no features, odd or not rising features, stopped. **Cost** runs x
/// last features x (M + N) N.
pub fn sign_runs(
    patterns: &Patterns,
    input: &Signs,
    trials: &SignTrials,
    streams: &Streams,
    name: &str,
) -> Result<SignRuns, Error> {
    const OP: &str = "sign_runs";
    let (n, kind, features, runs) = (patterns.dim(), trials.kind, &trials.features, trials.runs);
    same(OP, ("length of the input", input.dim()), ("N", n))?;
    positive(OP, "the number of runs", runs)?;
    positive(OP, "the number of sizes", features.len())?;
    positive(OP, "the number of features", features[0])?;
    let memory = patterns.pattern(trials.pattern)?;
    kind.check(OP).map_err(Error::during(OP))?;
    for pair in features.windows(2) {
        let name = "next number of features";
        within(OP, name, pair[1] as f64, pair[1] > pair[0], "numbers that rise")?;
    }
    for &r in features {
        kind.projections(r).map_err(Error::during(OP))?;
    }
    let step = if kind.is_hyperbolic() { 2 } else { 1 };
    let x = patterns.to_array();
    let (h, wanted) = (input.to_array(), |i: usize| input.get(i) * memory.get(i)); // + when a flip leads away
    let (a_hat, b) = (kind.a_hat(), (1.0 + 4.0 * kind.a_hat()).sqrt());
    let one = |run: usize| -> Result<Vec<u32>, Error> {
        let mut stream = streams.restart_replicate(name, run).map_err(Error::during(OP))?;
        let (mut sums, mut top) = (vec![0.0; n], f64::NEG_INFINITY);
        let mut right = Vec::with_capacity(features.len());
        let mut w = ndarray::Array1::zeros(n);
        for done in 1..=features[features.len() - 1] / step {
            w.mapv_inplace(|_| stream.normal());
            if done.is_multiple_of(64) {
                work::check(OP, run, runs)?;
            }
            let (kernels, along) = (x.dot(&w) * b, b * h.dot(&w));
            for side in [1.0, -1.0].into_iter().take(step) {
                // ln of the sum of all a^mu, times b; constants in which all features agree are left out.
                let most = kernels.iter().fold(f64::NEG_INFINITY, |m, k| m.max(side * k));
                let total: f64 = kernels.iter().map(|k| (side * k - most).exp()).sum();
                let log = most + total.ln() + side * along - 2.0 * a_hat * w.dot(&w);
                let steepest = w.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                let reach = log + 2.0 * b * steepest;
                if reach > top {
                    let shrink = (top - reach).exp();
                    sums.iter_mut().for_each(|s| *s *= shrink);
                    top = reach;
                }
                let unit = (log - top).exp();
                for i in 0..n {
                    sums[i] += unit - (log - top - 2.0 * b * side * h[i] * w[i]).exp();
                }
            }
            if features[right.len()] == done * step {
                right.push((0..n).filter(|&i| sums[i] * wanted(i) > 0.0).count() as u32);
            }
        }
        Ok(right)
    };
    let right: Result<Vec<Vec<u32>>, Error> = (0..runs).into_par_iter().map(one).collect();
    Ok(SignRuns { features: features.clone(), n, right: right? })
}

/// One flip of an input beside stored patterns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flip<'a> {
    /// What is stored.
    pub patterns: &'a Patterns,
    /// The input.
    pub input: &'a Signs,
    /// The entry that is flipped, from 0.
    pub entry: usize,
}

/// $(\Delta_i(E_{\mathrm{rand}})/\mathbb E\Delta_i-1)^2$ for `runs` independent draws of the features. The exact mean is
/// used, so the average estimates the relative variance without bias.
///
/// The average can be trusted only where the fourth moment is moderate: small N, a large `a_hat`.
///
/// **Source**: A.2, Eqs. 30 and 31, by sampling.
///
/// **Errors**: another length, an entry out of range, a zero count, a hyperbolic map, a bad `a_hat`, stopped.
///
/// ```
/// use workbench_features::compact::{Flip, Patterns, RandomFeatures, squared_deviations};
/// use workbench_features::{Ensemble, MapKind};
/// let patterns = Patterns::reed_muller(1, 1)?.first(2)?;
/// let flip = Flip { patterns: &patterns, input: &patterns.pattern(0)?, entry: 0 };
/// let kind = MapKind::FavorPlusPlus { a_hat: 1.0 };
/// let features = RandomFeatures { kind, ensemble: Ensemble::Independent, r: 4 };
/// let squares = squared_deviations(flip, features, 100, &workbench_ground::stats::Streams::new(1), "squares")?;
/// assert!(squares.len() == 100 && squares.iter().all(|s| *s >= 0.0));
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn squared_deviations(
    flip: Flip<'_>,
    features: RandomFeatures,
    runs: usize,
    streams: &Streams,
    name: &str,
) -> Result<Vec<f64>, Error> {
    const OP: &str = "squared_deviations";
    let (Flip { patterns, input, entry }, RandomFeatures { kind, ensemble, r }) = (flip, features);
    let a_hat = kind.a_hat();
    if kind.is_hyperbolic() {
        let next = "use FAVOR+ or FAVOR++";
        return Err(Error::refused(OP, "a hyperbolic map has two features for each projection", next));
    }
    let summand = Summand::new(OP, patterns, input, entry, a_hat)?;
    positive(OP, "the number of runs", runs)?;
    positive(OP, "the number of features r", r)?;
    let exact = super::FlipVariance::new(patterns, input, entry, a_hat)?.mean().value();
    let one = |run: usize| -> Result<f64, Error> {
        work::check(OP, run, runs)?;
        let mut stream = streams.restart_replicate(name, run).map_err(Error::during(OP))?;
        let draws = Draws::draw(ensemble, r, patterns.dim(), &mut stream).map_err(Error::during(OP))?;
        let rows = draws.rows().rows().into_iter();
        let mean = rows.map(|w| summand.at(&w.to_vec())).sum::<f64>() / r as f64;
        Ok((mean / exact - 1.0).powi(2))
    };
    (0..runs).into_par_iter().map(one).collect()
}

/// Sample mean of $Z^2$ over its exact expectation, from `draws` plain draws of one projection: what naive Monte Carlo sees of the
/// second moment. Far below one means that the draws miss the projections that contribute most.
///
/// **Source**: A.2, $\mathbb E[Z_k^2]$ of Eq. 31, by sampling.
///
/// **Errors**: another length, an entry out of range, a zero count, a bad `a_hat`, stopped.
pub fn naive_relative_second_moment(
    flip: Flip<'_>,
    a_hat: f64,
    draws: usize,
    streams: &Streams,
    name: &str,
) -> Result<f64, Error> {
    const OP: &str = "naive_relative_second_moment";
    let Flip { patterns, input, entry } = flip;
    let summand = Summand::new(OP, patterns, input, entry, a_hat)?;
    positive(OP, "the number of draws", draws)?;
    let exact = super::FlipVariance::new(patterns, input, entry, a_hat)?.log_second_moment();
    const BLOCK: usize = 1000;
    let block = |k: usize| -> Result<f64, Error> {
        work::check(OP, k * BLOCK, draws)?;
        let mut stream = streams.restart_replicate(name, k).map_err(Error::during(OP))?;
        let mut w = vec![0.0; patterns.dim()];
        let mut sum = 0.0;
        for _ in 0..BLOCK.min(draws - k * BLOCK) {
            w.iter_mut().for_each(|v| *v = stream.normal());
            sum += (2.0 * summand.at(&w).abs().ln() - exact).exp();
        }
        Ok(sum)
    };
    let sums: Result<Vec<f64>, Error> = (0..draws.div_ceil(BLOCK)).into_par_iter().map(block).collect();
    Ok(sums?.iter().sum::<f64>() / draws as f64)
}

impl Tabulated for SignRuns {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Signs of a compact memory")
            .x("features", &self.features)
            .with("all signs right", self.all_right()?)
            .with("share of signs right", self.share_right()?)
            .log_x())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::{CompactMemory, FlipVariance};
    use crate::{Ensemble, FeatureMap};

    /// The same projections through [`CompactMemory`], one memory for each number of features.
    #[test]
    fn agrees_with_memories_built_one_by_one() {
        let streams = Streams::new(8);
        let code = Patterns::reed_muller(1, 3).unwrap();
        let input = code.pattern(5).unwrap().flipped(2).unwrap();
        for kind in [MapKind::FavorPlus, MapKind::Hyperbolic, MapKind::FavorPlusPlus { a_hat: 0.9 }] {
            let sizes = [2, 6, 40];
            let trials = SignTrials { pattern: 5, kind, features: sizes.to_vec(), runs: 6 };
            let seen = sign_runs(&code, &input, &trials, &streams, "signs").unwrap();
            for run in 0..6 {
                let mut stream = streams.restart_replicate("signs", run).unwrap();
                let all = Draws::independent(40, 8, &mut stream).unwrap();
                for (k, &r) in sizes.iter().enumerate() {
                    let p = kind.projections(r).unwrap();
                    let rows = all.rows().slice(ndarray::s![..p, ..]).to_owned();
                    let map = FeatureMap::over(kind, Draws::from_rows(rows).unwrap()).unwrap();
                    let memory = CompactMemory::of(map, &code).unwrap();
                    let right = (0..8).filter(|&i| {
                        let away = input.get(i) == code.pattern(5).unwrap().get(i);
                        (memory.flip_change(&input, i).unwrap().sign > 0.0) == away
                    });
                    assert_eq!(right.count() as u32, seen.right[run][k], "{kind:?} {r}");
                }
            }
        }
    }

    #[test]
    fn does_not_depend_on_threads() {
        let code = Patterns::reed_muller(1, 3).unwrap();
        let x = code.pattern(0).unwrap();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let trials = SignTrials { features: vec![1, 8, 64], runs: 20, ..SignTrials::default() };
            pool.install(|| sign_runs(&code, &x, &trials, &Streams::new(3), "t").unwrap())
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn deviations_have_the_exact_variance_over_r() {
        let set = Patterns::reed_muller(1, 1).unwrap().first(2).unwrap();
        let x = set.pattern(0).unwrap();
        let exact = FlipVariance::new(&set, &x, 0, 1.0).unwrap().log_relative_variance(false).unwrap().exp();
        let flip = Flip { patterns: &set, input: &x, entry: 0 };
        for r in [1, 4] {
            let features =
                RandomFeatures { kind: MapKind::FavorPlusPlus { a_hat: 1.0 }, ensemble: Ensemble::Independent, r };
            let seen = squared_deviations(flip, features, 40_000, &Streams::new(1), "d").unwrap();
            let variance = mean(&seen).unwrap();
            assert!(variance.contains(exact / r as f64), "{variance} {exact}");
        }
    }

    #[test]
    fn plain_draws_see_the_second_moment_only_in_low_dimension() {
        let seen = |n: usize, a_hat: f64| {
            let set = Patterns::from_signs(vec![Signs::plus(n).unwrap()]).unwrap();
            let x = set.pattern(0).unwrap();
            let flip = Flip { patterns: &set, input: &x, entry: 0 };
            naive_relative_second_moment(flip, a_hat, 20_000, &Streams::new(1), "n").unwrap()
        };
        assert!((seen(1, 1.0) - 1.0).abs() < 0.1);
        assert!(seen(8, 0.0) < 0.1);
    }

    #[test]
    fn crossings() {
        assert_eq!(crossing(&[0.0, 1.0, 2.0], &[0.0, 0.5, 1.0], 0.75), Some(1.5));
        assert_eq!(crossing(&[0.0, 1.0], &[0.1, 0.2], 0.5), None);
    }

    #[test]
    fn refuses_bad_input() {
        let streams = Streams::new(3);
        let code = Patterns::reed_muller(1, 3).unwrap();
        let x = code.pattern(0).unwrap();
        let run = |input: &Signs, pattern, kind, sizes: &[usize], runs| {
            let trials = SignTrials { pattern, kind, features: sizes.to_vec(), runs };
            sign_runs(&code, input, &trials, &streams, "b")
        };
        let plus = MapKind::FavorPlus;
        assert!(matches!(run(&Signs::plus(3).unwrap(), 0, plus, &[1], 1), Err(Error::Shape { .. })));
        assert!(matches!(run(&x, 16, plus, &[1], 1), Err(Error::NoSuch { .. })));
        assert!(matches!(run(&x, 0, plus, &[], 1), Err(Error::Zero { .. })));
        assert!(matches!(run(&x, 0, plus, &[0, 1], 1), Err(Error::Zero { .. })));
        assert!(matches!(run(&x, 0, plus, &[1], 0), Err(Error::Zero { .. })));
        assert!(matches!(run(&x, 0, plus, &[2, 2], 1), Err(Error::Parameter { .. })));
        assert!(matches!(run(&x, 0, MapKind::Hyperbolic, &[3], 1), Err(Error::During { .. })));
        let bad = MapKind::FavorPlusPlus { a_hat: -1.0 };
        assert!(matches!(run(&x, 0, bad, &[1], 1), Err(Error::During { .. })));
        let flip = Flip { patterns: &code, input: &x, entry: 0 };
        let squares = |kind, r| {
            let ensemble = Ensemble::Independent;
            squared_deviations(flip, RandomFeatures { kind, ensemble, r }, 5, &streams, "z")
        };
        assert!(matches!(squares(plus, 0), Err(Error::Zero { .. })));
        assert!(matches!(squares(MapKind::Hyperbolic, 2), Err(Error::Refused { .. })));
        assert!(naive_relative_second_moment(flip, 1.0, 0, &streams, "z").is_err());
    }
}
