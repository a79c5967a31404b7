//! Eq. 27: the maximum of correlated Gaussians.
//!
//! **Claim** (`heavy-tailed/eq-27`). max_y P(Z_y <= 0) <= P(max_y Z_y <= 0) <= sum_y P(Z_y <= 0) <= M max_y P(Z_y <= 0).
//!
//! The event max Z <= 0 is the intersection of the events Z_y <= 0, so the first sign should point the other way; an error is the union
//! of the events Z_y > 0. Both readings are evaluated for two and three Gaussians, correlations from -1 to 1 and means of both signs.
//! Against a reading would count one pair of members in the wrong order.

use ndarray::{Array2, array};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{MaximumChain, maximum_chain};

use super::proof_of_lemma_3::{Broken, QUADRATURE};
use crate::vocabulary::EXACT;

/// The four members of the chain, for events `Z <= 0` and for events `Z > 0`.
#[derive(Clone, Debug)]
pub struct MaximumOfGaussians {
    /// Means of each of two Gaussians.
    pub means: Vec<f64>,
    /// Correlations of two Gaussians.
    pub correlations: Vec<f64>,
}

impl Default for MaximumOfGaussians {
    fn default() -> MaximumOfGaussians {
        MaximumOfGaussians {
            means: vec![-2.0, -0.5, 0.0, 0.7, 2.0],
            correlations: vec![-1.0, -0.9, -0.5, 0.0, 0.5, 0.9, 1.0],
        }
    }
}

/// Correlations of three Gaussians, and their means.
const THREE: [(f64, f64, f64); 5] =
    [(0.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.9, -0.3, -0.4), (-0.5, -0.4, -0.1), (0.99, 0.98, 0.97)];
const MEANS_OF_THREE: [[f64; 3]; 4] = [[-1.0, -1.0, -1.0], [-2.0, 0.5, -0.5], [0.0, 0.0, 0.0], [1.0, -1.0, 0.3]];

impl MaximumOfGaussians {
    fn chains(&self) -> Result<Vec<MaximumChain>, Failure> {
        let mut chains = Vec::new();
        for &rho in &self.correlations {
            for &a in &self.means {
                for &b in &self.means {
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
}

/// How often a member exceeds another by more than the accuracy of the integrals.
fn order(
    chains: &[MaximumChain],
    smaller: impl Fn(&MaximumChain) -> f64,
    larger: impl Fn(&MaximumChain) -> f64,
) -> Broken {
    let mut broken = Broken::default();
    for chain in chains {
        broken.see(smaller(chain) > larger(chain) + QUADRATURE.value);
    }
    broken
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

impl TypedCheck for MaximumOfGaussians {
    const CLAIM: &'static str = "heavy-tailed/eq-27";
    const PLAN: Plan = Plan::new(
        "cells in which a member exceeds the next by more than 1e-9, the accuracy of the integrals",
        "one such cell, for each of the three signs and for both kinds of events",
        &[EXACT, QUADRATURE],
    );

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let chains = self.chains()?;
        let printed = |k: usize| order(&chains, |c| c.printed[k], |c| c.printed[k + 1]);
        let mended = |k: usize| order(&chains, |c| c.complement[k], |c| c.complement[k + 1]);
        let witness = maximum_chain(&[0.0, 0.0], &Array2::eye(2))?;
        let equals = |label: &str, expected: f64, value: f64| {
            Finding::equals(label, expected, QUADRATURE, Estimate::exact(value))
        };
        let evidence = Evidence::of(printed(0).none("max P(Z ≤ 0) ≤ P(max Z ≤ 0)"))
            .and(printed(1).none("second inequality as printed"))
            .and(printed(2).none("third inequality as printed"))
            .misprint(
                "the events are Z_y > 0; with Z_y ≤ 0 the first sign is ≥",
                vec![
                    mended(0).none("max P(Z > 0) ≤ P(max Z > 0)"),
                    mended(1).none("P(max Z > 0) ≤ sum P(Z > 0)"),
                    mended(2).none("sum P(Z > 0) ≤ M max P(Z > 0)"),
                    equals("witness: two independent standard Gaussians, P(max Z ≤ 0)", 0.25, witness.printed[1]),
                    equals("the witness's max P(Z ≤ 0)", 0.5, witness.printed[0]),
                ],
            )
            .twin(
                order(&chains, |c| c.complement[2], |c| c.complement[0]).none("without M: sum P(Z > 0) ≤ max P(Z > 0)"),
            )
            .twin(
                order(&chains, |c| c.complement[1], |c| c.complement[0])
                    .none("without the sum: P(max Z > 0) ≤ max P(Z > 0)"),
            )
            .note("the display just below it uses the complementary events, as it must");
        Ok(Checked::from(evidence).figure(figure()?))
    }
}
