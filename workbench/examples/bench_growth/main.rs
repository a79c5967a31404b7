//! Runs one computation of the crate at one size, for `cargo workbench bench growth`, and fits what many such runs gave.
//!
//! ```console
//! $ cargo run --example bench_growth -- error-inputs 1000000     # a row of the table, a size
//! loops 412 pace 1.5e-3 bytes 51380224
//! $ cargo workbench bench growth                                 # all rows at all sizes, in turn
//! ```
//!
//! Each point has a process of its own, on one thread: what counts is the time that the thread spent on a processor, the least of
//! several repetitions, in units of a loop whose seconds stand beside it; bytes the most that were resident beyond what the process held before the inputs were made; inputs and results are in them.
//! With `--fit FOLDER` it reads lines `room,row,quantity,size,value` from standard input, answers each curve with a line
//! `row,quantity,exponent,low,high,local exponents`, and draws all of them to `growth.svg` in FOLDER. `--copy LINES` times the learned
//! rule's step beside a copy of the same bytes.

mod copy;
mod features;
mod fit;
mod gradient_memory;
mod memformer;
mod memory;
mod meter;
mod optimizer;
mod tensors;

use std::error::Error;
use std::path::Path;

use meter::Meter;

/// How much smaller the computation is that goes before, and its size at most: what it leaves free would hide memory of the one that counts.
const WARM: (usize, usize) = (32, 4096);

/// Any error of any room.
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A computation at a size: it makes its inputs, and gives what is measured to the meter.
type Computation = fn(usize, &mut Meter) -> Outcome<()>;

/// The computation of a row.
fn named(name: &str) -> Outcome<Computation> {
    let rooms = [memory::ROWS, features::ROWS, gradient_memory::ROWS, memformer::ROWS, tensors::ROWS, optimizer::ROWS];
    let found = rooms.iter().flat_map(|rows| rows.iter()).find(|row| row.0 == name);
    let all = || rooms.iter().flat_map(|rows| rows.iter().map(|row| row.0)).collect::<Vec<_>>().join(", ");
    found.map(|row| row.1).ok_or_else(|| format!("no row {name:?}; there are {}", all()).into())
}

fn point(name: &str, size: usize) -> Outcome<()> {
    let computation = named(name)?;
    // The one thread of the pool is this one: its clock sees all the work.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    // A small one first, so that its code and the pool's are there before memory counts; where it is too small for any, nothing is lost.
    let _ = computation((size / WARM.0).min(WARM.1), &mut Meter::once());
    let mut meter = Meter::started()?;
    computation(size, &mut meter)?;
    let [loops, pace, bytes] = meter.measured()?;
    println!("loops {loops:e} pace {pace:e} bytes {bytes:.0}");
    Ok(())
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--fit", folder] => fit::read_and_draw(Path::new(folder)),
        ["--copy", coordinates, turns] => copy::beside(coordinates.parse()?, turns.parse()?),
        [name, size] => point(name, size.parse()?),
        _ => Err("use ROW SIZE, --fit FOLDER, or --copy COORDINATES TURNS".into()),
    }
}
