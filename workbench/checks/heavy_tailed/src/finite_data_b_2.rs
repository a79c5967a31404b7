//! B.2, finite data, first displays: splitting the error by an event of the data.
//!
//! **Claim** (`heavy-tailed/b2-decomposition`). For any sets E_x the error is sum p(x) P(q^ not in E_x) + sum p(x) P(wrong | q^ in E_x),
//! printed as an equality. The second term is at most inf_gamma 2 d^-gamma + P(d q^^2 <= 16 c (Q^_inf + 8 c ||q^||^2/d) | E_x), hence at
//! most the same with c' ||q^||^2, c' = 16 c (1 + 8 c/d), as Q_inf <= ||q||^2.
//!
//! All data sets of small problems are listed. With two classes the error of each is a Student probability, so both sides are exact.
//! Against the claim speaks a side that differs, and a failure above its bound.

use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{ConditionalDraws, DataSet, DataSets, Profile, Scheme, Zipf, cut_level, proof_cut_level};

use super::sections_b_2_to_b_4::{Cases, SUM_ROUNDING};
use crate::vocabulary::{ROUNDING, largest_of, least_of};

const SAYS_SOMETHING: Margin =
    Margin::new("says something", 0.1, "a bound near one on a probability would say nothing");

/// Both displays on every data set of small problems.
#[derive(Clone, Debug)]
pub struct SplitByAnEvent {
    /// `(alpha, N, T)`, two classes.
    pub problems: Vec<(f64, usize, usize)>,
    /// `(rho, d)` for each problem.
    pub memories: Vec<(f64, usize)>,
    /// Dimensions of the bound, four classes, five inputs, four samples.
    pub bound_at: Vec<usize>,
}

impl Default for SplitByAnEvent {
    fn default() -> SplitByAnEvent {
        SplitByAnEvent {
            problems: vec![(1.0, 2, 6), (1.5, 3, 5), (2.0, 3, 8), (1.2, 4, 6)],
            memories: vec![(0.0, 4), (0.5, 10), (1.0, 10), (1.0, 100)],
            bound_at: vec![64, 384, 1 << 14],
        }
    }
}

#[derive(Default)]
struct Splits {
    /// |left - right| as printed, of the law of total probability, and left - P(wrong | E).
    printed: Vec<f64>,
    total: Vec<f64>,
    inside_only: Vec<f64>,
    at_most: Cases,
}

impl SplitByAnEvent {
    fn splits(&self) -> Result<Splits, Failure> {
        let mut seen = Splits::default();
        for &(alpha, n, size) in &self.problems {
            let p = Zipf::new(alpha, n)?.probabilities(n);
            for &(rho, d) in &self.memories {
                let sets = DataSets::two_classes(&p, size, &Scheme::power(rho)?, d)?;
                for rank in 1..=n {
                    for often in 1..=3usize {
                        // E_x: x was seen at least so often.
                        let split = sets.split(rank, &|s| s.counts[rank - 1] >= often)?;
                        seen.printed.push((split.printed() - split.error).abs());
                        seen.total.push((split.exact() - split.error).abs());
                        seen.inside_only.push(split.error - split.error_inside);
                        seen.at_most.see(split.error > split.printed() + 1e-14);
                    }
                }
            }
        }
        Ok(seen)
    }

    fn bounds(&self, setting: &Setting) -> Result<Bounds, Failure> {
        let p = Zipf::new(1.0, 5)?.probabilities(5);
        let four = ConditionalDraws::new(4, 200, &mut setting.stream("draws, M = 4")?)?;
        let mut seen = Bounds::default();
        for &d in &self.bound_at {
            for set in DataSets::two_classes(&p, 4, &Scheme::power(0.5)?, d)?.list() {
                for x in (0..p.len()).filter(|x| set.counts[*x] > 0) {
                    seen.pair(&four, set, x, d)?;
                }
            }
        }
        Ok(seen)
    }
}

#[derive(Default)]
struct Bounds {
    /// Lower end of the failure minus the bound; the bound itself.
    excess: Vec<f64>,
    bound: Vec<f64>,
    inside: Cases,
    /// The same with 16 c in place of c'.
    short: Cases,
    algebra: Vec<f64>,
    energy: Vec<f64>,
}

impl Bounds {
    /// A data set and an input that it shows.
    fn pair(&mut self, draws: &ConditionalDraws, set: &DataSet, x: usize, d: usize) -> Result<(), Failure> {
        let mut only_x = [0.0; 5];
        only_x[x] = 1.0;
        let profile = Profile::from_weights(&only_x, &set.weights, &[0, 1, 2, 3, 0], 4)?;
        let failure = mean(&draws.expected_error(&profile, d)?.to_vec())?;
        let (dim, q2) = (d as f64, set.weights[x].powi(2));
        let (norm, top) = (profile.total_energy(), profile.largest_energy());
        let (mut best, mut breaks, mut short) = (1.0f64, false, false);
        for gamma in (1..=60).map(|i| 0.05 * f64::from(i)) {
            let (c, whole) = (cut_level(4, dim, gamma), proof_cut_level(4, dim, gamma) * norm);
            let inside = dim * q2 <= 16.0 * c * (top + 8.0 * c * norm / dim);
            breaks |= inside && dim * q2 > whole;
            short |= inside && dim * q2 > 16.0 * c * norm;
            self.algebra.push((16.0 * c * (norm + 8.0 * c * norm / dim) / whole - 1.0).abs());
            best = least_of([best, 2.0 * dim.powf(-gamma) + f64::from(u8::from(inside))]);
        }
        self.excess.push(failure.low - best);
        self.bound.push(best);
        self.inside.see(breaks);
        self.short.see(short);
        self.energy.push(top - norm);
        Ok(())
    }
}

impl TypedCheck for SplitByAnEvent {
    const CLAIM: &'static str = "heavy-tailed/b2-decomposition";
    const PLAN: Plan = Plan::new(
        "difference of both sides over all data sets; lower end of a failure minus its bound",
        "two sides that differ; a failure above its bound",
        &[ROUNDING, SUM_ROUNDING, SAYS_SOMETHING],
    )
    .protocol(&["E_x: x was seen at least once, twice, three times"])
    .departures(&["tiny N and T, so that every data set can be listed; two classes where both sides have to be exact"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (splits, bounds) = (self.splits()?, self.bounds(setting)?);
        let (n, pairs) = (splits.at_most.count(), bounds.inside.count());
        let evidence = Evidence::of(
            Finding::identity("left minus right side, worst split", largest_of(&splits.printed), ROUNDING)
                .cases(n)
                .unit("splits"),
        )
        .and(
            Finding::at_most(
                "lower end of the failure minus the bound, worst pair",
                0.0,
                Estimate::exact(largest_of(&bounds.excess)),
            )
            .cases(pairs)
            .unit("data sets with a seen input"),
        )
        .misprint(
            "≤ in place of the second =; the equality is the law of total probability",
            vec![
                splits.at_most.none("≤: splits that break it", "splits"),
                Finding::identity("law of total probability, worst split", largest_of(&splits.total), SUM_ROUNDING)
                    .cases(n)
                    .unit("splits"),
                bounds.inside.none("first set inside the second: pairs that break it", "pairs"),
                Finding::identity(
                    "16 c (1 + 8c/d) ‖q‖² against c'‖q‖², relative",
                    largest_of(&bounds.algebra),
                    SUM_ROUNDING,
                ),
                Finding::at_most("largest Q∞ − ‖q‖²", SUM_ROUNDING, Estimate::exact(largest_of(&bounds.energy))),
                Finding::at_most("smallest bound", SAYS_SOMETHING, Estimate::exact(least_of(&bounds.bound))),
            ],
        )
        .twin(Finding::at_most(
            "the conditional error alone as a bound: largest excess of the error",
            0.0,
            Estimate::exact(largest_of(&splits.inside_only)),
        ))
        .twin(bounds.short.none("16 c in place of c': pairs that break it", "pairs"))
        .note(format!(
            "{} of the {pairs} bounds lie between 0.01 and 0.5; the others say nothing or next to nothing is lost",
            bounds.bound.iter().filter(|bound| (0.01..0.5).contains(*bound)).count()
        ));
        Ok(evidence.into())
    }
}
