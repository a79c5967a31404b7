//! Largest norm of empirical weights: B.2, finite data, the Jensen step.
//!
//! **Claim** (`heavy-tailed/b2-jensen`). For rho <= 1/2, 1/N = (1/N) sum (q^2)^(1/2 rho) >= (||q||^2/N)^(1/2 rho), hence ||q||^2 <=
//! N^(1-2 rho); for rho > 1/2 all mass on one input is worst and ||q||^2 <= 1. These define psi(N).
//!
//! Every empirical distribution of few samples on few inputs is listed, and frequencies on up to 3000 inputs are drawn, from nearly even
//! ones to nearly all mass on one. Refuted by one above its bound, and for rho > 1/2 by a point mass that does not reach it, as it is said
//! to be the worst. That the uniform distribution reaches the other bound, and that the frequencies sum to one, is known and tries the
//! code.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Sheet};
use workbench_memory::{data_load, memory_load, types};

use crate::vocabulary::ROUNDING;

/// All empirical distributions.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/b2-jensen",
    metric: "largest ‖q‖² over its bound, minus one, over all empirical distributions",
    against: "a distribution above its bound; for ρ > 1/2 a point mass below it, which is said to be the worst",
    choices: &[
        "all counts of up to 8 samples on 2 to 5 inputs, ρ from 0.1 to 2",
        "on 30, 300 and 3000 inputs frequencies in proportion to powers of uniform numbers",
    ],
    run,
    ..Check::DEFAULT
};

/// Exponents of the scheme.
const RHOS: [f64; 7] = [0.1, 0.25, 0.4, 0.5, 0.6, 1.0, 2.0];

fn run(s: &Sheet) -> Done {
    let (printed, twin) = (s.printed(ROUNDING), s.twin(ROUNDING).largest());
    for n in 2..=5 {
        for size in 1..=8 {
            for counts in s.each("distributions", types(n, size)?) {
                let seen = counts.iter().filter(|c| **c > 0).map(|c| *c as f64 / size as f64);
                let (seen, n) = (seen.collect::<Vec<f64>>(), n as f64);
                for rho in RHOS {
                    let energy = norm(&seen, rho);
                    let label = "largest ‖q‖²/ψ(N) − 1 over all empirical distributions";
                    printed.at_most(label, energy / data_load(rho, n) - 1.0);
                    if rho <= 0.5 {
                        let label = "the Jensen line: largest right over left side, minus one";
                        printed.at_most(label, jensen(energy, n, rho));
                        let whole: f64 = seen.iter().map(|p| p.powf(2.0 * rho).powf(0.5 / rho)).sum();
                        s.support(ROUNDING).same("Σ (q²)^{1/2ρ} = 1: largest distance", (whole - 1.0).abs());
                        let label = "N^(1/2−ρ), q in place of q²: largest excess";
                        twin.at_most(label, energy / n.powf(0.5 - rho) - 1.0);
                    } else {
                        let label = "N^(1−2ρ) beyond ρ = 1/2: largest excess";
                        twin.at_most(label, energy / n.powf(1.0 - 2.0 * rho) - 1.0);
                    }
                }
            }
        }
    }
    for rho in s.each("exponents", RHOS) {
        if rho <= 0.5 {
            let reached = norm(&[0.125; 8], rho) / data_load(rho, 8.0);
            s.support(ROUNDING).same("reached by the uniform distribution, ρ ≤ 1/2", (reached - 1.0).abs());
        } else {
            let reached = norm(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], rho) / data_load(rho, 8.0);
            printed.same("reached by all mass on one input, ρ > 1/2", (reached - 1.0).abs());
        }
    }
    // Powers of uniform numbers, as frequencies: the higher the power, the more of the mass is on few inputs.
    let (mut stream, powers) = (s.stream("frequencies")?, s.scale().pick(12, 60));
    for n in [30usize, 300, 3000] {
        for power in s.each("distributions", 0..powers) {
            let drawn: Vec<f64> = (0..n).map(|_| stream.uniform().powi(power)).collect();
            let total: f64 = drawn.iter().sum();
            let (frequencies, n) = (drawn.iter().map(|p| p / total).collect::<Vec<f64>>(), n as f64);
            for rho in RHOS {
                let energy = norm(&frequencies, rho);
                let label = "frequencies drawn on up to 3000 inputs: largest ‖q‖² over its bound, minus one";
                printed.at_most(label, energy / data_load(rho, n) - 1.0);
                if rho <= 0.5 {
                    let label = "frequencies drawn: the Jensen step, largest right over left side, minus one";
                    printed.at_most(label, jensen(energy, n, rho));
                }
            }
        }
    }
    s.note("at most T inputs are seen, so ψ(min(N, T)) would do; that ψ is not φ of Theorem 1 stands beside the end of its proof");
    s.figure(figure());
    Ok(())
}

/// `||q||^2` of `q = p^rho`.
fn norm(frequencies: &[f64], rho: f64) -> f64 {
    frequencies.iter().map(|p| p.powf(2.0 * rho)).sum()
}

/// Right over left side of the line, minus one.
fn jensen(energy: f64, n: f64, rho: f64) -> f64 {
    (energy / n).powf(0.5 / rho) * n - 1.0
}

fn figure() -> Figure {
    let n: Vec<f64> = (1..=12).map(|k| 10f64.powi(k)).collect();
    let mut panel = Panel::new("α = 2").x_label("N").y_label("load").log_x().log_y();
    for (k, rho) in [0.125, 0.375].into_iter().enumerate() {
        let psi: Vec<f64> = n.iter().map(|n| data_load(rho, *n)).collect();
        let phi: Vec<f64> = n.iter().map(|n| memory_load(2.0, rho, *n)).collect();
        panel = panel
            .line(&format!("ψ, ρ = {rho}"), &n, &psi)
            .colour(k)
            .theory(&format!("φ, ρ = {rho}"), &n, &phi)
            .colour(k);
    }
    Figure::new("The load of the proof grows where that of the theorem does not")
        .panel(panel)
        .caption("Solid: ψ(N), what Jensen gives for every data set. Dashed: φ(N), what Theorem 1 states.")
}
