//! Figure 15: last layers of several sizes on several sets of images.
//!
//! **Claim** (`mnemosyne/fig-15`). Coordinate-wise Mnemosyne without any tuning, in both versions, matches or outperforms the optimal Adam
//! in every case.
//!
//! Optimal is a word about the rate: Adam has the best of a grid for each case, for the very loss that is compared, chosen on seeds of its
//! own. To match is to be at most a tenth above. Against it: a case in which a version is further behind.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::score::Run;

use super::section_b_1::{
    BANK, LOST, OPEN, RATE, SCALED, SIMILAR, curve, lab, layout, logs, runs, scaled_down, untrained_rule,
};
use super::section_b_7_1::{
    ByCase, EXPERT, RECIPE, RUNS, Runs, STAND_INS, TUNED, Version, WIDTHS, against, case, largest, middle,
};

/// Both versions against Adam at its best.
#[derive(Clone, Debug, Default)]
pub struct Matches {
    /// Cases, length and number of the runs.
    pub runs: Runs,
}

impl Matches {
    /// Log loss at the end, a version minus Adam at its best.
    fn behind(&self, setting: &Setting, version: Version) -> Result<ByCase, Failure> {
        let steps = self.runs.steps();
        self.runs.by_case(setting, |at| {
            let best = self.runs.best(setting, at)?;
            against(&self.runs.ends(setting, version, at)?, &logs(&best, steps))
        })
    }

    /// The same with the weights that a training begins with, first case.
    fn untrained(&self, setting: &Setting) -> Result<Estimate, Failure> {
        let (lab, at) = (lab(setting)?, self.runs.cases(setting)[0]);
        let raw = untrained_rule(&lab, RECIPE, 1)?;
        let (case, steps, best) = (case(setting, at.0, at.1)?, self.runs.steps(), self.runs.best(setting, at)?);
        let found = runs(setting, &case.task, steps, best.len() as u64, |_| raw.optimizer(layout(&case.task)?))?;
        against(&[logs(&found, steps)], &logs(&best, steps))
    }

    fn figure(&self, setting: &Setting) -> Result<Figure, Failure> {
        let mut figure = Figure::new("On most last layers the learned rule is behind the best Adam")
            .columns(3)
            .size(1080, 1290)
            .caption("Geometric means of the validation loss: Mnemosyne over four trainings, all over the same draws of start and batches.");
        let cases = self.runs.cases(setting);
        for (place, &at) in cases.iter().enumerate() {
            let mut panel = Panel::new(&format!("{}, {} features", at.0, at.1))
                .x_label("step")
                .y_label("loss, nats")
                .log_x()
                .log_y();
            for (version, name) in
                [(Version::ALL[0], "Mnemosyne alone"), (Version::ALL[2], "hybrid, bias by Adam at 0.001")]
            {
                let all = self.runs.learned(setting, version, at)?;
                panel = line(panel, name, &all.iter().flatten().collect::<Vec<_>>());
            }
            let (best, expert) = (self.runs.best(setting, at)?, self.runs.adam(setting, EXPERT, at)?);
            panel = line(panel, "Adam, best rate", &best.iter().collect::<Vec<_>>());
            panel = line(panel, "Adam, expert's rate 0.03", &expert.iter().collect::<Vec<_>>());
            // One legend speaks for all, in the last row.
            let last = place + 1 == cases.len();
            figure = figure.panel(if last { panel } else { panel.no_legend() });
        }
        Ok(figure)
    }
}

fn line(panel: Panel, name: &str, runs: &[&Run]) -> Panel {
    let (x, y) = curve(runs);
    panel.line(name, &x[1..], &y[1..])
}

impl TypedCheck for Matches {
    const CLAIM: &'static str = "mnemosyne/fig-15";
    const PLAN: Plan = Plan::new(
        "log validation loss at the end, each version minus Adam at its best rate: the largest of the ten cases and their mean",
        "a case in which a version is more than a tenth behind",
        &[SIMILAR],
    )
    .protocol(&[RUNS, "an interval spans four trainings; the largest of ten supports only if each of the ten does, so no correction for ten questions is needed"])
    .departures(&[STAND_INS, WIDTHS, SCALED, RATE, OPEN, LOST, BANK, "the figure prints curves without numbers and the text no grid of rates"])
    .rivals(&[TUNED]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (mut worst, mut means) = (Vec::new(), Vec::new());
        for version in Version::ALL {
            let (behind, name) = (self.behind(setting, version)?, version.name());
            worst.push(
                Finding::at_most(
                    format!("{name}: log loss minus that of Adam at its best rate, largest of the ten cases"),
                    SIMILAR,
                    largest(&behind)?,
                )
                .unit("draws"),
            );
            means.push(
                Finding::at_most(
                    format!("{name}: log loss minus that of Adam at its best rate, mean of the ten cases"),
                    SIMILAR,
                    middle(&behind)?,
                )
                .unit("draws"),
            );
        }
        worst.extend(means);
        let evidence = scaled_down(worst)?.twin(
            Finding::at_most(
                "weights before training: log loss minus that of Adam at its best rate, first case",
                SIMILAR,
                self.untrained(setting)?,
            )
            .unit("draws"),
        );
        Ok(Checked::from(evidence).figure(self.figure(setting)?))
    }
}
