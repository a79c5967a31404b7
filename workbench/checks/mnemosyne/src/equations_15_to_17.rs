//! Eqs. 15 to 17: the energy change of a flip, and its two parts.
//!
//! **Claim** (`mnemosyne/energy-model`). Delta(E_rand) = E(neg(input, i)) - E(input) = E_signal + E_noise, with E_signal the mean over k
//! of W_k^l - Z_k^l, and E_noise the same summed over all other memories.
//!
//! The energy itself stands outside the excerpt. Only minus the sum of kernels makes Eqs. 16 and 17 right, since W belongs to the input
//! before the flip. The memory's energy is computed from its r sums, the two parts from Eq. 18 term by term. What would count against
//! it: a flip whose change is not the sum of the two.

use ndarray::Array1;
use workbench_features::compact::{CompactMemory, DenseMemory, Interaction, Patterns, Signs};
use workbench_features::{Ensemble, FeatureMap, MapKind};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use super::section_a_2::{Factor, LOGS};
use crate::vocabulary::{Largest, Least};

/// The energy changes of all flips, and their parts.
#[derive(Clone, Debug)]
pub struct EnergyChange {
    /// Length N, patterns M, features r.
    pub sizes: Vec<(usize, usize, usize)>,
    /// The parameter of FAVOR++.
    pub a_hat: f64,
}

impl Default for EnergyChange {
    fn default() -> EnergyChange {
        EnergyChange { sizes: vec![(6, 3, 5), (16, 32, 64), (200, 20, 128)], a_hat: 0.8 }
    }
}

#[derive(Default)]
struct Seen {
    split: Largest,
    exact: Largest,
    other_sign: Least,
    near_twice: Largest,
    flips: u64,
}

/// Eq. 16 for one memory, or one term of Eq. 17, over `exp(log_scale)`: the mean over k of W_k - Z_k.
struct Part {
    log_a: Vec<f64>,
}

impl Part {
    fn of(factor: &Factor, map: &FeatureMap, pattern: &Signs) -> Part {
        Part { log_a: logs(factor, map, &pattern.to_array()) }
    }

    fn mean(&self, log_b: &[f64], log_c: &[f64], log_scale: f64) -> f64 {
        let terms = self.log_a.iter().zip(log_b.iter().zip(log_c));
        let sum: f64 = terms.map(|(a, (b, c))| (a + b - log_scale).exp() - (a + c - log_scale).exp()).sum();
        sum / self.log_a.len() as f64
    }
}

fn logs(factor: &Factor, map: &FeatureMap, x: &Array1<f64>) -> Vec<f64> {
    map.draws().rows().outer_iter().map(|w| factor.log(w, x)).collect()
}

impl EnergyChange {
    fn random_features(&self, setting: &Setting, seen: &mut Seen) -> Result<(), Failure> {
        let mut stream = setting.stream("model")?;
        let kind = MapKind::FavorPlusPlus { a_hat: self.a_hat };
        for &(n, m, r) in &self.sizes {
            let set = Patterns::random(m, n, &mut stream)?;
            let input = set.pattern(0)?.corrupted(n / 6, &mut stream)?;
            let map = FeatureMap::draw(kind, Ensemble::Independent, r, n, &mut stream)?;
            let memory = CompactMemory::of(map.clone(), &set)?;
            let factor = Factor::printed(n, self.a_hat);
            let mut parts = Vec::new();
            for mu in 0..m {
                parts.push(Part::of(&factor, &map, &set.pattern(mu)?));
            }
            let before = memory.energy(&input)?;
            let log_b = logs(&factor, &map, &input.to_array());
            for i in 0..n {
                let flipped = input.flipped(i)?;
                let after = memory.energy(&flipped)?;
                let scale = before.log_abs.max(after.log_abs);
                let change = after.relative_to(scale) - before.relative_to(scale);
                let log_c = logs(&factor, &map, &flipped.to_array());
                let part = |part: &Part| part.mean(&log_b, &log_c, scale);
                let (signal, noise) = (part(&parts[0]), parts[1..].iter().map(part).sum::<f64>());
                seen.split.see((signal + noise - change).abs());
                seen.other_sign.see((signal + noise + change).abs());
                seen.near_twice.see((signal + (signal + noise) - change).abs());
                seen.flips += 1;
            }
        }
        Ok(())
    }

    fn exact_kernel(&self, setting: &Setting, seen: &mut Seen) -> Result<(), Failure> {
        for &(n, m, _) in &self.sizes {
            let set = Patterns::random(m, n, &mut setting.streams().restart("model, exact")?)?;
            let memory = DenseMemory::new(set.clone(), Interaction::Exponential);
            let input = set.pattern(0)?.flipped_at(&[0, 2])?;
            let before = memory.energy(&input)?;
            for i in 0..n {
                let after = memory.energy(&input.flipped(i)?)?;
                let (signal, noise) = memory.signal_and_noise(&input, i, 0)?;
                let scale = before.log_abs.max(after.log_abs);
                let left = signal.plus(noise).plus(before).plus(after.minus());
                seen.exact.see(left.relative_to(scale).abs());
            }
        }
        Ok(())
    }
}

impl TypedCheck for EnergyChange {
    const CLAIM: &'static str = "mnemosyne/energy-model";
    const PLAN: Plan = Plan::new(
        "energy change minus (signal + noise), over the energy",
        "a flip whose energy change is not the sum of the two parts",
        &[LOGS],
    )
    .departures(&["the energy is not in the excerpt; it is taken to be minus the sum of the kernels"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut seen = Seen::default();
        self.random_features(setting, &mut seen)?;
        self.exact_kernel(setting, &mut seen)?;
        let of = |label: &str, value: f64| Finding::identity(label, value, LOGS).cases(seen.flips).unit("flips");
        let evidence =
            Evidence::of(of("random features: change minus (signal + noise), over the energy", seen.split.0))
                .and(of("exact kernel: change minus (signal + noise), over the energy", seen.exact.0))
                .twin(of("energy with the other sign, least difference", seen.other_sign.0))
                .twin(of("noise summed over all memories, the near one too", seen.near_twice.0));
        Ok(evidence.into())
    }
}
