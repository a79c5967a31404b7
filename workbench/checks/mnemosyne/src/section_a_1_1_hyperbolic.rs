//! A.1.1, last paragraph: hyperbolic FAVOR++.
//!
//! **Claim** (`mnemosyne/hyperbolic-favor-plus-plus`). FAVOR++ admits a hyperbolic cosine variant, as FAVOR+ does.
//!
//! It is built by concatenation, as Eq. 10 is: entry by entry it must be FAVOR++ on the projections and their mirror images, and its
//! estimate a mean of hyperbolic cosines. So it exists, and it is unbiased by symmetry. Whether it helps is not said, and the exact variances decide: at equal r the covariance of the
//! two terms of a pair, relative to the squared kernel, is ((1 + 4 A-hat)^2 / (1 + 8 A-hat))^{N/2} e^-v - 1, which is negative for FAVOR+ at
//! every v > 0 and for A-hat > 0 only for v > (N/2) ln(1 + 16 A-hat^2 / (1 + 8 A-hat)). What would count against the claim: a bias.
//! Against the formula: one parameter and v at which the better map is not the predicted one.

use ndarray::{Array2, Axis, concatenate};
use workbench_display::{Figure, Panel};
use workbench_features::moments::log_relative_variance;
use workbench_features::{Draws, Ensemble, FeatureMap, MapKind, a_hat};
use workbench_ground::stats::{Estimate, Stream, log_mean_exp, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use super::section_a_1::{PRINTED, Times, log_bias, vector_pairs};
use crate::vocabulary::{EXACT, Largest, Least, ROUNDING, apart};

const HELPS: Margin = Margin::new("helps", 0.9, "a tenth less variance is a tenth fewer features");
const HURTS: Margin = Margin::new("hurts", 1.1, "a tenth more variance is a tenth more features");

/// Dimension N of the grid.
const DIM: usize = 16;
/// Parts of v next to the edge where the two are equal, which rounding decides.
const EDGE: f64 = 1e-6;
/// Projections of the map that is built, half its features.
const PROJECTIONS: usize = 12;

/// A grid of parameters and v, and parameters for the quadrature.
#[derive(Clone, Debug)]
pub struct HyperbolicVariant {
    /// Values of ρ.
    pub rhos: Vec<f64>,
    /// Values of v.
    pub v: Vec<f64>,
    /// Values of ρ at which the bias is integrated.
    pub integrated: Vec<f64>,
}

impl Default for HyperbolicVariant {
    fn default() -> HyperbolicVariant {
        HyperbolicVariant {
            rhos: (1..=39).map(|i| 0.025 * f64::from(i)).collect(),
            v: (0..=50).map(|i| 10f64.powf(-2.0 + 0.07 * f64::from(i))).collect(),
            integrated: vec![0.05, 0.4, 0.95],
        }
    }
}

/// Where the two terms of a pair are uncorrelated, with `half` for N/2.
fn edge(a: f64, half: f64) -> f64 {
    half * (16.0 * a * a / (1.0 + 8.0 * a)).ln_1p()
}

/// What the map that is built gave.
#[derive(Default)]
struct Built {
    entries: Largest,
    cosh: Largest,
    /// Entries against FAVOR++ on each projection twice, and with as many features as projections.
    twice: Least,
    scale: Least,
}

impl Built {
    /// The map at one parameter, and two vectors of this length.
    fn see(&mut self, stream: &mut Stream, a_hat: f64, length: f64) -> Result<(), Failure> {
        let half = Draws::block_orthogonal(PROJECTIONS, 6, stream)?;
        let map = FeatureMap::over(MapKind::HyperbolicPlusPlus { a_hat }, half.clone())?;
        let mirrored = FeatureMap::favor_plus_plus(half.with_mirror_images(), a_hat)?;
        let rows = half.rows().view();
        let twice = FeatureMap::favor_plus_plus(Draws::from_rows(concatenate![Axis(0), rows, rows])?, a_hat)?;
        let u = unit_sphere(stream, 2, 6) * length;
        let (x, y) = (u.row(0).to_owned(), u.row(1).to_owned());
        let features = map.log_features(&x)?;
        let right = mirrored.log_features(&x)?;
        self.entries.see(apart(&features, &right));
        self.twice.see(apart(&features, &twice.log_features(&x)?));
        self.scale.see(apart(&features, &(&right + 0.5 * std::f64::consts::LN_2)));
        // D^2 e^{-2 A |w|^2} cosh(B w'(x + y)), the mean over projections, in logarithms.
        let (b, s) = ((1.0 + 4.0 * a_hat).sqrt(), &x + &y);
        let term = |w: ndarray::ArrayView1<'_, f64>| {
            let t = (b * w.dot(&s)).abs();
            let log_cosh = t + (-2.0 * t).exp().ln_1p() - std::f64::consts::LN_2;
            log_cosh + 3.0 * (1.0 + 4.0 * a_hat).ln() - 2.0 * a_hat * w.dot(&w)
        };
        let terms: Vec<f64> = half.rows().rows().into_iter().map(term).collect();
        let wanted = log_mean_exp(&terms) - 0.5 * (x.dot(&x) + y.dot(&y));
        self.cosh.see((map.log_kernel_estimate(&x, &y)? - wanted).abs() / wanted.abs().max(1.0));
        Ok(())
    }
}

struct Grid {
    /// ln of the variance of the hyperbolic variant over that of FAVOR++, `(rhos, v)`.
    ratio: Array2<f64>,
    /// Points where the better map is not the predicted one; the same with N in place of N/2.
    wrong: u64,
    doubled: u64,
}

impl HyperbolicVariant {
    fn grid(&self) -> Result<Grid, Failure> {
        let mut grid = Grid { ratio: Array2::zeros((self.rhos.len(), self.v.len())), wrong: 0, doubled: 0 };
        for (i, rho) in self.rhos.iter().enumerate() {
            let a_hat = a_hat(*rho)?;
            for (j, v) in self.v.iter().enumerate() {
                let log = |kind| log_relative_variance(kind, Ensemble::Independent, 2, DIM, *v);
                let ratio = log(MapKind::HyperbolicPlusPlus { a_hat })? - log(MapKind::FavorPlusPlus { a_hat })?;
                grid.ratio[(i, j)] = ratio;
                let half = 0.5 * DIM as f64;
                if (v / edge(a_hat, half) - 1.0).abs() > EDGE {
                    grid.wrong += u64::from((ratio > 0.0) != (*v < edge(a_hat, half)));
                    grid.doubled += u64::from((ratio > 0.0) != (*v < edge(a_hat, 2.0 * half)));
                }
            }
        }
        Ok(grid)
    }

    /// Largest bias of ln of the mean, as printed and with B one percent larger, and the number of settings.
    fn bias(&self, setting: &Setting) -> Result<([f64; 2], u64), Failure> {
        let (mut printed, mut wrong, mut cases) = (Largest::default(), Largest::default(), 0);
        for (x, y) in vector_pairs(setting)?.iter().step_by(5) {
            for rho in &self.integrated {
                let kind = MapKind::HyperbolicPlusPlus { a_hat: a_hat(*rho)? };
                printed.see(log_bias(kind, (x, y), PRINTED)?.abs());
                wrong.see(log_bias(kind, (x, y), Times { b: 1.01, ..PRINTED })?.abs());
                cases += 1;
            }
        }
        Ok(([printed.0, wrong.0], cases))
    }

    fn figure(&self, ratio: &Array2<f64>) -> Result<Figure, Failure> {
        let (mut at, mut of) = (Vec::new(), Vec::new());
        for rho in &self.rhos {
            let v = edge(a_hat(*rho)?, 0.5 * DIM as f64);
            if self.v[0] < v && v < self.v[self.v.len() - 1] {
                at.push(v);
                of.push(*rho);
            }
        }
        let panel = Panel::new("N = 16, equal r")
            .x_label("v = ‖x + y‖²")
            .y_label("ρ, with Â = (1/ρ − 1)/8")
            .log_x()
            .heatmap(&(ratio / std::f64::consts::LN_10), &self.v, &self.rhos, "log₁₀ variance: hyperbolic / plain")
            .signed_colour()
            .colour_limits(-0.4, 0.4)
            .theory("v = N/2 ln(1 + 16Â²/(1+8Â))", &at, &of);
        Ok(Figure::new("The hyperbolic variant of FAVOR++ helps only beyond an edge")
            .panel(panel)
            .caption(
                "Blue: the hyperbolic variant has the lower variance; vermilion: the higher one. On the dashed line the two terms of a \
                 pair are uncorrelated.",
            ))
    }
}

impl TypedCheck for HyperbolicVariant {
    const CLAIM: &'static str = "mnemosyne/hyperbolic-favor-plus-plus";
    const PLAN: Plan = Plan::new(
        "ln of the mean of a term minus x'y, by quadrature; entries of the map that is built against FAVOR++ on mirrored projections; exact variance of the variant over that of FAVOR++ at equal r",
        "a bias; a parameter and v at which the better map is not the predicted one",
        &[ROUNDING, EXACT, HELPS, HURTS],
    )
    .protocol(&["every fifth pair of the unbiasedness check at three parameters; the map built over 12 projections in 6 dimensions at these parameters, vectors of length 0.3 and 2; variances for N = 16 over ρ and v"])
    .departures(&["ρ is read with Â = (1/ρ-1)/8; every Â occurs under the printed reading as well"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (grid, ([bias, wrong], cases)) = (self.grid()?, self.bias(setting)?);
        let (mut low, mut high) = (Least::default(), Largest::default());
        for ratio in &grid.ratio {
            low.see(ratio.exp());
            high.see(ratio.exp());
        }
        let (mut built, mut maps, mut stream) = (Built::default(), 0, setting.stream("hyperbolic FAVOR++")?);
        for rho in &self.integrated {
            for length in [0.3, 2.0] {
                built.see(&mut stream, a_hat(*rho)?, length)?;
                maps += 1;
            }
        }
        let points = grid.ratio.len() as u64;
        let entries = |label: &str, error: f64| {
            Finding::identity(label, error, ROUNDING).cases(maps * 2 * PROJECTIONS as u64).unit("features")
        };
        let integrated = |label: &str, bias| Finding::identity(label, bias, ROUNDING).cases(cases).unit("settings");
        let predicted =
            |label: &str, wrong: u64| Finding::identity(label, wrong as f64, EXACT).cases(points).unit("points");
        let evidence = Evidence::of(integrated("bias of ln of the mean, by quadrature", bias))
            .and(entries("ln of entries against FAVOR++ on mirrored projections", built.entries.0))
            .and(
                Finding::identity(
                    "ln of the estimate against ln of the mean of D² e^(−2Â|w|²) cosh, relative",
                    built.cosh.0,
                    ROUNDING,
                )
                .cases(maps)
                .unit("maps"),
            )
            .and(predicted("points where the better map is not the predicted one", grid.wrong))
            .and(
                Finding::at_most("it can help: least ratio of variances", HELPS, Estimate::exact(low.0))
                    .cases(points)
                    .unit("points"),
            )
            .and(
                Finding::at_least("it can hurt: largest ratio of variances", HURTS, Estimate::exact(high.0))
                    .cases(points)
                    .unit("points"),
            )
            .twin(integrated("B one percent larger: bias of ln of the mean, largest", wrong))
            .twin(entries("each projection twice instead of mirrored: ln of entries, least", built.twice.0))
            .twin(entries("1/√(r/2) for 1/√r: ln of entries, least", built.scale.0))
            .twin(predicted("N for N/2 in the edge: points that are not the predicted ones", grid.doubled));
        Ok(Checked::from(evidence).figure(self.figure(&grid.ratio)?))
    }
}
