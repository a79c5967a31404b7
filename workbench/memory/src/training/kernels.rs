//! The inner loops of descent: residuals, rank-one changes of the score table, and runs of steps with batch one.

use workbench_ground::vectorized;

/// Writes minus the residual, `1{z = y} - softmax_z`, into `out`; the entry of the right class is the sum of the others, so that it
/// keeps its digits when it is far below one.
#[inline(always)]
pub(super) fn correction(scores: &[f64], y: usize, out: &mut [f64]) {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut others = 0.0;
    for (z, (out, s)) in out.iter_mut().zip(scores).enumerate() {
        *out = (s - top).exp();
        others += if z == y { 0.0 } else { *out };
    }
    let scale = 1.0 / (others + out[y]);
    for out in out.iter_mut() {
        *out *= -scale;
    }
    out[y] = others * scale;
}

/// `out = gram delta` for symmetric `gram`.
#[inline(always)]
pub(super) fn through_gram(gram: &[f64], delta: &[f64], out: &mut [f64]) {
    for (row, out) in gram.chunks_exact(delta.len()).zip(out) {
        *out = row.iter().zip(delta).map(|(g, d)| g * d).sum();
    }
}

#[inline(always)]
fn add_outer_here(scores: &mut [f64], changes: &[f64], kernel: &[f64]) {
    for (row, v) in scores.chunks_exact_mut(kernel.len()).zip(changes) {
        for (s, k) in row.iter_mut().zip(kernel) {
            *s += v * k;
        }
    }
}

vectorized! {
    /// Adds `changes[i, z] kernel[inputs[i], x]` to `scores[z, x]`: one change of M numbers for each input of a batch.
    pub(super) fn add_batch(scores: &mut [f64], inputs: &[u32], changes: &[f64], kernel: &[f64], n: usize, m: usize) {
        let row = |x: u32| &kernel[x as usize * n..][..n];
        // Four inputs at a time: the scores are read and written once for them.
        let fours = inputs.chunks_exact(4);
        let rest = fours.remainder();
        for (four, change) in fours.zip(changes.chunks_exact(4 * m)) {
            let (a, b, c, d) = (row(four[0]), row(four[1]), row(four[2]), row(four[3]));
            for (z, scores) in scores.chunks_exact_mut(n).enumerate() {
                let v = [change[z], change[m + z], change[2 * m + z], change[3 * m + z]];
                for ((((s, a), b), c), d) in scores.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                    *s += (v[0] * a + v[1] * b) + (v[2] * c + v[3] * d);
                }
            }
        }
        for (&x, change) in rest.iter().zip(changes[(inputs.len() - rest.len()) * m..].chunks_exact(m)) {
            add_outer_here(scores, change, row(x));
        }
    }
}

/// A descent with batch one on one of the two linear tables.
pub(super) struct Single<'a> {
    /// Scores, `(M, N)`, or `U W`, `(M, d)`.
    pub table: &'a mut [f64],
    pub coefficients: &'a mut [f64],
    /// What a step on an input adds to each row of the table: inner products of inputs, `(N, N)`, or inputs, `(N, d)`.
    pub rows: &'a [f64],
    /// Squared norms of the inputs.
    pub squares: &'a [f64],
    pub gram: &'a [f64],
    pub labels: &'a [usize],
    /// Keep the right class only, Eq. 10.
    pub leading: bool,
    pub norm2: f64,
    pub update2: f64,
    pub limit2: f64,
}

/// One step for each input and its rate, with the scores of an input read from the table and its row; returns how many were taken before
/// the norm passed its limit.
#[inline(always)]
fn steps_here(
    state: &mut Single<'_>,
    inputs: &[u32],
    rates: &[f64],
    score: impl Fn(&[f64], &[f64], usize) -> f64,
) -> usize {
    let n = state.labels.len();
    let (m, width) = (state.coefficients.len() / n, state.rows.len() / n);
    let mut buffer = vec![0.0; 3 * m];
    let (own, rest) = buffer.split_at_mut(m);
    let (delta, change) = rest.split_at_mut(m);
    for (done, (&x, &rate)) in inputs.iter().zip(rates).enumerate() {
        let x = x as usize;
        let y = state.labels[x];
        let row = &state.rows[x * width..][..width];
        for (own, table) in own.iter_mut().zip(state.table.chunks_exact(width)) {
            *own = score(table, row, x);
        }
        correction(own, y, delta);
        for (z, delta) in delta.iter_mut().enumerate() {
            *delta = if state.leading && z != y { 0.0 } else { rate * *delta };
        }
        through_gram(state.gram, delta, change);
        let (mut along, mut square) = (0.0, 0.0);
        for z in 0..m {
            state.coefficients[x * m + z] += delta[z];
            along += delta[z] * own[z];
            square += delta[z] * change[z];
        }
        state.update2 = square * state.squares[x];
        state.norm2 += 2.0 * along + state.update2;
        add_outer_here(state.table, change, row);
        if state.norm2.is_nan() || state.norm2 > state.limit2 {
            return done + 1;
        }
    }
    inputs.len()
}

vectorized! {
    /// Steps on the score table.
    pub(super) fn single_steps(state: &mut Single<'_>, inputs: &[u32], rates: &[f64]) -> usize {
        steps_here(state, inputs, rates, |scores, _, x| scores[x])
    }
}

vectorized! {
    /// Steps on `U W`.
    pub(super) fn single_class_steps(state: &mut Single<'_>, inputs: &[u32], rates: &[f64]) -> usize {
        steps_here(state, inputs, rates, |class, input, _| class.iter().zip(input).map(|(c, e)| c * e).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_keep_small_numbers() {
        let mut out = [0.0; 3];
        correction(&[0.0; 3], 1, &mut out);
        assert!((out[1] - 2.0 / 3.0).abs() < 1e-15 && (out[0] + 1.0 / 3.0).abs() < 1e-15);
        // 1 - p would round to zero at a score of 50.
        correction(&[50.0, 0.0, 0.0], 0, &mut out);
        assert!((out[0] / (2.0 * (-50f64).exp()) - 1.0).abs() < 1e-14);
        assert!((out.iter().sum::<f64>()).abs() < 1e-30);
        correction(&[1e9, 0.0, -1e9], 1, &mut out);
        assert_eq!(out, [-1.0, 1.0, 0.0]);
        correction(&[3.0], 0, &mut out[..1]);
        assert_eq!(out[0], 0.0);
    }

    #[test]
    fn batches_add_up() {
        let (n, m) = (6, 3);
        let kernel: Vec<f64> = (0..n * n).map(|i| (i as f64).sin()).collect();
        let inputs = [4u32, 0, 2, 5, 1, 3, 2];
        let changes: Vec<f64> = (0..inputs.len() * m).map(|i| (i as f64).cos()).collect();
        let mut scores = vec![1.0; m * n];
        add_batch(&mut scores, &inputs, &changes, &kernel, n, m);
        for z in 0..m {
            for x in 0..n {
                let sum: f64 =
                    inputs.iter().enumerate().map(|(i, &at)| changes[i * m + z] * kernel[at as usize * n + x]).sum();
                assert!((scores[z * n + x] - 1.0 - sum).abs() < 1e-13);
            }
        }
    }
}
