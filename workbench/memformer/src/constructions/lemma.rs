//! Lemma 2.1 and the steps of its proof.

use ndarray::{Array1, Array2};

use super::instance::Instance;
use super::literal::{Mask, literal_forward};
use crate::arithmetic::algebra::{reciprocal, solve, step, times};
use crate::arithmetic::number::Number;
use crate::{Error, Head};
use workbench_ground::check::{positive, same_shape};

/// Label rows $Y_0$ to $Y_L$ of $Y_{k+1}=Y_k-\frac1nY_kMX_0^\top A_kX_0$, as printed.
///
/// **Source**: Eq. A.1. **Shapes**: each A (d, d), each row (n + 1). **Errors**: no matrix, shapes.
pub fn label_rows<T: Number>(prompt: &Instance<T>, matrices: &[Array2<T>]) -> Result<Vec<Array1<T>>, Error> {
    const OP: &str = "label_rows";
    positive(OP, "the number of matrices (L)", matrices.len())?;
    let (d, n) = (prompt.dim(), prompt.examples());
    let x = prompt.tokens.slice(ndarray::s![..d, ..]).to_owned();
    let mask = Mask::Printed.matrix::<T>(n);
    let minus = reciprocal::<T>(n).negated();
    let mut rows = vec![prompt.tokens.row(d).to_owned()];
    for (k, a) in matrices.iter().enumerate() {
        same_shape(OP, "A", a.shape(), &[d, d])?;
        let row = Array2::from_shape_fn((1, n + 1), |(_, i)| rows[k][i].clone());
        let scores = times(&times(&x.t().to_owned(), a), &x);
        let change = times(&times(&row, &mask), &scores);
        rows.push(step(&rows[k], &minus, &change.row(0).to_owned()));
    }
    Ok(rows)
}

/// $g(x,y,k)$ for $k=0,\dots,L$: the last label after k layers when the last token is $(x,y)$.
///
/// **Source**: Appendix A.1. **Shapes**: `x` (d), result (L + 1). **Errors**: as [`literal_forward`], a query of another dimension.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Fraction, Head, Instance, Mask, Number, identity, query_outputs};
/// let prompt = Instance::draw(&mut Streams::new(1).stream("prompt")?, 2, 3)?;
/// let layers = vec![Head::restricted(&identity(2))?; 2];
/// let with = |y: i64| query_outputs(&layers, &prompt, &prompt.query(), &Fraction::whole(y), Mask::Printed);
/// // The label of the query is added at the end, whatever the layers do.
/// assert_eq!(with(5)?[2].minus(&with(0)?[2]), Fraction::whole(5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn query_outputs<T: Number>(
    layers: &[Head<T>],
    prompt: &Instance<T>,
    x: &Array1<T>,
    y: &T,
    mask: Mask,
) -> Result<Vec<T>, Error> {
    let asked = prompt.with_query(x, y)?;
    let at = [prompt.dim(), prompt.examples()];
    let states = literal_forward(layers, &asked.tokens, mask)?;
    Ok(states.iter().map(|z| z[at].clone()).collect())
}

/// $\theta_k$ with $g(x,0,k)=\langle\theta_k,x\rangle$, from as many queries as there are dimensions, for $k=0,\dots,L$.
///
/// **Source**: Appendix A.1. If g is not linear in the query (no mask, labels in Q) the result depends on the queries and predicts
/// nothing else; that is how the claim is tested.
///
/// **Shapes**: `queries` (d, d), one in each column, independent; result L + 1 vectors (d). **Errors**: shapes, dependent queries.
pub fn recovered_theta<T: Number>(
    layers: &[Head<T>],
    prompt: &Instance<T>,
    queries: &Array2<T>,
    mask: Mask,
) -> Result<Vec<Array1<T>>, Error> {
    let d = prompt.dim();
    same_shape("recovered_theta", "the queries", queries.shape(), &[d, d])?;
    let mut answers = Vec::with_capacity(d);
    for column in queries.columns() {
        answers.push(query_outputs(layers, prompt, &column.to_owned(), &T::zero(), mask)?);
    }
    let transposed = queries.t().to_owned();
    (0..=layers.len()).map(|k| solve(&transposed, &Array1::from_shape_fn(d, |i| answers[i][k].clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::algebra::inner;
    use crate::arithmetic::number::{Fraction, fraction_matrix};
    use crate::methods::newton::preconditioned_descent;
    use workbench_ground::stats::Streams;

    #[test]
    fn the_architecture_descends_with_the_transposed_matrix() {
        let mut stream = Streams::new(2).stream("lemma").unwrap();
        let prompt = Instance::draw(&mut stream, 2, 4).unwrap();
        let a: Vec<_> = (0..3).map(|_| fraction_matrix(&mut stream, 2, 2)).collect();
        let layers: Vec<_> = a.iter().map(|a| Head::restricted(a).unwrap()).collect();
        let states = literal_forward(&layers, &prompt.tokens, Mask::Printed).unwrap();
        let rows = label_rows(&prompt, &a).unwrap();
        let transposed: Vec<_> = a.iter().map(|a| a.t().to_owned()).collect();
        let f = prompt.quadratic();
        let right = preconditioned_descent(&f, &f.origin(), &transposed).unwrap();
        let printed = preconditioned_descent(&f, &f.origin(), &a).unwrap();
        let queries = fraction_matrix(&mut stream, 2, 2);
        let thetas = recovered_theta(&layers, &prompt, &queries, Mask::Printed).unwrap();
        for k in 0..=3 {
            assert_eq!(states[k].row(2), rows[k]);
            assert_eq!(states[k][[2, 4]], inner(&prompt.query(), &right.iterates[k]).negated());
            assert_eq!(thetas[k], right.iterates[k].mapv(|v| v.negated()));
        }
        assert!(states[3][[2, 4]] != inner(&prompt.query(), &printed.iterates[3]).negated());
    }

    #[test]
    fn without_the_mask_theta_depends_on_the_queries() {
        let mut stream = Streams::new(2).stream("mask").unwrap();
        let prompt = Instance::draw(&mut stream, 2, 3).unwrap();
        let layers = vec![Head::restricted(&fraction_matrix(&mut stream, 2, 2)).unwrap(); 2];
        let (one, two) = (fraction_matrix(&mut stream, 2, 2), fraction_matrix(&mut stream, 2, 2));
        let theta = |queries: &Array2<Fraction>, mask| recovered_theta(&layers, &prompt, queries, mask).unwrap();
        assert_eq!(theta(&one, Mask::Printed), theta(&two, Mask::Printed));
        assert!(theta(&one, Mask::Absent)[2] != theta(&two, Mask::Absent)[2]);
        assert!(label_rows::<Fraction>(&prompt, &[]).is_err());
        assert!(recovered_theta(&layers, &prompt, &fraction_matrix(&mut stream, 3, 2), Mask::Printed).is_err());
    }
}
