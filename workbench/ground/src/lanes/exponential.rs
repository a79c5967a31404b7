//! The exponential for loops that become vector code.
//!
//! A loop that calls the library's `exp` runs one number at a time and takes longer than the matrix products around it.

/// $2^y$ in a loop that becomes vector code: no call and no branch. With `FMA` products are fused with sums, which is slow on a
/// processor without that instruction; [`vectorized!`](crate::vectorized) gives the constant that fits.
///
/// To the base of two the whole part of y goes into the bits of the exponent as it is: a third fewer operations than for $e^x$.
///
/// **Units and ranges**: relative error below 3e-7 for y between -126 and 127; 0 below; NaN for NaN. Above 127 nothing is promised of
/// the value.
///
/// ```
/// use workbench_ground::lanes::two_to_32;
/// assert!((two_to_32::<false>(0.5) - std::f32::consts::SQRT_2).abs() < 3e-7);
/// ```
#[inline(always)]
pub fn two_to_32<const FMA: bool>(y: f32) -> f32 {
    two_to_less_32::<FMA>(y, 0.0)
}

/// $2^{y-n}$ for a whole n, as [`two_to_32`] has it: n joins the bits of the exponent, so that no digit of y is lost to the difference
/// and none is computed.
///
/// **Units and ranges**: those of [`two_to_32`] for y - n; n from -2^20 to 2^20.
///
/// ```
/// use workbench_ground::lanes::two_to_less_32;
/// assert!((two_to_less_32::<false>(1000.5, 1000.0) - std::f32::consts::SQRT_2).abs() < 3e-7);
/// ```
#[inline(always)]
pub fn two_to_less_32<const FMA: bool>(y: f32, n: f32) -> f32 {
    // Adding it rounds to an integer, which then stands in the lowest bits, with the bias of an exponent.
    const MAGIC: f32 = 12_582_912.0 + 127.0;
    // The least relative error of degree five, by Remez' exchange: 7.5e-8 for |f| <= 1/2.
    const POLYNOMIAL: [f32; 6] = [1.327_647_2e-3, 9.675_541e-3, 0.055_507_133, 0.240_221_2, 0.693_146_97, 1.000_000_1];
    let magic = MAGIC - n;
    let rounded = y + magic;
    let f = y - (rounded - magic);
    let mut p = POLYNOMIAL[0];
    for c in &POLYNOMIAL[1..] {
        p = if FMA { p.mul_add(f, *c) } else { p * f + *c };
    }
    let value = p * f32::from_bits(rounded.to_bits() << 23);
    if y < n - 126.0 { 0.0 } else { value }
}

/// $e^x$ in a loop that becomes vector code, in double precision, as [`two_to_32`] has it.
///
/// **Units and ranges**: relative error below 6e-16 for x between -708 and 709; 0 below, the value at the upper end above; NaN for NaN.
///
/// ```
/// use workbench_ground::lanes::exp64;
/// assert!((exp64::<false>(1.0) - std::f64::consts::E).abs() < 1e-15);
/// ```
#[inline(always)]
pub fn exp64<const FMA: bool>(x: f64) -> f64 {
    const LEAST: f64 = -708.0;
    const MOST: f64 = 709.0;
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const SERIES: [f64; 14] = [
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
        1.0,
    ];
    // x = n ln 2 + f with |f| <= ln(2) / 2: a polynomial in f, and n goes into the bits of the exponent.
    let fused = |a: f64, b: f64, c: f64| if FMA { a.mul_add(b, c) } else { a * b + c };
    // In this order a NaN stays one.
    let inside = if x < LEAST { LEAST } else { x };
    let inside = if inside > MOST { MOST } else { inside };
    let rounded = fused(inside, std::f64::consts::LOG2_E, MAGIC);
    let n = rounded - MAGIC;
    let f = fused(n, -LN2_LOW, fused(n, -LN2_HIGH, inside));
    let mut p = SERIES[0];
    for c in &SERIES[1..] {
        p = fused(p, f, *c);
    }
    let exponent = rounded.to_bits().wrapping_add(1023) << 52;
    let value = p * f64::from_bits(exponent);
    if x < LEAST { 0.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_right_to_the_last_digits() {
        let mut worst = (0.0f64, 0.0f64);
        for i in -12_600_000..12_700_000i64 {
            if i % 997 != 0 {
                continue;
            }
            let y = i as f64 * 1e-5;
            for value in [two_to_32::<true>(y as f32), two_to_32::<false>(y as f32)] {
                worst.0 = worst.0.max((f64::from(value) / f64::from(y as f32).exp2() - 1.0).abs());
            }
            for n in [-300.0, 17.0, 1_048_576.0f32] {
                let above = y as f32 + n;
                let value = f64::from(two_to_less_32::<true>(above, n)) / f64::from(above - n).exp2();
                worst.0 = worst.0.max(if above - n < -126.0 { 0.0 } else { (value - 1.0).abs() });
            }
            let wide = y * 5.58;
            for value in [exp64::<true>(wide), exp64::<false>(wide)] {
                worst.1 = worst.1.max((value / wide.exp() - 1.0).abs());
            }
        }
        assert!(worst.0 < 3e-7 && worst.1 < 6e-16, "{worst:?}");
        for end in [-708.0, 709.0f64] {
            assert!((exp64::<false>(end) / end.exp() - 1.0).abs() < 6e-16, "{end}");
        }
        for end in [-126.0, 0.0, 127.0f32] {
            assert!((two_to_32::<true>(end) / end.exp2() - 1.0).abs() < 3e-7, "{end}");
        }
    }

    #[test]
    fn beyond_its_range_an_exponential_is_zero_or_finite_and_nan_stays_nan() {
        assert_eq!((two_to_32::<true>(-1e9), two_to_32::<false>(f32::NEG_INFINITY)), (0.0, 0.0));
        assert_eq!((exp64::<false>(-1e9), exp64::<true>(f64::NEG_INFINITY), exp64::<true>(-708.1)), (0.0, 0.0, 0.0));
        assert!(exp64::<true>(1e9).is_finite());
        assert!(two_to_32::<true>(f32::NAN).is_nan() && exp64::<false>(f64::NAN).is_nan());
    }
}
