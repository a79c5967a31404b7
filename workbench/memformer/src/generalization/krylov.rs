//! A Wishart matrix as one vector sees it.
//!
//! Let $H=XX^\top/n$ with independent $\mathcal N(0,1)$ entries of X (d, n), and w any vector independent of it. In the orthonormal basis
//! that $w,Hw,H^2w,\dots$ span, H is tridiagonal, $H=BB^\top/n$, with B lower bidiagonal: diagonal roots of chi-squared variables with
//! $n,n-1,\dots$ degrees of freedom, roots of chi-squared variables with $d-1,d-2,\dots$ below it, all independent (Golub and Kahan's
//! reduction, which a rotation-invariant matrix survives step by step). So everything that L layers with $A_\ell=a_\ell I$ do to w depends
//! on 2L numbers.

use super::chi::{Rule, rule};
use crate::Error;
use rand_distr::{ChiSquared, Distribution};
use workbench_ground::check::{positive, within};
use workbench_ground::stats::Stream;
use workbench_ground::work;

/// A law of tridiagonal matrices, restricted to the first `steps` products with the first basis vector.
#[derive(Clone, Debug)]
pub(super) struct Krylov {
    n: usize,
    d: usize,
    steps: usize,
}

/// The matrix, as far as `steps` products see it.
#[derive(Clone, Debug)]
pub(super) struct Tridiagonal {
    diagonal: Vec<f64>,
    off: Vec<f64>,
}

impl Tridiagonal {
    fn set(&mut self, n: f64, squares: &[f64]) {
        let mut below = 0.0;
        for (j, pair) in squares.chunks_exact(2).enumerate() {
            self.diagonal[j] = (pair[0] + below) / n;
            self.off[j] = (pair[0] * pair[1]).sqrt() / n;
            below = pair[1];
        }
    }

    /// T x, for an x that is zero in its last entry.
    pub(super) fn times(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for j in 0..self.off.len() {
            out[j] += self.diagonal[j] * x[j] + self.off[j] * x[j + 1];
            out[j + 1] += self.off[j] * x[j];
        }
    }

    /// e_1, T e_1, ..., T^K e_1, one after the other in rows of K + 1 numbers.
    pub(super) fn powers(&self, out: &mut [f64]) {
        let width = self.off.len() + 1;
        out.fill(0.0);
        out[0] = 1.0;
        for k in 1..width {
            let (done, rest) = out.split_at_mut(k * width);
            self.times(&done[(k - 1) * width..], &mut rest[..width]);
        }
    }
}

impl Krylov {
    pub(super) fn new(op: &'static str, n: usize, d: usize, steps: usize) -> Result<Krylov, Error> {
        positive(op, "the number of examples (n)", n)?;
        positive(op, "d", d)?;
        positive(op, "the number of layers (L)", steps)?;
        Ok(Krylov { n, d, steps })
    }

    /// Degrees of freedom, in the order n, d-1, n-1, d-2, ...
    fn freedoms(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.steps).flat_map(|j| [self.n.saturating_sub(j), self.d.saturating_sub(j + 1)])
    }

    fn empty(&self) -> Tridiagonal {
        Tridiagonal { diagonal: vec![0.0; self.steps], off: vec![0.0; self.steps] }
    }

    /// Calls `f(weight, T)` for every node of a product rule that is exact for polynomials of degree `2 power` in the entries of
    /// vectors p(T) e_1, with p of degree `steps`.
    ///
    /// The j-th pair of variables enters |p(T) e_1|^2 with degrees 2 (L - j) and 2 (L - j) - 1, j = 0, 1, ...
    pub(super) fn each(
        &self,
        op: &'static str,
        power: usize,
        f: &mut dyn FnMut(f64, &Tridiagonal),
    ) -> Result<(), Error> {
        let mut rules: Vec<Rule> = Vec::new();
        for (i, freedom) in self.freedoms().enumerate() {
            let degree = power * (2 * (self.steps - i / 2) - i % 2);
            rules.push(rule(op, freedom, degree)?);
        }
        let nodes: usize = rules.iter().map(|r| r.nodes.len()).product();
        /// About half a minute.
        const LONGEST: usize = 300_000_000;
        let allowed = "fewer layers or a lower moment";
        let inside = nodes <= LONGEST;
        within(op, "the number of quadrature nodes", nodes as f64, inside, allowed)?;
        let mut at = vec![0; rules.len()];
        let mut squares: Vec<f64> = rules.iter().map(|r| r.nodes[0]).collect();
        let mut matrix = self.empty();
        for done in 0..nodes {
            if done % 8192 == 0 {
                work::check(op, done, nodes)?;
            }
            let weight = rules.iter().zip(&at).map(|(r, i)| r.weights[*i]).product();
            matrix.set(self.n as f64, &squares);
            f(weight, &matrix);
            for (i, rule) in rules.iter().enumerate() {
                at[i] = (at[i] + 1) % rule.nodes.len();
                squares[i] = rule.nodes[at[i]];
                if at[i] > 0 {
                    break;
                }
            }
        }
        Ok(())
    }

    /// What draws matrices of sizes that are known not to be zero.
    pub(super) fn sampler_of(n: usize, d: usize, steps: usize) -> Sampler {
        Krylov { n, d, steps }.sampler()
    }

    /// What draws such matrices.
    pub(super) fn sampler(&self) -> Sampler {
        Sampler {
            n: self.n as f64,
            // None where there are no degrees of freedom left: the variable is 0.
            laws: self.freedoms().map(|k| ChiSquared::new(k as f64).ok()).collect(),
            squares: vec![0.0; 2 * self.steps],
            matrix: self.empty(),
        }
    }
}

/// Draws tridiagonal matrices, in the same memory.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    n: f64,
    laws: Vec<Option<ChiSquared<f64>>>,
    squares: Vec<f64>,
    matrix: Tridiagonal,
}

impl Sampler {
    pub(super) fn draw(&mut self, stream: &mut Stream) -> &Tridiagonal {
        for (square, law) in self.squares.iter_mut().zip(&self.laws) {
            *square = law.map_or(0.0, |law| law.sample(stream));
        }
        self.matrix.set(self.n, &self.squares);
        &self.matrix
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Prompts, TaskLaw};
    use workbench_ground::stats::{Streams, mean};

    /// E tr H^k / d by quadrature.
    fn moments(n: usize, d: usize, steps: usize) -> Vec<f64> {
        let krylov = Krylov::new("test", n, d, steps).unwrap();
        let width = steps + 1;
        let (mut powers, mut sums) = (vec![0.0; width * width], vec![0.0; 2 * steps + 1]);
        krylov
            .each("test", 1, &mut |weight, t| {
                t.powers(&mut powers);
                for (k, sum) in sums.iter_mut().enumerate() {
                    let (a, b) = (k / 2, k - k / 2);
                    let dot: f64 = (0..width).map(|i| powers[a * width + i] * powers[b * width + i]).sum();
                    *sum += weight * dot;
                }
            })
            .unwrap();
        sums
    }

    #[test]
    fn traces_of_wishart_powers_are_the_known_ones() {
        for (n, d) in [(20, 5), (3, 7), (1, 1), (2, 1), (1, 4), (6, 2)] {
            let got = moments(n, d, 3);
            let (n, d) = (n as f64, d as f64);
            let want = [1.0, 1.0, (n + d + 1.0) / n, (n * n + 3.0 * n * (d + 1.0) + d * d + 3.0 * d + 4.0) / (n * n)];
            for (g, w) in got.iter().zip(want) {
                assert!((g / w - 1.0).abs() < 1e-12, "{n} {d}: {got:?} {want:?}");
            }
        }
    }

    #[test]
    fn drawn_matrices_and_prompts_agree() {
        let streams = Streams::new(5);
        let (n, d, size) = (4, 3, 20_000);
        let prompts =
            Prompts::draw(&TaskLaw::isotropic(d).unwrap(), n, size, &mut streams.stream("p").unwrap()).unwrap();
        let statistics = prompts.statistics().unwrap();
        let power = |b: usize| {
            let h = statistics.gram().index_axis(ndarray::Axis(0), b);
            h.dot(&h.dot(&h))[[0, 0]].sqrt()
        };
        let direct = mean(&(0..size).map(power).collect::<Vec<_>>()).unwrap();
        let mut sampler = Krylov::new("test", n, d, 3).unwrap().sampler();
        let mut stream = streams.stream("t").unwrap();
        let mut powers = vec![0.0; 16];
        let seen: Vec<f64> = (0..size)
            .map(|_| {
                sampler.draw(&mut stream).powers(&mut powers);
                powers[3 * 4].sqrt()
            })
            .collect();
        let seen = mean(&seen).unwrap();
        assert!(seen.low < direct.high && direct.low < seen.high, "{seen} {direct}");
    }

    #[test]
    fn too_much_is_refused() {
        let krylov = Krylov::new("test", 20, 5, 8).unwrap();
        let error = krylov.each("test", 6, &mut |_, _| ()).unwrap_err();
        assert!(error.to_string().contains("fewer layers"), "{error}");
        assert!(Krylov::new("test", 0, 5, 1).is_err() && Krylov::new("test", 5, 0, 1).is_err());
    }
}
