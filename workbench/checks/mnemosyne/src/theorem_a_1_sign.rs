//! Theorem A.1, first part: the sign of the expected energy change.
//!
//! **Claim** (`mnemosyne/thm-a1-sign`). Memories at least tau N apart, 0 < rho < tau / 2, inputs within rho N of a memory: as long as
//! M <= exp(2N(tau-2rho)) (1 - e^-2) / 2 e^2, the expected energy change of a flip is positive if it leads away from the memory, and
//! negative if it leads towards it. (The range "l = 1, ..., mu" is that of the memories.)
//!
//! Exhaustive within the limit. Codes are far from the worst case, so the worst case is built too: in a sunflower all competitors sit as near
//! to one input as they may, and gain from one flip. Its signs turn at M - 1 = e^{2N(tau-2rho)-2}, which no argument from distances can
//! better. Refuted by one wrong sign within the limit; a sunflower that turns below it.

use workbench_display::{Figure, Panel, Table, frame};
use workbench_features::compact::{DenseMemory, Guarantee, Interaction, Patterns, Signs, log_most_words, scan_of};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use super::code_scans::{ALL_ALIKE, Scanned, flips, scans};
use crate::vocabulary::{EXACT, least_of};

const NO_DOUBT: Margin =
    Margin::rounding("no doubt of a sign", 1e-6, "a million times what rounding leaves of sums of some thousand terms");

/// All flips of the scanned codes, and sunflowers on both sides of where they turn.
pub const CHECK: Check = Check {
    claim: "mnemosyne/thm-a1-sign",
    metric: "wrong signs among all flips of all inputs of the balls",
    against: "one wrong sign within the limit, of a code or of a sunflower",
    protocol: &["every input of a ball, every flip, M within the limit"],
    choices: &["codes of length 8 to 111; sunflowers with N(τ - 2ρ) = 2 to 5"],
    departures: &["\"l = 1, ..., mu\" is read as all memories, l = 1, ..., M", ALL_ALIKE],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let scans = scans(s)?;
    let (within, beyond): (Vec<&Scanned>, Vec<&Scanned>) = scans.iter().partition(|scan| scan.within_limit());
    let wrong = |scans: &[&Scanned]| scans.iter().map(|scan| scan.seen.wrong).sum::<u64>();
    let n = flips(within.iter().copied());
    s.printed(EXACT).over(n, "flips").same("wrong signs within the limit", wrong(&within) as f64);
    let margin = least_of(within.iter().map(|scan| scan.seen.least_margin));
    let label = "least margin of a sign, over the sum of its terms";
    s.support(NO_DOUBT).over(n, "flips").at_least(label, margin);

    let gaps: Vec<f64> = (2..=s.knob("largest gap N(τ-2ρ)", s.scale().pick(4, 5), 2..=7)?).map(f64::from).collect();
    let mut turning = Vec::new();
    for gap in s.each("sunflowers", &gaps) {
        let petals = first_wrong(*gap as usize)?;
        let (sharp, patterns) = ((2.0 * gap - 2.0).exp(), (petals + 1) as f64);
        let label = "sunflowers that do not turn at the sharp limit";
        s.support(EXACT).never(label, petals != sharp.floor() as usize + 1);
        let printed = sharp * (1.0 - (-2f64).exp()) / 2.0;
        let label = "ln of the first M with a wrong sign in a sunflower over the printed limit, least";
        s.printed(Margin::ZERO).at_least(label, (patterns / printed).ln());
        turning.push(patterns);
    }
    let label = "limit without its factor e⁻²: wrong signs in a sunflower that it allows";
    s.twin(EXACT).same(label, beyond_a_wrong_limit()?);
    s.note(format!(
        "beyond the limit: {} wrong signs in {} flips of codes; first wrong sign of a sunflower at M = {turning:?}",
        wrong(&beyond),
        flips(beyond.iter().copied()),
    ));
    s.table(scan_table(&scans)?);
    s.figure(limit_figure(&gaps, &turning)?);
    Ok(())
}

/// The fewest petals with a wrong sign at the flip that all petals gain from, by halving: each petal adds to the noise.
fn first_wrong(gap: usize) -> Result<usize, Failure> {
    let stands = |petals: usize| -> Result<bool, Failure> {
        let memory = DenseMemory::new(Patterns::sunflower(petals, 1, gap)?, Interaction::Exponential);
        let input = Signs::plus(memory.patterns().dim())?.flipped(0)?;
        Ok(memory.flip_change(&input, 1)?.sign > 0.0)
    };
    let (mut good, mut bad) = (1, 2);
    while stands(bad)? {
        (good, bad) = (bad, 2 * bad);
    }
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        if stands(middle)? {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Ok(bad)
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

fn limit_figure(gaps: &[f64], turning: &[f64]) -> Result<Figure, Failure> {
    let of = |f: fn(f64) -> f64| gaps.iter().map(|g| f((2.0 * g - 2.0).exp())).collect::<Vec<f64>>();
    let left = Panel::new("worst case").x_label("N(τ − 2ρ)").y_label("M").log_y();
    let left = left
        .points("sunflower: first M with a wrong sign", gaps, turning)
        .theory("printed limit", gaps, &of(|e| e * (1.0 - (-2f64).exp()) / 2.0))
        .theory("e^{2N(τ−2ρ)−2} + 1", gaps, &of(|e| e + 1.0));
    let n = 200usize;
    let taus: Vec<f64> = (2..=50).map(|k| 0.01 * f64::from(k)).collect();
    let words = |tau: &f64| Ok(log_most_words(n, (tau * n as f64).round() as usize)? / n as f64);
    let packing = taus.iter().map(words).collect::<Result<Vec<f64>, Failure>>()?;
    let line = |slope: f64| taus.iter().map(|t| slope * t).collect::<Vec<f64>>();
    let title = "what the limit asks of a code, N = 200";
    let right = Panel::new(title).x_label("τ").y_label("ln M / N").y_limits(0.0, 0.8);
    let right = right
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
