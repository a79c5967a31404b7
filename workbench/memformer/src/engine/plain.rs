//! The pass of [`super::vector`] without registers, in five dimensions: preconditioned gradient descent, which the benchmarks time.

use super::ops::triangle;
use super::small::{Vector, difference, dot, load, minus_shared_transposed, put, shared, symmetric};
use super::vector::{Scratch, add_totals, stride};
use super::weights::Weights;
use workbench_ground::lanes::Lanes;

/// Sum of squared errors over the groups in `data`; with `gradient` also minus half its gradient, added there.
///
/// The error is taken in the middle: <u_L, q> = <u_{L-1}, q> - <c_{L-1}, A_{L-1} q>, and the adjoint needs A_{L-1} q as well.
#[inline(always)]
pub(super) fn pass<V: Lanes, const D: usize>(
    data: &[V],
    weights: &Weights<V::Scalar>,
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
            let cross = &mut scratch.cross[t * layer..][..layer];
            let mut c: Vector<V, D> = load(&group[triangle(D)..]);
            let mut u: Vector<V, D> = load(&group[triangle(D) + D..]);
            let query: Vector<V, D> = load(&group[triangle(D) + 2 * D..]);
            put(cross, &c);
            for l in 1..depth {
                u = minus_shared_transposed(&u, &weights.a[(l - 1) * D * D..], &c);
                c = symmetric(group, &u);
                put(&mut cross[l * D..], &c);
            }
            let last = shared(&weights.a[(depth - 1) * D * D..], &query);
            let error = dot(&u, &query).sub(dot(&c, &last));
            loss = loss.plus(error, error);
            if wanted {
                let back = &mut scratch.back[t * layer..][..layer];
                let mut p: Vector<V, D> = std::array::from_fn(|i| query[i].mul(error));
                let mut through: Vector<V, D> = std::array::from_fn(|i| last[i].mul(error));
                for l in (1..depth).rev() {
                    put(&mut back[l * D..], &p);
                    p = difference(&p, &symmetric(group, &through));
                    if l > 1 {
                        through = shared(&weights.a[(l - 1) * D * D..], &p);
                    }
                }
                put(back, &p);
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
