//! Section 5, the paragraph on Figure 11: small batches, and a broader family.
//!
//! **Claim** (`memformer/small-batch-overfit`). Learning a method from data can overfit if batches are extremely small and tends to
//! generalise for moderate to large ones; and the memformer update (3.4) covers an even broader family than classical linear first-order
//! methods.
//!
//! Four steps with diagonal weights, fifty numbers. By the document's protocol batches are drawn anew every 100 steps; the gap is log10 of
//! the loss on other prompts over that on the batch that was trained on last. With a *fixed* set of B prompts it is that over the loss on
//! the set. Refuted by no gap at B = 1, by a gap that does not close with B, or by weights from B = 1000 that are no better on other prompts
//! than the descent that they started from. The sentence on the family needs that (3.4) does what every method of Eq. 1.1 does, and more.
//! That one layer a step does not is the fault of Theorem 3.2; with d layers a step, or d heads, all diagonal methods must come out, and
//! with d^2 heads full matrices, which are no methods of Eq. 1.1. Wrong twins: one layer a step, of which momentum with a memory for each
//! coordinate leaves a share; other prompts of another variance.

use ndarray::{Array1, Array2, array};
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, Stream, mean, normal_array2, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memformer::{
    Batch, Instance, Lfom, LinearTransformer, Precision, Prompts, RegisterWeight, TaskLaw, Trainer, Trainers, Weight,
    fraction_matrix, fraction_vector, nearest_diagonal, nearest_hadamard,
};

use super::equation_3_5::{DiagonalPreconditioners, momentum_left};
use super::exact::{labels, triangle};
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
    metric: "log10 of test loss over training loss, means over runs; labels that differ, in fractions",
    against: "no gap at B = 1; a gap that is as large at B = 1000; weights from B = 1000 that are no better than their start; a diagonal method that (3.4) does not do",
    protocol: &["diagonal weights; batches drawn anew every 100 steps"],
    choices: &[
        "four steps, law of Section 3.3, batches of 1, 10, 100 and 1000",
        "also fixed sets of 1 to 10,000 prompts, since \"overfit\" may mean that",
        "(3.4) with d layers a step, with d heads and with d² heads",
    ],
    rivals: &["gradient descent with rate 1/2, from which the weights start"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.see("memformer/thm-3-2");
    let (anew, fixed) = trained(s, s.knob("runs", s.scale().pick(8, 12), 2..)?)?;
    gaps_close(s, &anew, &fixed)?;
    family(s)?;

    let gaps = |all: &[Losses]| all.iter().map(|l| Ok(mean(&l.gap())?.value)).collect::<Result<Vec<f64>, Failure>>();
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

/// What (3.4) covers: every diagonal method, and methods that have no diagonal weights. Twins with one head, one layer a step.
fn family(s: &Sheet) -> Done {
    let mut stream = s.stream("the family of (3.4)")?;
    let (steps, n) = (3, 4);
    for case in s.cases("prompts", 6, 18)? {
        let d = 2 + case % 2;
        let prompt = Instance::draw(&mut stream, d, n)?;
        let f = prompt.quadratic();
        let diagonal = Lfom::diagonals(triangle(steps, || fraction_vector(&mut stream, d)))?;
        let (heads, wanted) = (LinearTransformer::of_method(&diagonal, d, n)?, diagonal.run(&f, &f.origin())?.iterates);
        let label = "any diagonal Λ, d heads, one layer a step: labels that differ, exact";
        labels(s.printed(EXACT), label, &prompt, &heads.forward(&prompt.tokens)?, &wanted)?;
        let after_steps: Vec<_> = heads.one_head()?.forward(&prompt.tokens)?.into_iter().step_by(d).collect();
        let label = "any diagonal Λ, one head, d layers a step: labels that differ, exact";
        labels(s.printed(EXACT), label, &prompt, &after_steps, &wanted)?;
        let full = Lfom::new(triangle(steps, || Weight::Full(fraction_matrix(&mut stream, d, d))))?;
        let states = LinearTransformer::of_method(&full, d, n)?.forward(&prompt.tokens)?;
        let label = "any full Λ, d² heads, one layer a step: labels that differ, exact";
        labels(s.printed(EXACT), label, &prompt, &states, &full.run(&f, &f.origin())?.iterates)?;
    }
    let white = TaskLaw::isotropic(DIM)?;
    let prompts = Prompts::draw(&white, EXAMPLES, 200, &mut stream)?.statistics()?;
    let weight: Array2<f64> = normal_array2(&mut stream, DIM, DIM);
    let gradients = (0..prompts.batch()).map(|b| Ok(-prompts.cross(b)?)).collect::<Result<Vec<_>, Failure>>()?;
    let updates: Vec<Array1<f64>> = gradients.iter().map(|g| weight.dot(g)).collect();
    let label = "full Λ: share of the update that the best diagonal one leaves";
    s.printed(ROUNDING).over(gradients.len(), "prompts").at_least(label, nearest_diagonal(&gradients, &updates)?.left);

    let rates = DiagonalPreconditioners::rates();
    let twin = s.twin(ROUNDING);
    twin.same(
        "momentum with a memory for each coordinate: share of its weights that one head of (3.4), one layer a step, leaves",
        momentum_left(&rates, &DiagonalPreconditioners::memories()),
    );
    twin.same(
        "A = I, Λ = diag(1, ..., 5): share of the update that the best weight of (3.4), one layer a step, leaves",
        left(s, &array![1.0, 2.0, 3.0, 4.0, 5.0])?,
    );
    let label = "momentum with one memory for all coordinates: share of its weights that one head of (3.4), one layer a step, leaves";
    s.support(ROUNDING).same(label, momentum_left(&rates, &Array1::from_elem(DIM, 0.5)));
    Ok(())
}

/// The gap at small B, how it closes, and whether what was learned at large B is worth something on other prompts.
fn gaps_close(s: &Sheet, anew: &[Losses], fixed: &[Losses]) -> Done {
    let (printed, shown) = (s.printed(Margin::ZERO).of("runs"), s.aside(TWICE).of("runs"));
    let gap = |losses: &Losses| mean(&losses.gap());
    printed.at_least("B = 1, drawn anew: gap, decades", gap(&anew[0])?);
    // Independent runs, more of the small batches: ends against ends are an interval of their difference, and wide enough.
    let (small, large) = (gap(&anew[0])?, gap(&anew[3])?);
    let (low, high) = (small.low - large.high, small.high - large.low);
    let closed = Estimate { value: small.value - large.value, low, high, ..small };
    printed.at_least("drawn anew: gap at B = 1 minus at B = 1000, decades", closed);
    printed.at_least("fixed prompts, B = 1: gap, decades", gap(&fixed[0])?);
    let closed = paired_difference(&fixed[0].gap(), &fixed[4].gap())?;
    printed.at_least("fixed prompts: gap at B = 1 minus at B = 10,000, decades", closed);
    let label = "drawn anew, B = 1000: decades below the descent that it started from, other prompts";
    printed.at_least(label, mean(&anew[3].gained(0))?);
    let label = "fixed prompts, B = 10,000: decades below the descent that it started from, other prompts";
    printed.at_least(label, mean(&fixed[4].gained(0))?);
    shown.equals("B = 1000, drawn anew: gap, decades", 0.0, gap(&anew[3])?);
    shown.equals("fixed prompts, B = 10,000: gap, decades", 0.0, gap(&fixed[4])?);
    for pair in fixed.windows(2) {
        let grows = paired_difference(&pair[1].gap(), &pair[0].gap())?.low > 0.0;
        let label = "fixed prompts: neighbouring B at which the gap grows beyond its interval";
        s.printed(EXACT).of("pairs").never(label, grows);
    }
    s.aside(Margin::ZERO).of("runs").at_least("fixed prompts, B = 1000: gap, decades", gap(&fixed[3])?);
    let label = "drawn anew, B = 1000, tried on twice the variance: decades below the descent that it started from";
    s.twin(Margin::ZERO).of("runs").at_least(label, mean(&anew[3].gained(1))?);
    Ok(())
}

/// Losses of one size over its runs, log10.
#[derive(Clone, Debug, Default)]
struct Losses {
    training: Vec<f64>,
    test: Vec<f64>,
    /// On prompts of twice the variance.
    elsewhere: Vec<f64>,
    /// Of the descent that the weights start from, on both tests.
    start: [f64; 2],
}

impl Losses {
    fn gap(&self) -> Vec<f64> {
        self.test.iter().zip(&self.training).map(|(a, b)| a - b).collect()
    }

    /// Below the start: on other prompts, or on those of twice the variance.
    fn gained(&self, which: usize) -> Vec<f64> {
        [&self.test, &self.elsewhere][which].iter().map(|loss| self.start[which] - loss).collect()
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
    let begin = learner(RegisterWeight::Diagonal, STEPS)?;
    let start = [test.loss(&begin)?.log10(), elsewhere.loss(&begin)?.log10()];
    let mut all = vec![Losses { start, ..Losses::default() }; sizes];
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
