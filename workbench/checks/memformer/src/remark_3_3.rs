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
use workbench_ground::stats::{mean, paired_difference, quantile};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{
    ConjugateRun, Measure, Quadratic, SingleMemory, best_shared_memory, conjugate_gradient, steepest_descent,
};

use super::task_law::{Batch, DIM, batch_size, law, losses};
use crate::vocabulary::{EXACT, largest_of, least_of};

/// Five methods on the same fresh prompts.
pub const CHECK: Check = Check {
    claim: "memformer/remark-3-3",
    metric: "numbers used in an iteration; difference of losses after four layers, paired over fresh prompts (of log₁₀ losses for the wrong form \
         that diverges on some)",
    against: "another count; shared numbers that gain nothing from knowing the distribution",
    protocol: &["law of Section 3.3, d = 5, n = 20"],
    choices: &["seven layers, compared after four"],
    departures: &["batches of 10,000 prompts, ten times those of the document (1000 at quick scale)"],
    rivals: &[
        "Chebyshev's iteration with the extreme eigenvalues of the very prompts it is tried on, one of the shared methods",
        "conjugate gradients and steepest descent with each prompt's own numbers",
    ],
    run,
    ..Check::DEFAULT
};

/// Layers that the methods have, and after which they are compared.
const LAYERS: usize = 7;
const AT: usize = 4;

fn run(s: &Sheet) -> Done {
    let (law, size) = (law(s)?, s.knob("prompts of a batch", batch_size(s), 2..)?);
    let (batch, fresh) = (losses(s, &law, Batch::Training, size)?, losses(s, &law, Batch::Test, size)?);
    // What one set of numbers has to stand for.
    let own = conjugate(&batch)?;
    let shared = best_shared_memory(&batch, LAYERS, &Measure::Loss)?.method;
    let eigenvalues = fresh.iter().map(|f| Ok(f.hessian.eigh(UPLO::Lower)?.0)).collect::<Result<Vec<_>, Failure>>()?;
    let lowest = least_of(eigenvalues.iter().map(|of_prompt| of_prompt[0]));
    let highest = largest_of(eigenvalues.iter().map(|of_prompt| of_prompt[DIM - 1]));
    let chebyshev = SingleMemory::chebyshev(lowest, highest, LAYERS)?;
    let root = law.root()?.inv()?;
    let white_fresh = whiten(&fresh, &root);
    let white = best_shared_memory(&whiten(&batch, &root), LAYERS, &Measure::Loss)?.method;

    let steepest = |f: &Quadratic<f64>| Ok(steepest_descent(f, &f.origin(), LAYERS)?.iterates);
    let steepest = fresh.iter().map(steepest).collect::<Result<Vec<_>, Failure>>()?;
    let on_shared = runs(&fresh, &shared)?;
    let conjugate_runs = conjugate(&fresh)?.into_iter().map(|run| run.iterates).collect::<Vec<_>>();
    let methods = [
        ("conjugate gradients, per prompt", by_layer(&fresh, &conjugate_runs)),
        ("steepest descent, per prompt", by_layer(&fresh, &steepest)),
        ("best shared α, γ", by_layer(&fresh, &on_shared)),
        ("best shared α, γ, A = Σ⁻¹", by_layer(&white_fresh, &runs(&white_fresh, &white)?)),
        ("Chebyshev, worst case", by_layer(&fresh, &runs(&fresh, &chebyshev)?)),
    ];

    let [conjugate, _, of_shared, whitened, worst_case] = methods.each_ref().map(|(_, losses)| &losses[AT]);
    // Positive where the second has the smaller loss.
    let label = "fresh prompts, 4 layers: loss of the best shared minus the same with A = Σ⁻¹";
    s.printed(Margin::ZERO).of("prompts").at_least(label, paired_difference(of_shared, whitened)?);
    let less = s.support(Margin::ZERO).of("prompts");
    let label = "fresh prompts, 4 layers: loss of Chebyshev minus that of the best shared";
    less.at_least(label, paired_difference(worst_case, of_shared)?);
    let label = "fresh prompts, 4 layers: loss of the best shared minus that of conjugate gradients";
    less.at_least(label, paired_difference(of_shared, conjugate)?);

    // Of an iteration, over the batch.
    let count = |iteration: usize| {
        let own = || own.iter().map(|run| &run.coefficients);
        distinct(own().map(|c| c.alpha[iteration])) + distinct(own().map(|c| c.gamma[iteration]))
    };
    let off = |count: usize, wanted: usize| count.abs_diff(wanted) as f64;
    let numbers = s.printed(EXACT).over(size, "prompts");
    let label = "numbers that conjugate gradients use in the second iteration, minus 2B";
    numbers.same(label, off(count(1), 2 * size));
    let used: Vec<[f64; 2]> = fresh.iter().zip(&on_shared).map(|(f, w)| second_step(f, w)).collect();
    let label = "numbers that the shared method uses in its second iteration, minus 2";
    numbers.same(label, off(distinct(used.into_iter().flatten()), 2));
    let rates = fresh.iter().zip(&steepest).map(|(f, w)| second_step(f, w)[0]);
    let label = "numbers that steepest descent uses in its second iteration, minus 2B";
    s.twin(EXACT).over(size, "prompts").same(label, off(distinct(rates), 2 * size));

    // In logarithms: without registers a few prompts with large eigenvalues diverge, and a mean would hang on them.
    let forgetful = runs(&fresh, &SingleMemory::new(shared.alpha.clone(), vec![0.0; LAYERS])?)?;
    let forgetful = &by_layer(&fresh, &forgetful)[AT];
    let label = "shared rates without their registers: log₁₀ loss of the best shared minus theirs";
    let difference = paired_difference(&logs(of_shared), &logs(forgetful))?;
    s.twin(Margin::ZERO).of("prompts").at_least(label, difference);

    let means = methods.iter().map(|(name, losses)| Ok(format!("{name} {:.2e}", mean(&losses[AT])?.value)));
    let means = means.collect::<Result<Vec<_>, Failure>>()?.join(", ");
    s.note(format!("mean loss after {AT} layers on fresh prompts: {means}"));
    s.note(format!("the first iteration uses B + 1 numbers, since γ₀ = 0 for every prompt ({} found)", count(0)));
    s.figure(losses_figure(&methods)?);
    s.figure(spread_figure(&own, &shared)?);
    Ok(())
}

type Iterates = Vec<Array1<f64>>;

fn conjugate(batch: &[Quadratic<f64>]) -> Result<Vec<ConjugateRun<f64>>, Failure> {
    batch.iter().map(|f| Ok(conjugate_gradient(f, &f.origin(), LAYERS)?)).collect()
}

fn runs(batch: &[Quadratic<f64>], method: &SingleMemory<f64>) -> Result<Vec<Iterates>, Failure> {
    batch.iter().map(|f| Ok(method.run(f, &f.origin())?.iterates)).collect()
}

/// Loss of each prompt after each layer, from the iterates of each prompt.
fn by_layer(batch: &[Quadratic<f64>], runs: &[Iterates]) -> Vec<Vec<f64>> {
    let loss = |layer: usize| {
        let pairs = batch.iter().zip(runs);
        pairs.map(|(f, w)| largest_of([f.value(&w[layer]), 1e-32])).collect()
    };
    (0..=LAYERS).map(loss).collect()
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

fn losses_figure(methods: &[(&str, Vec<Vec<f64>>)]) -> Result<Figure, Failure> {
    let x: Vec<f64> = (0..=LAYERS).map(|l| l as f64).collect();
    let panel = |title: &str, of: fn(&[f64]) -> Result<f64, Failure>| -> Result<Panel, Failure> {
        let mut panel = Panel::new(title).x_label("layers").y_label("log₁₀ loss").y_limits(-8.0, 1.0).legend_below();
        for (name, losses) in methods {
            let line = losses.iter().map(|layer| Ok(of(layer)?.max(-16.0))).collect::<Result<Vec<f64>, Failure>>()?;
            panel = panel.line(name, &x, &line);
        }
        Ok(panel)
    };
    Ok(Figure::new("Shared numbers are far from conjugate gradients, unless Σ is known")
        .panel(panel("log of the mean loss", |layer| Ok(mean(layer)?.value.log10()))?)
        .panel(panel("mean of the log loss", |layer| Ok(mean(&logs(layer))?.value))?)
        .columns(2)
        .caption(
            "d = 5, n = 20, fresh prompts. Conjugate gradients end at rounding after five layers. The mean of logarithms gives easy \
             prompts more weight. Intervals of the means are narrower than the lines.",
        ))
}

fn spread_figure(own: &[ConjugateRun<f64>], shared: &SingleMemory<f64>) -> Result<Figure, Failure> {
    let layers: Vec<f64> = (0..AT).map(|l| l as f64).collect();
    let panel = |title: &str, of: fn(&SingleMemory<f64>) -> &Vec<f64>| -> Result<Panel, Failure> {
        let quantiles = |q: f64| -> Result<Vec<f64>, Failure> {
            let at = |l: usize| own.iter().map(|run| of(&run.coefficients)[l]).collect::<Vec<f64>>();
            (0..AT).map(|l| Ok(quantile(&at(l), q)?.value)).collect()
        };
        Ok(Panel::new(title)
            .band("10 % to 90 % of prompts", &layers, &quantiles(0.1)?, &quantiles(0.9)?)
            .line("median prompt", &layers, &quantiles(0.5)?)
            .points("best shared", &layers, &of(shared)[..AT])
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
