//! Products of two matrices, either transposed or not.

use workbench_ground::lanes::Lanes;

operation!(
    /// out = x y.
    product, product_body, (x: &[V], y: &[V], out: &mut [V])
);
#[inline(always)]
fn product_body<V: Lanes>(x: &[V], y: &[V], out: &mut [V], d: usize) {
    let (x, y, out) = (&x[..d * d], &y[..d * d], &mut out[..d * d]);
    for i in 0..d {
        by_columns!(d, |from, C| {
            let mut sums = [V::zero(); C];
            for k in 0..d {
                for (j, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.plus(x[i * d + k], y[k * d + from + j]);
                }
            }
            out[i * d + from..i * d + from + C].copy_from_slice(&sums);
        });
    }
}

operation!(
    /// out -= x y.
    subtract_product, subtract_product_body, (x: &[V], y: &[V], out: &mut [V])
);
#[inline(always)]
fn subtract_product_body<V: Lanes>(x: &[V], y: &[V], out: &mut [V], d: usize) {
    let (x, y, out) = (&x[..d * d], &y[..d * d], &mut out[..d * d]);
    for i in 0..d {
        by_columns!(d, |from, C| {
            let at = i * d + from;
            let mut sums: [V; C] = std::array::from_fn(|j| out[at + j]);
            for k in 0..d {
                for (j, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.minus(x[i * d + k], y[k * d + from + j]);
                }
            }
            out[at..at + C].copy_from_slice(&sums);
        });
    }
}

operation!(
    /// out += x y^T.
    add_product_transposed, add_product_transposed_body, (x: &[V], y: &[V], out: &mut [V])
);
#[inline(always)]
fn add_product_transposed_body<V: Lanes>(x: &[V], y: &[V], out: &mut [V], d: usize) {
    let (x, y, out) = (&x[..d * d], &y[..d * d], &mut out[..d * d]);
    for i in 0..d {
        by_columns!(d, |from, C| {
            let at = i * d + from;
            let mut sums: [V; C] = std::array::from_fn(|j| out[at + j]);
            for k in 0..d {
                for (j, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.plus(x[i * d + k], y[(from + j) * d + k]);
                }
            }
            out[at..at + C].copy_from_slice(&sums);
        });
    }
}

operation!(
    /// out = a x.
    shared_product, shared_product_body, (a: &[V::Scalar], x: &[V], out: &mut [V])
);
#[inline(always)]
fn shared_product_body<V: Lanes>(a: &[V::Scalar], x: &[V], out: &mut [V], d: usize) {
    let (a, x, out) = (&a[..d * d], &x[..d * d], &mut out[..d * d]);
    for i in 0..d {
        by_columns!(d, |from, C| {
            let mut sums = [V::zero(); C];
            for k in 0..d {
                for (j, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.plus(V::splat(a[i * d + k]), x[k * d + from + j]);
                }
            }
            out[i * d + from..i * d + from + C].copy_from_slice(&sums);
        });
    }
}

operation!(
    /// out = a^T x.
    shared_transposed_product, shared_transposed_product_body, (a: &[V::Scalar], x: &[V], out: &mut [V])
);
#[inline(always)]
fn shared_transposed_product_body<V: Lanes>(a: &[V::Scalar], x: &[V], out: &mut [V], d: usize) {
    let (a, x, out) = (&a[..d * d], &x[..d * d], &mut out[..d * d]);
    for i in 0..d {
        by_columns!(d, |from, C| {
            let mut sums = [V::zero(); C];
            for k in 0..d {
                for (j, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.plus(V::splat(a[k * d + i]), x[k * d + from + j]);
                }
            }
            out[i * d + from..i * d + from + C].copy_from_slice(&sums);
        });
    }
}

operation!(
    /// out -= a^T x.
    subtract_shared_transposed_product, subtract_shared_transposed_product_body, (a: &[V::Scalar], x: &[V], out: &mut [V])
);
#[inline(always)]
fn subtract_shared_transposed_product_body<V: Lanes>(a: &[V::Scalar], x: &[V], out: &mut [V], d: usize) {
    let (a, x, out) = (&a[..d * d], &x[..d * d], &mut out[..d * d]);
    for i in 0..d {
        by_columns!(d, |from, C| {
            let at = i * d + from;
            let mut sums: [V; C] = std::array::from_fn(|j| out[at + j]);
            for k in 0..d {
                for (j, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.minus(V::splat(a[k * d + i]), x[k * d + from + j]);
                }
            }
            out[at..at + C].copy_from_slice(&sums);
        });
    }
}

operation!(
    /// out = x y^T, which the caller knows to be symmetric: the lower triangle is mirrored.
    symmetric_product_transposed, symmetric_product_transposed_body, (x: &[V], y: &[V], out: &mut [V])
);
#[inline(always)]
fn symmetric_product_transposed_body<V: Lanes>(x: &[V], y: &[V], out: &mut [V], d: usize) {
    let (x, y, out) = (&x[..d * d], &y[..d * d], &mut out[..d * d]);
    for i in 0..d {
        for j in 0..=i {
            let mut sum = x[i * d].mul(y[j * d]);
            for k in 1..d {
                sum = sum.plus(x[i * d + k], y[j * d + k]);
            }
            out[i * d + j] = sum;
            out[j * d + i] = sum;
        }
    }
}

operation!(
    /// out = x y^T + y x^T.
    symmetrised_product_transposed, symmetrised_product_transposed_body, (x: &[V], y: &[V], out: &mut [V])
);
#[inline(always)]
fn symmetrised_product_transposed_body<V: Lanes>(x: &[V], y: &[V], out: &mut [V], d: usize) {
    let (x, y, out) = (&x[..d * d], &y[..d * d], &mut out[..d * d]);
    for i in 0..d {
        for j in 0..=i {
            let (mut one, mut other) = (x[i * d].mul(y[j * d]), y[i * d].mul(x[j * d]));
            for k in 1..d {
                one = one.plus(x[i * d + k], y[j * d + k]);
                other = other.plus(y[i * d + k], x[j * d + k]);
            }
            out[i * d + j] = one.add(other);
            out[j * d + i] = one.add(other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{dense, same, values};
    use super::*;

    /// x y with either factor transposed, the slow way.
    fn slow(x: &[f64], turn_x: bool, y: &[f64], turn_y: bool, d: usize) -> Vec<f64> {
        let at = |m: &[f64], transposed: bool, i: usize, j: usize| if transposed { m[j * d + i] } else { m[i * d + j] };
        (0..d * d).map(|ij| (0..d).map(|k| at(x, turn_x, ij / d, k) * at(y, turn_y, k, ij % d)).sum()).collect()
    }

    #[test]
    fn products_are_those_of_plain_loops() {
        for d in [1, 2, 3, 5, 6, 8, 10] {
            let (x, y) = (values(d * d, 1), values(d * d, 2));
            let (fx, fy) = (dense(&x), dense(&y));
            let mut out = values(d * d, 3);
            let before = dense(&out);
            let plus =
                |sign: f64, w: Vec<f64>| -> Vec<f64> { w.iter().zip(&before).map(|(w, b)| b + sign * w).collect() };
            subtract_product(&x, &y, &mut out, d);
            same(&out, &plus(-1.0, slow(&fx, false, &fy, false, d)));
            let mut out = values(d * d, 3);
            add_product_transposed(&x, &y, &mut out, d);
            same(&out, &plus(1.0, slow(&fx, false, &fy, true, d)));
            let mut out = values(d * d, 3);
            subtract_shared_transposed_product(&fx, &y, &mut out, d);
            same(&out, &plus(-1.0, slow(&fx, true, &fy, false, d)));
            product(&x, &y, &mut out, d);
            same(&out, &slow(&fx, false, &fy, false, d));
            shared_product(&fx, &y, &mut out, d);
            same(&out, &slow(&fx, false, &fy, false, d));
            shared_transposed_product(&fx, &y, &mut out, d);
            same(&out, &slow(&fx, true, &fy, false, d));
            symmetric_product_transposed(&x, &x, &mut out, d);
            same(&out, &slow(&fx, false, &fx, true, d));
            symmetrised_product_transposed(&x, &y, &mut out, d);
            let (one, two) = (slow(&fx, false, &fy, true, d), slow(&fy, false, &fx, true, d));
            same(&out, &one.iter().zip(&two).map(|(a, b)| a + b).collect::<Vec<_>>());
        }
    }
}
