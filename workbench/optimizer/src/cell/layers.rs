//! The layers of which cells are made, with their adjoints.

use std::ops::Range;

use crate::number::CellNumber;

/// Rows, or columns, whose sums are kept in registers together.
const TOGETHER: usize = 8;
/// What is added to a variance before its root is taken.
const NORM_EPSILON: f64 = 1e-5;

/// $y=Wx+b$: where its weights stand among all.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Linear {
    pub weight: Range<usize>,
    pub bias: Option<Range<usize>>,
    pub rows: usize,
    pub columns: usize,
}

impl Linear {
    /// $y=Wx+b$.
    #[inline(always)]
    pub fn forward<N: CellNumber>(&self, weights: &[N::Shared], x: &[N], y: &mut [N]) {
        match &self.bias {
            None => y.fill(N::zero()),
            Some(bias) => {
                for (y, b) in y.iter_mut().zip(&weights[bias.clone()]) {
                    *y = N::spread(*b);
                }
            }
        }
        product(&weights[self.weight.clone()], x, y);
    }

    /// $\partial L/\partial x$ is added to `d_x` and $\partial L/\partial(W,b)$ to `d_weights`.
    #[inline(always)]
    pub fn adjoint<N: CellNumber>(
        &self,
        weights: &[N::Shared],
        x: &[N],
        d_y: &[N],
        d_x: Option<&mut [N]>,
        d_weights: &mut [N],
    ) {
        let rows = d_weights[self.weight.clone()].chunks_exact_mut(self.columns);
        for (row, d) in rows.zip(d_y) {
            for (w, x) in row.iter_mut().zip(x) {
                *w = w.plus(*d, *x);
            }
        }
        self.back(weights, d_y, d_x, d_weights);
    }

    /// As [`Linear::adjoint`] without $\partial L/\partial W$, which [`Gathered::add`](super::gather::Gathered::add) adds from several
    /// units.
    #[inline(always)]
    pub fn back<N: CellNumber>(&self, weights: &[N::Shared], d_y: &[N], d_x: Option<&mut [N]>, d_weights: &mut [N]) {
        if let Some(d_x) = d_x {
            transposed(&weights[self.weight.clone()], d_y, d_x);
        }
        if let Some(bias) = &self.bias {
            for (b, d) in d_weights[bias.clone()].iter_mut().zip(d_y) {
                *b = *b + *d;
            }
        }
    }
}

/// $y\leftarrow y+Wx$, for a matrix row by row.
#[inline(always)]
pub(crate) fn product<N: CellNumber>(matrix: &[N::Shared], x: &[N], y: &mut [N]) {
    let columns = x.len();
    let mut blocks = y.chunks_exact_mut(TOGETHER);
    let mut row = 0;
    for y in &mut blocks {
        eight(&matrix[row * columns..(row + TOGETHER) * columns], x, y);
        row += TOGETHER;
    }
    for y in blocks.into_remainder() {
        let weights = &matrix[row * columns..(row + 1) * columns];
        for (w, x) in weights.iter().zip(x) {
            *y = y.plus(N::spread(*w), *x);
        }
        row += 1;
    }
}

/// [`TOGETHER`] rows. Slices that are walked together need no check of their bounds in the loop.
#[inline(always)]
fn eight<N: CellNumber>(matrix: &[N::Shared], x: &[N], y: &mut [N]) {
    let (top, bottom) = matrix.split_at(4 * x.len());
    let (ab, cd) = top.split_at(2 * x.len());
    let (ef, gh) = bottom.split_at(2 * x.len());
    let ((a, b), (c, d)) = (ab.split_at(x.len()), cd.split_at(x.len()));
    let ((e, f), (g, h)) = (ef.split_at(x.len()), gh.split_at(x.len()));
    let mut sums = [N::zero(); TOGETHER];
    sums.copy_from_slice(y);
    let rows = a.iter().zip(b).zip(c).zip(d).zip(e).zip(f).zip(g).zip(h);
    for (x, (((((((a, b), c), d), e), f), g), h)) in x.iter().zip(rows) {
        for (sum, w) in sums.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *sum = sum.plus(N::spread(*w), *x);
        }
    }
    y.copy_from_slice(&sums);
}

/// $x\leftarrow x+W^\top y$, for a matrix row by row.
#[inline(always)]
pub(crate) fn transposed<N: CellNumber>(matrix: &[N::Shared], y: &[N], x: &mut [N]) {
    let columns = x.len();
    let mut column = 0;
    let mut blocks = x.chunks_exact_mut(TOGETHER);
    for x in &mut blocks {
        let mut sums = [N::zero(); TOGETHER];
        sums.copy_from_slice(x);
        for (row, y) in matrix.chunks_exact(columns).zip(y) {
            for (sum, w) in sums.iter_mut().zip(&row[column..column + TOGETHER]) {
                *sum = sum.plus(N::spread(*w), *y);
            }
        }
        x.copy_from_slice(&sums);
        column += TOGETHER;
    }
    for x in blocks.into_remainder() {
        for (i, y) in y.iter().enumerate() {
            *x = x.plus(N::spread(matrix[i * columns + column]), *y);
        }
        column += 1;
    }
}

/// $y=\gamma\odot n+\beta$ with $n=(x-\bar x)/\sqrt{\operatorname{var}x+10^{-5}}$.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Norm {
    pub gain: Range<usize>,
    pub bias: Range<usize>,
}

impl Norm {
    /// `kept` takes $n$ and then $1/\sqrt{\operatorname{var}x+10^{-5}}$.
    #[inline(always)]
    pub fn forward<N: CellNumber>(&self, weights: &[N::Shared], x: &[N], kept: &mut [N], y: &mut [N]) {
        let share = N::of(1.0 / x.len() as f64);
        let mut mean = N::zero();
        for x in x {
            mean = mean + *x;
        }
        let mean = mean * share;
        let mut square = N::zero();
        for (n, x) in kept.iter_mut().zip(x) {
            *n = *x - mean;
            square = square.plus(*n, *n);
        }
        let inverse = N::one() / (square * share + N::of(NORM_EPSILON)).sqrt();
        let scales = weights[self.gain.clone()].iter().zip(&weights[self.bias.clone()]);
        for ((n, y), (gain, bias)) in kept.iter_mut().zip(y).zip(scales) {
            *n = *n * inverse;
            *y = N::spread(*bias).plus(N::spread(*gain), *n);
        }
        kept[x.len()] = inverse;
    }

    /// $\partial L/\partial x$ is added to `d_x`; `d_y` is used up.
    #[inline(always)]
    pub fn adjoint<N: CellNumber>(
        &self,
        weights: &[N::Shared],
        kept: &[N],
        d_y: &mut [N],
        d_x: &mut [N],
        d_weights: &mut [N],
    ) {
        let width = d_x.len();
        let (n, inverse, share) = (&kept[..width], kept[width], N::of(1.0 / width as f64));
        let (mut mean, mut along) = (N::zero(), N::zero());
        for (i, d) in d_y[..width].iter_mut().enumerate() {
            let (gain, bias) = (self.gain.start + i, self.bias.start + i);
            d_weights[gain] = d_weights[gain].plus(*d, n[i]);
            d_weights[bias] = d_weights[bias] + *d;
            *d = *d * N::spread(weights[gain]);
            mean = mean + *d;
            along = along.plus(*d, n[i]);
        }
        let (mean, along) = (mean * share, along * share);
        for ((d_x, d), n) in d_x.iter_mut().zip(d_y.iter()).zip(n) {
            *d_x = d_x.plus(inverse, *d - mean - *n * along);
        }
    }
}

/// What is read and what is written of a tape: `input` lies wholly before `output`.
#[inline(always)]
pub(crate) fn split<N>(tape: &mut [N], input: Range<usize>, output: Range<usize>) -> (&[N], &mut [N]) {
    let (before, after) = tape.split_at_mut(output.start);
    (&before[input], &mut after[..output.end - output.start])
}
