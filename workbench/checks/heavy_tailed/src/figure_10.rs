//! Figure 10: what four memories store.
//!
//! **Claims**, one for each panel, on the matrix (u_y^T W e_x)_{y,x} with N = 10, M = 5, alpha = 1, T = 10^3 and weights phat^rho:
//! - `heavy-tailed/fig-10-left`, rho = 0, d = 10: not enough capacity, memories are not stored, the error is large;
//! - `heavy-tailed/fig-10-middle-left`, rho = 0, d = 50: enough capacity, the right association is learned;
//! - `heavy-tailed/fig-10-middle-right`, rho = 1, d = 10: the weighting stores the most important memories;
//! - `heavy-tailed/fig-10-right`, rho = 1, d = 50: the weighting is too strong to store rare associations.
//!
//! The figure draws one matrix for each; the words are judged over many, with embeddings and data shared by the four memories. The caption
//! gives no number to "large", "learn", "most important" or "does not allow": each panel is held against the one beside it, which a reader
//! compares it with, by the sign of a paired difference. Shares and levels are shown beside. What refutes each panel stands at its check.

use std::ops::RangeInclusive;

use ndarray::{ArrayView1, Axis};
use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{AssociativeMemory, Embeddings, Recalls};

use super::gaussian_model::CLASSES;
use super::learned_embeddings::apart;
use super::rival_memories::{
    BACKWARDS_LARGE, BACKWARDS_SMALL, DIMS, EQUAL_LARGE, EQUAL_SMALL, INPUTS, WEIGHTED_LARGE, WEIGHTED_SMALL,
    all_recalled, curves, important, matrices, recalls, table,
};
use crate::vocabulary::ROUNDING;

const RARELY: Margin = Margin::ours("rarely", 0.5, "more memories fail to store the set than store it");
const MOSTLY: Margin =
    Margin::ours("mostly", 0.5, "more memories store the set than fail to, the other side of rarely");
const LEARNED: Margin = Margin::ours(
    "learned",
    0.95,
    "one memory in twenty may fail before we no longer call the set learned; the document gives no number",
);
const ONE_LOST: Margin =
    Margin::ours("one input", 1.0, "a memory that loses less than one input of ten stores them but for an accident");
const EVEN: Margin =
    Margin::statistical("even odds", 0.5, "two memories that are equally good win equally often where they differ");
const GUESS: Margin = Margin::printed("a guess", 0.2, "1/M with the printed M = 5: what a guess gives");

/// The left panel: equal weights, few dimensions.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-10-left",
    metric: "error, inputs lost and share of memories that recall all, each minus that of d = 50, paired by embeddings and data",
    against: "an error that is not larger than that of the memory with enough capacity; as many associations stored as there",
    protocol: &["N = 10, M = 5, α = 1, T = 1000, ρ = 0, d = 10, as printed"],
    choices: &["6000 draws of embeddings and data, at paper size 40000"],
    rivals: &["the panel beside it, d = 50, which has enough capacity"],
    run: left,
    ..Check::DEFAULT
};

/// The panel in the middle left: equal weights, many dimensions.
pub const MIDDLE_LEFT: Check = Check {
    claim: "heavy-tailed/fig-10-middle-left",
    metric: "share of memories that recall all inputs, minus those of two rivals, paired; recall of the input that is recalled least",
    against: "all ten recalled no more often than with d = 10, or than with weights by frequency; an input that is not recalled above chance",
    protocol: &["N = 10, M = 5, α = 1, T = 1000, ρ = 0, d = 50, as printed"],
    choices: &["draws as on the left"],
    rivals: &["the panel on the left, d = 10", "weights by frequency at d = 50, the panel on the right"],
    run: middle_left,
    ..Check::DEFAULT
};

/// The panel in the middle right: weights by frequency, few dimensions.
pub const MIDDLE_RIGHT: Check = Check {
    claim: "heavy-tailed/fig-10-middle-right",
    metric: "recall of the most frequent inputs against equal weights at the same d, paired by embeddings and data",
    against: "recall that does not fall with the rank; important inputs that gain nothing from the weights",
    protocol: &["N = 10, M = 5, α = 1, T = 1000, ρ = 1, d = 10, as printed"],
    choices: &[
        "most important: the fewest ranks that carry half of the mass, here two; and ranks 1 to 3. The panel beside it counts ranks 6 to 10 \
         as rare; all the others, 1 to 5, stand beside",
        "draws as on the left",
    ],
    rivals: &["equal weights on the same embeddings and data"],
    run: middle_right,
    ..Check::DEFAULT
};

/// The right panel: weights by frequency, many dimensions.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-10-right",
    metric: "memories that store the whole rare half, and recall of the rare half, minus those of equal weights at the same d, paired by embeddings and data; recall that it loses minus what the most important inputs lose",
    against: "a rare half that is stored no worse than with equal weights, or that loses no more than the most important inputs",
    protocol: &["N = 10, M = 5, α = 1, T = 1000, ρ = 1, d = 50, as printed"],
    choices: &["rare: ranks 6 to 10; most important as in the panel beside it; draws as on the left"],
    rivals: &["equal weights on the same embeddings and data"],
    run: right,
    ..Check::DEFAULT
};

fn left(s: &Sheet) -> Done {
    let recalls = recalls(s)?;
    let recalls = recalls.on(s);
    let gap = recalls.error_difference(EQUAL_SMALL, EQUAL_LARGE)?;
    let sign = s.printed(Margin::ZERO).of("draws");
    sign.at_least("error minus that at d = 50, paired", gap);
    let lost =
        |memory: usize| -> Result<Vec<f64>, Failure> { Ok(recalls.wrong(memory)?.iter().map(|w| *w as f64).collect()) };
    let more = paired_difference(&lost(EQUAL_SMALL)?, &lost(EQUAL_LARGE)?)?;
    sign.at_least("inputs lost minus those at d = 50, paired", more);
    let fewer = whole_difference(recalls, EQUAL_SMALL, EQUAL_LARGE)?;
    sign.at_most("share of memories that recall all ten minus that at d = 50, paired", fewer);
    let label = "the memory of d = 50 in its place: error minus that of weights by frequency, paired";
    s.twin(Margin::ZERO).of("draws").at_least(label, recalls.error_difference(EQUAL_LARGE, WEIGHTED_LARGE)?);
    let whole = recalls.all_recalled(EQUAL_SMALL)?;
    s.aside(RARELY).of("draws").at_most("share of memories that recall all ten inputs", whole);
    s.aside(ONE_LOST).of("draws").at_least("mean number of inputs lost, of ten", mean(&lost(EQUAL_SMALL)?)?);
    let orthonormal = all_recalled(
        &mut s.stream("figure 10, orthonormal inputs")?,
        |stream| Ok(Embeddings::orthonormal(INPUTS, CLASSES, INPUTS, stream)?),
        AssociativeMemory::matrix,
    )?;
    s.aside(RARELY).of("draws").at_most("orthonormal inputs, d = 10: share that recall all ten", orthonormal);
    s.figure(matrices(&mut s.stream("figure 10, one draw")?)?);
    Ok(())
}

fn middle_left(s: &Sheet) -> Done {
    let recalls = recalls(s)?;
    let recalls = recalls.on(s);
    let sign = s.printed(Margin::ZERO).of("draws");
    let more = |rival: usize| whole_difference(recalls, EQUAL_LARGE, rival);
    sign.at_least("share of memories that recall all ten minus that at d = 10, paired", more(EQUAL_SMALL)?);
    let label = "share of memories that recall all ten minus that of weights by frequency, paired";
    sign.at_least(label, more(WEIGHTED_LARGE)?);
    let mut rates = recalls.rates(EQUAL_LARGE)?;
    rates.sort_by(|a, b| a.value.total_cmp(&b.value));
    s.printed(GUESS).of("draws").at_least("recall of the input that is recalled least", rates[0]);
    let whole = recalls.all_recalled(EQUAL_LARGE)?;
    s.aside(LEARNED).of("draws").at_least("share of memories that recall all ten inputs", whole);
    let transposed = all_recalled(
        &mut s.stream("figure 10, transposed matrix")?,
        |stream| Ok(Embeddings::draw(INPUTS, CLASSES, DIMS[1], stream)?),
        |memory| memory.matrix().t().to_owned(),
    )?;
    // Other draws than those of d = 10, so that both intervals count.
    let label = "the matrix transposed: share that recall all ten minus that at d = 10";
    s.twin(Margin::ZERO).of("draws").at_least(label, apart(transposed, recalls.all_recalled(EQUAL_SMALL)?)?);
    Ok(())
}

fn middle_right(s: &Sheet) -> Done {
    let (recalls, top) = (recalls(s)?, important()?);
    let recalls = recalls.on(s);
    let gain = |memory: usize, first: usize, last: usize| recalls.recall_difference(memory, EQUAL_SMALL, first, last);
    let (says, beside) = (|margin: Margin| s.printed(margin).of("draws"), |margin: Margin| s.aside(margin).of("draws"));
    let label = format!("ranks 1 to {top}: recall minus that of equal weights");
    says(Margin::ZERO).at_least(label, gain(WEIGHTED_SMALL, 1, top)?);
    let label = "ranks 1 to 3: recall minus that of equal weights";
    says(Margin::ZERO).at_least(label, gain(WEIGHTED_SMALL, 1, 3)?);
    says(Margin::ZERO).at_least("Jonckheere statistic of recall over ranks", recalls.trend(WEIGHTED_SMALL)?);
    let label = format!("share of memories that recall all of ranks 1 to {top}");
    beside(MOSTLY).at_least(label, recalls.all_of(WEIGHTED_SMALL, 1, top)?);
    beside(LEARNED).at_least("recall of rank 1", recalls.rate(WEIGHTED_SMALL, 1)?);
    let off = (recalls.trend(WEIGHTED_SMALL)?.value - trend_of_rates(recalls)?).abs();
    s.support(ROUNDING).same("the statistic against a sum of recalls by rank with falling weights", off);
    for rank in 1..=top {
        // McNemar's test: of the draws in which exactly one of the two memories is right.
        let label = format!("rank {rank}: share of the draws that tell them apart won by ρ = 1");
        says(EVEN).at_least(label, recalls.mcnemar(WEIGHTED_SMALL, EQUAL_SMALL, rank)?);
    }
    let label = format!("weights in the opposite order: recall of ranks 1 to {top} minus that of equal weights");
    s.twin(Margin::ZERO).of("draws").at_least(label, gain(BACKWARDS_SMALL, 1, top)?);
    // Where the gain ends. Fig. 8's caption explains the smaller error of q_1 at small d by these matrices; d = 10 is N here, N/10 there.
    let label = format!("rank {}: recall minus that of equal weights", top + 1);
    beside(Margin::ZERO).at_least(label, gain(WEIGHTED_SMALL, top + 1, top + 1)?);
    let half = gain(WEIGHTED_SMALL, 1, INPUTS / 2)?;
    beside(Margin::ZERO).at_least("ranks 1 to 5: recall minus that of equal weights", half);
    let more = recalls.error_difference(WEIGHTED_SMALL, EQUAL_SMALL)?;
    beside(Margin::ZERO).at_most("error on all ten minus that of equal weights", more);
    s.figure(curves(recalls)?);
    Ok(())
}

/// Rank x is the more frequent one of n - x pairs and the rarer one of x - 1: the statistic is the sum of (n + 1 - 2x) recall(x) over the
/// n (n - 1) / 2 pairs.
fn trend_of_rates(recalls: &Recalls) -> Result<f64, Failure> {
    let mut sum = 0.0;
    for rank in 1..=INPUTS {
        sum += (INPUTS as f64 + 1.0 - 2.0 * rank as f64) * recalls.rate(WEIGHTED_SMALL, rank)?.value;
    }
    Ok(sum / (INPUTS * (INPUTS - 1) / 2) as f64)
}

/// The share of the ranks that a memory recalls, draw by draw.
fn shares(recalls: &Recalls, memory: usize, ranks: RangeInclusive<usize>) -> Vec<f64> {
    let count = ranks.clone().count() as f64;
    let recalled = |row: ArrayView1<bool>| ranks.clone().filter(|rank| row[rank - 1]).count() as f64 / count;
    recalls.values().index_axis(Axis(0), memory).outer_iter().map(recalled).collect()
}

/// The share of draws in which memory `a` recalls all of the ranks minus that of memory `b`, paired.
fn whole_difference_of(
    recalls: &Recalls,
    a: usize,
    b: usize,
    ranks: RangeInclusive<usize>,
) -> Result<Estimate, Failure> {
    let whole = |memory: usize| -> Vec<f64> {
        shares(recalls, memory, ranks.clone()).iter().map(|share| f64::from(u8::from(*share == 1.0))).collect()
    };
    Ok(paired_difference(&whole(a), &whole(b))?)
}

/// The same for all inputs.
fn whole_difference(recalls: &Recalls, a: usize, b: usize) -> Result<Estimate, Failure> {
    whole_difference_of(recalls, a, b, 1..=INPUTS)
}

fn right(s: &Sheet) -> Done {
    let recalls = recalls(s)?;
    let (recalls, first, last) = (recalls.on(s), INPUTS / 2 + 1, INPUTS);
    let (top, sign) = (important()?, s.printed(Margin::ZERO).of("draws"));
    let label = "share of memories that recall the whole rare half minus that of equal weights, paired";
    sign.at_most(label, whole_difference_of(recalls, WEIGHTED_LARGE, EQUAL_LARGE, first..=last)?);
    let label = "rare half: recall of equal weights minus that of weights by frequency";
    sign.at_least(label, recalls.recall_difference(EQUAL_LARGE, WEIGHTED_LARGE, first, last)?);
    // What the weights cost the rare half, less what they cost the most important inputs, draw by draw.
    let falls = |memory: usize| -> Result<Estimate, Failure> {
        let of = |memory: usize, ranks: RangeInclusive<usize>| shares(recalls, memory, ranks);
        let cost = |ranks: RangeInclusive<usize>| -> Vec<f64> {
            let (equal, weighted) = (of(EQUAL_LARGE, ranks.clone()), of(memory, ranks));
            equal.iter().zip(&weighted).map(|(a, b)| a - b).collect()
        };
        Ok(paired_difference(&cost(first..=last), &cost(1..=top))?)
    };
    let label = "recall that the rare half loses minus what the most important inputs lose, paired";
    sign.at_least(label, falls(WEIGHTED_LARGE)?);
    let label = "weights in the opposite order: recall that the rare half loses minus what the most important lose";
    s.twin(Margin::ZERO).of("draws").at_least(label, falls(BACKWARDS_LARGE)?);
    let label = "share of memories that recall the whole rare half";
    s.aside(RARELY).of("draws").at_most(label, recalls.all_of(WEIGHTED_LARGE, first, last)?);
    let label = "equal weights: share of memories that recall the whole rare half";
    s.aside(RARELY).of("draws").at_most(label, recalls.all_of(EQUAL_LARGE, first, last)?);
    let one = recalls.recall_share(WEIGHTED_LARGE, first, last)?;
    s.aside(LEARNED).of("draws").at_most("rare half: recall of an input", one);
    s.table(table(recalls)?);
    Ok(())
}
