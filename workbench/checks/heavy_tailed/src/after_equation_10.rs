//! After Equation 10: where the wrong classes stay equally likely.
//!
//! **Claim** (`heavy-tailed/approximation-regimes`). The approximation of Eq. 10 holds notably for W = 0, for random W, or if W only stores
//! pairs (x, f_*(x)) with d >> N.
//!
//! Its premise is that p_W(z|x) hardly varies over z != f_*(x). We measure the spread sum_z |p_W(z|x, z != y) - 1/(M - 1)|, which lies
//! between 0 and 2 (M - 2)/(M - 1) = 1.5, and the relative error of Eq. 10, whose value at equal classes is M^(-1/2). Scores of wrong classes
//! are sums of inner products: for unit inputs they fall as d^(-1/2), for the inputs of Eq. 1 and weights of one they are d times larger.
//! There a stored pair has no gradient left, so that Eq. 10 is wrong about nothing; random W and lighter pairs, whose scores are of order
//! one, stand beside it. A spread that stays counts against the claim.

use ndarray::Array2;
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, mean, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{AssociativeMemory, LeadingTerm, Parametrization, TrainingTask, power_law};

use super::appendix_c_1::{POWER, at_power};
use super::section_3_gradient::{CLASSES, DIMS, INPUTS, LEVEL, ROOM, drawn, task};
use crate::vocabulary::{Largest, ROUNDING, by_scale};

const SPREAD: Margin = Margin::new(
    "spread",
    0.1,
    "a fifteenth of the largest spread: no class is a tenth away from its share of a quarter",
);

/// Memories that are compared.
const KINDS: [&str; 7] = [
    "random W, unit inputs",
    "random W, inputs of Eq. 1",
    "stored pairs, unit inputs",
    "stored pairs, inputs of Eq. 1",
    "right and wrong pairs, unit inputs",
    "random W with entries N(0, 1), unit inputs",
    "stored pairs of weight 1/d, inputs of Eq. 1",
];
const RANDOM: [usize; 2] = [0, 1];
const STORED: [usize; 2] = [2, 3];
const WRONG_PAIRS: usize = 4;
const WRONG_SIZE: usize = 5;
/// Scores of order one with the inputs of Eq. 1.
const LIGHT: usize = 6;
/// Weight of such a pair, times d.
const WEIGHT: f64 = 1.0;
/// Random W is formed up to here.
const LARGEST: usize = 1000;

/// The three regimes.
#[derive(Clone, Debug, Default)]
pub struct Regimes {
    /// Draws; by scale if 0.
    pub runs: usize,
}

/// Means over inputs.
#[derive(Clone, Copy, Debug)]
struct Means {
    spread: f64,
    error: f64,
    missing: f64,
}

fn means(task: &TrainingTask, scores: &Array2<f64>) -> Result<Means, Failure> {
    let mut means = Means { spread: 0.0, error: 0.0, missing: 0.0 };
    let share = 1.0 / INPUTS as f64;
    for (row, y) in scores.outer_iter().zip(task.labels()) {
        let term = LeadingTerm::at(&row.to_vec(), task.gram(), *y)?;
        means.spread += share * term.spread;
        means.error += share * term.relative_error;
        means.missing += share * term.missing;
    }
    Ok(means)
}

/// By kind of memory, dimension and run; and the largest spread at W = 0.
#[derive(Default)]
struct Seen {
    by: [[Vec<Means>; 4]; 7],
    at_zero: Largest,
}

impl Seen {
    fn look(&mut self, k: usize, task: &TrainingTask, which: usize, noise: Option<Array2<f64>>) -> Result<(), Failure> {
        let (e, labels) = (task.embeddings(), task.labels());
        self.at_zero.see(means(task, &Array2::zeros((INPUTS, CLASSES)))?.spread);
        if let Some(w) = noise {
            let scores = e.inputs.dot(&e.outputs.dot(&w).t());
            self.by[RANDOM[which]][k].push(means(task, &scores)?);
            if which == 0 {
                let root = (e.dim() as f64).sqrt();
                self.by[WRONG_SIZE][k].push(means(task, &(scores * root))?);
            }
        }
        let store = |labels: &[usize]| -> Result<Array2<f64>, Failure> {
            Ok(AssociativeMemory::store(e, &[1.0; INPUTS], labels)?.scores(&e.inputs)?)
        };
        let stored = store(labels)?;
        self.by[STORED[which]][k].push(means(task, &stored)?);
        if which == 1 {
            let light = &stored * (WEIGHT / e.dim() as f64);
            self.by[LIGHT][k].push(means(task, &light)?);
        }
        if which == 0 {
            let wrong: Vec<usize> = labels.iter().map(|y| (y + 1) % CLASSES).collect();
            self.by[WRONG_PAIRS][k].push(means(task, &(stored + &store(&wrong)?))?);
        }
        Ok(())
    }

    fn of(&self, kind: usize, k: usize, of: fn(&Means) -> f64) -> Result<Estimate, Failure> {
        Ok(mean(&self.by[kind][k].iter().map(of).collect::<Vec<f64>>())?)
    }

    fn spread(&self, kind: usize, k: usize) -> Result<Estimate, Failure> {
        self.of(kind, k, |m| m.spread)
    }

    /// Relative error of Eq. 10 over `M^(-1/2)`.
    fn error(&self, kind: usize, k: usize) -> Result<Estimate, Failure> {
        Ok(self.of(kind, k, |m| m.error)?.affine((CLASSES as f64).sqrt(), 0.0)?)
    }

    /// Power of d in the spread from d = 100 to the dimension at `end`, run by run.
    fn power(&self, kind: usize, end: usize) -> Result<Estimate, Failure> {
        let pairs = self.by[kind][1].iter().zip(&self.by[kind][end]);
        let powers: Vec<f64> = pairs.map(|(a, b)| (b.spread / a.spread).log10() / (end as f64 - 1.0)).collect();
        Ok(mean(&powers)?)
    }

    fn dims(&self, kind: usize) -> Vec<usize> {
        (0..DIMS.len()).filter(|k| !self.by[kind][*k].is_empty()).collect()
    }
}

fn figure(seen: &Seen) -> Result<Figure, Failure> {
    let x = DIMS.map(|d| d as f64);
    let mut panel = Panel::new("N = 100, M = 5").x_label("d").y_label("spread").log_x().log_y();
    for (kind, name) in KINDS.into_iter().enumerate().take(WRONG_SIZE) {
        let at = seen.dims(kind);
        let spreads = at.iter().map(|k| seen.spread(kind, *k)).collect::<Result<Vec<_>, _>>()?;
        let list = |of: fn(&Estimate) -> f64| spreads.iter().map(of).collect::<Vec<f64>>();
        panel = panel.error_bars(name, &x[..at.len()], &list(|e| e.value), &list(|e| e.low), &list(|e| e.high));
    }
    let panel = panel.theory("d^{−1/2}", &x, &power_law(&x, 4.0, -0.5)).legend_below();
    Ok(Figure::new("Wrong classes become equal where scores are of order one")
        .panel(panel)
        .caption("Spread of the conditional probabilities over the wrong classes; zero means equally likely, 1.5 that one class takes all. Means over inputs and draws, 99.9 % intervals."))
}

fn table(seen: &Seen) -> Result<Table, Failure> {
    let (mut names, mut dims, mut numbers) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new(), Vec::new()]);
    for (kind, name) in KINDS.into_iter().enumerate() {
        for k in seen.dims(kind).into_iter().filter(|k| *k > 1) {
            names.push(name.to_string());
            dims.push(DIMS[k] as i64);
            numbers[0].push(seen.spread(kind, k)?.value);
            numbers[1].push(seen.of(kind, k, |m| m.error)?.value);
            numbers[2].push(seen.of(kind, k, |m| m.missing)?.value);
        }
    }
    let [spread, error, missing] = numbers;
    let list = vec![
        ("memory", names.into()),
        ("d", dims.into()),
        ("spread", spread.into()),
        ("relative error of Eq. 10", error.into()),
        ("1 − p_W", missing.into()),
    ];
    Ok(Table::new(columns(list)?)
        .title("Spread, relative error, and the factor of the whole gradient")
        .caption("Means over inputs and draws. Where 1 − p_W is zero the gradient vanishes, and so does what Eq. 10 gets wrong.")
        .digits(3))
}

impl TypedCheck for Regimes {
    const CLAIM: &'static str = "heavy-tailed/approximation-regimes";
    const PLAN: Plan = Plan::new(
        "spread of p_W(z|x, z != y) over the wrong classes; relative error of Eq. 10 over its value at equal classes; powers of d",
        "a spread that does not vanish in one of the three regimes, with the inputs of Eq. 1 or with unit inputs",
        &[ROUNDING, SPREAD, LEVEL, POWER],
    )
    .protocol(&["N = 100, M = 5; inputs of Eq. 1; W random with entries N(0, 1/d) as in C.1; pairs stored with weight one"])
    .departures(&["unit inputs as in C.1 beside those of Eq. 1; d / N up to 100, random W up to d = 1000"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut seen = Seen::default();
        for i in 0..by_scale(self.runs, setting.scale().pick(12, 24)) {
            let raw = drawn(ROOM, &mut setting.streams().replicate("regimes", i)?)?;
            let mut noise = setting.streams().replicate("regimes, W", i)?;
            for (k, d) in DIMS.into_iter().enumerate() {
                for (which, inputs) in [Parametrization::Unit, Parametrization::Model].into_iter().enumerate() {
                    let random = (d <= LARGEST).then(|| normal_array2(&mut noise, d, d) / (d as f64).sqrt());
                    seen.look(k, &task(&raw, inputs, d)?, which, random)?;
                }
            }
        }
        let small = |label: &str, value| Finding::at_most(label, SPREAD, value).unit("draws");
        let least = |label: &str, value| Finding::equals(label, 1.0, LEVEL, value).unit("draws");
        let power = |label: &str, stated, value| at_power(label, stated, value).unit("draws");
        let at_zero = || Finding::identity("spread at W = 0", seen.at_zero.0, ROUNDING);
        let evidence = Evidence::of(small("spread, random W, inputs of Eq. 1, d = 1000", seen.spread(RANDOM[1], 2)?))
            .and(small("spread, stored pairs, inputs of Eq. 1, d/N = 100", seen.spread(STORED[1], 3)?))
            .and(small("spread, pairs of weight 1/d, inputs of Eq. 1, d/N = 100", seen.spread(LIGHT, 3)?))
            .and(small("spread, stored pairs, |e| = 1, d/N = 100", seen.spread(STORED[0], 3)?))
            .and(small("spread, random W, |e| = 1, d = 1000", seen.spread(RANDOM[0], 2)?))
            .and(least("relative error times √M, stored pairs, inputs of Eq. 1, d/N = 100", seen.error(STORED[1], 3)?))
            .and(at_zero())
            .condition(
                "for scores of order one: unit inputs as in C.1, or stored weights of 1/d; then the spread falls as d^(−1/2), and for random W and inputs with |e_x|² about d it does not fall",
                vec![
                    small("spread, stored pairs, unit inputs, d/N = 100", seen.spread(STORED[0], 3)?),
                    small("spread, random W, unit inputs, d = 1000", seen.spread(RANDOM[0], 2)?),
                    least("relative error times √M, stored pairs, unit inputs, d/N = 100", seen.error(STORED[0], 3)?),
                    small("spread, stored pairs of weight 1/d, inputs of Eq. 1, d/N = 100", seen.spread(LIGHT, 3)?),
                    power("power of d in the spread, pairs of weight 1/d, inputs of Eq. 1", -0.5, seen.power(LIGHT, 3)?),
                    power("power of d in the spread, stored pairs, unit inputs", -0.5, seen.power(STORED[0], 3)?),
                    power("power of d in the spread, random W, unit inputs", -0.5, seen.power(RANDOM[0], 2)?),
                    power("power of d in the spread, random W, inputs of Eq. 1", 0.0, seen.power(RANDOM[1], 2)?),
                    at_zero(),
                ],
            )
            .twin(small("right and wrong pairs stored, unit inputs, d/N = 100", seen.spread(WRONG_PAIRS, 3)?))
            .twin(small("random W with entries N(0, 1), unit inputs, d = 1000", seen.spread(WRONG_SIZE, 2)?))
            .note("with |e_x|² about d a stored pair has p_W(y|x) = 1 to rounding: its whole gradient vanishes, and Eq. 10 is wrong about nothing much");
        Ok(Checked::from(evidence).table(table(&seen)?).figure(figure(&seen)?))
    }
}
