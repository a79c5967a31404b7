//! Section 3.2, Eq. 3.5: subsuming diagonal preconditioners.
//!
//! **Claim** (`memformer/eq-3-5`). The Hadamard setup subsumes w_{k+1} = w_0 + sum_i Lambda_i^k grad R(w_i) with diagonal Lambda_i^k.
//!
//! The cumulative form and the increments that layers add are equivalent. Subsumption with one head is another matter. If a step is one
//! layer, the diagonal can also be carried by A_i, but that is one matrix for all later layers. How far is momentum with a rate and a
//! memory for each coordinate from that? If a step may take d layers, one for each coordinate, any diagonal should be in reach.

use ndarray::{Array1, Array2, Axis, array};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Instance, Layer, Lfom, LinearTransformer, Number, Weight, fraction_vector, hadamard_distance,
    nearest_hadamard,
};

use super::exact::{Tally, labels_off, whole};
use super::section_3_3::{Batch, DIM, batch_size, law, prompts};
use crate::vocabulary::EXACT;

const NOTHING: Margin = Margin::new("nothing left", 1e-6, "a millionth of the update; rounding leaves 1e-15");

/// Both forms, and what carries a diagonal.
#[derive(Clone, Debug)]
pub struct DiagonalPreconditioners {
    /// Prompts in fractions.
    pub prompts: usize,
    /// Steps of each method.
    pub steps: usize,
}

impl Default for DiagonalPreconditioners {
    fn default() -> DiagonalPreconditioners {
        DiagonalPreconditioners { prompts: 10, steps: 4 }
    }
}

#[derive(Default)]
struct Seen {
    forms: Tally,
    in_turn: Tally,
    heads: Tally,
    carried: Tally,
}

impl DiagonalPreconditioners {
    /// Rates of momentum with a memory for each coordinate.
    pub(super) fn rates() -> Array1<f64> {
        array![0.1, 0.2, 0.3, 0.4, 0.5]
    }

    /// Its memories.
    pub(super) fn memories() -> Array1<f64> {
        array![0.1, 0.3, 0.5, 0.7, 0.9]
    }

    fn exact(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("3.5")?;
        let mut seen = Seen::default();
        let (n, k) = (4, self.steps);
        for case in 0..self.prompts {
            let d = 2 + case % 2;
            let prompt = Instance::draw(&mut stream, d, n)?;
            let f = prompt.quadratic();
            let labels = (k + 1) * (n + 1);
            let mut vectors = |l| (0..=l).map(|_| fraction_vector(&mut stream, d)).collect();
            let method = Lfom::diagonals((0..k).map(&mut vectors).collect())?;
            let run = method.run(&f, &f.origin())?;
            let mut w = f.origin();
            for (l, step) in method.increments().iter().enumerate() {
                for (weight, g) in step.iter().zip(&run.gradients) {
                    let moved = weight.times(g);
                    w = Array1::from_shape_fn(d, |i| w[i].plus(&moved[i]));
                }
                seen.forms.see(w != run.iterates[l + 1]);
            }
            let heads = LinearTransformer::of_method(&method, d, n)?;
            let states = heads.forward(&prompt.tokens)?;
            seen.heads.add(labels_off(&prompt, &states, &run.iterates)?, labels);
            let states = heads.one_head()?.forward(&prompt.tokens)?;
            let after_steps: Vec<_> = states.into_iter().step_by(d).collect();
            seen.in_turn.add(labels_off(&prompt, &after_steps, &run.iterates)?, labels);
            // Lambda_i^k = c_i^k A_i with diagonal A_i: one head does it with one layer a step.
            let a: Vec<Array1<Fraction>> = (0..k).map(|_| fraction_vector(&mut stream, d)).collect();
            let c: Vec<Vec<Fraction>> =
                (0..k).map(|l| (0..=l).map(|_| Fraction::draw(&mut stream)).collect()).collect();
            let weight = |(c, a): (&Fraction, &Array1<Fraction>)| Weight::Diagonal(a.mapv(|v| c.times(&v).negated()));
            let steps = c.iter().map(|row| row.iter().zip(&a).map(weight).collect()).collect();
            let proportional = Lfom::from_increments(steps)?;
            let diagonal = |a: &Array1<Fraction>| {
                Array2::from_shape_fn((d, d), |(i, j)| if i == j { a[i].clone() } else { whole(0) })
            };
            let layers = a.iter().map(|a| Layer::restricted(&diagonal(a))).collect::<Result<Vec<_>, _>>()?;
            let constant = |c: &Fraction| Array1::from_elem(n + 1, c.clone());
            let rows: Vec<Vec<_>> = c.iter().map(|row| row.iter().map(constant).collect()).collect();
            let states = LinearTransformer::with_rows(layers, &rows)?.forward(&prompt.tokens)?;
            let iterates = proportional.run(&f, &f.origin())?.iterates;
            seen.carried.add(labels_off(&prompt, &states, &iterates)?, labels);
        }
        Ok(seen)
    }
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

impl TypedCheck for DiagonalPreconditioners {
    const CLAIM: &'static str = "memformer/eq-3-5";
    const PLAN: Plan = Plan::new(
        "iterates and labels that differ, in fractions; share of an update that the best weights leave",
        "an iterate that the two forms do not share; a diagonal method of which one head, one layer a step, leaves a share",
        &[EXACT, NOTHING],
    )
    .protocol(&["one head: law of Section 3.3, d = 5, n = 20"])
    .departures(&[
        "momentum with a rate and a memory for each coordinate stands for the class",
        "one layer a step is the proof's; the document names no number of layers",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (seen, rates) = (self.exact(setting)?, Self::rates());
        let size = batch_size(setting);
        let test = prompts(setting, &law(setting)?, Batch::Test, size)?;
        let tilted = array![1.0, 2.0, 3.0, 4.0, 5.0];
        let evidence = Evidence::of(Finding::identity(
            "one head, A diagonal, one layer a step: share of the weights of coordinate-wise momentum that c ⊗ A leaves",
            momentum_left(&rates, &Self::memories()),
            NOTHING,
        ))
        .and(seen.forms.none(
            "iterates that differ between the cumulative form and its increments",
            "iterates",
        ))
        .and(
            Finding::identity(
                "one head, A = I, one layer a step: share of Λ∇R, Λ = diag(0.1, ..., 0.5), that the best shared Γ leaves",
                nearest_hadamard(&test, &rates)?.left,
                NOTHING,
            )
            .cases(test.batch())
            .unit("prompts"),
        )
        .condition(
            "one layer a step subsumes Λ_i^k whose increments are c_i^k A_i; all diagonal Λ are subsumed with d layers a step (or one layer of d heads)",
            vec![
                seen.in_turn.none("any diagonal Λ, one head, d layers a step: labels that differ", "labels"),
                seen.carried.none("increments c_i^k A_i, one head, one layer a step: labels that differ", "labels"),
                seen.heads.none("any diagonal Λ, d heads, one layer a step: labels that differ", "labels"),
            ],
        )
        .twin(Finding::identity(
            "the best multiple of the identity in place of Λ = diag(1, ..., 5), Σ = I",
            hadamard_distance(&tilted)?,
            NOTHING,
        ));
        Ok(evidence.into())
    }
}
