//! What several checks say in the same words.

use ndarray::{Array2, s};
use workbench_ledger::Margin;

/// Rounding in a few hundred operations on numbers of order one, with two digits to spare.
pub const ROUNDING: Margin = Margin::new(
    "rounding",
    1e-12,
    "sums of some hundred products of numbers of order one, in double precision, with two digits to spare",
);

/// Equal in exact arithmetic: no entry may differ.
pub const EXACT: Margin = Margin::new("exact", 0.0, "fractions, so equal means equal");

/// The reader's number, or where she gave none (0) the one of the scale.
pub fn by_scale(given: usize, of_scale: usize) -> usize {
    match given {
        0 => of_scale,
        given => given,
    }
}

/// The largest entry in absolute value.
pub fn largest(a: &Array2<f64>) -> f64 {
    a.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// The largest difference of two arrays of one shape.
pub fn apart(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    largest(&(a - b))
}

/// Row `t` as a batch of one.
pub fn row<T: Clone>(a: &Array2<T>, t: usize) -> Array2<T> {
    a.slice(s![t..=t, ..]).to_owned()
}

/// The largest of what an experiment gave over its cases.
#[derive(Clone, Copy, Debug)]
pub struct Largest(pub f64);

impl Default for Largest {
    fn default() -> Largest {
        Largest(0.0)
    }
}

impl Largest {
    /// Takes one more.
    pub fn see(&mut self, value: f64) {
        self.0 = self.0.max(value);
    }
}

/// The least of what an experiment gave over its cases.
#[derive(Clone, Copy, Debug)]
pub struct Least(pub f64);

impl Default for Least {
    fn default() -> Least {
        Least(f64::INFINITY)
    }
}

impl Least {
    /// Takes one more.
    pub fn see(&mut self, value: f64) {
        self.0 = self.0.min(value);
    }
}
