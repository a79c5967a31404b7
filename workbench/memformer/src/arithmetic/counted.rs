//! A number that counts what is done with it.

use std::cell::Cell;

use super::number::Number;

/// Arithmetic operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Sums and differences.
    pub additions: u64,
    /// Products.
    pub multiplications: u64,
    /// Quotients.
    pub divisions: u64,
}

impl Operations {
    /// All of them.
    pub fn total(self) -> u64 {
        self.additions + self.multiplications + self.divisions
    }
}

thread_local! {
    static DONE: Cell<Operations> = const { Cell::new(Operations { additions: 0, multiplications: 0, divisions: 0 }) };
}

/// A float whose operations are counted on the thread that does them.
///
/// Whatever is written for any [`Number`] can be counted: the forward pass, conjugate gradients, momentum. Zero operands count like any
/// others, as they do on a processor; signs, copies and comparisons are free.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Counted(pub f64);

/// What `work` returns, and the operations on [`Counted`] numbers that it took on this thread.
///
/// ```
/// use workbench::memformer::{Counted, count_operations, inner_product};
/// let v = ndarray::Array1::from_elem(5, Counted(2.0));
/// let (sum, done) = count_operations(|| inner_product(&v, &v));
/// assert_eq!((sum?.0, done.multiplications, done.additions), (20.0, 5, 5));
/// # Ok::<(), workbench::memformer::Error>(())
/// ```
pub fn count_operations<R>(work: impl FnOnce() -> R) -> (R, Operations) {
    let before = DONE.get();
    let result = work();
    let after = DONE.get();
    let done = Operations {
        additions: after.additions - before.additions,
        multiplications: after.multiplications - before.multiplications,
        divisions: after.divisions - before.divisions,
    };
    (result, done)
}

fn add(change: impl FnOnce(&mut Operations)) {
    let mut done = DONE.get();
    change(&mut done);
    DONE.set(done);
}

impl Number for Counted {
    fn whole(value: i64) -> Counted {
        Counted(value as f64)
    }
    fn plus(&self, other: &Counted) -> Counted {
        add(|done| done.additions += 1);
        Counted(self.0 + other.0)
    }
    fn minus(&self, other: &Counted) -> Counted {
        add(|done| done.additions += 1);
        Counted(self.0 - other.0)
    }
    fn times(&self, other: &Counted) -> Counted {
        add(|done| done.multiplications += 1);
        Counted(self.0 * other.0)
    }
    fn over(&self, other: &Counted) -> Option<Counted> {
        add(|done| done.divisions += 1);
        self.0.over(&other.0).map(Counted)
    }
    fn magnitude(&self) -> f64 {
        self.0.abs()
    }
    fn vanishes_beside(&self, scale: &Counted) -> bool {
        self.0.vanishes_beside(&scale.0)
    }
    fn negated(&self) -> Counted {
        Counted(-self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Quadratic, SingleMemory, conjugate_gradient, product};
    use ndarray::{Array1, Array2};
    use workbench_ground::stats::Streams;

    #[test]
    fn products_of_matrices() {
        let ones = |rows, columns| Array2::from_elem((rows, columns), Counted(1.0));
        let (result, done) = count_operations(|| product(&ones(2, 3), &ones(3, 4)));
        assert!(result.unwrap().iter().all(|v| v.0 == 3.0));
        assert_eq!((done.additions, done.multiplications, done.divisions), (24, 24, 0));
        assert_eq!(done.total(), 48);
        let ((), nested) = count_operations(|| {
            let (_, inner) = count_operations(|| Counted(1.0).over(&Counted(0.0)));
            assert_eq!(inner.total(), 1);
        });
        assert_eq!(nested.divisions, 1);
    }

    #[test]
    fn values_are_those_of_floats() {
        let mut stream = Streams::new(1).stream("counted").unwrap();
        let x = workbench_ground::stats::normal_array2(&mut stream, 3, 6);
        let y = Array1::from_shape_fn(6, |i| i as f64);
        let f = Quadratic::of_prompt(&x, &y).unwrap();
        let g = Quadratic::of_prompt(&x.mapv(Counted), &y.mapv(Counted)).unwrap();
        let own = conjugate_gradient(&f, &f.origin(), 3).unwrap();
        let (counted, done) = count_operations(|| conjugate_gradient(&g, &g.origin(), 3).unwrap());
        for (a, b) in own.iterates.iter().zip(&counted.iterates) {
            assert!(a.iter().zip(b).all(|(a, b)| *a == b.0));
        }
        // A step of gradient descent: H w - b, and w - eta g.
        let descent = SingleMemory::gradient_descent(Counted(0.1), 1).unwrap();
        let (_, step) = count_operations(|| descent.run(&g, &g.origin()).unwrap());
        assert!(
            done.total() > 3 * 18 && step.multiplications >= 9 + 3,
            "{done:?} {step:?}"
        );
    }
}
