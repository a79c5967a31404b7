//! Exponentials of whole rows, compiled three times: for any machine, for AVX2 with FMA, and for AVX-512.
//!
//! A loop that calls the library's `exp` runs one number at a time and takes longer than the matrix products around it. These
//! loops are plain Rust that the compiler turns into vector code; the processor is asked at run time.

use workbench_ground::vectorized;

/// Numbers per group in reductions, so that the compiler can keep them in lanes.
const LANES: usize = 16;
/// Columns whose running values are held in registers: four AVX-512 registers.
const GROUP: usize = 64;

macro_rules! exponential {
    ($name:ident, $t:ty, $bits:ty, $least:expr, $most:expr, $magic:expr, $ln2_high:expr, $ln2_low:expr, $shift:expr, $bias:expr, $poly:expr) => {
        /// e^x to about one unit in the last place; zero below the smallest normal result, largest finite above the range.
        ///
        /// x = n ln 2 + f with |f| <= ln(2) / 2; Taylor polynomial in f; n goes into the exponent bits.
        #[inline(always)]
        fn $name<const FMA: bool>(x: $t) -> $t {
            let fused = |a: $t, b: $t, c: $t| if FMA { a.mul_add(b, c) } else { a * b + c };
            let inside = if x > $least { x } else { $least };
            let inside = if inside < $most { inside } else { $most };
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
            if x > $least { value } else { 0.0 }
        }
    };
}

exponential!(
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
    [
        1.0 / 5040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0f32
    ]
);
exponential!(
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

/// The group of `row` that starts at column `c`.
#[inline(always)]
fn group_of(row: &[f32], c: usize) -> [f32; GROUP] {
    let mut group = [0.0; GROUP];
    group.copy_from_slice(&row[c..c + GROUP]);
    group
}

vectorized! {
    /// top_k = max(top_k, max_t(rows_tk + shift_t) + offset_k).
    pub(super) fn column_max(rows: &[f32], shifts: &[f32], offsets: &[f32], top: &mut [f32]) {
        let width = top.len();
        let whole = width / GROUP * GROUP;
        let larger = |best: f32, value: f32| if value > best { value } else { best };
        // The offset is the same for a whole column and is added once; the columns of a group stay in registers.
        for c in (0..whole).step_by(GROUP) {
            let mut best = [f32::NEG_INFINITY; GROUP];
            for (row, shift) in rows.chunks_exact(width).zip(shifts) {
                for (x, best) in row[c..c + GROUP].iter().zip(&mut best) {
                    *best = larger(*best, x + shift);
                }
            }
            for ((best, offset), top) in best.iter().zip(&offsets[c..]).zip(&mut top[c..]) {
                *top = larger(*top, best + offset);
            }
        }
        for c in whole..width {
            let column = rows[c..].iter().step_by(width).zip(shifts);
            let best = column.fold(f32::NEG_INFINITY, |best, (x, shift)| larger(best, x + shift));
            top[c] = larger(top[c], best + offsets[c]);
        }
    }
}

vectorized! {
    /// rows_tk = exp(rows_tk + shift_t + offset_k), and their sums over t are added to `sums`.
    pub(super) fn exp_rows(rows: &mut [f32], shifts: &[f32], offsets: &[f32], sums: &mut [f32]) {
        let width = sums.len();
        let whole = width / GROUP * GROUP;
        for c in (0..whole).step_by(GROUP) {
            let (offset, mut sum) = (group_of(offsets, c), group_of(sums, c));
            for (row, shift) in rows.chunks_exact_mut(width).zip(shifts) {
                for ((x, offset), sum) in row[c..c + GROUP].iter_mut().zip(&offset).zip(&mut sum) {
                    *x = exp32::<FMA>(*x + shift + offset);
                    *sum += *x;
                }
            }
            sums[c..c + GROUP].copy_from_slice(&sum);
        }
        for (row, shift) in rows.chunks_exact_mut(width).zip(shifts) {
            for ((x, offset), sum) in row[whole..].iter_mut().zip(&offsets[whole..]).zip(&mut sums[whole..]) {
                *x = exp32::<FMA>(*x + shift + offset);
                *sum += *x;
            }
        }
    }
}

vectorized! {
    /// rows_tk = exp(rows_tk + offset_k - top_t) with top_t = max_k, and total_t = sum_k rows_tk weight_k.
    pub(super) fn exp_queries(rows: &mut [f32], offsets: &[f32], weights: &[f32], totals: &mut [f32], tops: &mut [f32]) {
        for ((row, total), row_top) in rows.chunks_exact_mut(offsets.len()).zip(totals).zip(tops) {
            let mut lanes = [f32::NEG_INFINITY; LANES];
            for (xs, os) in row.chunks_exact_mut(LANES).zip(offsets.chunks_exact(LANES)) {
                for ((x, o), lane) in xs.iter_mut().zip(os).zip(&mut lanes) {
                    *x += o;
                    *lane = if *x > *lane { *x } else { *lane };
                }
            }
            let whole = row.len() / LANES * LANES;
            let mut top = lanes.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            for (x, o) in row[whole..].iter_mut().zip(&offsets[whole..]) {
                *x += o;
                top = top.max(*x);
            }
            *row_top = top;
            let mut lanes = [0.0f32; LANES];
            for (xs, ws) in row.chunks_exact_mut(LANES).zip(weights.chunks_exact(LANES)) {
                for ((x, w), lane) in xs.iter_mut().zip(ws).zip(&mut lanes) {
                    *x = exp32::<FMA>(*x - top);
                    *lane += *x * w;
                }
            }
            *total = lanes.iter().sum();
            for (x, w) in row[whole..].iter_mut().zip(&weights[whole..]) {
                *x = exp32::<FMA>(*x - top);
                *total += *x * w;
            }
        }
    }
}

vectorized! {
    /// top_k = max(top_k, scale rows_tk + shift_t + offset_k).
    pub(super) fn column_max_f64(rows: &[f64], scale: f64, shifts: &[f64], offsets: &[f64], top: &mut [f64]) {
        for (row, shift) in rows.chunks_exact(top.len()).zip(shifts) {
            for ((x, offset), top) in row.iter().zip(offsets).zip(top.iter_mut()) {
                let value = x * scale + shift + offset;
                *top = if value > *top { value } else { *top };
            }
        }
    }
}

vectorized! {
    /// out_tk = exp(scale rows_tk + shift_t + offset_k), and their sums over t are added to `sums`.
    pub(super) fn exp_rows_f64(rows: &[f64], scale: f64, shifts: &[f64], offsets: &[f64], out: &mut [f64], sums: &mut [f64]) {
        let width = sums.len();
        for ((row, out), shift) in rows.chunks_exact(width).zip(out.chunks_exact_mut(width)).zip(shifts) {
            for (((x, offset), out), sum) in row.iter().zip(offsets).zip(out).zip(sums.iter_mut()) {
                *out = exp64::<FMA>(x * scale + shift + offset);
                *sum += *out;
            }
        }
    }
}

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
        assert_eq!((exp32::<true>(-1e9), exp64::<false>(-1e9)), (0.0, 0.0));
        assert_eq!(exp64::<true>(f64::NEG_INFINITY), 0.0);
        assert_eq!((exp32::<true>(0.0), exp64::<true>(0.0)), (1.0, 1.0));
        assert!(exp64::<true>(1e9).is_finite());
    }

    #[test]
    fn rows_agree_with_plain_loops() {
        let (t, k) = (5, 150);
        let rows: Vec<f32> = (0..t * k).map(|i| (i as f32 * 0.7).sin() * 3.0).collect();
        let shifts: Vec<f32> = (0..t).map(|i| -(i as f32)).collect();
        let offsets: Vec<f32> = (0..k).map(|i| 0.01 * i as f32).collect();
        let mut top = vec![f32::NEG_INFINITY; k];
        column_max(&rows, &shifts, &offsets, &mut top);
        let mut out = rows.clone();
        let mut sums = vec![1.0; k];
        exp_rows(&mut out, &shifts, &offsets, &mut sums);
        for c in 0..k {
            let column: Vec<f32> = (0..t).map(|i| rows[i * k + c] + shifts[i] + offsets[c]).collect();
            assert!((top[c] - column.iter().copied().fold(f32::NEG_INFINITY, f32::max)).abs() < 1e-6);
            let sum: f32 = 1.0 + column.iter().map(|x| x.exp()).sum::<f32>();
            assert!((sums[c] / sum - 1.0).abs() < 1e-5);
        }
        let weights: Vec<f32> = (0..k).map(|i| 1.0 + i as f32).collect();
        let mut queries = rows.clone();
        let (mut totals, mut tops) = (vec![0.0; t], vec![0.0; t]);
        exp_queries(&mut queries, &offsets, &weights, &mut totals, &mut tops);
        for i in 0..t {
            let row: Vec<f32> = (0..k).map(|c| rows[i * k + c] + offsets[c]).collect();
            let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let total: f32 = row.iter().zip(&weights).map(|(x, w)| (x - max).exp() * w).sum();
            assert!((totals[i] / total - 1.0).abs() < 1e-5 && tops[i] == max);
            assert!((queries[i * k + k - 1] - (row[k - 1] - max).exp()).abs() < 1e-6);
        }
        let rows64: Vec<f64> = rows.iter().map(|x| f64::from(*x)).collect();
        let (s64, o64): (Vec<f64>, Vec<f64>) = (
            shifts.iter().map(|x| f64::from(*x)).collect(),
            offsets.iter().map(|x| f64::from(*x)).collect(),
        );
        let (mut top, mut sums, mut out) = (vec![f64::NEG_INFINITY; k], vec![0.0; k], vec![0.0; t * k]);
        column_max_f64(&rows64, 2.0, &s64, &o64, &mut top);
        exp_rows_f64(&rows64, 2.0, &s64, &o64, &mut out, &mut sums);
        for c in 0..k {
            let column: Vec<f64> = (0..t).map(|i| 2.0 * rows64[i * k + c] + s64[i] + o64[c]).collect();
            assert_eq!(top[c], column.iter().copied().fold(f64::NEG_INFINITY, f64::max));
            let sum: f64 = column.iter().map(|x| x.exp()).sum();
            assert!((sums[c] / sum - 1.0).abs() < 1e-13);
        }
    }
}
