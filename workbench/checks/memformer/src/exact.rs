//! Fractions, stacks of layers and labels of exact checks.

use ndarray::{Array1, Array2, s};
use workbench_ledger::{Done, Failure, Says};
use workbench_memformer::{Fraction, Instance, Layer, Number, inner_product};

/// A whole number.
pub fn whole(i: i64) -> Fraction {
    Fraction::whole(i)
}

/// A numerator over a denominator; zero over nothing for a denominator of zero, which no check writes.
pub fn part(numerator: i64, denominator: i64) -> Fraction {
    whole(numerator).over(&whole(denominator)).unwrap_or_else(|| whole(0))
}

/// `<a, b>`.
pub fn dot(a: &Array1<Fraction>, b: &Array1<Fraction>) -> Result<Fraction, Failure> {
    Ok(inner_product(a, b)?)
}

/// The covariate of token `i` of a prompt `(d + 1, n + 1)`.
pub fn token(z: &Array2<Fraction>, i: usize) -> Array1<Fraction> {
    z.slice(s![..z.nrows() - 1, i]).to_owned()
}

/// Layers of Eq. 2.8 with B = 0 and one A.
pub fn stack(a: &Array2<Fraction>, layers: usize) -> Result<Vec<Layer<Fraction>>, Failure> {
    Ok(vec![Layer::restricted(a)?; layers])
}

/// What Gamma and Lambda are: for each step k an entry for each i <= k.
pub fn triangle<T>(steps: usize, mut entry: impl FnMut() -> T) -> Vec<Vec<T>> {
    (0..steps).map(|k| (0..=k).map(|_| entry()).collect()).collect()
}

/// States that the label of every token in every state is `y - <x, w_l>`.
pub fn labels(
    says: Says,
    label: &str,
    prompt: &Instance<Fraction>,
    states: &[Array2<Fraction>],
    iterates: &[Array1<Fraction>],
) -> Done {
    for differs in labels_off(prompt, states, iterates)? {
        says.of("labels").never(label, differs);
    }
    Ok(())
}

/// For each label whether it is not `y - <x, w_l>`, over all layers and tokens.
///
/// # Errors
/// Another number of iterates than of states: what a shorter list leaves out would be compared with nothing.
pub fn labels_off(
    prompt: &Instance<Fraction>,
    states: &[Array2<Fraction>],
    iterates: &[Array1<Fraction>],
) -> Result<Vec<bool>, Failure> {
    if states.len() != iterates.len() {
        let (states, iterates) = (states.len(), iterates.len());
        return Err(format!("{states} states beside {iterates} iterates; every state has one iterate").into());
    }
    let d = prompt.dim();
    let mut off = Vec::new();
    for (z, w) in states.iter().zip(iterates) {
        for i in 0..z.ncols() {
            let label = prompt.tokens[[d, i]].minus(&dot(&token(&prompt.tokens, i), w)?);
            off.push(z[[d, i]] != label);
        }
    }
    Ok(off)
}
