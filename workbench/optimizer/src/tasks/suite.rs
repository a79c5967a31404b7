//! The tasks that optimizers are trained on and tested with, by name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{
    GapSource, ImageSource, Language, Network, NetworkShape, Prompt, Sizes, Source, Supervised, TextSource,
    random_features,
};
use crate::Error;
use crate::data::{Images, Names, Speeches, Surnames, Vocabulary};

const OP: &str = "Suite::task";

/// B.1 at our scale: three MLPs and three ViTs on MNIST at 7 x 7, all within the ranges of the document and none of them one of
/// Figure 10.
pub const TRAINING: [&str; 6] = [
    "mlp-32-relu@mnist-7",
    "mlp-24-sigmoid@mnist-7",
    "mlp-28-36-sigmoid@mnist-7",
    "vit-l1-h1-d16-k8-m16-p3@mnist-7",
    "vit-l1-h2-d16-k8-m32-p3@mnist-7",
    "vit-l2-h1-d24-k8-m24-p3@mnist-7",
];

/// The four MLPs of Figure 10, in its order, at 7 x 7. With `@mnist-28` in the place of `@mnist-7` they are the document's own.
pub const FIGURE_10: [&str; 4] =
    ["mlp-20-sigmoid@mnist-7", "mlp-20-20-sigmoid@mnist-7", "mlp-40-sigmoid@mnist-7", "mlp-20-relu@mnist-7"];

/// Tasks that no optimizer of this room is trained on: larger images, other images, other networks, texts.
pub const UNSEEN: [&str; 10] = [
    "mlp-20-sigmoid@mnist-14",
    "mlp-20-relu@mnist-28",
    "mlp-20-relu@fashion-7",
    "mlp-20-sigmoid@fashion-14",
    "mlp-20-relu@digits-8",
    "mlp-20-tanh@mnist-7",
    "linear@mnist-7",
    "conv-4-8@mnist-14",
    "vit-l2-h2-d32-k8-m32-p4@fashion-14",
    "text-l1-h2-d16-k8-m32@letters-16",
];

/// B.7.1 at our scale: last layers on fixed features, those of a pre-trained transformer and, at the widths of the document's three, random
/// ones of three sets of images.
pub const LAST_LAYERS: [&str; 10] = [
    "linear@speakers-384",
    "linear@mnist-14~768",
    "linear@mnist-14~1024",
    "linear@mnist-14~1280",
    "linear@fashion-14~768",
    "linear@fashion-14~1024",
    "linear@fashion-14~1280",
    "linear@digits-8~768",
    "linear@digits-8~1024",
    "linear@digits-8~1280",
];

/// Tasks by name, `NETWORK@DATA`, from the files of `datasets/`; data are read once, when they are first needed.
///
/// Networks for images are those of [`NetworkShape`]; for texts `text-l1-h2-d16-k8-m32`, see [`Sizes`]. Data:
///
/// | data | examples |
/// | --- | --- |
/// | `mnist-7`, `mnist-14` | 10,000 images; the size is a side in pixels |
/// | `mnist-28` | 5,000 images |
/// | `fashion-7`, `fashion-14` | 7,000 images |
/// | `digits-8`, `digits-4` | 1,797 images |
/// | `speakers-384` | [`Images::speakers`]: what a pre-trained transformer makes of 2,380 pieces of speeches |
/// | any of these with `~768` after it | [`random_features`] of so many units, seed 0, of these images |
/// | `letters-N` | pieces of N characters of the speeches, with gaps |
/// | `words-N` | pieces of N words of the speeches, with gaps; the 500 most frequent words |
/// | `surnames-N` | surnames filled up to N characters, with gaps |
///
/// ```no_run
/// use workbench_optimizer::task::Task;
/// use workbench_optimizer::tasks::{FIGURE_10, Suite};
/// let suite = Suite::new("../datasets");
/// let task = suite.task(FIGURE_10[0])?;
/// assert_eq!(task.len(), 1_210);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Debug)]
pub struct Suite {
    folder: PathBuf,
    batch: usize,
    sources: Mutex<BTreeMap<String, Kept>>,
}

#[derive(Clone, Debug)]
enum Kept {
    Images(Arc<ImageSource>),
    Texts(Arc<GapSource>),
}

impl Suite {
    /// Tasks with batches of 64 examples, as B.1 has them, from this folder of data.
    pub fn new(folder: impl AsRef<Path>) -> Suite {
        Suite { folder: folder.as_ref().to_path_buf(), batch: 64, sources: Mutex::default() }
    }

    /// The same with another size of batches.
    pub fn with_batches(self, batch: usize) -> Suite {
        Suite { batch, ..self }
    }

    /// The task of a name.
    ///
    /// **Errors**: a name of another form, files that cannot be used, a network that does not fit the data.
    pub fn task(&self, name: &str) -> Result<Supervised<Network>, Error> {
        let next = "write NETWORK@DATA, as mlp-20-sigmoid@mnist-7 or text-l1-h2-d16-k8-m32@letters-16";
        let refuse = || Error::refused(OP, format!("`{name}` names no task"), next);
        let (network, data) = name.split_once('@').ok_or_else(refuse)?;
        match (self.source(data)?, network.strip_prefix("text-")) {
            (Kept::Images(source), None) => {
                let images = source.images();
                let model = NetworkShape::parse(network)?.build(images.sides(), images.classes())?;
                Supervised::shared(name, model, source, self.batch)
            }
            (Kept::Texts(source), Some(sizes)) => {
                let shape = source.batch_shape();
                let model = Language::new(shape.vocabulary, shape.symbols, Sizes::parse(sizes).ok_or_else(refuse)?)?;
                Supervised::shared(name, Network::Language(model), source, self.batch)
            }
            _ => Err(refuse()),
        }
    }

    /// The tasks of a list of names.
    ///
    /// **Errors**: those of [`Suite::task`].
    pub fn tasks(&self, names: &[&str]) -> Result<Vec<Supervised<Network>>, Error> {
        names.iter().map(|name| self.task(name)).collect()
    }

    /// B.11 at our scale: a prompt of `length` vectors before `model`, which was trained on `surnames-N`, to tell the sex of the bearers
    /// of first names; the classes are the letters f and m at a gap before the name.
    ///
    /// **Errors**: files that cannot be used, weights that are not those of the model.
    pub fn prompt(&self, model: Language, weights: Vec<f64>, length: usize) -> Result<Supervised<Network>, Error> {
        const OP: &str = "Suite::prompt";
        let letters = self.letters_of_surnames()?;
        let symbol = |letter| letters.number(letter).ok_or_else(|| Error::empty(OP, letter, "read the kept surnames"));
        let names = Names::kept(&self.folder)?;
        let (texts, labels) = names.labelled();
        let source = TextSource::new("first names", (&texts, &labels), &letters, model.length())?;
        let prompt = Prompt::new(model, weights, length, &[symbol("f")?, symbol("m")?])?;
        Supervised::new("prompt@names", Network::Prompt(prompt), source, self.batch)
    }

    fn letters_of_surnames(&self) -> Result<Vocabulary, Error> {
        Vocabulary::characters(Surnames::kept(&self.folder)?.texts(), 1)
    }

    fn source(&self, data: &str) -> Result<Kept, Error> {
        // A panic elsewhere cannot leave the map half-changed: every change is one insert.
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = sources.get(data) {
            return Ok(kept.clone());
        }
        let kept = self.read(data)?;
        sources.insert(data.to_string(), kept.clone());
        Ok(kept)
    }

    fn read(&self, data: &str) -> Result<Kept, Error> {
        if let Some((images, width)) = data.split_once('~') {
            let next = "write mnist-14~768: images, then the number of random features";
            let refuse = || Error::refused(OP, format!("`{data}` names no features"), next);
            let width = width.parse().map_err(|_| refuse())?;
            let Kept::Images(source) = self.read(images)? else {
                return Err(refuse());
            };
            let features = random_features(source.images(), width, 0)?;
            return Ok(Kept::Images(Arc::new(ImageSource::new(features)?)));
        }
        let next = "write mnist-7, mnist-14, mnist-28, fashion-7, fashion-14, digits-4, digits-8, speakers-384, letters-N, words-N or surnames-N";
        let refuse = || Error::refused(OP, format!("`{data}` names no data"), next);
        let (what, size) = data.rsplit_once('-').ok_or_else(refuse)?;
        let size: usize = size.parse().map_err(|_| refuse())?;
        if let "letters" | "words" | "surnames" = what {
            return Ok(Kept::Texts(Arc::new(self.texts(what, size)?)));
        }
        if (what, size) == ("speakers", 384) {
            return Ok(Kept::Images(Arc::new(ImageSource::new(Images::speakers(&self.folder)?)?)));
        }
        let images = match (what, size) {
            ("mnist", 28) => Images::mnist_full(&self.folder)?,
            ("mnist", _) => Images::mnist(&self.folder)?,
            ("fashion", _) => Images::fashion(&self.folder)?,
            ("digits", _) => Images::digits(&self.folder)?,
            _ => return Err(refuse()),
        };
        let factor = images.sides()[0].checked_div(size).unwrap_or(0);
        if factor * size != images.sides()[0] || factor == 0 {
            return Err(refuse());
        }
        Ok(Kept::Images(Arc::new(ImageSource::new(images.pooled(factor)?)?)))
    }

    fn texts(&self, what: &str, length: usize) -> Result<GapSource, Error> {
        const WORDS: usize = 500;
        /// Characters that occur less often are unknown: signs of print, mostly.
        const FEWEST: usize = 100;
        if what == "surnames" {
            let (surnames, letters) = (Surnames::kept(&self.folder)?, self.letters_of_surnames()?);
            return GapSource::whole("surnames", &surnames.texts(), &letters, length);
        }
        let speeches = Speeches::kept(&self.folder)?;
        let texts: Vec<&str> = speeches.all().iter().map(|speech| speech.text.as_str()).collect();
        let vocabulary = match what {
            "words" => Vocabulary::words(texts.iter().copied(), WORDS)?,
            _ => Vocabulary::characters(texts.iter().copied(), FEWEST)?,
        };
        GapSource::pieces("speeches", &texts, &vocabulary, length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::folder;
    use crate::score::{Protocol, Purpose, Run, run};
    use crate::task::{Split, Task};
    use crate::tasks::Model;
    use workbench_ground::stats::Streams;

    /// Adam with its usual constants.
    fn adam(rate: f64, count: usize) -> impl FnMut(usize, &mut [f64], &[f64]) -> Result<(), Error> {
        let (mut m, mut v) = (vec![0.0; count], vec![0.0; count]);
        move |step, theta, gradient| {
            let t = step as i32 + 1;
            for (i, &g) in gradient.iter().enumerate() {
                m[i] += 0.1 * (g - m[i]);
                v[i] += 0.001 * (g * g - v[i]);
                let (m, v) = (m[i] / (1.0 - 0.9f64.powi(t)), v[i] / (1.0 - 0.999f64.powi(t)));
                theta[i] -= rate * m / (v.sqrt() + 1e-8);
            }
            Ok(())
        }
    }

    fn train(task: &Supervised<Network>, rate: f64, steps: usize) -> Run {
        let protocol = Protocol { steps, every: steps, batches: 4 };
        let streams = Streams::new(1);
        run(task, &protocol, (&streams, Purpose::Evaluation, 0), adam(rate, task.len())).unwrap()
    }

    #[test]
    fn every_task_of_the_lists_is_learnt() {
        let suite = Suite::new(folder());
        let names = [&TRAINING[..], &FIGURE_10, &UNSEEN].concat();
        for (name, task) in names.iter().zip(suite.tasks(&names).unwrap()) {
            assert_eq!(task.name(), *name);
            let done = train(&task, 0.02, 60);
            assert_eq!(task.all(Split::Validation).is_none(), name.starts_with("text"));
            let (first, last) = (done.validation[0], done.last());
            assert!(last < 0.93 * first && done.diverged.is_none(), "{name}: {first} to {last}");
            // Before training every class is about equally likely.
            let classes = task.model().batch_shape().classes as f64;
            assert!((first / classes.ln() - 1.0).abs() < 0.25, "{name}: {first}");
        }
    }

    #[test]
    fn last_layers_have_the_widths_of_the_document() {
        let suite = Suite::new(folder());
        let speakers = suite.task(LAST_LAYERS[0]).unwrap();
        assert_eq!(speakers.len(), 7 * 385);
        let (all, done) = (speakers.all(Split::Validation).unwrap(), train(&speakers, 0.01, 60));
        // A seventh by guessing.
        let right = speakers.accuracy(&done.theta, &all).unwrap();
        assert!(right > 0.3, "{right}");
        let task = suite.task(LAST_LAYERS[9]).unwrap();
        assert_eq!(task.len(), 10 * 1281);
        let done = train(&task, 0.003, 60);
        let validation = task.all(Split::Validation).unwrap();
        let accuracy = task.accuracy(&done.theta, &validation).unwrap();
        assert!(accuracy > 0.9, "{accuracy}");
        assert!(LAST_LAYERS.iter().all(|name| NetworkShape::parse(name.split_once('@').unwrap().0).is_ok()));
        assert!(suite.task("linear@digits-8~0").is_err() && suite.task("linear@digits-8~x").is_err());
        assert!(suite.task("text-l1-h1-d4-k4-m4@letters-8~20").is_err());
    }

    #[test]
    fn data_are_read_once_and_counts_are_known() {
        let suite = Suite::new(folder()).with_batches(8);
        let counts: Vec<usize> = suite.tasks(&FIGURE_10).unwrap().iter().map(|task| task.len()).collect();
        assert_eq!(counts, [1_210, 1_630, 2_410, 1_210]);
        assert_eq!(suite.task("mlp-20-sigmoid@mnist-28").unwrap().len(), 15_910);
        assert_eq!(suite.sources.lock().unwrap().len(), 2);
        let batch =
            suite.task("linear@digits-4").unwrap().batch(Split::Validation, &mut Streams::new(1).stream("x").unwrap());
        assert_eq!((batch.count, batch.inputs.len()), (8, 8 * 16));
    }

    #[test]
    fn a_prompt_steers_a_frozen_model() {
        let suite = Suite::new(folder());
        let task = suite.task("text-l1-h2-d16-k8-m32@surnames-12").unwrap();
        let trained = train(&task, 0.02, 150);
        assert!(trained.last() < 0.95 * trained.validation[0]);
        let Network::Language(model) = task.model().clone() else {
            panic!("surnames are a text");
        };
        let prompt = suite.prompt(model, trained.theta, 8).unwrap();
        assert_eq!(prompt.len(), 8 * 16);
        let done = train(&prompt, 0.05, 100);
        assert!(done.last() < 0.9 * done.validation[0], "{:?}", done.validation);
    }

    #[test]
    fn other_names_are_refused() {
        let suite = Suite::new(folder());
        for name in [
            "mlp-20-relu",
            "mlp-20-relu@mnist",
            "mlp-20-relu@mnist-5",
            "mlp-20-relu@mnist-0",
            "mlp-20-relu@cifar-32",
            "mlp-20-relu@letters-8",
            "text-l1-h2-d16-k8-m32@mnist-7",
            "text-l1@letters-8",
            "mlp@mnist-7",
            "conv-1-1-1@mnist-7",
            "vit-l1-h2-d16-k8-m32-p9@mnist-7",
            "text-l1-h2-d16-k8-m32@letters-0",
        ] {
            assert!(suite.task(name).is_err(), "{name}");
        }
        assert!(Suite::new("/nowhere").task("linear@mnist-7").unwrap_err().to_string().contains("datasets/README.md"));
    }
}
