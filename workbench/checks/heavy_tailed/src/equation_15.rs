//! Eq. 15 and the display before it: series against integrals.
//!
//! **Claim** (`heavy-tailed/eq-15`). With g_k = p e^(-kpT), k = 2 ln 2, p(c) = 1/T: int_1^N g_k - 1/T <= int_2^c g_k(x - 1) + int_c^N g_k
//! <= sum_{x >= 2} g_k <= E(f^) <= sum g_1 <= int_1^N g_k + 1/T, and for N to infinity E(f^) is of the order of int_1^inf p e^(-Tp) dx ±
//! 1/T.
//!
//! Each link is counted on its own. The last member has the factor k, the series that it bounds has not; as g_k < g_1 it should be too
//! small, by the order of the sum, and g_1 should mend it. Eq. 15 is refuted by sides that differ by more than 1/T.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{SeriesAndIntegrals, Zipf, rank_integral, series_and_integrals};

use super::exponents::{ONE, floats};
use super::profiles::exceeds;
use crate::vocabulary::EXACT;

/// The chain on a grid, Eq. 15 over decades.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-15",
    metric: "cases in which a link is broken by more than rounding; difference of error and integral times T",
    against: "a broken link; a difference above 1/T",
    protocol: &["Zipf laws; Eq. 15 with N = ∞"],
    choices: &[
        "alpha = 0.5 to 3, N up to 10^5, T up to 10^6; for Eq. 15 alpha = 1.5, 2, 3 and T up to 10^10",
        "only cells in which p(c) = 1/T has a solution from 2 to N, which the display presupposes",
    ],
    run,
    ..Check::DEFAULT
};

/// The display presupposes that p(c) = 1/T at a rank from 2 to N.
fn has_split(law: &Zipf, inputs: usize, t: usize) -> bool {
    let c = (law.constant() * t as f64).powf(1.0 / law.alpha());
    (2.0..=inputs as f64).contains(&c)
}

fn run(s: &Sheet) -> Done {
    s.misprint("the last integral has the exponent -pT of the series it bounds, not -2 ln 2 pT");
    let mut room = [f64::INFINITY; 5];
    for alpha in [0.5, 1.0, 1.2, 1.5, 2.0, 3.0] {
        for inputs in [100, 1000, 10_000, 100_000] {
            let law = Zipf::new(alpha, inputs)?;
            for t in s.each("cases", [10, 30, 100, 1000, 10_000, 100_000, 1_000_000]) {
                if has_split(&law, inputs, t) {
                    links(s, &series_and_integrals(&law, t)?, t as f64, &mut room);
                }
            }
        }
    }
    let room = room.map(|room| format!("{room:.3}")).join(", ");
    s.note(format!("smallest room over the error, links 1 to 5: {room}"));
    let sides = sides(s)?;
    s.figure(figure(&sides)?);
    Ok(())
}

/// The five links of one cell, and the smallest room of each.
fn links(s: &Sheet, m: &SeriesAndIntegrals, t: f64, room: &mut [f64; 5]) {
    let links = [
        (m.upper_series, m.upper_printed, "link 5, as printed: cases that break it"),
        (m.whole, m.split, "link 1: cases that break it"),
        (m.split, m.series, "link 2: cases that break it"),
        (m.series, m.error, "link 3: cases that break it"),
        (m.error, m.upper_series, "link 4: cases that break it"),
    ];
    let (printed, shared) = (s.printed(EXACT).of("cases"), s.both_forms(EXACT).of("cases"));
    for (k, (low, high, label)) in links.into_iter().enumerate() {
        if k == 0 { printed } else { shared }.never(label, exceeds(low, high));
        let place = &mut room[(k + 4) % 5];
        *place = place.min((high - low) / m.error);
    }
    let label = "link 5 with e^(−pT): least room, over the error";
    s.changed(Margin::ZERO).at_least(label, (m.upper - m.upper_series) / m.error);
    let label = "without the −1/T in the first member: cases that break it";
    s.twin(EXACT).of("cases").never(label, exceeds(m.whole + 1.0 / t, m.split));
}

/// Last power of ten of T in Eq. 15.
const DECADES: u32 = 10;

fn times() -> Vec<usize> {
    (0..=DECADES).map(|k| 10usize.pow(k)).collect()
}

/// Error over integral for T = 1, 10, ..., law by law.
fn sides(s: &Sheet) -> Result<Vec<(f64, Vec<f64>)>, Failure> {
    let mut all = Vec::new();
    for alpha in [1.5, 2.0, 3.0] {
        let law = Zipf::infinite(alpha)?;
        let integral = |t: f64| rank_integral(&law, t, 1.0, f64::INFINITY);
        let mut ratios = Vec::new();
        for size in s.each("pairs of α and T", times()) {
            let (t, sum) = (size as f64, law.unseen_mass(size));
            let value = integral(t)?;
            ratios.push(sum / value);
            let label = "Eq. 15: largest |error − integral| times T";
            s.both_forms(ONE).at_most(label, (sum - value).abs() * t);
            // A factor in the exponent would change the integral by a constant only, which "of the order of" allows.
            let ended = rank_integral(&law, t, 1.0, 1000.0)?;
            let label = "ended at x = 1000 in the integral of Eq. 15: largest difference times T";
            s.twin(ONE).largest().at_most(label, (sum - ended).abs() * t);
        }
        all.push((alpha, ratios));
    }
    Ok(all)
}

fn figure(sides: &[(f64, Vec<f64>)]) -> Result<Figure, Failure> {
    let (law, inputs) = (Zipf::new(2.0, 100_000)?, 100_000);
    let sizes: Vec<usize> = (2..=16).map(|k| 10f64.powf(0.5 * f64::from(k)) as usize).collect();
    let (mut x, mut members) = (Vec::new(), vec![Vec::new(); 6]);
    for t in sizes.into_iter().filter(|t| has_split(&law, inputs, *t)) {
        let m = series_and_integrals(&law, t)?;
        x.push(t as f64);
        let values = [m.whole, m.split, m.series, m.upper_series, m.upper_printed, m.upper];
        for (list, value) in members.iter_mut().zip(values) {
            list.push(value / m.error);
        }
    }
    let names = ["first", "second", "third", "fifth", "last, printed", "last, with e^{−pT}"];
    let mut left = Panel::new("α = 2, N = 10^{5}").x_label("T").y_label("member over error").log_x();
    for (k, name) in names.into_iter().enumerate() {
        left = left.line(name, &x, &members[k]).colour(k);
    }
    let mut right = Panel::new("N = ∞").x_label("T").y_label("error over integral").log_x();
    for (k, (alpha, ratios)) in sides.iter().enumerate() {
        right = right.line(&format!("α = {alpha}"), &floats(&times()), ratios).colour(k);
    }
    Ok(Figure::new("Four links hold, the last one as printed does not")
            .panel(left.y_limits(0.6, 1.5).hline("error", 1.0).legend_below())
            .panel(right.y_limits(0.0, 1.6).hline("1", 1.0).legend_below())
            .columns(2)
            .caption("Left: members that bound the error from above have to lie above the dashed line. Right: both sides of Eq. 15."))
}
