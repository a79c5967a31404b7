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
/// Coordinates of those on data of signs.
const SIGNS: usize = 4;

/// A class of methods, with the box that it is learned over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One step with a diagonal preconditioner in twenty dimensions whose coordinates share so many rates; box [0, 1].
    Rates(usize),
    /// Three steps with scalar weights, d = 5; box [-6, 6].
    ThreeSteps,
    /// One step with four rates on data of signs, which are bounded; box [0, 1].
    Signs,
    /// The same data with one rate or two, so few that suprema are found; box [0, 1].
    FewSigns(usize),
}

impl Class {
    /// The class, with its exact moments.
    pub fn linear(self) -> Result<LinearClass, Failure> {
        Ok(match self {
            Class::Rates(p) => LinearClass::one_step(EXAMPLES, WIDE, p)?,
            Class::ThreeSteps => LinearClass::polynomial(EXAMPLES, DIM, 3)?,
            Class::Signs => LinearClass::one_step_of_signs(EXAMPLES, SIGNS, 4)?,
            Class::FewSigns(p) => LinearClass::one_step_of_signs(EXAMPLES, SIGNS, p)?,
        })
    }

    /// Its name in figures.
    pub fn name(self) -> String {
        match self {
            Class::Rates(p) => format!("p = {p}"),
            Class::ThreeSteps => "3 steps, p = 3".to_string(),
            Class::Signs => "signs, p = 4".to_string(),
            Class::FewSigns(p) => format!("signs, p = {p}"),
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
            Class::FewSigns(_) => self.name(),
        }
    }

    /// E|g|^4 - |G|_F^2, exact: N times the mean square of what the moments of N prompts deviate.
    pub fn variance(self) -> Result<f64, Failure> {
        let linear = self.linear()?;
        let fourth = match self {
            Class::FewSigns(p) => fourth_moment_of_signs(p),
            _ => linear.fourth_moment()?,
        };
        Ok(fourth - linear.moments().iter().map(|v| v * v).sum::<f64>())
    }

    /// The bound from the variance on suprema over the box, for one prompt: tau^2 sqrt((E|g|^4 - |G|_F^2) / delta).
    pub fn bound_for_one(self) -> Result<f64, Failure> {
        let (low, high) = self.bounds();
        match self {
            Class::FewSigns(p) => {
                let reach = 1.0 + p as f64 * low.abs().max(high.abs()).powi(2);
                Ok(reach * (self.variance()? / DELTA.value).sqrt())
            }
            _ => Ok(self.linear()?.variance_bound(low, high, 1, DELTA.value)?),
        }
    }
}

/// E|g|^4 of one step on signs with p rates for so many coordinates each (1, 2 or 4), exact.
///
/// Counted from the signs of w*, with which x and q are signs as before, g = (sum_c q_c, sum_{c in P} q_c h_c), and n h is the sum over
/// examples of <x, 1> x. That is (4, 4, 4, 4) if the four signs of x are alike (probability 1/8), (2, 2, 2, 2) - 4 e_c if only c is another
/// (1/8 for each c), and 0 else (3/8): so h depends on how many examples are of each kind, and all such numbers are gone through.
fn fourth_moment_of_signs(p: usize) -> f64 {
    let (n, mut sum) = (EXAMPLES, 0.0);
    let factorial = |k: usize| (1..=k).map(|i| i as f64).product::<f64>();
    for code in 0..(n + 1).pow(4) {
        // For each coordinate the number of examples in which it alone has another sign.
        let alone = [0, 1, 2, 3].map(|c: u32| code / (n + 1).pow(c) % (n + 1));
        let others: usize = alone.iter().sum();
        if others > n {
            continue;
        }
        for alike in 0..=n - others {
            let rest = n - others - alike;
            let same = alone.iter().map(|k| factorial(*k)).product::<f64>() * factorial(alike) * factorial(rest);
            let chance = factorial(n) / same * 0.125f64.powi((others + alike) as i32) * 0.375f64.powi(rest as i32);
            let h = alone.map(|k| ((4 * alike + 2 * others) as f64 - 4.0 * k as f64) / n as f64);
            for query in 0..1u32 << SIGNS {
                let q = [0, 1, 2, 3].map(|c: u32| f64::from(query >> c & 1) * 2.0 - 1.0);
                let first: f64 = q.iter().sum();
                let feature =
                    |group: usize| -> f64 { (0..SIGNS).filter(|c| c * p / SIGNS == group).map(|c| q[c] * h[c]).sum() };
                let square = first * first + (0..p).map(|group| feature(group).powi(2)).sum::<f64>();
                sum += chance / f64::from(1u32 << SIGNS) * square * square;
            }
        }
    }
    sum
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

/// Learning curves of a class over so many samples, the same each time; half as many for signs with four rates, and at quick scale a third
/// where many rates average.
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

/// One rate and two on normal data, as in Section 3.3.
pub const NORMAL: [Class; 2] = [Class::Rates(1), Class::Rates(2)];
/// The same on signs, which are bounded, as condition (i) asks.
pub const BOUNDED: [Class; 2] = [Class::FewSigns(1), Class::FewSigns(2)];

/// The largest share of runs, over all N and two classes, whose supremum is above the bound from the variance; `power` of N in that
/// bound, which is one half.
pub fn above_the_bound(setting: &Setting, of: [Class; 2], samples: usize, power: f64) -> Result<Estimate, Failure> {
    let (mut worst, mut runs) = (0, 1);
    for class in of {
        let (one, curve) = (class.bound_for_one()?, curve(setting, class, samples)?);
        runs = curve.supremum.nrows();
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
