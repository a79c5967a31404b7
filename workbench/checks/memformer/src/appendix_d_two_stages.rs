//! Appendix D, first paragraph: two stages of training.
//!
//! **Claim** (`memformer/two-stage-training`). First the A_l of every layer are trained on the training batch, then the Gamma_l are
//! fine-tuned on the training batch.
//!
//! A recipe is right if it can be followed and its stages do what they say: each leaves the numbers of the other untouched, bit for bit,
//! and the second moves all weights Gamma and does not raise the training loss. It is compared with joint training of everything in as many
//! steps, from the same start on the same prompts. Wrong twins: joint training; a second stage on another batch.

use workbench_display::{Table, columns};
use workbench_ground::stats::{mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memformer::{
    Architecture, Batch, Parameters, Part, Phase, Precision, RegisterKind, RegisterWeight, TaskLaw, Trainer, Trainers,
    TrainingProtocol,
};

use super::task_law::{DIM, EXAMPLES, law};
use crate::vocabulary::EXACT;

const RISE: Margin = Margin::statistical(
    "rise",
    1e-3,
    "Adam is no descent method: what its last steps may leave, a thousandth of the loss",
);

/// Layers.
const LAYERS: usize = 4;
/// Prompts in the training batch.
const PROMPTS: usize = 1000;

/// Two stages against joint training.
pub const CHECK: Check = Check {
    claim: "memformer/two-stage-training",
    metric: "rise of the logarithm of the training loss in the second stage; numbers that change, bit for bit; two stages against joint training, shown",
    against: "a second stage that raises the training loss, where each stage moves its own numbers only",
    protocol: &["four layers, law of Section 3.3, first A, then Γ, on one training batch of 1000 prompts"],
    choices: &["weights free for each layer, and tied"],
    departures: &[
        "numbers of steps and rates are not given: 6000 and 3000 at 0.02 and 0.01 (800 and 250 at quick scale)",
        "\"first the A_l (2.8)\" are trained inside of (3.4), with Γ at its start: for free Γ that is a linear transformer, for tied Γ one whose steps are repeated in every later layer (Γ = 1)",
    ],
    rivals: &["joint training in as many steps, from the same start on the same prompts"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let law = law(s)?;
    let (one, two) = s.scale().pick((800, 250), (6000, 3000));
    let runs = s.knob("runs", s.scale().pick(4, 12), 2..)?;
    let test = Batch::draw(&law, EXAMPLES, 20_000, Precision::Double, &mut s.stream("test prompts")?)?;
    let (mut second, mut training, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for tied in [false, true] {
        let weight = RegisterWeight::Scalar;
        let form = Architecture::new(LAYERS, DIM)?.with_registers(RegisterKind::Separate { weight, tied });
        let name = format!("two stages, tied {tied}");
        let prompts = format!("{name}, prompts");
        let start = |run| -> Result<Parameters, Failure> {
            Ok(Parameters::random(form, 1e-2, &mut s.streams().replicate(&format!("{name}, start"), run)?)?)
        };
        let starts = (0..runs).map(start).collect::<Result<Vec<_>, _>>()?;
        for start in s.each("starts", &starts) {
            let a = start.a(0)?;
            s.support(EXACT).never("starts with twice the same number in A", a[[0, 0]] == a[[0, 1]]);
        }
        let both = [Part::Preconditioners, Part::Registers];
        let fine_tuning = stage(&both[1..], two, 0.01);
        let middles = trained(s, &law, &starts, &stage(&both[..1], one, 0.02), &prompts)?;
        let ends = trained(s, &law, &middles, &fine_tuning, &prompts)?;
        let misled = trained(s, &law, &middles, &fine_tuning, &format!("{name}, other prompts"))?;
        let joint = trained(s, &law, &starts, &stage(&both, one + two, 0.02), &prompts)?;

        // Switches of the trainer: what the check stands on.
        let (weights, entries) = (s.support(EXACT).of("weights"), s.support(EXACT).of("entries"));
        let wrong = s.twin(EXACT).of("weights");
        let change = "weights Γ that change in the first stage";
        changed(&starts, &middles, Part::Registers).for_each(|changes| weights.never(change, changes));
        let change = "entries of A that change in the second stage";
        changed(&middles, &ends, Part::Preconditioners).for_each(|changes| entries.never(change, changes));
        let still = "weights Γ that do not move in the second stage";
        changed(&middles, &ends, Part::Registers).for_each(|changes| weights.never(still, !changes));
        let change = "joint training: weights Γ that change";
        changed(&starts, &joint, Part::Registers).for_each(|changes| wrong.never(change, changes));

        // ln of the training loss, run by run.
        let batches = (0..runs).map(|run| batch(s, &law, &prompts, run)).collect::<Result<Vec<_>, _>>()?;
        let of = |models: &[Parameters]| -> Result<Vec<f64>, Failure> {
            batches.iter().zip(models).map(|(batch, model)| Ok(batch.loss(model)?.ln())).collect()
        };
        let [middle, end, misled, together] = [of(&middles)?, of(&ends)?, of(&misled)?, of(&joint)?];
        for run in s.each("runs", 0..runs) {
            // A fall is no rise.
            let rise = |after: f64| if after < middle[run] { 0.0 } else { after - middle[run] };
            let label = "largest rise of the ln training loss in the second stage, same batch";
            s.printed(RISE).same(label, rise(end[run]));
            let label = "second stage on another batch: largest rise of the ln training loss";
            s.twin(RISE).largest().same(label, rise(misled[run]));
        }
        let on_test = |models: &[Parameters]| -> Result<f64, Failure> {
            let losses = models.iter().map(|model| Ok(test.loss(model)?.ln()));
            Ok(mean(&losses.collect::<Result<Vec<_>, Failure>>()?)?.value)
        };
        let kind = if tied { "tied Γ" } else { "free Γ" };
        let label = format!("{kind}: ln training loss of joint training minus that of two stages");
        s.aside(Margin::ZERO).of("runs").at_least(label, paired_difference(&together, &end)?);
        second.push(paired_difference(&middle, &end)?.value);
        training.push(paired_difference(&end, &together)?.value);
        others.push(on_test(&ends)? - on_test(&joint)?);
    }
    let table = Table::new(columns(vec![
        ("weights", vec!["free for each layer", "tied"].into()),
        ("stage 2 lowers ln training loss by", second.into()),
        ("two stages minus joint, ln training", training.into()),
        ("two stages minus joint, ln test", others.into()),
    ])?);
    s.table(table.title("Two stages and joint training").digits(2));
    Ok(())
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

/// For every number of these parts whether it is not the same, bit for bit.
fn changed<'a>(a: &'a [Parameters], b: &'a [Parameters], part: Part) -> impl Iterator<Item = bool> + 'a {
    a.iter().zip(b).flat_map(move |(a, b)| {
        let range = a.architecture().range(part);
        let pairs = a.values()[range.clone()].iter().zip(&b.values()[range]);
        pairs.map(|(x, y)| x.to_bits() != y.to_bits()).collect::<Vec<bool>>()
    })
}
