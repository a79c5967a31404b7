//! Lines in pixels: cut at the axes, without superfluous points, in dashes.

/// Parts of a polyline that lie inside a rectangle (left, top, right, bottom).
pub(crate) fn clip(points: &[(f64, f64)], area: (f64, f64, f64, f64)) -> Vec<Vec<(f64, f64)>> {
    let mut parts: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut part: Vec<(f64, f64)> = Vec::new();
    for pair in points.windows(2) {
        let Some((a, b)) = clip_segment(pair[0], pair[1], area) else {
            if part.len() > 1 {
                parts.push(std::mem::take(&mut part));
            }
            part.clear();
            continue;
        };
        if part.last() != Some(&a) {
            if part.len() > 1 {
                parts.push(std::mem::take(&mut part));
            }
            part = vec![a];
        }
        part.push(b);
    }
    if part.len() > 1 {
        parts.push(part);
    }
    parts
}

/// Liang-Barsky clipping of one segment.
fn clip_segment(
    a: (f64, f64),
    b: (f64, f64),
    (left, top, right, bottom): (f64, f64, f64, f64),
) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (slope, room) in [(-dx, a.0 - left), (dx, right - a.0), (-dy, a.1 - top), (dy, bottom - a.1)] {
        if slope == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if slope < 0.0 {
            enter = enter.max(room / slope);
        } else {
            leave = leave.min(room / slope);
        }
    }
    if enter > leave {
        return None;
    }
    let at = |t: f64| (a.0 + t * dx, a.1 + t * dy);
    let first = if enter > 0.0 { at(enter) } else { a };
    let last = if leave < 1.0 { at(leave) } else { b };
    Some((first, last))
}

/// The same line with the points left out that lie within `tolerance` of it (Douglas-Peucker).
pub(crate) fn simplify(points: &[(f64, f64)], tolerance: f64) -> Vec<(f64, f64)> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let mut keep = vec![false; points.len()];
    keep[0] = true;
    keep[points.len() - 1] = true;
    let mut stack = vec![(0, points.len() - 1)];
    while let Some((first, last)) = stack.pop() {
        let (a, b) = (points[first], points[last]);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy);
        let mut worst = (0.0, first);
        for (i, p) in points.iter().enumerate().take(last).skip(first + 1) {
            let (px, py) = (p.0 - a.0, p.1 - a.1);
            let along = if length > 0.0 { (px * dx + py * dy) / length } else { 0.0 };
            // Beyond the ends the distance is to the end point, so that a line going back on itself is kept.
            let distance = if length == 0.0 || along < 0.0 {
                px.hypot(py)
            } else if along > length {
                (p.0 - b.0).hypot(p.1 - b.1)
            } else {
                (px * dy - py * dx).abs() / length
            };
            if distance > worst.0 {
                worst = (distance, i);
            }
        }
        if worst.0 > tolerance {
            keep[worst.1] = true;
            stack.push((first, worst.1));
            stack.push((worst.1, last));
        }
    }
    points.iter().zip(keep).filter(|(_, keep)| *keep).map(|(p, _)| *p).collect()
}

/// Pieces of a line of the lengths in `pattern`, drawn and skipped in turn.
pub(crate) fn dash(points: &[(f64, f64)], pattern: &[f64]) -> Vec<Vec<(f64, f64)>> {
    let mut pieces = Vec::new();
    let Some(&start) = points.first() else {
        return pieces;
    };
    let (mut step, mut left) = (0, pattern[0]);
    let mut piece = vec![start];
    let mut at = start;
    for &end in &points[1..] {
        loop {
            let (dx, dy) = (end.0 - at.0, end.1 - at.1);
            let length = dx.hypot(dy);
            if length < left {
                left -= length;
                piece.push(end);
                at = end;
                break;
            }
            let part = if length > 0.0 { left / length } else { 1.0 };
            at = (at.0 + part * dx, at.1 + part * dy);
            piece.push(at);
            if step % 2 == 0 && piece.len() > 1 {
                pieces.push(std::mem::take(&mut piece));
            }
            piece = vec![at];
            step = (step + 1) % pattern.len();
            left = pattern[step];
        }
    }
    if step % 2 == 0 && piece.last() != piece.first() {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_keeps_only_what_is_inside() {
        let area = (0.0, 0.0, 10.0, 10.0);
        let parts = clip(&[(-5.0, 5.0), (5.0, 5.0), (15.0, 5.0), (15.0, 20.0), (5.0, 20.0), (5.0, 5.0)], area);
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0], [(0.0, 5.0), (5.0, 5.0), (10.0, 5.0)]);
        assert_eq!(parts[1], [(5.0, 10.0), (5.0, 5.0)]);
        assert!(clip(&[(-1.0, -1.0), (-2.0, 5.0)], area).is_empty());
    }

    #[test]
    fn simplifying_stays_within_the_tolerance() {
        let curve: Vec<(f64, f64)> =
            (0..1000).map(|i| (f64::from(i) * 0.5, 100.0 * (f64::from(i) * 0.01).sin())).collect();
        let fewer = simplify(&curve, 0.1);
        assert!(fewer.len() < 200, "{}", fewer.len());
        assert_eq!((fewer[0], fewer[fewer.len() - 1]), (curve[0], curve[999]));
        assert_eq!(simplify(&[(0.0, 0.0), (5.0, 0.0), (10.0, 0.0)], 0.1).len(), 2);
        assert_eq!(simplify(&[(0.0, 0.0), (10.0, 0.0), (0.0, 0.0)], 0.1).len(), 3);
    }

    #[test]
    fn dashes_have_the_given_lengths_across_corners() {
        let pieces = dash(&[(0.0, 0.0), (5.0, 0.0), (5.0, 25.0)], &[6.0, 4.0]);
        let length =
            |p: &Vec<(f64, f64)>| -> f64 { p.windows(2).map(|w| (w[1].0 - w[0].0).hypot(w[1].1 - w[0].1)).sum() };
        assert_eq!(pieces.len(), 3);
        assert!(pieces.iter().all(|p| (length(p) - 6.0).abs() < 1e-9));
        assert_eq!(pieces[0], [(0.0, 0.0), (5.0, 0.0), (5.0, 1.0)]);
    }
}
