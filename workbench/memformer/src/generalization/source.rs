//! Draws the features of prompts of a class, from their exact law.

use super::class::{Covariates, Kind, LinearClass};
use super::krylov::{Krylov, Sampler, Tridiagonal};
use rand_distr::{ChiSquared, Distribution};
use workbench_ground::stats::Stream;

/// What draws g.
pub(super) enum Source<'a> {
    Normal {
        sizes: &'a [usize],
        n: f64,
        length: Option<ChiSquared<f64>>,
        /// w and xi.
        vectors: [Vec<f64>; 2],
    },
    Signs {
        sizes: &'a [usize],
        n: usize,
        /// w, x(j) and n H w.
        vectors: [Vec<f64>; 3],
    },
    Polynomial {
        sampler: Sampler,
        length: Option<ChiSquared<f64>>,
        query: Vec<f64>,
        powers: Vec<f64>,
    },
}

impl<'a> Source<'a> {
    pub(super) fn new(class: &'a LinearClass) -> Source<'a> {
        let (n, d) = (class.n, class.d);
        let zeros = || vec![0.0; d];
        match (&class.kind, class.covariates) {
            (Kind::OneStep(sizes), Covariates::Normal) => Source::Normal {
                sizes,
                n: n as f64,
                length: ChiSquared::new(n as f64).ok(),
                vectors: [zeros(), zeros()],
            },
            (Kind::OneStep(sizes), Covariates::Signs) => {
                Source::Signs { sizes, n, vectors: [zeros(), zeros(), zeros()] }
            }
            (Kind::Polynomial(steps), _) => Source::Polynomial {
                // Sizes were checked when the class was made.
                sampler: Krylov::sampler_of(n, d, *steps),
                length: ChiSquared::new(d as f64).ok(),
                query: vec![0.0; steps + 1],
                powers: vec![0.0; (steps + 1) * (steps + 1)],
            },
        }
    }

    pub(super) fn draw(&mut self, stream: &mut Stream, g: &mut [f64]) {
        g.fill(0.0);
        match self {
            Source::Normal { sizes, n, length, vectors: [w, xi] } => {
                w.iter_mut().for_each(|v| *v = stream.normal());
                xi.iter_mut().for_each(|v| *v = stream.normal());
                let s = length.map_or(0.0, |law| law.sample(stream));
                let square: f64 = w.iter().map(|v| v * v).sum();
                let overlap: f64 = w.iter().zip(xi.iter()).map(|(a, b)| a * b).sum();
                let across = (square * s).sqrt() / *n;
                // The part of xi along w is taken out.
                let along = s / *n - across * overlap / square;
                let mut c = 0;
                for (i, size) in sizes.iter().enumerate() {
                    for _ in 0..*size {
                        let q = stream.normal();
                        g[0] += q * w[c];
                        g[i + 1] += q * (along * w[c] + across * xi[c]);
                        c += 1;
                    }
                }
            }
            Source::Signs { sizes, n, vectors: [w, x, image] } => {
                w.iter_mut().for_each(|v| *v = stream.sign());
                image.fill(0.0);
                for _ in 0..*n {
                    x.iter_mut().for_each(|v| *v = stream.sign());
                    let y: f64 = x.iter().zip(w.iter()).map(|(a, b)| a * b).sum();
                    image.iter_mut().zip(x.iter()).for_each(|(to, x)| *to += y * x);
                }
                let mut c = 0;
                for (i, size) in sizes.iter().enumerate() {
                    for _ in 0..*size {
                        let q = stream.sign();
                        g[0] += q * w[c];
                        g[i + 1] += q * image[c] / *n as f64;
                        c += 1;
                    }
                }
            }
            Source::Polynomial { sampler, length, query, powers } => {
                let t: &Tridiagonal = sampler.draw(stream);
                t.powers(powers);
                let scale = length.map_or(0.0, |law| law.sample(stream)).sqrt();
                query.iter_mut().for_each(|v| *v = scale * stream.normal());
                for (g, power) in g.iter_mut().zip(powers.chunks_exact(query.len())) {
                    *g = query.iter().zip(power).map(|(q, x)| q * x).sum();
                }
            }
        }
    }
}
