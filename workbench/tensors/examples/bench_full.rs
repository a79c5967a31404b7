//! Times training steps of memformers with free P and Q; `benches/full.py` runs it beside PyTorch on the same prompts from the same start.
//!
//! `bench_full FOLDER d n L B RATE` reads x.f32 (B, n, d), query.f32 and truth.f32 (B, d), full.f32 and block.f32 (L, 2, d + 1, d + 1: P, then
//! Q, all entries trained or the d x d blocks only). Each line `KIND PRECISION STEPS` on standard input, such as `full single 20`, is
//! answered with the losses of so many steps; `KIND PRECISION time SECONDS` with the seconds per step in that time; `floor SECONDS` with
//! the seconds that the multiplications of a step on cores would take in single precision at the processor's peak, all entries trained.

use ndarray::{Array2, Array3};
use std::collections::HashMap;
use std::error::Error;
use std::io::BufRead;
use std::time::Instant;
use workbench_ground::lanes::multiply_adds_a_second;
use workbench_ground::stats::Streams;
use workbench_ground::work::{Observer, Step};
use workbench_memformer::{Head, Part, Phase, Precision, Prompts, TaskLaw, Trainer, TrainingProtocol};
use workbench_tensors::{Entries, FullArchitecture, FullParameters, Processor, TokenBatch};

struct Losses(Vec<f64>);

impl Observer for Losses {
    fn observe(&mut self, step: Step) {
        self.0.extend(step.value);
    }
}

struct Bench {
    folder: String,
    layers: usize,
    rate: f64,
    prompts: Prompts,
}

impl Bench {
    fn numbers(folder: &str, name: &str) -> Result<Vec<f64>, Box<dyn Error>> {
        let bytes = std::fs::read(format!("{folder}/{name}.f32"))?;
        let float = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        Ok(bytes.chunks_exact(4).map(float).collect())
    }

    /// A run on the prompts that never ends by itself.
    fn trainer(&self, kind: &str, precision: &str) -> Result<Trainer<FullParameters>, Box<dyn Error>> {
        let d = self.prompts.dim();
        let entries = if kind == "block" { Entries::Block } else { Entries::All };
        let architecture = FullArchitecture::new(self.layers, d)?.with_entries(entries, entries);
        let mut start = FullParameters::neutral(architecture);
        let square = (d + 1) * (d + 1);
        let values = Bench::numbers(&self.folder, kind)?;
        for (l, pair) in values.chunks_exact(2 * square).enumerate() {
            let matrix = |i: usize| Array2::from_shape_vec((d + 1, d + 1), pair[i * square..][..square].to_vec());
            start.set_head(l, 0, &Head::new(matrix(0)?, matrix(1)?)?)?;
        }
        let precision = if precision == "double" { Precision::Double } else { Precision::Single };
        let parts = [Part::UpperBlocks, Part::Preconditioners];
        let protocol = TrainingProtocol::rotated().with_phases(vec![Phase::new(&parts, usize::MAX, self.rate)]);
        let mut stream = Streams::new(1).stream("run")?;
        let mut trainer = start.trainer(TaskLaw::isotropic(d)?, protocol, Processor::Cpu, &mut stream)?;
        trainer.hold(TokenBatch::new(&self.prompts, precision, Processor::Cpu)?)?;
        Ok(trainer)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, sizes @ .., rate] = &arguments[..] else {
        return Err("usage: bench_full FOLDER d n L B RATE".into());
    };
    let sizes: Vec<usize> = sizes.iter().map(|v| v.parse()).collect::<Result<_, _>>()?;
    let [d, n, layers, batch] = sizes[..] else {
        return Err("usage: bench_full FOLDER d n L B RATE".into());
    };
    let prompts = Prompts::from_parts(
        Array3::from_shape_vec((batch, n, d), Bench::numbers(folder, "x")?)?,
        Array2::from_shape_vec((batch, d), Bench::numbers(folder, "query")?)?,
        Array2::from_shape_vec((batch, d), Bench::numbers(folder, "truth")?)?,
    )?;
    let bench = Bench { folder: folder.clone(), layers, rate: rate.parse()?, prompts };
    let mut runs: HashMap<String, Trainer<FullParameters>> = HashMap::new();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let numbers: Vec<f64> = match line.split_whitespace().collect::<Vec<_>>()[..] {
            [kind, precision, "time", seconds] => {
                let key = format!("{kind} {precision}");
                if !runs.contains_key(&key) {
                    runs.insert(key.clone(), bench.trainer(kind, precision)?);
                }
                let run = runs.get_mut(&key).ok_or("no such run")?;
                let (seconds, begun, mut times) = (seconds.parse::<f64>()?, Instant::now(), Vec::new());
                while begun.elapsed().as_secs_f64() < seconds || times.is_empty() {
                    let started = Instant::now();
                    run.run_for(1)?;
                    times.push(started.elapsed().as_secs_f64());
                }
                times
            }
            ["floor", seconds] => {
                let seconds = seconds.parse()?;
                // With the cheaper form: six products of the side of a matrix and five over all tokens for each prompt and layer, or eleven
                // of the side, of which the first layer spares three and the last all.
                let (w, t) = (d + 1, n + 1);
                let over_tokens = layers * (6 * w.pow(3) + 5 * w * w * t);
                let work = batch * over_tokens.min((11 * layers).saturating_sub(14) * w.pow(3));
                vec![work as f64 / multiply_adds_a_second(seconds)]
            }
            [kind, precision, steps] => {
                let (mut run, mut losses) = (bench.trainer(kind, precision)?, Losses(Vec::new()));
                for _ in 0..steps.parse::<usize>()? {
                    run.run_for_watched(1, &mut losses)?;
                }
                losses.0
            }
            _ => {
                return Err(format!(
                    "{line:?} is not `KIND PRECISION STEPS`, `KIND PRECISION time SECONDS` or `floor SECONDS`"
                )
                .into());
            }
        };
        println!("{}", numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
    }
    Ok(())
}
