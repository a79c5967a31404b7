//! Appendix C.2, Adam, the display: what large batches store.
//!
//! **Claim** (`heavy-tailed/adam-large-batch`). The update of a large batch is approximated by
//! gamma^{-1} (W_{t+1} - W_{t-1}) = sum_{x in B} (1 - p_W(f_*(x)|x)) u_{f_*(x)} e_x^T ~ sum_x |B| (1 - p_W(f_*(x)|x)) p(x) u_{f_*(x)} e_x^T,
//! and these updates would lead to a model that resembles q = p^rho with rho ~ 1.
//!
//! The index t-1 spans two steps; Eq. 44 has t. The second sign is the law of large numbers, whose error is known exactly: its mean square
//! is the variance of one term over |B|. The exponent rho is fitted to the coefficients of the twenty most frequent inputs, early and
//! late, for batches summed as in Eq. 44 and averaged as libraries do, with inputs on the sphere as in B.5 and with those of Eq. 1. Counts
//! that are not whole, an error that falls at another power, or a rho far from one under all readings count against it.

use ndarray::Array2;
use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, Stream, mean, power_fit};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    BatchSize, Embeddings, ErrorCurve, Gradient, Method, Parametrization, Reduction, Target, TrainingRun,
    TrainingStudy, TrainingTask, Zipf,
};

use super::appendix_c_1::{POWER, at_power};
use super::section_3_gradient::{TENTH, size};
use crate::vocabulary::{Largest, by_scale, largest_of};

const ONE_STEP: Margin =
    Margin::new("one step, not two", 0.1, "two steps of nearly equal length give two, one gives one");
const COUNT: Margin =
    Margin::new("whole count", 1e-6, "counts of up to a thousand in double precision, with six digits to spare");
const PART: Margin = Margin::new(
    "part left out",
    0.2,
    "the root of M is the value at equal wrong classes; a part that grows with M, or is of order one tenth, is far outside",
);
const PROPORTIONAL: Margin = Margin::new(
    "proportional to p",
    0.1,
    "the twenty inputs differ by 400 in p, so an exponent off by 0.1 bends proportions by less than two",
);

/// Batches of several sizes, and descents with |B| = 1000.
#[derive(Clone, Debug)]
pub struct LargeBatches {
    /// Sizes of the batches whose sum is compared with its expectation.
    pub sizes: [usize; 4],
    /// Runs of that comparison; by scale if 0.
    pub batches: usize,
    /// Runs of each descent; by scale if 0.
    pub descents: usize,
    /// Dimension of the descents.
    pub dim: usize,
}

impl Default for LargeBatches {
    fn default() -> LargeBatches {
        LargeBatches { sizes: [10, 100, 1000, 10_000], batches: 0, descents: 0, dim: 400 }
    }
}

const INPUTS: usize = 100;
const BATCH: usize = 1000;
/// Steps at which rho is fitted.
const RECORDS: [usize; 4] = [1, 10, 100, 1000];

fn setting_of_figure_13() -> Result<(Zipf, Target), Failure> {
    Ok((Zipf::new(2.0, INPUTS)?, Target::modulo(5)?))
}

fn leading(batch: usize) -> Result<Method, Failure> {
    Ok(Method::sgd(1.0)?.gradient(Gradient::Leading).reduction(Reduction::Mean).batch(BatchSize::Samples(batch)))
}

#[derive(Default)]
struct Sums {
    /// Relative error of the sampled sum, `[run][size]`.
    relative: Vec<[f64; 4]>,
    /// The same with 1/N in place of p(x) in the expected sum.
    uniform: Vec<[f64; 4]>,
    /// Its square times |B| over the variance of one term, for the smallest batch.
    excess: Vec<f64>,
    /// Norm of two steps over that of the second sum.
    two_steps: Vec<f64>,
    /// Norm of an exact step minus the displayed sum on the same batch, over that of the exact step.
    left_out: Vec<f64>,
    /// Largest distance of (q_{t+1} - q_t) |B| / (1 - p_W) from a whole number; p_W before the step, and after it.
    before: Largest,
    after: Largest,
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

impl LargeBatches {
    fn sums(&self, setting: &Setting) -> Result<Sums, Failure> {
        let (law, target) = setting_of_figure_13()?;
        let mut sums = Sums::default();
        for i in 0..by_scale(self.batches, setting.scale().pick(40, 100)) {
            let mut stream = setting.streams().replicate("large batches", i)?;
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
            let origin = coefficients(&expected);
            expected.population_step()?;
            let expected = coefficients(&expected) - &origin;
            let uniform = {
                let gaps = missing(&start(BATCH)?);
                let labels = task.labels();
                let entry = |(x, y): (usize, usize)| if labels[x] == y { gaps[x] / INPUTS as f64 } else { 0.0 };
                Array2::from_shape_fn(expected.dim(), entry)
            };
            let (mut relative, mut from_uniform) = ([0.0; 4], [0.0; 4]);
            for (k, &size) in self.sizes.iter().enumerate() {
                let mut run = start(size)?;
                run.advance(1, &mut stream)?;
                let sum = coefficients(&run) - &origin;
                relative[k] = frobenius(&task, &(&sum - &expected)) / frobenius(&task, &expected);
                from_uniform[k] = frobenius(&task, &(&sum - &uniform)) / frobenius(&task, &uniform);
            }
            // One term is (1 - p_W) u e^T with unit u and e.
            let p = task.probabilities();
            let square: f64 = expected.outer_iter().zip(p).map(|(row, p)| row.sum().powi(2) / p).sum();
            let variance = square / frobenius(&task, &expected).powi(2) - 1.0;
            sums.excess.push(relative[0].powi(2) * self.sizes[0] as f64 / variance);
            sums.relative.push(relative);
            sums.uniform.push(from_uniform);
            sums.two(&task, start(BATCH)?, &mut stream)?;
            let data = setting.streams().replicate("large batches, exact step", i)?;
            sums.left_out.push(left_out(&task, start(BATCH)?.weights(), &data)?);
        }
        Ok(sums)
    }

    fn curve(&self, table: &[[f64; 4]]) -> Result<ErrorCurve, Failure> {
        let runs = Array2::from_shape_fn((table.len(), 4), |(i, j)| table[i][j]);
        Ok(ErrorCurve::new(self.sizes.map(|b| b as f64).to_vec(), runs)?)
    }

    /// Exponents of descents from W = 0 with batches of a thousand, `[method][record]`.
    fn exponents(
        &self,
        setting: &Setting,
        inputs: Parametrization,
        name: &str,
        methods: &[(f64, Reduction)],
    ) -> Result<Vec<Vec<Estimate>>, Failure> {
        let (law, target) = setting_of_figure_13()?;
        let called = |(rate, reduction): &(f64, Reduction)| format!("γ = {rate}, {reduction:?}");
        let method = |of: &(f64, Reduction)| -> Result<Method, Failure> {
            let method = Method::sgd(of.0)?.batch(BatchSize::Samples(BATCH)).reduction(of.1);
            Ok(method.steps(RECORDS[3]).record(RECORDS.to_vec()).label(&called(of)))
        };
        let runs = by_scale(self.descents, setting.scale().pick(20, 40));
        let found = TrainingStudy::new(law.clone(), target)
            .methods(methods.iter().map(method).collect::<Result<_, _>>()?)
            .dims(vec![self.dim])
            .runs(runs)
            .parametrization(inputs)
            .keep_tables()
            .run(setting.streams(), name)?;
        let p = law.probabilities(INPUTS);
        let fitted = |method: &str, i: usize, record: usize| -> Result<f64, Failure> {
            let c = found.coefficients(method, self.dim, i, record)?;
            let stored = (0..20).map(|x| (p[x], c[[x, (x + 1) % 5]])).filter(|(_, q)| *q > 0.0);
            let (x, y): (Vec<f64>, Vec<f64>) = stored.unzip();
            Ok(power_fit(&x, &y, (1e-9, 1.0))?.slope.value)
        };
        let over_runs = |method: &str, record: usize| -> Result<Estimate, Failure> {
            let values = (0..runs).map(|i| fitted(method, i, record)).collect::<Result<Vec<f64>, _>>()?;
            Ok(mean(&values)?)
        };
        let of_method = |method| {
            let method = called(method);
            (0..RECORDS.len()).map(|record| over_runs(&method, record)).collect()
        };
        methods.iter().map(of_method).collect()
    }
}

impl Sums {
    /// Two sampled steps, each beside its displayed sum.
    fn two(&mut self, task: &TrainingTask, mut run: TrainingRun, stream: &mut Stream) -> Result<(), Failure> {
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
                self.before.see(distance(early[x]));
                self.after.see(distance(late[x]));
            }
            second = frobenius(task, &step);
        }
        self.two_steps.push(frobenius(task, &(coefficients(&run) - &origin)) / second);
        Ok(())
    }
}

/// The readings of the sentence on rho: name, and rho at each record.
type Readings = Vec<(&'static str, Vec<Estimate>)>;

fn table(readings: &Readings) -> Result<Table, Failure> {
    let mut list = vec![("descent", readings.iter().map(|r| r.0.to_string()).collect::<Vec<_>>().into())];
    for (k, name) in ["1 step", "10 steps", "100 steps", "1000 steps"].into_iter().enumerate() {
        list.push((name, readings.iter().map(|r| r.1[k].value).collect::<Vec<f64>>().into()));
    }
    Ok(Table::new(columns(list)?)
        .title("Exponent ρ of the stored weights, |B| = 1000")
        .caption("Twenty most frequent inputs. ρ = 1 is proportional to p, ρ = 0 is equal weights.")
        .digits(3))
}

impl TypedCheck for LargeBatches {
    const CLAIM: &'static str = "heavy-tailed/adam-large-batch";
    const PLAN: Plan = Plan::new(
        "norm of a sampled update over that of the displayed sum; power of |B| in their distance; exponent rho of the stored weights",
        "a sum that is not one step; an error that falls otherwise; a rho far from one under every reading of the batch",
        &[POWER, ONE_STEP, COUNT, PROPORTIONAL, TENTH, PART],
    )
    .protocol(&["setting of Figure 13: N = 100, M = 5, alpha = 2, |B| = 1000, rates 1 and 10; W = 0 at the start"])
    .departures(&[
        "d = 400 and not 100, so that the stored weights, and not interference, decide rho",
        "batches are summed as in Eq. 44 and averaged; inputs have norm one as in B.5, and norm sqrt(d) as in Eq. 1",
        "sums with inputs of norm sqrt(d) are left out: a score moves by 1e5 in the first step, and the weights are no power of p",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        use Reduction::{Mean, Sum};
        let sums = self.sums(setting)?;
        let mut boot = setting.stream("bootstrap, large batches")?;
        let unit = [(0.01, Mean), (1.0, Mean), (10.0, Mean), (1.0, Sum), (1e-5, Sum)];
        let unit = self.exponents(setting, Parametrization::Unit, "exponents of large batches", &unit)?;
        let long = [(1.0, Mean)];
        let long = self.exponents(setting, Parametrization::Model, "exponents of large batches, Eq. 1", &long)?;
        let names = [
            "γ = 0.01, batch mean, |e| = 1",
            "γ = 1, batch mean, |e| = 1",
            "γ = 10, batch mean, |e| = 1",
            "γ = 1, batch sum, |e| = 1",
            "γ = 0.00001, batch sum, |e| = 1",
            "γ = 1, batch mean, |e| = √d",
        ];
        let rho: Readings = names.into_iter().zip(unit.into_iter().chain(long)).collect();
        let proportional = |label: &str, measured| Finding::equals(label, 1.0, PROPORTIONAL, measured).unit("runs");
        let slope = self.curve(&sums.relative)?.slope(&mut boot)?;
        let wrong = self.curve(&sums.uniform)?.slope(&mut boot)?;
        let two = mean(&sums.two_steps)?;
        let left_out = mean(&sums.left_out)?;
        let count = |label: &str, gap: Largest| Finding::identity(label, gap.0, COUNT);
        let evidence = Evidence::of(
            Finding::equals("norm of W_{t+1} − W_{t−1} over that of the displayed sum", 1.0, ONE_STEP, two).unit("runs"),
        )
        .and(proportional("ρ after 1000 steps, γ = 1, batch mean, |e| = 1", rho[1].1[3]))
        .and(proportional("ρ after 1000 steps, γ = 1, batch sum, |e| = 1", rho[3].1[3]))
        .and(proportional("ρ after 1000 steps, γ = 1, batch mean, |e| = √d", rho[5].1[3]))
        .and(Finding::at_most("one exact step against the displayed sum, relative, M = 5", TENTH, left_out).unit("runs"))
        .condition(
            "the difference is W_{t+1} − W_t, as in Eq. 44; the first sign leaves out about M^(−1/2) of a step, as Eq. 10 does; and ρ ≈ 1 as long as no input is saturated, for |e| = 1: after one step, or for γ times steps of at most one with the batch mean, and γ|B| times steps with its sum",
            vec![
                count("one step: distance of (q_{t+1} − q_t)|B|/(1 − p_W) from a count", sums.before),
                at_power("power of |B| in the relative error of the sum", -0.5, slope).unit("runs"),
                Finding::near(
                    "its mean square times |B| over the variance of one term, least |B|",
                    1.0,
                    0.0,
                    mean(&sums.excess)?,
                )
                .unit("runs"),
                proportional("ρ after one step, γ = 1, batch mean", rho[1].1[0]),
                proportional("ρ after 100 steps, γ = 0.01, batch mean", rho[0].1[2]),
                proportional("ρ after 100 steps, γ = 0.00001, batch sum", rho[4].1[2]),
                Finding::equals(
                    "one exact step against the displayed sum, relative, times √M",
                    1.0,
                    PART,
                    left_out.affine(5f64.sqrt(), 0.0)?,
                )
                .unit("runs"),
                Finding::at_most(
                    "difference of ρ after 1000 steps: γ = 10 minus γ = 1, batch mean",
                    0.0,
                    Estimate::new(
                        rho[2].1[3].value - rho[1].1[3].value,
                        rho[2].1[3].low - rho[1].1[3].high,
                        rho[2].1[3].high - rho[1].1[3].low,
                        rho[2].1[3].n,
                        rho[2].1[3].confidence,
                    )?,
                )
                .unit("runs"),
            ],
        )
        .twin(count("(1 − p_W) taken after the step: distance from a count", sums.after))
        .twin(at_power("1/N in place of p(x): power of |B| in the relative error", -0.5, wrong).unit("runs"))
        .note("the sum runs over the inputs [N], printed as the natural numbers");
        Ok(Checked::from(evidence).table(table(&rho)?))
    }
}
