//! A.1, after Eq. 10: both estimates are unbiased.
//!
//! **Claim** (`mnemosyne/rf-unbiased`). E[phi(x)'phi(y)] = exp(x'y) for FAVOR+ and for its hyperbolic variant, any N and r.
//!
//! The coordinates of a projection are independent, so the mean of a term is a product of one-dimensional integrals. The code that draws
//! the features has a test of its own: with projections around x + y and likelihood weights the weighted term has variance zero, so
//! every single draw must give the kernel. Sampling from the law itself decides nothing: a term is log-normal, its second moment lives
//! around g = 2 root v, and n draws reach root(2 ln n). What would count against the claim: a bias at any length or angle.

use workbench_display::{Figure, Panel};
use workbench_features::{Draws, FeatureMap, MapKind};
use workbench_ground::stats::{normal_array2, normal_cdf, unit_sphere};
use workbench_ledger::{Check, Checked, Evidence, Failure, Finding, Plan, Setting};

use super::section_a_1::{PRINTED, Times, log_bias, vector_pairs};
use crate::vocabulary::{Largest, Least, ROUNDING};

/// Quadrature over pairs of vectors, weighted draws, and what samples see.
#[derive(Clone, Debug)]
pub struct Unbiased {
    /// Lengths of vectors for the weighted draws.
    pub norms: Vec<f64>,
    /// Weighted draws at each length.
    pub draws: usize,
}

impl Default for Unbiased {
    fn default() -> Unbiased {
        Unbiased {
            norms: vec![0.5, 3.0, 30.0],
            draws: 1000,
        }
    }
}

impl Unbiased {
    /// Largest error of ln of a weighted term, over the larger of 1 and the squared length.
    fn weighted(&self, setting: &Setting) -> Result<f64, Failure> {
        let (streams, mut worst) = (setting.streams(), Largest::default());
        for norm in &self.norms {
            let u = unit_sphere(&mut streams.replicate("tilted", *norm as u64)?, 2, 8) * *norm;
            let (x, y) = (u.row(0).to_owned(), u.row(1).to_owned());
            let s = &x + &y;
            let rows = normal_array2(&mut streams.replicate("tilted draws", *norm as u64)?, self.draws, 8) + &s;
            let map = FeatureMap::favor_plus(Draws::from_rows(rows)?)?;
            let terms = map.log_features(&x)? + map.log_features(&y)? + (self.draws as f64).ln();
            let weights = -map.draws().rows().dot(&s) + 0.5 * s.dot(&s);
            for log in terms + weights {
                worst.see((log - x.dot(&y)).abs() / norm.max(1.0).powi(2));
            }
        }
        Ok(worst.0)
    }
}

/// Sample variances over the true one, and the part of the second moment that a sample of this size can reach.
fn sample_figure(setting: &Setting) -> Result<Figure, Failure> {
    let n = setting.scale().pick(100_000, 2_000_000);
    let levels: Vec<f64> = (1..=24).map(|i| 0.5 * f64::from(i)).collect();
    let mut panel = Panel::new(&format!("{n} draws each"))
        .x_label("v = ‖x + y‖²")
        .y_label("sample variance / true variance")
        .log_y()
        .y_limits(1e-4, 10.0);
    for sample in 0..5 {
        let mut stream = setting.streams().replicate("sample variances", sample)?;
        let g: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let ratio = |v: &f64| {
            let terms = g.iter().map(|g| (v.sqrt() * g - 0.5 * v).exp());
            let (sum, squares) = terms.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
            (squares / n as f64 - (sum / n as f64).powi(2)) / v.exp_m1()
        };
        let name = if sample == 0 { "five samples" } else { "" };
        panel = panel
            .points(name, &levels, &levels.iter().map(ratio).collect::<Vec<f64>>())
            .colour(0);
    }
    let reach = |v: &f64| normal_cdf((2.0 * (n as f64).ln()).sqrt() - 2.0 * v.sqrt());
    let reach: Vec<f64> = levels.iter().map(reach).collect();
    let panel = panel.theory("Φ(√(2 ln n) − 2√v)", &levels, &reach).hline("truth", 1.0);
    Ok(Figure::new("Sample variances of a log-normal lie").panel(panel).caption(
        "A dot is the variance of a whole sample over the exact one. For large v nearly all are far too small, and none of them says so. \
         The dashed line is the share of the second moment within reach of n draws.",
    ))
}

impl Check for Unbiased {
    const CLAIM: &'static str = "mnemosyne/rf-unbiased";
    const PLAN: Plan = Plan::new(
        "ln of the mean of a term minus x'y, by quadrature; ln of a weighted term minus x'y, over the squared length",
        "a bias at any length, angle or dimension",
        &[ROUNDING],
    )
    .protocol(&["1, 4 and 16 dimensions, lengths 0.1 to 4, random, equal and opposite vectors"])
    .departures(&["no plain sample decides: its variance is unreliable from v near 3 on, as the figure shows"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let pairs = vector_pairs(setting)?;
        let (mut plain, mut hyperbolic) = (Largest::default(), Largest::default());
        let (mut norms, mut projection) = (Least::default(), Largest::default());
        for (x, y) in &pairs {
            let bias = |kind, times| Ok::<f64, Failure>(log_bias(kind, (x, y), times)?.abs());
            plain.see(bias(MapKind::FavorPlus, PRINTED)?);
            hyperbolic.see(bias(MapKind::Hyperbolic, PRINTED)?);
            norms.see(bias(MapKind::FavorPlus, Times { c: 1.02, ..PRINTED })?);
            projection.see(bias(MapKind::Hyperbolic, Times { b: 1.01, ..PRINTED })?);
        }
        let of = |label: &str, bias: f64| {
            Finding::identity(label, bias, ROUNDING)
                .cases(pairs.len() as u64)
                .unit("pairs")
        };
        let evidence = Evidence::of(of("bias of ln of the mean, FAVOR+, by quadrature", plain.0))
            .and(of("bias of ln of the mean, hyperbolic, by quadrature", hyperbolic.0))
            .and(
                Finding::identity(
                    "ln of a weighted term minus x·y, over the squared length",
                    self.weighted(setting)?,
                    ROUNDING,
                )
                .cases((self.norms.len() * self.draws) as u64)
                .unit("draws"),
            )
            .twin(of("norm factor exp(-0.51 |z|²): bias of FAVOR+, least", norms.0))
            .twin(of(
                "projections one percent longer: bias of the hyperbolic map, largest",
                projection.0,
            ));
        Ok(Checked::from(evidence).figure(sample_figure(setting)?))
    }
}
