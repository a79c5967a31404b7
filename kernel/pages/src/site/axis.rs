//! The axis of a small picture: where a number stands on a line of a given width, whatever sizes the numbers have.

/// How numbers lie on the line.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// In proportion.
    Plain { low: f64, high: f64 },
    /// By powers of ten; zero stands at the left end.
    Powers { low: f64, high: f64 },
    /// In proportion near a middle, by powers far from it.
    Folded { middle: f64, unit: f64, low: f64, high: f64 },
}

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    form: Form,
    left: f64,
    right: f64,
}

/// Ratio of the largest to the smallest number from which on powers are shown.
const WIDE: f64 = 100.0;

impl Axis {
    /// An axis between two places that shows all these numbers, of which at least one is finite. `unit` is the size of a step that
    /// should be seen, for numbers of both signs: half the width of what is allowed.
    pub fn new(numbers: &[f64], middle: f64, unit: f64, left: f64, right: f64) -> Axis {
        let finite: Vec<f64> = numbers.iter().copied().filter(|x| x.is_finite()).collect();
        let low = finite.iter().copied().fold(f64::INFINITY, f64::min);
        let high = finite.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = finite.iter().copied().filter(|x| *x > 0.0).fold(f64::INFINITY, f64::min);
        let form = if finite.is_empty() {
            Form::Plain { low: 0.0, high: 1.0 }
        } else if low >= 0.0 && high > WIDE * least {
            Form::Powers { low: least.log10(), high: high.log10() }
        } else if unit > 0.0 && (high - low) > WIDE * unit {
            let fold = |x: f64| ((x - middle) / unit).asinh();
            Form::Folded { middle, unit, low: fold(low), high: fold(high) }
        } else if high > low {
            Form::Plain { low, high }
        } else {
            let room = if low == 0.0 { 1.0 } else { low.abs() * 0.5 };
            Form::Plain { low: low - room, high: high + room }
        };
        Axis { form, left, right }
    }

    /// Where a number stands; at an end if it lies beyond it.
    pub fn at(&self, x: f64) -> f64 {
        let (value, low, high, margin) = match self.form {
            Form::Plain { low, high } => (x, low, high, 0.08),
            Form::Powers { low, high } if x <= 0.0 => (f64::NEG_INFINITY, low, high, 0.12),
            Form::Powers { low, high } => (x.log10(), low, high, 0.12),
            Form::Folded { middle, unit, low, high } => (((x - middle) / unit).asinh(), low, high, 0.08),
        };
        let width = self.right - self.left;
        let inner = width * (1.0 - 2.0 * margin);
        let place = self.left + width * margin + inner * (value - low) / (high - low).max(f64::MIN_POSITIVE);
        place.clamp(self.left + 4.0, self.right - 4.0)
    }

    /// In words, where the line is not in proportion.
    pub fn words(&self) -> &'static str {
        match self.form {
            Form::Plain { .. } => "",
            Form::Powers { .. } => "by powers of ten",
            Form::Folded { .. } => "by powers away from the middle",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_order_whatever_their_sizes() {
        for (numbers, words) in [
            (vec![0.99, 1.0, 1.01], ""),
            (vec![0.0, 1e-30, 1e-12, 5.0], "by powers of ten"),
            (vec![-24.7, -0.501, -0.499, 3.0], "by powers away from the middle"),
            (vec![2.0], ""),
            (vec![0.0, 0.0], ""),
        ] {
            let axis = Axis::new(&numbers, -0.5, 0.001, 0.0, 300.0);
            let places: Vec<f64> = numbers.iter().map(|x| axis.at(*x)).collect();
            assert!(places.is_sorted(), "{numbers:?} at {places:?}");
            assert!(places.iter().all(|x| (4.0..=296.0).contains(x)), "{places:?}");
            assert_eq!(axis.words(), words, "{numbers:?}");
        }
    }

    #[test]
    fn what_lies_beyond_or_is_no_number_stands_at_an_end() {
        let axis = Axis::new(&[1.0, 2.0, f64::INFINITY], 1.5, 0.5, 0.0, 100.0);
        assert_eq!((axis.at(-1e9), axis.at(1e9)), (4.0, 96.0));
        let none = Axis::new(&[f64::NAN], 0.0, 0.0, 0.0, 100.0);
        assert!(none.at(0.5).is_finite());
    }
}
