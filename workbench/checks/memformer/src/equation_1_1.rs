//! Eq. 1.1: the class of linear first-order methods.
//!
//! **Claim** (`memformer/eq-1-1`). Such a method combines past gradients: w^{k+1} = w^0 + sum_{i <= k} Gamma_i^k grad f(w^i), Gamma_i^k
//! diagonal.
//!
//! A definition is tested by its consequences. A zero array must stand still, and one scalar everywhere must be gradient descent. With
//! scalars the iterates stay in the span of the gradients, with diagonal matrices in the span of their coordinates. So that this second
//! span is not everything, the function here is flat in its last coordinate.

use ndarray::{Array1, Array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Lfom, Objective, Quadratic, Trajectory, Weight, fraction_matrix, fraction_vector, rank,
};

use super::appendix_a_1::moved;
use super::exact::{Tally, part, whole};
use crate::vocabulary::EXACT;

/// Four arrays on one quadratic, in fractions.
#[derive(Clone, Debug)]
pub struct Consequences {
    /// Dimension d.
    pub dim: usize,
    /// Examples n.
    pub examples: usize,
    /// Steps of each method; fewer than d - 1, so that the span of the gradients is not everything.
    pub steps: usize,
}

impl Default for Consequences {
    fn default() -> Consequences {
        Consequences { dim: 6, examples: 9, steps: 4 }
    }
}

fn span(vectors: &[Array1<Fraction>]) -> usize {
    let shape = (vectors[0].len(), vectors.len());
    rank(&Array2::from_shape_fn(shape, |(i, j)| vectors[j][i].clone()))
}

/// By how many dimensions the moves w^k - w^0 enlarge the span of the gradients.
fn outside(run: &Trajectory<Fraction>) -> usize {
    let start = &run.iterates[0];
    let moves = run.iterates.iter().map(|w| moved(w, &whole(-1), start));
    let all: Vec<_> = run.gradients.iter().cloned().chain(moves).collect();
    span(&all) - span(&run.gradients)
}

fn triangle<T>(steps: usize, mut entry: impl FnMut() -> T) -> Vec<Vec<T>> {
    (0..steps).map(|k| (0..=k).map(|_| entry()).collect()).collect()
}

fn differ(run: &Trajectory<Fraction>, wanted: &[Array1<Fraction>]) -> Tally {
    let mut seen = Tally::default();
    run.iterates.iter().zip(wanted).for_each(|(a, b)| seen.see(a != b));
    seen
}

impl TypedCheck for Consequences {
    const CLAIM: &'static str = "memformer/eq-1-1";
    const PLAN: Plan = Plan::new(
        "iterates that differ, and dimensions of a span, in fractions",
        "an iterate that moves under a zero array, one that is not gradient descent's, or one outside the span",
        &[EXACT],
    )
    .departures(&["the function is a quadratic, so that fractions stay fractions; it is flat in its last coordinate"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("eq 1.1")?;
        let (d, steps) = (self.dim, self.steps);
        let mut x = fraction_matrix(&mut stream, d, self.examples);
        x.row_mut(d - 1).fill(whole(0));
        let f = Quadratic::of_prompt(&x, &fraction_vector(&mut stream, self.examples))?;
        let start = fraction_vector(&mut stream, d);
        let rate = part(-1, 50);
        let mut descent = vec![start.clone()];
        for k in 0..steps {
            descent.push(moved(&descent[k], &rate, &Objective::gradient(&f, k, &descent[k])));
        }
        let zero = Lfom::scalars(triangle(steps, || whole(0)))?.run(&f, &start)?;
        let same = Lfom::scalars(triangle(steps, || rate.clone()))?.run(&f, &start)?;
        let random = triangle(steps, || Fraction::draw(&mut stream));
        let scalars = Lfom::scalars(random)?.run(&f, &start)?;
        let random = triangle(steps, || fraction_vector(&mut stream, d));
        let diagonals = Lfom::diagonals(random)?.run(&f, &start)?;
        let increments = Lfom::from_increments(triangle(steps, || Weight::Scalar(rate.clone())))?.run(&f, &start)?;
        let mut flat = Tally::default();
        for w in &diagonals.iterates {
            flat.see(w[d - 1] != start[d - 1]);
        }
        let dimensions = |label: &str, run: &Trajectory<Fraction>| {
            Finding::identity(label, outside(run) as f64, EXACT).cases(steps + 1).unit("iterates")
        };
        let evidence = Evidence::of(
            differ(&zero, &vec![start.clone(); steps + 1]).none("iterates that move under a zero array", "iterates"),
        )
        .and(differ(&same, &descent).none("iterates of one scalar that differ from gradient descent", "iterates"))
        .and(dimensions("dimensions outside the span of the gradients, scalar weights", &scalars))
        .and(flat.none("iterates outside the span of their coordinates, diagonal weights", "iterates"))
        .twin(dimensions("dimensions outside the plain span, diagonal weights", &diagonals))
        .twin(
            differ(&increments, &descent).none(
                "weights read as increments: iterates of one scalar that differ from gradient descent",
                "iterates",
            ),
        );
        Ok(evidence.into())
    }
}
