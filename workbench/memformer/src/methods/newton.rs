//! Newton's method, its truncated Neumann series, and GD++ as the architecture computes it.

use ndarray::{Array1, Array2};

use super::lfom::Trajectory;
use super::quadratic::Quadratic;
use crate::Error;
use crate::arithmetic::algebra::{apply, identity, scaled, solve, step, step_matrix, times};
use crate::arithmetic::number::Number;
use workbench_ground::check::{positive, same_shape};
use workbench_ground::work;

/// One step of Newton's method, $w-H^{-1}\nabla f(w)$: the minimiser of a quadratic, from anywhere.
///
/// **Source**: textbook; Section 6, Limitations, which names the method.
/// **Errors**: a point of another dimension, a singular Hessian. Cost d^3 / 3.
///
/// ```
/// use workbench_memformer::{Quadratic, newton_step};
/// use ndarray::array;
/// let f = Quadratic::around(array![[2.0, 1.0], [1.0, 3.0]], &array![1.0, -2.0])?;
/// assert!((newton_step(&f, &array![7.0, 7.0])? - array![1.0, -2.0]).iter().all(|e| e.abs() < 1e-13));
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn newton_step<T: Number>(f: &Quadratic<T>, w: &Array1<T>) -> Result<Array1<T>, Error> {
    same_shape("newton_step", "w", w.shape(), &[f.dim()])?;
    let direction = solve(&f.hessian, &f.gradient(w))?;
    Ok(step(w, &T::whole(-1), &direction))
}

/// The truncated Neumann series of the inverse.
///
/// $$ N_m=c\sum_{j<m}(I-cH)^j,\qquad I-N_mH=(I-cH)^m $$
///
/// It converges to $H^{-1}$ if all eigenvalues of $cH$ lie in $(0,2)$.
///
/// **Source**: Section 3.3, which calls GD++ a truncated Neumann series. **Shapes**: H and result (d, d). **Errors**: no term, a
/// matrix that is not square. Cost m d^3.
///
/// ```
/// use workbench_memformer::neumann_inverse;
/// use ndarray::array;
/// let inverse = neumann_inverse(&array![[2.0]], &0.25, 30)?;
/// assert!((inverse[[0, 0]] - 0.5).abs() < 1e-9); // the error is (1 - 0.25 * 2)^30 / 2
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn neumann_inverse<T: Number>(h: &Array2<T>, c: &T, terms: usize) -> Result<Array2<T>, Error> {
    const OP: &str = "neumann_inverse";
    let d = h.nrows();
    positive(OP, "the number of terms", terms)?;
    same_shape(OP, "H", h.shape(), &[d, d])?;
    let unit = identity::<T>(d);
    let left = step_matrix(&unit, &c.negated(), h);
    // Horner: N_{m+1} = c I + (I - c H) N_m.
    let first = scaled(c, &unit);
    Ok((1..terms).fold(first.clone(), |sum, _| step_matrix(&first, &T::one(), &times(&left, &sum))))
}

/// Preconditioned gradient descent, $w_{\ell+1}=w_\ell-A_\ell\nabla f(w_\ell)$.
///
/// **Source**: Eq. 2.10. The architecture of Eq. 2.8 runs it with $A_\ell^\top$ in the place of $A_\ell$.
///
/// **Shapes**: each A (d, d). **Errors**: no matrix, shapes, a stop request.
pub fn preconditioned_descent<T: Number>(
    f: &Quadratic<T>,
    start: &Array1<T>,
    preconditioners: &[Array2<T>],
) -> Result<Trajectory<T>, Error> {
    const OP: &str = "preconditioned_descent";
    positive(OP, "the number of preconditioners (L)", preconditioners.len())?;
    let d = f.dim();
    same_shape(OP, "the start", start.shape(), &[d])?;
    let mut run = Trajectory { iterates: vec![start.clone()], gradients: Vec::new() };
    for (l, a) in preconditioners.iter().enumerate() {
        work::check(OP, l, preconditioners.len())?;
        same_shape(OP, "a preconditioner", a.shape(), &[d, d])?;
        let gradient = f.gradient(&run.iterates[l]);
        run.iterates.push(step(&run.iterates[l], &T::whole(-1), &apply(a, &gradient)));
        run.gradients.push(gradient);
    }
    Ok(run)
}

/// GD++ as the layers with $B_\ell\ne0$ compute it: the covariates change too, $X_{\ell+1}=(I-B_\ell H_\ell A_\ell)X_\ell$.
///
/// $$ w_{\ell+1}=w_\ell-G_\ell^\top A_\ell^\top G_\ell\,\nabla f(w_\ell),
/// \qquad G_{\ell+1}=(I-B_\ell H_\ell A_\ell)\,G_\ell,\quad G_0=I,\quad
/// H_\ell=G_\ell HG_\ell^\top $$
///
/// For $A=aI$ and $B=bI$ every $G_\ell$ is a polynomial in H: a preconditioner computed from the prompt by shared numbers.
///
/// The layers themselves start at the origin; from elsewhere this is the same method on the function moved there.
///
/// **Source**: Eq. 2.8 with $B_\ell\ne0$ (Section 3.3). **Shapes**: `start` (d); `layers` holds $(A_\ell,B_\ell)$, both (d, d). **Errors**: as
/// [`preconditioned_descent`]. Cost L d^3.
#[doc(alias = "GD++")]
pub fn gd_plus_plus<T: Number>(
    f: &Quadratic<T>,
    start: &Array1<T>,
    layers: &[(Array2<T>, Array2<T>)],
) -> Result<Trajectory<T>, Error> {
    const OP: &str = "gd_plus_plus";
    let d = f.dim();
    same_shape(OP, "the start", start.shape(), &[d])?;
    let mut map = identity::<T>(d);
    let mut preconditioners = Vec::with_capacity(layers.len());
    for (l, (a, b)) in layers.iter().enumerate() {
        work::check(OP, l, layers.len())?;
        for matrix in [a, b] {
            same_shape(OP, "A or B", matrix.shape(), &[d, d])?;
        }
        let transposed = map.t().to_owned();
        preconditioners.push(times(&times(&transposed, &a.t().to_owned()), &map));
        let gram = times(&times(&map, &f.hessian), &transposed);
        let change = times(&times(b, &gram), a);
        map = step_matrix(&map, &T::whole(-1), &times(&change, &map));
    }
    preconditioned_descent(f, start, &preconditioners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Head;
    use crate::arithmetic::algebra::inner;
    use crate::arithmetic::number::{Fraction, fraction_matrix, fraction_vector};
    use crate::constructions::instance::Instance;
    use crate::constructions::literal::{Mask, literal_forward};
    use crate::methods::single_memory::SingleMemory;
    use workbench_ground::stats::Streams;

    fn problem() -> Quadratic<Fraction> {
        let mut stream = Streams::new(9).stream("newton").unwrap();
        let x = fraction_matrix(&mut stream, 3, 5);
        Quadratic::of_prompt(&x, &fraction_vector(&mut stream, 5)).unwrap()
    }

    fn part(numerator: i64, denominator: i64) -> Fraction {
        Fraction::new(numerator, denominator)
    }

    #[test]
    fn newton_needs_one_step() {
        let f = problem();
        let start = f.origin().mapv(|_| part(7, 2));
        assert_eq!(newton_step(&f, &start).unwrap(), f.minimiser().unwrap());
    }

    #[test]
    fn neumann_residual_is_a_power() {
        let f = problem();
        let c = part(1, 50);
        let left = step_matrix(&identity(3), &c.negated(), &f.hessian);
        let mut power = identity::<Fraction>(3);
        for terms in 1..5 {
            power = times(&power, &left);
            let inverse = neumann_inverse(&f.hessian, &c, terms).unwrap();
            assert_eq!(step_matrix(&identity(3), &part(-1, 1), &times(&inverse, &f.hessian)), power);
            // One Neumann step of m terms is m steps of gradient descent.
            let one =
                preconditioned_descent(&f, &f.origin(), &[neumann_inverse(&f.hessian, &c, terms).unwrap()]).unwrap();
            let many = SingleMemory::gradient_descent(c.clone(), terms).unwrap().run(&f, &f.origin()).unwrap();
            assert_eq!(one.iterates[1], many.iterates[terms]);
        }
        assert!(neumann_inverse(&f.hessian, &c, 0).is_err());
    }

    #[test]
    fn gd_plus_plus_is_the_forward_pass_with_b() {
        let mut stream = Streams::new(9).stream("forward").unwrap();
        let prompt = Instance::draw(&mut stream, 2, 3).unwrap();
        let blocks: Vec<_> =
            (0..3).map(|_| (fraction_matrix(&mut stream, 2, 2), fraction_matrix(&mut stream, 2, 2))).collect();
        let layers: Vec<_> = blocks.iter().map(|(a, b)| Head::with_block(a, b).unwrap()).collect();
        let states = literal_forward(&layers, &prompt.tokens, Mask::Printed).unwrap();
        let f = prompt.quadratic();
        let run = gd_plus_plus(&f, &f.origin(), &blocks).unwrap();
        for (z, w) in states.iter().zip(&run.iterates) {
            assert_eq!(z[[2, 3]], inner(&prompt.query(), w).negated());
        }
        assert!(states[1].row(0) != prompt.tokens.row(0), "the covariates change");
    }

    #[test]
    fn gd_plus_plus_without_b_is_preconditioned_descent() {
        let f = problem();
        let mut stream = Streams::new(9).stream("matrices").unwrap();
        let a: Vec<_> = (0..3).map(|_| fraction_matrix(&mut stream, 3, 3)).collect();
        let zero = Array2::from_elem((3, 3), Fraction::zero());
        let layers: Vec<_> = a.iter().map(|a| (a.clone(), zero.clone())).collect();
        let transposed: Vec<_> = a.iter().map(|a| a.t().to_owned()).collect();
        let plain = preconditioned_descent(&f, &f.origin(), &transposed).unwrap();
        assert_eq!(gd_plus_plus(&f, &f.origin(), &layers).unwrap(), plain);
        // From elsewhere: the run on the function moved there.
        let start = fraction_vector(&mut stream, 3);
        let moved = Quadratic {
            hessian: f.hessian.clone(),
            linear: f.gradient(&start).mapv(|g| g.negated()),
            constant: f.value(&start),
        };
        let layers: Vec<_> = a.iter().map(|a| (a.clone(), a.clone())).collect();
        let (there, here) = (gd_plus_plus(&f, &start, &layers), gd_plus_plus(&moved, &moved.origin(), &layers));
        for (there, here) in there.unwrap().iterates.iter().zip(here.unwrap().iterates) {
            assert_eq!(*there, step(&start, &Fraction::one(), &here));
        }
        assert!(gd_plus_plus(&f, &f.origin(), &[]).is_err());
        assert!(preconditioned_descent(&f, &f.origin(), &[identity(2)]).is_err());
    }
}
