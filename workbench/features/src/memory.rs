//! A memory of features: two sums whose size does not depend on the number of patterns.

use super::lanes::{column_max_f64, exp_rows_f64};
use super::{Error, FeatureMap};
use crate::map::beyond_log_space;
use ndarray::{Array1, Array2, Axis};
use workbench_ground::check::{finite, not_negative, positive, same, within};
use workbench_ground::lanes::multiply;

/// Patterns whose features are held at once, for p projections: half a megabyte stays in a core's second-level cache.
pub(super) fn tile(p: usize) -> usize {
    ((1 << 16) / p.max(1)).clamp(16, 256)
}

/// The state $\mathbf h(t)=(\mathbf N_t,\Psi_t)$ of a memory with features $\phi$:
///
/// $$ \mathbf N_t=\sum_{j\le t}\lambda^{t-j}\phi(k^j)\,v^{j\top},\qquad \Psi_t=\sum_{j\le t}\lambda^{t-j}\phi(k^j),\qquad
/// \operatorname{read}(q)=\frac{\phi(q)^\top\mathbf N_t}{\phi(q)^\top\Psi_t} $$
///
/// With $\lambda=1$ every pattern counts the same; the learned optimizer of part B discounts with an exponential factor, whose formula is
/// outside the excerpt ([`discount_of`] is our reading).
///
/// **Source**: A.1.1 ("hidden state", after the document's Eq. 3) and B.1. Sums are kept divided by the exponential of one shift per feature,
/// so that neither norms nor long discounted streams under- or overflow.
///
/// **Shapes**: keys and queries `(dim)`, values `(dim_v)`; the state is `r (dim_v + 2)` numbers.
///
/// ```
/// use ndarray::array;
/// use workbench_features::{Draws, FeatureMap, KernelMemory};
/// let map = FeatureMap::favor_plus(Draws::from_rows(array![[0.5, 0.0], [0.0, -1.0]])?)?;
/// let mut memory = KernelMemory::new(map, 1, 1.0)?;
/// assert!(memory.read(&array![1.0, 0.0]).is_err()); // empty
/// memory.absorb(&array![300.0, 0.0], &array![7.0])?;
/// assert!((memory.read(&array![1.0, 0.0])?[0] - 7.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "fast weights")]
pub struct KernelMemory {
    map: FeatureMap,
    log_discount: f64,
    shifts: Array1<f64>,
    normaliser: Array1<f64>,
    numerator: Array2<f64>,
    count: u64,
}

/// $\lambda=e^{-\tau}$ for the exponential discount factor $\tau$ of B.1 ($\tau=0.1$ there): our reading, the document defines it elsewhere.
///
/// **Source**: B.1, discount factor; the exponential form is our reading.
///
/// **Errors**: a negative or infinite `tau`.
pub fn discount_of(tau: f64) -> Result<f64, Error> {
    not_negative("discount_of", "tau", tau)?;
    Ok((-tau).exp())
}

impl KernelMemory {
    /// An empty memory for values of `value_dim` entries, with discount $\lambda$ per step.
    ///
    /// **Errors**: `value_dim` of zero, `discount` outside (0, 1].
    pub fn new(map: FeatureMap, value_dim: usize, discount: f64) -> Result<KernelMemory, Error> {
        const OP: &str = "KernelMemory::new";
        positive(OP, "value_dim", value_dim)?;
        let allowed = "0 < discount <= 1; 1 forgets nothing";
        within(OP, "discount", discount, discount > 0.0 && discount <= 1.0, allowed)?;
        let r = map.r();
        Ok(KernelMemory {
            map,
            log_discount: discount.ln(),
            shifts: Array1::from_elem(r, f64::NEG_INFINITY),
            normaliser: Array1::zeros(r),
            numerator: Array2::zeros((r, value_dim)),
            count: 0,
        })
    }

    /// Adds one pattern. **Errors**: other lengths, entries that are not finite, a norm beyond log space. **Cost** O(r (dim + dim_v)).
    pub fn absorb(&mut self, key: &Array1<f64>, value: &Array1<f64>) -> Result<(), Error> {
        const OP: &str = "KernelMemory::absorb";
        let here = ("value_dim", self.value_dim());
        same(OP, ("length of the value", value.len()), here)?;
        finite(OP, "value", value)?;
        let logs = self.map.log_features(key)?;
        self.shifts += self.log_discount;
        for (i, log) in logs.iter().enumerate() {
            if *log > self.shifts[i] {
                let factor = (self.shifts[i] - log).exp();
                self.normaliser[i] *= factor;
                self.numerator.row_mut(i).mapv_inplace(|x| x * factor);
                self.shifts[i] = *log;
            }
            let weight = (log - self.shifts[i]).exp();
            self.normaliser[i] += weight;
            self.numerator.row_mut(i).scaled_add(weight, value);
        }
        self.count += 1;
        Ok(())
    }

    /// Adds patterns in the order of the rows; the same state as [`KernelMemory::absorb`] for each, up to rounding, and much quicker.
    ///
    /// **Shapes**: `(n, dim)` and `(n, dim_v)`. **Errors**: as [`KernelMemory::absorb`], or a stop asked for (rows before it are kept
    /// whole). **Cost** O(n r (dim + dim_v)).
    pub fn absorb_rows(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        const OP: &str = "KernelMemory::absorb_rows";
        let half_norms = check_rows(OP, keys, values, self.map.dim(), self.value_dim())?;
        let (keys, values) = (keys.as_standard_layout(), values.as_standard_layout());
        // Standard layout by the line above, so the slices exist.
        let (Some(k), Some(v)) = (keys.as_slice(), values.as_slice()) else {
            return Ok(());
        };
        let (dim, width, p) = (self.map.dim(), self.value_dim(), self.map.draws().len());
        let weights: Vec<f64> = self.map.draws().rows().t().iter().copied().collect();
        let tile = tile(p);
        let (mut along, mut buffer) = (vec![0.0; tile * p], vec![0.0; tile * p]);
        let tiles = k.chunks(tile * dim).zip(v.chunks(tile * width)).zip(half_norms.chunks(tile));
        for (i, ((k, v), norms)) in tiles.enumerate() {
            workbench_ground::work::check(OP, i * tile, half_norms.len())?;
            project(k, &weights, dim, &mut along);
            self.absorb_projected(&along[..norms.len() * p], norms, v, &mut buffer);
        }
        Ok(())
    }

    /// Adds a tile whose projections w.k are known. `half_norms` are -|k|^2 / 2.
    pub(super) fn absorb_projected(&mut self, along: &[f64], half_norms: &[f64], values: &[f64], buffer: &mut [f64]) {
        let (t, p, width) = (half_norms.len(), self.map.draws().len(), self.value_dim());
        self.shifts += self.log_discount * t as f64;
        let age = |j: usize| self.log_discount * (t - 1 - j) as f64;
        let levels: Vec<f64> = half_norms.iter().enumerate().map(|(j, n)| n + age(j)).collect();
        let signs: &[f64] = if self.map.kind().is_hyperbolic() { &[1.0, -1.0] } else { &[1.0] };
        let offsets = self.map.offsets().to_vec();
        for (half, sign) in signs.iter().enumerate() {
            let (scale, from) = (sign * self.map.scale(), half * p);
            let mut top: Vec<f64> = self.shifts.iter().skip(from).take(p).copied().collect();
            column_max_f64(along, scale, &levels, &offsets, &mut top);
            for (i, top) in top.iter().enumerate() {
                let row = from + i;
                if *top > self.shifts[row] {
                    let factor = (self.shifts[row] - top).exp();
                    self.normaliser[row] *= factor;
                    self.numerator.row_mut(row).mapv_inplace(|x| x * factor);
                    self.shifts[row] = *top;
                }
            }
            let below: Vec<f64> = offsets.iter().zip(&top).map(|(o, s)| o - s).collect();
            let features = &mut buffer[..t * p];
            // The arrays are built here in standard layout, so their slices exist.
            let (Some(sums), Some(numerator)) = (self.normaliser.as_slice_mut(), self.numerator.as_slice_mut()) else {
                return;
            };
            exp_rows_f64(along, scale, &levels, &below, features, &mut sums[from..from + p]);
            let numerator = &mut numerator[from * width..(from + p) * width];
            multiply([p, t, width], (features, [1, p]), (values, width), (numerator, width), true);
        }
        self.count += t as u64;
    }

    /// The value that the memory gives for a query. **Errors**: an empty memory, another length, entries that are not finite.
    /// **Cost** O(r (dim + dim_v)).
    pub fn read(&self, query: &Array1<f64>) -> Result<Array1<f64>, Error> {
        let (weights, _) = self.weights("KernelMemory::read", query)?;
        Ok(weights.dot(&self.numerator) / weights.dot(&self.normaliser))
    }

    /// $\ln\phi(q)^\top\Psi_t$, the logarithm of the estimated $\sum_j\lambda^{t-j}e^{q^\top k^j}$. **Errors**: as [`KernelMemory::read`].
    pub fn log_normaliser(&self, query: &Array1<f64>) -> Result<f64, Error> {
        let (weights, top) = self.weights("KernelMemory::log_normaliser", query)?;
        Ok(top + weights.dot(&self.normaliser).ln())
    }

    fn weights(&self, op: &'static str, query: &Array1<f64>) -> Result<(Array1<f64>, f64), Error> {
        if self.count == 0 {
            return Err(empty_memory(op));
        }
        let logs = self.map.log_features(query)? + &self.shifts;
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok((logs.mapv(|x| (x - top).exp()), top))
    }

    /// $\ln\Psi_t$, shape `(r)`; minus infinity while empty.
    pub fn log_psi(&self) -> Array1<f64> {
        &self.shifts + &self.normaliser.mapv(f64::ln)
    }

    /// $\mathbf N_t$ with each row divided by its entry of $\Psi_t$, shape `(r, dim_v)`: the mean value that each feature has seen.
    pub fn mean_values(&self) -> Array2<f64> {
        &self.numerator / &self.normaliser.view().insert_axis(Axis(1))
    }

    /// The feature map.
    pub fn map(&self) -> &FeatureMap {
        &self.map
    }

    /// Number of patterns absorbed.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Entries of a value.
    pub fn value_dim(&self) -> usize {
        self.numerator.ncols()
    }

    /// Numbers that the state holds: $r(\mathtt{dim\_v}+2)$, whatever the count.
    pub fn state_len(&self) -> usize {
        self.numerator.len() + self.normaliser.len() + self.shifts.len()
    }
}

/// w.k for a tile of keys, (rows, projections); `weights` are (dim, projections).
pub(super) fn project(keys: &[f64], weights: &[f64], dim: usize, along: &mut [f64]) {
    let (t, p) = (keys.len() / dim, weights.len() / dim);
    multiply([t, dim, p], (keys, [dim, 1]), (weights, p), (along, p), false);
}

/// Checks a batch and returns -|k|^2 / 2 of each key.
pub(super) fn check_rows(
    op: &'static str,
    keys: &Array2<f64>,
    values: &Array2<f64>,
    dim: usize,
    value_dim: usize,
) -> Result<Vec<f64>, Error> {
    let map_dim = ("dimension N of the map", dim);
    same(op, ("dimension of the keys", keys.ncols()), map_dim)?;
    same(op, ("columns of the values", values.ncols()), ("value_dim", value_dim))?;
    let n_values = ("number of values", values.nrows());
    same(op, ("number of keys", keys.nrows()), n_values)?;
    finite(op, "keys", keys)?;
    finite(op, "values", values)?;
    let mut half_norms = Vec::with_capacity(keys.nrows());
    for row in keys.rows() {
        let norm2 = row.dot(&row);
        if !norm2.is_finite() {
            return Err(beyond_log_space(op, norm2));
        }
        half_norms.push(-0.5 * norm2);
    }
    Ok(half_norms)
}

/// A memory that was asked before anything was stored.
pub(crate) fn empty_memory(op: &'static str) -> Error {
    Error::empty(op, "the memory", "absorb at least one pattern first")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, Draws, MapKind, estimated_attention};
    use ndarray::{array, s};
    use workbench_ground::stats::{Streams, log_sum_exp, normal_array2};

    fn normal(name: &str, m: usize, d: usize) -> Array2<f64> {
        normal_array2(&mut Streams::new(6).stream(name).unwrap(), m, d)
    }

    fn memory(kind: MapKind, discount: f64) -> KernelMemory {
        let map = FeatureMap::over(kind, Draws::from_rows(normal("w", 9, 3)).unwrap()).unwrap();
        KernelMemory::new(map, 2, discount).unwrap()
    }

    #[test]
    fn streaming_equals_recomputing_from_all_patterns() {
        let (k, v, q) = (normal("k", 20, 3) * 3.0, normal("v", 20, 2), normal("q", 20, 3));
        for kind in [MapKind::FavorPlus, MapKind::Hyperbolic, MapKind::FavorPlusPlus { a_hat: 0.7 }] {
            let mut memory = memory(kind, 1.0);
            let slow = estimated_attention(memory.map(), &q, &k, &v, Direction::Causal).unwrap();
            for t in 0..20 {
                memory.absorb(&k.row(t).to_owned(), &v.row(t).to_owned()).unwrap();
                let fast = memory.read(&q.row(t).to_owned()).unwrap();
                assert!((&fast - &slow.row(t)).iter().all(|x| x.abs() < 1e-12), "{kind:?} {t}");
            }
        }
    }

    #[test]
    fn discount_weighs_by_age() {
        let (k, v, discount) = (normal("k", 12, 3), normal("v", 12, 2), 0.6f64);
        let mut memory = memory(MapKind::Hyperbolic, discount);
        let logs = memory.map().log_features_of_rows(&k).unwrap();
        for t in 0..12 {
            memory.absorb(&k.row(t).to_owned(), &v.row(t).to_owned()).unwrap();
            for feature in 0..18 {
                let terms: Vec<f64> = (0..=t).map(|j| logs[(j, feature)] + (t - j) as f64 * discount.ln()).collect();
                assert!((memory.log_psi()[feature] - log_sum_exp(&terms)).abs() < 1e-12);
                let mean: f64 = (0..=t).map(|j| (terms[j] - log_sum_exp(&terms)).exp() * v[(j, 1)]).sum();
                assert!((memory.mean_values()[(feature, 1)] - mean).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn batches_equal_single_steps() {
        let n = tile(1) + 30;
        let (k, v) = (normal("k", n, 3) * 2.0, normal("v", n, 2));
        for (kind, discount) in [(MapKind::FavorPlus, 1.0), (MapKind::HyperbolicPlusPlus { a_hat: 0.2 }, 0.97)] {
            let (mut one, mut all) = (memory(kind, discount), memory(kind, discount));
            for (k, v) in k.rows().into_iter().zip(v.rows()) {
                one.absorb(&k.to_owned(), &v.to_owned()).unwrap();
            }
            all.absorb_rows(&k.slice(s![..10, ..]).to_owned(), &v.slice(s![..10, ..]).to_owned()).unwrap();
            all.absorb_rows(&k.slice(s![10.., ..]).to_owned(), &v.slice(s![10.., ..]).to_owned()).unwrap();
            assert!((one.log_psi() - all.log_psi()).iter().all(|x| x.abs() < 1e-12));
            assert!((one.mean_values() - all.mean_values()).iter().all(|x| x.abs() < 1e-12));
            assert_eq!((one.count(), all.count()), (n as u64, n as u64));
        }
    }

    #[test]
    fn long_discounted_streams_stay_in_range() {
        // The first pattern has weight 0.1^2000 at the end; nothing vanishes or becomes NaN.
        let mut memory = memory(MapKind::FavorPlus, 0.1);
        for _ in 0..2000 {
            memory.absorb(&array![1.0, 0.0, 0.0], &array![1.0, 2.0]).unwrap();
        }
        assert!((memory.read(&array![50.0, 0.0, 9.0]).unwrap()[1] - 2.0).abs() < 1e-12);
        let log = memory.log_psi()[0];
        let one = memory.map().log_features(&array![1.0, 0.0, 0.0]).unwrap()[0];
        assert!((log - one - (1f64 / 0.9).ln()).abs() < 1e-12);
    }

    #[test]
    fn refuses_bad_input() {
        let mut memory = memory(MapKind::FavorPlus, 1.0);
        assert!(matches!(memory.read(&array![0.0, 0.0, 0.0]), Err(Error::Empty { what: "the memory", .. })));
        assert!(matches!(memory.log_normaliser(&array![0.0]), Err(Error::Empty { what: "the memory", .. })));
        assert!(matches!(memory.absorb(&array![0.0], &array![0.0, 0.0]), Err(Error::Shape { .. })));
        assert!(matches!(memory.absorb(&array![0.0, 0.0, 0.0], &array![0.0]), Err(Error::Shape { .. })));
        let nan = memory.absorb(&array![0.0, 0.0, 0.0], &array![0.0, f64::NAN]);
        assert!(matches!(nan, Err(Error::NotFinite { at, .. }) if at == [1]));
        let rows = memory.absorb_rows(&Array2::zeros((2, 3)), &Array2::zeros((3, 2)));
        assert!(matches!(rows, Err(Error::Shape { left, right, .. }) if left == [2] && right == [3]));
        let huge = Array2::from_elem((1, 3), 1e200);
        assert!(matches!(
            memory.absorb_rows(&huge, &Array2::zeros((1, 2))),
            Err(Error::Refused { problem, .. }) if problem.contains("overflows")
        ));
        assert_eq!(memory.count(), 0);
        for bad in [0.0, 1.1, -0.5, f64::NAN] {
            assert!(matches!(
                KernelMemory::new(memory.map().clone(), 1, bad),
                Err(Error::Parameter { name: "discount", .. })
            ));
        }
        assert!(matches!(KernelMemory::new(memory.map().clone(), 0, 1.0), Err(Error::Zero { .. })));
        assert!(discount_of(-0.1).is_err());
    }
}
