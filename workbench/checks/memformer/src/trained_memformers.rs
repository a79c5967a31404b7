//! Trained memformers of Section 3.3: laws, fresh prompts, kinds of memformers and their loss after each layer.
//!
//! Several statements look at the same trained models, so they are trained once in a process. A point at l layers is a model *trained*
//! with l layers. Losses are those of Eq. 2.7 with the mean over queries taken, (w - w*)^T Sigma (w - w*). The mean over prompts is taken
//! before the logarithm and the mean over runs after it, as the loss (2.7) is an expectation and "plots average over five runs"; the other
//! order stands beside it wherever it is drawn.

use std::sync::Arc;

use ndarray::Array2;
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, Stream};
use workbench_ledger::{Failure, Margin, Setting};
use workbench_memformer::{
    Architecture, Averaging, Batch, ConjugateGradient, Curve, Parameters, Part, Phase, Precision, RegisterKind,
    RegisterWeight, Score, TaskLaw, TestSet, Trainer, Trainers, TrainingProtocol,
};

use super::task_law::{DIM, EXAMPLES, SPECTRUM};

/// A factor of two in the loss.
pub const TWICE: Margin = Margin::ours(
    "factor of two",
    0.3,
    "three tenths of a decade are a factor of two, the least that counts as a difference in plots over decades",
);
/// At most a factor of two behind.
pub const BEHIND: Margin = Margin::ours("factor of two behind", -0.3, "the factor of two, seen from the other side");

/// Independent runs, each with a rotation of its own.
pub const RUNS: usize = 5;
/// Layers of the figures.
pub const LAYERS: usize = 4;

/// What the diagonal D holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Eigenvalues of the covariance, as printed.
    Variances,
    /// Their roots, as in the public code of preconditioned gradient descent on which the document builds.
    Deviations,
}

impl Reading {
    /// Eigenvalues of Sigma.
    pub fn spectrum(self) -> Vec<f64> {
        match self {
            Reading::Variances => SPECTRUM.to_vec(),
            Reading::Deviations => SPECTRUM.iter().map(|v| v * v).collect(),
        }
    }

    fn stream(self, name: &str) -> String {
        match self {
            Reading::Variances => name.to_string(),
            Reading::Deviations => format!("{name}, standard deviations"),
        }
    }
}

/// Laws of the runs, fresh prompts of each, and conjugate gradients on them.
pub struct Field {
    /// A law for each run.
    pub laws: Vec<TaskLaw>,
    /// Prompts that no training sees.
    pub tests: Vec<TestSet>,
    /// Conjugate gradients, on each prompt separately.
    pub cgd: Curve,
}

/// A law for each run, with its own rotation.
pub fn rotations(own: &Setting, spectrum: &[f64], name: &str, runs: usize) -> Result<Vec<TaskLaw>, Failure> {
    let law = |i| Ok(TaskLaw::rotated(spectrum, &mut own.streams().replicate(name, i)?)?);
    (0..runs).map(law).collect()
}

/// Prompts of each law.
pub fn fresh(own: &Setting, laws: &[TaskLaw], n: usize, size: usize, name: &str) -> Result<Vec<TestSet>, Failure> {
    let draw = |(i, law)| Ok(TestSet::draw(law, n, size, &mut own.streams().replicate(name, i)?)?);
    (0..).zip(laws).map(draw).collect()
}

/// The field of a reading of D, the same each time.
pub fn field(setting: &Setting, reading: Reading) -> Result<Arc<Field>, Failure> {
    setting.shared(&format!("field of Section 3.3, {reading:?}"), |own| {
        let laws = rotations(own, &reading.spectrum(), &reading.stream("rotation"), RUNS)?;
        let size = own.scale().pick(4000, 10_000);
        let tests = fresh(own, &laws, EXAMPLES, size, &reading.stream("test prompts"))?;
        let cgd = Curve::of_method(&ConjugateGradient, &tests, DIM)?;
        Ok(Field { laws, tests, cgd })
    })
}

/// Steps for A (and B), then for the registers.
pub fn budget(setting: &Setting) -> (usize, usize) {
    setting.scale().pick((3000, 1000), (20_000, 10_000))
}

/// A (and B) for `first` steps, then registers for `second`; the rate is halved again and again.
pub fn schedule(first: usize, second: usize) -> TrainingProtocol {
    let matrices = Phase::new(&[Part::Preconditioners, Part::UpperBlocks], first, 0.02);
    let registers = Phase::new(&[Part::Registers], second, 0.02);
    let phases =
        [matrices.halving_every(first.div_ceil(10).max(1)), registers.halving_every(second.div_ceil(8).max(1))];
    TrainingProtocol::document().with_phases(phases.into_iter().filter(|phase| phase.steps > 0).collect())
}

/// What is trained: A alone, registers alone, or one after the other within the same number of steps.
#[derive(Clone, Copy, Debug)]
enum Trained {
    Matrices,
    Registers,
    Both,
}

/// A kind of model.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Its name, which is also that of its random streams.
    pub name: &'static str,
    short: &'static str,
    registers: RegisterKind,
    blocks: bool,
    trained: Trained,
    /// Numbers of layers of its models.
    pub depths: &'static [usize],
}

/// Eq. 3.4 with the same number in all layers.
pub const TIED_SCALARS: RegisterKind = RegisterKind::Separate { weight: RegisterWeight::Scalar, tied: true };
/// Eq. 3.4 with a number for each pair of layers.
pub const FREE_SCALARS: RegisterKind = RegisterKind::Separate { weight: RegisterWeight::Scalar, tied: false };
const UP_TO_FOUR: &[usize] = &[1, 2, 3, 4];

impl Recipe {
    const fn new(names: (&'static str, &'static str), registers: RegisterKind, trained: Trained) -> Recipe {
        Recipe { name: names.0, short: names.1, registers, blocks: false, trained, depths: UP_TO_FOUR }
    }

    /// The same for other numbers of layers.
    pub const fn of_depths(self, depths: &'static [usize]) -> Recipe {
        Recipe { depths, ..self }
    }

    const fn with_blocks(self) -> Recipe {
        Recipe { blocks: true, ..self }
    }

    fn architecture(&self, layers: usize) -> Result<Architecture, Failure> {
        let plain = Architecture::new(layers, DIM)?.with_registers(self.registers);
        Ok(if self.blocks { plain.with_upper_block() } else { plain })
    }

    fn protocol(&self, setting: &Setting) -> TrainingProtocol {
        let (first, second) = budget(setting);
        let mut protocol = match self.trained {
            Trained::Matrices => schedule(first + second, 0),
            Trained::Registers => schedule(0, first + second),
            Trained::Both => schedule(first, second),
        };
        if self.blocks {
            // The degree grows threefold with every layer: large steps blow up.
            protocol.phases[0].rate = 0.004;
        }
        protocol
    }

    fn stream(&self, reading: Reading) -> String {
        match reading {
            Reading::Variances => self.name.to_string(),
            Reading::Deviations => format!("std, {}", self.short),
        }
    }
}

/// A only, no registers.
pub const LINEAR: Recipe = Recipe::new(("linear transformer", "linear"), RegisterKind::None, Trained::Matrices);
/// Eq. 3.2, A = I.
pub const ONE_AT_IDENTITY: Recipe =
    Recipe::new(("one register, A = I", "one register, A = I"), RegisterKind::Single, Trained::Registers);
/// Eq. 3.2, A trained.
pub const ONE: Recipe = Recipe::new(("one register", "one register"), RegisterKind::Single, Trained::Both);
/// Eq. 3.4 with the same Gamma_j in all layers, A = I.
pub const TIED_AT_IDENTITY: Recipe =
    Recipe::new(("tied Γ, A = I", "tied, A = I"), TIED_SCALARS, Trained::Registers).of_depths(&[4]);
/// Eq. 3.4 with the same Gamma_j in all layers, A trained.
pub const TIED: Recipe = Recipe::new(("tied Γ", "tied"), TIED_SCALARS, Trained::Both);
/// The same with Gamma held at one.
pub const HELD: Recipe =
    Recipe::new(("tied Γ held at 1", "tied, held"), TIED_SCALARS, Trained::Matrices).of_depths(&[4]);
/// Eq. 3.4 with a number for each pair of layers, A trained.
pub const FREE: Recipe = Recipe::new(("free Γ", "free"), FREE_SCALARS, Trained::Both);
/// A and B, then tied Gamma.
pub const TIED_PLUS: Recipe = Recipe::new(("GD++, tied Γ", "GD++, tied"), TIED_SCALARS, Trained::Both).with_blocks();

/// What is trained with D as standard deviations: A = I after four layers, one register after two and four, free Gamma after two to four.
pub mod spread {
    use super::Recipe;
    /// Eq. 3.2, A = I.
    pub const ONE_AT_IDENTITY: Recipe = super::ONE_AT_IDENTITY.of_depths(&[4]);
    /// Eq. 3.2, A trained.
    pub const ONE: Recipe = super::ONE.of_depths(&[2, 4]);
    /// Eq. 3.4, A trained.
    pub const FREE: Recipe = super::FREE.of_depths(&[2, 3, 4]);
}

/// Models of four layers only, for checks that look at no others.
pub mod deepest {
    use super::{LAYERS, Recipe};
    /// Eq. 3.2, A trained.
    pub const ONE: Recipe = super::ONE.of_depths(&[LAYERS]);
    /// The same with D as standard deviations.
    pub const SPREAD_ONE: Recipe = super::spread::ONE.of_depths(&[LAYERS]);
    /// A and B, then tied Gamma.
    pub const TIED_PLUS: Recipe = super::TIED_PLUS.of_depths(&[LAYERS]);
}

/// Trained models of one kind: law after law, in each a model of every depth.
pub struct Group {
    /// Their numbers of layers.
    pub depths: Vec<usize>,
    /// The models.
    pub models: Vec<Parameters>,
    /// Loss on fresh batches at the end of training over that at its start, model by model.
    pub left: Vec<f64>,
}

impl Group {
    /// Trains the given runs, side by side.
    pub fn train(depths: &[usize], runs: Vec<Trainer>) -> Result<Group, Failure> {
        let mut trainers = Trainers::new(runs)?;
        trainers.run()?;
        let left = trainers.runs().iter().map(|run| {
            let losses = run.fresh_losses();
            let last = &losses[losses.len().saturating_sub(5)..];
            last.iter().map(|fresh| fresh.loss).sum::<f64>() / last.len() as f64 / losses[0].loss
        });
        Ok(Group { depths: depths.to_vec(), left: left.collect(), models: trainers.models() })
    }

    /// The models of one depth, run by run; none if there is no such depth.
    pub fn of_depth(&self, layers: usize) -> Vec<Parameters> {
        let wanted = self.depths.iter().cycle().zip(&self.models);
        let wanted = wanted.filter(|(depth, _)| **depth == layers);
        wanted.map(|(_, model)| model.clone()).collect()
    }

    /// Loss after each layer; where only one depth was trained only its last layer speaks of trained models.
    pub fn curve(&self, tests: &[TestSet]) -> Result<Curve, Failure> {
        match self.depths[..] {
            [only] => curve_of(&self.of_depth(only), tests),
            _ => Ok(Curve::of_models(&self.models, tests)?),
        }
    }
}

/// The loss of one model in each run, after each of its layers.
pub fn curve_of(models: &[Parameters], tests: &[TestSet]) -> Result<Curve, Failure> {
    let depth = models[0].architecture().depth();
    Ok(Curve::of_methods(models, tests, depth)?)
}

/// A run from a random start; with A = I where only registers are trained.
fn trainer(
    recipe: &Recipe,
    layers: usize,
    law: &TaskLaw,
    protocol: &TrainingProtocol,
    stream: &mut Stream,
) -> Result<Trainer, Failure> {
    let mut model = Parameters::random(recipe.architecture(layers)?, protocol.initial_scale, stream)?;
    if let Trained::Registers = recipe.trained {
        for l in 0..layers {
            model.set_a(l, &Array2::eye(DIM))?;
        }
    }
    Ok(Trainer::from_parameters(model, law.clone(), protocol.clone(), stream)?)
}

/// The trained models of a kind, the same each time.
pub fn group(setting: &Setting, reading: Reading, recipe: &Recipe) -> Result<Arc<Group>, Failure> {
    setting.shared(&format!("{recipe:?}, trained, {reading:?}"), |own| {
        let (field, protocol) = (field(own, reading)?, recipe.protocol(own));
        // Streams are numbered as if every kind went up to five layers, those with blocks up to four.
        let places = if recipe.blocks { 4 } else { 5 };
        let mut runs = Vec::new();
        for (run, law) in field.laws.iter().enumerate() {
            for &layers in recipe.depths {
                let place = run * places + layers;
                let mut stream = own.streams().replicate(&recipe.stream(reading), place)?;
                runs.push(trainer(recipe, layers, law, &protocol, &mut stream)?);
            }
        }
        Group::train(recipe.depths, runs)
    })
}

/// The loss of a kind on fresh prompts, after each layer.
pub fn curve(setting: &Setting, reading: Reading, recipe: &Recipe) -> Result<Arc<Curve>, Failure> {
    setting.shared(&format!("{recipe:?}, curve, {reading:?}"), |own| {
        group(own, reading, recipe)?.curve(&field(own, reading)?.tests)
    })
}

/// The loss of the models of one depth.
pub fn at_depth(setting: &Setting, reading: Reading, recipe: &Recipe, layers: usize) -> Result<Curve, Failure> {
    let models = group(setting, reading, recipe)?.of_depth(layers);
    curve_of(&models, &field(setting, reading)?.tests)
}

/// Models of `layers` layers that are trained on given prompts and see no others, prompts by prompts.
pub fn held(
    own: &Setting,
    recipe: &Recipe,
    (layers, places): (&[usize], usize),
    name: &str,
    protocol: &TrainingProtocol,
    given: &[(TaskLaw, TestSet)],
) -> Result<Group, Failure> {
    let mut runs = Vec::new();
    for (i, (law, prompts)) in given.iter().enumerate() {
        for &depth in layers {
            let mut stream = own.streams().replicate(name, i * places + depth)?;
            let mut run = trainer(recipe, depth, law, protocol, &mut stream)?;
            run.hold(Batch::new(prompts.statistics(), Precision::Double)?)?;
            runs.push(run);
        }
    }
    Group::train(layers, runs)
}

/// Decades by which the loss of `a` is below that of `b`; the mean over prompts is inside of the logarithm.
pub fn ahead(a: &Curve, b: &Curve, layer: usize) -> Result<Estimate, Failure> {
    Ok(a.advantage(b, Score::Query, Averaging::LogOfMeans, layer)?)
}

/// The same with the logarithm inside of the mean over prompts.
pub fn ahead_of_logs(a: &Curve, b: &Curve, layer: usize) -> Result<Estimate, Failure> {
    Ok(a.advantage(b, Score::Query, Averaging::MeanOfLogs, layer)?)
}

/// A curve of a figure: name, losses, and the colour of its method.
pub type Series<'a> = (&'a str, &'a Curve, usize);

/// Colours of the methods, the same in all figures.
pub mod colour {
    /// One register.
    pub const ONE: usize = 0;
    /// Tied Gamma.
    pub const TIED: usize = 1;
    /// Free Gamma.
    pub const FREE: usize = 2;
    /// No register.
    pub const LINEAR: usize = 3;
    /// Nesterov's method.
    pub const NESTEROV: usize = 4;
    /// Momentum and gradient descent.
    pub const MOMENTUM: usize = 5;
    /// Conjugate gradients.
    pub const CONJUGATE: usize = 6;
    /// Tied Gamma with a number for the query; no figure has it beside one register.
    pub const ROW: usize = 0;
}

/// Mean over runs of the log loss after each layer, with all runs between the ends of the bars.
pub fn loss_panel(title: &str, averaging: Averaging, series: &[Series], layers: usize) -> Panel {
    let mut panel = Panel::new(title).x_label("layers or steps").y_label("log₁₀ loss");
    for (name, curve, colour) in series {
        let to = layers.min(curve.layers());
        let x: Vec<f64> = (0..=to).map(|l| l as f64).collect();
        let line = curve.line(Score::Query, averaging);
        let (low, high) = curve.spread(Score::Query, averaging);
        let cut = |values: &[f64]| values[..=to].to_vec();
        panel = panel
            .line(name, &x, &cut(&line))
            .colour(*colour)
            .error_bars("", &x, &cut(&line), &cut(&low), &cut(&high))
            .colour(*colour);
    }
    panel.legend_below()
}

/// Both averages side by side.
pub fn both_averages(title: &str, series: &[Series], layers: usize, caption: &str) -> Figure {
    let panel = |title: &str, averaging| loss_panel(title, averaging, series, layers);
    Figure::new(title)
        .panel(panel("log of the mean loss", Averaging::LogOfMeans))
        .panel(panel("mean of the log loss", Averaging::MeanOfLogs))
        .columns(2)
        .caption(&format!("{caption} Means over five runs, bars from the lowest to the highest."))
}

/// Decades by which one curve is below another, layer by layer, for both averages.
pub fn gap_table(title: &str, rows: &[(&str, &Curve, &Curve)], layers: usize) -> Result<Table, Failure> {
    let mut names = Vec::new();
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); layers];
    for (name, a, b) in rows {
        for (average, of) in [
            ("log of the mean", ahead as fn(&Curve, &Curve, usize) -> Result<Estimate, Failure>),
            ("mean of the log", ahead_of_logs),
        ] {
            names.push(format!("{name}: {average}"));
            for (l, column) in values.iter_mut().enumerate() {
                column.push(of(a, b, l + 1)?.value);
            }
        }
    }
    let heads: Vec<String> = (1..=layers).map(|l| format!("after {l}")).collect();
    let mut list = vec![("decades below", names.into())];
    for (head, column) in heads.iter().zip(values) {
        list.push((head.as_str(), column.into()));
    }
    Ok(Table::new(columns(list)?).title(title).digits(2))
}
