//! Appendix A.3: the derivation of Theorem 3.2.
//!
//! **Claim** (`memformer/a3-derivation`). As printed: Y_{k+1} = Y_k - (1/n) sum_j Gamma_j^k|_{d+1} o (Y_k M X^T A_k X), then the same for
//! the query with Lambda_j^k in place of the row of Gamma, and w_{k+1} = w_k - (1/n) sum_j A_j grad R(w_j) o Lambda_j^k.
//!
//! The bracket of the first line has index k where the registers have j. The second line replaces a row of n + 1 numbers, one for each
//! token, by d numbers, one for each coordinate: that link is charged in Theorem 3.2, and rows are constant here. The last line has the 1/n
//! of A.6 and the A of Lemma 2.1, charged there and mended here. Beside it: with rows that are not constant the state after a layer would
//! have to be that of some iterate, which least squares can test.

use ndarray::{Array1, Array2};
use workbench_ground::stats::{Stream, mean, normal_array2};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memformer::{
    Fraction, Instance, Layer, Lfom, LinearTransformer, Number, Weight, fraction_vector, nearest_iterate,
};

use super::exact::{labels_off, part, triangle, whole};
use super::exact_layers::{general, layers_of, transposes};
use super::task_law::{DIM, EXAMPLES};
use crate::vocabulary::{EXACT, largest_of};

/// A share that no iterate explains is above this.
pub(super) const EXPLAINED: Margin = Margin::rounding("explained", 1e-9, "a share of squares; rounding leaves 1e-30");
const ROUNDING_SQUARED: Margin =
    Margin::rounding("rounding, squared", 1e-20, "a share of squares of numbers of order one");

/// The three lines, in fractions and in floats.
pub const CHECK: Check = Check {
    claim: "memformer/a3-derivation",
    metric: "labels and prompts that differ, in fractions; share of the labels' change that no iterate explains, least squares",
    against: "a line that does not give the labels of the forward pass",
    departures: &[
        "fractions: d = 2 or 3, n = 4, three layers, random A; floats: d = 5, n = 20, one layer, A = I",
        "rows of Γ are constant after the first line",
    ],
    run,
    ..Check::DEFAULT
};

/// Prompts in fractions, and in floats.
const CASES: usize = 10;
const FLOATS: usize = 200;

fn run(s: &Sheet) -> Done {
    s.misprint("the bracket has Y_j and A_j, in place of Y_k and A_k");
    s.see("memformer/thm-3-2");
    s.note("the 1/n before A ∇R is charged in memformer/eq-A5-A6, the transpose of A in memformer/lemma-2-1");
    s.note("A X̄ᵀ Ȳ of the second line does not fit in shape; see Eqs. A.2 to A.4 in the notebook on the proof of the lemma");
    let mut stream = s.stream("A.3")?;
    for i in s.each("prompts", 0..CASES) {
        let case = Case::draw(i, &mut stream)?;
        case.first_line(s)?;
        let (n_th, transposed) = (part(1, CASE_EXAMPLES as i64), transposes(&case.a));
        let label = "constant rows, with the 1/n of A.6: prompts that differ";
        s.twin(EXACT).never(label, case.last_line_differs(&n_th, &transposed)?);
        let label = "constant rows, w_{k+1} = w_k - Σ c_j A_jᵀ ∇R(w_j): prompts that differ";
        s.printed(EXACT).never(label, case.last_line_differs(&whole(1), &transposed)?);
        let label = "constant rows, with A in place of its transpose: prompts that differ";
        s.twin(EXACT).never(label, case.last_line_differs(&whole(1), &case.a)?);
    }
    let [constant, uneven] = unexplained(&mut stream)?;
    let label = "rows of Γ that differ between tokens: share of the labels' change that no w explains";
    s.aside(EXPLAINED).of("prompts").at_most(label, mean(&uneven)?);
    let label = "constant rows: share of the labels' change that no w explains";
    s.support(ROUNDING_SQUARED).over(FLOATS, "prompts").same(label, largest_of(constant));
    Ok(())
}

/// For each prompt in floats, the share of the labels' change that no w explains when the row of Gamma differs between tokens.
pub(super) fn uneven(setting: &Setting) -> Result<Vec<f64>, Failure> {
    let mut stream = setting.stream("A.3")?;
    for i in 0..CASES {
        Case::draw(i, &mut stream)?;
    }
    unexplained(&mut stream).map(|[_, uneven]| uneven)
}

/// The share of the labels' change that no w explains, with constant rows and with rows that differ between tokens.
fn unexplained(stream: &mut Stream) -> Result<[Vec<f64>; 2], Failure> {
    let layer = vec![Layer::restricted(&Array2::eye(DIM))?];
    let (mut constant, mut uneven) = (Vec::new(), Vec::new());
    for _ in 0..FLOATS {
        let x = normal_array2(stream, DIM, EXAMPLES + 1);
        let prompt = Instance::new(x, normal_array2(stream, 1, DIM).row(0).to_owned())?;
        let left = |row: Array1<f64>| -> Result<f64, Failure> {
            let states = LinearTransformer::with_rows(layer.clone(), &[vec![row]])?.forward(&prompt.tokens)?;
            Ok(nearest_iterate(&prompt, &states[1])?.left)
        };
        constant.push(left(Array1::from_elem(EXAMPLES + 1, 0.7))?);
        uneven.push(left(normal_array2(stream, 1, EXAMPLES + 1).row(0).mapv(|v| 1.0 + 0.5 * v))?);
    }
    Ok([constant, uneven])
}

const LAYERS: usize = 3;
const CASE_EXAMPLES: usize = 4;

/// A prompt and a network in fractions, with rows of Gamma that differ between tokens and with constant ones.
struct Case {
    prompt: Instance<Fraction>,
    a: Vec<Array2<Fraction>>,
    rows: Vec<Vec<Array1<Fraction>>>,
    constants: Vec<Vec<Fraction>>,
}

impl Case {
    fn draw(i: usize, stream: &mut Stream) -> Result<Case, Failure> {
        let d = 2 + i % 2;
        let prompt = Instance::draw(stream, d, CASE_EXAMPLES)?;
        let a = general(stream, LAYERS, d);
        let rows = triangle(LAYERS, || fraction_vector(stream, CASE_EXAMPLES + 1));
        Ok(Case { prompt, a, rows, constants: triangle(LAYERS, || Fraction::draw(stream)) })
    }

    /// The first line with its bracket as printed and with index j.
    fn first_line(&self, s: &Sheet) -> Done {
        let (d, n) = (self.prompt.dim(), CASE_EXAMPLES);
        let run = LinearTransformer::with_rows(layers_of(&self.a)?, &self.rows)?.run(&self.prompt.tokens)?;
        for (k, gammas) in self.rows.iter().enumerate() {
            for i in 0..=n {
                // Minus the last row of a register is Y M X^T A X.
                let differs = |bracket: &dyn Fn(usize) -> usize| {
                    let add = |sum: Fraction, (j, gamma): (usize, &Array1<Fraction>)| {
                        sum.plus(&gamma[i].times(&run.registers[bracket(j)][0][[d, i]]))
                    };
                    let sum = gammas.iter().enumerate().fold(whole(0), add);
                    run.states[k + 1][[d, i]] != run.states[k][[d, i]].plus(&sum.times(&part(1, n as i64)))
                };
                let label = "first line as printed, with Y_k and A_k: labels that differ";
                s.printed(EXACT).of("labels").never(label, differs(&|_| k));
                let label = "first line with Y_j and A_j: labels that differ";
                s.changed(EXACT).of("labels").never(label, differs(&|j| j));
            }
        }
        Ok(())
    }

    /// Whether some label with constant rows is not that of w moved by -sum c_j A_j^T grad R(w_j), scaled, with these A_j^T.
    fn last_line_differs(&self, scale: &Fraction, a: &[Array2<Fraction>]) -> Result<bool, Failure> {
        let row = |c: &Fraction| Array1::from_elem(CASE_EXAMPLES + 1, c.clone());
        let rows: Vec<Vec<_>> = self.constants.iter().map(|cs| cs.iter().map(row).collect()).collect();
        let states = LinearTransformer::with_rows(layers_of(&self.a)?, &rows)?.forward(&self.prompt.tokens)?;
        let weight =
            |(c, a): (&Fraction, &Array2<Fraction>)| Weight::Full(a.mapv(|v| c.times(&v).times(scale).negated()));
        let steps = self.constants.iter().map(|row| row.iter().zip(a).map(weight).collect()).collect();
        let f = self.prompt.quadratic();
        let iterates = Lfom::from_increments(steps)?.run(&f, &f.origin())?.iterates;
        Ok(labels_off(&self.prompt, &states, &iterates)?.contains(&true))
    }
}
