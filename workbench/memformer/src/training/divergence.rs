//! Divergence of a run.

use crate::Error;

/// A loss so many times that at the start counts as divergence, once it has lasted.
const EXPLOSION: f64 = 1e6;
/// Steps that such a loss has to last, beyond those on one batch: a single prompt far out can give a sound model with upper blocks such a
/// loss, and clipped steps on it do no harm.
const PATIENCE: usize = 100;

/// How long the loss of a run has been out of all proportion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Divergence {
    /// Steps in a row.
    exploded: usize,
}

impl Divergence {
    /// Takes the loss and gradient of one step; whether the run has diverged. `start` is the first loss, a batch lasts for `batch` steps.
    pub fn sees(&mut self, loss: f64, gradient: &[f64], start: f64, batch: usize) -> bool {
        let exploded = loss > EXPLOSION * start.max(f64::MIN_POSITIVE);
        self.exploded = if exploded { self.exploded + 1 } else { 0 };
        let sound = loss.is_finite() && gradient.iter().all(|g| g.is_finite());
        !sound || self.exploded > batch + PATIENCE
    }
}

/// A run whose loss or gradient left the numbers.
pub(crate) fn diverged(op: &'static str, step: usize, loss: f64, best: f64, rate: f64) -> Error {
    let next = format!("best so far {best:e}; lower the learning rate, clip the gradient or start closer to zero");
    Error::Diverged { op, step, name: "loss", value: loss, rate: Some(rate), next: next.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_counts_at_once_and_what_is_large_once_it_lasts() {
        let mut seen = Divergence::default();
        assert!(seen.sees(f64::NAN, &[0.0], 1.0, 10) && seen.sees(1.0, &[f64::INFINITY], 1.0, 10));
        let mut seen = Divergence::default();
        let mut far = |loss: f64| (1..200).find(|_| seen.sees(loss, &[0.0], 1.0, 10));
        assert_eq!(far(1e6), None, "not above");
        assert_eq!(far(2e6), Some(111));
        assert_eq!(far(1.0), None, "back again");
        assert_eq!(far(2e6), Some(111));
    }
}
