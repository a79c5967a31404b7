//! The displays after Eq. 27: Chernoff's bound and the length of the embedding.
//!
//! **Claim** (`heavy-tailed/lemma-3-chernoff`). The conditional error probability is at most sum_{y != f} exp(-1_{mu_y < 0} mu_y^2 /
//! (2 Sigma_yy)); the exponent is |e|^2 R_y / 2 with the signal-to-noise ratio R_y; and E[exp(-a |e|^2)] = (1 + 2a)^{-d/2} for a > 0.
//!
//! The exact conditional probability is an orthant in two or three dimensions, the Laplace transform an integral over the length. The
//! second line has the indicator of <u_f, u_y - u_f> < 0, which is that of mu_y < 0 for weights of at least 0, as in Eq. 2. Lemma 3 and this
//! proof of it speak of q : [N] -> R, so both lines are run with weights of either sign. Against the claim would count one probability
//! above either sum, or another transform.

use ndarray::Array2;
use workbench_ground::stats::{Stream, integrate_between, normal_array2, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{GivenOutputs, InputGroup, Profile};

use super::proof_of_lemma_3::{BOUND, below, even, turns};
use crate::vocabulary::{Largest, ROUNDING, by_scale};

/// Chernoff's sum against orthants, and the transform of the squared length.
#[derive(Clone, Debug)]
pub struct ChernoffSum {
    /// Random configurations; by scale if 0.
    pub configurations: usize,
    /// Lengths of the embedding.
    pub lengths: Vec<f64>,
    /// The transform is tried up to this dimension.
    pub dims: usize,
}

impl Default for ChernoffSum {
    fn default() -> ChernoffSum {
        ChernoffSum { configurations: 0, lengths: vec![0.5, 2.0, 5.0], dims: 100 }
    }
}

/// An orthant has nine digits behind the point; below this it says nothing on a quotient.
const RESOLVED: f64 = 1e-8;

#[derive(Default)]
struct Sums {
    bound: Largest,
    without_half: Largest,
    by_position: Largest,
    form: Largest,
    cells: usize,
    /// Over those cells in which every rival has a mean below zero.
    all_lose: Largest,
    losing_cells: usize,
    /// All that were looked at, resolved or not.
    configurations: usize,
}

#[derive(Default)]
struct Transform {
    printed: Largest,
    other_power: Largest,
}

fn outputs(trial: usize, m: usize, stream: &mut Stream) -> Array2<f64> {
    match trial % 4 {
        0 | 1 => unit_sphere(stream, m, 4),
        _ => normal_array2(stream, m, 4),
    }
}

impl Sums {
    fn see(&mut self, given: &GivenOutputs, profile: &Profile, input: &InputGroup, radius: f64) -> Result<(), Failure> {
        let law = given.margin_law(profile, input, radius)?;
        let exact = law.failure()?;
        let (mut sum, mut doubled) = (0.0, 0.0);
        for (i, &y) in law.rivals.iter().enumerate() {
            let square = law.mean[i].powi(2) / law.covariance[[i, i]];
            let term = |factor: f64, counts: bool| if counts { (-factor * square).exp() } else { 1.0 };
            let losing = law.mean[i] < 0.0;
            sum += term(0.5, losing);
            doubled += term(1.0, losing);
            let ratio = given.ratio(profile, input, y)?;
            self.form.see((square / (radius * radius * ratio) - 1.0).abs());
        }
        self.configurations += 1;
        if exact > RESOLVED {
            if law.mean.iter().all(|mean| *mean < 0.0) {
                self.all_lose.see(exact / sum);
                self.losing_cells += 1;
            }
            self.bound.see(exact / sum);
            self.without_half.see(exact / doubled);
            self.cells += 1;
        }
        Ok(())
    }

    /// A weight below zero, and the indicator of the second line: that of the outputs, which says that the input is safe.
    fn see_negative(
        &mut self,
        given: &GivenOutputs,
        profile: &Profile,
        input: &InputGroup,
        radius: f64,
    ) -> Result<(), Failure> {
        let negative = InputGroup { weight: -input.weight.abs(), ..*input };
        let law = given.margin_law(profile, &negative, radius)?;
        let mut sum = 0.0;
        for (i, mean) in law.mean.iter().enumerate() {
            // <u_f, u_y - u_f> < 0 where the mean of a negative weight is positive.
            let counts = *mean > 0.0;
            let exponent = if counts { 0.5 * mean * mean / law.covariance[[i, i]] } else { 0.0 };
            sum += (-exponent).exp();
        }
        self.by_position.see(law.failure()? / sum);
        Ok(())
    }
}

impl ChernoffSum {
    fn sums(&self, setting: &Setting) -> Result<Sums, Failure> {
        let mut stream = setting.stream("chernoff")?;
        let mut seen = Sums::default();
        for trial in 0..by_scale(self.configurations, setting.scale().pick(40, 200)) {
            let m = 3 + trial % 2;
            let given = GivenOutputs::new(&outputs(trial, m, &mut stream))?;
            // Weights of both signs: the first line holds for them too.
            let weights: Vec<f64> = (0..8).map(|k| stream.normal() + if k == 0 { 1.5 } else { 0.0 }).collect();
            let profile = even(&weights, &turns(8, m), m)?;
            let input = InputGroup { mass: 1.0, weight: weights[0], class: 0 };
            for &radius in &self.lengths {
                seen.see(&given, &profile, &input, radius)?;
                seen.see_negative(&given, &profile, &input, radius)?;
            }
        }
        Ok(seen)
    }

    fn transform(&self) -> Result<Transform, Failure> {
        let mut seen = Transform::default();
        for d in 1..=self.dims {
            let power = d as f64 - 1.0;
            let peak = power.sqrt();
            let shift = if d > 1 { power * peak.ln() - 0.5 * peak * peak } else { 0.0 };
            let moment = |a: f64| -> Result<f64, Failure> {
                let density = |r: f64| (power * r.ln() - (0.5 + a) * r * r - shift).exp();
                let points = [0.0, peak / (1.0 + 2.0 * a).sqrt() + 1e-3, peak + 12.0];
                Ok(integrate_between(&density, &points, 1e-13)?.value)
            };
            let whole = moment(0.0)?;
            for a in [0.01, 0.1, 0.5, 2.0] {
                let value = (moment(a)? / whole).ln();
                seen.printed.see((value + 0.5 * d as f64 * (2.0 * a).ln_1p()).exp_m1().abs());
                seen.other_power.see((value + d as f64 * a.ln_1p()).exp_m1().abs());
            }
        }
        Ok(seen)
    }
}

impl TypedCheck for ChernoffSum {
    const CLAIM: &'static str = "heavy-tailed/lemma-3-chernoff";
    const PLAN: Plan = Plan::new(
        "exact conditional error over the sum; relative errors of the exponent and of the transform",
        "an exact probability above the sum, another exponent, another transform",
        &[BOUND, ROUNDING],
    )
    .protocol(&["weights of both signs in either line, as Lemma 3 has q : [N] → ℝ"])
    .departures(&[
        "M = 3 and 4, where the conditional error is an integral; probabilities below 1e-8 are not resolved",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (sums, transform) = (self.sums(setting)?, self.transform()?);
        let of = 4 * self.dims;
        let laplace =
            |label: &str, off: Largest| Finding::identity(label, off.0, ROUNDING).cases(of).unit("pairs (d, a)");
        let first_line = vec![
            below("exact conditional error over the Chernoff sum, largest", sums.bound.0, sums.cells),
            below(
                "the same where every rival's mean is below zero, so that no term is one, largest",
                sums.all_lose.0,
                sums.losing_cells,
            ),
        ];
        let evidence = Evidence::of(below(
            "second line, negative weights: exact conditional error over its sum, largest",
            sums.by_position.0,
            sums.configurations,
        ))
        .and(
            Finding::identity("ratio form of the exponent, relative", sums.form.0, ROUNDING)
                .cases(sums.configurations)
                .unit("cells"),
        )
        .and(laplace(
            "Laplace transform of the squared length, relative",
            transform.printed,
        ))
        .misprint(
            "the indicator of the second line is that of q(x_0) <u_f, u_y - u_f> < 0, that is of μ_y < 0; for q ≥ 0, as in Eq. 2, it is the printed one",
            first_line,
        )
        .twin(below("exponent without the 1/2", sums.without_half.0, sums.cells))
        .twin(laplace(
            "(1 + a)^-d in the place of (1 + 2a)^(-d/2)",
            transform.other_power,
        ));
        Ok(evidence.into())
    }
}
