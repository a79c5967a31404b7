//! Eq. 4: weights from observed frequencies settle.
//!
//! **Claim** (`heavy-tailed/eq-4`). The weights phat(x)^rho, phat the observed frequencies, converge to q_rho = p^rho as T grows.
//!
//! The largest difference over all inputs is followed, and must fall with T. The document names no rate; the check stands on what theory
//! gives. On finitely many inputs the central limit theorem makes it fall as T^(-1/2) for
//! every rho > 0. On infinitely many, inputs with p near 1/T are never settled, and both weights are of size T^(-rho) there: the rate is
//! min(1/2, rho) up to powers of ln T. At rho = 0 all hangs on 0^0: with 0^0 = 0 exactly the seen inputs are stored, each with
//! probability 1 - (1 - p)^T. Refuted by a difference that does not fall, or by
//! another inclusion probability.

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, proportion};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};
use workbench_memory::{Counts, ErrorCurve, Scheme, Zipf, power_law};

use crate::vocabulary::largest_of;

/// How fast weights from data settle, as a part of the predicted rate.
pub(crate) const RATE: Margin = Margin::statistical(
    "a quarter of the rate",
    0.25,
    "half the way to the nearest wrong rates, which are half as fast or twice; powers of ln T take about a tenth",
);
/// That weights from data settle at all, as a part of the predicted rate.
pub(crate) const SETTLES: Margin = Margin::statistical(
    "weights settle",
    0.05,
    "what data sets leave open of a share of the rate; a difference that stays has the share zero, known to a thousandth",
);
/// Of many exact intervals one may miss.
pub(crate) const MISSES: Margin =
    Margin::statistical("one miss", 1.0, "of twenty intervals at 99.9 % one may miss by chance, two hardly");

/// Weights from data against their limit, on finitely and on infinitely many inputs.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-4",
    metric: "largest difference of weights over all inputs; its exponent in T over the predicted one, data sets as units",
    against: "a difference that does not fall with T; inputs stored with another probability than 1 − (1 − p)^T",
    choices: &[
        "N = 100 at α = 1 and N = ∞ at α = 2, T = 10^4 to 10^7, at paper size to 10^8; 20 inputs and 50 samples for the stored sets",
        "the document says that weights converge and names no rate; rates are ours, and the check stands on them",
        "0^0 = 0 at ρ = 0: only seen inputs are stored",
    ],
    run,
    ..Check::DEFAULT
};

const INPUTS: usize = 100;
/// Powers of observed frequencies, and those of p that they are held against: ρ, and last a wrong limit.
const FINITE: [(f64, f64); 4] = [(0.5, 0.5), (1.0, 1.0), (2.0, 2.0), (2.0, 1.0)];
/// The same on infinitely many inputs.
const ENDLESS: [(f64, f64); 4] = [(0.125, 0.125), (0.25, 0.25), (0.5, 0.5), (0.125, 0.25)];

fn run(s: &Sheet) -> Done {
    let ([finite, endless], mut boot) = (differences(s)?, s.stream("bootstrap, eq 4")?);
    let mut falls =
        |[settles, at_rate]: [Option<Says>; 2], what: &str, curve: &ErrorCurve, rate: f64, words: &str| -> Done {
            let share = curve.slope(&mut boot)?.affine(-1.0 / rate, 0.0)?;
            let label = format!("{what}: rate in T over {words}");
            if let Some(says) = settles {
                says.of("data sets").at_least(label.clone(), share);
            }
            if let Some(says) = at_rate {
                says.of("data sets").equals(label, 1.0, share);
            }
            Ok(())
        };
    let right = [Some(s.printed(SETTLES)), Some(s.support(RATE))];
    for k in [1, 0, 2] {
        falls(right, &format!("N = 100, ρ = {}", FINITE[k].0), &finite[k], 0.5, "1/2")?;
    }
    for ((rho, _), curve) in ENDLESS.into_iter().zip(&endless).take(3) {
        falls(right, &format!("N = ∞, ρ = {rho}"), curve, rho, &rho.to_string())?;
    }
    falls([Some(s.twin(SETTLES)), None], "N = 100, p̂^2 against p", &finite[3], 0.5, "1/2")?;
    // It still falls towards its wrong limit over these sizes, but not at the rate.
    falls([None, Some(s.twin(RATE))], "N = ∞, p̂^ρ against p^2ρ, ρ = 0.125", &endless[3], 0.125, "0.125")?;
    inclusion(s)?;
    s.note("for ρ = 0 and N = ∞ the largest difference stays 1 for every T: convergence is input by input");
    s.figure(figure(&finite, &endless));
    Ok(())
}

/// Largest difference against T for each pair of [`FINITE`] and of [`ENDLESS`]; a quarter of the data sets is on infinitely many inputs.
fn differences(s: &Sheet) -> Result<[Vec<ErrorCurve>; 2], Failure> {
    let runs: usize = s.knob("data sets", s.scale().pick(160, 400), 5..)?;
    let few = runs.div_ceil(4);
    let sizes: Vec<usize> = (8..=s.scale().pick(14, 16)).map(|k| 10f64.powf(f64::from(k) / 2.0) as usize).collect();
    let (law, endless) = (Zipf::new(1.0, INPUTS)?, Zipf::infinite(2.0)?);
    let mut on_finite = vec![Array2::zeros((runs, sizes.len())); FINITE.len()];
    let mut on_endless = vec![Array2::zeros((few, sizes.len())); ENDLESS.len()];
    let mut stream = s.stream("eq 4")?;
    for (j, t) in sizes.iter().enumerate() {
        for run in 0..runs {
            let counts = law.sample_counts(*t, &mut stream)?;
            for (rows, (rho, limit)) in on_finite.iter_mut().zip(FINITE) {
                rows[[run, j]] = distance(&counts, &law, rho, limit)?;
            }
            if run < few {
                let counts = endless.sample_counts(*t, &mut stream)?;
                for (rows, (rho, limit)) in on_endless.iter_mut().zip(ENDLESS) {
                    rows[[run, j]] = distance_endless(&counts, &endless, rho, limit);
                }
            }
        }
    }
    let sizes: Vec<f64> = sizes.iter().map(|t| *t as f64).collect();
    let curves = |all: Vec<Array2<f64>>| -> Result<Vec<ErrorCurve>, Failure> {
        all.into_iter().map(|rows| Ok(ErrorCurve::new(sizes.clone(), rows)?)).collect()
    };
    Ok([curves(on_finite)?, curves(on_endless)?])
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

/// Twenty inputs and 50 samples at ρ = 0: the probability that an input is stored, as it should be and in two wrong forms.
fn inclusion(s: &Sheet) -> Done {
    let (law, t, runs, mut stream) =
        (Zipf::new(1.0, 20)?, 50, s.scale().pick(4000, 40_000), s.stream("eq 4, stored sets")?);
    let mut stored = [0; 20];
    for _ in 0..runs {
        for (rank, _) in Scheme::uniform().empirical_entries(&law.sample_counts(t, &mut stream)?, 1)? {
            stored[rank - 1] += 1;
        }
    }
    let shares = stored.into_iter().map(|count| proportion(count, runs)).collect::<Result<Vec<Estimate>, _>>()?;
    let misses = |says: Says, label: &str, form: &dyn Fn(f64) -> f64| {
        let missed = shares.iter().zip(law.probabilities(20)).filter(|(share, p)| !share.contains(form(*p)));
        says.over(20, "inputs").at_most(label, missed.count() as f64);
    };
    let once = |p: f64| 1.0 - (1.0 - p).powi(t as i32);
    misses(s.printed(MISSES), "ρ = 0: intervals that miss 1 − (1 − p)^T", &once);
    let expected = |p: f64| (t as f64 * p).min(1.0);
    misses(s.twin(MISSES), "ρ = 0: intervals that miss T p, the expected count", &expected);
    misses(s.twin(MISSES), "ρ = 0 with 0⁰ = 1: intervals that miss 1", &|_| 1.0);
    Ok(())
}

fn figure(finite: &[ErrorCurve], endless: &[ErrorCurve]) -> Figure {
    let panel = |title: &str, curves: &[ErrorCurve], powers: [(f64, f64); 4], rate: fn(f64) -> f64| {
        let mut panel = Panel::new(title);
        for (k, (curve, (rho, _))) in curves.iter().zip(powers).take(3).enumerate() {
            let (x, means, rate, middle) = (curve.x(), curve.means(), rate(rho), curve.x().len() / 2);
            let law = power_law(x, means[middle] * x[middle].powf(rate), -rate);
            panel = panel
                .points(&format!("ρ = {rho}"), x, &means)
                .colour(k)
                .theory(&format!("T^{{−{rate}}}"), x, &law)
                .colour(k);
        }
        panel.x_label("T").y_label("largest |q̂ − q|").log_x().log_y().legend_below()
    };
    Figure::new("On infinitely many inputs flat weights settle slowly")
        .panel(panel("N = 100, α = 1", finite, FINITE, |_| 0.5))
        .panel(panel("N = ∞, α = 2", endless, ENDLESS, |rho| rho))
        .columns(2)
        .caption("Dots: means over data sets. Dashed: predicted rates with a free constant.")
}
