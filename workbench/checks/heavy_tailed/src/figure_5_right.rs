//! Figure 5, right: Adam and layer norm with large batches.
//!
//! **Claim** (`heavy-tailed/fig-5-right`). With large batches Adam (beta_1 = beta_2 = 0, the sign of the gradient), by renormalising the
//! variance of updates, optimises the model without large learning rates. Layer norm, which rescales W e_x, does even better than Adam
//! alone.
//!
//! Batches of 1000, rates scaled as in Appendix C.1: gamma for descent, gamma/d for the sign. *Without large rates* is asked at equal base
//! rates 0.1 and 1, and with a sign at 1 against a descent at 10. Layer norm is taken centred, as libraries have it, and as the text's
//! rescaling alone; since a rate far below the best one handicaps the sign, both are also compared each at the best of four rates, on
//! draws that did not choose them, and the sign with layer norm at ten times the largest of them as well. Layer norm may also be read
//! as layer norm with plain descent, which the figure has, too. A descent that is ahead of the sign counts against it, and a sign that is
//! ahead of layer norm.

use ndarray::{Array1, Array2, Axis};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    BatchSize, DescentRule, Embeddings, LayerNorm, Method, Reduction, Schedule, Target, TrainingRun, TrainingRuns,
    TrainingTask, Zipf,
};

use super::section_3_hyperparameters::{higher, lower, of_inputs, study};
use crate::vocabulary::{Largest, by_scale};

const SLOPE: Margin =
    Margin::new("slope of the loss", 1e-8, "fourth-order differences with steps of 1e-4 lose eight digits of sixteen");

/// Descent and sign, without and with layer norm.
#[derive(Clone, Debug)]
pub struct Right {
    /// Base rates.
    pub rates: [f64; 4],
    /// Dimensions.
    pub dims: [usize; 3],
    /// Samples of a batch.
    pub batch: usize,
    /// Steps.
    pub steps: usize,
    /// Runs; by scale if 0.
    pub runs: usize,
}

impl Default for Right {
    fn default() -> Right {
        Right { rates: [0.1, 1.0, 10.0, 100.0], dims: [10, 20, 50], batch: 1000, steps: 100, runs: 0 }
    }
}

/// Errors minus that of the sign alone at its best rate: of the sign with layer norm and of descent with layer norm at theirs, and of the
/// sign with layer norm beyond the grid. Then the best rates, of the sign with layer norm and alone and of descent with it.
struct Tuned {
    norm: Estimate,
    descent: Estimate,
    beyond: Estimate,
    rates: String,
}

/// The four methods at one rate.
const SGD: &str = "SGD";
const SGD_NORM: &str = "SGD + layer norm";
const ADAM: &str = "Adam";
const ADAM_NORM: &str = "Adam + layer norm";
const NAMES: [&str; 4] = [SGD, SGD_NORM, ADAM, ADAM_NORM];

/// The name of a method at a rate.
fn at_rate(method: &str, rate: f64) -> String {
    format!("{method}, γ = {rate}")
}

impl Right {
    fn method(&self, rule: DescentRule, rate: f64, norm: Option<LayerNorm>) -> Result<Method, Failure> {
        let name = match (rule, norm) {
            (DescentRule::Sgd, None) => SGD,
            (DescentRule::Sgd, Some(_)) => SGD_NORM,
            (_, None) => ADAM,
            (_, Some(_)) => ADAM_NORM,
        };
        let method = Method::new(rule, Schedule::constant(rate)?)
            .label(&at_rate(name, rate))
            .batch(BatchSize::Samples(self.batch))
            .reduction(Reduction::Mean)
            .steps(self.steps)
            .without_moments();
        Ok(match norm {
            Some(norm) => method.layer_norm(norm),
            None => method,
        })
    }

    fn descents(&self, setting: &Setting) -> Result<TrainingRuns, Failure> {
        let mut methods = Vec::new();
        for rate in self.rates {
            for rule in [DescentRule::Sgd, DescentRule::Sign] {
                methods.push(self.method(rule, rate, None)?);
                methods.push(self.method(rule, rate, Some(LayerNorm::standard()))?);
            }
        }
        let runs = by_scale(self.runs, setting.scale().pick(16, 60));
        Ok(study(methods, &self.dims, runs)?.run(setting.streams(), "Fig. 5 right")?)
    }

    /// In the smallest dimension at rate 1: the sign with the rescaling alone minus the sign; and at rate 0.1 after ten times the steps the
    /// sign with layer norm minus the sign. In the largest at rate 0.1: Adam with epsilon = 1 minus descent.
    fn readings(&self, setting: &Setting) -> Result<[Finding; 3], Failure> {
        let runs = by_scale(self.runs, setting.scale().pick(20, 60));
        let minus = |a: Method, b: Method, d: usize, name: &str| -> Result<_, Failure> {
            let (of_a, of_b) = (a.label_text().to_string(), b.label_text().to_string());
            let runs = study(vec![a, b], &[d], runs)?.run(setting.streams(), name)?;
            Ok(runs.difference(&of_a, &of_b, d)?)
        };
        let [small, one, ..] = self.rates;
        let norm = |norm: LayerNorm, rate: f64| self.method(DescentRule::Sign, rate, Some(norm));
        let sign = |rate: f64| self.method(DescentRule::Sign, rate, None);
        let long = |method: Method| method.steps(10 * self.steps);
        let smoothed = DescentRule::Adam { beta1: 0.0, beta2: 0.0, epsilon: 1.0 };
        let (smoothed, plain) = (self.method(smoothed, small, None)?, self.method(DescentRule::Sgd, small, None)?);
        let (norms, long_norms) = (norm(LayerNorm::rescaling(), one)?, long(norm(LayerNorm::standard(), small)?));
        let [narrow, _, half] = self.dims;
        Ok([
            lower(
                "d = N/10, γ = 1: Adam with rescaling and no centring minus Adam",
                minus(norms, sign(one)?, narrow, "rescaling alone")?,
            ),
            lower(
                "d = N/10, γ = 0.1, 1000 steps: Adam with layer norm minus Adam",
                minus(long_norms, long(sign(small)?), narrow, "a thousand steps")?,
            ),
            lower(
                "Adam with ε = 1, far above the entries, d = N/2, γ = 0.1: minus SGD",
                minus(smoothed, plain, half, "Adam with a large epsilon")?,
            ),
        ])
    }

    /// Error of method `a` at its rate minus that of `b` at its rate.
    fn compare(
        &self,
        runs: &TrainingRuns,
        (a, rate_a): (&str, f64),
        (b, rate_b): (&str, f64),
        d: usize,
    ) -> Result<Finding, Failure> {
        let difference = runs.difference(&at_rate(a, rate_a), &at_rate(b, rate_b), d)?;
        let d = of_inputs(d);
        let at = match rate_a == rate_b {
            true => format!("{d}, γ = {rate_a}: {a} minus {b}"),
            false => format!("{d}: {a} at γ = {rate_a} minus {b} at γ = {rate_b}"),
        };
        Ok(lower(at, difference))
    }

    /// Position of the best rate of a method.
    fn best(&self, runs: &TrainingRuns, method: &str, d: usize) -> Result<usize, Failure> {
        let mut best = (0, f64::INFINITY);
        for (place, rate) in self.rates.into_iter().enumerate() {
            let error = runs.mean(&at_rate(method, rate), d)?.value;
            if error < best.1 {
                best = (place, error);
            }
        }
        Ok(best.0)
    }

    /// Against the sign alone, each at its best rate in this dimension, on fresh draws.
    fn tuned(&self, setting: &Setting, runs: &TrainingRuns, d: usize) -> Result<Tuned, Failure> {
        let mut rates = [0; 3];
        for (rate, method) in rates.iter_mut().zip([ADAM_NORM, ADAM, SGD_NORM]) {
            *rate = self.best(runs, method, d)?;
        }
        let [norm, alone, descent] = rates.map(|rate| self.rates[rate]);
        let normed = |rule: DescentRule, rate: f64| self.method(rule, rate, Some(LayerNorm::standard()));
        let methods = vec![
            normed(DescentRule::Sign, norm)?,
            self.method(DescentRule::Sign, alone, None)?,
            normed(DescentRule::Sgd, descent)?,
            normed(DescentRule::Sign, self.beyond())?,
        ];
        let count = by_scale(self.runs, setting.scale().pick(60, 200));
        let found = study(methods, &[d], count)?;
        let found = found.run(setting.streams(), &format!("each at its best, d = {d}"))?;
        let sign = at_rate(ADAM, alone);
        let minus_sign = |method: &str, rate: f64| found.difference(&at_rate(method, rate), &sign, d);
        Ok(Tuned {
            norm: minus_sign(ADAM_NORM, norm)?,
            descent: minus_sign(SGD_NORM, descent)?,
            beyond: minus_sign(ADAM_NORM, self.beyond())?,
            rates: rates.map(|rate| self.told(rate)).join(", "),
        })
    }

    /// A rate beyond the largest.
    fn beyond(&self) -> f64 {
        10.0 * self.rates[self.rates.len() - 1]
    }

    fn told(&self, rate: usize) -> String {
        let inside = rate > 0 && rate + 1 < self.rates.len();
        format!("{}{}", self.rates[rate], if inside { "" } else { " (end of the grid)" })
    }

    fn figure(&self, runs: &TrainingRuns) -> Result<Figure, Failure> {
        let mut figure = Figure::new("Error with large batches, by rule and layer norm").columns(4);
        for rate in self.rates {
            let mut panel = Panel::new(&format!("base rate γ = {rate}"))
                .x_label("d")
                .y_label("error")
                .log_x()
                .log_y()
                .y_limits(1e-3, 0.3);
            for (i, name) in NAMES.into_iter().enumerate() {
                let curve = runs.over_dims(&at_rate(name, rate))?;
                panel = panel.line(name, curve.x(), &curve.means()).colour(i);
            }
            figure = figure.panel(panel.legend_below());
        }
        let caption = format!(
            "Batches of {}, {} steps, means over runs. Adam is the sign of the gradient at rate γ/d.",
            self.batch, self.steps
        );
        Ok(figure.size(1200, 440).caption(&caption))
    }
}

/// Minus the gradient of the mean loss when h = W e_x is normalised, without what the norm itself gives: its size is taken for a constant.
fn size_held_constant(task: &TrainingTask, w: &Array2<f64>, norm: LayerNorm) -> Array2<f64> {
    let e = task.embeddings();
    let mut gradient = Array2::zeros(w.dim());
    for (x, input) in e.inputs.outer_iter().enumerate() {
        let mut h = w.dot(&input);
        if norm.centred {
            h -= h.sum() / h.len() as f64;
        }
        let size = (h.dot(&h) / h.len() as f64 + norm.epsilon).sqrt();
        let scores = e.outputs.dot(&h) * (norm.gain / size);
        let total: f64 = scores.iter().map(|s| s.exp()).sum();
        let missing = Array1::from_shape_fn(scores.len(), |y| {
            f64::from(u8::from(task.labels()[x] == y)) - scores[y].exp() / total
        });
        let back = e.outputs.t().dot(&missing) * (task.probabilities()[x] * norm.gain / size);
        gradient += &back.insert_axis(Axis(1)).dot(&input.insert_axis(Axis(0)));
    }
    gradient
}

/// Largest gap between gradients and differences of the loss along random directions: of the crate, and with the size held constant.
fn gradient_gaps(stream: &mut Stream) -> Result<(f64, f64), Failure> {
    let (law, target) = (Zipf::new(2.0, 30)?, Target::modulo(5)?);
    let embeddings = Embeddings::spherical(30, 5, 8, stream)?;
    let task = TrainingTask::new(embeddings, &target.labels(30), &law.probabilities(30))?;
    let (mut right, mut wrong) = (Largest::default(), Largest::default());
    for norm in [LayerNorm::standard(), LayerNorm::rescaling()] {
        let w = normal_array2(stream, 8, 8);
        let method = Method::sgd(1.0)?.batch(BatchSize::Population).layer_norm(norm);
        let mut run = TrainingRun::new(&task.starting_at(w.clone())?, &method)?;
        run.population_step()?;
        let downhill = run.weights() - &w;
        let constant = size_held_constant(&task, &w, norm);
        for _ in 0..20 {
            let v = normal_array2(stream, 8, 8);
            let loss = |h: f64| -> Result<f64, Failure> {
                Ok(TrainingRun::new(&task.starting_at(&w + &(h * &v))?, &method)?.loss()?)
            };
            let h = 1e-4;
            let slope = (8.0 * (loss(h)? - loss(-h)?) - (loss(2.0 * h)? - loss(-2.0 * h)?)) / (12.0 * h);
            right.see((slope + (&downhill * &v).sum()).abs());
            wrong.see((slope + (&constant * &v).sum()).abs());
        }
    }
    Ok((right.0, wrong.0))
}

impl TypedCheck for Right {
    const CLAIM: &'static str = "heavy-tailed/fig-5-right";
    const PLAN: Plan = Plan::new(
        "generalization error, sign minus descent and sign with layer norm minus sign, the same batches in both",
        "a descent ahead of the sign at a rate up to one; a sign ahead of the sign with layer norm",
        &[SLOPE],
    )
    .protocol(&[
        "N = 100, M = 5, alpha = 2, f_*(x) = x mod M; parameters and rates as in Appendix C.1; Adam with beta_1 = beta_2 = 0",
    ])
    .departures(&[
        "batches of 1000 as in Figures 11 and 13, 100 steps and at one place 1000; base rates 0.1, 1, 10, 100: the caption gives none",
        "the mean over a batch: the sum is the same descent at a thousand times the rate, and leaves the sign as it is",
        "more than ten runs, because ten do not decide the order",
    ])
    .rivals(&[
        "Adam alone and with layer norm and descent with layer norm, each at the best of the four rates in every dimension, compared on other draws; Adam with layer norm at a rate of 1000 as well",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let runs = self.descents(setting)?;
        let [small, one, ten, _] = self.rates;
        let [narrow, fifth, half] = self.dims;
        let normed = |rate: f64, d: usize| self.compare(&runs, (ADAM_NORM, rate), (ADAM, rate), d);
        let adam = |rate: f64, d: usize| self.compare(&runs, (ADAM, rate), (SGD, rate), d);
        let against_ten = |d: usize| self.compare(&runs, (ADAM, one), (SGD, ten), d);
        let [rescaled, longer, smoothed] = self.readings(setting)?;
        let (mut best, mut chosen) = (Vec::new(), Vec::new());
        for d in self.dims {
            let tuned = self.tuned(setting, &runs, d)?;
            chosen.push(format!("{} at {}", tuned.rates, of_inputs(d)));
            best.push((d, tuned));
        }
        let at_best = |d: usize| format!("{}, each at the best of four rates", of_inputs(d));
        let in_narrow = &best[0].1;
        let mut evidence =
            Evidence::of(lower(format!("{}: Adam + layer norm minus Adam", at_best(narrow)), in_narrow.norm));
        for (d, tuned) in &best[1..] {
            let label = format!("{}: Adam + layer norm minus Adam", at_best(*d));
            evidence = evidence.and(lower(label, tuned.norm));
        }
        for (d, tuned) in &best {
            let label = format!("{}: SGD + layer norm minus Adam", at_best(*d));
            evidence = evidence.and(lower(label, tuned.descent));
        }
        let past = format!("d = N/10: Adam + layer norm at γ = {} minus Adam at the best of four rates", self.beyond());
        evidence = evidence.and(lower(past.clone(), in_narrow.beyond));
        let evidence = evidence.and(normed(one, narrow)?).and(rescaled).and(longer);
        let mut corrected = vec![normed(small, narrow)?, normed(small, fifth)?, normed(small, half)?];
        for (d, tuned) in &best {
            let label = format!("{}: Adam + layer norm minus Adam, the norm is worse", at_best(*d));
            corrected.push(higher(label, tuned.norm));
            let label = format!("{}: SGD + layer norm minus Adam, the norm is worse", at_best(*d));
            corrected.push(higher(label, tuned.descent));
        }
        corrected.push(higher(format!("{past}, the norm is worse"), in_narrow.beyond));
        corrected.extend([
            adam(small, narrow)?,
            adam(small, half)?,
            adam(one, narrow)?,
            adam(one, half)?,
            against_ten(narrow)?,
            against_ten(half)?,
            self.compare(&runs, (SGD_NORM, small), (SGD, small), narrow)?,
        ]);
        let (gap, constant) = gradient_gaps(&mut setting.stream("layer norm gradient")?)?;
        let slope = |label: &str, gap: f64| Finding::identity(label, gap, SLOPE).cases(40).unit("directions");
        let evidence = evidence
            .weaker(
                "Adam without large rates, as stated; layer norm is ahead of it at a rate of 0.1, far below Adam's best: with each at its best of four rates Adam alone is ahead, for d = N/2 by less than a thousandth in error, and of descent with layer norm as well",
                corrected,
            )
            .twin(smoothed)
            .twin(slope("size of W e_x held constant: gradient minus differences of the loss", constant))
            .support(slope("gradient with layer norm minus differences of the loss", gap))
            .note(format!(
                "best rates of Adam with layer norm, of Adam alone, and of SGD with layer norm: {}",
                chosen.join("; ")
            ));
        Ok(Checked::from(evidence).figure(self.figure(&runs)?))
    }
}
