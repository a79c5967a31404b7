//! Times training steps of the restricted memformer; `benches/lfom.py` runs it beside PyTorch on the same prompts from the same start.
//!
//! `bench_lfom FOLDER KIND B STEPS` reads x.f32 (B, 20, 5), query.f32 and truth.f32 (B, 5), start.f32 (3, 2, 5, 5: blocks of P, then Q),
//! takes STEPS steps and prints their losses as one line. Then each line `single SECONDS` or `double SECONDS` on standard input is
//! answered with the seconds per step, in blocks of ten, in that time, and `floor SECONDS` with the seconds that the multiply-adds of a
//! step would take at the processor's peak. KIND is `gd` (upper blocks held at zero) or `upper`.

use ndarray::{Array2, Array3};
use std::error::Error;
use std::io::BufRead;
use std::time::Instant;
use workbench::memformer::{
    Architecture, Batch, Parameters, Part, Phase, Precision, Prompts, Statistics, TaskLaw, Trainer, TrainingProtocol,
};
use workbench::ndarray;
use workbench::stats::Streams;
use workbench::work::{Observer, Step};
use workbench_ground::lanes::multiply_adds_a_second;

const LAYERS: usize = 3;
const N: usize = 20;
const D: usize = 5;
/// Steps that are timed together: one takes some microseconds.
const BLOCK: usize = 10;

struct Losses(Vec<f64>);

impl Observer for Losses {
    fn observe(&mut self, step: Step) {
        self.0.extend(step.value);
    }
}

fn numbers(folder: &str, name: &str) -> Result<Vec<f64>, Box<dyn Error>> {
    let bytes = std::fs::read(format!("{folder}/{name}.f32"))?;
    let float = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    Ok(bytes.chunks_exact(4).map(float).collect())
}

/// Multiply-adds of a step: for each prompt and layer a gradient and its preconditioner, and three products of their size on the way back.
/// Where the examples move too, three products of (d, d) matrices for all layers but the last, and twice as many on the way back.
fn multiply_adds(kind: &str, batch: usize) -> f64 {
    let moved = if kind == "upper" { (LAYERS - 1) * 9 * D.pow(3) } else { 0 };
    (batch * (LAYERS * 5 * D * D + moved)) as f64
}

/// A run on these prompts that never ends by itself.
fn trainer(statistics: &Statistics, start: &Parameters, precision: Precision) -> Result<Trainer, Box<dyn Error>> {
    let parts = [Part::Preconditioners, Part::UpperBlocks];
    let protocol = TrainingProtocol::rotated().with_phases(vec![Phase::new(&parts, usize::MAX, 0.02)]);
    let mut stream = Streams::new(1).stream("run")?;
    let mut trainer = Trainer::from_parameters(start.clone(), TaskLaw::isotropic(D)?, protocol, &mut stream)?;
    trainer.hold(Batch::new(statistics, precision)?)?;
    Ok(trainer)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, kind, batch, steps] = &arguments[..] else {
        return Err("usage: bench_lfom FOLDER gd|upper B STEPS".into());
    };
    let (batch, steps): (usize, usize) = (batch.parse()?, steps.parse()?);
    let mut architecture = Architecture::new(LAYERS, D)?;
    if kind == "upper" {
        architecture = architecture.with_upper_block();
    }
    let statistics = Prompts::from_parts(
        Array3::from_shape_vec((batch, N, D), numbers(folder, "x")?)?,
        Array2::from_shape_vec((batch, D), numbers(folder, "query")?)?,
        Array2::from_shape_vec((batch, D), numbers(folder, "truth")?)?,
    )?
    .statistics()?;
    let mut start = Parameters::neutral(architecture);
    for (l, blocks) in numbers(folder, "start")?.chunks_exact(2 * D * D).enumerate() {
        let block = |i: usize| Array2::from_shape_vec((D, D), blocks[i * D * D..][..D * D].to_vec());
        if kind == "upper" {
            start.set_b(l, &block(0)?)?;
        }
        // The public code pairs Q's rows with the token that moves, its columns with the examples; and Q = -A.
        start.set_a(l, &-block(1)?.t().to_owned())?;
    }
    let mut run = trainer(&statistics, &start, Precision::Single)?;
    let mut losses = Losses(Vec::new());
    for _ in 0..steps {
        run.run_for_watched(1, &mut losses)?;
    }
    println!("{}", losses.0.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
    let mut runs = [trainer(&statistics, &start, Precision::Single)?, trainer(&statistics, &start, Precision::Double)?];
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (name, seconds) =
            line.split_once(' ').ok_or("lines are `single SECONDS`, `double SECONDS` or `floor SECONDS`")?;
        if name == "floor" {
            let seconds = seconds.parse()?;
            println!("{:.4e}", multiply_adds(kind, batch) / multiply_adds_a_second(seconds));
            continue;
        }
        let run = &mut runs[usize::from(name == "double")];
        let (seconds, begun, mut times) = (seconds.parse::<f64>()?, Instant::now(), Vec::new());
        while begun.elapsed().as_secs_f64() < seconds {
            let started = Instant::now();
            run.run_for(BLOCK)?;
            times.push(started.elapsed().as_secs_f64() / BLOCK as f64);
        }
        println!("{}", times.iter().map(|t| format!("{t:.4e}")).collect::<Vec<_>>().join(","));
    }
    Ok(())
}
