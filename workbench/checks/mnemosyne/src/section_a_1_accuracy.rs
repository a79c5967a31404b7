//! A.1, first sentence: accurate maps make effective memories.
//!
//! **Claim** (`mnemosyne/accuracy-drives-memory`). Of the tested maps those that approximate the softmax kernel most accurately make the most
//! effective memories.
//!
//! Scaled down to associative recall: random keys and values enter a discounted memory, noisy keys ask for them. *Accuracy* is the expected
//! squared error of a query's row of the kernel, each row at its best scale, in closed form; *effectiveness* the distance of the answer from
//! that of the exact softmax memory, and from the stored value. The tested maps are those of A.1: FAVOR+, hyperbolic and FAVOR++, here at
//! several parameters. Three maps that the appendix does not have stand beside them and show where accuracy stops to order memories. Refuted
//! by no rank correlation over the maps of the document, or a most accurate map among them that is a worse memory than the middle one.
//!
//! The sentence is about trained encoders, and there are kept trainings of them, with each of the three maps: the one whose kernel is the
//! most accurate at the norms of trained cells has to end lower in meta-training than the one whose kernel is the least. More features make
//! the kernel more accurate too, and are no other map: their slope stands beside it. B.3, which says that two of the maps learn similarly,
//! expects little.

use workbench_features::kendall;
use workbench_ground::stats::{Stream, bootstrap, proportion};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::cell::Memory;
use workbench_optimizer::curves::Variant;

use super::figure_12_right::at_trained_norms;
use super::figure_13_right::SIZES;
use super::meta_curves::{late, trend};
use super::recall_tasks::{
    DOCUMENT, KERNEL, LENGTHS, MAPS, Pick, Recall, TO_SOFTMAX, TO_VALUE, TRIGONOMETRIC, attention_figure, recall,
};
use super::term_constants::middle;
use crate::vocabulary::{EVEN, largest_of, least_of};

const CHANCE: Margin = Margin::statistical("chance", 0.001, "one shuffled order in a thousand is as good");
const WORSE: Margin =
    Margin::ours("clearly worse", 2.0, "twice the squared distance; the maps differ by factors of ten and more");

/// Recall with ten maps.
pub const CHECK: Check = Check {
    claim: "mnemosyne/accuracy-drives-memory",
    metric: "Kendall's rank correlation of kernel error and memory error over the maps, mean of three tasks, medians over draws; memory error of the most accurate map over that of the middle one; late log meta-loss of trained encoders, most accurate map minus the least accurate",
    against: "no correlation over the maps of the document; a most accurate one among them that is a worse memory than the middle one; trained encoders that end no lower with the most accurate map than with the least",
    choices: &[
        "FAVOR+, hyperbolic, FAVOR++ with four parameters and one of its hyperbolic variant, r = 64, N = 8, 32 pairs",
        "trained encoders: twelve kept trainings of each map; accuracy there is the exact variance of the kernel with 16 features at queries and keys of the twelve light cells of the bank",
        "medians and not means: the quotient of a map with signs has no moments",
    ],
    departures: &[
        "scaled down: associative recall, and encoders of width 8 trained on two small networks; a comparison of trained encoders that goes against the document at this size leaves the verdict open",
    ],
    settled: "late log meta-loss, most accurate map minus the least accurate, of the encoders of B.1: two of width 16, three MLPs and three ViTs; twelve trainings of ours leave ±0.017 around nothing, and a gain of 0.005 would take some hundred and forty",
    rivals: &["trigonometric, ReLU and bare exponential features, which the appendix does not have"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let names = ["k-2", "favor-plus", "favor-plus-plus"];
    let mut maps = Vec::new();
    for name in names {
        match Variant::named(name)?.form.memory {
            Memory::Compact { map, .. } => maps.push(map),
            _ => return Err(format!("{name} has no map").into()),
        }
    }
    let logs = at_trained_norms(s, &maps, &mut s.stream("norms of trained cells")?)?;
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| logs[*a].total_cmp(&logs[*b]));
    let label = "trained encoders: late log meta-loss, most accurate map at their norms minus the least accurate";
    let trained = late(s, names[order[0]], names[order[2]])?;
    s.printed(Margin::ZERO).of("trainings").scaled_down().at_most(label, trained);
    s.note(format!(
        "ln of the kernel's variance at trained norms: hyperbolic {:.2}, FAVOR+ {:.2}, FAVOR++ {:.2}",
        logs[0], logs[1], logs[2]
    ));
    let beside = s.aside(Margin::ZERO).of("trainings").scaled_down();
    let label = "trained encoders: slope of the late log meta-loss in ln r, r = 2 to 64";
    beside.at_most(label, trend(s, &SIZES)?);
    let label = "trained encoders: late log meta-loss, hyperbolic minus FAVOR+";
    beside.at_most(label, late(s, "k-2", "favor-plus")?);
    s.shared_draw("the kept meta-trainings, twelve of each variant");

    let draws = s.knob("draws of each task", s.scale().pick(100, 1000), 2..)?;
    let recall = recall(s, draws)?;
    let mut boot = s.stream("recall bootstrap")?;
    let mut tau = |first: usize, pick: Pick| {
        bootstrap(draws, 2000, &mut boot, &mut |chosen| recall.correlation(first, DOCUMENT, chosen, pick))
    };
    let related = s.printed(Margin::ZERO).of("draws");
    let label = "maps of the document: τ of kernel error and distance from the softmax memory";
    let to_softmax = tau(0, TO_SOFTMAX)?;
    related.at_least(label, to_softmax);
    let label = "maps of the document: τ of kernel error and distance from the stored value, all three tasks";
    related.at_least(label, tau(0, TO_VALUE)?);
    let label = "maps of the document: τ of kernel error and distance from the stored value, s = 0.5 and 0.75";
    related.at_least(label, tau(1, TO_VALUE)?);
    let signs = bootstrap(draws, 2000, &mut boot, &mut |chosen| {
        let memory = recall.medians(2, MAPS, chosen, TO_SOFTMAX);
        memory[TRIGONOMETRIC] / memory[0]
    })?;
    let label =
        "features that change sign, more accurate than FAVOR+ at s = 0.75: their memory error over that of FAVOR+";
    s.twin(EVEN).of("draws").at_most(label, signs);
    let shuffled = as_good(&recall, to_softmax.value, 20_000, &mut boot)?;
    s.printed(CHANCE).of("orders").at_most("shuffled orders with as large a τ", proportion(shuffled, 20_000)?);

    let mut boot = s.stream("recall bootstrap, most accurate")?;
    let best = bootstrap(draws, 2000, &mut boot, &mut |chosen| most_accurate(&recall, chosen, middle))?;
    let label = "most accurate map of the document: its memory error over that of the middle map, worst task";
    s.printed(EVEN).of("draws").at_most(label, best);
    let best = bootstrap(draws, 2000, &mut boot, &mut |chosen| most_accurate(&recall, chosen, |all| least_of(all)))?;
    let label = "most accurate map of the document: its memory error over the least, worst task";
    s.aside(WORSE).of("draws").at_most(label, best);
    let all = bootstrap(draws, 2000, &mut boot, &mut |chosen| recall.correlation(0, MAPS, chosen, TO_SOFTMAX))?;
    let label = "all ten maps: τ of kernel error and distance from the softmax memory";
    s.aside(Margin::ZERO).of("draws").at_least(label, all);

    s.note("trigonometric features are more accurate than FAVOR+ for long keys and lose the memory: accuracy in mean square does not hear a normaliser near zero");
    s.note("short keys (s = 0.25) are not recalled by the exact memory either");
    s.table(recall.table()?);
    s.figure(recall.figure());
    s.figure(attention_figure(s)?);
    Ok(())
}

/// Shuffled orders whose mean correlation over the tasks reaches `tau`, of `orders`.
fn as_good(recall: &Recall, tau: f64, orders: usize, stream: &mut Stream) -> Result<usize, Failure> {
    let of = |pick: Pick| [0, 1, 2].map(|task| recall.of_all(task, DOCUMENT, pick));
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

/// Over the tasks, the largest quotient of the memory error of the most accurate map and another one of them, maps of the document.
fn most_accurate(recall: &Recall, chosen: &[usize], another: fn(&[f64]) -> f64) -> f64 {
    let quotient = |task| {
        let kernel = recall.medians(task, DOCUMENT, chosen, KERNEL);
        let memory = recall.medians(task, DOCUMENT, chosen, TO_SOFTMAX);
        let best = (0..DOCUMENT).min_by(|a, b| kernel[*a].total_cmp(&kernel[*b]));
        memory[best.unwrap_or(0)] / another(&memory)
    };
    largest_of((0..LENGTHS.len()).map(quotient))
}
