//! Trains the optimizers of `datasets/` anew: `cargo run --example train_optimizers -- FOLDER [NAME [THREADS]]`.
//!
//! Without a name all recipes are trained, which takes about half an hour on two cores. The same recipe gives the same bytes.

use std::path::Path;

use rayon::prelude::*;
use workbench_optimizer::Error;
use workbench_optimizer::bank::{Recipe, Trained};
use workbench_optimizer::tasks::Suite;

fn make(recipe: &Recipe, folder: &Path) -> Result<(), Error> {
    let suite = Suite::new(folder);
    let seeds: Vec<u64> = (1..=recipe.seeds).collect();
    // Each training stays on one thread; several run side by side.
    let one = |seed: u64| -> Result<Trained, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| Error::refused("train", error.to_string(), "try again"))?;
        pool.install(|| recipe.train(&suite, seed))
    };
    let trained = seeds.par_iter().map(|seed| one(*seed)).collect::<Result<Vec<_>, _>>()?;
    let (path, bytes) = (folder.join(recipe.file()), recipe.save(&trained).to_bytes());
    std::fs::write(&path, bytes)
        .map_err(|error| Error::file("train", &path, error, "choose a folder that can be written to"))
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let folder = args.first().map_or("datasets", String::as_str);
    let recipes = match args.get(1).map(String::as_str) {
        None | Some("all") => Recipe::all(),
        Some(name) => vec![Recipe::named(name)?],
    };
    let threads = args.get(2).and_then(|threads| threads.parse().ok()).unwrap_or(2);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::refused("train", error.to_string(), "ask for fewer threads"))?;
    pool.install(|| {
        for recipe in recipes {
            let start = std::time::Instant::now();
            make(&recipe, Path::new(folder))?;
            println!("{}: {} in {:.0} s", recipe.file(), recipe.title, start.elapsed().as_secs_f64());
        }
        Ok(())
    })
}
