//! One variable: its numbers as a slice, and back.

use candle_core::{DType, Device, Tensor, Var};
use workbench_optimizer::{Error, Layout};

/// What to try when the tensor library fails.
const DEVICE: &str = "look at the message of the tensor library; is the device still there?";

/// A variable with its name.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) var: Var,
}

impl Variable {
    /// Its layout alone.
    pub(crate) fn layout(&self) -> Result<Layout, Error> {
        Layout::of(&[(self.name.as_str(), self.var.dims())])
    }

    /// Its numbers in double precision, row by row.
    pub(crate) fn numbers(&self, op: &'static str) -> Result<Vec<f64>, Error> {
        numbers(op, &self.var)
    }

    /// A tensor with these numbers and everything else like the variable's, in memory of its own.
    pub(crate) fn tensor(&self, op: &'static str, numbers: &[f64]) -> Result<Tensor, Error> {
        Tensor::from_slice(numbers, self.var.shape(), &Device::Cpu)
            .and_then(|all| all.to_dtype(self.var.dtype()))
            .and_then(|all| all.to_device(self.var.device()))
            .map_err(Error::outside(op, DEVICE))
    }

    /// Writes such a tensor.
    pub(crate) fn set(&self, op: &'static str, tensor: &Tensor) -> Result<(), Error> {
        self.var.set(tensor).map_err(Error::outside(op, DEVICE))
    }
}

/// The numbers of a tensor in double precision, row by row. They are converted on the machine's own cores, as not every device has
/// double precision.
pub(crate) fn numbers(op: &'static str, tensor: &Tensor) -> Result<Vec<f64>, Error> {
    tensor
        .flatten_all()
        .and_then(|flat| flat.to_device(&Device::Cpu))
        .and_then(|flat| flat.to_dtype(DType::F64))
        .and_then(|flat| flat.to_vec1())
        .map_err(Error::outside(op, DEVICE))
}

/// Variables in the order of their names, whatever order they came in, and what cannot be driven refused.
pub(crate) fn sorted<N: Into<String>>(
    op: &'static str,
    variables: impl IntoIterator<Item = (N, Var)>,
) -> Result<Vec<Variable>, Error> {
    let named = |(name, var): (N, Var)| Variable { name: name.into(), var };
    let mut all: Vec<Variable> = variables.into_iter().map(named).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    if all.is_empty() {
        let next = "build the model first: a VarMap is empty before its layers are made";
        return Err(Error::empty(op, "the list of variables", next));
    }
    for (i, own) in all.iter().enumerate() {
        if !matches!(own.var.dtype(), DType::F32 | DType::F64) {
            let problem = format!("{} holds numbers of type {:?}", own.name, own.var.dtype());
            let next = "make the model in F32 or F64, or leave this variable out";
            return Err(Error::refused(op, problem, next));
        }
        if let Some(other) = all[..i].iter().find(|other| other.var.id() == own.var.id()) {
            let problem = format!("{} and {} are one variable", other.name, own.name);
            let next = "pass it once; a step through each name would count its gradient twice";
            return Err(Error::refused(op, problem, next));
        }
    }
    Ok(all)
}

/// The layout of all of them.
pub(crate) fn layout(variables: &[Variable]) -> Result<Layout, Error> {
    let named: Vec<(&str, &[usize])> = variables.iter().map(|v| (v.name.as_str(), v.var.dims())).collect();
    Layout::of(&named)
}
