//! Figure 5, left: the effect of the step size.
//!
//! **Claim** (`heavy-tailed/fig-5-left`). Larger steps do better, for d < N too; Appendix C.2 explains it by storing easily at the price of
//! overwriting, against needing many visits.
//!
//! The steps are those that the document uses: 0.1, 1 and 10. Refuted by a pair of them of which the larger ends with the higher error.
//! Levels are divided among the comparisons (Bonferroni).

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};
use workbench_memory::ErrorCurve;

use super::hyperparameter_sweeps::{
    AMONG, DIMS, Descents, INPUTS, RATES, READS, SAMPLES, at, at_rate, banded, counted_from_zero, descents, narrow,
};

/// A lead that is gone.
const GONE: Margin = Margin::ours(
    "no lead left",
    -0.01,
    "a hundredth of the mass of all inputs, a tenth of what is wrong with ten dimensions for a hundred inputs",
);

/// Descents with the step sizes of the document.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/fig-5-left",
    metric: "generalization error, a larger step minus a smaller one, paired by runs, level divided among seventeen comparisons",
    against: "a dimension in which the larger of two steps of the document ends with the higher error",
    protocol: &["N = 100, M = 5, alpha = 2, f_*(x) = x mod M; parameters and rates as in Appendix C.1"],
    choices: &[
        "batch one; steps 0.1, 1 and 10 of Figures 3, 4, 6 and 7; 1000 samples as in Figure 10, and 10000; d from N/10 to 2N",
    ],
    departures: &["more than the ten runs of the caption, because ten do not decide the order for small d"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.condition(
        "after a thousand samples up to a step of one in every dimension, and from one to ten for d at least N; for d = N/10 and N/5 a step of ten overwrites: it beats 0.1 while samples are few, and in the end not a step of one",
    );
    let few = narrow(s, s.knob("runs at d = N/10", s.scale().pick(400, 1000), 2..)?)?;
    let (runs, [early, late]) = (descents(s)?, READS);
    let (printed, changed) = (s.printed(Margin::ZERO).of("runs"), s.changed(Margin::ZERO).of("runs"));
    let turn = few.difference([10.0, 1.0], 10, late, AMONG)?;
    printed.at_most(at(10, late, [10.0, 1.0]), turn);
    changed.at_least(format!("{}, the larger is worse", at(10, late, [10.0, 1.0])), turn);
    let lead = few.difference([10.0, 0.1], 10, late, AMONG)?;
    printed.at_most(at(10, late, [10.0, 0.1]), lead);
    let label = format!("d = N/10: lead of γ = 10 on γ = 0.1 after {late} samples, no more than a hundredth");
    s.aside(GONE).of("runs").at_least(label, lead);
    changed.at_most(at(10, early, [10.0, 0.1]), few.difference([10.0, 0.1], 10, early, AMONG)?);

    let compare = |says: Says, pair: [f64; 2], d: usize, samples: usize| -> Done {
        says.at_most(at(d, samples, pair), runs.difference(pair, d, samples, AMONG)?);
        Ok(())
    };
    compare(changed, [10.0, 0.1], 20, early)?;
    compare(printed, [10.0, 1.0], 20, late)?;
    for d in DIMS {
        compare(changed, [1.0, 0.1], d, early)?;
        compare(if d < INPUTS { printed } else { changed }, [10.0, 1.0], d, early)?;
        if d >= INPUTS {
            compare(changed, [10.0, 1.0], d, late)?;
        }
    }
    let wrong = counted_from_zero(s, [1.0, 0.001])?;
    s.twin(Margin::ZERO).of("runs").at_most("inputs counted from zero, d = N/10: γ = 1 minus γ = 0.001", wrong);
    s.table(runs.table(late)?);
    s.figure(figure(&runs)?);
    Ok(())
}

fn figure(runs: &Descents) -> Result<Figure, Failure> {
    let mut panel = Panel::new("").x_label("d").y_label("error").log_x().log_y();
    let x = DIMS.map(|d| d as f64);
    for (k, rate) in RATES.into_iter().enumerate() {
        let errors = |d: usize| Ok(runs.errors(rate, d, SAMPLES)?.into());
        let columns = DIMS.into_iter().map(errors).collect::<Result<Vec<_>, Failure>>()?;
        let curve = ErrorCurve::from_columns(x.to_vec(), &columns)?;
        panel = banded(panel, &at_rate(rate), &curve, k)?;
    }
    Ok(Figure::new("From 0.1 to 1 larger is better; beyond that it depends on d")
        .panel(panel.vline("d = N", 100.0).legend_below())
        .caption("After 1000 samples with batch one. Bands are 99.9 % intervals of the mean over runs."))
}
