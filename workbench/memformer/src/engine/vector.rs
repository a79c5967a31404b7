//! The pass with B = 0: the covariates stay, and a prompt is a vector that shrinks from w* to w* - w_L.
//!
//! With u_l = w* - w_l, c_l = H u_l and rho_l = A_l^T c_l, a layer is u_{l+1} = u_l - sum_j Lambda_j^l rho_j, and the error of the
//! prediction is <u_L, q> with the query q. The adjoint p runs back from <u_L, q> q: a_l = sum_k Lambda_l^k^T p_{k+1},
//! p_l = p_{l+1} - H A_l a_l, and the gradients are -c_l a_l^T for A_l and -p_{l+1} rho_j^T for Lambda_j^l, times 2 / B.

use super::ops::{add_entries, dot, outer, shared, shared_transposed, symmetric, triangle};
use super::weights::{Mixing, Weights, entry};
use workbench_ground::lanes::{Lanes, Real};

/// Room for a tile of groups, kept between passes.
pub(super) struct Scratch<V> {
    pub(super) tile: usize,
    /// c_l, rho_l, a_l and p_{l+1} of each group and layer.
    pub(super) cross: Vec<V>,
    pub(super) step: Vec<V>,
    pub(super) back: Vec<V>,
    pub(super) left: Vec<V>,
    /// u or p, and two vectors in passing.
    state: Vec<V>,
    part: Vec<V>,
    other: Vec<V>,
    /// Minus half the gradient.
    pub(super) sums: Vec<V>,
}

impl<V: Lanes> Scratch<V> {
    /// Room for one kind of model.
    pub(super) fn new(depth: usize, d: usize, gradient: usize) -> Scratch<V> {
        /// What two of the arrays may take: most of the first-level cache.
        const BYTES: usize = 24 * 1024;
        let layer = depth * d;
        let tile = (BYTES / (2 * layer * size_of::<V>())).clamp(2, 16);
        let zeros = |n: usize| vec![V::zero(); n];
        Scratch {
            tile,
            cross: zeros(layer * tile),
            step: zeros(layer * tile),
            back: zeros(layer * tile),
            left: zeros(layer * tile),
            state: zeros(d),
            part: zeros(d),
            other: zeros(d),
            sums: zeros(gradient),
        }
    }

    /// Adds what the groups of a tile give to the sums of every A_l.
    #[inline(always)]
    pub(super) fn add_preconditioners(&mut self, depth: usize, d: usize, groups: usize) {
        for l in 0..depth {
            let (cross, back) = (&self.cross[l * d..], &self.back[l * d..]);
            outer(cross, back, depth * d, groups, &mut self.sums[l * d * d..], d);
        }
    }

    /// Whether it is room for this kind of model.
    pub(super) fn fits(&self, depth: usize, d: usize, gradient: usize) -> bool {
        self.cross.len() == depth * d * self.tile && self.state.len() == d && self.sums.len() == gradient
    }
}

/// Numbers per group: the triangle of H, then c_0 = H w*, u_0 = w* and the query.
pub(super) const fn stride(d: usize) -> usize {
    triangle(d) + 3 * d
}

/// Sum of squared errors over the groups in `data`; with `gradient` also minus half its gradient, added there.
#[inline(always)]
pub(super) fn pass<V: Lanes>(
    data: &[V],
    weights: &Weights<V::Scalar>,
    scratch: &mut Scratch<V>,
    gradient: Option<&mut [f64]>,
) -> f64 {
    let (depth, d) = (weights.depth, weights.dim);
    let layer = depth * d;
    let mut loss = V::zero();
    let wanted = gradient.is_some();
    scratch.sums.fill(V::zero());
    for tile in data.chunks(scratch.tile * stride(d)) {
        let groups = tile.len() / stride(d);
        for (t, group) in tile.chunks_exact(stride(d)).enumerate() {
            forward(group, weights, scratch, t, |_, _| {});
            let query = &group[triangle(d) + 2 * d..];
            let error = dot(&scratch.state, query);
            loss = loss.plus(error, error);
            if wanted {
                for (p, q) in scratch.state.iter_mut().zip(query) {
                    *p = q.mul(error);
                }
                backward(group, weights, scratch, t);
            }
        }
        if wanted {
            scratch.add_preconditioners(depth, d, groups);
            if let Mixing::Full(_) = weights.mixing {
                for (l, j) in pairs(depth) {
                    let (left, step) = (&scratch.left[l * d..], &scratch.step[j * d..]);
                    let from = weights.mixing_from() + entry(l, j) * d * d;
                    outer(left, step, layer, groups, &mut scratch.sums[from..], d);
                }
            }
        }
    }
    if let Some(gradient) = gradient {
        add_totals(&scratch.sums, gradient);
    }
    loss.total()
}

/// Adds the sums, over their lanes, to a gradient.
#[inline(always)]
pub(super) fn add_totals<V: Lanes>(sums: &[V], gradient: &mut [f64]) {
    for (gradient, sum) in gradient.iter_mut().zip(sums) {
        *gradient += sum.total();
    }
}

fn pairs(depth: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..depth).flat_map(|l| (0..=l).map(move |j| (l, j)))
}

/// Leaves u_L in `state`, and c_l and rho_l of every layer at place `t` of the tile; `each(l, u)` sees u_0 to u_L.
#[inline(always)]
pub(super) fn forward<V: Lanes>(
    group: &[V],
    weights: &Weights<V::Scalar>,
    scratch: &mut Scratch<V>,
    t: usize,
    mut each: impl FnMut(usize, &[V]),
) {
    let (depth, d) = (weights.depth, weights.dim);
    let at = t * depth * d..(t + 1) * depth * d;
    let (cross, step) = (&mut scratch.cross[at.clone()], &mut scratch.step[at]);
    let (u, moved) = (&mut scratch.state, &mut scratch.part);
    u.copy_from_slice(&group[triangle(d) + d..][..d]);
    cross[..d].copy_from_slice(&group[triangle(d)..][..d]);
    each(0, u);
    for l in 0..depth {
        if l > 0 {
            symmetric(group, u, &mut cross[l * d..], d);
        }
        shared_transposed(&weights.a[l * d * d..], &cross[l * d..], &mut step[l * d..], d);
        for j in 0..=l {
            let rho = &step[j * d..][..d];
            match &weights.mixing {
                Mixing::Plain if j < l => {}
                Mixing::Plain => {
                    for (u, rho) in u.iter_mut().zip(rho) {
                        *u = u.sub(*rho);
                    }
                }
                Mixing::Scalar(lambda) => {
                    let lambda = V::splat(lambda[entry(l, j)]);
                    for (u, rho) in u.iter_mut().zip(rho) {
                        *u = u.minus(lambda, *rho);
                    }
                }
                Mixing::Diagonal(lambda) => {
                    for ((u, rho), lambda) in u.iter_mut().zip(rho).zip(&lambda[entry(l, j) * d..]) {
                        *u = u.minus(V::splat(*lambda), *rho);
                    }
                }
                Mixing::Full(lambda) => {
                    shared(&lambda[entry(l, j) * d * d..], rho, moved, d);
                    for (u, moved) in u.iter_mut().zip(moved.iter()) {
                        *u = u.sub(*moved);
                    }
                }
            }
        }
        each(l + 1, u);
    }
}

/// The adjoint of one group, from p_L in `state`: a_l and p_{l+1} of every layer are left at place `t`, gradients of scalar and
/// diagonal Lambda are added up.
#[inline(always)]
fn backward<V: Lanes>(group: &[V], weights: &Weights<V::Scalar>, scratch: &mut Scratch<V>, t: usize) {
    let (depth, d) = (weights.depth, weights.dim);
    let at = t * depth * d..(t + 1) * depth * d;
    let step = &scratch.step[at.clone()];
    let (back, left) = (&mut scratch.back[at.clone()], &mut scratch.left[at]);
    let (p, part, other) = (&mut scratch.state, &mut scratch.part, &mut scratch.other);
    let sums = &mut scratch.sums[weights.mixing_from()..];
    for l in (0..depth).rev() {
        left[l * d..][..d].copy_from_slice(p);
        match &weights.mixing {
            Mixing::Scalar(_) => {
                for j in 0..=l {
                    let sum = &mut sums[entry(l, j)];
                    *sum = sum.add(dot(p, &step[j * d..]));
                }
            }
            Mixing::Diagonal(_) => {
                for j in 0..=l {
                    add_entries(&mut sums[entry(l, j) * d..], p, &step[j * d..], d);
                }
            }
            Mixing::Plain | Mixing::Full(_) => {}
        }
        // a_l.
        let a = &mut back[l * d..][..d];
        a.fill(V::splat(V::Scalar::of(0.0)));
        for k in l..depth {
            let p = &left[k * d..][..d];
            match &weights.mixing {
                Mixing::Plain if k > l => {}
                Mixing::Plain => a.copy_from_slice(p),
                Mixing::Scalar(lambda) => {
                    let lambda = V::splat(lambda[entry(k, l)]);
                    for (a, p) in a.iter_mut().zip(p) {
                        *a = a.plus(lambda, *p);
                    }
                }
                Mixing::Diagonal(lambda) => {
                    for ((a, p), lambda) in a.iter_mut().zip(p).zip(&lambda[entry(k, l) * d..]) {
                        *a = a.plus(V::splat(*lambda), *p);
                    }
                }
                Mixing::Full(lambda) => {
                    shared_transposed(&lambda[entry(k, l) * d * d..], p, part, d);
                    for (a, part) in a.iter_mut().zip(part.iter()) {
                        *a = a.add(*part);
                    }
                }
            }
        }
        if l > 0 {
            shared(&weights.a[l * d * d..], a, part, d);
            symmetric(group, part, other, d);
            for (p, pulled) in p.iter_mut().zip(other.iter()) {
                *p = p.sub(*pulled);
            }
        }
    }
}
