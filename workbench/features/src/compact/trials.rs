//! Retrieval rates: how often the dynamics bring a corrupted pattern back exactly.

use super::{CompactMemory, DenseMemory, Dynamics, Error, Interaction, Patterns, Signs};
use crate::{Ensemble, FeatureMap, MapKind};
use rayon::prelude::*;
use workbench_ground::check::positive;
use workbench_ground::stats::{Estimate, Streams, proportion};

/// Sweeps before a run counts as not retrieved.
const SWEEPS: usize = 60;

/// How often and from where a memory is asked for a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetrievalTrials {
    /// Entries of the pattern that are flipped at random, at most N; 1 by default.
    pub flips: usize,
    /// The dynamics; [`Dynamics::Descend`] by default.
    pub dynamics: Dynamics,
    /// Independent runs; 400 by default.
    pub runs: usize,
}

impl Default for RetrievalTrials {
    fn default() -> RetrievalTrials {
        RetrievalTrials { flips: 1, dynamics: Dynamics::Descend, runs: 400 }
    }
}

/// The random features of a compact memory: one [`FeatureMap`] of this form is drawn in each run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomFeatures {
    /// The map.
    pub kind: MapKind,
    /// How projections are drawn.
    pub ensemble: Ensemble,
    /// Number of features r.
    pub r: usize,
}

/// Share of runs in which a memory of `m` random patterns of length `n` brings its first pattern back from random flips.
///
/// Each run has its own patterns. Runs of one name share their first patterns over `m`, so that curves are smooth in `m`.
///
/// **Source**: A.2, above Eq. 15: the sign of the energy change decides the update; the trials are ours.
///
/// **Errors**: a zero count, more flips than `n`, too many patterns, stopped. **Cost** about 3 runs x M x N.
///
/// ```
/// use workbench_features::compact::{Interaction, RetrievalTrials, dense_retrieval_rate};
/// let trials = RetrievalTrials { flips: 3, runs: 40, ..RetrievalTrials::default() };
/// let streams = workbench_ground::stats::Streams::new(1);
/// assert!(dense_retrieval_rate(Interaction::Exponential, 32, 20, trials, &streams, "light")?.value > 0.9);
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn dense_retrieval_rate(
    interaction: Interaction,
    n: usize,
    m: usize,
    trials: RetrievalTrials,
    streams: &Streams,
    name: &str,
) -> Result<Estimate, Error> {
    const OP: &str = "dense_retrieval_rate";
    let one = |run: usize| -> Result<bool, Error> {
        let mut order = streams.restart_replicate(&format!("{name}, updates"), run).map_err(Error::during(OP))?;
        let mut stream = streams.restart_replicate(name, run).map_err(Error::during(OP))?;
        let patterns = Patterns::random(m, n, &mut stream)?;
        let wanted = patterns.pattern(0)?;
        let input = wanted.corrupted(trials.flips, &mut order)?;
        let end = DenseMemory::new(patterns, interaction).retrieve(&input, trials.dynamics, SWEEPS, &mut order)?;
        Ok(end.state == wanted)
    };
    rate(OP, trials.runs, one)
}

/// Share of runs in which a compact memory brings one of `patterns` back from random flips.
///
/// Each run has its own projections, pattern and flips.
///
/// **Source**: A.2, above Eq. 15: the sign of the energy change decides the update; the trials are ours.
///
/// **Errors**: a zero count, more flips than N, odd `r` for a hyperbolic map, a bad `a_hat`, stopped. **Cost** runs x r x (M + 4N) N.
pub fn compact_retrieval_rate(
    patterns: &Patterns,
    features: RandomFeatures,
    trials: RetrievalTrials,
    streams: &Streams,
    name: &str,
) -> Result<Estimate, Error> {
    const OP: &str = "compact_retrieval_rate";
    let RandomFeatures { kind, ensemble, r } = features;
    let one = |run: usize| -> Result<bool, Error> {
        let mut stream = streams.restart_replicate(name, run).map_err(Error::during(OP))?;
        let wanted: Signs = patterns.pattern(stream.below(patterns.len() as u64) as usize)?;
        let input = wanted.corrupted(trials.flips, &mut stream)?;
        let map = FeatureMap::draw(kind, ensemble, r, patterns.dim(), &mut stream).map_err(Error::during(OP))?;
        let end = CompactMemory::of(map, patterns)?.retrieve(&input, trials.dynamics, SWEEPS, &mut stream)?;
        Ok(end.state == wanted)
    };
    rate(OP, trials.runs, one)
}

fn rate(
    op: &'static str,
    runs: usize,
    one: impl Fn(usize) -> Result<bool, Error> + Sync + Send,
) -> Result<Estimate, Error> {
    positive(op, "the number of runs", runs)?;
    let hits: Result<Vec<bool>, Error> = (0..runs).into_par_iter().map(one).collect();
    let hits = hits?.into_iter().filter(|hit| *hit).count();
    proportion(hits, runs).map_err(Error::during(op))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_loads_are_retrieved_and_heavy_ones_are_not() {
        let streams = Streams::new(2);
        let rate = |interaction, m, dynamics| {
            let trials = RetrievalTrials { flips: 3, dynamics, runs: 60 };
            dense_retrieval_rate(interaction, 32, m, trials, &streams, "r").unwrap().value
        };
        let (two, exp) = (Interaction::Polynomial(2), Interaction::Exponential);
        assert!(rate(two, 2, Dynamics::Descend) > 0.9 && rate(two, 64, Dynamics::Descend) < 0.1);
        assert!(rate(exp, 64, Dynamics::Descend) > 0.9);
        assert!(rate(exp, 2, Dynamics::Ascend) < 0.05);
    }

    #[test]
    fn more_features_retrieve_more() {
        let streams = Streams::new(2);
        let code = Patterns::reed_muller(1, 3).unwrap();
        let rate = |r| {
            let kind = MapKind::FavorPlusPlus { a_hat: 0.8 };
            let features = RandomFeatures { kind, ensemble: Ensemble::Independent, r };
            let trials = RetrievalTrials { runs: 60, ..RetrievalTrials::default() };
            compact_retrieval_rate(&code, features, trials, &streams, "c").unwrap().value
        };
        assert!(rate(2000) > rate(4) + 0.3, "{} {}", rate(2000), rate(4));
    }

    #[test]
    fn refuses_bad_input() {
        let streams = Streams::new(2);
        let trials = |flips, runs| RetrievalTrials { flips, dynamics: Dynamics::Descend, runs };
        let dense = |n, m, flips, runs| {
            dense_retrieval_rate(Interaction::Exponential, n, m, trials(flips, runs), &streams, "b")
        };
        assert!(matches!(dense(0, 2, 0, 1), Err(Error::Zero { .. })));
        assert!(matches!(dense(4, 0, 0, 1), Err(Error::Zero { .. })));
        assert!(matches!(dense(4, 2, 5, 1), Err(Error::NoSuch { .. })));
        assert!(matches!(dense(4, 2, 1, 0), Err(Error::Zero { .. })));
        let code = Patterns::reed_muller(1, 3).unwrap();
        let odd = RandomFeatures { kind: MapKind::Hyperbolic, ensemble: Ensemble::Independent, r: 3 };
        let bad = compact_retrieval_rate(&code, odd, trials(1, 2), &streams, "b");
        assert!(matches!(bad, Err(Error::During { .. })));
    }
}
