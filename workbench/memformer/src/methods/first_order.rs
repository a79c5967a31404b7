//! First-order methods under one trait: each is given a quadratic, a start and a number of steps.

use std::fmt::Debug;

use ndarray::{Array1, Array2};

use super::adaptive::{adagrad, adam};
use super::conjugate::{ConjugateRun, conjugate_gradient, preconditioned_conjugate_gradient, steepest_descent};
use super::lfom::{Lfom, Trajectory};
use super::nesterov::nesterov;
use super::newton::{gd_plus_plus, preconditioned_descent};
use super::quadratic::Quadratic;
use super::single_memory::SingleMemory;
use crate::arithmetic::number::Number;
use crate::{Error, Parameters};
use workbench_ground::check::{positive, same_shape, within};

/// A method that moves by gradients it has seen.
///
/// **Source**: Section 1: gradient descent, momentum, Nesterov's method, conjugate gradients and the adaptive methods are the
/// document's examples; Eq. 1.1 is the class of those whose weights do not depend on the gradients. GD++ counts, for it only multiplies by
/// the Hessian; [`newton_step`](crate::newton_step) solves with it.
///
/// ```
/// use workbench_memformer::{ConjugateGradient, FirstOrderMethod, Nesterov, Quadratic};
/// use ndarray::array;
/// let f = Quadratic::around(array![[2.0, 0.0], [0.0, 1.0]], &array![1.0, 1.0])?;
/// let methods: [&dyn FirstOrderMethod; 2] = [&ConjugateGradient, &Nesterov { rate: 0.4, beta: 0.3 }];
/// for method in methods {
///     let run = method.run_steps(&f, &f.origin(), 2)?;
///     assert!(f.value(&run.iterates[2]) < 0.5 * f.value(&run.iterates[0]), "{}", method.name());
/// }
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub trait FirstOrderMethod<T: Number = f64>: Debug + Send + Sync {
    /// The usual name.
    fn name(&self) -> &'static str;

    /// $w_0$, which is `start`, to $w_{\mathrm{steps}}$, and a gradient for each step.
    ///
    /// **Errors**: no step, more steps than the method has coefficients for, a start or coefficients of another dimension.
    fn run_steps(&self, f: &Quadratic<T>, start: &Array1<T>, steps: usize) -> Result<Trajectory<T>, Error>;

    /// $w_0=0$ to $w_{\mathrm{steps}}$.
    ///
    /// **Errors**: as [`FirstOrderMethod::run_steps`].
    fn iterates(&self, f: &Quadratic<T>, steps: usize) -> Result<Vec<Array1<T>>, Error> {
        Ok(self.run_steps(f, &f.origin(), steps)?.iterates)
    }

    /// The model that the method is, if it is one: many prompts go through a model together.
    fn model(&self) -> Option<&Parameters> {
        None
    }
}

/// Methods of different types stand in one list as `&dyn` or boxed.
macro_rules! pointers {
    ($($pointer:ty),+) => {$(
        impl<T: Number, M: FirstOrderMethod<T> + ?Sized> FirstOrderMethod<T> for $pointer {
            fn name(&self) -> &'static str {
                (**self).name()
            }
            fn run_steps(&self, f: &Quadratic<T>, start: &Array1<T>, steps: usize) -> Result<Trajectory<T>, Error> {
                (**self).run_steps(f, start, steps)
            }
            fn iterates(&self, f: &Quadratic<T>, steps: usize) -> Result<Vec<Array1<T>>, Error> {
                (**self).iterates(f, steps)
            }
            fn model(&self) -> Option<&Parameters> {
                (**self).model()
            }
        }
    )+};
}

pointers!(&M, Box<M>);

/// Conjugate gradients; $\alpha$ and $\gamma$ from each function ([`conjugate_gradient`]).
///
/// **Source**: Eq. 2.13.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(alias = "CG")]
#[doc(alias = "CGD")]
pub struct ConjugateGradient;

/// Conjugate gradients with a preconditioner, (d, d) ([`preconditioned_conjugate_gradient`]).
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "PCG")]
pub struct PreconditionedConjugateGradient<'a, T>(pub &'a Array2<T>);

/// Gradient descent with a preconditioner for each step, each (d, d) ([`preconditioned_descent`]).
///
/// **Source**: Eq. 2.10.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PreconditionedDescent<'a, T>(pub &'a [Array2<T>]);

/// GD++ with $(A_\ell,B_\ell)$ for each step ([`gd_plus_plus`]): descent with a preconditioner that is computed from the prompt's Hessian,
/// quasi-Newton in the document's words.
///
/// **Source**: Section 3.3.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "GD++")]
pub struct GdPlusPlus<'a, T>(pub &'a [(Array2<T>, Array2<T>)]);

/// Gradient descent with exact line search ([`steepest_descent`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SteepestDescent;

/// Nesterov's method with constant coefficients ([`nesterov`]); gradients are those at the extrapolated points.
///
/// **Source**: Appendix B.1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "NAG")]
#[doc(alias = "AGD")]
pub struct Nesterov<T> {
    /// $\eta$.
    pub rate: T,
    /// $\beta$.
    pub beta: T,
}

/// AdaGrad ([`adagrad`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaGrad {
    /// $\eta$.
    pub rate: f64,
    /// $\epsilon$.
    pub epsilon: f64,
}

/// ADAM ([`adam`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adam {
    /// $\eta$.
    pub rate: f64,
    /// $b_1$ and $b_2$.
    pub betas: (f64, f64),
    /// $\epsilon$.
    pub epsilon: f64,
}

impl<T: Number> FirstOrderMethod<T> for ConjugateGradient {
    fn name(&self) -> &'static str {
        "conjugate gradients"
    }
    fn run_steps(&self, f: &Quadratic<T>, start: &Array1<T>, steps: usize) -> Result<Trajectory<T>, Error> {
        conjugate_gradient(f, start, steps).map(ConjugateRun::into_run)
    }
}

impl<T: Number> FirstOrderMethod<T> for PreconditionedConjugateGradient<'_, T> {
    fn name(&self) -> &'static str {
        "preconditioned conjugate gradients"
    }
    fn run_steps(&self, f: &Quadratic<T>, start: &Array1<T>, steps: usize) -> Result<Trajectory<T>, Error> {
        preconditioned_conjugate_gradient(f, self.0, start, steps).map(ConjugateRun::into_run)
    }
}

impl<T: Number> FirstOrderMethod<T> for PreconditionedDescent<'_, T> {
    fn name(&self) -> &'static str {
        "preconditioned gradient descent"
    }
    fn run_steps(&self, f: &Quadratic<T>, start: &Array1<T>, steps: usize) -> Result<Trajectory<T>, Error> {
        let run = preconditioned_descent(f, start, self.0)?;
        first_steps("PreconditionedDescent::run_steps", run, steps)
    }
}

impl<T: Number> FirstOrderMethod<T> for GdPlusPlus<'_, T> {
    fn name(&self) -> &'static str {
        "GD++"
    }
    fn run_steps(&self, f: &Quadratic<T>, start: &Array1<T>, steps: usize) -> Result<Trajectory<T>, Error> {
        first_steps("GdPlusPlus::run_steps", gd_plus_plus(f, start, self.0)?, steps)
    }
}

impl<T: Number> FirstOrderMethod<T> for SteepestDescent {
    fn name(&self) -> &'static str {
        "steepest descent"
    }
    fn run_steps(&self, f: &Quadratic<T>, start: &Array1<T>, steps: usize) -> Result<Trajectory<T>, Error> {
        steepest_descent(f, start, steps)
    }
}

impl<T: Number> FirstOrderMethod<T> for Nesterov<T> {
    fn name(&self) -> &'static str {
        "Nesterov's method"
    }
    fn run_steps(&self, f: &Quadratic<T>, start: &Array1<T>, steps: usize) -> Result<Trajectory<T>, Error> {
        let run = nesterov(f, start, &self.rate, &self.beta, steps)?;
        Ok(Trajectory { iterates: run.iterates, gradients: run.extrapolated.gradients })
    }
}

impl<T: Number> FirstOrderMethod<T> for SingleMemory<T> {
    fn name(&self) -> &'static str {
        "method with one memory"
    }
    fn run_steps(&self, f: &Quadratic<T>, start: &Array1<T>, steps: usize) -> Result<Trajectory<T>, Error> {
        first_steps("SingleMemory::run_steps", self.run(f, start)?, steps)
    }
}

impl<T: Number> FirstOrderMethod<T> for Lfom<T> {
    fn name(&self) -> &'static str {
        "linear first-order method"
    }
    fn run_steps(&self, f: &Quadratic<T>, start: &Array1<T>, steps: usize) -> Result<Trajectory<T>, Error> {
        first_steps("Lfom::run_steps", self.run(f, start)?, steps)
    }
}

impl FirstOrderMethod for AdaGrad {
    fn name(&self) -> &'static str {
        "AdaGrad"
    }
    fn run_steps(&self, f: &Quadratic<f64>, start: &Array1<f64>, steps: usize) -> Result<Trajectory<f64>, Error> {
        Ok(adagrad(f, start, self.rate, self.epsilon, steps)?.run)
    }
}

impl FirstOrderMethod for Adam {
    fn name(&self) -> &'static str {
        "Adam"
    }
    fn run_steps(&self, f: &Quadratic<f64>, start: &Array1<f64>, steps: usize) -> Result<Trajectory<f64>, Error> {
        Ok(adam(f, start, self.rate, self.betas, self.epsilon, steps)?.run)
    }
}

/// A trained model, whose layers start at the origin: from elsewhere it runs on the function moved there.
impl FirstOrderMethod for Parameters {
    fn name(&self) -> &'static str {
        "trained model"
    }
    fn run_steps(&self, f: &Quadratic<f64>, start: &Array1<f64>, steps: usize) -> Result<Trajectory<f64>, Error> {
        const OP: &str = "Parameters::run_steps";
        same_shape(OP, "the start", start.shape(), &[f.dim()])?;
        let moved = Quadratic {
            hessian: f.hessian.clone(),
            linear: f.gradient(start).mapv(|g| 0.0 - g),
            constant: f.value(start),
        };
        let mut run = first_steps(OP, self.run(&moved)?, steps)?;
        run.iterates.iter_mut().for_each(|w| *w += start);
        Ok(run)
    }
    fn model(&self) -> Option<&Parameters> {
        Some(self)
    }
}

/// The first steps of a run of fixed length.
fn first_steps<T>(op: &'static str, mut run: Trajectory<T>, steps: usize) -> Result<Trajectory<T>, Error> {
    positive(op, "the number of steps", steps)?;
    let allowed = "at most the number of steps or layers that the method has coefficients for";
    let inside = run.iterates.len() > steps;
    within(op, "the number of steps", steps as f64, inside, allowed)?;
    run.iterates.truncate(steps + 1);
    run.gradients.truncate(steps);
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::algebra::{identity, largest_gap};
    use crate::arithmetic::number::{Fraction, fraction_matrix, fraction_vector};
    use crate::{Architecture, Weight};
    use ndarray::{Axis, array};
    use workbench_ground::stats::{Streams, normal_array2};

    const DIM: usize = 3;

    /// All methods in floats, each with coefficients for `2 DIM` steps at least.
    fn with_all(test: impl Fn(&dyn FirstOrderMethod)) {
        let steps = 2 * DIM;
        let memory = SingleMemory::momentum(0.1, 0.5, steps).unwrap();
        let a = 0.5 * Array2::eye(DIM);
        let mut model = Parameters::neutral(Architecture::new(steps, DIM).unwrap());
        for l in 0..steps {
            model.set_a(l, &(0.2 * Array2::<f64>::eye(DIM))).unwrap();
        }
        test(&ConjugateGradient);
        test(&PreconditionedConjugateGradient(&a));
        let layers = vec![0.2 * Array2::eye(DIM); steps];
        test(&PreconditionedDescent(&layers));
        test(&GdPlusPlus(&vec![(0.3 * Array2::eye(DIM), 0.5 * Array2::eye(DIM)); steps]));
        test(&SteepestDescent);
        test(&Nesterov { rate: 0.1, beta: 0.5 });
        test(&memory.unrolled().unwrap());
        test(&memory);
        test(&SingleMemory::chebyshev(0.2, 5.0, steps).unwrap());
        test(&model);
        let (rate, epsilon) = (0.1, 1e-8);
        test(&AdaGrad { rate, epsilon });
        let betas = (0.9, 0.999);
        test(&Adam { rate, betas, epsilon });
    }

    /// The covariates and responses of a prompt.
    fn prompt() -> (Array2<f64>, Array1<f64>) {
        let mut stream = Streams::new(3).stream("first order").unwrap();
        let x = normal_array2(&mut stream, DIM, 8);
        (x, normal_array2(&mut stream, 1, 8).row(0).to_owned())
    }

    #[test]
    fn one_method_under_four_names() {
        let f = Quadratic::around(array![[2.0, 0.5], [0.5, 1.0]], &array![1.0, -1.0]).unwrap();
        let memory = SingleMemory::gradient_descent(0.3, 3).unwrap();
        let mut model = Parameters::neutral(Architecture::new(3, 2).unwrap());
        for l in 0..3 {
            model.set_a(l, &(0.3 * Array2::<f64>::eye(2))).unwrap();
        }
        let rows = (0..3).map(|k| vec![Weight::Scalar(-0.3); k + 1]).collect();
        let want = memory.iterates(&f, 3).unwrap();
        let others: [Box<dyn FirstOrderMethod>; 3] =
            [Box::new(Lfom::new(rows).unwrap()), Box::new(model), Box::new(Nesterov { rate: 0.3, beta: 0.0 })];
        for method in others {
            for (w, v) in want.iter().zip(method.iterates(&f, 3).unwrap()) {
                assert!((w - &v).iter().all(|e| e.abs() < 1e-14), "{method:?}");
            }
            assert_eq!(method.iterates(&f, 2).unwrap().len(), 3);
        }
        assert!(memory.iterates(&f, 4).unwrap_err().to_string().contains("= 4"));
    }

    #[test]
    fn methods_that_look_at_the_prompt() {
        let f = Quadratic::around(array![[2.0, 0.5], [0.5, 1.0]], &array![1.0, -1.0]).unwrap();
        let inverse = array![[1.0, -0.5], [-0.5, 2.0]] / 1.75;
        let left = |method: &dyn FirstOrderMethod, steps: usize| f.value(&method.iterates(&f, steps).unwrap()[steps]);
        assert!(left(&PreconditionedConjugateGradient(&inverse), 1) < 1e-25);
        assert!(left(&ConjugateGradient, 2) < 1e-25);
        let descent = left(&SteepestDescent, 1);
        assert!((descent - left(&ConjugateGradient, 1)).abs() < 1e-15 && descent > 1e-3);
    }

    #[test]
    fn runs_have_one_gradient_for_each_step_and_descend() {
        let (x, y) = prompt();
        let f = Quadratic::of_prompt(&x, &y).unwrap();
        let start = Array1::from_elem(DIM, 0.5);
        with_all(|method| {
            let run = method.run_steps(&f, &start, 4).unwrap();
            let name = method.name();
            assert_eq!((run.iterates.len(), run.gradients.len()), (5, 4), "{name}");
            assert_eq!(run.iterates[0], start, "{name}");
            assert!(largest_gap(&run.gradients[0], &f.gradient(&start)) < 1e-14, "{name}");
            assert!(f.value(&run.iterates[4]) < f.value(&start), "{name}");
            // Fewer steps are the first ones of more.
            let short = method.run_steps(&f, &start, 2).unwrap();
            assert_eq!(
                (&short.iterates[..], &short.gradients[..]),
                (&run.iterates[..3], &run.gradients[..2]),
                "{name}"
            );
        });
    }

    #[test]
    fn the_order_of_the_examples_does_not_matter() {
        let (x, y) = prompt();
        let order = [5, 2, 7, 0, 1, 6, 4, 3];
        let f = Quadratic::of_prompt(&x, &y).unwrap();
        let g = Quadratic::of_prompt(&x.select(Axis(1), &order), &y.select(Axis(0), &order)).unwrap();
        with_all(|method| {
            let run = |f: &Quadratic<f64>| method.run_steps(f, &f.origin(), DIM).unwrap().iterates;
            let gaps = run(&f).iter().zip(&run(&g)).map(|(v, w)| largest_gap(v, w)).fold(0.0, f64::max);
            assert!(gaps < 1e-10, "{}: {gaps}", method.name());
        });
    }

    #[test]
    fn bad_input_is_refused() {
        let (x, y) = prompt();
        let f = Quadratic::of_prompt(&x, &y).unwrap();
        with_all(|method| {
            let name = method.name();
            assert!(method.run_steps(&f, &f.origin(), 0).is_err(), "{name}");
            assert!(method.run_steps(&f, &Array1::zeros(DIM + 1), 2).is_err(), "{name}");
        });
        let short = SingleMemory::momentum(0.1, 0.5, 2).unwrap();
        let layers = vec![0.1 * Array2::<f64>::eye(DIM); 2];
        let blocks = vec![(layers[0].clone(), layers[0].clone()); 2];
        let methods: [&dyn FirstOrderMethod; 5] = [
            &PreconditionedDescent(&layers),
            &GdPlusPlus(&blocks),
            &short.unrolled().unwrap(),
            &short,
            &Parameters::neutral(Architecture::new(2, DIM).unwrap()),
        ];
        for method in methods {
            let refused = method.run_steps(&f, &f.origin(), 3).unwrap_err().to_string();
            assert!(refused.contains("= 3"), "{refused}");
        }
        let narrow = Quadratic::<f64>::around(Array2::eye(DIM - 1), &Array1::ones(DIM - 1)).unwrap();
        let a = Array2::eye(DIM);
        assert!(PreconditionedConjugateGradient(&a).run_steps(&narrow, &narrow.origin(), 1).is_err());
    }

    #[test]
    fn conjugate_directions_are_exact_after_d_steps_and_others_are_not() {
        let mut stream = Streams::new(3).stream("exact").unwrap();
        let x = fraction_matrix(&mut stream, DIM, DIM + 2);
        let f = Quadratic::of_prompt(&x, &fraction_vector(&mut stream, DIM + 2)).unwrap();
        let start = fraction_vector(&mut stream, DIM);
        let solution = f.minimiser().unwrap();
        let small = Fraction::one().over(&Fraction::whole(50)).unwrap();
        let a = identity::<Fraction>(DIM).mapv(|v| v.times(&Fraction::whole(2)));
        let memory = SingleMemory::momentum(small.clone(), small.clone(), DIM).unwrap();
        let replayed = conjugate_gradient(&f, &start, DIM).unwrap().coefficients;
        let (rate, beta) = (small.clone(), small);
        let methods: [(&dyn FirstOrderMethod<Fraction>, bool); 7] = [
            (&ConjugateGradient, true),
            (&PreconditionedConjugateGradient(&a), true),
            (&replayed, true),
            (&replayed.unrolled().unwrap(), true),
            (&SteepestDescent, false),
            (&memory, false),
            (&Nesterov { rate, beta }, false),
        ];
        for (method, exact) in methods {
            let run = method.run_steps(&f, &start, DIM).unwrap();
            assert_eq!(run.iterates[DIM] == solution, exact, "{}", method.name());
        }
    }
}
