//! Figure 15: the association matrix under three descents on the population gradient.
//!
//! **Claims**, panel by panel, at t = 1, 2, 3, 7, 100. `heavy-tailed/fig-15-left`: plain descent; two diagonal strips are the goal.
//! `heavy-tailed/fig-15-middle`: Adam without memory, the sign of the gradient, which should store more at the same time and more evenly.
//! `heavy-tailed/fig-15-right`: descent with normalised variance; with the middle panel it is to show that Adam helps through rescaling.
//!
//! The rate of plain descent is that of Figure 14; the caption gives no other, so the others make a first step of the same length. What a
//! tuned rate changes is asked with `heavy-tailed/adam-homogenises`, where it is also charged that the text divides by the variance: on the
//! right the gradient is divided by the deviation, which normalises the variance. The question there is whether rescaling stores more than
//! plain descent; which part of the sign's gain it has, and whose matrix is nearer, are measures of ours, and shown. Inputs are of norm one, as Appendix C.1 has them for descent; those of Eq. 1, of squared norm about ten,
//! make the same rate ten times as large, and stand beside them. Refuted by a time at which fewer associations are right.

use ndarray::Array2;
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, bootstrap, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Setting, Sheet};
use workbench_memory::DescentRule;

use super::descent_visits::{BOTH_INPUTS, UNIT_INPUTS};
use super::rescaled_descents::{
    Descent, END, Path, Population, RATE, SEVENTH, THIRD, TIMES, TWENTIETH, column, path, paths, population,
    population_method, population_of_equation_1, task,
};

const PART: Margin = Margin::statistical(
    "part of the gain",
    0.25,
    "half of what tells half of a gain from all of it, about what two hundred tasks leave",
);

/// Left panel: plain descent.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-15-left",
    metric: "associations right, and contrast of the strips against all scores in deviations, from time to time",
    against: "a time at which fewer associations are right than before, or the strips stand out less",
    protocol: &["setting of Figure 14: N = d = 10, M = 5, alpha = 1.5, rate 10; population gradient"],
    choices: &["W = 0 at the start"],
    departures: &["many embeddings and not one run", UNIT_INPUTS],
    run: left,
    ..Check::DEFAULT
};

/// Middle panel: the sign.
pub const MIDDLE: Check = Check {
    claim: "heavy-tailed/fig-15-middle",
    metric: "associations right, sign minus plain on the same embeddings; exponent rho of the stored weights",
    against: "a time of the figure before the end at which the sign has fewer right; weights that are less even than those of plain descent",
    protocol: &["as on the left; Adam without memory is the sign of the gradient"],
    choices: &[
        "the caption gives no rate: the first step is as long as that of plain descent at rate 10; t = 20 as a footing",
    ],
    departures: &[BOTH_INPUTS],
    run: middle,
    ..Check::DEFAULT
};

/// Right panel: the gradient divided by its deviation.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-15-right",
    metric: "associations right, rescaled minus plain, at the times of the figure",
    against: "a time at which rescaling has no more right than plain descent",
    protocol: &["as on the left; descent with normalised variance"],
    choices: &["the caption gives no rate: the first step is as long as that of plain descent at rate 10"],
    departures: &[
        "the gradient is divided by the standard deviation of one input's gradient, which normalises its variance, and not by the variance as the text has it, which is charged with adam-homogenises and shown beside it",
        BOTH_INPUTS,
    ],
    run: right,
    ..Check::DEFAULT
};

/// Positions in [`TIMES`] of the figure's rows.
const ROWS: [usize; 5] = [0, 1, 2, SEVENTH, END];

fn left(s: &Sheet) -> Done {
    let population = population(s)?;
    let plain = population.of(Descent::Plain);
    let more = s.printed(Margin::ZERO).of("tasks");
    let right = |a: usize, b: usize| {
        let at = |k: usize| column(plain, |path| &path.recalled, k);
        paired_difference(&at(b), &at(a))
    };
    let strips = |a: usize, b: usize, first: usize| {
        let at = |k: usize| plain.iter().map(|path| contrast(path, k, first)).collect::<Vec<f64>>();
        paired_difference(&at(b), &at(a))
    };
    more.at_least("associations right, t = 100 minus t = 1", right(0, END)?);
    for pair in ROWS.windows(2) {
        let times = format!("t = {} minus t = {}", TIMES[pair[1]], TIMES[pair[0]]);
        more.at_least(format!("associations right, {times}"), right(pair[0], pair[1])?);
        more.at_least(format!("contrast of the strips, {times}"), strips(pair[0], pair[1], 1)?);
    }
    let label = "inputs counted from zero: contrast of their strips, t = 100 minus t = 1";
    s.twin(Margin::ZERO).of("tasks").at_least(label, strips(0, END, 0)?);
    s.table(table(&population)?);
    s.figure(strip(&population, Descent::Plain));
    Ok(())
}

fn middle(s: &Sheet) -> Done {
    let (unit, long) = (population(s)?, population_of_equation_1(s, RATE)?);
    let slow = population_of_equation_1(s, RATE / 10.0)?;
    let (printed, aside) = (s.printed(Margin::ZERO).of("tasks"), s.aside(Margin::ZERO).of("tasks"));
    let even = |population: &Population| population.difference(|path| &path.rho, Descent::Sign, Descent::Plain, END);
    for at in [THIRD, 1, SEVENTH, TWENTIETH] {
        let label = format!("associations right at t = {}, sign minus plain", TIMES[at]);
        // t = 20 is no row of the figure.
        let says = if at == TWENTIETH { s.support(Margin::ZERO).of("tasks") } else { printed };
        says.at_least(label, unit.difference(|path| &path.recalled, Descent::Sign, Descent::Plain, at)?);
    }
    printed.at_least("associations right at t = 1, sign minus plain", after_one_step(s, &unit)?);
    printed.at_most("ρ of the weights at t = 100, sign minus plain", even(&unit)?);
    with_inputs_of_equation_1(aside, &long, Descent::Sign, &[SEVENTH, 0, 1, THIRD, TWENTIETH])?;
    aside.at_most("inputs of Eq. 1: ρ at t = 100, sign minus plain", even(&long)?);
    let label = "inputs of Eq. 1 at rate 1: right at t = 7, sign minus plain";
    aside.at_least(label, against_plain(&slow, slow.of(Descent::Sign))?);

    let smoothed = DescentRule::Adam { beta1: 0.0, beta2: 0.0, epsilon: 1.0 };
    let smoothed = population_method(smoothed, unit.rates[Descent::Sign as usize])?;
    let label = "Adam with ε = 1, far above the entries: associations right at t = 7, minus plain";
    let wrong = against_plain(&unit, &paths(&unit.tasks, &smoothed, &TIMES)?)?;
    s.twin(Margin::ZERO).of("tasks").at_least(label, wrong);
    s.figure(strip(&unit, Descent::Sign));
    Ok(())
}

fn right(s: &Sheet) -> Done {
    use Descent::{Deviation, Plain, Variance};
    let (unit, long) = (population(s)?, population_of_equation_1(s, RATE)?);
    let (printed, aside) = (s.printed(Margin::ZERO).of("tasks"), s.aside(Margin::ZERO).of("tasks"));
    let part = s.aside(PART).of("tasks");
    s.see("heavy-tailed/adam-homogenises");
    for at in [1, THIRD, SEVENTH] {
        let label = format!("associations right at t = {}, rescaled minus plain", TIMES[at]);
        printed.at_least(label, unit.difference(|path| &path.recalled, Deviation, Plain, at)?);
    }
    let label = "t = 20: part of the sign's gain in associations";
    part.equals(label, 1.0, part_of_gain(s, &unit, Deviation, TWENTIETH)?);
    let label = "t = 7: part of the sign's gain in associations";
    part.equals(label, 1.0, part_of_gain(s, &unit, Deviation, SEVENTH)?);

    // After one step both have the same associations: the division is by one number.
    with_inputs_of_equation_1(aside, &long, Deviation, &[1, THIRD, SEVENTH, TWENTIETH])?;
    let sooner = unit.difference(|path| &path.recalled, Variance, Deviation, THIRD)?;
    aside.at_least("associations right at t = 3, by the variance minus by the deviation", sooner);
    let lost = unit.difference(|path| &path.recalled, Variance, Plain, END)?;
    aside.at_most("by the variance: associations right at t = 100, minus plain", lost);

    for at in ROWS {
        let label = format!("t = {}: correlation with the matrix of the sign minus that with plain descent", TIMES[at]);
        aside.at_least(label, nearer_to_sign(&unit, at)?);
    }
    for at in [1, THIRD, SEVENTH] {
        let label = format!("by the variance, t = {}: part of the sign's gain in associations", TIMES[at]);
        part.equals(label, 1.0, part_of_gain(s, &unit, Variance, at)?);
    }

    let multiplied = population_method(DescentRule::Rescaled { power: -0.5 }, RATE * RATE / unit.rates[2])?;
    let wrong = against_plain(&unit, &paths(&unit.tasks, &multiplied, &TIMES)?)?;
    let label = "multiplied by the deviation: associations right at t = 7, minus plain";
    s.twin(Margin::ZERO).of("tasks").at_least(label, wrong);
    s.figure(strip(&unit, Deviation));
    Ok(())
}

/// Associations right at times before the end, one descent minus plain descent with the inputs of Eq. 1.
fn with_inputs_of_equation_1(more: Says, long: &Population, descent: Descent, times: &[usize]) -> Done {
    for &at in times {
        let label = format!("inputs of Eq. 1: associations right at t = {}, {} minus plain", TIMES[at], descent.name());
        more.at_least(label, long.difference(|path| &path.recalled, descent, Descent::Plain, at)?);
    }
    Ok(())
}

/// Associations right at t = 7, minus those of plain descent.
fn against_plain(population: &Population, other: &[Path]) -> Result<Estimate, Failure> {
    let right = |paths: &[Path]| column(paths, |path| &path.recalled, SEVENTH);
    Ok(paired_difference(&right(other), &right(population.of(Descent::Plain)))?)
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
    let mut list = vec![("descent", Descent::ALL.map(Descent::name).into())];
    for (at, name) in ["t = 1", "t = 2", "t = 3", "t = 7", "t = 20", "t = 100"].into_iter().enumerate() {
        let means = Descent::ALL.map(|descent| mean(&column(population.of(descent), |path| &path.recalled, at)));
        let means = means.into_iter().map(|mean| Ok(mean?.value)).collect::<Result<Vec<f64>, Failure>>()?;
        list.push((name, means.into()));
    }
    Ok(Table::new(columns(list)?)
        .title("Associations right, of ten")
        .caption("First steps of equal length; means over embeddings.")
        .digits(3))
}
