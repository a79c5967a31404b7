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
//! conclusion is tested without the chain, by the exact union bound, which would leave it open where that is negative.

use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memory::{cap_probability, union_bound, welch_bound};

use super::exponents::ONE;
use super::lemma_2::granted;
use crate::vocabulary::EXACT;

/// The truth table.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-20",
    metric: "cells (P, s) in which an arrow is broken; both sides of the last inequality; the exact union bound at sqrt(4 ln P/d)",
    against: "a broken arrow; an admitted P below 3, or P = 3 not admitted",
    choices: &[
        "P = 2 to 10^5, s = 0.02 to 30; union bounds for 3 ≤ P ≤ 200, d ≤ 400 where eta < 1",
        "existence: P = 3 to 1000, d = 1 to 128, eta = 0.01 to 0.99, by Welch's bound and the exact union bound",
    ],
    run,
    ..Check::DEFAULT
};

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

fn run(s: &Sheet) -> Done {
    s.misprint(
        "line 1 has ≤, and the lines imply one another and the existence of a family from the bottom up only; the last inequality wants P ≥ 4, so P = 3, for which the conclusion is true as well, needs a step of its own",
    );
    arrows(s);
    let needed = 0.5 * (1.0 + offset());
    s.printed(Margin::ZERO).at_least("the last inequality at P = 3: ln P − (1 + ln(2√π))/2", 3f64.ln() - needed);
    let smallest = (2..100u32).find(|p| f64::from(*p).ln() >= needed).unwrap_or(100);
    s.changed(EXACT).equals("smallest P that the last inequality admits", 4.0, f64::from(smallest));
    existence(s)?;
    let union = granted(s)?;
    let label = "the conclusion: exact union bound at √(4 ln P/d), smallest";
    s.both_forms(Margin::ZERO).over(union.cases, "pairs of P and d").at_least(label, union.least);
    let (p, d) = (100_000usize, 10_000usize);
    let label = "4 ln P/d, without the root: Welch bound over it, P = 10^5, d = 10^4";
    s.twin(ONE).of("pairs of P and d").at_most(label, welch_bound(p, d)? / (4.0 * (p as f64).ln() / d as f64));
    Ok(())
}

/// The arrows between the lines, cell by cell.
fn arrows(s: &Sheet) {
    let (printed, changed) = (s.printed(EXACT).of("cases"), s.changed(EXACT).of("cases"));
    for p in (2..=10).chain([20, 50, 100, 1000, 100_000]) {
        for at in (1..=1500).map(|i| 0.02 * f64::from(i) + 1e-5) {
            let line = lines(p, at);
            printed.never("line 1 ⇔ line 2: cases that break it", line[0] != line[1]);
            changed.never("line 1 with ≤ against line 2: cases that break it", line[0] == line[1]);
            for k in 2..5 {
                let down = format!("line {k} ⇒ line {}: cases that break it", k + 1);
                printed.never(down, line[k - 1] && !line[k]);
                changed.never(format!("line {} up to line {k}: cases that break it", k + 1), line[k] && !line[k - 1]);
            }
            let label = "line 5 with s in the place of s/2, up to line 4: cases that break it";
            s.twin(EXACT).of("cases").never(label, lines(p, 2.0 * at)[4] && !line[3]);
        }
    }
}

/// The arrow between line 1 and the existence of a family with eta < 1.
fn existence(s: &Sheet) -> Done {
    let (printed, changed) = (s.printed(EXACT).of("cases"), s.changed(EXACT).of("cases"));
    for p in (3..=10usize).chain([20, 50, 100, 1000]) {
        for d in [1usize, 2, 3, 4, 5, 8, 16, 32, 64, 128] {
            for eta in (1..100).map(|i| 0.01 * f64::from(i)) {
                let at = 0.5 * eta * eta * d as f64;
                let line_1 = lines(p, at)[0];
                let label = "line 1 ⇒ existence: none below the Welch bound: cases that break it";
                printed.never(label, line_1 && eta < welch_bound(p, d)?);
                let label = "existence, by the exact union bound ⇒ line 1: cases that break it";
                printed.never(label, !line_1 && union_bound(p, d, eta)? > 0.0);
                // The pair probability is too large for Eq. 18.
                let too_many = cap_probability(d, eta)? >= 2.0 / (p * (p - 1)) as f64;
                let label = "line 1 with ≤ up to a pair probability below 2/(P(P − 1)): cases that break it";
                changed.never(label, !line_1 && too_many);
                let squared = (-2.0 * at).exp() / (std::f64::consts::PI * at).sqrt();
                let label = "line 1 with ≤ and e^(−2s), up to that pair probability: cases that break it";
                s.twin(EXACT).of("cases").never(label, squared <= 2.0 / (p * p) as f64 && too_many);
            }
        }
    }
    Ok(())
}
