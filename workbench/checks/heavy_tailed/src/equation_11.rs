//! Equation 11: the scheme that descent leaves behind.
//!
//! **Claim** (`heavy-tailed/eq-11`). T steps with batch one lead to a scheme of the form of Eq. 2 with q(x) ~ f^{T p(x)}(0),
//! f: q -> q + gamma / (1 + exp(q) / M), since each x is seen T p(x) times on average.
//!
//! After 10^4 steps W is projected on the stored pairs by least squares and compared with f^{T p(x)}(0), with f^n(0) at the counts n that
//! occurred, and with the map that the display after Eq. 44 leads to: M - 1 for M, and M/(M - 1) |e_x|^2 q in the exponent. Rates 0.1, 1,
//! 10; d/N from 0.1 to 100; inputs of Eq. 1 and unit inputs. A distance from the coefficients that is not small at d >> N, where the
//! statement is made, counts against it; weights of zero have the distance one.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, Stream};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{Gradient, Ideal, IdealUpdate, Method, Parametrization, TrainingTask, rank_correlation};

use super::section_3_gradient::{
    CLASSES, CLOSE, DIMS, INPUTS, ROOM, counts, descended, drawn, over_runs, own, relative, task,
};
use crate::vocabulary::by_scale;

const SHARE: Margin = Margin::new("share", 0.02, "1/M and 1/(M - 1) are a twentieth apart at M = 5");
const ORDER: Margin = Margin::new("order", 0.95, "only inputs that are seen about equally often change places");

const RATES: [f64; 3] = [0.1, 1.0, 10.0];
const SIDES: [(Parametrization, &str); 2] =
    [(Parametrization::Unit, "unit inputs"), (Parametrization::Model, "inputs of Eq. 1")];
const UNIT: usize = 0;
const LONG: usize = 1;
/// Positions of d/N = 100 and d/N = 1 in [`DIMS`], and of the rates one and ten in [`RATES`].
const WIDE: usize = 3;
const FULL: usize = 1;
const ONE: usize = 1;
const LARGE: usize = 2;

/// Descents with batch one.
#[derive(Clone, Debug)]
pub struct Iterates {
    /// Steps T.
    pub steps: usize,
    /// Runs for each rate, dimension and kind of input; by scale if 0.
    pub runs: usize,
}

impl Default for Iterates {
    fn default() -> Iterates {
        Iterates { steps: 10_000, runs: 0 }
    }
}

/// Distances from the projected coefficients of one descent.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// The printed map at T p(x), and at the counts.
    printed: f64,
    at_counts: f64,
    corrected: f64,
    /// M - 1 at the counts, without M/(M - 1).
    unstretched: f64,
    /// The rate at every visit, as if nothing saturated.
    unsaturated: f64,
    rank: f64,
    /// Share of `|W|^2` that no scheme of the form of Eq. 2 holds.
    outside: f64,
}

fn with_constants(rate: f64) -> Result<Method, Failure> {
    Ok(Method::sgd(rate)?.gradient(Gradient::Ideal(Ideal::corrected(CLASSES))))
}

fn trial(task: &TrainingTask, rate: f64, steps: usize, data: &Stream) -> Result<Trial, Failure> {
    let (q, outside) = descended(task, &Method::sgd(rate)?, steps, data)?.on_stored_pairs()?;
    let q = q.to_vec();
    let better = own(&descended(task, &with_constants(rate)?, steps, data)?);
    let (printed, seen) = (IdealUpdate::printed(rate, CLASSES)?, counts(task, steps, data));
    let expected: Vec<f64> = task.probabilities().iter().map(|p| p * steps as f64).collect();
    let unstretched = IdealUpdate::new(rate, CLASSES as f64 - 1.0, 1.0)?.after(&seen)?;
    let unsaturated: Vec<f64> = seen.iter().map(|n| n * printed.apply(0.0)).collect();
    Ok(Trial {
        printed: relative(&printed.after(&expected)?, &q),
        at_counts: relative(&printed.after(&seen)?, &q),
        corrected: relative(&better, &q),
        unstretched: relative(&unstretched, &q),
        unsaturated: relative(&unsaturated, &q),
        rank: rank_correlation(&better, &q)?,
        outside,
    })
}

/// Trials by kind of input, dimension and rate.
type Trials = [[[Vec<Trial>; 3]; 4]; 2];

impl Iterates {
    fn trials(&self, setting: &Setting) -> Result<Trials, Failure> {
        let mut all = Trials::default();
        for i in 0..by_scale(self.runs, setting.scale().pick(6, 16)) {
            let raw = drawn(ROOM, &mut setting.streams().replicate("eq 11, embeddings", i)?)?;
            let data = setting.streams().replicate("eq 11, data", i)?;
            for (side, (inputs, _)) in SIDES.into_iter().enumerate() {
                for (k, d) in DIMS.into_iter().enumerate() {
                    let task = task(&raw, inputs, d)?;
                    for (g, rate) in RATES.into_iter().enumerate() {
                        all[side][k][g].push(trial(&task, rate, self.steps, &data)?);
                    }
                }
            }
        }
        Ok(all)
    }

    /// Coefficients and two maps over x, in three settings.
    fn figure(&self, setting: &Setting) -> Result<Figure, Failure> {
        let raw = drawn(ROOM, &mut setting.stream("eq 11, picture")?)?;
        let rank: Vec<f64> = (1..=INPUTS).map(|x| x as f64).collect();
        let mut figure = Figure::new("With both constants mended the map is what descent leaves");
        for (inputs, d, title) in [
            (Parametrization::Unit, ROOM, "unit inputs, d/N = 100"),
            (Parametrization::Unit, 10, "unit inputs, d/N = 0.1"),
            (Parametrization::Model, ROOM, "inputs of Eq. 1, d/N = 100"),
        ] {
            let task = task(&raw, inputs, d)?;
            let data = setting.stream(&format!("eq 11, picture: {title}"))?;
            let (q, _) = descended(&task, &Method::sgd(1.0)?, self.steps, &data)?.on_stored_pairs()?;
            let better = own(&descended(&task, &with_constants(1.0)?, self.steps, &data)?);
            let printed = IdealUpdate::printed(1.0, CLASSES)?.after(&counts(&task, self.steps, &data))?;
            let panel = Panel::new(title)
                .x_label("x")
                .y_label("q(x)")
                .log_x()
                .points("descent, projected", &rank, &q.to_vec())
                .line("fⁿ as printed", &rank, &printed)
                .line("fⁿ with M − 1 and M/(M − 1)", &rank, &better)
                .legend_below();
            figure = figure.panel(if d == 10 { panel.y_limits(-10.0, 20.0) } else { panel });
        }
        Ok(figure
            .columns(3)
            .size(1180, 560)
            .caption("One run each, rate 1; n is the number of visits that occurred. Dots are least-squares coefficients of W on the stored pairs."))
    }
}

fn table(trials: &Trials) -> Result<Table, Failure> {
    let (mut inputs, mut ratios, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    let mut numbers: [Vec<f64>; 5] = Default::default();
    let parts: [fn(&Trial) -> f64; 5] = [|t| t.printed, |t| t.at_counts, |t| t.corrected, |t| t.rank, |t| t.outside];
    for (side, (_, name)) in SIDES.into_iter().enumerate() {
        for (k, d) in DIMS.into_iter().enumerate() {
            for (g, rate) in RATES.into_iter().enumerate() {
                inputs.push(name.to_string());
                ratios.push(d as f64 / INPUTS as f64);
                rates.push(rate);
                for (column, part) in numbers.iter_mut().zip(parts) {
                    column.push(over_runs(&trials[side][k][g], part)?.value);
                }
            }
        }
    }
    let [printed, at_counts, corrected, rank, outside] = numbers;
    let list = vec![
        ("inputs", inputs.into()),
        ("d/N", ratios.into()),
        ("γ", rates.into()),
        ("printed, T p(x)", printed.into()),
        ("printed, counts", at_counts.into()),
        ("changed, counts", corrected.into()),
        ("rank correlation", rank.into()),
        ("outside", outside.into()),
    ];
    Ok(Table::new(columns(list)?)
        .title("Distance of the maps from the coefficients of descent")
        .caption("Relative distances; 0 is perfect, 1 is what weights of zero get. Rank correlation of the changed map; share of |W|² outside the form of Eq. 2.")
        .rows(24)
        .digits(2))
}

impl TypedCheck for Iterates {
    const CLAIM: &'static str = "heavy-tailed/eq-11";
    const PLAN: Plan = Plan::new(
        "|f^n - q| / |q| with q the least-squares coefficients of W on the stored pairs",
        "a distance beyond the margin at d/N = 100, for the inputs of Eq. 1 or for unit inputs",
        &[CLOSE, SHARE, ORDER],
    )
    .protocol(&["N = 100, M = 5, alpha = 2, batch one, constant rate, W = 0 at the start"])
    .departures(&[
        "the document gives no T; after 10^4 steps the rarest inputs are seen about once",
        "unit inputs beside those of Eq. 1, since exp(q) reads the score of a pair as its coefficient",
    ])
    .rivals(&["weights of zero, at distance one; the map with M - 1 and M/(M - 1) |e_x|^2 on the same data"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let trials = self.trials(setting)?;
        let mean = |side: usize, g: usize, of: fn(&Trial) -> f64| -> Result<Estimate, Failure> {
            over_runs(&trials[side][WIDE][g], of)
        };
        let close = |label: String, distance: Estimate| Finding::at_most(label, CLOSE, distance).unit("runs");
        let (mut printed, mut changed) = (Vec::new(), Vec::new());
        for side in [LONG, UNIT] {
            for (g, rate) in RATES.into_iter().enumerate() {
                let label =
                    format!("f^(Tp(x)) as printed, {}, d/N = 100, γ = {rate}: relative distance", SIDES[side].1);
                printed.push(close(label, mean(side, g, |t| t.printed)?));
            }
        }
        for (g, rate) in RATES.into_iter().enumerate() {
            let label = format!("changed map at the counts, unit inputs, d/N = 100, γ = {rate}: relative distance");
            changed.push(close(label, mean(UNIT, g, |t| t.corrected)?));
        }
        for (g, rate) in RATES.into_iter().enumerate() {
            let label = format!("f^n as printed at the counts, unit inputs, d/N = 100, γ = {rate}: relative distance");
            printed.push(close(label, mean(UNIT, g, |t| t.at_counts)?));
        }
        let crowded = over_runs(&trials[UNIT][FULL][ONE], |t| t.corrected)?;
        changed.push(
            Finding::at_least(
                "changed map at the counts, unit inputs, d = N, γ = 1: relative distance, no longer close",
                CLOSE,
                crowded,
            )
            .unit("runs"),
        );
        changed.push(
            Finding::at_least(
                "rank correlation, changed map, unit inputs, d/N = 100, γ = 1",
                ORDER,
                mean(UNIT, ONE, |t| t.rank)?,
            )
            .unit("runs"),
        );
        changed.push(
            Finding::at_most(
                "rank correlation, changed map, unit inputs, d/N = 100, γ = 10: order is lost",
                ORDER,
                mean(UNIT, LARGE, |t| t.rank)?,
            )
            .unit("runs"),
        );
        changed.push(
            Finding::equals(
                "share of |W|² outside the form of Eq. 2, unit inputs, d/N = 100, γ = 1",
                0.2,
                SHARE,
                mean(UNIT, ONE, |t| t.outside)?,
            )
            .unit("runs"),
        );
        let evidence = Evidence::from(printed.remove(0));
        let evidence = printed.into_iter().fold(evidence, Evidence::and);
        let evidence = evidence
            .condition(
                "for unit inputs and d of a hundred N: q → q + γ/(1 + exp(5/4 q)/4), with M − 1 and M/(M − 1) for M and 1, at the counts that occurred; 1/M of |W|² stays outside the form of Eq. 2; at γ = 10 weights are nearly equal, and their order is lost",
                changed,
            )
            .twin(close(
                "changed map without M/(M − 1), unit inputs, d/N = 100, γ = 1".to_string(),
                mean(UNIT, ONE, |t| t.unstretched)?,
            ))
            .twin(close(
                "no saturation, unit inputs, d/N = 100, γ = 1".to_string(),
                mean(UNIT, ONE, |t| t.unsaturated)?,
            ));
        Ok(Checked::from(evidence).table(table(&trials)?).figure(self.figure(setting)?))
    }
}
