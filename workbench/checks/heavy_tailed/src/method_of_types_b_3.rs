//! B.3, finite data: the method of types.
//!
//! **Claims.** (`heavy-tailed/b3-type-probability`) P((x_t) in T(a)) = |T(a)| exp(-T (H(a) + KL(a||p))) <= exp(-T KL(a||p)).
//! (`heavy-tailed/b3-type-count`) There are at most (N+1)^T templates, hence sum exp(c_a T) <= (T+1)^N sup exp(c_a T) =
//! sup exp(c_a T + N ln(T+1)).
//!
//! All templates of small problems are listed, and all sequences of one as a second route. Against the first speaks a template on which
//! the sides differ; against the second a count above its bound, and a word "hence" that does not carry.

use std::collections::HashMap;

use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{TieBreak, TypeClass, Zipf, leaving_top, type_class, type_count, types};

use super::sections_b_2_to_b_4::{Cases, SUM_ROUNDING};
use crate::vocabulary::{ROUNDING, largest_of};

/// All templates of small problems.
#[derive(Clone, Debug)]
pub struct TypeProbability {
    /// Inputs N, from 1.
    pub inputs: usize,
    /// Samples T, from 1.
    pub samples: usize,
    /// Exponents of the law.
    pub alphas: Vec<f64>,
}

impl Default for TypeProbability {
    fn default() -> TypeProbability {
        TypeProbability { inputs: 4, samples: 12, alphas: vec![1.0, 2.0] }
    }
}

#[derive(Default)]
struct Templates {
    count: usize,
    equality: Vec<f64>,
    inequality: Vec<f64>,
    /// Equality in the bound exactly where one input holds all samples.
    corners: Cases,
    doubled: Vec<f64>,
    no_entropy: Vec<f64>,
}

impl Templates {
    fn see(&mut self, a: &TypeClass, counts: &[usize], t: f64) {
        let ln_p = a.ln_probability();
        let above = ln_p + t * a.divergence;
        self.count += 1;
        self.equality.push((ln_p - (a.ln_size - t * (a.entropy + a.divergence))).abs());
        self.inequality.push(above);
        self.corners.see((above > -1e-12) != (counts.iter().filter(|c| **c > 0).count() == 1));
        self.doubled.push(above + t * a.divergence);
        self.no_entropy.push((ln_p - (a.ln_size - t * a.divergence)).abs());
    }
}

impl TypeProbability {
    fn templates(&self) -> Result<Templates, Failure> {
        let mut found = Templates::default();
        for n in 1..=self.inputs {
            for alpha in &self.alphas {
                let p = Zipf::new(*alpha, n)?.probabilities(n);
                for size in 1..=self.samples {
                    for counts in types(n, size)? {
                        found.see(&type_class(&counts, &p)?, &counts, size as f64);
                    }
                }
            }
        }
        Ok(found)
    }
}

/// Largest difference from the probability by listing all 3^7 sequences, over the templates of T = 7, N = 3.
fn by_listing() -> Result<(f64, usize), Failure> {
    let p = Zipf::new(1.5, 3)?.probabilities(3);
    let mut listed = HashMap::<Vec<usize>, f64>::new();
    for code in 0..3usize.pow(7) {
        let (mut counts, mut product) = (vec![0; 3], 1.0);
        for x in (0..7).map(|place| code / 3usize.pow(place) % 3) {
            counts[x] += 1;
            product *= p[x];
        }
        *listed.entry(counts).or_default() += product;
    }
    let gap = |(counts, total): (&Vec<usize>, &f64)| Ok((type_class(counts, &p)?.ln_probability().exp() - total).abs());
    let gaps = listed.iter().map(gap).collect::<Result<Vec<f64>, Failure>>()?;
    Ok((largest_of(&gaps), gaps.len()))
}

impl TypedCheck for TypeProbability {
    const CLAIM: &'static str = "heavy-tailed/b3-type-probability";
    const PLAN: Plan = Plan::new(
        "difference of logarithms of both sides, over all templates",
        "a template on which the sides differ, or above the bound",
        &[ROUNDING, SUM_ROUNDING],
    )
    .protocol(&["every template with N ≤ 4 and T ≤ 12; all 3^7 sequences as a second route"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let (found, (gap, listed)) = (self.templates()?, by_listing()?);
        let evidence = Evidence::of(
            Finding::identity("ln P minus ln of the right side, worst template", largest_of(&found.equality), ROUNDING)
                .cases(found.count)
                .unit("templates"),
        )
        .and(
            Finding::at_most("largest ln P + T KL", ROUNDING, Estimate::exact(largest_of(&found.inequality)))
                .cases(found.count)
                .unit("templates"),
        )
        .and(Finding::identity("against all 3^7 sequences", gap, SUM_ROUNDING).cases(listed).unit("templates"))
        .and(found.corners.none("equality other than where one input holds all samples", "templates"))
        .twin(Finding::at_most("largest ln P + 2 T KL", ROUNDING, Estimate::exact(largest_of(&found.doubled))))
        .twin(Finding::identity("entropy left out", largest_of(&found.no_entropy), ROUNDING));
        Ok(evidence.into())
    }
}

/// Counts in whole numbers, and the step from a sum to its largest term.
#[derive(Clone, Debug)]
pub struct TypeCount {
    /// N and T up to this.
    pub up_to: u32,
    /// `(N, T)` at which a sum over templates is listed.
    pub sums: Vec<(usize, usize)>,
}

impl Default for TypeCount {
    fn default() -> TypeCount {
        TypeCount { up_to: 12, sums: vec![(2, 15), (3, 12), (4, 10), (5, 8)] }
    }
}

#[derive(Default)]
struct Counts {
    text: Cases,
    display: Cases,
    follows: Cases,
    /// (T+1)^(N-2).
    fewer: Cases,
}

impl TypeCount {
    fn counts(&self) -> Result<Counts, Failure> {
        let mut found = Counts::default();
        for n in 1..=self.up_to {
            for t in 1..=self.up_to {
                let count = type_count(n as usize, t as usize).ok_or("a count beyond 128 bits")?;
                let (by_sequences, by_counts) = (u128::from(n + 1).pow(t), u128::from(t + 1).pow(n));
                found.text.see(count > by_sequences);
                found.display.see(count > by_counts);
                found.follows.see(by_sequences > by_counts);
                found.fewer.see(n > 1 && count > u128::from(t + 1).pow(n - 2));
            }
        }
        Ok(found)
    }

    /// `ln(sum) - ln((T+1)^N sup)` over the templates with rank x outside the top N - 1.
    fn excess(&self) -> Result<Vec<f64>, Failure> {
        let mut found = Vec::new();
        for &(n, t) in &self.sums {
            let p = Zipf::new(1.5, n)?.probabilities(n);
            for rank in 1..n {
                let out = leaving_top(&p, t, rank, n - 1, TieBreak::Rare)?;
                found.push(out.ln_type_sum - out.ln_bound());
            }
        }
        Ok(found)
    }
}

impl TypedCheck for TypeCount {
    const CLAIM: &'static str = "heavy-tailed/b3-type-count";
    const PLAN: Plan = Plan::new(
        "counts of templates in whole numbers; sum over templates against its bound",
        "a count above its bound; a count in the text above that of the display it is to give",
        &[],
    )
    .protocol(&["all N and T up to 12"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let (found, excess) = (self.counts()?, self.excess()?);
        let evidence =
            Evidence::of(found.follows.none("(N+1)^T of the text above (T+1)^N of the display", "pairs of N and T"))
                .and(found.text.none("more than (N+1)^T templates", "pairs of N and T"))
                .misprint(
                    "the count is at most (T+1)^N; with that the display follows",
                    vec![
                        found.display.none("more than (T+1)^N templates", "pairs of N and T"),
                        Finding::at_most(
                            "largest ln(sum) − ln((T+1)^N sup)",
                            0.0,
                            Estimate::exact(largest_of(&excess)),
                        )
                        .cases(excess.len())
                        .unit("sums"),
                    ],
                )
                .twin(found.fewer.none("more than (T+1)^(N−2) templates", "pairs of N and T"))
                .note("N = 3, T = 12: 91 templates, (T+1)^N = 2197, (N+1)^T = 16777216");
        Ok(evidence.into())
    }
}
