//! Many gradient steps are an associative memory: the reformulation read with Definition 1.
//!
//! **Claim** (`gradient-memory/step-as-memory`). A step is an associative memory: W maps the key x_{t+1} to an output, which is scored by
//! its inner product with the output gradient u_{t+1}, and is held near the memory before.
//!
//! So T steps are T memories of Definition 1, one after the other: each is the argmin of the line's objective, whose score is <W x, u> and
//! which is held near the memory before. They are minimised by a solver that knows no step, with u taken at the memory that it has reached,
//! and must end where the steps end. That decides. What the memory answers is not in the document, and the check stands on it: asked with
//! x_s it returns -eta |x_s|^2 u_s - eta sum_{t != s} <x_t, x_s> u_t, the stored gradient with a minus sign, and interference that vanishes
//! for orthogonal keys.

use ndarray::{Array1, Array2, Axis, s};
use workbench_display::{Figure, Panel};
use workbench_gradient_memory::{GradientStep, InnerObjective, Loss, UpdateRule, pseudo_inverse_memory, run_stream};
use workbench_ground::stats::{normal_array2, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use crate::vocabulary::{apart, row};

const SUM: Margin = Margin::rounding("sum", 1e-13, "rounding of a dozen steps on entries of order one");
const SOLVER: Margin =
    Margin::rounding("solver", 1e-11, "conjugate gradients on quadratics whose Hessian is I / eta, a dozen of them");

/// A dozen pairs under three kinds of keys.
pub const CHECK: Check = Check {
    claim: "gradient-memory/step-as-memory",
    metric: "largest entry of a difference, absolute; values are standard normal",
    against: "steps that do not end where the minimisations end",
    choices: &[
        "twelve pairs, the squared error and one with tanh, W_0 = 0; three sets of keys, from orthogonal to correlated, with lengths from 0.5 to 1.5",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (pairs, dim) = (12, 16);
    let eta = s.knob("step size η", 0.5, 0.01..=1.0)?;
    let mut draws = s.stream("steps as memory")?;
    let random = unit_sphere(&mut draws, pairs, dim);
    let mixed = &random + &unit_sphere(&mut draws, 1, dim);
    let correlated = &mixed / &squares(&mixed).mapv(f64::sqrt).insert_axis(Axis(1));
    let orthonormal = Array2::eye(dim).slice(s![..pairs, ..]).to_owned();
    let values = normal_array2(&mut draws, pairs, dim);
    // Keys of several lengths, so that a formula without them cannot pass.
    let long = Array1::from_shape_fn(pairs, |s| 0.5 + s as f64 / (pairs - 1) as f64).insert_axis(Axis(1));
    let index: Vec<f64> = (1..=pairs).map(|t| t as f64).collect();
    let mut figure =
        Figure::new("Each key brings back its own gradient, and what its neighbours share with it").columns(3);

    let sets = [("orthogonal keys", orthonormal), ("random directions", random), ("with a common part", correlated)];
    for (title, directions) in s.each("key sets", sets) {
        let keys = directions * &long;
        let mut rule: Box<dyn UpdateRule> = Box::new(GradientStep::new(dim, dim, eta, Loss::Squared)?);
        let u = run_stream(&mut rule, Loss::Squared, &keys, &values)?.output_gradients;
        memories(s, &keys, &values, eta)?;

        let answers = rule.recall(&keys)?;
        let expected = answered(&keys, &u, eta, |_| 1.0);
        for t in s.each("answers", 0..pairs) {
            let off = apart(&answers.row(t), &expected.row(t));
            s.support(SUM).same("answers against the formula with interference", off);
        }

        let squares = squares(&keys);
        let stored = -eta * &u * &squares.clone().insert_axis(Axis(1));
        let interference = apart(&answers, &stored);
        match title {
            "orthogonal keys" => {
                let own = s.support(SUM).over(pairs, "pairs");
                own.same("orthogonal keys: answers against −η |x_s|² u_s alone", interference);
            }
            "random directions" => s.twin(SUM).same("random directions: answers without interference", interference),
            _ => s.support(SUM).at_least("correlated keys: interference", interference),
        }
        let unscaled = apart(&answers, &(&expected - &stored - eta * &u));
        s.twin(SUM).same("−η u_s without |x_s|²: answers against the formula, least", unscaled);
        let of_directions = apart(&answers, &answered(&keys, &u, eta, |t| 1.0 / squares[t].sqrt()));
        s.twin(SUM).same("stored keys taken as directions, without their lengths: answers, least", of_directions);

        let shares = answers.dot(&pseudo_inverse_memory(&u, &Array2::eye(pairs))?.t()) / -eta;
        let panel = Panel::new(title).x_label("stored gradient u_{t}").y_label("asked with key x_{s}");
        let panel = panel.heatmap(&shares, &index, &index, "share of −η u_{t}");
        figure = figure.panel(panel.signed_colour().colour_limits(-1.0, 1.0));
    }
    s.figure(figure.caption(
        "Measured shares: the answers expanded in the stored gradients. The diagonal is the pair itself, everything else is \
         interference.",
    ));
    Ok(())
}

/// The dozen steps against the dozen minimisations, two losses; and against two wrong objectives.
fn memories(s: &Sheet, keys: &Array2<f64>, values: &Array2<f64>, eta: f64) -> Done {
    for loss in s.each("key sets and losses", [Loss::Squared, Loss::TanhSquared]) {
        let mut steps: Box<dyn UpdateRule> = Box::new(GradientStep::new(values.ncols(), keys.ncols(), eta, loss)?);
        run_stream(&mut steps, loss, keys, values)?;
        // The argmin of <W x, score> + |W - centre|^2 / (2 eta), pair by pair from zero.
        let reached = |near: bool, by_gradient: bool| -> Result<Array2<f64>, Failure> {
            let zero = Array2::zeros((values.ncols(), keys.ncols()));
            let mut w = zero.clone();
            for t in 0..keys.nrows() {
                let (x, v) = (row(keys, t), row(values, t));
                let score = if by_gradient { loss.output_gradient(&w, &x, &v)? } else { -v };
                let centre = if near { w } else { zero.clone() };
                w = InnerObjective::new("W").linear(score.t().dot(&x)).anchor(1.0 / eta, centre).minimise()?;
            }
            Ok(w)
        };
        let off = |w: Array2<f64>| apart(&w, steps.weights());
        s.printed(SOLVER).same("W after the steps against W after the minimisations", off(reached(true, true)?));
        let label = "held near zero and not near the memory before: W against the steps, least";
        s.twin(SOLVER).same(label, off(reached(false, true)?));
        // Orthogonal keys meet a memory that answers zero, where the gradient of both losses is minus the value.
        if keys.row(0).dot(&keys.row(1)) != 0.0 {
            let label = "scored by minus the value in place of the gradient: W against the steps, least";
            s.twin(SOLVER).same(label, off(reached(true, false)?));
        }
    }
    Ok(())
}

/// Squared lengths of the rows.
fn squares(keys: &Array2<f64>) -> Array1<f64> {
    keys.mapv(|x| x * x).sum_axis(Axis(1))
}

/// The formula with interference: row s is -eta sum_t <x_t, x_s> u_t, each stored key multiplied by a factor.
fn answered(keys: &Array2<f64>, u: &Array2<f64>, eta: f64, factor: impl Fn(usize) -> f64) -> Array2<f64> {
    let mut expected = Array2::zeros(u.dim());
    for s in 0..keys.nrows() {
        for t in 0..keys.nrows() {
            let share = -eta * factor(t) * keys.row(t).dot(&keys.row(s));
            expected.row_mut(s).scaled_add(share, &u.row(t));
        }
    }
    expected
}
