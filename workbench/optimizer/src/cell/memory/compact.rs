//! The compact memory: two sums of features.

use workbench_features::{MapKind, discount_of};

use super::{Asked, Asking, Past};
use crate::Error;
use crate::cell::layers::{product, transposed};
use crate::number::CellNumber;

/// Columns of the state whose sums are kept in registers together.
const TOGETHER: usize = 8;

/// Features of keys and queries, and how the past is discounted.
///
/// The fixed weights are the projections, row by row, and for each of them $\ln D-\frac12\ln r-\widehat A\lVert\omega\rVert^2$.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compact {
    pub features: usize,
    pub projections: usize,
    pub map: MapKind,
    hidden: usize,
    discount: f64,
    /// $B=\sqrt{1+4\widehat A}$.
    scale: f64,
}

impl Compact {
    /// **Errors**: no features, an odd number for a hyperbolic map, a negative tau or A-hat.
    pub fn new(features: usize, map: MapKind, tau: f64, hidden: usize) -> Result<Compact, Error> {
        let projections = map.projections(features)?;
        workbench_ground::check::not_negative("Memory::Compact", "A-hat", map.a_hat())?;
        Ok(Compact {
            features,
            projections,
            map,
            hidden,
            discount: discount_of(tau)?,
            scale: (1.0 + 4.0 * map.a_hat()).sqrt(),
        })
    }

    /// $\phi(q)$, $\phi(k)$ and $1/\phi(q)^\top\Psi$.
    pub fn tape_len(&self) -> usize {
        2 * self.features + 1
    }

    /// $\phi_i(z)=e^{o_i\pm B\omega_i^\top z-|z|^2/2}$.
    #[inline(always)]
    fn map<N: CellNumber>(&self, fixed: &[N::Shared], z: &[N], out: &mut [N]) {
        let p = self.projections;
        let (projections, offsets) = fixed.split_at(p * self.hidden);
        let mut square = N::zero();
        for z in z {
            square = square.plus(*z, *z);
        }
        let (half, scale) = (square * N::of(-0.5), N::of(self.scale));
        let (plus, minus) = out.split_at_mut(p);
        plus.fill(N::zero());
        product(projections, z, plus);
        if self.map.is_hyperbolic() {
            for ((plus, minus), offset) in plus.iter_mut().zip(minus).zip(offsets) {
                let (base, along) = (half + N::spread(*offset), *plus * scale);
                *plus = (base + along).exp();
                *minus = (base - along).exp();
            }
        } else {
            for (plus, offset) in plus.iter_mut().zip(offsets) {
                *plus = (half + N::spread(*offset)).plus(*plus, scale).exp();
            }
        }
    }

    /// Writes $\partial L/\partial z$; `d_features` is used up.
    #[inline(always)]
    fn map_adjoint<N: CellNumber>(
        &self,
        fixed: &[N::Shared],
        z: &[N],
        features: &[N],
        d_features: &mut [N],
        d_z: &mut [N],
    ) {
        let p = self.projections;
        let mut total = N::zero();
        for (d, feature) in d_features.iter_mut().zip(features) {
            *d = *d * *feature;
            total = total + *d;
        }
        let (plus, minus) = d_features.split_at_mut(p);
        let scale = N::of(self.scale);
        if self.map.is_hyperbolic() {
            for (plus, minus) in plus.iter_mut().zip(minus.iter()) {
                *plus = (*plus - *minus) * scale;
            }
        } else {
            for plus in plus.iter_mut() {
                *plus = *plus * scale;
            }
        }
        for (d, z) in d_z.iter_mut().zip(z) {
            *d = -(*z * total);
        }
        transposed(&fixed[..p * self.hidden], plus, d_z);
    }

    /// The sums take the pattern in and are read in one pass.
    #[inline(always)]
    pub fn forward<N: CellNumber>(
        &self,
        fixed: &[N::Shared],
        asked: Asked<'_, N>,
        state: &mut [N],
        tape: &mut [N],
        read: &mut [N],
    ) {
        let (r, d) = (self.features, self.hidden);
        let (phi_q, rest) = tape.split_at_mut(r);
        let (phi_k, inverse) = rest.split_at_mut(r);
        self.map(fixed, asked.query, phi_q);
        self.map(fixed, asked.key, phi_k);
        let discount = N::of(self.discount);
        let (sums, psi) = state.split_at_mut(r * d);
        let mut below = N::zero();
        for ((psi, q), k) in psi.iter_mut().zip(phi_q.iter()).zip(phi_k.iter()) {
            *psi = k.plus(*psi, discount);
            below = below.plus(*q, *psi);
        }
        inverse[0] = N::one() / below;
        let whole = d / TOGETHER * TOGETHER;
        for c in (0..whole).step_by(TOGETHER) {
            let mut above = [N::zero(); TOGETHER];
            let mut value = [N::zero(); TOGETHER];
            value.copy_from_slice(&asked.value[c..c + TOGETHER]);
            for ((row, q), k) in sums.chunks_exact_mut(d).zip(phi_q.iter()).zip(phi_k.iter()) {
                let row = &mut row[c..c + TOGETHER];
                for ((n, v), above) in row.iter_mut().zip(&value).zip(&mut above) {
                    *n = (*n * discount).plus(*k, *v);
                    *above = above.plus(*q, *n);
                }
            }
            for (read, above) in read[c..c + TOGETHER].iter_mut().zip(above) {
                *read = above * inverse[0];
            }
        }
        for c in whole..d {
            let mut above = N::zero();
            for ((row, q), k) in sums.chunks_exact_mut(d).zip(phi_q.iter()).zip(phi_k.iter()) {
                row[c] = (row[c] * discount).plus(*k, asked.value[c]);
                above = above.plus(*q, row[c]);
            }
            read[c] = above * inverse[0];
        }
    }

    /// Within a window the state before it is only read:
    ///
    /// $$ \phi(q_t)^\top\mathbf N_t=\lambda^t\phi(q_t)^\top\mathbf N_0+\sum_{j\le t}\lambda^{t-j}\,(\phi(q_t)^\top\phi(k_j))\,v_j^\top $$
    ///
    /// so the adjoint needs features and values of the window's steps, and no sums but the first.
    #[inline(always)]
    pub fn adjoint<N: CellNumber>(&self, fixed: &[N::Shared], past: Past<'_, N>, at: usize, asking: Asking<'_, N>) {
        let (r, d) = (self.features, self.hidden);
        let memory = past.at(at, past.memory, self.tape_len());
        let (phi_q, inverse) = (&memory[..r], memory[2 * r]);
        let read = past.at(at, past.read, d);
        // The slot of the value holds the derivative of the numerator until the end.
        let (d_phi, d_above) = (&mut asking.scratch[..r], asking.value);
        let mut d_below = N::zero();
        for ((above, d_read), read) in d_above.iter_mut().zip(asking.read).zip(read) {
            *above = *d_read * inverse;
            d_below = d_below.plus(*above, *read);
        }
        let d_below = -d_below;
        let (sums, psi) = past.window.state.split_at(r * d);
        let age = N::of(self.discount.powi(at as i32 + 1));
        for ((out, row), psi) in d_phi.iter_mut().zip(sums.chunks_exact(d)).zip(psi) {
            let mut sum = *psi * d_below;
            for (n, above) in row.iter().zip(d_above.iter()) {
                sum = sum.plus(*n, *above);
            }
            *out = sum * age;
        }
        let carry_len = r + d;
        for j in 0..=at {
            let age = N::of(self.discount.powi((at - j) as i32));
            let phi_k = &past.at(j, past.memory, 2 * r)[r..];
            let value = past.at(j, past.value, d);
            let (carry_k, carry_v) = asking.carry[j * carry_len..(j + 1) * carry_len].split_at_mut(r);
            let (mut along, mut kernel) = (d_below, N::zero());
            for (v, above) in value.iter().zip(d_above.iter()) {
                along = along.plus(*v, *above);
            }
            for (q, k) in phi_q.iter().zip(phi_k) {
                kernel = kernel.plus(*q, *k);
            }
            let (along, kernel) = (along * age, kernel * age);
            for (((out, carry), q), k) in d_phi.iter_mut().zip(carry_k).zip(phi_q).zip(phi_k) {
                *out = out.plus(along, *k);
                *carry = carry.plus(along, *q);
            }
            for (carry, above) in carry_v.iter_mut().zip(d_above.iter()) {
                *carry = carry.plus(kernel, *above);
            }
        }
        let query = past.at(at, past.query, d);
        self.map_adjoint(fixed, query, phi_q, d_phi, asking.query);
        let (carry_k, carry_v) = asking.carry[at * carry_len..(at + 1) * carry_len].split_at_mut(r);
        self.map_adjoint(fixed, past.at(at, past.key, d), &memory[r..2 * r], carry_k, asking.key);
        d_above.copy_from_slice(carry_v);
    }
}
