//! Appendices B.1 and B.2: Nesterov's method and momentum with the printed constants.
//!
//! **Claims**. `memformer/nag`: eta = 0.03, beta = 0.9 were chosen after testing various values and gave the best performance on the
//! distribution of Section 3.3; often faster than plain gradient descent. `memformer/mgd`: the same for eta = 0.005, beta = 0.9; momentum
//! helps to mitigate oscillation in directions of high curvature.
//!
//! A rival with a poor step size is no rival: a curvature here is about one, so steps of 0.005 hardly move. Who tests values tries rates in
//! steps of 1, 3, 10 and the customary memories 0.5, 0.9, 0.99, so the claim is refuted if one of these eight neighbours, the best of them
//! on prompts set aside, is ahead; how far the best of a finer grid is below stands beside it. The gradient of (2.11) is that of a mean
//! over n examples; with the gradient of the sum the printed steps are n times larger, and that reading is tried too. Oscillation is that
//! of the error along the top eigenvector of a prompt: its sign changes, and the way that it travels, at the printed step, at one so large
//! that descent itself alternates, and at one at which descent diverges. That momentum is faster is asked at the printed step and at the
//! best one of each method.

use ndarray::{Array1, Array2, array};
use ndarray_linalg::{Eig, Eigh, UPLO, c64};
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};
use workbench_memformer::{Family, Quadratic, SingleMemory};

use super::task_law::EXAMPLES;
use super::trained_memformers::{LAYERS, Reading, TWICE, ahead, field};
use super::tuned_rivals::{BETAS, HORIZON, Rival, as_printed, best, best_descent, constant, grid, neighbour, printed};
use crate::vocabulary::largest_of;

const ROOTS: Margin = Margin::rounding(
    "double roots",
    1e-7,
    "where two eigenvalues meet, rounding moves them by the root of 1e-16, times a condition of ten",
);

const APART: Margin = Margin::statistical(
    "pairs apart",
    -0.03,
    "decades that the sixty batches of ten thousand prompts at quick scale do not tell apart: a few prompts with large curvatures decide the mean after large steps",
);

const RIVALS: &[&str] = &[
    "the best of eight neighbours, chosen on prompts set aside: a third, once and three times the printed rate, with the customary memories 0.5, 0.9, 0.99",
    "24 rates from 0.005 to 2.1 times 12 memories from 0 to 0.95, the best six run again on the test prompts, shown beside",
    "gradient descent with the same η, and with the best of the 24 rates against the method's best pair",
];

/// Nesterov's method.
pub const NESTEROV: Check = Check {
    claim: "memformer/nag",
    metric: "decades between logarithms of the mean loss on fresh prompts, after 4 and after 30 steps, paired run by run; of neighbours over batches of 10,000 prompts, 200 along the gradient of the sum (60 at quick scale)",
    against: "a neighbour of the printed pair that is ahead of it; no gain over gradient descent, each with its best step or both with the printed one",
    protocol: &["distribution of Section 3.3, five rotations; constant eta and beta"],
    choices: &["four steps, as many as the figures have layers, and thirty"],
    rivals: RIVALS,
    run: nesterov,
    ..Check::DEFAULT
};

/// Momentum.
pub const MOMENTUM: Check = Check {
    claim: "memformer/mgd",
    metric: "as for Nesterov's method; sign changes and way of the error along the top eigenvector",
    against: "a neighbour of the printed pair that is ahead of it; no gain over gradient descent; more sign changes with momentum than without where descent alternates",
    protocol: &["distribution of Section 3.3, five rotations; constant eta and beta"],
    choices: &[
        "four steps, as many as the figures have layers, and thirty; oscillation on 50 prompts of the first rotation",
    ],
    rivals: RIVALS,
    run: momentum,
    ..Check::DEFAULT
};

fn nesterov(s: &Sheet) -> Done {
    s.condition(
        "for four steps along the gradient of the sum over examples, n times that of (2.11), among customary memories (one of 0.8 is a twentieth of a decade ahead); along (2.11) the best step is some n = 20 times larger",
    );
    constants(s, Family::Nesterov)?;
    tuned(s, Family::Nesterov, EXAMPLES as f64, s.changed(APART))
}

fn momentum(s: &Sheet) -> Done {
    s.instead(
        "along (2.11) the best step is some two hundred times larger, and along the gradient of the sum three times the step with a memory of one half is ahead; momentum is faster than descent, and turns round less often where descent alternates; at the printed step, where descent does not turn round, it turns round more often",
    );
    constants(s, Family::Momentum)?;
    tuned(s, Family::Momentum, EXAMPLES as f64, s.printed(APART))?;
    let (fastest, both) = (best(s, Family::Momentum, LAYERS)?, as_printed(s, Family::Momentum, HORIZON)?);
    for (times, rival) in [1.0, EXAMPLES as f64].into_iter().zip(&*both) {
        let label = format!("{}: decades by which the best of the grid is ahead of the printed pair", along(times));
        s.changed(Margin::ZERO).of("runs").at_least(label, ahead(&fastest.curve, &rival.curve, LAYERS)?);
    }
    let prompts = s.knob("prompts whose oscillation is counted", 50, 2..=1000)?;
    let field = field(s, Reading::Variances)?;
    let batch = &field.tests[0].quadratics()[..prompts];
    let rate = self::printed(Family::Momentum).0;
    let label = "400 steps at the printed η: sign changes, momentum minus descent";
    s.changed(Margin::ZERO).of("prompts").at_least(label, more(batch, swings, (rate, false), 400)?);
    let label = "first 40 steps at η = 1.8 over the top curvature: sign changes, momentum minus descent";
    s.both_forms(Margin::ZERO).of("prompts").at_most(label, more(batch, swings, (1.8, true), 40)?);
    // Whatever the prompt: along an eigenvector the way depends on it by a factor that both methods share.
    let way = |rate: f64| Ok::<f64, Failure>(more(batch, travel, (rate, true), 40)?.value);
    let label = "first 40 steps at η = 1.8 over the top curvature: ln of the way along it, momentum minus descent";
    s.aside(Margin::ZERO).over(prompts, "prompts").at_most(label, way(1.8)?);
    let label = "first 40 steps at η = 2.5 over the top curvature: ln of the way along it, momentum minus descent";
    s.changed(Margin::ZERO).over(prompts, "prompts").at_most(label, way(2.5)?);
    Ok(())
}

/// Of the gradient that is `times` that of (2.11): how its finding begins.
fn along(times: f64) -> &'static str {
    if times == 1.0 { "4 steps" } else { "4 steps, gradient of the sum" }
}

/// Whether the printed pair is as good as the best of its neighbours.
fn tuned(s: &Sheet, family: Family, times: f64, says: Says) -> Done {
    let found = neighbour(s, family, times, LAYERS)?;
    let label = format!("{}: decades by which the best neighbour is behind the printed pair", along(times));
    says.of("batches").at_least(label, found.behind);
    let label = format!("{}: decades by which a memory of 0.8 is behind the printed pair", along(times));
    s.aside(Margin::ZERO).of("batches").at_least(label, found.shorter);
    let (rate, beta) = found.pair;
    s.note(format!("{}: the best neighbour has η = {rate:.3}, β = {beta}", along(times)));
    Ok(())
}

/// The printed pair beside its neighbours, a grid of constants, and gradient descent at the same rate.
fn constants(s: &Sheet, family: Family) -> Done {
    tuned(s, family, 1.0, s.printed(APART))?;
    let (field, (rate, beta)) = (field(s, Reading::Variances)?, printed(family));
    let both = as_printed(s, family, HORIZON)?;
    let (few, many) = (best(s, family, LAYERS)?, best(s, family, HORIZON)?);
    let gains = |other: &Rival| -> Result<[Estimate; 2], Failure> {
        Ok([ahead(&few.curve, &other.curve, LAYERS)?, ahead(&many.curve, &other.curve, HORIZON)?])
    };
    let shown = s.aside(TWICE).of("runs");
    for (of, rival) in ["", ", gradient of the sum"].into_iter().zip(&*both) {
        for (steps, gain) in [LAYERS, HORIZON].into_iter().zip(gains(rival)?) {
            let label = format!("{steps} steps{of}: decades by which the best pair is below the printed pair");
            shown.at_most(label, gain);
        }
    }
    let pairs = grid(s, Reading::Variances, family, &BETAS)?.decades.dim();
    let larger = s.aside(Margin::ZERO).over(pairs.0 * pairs.1, "pairs");
    larger.at_most("log10 of the best η after 4 steps over the printed η", (few.rate / rate).log10());

    let plain = constant(&field, Family::Momentum, (rate, 0.0), HORIZON)?.curve;
    let faster = s.printed(Margin::ZERO).of("runs");
    let label = "4 steps: decades below gradient descent with the same η";
    faster.at_least(label, ahead(&both[0].curve, &plain, LAYERS)?);
    let label = "30 steps: decades below gradient descent with the same η";
    faster.at_least(label, ahead(&both[0].curve, &plain, HORIZON)?);
    // What is changed of Nesterov's method is said of four steps.
    for (says, steps) in [(s.both_forms(Margin::ZERO), LAYERS), (s.printed(Margin::ZERO), HORIZON)] {
        let descent = best_descent(s, Reading::Variances, steps)?;
        let label = format!("{steps} steps, each with its best constants: decades below gradient descent");
        let best = &best(s, family, steps)?.curve;
        says.of("runs").at_least(label, ahead(best, &descent.curve, steps)?);
    }
    let subtracted = constant(&field, family, (rate, -beta), LAYERS)?.curve;
    let label = "memory subtracted: decades below gradient descent with the same η";
    s.twin(Margin::ZERO).of("runs").at_least(label, ahead(&subtracted, &plain, LAYERS)?);
    radii(s, family)?;

    let rows = [
        ("best after 4 steps", &*few),
        ("best after 30 steps", &*many),
        ("printed", &both[0]),
        ("printed, gradient of the sum", &both[1]),
    ];
    let frame = columns(vec![
        ("pair", rows.map(|(name, _)| name).into()),
        ("η", rows.map(|(_, rival)| rival.rate).into()),
        ("β", rows.map(|(_, rival)| rival.beta).into()),
    ])?;
    s.table(Table::new(frame).title("Constants").digits(2));
    s.figure(figure(s, family)?);
    Ok(())
}

/// Spectral radius in closed form against the eigenvalues of the iteration matrix; with the memory's sign turned in the closed form.
fn radii(s: &Sheet, family: Family) -> Done {
    for rate in [0.03, 0.3, 0.9, 1.4] {
        for beta in s.each("constants", [0.0, 0.5, 0.9]) {
            let z = 1.0 - rate;
            let matrix: Array2<f64> = match family {
                Family::Nesterov => array![[(1.0 + beta) * z, -beta * z], [1.0, 0.0]],
                Family::Momentum => array![[1.0 + beta - rate, -beta], [1.0, 0.0]],
            };
            let values: Array1<c64> = matrix.eig()?.0;
            let radius = largest_of(values.iter().map(|v| v.norm()));
            let off = |beta: f64| (radius - family.spectral_radius(rate, beta, 1.0)).abs();
            s.support(ROOTS).same("spectral radius of the iteration, closed form against eigenvalues", off(beta));
            s.twin(ROOTS).largest().same("memory subtracted: spectral radius against eigenvalues", off(-beta));
        }
    }
    Ok(())
}

/// A measure of the error's path along the top eigenvector with the printed memory minus that without; the rate is over the top curvature
/// if `scaled`.
fn more(batch: &[Quadratic<f64>], measure: Measure, rate: (f64, bool), steps: usize) -> Result<Estimate, Failure> {
    let along = |f: &Quadratic<f64>, beta: f64| -> Result<f64, Failure> {
        let (values, vectors) = f.hessian.eigh(UPLO::Lower)?;
        let last = values.len() - 1;
        let (top, target) = (vectors.column(last).to_owned(), f.minimiser()?);
        let rate = if rate.1 { rate.0 / values[last] } else { rate.0 };
        let run = SingleMemory::momentum(rate, beta, steps)?.run(f, &f.origin())?;
        Ok(measure(&run.iterates.iter().map(|w| (w - &target).dot(&top)).collect::<Vec<f64>>()))
    };
    let on_prompts = |beta: f64| batch.iter().map(|f| along(f, beta)).collect::<Result<Vec<f64>, _>>();
    Ok(paired_difference(&on_prompts(printed(Family::Momentum).1)?, &on_prompts(0.0)?)?)
}

/// Of a path.
type Measure = fn(&[f64]) -> f64;

/// Sign changes.
fn swings(along: &[f64]) -> f64 {
    along.windows(2).filter(|w| w[0] * w[1] < 0.0).count() as f64
}

/// ln of the way.
fn travel(along: &[f64]) -> f64 {
    along.windows(2).map(|w| (w[1] - w[0]).abs()).sum::<f64>().ln()
}

fn figure(s: &Sheet, family: Family) -> Result<Figure, Failure> {
    let grid = grid(s, Reading::Variances, family, &BETAS)?;
    let (rate, beta) = printed(family);
    let panel = |steps: usize| {
        let shape = (grid.betas.len(), grid.rates.len());
        let values = Array2::from_shape_fn(shape, |(j, i)| grid.decades[[i, j, steps]].min(1.0));
        Panel::new(&format!("after {steps} steps"))
            .heatmap(&values, &grid.rates, &grid.betas, "log₁₀ loss")
            .log_x()
            .x_label("η")
            .y_label("β")
            .points("printed", &[rate], &[beta])
            .colour(1)
    };
    Ok(Figure::new("Dark is low: small steps have not moved yet, large ones blow up")
        .panel(panel(LAYERS))
        .panel(panel(HORIZON))
        .columns(2)
        .caption("Logarithm of the mean loss on prompts set aside; losses above ten are cut."))
}
