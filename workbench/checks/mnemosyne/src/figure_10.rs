//! Figure 10: four MLPs trained by Mnemosyne and by others.
//!
//! **Claims**, panel by panel: `mnemosyne/fig-10-panel-1` one hidden layer of 20, sigmoid; `mnemosyne/fig-10-panel-2` two layers;
//! `mnemosyne/fig-10-panel-3` one layer of 40; `mnemosyne/fig-10-panel-4` ReLU. The text says what they show: Mnemosyne trains all four, and
//! faster than RMSprop and Adam with similar asymptotic performance, `mnemosyne/fig-10-faster`; it goes on for thousands of steps where the
//! LSTM optimizer struggles beyond a few hundred, `mnemosyne/fig-10-lstm`.
//!
//! The rates of RMSprop and Adam are not printed. They are run at PyTorch's defaults and at the best rate for the loss that is compared.
//! Curves are those of four finished optimizers; an interval spans all four. A panel is refuted by a loss that does not fall; rivals and the
//! LSTM stand beside it, since what is said of them is asked in rows of their own. Steps are the document's axis; processor time is the
//! other, in the figure beside `fig-10-faster`.

use std::sync::Arc;

use workbench_display::{Figure, Panel, Table};
use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::score::Run;
use workbench_optimizer::tasks::FIGURE_10;

use super::optimizer_laboratory::{
    BANK, DATA, KEPT, LIGHT, LOST, OPEN, RATE, SCALED, TRAINED, TRAININGS, by_training_times, curve, finished,
    log_loss, logs, losses, networks, over_tasks_and_draws, side_by_side, table_of, widest,
};
use super::tuned_rivals::{Rival, at_rate, best, tuned};

const WRITTEN: [Rival; 2] = [Rival::Adam, Rival::RmsProp];

/// What the two are given.
const BEST: &str = "rates of Adam and RMSprop on a grid from 1e-3 to 1, chosen for each network and step on seeds of their own by the loss that is tested";
/// What they come with.
const AS_THEY_COME: &str = "both at PyTorch's default rates as well";

const PANEL: Check = Check {
    metric: "log validation loss after 100 steps and at the end, on the same draws; differences from rivals, the interval spans four trainings",
    against: "a loss that does not fall",
    protocol: &["the cell of B.1, trained on roll-outs of 100 steps; the four networks, as the caption names them"],
    choices: &["four trainings, two of them at quick scale; 200 steps at quick scale, 1,000 at paper scale", DATA],
    departures: &[SCALED, RATE, OPEN, LOST, BANK],
    rivals: &[BEST, AS_THEY_COME, "an LSTM with as many weights, the same losses, batches and meta-steps"],
    ..Check::DEFAULT
};

/// One hidden layer of 20, sigmoid.
pub const FIRST: Check = Check { claim: "mnemosyne/fig-10-panel-1", run: |s| panel(s, 0), ..PANEL };

/// Two hidden layers of 20, sigmoid.
pub const SECOND: Check = Check { claim: "mnemosyne/fig-10-panel-2", run: |s| panel(s, 1), ..PANEL };

/// One hidden layer of 40, sigmoid.
pub const THIRD: Check = Check { claim: "mnemosyne/fig-10-panel-3", run: |s| panel(s, 2), ..PANEL };

/// One hidden layer of 20, ReLU.
pub const FOURTH: Check = Check { claim: "mnemosyne/fig-10-panel-4", run: |s| panel(s, 3), ..PANEL };

fn panel(s: &Sheet, at: usize) -> Done {
    s.shared_draw(KEPT);
    let task = FIGURE_10[at];
    let (steps, seeds) = sizes(s)?;
    let of = |recipe| finished(s, recipe, task, steps, seeds);
    let (ours, lstm) = (of("default")?, of("default-lstm")?);
    let lower = s.printed(Margin::ZERO).of("draws").scaled_down();
    let change = |from, to| widest(ours.iter().map(|runs| paired_difference(&logs(runs, to), &logs(runs, from))));
    lower.at_most("log loss after 100 steps minus that at the start", change(0, TRAINED)?);
    lower.at_most(format!("log loss after {steps} steps minus that at the start"), change(0, steps)?);
    let beside = s.aside(Margin::ZERO).of("draws").scaled_down();
    beside.at_most(format!("log loss after {steps} steps minus that after 100"), change(TRAINED, steps)?);
    for rival in WRITTEN {
        let (plain, best) = (at_default(s, rival, task)?, best(s, rival, task, TRAINED, (steps, seeds))?);
        for (theirs, rate) in [(plain, "default"), (best, "best")] {
            let theirs = logs(&theirs, TRAINED);
            let ahead = widest(ours.iter().map(|runs| paired_difference(&logs(runs, TRAINED), &theirs)))?;
            beside
                .at_most(format!("after 100 steps: log loss minus that of {} at its {rate} rate", rival.name()), ahead);
        }
    }
    let pairs = ours.iter().zip(lstm.iter());
    let apart = widest(pairs.map(|(a, b)| paired_difference(&logs(a, steps), &logs(b, steps))))?;
    let label = format!("after {steps} steps: log loss minus that of the LSTM");
    beside.at_most(label, apart);

    let uphill = by_training_times(s, "default", task, TRAINED, -1.0)?;
    let wrong = paired_difference(&logs(&uphill, TRAINED), &logs(&uphill, 0))?;
    let label = "gradients with the sign turned: log loss after 100 steps minus that at the start";
    s.twin(Margin::ZERO).at_most(label, wrong);
    let by_step = curves(s, task, losses(""), |run| run.looks.iter().map(|step| *step as f64).collect())?;
    s.figure(Figure::new(IN_WORDS[at]).panel(by_step).caption(MEANS));
    Ok(())
}

/// Steps, and draws of start and batches.
fn sizes(s: &Sheet) -> Result<(usize, u64), Failure> {
    Ok((s.knob("steps", s.scale().pick(200, 1000), TRAINED..)?, s.knob("draws", s.scale().pick(5, 8), 2..)?))
}

fn at_default(s: &Sheet, rival: Rival, task: &str) -> Result<Arc<Vec<Run>>, Failure> {
    let (steps, seeds) = sizes(s)?;
    at_rate(s, (rival, rival.default_rate()), task, steps, seeds)
}

/// The four networks in words, in the order of [`FIGURE_10`].
const IN_WORDS: [&str; 4] = [
    "One hidden layer of 20, sigmoid",
    "Two hidden layers of 20, sigmoid",
    "One hidden layer of 40, sigmoid",
    "One hidden layer of 20, ReLU",
];

const MEANS: &str =
    "Geometric means: Mnemosyne and LSTM over four trainings each, all over the same draws of start and batches.";

/// The losses of all rules on one network, against what `at` reads of a run for each look.
fn curves(s: &Sheet, task: &str, mut panel: Panel, at: fn(&Run) -> Vec<f64>) -> Result<Panel, Failure> {
    let (steps, seeds) = sizes(s)?;
    let mut draw = |name: &str, runs: &[&Run]| {
        let (_, losses) = curve(runs);
        let all: Vec<Vec<f64>> = runs.iter().map(|run| at(run)).collect();
        let x: Vec<f64> = (1..losses.len()).map(|k| all.iter().map(|x| x[k]).sum::<f64>() / all.len() as f64).collect();
        panel = panel.clone().line(name, &x, &losses[1..]);
    };
    for (recipe, name) in [("default", "Mnemosyne"), ("default-lstm", "LSTM")] {
        draw(name, &finished(s, recipe, task, steps, seeds)?.iter().flatten().collect::<Vec<_>>());
    }
    for rival in WRITTEN {
        let fast = best(s, rival, task, TRAINED, (steps, seeds))?;
        draw(&format!("{}, best at step 100", rival.name()), &fast.iter().collect::<Vec<_>>());
        draw(&format!("{}, default", rival.name()), &at_default(s, rival, task)?.iter().collect::<Vec<_>>());
    }
    Ok(panel)
}

/// Faster, and as good in the end.
pub const FASTER: Check = Check {
    claim: "mnemosyne/fig-10-faster",
    metric: "log validation loss, Mnemosyne minus a rival, mean of the four networks: after 100 steps (faster) and at the end (similar)",
    against: "rivals that are ahead after 100 steps, or at the end",
    choices: &[
        "four trainings, two of them at quick scale; 200 steps at quick scale, 1,000 at paper scale",
        "fast is the loss after 100 steps, the length of the roll-outs in training",
        DATA,
    ],
    rivals: &[BEST, AS_THEY_COME],
    settled: "the loss after 100 steps, beside the best rates, of twelve optimizers of the printed size: images of 28 x 28, six networks with three ViTs, rate 3e-4 until the meta-loss stays; at our size more draws only turn what is undecided into a result against it",
    run: faster,
    ..PANEL
};

fn faster(s: &Sheet) -> Done {
    s.shared_draw(KEPT);
    let (steps, seeds) = sizes(s)?;
    let early = s.printed(Margin::ZERO).of("draws").scaled_down();
    for rival in WRITTEN {
        let name = rival.name();
        let ahead = |step| move |ours: &Run, theirs: &Run| log_loss(ours, step) - log_loss(theirs, step);
        let at_best = |step| over_networks(s, |task| best(s, rival, task, step, (steps, seeds)), ahead(step));
        let plain = over_networks(s, |task| at_default(s, rival, task), ahead(TRAINED))?;
        early.at_most(format!("after 100 steps: log loss minus that of {name} at its default rate"), plain);
        early.at_most(format!("after 100 steps: log loss minus that of {name} at its best rate"), at_best(TRAINED)?);
        let label = format!("after {steps} steps: log loss minus that of {name} at its best rate");
        early.at_most(label, at_best(steps)?);
        // A rule that stalled at step 100 would be behind by all that the rival gains from there on.
        let stalls = |ours: &Run, theirs: &Run| {
            log_loss(ours, steps) - 0.5 * (log_loss(theirs, steps) + log_loss(theirs, TRAINED))
        };
        let behind = over_networks(s, |task| best(s, rival, task, steps, (steps, seeds)), stalls)?;
        let label = format!(
            "at the end: log loss minus that of {name} at its best rate, less half of what {name} gains after step 100"
        );
        s.aside(Margin::ZERO).of("draws").scaled_down().at_most(label, behind);
    }
    let wrong = widest(FIGURE_10.iter().map(|task| -> Result<Estimate, Failure> {
        let uphill = by_training_times(s, "default", task, TRAINED, -1.0)?;
        let adam = at_rate(s, (Rival::Adam, Rival::Adam.default_rate()), task, TRAINED, uphill.len() as u64)?;
        Ok(paired_difference(&logs(&uphill, TRAINED), &logs(&adam, TRAINED))?)
    }))?;
    let label = "gradients with the sign turned, after 100 steps: log loss minus that of Adam at its default rate";
    s.twin(Margin::ZERO).of("draws").at_most(label, wrong);
    s.table(table(s)?);
    let mut by_time = Figure::new("The same runs against processor time, gradients included").columns(2).caption(MEANS);
    for (task, name) in FIGURE_10.into_iter().zip(IN_WORDS) {
        let panel = losses(name).x_label("seconds on one core");
        by_time = by_time.panel(curves(s, task, panel, Run::seconds)?);
    }
    s.figure(by_time);
    Ok(())
}

/// Mean over the four networks of a number of each run beside that of a rival, with an interval that spans the trainings.
fn over_networks(
    s: &Sheet,
    rival: impl Fn(&str) -> Result<Arc<Vec<Run>>, Failure>,
    beside: impl Fn(&Run, &Run) -> f64,
) -> Result<Estimate, Failure> {
    let (steps, seeds) = sizes(s)?;
    let mut sums: Vec<Vec<f64>> = Vec::new();
    for task in FIGURE_10 {
        let (ours, theirs) = (finished(s, "default", task, steps, seeds)?, rival(task)?);
        sums.resize(ours.len(), vec![0.0; theirs.len()]);
        for (sums, runs) in sums.iter_mut().zip(ours.iter()) {
            let each = runs.iter().zip(theirs.iter()).map(|(ours, theirs)| beside(ours, theirs));
            sums.iter_mut().zip(each).for_each(|(sum, d)| *sum += d / FIGURE_10.len() as f64);
        }
    }
    widest(sums.iter().map(|each| mean(each)))
}

fn table(s: &Sheet) -> Result<Table, Failure> {
    let (steps, seeds) = sizes(s)?;
    let mut rows = Vec::new();
    for task in FIGURE_10 {
        let ours = finished(s, "default", task, steps, seeds)?;
        let all: Vec<f64> = ours.iter().flat_map(|runs| logs(runs, TRAINED)).collect();
        let late: Vec<f64> = ours.iter().flat_map(|runs| logs(runs, steps)).collect();
        let mut row: Vec<f64> = [all, late].map(|logs| (logs.iter().sum::<f64>() / logs.len() as f64).exp()).to_vec();
        for rival in WRITTEN {
            row.extend([tuned(s, rival, task, TRAINED)?.best, tuned(s, rival, task, steps)?.best]);
        }
        rows.push((task, row));
    }
    let headings = [
        "network",
        "Mnemosyne, 100",
        "Mnemosyne, end",
        "Adam's rate, 100",
        "Adam's rate, end",
        "RMSprop's rate, 100",
        "RMSprop's rate, end",
    ];
    let title = "Validation loss of Mnemosyne after 100 steps and at the end, and the best rates of its rivals there";
    Ok(table_of(&headings, &rows)?.title(title).digits(2))
}

/// Steps after which the LSTM is said to struggle.
const FEW_HUNDRED: usize = 300;
/// Draws of start and batches for each training at paper scale.
const DRAWS: u64 = 4;
const ON_FOUR: &str = "each training on four draws at paper scale; with one draw, as at first, seeds differed in whether the first two findings were decided";
/// Where the cell of Figure 10 stands beside its LSTM.
const ITS_OWN: &str = "Figure 10 is of the cell of B.1; beside an LSTM of as many weights it stands in the rows of the four panels, undecided in each";

/// Thousands of steps, and the LSTM.
pub const LONG_HORIZON: Check = Check {
    claim: "mnemosyne/fig-10-lstm",
    metric: "log validation loss at the end minus that after 300 steps, mean of four networks, and Mnemosyne minus LSTM in that; Mnemosyne minus LSTM at the end",
    against: "Mnemosyne's loss rises after 300 steps; the LSTM's falls as far; the LSTM ends as low",
    protocol: &["roll-outs of 100 steps in training; networks of Figure 10"],
    choices: &[
        "light cell and LSTM, twelve trainings each, pairs of the same seed",
        "a few hundred steps are 300; 200 and 500 stand beside it, the latter at paper scale",
        "400 steps at quick scale and 2,000 at paper scale",
        DATA,
        TRAININGS,
        ON_FOUR,
    ],
    departures: &[SCALED, LIGHT, ITS_OWN, RATE, OPEN, LOST, BANK],
    settled: "the same numbers after 2,000 steps, each training on four draws: paper scale",
    rivals: &["an LSTM of two layers with as many trained weights, the same losses, scaling, batches and meta-steps"],
    run: long_horizon,
    ..Check::DEFAULT
};

fn long_horizon(s: &Sheet) -> Done {
    s.shared_draw(KEPT);
    let steps = s.knob("steps", s.scale().pick(FEW_HUNDRED + TRAINED, 2000), FEW_HUNDRED..)?;
    let runs = (steps, s.scale().pick(1, DRAWS));
    let at = |recipe, step| over_tasks_and_draws(s, recipe, networks(s), runs, step);
    let change = |recipe, from| -> Result<Vec<f64>, Failure> {
        Ok(at(recipe, steps)?.iter().zip(at(recipe, from)?).map(|(late, early)| late - early).collect())
    };
    let further =
        |from| -> Result<Estimate, Failure> { Ok(paired_difference(&change("light", from)?, &change("lstm", from)?)?) };
    let printed = s.printed(Margin::ZERO).of("trainings").scaled_down();
    let label = "Mnemosyne: log loss at the end minus that after 300 steps";
    printed.at_most(label, mean(&change("light", FEW_HUNDRED)?)?);
    printed.at_most("change of the log loss after 300 steps, Mnemosyne minus LSTM", further(FEW_HUNDRED)?);
    let ends = paired_difference(&at("light", steps)?, &at("lstm", steps)?)?;
    printed.at_most("log loss at the end, Mnemosyne minus LSTM", ends);
    let aside = s.aside(Margin::ZERO).of("trainings").scaled_down();
    aside.at_least("LSTM: log loss at the end minus that after 300 steps", mean(&change("lstm", FEW_HUNDRED)?)?);
    for from in [200, 500].into_iter().filter(|from| *from < steps) {
        aside.at_most(format!("change of the log loss after {from} steps, Mnemosyne minus LSTM"), further(from)?);
    }
    for task in networks(s) {
        let at = |step| over_tasks_and_draws(s, "light", &[*task], runs, step);
        let label = format!("Mnemosyne on {task}: log loss at the end minus that after 300 steps");
        aside.at_most(label, paired_difference(&at(steps)?, &at(FEW_HUNDRED)?)?);
    }
    let reversed = paired_difference(&at("light", TRAINED)?, &at("lstm", steps)?)?;
    let label = "Mnemosyne after 100 steps for its end, minus the LSTM at its end";
    s.twin(Margin::ZERO).of("trainings").at_most(label, reversed);

    let mut figure = Figure::new("The light cell and the LSTM, far beyond their training")
        .columns(2)
        .caption("Geometric means over the trainings of each, the same losses, batches and meta-steps.");
    for task in [FIGURE_10[0], FIGURE_10[3]] {
        let panel = side_by_side(s, task, &[("light", "Mnemosyne, light"), ("lstm", "LSTM")], steps)?;
        figure = figure.panel(panel.vline("a few hundred", FEW_HUNDRED as f64));
    }
    s.figure(figure);
    Ok(())
}
