//! Every relation inside, outside and across its bounds, and what is refused.

use super::*;
use workbench_record::Outcome::{Contradicts, Supports, Undecided};

fn interval(low: f64, high: f64) -> Estimate {
    Estimate { value: (low + high) / 2.0, low, high, n: 20, confidence: 0.999 }
}

fn outcome(finding: Finding) -> Outcome {
    finding.outcome().unwrap()
}

#[test]
fn equals_inside_outside_and_across() {
    let at = |low, high| outcome(Finding::equals("x", 1.0, 0.5, interval(low, high)));
    assert_eq!(at(0.75, 1.25), Supports);
    assert_eq!(at(0.5, 1.5), Supports);
    assert_eq!(at(1.25, 1.75), Undecided);
    assert_eq!(at(0.0, 2.0), Undecided);
    assert_eq!(at(1.75, 2.0), Contradicts);
    assert_eq!(at(-2.0, 0.25), Contradicts);
}

#[test]
fn near_needs_contact_and_power() {
    let at = |low, high| outcome(Finding::near("x", 1.0, 0.0, interval(low, high)));
    assert_eq!(at(0.75, 1.25), Supports);
    assert_eq!(at(1.0, 1.5), Supports);
    assert_eq!(at(1.125, 1.5), Contradicts);
    assert_eq!(at(0.5, 1.25), Undecided, "half of it fits as well");
    assert_eq!(at(0.75, 2.0), Undecided, "twice it fits as well");
    assert_eq!(at(-1e9, 1e9), Undecided, "anything fits");
    let wide = Finding::near("x", 0.5, 1.0, interval(-0.25, 1.25));
    assert_eq!(outcome(wide), Supports, "twins inside the allowance are the author's");
    assert_eq!(outcome(Finding::near("x", 0.0, 0.0, interval(-1.0, 1.0))), Supports);
    assert_eq!(outcome(Finding::near("x", 1.0, 0.25, interval(1.125, 1.5))), Supports);
}

#[test]
fn bounds_decide_only_when_the_whole_interval_is_on_one_side() {
    let most = |low, high| outcome(Finding::at_most("x", 1.0, interval(low, high)));
    assert_eq!(most(0.0, 1.0), Supports);
    assert_eq!(most(0.5, 1.5), Undecided);
    assert_eq!(most(1.25, 1.5), Contradicts);
    let least = |low, high| outcome(Finding::at_least("x", 1.0, interval(low, high)));
    assert_eq!(least(1.0, 2.0), Supports);
    assert_eq!(least(0.5, 1.5), Undecided);
    assert_eq!(least(0.5, 0.75), Contradicts);
}

#[test]
fn excludes_never_contradicts() {
    let at = |low, high| outcome(Finding::excludes("x", 0.0, interval(low, high)));
    assert_eq!(at(0.5, 1.0), Supports);
    assert_eq!(at(-1.0, 1.0), Undecided);
    assert_eq!(at(0.0, 1.0), Undecided);
}

#[test]
fn identity_is_decided_by_its_tolerance() {
    assert_eq!(outcome(Finding::identity("x", 1e-13, 1e-12)), Supports);
    assert_eq!(outcome(Finding::identity("x", 0.0, 0.0)), Supports);
    assert_eq!(outcome(Finding::identity("x", 1e-11, 1e-12)), Contradicts);
    assert_eq!(Finding::identity("x", 0.0, 0.0).cases(40).measured().n, 40);
}

/// A prediction with its sign flipped, a factor dropped or its direction turned must not pass.
#[test]
fn every_wrong_twin_is_noticed() {
    let measured = interval(-0.53, -0.49);
    for twin in [0.5, -0.25, -1.0] {
        assert_ne!(outcome(Finding::equals("x", twin, 0.05, measured)), Supports);
        assert_ne!(outcome(Finding::near("x", twin, 0.05, measured)), Supports);
    }
    assert_eq!(outcome(Finding::equals("x", -0.5, 0.05, measured)), Supports);
    assert_eq!(outcome(Finding::near("x", -0.5, 0.05, measured)), Supports);
    assert_eq!(outcome(Finding::at_most("x", -0.4, measured)), Supports);
    assert_eq!(outcome(Finding::at_least("x", -0.4, measured)), Contradicts);
    assert_eq!(outcome(Finding::at_most("x", -0.8, measured)), Contradicts);
}

#[test]
fn what_cannot_decide_is_refused() {
    let good = interval(0.9, 1.1);
    let nan = f64::NAN;
    let refused = [
        Finding::equals("  ", 1.0, 0.1, good),
        Finding::equals("x", nan, 0.1, good),
        Finding::equals("x", 1.0, nan, good),
        Finding::equals("x", 1.0, -0.1, good),
        Finding::equals("x", 1.0, f64::INFINITY, good),
        Finding::near("x", 1.0, -0.1, good),
        Finding::at_most("x", f64::INFINITY, good),
        Finding::excludes("x", nan, good),
        Finding::identity("x", nan, 1e-9),
        Finding::identity("x", f64::INFINITY, 1e-9),
        Finding::identity("x", -1.0, 1e-9),
        Finding::identity("x", 0.0, 1e-9).cases(0),
        Finding::identity("x", 0.0, 1e-9).cases(-1),
        Finding::identity("x\u{7}y", 0.0, 1e-9),
        Finding::identity("x\u{202e}y", 0.0, 1e-9),
        Finding::at_most("x", 1.0, Estimate { value: nan, ..good }),
        Finding::at_most("x", 1.0, Estimate { low: nan, ..good }),
        Finding::at_most("x", 1.0, Estimate { high: f64::INFINITY, ..good }),
        Finding::at_most("x", 1.0, Estimate { value: 2.0, ..good }),
        Finding::at_most("x", 1.0, Estimate { n: 0, ..good }),
        Finding::at_most("x", 1.0, Estimate { confidence: 0.95, ..good }),
        Finding::at_most("x", 1.0, Estimate { confidence: 1.5, ..good }),
    ];
    for finding in refused {
        assert!(matches!(finding.outcome(), Err(Error::BadFinding { .. })), "{finding:?}");
    }
}

#[test]
fn words_for_expected_and_measured() {
    let finding = Finding::equals("x", 1.0 / 3.0, 0.1, interval(0.3, 0.4));
    assert_eq!(finding.expected_text(), "0.3333333333333333 ± 0.1");
    assert_eq!(finding.measured_text(), "0.35 [0.3, 0.4]");
    assert_eq!(Finding::at_most("x", 3.0, interval(1.0, 2.0)).expected_text(), "at most 3");
    assert_eq!(Finding::near("x", 1.0, 0.0, interval(1.0, 2.0)).expected_text(), "interval contains 1");
}
