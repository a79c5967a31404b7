//! Section 3.2, Eq. 3.5: subsuming diagonal preconditioners.
//!
//! **Claim** (`memformer/eq-3-5`). The Hadamard setup subsumes w_{k+1} = w_0 + sum_i Lambda_i^k grad R(w_i) with diagonal Lambda_i^k.
//!
//! The check stands on it that the cumulative form and the increments that layers add are equivalent. That one layer a step, as in the
//! proof, does not reach every diagonal is charged in Theorem 3.2: the diagonal can be carried by A_i, but that is one matrix for all later
//! layers. Here a step takes d layers, one for each coordinate, and any diagonal should be in reach. One layer of d heads, which (3.4) does
//! not have, and how far momentum with a rate and a memory for each coordinate is from one layer a step stand beside it.

use ndarray::{Array1, Array2, Axis, array};
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memformer::{
    Fraction, Instance, Layer, Lfom, LinearTransformer, Number, Weight, fraction_vector, nearest_hadamard,
};

use super::exact::{labels, triangle, whole};
use super::task_law::{Batch, DIM, batch_size, law, prompts};
use crate::vocabulary::EXACT;

const NOTHING: Margin = Margin::rounding("nothing left", 1e-6, "a millionth of the update; rounding leaves 1e-15");

/// Both forms, and what carries a diagonal.
pub const CHECK: Check = Check {
    claim: "memformer/eq-3-5",
    metric: "iterates and labels that differ, in fractions; share of an update that the best weights leave",
    against: "a label of a diagonal method that d layers a step do not give",
    choices: &[
        "one layer a step: law of Section 3.3, d = 5, n = 20; momentum with a rate and a memory for each coordinate",
    ],
    departures: &[
        "prompts in fractions have d = 2 or 3 and n = 4, so that equal means equal",
        "one layer a step is the proof's; the document names no number of layers",
    ],
    run,
    ..Check::DEFAULT
};

/// Momentum with a rate and a memory for each coordinate.
pub(super) struct DiagonalPreconditioners;

impl DiagonalPreconditioners {
    /// Its rates.
    pub(super) fn rates() -> Array1<f64> {
        array![0.1, 0.2, 0.3, 0.4, 0.5]
    }

    /// Its memories.
    pub(super) fn memories() -> Array1<f64> {
        array![0.1, 0.3, 0.5, 0.7, 0.9]
    }
}

fn run(s: &Sheet) -> Done {
    s.see("memformer/thm-3-2");
    in_fractions(s)?;
    let label =
        "one head, A diagonal, one layer a step: share of the weights of coordinate-wise momentum that c ⊗ A leaves";
    s.aside(NOTHING)
        .same(label, momentum_left(&DiagonalPreconditioners::rates(), &DiagonalPreconditioners::memories()));
    let test = prompts(s, &law(s)?, Batch::Test, batch_size(s))?;
    let label =
        "one head, A = I, one layer a step: share of Λ∇R, Λ = diag(0.1, ..., 0.5), that the best shared Γ leaves";
    let left = nearest_hadamard(&test, &DiagonalPreconditioners::rates())?.left;
    s.twin(NOTHING).over(test.batch(), "prompts").same(label, left);
    Ok(())
}

fn in_fractions(s: &Sheet) -> Done {
    let mut stream = s.stream("3.5")?;
    let (n, steps) = (4, s.knob("steps", 4, 1..=8)?);
    for case in s.cases("prompts", 10, 10)? {
        let d = 2 + case % 2;
        let prompt = Instance::draw(&mut stream, d, n)?;
        let f = prompt.quadratic();
        let method = Lfom::diagonals(triangle(steps, || fraction_vector(&mut stream, d)))?;
        let run = method.run(&f, &f.origin())?;
        let mut w = f.origin();
        for (l, step) in method.increments().iter().enumerate() {
            for (weight, g) in step.iter().zip(&run.gradients) {
                let moved = weight.times(g);
                w = Array1::from_shape_fn(d, |i| w[i].plus(&moved[i]));
            }
            let label = "iterates that differ between the cumulative form and its increments";
            s.support(EXACT).of("iterates").never(label, w != run.iterates[l + 1]);
        }
        let heads = LinearTransformer::of_method(&method, d, n)?;
        let states = heads.forward(&prompt.tokens)?;
        let label = "any diagonal Λ, d heads, one layer a step: labels that differ";
        labels(s.aside(EXACT), label, &prompt, &states, &run.iterates)?;
        let after_steps: Vec<_> = heads.one_head()?.forward(&prompt.tokens)?.into_iter().step_by(d).collect();
        let label = "any diagonal Λ, one head, d layers a step: labels that differ";
        labels(s.printed(EXACT), label, &prompt, &after_steps, &run.iterates)?;

        // Lambda_i^k = c_i^k A_i with diagonal A_i: one head does it with one layer a step.
        let a: Vec<Array1<Fraction>> = (0..steps).map(|_| fraction_vector(&mut stream, d)).collect();
        let c = triangle(steps, || Fraction::draw(&mut stream));
        let weight = |(c, a): (&Fraction, &Array1<Fraction>)| Weight::Diagonal(a.mapv(|v| c.times(&v).negated()));
        let increments = c.iter().map(|row| row.iter().zip(&a).map(weight).collect()).collect();
        let iterates = Lfom::from_increments(increments)?.run(&f, &f.origin())?.iterates;
        let diagonal =
            |a: &Array1<Fraction>| Array2::from_shape_fn((d, d), |(i, j)| if i == j { a[i].clone() } else { whole(0) });
        let layers = a.iter().map(|a| Layer::restricted(&diagonal(a))).collect::<Result<Vec<_>, _>>()?;
        let constant = |c: &Fraction| Array1::from_elem(n + 1, c.clone());
        let rows: Vec<Vec<_>> = c.iter().map(|row| row.iter().map(constant).collect()).collect();
        let states = LinearTransformer::with_rows(layers, &rows)?.forward(&prompt.tokens)?;
        let label = "increments c_i^k A_i, one head, one layer a step: labels that differ";
        labels(s.printed(EXACT), label, &prompt, &states, &iterates)?;
    }
    Ok(())
}

/// Momentum with its own rate and memory for each coordinate: the weights of one gradient over layers, as rows of a matrix, and the share
/// of them that the nearest matrix of rank one, c times A, leaves.
pub(super) fn momentum_left(rates: &Array1<f64>, memories: &Array1<f64>) -> f64 {
    let spread = Array2::from_shape_fn((4, DIM), |(k, c)| rates[c] * f64::powi(memories[c], k as i32));
    let (mut v, mut u) = (Array1::<f64>::ones(DIM), Array1::<f64>::zeros(4));
    // Power iteration; the two largest singular values are far apart.
    for _ in 0..200 {
        u = spread.dot(&v);
        v = spread.t().dot(&u) / u.dot(&u);
    }
    let missed = &spread - &u.insert_axis(Axis(1)).dot(&v.insert_axis(Axis(0)));
    missed.mapv(|m| m * m).sum() / spread.mapv(|m| m * m).sum()
}
