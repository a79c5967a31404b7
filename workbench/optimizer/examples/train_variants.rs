//! Trains the variants whose curves `datasets/` keeps: `cargo run --example train_variants -- FOLDER [THREADS [NAME...]]`.
//!
//! With names only those are trained anew, and the others stay. All of them take about forty minutes on one core. The same processor
//! gives the same file.

use std::path::Path;

use rayon::prelude::*;
use workbench_optimizer::Error;
use workbench_optimizer::curves::{FILE, Kept, MetaTrainingCurve, Variant};
use workbench_optimizer::tasks::Suite;

/// Each training stays on one thread; several run side by side.
fn train(variant: &Variant, suite: &Suite) -> Result<Vec<MetaTrainingCurve>, Error> {
    let one = |seed: u64| -> Result<MetaTrainingCurve, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| Error::refused("train", error.to_string(), "try again"))?;
        pool.install(|| variant.train(suite, seed))
    };
    (1..=variant.trainings).into_par_iter().map(one).collect()
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(args.first().map_or("datasets", String::as_str));
    let threads = args.get(1).and_then(|threads| threads.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::refused("train", error.to_string(), "ask for fewer threads"))?;
    pool.install(|| {
        let suite = Suite::new(folder);
        let mut variants = Variant::all()?;
        let names = args.get(2..).unwrap_or_default();
        let mut kept = if names.is_empty() { Kept::default() } else { Kept::read(folder)? };
        variants.retain(|variant| names.is_empty() || names.contains(&variant.name));
        // The fast ones first.
        variants.sort_by_key(|variant| variant.form.encoders);
        for variant in variants {
            let start = std::time::Instant::now();
            kept.add(&variant, train(&variant, &suite)?);
            println!("{}: {:.0} s", variant.name, start.elapsed().as_secs_f64());
            let path = folder.join(FILE);
            std::fs::write(&path, kept.to_csv())
                .map_err(|error| Error::file("train", &path, error, "choose a folder that can be written to"))?;
        }
        Ok(())
    })
}
