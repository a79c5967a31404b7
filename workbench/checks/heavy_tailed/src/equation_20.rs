//! Eq. 20 and the chain of implications before it.
//!
//! **Claim** (`heavy-tailed/eq-20`). With s = eta^2 d/2, P vectors exist that are eta-quasi orthogonal if and only if (1) holds, the first
//! of five lines joined by equivalences: (1) s^(-1/2) e^(-s)/sqrt(pi) >= 2/P^2, (2) s^(1/2) e^s >= P^2/(2 sqrt(pi)), (3) s >= 1 and e^s >
//! P^2/(2 sqrt(pi)), (4) s >= 2 ln P - ln(2 sqrt(pi)) >= 1, (5) s/2 >= ln P >= (1 + ln(2 sqrt(pi)))/2; hence a family exists for eta >=
//! sqrt(4 ln P/d) as long as P >= 3.
//!
//! Line 1 wants the bound on the pair probability to be small, so its sign should turn; the steps down are sufficient conditions, so the
//! arrows should point up; the last inequality of line 5 decides which P the chain admits. A truth table is filled. The first arrow,
//! between line 1 and existence, is no arithmetic: Welch's bound says where no family exists, the exact union bound where one does. The
//! conclusion is tested without the chain, by the exact union bound: one that is negative would leave the existence open.

use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{cap_probability, union_bound, welch_bound};

use super::lemma_2::granted;
use super::proof_of_lemma_3::Broken;
use crate::vocabulary::EXACT;

/// The truth table.
#[derive(Clone, Debug)]
pub struct Implications {
    /// Numbers of vectors P.
    pub sizes: Vec<usize>,
    /// Values of s, a fiftieth apart.
    pub steps: u32,
}

impl Default for Implications {
    fn default() -> Implications {
        Implications { sizes: (2..=10).chain([20, 50, 100, 1000, 100_000]).collect(), steps: 1500 }
    }
}

/// ln(2 sqrt(pi)).
fn offset() -> f64 {
    (2.0 * std::f64::consts::PI.sqrt()).ln()
}

/// The five lines at one cell.
fn lines(p: usize, s: f64) -> [bool; 5] {
    let (log_p, offset) = ((p as f64).ln(), offset());
    let needed = 2.0 * log_p - offset;
    [
        -0.5 * s.ln() - s - 0.5 * std::f64::consts::PI.ln() >= 2f64.ln() - 2.0 * log_p,
        0.5 * s.ln() + s >= needed,
        s >= 1.0 && s > needed,
        s >= needed && needed >= 1.0,
        0.5 * s >= log_p && log_p >= 0.5 * (1.0 + offset),
    ]
}

#[derive(Default)]
struct Arrows {
    first: Broken,
    turned: Broken,
    down: [Broken; 3],
    up: [Broken; 3],
    /// Line 5 with s in the place of s/2, then up to line 4.
    undivided: Broken,
}

impl Implications {
    fn arrows(&self) -> Arrows {
        let mut arrows = Arrows::default();
        for &p in &self.sizes {
            for s in (1..=self.steps).map(|i| 0.02 * f64::from(i) + 1e-5) {
                let line = lines(p, s);
                arrows.first.see(line[0] != line[1]);
                arrows.turned.see(line[0] == line[1]);
                for k in 0..3 {
                    arrows.down[k].see(line[k + 1] && !line[k + 2]);
                    arrows.up[k].see(line[k + 2] && !line[k + 1]);
                }
                arrows.undivided.see(lines(p, 2.0 * s)[4] && !line[3]);
            }
        }
        arrows
    }
}

/// The arrow between line 1 and the existence of a family with eta < 1.
#[derive(Default)]
struct Existence {
    /// Line 1 as printed where Welch's bound excludes a family.
    none_exists: Broken,
    /// No line 1 as printed where the exact union bound is positive, so that a family exists.
    not_said: Broken,
    /// Line 1 with <= where the pair probability is too large for Eq. 18.
    turned: Broken,
    /// The same with e^(-2s) in line 1.
    squared: Broken,
}

fn existence() -> Result<Existence, Failure> {
    let mut found = Existence::default();
    for p in (3..=10usize).chain([20, 50, 100, 1000]) {
        for d in [1usize, 2, 3, 4, 5, 8, 16, 32, 64, 128] {
            for eta in (1..100).map(|i| 0.01 * f64::from(i)) {
                let s = 0.5 * eta * eta * d as f64;
                let printed = lines(p, s)[0];
                let too_many = cap_probability(d, eta)? >= 2.0 / (p * (p - 1)) as f64;
                let squared = (-2.0 * s).exp() / (std::f64::consts::PI * s).sqrt();
                found.none_exists.see(printed && eta < welch_bound(p, d)?);
                found.not_said.see(!printed && union_bound(p, d, eta)? > 0.0);
                found.turned.see(!printed && too_many);
                found.squared.see(squared <= 2.0 / (p * p) as f64 && too_many);
            }
        }
    }
    Ok(found)
}

impl TypedCheck for Implications {
    const CLAIM: &'static str = "heavy-tailed/eq-20";
    const PLAN: Plan = Plan::new(
        "cells (P, s) in which an arrow is broken; both sides of the last inequality; the exact union bound at sqrt(4 ln P/d)",
        "a broken arrow; an admitted P below 3, or P = 3 not admitted; a union bound below zero",
        &[EXACT],
    )
    .protocol(&[
        "P = 2 to 10^5, s = 0.02 to 30; union bounds for 3 ≤ P ≤ 200, d ≤ 400 where eta < 1",
        "existence: P = 3 to 1000, d = 1 to 128, eta = 0.01 to 0.99, by Welch's bound and the exact union bound",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let arrows = self.arrows();
        let (granted, existence) = (granted(setting)?, existence()?);
        let needed = 0.5 * (1.0 + offset());
        let smallest = (2..100usize).find(|p| (*p as f64).ln() >= needed).unwrap_or(100);
        let union = |label: &str, value: f64| {
            Finding::at_least(label, 0.0, Estimate::exact(value)).cases(granted.cases).unit("pairs of P and d")
        };
        let [two, three, four] = arrows.down;
        let [to_two, to_three, to_four] = arrows.up;
        Ok(Evidence::of(arrows.first.none("line 1 ⇔ line 2"))
            .and(Finding::at_least(
                "the last inequality at P = 3: ln P − (1 + ln(2√π))/2",
                0.0,
                Estimate::exact(3f64.ln() - needed),
            ))
            .and(two.none("line 2 ⇒ line 3"))
            .and(three.none("line 3 ⇒ line 4"))
            .and(four.none("line 4 ⇒ line 5"))
            .and(existence.none_exists.none("line 1 ⇒ existence: none below the Welch bound"))
            .and(existence.not_said.none("existence, by the exact union bound ⇒ line 1"))
            .misprint(
                "line 1 has ≤, the lines imply one another and the existence of a family from the bottom up only, and the chain admits P ≥ 4; the conclusion is true for P = 3 as well",
                vec![
                    union("the conclusion: exact union bound at √(4 ln P/d), smallest", granted.least),
                    Finding::equals(
                        "smallest P that the last inequality admits",
                        4.0,
                        EXACT,
                        Estimate::exact(smallest as f64),
                    ),
                    arrows.turned.none("line 1 with ≤ against line 2"),
                    existence.turned.none("line 1 with ≤ up to a pair probability below 2/(P(P − 1))"),
                    to_two.none("line 3 up to line 2"),
                    to_three.none("line 4 up to line 3"),
                    to_four.none("line 5 up to line 4"),
                ],
            )
            .twin(union("√(2 ln P/d): exact union bound, smallest", granted.halved))
            .twin(existence.squared.none("line 1 with ≤ and e^(−2s), up to that pair probability"))
            .twin(arrows.undivided.none("line 5 with s in the place of s/2, up to line 4"))
            .into())
    }
}
