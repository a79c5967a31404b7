//! B.1: training transformers.
//!
//! **Claim** (`mnemosyne/transformers`). On transformers Mnemosyne converges faster than the usual analytical optimizers and much more
//! stably than the LSTM optimizer. SGD was replaced by Adam there because their training is delicate; optimizers with attention can
//! potentially help, since they improve convergence even when they were meta-trained on much simpler tasks.
//!
//! A tiny ViT that no training has seen, trained by cells that saw MLPs only, and by cells that saw three ViTs as well. Refuted by rivals
//! at their best that are ahead; an LSTM that is as steady; SGD that is no worse than Adam. That the loss falls at all says less than that,
//! so the check stands on it and is not decided by it.

use workbench_display::Figure;
use workbench_ground::stats::{difference, paired_difference};
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_optimizer::score::Run;

use super::figure_11::rise;
use super::optimizer_laboratory::{
    BANK, DATA, KEPT, LIGHT, LOST, OPEN, RATE, SCALED, TRAINED, TRAININGS, by_training, by_training_times, line, logs,
    losses,
};
use super::tuned_rivals::{RIVALS, Rival, best};

/// Optimizers on a ViT.
pub const CHECK: Check = Check {
    claim: "mnemosyne/transformers",
    metric: "log validation loss after 100 steps, Mnemosyne minus rivals; largest rise of the log loss in the second half above its lowest value before, Mnemosyne minus LSTM; SGD minus Adam",
    against: "rivals that are ahead, an LSTM that is as steady, SGD that is no worse than Adam",
    choices: &[
        "a ViT of one layer, three heads and width 16 on MNIST at 7 x 7; light cells trained on MLPs, twelve trainings",
        "patches of 4 and 100 steps at quick scale, of 3 and 500 at paper scale",
        DATA,
        TRAININGS,
    ],
    departures: &[SCALED, LIGHT, RATE, OPEN, LOST, BANK, "the document's results on transformers are in its main body"],
    settled: "the loss after 100 steps beside tuned Adam and RMSprop over some fifty trainings, by their own variances; the rise beside that of the LSTM after 5,000 steps",
    rivals: &[RIVALS, "the LSTM of as many weights"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.shared_draw(KEPT);
    // A ViT within the ranges of B.1 that is none of the training's; with larger patches it reads half as many.
    let vit = s.scale().pick("vit-l1-h3-d16-k8-m24-p4@mnist-7", "vit-l1-h3-d16-k8-m24-p3@mnist-7");
    let steps = s.knob("steps", s.scale().pick(TRAINED, 5 * TRAINED), TRAINED..)?;
    let of = |recipe| by_training(s, recipe, vit, steps);
    let (ours, lstm, vits) = (of("light")?, of("lstm")?, of("with-vits")?);
    let rival = |rival| best(s, rival, vit, TRAINED, (steps, ours.len() as u64));
    let lower = s.printed(Margin::ZERO).scaled_down();
    for one in [Rival::Adam, Rival::RmsProp, Rival::Sgd] {
        let ahead = paired_difference(&logs(&ours, TRAINED), &logs(&rival(one)?, TRAINED))?;
        let label = format!("after 100 steps: log loss minus that of {} at its best rate", one.name());
        lower.of("trainings").at_most(label, ahead);
    }
    let rises = |runs: &[Run], end: usize| -> Vec<f64> { runs.iter().map(|run| rise(run, end / 2..=end)).collect() };
    let steadier = paired_difference(&rises(&ours, steps), &rises(&lstm, steps))?;
    let label = "largest rise of the log loss in the second half, Mnemosyne minus LSTM";
    lower.of("trainings").at_most(label, steadier);
    let adam = logs(&rival(Rival::Adam)?, TRAINED);
    let sgd = paired_difference(&adam, &logs(&rival(Rival::Sgd)?, TRAINED))?;
    lower.of("draws").at_most("after 100 steps: log loss of Adam minus that of SGD, both at their best", sgd);
    let label = "trained on MLPs alone: log loss after 100 steps minus that at the start";
    let change = paired_difference(&logs(&ours, TRAINED), &logs(&ours, 0))?;
    s.support(Margin::ZERO).of("trainings").at_most(label, change);

    let (twin, uphill) = (s.twin(Margin::ZERO), by_training_times(s, "light", vit, TRAINED, -1.0)?);
    let label = "gradients with the sign turned, after 100 steps: log loss minus that of Adam at its best rate";
    twin.at_most(label, paired_difference(&logs(&uphill, TRAINED), &adam)?);
    let label =
        "gradients with the sign turned: largest rise of the log loss from step 50 to 100, minus that of the LSTM";
    twin.at_most(label, paired_difference(&rises(&uphill, TRAINED), &rises(&lstm, TRAINED))?);
    let seen = difference(&logs(&vits, TRAINED), &logs(&ours, TRAINED))?;
    s.note(format!(
        "three ViTs in the training change the log loss after 100 steps by {:.2} [{:.2}, {:.2}]",
        seen.value, seen.low, seen.high
    ));

    let mut panel = losses(vit);
    // LSTM and Adam have the colours of Figure 10.
    for (runs, name, colour) in
        [(&ours, "trained on MLPs", 0), (&vits, "trained on MLPs and ViTs", 5), (&lstm, "LSTM", 1)]
    {
        panel = line(panel, name, runs.iter()).colour(colour);
    }
    for (one, colour) in [(Rival::Adam, 2), (Rival::RmsProp, 3), (Rival::Sgd, 4)] {
        let name = format!("{}, best at step 100", one.name());
        panel = line(panel, &name, rival(one)?.iter()).colour(colour);
    }
    s.figure(Figure::new("Learned cells and tuned rules on a tiny transformer").panel(panel).caption(
        "Geometric means: light cell and LSTM over their trainings, with ViTs over four; rivals over as many draws.",
    ));
    Ok(())
}
