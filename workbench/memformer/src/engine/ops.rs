//! Small matrices and vectors, one prompt per lane, from memory to memory; five columns at a time stay in registers.
//!
//! Each is compiled for d = 5 and for any d. `a` is one matrix for all prompts; everything else has a value per lane.

use workbench_ground::lanes::Lanes;

/// Numbers in the lower triangle of a symmetric matrix.
pub(super) const fn triangle(d: usize) -> usize {
    d * (d + 1) / 2
}

/// Runs a block of code for columns `from..from + C`, with C a constant.
macro_rules! by_columns {
    ($d:expr, |$from:ident, $c:ident| $body:block) => {
        let mut $from = 0;
        while $from + 5 <= $d {
            const $c: usize = 5;
            $body
            $from += 5;
        }
        while $from < $d {
            const $c: usize = 1;
            $body
            $from += 1;
        }
    };
}

macro_rules! operation {
    ($(#[$doc:meta])* $name:ident, $body:ident, ($($arg:ident: $ty:ty),*)) => {
        $(#[$doc])*
        #[inline(never)]
        pub(in crate::engine) fn $name<V: Lanes>($($arg: $ty,)* d: usize) {
            V::vectorize(
                #[inline(always)]
                || if d == 5 { $body::<V>($($arg,)* 5) } else { $body::<V>($($arg,)* d) },
            )
        }
    };
}

pub(super) mod products;

operation!(
    /// y = H x, from the lower triangle of H, row by row.
    symmetric, symmetric_body, (h: &[V], x: &[V], y: &mut [V])
);
#[inline(always)]
pub(in crate::engine) fn symmetric_body<V: Lanes>(h: &[V], x: &[V], y: &mut [V], d: usize) {
    let (h, x, y) = (&h[..triangle(d)], &x[..d], &mut y[..d]);
    for i in 0..d {
        let row = triangle(i);
        let mut sum = h[row + i].mul(x[i]);
        for j in 0..i {
            sum = sum.plus(h[row + j], x[j]);
            y[j] = y[j].plus(h[row + j], x[i]);
        }
        y[i] = sum;
    }
}

operation!(
    /// y = a x.
    shared, shared_body, (a: &[V::Scalar], x: &[V], y: &mut [V])
);
#[inline(always)]
fn shared_body<V: Lanes>(a: &[V::Scalar], x: &[V], y: &mut [V], d: usize) {
    let (a, x, y) = (&a[..d * d], &x[..d], &mut y[..d]);
    by_columns!(d, |from, C| {
        let mut sums = [V::zero(); C];
        for k in 0..d {
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = sum.plus(V::splat(a[(from + i) * d + k]), x[k]);
            }
        }
        y[from..from + C].copy_from_slice(&sums);
    });
}

operation!(
    /// y = a^T x.
    shared_transposed, shared_transposed_body, (a: &[V::Scalar], x: &[V], y: &mut [V])
);
#[inline(always)]
fn shared_transposed_body<V: Lanes>(a: &[V::Scalar], x: &[V], y: &mut [V], d: usize) {
    let (a, x, y) = (&a[..d * d], &x[..d], &mut y[..d]);
    by_columns!(d, |from, C| {
        let mut sums = [V::zero(); C];
        for k in 0..d {
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = sum.plus(V::splat(a[k * d + from + i]), x[k]);
            }
        }
        y[from..from + C].copy_from_slice(&sums);
    });
}

operation!(
    /// y = m x.
    apply, apply_body, (m: &[V], x: &[V], y: &mut [V])
);
#[inline(always)]
fn apply_body<V: Lanes>(m: &[V], x: &[V], y: &mut [V], d: usize) {
    let (m, x, y) = (&m[..d * d], &x[..d], &mut y[..d]);
    by_columns!(d, |from, C| {
        let mut sums = [V::zero(); C];
        for k in 0..d {
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = sum.plus(m[(from + i) * d + k], x[k]);
            }
        }
        y[from..from + C].copy_from_slice(&sums);
    });
}

operation!(
    /// y = m^T x.
    apply_transposed, apply_transposed_body, (m: &[V], x: &[V], y: &mut [V])
);
#[inline(always)]
fn apply_transposed_body<V: Lanes>(m: &[V], x: &[V], y: &mut [V], d: usize) {
    let (m, x, y) = (&m[..d * d], &x[..d], &mut y[..d]);
    by_columns!(d, |from, C| {
        let mut sums = [V::zero(); C];
        for k in 0..d {
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = sum.plus(m[k * d + from + i], x[k]);
            }
        }
        y[from..from + C].copy_from_slice(&sums);
    });
}

operation!(
    /// m -= x y^T.
    subtract_outer, subtract_outer_body, (m: &mut [V], x: &[V], y: &[V])
);
#[inline(always)]
fn subtract_outer_body<V: Lanes>(m: &mut [V], x: &[V], y: &[V], d: usize) {
    let (m, x, y) = (&mut m[..d * d], &x[..d], &y[..d]);
    for i in 0..d {
        for k in 0..d {
            m[i * d + k] = m[i * d + k].minus(x[i], y[k]);
        }
    }
}

operation!(
    /// m += x y^T.
    add_outer, add_outer_body, (m: &mut [V], x: &[V], y: &[V])
);
#[inline(always)]
fn add_outer_body<V: Lanes>(m: &mut [V], x: &[V], y: &[V], d: usize) {
    let (m, x, y) = (&mut m[..d * d], &x[..d], &y[..d]);
    for i in 0..d {
        for k in 0..d {
            m[i * d + k] = m[i * d + k].plus(x[i], y[k]);
        }
    }
}

/// The full matrix of a lower triangle.
#[inline(always)]
pub(super) fn unpack<V: Lanes>(h: &[V], m: &mut [V], d: usize) {
    for i in 0..d {
        for j in 0..=i {
            m[i * d + j] = h[triangle(i) + j];
            m[j * d + i] = h[triangle(i) + j];
        }
    }
}

operation!(
    /// sums += x y, entry by entry.
    add_entries, add_entries_body, (sums: &mut [V], x: &[V], y: &[V])
);
#[inline(always)]
fn add_entries_body<V: Lanes>(sums: &mut [V], x: &[V], y: &[V], d: usize) {
    for ((sum, x), y) in sums[..d].iter_mut().zip(&x[..d]).zip(&y[..d]) {
        *sum = sum.plus(*x, *y);
    }
}

/// The sum of x y, entry by entry.
#[inline(always)]
pub(super) fn dot<V: Lanes>(x: &[V], y: &[V]) -> V {
    x.iter().zip(y).fold(V::zero(), |sum, (x, y)| sum.plus(*x, *y))
}

/// sums[i d + k] += sum_t left[t stride + i] right[t stride + k] for t < tile.
#[inline(never)]
pub(super) fn outer<V: Lanes>(left: &[V], right: &[V], stride: usize, tile: usize, sums: &mut [V], d: usize) {
    V::vectorize(
        #[inline(always)]
        || {
            let mut i = 0;
            while i < d {
                let rows = if V::ROWS == 5 && i + 5 <= d {
                    5
                } else if i + 2 <= d {
                    2
                } else {
                    1
                };
                by_columns!(d, |k, C| {
                    let (left, right, sums) = (&left[i..], &right[k..], &mut sums[i * d + k..]);
                    match rows {
                        5 => block::<V, 5, C>(left, right, stride, tile, sums, d),
                        2 => block::<V, 2, C>(left, right, stride, tile, sums, d),
                        _ => block::<V, 1, C>(left, right, stride, tile, sums, d),
                    }
                });
                i += rows;
            }
        },
    )
}

#[inline(always)]
fn block<V: Lanes, const R: usize, const C: usize>(
    left: &[V],
    right: &[V],
    stride: usize,
    tile: usize,
    sums: &mut [V],
    d: usize,
) {
    let mut held = [[V::zero(); C]; R];
    for (i, row) in held.iter_mut().enumerate() {
        row.copy_from_slice(&sums[i * d..][..C]);
    }
    for t in 0..tile {
        let x: [V; R] = std::array::from_fn(|i| left[t * stride..][..R][i]);
        let y: [V; C] = std::array::from_fn(|k| right[t * stride..][..C][k]);
        for (row, x) in held.iter_mut().zip(x) {
            for (sum, y) in row.iter_mut().zip(y) {
                *sum = sum.plus(x, y);
            }
        }
    }
    for (i, row) in held.iter().enumerate() {
        sums[i * d..][..C].copy_from_slice(row);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use workbench_ground::lanes::PortableDouble as P;

    pub(super) fn values(n: usize, seed: usize) -> Vec<P> {
        (0..n).map(|i| P::splat(((i + 31 * seed) as f64 * 0.37).sin())).collect()
    }

    pub(super) fn number(v: &P) -> f64 {
        v.total() / 4.0
    }

    pub(super) fn dense(v: &[P]) -> Vec<f64> {
        v.iter().map(number).collect()
    }

    pub(super) fn same(got: &[P], want: &[f64]) {
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            assert!((number(got) - want).abs() < 1e-12, "{} {want}", number(got));
        }
    }

    #[test]
    fn vectors_and_outer_products_are_those_of_plain_loops() {
        for d in [1, 2, 3, 5, 6, 8, 10] {
            let (m, x) = (values(d * d, 1), values(d, 2));
            let fm = dense(&m);
            let times = |transposed: bool| -> Vec<f64> {
                let entry = |i: usize, k: usize| if transposed { fm[k * d + i] } else { fm[i * d + k] };
                (0..d).map(|i| (0..d).map(|k| entry(i, k) * number(&x[k])).sum()).collect()
            };
            let mut y = values(d, 5);
            shared(&fm, &x, &mut y, d);
            same(&y, &times(false));
            shared_transposed(&fm, &x, &mut y, d);
            same(&y, &times(true));
            apply(&m, &x, &mut y, d);
            same(&y, &times(false));
            apply_transposed(&m, &x, &mut y, d);
            same(&y, &times(true));
            let h = values(triangle(d), 4);
            let mut full = vec![P::zero(); d * d];
            unpack(&h, &mut full, d);
            symmetric(&h, &x, &mut y, d);
            let want: Vec<f64> =
                (0..d).map(|i| (0..d).map(|k| number(&full[i * d + k]) * number(&x[k])).sum()).collect();
            same(&y, &want);
            let (tile, stride) = (7, d + 3);
            let (left, right) = (values(tile * stride, 6), values(tile * stride, 7));
            let mut sums = vec![P::splat(1.0); d * d];
            outer(&left, &right, stride, tile, &mut sums, d);
            let want: Vec<f64> = (0..d * d)
                .map(|ik| {
                    let term = |t: usize| number(&left[t * stride + ik / d]) * number(&right[t * stride + ik % d]);
                    1.0 + (0..tile).map(term).sum::<f64>()
                })
                .collect();
            same(&sums, &want);
            let mut sums = vec![P::splat(0.0); d * d];
            add_outer(&mut sums, &left, &right, d);
            subtract_outer(&mut sums, &left, &right, d);
            assert!(sums.iter().all(|v| number(v).abs() < 1e-15));
        }
    }
}
