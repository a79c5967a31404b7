//! Vision transformers.

use workbench_ground::check::positive;

use super::Shapes;
use crate::{Error, Layout};

/// A vision transformer by the columns of Table 1, for colour images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VitShape {
    /// Heads of the attention; they share the hidden dimension, so their number does not change the count.
    pub heads: usize,
    /// Layers of the encoder.
    pub layers: usize,
    /// Hidden dimension $d$.
    pub hidden: usize,
    /// Width $f$ between the two matrices of an MLP.
    pub mlp: usize,
    /// Side $p$ of a patch.
    pub patch: usize,
    /// Side of the image.
    pub side: usize,
}

/// What is counted beside the matrices, which are in every reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VitReading {
    /// A bias with each matrix.
    pub biases: bool,
    /// The layer norms.
    pub norms: bool,
    /// The class token.
    pub class_token: bool,
    /// The position embeddings.
    pub positions: bool,
    /// Classes of the head; 0 without one.
    pub classes: usize,
}

impl VitReading {
    /// Everything, with a head for so many classes.
    pub fn whole(classes: usize) -> VitReading {
        VitReading { biases: true, norms: true, class_token: true, positions: true, classes }
    }

    /// All 32 readings: each part counted or left out, the head as well.
    pub fn all(classes: usize) -> Vec<VitReading> {
        let part = |index: u32, bit: u32| index & (1 << bit) != 0;
        (0..32)
            .map(|index| VitReading {
                biases: part(index, 0),
                norms: part(index, 1),
                class_token: part(index, 2),
                positions: part(index, 3),
                classes: if part(index, 4) { classes } else { 0 },
            })
            .collect()
    }
}

impl VitShape {
    /// The tensors: `embedding/…`, `cls`, `positions`, `encoder/LAYER/…`, `norm/…`, `head/…`.
    ///
    /// With all parts and $c$ classes: $d(3p^2+1)+d+d(n+1)+l\,(4d(d+1)+f(d+1)+d(f+1)+4d)+2d+c(d+1)$ for $n$ patches.
    ///
    /// **Errors**: a size of zero, patches that do not fill the image.
    ///
    /// ```
    /// use workbench_optimizer::counts::{VitReading, VitShape};
    /// let base = VitShape { heads: 12, layers: 12, hidden: 768, mlp: 3072, patch: 16, side: 224 };
    /// assert_eq!(base.layout(&VitReading::whole(1000))?.len(), 86_567_656);
    /// # Ok::<(), workbench_optimizer::Error>(())
    /// ```
    pub fn layout(&self, reading: &VitReading) -> Result<Layout, Error> {
        const OP: &str = "VitShape::layout";
        let sizes = [self.heads, self.layers, self.hidden, self.mlp, self.patch, self.side];
        for (name, size) in ["heads", "layers", "hidden", "mlp", "patch", "side"].into_iter().zip(sizes) {
            positive(OP, name, size)?;
        }
        if !self.side.is_multiple_of(self.patch) {
            let problem = format!("patches of side {} do not fill an image of side {}", self.patch, self.side);
            return Err(Error::refused(OP, problem, "choose a side that the patch divides"));
        }
        let mut shapes = Shapes::default();
        let inputs = 3 * self.patch * self.patch;
        shapes.linear("embedding", [inputs, self.hidden], reading.biases);
        if reading.class_token {
            shapes.add("cls", &[1, self.hidden]);
        }
        if reading.positions {
            let count = (self.side / self.patch).pow(2) + usize::from(reading.class_token);
            shapes.add("positions", &[count, self.hidden]);
        }
        for layer in 0..self.layers {
            let name = format!("encoder/{layer}");
            shapes.layer(&name, self.hidden, self.mlp, reading.biases, reading.norms);
        }
        if reading.norms {
            shapes.norm("norm", self.hidden);
        }
        if reading.classes > 0 {
            shapes.linear("head", [self.hidden, reading.classes], reading.biases);
        }
        shapes.layout()
    }

    /// What is left when the hidden dimension is shared among the heads; 0 for a model that can be built.
    pub fn left_over(&self) -> usize {
        self.hidden.checked_rem(self.heads).unwrap_or(self.hidden)
    }

    /// The same row with the numbers of heads and layers exchanged.
    pub fn exchanged(self) -> VitShape {
        VitShape { heads: self.layers, layers: self.heads, ..self }
    }
}
