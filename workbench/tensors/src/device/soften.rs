//! The softmax between products, and the way back through it; their text for devices is in `kernels.cu` too.

use super::launch::{Kernel, Number, run};
use candle_core::{Result, Tensor};

/// Scores to weights, exp(score) / sum exp(score) over the keys of a token and a head, with zeros for the keys from `keys` on, whose weights
/// the mask takes away (Eq. 2.2).
///
/// **Shapes**: scores `(prompts, count, count, heads)`, weights `(prompts, count, heads, count)` from `to` on, keys first: so the scores of
/// all heads are one product with all queries, what they read is one with all values, and a device reads what lies side by side at once.
/// **Errors**: tensors that are shorter. Cost: 2 exponentials a score, one launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Soften {
    pub(super) over: Keys,
    pub(super) to: usize,
}

/// How many scores there are: those of `count` keys for each of `count` tokens and `heads` heads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    pub(super) prompts: usize,
    pub(super) count: usize,
    pub(super) keys: usize,
    pub(super) heads: usize,
}

impl Keys {
    /// Tokens and heads of all prompts.
    fn all(&self) -> usize {
        self.prompts * self.count * self.heads
    }

    fn sizes(&self) -> Vec<usize> {
        vec![self.all(), self.count, self.keys, self.heads]
    }

    fn numbers(&self) -> usize {
        self.all() * self.count
    }

    /// Where the first scores and the first weights of each token and head are; the others follow `count * heads` apart.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (count, heads) = (self.count, self.heads);
        (0..self.all()).map(move |i| {
            let (block, token, head) = (i / (count * heads), i / heads % count, i % heads);
            let first = block * count * count * heads;
            (first + token * heads + head, first + head * count + token)
        })
    }

    /// These and all that follow.
    fn column(&self, first: usize) -> impl Iterator<Item = usize> + Clone {
        (first..).step_by(self.count * self.heads).take(self.count)
    }
}

impl Soften {
    /// Into `to`.
    pub(super) fn run(&self, to: &Tensor, scores: &Tensor) -> Result<()> {
        run(self, to, None, scores, scores)
    }
}

impl Kernel for Soften {
    const NAME: &'static str = "soften";

    fn sizes(&self) -> Vec<usize> {
        self.over.sizes()
    }

    fn threads(&self) -> (usize, usize) {
        (self.over.all(), 1)
    }

    fn spans(&self) -> [(usize, usize); 4] {
        let all = self.over.numbers();
        [(0, 0), (0, all), (0, all), (self.to, all)]
    }

    fn by_cores<T: Number>(&self, _: &[T], scores: &[T], _: &[T], to: &mut [T]) {
        for (first, into) in self.over.places() {
            let (scored, weighed) = (self.over.column(first), self.over.column(into));
            let larger = |top: T, at: usize| if scores[at] > top { scores[at] } else { top };
            let top = scored.clone().fold(scores[first], larger);
            let mut sum = T::zero();
            for (j, (at, into)) in scored.zip(weighed.clone()).enumerate() {
                let weight = (scores[at] - top).exp();
                sum += weight;
                to[into] = if j < self.over.keys { weight } else { T::zero() };
            }
            weighed.for_each(|into| to[into] /= sum);
        }
    }
}

/// The way back through [`Soften`]: from the adjoints of the weights to those of the scores.
///
/// **Shapes**: weights from `from` on and their adjoints as the weights of [`Soften`], what is written as its scores. **Errors**: tensors
/// that are shorter. Cost: 2 multiplications a score, one launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Harden {
    pub(super) over: Keys,
    pub(super) from: usize,
}

impl Harden {
    /// Into `to`.
    pub(super) fn run(&self, to: &Tensor, weights: &Tensor, given: &Tensor) -> Result<()> {
        run(self, to, None, weights, given)
    }
}

impl Kernel for Harden {
    const NAME: &'static str = "harden";

    fn sizes(&self) -> Vec<usize> {
        self.over.sizes()
    }

    fn threads(&self) -> (usize, usize) {
        (self.over.all(), 1)
    }

    fn spans(&self) -> [(usize, usize); 4] {
        let all = self.over.numbers();
        [(0, 0), (self.from, all), (0, all), (0, all)]
    }

    fn by_cores<T: Number>(&self, _: &[T], weights: &[T], given: &[T], to: &mut [T]) {
        for (into, first) in self.over.places() {
            let (mut mean, mut rest) = (T::zero(), T::one());
            for at in self.over.column(first).take(self.over.keys) {
                mean += weights[at] * given[at];
                rest -= weights[at];
            }
            for (j, (at, into)) in self.over.column(first).zip(self.over.column(into)).enumerate() {
                // What the mask takes away has no adjoint of its own.
                let masked = T::zero() - rest * mean;
                to[into] = if j < self.over.keys { weights[at] * (given[at] - mean) } else { masked };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernels::tests::{near, numbers, tensor};
    use super::*;

    #[test]
    fn the_softmax_and_its_way_back_are_those_of_the_definition() {
        let over = Keys { prompts: 2, count: 4, keys: 3, heads: 3 };
        let (all, skip) = (over.numbers(), 2);
        let (scores, adjoints) = (numbers(all, 3), numbers(all, 8));
        // Of key j, token i and head h.
        let scored = |b: usize, j: usize, i: usize, h: usize| ((b * 4 + j) * 4 + i) * 3 + h;
        let weighed = |b: usize, j: usize, i: usize, h: usize| ((b * 4 + j) * 3 + h) * 4 + i;
        let weights = |scores: &[f64]| -> Vec<f64> {
            let mut out = vec![0.0; all];
            for (b, i, h) in (0..2 * 4 * 3).map(|at| (at / 12, at / 3 % 4, at % 3)) {
                let sum: f64 = (0..4).map(|j| scores[scored(b, j, i, h)].exp()).sum();
                (0..3).for_each(|j| out[weighed(b, j, i, h)] = scores[scored(b, j, i, h)].exp() / sum);
            }
            out
        };
        let mut want = numbers(skip + all, 0);
        want[skip..].copy_from_slice(&weights(&scores));
        let to = tensor(&numbers(skip + all, 0));
        Soften { over, to: skip }.run(&to, &tensor(&scores)).unwrap();
        near(&to, &want);
        // Central differences of the sum of adjoints times weights.
        let slope = |at: usize| {
            let value = |step: f64| -> f64 {
                let mut moved = scores.clone();
                moved[at] += step;
                weights(&moved).iter().zip(&adjoints).map(|(w, a)| w * a).sum()
            };
            (value(1e-5) - value(-1e-5)) / 2e-5
        };
        let back = tensor(&numbers(all, 1));
        Harden { over, from: skip }.run(&back, &to, &tensor(&adjoints)).unwrap();
        let got: Vec<f64> = back.to_vec1().unwrap();
        for (at, got) in got.iter().enumerate() {
            assert!((got - slope(at)).abs() < 1e-9, "{at}: {got} {}", slope(at));
        }
    }
}
