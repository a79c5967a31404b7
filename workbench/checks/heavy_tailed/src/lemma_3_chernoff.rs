//! The displays after Eq. 27: Chernoff's bound and the length of the embedding.
//!
//! **Claim** (`heavy-tailed/lemma-3-chernoff`). The conditional error probability is at most sum_{y != f} exp(-1_{mu_y < 0} mu_y^2 /
//! (2 Sigma_yy)); the exponent is |e|^2 R_y / 2 with the signal-to-noise ratio R_y; and E[exp(-a |e|^2)] = (1 + 2a)^{-d/2} for a > 0.
//!
//! The exact conditional probability is an orthant in two or three dimensions, the Laplace transform an integral over the length. The
//! second line has the indicator of <u_f, u_y - u_f> < 0, which is that of mu_y < 0 for weights of at least 0, as in Eq. 2. That Lemma 3 speaks of
//! q : [N] -> R is charged there, so the second line is judged for such weights, and a negative one stands beside it; the first line holds for
//! both. Refuted by one probability above either sum, or another transform.

use ndarray::Array2;
use workbench_ground::stats::{Stream, integrate_between, normal_array2, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memory::{GivenOutputs, InputGroup, Profile};

use super::profiles::{BOUND, even, turns};
use crate::vocabulary::{ROUNDING, largest_of};

/// Chernoff's sum against orthants, and the transform of the squared length.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/lemma-3-chernoff",
    metric: "exact conditional error over the sum; relative errors of the exponent and of the transform",
    against: "an exact probability above the sum, another exponent, another transform",
    protocol: &["weights of at least 0 in the second line, as in Eq. 2; of both signs in the first"],
    choices: &[
        "M = 3 and 4, where the conditional error is an integral; probabilities below 1e-8, which it does not resolve, are left out",
    ],
    run,
    ..Check::DEFAULT
};

/// An orthant has nine digits behind the point; below this it says nothing on a quotient.
const RESOLVED: f64 = 1e-8;

fn run(s: &Sheet) -> Done {
    s.see("heavy-tailed/lemma-3-upper");
    let mut stream = s.stream("chernoff")?;
    for trial in 0..s.knob("configurations", s.scale().pick(40, 200), 1..)? {
        let m = 3 + trial % 2;
        let given = GivenOutputs::new(&outputs(trial, m, &mut stream))?;
        // Weights of both signs: the first line holds for them too.
        let weights: Vec<f64> = (0..8).map(|k| stream.normal() + if k == 0 { 1.5 } else { 0.0 }).collect();
        let profile = even(&weights, &turns(8, m), m)?;
        let input = InputGroup { mass: 1.0, weight: weights[0], class: 0 };
        for radius in s.each("cells", [0.5, 2.0, 5.0]) {
            let exact = first_line(s, &given, &profile, &input, radius)?;
            second_line(s, &given, &profile, (&input, exact), radius)?;
        }
    }
    // The Laplace transform of the squared length in d dimensions.
    for d in 1..=100 {
        let power = d as f64 - 1.0;
        let peak = power.sqrt();
        let shift = if d > 1 { power * peak.ln() - 0.5 * peak * peak } else { 0.0 };
        let moment = |a: f64| -> Result<f64, Failure> {
            let density = |r: f64| (power * r.ln() - (0.5 + a) * r * r - shift).exp();
            let points = [0.0, peak / (1.0 + 2.0 * a).sqrt() + 1e-3, peak + 12.0];
            Ok(integrate_between(&density, &points, 1e-13)?.value)
        };
        let whole = moment(0.0)?;
        for a in s.each("pairs (d, a)", [0.01, 0.1, 0.5, 2.0f64]) {
            let value = (moment(a)? / whole).ln();
            let printed = (value + 0.5 * d as f64 * (2.0 * a).ln_1p()).exp_m1().abs();
            let other = (value + d as f64 * a.ln_1p()).exp_m1().abs();
            s.printed(ROUNDING).same("Laplace transform of the squared length, relative", printed);
            s.twin(ROUNDING).largest().same("(1 + a)^-d in the place of (1 + 2a)^(-d/2)", other);
        }
    }
    Ok(())
}

fn outputs(trial: usize, m: usize, stream: &mut Stream) -> Array2<f64> {
    match trial % 4 {
        0 | 1 => unit_sphere(stream, m, 4),
        _ => normal_array2(stream, m, 4),
    }
}

/// Chernoff's sum, and the exponent as a ratio; the exact conditional error.
fn first_line(
    s: &Sheet,
    given: &GivenOutputs,
    profile: &Profile,
    input: &InputGroup,
    radius: f64,
) -> Result<f64, Failure> {
    let law = given.margin_law(profile, input, radius)?;
    let (mut sum, mut doubled, mut apart) = (0.0, 0.0, Vec::new());
    for (i, &y) in law.rivals.iter().enumerate() {
        let square = law.mean[i].powi(2) / law.covariance[[i, i]];
        let counted = if law.mean[i] < 0.0 { square } else { 0.0 };
        sum += (-0.5 * counted).exp();
        doubled += (-counted).exp();
        apart.push((square / (radius * radius * given.ratio(profile, input, y)?) - 1.0).abs());
    }
    let exact = law.failure()?;
    if exact > RESOLVED {
        s.printed(BOUND).at_most("exact conditional error over the Chernoff sum, largest", exact / sum);
        s.twin(BOUND).largest().at_most("exponent without the 1/2", exact / doubled);
        if law.mean.iter().all(|mean| *mean < 0.0) {
            let label = "the same where every rival's mean is below zero, so that no term is one, largest";
            s.printed(BOUND).at_most(label, exact / sum);
        }
    }
    s.printed(ROUNDING).same("ratio form of the exponent, relative", largest_of(apart));
    Ok(exact)
}

/// The second line has the indicator of the outputs alone, so the weight's sign is not in it. The input comes with its exact error.
fn second_line(
    s: &Sheet,
    given: &GivenOutputs,
    profile: &Profile,
    (input, known): (&InputGroup, f64),
    radius: f64,
) -> Done {
    let (gram, f, size) = (given.gram(), input.class, input.weight.abs());
    let over = |weight: f64| -> Result<Option<f64>, Failure> {
        let law = given.margin_law(profile, &InputGroup { weight, ..*input }, radius)?;
        let mut sum = 0.0;
        for (i, &y) in law.rivals.iter().enumerate() {
            let counted = gram[[f, y]] - gram[[f, f]] < 0.0;
            let exponent = if counted { 0.5 * law.mean[i].powi(2) / law.covariance[[i, i]] } else { 0.0 };
            sum += (-exponent).exp();
        }
        let exact = if weight == input.weight { known } else { law.failure()? };
        Ok((exact > RESOLVED).then_some(exact / sum))
    };
    if let Some(over) = over(size)? {
        s.printed(BOUND).at_most("second line, q(x₀) ≥ 0: exact conditional error over its sum, largest", over);
    }
    if let Some(over) = over(-size)? {
        s.aside(BOUND).at_most("second line, negative weights: exact conditional error over its sum, largest", over);
    }
    Ok(())
}
