//! Theorem 4.1: soft gating.
//!
//! **Claim** (`memformer/thm-4-1`). Prompts come from M Gaussian components, x ~ N(mu_m, Sigma_m), w* ~ N(mu_m, Sigma_m^-1). If every
//! component m has a head h_m of near-optimal performance, there are scalar gates alpha_{m,h} with which sum_h alpha_{m,h} Head_h(Z_0) is
//! near-optimal on prompts of that component; alpha_{m,h_m} = 1 and zeros else give exactly the updates of h_m.
//!
//! Head_h is what head h gives alone (Appendix A.4), and gates carry the index m: the component is known. One-hot gates are compared with
//! the head in fractions, on outputs and on the layers of Section 4.2. Then heads trained on the components of the document's mixture: the
//! best gates of a component cannot be worse than its best head on the prompts that they are fitted to, and are tried on others. Two
//! neighbouring statements are run as twins. Soft gates on *layers* that share a state give a polynomial of the gates, not sum_h alpha_h
//! Head_h; and one set of gates for all components is not near-optimal on them.

use ndarray::{Array1, Array2};
use workbench_ground::stats::{Streams, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{
    Answers, Fraction, GateKind, Instance, Layer, Level, LinearTransformer, Number, Prompts, Statistics,
    best_in_context, best_output_gates, final_answers, fraction_matrix, gated_registers,
};

use super::exact::{part, whole};
use super::expert_heads::{Components, components};
use super::independent_runs::{BEHIND, EXPERTS, Scores, average, both_averages, entries, gate, of_run, tested, tuned};
use super::task_law::EXAMPLES;
use crate::vocabulary::{EXACT, largest_of, least_of};

const SOLVED: Margin = Margin::rounding(
    "least squares",
    1e-9,
    "what normal equations of three unknowns leave in double precision, with six digits to spare",
);

/// Ways to choose gates on the mixture.
const WAYS: [&str; 4] =
    ["one set for all prompts", "one-hot, by label", "least squares, by label", "one-hot, by in-context loss"];

/// Gates in fractions and on the mixture.
pub const CHECK: Check = Check {
    claim: "memformer/thm-4-1",
    metric: "entries that differ, in fractions; log10 of the mean squared error of gated outputs on prompts of a component",
    against: "one-hot gates that are not the head; a component on which no gates do as well as its head",
    protocol: &["a head for each component of the mixture of Section 4.2; gates for each component, which is known"],
    choices: &[
        "heads of Figure 10; gates of a component are fitted by least squares on its own prompts",
        "prompts in fractions have d = 2, n = 3, two heads and three layers",
    ],
    departures: &[EXPERTS],
    rivals: &[
        "the component's own head; one set of gates for all components; the head that fits the prompt's own examples best",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    in_fractions(s)?;
    let (mut gained, mut ways, mut found) = (Vec::new(), [(); 4].map(|()| Scores::default()), Vec::new());
    for (run, trained) in components(s)?.iter().enumerate() {
        let streams = of_run(s, "theorem run", run)?;
        let (gates, gain) = by_label(s, &streams, trained)?;
        gained.push(gain);
        found.push(on_mixture(s, &streams, trained, &gates, &mut ways)?);
    }
    let label = "fresh prompts: decades by which least squares beats the component's own head";
    s.printed(Margin::ZERO).of("runs").at_least(label, mean(&gained)?);
    let of = |way: usize| &ways[way].log_of_mean;
    let label = "mixture: decades by which the label is ahead of the head that fits the examples best";
    s.aside(BEHIND).of("runs").at_most(label, paired_difference(of(3), of(1))?);
    let label = "fresh prompts, one set of gates for all: decades by which they beat the component's own head";
    s.twin(Margin::ZERO).of("runs").at_least(label, paired_difference(of(1), of(0))?);
    s.note(format!(
        "without labels the head that fits the examples best is the component's own for {:.1} % of the prompts",
        100.0 * average(&found)
    ));
    let models: Vec<(&str, &Scores)> = WAYS.iter().copied().zip(&ways).collect();
    s.table(both_averages("Squared error on prompts of all components, by how gates are chosen", &models)?);
    Ok(())
}

/// Gates on the layers of two heads and on their outputs.
fn in_fractions(s: &Sheet) -> Done {
    let mut stream = s.stream("soft gates")?;
    let (d, n, layers) = (2, 3, 3);
    let ones: Vec<Vec<_>> = (0..layers).map(|l| vec![Array1::from_elem(n + 1, whole(1)); l + 1]).collect();
    for case in s.cases("prompts", 6, 18)? {
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
        let label = "one-hot gates on layers: entries that differ from the head alone, every layer, exact";
        entries(s.printed(EXACT), label, &in_layers(&hot)?, &alone[case % 2]);
        let label = "one-hot gates on outputs: entries that differ from the head alone, every layer, exact";
        entries(s.printed(EXACT), label, &of_outputs(&prompt.tokens, &alone, &hot), &alone[case % 2]);
        let half = [part(1, 2), part(1, 2)];
        let label = "gates (1/2, 1/2) on layers that share a state against those on outputs: prompts that differ";
        s.twin(EXACT).never(label, in_layers(&half)? != of_outputs(&prompt.tokens, &alone, &half));
    }
    let label = "two heads that are exact, gates (1/2, 1/2) on layers: error of the answer 3";
    s.twin(EXACT).same(label, counterexample([part(1, 2), part(1, 2)])?);
    let label = "the same two heads, one-hot gates: error of the answer 3";
    s.support(EXACT).same(label, counterexample([whole(1), whole(0)])?);
    Ok(())
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

fn answers(trained: &Components, prompts: &Statistics) -> Result<Vec<Answers>, Failure> {
    let heads = trained.registers.iter();
    Ok(heads.map(|h| Answers::of(h, prompts)).collect::<Result<_, _>>()?)
}

/// Gates by least squares for each component, and the mean over components of log10 loss of its own head minus that of these gates.
fn by_label(s: &Sheet, streams: &Streams, trained: &Components) -> Result<(Vec<Vec<f64>>, f64), Failure> {
    let (mut gates, mut gained) = (Vec::new(), Vec::new());
    for (m, law) in s.each("fits", trained.mixture.components().iter().enumerate()) {
        let draw = |name: &str, size: usize| -> Result<Vec<Answers>, Failure> {
            let mut stream = streams.replicate(name, m)?;
            answers(trained, &Prompts::draw(law, EXAMPLES, size, &mut stream)?.statistics()?)
        };
        let (tune, fresh) = (draw("tune", tuned(s))?, draw("test", tested(s))?);
        let fit = best_output_gates(&tune, GateKind::Free)?;
        let single = least_of(tune.iter().map(|a| average(&a.errors())));
        let label = "gates on outputs, least squares on their own prompts: loss over that of the best head, minus 1";
        // Least squares contain one-hot gates: a known answer.
        s.support(SOLVED).same(label, largest_of([fit.loss / single - 1.0, 0.0]));
        let outputs = final_answers(&fresh)?.dot(&Array1::from(fit.gates.clone()));
        let missed: Vec<f64> = outputs.iter().zip(&fresh[m].truth).map(|(a, t)| (a - t).powi(2)).collect();
        gained.push((average(&fresh[m].errors()) / average(&missed)).log10());
        gates.push(fit.gates);
    }
    Ok((gates, average(&gained)))
}

/// Errors of [`WAYS`] on prompts of all components; share of prompts whose component the in-context loss finds.
fn on_mixture(
    s: &Sheet,
    streams: &Streams,
    trained: &Components,
    by_label: &[Vec<f64>],
    ways: &mut [Scores; 4],
) -> Result<f64, Failure> {
    let draw = |name: &str, size: usize| -> Result<_, Failure> {
        Ok(trained.mixture.draw(EXAMPLES, size, Level::Prompt, &mut streams.stream(name)?)?)
    };
    let tune = answers(trained, &draw("tune all", tuned(s))?.prompts.statistics()?)?;
    let drawn = draw("test all", tested(s))?;
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
    for (way, scores) in ways.iter_mut().enumerate() {
        let missed = |b: usize| (outputs.row(b).dot(&Array1::from(of_way(way, b))) - fresh[0].truth[b]).powi(2);
        scores.push(&(0..chosen.len()).map(missed).collect::<Vec<f64>>());
    }
    let right = chosen.iter().zip(&drawn.targets).filter(|(a, b)| a == b).count();
    Ok(right as f64 / chosen.len() as f64)
}
