//! Extremes of a quadratic form over a box: stationary points of all faces.

use crate::Error;
use ndarray::{Array1, Array2};
use ndarray_linalg::Solve;
use workbench_ground::stats::largest_of;
use workbench_ground::work;

/// Faces are 3^p: beyond this many coordinates their number is too large.
pub(super) const MOST: usize = 8;

/// Least and largest value, with the point of the least.
#[derive(Clone, Debug)]
pub(super) struct Extremes {
    pub(super) least: f64,
    pub(super) largest: f64,
    pub(super) at_least: Vec<f64>,
}

/// (1, -theta)^T M (1, -theta).
pub(super) fn value(m: &Array2<f64>, theta: &[f64]) -> f64 {
    let mut sum = m[[0, 0]];
    for (i, a) in theta.iter().enumerate() {
        sum -= 2.0 * a * m[[0, i + 1]];
        for (j, b) in theta.iter().enumerate() {
            sum += a * b * m[[i + 1, j + 1]];
        }
    }
    sum
}

/// Extremes of [`value`] over [low, high]^p: the form is stationary in the coordinates that are free on the face where it takes one.
/// NaN where a value is.
pub(super) fn extremes(op: &'static str, m: &Array2<f64>, low: f64, high: f64) -> Result<Extremes, Error> {
    let p = m.nrows() - 1;
    let faces = 3usize.pow(p as u32);
    let mut found = Extremes { least: f64::INFINITY, largest: f64::NEG_INFINITY, at_least: vec![low; p] };
    let mut theta = vec![low; p];
    for face in 0..faces {
        if face % 64 == 0 {
            work::check(op, face, faces)?;
        }
        let mut free = Vec::new();
        let mut digits = face;
        for (i, t) in theta.iter_mut().enumerate() {
            match digits % 3 {
                0 => *t = low,
                1 => *t = high,
                _ => free.push(i),
            }
            digits /= 3;
        }
        if !free.is_empty() {
            let fixed = |i: usize| !free.contains(&i);
            let right = Array1::from_shape_fn(free.len(), |k| {
                let pulls = (0..p).filter(|j| fixed(*j)).map(|j| m[[free[k] + 1, j + 1]] * theta[j]);
                m[[0, free[k] + 1]] - pulls.sum::<f64>()
            });
            let square = Array2::from_shape_fn((free.len(), free.len()), |(k, l)| m[[free[k] + 1, free[l] + 1]]);
            // On a face where the form is flat in some direction, its extremes are taken on a smaller face too.
            let Ok(solved) = square.solve(&right) else { continue };
            if !solved.iter().all(|t| (low..=high).contains(t)) {
                continue;
            }
            for (k, i) in free.iter().enumerate() {
                theta[*i] = solved[k];
            }
        }
        let here = value(m, &theta);
        if here.is_nan() || here < found.least {
            found.least = here;
            found.at_least.clone_from(&theta);
        }
        found.largest = largest_of([found.largest, here]);
    }
    Ok(found)
}

/// Where a positive semidefinite form is least over [low, high]^p, for any p.
pub(super) fn minimiser(op: &'static str, m: &Array2<f64>, low: f64, high: f64) -> Result<Vec<f64>, Error> {
    let p = m.nrows() - 1;
    let free = m.slice(ndarray::s![1.., 1..]).to_owned();
    let right = m.slice(ndarray::s![1.., 0]).to_owned();
    if let Ok(solved) = free.solve(&right)
        && solved.iter().all(|t| (low..=high).contains(t))
    {
        return Ok(solved.to_vec());
    }
    if p <= 3 {
        return Ok(extremes(op, m, low, high)?.at_least);
    }
    descend(op, m, low, high)
}

/// Coordinate by coordinate, which converges for convex forms on boxes.
fn descend(op: &'static str, m: &Array2<f64>, low: f64, high: f64) -> Result<Vec<f64>, Error> {
    /// Sweeps after which what is left is accepted.
    const SWEEPS: usize = 20_000;
    /// A sweep that moves by less than this share of the box ends the search.
    const STILL: f64 = 1e-12;
    let p = m.nrows() - 1;
    let mut theta = vec![0.5 * (low + high); p];
    for sweep in 0..SWEEPS {
        if sweep % 256 == 0 {
            work::check(op, sweep, SWEEPS)?;
        }
        let mut moved = 0.0f64;
        for i in 0..p {
            let slope = m[[0, i + 1]] - (0..p).map(|j| m[[i + 1, j + 1]] * theta[j]).sum::<f64>();
            let curvature = m[[i + 1, i + 1]];
            if curvature > 0.0 {
                let next = (theta[i] + slope / curvature).clamp(low, high);
                moved = moved.max((next - theta[i]).abs());
                theta[i] = next;
            }
        }
        if moved < STILL * (high - low) {
            break;
        }
    }
    Ok(theta)
}

/// Refuses a box that is empty or not finite, or has too many faces.
pub(super) fn check_box(op: &'static str, low: f64, high: f64) -> Result<(), Error> {
    if low.is_finite() && high.is_finite() && low < high {
        return Ok(());
    }
    let allowed = "two finite ends, the lower one first";
    Err(Error::parameter(op, "the width of the box", high - low, allowed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::{Streams, normal_array2};

    #[test]
    fn a_form_that_is_no_number_has_no_extremes() {
        let found = extremes("test", &Array2::from_elem((3, 3), f64::NAN), -1.0, 2.0).unwrap();
        assert!(found.least.is_nan() && found.largest.is_nan(), "{found:?}");
    }

    #[test]
    fn extremes_beat_a_grid_and_are_taken() {
        let mut stream = Streams::new(1).stream("forms").unwrap();
        for case in 0..30 {
            let a = normal_array2(&mut stream, 3, 3);
            // Indefinite and definite forms in turn.
            let m = if case % 2 == 0 { &a + &a.t() } else { a.t().dot(&a) };
            let found = extremes("test", &m, -1.0, 2.0).unwrap();
            let (mut least, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
            for i in 0..=60 {
                for j in 0..=60 {
                    let v = value(&m, &[-1.0 + 0.05 * f64::from(i), -1.0 + 0.05 * f64::from(j)]);
                    (least, largest) = (least.min(v), largest.max(v));
                }
            }
            assert!(found.least <= least + 1e-12 && found.largest >= largest - 1e-12);
            let span = largest - least;
            assert!(least - found.least < 0.05 * span && found.largest - largest < 0.05 * span);
            assert!((value(&m, &found.at_least) - found.least).abs() < 1e-12);
        }
    }

    #[test]
    fn both_minimisers_agree() {
        let mut stream = Streams::new(2).stream("forms").unwrap();
        for _ in 0..20 {
            let a = normal_array2(&mut stream, 9, 5);
            let m = a.t().dot(&a);
            let direct = extremes("test", &m, -0.2, 0.1).unwrap();
            let descent = value(&m, &descend("test", &m, -0.2, 0.1).unwrap());
            let chosen = value(&m, &minimiser("test", &m, -0.2, 0.1).unwrap());
            assert!((descent - direct.least).abs() < 1e-9 * direct.least.abs().max(1.0), "{descent} {}", direct.least);
            assert!((chosen - direct.least).abs() < 1e-9 * direct.least.abs().max(1.0));
        }
        assert!(check_box("test", 1.0, 1.0).is_err() && check_box("test", 0.0, f64::NAN).is_err());
    }
}
