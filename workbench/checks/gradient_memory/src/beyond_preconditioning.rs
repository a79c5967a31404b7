//! Beyond the document: rates of forgetting along the eigenvectors of the keys.
//!
//! Ours. With all pairs at once the delta rule leaves W_t - W* = (W_0 - W*)(I - eta C)^t with C = sum_i k_i k_i^T: along an
//! eigenvector of eigenvalue lambda what is missing falls as (1 - eta lambda)^t. A metric H = C in the anchor turns every rate
//! into 1 - eta.

use ndarray::{Array1, Array2};
use ndarray_linalg::{Eigh, UPLO};
use workbench_display::{Figure, Panel};
use workbench_gradient_memory::{DeltaRule, Loss, Preconditioned, UpdateRule, pseudo_inverse_memory};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::Largest;

const LAW: Margin =
    Margin::new("law", 1e-10, "twenty steps in double precision; eigenvalues differ by a factor of 100");

/// A gradient step and its preconditioned form on one batch of ill-conditioned keys.
#[derive(Clone, Debug)]
pub struct RatesAlongEigenvectors {
    /// Steps.
    pub steps: i32,
    /// Largest entry of a key over its least, in size.
    pub spread: f64,
}

impl Default for RatesAlongEigenvectors {
    fn default() -> RatesAlongEigenvectors {
        RatesAlongEigenvectors { steps: 20, spread: 10.0 }
    }
}

/// Shares of the first error that are left: a list of steps for each eigenvector.
struct Run {
    eigenvalues: Array1<f64>,
    rate: f64,
    plain: Vec<Vec<f64>>,
    metric: Vec<Vec<f64>>,
}

/// Lengths of the columns.
fn lengths(a: &Array2<f64>) -> Vec<f64> {
    a.columns().into_iter().map(|c| c.dot(&c).sqrt()).collect()
}

impl RatesAlongEigenvectors {
    const DIM: usize = 8;

    fn both(&self, setting: &Setting) -> Result<Run, Failure> {
        let d = Self::DIM;
        let mut draws = setting.stream("conditioning")?;
        let sizes = (0..d).map(|j| self.spread.powf(-(j as f64) / (d - 1) as f64));
        let scale = Array2::from_diag(&Array1::from_iter(sizes));
        let keys = normal_array2(&mut draws, 5 * d, d).dot(&scale) / (5.0 * d as f64).sqrt();
        let (values, before) = (normal_array2(&mut draws, 5 * d, 5), normal_array2(&mut draws, 5, d));
        let metric = keys.t().dot(&keys);
        let (eigenvalues, vectors) = metric.eigh(UPLO::Lower)?;
        let rate = 0.5 / eigenvalues[d - 1];
        let best = pseudo_inverse_memory(&keys, &values)?;
        let along = |w: &Array2<f64>| lengths(&(w - &best).dot(&vectors));
        let start = along(&before);
        let follow = |mut rule: Box<dyn UpdateRule>| -> Result<Vec<Vec<f64>>, Failure> {
            rule.restart(&before)?;
            let mut left = vec![vec![1.0]; d];
            for _ in 0..self.steps {
                rule.step(&keys, &values)?;
                for (j, length) in along(rule.weights()).into_iter().enumerate() {
                    left[j].push(length / start[j]);
                }
            }
            Ok(left)
        };
        let plain = follow(Box::new(DeltaRule::new(5, d, rate)?))?;
        let conditioned = follow(Box::new(Preconditioned::new(5, metric, 0.5, Loss::Squared)?))?;
        Ok(Run { eigenvalues, rate, plain, metric: conditioned })
    }

    fn figure(&self, run: &Run) -> Figure {
        let steps: Vec<f64> = (0..=self.steps).map(f64::from).collect();
        let panel = |title: &str, left: &[Vec<f64>], factor: &dyn Fn(usize) -> f64| {
            let start = Panel::new(title).x_label("step").y_label("share of the first error left").log_y();
            [0, 4, 7].into_iter().enumerate().fold(start.y_limits(1e-7, 2.0), |panel, (colour, j)| {
                let theory: Vec<f64> = steps.iter().map(|t| factor(j).powf(*t)).collect();
                let name = format!("λ = {:.3}", run.eigenvalues[j]);
                let panel = panel.theory("", &steps, &theory).colour(colour);
                panel.points(&name, &steps, &left[j]).colour(colour)
            })
        };
        Figure::new("A metric of the keys turns many rates into one")
            .panel(panel("gradient step", &run.plain, &|j| 1.0 - run.rate * run.eigenvalues[j]))
            .panel(panel("preconditioned", &run.metric, &|_| 0.5))
            .caption("Points: computed. Dashed: (1 − ηλ)^{t} on the left, (1 − η)^{t} on the right.")
    }
}

/// The largest distance of the shares left from powers of a factor for each eigenvector.
fn from_powers(left: &[Vec<f64>], factor: impl Fn(usize) -> f64) -> f64 {
    let mut worst = Largest::default();
    for (j, shares) in left.iter().enumerate() {
        for (t, share) in (0..).zip(shares) {
            worst.see((share - factor(j).powi(t)).abs());
        }
    }
    worst.0
}

impl TypedCheck for RatesAlongEigenvectors {
    const CLAIM: &'static str = "rates-along-eigenvectors";
    const SAYS: &'static str = "Along an eigenvector of the keys a gradient step forgets at the rate ηλ, and its preconditioned \
                                form at the rate η along all of them.";
    const PLAN: Plan = Plan::new(
        "largest difference between a share of the first error and its law, 8 directions",
        "a direction or a step that departs from the law",
        &[LAW],
    );

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let run = self.both(setting)?;
        let cases = Self::DIM * self.steps.unsigned_abs() as usize;
        let law = |slow: f64| from_powers(&run.plain, |j| 1.0 - slow * run.rate * run.eigenvalues[j]);
        let evidence =
            Evidence::of(Finding::identity("gradient step: share left against (1 − ηλ)^t", law(1.0), LAW).cases(cases))
                .and(
                    Finding::identity(
                        "preconditioned: share left against (1 − η)^t",
                        from_powers(&run.metric, |_| 0.5),
                        LAW,
                    )
                    .cases(cases),
                )
                .twin(Finding::identity("gradient step: share left against (1 − ηλ/2)^t", law(0.5), LAW))
                .twin(Finding::identity(
                    "gradient step: share left against one rate for all",
                    from_powers(&run.plain, |_| 0.5),
                    LAW,
                ));
        Ok(Checked::from(evidence).figure(self.figure(&run)))
    }
}
