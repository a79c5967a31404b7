//! The proof of Lemma 2, after Eq. 19: the bound on the cap probability, and the two facts that it uses.
//!
//! **Claims.** (`heavy-tailed/lemma-2-cap-bound`) P = 2 Gamma(d/2 + 1/2)/(sqrt(pi) Gamma(d/2 + 1/2)) int (1 - t^2)^((d-1)/2), at most
//! 2 sqrt(d/2 + 1)/sqrt(pi) int t/eta (1 - t^2)^((d-1)/2), at most sqrt(2/(pi eta^2 d)) exp(-eta^2 d/2).
//! (`heavy-tailed/lemma-2-elementary`) The fraction (d+2)/(d+1)^2 is (d+1+1)/(d+1)/(d+1), is (1 + 1/(d+1))/(1 + 1/d)/d, and is at most
//! 1/d; and for x in (-1, 1) ln(1+x) <= x, hence (1+x)^n <= exp(nx).
//!
//! The chain starts from the wrong density, so its first equality is compared with the probability itself, and so is its end; a dimension in
//! which the probability is larger counts against it. Lemmas 2 and 3 do not use the end where it fails. The same steps from the right density give d - 1 in the place of d. Of the facts the first is checked in
//! integers. In the second n is not specified; the proof uses n = (d+1)/2, so n is positive here. For negative n the sign turns, which is
//! run as the wrong twin: Eq. 31 needs the fact there, and pays for it.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{cap_bound, cap_bound_printed, cap_chain, cap_probability};

use super::proof_of_lemma_3::{Broken, QUADRATURE};
use super::sections_b_2_to_b_4::ONE;
use crate::vocabulary::{EXACT, Largest, Least, largest_of};

/// Below this a probability leaves the range of doubles.
const SMALLEST: f64 = 1e-290;

/// The chain on a grid, its end for every dimension.
#[derive(Clone, Debug)]
pub struct CapBound {
    /// Dimensions 2 to this one.
    pub end: usize,
    /// Values of eta between 0 and 1.
    pub points: u32,
}

impl Default for CapBound {
    fn default() -> CapBound {
        CapBound { end: 2000, points: 199 }
    }
}

/// Largest ratios of the probability over a bound.
#[derive(Default)]
struct Ends {
    plane: Largest,
    beyond: Largest,
    corrected: Largest,
    closing: Largest,
    steep: Largest,
    cells: usize,
}

/// The links of the printed chain.
#[derive(Default)]
struct Chain {
    first: Least,
    stretch: Largest,
    equal: Largest,
    last: Largest,
    cases: usize,
}

impl CapBound {
    fn etas(&self) -> Vec<f64> {
        let n = f64::from(self.points + 1);
        (1..=self.points).map(|k| f64::from(k) / n).collect()
    }

    fn ends(&self) -> Result<Ends, Failure> {
        let (mut ends, etas) = (Ends::default(), self.etas());
        for d in 2..=self.end {
            let k = d as f64 - 1.0;
            for &eta in &etas {
                let exact = cap_probability(d, eta)?;
                if exact < SMALLEST {
                    break;
                }
                let printed = exact / cap_bound_printed(d, eta)?;
                if d == 2 {
                    ends.plane.see(printed)
                } else {
                    ends.beyond.see(printed)
                }
                let bound = cap_bound(d, eta)?;
                let closed = (2.0 / std::f64::consts::PI / k).sqrt() / eta * (-0.5 * eta * eta * k).exp();
                ends.corrected.see(exact / bound);
                ends.closing.see(bound / closed);
                ends.steep.see(exact / (bound * (1.0 - eta * eta).sqrt()));
                ends.cells += 1;
            }
        }
        Ok(ends)
    }

    fn chain(&self) -> Result<Chain, Failure> {
        let mut chain = Chain::default();
        for d in [2usize, 3, 5, 10, 50, 200] {
            for eta in self.etas().into_iter().step_by(20) {
                let c = cap_chain(d, eta)?;
                chain.first.see((c.cancelled / c.exact - 1.0).abs());
                chain.stretch.see(c.gammas / c.stretched);
                chain.equal.see((c.stretched / c.closed - 1.0).abs());
                chain.last.see(c.closed / c.bound);
                chain.cases += 1;
            }
        }
        Ok(chain)
    }

    fn figure(&self) -> Result<Figure, Failure> {
        let etas = self.etas();
        let mut panel = Panel::new("exact probability over the printed bound")
            .x_label("η")
            .y_label("ratio")
            .y_limits(0.0, 1.15)
            .hline("bound", 1.0);
        for d in [2usize, 3, 5, 10, 50] {
            let ratio = |eta: &f64| Ok(cap_probability(d, *eta)? / cap_bound_printed(d, *eta)?);
            let ratios = etas.iter().map(ratio).collect::<Result<Vec<f64>, Failure>>()?;
            panel = panel.line(&format!("d = {d}"), &etas, &ratios);
        }
        Ok(Figure::new("The printed bound holds from three dimensions on")
            .panel(panel)
            .caption("Above the grey line the printed bound is smaller than the probability."))
    }
}

impl TypedCheck for CapBound {
    const CLAIM: &'static str = "heavy-tailed/lemma-2-cap-bound";
    const PLAN: Plan = Plan::new(
        "exact probability over a bound, largest over eta; relative difference where an equality is printed",
        "a ratio above one; an equality whose sides differ",
        &[ONE, QUADRATURE],
    )
    .protocol(&["the end for every d = 2 to 2000 and 199 values of eta; the links for six d and ten values of eta"])
    .departures(&["first inequality: from the last member of the display before, whose Gamma functions do not cancel"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let (ends, chain) = (self.ends()?, self.chain()?);
        let over = |label: &str, value: f64, cases: usize| {
            Finding::at_most(label, ONE, Estimate::exact(value)).cases(cases).unit("pairs of d and η")
        };
        let line = 1.0 / cap_bound_printed(1, 0.9)?;
        let equality = |label: &str, off: f64| {
            Finding::identity(label, off, QUADRATURE).cases(chain.cases).unit("pairs of d and η")
        };
        let etas = self.points as usize;
        let evidence = Evidence::of(equality("first equality, printed: smallest relative difference", chain.first.0))
            .and(over("d = 2: probability over the printed end, largest", ends.plane.0, etas))
            .and(over("d = 1, the probability is one: over the printed end, η = 0.9", line, 1))
            .and(over("first inequality, printed: largest ratio", chain.stretch.0, chain.cases))
            .and(equality("second equality, printed: largest relative difference", chain.equal.0))
            .and(over("second inequality, printed: largest ratio", chain.last.0, chain.cases))
            .misprint(
                "with the density (1 - t^2)^((d - 3)/2) the same steps give the bound with d - 1 in the place of d, for d ≥ 2; the printed end is a bound for d ≥ 3",
                vec![
                    over("d − 1 in the place of d: probability over the bound, d ≥ 2", ends.corrected.0, ends.cells),
                    over("its last step, 1 − η² ≤ e^(−η²): largest ratio", ends.closing.0, ends.cells),
                    over("d ≥ 3: probability over the printed end, largest", ends.beyond.0, ends.cells - etas),
                ],
            )
            .twin(over("exponent d/2 in the place of (d − 1)/2: largest ratio", ends.steep.0, ends.cells));
        Ok(Checked::from(evidence).figure(self.figure()?))
    }
}

/// The two facts.
#[derive(Clone, Debug)]
pub struct Elementary {
    /// Dimensions 1 to this one, in integers.
    pub end: usize,
    /// Exponents n, not negative.
    pub exponents: Vec<f64>,
}

impl Default for Elementary {
    fn default() -> Elementary {
        Elementary { end: 10_000, exponents: vec![0.0, 0.5, 1.0, 1.5, 2.0, 5.5, 25.5, 500.5] }
    }
}

/// Whether a/b and c/e are equal, or the first at most the second.
fn equal((a, b): (usize, usize), (c, e): (usize, usize)) -> bool {
    a * e == c * b
}

#[derive(Default)]
struct FirstFact {
    second: Broken,
    third: Broken,
    bound: Broken,
    exchanged: Broken,
}

impl Elementary {
    fn first(&self) -> FirstFact {
        let mut fact = FirstFact::default();
        for d in 1..=self.end {
            let left = (d + 2, (d + 1) * (d + 1));
            fact.second.see(!equal(left, (d + 1 + 1, (d + 1) * (d + 1))));
            // (1 + 1/(d+1)) / (1 + 1/d) / d = (d + 2)/(d + 1) d/(d + 1) / d.
            fact.third.see(!equal(left, ((d + 2) * d, (d + 1) * (d + 1) * d)));
            fact.bound.see(left.0 * d > left.1);
            // (1 + 1/d) / (1 + 1/(d+1)) / d.
            fact.exchanged.see(!equal(left, ((d + 1) * (d + 1), d * d * (d + 2))));
        }
        fact
    }
}

/// Largest ln[(1+x)^n / e^(nx)] over the exponents and x between -1 and 1.
fn largest_log(exponents: &[f64]) -> f64 {
    let x: Vec<f64> = (1..400).map(|i| -1.0 + f64::from(i) / 200.0).collect();
    let all = exponents.iter().flat_map(|n| x.iter().map(move |x| n * (x.ln_1p() - x)));
    largest_of(all) + 0.0 // no negative zero
}

impl TypedCheck for Elementary {
    const CLAIM: &'static str = "heavy-tailed/lemma-2-elementary";
    const PLAN: Plan = Plan::new(
        "dimensions in which a fraction differs, in integers; largest logarithm of (1+x)^n over e^(nx)",
        "a fraction that differs; a logarithm above zero",
        &[EXACT],
    )
    .protocol(&["d = 1 to 10^4; 399 values of x in (-1, 1), n = 0 to 500.5, with the halves that n = (d+1)/2 takes"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let fact = self.first();
        let log = |label: &str, exponents: &[f64]| {
            Finding::at_most(label, 0.0, Estimate::exact(largest_log(exponents)))
                .cases(399 * exponents.len())
                .unit("pairs of x and n")
        };
        Ok(Evidence::of(log("n ≥ 0: largest ln[(1+x)^n / e^(nx)]", &self.exponents))
            .and(fact.third.none("(d+2)/(d+1)² against the third member"))
            .and(fact.second.none("(d+2)/(d+1)² against the second member"))
            .and(fact.bound.none("(d+2)/(d+1)² ≤ 1/d"))
            .and(log("n = 1: largest ln(1+x) − x", &[1.0]))
            .twin(log("n = −d/2, as Eq. 31 needs it: largest ln[(1+x)^n / e^(nx)]", &[-0.5, -1.0, -5.0, -25.0]))
            .twin(fact.exchanged.none("d and d + 1 exchanged in the third member"))
            .into())
    }
}
