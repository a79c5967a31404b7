//! A.1, first sentence: accurate maps make effective memories.
//!
//! **Claim** (`mnemosyne/accuracy-drives-memory`). Of the tested maps those that approximate the softmax kernel most accurately make the most
//! effective memories.
//!
//! Scaled down to associative recall: random keys and values enter a discounted memory, noisy keys ask for them. *Accuracy* is the
//! expected squared error of a query's row of the kernel, each row at its best scale, in closed form; *effectiveness* the distance of the
//! answer from that of the exact softmax memory, and from the stored value. The tested maps are those of A.1: FAVOR+, hyperbolic and
//! FAVOR++, here at several parameters. Three maps that the appendix does not have stand beside them and show where accuracy stops to
//! order memories. What would count against the claim: a rank correlation near zero over the maps of the document, or a most accurate
//! map among them that is a clearly worse memory than another.
//!
//! The sentence is about trained encoders, and there are kept trainings of them: there more features, which make the kernel more accurate,
//! and the hyperbolic map in the place of FAVOR+, have to lower the loss late in meta-training.

use workbench_features::kendall;
use workbench_ground::stats::{Stream, bootstrap, proportion};
use workbench_ledger::{Checked, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use super::figure_13_right::SIZES;
use super::section_a_1_recall::{DOCUMENT, LENGTHS, MAPS, Pick, Recall, TRIGONOMETRIC, attention_figure, recall};
use super::section_b_1::{lower, scaled_down};
use super::section_b_2_to_b_5::{late, trend};
use crate::vocabulary::{by_scale, largest_of, least_of};

const RELATED: Margin =
    Margin::new("related", 0.3, "two of three pairs of maps in the order that their kernel errors give");
const CHANCE: Margin = Margin::new("chance", 0.001, "one shuffled order in a thousand is as good");
const WORSE: Margin =
    Margin::new("clearly worse", 2.0, "twice the squared distance; the maps differ by factors of ten and more");

/// Recall with ten maps.
#[derive(Clone, Debug, Default)]
pub struct Accuracy {
    /// Draws of each task; by scale if 0.
    pub draws: usize,
}

const TO_SOFTMAX: Pick = |errors| errors.to_softmax;
const TO_VALUE: Pick = |errors| errors.to_value;
const KERNEL: Pick = |errors| errors.kernel;

/// Shuffled orders whose mean correlation over the tasks reaches `tau`, of `orders`.
fn as_good(recall: &Recall, tau: f64, orders: usize, stream: &mut Stream) -> Result<usize, Failure> {
    let everything: Vec<usize> = (0..recall.draws()).collect();
    let of = |pick: Pick| [0, 1, 2].map(|task| recall.medians(task, DOCUMENT, &everything, pick));
    let (kernel, memory) = (of(KERNEL), of(TO_SOFTMAX));
    let mut count = 0;
    for _ in 0..orders {
        let mut shuffled = 0.0;
        for (kernel, memory) in kernel.iter().zip(&memory) {
            let order: Vec<f64> = stream.permutation(DOCUMENT).iter().map(|i| memory[*i]).collect();
            shuffled += kendall(kernel, &order)? / LENGTHS.len() as f64;
        }
        count += usize::from(shuffled >= tau);
    }
    Ok(count)
}

/// Over the tasks, the largest quotient of the memory error of the most accurate map and the least memory error, maps of the document.
fn most_accurate(recall: &Recall, chosen: &[usize]) -> f64 {
    let quotient = |task| {
        let kernel = recall.medians(task, DOCUMENT, chosen, KERNEL);
        let memory = recall.medians(task, DOCUMENT, chosen, TO_SOFTMAX);
        let best = (0..DOCUMENT).min_by(|a, b| kernel[*a].total_cmp(&kernel[*b]));
        memory[best.unwrap_or(0)] / least_of(&memory)
    };
    largest_of((0..LENGTHS.len()).map(quotient))
}

impl TypedCheck for Accuracy {
    const CLAIM: &'static str = "mnemosyne/accuracy-drives-memory";
    const PLAN: Plan = Plan::new(
        "Kendall's rank correlation of kernel error and memory error over the maps, mean of three tasks, medians over draws; late log meta-loss of trained encoders along the number of features, and of two maps",
        "a correlation near zero over the maps of the document; a most accurate one among them that is a worse memory than another; trained encoders whose loss does not fall with the accuracy of the map",
        &[RELATED, CHANCE, WORSE],
    )
    .protocol(&[
        "FAVOR+, hyperbolic, FAVOR++ with four parameters and one of its hyperbolic variant, r = 64, N = 8, 32 pairs",
        "trained encoders: twelve kept trainings of each, the same at every scale and seed; that the hyperbolic map has the lower variance has a row of its own",
    ])
    .departures(&[
        "scaled down: associative recall, and encoders of width 8 trained on two small networks; a comparison of trained encoders that goes against the document at this size leaves the verdict open",
        "medians and not means: the quotient of a map with signs has no moments",
    ])
    .rivals(&["trigonometric, ReLU and bare exponential features, which the appendix does not have"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let draws = by_scale(self.draws, setting.scale().pick(100, 1000));
        let recall = recall(setting, draws)?;
        let mut boot = setting.stream("recall bootstrap")?;
        let mut of = |first: usize, pick: Pick| {
            bootstrap(draws, 2000, &mut boot, &mut |chosen| recall.correlation(first, DOCUMENT, chosen, pick))
        };
        let to_softmax = of(0, TO_SOFTMAX)?;
        let to_value = of(0, TO_VALUE)?;
        let longer = of(1, TO_VALUE)?;
        let signs = bootstrap(draws, 2000, &mut boot, &mut |chosen| {
            let memory = recall.medians(2, MAPS, chosen, TO_SOFTMAX);
            memory[TRIGONOMETRIC] / memory[0]
        })?;
        let shuffled = as_good(&recall, to_softmax.value, 20_000, &mut boot)?;
        let mut others = setting.stream("recall bootstrap, most accurate")?;
        let best = bootstrap(draws, 2000, &mut others, &mut |chosen| most_accurate(&recall, chosen))?;
        let all = bootstrap(draws, 2000, &mut others, &mut |chosen| recall.correlation(0, MAPS, chosen, TO_SOFTMAX))?;
        let related = |label: &str, tau| Finding::at_least(label, RELATED, tau).unit("draws");
        let worse = |label: &str, quotient| Finding::at_most(label, WORSE, quotient).unit("draws");
        let trained = |label: &str, estimate| lower(label, estimate, "trainings");
        let evidence = scaled_down(vec![
            trained(
                "trained encoders: slope of the late log meta-loss in ln r, r = 2 to 64",
                trend(setting, &SIZES)?,
            ),
            trained(
                "trained encoders: late log meta-loss, hyperbolic minus FAVOR+",
                late(setting, "k-2", "favor-plus")?,
            ),
        ])?
        .and(related(
            "maps of the document: τ of kernel error and distance from the stored value, all three tasks",
            to_value,
        ))
        .and(related(
            "maps of the document: τ of kernel error and distance from the softmax memory",
            to_softmax,
        ))
        .and(related(
            "maps of the document: τ of kernel error and distance from the stored value, s = 0.5 and 0.75",
            longer,
        ))
        .and(Finding::at_most("shuffled orders with as large a τ", CHANCE, proportion(shuffled, 20_000)?).unit("orders"))
        .and(worse("most accurate map of the document: its memory error over the least, worst task", best))
        .and(related("all ten maps: τ of kernel error and distance from the softmax memory", all))
        .twin(worse(
            "features that change sign, more accurate than FAVOR+ at s = 0.75: their memory error over that of FAVOR+",
            signs,
        ))
        .note("trigonometric features are more accurate than FAVOR+ for long keys and lose the memory: accuracy in mean square does not hear a normaliser near zero")
        .note("short keys (s = 0.25) are not recalled by the exact memory either");
        Ok(Checked::from(evidence).table(recall.table()?).figure(recall.figure()).figure(attention_figure(setting)?))
    }
}
