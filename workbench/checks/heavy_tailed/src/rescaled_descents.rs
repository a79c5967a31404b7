//! The descents on the population gradient of Appendix C.2, which Figures 15 and 16 show, and the exponent of what they store.
//!
//! Captions and text do not say how long inputs are: of norm one as in Appendix C.1, or as in Eq. 1 with a squared norm of about d = 10,
//! where the rate of Figure 14 moves the scores ten times as far.

use std::sync::Arc;

use ndarray::Array2;
use workbench_ground::stats::{Estimate, Stream, mean, paired_difference};
use workbench_ledger::{Failure, Margin, Setting, Sheet};
use workbench_memory::{BatchSize, DescentRule, Embeddings, Method, Schedule, Target, TrainingRun, TrainingTask, Zipf};

/// Two error curves that count as one.
pub const ALIKE: Margin = Margin::statistical(
    "alike in error",
    0.01,
    "two hundred tasks leave about this; a descent that loses the rarest of the ten inputs is off by its mass, 0.016",
);

/// Weights that count as equal.
pub const EVEN: Margin = Margin::statistical(
    "even weights",
    0.2,
    "a fifth of the exponent of weights in proportion to p or to the counts, which is one; noise in the smallest weights moves a fit by a tenth",
);

/// The times of Figure 15, and one between its last two.
pub const TIMES: [usize; 6] = [1, 2, 3, 7, 20, 100];

/// Positions of the later ones in [`TIMES`].
pub const THIRD: usize = 2;
/// t = 7.
pub const SEVENTH: usize = 3;
/// t = 20.
pub const TWENTIETH: usize = 4;
/// t = 100.
pub const END: usize = 5;

/// Rate of plain descent: that of Figure 14, whose setting the caption names.
pub const RATE: f64 = 10.0;

/// What is done with the population gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descent {
    /// Nothing.
    Plain,
    /// Its sign, entry by entry: Adam without memory.
    Sign,
    /// Division by the standard deviation of the gradient of one input.
    Deviation,
    /// Division by its variance, as printed.
    Variance,
}

impl Descent {
    /// All four, in the order of [`Population::paths`].
    pub const ALL: [Descent; 4] = [Descent::Plain, Descent::Sign, Descent::Deviation, Descent::Variance];

    /// Its name in tables and figures.
    pub fn name(self) -> &'static str {
        match self {
            Descent::Plain => "plain",
            Descent::Sign => "sign",
            Descent::Deviation => "by the deviation",
            Descent::Variance => "by the variance",
        }
    }

    /// Rates to choose from where it is to be at its best: seven, a factor of about three apart.
    pub fn grid(self) -> [f64; 7] {
        match self {
            Descent::Sign => [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0],
            _ => [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0],
        }
    }

    /// Rates to choose from for the error along the run, closer around the best ones; by the variance, whose steps grow, down to small
    /// ones.
    pub fn finer_grid(self) -> [f64; 7] {
        match self {
            Descent::Sign => [0.1, 0.14, 0.2, 0.28, 0.4, 0.56, 0.8],
            Descent::Variance => [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0],
            _ => [5.0, 7.0, 10.0, 14.0, 20.0, 28.0, 40.0],
        }
    }

    /// The method at a rate.
    ///
    /// # Errors
    /// A rate that is not positive.
    pub fn method(self, rate: f64) -> Result<Method, Failure> {
        let rule = match self {
            Descent::Plain => DescentRule::Sgd,
            Descent::Sign => DescentRule::Sign,
            Descent::Deviation => DescentRule::Rescaled { power: 0.5 },
            Descent::Variance => DescentRule::Rescaled { power: 1.0 },
        };
        population_method(rule, rate)
    }
}

/// A descent on the population gradient that is given up where the norm of W passes a million.
///
/// # Errors
/// A rate that is not positive.
pub fn population_method(rule: DescentRule, rate: f64) -> Result<Method, Failure> {
    let method = Method::new(rule, Schedule::constant(rate)?);
    Ok(method.batch(BatchSize::Population).norm_limit(1e6))
}

/// One descent, looked at a few times.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Generalization error; one after a divergence.
    pub error: Vec<f64>,
    /// Associations right, of ten.
    pub recalled: Vec<f64>,
    /// The exponent of the stored weights in p.
    pub rho: Vec<f64>,
    /// Share of pairs whose stored weight is positive, which the exponent is fitted to.
    pub positive: Vec<f64>,
    /// What is missing to saturation, the mean of 1 - p_W over the law.
    pub missing: Vec<f64>,
    /// Scores, `(M, N)`.
    pub scores: Vec<Array2<f64>>,
    /// Whether the norm of W passed its limit.
    pub diverged: bool,
}

impl Path {
    fn see(&mut self, run: &TrainingRun) -> Result<(), Failure> {
        if self.diverged {
            let after = [&mut self.error, &mut self.recalled, &mut self.rho, &mut self.positive, &mut self.missing];
            after.into_iter().zip([1.0, 0.0, f64::NAN, 0.0, 1.0]).for_each(|(list, value)| list.push(value));
            self.scores.push(Array2::zeros(run.scores().dim()));
            return Ok(());
        }
        self.error.push(run.error()?);
        self.recalled.push(run.margins().iter().filter(|margin| **margin > 0.0).count() as f64);
        let ((q, _), p) = (run.on_stored_pairs()?, run.task().probabilities());
        self.rho.push(exponent(p, q.as_slice().unwrap_or_default()));
        let positive = q.iter().filter(|q| **q > 0.0).count();
        self.positive.push(positive as f64 / q.len() as f64);
        let terms = run.leading_terms()?;
        self.missing.push(terms.iter().zip(p).map(|(term, p)| p * term.missing).sum());
        self.scores.push(run.scores());
        Ok(())
    }
}

/// The exponent rho of q = p^rho by least squares on logarithms, over the pairs with a positive weight.
pub fn exponent(p: &[f64], q: &[f64]) -> f64 {
    let logs: Vec<(f64, f64)> = p.iter().zip(q).filter(|(_, q)| **q > 0.0).map(|(p, q)| (p.ln(), q.ln())).collect();
    let count = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), (a, b)| (x + a / count, y + b / count));
    let (along, square) = logs.iter().fold((0.0, 0.0), |(s, t), (a, b)| (s + (a - x) * (b - y), t + (a - x).powi(2)));
    along / square
}

/// One task from W = 0, looked at after these numbers of steps.
///
/// # Errors
/// Those of [`TrainingRun`], but for a divergence, which the path notes.
pub fn path(task: &TrainingTask, method: &Method, times: &[usize]) -> Result<Path, Failure> {
    let mut run = TrainingRun::new(task, method)?;
    let mut path = Path::default();
    for &time in times {
        while run.steps_done() < time && !path.diverged {
            path.diverged = run.population_step().is_err();
        }
        path.see(&run)?;
    }
    Ok(path)
}

/// One path for each task.
///
/// # Errors
/// As [`path`].
pub fn paths(tasks: &[TrainingTask], method: &Method, times: &[usize]) -> Result<Vec<Path>, Failure> {
    tasks.iter().map(|task| path(task, method, times)).collect()
}

/// One number of each path.
pub fn column(paths: &[Path], of: fn(&Path) -> &Vec<f64>, at: usize) -> Vec<f64> {
    paths.iter().map(|path| of(path)[at]).collect()
}

/// The four descents on common tasks, with first steps of equal length.
#[derive(Debug)]
pub struct Population {
    /// Ten inputs, five classes, ten dimensions.
    pub tasks: Vec<TrainingTask>,
    /// Rates whose first steps are as long as that of plain descent.
    pub rates: [f64; 4],
    /// Paths of each descent at these rates, at [`TIMES`].
    pub paths: Vec<Vec<Path>>,
}

impl Population {
    /// The paths of one descent.
    pub fn of(&self, descent: Descent) -> &[Path] {
        &self.paths[descent as usize]
    }

    /// Its method at the rate of an equal first step.
    ///
    /// # Errors
    /// None for rates that were found.
    pub fn method(&self, descent: Descent) -> Result<Method, Failure> {
        descent.method(self.rates[descent as usize])
    }

    /// One number of `a` minus that of `b` at a position of [`TIMES`], paired by tasks.
    ///
    /// # Errors
    /// Fewer than two tasks.
    pub fn difference(
        &self,
        of: fn(&Path) -> &Vec<f64>,
        a: Descent,
        b: Descent,
        at: usize,
    ) -> Result<Estimate, Failure> {
        Ok(paired_difference(&column(self.of(a), of, at), &column(self.of(b), of, at))?)
    }
}

/// Tasks of the document's size.
fn task_count(s: &Sheet) -> Result<usize, Failure> {
    s.knob("tasks", s.scale().pick(200, 400), 2..)
}

/// The law of Figure 14.
///
/// # Errors
/// None for these numbers.
pub fn law() -> Result<Zipf, Failure> {
    Ok(Zipf::new(1.5, 10)?)
}

/// Embeddings on the unit sphere in ten dimensions, for ten inputs and five classes.
///
/// # Errors
/// None for these numbers.
pub fn task(stream: &mut Stream) -> Result<TrainingTask, Failure> {
    among(Embeddings::spherical(10, 5, 10, stream)?)
}

fn among(embeddings: Embeddings) -> Result<TrainingTask, Failure> {
    let (labels, p) = (Target::modulo(5)?.labels(10), law()?.probabilities(10));
    Ok(TrainingTask::new(embeddings, &labels, &p)?)
}

/// The four descents with unit inputs; computed once for all checks that ask for as many tasks.
///
/// # Errors
/// Those of the run.
pub fn population(s: &Sheet) -> Result<Arc<Population>, Failure> {
    let tasks = task_count(s)?;
    s.shared(&format!("population descents, {tasks} tasks"), |own| {
        let draw = |i: usize| task(&mut own.streams().replicate("population", i)?);
        four_descents((0..tasks).map(draw).collect::<Result<_, _>>()?, RATE)
    })
}

/// The four descents with the inputs of Eq. 1, at a rate of plain descent.
///
/// # Errors
/// Those of the run.
pub fn population_of_equation_1(s: &Sheet, rate: f64) -> Result<Arc<Population>, Failure> {
    let (tasks, name) = (task_count(s)?, "population, inputs of Eq. 1");
    s.shared(&format!("{name}, rate {rate}, {tasks} tasks"), |own| {
        let draw = |i: usize| among(Embeddings::draw(10, 5, 10, &mut own.streams().replicate(name, i)?)?);
        four_descents((0..tasks).map(draw).collect::<Result<_, _>>()?, rate)
    })
}

fn four_descents(tasks: Vec<TrainingTask>, rate: f64) -> Result<Population, Failure> {
    let count = tasks.len() as f64;
    let (mut variance, mut length) = (0.0, 0.0);
    for task in &tasks {
        let moments = TrainingRun::new(task, &Descent::Plain.method(1.0)?)?.gradient_moments()?;
        variance += moments.variance / count;
        length += moments.square_of_mean.sqrt() / count;
    }
    // The sign of a gradient has norm ten: a hundred entries of size one.
    let rates = [rate, rate * length / 10.0, rate * variance.sqrt(), rate * variance];
    let by_descent = Descent::ALL.into_iter().zip(rates);
    let paths = by_descent.map(|(descent, rate)| paths(&tasks, &descent.method(rate)?, &TIMES));
    let paths = paths.collect::<Result<_, _>>()?;
    Ok(Population { tasks, rates, paths })
}

/// A descent at the rate that is best for it at one time.
#[derive(Clone, Debug)]
pub struct Best {
    /// The rate.
    rate: f64,
    /// Whether it lies inside the grid.
    inside: bool,
    /// Errors, one for each task.
    pub errors: Vec<f64>,
}

impl Best {
    /// Its rate, for a reader to see whether it lies at an end of the grid.
    pub fn told(&self) -> String {
        format!("{}{}", self.rate, if self.inside { "" } else { " (at the edge)" })
    }
}

/// For each position of [`TIMES`] the errors of a descent at the rate of its grid with the least mean error there.
///
/// # Errors
/// Those of the run.
pub fn tuned(setting: &Setting, population: &Population, descent: Descent) -> Result<Arc<Vec<Best>>, Failure> {
    let name = format!("{} at its best, {} tasks", descent.name(), population.tasks.len());
    setting.shared(&name, |_| {
        let all = descent.grid().map(|rate| paths(&population.tasks, &descent.method(rate)?, &TIMES));
        let all = all.into_iter().collect::<Result<Vec<_>, _>>()?;
        (0..TIMES.len()).map(|at| best_of(descent, &all, at)).collect()
    })
}

fn best_of(descent: Descent, all: &[Vec<Path>], at: usize) -> Result<Best, Failure> {
    let errors: Vec<Vec<f64>> = all.iter().map(|paths| column(paths, |path| &path.error, at)).collect();
    best_among(&descent.grid(), &errors)
}

fn best_among(grid: &[f64], errors: &[Vec<f64>]) -> Result<Best, Failure> {
    let means = errors.iter().map(|errors| Ok(mean(errors)?.value)).collect::<Result<Vec<f64>, Failure>>()?;
    let best = (0..means.len()).fold(0, |best, k| if means[k] < means[best] { k } else { best });
    let inside = best > 0 && best + 1 < errors.len();
    Ok(Best { rate: grid[best], inside, errors: errors[best].clone() })
}

/// Errors by the deviation, of the sign and by the variance, averaged over the first hundred steps, one for each of thousands of tasks of
/// their own, each descent at the rate of its finer grid with the least mean over the tasks of the population; computed once for all
/// checks.
///
/// # Errors
/// Those of the run, but for a divergence, after which the error is one.
pub fn along_the_run(setting: &Setting, population: &Population) -> Result<Arc<[Best; 3]>, Failure> {
    setting.shared(&format!("along the run, {} tasks", population.tasks.len()), |own| averaged(own, population))
}

fn averaged(setting: &Setting, population: &Population) -> Result<[Best; 3], Failure> {
    let tasks = setting.scale().pick(2000, 4000);
    let draw = |i: usize| task(&mut setting.streams().replicate("population, along the run", i)?);
    let fresh = (0..tasks).map(draw).collect::<Result<Vec<_>, Failure>>()?;
    let errors = |of: &[TrainingTask], descent: Descent, rate: f64| -> Result<Vec<f64>, Failure> {
        let method = descent.method(rate)?;
        of.iter().map(|task| average_error(task, &method)).collect()
    };
    let best = |descent: Descent| -> Result<Best, Failure> {
        let grid = descent.finer_grid();
        let all = grid.iter().map(|rate| errors(&population.tasks, descent, *rate));
        let chosen = best_among(&grid, &all.collect::<Result<Vec<_>, _>>()?)?;
        Ok(Best { errors: errors(&fresh, descent, chosen.rate)?, ..chosen })
    };
    let [a, b, c] = [Descent::Deviation, Descent::Sign, Descent::Variance].map(best);
    Ok([a?, b?, c?])
}

/// Error averaged over the steps up to the last of [`TIMES`].
fn average_error(task: &TrainingTask, method: &Method) -> Result<f64, Failure> {
    let (mut run, mut sum) = (TrainingRun::new(task, method)?, 0.0);
    for step in 0..TIMES[END] {
        if run.population_step().is_err() {
            sum += (TIMES[END] - step) as f64;
            break;
        }
        sum += run.error()?;
    }
    Ok(sum / TIMES[END] as f64)
}

/// The best rates at t = 3, 7, 20 and 100, for the reader to see which lie at an end of their grid.
///
/// # Errors
/// Those of the run.
pub fn best_rates(s: &Setting, population: &Population, descents: &[Descent], end: &str) -> Result<String, Failure> {
    let said = |descent: &Descent| -> Result<String, Failure> {
        let best = tuned(s, population, *descent)?;
        let rate = |at: usize| format!("{}{}", best[at].rate, if best[at].inside { "" } else { end });
        Ok(format!("{} {}", descent.name(), [THIRD, SEVENTH, TWENTIETH, END].map(rate).join(", ")))
    };
    let all = descents.iter().map(said).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("best rates at t = 3, 7, 20, 100: {}", all.join("; ")))
}
