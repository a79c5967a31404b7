//! Figure 10: its setting, its memories over many draws, one draw of it, and its numbers.

use std::sync::Arc;

use ndarray::{Array2, Array3};
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, Stream, proportion};
use workbench_ledger::{Failure, Sheet, Sourced, Swept};
use workbench_memory::{AssociativeMemory, Embeddings, RecallStudy, Recalls, Samples, Scheme, Zipf};

use super::gaussian_model::{CLASSES, answers, differing, target};
use crate::vocabulary::largest;

/// Inputs N.
pub const INPUTS: usize = 10;
const ALPHA: f64 = 1.0;
/// Samples T.
const SAMPLES: usize = 1000;
/// The two dimensions.
pub const DIMS: [usize; 2] = [10, 50];
/// The panels as (ρ, d), in the order of the figure.
const PANELS: [(f64, usize); 4] = [(0.0, DIMS[0]), (0.0, DIMS[1]), (1.0, DIMS[0]), (1.0, DIMS[1])];

/// Position of the memory of the left panel: equal weights at the small dimension.
pub const EQUAL_SMALL: usize = 0;
/// Position of the memory in the middle left: equal weights at the large dimension.
pub const EQUAL_LARGE: usize = 1;
/// Position of the memory in the middle right: weights by frequency at the small dimension.
pub const WEIGHTED_SMALL: usize = 2;
/// Position of the memory of the right panel: weights by frequency at the large dimension.
pub const WEIGHTED_LARGE: usize = 3;
/// Position of a wrong memory: weights p in the opposite order of ranks at the small dimension.
pub const BACKWARDS_SMALL: usize = 4;
/// Position of a wrong memory: weights p in the opposite order of ranks at the large dimension.
pub const BACKWARDS_LARGE: usize = 5;

/// The sweep that computes these memories.
const SWEEP: &str = "stored-memories";
/// Weights of a memory as the sweep numbers them: equal, by frequency, by frequency in the opposite order.
pub const WEIGHTS: [f64; 3] = [0.0, 1.0, 2.0];
/// Column of the sweep that has a bit for each of the first fifty inputs that was lost.
const LOST: &str = "lost_to_50";

fn law() -> Result<Zipf, Failure> {
    Ok(Zipf::new(ALPHA, INPUTS)?)
}

/// The fewest ranks that carry half of the mass.
///
/// # Errors
/// None with these numbers.
pub fn important() -> Result<usize, Failure> {
    let law = law()?;
    (1..=INPUTS).find(|ranks| law.mass(1, Some(*ranks)) >= 0.5).ok_or_else(|| "no law".into())
}

/// Which inputs each memory recalls, over many draws of embeddings and data; from the sweep where there is one.
///
/// # Errors
/// A number of draws that the study refuses.
pub fn recalls(s: &Sheet) -> Result<Arc<Sourced<Recalls>>, Failure> {
    let backwards: Vec<f64> = law()?.probabilities(INPUTS).into_iter().rev().collect();
    let draws = s.knob("draws", s.scale().pick(6000, 40_000), 2..)?;
    let mut study = RecallStudy::new(law()?, target()?).samples(Samples::Draws(SAMPLES));
    for (rho, d) in PANELS {
        study = study.memory(Scheme::power(rho)?, d);
    }
    for d in DIMS {
        study = study.memory(Scheme::explicit(&backwards)?, d);
    }
    let study = study.runs(draws);
    let take = |rows: &Swept| study.found(recalled(rows, draws)?).map_err(|error| error.to_string());
    s.swept(&format!("figure 10, {draws} draws"), SWEEP, take, |own| Ok(study.run(own.streams(), "figure 10")?))
}

/// What the sweep's memories recall, by memory, draw and input: its draws follow each other, replicate by replicate.
///
/// # Errors
/// What the sweep does not have.
pub fn recalled(rows: &Swept, draws: usize) -> Result<Array3<bool>, String> {
    let mut recalled = Array3::from_elem((2 * WEIGHTS.len(), draws, INPUTS), true);
    for (w, weights) in WEIGHTS.into_iter().enumerate() {
        for (d, dim) in DIMS.into_iter().enumerate() {
            let at = [
                ("inputs", INPUTS as f64),
                ("alpha", ALPHA),
                ("samples", SAMPLES as f64),
                ("weights", weights),
                ("dimension", dim as f64),
            ];
            for (draw, lost) in rows.first(draws, LOST, &at)?.into_iter().enumerate() {
                for x in 0..INPUTS {
                    recalled[[2 * w + d, draw, x]] = (lost as usize) >> x & 1 == 0;
                }
            }
        }
    }
    Ok(recalled)
}

/// The share of 400 memories with equal weights that recall all inputs, with embeddings and matrix of the caller's making.
///
/// # Errors
/// What the caller returns.
pub fn all_recalled(
    stream: &mut Stream,
    embeddings: impl Fn(&mut Stream) -> Result<Embeddings, Failure>,
    matrix: impl Fn(&AssociativeMemory) -> Array2<f64>,
) -> Result<Estimate, Failure> {
    let (law, labels, mut whole) = (law()?, target()?.labels(INPUTS), 0);
    for _ in 0..400 {
        let e = embeddings(stream)?;
        let counts = law.sample_counts(SAMPLES, stream)?;
        let q = Scheme::uniform().empirical_weights(&counts, INPUTS, e.dim())?;
        let memory = AssociativeMemory::store(&e, &q, &labels)?;
        whole += usize::from(differing(&answers(&matrix(&memory), &e), &labels) == 0);
    }
    Ok(proportion(whole, 400)?)
}

/// One draw of the figure, answers framed.
///
/// # Errors
/// None with these numbers.
pub fn matrices(stream: &mut Stream) -> Result<Figure, Failure> {
    let (law, labels) = (law()?, target()?.labels(INPUTS));
    let wide = Embeddings::draw(INPUTS, CLASSES, DIMS[1], stream)?;
    let counts = law.sample_counts(SAMPLES, stream)?;
    let ranks: Vec<f64> = (1..=INPUTS).map(|x| x as f64).collect();
    let classes: Vec<f64> = (0..CLASSES).map(|y| y as f64).collect();
    let mut figure = Figure::new("The four matrices, one draw").columns(2).caption(
        "Colour: score of class y for input x, over the largest of the matrix. Framed: the answer. Right answers lie on the \
         stripes y = x mod 5.",
    );
    for (rho, d) in PANELS {
        let e = wide.truncated(d)?;
        let q = Scheme::power(rho)?.empirical_weights(&counts, INPUTS, d)?;
        let memory = AssociativeMemory::store(&e, &q, &labels)?;
        let (scores, answered) = (memory.scores(&e.inputs)?, memory.predict(&e.inputs)?);
        let wrong = differing(&answered, &labels);
        let mut panel = Panel::new(&format!("ρ = {rho}, d = {d}: {wrong} wrong"))
            .x_label("input x")
            .y_label("class y")
            .heatmap(&(scores.t().to_owned() / largest(&scores)), &ranks, &classes, "score")
            .signed_colour()
            .colour_limits(-1.0, 1.0);
        for (x, y) in ranks.iter().zip(&answered) {
            panel = panel.mark_cell(*x, classes[*y]);
        }
        figure = figure.panel(panel);
    }
    Ok(figure)
}

/// Recall of each input under each memory.
///
/// # Errors
/// As the rates'.
pub fn curves(recalls: &Recalls) -> Result<Figure, Failure> {
    let ranks: Vec<f64> = (1..=INPUTS).map(|x| x as f64).collect();
    let mut panel = Panel::new(&format!("N = {INPUTS}, M = {CLASSES}, α = {ALPHA}, T = {SAMPLES}"))
        .x_label("rank x")
        .y_label("probability of recall")
        .y_limits(0.0, 1.05)
        .hline("guessing", 1.0 / CLASSES as f64)
        .legend_below();
    for (m, (rho, d)) in PANELS.into_iter().enumerate() {
        let rates = recalls.rates(m)?;
        let of = |part: fn(&Estimate) -> f64| rates.iter().map(part).collect::<Vec<f64>>();
        panel = panel
            .band("", &ranks, &of(|e| e.low), &of(|e| e.high))
            .colour(m)
            .line(&format!("ρ = {rho}, d = {d}"), &ranks, &of(|e| e.value))
            .colour(m);
    }
    Ok(Figure::new("Equal weights treat all inputs alike, weights by frequency do not")
        .panel(panel)
        .caption("Recall of each input over draws of embeddings and data, bands at 99.9 %."))
}

/// The four panels in numbers.
///
/// # Errors
/// As the shares'.
pub fn table(recalls: &Recalls) -> Result<Table, Failure> {
    let each = |of: &dyn Fn(usize) -> Result<Estimate, Failure>| -> Result<Vec<f64>, Failure> {
        (0..4).map(|m| Ok(of(m)?.value)).collect()
    };
    let names: Vec<String> = PANELS.iter().map(|(rho, d)| format!("ρ = {rho}, d = {d}")).collect();
    let share = |from: usize, to: usize| each(&|m| Ok(recalls.recall_share(m, from, to)?));
    let frame = columns(vec![
        ("memory", names.into()),
        ("rank 1", share(1, 1)?.into()),
        ("rank 2", share(2, 2)?.into()),
        ("rank 3", share(3, 3)?.into()),
        ("frequent half", share(1, INPUTS / 2)?.into()),
        ("rare half", share(INPUTS / 2 + 1, INPUTS)?.into()),
        ("all recalled", each(&|m| Ok(recalls.all_recalled(m)?))?.into()),
        ("error", each(&|m| Ok(recalls.error(m)?))?.into()),
    ])?;
    Ok(Table::new(frame)
        .title("What the four memories recall")
        .caption("Share of inputs recalled, share of memories that recall all ten, and mean error.")
        .digits(2))
}
