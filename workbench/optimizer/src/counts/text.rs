//! BERT and T5.

use workbench_ground::check::positive;

use super::Shapes;
use crate::{Error, Layout};

/// BERT by the columns of Table 2, and what the table leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BertShape {
    /// Layers of the encoder.
    pub layers: usize,
    /// Hidden dimension $d$.
    pub hidden: usize,
    /// Width between the two matrices of an MLP.
    pub mlp: usize,
    /// Tokens $V$ of the vocabulary.
    pub vocabulary: usize,
    /// Positions of the longest text.
    pub positions: usize,
    /// Segments that are told apart.
    pub segments: usize,
}

/// What stands on the encoder of BERT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BertHead {
    /// Nothing.
    None,
    /// One matrix on the first position.
    Pooler,
    /// The masked language model: a matrix, a norm, a bias for each token. Its scores use the table of tokens again.
    Masked,
    /// Pooler, masked language model and next sentence: all that the public model was trained with.
    All,
}

impl BertShape {
    /// BERT-Base: 12 layers, 768, 3072, and what is usual where the table says nothing: 30,522 tokens, 512 positions, two segments.
    pub fn base() -> BertShape {
        BertShape { layers: 12, hidden: 768, mlp: 3072, vocabulary: 30_522, positions: 512, segments: 2 }
    }

    /// The tensors: `tokens`, `positions`, `segments`, `norm/…`, `encoder/LAYER/…`, `pooler/…`, `masked/…`, `next/…`.
    ///
    /// **Errors**: a size of zero.
    ///
    /// ```
    /// use workbench_optimizer::counts::{BertHead, BertShape};
    /// assert_eq!(BertShape::base().layout(BertHead::Masked)?.len(), 109_514_298);
    /// # Ok::<(), workbench_optimizer::Error>(())
    /// ```
    pub fn layout(&self, head: BertHead) -> Result<Layout, Error> {
        const OP: &str = "BertShape::layout";
        let sizes = [self.layers, self.hidden, self.mlp, self.vocabulary];
        for (name, size) in ["layers", "hidden", "mlp", "vocabulary"].into_iter().zip(sizes) {
            positive(OP, name, size)?;
        }
        let (mut shapes, d) = (Shapes::default(), self.hidden);
        shapes.add("tokens", &[self.vocabulary, d]);
        shapes.add("positions", &[self.positions, d]);
        shapes.add("segments", &[self.segments, d]);
        shapes.norm("norm", d);
        for layer in 0..self.layers {
            shapes.layer(&format!("encoder/{layer}"), d, self.mlp, true, true);
        }
        if matches!(head, BertHead::Pooler | BertHead::All) {
            shapes.linear("pooler", [d, d], true);
        }
        if matches!(head, BertHead::Masked | BertHead::All) {
            shapes.linear("masked", [d, d], true);
            shapes.norm("masked/norm", d);
            shapes.add("masked/tokens/bias", &[self.vocabulary]);
        }
        if head == BertHead::All {
            shapes.linear("next", [d, 2], true);
        }
        shapes.layout()
    }
}

/// T5 by the columns of Table 4, and its vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct T5Shape {
    /// Layers of the encoder.
    pub encoder: usize,
    /// Layers of the decoder.
    pub decoder: usize,
    /// Heads.
    pub heads: usize,
    /// Width of a head.
    pub head_width: usize,
    /// Width of a vector of the embedding, $d$.
    pub width: usize,
    /// Width in the MLP.
    pub mlp: usize,
    /// Tokens, those without a meaning included.
    pub vocabulary: usize,
}

/// What the table leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct T5Reading {
    /// Two matrices into the MLP, one of them as a gate; else one.
    pub gated: bool,
    /// The scores use the table of tokens again; else they have one of their own.
    pub tied: bool,
}

impl T5Shape {
    /// T5XXL: the printed row, with the public model's 32,128 tokens.
    pub fn xxl() -> T5Shape {
        T5Shape { encoder: 24, decoder: 24, heads: 64, head_width: 64, width: 4096, mlp: 10_240, vocabulary: 32_128 }
    }

    /// The tensors: `tokens`, `encoder/…`, `decoder/LAYER/{attention, cross, mlp}/…`, `scores`. No biases; norms have a scale only; a
    /// table of 32 distances for each head in the first layer of encoder and decoder.
    ///
    /// **Errors**: a size of zero.
    ///
    /// ```
    /// use workbench_optimizer::counts::{T5Reading, T5Shape};
    /// let reading = T5Reading { gated: true, tied: false };
    /// assert_eq!(T5Shape::xxl().layout(reading)?.len(), 11_135_332_352);
    /// # Ok::<(), workbench_optimizer::Error>(())
    /// ```
    pub fn layout(&self, reading: T5Reading) -> Result<Layout, Error> {
        const OP: &str = "T5Shape::layout";
        for (name, size) in [("width", self.width), ("mlp", self.mlp), ("vocabulary", self.vocabulary)] {
            positive(OP, name, size)?;
        }
        positive(OP, "width of all heads", self.heads * self.head_width)?;
        let mut shapes = Shapes::default();
        shapes.add("tokens", &[self.vocabulary, self.width]);
        for (side, layers) in [("encoder", self.encoder), ("decoder", self.decoder)] {
            shapes.add(format!("{side}/distances"), &[32, self.heads]);
            for layer in 0..layers {
                self.layer(&mut shapes, &format!("{side}/{layer}"), side == "decoder", reading.gated);
            }
            shapes.add(format!("{side}/norm"), &[self.width]);
        }
        if !reading.tied {
            shapes.add("scores", &[self.width, self.vocabulary]);
        }
        shapes.layout()
    }

    fn layer(&self, shapes: &mut Shapes, name: &str, crosses: bool, gated: bool) {
        let (d, inner) = (self.width, self.heads * self.head_width);
        shapes.attention(&format!("{name}/attention"), d, inner, false);
        shapes.add(format!("{name}/attention/norm"), &[d]);
        if crosses {
            shapes.attention(&format!("{name}/cross"), d, inner, false);
            shapes.add(format!("{name}/cross/norm"), &[d]);
        }
        shapes.linear(&format!("{name}/mlp/in"), [d, self.mlp], false);
        if gated {
            shapes.linear(&format!("{name}/mlp/gate"), [d, self.mlp], false);
        }
        shapes.linear(&format!("{name}/mlp/out"), [self.mlp, d], false);
        shapes.add(format!("{name}/mlp/norm"), &[d]);
    }
}
