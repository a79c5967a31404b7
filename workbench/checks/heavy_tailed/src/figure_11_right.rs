//! Figure 11, right: exponents, tipping points, and updates to zero error.
//!
//! **Claim** (`heavy-tailed/fig-11-right`), setting of Figure 5. Learning the embeddings or going non-linear allows to impressively optimise
//! memory storage, leading to a better exponent with respect to d and an earlier tipping point for the same number of updates. Appendix C.2:
//! with a few steps one can achieve a zero generalization error when learning the embeddings.
//!
//! At a tuned rate learned embeddings end without error and have no slope, so exponents are compared under plain descent at rate one for
//! all. Tipping points are compared with each model at its best rate: zero error in fewer dimensions, or more often in the same. The
//! non-linear model has a handicap: an input whose coordinates are all negative at the start has hidden vector zero and gradient zero, for
//! ever, with probability 2^-d. A curve that is steeper and tips earlier may start higher, and this one does: at d = 4 the non-linear model
//! stores less than W alone, which is shown. Refuted by a slope that is no steeper, a tipping point that is no earlier, or zero error that
//! takes as many updates as W alone.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{mean, paired_difference, proportion};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{ErrorCurve, LearnedRuns};

use super::learned_embeddings::{CLASSES, INPUTS, apart, target};
use super::learned_models::{
    AtFour, FOUR, Model, SIXTEEN, THIRTY_TWO, adam, again_at, at_four, plain, relu_less_memory, slowly,
};

const FEW: Margin = Margin::ours(
    "a few updates",
    100.0,
    "a tenth of the thousand updates of the figure; the text says a few steps and gives no number",
);

/// Three models.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/fig-11-right",
    metric: "slope of ln error in ln d less that of W alone, 4 ≤ d ≤ 32; share of runs with zero error; updates to the first; error less that of W",
    against: "a slope that is no steeper; a tipping point that is no earlier; as many updates to zero error as W alone takes",
    protocol: &[
        "N = 100, M = 5, α = 2; the same number of updates; starts and powers of d in the rates as in Appendix C.1",
    ],
    choices: &[
        "the caption gives neither rule nor rate: slopes under plain descent at rate one for all, tipping points under Adam at tuned rates",
        "1000 updates with batches of 1000, as in the middle panel; Figure 5 names neither",
    ],
    rivals: &[
        "W alone, Adam at the better of the rates 1 and 10 in each dimension; ReLU at the better of 0.03 and 0.3, at d = 4 at the best of five",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let mut boot = s.stream("bootstrap, models")?;
    let base = plain(s, Model::Memory)?;
    let mut slope = |curve: &ErrorCurve| curve.relative_slope(&base, &mut boot);
    let learned = slope(&*plain(s, Model::Embeddings)?)?;
    let relu = slope(&*plain(s, Model::Relu)?)?;
    // Rates of the embeddings that fall as 1/d, where Appendix C.1 has them constant.
    let narrow = slowly(s, |d| Ok(Model::Embeddings.training(d)?.width_powers(0.0, -1.0)))?;
    let label = "rates of e and u falling as 1/d: slope less that of W";
    s.twin(Margin::ZERO).of("runs").at_most(label, slope(&narrow)?);

    let (memory, embeddings) = (adam(s, Model::Memory)?, adam(s, Model::Embeddings)?);
    let sign = s.printed(Margin::ZERO).of("runs");
    sign.at_most("plain descent: slope of e, u less that of W", learned);
    sign.at_most("plain descent: slope of ReLU less that of W", relu);
    // Tipping points: shares without error, each model against W alone with more dimensions or with as many.
    let of_memory = memory.runs[THIRTY_TWO].zero_share()?;
    let of_learned = apart(embeddings.runs[FOUR].zero_share()?, of_memory)?;
    sign.at_least("runs with zero error, e, u at d = 4 minus W at d = 32", of_learned);
    let [relu, only] = again_at(s, THIRTY_TWO, 2)?;
    let without = |errors: &[f64]| errors.iter().map(|e| f64::from(u8::from(*e == 0.0))).collect::<Vec<f64>>();
    let of_relu = paired_difference(&without(&relu), &without(&only))?;
    sign.at_least("runs with zero error, d = 32, ReLU minus W", of_relu);
    sign.at_most("ReLU less W, d = 32", paired_difference(&relu, &only)?);
    let [relu, only] = again_at(s, SIXTEEN, 12)?;
    // A few runs fail altogether, and they decide the mean.
    let below = proportion(relu.iter().zip(&only).filter(|(relu, only)| relu < only).count(), relu.len())?;
    let label = "d = 16: share of runs in which ReLU is below W, less one half";
    let aside = s.aside(Margin::ZERO).of("runs");
    aside.at_least(label, below.affine(1.0, -0.5)?);
    aside.at_most("ReLU less W, d = 16", paired_difference(&relu, &only)?);
    let [first, of_memory] = [updates(&embeddings.runs[SIXTEEN]), updates(&memory.runs[SIXTEEN])];
    sign.at_most("updates to the first zero error, d = 16, e, u minus W", paired_difference(&first, &of_memory)?);
    s.aside(FEW).of("runs").at_most("updates to the first zero error, e, u, d = 16", mean(&first)?);

    let four = at_four(s)?;
    aside.at_most("ReLU less W, d = 4", relu_less_memory(&four)?);
    let label = "ReLU over inputs with a positive coordinate at the start less W over all, d = 4";
    aside.at_most(label, four.alive_less_memory()?);
    dead(s, &four)?;
    s.note(format!("ReLU, d = 4: rate {}", four.rate()));
    s.figure(figure(s)?);
    Ok(())
}

/// Inputs without a positive coordinate at the start are not recalled in the end.
fn dead(s: &Sheet, four: &AtFour) -> Done {
    let (labels, mut dead) = (target(CLASSES)?.labels(INPUTS), 0);
    for i in 0..four.relu.len() {
        let end = four.relu.model(i)?;
        for (alive, margin) in four.alive(i)?.into_iter().zip(end.margins(&labels)?) {
            if !alive {
                dead += 1;
                let label =
                    "ReLU, d = 4: inputs without a positive coordinate at the start that are recalled in the end";
                s.aside(Margin::ZERO).of("inputs").never(label, margin > 0.0);
            }
        }
    }
    s.note(format!(
        "ReLU, d = 4: a share {:.4} of the inputs has no positive coordinate at the start, against 2^-4 = 0.0625",
        dead as f64 / (four.relu.len() * INPUTS) as f64
    ));
    Ok(())
}

/// Updates to the first zero error, the whole budget where there was none.
fn updates(runs: &LearnedRuns) -> Vec<f64> {
    runs.first_zero().into_iter().map(|step| step.map_or(1000.0, |step| step as f64)).collect()
}

fn figure(s: &Sheet) -> Result<Figure, Failure> {
    let steps: Vec<usize> = (0..=100).map(|k| 10 * k).collect();
    let x: Vec<f64> = steps.iter().map(|s| *s as f64).collect();
    let mut figure = Figure::new("Learned embeddings have their first zero within dozens of updates").columns(2);
    for (title, dim) in [("d = 4", FOUR), ("d = 32", THIRTY_TWO)] {
        let mut panel = Panel::new(title).x_label("updates").y_label("share of runs");
        for model in [Model::Memory, Model::Embeddings, Model::Relu] {
            let runs = adam(s, model)?;
            panel = panel.line(model.name(), &x, &runs.runs[dim].surviving(&steps)).colour(model as usize);
        }
        figure = figure.panel(panel.y_limits(0.0, 1.05).legend_below());
    }
    Ok(figure.caption("Adam, each model at the best of its rates in this dimension, batches of a thousand."))
}
