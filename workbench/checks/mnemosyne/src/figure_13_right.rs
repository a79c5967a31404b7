//! Figure 13, right: numbers of random features.
//!
//! **Claim** (`mnemosyne/fig-13-right`). Numbers of random features in the hyperbolic mechanism, compared.
//!
//! The sentence names no winner. What follows from it is the document's choice, r = 16; against it: another number that ends more than a
//! tenth lower. What the kept trainings show is that the number hardly matters there: the late loss has no slope in ln r worth a tenth
//! from two features to sixty-four. Why more features should help at all is exact: the variance of the kernel estimate falls as 1/r.

use workbench_features::moments::log_relative_variance;
use workbench_features::{Ensemble, FeatureMap, MapKind};
use workbench_ground::stats::{Estimate, Stream, mean};
use workbench_ledger::{Checked, Failure, Finding, Plan, Setting, TypedCheck};

use super::section_b_1::{SIMILAR, scaled_down_beside};
use super::section_b_2_to_b_5::{
    AGAIN, DATA, OPEN, PICTURE, SCALED, all_seeds, best, figure, late, table, trend, with_again,
};
use crate::vocabulary::{Largest, ROUNDING};

/// Numbers of features, and the variants that have them.
pub const SIZES: [(f64, &str); 6] =
    [(2.0, "r-2"), (4.0, "r-4"), (8.0, "r-8"), (16.0, "k-2"), (32.0, "r-32"), (64.0, "r-64")];

const SHOWN: [(&str, &str); 6] =
    [("k-2", "r = 16"), ("r-2", "r = 2"), ("r-4", "r = 4"), ("r-8", "r = 8"), ("r-32", "r = 32"), ("r-64", "r = 64")];

/// The width of the cell.
const DIM: usize = 8;
/// $\lVert q+k\rVert^2$ of the sample.
const V: f64 = 1.0;

/// Six numbers of features.
#[derive(Clone, Debug, Default)]
pub struct Features;

fn variance(kind: MapKind, r: usize) -> Result<f64, Failure> {
    Ok(log_relative_variance(kind, Ensemble::Independent, r, DIM, V)?.exp())
}

/// The largest relative difference of $r^p\operatorname{Var}$ from its value at $r=2$.
fn law(power: f64) -> Result<f64, Failure> {
    let mut largest = Largest::default();
    let first = variance(MapKind::Hyperbolic, 2)? * 2f64.powf(power);
    for r in [2usize, 4, 8, 16, 32, 64] {
        largest.see((variance(MapKind::Hyperbolic, r)? * (r as f64).powf(power) / first - 1.0).abs());
    }
    Ok(largest.0)
}

/// Squared errors of the estimate over the exact variance of a map, all sizes together.
fn sampled(kind: MapKind, stream: &mut Stream, draws: usize) -> Result<Estimate, Failure> {
    // q = k, so that |q + k|^2 = 4 |q|^2.
    let x = ndarray::Array1::from_elem(DIM, (0.25 * V / DIM as f64).sqrt());
    let mut errors = Vec::new();
    for (r, _) in SIZES {
        let (r, exact) = (r as usize, variance(kind, r as usize)?);
        for _ in 0..draws {
            let map = FeatureMap::draw(MapKind::Hyperbolic, Ensemble::Independent, r, DIM, stream)?;
            errors.push((map.kernel_estimate(&x, &x)? / x.dot(&x).exp() - 1.0).powi(2) / exact);
        }
    }
    Ok(mean(&errors)?)
}

impl TypedCheck for Features {
    const CLAIM: &'static str = "mnemosyne/fig-13-right";
    const PLAN: Plan = Plan::new(
        "late log meta-loss, r = 16 minus the best other number, and minus r = 64; its slope in ln r, times ln 32; variance of the kernel estimate times r; sampled squared errors over the exact variance",
        "another number of features that ends more than a tenth lower; a variance that does not fall as 1/r",
        &[SIMILAR, ROUNDING, AGAIN],
    )
    .protocol(&["r = 2, 4, 8, 16, 32, 64; kernel at |q + k|^2 = 1 in 8 dimensions, independent projections", DATA])
    .departures(&[SCALED, OPEN, PICTURE, "the values of r are ours"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("features")?;
        let draws = setting.scale().pick(4_000, 40_000);
        let others = ["r-2", "r-4", "r-8", "r-32", "r-64"];
        let best = best(setting, &others, all_seeds())?;
        let slope = trend(setting, &SIZES)?;
        let rounding = |label: &str, value| Finding::identity(label, value, ROUNDING).cases(6).unit("sizes");
        let one = |label: &str, estimate| Finding::near(label, 1.0, 0.0, estimate).unit("draws");
        let no_worse = |label: &str, estimate| Finding::at_most(label, SIMILAR, estimate).unit("trainings");
        let doublings = (SIZES[SIZES.len() - 1].0 / SIZES[0].0).ln();
        let exact = vec![
            rounding("variance of the kernel estimate times r, relative difference", law(1.0)?),
            one(
                "sampled squared error over the exact variance, all sizes",
                sampled(MapKind::Hyperbolic, &mut stream, draws)?,
            ),
        ];
        let trained = vec![
            no_worse("log meta-loss, r = 16 minus the best other number, late", late(setting, "k-2", best)?),
            Finding::equals("log meta-loss, r = 16 minus r = 64, late", 0.0, SIMILAR, late(setting, "k-2", "r-64")?)
                .unit("trainings"),
            Finding::equals(
                "slope of the late log meta-loss in ln r, from r = 2 to 64 in all",
                0.0,
                SIMILAR,
                slope.affine(doublings, 0.0)?,
            )
            .unit("trainings"),
        ];
        let evidence = scaled_down_beside(exact, trained)?
            .twin(no_worse(
                "no memory in the place of r = 16: log meta-loss minus the best other number, late",
                late(setting, "no-memory", best)?,
            ))
            .twin(rounding("variance times the square of r, relative difference", law(2.0)?))
            .twin(one(
                "over the variance of FAVOR+: sampled squared error",
                sampled(MapKind::FavorPlus, &mut stream, draws)?,
            ))
            .note(format!(
                "slope of the late log meta-loss in ln r: {:.4} [{:.4}, {:.4}]; the best other number is {best}",
                slope.value, slope.low, slope.high
            ));
        let names = SHOWN.map(|(name, _)| name);
        Ok(Checked::from(with_again(setting, evidence, &names)?)
            .table(table(setting, "Numbers of features, late in training", &SHOWN)?)
            .figure(figure(setting, "Two features train as well as sixty-four", &SHOWN)?))
    }
}
