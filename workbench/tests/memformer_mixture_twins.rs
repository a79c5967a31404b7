//! Wrong twins of the checks in `notebooks/memformer-out-of-distribution.ipynb`: each check is run against the printed misprint, or
//! against a statement that is known to be wrong, and must say so.

use workbench::ledger::{Finding, Outcome};
use workbench::memformer::{
    Answers, Architecture, Batch, Fraction, GateKind, Gated, GaussianMixture, Instance, Layer, Level, Moves, Number,
    Parameters, Part, Phase, Precision, Prompts, Protocol, RegisterKind, RegisterWeight, Registers, TaskLaw, Tuner,
    best_in_context, best_layer_gates, best_output_gates, final_answers, fraction_matrix, fraction_vector,
    gated_registers, output, train_experts, train_heads, train_on_mixture, update_rank,
};
use workbench::ndarray::{Array1, Array2, array};
use workbench::stats::{Estimate, Stream, Streams, paired_difference};
use workbench::work::Unwatched;

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn stream(name: &str) -> Stream {
    Streams::new(8).stream(name).expect("fresh name")
}

fn vanishes(error: f64, tolerance: f64) -> Outcome {
    let finding = Finding::identity("difference", error, tolerance);
    finding.outcome().expect("finite numbers have an outcome")
}

/// The right form passes and every listed wrong one is refused.
fn separates(right: f64, tolerance: f64, wrong: &[f64]) {
    assert_eq!(vanishes(right, tolerance), Outcome::Supports, "{right}");
    for &twin in wrong {
        assert_eq!(vanishes(twin, tolerance), Outcome::Contradicts, "{twin}");
    }
}

fn positive(gain: Estimate) -> Outcome {
    let finding = Finding::at_least("gain", 0.0, gain);
    finding.outcome().expect("finite numbers have an outcome")
}

fn whole(i: i64) -> Fraction {
    Fraction::whole(i)
}

fn half() -> Fraction {
    whole(1).over(&whole(2)).expect("not zero")
}

fn strangers(a: &[Array2<Fraction>], b: &[Array2<Fraction>]) -> f64 {
    let differ = |(a, b): (&Array2<Fraction>, &Array2<Fraction>)| a.iter().zip(b).filter(|(x, y)| x != y).count();
    a.iter().zip(b).map(differ).sum::<usize>() as f64
}

fn tied() -> RegisterKind {
    RegisterKind::Separate {
        weight: RegisterWeight::Scalar,
        tied: true,
    }
}

fn shape() -> Architecture {
    Architecture::new(3, 2).expect("positive").with_registers(tied())
}

fn school(steps: u64) -> Protocol {
    Protocol::document().with_batch(300).with_phases(vec![
        Phase::new(&[Part::Preconditioners], steps, 0.03).halving_every(steps / 4),
        Phase::new(&[Part::Registers], steps / 3, 0.01).halving_every(steps / 6),
    ])
}

fn base() -> Result<TaskLaw, Box<dyn std::error::Error>> {
    Ok(TaskLaw::new(array![[1.0, 0.2], [0.2, 0.5]])?)
}

fn batch(law: &TaskLaw, size: usize, name: &str) -> Result<Batch, Box<dyn std::error::Error>> {
    Ok(Batch::draw(law, 12, size, Precision::Double, &mut stream(name))?)
}

/// Rows of weights one, for exact experts of `depth` layers.
fn ones(depth: usize, n: usize) -> Vec<Vec<Array1<Fraction>>> {
    (0..depth)
        .map(|l| vec![Array1::from_elem(n + 1, whole(1)); l + 1])
        .collect()
}

#[test]
fn heads_in_one_register_add_up_and_do_not_average() -> Outcomes {
    let mut stream = stream("register");
    let (d, n) = (2, 3);
    let prompt = Instance::draw(&mut stream, d, n)?;
    let a: Vec<Array2<Fraction>> = (0..2).map(|_| fraction_matrix(&mut stream, d, d)).collect();
    let gamma = || vec![vec![vec![Array2::from_elem((d + 1, n + 1), whole(1)); 2]]];
    let heads = Registers {
        layers: vec![a.iter().map(Layer::restricted).collect::<Result<_, _>>()?],
        gamma: gamma(),
    };
    let states = heads.run(&prompt.tokens)?.states;
    let one = |weight: Fraction| -> Result<f64, Box<dyn std::error::Error>> {
        let sum = Array2::from_shape_fn((d, d), |at| weight.times(&a[0][at].plus(&a[1][at])));
        let single = Registers::with_rows(vec![Layer::restricted(&sum)?], &ones(1, n))?;
        Ok(strangers(&states, &single.run(&prompt.tokens)?.states))
    };
    separates(one(whole(1))?, 0.0, &[one(half())?, one(whole(2))?]);
    // The rank sees heads that add something, and only those.
    let z = fraction_vector(&mut stream, d + 1);
    let blocks: Vec<Layer<Fraction>> = a
        .iter()
        .map(|a| Layer::with_block(a, &fraction_matrix(&mut stream, d, d)))
        .collect::<Result<_, _>>()?;
    let extra = |heads: &[Layer<Fraction>]| update_rank(heads, &z).map(|r| r as f64 - 1.0);
    separates(extra(&heads.layers[0])?, 0.0, &[extra(&blocks)?]);
    Ok(())
}

#[test]
fn five_heads_are_one_head_at_five_times_the_rate_and_no_other() -> Outcomes {
    let law = base()?;
    let mut start = stream("start");
    let heads = (0..5)
        .map(|_| Parameters::random(shape(), 1e-3, &mut start))
        .collect::<Result<Vec<_>, _>>()?;
    let one = Gated::summed(heads.clone())?.merged();
    let curve = |heads: Vec<Parameters>, rate: f64| -> Result<Vec<f64>, Box<dyn std::error::Error>> {
        let mut protocol =
            Protocol::document()
                .with_batch(200)
                .with_phases(vec![Phase::new(&[Part::Preconditioners], 400, rate)]);
        protocol.precision = Precision::Double;
        let (_, fresh) = train_heads(
            heads,
            &law,
            &protocol,
            &mut Streams::new(8).stream("run")?,
            &mut Unwatched,
        )?;
        Ok(fresh.iter().map(|f| f.loss).collect())
    };
    let many = curve(heads, 0.002)?;
    let gap = |rate: f64| -> Result<f64, Box<dyn std::error::Error>> {
        let single = curve(vec![one.clone()], rate)?;
        Ok(many
            .iter()
            .zip(&single)
            .map(|(a, b)| (a / b - 1.0).abs())
            .fold(0.0, f64::max))
    };
    separates(gap(0.01)?, 1e-6, &[gap(0.002)?, gap(0.002 * 5f64.sqrt())?]);
    Ok(())
}

#[test]
fn one_hot_gates_are_the_expert() -> Outcomes {
    let mut stream = stream("one-hot");
    let (d, n) = (2, 3);
    let prompt = Instance::draw(&mut stream, d, n)?;
    let experts: Vec<Registers<Fraction>> = (0..2)
        .map(|_| {
            let layers = (0..2).map(|_| Layer::restricted(&fraction_matrix(&mut stream, d, d)));
            Registers::with_rows(layers.collect::<Result<_, _>>()?, &ones(2, n))
        })
        .collect::<Result<_, _>>()?;
    let alone = experts[0].run(&prompt.tokens)?.states;
    let differ = |first: Fraction, second: Fraction| -> Result<f64, Box<dyn std::error::Error>> {
        let gates = [first, second].map(|g| Array1::from_elem(d + 1, g));
        Ok(strangers(
            &alone,
            &gated_registers(&experts, &gates)?.run(&prompt.tokens)?.states,
        ))
    };
    separates(
        differ(whole(1), whole(0))?,
        0.0,
        &[
            differ(whole(0), whole(1))?,
            differ(half(), half())?,
            differ(half(), whole(0))?,
        ],
    );
    Ok(())
}

#[test]
fn learned_gates_reach_the_best_ones_and_leave_the_heads_alone() -> Outcomes {
    let law = base()?;
    let heads = train_experts(
        shape(),
        &[law.clone(), law.scaled(3.0)?],
        &school(600),
        &mut stream("experts"),
    )?;
    let test = batch(&law.scaled(2.0)?, 500, "gates")?;
    let uniform = Gated::uniform(heads.clone())?;
    let best = best_layer_gates(&uniform, &test, GateKind::Free)?;
    let mut tuner = Tuner::new(uniform.clone(), Moves::GATES)?;
    let losses = tuner.run(&test, 1500, 0.01, &mut Unwatched)?;
    let over = |loss: f64| (loss / best.loss - 1.0).max(0.0);
    separates(
        over(test.loss(&tuner.model().merged())?),
        1e-3,
        &[over(losses[0]), over(test.loss(&heads[0])?)],
    );
    let moved = |moves: Moves| -> Result<f64, Box<dyn std::error::Error>> {
        let mut tuner = Tuner::new(uniform.clone(), moves)?;
        tuner.run(&test, 3, 0.01, &mut Unwatched)?;
        let pairs = tuner.model().heads().iter().zip(&heads);
        let differ = pairs.map(|(a, b)| a.values().iter().zip(b.values()).filter(|(a, b)| a != b).count());
        Ok(differ.sum::<usize>() as f64)
    };
    separates(
        moved(Moves::GATES)?,
        0.0,
        &[moved(Moves::REGISTERS)?, moved(Moves::ALL)?],
    );
    Ok(())
}

#[test]
fn the_law_of_scale_and_what_convex_gates_cannot_do() -> Outcomes {
    let law = base()?;
    let v = 3.5;
    let prompts = Prompts::draw(&law.scaled(v)?, 12, 400, &mut stream("scale"))?.statistics()?;
    let expert = &train_experts(shape(), std::slice::from_ref(&law), &school(600), &mut stream("one"))?[0];
    let there = Batch::new(&prompts, Precision::Double)?.losses(expert)?;
    let gap = |factor: f64| -> Result<f64, Box<dyn std::error::Error>> {
        let back = workbench::memformer::Statistics::from_parts(
            prompts.gram() / v,
            prompts.query() / v.sqrt(),
            prompts.truth() * v.sqrt(),
        )?;
        let model = Gated::new(vec![expert.clone()], vec![factor])?.merged();
        let here = Batch::new(&back, Precision::Double)?.losses(&model)?;
        Ok(here
            .iter()
            .zip(&there)
            .map(|(a, b)| (a - b).abs() / (1.0 + b.abs()))
            .fold(0.0, f64::max))
    };
    separates(gap(v)?, 1e-9, &[gap(1.0 / v)?, gap(v.sqrt())?, gap(1.0)?]);

    // Fig. 8's check: gates against the model trained there, with room for short runs. Free gates pass, convex ones do not.
    let laws = [law.clone(), law.scaled(2.0)?, law.scaled(3.0)?];
    let unseen = law.scaled(0.5)?;
    let (mut free, mut convex, mut oracle) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..12u64 {
        let mut own = Streams::new(run).stream("run")?;
        let model = Gated::uniform(train_experts(shape(), &laws, &school(2400), &mut own)?)?;
        let trained = train_experts(shape(), std::slice::from_ref(&unseen), &school(2400), &mut own)?;
        let tune = Batch::draw(&unseen, 12, 500, Precision::Double, &mut own)?;
        let test = Batch::draw(&unseen, 12, 4000, Precision::Double, &mut own)?;
        let with = |kind| -> Result<f64, Box<dyn std::error::Error>> {
            let gates = best_layer_gates(&model, &tune, kind)?.gates;
            Ok(test.loss(&model.with_gates(&gates)?.merged())?.log10())
        };
        free.push(with(GateKind::Free)?);
        convex.push(with(GateKind::Convex)?);
        oracle.push(test.loss(&trained[0])?.log10());
    }
    let behind = |list: &[f64]| -> Result<Outcome, Box<dyn std::error::Error>> {
        Ok(Finding::at_most("behind", 0.15, paired_difference(list, &oracle)?).outcome()?)
    };
    assert_eq!(behind(&free)?, Outcome::Supports);
    assert_eq!(behind(&convex)?, Outcome::Contradicts);
    // Few experts: the same gain with one.
    assert_eq!(positive(paired_difference(&convex, &free)?), Outcome::Supports);
    assert_eq!(positive(paired_difference(&free, &convex)?), Outcome::Contradicts);
    Ok(())
}

#[test]
fn theorem_4_1_and_footnote_2() -> Outcomes {
    // Two exact heads, (1, 10) and (10, 1), and their mean in the layers.
    let prompt = Instance::new(Array2::from_elem((1, 2), whole(1)), Array1::from_elem(1, whole(3)))?;
    let head = |first: i64, second: i64| {
        let layer = |a: i64| Layer::restricted(&Array2::from_elem((1, 1), whole(a)));
        let row = |c: i64| Array1::from_elem(2, whole(c));
        Registers::with_rows(
            vec![layer(first)?, layer(second)?],
            &[vec![row(1)], vec![row(0), row(1)]],
        )
    };
    let heads = [head(1, 10)?, head(10, 1)?];
    let miss = |gates: [Fraction; 2]| -> Result<f64, Box<dyn std::error::Error>> {
        let gates = gates.map(|g| Array1::from_elem(2, g));
        let states = gated_registers(&heads, &gates)?.run(&prompt.tokens)?.states;
        Ok((output(&states)?.to_f64() - 3.0).abs())
    };
    separates(
        miss([whole(1), whole(0)])?,
        0.0,
        &[miss([half(), half()])?, miss([whole(2), whole(-1)])?],
    );
    // Of outputs every affine combination of exact heads is exact; the quarter of the layers is not.
    assert!((miss([half(), half()])? - 60.75).abs() < 1e-12);

    // The hull: gates of sum one leave it unless they are not negative.
    let outside = |gates: [f64; 2]| {
        let y = gates[0] * 1.0 + gates[1] * 2.0;
        (1.0 - y).max(y - 2.0).max(0.0)
    };
    separates(outside([0.3, 0.7]), 0.0, &[outside([2.0, -1.0]), outside([-0.5, 1.5])]);
    // AdamW, rewritten, needs the step divided by lambda.
    let (theta, direction, eta, lambda) = (0.7f64, -0.4f64, 0.01f64, 0.1f64);
    let printed = theta - eta * (direction + lambda * theta);
    let form = |step: f64| (printed - ((1.0 - eta * lambda) * theta + eta * lambda * step)).abs();
    separates(
        form(-direction / lambda),
        1e-15,
        &[form(-direction), form(direction / lambda), form(-eta * direction)],
    );
    Ok(())
}

#[test]
fn mixtures_have_their_moments_and_components_have_to_be_known() -> Outcomes {
    let mixture = GaussianMixture::document(&base()?)?;
    let printed = 1.4 * base()?.covariance() + Array2::from_elem((2, 2), 1.75);
    let gap = |wanted: &Array2<f64>| {
        (mixture.covariance() - wanted)
            .iter()
            .fold(0.0f64, |m, v| m.max(v.abs()))
    };
    separates(
        gap(&printed),
        1e-12,
        &[gap(&(1.4 * base()?.covariance())), gap(&(1.75 * base()?.covariance()))],
    );

    let plain = Architecture::new(3, 2)?;
    let protocol = Protocol::document().with_batch(300).with_phases(vec![
        Phase::new(&[Part::Preconditioners], 1500, 0.03).halving_every(300),
    ]);
    let (mut one, mut label, mut guess) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..6u64 {
        let mut own = Streams::new(run).stream("run")?;
        let heads = train_experts(plain, mixture.components(), &protocol, &mut own)?;
        let answers = |drawn: &Prompts| -> Result<Vec<Answers>, Box<dyn std::error::Error>> {
            let statistics = drawn.statistics()?;
            Ok(heads
                .iter()
                .map(|h| Answers::of(h, &statistics))
                .collect::<Result<_, _>>()?)
        };
        let tune = answers(&mixture.draw(20, 1000, Level::Prompt, &mut own)?.prompts)?;
        let gates = Array1::from(best_output_gates(&tune, GateKind::Free)?.gates);
        let drawn = mixture.draw(20, 2000, Level::Prompt, &mut own)?;
        let fresh = answers(&drawn.prompts)?;
        let (outputs, truth, chosen) = (final_answers(&fresh)?, &fresh[0].truth, best_in_context(&fresh)?);
        let log_mean = |miss: Vec<f64>| (miss.iter().map(|m| m * m).sum::<f64>() / miss.len() as f64).log10();
        one.push(log_mean((truth - &outputs.dot(&gates)).to_vec()));
        let picked = |list: &[usize]| log_mean((0..2000).map(|b| truth[b] - outputs[[b, list[b]]]).collect());
        label.push(picked(&drawn.targets));
        guess.push(picked(&chosen));
    }
    assert_eq!(positive(paired_difference(&one, &label)?), Outcome::Supports);
    assert_eq!(positive(paired_difference(&label, &one)?), Outcome::Contradicts);
    assert_eq!(positive(paired_difference(&one, &guess)?), Outcome::Supports);
    Ok(())
}

#[test]
fn adaptation_gains_and_what_is_frozen_stays() -> Outcomes {
    let law = base()?;
    let shifted = law.scaled(3.0)?;
    let (mut before, mut after, mut worse) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..6u64 {
        let mut own = Streams::new(run).stream("run")?;
        let heads = train_experts(shape(), std::slice::from_ref(&law), &school(600), &mut own)?;
        let model = Gated::summed(heads)?;
        let tune = Batch::draw(&shifted, 12, 100, Precision::Double, &mut own)?;
        let test = Batch::draw(&shifted, 12, 2000, Precision::Double, &mut own)?;
        let mut tuner = Tuner::new(model.with_weights(RegisterWeight::Diagonal)?, Moves::REGISTERS)?;
        tuner.run(&tune, 300, 0.01, &mut Unwatched)?;
        before.push(test.loss(&model.merged())?.log10());
        after.push(test.loss(&tuner.model().merged())?.log10());
        // The wrong way: gates multiplied with the variance in place of divided by it.
        worse.push(test.loss(&model.with_gates(&[3.0])?.merged())?.log10());
        let entries = Part::Preconditioners;
        let same = |a: &Parameters, b: &Parameters| {
            a.values()[a.architecture().range(entries)] == b.values()[b.architecture().range(entries)]
        };
        assert!(same(&tuner.model().heads()[0], &model.heads()[0]));
    }
    assert_eq!(positive(paired_difference(&before, &after)?), Outcome::Supports);
    assert_eq!(positive(paired_difference(&before, &worse)?), Outcome::Contradicts);
    Ok(())
}

#[test]
fn a_pooled_model_is_no_expert() -> Outcomes {
    let law = base()?;
    let (mut pooled, mut own_law) = (Vec::new(), Vec::new());
    let mixture = GaussianMixture::pooled(&law, &[0.1, 10.0])?;
    for run in 0..12u64 {
        let mut own = Streams::new(run).stream("run")?;
        let both = train_on_mixture(shape(), &mixture, Level::Prompt, &school(900), &mut own)?;
        let expert = train_experts(shape(), std::slice::from_ref(&law), &school(900), &mut own)?;
        let test = Batch::draw(&law, 12, 2000, Precision::Double, &mut own)?;
        pooled.push(test.loss(&both)?.log10());
        own_law.push(test.loss(&expert[0])?.log10());
    }
    assert_eq!(positive(paired_difference(&pooled, &own_law)?), Outcome::Supports);
    assert_eq!(positive(paired_difference(&own_law, &pooled)?), Outcome::Contradicts);
    Ok(())
}
