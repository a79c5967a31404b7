//! Does a sample follow a law? Chi-square for counts, Kolmogorov-Smirnov for numbers, both with p-values.

use crate::data::zipf::{Counts, Zipf};
use statrs::function::gamma::{gamma_lr, gamma_ur};
use workbench_ground::Error;
use workbench_ground::check::{entries, positive, within};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// Ranks between two looks for a request to stop.
const RANKS_BETWEEN_LOOKS: usize = 1 << 12;

/// The result of a test of fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoodnessOfFit {
    /// The statistic: chi-square, or the largest distance between the distribution functions.
    pub statistic: f64,
    /// Degrees of freedom, or the number of values.
    pub size: usize,
    /// Probability of a statistic at least as large if the law is right.
    pub p_value: f64,
}

/// One row: the test.
impl Tabulated for GoodnessOfFit {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Test of fit")
            .with("statistic", [self.statistic])
            .with("size", [self.size])
            .with("p-value", [self.p_value]))
    }
}

/// Chi-square test of counts against a law: one cell per rank while at least `least` are expected, and one for the pooled tail.
///
/// **Source**: Pearson's statistic, asked of the law of Section 2, Data.
///
/// **Errors**: `least` not positive, fewer than two cells, [`Error::Stopped`].
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::{Zipf, chi_square_fit};
/// let counts = Zipf::infinite(2.0)?.sample_counts(1_000_000, &mut Streams::new(1).stream("data")?)?;
/// assert!(chi_square_fit(&counts, &Zipf::infinite(2.0)?, 10.0)?.p_value > 1e-4);
/// assert!(chi_square_fit(&counts, &Zipf::infinite(1.9)?, 10.0)?.p_value < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn chi_square_fit(counts: &Counts, law: &Zipf, least: f64) -> Result<GoodnessOfFit, Error> {
    const OP: &str = "chi_square_fit";
    let allowed = "a positive number, such as 10";
    within(OP, "least expected count", least, least > 0.0, allowed)?;
    let total = counts.total as f64;
    let mut last = 0_usize; // last rank with a cell of its own
    while law.probability(last + 1) * total >= least && law.tail(last + 1) * total >= least {
        if last.is_multiple_of(RANKS_BETWEEN_LOOKS) {
            // No more cells than this can have their share.
            work::check(OP, last, (total / least) as usize)?;
        }
        last += 1;
    }
    let mut seen = counts.seen.iter().peekable();
    let (mut statistic, mut pooled) = (0.0, counts.total);
    for x in 1..=last {
        let observed = seen.next_if(|entry| entry.0 == x).map_or(0, |entry| entry.1);
        pooled -= observed;
        let expected = law.probability(x) * total;
        statistic += (observed as f64 - expected).powi(2) / expected;
    }
    let expected = law.tail(last) * total;
    // A finite law can end with its last cell.
    let cells = if expected >= least {
        statistic += (pooled as f64 - expected).powi(2) / expected;
        last + 1
    } else {
        last
    };
    let allowed = "at least two cells; draw more samples or lower the least expected count";
    within(OP, "cells", cells as f64, cells >= 2, allowed)?;
    Ok(GoodnessOfFit { statistic, size: cells - 1, p_value: gamma_ur(0.5 * (cells - 1) as f64, 0.5 * statistic) })
}

/// Kolmogorov-Smirnov test of values against a continuous distribution function.
///
/// The p-value is the asymptotic one with Stephens' correction, good to a few percent from 20 values on.
///
/// **Source**: Kolmogorov's statistic, asked of the laws of Eq. 1 and 26.
///
/// **Errors**: no values, a value or a probability that is not a number.
pub fn kolmogorov_smirnov(values: &[f64], cdf: &dyn Fn(f64) -> f64) -> Result<GoodnessOfFit, Error> {
    const OP: &str = "kolmogorov_smirnov";
    positive(OP, "number of values", values.len())?;
    let mut u: Vec<f64> = values.iter().map(|&x| cdf(x)).collect();
    let allowed = "probabilities from 0 to 1 at every value";
    entries(OP, "distribution function", &u, |u| (0.0..=1.0).contains(&u), allowed)?;
    u.sort_by(f64::total_cmp);
    let n = u.len() as f64;
    let distance =
        u.iter().enumerate().map(|(i, &u)| (u - i as f64 / n).max((i as f64 + 1.0) / n - u)).fold(0.0, f64::max);
    let root = n.sqrt();
    let lambda = (root + 0.12 + 0.11 / root) * distance;
    Ok(GoodnessOfFit { statistic: distance, size: values.len(), p_value: kolmogorov_tail(lambda) })
}

/// `P(K > lambda)` of the Kolmogorov distribution.
fn kolmogorov_tail(lambda: f64) -> f64 {
    if lambda < 0.3 {
        return 1.0; // 1 - 1e-5 at 0.3
    }
    let sum: f64 = (1..=50)
        .map(|k| {
            let k = f64::from(k);
            let sign = if k as u32 % 2 == 1 { 1.0 } else { -1.0 };
            sign * (-2.0 * k * k * lambda * lambda).exp()
        })
        .sum();
    (2.0 * sum).clamp(0.0, 1.0)
}

/// $\mathbb P(X\le x)$ for the chi-square law with `dof` degrees of freedom, the law of $\lVert e_x\rVert^2$ with `dof = d`.
///
/// **Source**: the display before Eq. 28, "recognizing a $\chi^2$-variable with $d$ degrees of freedom".
///
/// **Errors**: `dof = 0`.
pub fn chi_square_cdf(dof: usize, x: f64) -> Result<f64, Error> {
    positive("chi_square_cdf", "degrees of freedom", dof)?;
    Ok(if x > 0.0 { gamma_lr(0.5 * dof as f64, 0.5 * x) } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn chi_square_by_hand() {
        // p = (2/3, 1/3), counts (50, 40): (50 - 60)^2/60 + (40 - 30)^2/30 = 5, one degree of freedom, p = erfc(sqrt(5/2)).
        let counts = Counts { seen: vec![(1, 50), (2, 40)], total: 90 };
        let fit = chi_square_fit(&counts, &Zipf::new(1.0, 2).unwrap(), 5.0).unwrap();
        assert!((fit.statistic - 5.0).abs() < 1e-12 && fit.size == 1);
        assert!((fit.p_value - libm::erfc(2.5f64.sqrt())).abs() < 1e-12);
        let columns = fit.columns().unwrap().list;
        assert_eq!((columns.len(), &columns[2].1), (3, &[fit.p_value].into()));
        assert!((chi_square_cdf(2, 3.0).unwrap() - (1.0 - (-1.5f64).exp())).abs() < 1e-14);
        assert_eq!(chi_square_cdf(3, -1.0).unwrap(), 0.0);
    }

    #[test]
    fn kolmogorov_values() {
        // Critical values of the limit law: 1.2238 at 10 %, 1.9495 at 0.1 %.
        assert!((kolmogorov_tail(1.2238) - 0.1).abs() < 1e-4);
        assert!((kolmogorov_tail(1.9495) - 0.001).abs() < 1e-6);
        let even: Vec<f64> = (0..100).map(|i| (f64::from(i) + 0.5) / 100.0).collect();
        let fit = kolmogorov_smirnov(&even, &|x| x).unwrap();
        assert!((fit.statistic - 0.005).abs() < 1e-15 && fit.p_value == 1.0);
    }

    #[test]
    fn p_values_are_uniform_under_the_law() {
        let (law, streams) = (Zipf::new(1.0, 40).unwrap(), Streams::new(8));
        let (mut chi, mut ks) = (0, 0);
        for i in 0..1000 {
            let mut stream = streams.replicate("fit", i).unwrap();
            let counts = law.sample_counts(2000, &mut stream).unwrap();
            chi += u32::from(chi_square_fit(&counts, &law, 10.0).unwrap().p_value < 0.1);
            let values: Vec<f64> = (0..50).map(|_| stream.uniform()).collect();
            ks += u32::from(kolmogorov_smirnov(&values, &|x| x).unwrap().p_value < 0.1);
        }
        // 100 expected, standard deviation 9.5.
        assert!((60..140).contains(&chi) && (60..140).contains(&ks), "{chi} {ks}");
    }

    #[test]
    fn refuses_bad_input() {
        let law = Zipf::new(1.0, 2).unwrap();
        let counts = Counts { seen: vec![(1, 2)], total: 2 };
        assert!(matches!(chi_square_fit(&counts, &law, 0.0), Err(Error::Parameter { .. })));
        assert!(matches!(chi_square_fit(&counts, &law, 10.0), Err(Error::Parameter { name: "cells", .. })));
        assert!(matches!(kolmogorov_smirnov(&[], &|x| x), Err(Error::Zero { .. })));
        assert!(matches!(kolmogorov_smirnov(&[2.0], &|x| x), Err(Error::Entry { .. })));
        assert!(matches!(chi_square_cdf(0, 1.0), Err(Error::Zero { .. })));
    }
}
