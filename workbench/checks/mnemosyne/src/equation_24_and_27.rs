//! Eqs. 24 and 27: the signal of a flip, away from the memory and towards it.
//!
//! **Claims** (`mnemosyne/eq-24`, `mnemosyne/eq-27`). If the input agrees with the memory at i, E[E_signal] >= e^{N(1-2rho)} (1 - e^-2);
//! if it does not, E[E_signal] <= e^{N(1-2rho)} (1 - e^2), a negative number.
//!
//! Both are attained at the edge of the ball, which is a footing, so that the constant, the exponent and the direction can all be wrong in a
//! way that is seen. The signal is the difference of two exponentials, the overlaps of input and flipped input; the printed constants come in
//! only when it is compared. Refuted by a signal beyond the bound.

use workbench_ledger::{Check, Done, Margin, Sheet};

use super::code_scans::{ALL_ALIKE, Scanned, scans};
use crate::vocabulary::{ROUNDING, largest_of, least_of};

const FROM_BELOW: Margin = Margin::rounding(
    "rounding, from below",
    -1e-12,
    "a quotient of two exponentials that is one where the bound is attained, in double precision, with two digits to spare",
);
const PROTOCOL: &[&str] = &["all inputs of a ball, all flips of one kind"];
const CHOICES: &[&str] = &["codes of length 8 to 111, the radius a whole number of flips"];

/// Case 1: flips away from the memory.
pub const SIGNAL_AWAY: Check = Check {
    claim: "mnemosyne/eq-24",
    metric: "least signal over the bound, minus 1; signals are differences of exponentials of overlaps",
    against: "a signal below the bound",
    protocol: PROTOCOL,
    choices: CHOICES,
    departures: &[ALL_ALIKE],
    run: signal_away,
    ..Check::DEFAULT
};

fn signal_away(s: &Sheet) -> Done {
    let scans = scans(s)?;
    let flips = scans.iter().map(|scan| scan.seen.away).sum::<u64>() as usize;
    let (printed, twin) = (s.printed(FROM_BELOW).over(flips, "flips"), s.twin(ROUNDING).over(flips, "flips"));
    let support = s.support(ROUNDING).over(flips, "flips");
    let bound = -(-2f64).exp_m1(); // 1 - e^-2
    let least = least_of(scans.iter().map(|scan| scan.seen.least_signal));
    printed.at_least("least signal over the bound, minus 1", least / bound - 1.0);
    let four = least / -(-4f64).exp_m1() - 1.0;
    let label = "the bound with 1 - e⁻⁴, as if a flip moved the overlap by four: least signal over it, minus 1";
    s.twin(FROM_BELOW).over(flips, "flips").at_least(label, four);
    let attained = off(&scans, |scan| scan.seen.least_signal / bound);
    support.same("the bound is attained in every ball: distance of the quotient from 1", largest_of(attained));
    s.support(Margin::ZERO).over(flips, "flips").at_least("least signal over e^{N(1-2ρ)}", least);
    let one_step = off(&scans, |scan| scan.seen.least_signal / -(-1f64).exp_m1());
    twin.same("the bound with 1 - e⁻¹, as if a flip moved the overlap by one: minus 1, at best", least_of(one_step));
    let no_two = off(&scans, |scan| scan.seen.least_signal / bound / without_the_two(scan));
    twin.same("the bound with e^{N(1-ρ)}: minus 1, at best", least_of(no_two));
    Ok(())
}

/// Case 2: flips towards it.
pub const SIGNAL_TOWARDS: Check = Check {
    claim: "mnemosyne/eq-27",
    metric: "largest signal over the bound, both negative, minus 1; signals are differences of exponentials of overlaps",
    against: "a signal above the bound",
    protocol: PROTOCOL,
    choices: CHOICES,
    departures: &[ALL_ALIKE],
    run: signal_towards,
    ..Check::DEFAULT
};

fn signal_towards(s: &Sheet) -> Done {
    let scans = scans(s)?;
    let flips = scans.iter().map(|scan| scan.seen.towards).sum::<u64>() as usize;
    let (printed, twin) = (s.printed(FROM_BELOW).over(flips, "flips"), s.twin(ROUNDING).over(flips, "flips"));
    let support = s.support(ROUNDING).over(flips, "flips");
    let bound = -2f64.exp_m1(); // 1 - e^2
    let largest = largest_of(scans.iter().map(|scan| scan.seen.largest_signal));
    // Both are negative, so that a signal above the bound is the smaller part of it.
    printed.at_least("largest signal over the bound, minus 1", largest / bound - 1.0);
    let four = largest / -4f64.exp_m1() - 1.0;
    let label = "the bound with 1 - e⁴, as if a flip moved the overlap by four: largest signal over it, minus 1";
    s.twin(FROM_BELOW).over(flips, "flips").at_least(label, four);
    let attained = off(&scans, |scan| scan.seen.largest_signal / bound);
    support.same("the bound is attained in every ball: distance of the quotient from 1", largest_of(attained));
    s.support(Margin::ZERO).over(flips, "flips").at_most("largest signal over e^{N(1-2ρ)}", largest);
    let no_two = off(&scans, |scan| scan.seen.largest_signal / bound / without_the_two(scan));
    twin.same("the bound with e^{N(1-ρ)}: minus 1, at best", least_of(no_two));
    Ok(())
}

/// How far the quotient of signal and bound is from 1.
fn off(scans: &[Scanned], quotient: impl Fn(&Scanned) -> f64) -> Vec<f64> {
    scans.iter().map(|scan| (quotient(scan) - 1.0).abs()).collect()
}

/// $e^{N(1-\rho)}$ over $e^{N(1-2\rho)}$.
fn without_the_two(scan: &Scanned) -> f64 {
    (scan.guarantee.rho() * scan.guarantee.dim() as f64).exp()
}
