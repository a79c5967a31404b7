//! Section 3, Effect of key hyperparameters: small batches.
//!
//! **Claim** (`heavy-tailed/small-batches`). In a batch an input counts in proportion to its frequency p(x); taken by itself, a new input is
//! stored as if q_gamma(x) = 1 (Figure 4). Hence small batches should do better.
//!
//! The same thousand samples at rate 10 from W = 0, one by one and as one batch. The coefficient q(x) of u_{f_*(x)} e_x^T in W is read off.
//! For one batch it is gamma (1 - 1/M) times the count, exactly, with counts taken from the data and not from the memory. Weights that are not even one by one, a batch that does not count, or a
//! lower error of the batch count against it.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean, power_fit};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{BatchSize, Embeddings, Method, Parametrization, TrainingRuns, TrainingStudy, TrainingTask};

use super::appendix_c_2::EVEN;
use super::section_3_gradient::counts;
use super::section_3_hyperparameters::{INPUTS, SAMPLES, figure_5, lower};
use super::section_3_visits::UNIT_INPUTS;
use crate::vocabulary::{Largest, by_scale};

const WHOLE: Margin =
    Margin::new("whole count", 1e-9, "counts of up to a thousand in double precision, with four digits to spare");
const AS_ONE: Margin = Margin::new(
    "stored as one",
    0.5,
    "the most frequent input comes 600 times as often; within half of one is as if each had been set once",
);

/// One thousand samples, one by one and at once.
#[derive(Clone, Debug)]
pub struct SmallBatches {
    /// The large step size.
    pub rate: f64,
    /// Dimensions, ascending; coefficients are read in the last.
    pub dims: Vec<usize>,
    /// Runs; by scale if 0.
    pub runs: usize,
}

impl Default for SmallBatches {
    fn default() -> SmallBatches {
        SmallBatches { rate: 10.0, dims: vec![10, 50, 1000], runs: 0 }
    }
}

/// Name of the streams.
const STREAMS: &str = "small batches";
/// The methods; the last one is a wrong twin.
const ONE_BY_ONE: &str = "one by one";
const AT_ONCE: &str = "at once";
const TINY_STEPS: &str = "one by one, tiny steps";

/// What the coefficients of all runs say.
#[derive(Default)]
struct Read {
    /// Exponent of the coefficients in the counts, run by run: one by one, at once, with tiny steps.
    rho: [Vec<f64>; 3],
    /// Coefficient of inputs seen once over that of the first input, one by one.
    once: Vec<f64>,
    /// Distance of q / (gamma (1 - 1/M)) from the count of the input, from that of the next input, and of q / gamma from the count.
    counted: Largest,
    next: Largest,
    without_factor: Largest,
}

impl SmallBatches {
    fn descents(&self, setting: &Setting) -> Result<TrainingRuns, Failure> {
        let (law, target) = figure_5()?;
        let one_by_one =
            |rate: f64, label: &str| -> Result<Method, Failure> { Ok(Method::sgd(rate)?.steps(SAMPLES).label(label)) };
        let at_once = Method::sgd(self.rate)?.batch(BatchSize::Samples(SAMPLES)).steps(1);
        Ok(TrainingStudy::new(law, target)
            .methods(vec![
                one_by_one(self.rate, ONE_BY_ONE)?,
                at_once.label(AT_ONCE),
                one_by_one(self.rate / 1e4, TINY_STEPS)?,
            ])
            .dims(self.dims.clone())
            .runs(by_scale(self.runs, setting.scale().pick(100, 200)))
            .parametrization(Parametrization::Unit)
            .keep_tables()
            .run(setting.streams(), STREAMS)?)
    }

    /// Coefficients of the right pairs in the last dimension.
    fn coefficients(&self, descents: &TrainingRuns, method: &str, run: usize) -> Result<Vec<f64>, Failure> {
        let last = self.dims.last().copied().unwrap_or_default();
        let c = descents.coefficients(method, last, run, 0)?;
        Ok((0..INPUTS).map(|x| c[[x, (x + 1) % 5]]).collect())
    }

    /// How often each input occurs in the data of each run.
    fn counts(setting: &Setting, runs: usize) -> Result<Vec<Vec<f64>>, Failure> {
        let (law, target) = figure_5()?;
        let any = Embeddings::draw(INPUTS, 5, 2, &mut setting.stream("small batches, any embeddings")?)?;
        let task = TrainingTask::new(any, &target.labels(INPUTS), &law.probabilities(INPUTS))?;
        let of = |run: usize| {
            let data = setting.streams().restart_replicate(&format!("{STREAMS}: data"), run)?;
            Ok(counts(&task, SAMPLES, &data))
        };
        (0..runs).map(of).collect()
    }

    fn read(&self, setting: &Setting, descents: &TrainingRuns) -> Result<Read, Failure> {
        let mut read = Read::default();
        let unit = self.rate * 0.8; // gamma (1 - 1/M)
        let of_data = SmallBatches::counts(setting, descents.n_runs())?;
        for (run, counts) in of_data.iter().enumerate() {
            let batch = self.coefficients(descents, AT_ONCE, run)?;
            for (x, q) in batch.iter().enumerate() {
                read.counted.see((q / unit - counts[x]).abs());
                read.next.see((q / unit - counts[(x + 1) % INPUTS]).abs());
                read.without_factor.see((q / self.rate - counts[x]).abs());
            }
            for (rho, method) in read.rho.iter_mut().zip([ONE_BY_ONE, AT_ONCE, TINY_STEPS]) {
                let q = self.coefficients(descents, method, run)?;
                let seen = counts.iter().zip(&q).filter(|(n, _)| **n > 0.5);
                let (n, q): (Vec<f64>, Vec<f64>) = seen.unzip();
                rho.push(power_fit(&n, &q, (0.5, 2000.0))?.slope.value);
            }
            let single = self.coefficients(descents, ONE_BY_ONE, run)?;
            let once: Vec<f64> = (0..INPUTS).filter(|x| counts[*x] == 1.0).map(|x| single[x]).collect();
            if !once.is_empty() {
                read.once.push(once.iter().sum::<f64>() / once.len() as f64 / single[0]);
            }
        }
        Ok(read)
    }

    fn figure(&self, descents: &TrainingRuns) -> Result<Figure, Failure> {
        let batch = self.coefficients(descents, AT_ONCE, 0)?;
        let single = self.coefficients(descents, ONE_BY_ONE, 0)?;
        let seen: Vec<usize> = (0..INPUTS).filter(|x| batch[*x] > 0.5).collect();
        let of = |q: &[f64]| seen.iter().map(|x| q[*x]).collect::<Vec<f64>>();
        let ranks: Vec<f64> = seen.iter().map(|x| *x as f64 + 1.0).collect();
        let panel = Panel::new("")
            .x_label("rank x of the input")
            .y_label("coefficient q(x)")
            .log_x()
            .log_y()
            .points("one by one", &ranks, &of(&single))
            .points("one batch", &ranks, &of(&batch))
            .legend_below();
        Ok(Figure::new("One by one all inputs weigh alike, in one batch as often as they come")
            .panel(panel)
            .caption("Inputs seen in the first run, d = 10N, γ = 10. In one batch the coefficient is the count; one by one all inputs that were seen have about the same."))
    }
}

impl TypedCheck for SmallBatches {
    const CLAIM: &'static str = "heavy-tailed/small-batches";
    const PLAN: Plan = Plan::new(
        "exponent of the coefficients q(x) in the counts of x, for d = 10N; error one by one minus error of one batch",
        "an exponent far from zero one by one or from one in a batch; a lower error of the batch",
        &[EVEN, WHOLE, AS_ONE],
    )
    .protocol(&["N = 100, M = 5, alpha = 2, rate 10, W = 0 at the start, as Figure 4 has it; a thousand samples"])
    .departures(&[UNIT_INPUTS]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let descents = self.descents(setting)?;
        let read = self.read(setting, &descents)?;
        let even = |label: &str, rho: &[f64]| -> Result<Finding, Failure> {
            Ok(Finding::equals(label, 0.0, EVEN, mean(rho)?).unit("runs"))
        };
        let whole = |label: &str, gap: Largest| {
            Finding::identity(label, gap.0, WHOLE).cases(INPUTS * descents.n_runs()).unit("coefficients")
        };
        let better = |label: &str, place: usize| -> Result<Finding, Failure> {
            let gap = descents.difference(ONE_BY_ONE, AT_ONCE, self.dims[place])?;
            Ok(lower(label, gap))
        };
        let once: Estimate = mean(&read.once)?;
        let [one_by_one, at_once, tiny_steps] = &read.rho;
        let evidence = Evidence::of(even("one by one: exponent of the coefficients in the counts", one_by_one)?)
            .and(
                Finding::equals("one batch: exponent of the coefficients in the counts", 1.0, WHOLE, mean(at_once)?)
                    .unit("runs"),
            )
            .and(
                Finding::equals("one by one: inputs seen once over the most frequent input", 1.0, AS_ONE, once)
                    .unit("runs"),
            )
            .and(better("d = N/10: error one by one minus one batch", 0)?)
            .and(better("d = N/2: error one by one minus one batch", 1)?)
            .and(better("d = 10N: error one by one minus one batch", 2)?)
            .and(whole("one batch: distance of q/(γ(1 − 1/M)) from the count", read.counted))
            .twin(even("steps of a ten-thousandth, one by one: exponent in the counts", tiny_steps)?)
            .twin(whole("one batch: distance from the count of the next input", read.next))
            .twin(whole("without the factor 1 − 1/M: distance of q/γ from a count", read.without_factor));
        Ok(Checked::from(evidence).figure(self.figure(&descents)?))
    }
}
