//! Eq. 9: FAVOR+, positive features.
//!
//! **Claim** (`mnemosyne/eq-9`). phi_F+(z) = Gamma(z, r) (exp(w_1'z), ..., exp(w_r'z)) with Gamma(z, r) = exp(-|z|^2 / 2) / sqrt(r) and
//! standard normal projections w_i.
//!
//! A definition is checked by what it must give: positive features, and phi(x)'phi(y) = exp(-(|x|^2 + |y|^2) / 2) times the mean of
//! exp(w_i'(x + y)), for every draw and also at lengths for which only the logarithm is a number. What would count against it: a
//! feature that is zero, a draw at which the two sides differ.

use workbench_features::{Draws, FeatureMap};
use workbench_ground::stats::{log_sum_exp, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use crate::vocabulary::{EXACT, Largest, Least, ROUNDING};

/// One draw of the projections, vectors of several lengths.
#[derive(Clone, Debug)]
pub struct PositiveFeatures {
    /// Features r.
    pub r: usize,
    /// Dimension N.
    pub dim: usize,
    /// Lengths of the vectors.
    pub norms: Vec<f64>,
}

impl Default for PositiveFeatures {
    fn default() -> PositiveFeatures {
        PositiveFeatures { r: 16, dim: 8, norms: vec![0.1, 1.0, 3.0, 10.0, 100.0, 1e6] }
    }
}

impl TypedCheck for PositiveFeatures {
    const CLAIM: &'static str = "mnemosyne/eq-9";
    const PLAN: Plan = Plan::new(
        "ln of the inner product of features minus ln of the printed sum, over the larger of 1 and the squared lengths",
        "a feature that is not positive; a draw at which the two sides differ",
        &[EXACT, ROUNDING],
    )
    .protocol(&["r = 16 as in B.1; the document gives no dimension for this statement"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("eq 9")?;
        let map = FeatureMap::favor_plus(Draws::independent(self.r, self.dim, &mut stream)?)?;
        let (mut off, mut whole, mut factor) = (Largest::default(), Least::default(), Largest::default());
        let (mut not_positive, log_r) = (0, (self.r as f64).ln());
        for norm in &self.norms {
            let pair = unit_sphere(&mut stream, 2, self.dim) * *norm;
            let (x, y) = (pair.row(0).to_owned(), pair.row(1).to_owned());
            let sum = log_sum_exp(&map.draws().rows().dot(&(&x + &y)).to_vec());
            let half = 0.5 * (x.dot(&x) + y.dot(&y));
            let estimate = map.log_kernel_estimate(&x, &y)?;
            let error = |printed: f64| (estimate - printed).abs() / half.max(1.0);
            off.see(error(sum - log_r - half));
            whole.see(error(sum - log_r - 2.0 * half));
            factor.see(error(sum - 2.0 * log_r - half));
            not_positive += map.log_features(&x)?.iter().filter(|log| !log.is_finite()).count();
        }
        let lengths = self.norms.len() as u64;
        let of = |label: &str, error: f64| Finding::identity(label, error, ROUNDING).cases(lengths).unit("lengths");
        let evidence = Evidence::of(of("ln of the inner product against ln of the sum over draws, relative", off.0))
            .and(
                Finding::identity("features that are not positive", not_positive as f64, EXACT)
                    .cases(lengths * self.r as u64)
                    .unit("features"),
            )
            .twin(of("Γ without its one half, least error", whole.0))
            .twin(of("1/r for 1/√r, largest error", factor.0));
        Ok(evidence.into())
    }
}
