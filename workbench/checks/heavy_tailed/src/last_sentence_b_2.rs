//! B.2, last sentence: the case of equal weights.
//!
//! **Claim** (`heavy-tailed/b2-rho-0`). For rho = 0 an error is counted if and only if the number of seen inputs is smaller than d.
//!
//! More stored pairs are more noise, so the comparison should point the other way. Memories are simulated with random T; one *has errors*
//! when more than a fifth of what it has seen is answered wrongly. Against the sentence speak memories without errors although n < d, and
//! memories with errors although n is far above d.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, proportion};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{AssociativeMemory, Embeddings, ErrorCurve, Profile, Scheme, Zipf};

use super::sections_b_2_to_b_4::{CLASSES, ONE, draws, target};
use crate::vocabulary::by_scale;

const MOSTLY: Margin =
    Margin::new("mostly", 0.75, "three of four; nearer to the switch a gradual change allows no more");
const SELDOM: Margin = Margin::new("seldom", 0.25, "one of four; nearer to the switch a gradual change allows no less");
const ORDER: Margin = Margin::new("order", 0.9, "chance that a pair is ordered rightly; a coin orders half of them");
const THRICE: Margin = Margin::new("thrice", 3.0, "the switch is said to be near n = d, so not at three times d");
const PROPORTIONAL: Margin =
    Margin::new("proportional", 0.05, "tells n proportional to d from n proportional to a square root or a square");
/// Share of wrong answers above which a memory has errors.
const A_FIFTH: f64 = 0.2;

/// Simulated memories with equal weights, and the exact expectation.
#[derive(Clone, Debug)]
pub struct EqualWeights {
    /// Memories; by scale if 0.
    pub memories: usize,
    /// Inputs N.
    pub inputs: usize,
    /// Dimensions, in turn.
    pub dims: Vec<usize>,
    /// Numbers of stored inputs for the exact expectation.
    pub stored: [usize; 2],
}

impl Default for EqualWeights {
    fn default() -> EqualWeights {
        EqualWeights { memories: 0, inputs: 400, dims: vec![16, 32, 64], stored: [100, 2000] }
    }
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

/// The expected share of wrong answers along d/n, and the d/n where it is a fifth.
struct Switch {
    stored: usize,
    ratio: Vec<f64>,
    error: Vec<f64>,
    at: Estimate,
}

impl EqualWeights {
    fn memories(&self, setting: &Setting) -> Result<Vec<Memory>, Failure> {
        let (law, labels) = (Zipf::new(1.2, self.inputs)?, target()?.labels(self.inputs));
        let mut rows = Vec::new();
        for i in 0..by_scale(self.memories, setting.scale().pick(480, 2400)) {
            let mut stream = setting.streams().replicate("rho = 0", i)?;
            let d = self.dims[i % self.dims.len()];
            let counts = law.sample_counts((10.0 * 600f64.powf(stream.uniform())) as usize, &mut stream)?;
            let embeddings = Embeddings::draw(self.inputs, CLASSES, d, &mut stream)?;
            let q = Scheme::uniform().empirical_weights(&counts, self.inputs, d)?;
            let margins = AssociativeMemory::store(&embeddings, &q, &labels)?.margins(&embeddings, &labels)?;
            let wrong = counts.seen.iter().filter(|s| margins[s.0 - 1] <= 0.0).count();
            let seen = counts.seen.len() as f64;
            rows.push(Memory { seen, dim: d as f64, wrong: wrong as f64 / seen });
        }
        Ok(rows)
    }

    fn switch(&self, setting: &Setting, stored: usize) -> Result<Switch, Failure> {
        let n = stored as f64;
        let (equal, labels) = (vec![1.0; stored], target()?.labels(stored));
        let profile = Profile::from_weights(&vec![1.0 / n; stored], &equal, &labels, CLASSES)?;
        let draws = draws(setting)?;
        let dims: Vec<f64> = (0..=40).map(|i| (n * 10f64.powf(-1.0 + 0.05 * f64::from(i))).round()).collect();
        let columns = dims.iter().map(|d| draws.expected_error(&profile, *d as usize));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let ratio: Vec<f64> = dims.iter().map(|d| d / n).collect();
        let curve = ErrorCurve::from_columns(ratio.clone(), &columns)?;
        let at = curve.crossing(A_FIFTH, &mut setting.stream(&format!("switch {stored}"))?)?;
        Ok(Switch { stored, ratio, error: curve.means(), at })
    }
}

/// Share of the memories in a range of n/d that have errors.
fn share(rows: &[Memory], from: f64, to: f64) -> Result<Estimate, Failure> {
    let inside: Vec<&Memory> = rows.iter().filter(|row| row.load() >= from && row.load() < to).collect();
    let bad = inside.iter().filter(|row| row.has_errors()).count();
    Ok(proportion(bad, inside.len())?)
}

/// Chance that a memory with errors has a larger load than one without; the load of memory i is `load(i)`.
fn area(rows: &[Memory], load: &dyn Fn(usize) -> f64) -> f64 {
    let (bad, good): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|i| rows[*i].has_errors());
    let below = |b: &usize| good.iter().filter(|g| load(**g) < load(*b)).count();
    bad.iter().map(below).sum::<usize>() as f64 / (bad.len() * good.len()) as f64
}

fn figure(rows: &[Memory], switches: &[Switch]) -> Figure {
    let loads: Vec<f64> = rows.iter().map(Memory::load).collect();
    let wrong: Vec<f64> = rows.iter().map(|row| row.wrong).collect();
    let mut panel = Panel::new("M = 5, equal weights")
        .x_label("seen inputs n / d")
        .y_label("share of seen inputs answered wrongly")
        .log_x()
        .points("simulated memories", &loads, &wrong)
        .colour(5);
    for (k, one) in switches.iter().enumerate() {
        let x: Vec<f64> = one.ratio.iter().map(|r| 1.0 / r).collect();
        panel = panel.line(&format!("exact, n = {}", one.stored), &x, &one.error).colour(k);
    }
    Figure::new("A memory with equal weights forgets gradually around n = d")
        .panel(panel.vline("n = d", 1.0))
        .caption("Dots: one simulated memory each. Lines: exact expectation with n stored inputs.")
}

impl TypedCheck for EqualWeights {
    const CLAIM: &'static str = "heavy-tailed/b2-rho-0";
    const PLAN: Plan = Plan::new(
        "share of simulated memories that answer more than a fifth of what they have seen wrongly, by n/d",
        "memories without errors although n < d; memories with errors although n is far above d",
        &[MOSTLY, SELDOM, ORDER, ONE, THRICE, PROPORTIONAL],
    )
    .protocol(&["ρ = 0, M = 5, α = 1.2, N = 400, d = 16, 32, 64, T log-uniform from 10 to 6000"])
    .departures(&[
        "an error is counted in the answers, more than a fifth of them, since the sentence counts it by n and d alone",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let rows = self.memories(setting)?;
        let (below, beyond) = (share(&rows, 0.0, 1.0)?, share(&rows, 3.0, f64::INFINITY)?);
        let [few, many] = self.stored;
        let switches = [self.switch(setting, few)?, self.switch(setting, many)?];
        let [at_few, at_many] = [switches[0].at, switches[1].at];
        let exponent = 1.0 + (at_many.value / at_few.value).ln() / (many as f64 / few as f64).ln();
        let own = area(&rows, &|i| rows[i].load());
        let next = area(&rows, &|i| rows[(i + 1) % rows.len()].seen / rows[i].dim);
        let evidence = Evidence::of(
            Finding::at_least("memories with errors among those with n < d", MOSTLY, below).unit("memories"),
        )
        .and(Finding::at_most("memories with errors among those with n ≥ 3d", SELDOM, beyond).unit("memories"))
        .misprint(
            "larger in place of smaller: errors come when the number of seen inputs exceeds about d, and gradually",
            vec![
                Finding::at_most("n < d: share of memories with errors", SELDOM, below).unit("memories"),
                Finding::at_least("n ≥ 3d: share of memories with errors", MOSTLY, beyond).unit("memories"),
                Finding::at_least("chance that a memory with errors has the larger n/d", ORDER, Estimate::exact(own)),
                Finding::at_least("n/d at which a fifth is lost, n = 2000", ONE, inverse(at_many)?),
                Finding::at_most("n/d at which a fifth is lost, n = 100", THRICE, inverse(at_few)?),
                Finding::equals("exponent of d in n at the switch", 1.0, PROPORTIONAL, Estimate::exact(exponent)),
            ],
        )
        .twin(Finding::at_least(
            "the seen inputs of another memory: chance that one with errors has the larger n/d",
            ORDER,
            Estimate::exact(next),
        ));
        Ok(Checked::from(evidence).figure(figure(&rows, &switches)))
    }
}

fn inverse(at: Estimate) -> Result<Estimate, Failure> {
    Ok(Estimate::new(1.0 / at.value, 1.0 / at.high, 1.0 / at.low, at.n, at.confidence)?)
}
