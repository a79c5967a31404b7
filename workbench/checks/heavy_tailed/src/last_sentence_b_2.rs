//! Equal weights, and when a memory has errors: B.2, last sentence.
//!
//! **Claim** (`heavy-tailed/b2-rho-0`). The case rho = 0 is treated "by considering an error if and only if the number of seen elements" is
//! smaller than d.
//!
//! More stored pairs are more noise, so the comparison should point the other way. Memories are simulated with random T; what each answers
//! wrongly of what it has seen is compared on both sides of n = d, n the number of seen inputs. Refuted by fewer wrong answers where n < d.
//! The mended sentence is asked for the order of the two, and for n in proportion to d, as Theorem 1 hides constants; errors come
//! gradually.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, difference, proportion};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{AssociativeMemory, Embeddings, ErrorCurve, Profile, Scheme, Zipf};

use super::exponents::{CLASSES, draws, target};

const MOSTLY: Margin =
    Margin::ours("mostly", 0.75, "three of four; nearer to the switch a gradual change allows no more");
const SELDOM: Margin =
    Margin::ours("seldom", 0.25, "one of four; nearer to the switch a gradual change allows no less");
const COIN: Margin = Margin::statistical(
    "better than a coin",
    0.6,
    "a coin orders half of the pairs; some 400 memories leave 0.03 to chance, and this is three times that above a half",
);
const THRICE: Margin = Margin::ours("thrice", 3.0, "the switch is said to be near n = d, so not at three times d");
const PROPORTIONAL: Margin = Margin::statistical(
    "proportional",
    0.05,
    "a fifth of half the way from n proportional to d to a square root; what is left of the bend at a hundred inputs",
);

/// Simulated memories with equal weights, and the exact expectation.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/b2-rho-0",
    metric: "share of what was seen that is answered wrongly, where n < d less where n ≥ d; exponent of d in n at which it is lost",
    against: "fewer wrong answers where n < d",
    protocol: &["ρ = 0, n the number of distinct inputs seen"],
    choices: &[
        "M = 5, α = 1.2, N = 400, d = 16, 32, 64, T log-uniform from 10 to 6000; n = 100 and 2000 for the exponent",
    ],
    departures: &["the errors of what was seen are measured, where the sentence counts an error by n and d alone"],
    run,
    ..Check::DEFAULT
};

/// Share of wrong answers above which a memory has errors.
const A_FIFTH: f64 = 0.2;

fn run(s: &Sheet) -> Done {
    s.misprint("larger in place of smaller, up to the constants that Theorem 1 hides: errors come as the number of seen inputs nears and passes d");
    let memories = simulated(s, s.knob("memories", s.scale().pick(480, 2400), 3..)?)?;
    let wrong = |few: bool| -> Vec<f64> {
        memories.iter().filter(|one| (one.load() < 1.0) == few).map(|one| one.wrong).collect()
    };
    let label = "share answered wrongly where n < d minus that where n ≥ d";
    s.printed(Margin::ZERO).of("memories").at_least(label, difference(&wrong(true), &wrong(false))?);
    let (n, unit) = (memories.len(), "memories");
    let label = "chance that of two memories the one with more wrong has the larger n/d";
    s.changed(COIN).over(n, unit).at_least(label, ordered(&memories, &|i| memories[i].load()));
    let of_another = ordered(&memories, &|i| memories[(i + 1) % memories.len()].seen / memories[i].dim);
    let label = "the seen inputs of another memory: chance that the one with more wrong has the larger n/d";
    s.twin(COIN).over(n, unit).at_least(label, of_another);

    let (few, many) = (error_along_d(s, 100)?, error_along_d(s, 2000)?);
    for level in s.each("shares lost", [0.1, A_FIFTH, 0.4]) {
        let at = |curve: &ErrorCurve, n: usize| -> Result<Estimate, Failure> {
            Ok(curve.crossing(level, &mut s.stream(&format!("switch {n} {level}"))?)?)
        };
        let (at_few, at_many) = (at(&few, 100)?, at(&many, 2000)?);
        let exponent = 1.0 + (at_many.value / at_few.value).ln() / 20f64.ln();
        let label = "exponent of d in n at which a tenth, a fifth, two fifths are lost: farthest from one";
        s.changed(PROPORTIONAL).equals(label, 1.0, exponent);
    }
    let (below, beyond) = (share(&memories, 0.0, 1.0)?, share(&memories, 3.0, f64::INFINITY)?);
    s.aside(SELDOM).of(unit).at_most("n < d: share of memories with more than a fifth wrong", below);
    s.aside(MOSTLY).of(unit).at_least("n ≥ 3d: share of memories with more than a fifth wrong", beyond);
    let at_few = few.crossing(A_FIFTH, &mut s.stream("switch 100")?)?;
    s.aside(THRICE).at_most("n/d at which a fifth is lost, n = 100", inverse(at_few)?);
    s.figure(figure(&memories, &few, &many));
    Ok(())
}

/// One memory: inputs seen, dimension, share of the seen answered wrongly.
struct Memory {
    seen: f64,
    dim: f64,
    wrong: f64,
}

impl Memory {
    fn load(&self) -> f64 {
        self.seen / self.dim
    }

    fn has_errors(&self) -> bool {
        self.wrong > A_FIFTH
    }
}

fn simulated(setting: &Setting, memories: usize) -> Result<Vec<Memory>, Failure> {
    let inputs = 400;
    let (law, labels) = (Zipf::new(1.2, inputs)?, target()?.labels(inputs));
    let one = |i: usize| {
        let mut stream = setting.streams().replicate("rho = 0", i)?;
        let d = [16, 32, 64][i % 3];
        let counts = law.sample_counts((10.0 * 600f64.powf(stream.uniform())) as usize, &mut stream)?;
        let embeddings = Embeddings::draw(inputs, CLASSES, d, &mut stream)?;
        let q = Scheme::uniform().empirical_weights(&counts, inputs, d)?;
        let margins = AssociativeMemory::store(&embeddings, &q, &labels)?.margins(&embeddings, &labels)?;
        let wrong = counts.seen.iter().filter(|seen| margins[seen.0 - 1] <= 0.0).count();
        let seen = counts.seen.len() as f64;
        Ok(Memory { seen, dim: d as f64, wrong: wrong as f64 / seen })
    };
    (0..memories).map(one).collect()
}

/// The expected share of wrong answers along d/n.
fn error_along_d(setting: &Setting, stored: usize) -> Result<ErrorCurve, Failure> {
    let n = stored as f64;
    let labels = target()?.labels(stored);
    let profile = Profile::from_weights(&vec![1.0 / n; stored], &vec![1.0; stored], &labels, CLASSES)?;
    let draws = draws(setting)?;
    let dims: Vec<f64> = (0..=40).map(|i| (n * 10f64.powf(-1.0 + 0.05 * f64::from(i))).round()).collect();
    let columns = dims.iter().map(|d| draws.expected_error(&profile, *d as usize));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    Ok(ErrorCurve::from_columns(dims.iter().map(|d| d / n).collect(), &columns)?)
}

/// Share of the memories in a range of n/d that have errors.
fn share(memories: &[Memory], from: f64, to: f64) -> Result<Estimate, Failure> {
    let inside: Vec<&Memory> = memories.iter().filter(|one| one.load() >= from && one.load() < to).collect();
    let bad = inside.iter().filter(|one| one.has_errors()).count();
    Ok(proportion(bad, inside.len())?)
}

/// Chance that of two memories with unlike shares of wrong answers the one with more has the larger load; that of memory i is `load(i)`.
fn ordered(memories: &[Memory], load: &dyn Fn(usize) -> f64) -> f64 {
    let (mut pairs, mut right) = (0.0, 0.0);
    for (i, a) in memories.iter().enumerate() {
        for (j, _) in memories.iter().enumerate().filter(|(_, b)| b.wrong < a.wrong) {
            pairs += 1.0;
            right += match load(i).total_cmp(&load(j)) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    right / pairs
}

fn inverse(at: Estimate) -> Result<Estimate, Failure> {
    Ok(Estimate::new(1.0 / at.value, 1.0 / at.high, 1.0 / at.low, at.n, at.confidence)?)
}

fn figure(memories: &[Memory], few: &ErrorCurve, many: &ErrorCurve) -> Figure {
    let loads: Vec<f64> = memories.iter().map(Memory::load).collect();
    let wrong: Vec<f64> = memories.iter().map(|one| one.wrong).collect();
    let mut panel = Panel::new("M = 5, equal weights")
        .x_label("seen inputs n / d")
        .y_label("share of seen inputs answered wrongly")
        .log_x()
        .points("simulated memories", &loads, &wrong)
        .colour(5);
    for (k, (n, curve)) in [(100, few), (2000, many)].into_iter().enumerate() {
        let x: Vec<f64> = curve.x().iter().map(|r| 1.0 / r).collect();
        panel = panel.line(&format!("exact, n = {n}"), &x, &curve.means()).colour(k);
    }
    Figure::new("A memory with equal weights forgets gradually around n = d")
        .panel(panel.vline("n = d", 1.0))
        .caption("Dots: one simulated memory each. Lines: exact expectation with n stored inputs.")
}
