//! Γ of the examples and of the query trained together at test time, A fixed.
//!
//! In a gated memformer layer j moves the examples' iterate along M_j H u_j, where u_j is its error, and every later layer repeats that
//! step; the answer to the query adds up <x, N_j H u_j>, L - j times each. With an entry for each token, as Eq. 3.4 prints Γ, every head
//! has a number in M_j, the one that all examples share, and a number in N_j. As a diagonal or a matrix that acts on gradients, Γ has more
//! of them; matrices reach every M_j and N_j. The fit is by least squares (Levenberg and Marquardt), until a step gains a thousandth or less.

use ndarray::{Array1, Array2, ArrayView1, Axis, s};
use ndarray_linalg::Solve;
use workbench_ledger::Failure;
use workbench_memformer::{Gated, Statistics, least_squares};

use super::independent_runs::DEPTH;
use super::task_law::DIM;

/// What is read: M of all layers but the last, whose step nobody sees, and N of all.
const MATRICES: usize = 2 * DEPTH - 1;
const SQUARE: usize = DIM * DIM;
const ROUNDS: usize = 200;

/// Numbers that Γ has for the examples of a layer, and as many for the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// One for each head.
    Numbers,
    /// A diagonal for each head.
    Diagonals,
    /// A matrix for each head.
    Matrices,
}

impl Freedom {
    /// The fit ends where a step gains less than this share of the loss; a few numbers are cheap.
    fn gain(self) -> f64 {
        if self == Freedom::Numbers { 1e-5 } else { 1e-3 }
    }
}

/// M_j and N_j, row by row.
pub struct Together(Array1<f64>);

impl Together {
    /// Gates and Γ as they were trained: the same numbers for the examples and for the query.
    pub fn start(gray: &Gated) -> Result<Together, Failure> {
        let merged = gray.merged();
        let mut values = Vec::with_capacity(MATRICES * SQUARE);
        for layer in (0..DEPTH - 1).chain(0..DEPTH) {
            values.extend(merged.a(layer)?.t().iter());
        }
        Ok(Together(values.into()))
    }

    /// The best on these prompts, from here on, with so much freedom for the heads of `gray`.
    pub fn fitted(&self, gray: &Gated, freedom: Freedom, prompts: &Statistics) -> Result<Together, Failure> {
        let basis = basis(gray, freedom)?;
        let at = least_squares(&basis, &self.0)?.coefficients;
        descend(&basis, at, freedom.gain(), prompts)
    }

    /// Heads with their best gates on these prompts: a gate multiplies M_j and N_j of its head. The start is the mean of heads, or one of
    /// them alone, whichever ends lowest.
    pub fn gated(heads: &[&Together], prompts: &Statistics) -> Result<Together, Failure> {
        let basis = Array2::from_shape_fn((MATRICES * SQUARE, heads.len()), |(i, h)| heads[h].0[i]);
        let mut starts = vec![Array1::from_elem(heads.len(), 1.0 / heads.len() as f64)];
        starts.extend(Array2::eye(heads.len()).rows().into_iter().map(|row| row.to_owned()));
        let ends = starts.into_iter().map(|at| descend(&basis, at, Freedom::Matrices.gain(), prompts));
        let ends = ends.collect::<Result<Vec<_>, _>>()?;
        ends.into_iter()
            .min_by(|a, b| a.loss(prompts).total_cmp(&b.loss(prompts)))
            .ok_or_else(|| "gates need a head".into())
    }

    /// Heads with equal gates.
    pub fn even(heads: &[&Together]) -> Together {
        Together(
            heads
                .iter()
                .map(|head| &head.0 / heads.len() as f64)
                .fold(Array1::zeros(MATRICES * SQUARE), |sum, head| sum + head),
        )
    }

    /// Mean squared error of the answers.
    pub fn loss(&self, prompts: &Statistics) -> f64 {
        look(&self.0, prompts, None).mapv(|e| e * e).mean().unwrap_or(f64::NAN)
    }

    /// Squared errors of the answers.
    pub fn errors(&self, prompts: &Statistics) -> Vec<f64> {
        look(&self.0, prompts, None).mapv(|e| e * e).to_vec()
    }
}

/// The best on these prompts from `at` on, along these directions.
fn descend(basis: &Array2<f64>, mut at: Array1<f64>, gain: f64, prompts: &Statistics) -> Result<Together, Failure> {
    let mut missed = look(&basis.dot(&at), prompts, None);
    let (mut loss, mut damping) = (missed.dot(&missed), 1e-2);
    for _ in 0..ROUNDS {
        let before = loss;
        let mut slopes = Array2::zeros((prompts.batch(), MATRICES * SQUARE));
        look(&basis.dot(&at), prompts, Some(&mut slopes));
        // Matrices move along the entries themselves.
        if !basis.is_square() {
            slopes = slopes.dot(basis);
        }
        let (normal, right) = (slopes.t().dot(&slopes), slopes.t().dot(&missed));
        while damping < 1e12 {
            let mut damped = normal.clone();
            damped.diag_mut().mapv_inplace(|v| v * (1.0 + damping) + f64::MIN_POSITIVE);
            let there = &at + &damped.solve(&right)?;
            let off = look(&basis.dot(&there), prompts, None);
            let tried = off.dot(&off);
            if tried < loss {
                (at, missed, loss) = (there, off, tried);
                damping /= 4.0;
                break;
            }
            damping *= 3.0;
        }
        if before - loss <= gain * before {
            break;
        }
    }
    Ok(Together(basis.dot(&at)))
}

/// Directions in which the numbers of Γ move M_j and N_j.
fn basis(gray: &Gated, freedom: Freedom) -> Result<Array2<f64>, Failure> {
    if freedom == Freedom::Matrices {
        return Ok(Array2::eye(MATRICES * SQUARE));
    }
    let rows = if freedom == Freedom::Numbers { 1 } else { DIM };
    let each = gray.heads().len() * rows;
    let mut basis = Array2::zeros((MATRICES * SQUARE, MATRICES * each));
    for (block, layer) in (0..DEPTH - 1).chain(0..DEPTH).enumerate() {
        for (h, head) in gray.heads().iter().enumerate() {
            let a = head.a(layer)?;
            for i in 0..DIM {
                let column = block * each + h * rows + i % rows;
                let row = block * SQUARE + i * DIM;
                basis.slice_mut(s![row..row + DIM, column]).assign(&a.column(i));
            }
        }
    }
    Ok(basis)
}

type Vector = [f64; DIM];

fn vector(of: ArrayView1<f64>) -> Vector {
    std::array::from_fn(|i| of[i])
}

/// m v, where m stands row by row.
fn times(m: &[f64], v: &Vector) -> Vector {
    std::array::from_fn(|i| (0..DIM).map(|k| m[i * DIM + k] * v[k]).sum())
}

/// m^T v.
fn turned(m: &[f64], v: &Vector) -> Vector {
    std::array::from_fn(|i| (0..DIM).map(|k| m[k * DIM + i] * v[k]).sum())
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// By how much each answer is missed; if they are asked for, its slopes in every entry of M_j and N_j.
fn look(values: &Array1<f64>, prompts: &Statistics, mut slopes: Option<&mut Array2<f64>>) -> Array1<f64> {
    let values = values.to_vec();
    let matrix = |k: usize| &values[k * SQUARE..(k + 1) * SQUARE];
    let (examples, query) = (matrix, |j: usize| matrix(DEPTH - 1 + j));
    let mut missed = Array1::zeros(prompts.batch());
    for b in 0..prompts.batch() {
        let mut h = [0.0; SQUARE];
        h.iter_mut().zip(prompts.gram().index_axis(Axis(0), b)).for_each(|(to, from)| *to = *from);
        let (x, truth) = (vector(prompts.query().row(b)), vector(prompts.truth().row(b)));
        let (mut error, mut kept, mut gradients) = (truth, [0.0; DIM], [[0.0; DIM]; DEPTH]);
        let mut answer = 0.0;
        for (j, gradient) in gradients.iter_mut().enumerate() {
            *gradient = times(&h, &error);
            answer += (DEPTH - j) as f64 * dot(&x, &times(query(j), gradient));
            if j + 1 < DEPTH {
                let step = times(examples(j), gradient);
                for i in 0..DIM {
                    kept[i] += step[i];
                    error[i] -= kept[i];
                }
            }
        }
        missed[b] = dot(&x, &truth) - answer;
        let Some(slopes) = slopes.as_mut() else { continue };
        let mut slopes = slopes.row_mut(b);
        // Backwards: how the answer changes with the error after a layer, and with the step that all later layers repeat.
        let (mut in_error, mut in_step) = ([0.0; DIM], [0.0; DIM]);
        for j in (0..DEPTH).rev() {
            let often = (DEPTH - j) as f64;
            let mut in_gradient = turned(query(j), &x).map(|v| often * v);
            let mut fill = |block: usize, left: &Vector, factor: f64| {
                for (i, l) in left.iter().enumerate() {
                    for (k, g) in gradients[j].iter().enumerate() {
                        slopes[block * SQUARE + i * DIM + k] = factor * l * g;
                    }
                }
            };
            fill(DEPTH - 1 + j, &x, often);
            if j + 1 < DEPTH {
                for i in 0..DIM {
                    in_step[i] -= in_error[i];
                }
                fill(j, &in_step, 1.0);
                let through = turned(examples(j), &in_step);
                for i in 0..DIM {
                    in_gradient[i] += through[i];
                }
            }
            let through = times(&h, &in_gradient);
            for i in 0..DIM {
                in_error[i] += through[i];
            }
        }
    }
    missed
}
