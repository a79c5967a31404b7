//! The objective that one update minimises, written down term by term and minimised by a solver that does not depend on the update rules.

use ndarray::Array2;
use ndarray_linalg::{EighInto, UPLO};

use crate::Error;
use crate::pairs::fits_finite;
use workbench_ground::check::{above_zero, finite_matrix, not_negative, same};
use workbench_ground::work;

const OP: &str = "inner objective";

/// One term of an [`InnerObjective`], as a function of the memory A (rows, columns).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Term {
    /// $\langle\mathrm{slope},A\rangle$.
    Linear {
        /// The fixed slope, shape of A.
        slope: Array2<f64>,
    },
    /// $\frac12\sum_{ij}\mathrm{weight}_{ij}\,(A-\mathrm{centre})_{ij}^2$. With equal weights this is the squared Frobenius distance.
    Anchor {
        /// Weight of each entry, shape of A.
        weight: Array2<f64>,
        /// Where the memory is held, shape of A.
        centre: Array2<f64>,
    },
    /// $\frac12\operatorname{tr}\bigl((A-\mathrm{centre})\,\mathrm{metric}\,(A-\mathrm{centre})^\top\bigr)$.
    Metric {
        /// Symmetric and not negative, (columns, columns).
        metric: Array2<f64>,
        /// Where the memory is held, shape of A.
        centre: Array2<f64>,
    },
    /// $\frac{\mathrm{weight}}2\sum_i\lVert Ak_i-v_i\rVert^2$.
    Fit {
        /// Weight of the fit.
        weight: f64,
        /// Keys, (n, columns).
        keys: Array2<f64>,
        /// Values, (n, rows).
        values: Array2<f64>,
    },
}

/// A quadratic objective of a memory A: a sum of [`Term`]s. What one update of a rule minimises.
///
/// **Source**: the reformulation display, whose objective is a `Linear` term and an `Anchor`; the other terms are ours.
///
/// ```
/// use workbench_gradient_memory::InnerObjective;
/// use ndarray::array;
/// // <slope, A> + 1/(2 * 0.1) |A - centre|^2 is smallest at centre - 0.1 slope.
/// let problem = InnerObjective::new("weights").linear(array![[2.0]]).anchor(1.0 / 0.1, array![[1.0]]);
/// assert!((problem.minimise()?[[0, 0]] - 0.8).abs() < 1e-15);
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InnerObjective {
    memory: &'static str,
    terms: Vec<Term>,
}

impl InnerObjective {
    /// An objective of the memory called `memory`, without terms yet.
    pub fn new(memory: &'static str) -> InnerObjective {
        InnerObjective { memory, terms: Vec::new() }
    }

    /// Adds `<slope, A>`.
    pub fn linear(self, slope: Array2<f64>) -> InnerObjective {
        self.with(Term::Linear { slope })
    }

    /// Adds $\frac{\mathrm{weight}}2\lVert A-\mathrm{centre}\rVert_F^2$.
    pub fn anchor(self, weight: f64, centre: Array2<f64>) -> InnerObjective {
        let weight = Array2::from_elem(centre.dim(), weight);
        self.with(Term::Anchor { weight, centre })
    }

    /// Adds $\frac12\sum_{ij}\mathrm{weight}_{ij}(A-\mathrm{centre})_{ij}^2$.
    pub fn weighted_anchor(self, weight: Array2<f64>, centre: Array2<f64>) -> InnerObjective {
        self.with(Term::Anchor { weight, centre })
    }

    /// Adds $\frac12\operatorname{tr}((A-\mathrm{centre})\,\mathrm{metric}\,(A-\mathrm{centre})^\top)$.
    pub fn metric(self, metric: Array2<f64>, centre: Array2<f64>) -> InnerObjective {
        self.with(Term::Metric { metric, centre })
    }

    /// Adds $\frac{\mathrm{weight}}2\sum_i\lVert Ak_i-v_i\rVert^2$.
    pub fn fit(self, weight: f64, keys: Array2<f64>, values: Array2<f64>) -> InnerObjective {
        self.with(Term::Fit { weight, keys, values })
    }

    fn with(mut self, term: Term) -> InnerObjective {
        self.terms.push(term);
        self
    }

    /// Which memory this is the objective of: `weights`, `momentum`, ...
    pub fn memory(&self) -> &'static str {
        self.memory
    }

    /// The terms.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Rows and columns of the memory.
    ///
    /// **Errors**: [`Error::Empty`] without terms, [`Error::Shape`] if the terms disagree.
    pub fn dim(&self) -> Result<(usize, usize), Error> {
        let mut dim: Option<(usize, usize)> = None;
        for term in &self.terms {
            let mine = match term {
                Term::Linear { slope } => slope.dim(),
                Term::Anchor { weight, centre } => {
                    same(OP, ("weight", weight.dim()), ("centre", centre.dim()))?;
                    centre.dim()
                }
                Term::Metric { metric, centre } => {
                    let side = centre.ncols();
                    let square = ("columns by columns of the centre", (side, side));
                    same(OP, ("metric", metric.dim()), square)?;
                    centre.dim()
                }
                Term::Fit { keys, values, .. } => (values.ncols(), keys.ncols()),
            };
            let first = *dim.get_or_insert(mine);
            same(OP, ("the first term", first), ("a later term", mine))?;
        }
        dim.ok_or(Error::empty(OP, "the list of terms", "give at least one"))
    }

    /// The objective at `a`, from the definition of its terms.
    ///
    /// **Errors**: shapes, entries that are not finite.
    pub fn value(&self, a: &Array2<f64>) -> Result<f64, Error> {
        self.check(a)?;
        Ok(self.terms.iter().map(|t| t.value(a)).sum())
    }

    /// The gradient at `a`, `(rows, columns)`, by hand. Its zero is the first-order condition of the update.
    ///
    /// **Errors**: as [`InnerObjective::value`].
    pub fn gradient(&self, a: &Array2<f64>) -> Result<Array2<f64>, Error> {
        self.check(a)?;
        Ok(self.slope(a))
    }

    /// The gradient at `a` by central differences of [`InnerObjective::value`]; exact up to rounding, since the objective is
    /// quadratic.
    ///
    /// **Errors**: as [`InnerObjective::value`], a step that is not positive, [`Error::Stopped`].
    pub fn gradient_by_differences(&self, a: &Array2<f64>, step: f64) -> Result<Array2<f64>, Error> {
        self.check(a)?;
        above_zero(OP, "step", step)?;
        let mut result = Array2::zeros(a.dim());
        for (done, (at, slope)) in result.indexed_iter_mut().enumerate() {
            work::check(OP, done, a.len())?;
            let mut moved = a.clone();
            moved[at] += step;
            let up: f64 = self.terms.iter().map(|t| t.value(&moved)).sum();
            moved[at] -= 2.0 * step;
            let down: f64 = self.terms.iter().map(|t| t.value(&moved)).sum();
            *slope = (up - down) / (2.0 * step);
        }
        Ok(result)
    }

    /// The minimiser, by conjugate gradients from zero: an independent solver that only asks for gradients.
    ///
    /// **Errors**: shapes, entries that are not finite, [`Error::NotConverged`] if the objective has no minimum or is too badly
    /// conditioned (condition number above about 1e10), [`Error::Stopped`].
    pub fn minimise(&self) -> Result<Array2<f64>, Error> {
        const OP: &str = "minimising an inner objective";
        let mut a: Array2<f64> = Array2::zeros(self.dim()?);
        self.check(&a)?;
        let at_zero = self.slope(&a);
        let scale = norm(&at_zero);
        let size = a.len();
        let mut residual = -&at_zero;
        let mut direction = residual.clone();
        // More rounds than entries, restarted from the true residual: rounding spoils conjugacy.
        let rounds = 20 * (size + 5);
        for round in 0..rounds {
            work::check(OP, round, rounds)?;
            let square = norm(&residual).powi(2);
            if square.sqrt() <= 1e-15 * scale {
                break;
            }
            let image = self.slope(&direction) - &at_zero;
            let curvature = (&direction * &image).sum();
            if !(curvature > 0.0 && curvature.is_finite()) {
                break;
            }
            a.scaled_add(square / curvature, &direction);
            if round % (size + 5) == size + 4 {
                residual = -self.slope(&a);
                direction = residual.clone();
            } else {
                residual.scaled_add(-square / curvature, &image);
                let next = norm(&residual).powi(2) / square;
                direction = &residual + &(next * &direction);
            }
        }
        let residual = norm(&self.slope(&a));
        // Relative to the terms that cancel at the solution.
        let tolerance = 1e-9 * (scale + f64::MIN_POSITIVE);
        if residual <= tolerance || scale == 0.0 {
            return Ok(a);
        }
        Err(Error::NotConverged {
            op: OP,
            steps: rounds,
            residual,
            tolerance,
            next: "allow more steps or loosen it".into(),
        })
    }

    /// Smallest and largest eigenvalue of the Hessian. A positive smallest one, m, means that the objective is m-strongly convex
    /// and the minimiser unique.
    ///
    /// **Errors**: as [`InnerObjective::value`], [`Error::Stopped`]. Cost O((rows columns)^3).
    pub fn curvature(&self) -> Result<(f64, f64), Error> {
        let (rows, columns) = self.dim()?;
        let size = rows * columns;
        let zero = Array2::zeros((rows, columns));
        self.check(&zero)?;
        let at_zero = self.slope(&zero);
        let mut hessian = Array2::zeros((size, size));
        for k in 0..size {
            work::check(OP, k, size)?;
            let mut unit = zero.clone();
            unit[[k / columns, k % columns]] = 1.0;
            let image = self.slope(&unit) - &at_zero;
            hessian.row_mut(k).iter_mut().zip(&image).for_each(|(h, v)| *h = *v);
        }
        let (values, _) =
            hessian.eigh_into(UPLO::Lower).map_err(Error::linear_algebra("Hessian of an inner objective"))?;
        Ok((values[0], values[size - 1]))
    }

    fn check(&self, a: &Array2<f64>) -> Result<(), Error> {
        let dim = self.dim()?;
        same(OP, ("the memory", a.dim()), ("the terms", dim))?;
        finite_matrix(OP, "the memory", a)?;
        for term in &self.terms {
            match term {
                Term::Linear { slope } => finite_matrix(OP, "slope", slope)?,
                Term::Anchor { weight, centre } => {
                    finite_matrix(OP, "weight", weight)?;
                    finite_matrix(OP, "centre", centre)?;
                }
                Term::Metric { metric, centre } => {
                    finite_matrix(OP, "metric", metric)?;
                    finite_matrix(OP, "centre", centre)?;
                }
                Term::Fit { keys, values, weight } => {
                    not_negative(OP, "weight of the fit", *weight)?;
                    fits_finite(OP, a, keys, values)?;
                }
            }
        }
        Ok(())
    }

    fn slope(&self, a: &Array2<f64>) -> Array2<f64> {
        let mut total = Array2::zeros(a.dim());
        for term in &self.terms {
            total += &term.gradient(a);
        }
        total
    }
}

impl Term {
    fn value(&self, a: &Array2<f64>) -> f64 {
        match self {
            Term::Linear { slope } => (slope * a).sum(),
            Term::Anchor { weight, centre } => 0.5 * (weight * &(a - centre).mapv(|x| x * x)).sum(),
            Term::Metric { metric, centre } => {
                let gap = a - centre;
                0.5 * (&gap.dot(metric) * &gap).sum()
            }
            Term::Fit { weight, keys, values } => 0.5 * weight * (keys.dot(&a.t()) - values).mapv(|x| x * x).sum(),
        }
    }

    fn gradient(&self, a: &Array2<f64>) -> Array2<f64> {
        match self {
            Term::Linear { slope } => slope.clone(),
            Term::Anchor { weight, centre } => weight * &(a - centre),
            Term::Metric { metric, centre } => (a - centre).dot(metric),
            Term::Fit { weight, keys, values } => (keys.dot(&a.t()) - values).t().dot(keys) * *weight,
        }
    }
}

/// The Frobenius norm.
pub(crate) fn norm(a: &Array2<f64>) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use workbench_ground::rehearsal::stop_after;
    use workbench_ground::stats::{Streams, normal_array2};

    fn full(streams: &Streams) -> InnerObjective {
        let draw = |name: &str, r, c| normal_array2(&mut streams.stream(name).unwrap(), r, c);
        let root = draw("root", 4, 4);
        InnerObjective::new("all terms")
            .linear(draw("slope", 3, 4))
            .weighted_anchor(draw("weight", 3, 4).mapv(|x| x * x), draw("c1", 3, 4))
            .metric(root.t().dot(&root), draw("c2", 3, 4))
            .fit(0.7, draw("k", 2, 4), draw("v", 2, 3))
    }

    #[test]
    fn gradient_minimiser_and_curvature_agree_with_the_value() {
        let streams = Streams::new(4);
        let problem = full(&streams);
        let a = normal_array2(&mut streams.stream("a").unwrap(), 3, 4);
        let gap = problem.gradient(&a).unwrap() - problem.gradient_by_differences(&a, 1e-3).unwrap();
        assert!(norm(&gap) < 1e-10, "{gap}");
        let best = problem.minimise().unwrap();
        assert!(norm(&problem.gradient(&best).unwrap()) < 1e-12);
        let (smallest, largest) = problem.curvature().unwrap();
        assert!(smallest > 0.0);
        // Strong convexity and smoothness: m/2 |d|^2 <= J(best + d) - J(best) <= M/2 |d|^2.
        let rise = problem.value(&a).unwrap() - problem.value(&best).unwrap();
        let square = norm(&(&a - &best)).powi(2);
        assert!(0.5 * smallest * square <= rise && rise <= 0.5 * largest * square);
        for stopped in [
            stop_after(3, || problem.minimise()).unwrap_err(),
            stop_after(3, || problem.gradient_by_differences(&a, 1e-3)).unwrap_err(),
            stop_after(3, || problem.curvature()).unwrap_err(),
        ] {
            assert!(matches!(stopped, Error::Stopped(stopped) if stopped.done == 3));
        }
    }

    #[test]
    fn by_hand() {
        let problem = InnerObjective::new("m").fit(1.0, array![[2.0]], array![[1.0]]).anchor(1.0, array![[3.0]]);
        // 1/2 (2a - 1)^2 + 1/2 (a - 3)^2: 5a = 5.
        assert!((problem.minimise().unwrap()[[0, 0]] - 1.0).abs() < 1e-15);
        assert_eq!(problem.value(&array![[1.0]]).unwrap(), 2.5);
        assert_eq!(problem.curvature().unwrap(), (5.0, 5.0));
        assert_eq!((problem.memory(), problem.terms().len()), ("m", 2));
    }

    #[test]
    fn no_minimum_and_bad_terms_are_errors() {
        let flat = InnerObjective::new("m").linear(array![[1.0, 0.0]]);
        assert!(matches!(flat.minimise(), Err(Error::NotConverged { .. })));
        assert!(matches!(InnerObjective::new("m").dim(), Err(Error::Empty { .. })));
        let mixed = flat.clone().anchor(1.0, array![[1.0]]);
        let message = mixed.minimise().unwrap_err().to_string();
        assert!(message.contains("(1, 2)") && message.contains("(1, 1)"), "{message}");
        assert!(matches!(flat.value(&array![[1.0]]), Err(Error::Shape { .. })));
        let metric = flat.clone().metric(array![[1.0]], array![[0.0, 0.0]]);
        assert!(matches!(metric.dim(), Err(Error::Shape { .. })));
        let weight = flat.clone().weighted_anchor(array![[1.0]], array![[0.0, 0.0]]);
        assert!(matches!(weight.dim(), Err(Error::Shape { .. })));
        let nan = flat.clone().anchor(f64::NAN, array![[0.0, 0.0]]);
        assert!(matches!(nan.minimise(), Err(Error::NotFinite { .. })));
        let negative = flat.clone().fit(-1.0, array![[1.0, 0.0]], array![[1.0]]);
        assert!(matches!(negative.minimise(), Err(Error::Parameter { .. })));
        assert!(matches!(flat.gradient_by_differences(&array![[1.0, 1.0]], -1.0), Err(Error::Parameter { .. })));
    }
}
