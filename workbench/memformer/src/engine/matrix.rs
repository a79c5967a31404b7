//! The pass with B trained too: every layer maps the covariates X to a matrix times X, and still only H, w* and the query matter.
//!
//! With X_l = M_l X_0, in the coordinates of X_0:
//! c_l = M_l H u_l, rho_l = M_l^T A_l^T c_l, u_{l+1} = u_l - sum_j lambda_j^l rho_j, error <u_L, q>;
//! H_l = M_l H M_l^T, K_l = B_l H_l A_l M_l, M_{l+1} = M_l - sum_j lambda_j^l K_j. The adjoint mirrors these lines from the last to the first.

use super::ops::products::*;
use super::ops::*;
use super::vector::{add_totals, stride};
use super::weights::{Mixing, Weights, entry};
use workbench_ground::lanes::{Lanes, Real};

/// What the forward pass leaves for the adjoint, per layer.
struct Layer<V> {
    /// M_l.
    map: Vec<V>,
    /// M_l H.
    mapped: Vec<V>,
    /// H_l.
    gram: Vec<V>,
    /// A_l M_l.
    preconditioned: Vec<V>,
    /// H_l A_l M_l.
    scores: Vec<V>,
    /// K_l.
    change: Vec<V>,
    /// H u_l.
    pull: Vec<V>,
    /// c_l.
    cross: Vec<V>,
    /// A_l^T c_l.
    direction: Vec<V>,
    /// rho_l.
    step: Vec<V>,
    /// Adjoint of u_{l+1}.
    left: Vec<V>,
    /// Adjoint of M_{l+1}.
    left_map: Vec<V>,
}

/// Room for one group.
pub(super) struct Scratch<V> {
    layers: Vec<Layer<V>>,
    /// u or p, M or its adjoint, H in full, and matrices and vectors in passing.
    state: Vec<V>,
    map: Vec<V>,
    full: Vec<V>,
    matrices: [Vec<V>; 3],
    vectors: [Vec<V>; 5],
    sums: Vec<V>,
}

impl<V: Lanes> Scratch<V> {
    /// Room for one kind of model.
    pub(super) fn new(depth: usize, d: usize, gradient: usize) -> Scratch<V> {
        let vector = || vec![V::zero(); d];
        let matrix = || vec![V::zero(); d * d];
        let layer = || Layer {
            map: matrix(),
            mapped: matrix(),
            gram: matrix(),
            preconditioned: matrix(),
            scores: matrix(),
            change: matrix(),
            pull: vector(),
            cross: vector(),
            direction: vector(),
            step: vector(),
            left: vector(),
            left_map: matrix(),
        };
        Scratch {
            layers: (0..depth).map(|_| layer()).collect(),
            state: vector(),
            map: matrix(),
            full: matrix(),
            matrices: [matrix(), matrix(), matrix()],
            vectors: [vector(), vector(), vector(), vector(), vector()],
            sums: vec![V::zero(); gradient],
        }
    }
}

/// Sum of squared errors over the groups in `data`; with `gradient` also minus half its gradient, added there.
#[inline(always)]
pub(super) fn pass<V: Lanes>(
    data: &[V],
    weights: &Weights<V::Scalar>,
    scratch: &mut Scratch<V>,
    gradient: Option<&mut [f64]>,
) -> f64 {
    let d = weights.dim;
    let mut loss = V::zero();
    scratch.sums.fill(V::zero());
    for group in data.chunks_exact(stride(d)) {
        forward(group, weights, scratch, |_, _| {});
        let query = &group[triangle(d) + 2 * d..];
        let error = dot(&scratch.state, query);
        loss = loss.plus(error, error);
        if gradient.is_some() {
            for (p, q) in scratch.state.iter_mut().zip(query) {
                *p = q.mul(error);
            }
            backward(group, weights, scratch);
        }
    }
    if let Some(gradient) = gradient {
        add_totals(&scratch.sums, gradient);
    }
    loss.total()
}

/// The coefficient of register j at layer l; `None` if it is zero because there are no registers.
#[inline(always)]
fn coefficient<V: Lanes>(weights: &Weights<V::Scalar>, l: usize, j: usize) -> Option<V> {
    match &weights.mixing {
        Mixing::Scalar(lambda) => Some(V::splat(lambda[entry(l, j)])),
        _ => (l == j).then(|| V::splat(V::Scalar::of(1.0))),
    }
}

/// y += c x.
#[inline(always)]
fn add_scaled<V: Lanes>(y: &mut [V], c: V, x: &[V]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = y.plus(c, *x);
    }
}

/// y -= c x.
#[inline(always)]
fn subtract_scaled<V: Lanes>(y: &mut [V], c: V, x: &[V]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = y.minus(c, *x);
    }
}

/// `each(l, u)` sees u_0 to u_L.
#[inline(always)]
pub(super) fn forward<V: Lanes>(
    group: &[V],
    weights: &Weights<V::Scalar>,
    scratch: &mut Scratch<V>,
    mut each: impl FnMut(usize, &[V]),
) {
    let (depth, d) = (weights.depth, weights.dim);
    let Scratch { layers, state: u, map, full, .. } = scratch;
    u.copy_from_slice(&group[triangle(d) + d..][..d]);
    unpack(group, full, d);
    map.fill(V::zero());
    for i in 0..d {
        map[i * d + i] = V::splat(V::Scalar::of(1.0));
    }
    each(0, u);
    for l in 0..depth {
        let a = &weights.a[l * d * d..][..d * d];
        let layer = &mut layers[l];
        if l == 0 {
            layer.pull.copy_from_slice(&group[triangle(d)..][..d]);
            layer.cross.copy_from_slice(&layer.pull);
            shared_transposed(a, &layer.cross, &mut layer.direction, d);
            layer.step.copy_from_slice(&layer.direction);
        } else {
            symmetric(group, u, &mut layer.pull, d);
            apply(map, &layer.pull, &mut layer.cross, d);
            shared_transposed(a, &layer.cross, &mut layer.direction, d);
            apply_transposed(map, &layer.direction, &mut layer.step, d);
        }
        layer.map.copy_from_slice(map);
        let last = l + 1 == depth;
        if !last {
            if l == 0 {
                layer.gram.copy_from_slice(full);
                for (entry, a) in layer.preconditioned.iter_mut().zip(a) {
                    *entry = V::splat(*a);
                }
            } else {
                product(map, full, &mut layer.mapped, d);
                symmetric_product_transposed(&layer.mapped, map, &mut layer.gram, d);
                shared_product(a, map, &mut layer.preconditioned, d);
            }
            product(&layer.gram, &layer.preconditioned, &mut layer.scores, d);
            shared_product(&weights.b[l * d * d..], &layer.scores, &mut layer.change, d);
        }
        for (j, layer) in layers[..=l].iter().enumerate() {
            if let Some(lambda) = coefficient::<V>(weights, l, j) {
                subtract_scaled(u, lambda, &layer.step);
                if !last {
                    subtract_scaled(map, lambda, &layer.change);
                }
            }
        }
        each(l + 1, u);
    }
}

/// The adjoint of one group, from p_L in `state`. What is added up is minus half the gradient.
#[inline(always)]
fn backward<V: Lanes>(group: &[V], weights: &Weights<V::Scalar>, scratch: &mut Scratch<V>) {
    let (depth, d) = (weights.depth, weights.dim);
    let from = weights.mixing_from();
    let Scratch {
        layers,
        state: p,
        map: pm,
        matrices: [change, scores, adjoint],
        vectors: [rho, direction, cross, pull, moved],
        sums,
        ..
    } = scratch;
    // Nothing reads M_L.
    pm.fill(V::zero());
    for l in (0..depth).rev() {
        let last = l + 1 == depth;
        let a = &weights.a[l * d * d..][..d * d];
        layers[l].left.copy_from_slice(p);
        layers[l].left_map.copy_from_slice(pm);
        if let Mixing::Scalar(_) = &weights.mixing {
            for (j, layer) in layers[..=l].iter().enumerate() {
                let mut sum = dot(p, &layer.step);
                if !last {
                    sum = sum.add(dot(pm, &layer.change));
                }
                let place = &mut sums[from + entry(l, j)];
                *place = place.add(sum);
            }
        }
        // Adjoints of rho_l and K_l.
        rho.fill(V::zero());
        change.fill(V::zero());
        for (k, later) in layers.iter().enumerate().skip(l) {
            if let Some(lambda) = coefficient::<V>(weights, k, l) {
                add_scaled(rho, lambda, &later.left);
                if k + 1 < depth {
                    add_scaled(change, lambda, &later.left_map);
                }
            }
        }
        let layer = &layers[l];
        // rho = M^T A^T c, c = M H u.
        if l == 0 {
            add_outer(&mut sums[..d * d], &layer.cross, rho, d);
        } else {
            apply(&layer.map, rho, direction, d);
            add_outer(&mut sums[l * d * d..], &layer.cross, direction, d);
            shared(a, direction, cross, d);
            apply_transposed(&layer.map, cross, pull, d);
            symmetric(group, pull, moved, d);
            for (p, moved) in p.iter_mut().zip(moved.iter()) {
                *p = p.sub(*moved);
            }
            subtract_outer(pm, &layer.direction, rho, d);
            subtract_outer(pm, cross, &layer.pull, d);
        }
        if !last {
            // K = B G, G = H_l F, F = A M, H_l = M H M^T.
            add_product_transposed(change, &layer.scores, &mut sums[(depth + l) * d * d..], d);
            shared_transposed_product(&weights.b[l * d * d..], change, scores, d);
            product(&layer.gram, scores, adjoint, d);
            if l == 0 {
                for (sum, entry) in sums[..d * d].iter_mut().zip(adjoint.iter()) {
                    *sum = sum.add(*entry);
                }
            } else {
                add_product_transposed(adjoint, &layer.map, &mut sums[l * d * d..], d);
                subtract_shared_transposed_product(a, adjoint, pm, d);
                symmetrised_product_transposed(scores, &layer.preconditioned, change, d);
                subtract_product(change, &layer.mapped, pm, d);
            }
        }
    }
}
