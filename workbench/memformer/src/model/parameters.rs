//! The values of the parameters of a restricted model (2.8) with its registers.

use super::architecture::{Architecture, Part, RegisterKind, RegisterWeight};
use super::pairs::Sharing;
use crate::{Error, Head, LayerMemory, LinearTransformer};
use ndarray::{Array2, ArrayView2};
use workbench_ground::check::{finite, not_negative, position, positive, same_shape};
use workbench_ground::stats::Stream;

/// Parameters of a restricted model.
///
/// **Source**: Eq. 2.8 with Eqs. 3.2 and 3.4. Layer l moves the error $u=w^\ast-w$ by $u-\sum_{j\le\ell}\Lambda_j^\ell A_j^\top H_ju_j$.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Architecture, Parameters};
/// let architecture = Architecture::new(3, 5)?;
/// let start = Parameters::random(architecture, 1e-4, &mut Streams::new(1).stream("start")?)?;
/// assert_eq!(start.a(2)?.dim(), (5, 5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    architecture: Architecture,
    values: Vec<f64>,
}

impl Parameters {
    /// A and B zero, registers neutral: $\alpha=1$, $\gamma=0$, $\Gamma_\ell^\ell$ (tied: every $\Gamma_j$) the identity, others zero.
    ///
    /// Untied neutral registers are no registers. Tied ones add every earlier step again at every layer.
    pub fn neutral(architecture: Architecture) -> Parameters {
        let mut values = vec![0.0; architecture.count()];
        let registers = &mut values[architecture.range(Part::Registers)];
        match architecture.registers() {
            RegisterKind::None => {}
            RegisterKind::Single => registers[..architecture.depth()].fill(1.0),
            RegisterKind::Separate { weight, tied } => {
                let identity = weight.identity(architecture.dim());
                let mut diagonal = 0;
                for (i, values) in registers.chunks_exact_mut(identity.len()).enumerate() {
                    let on = tied || i == diagonal * (diagonal + 3) / 2;
                    if on {
                        values.copy_from_slice(&identity);
                        diagonal += 1;
                    }
                }
            }
        }
        Parameters { architecture, values }
    }

    /// As [`Parameters::neutral`], with A and B of independent $\mathcal N(0,\mathrm{scale}^2)$ entries.
    ///
    /// **Source**: Section 3.3; the scale is not given there, the public code of preconditioned gradient descent takes 1e-4.
    /// **Errors**: a scale that is negative or not finite, weights that are matrices together with B.
    pub fn random(architecture: Architecture, scale: f64, stream: &mut Stream) -> Result<Parameters, Error> {
        const OP: &str = "Parameters::random";
        architecture.check(OP)?;
        not_negative(OP, "scale", scale)?;
        let mut parameters = Parameters::neutral(architecture);
        let matrices = 0..architecture.range(Part::UpperBlocks).end;
        parameters.values[matrices].iter_mut().for_each(|v| *v = scale * stream.normal());
        Ok(parameters)
    }

    /// Parameters from their numbers in order: $A_0,A_1,\dots,B_0,\dots$, then $\alpha$ and $\gamma$, or $\Gamma_j^\ell$ with
    /// $(\ell,j)=(0,0),(1,0),(1,1),\dots$ (tied: $\Gamma_0,\Gamma_1,\dots$); matrices row by row.
    ///
    /// **Errors**: another count, numbers that are not finite, weights that are matrices together with B.
    pub fn from_values(architecture: Architecture, values: Vec<f64>) -> Result<Parameters, Error> {
        const OP: &str = "Parameters::from_values";
        architecture.check(OP)?;
        same_shape(OP, "values", &[values.len()], &[architecture.count()])?;
        finite(OP, "values", &values)?;
        Ok(Parameters { architecture, values })
    }

    /// The architecture.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// All numbers, in the order of [`Parameters::from_values`].
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All numbers.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// $A_\ell$, `(d, d)`.
    ///
    /// **Errors**: no such layer.
    pub fn a(&self, layer: usize) -> Result<ArrayView2<'_, f64>, Error> {
        self.matrix("Parameters::a", Part::Preconditioners, layer)
    }

    /// $B_\ell$, `(d, d)`.
    ///
    /// **Errors**: no such layer, a model whose B is held at zero.
    pub fn b(&self, layer: usize) -> Result<ArrayView2<'_, f64>, Error> {
        self.matrix("Parameters::b", Part::UpperBlocks, layer)
    }

    /// Sets $A_\ell$. **Errors**: no such layer, another shape, numbers that are not finite.
    pub fn set_a(&mut self, layer: usize, a: &Array2<f64>) -> Result<(), Error> {
        self.set("Parameters::set_a", Part::Preconditioners, layer, a)
    }

    /// Sets $B_\ell$. **Errors**: as [`Parameters::set_a`], a model whose B is held at zero.
    pub fn set_b(&mut self, layer: usize, b: &Array2<f64>) -> Result<(), Error> {
        self.set("Parameters::set_b", Part::UpperBlocks, layer, b)
    }

    /// $\alpha$ and $\gamma$, or the weights of the separate registers, in order.
    pub fn registers(&self) -> &[f64] {
        &self.values[self.architecture.range(Part::Registers)]
    }

    /// $\alpha$ and $\gamma$, or the weights of the separate registers.
    pub fn registers_mut(&mut self) -> &mut [f64] {
        &mut self.values[self.architecture.range(Part::Registers)]
    }

    /// Coefficients $\Lambda_j^\ell$ for $j\le\ell$, pair by pair (0, 0), (1, 0), (1, 1), ...: what every kind of register comes down to.
    ///
    /// **Shapes**: `(L (L + 1) / 2, width of a weight)`; a single register gives scalars $\alpha_\ell\gamma_\ell\cdots\gamma_{j+1}$.
    /// Without registers the weights of pairs (l, l) are one.
    pub fn coefficients(&self) -> Array2<f64> {
        let of = self.architecture;
        let (depth, dim, registers) = (of.depth(), of.dim(), of.registers());
        let values = self.registers();
        let width = match registers {
            RegisterKind::Separate { weight, .. } => weight.width(dim),
            _ => 1,
        };
        let pairs = depth * (depth + 1) / 2;
        let weights = match self.sharing() {
            Some(sharing) => sharing.spread(depth, width, values),
            None => (0..depth).flat_map(|l| (0..=l).map(move |j| f64::from(u8::from(l == j)))).collect(),
        };
        // One row per pair, by the lengths above.
        Array2::from_shape_vec((pairs, width), weights).unwrap_or_else(|_| Array2::zeros((pairs, width)))
    }

    /// The gradient with respect to the registers' parameters, from that with respect to [`Parameters::coefficients`].
    pub(crate) fn fold(&self, coefficients: &[f64]) -> Vec<f64> {
        let (depth, values) = (self.architecture.depth(), self.registers());
        match self.sharing() {
            Some(sharing) => sharing.fold(depth, coefficients.len() / (depth * (depth + 1) / 2), values, coefficients),
            None => Vec::new(),
        }
    }

    fn sharing(&self) -> Option<Sharing> {
        match self.architecture.registers() {
            RegisterKind::None => None,
            RegisterKind::Single => Some(Sharing::Single),
            RegisterKind::Separate { tied: true, .. } => Some(Sharing::Tied),
            RegisterKind::Separate { tied: false, .. } => Some(Sharing::Untied),
        }
    }

    /// The same model as the document's architecture, for prompts of `n` examples.
    ///
    /// **Errors**: weights that are diagonal or full matrices: Hadamard weights of tokens cannot act on the gradient's coordinates.
    pub fn transformer(&self, n: usize) -> Result<LinearTransformer, Error> {
        const OP: &str = "Parameters::transformer";
        positive(OP, "the number of examples (n)", n)?;
        let of = self.architecture;
        let (depth, dim, registers) = (of.depth(), of.dim(), of.registers());
        let mut layers = Vec::with_capacity(depth);
        for l in 0..depth {
            let b = if self.architecture.upper_block() { self.b(l)?.to_owned() } else { Array2::zeros((dim, dim)) };
            layers.push(vec![Head::with_block(&self.a(l)?.to_owned(), &b)?]);
        }
        let memory = match registers {
            RegisterKind::None => LayerMemory::None,
            RegisterKind::Single => {
                let (alpha, gamma) = self.registers().split_at(depth);
                LayerMemory::Single { alpha: alpha.to_vec(), gamma: gamma.to_vec() }
            }
            RegisterKind::Separate { weight: RegisterWeight::Scalar, .. } => {
                let weights = self.coefficients();
                let full = |l: usize, j: usize| Array2::from_elem((dim + 1, n + 1), weights[[l * (l + 1) / 2 + j, 0]]);
                LayerMemory::Separate { gamma: (0..depth).map(|l| (0..=l).map(|j| full(l, j)).collect()).collect() }
            }
            RegisterKind::Separate { .. } => {
                let instead = "use scalar weights, or put the matrix into A_l";
                let what = "a transformer with weights on the gradient's coordinates";
                return Err(Error::unavailable(OP, what, instead));
            }
        };
        LinearTransformer::new(layers, memory)
    }

    fn matrix(&self, op: &'static str, part: Part, layer: usize) -> Result<ArrayView2<'_, f64>, Error> {
        let range = self.position(op, part, layer)?;
        let dim = self.architecture.dim();
        ArrayView2::from_shape((dim, dim), &self.values[range]).map_err(|_| Error::zero(op, "d"))
    }

    fn set(&mut self, op: &'static str, part: Part, layer: usize, value: &Array2<f64>) -> Result<(), Error> {
        let range = self.position(op, part, layer)?;
        let dim = self.architecture.dim();
        same_shape(op, "the matrix", value.shape(), &[dim, dim])?;
        finite(op, "the matrix", value)?;
        for (to, from) in self.values[range].iter_mut().zip(value) {
            *to = *from;
        }
        Ok(())
    }

    fn position(&self, op: &'static str, part: Part, layer: usize) -> Result<std::ops::Range<usize>, Error> {
        let range = self.architecture.range(part);
        let square = self.architecture.dim() * self.architecture.dim();
        let len = range.len() / square;
        position(op, "layer with such a matrix", layer, len)?;
        let from = range.start + layer * square;
        Ok(from..from + square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use workbench_ground::stats::Streams;

    fn separate(weight: RegisterWeight, tied: bool) -> Architecture {
        Architecture::new(3, 2).unwrap().with_registers(RegisterKind::Separate { weight, tied })
    }

    #[test]
    fn matrix_weights_together_with_blocks_are_refused_where_parameters_are_built() {
        for weight in [RegisterWeight::Diagonal, RegisterWeight::Full] {
            let of = separate(weight, true).with_upper_block();
            let mut stream = Streams::new(5).stream("refused").unwrap();
            let drawn = Parameters::random(of, 0.1, &mut stream).unwrap_err();
            let given = Parameters::from_values(of, vec![0.0; of.count()]).unwrap_err();
            for error in [drawn, given] {
                assert!(error.to_string().contains("use scalar weights"), "{error}");
            }
        }
        let of = separate(RegisterWeight::Scalar, true).with_upper_block();
        assert!(Parameters::from_values(of, vec![0.0; of.count()]).is_ok());
    }

    #[test]
    fn neutral_registers_are_the_identity_on_the_diagonal() {
        for registers in [
            RegisterKind::None,
            RegisterKind::Single,
            RegisterKind::Separate { weight: RegisterWeight::Scalar, tied: false },
        ] {
            let neutral = Parameters::neutral(Architecture::new(3, 2).unwrap().with_registers(registers));
            let want = array![[1.0], [0.0], [1.0], [0.0], [0.0], [1.0]];
            assert_eq!(neutral.coefficients(), want, "{registers:?}");
        }
        let full = Parameters::neutral(separate(RegisterWeight::Full, false)).coefficients();
        assert_eq!(full.row(2).to_vec(), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(full.row(1).to_vec(), [0.0; 4]);
        let tied = Parameters::neutral(separate(RegisterWeight::Diagonal, true)).coefficients();
        assert!(tied.iter().all(|v| *v == 1.0));
    }

    #[test]
    fn fold_is_the_transposed_derivative_of_the_coefficients() {
        for registers in [
            RegisterKind::Single,
            RegisterKind::Separate { weight: RegisterWeight::Diagonal, tied: true },
            RegisterKind::Separate { weight: RegisterWeight::Scalar, tied: false },
        ] {
            let architecture = Architecture::new(4, 2).unwrap().with_registers(registers);
            let mut parameters = Parameters::neutral(architecture);
            for (i, v) in parameters.registers_mut().iter_mut().enumerate() {
                *v = 0.3 + 0.1 * i as f64;
            }
            let flat = parameters.coefficients();
            let weights: Vec<f64> = (0..flat.len()).map(|i| (i as f64).cos()).collect();
            let folded = parameters.fold(&weights);
            for (i, g) in folded.iter().enumerate() {
                let at = |h: f64| {
                    let mut moved = parameters.clone();
                    moved.registers_mut()[i] += h;
                    let c = moved.coefficients();
                    c.iter().zip(&weights).map(|(c, w)| c * w).sum::<f64>()
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((g - difference).abs() < 1e-8, "{registers:?} {i}: {g} {difference}");
            }
        }
    }

    #[test]
    fn bad_requests_are_named() {
        let architecture = Architecture::new(2, 2).unwrap();
        assert!(Architecture::new(0, 2).is_err() && Architecture::new(2, 0).is_err());
        let mut parameters = Parameters::neutral(architecture);
        assert!(parameters.b(0).unwrap_err().to_string().contains("there are 0"));
        assert!(parameters.a(2).is_err());
        assert!(parameters.set_a(0, &Array2::zeros((3, 2))).unwrap_err().to_string().contains("(3, 2)"));
        assert!(parameters.set_a(0, &Array2::from_elem((2, 2), f64::NAN)).is_err());
        assert!(Parameters::from_values(architecture, vec![0.0; 7]).is_err());
        assert!(Parameters::neutral(separate(RegisterWeight::Full, true)).transformer(4).is_err());
    }
}
