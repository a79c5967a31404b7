//! Figure 10: a memformer on the mixture, with gates only and with Gamma trained at test time.
//!
//! **Claims**. (`memformer/fig-10-gray`, gray line) A 3-head, 4-layer memformer on the mixture with a learned gating scheme only.
//! (`memformer/fig-10-black`, black line, and Section 4.2) With a higher test-time budget, also training the Gamma_j at test time overcomes
//! what the transformer of Figure 9 is ahead by; the main parameters stay fixed.
//!
//! Heads are those of Figure 9: A trained as a transformer, then a row of Gamma on the component (Appendix D). The gray line must lie above
//! the transformer, as the text says, which is the comparison of Figure 9. The black line must reach the transformer. "Can be
//! overcome" asks for one case, so the reading of the mixture by prompt is judged, which Theorem 4.1 has, and the one by token stands beside;
//! and for one way: Gamma is trained whole, the entries of the examples and of the query together, to convergence, on more and
//! more prompts, as printed (a number for each token) and as matrices that act on gradients, which is what Section 3.4 and Theorem 4.1's
//! remark call it ("restricted to scalar multiples of the identity", "the diagonal of Gamma_i"). Ways that train less stand beside. Refuted
//! by a line on the other side of its rival. The wrong black line has Gamma trained on prompts of one component.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::paired_difference;
use workbench_ledger::{Check, Done, Margin, Says, Sheet};

use super::figure_9::ABSORBED;
use super::gated_mixture::{
    BOTH, DIAGONAL, FULL, GRAY, MATRICES, Mixed, NARROW, NUMBERS, PROMPTS, QUERY, RICH, TRANSFORMER, mixed,
};
use super::independent_runs::{EXPERTS, Scores, average};
use crate::vocabulary::EXACT;

const PROTOCOL: &[&str] =
    &["three memformer heads of four layers, each trained on its component; gates fitted on prompts of the mixture"];
const CHOICES: &[&str] = &[
    "heads are trained alone; tests are on prompts that no gate has seen",
    "both readings of the mixture: a component for each prompt, or for each token",
    "Γ_j of a head as (3.4) prints it, the numbers of all examples taken as one beside that of the query; A first, as a linear transformer, then Γ, as Appendix D has it",
];
/// Heads that were trained otherwise.
const INSIDE: &str = "shown beside: heads of one number for all tokens, A trained inside of (3.4)";

/// The gray line: gates only.
pub const GATES_ONLY: Check = Check {
    claim: "memformer/fig-10-gray",
    metric: "log10 of the mean squared error on fresh prompts after four layers, paired over runs",
    against: "a gray line that is as good as the transformer",
    protocol: PROTOCOL,
    choices: CHOICES,
    departures: &[EXPERTS, INSIDE],
    rivals: &[
        "the single head that is best on the same prompts, with the gate that is best for it",
        "the transformer of Figure 9 with the best gates",
    ],
    run: gates_only,
    ..Check::DEFAULT
};

fn gates_only(s: &Sheet) -> Done {
    let seen = mixed(s)?;
    let [printed, shown, twin] =
        [s.printed(Margin::ZERO), s.aside(Margin::ZERO), s.twin(Margin::ZERO)].map(|says| says.of("runs"));
    for (of, reading) in READINGS.into_iter().zip(&seen.readings) {
        let gray = &reading.row.log_of_mean;
        let than = |scores: &Scores| paired_difference(gray, &scores.log_of_mean);
        let label = format!("{of}: gray minus transformer (Fig. 9), decades");
        printed.at_least(label, than(&reading.scores[TRANSFORMER])?);
        // The document does not say that three heads are better than one.
        let label = format!("{of}: learned gates minus best single head with its best gate, decades");
        shown.at_most(label, than(&reading.row_single)?);
        let label =
            format!("{of}, gates left at one third: they minus the best single head with its best gate, decades");
        let even = paired_difference(&reading.row_even.log_of_mean, &reading.row_single.log_of_mean)?;
        twin.at_most(label, even);
        let inside = paired_difference(&reading.scores[GRAY].log_of_mean, &reading.scores[TRANSFORMER].log_of_mean)?;
        shown.at_least(format!("{of}, A trained inside of (3.4): gray minus transformer, decades"), inside);
    }
    Ok(())
}

/// The readings of the mixture, as findings name them.
const READINGS: [&str; 2] = ["by prompt", "by token"];

/// The black line: Gamma as well.
pub const GAMMA_TOO: Check = Check {
    claim: "memformer/fig-10-black",
    metric: "log10 of the mean squared error on fresh prompts after four layers, paired over runs; numbers of A that changed",
    against: "a black line that stays above the transformer of Figure 9, or that is no better than gray; a main parameter that moved",
    protocol: PROTOCOL,
    choices: &[
        CHOICES[0],
        CHOICES[1],
        CHOICES[2],
        "by prompt is judged, as the components of Theorem 4.1; by token is shown",
        "the budget is not said: 500 and 2000 prompts, of which the most decide, and a fit until a step gains a thousandth or less",
        "Γ as printed: in each head and layer a number that all examples share, and one for the query",
        "matrices Γ: in each head and layer one for the examples, and one for the query",
    ],
    departures: &[EXPERTS, INSIDE],
    rivals: &["the transformer of Figure 9 with the best gates on the same 2000 prompts; gates alone"],
    run: gamma_too,
    ..Check::DEFAULT
};

fn gamma_too(s: &Sheet) -> Done {
    let seen = mixed(s)?;
    let (printed, twin, shown) = (s.printed(Margin::ZERO), s.twin(Margin::ZERO), s.aside(Margin::ZERO));
    for (reading, of) in READINGS.into_iter().enumerate() {
        let label = |black: &str| format!("{of}: transformer minus black ({black}), decades");
        // "Can be overcome" asks for one case, and Theorem 4.1 has a component for each prompt.
        let says = if reading == 0 { printed } else { shown };
        ahead(says, &label("Γ as printed"), &seen, reading, (RICH, NUMBERS))?;
        ahead(shown, &label("matrices Γ"), &seen, reading, (RICH, MATRICES))?;
        for (says, name, model) in [(says, "Γ as printed", NUMBERS), (shown, "matrices Γ", MATRICES)] {
            let gray = &seen.readings[reading].row.log_of_mean;
            let gap = paired_difference(gray, &seen.readings[reading].scores[model].log_of_mean)?;
            says.of("runs").at_least(format!("{of}: gray minus black ({name}), decades"), gap);
        }
        let label = format!("{of}, matrices Γ trained on one component: transformer minus black, decades");
        ahead(twin, &label, &seen, reading, (RICH, NARROW))?;
    }
    for (reading, of) in READINGS.into_iter().enumerate() {
        for (name, model) in [
            ("the query's Γ alone", QUERY),
            ("matrices Γ, then the query's", BOTH),
            ("matrices Γ, one for examples and query", FULL),
            ("diagonals Γ, one for examples and query", DIAGONAL),
        ] {
            let label = format!("{of}, A trained inside of (3.4): transformer minus black ({name}), decades");
            ahead(shown, &label, &seen, reading, (RICH, model))?;
        }
        let reading = &seen.readings[reading];
        if s.scale().pick(false, true) {
            let label = format!("{of}: transformer minus black (diagonals Γ), decades");
            let gap = paired_difference(&reading.scores[RICH].log_of_mean, &reading.diagonals.log_of_mean)?;
            shown.of("runs").at_least(label, gap);
        }
    }
    let [fixed, free] = &seen.moved;
    for moved in fixed {
        s.printed(EXACT).of("entries").never("entries of A that changed at test time", *moved);
    }
    for moved in free {
        s.twin(EXACT).of("entries").never("everything free: entries of A that changed", *moved);
    }
    for off in s.each("errors", &seen.untrained) {
        let label = "all of Γ, before it is trained, against the gated memformer: relative change of a squared error";
        s.support(ABSORBED).same(label, *off);
    }
    s.figure(by_budget(&seen));
    Ok(())
}

/// States that on a reading of the mixture the second model is ahead of the first.
fn ahead(says: Says, label: &str, seen: &Mixed, reading: usize, models: (usize, usize)) -> Done {
    let of = |model: usize| &seen.readings[reading].scores[model].log_of_mean;
    says.of("runs").at_least(label, paired_difference(of(models.0), of(models.1))?);
    Ok(())
}

fn by_budget(seen: &Mixed) -> Figure {
    let x = PROMPTS.map(|n| n as f64);
    let mut figure =
        Figure::new("By prompt, Γ tuned at test time passes the transformer; by token it draws level").columns(2);
    for (title, reading) in ["components by prompt", "components by token"].iter().zip(&seen.readings) {
        let mut panel = Panel::new(title).log_x();
        for (k, (name, of)) in ["Γ as printed", "matrices Γ"].iter().zip(&reading.budgets).enumerate() {
            let line: Vec<f64> = of.iter().map(|v| average(v)).collect();
            panel = panel.line(name, &x, &line).colour(DIAGONAL + k);
        }
        let ends = [x[0], x[x.len() - 1]];
        for (name, scores, colour) in
            [("gates only (gray)", &reading.row, GRAY), ("transformer, gates", &reading.scores[RICH], TRANSFORMER)]
        {
            panel = panel.line(name, &ends, &[scores.value(), scores.value()]).colour(colour);
        }
        panel = panel.x_label("prompts at test time").y_label("log₁₀ error");
        figure = figure.panel(panel.legend_below());
    }
    figure.caption("Fresh prompts after four layers, means over runs. The entries of Γ for examples and query are trained together.")
}
