//! Figure 12, middle: FAVOR+ and FAVOR++ in the compact memory.
//!
//! **Claim** (`mnemosyne/fig-12-middle`). With FAVOR++ meta-training converges faster at first; asymptotically it performs like FAVOR+,
//! which is therefore used, being simpler.
//!
//! Refuted by an early loss that is no lower with FAVOR++. How near is "similarly", the text does not say: half of what a wrong discount
//! changes stands beside the late losses. Both maps are given the same projections.

use workbench_ledger::{Check, Done, Margin, Sheet};

use super::meta_curves::{ALIKE, DATA, OPEN, PICTURE, Part, SCALED, again, between, figure, table};

const SHOWN: [(&str, &str); 3] =
    [("favor-plus", "FAVOR+"), ("favor-plus-plus", "FAVOR++"), ("k-2", "hyperbolic FAVOR+")];

/// The two maps, early and late.
pub const CHECK: Check = Check {
    claim: "mnemosyne/fig-12-middle",
    metric: "log meta-loss of the first five roll-outs and of the last ten of thirty, FAVOR++ minus FAVOR+",
    against: "an early loss that is no lower with FAVOR++",
    protocol: &["16 features, tau = 0.1, two encoders"],
    choices: &["the same projections for both maps", DATA],
    departures: &[
        SCALED,
        OPEN,
        PICTURE,
        "FAVOR++ with one parameter, that of Eq. 11 with kappa = 8 for gamma = 2, the mean of the squared sums at the start, in the place of a thickened memory",
    ],
    settled: "the first five roll-outs with the cell of B.1 on networks of the printed size, where queries and keys are longer and the two maps differ; at our norms they do not",
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let minus = |name, when, then| between(s, (name, when), ("favor-plus", then));
    let label = "log meta-loss, FAVOR++ minus FAVOR+, first five roll-outs";
    let early = minus("favor-plus-plus", Part::Early, Part::Early)?;
    s.printed(Margin::ZERO).of("trainings").scaled_down().at_most(label, early);
    let label = "log meta-loss, FAVOR++ minus FAVOR+, late";
    let late = minus("favor-plus-plus", Part::Late, Part::Late)?;
    s.aside(ALIKE).of("trainings").scaled_down().equals(label, 0.0, late);

    let lower = s.twin(Margin::ZERO).of("trainings");
    let label = "FAVOR++ in its first five roll-outs minus FAVOR+ in its last ten";
    lower.at_most(label, minus("favor-plus-plus", Part::Early, Part::Late)?);
    let label = "tau = 1 in the place of FAVOR++, minus FAVOR+, first five roll-outs";
    lower.at_most(label, minus("tau-1", Part::Early, Part::Early)?);
    again(s, &SHOWN.map(|(name, _)| name))?;
    s.table(table(s, "Feature maps, late in training", &SHOWN)?);
    s.figure(figure(s, "Three feature maps in meta-training", &SHOWN)?);
    Ok(())
}
