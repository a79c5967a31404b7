//! Figure 11, middle: errors with learned W, learned embeddings and ReLU.
//!
//! **Claim** (`heavy-tailed/fig-11-middle`). Learning only W (blue), learning the embeddings e and u (orange), and the non-linear model
//! u_y^T ReLU(e_x) with e and u learned (green), all after 1000 updates with batches of 1000. It says what is compared and not what comes out;
//! with the text, learned embeddings are to be better. Exponents, tipping points and the non-linear model are asked with
//! `heavy-tailed/fig-11-right`; what its error is here stands beside.
//!
//! "Learning the embeddings" has two readings, with W fixed at its random start and with W trained too; both are run. Refuted by learned
//! embeddings that are above W alone, at the best of W's rates in that dimension.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::ErrorCurve;

use super::learned_embeddings::{CLASSES, INPUTS, drawn, law, target};
use super::learned_models::{EIGHT, Model, SIXTEEN, Trained, adam, at_four, largest_gap, plain, relu_less_memory};

/// Four models.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/fig-11-middle",
    metric: "error after 1000 updates less that of W alone, paired by start and data, where it is largest over d",
    against: "learned embeddings that are above W alone",
    protocol: &["N = 100, M = 5, α = 2; 1000 updates with batches of 1000"],
    choices: &[
        "the caption gives neither rule nor rate: Adam at tuned rates, and plain descent at rate one for all; starts and powers of d in the rates as in Appendix C.1",
    ],
    rivals: &[
        "W alone, Adam at the better of the rates 1 and 10 in each dimension; ReLU at the better of 0.03 and 0.3, at d = 4 at the best of five",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (mut trained, mut slow) = (Vec::new(), Vec::new());
    for model in Model::ALL {
        trained.push((model, adam(s, model)?.curve()?));
        if model != Model::Everything {
            slow.push((model, (*plain(s, model)?).clone()));
        }
    }
    let [printed, aside, twin] =
        [s.printed(Margin::ZERO), s.aside(Margin::ZERO), s.twin(Margin::ZERO)].map(|says| says.of("runs"));
    for (label, of, base, (low, high)) in [
        ("e, u less W, largest over 2 ≤ d ≤ 32", &trained[1].1, &trained[0].1, (2.0, 32.0)),
        ("W, e, u less W, largest over 2 ≤ d ≤ 16", &trained[2].1, &trained[0].1, (2.0, 16.0)),
        ("plain descent: e, u less W, largest over 4 ≤ d ≤ 32", &slow[1].1, &slow[0].1, (4.0, 32.0)),
    ] {
        printed.at_most(label, largest_gap(&of.between(low, high)?, &base.between(low, high)?)?);
    }

    let at_32 = |curve: &ErrorCurve| curve.between(32.0, 32.0);
    aside.at_most("ReLU less W, d = 32", largest_gap(&at_32(&trained[3].1)?, &at_32(&trained[0].1)?)?);
    let four = at_four(s)?;
    aside.at_most("ReLU less W, d = 4", relu_less_memory(&four)?);
    let label = "ReLU over inputs with a positive coordinate at the start less W over all, d = 4";
    aside.at_most(label, four.alive_less_memory()?);

    let (memory, relu) = (adam(s, Model::Memory)?, adam(s, Model::Relu)?);
    let wrong = one_off(&*adam(s, Model::Embeddings)?, SIXTEEN)?;
    twin.at_most("labels one off: e, u less W, d = 16", paired_difference(&wrong, &memory.last(SIXTEEN))?);
    let at_eight = paired_difference(&relu.last(EIGHT), &memory.last(EIGHT))?;
    s.note(format!("ReLU, d = 4: rate {}", four.rate()));
    s.note(format!(
        "d = 8 and 16 lie between; at d = 8 ReLU less W {:.3} [{:.3}, {:.3}], mean error of W {:.3}",
        at_eight.value,
        at_eight.low,
        at_eight.high,
        mean(&memory.last(EIGHT))?.value
    ));
    s.figure(figure(&trained, &slow)?);
    s.table(table(&trained)?);
    Ok(())
}

/// Means over runs, a column for each model.
fn table(trained: &[(Model, ErrorCurve)]) -> Result<Table, Failure> {
    let mut list = vec![("d", trained[0].1.x().to_vec().into())];
    for (model, curve) in trained {
        let mut means = curve.means();
        means.resize(trained[0].1.x().len(), f64::NAN);
        list.push((model.name(), means.into()));
    }
    Ok(Table::new(columns(list)?)
        .title("Mean errors after 1000 updates, by what is learned")
        .caption("Adam, each model at the best of its rates in each dimension.")
        .digits(3))
}

fn figure(trained: &[(Model, ErrorCurve)], plain: &[(Model, ErrorCurve)]) -> Result<Figure, Failure> {
    let panel = |title: &str| {
        Panel::new(title).x_label("d").y_label("error").log_x().log_y().y_limits(1e-4, 1.0).legend_below()
    };
    let (mut left, mut right) = (panel("Adam at its best rate"), panel("plain descent at rate one"));
    for (model, curve) in trained {
        left = left.line(model.name(), curve.x(), &drawn(curve, 1e-4)).colour(*model as usize);
    }
    for (model, curve) in plain {
        let above = |values: Vec<f64>| values.iter().map(|e| e.max(1e-4)).collect::<Vec<f64>>();
        right = right
            .band("", curve.x(), &above(curve.low()?), &above(curve.high()?))
            .colour(*model as usize)
            .line(model.name(), curve.x(), &drawn(curve, 1e-4))
            .colour(*model as usize);
    }
    Ok(Figure::new("Learned embeddings have no error left, W alone has")
        .panel(left)
        .panel(right)
        .columns(2)
        .caption("Batches of a thousand, means over runs. Zero is drawn at the lower edge. Bands: 99.9 % intervals."))
}

/// Errors of trained models when the inputs are counted from zero, so that each label is one off.
fn one_off(trained: &Trained, dim: usize) -> Result<Vec<f64>, Failure> {
    let p = law()?.probabilities(INPUTS);
    let labels: Vec<usize> = (0..INPUTS).map(|x| x % CLASSES).collect();
    if labels == target(CLASSES)?.labels(INPUTS) {
        return Err("the task counts its inputs from zero as well".into());
    }
    let runs = &trained.runs[dim];
    (0..runs.len()).map(|i| Ok(runs.model(i)?.generalization_error(&labels, &p)?)).collect()
}
