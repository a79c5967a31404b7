//! Beyond the document: what is kept of frequent and of rare items.
//!
//! Ours, on the data of the paper on heavy tails: items drawn with Zipf probabilities p(x) ~ x^-alpha, each with a fixed key and value.
//! The mean memory of the delta rule obeys E W_{t+1} = E W_t (I - eta C) + eta B with C = sum p(x) k k^T and B = sum p(x) v k^T.

use workbench_display::{Figure, Panel};
use workbench_gradient_memory::{
    Adam, AdamSettings, DeltaRule, Frequencies, HeavyBall, Keys, Loss, RecursiveLeastSquares, Retention, UpdateRule,
    WeightDecay,
};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use super::beyond_retention::{DIM, whiskers};

const OWN_DIRECTION: Margin = Margin::statistical("own direction", 0.1, "a few half-widths at quick scale");
const MEAN_MEMORY: Margin =
    Margin::statistical("mean memory", 0.15, "paired by run, with the noise of 168 items too many for the memory");

/// Retention by rank, with room for all items and without.
pub const CHECK: Check = Check {
    claim: "retention-by-frequency",
    says: "The delta rule keeps of each item what the mean memory says: with a direction of its own 1 − (1 − ηp)^T, without one what \
           the traffic of the others leaves.",
    metric: "mean retention by rank with 99.9 % intervals; against the mean memory paired by run, on the same keys",
    against: "a rank whose retention is not that of the formula",
    choices: &["32 items with orthonormal keys and 100 draws; 200 items on the sphere in 32 dimensions and 1000 draws"],
    run,
    ..Check::DEFAULT
};

/// Ranks that are reported.
const RANKS: [usize; 12] = [1, 2, 3, 5, 8, 12, 20, 32, 50, 80, 120, 200];
/// Of them, those of the 32 items with orthonormal keys.
const ROOMY: usize = 8;
/// Step size of the delta rule.
const ETA: f64 = 0.25;

fn run(s: &Sheet) -> Done {
    let alpha = s.knob("Zipf exponent α", 1.2, 0.5..=3.0)?;
    let runs = s.knob("runs", s.scale().pick(30, 600), 2..)?;

    let items = Frequencies::new(zipf(alpha, 200), 1000).ranks(&RANKS).runs(runs);
    let name = "crowded items";
    let mean = items.expected_delta(ETA, (DIM, DIM), s.streams(), name)?;
    let half_rate = items.expected_delta(ETA / 2.0, (DIM, DIM), s.streams(), name)?;
    let mut crowded = Vec::new();
    for Shown { name: of, rule, colour } in rules()? {
        crowded.push((of, items.retention(rule.as_ref(), s.streams(), name)?, colour));
    }
    let delta = &crowded[0].1;
    let preferred = delta.contrast(0, RANKS.len() - 1)?;
    s.printed(Margin::ZERO).at_least("crowded keys: rank 1 minus rank 200", preferred);
    for k in [0, 4, 8, 11] {
        let label = format!("crowded keys, rank {}: measured minus mean memory", RANKS[k]);
        s.printed(MEAN_MEMORY).equals(label, 0.0, delta.minus(&mean, k)?);
    }
    s.printed(Margin::ZERO).at_least("mean memories of η and η/2, rank 12: difference", mean.minus(&half_rate, 5)?);

    let (few, steps) = (zipf(alpha, DIM), 100);
    let kept = |eta: f64, rank: usize| 1.0 - (1.0 - eta * few[rank - 1]).powi(steps);
    let roomy = Frequencies::new(few.clone(), steps as usize)
        .keys(Keys::Orthonormal)
        .ranks(&RANKS[..ROOMY])
        .runs(10 * runs)
        .retention(&DeltaRule::new(DIM, DIM, ETA)?, s.streams(), "orthonormal items")?;
    for k in [0, 4, 7] {
        let label = format!("orthonormal keys, rank {}: 1 − (1 − ηp)^T", RANKS[k]);
        s.printed(OWN_DIRECTION).equals(label, kept(ETA, RANKS[k]), roomy.at(k)?);
    }
    let label = "orthonormal keys, rank 8: 1 − (1 − p)^T, without the step size";
    s.twin(OWN_DIRECTION).equals(label, kept(1.0, 8), roomy.at(4)?);

    let one_each: Vec<f64> = RANKS[..ROOMY].iter().map(|rank| kept(ETA, *rank)).collect();
    s.figure(figure(alpha, (&one_each, &roomy), &mean, &crowded)?);
    Ok(())
}

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

fn figure(
    alpha: f64,
    (one_each, roomy): (&[f64], &Retention),
    mean: &Retention,
    crowded: &[(&str, Retention, usize)],
) -> Result<Figure, Failure> {
    let ranked = |title: &str| {
        let panel = Panel::new(title).x_label("rank by frequency").y_label("retention");
        panel.log_x().y_limits(-0.05, 1.1).legend_below()
    };
    let left = ranked("32 orthonormal, T = 100").theory("1 − (1 − ηp)^{T}", &RANKS[..ROOMY], one_each);
    let middle = ranked("200 keys, d = 32, T = 1000").theory("mean memory", &RANKS, &mean.means());
    let right = with_rules(ranked("the same, other rules"), crowded)?;
    Ok(Figure::new("Frequent items are kept, rare ones overwritten")
        .panel(whiskers(left, "delta rule", roomy)?.colour(3))
        .panel(whiskers(middle, "delta rule", &crowded[0].1)?.colour(3))
        .panel(right)
        .columns(3)
        .size(1100, 560)
        .caption(&format!(
            "Zipf α = {alpha}; means over runs with 99.9 % intervals. Dashed: exact expectations, nothing fitted.",
        )))
}

/// Adds the retention under each rule, with its name and colour.
pub(crate) fn with_rules(mut panel: Panel, rules: &[(&str, Retention, usize)]) -> Result<Panel, Failure> {
    for (name, kept, colour) in rules {
        panel = panel.line(name, kept.positions(), &kept.means()).colour(*colour);
        panel = whiskers(panel, name, kept)?.colour(*colour);
    }
    Ok(panel)
}
