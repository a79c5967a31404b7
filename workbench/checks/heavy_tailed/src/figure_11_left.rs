//! Figure 11, left: algorithms against the best scheme designed by hand.
//!
//! **Claim** (`heavy-tailed/fig-11-left`), setting of Figure 8, right: optimisation-based algorithms beat the best algorithm designed by hand
//! with q(x, y) = q(x). The curves seem to have the same optimal exponent d^-(alpha - 1), with a smaller constant, which leads to an earlier
//! tipping point.
//!
//! Descent with batch one and a falling rate, sign descent with large batches, and the minimum over the full batch stand against equal
//! weights on the best P. An algorithm that is not below in some dimension, another slope before the tipping points, or a tipping point that
//! is no earlier counts against the claim.

use ndarray::Array1;
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, difference, proportion};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    BatchSize, DescentRule, Embeddings, ErrorCurve, Freedom, Method, Parametrization, Reduction, Schedule,
    TrainingRuns, TrainingStudy, best_trained_errors, geometric_thresholds, threshold_errors,
};

use super::appendix_c_2_schemes::{FreerSchemes, slope_of_any};
use super::section_3_learning::{CLASSES, EXPONENT, INPUTS, apart, law, over, target};
use crate::vocabulary::{by_scale, least_of};

const EARLIER: Margin = Margin::new(
    "an earlier tipping point",
    0.5,
    "half of the dimension, the least that a reader would see on the logarithmic axis of the figure",
);

const MOST: Margin = Margin::new(
    "most embeddings",
    0.5,
    "past its tipping point a memory has stored everything for more than half of the embeddings, before it for fewer",
);

/// The algorithms.
#[derive(Clone, Debug)]
pub struct Left {
    /// Dimensions.
    pub dims: [usize; 5],
    /// Embeddings for the full batch and the scheme by hand; by scale if 0.
    pub embeddings: usize,
    /// Runs of descent in each dimension; by scale if 0.
    pub runs: usize,
}

impl Default for Left {
    fn default() -> Left {
        Left { dims: [4, 8, 16, 32, 64], embeddings: 0, runs: 0 }
    }
}

const NAMES: [&str; 4] = ["equal weights, best P", "plain descent", "sign, large batches", "full batch"];
const HAND: usize = 0;
const DESCENT: usize = 1;
const SIGN: usize = 2;
const FULL: usize = 3;
/// Stored inputs over d that the full batch tries.
const STORED: [f64; 4] = [1.5, 2.0, 2.5, 3.0];
/// The window before the tipping points.
const BEFORE: (f64, f64) = (4.0, 16.0);
/// The level whose crossing stands for the tipping point.
const LEVEL: f64 = 0.035;

/// Errors of one method: a list of runs for each dimension.
type Errors = Vec<Vec<f64>>;

/// Errors in the order of [`NAMES`], and of the full batch at d = 16 with the rarest inputs stored.
struct Seen {
    dims: [usize; 5],
    methods: [Errors; 4],
    rarest: Vec<f64>,
    /// Inputs over d that the full batch stores at its best on the mean.
    best: Vec<f64>,
}

impl Seen {
    /// The dimensions in the window, which have as many runs each.
    fn between(&self, method: usize, window: (f64, f64)) -> Result<ErrorCurve, Failure> {
        let (mut x, mut columns) = (Vec::new(), Vec::new());
        for (d, errors) in self.dims.iter().zip(&self.methods[method]) {
            if (window.0..=window.1).contains(&(*d as f64)) {
                x.push(*d as f64);
                columns.push(Array1::from(errors.clone()));
            }
        }
        Ok(ErrorCurve::from_columns(x, &columns)?)
    }

    fn means(&self, method: usize) -> Vec<f64> {
        let mean = |errors: &Vec<f64>| errors.iter().sum::<f64>() / errors.len() as f64;
        self.methods[method].iter().map(mean).collect()
    }

    /// Share of the embeddings of the largest dimension for which a method has no error left.
    fn full_storage(&self, method: usize) -> Result<Estimate, Failure> {
        let errors = self.methods[method].last().ok_or("no dimensions")?;
        let without = errors.iter().filter(|error| **error == 0.0).count();
        Ok(proportion(without, errors.len())?)
    }

    /// Errors of one method minus those of the scheme by hand, in the dimension where this is largest.
    fn largest_gap(&self, method: usize) -> Result<Estimate, Failure> {
        let mut largest: Option<Estimate> = None;
        for (errors, hand) in self.methods[method].iter().zip(&self.methods[HAND]) {
            let gap = difference(errors, hand)?;
            if largest.is_none_or(|largest| gap.high > largest.high) {
                largest = Some(gap);
            }
        }
        Ok(largest.ok_or("no dimensions to compare in")?)
    }

    fn figure(&self) -> Figure {
        let x = self.dims.map(|d| d as f64);
        let mut panel =
            Panel::new("N = 100, M = 5, α = 2").x_label("d").y_label("error").log_x().log_y().y_limits(1e-4, 1.0);
        for (method, name) in NAMES.iter().enumerate() {
            let means: Vec<f64> = self.means(method).iter().map(|e| e.max(1e-4)).collect();
            panel = panel.line(name, &x, &means);
        }
        Figure::new("Optimised memories are below the best scheme designed by hand")
            .panel(panel.theory("2/d", &[4.0, 32.0], &[0.5, 0.0625]).legend_below())
            .caption("Means over runs. What is zero is drawn at the lower edge.")
    }

    fn table(&self) -> Result<Table, Failure> {
        let mut list = vec![("d", self.dims.map(|d| d as f64).to_vec().into())];
        for (method, name) in NAMES.iter().enumerate() {
            list.push((*name, self.means(method).into()));
        }
        Ok(Table::new(columns(list)?).title("Mean errors").digits(3))
    }
}

/// Errors of the minimum over the full batch, each for the P that is best for its embeddings; and the P that is best on the mean.
fn full_batch(of: &[Embeddings], labels: &[usize], p: &[f64], d: usize) -> Result<(Vec<f64>, usize), Failure> {
    let (mut least, mut means) = (vec![f64::INFINITY; of.len()], Vec::new());
    let mut stored = STORED.map(|r| ((r * d as f64) as usize).min(INPUTS)).to_vec();
    stored.dedup();
    for count in stored {
        let errors = best_trained_errors(Freedom::Memory, of, labels, p, &[count], &[0.0])?;
        means.push((errors.iter().sum::<f64>(), count));
        least.iter_mut().zip(errors).for_each(|(least, error)| *least = least_of([*least, error]));
    }
    let best = means.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
    Ok((least, best.map_or(0, |(_, count)| count)))
}

/// Independent embeddings of one dimension.
fn embeddings(setting: &Setting, name: &str, d: usize, count: usize) -> Result<Vec<Embeddings>, Failure> {
    let draw = |i: usize| -> Result<Embeddings, Failure> {
        let mut stream = setting.streams().replicate(&format!("{name}, d = {d}"), i)?;
        Ok(Embeddings::spherical(INPUTS, CLASSES, d, &mut stream)?)
    };
    (0..count).map(draw).collect()
}

impl Left {
    /// Plain descent and sign descent in `d` dimensions; beyond the window a few runs are enough.
    fn descents(&self, setting: &Setting, d: usize) -> Result<TrainingRuns, Failure> {
        let quick = if d as f64 <= BEFORE.1 { 100 } else { 16 };
        let plain = Method::new(DescentRule::Sgd, Schedule::steps(1.0, 0.5, 4000)?).steps(20_000);
        let sign = Method::new(DescentRule::Sign, Schedule::steps(3.0, 0.5, 30)?)
            .batch(BatchSize::Samples(1000))
            .reduction(Reduction::Mean)
            .steps(200);
        Ok(TrainingStudy::new(law()?, target(CLASSES)?)
            .methods(vec![plain.without_moments(), sign.without_moments()])
            .dims(vec![d])
            .runs(by_scale(self.runs, setting.scale().pick(quick, 300)))
            .parametrization(Parametrization::MaximalUpdate)
            .run(setting.streams(), &format!("Fig. 11 left, d = {d}"))?)
    }

    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let (p, labels) = (law()?.probabilities(INPUTS), target(CLASSES)?.labels(INPUTS));
        let thresholds: Vec<usize> = geometric_thresholds(1, INPUTS, 1.3)?.into_iter().collect();
        let (many, few) = (setting.scale().pick(450, 900), setting.scale().pick(160, 300));
        let mut seen = Seen { dims: self.dims, methods: Default::default(), rarest: Vec::new(), best: Vec::new() };
        for d in self.dims {
            let mut by_hand = Vec::new();
            for e in embeddings(setting, "best P", d, by_scale(self.embeddings, many))? {
                let errors = threshold_errors(&e, &labels, &p, &thresholds)?;
                by_hand.push(least_of(errors));
            }
            seen.methods[HAND].push(by_hand);
            // Beyond the window a few are enough: hardly any input is lost there.
            let count = if d as f64 <= BEFORE.1 { few } else { few / 5 };
            let drawn = embeddings(setting, "full batch", d, by_scale(self.embeddings, count))?;
            let (errors, at) = full_batch(&drawn, &labels, &p, d)?;
            seen.methods[FULL].push(errors);
            seen.best.push(at as f64 / d as f64);
            let descents = self.descents(setting, d)?;
            for (method, of) in [(DESCENT, "Sgd"), (SIGN, "Sign")] {
                seen.methods[method].push(descents.final_errors(of, d)?);
            }
            if d as f64 == BEFORE.1 {
                let backwards: Vec<f64> = p.iter().rev().copied().collect();
                seen.rarest = full_batch(&drawn[..drawn.len().min(20)], &labels, &backwards, d)?.0;
            }
        }
        Ok(seen)
    }
}

impl TypedCheck for Left {
    const CLAIM: &'static str = "heavy-tailed/fig-11-left";
    const PLAN: Plan = Plan::new(
        "error less that of equal weights on the best P, where it is largest; slope for 4 ≤ d ≤ 16 less theirs; quotient of the d at which the error passes 0.035; embeddings without error at d = 64",
        "an algorithm that is not below in some dimension; another slope before the tipping points; a tipping point that is no earlier; a full batch that has not stored everything at d = 64, or equal weights that have",
        &[EXPONENT, EARLIER, MOST],
    )
    .protocol(&["N = 100, M = 5, α = 2, as in Figure 8, right; random embeddings on the unit sphere"])
    .departures(&[
        "the caption names no algorithm: plain descent with batch one, 20000 steps and a halving rate; sign descent with batches of 1000, 200 steps; the cross-entropy of the first P inputs, minimised",
        "an error of 0.035 stands for the beginning of the fall, a level of ours that all curves pass between d = 4 and 64; full storage itself is asked of the full batch, since descent has seen some of the rarest inputs hardly ever after 20000 samples",
    ])
    .rivals(&[
        "equal weights with P on a grid of ratio 1.3, the best for each of the very embeddings that they are scored on; for the full batch P is chosen in the same way, from 1.5 d to 3 d",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let mut boot = setting.stream("bootstrap, algorithms")?;
        let by_hand = seen.between(HAND, BEFORE)?.slope(&mut boot)?;
        let (mut slopes, mut second_half) = (Vec::new(), Vec::new());
        for method in [FULL, DESCENT, SIGN] {
            let name = NAMES[method];
            let slope = apart(seen.between(method, BEFORE)?.slope(&mut boot)?, by_hand)?;
            let label = format!("{name}, 4 ≤ d ≤ 16: slope less that of the best P");
            slopes.push(Finding::equals(label, 0.0, EXPONENT, slope).unit("runs"));
            let label = format!("{name} less the best P, largest over d");
            second_half.push(Finding::at_most(label, 0.0, seen.largest_gap(method)?).unit("runs"));
        }
        let hand_tip = seen.between(HAND, (4.0, 64.0))?.crossing(LEVEL, &mut boot)?;
        for method in [FULL, DESCENT, SIGN] {
            let tip = seen.between(method, BEFORE)?.crossing(LEVEL, &mut boot)?;
            let label = format!("d at which the error passes 0.035, {} over the best P", NAMES[method]);
            second_half.push(Finding::at_most(label, EARLIER, over(tip, hand_tip)?).unit("runs"));
        }
        let label = |name: &str| format!("d = 64: {name}, embeddings with zero error");
        let stored = seen.full_storage(FULL)?;
        second_half.push(Finding::at_least(label(NAMES[FULL]), MOST, stored).unit("embeddings"));
        let stored = seen.full_storage(HAND)?;
        second_half.push(Finding::at_most(label(NAMES[HAND]), MOST, stored).unit("embeddings"));
        let mut evidence = Evidence::of(slopes[0].clone());
        for finding in slopes.into_iter().skip(1) {
            evidence = evidence.and(finding);
        }
        let large = slope_of_any(setting, &*FreerSchemes::default().found(setting)?)?;
        let evidence = evidence
            .weaker(
                "smaller errors in every dimension and an earlier tipping point, as stated, for the full batch down to zero error at d = 64; at N = 100 the full-batch optimum is also steeper before its tipping point, and the exponent -(α-1) is seen at large N only",
                second_half.into_iter().chain([large]).collect(),
            )
            .twin(
                Finding::at_most(
                    "law of the inputs in the opposite order, so that the rarest are stored: full batch less the best P, d = 16",
                    0.0,
                    difference(&seen.rarest, &seen.methods[HAND][2])?,
                )
                .unit("runs"),
            )
            .note(format!(
                "inputs that the full batch stores at its best on the mean, over d: {:.1?}, of {STORED:?} that are tried and at most {INPUTS}",
                seen.best
            ));
        Ok(Checked::from(evidence).figure(seen.figure()).table(seen.table()?))
    }
}
