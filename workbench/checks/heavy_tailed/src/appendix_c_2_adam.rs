//! Appendix C.2, Adam: what its help consists in.
//!
//! **Claim** (`heavy-tailed/adam-homogenises`). Adam, to first order the sign of the gradient, helps to reach the saturation of n -> f^n
//! and makes W even, similar to "q_1 = 1", which uses memory best. It is compared on population data with plain descent and with descent
//! whose gradient is divided by the variance of one input's gradient; its usefulness lies in rescaling, an effect that tuning the learning
//! rate would give as well.
//!
//! Even weights are q_0 = p^0; q_1 is p itself. The exponent is fitted to the least-squares coefficients of W on the stored pairs, by an
//! estimator that has to find the exponents of q_0 and q_1 stored by hand. Dividing by the variance, as printed, stands beside dividing by
//! the standard deviation: near the end the gradient is of order 1 - p_W and its variance of order (1 - p_W)^2, so the first quotient
//! grows. An exponent far from zero, or plain descent at its best rate behind the sign at its best, counts against it. Inputs are of norm
//! one; at equal first steps those of Eq. 1 are run as well.

use workbench_ground::stats::{mean, paired_difference};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{AssociativeMemory, DescentRule, Method, TrainingRun, TrainingTask};

use super::appendix_c_2::{
    ALIKE, Descent, EVEN, Population, RATE, TIMES, column, exponent, population, population_method,
    population_of_equation_1, task_count, tuned,
};
use super::section_3_visits::UNIT_INPUTS;
use crate::vocabulary::{Largest, ROUNDING, by_scale};

/// Four descents with first steps of equal length, and three of them at their best rates.
#[derive(Clone, Debug, Default)]
pub struct Homogenises {
    /// Tasks, each with its own embeddings; by scale if 0.
    pub tasks: usize,
}

/// Positions in [`TIMES`].
const THIRD: usize = 2;
const SEVENTH: usize = 3;
const TWENTIETH: usize = 4;
const END: usize = 5;

/// Exponent that the estimator reads off a memory that stores `p^rho` by hand.
fn by_hand(task: &TrainingTask, rho: f64) -> Result<f64, Failure> {
    let weights: Vec<f64> = task.probabilities().iter().map(|p| p.powf(rho)).collect();
    let stored = AssociativeMemory::store(task.embeddings(), &weights, task.labels())?;
    let run = TrainingRun::new(&task.starting_at(stored.matrix())?, &Method::sgd(1.0)?)?;
    let (q, _) = run.on_stored_pairs()?;
    Ok(exponent(task.probabilities(), q.as_slice().unwrap_or_default()))
}

/// Largest difference of an entry of W between memoryless Adam and sign updates over fifty steps.
fn adam_against_sign(tasks: &[TrainingTask]) -> Result<f64, Failure> {
    let memoryless = DescentRule::Adam { beta1: 0.0, beta2: 0.0, epsilon: 0.0 };
    let mut largest = Largest::default();
    for task in tasks {
        let mut adam = TrainingRun::new(task, &population_method(memoryless, 0.3)?)?;
        let mut sign = TrainingRun::new(task, &population_method(DescentRule::Sign, 0.3)?)?;
        for _ in 0..50 {
            adam.population_step()?;
            sign.population_step()?;
        }
        let gap = adam.weights() - sign.weights();
        gap.iter().for_each(|gap| largest.see(gap.abs()));
    }
    Ok(largest.0)
}

impl Homogenises {
    /// Plain descent minus the sign, each at the rate that is best for it at that time.
    fn tuned(&self, setting: &Setting, population: &Population, at: usize) -> Result<Finding, Failure> {
        let (plain, sign) = (tuned(setting, population, Descent::Plain)?, tuned(setting, population, Descent::Sign)?);
        let label = format!("error at t = {}, plain descent at its best rate minus the sign at its best", TIMES[at]);
        let difference = paired_difference(&plain[at].errors, &sign[at].errors)?;
        Ok(Finding::at_most(label, ALIKE, difference).unit("tasks"))
    }

    /// The rates that were best, for the reader to see that none lies at an end of its grid.
    fn rates(&self, setting: &Setting, population: &Population) -> Result<String, Failure> {
        let mut all = Vec::new();
        for descent in [Descent::Plain, Descent::Sign] {
            let best = tuned(setting, population, descent)?;
            let said = [THIRD, SEVENTH, TWENTIETH, END].map(|at| {
                let end = if best[at].inside { "" } else { " (end of the grid)" };
                format!("{}{end}", best[at].rate)
            });
            all.push(format!("{} {}", descent.name(), said.join(", ")));
        }
        Ok(format!("best rates at t = 3, 7, 20, 100: {}", all.join("; ")))
    }
}

impl TypedCheck for Homogenises {
    const CLAIM: &'static str = "heavy-tailed/adam-homogenises";
    const PLAN: Plan = Plan::new(
        "exponent rho of the stored weights in p; generalization error, paired over embeddings",
        "an exponent of the sign that is not near zero, or not below that of plain descent; a plain descent that no rate helps",
        &[ALIKE, EVEN, ROUNDING],
    )
    .protocol(&["setting of Figure 14 on the population gradient; Adam without memory; plain descent at rate 10"])
    .departures(&[
        "the document gives no other rates: first steps of equal length, and each descent at its best rate",
        UNIT_INPUTS,
        "equal first steps with the inputs of Eq. 1 as well",
    ])
    .rivals(&[
        "plain descent at the best of 1, 3, ..., 1000 and the sign at the best of 0.01, 0.03, ..., 10, for the error at that time",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let count = by_scale(self.tasks, task_count(setting));
        let population = population(setting, count)?;
        let long = population_of_equation_1(setting, RATE, count)?;
        let missing = |label: &str, population: &Population| -> Result<Finding, Failure> {
            let difference = population.difference(|path| &path.missing, Descent::Sign, Descent::Plain, SEVENTH)?;
            Ok(Finding::at_most(label, 0.0, difference).unit("tasks"))
        };
        let sign = mean(&column(population.of(Descent::Sign), |path| &path.rho, END))?;
        let below = |label: &str, at: usize| -> Result<Finding, Failure> {
            let difference = population.difference(|path| &path.rho, Descent::Sign, Descent::Plain, at)?;
            Ok(Finding::at_most(label, 0.0, difference).unit("tasks"))
        };
        let later = paired_difference(
            &column(population.of(Descent::Variance), |path| &path.error, END),
            &column(population.of(Descent::Variance), |path| &path.error, SEVENTH),
        )?;
        let error = |a: Descent, b: Descent| population.difference(|path| &path.error, a, b, END);
        let (mut stored, mut printed) = (Largest::default(), Vec::new());
        for task in &population.tasks {
            stored.see(by_hand(task, 0.0)?.abs());
            printed.push(by_hand(task, 1.0)?);
        }
        let tuned = |at: usize| self.tuned(setting, &population, at);
        let evidence =
            Evidence::of(Finding::equals("ρ after 100 sign steps, of q_1 as printed", 1.0, EVEN, sign).unit("tasks"))
                .and(
                    Finding::at_most(
                        "error at t = 100, divided by the variance as printed minus the sign",
                        ALIKE,
                        error(Descent::Variance, Descent::Sign)?,
                    )
                    .unit("tasks"),
                )
                .and(tuned(THIRD)?)
                .and(missing("inputs of Eq. 1: mean of 1 − p_W, what is missing, t = 7: sign minus plain", &long)?);
        let fitted = |at: usize| mean(&column(population.of(Descent::Sign), |path| &path.positive, at));
        let changed = vec![
            Finding::equals("ρ after 100 sign steps, of q_0 = 1", 0.0, EVEN, sign).unit("tasks"),
            Finding::equals(
                "inputs of Eq. 1: ρ after 100 sign steps, of q_0",
                0.0,
                EVEN,
                mean(&column(long.of(Descent::Sign), |path| &path.rho, END))?,
            )
            .unit("tasks"),
            missing("mean of 1 − p_W, what is missing to saturation, t = 7: sign minus plain", &population)?,
            below("ρ after one step, sign minus plain", 0)?,
            below("ρ after 100 steps, sign minus plain", END)?,
            Finding::at_least("error divided by the variance, t = 100 minus t = 7", 0.0, later).unit("tasks"),
            Finding::at_most(
                "error at t = 100, divided by the deviation minus the sign",
                ALIKE,
                error(Descent::Deviation, Descent::Sign)?,
            )
            .unit("tasks"),
            Finding::identity(
                "Adam with β = 0, ε = 0 minus sign updates, 50 steps",
                adam_against_sign(&population.tasks[..10.min(population.tasks.len())])?,
                ROUNDING,
            ),
            tuned(SEVENTH)?,
            tuned(TWENTIETH)?,
            tuned(END)?,
        ];
        let evidence = evidence
            .misprint(
                "even weights are q_0 = 1, and the gradient is divided by the standard deviation; divided by the variance its steps grow until what was stored is lost; at equal first steps saturation comes sooner with unit inputs, and not with those of Eq. 1 at rate 10",
                changed,
            )
            .twin(Finding::equals("ρ of q_1 = p stored by hand, as even weights", 0.0, EVEN, mean(&printed)?).unit("tasks"))
            .support(Finding::identity("ρ of even weights stored by hand", stored.0, ROUNDING))
            .note(format!(
                "share of pairs with a positive weight, which the exponent is fitted to: {:.3} after one sign step, {:.3} after 100",
                fitted(0)?.value,
                fitted(END)?.value
            ))
            .note(self.rates(setting, &population)?);
        Ok(evidence.into())
    }
}
