//! Appendix A.3: the derivation of Theorem 3.2.
//!
//! **Claim** (`memformer/a3-derivation`). As printed: Y_{k+1} = Y_k - (1/n) sum_j Gamma_j^k|_{d+1} o (Y_k M X^T A_k X), then the same for
//! the query with Lambda_j^k in place of the row of Gamma, and w_{k+1} = w_k - (1/n) sum_j A_j grad R(w_j) o Lambda_j^k.
//!
//! Three steps to test. The bracket of the first line has index k where the registers have j. The second line replaces a row of n + 1
//! numbers, one for each token, by d numbers, one for each coordinate: possible when the row is constant, and otherwise the state after
//! the layer must at least be that of some iterate, which least squares can test. The last line has an extra 1/n.

use ndarray::{Array1, Array2};
use workbench_ground::stats::{Stream, mean, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Instance, Layer, Lfom, LinearTransformer, Number, Weight, fraction_matrix, fraction_vector,
    nearest_iterate,
};

use super::exact::{Tally, labels_off, part, whole};
use super::section_3_3::{DIM, EXAMPLES};
use crate::vocabulary::{EXACT, Largest};

/// A share that no iterate explains is above this.
pub(super) const EXPLAINED: Margin = Margin::new("explained", 1e-9, "a share of squares; rounding leaves 1e-30");
const ROUNDING_SQUARED: Margin = Margin::new("rounding, squared", 1e-20, "a share of squares of numbers of order one");

/// The three lines, in fractions and in floats.
#[derive(Clone, Debug)]
pub struct FromTokensToCoordinates {
    /// Prompts in fractions.
    pub prompts: usize,
    /// Prompts in floats.
    pub floats: usize,
}

impl Default for FromTokensToCoordinates {
    fn default() -> FromTokensToCoordinates {
        FromTokensToCoordinates { prompts: 10, floats: 200 }
    }
}

/// What the three lines give.
#[derive(Default)]
pub(super) struct Seen {
    with_k: Tally,
    with_j: Tally,
    recursion: Tally,
    with_n: Tally,
    untransposed: Tally,
    constant: Largest,
    /// For each prompt, the share of the labels' change that no w explains when the row of Gamma differs between tokens.
    pub(super) uneven: Vec<f64>,
}

/// Rows of Gamma: for each layer, one for each register.
type Rows<T> = Vec<Vec<T>>;

fn triangle<T>(layers: usize, mut draw: impl FnMut() -> T) -> Rows<T> {
    (0..layers).map(|l| (0..=l).map(|_| draw()).collect()).collect()
}

impl FromTokensToCoordinates {
    pub(super) fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("A.3")?;
        let mut seen = Seen::default();
        for case in 0..self.prompts {
            exact(2 + case % 2, &mut stream, &mut seen)?;
        }
        let layer = vec![Layer::restricted(&Array2::eye(DIM))?];
        for _ in 0..self.floats {
            let x = normal_array2(&mut stream, DIM, EXAMPLES + 1);
            let prompt = Instance::new(x, normal_array2(&mut stream, 1, DIM).row(0).to_owned())?;
            let left = |row: Array1<f64>| -> Result<f64, Failure> {
                let states = LinearTransformer::with_rows(layer.clone(), &[vec![row]])?.forward(&prompt.tokens)?;
                Ok(nearest_iterate(&prompt, &states[1])?.left)
            };
            seen.constant.see(left(Array1::from_elem(EXAMPLES + 1, 0.7))?);
            let uneven = normal_array2(&mut stream, 1, EXAMPLES + 1).row(0).mapv(|v| 1.0 + 0.5 * v);
            seen.uneven.push(left(uneven)?);
        }
        Ok(seen)
    }
}

fn exact(d: usize, stream: &mut Stream, seen: &mut Seen) -> Result<(), Failure> {
    let (n, layers) = (4, 3);
    let prompt = Instance::draw(stream, d, n)?;
    let a: Vec<Array2<Fraction>> = (0..layers).map(|_| fraction_matrix(stream, d, d)).collect();
    let stacked = a.iter().map(Layer::restricted).collect::<Result<Vec<_>, _>>()?;
    let rows = triangle(layers, || fraction_vector(stream, n + 1));
    let run = LinearTransformer::with_rows(stacked.clone(), &rows)?.run(&prompt.tokens)?;
    let n_th = part(1, n as i64);
    for (k, gammas) in rows.iter().enumerate() {
        for i in 0..=n {
            // Minus the last row of a register is Y M X^T A X.
            let next_with = |bracket: &dyn Fn(usize) -> usize| {
                let sum = gammas
                    .iter()
                    .enumerate()
                    .fold(whole(0), |sum, (j, gamma)| sum.plus(&gamma[i].times(&run.registers[bracket(j)][0][[d, i]])));
                run.states[k][[d, i]].plus(&sum.times(&n_th))
            };
            let next = &run.states[k + 1][[d, i]];
            seen.with_j.see(*next != next_with(&|j| j));
            seen.with_k.see(*next != next_with(&|_| k));
        }
    }
    // Constant rows: w moves by -sum c_j A_j^T grad R(w_j); as printed, by a 1/n of that.
    let c = triangle(layers, || Fraction::draw(stream));
    let constant: Rows<Array1<Fraction>> =
        c.iter().map(|row| row.iter().map(|c| Array1::from_elem(n + 1, c.clone())).collect()).collect();
    let states = LinearTransformer::with_rows(stacked, &constant)?.forward(&prompt.tokens)?;
    let f = prompt.quadratic();
    let differs = |scale: &Fraction, transposed: bool| -> Result<bool, Failure> {
        let weight = |(c, a): (&Fraction, &Array2<Fraction>)| {
            let a = if transposed { a.t().to_owned() } else { a.clone() };
            Weight::Full(a.mapv(|v| c.times(&v).times(scale).negated()))
        };
        let steps = c.iter().map(|row| row.iter().zip(&a).map(weight).collect()).collect();
        let iterates = Lfom::from_increments(steps)?.run(&f, &f.origin())?.iterates;
        Ok(labels_off(&prompt, &states, &iterates)? > 0)
    };
    seen.recursion.see(differs(&whole(1), true)?);
    seen.with_n.see(differs(&n_th, true)?);
    seen.untransposed.see(differs(&whole(1), false)?);
    Ok(())
}

impl TypedCheck for FromTokensToCoordinates {
    const CLAIM: &'static str = "memformer/a3-derivation";
    const PLAN: Plan = Plan::new(
        "labels and prompts that differ, in fractions; share of the labels' change that no iterate explains, least squares",
        "a line that does not give the labels of the forward pass",
        &[EXACT, EXPLAINED, ROUNDING_SQUARED],
    )
    .departures(&["fractions: d = 2 or 3, n = 4, three layers, random A; floats: d = 5, n = 20, one layer, A = I"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let evidence = Evidence::of(
            seen.with_k.none("first line as printed, with Y_k and A_k: labels that differ", "labels"),
        )
        .and(Finding::at_most(
            "rows of Γ that differ between tokens: share of the labels' change that no w explains",
            EXPLAINED,
            mean(&seen.uneven)?,
        ))
        .and(seen.with_n.none("last line as printed, with its 1/n, constant rows: prompts that differ", "prompts"))
        .misprint(
            "the bracket has Y_j and A_j; rows of Γ are constant, Λ = c 1; no 1/n before A ∇R, and A transposed",
            vec![
                seen.with_j.none("first line with Y_j and A_j: labels that differ", "labels"),
                Finding::identity(
                    "constant rows: share of the labels' change that no w explains",
                    seen.constant.0,
                    ROUNDING_SQUARED,
                )
                .cases(self.floats)
                .unit("prompts"),
                seen.recursion
                    .none("constant rows, w_{k+1} = w_k - Σ c_j A_jᵀ ∇R(w_j): prompts that differ", "prompts"),
            ],
        )
        .twin(seen.untransposed.none("constant rows, with A in place of its transpose: prompts that differ", "prompts"))
        .note(
            "A X̄ᵀ Ȳ of the second line does not fit in shape; see Eqs. A.2 to A.4 in the notebook on linear attention",
        );
        Ok(evidence.into())
    }
}
