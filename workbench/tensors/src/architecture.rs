//! Architecture of a model whose P and Q are free matrices.

use serde::{Deserialize, Serialize};
use std::ops::Range;
use workbench_ground::Error;
use workbench_ground::check::{position, positive, same_shape};
use workbench_memformer::{LayerMemory, LinearTransformer, Part};

/// The attention of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AttentionKind {
    /// $PZM(Z^\top QZ)$, Eq. 2.4.
    Linear,
    /// $PZM\operatorname{smax}(Z^\top QZ)$, Eq. 2.2, for contrast.
    Softmax,
}

/// Which entries of a matrix are trained; the others keep their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entries {
    /// None.
    Held,
    /// The upper-left `(d, d)` block, as in Eq. 2.8.
    Block,
    /// All `(d + 1)^2`.
    All,
}

/// The shape of the weight $\Gamma_j^\ell$, which multiplies a register entry by entry (Eq. 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HadamardWeight {
    /// One number for all entries.
    Scalar,
    /// One number per row: a diagonal matrix from the left.
    Rows,
    /// A number for each of the `(d + 1, n + 1)` entries, which ties the model to prompts of n examples.
    Full {
        /// Examples per prompt, n.
        examples: usize,
    },
}

/// What the layers remember, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TokenRegisters {
    /// Nothing (Eq. 2.5).
    None,
    /// One register with alpha_l and gamma_l (Eqs. 3.1 and 3.2).
    Single,
    /// One register per layer (Eqs. 3.3 and 3.4).
    Separate {
        /// The shape of a weight.
        weight: HadamardWeight,
        /// Whether $\Gamma_j^\ell=\Gamma_j$ for all $\ell$.
        tied: bool,
    },
}

/// Which parameters a model with free P and Q has.
///
/// **Source**: Section 2.1 and Eqs. 3.1 to 3.4; all P and Q in $\mathbb R^{(d+1)\times(d+1)}$, which Eq. 2.8 restricts.
///
/// ```
/// use workbench_tensors::{FullArchitecture, HadamardWeight, TokenRegisters};
/// let weight = HadamardWeight::Full { examples: 20 };
/// let model = FullArchitecture::new(3, 5)?
///     .with_heads(2)?
///     .with_registers(TokenRegisters::Separate { weight, tied: true })?;
/// assert_eq!(model.count(), 3 * 2 * 2 * 36 + 3 * 6 * 21);
/// # Ok::<(), workbench_ground::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullArchitecture {
    depth: usize,
    dim: usize,
    heads: usize,
    attention: AttentionKind,
    p: Entries,
    q: Entries,
    registers: TokenRegisters,
}

/// What a model is refused with whose heads do not share a register: no pass here keeps more than one for a layer.
pub(crate) fn registers_of_heads(op: &'static str) -> Error {
    let instead = "let the heads of a layer share a register: `LayerMemory::Separate`";
    Error::unavailable(op, "registers for each head", instead)
}

impl FullArchitecture {
    /// `depth` layers of one head of linear attention in `dim` dimensions, all entries trained, no registers.
    ///
    /// **Errors**: a zero size.
    pub fn new(depth: usize, dim: usize) -> Result<FullArchitecture, Error> {
        let architecture = FullArchitecture {
            depth,
            dim,
            heads: 1,
            attention: AttentionKind::Linear,
            p: Entries::All,
            q: Entries::All,
            registers: TokenRegisters::None,
        };
        architecture.check("FullArchitecture::new")?;
        Ok(architecture)
    }

    /// The widest architecture that holds `model`: its registers with weights for every entry.
    ///
    /// **Errors**: layers with different numbers of heads, registers for each head.
    pub fn of(model: &LinearTransformer) -> Result<FullArchitecture, Error> {
        const OP: &str = "FullArchitecture::of";
        let heads = model.layers()[0].len();
        for layer in model.layers() {
            same_shape(OP, "the heads of a layer", &[layer.len()], &[heads])?;
        }
        let registers = match model.memory() {
            LayerMemory::None => TokenRegisters::None,
            LayerMemory::Single { .. } => TokenRegisters::Single,
            LayerMemory::Separate { gamma } => TokenRegisters::Separate {
                weight: HadamardWeight::Full { examples: gamma[0][0].ncols().saturating_sub(1) },
                tied: false,
            },
            LayerMemory::PerHead { .. } => return Err(registers_of_heads(OP)),
        };
        FullArchitecture::new(model.depth(), model.dim())?.with_heads(heads)?.with_registers(registers)
    }

    /// The same with `heads` heads in each layer. **Errors**: zero.
    pub fn with_heads(mut self, heads: usize) -> Result<FullArchitecture, Error> {
        self.heads = heads;
        self.check("FullArchitecture::with_heads")?;
        Ok(self)
    }

    /// The same with another attention.
    pub fn with_attention(mut self, attention: AttentionKind) -> FullArchitecture {
        self.attention = attention;
        self
    }

    /// The same with these entries of every P and every Q trained.
    pub fn with_entries(mut self, p: Entries, q: Entries) -> FullArchitecture {
        (self.p, self.q) = (p, q);
        self
    }

    /// The same with other registers. **Errors**: weights for prompts without examples.
    pub fn with_registers(mut self, registers: TokenRegisters) -> Result<FullArchitecture, Error> {
        self.registers = registers;
        self.check("FullArchitecture::with_registers")?;
        Ok(self)
    }

    /// Layers L.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Heads of a layer.
    pub fn heads(&self) -> usize {
        self.heads
    }

    /// The attention.
    pub fn attention(&self) -> AttentionKind {
        self.attention
    }

    /// Which entries of P and of Q are trained.
    pub fn entries(&self) -> (Entries, Entries) {
        (self.p, self.q)
    }

    /// The registers.
    pub fn registers(&self) -> TokenRegisters {
        self.registers
    }

    /// Number of parameters, held ones included.
    pub fn count(&self) -> usize {
        self.range(Part::Registers).end
    }

    /// Positions of a part: [`Part::UpperBlocks`] are all P, [`Part::Preconditioners`] all Q, layer by layer and head by head.
    pub fn range(&self, part: Part) -> Range<usize> {
        let matrices = self.depth * self.heads * (self.dim + 1).pow(2);
        match part {
            Part::UpperBlocks => 0..matrices,
            Part::Preconditioners => matrices..2 * matrices,
            Part::Registers => 2 * matrices..2 * matrices + self.register_count(),
        }
    }

    /// Positions of the numbers of a part that are trained.
    pub fn ranges(&self, part: Part) -> Vec<Range<usize>> {
        let whole = self.range(part);
        let width = self.dim + 1;
        let entries = match part {
            Part::UpperBlocks => self.p,
            Part::Preconditioners => self.q,
            Part::Registers => Entries::All,
        };
        match entries {
            Entries::Held => Vec::new(),
            Entries::All => vec![whole],
            Entries::Block => whole
                .step_by(width)
                .enumerate()
                .filter(|(row, _)| row % width < self.dim)
                .map(|(_, from)| from..from + self.dim)
                .collect(),
        }
    }

    /// Positions of every matrix or weight that has a norm of its own: each P, each Q, $\alpha$, $\gamma$, each $\Gamma_j^\ell$.
    pub fn groups(&self) -> Vec<Range<usize>> {
        let square = (self.dim + 1).pow(2);
        let registers = self.range(Part::Registers);
        let mut groups: Vec<_> = (0..registers.start).step_by(square).map(|from| from..from + square).collect();
        let width = match self.registers {
            TokenRegisters::None => return groups,
            TokenRegisters::Single => self.depth,
            TokenRegisters::Separate { weight, .. } => weight.width(self.dim),
        };
        groups.extend(registers.step_by(width).map(|from| from..from + width));
        groups
    }

    /// Position of P or Q of a head.
    ///
    /// **Errors**: a part that is neither, no such layer or head.
    pub(crate) fn matrix(
        &self,
        op: &'static str,
        part: Part,
        layer: usize,
        head: usize,
    ) -> Result<Range<usize>, Error> {
        for (what, index, len) in [("layer", layer, self.depth), ("head", head, self.heads)] {
            position(op, what, index, len)?;
        }
        let square = (self.dim + 1).pow(2);
        let from = self.range(part).start + (layer * self.heads + head) * square;
        Ok(from..from + square)
    }

    /// Numbers in the weight of a pair (l, j).
    pub(crate) fn weight_width(&self) -> usize {
        match self.registers {
            TokenRegisters::Separate { weight, .. } => weight.width(self.dim),
            _ => 1,
        }
    }

    /// Refuses prompts that the weights do not fit.
    pub(crate) fn fits(&self, op: &'static str, dim: usize, examples: usize) -> Result<(), Error> {
        same_shape(op, "the model's P", &[self.dim + 1; 2], &[dim + 1; 2])?;
        if let TokenRegisters::Separate { weight: HadamardWeight::Full { examples: own }, .. } = self.registers {
            same_shape(op, "Gamma_j", &[self.dim + 1, own + 1], &[dim + 1, examples + 1])?;
        }
        Ok(())
    }

    /// Refuses zero sizes.
    pub(crate) fn check(&self, op: &'static str) -> Result<(), Error> {
        positive(op, "the number of layers (L)", self.depth)?;
        positive(op, "d", self.dim)?;
        positive(op, "the number of heads", self.heads)?;
        match self.registers {
            TokenRegisters::Separate { weight: HadamardWeight::Full { examples }, .. } => {
                positive(op, "the number of examples (n)", examples)
            }
            _ => Ok(()),
        }
    }

    fn register_count(&self) -> usize {
        match self.registers {
            TokenRegisters::None => 0,
            TokenRegisters::Single => 2 * self.depth,
            TokenRegisters::Separate { weight, tied } => {
                let entries = if tied { self.depth } else { self.depth * (self.depth + 1) / 2 };
                entries * weight.width(self.dim)
            }
        }
    }
}

impl HadamardWeight {
    /// Numbers in one weight.
    pub fn width(self, dim: usize) -> usize {
        match self {
            HadamardWeight::Scalar => 1,
            HadamardWeight::Rows => dim + 1,
            HadamardWeight::Full { examples } => (dim + 1) * (examples + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn separate(weight: HadamardWeight, tied: bool) -> FullArchitecture {
        FullArchitecture::new(3, 2)
            .unwrap()
            .with_heads(2)
            .unwrap()
            .with_registers(TokenRegisters::Separate { weight, tied })
            .unwrap()
    }

    #[test]
    fn groups_cover_all_parameters_once() {
        let model = separate(HadamardWeight::Full { examples: 4 }, false);
        let groups = model.groups();
        assert_eq!(groups.len(), 2 * 3 * 2 + 6);
        let mut next = 0;
        for group in groups {
            assert_eq!(group.start, next);
            next = group.end;
        }
        assert_eq!(next, model.count());
        assert_eq!(separate(HadamardWeight::Rows, true).count(), 2 * 3 * 2 * 9 + 3 * 3);
    }

    #[test]
    fn a_block_is_the_upper_left_corner_of_each_matrix() {
        let model = separate(HadamardWeight::Scalar, true).with_entries(Entries::Held, Entries::Block);
        assert!(model.ranges(Part::UpperBlocks).is_empty());
        let rows = model.ranges(Part::Preconditioners);
        assert_eq!(rows.len(), 6 * 2);
        let from = 6 * 9;
        assert_eq!(rows[..3], [from..from + 2, from + 3..from + 5, from + 9..from + 11]);
        assert_eq!(model.ranges(Part::Registers), vec![model.range(Part::Registers)]);
    }

    #[test]
    fn zero_sizes_are_named() {
        let say = |r: Result<FullArchitecture, Error>| r.unwrap_err().to_string();
        assert!(say(FullArchitecture::new(0, 1)).contains("(L)"));
        assert!(say(FullArchitecture::new(1, 0)).contains("d is zero"));
        let model = FullArchitecture::new(1, 1).unwrap();
        assert!(say(model.with_heads(0)).contains("heads"));
        let weight = HadamardWeight::Full { examples: 0 };
        assert!(say(model.with_registers(TokenRegisters::Separate { weight, tied: true })).contains("(n)"));
        assert!(model.matrix("x", Part::UpperBlocks, 0, 1).unwrap_err().to_string().contains("no head"));
    }
}
