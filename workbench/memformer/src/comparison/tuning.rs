//! Constant coefficients of momentum and Nesterov's method, tried on a grid.

use ndarray::{Array3, Axis};

use super::curve::Averaging;
use super::losses::{Score, TestSet};
use crate::methods::first_order::{FirstOrderMethod, Nesterov};
use crate::{Error, SingleMemory};
use workbench_ground::check::positive;
use workbench_ground::tabulated::{Columns, Tabulated};

/// Methods with a constant rate and a constant memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// $v_{k+1}=\beta v_k-\eta\nabla f(w_k)$, $w_{k+1}=w_k+v_{k+1}$ (Appendix B.2).
    Momentum,
    /// $v_{k+1}=w_k+\beta(w_k-w_{k-1})$, $w_{k+1}=v_{k+1}-\eta\nabla f(v_{k+1})$ (Appendix B.1).
    Nesterov,
}

impl Family {
    /// The method with rate $\eta$ and memory $\beta$.
    ///
    /// **Errors**: no step.
    pub fn method(self, rate: f64, beta: f64, steps: usize) -> Result<Box<dyn FirstOrderMethod>, Error> {
        Ok(match self {
            Family::Momentum => Box::new(SingleMemory::momentum(rate, beta, steps)?),
            Family::Nesterov => {
                positive("Family::method", "the number of steps", steps)?;
                Box::new(Nesterov { rate, beta })
            }
        })
    }

    /// The spectral radius of the iteration matrix of $(w_k-w^\ast,w_{k-1}-w^\ast)$ on a curvature h, from its characteristic polynomial
    /// $z^2-tz+p$.
    pub fn spectral_radius(self, rate: f64, beta: f64, h: f64) -> f64 {
        let (trace, product) = match self {
            Family::Momentum => (1.0 + beta - rate * h, beta),
            Family::Nesterov => ((1.0 + beta) * (1.0 - rate * h), beta * (1.0 - rate * h)),
        };
        let inside = trace * trace - 4.0 * product;
        if inside < 0.0 { product.sqrt() } else { 0.5 * (trace.abs() + inside.sqrt()) }
    }
}

/// Loss of each pair of coefficients after each step, in decades.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Rates, the first index.
    pub rates: Vec<f64>,
    /// Memories, the second index.
    pub betas: Vec<f64>,
    /// $\log_{10}$ of the loss, averaged over prompts as the search was told, (rates, betas, steps + 1).
    pub decades: Array3<f64>,
}

/// A pair of the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// $\eta$.
    pub rate: f64,
    /// $\beta$.
    pub beta: f64,
    /// $\log_{10}$ of the loss, averaged over prompts as the search was told.
    pub decades: f64,
}

impl Grid {
    /// Tries every pair on the same prompts; [`Grid::search_by`] with the mean of the logarithms.
    ///
    /// **Errors**: an empty grid, no step, a stop request. Cost: pairs times prompts times steps times 3 d^2.
    ///
    /// ```
    /// use workbench_ground::stats::Streams;
    /// use workbench_memformer::{Family, Grid, Score, TaskLaw, TestSet};
    /// let test = TestSet::draw(&TaskLaw::isotropic(2)?, 40, 50, &mut Streams::new(1).stream("tuning")?)?;
    /// let grid = Grid::search(Family::Momentum, &test, &[0.01, 1.0, 5.0], &[0.0, 0.5], 3, Score::Query)?;
    /// assert_eq!(grid.best(1).map(|pair| pair.rate), Some(1.0)); // the curvature is about 1 in every direction
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn search(
        family: Family,
        test: &TestSet,
        rates: &[f64],
        betas: &[f64],
        steps: usize,
        score: Score,
    ) -> Result<Grid, Error> {
        Grid::search_by(family, test, (rates, betas), steps, score, Averaging::MeanOfLogs)
    }

    /// Tries every pair of `(rates, betas)` on the same prompts, judged by an average: a pair that is best for the mean of the logarithms
    /// may be poor in the logarithm of the mean, which rare prompts decide.
    ///
    /// **Errors**: as [`Grid::search`].
    pub fn search_by(
        family: Family,
        test: &TestSet,
        (rates, betas): (&[f64], &[f64]),
        steps: usize,
        score: Score,
        averaging: Averaging,
    ) -> Result<Grid, Error> {
        const OP: &str = "Grid::search";
        positive(OP, "the number of rates", rates.len())?;
        positive(OP, "the number of memories", betas.len())?;
        let mut decades = Array3::zeros((rates.len(), betas.len(), steps + 1));
        for (i, rate) in rates.iter().enumerate() {
            for (j, beta) in betas.iter().enumerate() {
                let losses = test.losses(&family.method(*rate, *beta, steps)?, steps)?;
                let values = match averaging {
                    Averaging::MeanOfLogs => losses.mean_of_logs(score),
                    Averaging::LogOfMeans => losses.log_of_means(score),
                };
                for (k, value) in values.into_iter().enumerate() {
                    decades[[i, j, k]] = value;
                }
            }
        }
        Ok(Grid { rates: rates.to_vec(), betas: betas.to_vec(), decades })
    }

    /// The pair with the least loss after `step` steps; `None` if there is no such step or every loss overflows.
    pub fn best(&self, step: usize) -> Option<Pair> {
        self.ranked(step).into_iter().next()
    }

    /// All pairs with a finite loss after `step` steps, the best first; none if there is no such step.
    pub fn ranked(&self, step: usize) -> Vec<Pair> {
        let mut pairs = Vec::new();
        if step >= self.decades.dim().2 {
            return pairs;
        }
        for (i, &rate) in self.rates.iter().enumerate() {
            for (j, &beta) in self.betas.iter().enumerate() {
                let decades = self.decades[[i, j, step]];
                if decades.is_finite() {
                    pairs.push(Pair { rate, beta, decades });
                }
            }
        }
        pairs.sort_by(|a, b| a.decades.total_cmp(&b.decades));
        pairs
    }
}

/// One row for each pair, and its loss after the last step, in decades.
impl Tabulated for Grid {
    fn columns(&self) -> Result<Columns, Error> {
        let last = self.decades.dim().2 - 1;
        let pairs = self.rates.iter().flat_map(|rate| self.betas.iter().map(move |beta| (*rate, *beta)));
        let (rates, betas): (Vec<f64>, Vec<f64>) = pairs.unzip();
        let losses = self.decades.index_axis(Axis(2), last).iter().copied().collect::<Vec<f64>>();
        Ok(Columns::new(&format!("Losses after {last} steps, in decades"))
            .with("rate", rates)
            .with("memory", betas)
            .with("loss", losses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Quadratic, TaskLaw};
    use ndarray::array;
    use workbench_ground::stats::Streams;

    #[test]
    fn the_spectral_radius_is_the_rate_of_convergence() {
        let f = Quadratic::around(array![[1.5]], &array![1.0]).unwrap();
        for family in [Family::Momentum, Family::Nesterov] {
            for (rate, beta) in [(0.1, 0.0), (0.3, 0.5), (0.9, 0.3), (1.0, 0.8)] {
                let w = family.method(rate, beta, 900).unwrap().iterates(&f, 900).unwrap();
                // Complex roots make the error swing; its largest value in a window falls at the rate.
                let peak = |from: usize| (from..from + 60).map(|k| (w[k][0] - 1.0).abs()).fold(0.0, f64::max);
                let radius = family.spectral_radius(rate, beta, 1.5);
                let (near, far) = if radius < 0.8 { (0, 30) } else { (100, 200) };
                let seen = (peak(far) / peak(near)).powf(1.0 / (far - near) as f64);
                assert!((seen - radius).abs() < 0.03, "{family:?} {rate} {beta}: {seen} {radius}");
            }
            // Where an eigenvalue of the iteration matrix is -1.
            for beta in [0.0, 0.5, 0.9] {
                let edge = match family {
                    Family::Momentum => 2.0 * (1.0 + beta),
                    Family::Nesterov => 2.0 * (1.0 + beta) / (1.0 + 2.0 * beta),
                };
                assert!((family.spectral_radius(edge, beta, 1.0) - 1.0).abs() < 1e-12);
                assert!(family.spectral_radius(0.99 * edge, beta, 1.0) < 1.0);
                assert!(family.spectral_radius(1.01 * edge, beta, 1.0) > 1.0);
            }
        }
    }

    #[test]
    fn the_grid_finds_the_step_for_known_curvature() {
        let law = TaskLaw::isotropic(1).unwrap();
        let test = TestSet::draw(&law, 200, 100, &mut Streams::new(1).stream("t").unwrap()).unwrap();
        let rates = [0.25, 0.5, 1.0, 2.0];
        let grid = Grid::search(Family::Nesterov, &test, &rates, &[0.0, 0.9], 4, Score::Examples).unwrap();
        let best = grid.best(4).unwrap();
        assert_eq!((best.rate, best.beta), (1.0, 0.0));
        assert_eq!(best.decades, grid.decades[[2, 0, 4]]);
        assert!(grid.best(5).is_none());
        let shown = grid.columns().unwrap();
        assert_eq!(shown.title, "Losses after 4 steps, in decades");
        assert_eq!(shown.list[0].1, [0.25, 0.25, 0.5, 0.5, 1.0, 1.0, 2.0, 2.0].into());
        assert!(Grid::search(Family::Momentum, &test, &[], &[0.0], 4, Score::Query).is_err());
        assert!(Family::Nesterov.method(0.1, 0.1, 0).is_err());
    }

    #[test]
    fn the_average_of_a_search_is_the_one_it_was_told() {
        let law = TaskLaw::isotropic(2).unwrap();
        let test = TestSet::draw(&law, 4, 60, &mut Streams::new(2).stream("t").unwrap()).unwrap();
        let rates = [0.2, 0.6];
        for averaging in [Averaging::MeanOfLogs, Averaging::LogOfMeans] {
            let grid = Grid::search_by(Family::Momentum, &test, (&rates, &[0.3]), 2, Score::Query, averaging).unwrap();
            for (i, rate) in rates.iter().enumerate() {
                let method = Family::Momentum.method(*rate, 0.3, 2).unwrap();
                let values = test.losses(&method, 2).unwrap().of(Score::Query).row(2).to_vec();
                let count = values.len() as f64;
                let want = match averaging {
                    Averaging::MeanOfLogs => values.iter().map(|v| v.log10()).sum::<f64>() / count,
                    Averaging::LogOfMeans => (values.iter().sum::<f64>() / count).log10(),
                };
                assert!((grid.decades[[i, 0, 2]] - want).abs() < 1e-12);
            }
            let ranked = grid.ranked(2);
            assert_eq!((ranked.len(), Some(ranked[0])), (2, grid.best(2)));
            assert!(ranked[0].decades <= ranked[1].decades && grid.ranked(3).is_empty());
        }
    }
}
