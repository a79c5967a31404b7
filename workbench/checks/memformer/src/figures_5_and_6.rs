//! Figures 5 and 6: trained on one prompt, and on ten.
//!
//! **Claims** (Section 3.4). `memformer/fig-5`: with Gamma scalar and trained on a single prompt, B = 1, memformers significantly
//! outperform conjugate gradients, which run on that prompt themselves. `memformer/fig-6`: the same for B = 10, "on the training data".
//!
//! What is compared is what is trained, the answers (2.7) of the training data, which Figure 6 names, "each observation in the batch". A
//! single prompt asks for a single number, the answer to its query, and one parameter is enough to get it right after one layer. Whether a
//! *method* has been learned is not said; it would show on the prompt's own examples (Eq. 2.11), where conjugate gradients are the best of
//! all methods that combine the same gradients, on fresh prompts, and on a prompt that is renewed. All three stand beside it.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memformer::{
    Architecture, Averaging, Batch, ConjugateGradient, Curve, Precision, Score, TaskLaw, TestSet, Trainer,
};

use super::task_law::EXAMPLES;
use super::trained_memformers::{
    Group, LAYERS, Reading, TIED, TIED_AT_IDENTITY, TIED_SCALARS, curve_of, field, fresh, held, schedule,
};
use crate::vocabulary::EXACT;

/// Figure 5: models of one to four layers, each trained on one prompt.
pub const ONE_PROMPT: Check = Check {
    claim: "memformer/fig-5",
    metric: "decades below conjugate gradients on the answer trained for, paired over prompts",
    against: "a number of layers for which conjugate gradients are ahead on the training data",
    protocol: &["B = 1, tied scalar Gamma, A trained first; answers to the query (2.7) of the training data"],
    choices: &["a model of one to four layers for each prompt; 1500 and 500 steps"],
    departures: &[
        "Section 3.3 renews its batches every 100 steps, Figure 6 speaks of training data: prompts stay; one that is renewed stands beside them, and hangs on the learning rate, which is halved and not in the document",
    ],
    rivals: &["conjugate gradients on the same prompts"],
    run: one_prompt,
    ..Check::DEFAULT
};

/// Figure 6: a model of four layers, trained on ten prompts.
pub const TEN_PROMPTS: Check = Check {
    claim: "memformer/fig-6",
    metric: "decades below conjugate gradients on the answers (2.7) of the training batch, paired over batches",
    against: "conjugate gradients that are ahead on the training data",
    protocol: &["B = 10, tied scalar Gamma, A trained first; answers to the query (2.7) of the training data"],
    choices: &["other sizes of the batch; a model of four layers for each; 1500 and 500 steps"],
    departures: &[
        "Section 3.3 renews its batches every 100 steps; \"on the training data\", as the caption says, batches stay",
    ],
    rivals: &["conjugate gradients on the same prompts"],
    run: ten_prompts,
    ..Check::DEFAULT
};

/// Steps for A, then for Gamma.
const STEPS: (usize, usize) = (1500, 500);

fn one_prompt(s: &Sheet) -> Done {
    let many = s.knob("prompts", s.scale().pick(50, 100), 10..)?;
    let laws = repeated(s, many)?;
    let given = fresh(s, &laws, EXAMPLES, 1, "one prompt")?;
    let all = pairs(&laws, &given);
    let train = |recipe, name, first, second| -> Result<Group, Failure> {
        held(s, recipe, (&[1, 2, 3, 4], LAYERS), name, &schedule(first, second), &all)
    };
    let heart = train(&TIED, "one prompt, A", STEPS.0, STEPS.1)?;
    let on = |tests: &[TestSet]| Beside::new(Curve::of_models(&heart.models, tests)?, tests);
    let (learned, aside) = (s.printed(Margin::ZERO).of("prompts"), s.aside(Margin::ZERO).of("prompts"));
    let at_home = on(&given)?;
    for layer in (1..=LAYERS).rev() {
        let plural = if layer == 1 { "" } else { "s" };
        let label =
            format!("{layer} layer{plural}, the answer that it was trained on: decades below conjugate gradients");
        learned.at_least(label, at_home.below(Score::Answer, layer)?);
    }

    let elsewhere = on(&fresh(s, &laws, EXAMPLES, 200, "prompts after one")?)?;
    for layers in [2, LAYERS] {
        let label = format!("fresh prompts, {layers} layers: decades below conjugate gradients");
        aside.at_least(label, elsewhere.below(Score::Query, layers)?);
    }

    let label = "the training prompt's examples, 4 layers: decades below conjugate gradients";
    aside.at_least(label, at_home.below(Score::Examples, LAYERS)?);
    let label = "one prompt renewed every 100 steps, 4 layers, its last answer: decades below conjugate gradients";
    aside.at_least(label, renewed(s, &laws)?.below(Score::Answer, LAYERS)?);

    // The prompt five runs further on has the same law.
    let mut others = given.clone();
    others.rotate_left(5);
    let label = "4 layers, trained on another prompt of the same law: decades below conjugate gradients on the answer";
    s.twin(Margin::ZERO).of("prompts").at_least(label, on(&others)?.below(Score::Answer, LAYERS)?);
    let scalars = train(&TIED_AT_IDENTITY, "one prompt, A = I", 0, STEPS.0 + STEPS.1)?;
    let scalars = Beside::new(Curve::of_models(&scalars.models, &given)?, &given)?;
    let mut beaten = 0.0;
    for layer in 1..=LAYERS {
        beaten += scalars.trained.wins(&scalars.own, Score::Examples, layer)?.value * many as f64;
    }
    let label = "prompts and layers at which A = I leaves less on the examples than conjugate gradients";
    s.support(EXACT).over(LAYERS * many, "cases").same(label, beaten);
    Ok(())
}

/// Models and conjugate gradients on the same prompts.
struct Beside {
    trained: Curve,
    own: Curve,
}

impl Beside {
    fn new(trained: Curve, tests: &[TestSet]) -> Result<Beside, Failure> {
        let own = Curve::of_method(&ConjugateGradient, tests, LAYERS)?;
        Ok(Beside { trained, own })
    }

    fn below(&self, score: Score, layer: usize) -> Result<Estimate, Failure> {
        Ok(self.trained.advantage(&self.own, score, Averaging::LogOfMeans, layer)?)
    }
}

/// Models of four layers, each trained on one prompt at a time that is renewed every 100 steps, and their last prompts.
fn renewed(own: &Setting, laws: &[TaskLaw]) -> Result<Beside, Failure> {
    // As often as Section 3.3 draws a batch anew.
    const EVERY: usize = 100;
    let (mut models, mut last) = (Vec::new(), Vec::new());
    for (i, law) in (0..).zip(laws) {
        let architecture = Architecture::new(LAYERS, law.dim())?.with_registers(TIED_SCALARS);
        let mut stream = own.streams().replicate("one prompt, renewed", i)?;
        let mut run = Trainer::new(architecture, law.clone(), schedule(STEPS.0, STEPS.1), &mut stream)?;
        let mut prompt = None;
        for _ in 0..(STEPS.0 + STEPS.1) / EVERY {
            let now = TestSet::draw(law, EXAMPLES, 1, &mut stream)?;
            run.hold(Batch::new(now.statistics(), Precision::Double)?)?;
            run.run_for(EVERY)?;
            prompt = Some(now);
        }
        models.push(run.parameters().clone());
        last.extend(prompt);
    }
    Beside::new(curve_of(&models, &last)?, &last)
}

fn repeated(own: &Setting, count: usize) -> Result<Vec<TaskLaw>, Failure> {
    Ok(field(own, Reading::Variances)?.laws.iter().cycle().take(count).cloned().collect())
}

fn pairs(laws: &[TaskLaw], prompts: &[TestSet]) -> Vec<(TaskLaw, TestSet)> {
    laws.iter().cloned().zip(prompts.iter().cloned()).collect()
}

fn ten_prompts(s: &Sheet) -> Done {
    let laws = repeated(s, s.knob("batches of each size", s.scale().pick(8, 20), 2..)?)?;
    let sizes = [1, 3, 10, 30, 100, 1000];
    // How far it is ahead on the batch's answers, on its examples, on fresh prompts.
    let mut rows = Vec::new();
    let (printed, twin) = (s.printed(Margin::ZERO).of("batches"), s.twin(Margin::ZERO).of("batches"));
    for size in sizes {
        let prompts = fresh(s, &laws, EXAMPLES, size, &format!("batch of {size}"))?;
        let others = fresh(s, &laws, EXAMPLES, 200, &format!("prompts beside {size}"))?;
        let (name, protocol) = (format!("models for a batch of {size}"), schedule(STEPS.0, STEPS.1));
        let group = held(s, &TIED, (&[LAYERS], LAYERS), &name, &protocol, &pairs(&laws, &prompts))?;
        let at_home = Beside::new(curve_of(&group.models, &prompts)?, &prompts)?;
        let elsewhere = Beside::new(curve_of(&group.models, &others)?, &others)?;
        let answers = at_home.below(Score::Answer, LAYERS)?;
        let examples = at_home.below(Score::Examples, LAYERS)?;
        let new = elsewhere.below(Score::Query, LAYERS)?;
        if size == 10 {
            printed.at_least("B = 10, answers of the training batch: decades below conjugate gradients", answers);
            let label = "B = 10, examples of the training batch: decades below conjugate gradients";
            s.aside(Margin::ZERO).of("batches").at_least(label, examples);
            twin.at_least("B = 10, fresh prompts of the same law: decades below conjugate gradients", new);
            let label = "B = 10, answers of fresh prompts: decades below conjugate gradients";
            twin.at_least(label, elsewhere.below(Score::Answer, LAYERS)?);
        }
        if size == 1000 {
            twin.at_least("B = 1000, answers of the training batch: decades below", answers);
        }
        rows.push([answers, examples, new]);
    }
    let list = |i: usize| rows.iter().map(|row| format!("{:+.1}", row[i].value)).collect::<Vec<_>>().join(", ");
    s.note(format!(
        "4 layers; B = 1, 3, 10, 30, 100, 1000: answers of the training batch {}, its examples {}, fresh prompts {}",
        list(0),
        list(1),
        list(2)
    ));
    s.figure(figure(&sizes.map(|size| size as f64), &rows));
    Ok(())
}

fn figure(x: &[f64], rows: &[[Estimate; 3]]) -> Figure {
    let names = ["answers of the training batch", "examples of the training batch", "fresh prompts"];
    let mut panel = Panel::new("4 layers, tied Γ, A trained")
        .x_label("prompts B of the training batch")
        .y_label("decades below conjugate gradients")
        .log_x()
        .hline("", 0.0);
    for (i, name) in names.into_iter().enumerate() {
        let of = |pick: fn(&Estimate) -> f64| rows.iter().map(|row| pick(&row[i])).collect::<Vec<f64>>();
        panel = panel
            .line(name, x, &of(|e| e.value))
            .colour(i)
            .error_bars("", x, &of(|e| e.value), &of(|e| e.low), &of(|e| e.high))
            .colour(i);
    }
    Figure::new("What is won on small batches is learned by heart")
        .panel(panel.legend_below())
        .caption("Above zero the memformer wins. Intervals at 99.9 % over batches.")
}
