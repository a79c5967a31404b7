//! Exponentials of whole rows, compiled three times: for any machine, for AVX2 with FMA, and for AVX-512.
//!
//! A loop that calls the library's `exp` runs one number at a time and takes longer than the matrix products around it. These
//! loops are plain Rust that the compiler turns into vector code; the processor is asked at run time.

use workbench_ground::lanes::{exp64, two_to_32, two_to_less_32};
use workbench_ground::vectorized;

/// Queries whose running values are held in registers.
const QUERIES: usize = 32;
/// Columns whose running values are held in registers: four AVX-512 registers.
const GROUP: usize = 64;

/// The group of `row` that starts at column `c`.
#[inline(always)]
fn group_of(row: &[f32], c: usize) -> [f32; GROUP] {
    let mut group = [0.0; GROUP];
    group.copy_from_slice(&row[c..c + GROUP]);
    group
}

/// Sixteen values joined by halves, which run side by side where one running value would wait for itself.
#[inline(always)]
fn by_halves(mut parts: [f32; 16], join: impl Fn(f32, f32) -> f32) -> f32 {
    for half in [8, 4, 2, 1] {
        let (low, high) = parts.split_at_mut(half);
        low.iter_mut().zip(high).for_each(|(low, high)| *low = join(*low, *high));
    }
    parts[0]
}

/// The same of a whole group.
#[inline(always)]
fn group_by_halves(group: [[f32; 16]; 4], join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut parts = group[0];
    for i in 0..16 {
        parts[i] = join(join(group[0][i], group[1][i]), join(group[2][i], group[3][i]));
    }
    by_halves(parts, join)
}

/// |x|^2 in sixteen partial sums.
#[inline(always)]
fn squared_norm(x: &[f32]) -> f32 {
    let mut parts = [0.0f32; 16];
    let chunks = x.chunks_exact(16);
    let rest: f32 = chunks.remainder().iter().map(|x| x * x).sum();
    for chunk in chunks {
        for (part, x) in parts.iter_mut().zip(chunk) {
            *part += x * x;
        }
    }
    by_halves(parts, |a, b| a + b) + rest
}

vectorized! {
    /// The first row of `x` whose squared norm is not finite, as is that of no row with an entry that is not.
    pub(super) fn row_beyond(x: &[f32], width: usize) -> Option<usize> {
        for (i, row) in x.chunks_exact(width).enumerate() {
            if !squared_norm(row).is_finite() {
                return Some(i);
            }
        }
        None
    }
}

vectorized! {
    /// Whether an entry is NaN, or as large as `limit` or larger.
    pub(super) fn reaches(x: &[f32], limit: f32) -> bool {
        // Without their sign bits are in the order of sizes, NaN above all; an OR of flags has no order, so the compiler makes vectors of it.
        x.iter().fold(0, |any, x| any | u32::from(x.to_bits() & 0x7fff_ffff >= limit.to_bits())) != 0
    }
}

vectorized! {
    /// out_t = factor |row_t|^2.
    pub(super) fn scaled_norms(rows: &[f32], factor: f32, out: &mut [f32]) {
        let width = rows.len() / out.len();
        for (out, row) in out.iter_mut().zip(rows.chunks_exact(width)) {
            *out = factor * squared_norm(row);
        }
    }
}

/// A shift is raised by logarithms that lie further above it than this: then sums are rarely divided, and 2^8 overflows nowhere.
const SLACK: f32 = 8.0;

vectorized! {
    /// Each row divided by its total.
    pub(super) fn divide_rows(rows: &mut [f32], totals: &[f32]) {
        let width = rows.len() / totals.len();
        for (row, total) in rows.chunks_exact_mut(width).zip(totals) {
            let factor = 1.0 / total;
            for x in row {
                *x *= factor;
            }
        }
    }
}

vectorized! {
    /// With best_k = max_t(rows_tk + level_t) + offset_k: shift_k becomes the next whole number where best_k lies too far above it.
    pub(super) fn raise_shifts(rows: &[f32], levels: &[f32], offsets: &[f32], shifts: &mut [f32]) {
        let width = shifts.len();
        let whole = width / GROUP * GROUP;
        let larger = |best: f32, value: f32| if value > best { value } else { best };
        let raised = |shift: f32, best: f32| if best > shift + SLACK { best.ceil() } else { shift };
        // The offset is the same for a whole column and is added once; the columns of a group stay in registers.
        for c in (0..whole).step_by(GROUP) {
            let mut best = [f32::NEG_INFINITY; GROUP];
            for (row, level) in rows.chunks_exact(width).zip(levels) {
                for (x, best) in row[c..c + GROUP].iter().zip(&mut best) {
                    *best = larger(*best, x + level);
                }
            }
            for ((best, offset), shift) in best.iter().zip(&offsets[c..]).zip(&mut shifts[c..]) {
                *shift = raised(*shift, best + offset);
            }
        }
        for c in whole..width {
            let column = rows[c..].iter().step_by(width).zip(levels);
            let best = column.fold(f32::NEG_INFINITY, |best, (x, level)| larger(best, x + level));
            shifts[c] = raised(shifts[c], best + offsets[c]);
        }
    }
}

vectorized! {
    /// rows_tk = 2^(rows_tk + shift_t + offset_k), and their sums over t are added to `sums`.
    pub(super) fn exp_rows(rows: &mut [f32], shifts: &[f32], offsets: &[f32], sums: &mut [f32]) {
        let width = sums.len();
        let whole = width / GROUP * GROUP;
        for c in (0..whole).step_by(GROUP) {
            let (offset, mut sum) = (group_of(offsets, c), group_of(sums, c));
            for (row, shift) in rows.chunks_exact_mut(width).zip(shifts) {
                for ((x, offset), sum) in row[c..c + GROUP].iter_mut().zip(&offset).zip(&mut sum) {
                    *x = two_to_32::<FMA>(*x + shift + offset);
                    *sum += *x;
                }
            }
            sums[c..c + GROUP].copy_from_slice(&sum);
        }
        for (row, shift) in rows.chunks_exact_mut(width).zip(shifts) {
            for ((x, offset), sum) in row[whole..].iter_mut().zip(&offsets[whole..]).zip(&mut sums[whole..]) {
                *x = two_to_32::<FMA>(*x + shift + offset);
                *sum += *x;
            }
        }
    }
}

/// The largest of row + offset.
#[inline(always)]
fn largest(row: &[f32], offsets: &[f32]) -> f32 {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let whole = row.len() / GROUP * GROUP;
    let mut best = [[f32::NEG_INFINITY; 16]; 4];
    for c in (0..whole).step_by(GROUP) {
        for (p, best) in best.iter_mut().enumerate() {
            let (x, offset) = (&row[c + 16 * p..][..16], &offsets[c + 16 * p..][..16]);
            for i in 0..16 {
                best[i] = larger(best[i], x[i] + offset[i]);
            }
        }
    }
    let rest = row[whole..].iter().zip(&offsets[whole..]);
    rest.fold(group_by_halves(best, larger), |best, (x, offset)| larger(best, x + offset))
}

vectorized! {
    /// top_t = max_k(rows_tk + offset_k), which is taken from the row: one for each query.
    pub(super) fn lower_query_rows(rows: &mut [f32], offsets: &[f32], tops: &mut [f32]) {
        for (row, top) in rows.chunks_exact_mut(offsets.len()).zip(tops) {
            *top = largest(row, offsets);
            for x in row {
                *x -= *top;
            }
        }
    }
}

vectorized! {
    /// rows_tk = 2^(rows_tk + offset_k - less_t), and total_t = sum_k rows_tk weight_k: a row for each query; `less` is whole.
    pub(super) fn exp_query_rows(rows: &mut [f32], offsets: &[f32], weights: &[f32], less: &[f32], totals: &mut [f32]) {
        let whole = offsets.len() / GROUP * GROUP;
        for (row, (total, less)) in rows.chunks_exact_mut(offsets.len()).zip(totals.iter_mut().zip(less)) {
            let mut sums = [[0.0f32; 16]; 4];
            for c in (0..whole).step_by(GROUP) {
                for (p, sum) in sums.iter_mut().enumerate() {
                    let (x, at) = (&mut row[c + 16 * p..][..16], c + 16 * p);
                    let (offset, weight) = (&offsets[at..][..16], &weights[at..][..16]);
                    for i in 0..16 {
                        x[i] = two_to_less_32::<FMA>(x[i] + offset[i], *less);
                        sum[i] = if FMA { x[i].mul_add(weight[i], sum[i]) } else { sum[i] + x[i] * weight[i] };
                    }
                }
            }
            *total = group_by_halves(sums, |a, b| a + b);
            for (x, (offset, weight)) in row[whole..].iter_mut().zip(offsets[whole..].iter().zip(&weights[whole..])) {
                *x = two_to_less_32::<FMA>(*x + offset, *less);
                *total += *x * weight;
            }
        }
    }
}

vectorized! {
    /// rows_kt = 2^(rows_kt + offset_k - top_t) with top_t = max_k, and total_t = sum_k rows_kt weight_k: a column for each query.
    pub(super) fn exp_query_columns(rows: &mut [f32], offsets: &[f32], weights: &[f32], totals: &mut [f32], tops: &mut [f32]) {
        let width = totals.len();
        let whole = width / QUERIES * QUERIES;
        for t in (0..whole).step_by(QUERIES) {
            let mut top = [f32::NEG_INFINITY; QUERIES];
            for (row, offset) in rows.chunks_exact(width).zip(offsets) {
                for (x, top) in row[t..t + QUERIES].iter().zip(&mut top) {
                    let x = x + offset;
                    *top = if x > *top { x } else { *top };
                }
            }
            let mut total = [0.0; QUERIES];
            for ((row, offset), weight) in rows.chunks_exact_mut(width).zip(offsets).zip(weights) {
                for ((x, top), total) in row[t..t + QUERIES].iter_mut().zip(&top).zip(&mut total) {
                    *x = two_to_32::<FMA>(*x + offset - top);
                    *total += *x * weight;
                }
            }
            tops[t..t + QUERIES].copy_from_slice(&top);
            totals[t..t + QUERIES].copy_from_slice(&total);
        }
        for t in whole..width {
            let column = rows[t..].iter().step_by(width).zip(offsets);
            tops[t] = column.fold(f32::NEG_INFINITY, |top, (x, offset)| top.max(x + offset));
            totals[t] = 0.0;
            for ((x, offset), weight) in rows[t..].iter_mut().step_by(width).zip(offsets).zip(weights) {
                *x = two_to_32::<FMA>(*x + offset - tops[t]);
                totals[t] += *x * weight;
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
        let (t, k) = (QUERIES + 5, 150);
        let rows: Vec<f32> = (0..t * k).map(|i| (i as f32 * 0.7).sin() * 3.0).collect();
        let shifts: Vec<f32> = (0..t).map(|i| -(i as f32)).collect();
        let offsets: Vec<f32> = (0..k).map(|i| 0.01 * i as f32).collect();
        let (mut top, mut high) = (vec![f32::NEG_INFINITY; k], vec![0.0; k]);
        raise_shifts(&rows, &shifts, &offsets, &mut top);
        raise_shifts(&rows, &shifts, &offsets, &mut high);
        assert_eq!(high, vec![0.0; k], "less than the slack above it");
        let mut out = rows.clone();
        let mut sums = vec![1.0; k];
        exp_rows(&mut out, &shifts, &offsets, &mut sums);
        for c in 0..k {
            let column: Vec<f32> = (0..t).map(|i| rows[i * k + c] + shifts[i] + offsets[c]).collect();
            assert_eq!(top[c], column.iter().copied().fold(f32::NEG_INFINITY, f32::max).ceil());
            let sum: f32 = 1.0 + column.iter().map(|x| x.exp2()).sum::<f32>();
            assert!((sums[c] / sum - 1.0).abs() < 1e-5);
        }
        let mut wide = vec![1e18; 3 * (GROUP + 2)];
        assert_eq!(row_beyond(&wide, GROUP + 2), None);
        wide[2 * GROUP + 3] = 1e20;
        assert_eq!(row_beyond(&wide, GROUP + 2), Some(1));
        let weights: Vec<f32> = (0..k).map(|i| 1.0 + i as f32).collect();
        let mut queries: Vec<f32> = (0..k * t).map(|at| rows[at % t * k + at / t]).collect();
        let (mut totals, mut tops) = (vec![0.0; t], vec![0.0; t]);
        exp_query_columns(&mut queries, &offsets, &weights, &mut totals, &mut tops);
        let (mut by_rows, mut row_totals, mut row_tops) = (rows.clone(), vec![0.0; t], vec![0.0; t]);
        lower_query_rows(&mut by_rows, &offsets, &mut row_tops);
        assert_eq!(row_tops, tops);
        exp_query_rows(&mut by_rows, &offsets, &weights, &vec![0.0; t], &mut row_totals);
        assert!((0..t * k).all(|at| (by_rows[at] - queries[at % k * t + at / k]).abs() < 1e-6));
        assert!(totals.iter().zip(&row_totals).all(|(a, b)| (a / b - 1.0).abs() < 1e-5));
        let (mut whole, mut whole_totals) = (rows.clone(), vec![0.0; t]);
        let less: Vec<f32> = tops.iter().map(|top| top.ceil() + 40.0).collect();
        exp_query_rows(&mut whole, &offsets, &weights, &less, &mut whole_totals);
        for (i, less) in less.iter().enumerate() {
            let ratio = row_totals[i] / whole_totals[i] * (tops[i] - less).exp2();
            assert!((ratio - 1.0).abs() < 1e-5, "{ratio}");
        }
        for i in 0..t {
            let row: Vec<f32> = (0..k).map(|c| rows[i * k + c] + offsets[c]).collect();
            let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let total: f32 = row.iter().zip(&weights).map(|(x, w)| (x - max).exp2() * w).sum();
            assert!((totals[i] / total - 1.0).abs() < 1e-5 && tops[i] == max);
            assert!((queries[(k - 1) * t + i] - (row[k - 1] - max).exp2()).abs() < 1e-6);
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
