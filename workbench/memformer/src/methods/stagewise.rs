//! The best next weights, step after step, by least squares: scalar, diagonal and full.

use ndarray::{Array1, Array2, Axis};
use ndarray_linalg::{Eigh, LeastSquaresSvd, UPLO};

use super::lfom::{Lfom, Weight};
use super::optimum::{Measure, targets};
use super::quadratic::Quadratic;
use crate::Error;
use workbench_ground::check::{positive, same_shape};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// Kinds of weights of a linear first-order method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One number for each past gradient.
    Scalar,
    /// d numbers.
    Diagonal,
    /// d^2 numbers.
    Full,
}

/// A method fitted step by step, and how far it comes.
#[derive(Clone, Debug)]
pub struct Stagewise {
    /// The weights, shared by the batch.
    pub method: Lfom<f64>,
    /// Mean measure over the batch after 0, 1, ..., K steps.
    pub means: Vec<f64>,
}

/// The mean measure, one row after each step.
impl Tabulated for Stagewise {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Stagewise fit after each step")
            .x("step", (0..self.means.len()).collect::<Vec<usize>>())
            .with("mean measure", &self.means)
            .log_y())
    }
}

/// Least squares for each step in turn: given the iterates so far, the weights of step k that make the mean measure of $w^{k+1}$ least.
///
/// Each step is a linear least-squares problem in the weights of one row of Eq. 1.1. With scalar weights the result is the best array
/// there is, for every number of steps at once, because past gradients span the Krylov space whatever the earlier weights were. With
/// diagonal and full weights only the first step is: an array that gives up early steps may end lower.
///
/// **Source**: ours. **Shapes**: batch of one dimension d. **Errors**: an empty batch, no step, several dimensions, singular Hessians,
/// a query covariance of another shape, a stop request. Cost K B d p^2 with p = (K, K d, K d^2) unknowns.
///
/// ```
/// use workbench_memformer::{Kind, Measure, Quadratic, best_stagewise};
/// use ndarray::array;
/// let one = |a: f64, b: f64| Quadratic::around(array![[a, 0.0], [0.0, b]], &array![1.0, 1.0]);
/// let batch = [one(1.0, 4.0)?, one(1.0, 4.0)?];
/// // A rate for each coordinate solves what one rate cannot.
/// let means = |kind| best_stagewise(&batch, 1, kind, &Measure::Loss).map(|fitted| fitted.means[1]);
/// assert!(means(Kind::Diagonal)? < 1e-25 && means(Kind::Scalar)? > 0.1);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn best_stagewise(
    batch: &[Quadratic<f64>],
    steps: usize,
    kind: Kind,
    measure: &Measure,
) -> Result<Stagewise, Error> {
    const OP: &str = "best_stagewise";
    let targets = targets(OP, batch, steps)?;
    let d = batch[0].dim();
    if let Measure::Query(sigma) = measure {
        same_shape(OP, "the query covariance", sigma.shape(), &[d, d])?;
    }
    let each = match kind {
        Kind::Scalar => 1,
        Kind::Diagonal => d,
        Kind::Full => d * d,
    };
    let mut iterates: Vec<Array1<f64>> = batch.iter().map(Quadratic::origin).collect();
    let mut gradients: Vec<Vec<Array1<f64>>> = vec![Vec::new(); batch.len()];
    let mean = |iterates: &[Array1<f64>]| {
        let values = batch.iter().zip(&targets).zip(iterates);
        values.map(|((f, t), w)| measure.value(f, t, w)).sum::<f64>() / batch.len() as f64
    };
    let (mut rows, mut means) = (Vec::new(), vec![mean(&iterates)]);
    for k in 0..steps {
        let unknowns = (k + 1) * each;
        let (mut normal, mut right) = (Array2::zeros((unknowns, unknowns)), Array1::zeros(unknowns));
        for (b, f) in batch.iter().enumerate() {
            if b % 64 == 0 {
                work::check(OP, k * batch.len() + b, steps * batch.len())?;
            }
            gradients[b].push(f.gradient(&iterates[b]));
            let features = features(&gradients[b], kind);
            let weighted = match measure {
                Measure::Loss => f.hessian.dot(&features),
                Measure::Distance => features.clone(),
                Measure::Query(sigma) => sigma.dot(&features),
            };
            normal += &features.t().dot(&weighted);
            right += &weighted.t().dot(&targets[b]); // every start is the origin
        }
        let solution = least_norm(OP, &normal, &right)?;
        for (iterate, seen) in iterates.iter_mut().zip(&gradients) {
            *iterate = features(seen, kind).dot(&solution);
        }
        rows.push((0..=k).map(|i| weight(&solution, i, each, kind, d)).collect());
        means.push(mean(&iterates));
    }
    let method = Lfom::new(rows)?;
    Ok(Stagewise { method, means })
}

/// Column by column, what each unknown multiplies: (d, unknowns).
fn features(gradients: &[Array1<f64>], kind: Kind) -> Array2<f64> {
    let d = gradients[0].len();
    let each = match kind {
        Kind::Scalar => 1,
        Kind::Diagonal => d,
        Kind::Full => d * d,
    };
    let mut features = Array2::zeros((d, gradients.len() * each));
    for (i, gradient) in gradients.iter().enumerate() {
        for (c, &g) in gradient.iter().enumerate() {
            match kind {
                Kind::Scalar => features[[c, i]] = g,
                Kind::Diagonal => features[[c, i * each + c]] = g,
                // Entry (row, c) of the weight multiplies g_c and adds to coordinate `row`.
                Kind::Full => (0..d).for_each(|row| features[[row, i * each + row * d + c]] = g),
            }
        }
    }
    features
}

fn weight(solution: &Array1<f64>, i: usize, each: usize, kind: Kind, d: usize) -> Weight<f64> {
    let at = |j: usize| solution[i * each + j];
    match kind {
        Kind::Scalar => Weight::Scalar(at(0)),
        Kind::Diagonal => Weight::Diagonal(Array1::from_shape_fn(d, at)),
        Kind::Full => Weight::Full(Array2::from_shape_fn((d, d), |(row, c)| at(row * d + c))),
    }
}

/// The solution of normal equations with the least norm, after scaling the unknowns to one size.
fn least_norm(op: &'static str, normal: &Array2<f64>, right: &Array1<f64>) -> Result<Array1<f64>, Error> {
    /// Directions below this share of the largest eigenvalue are rounding of the normal equations.
    const CUT: f64 = 1e-13;
    let scale = normal.diag().mapv(|v| if v > 0.0 { v.sqrt().recip() } else { 0.0 });
    let balanced = Array2::from_shape_fn(normal.dim(), |(i, j)| normal[[i, j]] * scale[i] * scale[j]);
    let (values, vectors) = balanced.eigh(UPLO::Lower).map_err(Error::linear_algebra(op))?;
    let floor = CUT * values.iter().fold(0.0, |m: f64, v| m.max(*v));
    let rotated = vectors.t().dot(&(&scale * right));
    let kept = Array1::from_shape_fn(values.len(), |i| if values[i] > floor { rotated[i] / values[i] } else { 0.0 });
    Ok(&scale * &vectors.dot(&kept))
}

/// A linear least-squares fit.
#[derive(Clone, Debug, PartialEq)]
pub struct LeastSquares {
    /// Coefficients, (p).
    pub coefficients: Array1<f64>,
    /// Share of the target that no coefficients reach: $\lVert\mathrm{target}-\mathrm{features}\,c\rVert^2/\lVert\mathrm{target}\rVert^2$,
    /// 0 for an exact fit.
    pub left: f64,
}

/// One row for each coefficient.
impl Tabulated for LeastSquares {
    fn columns(&self) -> Result<Columns, Error> {
        let title = format!("Least squares, with {:.3e} of the target left", self.left);
        Ok(Columns::new(&title)
            .with("unknown", (0..self.coefficients.len()).collect::<Vec<usize>>())
            .with("coefficient", &self.coefficients))
    }
}

/// The coefficients c that bring `features` c nearest to `target`, and what is left.
///
/// **Source**: textbook, by a singular value decomposition (LAPACK): the least coefficients where several fit.
/// **Shapes**: features (m, p), target (m). **Errors**: empty, shapes, a target that is zero. Cost m p^2.
///
/// ```
/// use workbench_memformer::least_squares;
/// use ndarray::array;
/// let fit = least_squares(&array![[1.0], [1.0]], &array![1.0, 3.0])?;
/// assert!((fit.coefficients[0] - 2.0).abs() < 1e-14 && (fit.left - 0.2).abs() < 1e-14);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn least_squares(features: &Array2<f64>, target: &Array1<f64>) -> Result<LeastSquares, Error> {
    const OP: &str = "least_squares";
    positive(OP, "the number of unknowns", features.ncols())?;
    same_shape(OP, "the target", target.shape(), &[features.nrows()])?;
    let whole = target.dot(target);
    if whole.is_nan() || whole <= 0.0 {
        let allowed = "a target that is not zero";
        return Err(Error::parameter(OP, "the squared norm of the target", whole, allowed));
    }
    // Columns of one size, so that a small one is not taken for rounding of a large one.
    let scale = features.map_axis(Axis(0), |column| {
        let size = column.dot(&column).sqrt();
        if size > 0.0 { size.recip() } else { 0.0 }
    });
    let found = (features * &scale).least_squares(target).map_err(Error::linear_algebra(OP))?;
    let coefficients = scale * found.solution;
    let miss = target - &features.dot(&coefficients);
    let left = miss.dot(&miss) / whole;
    Ok(LeastSquares { coefficients, left })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Prompts, TaskLaw};
    use workbench_ground::stats::{Streams, normal_array2};

    fn batch(size: usize) -> Vec<Quadratic<f64>> {
        let law = TaskLaw::new(ndarray::array![[1.0, 0.3, 0.0], [0.3, 0.6, 0.1], [0.0, 0.1, 0.3]]).unwrap();
        let mut stream = Streams::new(12).stream("batch").unwrap();
        Quadratic::of_batch(&Prompts::draw(&law, 8, size, &mut stream).unwrap().statistics().unwrap()).unwrap()
    }

    #[test]
    fn richer_weights_do_better_and_the_method_reproduces_its_means() {
        let batch = batch(60);
        let sigma = ndarray::array![[1.0, 0.3, 0.0], [0.3, 0.6, 0.1], [0.0, 0.1, 0.3]];
        for measure in [Measure::Loss, Measure::Distance, Measure::Query(sigma)] {
            let mut ends = Vec::new();
            for kind in [Kind::Scalar, Kind::Diagonal, Kind::Full] {
                let fitted = best_stagewise(&batch, 3, kind, &measure).unwrap();
                let reached = batch.iter().map(|f| {
                    let run = fitted.method.run(f, &f.origin()).unwrap();
                    measure.value(f, &f.minimiser().unwrap(), &run.iterates[3])
                });
                let mean = reached.sum::<f64>() / batch.len() as f64;
                assert!((mean / fitted.means[3] - 1.0).abs() < 1e-8);
                assert!(fitted.means.windows(2).all(|w| w[1] < w[0]));
                ends.push(fitted.means[1]);
            }
            assert!(ends[0] > ends[1] && ends[1] > ends[2], "{ends:?}");
        }
    }

    #[test]
    fn one_step_is_the_regression_of_the_target_on_the_gradient() {
        let batch = batch(30);
        let fitted = best_stagewise(&batch, 1, Kind::Scalar, &Measure::Distance).unwrap();
        let sums = batch.iter().fold((0.0, 0.0), |(top, bottom), f| {
            let (g, w) = (f.gradient(&f.origin()), f.minimiser().unwrap());
            (top + g.dot(&w), bottom + g.dot(&g))
        });
        let Weight::Scalar(c) = fitted.method.rows()[0][0] else { panic!("a scalar") };
        assert!((c / (sums.0 / sums.1) - 1.0).abs() < 1e-12);
        // One prompt and full weights: solved in one step.
        let alone = best_stagewise(&batch[..1], 1, Kind::Full, &Measure::Distance).unwrap();
        assert!(alone.means[1] < 1e-20);
        let shown = fitted.columns().unwrap();
        assert_eq!(shown.list[0].1, [0, 1].into());
        assert_eq!(shown.list[1].1, (&fitted.means).into());
    }

    #[test]
    fn fits_and_bad_input() {
        let mut stream = Streams::new(1).stream("fit").unwrap();
        let features = normal_array2(&mut stream, 30, 4);
        let exact = features.dot(&ndarray::array![1.0, -2.0, 0.0, 3.0]);
        let fit = least_squares(&features, &exact).unwrap();
        assert!(fit.left < 1e-28);
        let shown = fit.columns().unwrap();
        assert_eq!(shown.list[1].1, (&fit.coefficients).into());
        assert!(shown.title.ends_with("of the target left"));
        assert!(least_squares(&features, &Array1::zeros(30)).is_err());
        assert!(least_squares(&features, &Array1::ones(29)).is_err());
        assert!(best_stagewise(&batch(2), 1, Kind::Scalar, &Measure::Query(Array2::eye(2))).is_err());
        let many = batch(500);
        let refused =
            workbench_ground::rehearsal::stop_after(12, || best_stagewise(&many, 9, Kind::Full, &Measure::Loss));
        assert!(matches!(refused, Err(Error::Stopped(_))));
    }
}
