//! Split of examples into training and validation.

use workbench_ground::check;
use workbench_ground::stats::Streams;

use crate::Error;
use crate::task::Split;

/// Share of the examples that is kept for validation.
const VALIDATION: f64 = 0.2;

/// Which examples are for training and which for validation, each in increasing order; together they are all examples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    training: Vec<usize>,
    validation: Vec<usize>,
}

impl Parts {
    /// The examples of one part.
    pub fn of(&self, split: Split) -> &[usize] {
        match split {
            Split::Training => &self.training,
            Split::Validation => &self.validation,
        }
    }
}

/// A fifth of `count` examples is for validation (rounded down, at least one). Which ones depends on nothing but the `name` and
/// `count`: they are the first ones of a permutation from the stream `"parts of NAME"` of seed 0. No seed of a run moves an example
/// from one part to the other.
///
/// ```
/// use workbench_optimizer::data::parts;
/// use workbench_optimizer::task::Split;
/// let parts = parts("mnist", 10_000)?;
/// assert_eq!((parts.of(Split::Training).len(), parts.of(Split::Validation).len()), (8_000, 2_000));
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
///
/// **Errors**: fewer than two examples.
pub fn parts(name: &str, count: usize) -> Result<Parts, Error> {
    const OP: &str = "parts";
    check::within(OP, "number of examples", count as f64, count >= 2, "at least 2")?;
    let order = Streams::new(0).restart(&format!("parts of {name}"))?.permutation(count);
    let (validation, training) = order.split_at(((VALIDATION * count as f64) as usize).max(1));
    let sorted = |part: &[usize]| {
        let mut part = part.to_vec();
        part.sort_unstable();
        part
    };
    Ok(Parts { training: sorted(training), validation: sorted(validation) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_nothing_and_leave_nothing_out() {
        for count in [2, 3, 10, 101] {
            let parts = parts("x", count).unwrap();
            let mut all = [parts.of(Split::Training), parts.of(Split::Validation)].concat();
            assert!(!parts.of(Split::Training).is_empty() && !parts.of(Split::Validation).is_empty());
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
        assert_ne!(parts("x", 100).unwrap(), parts("y", 100).unwrap());
        assert_eq!(parts("x", 100).unwrap(), parts("x", 100).unwrap());
        assert!(parts("x", 1).is_err());
    }
}
