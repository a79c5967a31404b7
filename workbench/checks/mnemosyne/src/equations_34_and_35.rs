//! Eqs. 34 and 35: products of two terms.
//!
//! **Claim** (`mnemosyne/eq-34-35`). With Psi(x) = D^4 exp(-2N) exp(B w'x - 4 A-hat |w|^2): E[W W] = Psi(xi_1 + xi_2 + 2 input),
//! E[Z Z] = Psi(xi_1 + xi_2 + 2 flipped), E[W Z] = Psi(xi_1 + xi_2 + input + flipped).
//!
//! As printed the right side is random and the left is not: Eq. 34 lacks the expectation that Eq. 37 takes. For one projection the products
//! are the display, at the arguments of Eq. 35. Refuted by a projection whose display is not the expectation; an argument for which the
//! product is not the display.

use ndarray::Array1;
use workbench_features::MapKind;
use workbench_features::compact::{Patterns, log_psi_by_quadrature};
use workbench_features::moments::log_cross_moment;
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Sheet};

use super::energy_terms::{Factor, LOGS};

/// Products of terms, projection by projection and on average.
pub const CHECK: Check = Check {
    claim: "mnemosyne/eq-34-35",
    metric: "difference of logarithms, over projections and the three products",
    against: "a projection whose display is not the expectation; an argument for which the product is not the display",
    choices: &["two patterns of length 6, Â = 0.4, 50 projections"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint("Ψ is the expectation over ω of the display in Eq. 34");
    let (n, a_hat) = (s.knob("length N", 6, 4..=100)?, s.knob("Â", 0.4, 0.0..=10.0)?);
    let draws = s.knob("projections", 50, 1..)?;
    let mut stream = s.stream("eq 34")?;
    let set = Patterns::random(2, n, &mut stream)?;
    let (x1, x2) = (set.pattern(0)?.to_array(), set.pattern(1)?.to_array());
    let input = set.pattern(0)?.flipped(1)?.to_array();
    let flipped = set.pattern(0)?.flipped_at(&[1, 3])?.to_array();
    let form = Factor::printed(n, a_hat);
    // W W, Z Z and W Z.
    let pairs = [(&input, &input), (&flipped, &flipped), (&input, &flipped)];
    for w in normal_array2(&mut stream, draws, n).outer_iter() {
        let display = |x: &Array1<f64>, width: f64| {
            4.0 * (form.log_d + form.half) + form.b * w.dot(x) - width * a_hat * w.dot(&w)
        };
        for (u, v) in s.each("products", pairs) {
            let product = form.log(w, &x1) + form.log(w, u) + form.log(w, &x2) + form.log(w, v);
            let sum = &x1 + &x2 + u + v;
            let integral = log_psi_by_quadrature(&sum.to_vec(), a_hat)?;
            let random = (display(&sum, 4.0) - integral).abs();
            s.printed(LOGS).least().same("ln E[product] minus ln Ψ as printed, least", random);
            let off = |display: f64| (product - display).abs();
            s.changed(LOGS).same("one ω: ln of the products minus ln of the display", off(display(&sum, 4.0)));
            let one_copy = off(display(&(&x1 + &x2 + u), 4.0));
            s.twin(LOGS).same("one copy of the input in the argument, least difference", one_copy);
            s.twin(LOGS).same("2Â for 4Â before |ω|², least difference", off(display(&sum, 2.0)));
        }
    }
    for (u, v) in s.each("products", pairs) {
        // The closed form of the two kernel terms' product, which knows nothing of Psi.
        let product = log_cross_moment(MapKind::FavorPlusPlus { a_hat }, (&x1, u), (&x2, v))?;
        let integral = log_psi_by_quadrature(&(&x1 + &x2 + u + v).to_vec(), a_hat)?;
        let label = "on average: ln of the moment of two kernel terms minus ln of the integral of the display";
        s.changed(LOGS).same(label, (product - integral).abs());
    }
    Ok(())
}
