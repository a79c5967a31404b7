//! Appendix B.5 after Lemma 4: norm of eps.
//!
//! **Claim** (`heavy-tailed/epsilon-norm`). Where p_W(z|x) hardly changes over z != f_*(x), eps concentrates around zero with
//! |eps|^2 ~ 1/M and is negligible in front of u_y; the proof hopes for an order of magnitude.
//!
//! With equally likely classes eps is the mean of M - 1 independent unit vectors, so E|eps|^2 = 1/(M - 1) and
//! Var|eps|^2 = 2 (M - 2) / ((M - 1)^3 d) exactly. The statement is asked for at the document's M = 5 and at M = 2, 10, 100. Refuted by a
//! length that is not a tenth, or an |eps|^2 that is off 1/M by more than "~" can hide.

use ndarray::{Array2, Axis};
use workbench_ground::stats::{Estimate, mean, normal_array2, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::LeadingTerm;

use super::population_gradient::{LEVEL, TENTH};

const ROUGHLY: Margin = Margin::new("roughly", 0.1, "the most that a reader lets pass under a sign of rough equality");
const VARIANCE: Margin = Margin::new(
    "variance",
    0.2,
    "a power of M - 1 or of d too many, or a missing factor two, changes it by half at least",
);

/// Random outputs at W = 0.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/epsilon-norm",
    metric: "mean and variance of |eps|^2 over random outputs, and |eps| over |u| = 1",
    against: "an |eps| that is no order of magnitude below |u| at M = 5; an |eps|^2 that is not 1/M",
    protocol: &["outputs uniform on the sphere, the other classes equally likely as the statement supposes"],
    departures: &["M = 5 is the document's; 2, 10, 100, 101 and three dimensions are ours, to see the law"],
    run,
    ..Check::DEFAULT
};

/// Numbers of classes and dimensions; the document's M first.
const SIZES: [(usize, usize); 7] = [(5, 64), (2, 64), (10, 64), (100, 64), (5, 16), (5, 256), (101, 64)];

fn run(s: &Sheet) -> Done {
    let draws = s.knob("draws", s.scale().pick(4000, 10_000), 2..)?;
    let (changed, twin) = (s.changed(LEVEL).of("draws"), s.twin(LEVEL).of("draws"));
    s.condition("with many classes: E|ε|² is exactly 1/(M−1), so |ε| is a tenth of |u| from M = 101 on and half of it at the document's M = 5");
    for (at, (m, d)) in SIZES.into_iter().enumerate() {
        let mut stream = s.stream(&format!("epsilon {m} {d}"))?;
        let mut squares = Vec::new();
        for _ in 0..draws {
            let u = unit_sphere(&mut stream, m, d);
            squares.push(LeadingTerm::at(&vec![0.0; m], &u.dot(&u.t()), 0)?.epsilon_square);
        }
        let square = mean(&squares)?;
        if at == 0 {
            let length = square.map(f64::sqrt)?;
            let label = "|ε| over |u| at M = 5: an order of magnitude below";
            s.printed(TENTH).of("draws").at_most(label, length);
            changed.equals("|ε| over |u| at M = 5: a half", 0.5, length);
        }
        let size = format!("M = {m}, d = {d}");
        if at < 4 {
            let label = format!("M E|ε|², {size}: printed as 1");
            s.printed(ROUGHLY).of("draws").equals(label, 1.0, square.affine(m as f64, 0.0)?);
        }
        changed.equals(format!("(M − 1) E|ε|², {size}"), 1.0, square.affine(m as f64 - 1.0, 0.0)?);
        if m > 2 {
            let label = format!("variance of |ε|² over 2(M−2)/((M−1)³d), {size}");
            s.changed(VARIANCE).of("draws").equals(label, 1.0, over_exact_variance(&squares, m, d)?);
        }
    }
    let mut stream = s.stream("epsilon, wrong forms")?;
    let all: Vec<f64> = (0..draws).map(|_| square_of_mean(&unit_sphere(&mut stream, 5, 64))).collect();
    twin.equals("right class left in the mean: (M − 1) E|ε|², M = 5", 1.0, mean(&all)?.affine(4.0, 0.0)?);
    let normal: Vec<f64> = (0..draws).map(|_| square_of_mean(&(normal_array2(&mut stream, 2, 64) / 8.0))).collect();
    let label = "normal outputs in the place of the sphere: variance over the exact one, M = 3";
    s.twin(VARIANCE).of("draws").equals(label, 1.0, over_exact_variance(&normal, 3, 64)?);
    s.note("concentration is in d: the variance falls as 1/d, the mean does not move");
    Ok(())
}

fn square_of_mean(u: &Array2<f64>) -> f64 {
    let sum = u.sum_axis(Axis(0));
    sum.dot(&sum) / (u.nrows() as f64).powi(2)
}

/// Variance over the exact one.
fn over_exact_variance(squares: &[f64], m: usize, d: usize) -> Result<Estimate, Failure> {
    let others = m as f64 - 1.0;
    let exact = 2.0 * (m as f64 - 2.0) / (others.powi(3) * d as f64);
    let squares: Vec<f64> = squares.iter().map(|v| (v - 1.0 / others).powi(2)).collect();
    Ok(mean(&squares)?.affine(1.0 / exact, 0.0)?)
}
