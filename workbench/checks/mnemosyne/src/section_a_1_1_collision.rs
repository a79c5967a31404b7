//! A.1.1, after the uni-directional display: why rho cannot be changed afterwards.
//!
//! **Claim** (`mnemosyne/gamma-t-cost`). Each gamma_t still takes "O_1(M)" time, but a new rho would need phi(k^mu) of all past keys, which is
//! impossible since they are not stored.
//!
//! The letters are swapped: constant time is O_M(1), as in the paragraph before, and that is what is counted. That something *cannot* be
//! computed from the state is shown by two histories that have the same state (N_t, Psi_t) at one rho and different states at another:
//! Newton steps find a second set of keys with the same sum of features, and its values then solve a linear system. What would count
//! against the claim: a cost that grows; states that agree at every rho whenever they agree at one.

use ndarray::{Array2, Axis, concatenate};
use workbench_display::{Figure, Panel};
use workbench_features::{
    Draws, FeatureMap, History, KernelMemory, a_hat, colliding_history, operations_of_thick_memory,
};
use workbench_ground::stats::{Estimate, normal_array2};
use workbench_ledger::{Check, Checked, Evidence, Failure, Finding, Margin, Plan, Setting};

use crate::vocabulary::{EXACT, by_scale};

const SAME: Margin = Margin::new(
    "the same state",
    1e-11,
    "Newton steps end at rounding, and the linear system for the values loses a digit or two",
);
const OTHER: Margin = Margin::new(
    "another state",
    1e-4,
    "ten million times what the collision leaves, and visible in an answer",
);
const APART: Margin = Margin::new("other keys", 0.01, "a hundredth of the length of a key, no rounding");

/// Dimension of keys, width of values, features, keys of a history.
const DIM: usize = 3;
const WIDTH: usize = 2;
const FEATURES: usize = 6;
const KEYS: usize = 8;

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

fn map_at(rho: f64, draws: &Draws) -> Result<FeatureMap, Failure> {
    Ok(FeatureMap::favor_plus_plus(draws.clone(), a_hat(rho)?)?)
}

/// N and Psi of a history, side by side.
fn state(rho: f64, draws: &Draws, history: &History) -> Result<Array2<f64>, Failure> {
    let mut memory = KernelMemory::new(map_at(rho, draws)?, WIDTH, 1.0)?;
    memory.absorb_rows(&history.keys, &history.values)?;
    let psi = memory.log_psi().mapv(f64::exp).insert_axis(Axis(1));
    Ok(concatenate![Axis(1), &memory.mean_values() * &psi, psi])
}

/// Largest difference of two states over the largest entry of the first.
fn distance(rho: f64, draws: &Draws, first: &History, second: &History) -> Result<f64, Failure> {
    let (a, b) = (state(rho, draws, first)?, state(rho, draws, second)?);
    let largest = |x: &Array2<f64>| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    Ok(largest(&(&a - &b)) / largest(&a))
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

impl Check for Collision {
    const CLAIM: &'static str = "mnemosyne/gamma-t-cost";
    const PLAN: Plan = Plan::new(
        "operations for γ_t, counted; distance of the states (N, Ψ) of two histories, relative to their largest entry",
        "a step at which γ_t costs more; histories with one state at one ρ that have one state at all",
        &[EXACT, SAME, OTHER, APART],
    )
    .protocol(&[
        "6 features, 8 keys of 3 entries, values of 2; the state is that of Eq. 3, which stands outside the appendix",
    ])
    .departures(&["\"O_1(M)\" is read as O_M(1), constant in M, the notation of the paragraph before"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("histories")?;
        let draws = Draws::block_orthogonal(FEATURES, DIM, &mut stream)?;
        let first = History {
            keys: normal_array2(&mut stream, KEYS, DIM) * 0.6,
            values: normal_array2(&mut stream, KEYS, WIDTH),
        };
        let start = &first.keys + &(normal_array2(&mut stream, KEYS, DIM) * 0.2);
        let second = colliding_history(&map_at(self.rho, &draws)?, &first, &start)?;
        let not_solved = History {
            keys: second.keys.clone(),
            values: first.values.clone(),
        };
        let rhos: Vec<f64> = (1..10).map(|i| 0.1 * f64::from(i)).collect();
        let of = |rho: f64, other: &History| distance(rho, &draws, &first, other);
        let distances = rhos
            .iter()
            .map(|rho| of(*rho, &second))
            .collect::<Result<Vec<f64>, Failure>>()?;
        let steps = by_scale(self.steps, setting.scale().pick(2_000, 10_000));
        let costs = operations_of_thick_memory(4, 6, 8, 2, steps)?.gamma;
        let moving = costs.iter().filter(|n| **n != costs[0]).count();
        let apart = (&first.keys - &second.keys)
            .iter()
            .fold(0.0f64, |most, x| most.max(x.abs()));
        let unlike = |label: &str, margin, value| Finding::at_least(label, margin, Estimate::exact(value));
        let same = |label: &str, value| Finding::identity(label, value, SAME);
        let evidence = Evidence::of(
            Finding::identity(
                "steps at which γ_t costs more or less than at the first",
                moving as f64,
                EXACT,
            )
            .cases(steps as u64)
            .unit("steps"),
        )
        .and(same(
            "distance of the two states at the stored ρ",
            of(self.rho, &second)?,
        ))
        .and(unlike("distance of the two states at ρ = 0.1", OTHER, distances[0]))
        .and(unlike("largest difference of the keys", APART, apart))
        .twin(same(
            "keys that collide, values not solved for: distance at the stored ρ",
            of(self.rho, &not_solved)?,
        ))
        .twin(same(
            "keys before the Newton steps: distance at the stored ρ",
            of(
                self.rho,
                &History {
                    keys: start,
                    values: first.values.clone(),
                },
            )?,
        ))
        .note(format!("γ_t takes {} operations at every step", costs[0]));
        Ok(Checked::from(evidence).figure(figure(self.rho, &rhos, &distances)))
    }
}
