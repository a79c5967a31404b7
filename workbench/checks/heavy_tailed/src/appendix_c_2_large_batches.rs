//! Appendix C.2, Adam, the display: weights that large batches store.
//!
//! **Claim** (`heavy-tailed/adam-large-batch`). The update of a large batch is approximated by
//! gamma^{-1} (W_{t+1} - W_{t-1}) = sum_{x in B} (1 - p_W(f_*(x)|x)) u_{f_*(x)} e_x^T ~ sum_x |B| (1 - p_W(f_*(x)|x)) p(x) u_{f_*(x)} e_x^T,
//! and these updates would lead to a model that resembles q = p^rho with rho ~ 1.
//!
//! The index t-1 spans two steps; Eq. 44 has t. That the first sign leaves out what Eq. 10 does is charged with
//! `heavy-tailed/epsilon-norm`. The second sign is the law of large numbers, whose error is known exactly: its mean square is the variance of one term over |B|.
//! The exponent rho is fitted to the coefficients of the twenty most frequent inputs, early and late, for batches summed as in Eq. 44 and
//! averaged as libraries do, with inputs on the sphere as in C.1 and with those of Eq. 1. Updates are many, and lead to a model: so rho is
//! asked after a hundred and a thousand of them at the rate one of Figure 13, and as a condition of what is not saturated yet, at small
//! rates. After one step from W = 0 rho is the exponent of the counts, which no model enters. Refuted by counts that are not whole, an error
//! that falls at another power, or a rho far from one.

use ndarray::Array2;
use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, Stream, mean, power_fit};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{
    BatchSize, Embeddings, ErrorCurve, Gradient, Method, Parametrization, Reduction, Target, TrainingRun,
    TrainingStudy, TrainingTask, Zipf,
};

use super::population_gradient::size;
use super::powers_of_width::POWER;
use crate::vocabulary::largest_of;

const ONE_STEP: Margin =
    Margin::statistical("one step, not two", 0.1, "two steps of nearly equal length give two, one gives one");
const COUNT: Margin =
    Margin::rounding("whole count", 1e-6, "counts of up to a thousand in double precision, with six digits to spare");
const PROPORTIONAL: Margin = Margin::statistical(
    "proportional to p",
    0.1,
    "twenty fits leave a third of this; a tenth of the exponent that tells p from equal weights",
);

/// Batches of several sizes, and descents with |B| = 1000.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/adam-large-batch",
    metric: "norm of a sampled update over that of the displayed sum; power of |B| in their distance; exponent rho of the stored weights",
    against: "a sum that is not one step; an error that falls otherwise; a rho far from one",
    protocol: &["setting of Figure 13: N = 100, M = 5, alpha = 2, |B| = 1000, rates 1 and 10"],
    choices: &[
        "W = 0 at the start; batches are summed as in Eq. 44 and averaged; inputs have norm one as in C.1, and norm sqrt(d) as in Eq. 1",
        "rho after 1, 10, 100 and 1000 steps",
    ],
    departures: &[
        "d = 400 and not 100, so that the stored weights, and not interference, decide rho",
        "sums with inputs of norm sqrt(d) are left out: a score moves by 1e5 in the first step, and the weights are no power of p",
    ],
    run,
    ..Check::DEFAULT
};

const INPUTS: usize = 100;
const BATCH: usize = 1000;
/// Sizes of the batches whose sum is compared with its expectation.
const SIZES: [usize; 4] = [10, 100, 1000, 10_000];
/// Dimension of the descents.
const DIM: usize = 400;
/// Steps at which rho is fitted.
const RECORDS: [usize; 4] = [1, 10, 100, 1000];

fn run(s: &Sheet) -> Done {
    s.see("heavy-tailed/epsilon-norm");
    s.condition("ρ ≈ 1 while no input is saturated, with the batch mean while γ times steps is at most one, as in the one step of Table 1; and the difference is W_{t+1} − W_t, as in Eq. 44");
    one_step(s)?;
    proportions(s)?;
    s.note("the sum runs over the inputs [N], printed as the natural numbers");
    Ok(())
}

/// The displayed sum against one step, against two, and against its expectation.
fn one_step(s: &Sheet) -> Done {
    let (law, target) = setting_of_figure_13()?;
    let (mut relative, mut from_uniform) = (Vec::new(), Vec::new());
    let (mut excess, mut two_steps, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for i in s.cases("runs", 40, 100)? {
        let mut stream = s.streams().replicate("large batches", i)?;
        let embeddings = Embeddings::spherical(INPUTS, 5, 100, &mut stream)?;
        let task = TrainingTask::new(embeddings, &target.labels(INPUTS), &law.probabilities(INPUTS))?;
        let start = |batch: usize| -> Result<TrainingRun, Failure> {
            let mut run = TrainingRun::new(&task, &leading(batch)?)?;
            for _ in 0..3 {
                run.population_step()?;
            }
            Ok(run)
        };
        let mut expected = start(BATCH)?;
        let (origin, gaps) = (coefficients(&expected), missing(&expected));
        expected.population_step()?;
        let expected = coefficients(&expected) - &origin;
        // With 1/N in the place of p(x).
        let of_pair = |(x, y)| if task.labels()[x] == y { gaps[x] / INPUTS as f64 } else { 0.0 };
        let uniform = Array2::from_shape_fn(expected.dim(), of_pair);
        let first = relative.len();
        for size in SIZES {
            let mut run = start(size)?;
            run.advance(1, &mut stream)?;
            let sum = coefficients(&run) - &origin;
            let off = |from: &Array2<f64>| frobenius(&task, &(&sum - from)) / frobenius(&task, from);
            relative.push(off(&expected));
            from_uniform.push(off(&uniform));
        }
        // One term is (1 - p_W) u e^T with unit u and e.
        let square: f64 = expected.outer_iter().zip(task.probabilities()).map(|(row, p)| row.sum().powi(2) / p).sum();
        let variance = square / frobenius(&task, &expected).powi(2) - 1.0;
        excess.push(relative[first].powi(2) * SIZES[0] as f64 / variance);
        two_steps.push(over_second(s, &task, start(BATCH)?, &mut stream)?);
        let data = s.streams().replicate("large batches, exact step", i)?;
        parts.push(left_out(&task, start(BATCH)?.weights(), &data)?);
    }
    let label = "norm of W_{t+1} − W_{t−1} over that of the displayed sum";
    s.printed(ONE_STEP).of("runs").equals(label, 1.0, mean(&two_steps)?);
    let label = "one exact step against the displayed sum, relative, M = 5";
    s.aside(Margin::ZERO).of("runs").excludes(label, 0.0, mean(&parts)?);
    let mut boot = s.stream("bootstrap, large batches")?;
    let mut slope = |off: Vec<f64>| -> Result<Estimate, Failure> {
        let runs = Array2::from_shape_vec((off.len() / 4, 4), off)?;
        Ok(ErrorCurve::new(SIZES.map(|b| b as f64).to_vec(), runs)?.slope(&mut boot)?)
    };
    let label = "power of |B| in the relative error of the sum";
    s.both_forms(POWER).of("runs").equals(label, -0.5, slope(relative)?);
    let label = "1/N in place of p(x): power of |B| in the relative error";
    s.twin(POWER).of("runs").equals(label, -0.5, slope(from_uniform)?);
    let label = "its mean square times |B| over the variance of one term, least |B|";
    s.both_forms(Margin::ZERO).of("runs").near(label, 1.0, mean(&excess)?);
    Ok(())
}

/// Two sampled steps, each beside its displayed sum: norm of both over that of the second.
fn over_second(s: &Sheet, task: &TrainingTask, mut run: TrainingRun, stream: &mut Stream) -> Result<f64, Failure> {
    let (origin, mut second) = (coefficients(&run), 0.0);
    for _ in 0..2 {
        let (old, early) = (coefficients(&run), missing(&run));
        run.advance(1, stream)?;
        let (step, late) = (coefficients(&run) - &old, missing(&run));
        for (x, &y) in task.labels().iter().enumerate() {
            let distance = |gap: f64| {
                let count = step[[x, y]] / gap * BATCH as f64;
                (count - count.round()).abs()
            };
            let label = "one step: distance of (q_{t+1} − q_t)|B|/(1 − p_W) from a count";
            s.changed(COUNT).same(label, distance(early[x]));
            let label = "(1 − p_W) taken after the step: distance from a count";
            s.twin(COUNT).largest().same(label, distance(late[x]));
        }
        second = frobenius(task, &step);
    }
    Ok(frobenius(task, &(coefficients(&run) - &origin)) / second)
}

/// Exponents of what descents from W = 0 store with batches of a thousand.
fn proportions(s: &Sheet) -> Done {
    use Reduction::{Mean, Sum};
    let unit = [(0.01, Mean), (1.0, Mean), (10.0, Mean), (1.0, Sum), (1e-5, Sum)];
    let mut rho = exponents(s, Parametrization::Unit, "exponents of large batches", &unit)?;
    rho.extend(exponents(s, Parametrization::Model, "exponents of large batches, Eq. 1", &[(1.0, Mean)])?);
    let [printed, slow, known, aside] =
        [s.printed(PROPORTIONAL), s.changed(PROPORTIONAL), s.support(PROPORTIONAL), s.aside(PROPORTIONAL)]
            .map(|says| says.of("runs"));
    printed.equals("ρ after 100 steps, γ = 1, batch mean", 1.0, rho[1][2]);
    printed.equals("ρ after 1000 steps, γ = 1, batch mean, |e| = 1", 1.0, rho[1][3]);
    known.equals("ρ after one step, γ = 1, batch mean: the exponent of the counts", 1.0, rho[1][0]);
    slow.equals("ρ after 100 steps, γ = 0.01, batch mean", 1.0, rho[0][2]);
    slow.equals("ρ after 100 steps, γ = 0.00001, batch sum", 1.0, rho[4][2]);
    aside.equals("ρ after 1000 steps, γ = 1, batch sum, |e| = 1", 1.0, rho[3][3]);
    aside.equals("ρ after 1000 steps, γ = 1, batch mean, |e| = √d", 1.0, rho[5][3]);
    let (a, b) = (rho[2][3], rho[1][3]);
    let later = Estimate::new(a.value - b.value, a.low - b.high, a.high - b.low, a.n, a.confidence)?;
    let label = "difference of ρ after 1000 steps: γ = 10 minus γ = 1, batch mean";
    s.aside(Margin::ZERO).of("runs").at_most(label, later);

    let mut names: Vec<String> = unit.iter().map(|of| format!("{}, |e| = 1", called(of))).collect();
    names.push("γ = 1, batch mean, |e| = √d".to_string());
    let mut list = vec![("descent", names.into())];
    for (k, name) in ["1 step", "10 steps", "100 steps", "1000 steps"].into_iter().enumerate() {
        list.push((name, rho.iter().map(|records| records[k].value).collect::<Vec<f64>>().into()));
    }
    let table = Table::new(columns(list)?)
        .title("Exponent ρ of the stored weights, |B| = 1000")
        .caption("Twenty most frequent inputs. ρ = 1 is proportional to p, ρ = 0 is equal weights.")
        .digits(3);
    s.table(table);
    Ok(())
}

fn called((rate, reduction): &(f64, Reduction)) -> String {
    format!("γ = {rate}, batch {}", if *reduction == Reduction::Sum { "sum" } else { "mean" })
}

/// Exponents of descents, `[method][record]`.
fn exponents(
    setting: &Setting,
    inputs: Parametrization,
    name: &str,
    methods: &[(f64, Reduction)],
) -> Result<Vec<Vec<Estimate>>, Failure> {
    let (law, target) = setting_of_figure_13()?;
    let method = |of: &(f64, Reduction)| -> Result<Method, Failure> {
        let method = Method::sgd(of.0)?.batch(BatchSize::Samples(BATCH)).reduction(of.1);
        Ok(method.steps(RECORDS[3]).record(RECORDS.to_vec()).label(&called(of)))
    };
    let runs = setting.scale().pick(20, 40);
    let found = TrainingStudy::new(law.clone(), target)
        .methods(methods.iter().map(method).collect::<Result<_, _>>()?)
        .dims(vec![DIM])
        .runs(runs)
        .parametrization(inputs)
        .keep_tables()
        .run(setting.streams(), name)?;
    let p = law.probabilities(INPUTS);
    let fitted = |method: &str, i: usize, record: usize| -> Result<f64, Failure> {
        let c = found.coefficients(method, DIM, i, record)?;
        let stored = (0..20).map(|x| (p[x], c[[x, (x + 1) % 5]])).filter(|(_, q)| *q > 0.0);
        let (x, y): (Vec<f64>, Vec<f64>) = stored.unzip();
        Ok(power_fit(&x, &y, (1e-9, 1.0))?.slope.value)
    };
    let over_runs = |method: &str, record: usize| -> Result<Estimate, Failure> {
        Ok(mean(&(0..runs).map(|i| fitted(method, i, record)).collect::<Result<Vec<f64>, _>>()?)?)
    };
    let of_method = |of| (0..RECORDS.len()).map(|record| over_runs(&called(of), record)).collect();
    methods.iter().map(of_method).collect()
}

fn setting_of_figure_13() -> Result<(Zipf, Target), Failure> {
    Ok((Zipf::new(2.0, INPUTS)?, Target::modulo(5)?))
}

fn leading(batch: usize) -> Result<Method, Failure> {
    Ok(Method::sgd(1.0)?.gradient(Gradient::Leading).reduction(Reduction::Mean).batch(BatchSize::Samples(batch)))
}

/// Norm of one exact step minus the displayed sum over the same batch, over that of the exact step.
fn left_out(task: &TrainingTask, w: Array2<f64>, data: &Stream) -> Result<f64, Failure> {
    let task = task.starting_at(w.clone())?;
    let step = |method: Method| -> Result<Array2<f64>, Failure> {
        let mut run = TrainingRun::new(&task, &method)?;
        run.advance(1, &mut data.clone())?;
        Ok(run.weights() - &w)
    };
    let (exact, shown) = (step(leading(BATCH)?.gradient(Gradient::Exact))?, step(leading(BATCH)?)?);
    Ok(size(&(&exact - &shown)) / size(&exact))
}

/// Coefficients of the leading update; the method always has them.
fn coefficients(run: &TrainingRun) -> Array2<f64> {
    run.coefficients().unwrap_or_default()
}

fn frobenius(task: &TrainingTask, c: &Array2<f64>) -> f64 {
    let s = c.t().dot(&task.embeddings().inputs);
    // Rounding may leave a square below zero.
    largest_of([(task.gram().dot(&s) * &s).sum(), 0.0]).sqrt()
}

/// 1 - p_W(f_*(x) | x).
fn missing(run: &TrainingRun) -> Vec<f64> {
    let scores = run.scores();
    let labels = run.task().labels().iter().enumerate();
    labels
        .map(|(x, y)| {
            let row = scores.row(x);
            1.0 - row[*y].exp() / row.iter().map(|s| s.exp()).sum::<f64>()
        })
        .collect()
}
