//! Figure 12, left and middle: learned embeddings in the plane.
//!
//! **Claims**, N = 100, alpha = 2, f_*(x) = x mod M, d = 2. `heavy-tailed/fig-12-left`: for M = 5 the learned unembeddings split the plane
//! into five sectors. `heavy-tailed/fig-12-middle`: the learned inputs e_x match the outputs u_{f_*(x)}, similarly to Eq. 12.
//!
//! W = I is fixed, embeddings are trained by Adam for 1000 updates of 1000 samples. A class has a sector exactly when its vector is a
//! corner of the convex hull. Refuted by a class without a sector, or inputs that point no more to their own output than to another, or no
//! more than untrained ones; that a few inputs stand on another class's side is shown.

use std::sync::Arc;

use ndarray::{Array2, array};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Stream, mean, normal_array2, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet, Sourced, Swept};
use workbench_memory::{
    DescentRule, LearnedMemory, LearnedRuns, LearnedTraining, MemoryStart, Readout, TrainedParts, sectors,
};

use super::learned_embeddings::{INPUTS, NEARLY_ALL, law, share, target};

const MATCH: Margin = Margin::ours(
    "inside of the sector",
    0.809,
    "the cosine of π/M at M = 5: so far from its output ends the sector of one of five equal classes",
);
const NEAREST: Margin = Margin::ours("nearly all inputs", 0.9, "nine inputs of ten");

/// The sweep that trains these planes.
const SWEEP: &str = "learned-planes";

/// Left panel: sectors.
pub const LEFT: Check = Check {
    claim: "heavy-tailed/fig-12-left",
    metric: "seeds in which each of the five classes wins in some direction",
    against: "a class that wins nowhere",
    protocol: &["N = 100, M = 5, alpha = 2, d = 2"],
    choices: &[
        "W = I as in Eq. 12; neither rule nor updates are given: Adam at 0.1 and the budget of Figure 11; sectors by exact angles",
    ],
    run: left,
    ..Check::DEFAULT
};

/// Middle panel: inputs and outputs.
pub const MIDDLE: Check = Check {
    claim: "heavy-tailed/fig-12-middle",
    metric: "cosine of e_x and u_{f_*(x)}, mean over inputs, less that with the output of the class beside; weighted with p, less that of untrained inputs; inputs whose nearest output direction is their own",
    against: "inputs that stand elsewhere than their outputs",
    protocol: &["N = 100, M = 5, alpha = 2, d = 2"],
    choices: &[
        "W = I as in Eq. 12; neither rule nor updates are given: Adam at 0.1 and the budget of Figure 11",
        "directions are compared, since Eq. 1 does not see the length of an input",
    ],
    run: middle,
    ..Check::DEFAULT
};

fn left(s: &Sheet) -> Done {
    let seen = seen(s, 5, 2, seeds(s)?)?;
    let all = &seen.on(s).sectors;
    let trained = all.iter().filter(|sectors| **sectors == 5.0).count();
    s.printed(NEARLY_ALL).of("seeds").at_least("seeds with five sectors", share(trained, all.len())?);
    let mut stream = s.stream("untrained outputs")?;
    let mut untrained = 0;
    for _ in all {
        untrained += usize::from(sectors(&normal_array2(&mut stream, 5, 2))?.iter().all(Option::is_some));
    }
    let label = "outputs with Gaussian entries, untrained: five sectors";
    s.twin(NEARLY_ALL).of("seeds").at_least(label, share(untrained, all.len())?);
    let first = first(s, 5)?;
    s.figure(
        Figure::new("Each class has a sector, and its inputs stand along its output")
            .panel(panel("M = 5", &first, false))
            .panel(panel("M = 5, with the inputs", &first, true))
            .columns(2)
            .caption("The first seed. Colour: the class with the largest score in this direction."),
    );
    Ok(())
}

fn middle(s: &Sheet) -> Done {
    let seen = seen(s, 5, 2, seeds(s)?)?;
    let Seen { cosines, untrained, .. } = seen.on(s);
    let printed = s.printed(Margin::ZERO).of("seeds");
    let label = "cosine of e_x and u_{f(x)} less that with the output of the class beside, mean over inputs";
    printed.at_least(label, paired_difference(&cosines.uniform, &cosines.one_off)?);
    let label = "cosine of e_x and u_{f(x)} weighted with p, trained minus untrained";
    printed.at_least(label, paired_difference(&cosines.weighted, &untrained.weighted)?);
    let beside = s.aside(MATCH).of("seeds");
    beside.at_least("cosine of e_x and u_{f(x)}, mean over inputs", mean(&cosines.uniform)?);
    beside.at_least("cosine of e_x and u_{f(x)}, weighted with p", mean(&cosines.weighted)?);
    let more = paired_difference(&cosines.nearest, &untrained.nearest)?;
    let label = "share of inputs whose nearest output direction is their own, trained minus untrained";
    printed.at_least(label, more);
    let label = "share of inputs whose nearest output direction is their own";
    s.aside(NEAREST).of("seeds").at_least(label, mean(&cosines.nearest)?);
    let label = "inputs counted from zero, labels one off: mean cosine";
    s.twin(Margin::ZERO).of("seeds").at_least(label, mean(&cosines.one_off)?);
    Ok(())
}

/// What is seen of the trained planes, seed by seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Final errors.
    pub errors: Vec<f64>,
    /// Classes that win in some direction; of a line, none are counted.
    pub sectors: Vec<f64>,
    /// How inputs point along the output of their class.
    pub cosines: Cosines,
    /// The same for inputs that were not trained.
    pub untrained: Cosines,
}

impl Seen {
    /// Seeds that end without error.
    pub fn without_error(&self) -> usize {
        self.errors.iter().filter(|error| **error == 0.0).count()
    }
}

/// How many are trained.
///
/// # Errors
/// A reader's number below two.
pub fn seeds(s: &Sheet) -> Result<usize, Failure> {
    s.knob("seeds", s.scale().pick(60, 150), 2..)
}

fn trained(own: &Setting, classes: usize, d: usize, seeds: usize) -> Result<LearnedRuns, Failure> {
    let plane = LearnedTraining::new(law()?, target(classes)?, d, Readout::Linear, TrainedParts::Embeddings)
        .memory_start(MemoryStart::Identity)
        .rule(DescentRule::ADAM)
        .rate(0.1)?;
    Ok(plane.run(own.streams(), &format!("plane, M = {classes}"), seeds)?)
}

/// The plane of the first seed, to be drawn.
///
/// # Errors
/// A wish to stop.
pub fn first(setting: &Setting, classes: usize) -> Result<Arc<LearnedMemory>, Failure> {
    setting.shared(&format!("first plane, M = {classes}"), |own| Ok(trained(own, classes, 2, 1)?.model(0)?))
}

/// What is seen with this many classes in this many dimensions; from the sweep where there is one.
///
/// # Errors
/// A wish to stop.
pub fn seen(setting: &Setting, classes: usize, d: usize, seeds: usize) -> Result<Arc<Sourced<Seen>>, Failure> {
    let name = format!("plane, M = {classes}, d = {d}, {seeds} seeds");
    setting.swept(
        &name,
        SWEEP,
        |rows| swept(rows, classes, d, seeds),
        |own| {
            let (p, mut stream) = (law()?.probabilities(INPUTS), own.stream("untrained inputs")?);
            let runs = trained(own, classes, d, seeds)?;
            let mut seen = Seen { errors: runs.last(), ..Seen::default() };
            for i in 0..runs.len() {
                let model = runs.model(i)?;
                let sectors = if d == 2 { sectors(&model.outputs)?.iter().flatten().count() } else { 0 };
                seen.sectors.push(sectors as f64);
                seen.cosines.see(&model.cosines(), &p);
                seen.untrained.see(&of_untrained(&model, &mut stream), &p);
            }
            Ok(seen)
        },
    )
}

/// A replicate of the sweep is a seed.
///
/// # Errors
/// What the sweep does not have.
pub fn swept(rows: &Swept, classes: usize, d: usize, seeds: usize) -> Result<Seen, String> {
    let at = [("inputs", INPUTS as f64), ("classes", classes as f64), ("dimension", d as f64)];
    let of = |column: &str| rows.first(seeds, column, &at);
    Ok(Seen {
        errors: of("error")?,
        sectors: of("sectors")?,
        cosines: Cosines {
            uniform: of("cosine")?,
            weighted: of("cosine_weighted")?,
            nearest: of("nearest_own")?,
            one_off: of("cosine_one_off")?,
        },
        untrained: Cosines {
            weighted: of("untrained_weighted")?,
            nearest: of("untrained_nearest_own")?,
            ..Cosines::default()
        },
    })
}

/// Cosines of inputs with the output of a class, averaged in several ways, one for each seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cosines {
    /// Mean over inputs.
    pub uniform: Vec<f64>,
    /// Mean over inputs as frequent as the law has them.
    pub weighted: Vec<f64>,
    /// Share of inputs that are nearest to their own output.
    pub nearest: Vec<f64>,
    /// Mean cosine with the output of the class beside theirs.
    pub one_off: Vec<f64>,
}

/// Cosines with the learned outputs of inputs that were not trained.
fn of_untrained(model: &LearnedMemory, stream: &mut Stream) -> Array2<f64> {
    let inputs = normal_array2(stream, model.inputs.nrows(), model.inputs.ncols());
    LearnedMemory { inputs, ..model.clone() }.cosines()
}

impl Cosines {
    fn see(&mut self, cosines: &Array2<f64>, p: &[f64]) {
        let classes = cosines.ncols();
        let own: Vec<f64> = (0..p.len()).map(|x| cosines[[x, (x + 1) % classes]]).collect();
        let off: f64 = (0..p.len()).map(|x| cosines[[x, x % classes]]).sum();
        let first = |x: &usize| (0..classes).all(|y| cosines[[*x, y]] <= own[*x]);
        self.uniform.push(own.iter().sum::<f64>() / p.len() as f64);
        self.weighted.push(own.iter().zip(p).map(|(c, p)| c * p).sum());
        self.nearest.push((0..p.len()).filter(first).count() as f64 / p.len() as f64);
        self.one_off.push(off / p.len() as f64);
    }
}

/// The class that wins in each direction, with the outputs, and the inputs if asked for.
pub fn panel(title: &str, model: &LearnedMemory, with_inputs: bool) -> Panel {
    let all = model.inputs.iter().chain(&model.outputs);
    let reach = all.fold(0.0f64, |a, v| a.max(v.abs())) * 1.05;
    let axis: Vec<f64> = (0..121).map(|k| reach * (f64::from(k) / 60.0 - 1.0)).collect();
    let best = Array2::from_shape_fn((121, 121), |(i, j)| {
        let scores = model.outputs.dot(&array![axis[j], axis[i]]);
        (0..scores.len()).fold(0, |b, y| if scores[y] > scores[b] { y } else { b }) as f64
    });
    let points = |panel: Panel, name: &str, of: &Array2<f64>, colour: usize| {
        panel.points(name, &of.column(0).to_vec(), &of.column(1).to_vec()).colour(colour)
    };
    let mut panel = Panel::new(title)
        .x_label("first coordinate")
        .y_label("second coordinate")
        .heatmap(&best, &axis, &axis, "class");
    if with_inputs {
        panel = points(panel, "inputs", &model.inputs, 1);
    }
    points(panel, "outputs", &model.outputs, 0).legend_below()
}
