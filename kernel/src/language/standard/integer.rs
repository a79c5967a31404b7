
impl INT {
    /// The smallest value.
    pub const MIN: INT = 0;
    /// The largest value.
    pub const MAX: INT = 0;
    /// Number of bits.
    pub const BITS: u32 = 0;
    /// The value to a power.
    pub fn pow(self, exponent: u32) -> INT;
    /// Absolute difference of two values.
    pub fn abs_diff(self, other: INT) -> INT;
    /// Number of ones in binary.
    pub fn count_ones(self) -> u32;
    /// Zeros before the first one in binary.
    pub fn leading_zeros(self) -> u32;
    /// Zeros after the last one in binary.
    pub fn trailing_zeros(self) -> u32;
    /// Sum, or none when it does not fit.
    pub fn checked_add(self, other: INT) -> crate::option::Option<INT>;
    /// Difference, or none when it does not fit.
    pub fn checked_sub(self, other: INT) -> crate::option::Option<INT>;
    /// Product, or none when it does not fit.
    pub fn checked_mul(self, other: INT) -> crate::option::Option<INT>;
    /// Sum, cut at the limits of the type.
    pub fn saturating_add(self, other: INT) -> INT;
    /// Difference, cut at the limits of the type.
    pub fn saturating_sub(self, other: INT) -> INT;
    /// Product, cut at the limits of the type.
    pub fn saturating_mul(self, other: INT) -> INT;
    /// Sum modulo the size of the type.
    pub fn wrapping_add(self, other: INT) -> INT;
    /// Product modulo the size of the type.
    pub fn wrapping_mul(self, other: INT) -> INT;
    /// Whole logarithm to base 2.
    pub fn ilog2(self) -> u32;
    /// Whole logarithm to base 10.
    pub fn ilog10(self) -> u32;
    /// Quotient rounded up.
    pub fn div_ceil(self, other: INT) -> INT;
    /// Remainder that is never negative.
    pub fn rem_euclid(self, other: INT) -> INT;
    /// Whether it is a power of two.
    pub fn is_power_of_two(self) -> bool;
    /// The next power of two.
    pub fn next_power_of_two(self) -> INT;
}
impl crate::clone::Clone for INT {}
impl crate::cmp::Ord for INT {}
impl crate::default::Default for INT {}
impl crate::string::ToString for INT {}
