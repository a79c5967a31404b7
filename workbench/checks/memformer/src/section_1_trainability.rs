//! Section 1: what it means to learn an algorithm.
//!
//! **Claim** (`memformer/expressivity-trainability`, also contribution 2). Learning means expressivity, that suitable parameters exist, and
//! trainability: parameters trained on random regression and shared by all prompts solve new prompts, on several inputs competitively with
//! conjugate gradients, Nesterov's method and momentum, sometimes better.
//!
//! Trainability is measured against expressivity: the best shared numbers have a closed form, and training from ten starts should come
//! near it. Against it speaks a start that stays away, or a classical method that is ahead on nearly every fresh prompt. Wrong twins: a
//! training that is stopped early, and models that were trained for another rotation.

use std::sync::Arc;

use workbench_ground::stats::{Estimate, Stream};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{Architecture, Averaging, Family, Parameters, Score, Trainer, Trainers};

use super::appendix_b::best;
use super::section_3_3::DIM;
use super::section_3_3_abroad::Abroad;
use super::section_3_3_optimum::{one_layer_excess, optimum};
use super::section_3_3_training::{
    FREE_SCALARS, Field, LAYERS, ONE, Reading, TWICE, ahead, budget, curve, field, gap_table, group, schedule,
};
use crate::vocabulary::largest_of;

const SEVERAL: Margin = Margin::new(
    "several",
    0.05,
    "one prompt in twenty: of a batch of a thousand that is fifty, the least one would call several",
);
const FITTED: Margin = Margin::new(
    "fitted rate",
    1e-3,
    "the rate is fitted on ten thousand prompts, to a percent; the loss feels its square",
);
/// Sizes of the ten starts.
const SIZES: [f64; 10] = [1e-4, 1e-4, 1e-4, 1e-4, 1e-3, 1e-3, 1e-2, 1e-2, 0.1, 0.1];

/// Ten starts, and the trained models on fresh prompts.
#[derive(Clone, Debug)]
pub struct Trainability {
    /// Steps after which the twin's training stops.
    pub stopped_after: usize,
}

impl Default for Trainability {
    fn default() -> Trainability {
        Trainability { stopped_after: 15 }
    }
}

fn start(setting: &Setting, field: &Field, size: f64, stream: &mut Stream) -> Result<Trainer, Failure> {
    let (first, second) = setting.scale().pick((2250, 750), budget(setting));
    let architecture = Architecture::new(LAYERS, DIM)?.with_registers(FREE_SCALARS);
    let model = Parameters::random(architecture, size, stream)?;
    let law = field.laws[0].clone();
    Ok(Trainer::from_parameters(model, law, schedule(first, second), stream)?)
}

impl Trainability {
    /// Decades above the best there is: of ten starts, and of one that is stopped early.
    fn gaps(&self, setting: &Setting) -> Result<(Vec<f64>, f64), Failure> {
        let field = field(setting, Reading::Variances)?;
        let best = optimum(setting, Reading::Variances)?.runs()[0].log_of_means(Score::Query)[LAYERS];
        let gap = |model: &Parameters| -> Result<f64, Failure> {
            let losses = field.tests[0].losses(model, LAYERS)?;
            Ok(losses.log_of_means(Score::Query)[LAYERS] - best)
        };
        let mut runs = Vec::new();
        for (i, size) in (0..).zip(SIZES) {
            let mut stream = setting.streams().replicate("ten starts", i)?;
            runs.push(start(setting, &field, size, &mut stream)?);
        }
        let mut runs = Trainers::new(runs)?;
        runs.run()?;
        let mut early = start(setting, &field, SIZES[0], &mut setting.stream("stopped early")?)?;
        early.run_for(self.stopped_after)?;
        let all = runs.models().iter().map(gap).collect::<Result<_, _>>()?;
        Ok((all, gap(early.parameters())?))
    }
}

impl TypedCheck for Trainability {
    const CLAIM: &'static str = "memformer/expressivity-trainability";
    const PLAN: Plan = Plan::new(
        "decades between logarithms of the mean loss on fresh prompts, paired run by run",
        "a start that stays more than a factor of two above the best there is; a rival that is ahead on nearly all prompts",
        &[TWICE, SEVERAL, FITTED],
    )
    .protocol(&["set-up of Section 3.3: d = 5, n = 20, four layers, five rotations; ten starts on the first of them"])
    .departures(&["learning rate, steps and size of the start are not in the document; see reproducibility"])
    .rivals(&[
        "conjugate gradients on each prompt",
        "Nesterov's method and momentum with the best of 288 pairs after four steps, in the same metric, see Appendix B",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let at = Reading::Variances;
        let (field, one) = (field(setting, at)?, curve(setting, at, &ONE)?);
        let best_of = |family| best(setting, family, LAYERS);
        let (nesterov, momentum) = (best_of(Family::Nesterov)?, best_of(Family::Momentum)?);
        let (gaps, early) = self.gaps(setting)?;
        let worst = largest_of(&gaps);
        let least = optimum(setting, at)?;
        let abroad = Abroad::of(group(setting, at, &ONE)?.of_depth(LAYERS), &field.tests)?;
        let rival = momentum.curve.decades(Score::Query, Averaging::LogOfMeans);
        let elsewhere = abroad.over_pairs(|law, loss| rival[[law, LAYERS]] - loss)?;
        let below = |label: &str, rival: &Arc<super::appendix_b::Rival>| -> Result<Finding, Failure> {
            Ok(Finding::at_least(label, 0.0, ahead(&one, &rival.curve, LAYERS)?).unit("runs"))
        };
        let evidence = Evidence::of(
            Finding::at_most(
                "4 layers, worst of ten starts: decades above the best there is",
                TWICE,
                Estimate::exact(worst),
            )
            .cases(gaps.len())
            .unit("starts"),
        )
        .and(
            Finding::at_least("1 layer: decades below conjugate gradients", 0.0, ahead(&one, &field.cgd, 1)?)
                .unit("runs"),
        )
        .and(
            Finding::at_least(
                "4 layers: share of fresh prompts with a smaller loss than conjugate gradients",
                SEVERAL,
                one.wins(&field.cgd, Score::Query, LAYERS)?,
            )
            .unit("runs"),
        )
        .and(below("4 layers: decades below Nesterov with its best constants", &nesterov)?)
        .and(below("4 layers: decades below momentum with its best constants", &momentum)?)
        .twin(Finding::at_most(
            "training stopped after fifteen steps: decades above the best there is",
            TWICE,
            Estimate::exact(early),
        ))
        .twin(
            Finding::at_least(
                "4 layers, trained for another rotation: decades below the better of the two",
                0.0,
                elsewhere,
            )
            .unit("pairs"),
        )
        .support(Finding::identity(
            "one layer, rate fitted in closed form: exact loss over the least possible, minus 1",
            one_layer_excess(setting)? - 1.0,
            FITTED,
        ))
        .note(format!(
            "ten starts, decades above the best there is: {}",
            gaps.iter().map(|g| format!("{g:.2}")).collect::<Vec<_>>().join(", ")
        ));
        let rows: [(&str, &workbench_memformer::Curve, &workbench_memformer::Curve); 3] = [
            ("one register, below conjugate gradients", &one, &field.cgd),
            ("one register, below the best there is", &one, &least),
            ("the best there is, below conjugate gradients", &least, &field.cgd),
        ];
        Ok(Checked::from(evidence).table(gap_table("Trained, best possible, classical", &rows, LAYERS)?))
    }
}
