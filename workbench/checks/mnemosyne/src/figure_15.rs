//! Figure 15: last layers of several sizes on several sets of images.
//!
//! **Claim** (`mnemosyne/fig-15`). Coordinate-wise Mnemosyne without any tuning, in both versions, matches or outperforms the optimal Adam
//! in every case.
//!
//! Optimal is a word about the rate: Adam has the best of a grid for each case, for the very loss that is compared, chosen on seeds of its
//! own. Refuted by a case in which a version is behind; a tenth of the loss stands beside it.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};

use super::frozen_features::{
    EXPERT, RECIPE, RUNS, STAND_INS, TUNED, Version, WIDTHS, against, best, beyond, by_adam, by_case, case, cases,
    ends, largest, learned, middle,
};
use super::optimizer_laboratory::{
    BANK, KEPT, LOST, OPEN, RATE, SCALED, SIMILAR, TRAINED, lab, layout, line, logs, runs, untrained_rule,
};

/// Both versions against Adam at its best.
pub const CHECK: Check = Check {
    claim: "mnemosyne/fig-15",
    metric: "log validation loss at the end, each version minus Adam at its best rate: the largest of the ten cases and their mean",
    against: "a case in which a version is behind",
    protocol: &["both versions, nothing tuned; Adam at its optimal rate"],
    choices: &[
        RUNS,
        "an interval spans four trainings; the largest of ten supports only if each of the ten does, so no correction for ten questions is needed",
    ],
    departures: &[
        STAND_INS,
        WIDTHS,
        SCALED,
        RATE,
        OPEN,
        LOST,
        BANK,
        "the figure prints curves without numbers and the text no grid of rates",
    ],
    rivals: &[TUNED],
    settled: "the loss beside tuned Adam of optimizers of the printed size, with ViTs among their tasks, on the ViTs of Table 1",
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.shared_draw(KEPT);
    let (printed, twin) = (s.printed(Margin::ZERO).of("draws").scaled_down(), s.twin(Margin::ZERO).of("draws"));
    for version in Version::ALL {
        let behind = by_case(s, |at| against(&ends(s, version, at)?, &logs(&best(s, at)?, TRAINED)))?;
        let label = format!("{}: log loss minus that of Adam at its best rate", version.name());
        printed.at_most(format!("{label}, largest of the ten cases"), largest(&behind)?);
        let together = middle(s, |at| {
            let theirs = logs(&best(s, at)?, TRAINED);
            Ok(ends(s, version, at)?.iter().map(|ours| beyond(ours, &theirs)).collect())
        })?;
        printed.at_most(format!("{label}, mean of the ten cases"), together);
        let beside = s.aside(SIMILAR).of("draws").scaled_down();
        beside.at_most(format!("{}, within a tenth: largest of the ten cases", version.name()), largest(&behind)?);
    }
    let first = cases(s)[0];
    let lab = lab(s)?;
    let (raw, case, best) = (untrained_rule(&lab, RECIPE, 1)?, case(s, first.0, first.1)?, best(s, first)?);
    let found = runs(s, &case.task, TRAINED, best.len() as u64, |_| raw.optimizer(layout(&case.task)?))?;
    let behind = against(&[logs(&found, TRAINED)], &logs(&best, TRAINED))?;
    twin.at_most("weights before training: log loss minus that of Adam at its best rate, first case", behind);
    s.figure(figure(s)?);
    Ok(())
}

fn figure(setting: &Setting) -> Result<Figure, Failure> {
    let mut figure = Figure::new("Both versions and Adam on ten last layers")
        .columns(3)
        .size(1080, 1290)
        .caption("Geometric means of the validation loss: Mnemosyne over four trainings, all over the same draws of start and batches.");
    let cases = cases(setting);
    for (place, &at) in cases.iter().enumerate() {
        let title = format!("{}, {} features", at.0, at.1);
        let mut panel = Panel::new(&title).x_label("step").y_label("loss, nats").log_x().log_y();
        for (version, name) in
            [(Version::ALL[0], "Mnemosyne alone"), (Version::ALL[2], "hybrid, bias by Adam at 0.001")]
        {
            panel = line(panel, name, learned(setting, version, at)?.iter().flatten());
        }
        panel = line(panel, "Adam, best rate", best(setting, at)?.iter());
        panel = line(panel, "Adam, expert's rate 0.03", by_adam(setting, EXPERT, at)?.iter());
        // One legend speaks for all, in the last row.
        let last = place + 1 == cases.len();
        figure = figure.panel(if last { panel } else { panel.no_legend() });
    }
    Ok(figure)
}
