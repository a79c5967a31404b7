//! Beyond the document: early against late, among items that were seen exactly once.
//!
//! Ours. Given that x came once, a steps ago, the steps since are draws of the other items, so the delta rule keeps
//! eta k^T (I - eta C_{-x})^a k of it: forgetting at the rates of the traffic. The tail of a Zipf law has little traffic, so a rare
//! pair is forgotten more slowly than (1 - eta/d)^a, in which all directions carry the same.

use workbench_display::{Figure, Panel};
use workbench_gradient_memory::{Frequencies, RecursiveLeastSquares, geometric_retention};
use workbench_ledger::{Check, Done, Margin, Sheet};

use super::beyond_frequency::{Shown, rules, with_rules, zipf};
use super::beyond_retention::{DIM, whiskers};

const EXPECTED: Margin =
    Margin::statistical("expected", 0.03, "what runs leave of a mean, paired by run; equal traffic is off by more");
const NO_PREFERENCE: Margin =
    Margin::statistical("no preference", 0.03, "the same number, for the difference of two ages");
const SLOWER: Margin = Margin::statistical("slower", 1.0, "equal traffic leaves exactly this");

/// Retention of items that came once, by when.
pub const CHECK: Check = Check {
    claim: "early-against-late",
    says: "Of items seen once, the delta rule keeps what the traffic since has left; every rule but least squares prefers the late \
           ones.",
    metric: "mean retention by group of ages, with 99.9 % intervals; against its expectation paired by run",
    against: "a group that departs from the expectation, an early group that is kept better",
    choices: &["1000 items in 32 dimensions, 1000 draws, five groups of 200 ages, the same draws for every rule"],
    run,
    ..Check::DEFAULT
};

/// Groups of ages.
const GROUPS: usize = 5;
/// Steps of a run.
const STEPS: usize = 1000;
/// Step size of the delta rule.
const ETA: f64 = 0.25;

fn run(s: &Sheet) -> Done {
    let alpha = s.knob("Zipf exponent α", 1.2, 0.5..=3.0)?;
    let n = s.knob("items", 1000, 2..)?;
    let runs = s.knob("runs", s.scale().pick(40, 400), 2..)?;
    let (items, name) = (Frequencies::new(zipf(alpha, n), STEPS).runs(runs), "seen once");
    let expected = items.expected_delta_once_seen(ETA, (DIM, DIM), GROUPS, s.streams(), name)?;
    let mut all = rules()?;
    all.push(Shown::new("with forgetting 0.99", 7, RecursiveLeastSquares::new(DIM, DIM, 0.99, 1e-3)?));
    let mut seen = Vec::new();
    for Shown { name: of, rule, colour } in all {
        seen.push((of, items.once_seen(rule.as_ref(), GROUPS, s.streams(), name)?, colour));
    }
    let ages: Vec<usize> = (0..STEPS).collect();
    let equal_traffic: Vec<f64> = geometric_retention(ETA, 1.0 - ETA / DIM as f64, &ages)
        .chunks(STEPS / GROUPS)
        .map(|group| group.iter().sum::<f64>() / group.len() as f64)
        .collect();

    let delta = &seen[0].1;
    let slower = delta.at(2)?.affine(1.0 / equal_traffic[2], 0.0)?;
    s.printed(SLOWER).at_least("delta rule, age 500: retention over that of equal traffic", slower);
    s.twin(EXPECTED).equals("delta rule under equal traffic, age 300", equal_traffic[1], delta.at(1)?);
    for k in 0..GROUPS {
        let label = format!("delta rule, age {}: measured minus expected", delta.positions()[k]);
        s.printed(EXPECTED).equals(label, 0.0, delta.minus(&expected, k)?);
    }
    for (rule, kept, _) in &seen {
        let (label, late) = (format!("{rule}: late minus early"), kept.contrast(0, GROUPS - 1)?);
        match *rule {
            "least squares" => s.printed(NO_PREFERENCE).equals(label, 0.0, late),
            _ => s.printed(Margin::ZERO).at_least(label, late),
        }
    }

    let aged = |title: &str| Panel::new(title).x_label("steps since it was seen").y_label("retention").legend_below();
    let ages = expected.positions();
    let left = aged("delta rule, η = 1/4").theory("traffic of the others", ages, &expected.means()).theory(
        "equal traffic, η(1 − η/d)^{a}",
        ages,
        &equal_traffic,
    );
    s.figure(
        Figure::new("A pair seen once fades with the traffic of the others")
            .panel(whiskers(left, "delta rule", delta)?.colour(3))
            .panel(with_rules(aged("all rules"), &seen)?)
            .size(1100, 560)
            .caption(&format!(
                "Zipf α = {alpha}, {n} items in {DIM} dimensions, T = {STEPS}; means over runs with 99.9 % intervals, five groups of ages."
            )),
    );
    Ok(())
}
