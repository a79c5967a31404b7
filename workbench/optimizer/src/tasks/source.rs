//! Sources of batches.

use workbench_ground::check;
use workbench_ground::stats::Stream;

use super::model::{BatchShape, ClassLabel, Examples};
use crate::Error;
use crate::data::{Images, Parts, Vocabulary, parts};
use crate::task::Split;

/// Data that batches are drawn from, uniformly and with replacement, from the part that is asked for.
pub trait Source: std::fmt::Debug + Send + Sync {
    /// What its batches look like.
    fn batch_shape(&self) -> BatchShape;

    /// A batch of `size` examples.
    fn draw(&self, split: Split, size: usize, stream: &mut Stream) -> Examples;

    /// All examples of one part as one batch, for a loss or an accuracy without noise; none where examples are made at random.
    fn all(&self, _split: Split) -> Option<Examples> {
        None
    }
}

fn pick<T: Copy>(from: &[T], stream: &mut Stream) -> Option<T> {
    from.get(stream.below(from.len() as u64) as usize).copied()
}

/// Images with their classes.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageSource {
    images: Images,
    parts: Parts,
}

impl ImageSource {
    /// Batches of these images; the parts are fixed by their name and number.
    ///
    /// **Errors**: fewer than two images.
    pub fn new(images: Images) -> Result<ImageSource, Error> {
        let parts = parts(images.name(), images.len())?;
        Ok(ImageSource { images, parts })
    }

    /// The images.
    pub fn images(&self) -> &Images {
        &self.images
    }

    fn gather(&self, chosen: impl Iterator<Item = usize>) -> Examples {
        let mut batch = Examples::default();
        for index in chosen {
            batch.inputs.extend_from_slice(self.images.image(index));
            let class = self.images.labels()[index];
            batch.targets.push(ClassLabel { row: batch.count, class });
            batch.count += 1;
        }
        batch
    }
}

impl Source for ImageSource {
    fn batch_shape(&self) -> BatchShape {
        BatchShape {
            inputs: self.images.sides().iter().product(),
            symbols: 0,
            vocabulary: 0,
            rows: 1,
            classes: self.images.classes(),
        }
    }

    fn draw(&self, split: Split, size: usize, stream: &mut Stream) -> Examples {
        let part = self.parts.of(split);
        self.gather((0..size).filter_map(|_| pick(part, stream)))
    }

    fn all(&self, split: Split) -> Option<Examples> {
        Some(self.gather(self.parts.of(split).iter().copied()))
    }
}

/// Texts with gaps: masked language modelling.
///
/// **Source**: the rule of BERT, which B.10 pre-trains: each symbol is asked for with probability 0.15; of those asked for, 80 % become
/// [`Vocabulary::MASK`], 10 % another symbol, 10 % stay. If none is asked for, the middle one is.
#[derive(Clone, Debug, PartialEq)]
pub struct GapSource {
    /// Documents of training and of validation, as numbers.
    documents: [Vec<Vec<usize>>; 2],
    length: usize,
    vocabulary: usize,
    whole: bool,
}

impl GapSource {
    /// Pieces of `length` symbols that start anywhere in the documents; longer documents are met more often. A document is for training
    /// or for validation as a whole; those with fewer symbols than `length` are left out.
    ///
    /// **Errors**: a length of zero, a part without documents.
    pub fn pieces(name: &str, texts: &[&str], vocabulary: &Vocabulary, length: usize) -> Result<GapSource, Error> {
        let numbers = texts.iter().map(|text| vocabulary.numbers(text));
        let long = numbers.filter(|numbers| numbers.len() >= length).collect();
        GapSource::new("GapSource::pieces", name, long, vocabulary, length, false)
    }

    /// Whole short texts, as names: filled up with [`Vocabulary::PADDING`] to `length`, or cut. Padding is never asked for.
    ///
    /// **Errors**: a length of zero, a part without texts, a text without symbols.
    pub fn whole(name: &str, texts: &[&str], vocabulary: &Vocabulary, length: usize) -> Result<GapSource, Error> {
        const OP: &str = "GapSource::whole";
        let numbers = texts.iter().map(|text| vocabulary.numbers(text)).collect::<Vec<_>>();
        if numbers.iter().any(Vec::is_empty) {
            return Err(Error::empty(OP, "one of the texts", "leave empty texts out"));
        }
        GapSource::new(OP, name, numbers, vocabulary, length, true)
    }

    fn new(
        op: &'static str,
        name: &str,
        documents: Vec<Vec<usize>>,
        vocabulary: &Vocabulary,
        length: usize,
        whole: bool,
    ) -> Result<GapSource, Error> {
        check::positive(op, "length", length)?;
        let parts = parts(name, documents.len()).map_err(Error::during(op))?;
        let part = |split| parts.of(split).iter().map(|&at| documents[at].clone()).collect();
        Ok(GapSource {
            documents: [part(Split::Training), part(Split::Validation)],
            length,
            vocabulary: vocabulary.len(),
            whole,
        })
    }

    /// One text of `length` symbols, and how many of them are not padding.
    fn text(&self, split: Split, stream: &mut Stream) -> (Vec<usize>, usize) {
        let documents = &self.documents[usize::from(split == Split::Validation)];
        if self.whole {
            let which = stream.below(documents.len() as u64) as usize;
            let mut text = documents[which].clone();
            let used = text.len().min(self.length);
            text.resize(self.length, Vocabulary::PADDING);
            return (text, used);
        }
        let starts = |document: &Vec<usize>| (document.len() - self.length + 1) as u64;
        let mut at = stream.below(documents.iter().map(starts).sum());
        for document in documents {
            if at < starts(document) {
                let at = at as usize;
                return (document[at..at + self.length].to_vec(), self.length);
            }
            at -= starts(document);
        }
        (vec![Vocabulary::PADDING; self.length], self.length)
    }
}

impl Source for GapSource {
    fn batch_shape(&self) -> BatchShape {
        BatchShape {
            inputs: 0,
            symbols: self.length,
            vocabulary: self.vocabulary,
            rows: self.length,
            classes: self.vocabulary,
        }
    }

    fn draw(&self, split: Split, size: usize, stream: &mut Stream) -> Examples {
        const ASKED: f64 = 0.15;
        let mut batch = Examples::default();
        for example in 0..size {
            let (mut text, used) = self.text(split, stream);
            let asked: Vec<usize> = (0..used).filter(|_| stream.uniform() < ASKED).collect();
            let asked = if asked.is_empty() { vec![used / 2] } else { asked };
            for at in asked {
                let row = example * self.length + at;
                batch.targets.push(ClassLabel { row, class: text[at] });
                let lot = stream.uniform();
                let others = (self.vocabulary - Vocabulary::FIRST) as u64;
                if lot < 0.8 {
                    text[at] = Vocabulary::MASK;
                } else if lot < 0.9 {
                    text[at] = Vocabulary::FIRST + stream.below(others) as usize;
                }
            }
            batch.symbols.extend(text);
        }
        batch.count = size;
        batch
    }
}

/// Texts with classes, for a prompt: each begins with a gap, [`Vocabulary::MASK`], at which the class is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct TextSource {
    texts: Vec<Vec<usize>>,
    labels: Vec<usize>,
    parts: Parts,
    length: usize,
    vocabulary: usize,
    classes: usize,
}

impl TextSource {
    /// Texts as [`Vocabulary::padded`] after the gap, `length` symbols together.
    ///
    /// **Errors**: a length below 2, other numbers of texts and labels, fewer than two texts.
    pub fn new(
        name: &str,
        (texts, labels): (&[&str], &[usize]),
        vocabulary: &Vocabulary,
        length: usize,
    ) -> Result<TextSource, Error> {
        const OP: &str = "TextSource::new";
        check::within(OP, "length", length as f64, length >= 2, "at least 2: the gap and a symbol")?;
        check::same(OP, ("number of texts", texts.len()), ("number of labels", labels.len()))?;
        let gap = |text: &&str| [vec![Vocabulary::MASK], vocabulary.padded(text, length - 1)].concat();
        Ok(TextSource {
            texts: texts.iter().map(gap).collect(),
            labels: labels.to_vec(),
            parts: parts(name, texts.len())?,
            length,
            vocabulary: vocabulary.len(),
            classes: labels.iter().max().map_or(0, |most| most + 1),
        })
    }

    fn gather(&self, chosen: impl Iterator<Item = usize>) -> Examples {
        let mut batch = Examples::default();
        for index in chosen {
            batch.symbols.extend_from_slice(&self.texts[index]);
            let row = batch.count * self.length;
            let class = self.labels[index];
            batch.targets.push(ClassLabel { row, class });
            batch.count += 1;
        }
        batch
    }
}

impl Source for TextSource {
    fn batch_shape(&self) -> BatchShape {
        BatchShape {
            inputs: 0,
            symbols: self.length,
            vocabulary: self.vocabulary,
            rows: self.length,
            classes: self.classes,
        }
    }

    fn draw(&self, split: Split, size: usize, stream: &mut Stream) -> Examples {
        let part = self.parts.of(split);
        self.gather((0..size).filter_map(|_| pick(part, stream)))
    }

    fn all(&self, split: Split) -> Option<Examples> {
        Some(self.gather(self.parts.of(split).iter().copied()))
    }
}
