//! Section 5, the paragraph on Figure 11: small batches, and a broader family.
//!
//! **Claim** (`memformer/small-batch-overfit`). Learning a method from data can overfit if batches are extremely small and tends to
//! generalise for moderate to large ones; and the memformer update (3.4) covers an even broader family than classical linear first-order
//! methods.
//!
//! Four steps with diagonal weights, fifty numbers. By the document's protocol batches are drawn anew every 100 steps; the gap is log10 of
//! the loss on other prompts over that on the batch that was trained on last. With a *fixed* set of B prompts it is that over the loss on
//! the set. Refuted by no gap at B = 1, or by a factor of two between the two losses for large B. The sentence on the family
//! needs that (3.4) does what every method of Eq. 1.1 does. With one layer a step its heads carry weights c_i^k A_i; as for Eq. 3.5, momentum
//! with a memory for each coordinate decides, by the share of its weights that the nearest such product leaves. With A = I a number cannot
//! even do what one diagonal does. Wrong twin: other prompts of another variance.

use ndarray::{Array1, array};
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, Stream, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memformer::{Batch, Precision, Prompts, RegisterWeight, TaskLaw, Trainer, Trainers, nearest_hadamard};

use super::equation_3_5::{DiagonalPreconditioners, momentum_left};
use super::learned_methods::{Axes, STEPS, field, learner, recipe};
use super::task_law::{DIM, EXAMPLES};
use super::trained_memformers::TWICE;
use crate::vocabulary::{EXACT, ROUNDING};

/// Sizes of batches drawn anew.
const ANEW: [usize; 4] = [1, 10, 100, 1000];
/// Sizes of fixed sets of prompts.
const FIXED: [usize; 5] = [1, 10, 100, 1000, 10_000];

/// Gaps between training and test.
pub const CHECK: Check = Check {
    claim: "memformer/small-batch-overfit",
    metric: "log10 of test loss over training loss, means over runs; share of an update that the best weight leaves",
    against: "no gap at B = 1, a factor of two for large B; a share that no weight of (3.4), one layer a step, explains",
    protocol: &["four steps, diagonal weights, law of Section 3.3; batches of 1 to 1000 drawn anew every 100 steps"],
    departures: &[
        "also fixed sets of 1 to 10,000 prompts, since \"overfit\" may mean that",
        "(3.4) is asked with one layer a step, as in the proof of Theorem 3.2; with more it does more, as recorded there",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.weaker(
        "small batches overfit and large ones generalise, as said; but (3.4) with one head and one layer a step covers weights c_i^k A_i, the scalar ones among them, and not all diagonal ones of Eq. 1.1",
    );
    let rates = DiagonalPreconditioners::rates();
    let (printed, changed) = (s.printed(ROUNDING), s.changed(ROUNDING));
    printed.same(
        "momentum with a memory for each coordinate: share of its weights that one head of (3.4), one layer a step, leaves",
        momentum_left(&rates, &DiagonalPreconditioners::memories()),
    );
    printed.same(
        "A = I, Λ = diag(1, ..., 5): share of the update that the best weight of (3.4), one layer a step, leaves",
        left(s, &array![1.0, 2.0, 3.0, 4.0, 5.0])?,
    );
    changed.same(
        "momentum with one memory for all coordinates: share of its weights that one head of (3.4), one layer a step, leaves",
        momentum_left(&rates, &Array1::from_elem(DIM, 0.5)),
    );
    changed
        .same("A = I, Λ = 2I: share of the update that the best weight leaves", left(s, &Array1::from_elem(DIM, 2.0))?);

    let (printed, changed) = (s.printed(TWICE).of("runs"), s.changed(TWICE).of("runs"));
    let (anew, fixed) = trained(s, s.knob("runs", s.scale().pick(8, 12), 2..)?)?;
    let gap = |losses: &Losses| mean(&losses.gap());
    let (small, large) = (gap(&anew[0])?, gap(&anew[3])?);
    printed.at_least("drawn anew, B = 1: gap, decades", small);
    printed.equals("drawn anew, B = 1000: gap, decades", 0.0, large);
    changed.at_least("B = 1, drawn anew: gap, decades", small);
    changed.equals("B = 1000, drawn anew: gap, decades", 0.0, large);
    printed.at_least("fixed prompts, B = 1: gap, decades", gap(&fixed[0])?);
    printed.equals("fixed prompts, B = 10,000: gap, decades", 0.0, gap(&fixed[4])?);
    for pair in fixed.windows(2) {
        let grows = paired_difference(&pair[1].gap(), &pair[0].gap())?.low > 0.0;
        let label = "fixed prompts: neighbouring B at which the gap grows beyond its interval";
        s.changed(EXACT).of("pairs").never(label, grows);
    }
    s.changed(Margin::ZERO).of("runs").at_least("fixed prompts, B = 1000: gap, decades", gap(&fixed[3])?);
    let moved: Vec<f64> = anew[3].elsewhere.iter().zip(&anew[3].training).map(|(a, b)| a - b).collect();
    let label = "drawn anew, B = 1000, tried on twice the variance: gap, decades";
    s.twin(TWICE).of("runs").equals(label, 0.0, mean(&moved)?);

    let gaps = |all: &[Losses]| all.iter().map(|l| Ok(gap(l)?.value)).collect::<Result<Vec<f64>, Failure>>();
    let mut gaps_anew: Vec<String> = gaps(&anew)?.iter().map(|gap| format!("{gap:.2}")).collect();
    gaps_anew.push("not run".to_string());
    let table = columns(vec![
        ("prompts B", axis(&FIXED).into()),
        ("gap, drawn anew", gaps_anew.into()),
        ("gap, fixed", gaps(&fixed)?.into()),
    ])?;
    s.table(Table::new(table).title("Test loss over training loss, decades").digits(2));
    let own = mean(&field(s, Axes::Rotated)?.own.row(STEPS).to_vec())?.value.log10();
    s.figure(figure(&anew, &fixed, own)?);
    Ok(())
}

/// Losses of one size over its runs, log10.
#[derive(Clone, Debug, Default)]
struct Losses {
    training: Vec<f64>,
    test: Vec<f64>,
    /// On prompts of twice the variance.
    elsewhere: Vec<f64>,
}

impl Losses {
    fn gap(&self) -> Vec<f64> {
        self.test.iter().zip(&self.training).map(|(a, b)| a - b).collect()
    }
}

/// Trains on batches drawn anew and on fixed prompts, and tries what came of it: losses by size.
fn trained(setting: &Setting, runs: usize) -> Result<(Vec<Losses>, Vec<Losses>), Failure> {
    let law = field(setting, Axes::Rotated)?.law.clone();
    let draw = |law: &TaskLaw, name: &str| -> Result<Batch, Failure> {
        Ok(Batch::draw(law, EXAMPLES, 20_000, Precision::Double, &mut setting.stream(name)?)?)
    };
    let tests = [draw(&law, "test prompts")?, draw(&law.scaled(2.0)?, "test prompts of twice the variance")?];
    let trainer = |quick: usize, batch: Option<usize>, stream: &mut Stream| -> Result<Trainer, Failure> {
        let protocol = recipe(setting.scale().pick(quick, 3000), 5);
        let protocol = match batch {
            Some(batch) => protocol.with_batch(batch),
            None => protocol,
        };
        Ok(Trainer::from_parameters(learner(RegisterWeight::Diagonal, STEPS)?, law.clone(), protocol, stream)?)
    };
    let (mut anew, mut fixed) = (Vec::new(), Vec::new());
    for (place, batch) in ANEW.into_iter().enumerate() {
        // Where a batch ends depends on its few prompts, and such runs are cheap.
        for run in 0..if batch <= 10 { 5 * runs } else { runs } {
            let mut stream = setting.streams().replicate(&format!("anew {batch}"), run)?;
            anew.push((place, trainer(800, Some(batch), &mut stream)?));
        }
    }
    for (place, batch) in FIXED.into_iter().enumerate() {
        for run in 0..runs {
            let mut stream = setting.streams().replicate(&format!("fixed {batch}"), run)?;
            let prompts = Batch::draw(&law, EXAMPLES, batch, Precision::Double, &mut stream)?;
            let mut trainer = trainer(400, None, &mut stream)?;
            trainer.hold(prompts)?;
            fixed.push((place, trainer));
        }
    }
    Ok((losses(&tests, ANEW.len(), anew)?, losses(&tests, FIXED.len(), fixed)?))
}

/// Runs all trainers, each with the place of its size, and tries them on both tests.
fn losses(
    [test, elsewhere]: &[Batch; 2],
    sizes: usize,
    trainers: Vec<(usize, Trainer)>,
) -> Result<Vec<Losses>, Failure> {
    let (places, trainers): (Vec<usize>, Vec<Trainer>) = trainers.into_iter().unzip();
    let mut trainers = Trainers::new(trainers)?;
    trainers.run_each()?;
    let mut all = vec![Losses::default(); sizes];
    for (place, run) in places.into_iter().zip(trainers.runs()) {
        all[place].training.push(run.batch_loss()?.log10());
        all[place].test.push(test.loss(run.parameters())?.log10());
        all[place].elsewhere.push(elsewhere.loss(run.parameters())?.log10());
    }
    Ok(all)
}

/// Share of the first update with weight `lambda` that the best number leaves, for white covariates and targets.
fn left(setting: &Setting, lambda: &Array1<f64>) -> Result<f64, Failure> {
    let mut stream = setting.streams().restart("white prompts")?;
    let prompts = Prompts::draw(&TaskLaw::isotropic(DIM)?, EXAMPLES, 20_000, &mut stream)?;
    Ok(nearest_hadamard(&prompts.statistics()?, lambda)?.left)
}

fn axis(sizes: &[usize]) -> Vec<f64> {
    sizes.iter().map(|b| *b as f64).collect()
}

fn figure(anew: &[Losses], fixed: &[Losses], own: f64) -> Result<Figure, Failure> {
    let mut panel = Panel::new("four steps, diagonal weights").log_x().legend_below();
    for (name, sizes, of, colour) in [
        ("fixed prompts: training", axis(&FIXED), fixed.iter().map(|l| &l.training).collect::<Vec<_>>(), 0),
        ("fixed prompts: test", axis(&FIXED), fixed.iter().map(|l| &l.test).collect(), 1),
        ("drawn anew: test", axis(&ANEW), anew.iter().map(|l| &l.test).collect(), 2),
    ] {
        let means = of.iter().map(|runs| Ok(mean(runs)?)).collect::<Result<Vec<Estimate>, Failure>>()?;
        let part = |f: fn(&Estimate) -> f64| means.iter().map(f).collect::<Vec<f64>>();
        panel = panel.error_bars(name, &sizes, &part(|e| e.value), &part(|e| e.low), &part(|e| e.high)).colour(colour);
    }
    let panel = panel.hline("CGD, per prompt", own).colour(6);
    Ok(Figure::new("The gap closes with more prompts")
        .panel(panel.x_label("prompts B").y_label("log₁₀ mean loss"))
        .caption("Means over runs with intervals. CGD: conjugate gradients after four steps."))
}
