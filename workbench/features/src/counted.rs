//! Operation counts of the formulas, by numbers that count.
//!
//! Each formula is written once more here, entry by entry in plain loops over [`Counted`] numbers. This is slow, but it is easy to compare
//! with the document, and tests compare its results with those of the fast code.

use super::Error;
use workbench_ground::check::positive;
use workbench_ground::counted::{Counted, count_operations};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// The i-th entry of a fixed sequence in (-1, 1), so that the counted runs have inputs.
fn entry(i: usize) -> Counted {
    Counted((i as f64 * 0.618_033_988_749_895).sin())
}

fn vector(seed: usize, dim: usize) -> Vec<Counted> {
    (0..dim).map(|i| entry(seed * dim + i + 1)).collect()
}

fn dot(a: &[Counted], b: &[Counted]) -> Counted {
    let mut sum = a[0] * b[0];
    for (a, b) in a.iter().zip(b).skip(1) {
        sum = sum + *a * *b;
    }
    sum
}

fn add_to(sum: &mut [Counted], x: &[Counted]) {
    for (sum, x) in sum.iter_mut().zip(x) {
        *sum = *sum + *x;
    }
}

/// The number of operations of `run`.
fn operations<T>(run: impl FnOnce() -> T) -> u64 {
    count_operations(run).1.total()
}

/// gamma and rho* from M queries and M keys by running sums.
fn linear(m: usize, dim: usize) -> (Counted, Counted) {
    let (mut q, mut k) = (vector(0, dim), vector(m, dim));
    let mut squares = dot(&q, &q) + dot(&k, &k);
    for i in 1..m {
        let (next_q, next_k) = (vector(i, dim), vector(m + i, dim));
        squares = squares + dot(&next_q, &next_q) + dot(&next_k, &next_k);
        add_to(&mut q, &next_q);
        add_to(&mut k, &next_k);
    }
    let count = Counted(m as f64);
    let gamma = squares / count + Counted(2.0) * dot(&q, &k) / (count * count);
    (gamma, equation_11(gamma, dim))
}

fn equation_11(gamma: Counted, dim: usize) -> Counted {
    let (n, two_gamma) = (Counted(dim as f64), Counted(2.0) * gamma);
    let linear = two_gamma + n;
    let root = (linear * linear + Counted(8.0) * n * gamma).sqrt();
    Counted(2.0) * n / (root + linear)
}

/// gamma by its definition.
fn quadratic(m: usize, dim: usize) -> Result<Counted, Error> {
    let mut sum = Counted(0.0);
    for i in 0..m {
        work::check("operations_of_double_sum", i, m)?;
        for j in 0..m {
            let mut pair = vector(i, dim);
            add_to(&mut pair, &vector(m + j, dim));
            sum = sum + dot(&pair, &pair);
        }
    }
    Ok(sum / (Counted(m as f64) * Counted(m as f64)))
}

/// Operations for $\gamma$ and $\rho^*$ of M queries and M keys from running sums.
///
/// **Source**: A.1.1, below Eq. 11: time linear in M; the count is ours.
///
/// **Errors**: `m` or `dim` of zero.
pub fn operations_of_gamma(m: usize, dim: usize) -> Result<u64, Error> {
    positive("operations_of_gamma", "M", m)?;
    positive("operations_of_gamma", "dimension N", dim)?;
    Ok(operations(|| linear(m, dim)))
}

/// Operations for $\gamma$ as a double sum over pairs.
///
/// **Source**: A.1.1, $\gamma$ as defined below Eq. 11; the count is ours.
///
/// **Errors**: `m` or `dim` of zero, a stop asked for.
pub fn operations_of_double_sum(m: usize, dim: usize) -> Result<u64, Error> {
    positive("operations_of_double_sum", "M", m)?;
    positive("operations_of_double_sum", "dimension N", dim)?;
    let (sum, done) = count_operations(|| quadratic(m, dim));
    sum.map(|_| done.total())
}

/// A thickened memory, entry by entry.
struct Plain {
    draws: Vec<Vec<Counted>>,
    a_hats: Vec<f64>,
    numerators: Vec<Vec<Vec<Counted>>>,
    normalisers: Vec<Vec<Counted>>,
    sum: Vec<Counted>,
    squares: Counted,
}

/// What a stream costs: operations of each step and numbers stored after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamCosts {
    /// Operations to absorb pattern t.
    pub absorb: Vec<u64>,
    /// Operations to compute $\gamma_t$ alone.
    pub gamma: Vec<u64>,
    /// Operations to answer query t: $\gamma_t$, $\rho^*$, choice of the slice, read.
    pub read: Vec<u64>,
    /// Numbers in the state after pattern t.
    pub stored: Vec<u64>,
}

/// One row for each pattern.
impl Tabulated for StreamCosts {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Costs of a stream")
            .x("pattern", (1..=self.absorb.len()).collect::<Vec<usize>>())
            .with("to absorb it", &self.absorb)
            .with("for gamma", &self.gamma)
            .with("to answer a query", &self.read)
            .with("numbers stored", &self.stored))
    }
}

impl Plain {
    fn new(rhos: &[f64], r: usize, dim: usize, value_dim: usize) -> Plain {
        Plain {
            draws: (0..r).map(|i| vector(1000 + i, dim)).collect(),
            a_hats: rhos.iter().map(|rho| (1.0 / rho - 1.0) / 8.0).collect(),
            numerators: vec![vec![vec![Counted(0.0); value_dim]; r]; rhos.len()],
            normalisers: vec![vec![Counted(0.0); r]; rhos.len()],
            sum: vec![Counted(0.0); dim],
            squares: Counted(0.0),
        }
    }

    /// FAVOR++ features; the constants of each map are known beforehand and cost nothing here.
    fn features(&self, slice: usize, z: &[Counted]) -> Vec<Counted> {
        let a = self.a_hats[slice];
        let b = Counted((1.0 + 4.0 * a).sqrt());
        let half_norm = Counted(0.5) * dot(z, z);
        let constant = 0.25 * z.len() as f64 * (1.0 + 4.0 * a).ln() - 0.5 * (self.draws.len() as f64).ln();
        let feature = |w: &Vec<Counted>| {
            let offset = Counted(constant - a * w.iter().map(|x| x.0 * x.0).sum::<f64>());
            (offset + b * dot(w, z) - half_norm).exp()
        };
        self.draws.iter().map(feature).collect()
    }

    fn absorb(&mut self, key: &[Counted], value: &[Counted]) {
        for slice in 0..self.a_hats.len() {
            let phi = self.features(slice, key);
            for (i, phi) in phi.iter().enumerate() {
                self.normalisers[slice][i] = self.normalisers[slice][i] + *phi;
                for (c, v) in value.iter().enumerate() {
                    self.numerators[slice][i][c] = self.numerators[slice][i][c] + *phi * *v;
                }
            }
        }
        add_to(&mut self.sum, key);
        self.squares = self.squares + dot(key, key);
    }

    fn gamma(&self, query: &[Counted], t: usize) -> Counted {
        dot(query, query) + (self.squares + Counted(2.0) * dot(query, &self.sum)) / Counted(t as f64)
    }

    fn read(&self, query: &[Counted], t: usize) -> Vec<Counted> {
        let best = equation_11(self.gamma(query, t), query.len());
        let mut chosen = (0, Counted(f64::INFINITY));
        for (i, a) in self.a_hats.iter().enumerate() {
            let gap = Counted(1.0 / (1.0 + 8.0 * a)) - best;
            let distance = gap * gap;
            if distance < chosen.1 {
                chosen = (i, distance);
            }
        }
        let phi = self.features(chosen.0, query);
        let total = dot(&phi, &self.normalisers[chosen.0]);
        let width = self.numerators[chosen.0][0].len();
        (0..width)
            .map(|c| {
                let column: Vec<Counted> = self.numerators[chosen.0].iter().map(|row| row[c]).collect();
                dot(&phi, &column) / total
            })
            .collect()
    }

    fn stored(&self) -> u64 {
        let slices = self.numerators.iter().flatten().map(Vec::len).sum::<usize>()
            + self.normalisers.iter().map(Vec::len).sum::<usize>();
        (slices + self.sum.len() + 1) as u64
    }
}

/// The operations and the size of a thickened memory that reads a stream of patterns.
///
/// `c` grid points, `r` features, keys of `dim` and values of `value_dim` entries, `steps` patterns with one query after each.
///
/// **Source**: A.1.1, "Thickening Mnemosyne's memory"; the count is ours.
///
/// **Errors**: a zero argument, a stop asked for.
///
/// ```
/// let costs = workbench_features::operations_of_thick_memory(2, 3, 4, 1, 10)?;
/// assert!(costs.absorb.iter().all(|n| *n == costs.absorb[0]));
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn operations_of_thick_memory(
    c: usize,
    r: usize,
    dim: usize,
    value_dim: usize,
    steps: usize,
) -> Result<StreamCosts, Error> {
    const OP: &str = "operations_of_thick_memory";
    for (name, value) in [
        ("number of chunks c", c),
        ("number of features r", r),
        ("dimension N", dim),
        ("value_dim", value_dim),
        ("steps", steps),
    ] {
        positive(OP, name, value)?;
    }
    let mut memory = Plain::new(&super::rho_grid(c)?, r, dim, value_dim);
    let mut costs = StreamCosts { absorb: Vec::new(), gamma: Vec::new(), read: Vec::new(), stored: Vec::new() };
    for t in 1..=steps {
        if t % 64 == 0 {
            work::check(OP, t, steps)?;
        }
        let (key, value, query) = (vector(t, dim), vector(2 * t, value_dim), vector(3 * t, dim));
        costs.absorb.push(operations(|| memory.absorb(&key, &value)));
        costs.gamma.push(operations(|| memory.gamma(&query, t)));
        costs.read.push(operations(|| memory.read(&query, t)));
        costs.stored.push(memory.stored());
    }
    Ok(costs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Draws, ThickMemory, gamma, rho_grid, rho_star};
    use ndarray::{Array1, Array2};
    use workbench_ground::rehearsal;
    use workbench_ground::tabulated::Values;

    fn numbers(x: &[Counted]) -> Array1<f64> {
        x.iter().map(|x| x.0).collect()
    }

    #[test]
    fn counted_formulas_give_the_same_numbers() {
        let (m, dim) = (6, 3);
        let rows = |from: usize| {
            let flat: Vec<f64> = (0..m).flat_map(|i| numbers(&vector(from + i, dim)).to_vec()).collect();
            Array2::from_shape_vec((m, dim), flat).unwrap()
        };
        let (q, k) = (rows(0), rows(m));
        let (g, rho) = linear(m, dim);
        assert!((g.0 / gamma(&q, &k).unwrap() - 1.0).abs() < 1e-14);
        assert!((g.0 / quadratic(m, dim).unwrap().0 - 1.0).abs() < 1e-13);
        assert!((rho.0 / rho_star(g.0, dim).unwrap() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn the_plain_memory_is_the_thick_memory() {
        let (r, dim, width) = (5, 3, 2);
        let rhos = rho_grid(4).unwrap();
        let mut plain = Plain::new(&rhos, r, dim, width);
        let flat: Vec<f64> = plain.draws.iter().flat_map(|w| numbers(w).to_vec()).collect();
        let draws = Draws::from_rows(Array2::from_shape_vec((r, dim), flat).unwrap()).unwrap();
        let mut thick = ThickMemory::new(&draws, &rhos, width).unwrap();
        for t in 1..=12 {
            let (key, value, query) = (vector(t, dim), vector(2 * t, width), vector(3 * t, dim));
            plain.absorb(&key, &value);
            thick.absorb(&numbers(&key), &numbers(&value)).unwrap();
            let answer = thick.read(&numbers(&query)).unwrap();
            assert!((numbers(&plain.read(&query, t)) - &answer.value).iter().all(|x| x.abs() < 1e-12));
            assert!((plain.gamma(&query, t).0 / answer.gamma - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn counts_by_hand() {
        // dim 1, M = 1: two squares and their sum (3); dot q.k (1), / (1), * 2 (1), / (1), M * M (1), + (1); Eq. 11: 2g, +n, square, 8n,
        // *g, +, sqrt, 2n, +, / (10).
        assert_eq!(operations_of_gamma(1, 1).unwrap(), 3 + 6 + 10);
        assert_eq!(operations_of_double_sum(1, 1).unwrap(), 1 + 1 + 1 + 2);
        let stopped = rehearsal::stop_after(2, || operations_of_double_sum(5, 1));
        assert!(matches!(stopped, Err(Error::Stopped(stop)) if (stop.done, stop.of) == (2, 5)));
        let costs = operations_of_thick_memory(2, 3, 4, 1, 5).unwrap();
        let columns = costs.columns().unwrap();
        assert_eq!((columns.x, columns.list.len()), (Some(0), 5));
        assert_eq!(columns.list[0].1, Values::from([1, 2, 3, 4, 5]));
        assert_eq!(columns.list[4].1, Values::from(&costs.stored));
    }

    #[test]
    fn refuses_zero() {
        assert!(matches!(operations_of_gamma(0, 1), Err(Error::Zero { .. })));
        assert!(matches!(operations_of_double_sum(1, 0), Err(Error::Zero { .. })));
        assert!(matches!(operations_of_thick_memory(0, 1, 1, 1, 1), Err(Error::Zero { .. })));
    }
}
