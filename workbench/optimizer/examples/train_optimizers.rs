//! Trains the optimizers of `datasets/` anew: `cargo run --example train_optimizers -- FOLDER [NAME [THREADS]]`.
//!
//! Without a name all recipes are trained, which takes about half an hour on two cores. The same recipe gives the same bytes.
//!
//! A long training goes on from a file, and may be cut off at any time:
//! `cargo run --example train_optimizers -- FOLDER --recipe NAME --seed S --to WINDOWS --checkpoint FILE [--every WINDOWS]`.
//! It stays on one thread, prints a line at each checkpoint (windows, mean loss of a step, mean squared distance from the expert's
//! updates, roll-outs given up, seconds of processor time of this program), and ends with a sum over the checkpoint's bytes, which is
//! the same whether it was cut off or not. Checkpoints of all seeds, in their order, become the file of the bank and its curves by
//! `cargo run --example train_optimizers -- FOLDER --recipe NAME --keep FILE...`.

use std::path::Path;

use rayon::prelude::*;
use workbench_ground::work::Unwatched;
use workbench_optimizer::bank::{Course, Recipe, Trained};
use workbench_optimizer::score::cpu_seconds;
use workbench_optimizer::tasks::Suite;
use workbench_optimizer::{Error, Saved};

fn make(recipe: &Recipe, folder: &Path) -> Result<(), Error> {
    let suite = Suite::new(folder);
    let seeds: Vec<u64> = (1..=recipe.seeds).collect();
    // Each training stays on one thread; several run side by side.
    let one = |seed: u64| -> Result<Trained, Error> { pool(1)?.install(|| recipe.train(&suite, seed)) };
    let trained = seeds.par_iter().map(|seed| one(*seed)).collect::<Result<Vec<_>, _>>()?;
    let (path, bytes) = (folder.join(recipe.file()), recipe.save(&trained).to_bytes());
    std::fs::write(&path, bytes)
        .map_err(|error| Error::file("train", &path, error, "choose a folder that can be written to"))
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Error::refused("train", error.to_string(), "ask for fewer threads"))
}

/// The value after a name, as `--seed 3`.
fn option<'a>(args: &'a [String], name: &str) -> Option<&'a str> {
    args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).map(String::as_str)
}

fn number(args: &[String], name: &str, otherwise: u64) -> Result<u64, Error> {
    let Some(text) = option(args, name) else { return Ok(otherwise) };
    text.parse()
        .map_err(|_| Error::refused("train", format!("{name} {text} is no whole number"), "write as --to 10000"))
}

/// One training, from its file if there is one.
fn go_on(folder: &str, name: &str, args: &[String]) -> Result<(), Error> {
    let recipe = Recipe::named(name)?;
    let (seed, to) = (number(args, "--seed", 1)?, number(args, "--to", recipe.steps)?);
    let every = number(args, "--every", 200)?.max(1);
    let file = option(args, "--checkpoint");
    let path =
        file.ok_or_else(|| Error::refused("train", "no file to keep the training in", "add --checkpoint FILE"))?;
    let (path, tasks) = (Path::new(path), Suite::new(folder).tasks(recipe.tasks)?);
    let mut course = Course::begin(&recipe, &tasks, seed)?;
    if path.exists() {
        course.restore(&Saved::read(path)?)?;
        println!("{name}, seed {seed}: on from window {}", course.windows());
    }
    let mut keep = |course: &Course<'_>| {
        let [task, imitation] = course.curve().points().last().copied().unwrap_or_default();
        let (windows, lost, seconds) = (course.windows(), course.lost(), cpu_seconds());
        println!("{windows}\t{task:.4}\t{imitation:.3e}\t{lost}\t{seconds:.0}");
        course.save().write(path)
    };
    course.run(to, every, &mut keep, &mut Unwatched)?;
    let bytes = course.save().to_bytes();
    let sum =
        bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |sum, b| (sum ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    println!("{name}, seed {seed}: {} windows, sum {sum:016x}", course.windows());
    Ok(())
}

/// Finished trainings become the file of the bank, and a table of their curves.
fn keep(folder: &str, name: &str, files: &[String]) -> Result<(), Error> {
    let recipe = Recipe::named(name)?;
    let tasks = Suite::new(folder).tasks(recipe.tasks)?;
    let mut trained = Vec::new();
    let mut table = String::from("recipe,seed,window,task,imitation\n");
    for (file, seed) in files.iter().zip(1..) {
        let mut course = Course::begin(&recipe, &tasks, seed)?;
        course.restore(&Saved::read(Path::new(file))?)?;
        if course.windows() != recipe.steps {
            let problem = format!("{file} has {} windows of {}", course.windows(), recipe.steps);
            return Err(Error::refused("train", problem, format!("go on with --to {}", recipe.steps)));
        }
        let each = course.curve().each();
        for ([task, imitation], at) in course.curve().points().iter().zip(1..) {
            table.push_str(&format!("{name},{seed},{},{task:.4},{imitation:.3e}\n", at * each));
        }
        trained.push(course.trained());
    }
    recipe.save(&trained).write(&Path::new(folder).join(recipe.file()))?;
    let path = Path::new(folder).join(format!("curves-{name}.csv"));
    std::fs::write(&path, table)
        .map_err(|error| Error::file("train", &path, error, "choose a folder that can be written to"))
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let folder = args.first().map_or("datasets", String::as_str);
    if let Some(name) = option(&args, "--recipe") {
        if let Some(at) = args.iter().position(|arg| arg == "--keep") {
            return keep(folder, name, &args[at + 1..]);
        }
        return pool(1)?.install(|| go_on(folder, name, &args));
    }
    let recipes = match args.get(1).map(String::as_str) {
        None | Some("all") => Recipe::all(),
        Some(name) => vec![Recipe::named(name)?],
    };
    let threads = args.get(2).and_then(|threads| threads.parse().ok()).unwrap_or(2);
    pool(threads)?.install(|| {
        for recipe in recipes {
            let start = std::time::Instant::now();
            make(&recipe, Path::new(folder))?;
            println!("{}: {} in {:.0} s", recipe.file(), recipe.title, start.elapsed().as_secs_f64());
        }
        Ok(())
    })
}
