//! Wrong twins of the checks in `notebooks/heavy-tailed-learned-embeddings.ipynb`: each check is run against a misprint or a statement
//! that is known to be wrong, and must say so.

use workbench::ledger::{Finding, Outcome};
use workbench::memory::{
    ConditionalDraws, Embeddings, ErrorCurve, Freedom, LearnedTraining, MemoryStart, OutputSharing, Profile, Readout,
    Rule, Similarity, Target, Trains, Zipf, best_trained_error, identity_margins, recall_of_all, sectors,
    threshold_errors,
};
use workbench::ndarray::{Array2, array};
use workbench::stats::{Estimate, Stream, Streams, mean, paired_difference};

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn outcome(finding: Finding) -> Outcome {
    finding.outcome().expect("a finding with finite numbers has an outcome")
}

fn stream(name: &str) -> Stream {
    Streams::new(7).stream(name).expect("fresh name")
}

/// A difference that must be negative: the claim supports, its twin with the sign exchanged contradicts.
fn lower(difference: Estimate) {
    let exchanged = difference.affine(-1.0, 0.0).expect("a finite interval");
    assert_eq!(
        outcome(Finding::at_most("difference", 0.0, difference)),
        Outcome::Supports,
        "{difference:?}"
    );
    assert_eq!(
        outcome(Finding::at_most("exchanged", 0.0, exchanged)),
        Outcome::Contradicts
    );
}

/// The right value supports, every listed wrong one contradicts.
fn separates(measured: Estimate, right: f64, tolerance: f64, wrong: &[f64]) {
    let says = |value| outcome(Finding::equals("value", value, tolerance, measured));
    assert_eq!(says(right), Outcome::Supports, "{measured:?} {right}");
    for &twin in wrong {
        assert_eq!(says(twin), Outcome::Contradicts, "{measured:?} {twin}");
    }
}

#[test]
fn capacity_with_shared_and_own_outputs() -> Outcomes {
    let streams = Streams::new(5);
    let mut boot = stream("bootstrap");
    let mut capacity =
        |sharing: OutputSharing, d: usize, sizes: &[usize]| -> Result<Estimate, Box<dyn std::error::Error>> {
            let name = format!("{sharing:?}");
            let curve: ErrorCurve = recall_of_all(Similarity::Linear, sharing, d, sizes, 100, &streams, &name)?;
            Ok(curve.crossing(0.5, &mut boot)?)
        };
    let small = [4, 6, 8, 10, 13, 17, 22, 28, 36];
    let large = [40, 50, 60, 75, 90, 110, 140, 180];
    let five = OutputSharing::Classes(5);
    let (a, b) = (
        capacity(five, 16, &small)?,
        capacity(five, 64, &[14, 18, 22, 26, 30, 36, 44])?,
    );
    let (c, e) = (
        capacity(OutputSharing::Own, 16, &small)?,
        capacity(OutputSharing::Own, 64, &large)?,
    );
    let slope = |x: Estimate, y: Estimate| (y.value * y.value.ln() / (x.value * x.value.ln())).ln() / 4f64.ln();
    separates(Estimate::exact(slope(a, b)), 1.0, 0.25, &[2.0, 0.5]);
    separates(Estimate::exact(slope(c, e)), 2.0, 0.3, &[1.0, 3.0]);
    Ok(())
}

#[test]
fn tipping_numbers_and_misprinted_n() -> Outcomes {
    // Expected number of inputs lost by equal weights: at fixed d/N a constant share, so d must outgrow N for none.
    let draws = ConditionalDraws::new(5, 400, &mut stream("draws"))?;
    let lost = |n: usize, d: u64| -> Result<f64, Box<dyn std::error::Error>> {
        let profile = Profile::from_weights(
            &vec![1.0 / n as f64; n],
            &vec![1.0; n],
            &Target::modulo(5)?.labels(n),
            5,
        )?;
        Ok(draws.expected_error(&profile, d)?.mean().unwrap_or(1.0) * n as f64)
    };
    assert!(lost(100, 600)? < 0.05 && lost(100, 300)? > 0.05);
    assert!(lost(1000, 8000)? < 0.05 && lost(1000, 3000)? > 0.05);
    Ok(())
}

#[test]
fn freedom_buys_a_factor() -> Outcomes {
    let (target, n) = (Target::modulo(5)?, 300usize);
    let (p, labels) = (Zipf::new(2.0, 300)?.probabilities(n), target.labels(n));
    let streams = Streams::new(4);
    let mut means = Vec::new();
    for d in [8usize, 32] {
        let (mut hand, mut free) = (Vec::new(), Vec::new());
        for i in 0..14 {
            let e = Embeddings::spherical(n, 5, d, &mut streams.replicate(&format!("d = {d}"), i)?)?;
            let errors = threshold_errors(&e, &labels, &p, &[2, 4, 6, 8, 12, 16])?;
            hand.push(errors.into_iter().fold(f64::INFINITY, f64::min));
            free.push(best_trained_error(
                Freedom::Memory,
                &e,
                &labels,
                &p,
                &[d, 2 * d, 3 * d],
                &[0.0],
            )?);
        }
        lower(paired_difference(&free, &hand)?);
        means.push(mean(&free)?.value);
    }
    // Exponent near -1 (steeper at finite N), not -1/2 or -2.5.
    separates(
        Estimate::exact((means[1] / means[0]).ln() / 4f64.ln()),
        -1.1,
        0.4,
        &[-0.5, -2.0, 0.0],
    );
    Ok(())
}

#[test]
fn learned_embeddings_in_the_plane() -> Outcomes {
    let streams = Streams::new(1);
    let law = Zipf::new(2.0, 100)?;
    let run = |readout: Readout, trains: Trains, d: usize, start: MemoryStart, rate: f64, runs: usize| {
        LearnedTraining::new(law.clone(), Target::modulo(5).unwrap(), d, readout, trains)
            .memory_start(start)
            .rule(Rule::ADAM)
            .rate(rate)
            .unwrap()
            .steps(400)
            .run(&streams, &format!("plane {d}"), runs)
    };
    let learned = run(Readout::Linear, Trains::Embeddings, 2, MemoryStart::Identity, 0.1, 30)?;
    let fixed = run(Readout::Linear, Trains::Memory, 2, MemoryStart::Gaussian, 0.3, 30)?;
    lower(paired_difference(&learned.last(), &fixed.last())?);
    let five = (0..30).filter(|i| {
        let model = learned.model(*i).expect("thirty runs");
        sectors(&model.outputs).expect("two columns").iter().flatten().count() == 5
    });
    assert!(five.count() >= 28);
    // A vector inside the hull has no sector.
    assert!(sectors(&array![[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0], [-0.1, 0.0]])?[3].is_none());
    // Inputs without a positive coordinate stay unlearned under ReLU.
    let relu = run(Readout::Relu, Trains::Embeddings, 3, MemoryStart::Identity, 0.1, 6)?;
    let labels = Target::modulo(5)?.labels(100);
    let (mut dead, mut alive) = (0, 0);
    for i in 0..6 {
        let (start, end) = (relu.start(i)?, relu.model(i)?);
        for (x, margin) in end.margins(&labels)?.iter().enumerate() {
            if start.inputs.row(x).iter().all(|e| *e <= 0.0) {
                dead += 1;
                assert!(*margin <= 0.0);
            } else if *margin > 0.0 {
                alive += 1;
            }
        }
    }
    assert!(dead > 20 && alive > 100, "{dead} {alive}");
    Ok(())
}

#[test]
fn identity_memory_needs_unit_norm() -> Outcomes {
    let lost = |outputs: Array2<f64>| -> Result<usize, Box<dyn std::error::Error>> {
        let labels: Vec<usize> = (0..outputs.nrows()).collect();
        let margins = identity_margins(&Embeddings::aligned(outputs, &labels)?, &labels)?;
        Ok(margins.iter().filter(|m| **m <= 0.0).count())
    };
    assert_eq!(lost(array![[1.0, 0.0], [0.6, 0.8]])?, 0);
    assert_eq!(lost(array![[1.0, 0.0], [3.0, 0.5]])?, 1);
    assert_eq!(lost(array![[1.0, 0.0], [1.0, 0.0]])?, 2);
    Ok(())
}
