//! Figure 12, middle: FAVOR+ and FAVOR++ in the compact memory.
//!
//! **Claim** (`mnemosyne/fig-12-middle`). With FAVOR++ meta-training converges faster at first; asymptotically it performs like FAVOR+,
//! which is therefore used, being simpler.
//!
//! Against it: an early loss that is no lower with FAVOR++; late losses more than a tenth apart. Both maps are given the same projections.

use workbench_ledger::{Checked, Failure, Finding, Plan, Setting, TypedCheck};

use super::section_b_1::{SIMILAR, lower, scaled_down};
use super::section_b_2_to_b_5::{AGAIN, DATA, OPEN, PICTURE, Part, SCALED, between, figure, late, table, with_again};

const SHOWN: [(&str, &str); 3] =
    [("favor-plus", "FAVOR+"), ("favor-plus-plus", "FAVOR++"), ("k-2", "hyperbolic FAVOR+")];

/// The two maps, early and late.
#[derive(Clone, Debug, Default)]
pub struct TwoMaps;

impl TypedCheck for TwoMaps {
    const CLAIM: &'static str = "mnemosyne/fig-12-middle";
    const PLAN: Plan = Plan::new(
        "log meta-loss of the first five roll-outs and of the last ten of thirty, FAVOR++ minus FAVOR+",
        "an early loss that is no lower with FAVOR++; late losses more than a tenth apart",
        &[SIMILAR, AGAIN],
    )
    .protocol(&["16 features, tau = 0.1, two encoders; the same projections for both maps", DATA])
    .departures(&[SCALED, OPEN, PICTURE, "FAVOR++ with one parameter, that of Eq. 11 with kappa = 8 for gamma = 2, the mean of the squared sums at the start, in the place of a thickened memory"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let early = |part| between(setting, ("favor-plus-plus", Part::Early), ("favor-plus", part));
        let alike = |label: &str, estimate| Finding::equals(label, 0.0, SIMILAR, estimate).unit("trainings");
        let findings = vec![
            lower("log meta-loss, FAVOR++ minus FAVOR+, first five roll-outs", early(Part::Early)?, "trainings"),
            alike("log meta-loss, FAVOR++ minus FAVOR+, late", late(setting, "favor-plus-plus", "favor-plus")?),
        ];
        let evidence = scaled_down(findings)?
            .twin(lower(
                "FAVOR++ in its first five roll-outs minus FAVOR+ in its last ten",
                early(Part::Late)?,
                "trainings",
            ))
            .twin(alike(
                "FAVOR++ late minus FAVOR+ in its first five roll-outs",
                between(setting, ("favor-plus-plus", Part::Late), ("favor-plus", Part::Early))?,
            ))
            .twin(lower(
                "tau = 1 in the place of FAVOR++, minus FAVOR+, first five roll-outs",
                between(setting, ("tau-1", Part::Early), ("favor-plus", Part::Early))?,
                "trainings",
            ))
            .twin(alike("tau = 1 in the place of FAVOR++, minus FAVOR+, late", late(setting, "tau-1", "favor-plus")?));
        let names = SHOWN.map(|(name, _)| name);
        Ok(Checked::from(with_again(setting, evidence, &names)?)
            .table(table(setting, "Feature maps, late in training", &SHOWN)?)
            .figure(figure(setting, "Three feature maps train alike", &SHOWN)?))
    }
}
