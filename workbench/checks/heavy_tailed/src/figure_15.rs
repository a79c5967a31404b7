//! Figure 15: the association matrix under three descents on the population gradient.
//!
//! **Claims**, panel by panel, at t = 1, 2, 3, 7, 100. `heavy-tailed/fig-15-left`: plain descent; two diagonal strips are the goal.
//! `heavy-tailed/fig-15-middle`: Adam without memory, the sign of the gradient, which should store more at the same time and more evenly.
//! `heavy-tailed/fig-15-right`: descent with normalised variance; with the middle panel it is to show that Adam helps through rescaling.
//!
//! The rate of plain descent is that of Figure 14; the caption gives no other, so the others make a first step of the same length. What a
//! tuned rate changes is asked with `heavy-tailed/adam-homogenises`. On the right the question is which part of the sign's gain rescaling
//! gives, and whether its matrix is nearer to that of the sign than to that of plain descent. Figure 14 prints its rate, and Eq. 1 its
//! inputs, of squared norm about ten; unit inputs make the same rate a tenth as large. Both are run, and the inputs of Eq. 1 at a tenth of
//! the rate.

use ndarray::Array2;
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, bootstrap, mean, paired_difference};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::DescentRule;

use super::appendix_c_2::{
    Descent, Path, Population, RATE, TIMES, column, path, paths, population, population_method,
    population_of_equation_1, task, task_count,
};
use super::section_3_visits::{BOTH_INPUTS, UNIT_INPUTS};
use crate::vocabulary::by_scale;

const PART: Margin = Margin::new("part of the gain", 0.25, "a quarter tells none, a half and all of a gain apart");

/// Positions in [`TIMES`] of the figure's rows.
const ROWS: [usize; 5] = [0, 1, 2, 3, 5];
const SEVENTH: usize = 3;
const TWENTIETH: usize = 4;
const END: usize = 5;

/// Contrast between the strips `y = x mod 5` and the rest, in deviations of all scores; `first` is the number of the first input.
fn contrast(path: &Path, at: usize, first: usize) -> f64 {
    let scores = &path.scores[at];
    let (n, m) = scores.dim();
    let strips = (0..n).map(|x| scores[[x, (x + first) % m]]).sum::<f64>() / n as f64;
    let all = scores.sum() / (n * m) as f64;
    let square = scores.mapv(|s| (s - all).powi(2)).sum() / (n * m) as f64;
    (strips - all) / square.sqrt()
}

/// Correlation of two score tables.
fn correlation(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let centred = |a: &Array2<f64>| a - a.sum() / a.len() as f64;
    let (x, y) = (centred(a), centred(b));
    (&x * &y).sum() / ((&x * &x).sum() * (&y * &y).sum()).sqrt()
}

fn panel(title: &str, path: &Path, at: usize) -> Panel {
    let scores = path.scores[at].t().to_owned();
    let top = scores.iter().fold(1e-12f64, |a, s| a.max(s.abs()));
    let x: Vec<f64> = (1..=scores.ncols()).map(|x| x as f64).collect();
    let y: Vec<f64> = (0..scores.nrows()).map(|y| y as f64).collect();
    Panel::new(title)
        .x_label("x")
        .y_label("y")
        .heatmap(&(scores / top), &x, &y, "")
        .signed_colour()
        .colour_limits(-1.0, 1.0)
        .no_colour_bar()
}

/// The figure's rows for one descent, on the first task.
fn strip(population: &Population, descent: Descent) -> Figure {
    let title = format!("Scores of the first embeddings, {}", descent.name());
    let figure = Figure::new(&title)
        .columns(5)
        .size(1180, 260)
        .caption("Blue is negative, white zero, vermilion positive; the full colour is the largest score of a panel. The goal is two strips y = x mod 5.");
    ROWS.into_iter()
        .fold(figure, |figure, at| figure.panel(panel(&format!("t = {}", TIMES[at]), &population.of(descent)[0], at)))
}

fn table(population: &Population) -> Result<Table, Failure> {
    let mut list = vec![("descent", Descent::ALL.map(|d| d.name().to_string()).to_vec().into())];
    for (at, name) in ["t = 1", "t = 2", "t = 3", "t = 7", "t = 20", "t = 100"].into_iter().enumerate() {
        let mut means = Vec::new();
        for descent in Descent::ALL {
            means.push(mean(&column(population.of(descent), |path| &path.recalled, at))?.value);
        }
        list.push((name, means.into()));
    }
    Ok(Table::new(columns(list)?)
        .title("Associations right, of ten")
        .caption("First steps of equal length; means over embeddings.")
        .digits(3))
}

/// The tasks of all three panels.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    /// How many, each with its own embeddings; by scale if 0.
    pub count: usize,
}

impl Tasks {
    fn population(&self, setting: &Setting) -> Result<std::sync::Arc<Population>, Failure> {
        population(setting, by_scale(self.count, task_count(setting)))
    }

    /// The same with the inputs of Eq. 1, at a rate of plain descent.
    fn of_equation_1(&self, setting: &Setting, rate: f64) -> Result<std::sync::Arc<Population>, Failure> {
        population_of_equation_1(setting, rate, by_scale(self.count, task_count(setting)))
    }
}

/// Associations right at times before the end, one descent minus plain descent with the inputs of Eq. 1.
fn of_equation_1(population: &Population, descent: Descent, times: &[usize]) -> Result<Vec<Finding>, Failure> {
    let at = |at: usize| -> Result<Finding, Failure> {
        let label = format!("inputs of Eq. 1: associations right at t = {}, {} minus plain", TIMES[at], descent.name());
        let gain = population.difference(|path| &path.recalled, descent, Descent::Plain, at)?;
        Ok(more(&label, gain))
    };
    times.iter().map(|time| at(*time)).collect()
}

/// Associations right at t = 7, minus those of plain descent.
fn against_plain(population: &Population, other: &[Path]) -> Result<Estimate, Failure> {
    Ok(paired_difference(
        &column(other, |path| &path.recalled, SEVENTH),
        &column(population.of(Descent::Plain), |path| &path.recalled, SEVENTH),
    )?)
}

fn more(label: &str, difference: Estimate) -> Finding {
    Finding::at_least(label, 0.0, difference).unit("tasks")
}

/// Left panel: plain descent.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// The tasks.
    pub tasks: Tasks,
}

impl TypedCheck for Left {
    const CLAIM: &'static str = "heavy-tailed/fig-15-left";
    const PLAN: Plan = Plan::new(
        "associations right, and contrast of the strips against all scores in deviations, from time to time",
        "a time at which fewer associations are right than before, or the strips stand out less",
        &[],
    )
    .protocol(&["setting of Figure 14: N = d = 10, M = 5, alpha = 1.5, rate 10; population gradient from W = 0"])
    .departures(&["many embeddings and not one run", UNIT_INPUTS]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let population = self.tasks.population(setting)?;
        let plain = population.of(Descent::Plain);
        let right = |a: usize, b: usize| {
            let at = |k: usize| column(plain, |path| &path.recalled, k);
            paired_difference(&at(b), &at(a))
        };
        let strips = |a: usize, b: usize, first: usize| {
            let at = |k: usize| plain.iter().map(|path| contrast(path, k, first)).collect::<Vec<f64>>();
            paired_difference(&at(b), &at(a))
        };
        let mut evidence = Evidence::of(more("associations right, t = 100 minus t = 1", right(0, END)?));
        for pair in ROWS.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let times = format!("t = {} minus t = {}", TIMES[b], TIMES[a]);
            evidence = evidence
                .and(more(&format!("associations right, {times}"), right(a, b)?))
                .and(more(&format!("contrast of the strips, {times}"), strips(a, b, 1)?));
        }
        let evidence = evidence
            .twin(more("inputs counted from zero: contrast of their strips, t = 100 minus t = 1", strips(0, END, 0)?));
        Ok(Checked::from(evidence).table(table(&population)?).figure(strip(&population, Descent::Plain)))
    }
}

/// Associations right after one step, sign minus plain, on tasks of their own: the difference is small, and one step costs little.
fn after_one_step(setting: &Setting, population: &Population) -> Result<Estimate, Failure> {
    let (sign, plain) = (population.method(Descent::Sign)?, population.method(Descent::Plain)?);
    let mut gains = Vec::new();
    for i in 0..setting.scale().pick(3000, 6000) {
        let task = task(&mut setting.streams().replicate("one step", i)?)?;
        gains.push(path(&task, &sign, &TIMES[..1])?.recalled[0] - path(&task, &plain, &TIMES[..1])?.recalled[0]);
    }
    Ok(mean(&gains)?)
}

/// Middle panel: the sign.
#[derive(Clone, Debug, Default)]
pub struct Middle {
    /// The tasks.
    pub tasks: Tasks,
}

impl TypedCheck for Middle {
    const CLAIM: &'static str = "heavy-tailed/fig-15-middle";
    const PLAN: Plan = Plan::new(
        "associations right, sign minus plain on the same embeddings; exponent rho of the stored weights",
        "a time before the end at which the sign has fewer right; weights that are less even than those of plain descent",
        &[],
    )
    .protocol(&["as on the left; Adam without memory is the sign of the gradient"])
    .departures(&[
        "the caption gives no rate: the first step is as long as that of plain descent at rate 10",
        BOTH_INPUTS,
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let population = self.tasks.population(setting)?;
        let long = self.tasks.of_equation_1(setting, RATE)?;
        let slow = self.tasks.of_equation_1(setting, RATE / 10.0)?;
        let sign = |at: usize| population.difference(|path| &path.recalled, Descent::Sign, Descent::Plain, at);
        let rho = population.difference(|path| &path.rho, Descent::Sign, Descent::Plain, END)?;
        let smoothed = DescentRule::Adam { beta1: 0.0, beta2: 0.0, epsilon: 1.0 };
        let smoothed = population_method(smoothed, population.rates[Descent::Sign as usize])?;
        let wrong = against_plain(&population, &paths(&population.tasks, &smoothed, &TIMES)?)?;
        let even = |label: &str, rho: Estimate| Finding::at_most(label, 0.0, rho).unit("tasks");
        let mut unit = vec![
            more("associations right at t = 3, sign minus plain", sign(2)?),
            more("associations right at t = 1, sign minus plain", after_one_step(setting, &population)?),
            more("associations right at t = 2, sign minus plain", sign(1)?),
            more("associations right at t = 7, sign minus plain", sign(SEVENTH)?),
            more("associations right at t = 20, sign minus plain", sign(TWENTIETH)?),
            even("ρ of the weights at t = 100, sign minus plain", rho),
        ];
        unit.push(more(
            "inputs of Eq. 1 at rate 1: right at t = 7, sign minus plain",
            against_plain(&slow, slow.of(Descent::Sign))?,
        ));
        let rho = long.difference(|path| &path.rho, Descent::Sign, Descent::Plain, END)?;
        let mut printed = of_equation_1(&long, Descent::Sign, &[SEVENTH, 0, 1, 2, TWENTIETH])?;
        printed.push(even("inputs of Eq. 1: ρ at t = 100, sign minus plain", rho));
        let evidence = Evidence::of(printed.remove(0));
        let evidence = printed
            .into_iter()
            .fold(evidence, Evidence::and)
            .condition(
                "for unit inputs, or a rate of about 10/|e_x|²: with the inputs of Eq. 1 plain descent at rate 10 has more right at t = 7 than a sign whose first step is as long",
                unit,
            )
            .twin(more(
                "Adam with ε = 1, far above the entries: associations right at t = 7, minus plain",
                wrong,
            ));
        Ok(Checked::from(evidence).figure(strip(&population, Descent::Sign)))
    }
}

/// Right panel: the gradient divided by its deviation.
#[derive(Clone, Debug, Default)]
pub struct Right {
    /// The tasks.
    pub tasks: Tasks,
}

/// Part of the sign's gain over plain descent that rescaling gives, in associations.
fn part_of_gain(setting: &Setting, population: &Population, rescaled: Descent, at: usize) -> Result<Estimate, Failure> {
    let right = |descent: Descent| column(population.of(descent), |path| &path.recalled, at);
    let name = match rescaled {
        Descent::Deviation => String::new(),
        other => format!(", {}", other.name()),
    };
    let mut boot = setting.stream(&format!("bootstrap, gain at t = {}{name}", TIMES[at]))?;
    let (plain, sign, rescaled) = (right(Descent::Plain), right(Descent::Sign), right(rescaled));
    Ok(bootstrap(plain.len(), 2000, &mut boot, &mut |units: &[usize]| {
        let gain = |of: &[f64]| units.iter().map(|u| of[*u] - plain[*u]).sum::<f64>();
        gain(&rescaled) / gain(&sign)
    })?)
}

/// Correlation of rescaled matrices with those of the sign minus that with those of plain descent.
fn nearer_to_sign(population: &Population, at: usize) -> Result<Estimate, Failure> {
    let alike = |other: Descent| -> Vec<f64> {
        let pairs = population.of(Descent::Deviation).iter().zip(population.of(other));
        pairs.map(|(a, b)| correlation(&a.scores[at], &b.scores[at])).collect()
    };
    Ok(paired_difference(&alike(Descent::Sign), &alike(Descent::Plain))?)
}

impl TypedCheck for Right {
    const CLAIM: &'static str = "heavy-tailed/fig-15-right";
    const PLAN: Plan = Plan::new(
        "associations right, rescaled minus plain, and as a part of what the sign gains; correlation of the score tables",
        "no gain over plain descent; only a part of the sign's gain; a matrix nearer to that of plain descent than to that of the sign",
        &[PART],
    )
    .protocol(&["as on the left; the gradient is divided by the standard deviation of one input's gradient, which normalises its variance"])
    .departures(&[
        "the caption gives no rate: the first step is as long as that of plain descent at rate 10",
        "the text divides by the variance, the caption normalises it: both are run, the standard deviation and the variance",
        BOTH_INPUTS,
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let population = self.tasks.population(setting)?;
        let gain = |at: usize| population.difference(|path| &path.recalled, Descent::Deviation, Descent::Plain, at);
        let part = |at: usize, stated: f64| -> Result<Finding, Failure> {
            let label = format!("t = {}: part of the sign's gain in associations", TIMES[at]);
            Ok(Finding::equals(label, stated, PART, part_of_gain(setting, &population, Descent::Deviation, at)?)
                .unit("tasks"))
        };
        let by_variance = |at: usize| -> Result<Finding, Failure> {
            let label = format!("by the variance, t = {}: part of the sign's gain in associations", TIMES[at]);
            let part = part_of_gain(setting, &population, Descent::Variance, at)?;
            Ok(Finding::equals(label, 1.0, PART, part).unit("tasks"))
        };
        let lost = population.difference(|path| &path.recalled, Descent::Variance, Descent::Plain, END)?;
        let multiplied = population_method(DescentRule::Rescaled { power: -0.5 }, RATE * RATE / population.rates[2])?;
        let wrong = against_plain(&population, &paths(&population.tasks, &multiplied, &TIMES)?)?;
        let seventh = part(SEVENTH, 1.0)?;
        let half =
            Finding::equals("t = 7: part of the sign's gain, as a half", 0.5, PART, seventh.measured()).unit("tasks");
        let twentieth = part(TWENTIETH, 1.0)?;
        let gains = [
            more("associations right at t = 7, rescaled minus plain", gain(SEVENTH)?),
            more("associations right at t = 20, rescaled minus plain", gain(TWENTIETH)?),
        ];
        let mut evidence = Evidence::of(seventh);
        let long = self.tasks.of_equation_1(setting, RATE)?;
        // After one step both have the same associations: the division is by one number.
        for finding in of_equation_1(&long, Descent::Deviation, &[1, 2, SEVENTH, TWENTIETH])? {
            evidence = evidence.and(finding);
        }
        for at in ROWS {
            let label =
                format!("t = {}: correlation with the matrix of the sign minus that with plain descent", TIMES[at]);
            evidence = evidence.and(more(&label, nearer_to_sign(&population, at)?));
        }
        for at in [1, 2, SEVENTH] {
            evidence = evidence.and(by_variance(at)?);
        }
        let further = Finding::at_most(
            "t = 7: correlation with the matrix of the sign less that with plain descent, nearer to plain descent",
            0.0,
            nearer_to_sign(&population, SEVENTH)?,
        )
        .unit("tasks");
        let sooner = population.difference(|path| &path.recalled, Descent::Variance, Descent::Deviation, 2)?;
        let sooner = more("associations right at t = 3, by the variance minus by the deviation", sooner);
        let lost =
            Finding::at_most("by the variance: associations right at t = 100, minus plain", 0.0, lost).unit("tasks");
        let evidence = evidence
            .weaker(
                "for unit inputs and at equal first steps dividing by the deviation gives half of what the sign gains by t = 7, when its matrix is still nearer to that of plain descent, and all of it by t = 20; dividing by the variance gains more at first and ends below plain descent",
                gains.into_iter().chain([half, twentieth, further, sooner, lost]).collect(),
            )
            .twin(more("multiplied by the deviation: associations right at t = 7, minus plain", wrong));
        Ok(Checked::from(evidence).figure(strip(&population, Descent::Deviation)))
    }
}
