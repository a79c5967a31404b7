//! B.2: what a cache costs, and how far a memory reaches.
//!
//! **Claim** (`mnemosyne/cache-memory-cost`). With regular attention the memory requirement grows as the square of the length of the cache,
//! so that lengths above 100 could not be run; the compact memory attends to a theoretically unbounded history at a fixed requirement.
//!
//! Numbers are counted, not timed, and counted where a cell writes them; for both cells those that *one update* needs. "A self-attention map
//! over the history sequence is generated": an update that makes the map anew has a row for each step of the history, so keys, values and
//! map must have the second difference one in h, as h (h + 1) / 2 has; by the same count the compact memory must need as many numbers after
//! many steps as after one, and must not pass for the square. Reach is the
//! derivative of an update for one gradient of the past, by complex steps, so that it can be followed down to a size of $e^{-400}$.
//! Refuted by a map that grows otherwise, a state that grows, a lag that the compact memory does not feel. What a cache feels, and how fast
//! the compact memory forgets, the sentence does not say: the check stands on both.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_features::MapKind;
use workbench_ground::stats::Stream;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::cell::{Cell, Form, Memory, Mnemosyne, count};
use workbench_optimizer::number::{CellNumber, Complex};
use workbench_optimizer::{Layout, Learned, Optimizer};

use crate::vocabulary::EXACT;

/// A fitted decay.
const DECAY: Margin = Margin::statistical(
    "a decay per step",
    1e-3,
    "one hundredth of tau = 0.1; a decay by the factor 1 - tau, 0.105 each step, is five times as far away",
);

/// The length of the cache whose reach is measured.
const H: usize = 20;
/// Its memory.
const CACHE: Memory = Memory::Cache { steps: H };

/// What the square belongs to.
const ROW: &str = "earlier rows of the map do not change: one row a step gives the same updates from keys and values alone, which are linear in h, so the square belongs to the map over the whole history that B.2 describes";

/// Counts, and reach.
pub const CHECK: Check = Check {
    claim: "mnemosyne/cache-memory-cost",
    metric: "second differences in h of the numbers that one update needs; for the compact memory those after many steps less those after one; lags without influence; decay of the influence",
    against: "a map that does not grow as the square; a state that grows; a lag that the compact memory does not feel",
    protocol: &["a self-attention map over the history; tau = 0.1"],
    choices: &[
        "h = 1 to 200, at quick scale to 60; numbers that are not zero are counted, without feed-forward parts, whose rectifiers write zeros",
        "two encoders for what is remembered, one for the map and for the reach, since two caches above each other reach twice as far",
    ],
    departures: &[
        "memory is counted in numbers, not in bytes of an accelerator: what their program kept is not known; an update is taken to make the map over its history anew, row by row",
        "that lengths above 100 could not be run speaks of a machine and not of a count: it is not tested",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let weights = || s.streams().restart("weights");
    let kept = |h| kept(Memory::Cache { steps: h }, h, &mut weights()?);
    let histories = (1..=s.scale().pick(60, 200)).map(kept).collect::<Result<Vec<_>, _>>()?;
    for h in s.each("lengths", histories.windows(3)) {
        let off = |which: usize| (h[2][which] as f64 - 2.0 * h[1][which] as f64 + h[0][which] as f64 - 1.0).abs();
        s.printed(EXACT)
            .same("keys, values and the map over the history, for one update: second difference less one", off(0));
        s.twin(EXACT).largest().same("keys and values in the place of the map: second difference less one", off(1));
        let row = |i: usize| (h[i][1] + h[i][2]) as f64;
        let label = "keys, values and what one step writes, which is all that its update needs: second difference";
        s.aside(EXACT).same(label, (row(2) - 2.0 * row(1) + row(0)).abs());
    }
    let (long, compact) = (s.scale().pick(10_000, 100_000), compact(0.1));
    let [of_one, of_many] = [1, long].map(|h| self::kept(compact, h, &mut weights()?));
    let (of_one, of_many) = (of_one?, of_many?);
    let needed = |of: [usize; 3]| of[1] + of[2];
    let label = "compact memory: numbers that one update needs after many steps, less those after one";
    s.printed(EXACT).over(long, "steps").same(label, needed(of_many).abs_diff(needed(of_one)) as f64);
    let few = (1..=20).map(|h| self::kept(compact, h, &mut weights()?)).collect::<Result<Vec<_>, _>>()?;
    for h in s.each("lengths", few.windows(3)) {
        let [a, b, c] = [0, 1, 2].map(|i| needed(h[i]) as f64);
        let label = "compact memory in the place of the cache, for one update: second difference less one";
        s.twin(EXACT).largest().same(label, (c - 2.0 * b + a - 1.0).abs());
    }
    let [_, last] = remembered(compact, long, &mut weights()?)?;
    let counted = cell(compact, 2)?.state_len();
    s.support(EXACT).same(
        "compact memory: numbers after many steps less r (d + 1) for each encoder",
        last.abs_diff(counted) as f64,
    );
    let [first, last] = remembered(CACHE, long, &mut weights()?)?;
    let label = "cache of 20 in the place of the compact memory: numbers after many steps less those after one";
    s.twin(EXACT).over(long, "steps").same(label, last.abs_diff(first) as f64);

    let lags = s.knob("lags", s.scale().pick(1_000, 4_000), 300..=20_000)?;
    let reach = |memory, encoders| influence(&cell(memory, encoders)?, lags, &mut weights()?);
    let (felt, forever) = (reach(compact, 1)?, reach(self::compact(0.0), 1)?);
    let (cache, two) = (reach(CACHE, 1)?, reach(CACHE, 2)?);
    let label = "compact memory: lags at which a gradient is not felt";
    s.printed(EXACT).over(lags, "lags").same(label, (felt.len() - written(&felt)) as f64);
    let label = "cache of 20: lags of 20 and more at which a gradient is felt";
    s.support(EXACT).over(lags, "lags").same(label, written(&cache[H..]) as f64);
    let label = "two encoders with caches of 20: lags of 20 and more at which a gradient is felt";
    s.twin(EXACT).over(lags, "lags").same(label, written(&two[H..]) as f64);
    let label = "cache of 20: lags below 20 at which a gradient is not felt";
    s.support(EXACT).over(H, "lags").same(label, (H - written(&cache[..H])) as f64);
    let label = "compact memory: change of the log influence for each step";
    s.support(DECAY).over(lags - 99, "lags").equals(label, -0.1, decay(&felt));
    let label = "memory without discount: change of the log influence";
    s.twin(DECAY).over(lags - 99, "lags").equals(label, -0.1, decay(&forever));
    s.note(ROW);
    s.table(costs()?);
    s.figure(figure(&[("compact memory, tau = 0.1", felt), ("no discount", forever), ("cache of 20", cache)]));
    Ok(())
}

fn compact(tau: f64) -> Memory {
    Memory::Compact { features: 16, map: MapKind::Hyperbolic, tau }
}

fn cell(memory: Memory, encoders: usize) -> Result<Mnemosyne, Failure> {
    Ok(Mnemosyne::new(Form { encoders, memory, ..Form::light() })?)
}

fn written(numbers: &[f64]) -> usize {
    numbers.iter().filter(|number| **number != 0.0).count()
}

/// Numbers on the tapes of a history of h steps, numbers that are remembered after it, and on the tape of its last step: those that are
/// not zero.
fn kept(memory: Memory, h: usize, stream: &mut Stream) -> Result<[usize; 3], Failure> {
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
    Ok([on_tapes, written(&state), written(&tape)])
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

/// Numbers remembered for one coordinate, those that are not zero, after one step and after `steps`.
fn remembered(memory: Memory, steps: usize, stream: &mut Stream) -> Result<[usize; 2], Failure> {
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
    Ok([first, written(&rule.save().numbers)])
}

/// Numbers for one coordinate and encoder of width 16, by length; what is kept for a window of five steps with its map, in GB.
fn costs() -> Result<Table, Failure> {
    let lengths = [1usize, 5, 20, 50, 100, 200];
    let counts = lengths.map(|h| count::cache_count(h, 16)).into_iter().collect::<Result<Vec<_>, _>>()?;
    let of = |part: fn(&count::CacheCount) -> usize| counts.iter().map(|c| part(c) as f64).collect::<Vec<f64>>().into();
    // Five steps, two encoders, 15,910 coordinates, four bytes, the map square as it is computed.
    let gigabytes = |h: usize| (5 * 2 * 15_910 * 4 * h * h) as f64 / 1e9;
    Ok(Table::new(columns(vec![
        ("h", lengths.map(|h| h as f64).into()),
        ("keys and values", of(|c| c.cache)),
        ("one row of the map", of(|c| c.row)),
        ("the map", of(|c| c.map)),
        ("compact memory", [Memory::default_compact().state_len(16) as f64; 6].into()),
        ("GB of square maps, window of 5", lengths.map(gigabytes).into()),
    ])?)
    .title("Numbers for one coordinate and encoder")
    .caption("Width 16. The last column is for the network 784-20-10, two encoders, four bytes a number: a reading, since the document does not say what it keeps."))
}

/// The first two hundred lags.
fn figure(felt: &[(&str, Vec<f64>)]) -> Figure {
    let mut panel = Panel::new("one gradient, seen later").x_label("lag, steps").y_label("|∂u_t / ∂g_0|").log_y();
    for (name, felt) in felt {
        // A cache that feels nothing has no logarithm.
        let seen = felt.iter().enumerate().take(200).filter(|(_, felt)| **felt != 0.0);
        let (x, y): (Vec<f64>, Vec<f64>) = seen.map(|(lag, felt)| (lag as f64, felt.abs())).unzip();
        panel = panel.line(name, &x, &y);
    }
    Figure::new("A compact memory feels every lag, a cache none beyond its length")
        .panel(panel)
        .caption("Derivative of the update for a gradient that came so many steps earlier; light cells with random weights. A line ends where the derivative is exactly zero.")
}
