//! Nesterov's accelerated gradient, and where it takes its gradients.

use ndarray::Array1;

use super::lfom::{Lfom, Trajectory};
use super::objective::Objective;
use crate::Error;
use crate::arithmetic::algebra::step;
use crate::arithmetic::number::Number;
use workbench_ground::check::{positive, same_shape};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// A run of Nesterov's method: two sequences, and gradients at the second.
#[derive(Clone, Debug, PartialEq)]
pub struct NesterovRun<T> {
    /// $w_0$ to $w_K$.
    pub iterates: Vec<Array1<T>>,
    /// The extrapolated points $v_1$ to $v_{K+1}$, with $v_1=w_0$, and the gradients at the first K of them.
    pub extrapolated: Trajectory<T>,
}

/// The rows of [`Trajectory`], at the extrapolated points.
impl Tabulated for NesterovRun<f64> {
    fn columns(&self) -> Result<Columns, Error> {
        self.extrapolated.columns()
    }
}

/// Nesterov's method.
///
/// $$ v_{k+1}=w_k+\beta\,(w_k-w_{k-1}),\qquad w_{k+1}=v_{k+1}-\eta\,\nabla f(v_{k+1}) $$
///
/// **Source**: Appendix B.1, with $w_{-1}=w_0$. **Errors**: no step, a start of another dimension.
///
/// ```
/// use workbench_memformer::{Quadratic, nesterov, nesterov_lfom};
/// use ndarray::array;
/// let f = Quadratic::around(array![[1.0]], &array![1.0])?;
/// let run = nesterov(&f, &f.origin(), &0.5, &0.9, 4)?;
/// let replayed = nesterov_lfom(&0.5, &0.9, 4)?.run(&f, &f.origin())?;
/// assert!((&replayed.iterates[4] - &run.extrapolated.iterates[4]).iter().all(|e| e.abs() < 1e-14));
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
#[doc(alias = "NAG")]
#[doc(alias = "AGD")]
#[doc(alias = "accelerated gradient descent")]
pub fn nesterov<T: Number>(
    f: &impl Objective<T>,
    start: &Array1<T>,
    rate: &T,
    beta: &T,
    steps: usize,
) -> Result<NesterovRun<T>, Error> {
    const OP: &str = "nesterov";
    positive(OP, "the number of steps", steps)?;
    same_shape(OP, "the start", start.shape(), &[f.dim()])?;
    let mut iterates = vec![start.clone()];
    let mut extrapolated = Trajectory { iterates: vec![start.clone()], gradients: Vec::new() };
    let descend = rate.negated();
    for k in 0..steps {
        work::check(OP, k, steps)?;
        let gradient = f.gradient(k, &extrapolated.iterates[k]);
        let next = step(&extrapolated.iterates[k], &descend, &gradient);
        let moved = step(&next, &T::whole(-1), &iterates[k]);
        extrapolated.iterates.push(step(&next, beta, &moved));
        extrapolated.gradients.push(gradient);
        iterates.push(next);
    }
    Ok(NesterovRun { iterates, extrapolated })
}

/// m_j = -eta (1 + beta + ... + beta^j): the weight of a gradient j steps old in an iterate.
fn memory_sums<T: Number>(rate: &T, beta: &T, steps: usize) -> Vec<T> {
    let mut sums: Vec<T> = Vec::with_capacity(steps);
    let mut power = rate.negated();
    for _ in 0..steps {
        sums.push(sums.last().map_or_else(|| power.clone(), |sum| sum.plus(&power)));
        power = power.times(beta);
    }
    sums
}

/// Nesterov's method as an array of weights in its extrapolated points: $v^{k+1}=v^0+\sum_i\Gamma_i^k\nabla f(v^i)$, for every f.
///
/// $$ \Gamma_i^k=m_{k-i}-\eta\,\beta^{k-i+1},\qquad m_j=-\eta\,\frac{1-\beta^{j+1}}{1-\beta} $$
///
/// **Source**: ours, for Section 1 after Eq. 1.1 and Appendix B.1.
/// **Errors**: no step.
pub fn nesterov_lfom<T: Number>(rate: &T, beta: &T, steps: usize) -> Result<Lfom<T>, Error> {
    // m_{j+1} = m_j - eta beta^{j+1}, which is the weight.
    let sums = memory_sums(rate, beta, steps + 1);
    Lfom::scalars((0..steps).map(|k| (0..=k).map(|i| sums[k - i + 1].clone()).collect()).collect())
}

/// Nesterov's method as an array of weights in its iterates $w_k$: on quadratics only, where the gradient at an extrapolated point is
/// $(1+\beta)\nabla f(w_k)-\beta\nabla f(w_{k-1})$.
///
/// $\Gamma_i^k=(1+\beta)\,m_{k-i}-\beta\,m_{k-i-1}$, and $m_k-\beta m_{k-1}$ for $i=0$.
///
/// **Source**: ours, for Section 1 after Eq. 1.1 and Appendix B.1.
/// **Errors**: no step.
pub fn nesterov_lfom_on_quadratics<T: Number>(rate: &T, beta: &T, steps: usize) -> Result<Lfom<T>, Error> {
    let sums = memory_sums(rate, beta, steps);
    let weight = |k: usize, i: usize| {
        let own = if i == 0 { T::one() } else { T::one().plus(beta) };
        let own = own.times(&sums[k - i]);
        // The next extrapolated point uses grad f(w_i) too.
        if k > i { own.minus(&beta.times(&sums[k - i - 1])) } else { own }
    };
    Lfom::scalars((0..steps).map(|k| (0..=k).map(|i| weight(k, i)).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::algebra::largest_gap;
    use crate::arithmetic::number::{Fraction, fraction_matrix, fraction_vector};
    use crate::methods::objective::LogCosh;
    use crate::methods::quadratic::Quadratic;
    use ndarray::array;
    use workbench_ground::stats::{Streams, normal_array2};

    #[test]
    fn weights_replay_the_method() {
        let mut stream = Streams::new(2).stream("nesterov").unwrap();
        let x = fraction_matrix(&mut stream, 3, 4);
        let f = Quadratic::of_prompt(&x, &fraction_vector(&mut stream, 4)).unwrap();
        let part = Fraction::new;
        let (rate, beta, start) = (part(1, 9), part(3, 4), fraction_vector(&mut stream, 3));
        let run = nesterov(&f, &start, &rate, &beta, 5).unwrap();
        assert_eq!(nesterov_lfom(&rate, &beta, 5).unwrap().run(&f, &start).unwrap(), run.extrapolated);
        let replay = nesterov_lfom_on_quadratics(&rate, &beta, 5).unwrap().run(&f, &start).unwrap();
        assert_eq!(replay.iterates, run.iterates);
    }

    #[test]
    fn off_quadratics_only_the_extrapolated_points_replay() {
        let mut stream = Streams::new(2).stream("log cosh").unwrap();
        let f = LogCosh::new(normal_array2(&mut stream, 6, 3), array![0.1, -2.0, 1.0, 0.5, 3.0, -1.0]).unwrap();
        let start = array![1.0, -1.0, 0.5];
        let run = nesterov(&f, &start, &0.05, &0.9, 20).unwrap();
        let points = nesterov_lfom(&0.05, &0.9, 20).unwrap().run(&f, &start).unwrap();
        let iterates = nesterov_lfom_on_quadratics(&0.05, &0.9, 20).unwrap().run(&f, &start).unwrap();
        assert!(largest_gap(&points.iterates[20], &run.extrapolated.iterates[20]) < 1e-13);
        assert!(largest_gap(&iterates.iterates[20], &run.iterates[20]) > 1e-3);
        assert!(nesterov(&f, &start, &0.1, &0.9, 0).is_err());
        let shown = run.columns().unwrap();
        assert_eq!(shown, run.extrapolated.columns().unwrap());
        assert_eq!(shown.list[1].1.len(), 20);
    }
}
