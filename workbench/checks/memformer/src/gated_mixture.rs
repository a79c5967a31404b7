//! The models of Figures 9 and 10: heads trained alone on the components of a mixture, joined by gates that are fitted on the mixture.
//!
//! "Also train Gamma at test time" is read with all entries trained, those of the examples and of the query together
//! ([`super::gamma_together`]): a number for each, as printed, or diagonals or matrices that act on gradients. It starts from heads in the
//! order of Appendix D with their gates. Beside them stands what trains less, from heads of one number for all tokens with A trained inside
//! of Eq. 3.4: diagonals and matrices by Adam with the query as one of the tokens, and the query's own numbers alone, which are the best there
//! are, since the answer is linear in them.

use std::sync::Arc;

use ndarray::{Array1, Array2, Axis};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Stream, Streams};
use workbench_ledger::{Failure, Setting};
use workbench_memformer::{
    Batch, GateKind, Gated, Level, Parameters, Precision, Prompts, RegisterKind, RegisterWeight, Statistics,
    TunedParts, Tuner, best_layer_gates, least_squares,
};

use super::expert_heads::{Components, components};
use super::figure_7::over_runs;
use super::figure_8::{best_single, relative_changes};
use super::gamma_together::{Freedom, Together};
use super::independent_runs::{
    DEPTH, Scores, average, by_layer, errors, log_mean, moved, of_run, score, tested, tied, tuned,
};
use super::query_weights::untrained;
use super::task_law::EXAMPLES;

/// Both readings of the mixture: a component for each prompt, or for each token.
pub const READINGS: [Level; 2] = [Level::Prompt, Level::Token];
/// What is compared, in the order of [`Reading::scores`].
pub const MODELS: [&str; 16] = [
    "transformer, gates (Fig. 9)",
    "memformer, A trained inside, gates",
    "gates and diagonal Γ",
    "gates and full Γ",
    "gates and the query's Γ",
    "memformer, one Γ for all heads",
    "memformer, mean of heads",
    "memformer, best single head",
    "memformer, gates of the other sign",
    "transformer, weights at the query",
    "gates, full Γ and the query's Γ",
    "all of Γ, matrices, trained on one component",
    "all of Γ, numbers as printed",
    "all of Γ, matrices",
    "transformer, gates on the most prompts",
    "memformer, best single head with its best gate",
];
/// The transformer with gates.
pub const TRANSFORMER: usize = 0;
/// The memformer with gates.
pub const GRAY: usize = 1;
/// With Gamma as diagonals that act on gradients.
pub const DIAGONAL: usize = 2;
/// With Gamma as full matrices that act on gradients.
pub const FULL: usize = 3;
/// With the query's own entries of Gamma, as printed.
pub const QUERY: usize = 4;
/// Heads with one Gamma in common.
pub const COMMON: usize = 5;
/// Gates left at one third.
pub const UNTUNED: usize = 6;
/// The best single head, as it was trained.
pub const SINGLE: usize = 7;
/// With full Gamma that acts on gradients and the query's own entries on top.
pub const BOTH: usize = 10;
/// All of Gamma as matrices, trained on prompts of the second component alone, which has no mean.
pub const NARROW: usize = 11;
/// All of Gamma together, on the most prompts, as numbers.
pub const NUMBERS: usize = 12;
/// The same as matrices that act on gradients.
pub const MATRICES: usize = 13;
/// The transformer with gates fitted on the same prompts.
pub const RICH: usize = 14;
/// The best single head with its best gate.
pub const GATED_SINGLE: usize = 15;
/// Prompts that all of Gamma is trained on: the budget at test time.
pub const PROMPTS: [usize; 2] = [500, 2000];
/// Models whose error is known after each layer.
const LAYERED: usize = 5;

/// What was seen on one reading of the mixture.
#[derive(Clone)]
pub struct Reading {
    /// Of each of [`MODELS`].
    pub scores: Vec<Scores>,
    /// log10 of the mean error by layer of the first five, for each run.
    pub layers: Vec<Vec<Vec<f64>>>,
    /// All of Gamma together, as numbers and as matrices, on each of [`PROMPTS`]: log10 of the mean error, for each run.
    pub budgets: [[Vec<f64>; PROMPTS.len()]; 2],
    /// All of Gamma together as diagonals, on the most prompts, at paper scale.
    pub diagonals: Scores,
    /// Memformer heads in the order of Appendix D, with gates; with equal gates; and the best single one of them, with its best gate.
    pub row: Scores,
    /// With equal gates.
    pub row_even: Scores,
    /// The best single one with its best gate.
    pub row_single: Scores,
    /// log10 of the loss of a head on the mixture over that on its component, for each run: transformer, memformer.
    pub overfit: [Vec<f64>; 2],
    /// The same of memformer heads in the order of Appendix D, with a row of Gamma that is fitted on their component.
    pub overfit_row: Vec<f64>,
}

/// Everything that Figures 9 and 10 ask.
pub struct Mixed {
    /// By prompt, by token.
    pub readings: Vec<Reading>,
    /// log10 of the loss of heads on their own component, for each run: transformer, memformer.
    pub at_home: [Vec<f64>; 2],
    /// The same of memformer heads in the order of Appendix D, with a row of Gamma that is fitted on their component.
    pub at_home_row: Vec<f64>,
    /// For every prompt the largest relative change of an error when Gamma_j is moved into A_j, and when it is only set to 1.
    pub absorbed: [Vec<f64>; 2],
    /// For every prompt the relative difference of its error between [`Together`], before it is trained, and gates alone.
    pub untrained: Vec<f64>,
    /// For every number of A whether it changed, while Gamma was trained and when everything was free.
    pub moved: [Vec<bool>; 2],
}

/// Steps of Adam at test time, with the rate of each stretch.
fn adam(setting: &Setting) -> [(usize, f64); 3] {
    let steps: [usize; 3] = setting.scale().pick([20, 80, 200], [100, 900, 1000]);
    [(steps[0], 0.01), (steps[1], 0.003), (steps[2], 0.001)]
}

/// What Figures 9 and 10 ask, computed once for their checks.
pub fn mixed(setting: &Setting) -> Result<Arc<Mixed>, Failure> {
    setting.shared("figures 9 and 10", |own| {
        let reading = Reading {
            scores: vec![Scores::default(); MODELS.len()],
            layers: vec![Vec::new(); LAYERED],
            budgets: Default::default(),
            diagonals: Scores::default(),
            row: Scores::default(),
            row_even: Scores::default(),
            row_single: Scores::default(),
            overfit: Default::default(),
            overfit_row: Vec::new(),
        };
        let mut seen = Mixed {
            readings: vec![reading; READINGS.len()],
            at_home: Default::default(),
            at_home_row: Vec::new(),
            absorbed: Default::default(),
            untrained: Vec::new(),
            moved: Default::default(),
        };
        for (run, trained) in components(own)?.iter().enumerate() {
            seen.add(own, run, trained)?;
        }
        Ok(seen)
    })
}

/// One run on one reading: prompts to tune on and to test on, as statistics and packed.
struct Bench<'a> {
    trained: &'a Components,
    tune: Statistics,
    /// Prompts of the second component alone.
    narrow: Statistics,
    /// As many as [`PROMPTS`].
    budgets: Vec<Statistics>,
    fresh: Statistics,
    adapt: Batch,
    test: Batch,
}

impl Reading {
    fn see(&mut self, which: usize, model: &Parameters, test: &Batch) -> Result<(), Failure> {
        self.scores[which].test(model, test)?;
        if which < LAYERED {
            self.layers[which].push(by_layer(model, test)?);
        }
        Ok(())
    }
}

/// Terms of the answer, (B, L H): <x, alpha_h Gamma_j^h (A_j^h)^T H u_j> for each layer j and head h, where u_j is the error of the
/// examples' iterate. Layer l of a memformer adds the terms of all j <= l, that of a transformer those of l.
fn terms(model: &Gated, prompts: &Statistics) -> Result<Array2<f64>, Failure> {
    let memory = model.architecture().registers() != RegisterKind::None;
    let count = model.heads().len();
    let mut matrices = Vec::new();
    for j in 0..DEPTH {
        for (head, gate) in model.heads().iter().zip(model.gates()) {
            let gamma = if memory { head.registers()[j] } else { 1.0 };
            matrices.push(*gate * gamma * &head.a(j)?.t());
        }
    }
    let mut terms = Array2::zeros((prompts.batch(), DEPTH * count));
    for b in 0..prompts.batch() {
        let (h, query) = (prompts.gram().index_axis(Axis(0), b), prompts.query().row(b));
        let mut error: Array1<f64> = prompts.truth().row(b).to_owned();
        let mut kept: Array1<f64> = Array1::zeros(error.len());
        for j in 0..DEPTH {
            let gradient = h.dot(&error);
            let mut step: Array1<f64> = Array1::zeros(error.len());
            for k in 0..count {
                let of_head = matrices[j * count + k].dot(&gradient);
                terms[[b, j * count + k]] = query.dot(&of_head);
                step += &of_head;
            }
            kept = if memory { kept + &step } else { step };
            error -= &kept;
        }
    }
    Ok(terms)
}

/// How often the term of layer j has been added after l layers, for each of [`terms`].
fn counted(model: &Gated, terms: &Array2<f64>, l: usize) -> Array2<f64> {
    let count = model.heads().len();
    let memory = model.architecture().registers() != RegisterKind::None;
    let times = |j: usize| match (j < l, memory) {
        (true, true) => (l - j) as f64,
        (added, _) => f64::from(u8::from(added)),
    };
    Array2::from_shape_fn(terms.dim(), |(b, k)| times(k / count) * terms[[b, k]])
}

/// The query's own weights that are best on the given prompts.
fn best_at_query(model: &Gated, prompts: &Statistics) -> Result<Array1<f64>, Failure> {
    let tune = counted(model, &terms(model, prompts)?, DEPTH);
    Ok(least_squares(&tune, &prompts.answers())?.coefficients)
}

/// Squared errors after each layer on these prompts, with these weights at the query.
fn errors_at_query(model: &Gated, weights: &Array1<f64>, prompts: &Statistics) -> Result<Vec<Vec<f64>>, Failure> {
    let (terms, truth) = (terms(model, prompts)?, prompts.answers());
    let errors = |l: usize| (&truth - &counted(model, &terms, l).dot(weights)).mapv(|e| e * e).to_vec();
    Ok((0..=DEPTH).map(errors).collect())
}

/// Memformer heads in the order of Appendix D, A of the transformer heads and then a row of Gamma that is fitted on their own component, and
/// log10 of their loss there.
fn in_order(setting: &Setting, streams: &Streams, trained: &Components) -> Result<Vec<(Together, f64)>, Failure> {
    let mut heads = Vec::new();
    for (m, (head, law)) in trained.plain.iter().zip(trained.mixture.components()).enumerate() {
        let draw = |stream: &mut Stream, size: usize| -> Result<Statistics, Failure> {
            Ok(Prompts::draw(law, EXAMPLES, size, stream)?.statistics()?)
        };
        let tune = draw(&mut streams.replicate("tune on the own component", m)?, tuned(setting))?;
        let test = draw(&mut streams.restart_replicate("own", m)?, tested(setting))?;
        let head = Gated::summed(vec![untrained(head, tied())?])?;
        let fitted = Together::start(&head)?.fitted(&head, Freedom::Numbers, &tune)?;
        let own = log_mean(&fitted.errors(&test));
        heads.push((fitted, own));
    }
    Ok(heads)
}

/// Heads with their best gates on these prompts.
fn gates_fitted(heads: &[Parameters], prompts: &Batch) -> Result<Gated, Failure> {
    let model = Gated::uniform(heads.to_vec())?;
    let gates = best_layer_gates(&model, prompts, GateKind::Free)?.gates;
    Ok(model.with_gates(&gates)?)
}

impl Bench<'_> {
    fn fitted(&self, heads: &[Parameters]) -> Result<Gated, Failure> {
        gates_fitted(heads, &self.adapt)
    }

    /// The head that is best with its best gate, which it has.
    fn gated_single(&self, heads: &[Parameters]) -> Result<Parameters, Failure> {
        let gated = heads.iter().map(|head| Ok(self.fitted(std::slice::from_ref(head))?.merged()));
        let gated = gated.collect::<Result<Vec<_>, Failure>>()?;
        Ok(best_single(&gated, &self.adapt)?.clone())
    }

    /// All of Gamma of heads `base` trained together from `start` on each of [`PROMPTS`], numbers first and matrices from where they ended;
    /// on the most, and at paper scale, diagonals too.
    fn together(
        &self,
        diagonals_too: bool,
        base: &Gated,
        start: &Together,
        reading: &mut Reading,
    ) -> Result<(), Failure> {
        for (p, prompts) in self.budgets.iter().enumerate() {
            let most = p + 1 == PROMPTS.len();
            let numbers = start.fitted(base, Freedom::Numbers, prompts)?;
            let matrices = numbers.fitted(base, Freedom::Matrices, prompts)?;
            for (f, now) in [&numbers, &matrices].into_iter().enumerate() {
                let errors = now.errors(&self.fresh);
                reading.budgets[f][p].push(log_mean(&errors));
                if most {
                    reading.scores[[NUMBERS, MATRICES][f]].push(&errors);
                }
            }
            if most && diagonals_too {
                let diagonals = numbers.fitted(base, Freedom::Diagonals, prompts)?;
                reading.diagonals.push(&diagonals.errors(&self.fresh));
            }
        }
        let narrow = start.fitted(base, Freedom::Matrices, &self.narrow)?;
        reading.scores[NARROW].push(&narrow.errors(&self.fresh));
        Ok(())
    }

    /// The query's own weights, the best ones on the given prompts: squared errors after each layer on fresh prompts.
    fn query_weights(&self, model: &Gated, prompts: &Statistics) -> Result<Vec<Vec<f64>>, Failure> {
        errors_at_query(model, &best_at_query(model, prompts)?, &self.fresh)
    }
}

impl Mixed {
    fn add(&mut self, setting: &Setting, run: usize, trained: &Components) -> Result<(), Failure> {
        let streams = of_run(setting, "figure 9 run", run)?;
        let mut own = [0.0; 2];
        for (own, heads) in own.iter_mut().zip([&trained.plain, &trained.registers]) {
            *own = average(&at_home(setting, &streams, trained, heads)?);
        }
        let rows = in_order(setting, &streams, trained)?;
        let own_row = average(&rows.iter().map(|(_, own)| *own).collect::<Vec<f64>>());
        self.at_home_row.push(own_row);
        for (k, level) in READINGS.into_iter().enumerate() {
            let draw = |name: &str, size: usize| -> Result<Statistics, Failure> {
                let mut stream = streams.replicate(name, k)?;
                let drawn = trained.mixture.draw(EXAMPLES, size, level, &mut stream)?;
                Ok(drawn.prompts.statistics()?)
            };
            let (tune, fresh) = (draw("tune", tuned(setting))?, draw("test", tested(setting))?);
            let component = &trained.mixture.components()[1];
            let mut stream = streams.replicate("tune on one component", k)?;
            let narrow = Prompts::draw(component, EXAMPLES, tuned(setting), &mut stream)?.statistics()?;
            let budgets = (0..).zip(PROMPTS).map(|(b, size)| draw(&format!("budget {b}"), size));
            let bench = Bench {
                budgets: budgets.collect::<Result<_, _>>()?,
                adapt: Batch::new(&tune, Precision::Double)?,
                test: Batch::new(&fresh, Precision::Double)?,
                trained,
                narrow,
                tune,
                fresh,
            };
            self.gated(setting, &bench, k)?;
            for (i, heads) in [&trained.plain, &trained.registers].into_iter().enumerate() {
                let mut away = Vec::new();
                for head in heads {
                    away.push(score(head, &bench.test)?);
                }
                self.readings[k].overfit[i].push(average(&away) - own[i]);
            }
            let away: Vec<f64> = rows.iter().map(|(row, _)| log_mean(&row.errors(&bench.fresh))).collect();
            let heads: Vec<&Together> = rows.iter().map(|(row, _)| row).collect();
            let gated = Together::gated(&heads, &bench.tune)?;
            let base = trained.plain.iter().map(|head| untrained(head, tied())).collect::<Result<_, _>>()?;
            let diagonals_too = setting.scale().pick(false, true);
            bench.together(diagonals_too, &Gated::uniform(base)?, &gated, &mut self.readings[k])?;
            let single = heads.iter().map(|head| Together::gated(&[*head], &bench.tune));
            let single = single.collect::<Result<Vec<_>, _>>()?;
            let single = single.iter().min_by(|a, b| a.loss(&bench.tune).total_cmp(&b.loss(&bench.tune)));
            let reading = &mut self.readings[k];
            reading.row.push(&gated.errors(&bench.fresh));
            reading.row_even.push(&Together::even(&heads).errors(&bench.fresh));
            reading.row_single.push(&single.ok_or("no heads")?.errors(&bench.fresh));
            self.readings[k].overfit_row.push(average(&away) - own_row);
            self.absorb(&bench)?;
        }
        for (home, own) in self.at_home.iter_mut().zip(own) {
            home.push(own);
        }
        Ok(())
    }

    /// All models on one reading.
    fn gated(&mut self, setting: &Setting, bench: &Bench<'_>, k: usize) -> Result<(), Failure> {
        let heads = &bench.trained.registers;
        let (plain, gray) = (bench.fitted(&bench.trained.plain)?, bench.fitted(heads)?);
        let reading = &mut self.readings[k];
        reading.see(TRANSFORMER, &plain.merged(), &bench.test)?;
        reading.see(GRAY, &gray.merged(), &bench.test)?;
        let kinds = [RegisterWeight::Diagonal, RegisterWeight::Full];
        for (w, weight) in kinds.into_iter().enumerate() {
            let mut tuner = Tuner::new(gray.with_weights(weight)?, TunedParts::REGISTERS)?;
            for (steps, rate) in adam(setting) {
                tuner.run(&bench.adapt, steps, rate)?;
            }
            let merged = tuner.model().merged();
            reading.see(DIAGONAL + w, &merged, &bench.test)?;
            if weight == RegisterWeight::Full {
                let on_top = bench.query_weights(&Gated::summed(vec![merged])?, &bench.tune)?;
                reading.scores[BOTH].push(&on_top[DEPTH]);
            }
            self.moved[0].extend(moved(tuner.model().heads(), heads)?);
        }
        let by_layer = bench.query_weights(&gray, &bench.tune)?;
        reading.layers[QUERY].push(by_layer.iter().map(|errors| log_mean(errors)).collect());
        reading.scores[QUERY].push(&by_layer[DEPTH]);
        reading.scores[9].push(&bench.query_weights(&plain, &bench.tune)?[DEPTH]);
        let most = Batch::new(&bench.budgets[PROMPTS.len() - 1], Precision::Double)?;
        reading.see(RICH, &gates_fitted(&bench.trained.plain, &most)?.merged(), &bench.test)?;
        let (before, after) = (errors(&gray.merged(), &bench.test)?, Together::start(&gray)?.errors(&bench.fresh));
        self.untrained.extend(before.iter().zip(&after).map(|(a, b)| (a - b).abs() / (1.0 + a)));
        let mut common = heads.clone();
        for j in 0..DEPTH {
            let shared = average(&heads.iter().map(|h| h.registers()[j]).collect::<Vec<f64>>());
            for head in &mut common {
                head.registers_mut()[j] = shared;
            }
        }
        reading.see(COMMON, &bench.fitted(&common)?.merged(), &bench.test)?;
        reading.see(UNTUNED, &Gated::uniform(heads.clone())?.merged(), &bench.test)?;
        reading.scores[SINGLE].push(&errors(best_single(heads, &bench.adapt)?, &bench.test)?);
        reading.see(GATED_SINGLE, &bench.gated_single(heads)?, &bench.test)?;
        let other: Vec<f64> = gray.gates().iter().map(|g| -g).collect();
        reading.see(8, &gray.with_gates(&other)?.merged(), &bench.test)?;
        let mut free = Tuner::new(gray.with_weights(RegisterWeight::Diagonal)?, TunedParts::ALL)?;
        free.run(&bench.adapt, 3, 0.001)?;
        self.moved[1].extend(moved(free.model().heads(), heads)?);
        Ok(())
    }

    /// A tied scalar Gamma_j times A_j is one matrix.
    fn absorb(&mut self, bench: &Bench<'_>) -> Result<(), Failure> {
        let head = &bench.trained.registers[1];
        let mut unscaled = head.clone();
        unscaled.registers_mut().fill(1.0);
        let before = bench.test.losses(head)?;
        let moved = Gated::summed(vec![head.clone()])?.merged();
        for (changes, model) in self.absorbed.iter_mut().zip([&moved, &unscaled]) {
            changes.extend(relative_changes(&before, &bench.test.losses(model)?));
        }
        Ok(())
    }

    /// Error by layer of the models of both figures.
    pub fn figure(&self) -> Figure {
        let layers: Vec<f64> = (0..=DEPTH).map(|l| l as f64).collect();
        let mut figure = Figure::new("On the mixture the gated transformer is ahead of gated memformers").columns(2);
        for (title, reading) in ["components by prompt", "components by token"].iter().zip(&self.readings) {
            let mut panel = Panel::new(title).x_label("layers").y_label("log₁₀ error");
            for (m, name) in [(TRANSFORMER, MODELS[TRANSFORMER]), (GRAY, MODELS[GRAY])] {
                panel = panel.line(name, &layers, &over_runs(&reading.layers[m])).colour(m);
            }
            let judged = panel.points("memformer, A first and then Γ, gates", &[DEPTH as f64], &[reading.row.value()]);
            figure = figure.panel(judged.colour(FULL).legend_below());
        }
        figure.caption(
            "Fresh prompts, means over runs. Curves before the last layer need not fall: only the last layer is trained to answer. The judged \
             memformer is the point; the others with Γ trained inside stand in the table.",
        )
    }
}

/// log10 of the loss of each head on its own component.
fn at_home(
    setting: &Setting,
    streams: &Streams,
    trained: &Components,
    heads: &[Parameters],
) -> Result<Vec<f64>, Failure> {
    let mut own = Vec::new();
    for (m, (head, law)) in heads.iter().zip(trained.mixture.components()).enumerate() {
        let mut stream = streams.restart_replicate("own", m)?;
        let test = Batch::draw(law, EXAMPLES, tested(setting), Precision::Double, &mut stream)?;
        own.push(score(head, &test)?);
    }
    Ok(own)
}
