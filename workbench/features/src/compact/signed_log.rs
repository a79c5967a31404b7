//! Numbers kept as a sign and a logarithm.

/// A real number as sign and logarithm of its absolute value, for energies that f64 cannot hold.
///
/// **Units and ranges**: `sign` is +1, -1 or 0; `log_abs` natural, negative infinity for zero.
///
/// ```
/// use workbench_features::compact::SignedLog;
/// let x = SignedLog::new(-3.0, 1000.0); // -3 e^1000
/// assert_eq!(x.sign, -1.0);
/// assert!((x.relative_to(1000.0) + 3.0).abs() < 1e-12); // a logarithm of 1000 has 13 digits after the point
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedLog {
    /// +1, -1, or 0.
    pub sign: f64,
    /// Natural logarithm of the absolute value.
    pub log_abs: f64,
}

impl SignedLog {
    /// $\mathrm{factor}\cdot e^{s}$ with $s$ = `log_scale`.
    pub fn new(factor: f64, log_scale: f64) -> SignedLog {
        if factor == 0.0 {
            return SignedLog { sign: 0.0, log_abs: f64::NEG_INFINITY };
        }
        SignedLog { sign: factor.signum(), log_abs: log_scale + factor.abs().ln() }
    }

    /// The number itself; infinite or zero where f64 ends.
    pub fn value(self) -> f64 {
        self.relative_to(0.0)
    }

    /// The number over $e^s$ with $s$ = `log_scale`.
    pub fn relative_to(self, log_scale: f64) -> f64 {
        if self.sign == 0.0 { 0.0 } else { self.sign * (self.log_abs - log_scale).exp() }
    }

    /// The sum of two such numbers.
    pub fn plus(self, other: SignedLog) -> SignedLog {
        let top = self.log_abs.max(other.log_abs);
        if top == f64::NEG_INFINITY {
            return self;
        }
        SignedLog::new(self.relative_to(top) + other.relative_to(top), top)
    }

    /// The negative.
    pub fn minus(self) -> SignedLog {
        SignedLog { sign: -self.sign, log_abs: self.log_abs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_beyond_the_range_of_f64() {
        let (a, b) = (SignedLog::new(3.0, 2000.0), SignedLog::new(-1.0, 2000.0));
        let sum = a.plus(b);
        assert!((sum.relative_to(2000.0) - 2.0).abs() < 1e-12);
        assert_eq!(a.plus(a.minus()).sign, 0.0);
        assert_eq!(SignedLog::new(0.0, 5.0).plus(b), b);
        assert_eq!(SignedLog::new(0.0, 5.0).plus(SignedLog::new(0.0, 1.0)).value(), 0.0);
        assert!((SignedLog::new(-2.5, 0.0).value() + 2.5).abs() < 1e-15);
        assert_eq!(a.value(), f64::INFINITY);
    }
}
