//! Reach of the architecture: distances to the nearest method, and dimensions of what can be varied.

use ndarray::{Array1, Array2};

use super::instance::Instance;
use crate::arithmetic::algebra::inner;
use crate::arithmetic::number::{Fraction, Number};
use crate::methods::lfom::Lfom;
use crate::methods::stagewise::{LeastSquares, least_squares};
use crate::{Error, Head, LinearTransformer, Statistics};
use workbench_ground::check::{positive, same_shape};
use workbench_ground::work;

/// How near one Hadamard weight comes to a diagonal $\Lambda$ in the first layer: the query's label moves by
/// $\gamma\langle x,\nabla R\rangle$ where the method asks for $\langle x,\Lambda\nabla R\rangle$.
///
/// **Source**: Theorem 3.2 (b). **Shapes**: `lambda` (d). **Errors**: lengths, a $\Lambda$ of zeros.
pub fn nearest_hadamard(statistics: &Statistics, lambda: &Array1<f64>) -> Result<LeastSquares, Error> {
    let batch = statistics.batch();
    let (mut moved, mut asked) = (Array2::zeros((batch, 1)), Array1::zeros(batch));
    for b in 0..batch {
        let gradient = -statistics.cross(b)?;
        same_shape("nearest_hadamard", "Lambda", lambda.shape(), gradient.shape())?;
        let query = statistics.query().row(b);
        moved[[b, 0]] = query.dot(&gradient);
        asked[b] = query.dot(&(lambda * &gradient));
    }
    least_squares(&moved, &asked)
}

/// What [`nearest_hadamard`] leaves over infinitely many prompts with covariates and targets $\mathcal N(0,I)$:
/// $1-\frac{(\operatorname{tr}\Lambda)^2}{d\operatorname{tr}\Lambda^2}$.
///
/// The gradient and the query are independent and isotropic.
///
/// **Source**: ours, for Theorem 3.2 and Eq. 3.5.
/// **Errors**: an empty $\Lambda$, or one of zeros.
///
/// ```
/// use workbench_memformer::hadamard_distance;
/// use ndarray::array;
/// assert!((hadamard_distance(&array![1.0, 2.0, 3.0, 4.0, 5.0])? - 2.0 / 11.0).abs() < 1e-15);
/// assert_eq!(hadamard_distance(&array![2.0, 2.0])?, 0.0);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn hadamard_distance(lambda: &Array1<f64>) -> Result<f64, Error> {
    const OP: &str = "hadamard_distance";
    positive(OP, "d", lambda.len())?;
    let squares = lambda.dot(lambda);
    if squares.is_nan() || squares <= 0.0 {
        let allowed = "a Lambda that is not zero";
        return Err(Error::parameter(OP, "the trace of Lambda^2", squares, allowed));
    }
    Ok(1.0 - lambda.sum().powi(2) / (lambda.len() as f64 * squares))
}

/// The diagonal $\Lambda$ of one step that comes nearest to given updates: `updates[b]` against $\Lambda$ `gradients[b]`.
///
/// **Source**: ours, for the closing note of Appendix A.3.
/// **Shapes**: both lists of vectors (d). **Errors**: lists of different length, empty, updates that are all zero.
///
/// ```
/// use workbench_memformer::nearest_diagonal;
/// use ndarray::array;
/// let fit = nearest_diagonal(&[array![1.0, 1.0], array![1.0, -1.0]], &[array![2.0, 3.0], array![2.0, -3.0]])?;
/// assert!(fit.left < 1e-28 && (fit.coefficients[1] - 3.0).abs() < 1e-14);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn nearest_diagonal(gradients: &[Array1<f64>], updates: &[Array1<f64>]) -> Result<LeastSquares, Error> {
    const OP: &str = "nearest_diagonal";
    positive(OP, "the number of updates", updates.len())?;
    same_shape(OP, "the gradients", &[gradients.len()], &[updates.len()])?;
    let d = updates[0].len();
    let (mut features, mut target) = (Array2::zeros((d * updates.len(), d)), Array1::zeros(d * updates.len()));
    for (b, (gradient, update)) in gradients.iter().zip(updates).enumerate() {
        same_shape(OP, "a gradient", gradient.shape(), &[d])?;
        same_shape(OP, "an update", update.shape(), &[d])?;
        for c in 0..d {
            features[[b * d + c, c]] = gradient[c];
            target[b * d + c] = update[c];
        }
    }
    least_squares(&features, &target)
}

/// How near the labels of the examples are to a linear function: what is left of the change $y_0-y$ after the best w,
/// $y_0^{(i)}-y^{(i)}=\langle x^{(i)},w\rangle$.
///
/// It is 0 exactly when the state is that of some iterate w, as the proof of Lemma 2.1 has it.
///
/// **Source**: ours, for Lemma 2.1 and Appendix A.3.
/// **Shapes**: `state` (d + 1, n + 1). **Errors**: shapes, labels that did not change.
pub fn nearest_iterate(prompt: &Instance<f64>, state: &Array2<f64>) -> Result<LeastSquares, Error> {
    same_shape("nearest_iterate", "Z", state.shape(), prompt.tokens.shape())?;
    let (d, n) = (prompt.dim(), prompt.examples());
    let change = prompt.labels() - state.slice(ndarray::s![d, ..n]);
    least_squares(&prompt.covariates().t().to_owned(), &change)
}

/// Derivatives of the last answer with respect to every entry of the last rows of $\Gamma$, one row for each prompt.
///
/// Every entry enters the answer linearly (each layer multiplies a register once), so a difference of one unit is the derivative, exactly.
///
/// **Source**: ours, for Section 3.2 after Eq. 3.5.
/// **Shapes**: `rows[l][j]` (n + 1); result (prompts, (n + 1) L (L + 1) / 2). **Errors**: shapes, a stop request.
pub fn gamma_jacobian(
    prompts: &[Instance<Fraction>],
    layers: &[Head<Fraction>],
    rows: &[Vec<Array1<Fraction>>],
) -> Result<Array2<Fraction>, Error> {
    const OP: &str = "gamma_jacobian";
    let answer = |prompt: &Instance<Fraction>, rows: &[Vec<Array1<Fraction>>]| {
        LinearTransformer::with_rows(layers.to_vec(), rows)?.predict(&prompt.tokens)
    };
    let mut entries = Vec::new();
    for (l, of_layer) in rows.iter().enumerate() {
        for (j, row) in of_layer.iter().enumerate() {
            entries.extend((0..row.len()).map(|i| (l, j, i)));
        }
    }
    let mut jacobian = Array2::from_elem((prompts.len(), entries.len()), Fraction::zero());
    for (b, prompt) in prompts.iter().enumerate() {
        work::check(OP, b, prompts.len())?;
        let base = answer(prompt, rows)?;
        for (column, &(l, j, i)) in entries.iter().enumerate() {
            let mut moved = rows.to_vec();
            moved[l][j][i] = moved[l][j][i].plus(&Fraction::one());
            jacobian[[b, column]] = answer(prompt, &moved)?.minus(&base);
        }
    }
    Ok(jacobian)
}

/// Derivatives of the last answer of a diagonal method with respect to every entry of every $\Lambda$, one row for each prompt.
///
/// **Source**: ours, for Section 3.2 after Eq. 3.5.
/// **Shapes**: `rows[k][i]` (d); result (prompts, d K (K + 1) / 2). **Errors**: shapes, a stop request.
pub fn lambda_jacobian(
    prompts: &[Instance<Fraction>],
    rows: &[Vec<Array1<Fraction>>],
) -> Result<Array2<Fraction>, Error> {
    const OP: &str = "lambda_jacobian";
    let answer = |prompt: &Instance<Fraction>, rows: &[Vec<Array1<Fraction>>]| -> Result<Fraction, Error> {
        let f = prompt.quadratic();
        let run = Lfom::diagonals(rows.to_vec())?.run(&f, &f.origin())?;
        Ok(inner(&prompt.query(), &run.iterates[rows.len()]))
    };
    let mut entries = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        for (i, lambda) in row.iter().enumerate() {
            entries.extend((0..lambda.len()).map(|c| (k, i, c)));
        }
    }
    let mut jacobian = Array2::from_elem((prompts.len(), entries.len()), Fraction::zero());
    for (b, prompt) in prompts.iter().enumerate() {
        work::check(OP, b, prompts.len())?;
        let base = answer(prompt, rows)?;
        for (column, &(k, i, c)) in entries.iter().enumerate() {
            let mut moved = rows.to_vec();
            moved[k][i][c] = moved[k][i][c].plus(&Fraction::one());
            jacobian[[b, column]] = answer(prompt, &moved)?.minus(&base);
        }
    }
    Ok(jacobian)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::algebra::{identity, rank};
    use crate::arithmetic::number::fraction_vector;
    use crate::constructions::literal::{Mask, literal_forward};
    use crate::{Prompts, TaskLaw};
    use ndarray::array;
    use workbench_ground::stats::{Streams, normal_array2};

    #[test]
    fn one_number_cannot_scale_coordinates() {
        let mut stream = Streams::new(4).stream("distance").unwrap();
        let prompts = Prompts::draw(&TaskLaw::isotropic(3).unwrap(), 10, 20_000, &mut stream).unwrap();
        let statistics = prompts.statistics().unwrap();
        let lambda = array![1.0, 2.0, 4.0];
        let left = nearest_hadamard(&statistics, &lambda).unwrap().left;
        assert!((left - hadamard_distance(&lambda).unwrap()).abs() < 0.02, "{left}");
        let same = array![2.0, 2.0, 2.0];
        assert!(nearest_hadamard(&statistics, &same).unwrap().left < 1e-25);
        assert_eq!(hadamard_distance(&same).unwrap(), 0.0);
        assert!(hadamard_distance(&array![0.0]).is_err() && nearest_hadamard(&statistics, &array![1.0]).is_err());
    }

    #[test]
    fn updates_of_a_diagonal_step_are_recognised() {
        let mut stream = Streams::new(4).stream("diagonal").unwrap();
        let gradients: Vec<_> = normal_array2(&mut stream, 9, 3).rows().into_iter().map(|r| r.to_owned()).collect();
        let lambda = array![1.0, -2.0, 0.5];
        let updates: Vec<_> = gradients.iter().map(|g| &lambda * g).collect();
        let fit = nearest_diagonal(&gradients, &updates).unwrap();
        assert!(fit.left < 1e-28 && (fit.coefficients - &lambda).iter().all(|v| v.abs() < 1e-13));
        let permuted: Vec<_> = updates.iter().map(|u| array![u[1], u[2], u[0]]).collect();
        assert!(nearest_diagonal(&gradients, &permuted).unwrap().left > 0.1);
        assert!(nearest_diagonal(&gradients[..2], &permuted).is_err());
    }

    #[test]
    fn states_of_a_plain_stack_are_iterates() {
        let mut stream = Streams::new(4).stream("iterate").unwrap();
        let prompt = Instance::new(normal_array2(&mut stream, 2, 7), array![1.0, 2.0]).unwrap();
        let layers = vec![Head::restricted(&array![[0.5, 0.1], [0.0, 0.4]]).unwrap(); 2];
        let states = literal_forward(&layers, &prompt.tokens, Mask::Printed).unwrap();
        assert!(nearest_iterate(&prompt, &states[2]).unwrap().left < 1e-25);
        let uneven: Vec<Vec<Array1<f64>>> = vec![vec![Array1::range(0.0, 7.0, 1.0)]];
        let states =
            LinearTransformer::with_rows(layers[..1].to_vec(), &uneven).unwrap().run(&prompt.tokens).unwrap().states;
        assert!(nearest_iterate(&prompt, &states[1]).unwrap().left > 1e-3);
    }

    #[test]
    fn gamma_and_lambda_span_spaces_of_other_size() {
        let mut stream = Streams::new(4).stream("jacobians").unwrap();
        let (d, n) = (2, 6);
        let prompts: Vec<_> = (0..12).map(|_| Instance::draw(&mut stream, d, n).unwrap()).collect();
        let layers = vec![Head::restricted(&identity(d)).unwrap(); 2];
        let mut rows = |len: usize| -> Vec<Vec<Array1<Fraction>>> {
            (0..2).map(|k| (0..=k).map(|_| fraction_vector(&mut stream, len)).collect()).collect()
        };
        let gamma = gamma_jacobian(&prompts, &layers, &rows(n + 1)).unwrap();
        let lambda = lambda_jacobian(&prompts, &rows(d)).unwrap();
        assert_eq!((gamma.dim(), lambda.dim()), ((12, 3 * (n + 1)), (12, 3 * d)));
        // n + 2 and 3d numbers matter, and one combination of them is redundant: g_1 repeats g_0.
        assert_eq!((rank(&gamma), rank(&lambda)), (n + 1, 3 * d - 1));
    }
}
