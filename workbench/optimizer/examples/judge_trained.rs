//! The kept optimizers on tasks that none of them was trained on, without tuning:
//! `cargo run --example judge_trained -- [FOLDER [THREADS [RECIPE]]]`.
//!
//! 1. RECIPE, `practical` if none is named, each of its trainings, beside Adam at the single rate that is best for all of these tasks together (a grid of eleven,
//!    chosen on draws of their own): mean log validation loss after 100, 1,000 and 5,000 steps, minus that of Adam, for each kind of
//!    network; the least and the largest over trainings and draws; runs that diverged.
//! 2. For `default` also the other recipes of the document, one training each, after 100 and 1,000 steps: what the cell, the loss, the
//!    scaling and the tasks of the training have to do with it.
//!
//! About a quarter of an hour on two cores.

use rayon::prelude::*;
use workbench_ground::stats::Streams;
use workbench_optimizer::bank::{Bank, Recipe, Trained};
use workbench_optimizer::classical::{Adam, AdamSettings};
use workbench_optimizer::score::{Protocol, Purpose, Run, Tuned, rates, run_each, tune};
use workbench_optimizer::task::Task;
use workbench_optimizer::tasks::{Network, Suite, Supervised, UNSEEN};
use workbench_optimizer::{Error, Layout, Optimizer};

/// Looks: every hundred steps, and each counts from here on.
const LOOKS: [usize; 3] = [100, 1000, 5000];
/// Draws of start and batches for the comparison at 1,000 steps; the first of them goes on to 5,000.
const DRAWS: u64 = 2;

fn protocol(steps: usize) -> Protocol {
    Protocol { steps, every: 100, batches: 8 }
}

/// MLP, convolution, ViT or masked language model.
fn kind(name: &str) -> &'static str {
    match name.split('-').next() {
        Some("conv") => "convolution",
        Some("vit") => "ViT",
        Some("text") => "masked text",
        _ => "MLP",
    }
}

const KINDS: [&str; 4] = ["MLP", "convolution", "ViT", "masked text"];

fn adam(rate: f64, layout: Layout) -> Result<Adam, Error> {
    Adam::new(layout, AdamSettings { rate, ..AdamSettings::default() })
}

/// Runs with an optimizer, side by side: the tasks, then the draws.
fn runs(
    tasks: &[Supervised<Network>],
    (steps, draws): (usize, u64),
    streams: &Streams,
    make: impl Fn(Layout) -> Result<Box<dyn Optimizer>, Error> + Sync,
) -> Result<Vec<Vec<Run>>, Error> {
    let seeds: Vec<u64> = (0..draws).collect();
    let each = |task: &Supervised<Network>| {
        run_each(task, &protocol(steps), (streams, Purpose::Evaluation), &seeds, |_| make(Layout::new(task.tensors())?))
    };
    tasks.par_iter().map(each).collect()
}

/// Log validation losses minus those of Adam, of all tasks of a kind.
fn behind(ours: &[Vec<Run>], adam: &[Vec<Run>], of: &str, step: usize) -> Vec<f64> {
    let pairs = ours.iter().zip(adam).zip(UNSEEN).filter(|(_, name)| kind(name) == of);
    let logs = |run: &Run| run.at(step).max(1e-12).ln();
    pairs
        .flat_map(|((ours, adam), _)| ours.iter().zip(adam))
        .filter(|(ours, _)| ours.looks.last() >= Some(&step))
        .map(|(ours, adam)| logs(ours) - logs(adam))
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn shown(values: &[f64]) -> String {
    if values.is_empty() {
        return "-".to_string();
    }
    let (low, high) = (
        values.iter().copied().fold(f64::INFINITY, f64::min),
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    format!("{:+.2} ({low:+.2} to {high:+.2})", mean(values))
}

fn best_rate(tasks: &[Supervised<Network>], streams: &Streams) -> Result<Tuned, Error> {
    let all: Vec<&Supervised<Network>> = tasks.iter().collect();
    let grid = rates(1e-4, 1e-1, 11)?;
    // All tasks have layouts of their own: the optimizer is made when its first gradient comes.
    let make = |rate: f64| {
        let mut adam_here: Option<Adam> = None;
        move |_: usize, theta: &mut [f64], gradient: &[f64]| {
            let adam_here = match &mut adam_here {
                Some(made) => made,
                none => none.insert(adam(rate, Layout::of(&[("all", &[theta.len()])])?)?),
            };
            adam_here.step(theta, gradient)
        }
    };
    tune(&all, &protocol(1000), streams, 1, &grid, make, |run| run.last().max(1e-12).ln())
}

fn judge(folder: &str, name: &str) -> Result<(), Error> {
    let (suite, bank, streams) = (Suite::new(folder), Bank::new(folder), Streams::new(1));
    let tasks = suite.tasks(&UNSEEN)?;
    let tuned = best_rate(&tasks, &streams)?;
    let edge = if tuned.at_edge { ", at the edge of the grid" } else { "" };
    println!("Adam's best single rate: {:.4}{edge}\n", tuned.best);
    let by_adam =
        |steps, draws| runs(&tasks, (steps, draws), &streams, |layout| Ok(Box::new(adam(tuned.best, layout)?)));
    let (long, short) = (by_adam(5000, 1)?, by_adam(1000, DRAWS)?);

    println!(
        "log validation loss of `{name}` minus that of Adam: mean (least to largest over trainings, tasks and draws)\n"
    );
    println!("| network | 100 steps | 1,000 steps | 5,000 steps |\n| --- | --- | --- | --- |");
    let by =
        |trained: &Trained, steps, draws| runs(&tasks, (steps, draws), &streams, |layout| trained.optimizer(layout));
    let all = bank.get(name)?;
    let (mut far, mut near) = (Vec::new(), Vec::new());
    for trained in all.iter() {
        far.push(by(trained, 5000, 1)?);
        near.push(by(trained, 1000, DRAWS)?);
    }
    for of in KINDS {
        let cells = LOOKS.map(|step| {
            let (ours, adam) = if step > 1000 { (&far, &long) } else { (&near, &short) };
            let each: Vec<f64> = ours.iter().flat_map(|ours| behind(ours, adam, of, step)).collect();
            shown(&each)
        });
        println!("| {of} | {} |", cells.join(" | "));
    }
    let lost = |all: &[Vec<Vec<Run>>]| all.iter().flatten().flatten().filter(|run| run.diverged.is_some()).count();
    println!("\nruns of `{name}` that diverged within 5,000 steps: {} of {}", lost(&far), all.len() * tasks.len());
    let adam_lost = long.iter().flatten().filter(|run| run.diverged.is_some()).count();
    println!("of Adam: {adam_lost} of {}\n", tasks.len());
    println!(
        "| task | Adam after 1,000 | `{name}`, mean | after 5,000: Adam | `{name}` |\n| --- | --- | --- | --- | --- |"
    );
    for (i, name) in UNSEEN.iter().enumerate() {
        let at = |all: &[Vec<Vec<Run>>], step| {
            let losses: Vec<f64> = all.iter().flat_map(|tasks| &tasks[i]).map(|run| run.at(step)).collect();
            mean(&losses)
        };
        let (one, five) = (short[i].iter().map(|run| run.at(1000)).collect::<Vec<_>>(), long[i][0].at(5000));
        println!("| {name} | {:.3} | {:.3} | {five:.3} | {:.3} |", mean(&one), at(&near, 1000), at(&far, 5000));
    }

    for (step, ours, adam) in [(100, &near, &short), (1000, &near, &short), (5000, &far, &long)] {
        let logs = |run: &Run| run.at(step).max(1e-12).ln();
        let mean_of = |runs: &[Run]| mean(&runs.iter().map(logs).collect::<Vec<f64>>());
        let apart: Vec<f64> = (0..UNSEEN.len())
            .map(|i| mean(&ours.iter().map(|tasks| mean_of(&tasks[i])).collect::<Vec<f64>>()) - mean_of(&adam[i]))
            .collect();
        let ahead = apart.iter().filter(|apart| **apart < 0.0).count();
        println!("after {step}: ahead of Adam on {ahead} of {} tasks, {:+.3} in the mean", UNSEEN.len(), mean(&apart));
    }
    if name != "default" {
        return Ok(());
    }

    println!("\nthe first training of each recipe, one draw: log validation loss minus that of Adam\n");
    println!(
        "| recipe | MLP, 100 | MLP, 1,000 | convolution | ViT | masked text | diverged |\n| --- | --- | --- | --- | --- | --- | --- |"
    );
    for recipe in Recipe::all() {
        let trained = bank.get(recipe.name)?;
        let Some(first) = trained.first() else { continue };
        let ours = by(first, 1000, 1)?;
        let cell = |of, step| {
            let each = behind(&ours, &short, of, step);
            format!("{:+.2}", mean(&each))
        };
        let lost = ours.iter().flatten().filter(|run| run.diverged.is_some()).count();
        println!(
            "| {} | {} | {} | {} | {} | {} | {lost} |",
            recipe.name,
            cell("MLP", 100),
            cell("MLP", 1000),
            cell("convolution", 1000),
            cell("ViT", 1000),
            cell("masked text", 1000)
        );
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let folder = args.first().map_or("datasets", String::as_str);
    let threads = args.get(1).and_then(|threads| threads.parse().ok()).unwrap_or(2);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::refused("judge", error.to_string(), "ask for fewer threads"))?;
    let name = args.get(2).map_or("practical", String::as_str);
    pool.install(|| judge(folder, name))
}
