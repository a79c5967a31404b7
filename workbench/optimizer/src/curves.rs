//! Curves of meta-training for many forms of the cell: how they are made, and those that are kept.
//!
//! | item | what it is |
//! | --- | --- |
//! | [`Variant`] | a form of the cell, by its name |
//! | [`curve`], [`curve_watched`] | one training of any cell, from a seed: the losses of its roll-outs |
//! | [`later`] | roll-outs from a later one on, of a cell that learns nothing |
//! | [`Kept`] | `meta-curves.csv`: a curve for each variant and seed |
//!
//! Trainings with the same seed see the same tasks, starts, scalings and batches, whatever the cell: comparisons between variants are
//! paired. `cargo run --example train_variants -- datasets` makes the file again; [`Variant::begin`] makes the beginning of one curve
//! again in a moment, to be held against it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

use ndarray::Array3;
use workbench_ground::stats::{Label, Runs, Streams};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work::{self, Observer, Step, Unwatched};

use super::{Error, Saved};
use crate::cell::{Cell, Form, Memory, Mnemosyne};
use crate::meta::{MetaTrainer, Problem, RolloutObjective, Training};
use crate::tasks::Suite;
use workbench_features::{MapKind, a_hat, rho_star};

/// The tasks: two MLPs on MNIST at 7 x 7, 1,210 parameters each.
pub const TASKS: [&str; 2] = ["mlp-20-relu@mnist-7", "mlp-20-sigmoid@mnist-7"];
/// Steps of a roll-out.
pub const ROLLOUT: usize = 100;
/// Windows of a roll-out, each a meta-step.
pub const WINDOWS: usize = 20;
/// Roll-outs of a training.
pub const SHORT: usize = 30;
/// Trainings of a variant.
pub const SEEDS: u64 = 12;
/// Further trainings of one, two and three encoders, whose differences are too small for twelve.
pub const FURTHER: u64 = 96;
/// A loss above this counts as this: four times that of guessing among ten classes.
pub const CAP: f64 = 10.0;
/// The file.
pub const FILE: &str = "meta-curves.csv";

/// How all variants are trained: the hybrid loss, random scaling, windows of 5.
///
/// The document's rate of $3\cdot10^{-4}$ would leave the weights near their start in so few meta-steps.
pub fn training(seed: u64) -> Training {
    Training {
        seed,
        rollout: ROLLOUT,
        rate: 1e-3,
        objective: RolloutObjective { imitation: 1000.0, ..RolloutObjective::default() },
        ..Training::default()
    }
}

/// The losses of one training, roll-out by roll-out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetaTrainingCurve {
    /// Mean over the steps of a roll-out of the optimizee's loss.
    pub task: Vec<f64>,
    /// Mean over the steps of the mean squared distance from the expert's update.
    pub imitation: Vec<f64>,
    /// Roll-outs given up because a loss or an update was not finite.
    pub lost: u32,
}

impl MetaTrainingCurve {
    /// The meta-training loss of each roll-out, per step: that of the task and the weighted imitation.
    pub fn meta(&self) -> Vec<f64> {
        let weight = training(0).objective.imitation;
        let pairs = self.task.iter().zip(&self.imitation);
        pairs.map(|(task, imitation)| task + weight * imitation).collect()
    }

    fn close(&mut self, sums: &mut (f64, f64, usize)) {
        let (task, imitation, windows) = std::mem::take(sums);
        let steps = (windows * training(0).window) as f64;
        self.task.push(task / steps);
        self.imitation.push(imitation / steps);
    }
}

impl Tabulated for MetaTrainingCurve {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Meta-training, per step")
            .x("roll-out", (1..=self.task.len()).collect::<Vec<usize>>())
            .with("meta-loss", self.meta())
            .with("task", &self.task)
            .with("imitation", &self.imitation)
            .log_y())
    }
}

/// Trains a cell for so many roll-outs and keeps their losses.
///
/// A roll-out whose loss is not finite is given up, and counts as [`CAP`] for the windows that it leaves out.
///
/// **Errors**: tasks that cannot be read, a request to stop.
pub fn curve<C: Cell>(cell: &C, suite: &Suite, rollouts: usize, seed: u64) -> Result<MetaTrainingCurve, Error> {
    curve_watched(cell, suite, rollouts, seed, &mut Unwatched)
}

/// [`curve`], telling `observer` the loss of the task after each roll-out.
///
/// **Errors**: as [`curve`].
pub fn curve_watched<C: Cell>(
    cell: &C,
    suite: &Suite,
    rollouts: usize,
    seed: u64,
    observer: &mut dyn Observer,
) -> Result<MetaTrainingCurve, Error> {
    curve_from(cell, suite, rollouts, seed, |_| Ok(()), observer)
}

/// Some roll-outs of a training of a cell that learns nothing, such as a rule written as a cell: those of [`curve`] with these numbers,
/// from 0, without the ones before.
///
/// Draws follow from the numbers of roll-out and window, so that nothing has to be trained to reach them. The losses are those of [`curve`]
/// as long as it gives no roll-out up before. Cost: that of the roll-outs asked for.
///
/// **Errors**: as [`curve`].
pub fn later<C: Cell>(cell: &C, suite: &Suite, rollouts: Range<usize>, seed: u64) -> Result<MetaTrainingCurve, Error> {
    let begin = |start: &mut Saved| {
        start.steps = rollouts.start as u64;
        start.parts[0].steps = (rollouts.start * WINDOWS) as u64;
        Ok(())
    };
    curve_from(cell, suite, rollouts.len(), seed, begin, &mut Unwatched)
}

/// The same from a start that `change` has changed.
fn curve_from<C: Cell>(
    cell: &C,
    suite: &Suite,
    rollouts: usize,
    seed: u64,
    change: impl FnOnce(&mut Saved) -> Result<(), Error>,
    observer: &mut dyn Observer,
) -> Result<MetaTrainingCurve, Error> {
    observer.value_is("loss");
    let tasks = suite.tasks(&TASKS)?;
    let problems = tasks.iter().map(|task| task as &dyn Problem).collect();
    let mut trainer = MetaTrainer::new(cell.clone(), problems, training(seed))?;
    let mut start = trainer.save();
    change(&mut start)?;
    trainer.restore(&start)?;
    let (mut curve, mut sums) = (MetaTrainingCurve::default(), (0.0, 0.0, 0));
    while curve.task.len() < rollouts {
        work::check("curves::curve", curve.task.len(), rollouts)?;
        match trainer.step() {
            Ok(outcome) => {
                sums.0 += outcome.losses.iter().map(|loss| loss.min(CAP)).sum::<f64>();
                sums.1 += outcome.imitation;
                sums.2 += 1;
            }
            Err(Error::Diverged { .. }) => {
                curve.lost += 1;
                let left = WINDOWS - sums.2;
                sums.0 += CAP * (left * training(0).window) as f64;
                sums.2 = WINDOWS;
            }
            Err(error) => return Err(error),
        }
        if sums.2 == WINDOWS {
            curve.close(&mut sums);
            observer.observe(Step { done: curve.task.len(), of: rollouts, value: curve.task.last().copied() });
        }
    }
    Ok(curve)
}

/// A form of the cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name in the file.
    pub name: String,
    /// What is trained.
    pub form: Form,
    /// Whether its twelve trainings differ in the projections alone: all of them from seed 1, with projections drawn anew.
    pub redrawn: bool,
    /// How many trainings are kept, from seed 1 on.
    pub trainings: u64,
}

/// $\gamma$ for FAVOR++, the mean of $\lVert q+k\rVert^2$: 2 for weights at the start of a training and width 8.
const GAMMA: f64 = 2.0;

impl Variant {
    fn new(name: impl Into<String>, form: Form) -> Variant {
        Variant { name: name.into(), form, redrawn: false, trainings: SEEDS }
    }

    fn redrawn(self) -> Variant {
        Variant { redrawn: true, ..self }
    }

    /// The form that all variants change in one thing: two encoders of width 8, otherwise that of B.1.
    pub fn base() -> Form {
        Form { hidden: 8, feed_forward: 16, ..Form::default() }
    }

    /// All of them.
    ///
    /// **Errors**: none that a change of the list would not bring.
    pub fn all() -> Result<Vec<Variant>, Error> {
        let base = Variant::base();
        let memory = |memory| Form { memory, ..base };
        let compact = |features, map, tau| memory(Memory::Compact { features, map, tau });
        let plus_plus = MapKind::FavorPlusPlus { a_hat: a_hat(rho_star(GAMMA, base.hidden)?)? };
        let hyperbolic = MapKind::Hyperbolic;
        let depth = |encoders| Variant {
            trainings: if encoders <= 3 { SEEDS + FURTHER } else { SEEDS },
            ..Variant::new(format!("k-{encoders}"), Form { encoders, ..base })
        };
        let mut all: Vec<Variant> = [1, 2, 3, 4, 6, 12].map(depth).into();
        for steps in [1, 5, 20, 50, 100] {
            all.push(Variant::new(format!("h-{steps}"), memory(Memory::Cache { steps })));
        }
        all.push(Variant::new("favor-plus", compact(16, MapKind::FavorPlus, 0.1)));
        all.push(Variant::new("favor-plus-plus", compact(16, plus_plus, 0.1)));
        for tau in [0.0, 0.01, 0.5, 1.0] {
            all.push(Variant::new(format!("tau-{tau}"), compact(16, hyperbolic, tau)));
        }
        all.push(Variant::new("no-memory", memory(Memory::None)));
        for features in [2, 4, 8, 32, 64] {
            all.push(Variant::new(format!("r-{features}"), compact(features, hyperbolic, 0.1)));
        }
        all.push(Variant::new("redrawn-hyperbolic", base).redrawn());
        all.push(Variant::new("redrawn-favor-plus", compact(16, MapKind::FavorPlus, 0.1)).redrawn());
        Ok(all)
    }

    /// The variant of this name.
    ///
    /// **Errors**: a name of none.
    pub fn named(name: &str) -> Result<Variant, Error> {
        let all = Variant::all()?;
        let names: Vec<String> = all.iter().map(|one| one.name.clone()).collect();
        let refuse = || {
            let next = format!("one of {}", names.join(", "));
            Error::refused("Variant::named", format!("`{name}` names no variant"), next)
        };
        all.into_iter().find(|one| one.name == name).ok_or_else(refuse)
    }

    /// The first roll-outs of a training.
    ///
    /// **Errors**: as [`curve`].
    pub fn begin(&self, suite: &Suite, seed: u64, rollouts: usize) -> Result<MetaTrainingCurve, Error> {
        let cell = Mnemosyne::new(self.form)?;
        if self.redrawn {
            let mut draws = Streams::new(1).restart_replicate("projections", seed as usize)?;
            let redraw = |start: &mut Saved| cell.redraw(&mut start.numbers, &mut draws);
            curve_from(&cell, suite, rollouts, 1, redraw, &mut Unwatched)
        } else {
            curve(&cell, suite, rollouts, seed)
        }
    }

    /// The whole training.
    ///
    /// **Errors**: as [`curve`].
    pub fn train(&self, suite: &Suite, seed: u64) -> Result<MetaTrainingCurve, Error> {
        self.begin(suite, seed, SHORT)
    }
}

/// The file, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    curves: BTreeMap<String, Vec<MetaTrainingCurve>>,
}

impl Kept {
    /// Adds the curves of a variant, in the order of their seeds.
    pub fn add(&mut self, variant: &Variant, curves: Vec<MetaTrainingCurve>) {
        self.curves.insert(variant.name.clone(), curves);
    }

    /// The first [`SEEDS`] curves of a variant, in the order of their seeds.
    ///
    /// **Errors**: a variant that the file does not have.
    pub fn get(&self, name: &str) -> Result<&[MetaTrainingCurve], Error> {
        self.all(name).map(|all| all.get(..SEEDS as usize).unwrap_or(all))
    }

    /// The curves of a variant after those of [`Kept::get`]; none for most.
    ///
    /// **Errors**: a variant that the file does not have.
    pub fn further(&self, name: &str) -> Result<&[MetaTrainingCurve], Error> {
        self.all(name).map(|all| all.get(SEEDS as usize..).unwrap_or_default())
    }

    fn all(&self, name: &str) -> Result<&[MetaTrainingCurve], Error> {
        let refuse = || {
            let next = "make the file again: cargo run --example train_variants -- datasets";
            Error::refused("Kept", format!("no curves of `{name}`"), next)
        };
        self.curves.get(name).map(Vec::as_slice).ok_or_else(refuse)
    }

    /// The meta-training losses per step of the first [`SEEDS`] trainings on the axes `variant` and `roll-out`, which counts from 1; the
    /// seeds are the runs.
    ///
    /// **Shapes**: values `(seed, variant, roll-out)`.
    ///
    /// **Errors**: a variant with another number of curves than the first one, a curve of another length than the first.
    pub fn labelled(&self) -> Result<Runs, Error> {
        let losses: Vec<Vec<Vec<f64>>> = self
            .curves
            .values()
            .map(|all| all.iter().take(SEEDS as usize).map(MetaTrainingCurve::meta).collect())
            .collect();
        let seeds = losses.first().map_or(0, Vec::len);
        let rollouts = losses.first().and_then(|curves| curves.first()).map_or(0, Vec::len);
        for (name, curves) in self.curves.keys().zip(&losses) {
            if curves.len() != seeds || curves.iter().any(|curve| curve.len() != rollouts) {
                let problem = format!("`{name}` does not have {seeds} curves of {rollouts} roll-outs each");
                let next = "keep as many seeds and roll-outs of every variant";
                return Err(Error::refused("Kept::labelled", problem, next));
            }
        }
        let axes = vec![
            ("variant", self.curves.keys().map(|name| Label::from(name.as_str())).collect()),
            ("roll-out", (1..=rollouts).map(Label::from).collect()),
        ];
        let shape = (seeds, losses.len(), rollouts);
        let values = Array3::from_shape_fn(shape, |(seed, variant, at)| losses[variant][seed][at]);
        Runs::new(axes, values.into_dyn())
    }

    /// As text: a line for each roll-out. What was lost stands in the last line of a training.
    pub fn to_csv(&self) -> String {
        let mut out = "variant,seed,rollout,task,imitation,lost\n".to_string();
        for (name, curves) in &self.curves {
            for (curve, seed) in curves.iter().zip(1..) {
                for (at, (task, imitation)) in curve.task.iter().zip(&curve.imitation).enumerate() {
                    let lost = if at + 1 == curve.task.len() { curve.lost } else { 0 };
                    // Writing to a string does not fail.
                    let _ = writeln!(out, "{name},{seed},{},{task:.6e},{imitation:.6e},{lost}", at + 1);
                }
            }
        }
        out
    }

    /// From text.
    ///
    /// **Errors**: the first line that is not of this form.
    pub fn from_csv(text: &str) -> Result<Kept, Error> {
        let mut kept = Kept::default();
        for line in text.lines().skip(1) {
            let refuse = || Error::refused("Kept::from_csv", format!("the line `{line}`"), "see datasets/README.md");
            let cells: Vec<&str> = line.split(',').collect();
            let [name, seed, _, task, imitation, lost] = cells[..] else {
                return Err(refuse());
            };
            let seed: usize = seed.parse().map_err(|_| refuse())?;
            let number = |text: &str| text.parse::<f64>().map_err(|_| refuse());
            let curves = kept.curves.entry(name.to_string()).or_default();
            curves.resize_with(seed.max(curves.len()), MetaTrainingCurve::default);
            let curve = seed.checked_sub(1).map(|at| &mut curves[at]).ok_or_else(refuse)?;
            curve.task.push(number(task)?);
            curve.imitation.push(number(imitation)?);
            curve.lost += lost.parse::<u32>().map_err(|_| refuse())?;
        }
        Ok(kept)
    }

    /// Those of a folder.
    ///
    /// **Errors**: a file that is not there or not of this form.
    pub fn read(folder: &Path) -> Result<Kept, Error> {
        let path = folder.join(FILE);
        let refuse = |problem: String| Error::file("Kept::read", &path, problem, "see datasets/README.md");
        let text = std::fs::read_to_string(&path).map_err(|error| refuse(error.to_string()))?;
        Kept::from_csv(&text).map_err(|error| refuse(error.to_string()))
    }
}

/// One row for each variant, seed and roll-out; losses per step.
impl Tabulated for Kept {
    fn columns(&self) -> Result<Columns, Error> {
        let mut variants: Vec<&str> = Vec::new();
        let (mut seeds, mut rollouts): (Vec<u64>, Vec<usize>) = (Vec::new(), Vec::new());
        let (mut meta, mut task, mut imitation) = (Vec::new(), Vec::new(), Vec::new());
        for (name, curves) in &self.curves {
            for (curve, seed) in curves.iter().zip(1_u64..) {
                let count = curve.task.len();
                variants.extend(vec![name.as_str(); count]);
                seeds.extend(vec![seed; count]);
                rollouts.extend(1..=count);
                meta.extend(curve.meta());
                task.extend(curve.task.iter().copied());
                imitation.extend(curve.imitation.iter().copied());
            }
        }
        Ok(Columns::new("Meta-training of the variants, per step")
            .with("variant", variants)
            .with("seed", seeds)
            .with("roll-out", rollouts)
            .with("meta-loss", meta)
            .with("task", task)
            .with("imitation", imitation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::folder;
    use workbench_ground::work::Seen;

    #[test]
    fn further_trainings_begin_again_as_they_are_kept() {
        let (kept, suite) = (Kept::read(&folder()).unwrap(), Suite::new(folder()));
        for (name, at) in [("k-1", 0), ("k-2", 47), ("k-3", 95)] {
            let again = Variant::named(name).unwrap().begin(&suite, SEEDS + at + 1, 1).unwrap();
            let further = kept.further(name).unwrap();
            let off = |at: u64| (again.task[0] / further[(at % FURTHER) as usize].task[0] - 1.0).abs();
            // The margin of the checks: registers of another width sum in another order.
            assert!(off(at) < 0.01 && off(at + 1) > 0.01, "{name}: {} and {}", off(at), off(at + 1));
        }
    }

    #[test]
    fn every_variant_is_kept_and_curves_come_back_from_text() {
        let kept = Kept::read(&folder()).unwrap();
        for variant in Variant::all().unwrap() {
            let curves = kept.get(&variant.name).unwrap();
            assert_eq!(curves.len() as u64, SEEDS, "{}", variant.name);
            let further = kept.further(&variant.name).unwrap().len() as u64;
            assert_eq!(further + SEEDS, variant.trainings, "{}", variant.name);
            for curve in curves {
                assert_eq!((curve.task.len(), curve.meta().len()), (SHORT, SHORT));
                assert!(curve.meta().iter().all(|loss| loss.is_finite() && *loss > 0.0));
            }
        }
        assert_eq!(Kept::from_csv(&kept.to_csv()).unwrap(), kept);
        let (columns, rows) = (kept.columns().unwrap(), kept.to_csv().lines().count() - 1);
        assert!(columns.x.is_none() && columns.list.len() == 6);
        assert!(columns.list.iter().all(|(_, values)| values.len() == rows));
        let labelled = kept.labelled().unwrap().select("variant", "k-1").unwrap();
        let second = labelled.select("roll-out", 2_usize).unwrap().cell().unwrap();
        let curves = kept.get("k-1").unwrap().iter();
        assert_eq!(second, curves.map(|curve| curve.meta()[1]).collect::<Vec<f64>>());
        let uneven = Kept::from_csv("h\na,1,1,0.5,0.1,0\na,1,2,0.5,0.1,0\na,2,1,0.5,0.1,0").unwrap();
        assert!(uneven.labelled().unwrap_err().to_string().contains("`a`"));
        assert!(kept.get("nobody").is_err() && Variant::named("nobody").is_err());
        for bad in ["h\na,1,1,0.5,0.1", "h\na,0,1,0.5,0.1,0", "h\na,1,1,x,0.1,0"] {
            assert!(Kept::from_csv(bad).is_err(), "{bad}");
        }
        assert!(Kept::read(Path::new("/nowhere")).unwrap_err().to_string().contains("README"));
    }

    #[test]
    fn later_rollouts_of_a_cell_that_learns_nothing_are_those_of_its_whole_curve() {
        let suite = Suite::new(folder());
        let cell = Mnemosyne::new(Variant::base()).unwrap();
        let mut seen = Seen::default();
        let all = curve_watched(&cell, &suite, 3, 5, &mut seen).unwrap();
        let told: Vec<(usize, usize)> = seen.0.iter().map(|step| (step.done, step.of)).collect();
        assert_eq!(told, [(1, 3), (2, 3), (3, 3)]);
        assert_eq!(seen.0[2].value, Some(all.task[2]));
        let [first, last] = [0..1, 2..3].map(|which| later(&cell, &suite, which, 5).unwrap());
        assert_eq!(first.task, all.task[..1]);
        let columns = all.columns().unwrap().list;
        assert_eq!((columns.len(), &columns[1].1), (4, &all.meta().into()));
        // This cell does learn, from windows that were left out.
        assert_ne!(last.task, all.task[2..]);
    }

    /// The beginning of one training, again; another width of the registers sums in another order.
    #[test]
    fn a_training_made_again_gives_the_kept_curve() {
        let (suite, kept) = (Suite::new(folder()), Kept::read(&folder()).unwrap());
        for name in ["k-1", "redrawn-hyperbolic"] {
            let curve = Variant::named(name).unwrap().begin(&suite, 2, 1).unwrap();
            let [own, other] = [1, 2].map(|at| &kept.get(name).unwrap()[at]);
            let apart = |kept: &MetaTrainingCurve| (curve.meta()[0] / kept.meta()[0] - 1.0).abs();
            assert!(apart(own) < 1e-2 && apart(other) > 1e-3, "{name}");
        }
    }
}
