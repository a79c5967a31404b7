//! Cases 1 and 2 of the proof: which way to flip.
//!
//! **Claim** (`mnemosyne/flip-rule`). The sign of the energy change alone determines the update. Case 1 wants a positive change "so that
//! the flip does not occur"; Case 2 wants a negative change, and the text adds the same words again.
//!
//! By these words no flip occurs whatever the sign, and nothing is retrieved. If only the second "not" is a slip, a flip occurs when the
//! energy falls. If instead the sentence of Case 1 were the slip, a flip would occur when it rises. All three rules are run from every
//! input of the balls with the exact energy, the last two also with random features. What would count against it: inputs that the words
//! as printed do not bring back.

use workbench_display::{Figure, Panel};
use workbench_features::compact::{DenseMemory, Dynamics, Interaction, Patterns, ball};
use workbench_ground::stats::{Estimate, proportion};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use super::section_a_2_retrieval::{retrieved, tuned};
use crate::vocabulary::EXACT;

const MOST: Margin = Margin::new("most", 0.5, "a memory that is right in half of the cases or more is of use");

/// Three rules, from every input of the balls of RM(1,4), and from inputs one flip away with random features.
#[derive(Clone, Debug)]
pub struct FlipRule {
    /// Radius of the balls.
    pub radius: usize,
    /// Numbers of random features, from few to many.
    pub features: Vec<usize>,
}

impl Default for FlipRule {
    fn default() -> FlipRule {
        FlipRule { radius: 2, features: vec![4, 16, 64, 256, 1024, 4096] }
    }
}

/// Inputs of the balls that do not come back.
#[derive(Default)]
struct Lost {
    never: usize,
    rising: usize,
    falling: usize,
    inputs: usize,
}

impl FlipRule {
    fn exact(&self, setting: &Setting) -> Result<Lost, Failure> {
        let mut stream = setting.stream("flip rule")?;
        let code = Patterns::reed_muller(1, 4)?;
        let memory = DenseMemory::new(code.clone(), Interaction::Exponential);
        let mut lost = Lost::default();
        for l in 0..code.len() {
            let pattern = code.pattern(l)?;
            for input in ball(&pattern, self.radius)? {
                let falls = memory.retrieve(&input, Dynamics::Descend, 20, &mut stream)?;
                let rises = memory.retrieve(&input, Dynamics::Ascend, 20, &mut stream)?;
                lost.falling += usize::from(!falls.converged || falls.state != pattern);
                lost.rising += usize::from(rises.state != pattern);
                // No flip occurs: the input stays what it is.
                lost.never += usize::from(input != pattern);
                lost.inputs += 1;
            }
        }
        Ok(lost)
    }

    fn rates(&self, setting: &Setting, dynamics: Dynamics) -> Result<Vec<Estimate>, Failure> {
        let kind = tuned()?;
        let rate = |r: &usize| retrieved(setting, kind, dynamics, *r);
        self.features.iter().map(rate).collect()
    }
}

fn rates_figure(features: &[usize], falls: &[Estimate], rises: &[Estimate], exact: f64) -> Figure {
    let r: Vec<f64> = features.iter().map(|r| *r as f64).collect();
    let part = |rates: &[Estimate], f: fn(&Estimate) -> f64| rates.iter().map(f).collect::<Vec<f64>>();
    let mut panel =
        Panel::new("RM(1,3), one flip away, FAVOR++").x_label("features r").y_label("share retrieved exactly").log_x();
    for (name, rates) in [("flip when the energy falls", falls), ("flip when the energy rises", rises)] {
        let (low, high) = (part(rates, |e| e.low), part(rates, |e| e.high));
        panel = panel.error_bars(name, &r, &part(rates, |e| e.value), &low, &high);
    }
    Figure::new("Only the rule that lowers the energy retrieves")
        .panel(panel.hline("exact energy, flip when it falls", exact).legend_below())
        .caption("Share of runs that end exactly in the stored pattern, 99.9 % intervals, each run with projections of its own.")
}

impl TypedCheck for FlipRule {
    const CLAIM: &'static str = "mnemosyne/flip-rule";
    const PLAN: Plan = Plan::new(
        "inputs of the balls that do not come back; share of runs that end exactly in the pattern",
        "inputs that do not come back under the rule as printed",
        &[EXACT, MOST],
    )
    .protocol(&[
        "exact energy: every input within two flips of every word of RM(1,4), asynchronous sweeps in random order; M is within the limit of Theorem A.1",
        "random features: RM(1,3), inputs one flip away, FAVOR++ with the best parameter for that distance",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let lost = self.exact(setting)?;
        let (falls, rises) = (self.rates(setting, Dynamics::Descend)?, self.rates(setting, Dynamics::Ascend)?);
        let last = falls.len() - 1;
        let (few, many) = (falls[0], falls[last]);
        let growth =
            Estimate::new(many.value - few.value, many.low - few.high, many.high - few.low, many.n, many.confidence)?;
        let exact =
            |label: &str, count: usize| Finding::identity(label, count as f64, EXACT).cases(lost.inputs).unit("inputs");
        let (least, most) = (self.features[0], self.features[last]);
        let evidence = Evidence::of(exact("no flip on a rise nor on a fall: inputs that do not come back", lost.never))
            .misprint(
                "in Case 2 the negative change is wanted so that the flip does occur: flip when the energy falls",
                vec![
                    exact("flip when the energy falls: inputs that do not come back", lost.falling),
                    Finding::at_least(format!("random features, r = {most}: share retrieved"), MOST, many).unit("runs"),
                    Finding::at_least(format!("share retrieved, r = {most} minus r = {least}"), 0.0, growth)
                        .unit("runs"),
                ],
            )
            .twin(exact("flip when the energy rises: inputs that do not come back", lost.rising))
            .twin(
                Finding::at_least(
                    format!("random features, flip when the energy rises, r = {most}: share"),
                    MOST,
                    rises[last],
                )
                .unit("runs"),
            );
        let back = proportion(lost.inputs - lost.falling, lost.inputs)?.value;
        Ok(Checked::from(evidence).figure(rates_figure(&self.features, &falls, &rises, back)))
    }
}
