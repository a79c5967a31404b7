//! Conjugate gradients, whole and as printed, and steepest descent.

use ndarray::Array1;

use super::lfom::Trajectory;
use super::quadratic::Quadratic;
use super::single_memory::SingleMemory;
use crate::Error;
use crate::arithmetic::algebra::{apply, inner, step};
use crate::arithmetic::number::Number;
use workbench_ground::check::{positive, same_shape};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// A run of conjugate gradients, with everything that its claims speak of.
///
/// Once the residual is zero (below 1e-30 of its square at the start, for floats) the method is done: later alphas and gammas are
/// zero, and iterates repeat.
#[derive(Clone, Debug, PartialEq)]
pub struct ConjugateRun<T> {
    /// $w_0$ to $w_K$.
    pub iterates: Vec<Array1<T>>,
    /// $r_n=-\nabla f(w_n)$, for $n< K$.
    pub residuals: Vec<Array1<T>>,
    /// $s_n$, for $n< K$.
    pub directions: Vec<Array1<T>>,
    /// The coefficients $\alpha_n$ and $\gamma_n$, computed from the prompt.
    pub coefficients: SingleMemory<T>,
}

impl<T: Number> ConjugateRun<T> {
    /// The same as a run of a method: iterates, and gradients in place of residuals.
    pub fn into_run(self) -> Trajectory<T> {
        let gradients = self.residuals.iter().map(|r| r.mapv(|v| v.negated()));
        Trajectory { gradients: gradients.collect(), iterates: self.iterates }
    }
}

/// One row for each step: its alpha and gamma.
impl Tabulated for ConjugateRun<f64> {
    fn columns(&self) -> Result<Columns, Error> {
        let SingleMemory { alpha, gamma } = &self.coefficients;
        Ok(Columns::new("Coefficients of conjugate gradients")
            .x("step", (0..alpha.len()).collect::<Vec<usize>>())
            .with("alpha", alpha)
            .with("gamma", gamma))
    }
}

/// Conjugate gradients on a quadratic.
///
/// $$ r_n=-\nabla f(w_n),\quad\gamma_n=\frac{\langle r_n,r_n\rangle}{\langle r_{n-1},r_{n-1}\rangle},\quad\gamma_0=0,\quad
/// s_n=r_n+\gamma_ns_{n-1},\quad\alpha_n=\frac{\langle r_n,r_n\rangle}{\langle s_n,Hs_n\rangle},\quad w_{n+1}=w_n+\alpha_ns_n $$
///
/// **Source**: Eq. 2.13 and Appendix A.2, with the step for n = 0, which the printed loop leaves out. **Errors**: no step, a start of
/// another dimension. Cost K (d^2 + 5d).
///
/// ```
/// use workbench_memformer::{Quadratic, conjugate_gradient};
/// use ndarray::array;
/// let f = Quadratic::around(array![[2.0, 1.0], [1.0, 3.0]], &array![1.0, -2.0])?;
/// let run = conjugate_gradient(&f, &f.origin(), 2)?;
/// assert!((&run.iterates[2] - &array![1.0, -2.0]).iter().all(|e| e.abs() < 1e-14));
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
#[doc(alias = "CGD")]
#[doc(alias = "CG")]
pub fn conjugate_gradient<T: Number>(
    f: &Quadratic<T>,
    start: &Array1<T>,
    steps: usize,
) -> Result<ConjugateRun<T>, Error> {
    preconditioned(f, start, steps, &|r| r.clone())
}

/// Conjugate gradients with a symmetric positive definite preconditioner A: $\langle r,Ar\rangle$ takes the place of $\langle r,r\rangle$,
/// and $Ar$ that of r in s.
///
/// **Shapes**: `a` (d, d). **Source**: textbook; what Theorem 3.1 needs where $A_\ell$ is not the identity. **Errors**: as
/// [`conjugate_gradient`], a preconditioner of another shape.
///
/// ```
/// use workbench_memformer::{Quadratic, preconditioned_conjugate_gradient};
/// use ndarray::array;
/// let f = Quadratic::around(array![[2.0, 0.0], [0.0, 50.0]], &array![1.0, 1.0])?;
/// // With the inverse Hessian one step is enough.
/// let run = preconditioned_conjugate_gradient(&f, &array![[0.5, 0.0], [0.0, 0.02]], &f.origin(), 1)?;
/// assert!(f.value(&run.iterates[1]) < 1e-25);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
#[doc(alias = "PCG")]
pub fn preconditioned_conjugate_gradient<T: Number>(
    f: &Quadratic<T>,
    a: &ndarray::Array2<T>,
    start: &Array1<T>,
    steps: usize,
) -> Result<ConjugateRun<T>, Error> {
    let wanted = [f.dim(), f.dim()];
    let op = "preconditioned_conjugate_gradient";
    same_shape(op, "the preconditioner", a.shape(), &wanted)?;
    preconditioned(f, start, steps, &|r| apply(a, r))
}

fn preconditioned<T: Number>(
    f: &Quadratic<T>,
    start: &Array1<T>,
    steps: usize,
    a: &dyn Fn(&Array1<T>) -> Array1<T>,
) -> Result<ConjugateRun<T>, Error> {
    const OP: &str = "conjugate_gradient";
    positive(OP, "the number of steps", steps)?;
    same_shape(OP, "the start", start.shape(), &[f.dim()])?;
    let mut iterates = vec![start.clone()];
    let (mut residuals, mut directions) = (Vec::new(), Vec::<Array1<T>>::new());
    let (mut alpha, mut gamma) = (Vec::new(), Vec::new());
    let (mut first, mut before) = (None, T::zero());
    for n in 0..steps {
        work::check(OP, n, steps)?;
        let residual = f.gradient(&iterates[n]).mapv(|g| g.negated());
        let preconditioned_residual = a(&residual);
        let square = inner(&residual, &preconditioned_residual);
        let done = square.vanishes_beside(first.get_or_insert_with(|| square.clone()));
        // gamma_0 = 0: there is no memory yet; a zero residual needs no more memory.
        let deflection = if done { T::zero() } else { square.over(&before).unwrap_or_else(T::zero) };
        let direction = match directions.last() {
            Some(last) => step(&preconditioned_residual, &deflection, last),
            None => preconditioned_residual,
        };
        let curvature = inner(&direction, &apply(&f.hessian, &direction));
        let size = if done { T::zero() } else { square.over(&curvature).unwrap_or_else(T::zero) };
        iterates.push(step(&iterates[n], &size, &direction));
        residuals.push(residual);
        directions.push(direction);
        alpha.push(size);
        gamma.push(deflection);
        before = square;
    }
    Ok(ConjugateRun { iterates, residuals, directions, coefficients: SingleMemory::new(alpha, gamma)? })
}

/// Appendix A.2's algorithm with its loop as printed: it starts at $n=1$, and $w_1$, which it needs then, is not set.
///
/// Taking $w_1=w_0$ is the only reading that uses nothing else than what is printed. Then $r_1=r_0$, $\gamma_1=1$, $s_1=2r_0$ and
/// $w_2=w_0+\alpha r_0/2$: half a step of steepest descent, and directions that are not conjugate.
///
/// **Source**: Appendix A.2, Algorithm CGD.
/// **Errors**: as [`conjugate_gradient`]. Iterates are $w_0,w_1,\dots,w_K$.
///
/// ```
/// use workbench_memformer::{Quadratic, conjugate_gradient_as_printed, steepest_descent};
/// use ndarray::array;
/// let f = Quadratic::around(array![[2.0, 0.0], [0.0, 5.0]], &array![1.0, 1.0])?;
/// let printed = conjugate_gradient_as_printed(&f, &f.origin(), 2)?;
/// let descent = steepest_descent(&f, &f.origin(), 1)?;
/// assert!((&printed[2] - &(0.5 * &descent.iterates[1])).iter().all(|e| e.abs() < 1e-14));
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn conjugate_gradient_as_printed<T: Number>(
    f: &Quadratic<T>,
    start: &Array1<T>,
    steps: usize,
) -> Result<Vec<Array1<T>>, Error> {
    const OP: &str = "conjugate_gradient_as_printed";
    positive(OP, "the number of steps", steps)?;
    same_shape(OP, "the start", start.shape(), &[f.dim()])?;
    let residual = |w: &Array1<T>| f.gradient(w).mapv(|g| g.negated());
    let first = residual(start);
    let (mut before, mut direction) = (inner(&first, &first), first);
    let scale = before.clone();
    let mut iterates = vec![start.clone(), start.clone()];
    for n in 1..steps {
        work::check(OP, n, steps)?;
        let r = residual(&iterates[n]);
        let square = inner(&r, &r);
        if square.vanishes_beside(&scale) {
            iterates.push(iterates[n].clone());
            continue;
        }
        direction = step(&r, &square.over(&before).unwrap_or_else(T::zero), &direction);
        let curvature = inner(&direction, &apply(&f.hessian, &direction));
        let size = square.over(&curvature).unwrap_or_else(T::zero);
        iterates.push(step(&iterates[n], &size, &direction));
        before = square;
    }
    Ok(iterates)
}

/// Gradient descent with exact line search, $\alpha_n=\langle g,g\rangle/\langle g,Hg\rangle$: one coefficient per prompt and step, no
/// memory.
///
/// **Source**: textbook; Eq. 2.13 with $\gamma_n=0$.
/// **Errors**: as [`conjugate_gradient`].
pub fn steepest_descent<T: Number>(f: &Quadratic<T>, start: &Array1<T>, steps: usize) -> Result<Trajectory<T>, Error> {
    const OP: &str = "steepest_descent";
    positive(OP, "the number of steps", steps)?;
    same_shape(OP, "the start", start.shape(), &[f.dim()])?;
    let mut run = Trajectory { iterates: vec![start.clone()], gradients: Vec::new() };
    for n in 0..steps {
        work::check(OP, n, steps)?;
        let g = f.gradient(&run.iterates[n]);
        let size = line_search(f, &run.iterates[n], &g)?;
        run.iterates.push(step(&run.iterates[n], &size, &g));
        run.gradients.push(g);
    }
    Ok(run)
}

/// The step along `direction` that minimises a quadratic exactly: -<grad f(w), s> / <s, H s>; 0 along a direction without curvature.
///
/// **Source**: Section 2.2, after Eq. 2.13.
/// **Errors**: a direction of another dimension.
///
/// ```
/// use workbench_memformer::{Quadratic, line_search};
/// use ndarray::array;
/// let f = Quadratic::around(array![[4.0]], &array![3.0])?;
/// assert_eq!(line_search(&f, &array![0.0], &array![1.0])?, 3.0);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn line_search<T: Number>(f: &Quadratic<T>, w: &Array1<T>, direction: &Array1<T>) -> Result<T, Error> {
    same_shape("line_search", "the direction", direction.shape(), w.shape())?;
    let slope = inner(&f.gradient(w), direction);
    let curvature = inner(direction, &apply(&f.hessian, direction));
    Ok(slope.negated().over(&curvature).unwrap_or_else(T::zero))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::algebra::{identity, times};
    use crate::arithmetic::number::{Fraction, fraction_matrix, fraction_vector};
    use ndarray::array;
    use workbench_ground::stats::Streams;

    fn problem(d: usize, name: &str) -> Quadratic<Fraction> {
        let mut stream = Streams::new(6).stream(name).unwrap();
        let x = fraction_matrix(&mut stream, d, d + 2);
        Quadratic::of_prompt(&x, &fraction_vector(&mut stream, d + 2)).unwrap()
    }

    #[test]
    fn conjugate_directions_and_exact_solution_after_d_steps() {
        let f = problem(4, "cg");
        let run = conjugate_gradient(&f, &f.origin(), 6).unwrap();
        let zero = Fraction::zero();
        for i in 0..4 {
            for j in 0..i {
                assert_eq!(inner(&run.directions[i], &apply(&f.hessian, &run.directions[j])), zero);
                assert_eq!(inner(&run.residuals[i], &run.residuals[j]), zero);
            }
            assert_eq!(line_search(&f, &run.iterates[i], &run.directions[i]).unwrap(), run.coefficients.alpha[i]);
            assert!(run.iterates[i] != run.iterates[4]);
        }
        assert_eq!(run.iterates[4], f.minimiser().unwrap());
        assert_eq!(run.iterates[6], run.iterates[4]);
        // Its coefficients replayed through the method with one memory, and as weights.
        let replay = run.coefficients.run(&f, &f.origin()).unwrap();
        assert_eq!(replay.iterates, run.iterates);
        assert_eq!(run.coefficients.unrolled().unwrap().run(&f, &f.origin()).unwrap(), run.into_run());
    }

    #[test]
    fn the_printed_loop_does_not_converge_in_d_steps() {
        let f = problem(3, "printed");
        let printed = conjugate_gradient_as_printed(&f, &f.origin(), 8).unwrap();
        let right = conjugate_gradient(&f, &f.origin(), 3).unwrap();
        assert_eq!(printed[1], printed[0]);
        let half = Fraction::one().over(&Fraction::whole(2)).unwrap();
        assert_eq!(printed[2], right.iterates[1].mapv(|v| v.times(&half)));
        assert!(printed.iter().all(|w| *w != right.iterates[3]));
    }

    #[test]
    fn preconditioning_and_steepest_descent() {
        let f = problem(3, "pcg");
        let mut stream = Streams::new(6).stream("a").unwrap();
        let m = fraction_matrix(&mut stream, 3, 4);
        let a = times(&m, &m.t().to_owned());
        let run = preconditioned_conjugate_gradient(&f, &a, &f.origin(), 3).unwrap();
        assert_eq!(run.iterates[3], f.minimiser().unwrap());
        let plain = preconditioned_conjugate_gradient(&f, &identity(3), &f.origin(), 3).unwrap();
        assert_eq!(plain, conjugate_gradient(&f, &f.origin(), 3).unwrap());
        let descent = steepest_descent(&f, &f.origin(), 3).unwrap();
        assert_eq!(descent.iterates[1], plain.iterates[1]);
        assert!(f.value(&descent.iterates[3]) > f.value(&plain.iterates[3]));
        // A start at the solution stays there.
        let solved = conjugate_gradient(&f, &plain.iterates[3], 2).unwrap();
        assert_eq!(solved.iterates[2], plain.iterates[3]);
        assert!(conjugate_gradient(&f, &f.origin(), 0).is_err());
        assert!(preconditioned_conjugate_gradient(&f, &identity(2), &f.origin(), 1).is_err());
        // The first alpha is <r, r> / <r, H r> = 5 / 9, and there is no memory yet.
        let f = Quadratic::around(array![[1.0, 0.0], [0.0, 2.0]], &array![1.0, 1.0]).unwrap();
        let shown = conjugate_gradient(&f, &f.origin(), 1).unwrap().columns().unwrap();
        assert_eq!(shown.list[1].1, [5.0 / 9.0].into());
        assert_eq!(shown.list[2].1, [0.0].into());
    }
}
