//! Exact rational numbers in 128 bits that say so when they overflow.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

use ndarray::Array2;

use super::scalar::Scalar;
use crate::Error;
use workbench_ground::check::same;
use workbench_ground::stats::Stream;

/// An exact fraction, in lowest terms with a positive denominator.
///
/// The project's profile switches overflow checks off, so plain integer fractions would go wrong silently. Here an operation
/// that does not fit, or that divides by zero, gives a value that is *not exact*: it stays so in every later operation and,
/// like NaN, equals nothing, itself included. A check on rationals therefore cannot pass by overflow.
///
/// ```
/// use workbench::gradient_memory::Rational;
/// let third = Rational::new(1, 3);
/// assert_eq!(third + third + third, Rational::new(1, 1));
/// let lost = Rational::new(i128::MAX, 1) * Rational::new(2, 1);
/// assert!(!lost.is_exact() && lost != lost);
/// ```
#[derive(Clone, Copy)]
pub struct Rational {
    top: i128,
    /// Positive, or 0 once exactness is lost.
    bottom: i128,
}

const LOST: Rational = Rational { top: 0, bottom: 0 };

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // Only |i128::MIN| does not fit, and `reduced` refuses it before it comes here.
    a as i128
}

fn reduced(top: Option<i128>, bottom: Option<i128>) -> Rational {
    let (Some(top), Some(bottom)) = (top, bottom) else {
        return LOST;
    };
    if bottom == 0 || top == i128::MIN || bottom == i128::MIN {
        return LOST;
    }
    let common = gcd(top, bottom) * bottom.signum();
    Rational {
        top: top / common,
        bottom: bottom / common,
    }
}

impl Rational {
    /// `top / bottom`; not exact for a zero denominator.
    pub fn new(top: i128, bottom: i128) -> Rational {
        reduced(Some(top), Some(bottom))
    }

    /// False once an operation overflowed or divided by zero.
    pub fn is_exact(self) -> bool {
        self.bottom != 0
    }

    /// The nearest float; NaN if not exact.
    pub fn to_f64(self) -> f64 {
        if self.is_exact() {
            self.top as f64 / self.bottom as f64
        } else {
            f64::NAN
        }
    }
}

impl Add for Rational {
    type Output = Rational;
    fn add(self, b: Rational) -> Rational {
        if !self.is_exact() || !b.is_exact() {
            return LOST;
        }
        // Over the least common multiple, which delays overflow.
        let common = gcd(self.bottom, b.bottom);
        let (mine, theirs) = (b.bottom / common, self.bottom / common);
        let left = self.top.checked_mul(mine);
        let right = b.top.checked_mul(theirs);
        reduced(
            left.zip(right).and_then(|(l, r)| l.checked_add(r)),
            self.bottom.checked_mul(mine),
        )
    }
}

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational {
            top: -self.top,
            bottom: self.bottom,
        }
    }
}

impl Sub for Rational {
    type Output = Rational;
    fn sub(self, b: Rational) -> Rational {
        self + -b
    }
}

impl Mul for Rational {
    type Output = Rational;
    fn mul(self, b: Rational) -> Rational {
        if !self.is_exact() || !b.is_exact() {
            return LOST;
        }
        // Cancelling crosswise first keeps the products small.
        let (first, second) = (
            reduced(Some(self.top), Some(b.bottom)),
            reduced(Some(b.top), Some(self.bottom)),
        );
        reduced(
            first.top.checked_mul(second.top),
            first.bottom.checked_mul(second.bottom),
        )
    }
}

impl Div for Rational {
    type Output = Rational;
    fn div(self, b: Rational) -> Rational {
        if !b.is_exact() {
            return LOST;
        }
        self * reduced(Some(b.bottom), Some(b.top))
    }
}

impl PartialEq for Rational {
    fn eq(&self, b: &Rational) -> bool {
        self.is_exact() && self.top == b.top && self.bottom == b.bottom
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, b: &Rational) -> Option<Ordering> {
        let gap = *self - *b;
        gap.is_exact().then(|| gap.top.cmp(&0))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bottom {
            0 => f.write_str("not exact"),
            1 => write!(f, "{}", self.top),
            bottom => write!(f, "{}/{bottom}", self.top),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Scalar for Rational {
    fn from_f64(x: f64) -> Rational {
        if !x.is_finite() {
            return LOST;
        }
        // A float is an integer over a power of two; doubling is exact.
        let (mut top, mut bottom) = (x, 1i128);
        while top.fract() != 0.0 && bottom < 1 << 100 {
            top *= 2.0;
            bottom *= 2;
        }
        if top.fract() != 0.0 || top.abs() >= 2f64.powi(120) {
            return LOST;
        }
        Rational::new(top as i128, bottom)
    }
    fn exp(self) -> Option<Rational> {
        None
    }
    fn ln(self) -> Option<Rational> {
        None
    }
    fn tanh(self) -> Option<Rational> {
        None
    }
}

/// A matrix of small random fractions: numerators from -9 to 9 over 1, 2 or 3.
///
/// ```
/// use workbench::gradient_memory::rational_matrix;
/// let a = rational_matrix(&mut workbench::stats::Streams::new(1).stream("a")?, 2, 3);
/// assert!(a.iter().all(|x| x.is_exact()));
/// # Ok::<(), workbench::stats::Error>(())
/// ```
pub fn rational_matrix(stream: &mut Stream, rows: usize, cols: usize) -> Array2<Rational> {
    Array2::from_shape_simple_fn((rows, cols), || {
        Rational::new(stream.below(19) as i128 - 9, 1 + stream.below(3) as i128)
    })
}

/// How many entries of two exact matrices differ; 0 means that they are equal, without any tolerance.
///
/// **Errors**: different shapes; [`Error::Refused`] if an entry is not exact.
pub fn entries_that_differ(a: &Array2<Rational>, b: &Array2<Rational>) -> Result<usize, Error> {
    let op = "comparing exact matrices";
    same(op, ("the first matrix", a.dim()), ("the second", b.dim()))?;
    if a.iter().chain(b).any(|x| !x.is_exact()) {
        let next = "use smaller matrices, fewer steps or simpler entries";
        return Err(Error::refused(op, "a rational number outgrew 128 bits", next));
    }
    Ok(a.iter().zip(b).filter(|(x, y)| x != y).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    fn r(top: i128, bottom: i128) -> Rational {
        Rational::new(top, bottom)
    }

    #[test]
    fn arithmetic_by_hand() {
        assert_eq!(r(1, 2) + r(1, 3), r(5, 6));
        assert_eq!(r(1, 2) - r(1, 2), r(0, 7));
        assert_eq!(r(2, -4) * r(-3, 5), r(3, 10));
        assert_eq!(r(2, 3) / r(-4, 9), r(-3, 2));
        assert!(r(1, 3) < r(1, 2) && r(-1, 2) < r(-1, 3));
        assert_eq!(format!("{} {} {}", r(6, 3), r(-1, 2), r(1, 0)), "2 -1/2 not exact");
        assert_eq!(Rational::from_f64(-0.375), r(-3, 8));
        assert_eq!(Rational::from_f64(1e9), r(1_000_000_000, 1));
        assert_eq!(r(-1, 3).abs(), r(1, 3));
    }

    #[test]
    fn lost_exactness_stays_lost_and_equals_nothing() {
        let big = r(i128::MAX, 1);
        let tiny = r(1, i128::MAX);
        for lost in [
            big + big,
            big * r(3, 1),
            tiny * tiny,
            r(1, 0),
            r(1, 2) / r(0, 1),
            r(i128::MIN, 1),
            r(1, i128::MIN),
            Rational::from_f64(f64::NAN),
            Rational::from_f64(1e300),
            Rational::from_f64(1e-200),
        ] {
            assert!(!lost.is_exact() && lost != lost, "{lost}");
            for later in [lost + r(1, 1), lost * r(0, 1), r(1, 1) / lost, -lost, r(1, 1) - lost] {
                assert!(!later.is_exact());
            }
            assert!(lost.partial_cmp(&r(0, 1)).is_none() && lost.to_f64().is_nan());
        }
        assert_eq!(big * tiny, r(1, 1), "crosswise cancelling keeps what fits");
        let a = ndarray::array![[big + big]];
        assert!(
            matches!(entries_that_differ(&a, &a), Err(Error::Refused { problem, .. }) if problem.contains("outgrew 128 bits"))
        );
    }

    #[test]
    fn the_field_axioms_on_random_fractions() {
        let a = rational_matrix(&mut Streams::new(3).stream("axioms").unwrap(), 30, 3);
        for row in a.rows() {
            let (x, y, z) = (row[0], row[1], row[2]);
            assert_eq!(x * (y + z), x * y + x * z);
            assert_eq!((x + y) - y, x);
            assert!(y == r(0, 1) || x / y * y == x);
        }
        let b = a.mapv(|x| x + r(1, 1));
        assert_eq!(entries_that_differ(&a, &b).unwrap(), 90);
        assert_eq!(entries_that_differ(&a, &a).unwrap(), 0);
        assert!(matches!(
            entries_that_differ(&a, &a.t().to_owned()),
            Err(Error::Shape { .. })
        ));
    }
}
