//! Figure 13: Figure 3 with batches of a thousand.
//!
//! **Claims**. "The same results can be obtained for bigger batch sizes", |B| = 1000. `heavy-tailed/fig-13-left`: d = 100, gamma = 10.
//! `heavy-tailed/fig-13-middle`: d = 100, gamma = 1, the approximations follow. `heavy-tailed/fig-13-right`: d = 10, gamma = 1, they do not.
//!
//! Eq. 45 with b p(x) and with the counts of each batch, against descent. Printed are a sum over the batch (Eq. 44) and inputs of squared
//! norm about d (Eq. 1); so one batch moves q(x) by gamma times the count of x, from hundreds down to one, and the map can only add
//! logarithms to that. On the right, as in Figure 3, the approximation that is no longer valid is both Eq. 45 and Eq. 10. Libraries average over the batch, and B.5 reads scores as if inputs had norm one: that reading is run beside the
//! printed one, with the same margin as Figure 3.

use std::sync::Arc;

use workbench_display::{Figure, Table, columns};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{
    BatchSize, Gradient, Ideal, Method, Parametrization, Reduction, TrainingRuns, TrainingStudy, log_grid,
};

use super::figure_3::{DESCENT, FOLLOWS, LEADING, PANELS, PanelOf, above, dimension, distance, follows, mean_panel};
use super::section_3_gradient::{CLASSES, law, target};
use crate::vocabulary::by_scale;

const BATCH: usize = 1000;
/// Methods of a study, beside descent and Eq. 10: Eq. 45 with the counts of each batch, and with expected ones.
const COUNTS: &str = "Eq. 45, counts";
const EXPECTED: &str = "Eq. 45, b p(x)";
const ALL: f64 = f64::INFINITY;

/// How inputs are scaled and batches put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// Inputs of Eq. 1, sums as in Eq. 44.
    Printed,
    /// Unit inputs and means.
    UnitMean,
    /// Unit inputs, sums.
    Unit,
    /// Inputs of Eq. 1, means.
    Mean,
}

impl Reading {
    const ALL: [Reading; 4] = [Reading::Printed, Reading::Mean, Reading::Unit, Reading::UnitMean];

    fn name(self) -> &'static str {
        match self {
            Reading::Printed => "",
            Reading::UnitMean => ", unit inputs, mean",
            Reading::Unit => ", unit inputs",
            Reading::Mean => ", mean",
        }
    }

    fn words(self) -> [&'static str; 2] {
        let inputs = if matches!(self, Reading::Printed | Reading::Mean) { "of Eq. 1" } else { "unit" };
        let batch = if matches!(self, Reading::Printed | Reading::Unit) { "sum" } else { "mean" };
        [inputs, batch]
    }

    fn inputs(self) -> Parametrization {
        if matches!(self, Reading::Printed | Reading::Mean) { Parametrization::Model } else { Parametrization::Unit }
    }

    fn reduction(self) -> Reduction {
        if matches!(self, Reading::Printed | Reading::Unit) { Reduction::Sum } else { Reduction::Mean }
    }
}

/// The studies of the three panels.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Runs of a panel; by scale if 0.
    pub count: usize,
    /// Batches of a run; by scale if 0.
    pub steps: usize,
}

impl Runs {
    fn study(&self, setting: &Setting, panel: PanelOf, reading: Reading) -> Result<Arc<TrainingRuns>, Failure> {
        let scale = setting.scale();
        let (runs, steps) = match (reading, panel.roomy()) {
            (Reading::Printed, _) | (Reading::UnitMean, true) => (scale.pick(40, 100), scale.pick(200, 500)),
            (Reading::UnitMean, false) => (scale.pick(120, 150), 500),
            (Reading::Unit | Reading::Mean, _) => (scale.pick(24, 40), scale.pick(200, 500)),
        };
        let (runs, steps) = (by_scale(self.count, runs), by_scale(self.steps, steps));
        let name = format!("figure 13 {}{}", panel.name, reading.name());
        setting.shared(&format!("{name}, {runs} runs, {steps} steps"), |own| {
            let grid: Vec<usize> = log_grid(1, steps, 5)?.into_iter().collect();
            let method = |gradient: Gradient, label: &str| -> Result<Method, Failure> {
                let method = Method::sgd(panel.rate)?.gradient(gradient).label(label);
                let method = method.batch(BatchSize::Samples(BATCH)).reduction(reading.reduction());
                Ok(method.steps(steps).record(grid.clone()).without_moments())
            };
            let printed = Ideal::printed(CLASSES);
            let (wrong, name_of_wrong) = panel.wrong();
            let mut methods = vec![
                method(Gradient::Exact, DESCENT)?,
                method(Gradient::Leading, LEADING)?,
                method(Gradient::Ideal(printed), COUNTS)?,
                method(Gradient::Ideal(wrong), name_of_wrong)?,
                method(Gradient::Ideal(printed.expected()), EXPECTED)?,
            ];
            if reading == Reading::UnitMean && !panel.roomy() {
                methods.truncate(3);
            }
            let study = TrainingStudy::new(law()?, target()?).methods(methods);
            let study = study.parametrization(reading.inputs()).dims(vec![panel.dim]).runs(runs);
            Ok(study.run(own.streams(), &name)?)
        })
    }

    fn figure(&self, setting: &Setting, panel: PanelOf, title: &str) -> Result<Figure, Failure> {
        let (printed, other) =
            (self.study(setting, panel, Reading::Printed)?, self.study(setting, panel, Reading::UnitMean)?);
        let shown = [DESCENT, LEADING, COUNTS, EXPECTED];
        let beside = if panel.roomy() { &shown[..] } else { &shown[..3] };
        Ok(Figure::new(title)
            .panel(mean_panel("inputs of Eq. 1, sum over the batch", &printed, &shown)?)
            .panel(mean_panel("unit inputs, mean over the batch", &other, beside)?)
            .columns(2)
            .caption(&format!(
                "d = {}, γ = {}, |B| = 1000. Mean generalization error with 99.9 % bands.",
                panel.dim, panel.rate
            )))
    }

    /// Largest differences from descent under all four readings, in one panel.
    fn table(&self, setting: &Setting, panel: PanelOf) -> Result<Table, Failure> {
        let (mut inputs, mut batch) = (Vec::new(), Vec::new());
        let mut numbers: [Vec<f64>; 3] = Default::default();
        for reading in Reading::ALL {
            let study = self.study(setting, panel, reading)?;
            let [of, put] = reading.words();
            inputs.push(of.to_string());
            batch.push(put.to_string());
            for (column, method) in numbers.iter_mut().zip([LEADING, COUNTS, EXPECTED]) {
                column.push(distance(&study, method, ALL)?.value);
            }
        }
        let [leading, counts, expected] = numbers;
        let list = vec![
            ("inputs", inputs.into()),
            ("batch", batch.into()),
            ("Eq. 10", leading.into()),
            ("Eq. 45, counts", counts.into()),
            ("Eq. 45, b p(x)", expected.into()),
        ];
        Ok(Table::new(columns(list)?)
            .title("Largest mean difference from descent, by the scale of inputs and the reduction of batches")
            .caption(&format!("d = {}, γ = {}, |B| = 1000; in generalization error.", panel.dim, panel.rate))
            .digits(2))
    }

    /// Error of Eq. 10 minus that of descent at the end, as printed, from many runs.
    fn leading(&self, setting: &Setting, panel: PanelOf) -> Result<Estimate, Failure> {
        let scale = setting.scale();
        let (runs, steps) = (by_scale(self.count, scale.pick(400, 1500)), by_scale(self.steps, scale.pick(100, 200)));
        let method = |gradient: Gradient, label: &str| -> Result<Method, Failure> {
            let method = Method::sgd(panel.rate)?.gradient(gradient).label(label);
            let method = method.batch(BatchSize::Samples(BATCH));
            Ok(method.reduction(Reduction::Sum).steps(steps).without_moments())
        };
        let study = TrainingStudy::new(law()?, target()?)
            .methods(vec![method(Gradient::Exact, DESCENT)?, method(Gradient::Leading, LEADING)?])
            .parametrization(Parametrization::Model)
            .dims(vec![panel.dim])
            .runs(runs);
        let name = format!("figure 13 {}, Eq. 10 beside descent", panel.name);
        let study = study.run(setting.streams(), &name)?;
        Ok(study.difference(LEADING, DESCENT, panel.dim)?)
    }

    /// That only both changes together let Eq. 45 follow: its distance with one of them.
    fn one_change_alone(&self, setting: &Setting, panel: PanelOf) -> Result<Vec<Finding>, Failure> {
        let alone = |reading: Reading| -> Result<Finding, Failure> {
            let [inputs, batch] = reading.words();
            let label = format!("Eq. 45 with counts, inputs {inputs}, batch {batch}, γ = {}", panel.rate);
            let apart = distance(&*self.study(setting, panel, reading)?, COUNTS, ALL)?;
            Ok(Finding::at_least(label, FOLLOWS, apart).unit("runs"))
        };
        Ok(vec![alone(Reading::Unit)?, alone(Reading::Mean)?])
    }

    /// Error of a method at the end minus that after its first batch.
    fn since_first(study: &TrainingRuns, method: &str) -> Result<Estimate, Failure> {
        let errors = study.errors(method, dimension(study))?;
        let change: Vec<f64> = errors.outer_iter().map(|run| run[run.len() - 1] - run[0]).collect();
        Ok(mean(&change)?)
    }

    /// Evidence that Eq. 45 follows descent: printed, and with unit inputs and means.
    fn follows(&self, setting: &Setting, panel: PanelOf, more: Vec<Finding>) -> Result<Evidence, Failure> {
        let (printed, other) =
            (self.study(setting, panel, Reading::Printed)?, self.study(setting, panel, Reading::UnitMean)?);
        let label = |what: &str| format!("{what} against descent, γ = {}: largest difference", panel.rate);
        let unit = |what: &str| format!("unit inputs, batch mean, {what}, γ = {}: largest difference", panel.rate);
        let steps = printed.samples(DESCENT)?.last().map_or(0.0, |samples| samples / BATCH as f64);
        let mut changed = vec![
            follows(&unit("Eq. 45 with b p(x)"), &other, EXPECTED, ALL)?,
            follows(&unit("Eq. 45 with counts"), &other, COUNTS, ALL)?,
            follows(&unit("Eq. 10"), &other, LEADING, ALL)?,
            above(
                &format!(
                    "as printed, γ = {}: error of Eq. 45 with counts minus that of descent at the end",
                    panel.rate
                ),
                &printed,
                COUNTS,
                DESCENT,
            )?,
            Finding::equals(
                format!(
                    "as printed, γ = {}: error of Eq. 45 with counts at the end minus that after one batch",
                    panel.rate
                ),
                0.0,
                FOLLOWS,
                Runs::since_first(&printed, COUNTS)?,
            )
            .unit("runs"),
        ];
        changed.extend(more);
        Ok(Evidence::of(follows(&label("Eq. 45 with b p(x)"), &printed, EXPECTED, ALL)?)
            .and(follows(&label("Eq. 45 with counts"), &printed, COUNTS, ALL)?)
            .and(follows(&label("Eq. 10"), &printed, LEADING, ALL)?)
            .condition(
                "with the mean over a batch and unit inputs; with the sum of Eq. 44 and the inputs of Eq. 1 only Eq. 10 follows, and Eq. 45 stands still after the first batch",
                changed,
            )
            .twin(follows(
                &format!("unit inputs, batch mean, a map that never saturates, γ = {}", panel.rate),
                &other,
                panel.wrong().1,
                ALL,
            )?)
            .note(format!("{steps} batches of 1000; errors at the end, as printed: descent {:.4}, Eq. 10 {:.4}, Eq. 45 {:.4}",
                printed.mean(DESCENT, panel.dim)?.value,
                printed.mean(LEADING, panel.dim)?.value,
                printed.mean(COUNTS, panel.dim)?.value
            )))
    }
}

const METRIC: &str =
    "mean generalization error minus that of descent, paired by runs, over each decade of samples and at the end";
const PROTOCOL: &[&str] =
    &["inputs of Eq. 1, W = 0 at the start, batches of a thousand summed as in Eq. 44, constant rate"];
const DEPARTURES: &[&str] = &[
    "the caption names no time range: 200 batches, 500 at paper scale",
    "unit inputs and means over a batch beside the printed setting, since the caption names neither sum nor mean",
];

/// Left panel: d = 100, rate 10.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// Runs.
    pub runs: Runs,
}

impl TypedCheck for Left {
    const CLAIM: &'static str = "heavy-tailed/fig-13-left";
    const PLAN: Plan = Plan::new(METRIC, "a difference of Eq. 45 beyond the margin of Figure 3", &[FOLLOWS])
        .protocol(PROTOCOL)
        .departures(DEPARTURES);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let title = "Figure 13, left: how batches are put together decides whether Eq. 45 follows";
        let figure = self.runs.figure(setting, PANELS[0], title)?;
        Ok(Checked::from(self.runs.follows(setting, PANELS[0], Vec::new())?).figure(figure))
    }
}

/// Middle panel: d = 100, rate 1.
#[derive(Clone, Debug, Default)]
pub struct Middle {
    /// Runs.
    pub runs: Runs,
}

impl TypedCheck for Middle {
    const CLAIM: &'static str = "heavy-tailed/fig-13-middle";
    const PLAN: Plan = Plan::new(METRIC, "a difference of Eq. 45 beyond the margin of Figure 3", &[FOLLOWS])
        .protocol(PROTOCOL)
        .departures(DEPARTURES);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let title = "Figure 13, middle: the same at rate one";
        let figure = self.runs.figure(setting, PANELS[1], title)?;
        let table = self.runs.table(setting, PANELS[1])?;
        let alone = self.runs.one_change_alone(setting, PANELS[1])?;
        Ok(Checked::from(self.runs.follows(setting, PANELS[1], alone)?).table(table).figure(figure))
    }
}

/// Right panel: d = 10, rate 1.
#[derive(Clone, Debug, Default)]
pub struct Right {
    /// Runs.
    pub runs: Runs,
}

impl TypedCheck for Right {
    const CLAIM: &'static str = "heavy-tailed/fig-13-right";
    const PLAN: Plan = Plan::new(METRIC, "an Eq. 10 or an Eq. 45 that stays within the margin of Figure 3", &[FOLLOWS])
        .protocol(PROTOCOL)
        .departures(DEPARTURES);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (printed, other) = (
            self.runs.study(setting, PANELS[2], Reading::Printed)?,
            self.runs.study(setting, PANELS[2], Reading::UnitMean)?,
        );
        let leading = self.runs.leading(setting, PANELS[2])?;
        let ends = |what: &str, study: &TrainingRuns, method: &str| -> Result<Finding, Failure> {
            above(&format!("d = 10, {what} minus descent at the end"), study, method, DESCENT)
        };
        let evidence = Evidence::of(ends("Eq. 45 with b p(x)", &printed, EXPECTED)?)
            .and(ends("Eq. 45 with counts", &printed, COUNTS)?)
            .and(Finding::at_least("d = 10, Eq. 10 minus descent at the end", FOLLOWS, leading).unit("runs"))
            .and(ends("unit inputs, batch mean: Eq. 45 with counts", &other, COUNTS)?)
            .weaker(
                "Eq. 45 leaves descent; Eq. 10, which feels interference as descent does, ends no higher than descent",
                vec![
                    ends("as printed: Eq. 45 with b p(x)", &printed, EXPECTED)?,
                    ends("as printed: Eq. 45 with counts", &printed, COUNTS)?,
                    ends("unit inputs and batch mean: Eq. 45 with counts", &other, COUNTS)?,
                    Finding::at_most("d = 10, Eq. 10 minus descent, not above it at the end", FOLLOWS, leading)
                        .unit("runs"),
                ],
            )
            .twin(above(
                "M − 1 and M/(M − 1) in the place of descent: error of Eq. 45 minus theirs, d = 10",
                &printed,
                COUNTS,
                PANELS[2].wrong().1,
            )?);
        let figure = self.runs.figure(setting, PANELS[2], "Figure 13, right: without room Eq. 45 does not follow")?;
        Ok(Checked::from(evidence).figure(figure))
    }
}
