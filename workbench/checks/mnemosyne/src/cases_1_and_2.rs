//! Cases 1 and 2 of the proof: which way to flip.
//!
//! **Claim** (`mnemosyne/flip-rule`). The sign of the energy change alone determines the update. Case 1 wants a positive change "so that
//! the flip does not occur"; Case 2 wants a negative change, and the text adds the same words again.
//!
//! By these words no flip occurs whatever the sign, and nothing is retrieved. If only the second "not" is a slip, a flip occurs when the
//! energy falls. If instead the sentence of Case 1 were the slip, a flip would occur when it rises. All three rules are run from every input
//! of the balls with the exact energy, the last two also with random features. Refuted by inputs that the words as printed do not bring back.

use workbench_display::{Figure, Panel};
use workbench_features::compact::{DenseMemory, Dynamics, Interaction, Patterns, ball};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use super::pattern_retrieval::{minus, retrieved, tuned};
use crate::vocabulary::EXACT;

const MOST: Margin = Margin::ours("most", 0.5, "a memory that is right in half of the cases or more is of use");

/// Three rules, from every input of the balls of RM(1,4), and from inputs one flip away with random features.
pub const CHECK: Check = Check {
    claim: "mnemosyne/flip-rule",
    metric: "inputs of the balls that do not come back; share of runs that end exactly in the pattern",
    against: "inputs that do not come back under the rule as printed",
    choices: &[
        "exact energy: every input within two flips of every word of RM(1,4), asynchronous sweeps in random order; M is within the limit of Theorem A.1",
        "random features: RM(1,3), inputs one flip away, FAVOR++ with the best parameter for that distance",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint("in Case 2 the negative change is wanted so that the flip does occur: flip when the energy falls");
    let back = exact_energy(s)?;
    let features = s.knobs("features r", &[4, 16, 64, 256, 1024, 4096], 1..)?;
    let rates = |dynamics| -> Result<Vec<Estimate>, Failure> {
        let kind = tuned()?;
        features.iter().map(|r| retrieved(s, kind, dynamics, *r)).collect()
    };
    let (falls, rises) = (rates(Dynamics::Descend)?, rates(Dynamics::Ascend)?);
    let last = features.len() - 1;
    let (least, most) = (features[0], features[last]);
    let label = format!("random features, r = {most}: share retrieved");
    s.aside(MOST).of("runs").at_least(label, falls[last]);
    let label = format!("share retrieved, r = {most} minus r = {least}");
    s.support(Margin::ZERO).of("runs").at_least(label, minus(falls[last], falls[0])?);
    let label = format!("share retrieved, r = {most}: flip when the energy falls minus flip when it rises");
    s.changed(Margin::ZERO).of("runs").at_least(label, minus(falls[last], rises[last])?);
    s.figure(rates_figure(&features, &falls, &rises, back));
    Ok(())
}

/// Every input of the balls; the share that comes back by flips when the energy falls.
fn exact_energy(s: &Sheet) -> Result<f64, Failure> {
    let radius = s.knob("radius of the balls", 2, 1..=3)?;
    let mut stream = s.stream("flip rule")?;
    let code = Patterns::reed_muller(1, 4)?;
    let memory = DenseMemory::new(code.clone(), Interaction::Exponential);
    let mut back = Vec::new();
    for l in 0..code.len() {
        let pattern = code.pattern(l)?;
        for input in s.each("inputs", ball(&pattern, radius)?) {
            let falls = memory.retrieve(&input, Dynamics::Descend, 20, &mut stream)?;
            let rises = memory.retrieve(&input, Dynamics::Ascend, 20, &mut stream)?;
            // No flip occurs: the input stays what it is.
            let label = "no flip on a rise nor on a fall: inputs that do not come back";
            s.printed(EXACT).never(label, input != pattern);
            let found = falls.converged && falls.state == pattern;
            s.changed(EXACT).never("flip when the energy falls: inputs that do not come back", !found);
            let label = "flip when the energy rises: inputs that do not come back";
            s.twin(EXACT).never(label, rises.state != pattern);
            back.push(f64::from(u8::from(found)));
        }
    }
    Ok(back.iter().sum::<f64>() / back.len() as f64)
}

fn rates_figure(features: &[usize], falls: &[Estimate], rises: &[Estimate], exact: f64) -> Figure {
    let r: Vec<f64> = features.iter().map(|r| *r as f64).collect();
    let panel =
        Panel::new("RM(1,3), one flip away, FAVOR++").x_label("features r").y_label("share retrieved exactly").log_x();
    let panel =
        panel.estimates("flip when the energy falls", &r, falls).estimates("flip when the energy rises", &r, rises);
    Figure::new("Only the rule that lowers the energy retrieves")
        .panel(panel.hline("exact energy, flip when it falls", exact).legend_below())
        .caption("Share of runs that end exactly in the stored pattern, 99.9 % intervals, each run with projections of its own.")
}
