//! Beyond the document: rates of forgetting along the eigenvectors of the keys.
//!
//! Ours. With all pairs at once the delta rule leaves W_t - W* = (W_0 - W*)(I - eta C)^t with C = sum_i k_i k_i^T: along an
//! eigenvector of eigenvalue lambda what is missing falls as (1 - eta lambda)^t. A metric H = C in the anchor turns every rate
//! into 1 - eta.

use ndarray::{Array1, Array2};
use ndarray_linalg::{Eigh, UPLO};
use workbench_display::{Figure, Panel};
use workbench_gradient_memory::{DeltaRule, Loss, Preconditioned, UpdateRule, pseudo_inverse_memory};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

const LAW: Margin =
    Margin::rounding("law", 1e-10, "twenty steps in double precision; eigenvalues differ by a factor of 100");

/// A gradient step and its preconditioned form on one batch of ill-conditioned keys.
pub const CHECK: Check = Check {
    claim: "rates-along-eigenvectors",
    says: "Along an eigenvector of the keys a gradient step forgets at the rate ηλ, and its preconditioned form at the rate η along all \
           of them.",
    metric: "largest difference between a share of the first error and its law, 8 directions",
    against: "a direction or a step that departs from the law",
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let d = 8;
    let steps = s.knob("steps", 20, 1..=1000)?;
    let spread = s.knob("largest entry of a key over its least, in size", 10.0, 1.0..=100.0)?;
    let mut draws = s.stream("conditioning")?;
    let sizes = (0..d).map(|j| f64::powf(spread, -(j as f64) / (d - 1) as f64));
    let scale = Array2::from_diag(&Array1::from_iter(sizes));
    let keys = normal_array2(&mut draws, 5 * d, d).dot(&scale) / (5.0 * d as f64).sqrt();
    let (values, before) = (normal_array2(&mut draws, 5 * d, 5), normal_array2(&mut draws, 5, d));
    let metric = keys.t().dot(&keys);
    let (eigenvalues, vectors) = metric.eigh(UPLO::Lower)?;
    let rate = 0.5 / eigenvalues[d - 1];
    let best = pseudo_inverse_memory(&keys, &values)?;

    // Lengths of what is missing along each eigenvector, as shares of the first, a list a step.
    let shares_left = |rule: &mut dyn UpdateRule| -> Result<Vec<Array1<f64>>, Failure> {
        let missing = |w: &Array2<f64>| {
            let columns = (w - &best).dot(&vectors);
            columns.columns().into_iter().map(|c| c.dot(&c).sqrt()).collect::<Array1<f64>>()
        };
        rule.restart(&before)?;
        let mut left = vec![Array1::ones(d)];
        for _ in 0..steps {
            rule.step(&keys, &values)?;
            left.push(missing(rule.weights()) / missing(&before));
        }
        Ok(left)
    };
    let plain = shares_left(&mut DeltaRule::new(5, d, rate)?)?;
    let preconditioned = shares_left(&mut Preconditioned::new(5, metric, 0.5, Loss::Squared)?)?;

    let (printed, twin) = (s.printed(LAW), s.twin(LAW).largest());
    for (t, (plain, preconditioned)) in (0..).zip(plain.iter().zip(&preconditioned)).skip(1) {
        for j in s.each("directions and steps", 0..d) {
            let off = |factor: f64| (plain[j] - factor.powi(t)).abs();
            let lambda = eigenvalues[j];
            printed.same("gradient step: share left against (1 − ηλ)^t", off(1.0 - rate * lambda));
            let label = "preconditioned: share left against (1 − η)^t";
            printed.same(label, (preconditioned[j] - 0.5f64.powi(t)).abs());
            twin.same("gradient step: share left against (1 − ηλ/2)^t", off(1.0 - 0.5 * rate * lambda));
            twin.same("gradient step: share left against one rate for all", off(0.5));
        }
    }

    let x: Vec<f64> = (0..=steps).map(f64::from).collect();
    let panel = |title: &str, left: &[Array1<f64>], factor: &dyn Fn(usize) -> f64| {
        let start = Panel::new(title).x_label("step").y_label("share of the first error left").log_y();
        [0, 4, 7].into_iter().enumerate().fold(start.y_limits(1e-7, 2.0), |panel, (colour, j)| {
            let theory: Vec<f64> = x.iter().map(|t| factor(j).powf(*t)).collect();
            let shares: Vec<f64> = left.iter().map(|shares| shares[j]).collect();
            let panel = panel.theory("", &x, &theory).colour(colour);
            panel.points(&format!("λ = {:.3}", eigenvalues[j]), &x, &shares).colour(colour)
        })
    };
    s.figure(
        Figure::new("A metric of the keys turns many rates into one")
            .panel(panel("gradient step", &plain, &|j| 1.0 - rate * eigenvalues[j]))
            .panel(panel("preconditioned", &preconditioned, &|_| 0.5))
            .caption("Points: computed. Dashed: (1 − ηλ)^{t} on the left, (1 − η)^{t} on the right."),
    );
    Ok(())
}
