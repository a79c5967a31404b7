//! Appendix A.3, closing note: which A make the forward pass an LFOM.
//!
//! **Claim** (`memformer/a3-note`). For A_j proportional to the identity the forward pass is exactly such an LFOM; other A_j give LFOM-like
//! algorithms from a richer class.
//!
//! With constant Gamma, for three kinds of A: the diagonal Lambda nearest to the update that the labels reveal, by least squares over
//! prompts; for the first layer, and after two layers, where a register keeps the first gradient, two diagonals for the two gradients. And for A = I with Gamma that differ between tokens, where the state belongs to no iterate at all.

use ndarray::{Array1, Array2, array};
use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, mean, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Instance, Layer, LinearTransformer, Prompts, least_squares, nearest_diagonal, nearest_iterate,
};

use super::derivation_a_3::{EXPLAINED, FromTokensToCoordinates};
use super::section_3_3::{DIM, EXAMPLES, law};

const ROUNDING_SQUARED: Margin =
    Margin::new("rounding, squared", 1e-18, "a share of squares, each update from a least-squares fit");
const OUTSIDE: Margin = Margin::new("outside", 1e-3, "a thousandth of the update; rounding leaves 1e-30");

/// Three kinds of A, and two kinds of Gamma.
#[derive(Clone, Debug)]
pub struct KindsOfA {
    /// Prompts.
    pub prompts: usize,
}

impl Default for KindsOfA {
    fn default() -> KindsOfA {
        KindsOfA { prompts: 200 }
    }
}

impl KindsOfA {
    const KINDS: [&'static str; 3] = ["proportional to the identity", "diagonal", "full"];

    /// The share that the best diagonal Lambda leaves of the update of the first layer, for each kind of A.
    fn shares(&self, setting: &Setting) -> Result<Shares, Failure> {
        let size = setting.scale().pick(1000, 4000);
        let many = Prompts::draw(&law(setting)?, EXAMPLES, size, &mut setting.stream("half of the examples")?)?;
        let mut stream = setting.stream("closing note")?;
        let eye = Array2::<f64>::eye(DIM);
        let matrices = [
            0.6 * &eye,
            Array2::from_diag(&array![0.2, 0.4, 0.6, 0.8, 1.0]),
            0.6 * &eye + 0.2 * normal_array2(&mut stream, DIM, DIM),
        ];
        let constant = |c: f64| Array1::from_elem(EXAMPLES + 1, c);
        let mut shares = Shares::default();
        for (kind, a) in matrices.iter().enumerate() {
            let rows = [vec![constant(1.0)], vec![constant(0.3), constant(0.7)]];
            let network = LinearTransformer::with_rows(vec![Layer::restricted(a)?; 2], &rows)?;
            let (mut gradients, mut seconds) = (Vec::new(), Vec::new());
            let (mut first_updates, mut later) = (Vec::new(), Vec::new());
            for b in 0..self.prompts {
                let prompt = Instance::of_prompts(&many, b)?;
                let states = network.forward(&prompt.tokens)?;
                let first = nearest_iterate(&prompt, &states[1])?.coefficients;
                seconds.push(prompt.quadratic().gradient(&first));
                first_updates.push(first);
                later.push(nearest_iterate(&prompt, &states[2])?.coefficients);
                gradients.push(prompt.quadratic().gradient(&Array1::zeros(DIM)));
            }
            shares.first[kind] = nearest_diagonal(&gradients, &first_updates)?.left;
            shares.two[kind] = two_diagonals(&gradients, &seconds, &later)?;
            if kind == 0 {
                shares.one_for_two = nearest_diagonal(&gradients, &later)?.left;
            }
        }
        Ok(shares)
    }
}

/// Shares that the best diagonals leave.
#[derive(Default)]
struct Shares {
    /// Of the first update, for each kind of A.
    first: [f64; 3],
    /// Of the change after two layers, with a diagonal for each of the two gradients.
    two: [f64; 3],
    /// The same for the first kind with one diagonal, for the first gradient.
    one_for_two: f64,
}

/// The share of the updates that the best two diagonals, one for each gradient, leave.
fn two_diagonals(first: &[Array1<f64>], second: &[Array1<f64>], updates: &[Array1<f64>]) -> Result<f64, Failure> {
    let (mut left, mut whole) = (0.0, 0.0);
    for c in 0..DIM {
        let features = Array2::from_shape_fn((updates.len(), 2), |(b, i)| [&first[b], &second[b]][i][c]);
        let target = Array1::from_shape_fn(updates.len(), |b| updates[b][c]);
        let square = target.dot(&target);
        left += least_squares(&features, &target)?.left * square;
        whole += square;
    }
    Ok(left / whole)
}

impl TypedCheck for KindsOfA {
    const CLAIM: &'static str = "memformer/a3-note";
    const PLAN: Plan = Plan::new(
        "share of the update that the best diagonal Λ leaves, least squares over prompts",
        "a share left for A proportional to the identity, whatever Γ; nothing left for full A",
        &[ROUNDING_SQUARED, OUTSIDE, EXPLAINED],
    )
    .protocol(&["law of Section 3.3, d = 5, n = 20, two layers"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let shares = self.shares(setting)?;
        let ([scalar, diagonal, full], [scalar_two, diagonal_two, full_two]) = (shares.first, shares.two);
        let uneven = FromTokensToCoordinates::default().see(setting)?.uneven;
        let prompts = self.prompts;
        let nothing =
            |label: &str, share: f64| Finding::identity(label, share, ROUNDING_SQUARED).cases(prompts).unit("prompts");
        let outside = |label: &str| Finding::at_least(label, OUTSIDE, Estimate::exact(full));
        let evidence = Evidence::of(nothing("A = aI, constant Γ: share of the update left by the best Λ", scalar))
            .and(Finding::at_most(
                "A = aI, Γ that differ between tokens: share of the labels' change that no w explains",
                EXPLAINED,
                mean(&uneven)?,
            ))
            .and(nothing(
                "A = aI, constant Γ, two layers with registers: share left by the best Λ for both gradients",
                scalar_two,
            ))
            .and(outside("A full, constant Γ: share left by the best diagonal Λ"))
            .condition(
                "rows of Γ must be constant; then A = aI and diagonal A are exact, and full A is outside of the class",
                vec![
                    nothing("A = aI, constant Γ", scalar),
                    nothing("A diagonal, constant Γ", diagonal),
                    nothing("A diagonal, constant Γ, two layers with registers", diagonal_two),
                    Finding::at_least(
                        "A full, constant Γ, two layers with registers",
                        OUTSIDE,
                        Estimate::exact(full_two),
                    ),
                    outside("A full, constant Γ"),
                ],
            )
            .twin(nothing(
                "A = aI, the state after two layers with Λ for the first gradient alone: share left",
                shares.one_for_two,
            ));
        let frame = columns(vec![
            ("A", Self::KINDS.to_vec().into()),
            ("share of the update left by the best diagonal Λ", vec![scalar, diagonal, full].into()),
        ])?;
        Ok(Checked::from(evidence).table(Table::new(frame).title("Only a full A leaves the class")))
    }
}
