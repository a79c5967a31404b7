//! Times the learned optimizer, its rivals and the limits of the machine, so that another program can be timed in turn.
//!
//! ```console
//! $ cargo run --example bench_optimizer           # nanoseconds for each coordinate, on one thread
//! $ cargo workbench bench optimizer               # in turn with PyTorch
//! ```
//!
//! With `--serve FOLDER DATASETS` it writes its weights, its gradients and what it makes of them to FOLDER, then answers each line of
//! standard input with one number. CELL is `default`, `light` or `lstm`; times are medians of what is repeated for so many seconds.
//!
//! | line | answer |
//! | --- | --- |
//! | `step CELL N SECONDS` | seconds of a step on N coordinates |
//! | `meta N SECONDS` | seconds of a window of five steps with the exact gradient of its loss |
//! | `rollout` | seconds of a meta-training roll-out of 100 steps on an MLP 49-20-10 |
//! | `adam N SECONDS`, `pass N SECONDS` | seconds of a step of Adam; of a loop that moves the same numbers |
//! | `floor CELL SECONDS` | seconds of the cell's multiply-adds for one coordinate, as fast as this processor can do any |
//! | `memory N` | most bytes resident, after two steps of the default cell on N coordinates |

mod machine;
mod subjects;

use std::io::{BufRead, Write};
use std::path::Path;

use rayon::ThreadPoolBuilder;
use subjects::{Outcome, Subjects};
use workbench::optimizer::Precision;
use workbench_ground::lanes::multiply_adds_a_second;

/// Coordinates of the gradients that are written.
const MOST: usize = 15_910;

fn write(path: &Path, values: impl IntoIterator<Item = f64>) -> std::io::Result<()> {
    let bytes: Vec<u8> = values.into_iter().flat_map(|value| (value as f32).to_le_bytes()).collect();
    std::fs::write(path, bytes)
}

/// What another program needs to do the same, and what comes of it here.
fn export(subjects: &Subjects, folder: &Path) -> Outcome<()> {
    let gradients = subjects.gradients(MOST)?;
    write(&folder.join("gradients.f32"), gradients.iter().flatten().copied())?;
    for name in ["default", "lstm"] {
        let (layout, weights) = subjects.weights(name)?;
        let line = |tensor: &workbench::optimizer::Tensor| {
            let shape = tensor.shape.iter().map(|size| format!(" {size}"));
            format!("{}{}\n", tensor.name, shape.collect::<String>())
        };
        let names: String = layout.tensors().iter().map(line).collect();
        std::fs::write(folder.join(format!("{name}.names")), names)?;
        write(&folder.join(format!("{name}.f32")), weights.iter().copied())?;
        let updates = subjects.updates(name, &gradients)?;
        write(&folder.join(format!("{name}-updates.f32")), updates)?;
    }
    write(&folder.join("start.f32"), subjects.start(MOST)?)?;
    for n in [1_210, MOST] {
        write(&folder.join(format!("windows-{n}.f32")), subjects.windows(n, 2)?)?;
    }
    Ok(())
}

fn answer(subjects: &Subjects, datasets: &Path, line: &str) -> Outcome<f64> {
    match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["step", cell, n, seconds] => subjects.step(cell, Precision::Single, n.parse()?, seconds.parse()?),
        ["meta", n, seconds] => subjects.meta(n.parse()?, seconds.parse()?),
        ["rollout"] => subjects.rollout(datasets),
        ["adam", n, seconds] => subjects::adam(n.parse()?, seconds.parse()?),
        ["pass", n, seconds] => machine::pass(n.parse()?, seconds.parse()?),
        ["floor", cell, seconds] => Ok(subjects.multiply_adds(cell)? / multiply_adds_a_second(seconds.parse()?)),
        ["memory", n] => subjects.memory(n.parse()?),
        _ => Err(format!("no such request: {line}").into()),
    }
}

fn serve(folder: &Path, datasets: &Path) -> Outcome<()> {
    let subjects = Subjects::new()?;
    export(&subjects, folder)?;
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        println!("{}", answer(&subjects, datasets, &line?)?);
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn list() -> Outcome<()> {
    let subjects = Subjects::new()?;
    for cell in ["default", "light", "lstm"] {
        let floor = subjects.multiply_adds(cell)? / multiply_adds_a_second(0.2);
        for n in [1_210, MOST] {
            let each = |precision| -> Outcome<f64> { Ok(1e9 * subjects.step(cell, precision, n, 1.0)? / n as f64) };
            let (plain, fused) = (each(Precision::Double)?, each(Precision::Single)?);
            println!(
                "{cell:8} {n:6} coordinates: plain {plain:7.0} ns, fused {fused:6.1} ns, its multiply-adds {:5.1} ns",
                1e9 * floor
            );
        }
    }
    for n in [1_210, MOST] {
        println!("window of five, {n:6} coordinates: {:6.1} ns a step", 1e9 * subjects.meta(n, 1.0)? / (5 * n) as f64);
    }
    let n = 10_000_000;
    let (adam, pass) = (subjects::adam(n, 2.0)?, machine::pass(n, 2.0)?);
    println!(
        "adam {n} coordinates: {:.2} ns, a loop that moves the same numbers {:.2} ns",
        1e9 * adam / n as f64,
        1e9 * pass / n as f64
    );
    Ok(())
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // Within the pool no step waits for another thread to wake.
    match arguments[..] {
        [] => ThreadPoolBuilder::new().num_threads(1).build()?.install(list),
        ["--serve", folder, datasets] => {
            ThreadPoolBuilder::new().build()?.install(|| serve(Path::new(folder), Path::new(datasets)))
        }
        _ => Err("use no argument, or --serve FOLDER DATASETS".into()),
    }
}
