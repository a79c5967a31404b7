//! Refusals that the rooms share: each is one line where it is needed, and its [`Error`] names the operation and the value.

use ndarray::Array2;

use crate::Error;
use crate::error::Extent;

/// Refuses a count of zero.
///
/// **Errors**: [`Error::Zero`].
pub fn positive(op: &'static str, name: &'static str, count: impl TryInto<u128>) -> Result<(), Error> {
    match count.try_into() {
        Ok(1..) => Ok(()),
        _ => Err(Error::zero(op, name)),
    }
}

/// Refuses a number for which `inside` is false, or that is not finite. `inside` is false for NaN as long as it is written as a
/// comparison that must hold.
///
/// **Errors**: [`Error::Parameter`].
pub fn within(
    op: &'static str,
    name: &'static str,
    value: f64,
    inside: bool,
    allowed: &'static str,
) -> Result<(), Error> {
    if inside && value.is_finite() {
        return Ok(());
    }
    Err(Error::parameter(op, name, value, allowed))
}

/// Refuses what is not a positive finite number, and gives it back.
///
/// **Errors**: [`Error::Parameter`].
pub fn above_zero(op: &'static str, name: &'static str, value: f64) -> Result<f64, Error> {
    within(op, name, value, value > 0.0, "a finite number above 0").map(|()| value)
}

/// Refuses what is not in [0, infinity), and gives it back.
///
/// **Errors**: [`Error::Parameter`].
pub fn not_negative(op: &'static str, name: &'static str, value: f64) -> Result<f64, Error> {
    within(op, name, value, value >= 0.0, "a finite number, 0 or above").map(|()| value)
}

/// Refuses what is not in [0, 1), and gives it back.
///
/// **Errors**: [`Error::Parameter`].
pub fn fraction(op: &'static str, name: &'static str, value: f64) -> Result<f64, Error> {
    within(op, name, value, (0.0..1.0).contains(&value), "a number in [0, 1)").map(|()| value)
}

/// Refuses a confidence outside (0, 1).
///
/// **Errors**: [`Error::Parameter`].
pub fn confidence(op: &'static str, value: f64) -> Result<(), Error> {
    let allowed = "a number inside (0, 1); the house default is 0.999";
    within(op, "confidence", value, value > 0.0 && value < 1.0, allowed)
}

/// Refuses entries that are not finite.
///
/// **Errors**: [`Error::NotFinite`], with the position among the values.
pub fn finite<'a>(
    op: &'static str,
    name: &'static str,
    values: impl IntoIterator<Item = &'a f64>,
) -> Result<(), Error> {
    match values.into_iter().enumerate().find(|(_, v)| !v.is_finite()) {
        None => Ok(()),
        Some((index, &value)) => Err(Error::not_finite(op, name, &[index], value)),
    }
}

/// Refuses a matrix with entries that are not finite.
///
/// **Errors**: [`Error::NotFinite`], with row and column.
pub fn finite_matrix(op: &'static str, name: &'static str, matrix: &Array2<f64>) -> Result<(), Error> {
    match matrix.indexed_iter().find(|(_, v)| !v.is_finite()) {
        None => Ok(()),
        Some(((row, column), &value)) => Err(Error::not_finite(op, name, &[row, column], value)),
    }
}

/// Refuses entries for which `inside` is false.
///
/// **Errors**: [`Error::Entry`], with the position among the values.
pub fn entries<'a>(
    op: &'static str,
    name: &'static str,
    values: impl IntoIterator<Item = &'a f64>,
    inside: impl Fn(f64) -> bool,
    allowed: &'static str,
) -> Result<(), Error> {
    match values.into_iter().enumerate().find(|(_, v)| !inside(**v)) {
        None => Ok(()),
        Some((index, &value)) => Err(Error::entry(op, name, index, value, allowed)),
    }
}

/// Refuses data with a NaN or an infinity, and data with fewer than `needed` values.
///
/// **Errors**: [`Error::Empty`], [`Error::TooFew`], [`Error::NotFinite`].
pub fn data(op: &'static str, name: &'static str, values: &[f64], needed: usize) -> Result<(), Error> {
    if values.is_empty() {
        return Err(Error::empty(op, name, "pass at least one value"));
    }
    if values.len() < needed {
        return Err(Error::too_few(op, format!("values of {name}"), values.len(), needed, MORE_DATA));
    }
    finite(op, name, values)
}

/// What to try when an interval needs more values.
pub(crate) const MORE_DATA: &str = "add data or lower the confidence with the `_at` variant";

/// Refuses two sizes, or two shapes, that differ.
///
/// **Errors**: [`Error::Shape`].
pub fn same<E: Extent>(op: &'static str, left: (&'static str, E), right: (&'static str, E)) -> Result<(), Error> {
    if left.1 == right.1 {
        return Ok(());
    }
    Err(Error::shape(op, left, right, "give both the same size"))
}

/// Refuses an array whose shape is not the one needed.
///
/// **Errors**: [`Error::Shape`].
pub fn same_shape(op: &'static str, name: &'static str, got: &[usize], needed: &[usize]) -> Result<(), Error> {
    if got == needed {
        return Ok(());
    }
    let next = "build it for the same sizes as the rest";
    Err(Error::shape(op, (name, got), ("the shape needed", needed), next))
}

/// Refuses a position beyond the last.
///
/// **Errors**: [`Error::NoSuch`].
pub fn position(op: &'static str, what: &'static str, index: usize, len: usize) -> Result<(), Error> {
    if index < len {
        return Ok(());
    }
    Err(Error::no_such(op, what, index, len))
}

/// Refuses positions of which one lies beyond the last.
///
/// **Errors**: [`Error::NoSuch`].
pub fn positions(op: &'static str, what: &'static str, indices: &[usize], len: usize) -> Result<(), Error> {
    indices.iter().try_for_each(|&index| position(op, what, index, len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn counts_and_numbers() {
        assert!(positive("op", "n", 1u64).is_ok() && positive("op", "n", 3usize).is_ok());
        assert!(matches!(positive("op", "n", 0u32), Err(Error::Zero { op: "op", name: "n" })));
        assert!(positive("op", "n", -1i32).is_err());
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(above_zero("op", "x", bad), Err(Error::Parameter { name: "x", .. })), "{bad}");
        }
        assert_eq!(above_zero("op", "x", 2.0).unwrap(), 2.0);
        assert!(not_negative("op", "x", 0.0).is_ok() && not_negative("op", "x", -1e-300).is_err());
        assert!(fraction("op", "x", 0.0).is_ok() && fraction("op", "x", 1.0).is_err());
        for bad in [0.0, 1.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
            let error = confidence("op", bad).unwrap_err().to_string();
            assert!(error.contains("op") && error.contains(&bad.to_string()) && error.contains("0.999"), "{error}");
        }
        assert!(confidence("op", 0.999).is_ok());
        assert!(within("op", "x", 1.0, true, "any").is_ok() && within("op", "x", f64::INFINITY, true, "any").is_err());
    }

    #[test]
    fn data_and_entries() {
        assert!(matches!(data("op", "x", &[], 1), Err(Error::Empty { op: "op", .. })));
        assert!(matches!(data("op", "x", &[1.0], 2), Err(Error::TooFew { op: "op", found: 1, needed: 2, .. })));
        assert!(matches!(data("op", "x", &[1.0, f64::NAN], 1), Err(Error::NotFinite { at, .. }) if at == [1]));
        let matrix = array![[1.0, 2.0], [f64::INFINITY, 3.0]];
        assert!(matches!(finite_matrix("op", "W", &matrix), Err(Error::NotFinite { at, .. }) if at == [1, 0]));
        assert!(matches!(finite("op", "W", &matrix), Err(Error::NotFinite { at, .. }) if at == [2]));
        let refused = entries("op", "x", &[1.0, 0.0], |x| x > 0.0, "positive numbers");
        assert!(matches!(refused, Err(Error::Entry { at, value: 0.0, .. }) if at == [1]));
        assert!(finite("op", "x", &[1.0]).is_ok() && entries("op", "x", &[1.0], |x| x > 0.0, "").is_ok());
    }

    #[test]
    fn sizes_and_positions() {
        assert!(same("op", ("a", 1), ("b", 1)).is_ok() && same("op", ("a", (1, 2)), ("b", (2, 1))).is_err());
        let refused = same("op", ("a", 1), ("b", 2));
        assert!(matches!(refused, Err(Error::Shape { left, right, .. }) if left == [1] && right == [2]));
        assert!(same_shape("op", "a", &[1, 2], &[1, 2]).is_ok() && same_shape("op", "a", &[1], &[1, 1]).is_err());
        assert!(position("op", "class", 2, 3).is_ok());
        let refused = positions("op", "class", &[0, 5, 9], 3);
        assert!(matches!(refused, Err(Error::NoSuch { index: 5, len: 3, .. })));
    }
}
