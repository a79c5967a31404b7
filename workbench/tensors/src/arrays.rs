//! Arrays of the other rooms as tensors. candle's CPU generator cannot be seeded, so random tensors are drawn there and handed over.

use crate::device::processor::tensor;
use candle_core::{Device, Tensor};
use ndarray::Array2;
use workbench_ground::Error;

/// The matrix as a double-precision candle tensor on the CPU.
///
/// **Shapes**: (rows, cols) to [rows, cols]. **Errors**: [`Error::Outside`] with candle's message. Copies the data.
///
/// ```
/// use workbench_ground::stats::{Streams, normal_array2};
/// use workbench_tensors::candle_tensor;
/// let x = normal_array2(&mut Streams::new(1).stream("x")?, 3, 2);
/// assert_eq!(candle_tensor(&x)?.dims(), &[3, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn candle_tensor(x: &Array2<f64>) -> Result<Tensor, Error> {
    let data: Vec<f64> = x.iter().copied().collect();
    Tensor::from_vec(data, x.dim(), &Device::Cpu).map_err(tensor("candle_tensor"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::{Streams, normal_array2};

    #[test]
    fn candle_gets_the_same_numbers_in_row_order_also_from_a_transposed_view() {
        let x = normal_array2(&mut Streams::new(9).stream("tensors").unwrap(), 4, 3);
        let t = candle_tensor(&x).unwrap().to_vec2::<f64>().unwrap();
        assert!(x.indexed_iter().all(|((i, j), v)| t[i][j] == *v));
        let transposed = x.t().to_owned();
        let t = candle_tensor(&transposed).unwrap().to_vec2::<f64>().unwrap();
        assert!(transposed.indexed_iter().all(|((i, j), v)| t[i][j] == *v));
        assert_eq!(candle_tensor(&Array2::zeros((0, 3))).unwrap().dims(), &[0, 3]);
    }
}
