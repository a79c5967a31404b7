//! Equation 45: very large batches.
//!
//! **Claim** (`heavy-tailed/eq-45`). For a very large batch b and T/b steps each x appears about b p(x) times in a batch, which leads to
//! the rough approximation q(x) = f^{T/b}(0) with f: q -> q + gamma b p(x) / (1 + exp(q) / M).
//!
//! T = 50,000 samples in batches of a thousand, rates 0.1, 1, 10, at d/N = 100, with inputs of norm one (C.1). The constant is M - 1, as
//! the display after Eq. 44 has it; that M stands here too is charged to Eq. 11. At rate one also batches of 1, 10 and 100, and d = N,
//! which is the size of Figure 13. One step from zero gives q in proportion to p, which tries the code. Refuted by a distance from the
//! coefficients of descent beyond the margin at b = 1000 and d >> N; the approximation is called rough. The inputs of Eq. 1, and the rare
//! inputs, which the distance over all inputs does not feel, stand beside it.

use workbench_display::{Table, frame};
use workbench_ground::stats::Stream;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{BatchSize, Gradient, Ideal, IdealUpdate, Method, Parametrization, TrainingRun, TrainingTask};

use super::population_gradient::{CLASSES, INPUTS, ROOM, descended, drawn, law, over_runs, own, relative, task};
use crate::vocabulary::{ROUNDING, largest_of};

const ROUGH: Margin = Margin::statistical(
    "rough",
    0.15,
    "half of what one batch in the place of T/b is off by at the smallest rate; the approximation is called rough",
);

/// Large batches.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-45",
    metric: "|f^(T/b) - q| / |q| with q the least-squares coefficients of W on the stored pairs",
    against: "a distance beyond the margin at b = 1000 and d/N = 100",
    protocol: &[
        "N = 100, M = 5, alpha = 2, b = 1000; batches are summed as in Eq. 44; inputs of norm one (C.1), d >> N as the statement before supposes",
    ],
    choices: &["T = 50,000, rates 0.1, 1, 10, d/N = 100"],
    departures: &["the inputs of Eq. 1 beside those of C.1"],
    rivals: &[
        "one batch; no saturation; the rate p(x); in the table the map with M - 1 and M/(M - 1) on the same data",
    ],
    run,
    ..Check::DEFAULT
};

/// Samples T.
const TOTAL: usize = 50_000;
/// Batch sizes.
pub const SIZES: [usize; 4] = [1, 10, 100, 1000];
const RATES: [f64; 3] = [0.1, 1.0, 10.0];
/// The most frequent inputs, which one batch saturates and which carry the distance over all.
const TOP: usize = 10;

fn run(s: &Sheet) -> Done {
    let says = |rate, b| expected(rate, b, TOTAL);
    let by_rate = [says(0.1, 1000)?, says(1.0, 1000)?, says(10.0, 1000)?];
    let by_size = [says(1.0, 1)?, says(1.0, 10)?, says(1.0, 100)?, says(1.0, 1000)?];
    // At b = 1000 and d/N = 100 by rate; and at rate one, unit inputs, by d/N = 100 or 1 and batch.
    let (mut model, mut unit): ([Vec<Trial>; 3], [Vec<Trial>; 3]) = Default::default();
    let mut sizes: [[Vec<Trial>; 4]; 2] = Default::default();
    let runs = s.knob("runs", s.scale().pick(10, 30), 4..)?;
    for i in 0..runs {
        let raw = drawn(ROOM, &mut s.streams().replicate("eq 45, embeddings", i)?)?;
        let data = s.streams().replicate("eq 45, data", i)?;
        let long = task(&raw, Parametrization::Model, ROOM)?;
        let wide = task(&raw, Parametrization::Unit, ROOM)?;
        for (g, rate) in RATES.into_iter().enumerate() {
            model[g].push(Trial::new(&long, rate, 1000, TOTAL, &data, &by_rate[g])?);
            unit[g].push(Trial::new(&wide, rate, 1000, TOTAL, &data, &by_rate[g])?);
        }
        if i < runs / 2 {
            let narrow = task(&raw, Parametrization::Unit, INPUTS)?;
            for (by_batch, task) in sizes.iter_mut().zip([&wide, &narrow]) {
                for (j, b) in SIZES.into_iter().enumerate() {
                    by_batch[j].push(Trial::new(task, 1.0, b, TOTAL, &data, &by_size[j])?);
                }
            }
        }
    }
    s.see("heavy-tailed/eq-11");
    let [printed, twin, beside] = [s.printed(ROUGH), s.twin(ROUGH), s.aside(ROUGH)].map(|says| says.of("runs"));
    for (trials, rate) in unit.iter().zip(RATES) {
        let mended = iterated(rate, TOTAL / 1000, CLASSES as f64 - 1.0, 1.0, |p| 1000.0 * p)?;
        let label = format!("b = 1000, d/N = 100, γ = {rate}: relative distance of the map with M − 1");
        printed.at_most(label, over_runs(trials, |t| relative(&mended, &t.q))?);
    }
    one_step(s)?;
    for (trials, name) in [(&unit, "with M"), (&model, "with M, inputs of Eq. 1")] {
        for (trials, rate) in trials.iter().zip(RATES) {
            let label = format!("{name}, b = 1000, d/N = 100, γ = {rate}: relative distance");
            beside.at_most(label, over_runs(trials, |t| t.printed[1])?);
        }
    }
    for (g, rate) in RATES.into_iter().enumerate() {
        let label = format!("b = 1000, γ = {rate}: inputs 11 to 100, relative distance");
        beside.at_most(label, over_runs(&unit[g], |t| relative(&by_rate[g][0][TOP..], &t.q[TOP..]))?);
    }
    let label = "b = 1000, γ = 1: error that the map with counts predicts minus that of descent";
    let excess = over_runs(&unit[1], |t| t.errors[1] - t.errors[0])?;
    s.aside(Margin::ZERO).of("runs").at_least(label, excess);
    let m = CLASSES as f64;
    let first: Vec<f64> =
        law()?.probabilities(INPUTS).iter().map(|p| TOTAL as f64 / (1.0 + 1.0 / (m - 1.0)) * p).collect();
    for (label, trials, wrong) in [
        ("one batch in the place of T/b, γ = 0.1", &unit[0], iterated(0.1, 1, m - 1.0, 1.0, |p| 1000.0 * p)?),
        ("nothing saturates, b = 1000, γ = 1", &unit[1], first),
        (
            "rate p(x) in the place of b p(x), b = 1000, γ = 1",
            &unit[1],
            iterated(1.0, TOTAL / 1000, m - 1.0, 1.0, |p| p)?,
        ),
    ] {
        twin.at_most(label, over_runs(trials, |t| relative(&wrong, &t.q))?);
    }
    s.note(format!(
        "unit inputs, b = 1000, γ = 1: error of descent {:.4}, of the map with counts {:.4}",
        over_runs(&unit[1], |t| t.errors[0])?.value,
        over_runs(&unit[1], |t| t.errors[1])?.value
    ));
    let apart = [0.01, 0.1, 1.0, 10.0].map(|rate| Ok(format!("{:.3}", against_equation_11(rate)?)));
    let apart = apart.into_iter().collect::<Result<Vec<_>, Failure>>()?;
    s.note(format!(
        "at b = 1 the largest relative difference from Eq. 11 is {} for γ = 0.01, 0.1, 1, 10: one formula only for small γ",
        apart.join(", ")
    ));
    s.table(table(&sizes)?);
    Ok(())
}

/// One step on the whole law from zero: `q / p` is that of the first input.
fn one_step(s: &Sheet) -> Done {
    let raw = drawn(INPUTS, &mut s.stream("eq 45, one step")?)?;
    let task = task(&raw, Parametrization::Unit, INPUTS)?;
    let mut step = TrainingRun::new(&task, &Method::sgd(1.0)?.batch(BatchSize::Population))?;
    step.population_step()?;
    let per_p: Vec<f64> = own(&step).iter().zip(task.probabilities()).map(|(q, p)| q / p).collect();
    for ratio in s.each("inputs", &per_p) {
        let label = "one step on the law: q(x)/p(x) over that of the first input, minus one";
        s.support(ROUNDING).same(label, (ratio / per_p[0] - 1.0).abs());
    }
    Ok(())
}

/// Largest relative difference of Eq. 45 at b = 1 from Eq. 11, over inputs.
fn against_equation_11(rate: f64) -> Result<f64, Failure> {
    let counts: Vec<f64> = law()?.probabilities(INPUTS).iter().map(|p| p * TOTAL as f64).collect();
    let eleven = IdealUpdate::printed(rate, CLASSES)?.after(&counts)?;
    let here = iterated(rate, TOTAL, CLASSES as f64, 1.0, |p| p)?;
    Ok(largest_of(here.iter().zip(&eleven).map(|(a, b)| (a / b - 1.0).abs())))
}

/// `f^steps(0)` for each input, where one step adds `rate * weight(p)` times what is missing.
fn iterated(
    rate: f64,
    steps: usize,
    competitors: f64,
    stretch: f64,
    weight: impl Fn(f64) -> f64,
) -> Result<Vec<f64>, Failure> {
    let mut all = Vec::with_capacity(INPUTS);
    for p in law()?.probabilities(INPUTS) {
        let f = IdealUpdate::new(rate * weight(p), competitors, stretch)?;
        all.push((0..steps).fold(0.0, |q, _| f.apply(q)));
    }
    Ok(all)
}

/// What Eq. 45 says with expected counts after `total` samples in batches of `b`: as printed, and with M - 1 and M/(M - 1) for unit inputs.
///
/// # Errors
/// A rate that is not positive.
pub fn expected(rate: f64, b: usize, total: usize) -> Result<[Vec<f64>; 2], Failure> {
    let (m, weight, steps) = (CLASSES as f64, |p: f64| b as f64 * p, total / b);
    Ok([iterated(rate, steps, m, 1.0, weight)?, iterated(rate, steps, m - 1.0, m / (m - 1.0), weight)?])
}

/// One descent and what is said of its coefficients.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Its coefficients of the stored pairs.
    pub q: Vec<f64>,
    /// Relative distances of the printed map with the counts of each batch, and with b p(x).
    pub printed: [f64; 2],
    /// The same with M - 1 and M/(M - 1).
    pub changed: [f64; 2],
    /// Error of descent, and of the printed map with counts.
    pub errors: [f64; 2],
}

impl Trial {
    /// One descent on `total` samples in batches of `b`.
    ///
    /// # Errors
    /// Those of the run.
    pub fn new(
        task: &TrainingTask,
        rate: f64,
        b: usize,
        total: usize,
        data: &Stream,
        [as_printed, as_changed]: &[Vec<f64>; 2],
    ) -> Result<Trial, Failure> {
        let method = Method::sgd(rate)?.batch(BatchSize::Samples(b));
        let exact = descended(task, &method, total / b, data)?;
        let q = exact.on_stored_pairs()?.0.to_vec();
        let with = |ideal: Ideal| descended(task, &method.clone().gradient(Gradient::Ideal(ideal)), total / b, data);
        let (printed, changed) = (with(Ideal::printed(CLASSES))?, with(Ideal::corrected(CLASSES))?);
        Ok(Trial {
            printed: [relative(&own(&printed), &q), relative(as_printed, &q)],
            changed: [relative(&own(&changed), &q), relative(as_changed, &q)],
            errors: [exact.error()?, printed.error()?],
            q,
        })
    }
}

fn table(sizes: &[[Vec<Trial>; 4]; 2]) -> Result<Table, Failure> {
    let column = |part: fn(&Trial) -> f64| -> Result<Vec<f64>, Failure> {
        sizes.iter().flatten().map(|trials| Ok(over_runs(trials, part)?.value)).collect()
    };
    let frame = frame!(
        "d" => [ROOM, INPUTS].map(|d| [d; 4]).concat(),
        "b" => [SIZES, SIZES].concat(),
        "printed, counts" => column(|t| t.printed[0])?,
        "printed, b p(x)" => column(|t| t.printed[1])?,
        "changed, counts" => column(|t| t.changed[0])?,
        "changed, b p(x)" => column(|t| t.changed[1])?,
        "error of descent" => column(|t| t.errors[0])?,
        "error, printed, counts" => column(|t| t.errors[1])?,
    )?;
    Ok(Table::new(frame)
        .title("Relative distance of the coefficients, and errors, by batch size")
        .caption("T = 50,000 samples, γ = 1, unit inputs. Changed: M − 1 and M/(M − 1) for M and 1. Means over half of the runs.")
        .digits(2))
}
