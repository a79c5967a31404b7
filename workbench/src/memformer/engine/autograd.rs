//! The definition written once more in candle's tensors, for its gradients: what the fused pass is checked against.

use crate::memformer::{Parameters, Part, Prompts, RegisterKind, RegisterWeight};
use candle_core::{D, DType, Device, Result, Tensor, Var};

/// Loss and gradient through candle, in `dtype`.
pub(super) fn loss_and_gradient(parameters: &Parameters, prompts: &Prompts, dtype: DType) -> Result<(f64, Vec<f64>)> {
    let values = Var::from_tensor(&Tensor::new(parameters.values(), &Device::Cpu)?.to_dtype(dtype)?)?;
    let architecture = parameters.architecture();
    let loss = match architecture.registers() {
        RegisterKind::Separate {
            weight: RegisterWeight::Diagonal | RegisterWeight::Full,
            ..
        } => gradient_space(parameters, values.as_tensor(), prompts, dtype)?,
        _ => tokens(parameters, values.as_tensor(), prompts, dtype)?,
    };
    let gradient = loss.backward()?;
    let gradient = match gradient.get(&values) {
        Some(g) => g.to_dtype(DType::F64)?.to_vec1()?,
        None => vec![0.0; parameters.values().len()],
    };
    Ok((loss.to_dtype(DType::F64)?.to_scalar()?, gradient))
}

fn tensor<'a>(values: impl IntoIterator<Item = &'a f64>, shape: &[usize], dtype: DType) -> Result<Tensor> {
    let values: Vec<f64> = values.into_iter().copied().collect();
    Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)
}

fn matrix(values: &Tensor, from: usize, d: usize) -> Result<Tensor> {
    values.narrow(0, from, d * d)?.reshape((d, d))
}

/// Coefficients Lambda_j^l of scalar registers, or `None` where the weight is one (j = l) or zero.
fn coefficient(parameters: &Parameters, values: &Tensor, l: usize, j: usize) -> Result<Option<Tensor>> {
    let architecture = parameters.architecture();
    let from = architecture.range(Part::Registers).start;
    let depth = architecture.depth();
    Ok(match architecture.registers() {
        RegisterKind::None => None,
        RegisterKind::Single => {
            let mut product = values.narrow(0, from + l, 1)?;
            for i in j + 1..=l {
                product = (product * values.narrow(0, from + depth + i, 1)?)?;
            }
            Some(product)
        }
        RegisterKind::Separate { weight, tied } => {
            let width = weight.width(architecture.dim());
            let entry = if tied { j } else { l * (l + 1) / 2 + j };
            Some(values.narrow(0, from + entry * width, width)?)
        }
    })
}

/// Eq. 2.7 over tokens: Z is `(B, d + 1, n + 1)`.
fn tokens(parameters: &Parameters, values: &Tensor, prompts: &Prompts, dtype: DType) -> Result<Tensor> {
    let architecture = parameters.architecture();
    let (d, n, batch) = (prompts.dim(), prompts.examples(), prompts.batch());
    let z0: Vec<f64> = (0..batch)
        .flat_map(|b| {
            prompts
                .tokens(b)
                .map(|z| z.into_iter().collect::<Vec<_>>())
                .unwrap_or_default()
        })
        .collect();
    let mut z = tensor(&z0, &[batch, d + 1, n + 1], dtype)?;
    let one = Tensor::ones((1, 1), dtype, &Device::Cpu)?;
    let mut registers: Vec<Tensor> = Vec::new();
    for l in 0..architecture.depth() {
        let a = matrix(values, l * d * d, d)?;
        let q = a.pad_with_zeros(0, 0, 1)?.pad_with_zeros(1, 0, 1)?.neg()?;
        let corner = one.pad_with_zeros(0, d, 0)?.pad_with_zeros(1, d, 0)?;
        let p = if architecture.upper_block() {
            let from = architecture.range(Part::UpperBlocks).start;
            let b = matrix(values, from + l * d * d, d)?;
            (b.pad_with_zeros(0, 0, 1)?.pad_with_zeros(1, 0, 1)? + corner)?
        } else {
            corner
        };
        let keys = z.narrow(2, 0, n)?.contiguous()?;
        let scores = keys.t()?.contiguous()?.broadcast_matmul(&q)?.matmul(&z)?;
        registers.push(p.broadcast_matmul(&keys)?.matmul(&scores)?);
        let mut step = Tensor::zeros(z.shape(), dtype, &Device::Cpu)?;
        for (j, register) in registers.iter().enumerate() {
            match coefficient(parameters, values, l, j)? {
                Some(lambda) => step = (step + register.broadcast_mul(&lambda.reshape((1, 1, 1))?)?)?,
                None if j == l => step = (step + register)?,
                None => {}
            }
        }
        z = (z + (step / n as f64)?)?;
    }
    let output = z.narrow(1, d, 1)?.narrow(2, n, 1)?.flatten_all()?;
    let answers = tensor(&prompts.answers(), &[batch], dtype)?;
    (output + answers)?.sqr()?.mean_all()
}

/// The same for weights on the gradient's coordinates: u is `(B, d)`.
fn gradient_space(parameters: &Parameters, values: &Tensor, prompts: &Prompts, dtype: DType) -> Result<Tensor> {
    let architecture = parameters.architecture();
    let (d, n, batch) = (prompts.dim(), prompts.examples(), prompts.batch());
    let x = tensor(prompts.x(), &[batch, n, d], dtype)?;
    let query = tensor(prompts.query(), &[batch, d], dtype)?;
    let mut u = tensor(prompts.truth(), &[batch, d, 1], dtype)?;
    let mut steps: Vec<Tensor> = Vec::new();
    for l in 0..architecture.depth() {
        let a = matrix(values, l * d * d, d)?;
        let responses = x.matmul(&u)?;
        let cross = (x.transpose(1, 2)?.contiguous()?.matmul(&responses)? / n as f64)?;
        steps.push(a.t()?.contiguous()?.broadcast_matmul(&cross)?);
        for (j, step) in steps.iter().enumerate() {
            if let Some(lambda) = coefficient(parameters, values, l, j)? {
                let moved = if lambda.elem_count() == d && architecture.dim() > 1 || d == 1 {
                    step.broadcast_mul(&lambda.reshape((1, d, 1))?)?
                } else {
                    lambda.reshape((d, d))?.broadcast_matmul(step)?
                };
                u = (u - moved)?;
            }
        }
    }
    let error = u.squeeze(D::Minus1)?.mul(&query)?.sum(1)?;
    error.sqr()?.mean_all()
}
