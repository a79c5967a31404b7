//! A float that counts what is done with it.

use std::cell::Cell;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Arithmetic operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Sums and differences.
    pub additions: u64,
    /// Products.
    pub multiplications: u64,
    /// Quotients.
    pub divisions: u64,
    /// Square roots and exponentials.
    pub functions: u64,
}

impl Operations {
    /// All of them.
    pub fn total(self) -> u64 {
        self.additions + self.multiplications + self.divisions + self.functions
    }
}

thread_local! {
    static DONE: Cell<Operations> = const {
        Cell::new(Operations { additions: 0, multiplications: 0, divisions: 0, functions: 0 })
    };
}

/// A float whose operations are counted on the thread that does them.
///
/// Whatever is written for any number can be counted: the forward pass, conjugate gradients, momentum. Zero operands count like any
/// others, as they do on a processor; signs, copies and comparisons are free.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Counted(pub f64);

/// What `work` returns, and the operations on [`Counted`] numbers that it took on this thread.
///
/// ```
/// use workbench_ground::counted::{Counted, count_operations};
/// let v = [Counted(2.0); 5];
/// let (sum, done) = count_operations(|| v.iter().fold(Counted(0.0), |sum, x| sum + *x * *x));
/// assert_eq!((sum.0, done.multiplications, done.additions), (20.0, 5, 5));
/// ```
pub fn count_operations<R>(work: impl FnOnce() -> R) -> (R, Operations) {
    let before = DONE.get();
    let result = work();
    let after = DONE.get();
    let done = Operations {
        additions: after.additions - before.additions,
        multiplications: after.multiplications - before.multiplications,
        divisions: after.divisions - before.divisions,
        functions: after.functions - before.functions,
    };
    (result, done)
}

fn count(change: impl FnOnce(&mut Operations)) {
    let mut done = DONE.get();
    change(&mut done);
    DONE.set(done);
}

macro_rules! operators {
    ($($operator:ident $method:ident $kind:ident),*) => {$(
        impl $operator for Counted {
            type Output = Counted;
            fn $method(self, other: Counted) -> Counted {
                count(|done| done.$kind += 1);
                Counted(self.0.$method(other.0))
            }
        }
    )*};
}
operators!(Add add additions, Sub sub additions, Mul mul multiplications, Div div divisions);

impl Neg for Counted {
    type Output = Counted;
    fn neg(self) -> Counted {
        Counted(-self.0)
    }
}

impl Counted {
    /// The square root.
    pub fn sqrt(self) -> Counted {
        count(|done| done.functions += 1);
        Counted(self.0.sqrt())
    }

    /// The exponential.
    pub fn exp(self) -> Counted {
        count(|done| done.functions += 1);
        Counted(self.0.exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_counted_by_kind_and_in_nested_counts() {
        let two = Counted(2.0);
        let (value, done) = count_operations(|| -((two + two - Counted(1.0)) * two / Counted(3.0)).sqrt().exp());
        assert_eq!(value.0, -2f64.sqrt().exp());
        let expected = Operations { additions: 2, multiplications: 1, divisions: 1, functions: 2 };
        assert_eq!((done, done.total()), (expected, 6));
        let ((), outer) = count_operations(|| {
            let (_, inner) = count_operations(|| two / Counted(0.0));
            assert_eq!(inner.total(), 1);
        });
        assert_eq!(outer.divisions, 1);
    }
}
