//! Exponentials of whole rows, compiled three times: for any machine, for AVX2 with FMA, and for AVX-512.
//!
//! A loop that calls the library's `exp` runs one number at a time and takes longer than the matrix products around it. These
//! loops are plain Rust that the compiler turns into vector code; the processor is asked at run time.

use workbench_ground::lanes::{exp32, exp64};
use workbench_ground::vectorized;

/// Numbers per group in reductions, so that the compiler can keep them in lanes.
const LANES: usize = 16;
/// Columns whose running values are held in registers: four AVX-512 registers.
const GROUP: usize = 64;

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
        let (s64, o64): (Vec<f64>, Vec<f64>) =
            (shifts.iter().map(|x| f64::from(*x)).collect(), offsets.iter().map(|x| f64::from(*x)).collect());
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
