//! The two rotated runs of the public code of preconditioned gradient descent, whole: three layers, d = 5, n = 20, B = 20,000, fresh
//! prompts every 100 steps, standard deviations (1, 1, 1/2, 1/4, 1) turned at random.
//!
//! ```console
//! $ cargo run --example rotated_runs                        # upper blocks held at zero, 30,000 steps, seeds 1 2 3
//! $ cargo run --example rotated_runs upper 1 2 3            # upper blocks trained, 100,000 steps
//! $ cargo run --example rotated_runs upper --steps 20000 1  # the same schedule, shortened
//! ```
//!
//! For each seed it prints the time of the run, the natural log of the test loss with its interval at 99.9 %, and the gradient's norm on
//! fresh prompts, both in the coordinates in which covariates are white. With the blocks held at zero it also prints how far the run is
//! from the best that any shared scalar coefficients reach with the preconditioner Sigma^-1, which has a closed form.

use std::error::Error;
use std::time::Instant;
use workbench::display::Progress;
use workbench::memformer::{
    Architecture, Batch, Measure, Parameters, Precision, Prompts, Quadratic, TaskLaw, Trainer, TrainingProtocol,
    best_shared_memory,
};
use workbench::ndarray::Array2;
use workbench::stats::{self, Estimate, Streams};

const LAYERS: usize = 3;
const N: usize = 20;
/// Variances: the public code takes (1, 1, 1/2, 1/4, 1) for standard deviations.
const SPECTRUM: [f64; 5] = [1.0, 1.0, 0.25, 0.0625, 1.0];
/// Prompts of a test batch, and how many such batches.
const TEST: usize = 100_000;
const BATCHES: usize = 20;

struct Arguments {
    upper: bool,
    steps: Option<usize>,
    seeds: Vec<u64>,
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let mut found = Arguments { upper: false, steps: None, seeds: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "gd" => found.upper = false,
            "upper" => found.upper = true,
            "--steps" => found.steps = Some(words.next().ok_or("--steps needs a number")?.parse()?),
            seed => found
                .seeds
                .push(seed.parse().map_err(|_| format!("no seed: {seed}; use gd or upper, --steps N, seeds"))?),
        }
    }
    if found.seeds.is_empty() {
        found.seeds = vec![1, 2, 3];
    }
    Ok(found)
}

/// The same schedule in fewer steps: halvings come earlier in proportion.
fn shortened(mut protocol: TrainingProtocol, steps: usize) -> TrainingProtocol {
    for phase in &mut protocol.phases {
        phase.halve_every = phase.halve_every.map(|every| (every * steps / phase.steps).max(1));
        phase.steps = steps;
    }
    protocol
}

/// ln of the mean loss over fresh prompts, and the norm of the mean gradient beside what sampling alone makes of it.
fn judge(model: &Parameters, law: &TaskLaw, streams: &Streams) -> Result<(Estimate, f64, f64), Box<dyn Error>> {
    let (mut losses, mut gradients) = (Vec::new(), Vec::new());
    let root = law.root()?;
    for i in 0..BATCHES {
        let batch = Batch::draw(law, N, TEST, Precision::Double, &mut streams.replicate("test", i)?)?;
        let (loss, gradient) = batch.loss_and_gradient(model)?;
        losses.push(loss);
        gradients.push(whitened(&gradient, &root)?);
    }
    let mean = |i: usize| gradients.iter().map(|g| g[i]).sum::<f64>() / BATCHES as f64;
    let (mut norm, mut noise) = (0.0, 0.0);
    for i in 0..gradients[0].len() {
        let m = mean(i);
        norm += m * m;
        noise += gradients.iter().map(|g| (g[i] - m).powi(2)).sum::<f64>() / ((BATCHES - 1) * BATCHES) as f64;
    }
    // The interval of a mean that few prompts decide may reach below zero.
    let ln = |x: f64| x.max(f64::MIN_POSITIVE).ln();
    Ok((stats::mean(&losses)?.map(ln)?, norm.sqrt(), noise.sqrt()))
}

/// The gradient with respect to Sigma^(1/2) A Sigma^(1/2) and Sigma^(-1/2) B Sigma^(1/2).
fn whitened(gradient: &Parameters, root: &Array2<f64>) -> Result<Vec<f64>, Box<dyn Error>> {
    use workbench::ndarray_linalg::Inverse;
    let inverse = root.inv()?;
    let mut all = Vec::new();
    for l in 0..LAYERS {
        all.extend(inverse.dot(&gradient.a(l)?).dot(&inverse));
        if gradient.architecture().upper_block() {
            all.extend(root.dot(&gradient.b(l)?).dot(&inverse));
        }
    }
    Ok(all)
}

/// |M - alpha I| / |M| for M = Sigma^(1/2) A_l Sigma^(1/2) with the best alpha (Appendix D).
fn distance(model: &Parameters, law: &TaskLaw, layer: usize) -> Result<f64, Box<dyn Error>> {
    let root = law.root()?;
    let white = root.dot(&model.a(layer)?).dot(&root);
    let alpha = white.diag().mean().unwrap_or(0.0);
    let norm = |m: &Array2<f64>| m.iter().map(|v| v * v).sum::<f64>().sqrt();
    Ok(norm(&(&white - &(alpha * Array2::<f64>::eye(white.nrows())))) / norm(&white))
}

/// ln of the least mean loss with A_l = a_l Sigma^-1, which is that of every shared scalar method with this preconditioner.
fn best(streams: &Streams) -> Result<f64, Box<dyn Error>> {
    let law = TaskLaw::isotropic(SPECTRUM.len())?;
    let prompts = Prompts::draw(&law, N, TEST, &mut streams.stream("optimum")?)?;
    let batch = Quadratic::of_batch(&prompts.statistics()?)?;
    Ok(best_shared_memory(&batch, LAYERS, &Measure::Distance)?.means[LAYERS].ln())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = arguments()?;
    let mut architecture = Architecture::new(LAYERS, SPECTRUM.len())?;
    let mut protocol = TrainingProtocol::rotated();
    if arguments.upper {
        architecture = architecture.with_upper_block();
        protocol = TrainingProtocol::rotated_upper();
    }
    if let Some(steps) = arguments.steps {
        protocol = shortened(protocol, steps);
    }
    println!("seed  steps    seconds  ms/step  ln test loss                gradient (sampling)");
    for seed in &arguments.seeds {
        let streams = Streams::new(*seed);
        let law = TaskLaw::rotated(&SPECTRUM, &mut streams.stream("rotation")?)?;
        let mut trainer = Trainer::new(architecture, law.clone(), protocol.clone(), &mut streams.stream("run")?)?;
        let started = Instant::now();
        trainer.run_watched(&mut Progress::new(&format!("seed {seed}")))?;
        let seconds = started.elapsed().as_secs_f64();
        let (loss, gradient, noise) = judge(trainer.parameters(), &law, &streams)?;
        let steps = trainer.steps_taken();
        println!(
            "{seed:<5} {steps:<8} {seconds:<8.1} {:<8.4} {:.4} [{:.4}, {:.4}]  {gradient:.1e} ({noise:.1e})",
            1e3 * seconds / steps as f64,
            loss.value,
            loss.low,
            loss.high,
        );
        if !arguments.upper {
            println!("      closed form of the best: {:.4}", best(&streams)?);
        }
        let off = (0..LAYERS).map(|l| distance(trainer.parameters(), &law, l)).collect::<Result<Vec<f64>, _>>()?;
        println!("      distances of A_0, A_1, A_2 to multiples of Sigma^-1: {off:.4?}");
    }
    Ok(())
}
