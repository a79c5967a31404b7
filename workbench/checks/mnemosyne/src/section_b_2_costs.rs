//! B.2: what a cache costs, and how far a memory reaches.
//!
//! **Claim** (`mnemosyne/cache-memory-cost`). With regular attention the memory requirement grows as the square of the length of the cache,
//! so that lengths above 100 could not be run; the compact memory attends to a theoretically unbounded history at a fixed requirement.
//!
//! Numbers are counted, not timed, and counted where a cell writes them. "A self-attention map over the history sequence is generated":
//! what the steps of a history of length h leave on their tapes must have the second difference one in h, as h (h + 1) / 2 has; keys and
//! values are linear in h. For the compact memory the numbers that are not zero are counted after one step and after many. Reach is the
//! derivative of an update for one gradient of the past, by complex steps, so that it can be followed down to a size of $e^{-200}$.
//! Against it: a map that grows otherwise, a state that grows, a lag that the compact memory does not feel.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, Stream};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_optimizer::cell::{Cell, Form, Memory, Mnemosyne, count};
use workbench_optimizer::number::{CellNumber, Complex};
use workbench_optimizer::{Layout, Learned, Optimizer};

use crate::vocabulary::{EXACT, by_scale, largest_of};

/// A fitted decay.
const DECAY: Margin = Margin::new(
    "a decay per step",
    1e-3,
    "one hundredth of tau = 0.1; a decay by the factor 1 - tau, 0.105 each step, is five times as far away",
);

/// The length of the cache whose reach is measured.
const H: usize = 20;

/// Lags in the figure.
const SHOWN: usize = 200;

/// What the square belongs to.
const ROW: &str = "one row of the map a step gives the same updates from keys and values alone, which are linear in h: the square belongs to the map over the whole history that B.2 describes";

/// Counts, and reach.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// The largest lag; by scale if 0.
    pub lags: usize,
}

/// The largest distance from one of the second difference of a count for h = 1, 2, 3, ...
fn second_difference(counts: &[usize]) -> f64 {
    let second = |h: &[usize]| h[2] as f64 - 2.0 * h[1] as f64 + h[0] as f64;
    largest_of(counts.windows(3).map(|h| (second(h) - 1.0).abs()))
}

fn cell(memory: Memory, encoders: usize) -> Result<Mnemosyne, Failure> {
    Ok(Mnemosyne::new(Form { encoders, memory, ..Form::light() })?)
}

fn written(numbers: &[f64]) -> usize {
    numbers.iter().filter(|number| **number != 0.0).count()
}

/// Numbers on the tapes of a history of h steps, and numbers that are remembered after it: those that are not zero.
fn kept(memory: Memory, h: usize, stream: &mut Stream) -> Result<[usize; 2], Failure> {
    let cell = Mnemosyne::new(Form {
        memory,
        // A rectifier writes zeros.
        feed_forward: 0,
        ..Form::light()
    })?;
    let (weights, mut on_tapes) = (cell.start(stream)?, 0);
    let (mut state, mut tape) = (vec![0.0; cell.state_len()], vec![0.0; cell.tape_len()]);
    for t in 0..h {
        let mut update = [0.0];
        cell.step(&weights, t as u64, &[0.1], &mut state, &mut tape, &mut update);
        on_tapes += written(&tape);
    }
    Ok([on_tapes, written(&state)])
}

/// $\partial u_t/\partial g_0$ for each lag t, by a complex step; the gradients are the same at all steps, so that nothing else decays.
fn influence(cell: &Mnemosyne, lags: usize, stream: &mut Stream) -> Result<Vec<f64>, Failure> {
    const STEP: f64 = 1e-20;
    let weights: Vec<Complex> = cell.start(stream)?.into_iter().map(Complex::of).collect();
    let (mut state, mut tape) = (vec![Complex::zero(); cell.state_len()], vec![Complex::zero(); cell.tape_len()]);
    let felt = |t: usize| {
        let gradient = Complex { re: 0.01, im: if t == 0 { STEP } else { 0.0 } };
        let mut update = [Complex::zero()];
        cell.step(&weights, t as u64, &[gradient], &mut state, &mut tape, &mut update);
        update[0].im / STEP
    };
    Ok((0..=lags).map(felt).collect())
}

/// The least-squares slope of the log influence against the lag, from lag 100 on.
fn decay(influence: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> =
        influence.iter().enumerate().skip(100).map(|(lag, felt)| (lag as f64, felt.abs().ln())).collect();
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (up, square) =
        points.iter().fold((0.0, 0.0), |(up, sq), p| (up + (p.0 - x) * (p.1 - y), sq + (p.0 - x).powi(2)));
    up / square
}

/// Numbers remembered for one coordinate, those that are not zero, after `steps` steps less those after one.
fn growth(memory: Memory, steps: usize, stream: &mut Stream) -> Result<f64, Failure> {
    let cell = cell(memory, 2)?;
    let weights = cell.start(stream)?;
    let mut rule = Learned::plain(cell, weights, Layout::of(&[("x", &[1])])?)?;
    let (mut theta, mut first) = ([0.0], 0);
    for step in 0..steps {
        rule.step(&mut theta, &[0.1])?;
        if step == 0 {
            first = written(&rule.save().numbers);
        }
    }
    Ok((written(&rule.save().numbers) as f64 - first as f64).abs())
}

/// Numbers for one coordinate and encoder of width 16, by length; what is kept for a window of five steps with its map, in GB.
fn costs() -> Result<Table, Failure> {
    let lengths = [1usize, 5, 20, 50, 100, 200];
    let counts = lengths.iter().map(|h| count::cache_count(*h, 16));
    let counts = counts.collect::<Result<Vec<_>, _>>()?;
    let compact = Memory::default_compact().state_len(16) as f64;
    // Five steps, two encoders, 15,910 coordinates, four bytes, the map square as it is computed.
    let gigabytes = |h: usize| (5 * 2 * 15_910 * 4 * h * h) as f64 / 1e9;
    Ok(Table::new(columns(vec![
        ("h", lengths.map(|h| h as f64).to_vec().into()),
        ("keys and values", counts.iter().map(|c| c.cache as f64).collect::<Vec<_>>().into()),
        ("one row of the map", counts.iter().map(|c| c.row as f64).collect::<Vec<_>>().into()),
        ("the map", counts.iter().map(|c| c.map as f64).collect::<Vec<_>>().into()),
        ("compact memory", vec![compact; 6].into()),
        ("GB of square maps, window of 5", lengths.map(gigabytes).to_vec().into()),
    ])?)
    .title("Numbers for one coordinate and encoder")
    .caption("Width 16. The last column is for the network 784-20-10, two encoders, four bytes a number: a reading, since the document does not say what it keeps."))
}

impl Costs {
    fn figure(&self, felt: &[(&str, Vec<f64>)]) -> Figure {
        let mut panel = Panel::new("one gradient, seen later").x_label("lag, steps").y_label("|∂u_t / ∂g_0|").log_y();
        for (name, felt) in felt {
            // A cache that feels nothing has no logarithm.
            let seen: Vec<(f64, f64)> = felt
                .iter()
                .enumerate()
                .take(SHOWN)
                .filter(|(_, felt)| **felt != 0.0)
                .map(|(lag, felt)| (lag as f64, felt.abs()))
                .collect();
            let (x, y): (Vec<f64>, Vec<f64>) = seen.into_iter().unzip();
            panel = panel.line(name, &x, &y);
        }
        Figure::new("A compact memory feels every lag, a cache none beyond its length")
            .panel(panel)
            .caption("Derivative of the update for a gradient that came so many steps earlier; light cells with random weights. A line ends where the derivative is exactly zero.")
    }
}

impl TypedCheck for Costs {
    const CLAIM: &'static str = "mnemosyne/cache-memory-cost";
    const PLAN: Plan = Plan::new(
        "second differences in h of the numbers on the tapes of h steps; numbers remembered after many steps less those after one; lags without influence; decay of the influence",
        "a map that does not grow as the square; a state that grows; a lag that the compact memory does not feel, or another decay than the discount's",
        &[EXACT, DECAY],
    )
    .protocol(&["h = 1 to 200, at quick scale to 60; numbers that are not zero are counted, without feed-forward parts, whose rectifiers write zeros", "two encoders for what is remembered, one for the map and for the reach, since two caches above each other reach twice as far"])
    .departures(&["memory is counted in numbers, not in bytes of an accelerator: what their program kept is not known"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let lags = by_scale(self.lags, setting.scale().pick(1_000, 4_000));
        let long = setting.scale().pick(10_000, 100_000);
        let compact = |tau| Memory::Compact { features: 16, map: workbench_features::MapKind::Hyperbolic, tau };
        let reach = |memory, encoders| -> Result<Vec<f64>, Failure> {
            influence(&cell(memory, encoders)?, lags, &mut setting.streams().restart("weights")?)
        };
        let (felt, forever) = (reach(compact(0.1), 1)?, reach(compact(0.0), 1)?);
        let (cache, two) = (reach(Memory::Cache { steps: H }, 1)?, reach(Memory::Cache { steps: H }, 2)?);
        let beyond = |felt: &[f64]| felt[H..].iter().filter(|felt| **felt != 0.0).count() as f64;
        let within = cache[..H].iter().filter(|felt| **felt == 0.0).count() as f64;
        let stream = || setting.streams().restart("weights");
        let lengths = setting.scale().pick(60, 200);
        let histories = (1..=lengths).map(|h| kept(Memory::Cache { steps: h }, h, &mut stream()?));
        let histories = histories.collect::<Result<Vec<_>, Failure>>()?;
        let square = |label: &str, which: usize| {
            let counts: Vec<usize> = histories.iter().map(|kept| kept[which]).collect();
            Finding::identity(label, second_difference(&counts), EXACT).cases(counts.len() as u64 - 2).unit("lengths")
        };
        let none = |label: &str, value: f64| Finding::identity(label, value, EXACT).cases(lags as u64).unit("lags");
        let slope = |label: &str, felt: &[f64]| {
            Finding::equals(label, -0.1, DECAY, Estimate::exact(decay(felt))).cases(lags as u64 - 99).unit("lags")
        };
        let grown = |label: &str, memory| -> Result<Finding, Failure> {
            let grown = growth(memory, long, &mut stream()?)?;
            Ok(Finding::identity(label, grown, EXACT).cases(long as u64).unit("steps"))
        };
        let held = Finding::identity("cache of 20: lags below 20 at which a gradient is not felt", within, EXACT);
        let evidence = Evidence::of(square(
            "entries of the map of a history, as a cell writes them: second difference less one",
            0,
        ))
        .and(grown("compact memory: numbers after many steps less those after one", compact(0.1))?)
        .and(none(
            "compact memory: lags at which a gradient is not felt",
            felt.iter().filter(|felt| **felt == 0.0).count() as f64,
        ))
        .and(slope("compact memory: change of the log influence for each step", &felt))
        .and(none("cache of 20: lags of 20 and more at which a gradient is felt", beyond(&cache)))
        .and(held.cases(H as u64).unit("lags"))
        .twin(square("keys and values in the place of the map: second difference less one", 1))
        .twin(grown(
            "cache of 20 in the place of the compact memory: numbers after many steps less those after one",
            Memory::Cache { steps: H },
        )?)
        .twin(slope("memory without discount: change of the log influence", &forever))
        .twin(none("two encoders with caches of 20: lags of 20 and more at which a gradient is felt", beyond(&two)))
        .note(ROW);
        let lines = [("compact memory, tau = 0.1", felt), ("no discount", forever), ("cache of 20", cache)];
        Ok(Checked::from(evidence).table(costs()?).figure(self.figure(&lines)))
    }
}
