//! Eq. 2.7: the training objective.
//!
//! **Claim** (`memformer/eq-2-7`). The parameters are learned by minimising E[(TF_L(Z_0) + <w*, x(n+1)>)^2], with TF_L = -[Z_L]_{d+1, n+1}.
//!
//! By Lemma 2.1 the entry is minus the answer, so TF_L is *plus* the answer: with the printed signs a stack that solves every prompt is
//! punished with 4 E <w*, x>^2 = 4d. For one layer with A = a Sigma^{-1} Wishart moments give the loss with the sign that fits,
//! d (1 - 2a + a^2 (n + d + 1) / n), least at a = n / (n + d + 1); with the printed sign the minimum is at minus that. Against the claim
//! counts a loss that a solving stack does not bring to zero, or a best step that climbs the loss of the prompt.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{CONFIDENCE, Estimate, mean, mean_at};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{Head, LayerMemory, LinearTransformer, Prompts, TaskLaw, one_layer_best, one_layer_loss};

use super::exact::Tally;
use super::section_2_1::prompts;
use super::section_3_3::{DIM, EXAMPLES, law};
use crate::vocabulary::EXACT;

const SOLVED: Margin =
    Margin::new("solved", 0.01, "a five-hundredth of the mean squared answer, d = 5; steps to rounding leave far less");
const COEFFICIENT: Margin = Margin::new(
    "coefficient",
    0.025,
    "less than the distance to n/(n+d) and n/(n+d+2), which counts that are off by one would give",
);

/// A deep stack and a single layer under both signs.
#[derive(Clone, Debug)]
pub struct BothSigns {
    /// Layers of the stack that solves its prompts.
    pub layers: usize,
    /// Its step, as a multiple of Sigma^{-1}.
    pub step: f64,
}

impl Default for BothSigns {
    fn default() -> BothSigns {
        BothSigns { layers: 250, step: 0.5 }
    }
}

/// Squared errors of the stack, with a plus and with a minus before <w*, x>.
struct Stack {
    plus: Estimate,
    minus: Estimate,
}

/// The one-layer problem: the answer is a s, and t is asked for.
struct OneLayer {
    slopes: Vec<f64>,
    targets: Vec<f64>,
}

impl OneLayer {
    /// Minimises the mean of (a s + sign t)^2 by gradient descent from zero. The interval is that of the mean of s times the residual,
    /// over the mean of s^2.
    fn train(&self, sign: f64) -> Result<Estimate, Failure> {
        let pairs = || self.slopes.iter().zip(&self.targets);
        let (size, mut a) = (self.slopes.len() as f64, 0.0);
        for _ in 0..200 {
            a -= 0.1 * pairs().map(|(s, t)| s * (a * s + sign * t)).sum::<f64>() / size;
        }
        let pull: Vec<f64> = pairs().map(|(s, t)| s * (a * s + sign * t)).collect();
        let half = mean(&pull)?.half_width() * size / self.slopes.iter().map(|s| s * s).sum::<f64>();
        Ok(Estimate::new(a, a - half, a + half, pull.len() as u64, CONFIDENCE)?)
    }

    /// Mean of (a s - t)^2.
    fn loss(&self, a: f64, confidence: f64) -> Result<Estimate, Failure> {
        let pairs = self.slopes.iter().zip(&self.targets);
        let errors: Vec<f64> = pairs.map(|(s, t)| (a * s - t).powi(2)).collect();
        Ok(mean_at(&errors, confidence)?)
    }
}

impl BothSigns {
    fn stack(&self, setting: &Setting, law: &TaskLaw) -> Result<Stack, Failure> {
        let size = setting.scale().pick(300, 2000);
        let some = Prompts::draw(law, EXAMPLES, size, &mut setting.stream("objective")?)?;
        let head = Head::restricted(&(self.step * law.truth_covariance()))?;
        let deep = LinearTransformer::new(vec![vec![head]; self.layers], LayerMemory::None)?;
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for (b, answer) in some.answers().iter().enumerate() {
            let output = deep.predict(&some.tokens(b)?)?;
            plus.push((output + answer).powi(2));
            minus.push((output - answer).powi(2));
        }
        Ok(Stack { plus: mean(&plus)?, minus: mean(&minus)? })
    }
}

/// The one-layer problem with A = a Sigma^{-1}; with a Sigma for a twin; and, for another, with an example in the place of the query.
fn one_layer(prompts: &Prompts, law: &TaskLaw) -> Result<[OneLayer; 3], Failure> {
    let statistics = prompts.statistics()?;
    let [mut slopes, mut plain, mut seen, mut labels] = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for b in 0..prompts.batch() {
        let (query, cross) = (prompts.query_of(b)?, statistics.cross(b)?);
        let pull = law.truth_covariance().dot(&cross);
        slopes.push(query.dot(&pull));
        plain.push(query.dot(&law.covariance().dot(&cross)));
        seen.push(prompts.covariates(b)?.row(0).dot(&pull));
        labels.push(prompts.y()[[b, 0]]);
    }
    let targets = prompts.answers().to_vec();
    let problem = |slopes, targets| OneLayer { slopes, targets };
    Ok([problem(slopes, targets.clone()), problem(plain, targets), problem(seen, labels)])
}

/// Coefficients at which the one-layer loss is measured, all judged at once.
fn grid() -> Vec<f64> {
    (-10..=10).map(|k| 0.125 * f64::from(k)).collect()
}

fn curve(problem: &OneLayer) -> Result<Vec<Estimate>, Failure> {
    let points = grid();
    let confidence = 1.0 - (1.0 - CONFIDENCE) / points.len() as f64;
    points.iter().map(|a| problem.loss(*a, confidence)).collect()
}

fn figure(measured: &[Estimate]) -> Result<Figure, Failure> {
    let sizes = grid();
    let exact = |sign: f64| -> Result<Vec<f64>, Failure> {
        let loss = |a: &f64| Ok(one_layer_loss(sign * a, EXAMPLES, DIM)?);
        sizes.iter().map(loss).collect()
    };
    let of = |part: fn(&Estimate) -> f64| measured.iter().map(part).collect::<Vec<f64>>();
    let panel = Panel::new("")
        .error_bars("measured, (TF − ⟨w*,x⟩)²", &sizes, &of(|e| e.value), &of(|e| e.low), &of(|e| e.high))
        .theory("exact, sign that fits", &sizes, &exact(1.0)?)
        .colour(0)
        .theory("exact, (TF + ⟨w*,x⟩)² as printed", &sizes, &exact(-1.0)?)
        .colour(1)
        .vline("n/(n+d+1)", one_layer_best(EXAMPLES, DIM)?)
        .x_label("a")
        .y_label("loss")
        .legend_below();
    Ok(Figure::new("One layer, A = aΣ⁻¹: the printed sign learns to step uphill")
        .panel(panel)
        .caption("d = 5, n = 20. The printed loss is the mirror image of the other: least at minus the right coefficient, and as low there."))
}

impl TypedCheck for BothSigns {
    const CLAIM: &'static str = "memformer/eq-2-7";
    const PLAN: Plan = Plan::new(
        "mean squared error over prompts; coefficient of the best single step, with its interval",
        "a stack that solves its prompts and has a loss; a best step that goes uphill",
        &[EXACT, SOLVED, COEFFICIENT],
    )
    .protocol(&["d = 5, n = 20, law of Section 3.3; A = aΣ⁻¹, in one layer and in 250 that solve their prompts"])
    .departures(&[
        "one layer is trained by plain gradient descent on one batch, since its optimum is all that is asked for",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (law, batch) = (law(setting)?, prompts(setting)?);
        let stack = self.stack(setting, &law)?;
        let [problem, plain, seen] = one_layer(&batch, &law)?;
        let (best, measured) = (one_layer_best(EXAMPLES, DIM)?, curve(&problem)?);
        let mut outside = Tally::default();
        for (a, estimate) in grid().iter().zip(&measured) {
            outside.see(!estimate.contains(one_layer_loss(*a, EXAMPLES, DIM)?));
        }
        let solved = |label: &str, loss: Estimate| Finding::at_most(label, SOLVED, loss).unit("prompts");
        let coefficient =
            |label: &str, found: Estimate| Finding::equals(label, best, COEFFICIENT, found).unit("prompts");
        let evidence = Evidence::of(solved(
            "loss of a stack of 250 exact gradient steps, signs as printed",
            stack.plus,
        ))
        .and(coefficient("coefficient that training finds, signs as printed", problem.train(1.0)?))
        .misprint(
            "the loss is (TF - <w*, x>)², or TF is the entry itself without its minus",
            vec![
                solved("loss of the same stack, signs that fit", stack.minus),
                coefficient("coefficient that training finds, against n/(n+d+1)", problem.train(-1.0)?),
                outside.none("one layer: coefficients whose exact loss is outside the interval", "coefficients"),
            ],
        )
        .twin(coefficient("A = aΣ for aΣ⁻¹: coefficient that training finds", plain.train(-1.0)?))
        .twin(coefficient("an example asked for in place of the query: coefficient", seen.train(-1.0)?))
        .note(format!(
            "predicted loss of the stack with the printed signs 4d = {}; best one-layer loss {:.4} = d(d+1)/(n+d+1)",
            4 * DIM,
            one_layer_loss(best, EXAMPLES, DIM)?
        ));
        Ok(Checked::from(evidence).figure(figure(&measured)?))
    }
}
