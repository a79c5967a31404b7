//! Method of types: B.3, finite data.
//!
//! **Claims.** (`heavy-tailed/b3-type-probability`) P((x_t) in T(a)) = |T(a)| exp(-T (H(a) + KL(a||p))) <= exp(-T KL(a||p)).
//! (`heavy-tailed/b3-type-count`) There are at most (N+1)^T templates, hence sum exp(c_a T) <= (T+1)^N sup exp(c_a T) =
//! sup exp(c_a T + N ln(T+1)).
//!
//! All templates of small problems are listed, and all sequences of one as a second route. The first is refuted by a template on which the
//! sides differ; the second by a count or a sum above its bound, and by a word "hence" that does not carry.

use std::collections::HashMap;

use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memory::{TieBreak, Zipf, leaving_top, type_class, type_count, types};

use super::exponents::SUM_ROUNDING;
use crate::vocabulary::ROUNDING;

/// All templates of small problems.
pub const TYPE_PROBABILITY: Check = Check {
    claim: "heavy-tailed/b3-type-probability",
    metric: "difference of logarithms of both sides, over all templates",
    against: "a template on which the sides differ, or above the bound",
    choices: &["every template with N ≤ 4 and T ≤ 12; all 3^7 sequences as a second route"],
    run: type_probability,
    ..Check::DEFAULT
};

fn type_probability(s: &Sheet) -> Done {
    let (printed, twin) = (s.printed(ROUNDING), s.twin(ROUNDING).largest());
    for n in 1..=4 {
        for alpha in [1.0, 2.0] {
            let p = Zipf::new(alpha, n)?.probabilities(n);
            for size in 1..=12 {
                for counts in s.each("templates", types(n, size)?) {
                    let (a, t) = (type_class(&counts, &p)?, size as f64);
                    let ln_p = a.ln_probability();
                    let off = |exponent: f64| (ln_p - (a.ln_size - t * exponent)).abs();
                    printed.same("ln P minus ln of the right side, worst template", off(a.entropy + a.divergence));
                    twin.same("entropy left out", off(a.divergence));
                    let above = ln_p + t * a.divergence;
                    printed.at_most("largest ln P + T KL", above);
                    twin.at_most("largest ln P + 2 T KL", above + t * a.divergence);
                    let one_input = counts.iter().filter(|c| **c > 0).count() == 1;
                    let label = "equality other than where one input holds all samples";
                    s.support(Margin::ZERO).never(label, (above > -1e-12) != one_input);
                }
            }
        }
    }
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
    for (counts, total) in s.each("templates", &listed) {
        let gap = (type_class(counts, &p)?.ln_probability().exp() - total).abs();
        s.support(SUM_ROUNDING).same("against all 3^7 sequences", gap);
    }
    Ok(())
}

/// Counts in whole numbers, and the step from a sum to its largest term.
pub const TYPE_COUNT: Check = Check {
    claim: "heavy-tailed/b3-type-count",
    metric: "counts of templates in whole numbers; sum over templates against its bound",
    against: "a count above its bound; a count in the text above that of the display it is to give",
    choices: &["all N and T up to 12; for the sums N from 2 to 5, T from 8 to 15, each input outside the top N − 1"],
    run: type_counts,
    ..Check::DEFAULT
};

fn type_counts(s: &Sheet) -> Done {
    s.misprint("the count is at most (T+1)^N; with that the display follows");
    let (printed, changed, twin) = (s.printed(Margin::ZERO), s.changed(Margin::ZERO), s.twin(Margin::ZERO));
    for n in 1..=12u32 {
        for t in s.each("pairs of N and T", 1..=12u32) {
            let count = type_count(n as usize, t as usize).ok_or("a count beyond 128 bits")?;
            let (by_sequences, by_counts) = (u128::from(n + 1).pow(t), u128::from(t + 1).pow(n));
            printed.never("(N+1)^T of the text above (T+1)^N of the display", by_sequences > by_counts);
            printed.never("more than (N+1)^T templates", count > by_sequences);
            let over = (count as f64).ln() - (by_counts as f64).ln();
            changed.at_most("largest ln of the count of templates over (T+1)^N", over);
            twin.never("more than (T+1)^(N−2) templates", n > 1 && count > u128::from(t + 1).pow(n - 2));
        }
    }
    for (n, t) in [(2, 15), (3, 12), (4, 10), (5, 8)] {
        let p = Zipf::new(1.5, n)?.probabilities(n);
        // Over the templates with rank x outside the top N - 1.
        for x in s.each("sums", 1..n) {
            let out = leaving_top(&p, t, x, n - 1, TieBreak::Rare)?;
            let over = out.ln_type_sum - out.ln_bound();
            s.both_forms(Margin::ZERO).at_most("largest ln(sum) − ln((T+1)^N sup)", over);
            let label = "(T+1)^(N−2) before the supremum: largest ln of the sum over it";
            s.twin(Margin::ZERO).largest().at_most(label, over + 2.0 * (t as f64).ln_1p());
        }
    }
    s.note("N = 3, T = 12: 91 templates, (T+1)^N = 2197, (N+1)^T = 16777216");
    Ok(())
}
