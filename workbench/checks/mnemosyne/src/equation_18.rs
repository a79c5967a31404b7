//! Eq. 18: the terms of one feature.
//!
//! **Claim** (`mnemosyne/eq-18`). W_k = a_k b_k and Z_k = a_k c_k with a_k = D exp(-N/2) exp(B w_k'xi - A-hat |w_k|^2), and b_k, c_k the
//! same at the input and the flipped input.
//!
//! Averaged over k these must be the kernel estimates of FAVOR++, of which the factor exp(-N/2) is C|x|^2 for sign vectors. What would
//! count against it: a mean of a b that is not the estimate of the feature map.

use workbench_features::compact::Signs;
use workbench_features::{Ensemble, FeatureMap, MapKind};
use workbench_ground::stats::log_mean_exp;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use super::section_a_2::{Factor, LOGS};
use crate::vocabulary::{Largest, Least};

/// Products of Eq. 18 beside the feature map.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Length N, features r, parameter of FAVOR++.
    pub sizes: Vec<(usize, usize, f64)>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms { sizes: vec![(4, 8, 0.1), (16, 64, 1.0), (100, 256, 3.0)] }
    }
}

impl TypedCheck for Terms {
    const CLAIM: &'static str = "mnemosyne/eq-18";
    const PLAN: Plan = Plan::new(
        "ln of the mean of a b minus ln of the kernel estimate",
        "a mean of the products that is not the estimate of the feature map",
        &[LOGS],
    );

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("eq 18")?;
        let mut printed = Largest::default();
        let (mut without, mut root) = (Least::default(), Least::default());
        for &(n, r, a_hat) in &self.sizes {
            let kind = MapKind::FavorPlusPlus { a_hat };
            let map = FeatureMap::draw(kind, Ensemble::Independent, r, n, &mut stream)?;
            let x = Signs::random(n, &mut stream)?.to_array();
            let y = Signs::random(n, &mut stream)?.to_array();
            let estimate = map.log_kernel_estimate(&x, &y)?;
            let error = |form: Factor| {
                let rows = map.draws().rows();
                let products: Vec<f64> = rows.outer_iter().map(|w| form.log(w, &x) + form.log(w, &y)).collect();
                (log_mean_exp(&products) - estimate).abs()
            };
            let form = Factor::printed(n, a_hat);
            printed.see(error(form));
            without.see(error(Factor { half: 0.0, ..form }));
            let b = 1.0 + 4.0 * a_hat;
            root.see(error(Factor { b, ..form }));
        }
        let of = |label: &str, value: f64| Finding::identity(label, value, LOGS).cases(self.sizes.len() as u64);
        let evidence = Evidence::of(of("ln of the mean of a b minus ln of the kernel estimate", printed.0))
            .twin(of("without the factor exp(-N/2), least difference", without.0))
            .twin(of("B without its square root, least difference", root.0));
        Ok(evidence.into())
    }
}
