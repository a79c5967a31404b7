//! Figure 1: error against dimension and against data.
//!
//! **Claims.** (`heavy-tailed/fig-1-left`) The error of equal weights on the top P = d/8, against d for several T, agrees with d^(-alpha+1) +
//! T^(-1+1/alpha) at alpha = 2, 100 runs; (`heavy-tailed/fig-1-right`) and so it does against T for several d.
//!
//! Both panels come from one grid of simulations. The sign in the caption is "of the order of": up to constants on both sides. So the exponents
//! are asked where one term rules, the plateaus against exact sums, and over the whole grid the ratio of the error to a/d + c/sqrt(T), with the
//! exact limits a and c, must stay between constants. A joint fit of the sum is not asked for: where the two terms are equal the error is less
//! than their sum, since an input that is both rare and beyond the threshold is lost once.

use std::sync::Arc;

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    ErrorCurve, Errors, Experiment, Samples, Scheme, Zipf, chance_error, data_exponent, minimax_exponent, power_law,
    tail_constant,
};

use super::sections_b_2_to_b_4::{CLASSES, target};
use super::theorems_1_to_3::{
    DOWN_TO_CONSTANTS, DRAWN_EXPONENT, UP_TO_CONSTANTS, top_eighth, top_power, unseen_constant,
};
use crate::vocabulary::{Largest, Least, by_scale};

const PLATEAU: Margin =
    Margin::new("plateau", 0.1, "a tenth of the level; without the chance level of a guess it is off by a quarter");

/// The grid of both panels.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Inputs N, far above all thresholds; by scale if 0.
    pub inputs: usize,
    /// Dimensions.
    pub dims: Vec<usize>,
    /// Sample sizes.
    pub samples: Vec<usize>,
    /// Independent runs.
    pub runs: usize,
}

impl Default for Grid {
    fn default() -> Grid {
        Grid {
            inputs: 0,
            dims: vec![8, 16, 32, 64, 128, 256, 512, 1024],
            samples: vec![10, 30, 100, 300, 1000, 3000, 10_000, 100_000, 1_000_000],
            runs: 100,
        }
    }
}

/// The most data of the default grid.
const MOST: Samples = Samples::Draws(1_000_000);

impl Grid {
    fn law(&self, setting: &Setting) -> Result<Zipf, Failure> {
        let n = by_scale(self.inputs, setting.scale().pick(1500, 10_000));
        Ok(Zipf::new(2.0, n)?)
    }

    /// Errors of the scheme of the figure, the first.
    fn errors(&self, setting: &Setting) -> Result<Arc<Errors>, Failure> {
        setting.shared(&format!("figure 1, {self:?}"), |own| {
            self.experiment(own, vec![top_eighth()?], &self.samples, "figure 1")
        })
    }

    fn experiment(
        &self,
        setting: &Setting,
        schemes: Vec<Scheme>,
        samples: &[usize],
        name: &str,
    ) -> Result<Errors, Failure> {
        Ok(Experiment::new(self.law(setting)?, target()?)
            .schemes(schemes)
            .dims(self.dims.clone())
            .samples(samples.iter().copied().map(Samples::Draws).collect())
            .runs(self.runs)
            .run(setting.streams(), name)?)
    }

    /// Lowest and highest end of the intervals of the error over a/d + c/sqrt(T).
    fn over_law(&self, errors: &Errors) -> Result<[f64; 2], Failure> {
        let [a, c] = constants()?;
        let (mut low, mut high) = (Least::default(), Largest::default());
        let scheme = top_eighth()?;
        for d in &self.dims {
            for t in &self.samples {
                let error = errors.mean(&scheme, *d, Samples::Draws(*t))?;
                let law = a / *d as f64 + c / (*t as f64).sqrt();
                low.see(error.low / law);
                high.see(error.high / law);
            }
        }
        Ok([low.0, high.0])
    }

    fn between_constants(&self, errors: &Errors) -> Result<[Finding; 2], Failure> {
        let [low, high] = self.over_law(errors)?;
        let cells = self.dims.len() * self.samples.len();
        let place = |finding: Finding| finding.cases(cells).unit("pairs of d and T");
        Ok([
            place(Finding::at_least(
                "error over a/d + c/√T, lowest of the grid",
                DOWN_TO_CONSTANTS,
                Estimate::exact(low),
            )),
            place(Finding::at_most(
                "error over a/d + c/√T, highest of the grid",
                UP_TO_CONSTANTS,
                Estimate::exact(high),
            )),
        ])
    }

    fn figure(&self, errors: &Errors) -> Result<Figure, Failure> {
        let ([a, c], x, t) = (constants()?, errors.dims(), errors.sizes());
        let scheme = top_eighth()?;
        let mut left = panel("error against d", "d");
        let sizes = [("T = 100", 100), ("T = 1000", 1000), ("T = 10^{4}", 10_000), ("T = 10^{6}", 1_000_000)];
        for (k, (name, t)) in sizes.into_iter().enumerate() {
            let curve = errors.over_dims(&scheme, Samples::Draws(t))?;
            let [low, high] = curve.spread();
            left = left.band("", &x, &low, &high).colour(k).line(name, &x, &curve.means()).colour(k);
        }
        let mut right = panel("error against T", "T");
        for (k, d) in [16, 64, 256, 1024].into_iter().enumerate() {
            let curve = errors.over_samples(&scheme, d)?;
            let [low, high] = curve.spread();
            right = right.band("", &t, &low, &high).colour(k).line(&format!("d = {d}"), &t, &curve.means()).colour(k);
        }
        Ok(Figure::new("The error falls along each term until the other one takes over")
            .panel(left.theory("a / d", &x, &power_law(&x, a, -1.0)))
            .panel(right.theory("c T^{−1/2}", &t, &power_law(&t, c, -0.5)))
            .columns(2)
            .size(1050, 470)
            .caption("Dashed: the two terms with their exact constants, nothing fitted. Means of 100 runs; bands: one standard deviation between runs."))
    }
}

fn panel(title: &str, x: &str) -> Panel {
    Panel::new(title).x_label(x).y_label("error").log_x().log_y().legend_below()
}

/// The constants a of 1/d and c of T^(-1/2): unstored inputs and unseen inputs are guessed.
fn constants() -> Result<[f64; 2], Failure> {
    let law = Zipf::infinite(2.0)?;
    Ok([8.0 * chance_error(CLASSES) * tail_constant(&law)?, unseen_constant(&law)?])
}

fn of_runs(label: &str, expected: f64, margin: Margin, found: Estimate) -> Finding {
    Finding::equals(label, expected, margin, found).unit("runs")
}

/// Left panel: against d.
#[derive(Clone, Debug, Default)]
pub struct Left(
    /// The grid.
    pub Grid,
);

impl TypedCheck for Left {
    const CLAIM: &'static str = "heavy-tailed/fig-1-left";
    const PLAN: Plan = Plan::new(
        "slope of ln error in ln d where data do not limit; plateau over (1-1/M) of the exact unseen mass; error over a/d + c/√T on the grid",
        "another exponent, another plateau, or a ratio beyond constants",
        &[DRAWN_EXPONENT, PLATEAU, UP_TO_CONSTANTS, DOWN_TO_CONSTANTS],
    )
    .protocol(&["α = 2, ρ = 0, P = d/8, 100 runs, as printed"])
    .departures(&["N, M are not in the caption: M = 5, N far above every threshold; among equal counts the more frequent input is kept"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (grid, errors) = (&self.0, self.0.errors(setting)?);
        let mut boot = setting.stream("bootstrap, figure 1, left")?;
        let (eighth, root) = (top_eighth()?, top_power(0.0, 0.5)?);
        let window = |errors: &Errors, scheme: &Scheme| -> Result<ErrorCurve, Failure> {
            Ok(errors.over_dims(scheme, MOST)?.between(32.0, 1024.0)?)
        };
        let slope = window(&errors, &eighth)?.slope(&mut boot)?;
        let unseen = chance_error(CLASSES) * grid.law(setting)?.unseen_mass(1000);
        let plateau = errors.mean(&eighth, 1024, Samples::Draws(1000))?;
        let plateau = plateau.affine(1.0 / unseen, 0.0)?;
        let fewer = Grid { runs: 20, ..grid.clone() };
        let other = fewer.experiment(setting, vec![root.clone()], &[1_000_000], "figure 1, root")?;
        let wrong = window(&other, &root)?.slope(&mut boot)?;
        let exponent = minimax_exponent(2.0)?;
        let evidence = Evidence::of(of_runs("slope in d at T = 10^6, 32 ≤ d ≤ 1024", -exponent, DRAWN_EXPONENT, slope))
            .and(of_runs("plateau at d = 1024, T = 1000, over (1 - 1/M) of the unseen mass", 1.0, PLATEAU, plateau));
        let evidence = grid.between_constants(&errors)?.into_iter().fold(evidence, Evidence::and).twin(of_runs(
            "P = √d in place of d/8: slope in d",
            -exponent,
            DRAWN_EXPONENT,
            wrong,
        ));
        Ok(Checked::from(evidence).figure(grid.figure(&errors)?))
    }
}

/// Right panel: against T.
#[derive(Clone, Debug, Default)]
pub struct Right(
    /// The grid.
    pub Grid,
);

impl TypedCheck for Right {
    const CLAIM: &'static str = "heavy-tailed/fig-1-right";
    const PLAN: Plan = Plan::new(
        "slope of ln error in ln T where the memory does not limit; plateau over (1-1/M) of the exact tail; error over a/d + c/√T on the grid",
        "another exponent, another plateau, or a ratio beyond constants",
        &[DRAWN_EXPONENT, PLATEAU, UP_TO_CONSTANTS, DOWN_TO_CONSTANTS],
    )
    .protocol(&["α = 2, ρ = 0, P = d/8, 100 runs, as printed"])
    .departures(&["N, M as on the left"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (grid, errors) = (&self.0, self.0.errors(setting)?);
        let mut boot = setting.stream("bootstrap, figure 1, right")?;
        let eighth = top_eighth()?;
        let slope = errors.over_samples(&eighth, 1024)?.between(10.0, 1000.0)?.slope(&mut boot)?;
        let tail = grid.law(setting)?.tail(64 / 8);
        let level = errors.mean(&eighth, 64, MOST)?;
        let plateau = level.affine(1.0 / (chance_error(CLASSES) * tail), 0.0)?;
        let evidence =
            Evidence::of(of_runs("slope in T at d = 1024, 10 ≤ T ≤ 1000", -data_exponent(2.0)?, DRAWN_EXPONENT, slope))
                .and(of_runs(
                    "plateau at d = 64, T = 10^6, over (1 - 1/M) of the tail beyond 8",
                    1.0,
                    PLATEAU,
                    plateau,
                ));
        let few = self.0.samples.iter().filter(|t| **t <= 1000);
        let samples = few.copied().map(Samples::Draws).collect();
        let other = Experiment::new(Zipf::new(4.0, 300)?, target()?)
            .schemes(vec![eighth.clone()])
            .dims(vec![1024])
            .samples(samples)
            .runs(grid.runs)
            .run(setting.streams(), "figure 1, other law")?;
        let wrong = other.over_samples(&eighth, 1024)?.slope(&mut boot)?;
        let evidence = grid.between_constants(&errors)?.into_iter().fold(evidence, Evidence::and).twin(of_runs(
            "inputs of a law with α = 4: slope in T",
            -data_exponent(2.0)?,
            DRAWN_EXPONENT,
            wrong,
        ));
        Ok(evidence.into())
    }
}
