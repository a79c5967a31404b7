//! Appendix D, first paragraph: two stages of training.
//!
//! **Claim** (`memformer/two-stage-training`). First the A_l of every layer are trained on the training batch, then the Gamma_l are
//! fine-tuned on the training batch.
//!
//! A recipe is right if it can be followed and its stages do what they say: each leaves the numbers of the other untouched, bit for bit, and
//! the second moves all weights Gamma and does not raise the training loss. It is compared with joint training of everything in as many steps, from the same start on
//! the same prompts. Wrong twins: joint training; a second stage on another batch.

use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Architecture, Batch, Parameters, Part, Phase, Precision, RegisterKind, RegisterWeight, TaskLaw, Trainer, Trainers,
    TrainingProtocol,
};

use super::exact::Tally;
use super::section_3_3::{DIM, EXAMPLES, law};
use crate::vocabulary::{EXACT, Largest, by_scale, largest_of};

const RISE: Margin =
    Margin::new("rise", 1e-3, "Adam is no descent method; a thousandth of the loss is far below what any figure shows");

/// Layers.
const LAYERS: usize = 4;
/// Prompts in the training batch.
const PROMPTS: usize = 1000;

/// Two stages against joint training.
#[derive(Clone, Debug, Default)]
pub struct TwoStages {
    /// Independent runs with free and with tied weights; by scale if 0.
    pub runs: usize,
}

/// Models of one kind of weights, run by run.
struct Kind {
    starts: Vec<Parameters>,
    middles: Vec<Parameters>,
    ends: Vec<Parameters>,
    joint: Vec<Parameters>,
    /// After a second stage on another batch.
    misled: Vec<Parameters>,
    batches: Vec<Batch>,
}

fn stage(parts: &[Part], steps: usize, rate: f64) -> TrainingProtocol {
    TrainingProtocol::document().with_phases(vec![Phase::new(parts, steps, rate).halving_every(steps / 5)])
}

/// A batch of one kind and run, the same each time.
fn batch(setting: &Setting, law: &TaskLaw, name: &str, run: usize) -> Result<Batch, Failure> {
    let mut stream = setting.streams().restart_replicate(name, run)?;
    Ok(Batch::draw(law, EXAMPLES, PROMPTS, Precision::Double, &mut stream)?)
}

/// Trains each model on its batch.
fn trained(
    setting: &Setting,
    law: &TaskLaw,
    starts: &[Parameters],
    protocol: &TrainingProtocol,
    name: &str,
) -> Result<Vec<Parameters>, Failure> {
    let mut runs = Vec::new();
    for (run, start) in (0..).zip(starts) {
        // It keeps its prompts, so this stream gives it nothing.
        let mut unused = setting.streams().restart_replicate("held: no other prompts", run)?;
        let mut trainer = Trainer::from_parameters(start.clone(), law.clone(), protocol.clone(), &mut unused)?;
        trainer.hold(batch(setting, law, name, run)?)?;
        runs.push(trainer);
    }
    let mut trainers = Trainers::new(runs)?;
    trainers.run_each()?;
    Ok(trainers.models())
}

impl TwoStages {
    fn kind(&self, setting: &Setting, law: &TaskLaw, tied: bool) -> Result<Kind, Failure> {
        let (one, two) = setting.scale().pick((800, 250), (6000, 3000));
        let runs = by_scale(self.runs, setting.scale().pick(4, 12));
        let weight = RegisterWeight::Scalar;
        let form = Architecture::new(LAYERS, DIM)?.with_registers(RegisterKind::Separate { weight, tied });
        let name = format!("two stages, tied {tied}");
        let prompts = format!("{name}, prompts");
        let start = |run| -> Result<Parameters, Failure> {
            let mut stream = setting.streams().replicate(&format!("{name}, start"), run)?;
            Ok(Parameters::random(form, 1e-2, &mut stream)?)
        };
        let starts = (0..runs).map(start).collect::<Result<Vec<_>, _>>()?;
        let both = [Part::Preconditioners, Part::Registers];
        let first = stage(&both[..1], one, 0.02);
        let second = stage(&both[1..], two, 0.01);
        let middles = trained(setting, law, &starts, &first, &prompts)?;
        Ok(Kind {
            ends: trained(setting, law, &middles, &second, &prompts)?,
            misled: trained(setting, law, &middles, &second, &format!("{name}, other prompts"))?,
            joint: trained(setting, law, &starts, &stage(&both, one + two, 0.02), &prompts)?,
            batches: (0..runs).map(|run| batch(setting, law, &prompts, run)).collect::<Result<_, _>>()?,
            starts,
            middles,
        })
    }
}

impl Kind {
    /// ln of the training loss, run by run.
    fn training(&self, models: &[Parameters]) -> Result<Vec<f64>, Failure> {
        let of = |(batch, model): (&Batch, &Parameters)| Ok(batch.loss(model)?.ln());
        self.batches.iter().zip(models).map(of).collect()
    }

    /// How much the ln training loss falls from the first models to the second.
    fn gain(&self, from: &[Parameters], to: &[Parameters]) -> Result<Estimate, Failure> {
        Ok(paired_difference(&self.training(from)?, &self.training(to)?)?)
    }

    /// The largest rise of the ln training loss in the second stage.
    fn rise(&self, ends: &[Parameters]) -> Result<f64, Failure> {
        let mut largest = Largest::default();
        for (a, b) in self.training(&self.middles)?.into_iter().zip(self.training(ends)?) {
            // A fall is no rise.
            largest.see(if b < a { 0.0 } else { b - a });
        }
        Ok(largest.0)
    }
}

/// Numbers that are the same, bit for bit.
fn kept<'a>(pairs: impl Iterator<Item = (&'a Parameters, &'a Parameters)>, part: Part) -> Tally {
    let seen = changed(pairs, part);
    Tally { off: seen.of - seen.off, of: seen.of }
}

/// Numbers that are not the same, bit for bit.
fn changed<'a>(pairs: impl Iterator<Item = (&'a Parameters, &'a Parameters)>, part: Part) -> Tally {
    let mut seen = Tally::default();
    for (a, b) in pairs {
        let range = a.architecture().range(part);
        for (x, y) in a.values()[range.clone()].iter().zip(&b.values()[range]) {
            seen.see(x.to_bits() != y.to_bits());
        }
    }
    seen
}

fn joined(tallies: [Tally; 2]) -> Tally {
    Tally { off: tallies[0].off + tallies[1].off, of: tallies[0].of + tallies[1].of }
}

fn table(kinds: &[Kind; 2], test: &Batch) -> Result<Table, Failure> {
    let (mut second, mut training, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for kind in kinds {
        second.push(kind.gain(&kind.middles, &kind.ends)?.value);
        training.push(kind.gain(&kind.ends, &kind.joint)?.value);
        let test = |models: &[Parameters]| -> Result<Vec<f64>, Failure> {
            models.iter().map(|model| Ok(test.loss(model)?.ln())).collect()
        };
        others.push(mean(&test(&kind.ends)?)?.value - mean(&test(&kind.joint)?)?.value);
    }
    Ok(Table::new(columns(vec![
        ("weights", vec!["free for each layer", "tied"].into()),
        ("stage 2 lowers ln training loss by", second.into()),
        ("two stages minus joint, ln training", training.into()),
        ("two stages minus joint, ln test", others.into()),
    ])?)
    .title("Two stages and joint training")
    .digits(2))
}

impl TypedCheck for TwoStages {
    const CLAIM: &'static str = "memformer/two-stage-training";
    const PLAN: Plan = Plan::new(
        "numbers that change, bit for bit; rise of the logarithm of the training loss in the second stage",
        "a stage that moves the other's numbers; a second stage that moves nothing or raises the training loss",
        &[EXACT, RISE],
    )
    .protocol(&[
        "four layers, law of Section 3.3, a fixed training batch of 1000 prompts, weights free for each layer and tied",
    ])
    .departures(&[
        "numbers of steps and rates are not given: 6000 and 3000 at 0.02 and 0.01 (800 and 250 at quick scale)",
    ])
    .rivals(&["joint training in as many steps, from the same start on the same prompts"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let law = law(setting)?;
        let kinds = [self.kind(setting, &law, false)?, self.kind(setting, &law, true)?];
        let test = Batch::draw(&law, EXAMPLES, 20_000, Precision::Double, &mut setting.stream("test prompts")?)?;
        let count = |of: fn(&Kind) -> (&[Parameters], &[Parameters]), part| {
            joined([0, 1].map(|k| {
                let (a, b) = of(&kinds[k]);
                changed(a.iter().zip(b), part)
            }))
        };
        let still = |of: fn(&Kind) -> (&[Parameters], &[Parameters])| {
            joined([0, 1].map(|k| {
                let (a, b) = of(&kinds[k]);
                kept(a.iter().zip(b), Part::Registers)
            }))
        };
        let runs = 2 * kinds[0].starts.len();
        let rise = |label: &str, of: [f64; 2]| Finding::identity(label, largest_of(of), RISE).cases(runs).unit("runs");
        let evidence = Evidence::of(
            count(|k| (&k.starts, &k.middles), Part::Registers)
                .none("weights Γ that change in the first stage", "weights"),
        )
        .and(
            count(|k| (&k.middles, &k.ends), Part::Preconditioners)
                .none("entries of A that change in the second stage", "entries"),
        )
        .and(rise(
            "largest rise of the ln training loss in the second stage, same batch",
            [kinds[0].rise(&kinds[0].ends)?, kinds[1].rise(&kinds[1].ends)?],
        ))
        .and(still(|k| (&k.middles, &k.ends)).none("weights Γ that do not move in the second stage", "weights"))
        .twin(
            still(|k| (&k.starts, &k.middles))
                .none("the first stage for the second: weights Γ that do not move", "weights"),
        )
        .twin(
            count(|k| (&k.starts, &k.joint), Part::Registers).none("joint training: weights Γ that change", "weights"),
        )
        .twin(rise(
            "second stage on another batch: largest rise of the ln training loss",
            [kinds[0].rise(&kinds[0].misled)?, kinds[1].rise(&kinds[1].misled)?],
        ));
        Ok(Checked::from(evidence).table(table(&kinds, &test)?))
    }
}
