//! Values of the parameters, and the same model in plain arrays.

use super::architecture::{
    AttentionKind, Entries, FullArchitecture, HadamardWeight, TokenRegisters, registers_of_heads,
};
use ndarray::{Array2, ArrayView2};
use workbench_ground::Error;
use workbench_ground::check::{finite, not_negative, positive, same_shape};
use workbench_ground::stats::Stream;
use workbench_memformer::{Head, LayerMemory, LinearTransformer, Part, Sharing};

/// Parameters of a model with free P and Q.
///
/// **Source**: Eqs. 2.4, 2.5, 3.1 to 3.4.
///
/// ```
/// use workbench_tensors::{FullArchitecture, FullParameters, Processor, TokenBatch};
/// use workbench_memformer::{Precision, Prompts, TaskLaw};
/// use workbench_ground::stats::Streams;
/// let streams = Streams::new(1);
/// let model = FullParameters::random(FullArchitecture::new(2, 3)?, 0.1, &mut streams.stream("start")?)?;
/// let prompts = Prompts::draw(&TaskLaw::isotropic(3)?, 10, 8, &mut streams.stream("prompts")?)?;
/// let batch = TokenBatch::new(&prompts, Precision::Double, Processor::Cpu)?;
/// // The same number as the definition in plain arrays.
/// assert!((batch.loss(&model)? / model.transformer(10)?.loss(&prompts)? - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FullParameters {
    architecture: FullArchitecture,
    values: Vec<f64>,
}

impl FullParameters {
    /// P zero but for a one in the lower right corner, Q zero, registers neutral: $\alpha=1$, $\gamma=0$, $\Gamma_\ell^\ell$ (tied: every
    /// $\Gamma_j$) one everywhere, others zero. Such a model leaves its prompts as they are.
    pub fn neutral(architecture: FullArchitecture) -> FullParameters {
        let mut values = vec![0.0; architecture.count()];
        let (width, depth) = (architecture.dim() + 1, architecture.depth());
        for p in values[architecture.range(Part::UpperBlocks)].chunks_exact_mut(width * width) {
            p[width * width - 1] = 1.0;
        }
        let registers = &mut values[architecture.range(Part::Registers)];
        match architecture.registers() {
            TokenRegisters::None => {}
            TokenRegisters::Single => registers[..depth].fill(1.0),
            TokenRegisters::Separate { tied: true, .. } => registers.fill(1.0),
            TokenRegisters::Separate { weight, tied: false } => {
                for l in 0..depth {
                    let from = (l * (l + 3) / 2) * weight.width(architecture.dim());
                    registers[from..from + weight.width(architecture.dim())].fill(1.0);
                }
            }
        }
        FullParameters { architecture, values }
    }

    /// As [`FullParameters::neutral`], with independent $\mathcal N(0,\mathrm{scale}^2)$ added to every trained entry of P and Q.
    ///
    /// **Source**: as [`workbench_memformer::Parameters::random`]; the one in P's corner keeps the start away from the saddle at $P=Q=0$.
    /// **Errors**: a scale that is negative or not finite.
    pub fn random(architecture: FullArchitecture, scale: f64, stream: &mut Stream) -> Result<FullParameters, Error> {
        not_negative("FullParameters::random", "scale", scale)?;
        let mut parameters = FullParameters::neutral(architecture);
        for part in [Part::UpperBlocks, Part::Preconditioners] {
            for range in architecture.ranges(part) {
                parameters.values[range].iter_mut().for_each(|v| *v += scale * stream.normal());
            }
        }
        Ok(parameters)
    }

    /// Parameters from their numbers in order: all P, layer by layer and head by head, all Q, then $\alpha$ and $\gamma$, or
    /// $\Gamma_j^\ell$ with $(\ell,j)=(0,0),(1,0),(1,1),\dots$ (tied: $\Gamma_0,\Gamma_1,\dots$); matrices row by row.
    ///
    /// **Errors**: another count, numbers that are not finite, a zero size.
    pub fn from_values(architecture: FullArchitecture, values: Vec<f64>) -> Result<FullParameters, Error> {
        const OP: &str = "FullParameters::from_values";
        architecture.check(OP)?;
        same_shape(OP, "values", &[values.len()], &[architecture.count()])?;
        finite(OP, "values", &values)?;
        Ok(FullParameters { architecture, values })
    }

    /// The parameters of `model` in an architecture that can hold it; [`FullArchitecture::of`] can, unless heads
    /// have registers of their own.
    ///
    /// **Errors**: another depth, dimension, number of heads or kind of memory; weights of registers that the architecture's shape
    /// cannot take, such as a row that is not constant in [`HadamardWeight::Scalar`]; softmax attention.
    pub fn from_transformer(
        model: &LinearTransformer,
        architecture: FullArchitecture,
    ) -> Result<FullParameters, Error> {
        const OP: &str = "FullParameters::from_transformer";
        linear(OP, architecture.attention())?;
        same_shape(OP, "the layers", &[model.depth()], &[architecture.depth()])?;
        let width = architecture.dim() + 1;
        let mut parameters = FullParameters::neutral(architecture);
        for (l, layer) in model.layers().iter().enumerate() {
            same_shape(OP, "the heads of a layer", &[layer.len()], &[architecture.heads()])?;
            for (h, head) in layer.iter().enumerate() {
                same_shape(OP, "P of a head", head.p().shape(), &[width, width])?;
                parameters.set_head(l, h, head)?;
            }
        }
        let range = architecture.range(Part::Registers);
        let registers = &mut parameters.values[range];
        match (model.memory(), architecture.registers()) {
            (LayerMemory::None, TokenRegisters::None) => {}
            (LayerMemory::Single { alpha, gamma }, TokenRegisters::Single) => {
                registers.copy_from_slice(&[alpha.as_slice(), gamma].concat());
            }
            (LayerMemory::Separate { gamma }, TokenRegisters::Separate { weight, tied }) => {
                let size = weight.width(architecture.dim());
                for (l, row) in gamma.iter().enumerate() {
                    for (j, full) in row.iter().enumerate() {
                        let entry = if tied { j } else { l * (l + 1) / 2 + j };
                        let narrow = narrow(OP, full, weight)?;
                        let place = &mut registers[entry * size..][..size];
                        if tied && l > j && place != narrow {
                            let instead = "untie them: they differ between layers";
                            return Err(Error::unavailable(OP, "tied weights", instead));
                        }
                        place.copy_from_slice(&narrow);
                    }
                }
            }
            (LayerMemory::PerHead { .. }, _) => return Err(registers_of_heads(OP)),
            _ => {
                let instead = "use the architecture `FullArchitecture::of` gives";
                return Err(Error::unavailable(OP, "this kind of memory", instead));
            }
        }
        finite(OP, "the model", &parameters.values)?;
        Ok(parameters)
    }

    /// The same model as the definition in plain arrays, for prompts of `n` examples.
    ///
    /// **Errors**: n = 0, softmax attention, weights for another n.
    pub fn transformer(&self, n: usize) -> Result<LinearTransformer, Error> {
        const OP: &str = "FullParameters::transformer";
        let architecture = self.architecture;
        positive(OP, "the number of examples (n)", n)?;
        linear(OP, architecture.attention())?;
        architecture.fits(OP, architecture.dim(), n)?;
        let (depth, width) = (architecture.depth(), architecture.dim() + 1);
        let head = |l: usize| (0..architecture.heads()).map(|h| self.head(l, h)).collect::<Result<Vec<_>, _>>();
        let layers = (0..depth).map(head).collect::<Result<Vec<_>, _>>()?;
        let registers = self.registers();
        let memory = match architecture.registers() {
            TokenRegisters::None => LayerMemory::None,
            TokenRegisters::Single => {
                LayerMemory::Single { alpha: registers[..depth].to_vec(), gamma: registers[depth..].to_vec() }
            }
            TokenRegisters::Separate { weight, tied } => {
                let size = weight.width(architecture.dim());
                let full = |l: usize, j: usize| {
                    let entry = if tied { j } else { l * (l + 1) / 2 + j };
                    let values = &registers[entry * size..][..size];
                    Array2::from_shape_fn((width, n + 1), |(i, t)| match weight {
                        HadamardWeight::Scalar => values[0],
                        HadamardWeight::Rows => values[i],
                        HadamardWeight::Full { .. } => values[i * (n + 1) + t],
                    })
                };
                LayerMemory::Separate { gamma: (0..depth).map(|l| (0..=l).map(|j| full(l, j)).collect()).collect() }
            }
        };
        LinearTransformer::new(layers, memory)
    }

    /// The architecture.
    pub fn architecture(&self) -> FullArchitecture {
        self.architecture
    }

    /// All numbers, in the order of [`FullParameters::from_values`].
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All numbers, held ones too.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// $\alpha$ and $\gamma$, or the weights of the separate registers, in order.
    pub fn registers(&self) -> &[f64] {
        &self.values[self.architecture.range(Part::Registers)]
    }

    /// $\alpha$ and $\gamma$, or the weights of the separate registers.
    pub fn registers_mut(&mut self) -> &mut [f64] {
        &mut self.values[self.architecture.range(Part::Registers)]
    }

    /// P and Q of a head. **Errors**: no such layer or head.
    pub fn head(&self, layer: usize, head: usize) -> Result<Head, Error> {
        const OP: &str = "FullParameters::head";
        let width = self.architecture.dim() + 1;
        let matrix = |part: Part| -> Result<Array2<f64>, Error> {
            let range = self.architecture.matrix(OP, part, layer, head)?;
            let view = ArrayView2::from_shape((width, width), &self.values[range]);
            // The range has width^2 numbers, by the architecture.
            view.map(|v| v.to_owned()).map_err(|_| Error::zero(OP, "d"))
        };
        Head::new(matrix(Part::UpperBlocks)?, matrix(Part::Preconditioners)?)
    }

    /// Sets P and Q of a head, held entries too. **Errors**: no such layer or head, another shape, numbers that are not finite.
    pub fn set_head(&mut self, layer: usize, head: usize, to: &Head) -> Result<(), Error> {
        const OP: &str = "FullParameters::set_head";
        let width = self.architecture.dim() + 1;
        for (part, name, matrix) in [(Part::UpperBlocks, "P", to.p()), (Part::Preconditioners, "Q", to.q())] {
            let range = self.architecture.matrix(OP, part, layer, head)?;
            same_shape(OP, name, matrix.shape(), &[width, width])?;
            finite(OP, name, matrix)?;
            for (to, from) in self.values[range].iter_mut().zip(matrix) {
                *to = *from;
            }
        }
        Ok(())
    }

    /// Sets the entries that are not trained to zero in a gradient.
    pub(crate) fn hold(&self, gradient: &mut [f64]) {
        let (p, q) = self.architecture.entries();
        for (part, entries) in [(Part::UpperBlocks, p), (Part::Preconditioners, q)] {
            let range = self.architecture.range(part);
            match entries {
                Entries::All => {}
                Entries::Held => gradient[range].fill(0.0),
                Entries::Block => {
                    let width = self.architecture.dim() + 1;
                    for (at, g) in gradient[range].iter_mut().enumerate() {
                        let (row, column) = (at / width % width, at % width);
                        if row + 1 == width || column + 1 == width {
                            *g = 0.0;
                        }
                    }
                }
            }
        }
    }

    /// Weights of all pairs (l, j), j <= l: what every kind of register comes down to; empty without registers.
    pub(crate) fn weights(&self) -> Vec<f64> {
        let (depth, width) = (self.architecture.depth(), self.architecture.weight_width());
        self.sharing().map_or_else(Vec::new, |sharing| sharing.spread(depth, width, self.registers()))
    }

    /// The gradient with respect to the registers' parameters, from that with respect to [`FullParameters::weights`].
    pub(crate) fn fold(&self, weights: &[f64]) -> Vec<f64> {
        let (depth, width) = (self.architecture.depth(), self.architecture.weight_width());
        self.sharing().map_or_else(Vec::new, |sharing| sharing.fold(depth, width, self.registers(), weights))
    }

    fn sharing(&self) -> Option<Sharing> {
        match self.architecture.registers() {
            TokenRegisters::None => None,
            TokenRegisters::Single => Some(Sharing::Single),
            TokenRegisters::Separate { tied: true, .. } => Some(Sharing::Tied),
            TokenRegisters::Separate { tied: false, .. } => Some(Sharing::Untied),
        }
    }
}

/// The numbers of a weight `(d + 1, n + 1)` in a narrower shape.
fn narrow(op: &'static str, full: &Array2<f64>, weight: HadamardWeight) -> Result<Vec<f64>, Error> {
    let instead = "use a shape of weights that can hold them, `HadamardWeight::Full` always can";
    match weight {
        HadamardWeight::Full { examples } => {
            same_shape(op, "Gamma_j", full.shape(), &[full.nrows(), examples + 1])?;
            Ok(full.iter().copied().collect())
        }
        HadamardWeight::Rows => {
            let rows: Vec<f64> = full.column(0).to_vec();
            match full.rows().into_iter().zip(&rows).all(|(r, v)| r.iter().all(|x| x == v)) {
                true => Ok(rows),
                false => Err(Error::unavailable(op, "one number per row for weights that vary along it", instead)),
            }
        }
        HadamardWeight::Scalar => match full.iter().all(|v| *v == full[[0, 0]]) {
            true => Ok(vec![full[[0, 0]]]),
            false => Err(Error::unavailable(op, "one number for weights that vary", instead)),
        },
    }
}

fn linear(op: &'static str, attention: AttentionKind) -> Result<(), Error> {
    match attention {
        AttentionKind::Linear => Ok(()),
        AttentionKind::Softmax => Err(Error::unavailable(
            op,
            "softmax attention in `LinearTransformer`",
            "use `AttentionKind::Linear`, or `masked_softmax_attention` layer by layer",
        )),
    }
}
