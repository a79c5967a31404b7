//! Models, batches, and the task that the two make together.

use std::sync::Arc;

use workbench_ground::check;
use workbench_ground::stats::Stream;

use super::layers::cross_entropy;
use super::layout::InitialLayout;
use super::{Dual, ModelNumber, Source};
use crate::Error;
use crate::task::{Split, Task, Tensor};

/// Something that is asked of a model: the class of one of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassLabel {
    /// Which row of the batch: the example of a classification, `example * length + place` in texts with gaps.
    pub row: usize,
    /// The right class.
    pub class: usize,
}

/// A batch. Images and features fill `inputs`, texts fill `symbols`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Examples {
    /// How many examples there are.
    pub count: usize,
    /// For each example, a fixed number of floats.
    pub inputs: Vec<f64>,
    /// For each example, a fixed number of symbols of a vocabulary.
    pub symbols: Vec<usize>,
    /// What is asked; the loss is the mean over these.
    pub targets: Vec<ClassLabel>,
}

/// What a batch has to look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchShape {
    /// Floats of one example.
    pub inputs: usize,
    /// Symbols of one example.
    pub symbols: usize,
    /// Symbols lie below this.
    pub vocabulary: usize,
    /// Rows of one example that a target may ask for.
    pub rows: usize,
    /// Classes of a target lie below this.
    pub classes: usize,
}

/// A model whose loss, gradient and scores are written once, for every kind of number.
///
/// The Hessian-vector product is the gradient evaluated in [`Dual`] numbers: exact, and about three gradients dear.
pub trait Model: std::fmt::Debug + Send + Sync {
    /// Names, shapes and starting laws of the parameters.
    fn layout(&self) -> &InitialLayout;

    /// What a batch has to look like.
    fn batch_shape(&self) -> BatchShape;

    /// One row of scores (`batch_shape().classes` numbers) for each target of the batch, whose shape was checked. Cost: a third of a gradient.
    fn scores<N: ModelNumber>(&self, theta: &[N], batch: &Examples) -> Vec<N>;

    /// The sum of the cross entropies of the targets, in nats, times `share`; its gradient is added to `gradient`. The batch's shape was
    /// checked.
    fn gradient<N: ModelNumber>(&self, theta: &[N], batch: &Examples, share: f64, gradient: &mut [N]) -> N;

    /// How many examples are best computed at once: as many as leave what a pass keeps in the processor's second cache.
    fn at_once(&self) -> usize {
        usize::MAX
    }
}

impl Examples {
    /// Whether this batch has the form, symbols and classes in range, and something that is asked.
    ///
    /// **Errors**: [`Error::Shape`], [`Error::NoSuch`], [`Error::Empty`].
    pub fn check(&self, op: &'static str, form: &BatchShape) -> Result<(), Error> {
        let expected = self.count * form.inputs;
        check::same(op, ("inputs of the batch", self.inputs.len()), ("inputs of the model", expected))?;
        let expected = self.count * form.symbols;
        check::same(op, ("symbols of the batch", self.symbols.len()), ("symbols of the model", expected))?;
        check::positions(op, "symbol", &self.symbols, form.vocabulary)?;
        if self.targets.is_empty() {
            return Err(Error::empty(op, "the list of targets", "ask for something in each batch"));
        }
        for target in &self.targets {
            check::position(op, "row", target.row, self.count * form.rows)?;
            check::position(op, "class", target.class, form.classes)?;
        }
        Ok(())
    }
}

/// A model, and the data that it learns: [`Task`] with real examples.
///
/// Batches are drawn with replacement from the part of the data that the [`Split`] names; which examples belong to it is fixed by the
/// name of the data, see [`crate::data::parts`].
///
/// ```
/// use workbench_optimizer::data::Images;
/// use workbench_optimizer::task::{Split, Task};
/// use workbench_optimizer::tasks::{Activation, ImageSource, Mlp, Supervised};
/// use workbench_ground::stats::Streams;
///
/// # let pixels = (0..40).map(|i| f64::from(i % 3)).collect();
/// # let images = Images::new("noise", [2, 2], pixels, (0..10).map(|i| i % 2).collect(), 2)?;
/// let model = Mlp::new(&[4, 3, 2], Activation::Relu)?;
/// let task = Supervised::new("mlp-noise", model, ImageSource::new(images)?, 64)?;
/// let streams = Streams::new(1);
/// let theta = task.start(&mut streams.stream("start")?);
/// let batch = task.batch(Split::Training, &mut streams.stream("batches")?);
/// let mut gradient = vec![0.0; task.len()];
/// let loss = task.gradient(&theta, &batch, &mut gradient)?;
/// assert!(loss > 0.0 && task.accuracy(&theta, &batch)? <= 1.0);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Supervised<M> {
    name: String,
    model: M,
    source: Arc<dyn Source>,
    size: usize,
}

impl<M: Model> Supervised<M> {
    /// A task with batches of `size` examples.
    ///
    /// **Errors**: a size of zero, data that do not have the form that the model needs.
    pub fn new(name: impl Into<String>, model: M, source: impl Source + 'static, size: usize) -> Result<Self, Error> {
        Supervised::shared(name, model, Arc::new(source), size)
    }

    /// The same, with data that several tasks share.
    ///
    /// **Errors**: as [`Supervised::new`].
    pub fn shared(name: impl Into<String>, model: M, source: Arc<dyn Source>, size: usize) -> Result<Self, Error> {
        const OP: &str = "Supervised::new";
        check::positive(OP, "size of a batch", size)?;
        let (has, needs) = (source.batch_shape(), model.batch_shape());
        let shape = |form: &BatchShape| [form.inputs, form.symbols, form.rows];
        if shape(&has) != shape(&needs) {
            let next = "give the model the sizes of the data: inputs, symbols and rows of one example";
            let (has, needs) = (shape(&has), shape(&needs));
            return Err(Error::shape(OP, ("form of the data", &has[..]), ("form of the model", &needs[..]), next));
        }
        let enough = has.classes <= needs.classes && has.vocabulary <= needs.vocabulary;
        if !enough {
            let (has, needs) = ((has.classes, has.vocabulary), (needs.classes, needs.vocabulary));
            let next = "give the model as many classes and symbols as the data have";
            let (has, needs) = (("classes and vocabulary of the data", has), ("those of the model", needs));
            return Err(Error::shape(OP, has, needs, next));
        }
        let name = name.into();
        Ok(Supervised { name, model, source, size })
    }

    /// What the task is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// All examples of one part as one batch; none where examples are made at random, as gaps are. Cost of a loss on it: that of a loss on
    /// a batch, times examples over the size of a batch.
    pub fn all(&self, split: Split) -> Option<Examples> {
        self.source.all(split)
    }

    /// The loss and its gradient in any kind of number; the gradient is written, not added to.
    ///
    /// **Errors**: lengths that are not the task's, a batch of another form.
    pub fn gradient_in<N: ModelNumber>(&self, theta: &[N], batch: &Examples, gradient: &mut [N]) -> Result<N, Error> {
        const OP: &str = "Supervised::gradient";
        self.fits(OP, theta, batch)?;
        check::same(OP, ("length of gradient", gradient.len()), ("parameters of the task", theta.len()))?;
        gradient.fill(N::default());
        let mut loss = N::default();
        let share = 1.0 / batch.targets.len() as f64;
        self.each_piece(batch, |piece| loss += self.model.gradient(theta, piece, share, gradient));
        Ok(loss)
    }

    /// The share of targets whose class has the highest score; of equal scores the first counts.
    ///
    /// **Errors**: a length that is not the task's, a batch of another form.
    pub fn accuracy(&self, theta: &[f64], batch: &Examples) -> Result<f64, Error> {
        self.fits("Supervised::accuracy", theta, batch)?;
        let classes = self.model.batch_shape().classes;
        let mut right = 0;
        self.each_piece(batch, |piece| {
            let scores = self.model.scores(theta, piece);
            for (row, target) in scores.chunks_exact(classes).zip(&piece.targets) {
                let best = row
                    .iter()
                    .enumerate()
                    .fold((0, f64::NEG_INFINITY), |best, (at, &score)| if score > best.1 { (at, score) } else { best });
                right += usize::from(best.0 == target.class);
            }
        });
        Ok(right as f64 / batch.targets.len() as f64)
    }

    fn fits<N>(&self, op: &'static str, theta: &[N], batch: &Examples) -> Result<(), Error> {
        let p = ("parameters of the task", self.model.layout().len());
        check::same(op, ("length of theta", theta.len()), p)?;
        batch.check(op, &self.model.batch_shape())
    }

    /// Calls `work` with pieces of the batch, as large as the model likes them; pieces that ask for nothing are left out.
    fn each_piece(&self, batch: &Examples, mut work: impl FnMut(&Examples)) {
        let most = self.model.at_once().max(1);
        if batch.count <= most {
            return work(batch);
        }
        let form = self.model.batch_shape();
        for start in (0..batch.count).step_by(most) {
            let end = (start + most).min(batch.count);
            let rows = start * form.rows..end * form.rows;
            let inside = batch.targets.iter().filter(|target| rows.contains(&target.row));
            let shifted = inside.map(|&ClassLabel { row, class }| ClassLabel { row: row - rows.start, class });
            let piece = Examples {
                count: end - start,
                inputs: batch.inputs[start * form.inputs..end * form.inputs].to_vec(),
                symbols: batch.symbols[start * form.symbols..end * form.symbols].to_vec(),
                targets: shifted.collect(),
            };
            if !piece.targets.is_empty() {
                work(&piece);
            }
        }
    }
}

impl<M: Model> Task for Supervised<M> {
    type Batch = Examples;

    fn tensors(&self) -> &[Tensor] {
        self.model.layout().tensors()
    }

    fn start(&self, stream: &mut Stream) -> Vec<f64> {
        self.model.layout().start(stream)
    }

    fn batch(&self, split: Split, stream: &mut Stream) -> Examples {
        self.source.draw(split, self.size, stream)
    }

    fn loss(&self, theta: &[f64], batch: &Examples) -> Result<f64, Error> {
        self.fits("Supervised::loss", theta, batch)?;
        let mut loss = 0.0;
        let share = 1.0 / batch.targets.len() as f64;
        let classes = self.model.batch_shape().classes;
        self.each_piece(batch, |piece| {
            let mut scores = self.model.scores(theta, piece);
            loss += cross_entropy(&mut scores, classes, &piece.targets, share);
        });
        Ok(loss)
    }

    fn gradient(&self, theta: &[f64], batch: &Examples, gradient: &mut [f64]) -> Result<f64, Error> {
        self.gradient_in(theta, batch, gradient)
    }

    fn hessian_product(
        &self,
        theta: &[f64],
        batch: &Examples,
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), Error> {
        const OP: &str = "Supervised::hessian_product";
        check::same(OP, ("length of direction", direction.len()), ("length of theta", theta.len()))?;
        check::same(OP, ("length of product", product.len()), ("length of theta", theta.len()))?;
        let pairs = theta.iter().zip(direction);
        let theta: Vec<Dual<f64>> = pairs.map(|(&value, &slope)| Dual { value, slope }).collect();
        let mut gradient = vec![Dual::default(); theta.len()];
        self.gradient_in(&theta, batch, &mut gradient)?;
        product.iter_mut().zip(gradient).for_each(|(out, dual)| *out = dual.slope);
        Ok(())
    }
}
