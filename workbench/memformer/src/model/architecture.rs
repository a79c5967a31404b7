//! Architecture of the restricted model (2.8) with its registers: its parameters and their places.

use crate::Error;
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use workbench_ground::check::positive;

/// What a register's weight is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RegisterWeight {
    /// A number: $\Gamma$ constant over tokens and rows.
    Scalar,
    /// A diagonal matrix acting on the gradient's coordinates, $\Lambda$ of Eq. 3.5.
    Diagonal,
    /// A full matrix acting on the gradient.
    Full,
}

/// What the layers of a [`Architecture`] remember.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RegisterKind {
    /// Nothing: preconditioned gradient descent (Lemma 2.1).
    None,
    /// One register with trainable $\alpha_\ell$ and $\gamma_\ell$ (Eqs. 3.1 and 3.2).
    Single,
    /// One register per layer (Eqs. 3.3 and 3.4).
    Separate {
        /// What a weight is.
        weight: RegisterWeight,
        /// Whether $\Gamma_j^\ell=\Gamma_j$ for all $\ell$, as in the document's experiments.
        tied: bool,
    },
}

/// Which parameters a restricted model has.
///
/// ```
/// use workbench_memformer::{Architecture, RegisterKind, RegisterWeight};
/// let model = Architecture::new(4, 5)?
///     .with_registers(RegisterKind::Separate { weight: RegisterWeight::Scalar, tied: true })
///     .with_upper_block();
/// assert_eq!(model.count(), 4 * 25 + 4 * 25 + 4);
/// # Ok::<(), workbench_memformer::Error>(())
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
    /// Preconditioners $A_\ell$; all Q of a model with free matrices.
    Preconditioners,
    /// Upper-left blocks $B_\ell$ of $P_\ell$; all P of a model with free matrices.
    UpperBlocks,
    /// $\alpha$, $\gamma$ or $\Gamma$.
    Registers,
}

impl Architecture {
    /// `depth` layers in `dim` dimensions, $B=0$, no registers.
    ///
    /// **Errors**: a zero size.
    pub fn new(depth: usize, dim: usize) -> Result<Architecture, Error> {
        positive("Architecture::new", "the number of layers (L)", depth)?;
        positive("Architecture::new", "d", dim)?;
        Ok(Architecture { depth, dim, upper_block: false, registers: RegisterKind::None })
    }

    /// The same with trainable $B_\ell$ (GD++). The last layer's is not seen by the output and keeps its value.
    pub fn with_upper_block(mut self) -> Architecture {
        self.upper_block = true;
        self
    }

    /// The same with other registers. No pass applies weights that are matrices to B too: [`Parameters`](crate::Parameters) of such a pair
    /// are refused.
    pub fn with_registers(mut self, registers: RegisterKind) -> Architecture {
        self.registers = registers;
        self
    }

    /// Whether a model of this kind can be computed. **Errors**: weights that are matrices together with B.
    pub(crate) fn check(&self, op: &'static str) -> Result<(), Error> {
        match self.registers {
            RegisterKind::Separate { weight, .. } if self.upper_block && weight != RegisterWeight::Scalar => {
                let instead = "use scalar weights, which the architecture applies to both";
                Err(Error::unavailable(op, "a matrix weight together with B", instead))
            }
            _ => Ok(()),
        }
    }

    /// Layers L.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Whether $B_\ell$ are parameters.
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

    /// Positions of every matrix or weight that has a norm of its own: each $A_\ell$, each $B_\ell$, $\alpha$, $\gamma$, each
    /// $\Gamma_j^\ell$.
    pub fn groups(&self) -> Vec<std::ops::Range<usize>> {
        let square = self.dim * self.dim;
        let mut groups: Vec<_> =
            (0..self.range(Part::UpperBlocks).end / square).map(|i| i * square..(i + 1) * square).collect();
        let registers = self.range(Part::Registers);
        let width = match self.registers {
            RegisterKind::None => return groups,
            RegisterKind::Single => self.depth,
            RegisterKind::Separate { weight, .. } => weight.width(self.dim),
        };
        groups.extend(registers.clone().step_by(width).map(|from| from..from + width));
        groups
    }

    pub(super) fn register_count(&self) -> usize {
        match self.registers {
            RegisterKind::None => 0,
            RegisterKind::Single => 2 * self.depth,
            RegisterKind::Separate { weight, tied } => {
                let entries = if tied { self.depth } else { self.depth * (self.depth + 1) / 2 };
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
    pub(super) fn identity(self, dim: usize) -> Vec<f64> {
        match self {
            RegisterWeight::Scalar => vec![1.0],
            RegisterWeight::Diagonal => vec![1.0; dim],
            RegisterWeight::Full => Array2::eye(dim).into_raw_vec_and_offset().0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_cover_all_parameters_once() {
        let architecture = Architecture::new(3, 2)
            .unwrap()
            .with_registers(RegisterKind::Separate { weight: RegisterWeight::Diagonal, tied: false })
            .with_upper_block();
        let groups = architecture.groups();
        assert_eq!(groups.len(), 3 + 3 + 6);
        let mut next = 0;
        for group in groups {
            assert_eq!(group.start, next);
            next = group.end;
        }
        assert_eq!(next, architecture.count());
        assert_eq!(Architecture::new(2, 3).unwrap().with_registers(RegisterKind::Single).groups().len(), 4);
    }
}
