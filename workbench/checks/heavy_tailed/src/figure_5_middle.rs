//! Figure 5, middle: the effect of the batch size.
//!
//! **Claim** (`heavy-tailed/fig-5-middle`). Splitting the descent into many steps with small batches and large steps is better, even for
//! d < N; gamma is scaled so that the variance of the gradient updates does not depend on the batch size.
//!
//! The variance of gamma_b times the sum over b samples is gamma_b^2 b V, so gamma_b = gamma / sqrt(b). That is measured at one state of a
//! descent. Then b = 1, 10, 100, 1000 share the same samples at gamma = 0.1, 1 and 10. Against the claim counts a pair of batch sizes of
//! which the larger ends with the lower error.

use ndarray::Array2;
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{BatchSize, Embeddings, Method, TrainingRun, TrainingRuns, TrainingTask};

use super::section_3_hyperparameters::{INPUTS, SAMPLES, figure_5, higher, labels_one_off, lower, of_inputs, study};
use crate::vocabulary::by_scale;

const VARIANCE: Margin = Margin::new(
    "same variance",
    0.15,
    "with the next scalings anybody would take, gamma or gamma/b, it is off by factors of 10 and more",
);

/// Descents with batches of several sizes on the same samples.
#[derive(Clone, Debug)]
pub struct Middle {
    /// Step sizes at batch one.
    pub bases: [f64; 3],
    /// Dimensions.
    pub dims: [usize; 5],
    /// Samples of a descent.
    pub samples: usize,
    /// Runs; by scale if 0.
    pub runs: usize,
    /// Runs of the largest step in the smallest dimension, where errors scatter; by scale if 0.
    pub narrow: usize,
    /// Updates drawn to measure a variance; by scale if 0.
    pub updates: usize,
}

impl Default for Middle {
    fn default() -> Middle {
        Middle {
            bases: [0.1, 1.0, 10.0],
            dims: [10, 20, 50, 100, 200],
            samples: SAMPLES,
            runs: 0,
            narrow: 0,
            updates: 0,
        }
    }
}

const SIZES: [usize; 4] = [1, 10, 100, 1000];

/// The name of descent with step gamma / sqrt(b) and batch b.
fn name(base: f64, size: usize) -> String {
    format!("γ = {base}/√b, b = {size}")
}

/// Descent with step gamma / sqrt(b) and batch b.
fn scaled(base: f64, size: usize, samples: usize) -> Result<Method, Failure> {
    let method = Method::sgd(base / (size as f64).sqrt())?.batch(BatchSize::Samples(size));
    Ok(method.steps(samples / size).without_moments().label(&name(base, size)))
}

/// Of estimates that are all to be negative, the one whose interval reaches highest.
fn nearest_to_zero(all: Vec<Estimate>) -> Result<Estimate, Failure> {
    let worst = all.into_iter().max_by(|a, b| a.high.total_cmp(&b.high));
    worst.ok_or_else(|| "no comparison".into())
}

impl Middle {
    fn descents(&self, setting: &Setting) -> Result<TrainingRuns, Failure> {
        let mut methods = Vec::new();
        for base in self.bases {
            for size in SIZES {
                methods.push(scaled(base, size, self.samples)?);
            }
        }
        let runs = by_scale(self.runs, setting.scale().pick(100, 200));
        Ok(study(methods, &self.dims, runs)?.run(setting.streams(), "Fig. 5 middle")?)
    }

    /// Errors of b = 1, 10 and 1000 at the largest step in the smallest dimension.
    fn crowded(&self, setting: &Setting) -> Result<TrainingRuns, Failure> {
        let methods = [1, 10, 1000].map(|size| scaled(self.bases[2], size, self.samples));
        let methods = methods.into_iter().collect::<Result<Vec<_>, _>>()?;
        let runs = by_scale(self.narrow, setting.scale().pick(1000, 2000));
        let study = study(methods, &self.dims[..1], runs)?.keep_tables();
        Ok(study.run(setting.streams(), "batches at γ = 10, d = N/10")?)
    }

    /// The reading with ten times as many samples, at gamma = 1 in the smallest dimension.
    fn longer(&self, setting: &Setting) -> Result<Estimate, Failure> {
        let methods = [1, 1000].map(|size| scaled(self.bases[1], size, 10 * self.samples));
        let methods = methods.into_iter().collect::<Result<Vec<_>, _>>()?;
        let runs = by_scale(self.runs, setting.scale().pick(100, 200));
        let runs = study(methods, &self.dims[..1], runs)?.run(setting.streams(), "batches, ten thousand samples")?;
        Ok(runs.difference(&name(self.bases[1], 1), &name(self.bases[1], 1000), self.dims[0])?)
    }

    /// Square of the distance of updates from their mean over `gamma^2 V`, after twenty steps on the population gradient.
    fn variance(&self, setting: &Setting, size: usize, rate: f64) -> Result<Estimate, Failure> {
        let (law, target) = figure_5()?;
        let mut stream = setting.stream(&format!("variance of updates, b = {size}, rate {rate:e}"))?;
        let embeddings = Embeddings::spherical(INPUTS, 5, 20, &mut setting.streams().restart("variance of updates")?)?;
        let task = TrainingTask::new(embeddings, &target.labels(INPUTS), &law.probabilities(INPUTS))?;
        let method = Method::sgd(rate)?.batch(BatchSize::Samples(size));
        let mut before = TrainingRun::new(&task, &Method::sgd(1.0)?)?;
        for _ in 0..20 {
            before.population_step()?;
        }
        let variance = before.gradient_moments()?.variance;
        let start = TrainingRun::new(&task.starting_at(before.weights())?, &method)?;
        let origin = start.weights();
        let mut updates = Vec::new();
        for _ in 0..by_scale(self.updates, setting.scale().pick(4000, 20_000)) {
            let mut run = start.clone();
            run.advance(1, &mut stream)?;
            updates.push(run.weights() - &origin);
        }
        let sum = updates.iter().fold(Array2::<f64>::zeros(origin.dim()), |sum, u| sum + u);
        let centre = sum / updates.len() as f64;
        let square = |u: &Array2<f64>| (u - &centre).mapv(|d: f64| d * d).sum() / variance;
        Ok(mean(&updates.iter().map(square).collect::<Vec<f64>>())?)
    }

    /// Neighbouring batch sizes in all dimensions: the difference, smaller minus larger, nearest to zero.
    fn neighbours(&self, runs: &TrainingRuns, base: f64) -> Result<Finding, Failure> {
        let mut all = Vec::new();
        for d in self.dims {
            for pair in SIZES.windows(2) {
                all.push(runs.difference(&name(base, pair[0]), &name(base, pair[1]), d)?);
            }
        }
        let label = format!(
            "γ = {base}/√b: a batch minus ten times the batch, nearest to zero of {} in five dimensions",
            all.len()
        );
        Ok(lower(label, nearest_to_zero(all)?))
    }

    /// Single samples against the largest batch in all dimensions: the difference nearest to zero.
    fn extremes(&self, runs: &TrainingRuns, base: f64) -> Result<Finding, Failure> {
        let (one, thousand) = (name(base, 1), name(base, 1000));
        let all = self.dims.iter().map(|d| Ok(runs.difference(&one, &thousand, *d)?));
        let worst = nearest_to_zero(all.collect::<Result<Vec<_>, Failure>>()?)?;
        let label = format!("γ = {base}/√b: b = 1 minus b = 1000, nearest to zero of five dimensions");
        Ok(lower(label, worst))
    }

    fn table(&self, runs: &TrainingRuns) -> Result<Table, Failure> {
        let (mut rates, mut dims) = (Vec::new(), Vec::new());
        let mut errors = vec![Vec::new(); SIZES.len()];
        for base in self.bases {
            for d in self.dims {
                rates.push(format!("{base}/√b"));
                dims.push(d as i64);
                for (size, errors) in SIZES.into_iter().zip(&mut errors) {
                    errors.push(runs.mean(&name(base, size), d)?.value);
                }
            }
        }
        let mut list = vec![("γ_b", rates.into()), ("d", dims.into())];
        for (name, errors) in ["b = 1", "b = 10", "b = 100", "b = 1000"].into_iter().zip(errors) {
            list.push((name, errors.into()));
        }
        Ok(Table::new(columns(list)?)
            .title(&format!("Mean error after {} samples, N = {INPUTS}", self.samples))
            .caption("The same samples in batches of b, with steps of equal variance.")
            .rows(15)
            .digits(2))
    }

    fn figure(&self, runs: &TrainingRuns) -> Result<Figure, Failure> {
        let mut figure = Figure::new("Smaller batches are better, but for large steps in few dimensions").columns(3);
        for base in self.bases {
            let mut panel =
                Panel::new(&format!("γ = {base}/√b")).x_label("d").y_label("error").log_x().log_y().y_limits(1e-2, 0.3);
            for (i, size) in SIZES.into_iter().enumerate() {
                let curve = runs.over_dims(&name(base, size))?;
                panel = panel
                    .band("", curve.x(), &curve.low()?, &curve.high()?)
                    .colour(i)
                    .line(&format!("b = {size}"), curve.x(), &curve.means())
                    .colour(i);
            }
            figure = figure.panel(panel.legend_below());
        }
        Ok(figure
            .size(1080, 440)
            .caption("Columns: the step size at batch one. Bands are 99.9 % intervals of the mean over runs."))
    }
}

impl TypedCheck for Middle {
    const CLAIM: &'static str = "heavy-tailed/fig-5-middle";
    const PLAN: Plan = Plan::new(
        "generalization error, smaller batch minus larger, the same samples in both; variance of an update over gamma^2 V",
        "a pair of batch sizes of which the larger has the lower error; a variance that depends on b",
        &[VARIANCE],
    )
    .protocol(&[
        "N = 100, M = 5, alpha = 2, f_*(x) = x mod M; parameters and rates as in Appendix C.1; gamma_b = gamma/sqrt(b) with summed gradients",
    ])
    .departures(&[
        "the caption gives no samples, batches or steps: 1000 samples as in Figure 10 and 10000; b up to the 1000 of Figures 11 and 13; gamma of Figures 3, 6 and 7",
        "more than ten runs, because ten do not decide the order",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (runs, crowded) = (self.descents(setting)?, self.crowded(setting)?);
        let [tenth, one, large] = self.bases;
        let (tenth, one) = (self.neighbours(&runs, tenth)?, self.neighbours(&runs, one)?);
        let ten = self.extremes(&runs, large)?;
        let [by_one, by_ten, by_hundred, by_thousand] = SIZES.map(|size| name(large, size));
        let single = crowded.difference(&by_one, &by_ten, self.dims[0])?;
        let label = "γ = 10/√b, d = N/10: b = 1 minus b = 10";
        let longer = lower("γ = 1/√b, d = N/10, 10000 samples: b = 1 minus b = 1000", self.longer(setting)?);
        let fifth = lower(
            format!("γ = 10/√b, {}: b = 1 minus b = 10", of_inputs(self.dims[1])),
            runs.difference(&by_one, &by_ten, self.dims[1])?,
        );
        let wide = self.dims[self.dims.len() - 1];
        let wide = lower(
            format!("γ = 10/√b, {}: b = 1 minus b = 100", of_inputs(wide)),
            runs.difference(&by_one, &by_hundred, wide)?,
        );
        let variance = |label: String, size: usize, rate: f64| -> Result<Finding, Failure> {
            Ok(Finding::equals(label, 1.0, VARIANCE, self.variance(setting, size, rate)?).unit("updates"))
        };
        let mut evidence = Evidence::of(lower(label, single)).and(longer).and(fifth);
        for size in [1usize, 10, 100] {
            let rate = 1.0 / (size as f64).sqrt();
            evidence = evidence.and(variance(format!("variance of an update over γ²V, b = {size}"), size, rate)?);
        }
        let few = lower(
            "γ = 10/√b, d = N/10: b = 10 minus b = 1000",
            crowded.difference(&by_ten, &by_thousand, self.dims[0])?,
        );
        let evidence = evidence
            .condition(
                "every step to smaller batches helps at γ = 0.1 and 1; at γ = 10 batches of one still beat those of 1000, but in few dimensions, at d = N/10 and by less at N/5, batches of ten are better than single samples",
                vec![one, tenth, ten, wide, few, higher(format!("{label}, single samples are worse"), single)],
            )
            .twin(lower(
                "inputs counted from zero, γ = 10/√b, d = N/10: b = 1 minus b = 1000",
                labels_one_off(&crowded, [&by_one, &by_thousand])?,
            ))
            .twin(variance("γ_b = γ/b: variance of an update over γ²V, b = 100".to_string(), 100, 0.01)?);
        Ok(Checked::from(evidence).table(self.table(&runs)?).figure(self.figure(&runs)?))
    }
}
