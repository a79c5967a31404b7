//! The parameters as the pass multiplies by them, and its sums as their gradient: the only numbers that travel in a step.

use super::plan::{Cover, Sizes};
use crate::parameters::FullParameters;
use workbench_memformer::Part;

/// Where the arranged parameters stand in one array, and the sums in another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    sizes: Sizes,
}

impl Places {
    pub(super) fn new(sizes: Sizes) -> Places {
        Places { sizes }
    }

    /// Numbers of the maps of a layer.
    fn layer(&self) -> usize {
        let square = self.sizes.square();
        match self.sizes.joined() {
            true => (square + 1) * square,
            false if self.sizes.scored() => 2 * self.sizes.heads * square,
            false => 3 * self.sizes.heads * square,
        }
    }

    /// The map of a layer: `(w^2 + 1, w^2)` from S and a one to P S Q transposed, or `(w, 2, H, w)`: the first rows of all P_h, those of all
    /// transposed Q_h, the second rows of all P_h, and so on. With scores `(w, H, 2, w)`: the first columns of Q_1, of P_1, of Q_2, and so on,
    /// then the second columns.
    pub(super) fn map(&self, l: usize) -> usize {
        l * self.layer()
    }

    /// `(w, H, w)`: the first rows of all P_h, the second ones, and so on.
    pub(super) fn p(&self, l: usize) -> usize {
        self.map(l) + 2 * self.sizes.heads * self.sizes.square()
    }

    /// Weights of T_0 and of the registers 0..=l in the state after layer l: l + 2 of them.
    pub(super) fn after(&self, l: usize) -> usize {
        self.sizes.depth * self.layer() + (l * (l + 3) / 2) * self.sizes.weight()
    }

    /// Weights of register j in the states after the layers j.., L - j of them.
    pub(super) fn of(&self, j: usize) -> usize {
        let depth = self.sizes.depth;
        self.after(depth) + (j * depth - j * j.saturating_sub(1) / 2) * self.sizes.weight()
    }

    /// Numbers of the parameters so arranged.
    pub(super) fn len(&self) -> usize {
        match self.sizes.cover {
            Cover::None => self.after(0),
            _ => self.of(self.sizes.depth),
        }
    }

    /// Where the gradient of a layer's maps is summed: that of the joined map without its last row, or `(w, H, w)` for the P_h, then the same
    /// for the transposed Q_h; with scores as the maps themselves.
    pub(super) fn map_sum(&self, l: usize) -> usize {
        1 + l * self.map_sum_len()
    }

    pub(super) fn map_sum_len(&self) -> usize {
        let square = self.sizes.square();
        match self.sizes.joined() {
            true => square * square,
            false => 2 * self.sizes.heads * square,
        }
    }

    /// Where the gradients of the weights are summed, `(weight, L, L)`: entry (l, j) belongs to register j after layer l.
    pub(super) fn weight_sum(&self) -> usize {
        self.map_sum(self.sizes.depth)
    }

    pub(super) fn weight_sum_len(&self) -> usize {
        match self.sizes.cover {
            Cover::None => 0,
            _ => self.sizes.weight() * self.sizes.depth * self.sizes.depth,
        }
    }

    /// Numbers of the sums: the squared errors first.
    pub(super) fn sums_len(&self) -> usize {
        self.weight_sum() + self.weight_sum_len()
    }

    /// The parameters, arranged.
    pub(super) fn arrange(&self, parameters: &FullParameters) -> Vec<f64> {
        let sizes = &self.sizes;
        let mut out = vec![0.0; self.len()];
        for l in 0..sizes.depth {
            match sizes.joined() {
                true => self.join(parameters, l, &mut out[self.map(l)..][..self.layer()]),
                false if sizes.scored() => self.by_columns(parameters, l, &mut out[self.map(l)..][..self.layer()]),
                false => self.by_rows(parameters, l, &mut out[self.map(l)..][..self.layer()]),
            }
        }
        if sizes.cover != Cover::None {
            let size = sizes.weight();
            let gamma = self.spread(&parameters.weights());
            let entry = |l: usize, j: usize| &gamma[(l * (l + 1) / 2 + j) * size..][..size];
            for l in 0..sizes.depth {
                let row = &mut out[self.after(l)..][..(l + 2) * size];
                row[..size].fill(1.0);
                for j in 0..=l {
                    row[(j + 1) * size..][..size].copy_from_slice(entry(l, j));
                }
            }
            for j in 0..sizes.depth {
                for l in j..sizes.depth {
                    out[self.of(j) + (l - j) * size..][..size].copy_from_slice(entry(l, j));
                }
            }
        }
        out
    }

    /// Loss and gradient in the order of the parameters, from the sums over `prompts` prompts.
    pub(super) fn gradient(&self, parameters: &FullParameters, sums: &[f64], prompts: usize) -> Vec<f64> {
        let sizes = &self.sizes;
        let slope = 2.0 / prompts as f64;
        let mut gradient = vec![0.0; parameters.values().len()];
        for l in 0..sizes.depth {
            let sums = &sums[self.map_sum(l)..][..self.map_sum_len()];
            for h in 0..sizes.heads {
                match sizes.joined() {
                    true => self.part(parameters, (l, h), sums, slope, &mut gradient),
                    false if sizes.scored() => self.columns(parameters, (l, h), sums, slope, &mut gradient),
                    false => self.apart(parameters, (l, h), sums, slope, &mut gradient),
                }
            }
        }
        if sizes.cover != Cover::None {
            let weights = self.gather(&sums[self.weight_sum()..], slope);
            let from = parameters.architecture().range(Part::Registers);
            gradient[from].copy_from_slice(&parameters.fold(&weights));
        }
        gradient
    }

    /// P S Q, transposed, as a linear map of S, the same for S and its transpose; without registers the identity is added.
    fn join(&self, parameters: &FullParameters, l: usize, map: &mut [f64]) {
        let (w, square) = (self.sizes.width, self.sizes.square());
        for h in 0..self.sizes.heads {
            let (p, q) = self.matrices(parameters, l, h);
            for m in 0..w {
                for i in 0..w {
                    for k in 0..w {
                        let (one, two) = (0.5 * q[m * w + k], 0.5 * q[i * w + k]);
                        let row = &mut map[(m * w + i) * square + k * w..][..w];
                        for (r, to) in row.iter_mut().enumerate() {
                            *to += one * p[r * w + i] + two * p[r * w + m];
                        }
                    }
                }
            }
        }
        if self.sizes.cover == Cover::None {
            for k in 0..w {
                map[square * square + k * w + k] = 1.0;
            }
        }
    }

    /// The gradient of P and Q of a head from that of the joined map.
    fn part(&self, parameters: &FullParameters, (l, h): (usize, usize), sums: &[f64], slope: f64, out: &mut [f64]) {
        let (w, square) = (self.sizes.width, self.sizes.square());
        let (p, q) = self.matrices(parameters, l, h);
        let (of_p, of_q) = self.slots(parameters, l, h);
        for m in 0..w {
            for i in 0..w {
                for k in 0..w {
                    let row = &sums[(m * w + i) * square + k * w..][..w];
                    let mut sum = 0.0;
                    for (r, s) in row.iter().enumerate() {
                        out[of_p + r * w + i] += slope * s * q[m * w + k];
                        sum += s * p[r * w + i];
                    }
                    out[of_q + m * w + k] += slope * sum;
                }
            }
        }
    }

    fn by_rows(&self, parameters: &FullParameters, l: usize, to: &mut [f64]) {
        let (w, heads) = (self.sizes.width, self.sizes.heads);
        let (both, only) = to.split_at_mut(2 * heads * w * w);
        for h in 0..heads {
            let (p, q) = self.matrices(parameters, l, h);
            for r in 0..w {
                let row = &p[r * w..][..w];
                both[(2 * heads * r + h) * w..][..w].copy_from_slice(row);
                only[(heads * r + h) * w..][..w].copy_from_slice(row);
                let column = q.iter().skip(r).step_by(w);
                let to = &mut both[(2 * heads * r + heads + h) * w..][..w];
                to.iter_mut().zip(column).for_each(|(to, from)| *to = *from);
            }
        }
    }

    fn apart(&self, parameters: &FullParameters, (l, h): (usize, usize), sums: &[f64], slope: f64, out: &mut [f64]) {
        let (w, heads) = (self.sizes.width, self.sizes.heads);
        let (ps, qs) = sums.split_at(heads * w * w);
        let (of_p, of_q) = self.slots(parameters, l, h);
        for r in 0..w {
            for i in 0..w {
                let from = (heads * r + h) * w + i;
                out[of_p + r * w + i] = slope * ps[from];
                out[of_q + i * w + r] = slope * qs[from];
            }
        }
    }

    fn by_columns(&self, parameters: &FullParameters, l: usize, to: &mut [f64]) {
        let (w, heads) = (self.sizes.width, self.sizes.heads);
        for h in 0..heads {
            let (p, q) = self.matrices(parameters, l, h);
            for (i, row) in to.chunks_mut(2 * heads * w).enumerate() {
                for k in 0..w {
                    row[2 * h * w + k] = q[k * w + i];
                    row[(2 * h + 1) * w + k] = p[k * w + i];
                }
            }
        }
    }

    fn columns(&self, parameters: &FullParameters, (l, h): (usize, usize), sums: &[f64], slope: f64, out: &mut [f64]) {
        let (w, heads) = (self.sizes.width, self.sizes.heads);
        let (of_p, of_q) = self.slots(parameters, l, h);
        for (i, row) in sums.chunks(2 * heads * w).enumerate() {
            for k in 0..w {
                out[of_q + k * w + i] = slope * row[2 * h * w + k];
                out[of_p + k * w + i] = slope * row[(2 * h + 1) * w + k];
            }
        }
    }

    /// What register j weighs in the state after layer l: the sum of Gamma_j^k over k = j..=l.
    fn spread(&self, pairs: &[f64]) -> Vec<f64> {
        let size = self.sizes.weight();
        let mut out = vec![0.0; pairs.len()];
        for l in 0..self.sizes.depth {
            for j in 0..=l {
                let pair = l * (l + 1) / 2 + j;
                for e in 0..size {
                    let before = if l > j { out[(l * (l - 1) / 2 + j) * size + e] } else { 0.0 };
                    out[pair * size + e] = before + pairs[pair * size + self.transposed(e)];
                }
            }
        }
        out
    }

    /// The gradient with respect to the pairs' weights from the sums `(weight, L, L)`.
    fn gather(&self, sums: &[f64], slope: f64) -> Vec<f64> {
        let (size, depth) = (self.sizes.weight(), self.sizes.depth);
        let mut out = vec![0.0; depth * (depth + 1) / 2 * size];
        for e in 0..size {
            for j in 0..depth {
                let mut sum = 0.0;
                for l in (j..depth).rev() {
                    sum += slope * sums[(e * depth + l) * depth + j];
                    out[(l * (l + 1) / 2 + j) * size + self.transposed(e)] = sum;
                }
            }
        }
        out
    }

    /// Where entry `e` of a weight over tokens in rows stands in the weight `(d + 1, n + 1)`.
    fn transposed(&self, e: usize) -> usize {
        match self.sizes.cover {
            Cover::Entries => (e % self.sizes.width) * self.sizes.tokens + e / self.sizes.width,
            _ => e,
        }
    }

    fn slots(&self, parameters: &FullParameters, l: usize, h: usize) -> (usize, usize) {
        let at = (l * self.sizes.heads + h) * self.sizes.square();
        (at, parameters.architecture().range(Part::Preconditioners).start + at)
    }

    fn matrices<'a>(&self, parameters: &'a FullParameters, l: usize, h: usize) -> (&'a [f64], &'a [f64]) {
        let (p, q) = self.slots(parameters, l, h);
        let square = self.sizes.square();
        (&parameters.values()[p..p + square], &parameters.values()[q..q + square])
    }
}
