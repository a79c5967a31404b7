//! B.3, finite data: the case rho in (0, 1].
//!
//! **Claim** (`heavy-tailed/b3-rho-positive`). Splitting on "x in the empirical top P/2" and "p^(x) > p(x)/2" the error is at most c_0 P^(1-alpha) +
//! (T+1)^N exp(-2^alpha T c'_alpha P^-alpha) + c_4 T^(-1+1/alpha) + sum_{x <= P/2} p(x) P(wrong | x in top_P, p^(x) > p(x)/2), which leads
//! to the scaling of Theorem 2 in d and to T^(-1+1/alpha) in T.
//!
//! Against the claim speak an error, over all data sets of a small problem, above the split or above the printed bound; a probability of
//! leaving the top P above the middle term, which is what bounds it; and an error with drawn data that has another exponent in d or T, or is
//! not of the size of the two terms.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, paired_difference, proportion};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    ConditionalDraws, DataSets, ErrorCurve, Profile, Scheme, TieBreak, Zipf, damped_mass, data_exponent,
    exchange_constant, leaves_top, leaving_bound, leaving_top, powers_of_two, projection_constant,
    stated_threshold_exponent, truncated_exponent,
};

use super::sections_b_2_to_b_4::{
    CLASSES, Cases, EXPONENT_IN_D, EXPONENT_IN_T, ONE, SUM_ROUNDING, far, floats, target, truncated,
};
use crate::vocabulary::{largest_of, least_of};

const HALF: Margin = Margin::new("half", 0.5, "the larger of two terms is at least half of their sum");
const THEIR_SUM: Margin =
    Margin::new("their sum", 1.1, "at most the sum of both terms, with a tenth for the noise of drawn data");
const NO_MATTER: Margin = Margin::new("no matter", 0.02, "a change of the error by less than a fiftieth");
const A_HUNDREDTH: Margin = Margin::new("a hundredth", 0.01, "less than a hundredth is small by any reading");

/// The split, the printed bound and both exponents, alpha = 2.
#[derive(Clone, Debug)]
pub struct BothEvents {
    /// Exponents of the scheme.
    pub rhos: Vec<f64>,
    /// Exponent of the scheme on the grid of d and T.
    pub grid_rho: f64,
    /// `(rho, T, d)` whose data sets are listed, N = 4, P = 3, alpha = 1.5.
    pub problems: Vec<(f64, usize, usize)>,
    /// Sample sizes at which the bound is asked, N = 4, P = 2, alpha = 3; at the last it is below one with either constant.
    pub bound_at: Vec<usize>,
}

impl Default for BothEvents {
    fn default() -> BothEvents {
        BothEvents {
            rhos: vec![0.25, 0.5, 1.0],
            grid_rho: 0.5,
            problems: vec![(0.25, 8, 8), (0.5, 10, 30), (1.0, 12, 100)],
            bound_at: vec![30, 45, 60],
        }
    }
}

/// What the split of x = 1 is made of.
struct Events {
    /// The error of all inputs.
    error: f64,
    /// `P(wrong)` of x = 1.
    own_error: f64,
    /// `ln P(x not in top_P)`.
    ln_out: f64,
    /// `P(wrong | x in top_P, p^ > p/2)`.
    rest: f64,
}

fn events(law: &Zipf, size: usize, top: usize, rho: f64, d: usize) -> Result<Events, Failure> {
    let p = law.probabilities(4);
    let sets = DataSets::two_classes(&p, size, &Scheme::power(rho)?.top(top)?, d)?;
    let often = 0.5 * size as f64 * p[0];
    let inside = |counts: &[usize]| !leaves_top(counts, 1, top, TieBreak::Frequent) && counts[0] as f64 > often;
    let split = sets.split(1, &|s| inside(&s.counts))?;
    Ok(Events {
        error: sets.error(),
        own_error: split.error,
        ln_out: leaving_top(&p, size, 1, top, TieBreak::Frequent)?.ln_probability,
        rest: split.error_inside,
    })
}

impl BothEvents {
    /// Error of x = 1 minus its split: leaving the top, Chernoff, and the rest; and the same without Chernoff.
    fn split(&self) -> Result<Vec<[f64; 2]>, Failure> {
        let law = Zipf::new(1.5, 4)?;
        let one = |&(rho, size, d): &(f64, usize, usize)| {
            let found = events(&law, size, 3, rho, d)?;
            let chernoff = (-(size as f64) * law.probability(1) / 8.0).exp();
            let without = found.own_error - (found.ln_out.exp() + found.rest);
            Ok([without - chernoff, without])
        };
        self.problems.iter().map(one).collect()
    }

    /// The bound with all its terms, at rho = 1/2, d = 1000, with a constant in the place of c'_alpha / c.
    fn bound(&self, constant: f64) -> Result<Vec<Bounded>, Failure> {
        let (alpha, top) = (3.0, 2usize);
        let law = Zipf::new(alpha, 4)?;
        let rate = law.constant() * constant * (0.5 * top as f64).powf(-alpha);
        let one = |&size: &usize| {
            let t = size as f64;
            let found = events(&law, size, top, 0.5, 1000)?;
            let ln_leaving = 4.0 * t.ln_1p() - t * rate;
            let others = law.tail(1) + damped_mass(&law, t / 8.0)? + law.probability(1) * found.rest;
            Ok(Bounded { error: found.error, bound: others + ln_leaving.exp(), ln_excess: found.ln_out - ln_leaving })
        };
        self.bound_at.iter().map(one).collect()
    }
}

/// The error beside its bound, and the logarithm of the probability of leaving over the middle term.
struct Bounded {
    error: f64,
    bound: f64,
    ln_excess: f64,
}

/// The scheme of Theorem 2 at its threshold.
fn scheme(rho: f64) -> Result<Scheme, Failure> {
    truncated(rho, stated_threshold_exponent(2.0, rho)?)
}

/// Slopes in d without data, and in T at d = 2^60.
struct Slopes {
    in_d: Vec<Estimate>,
    in_t: Vec<Estimate>,
    no_threshold: Estimate,
    other_law: Estimate,
}

impl BothEvents {
    fn slopes(&self, setting: &Setting, some: &ConditionalDraws) -> Result<Slopes, Failure> {
        let (law, target, dims, sizes) = (Zipf::infinite(2.0)?, target()?, far()?.0, powers_of_two(6, 16, 2)?);
        let mut boot = setting.stream("bootstrap, rho > 0")?;
        let (mut in_d, mut in_t) = (Vec::new(), Vec::new());
        for &rho in &self.rhos {
            let scheme = scheme(rho)?;
            in_d.push(some.curve(&law, &target, &scheme, &dims)?.slope(&mut boot)?);
            let data = &mut setting.stream(&format!("data, rho = {rho}"))?;
            in_t.push(some.sample_curve(&law, &target, &scheme, 1 << 60, &sizes, data)?.slope(&mut boot)?);
        }
        let plain = some.curve(&law, &target, &Scheme::power(0.5)?, &dims)?;
        let (other, data) = (Zipf::infinite(1.5)?, &mut setting.stream("data, alpha = 1.5")?);
        let other = some.sample_curve(&other, &target, &scheme(0.5)?, 1 << 60, &sizes, data)?;
        Ok(Slopes { in_d, in_t, no_threshold: plain.slope(&mut boot)?, other_law: other.slope(&mut boot)? })
    }

    fn grid(&self, setting: &Setting, some: &ConditionalDraws) -> Result<Grid, Failure> {
        let (law, target, scheme) = (Zipf::infinite(2.0)?, target()?, scheme(self.grid_rho)?);
        let (dims, sizes) = (powers_of_two(9, 30, 3)?, powers_of_two(6, 16, 2)?);
        let (mut curves, mut only_d) = (Vec::new(), Vec::new());
        for d in &dims {
            let data = &mut setting.stream(&format!("joint {d}"))?;
            curves.push(some.sample_curve(&law, &target, &scheme, *d, &sizes, data)?);
            only_d.push(some.expected_error(&Profile::population(&law, &target, &scheme, *d)?, *d)?.to_vec());
        }
        let data = &mut setting.stream("joint, T alone")?;
        let only_t = some.sample_curve(&law, &target, &scheme, 1 << 60, &sizes, data)?.means();
        // d = 512, P = 8, at the largest T: the empirical top P against the true one, on the same draws.
        let largest = curves[0].runs().column(sizes.len() - 1).to_vec();
        let change = paired_difference(&largest, &only_d[0])?;
        let means: Vec<f64> = only_d.iter().map(|draws| draws.iter().sum::<f64>() / draws.len() as f64).collect();
        Ok(Grid {
            d: floats(&dims),
            t: floats(&sizes),
            curves,
            only_t,
            change: change.affine(1.0 / means[0], 0.0)?,
            only_d: means,
        })
    }
}

/// Errors at finite d and T, and with one of them infinite.
struct Grid {
    d: Vec<f64>,
    t: Vec<f64>,
    curves: Vec<ErrorCurve>,
    only_d: Vec<f64>,
    only_t: Vec<f64>,
    change: Estimate,
}

impl Grid {
    /// Error over the sum of the errors at (d, inf) and (inf, T).
    fn shares(&self) -> Vec<f64> {
        let row = |(curve, d): (&ErrorCurve, &f64)| -> Vec<f64> {
            curve.means().iter().zip(&self.only_t).map(|(error, t)| error / (d + t)).collect()
        };
        self.curves.iter().zip(&self.only_d).flat_map(row).collect()
    }

    fn figure(&self) -> Figure {
        let mut panel = Panel::new("α = 2, ρ = 1/2").x_label("d").y_label("error").log_x().log_y();
        for (k, j) in [0usize, 2, 5].into_iter().enumerate() {
            let error: Vec<f64> = self.curves.iter().map(|curve| curve.means()[j]).collect();
            let sum: Vec<f64> = self.only_d.iter().map(|d| d + self.only_t[j]).collect();
            panel = panel
                .points(&format!("T = {}", self.t[j]), &self.d, &error)
                .colour(k)
                .theory(&format!("both terms, T = {}", self.t[j]), &self.d, &sum)
                .colour(k);
        }
        Figure::new("The sum of both terms bounds the error").panel(panel).caption(
            "Dots: exact expected error with drawn data. Dashed: the error at T = ∞ plus the error at d = ∞. Where both are of one size the \
             sum is too much: an input beyond the threshold is lost once, whether it was seen or not.",
        )
    }
}

/// Simulated frequencies of leaving the top 16 for x = 4, N = infinity, and the bound without N.
struct Leaving {
    t: Vec<f64>,
    seen: Vec<f64>,
    bound: Vec<f64>,
    crossed: Cases,
}

fn leaving(setting: &Setting) -> Result<Leaving, Failure> {
    let (law, x, top, runs) = (Zipf::infinite(2.0)?, 4usize, 16usize, 2000);
    let sizes = [40usize, 60, 100, 150, 200, 400, 800];
    let mut found = Leaving { t: floats(&sizes), seen: Vec::new(), bound: Vec::new(), crossed: Cases::default() };
    for (j, t) in sizes.into_iter().enumerate() {
        let mut out = 0usize;
        for i in 0..runs {
            let counts = law.sample_counts(t, &mut setting.streams().replicate(&format!("leaving {j}"), i)?)?;
            let own = counts.seen.iter().find(|s| s.0 == x).map_or(0, |s| s.1);
            let ahead = counts.seen.iter().filter(|s| s.0 != x && s.1 >= own).count();
            out += usize::from(own == 0 || ahead >= top);
        }
        let (share, bound) = (proportion(out, runs)?, leaving_bound(&law, x, top, t)?);
        found.seen.push(if out > 0 { share.value } else { f64::NAN });
        found.crossed.see(share.low > bound);
        found.bound.push(bound);
    }
    Ok(found)
}

impl Leaving {
    fn figure(&self) -> Figure {
        let panel = Panel::new("α = 2, N = ∞, x = 4, P = 16")
            .x_label("T")
            .y_label("P(x ∉ top P)")
            .log_x()
            .log_y()
            .y_limits(1e-6, 1.0)
            .points("simulated, 2000 data sets", &self.t, &self.seen)
            .line("bound without N", &self.t, &self.bound);
        Figure::new("A count of samples bounds the chance to leave for N = ∞ too").panel(panel).caption(
            "Frequencies are drawn where the input left at least once. The method of types has no bound here, as (T+1)^{N} is infinite.",
        )
    }
}

impl TypedCheck for BothEvents {
    const CLAIM: &'static str = "heavy-tailed/b3-rho-positive";
    const PLAN: Plan = Plan::new(
        "exponents in d and T of the expected error; error over the sum of its two terms; a probability over the term that bounds it; error over the bound",
        "a probability above its term; an error above the split or the bound; another exponent; an error that is not of the size of its two terms",
        &[
            EXPONENT_IN_D,
            EXPONENT_IN_T,
            SUM_ROUNDING,
            ONE,
            HALF,
            THEIR_SUM,
            NO_MATTER,
            A_HUNDREDTH,
        ],
    )
    .protocol(&["α = 2, N = ∞, M = 5, P = ⌈d^{1/(2ρα+1)}⌉ for the exponents"])
    .departures(&[
        "tiny N for the split and for the printed bound, which is infinite for N = ∞",
        "c_0 and c_4, which the document leaves open, are those of its steps: the mass beyond P/2 and Σ p exp(−Tp/8)",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let n = setting.scale().pick(200, 1000);
        let some = ConditionalDraws::new(CLASSES, n, &mut setting.stream("draws, rho > 0")?)?;
        let (slopes, grid) = (self.slopes(setting, &some)?, self.grid(setting, &some)?);
        let (split, leaving, shares) = (self.split()?, leaving(setting)?, grid.shares());
        let (printed, repaired) = (self.bound(exchange_constant(3.0))?, self.bound(projection_constant(3.0))?);
        let exact = |value| Estimate::exact(value);
        let over = |list: &[Bounded]| exact(largest_of(list.iter().map(|b| b.error / b.bound)));
        let excess = |list: &[Bounded]| exact(largest_of(list.iter().map(|b| b.ln_excess)));
        let of_split = |k: usize| exact(largest_of(split.iter().map(|s| s[k])));
        let mut findings = Vec::new();
        for ((rho, in_d), in_t) in self.rhos.iter().zip(&slopes.in_d).zip(&slopes.in_t) {
            let (d, t) = (-truncated_exponent(2.0, *rho)?, -data_exponent(2.0)?);
            findings.push(Finding::equals(format!("slope in d, ρ = {rho}"), d, EXPONENT_IN_D, *in_d));
            findings.push(Finding::equals(format!("slope in T, ρ = {rho}"), t, EXPONENT_IN_T, *in_t));
        }
        let pairs = |finding: Finding| finding.cases(shares.len()).unit("pairs of d and T");
        findings.push(Finding::equals(
            "slope in T, α = 3/2, ρ = 0.5",
            -data_exponent(1.5)?,
            EXPONENT_IN_T,
            slopes.other_law,
        ));
        let headline = Finding::at_most(
            "printed middle term: largest ln of the probability of leaving over it",
            0.0,
            excess(&printed),
        );
        let last = repaired.last().ok_or("no sample size")?.bound;
        let mut mended = vec![
            Finding::at_most(
                "term with (1 − 2^(−α/2))²: largest ln of the probability of leaving over it",
                0.0,
                excess(&repaired),
            ),
            Finding::at_most("error over the bound with it, all data sets, largest", ONE, over(&repaired)),
            Finding::at_most("that bound at the largest T", ONE, exact(last)),
        ];
        mended.extend(findings);
        let evidence = Evidence::of(headline)
            .and(Finding::at_most(
                "error over the printed bound, all data sets, largest",
                ONE,
                over(&printed),
            ))
            .and(Finding::at_most(
                "error of x = 1 minus its split, all data sets, worst problem",
                SUM_ROUNDING,
                of_split(0),
            ))
            .and(pairs(Finding::at_most(
                "error at (d, T) over the sum of both terms, largest",
                THEIR_SUM,
                exact(largest_of(&shares)),
            )))
            .and(pairs(Finding::at_least(
                "error at (d, T) over the sum of both terms, smallest",
                HALF,
                exact(least_of(&shares)),
            )))
            .and(leaving.crossed.none(
                "sizes T at which a simulated frequency of leaving is above the bound without N",
                "sizes",
            ))
            .and(Finding::at_most(
                "bound without N at T = 800, x = 4, P = 16",
                A_HUNDREDTH,
                exact(leaving.bound[leaving.bound.len() - 1]),
            ))
            .and(Finding::equals(
                "empirical top P minus true top P, d = 512, T = 2^16, relative",
                0.0,
                NO_MATTER,
                grid.change,
            ))
            .twin(Finding::equals(
                "no threshold, ρ = 0.5: slope in d",
                -truncated_exponent(2.0, 0.5)?,
                EXPONENT_IN_D,
                slopes.no_threshold,
            ))
            .weaker(
                "the middle term bounds the chance of leaving the top P with (1 − 2^(−α/2))², the constant of the nearest law, in place of (1 − 2^−α) α ln 2, that of the exchange; both rates stand as printed",
                mended,
            )
            .twin(Finding::at_most(
                "split without exp(−Tp/8): error of x = 1 minus the rest, worst problem",
                SUM_ROUNDING,
                of_split(1),
            ));
        Ok(Checked::from(evidence).figure(grid.figure()).figure(leaving.figure()))
    }
}
