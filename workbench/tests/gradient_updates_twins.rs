//! Wrong twins of the checks in `notebooks/heavy-tailed-gradient-updates.ipynb`: each check is run against the printed misprint, or
//! against a statement that is known to be wrong, and must say so.

use ndarray::{Array2, Axis, s};
use workbench::ledger::{Finding, Outcome};
use workbench::memory::{
    AssociativeMemory, Batch, Embeddings, Error, Form, Gradient, GradientLines, Ideal, IdealUpdate, LeadingTerm,
    Method, Parametrization, Reduction, Target, Trainer, TrainingStudy, TrainingTask, Zipf, cross_entropy,
    cross_entropy_gradient, rank_correlation,
};
use workbench::ndarray;
use workbench::stats::{Estimate, Stream, Streams, mean, normal_array2, paired_difference, unit_sphere};

type Outcomes = Result<(), Box<dyn std::error::Error>>;
type Judged = Result<Outcome, Box<dyn std::error::Error>>;

fn outcome(finding: Finding) -> Outcome {
    finding.outcome().expect("a finding with finite numbers has an outcome")
}

fn stream(name: &str) -> Stream {
    Streams::new(7).stream(name).expect("fresh name")
}

/// The right value supports, every listed wrong one contradicts.
fn separates(measured: Estimate, right: f64, tolerance: f64, wrong: &[f64]) {
    let says = |value| outcome(Finding::equals("value", value, tolerance, measured));
    assert_eq!(says(right), Outcome::Supports, "{measured:?} {right}");
    for &twin in wrong {
        assert_eq!(says(twin), Outcome::Contradicts, "{measured:?} {twin}");
    }
}

/// The first difference vanishes, the others do not.
fn identity(right: f64, tolerance: f64, wrong: &[f64]) {
    let says = |error: f64| outcome(Finding::identity("difference", error.abs(), tolerance));
    assert_eq!(says(right), Outcome::Supports, "{right}");
    for &twin in wrong {
        assert_eq!(says(twin), Outcome::Contradicts, "{twin}");
    }
}

fn largest(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    (a - b).iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// The paper's setting with N inputs, M = 5, alpha = 2.
fn task(which: Parametrization, n: usize, d: usize, name: &str) -> Result<TrainingTask, Error> {
    let raw = Embeddings::draw(n, 5, d, &mut stream(name))?;
    TrainingTask::new(
        which.embeddings(&raw, d)?,
        &Target::modulo(5)?.labels(n),
        &Zipf::new(2.0, n as u64)?.probabilities(n),
    )
}

/// Coefficients of the right pairs.
fn own(trainer: &Trainer) -> Vec<f64> {
    let c = trainer.coefficients().expect("a linear rule");
    let labels = trainer.task().labels();
    labels.iter().enumerate().map(|(x, &y)| c[[x, y]]).collect()
}

fn relative(a: &[f64], q: &[f64]) -> f64 {
    let difference: f64 = a.iter().zip(q).map(|(a, q)| (a - q).powi(2)).sum();
    (difference / q.iter().map(|q| q * q).sum::<f64>()).sqrt()
}

#[test]
fn eq_9_is_the_log_of_the_right_probability() -> Outcomes {
    let e = Embeddings::draw(1, 4, 5, &mut stream("eq 9"))?;
    let w = normal_array2(&mut stream("eq 9, w"), 5, 5);
    let scores = e.outputs.dot(&w.dot(&e.inputs.row(0)));
    let others = |y: usize| (0..4).filter(move |z| *z != y);
    for y in 0..4 {
        let loss = cross_entropy(&w, &e, &[y], &[1.0])?;
        let direct = others(y).map(|z| (scores[z] - scores[y]).exp()).sum::<f64>().ln_1p();
        // Sign of the first term flipped; the right class left out of the sum.
        let flipped = loss + 2.0 * scores[y];
        let without = others(y).map(|z| scores[z].exp()).sum::<f64>().ln() - scores[y];
        identity(loss - direct, 1e-12, &[flipped - direct, without - direct]);
    }
    let zero = cross_entropy(&Array2::zeros((5, 5)), &e, &[2], &[1.0])?;
    separates(Estimate::exact(zero), 4f64.ln(), 1e-12, &[3f64.ln(), 0.0, -(4f64.ln())]);
    Ok(())
}

#[test]
fn lemma_4_sign_factor_and_condition() -> Outcomes {
    let e = Embeddings::draw(2, 4, 5, &mut stream("lemma 4"))?;
    let w = normal_array2(&mut stream("lemma 4, w"), 5, 5);
    let g = GradientLines::at(&w, &e, 1, 2)?;
    let missing = g.log_missing.exp();
    let (u, epsilon) = (e.outputs.row(2).to_owned(), g.conditional.dot(&e.outputs));
    let outer = |left: ndarray::Array1<f64>| left.insert_axis(Axis(1)).dot(&e.inputs.slice(s![1..2, ..]));
    let twins = [
        outer(&u * missing - &epsilon * missing),       // sign
        outer((&u - &epsilon) * -1.0),                  // without 1 - p
        outer(&u * -missing),                           // without epsilon
        outer((&u - &(&epsilon * missing)) * -missing), // p(z|x) for p(z|x, z != y)
        outer((&u + &epsilon) * -missing),              // sign of epsilon
    ];
    let errors: Vec<f64> = twins.iter().map(|twin| largest(twin, &g.complex_step)).collect();
    for line in &g.lines {
        identity(largest(line, &g.complex_step), 1e-12, &errors);
    }
    Ok(())
}

#[test]
fn epsilon_norm_constant() -> Outcomes {
    for m in [2usize, 5, 10] {
        let mut stream = stream(&format!("epsilon {m}"));
        let mut values = Vec::new();
        for _ in 0..3000 {
            let u = unit_sphere(&mut stream, m, 64);
            values.push(LeadingTerm::at(&vec![0.0; m], &u.dot(&u.t()), 0)?.epsilon_square);
        }
        let others = m as f64 - 1.0;
        separates(
            mean(&values)?,
            1.0 / others,
            0.03 / others,
            &[1.0 / (others + 1.0), 2.0 / others, 1.0 / others.sqrt() + 1.0],
        );
    }
    Ok(())
}

#[test]
fn eq_10_error_falls_as_the_root_of_m() -> Outcomes {
    let error = |m: usize| LeadingTerm::at(&vec![0.0; m], &Array2::eye(m), 0).map(|term| term.relative_error);
    let slope = (error(64)? / error(4)?).ln() / 16f64.ln();
    separates(Estimate::exact(slope), -0.5, 1e-12, &[-1.0, 0.0, 0.5, -0.25]);
    separates(Estimate::exact(error(5)?), 0.2f64.sqrt(), 1e-12, &[0.2, 0.5, 0.25]);
    Ok(())
}

#[test]
fn regimes_need_unit_inputs_and_right_pairs() -> Outcomes {
    let spread = |which: Parametrization, wrong: bool| -> Result<f64, Error> {
        let task = task(which, 20, 2000, &format!("regimes {which:?} {wrong}"))?;
        let e = task.embeddings();
        let mut scores = AssociativeMemory::store(e, &[1.0; 20], task.labels())?.scores(&e.inputs)?;
        if wrong {
            let labels: Vec<usize> = task.labels().iter().map(|y| (y + 1) % 5).collect();
            scores += &AssociativeMemory::store(e, &[1.0; 20], &labels)?.scores(&e.inputs)?;
        }
        let terms = scores.outer_iter().zip(task.labels());
        let all = terms.map(|(row, &y)| LeadingTerm::at(&row.to_vec(), task.gram(), y).map(|term| term.spread));
        Ok(all.sum::<Result<f64, Error>>()? / 20.0)
    };
    let small = |value: f64| outcome(Finding::at_most("spread", 0.1, Estimate::exact(value)));
    assert_eq!(small(spread(Parametrization::Unit, false)?), Outcome::Supports);
    assert_eq!(small(spread(Parametrization::Model, false)?), Outcome::Contradicts);
    assert_eq!(small(spread(Parametrization::Unit, true)?), Outcome::Contradicts);
    Ok(())
}

#[test]
fn eq_44_sums_over_the_batch() -> Outcomes {
    let task = task(Parametrization::Unit, 12, 6, "eq 44")?;
    let batches = [vec![0, 3, 3], vec![1, 0, 7], vec![11, 2, 0]];
    let run = |method: Method| -> Result<Array2<f64>, Error> {
        let mut trainer = Trainer::new(&task, &method)?;
        batches.iter().try_for_each(|batch| trainer.step(batch))?;
        Ok(trainer.scores())
    };
    let mut w = Array2::<f64>::zeros((6, 6));
    for batch in &batches {
        let mut counts = vec![0.0; 12];
        batch.iter().for_each(|&x| counts[x] += 1.0);
        let gradient = cross_entropy_gradient(&w, task.embeddings(), task.labels(), &counts)?;
        w.scaled_add(-0.7, &gradient);
    }
    let scores = task.embeddings().inputs.dot(&w.t()).dot(&task.embeddings().outputs.t());
    let wrong = [
        run(Method::sgd(0.7)?.reduction(Reduction::Mean))?,
        run(Method::sgd(1.4)?)?,
        run(Method::sgd(0.7)?.gradient(Gradient::Leading))?,
    ];
    let errors: Vec<f64> = wrong.iter().map(|twin| largest(twin, &scores)).collect();
    for form in [Form::Scores, Form::Classes, Form::Weights] {
        identity(largest(&run(Method::sgd(0.7)?.form(form))?, &scores), 1e-12, &errors);
    }
    Ok(())
}

#[test]
fn q_increment_constant_and_exponent() -> Outcomes {
    for (norm2, gradient, gap) in [
        (1.0, Gradient::Leading, 1.0),
        (30.0, Gradient::Leading, 1.0),
        (1.0, Gradient::Exact, 1.25),
        (30.0, Gradient::Exact, 1.25),
    ] {
        let e = Embeddings {
            inputs: Array2::<f64>::eye(30) * f64::sqrt(norm2),
            outputs: Array2::eye(30).slice(s![..5, ..]).to_owned(),
        };
        let task = TrainingTask::new(e, &Target::modulo(5)?.labels(30), &[1.0 / 30.0; 30])?;
        let mut trainer = Trainer::new(&task, &Method::sgd(0.5)?.gradient(gradient))?;
        (0..400).try_for_each(|_| trainer.step(&[4]))?;
        let q = own(&trainer)[4];
        let off = |c: f64, s: f64| -> Result<f64, Error> {
            Ok((IdealUpdate::new(0.5, c, s)?.iterates(400)[400] / q - 1.0).abs())
        };
        let wrong = [
            off(5.0, gap * norm2)?,
            off(4.0, 2.0 * gap * norm2)?,
            off(3.0, gap * norm2)?,
        ];
        identity(off(4.0, gap * norm2)?, 1e-10, &wrong);
        if norm2 > 1.0 {
            // As printed: exp(q) without the norm.
            identity(off(4.0, gap * norm2)?, 1e-10, &[off(4.0, gap)?]);
        }
    }
    Ok(())
}

#[test]
fn eq_11_needs_the_corrected_map_unit_inputs_and_room() -> Outcomes {
    let distance = |which: Parametrization, d: usize, form: Ideal| -> Result<(f64, f64), Error> {
        let task = task(which, 40, d, &format!("eq 11 {which:?} {d} {form:?}"))?;
        let data = stream(&format!("eq 11 data {which:?} {d} {form:?}"));
        let run = |method: Method| -> Result<Trainer, Error> {
            let mut trainer = Trainer::new(&task, &method)?;
            trainer.advance(5000, &mut data.clone())?;
            Ok(trainer)
        };
        let q = run(Method::sgd(1.0)?)?.on_stored_pairs()?.0.to_vec();
        let ideal = own(&run(Method::sgd(1.0)?.gradient(Gradient::Ideal(form)))?);
        Ok((relative(&ideal, &q), rank_correlation(&ideal, &q)?))
    };
    let close = |value: f64| outcome(Finding::at_most("distance", 0.1, Estimate::exact(value)));
    let (corrected, printed) = (Ideal::corrected(5), Ideal::printed(5));
    let (right, rank) = distance(Parametrization::Unit, 4000, corrected)?;
    assert_eq!(close(right), Outcome::Supports, "{right}");
    assert!(rank > 0.9);
    // As printed; M for M - 1; without M/(M-1); at the scale of Eq. 1; without room.
    let without_gap = Ideal { gap: 1.0, ..corrected };
    for (which, d, form) in [
        (Parametrization::Unit, 4000, printed),
        (Parametrization::Unit, 4000, without_gap),
        (Parametrization::Model, 4000, printed),
        (Parametrization::Unit, 4, corrected),
    ] {
        let (wrong, _) = distance(which, d, form)?;
        assert_eq!(close(wrong), Outcome::Contradicts, "{which:?} {d} {form:?}: {wrong}");
    }
    Ok(())
}

#[test]
fn eq_45_starts_in_proportion_to_p() -> Outcomes {
    let task = task(Parametrization::Unit, 30, 60, "eq 45")?;
    let method = Method::sgd(1.0)?.batch(Batch::Population);
    let mut trainer = Trainer::new(&task, &method)?;
    let off = |q: &[f64], power: f64| {
        let ratios: Vec<f64> = q
            .iter()
            .zip(task.probabilities())
            .map(|(q, p)| q / p.powf(power))
            .collect();
        ratios.iter().map(|r| (r / ratios[0] - 1.0).abs()).fold(0.0, f64::max)
    };
    trainer.population_step()?;
    let first = own(&trainer);
    (0..200).try_for_each(|_| trainer.population_step())?;
    // Another power of p, and the same after many steps.
    identity(
        off(&first, 1.0),
        1e-12,
        &[off(&first, 0.9), off(&first, 0.0), off(&own(&trainer), 1.0)],
    );
    Ok(())
}

/// Distances from the projected coefficients of descent after `total` samples in batches of `b`: the printed map with exact and with
/// expected counts, then the corrected map with both.
fn batch_distances(task: &TrainingTask, b: u64, total: u64, data: &Stream) -> Result<Vec<f64>, Error> {
    let run = |gradient: Gradient| -> Result<Trainer, Error> {
        let method = Method::sgd(1.0)?.gradient(gradient).batch(Batch::Samples(b));
        let mut trainer = Trainer::new(task, &method)?;
        trainer.advance(total / b, &mut data.clone())?;
        Ok(trainer)
    };
    let q = run(Gradient::Exact)?.on_stored_pairs()?.0.to_vec();
    let (printed, corrected) = (Ideal::printed(5), Ideal::corrected(5));
    [printed, printed.expected(), corrected, corrected.expected()]
        .into_iter()
        .map(|form| Ok(relative(&own(&run(Gradient::Ideal(form))?), &q)))
        .collect()
}

#[test]
fn eq_45_needs_room_large_batches_or_the_corrected_map() -> Outcomes {
    let distances = |d: usize, b: u64| -> Result<Vec<Vec<f64>>, Error> {
        (0..12)
            .map(|i| {
                let name = format!("eq 45 {d} {b} {i}");
                let task = task(Parametrization::Unit, 100, d, &name)?;
                batch_distances(&task, b, 50_000, &stream(&format!("{name}, data")))
            })
            .collect()
    };
    let column = |rows: &[Vec<f64>], k: usize| rows.iter().map(|r| r[k]).collect::<Vec<f64>>();
    let close = |rows: &[Vec<f64>], k: usize| -> Judged {
        Ok(outcome(Finding::at_most("distance", 0.15, mean(&column(rows, k))?)))
    };
    let large = distances(10_000, 1000)?;
    assert_eq!(
        (close(&large, 1)?, close(&large, 3)?),
        (Outcome::Supports, Outcome::Supports)
    );
    for b in [1, 10, 100] {
        let small = distances(10_000, b)?;
        assert_eq!(close(&small, 3)?, Outcome::Supports, "{b}");
        let closer = |a, c| -> Judged {
            let gain = paired_difference(&column(&small, a), &column(&small, c))?;
            Ok(outcome(Finding::at_most("gain", -0.02, gain)))
        };
        assert_eq!(closer(3, 1)?, Outcome::Supports, "{b}");
        // The two maps exchanged.
        assert_eq!(closer(1, 3)?, Outcome::Contradicts, "{b}");
    }
    // As printed for a batch of one; either map without room.
    assert_eq!(close(&distances(10_000, 1)?, 1)?, Outcome::Contradicts);
    let crowded = distances(100, 1000)?;
    assert_eq!(
        (close(&crowded, 1)?, close(&crowded, 3)?),
        (Outcome::Contradicts, Outcome::Contradicts)
    );
    Ok(())
}

#[test]
fn exact_counts_are_tighter_until_the_bias_of_the_map_is_all_that_is_left() -> Outcomes {
    let gains = |total: u64, runs: usize| -> Result<Vec<Estimate>, Box<dyn std::error::Error>> {
        let rows = (0..runs)
            .map(|i| {
                let task = task(Parametrization::Unit, 100, 3000, &format!("counts {i}"))?;
                batch_distances(&task, 10, total, &stream(&format!("counts data {i}")))
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let gain = |form: usize| mean(&rows.iter().map(|r| r[form] - r[form + 1]).collect::<Vec<f64>>());
        Ok(vec![gain(0)?, gain(2)?])
    };
    let (tighter, looser) = (
        |gain| outcome(Finding::at_most("gain", 0.0, gain)),
        |gain| outcome(Finding::at_least("gain", 0.0, gain)),
    );
    let (few, many) = (gains(20_000, 24)?, gains(400_000, 32)?);
    // Scarce data: both maps gain; the exchanged sign is refused.
    for gain in &few {
        assert_eq!(
            (tighter(*gain), looser(*gain)),
            (Outcome::Supports, Outcome::Contradicts),
            "{gain:?}"
        );
    }
    // Many data: the corrected map still gains, the printed one loses, so that "tighter" is refused for it.
    assert_eq!(
        (tighter(many[1]), looser(many[1])),
        (Outcome::Supports, Outcome::Contradicts),
        "{many:?}"
    );
    assert_eq!(
        (tighter(many[0]), looser(many[0])),
        (Outcome::Contradicts, Outcome::Supports),
        "{many:?}"
    );
    Ok(())
}

/// Paired difference to descent at the end: Eq. 10, Eq. 11 with counts, Eq. 45 with expected counts.
fn figure(
    d: usize,
    gamma: f64,
    batch: u64,
    steps: u64,
    runs: usize,
) -> Result<Vec<Estimate>, Box<dyn std::error::Error>> {
    let method = |m: Method| m.batch(Batch::Samples(batch)).steps(steps);
    let study = TrainingStudy::new(Zipf::new(2.0, 100)?, Target::modulo(5)?)
        .methods(vec![
            method(Method::sgd(gamma)?),
            method(Method::sgd(gamma)?.gradient(Gradient::Leading)),
            method(Method::ideal(gamma, 5)?),
            method(Method::sgd(gamma)?.gradient(Gradient::Ideal(Ideal::printed(5).expected()))),
        ])
        .dims(vec![d])
        .runs(runs)
        .run(&Streams::new(7), &format!("figure {d} {gamma} {batch}"))?;
    (1..4).map(|method| Ok(study.difference(method, 0, 0)?)).collect()
}

fn within(e: Estimate, margin: f64) -> Outcome {
    let reach = Estimate::new(e.value.abs(), 0.0, e.low.abs().max(e.high.abs()), e.n, e.confidence);
    let reach = reach.expect("ordered ends");
    // An interval beyond the margin contradicts, one that reaches over it is undecided.
    if e.low > margin || e.high < -margin {
        return Outcome::Contradicts;
    }
    outcome(Finding::at_most("distance", margin, reach))
}

#[test]
fn figure_3_separates_the_panels() -> Outcomes {
    let middle = figure(100, 1.0, 1, 10_000, 60)?;
    assert_eq!(within(middle[0], 0.015), Outcome::Supports, "{middle:?}");
    assert_eq!(within(middle[1], 0.015), Outcome::Supports, "{middle:?}");
    let right = figure(10, 1.0, 1, 10_000, 60)?;
    assert_eq!(within(right[1], 0.015), Outcome::Contradicts, "{right:?}");
    // Expected counts know inputs before they are seen.
    let early = figure(100, 10.0, 1, 30, 60)?;
    assert_eq!(within(early[2], 0.015), Outcome::Contradicts, "{early:?}");
    Ok(())
}

#[test]
fn figure_13_leaves_eq_45_behind() -> Outcomes {
    for (d, gamma) in [(100, 10.0), (100, 1.0), (10, 1.0)] {
        let end = figure(d, gamma, 1000, 200, 30)?;
        for (k, e) in end[1..].iter().enumerate() {
            assert_eq!(within(*e, 0.015), Outcome::Contradicts, "{d} {gamma} {k}: {e:?}");
        }
        if d == 100 {
            assert_eq!(within(end[0], 0.015), Outcome::Supports, "{end:?}");
        }
    }
    Ok(())
}

#[test]
fn figure_4_first_step_growth_and_shape() -> Outcomes {
    let f = IdealUpdate::printed(0.1, 5)?;
    let q = f.iterates(100_000);
    separates(Estimate::exact(q[1] / 0.1), 5.0 / 6.0, 1e-12, &[1.0, 0.8, 5.0]);
    separates(
        Estimate::exact((q[100_000] - q[10_000]) / 10f64.ln()),
        1.0,
        0.02,
        &[0.0, 0.5, 2.0],
    );
    // The stated powers: right for the outer rates, no power for the middle one.
    let p = Zipf::new(2.0, 100)?.with_shift(3.0)?.probabilities(100);
    let counts: Vec<f64> = p.iter().map(|v| v / p[99]).collect();
    let off = |gamma: f64, rho: f64| -> Result<Estimate, Error> {
        let q = IdealUpdate::printed(gamma, 5)?.after(&counts)?;
        let (sq, sp): (f64, f64) = (q.iter().sum(), p.iter().map(|v| v.powf(rho)).sum());
        let ratios = q
            .iter()
            .zip(&p)
            .map(|(q, p)| ((q / sq) / (p.powf(rho) / sp)).ln().abs());
        Ok(Estimate::exact(ratios.fold(0.0, f64::max).exp()))
    };
    let says =
        |gamma, rho| -> Result<Outcome, Error> { Ok(outcome(Finding::at_most("ratio", 1.15, off(gamma, rho)?))) };
    assert_eq!(says(10.0, 0.05)?, Outcome::Supports);
    assert_eq!(says(0.001, 1.0)?, Outcome::Supports);
    for (gamma, rho) in [(10.0, 0.35), (0.001, 0.35), (10.0, 1.0)] {
        assert_eq!(says(gamma, rho)?, Outcome::Contradicts);
    }
    for k in 0..=100 {
        assert_eq!(says(0.1, k as f64 / 100.0)?, Outcome::Contradicts);
    }
    Ok(())
}
