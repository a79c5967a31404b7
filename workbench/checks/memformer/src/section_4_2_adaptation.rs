//! Section 4.2, after Theorem 4.1: adaptation at test time.
//!
//! **Claim** (`memformer/test-time-adaptation`). Shifted data are handled by tuning parameters at test time, for example the gates or the
//! diagonal of Gamma_i, as the budget allows; the main parameters stay fixed.
//!
//! The model with three experts for variances meets three shifts: scale, a rotation of Sigma, and means. It may tune its three gates, also
//! the diagonals of Gamma, also full Gamma, or everything, on 10, 100 or 1000 prompts, and is tested on fresh prompts of the shifted law
//! and of the one it was trained on. The same is asked of each of the document's examples on each shift: how far it stays behind a model
//! trained on the shifted law. Gains are those over the answer 0, which needs no model; the untouched model is often worse than that.
//! Wrong twins: gates fitted on the old law, no tuning, and everything free.

use ndarray::Array1;
use workbench_display::{Figure, Panel, Table, Values, columns};
use workbench_ground::stats::{mean, paired_difference};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{Batch, Gated, Precision, RegisterWeight, TaskLaw, TunedParts, Tuner, train_experts};

use super::exact::Tally;
use super::expert_heads::{Variances, variances};
use super::independent_runs::{
    BEHIND, Scores, TRAINING, ahead, average, behind, by_layer, of_run, preconditioners_moved, school, shape, steps,
    tested, tied,
};
use super::task_law::{DIM, EXAMPLES, SPECTRUM};
use crate::vocabulary::EXACT;

/// Shifts of the law.
const SHIFTS: [&str; 3] = ["scale", "rotation", "means"];
/// What may be tuned.
const WAYS: [(&str, RegisterWeight, TunedParts); 4] = [
    ("gates", RegisterWeight::Scalar, TunedParts::GATES),
    ("gates, diagonal Γ", RegisterWeight::Diagonal, TunedParts::REGISTERS),
    ("gates, full Γ", RegisterWeight::Full, TunedParts::REGISTERS),
    ("everything", RegisterWeight::Full, TunedParts::ALL),
];
/// Prompts to tune on.
const AMOUNTS: [usize; 3] = [10, 100, 1000];
/// The first of [`AMOUNTS`].
const FEWEST: usize = 0;
/// The last of [`AMOUNTS`].
const MOST: usize = 2;
/// The first of [`SHIFTS`].
const SCALE: usize = 0;
const GATES: usize = 0;
const DIAGONAL: usize = 1;
const FULL: usize = 2;
const EVERYTHING: usize = 3;

/// Three shifts, four sets of parameters, three numbers of prompts.
#[derive(Clone, Debug)]
pub struct TestTime {
    /// Steps of Adam at test time.
    pub steps: usize,
    /// Their rate.
    pub rate: f64,
}

impl Default for TestTime {
    fn default() -> TestTime {
        TestTime { steps: 300, rate: 0.01 }
    }
}

/// What one shift showed.
#[derive(Clone, Default)]
struct Shift {
    /// By way and amount.
    adapted: [[Scores; 3]; 4],
    /// On the old law, after tuning on the most prompts.
    old: [Scores; 4],
    untouched: Scores,
    there: Scores,
    /// log10 of the mean error of the answer 0.
    nothing: Vec<f64>,
}

#[derive(Default)]
struct Seen {
    shifts: [Shift; 3],
    /// The model before any tuning, on the law that it was trained on.
    home: Scores,
    /// Gates fitted on prompts of the old law, tried at the new scale.
    misled: Scores,
    /// Numbers of A that changed: with A fixed, and with everything free.
    frozen: [Tally; 2],
}

impl TestTime {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut seen = Seen::default();
        for (run, trained) in variances(setting)?.iter().enumerate() {
            self.add(&mut seen, setting, run, trained)?;
        }
        Ok(seen)
    }

    fn add(&self, seen: &mut Seen, setting: &Setting, run: usize, trained: &Variances) -> Result<(), Failure> {
        let streams = of_run(setting, "adaptation run", run)?;
        let home = trained.law.scaled(2.0)?;
        // The expert for variance 2, and its neighbours.
        let model = Gated::new(trained.experts.clone(), vec![0.0, 1.0, 0.0])?;
        let centre = Array1::from_elem(DIM, 0.5);
        let turned = TaskLaw::rotated(&SPECTRUM, &mut streams.stream("other rotation")?)?.scaled(2.0)?;
        let moved = home.clone().with_means(centre.clone(), centre)?;
        let others = [turned.clone(), moved.clone()];
        let protocol = school(steps(setting), true);
        let mut there = vec![trained.there[2].clone()];
        there.extend(train_experts(shape(tied())?, &others, &protocol, &mut streams.stream("there")?)?);
        let draw = |law: &TaskLaw, size: usize, mut stream| -> Result<Batch, Failure> {
            Ok(Batch::draw(law, EXAMPLES, size, Precision::Double, &mut stream)?)
        };
        let home_test = draw(&home, tested(setting), streams.stream("home")?)?;
        seen.home.test(&model.merged(), &home_test)?;
        let mut misled = Tuner::new(model.clone(), TunedParts::GATES)?;
        let adapt = draw(&home, AMOUNTS[1], streams.stream("tune at home")?)?;
        misled.run(&adapt, self.steps, self.rate)?;
        for (k, law) in [trained.law.scaled(3.5)?, turned, moved].iter().enumerate() {
            let test = draw(law, tested(setting), streams.replicate("test", k)?)?;
            let shift = &mut seen.shifts[k];
            shift.untouched.test(&model.merged(), &test)?;
            shift.there.test(&there[k], &test)?;
            shift.nothing.push(by_layer(&model.merged(), &test)?[0]);
            if k == SCALE {
                seen.misled.test(&misled.model().merged(), &test)?;
            }
            for (a, amount) in AMOUNTS.into_iter().enumerate() {
                let adapt = draw(law, amount, streams.replicate("tune", 10 * k + a)?)?;
                for (w, (_, weight, parts)) in WAYS.into_iter().enumerate() {
                    let mut tuner = Tuner::new(model.with_weights(weight)?, parts)?;
                    tuner.run(&adapt, self.steps, self.rate)?;
                    let tuned = tuner.model().merged();
                    shift.adapted[w][a].test(&tuned, &test)?;
                    if a == MOST {
                        shift.old[w].test(&tuned, &home_test)?;
                        let moved = preconditioners_moved(tuner.model().heads(), &trained.experts)?;
                        seen.frozen[usize::from(parts.preconditioners)].add(moved.off, moved.of);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Shift {
    fn of(&self, way: usize, amount: usize) -> &Vec<f64> {
        &self.adapted[way][amount].log_of_mean
    }

    fn gained(&self, label: &str, way: usize, amount: usize) -> Result<Finding, Failure> {
        ahead(label, 0.0, &self.nothing, self.of(way, amount))
    }

    fn behind(&self, label: &str, way: usize) -> Result<Finding, Failure> {
        behind(label, BEHIND, self.of(way, MOST), &self.there.log_of_mean)
    }
}

impl Seen {
    fn figure(&self) -> Figure {
        let mut figure =
            Figure::new("Few numbers need few prompts; many numbers reach further").columns(3).size(1100, 460);
        for (name, shift) in SHIFTS.iter().zip(&self.shifts) {
            let mut panel = Panel::new(name).log_x();
            for (w, (way, _, _)) in WAYS.iter().enumerate() {
                let line: Vec<f64> = (0..AMOUNTS.len()).map(|a| average(shift.of(w, a)).min(3.0)).collect();
                panel = panel.line(way, &AMOUNTS, &line);
            }
            let ends = [AMOUNTS[0] as f64, AMOUNTS[MOST] as f64];
            for (name, scores) in [("not adapted", &shift.untouched), ("trained there", &shift.there)] {
                let value = scores.value().min(3.0);
                panel = panel.line(name, &ends, &[value, value]);
            }
            panel = panel.x_label("prompts to adapt on").y_label("log₁₀ error");
            figure = figure.panel(panel.legend_below());
        }
        figure.caption(
            "Mean squared error after 300 steps of Adam, fresh prompts of the shifted law; means over runs. Values above 10³ are drawn there.",
        )
    }

    /// Decades by which each way is ahead of something, by shift.
    fn table(&self, title: &str, of: impl Fn(&Shift, usize) -> Result<f64, Failure>) -> Result<Table, Failure> {
        let mut list: Vec<(&str, Values)> = vec![("tuned", WAYS.map(|w| w.0).to_vec().into())];
        for (name, shift) in SHIFTS.iter().zip(&self.shifts) {
            let values = (0..WAYS.len()).map(|w| of(shift, w)).collect::<Result<Vec<_>, _>>()?;
            list.push((name, values.into()));
        }
        Ok(Table::new(columns(list)?).title(title).digits(2))
    }
}

fn difference(a: &[f64], b: &[f64]) -> Result<f64, Failure> {
    Ok(paired_difference(a, b)?.value)
}

impl TypedCheck for TestTime {
    const CLAIM: &'static str = "memformer/test-time-adaptation";
    const PLAN: Plan = Plan::new(
        "log10 of the mean squared error on fresh prompts of the shifted law, paired over runs",
        "a shift on which gates, or the diagonals of Γ with them, stay behind a model trained there or are worse than the answer 0; a main \
         parameter that moved",
        &[BEHIND, EXACT],
    )
    .protocol(&["three experts for σ² = 1, 2, 3, gate at σ² = 2; shifts: σ² = 3.5, another rotation, means of 0.5"])
    .departures(&[TRAINING, "300 steps of Adam at rate 0.01 on 10, 100 or 1000 prompts: the document gives no budget"])
    .rivals(&["no tuning; the answer 0; a model trained on the shifted law as long as an expert; everything tuned"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let [scale, rotation, means] = &seen.shifts;
        let evidence =
            Evidence::of(scale.behind("scale, gates, 1000 prompts: decades behind a model trained there", GATES)?)
                .and(rotation.behind(
                    "rotation, gates and diagonal Γ, 1000 prompts: decades behind a model trained there",
                    DIAGONAL,
                )?)
                .and(rotation.behind("rotation, gates alone: decades behind a model trained there", GATES)?)
                .and(means.behind(
                    "means, gates and diagonal Γ, 1000 prompts: decades behind a model trained there",
                    DIAGONAL,
                )?)
                .and(scale.gained("scale, gates, 100 prompts: decades below the answer 0", GATES, 1)?)
                .and(rotation.gained(
                    "rotation, gates and diagonal Γ, 1000 prompts: decades below the answer 0",
                    DIAGONAL,
                    MOST,
                )?)
                .and(means.gained(
                    "means, gates and diagonal Γ, 1000 prompts: decades below the answer 0",
                    DIAGONAL,
                    MOST,
                )?)
                .and(seen.frozen[0].none("entries of A that changed", "entries"))
                .and(behind(
                    "scale, 10 prompts: decades by which the diagonals of Γ are behind gates alone",
                    0.0,
                    scale.of(DIAGONAL, FEWEST),
                    scale.of(GATES, FEWEST),
                )?)
                .condition(
                    "gates for a change of scale; a rotation takes full Γ, which does for a change of means as well",
                    vec![
                        scale.behind("scale, three gates: decades behind a model trained there", GATES)?,
                        rotation
                            .behind("rotation, full Γ, 1000 prompts: decades behind a model trained there", FULL)?,
                        means.behind("means, full Γ, 1000 prompts: decades behind a model trained there", FULL)?,
                    ],
                )
                .twin(behind(
                    "scale, gates fitted on the old law: decades behind a model trained there",
                    BEHIND,
                    &seen.misled.log_of_mean,
                    &scale.there.log_of_mean,
                )?)
                .twin(behind(
                    "scale, not adapted: decades behind a model trained there",
                    BEHIND,
                    &scale.untouched.log_of_mean,
                    &scale.there.log_of_mean,
                )?)
                .twin(behind(
                    "rotation, everything tuned: decades lost on the old law",
                    BEHIND,
                    &rotation.old[EVERYTHING].log_of_mean,
                    &seen.home.log_of_mean,
                )?)
                .twin(seen.frozen[1].none("everything free: entries of A that changed", "entries"));
        let gained = |amount: usize| {
            move |shift: &Shift, w: usize| difference(&shift.untouched.log_of_mean, shift.of(w, amount))
        };
        let lost = |shift: &Shift, w: usize| difference(&shift.old[w].log_of_mean, &seen.home.log_of_mean);
        let by_logs = |shift: &Shift, w: usize| -> Result<f64, Failure> {
            let (before, after) = (&shift.untouched.mean_of_logs, &shift.adapted[w][MOST].mean_of_logs);
            Ok(mean(before)?.value - mean(after)?.value)
        };
        Ok(Checked::from(evidence)
            .figure(seen.figure())
            .table(seen.table("Decades gained with 10 prompts", gained(0))?)
            .table(seen.table("Decades gained with 1000 prompts", gained(MOST))?)
            .table(seen.table("The same as mean of log₁₀ of the error", by_logs)?)
            .table(seen.table("Decades lost on the old law, 1000 prompts", lost)?))
    }
}
