
impl FLOAT {
    /// Distance from 1 to the next number.
    pub const EPSILON: FLOAT = 0.0;
    /// The smallest finite number.
    pub const MIN: FLOAT = 0.0;
    /// The largest finite number.
    pub const MAX: FLOAT = 0.0;
    /// The smallest positive normal number.
    pub const MIN_POSITIVE: FLOAT = 0.0;
    /// Infinity.
    pub const INFINITY: FLOAT = 0.0;
    /// Minus infinity.
    pub const NEG_INFINITY: FLOAT = 0.0;
    /// Not a number.
    pub const NAN: FLOAT = 0.0;
    /// Absolute value.
    pub fn abs(self) -> FLOAT;
    /// 1 or -1 with the number's sign.
    pub fn signum(self) -> FLOAT;
    /// Square root.
    pub fn sqrt(self) -> FLOAT;
    /// Cube root.
    pub fn cbrt(self) -> FLOAT;
    /// To a whole power.
    pub fn powi(self, n: i32) -> FLOAT;
    /// To a power.
    pub fn powf(self, n: FLOAT) -> FLOAT;
    /// e to the number.
    pub fn exp(self) -> FLOAT;
    /// 2 to the number.
    pub fn exp2(self) -> FLOAT;
    /// e to the number minus 1, exact near 0.
    pub fn exp_m1(self) -> FLOAT;
    /// Natural logarithm.
    pub fn ln(self) -> FLOAT;
    /// Natural logarithm of 1 plus the number, exact near 0.
    pub fn ln_1p(self) -> FLOAT;
    /// Logarithm to a base.
    pub fn log(self, base: FLOAT) -> FLOAT;
    /// Logarithm to base 2.
    pub fn log2(self) -> FLOAT;
    /// Logarithm to base 10.
    pub fn log10(self) -> FLOAT;
    /// Sine.
    pub fn sin(self) -> FLOAT;
    /// Cosine.
    pub fn cos(self) -> FLOAT;
    /// Tangent.
    pub fn tan(self) -> FLOAT;
    /// Sine and cosine.
    pub fn sin_cos(self) -> (FLOAT, FLOAT);
    /// Inverse sine.
    pub fn asin(self) -> FLOAT;
    /// Inverse cosine.
    pub fn acos(self) -> FLOAT;
    /// Inverse tangent.
    pub fn atan(self) -> FLOAT;
    /// Angle of the point (other, self).
    pub fn atan2(self, other: FLOAT) -> FLOAT;
    /// Hyperbolic sine.
    pub fn sinh(self) -> FLOAT;
    /// Hyperbolic cosine.
    pub fn cosh(self) -> FLOAT;
    /// Hyperbolic tangent.
    pub fn tanh(self) -> FLOAT;
    /// Length of the hypotenuse.
    pub fn hypot(self, other: FLOAT) -> FLOAT;
    /// Rounded down.
    pub fn floor(self) -> FLOAT;
    /// Rounded up.
    pub fn ceil(self) -> FLOAT;
    /// Rounded to the nearest whole number.
    pub fn round(self) -> FLOAT;
    /// The whole part.
    pub fn trunc(self) -> FLOAT;
    /// The part after the point.
    pub fn fract(self) -> FLOAT;
    /// self * a + b with one rounding.
    pub fn mul_add(self, a: FLOAT, b: FLOAT) -> FLOAT;
    /// 1 over the number.
    pub fn recip(self) -> FLOAT;
    /// The larger of two numbers.
    pub fn max(self, other: FLOAT) -> FLOAT;
    /// The smaller of two numbers.
    pub fn min(self, other: FLOAT) -> FLOAT;
    /// The number, moved into an interval.
    pub fn clamp(self, min: FLOAT, max: FLOAT) -> FLOAT;
    /// Order of two numbers that also places NaN.
    pub fn total_cmp(&self, other: &FLOAT) -> crate::cmp::Ordering;
    /// Whether it is NaN.
    pub fn is_nan(self) -> bool;
    /// Whether it is neither infinite nor NaN.
    pub fn is_finite(self) -> bool;
    /// Whether it is infinite.
    pub fn is_infinite(self) -> bool;
    /// Whether its sign is negative.
    pub fn is_sign_negative(self) -> bool;
    /// Radians to degrees.
    pub fn to_degrees(self) -> FLOAT;
    /// Degrees to radians.
    pub fn to_radians(self) -> FLOAT;
    /// Its bits.
    pub fn to_bits(self) -> u64;
    /// Remainder that is never negative.
    pub fn rem_euclid(self, other: FLOAT) -> FLOAT;
}
