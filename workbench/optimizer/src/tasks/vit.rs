//! Small vision transformers.

use workbench_ground::check;

use super::layers::{Linear, cross_entropy};
use super::layout::{InitialLayout, Law};
use super::mlp::rows;
use super::model::{BatchShape, Model};
use super::transformer::{Kept, ROWS, Sizes, Transformer};
use super::{Examples, ModelNumber};
use crate::Error;

/// A vision transformer: the image is cut into square patches, each becomes a position through one fully connected layer; a class
/// position comes before them, every position gets a vector of its own added; blocks; the class position gives the scores.
///
/// **Source**: B.1, "ViTs"; norms before attention and mlp, GELU by its tanh form, no dropout: the document does not say.
/// **Shapes**: images of $h\times w$ in one shade, filled up with zeros at the right and at the bottom to whole patches. With $n$ patches
/// of side $p$ and width $d$: $d(p^2+1)+d+(n+1)d$ parameters before the blocks ([`Sizes::parameters`]), $c(d+1)$ in the head.
/// **Start**: `Linear` and `LayerNorm` as PyTorch's; class position 0 and position vectors normal with deviation 0.02, as torchvision's
/// `VisionTransformer`. **Cost** of a gradient: three times the parameters of the blocks for each of $b(n+1)$ positions.
///
/// ```
/// use workbench_optimizer::tasks::{Model, Sizes, Vit};
/// let sizes = Sizes { width: 16, layers: 1, heads: 2, head_width: 8, mlp_width: 32 };
/// let vit = Vit::new([7, 7], 2, sizes, 10)?;
/// assert_eq!(vit.positions(), 17);
/// assert_eq!(vit.layout().len(), 16 * (4 + 1) + 16 + 17 * 16 + sizes.parameters() + 10 * 17);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Vit {
    layout: InitialLayout,
    sides: [usize; 2],
    patch: usize,
    sizes: Sizes,
    patches: Linear,
    class: usize,
    places: usize,
    transformer: Transformer,
    head: Linear,
}

/// What a forward pass keeps for the gradient.
struct Pass<N> {
    patches: Vec<N>,
    kept: Kept<N>,
    /// The class position of each example.
    features: Vec<N>,
}

impl Vit {
    /// A vision transformer on images of these `sides`, cut into patches of `patch` x `patch`.
    ///
    /// **Errors**: a size of zero, patches larger than the image.
    pub fn new(sides: [usize; 2], patch: usize, sizes: Sizes, classes: usize) -> Result<Vit, Error> {
        const OP: &str = "Vit::new";
        check::positive(OP, "side", sides[0].min(sides[1]))?;
        check::positive(OP, "side of a patch", patch)?;
        check::positive(OP, "number of classes", classes)?;
        sizes.check(OP)?;
        let allowed = "a side that fits into the image";
        check::within(OP, "patch", patch as f64, patch <= sides[0].min(sides[1]), allowed)?;
        let mut layout = InitialLayout::default();
        let count = sides[0].div_ceil(patch) * sides[1].div_ceil(patch);
        let patches = Linear::new(&mut layout, "patches", patch * patch, sizes.width);
        let class = layout.add("class".into(), &[sizes.width], Law::Constant(0.0));
        let law = Law::Normal { deviation: 0.02 };
        let places = layout.add("positions".into(), &[count + 1, sizes.width], law);
        let transformer = Transformer::new(&mut layout, &sizes);
        let head = Linear::new(&mut layout, "head", sizes.width, classes);
        Ok(Vit { layout, sides, patch, sizes, patches, class, places, transformer, head })
    }

    /// Patches and the class position together.
    pub fn positions(&self) -> usize {
        1 + self.sides[0].div_ceil(self.patch) * self.sides[1].div_ceil(self.patch)
    }

    /// The sizes of its blocks.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// What comes before the last layer, one row of `width` numbers for each target: fixed features of B.7.1. The batch's shape was
    /// checked.
    pub fn features<N: ModelNumber>(&self, theta: &[N], batch: &Examples) -> Vec<N> {
        self.forward(theta, batch).features
    }

    fn cut<N: ModelNumber>(&self, batch: &Examples) -> Vec<N> {
        let ([height, width], patch) = (self.sides, self.patch);
        let images: Vec<N> = rows(batch, height * width);
        let across = width.div_ceil(patch);
        let one = (self.positions() - 1) * patch * patch;
        let mut out = vec![N::default(); batch.targets.len() * one];
        for (image, out) in images.chunks_exact(height * width).zip(out.chunks_exact_mut(one)) {
            for (at, &pixel) in image.iter().enumerate() {
                let (y, x) = (at / width, at % width);
                let which = y / patch * across + x / patch;
                out[(which * patch + y % patch) * patch + x % patch] = pixel;
            }
        }
        out
    }

    fn forward<N: ModelNumber>(&self, theta: &[N], batch: &Examples) -> Pass<N> {
        let (width, length) = (self.sizes.width, self.positions());
        let patches = self.cut(batch);
        let embedded = self.patches.forward(theta, &patches);
        let class = &theta[self.class..self.class + width];
        let places = &theta[self.places..self.places + length * width];
        let mut x = Vec::with_capacity(batch.targets.len() * length * width);
        for rows in embedded.chunks_exact((length - 1) * width) {
            x.extend(class.iter().chain(rows).zip(places).map(|(&value, &place)| value + place));
        }
        let (y, kept) = self.transformer.forward(theta, x, length);
        let mut features = Vec::with_capacity(batch.targets.len() * width);
        y.chunks_exact(length * width).for_each(|rows| features.extend_from_slice(&rows[..width]));
        Pass { patches, kept, features }
    }
}

impl Model for Vit {
    fn layout(&self) -> &InitialLayout {
        &self.layout
    }

    fn batch_shape(&self) -> BatchShape {
        BatchShape {
            inputs: self.sides[0] * self.sides[1],
            symbols: 0,
            vocabulary: 0,
            rows: 1,
            classes: self.head.outputs,
        }
    }

    fn scores<N: ModelNumber>(&self, theta: &[N], batch: &Examples) -> Vec<N> {
        self.head.forward(theta, &self.features(theta, batch))
    }

    fn gradient<N: ModelNumber>(&self, theta: &[N], batch: &Examples, share: f64, gradient: &mut [N]) -> N {
        let (width, length) = (self.sizes.width, self.positions());
        let pass = self.forward(theta, batch);
        let mut dy = self.head.forward(theta, &pass.features);
        let loss = cross_entropy(&mut dy, self.head.outputs, &batch.targets, share);
        let dfeatures = self.head.backward(theta, &pass.features, &dy, Some(&mut *gradient));
        let mut dy = vec![N::default(); batch.targets.len() * length * width];
        for (rows, row) in dy.chunks_exact_mut(length * width).zip(dfeatures.chunks_exact(width)) {
            rows[..width].copy_from_slice(row);
        }
        let dx = self.transformer.backward(theta, &pass.kept, &dy, length, Some(&mut *gradient));
        let mut dpatches = Vec::with_capacity(dx.len());
        for rows in dx.chunks_exact(length * width) {
            dpatches.extend_from_slice(&rows[width..]);
            add(&mut gradient[self.class..], &rows[..width]);
            add(&mut gradient[self.places..], rows);
        }
        self.patches.weights_backward(&pass.patches, &dpatches, gradient);
        loss
    }

    fn at_once(&self) -> usize {
        ROWS / self.positions()
    }
}

/// Adds `values` to the first numbers of `sums`.
pub(super) fn add<N: ModelNumber>(sums: &mut [N], values: &[N]) {
    sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += value);
}
