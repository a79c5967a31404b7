//! What is compared on prompts: first-order methods and trained models.

use ndarray::{Array1, Array2};

use crate::methods::first_order::{
    ConjugateGradient, FirstOrderMethod, Nesterov, PreconditionedConjugateGradient, SteepestDescent,
};
use crate::methods::lfom::Trajectory;
use crate::methods::quadratic::Quadratic;
use crate::methods::single_memory::SingleMemory;
use crate::{Error, Lfom, Parameters};

/// A way to solve prompts: a method that looks at each prompt, or fixed coefficients shared by all of them, trained or not.
///
/// ```
/// use workbench::memformer::{Quadratic, SingleMemory, Solver};
/// use ndarray::array;
/// let f = Quadratic::around(array![[2.0, 0.0], [0.0, 1.0]], &array![1.0, 1.0])?;
/// let own = Solver::ConjugateGradient.iterates(&f, 2)?;
/// assert!((&own[2] - &array![1.0, 1.0]).iter().all(|e| e.abs() < 1e-14));
/// let shared = Solver::Memory(SingleMemory::gradient_descent(0.5, 2)?).iterates(&f, 2)?;
/// assert_eq!(shared[2], array![1.0, 0.75]);
/// # Ok::<(), workbench::memformer::Error>(())
/// ```
/// A comparison takes any [`FirstOrderMethod`](crate::FirstOrderMethod), of which this is one: those of a list, as a value.
#[derive(Clone, Debug)]
pub enum Solver {
    /// Conjugate gradients; $\alpha$ and $\gamma$ from each prompt.
    ConjugateGradient,
    /// Conjugate gradients with a preconditioner, (d, d).
    Preconditioned(Array2<f64>),
    /// Steepest descent; a line search on each prompt.
    SteepestDescent,
    /// A method with one memory and shared coefficients: gradient descent, momentum, Chebyshev.
    Memory(SingleMemory<f64>),
    /// Nesterov's method with shared coefficients.
    Nesterov {
        /// $\eta$.
        rate: f64,
        /// $\beta$.
        beta: f64,
    },
    /// A linear first-order method with shared weights.
    Method(Lfom<f64>),
    /// A trained model.
    Model(Parameters),
}

impl Solver {
    /// $w_0=0$ to $w_{\mathrm{steps}}$ on one prompt.
    ///
    /// **Errors**: as [`FirstOrderMethod::run_steps`].
    pub fn iterates(&self, f: &Quadratic<f64>, steps: usize) -> Result<Vec<Array1<f64>>, Error> {
        Ok(self.run_steps(f, &f.origin(), steps)?.iterates)
    }

    /// What `ask` says of the method.
    fn ask<R>(&self, ask: impl FnOnce(&dyn FirstOrderMethod) -> R) -> R {
        match self {
            Solver::ConjugateGradient => ask(&ConjugateGradient),
            Solver::Preconditioned(a) => ask(&PreconditionedConjugateGradient(a)),
            Solver::SteepestDescent => ask(&SteepestDescent),
            Solver::Memory(method) => ask(method),
            &Solver::Nesterov { rate, beta } => ask(&Nesterov { rate, beta }),
            Solver::Method(method) => ask(method),
            Solver::Model(model) => ask(model),
        }
    }
}

impl FirstOrderMethod for Solver {
    fn name(&self) -> &'static str {
        self.ask(|method| method.name())
    }

    fn run_steps(&self, f: &Quadratic<f64>, start: &Array1<f64>, steps: usize) -> Result<Trajectory<f64>, Error> {
        self.ask(|method| method.run_steps(f, start, steps))
    }

    fn model(&self) -> Option<&Parameters> {
        match self {
            Solver::Model(model) => Some(model),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Weight};
    use ndarray::array;

    #[test]
    fn one_method_under_four_names() {
        let f = Quadratic::around(array![[2.0, 0.5], [0.5, 1.0]], &array![1.0, -1.0]).unwrap();
        let memory = SingleMemory::gradient_descent(0.3, 3).unwrap();
        let mut model = Parameters::neutral(Architecture::new(3, 2).unwrap());
        for l in 0..3 {
            model.set_a(l, &(0.3 * Array2::<f64>::eye(2))).unwrap();
        }
        let rows = (0..3).map(|k| vec![Weight::Scalar(-0.3); k + 1]).collect();
        let want = Solver::Memory(memory).iterates(&f, 3).unwrap();
        for solver in [
            Solver::Method(Lfom::new(rows).unwrap()),
            Solver::Model(model),
            Solver::Nesterov { rate: 0.3, beta: 0.0 },
        ] {
            for (w, v) in want.iter().zip(solver.iterates(&f, 3).unwrap()) {
                assert!((w - &v).iter().all(|e| e.abs() < 1e-14), "{solver:?}");
            }
            assert_eq!(solver.iterates(&f, 2).unwrap().len(), 3);
        }
    }

    #[test]
    fn methods_that_look_at_the_prompt() {
        let f = Quadratic::around(array![[2.0, 0.5], [0.5, 1.0]], &array![1.0, -1.0]).unwrap();
        let inverse = array![[1.0, -0.5], [-0.5, 2.0]] / 1.75;
        let left = |solver: Solver, steps: usize| f.value(&solver.iterates(&f, steps).unwrap()[steps]);
        assert!(left(Solver::Preconditioned(inverse), 1) < 1e-25);
        assert!(left(Solver::ConjugateGradient, 2) < 1e-25);
        let descent = left(Solver::SteepestDescent, 1);
        assert!((descent - left(Solver::ConjugateGradient, 1)).abs() < 1e-15 && descent > 1e-3);
        let short = Solver::Memory(SingleMemory::gradient_descent(0.3, 3).unwrap());
        assert!(short.iterates(&f, 4).unwrap_err().to_string().contains("= 4"));
    }
}
