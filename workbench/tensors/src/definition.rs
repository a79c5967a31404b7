//! The definition in tensors, for any device and with gradients by candle: the counterpart of `model/transformer.rs`.
//!
//! Tokens are rows here, `(B, n + 1, d + 1)`, so that one product takes all tokens of all prompts through a matrix. With rows,
//! $\operatorname{Attn}(Z)^\top=Z^\top(PSQ)^\top$ for the moments $S=ZMZ^\top$: a `(d + 1, d + 1)` matrix per prompt instead of scores for
//! all pairs.

use super::architecture::{AttentionKind, FullArchitecture, HadamardWeight, TokenRegisters};
use candle_core::{D, Result, Tensor};
use workbench_memformer::Part;

/// Predictions -[Z_l]_{d+1, n+1} after 0, 1, ..., L layers, each `(B)`.
///
/// `values` are those of [`super::parameters::FullParameters`] as one tensor, through which gradients flow.
pub(crate) fn predictions(architecture: &FullArchitecture, values: &Tensor, tokens: &Tensor) -> Result<Vec<Tensor>> {
    let (_, count, width) = tokens.dims3()?;
    let n = count - 1;
    let mut z = tokens.clone();
    let mut out = vec![answer(&z)?];
    let mut registers: Vec<Tensor> = Vec::new();
    for l in 0..architecture.depth() {
        let mut register: Option<Tensor> = None;
        for h in 0..architecture.heads() {
            let matrix = |part: Part| {
                let from = architecture.range(part).start + (l * architecture.heads() + h) * width * width;
                values.narrow(0, from, width * width)?.reshape((width, width))
            };
            let (p, q) = (matrix(Part::UpperBlocks)?, matrix(Part::Preconditioners)?);
            let attention = match architecture.attention() {
                AttentionKind::Linear => linear(&p, &q, &z, n)?,
                AttentionKind::Softmax => softmax(&p, &q, &z, n)?,
            };
            register = Some(match register {
                Some(sum) => (sum + attention)?,
                None => attention,
            });
        }
        // A layer has a head, by the architecture.
        let Some(register) = register else { break };
        let step = remember(architecture, values, l, count, &mut registers, register)?;
        z = (z + (step / n as f64)?)?;
        out.push(answer(&z)?);
    }
    Ok(out)
}

/// -[Z]_{d+1, n+1} of each prompt.
fn answer(z: &Tensor) -> Result<Tensor> {
    let (_, count, width) = z.dims3()?;
    z.narrow(1, count - 1, 1)?.narrow(2, width - 1, 1)?.flatten_all()?.neg()
}

/// Every row of every prompt times `matrix`: one product.
fn rows_times(x: &Tensor, matrix: &Tensor) -> Result<Tensor> {
    let (batch, rows, width) = x.dims3()?;
    x.reshape((batch * rows, width))?.matmul(matrix)?.reshape((batch, rows, matrix.dim(1)?))
}

/// Eq. 2.4 through the moments of the keys.
fn linear(p: &Tensor, q: &Tensor, z: &Tensor, n: usize) -> Result<Tensor> {
    let keys = z.narrow(1, 0, n)?.contiguous()?;
    let moments = keys.t()?.matmul(&keys)?;
    // (P S Q)^T = (S Q)^T P^T, since S is symmetric.
    let transposed = rows_times(&moments, q)?.t()?.contiguous()?;
    z.matmul(&rows_times(&transposed, &p.t()?)?)
}

/// Eq. 2.2: the softmax runs over all keys before the mask removes the query's.
fn softmax(p: &Tensor, q: &Tensor, z: &Tensor, n: usize) -> Result<Tensor> {
    // Row t holds the scores of all keys for token t.
    let scores = rows_times(z, &q.t()?)?.matmul(&z.t()?.contiguous()?)?;
    let top = scores.max_keepdim(D::Minus1)?.detach();
    let weights = scores.broadcast_sub(&top)?.exp()?;
    let weights = weights.broadcast_div(&weights.sum_keepdim(D::Minus1)?)?;
    let keys = z.narrow(1, 0, n)?.contiguous()?;
    let read = weights.narrow(2, 0, n)?.contiguous()?.matmul(&keys)?;
    rows_times(&read, &p.t()?)
}

/// What layer l adds, n times over: Eqs. 2.5, 3.2 and 3.4.
fn remember(
    architecture: &FullArchitecture,
    values: &Tensor,
    l: usize,
    count: usize,
    registers: &mut Vec<Tensor>,
    register: Tensor,
) -> Result<Tensor> {
    let (from, width) = (architecture.range(Part::Registers).start, architecture.dim() + 1);
    let number = |at: usize| values.narrow(0, from + at, 1)?.reshape((1, 1, 1));
    match architecture.registers() {
        TokenRegisters::None => Ok(register),
        TokenRegisters::Single => {
            let register = match registers.last() {
                Some(before) => (register + before.broadcast_mul(&number(architecture.depth() + l)?)?)?,
                None => register,
            };
            let step = register.broadcast_mul(&number(l)?)?;
            registers.push(register);
            Ok(step)
        }
        TokenRegisters::Separate { weight, tied } => {
            registers.push(register);
            let size = weight.width(architecture.dim());
            let mut step: Option<Tensor> = None;
            for (j, register) in registers.iter().enumerate() {
                let at = from + size * if tied { j } else { l * (l + 1) / 2 + j };
                let gamma = values.narrow(0, at, size)?;
                let gamma = match weight {
                    HadamardWeight::Scalar => gamma.reshape((1, 1, 1))?,
                    HadamardWeight::Rows => gamma.reshape((1, 1, width))?,
                    HadamardWeight::Full { .. } => gamma.reshape((1, width, count))?.t()?.contiguous()?,
                };
                let term = register.broadcast_mul(&gamma)?;
                step = Some(match step {
                    Some(sum) => (sum + term)?,
                    None => term,
                });
            }
            // There is at least the register just kept.
            step.ok_or_else(|| candle_core::Error::Msg("no register".into()))
        }
    }
}
