//! Products for a dimension known at compile time: everything unrolls and stays in registers.

use super::ops::triangle;
use workbench_ground::lanes::Lanes;

/// A vector per prompt.
pub(super) type Vector<V, const D: usize> = [V; D];

/// The first `D` values.
#[inline(always)]
pub(super) fn load<V: Lanes, const D: usize>(from: &[V]) -> Vector<V, D> {
    let from = &from[..D];
    std::array::from_fn(|i| from[i])
}

/// Writes the first `D` values.
#[inline(always)]
pub(super) fn put<V: Lanes, const D: usize>(to: &mut [V], value: &Vector<V, D>) {
    to[..D].copy_from_slice(value);
}

#[inline(always)]
pub(super) fn dot<V: Lanes, const D: usize>(x: &Vector<V, D>, y: &Vector<V, D>) -> V {
    let mut sum = x[0].mul(y[0]);
    for i in 1..D {
        sum = sum.plus(x[i], y[i]);
    }
    sum
}

/// x - y.
#[inline(always)]
pub(super) fn difference<V: Lanes, const D: usize>(x: &Vector<V, D>, y: &Vector<V, D>) -> Vector<V, D> {
    std::array::from_fn(|i| x[i].sub(y[i]))
}

/// H x, from the lower triangle of H, row by row.
#[inline(always)]
pub(super) fn symmetric<V: Lanes, const D: usize>(h: &[V], x: &Vector<V, D>) -> Vector<V, D> {
    let h = &h[..triangle(D)];
    let mut y = [V::zero(); D];
    for i in 0..D {
        let row = triangle(i);
        for j in 0..i {
            y[i] = y[i].plus(h[row + j], x[j]);
            y[j] = y[j].plus(h[row + j], x[i]);
        }
        y[i] = y[i].plus(h[row + i], x[i]);
    }
    y
}

/// a x with one matrix for all prompts, row-major.
#[inline(always)]
pub(super) fn shared<V: Lanes, const D: usize>(a: &[V::Scalar], x: &Vector<V, D>) -> Vector<V, D> {
    let a = &a[..D * D];
    let mut y = [V::zero(); D];
    for k in 0..D {
        for i in 0..D {
            y[i] = y[i].plus(V::splat(a[i * D + k]), x[k]);
        }
    }
    y
}

/// a^T x with one matrix for all prompts, row-major.
#[inline(always)]
pub(super) fn shared_transposed<V: Lanes, const D: usize>(a: &[V::Scalar], x: &Vector<V, D>) -> Vector<V, D> {
    let a = &a[..D * D];
    let mut y = [V::zero(); D];
    for k in 0..D {
        for i in 0..D {
            y[i] = y[i].plus(V::splat(a[k * D + i]), x[k]);
        }
    }
    y
}

/// x + c y.
#[inline(always)]
pub(super) fn plus<V: Lanes, const D: usize>(x: &Vector<V, D>, c: V, y: &Vector<V, D>) -> Vector<V, D> {
    std::array::from_fn(|i| x[i].plus(c, y[i]))
}

/// x - a^T y with one matrix for all prompts, row-major.
#[inline(always)]
pub(super) fn minus_shared_transposed<V: Lanes, const D: usize>(
    x: &Vector<V, D>,
    a: &[V::Scalar],
    y: &Vector<V, D>,
) -> Vector<V, D> {
    let a = &a[..D * D];
    let mut out = *x;
    for k in 0..D {
        for i in 0..D {
            out[i] = out[i].minus(V::splat(a[k * D + i]), y[k]);
        }
    }
    out
}
