//! Eqs. 34 and 35: products of two terms.
//!
//! **Claim** (`mnemosyne/eq-34-35`). With Psi(x) = D^4 exp(-2N) exp(B w'x - 4 A-hat |w|^2): E[W W] = Psi(xi_1 + xi_2 + 2 input),
//! E[Z Z] = Psi(xi_1 + xi_2 + 2 flipped), E[W Z] = Psi(xi_1 + xi_2 + input + flipped).
//!
//! As printed the right side is random and the left is not: Eq. 34 lacks the expectation that Eq. 37 takes. For one projection the products
//! are the display, at the arguments of Eq. 35. What would count against it: a projection whose display is not the expectation; an
//! argument for which the product is not the display.

use ndarray::Array1;
use workbench_features::compact::{Patterns, log_psi_by_quadrature};
use workbench_features::moments::log_cross_moment;
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use super::section_a_2::{Factor, LOGS};
use crate::vocabulary::{Largest, Least};

/// Products of terms, projection by projection and on average.
#[derive(Clone, Debug)]
pub struct Products {
    /// Length N.
    pub n: usize,
    /// The parameter of FAVOR++.
    pub a_hat: f64,
    /// Projections.
    pub draws: usize,
}

impl Default for Products {
    fn default() -> Products {
        Products { n: 6, a_hat: 0.4, draws: 50 }
    }
}

#[derive(Default)]
struct Seen {
    random: Least,
    pointwise: Largest,
    expected: Largest,
    one_copy: Least,
    wrong_width: Least,
    cases: u64,
}

impl Products {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("eq 34")?;
        let set = Patterns::random(2, self.n, &mut stream)?;
        let (x1, x2) = (set.pattern(0)?.to_array(), set.pattern(1)?.to_array());
        let input = set.pattern(0)?.flipped(1)?.to_array();
        let flipped = set.pattern(0)?.flipped_at(&[1, 3])?.to_array();
        let form = Factor::printed(self.n, self.a_hat);
        let kind = workbench_features::MapKind::FavorPlusPlus { a_hat: self.a_hat };
        // W W, Z Z and W Z.
        let pairs = [(&input, &input), (&flipped, &flipped), (&input, &flipped)];
        let mut seen = Seen::default();
        for w in normal_array2(&mut stream, self.draws, self.n).outer_iter() {
            let display = |x: &Array1<f64>, width: f64| {
                4.0 * (form.log_d + form.half) + form.b * w.dot(x) - width * self.a_hat * w.dot(&w)
            };
            for (u, v) in pairs {
                let product = form.log(w, &x1) + form.log(w, u) + form.log(w, &x2) + form.log(w, v);
                let sum = &x1 + &x2 + u + v;
                seen.pointwise.see((product - display(&sum, 4.0)).abs());
                seen.one_copy.see((product - display(&(&x1 + &x2 + u), 4.0)).abs());
                seen.wrong_width.see((product - display(&sum, 2.0)).abs());
                let integral = log_psi_by_quadrature(&sum.to_vec(), self.a_hat)?;
                seen.random.see((display(&sum, 4.0) - integral).abs());
                seen.cases += 1;
            }
        }
        for (u, v) in pairs {
            let sum = (&x1 + &x2 + u + v).to_vec();
            // The closed form of the two kernel terms' product, which knows nothing of Psi.
            let product = log_cross_moment(kind, (&x1, u), (&x2, v))?;
            seen.expected.see((product - log_psi_by_quadrature(&sum, self.a_hat)?).abs());
        }
        Ok(seen)
    }
}

impl TypedCheck for Products {
    const CLAIM: &'static str = "mnemosyne/eq-34-35";
    const PLAN: Plan = Plan::new(
        "difference of logarithms, over projections and the three products",
        "a projection whose display is not the expectation; an argument for which the product is not the display",
        &[LOGS],
    );

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let of = |label: &str, error: f64| Finding::identity(label, error, LOGS).cases(seen.cases).unit("products");
        let evidence = Evidence::of(of("ln E[product] minus ln Ψ as printed, least", seen.random.0))
            .misprint(
                "Ψ is the expectation over ω of the display in Eq. 34",
                vec![
                    of("one ω: ln of the products minus ln of the display", seen.pointwise.0),
                    of(
                        "on average: ln of the moment of two kernel terms minus ln of the integral of the display",
                        seen.expected.0,
                    )
                    .cases(3),
                ],
            )
            .twin(of("one copy of the input in the argument, least difference", seen.one_copy.0))
            .twin(of("2Â for 4Â before |ω|², least difference", seen.wrong_width.0));
        Ok(evidence.into())
    }
}
