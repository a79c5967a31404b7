//! Eq. 1.1: the class of linear first-order methods.
//!
//! **Claim** (`memformer/eq-1-1`). Such a method combines past gradients: w^{k+1} = w^0 + sum_{i <= k} Gamma_i^k grad f(w^i), Gamma_i^k
//! diagonal.
//!
//! Each iterate of a random diagonal array is compared with the printed sum, taken entry by entry, and one scalar everywhere must be
//! gradient descent. What the check stands on: a zero array stands still; with scalars the iterates stay in the span of the gradients, with
//! diagonal matrices in the span of their coordinates. So that this second span is not everything, the function here is flat in its last
//! coordinate. Refuted by an iterate that is not the sum.

use ndarray::{Array1, Array2};
use workbench_ledger::{Check, Done, Sheet};
use workbench_memformer::{
    Fraction, Lfom, Number, Objective, Quadratic, Trajectory, Weight, fraction_matrix, fraction_vector, rank,
};

use super::exact::{part, triangle, whole};
use super::exact_layers::moved;
use crate::vocabulary::EXACT;

/// Four arrays on one quadratic, in fractions.
pub const CHECK: Check = Check {
    claim: "memformer/eq-1-1",
    metric: "iterates that differ, and dimensions of a span, in fractions",
    against: "an iterate that is not w⁰ plus the weighted gradients, or not gradient descent's where all weights are one scalar",
    choices: &["the function is a quadratic, so that fractions stay fractions; it is flat in its last coordinate"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("eq 1.1")?;
    let d = s.knob("dimension d", 6, 3..=20)?;
    let examples = s.knob("examples n", 9, 1..=50)?;
    // Fewer than d - 1, so that the span of the gradients is not everything.
    let steps = s.knob("steps", 4, 1..d - 1)?;
    let mut x = fraction_matrix(&mut stream, d, examples);
    x.row_mut(d - 1).fill(whole(0));
    let f = Quadratic::of_prompt(&x, &fraction_vector(&mut stream, examples))?;
    let start = fraction_vector(&mut stream, d);
    let rate = part(-1, 50);
    let mut descent = vec![start.clone()];
    for k in 0..steps {
        descent.push(moved(&descent[k], &rate, &Objective::gradient(&f, k, &descent[k])));
    }
    let zero = Lfom::scalars(triangle(steps, || whole(0)))?.run(&f, &start)?;
    let same = Lfom::scalars(triangle(steps, || rate.clone()))?.run(&f, &start)?;
    let scalars = Lfom::scalars(triangle(steps, || Fraction::draw(&mut stream)))?.run(&f, &start)?;
    let weights = triangle(steps, || fraction_vector(&mut stream, d));
    let diagonals = Lfom::diagonals(weights.clone())?.run(&f, &start)?;
    let (sums, backwards) = (summed(&f, &start, &weights, false), summed(&f, &start, &weights, true));
    let increments = Lfom::from_increments(triangle(steps, || Weight::Scalar(rate.clone())))?.run(&f, &start)?;

    for k in s.each("iterates", 0..=steps) {
        let label = "diagonal weights: iterates that are not w⁰ plus the sum of weighted gradients";
        s.printed(EXACT).never(label, diagonals.iterates[k] != sums[k]);
        let label = "diagonal weights, those of the newest gradient for the oldest: iterates that differ";
        s.twin(EXACT).never(label, diagonals.iterates[k] != backwards[k]);
        s.support(EXACT).never("iterates that move under a zero array", zero.iterates[k] != start);
        let label = "iterates of one scalar that differ from gradient descent";
        s.printed(EXACT).never(label, same.iterates[k] != descent[k]);
        let label = "iterates outside the span of their coordinates, diagonal weights";
        s.support(EXACT).never(label, diagonals.iterates[k][d - 1] != start[d - 1]);
        let label = "weights read as increments: iterates of one scalar that differ from gradient descent";
        s.twin(EXACT).never(label, increments.iterates[k] != descent[k]);
    }
    let label = "dimensions outside the span of the gradients, scalar weights";
    s.support(EXACT).over(steps + 1, "iterates").same(label, outside(&scalars));
    let label = "dimensions outside the plain span, diagonal weights";
    s.twin(EXACT).over(steps + 1, "iterates").same(label, outside(&diagonals));
    Ok(())
}

/// w^0 plus the sum of weighted gradients, entry by entry; `backwards` gives the oldest gradient the weight of the newest.
fn summed(
    f: &Quadratic<Fraction>,
    start: &Array1<Fraction>,
    weights: &[Vec<Array1<Fraction>>],
    backwards: bool,
) -> Vec<Array1<Fraction>> {
    let (mut iterates, mut gradients) = (vec![start.clone()], Vec::<Array1<Fraction>>::new());
    for (k, row) in weights.iter().enumerate() {
        gradients.push(f.gradient(&iterates[k]));
        let entry = |c: usize| {
            let part = |i: usize| row[if backwards { k - i } else { i }][c].times(&gradients[i][c]);
            (0..=k).fold(start[c].clone(), |sum, i| sum.plus(&part(i)))
        };
        iterates.push(Array1::from_shape_fn(start.len(), entry));
    }
    iterates
}

/// By how many dimensions the moves w^k - w^0 enlarge the span of the gradients.
fn outside(run: &Trajectory<Fraction>) -> f64 {
    let start = &run.iterates[0];
    let moves = run.iterates.iter().map(|w| moved(w, &whole(-1), start));
    let all: Vec<_> = run.gradients.iter().cloned().chain(moves).collect();
    (span(&all) - span(&run.gradients)) as f64
}

fn span(vectors: &[Array1<Fraction>]) -> usize {
    let shape = (vectors[0].len(), vectors.len());
    rank(&Array2::from_shape_fn(shape, |(i, j)| vectors[j][i].clone()))
}
