//! Section 4.2, after Theorem 4.1: adaptation at test time.
//!
//! **Claim** (`memformer/test-time-adaptation`). Shifted data are handled by tuning parameters at test time, for example the gates or the
//! diagonal of Gamma_i, as the budget allows; the main parameters stay fixed.
//!
//! The model with three experts for variances meets three shifts: scale, a rotation of Sigma, and means. It may tune its three gates, also
//! the diagonals of Gamma, also full Gamma, or everything, on 10, 100 or 1000 prompts, and is tested on fresh prompts of the shifted law
//! and of the one it was trained on. Of each of the document's two examples two things are asked on each shift, with the most
//! prompts: whether it gains over the untouched model, and over the answer 0, which needs no model. "As the budget allows" is asked with
//! many prompts, where more numbers have to be ahead: the diagonals after a rotation. That with ten the order turns round at another scale
//! stands beside it. How far it stays behind a model trained on the shifted law is what the
//! budget leaves, and is shown, as is what gates do that were fitted on the old law. Wrong twin: everything free.

use ndarray::Array1;
use workbench_display::{Figure, Panel, Table, Values, columns};
use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{Batch, Gated, Precision, RegisterWeight, TaskLaw, TunedParts, Tuner, train_experts};

use super::expert_heads::{Variances, variances};
use super::independent_runs::{
    BEHIND, Scores, TRAINING, average, by_layer, moved as entries_moved, of_run, school, shape, steps, tested, tied,
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
pub const CHECK: Check = Check {
    claim: "memformer/test-time-adaptation",
    metric: "log10 of the mean squared error on fresh prompts of the shifted law, paired over runs",
    against: "a shift on which gates, or the diagonals of Γ with them, are no better than no tuning or than the answer 0; after a \
              rotation diagonals that are no better than gates alone; a main parameter that moved",
    protocol: &["three experts for σ² = 1, 2, 3; gates, or gates and the diagonals of Γ, are tuned at test time"],
    choices: &[
        "gate at σ² = 2; shifts: σ² = 3.5, another rotation, means of 0.5",
        "300 steps of Adam at rate 0.01 on 10, 100 or 1000 prompts: the document gives no budget",
    ],
    departures: &[TRAINING, "one number of Γ for all tokens, and A trained inside of (3.4)"],
    rivals: &[
        "no tuning; the answer 0",
        "shown beside: a model trained on the shifted law as long as an expert; everything tuned",
    ],
    run,
    ..Check::DEFAULT
};

/// Rate of Adam at test time.
const RATE: f64 = 0.01;

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
    /// For each number of A whether it changed: with A fixed, and with everything free.
    frozen: [Vec<bool>; 2],
}

impl Seen {
    /// One run, tuned for so many steps.
    fn add(&mut self, s: &Sheet, run: usize, trained: &Variances, tuning: usize) -> Result<(), Failure> {
        let streams = of_run(s, "adaptation run", run)?;
        let home = trained.law.scaled(2.0)?;
        // The expert for variance 2, and its neighbours.
        let model = Gated::new(trained.experts.clone(), vec![0.0, 1.0, 0.0])?;
        let centre = Array1::from_elem(DIM, 0.5);
        let turned = TaskLaw::rotated(&SPECTRUM, &mut streams.stream("other rotation")?)?.scaled(2.0)?;
        let moved = home.clone().with_means(centre.clone(), centre)?;
        let others = [turned.clone(), moved.clone()];
        let protocol = school(steps(s), true);
        let mut there = vec![trained.there[2].clone()];
        there.extend(train_experts(shape(tied())?, &others, &protocol, &mut streams.stream("there")?)?);
        let draw = |law: &TaskLaw, size: usize, mut stream| -> Result<Batch, Failure> {
            Ok(Batch::draw(law, EXAMPLES, size, Precision::Double, &mut stream)?)
        };
        let home_test = draw(&home, tested(s), streams.stream("home")?)?;
        self.home.test(&model.merged(), &home_test)?;
        let mut misled = Tuner::new(model.clone(), TunedParts::GATES)?;
        let adapt = draw(&home, AMOUNTS[1], streams.stream("tune at home")?)?;
        misled.run(&adapt, tuning, RATE)?;
        for (k, law) in [trained.law.scaled(3.5)?, turned, moved].iter().enumerate() {
            let test = draw(law, tested(s), streams.replicate("test", k)?)?;
            let shift = &mut self.shifts[k];
            shift.untouched.test(&model.merged(), &test)?;
            shift.there.test(&there[k], &test)?;
            shift.nothing.push(by_layer(&model.merged(), &test)?[0]);
            if k == SCALE {
                self.misled.test(&misled.model().merged(), &test)?;
            }
            for (a, amount) in AMOUNTS.into_iter().enumerate() {
                let adapt = draw(law, amount, streams.replicate("tune", 10 * k + a)?)?;
                for (w, (_, weight, parts)) in WAYS.into_iter().enumerate() {
                    let mut tuner = Tuner::new(model.with_weights(weight)?, parts)?;
                    tuner.run(&adapt, tuning, RATE)?;
                    let tuned = tuner.model().merged();
                    shift.adapted[w][a].test(&tuned, &test)?;
                    if a == MOST {
                        shift.old[w].test(&tuned, &home_test)?;
                        let moved = entries_moved(tuner.model().heads(), &trained.experts)?;
                        self.frozen[usize::from(parts.preconditioners)].extend(moved);
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

    /// Decades below the answer 0.
    fn gained(&self, way: usize, amount: usize) -> Result<Estimate, Failure> {
        Ok(paired_difference(&self.nothing, self.of(way, amount))?)
    }

    /// Decades below the model that was not tuned, with the most prompts.
    fn repaired(&self, way: usize) -> Result<Estimate, Failure> {
        Ok(paired_difference(&self.untouched.log_of_mean, self.of(way, MOST))?)
    }

    /// Decades behind a model trained there, with the most prompts.
    fn behind(&self, way: usize) -> Result<Estimate, Failure> {
        Ok(paired_difference(self.of(way, MOST), &self.there.log_of_mean)?)
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
            "Mean squared error after 300 steps of Adam, fresh prompts of the shifted law; means over runs. A value above 10³ would be drawn there.",
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

fn run(s: &Sheet) -> Done {
    let (mut seen, tuning) = (Seen::default(), s.knob("steps", 300, 10..)?);
    for (run, trained) in variances(s)?.iter().enumerate() {
        seen.add(s, run, trained, tuning)?;
    }
    let [scale, rotation, means] = &seen.shifts;
    let (near, apart) = (s.aside(BEHIND).of("runs"), s.printed(Margin::ZERO).of("runs"));
    for (name, shift) in SHIFTS.iter().zip(&seen.shifts) {
        for (of, way) in [("gates", GATES), ("gates and diagonal Γ", DIAGONAL)] {
            let label = format!("{name}, {of}, {} prompts: decades below", AMOUNTS[MOST]);
            apart.at_least(format!("{label} no tuning"), shift.repaired(way)?);
            apart.at_least(format!("{label} the answer 0"), shift.gained(way, MOST)?);
        }
    }
    near.at_most("scale, gates, 1000 prompts: decades behind a model trained there", scale.behind(GATES)?);
    let label = "rotation, gates and diagonal Γ, 1000 prompts: decades behind a model trained there";
    near.at_most(label, rotation.behind(DIAGONAL)?);
    near.at_most("rotation, gates alone: decades behind a model trained there", rotation.behind(GATES)?);
    let label = "means, gates and diagonal Γ, 1000 prompts: decades behind a model trained there";
    near.at_most(label, means.behind(DIAGONAL)?);
    let shown = s.aside(Margin::ZERO).of("runs");
    shown.at_least("scale, gates, 100 prompts: decades below the answer 0", scale.gained(GATES, 1)?);
    for moved in &seen.frozen[0] {
        s.printed(EXACT).of("entries").never("entries of A that changed", *moved);
    }
    let gates = paired_difference(scale.of(DIAGONAL, FEWEST), scale.of(GATES, FEWEST))?;
    shown.at_least("scale, 10 prompts: decades by which gates alone are below gates and diagonal Γ", gates);
    let diagonals = paired_difference(rotation.of(GATES, MOST), rotation.of(DIAGONAL, MOST))?;
    apart.at_least("rotation, 1000 prompts: decades by which gates and diagonal Γ are below gates alone", diagonals);
    near.at_most("rotation, full Γ, 1000 prompts: decades behind a model trained there", rotation.behind(FULL)?);
    near.at_most("means, full Γ, 1000 prompts: decades behind a model trained there", means.behind(FULL)?);

    let label = "scale, gates fitted on the old law: decades below the answer 0";
    shown.at_least(label, paired_difference(&scale.nothing, &seen.misled.log_of_mean)?);
    let label = "scale, not adapted: decades behind a model trained there";
    near.at_most(label, paired_difference(&scale.untouched.log_of_mean, &scale.there.log_of_mean)?);
    let everything = paired_difference(&rotation.old[EVERYTHING].log_of_mean, &seen.home.log_of_mean)?;
    shown.at_most("rotation, everything tuned: decades lost on the old law", everything);
    for moved in &seen.frozen[1] {
        s.twin(EXACT).of("entries").never("everything free: entries of A that changed", *moved);
    }
    let gained =
        |amount: usize| move |shift: &Shift, w: usize| difference(&shift.untouched.log_of_mean, shift.of(w, amount));
    let lost = |shift: &Shift, w: usize| difference(&shift.old[w].log_of_mean, &seen.home.log_of_mean);
    let by_logs = |shift: &Shift, w: usize| -> Result<f64, Failure> {
        let (before, after) = (&shift.untouched.mean_of_logs, &shift.adapted[w][MOST].mean_of_logs);
        Ok(mean(before)?.value - mean(after)?.value)
    };
    s.figure(seen.figure());
    s.table(seen.table("Decades gained with 10 prompts", gained(0))?);
    s.table(seen.table("Decades gained with 1000 prompts", gained(MOST))?);
    s.table(seen.table("The same as mean of log₁₀ of the error", by_logs)?);
    s.table(seen.table("Decades lost on the old law, 1000 prompts", lost)?);
    Ok(())
}
