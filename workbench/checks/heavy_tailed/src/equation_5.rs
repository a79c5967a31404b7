//! Eq. 5: the inputs seen most often become the most frequent ones.
//!
//! **Claim** (`heavy-tailed/eq-5`). phat(x)^rho on the P inputs seen most often converges to p(x)^rho on [P].
//!
//! No rule is given for equal counts. Any rule lies between two extremes, which keep the truly more frequent or the truly rarer input. For
//! small N and T every vector of counts is listed, which gives the law of the stored set exactly, and sampling must agree. A wrong set must
//! become less likely with T under both rules. For a hundred inputs the largest difference of weights, once the set is settled, must fall.
//! Refuted by a difference that does not, or by a rule that keeps wrong sets. The check stands on the rate of Eq. 4, on sampled sets that
//! follow the exact law, and on what the rule can change, which must fall with T.

use std::collections::BTreeMap;

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, proportion};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{ErrorCurve, Scheme, TieBreak, Zipf, top_set_law};

use super::equation_4::{MISSES, RATE, SETTLES};
use crate::vocabulary::largest_of;

const RIGHT_SET: Margin =
    Margin::ours("right set", 0.95, "a set that is wrong in more than one data set of twenty cannot be called settled");
const TIES: Margin = Margin::ours("ties", 0.02, "a rule that moves one data set in fifty no longer matters");

/// The law of the stored set, exactly for four inputs and by sampling for a hundred.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-5",
    metric: "law of the stored set, exact and sampled; probability that it is not [P]; rate in T of the largest difference of weights",
    against: "a difference of weights that does not fall; wrong sets that do not grow rarer under some rule for ties",
    choices: &[
        "N = 4, P = 2, T up to 300 exactly; N = 100, P = 10, ρ = 1, T up to 10⁷ by sampling; α = 1",
        "the document has no rule for equal counts: both extremes are run",
        "differences of weights from T = 10⁵ on, where the set of a hundred inputs is settled",
    ],
    run,
    ..Check::DEFAULT
};

const RULES: [TieBreak; 2] = [TieBreak::Frequent, TieBreak::Rare];
/// Samples whose stored sets are held against the exact law.
const TINY: usize = 6;
const SIZES: [usize; 7] = [6, 12, 25, 50, 100, 200, 300];
const WIDE_SIZES: [usize; 6] = [100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];
/// Position of T = 100.
const HUNDRED: usize = 4;
/// P of four inputs, and of a hundred.
const FEW: usize = 2;
const MANY: usize = 10;

fn run(s: &Sheet) -> Done {
    let (mut stream, sets) = (s.stream("eq 5")?, s.knob("data sets", 1000, 2..)?);
    let (shares, differences) = wide(sets, &mut stream)?;
    let mut boot = s.stream("bootstrap, eq 5")?;
    let mut share =
        |curve: &ErrorCurve| -> Result<Estimate, Failure> { Ok(curve.slope(&mut boot)?.affine(-2.0, 0.0)?) };
    let label = "N = 100, P = 10: rate in T of the largest difference of weights, over 1/2";
    let found = share(&differences)?;
    s.printed(SETTLES).of("data sets").at_least(label, found);
    s.support(RATE).of("data sets").equals(label, 1.0, found);
    let label = "the P inputs seen first are kept: rate in T of the largest difference of weights, over 1/2";
    let wrong = share(&seen_first(sets, &mut s.stream("eq 5, seen first")?)?)?;
    s.twin(SETTLES).of("data sets").at_least(label, wrong);
    let label = "N = 100, P = 10, T = 10⁷: share of data sets with the right set";
    s.aside(RIGHT_SET).of("data sets").at_least(label, shares[WIDE_SIZES.len() - 1]);
    sampled_sets(s, &mut stream)?;

    let chance = [right_set(RULES[0])?, right_set(RULES[1])?];
    let (last, moved) = (SIZES.len() - 1, |k: usize| chance[0][k] - chance[1][k]);
    for right in s.each("rules for ties", &chance) {
        let label = "N = 4: probability of a wrong set at T = 300 less that at T = 100, exact";
        s.printed(Margin::ZERO).at_most(label, right[HUNDRED] - right[last]);
    }
    let label = "N = 4: what the rule for ties can change at T = 300 less what it can at T = 100";
    s.support(Margin::ZERO).at_most(label, moved(last) - moved(HUNDRED));
    s.aside(TIES).at_most("N = 4, T = 300: what the rule for ties can change", moved(last));
    s.note(format!(
        "the rule for ties moves the probability of the right set by {:.3} at T = 6 and by {:.4} at T = 300",
        moved(0),
        moved(last)
    ));
    s.figure(figure(&chance, &shares));
    Ok(())
}

/// Sampled sets of both rules against the exact laws of both.
fn sampled_sets(s: &Sheet, stream: &mut Stream) -> Done {
    let (law, runs) = (Zipf::new(1.0, 4)?, s.scale().pick(20_000, 200_000));
    let exact = |ties| top_set_law(&law.probabilities(4), TINY, FEW, ties);
    let laws = [exact(RULES[0])?, exact(RULES[1])?];
    let (mut own, mut other, mut sets) = (0, 0, 0);
    for (k, ties) in RULES.into_iter().enumerate() {
        let scheme = Scheme::uniform().top(FEW)?.ties(ties);
        let mut drawn = BTreeMap::new();
        for _ in 0..runs {
            let entries = scheme.empirical_entries(&law.sample_counts(TINY, stream)?, 1)?;
            let mut set: Vec<usize> = entries.iter().map(|entry| entry.0).collect();
            set.sort_unstable();
            *drawn.entry(set).or_insert(0) += 1;
        }
        own += misses(&laws[k], &drawn, runs)?;
        other += misses(&laws[1 - k], &drawn, runs)?;
        sets += laws[k].len();
    }
    let label = "N = 4, T = 6, P = 2: sampled intervals that miss the exact law";
    s.support(MISSES).over(sets, "sets").at_most(label, own as f64);
    let label = "the law of the other rule for ties: sampled intervals that miss it";
    s.twin(MISSES).over(sets, "sets").at_most(label, other as f64);
    Ok(())
}

/// Sets whose probability lies outside of the interval of their share.
fn misses(law: &[(Vec<usize>, f64)], drawn: &BTreeMap<Vec<usize>, usize>, runs: usize) -> Result<usize, Failure> {
    let mut missed = 0;
    for (set, probability) in law {
        let share = proportion(drawn.get(set).copied().unwrap_or(0), runs)?;
        missed += usize::from(!share.contains(*probability));
    }
    Ok(missed)
}

/// The probability of [P] of four inputs, exactly, for each size.
fn right_set(ties: TieBreak) -> Result<Vec<f64>, Failure> {
    let (p, right) = (Zipf::new(1.0, 4)?.probabilities(4), (1..=FEW).collect::<Vec<usize>>());
    let mut chance = Vec::new();
    for t in SIZES {
        let law = top_set_law(&p, t, FEW, ties)?;
        chance.push(law.iter().find(|entry| entry.0 == right).map_or(0.0, |entry| entry.1));
    }
    Ok(chance)
}

/// The share of data sets whose stored set is [P] of a hundred inputs, for each size; and the largest difference of weights from their
/// limit, over all inputs, for the sizes at which the set is settled.
fn wide(sets: usize, stream: &mut Stream) -> Result<(Vec<Estimate>, ErrorCurve), Failure> {
    let (law, scheme) = (Zipf::new(1.0, 100)?, Scheme::power(1.0)?.top(MANY)?);
    let limit = scheme.population_weights(&law, 1)?;
    let (mut shares, mut off) = (Vec::new(), Array2::zeros((sets, WIDE_SIZES.len())));
    for (j, t) in WIDE_SIZES.into_iter().enumerate() {
        let mut hits = 0;
        for set in 0..sets {
            let weights = scheme.empirical_weights(&law.sample_counts(t, stream)?, 100, 1)?;
            hits += usize::from(weights[MANY..].iter().all(|weight| *weight == 0.0));
            off[[set, j]] = farthest(&weights, &limit);
        }
        shares.push(proportion(hits, sets)?);
    }
    Ok((shares, settled(off)?))
}

fn farthest(weights: &[f64], limit: &[f64]) -> f64 {
    largest_of(weights.iter().zip(limit).map(|(a, b)| (a - b).abs()))
}

fn settled(off: Array2<f64>) -> Result<ErrorCurve, Failure> {
    Ok(ErrorCurve::new(WIDE_SIZES.map(|t| t as f64).to_vec(), off)?.between(1e5, 1e7)?)
}

/// A wrong rule: keep the P inputs that are seen first. Arrivals of an input are exponential with rate p(x).
fn seen_first(sets: usize, stream: &mut Stream) -> Result<ErrorCurve, Failure> {
    let law = Zipf::new(1.0, 100)?;
    let (p, limit) = (law.probabilities(100), Scheme::power(1.0)?.top(MANY)?.population_weights(&law, 1)?);
    let mut off = Array2::zeros((sets, WIDE_SIZES.len()));
    for set in 0..sets {
        let arrivals = p.iter().zip(0..).map(|(p, x)| (-(1.0 - stream.uniform()).ln() / p, x));
        let mut arrivals: Vec<(f64, usize)> = arrivals.collect();
        arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (j, t) in WIDE_SIZES.into_iter().enumerate() {
            let seen = Scheme::power(1.0)?.empirical_weights(&law.sample_counts(t, stream)?, 100, 1)?;
            let mut weights = vec![0.0; 100];
            arrivals[..MANY].iter().for_each(|(_, x)| weights[*x] = seen[*x]);
            off[[set, j]] = farthest(&weights, &limit);
        }
    }
    settled(off)
}

fn figure(chance: &[Vec<f64>; 2], shares: &[Estimate]) -> Figure {
    let (sizes, wide) = (SIZES.map(|t| t as f64), WIDE_SIZES.map(|t| t as f64));
    let of = |part: fn(&Estimate) -> f64| shares.iter().map(part).collect::<Vec<f64>>();
    let panel = |title: String| {
        let panel = Panel::new(&title).x_label("samples T").y_label("probability of the right set");
        panel.log_x().y_limits(0.0, 1.05).legend_below()
    };
    let exact = panel(format!("N = 4, P = {FEW}, exact")).line("ties to the frequent", &sizes, &chance[0]).line(
        "ties to the rare",
        &sizes,
        &chance[1],
    );
    let (value, low, high) = (of(|e| e.value), of(|e| e.low), of(|e| e.high));
    let sampled = panel(format!("N = 100, P = {MANY}")).error_bars("share of data sets", &wide, &value, &low, &high);
    Figure::new("The right inputs are stored once neighbours in rank can be told apart")
        .panel(exact)
        .panel(sampled)
        .columns(2)
        .caption("Left: the two tie rules are the extremes of all rules; they meet. Right: bars at 99.9 %.")
}
