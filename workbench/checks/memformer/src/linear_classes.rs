//! Classes of methods whose prediction is linear in theta, for Theorem 5.1 and its proof (Appendix A.5).
//!
//! With y = <x(n+1), w*> and features phi the loss of a prompt is <t, g>^2, t = (1, -theta), g = (y, phi). So population and empirical risk
//! are t^T G t with G = E g g^T, which is known exactly, and its mean over N prompts: minimisers, excess risk and suprema over a box are
//! exact for every draw, and only the prompts are random.

use std::sync::Arc;

use workbench_ground::stats::{Estimate, mean, proportion};
use workbench_ledger::{Failure, Margin, Setting};
use workbench_memformer::{CurveSettings, LearningCurve, LinearClass};

use super::task_law::{DIM, EXAMPLES};

/// The probability with which a bound may fail.
pub const DELTA: Margin =
    Margin::printed("δ", 0.1, "the statement's own δ, the probability with which its bound may fail, at one value");
/// Exponents of N that count as the root.
pub const ROOT: Margin = Margin::statistical(
    "root of N",
    0.15,
    "below a sixth, so that the root is told from the third and the two-thirds power",
);

/// Coordinates of the classes of one step.
const WIDE: usize = 20;

/// A class of methods, with the box that it is learned over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One step with a diagonal preconditioner in twenty dimensions whose coordinates share so many rates; box [0, 1].
    Rates(usize),
    /// Three steps with scalar weights, d = 5; box [-6, 6].
    ThreeSteps,
    /// One step with four rates on data of signs, which are bounded; box [0, 1].
    Signs,
}

impl Class {
    /// The class, with its exact moments.
    pub fn linear(self) -> Result<LinearClass, Failure> {
        Ok(match self {
            Class::Rates(p) => LinearClass::one_step(EXAMPLES, WIDE, p)?,
            Class::ThreeSteps => LinearClass::polynomial(EXAMPLES, DIM, 3)?,
            Class::Signs => LinearClass::one_step_of_signs(EXAMPLES, 4, 4)?,
        })
    }

    /// Its name in figures.
    pub fn name(self) -> String {
        match self {
            Class::Rates(p) => format!("p = {p}"),
            Class::ThreeSteps => "3 steps, p = 3".to_string(),
            Class::Signs => "signs, p = 4".to_string(),
        }
    }

    /// The box.
    pub fn bounds(self) -> (f64, f64) {
        match self {
            Class::ThreeSteps => (-6.0, 6.0),
            _ => (0.0, 1.0),
        }
    }

    fn stream(self) -> String {
        match self {
            Class::Rates(_) => self.name(),
            Class::ThreeSteps => "three steps".to_string(),
            Class::Signs => "signs".to_string(),
        }
    }
}

/// Numbers of prompts N.
pub fn sizes(setting: &Setting) -> Vec<usize> {
    let top = setting.scale().pick(12u32, 14);
    (4..=top).map(|k| 1 << k).collect()
}

/// Independent samples of each size.
pub fn repeats(setting: &Setting) -> usize {
    setting.scale().pick(300, 500)
}

/// Learning curves of a class over so many samples, the same each time; half as many for signs, and at quick scale a third where many
/// rates average.
pub fn curve(setting: &Setting, class: Class, samples: usize) -> Result<Arc<LearningCurve>, Failure> {
    let runs = match class {
        Class::Signs => samples / 2,
        Class::Rates(8..) => samples / setting.scale().pick(3, 1),
        _ => samples,
    };
    setting.shared(&format!("learning curve, {class:?}, {runs} runs"), |own| {
        let (linear, sizes) = (class.linear()?, sizes(own));
        Ok(LearningCurve::run(
            &linear,
            CurveSettings { sizes: &sizes, runs, bounds: class.bounds() },
            own.streams(),
            &class.stream(),
        )?)
    })
}

/// The largest share of runs, over all N and p = 1 and 2, whose supremum is above the bound from the variance; `power` of N in that
/// bound, which is one half.
pub fn above_the_bound(setting: &Setting, samples: usize, power: f64) -> Result<Estimate, Failure> {
    let (mut worst, mut runs) = (0, 1);
    for class in [Class::Rates(1), Class::Rates(2)] {
        let (linear, curve, (low, high)) = (class.linear()?, curve(setting, class, samples)?, class.bounds());
        runs = curve.supremum.nrows();
        let one = linear.variance_bound(low, high, 1, DELTA.value)?;
        for (n, suprema) in curve.sizes.iter().zip(curve.supremum.columns()) {
            let bound = one / n.powf(power);
            worst = worst.max(suprema.iter().filter(|s| **s > bound).count());
        }
    }
    Ok(proportion(worst, runs)?)
}

/// Means over the rows of a table, column by column.
pub fn means(table: &ndarray::Array2<f64>) -> Result<Vec<Estimate>, Failure> {
    table.columns().into_iter().map(|c| Ok(mean(&c.to_vec())?)).collect()
}

/// Values, lower and upper ends, for error bars on a logarithmic axis.
pub fn bars(estimates: &[Estimate]) -> [Vec<f64>; 3] {
    let of = |f: fn(&Estimate) -> f64| estimates.iter().map(f).collect::<Vec<f64>>();
    [of(|e| e.value), of(|e| e.low.max(1e-6)), of(|e| e.high)]
}
