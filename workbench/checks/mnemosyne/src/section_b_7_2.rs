//! B.7.2: the light cell on several layers of a ViT.
//!
//! **Claim** (`mnemosyne/b7-2-light`). A light version, one encoder of width 8, reduces the memory of the optimizer's state; with it the last
//! two transformer layers, embedding, cls and head of ViT-B are fine-tuned on CIFAR-100 with batches of 128. The rest is trained by Adam at
//! 0.001, and the baseline is the same Adam on everything.
//!
//! The memory is a count. That it fine-tunes is asked of a ViT of four layers that was trained on clothes and has to learn digits, with the
//! same split and the printed batch and rate. How it compares with the baseline the text does not say; both are shown. Refuted by a light
//! state that is no smaller; a tensor that another rule moves; a loss that does not fall. The check stands on our formulas for both states.

use std::sync::Arc;

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_optimizer::cell::Form;
use workbench_optimizer::cell::count::{count, state_of};
use workbench_optimizer::counts::{VitReading, numbers_in};
use workbench_optimizer::score::Run;
use workbench_optimizer::task::{Task, Tensor};
use workbench_optimizer::tasks::{Network, Started, Suite, Supervised};
use workbench_optimizer::{Error, Layout, Optimizer};

use super::frozen_features::{POWER_OF_TEN, adam, pre_train};
use super::optimizer_laboratory::{
    BANK, KEPT, LOST, OPEN, RATE, SCALED, TRAININGS, curve, lab, layout, logs, runs, tested, times,
};
use super::printed_tables::{TABLE_1, millions};
use super::section_b_rules::{Make, Part, Shares, gradients, walk};

/// A ViT of four layers, of which the first two go to Adam.
const VIT: &str = "vit-l4-h2-d16-k8-m32-p4";

/// The light cell on the upper half of a ViT.
pub const CHECK: Check = Check {
    claim: "mnemosyne/b7-2-light",
    metric: "numbers of state for each parameter, exact; numbers that another rule than the named one moves; log validation loss at the end minus that at the start",
    against: "a light state that is no smaller; a tensor that the wrong rule moves; a loss that does not fall, or falls no further than with the light cell's tensors frozen",
    protocol: &[
        "light cell: one encoder of width 8; last two layers, embedding, cls and head; the rest by Adam at 0.001; batches of 128",
    ],
    choices: &["20 steps at quick scale, 200 at paper scale", TRAININGS],
    departures: &[
        "scaled down: a ViT of four layers of width 16, pre-trained on clothes and fine-tuned on digits at 7 x 7, for ViT-B on CIFAR-100; positions go with the embedding, the norm at the end with Adam",
        SCALED,
        RATE,
        OPEN,
        LOST,
        BANK,
    ],
    rivals: &["Adam at 0.001 on everything, as in the document, for the figure: the text prints no comparison"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.shared_draw(KEPT);
    let steps = s.knob("steps", s.scale().pick(20, 200), 1..)?;
    let fall = s.printed(Margin::ZERO).of("trainings").scaled_down();
    let of = |who, step| -> Result<Vec<f64>, Failure> { Ok(logs(&fine_tuned(s, who, steps)?, step)) };
    let minus_frozen =
        |who| -> Result<Estimate, Failure> { Ok(paired_difference(&of(who, steps)?, &of(Who::Frozen, steps)?)?) };
    let label = "log loss at the end of the fine-tuning minus that at the start";
    fall.at_most(label, paired_difference(&of(Who::Light, steps)?, &of(Who::Light, 0)?)?);
    let label = "log loss at the end, light cell on its tensors minus these frozen";
    fall.at_most(label, minus_frozen(Who::Light)?);
    let label = "gradients with the wrong sign for the light cell: log loss minus that with its tensors frozen";
    s.twin(Margin::ZERO).of("trainings").at_most(label, minus_frozen(Who::Uphill)?);

    let (exact, support) = (s.printed(Margin::ZERO), s.support(Margin::ZERO));
    let ratio = count(&Form::light())?.state as f64 / count(&Form::default())?.state as f64;
    exact.at_most("log of the light state over that of the cell of B.1", ratio.ln());
    for (says, recipe, formula) in
        [(support, "light", 16 * 9), (support, "default", 2 * 16 * 17), (s.twin(Margin::ZERO), "light", 16 * 8)]
    {
        let kept = lab(s)?.bank.get(recipe)?[0].state_len();
        let label = format!("state of the {recipe} cell less {formula} for each parameter");
        says.same(label, kept.abs_diff(formula) as f64);
    }

    let (task, trained) = (task(s)?, lab(s)?.bank.get("light")?);
    let (shape, mut stream) = (layout(&*task)?, s.stream("gradients of the ViT")?);
    let start = task.start(&mut stream);
    let seen = gradients(&*task, &start, 5, &mut stream)?;
    let rule = |own: Layout| trained[0].optimizer(own);
    let shares = split(&shape, Some(&rule), &named);
    for (label, differ, of, unit) in shares.counts(&start, &seen)? {
        exact.over(of, unit).same(label, differ);
    }
    let by_name = |tensor: &Tensor| usize::from(!light(&tensor.name) || tensor.name.starts_with("blocks.2"));
    let shifted = walk(&mut split(&shape, Some(&rule), &by_name).groups()?, &start, &seen)?;
    let wrong = shares.differing(&shifted, &start, &seen)?.iter().sum();
    let label = "one layer less for the light cell: numbers moved otherwise";
    s.twin(Margin::ZERO).over(shape.len(), "numbers").same(label, wrong);
    s.table(table()?);
    s.figure(figure(s, steps)?);
    Ok(())
}

/// Whether the light cell steps a tensor: last two layers, embedding, cls and head.
fn light(name: &str) -> bool {
    let lower = name.starts_with("blocks.0.") || name.starts_with("blocks.1.");
    !(lower || name.starts_with("norm"))
}

/// The digits, from what was learnt on clothes.
fn task(setting: &Setting) -> Result<Arc<Started<Supervised<Network>>>, Failure> {
    setting.shared("B.7.2: a pre-trained ViT", |own| {
        let lab = lab(own)?;
        let start = pre_train(own, &lab.suite.task(&format!("{VIT}@fashion-7"))?, own.scale().pick(60, 400))?;
        let task = Suite::new(lab.bank.folder()).with_batches(128).task(&format!("{VIT}@mnist-7"))?;
        Ok(Started::new(task, start)?)
    })
}

/// A rule on the named tensors, which are frozen without one, and Adam on the others.
fn split<'a>(layout: &Layout, rule: Option<&'a Make<'a>>, which: &'a dyn Fn(&Tensor) -> usize) -> Shares<'a> {
    Shares {
        layout: layout.clone(),
        parts: vec![
            Part { name: "last two layers, embedding, cls, head", rule },
            Part { name: "the rest", rule: Some(&by_adam) },
        ],
        which,
    }
}

fn named(tensor: &Tensor) -> usize {
    usize::from(!light(&tensor.name))
}

fn by_adam(layout: Layout) -> Result<Box<dyn Optimizer>, Error> {
    Ok(Box::new(adam(POWER_OF_TEN, layout)?))
}

/// Who fine-tunes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    Light,
    Uphill,
    Frozen,
    AdamAlone,
}

fn fine_tuned(setting: &Setting, who: Who, steps: usize) -> Result<Arc<Vec<Run>>, Failure> {
    setting.shared(&format!("B.7.2: {who:?}, {steps} steps"), |own| {
        let (task, lab) = (task(own)?, lab(own)?);
        let trained = lab.bank.get("light")?;
        let make = |seed: u64| -> Result<Box<dyn Optimizer>, Error> {
            let shape = layout(&*task)?;
            let one = match who {
                Who::AdamAlone => return by_adam(shape),
                Who::Light | Who::Uphill => &trained[seed as usize],
                Who::Frozen => return Ok(Box::new(split(&shape, None, &named).groups()?)),
            };
            let sign = if who == Who::Uphill { -1.0 } else { 1.0 };
            let rule = |own: Layout| Ok(times(one.optimizer(own)?, sign));
            Ok(Box::new(split(&shape, Some(&rule), &named).groups()?))
        };
        runs(own, &*task, steps, tested(own, trained.len()), make)
    })
}

fn figure(setting: &Setting, steps: usize) -> Result<Figure, Failure> {
    let mut panel = Panel::new("from clothes to digits").x_label("step").y_label("validation loss, nats").log_y();
    for (who, name) in [
        (Who::Light, "light Mnemosyne above, Adam below"),
        (Who::Frozen, "frozen above, Adam below"),
        (Who::AdamAlone, "Adam on everything"),
    ] {
        let (x, y) = curve(&fine_tuned(setting, who, steps)?.iter().collect::<Vec<_>>());
        panel = panel.line(name, &x, &y);
    }
    Ok(Figure::new("The light cell earns part of the fall").panel(panel).caption(
        "Geometric means over trainings, batches of 128, Adam at 0.001; it was not tuned here, as in the document.",
    ))
}

/// Numbers of state of the named tensors of ViT-B with a head for 100 classes.
fn table() -> Result<Table, Failure> {
    let whole = TABLE_1[0].shape.layout(&VitReading::whole(100))?;
    let upper = |name: &str| {
        let layer = name.split('/').nth(1).and_then(|layer| layer.parse::<usize>().ok());
        match layer {
            Some(layer) if name.starts_with("encoder/") => layer >= 10,
            _ => !name.starts_with("norm"),
        }
    };
    let tuned = Layout::of(&[("tuned", &[numbers_in(&whole, upper)])])?;
    let forms = [("light", Form::light()), ("of B.1", Form::default())];
    let states = forms.map(|(_, form)| millions(state_of(&form, &tuned)));
    let frame = columns(vec![
        ("cell", forms.map(|(name, _)| name).to_vec().into()),
        ("parameters, millions", vec![millions(tuned.len()); 2].into()),
        ("state, millions of numbers", states.to_vec().into()),
        ("state in single precision, GB", states.map(|state| 4e-3 * state).to_vec().into()),
    ])?;
    Ok(Table::new(frame)
        .title(
            "Last two layers, embedding, positions, cls and head of ViT-B, 100 classes: what the optimizer remembers",
        )
        .digits(4))
}
