//! Section 3, Effect of key hyperparameters: large learning rates.
//!
//! **Claim** (`heavy-tailed/large-learning-rate`). For d > N, Eq. 11 and the resulting q_gamma show that a large learning rate gamma is
//! beneficial. The same holds for limited capacity, d < N, although interference breaks the approximation of Eq. 10.
//!
//! Large and small are the rates of Figures 3 and 4: 10 and 1 against 0.1, and at one place 0.001. The sentence points at Figure 5, left,
//! so the same descents as in `heavy-tailed/fig-5-left` are read, after 1000 and after 10^4 samples. That of the two large rates the larger
//! is the worse one for d < N is charged there, with "a bigger step size leads to better results". Refuted by a higher error at a large
//! rate than at a small one, and its last part by an Eq. 11 that is as near to descent for d < N as for d > N. Since Eq. 11 itself is to
//! show it for d > N, the memory that it leaves is asked as well, at both rates.

use workbench_ground::stats::paired_difference;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{Method, Parametrization};

use super::hyperparameter_sweeps::{
    AMONG, DIMS, READS, SAMPLES, at, at_rate, counted_from_zero, descents, narrow, study,
};

/// Descents with the step sizes of Figure 4.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/large-learning-rate",
    metric: "generalization error, a larger rate minus a smaller one, after 1000 samples and for small d after 10^4, paired by runs",
    against: "a dimension in which a large rate ends with a higher error than a small one",
    protocol: &["N = 100, M = 5, alpha = 2, f_*(x) = x mod M, parameters started as in Appendix C.1"],
    choices: &[
        "batch one; large are the rates 10 and 1 of Figures 3 and 6, small are 0.1, as in Figure 6, and the 0.001 of Figure 4",
        "1000 samples as in Figure 10, and 10000, as in the check of Figure 5, left",
    ],
    departures: &[
        "Eq. 11 runs from W = 0, since it has no other start, with unit inputs: beside descent at rate 1, and at 10 against 0.1",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.see("heavy-tailed/fig-5-left");
    let few = narrow(s, s.knob("runs at d = N/10", s.scale().pick(400, 1000), 2..)?)?;
    let runs = descents(s)?;
    let (printed, aside) = (s.printed(Margin::ZERO).of("runs"), s.aside(Margin::ZERO).of("runs"));
    let [early, late] = READS;
    printed.at_most(at(10, early, [10.0, 0.1]), few.difference([10.0, 0.1], 10, early, AMONG)?);
    for d in &DIMS[1..] {
        printed.at_most(at(*d, early, [10.0, 0.1]), runs.difference([10.0, 0.1], *d, early, 1)?);
    }
    for samples in READS {
        printed.at_most(at(10, samples, [1.0, 0.1]), few.difference([1.0, 0.1], 10, samples, AMONG)?);
    }
    printed.at_most(at(10, early, [10.0, 0.001]), runs.difference([10.0, 0.001], 10, early, 1)?);
    // Where a large rate is too large, charged with Fig. 5, left.
    aside.at_most(at(10, late, [10.0, 1.0]), few.difference([10.0, 1.0], 10, late, AMONG)?);
    aside.at_most(at(10, late, [10.0, 0.1]), few.difference([10.0, 0.1], 10, late, AMONG)?);
    aside.at_most(at(10, early, [10.0, 1.0]), few.difference([10.0, 1.0], 10, early, AMONG)?);

    // d = N/5 from more runs than the sweep has.
    let method = |rate: f64| Ok::<_, Failure>(Method::sgd(rate)?.steps(late).without_moments().label(&at_rate(rate)));
    let fifth = study(vec![method(10.0)?, method(1.0)?], &[20], s.scale().pick(500, 1000))?;
    let fifth = fifth.run(s.streams(), "the turn at d = 20")?.difference(&at_rate(10.0), &at_rate(1.0), 20)?;
    aside.at_most(at(20, late, [10.0, 1.0]), fifth);

    by_equation_11(s)?;
    beside_equation_11(s)?;
    let wrong = counted_from_zero(s, [10.0, 0.001])?;
    s.twin(Margin::ZERO).of("runs").at_most("inputs counted from zero, d = N/10: γ = 10 minus γ = 0.001", wrong);
    s.table(runs.table(early)?);
    s.figure(runs.figure()?);
    Ok(())
}

/// Errors of the memories that Eq. 11 leaves, at the big rate minus at the small one, for d = 2N and d = 10N.
fn by_equation_11(s: &Sheet) -> Done {
    let method = |rate: f64| {
        let method = Method::ideal(rate, 5)?.steps(READS[1]).without_moments();
        Ok::<_, Failure>(method.record(READS.to_vec()).label(&at_rate(rate)))
    };
    let study = study(vec![method(10.0)?, method(0.1)?], &[200, 1000], s.scale().pick(30, 100))?;
    let runs = study.parametrization(Parametrization::Unit).run(s.streams(), "by Eq. 11")?;
    for d in [200, 1000] {
        for (read, samples) in READS.into_iter().enumerate() {
            let errors = |rate: f64| Ok::<_, Failure>(runs.errors(&at_rate(rate), d)?.column(read).to_vec());
            let label = format!("by Eq. 11, {}", at(d, samples, [10.0, 0.1]));
            s.printed(Margin::ZERO).of("runs").at_most(label, paired_difference(&errors(10.0)?, &errors(0.1)?)?);
        }
    }
    Ok(())
}

/// Error of Eq. 11 minus that of descent at rate 1 from W = 0, for d = N/10 and d = 10N.
fn beside_equation_11(s: &Sheet) -> Done {
    let (descent, ideal) = (Method::sgd(1.0)?.label("descent"), Method::ideal(1.0, 5)?.label("Eq. 11"));
    let study = study(vec![descent.steps(SAMPLES), ideal.steps(SAMPLES)], &[10, 1000], s.scale().pick(50, 200))?;
    let runs = study.parametrization(Parametrization::Unit).run(s.streams(), "beside Eq. 11")?;
    let gaps = |d: usize| -> Result<Vec<f64>, Failure> {
        let (descent, ideal) = (runs.final_errors("descent", d)?, runs.final_errors("Eq. 11", d)?);
        Ok(ideal.iter().zip(&descent).map(|(a, b)| a - b).collect())
    };
    let printed = s.printed(Margin::ZERO).of("runs");
    let label = "error by Eq. 11 minus that of descent: d = N/10 minus d = 10N";
    printed.at_least(label, paired_difference(&gaps(10)?, &gaps(1000)?)?);
    printed.at_least("d = N/10: error by Eq. 11 minus that of descent", runs.difference("Eq. 11", "descent", 10)?);
    let wide = runs.difference("Eq. 11", "descent", 1000)?.value;
    s.note(format!("d = 10N: error by Eq. 11 minus that of descent {wide:.4}"));
    Ok(())
}
