//! Section 3, Learning the embeddings: capacity of the linear associative memory.
//!
//! **Claim** (`heavy-tailed/linear-capacity`). By Lemma 3 the model with its d^2 parameters memorises only about d/log d associations, an
//! intrinsic limitation of the linear model. Higher moments of e_{x'}^T e_x may or may not help for a given number of parameters.
//!
//! The capacity is the P at which all P equally weighted pairs are recalled with probability one half. Lemma 3 gives d/log d where
//! p_* is fixed; the sentence speaks of pairs (e_x, u_y) and of a limitation of the model. So both are measured, five classes and an output of
//! its own for every pair. P = c d/log P is read off as a power of one of d in P ln P. Refuted, as it stands, by another power in
//! either. The proof of Lemma 3 does not care how bounds go with M; this sentence, on what the lemma implies, says nothing of M.

use workbench_display::{Figure, Panel, Table, frame};
use workbench_ground::stats::{Estimate, Stream};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{OutputSharing, Similarity, StoredPairs, recall_of_all};

use super::learned_embeddings::{CLASSES, EXPONENT};

/// Three memories and the numbers of pairs that they recall at once.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/linear-capacity",
    metric: "power of d in P ln P between the smallest and the largest d, where all P pairs are recalled with probability one half",
    against: "a power other than one, with five classes or with an output for each pair",
    protocol: &["random inputs, random outputs on the unit sphere, W of Eq. 2"],
    choices: &["equal weights; five classes, d from 16 to 512; as many as pairs, d from 16 to 128"],
    departures: &["unit inputs and not Gaussian ones: their norms would add what does not depend on P"],
    run,
    ..Check::DEFAULT
};

/// A memory.
struct Memory {
    name: &'static str,
    similarity: Similarity,
    sharing: OutputSharing,
    stream: &'static str,
    /// Factor and power of d in P ln P, a guess for its capacity.
    guess: (f64, f64),
}

const FIVE: Memory = Memory {
    name: "five classes",
    similarity: Similarity::Linear,
    sharing: OutputSharing::Classes(CLASSES),
    stream: "capacity, five classes",
    guess: (1.25, 1.0),
};
const OWN: Memory = Memory {
    name: "an output for each pair",
    similarity: Similarity::Linear,
    sharing: OutputSharing::Own,
    stream: "capacity, own outputs",
    guess: (0.13, 2.0),
};
const SQUARED: Memory = Memory {
    name: "five classes, squared similarity",
    similarity: Similarity::Quadratic,
    sharing: OutputSharing::Classes(CLASSES),
    stream: "capacity, quadratic",
    guess: (0.363, 2.0),
};

/// Capacities by dimension.
type Found = Vec<(usize, Estimate)>;

fn run(s: &Sheet) -> Done {
    let runs = s.knob("embeddings for each d", s.scale().pick(100, 200), 2..)?;
    let mut boot = s.stream("bootstrap, capacity")?;
    let [printed, changed, twin] =
        [s.printed(EXPONENT), s.changed(EXPONENT), s.twin(EXPONENT)].map(|says| says.of("embeddings"));
    let least = s.changed(Margin::ZERO).of("embeddings");
    s.condition("for a number of classes that does not grow with P, so that p_* is fixed: with an output for every pair Q∞ is q² and not p_* ‖q‖², and the same model memorises about d²/log d");
    s.note("Theorem 1 has \"constants that depends on both rho, alpha and M\", so one may answer that M is fixed; the sentence is about pairs (e_x, u_y) of size 2d and what the d² parameters hold, an intrinsic limitation of the linear model, and that is not one of few classes");
    let dims = s.scale().pick(&[16, 32, 64, 128, 256][..], &[16, 32, 64, 128, 256, 512]);
    let five = FIVE.capacities(s, dims, runs, &mut boot)?;
    let own = OWN.capacities(s, s.scale().pick(&[16, 32, 64][..], &[16, 32, 64, 128]), 200, &mut boot)?;
    let squared = SQUARED.capacities(s, &[8, 16, 32], runs.min(60), &mut boot)?;
    let with_logarithm = |found: &Found| power(found, |p| p * p.ln());

    let of_own = with_logarithm(&own)?;
    printed.equals("an output for each pair: power of d in P ln P", 1.0, of_own);
    changed.equals("an output for each pair: power of d in P ln P, as two", 2.0, of_own);
    let label = "an output for each pair: power of d in P without the logarithm, less two";
    least.at_most(label, power(&own, |p| p)?.affine(1.0, -2.0)?);
    let of_five = with_logarithm(&five)?;
    printed.equals("five classes, as in the figures: power of d in P ln P", 1.0, of_five);
    changed.equals("five classes: power of d in P ln P", 1.0, of_five);
    let label = "five classes: power of d in P without the logarithm, less one";
    least.at_most(label, power(&five, |p| p)?.affine(1.0, -1.0)?);
    let label = "squared similarity in place of the inner product, five classes: power of d in P ln P";
    twin.equals(label, 1.0, with_logarithm(&squared)?);

    let panel = Panel::new("").x_label("d").y_label("P recalled with probability 1/2").log_x().log_y();
    let panel = with_law(panel, 0, (&FIVE, &five), ("1.33 d/ln P", 1.33, 1.0));
    let panel = with_law(panel, 1, (&OWN, &own), ("d²/(7 ln P)", 1.0 / 7.0, 2.0));
    s.figure(Figure::new("Capacity depends on whether pairs share their outputs").panel(panel.legend_below()).caption(
        "Dots with 99.9 % intervals. Dashed: a power of d over the logarithm of P, with a constant set by eye.",
    ));
    s.table(table(&[(&FIVE, &five), (&OWN, &own), (&SQUARED, &squared)])?);
    Ok(())
}

/// `P` from `P ln P = factor d^power`.
fn solved(d: f64, factor: f64, power: f64) -> f64 {
    (0..50).fold(d, |p: f64, _| factor * d.powf(power) / p.max(3.0).ln())
}

/// Numbers of pairs around a guess, an eighth apart.
fn around(guess: f64) -> Vec<usize> {
    let mut sizes: Vec<usize> = (-6..=6).map(|k| (guess * 1.13f64.powi(k)).round().max(2.0) as usize).collect();
    sizes.dedup();
    sizes
}

impl Memory {
    fn capacities(&self, setting: &Setting, dims: &[usize], runs: usize, boot: &mut Stream) -> Result<Found, Failure> {
        let mut pairs = Vec::new();
        for &d in dims {
            let sizes = around(solved(d as f64, self.guess.0, self.guess.1));
            let stored = StoredPairs { similarity: self.similarity, sharing: self.sharing, dim: d, sizes };
            let recalled = recall_of_all(&stored, runs, setting.streams(), self.stream)?;
            pairs.push((d, recalled.crossing(0.5, boot)?));
        }
        Ok(pairs)
    }
}

/// The power of d in `f(P)` between the ends, with the ends' intervals.
fn power(found: &Found, f: fn(f64) -> f64) -> Result<Estimate, Failure> {
    let ((least, a), (most, b)) = (found[0], found[found.len() - 1]);
    let slope = |upper: f64, lower: f64| (f(upper) / f(lower)).ln() / (most as f64 / least as f64).ln();
    Ok(Estimate::new(slope(b.value, a.value), slope(b.low, a.high), slope(b.high, a.low), a.n, a.confidence)?)
}

fn with_law(panel: Panel, colour: usize, (memory, found): (&Memory, &Found), law: (&str, f64, f64)) -> Panel {
    let x: Vec<f64> = found.iter().map(|(d, _)| *d as f64).collect();
    let of = |f: fn(&Estimate) -> f64| found.iter().map(|(_, pairs)| f(pairs)).collect::<Vec<f64>>();
    let line: Vec<f64> = x.iter().map(|d| solved(*d, law.1, law.2)).collect();
    panel
        .error_bars(memory.name, &x, &of(|e| e.value), &of(|e| e.low), &of(|e| e.high))
        .colour(colour)
        .theory(law.0, &x, &line)
        .colour(colour)
}

fn table(memories: &[(&Memory, &Found)]) -> Result<Table, Failure> {
    let cells =
        memories.iter().flat_map(|(memory, found)| found.iter().map(move |(d, p)| (memory, *d as f64, p.value)));
    let rows = cells.map(|(memory, d, pairs)| {
        // Beside W every stored input, and its class.
        let numbers = if memory.similarity == Similarity::Linear { d * d } else { pairs * (d + 1.0) };
        (memory.name, d, pairs, pairs / numbers)
    });
    let (names, dims, pairs, shares): (Vec<&str>, Vec<f64>, Vec<f64>, Vec<f64>) = rows.collect();
    let frame = frame!("memory" => names, "d" => dims, "pairs P" => pairs, "pairs for each number kept" => shares)?;
    Ok(Table::new(frame)
        .title("Pairs recalled at once with probability one half")
        .caption("W keeps d² numbers; the squared similarity keeps every stored input and its class, P(d + 1) numbers.")
        .rows(20)
        .digits(3))
}
