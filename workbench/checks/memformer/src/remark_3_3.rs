//! Remark 3.3: what sharing gives up.
//!
//! **Claim** (`memformer/remark-3-3`). Conjugate gradients compute alpha and gamma for each prompt, 2B numbers per iteration for a batch of
//! B; a memformer uses one set for all, and so exploits the average over the distribution.
//!
//! The count is simple: numbers are read off the iterates of the shared method, prompt by prompt, as those of conjugate gradients are. The
//! content is how well the best shared numbers do. They are fitted on one batch in closed form and tried on fresh prompts, beside
//! Chebyshev's iteration, which knows the extreme eigenvalues of all prompts and serves the worst case, and shared numbers with the
//! preconditioner A = Sigma^{-1}. No shared numbers can beat conjugate gradients in this loss, which stand beside them with steepest
//! descent. Wrong twins: shared rates that leave out their register, and the count of steepest descent, which has a rate and no memory.

use std::collections::BTreeSet;

use ndarray::{Array1, Array2};
use ndarray_linalg::{Eigh, Inverse, UPLO};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, mean, paired_difference, quantile};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{
    ConjugateRun, Measure, Quadratic, SharedOptimum, SingleMemory, best_shared_memory, conjugate_gradient,
    steepest_descent,
};

use super::section_3_3::{Batch, DIM, batch_size, law, losses};
use crate::vocabulary::{EXACT, Largest, Least, by_scale, largest_of};

/// Five methods on the same fresh prompts.
#[derive(Clone, Debug)]
pub struct SharedNumbers {
    /// Prompts of each batch; by scale if 0.
    pub batch: usize,
    /// Layers.
    pub layers: usize,
    /// The layer at which methods are compared.
    pub at: usize,
}

impl Default for SharedNumbers {
    fn default() -> SharedNumbers {
        SharedNumbers { batch: 0, layers: 7, at: 4 }
    }
}

/// The methods, in the order of [`Seen::losses`].
const NAMES: [&str; 5] = [
    "conjugate gradients, per prompt",
    "steepest descent, per prompt",
    "best shared α, γ",
    "best shared α, γ, A = Σ⁻¹",
    "Chebyshev, worst case",
];
const CONJUGATE: usize = 0;
const SHARED: usize = 2;
const WHITENED: usize = 3;
const CHEBYSHEV: usize = 4;

struct Seen {
    size: usize,
    /// Conjugate gradients on the training batch: what one set of numbers has to stand for.
    own: Vec<ConjugateRun<f64>>,
    shared: SharedOptimum,
    /// Loss of each method after each layer on each fresh prompt.
    losses: Vec<Vec<Vec<f64>>>,
    /// The same after the compared layer for the shared rates without their registers.
    forgetful: Vec<f64>,
    /// Rate and memory of the second iteration of the shared method, prompt by prompt.
    used: Vec<[f64; 2]>,
    /// Rates of the second iteration of steepest descent.
    steepest: Vec<f64>,
}

type Iterates = Vec<Array1<f64>>;

/// Loss of each prompt after each layer, from the iterates of each prompt.
fn by_layer(batch: &[Quadratic<f64>], runs: Vec<Iterates>, layers: usize) -> Vec<Vec<f64>> {
    let loss = |layer: usize| {
        let pairs = batch.iter().zip(&runs);
        pairs.map(|(f, w)| largest_of([f.value(&w[layer]), 1e-32])).collect()
    };
    (0..=layers).map(loss).collect()
}

fn shared_runs(batch: &[Quadratic<f64>], method: &SingleMemory<f64>) -> Result<Vec<Iterates>, Failure> {
    let run = |f: &Quadratic<f64>| Ok(method.run(f, &f.origin())?.iterates);
    batch.iter().map(run).collect()
}

/// The batch in whitened coordinates, in which A = Sigma^{-1} is plain descent.
fn whiten(batch: &[Quadratic<f64>], root: &Array2<f64>) -> Vec<Quadratic<f64>> {
    let of = |f: &Quadratic<f64>| Quadratic {
        hessian: root.dot(&f.hessian).dot(root),
        linear: root.dot(&f.linear),
        constant: f.constant,
    };
    batch.iter().map(of).collect()
}

/// Two numbers p, q with w_2 - w_1 = -p grad f(w_1) + q (w_1 - w_0): rate and memory of the second iteration, to nine digits.
fn second_step(f: &Quadratic<f64>, iterates: &[Array1<f64>]) -> [f64; 2] {
    let (step, before, down) = (&iterates[2] - &iterates[1], &iterates[1] - &iterates[0], -f.gradient(&iterates[1]));
    let (aa, ab, bb) = (down.dot(&down), down.dot(&before), before.dot(&before));
    let (at, bt, det) = (down.dot(&step), before.dot(&step), aa * bb - ab * ab);
    [(at * bb - bt * ab) / det, (bt * aa - at * ab) / det].map(|v| (v * 1e9).round() / 1e9)
}

fn logs(losses: &[f64]) -> Vec<f64> {
    losses.iter().map(|loss| loss.log10()).collect()
}

/// How many numbers of these differ from each other.
fn distinct(values: impl IntoIterator<Item = f64>) -> usize {
    values.into_iter().map(f64::to_bits).collect::<BTreeSet<u64>>().len()
}

impl SharedNumbers {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let (size, layers) = (by_scale(self.batch, batch_size(setting)), self.layers);
        let law = law(setting)?;
        let batch = losses(setting, &law, Batch::Training, size)?;
        let fresh = losses(setting, &law, Batch::Test, size)?;
        let shared = best_shared_memory(&batch, layers, &Measure::Loss)?;
        let (mut lowest, mut highest) = (Least::default(), Largest::default());
        for f in &fresh {
            let eigenvalues = f.hessian.eigh(UPLO::Lower)?.0;
            lowest.see(eigenvalues[0]);
            highest.see(eigenvalues[DIM - 1]);
        }
        let chebyshev = SingleMemory::chebyshev(lowest.0, highest.0, layers)?;
        let root = law.root()?.inv()?;
        let white_fresh = whiten(&fresh, &root);
        let white = best_shared_memory(&whiten(&batch, &root), layers, &Measure::Loss)?;
        let conjugate = |f: &Quadratic<f64>| conjugate_gradient(f, &f.origin(), layers);
        let own = batch.iter().map(conjugate).collect::<Result<Vec<_>, _>>()?;
        let on_fresh = fresh.iter().map(conjugate).collect::<Result<Vec<_>, _>>()?;
        let steepest = |f: &Quadratic<f64>| Ok(steepest_descent(f, &f.origin(), layers)?.iterates);
        let steepest = fresh.iter().map(steepest).collect::<Result<Vec<_>, Failure>>()?;
        let on_shared = shared_runs(&fresh, &shared.method)?;
        let second = |(f, w): (&Quadratic<f64>, &Iterates)| second_step(f, w);
        let used = fresh.iter().zip(&on_shared).map(second).collect();
        let rates = fresh.iter().zip(&steepest).map(|(f, w)| second_step(f, w)[0]).collect();
        let forgetful = SingleMemory::new(shared.method.alpha[..self.at].to_vec(), vec![0.0; self.at])?;
        let forgetful = by_layer(&fresh, shared_runs(&fresh, &forgetful)?, self.at);
        Ok(Seen {
            size,
            losses: vec![
                by_layer(&fresh, on_fresh.into_iter().map(|run| run.iterates).collect(), layers),
                by_layer(&fresh, steepest, layers),
                by_layer(&fresh, on_shared, layers),
                by_layer(&white_fresh, shared_runs(&white_fresh, &white.method)?, layers),
                by_layer(&fresh, shared_runs(&fresh, &chebyshev)?, layers),
            ],
            forgetful: forgetful[self.at].clone(),
            used,
            steepest: rates,
            own,
            shared,
        })
    }

    fn losses_figure(&self, seen: &Seen) -> Result<Figure, Failure> {
        let x: Vec<f64> = (0..=self.layers).map(|l| l as f64).collect();
        let (mut left, mut right) = (Panel::new("log of the mean loss"), Panel::new("mean of the log loss"));
        for (name, of_method) in NAMES.iter().zip(&seen.losses) {
            let (mut log_of_mean, mut mean_of_log) = (Vec::new(), Vec::new());
            for layer in of_method {
                log_of_mean.push(mean(layer)?.value.log10().max(-16.0));
                mean_of_log.push(mean(&logs(layer))?.value.max(-16.0));
            }
            left = left.line(name, &x, &log_of_mean);
            right = right.line(name, &x, &mean_of_log);
        }
        let labelled = |panel: Panel| {
            let panel = panel.x_label("layers").y_label("log₁₀ loss");
            panel.y_limits(-8.0, 1.0).legend_below()
        };
        Ok(Figure::new("Shared numbers are far from conjugate gradients, unless Σ is known")
            .panel(labelled(left))
            .panel(labelled(right))
            .columns(2)
            .caption(
                "d = 5, n = 20, fresh prompts. Conjugate gradients end at rounding after five layers. The mean of logarithms gives easy \
                 prompts more weight. Intervals of the means are narrower than the lines.",
            ))
    }

    fn spread_figure(&self, seen: &Seen) -> Result<Figure, Failure> {
        let layers: Vec<f64> = (0..self.at).map(|l| l as f64).collect();
        let panel = |title: &str, of: fn(&SingleMemory<f64>) -> &Vec<f64>| -> Result<Panel, Failure> {
            let mut quantiles = [Vec::new(), Vec::new(), Vec::new()];
            for l in 0..self.at {
                let values: Vec<f64> = seen.own.iter().map(|run| of(&run.coefficients)[l]).collect();
                for (quantiles, q) in quantiles.iter_mut().zip([0.1, 0.5, 0.9]) {
                    quantiles.push(quantile(&values, q)?.value);
                }
            }
            let [low, middle, high] = quantiles;
            let shared = of(&seen.shared.method)[..self.at].to_vec();
            Ok(Panel::new(title)
                .band("10 % to 90 % of prompts", &layers, &low, &high)
                .line("median prompt", &layers, &middle)
                .points("best shared", &layers, &shared)
                .x_label("layer")
                .y_label(title)
                .legend_below())
        };
        Ok(Figure::new("What one shared number has to stand for")
            .panel(panel("α", |method| &method.alpha)?)
            .panel(panel("γ", |method| &method.gamma)?)
            .columns(2)
            .caption("Coefficients of conjugate gradients over prompts. The best shared ones are not the median ones."))
    }
}

impl TypedCheck for SharedNumbers {
    const CLAIM: &'static str = "memformer/remark-3-3";
    const PLAN: Plan = Plan::new(
        "numbers used in an iteration; difference of losses after four layers, paired over fresh prompts (of log₁₀ losses for the wrong form \
         that diverges on some)",
        "another count; shared numbers that a method for the worst case beats, or that need nothing from the distribution",
        &[EXACT],
    )
    .protocol(&["law of Section 3.3, d = 5, n = 20, batches of 1000 prompts at quick scale and of 10,000 at paper scale"])
    .rivals(&[
        "Chebyshev's iteration with the extreme eigenvalues of the very prompts it is tried on",
        "conjugate gradients and steepest descent with each prompt's own numbers",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let at = |method: usize| &seen.losses[method][self.at];
        // Positive where the second has the smaller loss.
        let less = |label: &str, a: &[f64], b: &[f64]| -> Result<Finding, Failure> {
            Ok(Finding::at_least(label, 0.0, paired_difference(a, b)?).unit("prompts"))
        };
        let count = |iteration: usize| {
            let own = || seen.own.iter().map(|run| &run.coefficients);
            distinct(own().map(|c| c.alpha[iteration])) + distinct(own().map(|c| c.gamma[iteration]))
        };
        let off = |count: usize, wanted: usize| count.abs_diff(wanted) as f64;
        let mut means = Vec::new();
        for (method, name) in NAMES.iter().enumerate() {
            let Estimate { value, .. } = mean(at(method))?;
            means.push(format!("{name} {value:.2e}"));
        }
        let evidence = Evidence::of(
            Finding::identity(
                "numbers that conjugate gradients use in the second iteration, minus 2B",
                off(count(1), 2 * seen.size),
                EXACT,
            )
            .cases(seen.size)
            .unit("prompts"),
        )
        .and(less(
            "fresh prompts, 4 layers: loss of Chebyshev minus that of the best shared",
            at(CHEBYSHEV),
            at(SHARED),
        )?)
        .and(
            Finding::identity(
                "numbers that the shared method uses in its second iteration, minus 2",
                off(distinct(seen.used.iter().flatten().copied()), 2),
                EXACT,
            )
            .cases(seen.size)
            .unit("prompts"),
        )
        .and(less(
            "fresh prompts, 4 layers: loss of the best shared minus the same with A = Σ⁻¹",
            at(SHARED),
            at(WHITENED),
        )?)
        // In logarithms: without registers a few prompts with large eigenvalues diverge, and a mean would hang on them.
        .twin(less(
            "shared rates without their registers: log₁₀ loss of the best shared minus theirs",
            &logs(at(SHARED)),
            &logs(&seen.forgetful),
        )?)
        .twin(
            Finding::identity(
                "numbers that steepest descent uses in its second iteration, minus 2B",
                off(distinct(seen.steepest.iter().copied()), 2 * seen.size),
                EXACT,
            )
            .cases(seen.size)
            .unit("prompts"),
        )
        .support(less(
            "fresh prompts, 4 layers: loss of the best shared minus that of conjugate gradients",
            at(SHARED),
            at(CONJUGATE),
        )?)
        .note(format!("mean loss after {} layers on fresh prompts: {}", self.at, means.join(", ")))
        .note(format!("the first iteration uses B + 1 numbers, since γ₀ = 0 for every prompt ({} found)", count(0)));
        Ok(Checked::from(evidence).figure(self.losses_figure(&seen)?).figure(self.spread_figure(&seen)?))
    }
}
