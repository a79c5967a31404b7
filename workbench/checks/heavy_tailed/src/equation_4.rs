//! Eq. 4: weights from observed frequencies settle.
//!
//! **Claim** (`heavy-tailed/eq-4`). The weights phat(x)^rho, phat the observed frequencies, converge to q_rho = p^rho as T grows.
//!
//! The largest difference over all inputs is followed. On finitely many inputs the central limit theorem makes it fall as T^(-1/2) for
//! every rho > 0. On infinitely many, inputs with p near 1/T are never settled, and both weights are of size T^(-rho) there: the rate is
//! min(1/2, rho) up to powers of ln T. At rho = 0 all hangs on 0^0: with 0^0 = 0 exactly the seen inputs are stored, each with
//! probability 1 - (1 - p)^T. A difference that does not fall at its rate, or another inclusion probability, would count against it.

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, proportion};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{Counts, ErrorCurve, Scheme, Zipf, power_law};

use crate::vocabulary::{by_scale, largest_of};

const RATE: Margin = Margin::new(
    "a quarter of the rate",
    0.25,
    "half the way to the nearest wrong rates, which are half as fast or twice; powers of ln T take about a tenth",
);
const MISSES: Margin = Margin::new("one miss", 1.0, "of twenty intervals at 99.9 % one may miss by chance, two hardly");

/// Weights from data against their limit, on finitely and on infinitely many inputs.
#[derive(Clone, Debug)]
pub struct WeightsFromData {
    /// Data sets of each size on finite N, four for each one on infinite N; by scale if 0.
    pub data_sets: usize,
    /// ρ on finite N.
    pub finite: [f64; 3],
    /// ρ on infinite N.
    pub infinite: [f64; 3],
}

impl Default for WeightsFromData {
    fn default() -> WeightsFromData {
        WeightsFromData { data_sets: 0, finite: [0.5, 1.0, 2.0], infinite: [0.125, 0.25, 0.5] }
    }
}

const INPUTS: usize = 100;

/// One row per data set, one column per size.
type Rows = Array2<f64>;

struct Seen {
    sizes: Vec<f64>,
    finite: Vec<ErrorCurve>,
    infinite: Vec<ErrorCurve>,
    /// The last ρ of `finite` against p, and the first of `infinite` against p^(2ρ).
    wrong_limits: [ErrorCurve; 2],
}

/// Largest distance between weights from data and a power of p, `limit`, on finitely many inputs.
fn distance(counts: &Counts, law: &Zipf, rho: f64, limit: f64) -> Result<f64, Failure> {
    let seen = Scheme::power(rho)?.empirical_weights(counts, INPUTS, 1)?;
    let limit = Scheme::power(limit)?.population_weights(law, 1)?;
    Ok(largest_of(seen.iter().zip(&limit).map(|(a, b)| (a - b).abs())))
}

/// The same on infinitely many: over the seen inputs, and at the first unseen one, whose weight is missing altogether.
fn distance_endless(counts: &Counts, law: &Zipf, rho: f64, limit: f64) -> f64 {
    let frequency = |count: usize| (count as f64 / counts.total as f64).powf(rho);
    let off = |(x, count): &(usize, usize)| (frequency(*count) - law.probability(*x).powf(limit)).abs();
    let gap = counts.seen.iter().zip(1..).find(|((x, _), rank)| x != rank);
    let first_unseen = gap.map_or(counts.seen.len() + 1, |(_, rank)| rank);
    let missing = law.probability(first_unseen).powf(limit);
    largest_of(counts.seen.iter().map(off).chain([missing]))
}

impl WeightsFromData {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let runs = by_scale(self.data_sets, setting.scale().pick(160, 400));
        let few = runs.div_ceil(4);
        let last = setting.scale().pick(14, 16);
        let sizes: Vec<usize> = (8..=last).map(|k| 10f64.powf(f64::from(k) / 2.0) as usize).collect();
        let (law, endless) = (Zipf::new(1.0, INPUTS)?, Zipf::infinite(2.0)?);
        let mut finite = vec![Rows::zeros((runs, sizes.len())); 4];
        let mut infinite = vec![Rows::zeros((few, sizes.len())); 4];
        let mut stream = setting.stream("eq 4")?;
        let [.., largest] = self.finite;
        let [least, ..] = self.infinite;
        for (j, t) in sizes.iter().enumerate() {
            for run in 0..runs {
                let counts = law.sample_counts(*t, &mut stream)?;
                for (rows, rho) in finite.iter_mut().zip(self.finite) {
                    rows[[run, j]] = distance(&counts, &law, rho, rho)?;
                }
                finite[3][[run, j]] = distance(&counts, &law, largest, 1.0)?;
                if run < few {
                    let counts = endless.sample_counts(*t, &mut stream)?;
                    for (rows, rho) in infinite.iter_mut().zip(self.infinite) {
                        rows[[run, j]] = distance_endless(&counts, &endless, rho, rho);
                    }
                    infinite[3][[run, j]] = distance_endless(&counts, &endless, least, 2.0 * least);
                }
            }
        }
        let sizes: Vec<f64> = sizes.iter().map(|t| *t as f64).collect();
        let curve = |rows: &Rows| ErrorCurve::new(sizes.clone(), rows.clone());
        Ok(Seen {
            finite: finite[..3].iter().map(curve).collect::<Result<_, _>>()?,
            infinite: infinite[..3].iter().map(curve).collect::<Result<_, _>>()?,
            wrong_limits: [curve(&finite[3])?, curve(&infinite[3])?],
            sizes,
        })
    }

    fn figure(&self, seen: &Seen) -> Figure {
        let panel = |title: &str, curves: &[ErrorCurve], rhos: &[f64]| {
            let mut panel = Panel::new(title);
            for (k, (curve, rho)) in curves.iter().zip(rhos).enumerate() {
                let (rate, means) = (rate(*rho, title == ENDLESS), curve.means());
                let middle = seen.sizes.len() / 2;
                let law = power_law(&seen.sizes, means[middle] * seen.sizes[middle].powf(rate), -rate);
                panel = panel
                    .points(&format!("ρ = {rho}"), &seen.sizes, &means)
                    .colour(k)
                    .theory(&format!("T^{{−{rate}}}"), &seen.sizes, &law)
                    .colour(k);
            }
            panel.x_label("T").y_label("largest |q̂ − q|").log_x().log_y().legend_below()
        };
        Figure::new("On infinitely many inputs flat weights settle slowly")
            .panel(panel("N = 100, α = 1", &seen.finite, &self.finite))
            .panel(panel(ENDLESS, &seen.infinite, &self.infinite))
            .columns(2)
            .caption("Dots: means over data sets. Dashed: predicted rates with a free constant.")
    }
}

const ENDLESS: &str = "N = ∞, α = 2";

/// Minus the exponent in T of the largest difference.
fn rate(rho: f64, endless: bool) -> f64 {
    if endless { rho.min(0.5) } else { 0.5 }
}

/// Of twenty inputs and 50 samples: intervals that miss an inclusion probability, as it should be and in two wrong forms.
fn inclusion(runs: usize, stream: &mut Stream) -> Result<[usize; 3], Failure> {
    let (law, t) = (Zipf::new(1.0, 20)?, 50);
    let mut stored = [0usize; 20];
    for _ in 0..runs {
        for (rank, _) in Scheme::uniform().empirical_entries(&law.sample_counts(t, stream)?, 1)? {
            stored[rank - 1] += 1;
        }
    }
    let mut misses = [0; 3];
    for (count, p) in stored.iter().zip(law.probabilities(20)) {
        let share = proportion(*count, runs)?;
        let forms = [1.0 - (1.0 - p).powi(t as i32), (t as f64 * p).min(1.0), 1.0];
        for (misses, form) in misses.iter_mut().zip(forms) {
            *misses += usize::from(!share.contains(form));
        }
    }
    Ok(misses)
}

impl TypedCheck for WeightsFromData {
    const CLAIM: &'static str = "heavy-tailed/eq-4";
    const PLAN: Plan = Plan::new(
        "largest difference of weights over all inputs; its exponent in T over the predicted one, data sets as units",
        "a difference that does not fall, or falls at another rate; inputs stored with another probability than 1 − (1 − p)^T",
        &[RATE, MISSES],
    )
    .departures(&[
        "the document says that weights converge and names no rate; rates are ours, since a rate can be tested and a limit cannot",
        "0^0 = 0 at ρ = 0: only seen inputs are stored",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let mut boot = setting.stream("bootstrap, eq 4")?;
        let mut of_rate = |label: String, curve: &ErrorCurve, rate: f64| -> Result<Finding, Failure> {
            let share = curve.slope(&mut boot)?.affine(-1.0 / rate, 0.0)?;
            Ok(Finding::equals(label, 1.0, RATE, share).unit("data sets"))
        };
        let [low, one, high] = self.finite;
        let label = |rho: f64| format!("N = 100, ρ = {rho}: rate in T over 1/2");
        let mut evidence = Evidence::of(of_rate(label(one), &seen.finite[1], 0.5)?)
            .and(of_rate(label(low), &seen.finite[0], 0.5)?)
            .and(of_rate(label(high), &seen.finite[2], 0.5)?);
        for (curve, rho) in seen.infinite.iter().zip(self.infinite) {
            let rate = rate(rho, true);
            evidence = evidence.and(of_rate(format!("N = ∞, ρ = {rho}: rate in T over {rate}"), curve, rate)?);
        }
        let runs = setting.scale().pick(4000, 40_000);
        let misses = inclusion(runs, &mut setting.stream("eq 4, stored sets")?)?;
        let missed = |label: &str, misses: usize| {
            Finding::at_most(label, MISSES, Estimate::exact(misses as f64)).cases(20).unit("inputs")
        };
        let [least, ..] = self.infinite;
        let [finite, infinite] = &seen.wrong_limits;
        let evidence = evidence
            .and(missed("ρ = 0: intervals that miss 1 − (1 − p)^T", misses[0]))
            .twin(of_rate(format!("N = 100, p̂^{high} against p: rate in T over 1/2"), finite, 0.5)?)
            .twin(of_rate(format!("N = ∞, p̂^ρ against p^2ρ, ρ = {least}: rate in T over {least}"), infinite, least)?)
            .twin(missed("ρ = 0: intervals that miss T p, the expected count", misses[1]))
            .twin(missed("ρ = 0 with 0⁰ = 1: intervals that miss 1", misses[2]))
            .note("for ρ = 0 and N = ∞ the largest difference stays 1 for every T: convergence is input by input");
        Ok(Checked::from(evidence).figure(self.figure(&seen)))
    }
}
