//! Section 3, Learning the embeddings: how many associations the matrix holds.
//!
//! **Claim** (`heavy-tailed/linear-capacity`). By Lemma 3 the model with its d^2 parameters memorises only about d/log d associations, an
//! intrinsic limitation of the linear model. Higher moments of e_{x'}^T e_x may or may not help for a given number of parameters.
//!
//! The capacity is the P at which all P equally weighted pairs are recalled with probability one half. Lemma 3 has a fixed number of
//! classes; the sentence speaks of pairs (e_x, u_y) and of a limitation of the model. So both are measured, five classes and an output of
//! its own for every pair. P = c d/log P is read off as a power of one of d in P ln P. Another power, in either, counts against the
//! sentence as it stands.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, Stream};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{OutputSharing, Similarity, StoredPairs, recall_of_all};

use super::section_3_learning::{CLASSES, EXPONENT};
use crate::vocabulary::by_scale;

/// Three memories and the numbers of pairs that they recall at once.
#[derive(Clone, Debug, Default)]
pub struct Capacity {
    /// Independent embeddings for each d; by scale if 0.
    pub runs: usize,
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

/// A memory, the dimensions in which it is tried, and a guess for its capacity.
struct Memory {
    name: &'static str,
    similarity: Similarity,
    sharing: OutputSharing,
    stream: &'static str,
    dims: Vec<usize>,
    /// Factor and power of d in P ln P.
    guess: (f64, f64),
}

/// Its capacities.
struct Found {
    memory: Memory,
    pairs: Vec<Estimate>,
}

impl Memory {
    fn capacities(self, setting: &Setting, runs: usize, boot: &mut Stream) -> Result<Found, Failure> {
        let mut pairs = Vec::new();
        for &d in &self.dims {
            let sizes = around(solved(d as f64, self.guess.0, self.guess.1));
            let stored = StoredPairs { similarity: self.similarity, sharing: self.sharing, dim: d, sizes };
            let recalled = recall_of_all(&stored, runs, setting.streams(), self.stream)?;
            pairs.push(recalled.crossing(0.5, boot)?);
        }
        Ok(Found { memory: self, pairs })
    }
}

impl Found {
    /// The power of d in `f(P)` between the ends, with the ends' intervals.
    fn power(&self, f: fn(f64) -> f64) -> Result<Estimate, Failure> {
        let dims = &self.memory.dims;
        let (a, b) = (self.pairs[0], self.pairs[self.pairs.len() - 1]);
        let range = (dims[dims.len() - 1] as f64 / dims[0] as f64).ln();
        let slope = |upper: f64, lower: f64| (f(upper) / f(lower)).ln() / range;
        Ok(Estimate::new(slope(b.value, a.value), slope(b.low, a.high), slope(b.high, a.low), a.n, a.confidence)?)
    }

    fn with_logarithm(&self) -> Result<Estimate, Failure> {
        self.power(|p| p * p.ln())
    }

    fn drawn(&self, panel: Panel, colour: usize, law: (&str, f64, f64)) -> Panel {
        let x: Vec<f64> = self.memory.dims.iter().map(|d| *d as f64).collect();
        let of = |f: fn(&Estimate) -> f64| self.pairs.iter().map(f).collect::<Vec<f64>>();
        let line: Vec<f64> = x.iter().map(|d| solved(*d, law.1, law.2)).collect();
        panel
            .error_bars(self.memory.name, &x, &of(|e| e.value), &of(|e| e.low), &of(|e| e.high))
            .colour(colour)
            .theory(law.0, &x, &line)
            .colour(colour)
    }
}

fn table(memories: &[&Found]) -> Result<Table, Failure> {
    let (mut names, mut dims, mut pairs, mut each) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for found in memories {
        for (&d, p) in found.memory.dims.iter().zip(&found.pairs) {
            let numbers = match found.memory.similarity {
                Similarity::Linear => (d * d) as f64,
                // Every stored input, and its class.
                _ => p.value * (d + 1) as f64,
            };
            names.push(found.memory.name.to_string());
            dims.push(d as f64);
            pairs.push(p.value);
            each.push(p.value / numbers);
        }
    }
    Ok(Table::new(columns(vec![
        ("memory", names.into()),
        ("d", dims.into()),
        ("pairs P", pairs.into()),
        ("pairs for each number kept", each.into()),
    ])?)
    .title("Pairs recalled at once with probability one half")
    .caption("W keeps d² numbers; the squared similarity keeps every stored input and its class, P(d + 1) numbers.")
    .rows(20)
    .digits(3))
}

impl TypedCheck for Capacity {
    const CLAIM: &'static str = "heavy-tailed/linear-capacity";
    const PLAN: Plan = Plan::new(
        "power of d in P ln P between the smallest and the largest d, where all P pairs are recalled with probability one half",
        "a power other than one, with five classes or with an output for each pair",
        &[EXPONENT],
    )
    .protocol(&["random inputs and outputs on the unit sphere, equal weights; d from 16 to 512"])
    .departures(&["unit inputs and not Gaussian ones: their norms would add what does not depend on P"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let runs = by_scale(self.runs, setting.scale().pick(100, 200));
        let mut boot = setting.stream("bootstrap, capacity")?;
        let five = Memory {
            name: "five classes",
            similarity: Similarity::Linear,
            sharing: OutputSharing::Classes(CLASSES),
            stream: "capacity, five classes",
            dims: setting.scale().pick(vec![16, 32, 64, 128, 256], vec![16, 32, 64, 128, 256, 512]),
            guess: (1.25, 1.0),
        }
        .capacities(setting, runs, &mut boot)?;
        let own = Memory {
            name: "an output for each pair",
            similarity: Similarity::Linear,
            sharing: OutputSharing::Own,
            stream: "capacity, own outputs",
            dims: setting.scale().pick(vec![16, 32, 64], vec![16, 32, 64, 128]),
            guess: (0.13, 2.0),
        }
        .capacities(setting, by_scale(self.runs, 200), &mut boot)?;
        let squared = Memory {
            name: "five classes, squared similarity",
            similarity: Similarity::Quadratic,
            sharing: OutputSharing::Classes(CLASSES),
            stream: "capacity, quadratic",
            dims: vec![8, 16, 32],
            guess: (0.363, 2.0),
        }
        .capacities(setting, runs.min(60), &mut boot)?;
        let equals = |label: &str, power: f64, found: Estimate| {
            Finding::equals(label, power, EXPONENT, found).unit("embeddings")
        };
        let of_five = equals("five classes: power of d in P ln P", 1.0, five.with_logarithm()?);
        let logarithm = Finding::at_most(
            "five classes: power of d in P without the logarithm, less one",
            0.0,
            five.power(|p| p)?.affine(1.0, -1.0)?,
        )
        .unit("embeddings");
        let of_own = own.with_logarithm()?;
        let of_own_bare = Finding::at_most(
            "an output for each pair: power of d in P without the logarithm, less two",
            0.0,
            own.power(|p| p)?.affine(1.0, -2.0)?,
        )
        .unit("embeddings");
        let evidence = Evidence::of(equals("an output for each pair: power of d in P ln P", 1.0, of_own))
            .and(equals("five classes, as in Lemma 3: power of d in P ln P", 1.0, of_five.measured()))
            .weaker(
                "about d/log d for a number of classes that does not grow with P, as in Lemma 3; not of the linear model itself: with an output for every pair about d²/log d, so that the d² parameters are used",
                vec![
                    equals("an output for each pair: power of d in P ln P, as two", 2.0, of_own),
                    of_five,
                    logarithm,
                    of_own_bare,
                ],
            )
            .twin(equals(
                "squared similarity in place of the inner product, five classes: power of d in P ln P",
                1.0,
                squared.with_logarithm()?,
            ));
        let panel = Panel::new("").x_label("d").y_label("P recalled with probability 1/2").log_x().log_y();
        let panel = five.drawn(panel, 0, ("1.33 d/ln P", 1.33, 1.0));
        let panel = own.drawn(panel, 1, ("d²/(7 ln P)", 1.0 / 7.0, 2.0));
        Ok(Checked::from(evidence)
            .figure(
                Figure::new("Capacity depends on whether pairs share their outputs")
                    .panel(panel.legend_below())
                    .caption("Dots with 99.9 % intervals. Dashed: a power of d over the logarithm of P, with a constant set by eye."),
            )
            .table(table(&[&five, &own, &squared])?))
    }
}
