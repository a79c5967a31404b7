//! B.1: training transformers.
//!
//! **Claim** (`mnemosyne/transformers`). On transformers Mnemosyne converges faster than the usual analytical optimizers and much more
//! stably than the LSTM optimizer. SGD was replaced by Adam there because their training is delicate; optimizers with attention help even
//! when they were meta-trained on much simpler tasks.
//!
//! A tiny ViT that no training has seen, trained by cells that saw MLPs only, and by cells that saw three ViTs as well. Against it: rivals
//! at their best that are ahead; an LSTM that is as steady; SGD that is no worse than Adam.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{difference, paired_difference};
use workbench_ledger::{Checked, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::score::Run;

use super::figure_11::rise;
use super::section_b_1::{
    BANK, DATA, LIGHT, LOST, OPEN, RATE, RIVALS, Rival, SCALED, TRAINED, TRAININGS, best, by_training,
    by_training_times, curve, logs, lower, scaled_down,
};
use crate::vocabulary::by_scale;

/// A ViT within the ranges of B.1 that is none of the training's; at quick scale with larger patches, so that it reads half as many.
fn vit(setting: &Setting) -> &'static str {
    setting.scale().pick("vit-l1-h3-d16-k8-m24-p4@mnist-7", "vit-l1-h3-d16-k8-m24-p3@mnist-7")
}

/// Optimizers on a ViT.
#[derive(Clone, Debug, Default)]
pub struct Transformers {
    /// Steps; by scale if 0.
    pub steps: usize,
}

impl Transformers {
    fn figure(setting: &Setting, steps: usize) -> Result<Figure, Failure> {
        let vit = vit(setting);
        let draws = by_training(setting, "light", vit, steps)?.len() as u64;
        let mut panel = Panel::new(vit).x_label("step").y_label("validation loss, nats").log_x().log_y();
        // LSTM and Adam have the colours of Figure 10.
        for (recipe, name, colour) in
            [("light", "trained on MLPs", 0), ("with-vits", "trained on MLPs and ViTs", 5), ("lstm", "LSTM", 1)]
        {
            let runs = by_training(setting, recipe, vit, steps)?;
            let (x, y) = curve(&runs.iter().collect::<Vec<_>>());
            panel = panel.line(name, &x[1..], &y[1..]).colour(colour);
        }
        for (rival, colour) in [(Rival::Adam, 2), (Rival::RmsProp, 3), (Rival::Sgd, 4)] {
            let runs = best(setting, rival, vit, TRAINED, (steps, draws))?;
            let (x, y) = curve(&runs.iter().collect::<Vec<_>>());
            let name = format!("{}, best at step 100", rival.name());
            panel = panel.line(&name, &x[1..], &y[1..]).colour(colour);
        }
        Ok(Figure::new("Cells that saw no transformer keep up with tuned rules on one")
            .panel(panel)
            .caption("Geometric means: light cell and LSTM over their trainings, with ViTs over four; rivals over as many draws."))
    }
}

impl TypedCheck for Transformers {
    const CLAIM: &'static str = "mnemosyne/transformers";
    const PLAN: Plan = Plan::new(
        "log validation loss after 100 steps, Mnemosyne minus rivals; largest rise of the log loss in the second half above its lowest value before, Mnemosyne minus LSTM; SGD minus Adam",
        "rivals that are ahead, an LSTM that is as steady, SGD that is no worse than Adam",
        &[],
    )
    .protocol(&["a ViT of one layer, three heads and width 16 on MNIST at 7 x 7; light cells trained on MLPs, twelve trainings", DATA])
    .departures(&[SCALED, LIGHT, RATE, OPEN, LOST, BANK, TRAININGS, "the document's results on transformers are in its main body; patches of 4 and 100 steps at quick scale, of 3 and 500 at paper scale"])
    .rivals(&[RIVALS, "the LSTM of as many weights"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let steps = by_scale(self.steps, setting.scale().pick(TRAINED, 5 * TRAINED));
        let vit = vit(setting);
        let ours = by_training(setting, "light", vit, steps)?;
        let lstm = by_training(setting, "lstm", vit, steps)?;
        let vits = by_training(setting, "with-vits", vit, steps)?;
        let rival = |rival| best(setting, rival, vit, TRAINED, (steps, ours.len() as u64));
        let mut findings = Vec::new();
        for one in [Rival::Adam, Rival::RmsProp, Rival::Sgd] {
            let ahead = paired_difference(&logs(&ours, TRAINED), &logs(&rival(one)?, TRAINED))?;
            findings.push(lower(
                format!("after 100 steps: log loss minus that of {} at its best rate", one.name()),
                ahead,
                "trainings",
            ));
        }
        let rises =
            |runs: &[Run], end: usize| -> Vec<f64> { runs.iter().map(|run| rise(run, end / 2..=end)).collect() };
        let steadier = paired_difference(&rises(&ours, steps), &rises(&lstm, steps))?;
        let sgd = paired_difference(&logs(&rival(Rival::Adam)?, TRAINED), &logs(&rival(Rival::Sgd)?, TRAINED))?;
        let simpler = paired_difference(&logs(&ours, TRAINED), &logs(&ours, 0))?;
        findings.push(lower(
            "largest rise of the log loss in the second half, Mnemosyne minus LSTM",
            steadier,
            "trainings",
        ));
        findings.push(lower("after 100 steps: log loss of Adam minus that of SGD, both at their best", sgd, "draws"));
        findings.push(lower(
            "trained on MLPs alone: log loss after 100 steps minus that at the start",
            simpler,
            "trainings",
        ));
        let uphill = by_training_times(setting, "light", vit, TRAINED, -1.0)?;
        let wrong = paired_difference(&logs(&uphill, TRAINED), &logs(&rival(Rival::Adam)?, TRAINED))?;
        let unsteady = paired_difference(&rises(&uphill, TRAINED), &rises(&lstm, TRAINED))?;
        let seen = difference(&logs(&vits, TRAINED), &logs(&ours, TRAINED))?;
        let evidence = scaled_down(findings)?
            .twin(Finding::at_most(
                "gradients with the sign turned, after 100 steps: log loss minus that of Adam at its best rate",
                0.0,
                wrong,
            ))
            .twin(Finding::at_most(
                "gradients with the sign turned: largest rise of the log loss from step 50 to 100, minus that of the LSTM",
                0.0,
                unsteady,
            ))
            .note(format!(
                "three ViTs in the training change the log loss after 100 steps by {:.2} [{:.2}, {:.2}]",
                seen.value, seen.low, seen.high
            ));
        Ok(Checked::from(evidence).figure(Transformers::figure(setting, steps)?))
    }
}
