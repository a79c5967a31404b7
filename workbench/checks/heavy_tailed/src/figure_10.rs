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
//! important (the fewest that carry half of the mass) and the rare half. What would count against each panel stands in its plan.

use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{AssociativeMemory, Embeddings, Recalls};

use super::figure_10_memories::{
    BACKWARDS_LARGE, BACKWARDS_SMALL, EQUAL_LARGE, EQUAL_SMALL, Setup, WEIGHTED_LARGE, WEIGHTED_SMALL,
};
use super::section_2_model::CLASSES;
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

fn of_draws(finding: Finding) -> Finding {
    finding.unit("draws")
}

/// The left panel: equal weights, few dimensions.
#[derive(Clone, Debug, Default)]
pub struct Left(
    /// The setting.
    pub Setup,
);

impl TypedCheck for Left {
    const CLAIM: &'static str = "heavy-tailed/fig-10-left";
    const PLAN: Plan = Plan::new(
        "share of memories that recall all inputs; inputs lost; error minus that of d = 50, paired by embeddings and data",
        "a memory that mostly recalls all inputs; an error that is not large beside that of the memory with enough capacity",
        &[RARELY, ONE_LOST, LARGE],
    )
    .protocol(&["N = 10, M = 5, α = 1, T = 1000, ρ = 0, d = 10, as printed"])
    .rivals(&["the panel beside it, d = 50: an error is large beside an error that is not"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (setup, sourced) = (&self.0, self.0.recalls(setting)?);
        let recalls = &sourced.value;
        let lost: Vec<f64> = recalls.wrong(EQUAL_SMALL)?.iter().map(|w| *w as f64).collect();
        let orthonormal = setup.all_recalled(
            &mut setting.stream("figure 10, orthonormal inputs")?,
            |stream| Ok(Embeddings::orthonormal(setup.inputs, CLASSES, setup.inputs, stream)?),
            AssociativeMemory::matrix,
        )?;
        let all = |label: &str, share: Estimate| of_draws(Finding::at_most(label, RARELY, share));
        let evidence = Evidence::of(of_draws(Finding::at_least(
            "error minus that at d = 50, paired",
            LARGE,
            recalls.error_difference(EQUAL_SMALL, EQUAL_LARGE)?,
        )))
        .and(all("share of memories that recall all ten inputs", recalls.all_recalled(EQUAL_SMALL)?))
        .and(of_draws(Finding::at_least("mean number of inputs lost", ONE_LOST, mean(&lost)?)))
        .twin(all("orthonormal inputs, d = 10: share that recall all ten", orthonormal));
        let one_draw = setup.matrices(&mut setting.stream("figure 10, one draw")?)?;
        Ok(Checked::from(sourced.noted(evidence)).figure(one_draw))
    }
}

/// The panel in the middle left: equal weights, many dimensions.
#[derive(Clone, Debug, Default)]
pub struct MiddleLeft(
    /// The setting.
    pub Setup,
);

impl TypedCheck for MiddleLeft {
    const CLAIM: &'static str = "heavy-tailed/fig-10-middle-left";
    const PLAN: Plan = Plan::new(
        "share of memories that recall all inputs, and recall of the input that is recalled least",
        "more than one memory in twenty that loses an input",
        &[LEARNED],
    )
    .protocol(&["N = 10, M = 5, α = 1, T = 1000, ρ = 0, d = 50, as printed"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (setup, sourced) = (&self.0, self.0.recalls(setting)?);
        let recalls = &sourced.value;
        let mut rates = recalls.rates(EQUAL_LARGE)?;
        rates.sort_by(|a, b| a.value.total_cmp(&b.value));
        let transposed = setup.all_recalled(
            &mut setting.stream("figure 10, transposed matrix")?,
            |stream| Ok(Embeddings::draw(setup.inputs, CLASSES, setup.dims[1], stream)?),
            |memory| memory.matrix().t().to_owned(),
        )?;
        let all = |label: &str, share: Estimate| of_draws(Finding::at_least(label, LEARNED, share));
        let evidence =
            Evidence::of(all("share of memories that recall all ten inputs", recalls.all_recalled(EQUAL_LARGE)?))
                .and(all("recall of the input that is recalled least", rates[0]))
                .twin(all("the matrix transposed: share that recall all ten", transposed))
                .twin(all("d = 10 on the same data: share that recall all ten", recalls.all_recalled(EQUAL_SMALL)?))
                .twin(all(
                    "weights by frequency on the same embeddings and data: share that recall all ten",
                    recalls.all_recalled(WEIGHTED_LARGE)?,
                ));
        Ok(sourced.noted(evidence).into())
    }
}

/// The panel in the middle right: weights by frequency, few dimensions.
#[derive(Clone, Debug, Default)]
pub struct MiddleRight(
    /// The setting.
    pub Setup,
);

impl TypedCheck for MiddleRight {
    const CLAIM: &'static str = "heavy-tailed/fig-10-middle-right";
    const PLAN: Plan = Plan::new(
        "recall of the most frequent inputs against equal weights at the same d, paired by embeddings and data",
        "recall that does not fall with the rank; a first input that is not learned; important inputs that gain nothing from the weights",
        &[LEARNED, LARGE, EVEN, MOSTLY, ROUNDING],
    )
    .protocol(&[
        "N = 10, M = 5, α = 1, T = 1000, ρ = 1, d = 10, as printed",
        "most important: the fewest ranks that carry half of the mass, here two",
    ])
    .rivals(&["equal weights on the same embeddings and data"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (setup, sourced) = (&self.0, self.0.recalls(setting)?);
        let recalls = &sourced.value;
        let top = setup.important()?;
        let gain = |label: String, memory: usize| -> Result<Finding, Failure> {
            let difference = recalls.recall_difference(memory, EQUAL_SMALL, 1, top)?;
            Ok(of_draws(Finding::at_least(label, LARGE, difference)))
        };
        let mut evidence =
            Evidence::of(gain(format!("ranks 1 to {top}: recall minus that of equal weights"), WEIGHTED_SMALL)?)
                .and(of_draws(Finding::at_least(
                    format!("share of memories that recall all of ranks 1 to {top}"),
                    MOSTLY,
                    recalls.all_of(WEIGHTED_SMALL, 1, top)?,
                )))
                .and(of_draws(Finding::at_least(
                    "ranks 1 to 3: recall minus that of equal weights",
                    0.0,
                    recalls.recall_difference(WEIGHTED_SMALL, EQUAL_SMALL, 1, 3)?,
                )))
                .and(of_draws(Finding::at_least("recall of rank 1", LEARNED, recalls.rate(WEIGHTED_SMALL, 1)?)))
                .and(of_draws(Finding::at_least(
                    "Jonckheere statistic of recall over ranks",
                    0.0,
                    recalls.trend(WEIGHTED_SMALL)?,
                )))
                .and(Finding::identity(
                    "the statistic against a sum of recalls by rank with falling weights",
                    trend_of_rates(recalls, setup.inputs)?,
                    ROUNDING,
                ));
        for rank in 1..=top {
            // McNemar's test: of the draws in which exactly one of the two memories is right.
            let won = recalls.mcnemar(WEIGHTED_SMALL, EQUAL_SMALL, rank)?;
            let label = format!("rank {rank}: share of the draws that tell them apart won by ρ = 1");
            evidence = evidence.and(of_draws(Finding::at_least(label, EVEN, won)));
        }
        let third = recalls.recall_difference(WEIGHTED_SMALL, EQUAL_SMALL, top + 1, top + 1)?;
        let error = recalls.error_difference(WEIGHTED_SMALL, EQUAL_SMALL)?;
        let evidence = evidence
            .twin(gain(format!("weights in the opposite order: recall of ranks 1 to {top} minus that of equal weights"), BACKWARDS_SMALL)?)
            .note(format!(
                "the gain ends there: rank {} is recalled {:.3} less often than with equal weights, and the total error is {:.3} larger",
                top + 1, -third.value, error.value
            ));
        Ok(Checked::from(sourced.noted(evidence)).figure(setup.curves(recalls)?))
    }
}

/// Rank x is the more frequent one of n - x pairs and the rarer one of x - 1: the statistic is the sum of (n + 1 - 2x) recall(x) over the
/// n (n - 1) / 2 pairs. How far it is from that.
fn trend_of_rates(recalls: &Recalls, inputs: usize) -> Result<f64, Failure> {
    let mut sum = 0.0;
    for rank in 1..=inputs {
        sum += (inputs as f64 + 1.0 - 2.0 * rank as f64) * recalls.rate(WEIGHTED_SMALL, rank)?.value;
    }
    let pairs = (inputs * (inputs - 1) / 2) as f64;
    Ok((recalls.trend(WEIGHTED_SMALL)?.value - sum / pairs).abs())
}

/// The right panel: weights by frequency, many dimensions.
#[derive(Clone, Debug, Default)]
pub struct Right(
    /// The setting.
    pub Setup,
);

impl TypedCheck for Right {
    const CLAIM: &'static str = "heavy-tailed/fig-10-right";
    const PLAN: Plan = Plan::new(
        "share of memories that recall the whole rare half; recall against equal weights at the same d, paired by embeddings and data",
        "a rare half that is mostly stored; no large loss against equal weights; a loss that the most frequent inputs share",
        &[RARELY, LEARNED, LARGE, SPARED],
    )
    .protocol(&["N = 10, M = 5, α = 1, T = 1000, ρ = 1, d = 50, as printed; rare: ranks 6 to 10"])
    .rivals(&["equal weights on the same embeddings and data"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (setup, sourced) = (&self.0, self.0.recalls(setting)?);
        let recalls = &sourced.value;
        let (first, last, top) = (setup.inputs / 2 + 1, setup.inputs, setup.important()?);
        let rare = |label: &str, memory: usize| -> Result<Finding, Failure> {
            let share = recalls.all_of(memory, first, last)?;
            Ok(of_draws(Finding::at_most(label, RARELY, share)))
        };
        let evidence = Evidence::of(rare("share of memories that recall the whole rare half", WEIGHTED_LARGE)?)
            .and(of_draws(Finding::at_least(
                "rare half: recall of equal weights minus that of weights by frequency",
                LARGE,
                recalls.recall_difference(EQUAL_LARGE, WEIGHTED_LARGE, first, last)?,
            )))
            .and(of_draws(Finding::at_most(
                "rare half: recall of an input",
                LEARNED,
                recalls.recall_share(WEIGHTED_LARGE, first, last)?,
            )))
            .and(of_draws(Finding::at_most(
                "most important inputs: recall of equal weights minus that of weights by frequency",
                SPARED,
                recalls.recall_difference(EQUAL_LARGE, WEIGHTED_LARGE, 1, top)?,
            )))
            .twin(rare("weights in the opposite order: share that recall the whole rare half", BACKWARDS_LARGE)?);
        Ok(Checked::from(sourced.noted(evidence)).table(setup.table(recalls)?))
    }
}
