//! Figures 8, right, and 9: three schemes along d with infinite data, simulated and in exact expectation.

use std::sync::Arc;

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream};
use workbench_ledger::{Failure, Setting, Sourced};
use workbench_memory::{ErrorCurve, Errors, Samples, Scheme, Zipf, power_law};

use super::error_curves::Curves;
use super::exponents::{floats, target};
use super::scaling_curves::{draws, top_eighth};

/// Names of the three schemes, in the order of the caption.
pub const NAMES: [&str; 3] = ["q₀", "q₁", "top d/8"];
/// Position of equal weights (blue).
pub const BLUE: usize = 0;
/// Position of weights by frequency (orange).
pub const ORANGE: usize = 1;
/// Position of equal weights on the top d/8 (green).
pub const GREEN: usize = 2;

/// The sweep's columns of their errors.
const COLUMNS: [&str; 3] = ["error_equal", "error_by_frequency", "error_top_eighth"];

/// The three schemes, in the order of their names.
///
/// # Errors
/// None with these numbers.
pub fn schemes() -> Result<[Scheme; 3], Failure> {
    Ok([Scheme::uniform(), Scheme::power(1.0)?, top_eighth()?])
}

const ALPHA: f64 = 2.0;
const DIMS: [usize; 17] = [8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024, 1448, 2048];

/// A figure: alpha = 2, M = 5, infinite data, 100 runs.
#[derive(Clone, Copy, Debug)]
pub struct ThreeSchemes {
    /// Inputs N.
    pub inputs: usize,
    /// Dimensions.
    pub dims: &'static [usize],
    /// The name of its random stream.
    stream: &'static str,
}

/// Figure 8, right.
pub const FIGURE_8: ThreeSchemes = ThreeSchemes { inputs: 100, dims: &DIMS, stream: "figure 8, right" };
/// Figure 9.
pub const FIGURE_9: ThreeSchemes = ThreeSchemes { inputs: 1000, dims: DIMS.split_at(15).0, stream: "figure 9" };

impl ThreeSchemes {
    /// The law of the inputs.
    ///
    /// # Errors
    /// None with these numbers.
    pub fn law(&self) -> Result<Zipf, Failure> {
        Ok(Zipf::new(ALPHA, self.inputs)?)
    }

    /// Simulated errors, run by run.
    ///
    /// # Errors
    /// Sizes that the experiment refuses.
    pub fn simulated(&self, setting: &Setting) -> Result<Arc<Sourced<Errors>>, Failure> {
        let curves = Curves {
            inputs: self.inputs,
            alpha: ALPHA,
            schemes: COLUMNS.into_iter().zip(schemes()?).collect(),
            dims: self.dims.to_vec(),
            samples: vec![Samples::Population],
            runs: 100,
            stream: self.stream,
        };
        curves.errors(setting, &format!("simulated, {self:?}"))
    }

    /// Exact expectation of the error of one scheme along d.
    ///
    /// # Errors
    /// As the curve's.
    pub fn of(&self, setting: &Setting, scheme: &Scheme) -> Result<ErrorCurve, Failure> {
        Ok(draws(setting)?.curve(&self.law()?, &target()?, scheme, self.dims)?)
    }

    /// Exact expectations of the three schemes.
    ///
    /// # Errors
    /// As the curves'.
    pub fn exact(&self, setting: &Setting) -> Result<Arc<Vec<ErrorCurve>>, Failure> {
        setting
            .shared(&format!("exact, {self:?}"), |own| schemes()?.iter().map(|scheme| self.of(own, scheme)).collect())
    }

    /// Simulated means as dots, exact expectations as lines, both dashed laws of Figure 9.
    ///
    /// # Errors
    /// As the curves'.
    pub fn figure(&self, setting: &Setting, title: &str) -> Result<Figure, Failure> {
        let (runs, exact) = (self.simulated(setting)?, self.exact(setting)?);
        let mut panel = Panel::new(&format!("N = {}, T = ∞", self.inputs))
            .x_label("d")
            .y_label("error")
            .log_x()
            .log_y()
            .y_limits(1e-4, 1.0);
        for (k, (name, scheme)) in NAMES.iter().zip(&schemes()?).enumerate() {
            let seen = runs.value.over_dims(scheme, Samples::Population)?;
            let dots: Vec<f64> = seen.means().iter().map(|e| if *e > 1e-4 { *e } else { f64::NAN }).collect();
            panel = panel
                .line(&format!("{name}, exact"), exact[k].x(), &exact[k].means())
                .colour(k)
                .points(&format!("{name}, 100 runs"), seen.x(), &dots)
                .colour(k);
        }
        let x = floats(self.dims);
        let panel = panel
            .theory("0.35 d^{−1/4}", &x, &power_law(&x, 0.35, -0.25))
            .colour(ORANGE)
            .theory("3.5 / d", &x, &power_law(&x, 3.5, -1.0))
            .colour(GREEN)
            .vline("d = N", self.inputs as f64);
        Ok(Figure::new(title)
            .panel(panel.legend_below())
            .size(760, 560)
            .caption(
                "Dots: means of 100 simulated memories above 10^{−4}. Where errors are rarer than one run in a hundred the mean of the runs \
                 scatters around its expectation. Dashed: the curves printed with Figure 9.",
            ))
    }
}

/// Exponent of a scheme on a window, of the exact expectation.
///
/// # Errors
/// An empty window.
pub fn exponent(curve: &ErrorCurve, window: (f64, f64), boot: &mut Stream) -> Result<Estimate, Failure> {
    Ok(curve.between(window.0, window.1)?.slope(boot)?)
}

/// The point of a curve whose interval reaches lowest.
///
/// # Errors
/// A curve without points, fewer than two units.
pub fn lowest(curve: &ErrorCurve) -> Result<Estimate, Failure> {
    let points = (0..curve.x().len()).map(|i| curve.at(i)).collect::<Result<Vec<Estimate>, _>>()?;
    points.into_iter().min_by(|a, b| a.low.total_cmp(&b.low)).ok_or_else(|| "a curve without points".into())
}
