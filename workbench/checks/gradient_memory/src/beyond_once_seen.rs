//! Beyond the document: early against late, among items that were seen exactly once.
//!
//! Ours. Given that x came once, a steps ago, the steps since are draws of the other items, so the delta rule keeps
//! eta k^T (I - eta C_{-x})^a k of it: forgetting at the rates of the traffic. The tail of a Zipf law has little traffic, so a rare
//! pair is forgotten more slowly than (1 - eta/d)^a, in which all directions carry the same.

use workbench_display::{Figure, Panel};
use workbench_gradient_memory::{Frequencies, RecursiveLeastSquares, Retention, geometric_retention};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use super::beyond_frequency::{Shown, rules, zipf};
use super::beyond_retention::{DIM, whiskers};

const EXPECTED: Margin = Margin::new("expected", 0.03, "an eighth of what is written at first, paired by run");
const NO_PREFERENCE: Margin = Margin::new("no preference", 0.03, "the same number, for the difference of two ages");
const SLOWER: Margin = Margin::new("slower", 2.0, "twice the retention of equal traffic, so no accident of a mean");

/// Groups of ages.
const GROUPS: usize = 5;
/// Steps of a run.
const STEPS: usize = 1000;

/// Retention of items that came once, by when.
#[derive(Clone, Debug)]
pub struct OnceSeen {
    /// Exponent of the Zipf law.
    pub alpha: f64,
    /// Items, in 32 dimensions.
    pub items: usize,
}

impl Default for OnceSeen {
    fn default() -> OnceSeen {
        OnceSeen { alpha: 1.2, items: 1000 }
    }
}

struct Seen {
    expected: Retention,
    equal_traffic: Vec<f64>,
    rules: Vec<(&'static str, Retention, usize)>,
}

impl OnceSeen {
    const ETA: f64 = 0.25;

    fn measure(&self, setting: &Setting) -> Result<Seen, Failure> {
        let (streams, name) = (setting.streams(), "seen once");
        let runs = setting.scale().pick(40, 400);
        let items = Frequencies::new(zipf(self.alpha, self.items), STEPS).runs(runs);
        let mut all = rules()?;
        all.push(Shown::new("with forgetting 0.99", 7, RecursiveLeastSquares::new(DIM, DIM, 0.99, 1e-3)?));
        let rules = all
            .into_iter()
            .map(|shown| Ok((shown.name, items.once_seen(shown.rule.as_ref(), GROUPS, streams, name)?, shown.colour)))
            .collect::<Result<_, Failure>>()?;
        let ages: Vec<usize> = (0..STEPS).collect();
        let equal = geometric_retention(Self::ETA, 1.0 - Self::ETA / DIM as f64, &ages);
        let width = STEPS / GROUPS;
        Ok(Seen {
            expected: items.expected_delta_once_seen(Self::ETA, (DIM, DIM), GROUPS, streams, name)?,
            equal_traffic: equal.chunks(width).map(|group| group.iter().sum::<f64>() / width as f64).collect(),
            rules,
        })
    }

    fn figure(&self, seen: &Seen) -> Result<Figure, Failure> {
        let aged = |title: &str| {
            Panel::new(title).x_label("age of the only sight (steps)").y_label("retention").legend_below()
        };
        let ages = seen.expected.positions();
        let left = aged("delta rule, η = 1/4").theory("traffic of the others", ages, &seen.expected.means()).theory(
            "equal traffic, η(1 − η/d)^{a}",
            ages,
            &seen.equal_traffic,
        );
        let left = whiskers(left, "delta rule", &seen.rules[0].1)?.colour(3);
        let mut right = aged("all rules");
        for (name, kept, colour) in &seen.rules {
            right = right.line(name, kept.positions(), &kept.means()).colour(*colour);
            right = whiskers(right, name, kept)?.colour(*colour);
        }
        Ok(Figure::new("A pair seen once fades with the traffic of the others")
            .panel(left)
            .panel(right)
            .size(1100, 560)
            .caption(&format!(
                "Zipf α = {}, {} items in {DIM} dimensions, T = {STEPS}; means over runs with 99.9 % intervals, five groups of ages.",
                self.alpha, self.items
            )))
    }
}

impl TypedCheck for OnceSeen {
    const CLAIM: &'static str = "early-against-late";
    const SAYS: &'static str = "Of items seen once, the delta rule keeps what the traffic since has left; every rule but least \
                                squares prefers the late ones.";
    const PLAN: Plan = Plan::new(
        "mean retention by group of ages, with 99.9 % intervals; against its expectation paired by run",
        "a group that departs from the expectation, an early group that is kept better",
        &[EXPECTED, NO_PREFERENCE, SLOWER],
    )
    .protocol(&["1000 items in 32 dimensions, 1000 draws, five groups of 200 ages, the same draws for every rule"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.measure(setting)?;
        let delta = &seen.rules[0].1;
        let middle = seen.equal_traffic[2];
        let mut evidence = Evidence::of(Finding::at_least(
            "delta rule, age 500: retention over that of equal traffic",
            SLOWER,
            delta.at(2)?.affine(1.0 / middle, 0.0)?,
        ));
        for k in 0..GROUPS {
            evidence = evidence.and(Finding::equals(
                format!("delta rule, age {}: measured minus expected", delta.positions()[k]),
                0.0,
                EXPECTED,
                delta.minus(&seen.expected, k)?,
            ));
        }
        for (name, kept, _) in &seen.rules {
            let late = kept.contrast(0, GROUPS - 1)?;
            evidence = evidence.and(match *name {
                "least squares" => Finding::equals("least squares: late minus early", 0.0, NO_PREFERENCE, late),
                name => Finding::at_least(format!("{name}: late minus early"), 0.0, late),
            });
        }
        let evidence = evidence.twin(Finding::equals(
            "delta rule under equal traffic, age 300",
            seen.equal_traffic[1],
            EXPECTED,
            delta.at(1)?,
        ));
        Ok(Checked::from(evidence).figure(self.figure(&seen)?))
    }
}
