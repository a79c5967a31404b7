//! The restricted model (2.8) with its registers: which parameters it has, and their values.

use super::pairs::Sharing;
use crate::{Error, Head, LinearTransformer, Memory};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use workbench_ground::check::{finite, not_negative, position, positive, same_shape};
use workbench_ground::stats::Stream;

/// What a register's weight is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RegisterWeight {
    /// A number: Gamma constant over tokens and rows.
    Scalar,
    /// A diagonal matrix acting on the gradient's coordinates, Lambda of Eq. 3.5.
    Diagonal,
    /// A full matrix acting on the gradient.
    Full,
}

/// What the layers of a [`Architecture`] remember.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RegisterKind {
    /// Nothing: preconditioned gradient descent (Lemma 2.1).
    None,
    /// One register with trainable alpha_l and gamma_l (Eqs. 3.1 and 3.2).
    Single,
    /// One register per layer (Eqs. 3.3 and 3.4).
    Separate {
        /// What a weight is.
        weight: RegisterWeight,
        /// Whether Gamma_j^l = Gamma_j for all l, as in the document's experiments.
        tied: bool,
    },
}

/// Which parameters a restricted model has.
///
/// ```
/// use workbench::memformer::{Architecture, RegisterKind, RegisterWeight};
/// let model = Architecture::new(4, 5)?
///     .with_registers(RegisterKind::Separate { weight: RegisterWeight::Scalar, tied: true })
///     .with_upper_block();
/// assert_eq!(model.count(), 4 * 25 + 4 * 25 + 4);
/// # Ok::<(), workbench::memformer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Architecture {
    depth: usize,
    dim: usize,
    upper_block: bool,
    registers: RegisterKind,
}

/// One parameter array of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// Preconditioners A_l; all Q of a model with free matrices.
    Preconditioners,
    /// Upper-left blocks B_l of P_l; all P of a model with free matrices.
    UpperBlocks,
    /// alpha, gamma or Gamma.
    Registers,
}

impl Architecture {
    /// `depth` layers in `dim` dimensions, B = 0, no registers.
    ///
    /// **Errors**: a zero size.
    pub fn new(depth: usize, dim: usize) -> Result<Architecture, Error> {
        positive("Architecture::new", "the number of layers (L)", depth)?;
        positive("Architecture::new", "d", dim)?;
        Ok(Architecture {
            depth,
            dim,
            upper_block: false,
            registers: RegisterKind::None,
        })
    }

    /// The same with trainable B_l (GD++). The last layer's is not seen by the output and keeps its value.
    pub fn with_upper_block(mut self) -> Architecture {
        self.upper_block = true;
        self
    }

    /// The same with other registers.
    pub fn with_registers(mut self, registers: RegisterKind) -> Architecture {
        self.registers = registers;
        self
    }

    /// Layers L.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Whether B_l are parameters.
    pub fn upper_block(&self) -> bool {
        self.upper_block
    }

    /// The registers.
    pub fn registers(&self) -> RegisterKind {
        self.registers
    }

    /// Number of parameters.
    pub fn count(&self) -> usize {
        self.range(Part::Registers).end
    }

    /// Positions of a part among all parameters.
    pub fn range(&self, part: Part) -> std::ops::Range<usize> {
        let matrices = self.depth * self.dim * self.dim;
        let blocks = if self.upper_block { matrices } else { 0 };
        match part {
            Part::Preconditioners => 0..matrices,
            Part::UpperBlocks => matrices..matrices + blocks,
            Part::Registers => {
                let from = matrices + blocks;
                from..from + self.register_count()
            }
        }
    }

    /// Positions of every matrix or weight that has a norm of its own: each A_l, each B_l, alpha, gamma, each Gamma_j^l.
    pub fn groups(&self) -> Vec<std::ops::Range<usize>> {
        let square = self.dim * self.dim;
        let mut groups: Vec<_> = (0..self.range(Part::UpperBlocks).end / square)
            .map(|i| i * square..(i + 1) * square)
            .collect();
        let registers = self.range(Part::Registers);
        let width = match self.registers {
            RegisterKind::None => return groups,
            RegisterKind::Single => self.depth,
            RegisterKind::Separate { weight, .. } => weight.width(self.dim),
        };
        groups.extend(registers.clone().step_by(width).map(|from| from..from + width));
        groups
    }

    fn register_count(&self) -> usize {
        match self.registers {
            RegisterKind::None => 0,
            RegisterKind::Single => 2 * self.depth,
            RegisterKind::Separate { weight, tied } => {
                let entries = if tied {
                    self.depth
                } else {
                    self.depth * (self.depth + 1) / 2
                };
                entries * weight.width(self.dim)
            }
        }
    }
}

impl RegisterWeight {
    /// Numbers in one weight.
    pub fn width(self, dim: usize) -> usize {
        match self {
            RegisterWeight::Scalar => 1,
            RegisterWeight::Diagonal => dim,
            RegisterWeight::Full => dim * dim,
        }
    }

    /// The weight that changes nothing.
    fn identity(self, dim: usize) -> Vec<f64> {
        match self {
            RegisterWeight::Scalar => vec![1.0],
            RegisterWeight::Diagonal => vec![1.0; dim],
            RegisterWeight::Full => Array2::eye(dim).into_raw_vec_and_offset().0,
        }
    }
}

/// Parameters of a restricted model.
///
/// **Source**: Eq. 2.8 with Eqs. 3.2 and 3.4. Layer l moves the error u = w* - w by u - sum_{j <= l} Lambda_j^l A_j^T H_j u_j.
///
/// ```
/// use workbench::memformer::{Architecture, Parameters};
/// use workbench::stats::Streams;
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
    /// A and B zero, registers neutral: alpha = 1, gamma = 0, Gamma_l^l (tied: every Gamma_j) the identity, others zero.
    ///
    /// Untied neutral registers are no registers. Tied ones add every earlier step again at every layer.
    pub fn neutral(architecture: Architecture) -> Parameters {
        let mut values = vec![0.0; architecture.count()];
        let registers = &mut values[architecture.range(Part::Registers)];
        match architecture.registers {
            RegisterKind::None => {}
            RegisterKind::Single => registers[..architecture.depth].fill(1.0),
            RegisterKind::Separate { weight, tied } => {
                let identity = weight.identity(architecture.dim);
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

    /// As [`Parameters::neutral`], with A and B of independent N(0, scale^2) entries.
    ///
    /// **Source**: Section 3.3; the scale is not given there, the public code of preconditioned gradient descent takes 1e-4.
    /// **Errors**: a scale that is negative or not finite.
    pub fn random(architecture: Architecture, scale: f64, stream: &mut Stream) -> Result<Parameters, Error> {
        not_negative("Parameters::random", "scale", scale)?;
        let mut parameters = Parameters::neutral(architecture);
        let matrices = 0..architecture.range(Part::UpperBlocks).end;
        parameters.values[matrices]
            .iter_mut()
            .for_each(|v| *v = scale * stream.normal());
        Ok(parameters)
    }

    /// Parameters from their numbers in order: A_0, A_1, ..., B_0, ..., then alpha and gamma, or Gamma_j^l with (l, j) = (0, 0), (1, 0),
    /// (1, 1), ... (tied: Gamma_0, Gamma_1, ...); matrices row by row.
    ///
    /// **Errors**: another count, numbers that are not finite.
    pub fn from_values(architecture: Architecture, values: Vec<f64>) -> Result<Parameters, Error> {
        const OP: &str = "Parameters::from_values";
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

    /// A_l, `(d, d)`.
    ///
    /// **Errors**: no such layer.
    pub fn a(&self, layer: usize) -> Result<ArrayView2<'_, f64>, Error> {
        self.matrix("Parameters::a", Part::Preconditioners, layer)
    }

    /// B_l, `(d, d)`.
    ///
    /// **Errors**: no such layer, a model whose B is held at zero.
    pub fn b(&self, layer: usize) -> Result<ArrayView2<'_, f64>, Error> {
        self.matrix("Parameters::b", Part::UpperBlocks, layer)
    }

    /// Sets A_l. **Errors**: no such layer, another shape, numbers that are not finite.
    pub fn set_a(&mut self, layer: usize, a: &Array2<f64>) -> Result<(), Error> {
        self.set("Parameters::set_a", Part::Preconditioners, layer, a)
    }

    /// Sets B_l. **Errors**: as [`Parameters::set_a`], a model whose B is held at zero.
    pub fn set_b(&mut self, layer: usize, b: &Array2<f64>) -> Result<(), Error> {
        self.set("Parameters::set_b", Part::UpperBlocks, layer, b)
    }

    /// alpha and gamma, or the weights of the separate registers, in order.
    pub fn registers(&self) -> &[f64] {
        &self.values[self.architecture.range(Part::Registers)]
    }

    /// alpha and gamma, or the weights of the separate registers.
    pub fn registers_mut(&mut self) -> &mut [f64] {
        &mut self.values[self.architecture.range(Part::Registers)]
    }

    /// Coefficients Lambda_j^l for j <= l, pair by pair (0, 0), (1, 0), (1, 1), ...: what every kind of register comes down to.
    ///
    /// **Shapes**: `(L (L + 1) / 2, width of a weight)`; a single register gives scalars alpha_l gamma_l ... gamma_{j+1}. Without registers
    /// the weights of pairs (l, l) are one.
    pub fn coefficients(&self) -> Array2<f64> {
        let Architecture {
            depth, dim, registers, ..
        } = self.architecture;
        let values = self.registers();
        let width = match registers {
            RegisterKind::Separate { weight, .. } => weight.width(dim),
            _ => 1,
        };
        let pairs = depth * (depth + 1) / 2;
        let weights = match self.sharing() {
            Some(sharing) => sharing.spread(depth, width, values),
            None => (0..depth)
                .flat_map(|l| (0..=l).map(move |j| f64::from(u8::from(l == j))))
                .collect(),
        };
        // One row per pair, by the lengths above.
        Array2::from_shape_vec((pairs, width), weights).unwrap_or_else(|_| Array2::zeros((pairs, width)))
    }

    /// The gradient with respect to the registers' parameters, from that with respect to [`Parameters::coefficients`].
    pub(crate) fn fold(&self, coefficients: &[f64]) -> Vec<f64> {
        let (depth, values) = (self.architecture.depth, self.registers());
        match self.sharing() {
            Some(sharing) => sharing.fold(
                depth,
                coefficients.len() / (depth * (depth + 1) / 2),
                values,
                coefficients,
            ),
            None => Vec::new(),
        }
    }

    fn sharing(&self) -> Option<Sharing> {
        match self.architecture.registers {
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
        let Architecture {
            depth, dim, registers, ..
        } = self.architecture;
        let mut layers = Vec::with_capacity(depth);
        for l in 0..depth {
            let b = if self.architecture.upper_block {
                self.b(l)?.to_owned()
            } else {
                Array2::zeros((dim, dim))
            };
            layers.push(vec![Head::restricted(&self.a(l)?.to_owned(), &b)?]);
        }
        let memory = match registers {
            RegisterKind::None => Memory::None,
            RegisterKind::Single => {
                let (alpha, gamma) = self.registers().split_at(depth);
                Memory::Single {
                    alpha: alpha.to_vec(),
                    gamma: gamma.to_vec(),
                }
            }
            RegisterKind::Separate {
                weight: RegisterWeight::Scalar,
                ..
            } => {
                let weights = self.coefficients();
                let full = |l: usize, j: usize| Array2::from_elem((dim + 1, n + 1), weights[[l * (l + 1) / 2 + j, 0]]);
                Memory::Separate {
                    gamma: (0..depth).map(|l| (0..=l).map(|j| full(l, j)).collect()).collect(),
                }
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
        let dim = self.architecture.dim;
        ArrayView2::from_shape((dim, dim), &self.values[range]).map_err(|_| Error::zero(op, "d"))
    }

    fn set(&mut self, op: &'static str, part: Part, layer: usize, value: &Array2<f64>) -> Result<(), Error> {
        let range = self.position(op, part, layer)?;
        let dim = self.architecture.dim;
        same_shape(op, "the matrix", value.shape(), &[dim, dim])?;
        finite(op, "the matrix", value)?;
        for (to, from) in self.values[range].iter_mut().zip(value) {
            *to = *from;
        }
        Ok(())
    }

    fn position(&self, op: &'static str, part: Part, layer: usize) -> Result<std::ops::Range<usize>, Error> {
        let range = self.architecture.range(part);
        let square = self.architecture.dim * self.architecture.dim;
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

    fn separate(weight: RegisterWeight, tied: bool) -> Architecture {
        Architecture::new(3, 2)
            .unwrap()
            .with_registers(RegisterKind::Separate { weight, tied })
    }

    #[test]
    fn neutral_registers_are_the_identity_on_the_diagonal() {
        for registers in [
            RegisterKind::None,
            RegisterKind::Single,
            RegisterKind::Separate {
                weight: RegisterWeight::Scalar,
                tied: false,
            },
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
            RegisterKind::Separate {
                weight: RegisterWeight::Diagonal,
                tied: true,
            },
            RegisterKind::Separate {
                weight: RegisterWeight::Scalar,
                tied: false,
            },
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
    fn groups_cover_all_parameters_once() {
        let architecture = separate(RegisterWeight::Diagonal, false).with_upper_block();
        let groups = architecture.groups();
        assert_eq!(groups.len(), 3 + 3 + 6);
        let mut next = 0;
        for group in groups {
            assert_eq!(group.start, next);
            next = group.end;
        }
        assert_eq!(next, architecture.count());
        assert_eq!(
            Architecture::new(2, 3)
                .unwrap()
                .with_registers(RegisterKind::Single)
                .groups()
                .len(),
            4
        );
    }

    #[test]
    fn bad_requests_are_named() {
        let architecture = Architecture::new(2, 2).unwrap();
        assert!(Architecture::new(0, 2).is_err() && Architecture::new(2, 0).is_err());
        let mut parameters = Parameters::neutral(architecture);
        assert!(parameters.b(0).unwrap_err().to_string().contains("there are 0"));
        assert!(parameters.a(2).is_err());
        assert!(
            parameters
                .set_a(0, &Array2::zeros((3, 2)))
                .unwrap_err()
                .to_string()
                .contains("(3, 2)")
        );
        assert!(parameters.set_a(0, &Array2::from_elem((2, 2), f64::NAN)).is_err());
        assert!(Parameters::from_values(architecture, vec![0.0; 7]).is_err());
        assert!(
            Parameters::neutral(separate(RegisterWeight::Full, true))
                .transformer(4)
                .is_err()
        );
    }
}
