//! Eq. 19 and the display after it: the probability that two random directions are nearly parallel.
//!
//! **Claim** (`heavy-tailed/lemma-2-cap-formula`). For rotation-invariant X_i the pair probability is P(|<X/|X|, f_1>| >= eta), X/|X|
//! uniform on the sphere, and equals 2/Vol(S^(d-1)) int_eta^2 Vol(sqrt(1 - t^2) S^(d-2)) dt = 2 Vol(S^(d-2))/Vol(S^(d-1)) int_eta^1 (1 -
//! t^2)^((d-1)/2) dt = 2 Gamma(d/2 + 1)/(sqrt(pi) Gamma(d/2 + 1/2)) int_eta^1 (1 - t^2)^((d-1)/2) dt.
//!
//! The surface leans: its area element at height t is dt/sqrt(1 - t^2), which leaves (1 - t^2)^((d-3)/2). The last constant is that of the
//! ball, 2 Vol(B^(d-1))/Vol(B^d): with volumes the members are one chain, for a point that is uniform in the ball. At eta = 0 it must be one; d = 2 gives 2/pi arccos eta and d = 3 gives 1 - eta without any integral. The display is refuted by a member that differs, Eq. 19
//! by a share of drawn pairs whose interval misses.

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, normal_array2, proportion_at, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memory::{CapChain, cap_chain, cap_probability};

use super::profiles::QUADRATURE;
use crate::vocabulary::{EXACT, ROUNDING};

/// The members on a grid, and sampled directions.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/lemma-2-cap-formula",
    metric: "largest relative difference of a member from the probability, by the incomplete beta function; sampled shares",
    against: "a member that differs; a share whose interval misses the probability",
    protocol: &["pairs of a rotation-invariant law, and uniform directions"],
    choices: &[
        "d = 2 to 50, eta = 0.1 to 0.9, and eta = 0; standard normal pairs; drawn in d = 3 and 10",
        "the intervals of all sampled shares hold together with 99.9 %",
    ],
    departures: &["the upper limit 2 of the second member is read as 1: beyond it the radius is not real"],
    run,
    ..Check::DEFAULT
};

/// Dimensions in which directions are drawn.
const SAMPLED: [usize; 2] = [3, 10];

fn etas() -> Vec<f64> {
    (1..=9).map(|k| f64::from(k) / 10.0).collect()
}

fn run(s: &Sheet) -> Done {
    s.step("the slices are those of the ball: with dx₁/√(1 − x₁²) for dx₁ the integrand is (1 − t²)^((d−3)/2), its constant 2 Γ(d/2)/(√π Γ((d − 1)/2)), from η to 1; as printed, with volumes, it is the law of two more dimensions");
    let (printed, changed, twin) = (s.printed(QUADRATURE), s.changed(QUADRATURE), s.twin(QUADRATURE));
    let shown = s.aside(QUADRATURE);
    for d in s.each("dimensions", s.knobs("dimensions d", &[2usize, 3, 5, 10, 50], 2..)?) {
        let [_, integral, _, density] = CapChain::at_zero(d)?;
        for eta in s.each("pairs of d and η", etas()) {
            let c = cap_chain(d, eta)?;
            let off = |value: f64, right: f64| (value / right - 1.0).abs();
            printed.same("last printed member: largest relative difference", off(c.gammas, c.exact));
            shown.same("third printed member, Vol as areas: largest relative difference", off(c.integral, c.exact));
            shown.same(
                "second printed member, Vol as areas, slices: largest relative difference",
                off(c.slices, c.exact),
            );
            changed.same("density with (d − 3)/2: largest relative difference", off(c.density, c.exact));
            let label = "last printed member against the probability in d + 2: largest relative difference";
            changed.same(label, off(c.gammas, cap_probability(d + 2, eta)?));
            let label = "last printed member against the probability in d + 1: largest relative difference";
            twin.largest().same(label, off(c.gammas, cap_probability(d + 1, eta)?));
        }
        shown.same("third printed member, Vol as areas, at η = 0: largest distance from one", (integral - 1.0).abs());
        changed.same("density with (d − 3)/2 at η = 0: largest distance from one", (density - 1.0).abs());
    }
    for eta in etas() {
        let closed = [(3, 1.0 - eta), (2, eta.acos() * std::f64::consts::FRAC_2_PI)];
        for (d, closed) in s.each("values", closed) {
            let label = "incomplete beta against arccos (d = 2) and 1 − η (d = 3)";
            s.support(ROUNDING).same(label, (cap_probability(d, eta)? - closed).abs());
        }
    }
    s.figure(figure(&sampled(s)?)?);
    Ok(())
}

/// Shares of drawn directions beyond each eta, whose intervals are to hold the probability; the shares of each dimension.
fn sampled(s: &Sheet) -> Result<Vec<Vec<f64>>, Failure> {
    let n = s.knob("draws", s.scale().pick(20_000usize, 200_000), 1000..)?;
    let (mut caps, mut normal) = (s.stream("caps")?, s.stream("pairs of vectors")?);
    let mut means = Vec::new();
    for d in SAMPLED {
        let directions = unit_sphere(&mut caps, n, d);
        let vectors = normal_array2(&mut normal, 2 * n, d);
        let fixed = shares(&directions.column(0).mapv(f64::abs).to_vec())?;
        let (pairs, corners) = (shares(&cosines(&vectors))?, shares(&cosines(&vectors.mapv(f64::signum)))?);
        for (k, eta) in s.each("intervals", etas().into_iter().enumerate()) {
            let exact = cap_probability(d, eta)?;
            let label = "Eq. 19, drawn pairs: intervals that miss the probability";
            s.printed(EXACT).never(label, !pairs[k].contains(exact));
            s.changed(EXACT).never("drawn directions against f_1: intervals that miss", !fixed[k].contains(exact));
            let label = "corners of the cube, no rotation invariance: intervals that miss";
            s.twin(EXACT).never(label, !corners[k].contains(exact));
        }
        means.push(fixed.iter().map(|share| share.value).collect());
    }
    Ok(means)
}

/// |<X_1, X_2>| / (|X_1| |X_2|) of rows of one array.
fn cosines(vectors: &Array2<f64>) -> Vec<f64> {
    let half = vectors.nrows() / 2;
    let pair = |i: usize| {
        let (a, b) = (vectors.row(i), vectors.row(half + i));
        a.dot(&b).abs() / (a.dot(&a) * b.dot(&b)).sqrt()
    };
    (0..half).map(pair).collect()
}

/// Shares of cosines beyond each eta, together at 99.9 %.
fn shares(cosines: &[f64]) -> Result<Vec<Estimate>, Failure> {
    let n = cosines.len();
    let all = (4 * etas().len()) as f64;
    let beyond = |eta: f64| cosines.iter().filter(|c| **c >= eta).count();
    let share = |eta: f64| Ok(proportion_at(beyond(eta), n, 1.0 - 1e-3 / all)?);
    etas().into_iter().map(share).collect()
}

fn figure(means: &[Vec<f64>]) -> Result<Figure, Failure> {
    let fine: Vec<f64> = (1..100).map(|k| f64::from(k) / 100.0).collect();
    let mut figure = Figure::new("The printed members miss the probability of a cap")
        .columns(2)
        .caption(
            "Dots: random directions. The printed integral, read with areas, starts below one; the last printed member is the law of two more dimensions.",
        );
    for (d, means) in SAMPLED.into_iter().zip(means) {
        let chains = fine.iter().map(|eta| cap_chain(d, *eta));
        let chains = chains.collect::<Result<Vec<CapChain>, _>>()?;
        let line = |of: fn(&CapChain) -> f64| chains.iter().map(of).collect::<Vec<f64>>();
        figure = figure.panel(
            Panel::new(&format!("d = {d}"))
                .x_label("η")
                .y_label("P(|⟨X, f₁⟩| ≥ η)")
                .log_y()
                .y_limits(1e-4, 1.0)
                .line("exact", &fine, &line(|c| c.exact))
                .points("sampled", &etas(), means)
                .line("last printed member", &fine, &line(|c| c.gammas))
                .line("printed integral", &fine, &line(|c| c.integral))
                .legend_below(),
        );
    }
    Ok(figure)
}
