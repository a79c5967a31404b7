//! B.3, finite data: the probability of leaving the top P.
//!
//! **Claim** (`heavy-tailed/b3-top-P-bound`). P(x not in top_P) <= sum over A of exp(-T KL(a||p)), with A the templates that rank x outside
//! the top P, and as a consequence <= sup exp(-T KL(a||p)) + N ln(T+1).
//!
//! All three members come from listing every template, with either rule for ties. Against the claim speaks a member above the next; the
//! last one, with the logarithm outside the exponential, is to bound the sum before it.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{LeavingTop, TieBreak, Zipf, leaving_top};

use super::sections_b_2_to_b_4::{Cases, ONE};
use crate::vocabulary::{largest_of, least_of};

/// Three members, listed.
#[derive(Clone, Debug)]
pub struct LeavingTheTop {
    /// Inputs N, from 2.
    pub inputs: usize,
    /// Sample sizes.
    pub samples: Vec<usize>,
    /// Exponents of the law.
    pub alphas: Vec<f64>,
}

impl Default for LeavingTheTop {
    fn default() -> LeavingTheTop {
        LeavingTheTop { inputs: 5, samples: vec![1, 3, 6, 10, 15], alphas: vec![1.1, 2.0] }
    }
}

#[derive(Default)]
struct Members {
    first: Cases,
    outside: Cases,
    inside: Cases,
    /// The largest term alone, without the number of templates.
    alone: Cases,
    printed: Vec<f64>,
    over_printed: Vec<f64>,
}

impl Members {
    fn see(&mut self, out: &LeavingTop) {
        let sum = out.ln_type_sum;
        self.first.see(out.ln_probability > sum + 1e-12);
        self.outside.see(sum.exp() > out.bound_printed());
        self.inside.see(sum > out.ln_bound());
        self.alone.see(sum > out.ln_largest + 1e-12);
        self.printed.push(out.bound_printed());
        self.over_printed.push(sum.exp() / out.bound_printed());
    }
}

impl LeavingTheTop {
    fn members(&self) -> Result<Members, Failure> {
        let mut found = Members::default();
        for n in 2..=self.inputs {
            for alpha in &self.alphas {
                let p = Zipf::new(*alpha, n)?.probabilities(n);
                for &t in &self.samples {
                    for ties in [TieBreak::Frequent, TieBreak::Rare] {
                        for (top, rank) in (1..n).flat_map(|top| (1..=top).map(move |rank| (top, rank))) {
                            found.see(&leaving_top(&p, t, rank, top, ties)?);
                        }
                    }
                }
            }
        }
        Ok(found)
    }
}

/// The members along T for N = 3, alpha = 2, x = P = 1.
fn along() -> Result<(Vec<f64>, Vec<LeavingTop>), Failure> {
    let p = Zipf::new(2.0, 3)?.probabilities(3);
    let sizes: Vec<usize> = (10..=300).step_by(10).collect();
    let members = sizes.iter().map(|t| leaving_top(&p, *t, 1, 1, TieBreak::Rare));
    let t = sizes.iter().map(|t| *t as f64).collect();
    Ok((t, members.collect::<Result<Vec<_>, _>>()?))
}

fn figure(t: &[f64], members: &[LeavingTop]) -> Figure {
    let ten = |of: fn(&LeavingTop) -> f64| -> Vec<f64> {
        members.iter().map(|out| of(out) / std::f64::consts::LN_10).collect()
    };
    let panel = Panel::new("N = 3, α = 2, x = P = 1")
        .x_label("T")
        .y_label("log₁₀ of the probability or bound")
        .line("P(x ∉ top P), exact", t, &ten(|out| out.ln_probability))
        .line("sum over templates", t, &ten(|out| out.ln_type_sum))
        .theory("(T+1)^{N} sup e^{−T KL}", t, &ten(LeavingTop::ln_bound))
        .hline("a probability of one", 0.0);
    Figure::new("The method of types bounds the chance to leave the top P").panel(panel).caption(
        "With N ln(T+1) inside the exponential the bound says something once T is large enough. Outside, it would lie above the line of one \
         for every T.",
    )
}

impl TypedCheck for LeavingTheTop {
    const CLAIM: &'static str = "heavy-tailed/b3-top-P-bound";
    const PLAN: Plan = Plan::new(
        "problems in which a member is above the next",
        "one such problem; a last member that is never below one",
        &[ONE],
    )
    .protocol(&["every template with N ≤ 5 and T up to 15, all x ≤ P < N, ties kept either way"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let (found, (t, members)) = (self.members()?, along()?);
        let last = members.last().ok_or("no sample size")?;
        let evidence = Evidence::of(found.outside.none("N ln(T+1) outside: sums above the last member", "problems"))
            .and(found.first.none("probabilities above the sum over templates", "problems"))
            .misprint(
                "N ln(T+1) belongs inside the exponential",
                vec![
                    found.inside.none("N ln(T+1) inside: sums above sup exp(−T KL + N ln(T+1))", "problems"),
                    Finding::at_least(
                        "as printed it says nothing: smallest value of the last member",
                        ONE,
                        Estimate::exact(least_of(&found.printed)),
                    ),
                    Finding::at_most(
                        "logarithm of the mended bound at N = 3, P = 1, T = 300",
                        0.0,
                        Estimate::exact(last.ln_bound()),
                    ),
                ],
            )
            .twin(found.alone.none("sup exp(−T KL) alone: sums above it", "problems"))
            .note(format!(
                "the sum exceeds the printed last member up to {:.1} times; the printed bound on the probability itself is true and empty",
                largest_of(&found.over_printed)
            ));
        Ok(Checked::from(evidence).figure(figure(&t, &members)))
    }
}
