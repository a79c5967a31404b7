//! The mean squared error as one operation of candle, so that gradients of anything computed from it flow through the pass.

use super::pack::Fused;
use crate::architecture::FullArchitecture;
use crate::parameters::FullParameters;
use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};
use std::sync::{Arc, Mutex, PoisonError};

/// The loss of a batch as a function of the parameters' numbers.
pub(crate) struct MeanSquaredError {
    prompts: Arc<dyn Fused>,
    architecture: FullArchitecture,
    /// The gradient at the values of the forward pass, which costs least there.
    gradient: Mutex<Vec<f64>>,
}

impl MeanSquaredError {
    /// The loss on these prompts.
    pub(crate) fn new(prompts: Arc<dyn Fused>, architecture: FullArchitecture) -> Self {
        MeanSquaredError { prompts, architecture, gradient: Mutex::new(Vec::new()) }
    }

    fn evaluate(&self, values: Vec<f64>) -> Result<f64> {
        let parameters = FullParameters::from_values(self.architecture, values).map_err(candle_core::Error::wrap)?;
        let (loss, gradient) = self.prompts.loss(&parameters, true).map_err(candle_core::Error::wrap)?;
        *self.gradient.lock().unwrap_or_else(PoisonError::into_inner) = gradient;
        Ok(loss)
    }
}

impl CustomOp1 for MeanSquaredError {
    fn name(&self) -> &'static str {
        "mean squared error of a linear transformer"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let Some((from, to)) = layout.contiguous_offsets() else {
            candle_core::bail!("{}: call `contiguous` on the values first", self.name())
        };
        let loss = match storage {
            CpuStorage::F32(v) => {
                let loss = self.evaluate(v[from..to].iter().map(|v| f64::from(*v)).collect())?;
                CpuStorage::F32(vec![loss as f32])
            }
            CpuStorage::F64(v) => CpuStorage::F64(vec![self.evaluate(v[from..to].to_vec())?]),
            _ => candle_core::bail!("{}: use values of type f32 or f64", self.name()),
        };
        Ok((loss, Shape::from(())))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        storage: &candle_core::CudaStorage,
        layout: &Layout,
    ) -> Result<(candle_core::CudaStorage, Shape)> {
        use candle_core::backend::{BackendDevice, BackendStorage};
        let (loss, shape) = self.cpu_fwd(&storage.to_cpu_storage()?, layout)?;
        Ok((storage.device.storage_from_cpu_storage_owned(loss)?, shape))
    }

    fn bwd(&self, values: &Tensor, _: &Tensor, upstream: &Tensor) -> Result<Option<Tensor>> {
        let gradient = self.gradient.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let gradient = Tensor::from_vec(gradient, values.shape(), values.device())?.to_dtype(values.dtype())?;
        Ok(Some(gradient.broadcast_mul(upstream)?))
    }
}
