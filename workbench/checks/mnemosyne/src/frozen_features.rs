//! Last layers of B.7.1: layers on frozen features, the two versions of Mnemosyne, and Adam.
//!
//! The vision transformers and the photographs are not here. One transformer is: what a sentence transformer of six layers and width 384,
//! trained by others on a billion pairs of sentences, makes of pieces of speeches, of which the last layer has to tell the speaker. Beside it
//! a network with one wide hidden layer, trained on other images and then frozen, stands for a vision transformer; at paper scale its widths
//! are those of the document's three. Digits, clothes and digits of another source stand for the three sets of photographs. A number that is
//! asked "in all cases" is asked of the worst of ten.

use std::sync::Arc;

use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Failure, Setting};
use workbench_optimizer::bank::Trained;
use workbench_optimizer::classical::{Adam, AdamSettings};
use workbench_optimizer::data::Images;
use workbench_optimizer::score::{Run, Tuned, rates};
use workbench_optimizer::task::{Split, Task};
use workbench_optimizer::tasks::{Activation, ImageSource, Mlp, Network, Supervised, mlp_features};
use workbench_optimizer::{Error, Groups, Layout, Optimizer, Rule};

use super::optimizer_laboratory::{TRAINED, lab, layout, logs, repeated, runs, times, widest};
use super::tuned_rivals::{Rival, on_grid};
use crate::vocabulary::{largest_of, least_of};

/// The rate of the expert of meta-training.
pub const EXPERT: f64 = 3e-2;
/// $e^{-3}$ as it is printed.
pub const LITERAL: f64 = 0.049_787_068_367_863_944;
/// $e^{-3}$ as the document writes powers of ten elsewhere.
pub const POWER_OF_TEN: f64 = 1e-3;
/// Three sets of images.
const DATA: [&str; 3] = ["mnist", "fashion", "digits"];
/// Pieces of speeches through a pre-trained transformer, and its width at any scale.
const SPEAKERS: At = ("speakers", 384);
/// The recipe of the bank that holds the cell of B.1.
pub const RECIPE: &str = "default";

/// What all departures say.
pub const STAND_INS: &str = "scaled down: a pre-trained sentence transformer of six layers on 2,380 pieces of speeches, and networks with one hidden ReLU layer, trained on other images and frozen, for a ViT; 3,000 images each of digits and clothes at 14 x 14 and 1,797 digits at 8 x 8 for the photographs; features with mean square one, as a norm before the last layer would leave them (the transformer's come with length one and are kept as bytes); pieces of one speech are in training and in validation, for all optimizers alike; the transformer's case, the tenth, was added after the other nine had been run; batches of 64; four trainings";
/// What is fixed of the runs.
pub const RUNS: &str = "three widths and three sets of images, and a transformer's features; the cell of B.1, which saw no last layer in training";
/// Where sizes differ.
pub const WIDTHS: &str = "widths 64, 96, 128, two of the trainings and 4 draws at quick scale; 768, 1024, 1280 as in Table 1 and 8 draws at paper scale (6 at first, which left a case open from seed 2); 100 steps, the length of the trainings; the text gives none";
/// What Adam is given.
pub const TUNED: &str = "Adam on a grid of rates from 1e-4 to 1, half a decade apart, then on nine around the best of them, a tenth of a decade apart; chosen for each case on seeds of their own by the loss that is tested";

/// Who updates the last layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Version {
    /// Mnemosyne all of it.
    Alone,
    /// Mnemosyne its matrix, Adam with this rate its bias.
    Hybrid(f64),
}

impl Version {
    /// All of them, with both readings of the printed rate.
    pub const ALL: [Version; 3] = [Version::Alone, Version::Hybrid(LITERAL), Version::Hybrid(POWER_OF_TEN)];

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Version::Alone => "Mnemosyne alone".into(),
            Version::Hybrid(rate) => format!("hybrid, bias by Adam at {}", rate_name(rate)),
        }
    }

    /// It, for a layout of one matrix and one bias.
    ///
    /// **Errors**: another layout.
    pub fn rule(self, trained: &Trained, layout: Layout) -> Result<Box<dyn Optimizer>, Error> {
        let Version::Hybrid(rate) = self else {
            return trained.optimizer(layout);
        };
        let rules = vec![
            ("*.weight", Rule::By(Box::new(|own| trained.optimizer(own)))),
            ("*.bias", Rule::by(move |own| adam(rate, own))),
        ];
        Ok(Box::new(Groups::new(layout, rules)?))
    }
}

/// The printed rate under its two readings, others as a number.
pub fn rate_name(rate: f64) -> String {
    if rate == LITERAL { "e⁻³, literally".into() } else { format!("{rate}") }
}

/// Adam with this rate.
///
/// **Errors**: a rate that is not positive.
pub fn adam(rate: f64, layout: Layout) -> Result<Adam, Error> {
    Adam::new(layout, AdamSettings { rate, ..AdamSettings::default() })
}

/// A last layer on frozen features.
#[derive(Debug)]
pub struct Case {
    /// The last layer.
    pub task: Supervised<Network>,
    /// The network below it, where that is ours.
    pub below: Option<Below>,
}

/// The network that a last layer belongs to.
#[derive(Debug)]
pub struct Below {
    /// The whole of it on the same images.
    pub whole: Supervised<Network>,
    /// Its numbers, trained on other images.
    pub frozen: Vec<f64>,
    /// How many of them are not the last layer's.
    pub body: usize,
}

/// MNIST at 7 x 7 in a black frame, as large as the digits at 8 x 8.
fn framed(images: &Images) -> Result<Images, Error> {
    let mut pixels = Vec::with_capacity(64 * images.len());
    for image in 0..images.len() {
        for row in images.image(image).chunks_exact(7) {
            pixels.extend_from_slice(row);
            pixels.push(0.0);
        }
        pixels.extend([0.0; 8]);
    }
    Images::new(images.name(), [8, 8], pixels, images.labels().to_vec(), images.classes())
}

/// The images of a case, and those that its network was trained on.
fn images(setting: &Setting, data: &str) -> Result<[Images; 2], Failure> {
    let lab = lab(setting)?;
    let (mnist, fashion) =
        (Images::mnist(lab.bank.folder())?.part(0..3000)?, Images::fashion(lab.bank.folder())?.part(0..3000)?);
    Ok(match data {
        "mnist" => [mnist, fashion],
        "fashion" => [fashion, mnist],
        _ => [Images::digits(lab.bank.folder())?, framed(&mnist.pooled(2)?)?],
    })
}

/// Adam on a task from its start: what pre-training is here.
///
/// **Errors**: those of the task.
pub fn pre_train<T: Task>(setting: &Setting, task: &T, steps: usize) -> Result<Vec<f64>, Failure> {
    let mut stream = setting.streams().restart("pre-training")?;
    let mut theta = task.start(&mut stream);
    let (mut rule, mut gradient) = (adam(3e-3, layout(task)?)?, vec![0.0; task.len()]);
    for _ in 0..steps {
        let batch = task.batch(Split::Training, &mut stream);
        task.gradient(&theta, &batch, &mut gradient)?;
        rule.step(&mut theta, &gradient)?;
    }
    Ok(theta)
}

/// Who speaks, by what the pre-trained transformer makes of a piece.
fn of_speakers(setting: &Setting) -> Result<Case, Failure> {
    let features = Images::speakers(lab(setting)?.bank.folder())?;
    let last = Mlp::new(&[SPEAKERS.1, features.classes()], Activation::Relu)?;
    Ok(Case { task: Supervised::new(SPEAKERS.0, Network::Mlp(last), ImageSource::new(features)?, 64)?, below: None })
}

fn last_layer(setting: &Setting, data: &str, width: usize) -> Result<Case, Failure> {
    if (data, width) == SPEAKERS {
        return of_speakers(setting);
    }
    let [target, source] = images(setting, data)?;
    let pixels = target.sides().iter().product();
    let network = Mlp::new(&[pixels, width, 10], Activation::Relu)?;
    let on = |images: Images| Supervised::new(data, Network::Mlp(network.clone()), ImageSource::new(images)?, 64);
    let mut frozen = pre_train(setting, &on(source)?, setting.scale().pick(150, 300))?;
    let features = mlp_features(&network, &frozen, &target)?;
    let square: f64 = features.pixels().iter().map(|x| x * x).sum();
    let size = (square / features.pixels().len() as f64).sqrt();
    // ReLU lets a factor through: features of mean square one from a network that is scaled as a whole.
    let body = width * (pixels + 1);
    frozen[..body].iter_mut().for_each(|w| *w /= size);
    let features = mlp_features(&network, &frozen, &target)?;
    let last = Network::Mlp(Mlp::new(&[width, 10], Activation::Relu)?);
    Ok(Case {
        task: Supervised::new(data, last, ImageSource::new(features)?, 64)?,
        below: Some(Below { whole: on(target)?, frozen, body }),
    })
}

/// The case of these images and this width.
pub fn case(setting: &Setting, data: &str, width: usize) -> Result<Arc<Case>, Failure> {
    setting.shared(&format!("B.7.1: {data} through {width} features"), |own| last_layer(own, data, width))
}

/// Data and width of a case.
pub type At = (&'static str, usize);

/// All cases: images, then the transformer's.
pub fn cases(setting: &Setting) -> Vec<At> {
    let widths = setting.scale().pick([64, 96, 128], [768, 1024, 1280]);
    let pairs = DATA.into_iter().flat_map(|data| widths.map(|width| (data, width)));
    pairs.chain([SPEAKERS]).collect()
}

/// A number of each case.
pub fn by_case(setting: &Setting, number: impl Fn(At) -> Result<Estimate, Failure>) -> Result<Vec<Estimate>, Failure> {
    cases(setting).into_iter().map(number).collect()
}

/// Draws of start and batches.
fn draws(setting: &Setting) -> u64 {
    setting.scale().pick(4, 8)
}

/// Runs of a version, training by training.
pub fn learned(setting: &Setting, version: Version, at: At) -> Result<Arc<Vec<Vec<Run>>>, Failure> {
    setting.shared(&format!("B.7.1: {} on {at:?}", version.name()), |own| {
        let (case, trained) = (case(own, at.0, at.1)?, lab(own)?.bank.get(RECIPE)?);
        let of = |one: &Trained| runs(own, &case.task, TRAINED, draws(own), |_| version.rule(one, layout(&case.task)?));
        trained.iter().take(repeated(own)).map(of).collect::<Result<Vec<_>, Failure>>()
    })
}

/// Of each run, training by training, the log loss at the end.
pub fn ends(setting: &Setting, version: Version, at: At) -> Result<Vec<Vec<f64>>, Failure> {
    Ok(learned(setting, version, at)?.iter().map(|runs| logs(runs, TRAINED)).collect())
}

/// Change of the log loss from start to end, in each case.
pub fn falls(setting: &Setting, version: Version) -> Result<Vec<Estimate>, Failure> {
    by_case(setting, |at| {
        let all = learned(setting, version, at)?;
        widest(all.iter().map(|runs| paired_difference(&logs(runs, TRAINED), &logs(runs, 0))))
    })
}

/// The same change in the first case, by training, when the rules see gradients with the wrong sign.
pub fn uphill(setting: &Setting, version: Version) -> Result<Estimate, Failure> {
    let (bank, at) = (lab(setting)?.bank.get(RECIPE)?, cases(setting)[0]);
    let case = case(setting, at.0, at.1)?;
    let make = |seed: u64| Ok(times(version.rule(&bank[seed as usize], layout(&case.task)?)?, -1.0));
    let found = runs(setting, &case.task, TRAINED, bank.len() as u64, make)?;
    Ok(paired_difference(&logs(&found, TRAINED), &logs(&found, 0))?)
}

/// Runs of Adam at a rate.
pub fn by_adam(setting: &Setting, rate: f64, at: At) -> Result<Arc<Vec<Run>>, Failure> {
    setting.shared(&format!("B.7.1: Adam at {rate:e} on {at:?}"), |own| {
        let case = case(own, at.0, at.1)?;
        runs(own, &case.task, TRAINED, draws(own), |_| Rival::Adam.make(rate, layout(&case.task)?))
    })
}

/// Adam on the grid that all cases share, on tuning seeds.
fn coarse(setting: &Setting, at: At) -> Result<Arc<Tuned>, Failure> {
    setting.shared(&format!("B.7.1: Adam on the common grid, {at:?}"), |own| {
        on_grid(own, Rival::Adam, &case(own, at.0, at.1)?.task, TRAINED, &rates(1e-4, 1.0, 9)?)
    })
}

/// The rate of Adam whose loss at the end is lowest on tuning seeds.
pub fn tuned(setting: &Setting, at: At) -> Result<Arc<Tuned>, Failure> {
    setting.shared(&format!("B.7.1: Adam tuned on {at:?}"), |own| {
        let near = coarse(own, at)?.best;
        let grid = rates(near * 10f64.powf(-0.4), near * 10f64.powf(0.4), 9)?;
        on_grid(own, Rival::Adam, &case(own, at.0, at.1)?.task, TRAINED, &grid)
    })
}

/// The rate of the common grid whose mean loss over the ten cases is lowest on tuning seeds, between its two neighbours.
pub fn common_rates(setting: &Setting) -> Result<[f64; 3], Failure> {
    let all = cases(setting).into_iter().map(|at| coarse(setting, at)).collect::<Result<Vec<_>, _>>()?;
    let rates = &all[0].rates;
    let sum = |i: usize| all.iter().map(|tuned| tuned.scores[i]).sum::<f64>();
    let best = (1..rates.len() - 1).min_by(|a, b| sum(*a).total_cmp(&sum(*b))).ok_or("a grid of three rates")?;
    Ok([rates[best - 1], rates[best], rates[best + 1]])
}

/// Runs of Adam at its best rate.
pub fn best(setting: &Setting, at: At) -> Result<Arc<Vec<Run>>, Failure> {
    by_adam(setting, tuned(setting, at)?.best, at)
}

/// Shares of the validation images whose class is found at the end of each run.
pub fn accuracies(case: &Case, runs: &[Run]) -> Result<Vec<f64>, Failure> {
    let all = case.task.all(Split::Validation).ok_or("images have a validation part")?;
    let each = runs.iter().map(|run| Ok(case.task.accuracy(&run.theta, &all)?));
    each.collect()
}

/// Trainings minus a rival on the same draws: the interval that all trainings span.
pub fn against(trained: &[Vec<f64>], rival: &[f64]) -> Result<Estimate, Failure> {
    widest(trained.iter().map(|ours| paired_difference(ours, rival)))
}

fn over(each: &[Estimate], pick: impl Fn(Vec<f64>) -> f64) -> Result<Estimate, Failure> {
    let first = each.first().ok_or("no cases")?;
    let of = |part: fn(&Estimate) -> f64| pick(each.iter().map(part).collect());
    Ok(Estimate::new(of(|e| e.value), of(|e| e.low), of(|e| e.high), first.n, first.confidence)?)
}

/// The largest over the cases: at most a bound only if each case is.
pub fn largest(each: &[Estimate]) -> Result<Estimate, Failure> {
    over(each, largest_of)
}

/// The least over the cases: at least a bound only if each case is.
pub fn least(each: &[Estimate]) -> Result<Estimate, Failure> {
    over(each, least_of)
}

/// What each draw gives more than its pair.
pub fn beyond(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// The mean over the cases of a number of each draw, training by training, with the interval that all trainings span.
pub fn middle(setting: &Setting, number: impl Fn(At) -> Result<Vec<Vec<f64>>, Failure>) -> Result<Estimate, Failure> {
    let (all, mut sums) = (cases(setting), Vec::<Vec<f64>>::new());
    for &at in &all {
        let trainings = number(at)?;
        sums.resize(trainings.len(), Vec::new());
        for (sums, draws) in sums.iter_mut().zip(&trainings) {
            sums.resize(draws.len(), 0.0);
            sums.iter_mut().zip(draws).for_each(|(sum, draw)| *sum += draw / all.len() as f64);
        }
    }
    widest(sums.iter().map(|each| mean(each)))
}
