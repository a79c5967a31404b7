//! Sectors of the plane that belong to each class.

use ndarray::Array2;
use std::f64::consts::{PI, TAU};
use workbench_ground::Error;
use workbench_ground::check::{finite_matrix, positive, same};

/// The sectors of the plane on which each class wins, $\arg\max_yu_y^\top v$: for each class the angles `(from, width)` in radians, or
/// `None` if the class wins nowhere.
///
/// A class wins somewhere exactly when its vector is a corner of the convex hull of all of them. Sectors of the corners fill the circle.
///
/// **Source**: Fig. 12 (left).
///
/// **Shapes**: `outputs` is `(M, 2)`.
///
/// **Errors**: another dimension than two, no classes, entries that are not finite.
///
/// ```
/// use workbench_memory::sectors;
/// use ndarray::array;
/// // Three corners and a point inside.
/// let s = sectors(&array![[1.0, 0.0], [-0.5, 0.8], [-0.5, -0.8], [0.1, 0.0]])?;
/// assert!(s[3].is_none() && s[..3].iter().all(Option::is_some));
/// assert!((s.iter().flatten().map(|s| s.1).sum::<f64>() - std::f64::consts::TAU).abs() < 1e-12);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn sectors(outputs: &Array2<f64>) -> Result<Vec<Option<(f64, f64)>>, Error> {
    const OP: &str = "sectors";
    positive(OP, "n_classes (M)", outputs.nrows())?;
    same(OP, ("output dim", outputs.ncols()), ("dimension of the plane", 2))?;
    finite_matrix(OP, "outputs", outputs)?;
    Ok((0..outputs.nrows()).map(|y| sector(outputs, y)).collect())
}

/// Intersection of the half-circles on which class y beats each other class.
fn sector(outputs: &Array2<f64>, y: usize) -> Option<(f64, f64)> {
    let mut centre = None;
    // Offsets of the centres of the half-circles from the first one.
    let (mut low, mut high) = (0.0f64, 0.0f64);
    for z in (0..outputs.nrows()).filter(|&z| z != y) {
        let (a, b) = (outputs[[y, 0]] - outputs[[z, 0]], outputs[[y, 1]] - outputs[[z, 1]]);
        if a == 0.0 && b == 0.0 {
            return None; // a tie everywhere
        }
        let angle = b.atan2(a);
        let first = *centre.get_or_insert(angle);
        let offset = (angle - first + PI).rem_euclid(TAU) - PI;
        low = low.min(offset);
        high = high.max(offset);
    }
    let Some(first) = centre else {
        return Some((0.0, TAU)); // the only class
    };
    let width = PI - (high - low);
    (width > 0.0).then(|| ((first + high - 0.5 * PI).rem_euclid(TAU), width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use workbench_ground::stats::{Streams, normal_array2};

    #[test]
    fn sectors_agree_with_a_scan_of_angles() {
        let mut stream = Streams::new(1).stream("u").unwrap();
        for _ in 0..20 {
            let u = normal_array2(&mut stream, 6, 2);
            let sectors = sectors(&u).unwrap();
            let mut hits = [0usize; 6];
            for k in 0..3600 {
                let angle = (k as f64 + 0.5) * TAU / 3600.0;
                let scores = u.dot(&array![angle.cos(), angle.sin()]);
                let best = (0..6).fold(0, |b, y| if scores[y] > scores[b] { y } else { b });
                hits[best] += 1;
                let (from, width) = sectors[best].unwrap();
                assert!((angle - from).rem_euclid(TAU) < width + 1e-9);
            }
            for (hit, sector) in hits.iter().zip(&sectors) {
                let width = sector.map_or(0.0, |s| s.1);
                assert!((*hit as f64 * TAU / 3600.0 - width).abs() < 2.1 * TAU / 3600.0);
            }
        }
    }

    #[test]
    fn corner_cases() {
        assert_eq!(sectors(&array![[0.3, 0.4]]).unwrap(), vec![Some((0.0, TAU))]);
        assert_eq!(sectors(&array![[1.0, 0.0], [1.0, 0.0]]).unwrap(), vec![None, None]);
        let two = sectors(&array![[1.0, 0.0], [-1.0, 0.0]]).unwrap();
        assert!((two[0].unwrap().1 - PI).abs() < 1e-15);
        assert!(matches!(sectors(&array![[1.0]]), Err(Error::Shape { .. })));
        assert!(matches!(sectors(&array![[1.0, f64::NAN]]), Err(Error::NotFinite { .. })));
        assert!(matches!(sectors(&Array2::zeros((0, 2))), Err(Error::Zero { .. })));
    }
}
