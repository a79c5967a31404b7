//! The compact memory: one vector of r numbers, whatever the number of patterns.

use super::dynamics::{Dynamics, Landscape, Retrieval, retrieve};
use super::{Error, Patterns, SignedLog, Signs};
use crate::FeatureMap;
use ndarray::Array1;
use workbench_ground::check::{position, same};
use workbench_ground::stats::{Stream, log_add_exp, log_sum_exp};

/// An associative memory that keeps only $h=\sum_\mu\phi(\xi^\mu)$, as logarithms.
///
/// $$ E_{\mathrm{rand}}(\sigma)=-\phi(\sigma)^\top h,\qquad \mathbb E\,E_{\mathrm{rand}}(\sigma)=E_{\mathrm{reg}}(\sigma)=-\sum_\mu e^{\xi^{\mu\top}\sigma} $$
///
/// **Source**: A.2, Eqs. 15 to 18.
///
/// **Cost**: storing a pattern O(rN); the change under a flip O(r) once $\phi(\sigma)$ is known; storage r numbers beside the r
/// projections (which a seed can replace).
///
/// ```
/// use workbench_features::compact::{CompactMemory, Patterns};
/// use workbench_features::{Draws, FeatureMap};
/// use workbench_ground::stats::Streams;
/// let draws = Draws::independent(20_000, 4, &mut Streams::new(1).stream("w")?)?;
/// let code = Patterns::reed_muller(1, 2)?;
/// let memory = CompactMemory::of(FeatureMap::favor_plus_plus(draws, 0.5)?, &code)?;
/// assert_eq!((memory.size(), memory.stored()), (20_000, 8));
/// let input = code.pattern(0)?;
/// assert!(memory.flip_change(&input, 2)?.sign > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "Hopfield")]
pub struct CompactMemory {
    map: FeatureMap,
    log_sums: Array1<f64>,
    stored: u64,
}

impl CompactMemory {
    /// A memory that holds nothing yet.
    pub fn new(map: FeatureMap) -> CompactMemory {
        CompactMemory { log_sums: Array1::from_elem(map.r(), f64::NEG_INFINITY), map, stored: 0 }
    }

    /// A memory of these patterns.
    ///
    /// **Errors**: patterns of another length than the map's, stopped. **Cost** O(M r N); the memory needed does not grow with M.
    pub fn of(map: FeatureMap, patterns: &Patterns) -> Result<CompactMemory, Error> {
        let mut memory = CompactMemory::new(map);
        for (mu, row) in patterns.rows().iter().enumerate() {
            workbench_ground::work::check("CompactMemory::of", mu, patterns.len())?;
            memory.store(row)?;
        }
        Ok(memory)
    }

    /// Adds one pattern. The size of the memory does not change.
    ///
    /// **Errors**: another length.
    pub fn store(&mut self, pattern: &Signs) -> Result<(), Error> {
        let logs = self.logs("CompactMemory::store", pattern)?;
        self.log_sums.zip_mut_with(&logs, |sum, log| *sum = log_add_exp(*sum, *log));
        self.stored += 1;
        Ok(())
    }

    /// Numbers kept: r.
    pub fn size(&self) -> usize {
        self.log_sums.len()
    }

    /// Patterns stored so far.
    pub fn stored(&self) -> u64 {
        self.stored
    }

    /// The feature map.
    pub fn map(&self) -> &FeatureMap {
        &self.map
    }

    /// $\ln h$, one number for each feature.
    pub fn log_sums(&self) -> &Array1<f64> {
        &self.log_sums
    }

    /// The energy of a state.
    ///
    /// **Errors**: another length, an empty memory.
    pub fn energy(&self, state: &Signs) -> Result<SignedLog, Error> {
        let terms = self.terms("CompactMemory::energy", state)?;
        Ok(SignedLog { sign: -1.0, log_abs: log_sum_exp(&terms) })
    }

    /// $\Delta_i(E_{\mathrm{rand}})=\sum_k h_k\phi_k(\sigma)\bigl(1-e^{-2B\sigma_i\omega_{k,i}}\bigr)$.
    ///
    /// **Errors**: another length, `i` beyond the vector, an empty memory.
    pub fn flip_change(&self, state: &Signs, i: usize) -> Result<SignedLog, Error> {
        const OP: &str = "CompactMemory::flip_change";
        position(OP, "entry", i, self.map.dim())?;
        Ok(self.change(&self.terms(OP, state)?, state.get(i), i))
    }

    /// Signal and noise of Eqs. 16 and 17: the share of the pattern `near`, taken to be one of those stored, and the rest.
    ///
    /// **Errors**: as [`CompactMemory::flip_change`].
    pub fn signal_and_noise(&self, state: &Signs, i: usize, near: &Signs) -> Result<(SignedLog, SignedLog), Error> {
        let alone = CompactMemory::of(self.map.clone(), &Patterns::from_signs(vec![near.clone()])?)?;
        let signal = alone.flip_change(state, i)?;
        Ok((signal, self.flip_change(state, i)?.plus(signal.minus())))
    }

    /// Asynchronous updates from `input` until no flip is wanted.
    ///
    /// **Errors**: another length, an empty memory, no sweeps allowed, stopped. **Cost** O(r) for each entry visited.
    pub fn retrieve(
        &self,
        input: &Signs,
        dynamics: Dynamics,
        sweeps: usize,
        stream: &mut Stream,
    ) -> Result<Retrieval, Error> {
        const OP: &str = "CompactMemory::retrieve";
        let walker = CompactWalker { terms: self.terms(OP, input)?, state: input.clone(), memory: self };
        retrieve(OP, walker, dynamics, sweeps, stream)
    }

    fn logs(&self, op: &'static str, state: &Signs) -> Result<Array1<f64>, Error> {
        let map_dim = ("dimension N of the map", self.map.dim());
        same(op, ("length of the vector", state.dim()), map_dim)?;
        self.map.log_features(&state.to_array()).map_err(Error::during(op))
    }

    /// ln h_k phi_k(state).
    fn terms(&self, op: &'static str, state: &Signs) -> Result<Vec<f64>, Error> {
        if self.stored == 0 {
            return Err(Error::empty(op, "the memory", "store a pattern first"));
        }
        Ok((self.logs(op, state)? + &self.log_sums).to_vec())
    }

    /// What a flip of entry `i` adds to the logarithm of feature `k` of a state with `sign` there.
    #[inline]
    fn slope(&self, k: usize, sign: f64, i: usize) -> f64 {
        let n = self.map.draws().len();
        let side = if k < n { sign } else { -sign };
        -2.0 * side * self.map.scale() * self.map.draws().rows()[(k % n, i)]
    }

    fn change(&self, terms: &[f64], sign: f64, i: usize) -> SignedLog {
        let after = |k: usize| terms[k] + self.slope(k, sign, i);
        let top = (0..terms.len()).fold(f64::NEG_INFINITY, |top, k| top.max(terms[k]).max(after(k)));
        let sum: f64 = (0..terms.len()).map(|k| (terms[k] - top).exp() - (after(k) - top).exp()).sum();
        SignedLog::new(sum, top)
    }
}

/// A state with the logarithms of its terms kept up to date: O(r) for each flip.
struct CompactWalker<'a> {
    memory: &'a CompactMemory,
    state: Signs,
    terms: Vec<f64>,
}

impl Landscape for CompactWalker<'_> {
    fn change(&self, i: usize) -> f64 {
        self.memory.change(&self.terms, self.state.get(i), i).sign
    }

    fn flip(&mut self, i: usize) {
        let sign = self.state.get(i);
        for (k, term) in self.terms.iter_mut().enumerate() {
            *term += self.memory.slope(k, sign, i);
        }
        self.state.flip(i);
    }

    fn state(&self) -> &Signs {
        &self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Draws, Ensemble, MapKind};
    use workbench_ground::stats::Streams;

    fn kinds() -> [MapKind; 4] {
        [
            MapKind::FavorPlus,
            MapKind::Hyperbolic,
            MapKind::FavorPlusPlus { a_hat: 0.7 },
            MapKind::HyperbolicPlusPlus { a_hat: 1.5 },
        ]
    }

    fn map(kind: MapKind, r: usize, n: usize) -> FeatureMap {
        FeatureMap::draw(kind, Ensemble::Independent, r, n, &mut Streams::new(5).stream("w").unwrap()).unwrap()
    }

    #[test]
    fn energy_and_change_are_sums_of_kernel_estimates() {
        let mut stream = Streams::new(5).stream("s").unwrap();
        let set = Patterns::random(6, 9, &mut stream).unwrap();
        let state = Signs::random(9, &mut stream).unwrap();
        for kind in kinds() {
            let map = map(kind, 12, 9);
            let memory = CompactMemory::of(map.clone(), &set).unwrap();
            let kernels = |s: &Signs| -> f64 {
                let x = s.to_array();
                set.rows().iter().map(|p| map.kernel_estimate(&p.to_array(), &x).unwrap()).sum()
            };
            let before = kernels(&state);
            assert!((memory.energy(&state).unwrap().value() / -before - 1.0).abs() < 1e-12);
            for i in 0..9 {
                let after = kernels(&state.flipped(i).unwrap());
                let change = memory.flip_change(&state, i).unwrap().value();
                assert!((change - (before - after)).abs() < 1e-11 * before.max(after), "{kind:?}");
                let (signal, noise) = memory.signal_and_noise(&state, i, &set.rows()[2]).unwrap();
                assert!((signal.plus(noise).value() - change).abs() < 1e-11 * before.max(after));
            }
        }
    }

    #[test]
    fn incremental_walk_agrees_with_a_fresh_start() {
        let mut stream = Streams::new(5).stream("walk").unwrap();
        let set = Patterns::random(4, 8, &mut stream).unwrap();
        for kind in kinds() {
            let memory = CompactMemory::of(map(kind, 20, 8), &set).unwrap();
            let input = Signs::random(8, &mut stream).unwrap();
            let mut walker = CompactWalker { terms: memory.terms("t", &input).unwrap(), state: input, memory: &memory };
            for _ in 0..200 {
                walker.flip(stream.below(8) as usize);
            }
            let fresh = memory.terms("t", &walker.state).unwrap();
            assert!(walker.terms.iter().zip(&fresh).all(|(a, b)| (a - b).abs() < 1e-10));
            let end = memory.retrieve(&walker.state, Dynamics::Descend, 50, &mut stream).unwrap();
            assert!(end.converged);
            assert!((0..8).all(|i| memory.flip_change(&end.state, i).unwrap().sign >= 0.0));
        }
    }

    #[test]
    fn size_does_not_grow_and_large_dimensions_stay_finite() {
        let mut stream = Streams::new(5).stream("big").unwrap();
        let mut memory = CompactMemory::new(map(MapKind::FavorPlusPlus { a_hat: 1.0 }, 10, 2000));
        for _ in 0..5 {
            memory.store(&Signs::random(2000, &mut stream).unwrap()).unwrap();
            assert_eq!(memory.size(), 10);
        }
        let state = Signs::random(2000, &mut stream).unwrap();
        assert!(memory.energy(&state).unwrap().log_abs.is_finite());
        assert!(memory.flip_change(&state, 77).unwrap().log_abs.is_finite());
    }

    #[test]
    fn refuses_bad_input() {
        let mut stream = Streams::new(5).stream("bad").unwrap();
        let map = FeatureMap::favor_plus(Draws::independent(3, 4, &mut stream).unwrap()).unwrap();
        let mut memory = CompactMemory::new(map);
        let (right, wrong) = (Signs::plus(4).unwrap(), Signs::plus(5).unwrap());
        assert!(matches!(memory.energy(&right), Err(Error::Empty { .. })));
        assert!(matches!(memory.retrieve(&right, Dynamics::Descend, 3, &mut stream), Err(Error::Empty { .. })));
        assert!(matches!(
            memory.store(&wrong),
            Err(Error::Shape { left, right, .. }) if left == [5] && right == [4]
        ));
        memory.store(&right).unwrap();
        assert!(matches!(memory.energy(&wrong), Err(Error::Shape { .. })));
        assert!(matches!(memory.flip_change(&right, 4), Err(Error::NoSuch { .. })));
        assert!(matches!(memory.retrieve(&right, Dynamics::Descend, 0, &mut stream), Err(Error::Zero { .. })));
    }
}
