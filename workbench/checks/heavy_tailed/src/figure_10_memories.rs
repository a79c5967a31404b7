//! What the checks of Figure 10 share: its setting, its memories over many draws, one draw of it, and its numbers.

use std::sync::Arc;

use ndarray::{Array2, Array3};
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, Stream, proportion};
use workbench_ledger::{Failure, Setting, Sourced, Swept};
use workbench_memory::{AssociativeMemory, Embeddings, RecallStudy, Recalls, Samples, Scheme, Zipf};

use super::section_2_model::{CLASSES, answers, differing, target};
use crate::vocabulary::by_scale;

/// The setting of the figure.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Inputs N.
    pub inputs: usize,
    /// Exponent of the law.
    pub alpha: f64,
    /// Samples T.
    pub samples: usize,
    /// The two dimensions.
    pub dims: [usize; 2],
    /// Draws of embeddings and data; by scale if 0.
    pub draws: usize,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup { inputs: 10, alpha: 1.0, samples: 1000, dims: [10, 50], draws: 0 }
    }
}

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
/// Columns of the sweep that have a bit for each input that was lost, and how many inputs each of them has.
const LOST: [&str; 2] = ["lost_to_50", "lost_from_51"];
const BITS: usize = 50;

/// Memories that a wrong form is tried on.
const WRONG: usize = 400;

impl Setup {
    fn law(&self) -> Result<Zipf, Failure> {
        Ok(Zipf::new(self.alpha, self.inputs)?)
    }

    /// The panels as (ρ, d), in the order of the figure.
    fn panels(&self) -> [(f64, usize); 4] {
        let [small, large] = self.dims;
        [(0.0, small), (0.0, large), (1.0, small), (1.0, large)]
    }

    /// The fewest ranks that carry half of the mass.
    pub fn important(&self) -> Result<usize, Failure> {
        let (law, mut ranks) = (self.law()?, 1);
        while law.mass(1, Some(ranks)) < 0.5 {
            ranks += 1;
        }
        Ok(ranks)
    }

    /// Which inputs each memory recalls, over many draws of embeddings and data; from the sweep where there is one.
    ///
    /// # Errors
    /// Sizes that the study refuses.
    pub fn recalls(&self, setting: &Setting) -> Result<Arc<Sourced<Recalls>>, Failure> {
        let law = self.law()?;
        let backwards: Vec<f64> = law.probabilities(self.inputs).into_iter().rev().collect();
        let draws = by_scale(self.draws, setting.scale().pick(6000, 40_000));
        let mut study = RecallStudy::new(law, target()?).samples(Samples::Draws(self.samples));
        for (rho, d) in self.panels() {
            study = study.memory(Scheme::power(rho)?, d);
        }
        for d in self.dims {
            study = study.memory(Scheme::explicit(&backwards)?, d);
        }
        let study = study.runs(draws);
        let take = |rows: &Swept| {
            let recalled = self.recalled(rows, draws)?;
            study.found(recalled).map_err(|error| error.to_string())
        };
        setting.swept(&format!("figure 10, {self:?}"), SWEEP, take, |own| Ok(study.run(own.streams(), "figure 10")?))
    }

    /// What the sweep's memories recall, by memory, draw and input: its draws follow each other, replicate by replicate.
    ///
    /// # Errors
    /// What the sweep does not have.
    pub fn recalled(&self, rows: &Swept, draws: usize) -> Result<Array3<bool>, String> {
        let mut recalled = Array3::from_elem((2 * WEIGHTS.len(), draws, self.inputs), true);
        for (w, weights) in WEIGHTS.into_iter().enumerate() {
            for (d, dim) in self.dims.into_iter().enumerate() {
                let at = [
                    ("inputs", self.inputs as f64),
                    ("alpha", self.alpha),
                    ("samples", self.samples as f64),
                    ("weights", weights),
                    ("dimension", dim as f64),
                ];
                for (column, first) in LOST.into_iter().zip([0, BITS]).filter(|(_, first)| *first < self.inputs) {
                    let last = self.inputs.min(first + BITS);
                    for (draw, lost) in rows.first(draws, column, &at)?.into_iter().enumerate() {
                        for x in first..last {
                            recalled[[2 * w + d, draw, x]] = (lost as usize) >> (x - first) & 1 == 0;
                        }
                    }
                }
            }
        }
        match self.inputs <= 2 * BITS {
            true => Ok(recalled),
            false => Err(format!("it has no more than {} inputs, asked for {}", 2 * BITS, self.inputs)),
        }
    }

    /// The share of memories with equal weights that recall all inputs, with embeddings and matrix of the caller's making.
    pub fn all_recalled(
        &self,
        stream: &mut Stream,
        embeddings: impl Fn(&mut Stream) -> Result<Embeddings, Failure>,
        matrix: impl Fn(&AssociativeMemory) -> Array2<f64>,
    ) -> Result<Estimate, Failure> {
        let (law, labels) = (self.law()?, target()?.labels(self.inputs));
        let mut whole = 0;
        for _ in 0..WRONG {
            let e = embeddings(stream)?;
            let counts = law.sample_counts(self.samples, stream)?;
            let q = Scheme::uniform().empirical_weights(&counts, self.inputs, e.dim())?;
            let memory = AssociativeMemory::store(&e, &q, &labels)?;
            whole += usize::from(differing(&answers(&matrix(&memory), &e), &labels) == 0);
        }
        Ok(proportion(whole, WRONG)?)
    }

    /// One draw of the figure, answers framed.
    pub fn matrices(&self, stream: &mut Stream) -> Result<Figure, Failure> {
        let (law, labels) = (self.law()?, target()?.labels(self.inputs));
        let wide = Embeddings::draw(self.inputs, CLASSES, self.dims[1], stream)?;
        let counts = law.sample_counts(self.samples, stream)?;
        let ranks: Vec<f64> = (1..=self.inputs).map(|x| x as f64).collect();
        let classes: Vec<f64> = (0..CLASSES).map(|y| y as f64).collect();
        let mut figure = Figure::new("The four matrices, one draw").columns(2).caption(
            "Colour: score of class y for input x, over the largest of the matrix. Framed: the answer. Right answers lie on the \
             stripes y = x mod 5.",
        );
        for (rho, d) in self.panels() {
            let e = wide.truncated(d)?;
            let q = Scheme::power(rho)?.empirical_weights(&counts, self.inputs, d)?;
            let memory = AssociativeMemory::store(&e, &q, &labels)?;
            let (scores, answered) = (memory.scores(&e.inputs)?, memory.predict(&e.inputs)?);
            let largest = scores.iter().fold(0.0f64, |m, s| m.max(s.abs()));
            let wrong = differing(&answered, &labels);
            let mut panel = Panel::new(&format!("ρ = {rho}, d = {d}: {wrong} wrong"))
                .x_label("input x")
                .y_label("class y")
                .heatmap(&(scores.t().to_owned() / largest), &ranks, &classes, "score")
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
    pub fn curves(&self, recalls: &Recalls) -> Result<Figure, Failure> {
        let ranks: Vec<f64> = (1..=self.inputs).map(|x| x as f64).collect();
        let title = format!("N = {}, M = {CLASSES}, α = {}, T = {}", self.inputs, self.alpha, self.samples);
        let mut panel = Panel::new(&title)
            .x_label("rank x")
            .y_label("probability of recall")
            .y_limits(0.0, 1.05)
            .hline("guessing", 1.0 / CLASSES as f64)
            .legend_below();
        for (m, (rho, d)) in self.panels().into_iter().enumerate() {
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
    pub fn table(&self, recalls: &Recalls) -> Result<Table, Failure> {
        let half = self.inputs / 2;
        let each = |of: &dyn Fn(usize) -> Result<Estimate, Failure>| -> Result<Vec<f64>, Failure> {
            (0..4).map(|m| Ok(of(m)?.value)).collect()
        };
        let names: Vec<String> = self.panels().iter().map(|(rho, d)| format!("ρ = {rho}, d = {d}")).collect();
        let share = |from: usize, to: usize| each(&|m| Ok(recalls.recall_share(m, from, to)?));
        let frame = columns(vec![
            ("memory", names.into()),
            ("rank 1", share(1, 1)?.into()),
            ("rank 2", share(2, 2)?.into()),
            ("rank 3", share(3, 3)?.into()),
            ("frequent half", share(1, half)?.into()),
            ("rare half", share(half + 1, self.inputs)?.into()),
            ("all recalled", each(&|m| Ok(recalls.all_recalled(m)?))?.into()),
            ("error", each(&|m| Ok(recalls.error(m)?))?.into()),
        ])?;
        Ok(Table::new(frame)
            .title("What the four memories recall")
            .caption("Share of inputs recalled, share of memories that recall all ten, and mean error.")
            .digits(2))
    }
}
