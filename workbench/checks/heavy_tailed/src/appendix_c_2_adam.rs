//! Appendix C.2, Adam: even weights and rescaled gradients.
//!
//! **Claim** (`heavy-tailed/adam-homogenises`). Adam, to first order the sign of the gradient, helps to reach the saturation of n -> f^n
//! and makes W even, similar to "q_1 = 1", which uses memory best. It is compared on population data with plain descent and with descent
//! whose gradient is divided by the variance of one input's gradient; its usefulness lies in rescaling, an effect that tuning the learning
//! rate would give as well.
//!
//! Even weights are q_0 = p^0; q_1 is p itself. The exponent is fitted to the least-squares coefficients of W on the stored pairs, by an
//! estimator that has to find the exponents of q_0 and q_1 stored by hand. Dividing by the variance, as printed, stands beside dividing by
//! the standard deviation: near the end the gradient is of order 1 - p_W and its variance of order (1 - p_W)^2, so the first quotient
//! grows. The document gives no rates, so rescaling too is judged with each at its best, along the run as in Figure 16. Refuted by an
//! exponent far from zero, or plain or rescaled descent at its best rate behind the sign at its best. Inputs are of norm one, as
//! Appendix C.1 has them for descent; at equal first steps those of Eq. 1 are shown as well.

use workbench_ground::stats::{mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{AssociativeMemory, DescentRule, Method, TrainingRun, TrainingTask};

use super::descent_visits::BOTH_INPUTS;
use super::rescaled_descents::{
    ALIKE, Descent, END, EVEN, Path, RATE, SEVENTH, THIRD, TIMES, TWENTIETH, along_the_run, best_rates, column,
    exponent, population, population_method, population_of_equation_1, tuned,
};
use crate::vocabulary::{ROUNDING, apart};

/// Four descents with first steps of equal length, and at their best rates.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/adam-homogenises",
    metric: "exponent rho of the stored weights in p; generalization error at single times and averaged over the run, paired over embeddings",
    against: "an exponent of the sign that is not near zero, or not below that of plain descent; a plain or rescaled descent that no rate helps",
    protocol: &["setting of Figure 14 on the population gradient; Adam without memory; plain descent at rate 10"],
    choices: &[
        "the document gives no other rates: first steps of equal length, and each descent at its best rate",
        "equal first steps with the inputs of Eq. 1 beside them",
    ],
    departures: &[BOTH_INPUTS],
    rivals: &[
        "plain descent at the best of 1, 3, ..., 1000 and the sign at the best of 0.01, 0.03, ..., 10, for the error at that time; along the run the sign at the best of 0.1, 0.14, ..., 0.8, by the deviation at the best of 5, 7, ..., 40 and by the variance at the best of 0.01, 0.03, ..., 10, on tasks that did not choose them",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (unit, long) = (population(s)?, population_of_equation_1(s, RATE)?);
    let (sign, by_variance) = (unit.of(Descent::Sign), unit.of(Descent::Variance));
    s.misprint("even weights are q_0 = 1, and the gradient is divided by the standard deviation; divided by the variance it is behind the sign at the best rate too");
    let rho = mean(&column(sign, |path| &path.rho, END))?;
    s.printed(EVEN).of("tasks").equals("ρ after 100 sign steps, of q_1 as printed", 1.0, rho);
    let even = s.changed(EVEN).of("tasks");
    even.equals("ρ after 100 sign steps, of q_0 = 1", 0.0, rho);
    let of_long = mean(&column(long.of(Descent::Sign), |path| &path.rho, END))?;
    s.aside(EVEN).of("tasks").equals("inputs of Eq. 1: ρ after 100 sign steps, of q_0", 0.0, of_long);
    let ordered = s.changed(Margin::ZERO).of("tasks");
    for (when, at) in [("one step", 0), ("100 steps", END)] {
        let below = unit.difference(|path| &path.rho, Descent::Sign, Descent::Plain, at)?;
        ordered.at_most(format!("ρ after {when}, sign minus plain"), below);
    }

    let missing: fn(&Path) -> &Vec<f64> = |path| &path.missing;
    let label = "inputs of Eq. 1: mean of 1 − p_W, what is missing, t = 7: sign minus plain";
    let of_long = long.difference(missing, Descent::Sign, Descent::Plain, SEVENTH)?;
    s.aside(Margin::ZERO).of("tasks").at_most(label, of_long);
    let label = "mean of 1 − p_W, what is missing to saturation, t = 7: sign minus plain";
    ordered.at_most(label, unit.difference(missing, Descent::Sign, Descent::Plain, SEVENTH)?);

    let along = along_the_run(s, &unit)?;
    let [by_deviation, of_sign, of_variance] = &*along;
    let label = "each at its best rate: error averaged over 100 steps, by the variance as printed minus the sign";
    s.printed(ALIKE).of("tasks").at_most(label, paired_difference(&of_variance.errors, &of_sign.errors)?);
    let label = "each at its best rate: error averaged over 100 steps, by the deviation minus the sign";
    s.changed(ALIKE).of("tasks").at_most(label, paired_difference(&by_deviation.errors, &of_sign.errors)?);
    let error = |other| unit.difference(|path| &path.error, other, Descent::Sign, END);
    let beside = s.aside(ALIKE).of("tasks");
    beside.at_most("equal first steps: error at t = 100, by the variance minus the sign", error(Descent::Variance)?);
    beside.at_most("equal first steps: error at t = 100, by the deviation minus the sign", error(Descent::Deviation)?);
    let at = |at: usize| column(by_variance, |path| &path.error, at);
    let later = paired_difference(&at(END), &at(SEVENTH))?;
    let label = "equal first steps: error divided by the variance, t = 100 minus t = 7";
    s.aside(Margin::ZERO).of("tasks").at_least(label, later);
    let (plain, best) = (tuned(s, &unit, Descent::Plain)?, tuned(s, &unit, Descent::Sign)?);
    for at in [THIRD, SEVENTH, TWENTIETH, END] {
        let says = s.both_forms(ALIKE);
        let label = format!("error at t = {}, plain descent at its best rate minus the sign at its best", TIMES[at]);
        says.of("tasks").at_most(label, paired_difference(&plain[at].errors, &best[at].errors)?);
    }

    for task in s.each("tasks", unit.tasks.iter().take(10)) {
        adam_against_sign(s, task)?;
    }
    let mut of_p = Vec::new();
    for task in s.each("tasks", &unit.tasks) {
        s.support(ROUNDING).same("ρ of even weights stored by hand", by_hand(task, 0.0)?.abs());
        of_p.push(by_hand(task, 1.0)?);
    }
    s.twin(EVEN).of("tasks").equals("ρ of q_1 = p stored by hand, as even weights", 0.0, mean(&of_p)?);
    let fitted = |at: usize| mean(&column(sign, |path| &path.positive, at)).map(|share| share.value);
    s.note(format!(
        "share of pairs with a positive weight, which the exponent is fitted to: {:.3} after one sign step, {:.3} after 100",
        fitted(0)?,
        fitted(END)?
    ));
    s.note(best_rates(s, &unit, &[Descent::Plain, Descent::Sign], " (end of the grid)")?);
    Ok(())
}

/// Exponent that the estimator reads off a memory that stores `p^rho` by hand.
fn by_hand(task: &TrainingTask, rho: f64) -> Result<f64, Failure> {
    let weights: Vec<f64> = task.probabilities().iter().map(|p| p.powf(rho)).collect();
    let stored = AssociativeMemory::store(task.embeddings(), &weights, task.labels())?;
    let run = TrainingRun::new(&task.starting_at(stored.matrix())?, &Method::sgd(1.0)?)?;
    let (q, _) = run.on_stored_pairs()?;
    Ok(exponent(task.probabilities(), q.as_slice().unwrap_or_default()))
}

/// Entries of W under memoryless Adam and under sign updates over fifty steps.
fn adam_against_sign(s: &Sheet, task: &TrainingTask) -> Done {
    let memoryless = DescentRule::Adam { beta1: 0.0, beta2: 0.0, epsilon: 0.0 };
    let mut adam = TrainingRun::new(task, &population_method(memoryless, 0.3)?)?;
    let mut sign = TrainingRun::new(task, &population_method(DescentRule::Sign, 0.3)?)?;
    for _ in 0..50 {
        adam.population_step()?;
        sign.population_step()?;
    }
    let gap = apart(&adam.weights(), &sign.weights());
    s.changed(ROUNDING).same("Adam with β = 0, ε = 0 minus sign updates, 50 steps", gap);
    Ok(())
}
