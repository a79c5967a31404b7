//! The thickened memory: one slice for each $\rho$, and the sums from which the best $\rho$ follows.

use super::memory::{check_rows, project, tile};
use super::{Draws, Error, FeatureMap, KernelMemory, KeySums, a_hat_with, rho_star};
use crate::memory::empty_memory;
use ndarray::{Array1, Array2};
use rayon::prelude::*;
use workbench_ground::check::{positive, within};

/// Tiles projected before the slices take their turn.
const TILES: usize = 8;

/// The thickened state $(\{\mathbf N_t^\rho\}_{\rho\in\Omega},\{\Psi_t^\rho\}_{\rho\in\Omega},\Sigma_t,\Lambda_t)$.
///
/// Every pattern is absorbed by a FAVOR++ memory for each $\rho\in\Omega$. A query computes $\gamma_t$ from $\Sigma_t$ and $\Lambda_t$,
/// $\rho^*$ from Eq. 11, and reads the slice whose $\rho$ is nearest. Time and space per pattern are c times those of one slice (less:
/// the projections are shared) and do not depend on the number of patterns.
///
/// **Source**: A.1.1, "Thickening Mnemosyne's memory".
///
/// **Shapes**: keys and queries `(dim)`, values `(dim_v)`.
///
/// ```
/// use ndarray::array;
/// use workbench_features::{Draws, ThickMemory, rho_grid};
/// let draws = Draws::from_rows(array![[0.5, 0.0], [0.0, -1.0]])?;
/// let mut memory = ThickMemory::new(&draws, &rho_grid(4)?, 1)?;
/// memory.absorb(&array![1.0, 0.0], &array![7.0])?;
/// let answer = memory.read(&array![1.0, 0.0])?; // gamma = 4: the slice next to rho*
/// assert_eq!(answer.rho, 0.125);
/// assert!((answer.value[0] - 7.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ThickMemory {
    rhos: Vec<f64>,
    slices: Vec<KernelMemory>,
    keys: KeySums,
}

/// What a thickened memory answers.
#[derive(Clone, Debug, PartialEq)]
pub struct ThickAnswer {
    /// The value, shape `(dim_v)`.
    pub value: Array1<f64>,
    /// $\gamma_t$ of the query.
    pub gamma: f64,
    /// $\rho^*$ of Eq. 11.
    pub rho_star: f64,
    /// The grid point used.
    pub rho: f64,
}

/// Centres of c equal chunks of (0, 1): $(i+\frac12)/c$.
///
/// **Source**: A.1.1, "discretizing interval (0, 1) into a fixed number of chunks c". **Errors**: c of zero.
pub fn rho_grid(c: usize) -> Result<Vec<f64>, Error> {
    positive("rho_grid", "number of chunks c", c)?;
    Ok((0..c).map(|i| (i as f64 + 0.5) / c as f64).collect())
}

impl ThickMemory {
    /// An empty memory with the given projections and grid, $\widehat A=(1/\rho-1)/8$.
    ///
    /// **Errors**: an empty grid, a rho outside (0, 1), `value_dim` of zero.
    pub fn new(draws: &Draws, rhos: &[f64], value_dim: usize) -> Result<ThickMemory, Error> {
        ThickMemory::with_kappa(draws, rhos, value_dim, 8.0)
    }

    /// The same with $\widehat A=(1/\rho-1)/\kappa$; the document prints $\kappa=1$.
    ///
    /// **Errors**: as [`ThickMemory::new`], `kappa` not above 0.
    pub fn with_kappa(draws: &Draws, rhos: &[f64], value_dim: usize, kappa: f64) -> Result<ThickMemory, Error> {
        positive("ThickMemory::new", "number of grid points", rhos.len())?;
        let mut slices = Vec::with_capacity(rhos.len());
        for rho in rhos {
            let map = FeatureMap::favor_plus_plus(draws.clone(), a_hat_with(*rho, kappa)?)?;
            slices.push(KernelMemory::new(map, value_dim, 1.0)?);
        }
        Ok(ThickMemory { rhos: rhos.to_vec(), slices, keys: KeySums::new(draws.dim())? })
    }

    /// Adds one pattern to every slice. **Errors**: as [`KernelMemory::absorb`]; nothing is changed then. **Cost** O(c r (dim + dim_v)).
    pub fn absorb(&mut self, key: &Array1<f64>, value: &Array1<f64>) -> Result<(), Error> {
        // The first slice refuses whatever any other would.
        for slice in &mut self.slices {
            slice.absorb(key, value)?;
        }
        self.keys.absorb(key)
    }

    /// Adds patterns in the order of the rows: projections once for all slices, slices in parallel.
    ///
    /// **Shapes**: `(n, dim)`, `(n, dim_v)`. **Errors**: as [`KernelMemory::absorb`] (nothing is changed), or a stop asked for (rows
    /// before it are kept whole). **Cost** O(n r (dim + c dim_v)) time; the memory needed does not grow with n.
    pub fn absorb_rows(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        const OP: &str = "ThickMemory::absorb_rows";
        let (dim, width) = (self.keys.sum.len(), self.slices[0].value_dim());
        let half_norms = check_rows(OP, keys, values, dim, width)?;
        let (keys, values) = (keys.as_standard_layout(), values.as_standard_layout());
        // Standard layout by the line above, so the slices exist.
        let (Some(k), Some(v)) = (keys.as_slice(), values.as_slice()) else {
            return Ok(());
        };
        let draws = self.slices[0].map().draws();
        let (p, tile) = (draws.len(), tile(draws.len()));
        let rows = tile * TILES;
        let weights: Vec<f64> = draws.rows().t().iter().copied().collect();
        let mut along = vec![0.0; rows * p];
        let parts = k.chunks(rows * dim).zip(v.chunks(rows * width)).zip(half_norms.chunks(rows));
        for (i, ((k, v), norms)) in parts.enumerate() {
            workbench_ground::work::check(OP, i * rows, half_norms.len())?;
            k.par_chunks(tile * dim)
                .zip(along.par_chunks_mut(tile * p))
                .for_each(|(k, along)| project(k, &weights, dim, along));
            self.slices.par_iter_mut().for_each_init(
                || vec![0.0; tile * p],
                |buffer, slice| {
                    let tiles = along.chunks(tile * p).zip(norms.chunks(tile)).zip(v.chunks(tile * width));
                    for ((along, norms), v) in tiles {
                        slice.absorb_projected(&along[..norms.len() * p], norms, v, buffer);
                    }
                },
            );
            for row in k.chunks_exact(dim) {
                self.keys.sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            }
            self.keys.squares -= 2.0 * norms.iter().sum::<f64>();
            self.keys.count += norms.len() as u64;
        }
        Ok(())
    }

    /// The answer of the slice nearest to $\rho^*$. **Errors**: an empty memory, another length, entries that are not finite.
    pub fn read(&self, query: &Array1<f64>) -> Result<ThickAnswer, Error> {
        if self.keys.count == 0 {
            return Err(empty_memory("ThickMemory::read"));
        }
        let gamma = self.keys.gamma(query)?;
        let best = rho_star(gamma, query.len())?;
        let slice = self.nearest(best)?;
        Ok(ThickAnswer { value: self.slices[slice].read(query)?, gamma, rho_star: best, rho: self.rhos[slice] })
    }

    /// Position of the grid point nearest to `rho`; the first of two at the same distance. **Errors**: `rho` outside [0, 1].
    pub fn nearest(&self, rho: f64) -> Result<usize, Error> {
        let allowed = "0 <= rho <= 1";
        within("ThickMemory::nearest", "rho", rho, (0.0..=1.0).contains(&rho), allowed)?;
        let distance = |i: &usize| (self.rhos[*i] - rho).abs();
        Ok((0..self.rhos.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)) // the grid is never empty
    }

    /// The memory of one grid point; `None` beyond the grid.
    pub fn slice(&self, i: usize) -> Option<&KernelMemory> {
        self.slices.get(i)
    }

    /// $\Omega$.
    pub fn rhos(&self) -> &[f64] {
        &self.rhos
    }

    /// $\Sigma_t$, $\Lambda_t$ and t.
    pub fn keys(&self) -> &KeySums {
        &self.keys
    }

    /// Numbers that the state holds: $c\,r(\mathtt{dim\_v}+2)+\mathtt{dim}+2$, whatever the count.
    pub fn state_len(&self) -> usize {
        self.slices.iter().map(KernelMemory::state_len).sum::<usize>() + self.keys.sum.len() + 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, a_hat, estimated_attention};
    use ndarray::{array, s};
    use workbench_ground::stats::{Streams, normal_array2};

    fn normal(name: &str, m: usize, d: usize) -> Array2<f64> {
        normal_array2(&mut Streams::new(6).stream(name).unwrap(), m, d)
    }

    #[test]
    fn every_slice_at_every_step_equals_a_recomputation() {
        let draws = Draws::from_rows(normal("w", 7, 3)).unwrap();
        let (k, v, q) = (normal("k", 15, 3), normal("v", 15, 2), normal("q", 15, 3));
        let mut thick = ThickMemory::new(&draws, &[0.05, 0.3, 0.9], 2).unwrap();
        for t in 0..15 {
            thick.absorb(&k.row(t).to_owned(), &v.row(t).to_owned()).unwrap();
            let seen = |x: &Array2<f64>| x.slice(s![..=t, ..]).to_owned();
            let query = q.slice(s![t..=t, ..]).to_owned();
            for (i, rho) in [0.05, 0.3, 0.9].into_iter().enumerate() {
                let map = FeatureMap::favor_plus_plus(draws.clone(), a_hat(rho).unwrap()).unwrap();
                let slow = estimated_attention(&map, &query, &seen(&k), &seen(&v), Direction::Bidirectional).unwrap();
                let fast = thick.slice(i).unwrap().read(&query.row(0).to_owned()).unwrap();
                assert!((&fast - &slow.row(0)).iter().all(|x| x.abs() < 1e-12), "{t} {rho}");
            }
            let answer = thick.read(&query.row(0).to_owned()).unwrap();
            let direct =
                (0..=t).map(|j| (&query.row(0) + &k.row(j)).mapv(|x| x * x).sum()).sum::<f64>() / (t + 1) as f64;
            assert!((answer.gamma / direct - 1.0).abs() < 1e-13);
            assert_eq!(answer.rho, thick.rhos()[thick.nearest(rho_star(direct, 3).unwrap()).unwrap()]);
        }
    }

    #[test]
    fn batches_equal_single_steps_and_the_state_does_not_grow() {
        let draws = Draws::from_rows(normal("w", 6, 4)).unwrap();
        let n = tile(1) * TILES + 100;
        let (k, v) = (normal("k", n, 4), normal("v", n, 3));
        let (mut one, mut all) = (
            ThickMemory::new(&draws, &rho_grid(5).unwrap(), 3).unwrap(),
            ThickMemory::new(&draws, &rho_grid(5).unwrap(), 3).unwrap(),
        );
        let size = one.state_len();
        for (k, v) in k.rows().into_iter().zip(v.rows()) {
            one.absorb(&k.to_owned(), &v.to_owned()).unwrap();
        }
        all.absorb_rows(&k, &v).unwrap();
        let query = array![0.2, -0.1, 0.4, 0.0];
        let (a, b) = (one.read(&query).unwrap(), all.read(&query).unwrap());
        assert!((&a.value - &b.value).iter().all(|x| x.abs() < 1e-12));
        assert!((a.gamma / b.gamma - 1.0).abs() < 1e-12 && a.rho == b.rho);
        assert_eq!((one.state_len(), all.state_len()), (size, size));
        assert_eq!(size, 5 * 6 * (3 + 2) + 4 + 2);
    }

    #[test]
    fn refuses_bad_input() {
        let draws = Draws::from_rows(normal("w", 6, 2)).unwrap();
        for bad in [0.0, 1.0, -0.2, f64::NAN] {
            assert!(matches!(ThickMemory::new(&draws, &[0.5, bad], 1), Err(Error::Parameter { name: "rho", .. })));
        }
        assert!(matches!(ThickMemory::new(&draws, &[], 1), Err(Error::Zero { .. })));
        assert!(matches!(ThickMemory::new(&draws, &[0.5], 0), Err(Error::Zero { .. })));
        assert!(matches!(rho_grid(0), Err(Error::Zero { .. })));
        let mut thick = ThickMemory::new(&draws, &[0.5], 1).unwrap();
        assert!(matches!(thick.read(&array![0.0, 0.0]), Err(Error::Empty { what: "the memory", .. })));
        assert!(matches!(thick.absorb(&array![0.0], &array![0.0]), Err(Error::Shape { .. })));
        assert!(matches!(
            thick.absorb_rows(&Array2::zeros((1, 3)), &Array2::zeros((1, 1))),
            Err(Error::Shape { left, right, .. }) if left == [3] && right == [2]
        ));
        assert_eq!(thick.keys().count, 0);
        thick.absorb(&array![0.1, 0.0], &array![1.0]).unwrap();
        assert!(matches!(thick.read(&array![0.0]), Err(Error::Shape { .. })));
        assert!(thick.nearest(1.5).is_err() && thick.slice(1).is_none());
    }
}
