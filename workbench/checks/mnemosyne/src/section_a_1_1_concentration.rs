//! A.1.1, after the first display: stronger concentration.
//!
//! **Claim** (`mnemosyne/favor-plus-plus-concentration`). Boundedness leads to stronger concentration results, beyond the second moment.
//!
//! The k-th moment of a term over the k-th power of the kernel is exp(k (k - 1) v / 2) for FAVOR+, so that (1/k) ln E X^k has no bound; for
//! FAVOR++ it cannot pass ln of the bound of a term, at any rho. That is what concentration results need, and it is asked at four
//! parameters. Beyond it moments of order 2 to 12 and exact tails for N = 3 are compared at the parameter that minimises the second
//! moment, as the document recommends; both terms have the same mean, so their tails must cross, and may do so once. What would count
//! against the claim: a rate above the bound; a moment that is not smaller; a second crossing. What a memory uses is a mean of terms, so
//! the part of draws in which a mean of sixteen is far from the kernel is compared too. Hyperbolic features are the other map without a
//! bound. Their pairs have no bounded rate either, but for short v they take most of the error away, so that low orders are compared with
//! them from v = 1 on, at the same number of features. That low moments are smaller at *every* rho, or for *every* v than those of
//! hyperbolic features, and that a single term has the lighter tail from *every* threshold on, would be too much to say: all are twins.

use ndarray::{Array1, s};
use workbench_display::{Figure, Panel};
use workbench_features::moments::{log_relative_term_bound, log_relative_term_moment};
use workbench_features::{Draws, FeatureMap, MapKind, best_a_hat_for_pair, printed_a_hat};
use workbench_ground::stats::{Estimate, integrate_between, normal_cdf, paired_difference};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{EXACT, Largest, Least, largest_of};

const EVEN: Margin = Margin::new("even", 1.0, "a moment that is as large shows no stronger concentration");
const HEAVIER: Margin = Margin::new("heavier", 1.1, "a tenth more of the tail, far above what quadrature leaves");

/// Dimension of the tails; with three the radial part is elementary.
const DIM: usize = 3;
/// The order at which rates are read.
const FAR: u32 = 4000;
/// $\ln c$ at which the two tails are compared in a finding; the grid has steps of a tenth.
const AT: usize = 23;
/// The same below the crossing, at about 5.
const BEFORE: usize = 15;
/// Terms of the mean whose concentration is sampled: features of each map.
const TERMS: usize = 16;
/// Least v at which low orders are compared with hyperbolic features.
const LONG: f64 = 1.0;
/// The case at which they are not smaller, as N and v.
const SHORT: (usize, f64) = (1, 0.1);
/// Parts of the kernel by which a mean may be off.
const OFF: [f64; 4] = [0.2, 0.5, 1.0, 2.0];

/// Moments and tails.
#[derive(Clone, Debug)]
pub struct Concentration {
    /// Dimension N and v at which moments of order 2 to 12 are compared.
    pub cases: Vec<(usize, f64)>,
    /// v of the tails and rates.
    pub v: f64,
    /// Values of ρ at which the rate is compared with the bound, besides the best.
    pub rhos: Vec<f64>,
}

impl Default for Concentration {
    fn default() -> Concentration {
        Concentration {
            cases: vec![(1, 0.1), (3, 1.0), (3, 4.0), (16, 2.0), (64, 0.5), (64, 20.0)],
            v: 4.0,
            rhos: vec![0.05, 0.5, 0.95],
        }
    }
}

fn best(dim: usize, v: f64) -> Result<MapKind, Failure> {
    Ok(MapKind::FavorPlusPlus { a_hat: best_a_hat_for_pair(dim, v)? })
}

fn log_moments(kind: MapKind, dim: usize, v: f64) -> Result<Vec<f64>, Failure> {
    let of = |k| log_relative_term_moment(kind, k, dim, v);
    Ok((1..=12).map(of).collect::<Result<Vec<f64>, _>>()?)
}

/// Central moments of order 3, as an absolute value, and 4 of the estimate with two features, over powers of the kernel: the mean of two
/// terms, or one mirrored pair.
fn central_of_two_features(kind: MapKind, dim: usize, v: f64) -> Result<[f64; 2], Failure> {
    let m: Vec<f64> = log_moments(kind, dim, v)?.iter().map(|log| log.exp()).collect();
    let second = m[1] - 1.0;
    let third = m[2] - 3.0 * m[1] + 2.0;
    let fourth = m[3] - 4.0 * m[2] + 6.0 * m[1] - 3.0;
    Ok(match kind.is_hyperbolic() {
        true => [third.abs(), fourth],
        false => [0.25 * third.abs(), 0.125 * (fourth + 3.0 * second * second)],
    })
}

/// The same of FAVOR++ at its best parameter over that of hyperbolic features.
fn central_over_hyperbolic(dim: usize, v: f64) -> Result<[f64; 2], Failure> {
    let bounded = central_of_two_features(best(dim, v)?, dim, v)?;
    let pair = central_of_two_features(MapKind::Hyperbolic, dim, v)?;
    Ok([bounded[0] / pair[0], bounded[1] / pair[1]])
}

/// $P(X>cK)$ for FAVOR++ in three dimensions: given the part g of the projection along x + y, the rest of its squared length is
/// chi-squared with two degrees of freedom.
fn bounded_tail(a: f64, v: f64, log_c: f64) -> Result<f64, Failure> {
    let b = ((1.0 + 4.0 * a) * v).sqrt();
    let top = 1.5 * (1.0 + 4.0 * a).ln() - 0.5 * v - log_c;
    let density = move |g: f64| {
        let room = top + b * g - 2.0 * a * g * g;
        let normal = (-0.5 * g * g).exp() / (2.0 * std::f64::consts::PI).sqrt();
        if room > 0.0 { -(-0.25 * room / a).exp_m1() * normal } else { 0.0 }
    };
    let reach = largest_of([b * b + 8.0 * a * top, 0.0]).sqrt();
    if reach == 0.0 {
        return Ok(0.0);
    }
    let points = [b - reach, b, b + reach].map(|x| x / (4.0 * a));
    Ok(integrate_between(&density, &points, 1e-10)?.value)
}

/// Tails $P(X>cK)$ of FAVOR+ and of FAVOR++ over $\ln c$.
struct Tails {
    log_c: Vec<f64>,
    plain: Vec<f64>,
    bounded: Vec<f64>,
}

impl Tails {
    fn new(a_hat: f64, v: f64) -> Result<Tails, Failure> {
        let log_c: Vec<f64> = (1..=60).map(|i| 0.1 * f64::from(i)).collect();
        let plain = log_c.iter().map(|c| 1.0 - normal_cdf((c + 0.5 * v) / v.sqrt())).collect();
        let bounded = log_c.iter().map(|c| bounded_tail(a_hat, v, *c)).collect::<Result<_, _>>()?;
        Ok(Tails { log_c, plain, bounded })
    }

    fn lighter(&self) -> Vec<bool> {
        self.plain.iter().zip(&self.bounded).map(|(plain, bounded)| bounded < plain).collect()
    }

    /// Where FAVOR++ begins to have the lighter tail, as c.
    fn crossing(&self) -> f64 {
        let first = self.lighter().iter().position(|lighter| *lighter);
        self.log_c[first.unwrap_or(0)].exp()
    }

    /// How many points lie below the bound.
    fn reach(&self) -> usize {
        self.bounded.iter().take_while(|tail| **tail > 0.0).count()
    }

    fn crossings(&self) -> usize {
        self.lighter().windows(2).filter(|pair| pair[0] != pair[1]).count()
    }
}

impl Concentration {
    /// Least of ln of a moment of FAVOR+ minus that of FAVOR++ at its best parameter, orders 2 to 12.
    fn least_gap(&self) -> Result<f64, Failure> {
        let mut least = Least::default();
        for &(dim, v) in &self.cases {
            let plain = log_moments(MapKind::FavorPlus, dim, v)?;
            let bounded = log_moments(best(dim, v)?, dim, v)?;
            (1..12).for_each(|i| least.see(plain[i] - bounded[i]));
        }
        Ok(least.0)
    }

    /// Largest central moment of order 3 and 4 of FAVOR++ at its best parameter, over that of FAVOR+, in absolute value.
    fn central(&self) -> Result<f64, Failure> {
        let mut largest = Largest::default();
        for &(dim, v) in &self.cases {
            let of = |kind| -> Result<[f64; 2], Failure> {
                let m: Vec<f64> = log_moments(kind, dim, v)?.iter().map(|log| log.exp()).collect();
                let third = m[2] - 3.0 * m[1] + 2.0;
                Ok([third.abs(), m[3] - 4.0 * m[2] + 6.0 * m[1] - 3.0])
            };
            let (bounded, plain) = (of(best(dim, v)?)?, of(MapKind::FavorPlus)?);
            (0..2).for_each(|i| largest.see(bounded[i] / plain[i]));
        }
        Ok(largest.0)
    }

    /// Cases in which low orders are compared with hyperbolic features.
    fn long(&self) -> impl Iterator<Item = &(usize, f64)> {
        self.cases.iter().filter(|(_, v)| *v >= LONG)
    }

    /// Distances from one of the estimate with sixteen features over the kernel, on the same projections for each map; a hyperbolic one
    /// takes the first eight of them.
    fn distances(&self, setting: &Setting, kinds: &[MapKind]) -> Result<Vec<Vec<f64>>, Failure> {
        let mut stream = setting.stream("means of terms")?;
        let x = Array1::from_elem(DIM, (0.25 * self.v / DIM as f64).sqrt());
        let log_kernel = x.dot(&x);
        let mut found = vec![Vec::new(); kinds.len()];
        for _ in 0..setting.scale().pick(20_000, 200_000) {
            let draws = Draws::independent(TERMS, DIM, &mut stream)?;
            for (list, kind) in found.iter_mut().zip(kinds) {
                let drawn = draws.rows().slice(s![..kind.projections(TERMS)?, ..]);
                let map = FeatureMap::over(*kind, Draws::from_rows(drawn.to_owned())?)?;
                let estimate = map.log_kernel_estimate(&x, &x)?;
                list.push(((estimate - log_kernel).exp() - 1.0).abs());
            }
        }
        Ok(found)
    }

    fn rate(&self, kind: MapKind) -> Result<f64, Failure> {
        Ok(log_relative_term_moment(kind, FAR, DIM, self.v)? / f64::from(FAR))
    }

    /// Largest rate minus ln of the bound over the parameters, and the same with a bound that forgets $D^2$.
    fn over_bound(&self) -> Result<[f64; 2], Failure> {
        let mut a_hats = vec![best(DIM, self.v)?.a_hat()];
        for rho in &self.rhos {
            a_hats.push(printed_a_hat(*rho)?);
        }
        let mut largest = [Largest::default(); 2];
        for a_hat in a_hats {
            let rate = self.rate(MapKind::FavorPlusPlus { a_hat })?;
            let bounds = [log_relative_term_bound(a_hat, DIM, self.v)?, self.v / (8.0 * a_hat)];
            for (largest, bound) in largest.iter_mut().zip(bounds) {
                largest.see(rate - bound);
            }
        }
        Ok(largest.map(|largest| largest.0))
    }

    fn figure(&self, tails: &Tails, bound: f64) -> Result<Figure, Failure> {
        let (v, orders) = (self.v, (1..=12).map(f64::from).collect::<Vec<f64>>());
        let square: Vec<f64> = orders.iter().map(|k| k * (k - 1.0) * 0.5 * v).collect();
        let linear: Vec<f64> = orders.iter().map(|k| k * bound).collect();
        let left = Panel::new(&format!("moments, N = 3, v = {v}"))
            .x_label("order k")
            .y_label("ln E Xᵏ / Kᵏ")
            .line("FAVOR+", &orders, &log_moments(MapKind::FavorPlus, DIM, v)?)
            .colour(0)
            .theory("k(k−1) v/2", &orders, &square)
            .colour(0)
            .line("hyperbolic", &orders, &log_moments(MapKind::Hyperbolic, DIM, v)?)
            .colour(1)
            .line("FAVOR++, best ρ", &orders, &log_moments(best(DIM, v)?, DIM, v)?)
            .colour(2)
            .theory("k ln bound", &orders, &linear)
            .colour(2);
        let c: Vec<f64> = tails.log_c.iter().map(|c| c.exp()).collect();
        let right = Panel::new("tail of one term")
            .x_label("c")
            .y_label("P(X > c K)")
            .log_x()
            .log_y()
            .y_limits(1e-6, 1.0)
            .line("FAVOR+", &c, &tails.plain)
            .colour(0)
            .line("FAVOR++, best ρ", &c[..tails.reach()], &tails.bounded[..tails.reach()])
            .colour(2)
            .vline("bound", bound.exp());
        Ok(Figure::new("A bound makes high moments grow no faster than a power")
            .panel(left.legend_below())
            .panel(right.legend_below())
            .caption(
                "Left: ln of moments, quadratic in the order without a bound, at most linear with one. Right: exact tails; a term of \
                 FAVOR++ cannot exceed the upright line.",
            ))
    }
}

impl TypedCheck for Concentration {
    const CLAIM: &'static str = "mnemosyne/favor-plus-plus-concentration";
    const PLAN: Plan = Plan::new(
        "(1/k) ln of the k-th moment of a term over the kernel's k-th power; moments of order 2 to 12, and central ones of order 3 and 4; part of draws in which 16 features are off by a part of the kernel, on the same projections; exact tails for N = 3",
        "a rate above ln of the bound; a moment that is not smaller than that of FAVOR+, or from v = 1 on than that of hyperbolic features; a mean that is more often far off; tails that cross more than once",
        &[EXACT, EVEN, HEAVIER],
    )
    .protocol(&["rates at v = 4 for ρ = 0.05, 0.5, 0.95 as printed and for the best Â; moments, means and tails at the best Â"])
    .departures(&[
        "the best Â is searched for, so that nothing depends on how ρ and Â are related",
        "low orders are compared with hyperbolic features from v = 1 on; below it their mirrored pairs can be the nearer ones, as a twin shows",
        "tails of a single term are compared with FAVOR+ only, since a hyperbolic one is a mean of two",
    ])
    .rivals(&["FAVOR+ and hyperbolic FAVOR+ at the same number of features; neither has a parameter"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let tuned = best(DIM, self.v)?;
        let tails = Tails::new(tuned.a_hat(), self.v)?;
        let bound = log_relative_term_bound(tuned.a_hat(), DIM, self.v)?;
        let [over, over_wrong] = self.over_bound()?;
        let third = |kind| log_relative_term_moment(kind, 3, DIM, 0.1);
        let poor = MapKind::FavorPlusPlus { a_hat: printed_a_hat(self.rhos[0])? };
        let off = self.distances(setting, &[tuned, MapKind::FavorPlus, poor, MapKind::Hyperbolic])?;
        let beyond = |map: usize, other: usize, part: f64| -> Result<Estimate, Failure> {
            let of = |list: &[f64]| list.iter().map(|d| f64::from(u8::from(*d > part))).collect::<Vec<f64>>();
            Ok(paired_difference(&of(&off[map]), &of(&off[other]))?)
        };
        let means = |label: &str, part: f64, estimate| {
            Finding::at_most(format!("mean of 16 terms off by more than {part} K{label}"), 0.0, estimate).unit("draws")
        };
        let mut over_pairs = Largest::default();
        for (dim, v) in self.long() {
            over_pairs.see(largest_of(central_over_hyperbolic(*dim, *v)?));
        }
        let [_, short] = central_over_hyperbolic(SHORT.0, SHORT.1)?;
        let settings = self.rhos.len() as u64 + 1;
        let rate = |label: &str, over: f64| {
            Finding::at_most(label, 0.0, Estimate::exact(over)).cases(settings).unit("parameters")
        };
        let mut evidence = Evidence::of(rate(
            "FAVOR++, k = 4000: (1/k) ln E X^k minus ln of the bound, largest",
            over,
        ))
        .and(Finding::at_least(
            "FAVOR+, k = 4000: (1/k) ln E X^k minus that bound",
            0.0,
            Estimate::exact(self.rate(MapKind::FavorPlus)? - bound),
        ))
        .and(Finding::at_least(
            "hyperbolic, k = 4000: (1/k) ln E X^k minus that bound",
            0.0,
            Estimate::exact(self.rate(MapKind::Hyperbolic)? - bound),
        ))
        .and(
            Finding::at_least(
                "ln E X^k, k = 2 to 12: FAVOR+ minus FAVOR++ at its best, least",
                0.0,
                Estimate::exact(self.least_gap()?),
            )
            .cases(11 * self.cases.len() as u64)
            .unit("moments"),
        )
        .and(
            Finding::at_most(
                "central moments of order 3 and 4, FAVOR++ at its best over FAVOR+, largest",
                EVEN,
                Estimate::exact(self.central()?),
            )
            .cases(2 * self.cases.len() as u64)
            .unit("moments"),
        )
        .and(
            Finding::at_most(
                "central moments of order 3 and 4 of two features, v from 1 on, FAVOR++ at its best over hyperbolic, largest",
                EVEN,
                Estimate::exact(over_pairs.0),
            )
            .cases(2 * self.long().count() as u64)
            .unit("moments"),
        )
        .and(
            Finding::identity(
                "crossings of the two tails, 1 < c < 400, besides the one that equal means force",
                tails.crossings().abs_diff(1) as f64,
                EXACT,
            )
            .cases(tails.log_c.len() as u64)
            .unit("values of c"),
        )
        .and(Finding::at_least(
            "P(X > 11 K), FAVOR+ over FAVOR++ at its best",
            HEAVIER,
            Estimate::exact(tails.plain[AT] / largest_of([tails.bounded[AT], 1e-300])),
        ))
        .twin(rate(
            "a bound that forgets D²: (1/k) ln E X^k minus its ln, largest",
            over_wrong,
        ))
        .twin(Finding::at_least(
            "any ρ will do: third moment at ρ = 0.05, v = 0.1, ln of FAVOR+ minus FAVOR++",
            0.0,
            Estimate::exact(third(MapKind::FavorPlus)? - third(poor)?),
        ))
        .twin(means(
            ", ρ = 0.05 as printed: part of draws, minus FAVOR+",
            OFF[0],
            beyond(2, 1, OFF[0])?,
        ))
        .twin(Finding::at_most(
            "any v will do: fourth central moment of two features at v = 0.1, FAVOR++ at its best over hyperbolic",
            EVEN,
            Estimate::exact(short),
        ))
        .twin(Finding::at_least(
            "any threshold will do: P(X > 5 K) of one term, FAVOR+ over FAVOR++ at its best",
            HEAVIER,
            Estimate::exact(tails.plain[BEFORE] / largest_of([tails.bounded[BEFORE], 1e-300])),
        ))
        .note(format!(
            "N = 3, v = {}: the tail of FAVOR++ is the lighter one from c = {:.1} on",
            self.v,
            tails.crossing()
        ));
        for part in OFF {
            let label = ": part of draws, FAVOR++ at its best minus FAVOR+";
            evidence = evidence.and(means(label, part, beyond(0, 1, part)?));
            let label = ": part of draws, FAVOR++ at its best minus hyperbolic at 16 features";
            evidence = evidence.and(means(label, part, beyond(0, 3, part)?));
        }
        Ok(Checked::from(evidence).figure(self.figure(&tails, bound)?))
    }
}
