//! Eqs. 24 and 27: the signal of a flip, away from the memory and towards it.
//!
//! **Claims** (`mnemosyne/eq-24`, `mnemosyne/eq-27`). If the input agrees with the memory at i, E[E_signal] >= e^{N(1-2rho)} (1 - e^-2);
//! if it does not, E[E_signal] <= e^{N(1-2rho)} (1 - e^2), a negative number.
//!
//! Both are attained at the edge of the ball, so that the constant, the exponent and the direction can all be wrong in a way that is
//! seen. The signal is the difference of two exponentials, the overlaps of input and flipped input; the printed constants come in only
//! when it is compared. What would count against it: an extreme signal that is not the bound.

use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use super::section_a_2_scans::{Scanned, scans};
use crate::vocabulary::{ROUNDING, largest_of, least_of};

/// Case 1: flips away from the memory.
#[derive(Clone, Debug, Default)]
pub struct SignalAway;

/// Case 2: flips towards it.
#[derive(Clone, Debug, Default)]
pub struct SignalTowards;

/// How far the quotient of signal and bound is from 1, largest over the scans.
fn attained(scans: &[Scanned], quotient: impl Fn(&Scanned) -> f64) -> f64 {
    largest_of(scans.iter().map(|scan| (quotient(scan) - 1.0).abs()))
}

/// The same, least over the scans: a wrong form must fail in all of them.
fn at_best(scans: &[Scanned], quotient: impl Fn(&Scanned) -> f64) -> f64 {
    least_of(scans.iter().map(|scan| (quotient(scan) - 1.0).abs()))
}

/// $e^{N(1-\rho)}$ over $e^{N(1-2\rho)}$.
fn without_the_two(scan: &Scanned) -> f64 {
    (scan.guarantee.rho() * scan.guarantee.dim() as f64).exp()
}

const PROTOCOL: &[&str] =
    &["all inputs of the balls and all flips of codes of length 8 to 111, the radius a whole number of flips"];

impl TypedCheck for SignalAway {
    const CLAIM: &'static str = "mnemosyne/eq-24";
    const PLAN: Plan = Plan::new(
        "least signal over the bound, minus 1; signals are differences of exponentials of overlaps",
        "a least signal that is below the bound, or above it where the edge of the ball is reached",
        &[ROUNDING],
    )
    .protocol(PROTOCOL);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let scans = scans(setting)?;
        let flips: u64 = scans.iter().map(|scan| scan.seen.away).sum();
        let of = |label: &str, error: f64| Finding::identity(label, error, ROUNDING).cases(flips).unit("flips");
        let constant = -(-2f64).exp_m1(); // 1 - e^-2
        let one_step = -(-1f64).exp_m1(); // 1 - e^-1
        let evidence = Evidence::of(of(
            "least signal over the bound, minus 1",
            attained(&scans, |scan| scan.seen.least_signal / constant),
        ))
        .and(
            Finding::at_least(
                "least signal over e^{N(1-2ρ)}",
                0.0,
                Estimate::exact(least_of(scans.iter().map(|scan| scan.seen.least_signal))),
            )
            .cases(flips)
            .unit("flips"),
        )
        .twin(of(
            "the bound with 1 - e⁻¹, as if a flip moved the overlap by one: minus 1, at best",
            at_best(&scans, |scan| scan.seen.least_signal / one_step),
        ))
        .twin(of(
            "the bound with e^{N(1-ρ)}: minus 1, at best",
            at_best(&scans, |scan| scan.seen.least_signal / constant / without_the_two(scan)),
        ));
        Ok(evidence.into())
    }
}

impl TypedCheck for SignalTowards {
    const CLAIM: &'static str = "mnemosyne/eq-27";
    const PLAN: Plan = Plan::new(
        "largest signal over the bound, both negative, minus 1; signals are differences of exponentials of overlaps",
        "a largest signal that is above the bound, or below it where the edge of the ball is reached",
        &[ROUNDING],
    )
    .protocol(PROTOCOL);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let scans = scans(setting)?;
        let flips: u64 = scans.iter().map(|scan| scan.seen.towards).sum();
        let of = |label: &str, error: f64| Finding::identity(label, error, ROUNDING).cases(flips).unit("flips");
        let constant = -2f64.exp_m1(); // 1 - e^2
        let evidence = Evidence::of(of(
            "largest signal over the bound, minus 1",
            attained(&scans, |scan| scan.seen.largest_signal / constant),
        ))
        .and(
            Finding::at_most(
                "largest signal over e^{N(1-2ρ)}",
                0.0,
                Estimate::exact(largest_of(scans.iter().map(|scan| scan.seen.largest_signal))),
            )
            .cases(flips)
            .unit("flips"),
        )
        .twin(of(
            "the bound with the constant of Case 1, turned round: minus 1, at best",
            at_best(&scans, |scan| scan.seen.largest_signal / (-2f64).exp_m1()),
        ))
        .twin(of(
            "the bound with e^{N(1-ρ)}: minus 1, at best",
            at_best(&scans, |scan| scan.seen.largest_signal / constant / without_the_two(scan)),
        ));
        Ok(evidence.into())
    }
}
