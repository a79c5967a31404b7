//! A.1.1, after the uni-directional display: why rho cannot be changed afterwards.
//!
//! **Claim** (`mnemosyne/gamma-t-cost`). Each gamma_t still takes "O_1(M)" time, but a new rho would need phi(k^mu) of all past keys, which is
//! impossible since they are not stored.
//!
//! The letters are swapped: constant time is O_M(1), as in the paragraph before, and that is what is counted. That something *cannot* be
//! computed from the state is shown by two histories that have the same state (N_t, Psi_t) at one rho and different states at another:
//! Newton steps find a second set of keys with the same sum of features, and its values then solve a linear system. Several draws are
//! tried, with A-hat as printed and with the eighth of it that Eq. 11 needs. What would count against the claim: a cost that grows; states
//! that agree at every rho whenever they agree at one.

use ndarray::{Array2, Axis, concatenate};
use workbench_display::{Figure, Panel};
use workbench_features::{
    Draws, FeatureMap, History, KernelMemory, a_hat, colliding_history, operations_of_thick_memory, printed_a_hat,
};
use workbench_ground::stats::{Estimate, Stream, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{EXACT, Largest, Least, by_scale, largest};

const SAME: Margin = Margin::new(
    "the same state",
    1e-11,
    "Newton steps end at rounding, and the linear system for the values loses a digit or two",
);
const OTHER: Margin =
    Margin::new("another state", 1e-4, "ten million times what the collision leaves, and visible in an answer");
const APART: Margin = Margin::new("other keys", 0.01, "a hundredth of the length of a key, no rounding");

/// Dimension of keys, width of values, features, keys of a history.
const DIM: usize = 3;
const WIDTH: usize = 2;
const FEATURES: usize = 6;
const KEYS: usize = 8;
/// Pairs of histories for each reading of the parameter.
const PAIRS: usize = 5;

/// Two histories, and the cost of a stream.
#[derive(Clone, Debug)]
pub struct Collision {
    /// Where the two histories have one state.
    pub rho: f64,
    /// Patterns of the stream whose costs are counted; by scale if 0.
    pub steps: usize,
}

impl Default for Collision {
    fn default() -> Collision {
        Collision { rho: 0.5, steps: 0 }
    }
}

/// The parameter of FAVOR++ that belongs to a ρ.
type Reading = fn(f64) -> Result<f64, workbench_features::Error>;

/// With the eighth that Eq. 11 needs, and as printed.
const READINGS: [Reading; 2] = [a_hat, printed_a_hat];

/// Two histories with one state at the stored ρ.
struct Pair {
    reading: Reading,
    draws: Draws,
    first: History,
    second: History,
    /// The second before its keys were moved, and before its values were solved for.
    start: History,
    not_solved: History,
}

impl Pair {
    fn draw(rho: f64, reading: Reading, stream: &mut Stream) -> Result<Pair, Failure> {
        let draws = Draws::block_orthogonal(FEATURES, DIM, stream)?;
        let first =
            History { keys: normal_array2(stream, KEYS, DIM) * 0.6, values: normal_array2(stream, KEYS, WIDTH) };
        let start = &first.keys + &(normal_array2(stream, KEYS, DIM) * 0.2);
        let map = FeatureMap::favor_plus_plus(draws.clone(), reading(rho)?)?;
        let second = colliding_history(&map, &first, &start)?;
        let with = |keys: &Array2<f64>| History { keys: keys.clone(), values: first.values.clone() };
        Ok(Pair { start: with(&start), not_solved: with(&second.keys), reading, draws, first, second })
    }

    /// N and Psi of a history, side by side.
    fn state(&self, rho: f64, history: &History) -> Result<Array2<f64>, Failure> {
        let map = FeatureMap::favor_plus_plus(self.draws.clone(), (self.reading)(rho)?)?;
        let mut memory = KernelMemory::new(map, WIDTH, 1.0)?;
        memory.absorb_rows(&history.keys, &history.values)?;
        let psi = memory.log_psi().mapv(f64::exp).insert_axis(Axis(1));
        Ok(concatenate![Axis(1), &memory.mean_values() * &psi, psi])
    }

    /// Largest difference of the states of the first and another history over the largest entry of the first.
    fn distance(&self, rho: f64, other: &History) -> Result<f64, Failure> {
        let (a, b) = (self.state(rho, &self.first)?, self.state(rho, other)?);
        Ok(largest(&(&a - &b)) / largest(&a))
    }

    fn keys_apart(&self) -> f64 {
        largest(&(&self.first.keys - &self.second.keys))
    }
}

/// What all pairs gave.
#[derive(Default)]
struct Seen {
    same: Largest,
    other: Least,
    apart: Least,
    not_solved: Least,
    start: Least,
}

impl Seen {
    fn see(&mut self, rho: f64, pair: &Pair) -> Result<(), Failure> {
        self.same.see(pair.distance(rho, &pair.second)?);
        self.other.see(pair.distance(0.1, &pair.second)?);
        self.apart.see(pair.keys_apart());
        self.not_solved.see(pair.distance(rho, &pair.not_solved)?);
        self.start.see(pair.distance(rho, &pair.start)?);
        Ok(())
    }
}

fn figure(rho: f64, rhos: &[f64], distances: &[f64]) -> Figure {
    let shown: Vec<f64> = distances.iter().map(|d| d.max(1e-17)).collect();
    Figure::new("The state at one ρ does not determine the state at another")
        .panel(
            Panel::new("")
                .x_label("ρ")
                .y_label("relative distance of the states")
                .log_y()
                .y_limits(1e-17, 10.0)
                .points("states (N, Ψ) of both histories", rhos, &shown)
                .vline("ρ of the stored state", rho),
        )
        .caption("Two sets of eight keys and values that differ, with one state at the upright line and different states elsewhere.")
}

impl TypedCheck for Collision {
    const CLAIM: &'static str = "mnemosyne/gamma-t-cost";
    const PLAN: Plan = Plan::new(
        "operations for γ_t, counted; distance of the states (N, Ψ) of two histories, relative to their largest entry, the worst of five pairs for each reading of Â",
        "a step at which γ_t costs more; histories with one state at one ρ that have one state at all",
        &[EXACT, SAME, OTHER, APART],
    )
    .protocol(&[
        "6 features, 8 keys of 3 entries, values of 2; the state is that of Eq. 3, which stands outside the appendix",
    ])
    .departures(&[
        "\"O_1(M)\" is read as O_M(1), constant in M, the notation of the paragraph before",
        "Â = (1/ρ-1)/8, under which Eq. 11 is an optimum, and Â = 1/ρ-1 as printed",
        "eight keys with values are 40 numbers and the state has 18; of fewer than four keys it has more numbers than they have, and may determine them",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("histories")?;
        let (mut seen, mut pairs) = (Seen::default(), Vec::new());
        for reading in READINGS {
            for _ in 0..PAIRS {
                let pair = Pair::draw(self.rho, reading, &mut stream)?;
                seen.see(self.rho, &pair)?;
                pairs.push(pair);
            }
        }
        let rhos: Vec<f64> = (1..10).map(|i| 0.1 * f64::from(i)).collect();
        let distances =
            rhos.iter().map(|rho| pairs[0].distance(*rho, &pairs[0].second)).collect::<Result<Vec<f64>, Failure>>()?;
        let steps = by_scale(self.steps, setting.scale().pick(2_000, 10_000));
        let costs = operations_of_thick_memory(4, 6, 8, 2, steps)?.gamma;
        let moving = costs.iter().filter(|n| **n != costs[0]).count();
        let tried = pairs.len() as u64;
        let unlike = |label: &str, margin, value| {
            Finding::at_least(label, margin, Estimate::exact(value)).cases(tried).unit("pairs")
        };
        let same = |label: &str, value| Finding::identity(label, value, SAME).cases(tried).unit("pairs");
        let evidence = Evidence::of(
            Finding::identity("steps at which γ_t costs more or less than at the first", moving as f64, EXACT)
                .cases(steps as u64)
                .unit("steps"),
        )
        .and(same("distance of the two states at the stored ρ, largest", seen.same.0))
        .and(unlike("distance of the two states at ρ = 0.1, least", OTHER, seen.other.0))
        .and(unlike("largest difference of the keys, least", APART, seen.apart.0))
        .twin(same("keys that collide, values not solved for: distance at the stored ρ, least", seen.not_solved.0))
        .twin(same("keys before the Newton steps: distance at the stored ρ, least", seen.start.0))
        .note(format!("γ_t takes {} operations at every step", costs[0]));
        Ok(Checked::from(evidence).figure(figure(self.rho, &rhos, &distances)))
    }
}
