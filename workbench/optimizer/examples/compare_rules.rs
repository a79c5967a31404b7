//! Rules side by side on a list of tasks: `cargo run --example compare_rules -- FOLDER LIST STEPS DRAWS THREADS RULE...`.
//!
//! | argument | what it is |
//! | --- | --- |
//! | LIST | `practice`, the tasks that `practical` is trained on, with draws for tuning; `figure-10`, the networks of that figure on |
//! | | images of 28 x 28, or `unseen`, both with draws for evaluation |
//! | RULE | `adam:RATE`, `rmsprop:RATE`; `kept:RECIPE`, the first kept training of a recipe, `kept:RECIPE:3` the third; `masked:RECIPE`, the same without the updates of parameters |
//! | | whose gradient is zero; `odd:RECIPE`, half the difference of what it answers to the gradients and to their opposites |
//! | | `course:RECIPE:FILE`, what a training of that recipe has come to |
//! | FILE | its checkpoint; empty for the rule at its start |
//!
//! Prints the mean log validation loss of each rule on each task after 100, 1,000 and 5,000 steps, as far as STEPS goes, and below the
//! table of each look the mean over tasks and on how many tasks the rule is below the first.

use std::path::Path;

use rayon::prelude::*;
use workbench_ground::stats::Streams;
use workbench_optimizer::bank::{Course, PRACTICE, Recipe, Trained, trained};
use workbench_optimizer::classical::{Adam, AdamSettings, RmsProp, RmsPropSettings};
use workbench_optimizer::score::{Protocol, Purpose, run_each};
use workbench_optimizer::task::Task;
use workbench_optimizer::tasks::{FIGURE_10, Suite, UNSEEN};
use workbench_optimizer::{Error, Layout, Optimizer, Saved};

const LOOKS: [usize; 4] = [100, 300, 1000, 5000];

/// A rule that is ready for any layout.
enum Rule {
    Adam(f64),
    RmsProp(f64),
    Masked(String),
    Odd(String),
    Trained(Box<Trained>),
}

fn bad(text: &str) -> Error {
    let next = "write adam:0.01, kept:default or course:practical:FILE";
    Error::refused("compare_rules", format!("`{text}` names no rule"), next)
}

fn rule(text: &str, suite: &Suite) -> Result<Rule, Error> {
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        ["adam", rate] => Ok(Rule::Adam(rate.parse().map_err(|_| bad(text))?)),
        ["rmsprop", rate] => Ok(Rule::RmsProp(rate.parse().map_err(|_| bad(text))?)),
        ["kept", name] => Ok(Rule::Trained(Box::new(trained(name)?[0].clone()))),
        ["kept", name, at] => {
            let at = at.parse().ok().and_then(|at: usize| at.checked_sub(1)).ok_or_else(|| bad(text))?;
            Ok(Rule::Trained(Box::new(trained(name)?.get(at).ok_or_else(|| bad(text))?.clone())))
        }
        ["masked", name] => Ok(Rule::Masked(name.to_string())),
        ["odd", name] => Ok(Rule::Odd(name.to_string())),
        ["course", name, file] => {
            let recipe = Recipe::named(name)?;
            let saved = if file.is_empty() { None } else { Some(Saved::read(Path::new(file))?) };
            let seed = saved.as_ref().and_then(|saved| saved.settings.last()).map_or(1, |seed| *seed as u64);
            let tasks = suite.tasks(recipe.tasks)?;
            let mut course = Course::begin(&recipe, &tasks, seed)?;
            saved.map_or(Ok(()), |saved| course.restore(&saved))?;
            Ok(Rule::Trained(Box::new(course.trained())))
        }
        _ => Err(bad(text)),
    }
}

impl Rule {
    fn optimizer(&self, layout: Layout) -> Result<Box<dyn Optimizer>, Error> {
        Ok(match self {
            Rule::Adam(rate) => Box::new(Adam::new(layout, AdamSettings { rate: *rate, ..AdamSettings::default() })?),
            Rule::RmsProp(rate) => {
                Box::new(RmsProp::new(layout, RmsPropSettings { rate: *rate, ..RmsPropSettings::default() })?)
            }
            Rule::Masked(name) => Box::new(Masked(trained(name)?[0].optimizer(layout)?)),
            Rule::Odd(name) => {
                let one = || trained(name)?[0].optimizer(layout.clone());
                Box::new(Odd([one()?, one()?]))
            }
            Rule::Trained(rule) => rule.optimizer(layout)?,
        })
    }
}

/// A rule that leaves alone what has no gradient.
#[derive(Debug)]
struct Masked(Box<dyn Optimizer>);

impl Optimizer for Masked {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn layout(&self) -> &Layout {
        self.0.layout()
    }
    fn step(&mut self, theta: &mut [f64], gradient: &[f64]) -> Result<(), Error> {
        let before = theta.to_vec();
        self.0.step(theta, gradient)?;
        let still = theta.iter_mut().zip(before).zip(gradient).filter(|(_, g)| **g == 0.0);
        still.for_each(|((x, before), _)| *x = before);
        Ok(())
    }
    fn may_refuse_updates(&self) -> bool {
        self.0.may_refuse_updates()
    }
    fn steps(&self) -> u64 {
        self.0.steps()
    }
    fn state_len(&self) -> usize {
        self.0.state_len()
    }
    fn save(&self) -> Saved {
        self.0.save()
    }
    fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        self.0.restore(saved)
    }
}

/// Half of what a rule answers to gradients less what it answers to their opposites: nothing where there is none.
#[derive(Debug)]
struct Odd([Box<dyn Optimizer>; 2]);

impl Optimizer for Odd {
    fn name(&self) -> &'static str {
        self.0[0].name()
    }
    fn layout(&self) -> &Layout {
        self.0[0].layout()
    }
    fn step(&mut self, theta: &mut [f64], gradient: &[f64]) -> Result<(), Error> {
        let (mut plus, mut minus) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
        let opposite: Vec<f64> = gradient.iter().map(|g| -g).collect();
        self.0[0].step(&mut plus, gradient)?;
        self.0[1].step(&mut minus, &opposite)?;
        theta.iter_mut().zip(plus.iter().zip(minus)).for_each(|(x, (a, b))| *x += 0.5 * (a - b));
        Ok(())
    }
    fn may_refuse_updates(&self) -> bool {
        self.0[0].may_refuse_updates()
    }
    fn steps(&self) -> u64 {
        self.0[0].steps()
    }
    fn state_len(&self) -> usize {
        2 * self.0[0].state_len()
    }
    fn save(&self) -> Saved {
        Saved { parts: self.0.iter().map(Optimizer::save).collect(), ..self.0[0].save() }
    }
    fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        self.0.iter_mut().zip(&saved.parts).try_for_each(|(rule, part)| rule.restore(part))
    }
}

fn compare(args: &[String]) -> Result<(), Error> {
    let (suite, steps) = (Suite::new(&args[0]), args[2].parse().map_err(|_| bad(&args[2]))?);
    let draws: u64 = args[3].parse().map_err(|_| bad(&args[3]))?;
    let printed = FIGURE_10.map(|name| name.replace("mnist-7", "mnist-28"));
    let (names, purpose): (Vec<&str>, Purpose) = match args[1].as_str() {
        "practice" => (PRACTICE.to_vec(), Purpose::Tuning),
        "figure-10" => (printed.iter().map(String::as_str).collect(), Purpose::Evaluation),
        _ => (UNSEEN.to_vec(), Purpose::Evaluation),
    };
    let tasks = suite.tasks(&names)?;
    let rules = args[5..].iter().map(|text| rule(text, &suite)).collect::<Result<Vec<Rule>, Error>>()?;
    let looks: Vec<usize> = LOOKS.into_iter().filter(|look| *look <= steps).collect();
    let protocol = Protocol { steps, every: 100, batches: 8 };
    let streams = Streams::new(1);
    let cases: Vec<(usize, usize, u64)> = (0..tasks.len())
        .flat_map(|task| (0..rules.len()).map(move |rule| (task, rule)))
        .flat_map(|(task, rule)| (0..draws).map(move |draw| (task, rule, draw)))
        .collect();
    let one = |&(task, rule, draw): &(usize, usize, u64)| -> Result<(Vec<f64>, f64), Error> {
        let (task, rule) = (&tasks[task], &rules[rule]);
        let make = |_| rule.optimizer(Layout::new(task.tensors())?);
        let runs = run_each(task, &protocol, (&streams, purpose), &[draw], make)?;
        let logs = looks.iter().map(|look| runs[0].at(*look).max(1e-12).ln()).collect();
        Ok((logs, runs[0].optimizer_seconds.last().copied().unwrap_or(0.0)))
    };
    let done = cases.par_iter().map(one).collect::<Result<Vec<_>, Error>>()?;
    let of = |task: usize, rule: usize, look: usize| {
        let same = cases.iter().zip(&done).filter(|((t, r, _), _)| (*t, *r) == (task, rule));
        same.map(|(_, (logs, _))| logs[look]).sum::<f64>() / draws as f64
    };
    for (r, text) in args[5..].iter().enumerate() {
        let own = cases.iter().zip(&done).filter(|((_, of, _), _)| *of == r);
        println!("rule {r}: {text}, {:.1} s in the rule", own.map(|(_, (_, seconds))| seconds).sum::<f64>());
    }
    for (l, look) in looks.iter().enumerate() {
        println!("\nafter {look}");
        let row = |task| (0..rules.len()).map(move |r| of(task, r, l)).collect::<Vec<f64>>();
        let shown = |values: &[f64]| values.iter().map(|x| format!("{x:8.3}")).collect::<String>();
        let rows: Vec<Vec<f64>> = (0..tasks.len()).map(row).collect();
        rows.iter().zip(&names).for_each(|(row, name)| println!("{name:40}{}", shown(row)));
        let mean = |r: usize| rows.iter().map(|row| row[r]).sum::<f64>() / rows.len() as f64;
        println!("{:40}{}", "mean", shown(&(0..rules.len()).map(mean).collect::<Vec<_>>()));
        let below = |r: usize| format!("{:8}", rows.iter().filter(|row| row[r] < row[0]).count());
        println!("{:40}{}", "below the first", (0..rules.len()).map(below).collect::<String>());
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.len() < 6 {
        return Err(bad(&args.join(" ")));
    }
    let threads = args[4].parse().unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::refused("compare_rules", error.to_string(), "ask for fewer threads"))?;
    pool.install(|| compare(&args))
}
