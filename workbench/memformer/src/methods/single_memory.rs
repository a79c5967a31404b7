//! Methods with one memory: gradient descent, momentum, Chebyshev, and what a single register can do.

use ndarray::Array1;

use super::lfom::{Lfom, Trajectory};
use super::objective::Objective;
use crate::Error;
use crate::arithmetic::algebra::step;
use crate::arithmetic::number::Number;
use workbench_ground::check::{positive, same_shape, within};
use workbench_ground::work;

/// A method with one memory.
///
/// $$ s_\ell=-\nabla f(w_\ell)+\gamma_\ell s_{\ell-1},\qquad w_{\ell+1}=w_\ell+\alpha_\ell s_\ell $$
///
/// Gradient descent, momentum, Chebyshev's iteration and conjugate gradients differ in the two sequences only. It is the method that
/// a memformer with a single register runs (Eqs. 3.1 and 3.2 with $A=I$).
///
/// **Source**: Eq. 2.13 with free coefficients; Theorem 3.1. $\gamma_0$ multiplies an empty memory.
///
/// ```
/// use workbench_memformer::{Quadratic, SingleMemory};
/// use ndarray::array;
/// let f = Quadratic::around(array![[1.0, 0.0], [0.0, 4.0]], &array![1.0, 1.0])?;
/// let run = SingleMemory::chebyshev(1.0, 4.0, 2)?.run(&f, &f.origin())?;
/// // The polynomial of degree 2 that is smallest on [1, 4] leaves 1/T_2(5/3) = 9/41 of the error.
/// assert!((1.0 - run.iterates[2][0] - 9.0 / 41.0).abs() < 1e-12);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "heavy ball")]
#[doc(alias = "HB")]
pub struct SingleMemory<T> {
    /// Step sizes alpha_l, one for each step.
    pub alpha: Vec<T>,
    /// Memory coefficients gamma_l, one for each step.
    pub gamma: Vec<T>,
}

impl<T: Number> SingleMemory<T> {
    /// The method with the given coefficients.
    ///
    /// **Errors**: no step, sequences of different length.
    pub fn new(alpha: Vec<T>, gamma: Vec<T>) -> Result<SingleMemory<T>, Error> {
        const OP: &str = "SingleMemory::new";
        positive(OP, "the number of steps", alpha.len())?;
        same_shape(OP, "gamma", &[gamma.len()], &[alpha.len()])?;
        Ok(SingleMemory { alpha, gamma })
    }

    /// Gradient descent with a constant step size: $\gamma=0$.
    ///
    /// **Errors**: no step.
    #[doc(alias = "GD")]
    pub fn gradient_descent(rate: T, steps: usize) -> Result<SingleMemory<T>, Error> {
        SingleMemory::momentum(rate, T::zero(), steps)
    }

    /// Momentum: $v_{k+1}=\beta v_k-\eta\nabla f(w_k)$, $w_{k+1}=w_k+v_{k+1}$; $\alpha=\eta$, $\gamma=\beta$.
    ///
    /// **Source**: Appendix B.2. **Errors**: no step.
    #[doc(alias = "heavy ball")]
    #[doc(alias = "HB")]
    #[doc(alias = "Polyak")]
    pub fn momentum(rate: T, beta: T, steps: usize) -> Result<SingleMemory<T>, Error> {
        SingleMemory::new(vec![rate; steps], vec![beta; steps])
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.alpha.len()
    }

    /// Runs the method from `start`.
    ///
    /// **Errors**: a start of another dimension.
    pub fn run(&self, f: &impl Objective<T>, start: &Array1<T>) -> Result<Trajectory<T>, Error> {
        const OP: &str = "SingleMemory::run";
        same_shape(OP, "the start", start.shape(), &[f.dim()])?;
        let mut run = Trajectory { iterates: vec![start.clone()], gradients: Vec::new() };
        let mut memory = start.mapv(|_| T::zero());
        for (k, (alpha, gamma)) in self.alpha.iter().zip(&self.gamma).enumerate() {
            work::check(OP, k, self.steps())?;
            let gradient = f.gradient(k, &run.iterates[k]);
            memory = step(&gradient.mapv(|g| g.negated()), gamma, &memory);
            run.iterates.push(step(&run.iterates[k], alpha, &memory));
            run.gradients.push(gradient);
        }
        Ok(run)
    }

    /// The same method as an array of weights (Eq. 1.1): the memory is a combination of past gradients, and so is every iterate.
    ///
    /// For momentum the weights are $-\eta\,\frac{1-\beta^{k-i+1}}{1-\beta}$. Cost O(K^2).
    ///
    /// **Errors**: none for a method that [`SingleMemory::new`] accepts.
    pub fn unrolled(&self) -> Result<Lfom<T>, Error> {
        let steps = self.steps();
        let mut memory = Array1::from_elem(steps, T::zero()); // coefficients of s_l in the gradients
        let mut sum = memory.clone();
        let mut rows = Vec::with_capacity(steps);
        for k in 0..steps {
            memory.mapv_inplace(|c| c.times(&self.gamma[k]));
            memory[k] = T::whole(-1);
            sum = step(&sum, &self.alpha[k], &memory);
            rows.push(sum.iter().take(k + 1).cloned().collect());
        }
        Lfom::scalars(rows)
    }
}

impl SingleMemory<f64> {
    /// Chebyshev's iteration for spectra in [low, high]: after k steps the error polynomial is $T_k$ of the spectrum mapped to [-1, 1],
    /// scaled to 1 at zero, which is the smallest possible on the interval.
    ///
    /// $$ \sigma=\frac{\mathrm{high}+\mathrm{low}}{\mathrm{high}-\mathrm{low}},\qquad\rho_0=\frac1\sigma,\quad
    /// \rho_k=\frac1{2\sigma-\rho_{k-1}},\qquad\gamma_1=\frac{\rho_0^2}2,\quad\gamma_k=\rho_{k-1}^2, $$
    /// $$ \alpha_0=\frac2{\mathrm{high}+\mathrm{low}},\qquad\alpha_k=\frac{4\rho_k}{\mathrm{high}-\mathrm{low}} $$
    ///
    /// **Source**: textbook; it is not in the document. **Errors**: no step, bounds that are not $0<\mathrm{low}\le\mathrm{high}$.
    pub fn chebyshev(low: f64, high: f64, steps: usize) -> Result<SingleMemory<f64>, Error> {
        const OP: &str = "SingleMemory::chebyshev";
        if low.is_nan() || low <= 0.0 {
            return Err(Error::parameter(OP, "low", low, "a positive lower end of the spectrum"));
        }
        within(OP, "high", high, high >= low, "a finite number that is not below low")?;
        if high == low {
            return SingleMemory::gradient_descent(1.0 / high, steps);
        }
        let (sigma, half) = ((high + low) / (high - low), 0.5 * (high - low));
        let (mut alpha, mut gamma, mut rho) = (vec![2.0 / (high + low)], vec![0.0], 1.0 / sigma);
        for k in 1..steps {
            gamma.push(if k == 1 { 0.5 * rho * rho } else { rho * rho });
            rho = 1.0 / (2.0 * sigma - rho);
            alpha.push(2.0 * rho / half);
        }
        alpha.truncate(steps);
        gamma.truncate(steps);
        SingleMemory::new(alpha, gamma)
    }

    /// Momentum tuned to spectra in [low, high], the best constants in the long run.
    ///
    /// $$ \eta=\frac4{(\sqrt{\mathrm{high}}+\sqrt{\mathrm{low}})^2},\qquad
    /// \beta=\Bigl(\frac{\sqrt{\mathrm{high}}-\sqrt{\mathrm{low}}}{\sqrt{\mathrm{high}}+\sqrt{\mathrm{low}}}\Bigr)^2 $$
    ///
    /// **Source**: textbook. **Errors**: as [`SingleMemory::chebyshev`].
    pub fn tuned_momentum(low: f64, high: f64, steps: usize) -> Result<SingleMemory<f64>, Error> {
        SingleMemory::chebyshev(low, high, steps)?;
        let (sum, gap) = (high.sqrt() + low.sqrt(), high.sqrt() - low.sqrt());
        SingleMemory::momentum(4.0 / (sum * sum), (gap / sum).powi(2), steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::number::Fraction;
    use crate::methods::lfom::Weight;
    use crate::methods::quadratic::Quadratic;
    use ndarray::array;

    #[test]
    fn unrolled_is_the_same_method() {
        let half = Fraction::one().over(&Fraction::whole(2)).unwrap();
        let method = SingleMemory::new(
            vec![half.clone(), Fraction::one(), half.clone(), Fraction::whole(2)],
            vec![Fraction::whole(9), half.clone(), Fraction::one(), half.clone()],
        )
        .unwrap();
        let h = array![[2, 1], [1, 3]].mapv(Fraction::whole);
        let f = Quadratic::around(h, &array![1, -1].mapv(Fraction::whole)).unwrap();
        let run = method.run(&f, &f.origin()).unwrap();
        assert_eq!(run, method.unrolled().unwrap().run(&f, &f.origin()).unwrap());
    }

    #[test]
    fn momentum_in_closed_form() {
        let (rate, beta) = (0.3, 0.6f64);
        let rows = SingleMemory::momentum(rate, beta, 9).unwrap().unrolled().unwrap();
        for (k, row) in rows.rows().iter().enumerate() {
            for (i, weight) in row.iter().enumerate() {
                let closed = -rate * (1.0 - beta.powi((k - i + 1) as i32)) / (1.0 - beta);
                assert!(matches!(weight, Weight::Scalar(c) if (c - closed).abs() < 1e-14));
            }
        }
    }

    #[test]
    fn chebyshev_is_the_chebyshev_polynomial() {
        let (low, high, steps) = (0.5, 3.0, 7);
        let method = SingleMemory::chebyshev(low, high, steps).unwrap();
        let t = |k: usize, x: f64| {
            if x.abs() <= 1.0 { (k as f64 * x.acos()).cos() } else { (k as f64 * x.acosh()).cosh() }
        };
        let map = |l: f64| (high + low - 2.0 * l) / (high - low);
        for l in [0.5, 0.7, 1.3, 2.2, 3.0] {
            let f = Quadratic::around(array![[l]], &array![1.0]).unwrap();
            let run = method.run(&f, &f.origin()).unwrap();
            for (k, w) in run.iterates.iter().enumerate() {
                assert!((1.0 - w[0] - t(k, map(l)) / t(k, map(0.0))).abs() < 1e-13, "{k} {l}");
            }
        }
        let flat = SingleMemory::chebyshev(2.0, 2.0, 3).unwrap();
        assert_eq!(flat.alpha, vec![0.5; 3]);
    }

    #[test]
    fn bad_input() {
        assert!(SingleMemory::<f64>::new(vec![], vec![]).is_err());
        assert!(SingleMemory::new(vec![1.0], vec![]).is_err());
        for (low, high) in [(0.0, 1.0), (-1.0, 1.0), (2.0, 1.0), (1.0, f64::INFINITY), (f64::NAN, 1.0), (1.0, f64::NAN)]
        {
            assert!(SingleMemory::chebyshev(low, high, 3).is_err(), "{low} {high}");
        }
        assert!(SingleMemory::chebyshev(1.0, 2.0, 0).is_err());
        let f = Quadratic::around(array![[1.0]], &array![1.0]).unwrap();
        assert!(SingleMemory::gradient_descent(0.1, 2).unwrap().run(&f, &array![0.0, 0.0]).is_err());
    }
}
