//! Eq. 27: the maximum of correlated Gaussians.
//!
//! **Claim** (`heavy-tailed/eq-27`). max_y P(Z_y <= 0) <= P(max_y Z_y <= 0) <= sum_y P(Z_y <= 0) <= M max_y P(Z_y <= 0).
//!
//! The event max Z <= 0 is the intersection of the events Z_y <= 0, so the first sign should point the other way; an error is the union of
//! the events Z_y > 0. Both readings are evaluated for two and three Gaussians, correlations from -1 to 1 and means of both signs. A
//! reading is refuted by one pair of members in the wrong order.

use ndarray::{Array2, array};
use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memory::{MaximumChain, maximum_chain};

use super::profiles::QUADRATURE;
use crate::vocabulary::EXACT;

/// The four members of the chain, for events `Z <= 0` and for events `Z > 0`.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-27",
    metric: "cells in which a member exceeds the next by more than 1e-9, the accuracy of the integrals",
    against: "one such cell, for each of the three signs and for both kinds of events",
    choices: &["two and three Gaussians, correlations from -1 to 1, means of both signs"],
    run,
    ..Check::DEFAULT
};

/// Correlations of three Gaussians, and their means.
const THREE: [(f64, f64, f64); 5] =
    [(0.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.9, -0.3, -0.4), (-0.5, -0.4, -0.1), (0.99, 0.98, 0.97)];
const MEANS_OF_THREE: [[f64; 3]; 4] = [[-1.0, -1.0, -1.0], [-2.0, 0.5, -0.5], [0.0, 0.0, 0.0], [1.0, -1.0, 0.3]];

fn run(s: &Sheet) -> Done {
    s.misprint("the events are Z_y > 0; with Z_y ≤ 0 the first sign is ≥");
    let (printed, twin) = (s.printed(EXACT).of("cases"), s.twin(EXACT).of("cases"));
    let changed = s.changed(QUADRATURE);
    let exceeds = |smaller: f64, larger: f64| smaller > larger + QUADRATURE.value;
    let correlations = s.knobs("correlations", &[-1.0, -0.9, -0.5, 0.0, 0.5, 0.9, 1.0], -1.0..=1.0)?;
    for MaximumChain { printed: p, complement: c } in s.each("cases", chains(&correlations)?) {
        printed.never("max P(Z ≤ 0) ≤ P(max Z ≤ 0): cases that break it", exceeds(p[0], p[1]));
        printed.never("second inequality as printed: cases that break it", exceeds(p[1], p[2]));
        printed.never("third inequality as printed: cases that break it", exceeds(p[2], p[3]));
        changed.at_most("events Z > 0: max P(Z > 0) less P(max Z > 0), largest", c[0] - c[1]);
        changed.at_most("events Z > 0: P(max Z > 0) less sum P(Z > 0), largest", c[1] - c[2]);
        changed.at_most("events Z > 0: sum P(Z > 0) less M max P(Z > 0), largest", c[2] - c[3]);
        twin.never("without M: sum P(Z > 0) ≤ max P(Z > 0): cases that break it", exceeds(c[2], c[0]));
        twin.never("without the sum: P(max Z > 0) ≤ max P(Z > 0): cases that break it", exceeds(c[1], c[0]));
    }
    let witness = maximum_chain(&[0.0, 0.0], &Array2::eye(2))?.printed;
    let close = s.support(QUADRATURE);
    close.equals("witness: two independent standard Gaussians, P(max Z ≤ 0)", 0.25, witness[1]);
    close.equals("the witness's max P(Z ≤ 0)", 0.5, witness[0]);
    s.note("the display just below it uses the complementary events, as it must");
    s.figure(figure()?);
    Ok(())
}

/// Two Gaussians with these correlations, and three.
fn chains(correlations: &[f64]) -> Result<Vec<MaximumChain>, Failure> {
    let (means, mut chains) = ([-2.0, -0.5, 0.0, 0.7, 2.0], Vec::new());
    for &rho in correlations {
        for a in means {
            for b in means {
                chains.push(maximum_chain(&[a, b], &array![[1.0, rho], [rho, 1.0]])?);
            }
        }
    }
    for (r, s, t) in THREE {
        for means in &MEANS_OF_THREE {
            chains.push(maximum_chain(means, &array![[1.0, r, s], [r, 1.0, t], [s, t, 1.0]])?);
        }
    }
    Ok(chains)
}

fn figure() -> Result<Figure, Failure> {
    let rho: Vec<f64> = (0..=40).map(|i| -1.0 + f64::from(i) / 20.0).collect();
    let chains = rho
        .iter()
        .map(|&r| maximum_chain(&[-1.0, -0.5], &array![[1.0, r], [r, 1.0]]))
        .collect::<Result<Vec<_>, _>>()?;
    let panel = |title: &str, of: fn(&MaximumChain) -> &[f64; 4]| {
        let names = ["largest single one", "of the maximum", "sum", "M times the largest"];
        let mut panel = Panel::new(title);
        for (k, name) in names.iter().enumerate() {
            let line: Vec<f64> = chains.iter().map(|c| of(c)[k]).collect();
            panel = panel.line(name, &rho, &line).colour(k);
        }
        panel.x_label("correlation").y_label("probability").legend_below()
    };
    Ok(
        Figure::new("The first inequality holds for the events Z > 0, not for Z ≤ 0")
            .panel(panel("events Z ≤ 0, as printed", |c| &c.printed))
            .panel(panel("events Z > 0", |c| &c.complement))
            .columns(2)
            .caption(
                "Two Gaussians with means −1 and −1/2. Each line should lie above those named before it. Left: the probability of the \
                 maximum lies below the largest single one. Right: with the complementary events all three inequalities are right.",
            ),
    )
}
