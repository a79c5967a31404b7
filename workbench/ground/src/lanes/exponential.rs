//! The exponential for loops that become vector code.
//!
//! A loop that calls the library's `exp` runs one number at a time and takes longer than the matrix products around it.

macro_rules! exponential {
    ($(#[$doc:meta])* $name:ident, $t:ty, $bits:ty, $least:expr, $most:expr, $magic:expr, $ln2_high:expr, $ln2_low:expr, $shift:expr, $bias:expr, $poly:expr) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<const FMA: bool>(x: $t) -> $t {
            // x = n ln 2 + f with |f| <= ln(2) / 2: a polynomial in f, and n goes into the bits of the exponent.
            let fused = |a: $t, b: $t, c: $t| if FMA { a.mul_add(b, c) } else { a * b + c };
            // In this order a NaN stays one.
            let inside = if x < $least { $least } else { x };
            let inside = if inside > $most { $most } else { inside };
            // Adding the magic number rounds to an integer, which then stands in the lowest bits.
            let rounded = fused(inside, std::f64::consts::LOG2_E as $t, $magic);
            let n = rounded - $magic;
            let f = fused(n, -$ln2_low, fused(n, -$ln2_high, inside));
            let mut p: $t = $poly[0];
            for c in &$poly[1..] {
                p = fused(p, f, *c);
            }
            let exponent = rounded.to_bits().wrapping_add($bias) << $shift;
            let value = p * <$t>::from_bits(exponent as $bits);
            if x < $least { 0.0 } else { value }
        }
    };
}

exponential!(
    /// $e^x$ in a loop that becomes vector code: no call and no branch. With `FMA` products are fused with sums, which is slow on a
    /// processor without that instruction; [`vectorized!`](crate::vectorized) gives the constant that fits.
    ///
    /// **Units and ranges**: relative error below 3e-7 for x between -87 and 88; 0 below, the value at the upper end above; NaN for NaN.
    ///
    /// ```
    /// use workbench_ground::lanes::exp32;
    /// assert!((exp32::<false>(1.0) - std::f32::consts::E).abs() < 5e-7);
    /// ```
    exp32,
    f32,
    u32,
    -87.0,
    88.0,
    12_582_912.0,
    0.693_359_4,
    -2.121_944_4e-4,
    23,
    127,
    // Interpolated at Chebyshev's points, with the first two as in the series: within 1e-8 before rounding.
    [0.001_393_366_1, 0.008_369_164, 0.041_666_465, 0.166_665_05, 0.5, 1.0, 1.0f32]
);
exponential!(
    /// $e^x$ in a loop that becomes vector code: no call and no branch. With `FMA` products are fused with sums, which is slow on a
    /// processor without that instruction; [`vectorized!`](crate::vectorized) gives the constant that fits.
    ///
    /// **Units and ranges**: relative error below 6e-16 for x between -708 and 709; 0 below, the value at the upper end above; NaN for NaN.
    ///
    /// ```
    /// use workbench_ground::lanes::exp64;
    /// assert!((exp64::<false>(1.0) - std::f64::consts::E).abs() < 1e-15);
    /// ```
    exp64,
    f64,
    u64,
    -708.0,
    709.0,
    6_755_399_441_055_744.0,
    0.693_147_180_369_123_8,
    1.908_214_929_270_587_7e-10,
    52,
    1023,
    [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0f64
    ]
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_right_to_the_last_digits() {
        let mut worst = (0.0f64, 0.0f64);
        for i in -8_600_000..8_700_000i64 {
            if i % 997 != 0 {
                continue;
            }
            let x = i as f64 * 1e-5;
            for value in [exp32::<true>(x as f32), exp32::<false>(x as f32)] {
                worst.0 = worst.0.max((f64::from(value) / f64::from(x as f32).exp() - 1.0).abs());
            }
            let wide = x * 8.0;
            for value in [exp64::<true>(wide), exp64::<false>(wide)] {
                worst.1 = worst.1.max((value / wide.exp() - 1.0).abs());
            }
        }
        assert!(worst.0 < 3e-7 && worst.1 < 6e-16, "{worst:?}");
        for end in [-708.0, 709.0f64] {
            assert!((exp64::<false>(end) / end.exp() - 1.0).abs() < 6e-16, "{end}");
        }
        for end in [-87.0, 88.0f32] {
            assert!((exp32::<false>(end) / end.exp() - 1.0).abs() < 3e-7, "{end}");
        }
    }

    #[test]
    fn beyond_its_range_an_exponential_is_zero_or_finite_and_nan_stays_nan() {
        assert_eq!((exp32::<true>(-1e9), exp64::<false>(-1e9)), (0.0, 0.0));
        assert_eq!((exp64::<true>(f64::NEG_INFINITY), exp64::<true>(-708.1)), (0.0, 0.0));
        assert_eq!((exp32::<true>(0.0), exp64::<true>(0.0)), (1.0, 1.0));
        assert!(exp64::<true>(1e9).is_finite() && exp32::<false>(f32::INFINITY).is_finite());
        assert!(exp32::<true>(f32::NAN).is_nan() && exp64::<false>(f64::NAN).is_nan());
    }
}
