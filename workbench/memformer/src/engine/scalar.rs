//! The pass of [`super::vector`] with one number for each pair of layers, in a dimension known to the compiler: what the trainings of the
//! checks spend their time on.

use super::ops::{outer, triangle};
use super::small::{Vector, difference, dot, load, plus, put, shared, shared_turned, symmetric};
use super::vector::{Scratch, stride};
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
                let rho = shared_turned(&weights.a[l * D * D..], &c);
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
            for l in 0..depth {
                let (cross, back) = (&scratch.cross[l * D..], &scratch.back[l * D..]);
                outer(cross, back, layer, groups, &mut scratch.sums[l * D * D..], D);
            }
        }
    }
    if let Some(gradient) = gradient {
        for (gradient, sum) in gradient.iter_mut().zip(&scratch.sums) {
            *gradient += sum.total();
        }
    }
    loss.total()
}
