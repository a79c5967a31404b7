//! A training that may be cut off: a recipe and a seed, taken up again from a file.

use workbench_ground::work::{self, Observer, RunStatus, Step};

use super::{LOST, Recipe, Rule, Trained};
use crate::cell::Cell;
use crate::meta::{MetaTrainer, Problem, Training, WindowOutcome};
use crate::tasks::{Network, Supervised};
use crate::{Error, Saved};

/// Points of a curve at most.
const POINTS: usize = 256;

/// The training of a recipe from a seed, window by window.
///
/// All that it will do follows from the recipe, the seed and what [`Course::save`] gives: weights, the meta-optimizer's means, the roll-out
/// under way, roll-outs given up, the curve. Random streams have names and numbers, so that no position of theirs has to be kept. A
/// course that is taken up again goes on to the same bits as one that never stopped, on processors with registers of the same width.
///
/// ```no_run
/// use workbench_ground::work::Unwatched;
/// use workbench_optimizer::bank::{Course, Recipe};
/// use workbench_optimizer::tasks::Suite;
/// let recipe = Recipe::named("document")?;
/// let tasks = Suite::new("../datasets").tasks(recipe.tasks)?;
/// let mut course = Course::begin(&recipe, &tasks, 1)?;
/// course.run(1_000, 200, &mut |course| course.save().write("document-1.course".as_ref()), &mut Unwatched)?;
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Debug)]
pub struct Course<'a> {
    recipe: Recipe,
    seed: u64,
    rule: Rule,
    trainer: Box<dyn Trainer + 'a>,
    lost: u32,
    curve: CourseCurve,
}

impl<'a> Course<'a> {
    /// Before the first window.
    ///
    /// **Errors**: those of [`MetaTrainer::new`].
    pub fn begin(recipe: &Recipe, tasks: &'a [Supervised<Network>], seed: u64) -> Result<Course<'a>, Error> {
        let rule = recipe.design.cell()?;
        let problems = || tasks.iter().map(|task| task as &dyn Problem).collect();
        let training = Training { seed, ..recipe.training };
        let trainer: Box<dyn Trainer + 'a> = match &rule {
            Rule::Memory(cell) => Box::new(MetaTrainer::new(cell.clone(), problems(), training)?),
            Rule::Lstm(cell) => Box::new(MetaTrainer::new(cell.clone(), problems(), training)?),
            Rule::Steady(cell) => Box::new(MetaTrainer::new(cell.clone(), problems(), training)?),
        };
        Ok(Course { recipe: *recipe, seed, rule, trainer, lost: 0, curve: CourseCurve::default() })
    }

    /// Windows so far.
    pub fn windows(&self) -> u64 {
        self.trainer.steps()
    }

    /// Roll-outs given up because a loss was not finite.
    pub fn lost(&self) -> u32 {
        self.lost
    }

    /// The losses so far.
    pub fn curve(&self) -> &CourseCurve {
        &self.curve
    }

    /// The rule with the weights so far.
    pub fn trained(&self) -> Trained {
        Trained { rule: self.rule.clone(), weights: self.trainer.weights().to_vec(), seed: self.seed }
    }

    /// One window. A roll-out whose loss is not finite is given up and the next begins.
    ///
    /// **Errors**: more than a hundred roll-outs given up, a task that fails.
    pub fn window(&mut self) -> Result<WindowOutcome, Error> {
        loop {
            match self.trainer.step() {
                Ok(outcome) => {
                    let steps = outcome.losses.len().max(1) as f64;
                    let task = outcome.losses.iter().sum::<f64>() / steps;
                    self.curve.add([task, outcome.imitation / steps]);
                    return Ok(outcome);
                }
                Err(Error::Diverged { .. }) if self.lost < LOST => self.lost += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Windows until there are `windows` in all. `keep` is shown the course at the end, and on the way after each `every` windows, as soon
    /// as no roll-out is under way, when it is small, or after as many again. A request to stop ends it between two windows.
    ///
    /// **Errors**: as [`Course::window`], and those of `keep`.
    pub fn run(
        &mut self,
        windows: u64,
        every: u64,
        keep: &mut dyn FnMut(&Course<'_>) -> Result<(), Error>,
        observer: &mut dyn Observer,
    ) -> Result<RunStatus, Error> {
        observer.value_is("loss");
        let (mut status, mut since) = (RunStatus::Done, self.windows());
        while self.windows() < windows {
            if work::stop_requested() {
                work::stopped("Course::run", self.windows() as usize, Some(windows as usize));
                status = RunStatus::Stopped;
                break;
            }
            let value = Some(self.window()?.loss);
            observer.observe(Step { done: self.windows() as usize, of: windows as usize, value });
            let (passed, every) = (self.windows() - since, every.max(1));
            let due = passed >= 2 * every || passed >= every && self.trainer.is_between_rollouts();
            if due && self.windows() < windows {
                keep(self)?;
                since = self.windows();
            }
        }
        keep(self)?;
        Ok(status)
    }

    /// What tells this course from another; how many windows were planned does not.
    fn numbers(&self) -> Vec<f64> {
        let mut all = Recipe { steps: 0, ..self.recipe }.numbers();
        all.extend([f64::from((self.seed >> 32) as u32), f64::from(self.seed as u32)]);
        all
    }

    fn name(&self) -> String {
        format!("course {}", self.recipe.name)
    }

    /// All that the next window depends on. Between two roll-outs about three times the weights; within one also the state of the
    /// optimizer, [`Cell::state_len`] numbers for each parameter.
    pub fn save(&self) -> Saved {
        let mut numbers = vec![f64::from(self.lost)];
        numbers.extend(self.curve.numbers());
        Saved {
            name: self.name(),
            settings: self.numbers(),
            steps: self.windows(),
            tensors: Vec::new(),
            numbers,
            parts: vec![self.trainer.save()],
        }
    }

    /// Goes on from there.
    ///
    /// **Errors**: a course of another recipe, of this one before it was changed, or from another seed; nothing has changed then.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        const OP: &str = "Course::restore";
        let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
        if saved.name != self.name() || bits(&saved.settings) != bits(&self.numbers()) {
            let problem =
                format!("`{}` was kept by another recipe or seed than {} from {}", saved.name, self.name(), self.seed);
            return Err(Error::refused(OP, problem, "name the recipe and the seed that the file was made with"));
        }
        let broken = || Error::refused(OP, "a part of the course is missing", "pass what Course::save gave");
        let ([lost, curve @ ..], [trainer]) = (&saved.numbers[..], &saved.parts[..]) else {
            return Err(broken());
        };
        let curve = CourseCurve::of(curve).ok_or_else(broken)?;
        self.trainer.restore(trainer)?;
        (self.lost, self.curve) = (*lost as u32, curve);
        Ok(())
    }
}

/// A trainer of a cell whose kind does not show.
trait Trainer: std::fmt::Debug {
    fn step(&mut self) -> Result<WindowOutcome, Error>;
    fn steps(&self) -> u64;
    fn weights(&self) -> &[f64];
    fn is_between_rollouts(&self) -> bool;
    fn save(&self) -> Saved;
    fn restore(&mut self, saved: &Saved) -> Result<(), Error>;
}

impl<C: Cell> Trainer for MetaTrainer<'_, C> {
    fn step(&mut self) -> Result<WindowOutcome, Error> {
        self.step()
    }
    fn steps(&self) -> u64 {
        self.steps()
    }
    fn weights(&self) -> &[f64] {
        self.weights()
    }
    fn is_between_rollouts(&self) -> bool {
        self.is_between_rollouts()
    }
    fn save(&self) -> Saved {
        self.save()
    }
    fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        self.restore(saved)
    }
}

/// The losses of a course, thinned: means over stretches of equally many windows. When there are 256 stretches, each two become one.
#[derive(Clone, Debug, PartialEq)]
pub struct CourseCurve {
    each: u64,
    points: Vec<[f64; 2]>,
    sums: [f64; 2],
    open: u64,
}

impl Default for CourseCurve {
    fn default() -> CourseCurve {
        CourseCurve { each: 1, points: Vec::new(), sums: [0.0; 2], open: 0 }
    }
}

impl CourseCurve {
    /// Windows of a stretch.
    pub fn each(&self) -> u64 {
        self.each
    }

    /// For each whole stretch: the mean loss of the task, and the mean squared distance from the expert's updates, of a step.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    fn add(&mut self, window: [f64; 2]) {
        self.sums.iter_mut().zip(window).for_each(|(sum, value)| *sum += value);
        self.open += 1;
        if self.open < self.each {
            return;
        }
        self.points.push(self.sums.map(|sum| sum / self.each as f64));
        (self.sums, self.open) = ([0.0; 2], 0);
        if self.points.len() == POINTS {
            let middle = |pair: &[[f64; 2]]| [0, 1].map(|i| 0.5 * (pair[0][i] + pair[1][i]));
            self.points = self.points.chunks_exact(2).map(middle).collect();
            self.each *= 2;
        }
    }

    fn numbers(&self) -> Vec<f64> {
        let mut all = vec![self.each as f64, self.open as f64, self.sums[0], self.sums[1]];
        all.extend(self.points.iter().flatten());
        all
    }

    fn of(numbers: &[f64]) -> Option<CourseCurve> {
        let [each, open, task, imitation, points @ ..] = numbers else {
            return None;
        };
        let points = points.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        Some(CourseCurve { each: *each as u64, points, sums: [*task, *imitation], open: *open as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::tiny;
    use super::*;
    use crate::data::folder;
    use crate::tasks::Suite;
    use workbench_ground::work::Unwatched;

    #[test]
    fn a_course_that_was_cut_off_goes_on_to_the_same_bits() {
        let (recipe, place) = (tiny(), tempfile::tempdir().unwrap());
        let tasks = Suite::new(folder()).tasks(recipe.tasks).unwrap();
        let mut whole = Course::begin(&recipe, &tasks, 3).unwrap();
        assert_eq!(whole.run(9, 9, &mut |_| Ok(()), &mut Unwatched).unwrap(), RunStatus::Done);
        // Windows of 5 in roll-outs of 10: after an odd number one is under way.
        for cut in [1, 4, 6] {
            let path = place.path().join(format!("{cut}.course"));
            let mut first = Course::begin(&recipe, &tasks, 3).unwrap();
            first.run(cut, 2, &mut |course| course.save().write(&path), &mut Unwatched).unwrap();
            let mut second = Course::begin(&recipe, &tasks, 3).unwrap();
            second.restore(&Saved::read(&path).unwrap()).unwrap();
            assert_eq!(second.windows(), cut);
            second.run(9, 2, &mut |course| course.save().write(&path), &mut Unwatched).unwrap();
            assert_eq!(second.save().to_bytes(), whole.save().to_bytes());
            assert_eq!(Saved::read(&path).unwrap(), whole.save());
        }
        let same = Recipe { steps: 9, ..recipe }.train(&Suite::new(folder()), 3).unwrap();
        assert_eq!(same.weights(), whole.trained().weights());
    }

    #[test]
    fn other_courses_and_broken_files_are_refused() {
        let (recipe, place) = (tiny(), tempfile::tempdir().unwrap());
        let tasks = Suite::new(folder()).tasks(recipe.tasks).unwrap();
        let course = Course::begin(&recipe, &tasks, 3).unwrap();
        let refused = |recipe: &Recipe, seed, saved: &Saved| {
            Course::begin(recipe, &tasks, seed).unwrap().restore(saved).unwrap_err().to_string()
        };
        assert!(refused(&recipe, 4, &course.save()).contains("the seed"));
        let faster = Recipe { training: Training { rate: 1.0, ..recipe.training }, ..recipe };
        assert!(refused(&faster, 3, &course.save()).contains("another recipe"));
        let broken = Saved { parts: Vec::new(), ..course.save() };
        assert!(refused(&recipe, 3, &broken).contains("missing"));
        let path = place.path().join("half.course");
        std::fs::write(&path, &course.save().to_bytes()[..40]).unwrap();
        assert!(Saved::read(&path).unwrap_err().to_string().contains("half.course"));
        assert!(course.save().write(&place.path().join("nowhere/x.course")).is_err());
    }

    #[test]
    fn curves_are_thinned_to_their_means() {
        let mut curve = CourseCurve::default();
        for i in 0..1000 {
            curve.add([f64::from(i), 1.0]);
        }
        assert_eq!((curve.each(), curve.points().len()), (4, 250));
        assert_eq!(curve.points()[..2], [[1.5, 1.0], [5.5, 1.0]]);
        assert_eq!(CourseCurve::of(&curve.numbers()), Some(curve));
    }
}
