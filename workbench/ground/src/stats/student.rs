//! Student's law: its upper tail, with small relative error far out and at any number of degrees of freedom, and its quantiles.

use std::f64::consts::PI;

use statrs::function::gamma::ln_gamma;

use super::special::{beta_tails, normal_cdf, normal_quantile};

/// Beyond this many degrees of freedom expansions about the normal law are exact enough, at a cost that does not grow with them.
const NORMAL_FROM: f64 = 1e4;

/// $\mathbb P(T>t)$ for Student's t with `dof` degrees of freedom: the chance that Gaussian noise of a Gaussian's length beats a signal.
///
/// For a Gaussian z and an independent Gaussian vector e in $\mathbb R^{\mathrm{dof}}$,
/// $\mathbb P(z>s\lVert e\rVert)=\mathbb P(T>s\sqrt{\mathrm{dof}})$.
///
/// **Source**: Hill, Algorithm 396 (1970), beyond 10,000 degrees of freedom.
///
/// **Units and ranges**: relative error below 1e-9 for tails down to 1e-100 and `dof` from 1 on, the normal law at an infinite
/// `dof`; NaN for `dof` not positive or a NaN.
///
/// **Cost**: $O(\sqrt{\mathrm{dof}})$ up to 10,000 degrees of freedom, constant beyond.
///
/// ```
/// use workbench_ground::stats::student_tail;
/// assert!((student_tail(1.0, 1.0) - 0.25).abs() < 1e-14); // Cauchy
/// assert!((student_tail(0.0, 7.0) - 0.5).abs() < 1e-15);
/// ```
pub fn student_tail(t: f64, dof: f64) -> f64 {
    if t.is_nan() || dof.is_nan() || dof <= 0.0 {
        return f64::NAN;
    }
    if t < 0.0 {
        return 1.0 - student_tail(-t, dof);
    }
    if dof.is_infinite() {
        return normal_cdf(-t);
    }
    let t2 = t * t;
    if t2.is_infinite() {
        return 0.0;
    }
    if t2 == 0.0 {
        return 0.5;
    }
    if dof <= NORMAL_FROM {
        return 0.5 * beta_tails(0.5 * dof, 0.5, dof / (dof + t2), t2 / (dof + t2)).0;
    }
    let a = dof - 0.5;
    let b = 48.0 * a * a;
    let z2 = a * (t2 / dof).ln_1p();
    let z = z2.sqrt();
    let first = (z2 + 3.0) * z / b;
    let second = (((4.0 * z2 + 33.0) * z2 + 240.0) * z2 + 855.0) * z / (10.0 * b * (b + 0.8 * z2 * z2 + 100.0));
    normal_cdf(-(z + first - second))
}

/// The t with P(T <= t) = p for Student's t with `dof` degrees of freedom.
///
/// Infinite at p = 0 and 1; NaN for p outside [0, 1] or `dof` not positive. Relative error below 1e-11 for |t| up to 8.
///
/// ```
/// assert!((workbench_ground::stats::student_quantile(0.975, 9.0) - 2.2621571627982053).abs() < 1e-11);
/// ```
pub fn student_quantile(p: f64, dof: f64) -> f64 {
    if dof.is_nan() || dof <= 0.0 || !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p > 0.5 {
        return -student_quantile(1.0 - p, dof);
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    if p == 0.5 {
        return 0.0;
    }
    let z = -normal_quantile(p);
    if dof > NORMAL_FROM {
        // Cornish-Fisher in 1 / dof (Abramowitz and Stegun 26.7.5): the fraction
        // would need many terms. The first term left out is about 1e-3 z^8 / dof^4 of z, 2e-12 at z = 8.
        let (z2, v) = (z * z, 1.0 / dof);
        let first = (z2 + 1.0) / 4.0;
        let second = ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
        let third = (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
        return -z * (1.0 + v * (first + v * (second + v * third)));
    }
    // Newton on the logarithm of the upper tail, kept inside a bracket.
    let ln_density_0 = ln_gamma(0.5 * (dof + 1.0)) - ln_gamma(0.5 * dof) - 0.5 * (dof * PI).ln();
    let (mut low, mut high, mut t) = (0.0, f64::INFINITY, z);
    for _ in 0..2000 {
        let tail = student_tail(t, dof);
        if tail > p {
            low = t
        } else {
            high = t
        }
        let density = (ln_density_0 - 0.5 * (dof + 1.0) * (t * t / dof).ln_1p()).exp();
        let newton = t + (tail / p).ln() * tail / density;
        let next = if newton > low && newton < high {
            newton
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            2.0 * low.max(1.0)
        };
        if (next - t).abs() <= 4.0 * f64::EPSILON * t.abs() || !next.is_finite() {
            return -next;
        }
        t = next;
    }
    -t
}

#[cfg(test)]
mod tests {
    use super::super::integrate;
    use super::*;

    include!("testdata/student.in");

    /// `P = c int_{arctan(t / sqrt dof)}^{pi/2} cos^{dof - 1}`, shifted by the logarithm of the first value so that far tails stay in range.
    fn by_quadrature(t: f64, dof: f64) -> f64 {
        let start = (t / dof.sqrt()).atan();
        let first = (dof - 1.0) * start.cos().ln();
        let front = ln_gamma(0.5 * (dof + 1.0)) - ln_gamma(0.5 * dof) - 0.5 * PI.ln();
        let width = (40.0 / dof.sqrt()).min(0.5 * PI - start);
        let body =
            integrate(&|s: f64| ((dof - 1.0) * s.cos().ln() - first).exp(), start, start + width, 1e-13).unwrap().value;
        (front + first).exp() * body
    }

    #[test]
    fn agrees_with_quadrature_on_both_sides_of_the_switch() {
        for dof in [2.0, 3.0, 12.0, 100.0, 1000.0, 1999.0, 5000.0, 9999.0, 10_001.0, 1e5] {
            for t in [0.01, 0.5, 1.0, 2.0, 5.0, 12.0, 18.0] {
                let (got, want) = (student_tail(t, dof), by_quadrature(t, dof));
                assert!((got / want - 1.0).abs() < 1e-9, "{dof} {t}: {got:e} {want:e}");
            }
        }
    }

    #[test]
    fn limits() {
        assert_eq!(student_tail(f64::INFINITY, 5.0), 0.0);
        assert_eq!(student_tail(f64::INFINITY, 1e12), 0.0);
        assert_eq!(student_tail(1.5, f64::INFINITY), normal_cdf(-1.5));
        assert!((student_tail(1.5, 1e15) / normal_cdf(-1.5) - 1.0).abs() < 1e-12);
        assert!((student_tail(-1.0, 1.0) - 0.75).abs() < 1e-14);
        assert!(student_tail(1.0, 0.0).is_nan() && student_tail(f64::NAN, 2.0).is_nan());
    }

    /// SciPy and mpmath values; see `testdata/outside.py`.
    #[test]
    fn quantiles_match_outside_values() {
        for (p, dof, t) in STUDENT {
            assert!((student_quantile(p, dof) / t - 1.0).abs() < 1e-12, "{p} {dof}");
            assert!((student_quantile(1.0 - p, dof) / -t - 1.0).abs() < 1e-7, "{p} {dof}");
        }
        assert_eq!(student_quantile(0.5, 3.0), 0.0);
        assert!(student_quantile(0.9, 0.0).is_nan() && student_quantile(1.5, 2.0).is_nan());
        assert_eq!(student_quantile(1.0, 2.0), f64::INFINITY);
    }

    #[test]
    fn the_large_dof_expansion_meets_the_fraction() {
        for p in [1e-6, 5e-4, 0.025, 0.3] {
            // The true change is (z^2 + 1) / (4 dof^2) * 2e-6, about 1e-13.
            let (above, below) = (student_quantile(p, 10_000.000_001), student_quantile(p, 9_999.999_999));
            assert!((above / below - 1.0).abs() < 1e-12, "{p}: {above} {below}");
        }
    }
}
