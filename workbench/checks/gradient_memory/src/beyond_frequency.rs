//! Beyond the document: what is kept of frequent and of rare items.
//!
//! Ours, on the data of the paper on heavy tails: items drawn with Zipf probabilities p(x) ~ x^-alpha, each with a fixed key and value.
//! The mean memory of the delta rule obeys E W_{t+1} = E W_t (I - eta C) + eta B with C = sum p(x) k k^T and B = sum p(x) v k^T.

use workbench_display::{Figure, Panel};
use workbench_gradient_memory::{
    Adam, AdamSettings, DeltaRule, Frequencies, HeavyBall, Keys, Loss, RecursiveLeastSquares, Retention, UpdateRule,
    WeightDecay,
};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use super::beyond_retention::{DIM, whiskers};

/// Ranks that are reported.
const RANKS: [usize; 12] = [1, 2, 3, 5, 8, 12, 20, 32, 50, 80, 120, 200];
/// Of them, those of the 32 items with orthonormal keys.
const ROOMY: usize = 8;

const OWN_DIRECTION: Margin =
    Margin::new("own direction", 0.1, "a tenth of full retention, a few half-widths at quick scale");
const MEAN_MEMORY: Margin =
    Margin::new("mean memory", 0.15, "paired by run, with the noise of 168 items too many for the memory");
const APART: Margin = Margin::new("apart", 0.005, "the least by which another step size has to show, paired by run");
const PREFERRED: Margin = Margin::new("preferred", 0.5, "half of full retention");

/// Zipf probabilities of `items` items.
pub fn zipf(alpha: f64, items: usize) -> Vec<f64> {
    let sizes: Vec<f64> = (1..=items).map(|rank| (rank as f64).powf(-alpha)).collect();
    let sum: f64 = sizes.iter().sum();
    sizes.into_iter().map(|size| size / sum).collect()
}

/// A rule as figures show it: its name, and the colour that it has in the figure of ages.
pub(crate) struct Shown {
    pub name: &'static str,
    pub rule: Box<dyn UpdateRule>,
    pub colour: usize,
}

impl Shown {
    pub fn new(name: &'static str, colour: usize, rule: impl UpdateRule + 'static) -> Shown {
        let rule = Box::new(rule);
        Shown { name, rule, colour }
    }
}

/// The rules that are shown beside each other.
pub(crate) fn rules() -> Result<Vec<Shown>, Failure> {
    let (d, squared) = (DIM, Loss::Squared);
    let adam = AdamSettings { rate: 0.01, ..AdamSettings::default() };
    Ok(vec![
        Shown::new("delta rule", 3, DeltaRule::new(d, d, 0.25)?),
        Shown::new("heavy ball", 4, HeavyBall::new(d, d, 0.0625, 0.75, squared)?),
        Shown::new("with decay", 1, WeightDecay::new(d, d, 0.25, 0.02, squared)?),
        Shown::new("Adam", 0, Adam::new(d, d, adam, squared)?),
        Shown::new("least squares", 6, RecursiveLeastSquares::new(d, d, 1.0, 1e-3)?),
    ])
}

/// Retention by rank, with room for all items and without.
#[derive(Clone, Debug)]
pub struct ByFrequency {
    /// Exponent of the Zipf law.
    pub alpha: f64,
    /// Step size of the delta rule.
    pub eta: f64,
}

impl Default for ByFrequency {
    fn default() -> ByFrequency {
        ByFrequency { alpha: 1.2, eta: 0.25 }
    }
}

struct Seen {
    one_each: Vec<f64>,
    roomy: Retention,
    crowded: Vec<(&'static str, Retention, usize)>,
    mean: Retention,
    half_rate: Retention,
}

impl ByFrequency {
    fn measure(&self, setting: &Setting) -> Result<Seen, Failure> {
        let runs = setting.scale().pick(30, 600);
        let streams = setting.streams();
        let few = zipf(self.alpha, DIM);
        let steps = 100;
        let one_each = RANKS[..ROOMY].iter().map(|r| 1.0 - (1.0 - self.eta * few[r - 1]).powi(steps)).collect();
        let roomy = Frequencies::new(few, steps as usize)
            .keys(Keys::Orthonormal)
            .ranks(&RANKS[..ROOMY])
            .runs(10 * runs)
            .retention(&DeltaRule::new(DIM, DIM, self.eta)?, streams, "orthonormal items")?;
        let items = Frequencies::new(zipf(self.alpha, 200), 1000).ranks(&RANKS).runs(runs);
        let name = "crowded items";
        let crowded = rules()?
            .into_iter()
            .map(|shown| Ok((shown.name, items.retention(shown.rule.as_ref(), streams, name)?, shown.colour)))
            .collect::<Result<_, Failure>>()?;
        Ok(Seen {
            one_each,
            roomy,
            crowded,
            mean: items.expected_delta(self.eta, (DIM, DIM), streams, name)?,
            half_rate: items.expected_delta(self.eta / 2.0, (DIM, DIM), streams, name)?,
        })
    }

    fn figure(&self, seen: &Seen) -> Result<Figure, Failure> {
        let ranked = |title: &str| {
            let panel = Panel::new(title).x_label("rank by frequency").y_label("retention");
            panel.log_x().y_limits(-0.05, 1.1).legend_below()
        };
        let left = ranked("32 orthonormal, T = 100").theory("1 − (1 − ηp)^{T}", &RANKS[..ROOMY], &seen.one_each);
        let left = whiskers(left, "delta rule", &seen.roomy)?.colour(3);
        let middle = ranked("200 keys, d = 32, T = 1000").theory("mean memory", &RANKS, &seen.mean.means());
        let middle = whiskers(middle, "delta rule", &seen.crowded[0].1)?.colour(3);
        let mut right = ranked("the same, other rules");
        for (name, kept, colour) in &seen.crowded {
            right = right.line(name, &RANKS, &kept.means()).colour(*colour);
            right = whiskers(right, name, kept)?.colour(*colour);
        }
        Ok(Figure::new("Frequent items are kept, rare ones overwritten")
            .panel(left)
            .panel(middle)
            .panel(right)
            .columns(3)
            .size(1100, 560)
            .caption(&format!(
                "Zipf α = {}; means over runs with 99.9 % intervals. Dashed: exact expectations, nothing fitted.",
                self.alpha
            )))
    }
}

impl TypedCheck for ByFrequency {
    const CLAIM: &'static str = "retention-by-frequency";
    const SAYS: &'static str = "The delta rule keeps of each item what the mean memory says: with a direction of its own \
                                1 − (1 − ηp)^T, without one what the traffic of the others leaves.";
    const PLAN: Plan = Plan::new(
        "mean retention by rank with 99.9 % intervals; against the mean memory paired by run, on the same keys",
        "a rank whose retention is not that of the formula",
        &[OWN_DIRECTION, MEAN_MEMORY, APART, PREFERRED],
    )
    .protocol(&[
        "32 items with orthonormal keys and 100 draws; 200 items on the sphere in 32 dimensions and 1000 draws",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.measure(setting)?;
        let delta = &seen.crowded[0].1;
        let mut evidence = Evidence::of(Finding::at_least(
            "crowded keys: rank 1 minus rank 200",
            PREFERRED,
            delta.contrast(0, RANKS.len() - 1)?,
        ));
        for k in [0, 4, 7] {
            evidence = evidence.and(Finding::equals(
                format!("orthonormal keys, rank {}: 1 − (1 − ηp)^T", RANKS[k]),
                seen.one_each[k],
                OWN_DIRECTION,
                seen.roomy.at(k)?,
            ));
        }
        for k in [0, 4, 8, 11] {
            evidence = evidence.and(Finding::equals(
                format!("crowded keys, rank {}: measured minus mean memory", RANKS[k]),
                0.0,
                MEAN_MEMORY,
                delta.minus(&seen.mean, k)?,
            ));
        }
        let evidence = evidence
            .and(Finding::at_least(
                "mean memories of η and η/2, rank 12: difference",
                APART,
                seen.mean.minus(&seen.half_rate, 5)?,
            ))
            .twin(Finding::equals(
                "orthonormal keys, rank 8: 1 − (1 − p)^T, without the step size",
                1.0 - (1.0 - zipf(self.alpha, DIM)[7]).powi(100),
                OWN_DIRECTION,
                seen.roomy.at(4)?,
            ));
        Ok(Checked::from(evidence).figure(self.figure(&seen)?))
    }
}
