//! Eq. 2.7: the training objective.
//!
//! **Claim** (`memformer/eq-2-7`). The parameters are learned by minimising E[(TF_L(Z_0) + <w*, x(n+1)>)^2], with TF_L = -[Z_L]_{d+1, n+1}.
//!
//! By Lemma 2.1 the entry is minus the answer, so TF_L is *plus* the answer: with the printed signs a stack that solves every prompt is
//! punished with 4 E <w*, x>^2 = 4d. For one layer with A = a Sigma^{-1} Wishart moments give the loss with the sign that fits,
//! d (1 - 2a + a^2 (n + d + 1) / n), least at a = n / (n + d + 1); with the printed sign the minimum is at minus that. Refuted by a loss
//! that a solving stack does not bring to zero, or a best step that climbs the loss of the prompt.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{CONFIDENCE, Estimate, mean, mean_at};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{Head, LayerMemory, LinearTransformer, Prompts, TaskLaw, one_layer_best, one_layer_loss};

use super::prompts_and_heads::prompts;
use super::task_law::{DIM, EXAMPLES, law};
use crate::vocabulary::EXACT;

const SOLVED: Margin = Margin::statistical(
    "solved",
    0.01,
    "a five-hundredth of the mean squared answer, d = 5; steps to rounding leave far less",
);
const COEFFICIENT: Margin = Margin::statistical(
    "coefficient",
    0.025,
    "less than the distance to n/(n+d) and n/(n+d+2), which counts that are off by one would give",
);

/// A deep stack and a single layer under both signs.
pub const CHECK: Check = Check {
    claim: "memformer/eq-2-7",
    metric: "mean squared error over prompts; coefficient of the best single step, with its interval",
    against: "a stack that solves its prompts and has a loss; a best step that goes uphill",
    protocol: &["d = 5, n = 20, law of Section 3.3"],
    choices: &["A = aΣ⁻¹, in one layer and in 250 that solve their prompts"],
    departures: &[
        "one layer is trained by plain gradient descent on one batch, since its optimum is all that is asked for",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint("the loss is (TF - <w*, x>)², or TF is the entry itself without its minus");
    let (law, prompts) = (law(s)?, prompts(s)?);
    let best = one_layer_best(EXAMPLES, DIM)?;
    s.note(format!(
        "predicted loss of the stack with the printed signs 4d = {}; best one-layer loss {:.4} = d(d+1)/(n+d+1)",
        4 * DIM,
        one_layer_loss(best, EXAMPLES, DIM)?
    ));
    deep_stack(s, &law)?;

    let [problem, plain, example] = one_layer(&prompts, &law)?;
    let says = [s.printed(COEFFICIENT), s.changed(COEFFICIENT), s.twin(COEFFICIENT)];
    let [printed, changed, twin] = says.map(|says| says.of("prompts"));
    printed.equals("coefficient that training finds, signs as printed", best, train(&problem, 1.0)?);
    changed.equals("coefficient that training finds, against n/(n+d+1)", best, train(&problem, -1.0)?);
    twin.equals("A = aΣ for aΣ⁻¹: coefficient that training finds", best, train(&plain, -1.0)?);
    twin.equals("an example asked for in place of the query: coefficient", best, train(&example, -1.0)?);

    // All judged at once.
    let grid: Vec<f64> = (-10..=10).map(|k| 0.125 * f64::from(k)).collect();
    let confidence = 1.0 - (1.0 - CONFIDENCE) / grid.len() as f64;
    let mut measured = Vec::new();
    for &a in s.each("coefficients", &grid) {
        let errors: Vec<f64> = problem.iter().map(|(s, t)| (a * s - t).powi(2)).collect();
        let loss = mean_at(&errors, confidence)?;
        let label = "one layer: coefficients whose exact loss is outside the interval";
        s.changed(EXACT).never(label, !loss.contains(one_layer_loss(a, EXAMPLES, DIM)?));
        measured.push(loss);
    }
    s.figure(figure(&grid, &measured, best)?);
    Ok(())
}

/// Squared errors of a stack that solves its prompts, with a plus and with a minus before <w*, x>.
fn deep_stack(s: &Sheet, law: &TaskLaw) -> Done {
    let some = Prompts::draw(law, EXAMPLES, s.scale().pick(300, 2000), &mut s.stream("objective")?)?;
    let step = s.knob("step of the stack, as a multiple of Σ⁻¹", 0.5, 0.0..=1.0)?;
    let head = Head::restricted(&(step * law.truth_covariance()))?;
    let deep = LinearTransformer::new(vec![vec![head]; 250], LayerMemory::None)?;
    let (mut plus, mut minus) = (Vec::new(), Vec::new());
    for (b, answer) in some.answers().iter().enumerate() {
        let output = deep.predict(&some.tokens(b)?)?;
        plus.push((output + answer).powi(2));
        minus.push((output - answer).powi(2));
    }
    let label = "loss of a stack of 250 exact gradient steps, signs as printed";
    s.printed(SOLVED).of("prompts").at_most(label, mean(&plus)?);
    s.changed(SOLVED).of("prompts").at_most("loss of the same stack, signs that fit", mean(&minus)?);
    Ok(())
}

/// A one-layer problem: for each prompt s and t, where the answer is a s, and t is asked for.
type OneLayer = Vec<(f64, f64)>;

/// The one-layer problem with A = a Sigma^{-1}; with a Sigma for a twin; and, for another, with an example in the place of the query.
fn one_layer(prompts: &Prompts, law: &TaskLaw) -> Result<[OneLayer; 3], Failure> {
    let (statistics, answers) = (prompts.statistics()?, prompts.answers());
    let [mut problem, mut plain, mut example] = [const { Vec::new() }; 3];
    for b in 0..prompts.batch() {
        let (query, cross) = (prompts.query_of(b)?, statistics.cross(b)?);
        let pull = law.truth_covariance().dot(&cross);
        problem.push((query.dot(&pull), answers[b]));
        plain.push((query.dot(&law.covariance().dot(&cross)), answers[b]));
        example.push((prompts.covariates(b)?.row(0).dot(&pull), prompts.y()[[b, 0]]));
    }
    Ok([problem, plain, example])
}

/// Minimises the mean of (a s + sign t)^2 by gradient descent from zero. The interval is that of the mean of s times the residual, over
/// the mean of s^2.
fn train(problem: &OneLayer, sign: f64) -> Result<Estimate, Failure> {
    let (size, mut a) = (problem.len() as f64, 0.0);
    let pull = |a: f64| problem.iter().map(move |(s, t)| s * (a * s + sign * t));
    for _ in 0..200 {
        a -= 0.1 * pull(a).sum::<f64>() / size;
    }
    let spread = mean(&pull(a).collect::<Vec<f64>>())?.half_width();
    let half = spread * size / problem.iter().map(|(s, _)| s * s).sum::<f64>();
    Ok(Estimate::new(a, a - half, a + half, problem.len() as u64, CONFIDENCE)?)
}

fn figure(grid: &[f64], measured: &[Estimate], best: f64) -> Result<Figure, Failure> {
    let exact = |sign: f64| -> Result<Vec<f64>, Failure> {
        grid.iter().map(|a| Ok(one_layer_loss(sign * a, EXAMPLES, DIM)?)).collect()
    };
    let of = |part: fn(&Estimate) -> f64| measured.iter().map(part).collect::<Vec<f64>>();
    let panel = Panel::new("")
        .error_bars("measured, (TF − ⟨w*,x⟩)²", grid, &of(|e| e.value), &of(|e| e.low), &of(|e| e.high))
        .theory("exact, sign that fits", grid, &exact(1.0)?)
        .colour(0)
        .theory("exact, (TF + ⟨w*,x⟩)² as printed", grid, &exact(-1.0)?)
        .colour(1)
        .vline("n/(n+d+1)", best)
        .x_label("a")
        .y_label("loss")
        .legend_below();
    Ok(Figure::new("One layer, A = aΣ⁻¹: the printed sign learns to step uphill")
        .panel(panel)
        .caption("d = 5, n = 20. The printed loss is the mirror image of the other: least at minus the right coefficient, and as low there."))
}
