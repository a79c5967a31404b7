//! Signal and noise, and where the further term comes from: B.2, first paragraph.
//!
//! **Claim** (`heavy-tailed/b2-signal-noise-reading`). Lemma 3 compares the signal d q(x) of a stored pair with the noise Q_inf of the most
//! competitive class, up to a term in ||q||^2/d, which is the class y = f_*(x) competing against itself.
//!
//! The variance of the noise splits into what the rival class, the own class and all other classes contribute, with exact means over random
//! outputs. Refuted by an own class whose part does not fall like 1/d. That d q(x) over Q_inf notices a doubling of every weight, which the
//! error and d q(x)^2 over Q_inf do not, is a slip of words, Lemma 3 has the square, and stands beside. An own class that is no part of the
//! further term is the opposite of what is said of it, so the reading then fails; that signal and noise decide the error stands with Lemma
//! 3.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Setting, Sheet};
use workbench_memory::{
    ConditionalDraws, Profile, mean_noise_split, noise_split, power_law, powers_of_two, two_class_failure,
};

use super::exponents::{DRAWN, EXACT_EXPONENT, draws, floats, last_exponent};
use crate::vocabulary::{ROUNDING, largest};

/// The split of the noise, exactly and from drawn outputs.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/b2-signal-noise-reading",
    metric: "local exponent in d of each part of the noise; failures by the own class over failures by a rival; change under a doubling of q",
    against: "an own class whose part does not fall like 1/d",
    protocol: &["outputs uniform on the sphere, inputs Gaussian, as in Section 2"],
    choices: &[
        "five classes of equal energy, d = 8 to 8192; drawn outputs in d = 64; failures with M = 2, energy 30, d = 64",
    ],
    run,
    ..Check::DEFAULT
};

/// The same energy in every class.
const EQUAL: [f64; 5] = [1.0; 5];
/// Weight of the input that is asked for.
const OWN: f64 = 0.5;

fn run(s: &Sheet) -> Done {
    s.instead(
        "the part of the noise that falls like 1/d is that of third classes; the own class's part does not fall, and an input is lost \
         to its own class as often as to a rival class of the same energy",
    );
    let d = s.knob("dimension d of the drawn outputs", 64, 2..)?;
    exponents(s)?;
    doubled(s, d)?;
    drawn(s, d)?;
    let label = "failures with the same energy in the own class over those with it in the rival class";
    s.changed(DRAWN).equals(label, 1.0, own_over_rival(s, d)?);
    Ok(())
}

/// Exponents in d of the exact parts.
fn exponents(s: &Sheet) -> Done {
    let x = floats(&powers_of_two(3, 13, 1)?);
    let (mut rival, mut own, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for d in &x {
        let split = mean_noise_split(&EQUAL, 0, 1, OWN, *d as usize)?;
        rival.push(split.rival);
        own.push(split.own);
        others.push(split.others);
    }
    let of_own = last_exponent(&x, &own);
    let label = "exponent in d of the own class's part, if the further term were its own";
    s.printed(EXACT_EXPONENT).equals(label, -1.0, of_own);
    s.printed(EXACT_EXPONENT).equals("exponent of the most competitive class's part", 0.0, last_exponent(&x, &rival));
    s.changed(EXACT_EXPONENT).equals("exponent of the own class's part: that of a rival", 0.0, of_own);
    s.changed(EXACT_EXPONENT).equals("exponent of the other classes' part", -1.0, last_exponent(&x, &others));

    let panel = Panel::new("five classes of equal energy")
        .x_label("d")
        .y_label("mean variance / |e_x|²")
        .log_x()
        .log_y()
        .line("rival class", &x, &rival)
        .line("own class", &x, &own)
        .line("all other classes", &x, &others)
        .colour(2)
        .theory("3 · 2/d", &x, &power_law(&x, 6.0, -1.0))
        .colour(2);
    s.figure(Figure::new("The own class is as loud as a rival; all others fade as 1/d").panel(panel).caption(
        "Exact means over random outputs. Rival and own class contribute at one order, whatever d is; dashed is 2/d times the energy of \
         the other classes.",
    ));
    Ok(())
}

/// Changes when every weight doubles: of `d q / Q_inf`, of `d q^2 / Q_inf`, of the error in the worst draw.
fn doubled(s: &Sheet, d: usize) -> Done {
    let profile = |scale: f64| {
        let weights = [scale, 2.0 * scale, 3.0 * scale];
        Profile::from_weights(&[0.5, 0.3, 0.2], &weights, &[0, 1, 2], 5)
    };
    let (once, twice) = (profile(1.0)?, profile(2.0)?);
    let level = |profile: &Profile, power: i32| profile.groups()[0].weight.powi(power) / profile.largest_energy();
    let change = |power| (level(&twice, power) / level(&once, power) - 1.0).abs();
    s.aside(ROUNDING).same("change of d q / Q∞ when every weight doubles, relative", change(1));
    s.aside(ROUNDING).same("change of d q² / Q∞ when every weight doubles", change(2));
    let draws = draws(s)?;
    let gaps = draws.expected_error(&once, d)? - draws.expected_error(&twice, d)?;
    s.support(ROUNDING).same("change of the error when every weight doubles, worst draw", largest(&gaps));
    Ok(())
}

/// Drawn parts over their closed form.
fn drawn(s: &Sheet, d: usize) -> Done {
    let mut stream = s.stream("output embeddings")?;
    let exact = mean_noise_split(&EQUAL, 0, 1, OWN, d)?;
    let (mut own, mut others, mut one_sided) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..s.knob("draws of outputs", 4000, 2..)? {
        let u = unit_sphere(&mut stream, EQUAL.len(), d);
        let gram = u.dot(&u.t());
        let split = noise_split(&gram, &EQUAL, 0, 1, OWN)?;
        own.push(split.own / exact.own);
        others.push(split.others / exact.others);
        one_sided.push((2..EQUAL.len()).map(|k| gram[[k, 1]].powi(2)).sum::<f64>() / exact.others);
    }
    s.support(DRAWN).equals("own class: drawn over closed form, d = 64", 1.0, mean(&own)?);
    s.support(DRAWN).equals("other classes: drawn over closed form, d = 64", 1.0, mean(&others)?);
    s.twin(DRAWN).equals("G_ky in place of G_ky − G_kf, drawn over closed form", 1.0, mean(&one_sided)?);
    Ok(())
}

/// Failures with the energy in the own class over those with it in the rival class: two classes, an input of weight one.
fn own_over_rival(setting: &Setting, d: usize) -> Result<Estimate, Failure> {
    let energy = 30.0f64;
    let in_rival = two_class_failure(1.0, 1.0 + energy, d)?;
    let own_only = Profile::from_weights(&[1.0, 0.0], &[1.0, energy.sqrt()], &[0, 0], 2)?;
    let two = ConditionalDraws::new(2, 4000, &mut setting.stream("own class")?)?;
    let in_own = mean(&two.expected_error(&own_only, d)?.to_vec())?;
    Ok(in_own.affine(1.0 / in_rival, 0.0)?)
}
