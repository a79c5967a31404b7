//! Figure 10: what four memories store.
//!
//! **Claims**, one for each panel, on the matrix (u_y^T W e_x)_{y,x} with N = 10, M = 5, alpha = 1, T = 10^3 and weights phat^rho:
//! - `heavy-tailed/fig-10-left`, rho = 0, d = 10: not enough capacity, memories are not stored, the error is large;
//! - `heavy-tailed/fig-10-middle-left`, rho = 0, d = 50: enough capacity, the right association is learned;
//! - `heavy-tailed/fig-10-middle-right`, rho = 1, d = 10: the weighting stores the most important memories;
//! - `heavy-tailed/fig-10-right`, rho = 1, d = 50: the weighting is too strong to store rare associations.
//!
//! The figure draws one matrix for each; the words are judged over many, with embeddings and data shared by the four memories. One
//! reading serves all panels: a memory *stores* a set of associations if it recalls all of them. The sets are all ten, the most
//! important (the fewest that carry half of the mass) and the rare half. What refutes each panel stands at its check.

use workbench_ground::stats::mean;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{AssociativeMemory, Embeddings, Recalls};

use super::gaussian_model::CLASSES;
use super::rival_memories::{
    BACKWARDS_LARGE, BACKWARDS_SMALL, DIMS, EQUAL_LARGE, EQUAL_SMALL, INPUTS, WEIGHTED_LARGE, WEIGHTED_SMALL,
    all_recalled, curves, important, matrices, recalls, table,
};
use crate::vocabulary::ROUNDING;

const RARELY: Margin = Margin::new("rarely", 0.5, "more memories fail to store the set than store it");
const MOSTLY: Margin = Margin::new("mostly", 0.5, "more memories store the set than fail to, the other side of rarely");
const LEARNED: Margin = Margin::new(
    "learned",
    0.95,
    "one memory in twenty may fail before we no longer call the set learned; the document gives no number",
);
const LARGE: Margin =
    Margin::new("large difference", 0.1, "one query in ten; the document says large and gives no number");
const ONE_LOST: Margin =
    Margin::new("one input", 1.0, "a memory that loses less than one input of ten stores them but for an accident");
const EVEN: Margin =
    Margin::new("even odds", 0.5, "two memories that are equally good win equally often where they differ");
const SPARED: Margin = Margin::new("spared", 0.01, "one query in a hundred, a tenth of what is called large");

/// The left panel: equal weights, few dimensions.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-10-left",
    metric: "share of memories that recall all inputs; inputs lost; error minus that of d = 50, paired by embeddings and data",
    against: "a memory that mostly recalls all inputs; an error that is not large beside that of the memory with enough capacity",
    protocol: &["N = 10, M = 5, α = 1, T = 1000, ρ = 0, d = 10, as printed"],
    rivals: &["the panel beside it, d = 50: an error is large beside an error that is not"],
    run: left,
    ..Check::DEFAULT
};

/// The panel in the middle left: equal weights, many dimensions.
pub const MIDDLE_LEFT: Check = Check {
    claim: "heavy-tailed/fig-10-middle-left",
    metric: "share of memories that recall all inputs, and recall of the input that is recalled least",
    against: "more than one memory in twenty that loses an input",
    protocol: &["N = 10, M = 5, α = 1, T = 1000, ρ = 0, d = 50, as printed"],
    run: middle_left,
    ..Check::DEFAULT
};

/// The panel in the middle right: weights by frequency, few dimensions.
pub const MIDDLE_RIGHT: Check = Check {
    claim: "heavy-tailed/fig-10-middle-right",
    metric: "recall of the most frequent inputs against equal weights at the same d, paired by embeddings and data",
    against: "recall that does not fall with the rank; a first input that is not learned; important inputs that gain nothing from the weights",
    protocol: &[
        "N = 10, M = 5, α = 1, T = 1000, ρ = 1, d = 10, as printed",
        "most important: the fewest ranks that carry half of the mass, here two",
    ],
    rivals: &["equal weights on the same embeddings and data"],
    run: middle_right,
    ..Check::DEFAULT
};

/// The right panel: weights by frequency, many dimensions.
pub const RIGHT: Check = Check {
    claim: "heavy-tailed/fig-10-right",
    metric: "share of memories that recall the whole rare half; recall against equal weights at the same d, paired by embeddings and data",
    against: "a rare half that is mostly stored; no large loss against equal weights; a loss that the most frequent inputs share",
    protocol: &["N = 10, M = 5, α = 1, T = 1000, ρ = 1, d = 50, as printed; rare: ranks 6 to 10"],
    rivals: &["equal weights on the same embeddings and data"],
    run: right,
    ..Check::DEFAULT
};

fn left(s: &Sheet) -> Done {
    let recalls = recalls(s)?;
    let recalls = recalls.on(s);
    let gap = recalls.error_difference(EQUAL_SMALL, EQUAL_LARGE)?;
    s.printed(LARGE).of("draws").at_least("error minus that at d = 50, paired", gap);
    let whole = recalls.all_recalled(EQUAL_SMALL)?;
    s.printed(RARELY).of("draws").at_most("share of memories that recall all ten inputs", whole);
    let lost: Vec<f64> = recalls.wrong(EQUAL_SMALL)?.iter().map(|w| *w as f64).collect();
    s.printed(ONE_LOST).of("draws").at_least("mean number of inputs lost", mean(&lost)?);
    let orthonormal = all_recalled(
        &mut s.stream("figure 10, orthonormal inputs")?,
        |stream| Ok(Embeddings::orthonormal(INPUTS, CLASSES, INPUTS, stream)?),
        AssociativeMemory::matrix,
    )?;
    s.twin(RARELY).of("draws").at_most("orthonormal inputs, d = 10: share that recall all ten", orthonormal);
    s.figure(matrices(&mut s.stream("figure 10, one draw")?)?);
    Ok(())
}

fn middle_left(s: &Sheet) -> Done {
    let recalls = recalls(s)?;
    let recalls = recalls.on(s);
    let (learned, twin) = (s.printed(LEARNED).of("draws"), s.twin(LEARNED).of("draws"));
    learned.at_least("share of memories that recall all ten inputs", recalls.all_recalled(EQUAL_LARGE)?);
    let mut rates = recalls.rates(EQUAL_LARGE)?;
    rates.sort_by(|a, b| a.value.total_cmp(&b.value));
    learned.at_least("recall of the input that is recalled least", rates[0]);
    let transposed = all_recalled(
        &mut s.stream("figure 10, transposed matrix")?,
        |stream| Ok(Embeddings::draw(INPUTS, CLASSES, DIMS[1], stream)?),
        |memory| memory.matrix().t().to_owned(),
    )?;
    twin.at_least("the matrix transposed: share that recall all ten", transposed);
    twin.at_least("d = 10 on the same data: share that recall all ten", recalls.all_recalled(EQUAL_SMALL)?);
    let label = "weights by frequency on the same embeddings and data: share that recall all ten";
    twin.at_least(label, recalls.all_recalled(WEIGHTED_LARGE)?);
    Ok(())
}

fn middle_right(s: &Sheet) -> Done {
    let (recalls, top) = (recalls(s)?, important()?);
    let recalls = recalls.on(s);
    let gain = |memory: usize, first: usize, last: usize| recalls.recall_difference(memory, EQUAL_SMALL, first, last);
    let says = |margin: Margin| s.printed(margin).of("draws");
    let label = format!("ranks 1 to {top}: recall minus that of equal weights");
    says(LARGE).at_least(label, gain(WEIGHTED_SMALL, 1, top)?);
    let label = format!("share of memories that recall all of ranks 1 to {top}");
    says(MOSTLY).at_least(label, recalls.all_of(WEIGHTED_SMALL, 1, top)?);
    let label = "ranks 1 to 3: recall minus that of equal weights";
    says(Margin::ZERO).at_least(label, gain(WEIGHTED_SMALL, 1, 3)?);
    says(LEARNED).at_least("recall of rank 1", recalls.rate(WEIGHTED_SMALL, 1)?);
    says(Margin::ZERO).at_least("Jonckheere statistic of recall over ranks", recalls.trend(WEIGHTED_SMALL)?);
    let off = (recalls.trend(WEIGHTED_SMALL)?.value - trend_of_rates(recalls)?).abs();
    s.printed(ROUNDING).same("the statistic against a sum of recalls by rank with falling weights", off);
    for rank in 1..=top {
        // McNemar's test: of the draws in which exactly one of the two memories is right.
        let label = format!("rank {rank}: share of the draws that tell them apart won by ρ = 1");
        says(EVEN).at_least(label, recalls.mcnemar(WEIGHTED_SMALL, EQUAL_SMALL, rank)?);
    }
    let label = format!("weights in the opposite order: recall of ranks 1 to {top} minus that of equal weights");
    s.twin(LARGE).of("draws").at_least(label, gain(BACKWARDS_SMALL, 1, top)?);
    s.note(format!(
        "the gain ends there: rank {} is recalled {:.3} less often than with equal weights, and the total error is {:.3} larger",
        top + 1,
        -gain(WEIGHTED_SMALL, top + 1, top + 1)?.value,
        recalls.error_difference(WEIGHTED_SMALL, EQUAL_SMALL)?.value
    ));
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

fn right(s: &Sheet) -> Done {
    let recalls = recalls(s)?;
    let (recalls, first, last) = (recalls.on(s), INPUTS / 2 + 1, INPUTS);
    let whole = |memory: usize| recalls.all_of(memory, first, last);
    let label = "share of memories that recall the whole rare half";
    s.printed(RARELY).of("draws").at_most(label, whole(WEIGHTED_LARGE)?);
    let label = "weights in the opposite order: share that recall the whole rare half";
    s.twin(RARELY).of("draws").at_most(label, whole(BACKWARDS_LARGE)?);
    let lost = |from: usize, to: usize| recalls.recall_difference(EQUAL_LARGE, WEIGHTED_LARGE, from, to);
    let label = "rare half: recall of equal weights minus that of weights by frequency";
    s.printed(LARGE).of("draws").at_least(label, lost(first, last)?);
    let label = "most important inputs: recall of equal weights minus that of weights by frequency";
    s.printed(SPARED).of("draws").at_most(label, lost(1, important()?)?);
    let one = recalls.recall_share(WEIGHTED_LARGE, first, last)?;
    s.printed(LEARNED).of("draws").at_most("rare half: recall of an input", one);
    s.table(table(recalls)?);
    Ok(())
}
