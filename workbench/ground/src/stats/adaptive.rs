//! Adaptive integration on finite and infinite ranges.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::Error;
use crate::tabulated::{Columns, Tabulated};
use crate::{check, work};

/// A value with an estimated bound on its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integral {
    /// Value of the integral.
    pub value: f64,
    /// Estimated absolute error, rounding included; usually several digits too careful.
    pub error: f64,
    /// Evaluations of the integrand.
    pub evaluations: usize,
}

impl Tabulated for Integral {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Integral")
            .with("value", [self.value])
            .with("error", [self.error])
            .with("evaluations", [self.evaluations]))
    }
}

/// Nodes above zero of the 21-point Kronrod rule on [-1, 1], largest first; the odd-numbered ones (1, 3, ...) are the 10-point Gauss rule.
const NODES: [f64; 10] = [
    0.995_657_163_025_808_1,
    0.973_906_528_517_171_7,
    0.930_157_491_355_708_2,
    0.865_063_366_688_984_5,
    0.780_817_726_586_416_9,
    0.679_409_568_299_024_4,
    0.562_757_134_668_604_7,
    0.433_395_394_129_247_2,
    0.294_392_862_701_460_2,
    0.148_874_338_981_631_22,
];
/// Kronrod weights of [`NODES`].
const KRONROD: [f64; 10] = [
    0.011_694_638_867_371_874,
    0.032_558_162_307_964_725,
    0.054_755_896_574_351_995,
    0.075_039_674_810_919_96,
    0.093_125_454_583_697_6,
    0.109_387_158_802_297_64,
    0.123_491_976_262_065_84,
    0.134_709_217_311_473_34,
    0.142_775_938_577_060_09,
    0.147_739_104_901_338_49,
];
/// Kronrod weight at zero.
const KRONROD_ZERO: f64 = 0.149_445_554_002_916_9;
/// Gauss weights of the nodes 1, 3, 5, 7, 9.
const GAUSS: [f64; 5] = [
    0.066_671_344_308_688_14,
    0.149_451_349_150_580_6,
    0.219_086_362_515_982_04,
    0.269_266_719_309_996_35,
    0.295_524_224_714_752_87,
];

/// Smallest tolerance: the rounding floor of the error estimate, 50 units of 2^-52, doubled.
const LEAST_TOLERANCE: f64 = 2.5e-14;
/// Intervals after which the search gives up.
const MOST_PIECES: usize = 4000;

struct Piece {
    low: f64,
    high: f64,
    value: f64,
    size: f64,
    error: f64,
}

impl PartialEq for Piece {
    fn eq(&self, other: &Piece) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Piece {}
impl PartialOrd for Piece {
    fn partial_cmp(&self, other: &Piece) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Piece {
    fn cmp(&self, other: &Piece) -> Ordering {
        self.error.total_cmp(&other.error)
    }
}

/// A range mapped to a finite one, so that infinite ends can be reached.
#[derive(Clone, Copy)]
enum Map {
    /// x = t.
    Finite,
    /// x = a + t / (1 - t), t in (0, 1).
    Up(f64),
    /// x = b - t / (1 - t), t in (0, 1).
    Down(f64),
    /// x = t / (1 - t^2), t in (-1, 1).
    Line,
}

impl Map {
    fn of(a: f64, b: f64) -> (Map, f64, f64) {
        match (a.is_finite(), b.is_finite()) {
            (true, true) => (Map::Finite, a, b),
            (true, false) => (Map::Up(a), 0.0, 1.0),
            (false, true) => (Map::Down(b), 0.0, 1.0),
            (false, false) => (Map::Line, -1.0, 1.0),
        }
    }

    /// (x, dx/dt).
    fn at(self, t: f64) -> (f64, f64) {
        let s = 1.0 - t;
        match self {
            Map::Finite => (t, 1.0),
            Map::Up(a) => (a + t / s, 1.0 / (s * s)),
            Map::Down(b) => (b - t / s, 1.0 / (s * s)),
            Map::Line => {
                let r = s * (1.0 + t);
                (t / r, (1.0 + t * t) / (r * r))
            }
        }
    }
}

/// Integral of `f` from a to b, either of which may be infinite.
///
/// Global adaptive bisection with the 10/21-point Gauss-Kronrod pair; infinite ranges are mapped to finite ones. The ends themselves are
/// not evaluated, so integrable singularities there are allowed.
///
/// **Source**: the method and its error estimate are those of QUADPACK (Piessens et al. 1983), routine QAG.
///
/// **Ranges**: stops when error <= `tol` * integral of |f|; 2.5e-14 <= `tol` < 1. For a > b the sign flips; a = b gives 0.
/// A feature much narrower than 1/20 of the range (of x / (1 + x) on infinite ranges) can be missed: give break points to
/// [`integrate_between`].
///
/// **Errors**: [`Error::Entry`] for a NaN end, [`Error::Parameter`] for `tol`, [`Error::Refused`] where f is not finite,
/// [`Error::NotConverged`], [`Error::Stopped`] between two intervals (its steps are intervals, of the most that are tried).
///
/// ```
/// use workbench_ground::stats::integrate;
/// let half = integrate(&|x| (-x * x).exp(), 0.0, f64::INFINITY, 1e-12)?;
/// assert!((half.value - std::f64::consts::PI.sqrt() / 2.0).abs() < 1e-13);
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn integrate(f: &dyn Fn(f64) -> f64, a: f64, b: f64, tol: f64) -> Result<Integral, Error> {
    integrate_between(f, &[a, b], tol)
}

/// [`integrate`] over a range cut at break points: from `points[0]` through each to the last.
///
/// Put break points at kinks, jumps, singularities, and around peaks. One tolerance holds for the whole range.
///
/// **Errors**: as [`integrate`]; [`Error::TooFew`] for less than two points; [`Error::Parameter`] if the points do not all rise or all
/// fall.
pub fn integrate_between(f: &dyn Fn(f64) -> f64, points: &[f64], tol: f64) -> Result<Integral, Error> {
    let op = "integrate";
    if points.len() < 2 {
        let next = "pass both ends of the range";
        return Err(Error::too_few(op, "points", points.len(), 2, next));
    }
    check::entries(op, "end", points, |p| !p.is_nan(), "a number or an infinity")?;
    let allowed = "a number from 2.5e-14 to 1";
    check::within(op, "tol", tol, (LEAST_TOLERANCE..1.0).contains(&tol), allowed)?;
    let falling = points[0] > points[points.len() - 1];
    let ordered: Vec<f64> = if falling { points.iter().rev().copied().collect() } else { points.to_vec() };
    if let Some(pair) = ordered.windows(2).find(|p| p[0] > p[1]) {
        let allowed = "break points that all rise or all fall";
        return Err(Error::parameter(op, "break point", pair[1], allowed));
    }
    let maps: Vec<_> = ordered.windows(2).filter(|p| p[0] < p[1]).map(|p| Map::of(p[0], p[1])).collect();
    let mut evaluations = 0;
    let mut pieces = BinaryHeap::new();
    for (k, &(map, low, high)) in maps.iter().enumerate() {
        work::check(op, k, maps.len())?;
        pieces.push((rule(f, map, low, high, &mut evaluations)?, k));
    }
    loop {
        let sum = |part: fn(&Piece) -> f64| pieces.iter().map(|(p, _)| part(p)).sum::<f64>();
        let (value, error, size) = (sum(|p| p.value), sum(|p| p.error), sum(|p| p.size));
        let signed = if falling { -value } else { value };
        if error <= tol * size {
            return Ok(Integral { value: signed, error, evaluations });
        }
        let unconverged = |evaluations: usize| Error::NotConverged {
            op,
            steps: evaluations,
            residual: error,
            tolerance: tol * size,
            next: format!(
                "the value so far is {signed}; loosen the tolerance or pass break points to integrate_between"
            )
            .into(),
        };
        if pieces.len() >= MOST_PIECES || !error.is_finite() {
            return Err(unconverged(evaluations));
        }
        // Split the worst pieces: one at first, then the worst twentieth, so that the sums above stay cheap.
        for _ in 0..1 + pieces.len() / 20 {
            work::check(op, pieces.len(), MOST_PIECES)?;
            let Some((worst, k)) = pieces.pop() else {
                break;
            };
            let mid = 0.5 * (worst.low + worst.high);
            if mid <= worst.low || mid >= worst.high {
                return Err(unconverged(evaluations));
            }
            pieces.push((rule(f, maps[k].0, worst.low, mid, &mut evaluations)?, k));
            pieces.push((rule(f, maps[k].0, mid, worst.high, &mut evaluations)?, k));
        }
    }
}

/// A function to integrate that gave NaN or infinity.
pub(super) fn integrand(op: &'static str, at: f64, value: f64) -> Error {
    let next = "split the range there with integrate_between, or rewrite f in log space";
    Error::refused(op, format!("f({at}) = {value}"), next)
}

/// The Gauss-Kronrod pair on one piece.
fn rule(f: &dyn Fn(f64) -> f64, map: Map, low: f64, high: f64, evaluations: &mut usize) -> Result<Piece, Error> {
    let (centre, half) = (0.5 * (low + high), 0.5 * (high - low));
    let mut at = |offset: f64| {
        *evaluations += 1;
        let (x, scale) = map.at(centre + half * offset);
        let value = f(x);
        // At the far end of a mapped range scale can be huge; zero stays zero.
        let scaled = if value == 0.0 { 0.0 } else { value * scale };
        if scaled.is_finite() { Ok(scaled) } else { Err(integrand("integrate", x, value)) }
    };
    let middle = at(0.0)?;
    let mut sides = [(0.0, 0.0); 10];
    for (side, node) in sides.iter_mut().zip(NODES) {
        *side = (at(-node)?, at(node)?);
    }
    let over = |g: &dyn Fn(f64) -> f64| {
        let pairs: f64 = sides.iter().zip(KRONROD).map(|((l, r), w)| w * (g(*l) + g(*r))).sum();
        half * (pairs + KRONROD_ZERO * g(middle))
    };
    let value = over(&|y| y);
    let size = over(&f64::abs);
    let mean = value / (2.0 * half);
    let swing = over(&|y| (y - mean).abs());
    let gauss: f64 =
        half * GAUSS.iter().zip(sides.iter().skip(1).step_by(2)).map(|(w, (l, r))| w * (l + r)).sum::<f64>();
    let difference = (value - gauss).abs();
    let guess = if swing > 0.0 { swing * (200.0 * difference / swing).powf(1.5).min(1.0) } else { difference };
    Ok(Piece { low, high, value, size, error: guess.max(50.0 * f64::EPSILON * size) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    const INF: f64 = f64::INFINITY;

    fn check(f: &dyn Fn(f64) -> f64, a: f64, b: f64, want: f64, tol: f64) {
        let got = integrate(f, a, b, tol).unwrap();
        let miss = (got.value - want).abs();
        assert!(miss <= got.error.max(1e-15 * want.abs()), "{got:?} misses {want} by {miss:e}");
        assert!(miss <= 4.0 * tol * want.abs().max(1e-300) || want == 0.0, "{got:?} against {want}");
    }

    #[test]
    fn one_rule_is_exact_for_polynomials_of_degree_31() {
        for k in 0..=31 {
            let got = rule(&|x| x.powi(k), Map::Finite, 0.0, 1.0, &mut 0).unwrap().value;
            assert!((got - 1.0 / f64::from(k + 1)).abs() < 1e-15, "degree {k}");
        }
        let got = rule(&|x| x.powi(40), Map::Finite, -1.0, 1.0, &mut 0).unwrap().value;
        assert!((got - 2.0 / 41.0).abs() > 1e-13, "degree 40 is beyond the rule");
        assert!((GAUSS.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn known_integrals() {
        check(&f64::sin, 0.0, PI, 2.0, 1e-13);
        check(&|x| 1.0 / x.sqrt(), 0.0, 1.0, 2.0, 1e-10);
        check(&|x| x.ln(), 0.0, 1.0, -1.0, 1e-12);
        check(&|x| (x - 0.3).abs(), 0.0, 1.0, 0.29, 1e-12);
        check(&|x| (-x * x / 2.0).exp(), -INF, INF, (2.0 * PI).sqrt(), 1e-13);
        check(&|x| 1.0 / (1.0 + x * x), -INF, INF, PI, 1e-12);
        check(&|x| x.powf(-2.5), 2.0, INF, 2f64.powf(-1.5) / 1.5, 1e-12);
        check(&f64::exp, -INF, 1.0, 1f64.exp(), 1e-12);
        check(&|x| (50.0 * x).cos(), 0.0, 1.0, 50f64.sin() / 50.0, 1e-13);
        check(&|x| x.powi(3), -1.0, 1.0, 0.0, 1e-12);
        check(&|_| 0.0, 0.0, INF, 0.0, 1e-12);
    }

    #[test]
    fn orientation_and_break_points() {
        let up = integrate(&f64::exp, 0.0, 1.0, 1e-12).unwrap();
        let down = integrate(&f64::exp, 1.0, 0.0, 1e-12).unwrap();
        assert_eq!(up.value, -down.value);
        assert_eq!(integrate(&f64::exp, 1.0, 1.0, 1e-12).unwrap().value, 0.0);
        // A spike of width 1e-4 far out: missed without break points, found with them.
        let spike = |x: f64| (-0.5 * ((x - 777.7) / 1e-4).powi(2)).exp();
        let want = 1e-4 * (2.0 * PI).sqrt();
        let blind = integrate(&spike, -INF, INF, 1e-9).unwrap();
        assert!(blind.value < 0.5 * want);
        let seen = integrate_between(&spike, &[-INF, 777.69, 777.71, INF], 1e-9).unwrap();
        assert!((seen.value / want - 1.0).abs() < 1e-9, "{seen:?}");
        let back = integrate_between(&f64::exp, &[1.0, 0.5, 0.0], 1e-12).unwrap();
        assert!((back.value + 1f64.exp() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn bad_input_is_refused() {
        let one = |_: f64| 1.0;
        assert!(matches!(integrate(&one, f64::NAN, 1.0, 1e-9), Err(Error::Entry { name: "end", .. })));
        for tol in [0.0, -1.0, 1e-15, 1.0, f64::NAN, INF] {
            assert!(matches!(integrate(&one, 0.0, 1.0, tol), Err(Error::Parameter { name: "tol", .. })), "{tol}");
        }
        assert!(matches!(integrate_between(&one, &[1.0], 1e-9), Err(Error::TooFew { .. })));
        let zigzag = integrate_between(&one, &[0.0, 2.0, 1.0, 3.0], 1e-9);
        assert!(matches!(zigzag, Err(Error::Parameter { name: "break point", .. })));
        assert!(matches!(
            integrate(&|_| f64::NAN, 0.0, 1.0, 1e-9),
            Err(Error::Refused { problem, .. }) if problem.starts_with("f(")
        ));
        assert!(matches!(
            integrate(&|x| 1.0 / x, -1.0, 1.0, 1e-9),
            Err(Error::Refused { problem, .. }) if problem.starts_with("f(")
        ));
    }

    #[test]
    fn divergent_integrals_do_not_return_a_number() {
        let error = integrate(&|x| 1.0 / x, 0.0, 1.0, 1e-9).unwrap_err();
        assert!(matches!(error, Error::NotConverged { .. }) || error.to_string().contains("f("), "{error}");
        let error = integrate(&|_| 1.0, 0.0, INF, 1e-9).unwrap_err();
        assert!(matches!(error, Error::NotConverged { .. }) || error.to_string().contains("f("), "{error}");
    }
}
