//! After Equation 10: memories whose wrong classes stay equally likely.
//!
//! **Claim** (`heavy-tailed/approximation-regimes`). The approximation of Eq. 10 holds notably for W = 0, for random W, or if W only stores
//! pairs (x, f_*(x)) with d >> N.
//!
//! Its premise is that p_W(z|x) hardly varies over z != f_*(x). We measure the spread sum_z |p_W(z|x, z != y) - 1/(M - 1)|, which lies
//! between 0 and 2 (M - 2)/(M - 1) = 1.5, and the relative error of Eq. 10, whose value at equal classes is M^(-1/2). Scores of wrong classes
//! are sums of inner products: for unit inputs they fall as d^(-1/2), for the inputs of Eq. 1 and weights of one they are d times larger.
//! There a stored pair has no gradient left, so that Eq. 10 is wrong about nothing. Inputs and W are those of Appendix C.1, of norm one and with
//! entries N(0, 1/d); refuted by a spread that does not fall with d. The long inputs of Eq. 1 stand beside it.

use ndarray::Array2;
use workbench_display::{Figure, Panel, Table, frame};
use workbench_ground::stats::{Estimate, mean, normal_array2};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{AssociativeMemory, LeadingTerm, Parametrization, TrainingTask, power_law};

use super::population_gradient::{CLASSES, DIMS, INPUTS, LEVEL, ROOM, drawn, task};
use super::powers_of_width::POWER;
use crate::vocabulary::{ROUNDING, largest_of};

const SPREAD: Margin = Margin::ours(
    "spread",
    0.1,
    "a fifteenth of the largest spread: no class is a tenth away from its share of a quarter",
);

/// The three regimes.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/approximation-regimes",
    metric: "power of d in the spread of p_W(z|x, z != y) over the wrong classes; relative error of Eq. 10 over its value at equal classes",
    against: "a spread that does not vanish as d grows in one of the three regimes",
    protocol: &["N = 100, M = 5; W random with entries N(0, 1/d), as in C.1; pairs stored"],
    choices: &["pairs of weight one; d/N up to 100, random W up to d = 1000"],
    departures: &["inputs on the unit sphere, as in Appendix C.1; those of Eq. 1, with |e_x|^2 about d, beside them"],
    run,
    ..Check::DEFAULT
};

/// Memories that are compared.
const KINDS: [&str; 7] = [
    "random W, unit inputs",
    "random W, inputs of Eq. 1",
    "stored pairs, unit inputs",
    "stored pairs, inputs of Eq. 1",
    "right and wrong pairs, unit inputs",
    "random W with entries N(0, 1), unit inputs",
    "stored pairs of weight 1/d, inputs of Eq. 1",
];
/// Their positions; of the first two with unit inputs and with those of Eq. 1.
const RANDOM: [usize; 2] = [0, 1];
const STORED: [usize; 2] = [2, 3];
const WRONG_PAIRS: usize = 4;
const WRONG_SIZE: usize = 5;
/// Scores of order one with the inputs of Eq. 1.
const LIGHT: usize = 6;

/// By kind of memory and dimension, for each draw: spread, relative error of Eq. 10 and 1 - p_W, means over inputs.
type Found = [[Vec<[f64; 3]>; 4]; 7];

fn run(s: &Sheet) -> Done {
    let (mut found, mut at_zero) = (Found::default(), Vec::new());
    for i in s.cases("draws", 12, 24)? {
        let raw = drawn(ROOM, &mut s.streams().replicate("regimes", i)?)?;
        let mut noise = s.streams().replicate("regimes, W", i)?;
        for (k, d) in DIMS.into_iter().enumerate() {
            for inputs in [Parametrization::Unit, Parametrization::Model] {
                let random = (d <= 1000).then(|| normal_array2(&mut noise, d, d) / (d as f64).sqrt());
                let task = task(&raw, inputs, d)?;
                at_zero.push(over_inputs(&task, &Array2::zeros((INPUTS, CLASSES)))?[0]);
                for (kind, scores) in memories(&task, inputs == Parametrization::Unit, random)? {
                    found[kind][k].push(over_inputs(&task, &scores)?);
                }
            }
        }
    }
    s.see("heavy-tailed/epsilon-norm");
    let power = |kind: usize, end: usize| {
        // From d = 100 to the dimension at `end`, draw by draw.
        let pairs = found[kind][1].iter().zip(&found[kind][end]);
        let powers: Vec<f64> = pairs.map(|(a, b)| (b[0] / a[0]).log10() / (end as f64 - 1.0)).collect();
        Ok::<_, Failure>(mean(&powers)?)
    };
    let falls = s.printed(POWER).of("draws");
    falls.equals("power of d in the spread, stored pairs, unit inputs", -0.5, power(STORED[0], 3)?);
    falls.equals("power of d in the spread, random W, unit inputs", -0.5, power(RANDOM[0], 2)?);
    let root = |kind: usize| Ok::<_, Failure>(over_draws(&found[kind][3], 1)?.affine((CLASSES as f64).sqrt(), 0.0)?);
    let label = "relative error times √M, stored pairs, unit inputs, d/N = 100";
    s.printed(LEVEL).of("draws").equals(label, 1.0, root(STORED[0])?);
    s.printed(ROUNDING).over(at_zero.len(), "tasks").same("spread at W = 0", largest_of(at_zero));

    let twin = s.twin(POWER).of("draws");
    twin.equals("right and wrong pairs stored, unit inputs: power of d in the spread", -0.5, power(WRONG_PAIRS, 3)?);
    twin.equals("random W with entries N(0, 1), unit inputs: power of d in the spread", -0.5, power(WRONG_SIZE, 2)?);

    let small = s.aside(SPREAD).of("draws");
    let spread = |kind: usize, k: usize| over_draws(&found[kind][k], 0);
    small.at_most("spread, stored pairs, unit inputs, d/N = 100", spread(STORED[0], 3)?);
    small.at_most("spread, random W, unit inputs, d = 1000", spread(RANDOM[0], 2)?);
    small.at_most("spread, pairs of weight 1/d, inputs of Eq. 1, d/N = 100", spread(LIGHT, 3)?);
    small.at_most("spread, stored pairs, inputs of Eq. 1, d/N = 100", spread(STORED[1], 3)?);
    let flat = s.aside(POWER).of("draws");
    flat.equals("power of d in the spread, pairs of weight 1/d, inputs of Eq. 1", -0.5, power(LIGHT, 3)?);
    flat.equals("power of d in the spread, random W, inputs of Eq. 1", -0.5, power(RANDOM[1], 2)?);
    s.note("with |e_x|² about d a stored pair has p_W(y|x) = 1 to rounding: its whole gradient vanishes, and Eq. 10 is wrong about nothing much");
    s.table(table(&found)?);
    s.figure(figure(&found)?);
    Ok(())
}

fn over_inputs(task: &TrainingTask, scores: &Array2<f64>) -> Result<[f64; 3], Failure> {
    let mut means = [0.0; 3];
    for (row, y) in scores.outer_iter().zip(task.labels()) {
        let term = LeadingTerm::at(&row.to_vec(), task.gram(), *y)?;
        for (mean, value) in means.iter_mut().zip([term.spread, term.relative_error, term.missing]) {
            *mean += 1.0 / INPUTS as f64 * value;
        }
    }
    Ok(means)
}

/// Scores of the memories on a task, and which they are.
fn memories(
    task: &TrainingTask,
    unit: bool,
    random: Option<Array2<f64>>,
) -> Result<Vec<(usize, Array2<f64>)>, Failure> {
    let (e, labels, which) = (task.embeddings(), task.labels(), usize::from(!unit));
    let root = (e.dim() as f64).sqrt();
    let mut all = Vec::new();
    if let Some(w) = random {
        let scores = e.inputs.dot(&e.outputs.dot(&w).t());
        if unit {
            all.push((WRONG_SIZE, &scores * root));
        }
        all.push((RANDOM[which], scores));
    }
    let store = |labels: &[usize]| -> Result<Array2<f64>, Failure> {
        Ok(AssociativeMemory::store(e, &[1.0; INPUTS], labels)?.scores(&e.inputs)?)
    };
    let stored = store(labels)?;
    if unit {
        let wrong: Vec<usize> = labels.iter().map(|y| (y + 1) % CLASSES).collect();
        all.push((WRONG_PAIRS, &stored + &store(&wrong)?));
    } else {
        all.push((LIGHT, &stored * (1.0 / e.dim() as f64)));
    }
    all.push((STORED[which], stored));
    Ok(all)
}

fn over_draws(draws: &[[f64; 3]], part: usize) -> Result<Estimate, Failure> {
    Ok(mean(&draws.iter().map(|draw| draw[part]).collect::<Vec<f64>>())?)
}

fn figure(found: &Found) -> Result<Figure, Failure> {
    let x = DIMS.map(|d| d as f64);
    let mut panel = Panel::new("N = 100, M = 5").x_label("d").y_label("spread").log_x().log_y();
    for (name, by_dim) in KINDS.into_iter().zip(found).take(WRONG_SIZE) {
        let seen = by_dim.iter().filter(|draws| !draws.is_empty());
        let spreads = seen.map(|draws| over_draws(draws, 0)).collect::<Result<Vec<_>, _>>()?;
        let list = |of: fn(&Estimate) -> f64| spreads.iter().map(of).collect::<Vec<f64>>();
        panel = panel.error_bars(name, &x[..spreads.len()], &list(|e| e.value), &list(|e| e.low), &list(|e| e.high));
    }
    let panel = panel.theory("d^{−1/2}", &x, &power_law(&x, 4.0, -0.5)).legend_below();
    Ok(Figure::new("Wrong classes become equal where scores are of order one")
        .panel(panel)
        .caption("Spread of the conditional probabilities over the wrong classes; zero means equally likely, 1.5 that one class takes all. Means over inputs and draws, 99.9 % intervals."))
}

fn table(found: &Found) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for (name, by_dim) in KINDS.into_iter().zip(found) {
        for (d, draws) in DIMS.into_iter().zip(by_dim).skip(2).filter(|(_, draws)| !draws.is_empty()) {
            let mean = |part: usize| over_draws(draws, part).map(|mean| mean.value);
            rows.push((name, d, mean(0)?, mean(1)?, mean(2)?));
        }
    }
    let column = |of: fn(&(&str, usize, f64, f64, f64)) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
    let frame = frame!(
        "memory" => rows.iter().map(|row| row.0).collect::<Vec<&str>>(),
        "d" => rows.iter().map(|row| row.1).collect::<Vec<usize>>(),
        "spread" => column(|row| row.2),
        "relative error of Eq. 10" => column(|row| row.3),
        "1 − p_W" => column(|row| row.4),
    )?;
    Ok(Table::new(frame)
        .title("Spread, relative error, and the factor of the whole gradient")
        .caption("Means over inputs and draws. Where 1 − p_W is zero the gradient vanishes, and so does what Eq. 10 gets wrong.")
        .digits(3))
}
