//! Probability of leaving the top P: B.3, finite data.
//!
//! **Claim** (`heavy-tailed/b3-top-P-bound`). P(x not in top_P) <= sum over A of exp(-T KL(a||p)), with A the templates that rank x outside
//! the top P, and as a consequence <= sup exp(-T KL(a||p)) + N ln(T+1).
//!
//! All three members come from listing every template, with either rule for ties. Refuted by a member above the next; the last one, with the
//! logarithm outside the exponential, is said to be a consequence of the sum before it. On the probability alone it is a bound, above one.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memory::{LeavingTop, TieBreak, Zipf, leaving_top};

use super::exponents::ONE;

/// Three members, listed.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/b3-top-P-bound",
    metric: "problems in which a member is above the next",
    against: "one such problem",
    choices: &["every template with N ≤ 5 and T up to 15, all x ≤ P < N, ties kept either way"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint("N ln(T+1) belongs inside the exponential; outside, the bound on the probability is true and above one, and does not follow from the sum");
    let (printed, changed, twin) = (s.printed(Margin::ZERO), s.changed(Margin::ZERO), s.twin(Margin::ZERO));
    let mut over_printed = 0.0f64;
    for n in 2..=5 {
        for alpha in [1.1, 2.0] {
            let p = Zipf::new(alpha, n)?.probabilities(n);
            for t in [1, 3, 6, 10, 15] {
                for ties in [TieBreak::Frequent, TieBreak::Rare] {
                    let all = (1..n).flat_map(|top| (1..=top).map(move |rank| (top, rank)));
                    for (top, rank) in s.each("problems", all) {
                        let out = leaving_top(&p, t, rank, top, ties)?;
                        let (sum, last) = (out.ln_type_sum, out.bound_printed());
                        printed.never("N ln(T+1) outside: sums above the last member", sum.exp() > last);
                        let label = "probabilities above the sum over templates";
                        printed.never(label, out.ln_probability > sum + 1e-12);
                        s.support(Margin::ZERO)
                            .never("probabilities above the last member", out.ln_probability.exp() > last);
                        let label = "N ln(T+1) inside: sums above sup exp(−T KL + N ln(T+1))";
                        changed.never(label, sum > out.ln_bound());
                        let label = "as printed it says nothing: smallest value of the last member";
                        s.aside(ONE).at_least(label, last);
                        twin.never("sup exp(−T KL) alone: sums above it", sum > out.ln_largest + 1e-12);
                        over_printed = over_printed.max(sum.exp() / last);
                    }
                }
            }
        }
    }
    s.note(format!(
        "the sum exceeds the printed last member up to {over_printed:.1} times; the printed bound on the probability itself is true and empty"
    ));
    along_t(s)
}

/// The members along T for N = 3, alpha = 2, x = P = 1.
fn along_t(s: &Sheet) -> Done {
    let p = Zipf::new(2.0, 3)?.probabilities(3);
    let (mut sizes, mut members) = (Vec::new(), Vec::new());
    for t in (10..=300).step_by(10) {
        let out = leaving_top(&p, t, 1, 1, TieBreak::Rare)?;
        if t == 300 {
            let label = "logarithm of the mended bound at N = 3, P = 1, T = 300";
            s.changed(Margin::ZERO).at_most(label, out.ln_bound());
        }
        sizes.push(t as f64);
        members.push(out);
    }
    let ten = |of: fn(&LeavingTop) -> f64| -> Vec<f64> {
        members.iter().map(|out| of(out) / std::f64::consts::LN_10).collect()
    };
    let panel = Panel::new("N = 3, α = 2, x = P = 1")
        .x_label("T")
        .y_label("log₁₀ of the probability or bound")
        .line("P(x ∉ top P), exact", &sizes, &ten(|out| out.ln_probability))
        .line("sum over templates", &sizes, &ten(|out| out.ln_type_sum))
        .theory("(T+1)^{N} sup e^{−T KL}", &sizes, &ten(LeavingTop::ln_bound))
        .hline("a probability of one", 0.0);
    s.figure(Figure::new("The method of types bounds the chance to leave the top P").panel(panel).caption(
        "With N ln(T+1) inside the exponential the bound says something once T is large enough. Outside, it would lie above the line of one \
         for every T.",
    ));
    Ok(())
}
