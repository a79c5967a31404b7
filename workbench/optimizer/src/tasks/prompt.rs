//! Soft prompts: vectors before the text, trained while the model stays as it is.

use std::sync::Arc;

use workbench_ground::check;

use super::language::asked;
use super::layers::cross_entropy;
use super::layout::{InitialLayout, Law};
use super::model::{BatchShape, Model};
use super::transformer::ROWS;
use super::vit::add;
use super::{ClassLabel, Examples, Language, ModelNumber};
use crate::Error;

/// A frozen [`Language`] model with `length` trained vectors before each text. The text has a gap, and each class has a symbol: the
/// scores are those that the frozen model gives to these symbols at the gap.
///
/// **Source**: B.11; the prompt of the document has 30 vectors of 4096 numbers. No head is added, as in T5, where classes are words of the
/// vocabulary. Prompt vectors get no place vectors; those of the text stay the text's. **Shapes**: one tensor, `prompt` (length, width).
/// **Start**: standard normal, as PyTorch's `Embedding` and the vectors of the frozen model. **Cost** of a gradient: two thirds of the
/// frozen model's at the longer length.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    layout: InitialLayout,
    model: Language,
    weights: Arc<[f64]>,
    length: usize,
    symbols: Vec<usize>,
}

impl Prompt {
    /// A prompt of `length` vectors before `model` with these frozen `weights`; `symbols` names the classes, in their order.
    ///
    /// **Errors**: a length of zero, weights of another number or not finite, no symbols or symbols beyond the vocabulary.
    pub fn new(
        model: Language,
        weights: impl Into<Arc<[f64]>>,
        length: usize,
        symbols: &[usize],
    ) -> Result<Prompt, Error> {
        const OP: &str = "Prompt::new";
        let weights = weights.into();
        check::positive(OP, "length", length)?;
        check::positive(OP, "number of classes", symbols.len())?;
        check::same(OP, ("frozen weights", weights.len()), ("parameters of the model", model.layout().len()))?;
        check::finite(OP, "frozen weights", weights.iter())?;
        check::positions(OP, "symbol", symbols, model.batch_shape().vocabulary)?;
        let mut layout = InitialLayout::default();
        let law = Law::Normal { deviation: 1.0 };
        layout.add("prompt".into(), &[length, model.sizes().width], law);
        Ok(Prompt { layout, model, weights, length, symbols: symbols.to_vec() })
    }

    /// The weights that stay as they are.
    pub fn frozen(&self) -> &[f64] {
        &self.weights
    }

    fn frozen_in<N: ModelNumber>(&self) -> Vec<N> {
        self.weights.iter().map(|&weight| N::of(weight)).collect()
    }

    /// Positions of one example: prompt and text.
    fn positions(&self) -> usize {
        self.length + self.model.length()
    }

    /// The rows of the longer texts that the targets ask for.
    fn rows(&self, targets: &[ClassLabel]) -> Vec<usize> {
        let text = self.model.length();
        let rows = asked(targets).into_iter();
        rows.map(|row| row / text * self.positions() + self.length + row % text).collect()
    }

    fn enter<N: ModelNumber>(&self, frozen: &[N], theta: &[N], batch: &Examples) -> Vec<N> {
        let width = self.model.sizes().width;
        let texts = self.model.embed(frozen, batch);
        let mut x = Vec::with_capacity(batch.count * self.positions() * width);
        for text in texts.chunks_exact(self.model.length() * width) {
            x.extend_from_slice(theta);
            x.extend_from_slice(text);
        }
        x
    }

    /// The scores of the classes' symbols.
    fn choose<N: ModelNumber>(&self, frozen: &[N], rows: &[N]) -> Vec<N> {
        let all = self.model.head().forward(frozen, rows);
        let rows = all.chunks_exact(self.model.batch_shape().vocabulary);
        rows.flat_map(|row| self.symbols.iter().map(|&symbol| row[symbol])).collect()
    }
}

impl Model for Prompt {
    fn layout(&self) -> &InitialLayout {
        &self.layout
    }

    fn batch_shape(&self) -> BatchShape {
        BatchShape { classes: self.symbols.len(), ..self.model.batch_shape() }
    }

    fn scores<N: ModelNumber>(&self, theta: &[N], batch: &Examples) -> Vec<N> {
        let frozen = self.frozen_in();
        let x = self.enter(&frozen, theta, batch);
        let (rows, _) = self.model.run(&frozen, x, self.positions(), &self.rows(&batch.targets));
        self.choose(&frozen, &rows)
    }

    fn gradient<N: ModelNumber>(&self, theta: &[N], batch: &Examples, share: f64, gradient: &mut [N]) -> N {
        let (frozen, rows) = (self.frozen_in(), self.rows(&batch.targets));
        let x = self.enter(&frozen, theta, batch);
        let (y, kept) = self.model.run(&frozen, x, self.positions(), &rows);
        let mut chosen = self.choose(&frozen, &y);
        let loss = cross_entropy(&mut chosen, self.symbols.len(), &batch.targets, share);
        let vocabulary = self.model.batch_shape().vocabulary;
        let mut dscores = vec![N::default(); rows.len() * vocabulary];
        for (all, chosen) in dscores.chunks_exact_mut(vocabulary).zip(chosen.chunks_exact(self.symbols.len())) {
            for (&symbol, &value) in self.symbols.iter().zip(chosen) {
                all[symbol] += value;
            }
        }
        let dy = self.model.head().inputs_backward(&frozen, &dscores);
        let sizes = [batch.count, self.positions()];
        let dx = self.model.run_backward(&frozen, &kept, (&dy, &rows), sizes, None);
        for example in dx.chunks_exact(self.positions() * self.model.sizes().width) {
            add(gradient, &example[..theta.len()]);
        }
        loss
    }

    fn at_once(&self) -> usize {
        ROWS / self.positions()
    }
}
