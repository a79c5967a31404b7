//! Theorem 4.1: soft gating.
//!
//! **Claim** (`memformer/thm-4-1`). Prompts come from M Gaussian components, x ~ N(mu_m, Sigma_m), w* ~ N(mu_m, Sigma_m^-1). If every
//! component m has a head h_m of near-optimal performance, there are scalar gates alpha_{m,h} with which sum_h alpha_{m,h} Head_h(Z_0) is
//! near-optimal on prompts of that component; alpha_{m,h_m} = 1 and zeros else give exactly the updates of h_m.
//!
//! Head_h is what head h gives alone (Appendix A.4), and gates carry the index m: the component is known. One-hot gates are compared with
//! the head in fractions, on outputs and on the layers of Section 4.2. Then heads trained on the components of the document's mixture:
//! the best gates of a component cannot be worse than its best head on the prompts that they are fitted to, and are tried on others.
//! Two neighbouring statements are run as twins. Soft gates on *layers* that share a state give a polynomial of the gates, not
//! sum_h alpha_h Head_h; and one set of gates for all components is not near-optimal on them.

use ndarray::{Array1, Array2};
use workbench_ground::stats::mean;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Answers, Fraction, GateKind, Instance, Layer, Level, LinearTransformer, Number, Prompts, Statistics,
    best_in_context, best_output_gates, final_answers, fraction_matrix, gated_registers,
};

use super::exact::{Tally, part, whole};
use super::section_3_3::EXAMPLES;
use super::section_4::{
    BEHIND, Scores, TRAINING, average, behind, both_averages, entries_off, gate, of_run, runs, tested, tuned,
};
use super::section_4_2::{Components, components};
use crate::vocabulary::{EXACT, Largest, by_scale, largest_of, least_of};

const SOLVED: Margin = Margin::new(
    "least squares",
    1e-9,
    "what normal equations of three unknowns leave in double precision, with six digits to spare",
);

/// Ways to choose gates on the mixture, in the order of [`Seen::ways`].
const WAYS: [&str; 4] =
    ["one set for all prompts", "one-hot, by label", "least squares, by label", "one-hot, by in-context loss"];

/// Gates in fractions and on the mixture.
#[derive(Clone, Debug, Default)]
pub struct SoftGates {
    /// Prompts in fractions; by scale if 0.
    pub prompts: usize,
}

#[derive(Default)]
struct Exact {
    layers: Tally,
    outputs: Tally,
    soft: Tally,
}

#[derive(Default)]
struct Seen {
    /// On its component, mean over components for each run: log10 loss of its own head minus that of least squares.
    softer: Vec<f64>,
    /// Loss of least squares over that of the best head, minus 1, on the prompts that gates are fitted to; the largest.
    worst: Largest,
    ways: [Scores; 4],
    /// Share of prompts whose component the in-context loss finds.
    found: Vec<f64>,
}

/// sum_h alpha_h Head_h after each layer, for heads that run alone: Z_0 and the sum of their weighted updates.
fn of_outputs(
    tokens: &Array2<Fraction>,
    alone: &[Vec<Array2<Fraction>>],
    gates: &[Fraction; 2],
) -> Vec<Array2<Fraction>> {
    let moved = |h: usize, l: usize, at: (usize, usize)| gates[h].times(&alone[h][l][at].minus(&tokens[at]));
    let state =
        |l: usize| Array2::from_shape_fn(tokens.dim(), |at| tokens[at].plus(&moved(0, l, at)).plus(&moved(1, l, at)));
    (0..alone[0].len()).map(state).collect()
}

/// Two heads of two layers, exact for x = 1 and w* = 3, with these gates in their layers: error of the answer.
fn counterexample(gates: [Fraction; 2]) -> Result<f64, Failure> {
    let prompt = Instance::new(Array2::from_elem((1, 2), whole(1)), Array1::from_elem(1, whole(3)))?;
    let head = |first: i64, second: i64| -> Result<_, Failure> {
        let layer = |a: i64| Layer::restricted(&Array2::from_elem((1, 1), whole(a)));
        let row = |c: i64| Array1::from_elem(2, whole(c));
        let rows = [vec![row(1)], vec![row(0), row(1)]];
        Ok(LinearTransformer::with_rows(vec![layer(first)?, layer(second)?], &rows)?)
    };
    let gates = gates.map(|g| gate(1, &g));
    let model = gated_registers(&[head(1, 10)?, head(10, 1)?], &gates)?;
    Ok((model.predict(&prompt.tokens)?.to_f64() - 3.0).abs())
}

impl SoftGates {
    fn exact(&self, setting: &Setting) -> Result<Exact, Failure> {
        let mut stream = setting.stream("soft gates")?;
        let mut seen = Exact::default();
        let (d, n, layers) = (2, 3, 3);
        let ones: Vec<Vec<_>> = (0..layers).map(|l| vec![Array1::from_elem(n + 1, whole(1)); l + 1]).collect();
        for case in 0..by_scale(self.prompts, setting.scale().pick(6, 18)) {
            let prompt = Instance::draw(&mut stream, d, n)?;
            let (mut set, mut alone) = (Vec::new(), Vec::new());
            for _ in 0..2 {
                let layer = |_| Ok(Layer::restricted(&fraction_matrix(&mut stream, d, d))?);
                let layers = (0..layers).map(layer).collect::<Result<Vec<_>, Failure>>()?;
                let head = LinearTransformer::with_rows(layers, &ones)?;
                alone.push(head.forward(&prompt.tokens)?);
                set.push(head);
            }
            let in_layers = |gates: &[Fraction; 2]| -> Result<_, Failure> {
                let gates = gates.clone().map(|g| gate(d, &g));
                Ok(gated_registers(&set, &gates)?.forward(&prompt.tokens)?)
            };
            let mut hot = [whole(0), whole(0)];
            hot[case % 2] = whole(1);
            let join = |tally: &mut Tally, other: Tally| tally.add(other.off, other.of);
            join(&mut seen.layers, entries_off(&in_layers(&hot)?, &alone[case % 2]));
            let outputs = of_outputs(&prompt.tokens, &alone, &hot);
            join(&mut seen.outputs, entries_off(&outputs, &alone[case % 2]));
            let half = [part(1, 2), part(1, 2)];
            let outputs = of_outputs(&prompt.tokens, &alone, &half);
            seen.soft.see(entries_off(&in_layers(&half)?, &outputs).off > 0);
        }
        Ok(seen)
    }
}

fn answers(trained: &Components, prompts: &Statistics) -> Result<Vec<Answers>, Failure> {
    let heads = trained.registers.iter();
    Ok(heads.map(|h| Answers::of(h, prompts)).collect::<Result<_, _>>()?)
}

impl Seen {
    fn of(setting: &Setting) -> Result<Seen, Failure> {
        let mut seen = Seen::default();
        for (run, trained) in components(setting)?.iter().enumerate() {
            seen.add(setting, run, trained)?;
        }
        Ok(seen)
    }

    fn add(&mut self, setting: &Setting, run: usize, trained: &Components) -> Result<(), Failure> {
        let streams = of_run(setting, "theorem run", run)?;
        let (mut by_label, mut gained) = (Vec::new(), Vec::new());
        for (m, law) in trained.mixture.components().iter().enumerate() {
            let draw = |name: &str, size: usize| -> Result<Vec<Answers>, Failure> {
                let mut stream = streams.replicate(name, m)?;
                answers(trained, &Prompts::draw(law, EXAMPLES, size, &mut stream)?.statistics()?)
            };
            let (tune, fresh) = (draw("tune", tuned(setting))?, draw("test", tested(setting))?);
            let fit = best_output_gates(&tune, GateKind::Free)?;
            let outputs = final_answers(&fresh)?.dot(&Array1::from(fit.gates.clone()));
            let missed: Vec<f64> = outputs.iter().zip(&fresh[m].truth).map(|(a, t)| (a - t).powi(2)).collect();
            gained.push((average(&fresh[m].errors()) / average(&missed)).log10());
            let single = least_of(tune.iter().map(|a| average(&a.errors())));
            self.worst.see(fit.loss / single - 1.0);
            by_label.push(fit.gates);
        }
        self.softer.push(average(&gained));
        let draw = |name: &str, size: usize| -> Result<_, Failure> {
            let mut stream = streams.stream(name)?;
            Ok(trained.mixture.draw(EXAMPLES, size, Level::Prompt, &mut stream)?)
        };
        let tune = answers(trained, &draw("tune all", tuned(setting))?.prompts.statistics()?)?;
        let drawn = draw("test all", tested(setting))?;
        let fresh = answers(trained, &drawn.prompts.statistics()?)?;
        let one = best_output_gates(&tune, GateKind::Free)?.gates;
        let (outputs, chosen) = (final_answers(&fresh)?, best_in_context(&fresh)?);
        let hot = |h: usize| (0..3).map(|i| f64::from(u8::from(i == h))).collect::<Vec<f64>>();
        let of_way = |way: usize, b: usize| match way {
            0 => one.clone(),
            1 => hot(drawn.targets[b]),
            2 => by_label[drawn.targets[b]].clone(),
            _ => hot(chosen[b]),
        };
        for (way, scores) in self.ways.iter_mut().enumerate() {
            let missed = |b: usize| (outputs.row(b).dot(&Array1::from(of_way(way, b))) - fresh[0].truth[b]).powi(2);
            scores.push(&(0..chosen.len()).map(missed).collect::<Vec<f64>>());
        }
        let right = chosen.iter().zip(&drawn.targets).filter(|(a, b)| a == b).count();
        self.found.push(right as f64 / chosen.len() as f64);
        Ok(())
    }
}

impl TypedCheck for SoftGates {
    const CLAIM: &'static str = "memformer/thm-4-1";
    const PLAN: Plan = Plan::new(
        "entries that differ, in fractions; log10 of the mean squared error of gated outputs on prompts of a component",
        "one-hot gates that are not the head; a component on which no gates do as well as its head",
        &[EXACT, SOLVED, BEHIND],
    )
    .protocol(&["heads of Figure 10, trained alone on the components; gates fitted on prompts of their own"])
    .departures(&["prompts in fractions have d = 2, n = 3, two heads and three layers", TRAINING])
    .rivals(&["the component's own head; one set of gates for all components; the head that fits the prompt's own examples best"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (exact, seen) = (self.exact(setting)?, Seen::of(setting)?);
        let of = |way: usize| &seen.ways[way].log_of_mean;
        let evidence =
            Evidence::of(exact.layers.none(
                "one-hot gates on layers: entries that differ from the head alone, every layer, exact",
                "entries",
            ))
            .and(exact.outputs.none(
                "one-hot gates on outputs: entries that differ from the head alone, every layer, exact",
                "entries",
            ))
            .and(
                Finding::identity(
                    "gates on outputs, least squares on their own prompts: loss over that of the best head, minus 1",
                    largest_of([seen.worst.0, 0.0]),
                    SOLVED,
                )
                .cases(3 * runs(setting))
                .unit("fits"),
            )
            .and(
                Finding::at_least(
                    "fresh prompts: decades by which least squares beats the component's own head",
                    0.0,
                    mean(&seen.softer)?,
                )
                .unit("runs"),
            )
            .and(behind(
                "mixture: decades by which the label is ahead of the head that fits the examples best",
                BEHIND,
                of(3),
                of(1),
            )?)
            .twin(behind(
                "mixture: decades by which one-hot by label is ahead of one set of gates for all",
                BEHIND,
                of(0),
                of(1),
            )?)
            .twin(exact.soft.none(
                "gates (1/2, 1/2) on layers that share a state against those on outputs: prompts that differ",
                "prompts",
            ))
            .twin(Finding::identity(
                "two heads that are exact, gates (1/2, 1/2) on layers: error of the answer 3",
                counterexample([part(1, 2), part(1, 2)])?,
                EXACT,
            ))
            .support(Finding::identity(
                "the same two heads, one-hot gates: error of the answer 3",
                counterexample([whole(1), whole(0)])?,
                EXACT,
            ))
            .note(format!(
                "without labels the head that fits the examples best is the component's own for {:.1} % of the prompts",
                100.0 * average(&seen.found)
            ));
        let models: Vec<(&str, &Scores)> = WAYS.iter().copied().zip(&seen.ways).collect();
        let table = both_averages("Squared error on prompts of all components, by how gates are chosen", &models)?;
        Ok(Checked::from(evidence).table(table))
    }
}
