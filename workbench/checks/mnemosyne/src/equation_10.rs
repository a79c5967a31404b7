//! Eq. 10: hyperbolic cosine features.
//!
//! **Claim** (`mnemosyne/eq-10`). phi_HF+(z) = Gamma(z, r) times the pairs (exp(w_i'z), exp(-w_i'z)), i = 1, ..., r/2, one after the other;
//! it is phi_F+ with the antithetic Monte Carlo trick.
//!
//! The text announces concatenation and the display prints a product sign; the reading is the announced one. Then the map must be, entry
//! by entry, FAVOR+ on the projections and their mirror images, and its estimate must be a mean of cosh w_i'(x + y). What would count
//! against it: an entry that differs, or an estimate that is not that mean.

use ndarray::{Axis, concatenate};
use workbench_features::{Draws, FeatureMap};
use workbench_ground::stats::{log_mean_exp, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use crate::vocabulary::{EXACT, Largest, Least, ROUNDING, apart};

/// One draw of the projections, vectors of several lengths.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// Projections, half the features.
    pub projections: usize,
    /// Dimension N.
    pub dim: usize,
    /// Lengths of the vectors.
    pub norms: Vec<f64>,
}

impl Default for Pairs {
    fn default() -> Pairs {
        Pairs { projections: 12, dim: 6, norms: vec![0.3, 2.0, 20.0] }
    }
}

#[derive(Default)]
struct Seen {
    entries: Largest,
    cosh: Largest,
    /// Entries against FAVOR+ on each projection twice.
    twice: Least,
    /// The product sign taken as a product: each pair multiplies to one.
    product: Least,
}

/// $\ln\cosh t$ without overflow.
fn log_cosh(t: f64) -> f64 {
    t.abs() + (-2.0 * t.abs()).exp().ln_1p() - std::f64::consts::LN_2
}

impl Pairs {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("eq 10")?;
        let half = Draws::block_orthogonal(self.projections, self.dim, &mut stream)?;
        let hyperbolic = FeatureMap::hyperbolic(half.clone())?;
        let antithetic = FeatureMap::favor_plus(half.with_mirror_images())?;
        let rows = half.rows().view();
        let twice = FeatureMap::favor_plus(Draws::from_rows(concatenate![Axis(0), rows, rows])?)?;
        let mut seen = Seen::default();
        for norm in &self.norms {
            let u = unit_sphere(&mut stream, 2, self.dim) * *norm;
            let (x, y) = (u.row(0).to_owned(), u.row(1).to_owned());
            let features = hyperbolic.log_features(&x)?;
            seen.entries.see(apart(&features, &antithetic.log_features(&x)?));
            seen.twice.see(apart(&features, &twice.log_features(&x)?));
            let logs: Vec<f64> = half.rows().dot(&(&x + &y)).iter().map(|t| log_cosh(*t)).collect();
            let norms = 0.5 * (x.dot(&x) + y.dot(&y));
            let estimate = hyperbolic.log_kernel_estimate(&x, &y)?;
            let error = |log: f64| (estimate - log).abs() / norms.max(1.0);
            seen.cosh.see(error(log_mean_exp(&logs) - norms));
            seen.product.see(error(-norms));
        }
        Ok(seen)
    }
}

impl TypedCheck for Pairs {
    const CLAIM: &'static str = "mnemosyne/eq-10";
    const PLAN: Plan = Plan::new(
        "largest difference of ln of features; ln of the estimate minus ln of the mean of cosh, over the larger of 1 and the squared lengths",
        "an entry that is not that of FAVOR+ on mirrored projections; an estimate that is not the mean of cosh",
        &[EXACT, ROUNDING],
    )
    .departures(&["the product sign is read as the concatenation that the sentence before it announces"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let lengths = self.norms.len() as u64;
        let entries = |label: &str, error: f64| {
            Finding::identity(label, error, EXACT).cases(lengths * 2 * self.projections as u64).unit("features")
        };
        let estimates =
            |label: &str, error: f64| Finding::identity(label, error, ROUNDING).cases(lengths).unit("lengths");
        let evidence = Evidence::of(entries("entries against FAVOR+ on mirrored projections", seen.entries.0))
            .and(estimates("ln of the estimate against ln of the mean of cosh, relative", seen.cosh.0))
            .twin(entries("each projection twice instead of mirrored: entries", seen.twice.0))
            .twin(estimates("∏ taken as a product: ln of the estimate, least error", seen.product.0));
        Ok(evidence.into())
    }
}
