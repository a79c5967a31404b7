//! Section 2, Association scheme, and Appendix A, "Why do we make errors?": two sources of error.
//!
//! **Claim** (`heavy-tailed/two-error-sources`). Errors have two sources: inputs that the data do not show, and limited capacity, since
//! random embeddings interfere. Weighting by frequency or thresholding can privilege frequent associations.
//!
//! Each source is switched off. A basis for inputs removes interference, and only unseen inputs are left; a million samples leave no input
//! unseen, and only interference is left; with both off there must be no error at all. Refuted by an error that is left then, or by a part
//! that does not vanish with its source. The split of the error into missed inputs among the unseen and among the seen is exact by
//! construction; the check stands on it, and neither part alone is the error. Last, on the same embeddings and data, weights by frequency,
//! and a threshold, should recall the head better than equal weights on all inputs.

use ndarray::{Array2, s as slice};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::unit_sphere;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{AssociativeMemory, Counts, Embeddings, ErrorSources, RecallStudy, Samples, Scheme, Zipf};

use super::gaussian_model::{CLASSES, target};
use crate::vocabulary::{ROUNDING, largest_of};

/// Both sources on, and each off.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/two-error-sources",
    metric: "mass of missed inputs, exact for each memory; recall of the three most frequent inputs, paired by draw",
    against: "error left with both sources off; a part that does not vanish with its source; a head that weights by frequency do not recall better",
    choices: &[
        "f_*(x) = x mod 5, equal weights, N = 50, α = 3/2; the head with N = 100, α = 1, d = 10, T = 1000",
        "enough data is a million samples, after which no input is unseen",
    ],
    departures: &[
        "inputs without interference are vectors of a basis, not random ones in many dimensions, so that zero means zero",
    ],
    run,
    ..Check::DEFAULT
};

const INPUTS: usize = 50;
const ALPHA: f64 = 1.5;
const DIMS: [usize; 6] = [5, 10, 20, 40, 80, 160];
const SIZES: [usize; 7] = [10, 30, 100, 300, 1000, 3000, 10_000];
/// Samples where d is varied, dimension where T is.
const SAMPLES: usize = 100;
const DIM: usize = 20;
/// Samples that leave none of the inputs unseen.
const ENOUGH: usize = 1_000_000;

fn run(s: &Sheet) -> Done {
    let (law, labels) = (Zipf::new(ALPHA, INPUTS)?, target()?.labels(INPUTS));
    let (p, mut stream) = (law.probabilities(INPUTS), s.stream("sources")?);
    let runs = s.knob("memories of each size", s.scale().pick(200, 2000), 1..)?;
    let by_d = DIMS.iter().enumerate().map(|(k, d)| (0, k, *d, SAMPLES));
    let by_t = SIZES.iter().enumerate().map(|(k, t)| (1, k, DIM, *t));
    let grid: Vec<(usize, usize, usize, usize)> = by_d.chain(by_t).collect();
    // Unseen and wrong, seen and wrong, unseen: one column per dimension, and per size.
    let mut along = [Array2::zeros((3, DIMS.len())), Array2::zeros((3, SIZES.len()))];
    for _ in 0..runs {
        let wide = Embeddings::draw(INPUTS, CLASSES, DIMS[DIMS.len() - 1], &mut stream)?;
        for &(axis, k, d, t) in s.each("memories", &grid) {
            let (e, counts) = (wide.truncated(d)?, law.sample_counts(t, &mut stream)?);
            let error = memory(&e, &counts)?.generalization_error(&e, &labels, &p)?;
            let parts = split(&e, &counts)?;
            s.support(ROUNDING).same("error minus the sum of its two parts, largest", (error - parts.total()).abs());
            let alone = s.twin(ROUNDING).largest();
            alone.same("error minus its unseen part alone, largest", (error - parts.unseen_wrong).abs());
            alone.same("error minus its seen part alone, largest", (error - parts.seen_wrong).abs());
            for (i, value) in [parts.unseen_wrong, parts.seen_wrong, parts.unseen].into_iter().enumerate() {
                along[axis][[i, k]] += value / runs as f64;
            }
        }
    }
    s.figure(figure(&along));

    let (wide, mut data) = (INPUTS + 14, s.stream("sources, enough data")?);
    let (mut few_data, mut few_dimensions) = (Vec::new(), Vec::new());
    for _ in s.each("memories", 0..50) {
        let gaussian = Embeddings::draw(INPUTS, CLASSES, DIM, &mut stream)?;
        // A basis has inner products that are exactly zero; in a turned one rounding would break the ties of unseen inputs.
        let basis = Array2::eye(wide).slice(slice![..INPUTS, ..]).to_owned();
        let basis = Embeddings::from_parts(basis, unit_sphere(&mut stream, CLASSES, wide))?;
        let (few, enough) = (law.sample_counts(SAMPLES, &mut stream)?, law.sample_counts(ENOUGH, &mut data)?);
        let beside_unseen =
            |parts: &ErrorSources| largest_of([parts.seen_wrong, (parts.unseen_wrong - parts.unseen).abs()]);
        let (only_unseen, only_seen) = (split(&basis, &few)?, split(&gaussian, &enough)?);
        s.printed(ROUNDING).same("both sources off: error", split(&basis, &enough)?.total());
        let label = "orthonormal inputs: seen inputs lost, and unseen mass minus error";
        s.printed(ROUNDING).same(label, beside_unseen(&only_unseen));
        s.support(ROUNDING).same("a million samples: unseen mass", only_seen.unseen);
        let label = "Gaussian inputs: seen inputs lost, and unseen mass minus error";
        s.twin(ROUNDING).largest().same(label, beside_unseen(&split(&gaussian, &few)?));
        few_data.push(only_unseen.total());
        few_dimensions.push(only_seen.seen_wrong);
    }
    let mean = |errors: Vec<f64>| errors.iter().sum::<f64>() / errors.len() as f64;
    s.note(format!(
        "mean error with orthonormal inputs and few data {:.3}, with Gaussian inputs and enough data {:.3}",
        mean(few_data),
        mean(few_dimensions)
    ));
    head(s, runs)
}

/// Equal weights on all seen inputs.
fn memory(e: &Embeddings, counts: &Counts) -> Result<AssociativeMemory, Failure> {
    let q = Scheme::uniform().empirical_weights(counts, INPUTS, e.dim())?;
    Ok(AssociativeMemory::store(e, &q, &target()?.labels(INPUTS))?)
}

fn split(e: &Embeddings, counts: &Counts) -> Result<ErrorSources, Failure> {
    let margins = memory(e, counts)?.margins(e, &target()?.labels(INPUTS))?;
    Ok(ErrorSources::split(&margins.to_vec(), counts, &Zipf::new(ALPHA, INPUTS)?)?)
}

/// Recall of ranks 1 to 3 of a hundred at d = 10, beside that with equal weights on all inputs.
fn head(s: &Sheet, runs: usize) -> Done {
    let law = Zipf::new(1.0, 100)?;
    let backwards: Vec<f64> = law.probabilities(100).into_iter().rev().collect();
    let last: Vec<f64> = (0..100).map(|x| if x < 95 { 0.0 } else { 1.0 }).collect();
    let study = RecallStudy::new(law, target()?)
        .memory(Scheme::uniform(), 10)
        .memory(Scheme::power(1.0)?, 10)
        .memory(Scheme::explicit(&backwards)?, 10)
        .memory(Scheme::uniform().top(5)?, 10)
        .memory(Scheme::explicit(&last)?, 10);
    let recalls = study.samples(Samples::Draws(1000)).runs(runs).run(s.streams(), "head")?;
    let gain = |memory: usize| recalls.recall_difference(memory, 0, 1, 3);
    let (right, wrong) = (s.printed(Margin::ZERO).of("memories"), s.twin(Margin::ZERO).of("memories"));
    right.at_least("ranks 1 to 3: recall with weights p minus that with equal weights", gain(1)?);
    right.at_least("ranks 1 to 3: recall with the top 5 alone minus that with equal weights on all", gain(3)?);
    let label = "weights p in the opposite order: recall of ranks 1 to 3 minus that with equal weights";
    wrong.at_least(label, gain(2)?);
    let label = "equal weights on the last five ranks: recall of ranks 1 to 3 minus that with equal weights on all";
    wrong.at_least(label, gain(4)?);
    Ok(())
}

fn figure([along_d, along_t]: &[Array2<f64>; 2]) -> Figure {
    let panel = |title: String, label: &str, axis: &[f64], values: &Array2<f64>| {
        let row = |row: usize| positive(axis, values, row);
        let ((x_wrong, unseen_wrong), (x_seen, seen_wrong), (x_unseen, unseen)) = (row(0), row(1), row(2));
        Panel::new(&title)
            .x_label(label)
            .y_label("error")
            .log_x()
            .log_y()
            .y_limits(1e-4, 1.0)
            .legend_below()
            .line("unseen and wrong", &x_wrong, &unseen_wrong)
            .colour(0)
            .line("seen and wrong", &x_seen, &seen_wrong)
            .colour(1)
            .theory("unseen mass", &x_unseen, &unseen)
            .colour(0)
    };
    Figure::new("More dimensions remove one source of error, more data the other")
        .panel(panel(format!("T = {SAMPLES}"), "d", &DIMS.map(|d| d as f64), along_d))
        .panel(panel(format!("d = {DIM}"), "T", &SIZES.map(|t| t as f64), along_t))
        .columns(2)
        .caption(&format!(
            "Equal weights on all seen inputs, N = {INPUTS}, α = {ALPHA}, means over memories. Zeros are not drawn. An unseen input \
             is still answered rightly by chance now and then: the first line runs below the unseen mass by a factor of about 1 − 1/M.",
        ))
}

/// The points of a row that have a place on a logarithmic axis.
fn positive(axis: &[f64], values: &Array2<f64>, row: usize) -> (Vec<f64>, Vec<f64>) {
    let pairs = axis.iter().copied().zip(values.row(row).to_vec());
    pairs.filter(|(_, value)| *value > 0.0).unzip()
}
