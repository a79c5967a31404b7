//! A.1.1, after the uni-directional display: why rho cannot be changed afterwards.
//!
//! **Claim** (`mnemosyne/gamma-t-cost`). Each gamma_t still takes "O_1(M)" time, but a new rho would need phi(k^mu) of all past keys, which is
//! impossible since they are not stored.
//!
//! The letters are swapped: constant time is O_M(1), as in the paragraph before, and that is what is counted. That something *cannot* be
//! computed from the state is shown by two histories that have the same state (N_t, Psi_t) at one rho and different states at another: Newton
//! steps find a second set of keys with the same sum of features, and its values then solve a linear system. Several draws are tried, with
//! A-hat as printed and with the eighth of it that Eq. 11 needs. Refuted by a cost that grows; states that agree at every rho whenever they
//! agree at one.

use ndarray::{Array2, Axis, concatenate};
use workbench_display::{Figure, Panel};
use workbench_features::{
    Draws, FeatureMap, History, KernelMemory, a_hat, colliding_history, operations_of_thick_memory, printed_a_hat,
};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use crate::vocabulary::{EXACT, largest};

const SAME: Margin = Margin::rounding(
    "the same state",
    1e-11,
    "Newton steps end at rounding, and the linear system for the values loses a digit or two",
);
/// Dimension of keys, width of values, features, keys of a history.
const DIM: usize = 3;
const WIDTH: usize = 2;
const FEATURES: usize = 6;
const KEYS: usize = 8;
/// Pairs of histories for each reading of the parameter.
const PAIRS: usize = 5;

/// Two histories, and the cost of a stream.
pub const CHECK: Check = Check {
    claim: "mnemosyne/gamma-t-cost",
    metric: "operations for γ_t, counted; distance of the states (N, Ψ) of two histories, relative to their largest entry, the worst of five pairs for each reading of Â",
    against: "a step at which γ_t costs more; histories with one state at one ρ that have one state at all",
    protocol: &["the state (N, Ψ) is that of Eq. 3, which stands outside the appendix"],
    choices: &[
        "6 features, 8 keys of 3 entries, values of 2; ρ = 0.5 and 0.1",
        "five pairs with Â = 1/ρ-1 as printed, and five with an eighth of it, under which Eq. 11 is an optimum",
    ],
    departures: &[
        "\"O_1(M)\" is read as O_M(1), constant in M, the notation of the paragraph before; linear in M, which the letters say, would allow more",
        "γ_t with t times the squared query, see the uni-directional display; the printed bracket takes as many operations",
        "eight keys with values are 40 numbers and the state has 18; of fewer than four keys it has more numbers than they have, and may determine them",
    ],
    run,
    ..Check::DEFAULT
};

/// The parameter of FAVOR++ that belongs to a ρ.
type Reading = fn(f64) -> Result<f64, workbench_features::Error>;

fn run(s: &Sheet) -> Done {
    let steps = s.knob("steps", s.scale().pick(2_000, 10_000), 1..)?;
    let costs = operations_of_thick_memory(4, 6, 8, 2, steps)?.gamma;
    for cost in &costs {
        let label = "steps at which γ_t costs more or less than at the first";
        s.printed(EXACT).of("steps").never(label, *cost != costs[0]);
    }
    s.note(format!("γ_t takes {} operations at every step", costs[0]));

    let rho = s.knob("ρ of the stored state", 0.5, 0.01..=0.99)?;
    let mut stream = s.stream("histories")?;
    let readings: [Reading; 2] = [a_hat, printed_a_hat];
    for pair in s.each("pairs", 0..2 * PAIRS) {
        let reading = readings[pair / PAIRS];
        let draws = Draws::block_orthogonal(FEATURES, DIM, &mut stream)?;
        let map = |rho: f64| -> Result<FeatureMap, Failure> {
            Ok(FeatureMap::favor_plus_plus(draws.clone(), reading(rho)?)?)
        };
        let (keys, values) = (normal_array2(&mut stream, KEYS, DIM) * 0.6, normal_array2(&mut stream, KEYS, WIDTH));
        let first = History { keys, values };
        let start = &first.keys + &(normal_array2(&mut stream, KEYS, DIM) * 0.2);
        let second = colliding_history(&map(rho)?, &first, &start)?;
        let apart = |rho: f64, other: &History| distance(&map(rho)?, &first, other);
        s.support(SAME).same("distance of the two states at the stored ρ, largest", apart(rho, &second)?);
        s.printed(SAME).at_least("distance of the two states at ρ = 0.1, least", apart(0.1, &second)?);
        s.support(SAME).at_least("largest difference of the keys, least", largest(&(&first.keys - &second.keys)));
        let with = |keys: Array2<f64>| History { keys, values: first.values.clone() };
        let label = "keys that collide, values not solved for: distance at the stored ρ, least";
        s.twin(SAME).same(label, apart(rho, &with(second.keys.clone()))?);
        let label = "keys before the Newton steps: distance at the stored ρ, least";
        s.twin(SAME).same(label, apart(rho, &with(start))?);
        if pair == 0 {
            let rhos: Vec<f64> = (1..10).map(|i| 0.1 * f64::from(i)).collect();
            let distances = rhos.iter().map(|rho| apart(*rho, &second)).collect::<Result<Vec<f64>, _>>()?;
            s.figure(figure(rho, &rhos, &distances));
        }
    }
    Ok(())
}

/// N and Psi of a history, side by side.
fn state(map: &FeatureMap, history: &History) -> Result<Array2<f64>, Failure> {
    let mut memory = KernelMemory::new(map.clone(), WIDTH, 1.0)?;
    memory.absorb_rows(&history.keys, &history.values)?;
    let psi = memory.log_psi().mapv(f64::exp).insert_axis(Axis(1));
    Ok(concatenate![Axis(1), &memory.mean_values() * &psi, psi])
}

/// Largest difference of the states of two histories over the largest entry of the first.
fn distance(map: &FeatureMap, first: &History, other: &History) -> Result<f64, Failure> {
    let (a, b) = (state(map, first)?, state(map, other)?);
    Ok(largest(&(&a - &b)) / largest(&a))
}

fn figure(rho: f64, rhos: &[f64], distances: &[f64]) -> Figure {
    let shown: Vec<f64> = distances.iter().map(|d| d.max(1e-17)).collect();
    let panel = Panel::new("").x_label("ρ").y_label("relative distance of the states").log_y().y_limits(1e-17, 10.0);
    Figure::new("The state at one ρ does not determine the state at another")
        .panel(panel.points("states (N, Ψ) of both histories", rhos, &shown).vline("ρ of the stored state", rho))
        .caption("Two sets of eight keys and values that differ, with one state at the upright line and different states elsewhere.")
}
