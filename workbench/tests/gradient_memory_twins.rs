//! Wrong twins of the checks in `notebooks/gradient-memory.ipynb`: each check is run against a statement, or on a rule, that is known
//! to be wrong, and must say so.

use ndarray::{Array2, array, s};
use workbench::gradient_memory::{
    DeltaRule, Frequencies, GradientStep, HeavyBall, Hebbian, ImplicitStep, InnerObjective, Keys, Loss, Rational,
    RecursiveLeastSquares, Retention, UpdateRule, WeightDecay, closed_form_step, descend, entries_that_differ,
    exact_first_order_condition, exact_gradient_step, geometric_retention, least_squares_retention, momentum_retention,
    output_jacobian, pseudo_inverse_memory, rational_matrix, retention_by_age, ridge_memory, run_stream,
    spectral_objective, spectral_step,
};
use workbench::ledger::{Finding, Outcome};
use workbench::stats::{Estimate, Stream, Streams, normal_array2, unit_sphere};

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn stream(name: &str) -> Stream {
    Streams::new(7).stream(name).expect("fresh name")
}

fn largest(a: &Array2<f64>) -> f64 {
    a.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// The right form is an identity at `tolerance`; the twin is contradicted by the same finding.
fn separates(what: &str, right: f64, twin: f64, tolerance: f64) {
    for (error, outcome) in [(right, Outcome::Supports), (twin, Outcome::Contradicts)] {
        let finding = Finding::identity(what, error, tolerance);
        assert_eq!(
            finding.outcome().expect("finite"),
            outcome,
            "{what}: {right:e} against {twin:e}"
        );
    }
}

fn row(a: &Array2<f64>, t: usize) -> Array2<f64> {
    a.slice(s![t..=t, ..]).to_owned()
}

#[test]
fn the_optimal_memory_depends_on_the_objective() -> Outcomes {
    let mut draws = stream("def-1");
    let (keys, values) = (normal_array2(&mut draws, 40, 6), normal_array2(&mut draws, 40, 3));
    let best = pseudo_inverse_memory(&keys, &values)?;
    let huber = Loss::Huber { delta: 0.5 };
    separates(
        "gradient at the pseudo-inverse memory",
        largest(&Loss::Squared.gradient(&best, &keys, &values)?),
        largest(&huber.gradient(&best, &keys, &values)?),
        1e-10,
    );
    let transposed = pseudo_inverse_memory(&values, &keys)?.t().to_owned();
    separates(
        "descent against the closed form",
        largest(&(descend(Loss::Squared, &keys, &values, 0.0, 1e-11, 100_000)?.weights - &best)),
        largest(&(transposed - &best)),
        1e-8,
    );
    // Some change lowers an objective at a memory that is not optimal.
    let shifted = 1.01 * &best;
    let total = |w: &Array2<f64>| Loss::Squared.total(w, &keys, &values);
    assert!(total(&best)? < total(&shifted)?);
    Ok(())
}

#[test]
fn ridge_and_non_linearity() -> Outcomes {
    let mut draws = stream("map");
    let (keys, values) = (normal_array2(&mut draws, 30, 6), normal_array2(&mut draws, 30, 4));
    let formula = ridge_memory(&keys, &values, 2.0)?;
    let by_descent = |ridge| descend(Loss::Squared, &keys, &values, ridge, 1e-12, 100_000);
    let right = largest(&(by_descent(2.0)?.weights - &formula));
    // Twins: no ridge, twice the ridge (the factor 1/2 of the penalty dropped).
    for twin in [0.0, 4.0] {
        separates("ridge", right, largest(&(by_descent(twin)?.weights - &formula)), 1e-11);
    }
    let corners = array![[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let product = array![[1.0], [-1.0], [-1.0], [1.0]];
    let mixed = array![[2.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 2.0, 1.0]];
    let least = |features: &Array2<f64>| descend(Loss::Squared, features, &product, 0.0, 1e-12, 10_000);
    separates("XOR", least(&mixed)?.value, least(&corners)?.value, 1e-12);
    separates(
        "XOR",
        least(&mixed)?.value,
        least(&corners.mapv(f64::exp))?.value,
        1e-12,
    );
    Ok(())
}

#[test]
fn a_chord_below_the_loss_is_seen() -> Outcomes {
    let mut draws = stream("chords");
    let keys = normal_array2(&mut draws, 60, 5);
    let labels = Array2::from_shape_fn((60, 3), |(i, j)| f64::from(i % 3 == j));
    let mut lowest = [f64::INFINITY; 2];
    for _ in 0..300 {
        let (a, b) = (normal_array2(&mut draws, 3, 5), normal_array2(&mut draws, 3, 5));
        for (loss, low) in [Loss::CrossEntropy, Loss::TanhSquared].into_iter().zip(&mut lowest) {
            let middle = loss.total(&(0.5 * (&a + &b)), &keys, &labels)?;
            let chord = 0.5 * (loss.total(&a, &keys, &labels)? + loss.total(&b, &keys, &labels)?);
            *low = low.min(chord - middle);
        }
    }
    assert!(lowest[0] > 0.0 && lowest[1] < -0.1, "{lowest:?}");
    Ok(())
}

#[test]
fn outer_products_and_their_twins() -> Outcomes {
    let mut draws = stream("outer");
    let (w, keys) = (normal_array2(&mut draws, 4, 4), normal_array2(&mut draws, 3, 4));
    let values = Array2::from_elem((3, 4), 0.25);
    for loss in [
        Loss::Squared,
        Loss::CrossEntropy,
        Loss::Huber { delta: 0.5 },
        Loss::TanhSquared,
    ] {
        let duals = loss.gradient_by_duals(&w, &keys, &values)?;
        let u = loss.output_gradient(&w, &keys, &values)?;
        let right = largest(&(u.t().dot(&keys) - &duals));
        let twins = [
            keys.t().dot(&u),                   // transposed
            -u.t().dot(&keys),                  // sign
            u.t().dot(&keys) / 3.0,             // mean for sum
            row(&u, 0).t().dot(&row(&keys, 0)), // the first pair only
        ];
        for twin in twins {
            separates("outer product", right, largest(&(twin - &duals)), 1e-12);
        }
    }
    Ok(())
}

#[test]
fn the_chain_rule_needs_its_index() -> Outcomes {
    let mut draws = stream("chain");
    let (w, x) = (rational_matrix(&mut draws, 3, 5), rational_matrix(&mut draws, 1, 5));
    let none = Rational::new(0, 1);
    for i in 0..3 {
        let jacobian = output_jacobian(&w, &x, i)?;
        let indexed = Array2::from_shape_fn((3, 5), |(j, k)| if i == j { x[[0, k]] } else { none });
        let printed = Array2::from_shape_fn((3, 5), |(_, k)| x[[0, k]]);
        separates(
            "Jacobian",
            entries_that_differ(&jacobian, &indexed)? as f64,
            entries_that_differ(&jacobian, &printed)? as f64,
            0.0,
        );
    }
    Ok(())
}

#[test]
fn the_order_of_the_stream() -> Outcomes {
    let mut draws = stream("order");
    let (keys, values) = (normal_array2(&mut draws, 50, 6) / 3.0, normal_array2(&mut draws, 50, 4));
    let mut rule: Box<dyn UpdateRule> = Box::new(GradientStep::new(4, 6, 0.4, Loss::Squared)?);
    let mut swapped: Box<dyn UpdateRule> = Box::new(ImplicitStep::new(4, 6, 0.4)?);
    let trace = run_stream(&mut rule, Loss::Squared, &keys, &values)?;
    let other = run_stream(&mut swapped, Loss::Squared, &keys, &values)?;
    for t in 0..50 {
        let (x, v, w) = (row(&keys, t), row(&values, t), &trace.weights);
        let closed = closed_form_step(&w[t], &x, &v, 0.4)?;
        separates(
            "recursion",
            largest(&(&closed - &w[t + 1])),
            largest(&(&closed - &other.weights[t + 1])),
            1e-13,
        );
        let seen = row(&trace.predictions, t);
        separates(
            "prediction",
            largest(&(&seen - &x.dot(&w[t].t()))),
            largest(&(&seen - &x.dot(&w[t + 1].t()))),
            1e-13,
        );
    }
    Ok(())
}

#[test]
fn the_reformulation_and_its_misprints() -> Outcomes {
    let mut draws = stream("reformulation");
    let (keys, values) = (normal_array2(&mut draws, 6, 5), normal_array2(&mut draws, 6, 4));
    let (eta, loss) = (0.3, Loss::Squared);
    let mut rule = GradientStep::new(4, 5, eta, loss)?;
    for t in 0..6 {
        let (x, v, w) = (row(&keys, t), row(&values, t), rule.weights().clone());
        let u = loss.output_gradient(&w, &x, &v)?;
        rule.step(&x, &v)?;
        let gap = |problem: InnerObjective| -> Result<f64, Box<dyn std::error::Error>> {
            Ok(largest(&(problem.minimise()? - rule.weights())))
        };
        let near = |weight: f64| InnerObjective::new("W").anchor(weight, w.clone());
        let right = gap(near(1.0 / eta).linear(u.t().dot(&x)))?;
        let other_key = row(&keys, if t == 1 { 2 } else { 1 });
        let twins = [
            near(1.0 / eta).linear(u.t().dot(&other_key)), // the index
            near(1.0 / eta),                               // y frozen at W_t x
            near(1.0 / eta).fit(2.0, x.clone(), &v / 2.0), // u moving with W
            near(2.0 / eta).linear(u.t().dot(&x)),         // factor 1/2 dropped
            near(1.0 / eta).linear(-u.t().dot(&x)),        // sign
            near(eta).linear(u.t().dot(&x)),               // eta for 1/eta
        ];
        for twin in twins {
            separates("argmin", right, gap(twin)?, 1e-11);
        }
    }
    Ok(())
}

#[test]
fn the_first_order_condition_is_exact_and_has_power() -> Outcomes {
    let mut draws = stream("condition");
    let (w, x, v) = (
        rational_matrix(&mut draws, 3, 4),
        rational_matrix(&mut draws, 2, 4),
        rational_matrix(&mut draws, 2, 3),
    );
    let zero = w.mapv(|_| Rational::new(0, 1));
    let eta = Rational::new(2, 7);
    let step = exact_gradient_step(Loss::Squared, &w, &x, &v, eta)?;
    let misses = |a: &Array2<Rational>, eta| -> Result<f64, Box<dyn std::error::Error>> {
        let condition = exact_first_order_condition(Loss::Squared, a, &w, &x, &v, eta)?;
        Ok(entries_that_differ(&condition, &zero)? as f64)
    };
    let first = |a: &Array2<Rational>| a.slice(s![..1, ..]).to_owned();
    let lonely = exact_gradient_step(Loss::Squared, &w, &first(&x), &first(&v), eta)?;
    for twin in [
        misses(&step, Rational::new(1, 7))?,
        misses(&lonely, eta)?,
        misses(&w, eta)?,
    ] {
        separates("condition", misses(&step, eta)?, twin, 0.0);
    }
    Ok(())
}

#[test]
fn the_spectral_norm_is_another_problem() -> Outcomes {
    let mut draws = stream("spectral");
    let (w, u, x) = (
        normal_array2(&mut draws, 4, 6),
        normal_array2(&mut draws, 3, 4),
        normal_array2(&mut draws, 3, 6),
    );
    let excess = |slope: &Array2<f64>| -> Result<f64, Box<dyn std::error::Error>> {
        let value = |a: &Array2<f64>| spectral_objective(a, slope, &w, 0.3);
        Ok(value(&(&w - &(0.3 * slope)))? - value(&spectral_step(slope, &w, 0.3)?)?)
    };
    let one = row(&u, 0).t().dot(&row(&x, 0));
    separates(
        "gradient step",
        excess(&one)?.abs(),
        excess(&u.t().dot(&x))?.abs(),
        1e-10,
    );
    Ok(())
}

#[test]
fn interference_is_part_of_the_answer() -> Outcomes {
    let mut draws = stream("interference");
    let (keys, values) = (unit_sphere(&mut draws, 8, 12), normal_array2(&mut draws, 8, 5));
    let mut rule: Box<dyn UpdateRule> = Box::new(GradientStep::new(5, 12, 0.5, Loss::Squared)?);
    let u = run_stream(&mut rule, Loss::Squared, &keys, &values)?.output_gradients;
    let answers = rule.recall(&keys)?;
    let full = -0.5 * keys.dot(&keys.t()).dot(&u);
    let right = largest(&(&answers - &full));
    for twin in [-0.5 * &u, -&full, 2.0 * &full] {
        separates("answer", right, largest(&(&answers - &twin)), 1e-13);
    }
    separates(
        "sum",
        right,
        largest(&(rule.weights() - &(0.5 * values.t().dot(&keys)))),
        1e-13,
    );
    Ok(())
}

fn by_age(rule: &dyn UpdateRule) -> Retention {
    retention_by_age(rule, 80, &AGES, 600, &Streams::new(7), "ages").expect("valid input")
}

const AGES: [usize; 4] = [0, 8, 24, 79];

/// The right theory is within one and a half half-widths everywhere, every wrong one is beyond two somewhere.
fn follows(kept: &Retention, right: Vec<f64>, wrong: &[Vec<f64>]) {
    let distance = |theory: &[f64]| kept.worst_distance(theory).expect("one value for each age");
    assert!(distance(&right) < 1.5, "{}: {}", kept.rule(), distance(&right));
    for twin in wrong {
        assert!(distance(twin) > 2.0, "{}: {}", kept.rule(), distance(twin));
    }
}

#[test]
fn retention_theories_and_their_twins() -> Outcomes {
    let d = 16;
    let n = d as f64;
    let fades = |start: f64, factor: f64| geometric_retention(start, factor, &AGES);
    follows(
        &by_age(&DeltaRule::new(d, d, 1.0)?),
        fades(1.0, 1.0 - 1.0 / n),
        &[
            fades(1.0, 1.0 - 0.5 / n),
            fades(1.0, 1.0 - 2.0 / n),
            fades(1.0, 1.0),
            fades(0.5, 1.0 - 1.0 / n),
        ],
    );
    follows(
        &by_age(&WeightDecay::new(d, d, 0.5, 0.05, Loss::Squared)?),
        fades(0.5, 1.0 - 0.025 - 0.5 / n),
        &[
            fades(0.5, 1.0 - 0.5 / n),
            fades(0.5, 1.0 - 0.05 - 0.5 / n),
            fades(0.5, 1.0 - 0.025),
        ],
    );
    follows(
        &by_age(&HeavyBall::new(d, d, 0.25, 0.75, Loss::Squared)?),
        momentum_retention(0.25, 0.75, d, &AGES)?,
        &[
            fades(0.25, 1.0 - 0.25 / n),
            fades(1.0, 1.0 - 1.0 / n),
            momentum_retention(0.25, 0.5, d, &AGES)?,
        ],
    );
    follows(
        &by_age(&RecursiveLeastSquares::new(d, d, 1.0, 1e-6)?),
        least_squares_retention(1.0, d, 80, &AGES)?,
        &[least_squares_retention(0.95, d, 80, &AGES)?, fades(1.0, 1.0 - 1.0 / n)],
    );
    // The budget: a rule that corrects its errors holds d pairs, one that does not holds them all.
    let total = |kept: Retention| kept.total().expect("many runs");
    assert_eq!(
        Finding::equals(
            "budget",
            n,
            1.5,
            total(by_age(&RecursiveLeastSquares::new(d, d, 1.0, 1e-6)?))
        )
        .outcome()?,
        Outcome::Supports
    );
    assert_eq!(
        Finding::equals("budget", n, 1.5, total(by_age(&Hebbian::new(d, d, 1.0)?))).outcome()?,
        Outcome::Contradicts
    );
    Ok(())
}

#[test]
fn frequencies_and_single_sights() -> Outcomes {
    let weights: Vec<f64> = (1..=400).map(|x| f64::from(x).powf(-1.2)).collect();
    let total: f64 = weights.iter().sum();
    let law: Vec<f64> = weights.iter().map(|w| w / total).collect();
    let (streams, d) = (Streams::new(7), 12);
    let items = Frequencies::new(law, 300)
        .keys(Keys::Sphere)
        .ranks(&[1, 20, 400])
        .runs(200);
    let rule = DeltaRule::new(d, d, 0.5)?;
    let seen = items.retention(&rule, &streams, "items")?;
    let gap = |eta: f64, i: usize| -> Result<Estimate, Box<dyn std::error::Error>> {
        Ok(seen.minus(&items.expected_delta(eta, (d, d), &streams, "items")?, i)?)
    };
    for i in 0..3 {
        let gap = gap(0.5, i)?;
        assert!(gap.value.abs() < 1.5 * gap.half_width(), "{i} {gap}");
    }
    let once = items.once_seen(&rule, 3, &streams, "once")?;
    let mean = items.expected_delta_once_seen(0.5, (d, d), 3, &streams, "once")?;
    for i in 0..3 {
        let gap = once.minus(&mean, i)?;
        assert!(gap.value.abs() < 1.5 * gap.half_width(), "{i} {gap}");
    }
    for wrong in [0.02, 1.5] {
        let twin = items.expected_delta_once_seen(wrong, (d, d), 3, &streams, "once")?;
        let gaps: Vec<Estimate> = (0..3).map(|i| once.minus(&twin, i)).collect::<Result<_, _>>()?;
        let far = gaps.iter().map(|g| g.value.abs() / g.half_width()).fold(0.0, f64::max);
        assert!(far > 2.0, "step size {wrong}: {far} {gaps:?}");
    }
    // Forgetting by traffic is not forgetting at one rate for all directions.
    let equal = geometric_retention(0.5, 1.0 - 0.5 / d as f64, &(100..200).collect::<Vec<_>>());
    let equal = equal.iter().sum::<f64>() / 100.0;
    assert!(once.at(1)?.low > 2.0 * equal, "{} {equal}", once.at(1)?);
    Ok(())
}
