//! Times linear attention and its own matrix products, one run per request, so that another program can be timed in turn.
//!
//! ```console
//! $ cargo run --example bench_linear_attention            # medians of 15 runs
//! $ cargo workbench bench attention                       # in turn with PyTorch
//! ```
//!
//! With `--serve FOLDER` it writes its inputs there (`q.f32`, `k.f32`, `v.f32`, `w.f32`, row-major), then answers each line of
//! standard input (`forward`, `causal` or `products`) with the seconds of one run; `compare NAME` compares `NAME.f32` in the folder
//! with its own last result of that name and answers with the largest difference.

use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use ndarray::Array2;
use rayon::prelude::*;
use workbench::features::{Direction, Draws, FeatureMap, LinearAttention};
use workbench::stats::{Streams, normal_f32};
use workbench_ground::lanes::multiply;

const TOKENS: usize = 16_384;
const DIM: usize = 64;
const FEATURES: usize = 256;
const TILE: usize = 64;

struct Bench {
    attention: LinearAttention,
    q: Array2<f32>,
    k: Array2<f32>,
    v: Array2<f32>,
    /// (FEATURES, DIM), and transposed.
    w: Vec<f32>,
    columns: Vec<f32>,
    last: Array2<f32>,
    /// What the products alone are written to: no allocation is timed with them.
    room: Vec<f32>,
}

impl Bench {
    fn new() -> Result<Bench, Box<dyn Error>> {
        let streams = Streams::new(1);
        let draws = Draws::block_orthogonal(FEATURES, DIM, &mut streams.stream("projections")?)?;
        let tokens = |name: &str, scale: f32| -> Result<Array2<f32>, Box<dyn Error>> {
            let values = normal_f32(&mut streams.stream(name)?, TOKENS * DIM);
            Ok(Array2::from_shape_vec((TOKENS, DIM), values)? * scale)
        };
        // Queries and keys scaled by d^(-1/4), as softmax attention has it.
        let scale = (DIM as f32).powf(-0.25);
        Ok(Bench {
            w: draws.rows().iter().map(|w| *w as f32).collect(),
            columns: draws.rows().t().iter().map(|w| *w as f32).collect(),
            attention: LinearAttention::unscaled(&FeatureMap::favor_plus(draws)?)?,
            q: tokens("queries", scale)?,
            k: tokens("keys", scale)?,
            v: tokens("values", 1.0)?,
            last: Array2::zeros((1, 1)),
            room: vec![0.0; TOKENS * DIM],
        })
    }

    fn seconds(&mut self, what: &str) -> Result<f64, Box<dyn Error>> {
        let direction = match what {
            "forward" => Direction::Bidirectional,
            "causal" => Direction::Causal,
            "products" => return Ok(self.products()),
            _ => return Err(format!("unknown request {what:?}; use forward, causal or products").into()),
        };
        let started = Instant::now();
        let out = self.attention.forward(&self.q, &self.k, &self.v, direction)?;
        let seconds = started.elapsed().as_secs_f64();
        self.last = out;
        Ok(seconds)
    }

    /// The four matrix products of bidirectional attention alone, on the same tiles: two projections, K^T V, and the read.
    fn products(&mut self) -> f64 {
        let Bench { q, k, v, columns, room, .. } = self;
        let [q, k, v] = [q, k, v].map(|x| x.as_slice().unwrap_or_default());
        let started = Instant::now();
        let sums: Vec<Vec<f32>> = k
            .par_chunks(2048 * DIM)
            .zip(v.par_chunks(2048 * DIM))
            .map_init(
                || vec![0.0f32; TILE * FEATURES],
                |z, (k, v)| {
                    let mut sum = vec![0.0f32; FEATURES * DIM];
                    for (k, v) in k.chunks(TILE * DIM).zip(v.chunks(TILE * DIM)) {
                        multiply([TILE, DIM, FEATURES], (k, [DIM, 1]), (columns, FEATURES), (z, FEATURES), false);
                        multiply([FEATURES, TILE, DIM], (z, [1, FEATURES]), (v, DIM), (&mut sum, DIM), true);
                    }
                    sum
                },
            )
            .collect();
        room.par_chunks_mut(TILE * DIM).zip(q.par_chunks(TILE * DIM)).for_each_init(
            || vec![0.0f32; TILE * FEATURES],
            |z, (out, q)| {
                multiply([TILE, DIM, FEATURES], (q, [DIM, 1]), (columns, FEATURES), (z, FEATURES), false);
                multiply([TILE, FEATURES, DIM], (z, [FEATURES, 1]), (&sums[0], DIM), (out, DIM), false);
            },
        );
        std::hint::black_box(room);
        started.elapsed().as_secs_f64()
    }
}

fn write(path: &Path, values: impl Iterator<Item = f32>) -> std::io::Result<()> {
    let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
    std::fs::write(path, bytes)
}

fn largest_difference(path: &Path, ours: &Array2<f32>) -> Result<f32, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    if bytes.len() != 4 * ours.len() {
        return Err(format!("{} has {} bytes, {} expected", path.display(), bytes.len(), 4 * ours.len()).into());
    }
    let theirs = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    Ok(theirs.zip(ours).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut bench = Bench::new()?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {
            for what in ["forward", "causal", "products"] {
                let mut times = Vec::new();
                for _ in 0..15 {
                    times.push(bench.seconds(what)?);
                }
                times.sort_by(f64::total_cmp);
                println!("{what}: median {:.1} ms, best {:.1} ms", 1e3 * times[7], 1e3 * times[0]);
            }
        }
        ["--serve", folder] => {
            let folder = Path::new(folder);
            for (name, x) in [("q", &bench.q), ("k", &bench.k), ("v", &bench.v)] {
                write(&folder.join(format!("{name}.f32")), x.iter().copied())?;
            }
            write(&folder.join("w.f32"), bench.w.iter().copied())?;
            println!("ready");
            for line in std::io::stdin().lock().lines() {
                let line = line?;
                match line.split_once(' ') {
                    Some(("compare", name)) => {
                        let path = folder.join(format!("{name}.f32"));
                        println!("{}", largest_difference(&path, &bench.last)?);
                    }
                    _ => println!("{}", bench.seconds(&line)?),
                }
                std::io::stdout().flush()?;
            }
        }
        _ => return Err("use no argument, or --serve FOLDER".into()),
    }
    Ok(())
}
