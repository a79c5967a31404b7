//! Models that fill gaps in a text.

use workbench_ground::check;

use super::layers::{Linear, cross_entropy};
use super::layout::{InitialLayout, Law};
use super::model::{BatchShape, ClassLabel, Model};
use super::transformer::{Kept, ROWS, Sizes, Transformer};
use super::vit::add;
use super::{Examples, ModelNumber};
use crate::Error;

/// A transformer that says which symbol stood at places of a text: masked language modelling.
///
/// Each symbol of the vocabulary and each place has a vector, the two are added; blocks; one fully connected layer gives the scores of
/// all symbols at the places that are asked for.
///
/// **Source**: B.10, at our scale; attention in both directions, norms before attention and mlp, no dropout, scores not tied to the
/// vectors of the symbols. **Shapes**: $v$ symbols, texts of length $n$, width $d$: $(v+n)d$ parameters before the blocks
/// ([`Sizes::parameters`]), $v(d+1)$ after. **Start**: as PyTorch's `Embedding` (standard normal), `Linear` and `LayerNorm`. **Cost** of a
/// gradient: three times the parameters of the blocks for each of $bn$ positions, and $3dv$ for each gap.
#[derive(Clone, Debug, PartialEq)]
pub struct Language {
    layout: InitialLayout,
    vocabulary: usize,
    length: usize,
    sizes: Sizes,
    symbols: usize,
    places: usize,
    transformer: Transformer,
    head: Linear,
}

impl Language {
    /// A model of a vocabulary of so many symbols and texts of this length.
    ///
    /// **Errors**: a size of zero.
    pub fn new(vocabulary: usize, length: usize, sizes: Sizes) -> Result<Language, Error> {
        const OP: &str = "Language::new";
        check::positive(OP, "vocabulary", vocabulary)?;
        check::positive(OP, "length", length)?;
        sizes.check(OP)?;
        let mut layout = InitialLayout::default();
        let law = Law::Normal { deviation: 1.0 };
        let symbols = layout.add("symbols".into(), &[vocabulary, sizes.width], law);
        let places = layout.add("positions".into(), &[length, sizes.width], law);
        let transformer = Transformer::new(&mut layout, &sizes);
        let head = Linear::new(&mut layout, "head", sizes.width, vocabulary);
        Ok(Language { layout, vocabulary, length, sizes, symbols, places, transformer, head })
    }

    /// Symbols of one text.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The sizes of its blocks.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// What enters the blocks: one row for each symbol of each text.
    pub(super) fn embed<N: ModelNumber>(&self, theta: &[N], batch: &Examples) -> Vec<N> {
        let width = self.sizes.width;
        let places = &theta[self.places..self.places + self.length * width];
        let mut x = Vec::with_capacity(batch.symbols.len() * width);
        for text in batch.symbols.chunks_exact(self.length) {
            for (&symbol, place) in text.iter().zip(places.chunks_exact(width)) {
                let start = self.symbols + symbol * width;
                x.extend(theta[start..start + width].iter().zip(place).map(|(&a, &b)| a + b));
            }
        }
        x
    }

    /// Through the blocks, `length` rows for each example; gives the rows that the targets ask for.
    pub(super) fn run<N: ModelNumber>(
        &self,
        theta: &[N],
        x: Vec<N>,
        length: usize,
        rows: &[usize],
    ) -> (Vec<N>, Kept<N>) {
        let width = self.sizes.width;
        let (y, kept) = self.transformer.forward(theta, x, length);
        let mut asked = Vec::with_capacity(rows.len() * width);
        rows.iter().for_each(|&row| asked.extend_from_slice(&y[row * width..(row + 1) * width]));
        (asked, kept)
    }

    /// The gradient in what entered the blocks, from that in the rows that were asked for. Without `gradient` the weights are constants.
    pub(super) fn run_backward<N: ModelNumber>(
        &self,
        theta: &[N],
        kept: &Kept<N>,
        (dasked, rows): (&[N], &[usize]),
        [count, length]: [usize; 2],
        gradient: Option<&mut [N]>,
    ) -> Vec<N> {
        let width = self.sizes.width;
        let mut dy = vec![N::default(); count * length * width];
        for (&row, values) in rows.iter().zip(dasked.chunks_exact(width)) {
            add(&mut dy[row * width..(row + 1) * width], values);
        }
        self.transformer.backward(theta, kept, &dy, length, gradient)
    }

    pub(super) fn head(&self) -> &Linear {
        &self.head
    }
}

/// The rows that targets ask for.
pub(super) fn asked(targets: &[ClassLabel]) -> Vec<usize> {
    targets.iter().map(|target| target.row).collect()
}

impl Model for Language {
    fn layout(&self) -> &InitialLayout {
        &self.layout
    }

    fn batch_shape(&self) -> BatchShape {
        BatchShape {
            inputs: 0,
            symbols: self.length,
            vocabulary: self.vocabulary,
            rows: self.length,
            classes: self.vocabulary,
        }
    }

    fn scores<N: ModelNumber>(&self, theta: &[N], batch: &Examples) -> Vec<N> {
        let x = self.embed(theta, batch);
        let (rows, _) = self.run(theta, x, self.length, &asked(&batch.targets));
        self.head.forward(theta, &rows)
    }

    fn gradient<N: ModelNumber>(&self, theta: &[N], batch: &Examples, share: f64, gradient: &mut [N]) -> N {
        let (width, rows) = (self.sizes.width, asked(&batch.targets));
        let (y, kept) = self.run(theta, self.embed(theta, batch), self.length, &rows);
        let mut dscores = self.head.forward(theta, &y);
        let loss = cross_entropy(&mut dscores, self.vocabulary, &batch.targets, share);
        let dy = self.head.backward(theta, &y, &dscores, Some(&mut *gradient));
        let sizes = [batch.count, self.length];
        let dx = self.run_backward(theta, &kept, (&dy, &rows), sizes, Some(&mut *gradient));
        for (at, (&symbol, row)) in batch.symbols.iter().zip(dx.chunks_exact(width)).enumerate() {
            add(&mut gradient[self.symbols + symbol * width..][..width], row);
            add(&mut gradient[self.places + at % self.length * width..][..width], row);
        }
        loss
    }

    fn at_once(&self) -> usize {
        ROWS / self.length
    }
}
