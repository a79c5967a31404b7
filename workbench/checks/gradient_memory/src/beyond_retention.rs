//! Beyond the document: what is kept of a pair, by its age.
//!
//! Ours. The retention of a stored pair (x, v) is <Wx, v>/|v|^2. With keys uniform on the unit sphere and values of unit length and
//! mean zero, a rule that is linear in the values has an exact expectation, because later keys do not depend on the pair and
//! E xx^T = I/d.

use workbench_display::{Figure, Panel};
use workbench_gradient_memory::{
    Adam, AdamSettings, DeltaRule, HeavyBall, Hebbian, Loss, RecursiveLeastSquares, Retention, UpdateRule, WeightDecay,
    geometric_retention, least_squares_retention, momentum_retention, retention_by_age,
};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::Largest;

/// Ages at which retention is measured; the last is that of the oldest pair.
pub(crate) const AGES: [usize; 11] = [0, 2, 5, 10, 20, 40, 80, 120, 160, 200, 255];
/// Pairs of a stream.
pub(crate) const PAIRS: usize = 256;
/// Dimension of keys and values.
pub(crate) const DIM: usize = 32;

const THEORY: Margin = Margin::new(
    "theory",
    1.5,
    "in half-widths of 99.9 % intervals; the worst of eleven, so that a right theory passes one by a little",
);
const APPROXIMATE: Margin =
    Margin::new("large-d theory", 4.0, "in half-widths; the formula with forgetting is one for large d, and d is 32");
const NARROW: Margin =
    Margin::new("narrow", 0.25, "a quarter of full retention: wider intervals would agree with anything");
const OPPOSITE: Margin =
    Margin::new("opposite", -0.02, "a fiftieth below zero, so no rounding and no accident of a mean");
const EXPLODED: Margin = Margin::new("exploded", 100.0, "a hundred times the length of the value");

/// A rule, measured and by its theory.
pub(crate) struct Kept {
    pub name: &'static str,
    pub measured: Retention,
    theory: fn(&[usize]) -> Result<Vec<f64>, Failure>,
    approximate: bool,
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

const D: f64 = DIM as f64;

impl All {
    pub fn measure(setting: &Setting) -> Result<All, Failure> {
        let runs = setting.scale().pick(120, 2000);
        let of = |rule: &dyn UpdateRule| retention_by_age(rule, PAIRS, &AGES, runs, setting.streams(), "ages");
        let (d, squared) = (DIM, Loss::Squared);
        let adam = AdamSettings { rate: 0.02, ..AdamSettings::default() };
        let kept = vec![
            exact("Hebbian", of(&Hebbian::new(d, d, 1.0)?)?, |a| Ok(geometric_retention(1.0, 1.0, a))),
            exact("Hebbian with decay", of(&WeightDecay::new(d, d, 1.0, 1.0 / 64.0, Loss::Inner)?)?, |a| {
                Ok(geometric_retention(1.0, 1.0 - 1.0 / 64.0, a))
            }),
            exact("delta rule, η = 1", of(&DeltaRule::new(d, d, 1.0)?)?, |a| {
                Ok(geometric_retention(1.0, 1.0 - 1.0 / D, a))
            }),
            exact("delta rule, η = 1/4", of(&DeltaRule::new(d, d, 0.25)?)?, |a| {
                Ok(geometric_retention(0.25, 1.0 - 0.25 / D, a))
            }),
            exact("heavy ball, η = 1/4, β = 3/4", of(&HeavyBall::new(d, d, 0.25, 0.75, squared)?)?, |a| {
                Ok(momentum_retention(0.25, 0.75, DIM, a)?)
            }),
            exact("heavy ball, η = 0.04, β = 0.97", of(&HeavyBall::new(d, d, 0.04, 0.97, squared)?)?, |a| {
                Ok(momentum_retention(0.04, 0.97, DIM, a)?)
            }),
            exact("least squares", of(&RecursiveLeastSquares::new(d, d, 1.0, 1e-6)?)?, |a| {
                Ok(least_squares_retention(1.0, DIM, PAIRS, a)?)
            }),
            Kept {
                approximate: true,
                ..exact("with forgetting 0.97", of(&RecursiveLeastSquares::new(d, d, 0.97, 1e-6)?)?, |a| {
                    Ok(least_squares_retention(0.97, DIM, PAIRS, a)?)
                })
            },
        ];
        Ok(All {
            kept,
            adam: of(&Adam::new(d, d, adam, squared)?)?,
            wild: of(&HeavyBall::new(d, d, 0.5, 0.9, squared)?)?,
        })
    }
}

fn exact(name: &'static str, measured: Retention, theory: fn(&[usize]) -> Result<Vec<f64>, Failure>) -> Kept {
    Kept { name, measured, theory, approximate: false }
}

/// Retention by age, ten rules on the same pairs.
#[derive(Clone, Debug, Default)]
pub struct ByAge;

impl ByAge {
    fn figure(all: &All) -> Result<Figure, Failure> {
        let fine: Vec<usize> = (0..PAIRS).collect();
        let mut figure = Figure::new("What is kept of a pair fades at a rate of its rule").columns(3).size(1100, 560);
        let groups: [(&str, &[usize]); 3] =
            [("write and fade", &[0, 1, 2, 3]), ("momentum", &[3, 4, 5]), ("least squares, and Adam", &[6, 7])];
        for (at, (title, which)) in groups.into_iter().enumerate() {
            let mut panel = Panel::new(title).x_label("age of the pair (steps)").y_label("retention").legend_below();
            for &k in which {
                let kept = &all.kept[k];
                let theory = kept.theory(&fine)?;
                panel = whiskers(panel.theory("", &fine, &theory).colour(k), kept.name, &kept.measured)?.colour(k);
            }
            if at == 2 {
                panel = whiskers(panel, "Adam (no theory)", &all.adam)?.colour(0);
            }
            figure = figure.panel(panel);
        }
        Ok(figure.caption("Points: means over runs with 99.9 % intervals. Dashed: the theory, nothing fitted."))
    }
}

/// Means with their intervals.
pub(crate) fn whiskers(panel: Panel, name: &str, kept: &Retention) -> Result<Panel, Failure> {
    Ok(panel.error_bars(name, kept.positions(), &kept.means(), &kept.low()?, &kept.high()?))
}

impl TypedCheck for ByAge {
    const CLAIM: &'static str = "retention-by-age";
    const SAYS: &'static str = "Each rule that is linear in the values keeps of a pair of age a what its theory says.";
    const PLAN: Plan = Plan::new(
        "distance of the mean retention from its theory at the worst of eleven ages, in half-widths of its 99.9 % interval",
        "a mean outside of its interval by more than half the interval's half-width, at any age",
        &[THEORY, APPROXIMATE, NARROW, OPPOSITE, EXPLODED],
    )
    .protocol(&["256 pairs in 32 dimensions, the same pairs for every rule, runs independent"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let all = setting.shared("retention by age", All::measure)?;
        let mut evidence: Option<Evidence> = None;
        let mut widest = Largest::default();
        for kept in &all.kept {
            let allowed = if kept.approximate { APPROXIMATE } else { THEORY };
            let distance = kept.measured.worst_distance(&kept.theory(&AGES)?)?;
            let finding =
                Finding::at_most(format!("{}: distance from theory", kept.name), allowed, Estimate::exact(distance));
            evidence = Some(match evidence {
                None => Evidence::of(finding),
                Some(before) => before.and(finding),
            });
            for i in 0..AGES.len() {
                widest.see(kept.measured.at(i)?.half_width());
            }
        }
        let evidence = evidence
            .ok_or("no rule was measured")?
            .and(Finding::at_most("widest half-width", NARROW, Estimate::exact(widest.0)))
            .and(Finding::at_most("heavy ball, β = 0.97: retention at age 120", OPPOSITE, all.kept[5].measured.at(7)?))
            .and(Finding::at_least(
                "heavy ball, η/(1 − β) = 5: relative error of the newest pair",
                EXPLODED,
                Estimate::exact(all.wild.mean_errors()[0]),
            ));
        let twins: [(&str, usize, Vec<f64>); 4] = [
            ("delta rule that forgets 1/2d a step", 2, geometric_retention(1.0, 1.0 - 0.5 / D, &AGES)),
            ("heavy ball as a delta rule of rate η/(1 − β)", 4, geometric_retention(1.0, 1.0 - 1.0 / D, &AGES)),
            ("decay at twice its rate", 1, geometric_retention(1.0, 1.0 - 1.0 / D, &AGES)),
            ("least squares that prefers the late", 6, least_squares_retention(0.97, DIM, PAIRS, &AGES)?),
        ];
        let evidence = twins.into_iter().try_fold(evidence, |evidence, (name, which, wrong)| {
            let distance = all.kept[which].measured.worst_distance(&wrong)?;
            Ok::<_, Failure>(evidence.twin(Finding::at_most(
                format!("{name}: distance from theory"),
                THEORY,
                Estimate::exact(distance),
            )))
        })?;
        Ok(Checked::from(evidence).figure(Self::figure(&all)?))
    }
}
