//! Beyond the document: what is kept of a pair, by its age.
//!
//! Ours. The retention of a stored pair (x, v) is <Wx, v>/|v|^2. With keys uniform on the unit sphere and values of unit length and
//! mean zero, a rule that is linear in the values has an exact expectation, because later keys do not depend on the pair and
//! E xx^T = I/d.

use std::sync::Arc;

use workbench_display::{Figure, Panel};
use workbench_gradient_memory::{
    Adam, AdamSettings, DeltaRule, HeavyBall, Hebbian, Loss, RecursiveLeastSquares, Retention, UpdateRule, WeightDecay,
    geometric_retention, least_squares_retention, momentum_retention, retention_by_age,
};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};

/// Ages at which retention is measured; the last is that of the oldest pair.
pub(crate) const AGES: [usize; 11] = [0, 2, 5, 10, 20, 40, 80, 120, 160, 200, 255];
/// Pairs of a stream.
pub(crate) const PAIRS: usize = 256;
/// Dimension of keys and values.
pub(crate) const DIM: usize = 32;

const THEORY: Margin = Margin::statistical(
    "theory",
    1.5,
    "in half-widths of 99.9 % intervals; the worst of eleven, so that a right theory passes one by a little",
);
const APPROXIMATE: Margin = Margin::statistical(
    "large-d theory",
    4.0,
    "in half-widths; the formula with forgetting is one for large d, and d is 32",
);
const NARROW: Margin =
    Margin::statistical("narrow", 0.25, "a quarter of full retention: wider intervals would agree with anything");
const EXPLODED: Margin = Margin::statistical("exploded", 1.0, "the error of a memory that answers nothing at all");

/// Retention by age, ten rules on the same pairs.
pub const CHECK: Check = Check {
    claim: "retention-by-age",
    says: "Each rule that is linear in the values keeps of a pair of age a what its theory says.",
    metric: "distance of the mean retention from its theory at the worst of eleven ages, in half-widths of its 99.9 % interval",
    against: "a mean outside of its interval by more than half the interval's half-width, at any age",
    choices: &["256 pairs in 32 dimensions, the same pairs for every rule, runs independent"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let all = retention_of_all(s)?;
    for kept in &all.kept {
        let allowed = if kept.name == WITH_FORGETTING { APPROXIMATE } else { THEORY };
        let distance = kept.measured.worst_distance(&kept.theory(&AGES)?)?;
        s.printed(allowed).at_most(format!("{}: distance from theory", kept.name), distance);
        for i in s.each("rules and ages", 0..AGES.len()) {
            s.printed(NARROW).at_most("widest half-width", kept.measured.at(i)?.half_width());
        }
    }
    s.printed(Margin::ZERO).at_most("heavy ball, β = 0.97: retention at age 120", all.kept[5].measured.at(7)?);
    let exploded = all.wild.mean_errors()[0];
    s.printed(EXPLODED).at_least("heavy ball, η/(1 − β) = 5: relative error of the newest pair", exploded);
    let twin = |name: &str, which: usize, wrong: &[f64]| -> Done {
        let distance = all.kept[which].measured.worst_distance(wrong)?;
        s.twin(THEORY).at_most(format!("{name}: distance from theory"), distance);
        Ok(())
    };
    twin("delta rule that forgets 1/2d a step", 2, &geometric_retention(1.0, 1.0 - 0.5 / D, &AGES))?;
    twin("heavy ball as a delta rule of rate η/(1 − β)", 4, &geometric_retention(1.0, 1.0 - 1.0 / D, &AGES))?;
    twin("decay at twice its rate", 1, &geometric_retention(1.0, 1.0 - 1.0 / D, &AGES))?;
    twin("least squares that prefers the late", 6, &least_squares_retention(0.97, DIM, PAIRS, &AGES)?)?;
    s.figure(figure(&all)?);
    Ok(())
}

const D: f64 = DIM as f64;
const WITH_FORGETTING: &str = "with forgetting 0.97";

/// A rule, measured and by its theory.
pub(crate) struct Kept {
    name: &'static str,
    pub measured: Retention,
    theory: fn(&[usize]) -> Result<Vec<f64>, Failure>,
}

impl Kept {
    pub fn theory(&self, ages: &[usize]) -> Result<Vec<f64>, Failure> {
        (self.theory)(ages)
    }
}

/// All rules on the same pairs.
pub(crate) struct All {
    /// The eight rules with a theory, in the order of the table.
    pub kept: Vec<Kept>,
    /// Adam, which is not linear in the values.
    pub adam: Retention,
    /// Heavy ball with η/(1 − β) = 5.
    wild: Retention,
}

/// Retention by age, measured.
pub(crate) fn retention_of_all(setting: &Setting) -> Result<Arc<All>, Failure> {
    setting.shared("retention by age", measure)
}

fn measure(setting: &Setting) -> Result<All, Failure> {
    let runs = setting.scale().pick(120, 2000);
    let of = |rule: &dyn UpdateRule| retention_by_age(rule, PAIRS, &AGES, runs, setting.streams(), "ages");
    let kept = |name, rule: &dyn UpdateRule, theory: fn(&[usize]) -> Result<Vec<f64>, Failure>| -> Result<_, Failure> {
        Ok(Kept { name, measured: of(rule)?, theory })
    };
    let (d, squared) = (DIM, Loss::Squared);
    let adam = AdamSettings { rate: 0.02, ..AdamSettings::default() };
    Ok(All {
        kept: vec![
            kept("Hebbian", &Hebbian::new(d, d, 1.0)?, |a| Ok(geometric_retention(1.0, 1.0, a)))?,
            kept("Hebbian with decay", &WeightDecay::new(d, d, 1.0, 1.0 / 64.0, Loss::Inner)?, |a| {
                Ok(geometric_retention(1.0, 1.0 - 1.0 / 64.0, a))
            })?,
            kept("delta rule, η = 1", &DeltaRule::new(d, d, 1.0)?, |a| {
                Ok(geometric_retention(1.0, 1.0 - 1.0 / D, a))
            })?,
            kept("delta rule, η = 1/4", &DeltaRule::new(d, d, 0.25)?, |a| {
                Ok(geometric_retention(0.25, 1.0 - 0.25 / D, a))
            })?,
            kept("heavy ball, η = 1/4, β = 3/4", &HeavyBall::new(d, d, 0.25, 0.75, squared)?, |a| {
                Ok(momentum_retention(0.25, 0.75, DIM, a)?)
            })?,
            kept("heavy ball, η = 0.04, β = 0.97", &HeavyBall::new(d, d, 0.04, 0.97, squared)?, |a| {
                Ok(momentum_retention(0.04, 0.97, DIM, a)?)
            })?,
            kept("least squares", &RecursiveLeastSquares::new(d, d, 1.0, 1e-6)?, |a| {
                Ok(least_squares_retention(1.0, DIM, PAIRS, a)?)
            })?,
            kept(WITH_FORGETTING, &RecursiveLeastSquares::new(d, d, 0.97, 1e-6)?, |a| {
                Ok(least_squares_retention(0.97, DIM, PAIRS, a)?)
            })?,
        ],
        adam: of(&Adam::new(d, d, adam, squared)?)?,
        wild: of(&HeavyBall::new(d, d, 0.5, 0.9, squared)?)?,
    })
}

fn figure(all: &All) -> Result<Figure, Failure> {
    let fine: Vec<usize> = (0..PAIRS).collect();
    let panel = |title: &str, which: &[usize]| -> Result<Panel, Failure> {
        let mut panel = Panel::new(title).x_label("age of the pair (steps)").y_label("retention").legend_below();
        for &k in which {
            let kept = &all.kept[k];
            let theory = kept.theory(&fine)?;
            panel = whiskers(panel.theory("", &fine, &theory).colour(k), kept.name, &kept.measured)?.colour(k);
        }
        Ok(panel)
    };
    let right = panel("least squares, and Adam", &[6, 7])?;
    Ok(Figure::new("What is kept of a pair fades at a rate of its rule")
        .columns(3)
        .size(1100, 560)
        .panel(panel("write and fade", &[0, 1, 2, 3])?)
        .panel(panel("momentum", &[3, 4, 5])?)
        .panel(whiskers(right, "Adam (no theory)", &all.adam)?.colour(0))
        .caption("Points: means over runs with 99.9 % intervals. Dashed: the theory, nothing fitted."))
}

/// Means with their intervals.
pub(crate) fn whiskers(panel: Panel, name: &str, kept: &Retention) -> Result<Panel, Failure> {
    Ok(panel.error_bars(name, kept.positions(), &kept.means(), &kept.low()?, &kept.high()?))
}
