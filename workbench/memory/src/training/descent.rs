//! A quasi-Newton descent for small smooth problems: limited-memory BFGS with a backtracking line search.

use workbench_ground::Error;
use workbench_ground::work;

/// Pairs of steps and gradient changes that are kept.
const MEMORY: usize = 12;

/// What a minimisation reached.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Minimum {
    pub at: Vec<f64>,
    pub iterations: usize,
}

/// Minimises `f`, which writes its gradient into the second argument and returns its value, from `start`.
///
/// Ends after `iterations` steps, when the largest entry of the gradient is below `tolerance`, or when no step along the direction lowers
/// the value any more. A loss that is lowered for ever (separable data) ends at the limit of steps.
pub(super) fn minimise(
    op: &'static str,
    f: &mut dyn FnMut(&[f64], &mut [f64]) -> f64,
    start: Vec<f64>,
    iterations: usize,
    tolerance: f64,
) -> Result<Minimum, Error> {
    let n = start.len();
    let (mut x, mut g, mut trial, mut trial_g) = (start, vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut value = f(&x, &mut g);
    let mut pairs: Vec<(Vec<f64>, Vec<f64>, f64)> = Vec::new();
    for iteration in 0..iterations {
        if g.iter().all(|g| g.abs() < tolerance) {
            return Ok(Minimum { at: x, iterations: iteration });
        }
        let mut direction = two_loops(&g, &pairs);
        let mut slope = dot(&direction, &g);
        if slope.is_nan() || slope >= 0.0 {
            pairs.clear();
            direction = g.iter().map(|g| -g).collect();
            slope = -dot(&g, &g);
        }
        // The first step has the length of a gradient step of norm at most one; later ones start at the quasi-Newton length.
        let mut step = if pairs.is_empty() { 1.0 / (-slope).sqrt().max(1.0) } else { 1.0 };
        let mut lowered = false;
        for _ in 0..40 {
            work::check(op, iteration, iterations)?;
            for ((t, x), d) in trial.iter_mut().zip(&x).zip(&direction) {
                *t = x + step * d;
            }
            let found = f(&trial, &mut trial_g);
            if found <= value + 1e-4 * step * slope {
                let s: Vec<f64> = direction.iter().map(|d| step * d).collect();
                let y: Vec<f64> = trial_g.iter().zip(&g).map(|(a, b)| a - b).collect();
                let curvature = dot(&s, &y);
                if curvature > 1e-12 * dot(&s, &s) {
                    if pairs.len() == MEMORY {
                        pairs.remove(0);
                    }
                    pairs.push((s, y, curvature));
                }
                std::mem::swap(&mut x, &mut trial);
                std::mem::swap(&mut g, &mut trial_g);
                value = found;
                lowered = true;
                break;
            }
            step *= 0.5;
        }
        if !lowered {
            return Ok(Minimum { at: x, iterations: iteration });
        }
    }
    Ok(Minimum { at: x, iterations })
}

/// The quasi-Newton direction `-H g` by the two-loop recursion.
fn two_loops(g: &[f64], pairs: &[(Vec<f64>, Vec<f64>, f64)]) -> Vec<f64> {
    let mut q: Vec<f64> = g.iter().map(|g| -g).collect();
    let mut along = Vec::with_capacity(pairs.len());
    for (s, y, curvature) in pairs.iter().rev() {
        let a = dot(s, &q) / curvature;
        q.iter_mut().zip(y).for_each(|(q, y)| *q -= a * y);
        along.push(a);
    }
    if let Some((_, y, curvature)) = pairs.last() {
        let scale = curvature / dot(y, y);
        q.iter_mut().for_each(|q| *q *= scale);
    }
    for ((s, y, curvature), a) in pairs.iter().zip(along.iter().rev()) {
        let b = dot(y, &q) / curvature;
        q.iter_mut().zip(s).for_each(|(q, s)| *q += (a - b) * s);
    }
    q
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_minimum_of_rosenbrock() {
        let mut f = |x: &[f64], g: &mut [f64]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            g[0] = -2.0 * a - 400.0 * x[0] * b;
            g[1] = 200.0 * b;
            a * a + 100.0 * b * b
        };
        let found = minimise("test", &mut f, vec![-1.2, 1.0], 200, 1e-9).unwrap();
        assert!(found.iterations < 100 && found.at.iter().all(|x| (x - 1.0).abs() < 1e-6), "{found:?}");
    }

    #[test]
    fn a_quadratic_takes_few_steps() {
        let mut f = |x: &[f64], g: &mut [f64]| {
            let mut value = 0.0;
            for (i, (x, g)) in x.iter().zip(g).enumerate() {
                let scale = 10f64.powi(i as i32 % 3);
                *g = scale * (x - 2.0);
                value += 0.5 * scale * (x - 2.0) * (x - 2.0);
            }
            value
        };
        let found = minimise("test", &mut f, vec![0.0; 30], 60, 1e-10).unwrap();
        assert!(found.at.iter().all(|x| (x - 2.0).abs() < 1e-9), "{}", found.iterations);
    }
}
