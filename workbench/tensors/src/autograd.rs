//! The restricted model through candle, for its gradients: what the fused pass is checked against.

use crate::{FullArchitecture, FullParameters, HadamardWeight, Processor, TokenBatch, TokenRegisters};
use candle_core::{D, DType, Device, Result as Candle, Tensor, Var};
use ndarray::s;
use workbench_ground::Error;
use workbench_memformer::{Parameters, Part, Precision, Prompts, RegisterKind, RegisterWeight};

/// Loss and gradient through candle, in `precision`.
pub(crate) fn loss_and_gradient(
    parameters: &Parameters,
    prompts: &Prompts,
    precision: Precision,
) -> Result<(f64, Vec<f64>), Error> {
    match parameters.architecture().registers() {
        RegisterKind::Separate { weight: RegisterWeight::Diagonal | RegisterWeight::Full, .. } => {
            coordinates(parameters, prompts, precision).map_err(crate::device::processor::tensor("loss_and_gradient"))
        }
        _ => tokens(parameters, prompts, precision),
    }
}

fn coordinates(parameters: &Parameters, prompts: &Prompts, precision: Precision) -> Candle<(f64, Vec<f64>)> {
    let dtype = match precision {
        Precision::Single => DType::F32,
        Precision::Double => DType::F64,
    };
    let values = Var::from_tensor(&Tensor::new(parameters.values(), &Device::Cpu)?.to_dtype(dtype)?)?;
    let loss = gradient_space(parameters, values.as_tensor(), prompts, dtype)?;
    let gradient = loss.backward()?;
    let gradient = match gradient.get(&values) {
        Some(g) => g.to_dtype(DType::F64)?.to_vec1()?,
        None => vec![0.0; parameters.values().len()],
    };
    Ok((loss.to_dtype(DType::F64)?.to_scalar()?, gradient))
}

fn tensor<'a>(values: impl IntoIterator<Item = &'a f64>, shape: &[usize], dtype: DType) -> Candle<Tensor> {
    let values: Vec<f64> = values.into_iter().copied().collect();
    Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)
}

fn matrix(values: &Tensor, from: usize, d: usize) -> Candle<Tensor> {
    values.narrow(0, from, d * d)?.reshape((d, d))
}

/// The weight Lambda_j^l.
fn coefficient(parameters: &Parameters, values: &Tensor, l: usize, j: usize) -> Candle<Option<Tensor>> {
    let architecture = parameters.architecture();
    let from = architecture.range(Part::Registers).start;
    Ok(match architecture.registers() {
        RegisterKind::Separate { weight, tied } => {
            let width = weight.width(architecture.dim());
            let entry = if tied { j } else { l * (l + 1) / 2 + j };
            Some(values.narrow(0, from + entry * width, width)?)
        }
        _ => None,
    })
}

/// Eq. 2.7 over tokens, by the definition in tensors.
fn tokens(parameters: &Parameters, prompts: &Prompts, precision: Precision) -> Result<(f64, Vec<f64>), Error> {
    let architecture = parameters.architecture();
    let (d, depth) = (architecture.dim(), architecture.depth());
    let registers = match architecture.registers() {
        RegisterKind::None => TokenRegisters::None,
        RegisterKind::Single => TokenRegisters::Single,
        RegisterKind::Separate { tied, .. } => TokenRegisters::Separate { weight: HadamardWeight::Scalar, tied },
    };
    let full = FullArchitecture::new(depth, d)?.with_registers(registers)?;
    let model = FullParameters::from_transformer(&parameters.transformer(prompts.examples())?, full)?;
    let batch = TokenBatch::new(prompts, precision, Processor::Cpu)?;
    let (loss, slopes) = batch.by_definition(&model, true)?;
    let slopes = FullParameters::from_values(full, slopes)?;
    let mut gradient = Parameters::neutral(architecture);
    for l in 0..depth {
        // Q = -A and P = B in the upper left blocks (2.8).
        let head = slopes.head(l, 0)?;
        gradient.set_a(l, &-&head.q().slice(s![..d, ..d]))?;
        if architecture.upper_block() {
            gradient.set_b(l, &head.p().slice(s![..d, ..d]).to_owned())?;
        }
    }
    gradient.registers_mut().copy_from_slice(slopes.registers());
    Ok((loss, gradient.values().to_vec()))
}

/// The same for weights on the gradient's coordinates, which no weights of tokens can express: u is `(B, d)`.
fn gradient_space(parameters: &Parameters, values: &Tensor, prompts: &Prompts, dtype: DType) -> Candle<Tensor> {
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
