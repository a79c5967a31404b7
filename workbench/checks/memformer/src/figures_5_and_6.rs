//! Figures 5 and 6: trained on one prompt, and on ten.
//!
//! **Claims** (Section 3.4). `memformer/fig-5`: with Gamma scalar and trained on a single prompt, B = 1, memformers significantly
//! outperform conjugate gradients, which run on that prompt themselves. `memformer/fig-6`: the same for B = 10, "on the training data".
//!
//! A single prompt asks for a single number, the answer to its query, and one parameter is enough to get it right after one layer. Whether
//! a *method* has been learned shows on the prompt's own examples (Eq. 2.11), where conjugate gradients are the best of all methods that
//! combine the same gradients, and on fresh prompts.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Architecture, Averaging, Batch, ConjugateGradient, Curve, Precision, Score, TaskLaw, TestSet, Trainer,
};

use super::section_3_3::EXAMPLES;
use super::section_3_3_training::{
    BEHIND, Group, LAYERS, Reading, TIED, TIED_AT_IDENTITY, TIED_SCALARS, TWICE, curve_of, field, fresh, held, schedule,
};
use crate::vocabulary::{EXACT, by_scale};

/// Steps for A, then for Gamma.
const STEPS: (usize, usize) = (1500, 500);
/// Steps after which Section 3.3 draws a batch anew.
const RENEWED: usize = 100;
/// Sizes of the training batches; the third is the document's ten.
const SIZES: [usize; 6] = [1, 3, 10, 30, 100, 1000];
const TEN: usize = 2;

fn repeated(laws: &[TaskLaw], count: usize) -> Vec<TaskLaw> {
    laws.iter().cycle().take(count).cloned().collect()
}

fn pairs(laws: &[TaskLaw], prompts: &[TestSet]) -> Vec<(TaskLaw, TestSet)> {
    laws.iter().cloned().zip(prompts.iter().cloned()).collect()
}

fn on(a: &Curve, b: &Curve, score: Score, layer: usize) -> Result<Estimate, Failure> {
    Ok(a.advantage(b, score, Averaging::LogOfMeans, layer)?)
}

fn conjugate(tests: &[TestSet]) -> Result<Curve, Failure> {
    Ok(Curve::of_method(&ConjugateGradient, tests, LAYERS)?)
}

/// Figure 5: models of one to four layers, each trained on one prompt.
#[derive(Clone, Debug, Default)]
pub struct OnePrompt {
    /// Prompts, each with models of its own; by scale if 0.
    pub prompts: usize,
}

/// Models and conjugate gradients on the same prompts.
struct Pair {
    trained: Curve,
    own: Curve,
}

impl Pair {
    fn new(trained: Curve, tests: &[TestSet]) -> Result<Pair, Failure> {
        let own = Curve::of_method(&ConjugateGradient, tests, LAYERS)?;
        Ok(Pair { trained, own })
    }

    fn below(&self, score: Score, layer: usize) -> Result<Estimate, Failure> {
        on(&self.trained, &self.own, score, layer)
    }
}

struct Learned {
    /// With trained A, and with A = I, on the prompt that they were trained on.
    heart: Pair,
    scalars: Pair,
    /// On fresh prompts, and on the prompt of another run.
    fresh: Pair,
    other: Pair,
    /// Four layers whose only prompt was renewed every 100 steps, on the last of them.
    renewed: Pair,
}

/// Models of four layers, each trained on one prompt at a time that is renewed every 100 steps, and their last prompts.
fn renewed(own: &Setting, laws: &[TaskLaw]) -> Result<Pair, Failure> {
    let (mut models, mut last) = (Vec::new(), Vec::new());
    for (i, law) in (0..).zip(laws) {
        let architecture = Architecture::new(LAYERS, law.dim())?.with_registers(TIED_SCALARS);
        let mut stream = own.streams().replicate("one prompt, renewed", i)?;
        let mut run = Trainer::new(architecture, law.clone(), schedule(STEPS.0, STEPS.1), &mut stream)?;
        let mut prompt = None;
        for _ in 0..(STEPS.0 + STEPS.1) / RENEWED {
            let now = TestSet::draw(law, EXAMPLES, 1, &mut stream)?;
            run.hold(Batch::new(now.statistics(), Precision::Double)?)?;
            run.run_for(RENEWED)?;
            prompt = Some(now);
        }
        models.push(run.parameters().clone());
        last.extend(prompt);
    }
    Pair::new(curve_of(&models, &last)?, &last)
}

impl OnePrompt {
    fn learn(&self, own: &Setting) -> Result<Learned, Failure> {
        let many = by_scale(self.prompts, own.scale().pick(50, 100));
        let laws = repeated(&field(own, Reading::Variances)?.laws, many);
        let given = fresh(own, &laws, EXAMPLES, 1, "one prompt")?;
        let elsewhere = fresh(own, &laws, EXAMPLES, 200, "prompts after one")?;
        let layers = ([1, 2, 3, 4].as_slice(), LAYERS);
        let all = pairs(&laws, &given);
        let with = |recipe, name, first, second| held(own, recipe, layers, name, &schedule(first, second), &all);
        let heart: Group = with(&TIED, "one prompt, A", STEPS.0, STEPS.1)?;
        let scalars = with(&TIED_AT_IDENTITY, "one prompt, A = I", 0, STEPS.0 + STEPS.1)?;
        // The prompt five runs further on has the same law.
        let mut others = given.clone();
        others.rotate_left(5);
        let of = |group: &Group, tests: &[TestSet]| Pair::new(Curve::of_models(&group.models, tests)?, tests);
        Ok(Learned {
            heart: of(&heart, &given)?,
            scalars: of(&scalars, &given)?,
            fresh: of(&heart, &elsewhere)?,
            other: of(&heart, &others)?,
            renewed: renewed(own, &laws)?,
        })
    }
}

impl TypedCheck for OnePrompt {
    const CLAIM: &'static str = "memformer/fig-5";
    const PLAN: Plan = Plan::new(
        "decades below conjugate gradients, paired over prompts: on the answer trained for, on the prompt's examples, on fresh prompts",
        "an answer, examples or fresh prompts on which conjugate gradients are ahead",
        &[TWICE, BEHIND, EXACT],
    )
    .protocol(&["B = 1: a model of one to four layers for each prompt, tied scalar Gamma, A trained first; 1500 and 500 steps"])
    .departures(&[
        "which loss the figure shows is not said: the answer to the query (2.7), the examples (2.11) and fresh prompts are all computed",
        "Section 3.3 renews its batches every 100 steps, Figure 6 speaks of training data: prompts that stay, and beside them one renewed so",
    ])
    .rivals(&["conjugate gradients on the same prompts"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.learn(setting)?;
        let prompts = |finding: Finding| finding.unit("prompts");
        let answer = |layer: usize| -> Result<Finding, Failure> {
            let plural = if layer == 1 { "" } else { "s" };
            let label =
                format!("{layer} layer{plural}, the answer that it was trained on: decades below conjugate gradients");
            Ok(prompts(Finding::at_least(label, TWICE, seen.heart.below(Score::Answer, layer)?)))
        };
        let ahead = |label: &str, gap: Estimate| prompts(Finding::at_least(label, 0.0, gap));
        let behind = |label: &str, gap: Estimate| prompts(Finding::at_most(label, BEHIND, gap));
        let early = seen.fresh.below(Score::Query, 2)?;
        let late = seen.fresh.below(Score::Query, LAYERS)?;
        let examples = seen.heart.below(Score::Examples, LAYERS)?;
        let last = seen.renewed.below(Score::Answer, LAYERS)?;
        let mut beaten = 0.0;
        for layer in 1..=LAYERS {
            let share = seen.scalars.trained.wins(&seen.scalars.own, Score::Examples, layer)?;
            beaten += share.value * seen.scalars.own.runs().len() as f64;
        }
        let evidence = Evidence::of(ahead("fresh prompts, 4 layers: decades below conjugate gradients", late))
            .and(answer(LAYERS)?)
            .and(ahead("the training prompt's examples, 4 layers: decades below conjugate gradients", examples))
            .and(ahead("one prompt renewed every 100 steps, 4 layers, its last answer: decades below conjugate gradients", last))
            .condition(
                "on the one answer of a prompt that stays, as Figure 6 says of its training data; not on its examples, and not on other prompts",
                vec![
                    answer(1)?,
                    answer(2)?,
                    answer(3)?,
                    answer(LAYERS)?,
                    behind("2 layers, fresh prompts: decades below conjugate gradients, at most", early),
                    behind("fresh prompts, 4 layers: decades below conjugate gradients, at most", late),
                    behind("the training prompt's examples, 4 layers: decades below, at most", examples),
                    behind("one prompt renewed every 100 steps, 4 layers, its last answer: decades below, at most", last),
                ],
            )
            .twin(prompts(Finding::at_least(
                "4 layers, trained on another prompt of the same law: decades below conjugate gradients on the answer",
                TWICE,
                seen.other.below(Score::Answer, LAYERS)?,
            )))
            .support(
                Finding::identity(
                    "prompts and layers at which A = I leaves less on the examples than conjugate gradients",
                    beaten,
                    EXACT,
                )
                .cases(LAYERS * seen.scalars.own.runs().len())
                .unit("cases"),
            );
        Ok(evidence.into())
    }
}

/// Models of four layers for batches of every size, and how far they are ahead.
pub struct Trend {
    /// On the batch's answers, on its examples, on fresh prompts, on the answers of another batch.
    rows: Vec<[Estimate; 4]>,
}

/// Figure 6: a model of four layers, trained on ten prompts.
#[derive(Clone, Debug, Default)]
pub struct TenPrompts {
    /// Batches of each size; by scale if 0.
    pub batches: usize,
}

impl TenPrompts {
    fn trend(&self, own: &Setting) -> Result<Trend, Failure> {
        let count = by_scale(self.batches, own.scale().pick(8, 20));
        let laws = repeated(&field(own, Reading::Variances)?.laws, count);
        let mut rows = Vec::new();
        for size in SIZES {
            let prompts = fresh(own, &laws, EXAMPLES, size, &format!("batch of {size}"))?;
            let others = fresh(own, &laws, EXAMPLES, 200, &format!("prompts beside {size}"))?;
            let name = format!("models for a batch of {size}");
            let protocol = schedule(STEPS.0, STEPS.1);
            let group = held(own, &TIED, (&[LAYERS], LAYERS), &name, &protocol, &pairs(&laws, &prompts))?;
            let (trained, new) = (curve_of(&group.models, &prompts)?, curve_of(&group.models, &others)?);
            let (own_trained, own_new) = (conjugate(&prompts)?, conjugate(&others)?);
            rows.push([
                on(&trained, &own_trained, Score::Answer, LAYERS)?,
                on(&trained, &own_trained, Score::Examples, LAYERS)?,
                on(&new, &own_new, Score::Query, LAYERS)?,
                on(&new, &own_new, Score::Answer, LAYERS)?,
            ]);
        }
        Ok(Trend { rows })
    }
}

fn figure(trend: &Trend) -> Figure {
    let x: Vec<f64> = SIZES.iter().map(|size| *size as f64).collect();
    let names = ["answers of the training batch", "examples of the training batch", "fresh prompts"];
    let mut panel = Panel::new("4 layers, tied Γ, A trained")
        .x_label("prompts B of the training batch")
        .y_label("decades below conjugate gradients")
        .log_x()
        .hline("", 0.0);
    for (i, name) in names.into_iter().enumerate() {
        let of = |pick: fn(&Estimate) -> f64| trend.rows.iter().map(|row| pick(&row[i])).collect::<Vec<f64>>();
        panel = panel
            .line(name, &x, &of(|e| e.value))
            .colour(i)
            .error_bars("", &x, &of(|e| e.value), &of(|e| e.low), &of(|e| e.high))
            .colour(i);
    }
    Figure::new("What is won on small batches is learned by heart")
        .panel(panel.legend_below())
        .caption("Above zero the memformer wins. Intervals at 99.9 % over batches.")
}

impl TypedCheck for TenPrompts {
    const CLAIM: &'static str = "memformer/fig-6";
    const PLAN: Plan = Plan::new(
        "decades below conjugate gradients on the training batch, its answers (2.7) and its examples (2.11), paired over batches",
        "an advantage on its own batch that is not above zero by a factor of two",
        &[TWICE, BEHIND],
    )
    .departures(&["which loss the figure shows is not said: Section 3.3 names the examples (2.11) and optimises the answer (2.7), so both are computed, as for Figure 5"])
    .protocol(&["B = 10 and other sizes: a model of four layers for each batch, tied scalar Gamma, A trained first; 1500 and 500 steps"])
    .rivals(&["conjugate gradients on the same prompts"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let trend = self.trend(setting)?;
        let ahead = |label: &str, gap: Estimate| Finding::at_least(label, TWICE, gap).unit("batches");
        let list = |i: usize| -> String {
            let values = trend.rows.iter().map(|row| format!("{:+.1}", row[i].value));
            values.collect::<Vec<_>>().join(", ")
        };
        let evidence = Evidence::of(ahead(
            "B = 10, answers of the training batch: decades below conjugate gradients",
            trend.rows[TEN][0],
        ))
        .and(
            Finding::at_least(
                "B = 10, examples of the training batch: decades below conjugate gradients",
                0.0,
                trend.rows[TEN][1],
            )
            .unit("batches"),
        )
        .condition(
            "for the ten answers that it was trained on (2.7), not for the examples of the same prompts (2.11)",
            vec![
                ahead("B = 10, the ten answers: decades below conjugate gradients", trend.rows[TEN][0]),
                Finding::at_most(
                    "B = 10, the examples: decades below conjugate gradients, at most",
                    BEHIND,
                    trend.rows[TEN][1],
                )
                .unit("batches"),
            ],
        )
        .twin(ahead("B = 10, fresh prompts of the same law: decades below conjugate gradients", trend.rows[TEN][2]))
        .twin(ahead("B = 10, answers of fresh prompts: decades below conjugate gradients", trend.rows[TEN][3]))
        .twin(ahead("B = 1000, answers of the training batch: decades below", trend.rows[SIZES.len() - 1][0]))
        .note(format!(
            "4 layers; B = 1, 3, 10, 30, 100, 1000: answers of the training batch {}, its examples {}, fresh prompts {}",
            list(0),
            list(1),
            list(2)
        ));
        Ok(Checked::from(evidence).figure(figure(&trend)))
    }
}
