//! Retrieval rates: how often the dynamics bring a corrupted pattern back exactly.

use super::{CompactMemory, DenseMemory, Error, Interaction, Patterns, Rule, Signs};
use crate::{Ensemble, FeatureMap, MapKind};
use rayon::prelude::*;
use workbench_ground::check::positive;
use workbench_ground::stats::{Estimate, Streams, proportion};

/// Sweeps before a run counts as not retrieved.
const SWEEPS: usize = 60;

/// Share of runs in which a memory of `m` random patterns of length `n` brings its first pattern back from `k` random flips.
///
/// Each run has its own patterns. Runs of one name share their first patterns over `m`, so that curves are smooth in `m`.
///
/// **Errors**: a zero count, `k` above `n`, too many patterns, stopped. **Cost** about 3 runs x M x N.
#[allow(clippy::too_many_arguments)]
pub fn dense_retrieval_rate(
    interaction: Interaction,
    n: usize,
    m: usize,
    k: usize,
    rule: Rule,
    runs: usize,
    streams: &Streams,
    name: &str,
) -> Result<Estimate, Error> {
    const OP: &str = "dense_retrieval_rate";
    positive(OP, "the number of runs", runs)?;
    let one = |run: usize| -> Result<bool, Error> {
        let mut order = streams
            .restart_replicate(&format!("{name}, updates"), run as u64)
            .map_err(Error::during(OP))?;
        let mut stream = streams.restart_replicate(name, run as u64).map_err(Error::during(OP))?;
        let patterns = Patterns::random(m, n, &mut stream)?;
        let wanted = patterns.pattern(0)?;
        let input = wanted.corrupted(k, &mut order)?;
        let end = DenseMemory::new(patterns, interaction).retrieve(&input, rule, SWEEPS, &mut order)?;
        Ok(end.state == wanted)
    };
    rate(OP, runs, one)
}

/// Share of runs in which a compact memory with `r` features brings a pattern of `patterns` back from `k` random flips.
///
/// Each run has its own projections, pattern and flips.
///
/// **Errors**: a zero count, `k` above N, odd `r` for a hyperbolic map, a bad `a_hat`, stopped. **Cost** runs x r x (M + 4N) N.
#[allow(clippy::too_many_arguments)]
pub fn compact_retrieval_rate(
    patterns: &Patterns,
    kind: MapKind,
    ensemble: Ensemble,
    r: usize,
    k: usize,
    rule: Rule,
    runs: usize,
    streams: &Streams,
    name: &str,
) -> Result<Estimate, Error> {
    const OP: &str = "compact_retrieval_rate";
    positive(OP, "the number of runs", runs)?;
    let one = |run: usize| -> Result<bool, Error> {
        let mut stream = streams.restart_replicate(name, run as u64).map_err(Error::during(OP))?;
        let wanted: Signs = patterns.pattern(stream.below(patterns.len() as u64) as usize)?;
        let input = wanted.corrupted(k, &mut stream)?;
        let map = FeatureMap::draw(kind, ensemble, r, patterns.dim(), &mut stream).map_err(Error::during(OP))?;
        let end = CompactMemory::of(map, patterns)?.retrieve(&input, rule, SWEEPS, &mut stream)?;
        Ok(end.state == wanted)
    };
    rate(OP, runs, one)
}

fn rate(
    op: &'static str,
    runs: usize,
    one: impl Fn(usize) -> Result<bool, Error> + Sync + Send,
) -> Result<Estimate, Error> {
    let hits: Result<Vec<bool>, Error> = (0..runs).into_par_iter().map(one).collect();
    let hits = hits?.into_iter().filter(|hit| *hit).count();
    proportion(hits as u64, runs as u64).map_err(Error::during(op))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_loads_are_retrieved_and_heavy_ones_are_not() {
        let streams = Streams::new(2);
        let rate = |interaction, m, rule| {
            dense_retrieval_rate(interaction, 32, m, 3, rule, 60, &streams, "r")
                .unwrap()
                .value
        };
        let (two, exp) = (Interaction::Polynomial(2), Interaction::Exponential);
        assert!(rate(two, 2, Rule::Descend) > 0.9 && rate(two, 64, Rule::Descend) < 0.1);
        assert!(rate(exp, 64, Rule::Descend) > 0.9);
        assert!(rate(exp, 2, Rule::Ascend) < 0.05);
    }

    #[test]
    fn more_features_retrieve_more() {
        let streams = Streams::new(2);
        let code = Patterns::reed_muller(1, 3).unwrap();
        let rate = |r| {
            let kind = MapKind::FavorPlusPlus { a_hat: 0.8 };
            compact_retrieval_rate(
                &code,
                kind,
                Ensemble::Independent,
                r,
                1,
                Rule::Descend,
                60,
                &streams,
                "c",
            )
            .unwrap()
            .value
        };
        assert!(rate(2000) > rate(4) + 0.3, "{} {}", rate(2000), rate(4));
    }

    #[test]
    fn refuses_bad_input() {
        let streams = Streams::new(2);
        let dense =
            |n, m, k, runs| dense_retrieval_rate(Interaction::Exponential, n, m, k, Rule::Descend, runs, &streams, "b");
        assert!(matches!(dense(0, 2, 0, 1), Err(Error::Zero { .. })));
        assert!(matches!(dense(4, 0, 0, 1), Err(Error::Zero { .. })));
        assert!(matches!(dense(4, 2, 5, 1), Err(Error::NoSuch { .. })));
        assert!(matches!(dense(4, 2, 1, 0), Err(Error::Zero { .. })));
        let code = Patterns::reed_muller(1, 3).unwrap();
        let bad = compact_retrieval_rate(
            &code,
            MapKind::Hyperbolic,
            Ensemble::Independent,
            3,
            1,
            Rule::Descend,
            2,
            &streams,
            "b",
        );
        assert!(matches!(bad, Err(Error::During { .. })));
    }
}
