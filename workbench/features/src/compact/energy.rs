//! The exact energies: exponential as in modern Hopfield networks, polynomial as in dense ones.

use super::dynamics::{Dynamics, Landscape, Retrieval, retrieve};
use super::scan::TIE;
use super::{Error, Patterns, SignedLog, Signs};
use workbench_ground::check::{position, same};
use workbench_ground::stats::Stream;

/// The function F of an energy $E(\sigma)=-\sum_\mu F(\xi^{\mu\top}\sigma)$.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interaction {
    /// $F(x)=e^x$: the energy $E_{\mathrm{reg}}$ of the document, a modern Hopfield network.
    Exponential,
    /// $F(x)=x^n$: a dense associative memory; $n=2$ is Hopfield's network of 1982 (without self-coupling, which no flip changes).
    Polynomial(u32),
}

impl Interaction {
    /// A short name for legends.
    pub fn name(self) -> String {
        match self {
            Interaction::Exponential => "exponential".to_string(),
            Interaction::Polynomial(n) => format!("degree {n}"),
        }
    }
}

/// An associative memory that stores its patterns and computes its energy exactly.
///
/// $$ E(\sigma)=-\sum_{\mu=1}^MF(\xi^{\mu\top}\sigma),\qquad \Delta_i(\sigma)=E(\mathrm{neg}(\sigma,i))-E(\sigma) $$
///
/// **Source**: A.2, Eq. 15, with the sign that makes Eqs. 16 and 17 right: the energy is minus the sum of the kernels.
///
/// **Cost**: the change under one flip takes O(M); storage MN bits.
///
/// ```
/// use workbench_features::compact::{DenseMemory, Interaction, Patterns};
/// let code = Patterns::reed_muller(1, 4)?;
/// let memory = DenseMemory::new(code.clone(), Interaction::Exponential);
/// let input = code.pattern(3)?.flipped(5)?;
/// assert!(memory.flip_change(&input, 5)?.sign < 0.0); // back towards the pattern: the energy falls
/// assert!(memory.flip_change(&input, 6)?.sign > 0.0); // away from it: the energy rises
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "dense associative memory")]
#[doc(alias = "modern Hopfield network")]
pub struct DenseMemory {
    patterns: Patterns,
    interaction: Interaction,
    /// F at distance d: in units of $N^n$, or of the kernel of the nearest pattern (then d counts from there).
    table: Vec<f64>,
}

impl DenseMemory {
    /// The memory of these patterns.
    pub fn new(patterns: Patterns, interaction: Interaction) -> DenseMemory {
        let n = patterns.dim();
        let value = |d: usize| match interaction {
            Interaction::Exponential => (-2.0 * d as f64).exp(),
            // In units of N^degree, so that no degree overflows.
            Interaction::Polynomial(degree) => (1.0 - 2.0 * d as f64 / n as f64).powi(degree as i32),
        };
        DenseMemory { table: (0..=n).map(value).collect(), patterns, interaction }
    }

    /// The stored patterns.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// The interaction.
    pub fn interaction(&self) -> Interaction {
        self.interaction
    }

    /// The energy of a state.
    ///
    /// **Errors**: another length.
    pub fn energy(&self, state: &Signs) -> Result<SignedLog, Error> {
        let distances = self.patterns.distances(state)?;
        let (least, log_scale) = self.units(&distances);
        let sum: f64 = distances.iter().map(|d| self.table[d - least]).sum();
        Ok(SignedLog::new(-sum, log_scale))
    }

    /// $\Delta_i$: the change of the energy when entry `i` is flipped. Positive means that the flip goes uphill.
    ///
    /// **Errors**: another length, `i` beyond the vector.
    pub fn flip_change(&self, state: &Signs, i: usize) -> Result<SignedLog, Error> {
        position("DenseMemory::flip_change", "entry", i, self.patterns.dim())?;
        let distances = self.patterns.distances(state)?;
        Ok(self.change(&distances, state, i, 0..self.patterns.len()))
    }

    /// Signal and noise of Eqs. 16 and 17: the share of pattern `l` in $\Delta_i$, and the share of all others.
    ///
    /// **Errors**: another length, `i` or `l` out of range.
    pub fn signal_and_noise(&self, state: &Signs, i: usize, l: usize) -> Result<(SignedLog, SignedLog), Error> {
        const OP: &str = "DenseMemory::signal_and_noise";
        position(OP, "entry", i, self.patterns.dim())?;
        position(OP, "pattern", l, self.patterns.len())?;
        let distances = self.patterns.distances(state)?;
        let signal = self.change(&distances, state, i, l..l + 1);
        let others =
            self.change(&distances, state, i, 0..l).plus(self.change(&distances, state, i, l + 1..distances.len()));
        Ok((signal, others))
    }

    /// Asynchronous updates from `input` until no flip is wanted: each sweep visits the entries in a new random order.
    ///
    /// **Errors**: another length, no sweeps allowed, stopped.
    pub fn retrieve(
        &self,
        input: &Signs,
        dynamics: Dynamics,
        sweeps: usize,
        stream: &mut Stream,
    ) -> Result<Retrieval, Error> {
        let here = ("N", self.patterns.dim());
        same("DenseMemory::retrieve", ("length of the input", input.dim()), here)?;
        let walker = DenseWalker { distances: self.patterns.distances(input)?, state: input.clone(), memory: self };
        retrieve("DenseMemory::retrieve", walker, dynamics, sweeps, stream)
    }

    /// The distance that serves as origin and the logarithm of one unit.
    fn units(&self, distances: &[usize]) -> (usize, f64) {
        let n = self.patterns.dim() as f64;
        match self.interaction {
            Interaction::Exponential => {
                let least = distances.iter().copied().min().unwrap_or(0);
                (least, n - 2.0 * least as f64)
            }
            Interaction::Polynomial(degree) => (0, f64::from(degree) * n.ln()),
        }
    }

    fn change(&self, distances: &[usize], state: &Signs, i: usize, which: std::ops::Range<usize>) -> SignedLog {
        let (bit, n) = (state.bit(i), self.patterns.dim());
        let (least, log_scale) = self.units(&distances[which.clone()]);
        let rows = self.patterns.rows();
        // A flip takes a pattern that agrees at i one step away, and one that disagrees one step nearer.
        let (mut sum, mut size) = (0.0f64, 0.0f64);
        match self.interaction {
            Interaction::Exponential => {
                let (away, nearer) = (-(-2f64).exp_m1(), -2f64.exp_m1());
                for mu in which {
                    let factor = if rows[mu].bit(i) == bit { away } else { nearer };
                    let term = factor * self.table[distances[mu] - least];
                    sum += term;
                    size += term.abs();
                }
            }
            Interaction::Polynomial(_) => {
                for mu in which {
                    let d = distances[mu];
                    let after = if rows[mu].bit(i) == bit { (d + 1).min(n) } else { d - 1 };
                    sum += self.table[d] - self.table[after];
                    size += self.table[d].abs() + self.table[after].abs();
                }
            }
        }
        // What rounding cannot tell from zero is a tie: no flip is wanted.
        SignedLog::new(if sum.abs() <= TIE * size { 0.0 } else { sum }, log_scale)
    }
}

/// A state with the distances to all patterns kept up to date: O(M) for each flip.
struct DenseWalker<'a> {
    memory: &'a DenseMemory,
    state: Signs,
    distances: Vec<usize>,
}

impl Landscape for DenseWalker<'_> {
    fn change(&self, i: usize) -> f64 {
        let all = 0..self.distances.len();
        self.memory.change(&self.distances, &self.state, i, all).sign
    }

    fn flip(&mut self, i: usize) {
        let bit = self.state.bit(i);
        for (d, row) in self.distances.iter_mut().zip(self.memory.patterns.rows()) {
            if row.bit(i) == bit { *d += 1 } else { *d -= 1 }
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
    use workbench_ground::stats::Streams;
    use workbench_ground::tabulated::Tabulated;

    const ALL: [Interaction; 4] =
        [Interaction::Exponential, Interaction::Polynomial(2), Interaction::Polynomial(3), Interaction::Polynomial(4)];

    fn slow_energy(memory: &DenseMemory, state: &Signs) -> f64 {
        let overlaps = memory.patterns().to_array().dot(&state.to_array());
        -overlaps
            .iter()
            .map(|o| match memory.interaction() {
                Interaction::Exponential => o.exp(),
                Interaction::Polynomial(n) => o.powi(n as i32),
            })
            .sum::<f64>()
    }

    #[test]
    fn energies_and_changes_agree_with_plain_sums() {
        let mut stream = Streams::new(4).stream("e").unwrap();
        for interaction in ALL {
            let memory = DenseMemory::new(Patterns::random(7, 11, &mut stream).unwrap(), interaction);
            let state = Signs::random(11, &mut stream).unwrap();
            let before = slow_energy(&memory, &state);
            let scale = before.abs().max(1.0);
            assert!((memory.energy(&state).unwrap().value() - before).abs() < 1e-12 * scale);
            for i in 0..11 {
                let after = slow_energy(&memory, &state.flipped(i).unwrap());
                let change = memory.flip_change(&state, i).unwrap().value();
                let size = after.abs().max(scale);
                assert!((change - (after - before)).abs() < 1e-12 * size, "{interaction:?} {i}");
                let (signal, noise) = memory.signal_and_noise(&state, i, 3).unwrap();
                assert!((signal.plus(noise).value() - change).abs() < 1e-12 * size);
            }
        }
    }

    #[test]
    fn quadratic_memory_is_the_network_of_1982() {
        let mut stream = Streams::new(4).stream("hopfield").unwrap();
        let set = Patterns::random(5, 40, &mut stream).unwrap();
        let x = set.to_array();
        let mut weights = x.t().dot(&x);
        weights.diag_mut().fill(0.0);
        let memory = DenseMemory::new(set, Interaction::Polynomial(2));
        let state = Signs::random(40, &mut stream).unwrap();
        let field = weights.dot(&state.to_array());
        for i in 0..40 {
            // E = -s'Ws - const, so a flip changes it by 4 s_i (W s)_i.
            let change = memory.flip_change(&state, i).unwrap().value();
            assert!((change - 4.0 * state.get(i) * field[i]).abs() < 1e-9);
        }
    }

    #[test]
    fn thousands_of_dimensions_stay_finite() {
        let mut stream = Streams::new(4).stream("large").unwrap();
        let set = Patterns::random(20, 5000, &mut stream).unwrap();
        let memory = DenseMemory::new(set.clone(), Interaction::Exponential);
        let input = set.pattern(2).unwrap().corrupted(1500, &mut stream).unwrap();
        let energy = memory.energy(&input).unwrap();
        assert!((energy.log_abs - 2000.0).abs() < 1e-9 && energy.sign == -1.0);
        let end = memory.retrieve(&input, Dynamics::Descend, 5, &mut stream).unwrap();
        assert!(end.converged && end.state == set.pattern(2).unwrap());
        assert_eq!(end.flips, 1500);
        let columns = end.columns().unwrap().list;
        assert_eq!((columns.len(), &columns[0].1), (3, &[end.flips].into()));
    }

    #[test]
    fn refuses_bad_input() {
        let memory = DenseMemory::new(Patterns::reed_muller(1, 3).unwrap(), Interaction::Exponential);
        let (right, wrong) = (Signs::plus(8).unwrap(), Signs::plus(9).unwrap());
        let mut stream = Streams::new(4).stream("bad").unwrap();
        assert!(matches!(memory.energy(&wrong), Err(Error::Shape { .. })));
        assert!(matches!(memory.flip_change(&wrong, 0), Err(Error::Shape { .. })));
        assert!(matches!(memory.flip_change(&right, 8), Err(Error::NoSuch { what: "entry", .. })));
        assert!(matches!(memory.signal_and_noise(&right, 0, 16), Err(Error::NoSuch { what: "pattern", .. })));
        assert!(matches!(memory.retrieve(&wrong, Dynamics::Descend, 1, &mut stream), Err(Error::Shape { .. })));
        assert!(matches!(memory.retrieve(&right, Dynamics::Descend, 0, &mut stream), Err(Error::Zero { .. })));
    }
}
