//! Kernels of our own between products: weighted sums of states, their errors, sums of products of states; the softmax is in `soften`.
//!
//! With products alone a weighted sum by entries takes two operations and its gradient four. The text for devices is `kernels.cu`, with
//! `tiled.cu` for large products, compiled by `kernels.sh` into `kernels.ptx`, which every driver since CUDA 10 compiles for its device. The
//! null driver of the tests runs the same text; the machine's own cores run the loops below.

use super::launch::{Kernel, Number, run};
use candle_core::{Result, Tensor};

/// The weighted sum of `count` states: entry i is sum_j weights\[j, i mod each\] terms\[j, i\].
///
/// **Shapes**: the sum has `all` numbers, the terms `(count, all)` from `from` on, the weights `(count, each)` from `at` on.
/// **Errors**: tensors that are shorter. Cost: `count * all` multiplications, one launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weigh {
    pub(super) all: usize,
    pub(super) count: usize,
    pub(super) each: usize,
    pub(super) at: usize,
    pub(super) from: usize,
}

impl Weigh {
    /// Into `to`.
    pub(super) fn run(&self, to: &Tensor, weights: &Tensor, terms: &Tensor) -> Result<()> {
        run(self, to, None, weights, terms)
    }
}

impl Kernel for Weigh {
    const NAME: &'static str = "weigh";

    fn sizes(&self) -> Vec<usize> {
        vec![self.all, self.count, self.each]
    }

    fn threads(&self) -> (usize, usize) {
        (self.all, 1)
    }

    fn spans(&self) -> [(usize, usize); 4] {
        let weights = (self.at, self.count * self.each);
        [(0, 0), weights, (self.from, self.count * self.all), (0, self.all)]
    }

    fn by_cores<T: Number>(&self, _: &[T], weights: &[T], terms: &[T], to: &mut [T]) {
        to.fill(T::zero());
        for (weights, terms) in weights.chunks(self.each).zip(terms.chunks(self.all)) {
            for (to, terms) in to.chunks_mut(self.each).zip(terms.chunks(self.each)) {
                let weighed = to.iter_mut().zip(weights).zip(terms);
                weighed.for_each(|((to, w), x)| *to += *w * *x);
            }
        }
    }
}

/// The errors of the query's responses, where the adjoint of the last state is: the last number of the weighted sum of `count` states, plus
/// the answer.
///
/// **Shapes**: weights `(count, each)` from `at` on, terms `(count, prompts, state)`, answers `(prompts)`; written is one number in each
/// state of `(prompts, state)` from `to` on. **Errors**: tensors that are shorter. Cost: `count * prompts` multiplications, one launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Respond {
    pub(super) prompts: usize,
    pub(super) state: usize,
    pub(super) count: usize,
    pub(super) each: usize,
    pub(super) at: usize,
    pub(super) to: usize,
}

impl Respond {
    /// Into `to`.
    pub(super) fn run(&self, to: &Tensor, weights: &Tensor, terms: &Tensor, answers: &Tensor) -> Result<()> {
        run(self, to, Some(weights), terms, answers)
    }
}

impl Kernel for Respond {
    const NAME: &'static str = "respond";

    fn sizes(&self) -> Vec<usize> {
        vec![self.prompts, self.state, self.count, self.each]
    }

    fn threads(&self) -> (usize, usize) {
        (self.prompts, 1)
    }

    fn spans(&self) -> [(usize, usize); 4] {
        let (all, weights) = (self.prompts * self.state, (self.at, self.count * self.each));
        [weights, (0, self.count * all), (0, self.prompts), (self.to, all)]
    }

    fn by_cores<T: Number>(&self, weights: &[T], terms: &[T], answers: &[T], to: &mut [T]) {
        for (b, answer) in answers.iter().enumerate() {
            let last = b * self.state + self.state - 1;
            to[last] = *answer;
            for j in 0..self.count {
                to[last] += weights[(j + 1) * self.each - 1] * terms[j * self.prompts * self.state + last];
            }
        }
    }
}

/// What the gradient of weights sums: for layers l and registers j <= l the products of adjoint and register, entry by entry, over all rows
/// that share a weight. Rows are dealt to `lanes`, whose sums are added up by a product.
///
/// **Shapes**: adjoints `(depth, rows, entries)`, terms the same from `from` on, sums `(lanes, entries, depth, depth)`; those with j > l
/// stay as they are. **Errors**: tensors that are shorter. Cost: depth (depth + 1) / 2 * rows * entries multiplications, one launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairs {
    pub(super) rows: usize,
    pub(super) entries: usize,
    pub(super) lanes: usize,
    pub(super) depth: usize,
    pub(super) from: usize,
    /// Whether what is there is added to.
    pub(super) adds: bool,
}

impl Pairs {
    /// Into `sums`.
    pub(super) fn run(&self, sums: &Tensor, adjoints: &Tensor, terms: &Tensor) -> Result<()> {
        run(self, sums, None, adjoints, terms)
    }
}

impl Kernel for Pairs {
    const NAME: &'static str = "pairs";

    fn sizes(&self) -> Vec<usize> {
        vec![self.rows, self.entries, self.lanes, self.depth, usize::from(self.adds)]
    }

    fn threads(&self) -> (usize, usize) {
        (self.lanes * self.entries, self.depth * self.depth)
    }

    fn spans(&self) -> [(usize, usize); 4] {
        let all = self.depth * self.rows * self.entries;
        let sums = self.lanes * self.entries * self.depth * self.depth;
        [(0, 0), (0, all), (self.from, all), (0, sums)]
    }

    fn by_cores<T: Number>(&self, _: &[T], adjoints: &[T], terms: &[T], sums: &mut [T]) {
        let (depth, all, step) = (self.depth, self.rows * self.entries, self.lanes * self.entries);
        for (l, j) in (0..depth).flat_map(|l| (0..=l).map(move |j| (l, j))) {
            let (x, y) = (&adjoints[l * all..][..all], &terms[j * all..][..all]);
            let mut lanes = vec![T::zero(); step];
            for (x, y) in x.chunks(step).zip(y.chunks(step)) {
                let rows = lanes.iter_mut().zip(x).zip(y);
                rows.for_each(|((sum, x), y)| *sum += *x * *y);
            }
            for (i, sum) in lanes.into_iter().enumerate() {
                let to = &mut sums[(i * depth + l) * depth + j];
                *to = if self.adds { *to + sum } else { sum };
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::soften::{Harden, Soften};
    use super::*;
    use candle_core::Device;

    pub(in crate::device) fn numbers(count: usize, from: usize) -> Vec<f64> {
        (0..count).map(|i| (0.37 * (i + from) as f64).sin()).collect()
    }

    pub(in crate::device) fn tensor(numbers: &[f64]) -> Tensor {
        Tensor::new(numbers, &Device::Cpu).unwrap()
    }

    pub(in crate::device) fn near(got: &Tensor, want: &[f64]) {
        let got: Vec<f64> = got.to_vec1().unwrap();
        assert_eq!(got.len(), want.len());
        assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-13), "{got:?} {want:?}");
    }

    #[test]
    fn weighted_sums_are_those_of_the_definition() {
        let (weights, terms) = (numbers(40, 1), numbers(90, 2));
        for (all, count, each) in [(12, 3, 1), (12, 4, 4), (12, 2, 12), (6, 1, 3)] {
            let sum = Weigh { all, count, each, at: 5, from: 7 };
            let to = tensor(&numbers(all, 0));
            sum.run(&to, &tensor(&weights), &tensor(&terms)).unwrap();
            let entry = |i: usize| (0..count).map(|j| weights[5 + j * each + i % each] * terms[7 + j * all + i]).sum();
            near(&to, &(0..all).map(entry).collect::<Vec<f64>>());
        }
    }

    #[test]
    fn errors_are_the_last_numbers_of_weighted_sums() {
        let (weights, terms, answers) = (numbers(40, 1), numbers(90, 2), numbers(4, 9));
        for (state, count, each) in [(6, 3, 1), (6, 2, 3), (6, 3, 6)] {
            let mut want = numbers(30, 0);
            for (b, answer) in answers.iter().enumerate() {
                let last = b * state + state - 1;
                let entry = |j: usize| weights[3 + j * each + each - 1] * terms[j * 4 * state + last];
                want[2 + last] = answer + (0..count).map(entry).sum::<f64>();
            }
            let respond = Respond { prompts: 4, state, count, each, at: 3, to: 2 };
            let to = tensor(&numbers(30, 0));
            respond.run(&to, &tensor(&weights), &tensor(&terms), &tensor(&answers)).unwrap();
            near(&to, &want);
        }
    }

    #[test]
    fn pairs_are_summed_over_rows_and_added_to_earlier_ones() {
        let (adjoints, terms) = (numbers(90, 1), numbers(90, 2));
        for (rows, entries, lanes, depth) in [(7, 1, 3, 3), (5, 4, 2, 3), (9, 2, 9, 2), (4, 6, 1, 1)] {
            let mut pairs = Pairs { rows, entries, lanes, depth, from: 6, adds: false };
            let sums = tensor(&numbers(lanes * entries * depth * depth, 0));
            for times in 1..3 {
                pairs.run(&sums, &tensor(&adjoints), &tensor(&terms)).unwrap();
                let got: Vec<f64> = sums.to_vec1().unwrap();
                for (e, l) in (0..entries).flat_map(|e| (0..depth).map(move |l| (e, l))) {
                    for j in 0..=l {
                        let at = |layer: usize, r: usize| (layer * rows + r) * entries + e;
                        let row = |r: usize| adjoints[at(l, r)] * terms[6 + at(j, r)];
                        let want = f64::from(times) * (0..rows).map(row).sum::<f64>();
                        let lane = |lane: usize| got[((lane * entries + e) * depth + l) * depth + j];
                        let sum: f64 = (0..lanes).map(lane).sum();
                        assert!((sum - want).abs() < 1e-13, "{pairs:?} {sum} {want}");
                    }
                }
                pairs.adds = true;
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (to, short) = (tensor(&numbers(12, 0)), tensor(&numbers(5, 0)));
        let sum = |all: usize| Weigh { all, count: 2, each: 3, at: 0, from: 0 };
        let say = |r: Result<()>| r.unwrap_err().to_string();
        assert!(say(sum(12).run(&to, &short, &to.copy().unwrap())).contains("6 numbers from 0 on are not within 5"));
        assert!(say(sum(12).run(&to, &to.copy().unwrap(), &short)).contains("24 numbers"));
        let single = tensor(&numbers(24, 0)).to_dtype(candle_core::DType::F32).unwrap();
        assert!(say(sum(12).run(&to, &to.copy().unwrap(), &single)).contains("all f64"));
    }

    /// As the program `cksum` has it.
    fn cksum(bytes: &[u8]) -> u32 {
        let length = bytes.len().to_le_bytes();
        let used = length.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let sum = bytes.iter().chain(&length[..used]).fold(0u32, |sum, byte| {
            (0..8).fold(sum ^ (u32::from(*byte) << 24), |sum, _| {
                (sum << 1) ^ if sum >> 31 == 1 { 0x04c1_1db7 } else { 0 }
            })
        });
        !sum
    }

    #[test]
    fn what_devices_load_was_made_of_the_text() {
        assert_eq!(cksum(b"text\n"), 2_921_489_099);
        let text = concat!(include_str!("kernels.cu"), include_str!("tiled.cu"));
        let made = include_str!("kernels.ptx");
        let said = format!("whose cksum is {}.", cksum(text.as_bytes()));
        assert!(made.lines().next().unwrap().ends_with(&said), "run kernels.sh: {said}");
        for kernel in [Weigh::NAME, Respond::NAME, Pairs::NAME, Soften::NAME, Harden::NAME, "small", "tiled"] {
            for number in ["f32", "f64"] {
                assert!(made.contains(&format!(".visible .entry {kernel}_{number}(")), "{kernel}");
            }
        }
    }
}
