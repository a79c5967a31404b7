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
use workbench_ledger::{Check, Checked, Evidence, Failure, Finding, Plan, Setting};
use workbench_memformer::{Averaging, Curve, Score, Solver, TaskLaw, TestSet};

use super::section_3_3::EXAMPLES;
use super::section_3_3_training::{
    BEHIND, Group, LAYERS, Reading, TIED, TIED_AT_IDENTITY, TWICE, curve_of, field, fresh, held, schedule,
};
use crate::vocabulary::{EXACT, by_scale};

/// Steps for A, then for Gamma.
const STEPS: (u64, u64) = (1500, 500);
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
    Ok(Curve::of_solver(&Solver::ConjugateGradient, tests, LAYERS)?)
}

/// Figure 5: models of one to four layers, each trained on one prompt.
#[derive(Clone, Debug, Default)]
pub struct OnePrompt {
    /// Prompts, each with models of its own; by scale if 0.
    pub prompts: usize,
}

struct Learned {
    /// With trained A, and with A = I, on the prompt that they were trained on.
    heart: Curve,
    scalars: Curve,
    /// On fresh prompts, and on the prompt of another run.
    fresh: Curve,
    other: Curve,
    /// Conjugate gradients on the same three.
    own: Curve,
    own_fresh: Curve,
    own_other: Curve,
}

impl OnePrompt {
    fn learn(&self, own: &Setting) -> Result<Learned, Failure> {
        let many = by_scale(self.prompts, own.scale().pick(20, 60));
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
        Ok(Learned {
            heart: Curve::of_models(&heart.models, &given)?,
            scalars: Curve::of_models(&scalars.models, &given)?,
            fresh: Curve::of_models(&heart.models, &elsewhere)?,
            other: Curve::of_models(&heart.models, &others)?,
            own: conjugate(&given)?,
            own_fresh: conjugate(&elsewhere)?,
            own_other: conjugate(&others)?,
        })
    }
}

impl Check for OnePrompt {
    const CLAIM: &'static str = "memformer/fig-5";
    const PLAN: Plan = Plan::new(
        "decades below conjugate gradients, paired over prompts: on the answer trained for, on the prompt's examples, on fresh prompts",
        "an answer, examples or fresh prompts on which conjugate gradients are ahead",
        &[TWICE, BEHIND, EXACT],
    )
    .protocol(&["B = 1: a model of one to four layers for each prompt, tied scalar Gamma, A trained first; 1500 and 500 steps"])
    .departures(&["which loss the figure shows is not said: the answer to the query (2.7), the examples (2.11) and fresh prompts are all computed"])
    .rivals(&["conjugate gradients on the same prompts"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.learn(setting)?;
        let prompts = |finding: Finding| finding.unit("prompts");
        let answer = |layer: usize| -> Result<Finding, Failure> {
            let plural = if layer == 1 { "" } else { "s" };
            let label =
                format!("{layer} layer{plural}, the answer that it was trained on: decades below conjugate gradients");
            let gap = on(&seen.heart, &seen.own, Score::Answer, layer)?;
            Ok(prompts(Finding::at_least(label, TWICE, gap)))
        };
        let elsewhere = on(&seen.fresh, &seen.own_fresh, Score::Query, 2)?;
        let mut beaten = 0.0;
        for layer in 1..=LAYERS {
            let share = seen.scalars.wins(&seen.own, Score::Examples, layer)?;
            beaten += share.value * seen.own.runs().len() as f64;
        }
        let evidence = Evidence::of(prompts(Finding::at_least(
            "2 layers, fresh prompts: decades below conjugate gradients",
            0.0,
            elsewhere,
        )))
        .and(answer(2)?)
        .and(prompts(Finding::at_least(
            "2 layers, A = I, the training prompt's examples: decades below conjugate gradients",
            0.0,
            on(&seen.scalars, &seen.own, Score::Examples, 2)?,
        )))
        .condition(
            "on the one answer that it was trained on, as Figure 6 says of its own, and nowhere else",
            vec![
                answer(1)?,
                answer(2)?,
                prompts(Finding::at_most(
                    "2 layers, fresh prompts: decades below conjugate gradients, at most",
                    BEHIND,
                    elsewhere,
                )),
                Finding::identity(
                    "prompts and layers at which A = I leaves less on the examples than conjugate gradients",
                    beaten,
                    EXACT,
                )
                .cases(LAYERS as u64 * seen.own.runs().len() as u64)
                .unit("cases"),
            ],
        )
        .twin(prompts(Finding::at_least(
            "2 layers, trained on another prompt of the same law: decades below conjugate gradients on the answer",
            TWICE,
            on(&seen.other, &seen.own_other, Score::Answer, 2)?,
        )));
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
            let group = held(
                own,
                &TIED,
                (&[LAYERS], LAYERS),
                &name,
                &protocol,
                &pairs(&laws, &prompts),
            )?;
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
    let names = [
        "answers of the training batch",
        "examples of the training batch",
        "fresh prompts",
    ];
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

impl Check for TenPrompts {
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
