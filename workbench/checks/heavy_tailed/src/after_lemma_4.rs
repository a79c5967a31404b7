//! Appendix B.5 after Lemma 4: norm of eps.
//!
//! **Claim** (`heavy-tailed/epsilon-norm`). Where p_W(z|x) hardly changes over z != f_*(x), eps concentrates around zero with
//! |eps|^2 ~ 1/M and is negligible in front of u_y; the proof hopes for an order of magnitude.
//!
//! With equally likely classes eps is the mean of M - 1 independent unit vectors, so E|eps|^2 = 1/(M - 1) and
//! Var|eps|^2 = 2 (M - 2) / ((M - 1)^3 d) exactly. The order of magnitude is asked for at the document's M = 5, the law 1/M by its power.
//! Refuted by a length that is not a tenth, or by another power of M. M E|eps|^2 itself, which is M/(M - 1), stands beside it.

use ndarray::{Array2, Axis};
use workbench_ground::stats::{Estimate, mean, normal_array2, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::LeadingTerm;

use super::population_gradient::LEVEL;
use super::powers_of_width::POWER;

const ORDER_OF_MAGNITUDE: Margin = Margin::printed(
    "an order of magnitude smaller",
    0.1,
    "the document's words, \"an order of magnitude smaller than the leading term\": a factor of ten",
);
const ROUGHLY: Margin = Margin::ours("roughly", 0.1, "the most that a reader lets pass under a sign of rough equality");
const VARIANCE: Margin = Margin::statistical(
    "variance",
    0.2,
    "a power of M - 1 or of d too many, or a missing factor two, changes it by half at least",
);

/// Random outputs at W = 0.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/epsilon-norm",
    metric: "mean and variance of |eps|^2 over random outputs, and |eps| over |u| = 1",
    against: "an |eps| that is no order of magnitude below |u| at M = 5; an |eps|^2 that does not fall as 1/M",
    protocol: &[
        "outputs uniform on the sphere, the other classes equally likely as the statement supposes; M = 5 of the figures",
    ],
    choices: &["M = 2, 10, 100, 201 and three dimensions, to see the law"],
    run,
    ..Check::DEFAULT
};

/// Numbers of classes and dimensions; the document's M first.
const SIZES: [(usize, usize); 7] = [(5, 64), (2, 64), (10, 64), (100, 64), (5, 16), (5, 256), (MANY, 64)];
/// So many that |eps| is below a tenth.
const MANY: usize = 201;

fn run(s: &Sheet) -> Done {
    let draws = s.knob("draws", s.scale().pick(4000, 10_000), 2..)?;
    let (changed, twin) = (s.changed(LEVEL).of("draws"), s.twin(LEVEL).of("draws"));
    s.condition("with many classes, more than a hundred: |ε| is (M − 1)^(−1/2), half of |u| at the document's M = 5 and 0.07 of it at M = 201");
    let (mut ten, mut hundred) = (Vec::new(), Vec::new());
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
            s.printed(ORDER_OF_MAGNITUDE).of("draws").at_most(label, length);
            changed.equals("|ε| over |u| at M = 5: a half", 0.5, length);
        }
        if m == MANY {
            let label = format!("|ε| over |u| at M = {MANY}: an order of magnitude below");
            s.changed(ORDER_OF_MAGNITUDE).of("draws").at_most(label, square.map(f64::sqrt)?);
        }
        let size = format!("M = {m}, d = {d}");
        if at < 4 {
            let label = format!("M E|ε|², {size}: printed as 1");
            s.aside(ROUGHLY).of("draws").equals(label, 1.0, square.affine(m as f64, 0.0)?);
        }
        changed.equals(format!("(M − 1) E|ε|², {size}"), 1.0, square.affine(m as f64 - 1.0, 0.0)?);
        if m > 2 {
            let label = format!("variance of |ε|² over 2(M−2)/((M−1)³d), {size}");
            s.changed(VARIANCE).of("draws").equals(label, 1.0, over_exact_variance(&squares, m, d)?);
        }
        match (m, d) {
            (10, _) => ten = squares,
            (100, _) => hundred = squares,
            _ => {}
        }
    }
    let power = power_of_m(&ten, &hundred)?;
    s.printed(POWER).of("draws").equals("power of M in |ε|², M = 10 to 100", -1.0, power);
    let lengths = |squares: &[f64]| squares.iter().map(|v| v.sqrt()).collect::<Vec<f64>>();
    let of_length = power_of_m(&lengths(&ten), &lengths(&hundred))?;
    s.twin(POWER).of("draws").equals("|ε| in the place of |ε|²: power of M", -1.0, of_length);
    let mut stream = s.stream("epsilon, wrong forms")?;
    let all: Vec<f64> = (0..draws).map(|_| square_of_mean(&unit_sphere(&mut stream, 5, 64))).collect();
    twin.equals("right class left in the mean: (M − 1) E|ε|², M = 5", 1.0, mean(&all)?.affine(4.0, 0.0)?);
    let normal: Vec<f64> = (0..draws).map(|_| square_of_mean(&(normal_array2(&mut stream, 2, 64) / 8.0))).collect();
    let label = "normal outputs in the place of the sphere: variance over the exact one, M = 3";
    s.twin(VARIANCE).of("draws").equals(label, 1.0, over_exact_variance(&normal, 3, 64)?);
    s.note("|ε|² concentrates in d: its variance falls as 1/d, its mean does not move");
    Ok(())
}

/// Power of M in the mean, from 10 classes to 100, draw by draw.
fn power_of_m(ten: &[f64], hundred: &[f64]) -> Result<Estimate, Failure> {
    Ok(mean(&ten.iter().zip(hundred).map(|(a, b)| (b / a).log10()).collect::<Vec<f64>>())?)
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
