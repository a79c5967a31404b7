//! The upper tail of Student's law, with small relative error far out and at any number of degrees of freedom.

use workbench_ground::stats::{beta_tails, normal_cdf};

/// Beyond this many degrees of freedom Hill's expansion is exact enough, at a cost that does not grow with them.
const NORMAL_FROM: f64 = 2000.0;

/// $\mathbb P(T>t)$ for Student's t with `dof` degrees of freedom: the chance that Gaussian noise of a Gaussian's length beats a signal.
///
/// For a Gaussian z and an independent Gaussian vector e in $\mathbb R^{\mathrm{dof}}$,
/// $\mathbb P(z>s\lVert e\rVert)=\mathbb P(T>s\sqrt{\mathrm{dof}})$.
///
/// **Source**: Hill, Algorithm 396 (1970), beyond 2000 degrees of freedom.
///
/// **Units and ranges**: relative error below 1e-9 for tails down to 1e-100; NaN for `dof` not positive or a NaN.
///
/// ```
/// use workbench::memory::student_tail;
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

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::function::gamma::ln_gamma;
    use workbench_ground::stats::integrate;

    /// `P = c int_{arctan(t / sqrt dof)}^{pi/2} cos^{dof - 1}`, shifted by the logarithm of the first value so that far tails stay in range.
    fn by_quadrature(t: f64, dof: f64) -> f64 {
        let start = (t / dof.sqrt()).atan();
        let first = (dof - 1.0) * start.cos().ln();
        let front = ln_gamma(0.5 * (dof + 1.0)) - ln_gamma(0.5 * dof) - 0.5 * std::f64::consts::PI.ln();
        let width = (40.0 / dof.sqrt()).min(0.5 * std::f64::consts::PI - start);
        let body = integrate(
            &|s: f64| ((dof - 1.0) * s.cos().ln() - first).exp(),
            start,
            start + width,
            1e-13,
        )
        .unwrap()
        .value;
        (front + first).exp() * body
    }

    #[test]
    fn agrees_with_quadrature_on_both_sides_of_the_switch() {
        for dof in [2.0, 3.0, 12.0, 100.0, 1000.0, 1999.0, 2001.0, 5000.0, 1e5] {
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
        assert!((student_tail(1.5, 1e15) / normal_cdf(-1.5) - 1.0).abs() < 1e-12);
        assert!((student_tail(-1.0, 1.0) - 0.75).abs() < 1e-14);
        assert!(student_tail(1.0, 0.0).is_nan() && student_tail(f64::NAN, 2.0).is_nan());
    }
}
