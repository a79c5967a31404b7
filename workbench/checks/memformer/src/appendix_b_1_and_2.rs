//! Appendices B.1 and B.2: Nesterov's method and momentum with the printed constants.
//!
//! **Claims**. `memformer/nag`: eta = 0.03, beta = 0.9 were chosen after testing various values and gave the best performance on the
//! distribution of Section 3.3; often faster than plain gradient descent. `memformer/mgd`: the same for eta = 0.005, beta = 0.9; momentum
//! helps to mitigate oscillation in directions of high curvature.
//!
//! A rival with a poor step size is no rival: a curvature here is about one, so steps of 0.005 hardly move. Against the claims speaks a
//! pair of a grid that is far below the printed one. The gradient of (2.11) is that of a mean over n examples; with the gradient of the
//! sum the printed steps are n times larger, and that reading is tried too. Oscillation is that of the error along the top eigenvector of a
//! prompt: its sign changes, and the way that it travels, at the printed step, at one so large that descent itself alternates, and at one
//! at which descent diverges.

use ndarray::{Array1, Array2, array};
use ndarray_linalg::{Eig, Eigh, UPLO, c64};
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{Family, Quadratic, SingleMemory};

use super::appendix_b::{BETAS, HORIZON, Rival, as_printed, best, constant, grid, printed};
use super::section_3_3_training::{LAYERS, Reading, TWICE, ahead, field};
use crate::vocabulary::{Largest, largest_of};

const TENFOLD: Margin = Margin::new("tenfold", 10.0, "an order of magnitude in the step, which no grid would miss");
const ROOTS: Margin = Margin::new(
    "double roots",
    1e-7,
    "where two eigenvalues meet, rounding moves them by the root of 1e-16, times a condition of ten",
);

/// One of the two methods against a grid of constants.
#[derive(Clone, Debug)]
struct Constants {
    family: Family,
}

/// Spectral radius in closed form against the eigenvalues of the iteration matrix; with the memory's sign turned in the closed form.
fn radius_gaps(family: Family) -> Result<(f64, f64), Failure> {
    let (mut right, mut turned) = (Largest::default(), Largest::default());
    for rate in [0.03, 0.3, 0.9, 1.4] {
        for beta in [0.0, 0.5, 0.9] {
            let z = 1.0 - rate;
            let matrix: Array2<f64> = match family {
                Family::Nesterov => array![[(1.0 + beta) * z, -beta * z], [1.0, 0.0]],
                Family::Momentum => array![[1.0 + beta - rate, -beta], [1.0, 0.0]],
            };
            let values: Array1<c64> = matrix.eig()?.0;
            let radius = largest_of(values.iter().map(|v| v.norm()));
            right.see((radius - family.spectral_radius(rate, beta, 1.0)).abs());
            turned.see((radius - family.spectral_radius(rate, -beta, 1.0)).abs());
        }
    }
    Ok((right.0, turned.0))
}

struct Found {
    /// Decades by which the best pair is below the printed one after 4 and after 30 steps, and below it with the gradient of the sum.
    gains: [Estimate; 2],
    sums: [Estimate; 2],
    /// Decades below gradient descent at the printed rate, after 4 and after 30 steps.
    descent: [Estimate; 2],
    /// The same with the memory subtracted.
    wrong: Estimate,
    /// Best rate after 4 steps over the printed one.
    ratio: f64,
    table: Table,
    figure: Figure,
}

impl Constants {
    fn find(&self, setting: &Setting) -> Result<Found, Failure> {
        let (family, (rate, beta)) = (self.family, printed(self.family));
        let field = field(setting, Reading::Variances)?;
        let both = as_printed(setting, family, HORIZON)?;
        let plain = constant(&field, Family::Momentum, (rate, 0.0), HORIZON)?;
        let wrong = constant(&field, family, (rate, -beta), LAYERS)?;
        let (few, many) = (best(setting, family, LAYERS)?, best(setting, family, HORIZON)?);
        let gains = |other: &workbench_memformer::Curve| -> Result<[Estimate; 2], Failure> {
            Ok([ahead(&few.curve, other, LAYERS)?, ahead(&many.curve, other, HORIZON)?])
        };
        let below = |steps| ahead(&both[0].curve, &plain.curve, steps);
        let rows = [
            ("best after 4 steps", &*few),
            ("best after 30 steps", &*many),
            ("printed", &both[0]),
            ("printed, gradient of the sum", &both[1]),
        ];
        let of = |pick: fn(&Rival) -> f64| rows.iter().map(|(_, r)| pick(r)).collect::<Vec<f64>>();
        let names: Vec<String> = rows.iter().map(|(name, _)| name.to_string()).collect();
        let list = vec![("pair", names.into()), ("η", of(|r| r.rate).into()), ("β", of(|r| r.beta).into())];
        Ok(Found {
            gains: gains(&both[0].curve)?,
            sums: gains(&both[1].curve)?,
            descent: [below(LAYERS)?, below(HORIZON)?],
            wrong: ahead(&wrong.curve, &plain.curve, LAYERS)?,
            ratio: few.rate / rate,
            table: Table::new(columns(list)?).title("Constants").digits(2),
            figure: self.figure(setting)?,
        })
    }

    fn figure(&self, setting: &Setting) -> Result<Figure, Failure> {
        let grid = grid(setting, Reading::Variances, self.family, &BETAS)?;
        let (rate, beta) = printed(self.family);
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
}

/// Nesterov's method.
#[derive(Clone, Debug, Default)]
pub struct Nesterov;

fn runs(finding: Finding) -> Finding {
    finding.unit("runs")
}

fn printed_is_best(found: &Found) -> Evidence {
    let [few, many] = found.gains;
    Evidence::of(runs(Finding::at_most(
        "4 steps: decades by which the best pair is below the printed pair",
        TWICE,
        few,
    )))
    .and(runs(Finding::at_most("30 steps: decades by which the best pair is below the printed pair", TWICE, many)))
    .and(runs(Finding::at_least("4 steps: decades below gradient descent with the same η", 0.0, found.descent[0])))
    .and(runs(Finding::at_least(
        "30 steps: decades below gradient descent with the same η",
        0.0,
        found.descent[1],
    )))
}

/// What holds of the constants in place of what is printed.
fn larger_step(found: &Found) -> Vec<Finding> {
    vec![
        Finding::at_least("best η after 4 steps over the printed η", TENFOLD, Estimate::exact(found.ratio)),
        runs(Finding::at_least(
            "4 steps: decades by which the best pair is below the printed pair, at least",
            TWICE,
            found.gains[0],
        )),
    ]
}

impl TypedCheck for Nesterov {
    const CLAIM: &'static str = "memformer/nag";
    const PLAN: Plan = Plan::new(
        "decades between logarithms of the mean loss on the test prompts, after 4 and after 30 steps, paired run by run",
        "a pair of the grid below the printed one by more than a factor of two; no gain over gradient descent with the same step",
        &[TWICE, TENFOLD, ROOTS],
    )
    .protocol(&["distribution of Section 3.3, five rotations; constant eta and beta"])
    .rivals(&["24 rates from 0.005 to 2.1 times 12 memories from 0 to 0.95, the best six run again on the test prompts"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let family = Family::Nesterov;
        let (found, (right, turned)) = (Constants { family }.find(setting)?, radius_gaps(family)?);
        let mut mended = vec![runs(Finding::at_most(
            "4 steps, gradient of the sum: decades by which the best pair is below the printed pair",
            TWICE,
            found.sums[0],
        ))];
        mended.push(runs(Finding::at_least(
            "30 steps, gradient of the sum: decades by which the best pair is below the printed pair, at least",
            TWICE,
            found.sums[1],
        )));
        mended.extend(larger_step(&found));
        let evidence = printed_is_best(&found)
            .condition(
                "for four steps along the gradient of the sum over examples, n times that of (2.11); along (2.11) the best step is some n = 20 times larger",
                mended,
            )
            .support(Finding::identity("spectral radius of the iteration, closed form against eigenvalues", right, ROOTS))
            .twin(runs(Finding::at_least(
                "memory subtracted: decades below gradient descent with the same η",
                0.0,
                found.wrong,
            )))
            .twin(Finding::identity("memory subtracted: spectral radius against eigenvalues", turned, ROOTS));
        Ok(Checked::from(evidence).table(found.table).figure(found.figure))
    }
}

/// Momentum.
#[derive(Clone, Debug)]
pub struct Momentum {
    /// Prompts whose oscillation is counted.
    pub prompts: usize,
    /// Steps in which it is counted.
    pub steps: usize,
    /// Rate times top curvature at which descent alternates, and at which it diverges.
    pub alternating: f64,
    /// The same at which descent diverges.
    pub diverging: f64,
}

impl Default for Momentum {
    fn default() -> Momentum {
        Momentum { prompts: 50, steps: 400, alternating: 1.8, diverging: 2.5 }
    }
}

/// Sign changes of a path.
fn swings(along: &[f64]) -> f64 {
    along.windows(2).filter(|w| w[0] * w[1] < 0.0).count() as f64
}

/// ln of the way of a path.
fn travel(along: &[f64]) -> f64 {
    along.windows(2).map(|w| (w[1] - w[0]).abs()).sum::<f64>().ln()
}

impl Momentum {
    /// The error along the top eigenvector after each step; the rate is over the top curvature if `scaled`.
    fn along(f: &Quadratic<f64>, (rate, beta): (f64, f64), scaled: bool, steps: usize) -> Result<Vec<f64>, Failure> {
        let (values, vectors) = f.hessian.eigh(UPLO::Lower)?;
        let last = values.len() - 1;
        let (top, target) = (vectors.column(last).to_owned(), f.minimiser()?);
        let rate = if scaled { rate / values[last] } else { rate };
        let run = SingleMemory::momentum(rate, beta, steps)?.run(f, &f.origin())?;
        Ok(run.iterates.iter().map(|w| (w - &target).dot(&top)).collect())
    }

    /// A measure of the error's path with the printed memory minus that without.
    fn more(
        &self,
        setting: &Setting,
        measure: fn(&[f64]) -> f64,
        (rate, scaled): (f64, bool),
        steps: usize,
    ) -> Result<Estimate, Failure> {
        let field = field(setting, Reading::Variances)?;
        let prompts = &field.tests[0].quadratics()[..self.prompts];
        let count = |beta: f64| -> Result<Vec<f64>, Failure> {
            let of = |f| Ok(measure(&Self::along(f, (rate, beta), scaled, steps)?));
            prompts.iter().map(of).collect()
        };
        Ok(paired_difference(&count(printed(Family::Momentum).1)?, &count(0.0)?)?)
    }
}

/// Whatever the prompt: along an eigenvector the way depends on it by a factor that both methods share.
fn of_the_way(label: &str, more: Estimate, prompts: usize) -> Finding {
    Finding::at_most(label, 0.0, Estimate::exact(more.value)).cases(prompts).unit("prompts")
}

impl TypedCheck for Momentum {
    const CLAIM: &'static str = "memformer/mgd";
    const PLAN: Plan = Plan::new(
        "decades between logarithms of the mean loss on the test prompts; sign changes and way of the error along the top eigenvector",
        "a pair of the grid below the printed one by more than a factor of two; more sign changes or a longer way with momentum than without",
        &[TWICE, TENFOLD, ROOTS],
    )
    .protocol(&["distribution of Section 3.3, five rotations; constant eta and beta; oscillation on 50 prompts of the first rotation"])
    .rivals(&["24 rates from 0.005 to 2.1 times 12 memories from 0 to 0.95, the best six run again on the test prompts"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let family = Family::Momentum;
        let (found, (right, turned)) = (Constants { family }.find(setting)?, radius_gaps(family)?);
        let prompts = |finding: Finding| finding.unit("prompts");
        let mut mended = larger_step(&found);
        mended.push(prompts(Finding::at_most(
            "first 40 steps at η = 1.8 over the top curvature: sign changes, momentum minus descent",
            0.0,
            self.more(setting, swings, (self.alternating, true), 40)?,
        )));
        mended.push(of_the_way(
            "first 40 steps at η = 2.5 over the top curvature: ln of the way along it, momentum minus descent",
            self.more(setting, travel, (self.diverging, true), 40)?,
            self.prompts,
        ));
        let evidence = printed_is_best(&found)
            .and(prompts(Finding::at_most(
                "400 steps at the printed η: sign changes, momentum minus descent",
                0.0,
                self.more(setting, swings, (printed(family).0, false), self.steps)?,
            )))
            .and(of_the_way(
                "first 40 steps at η = 1.8 over the top curvature: ln of the way along it, momentum minus descent",
                self.more(setting, travel, (self.alternating, true), 40)?,
                self.prompts,
            ))
            .and(runs(Finding::at_most(
                "4 steps, gradient of the sum: decades by which the best pair is below the printed pair",
                TWICE,
                found.sums[0],
            )))
            .weaker(
                "faster than gradient descent with the same step, with fewer sign changes where that alternates, and calmer by size where it diverges; elsewhere, also at the printed step, two hundred times below the best, it is momentum that swings",
                mended,
            )
            .support(Finding::identity("spectral radius of the iteration, closed form against eigenvalues", right, ROOTS))
            .twin(runs(Finding::at_least(
                "memory subtracted: decades below gradient descent with the same η",
                0.0,
                found.wrong,
            )))
            .twin(Finding::identity("memory subtracted: spectral radius against eigenvalues", turned, ROOTS));
        Ok(Checked::from(evidence).table(found.table).figure(found.figure))
    }
}
