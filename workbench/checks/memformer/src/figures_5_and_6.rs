//! Figures 5 and 6: trained on one prompt, and on ten.
//!
//! **Claims** (Section 3.4). `memformer/fig-5`: with Gamma scalar and trained on a single prompt, B = 1, memformers significantly
//! outperform conjugate gradients, which run on that prompt themselves. `memformer/fig-6`: the same for B = 10, "on the training data".
//!
//! What is compared is what is trained, the answers (2.7) of the training data, which Figure 6 names, "each observation in the batch".
//! Section 3.3 renews its batches every hundred steps, so Figure 5 is asked of the prompt that a model was trained on last; the document
//! gives neither the learning rate nor the moments of Adam, and the answer hangs on both: three rates are tried, none of them halved, with
//! Adam's usual moments, and at one rate those of the public code, with which it is no longer ahead. Of a single prompt that stays training
//! asks a single number, the answer to its query, and one parameter is enough to get it right after one layer. Whether a *method* has been
//! learned is not said; it would show on the prompt's own examples (Eq. 2.11), where conjugate gradients are the best of all methods that
//! combine the same gradients, and on fresh prompts. Both stand beside it.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memformer::{
    Architecture, Averaging, Batch, ConjugateGradient, Curve, Parameters, Precision, Score, TaskLaw, TestSet, Trainer,
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
    protocol: &[
        "B = 1, renewed every 100 steps as in Section 3.3, tied scalar Gamma, A trained first (Appendix D); answers to the query (2.7); the mean over prompts of the logarithm, \
         as Section 3.4 plots it",
    ],
    choices: &[
        "the prompt that was trained on last",
        "four layers; 1500 steps for A and 500 for Γ; rates 0.02, 0.005 and 0.001, none halved, and Adam's usual moments; those of the public code at 0.02: the document gives none",
    ],
    departures: &[
        "a prompt that stays, as \"the training data\" of Figure 6, with a model of one to four layers and the rate halved",
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
    protocol: &[
        "B = 10, tied scalar Gamma, A trained first; answers to the query (2.7) of the training data; the mean over prompts of the logarithm, as Section 3.4 plots it",
    ],
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
/// From that of the other trainings here down to Adam's usual one.
const RATES: [f64; 3] = [0.02, 0.005, 0.001];
/// Adam's own moments: those of the public code, which other trainings have, remember gradients for as long as a prompt stays.
const USUAL: (f64, f64) = (0.9, 0.999);

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
    s.condition("on a prompt that stays for the whole training, as \"the training data\" of Figure 6, or, where prompts are renewed, with a learning rate and \
         moments of Adam that suit that, 0.02 and the usual ones here; neither is given, and with the moments of the public code it is behind at that rate");
    let (printed, aside) = (s.printed(Margin::ZERO).of("prompts"), s.aside(Margin::ZERO).of("prompts"));
    for rate in RATES {
        // The largest one serves both forms.
        let says = if rate == RATES[0] { s.both_forms(Margin::ZERO).of("prompts") } else { printed };
        let label =
            format!("one prompt renewed every 100 steps, rate {rate}, 4 layers: decades below conjugate gradients");
        says.at_least(label, renewed(s, rate, STEPS, USUAL)?.below(Score::Answer, LAYERS)?);
        let label = format!("A alone, rate {rate}, one prompt renewed, 4 layers: decades below conjugate gradients");
        aside.at_least(label, renewed(s, rate, (STEPS.0 + STEPS.1, 0), USUAL)?.below(Score::Answer, LAYERS)?);
    }
    // The document gives no moments either.
    let label =
        "one prompt renewed, moments of the public code, rate 0.02, 4 layers: decades below conjugate gradients";
    printed.at_least(label, renewed(s, RATES[0], STEPS, (0.99, 0.9))?.below(Score::Answer, LAYERS)?);
    let (learned, at_home) = (s.changed(Margin::ZERO).of("prompts"), on(&given)?);
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
        Ok(self.trained.advantage(&self.own, score, Averaging::MeanOfLogs, layer)?)
    }
}

/// Models of four layers, each trained on one prompt at a time that is renewed every 100 steps, and their last prompts.
fn renewed(own: &Setting, rate: f64, steps: (usize, usize), betas: (f64, f64)) -> Result<Beside, Failure> {
    // As often as Section 3.3 draws a batch anew.
    const EVERY: usize = 100;
    let laws = repeated(own, own.scale().pick(60, 200))?;
    let mut protocol = schedule(steps.0, steps.1);
    protocol.betas = betas;
    for phase in &mut protocol.phases {
        (phase.rate, phase.halve_every) = (rate, None);
    }
    let trained = |(i, law): (usize, &TaskLaw)| -> Result<(Parameters, Option<TestSet>), Failure> {
        let architecture = Architecture::new(LAYERS, law.dim())?.with_registers(TIED_SCALARS);
        // The same prompts at every rate.
        let mut stream = own.streams().restart_replicate("one prompt, renewed", i)?;
        let mut run = Trainer::new(architecture, law.clone(), protocol.clone(), &mut stream)?;
        let mut prompt = None;
        for _ in 0..(STEPS.0 + STEPS.1) / EVERY {
            let now = TestSet::draw(law, EXAMPLES, 1, &mut stream)?;
            run.hold(Batch::new(now.statistics(), Precision::Double)?)?;
            run.run_for(EVERY)?;
            prompt = Some(now);
        }
        Ok((run.parameters().clone(), prompt))
    };
    let all = laws.iter().enumerate().map(trained).collect::<Result<Vec<_>, _>>()?;
    let (models, last): (Vec<_>, Vec<_>) = all.into_iter().filter_map(|(model, last)| Some((model, last?))).unzip();
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
