//! Passes that keep what every layer leaves of every prompt, and form no sums.

use super::batch::Pack;
use super::ops::{dot, triangle};
use super::weights::Weights;
use super::{matrix, vector};
use crate::Error;
use ndarray::Array2;
use workbench_ground::lanes::{Lanes, Real};
use workbench_ground::work;

impl<V: Lanes> Pack<V> {
    /// Squared errors after each layer, `(L + 1, B)`.
    pub(super) fn trace(&self, weights: &Weights<V::Scalar>, out: &mut Array2<f64>) -> Result<(), Error> {
        let d = self.dim;
        let query = triangle(d) + 2 * d;
        let mut lanes = [V::Scalar::of(0.0); 16];
        self.layers(
            weights,
            #[inline(always)]
            |g, group, l, u| {
                let error = dot(u, &group[query..]);
                error.mul(error).write(&mut lanes[..V::N]);
                for (to, from) in out.row_mut(l).into_iter().skip(g * V::N).zip(&lanes[..V::N]) {
                    *to = from.wide();
                }
            },
        )
    }

    /// w* - w_l of each prompt b after each layer l: `see(b, l, miss)`.
    pub(super) fn misses(
        &self,
        weights: &Weights<V::Scalar>,
        prompts: usize,
        see: &mut dyn FnMut(usize, usize, &[f64]),
    ) -> Result<(), Error> {
        let d = self.dim;
        let mut lanes = [V::Scalar::of(0.0); 16];
        let mut rows = vec![0.0; V::N * d];
        self.layers(
            weights,
            #[inline(always)]
            |g, _, l, u| {
                for (i, u) in u.iter().enumerate() {
                    u.write(&mut lanes[..V::N]);
                    for (row, lane) in rows.chunks_exact_mut(d).zip(&lanes) {
                        row[i] = lane.wide();
                    }
                }
                for (b, row) in (g * V::N..prompts).zip(rows.chunks_exact(d)) {
                    see(b, l, row);
                }
            },
        )
    }

    /// The state after each layer of every group: `see(g, group, l, u)`.
    #[inline(always)]
    fn layers(&self, weights: &Weights<V::Scalar>, mut see: impl FnMut(usize, &[V], usize, &[V])) -> Result<(), Error> {
        let (depth, d) = (weights.depth, self.dim);
        let mut scratch = self.take(weights);
        let mut matrices = (!weights.b.is_empty()).then(|| matrix::Scratch::new(depth, d, weights.gradient_len()));
        let groups = self.data.len() / vector::stride(d);
        for (g, group) in self.data.chunks_exact(vector::stride(d)).enumerate() {
            if g.is_multiple_of(64) {
                work::check("Batch::losses", g, groups)?;
            }
            V::vectorize(
                #[inline(always)]
                || match &mut matrices {
                    Some(matrices) => matrix::forward(group, weights, matrices, |l, u| see(g, group, l, u)),
                    None => vector::forward(group, weights, &mut scratch, 0, |l, u| see(g, group, l, u)),
                },
            );
        }
        Ok(())
    }
}
