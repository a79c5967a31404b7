//! Appendix A.3, closing note: which A make the forward pass an LFOM.
//!
//! **Claim** (`memformer/a3-note`). For A_j that are scalar multiples of the identity the memformer performs exactly these updates; with
//! non-trivial A_j it performs LFOM-like algorithms that lie in a class richer than LFOMs.
//!
//! With constant Gamma, and another A in each layer, for three kinds of A: the diagonal Lambda nearest to the update that the labels
//! reveal, by least squares over prompts; for the first layer, and after two layers, where a register keeps the first gradient, two
//! diagonals for the two gradients. That rows of Gamma weigh tokens is charged in Theorem 3.2, so rows are constant here; A = I with Gamma
//! that differ between tokens, where the state belongs to no iterate at all, stands beside it, and so do diagonal A, which are in the class
//! too and do not count against one that is richer. Refuted by a share left for scalar A, or by full A that leave none.

use ndarray::{Array1, Array2, array};
use workbench_display::{Table, columns};
use workbench_ground::stats::{mean, normal_array2};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{
    Instance, Layer, LinearTransformer, Prompts, least_squares, nearest_diagonal, nearest_iterate,
};

use super::derivation_a_3::{self, EXPLAINED};
use super::task_law::{DIM, EXAMPLES, law};

const ROUNDING_SQUARED: Margin =
    Margin::rounding("rounding, squared", 1e-18, "a share of squares, each update from a least-squares fit");
const OUTSIDE: Margin = Margin::rounding("outside", 1e-12, "a share of squares; rounding leaves 1e-30");

/// Three kinds of A with constant Gamma, and beside them Gamma that differ between tokens.
pub const CHECK: Check = Check {
    claim: "memformer/a3-note",
    metric: "share of the update that the best diagonal Λ leaves, least squares over prompts",
    against: "a share left for A proportional to the identity; nothing left for full A",
    choices: &[
        "law of Section 3.3, d = 5, n = 20; two layers with A of their own",
        "of the A that are no multiples of the identity full ones decide, and diagonal ones stand beside them",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.see("memformer/thm-3-2");
    let size = s.scale().pick(1000, 4000);
    let many = Prompts::draw(&law(s)?, EXAMPLES, size, &mut s.stream("half of the examples")?)?;
    let prompts = s.knob("prompts", 200, 20..=size)?;
    let mut stream = s.stream("closing note")?;
    let eye = Array2::<f64>::eye(DIM);
    let scalar = Updates::of(&[0.6 * &eye, 0.4 * &eye], &many, prompts)?;
    let rates = [array![0.2, 0.4, 0.6, 0.8, 1.0], array![0.9, 0.7, 0.5, 0.3, 0.1]];
    let diagonal = Updates::of(&rates.map(|rates| Array2::from_diag(&rates)), &many, prompts)?;
    let mut near = |a: f64| a * &eye + 0.2 * normal_array2(&mut stream, DIM, DIM);
    let full = Updates::of(&[near(0.6), near(0.4)], &many, prompts)?;
    let firsts = [scalar.first_left()?, diagonal.first_left()?, full.first_left()?];

    let printed = s.printed(ROUNDING_SQUARED).over(prompts, "prompts");
    printed.same("A = aI, constant Γ: share of the update left by the best Λ", firsts[0]);
    let label = "A = aI, Γ that differ between tokens: share of the labels' change that no w explains";
    s.aside(EXPLAINED).of("prompts").at_most(label, mean(&derivation_a_3::uneven(s)?)?);
    let label = "A = aI, constant Γ, two layers with registers: share left by the best Λ for both gradients";
    printed.same(label, scalar.both_left()?);
    let richer = s.printed(OUTSIDE).over(prompts, "prompts");
    richer.at_least("A full, constant Γ: share left by the best diagonal Λ", firsts[2]);
    richer.at_least("A full, constant Γ, two layers with registers", full.both_left()?);
    let aside = s.aside(ROUNDING_SQUARED).over(prompts, "prompts");
    aside.same("A diagonal, constant Γ", firsts[1]);
    aside.same("A diagonal, constant Γ, two layers with registers", diagonal.both_left()?);
    let label = "A = aI, the state after two layers with Λ for the first gradient alone: share left";
    let one_for_two = nearest_diagonal(&scalar.gradients[0], &scalar.moves[1])?.left;
    s.twin(ROUNDING_SQUARED).over(prompts, "prompts").same(label, one_for_two);

    let frame = columns(vec![
        ("A", vec!["proportional to the identity", "diagonal", "full"].into()),
        ("share of the update left by the best diagonal Λ", firsts.into()),
    ])?;
    s.table(Table::new(frame).title("Only a full A leaves the class"));
    Ok(())
}

/// For two layers with these A, registers and constant Gamma, prompt by prompt: the iterates after one and two layers, as moves from zero, and the
/// gradients at zero and at the first.
#[derive(Default)]
struct Updates {
    gradients: [Vec<Array1<f64>>; 2],
    moves: [Vec<Array1<f64>>; 2],
}

impl Updates {
    fn of(a: &[Array2<f64>; 2], many: &Prompts, prompts: usize) -> Result<Updates, Failure> {
        let constant = |c: f64| Array1::from_elem(EXAMPLES + 1, c);
        let rows = [vec![constant(1.0)], vec![constant(0.3), constant(0.7)]];
        let layers = a.iter().map(Layer::restricted).collect::<Result<Vec<_>, _>>()?;
        let network = LinearTransformer::with_rows(layers, &rows)?;
        let mut updates = Updates::default();
        for b in 0..prompts {
            let prompt = Instance::of_prompts(many, b)?;
            let states = network.forward(&prompt.tokens)?;
            let f = prompt.quadratic();
            let [first, second] = [&states[1], &states[2]].map(|state| nearest_iterate(&prompt, state));
            let (first, second) = (first?.coefficients, second?.coefficients);
            updates.gradients[0].push(f.gradient(&f.origin()));
            updates.gradients[1].push(f.gradient(&first));
            updates.moves[0].push(first);
            updates.moves[1].push(second);
        }
        Ok(updates)
    }

    /// The share of the first layer's moves that the best diagonal leaves.
    fn first_left(&self) -> Result<f64, Failure> {
        Ok(nearest_diagonal(&self.gradients[0], &self.moves[0])?.left)
    }

    /// The share of the moves of two layers that the best two diagonals, one for each gradient, leave.
    fn both_left(&self) -> Result<f64, Failure> {
        let [gradients, moves] = [&self.gradients, &self.moves];
        let (mut left, mut whole) = (0.0, 0.0);
        for c in 0..DIM {
            let features = Array2::from_shape_fn((moves[1].len(), 2), |(b, i)| gradients[i][b][c]);
            let target: Array1<f64> = moves[1].iter().map(|update| update[c]).collect();
            let square = target.dot(&target);
            left += least_squares(&features, &target)?.left * square;
            whole += square;
        }
        Ok(left / whole)
    }
}
