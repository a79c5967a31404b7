//! Known answers: the estimators of this build against values from outside, asked before anything is judged by them.
//!
//! A program that computes a Student quantile a little wrong makes every interval a little wrong, and few verdicts notice. So the numbers
//! of SciPy, NumPy, statsmodels and mpmath to which the tests of the statistics hold (`testdata/outside.py` there writes them) are asked
//! again where verdicts are made, once in a process.

use std::sync::OnceLock;

use workbench_ground::Error;
use workbench_ground::stats::{
    Estimate, Streams, bootstrap, difference, gauss_hermite, integrate, local_slopes, log_sum_exp, mean, normal_array2,
    normal_cdf, normal_quantile, paired_difference, power_fit, power_fit_runs, proportion, quantile_at,
    student_quantile, sum_of_powers, zeta_tail,
};

include!("../../ground/src/stats/testdata/hermite.in");
include!("../../ground/src/stats/testdata/means.in");
include!("../../ground/src/stats/testdata/normal.in");
include!("../../ground/src/stats/testdata/paired.in");
include!("../../ground/src/stats/testdata/slope.in");
include!("../../ground/src/stats/testdata/student.in");
include!("../../ground/src/stats/testdata/zeta.in");

/// Relative differences that rounding makes, with room: the tests beside each function are stricter.
const ROUNDING: f64 = 1e-7;
/// Values outside what follows from chance would be seen once in some hundred thousand streams; the streams are fixed.
const CHANCE: f64 = 4.5;

/// Refuses to judge by estimators that do not give known answers; computed once in a process, in about a millisecond.
///
/// **Errors**: [`Error::Refused`], with the first answer that is not as known.
pub(crate) fn known_answers() -> Result<(), Error> {
    static FIRST: OnceLock<Option<String>> = OnceLock::new();
    let first = FIRST.get_or_init(|| match first_wrong() {
        Ok(wrong) => wrong,
        Err(error) => Some(error.to_string()),
    });
    match first {
        None => Ok(()),
        Some(problem) => Err(Error::refused(
            "known_answers",
            problem.clone(),
            "nothing is judged by this build: run `cargo test -p workbench-ground`",
        )),
    }
}

/// The answers that were asked so far: the first that is wrong.
#[derive(Default)]
struct Asked(Option<String>);

impl Asked {
    fn is(&mut self, what: &str, got: f64, want: f64) {
        let right = got == want || (got - want).abs() <= ROUNDING * want.abs();
        self.note(right, || format!("{what} is {got:e}, known to be {want:e}"));
    }

    fn between(&mut self, what: &str, got: f64, (low, high): (f64, f64)) {
        self.note(low <= got && got <= high, || format!("{what} is {got:e}, known to lie from {low:e} to {high:e}"));
    }

    fn estimate(&mut self, what: &str, got: Estimate, (value, low, high): (f64, f64, f64)) {
        self.is(what, got.value, value);
        self.is(&format!("{what}, low"), got.low, low);
        self.is(&format!("{what}, high"), got.high, high);
    }

    fn note(&mut self, right: bool, problem: impl FnOnce() -> String) {
        if !right && self.0.is_none() {
            self.0 = Some(problem());
        }
    }
}

fn first_wrong() -> Result<Option<String>, Error> {
    let mut asked = Asked::default();
    functions(&mut asked)?;
    samples(&mut asked)?;
    fits(&mut asked)?;
    draws(&mut asked)?;
    Ok(asked.0)
}

/// Special functions, sums and integrals.
fn functions(asked: &mut Asked) -> Result<(), Error> {
    for (x, p) in NORMAL_CDF {
        asked.is("normal_cdf", normal_cdf(x), p);
    }
    for (p, x) in NORMAL_QUANTILE {
        asked.is("normal_quantile", normal_quantile(p), x);
    }
    for (p, dof, t) in STUDENT {
        asked.is("student_quantile", student_quantile(p, dof), t);
    }
    for (alpha, from, want) in ZETA_TAIL {
        asked.is("zeta_tail", zeta_tail(alpha, from), want);
    }
    for (n, alpha, want) in HARMONIC {
        asked.is("sum_of_powers", sum_of_powers(alpha, 0.0, 1, Some(n)), want);
    }
    for rule in [&RULE_5[..], &RULE_40[..]] {
        let (nodes, weights) = gauss_hermite(rule.len())?;
        for ((z, w), (node, weight)) in nodes.iter().zip(&weights).zip(rule) {
            asked.is("gauss_hermite, node", *z, *node);
            asked.is("gauss_hermite, weight", *w, *weight);
        }
    }
    let bell = integrate(&|x| (-0.5 * x * x).exp(), f64::NEG_INFINITY, f64::INFINITY, 1e-10)?;
    asked.is("integral of exp(-x^2/2)", bell.value, (2.0 * std::f64::consts::PI).sqrt());
    let root = integrate(&|x| x.sqrt(), 0.0, 1.0, 1e-10)?;
    asked.is("integral of sqrt x", root.value, 2.0 / 3.0);
    asked.is("log_sum_exp", log_sum_exp(&[1000.0, 1000.0 + 3f64.ln()]), 1000.0 + 4f64.ln());
    Ok(())
}

/// Estimates from samples.
fn samples(asked: &mut Asked) -> Result<(), Error> {
    asked.estimate("mean", mean(&SAMPLE)?, MEAN[0]);
    for (q, want) in QUANTILES {
        asked.is("quantile", quantile_at(&SAMPLE, q, 0.2)?.value, want);
    }
    for (k, n, low, high) in PROPORTIONS {
        asked.estimate("proportion", proportion(k, n)?, (k as f64 / n as f64, low, high));
    }
    asked.estimate("paired_difference", paired_difference(&A, &B)?, PAIRED[0]);
    asked.estimate("difference", difference(&A, &BIG)?, WELCH[0]);
    Ok(())
}

/// Power laws.
fn fits(asked: &mut Asked) -> Result<(), Error> {
    let all = (1e-3, 1e3);
    let fit = power_fit(&X, &Y, all)?;
    asked.estimate("power_fit, slope", fit.slope, (FIT.0, FIT.1, FIT.2));
    asked.estimate("power_fit, intercept", fit.intercept, (FIT.3, FIT.4, FIT.5));
    asked.is("power_fit, residual", fit.residual, FIT.6);
    for (x, slope) in local_slopes(&[1.0, 4.0, 16.0], &[1.0, 2.0, 16.0])? {
        asked.is("local_slopes", slope, if x < 4.0 { 0.5 } else { 1.5 });
    }
    let mut stream = Streams::new(1).stream("known answers, runs")?;
    // Means 1, 1/2, 1/4, 1/8 with noise that cancels: each run has its mirror image.
    let mut runs = normal_array2(&mut stream, 8, 4);
    for ((i, j), y) in runs.indexed_iter_mut() {
        let noise = [0.1, 0.05, -0.08, 0.02][(i / 2 + j) % 4];
        *y = 0.5f64.powi(j as i32) * (1.0 + if i % 2 == 0 { noise } else { -noise });
    }
    let grid = [1.0, 2.0, 4.0, 8.0];
    let fit = power_fit_runs(&grid, &runs, all, 2000, &mut stream)?;
    asked.is("power_fit_runs, slope", fit.slope.value, -1.0);
    // To first order the slope's deviation is that of a mean of these eight linear functions of the runs.
    let own: Vec<f64> = runs
        .rows()
        .into_iter()
        .map(|row| {
            let parts = row.iter().enumerate().map(|(j, y)| (j as f64 - 1.5) * y * 2f64.powi(j as i32));
            parts.sum::<f64>() / (5.0 * 2f64.ln())
        })
        .collect();
    let normal = mean(&own)?.half_width();
    asked.between("power_fit_runs, half width", fit.slope.half_width(), (0.6 * normal, 1.4 * normal));
    Ok(())
}

/// Streams, and what is drawn from them.
fn draws(asked: &mut Asked) -> Result<(), Error> {
    const COUNT: usize = 4096;
    let root = (COUNT as f64).sqrt();
    let mut stream = Streams::new(1).stream("known answers")?;
    let normal: Vec<f64> = (0..COUNT).map(|_| stream.normal()).collect();
    // Of powers of standard normal numbers: the mean, and the variance of one value.
    for (power, want, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (4, 3.0, 96.0)] {
        let got = normal.iter().map(|z| z.powi(power)).sum::<f64>() / COUNT as f64;
        let room = CHANCE * f64::sqrt(variance) / root;
        asked.between(&format!("moment {power} of normal numbers"), got, (want - room, want + room));
    }
    let mut other = Streams::new(1).replicate("known answers", 1)?;
    let across = normal.iter().map(|z| z * other.normal()).sum::<f64>() / COUNT as f64;
    asked.between("product of two streams", across, (-CHANCE / root, CHANCE / root));
    let next = normal.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / COUNT as f64;
    asked.between("product of neighbours", next, (-CHANCE / root, CHANCE / root));
    let mut counts = [0.0; 8];
    for _ in 0..COUNT {
        counts[stream.below(8) as usize] += 1.0;
    }
    let room = CHANCE * (COUNT as f64 * 7.0 / 64.0).sqrt();
    for count in counts {
        asked.between("draws of one number below 8", count, (512.0 - room, 512.0 + room));
    }
    let mut average = |i: &[usize]| i.iter().map(|&k| SAMPLE[k]).sum::<f64>() / i.len() as f64;
    let got = bootstrap(SAMPLE.len(), 2000, &mut stream, &mut average)?;
    let half = 0.5 * (MEAN[0].2 - MEAN[0].1);
    asked.is("bootstrap of a mean", got.value, MEAN[0].0);
    asked.between("bootstrap of a mean, half width", got.half_width(), (0.6 * half, 1.4 * half));
    let order = stream.permutation(64);
    let mut sorted = order.clone();
    sorted.sort_unstable();
    let moved = |order: &[usize]| order.iter().enumerate().filter(|(i, x)| i != *x).count() as f64;
    asked.between("numbers that a permutation of 64 moves", moved(&order), (55.0, 64.0));
    asked.is("numbers that it has not", moved(&sorted), 0.0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_build_gives_them() {
        assert_eq!(first_wrong().unwrap(), None);
        assert!(known_answers().is_ok());
    }

    #[test]
    fn a_wrong_one_is_named() {
        let mut asked = Asked::default();
        asked.is("one", 1.0, 1.0);
        asked.is("two", 2.1, 2.0);
        asked.is("three", 0.0, 3.0);
        assert_eq!(asked.0.unwrap(), "two is 2.1e0, known to be 2e0");
    }
}
