//! Adam's moments of a model, and clipping.

use super::protocol::Clip;
use std::ops::Range;
use workbench_ground::AdamStep;

/// Moments of the gradients.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Adam {
    pub(super) first: Vec<f64>,
    pub(super) second: Vec<f64>,
    pub(crate) steps: usize,
}

impl Adam {
    /// Empty moments.
    pub(crate) fn new(count: usize) -> Adam {
        Adam { first: vec![0.0; count], second: vec![0.0; count], steps: 0 }
    }

    /// Moves the values in the given ranges.
    pub(crate) fn step(
        &mut self,
        values: &mut [f64],
        gradient: &[f64],
        ranges: &[Range<usize>],
        rate: f64,
        betas: (f64, f64),
        epsilon: f64,
    ) {
        self.steps += 1;
        let step = AdamStep::new(self.steps, rate, betas, epsilon);
        for range in ranges {
            let (first, second) = (&mut self.first[range.clone()], &mut self.second[range.clone()]);
            step.apply(&mut values[range.clone()], &gradient[range.clone()], first, second);
        }
    }
}

/// Shortens gradients: `groups` are the matrices and weights, `ranges` the trained parts.
pub(crate) fn clip(gradient: &mut [f64], clip: Clip, groups: &[Range<usize>], ranges: &[Range<usize>]) {
    let shorten = |values: &mut [f64], factor: f64| values.iter_mut().for_each(|g| *g *= factor);
    match clip {
        Clip::None => {}
        Clip::PerMatrix(most) => {
            for group in groups {
                let values = &mut gradient[group.clone()];
                let norm = norm_of(values);
                if norm > most {
                    shorten(values, most / norm);
                }
            }
        }
        Clip::Global(most) => {
            let norm = norm(ranges.iter().flat_map(|r| &gradient[r.clone()]));
            if norm > most {
                for range in ranges {
                    shorten(&mut gradient[range.clone()], most / norm);
                }
            }
        }
    }
}

/// The norm of a matrix; of a large one in sums that run side by side, where one sum would wait for itself.
fn norm_of(values: &[f64]) -> f64 {
    const LARGE: usize = 1000;
    if values.len() < LARGE {
        return norm(values.iter());
    }
    let mut sums = [0.0; 8];
    for eight in values.chunks(8) {
        for (sum, v) in sums.iter_mut().zip(eight) {
            *sum += v * v;
        }
    }
    sums.iter().sum::<f64>().sqrt()
}

fn norm<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_the_rate_and_the_second_follows_the_recursion() {
        let mut adam = Adam::new(3);
        let mut values = [1.0, 2.0, 3.0];
        let whole = 0..2usize;
        adam.step(&mut values, &[0.5, -4.0, 9.0], std::slice::from_ref(&whole), 0.1, (0.9, 0.99), 0.0);
        for (got, want) in values.iter().zip([0.9, 2.1, 3.0]) {
            assert!((got - want).abs() < 1e-15, "{values:?}");
        }
        adam.step(&mut values, &[1.0, -4.0, 9.0], std::slice::from_ref(&whole), 0.1, (0.9, 0.99), 0.0);
        // m = (0.9 0.05 + 0.1) / 0.19, v = (0.99 0.0025 + 0.01) / 0.0199.
        let want = 0.9 - 0.1 * (0.145 / 0.19) / (0.012475f64 / 0.0199).sqrt();
        assert!((values[0] - want).abs() < 1e-15);
        assert_eq!((values[2], adam.second[2]), (3.0, 0.0));
    }

    #[test]
    fn clipping_shortens_and_keeps_directions() {
        let groups = [0..2, 2..4];
        let mut gradient = [3.0, 4.0, 0.3, 0.4];
        clip(&mut gradient, Clip::PerMatrix(1.0), &groups, &groups);
        for (got, want) in gradient.iter().zip([0.6, 0.8, 0.3, 0.4]) {
            assert!((got - want).abs() < 1e-15);
        }
        let mut gradient = [3.0, 4.0, 12.0, 0.0];
        clip(&mut gradient, Clip::Global(1.3), &groups, &groups);
        assert!((norm(gradient.iter()) - 1.3).abs() < 1e-15);
        clip(&mut gradient, Clip::None, &groups, &groups);
        assert!((gradient[2] - 1.2).abs() < 1e-15);
    }
}
