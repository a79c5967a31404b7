//! Adam and a learned rule on candle variables of a GPU: twenty steps, and the same twenty on the machine's own cores.
//!
//! ```console
//! $ cargo run --features cuda --example device_door -- 0 --out tables    # device 0; a table as CSV
//! ```
//!
//! Ends with status 1 when a variable differs in a bit.

mod steps;

use candle_core::Device;
use std::error::Error;
use std::path::PathBuf;

fn run(mut arguments: impl Iterator<Item = String>) -> Result<bool, Box<dyn Error>> {
    let (mut index, mut folder) = (0, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--out" => folder = Some(PathBuf::from(arguments.next().ok_or("--out needs a folder")?)),
            other => {
                let usage = |_| format!("{other:?} is no device; usage: device_door [INDEX] [--out DIR]");
                index = other.parse().map_err(usage)?;
            }
        }
    }
    let all = steps::both(&Device::new_cuda(index)?)?;
    let mut table = String::from("rule,numbers,variables_that_differ,moved\n");
    for steps in &all {
        let (rule, dtype, differ, moved) = (steps.rule, steps.dtype.as_str(), steps.differ, steps.moved);
        println!("{rule}, {dtype}: {differ} variables differ after 20 steps, which moved them by {moved:.3} at most");
        table += &format!("{rule},{dtype},{differ},{moved}\n");
    }
    if let Some(folder) = folder {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("door.csv"), table)?;
    }
    Ok(all.iter().all(|steps| steps.differ == 0 && steps.moved > 0.0))
}

fn main() {
    // An error as a sentence: what `main` returns would be printed in the compiler's form.
    std::process::exit(match run(std::env::args().skip(1)) {
        Ok(true) => 0,
        Ok(false) => {
            eprintln!("the device differs from the machine's own cores");
            1
        }
        Err(error) => {
            eprintln!("{error}");
            2
        }
    })
}
