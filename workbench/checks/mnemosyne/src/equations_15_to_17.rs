//! Eqs. 15 to 17: the energy change of a flip, and its two parts.
//!
//! **Claim** (`mnemosyne/energy-model`). Delta(E_rand) = E(neg(input, i)) - E(input) = E_signal + E_noise, with E_signal the mean over k
//! of W_k^l - Z_k^l, and E_noise the same summed over all other memories.
//!
//! The energy itself stands outside the excerpt. Only minus the sum of kernels makes Eqs. 16 and 17 right, since W belongs to the input
//! before the flip. The memory's energy is computed from its r sums, the two parts from Eq. 18 term by term. The same split with the exact
//! kernel is a footing. Refuted by a flip whose change is not the sum of the two.

use ndarray::Array1;
use workbench_features::compact::{CompactMemory, DenseMemory, Interaction, Patterns};
use workbench_features::{Ensemble, FeatureMap, MapKind};
use workbench_ledger::{Check, Done, Sheet};

use super::energy_terms::{Factor, LOGS};

/// The energy changes of all flips, and their parts.
pub const CHECK: Check = Check {
    claim: "mnemosyne/energy-model",
    metric: "energy change minus (signal + noise), over the energy",
    against: "a flip whose energy change is not the sum of the two parts",
    choices: &["N = 6, 16 and 200 with 3, 32 and 20 patterns and 5, 64 and 128 features, Â = 0.8; every flip"],
    departures: &["the energy is not in the excerpt; it is taken to be minus the sum of the kernels"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let a_hat = s.knob("Â", 0.8, 0.0..=10.0)?;
    let mut stream = s.stream("model")?;
    // Length N, patterns M, features r.
    for (n, m, r) in [(6, 3, 5), (16, 32, 64), (200, 20, 128)] {
        let set = Patterns::random(m, n, &mut stream)?;
        let input = set.pattern(0)?.corrupted(n / 6, &mut stream)?;
        let kind = MapKind::FavorPlusPlus { a_hat };
        let map = FeatureMap::draw(kind, Ensemble::Independent, r, n, &mut stream)?;
        let memory = CompactMemory::of(map.clone(), &set)?;
        let factor = Factor::printed(n, a_hat);
        let logs = |x: &Array1<f64>| map.draws().rows().map_axis(ndarray::Axis(1), |w| factor.log(w, x));
        let mut log_a = Vec::new();
        for mu in 0..m {
            log_a.push(logs(&set.pattern(mu)?.to_array()));
        }
        let (before, log_b) = (memory.energy(&input)?, logs(&input.to_array()));
        for i in s.each("flips", 0..n) {
            let flipped = input.flipped(i)?;
            let after = memory.energy(&flipped)?;
            let scale = before.log_abs.max(after.log_abs);
            let change = after.relative_to(scale) - before.relative_to(scale);
            let log_c = logs(&flipped.to_array());
            // Eq. 16 for one memory, or one term of Eq. 17: the mean over k of W_k - Z_k.
            let part = |log_a: &Array1<f64>, log_c: &Array1<f64>| {
                let (w, z) = (log_a + &log_b - scale, log_a + log_c - scale);
                (w.mapv(f64::exp) - z.mapv(f64::exp)).iter().sum::<f64>() / r as f64
            };
            let signal = part(&log_a[0], &log_c);
            let noise = log_a[1..].iter().map(|log_a| part(log_a, &log_c)).sum::<f64>();
            let label = "random features: change minus (signal + noise), over the energy";
            s.printed(LOGS).same(label, (signal + noise - change).abs());
            let summed_over_all = log_a.iter().map(|log_a| part(log_a, &log_c)).sum::<f64>();
            let near_twice = (signal + summed_over_all - change).abs();
            s.twin(LOGS).largest().same("noise summed over all memories, the near one too", near_twice);
            // The entry goes to zero and not to the other sign.
            let mut halfway = input.to_array();
            halfway[i] = 0.0;
            let log_c = logs(&halfway);
            let half = log_a.iter().map(|log_a| part(log_a, &log_c)).sum::<f64>();
            let label = "c_k at the input with entry i left out, largest difference";
            s.twin(LOGS).largest().same(label, (half - change).abs());
        }
        exact_kernel(s, n, m)?;
    }
    Ok(())
}

fn exact_kernel(s: &Sheet, n: usize, m: usize) -> Done {
    let set = Patterns::random(m, n, &mut s.streams().restart("model, exact")?)?;
    let memory = DenseMemory::new(set.clone(), Interaction::Exponential);
    let input = set.pattern(0)?.flipped_at(&[0, 2])?;
    let before = memory.energy(&input)?;
    for i in s.each("flips", 0..n) {
        let after = memory.energy(&input.flipped(i)?)?;
        let (signal, noise) = memory.signal_and_noise(&input, i, 0)?;
        let left = signal.plus(noise).plus(before).plus(after.minus());
        let off = left.relative_to(before.log_abs.max(after.log_abs)).abs();
        s.support(LOGS).same("exact kernel: change minus (signal + noise), over the energy", off);
    }
    Ok(())
}
