//! A GPU against the machine's own cores: the same losses, gradients and runs, then seconds per step beside what the device needs at best.
//!
//! ```console
//! $ cargo run --features cuda --example gpu_agreement -- 0 --out tables    # device 0; tables as CSV
//! $ cargo run --example gpu_agreement -- --rehearse                        # what a device would compute, here, at small sizes
//! ```
//!
//! Whatever can multiply matrices on the device ([`Multiplication`](workbench_tensors::Multiplication)) is compared, and timed in turns.
//! `--quick` takes the small sizes on a device too, `--times` leaves the comparisons out, `--only softmax,64,256,8,1024` times one size (d, n,
//! layers, prompts) and nothing else, as a profiler wants it, and `--faults` lets the device fail in every way that
//! can be had and nothing else.
//!
//! Ends with status 1 when a number differs by more than the tolerance beside it, or a fault ends otherwise than it should. `benches/full_gpu.py` computes one small case in
//! PyTorch and times it at the same sizes.

mod agreement;
mod ended;
mod faults;
mod same;
mod tables;
mod timings;

use agreement::{Agreement, RUNS, Sizes, compare, compare_runs};
use std::error::Error;
use std::path::PathBuf;
use timings::{floor, time};
use workbench_tensors::{AttentionKind, Processor};

/// Sizes at which losses, predictions and gradients are compared: the documents', narrow and wide ones, fewer examples than dimensions.
const COMPARED: [Sizes; 4] = [Sizes(5, 20, 3, 1500), Sizes(1, 4, 2, 40), Sizes(20, 12, 4, 64), Sizes(64, 256, 8, 24)];
const QUICK: [Sizes; 3] = [Sizes(5, 20, 3, 600), Sizes(1, 4, 2, 40), Sizes(18, 12, 2, 8)];
/// And runs, beside those of `agreement`.
const QUICK_RUNS: [Sizes; 1] = [Sizes(2, 6, 2, 16)];
/// And computed by another program.
const SAME: Sizes = Sizes(3, 6, 2, 5);
/// And times.
const TIMED: [(AttentionKind, Sizes); 5] = [
    (AttentionKind::Linear, Sizes(5, 20, 3, 1000)),
    (AttentionKind::Linear, Sizes(5, 20, 3, 20_000)),
    (AttentionKind::Linear, Sizes(64, 256, 8, 4096)),
    (AttentionKind::Softmax, Sizes(5, 20, 3, 1000)),
    (AttentionKind::Softmax, Sizes(64, 256, 8, 1024)),
];
const QUICK_TIMES: [(AttentionKind, Sizes); 3] = [
    (AttentionKind::Linear, Sizes(5, 20, 3, 1000)),
    (AttentionKind::Softmax, Sizes(5, 20, 3, 1000)),
    (AttentionKind::Softmax, Sizes(64, 128, 1, 32)),
];

struct Request {
    processor: Processor,
    folder: Option<PathBuf>,
    quick: bool,
    times: bool,
    only: Option<(AttentionKind, Sizes)>,
    faults: bool,
}

/// `linear,5,20,3,1000`.
fn only(text: &str) -> Option<(AttentionKind, Sizes)> {
    let (attention, sizes) = match text.split_once(',')? {
        ("linear", sizes) => (AttentionKind::Linear, sizes),
        ("softmax", sizes) => (AttentionKind::Softmax, sizes),
        _ => return None,
    };
    let sizes: Vec<usize> = sizes.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
    match sizes[..] {
        [d, n, layers, prompts] => Some((attention, Sizes(d, n, layers, prompts))),
        _ => None,
    }
}

fn request(mut arguments: impl Iterator<Item = String>) -> Result<Request, Box<dyn Error>> {
    let (mut processor, mut folder) = (Processor::Cuda(0), None);
    let (mut quick, mut times, mut faults, mut one) = (false, false, false, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rehearse" => (processor, quick) = (Processor::Rehearsal, true),
            "--quick" => quick = true,
            "--times" => times = true,
            "--faults" => faults = true,
            "--only" => {
                let text = arguments.next().unwrap_or_default();
                let size = only(&text)
                    .ok_or_else(|| format!("--only {text:?}: it wants linear,D,N,LAYERS,PROMPTS or softmax,..."))?;
                (times, one) = (true, Some(size));
            }
            "--out" => folder = Some(arguments.next().ok_or("--out needs a folder")?.into()),
            index => {
                let usage = || {
                    format!(
                        "{index:?} is no device; usage: gpu_agreement [INDEX] [--out DIR] [--quick] [--times] [--only SIZE] [--faults] [--rehearse]"
                    )
                };
                processor = Processor::Cuda(index.parse().map_err(|_| usage())?);
            }
        }
    }
    Ok(Request { processor, folder, quick, times, only: one, faults })
}

fn run(request: &Request) -> Result<bool, Box<dyn Error>> {
    let (processor, folder, quick) = (request.processor, request.folder.as_deref(), request.quick);
    processor.open()?;
    println!("on {processor}");
    if let (true, Processor::Cuda(index)) = (request.faults, processor) {
        let faults = faults::all(processor, index)?;
        let holds = faults.iter().filter(|fault| fault.holds).count();
        println!("{holds} of {} faults end as they should", faults.len());
        tables::faults(folder, &faults)?;
        return Ok(holds == faults.len());
    }
    let mut agreements: Vec<Agreement> = Vec::new();
    let (compared, runs): (&[Sizes], &[Sizes]) = match (request.times, quick) {
        (true, _) => (&[], &[]),
        (false, true) => (&QUICK, &QUICK_RUNS),
        (false, false) => (&COMPARED, &RUNS),
    };
    for sizes in compared {
        agreements.extend(compare(processor, *sizes)?);
    }
    for sizes in runs {
        agreements.extend(compare_runs(processor, *sizes, 1000)?);
    }
    let holds = agreements.iter().filter(|a| a.holds()).count();
    // Times alone leave an earlier table of comparisons as it is.
    if !request.times {
        println!("{holds} of {} comparisons hold", agreements.len());
        tables::agreements(folder, &agreements)?;
    }
    for attention in [AttentionKind::Linear, AttentionKind::Softmax] {
        same::write(processor, SAME, attention, folder)?;
    }
    let floor = floor(processor, if quick { 256 } else { 4096 })?;
    println!("{floor:?}");
    let sizes = match &request.only {
        Some(one) => std::slice::from_ref(one),
        None if quick => &QUICK_TIMES,
        None => &TIMED[..],
    };
    let mut times = Vec::new();
    for (attention, sizes) in sizes {
        let timings = time(processor, *sizes, *attention, 30, &floor)?;
        for timing in &timings {
            println!(
                "{attention:?}, {sizes:?} (d, n, L, B), {:?}: {:.3} ms a step, of which the device needs {:.0} % at best",
                timing.multiplication,
                1e3 * timing.median,
                100.0 * timing.share()
            );
        }
        for timing in &timings[1..] {
            let times = timings[0].median / timing.median;
            println!("  {:?}: {times:.2} times as fast as {:?}", timing.multiplication, timings[0].multiplication);
        }
        times.extend(timings);
    }
    tables::timings(folder, &processor.to_string(), &floor, &times)?;
    Ok(holds == agreements.len())
}

fn main() -> Result<(), Box<dyn Error>> {
    // An error as a sentence: what `main` returns would be printed in the compiler's form.
    match request(std::env::args().skip(1)).and_then(|request| run(&request)) {
        Ok(true) => Ok(()),
        Ok(false) => {
            eprintln!("the device differs from the machine's own cores");
            std::process::exit(1)
        }
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2)
        }
    }
}
