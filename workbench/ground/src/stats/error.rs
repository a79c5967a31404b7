//! What can go wrong in the statistics room, each with the next thing to try.

/// Errors of the statistics room.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The user asked to stop.
    #[error(transparent)]
    Stopped(#[from] crate::work::Stopped),
    /// An operation got no data.
    #[error("{op}: no data; pass at least one value")]
    Empty {
        /// The operation.
        op: &'static str,
    },
    /// An operation got fewer points than it needs.
    #[error("{op}: {found} values, needs at least {needed}; add data or lower the confidence with the `_at` variant")]
    TooFew {
        /// The operation.
        op: &'static str,
        /// How many values came.
        found: usize,
        /// How many it needs.
        needed: usize,
    },
    /// Two inputs that belong together differ in length.
    #[error("{op}: {left} values of `{left_name}` against {right} of `{right_name}`; pass one for each")]
    LengthMismatch {
        /// The operation.
        op: &'static str,
        /// Name of the first input.
        left_name: &'static str,
        /// Length of the first input.
        left: usize,
        /// Name of the second input.
        right_name: &'static str,
        /// Length of the second input.
        right: usize,
    },
    /// A value is NaN or infinite.
    #[error("{op}: `{name}` holds {value} at index {index}; find where it came from, or drop it before this step")]
    NotFinite {
        /// The operation.
        op: &'static str,
        /// Name of the input.
        name: &'static str,
        /// Where the value stands.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A value that must be positive (to take its logarithm, or to be a weight) is not.
    #[error(
        "{op}: `{name}` is {value} at index {index} and must be positive; narrow the window, or average more runs so that it is"
    )]
    NotPositive {
        /// The operation.
        op: &'static str,
        /// Name of the input.
        name: &'static str,
        /// Where the value stands.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A confidence level outside (0, 1).
    #[error("{op}: confidence {value} is not inside (0, 1); the house default is 0.999")]
    Confidence {
        /// The operation.
        op: &'static str,
        /// The level that was asked for.
        value: f64,
    },
    /// A parameter outside its range.
    #[error("{op}: {name} = {value} is out of range; choose {allowed}")]
    Parameter {
        /// The operation.
        op: &'static str,
        /// Name of the parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The range, in words.
        allowed: &'static str,
    },
    /// More successes than trials.
    #[error("proportion: {successes} successes in {n} trials; check the order of the arguments (successes, n)")]
    Successes {
        /// Number of successes.
        successes: u64,
        /// Number of trials.
        n: u64,
    },
    /// An interval that does not contain its own value, or is not finite, or has no units behind it.
    #[error("estimate: {value} with interval [{low}, {high}], n = {n}; need finite low <= value <= high and n >= 1")]
    Interval {
        /// Point estimate.
        value: f64,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
        /// Independent units.
        n: u64,
    },
    /// A window whose ends are not positive, finite and in order.
    #[error("{op}: window ({low}, {high}) is not positive, finite and increasing; give it in units of x")]
    BadWindow {
        /// The operation.
        op: &'static str,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// A window that holds too few points for a fit.
    #[error(
        "{op}: window ({low}, {high}) holds {inside} points, needs at least {needed}; widen it or measure at more x"
    )]
    NarrowWindow {
        /// The operation.
        op: &'static str,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
        /// Points inside.
        inside: usize,
        /// Points needed.
        needed: usize,
    },
    /// No window passes the straightness rule.
    #[error(
        "straight_window: no {points} neighbouring points keep their slope within {tolerance}; allow more bend, or measure further out"
    )]
    NoWindow {
        /// Points a window must hold.
        points: usize,
        /// Allowed change of slope across the window.
        tolerance: f64,
    },
    /// All x are equal, so no slope exists.
    #[error("{op}: all x in the window equal {value}; a slope needs at least two different x")]
    OneAbscissa {
        /// The operation.
        op: &'static str,
        /// The only x.
        value: f64,
    },
    /// A random stream was asked for twice under one name.
    #[error(
        "stream \"{name}\" was already taken{holder}: the same draws twice are not independent; choose another name, or write streams.{remedy} to draw the same numbers again on purpose"
    )]
    StreamReused {
        /// Name of the stream, with its index if it has one.
        name: String,
        /// " by cell ..." if a cell took it, else empty.
        holder: String,
        /// The call that restarts it.
        remedy: String,
    },
    /// A stream was asked for under an empty name.
    #[error("a random stream needs a name; write streams.stream(\"what it draws\")")]
    StreamUnnamed,
    /// A statistic gave NaN or infinity on a resample.
    #[error("{op}: the statistic is {value} on {on}; make it defined for every resample of the units")]
    Statistic {
        /// The operation.
        op: &'static str,
        /// Which sample.
        on: String,
        /// What the statistic gave.
        value: f64,
    },
    /// A function to integrate gave NaN or infinity.
    #[error("integrate: f({at}) = {value}; split the range there with integrate_between, or rewrite f in log space")]
    Integrand {
        /// Where.
        at: f64,
        /// What came back.
        value: f64,
    },
    /// Adaptive integration stopped short of its tolerance.
    #[error(
        "integrate: error {error} after {evaluations} evaluations, value so far {value}; loosen the tolerance or pass break points to integrate_between"
    )]
    Unconverged {
        /// Value so far.
        value: f64,
        /// Error estimate so far.
        error: f64,
        /// Evaluations spent.
        evaluations: usize,
    },
}

/// Refuses data with a NaN or an infinity, and data with fewer than `needed` values.
pub(crate) fn check_data(op: &'static str, name: &'static str, data: &[f64], needed: usize) -> Result<(), Error> {
    if data.is_empty() {
        return Err(Error::Empty { op });
    }
    if data.len() < needed {
        return Err(Error::TooFew {
            op,
            found: data.len(),
            needed,
        });
    }
    match data.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(Error::NotFinite {
            op,
            name,
            index,
            value: data[index],
        }),
        None => Ok(()),
    }
}

/// Refuses two inputs of different lengths.
pub(crate) fn check_pair(
    op: &'static str,
    (left_name, left): (&'static str, usize),
    (right_name, right): (&'static str, usize),
) -> Result<(), Error> {
    if left == right {
        Ok(())
    } else {
        Err(Error::LengthMismatch {
            op,
            left_name,
            left,
            right_name,
            right,
        })
    }
}

/// Refuses a confidence outside (0, 1), NaN included.
pub(crate) fn check_confidence(op: &'static str, value: f64) -> Result<(), Error> {
    if value > 0.0 && value < 1.0 {
        Ok(())
    } else {
        Err(Error::Confidence { op, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_operation_value_and_remedy() {
        let text = Error::Confidence { op: "mean", value: 1.5 }.to_string();
        assert!(
            text.contains("mean") && text.contains("1.5") && text.contains("0.999"),
            "{text}"
        );
        let text = Error::StreamReused {
            name: "noise".into(),
            holder: " by cell c1".into(),
            remedy: "restart(\"noise\")".into(),
        }
        .to_string();
        assert!(text.contains("\"noise\" was already taken by cell c1"), "{text}");
        assert!(text.contains("streams.restart(\"noise\")"), "{text}");
    }

    #[test]
    fn checks_refuse_what_they_should() {
        assert_eq!(check_data("op", "x", &[], 1), Err(Error::Empty { op: "op" }));
        assert_eq!(
            check_data("op", "x", &[1.0], 2),
            Err(Error::TooFew {
                op: "op",
                found: 1,
                needed: 2
            })
        );
        assert!(matches!(
            check_data("op", "x", &[1.0, f64::NAN], 1),
            Err(Error::NotFinite { index: 1, .. })
        ));
        assert!(check_pair("op", ("a", 1), ("b", 2)).is_err());
        for bad in [0.0, 1.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(check_confidence("op", bad).is_err(), "{bad}");
        }
        assert!(check_confidence("op", 0.999).is_ok());
    }
}
