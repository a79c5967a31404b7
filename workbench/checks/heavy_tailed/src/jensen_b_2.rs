//! B.2, finite data, Jensen step: how large the norm of the empirical weights can be.
//!
//! **Claim** (`heavy-tailed/b2-jensen`). For rho <= 1/2, 1/N = (1/N) sum (q^2)^(1/2 rho) >= (||q||^2/N)^(1/2 rho), hence ||q||^2 <=
//! N^(1-2 rho); for rho > 1/2 all mass on one input is worst and ||q||^2 <= 1. These define psi(N).
//!
//! Every empirical distribution of few samples on few inputs is listed, and frequencies on up to 3000 inputs are drawn, from nearly even
//! ones to nearly all mass on one. Against the claim speaks one above its bound; a bound that no distribution reaches would be true and
//! loose, so the uniform one and the point mass have to reach theirs.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{data_load, memory_load, types};

use crate::vocabulary::{ROUNDING, largest_of};

/// All empirical distributions.
#[derive(Clone, Debug)]
pub struct JensenStep {
    /// Inputs N, from 2.
    pub inputs: usize,
    /// Samples T, from 1.
    pub samples: usize,
    /// Exponents of the scheme.
    pub rhos: Vec<f64>,
}

impl Default for JensenStep {
    fn default() -> JensenStep {
        JensenStep { inputs: 5, samples: 8, rhos: vec![0.1, 0.25, 0.4, 0.5, 0.6, 1.0, 2.0] }
    }
}

#[derive(Default)]
struct Excess {
    distributions: usize,
    norm: Vec<f64>,
    line: Vec<f64>,
    equality: Vec<f64>,
    /// N^(1/2 - rho), q in place of q^2.
    half: Vec<f64>,
    /// N^(1 - 2 rho) beyond 1/2.
    kept: Vec<f64>,
}

impl JensenStep {
    fn excess(&self) -> Result<Excess, Failure> {
        let mut found = Excess::default();
        for n in 2..=self.inputs {
            for size in 1..=self.samples {
                for counts in types(n, size)? {
                    found.distributions += 1;
                    let seen = counts.iter().filter(|c| **c > 0).map(|c| *c as f64 / size as f64);
                    let seen: Vec<f64> = seen.collect();
                    self.rhos.iter().for_each(|rho| found.see(&seen, n as f64, *rho));
                }
            }
        }
        Ok(found)
    }

    /// Powers of uniform numbers, as frequencies: the higher the power, the more of the mass is on few inputs.
    fn drawn(&self, setting: &Setting) -> Result<Excess, Failure> {
        let (mut found, mut stream) = (Excess::default(), setting.stream("frequencies")?);
        for n in [30usize, 300, 3000] {
            for power in 0..setting.scale().pick(12, 60) {
                found.distributions += 1;
                let drawn: Vec<f64> = (0..n).map(|_| stream.uniform().powi(power)).collect();
                let total: f64 = drawn.iter().sum();
                let frequencies: Vec<f64> = drawn.iter().map(|p| p / total).collect();
                self.rhos.iter().for_each(|rho| found.see(&frequencies, n as f64, *rho));
            }
        }
        Ok(found)
    }
}

impl Excess {
    fn see(&mut self, frequencies: &[f64], n: f64, rho: f64) {
        let squares: Vec<f64> = frequencies.iter().map(|p| p.powf(2.0 * rho)).collect();
        let energy: f64 = squares.iter().sum();
        self.norm.push(energy / data_load(rho, n) - 1.0);
        if rho <= 0.5 {
            self.line.push((energy / n).powf(0.5 / rho) * n - 1.0);
            self.equality.push((squares.iter().map(|q| q.powf(0.5 / rho)).sum::<f64>() - 1.0).abs());
            self.half.push(energy / n.powf(0.5 - rho) - 1.0);
        } else {
            self.kept.push(energy / n.powf(1.0 - 2.0 * rho) - 1.0);
        }
    }
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

impl TypedCheck for JensenStep {
    const CLAIM: &'static str = "heavy-tailed/b2-jensen";
    const PLAN: Plan = Plan::new(
        "largest ‖q‖² over its bound, minus one, over all empirical distributions",
        "a distribution above its bound, or a bound that none reaches",
        &[ROUNDING],
    )
    .protocol(&[
        "all counts of up to 8 samples on 2 to 5 inputs, ρ from 0.1 to 2",
        "on 30, 300 and 3000 inputs frequencies in proportion to powers of uniform numbers",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (found, drawn) = (self.excess()?, self.drawn(setting)?);
        let flat = self.rhos.iter().filter(|rho| **rho <= 0.5).map(|rho| {
            let energy = 8.0 * 0.125f64.powf(2.0 * rho);
            (energy / data_load(*rho, 8.0) - 1.0).abs()
        });
        let n = found.distributions;
        let point = self.rhos.iter().filter(|rho| **rho > 0.5);
        let point = point.map(|rho| (1.0 / data_load(*rho, 8.0) - 1.0).abs());
        let over = |label: &str, list: &[f64], n: usize| {
            Finding::at_most(label, ROUNDING, Estimate::exact(largest_of(list))).cases(n).unit("distributions")
        };
        let largest = |label: &str, list: &[f64]| over(label, list, n);
        let evidence = Evidence::of(largest("largest ‖q‖²/ψ(N) − 1 over all empirical distributions", &found.norm))
            .and(largest("the Jensen line: largest right over left side, minus one", &found.line))
            .and(
                Finding::identity("Σ (q²)^{1/2ρ} = 1: largest distance", largest_of(&found.equality), ROUNDING)
                    .cases(n)
                    .unit("distributions"),
            )
            .and(Finding::identity(
                "reached by the uniform distribution, ρ ≤ 1/2",
                largest_of(flat),
                ROUNDING,
            ))
            .and(Finding::identity(
                "reached by all mass on one input, ρ > 1/2",
                largest_of(point),
                ROUNDING,
            ))
            .and(over(
                "frequencies drawn on up to 3000 inputs: largest ‖q‖² over its bound, minus one",
                &drawn.norm,
                drawn.distributions,
            ))
            .and(over(
                "frequencies drawn: the Jensen step, largest right over left side, minus one",
                &drawn.line,
                drawn.distributions,
            ))
            .twin(largest("N^(1/2−ρ), q in place of q²: largest excess", &found.half))
            .twin(largest("N^(1−2ρ) beyond ρ = 1/2: largest excess", &found.kept))
            .note(format!(
                "ψ(N) is not φ(N) of Theorem 1: for 1/(2α) < ρ < 1/2 the theorem has φ = 1 and this step N^(1−2ρ), a factor {:.0} at α = 2, \
                 ρ = 3/8, N = 10^6; since at most T inputs are seen, ψ(min(N, T)) would do",
                data_load(0.375, 1e6) / memory_load(2.0, 0.375, 1e6)
            ));
        Ok(Checked::from(evidence).figure(figure()))
    }
}
