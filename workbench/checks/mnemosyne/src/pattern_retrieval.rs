//! Appendix A.2: how often the dynamics bring a pattern back, with random features and the 16 words of RM(1,3).

use workbench_features::compact::{Dynamics, Patterns, RandomFeatures, RetrievalTrials, compact_retrieval_rate};
use workbench_features::{Ensemble, MapKind, best_a_hat_for_pair};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Failure, Setting};

/// Dimension of the code.
pub const DIM: usize = 8;

/// The FAVOR++ map that is best for an input one flip away from its pattern.
pub fn tuned() -> Result<MapKind, Failure> {
    Ok(MapKind::FavorPlusPlus { a_hat: best_a_hat_for_pair(DIM, 4.0 * (DIM as f64 - 1.0))? })
}

/// Share of runs that end in the pattern one flip away, each with projections of its own; the same for all who ask.
pub fn retrieved(setting: &Setting, kind: MapKind, dynamics: Dynamics, r: usize) -> Result<Estimate, Failure> {
    let name = match kind {
        MapKind::FavorPlusPlus { .. } => format!("retrieval {dynamics:?}, r = {r}"),
        other => format!("retrieval {}, r = {r}", other.name()),
    };
    let kept = setting.shared(&format!("{name} {kind:?}"), |own| {
        let runs = own.scale().pick(100, 400);
        let code = Patterns::reed_muller(1, 3)?;
        let ensemble = Ensemble::Independent;
        let features = RandomFeatures { kind, ensemble, r };
        let trials = RetrievalTrials { flips: 1, dynamics, runs };
        Ok(compact_retrieval_rate(&code, features, trials, own.streams(), &name)?)
    })?;
    Ok(*kept)
}

/// One share minus another, whose runs have nothing in common.
pub fn minus(a: Estimate, b: Estimate) -> Result<Estimate, Failure> {
    Ok(Estimate::new(a.value - b.value, a.low - b.high, a.high - b.low, a.n, a.confidence)?)
}
