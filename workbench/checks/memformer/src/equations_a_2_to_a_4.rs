//! Eqs. A.2 to A.4: from labels to theta.
//!
//! **Claim** (`memformer/eq-A2-A4`). y_{k+1} = y_k - <A_k X^T Y_k, x> / n for the query x; <theta_{k+1}, x> = <theta_k, x> -
//! <A_k X (X^T theta_k + Y_0), x> / n; theta_{k+1} = theta_k - A_k X X^T (theta_k + w*) / n.
//!
//! X is (d, n), and Y_k, though (1, n), "the vector" of labels: it is read as a column where a product or a sum asks for one, so that
//! nothing is charged for it. Then A.3 fits, and of A.2 the products with X^T do not: the matrix product is let to refuse them, once for each
//! shape. Where n = d they can be taken, and the value decides. That A_k is transposed is charged in Lemma 2.1 and mended in all three
//! lines. Refuted by a product that cannot be taken, an answer or a theta that a line does not give.

use ndarray::{Array1, Array2, s};
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memformer::{
    Fraction, Instance, Mask, Number, identity, literal_forward, matrix_vector, product, recovered_theta,
};

use super::exact::{dot, part, token, whole};
use super::exact_layers::{general, layers_of, moved, symmetric};
use crate::vocabulary::EXACT;

/// The three lines, as printed and as the shapes require.
pub const CHECK: Check = Check {
    claim: "memformer/eq-A2-A4",
    metric: "shapes, answers and steps of theta that do not fit, in fractions",
    against: "a product that cannot be taken as printed, an answer or a theta that a line does not give",
    choices: &[
        "the row Ȳ is read as a column, the vector of labels, where a line asks for one",
        "values for (d, n) = (2, 4) and (3, 3), two layers; shapes for three pairs with n ≠ d",
    ],
    run,
    ..Check::DEFAULT
};

const LAYERS: usize = 2;
/// d and n for which the printed shapes are looked at.
const SHAPES: [(usize, usize); 3] = [(2, 4), (3, 4), (5, 3)];

fn run(s: &Sheet) -> Done {
    s.misprint("A.2 with X̄ Ȳᵀ in the place of the printed X̄ᵀ Ȳ");
    s.see("memformer/lemma-2-1");
    s.note("A.3 adds the row Ȳ₀ to a column; read as the vector of labels that the text calls it, it fits");
    for (d, n) in s.each("shapes", SHAPES) {
        let [a, x_turned, labels] = [(d, d), (n, d), (n, 1)].map(|shape| Array2::from_elem(shape, whole(1)));
        let x = x_turned.t().to_owned();
        for (left, right) in [(&a, &x_turned), (&x_turned, &labels)] {
            let label = "n ≠ d: products of A.2 whose shapes do not fit";
            s.printed(EXACT).of("products").never(label, product(left, right).is_err());
        }
        for (left, right) in [(&a, &x), (&x, &labels)] {
            let label = "n ≠ d: products of A.2 with X̄ Ȳᵀ whose shapes do not fit";
            s.changed(EXACT).of("products").never(label, product(left, right).is_err());
        }
    }
    let mut stream = s.stream("A.2 to A.4")?;
    for case in s.cases("prompts", 20, 100)? {
        let d = 2 + case % 2;
        // Every second has n = d.
        let n = if case % 2 == 0 { 4 } else { d };
        let prompt = Instance::draw(&mut stream, d, n)?;
        let any = general(&mut stream, LAYERS, d);
        for (a, even) in [(&any, false), (&symmetric(&any), true)] {
            let layers = layers_of(a)?;
            let states = literal_forward(&layers, &prompt.tokens, Mask::Printed)?;
            let theta = recovered_theta(&layers, &prompt, &identity(d), Mask::Printed)?;
            for k in 0..LAYERS {
                labels_line(s, &prompt, &a[k], &states[k], &states[k + 1])?;
                theta_lines(s, &prompt, &a[k], even, &theta[k], &theta[k + 1])?;
            }
        }
    }
    Ok(())
}

/// A.2 from one state to the next.
fn labels_line(
    s: &Sheet,
    prompt: &Instance<Fraction>,
    a: &Array2<Fraction>,
    now: &Array2<Fraction>,
    then: &Array2<Fraction>,
) -> Done {
    let (d, n) = (prompt.dim(), prompt.examples());
    let (x, query) = (prompt.covariates(), prompt.query());
    let labels = now.slice(s![d..d + 1, ..n]).to_owned();
    let differs = |pull: Array2<Fraction>| -> Result<bool, Failure> {
        let step = part(-1, n as i64).times(&dot(&pull.column(0).to_owned(), &query)?);
        Ok(then[[d, n]] != now[[d, n]].plus(&step))
    };
    if n == d {
        let turned = product(&product(&a.t().to_owned(), &x.t().to_owned())?, &labels.t().to_owned())?;
        let label = "n = d: A.2 with X̄ᵀ as printed and the lemma's Aᵀ, answers that differ";
        s.printed(EXACT).of("answers").never(label, differs(turned)?);
    }
    let mended = product(&product(&a.t().to_owned(), &x)?, &labels.t().to_owned())?;
    s.changed(EXACT).of("answers").never("A.2 with Aᵀ X̄ Ȳᵀ, answers that differ", differs(mended)?);
    let first = prompt.tokens.slice(s![d..d + 1, ..n]).t().to_owned();
    let stale = product(&product(&a.t().to_owned(), &x)?, &first)?;
    s.twin(EXACT).of("answers").never("A.2 with Aᵀ X̄ Ȳᵀ and Ȳ₀ for Ȳ_k, answers that differ", differs(stale)?);
    Ok(())
}

/// A.3 and A.4 from one theta to the next; `even` if A is symmetric.
fn theta_lines(
    s: &Sheet,
    prompt: &Instance<Fraction>,
    a: &Array2<Fraction>,
    even: bool,
    theta: &Array1<Fraction>,
    next: &Array1<Fraction>,
) -> Done {
    let (x, a_turned) = (prompt.covariates(), a.t().to_owned());
    let x_turned = x.t().to_owned();
    let nth = part(-1, prompt.examples() as i64);
    let inner = moved(&matrix_vector(&x_turned, theta)?, &whole(1), &prompt.labels());
    let pull = matrix_vector(&a_turned, &matrix_vector(&x, &inner)?)?;
    let unlabelled = matrix_vector(&a_turned, &matrix_vector(&x, &matrix_vector(&x_turned, theta)?)?)?;
    // The query is arbitrary, so every token may stand for it.
    for i in 0..=prompt.examples() {
        let x = token(&prompt.tokens, i);
        let by_a3 = |pull: &Array1<Fraction>| -> Result<Fraction, Failure> {
            Ok(dot(theta, &x)?.plus(&nth.times(&dot(pull, &x)?)))
        };
        let label = "A.3 with Aᵀ and Ȳ₀ᵀ, tokens that differ";
        s.both_forms(EXACT).of("tokens").never(label, dot(next, &x)? != by_a3(&pull)?);
        let label = "A.3 with Aᵀ and without Ȳ₀, tokens that differ";
        s.twin(EXACT).of("tokens").never(label, dot(next, &x)? != by_a3(&unlabelled)?);
    }

    let differs = |a: &Array2<Fraction>, target: i64, share: &Fraction| -> Result<bool, Failure> {
        let off = moved(theta, &whole(target), &prompt.target);
        let pull = matrix_vector(a, &matrix_vector(&product(&x, &x_turned)?, &off)?)?;
        Ok(*next != moved(theta, share, &pull))
    };
    let (printed, twin) = (s.printed(EXACT).of("steps"), s.twin(EXACT).of("steps"));
    match even {
        false => twin.never("A.4 without the transpose, general A: steps that differ", differs(a, 1, &nth)?),
        true => printed.never("A.4, symmetric A: steps that differ", differs(a, 1, &nth)?),
    }
    printed.never("A.4 with the lemma's transpose: steps that differ", differs(&a_turned, 1, &nth)?);
    twin.never("A.4 with Aᵀ and without 1/n", differs(&a_turned, 1, &whole(-1))?);
    twin.never("A.4 with Aᵀ and θ - w* for θ + w*", differs(&a_turned, -1, &nth)?);
    Ok(())
}
