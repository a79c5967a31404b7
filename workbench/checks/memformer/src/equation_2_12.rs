//! Eq. 2.12 and its examples: gradient descent and momentum, unrolled.
//!
//! **Claim** (`memformer/gd-momentum-expansion`). w^{k+1} = w^k + alpha_k d^k unrolls to w^0 - alpha sum_i grad f(w^i) for gradient descent
//! and to w^0 + sum_i gamma_i^k grad f(w^i) for momentum; diagonal matrices for the scalars scale coordinates.
//!
//! For constant (eta, beta) the weights of momentum are -eta (1 - beta^{k-i+1}) / (1 - beta). Recursion and closed form run side by side,
//! on quadratics and on sums of ln cosh. Refuted by an iterate that the two do not share.

use ndarray::Array1;
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memformer::{Lfom, LogCosh, Objective, Quadratic, SingleMemory};

use super::section_1_special_cases::relative;
use crate::vocabulary::ROUNDING;

/// Closed forms against recursions.
pub const CHECK: Check = Check {
    claim: "memformer/gd-momentum-expansion",
    metric: "largest distance of the iterates beside the largest iterate",
    against: "an iterate of the recursion that the unrolled form does not reach",
    choices: &["50 steps on quadratics with d = 5, n = 20 and on sums of ln cosh; the document names no setting"],
    run,
    ..Check::DEFAULT
};

const DIM: usize = 5;
const EXAMPLES: usize = 20;

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("unrolling")?;
    let rate = s.knob("step size η", 0.05, 0.0..=1.0)?;
    let beta = s.knob("memory β", 0.9, 0.0..1.0)?;
    let steps = s.knob("steps", 50, 1..=1000)?;
    for _ in 0..s.knob("functions of each kind", 20, 1..)? {
        let x = normal_array2(&mut stream, DIM, EXAMPLES);
        let y = x.t().dot(&normal_array2(&mut stream, 1, DIM).row(0));
        let (f, curved) = (Quadratic::of_prompt(&x, &y)?, LogCosh::new(0.3 * &x.t(), y)?);
        let squares = normal_array2(&mut stream, 1, DIM).row(0).mapv(|v| v * v);
        methods(s, &f, &f.origin(), rate, beta, steps)?;
        methods(s, &curved, &f.origin(), rate, beta, steps)?;
        by_coordinate(s, &f, &squares.mapv(|v| 0.02 + 0.02 * v / (1.0 + v)), steps)?;
    }
    Ok(())
}

/// One rate and one memory for all coordinates.
fn methods(s: &Sheet, f: &impl Objective<f64>, origin: &Array1<f64>, rate: f64, beta: f64, steps: usize) -> Done {
    // gamma_i^k as a function of how old the gradient is.
    let unrolled = |of_age: &dyn Fn(i32) -> f64| -> Result<Vec<Array1<f64>>, Failure> {
        let row = |k: usize| (0..=k).map(|i| of_age((k - i) as i32)).collect();
        Ok(Lfom::scalars((0..steps).map(row).collect())?.run(f, origin)?.iterates)
    };
    let summed = |age: i32| -rate * (1.0 - beta.powi(age)) / (1.0 - beta);
    for _ in s.each("functions", [f]) {
        let descent = SingleMemory::gradient_descent(rate, steps)?.run(f, origin)?.iterates;
        let label = "gradient descent, unrolled against recursive, relative";
        s.printed(ROUNDING).same(label, relative(&unrolled(&|_| -rate)?, &descent));
        let momentum = SingleMemory::momentum(rate, beta, steps)?.run(f, origin)?.iterates;
        let label = "momentum, closed form against recursive, relative";
        s.printed(ROUNDING).same(label, relative(&unrolled(&|age| summed(age + 1))?, &momentum));
        let label = "momentum with exponent k - i instead of k - i + 1, least";
        s.twin(ROUNDING).same(label, relative(&unrolled(&summed)?, &momentum));
        let label = "momentum with β^(k-i) instead of its sum, least";
        s.twin(ROUNDING).same(label, relative(&unrolled(&|age| -rate * beta.powi(age))?, &momentum));
    }
    Ok(())
}

/// One rate for each coordinate, as diagonal weights and as a recursion; and, as a twin, their mean for all.
fn by_coordinate(s: &Sheet, f: &Quadratic<f64>, rates: &Array1<f64>, steps: usize) -> Done {
    let mut recursive = vec![f.origin()];
    for k in 0..steps {
        recursive.push(&recursive[k] - &(rates * &f.gradient(&recursive[k])));
    }
    let apart = |rates: &Array1<f64>| -> Result<f64, Failure> {
        let rows = (0..steps).map(|k| vec![-rates; k + 1]).collect();
        Ok(relative(&Lfom::diagonals(rows)?.run(f, &f.origin())?.iterates, &recursive))
    };
    for _ in s.each("functions", [f]) {
        let label = "a rate for each coordinate, diagonal weights against recursive, relative";
        s.printed(ROUNDING).same(label, apart(rates)?);
        let mean = Array1::from_elem(DIM, rates.sum() / DIM as f64);
        s.twin(ROUNDING).same("one mean rate for all coordinates, least", apart(&mean)?);
    }
    Ok(())
}
