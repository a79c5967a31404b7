//! Figure 9: the dashed curves beside two schemes at N = 1000.
//!
//! **Claims.** `heavy-tailed/fig-9-orange`: weights p follow E = .35 d^(-1/4); `heavy-tailed/fig-9-green`: equal weights on the top d/8
//! follow E = 3.5 d^(-1); together they validate scalings derived with N = infinity.
//!
//! A dashed curve beside another in a logarithmic figure says so much about a constant as the eye sees: a tenth. The amplitude is fitted
//! with the printed slope, the slope with the amplitude free, of the exact expectation and of 100 runs. Refuted by half or twice its
//! exponent, and by a constant that is more than a tenth off. For the green curve the constant can also be predicted, and the check stands
//! on it: unstored inputs are guessed, so the error is (1 - 1/M) times the exact tail beyond d/8.

use workbench_ledger::{Check, Done, Sheet};
use workbench_memory::{ErrorCurve, Samples, Scheme, chance_error};

use super::exponents::CLASSES;
use super::scaling_curves::{DRAWN_CONSTANT, DRAWN_EXPONENT, top_power};
use super::schemes_along_d::{FIGURE_9, GREEN, ORANGE, schemes};

/// The orange dashed curve.
pub const ORANGE_DASHED: Check = Check {
    claim: "heavy-tailed/fig-9-orange",
    metric: "amplitude with slope -1/4 over .35, and slope with free amplitude, for 8 ≤ d ≤ 1024",
    against: "a constant that is more than a tenth off; half or twice the exponent",
    protocol: &["N = 1000, α = 2, M = 5, T = ∞, 100 runs, as printed"],
    choices: &[
        "8 ≤ d ≤ 1024; beside the 100 runs the exact expectation, over 4000 draws of everything but the inputs (quick: 200)",
    ],
    run: orange,
    ..Check::DEFAULT
};

/// The green dashed curve.
pub const GREEN_DASHED: Check = Check {
    claim: "heavy-tailed/fig-9-green",
    metric: "amplitude with slope -1 over 3.5, and slope with free amplitude, for 8 ≤ d ≤ 1024",
    protocol: &["N = 1000, α = 2, M = 5, P = d/8, T = ∞, 100 runs, as printed"],
    run: green,
    ..ORANGE_DASHED
};

fn orange(s: &Sheet) -> Done {
    follows(s, ORANGE, (0.35, 0.25), "weights p^(1/2) in place of p: slope", &Scheme::power(0.5)?)?;
    s.figure(FIGURE_9.figure(s, "Both printed curves lie on the measured ones")?);
    Ok(())
}

fn green(s: &Sheet) -> Done {
    follows(s, GREEN, (3.5, 1.0), "P = √d in place of d/8: slope", &top_power(0.0, 0.5)?)?;
    // The geometric mean over d of the prediction without any fit over the printed curve.
    let (law, dims) = (FIGURE_9.law()?, FIGURE_9.dims);
    let predicted = |guess: f64| {
        let logs = dims.iter().map(|d| (guess * law.tail(d / 8) * *d as f64 / 3.5).ln());
        (logs.sum::<f64>() / dims.len() as f64).exp()
    };
    let label = "amplitude over the printed one, (1 - 1/M) of the exact tail beyond d/8";
    s.support(DRAWN_CONSTANT).equals(label, 1.0, predicted(chance_error(CLASSES)));
    let label = "every unstored input counted as wrong: amplitude over the printed one";
    s.twin(DRAWN_CONSTANT).equals(label, 1.0, predicted(1.0));
    Ok(())
}

/// A scheme follows the dashed curve constant d^-exponent, and another one does not.
fn follows(s: &Sheet, scheme: usize, (constant, exponent): (f64, f64), twin: &str, wrong: &Scheme) -> Done {
    let (exact, runs, mut boot) = (FIGURE_9.exact(s)?, FIGURE_9.simulated(s)?, s.stream("bootstrap, figure 9")?);
    let (exact, seen) = (&exact[scheme], runs.on(s).over_dims(&schemes()?[scheme], Samples::Population)?);
    let mut over_printed = |curve: &ErrorCurve| curve.amplitude(exponent, &mut boot)?.affine(1.0 / constant, 0.0);
    let amplitude = s.printed(DRAWN_CONSTANT);
    amplitude.of("draws").equals("amplitude over the printed one, exact expectation", 1.0, over_printed(exact)?);
    amplitude.of("runs").near("amplitude over the printed one, 100 runs", 1.0, over_printed(&seen)?);
    let slope = s.printed(DRAWN_EXPONENT);
    slope.of("draws").equals("slope, exact expectation", -exponent, exact.slope(&mut boot)?);
    slope.of("runs").near("slope, 100 runs", -exponent, seen.slope(&mut boot)?);
    let wrong = FIGURE_9.of(s, wrong)?.slope(&mut boot)?;
    s.twin(DRAWN_EXPONENT).of("draws").equals(twin, -exponent, wrong);
    Ok(())
}
