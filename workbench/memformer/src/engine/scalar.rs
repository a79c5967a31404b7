//! The pass of [`super::vector`] with one number for each pair of layers, in a dimension known to the compiler: what the trainings of the
//! checks spend their time on.
//!
//! Every sum is formed in the order of that pass, so that a training is the same bit for bit: a run of thousands of steps makes of another
//! rounding another model.

use super::ops::{symmetric_body, triangle};
use super::small::{Vector, difference, dot, load, plus, put, shared, shared_transposed};
use super::vector::{Scratch, add_totals, stride};
use super::weights::{Weights, entry};
use workbench_ground::lanes::Lanes;

/// Sum of squared errors over the groups in `data`; with `gradient` also minus half its gradient, added there.
#[inline(always)]
pub(super) fn pass<V: Lanes, const D: usize>(
    data: &[V],
    weights: &Weights<V::Scalar>,
    lambda: &[V::Scalar],
    scratch: &mut Scratch<V>,
    gradient: Option<&mut [f64]>,
) -> f64 {
    let depth = weights.depth;
    let layer = depth * D;
    let mut loss = V::zero();
    let wanted = gradient.is_some();
    scratch.sums.fill(V::zero());
    for tile in data.chunks(scratch.tile * stride(D)) {
        let groups = tile.len() / stride(D);
        for (t, group) in tile.chunks_exact(stride(D)).enumerate() {
            let at = t * layer..(t + 1) * layer;
            let query: Vector<V, D> = load(&group[triangle(D) + 2 * D..]);
            let (cross, step) = (&mut scratch.cross[at.clone()], &mut scratch.step[at.clone()]);
            let mut u: Vector<V, D> = load(&group[triangle(D) + D..]);
            for l in 0..depth {
                let c = match l {
                    0 => load(&group[triangle(D)..]),
                    _ => symmetric(group, &u),
                };
                let rho = shared_transposed(&weights.a[l * D * D..], &c);
                put(&mut cross[l * D..], &c);
                put(&mut step[l * D..], &rho);
                for j in 0..=l {
                    let (lambda, rho): (V, Vector<V, D>) = (V::splat(lambda[entry(l, j)]), load(&step[j * D..]));
                    for (u, rho) in u.iter_mut().zip(rho) {
                        *u = u.minus(lambda, rho);
                    }
                }
            }
            let error = dot(&u, &query);
            loss = loss.plus(error, error);
            if wanted {
                let (back, left) = (&mut scratch.back[at.clone()], &mut scratch.left[at]);
                let sums = &mut scratch.sums[weights.mixing_from()..];
                let mut p: Vector<V, D> = std::array::from_fn(|i| query[i].mul(error));
                for l in (0..depth).rev() {
                    put(&mut left[l * D..], &p);
                    for (sum, rho) in sums[entry(l, 0)..].iter_mut().zip(step.chunks_exact(D)).take(l + 1) {
                        *sum = sum.add(dot(&p, &load(rho)));
                    }
                    let mut a = [V::zero(); D];
                    for k in l..depth {
                        a = plus(&a, V::splat(lambda[entry(k, l)]), &load(&left[k * D..]));
                    }
                    put(&mut back[l * D..], &a);
                    if l > 0 {
                        p = difference(&p, &symmetric(group, &shared(&weights.a[l * D * D..], &a)));
                    }
                }
            }
        }
        if wanted {
            scratch.add_preconditioners(depth, D, groups);
        }
    }
    if let Some(gradient) = gradient {
        add_totals(&scratch.sums, gradient);
    }
    loss.total()
}

/// H x, from the lower triangle of H: the same sums, with d known.
#[inline(always)]
fn symmetric<V: Lanes, const D: usize>(h: &[V], x: &Vector<V, D>) -> Vector<V, D> {
    let mut y = [V::zero(); D];
    symmetric_body(h, x, &mut y, D);
    y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::vector;
    use crate::engine::weights::Mixing;
    use workbench_ground::lanes::{PortableDouble, PortableSingle, Real};

    /// Loss and gradient of both passes on the same numbers.
    fn both<V: Lanes, const D: usize>(depth: usize) -> [(f64, Vec<f64>); 2] {
        let number = |i: usize| V::Scalar::of(((7 * i + 3) as f64).sin() / D as f64);
        let lambda: Vec<V::Scalar> = (0..entry(depth, 0)).map(number).collect();
        let weights = Weights {
            depth,
            dim: D,
            a: (0..depth * D * D).map(|i| number(i + 1000)).collect(),
            b: Vec::new(),
            mixing: Mixing::Scalar(lambda.clone()),
        };
        // More groups than a tile, and a last tile that is not full.
        let groups = 37 * stride(D);
        let lanes = |i: usize| (0..V::N).map(|k| number(2000 + i * V::N + k)).collect::<Vec<_>>();
        let data: Vec<V> = (0..groups).map(|i| V::from_slice(&lanes(i))).collect();
        let len = weights.gradient_len();
        let mut scratch = Scratch::new(depth, D, len);
        let (mut one, mut other) = (vec![0.0; len], vec![0.0; len]);
        let a = pass::<V, D>(&data, &weights, &lambda, &mut scratch, Some(&mut one));
        let b = vector::pass(&data, &weights, &mut scratch, Some(&mut other));
        [(a, one), (b, other)]
    }

    #[test]
    fn it_is_the_pass_for_all_registers_bit_for_bit() {
        for depth in [1, 2, 4, 7] {
            let [here, there] = both::<PortableSingle, 5>(depth);
            assert!(here == there && here.0 > 0.0, "{depth} layers, single precision");
            let [here, there] = both::<PortableDouble, 5>(depth);
            assert_eq!(here, there);
            let [here, there] = both::<PortableDouble, 10>(depth);
            assert_eq!(here, there);
        }
    }
}
