//! Theorem A.1, first part: the sign of the expected energy change.
//!
//! **Claim** (`mnemosyne/thm-a1-sign`). Memories at least tau N apart, 0 < rho < tau / 2, inputs within rho N of a memory: as long as
//! M <= exp(2N(tau-2rho)) (1 - e^-2) / 2 e^2, the expected energy change of a flip is positive if it leads away from the memory, and
//! negative if it leads towards it. (The range "l = 1, ..., mu" is that of the memories.)
//!
//! Exhaustive within the limit. Codes are far from the worst case, so the worst case is built too: in a sunflower all competitors sit as
//! near to one input as they may, and gain from one flip. Its signs turn at M - 1 = e^{2N(tau-2rho)-2}, which no argument from distances
//! can better. What would count against it: one wrong sign within the limit; a sunflower that turns below it.

use workbench_display::{Figure, Panel, Table, frame};
use workbench_features::compact::{DenseMemory, Guarantee, Interaction, Patterns, Signs, log_most_words, scan_of};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use super::section_a_2_scans::{Scanned, flips, scans};
use crate::vocabulary::{EXACT, least_of};

const NO_DOUBT: Margin =
    Margin::new("no doubt of a sign", 1e-6, "a million times what rounding leaves of sums of some thousand terms");

/// All flips of the scanned codes, and sunflowers on both sides of where they turn.
#[derive(Clone, Debug, Default)]
pub struct SignOfChange {
    /// Gaps N (tau - 2 rho) of the sunflowers; by scale if empty.
    pub gaps: Vec<usize>,
}

struct Sunflowers {
    gaps: Vec<f64>,
    /// The first M with a wrong sign.
    turning: Vec<f64>,
    /// Those that do not turn where the distances say.
    elsewhere: u64,
}

/// Whether the flip that all petals gain from still has the right sign.
fn stands(petals: usize, gap: usize) -> Result<bool, Failure> {
    let memory = DenseMemory::new(Patterns::sunflower(petals, 1, gap)?, Interaction::Exponential);
    let input = Signs::plus(memory.patterns().dim())?.flipped(0)?;
    Ok(memory.flip_change(&input, 1)?.sign > 0.0)
}

/// The fewest petals with a wrong sign, by halving: each petal adds to the noise.
fn first_wrong(gap: usize) -> Result<usize, Failure> {
    let (mut good, mut bad) = (1, 2);
    while stands(bad, gap)? {
        (good, bad) = (bad, 2 * bad);
    }
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        if stands(middle, gap)? {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Ok(bad)
}

impl SignOfChange {
    fn sunflowers(&self, setting: &Setting) -> Result<Sunflowers, Failure> {
        let gaps: Vec<usize> = match self.gaps.as_slice() {
            [] => (2..=setting.scale().pick(4, 5)).collect(),
            given => given.to_vec(),
        };
        let (mut turning, mut elsewhere) = (Vec::new(), 0);
        for &gap in &gaps {
            let petals = first_wrong(gap)?;
            let sharp = (2.0 * gap as f64 - 2.0).exp().floor() as usize;
            elsewhere += u64::from(petals != sharp + 1);
            turning.push((petals + 1) as f64);
        }
        Ok(Sunflowers { gaps: gaps.iter().map(|gap| *gap as f64).collect(), turning, elsewhere })
    }
}

impl Sunflowers {
    /// The least quotient of the first M with a wrong sign and the printed limit.
    fn over_limit(&self) -> f64 {
        let printed = |gap: &f64| (2.0 * gap - 2.0).exp() * (1.0 - (-2f64).exp()) / 2.0;
        let quotients = self.gaps.iter().zip(&self.turning).map(|(gap, m)| m / printed(gap));
        least_of(quotients)
    }
}

/// Wrong signs in the sunflower of gap 2 that has as many patterns as the limit without its factor $e^{-2}$ allows.
fn beyond_a_wrong_limit() -> Result<f64, Failure> {
    let log_limit = Guarantee::of(&Patterns::sunflower(2, 1, 2)?, 1)?.log_limit();
    let m = (log_limit + 2.0).exp().floor() as usize;
    let set = Patterns::sunflower(m - 1, 1, 2)?;
    Ok(scan_of(&set, &Guarantee::of(&set, 1)?, &[0])?.wrong as f64)
}

fn scan_table(scans: &[Scanned]) -> Result<Table, Failure> {
    let column = |value: fn(&Scanned) -> f64| scans.iter().map(value).collect::<Vec<f64>>();
    let frame = frame(&[
        ("N", &column(|s| s.guarantee.dim() as f64)),
        ("M", &column(|s| s.size as f64)),
        ("limit on M", &column(|s| s.guarantee.log_limit().exp())),
        ("distance", &column(|s| (s.guarantee.tau() * s.guarantee.dim() as f64).round())),
        ("radius", &column(|s| s.guarantee.radius() as f64)),
        ("flips", &column(|s| s.seen.flips() as f64)),
        ("wrong signs", &column(|s| s.seen.wrong as f64)),
        ("least margin", &column(|s| s.seen.least_margin)),
    ])?;
    Ok(Table::new(frame).title("Exhaustive scans").digits(4).caption(
        "Least margin: smallest |change| over the sum of the absolute values of its terms. Rows with M above the limit are not covered \
         by the theorem.",
    ))
}

fn limit_figure(seen: &Sunflowers) -> Result<Figure, Failure> {
    let x = &seen.gaps;
    let of = |f: fn(f64) -> f64| x.iter().map(|g| f((2.0 * g - 2.0).exp())).collect::<Vec<f64>>();
    let left = Panel::new("worst case")
        .x_label("N(τ − 2ρ)")
        .y_label("M")
        .log_y()
        .points("sunflower: first M with a wrong sign", x, &seen.turning)
        .theory("printed limit", x, &of(|e| e * (1.0 - (-2f64).exp()) / 2.0))
        .theory("e^{2N(τ−2ρ)−2} + 1", x, &of(|e| e + 1.0));
    let n = 200usize;
    let taus: Vec<f64> = (2..=50).map(|k| 0.01 * f64::from(k)).collect();
    let mut packing = Vec::new();
    for tau in &taus {
        packing.push(log_most_words(n, (tau * n as f64).round() as usize)? / n as f64);
    }
    let line = |slope: f64| taus.iter().map(|t| slope * t).collect::<Vec<f64>>();
    let right = Panel::new("what the limit asks of a code, N = 200")
        .x_label("τ")
        .y_label("ln M / N")
        .y_limits(0.0, 0.8)
        .line("most words of any code (upper bound)", &taus, &packing)
        .theory("limit, ρ = 0", &taus, &line(2.0))
        .theory("limit, ρ = 0.8 τ/2", &taus, &line(0.4))
        .theory("limit, ρ = 0.95 τ/2", &taus, &line(0.1))
        .hline("ln 2: all vectors", 2f64.ln());
    Ok(Figure::new("The printed limit on M is safe, by a factor of 2.3")
        .panel(left.legend_below())
        .panel(right.legend_below())
        .columns(2)
        .caption(
            "Left: dots are the smallest M at which a sign turns, computed. Right: where a dashed limit lies above the solid curve, no \
             code with that distance has enough words to exceed it, and the condition on M asks for nothing.",
        ))
}

impl TypedCheck for SignOfChange {
    const CLAIM: &'static str = "mnemosyne/thm-a1-sign";
    const PLAN: Plan = Plan::new(
        "wrong signs among all flips of all inputs of the balls",
        "one wrong sign within the limit; a sunflower that turns elsewhere than where its distances say",
        &[EXACT, NO_DOUBT],
    )
    .departures(&["\"l = 1, ..., mu\" is read as all memories, l = 1, ..., M"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let scans = scans(setting)?;
        let (within, beyond): (Vec<Scanned>, Vec<Scanned>) = scans.iter().cloned().partition(Scanned::within_limit);
        let wrong = |scans: &[Scanned]| scans.iter().map(|s| s.seen.wrong).sum::<u64>();
        let sunflowers = self.sunflowers(setting)?;
        let evidence = Evidence::of(
            Finding::identity("wrong signs within the limit", wrong(&within) as f64, EXACT)
                .cases(flips(&within))
                .unit("flips"),
        )
        .and(
            Finding::identity("sunflowers that do not turn at the sharp limit", sunflowers.elsewhere as f64, EXACT)
                .cases(sunflowers.gaps.len() as u64)
                .unit("sunflowers"),
        )
        .and(Finding::at_least(
            "ln of the first M with a wrong sign in a sunflower over the printed limit, least",
            0.0,
            Estimate::exact(sunflowers.over_limit().ln()),
        ))
        .support(
            Finding::at_least(
                "least margin of a sign, over the sum of its terms",
                NO_DOUBT,
                Estimate::exact(least_of(within.iter().map(|s| s.seen.least_margin))),
            )
            .cases(flips(&within))
            .unit("flips"),
        )
        .twin(Finding::identity(
            "limit without its factor e⁻²: wrong signs in a sunflower that it allows",
            beyond_a_wrong_limit()?,
            EXACT,
        ))
        .note(format!(
            "beyond the limit: {} wrong signs in {} flips of codes; first wrong sign of a sunflower at M = {:?}",
            wrong(&beyond),
            flips(&beyond),
            sunflowers.turning
        ));
        Ok(Checked::from(evidence).table(scan_table(&scans)?).figure(limit_figure(&sunflowers)?))
    }
}
