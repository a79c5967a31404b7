//! Eq. 19 and the display after it: the probability that two random directions are nearly parallel.
//!
//! **Claim** (`heavy-tailed/lemma-2-cap-formula`). For rotation-invariant X_i the pair probability is P(|<X/|X|, f_1>| >= eta), X/|X|
//! uniform on the sphere, and equals 2/Vol(S^(d-1)) int_eta^2 Vol(sqrt(1 - t^2) S^(d-2)) dt = 2 Vol(S^(d-2))/Vol(S^(d-1)) int_eta^1 (1 -
//! t^2)^((d-1)/2) dt = 2 Gamma(d/2 + 1)/(sqrt(pi) Gamma(d/2 + 1/2)) int_eta^1 (1 - t^2)^((d-1)/2) dt.
//!
//! The surface leans: its area element at height t is dt/sqrt(1 - t^2), which leaves (1 - t^2)^((d-3)/2). At eta = 0 every member must be
//! one; d = 2 gives 2/pi arccos eta and d = 3 gives 1 - eta without any integral. A member that differs counts against the display, a share
//! of drawn pairs whose interval misses counts against Eq. 19.

use ndarray::Array2;
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, normal_array2, proportion_at, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{CapChain, cap_chain, cap_probability};

use super::proof_of_lemma_3::QUADRATURE;
use super::sections_b_2_to_b_4::Cases;
use crate::vocabulary::{EXACT, Largest, ROUNDING, by_scale};

/// The members on a grid, and sampled directions.
#[derive(Clone, Debug)]
pub struct CapFormula {
    /// Dimensions of the members, from 2.
    pub dims: Vec<usize>,
    /// Draws of each kind; by scale if 0.
    pub draws: usize,
}

impl Default for CapFormula {
    fn default() -> CapFormula {
        CapFormula { dims: vec![2, 3, 5, 10, 50], draws: 0 }
    }
}

/// Dimensions in which directions are drawn.
const SAMPLED: [usize; 2] = [3, 10];

fn etas() -> Vec<f64> {
    (1..=9).map(|k| f64::from(k) / 10.0).collect()
}

/// Largest relative differences from the exact probability.
#[derive(Default)]
struct Members {
    slices: Largest,
    integral: Largest,
    gammas: Largest,
    density: Largest,
    two_more: Largest,
    one_more: Largest,
    integral_at_zero: Largest,
    density_at_zero: Largest,
    cases: usize,
}

fn members(dims: &[usize]) -> Result<Members, Failure> {
    let mut found = Members::default();
    for &d in dims {
        let [_, integral, _, density] = CapChain::at_zero(d)?;
        found.integral_at_zero.see((integral - 1.0).abs());
        found.density_at_zero.see((density - 1.0).abs());
        for eta in etas() {
            let c = cap_chain(d, eta)?;
            let off = |value: f64, right: f64| (value / right - 1.0).abs();
            found.slices.see(off(c.slices, c.exact));
            found.integral.see(off(c.integral, c.exact));
            found.gammas.see(off(c.gammas, c.exact));
            found.density.see(off(c.density, c.exact));
            found.two_more.see(off(c.gammas, cap_probability(d + 2, eta)?));
            found.one_more.see(off(c.gammas, cap_probability(d + 1, eta)?));
            found.cases += 1;
        }
    }
    Ok(found)
}

/// |<X_1, X_2>| / (|X_1| |X_2|) of rows of one array.
fn cosines(vectors: &Array2<f64>) -> Vec<f64> {
    let half = vectors.nrows() / 2;
    let pair = |i: usize| {
        let (a, b) = (vectors.row(i), vectors.row(half + i));
        a.dot(&b).abs() / (a.dot(&a) * b.dot(&b)).sqrt()
    };
    (0..half).map(pair).collect()
}

/// Shares of cosines beyond each eta, together at 99.9 %.
fn shares(cosines: &[f64]) -> Result<Vec<Estimate>, Failure> {
    let n = cosines.len();
    let all = (4 * etas().len()) as f64;
    let beyond = |eta: f64| cosines.iter().filter(|c| **c >= eta).count();
    let share = |eta: f64| Ok(proportion_at(beyond(eta), n, 1.0 - 1e-3 / all)?);
    etas().into_iter().map(share).collect()
}

#[derive(Default)]
struct Samples {
    fixed: Cases,
    pairs: Cases,
    corners: Cases,
    means: Vec<Vec<f64>>,
}

fn see(broken: &mut Cases, d: usize, shares: &[Estimate]) -> Result<(), Failure> {
    for (share, eta) in shares.iter().zip(etas()) {
        broken.see(!share.contains(cap_probability(d, eta)?));
    }
    Ok(())
}

impl CapFormula {
    fn samples(&self, setting: &Setting) -> Result<Samples, Failure> {
        let n = by_scale(self.draws, setting.scale().pick(20_000, 200_000));
        let (mut caps, mut normal) = (setting.stream("caps")?, setting.stream("pairs of vectors")?);
        let mut found = Samples::default();
        for d in SAMPLED {
            let directions = unit_sphere(&mut caps, n, d);
            let fixed = shares(&directions.column(0).mapv(f64::abs).to_vec())?;
            see(&mut found.fixed, d, &fixed)?;
            found.means.push(fixed.iter().map(|share| share.value).collect());
            let vectors = normal_array2(&mut normal, 2 * n, d);
            see(&mut found.pairs, d, &shares(&cosines(&vectors))?)?;
            see(&mut found.corners, d, &shares(&cosines(&vectors.mapv(f64::signum)))?)?;
        }
        Ok(found)
    }
}

fn figure(means: &[Vec<f64>]) -> Result<Figure, Failure> {
    let fine: Vec<f64> = (1..100).map(|k| f64::from(k) / 100.0).collect();
    let mut figure = Figure::new("The printed members miss the probability of a cap")
        .columns(2)
        .caption(
            "Dots: random directions. The printed integral starts below one; the last printed member is the law of two more dimensions.",
        );
    for (d, means) in SAMPLED.into_iter().zip(means) {
        let chains = fine.iter().map(|eta| cap_chain(d, *eta));
        let chains = chains.collect::<Result<Vec<CapChain>, _>>()?;
        let line = |of: fn(&CapChain) -> f64| chains.iter().map(of).collect::<Vec<f64>>();
        figure = figure.panel(
            Panel::new(&format!("d = {d}"))
                .x_label("η")
                .y_label("P(|⟨X, f₁⟩| ≥ η)")
                .log_y()
                .y_limits(1e-4, 1.0)
                .line("exact", &fine, &line(|c| c.exact))
                .points("sampled", &etas(), means)
                .line("last printed member", &fine, &line(|c| c.gammas))
                .line("printed integral", &fine, &line(|c| c.integral))
                .legend_below(),
        );
    }
    Ok(figure)
}

/// Incomplete beta against arccos in the plane and 1 - eta in space.
fn elementary() -> Result<f64, Failure> {
    let mut off = Largest::default();
    for eta in etas() {
        off.see((cap_probability(3, eta)? - (1.0 - eta)).abs());
        off.see((cap_probability(2, eta)? - eta.acos() * std::f64::consts::FRAC_2_PI).abs());
    }
    Ok(off.0)
}

impl TypedCheck for CapFormula {
    const CLAIM: &'static str = "heavy-tailed/lemma-2-cap-formula";
    const PLAN: Plan = Plan::new(
        "largest relative difference of a member from the probability, by the incomplete beta function; sampled shares",
        "a member that differs; a share whose interval misses the probability",
        &[QUADRATURE, ROUNDING, EXACT],
    )
    .protocol(&[
        "d = 2 to 50, eta = 0.1 to 0.9, and eta = 0; standard normal pairs and uniform directions in d = 3 and 10",
    ])
    .departures(&[
        "the upper limit 2 of the second member is read as 1: beyond it the radius is not real",
        "the intervals of all sampled shares hold together with 99.9 %",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let found = members(&self.dims)?;
        let samples = self.samples(setting)?;
        let member = |label: &str, off: Largest| {
            Finding::identity(format!("{label}: largest relative difference"), off.0, QUADRATURE)
                .cases(found.cases)
                .unit("pairs of d and η")
        };
        let at_zero = |label: &str, off: Largest| {
            Finding::identity(format!("{label} at η = 0: largest distance from one"), off.0, QUADRATURE)
                .cases(self.dims.len())
                .unit("dimensions")
        };
        let evidence = Evidence::of(member("last printed member", found.gammas))
            .and(at_zero("third printed member", found.integral_at_zero))
            .and(samples.pairs.none("Eq. 19, drawn pairs: intervals that miss the probability", "intervals"))
            .and(member("third printed member", found.integral))
            .and(member("second printed member, slices", found.slices))
            .misprint(
                "the exponent is (d - 3)/2, the constant 2 Γ(d/2)/(√π Γ((d - 1)/2)) and the upper limit 1",
                vec![
                    member("density with (d − 3)/2", found.density),
                    at_zero("density with (d − 3)/2", found.density_at_zero),
                    Finding::identity(
                        "incomplete beta against arccos (d = 2) and 1 − η (d = 3)",
                        elementary()?,
                        ROUNDING,
                    )
                    .cases(18)
                    .unit("values"),
                    member("last printed member against the probability in d + 2", found.two_more),
                    samples.fixed.none("drawn directions against f_1: intervals that miss", "intervals"),
                ],
            )
            .twin(member("last printed member against the probability in d + 1", found.one_more))
            .twin(
                samples.corners.none("corners of the cube, no rotation invariance: intervals that miss", "intervals"),
            );
        Ok(Checked::from(evidence).figure(figure(&samples.means)?))
    }
}
