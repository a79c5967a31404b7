//! Eq. 5: the inputs seen most often become the most frequent ones.
//!
//! **Claim** (`heavy-tailed/eq-5`). phat(x)^rho on the P inputs seen most often converges to p(x)^rho on [P].
//!
//! No rule is given for equal counts. Any rule lies between two extremes, which keep the truly more frequent or the truly rarer input.
//! For small N and T every vector of counts is listed, which gives the law of the stored set exactly, and sampling must agree. Then the
//! probability that the set is [P] must come near one under both rules; a rule that keeps it away, or a law that sampled sets do not
//! follow, would count against the claim.

use std::collections::BTreeMap;

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, proportion};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{Scheme, TieBreak, Zipf, top_set_law};

use crate::vocabulary::largest_of;

const MISSES: Margin =
    Margin::new("one miss", 1.0, "of some twenty intervals at 99.9 % one may miss by chance, two hardly");
const RIGHT_SET: Margin =
    Margin::new("right set", 0.95, "a set that is wrong in more than one data set of twenty cannot be called settled");
const TIES: Margin = Margin::new("ties", 0.02, "a rule that moves one data set in fifty no longer matters");
const SETTLED: Margin =
    Margin::new("settled weight", 1e-3, "a twentieth of the least weight that is stored, p(10) = 0.02");

/// The law of the stored set, exactly for four inputs and by sampling for a hundred.
#[derive(Clone, Debug)]
pub struct TopInputs {
    /// P of four inputs.
    pub few: usize,
    /// P of a hundred inputs.
    pub many: usize,
    /// Data sets of each size on a hundred inputs.
    pub data_sets: usize,
}

impl Default for TopInputs {
    fn default() -> TopInputs {
        TopInputs { few: 2, many: 10, data_sets: 1000 }
    }
}

const RULES: [TieBreak; 2] = [TieBreak::Frequent, TieBreak::Rare];
/// Samples whose stored sets are held against the exact law.
const TINY: usize = 6;
const SIZES: [usize; 7] = [6, 12, 25, 50, 100, 200, 300];
const WIDE_SIZES: [usize; 6] = [100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];

type SetLaw = Vec<(Vec<usize>, f64)>;

struct Seen {
    /// Intervals that miss the exact law under the rule of the sample, and under the other rule; and how many there are.
    misses: [usize; 2],
    sets: usize,
    /// Probability of [P] by rule and size.
    chance: [Vec<f64>; 2],
    /// Shares of [P] of a hundred inputs by size, and the largest difference of weights at the last.
    shares: Vec<Estimate>,
    off: f64,
}

fn intervals_that_miss(law: &SetLaw, drawn: &BTreeMap<Vec<usize>, usize>, runs: usize) -> Result<usize, Failure> {
    let mut misses = 0;
    for (set, probability) in law {
        let share = proportion(drawn.get(set).copied().unwrap_or(0), runs)?;
        misses += usize::from(!share.contains(*probability));
    }
    Ok(misses)
}

impl TopInputs {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("eq 5")?;
        let (misses, sets) = self.sampled_sets(setting, &mut stream)?;
        let (shares, off) = self.wide(&mut stream)?;
        Ok(Seen { misses, sets, chance: [self.chance(RULES[0])?, self.chance(RULES[1])?], shares, off })
    }

    /// Sampled sets of both rules against the exact laws of both.
    fn sampled_sets(&self, setting: &Setting, stream: &mut Stream) -> Result<([usize; 2], usize), Failure> {
        let (law, runs) = (Zipf::new(1.0, 4)?, setting.scale().pick(20_000, 200_000));
        let exact = |ties| top_set_law(&law.probabilities(4), TINY, self.few, ties);
        let laws = [exact(RULES[0])?, exact(RULES[1])?];
        let (mut misses, mut sets) = ([0; 2], 0);
        for (own, ties) in RULES.into_iter().enumerate() {
            let scheme = Scheme::uniform().top(self.few)?.ties(ties);
            let mut drawn = BTreeMap::new();
            for _ in 0..runs {
                let entries = scheme.empirical_entries(&law.sample_counts(TINY, stream)?, 1)?;
                let mut set: Vec<usize> = entries.iter().map(|entry| entry.0).collect();
                set.sort_unstable();
                *drawn.entry(set).or_insert(0) += 1;
            }
            misses[0] += intervals_that_miss(&laws[own], &drawn, runs)?;
            misses[1] += intervals_that_miss(&laws[1 - own], &drawn, runs)?;
            sets += laws[own].len();
        }
        Ok((misses, sets))
    }

    /// The probability of [P] of four inputs, exactly, for each size.
    fn chance(&self, ties: TieBreak) -> Result<Vec<f64>, Failure> {
        let (p, right) = (Zipf::new(1.0, 4)?.probabilities(4), (1..=self.few).collect::<Vec<usize>>());
        let mut chance = Vec::new();
        for t in SIZES {
            let law = top_set_law(&p, t, self.few, ties)?;
            chance.push(law.iter().find(|entry| entry.0 == right).map_or(0.0, |entry| entry.1));
        }
        Ok(chance)
    }

    /// The share of data sets whose stored set is [P] of a hundred inputs, and how far weights are from p at the largest size.
    fn wide(&self, stream: &mut Stream) -> Result<(Vec<Estimate>, f64), Failure> {
        let (law, scheme) = (Zipf::new(1.0, 100)?, Scheme::power(1.0)?.top(self.many)?);
        let limit = scheme.population_weights(&law, 1)?;
        let (mut shares, mut off) = (Vec::new(), 0.0);
        for t in WIDE_SIZES {
            let mut hits = 0;
            off = 0.0;
            for _ in 0..self.data_sets {
                let entries = scheme.empirical_entries(&law.sample_counts(t, stream)?, 1)?;
                hits += usize::from(entries.iter().all(|entry| entry.0 <= self.many));
                for (x, weight) in entries {
                    off = largest_of([off, (weight - limit[x - 1]).abs()]);
                }
            }
            shares.push(proportion(hits, self.data_sets)?);
        }
        Ok((shares, off))
    }

    /// A wrong rule: keep the P inputs that are seen first. Arrivals of an input are exponential with rate p(x).
    fn seen_first(&self, stream: &mut Stream) -> Result<Estimate, Failure> {
        let p = Zipf::new(1.0, 100)?.probabilities(100);
        let mut hits = 0;
        for _ in 0..self.data_sets {
            let mut arrivals: Vec<(f64, usize)> =
                p.iter().zip(1..).map(|(p, x)| (-(1.0 - stream.uniform()).ln() / p, x)).collect();
            arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
            hits += usize::from(arrivals[..self.many].iter().all(|(_, x)| *x <= self.many));
        }
        Ok(proportion(hits, self.data_sets)?)
    }
}

fn figure(check: &TopInputs, seen: &Seen) -> Figure {
    let (sizes, wide) = (SIZES.map(|t| t as f64), WIDE_SIZES.map(|t| t as f64));
    let of = |part: fn(&Estimate) -> f64| seen.shares.iter().map(part).collect::<Vec<f64>>();
    let panel = |title: &str| {
        Panel::new(title)
            .x_label("samples T")
            .y_label("probability of the right set")
            .log_x()
            .y_limits(0.0, 1.05)
            .legend_below()
    };
    Figure::new("The right inputs are stored once neighbours in rank can be told apart")
        .panel(
            panel(&format!("N = 4, P = {}, exact", check.few))
                .line("ties to the frequent", &sizes, &seen.chance[0])
                .line("ties to the rare", &sizes, &seen.chance[1]),
        )
        .panel(panel(&format!("N = 100, P = {}", check.many)).error_bars(
            "share of data sets",
            &wide,
            &of(|e| e.value),
            &of(|e| e.low),
            &of(|e| e.high),
        ))
        .columns(2)
        .caption("Left: the two tie rules are the extremes of all rules; they meet. Right: bars at 99.9 %.")
}

impl TypedCheck for TopInputs {
    const CLAIM: &'static str = "heavy-tailed/eq-5";
    const PLAN: Plan = Plan::new(
        "law of the stored set, exact and sampled; probability that it is [P]; largest difference of weights",
        "sampled sets that do not follow the exact law; a probability of [P] that stays away from one under some rule for ties",
        &[MISSES, RIGHT_SET, TIES, SETTLED],
    )
    .protocol(&["N = 4, P = 2, T up to 300 exactly; N = 100, P = 10, ρ = 1, T up to 10⁷ by sampling; α = 1"])
    .departures(&["the document has no rule for equal counts: both extremes are run"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let first = self.seen_first(&mut setting.stream("eq 5, seen first")?)?;
        let missed = |label: &str, misses: usize| {
            Finding::at_most(label, MISSES, Estimate::exact(misses as f64)).cases(seen.sets).unit("sets")
        };
        let right_set = |label: &str, share: Estimate| Finding::at_least(label, RIGHT_SET, share).unit("data sets");
        let last = SIZES.len() - 1;
        let moved = |k: usize| seen.chance[0][k] - seen.chance[1][k];
        let evidence = Evidence::of(missed(
            "N = 4, T = 6, P = 2: sampled intervals that miss the exact law",
            seen.misses[0],
        ))
        .and(right_set(
            "N = 100, P = 10, T = 10⁷: share of data sets with the right set",
            seen.shares[WIDE_SIZES.len() - 1],
        ))
        .and(
            Finding::at_most("N = 100, T = 10⁷: largest difference of weights", SETTLED, Estimate::exact(seen.off))
                .cases(self.data_sets)
                .unit("data sets"),
        )
        .and(Finding::at_least(
            "N = 4, T = 300, ties to the rare: probability of the right set, exact",
            RIGHT_SET,
            Estimate::exact(seen.chance[1][last]),
        ))
        .and(Finding::at_most("N = 4, T = 300: what the rule for ties can change", TIES, Estimate::exact(moved(last))))
        .twin(missed("the law of the other rule for ties: sampled intervals that miss it", seen.misses[1]))
        .twin(right_set("the P inputs seen first are kept: share with the right set", first))
        .note(format!(
            "the rule for ties moves the probability of the right set by {:.3} at T = 6 and by {:.4} at T = 300",
            moved(0),
            moved(last)
        ));
        Ok(Checked::from(evidence).figure(figure(self, &seen)))
    }
}
