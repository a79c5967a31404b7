//! Eqs. A.2 to A.4: from labels to theta.
//!
//! **Claim** (`memformer/eq-A2-A4`). y_{k+1} = y_k - <A_k X^T Y_k, x> / n for the query x; <theta_{k+1}, x> = <theta_k, x> -
//! <A_k X (X^T theta_k + Y_0), x> / n; theta_{k+1} = theta_k - A_k X X^T (theta_k + w*) / n.
//!
//! X is (d, n) and Y_k is (1, n): the shapes of the first two lines do not fit. The matrix product is let to refuse them, and what the
//! shapes require is evaluated. Where n = d the first line can be read literally with a column Y_k^T; then its value decides. Against the
//! claim counts a product that cannot be taken, an answer or a theta that a line does not give.

use ndarray::{Array1, Array2, s};
use workbench_ledger::{Checked, Evidence, Failure, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Instance, Mask, Number, identity, literal_forward, matrix_vector, product, recovered_theta,
};

use super::appendix_a_1::{cases, general, layers_of, moved, symmetric};
use super::exact::{Tally, dot, part, whole};
use crate::vocabulary::EXACT;

/// The three lines, as printed and as the shapes require.
#[derive(Clone, Debug, Default)]
pub struct FromLabelsToTheta {
    /// Prompts, every second with n = d; by scale if 0.
    pub prompts: usize,
}

const LAYERS: usize = 2;

#[derive(Default)]
struct Seen {
    shapes_a2: Tally,
    shapes_a3: Tally,
    literal: Tally,
    a2: Tally,
    a3: Tally,
    a4: Tally,
    a4_printed: Tally,
    a4_symmetric: Tally,
    without_n: Tally,
    other_sign: Tally,
}

/// A matrix of one column as a vector.
fn column(a: &Array2<Fraction>) -> Array1<Fraction> {
    a.column(0).to_owned()
}

/// What the lines are made of at layer k of one prompt.
struct Step<'a> {
    prompt: &'a Instance<Fraction>,
    a: &'a Array2<Fraction>,
    even: bool,
    /// Z_k and Z_{k+1}.
    states: [&'a Array2<Fraction>; 2],
    /// theta_k and theta_{k+1}.
    theta: [&'a Array1<Fraction>; 2],
}

impl Step<'_> {
    fn labels_line(&self, seen: &mut Seen) -> Result<(), Failure> {
        let (d, n) = (self.prompt.dim(), self.prompt.examples());
        let (x, query) = (self.prompt.covariates(), self.prompt.query());
        let (x_turned, a_turned) = (x.t().to_owned(), self.a.t().to_owned());
        let labels = self.states[0].slice(s![d..d + 1, ..n]).to_owned();
        let at_query = |z: &Array2<Fraction>| z[[d, n]].clone();
        let next = |pull: &Array1<Fraction>| -> Result<bool, Failure> {
            let step = part(-1, n as i64).times(&dot(pull, &query)?);
            Ok(at_query(self.states[1]) != at_query(self.states[0]).plus(&step))
        };
        if n == d {
            let literally = product(&product(self.a, &x_turned)?, &labels.t().to_owned())?;
            seen.literal.see(next(&column(&literally))?);
        } else {
            seen.shapes_a2.see(product(self.a, &x_turned).is_err());
            seen.shapes_a2.see(product(&x_turned, &labels).is_err());
            // X^T theta is a column, Y_0 a row.
            seen.shapes_a3.see([n, 1] != *labels.shape());
        }
        let right = product(&product(&a_turned, &x)?, &labels.t().to_owned())?;
        seen.a2.see(next(&column(&right))?);
        Ok(())
    }

    fn theta_lines(&self, seen: &mut Seen) -> Result<(), Failure> {
        let prompt = self.prompt;
        let (x, query) = (prompt.covariates(), prompt.query());
        let (x_turned, a_turned) = (x.t().to_owned(), self.a.t().to_owned());
        let [theta, next] = self.theta;
        let nth = part(-1, prompt.examples() as i64);
        let inner = moved(&matrix_vector(&x_turned, theta)?, &whole(1), &prompt.labels());
        let pull = matrix_vector(&a_turned, &matrix_vector(&x, &inner)?)?;
        let by_a3 = dot(theta, &query)?.plus(&nth.times(&dot(&pull, &query)?));
        seen.a3.see(dot(next, &query)? != by_a3);
        let by_a4 = |a: &Array2<Fraction>, target: i64, share: &Fraction| -> Result<bool, Failure> {
            let off = moved(theta, &whole(target), &prompt.target);
            let pull = matrix_vector(a, &matrix_vector(&product(&x, &x_turned)?, &off)?)?;
            Ok(*next != moved(theta, share, &pull))
        };
        seen.a4.see(by_a4(&a_turned, 1, &nth)?);
        seen.without_n.see(by_a4(&a_turned, 1, &whole(-1))?);
        seen.other_sign.see(by_a4(&a_turned, -1, &nth)?);
        let printed = by_a4(self.a, 1, &nth)?;
        if self.even {
            seen.a4_symmetric.see(printed);
        } else {
            seen.a4_printed.see(printed);
        }
        Ok(())
    }
}

impl FromLabelsToTheta {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("A.2 to A.4")?;
        let mut seen = Seen::default();
        for case in 0..cases(setting, self.prompts) {
            let d = 2 + case % 2;
            let n = if case % 2 == 0 { 4 } else { d };
            let prompt = Instance::draw(&mut stream, d, n)?;
            let any = general(&mut stream, LAYERS, d);
            for (a, even) in [(&any, false), (&symmetric(&any), true)] {
                let layers = layers_of(a)?;
                let states = literal_forward(&layers, &prompt.tokens, Mask::Printed)?;
                let theta = recovered_theta(&layers, &prompt, &identity(d), Mask::Printed)?;
                for k in 0..LAYERS {
                    let step = Step {
                        prompt: &prompt,
                        a: &a[k],
                        even,
                        states: [&states[k], &states[k + 1]],
                        theta: [&theta[k], &theta[k + 1]],
                    };
                    step.labels_line(&mut seen)?;
                    step.theta_lines(&mut seen)?;
                }
            }
        }
        Ok(seen)
    }
}

impl TypedCheck for FromLabelsToTheta {
    const CLAIM: &'static str = "memformer/eq-A2-A4";
    const PLAN: Plan = Plan::new(
        "shapes, answers and steps of theta that do not fit, in fractions",
        "a product or sum that cannot be taken as printed, an answer or a theta that a line does not give",
        &[EXACT],
    )
    .departures(&["d = 2 or 3, n = 4 or d, two layers, so that equal means equal"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let evidence = Evidence::of(
            seen.shapes_a2
                .none("n ≠ d: products of A.2 whose shapes do not fit", "products"),
        )
        .and(
            seen.shapes_a3
                .none("n ≠ d: sums of A.3 whose shapes do not fit", "sums"),
        )
        .and(
            seen.literal
                .none("n = d: A.2 read literally, answers that differ", "answers"),
        )
        .and(
            seen.a4_printed
                .none("A.4 as printed, general A, steps that differ", "steps"),
        )
        .misprint(
            "A.2 has Aᵀ X̄ Ȳᵀ, A.3 has Ȳ₀ᵀ, and all three the transpose of A (A.4 is right as printed for symmetric A)",
            vec![
                seen.a2.none("A.2 with Aᵀ X̄ Ȳᵀ, answers that differ", "answers"),
                seen.a3.none("A.3 with Aᵀ and Ȳ₀ᵀ, answers that differ", "answers"),
                seen.a4.none("A.4 with Aᵀ, steps that differ", "steps"),
                seen.a4_symmetric.none("A.4 as printed, symmetric A", "steps"),
            ],
        )
        .twin(seen.without_n.none("A.4 with Aᵀ and without 1/n", "steps"))
        .twin(seen.other_sign.none("A.4 with Aᵀ and θ - w* for θ + w*", "steps"));
        Ok(evidence.into())
    }
}
