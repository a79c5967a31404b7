//! Wrong twins of the checks in `notebooks/memformer-learnable-lfoms.ipynb`: each check is run against the printed misprint, or against a
//! statement that is known to be wrong, and must say so.

use workbench::ledger::{Finding, Outcome};
use workbench::memformer::{
    Alignment, Architecture, Batch, LearningCurve, LinearClass, Measure, Parameters, Part, Phase, Precision, Prompts,
    Protocol, Quadratic, RegisterKind, RegisterWeight, TaskLaw, Trainer, best_multiples, best_whitened,
    conjugate_losses, conjugated, descent_parameters, distance_at, distance_to_identity, expected_distance,
    hadamard_distance, mean_diagonal, method_losses, method_of, symmetrised, train_on_prompts, whitened_gradient,
    whitened_moment, whitened_risk,
};
use workbench::ndarray::{Array2, array};
use workbench::ndarray_linalg::Inverse;
use workbench::stats::{Estimate, Stream, Streams, mean, normal_array2, paired_difference, power_fit_runs, proportion};
use workbench::work::Unwatched;

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn stream(name: &str) -> Stream {
    Streams::new(15).stream(name).expect("fresh name")
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

fn outcome(finding: Finding) -> Result<Outcome, Box<dyn std::error::Error>> {
    Ok(finding.outcome()?)
}

fn on(multiples: &[f64], matrix: &Array2<f64>) -> Result<Parameters, Box<dyn std::error::Error>> {
    let mut model = Parameters::neutral(Architecture::new(multiples.len(), matrix.nrows())?);
    for (l, a) in multiples.iter().enumerate() {
        model.set_a(l, &(*a * matrix))?;
    }
    Ok(model)
}

#[test]
fn the_loss_grows_faster_than_sub_gaussian_and_sub_exponential_losses() -> Outcomes {
    for layers in [1, 2] {
        let best = best_whitened(20, 5, layers)?;
        let root = |k: usize| -> Result<f64, workbench::memformer::Error> {
            Ok(whitened_moment(&best.steps, 20, 5, k)?.powf(1.0 / k as f64))
        };
        let exponent = (root(16)? / root(8)?).log2();
        let at_most = |bound: f64| outcome(Finding::at_most("exponent", bound, Estimate::exact(exponent)));
        assert_eq!(at_most(2.0 + 2.0 * layers as f64)?, Outcome::Supports, "{exponent}");
        assert_eq!(at_most(0.5)?, Outcome::Contradicts);
        assert_eq!(at_most(1.0)?, Outcome::Contradicts);
    }
    Ok(())
}

#[test]
fn exact_risks_refuse_other_constants() -> Outcomes {
    let law = TaskLaw::rotated(&[1.0, 0.5, 0.25], &mut stream("law"))?;
    let batch = Batch::draw(&law, 10, 100_000, Precision::Double, &mut stream("risk"))?;
    let steps = [0.4, 0.8];
    let seen = mean(&batch.losses(&on(&steps, law.truth_covariance())?)?.row(2).to_vec())?;
    let near = |value: f64| outcome(Finding::near("risk", value, 0.0, seen));
    let exact = whitened_risk(&steps, 10, 3)?;
    assert_eq!(near(exact)?, Outcome::Supports, "{exact} {seen}");
    // As if there were n - 1 examples, in two dimensions, or with multiples of the identity.
    assert_eq!(near(whitened_risk(&steps, 7, 3)?)?, Outcome::Contradicts);
    assert_eq!(near(whitened_risk(&steps, 10, 2)?)?, Outcome::Contradicts);
    let identity = mean(&batch.losses(&on(&steps, &Array2::eye(3))?)?.row(2).to_vec())?;
    assert_eq!(
        outcome(Finding::near("risk", exact, 0.0, identity))?,
        Outcome::Contradicts
    );
    Ok(())
}

#[test]
fn excess_falls_as_one_over_n_and_suprema_as_its_root() -> Outcomes {
    let streams = Streams::new(15);
    let class = LinearClass::one_step(20, 5, 2)?;
    let sizes = [256, 512, 1024, 2048, 4096];
    let curve = LearningCurve::run(&class, &sizes, 150, (0.0, 1.0), &streams, "curve", &mut Unwatched)?;
    let mut boot = streams.stream("bootstrap")?;
    let window = (1.0, 1e6);
    let excess = power_fit_runs(&curve.sizes, &curve.excess, window, 2000, &mut boot)?.slope;
    let supremum = power_fit_runs(&curve.sizes, &curve.supremum, window, 2000, &mut boot)?.slope;
    let equals = |slope: Estimate, want: f64| outcome(Finding::equals("exponent", want, 0.2, slope));
    assert_eq!(equals(supremum, -0.5)?, Outcome::Supports, "{supremum}");
    assert_eq!(equals(supremum, -1.0)?, Outcome::Contradicts);
    assert_eq!(
        outcome(Finding::at_most("exponent", -0.5, excess))?,
        Outcome::Supports,
        "{excess}"
    );
    assert_eq!(
        outcome(Finding::at_most("exponent", -2.0, excess))?,
        Outcome::Contradicts
    );
    // A sample of sixteen that is repeated does not teach more.
    let few = LearningCurve::run(&class, &[16], 150, (0.0, 1.0), &streams, "sixteen", &mut Unwatched)?;
    let repeated = Array2::from_shape_fn((150, sizes.len()), |(r, _)| few.excess[[r, 0]]);
    let flat = power_fit_runs(&curve.sizes, &repeated, window, 2000, &mut boot)?.slope;
    assert_eq!(outcome(Finding::at_most("exponent", -0.5, flat))?, Outcome::Contradicts);
    // Boxes that grow with N.
    let mut growing = Array2::zeros((40, 3));
    for run in 0..40 {
        let mut draws = streams.replicate("growing", run)?;
        let mut sample = class.empty();
        for (c, size) in [64usize, 512, 4096].iter().enumerate() {
            let more = size - sample.count() as usize;
            class.extend(&mut sample, more, &mut draws)?;
            let r = (*size as f64).powf(0.25);
            growing[[run as usize, c]] = sample.supremum(&class, -r, r)?;
        }
    }
    let slope = power_fit_runs(&[64.0, 512.0, 4096.0], &growing, window, 2000, &mut boot)?.slope;
    assert_ne!(equals(slope, -0.5)?, Outcome::Supports, "{slope}");
    Ok(())
}

#[test]
fn the_variance_bound_holds_and_a_fifth_of_it_does_not() -> Outcomes {
    let streams = Streams::new(15);
    let class = LinearClass::one_step(20, 5, 1)?;
    let (count, delta, runs) = (256, 0.1, 400u64);
    let bound = class.variance_bound(0.0, 1.0, count, delta)?;
    let mut beyond = [0u64; 2];
    for run in 0..runs {
        let mut sample = class.empty();
        class.extend(&mut sample, count, &mut streams.replicate("bound", run)?)?;
        let sup = sample.supremum(&class, 0.0, 1.0)?;
        beyond[0] += u64::from(sup > bound);
        beyond[1] += u64::from(sup > bound / 20.0);
    }
    let share = |k: u64| -> Result<Outcome, Box<dyn std::error::Error>> {
        outcome(Finding::at_most("share beyond", delta, proportion(k, runs)?))
    };
    assert_eq!(share(beyond[0])?, Outcome::Supports, "{beyond:?}");
    assert_eq!(share(beyond[1])?, Outcome::Contradicts, "{beyond:?}");
    Ok(())
}

#[test]
fn the_chain_needs_two_suprema() -> Outcomes {
    // Two prompts (h, y^2) of dimension one, equally likely, the first one drawn; parameters 1 and 1/3.
    let loss = |theta: f64, (h, y2): (f64, f64)| (1.0 - theta * h).powi(2) * y2;
    let prompts = [(1.5, 4.0), (3.0, 0.5)];
    let thetas = [1.0, 1.0 / 3.0];
    let risk = thetas.map(|t| 0.5 * (loss(t, prompts[0]) + loss(t, prompts[1])));
    let sup = (0..2)
        .map(|i| (risk[i] - loss(thetas[i], prompts[0])).abs())
        .fold(0.0, f64::max);
    let excess = risk[0] - risk[1];
    assert!(loss(thetas[0], prompts[0]) <= loss(thetas[1], prompts[0]) + 1e-15);
    separates(
        (excess - 2.0 * sup).abs(),
        1e-12,
        &[(excess - sup).abs(), (excess - 1.5 * sup).abs()],
    );
    Ok(())
}

#[test]
fn gradients_on_s_are_along_sigma_and_vanish_at_the_optimum() -> Outcomes {
    let law = TaskLaw::rotated(&[1.0, 0.25, 0.0625], &mut stream("rotation"))?;
    let (sigma, inverse) = (law.covariance(), law.truth_covariance());
    let root = law.root()?.inv()?;
    let few = Prompts::draw(&law, 8, 4, &mut stream("few"))?.statistics()?;
    let closed = Batch::new(&symmetrised(&few, &law)?, Precision::Double)?;
    let open = Batch::new(&few, Precision::Double)?;
    let off = |batch: &Batch, matrix: &Array2<f64>| -> Result<f64, Box<dyn std::error::Error>> {
        let gradient = batch.loss_and_gradient(&on(&[0.3, 0.7, 0.5], matrix)?)?.1;
        Ok(distance_to_identity(&conjugated(&gradient.a(1)?.to_owned(), &root)?)?)
    };
    separates(
        off(&closed, inverse)?,
        1e-10,
        &[
            off(&closed, &Array2::eye(3))?,
            off(&closed, sigma)?,
            off(&open, inverse)?,
        ],
    );
    // The gradient is along Sigma, not along its inverse.
    let gradient = closed
        .loss_and_gradient(&on(&[0.3, 0.7, 0.5], inverse)?)?
        .1
        .a(0)?
        .to_owned();
    let up = conjugated(&gradient, &law.root()?)?;
    assert_eq!(vanishes(distance_to_identity(&up)?, 1e-10), Outcome::Contradicts);

    let best = best_whitened(20, 5, 3)?;
    let squared = |a: &[f64]| -> Result<f64, Box<dyn std::error::Error>> {
        Ok(whitened_gradient(a, 20, 5)?.iter().map(|s| s * s).sum())
    };
    let larger: Vec<f64> = best.steps.iter().map(|a| 1.02 * a).collect();
    let flipped: Vec<f64> = best.steps.iter().map(|a| -a).collect();
    separates(
        squared(&best.steps)?,
        1e-15,
        &[squared(&larger)?, squared(&flipped)?, squared(&[20.0 / 26.0; 3])?],
    );
    Ok(())
}

#[test]
fn other_families_have_no_stationary_point() -> Outcomes {
    let law = TaskLaw::rotated(&[1.0, 0.25, 0.0625], &mut stream("rotation of families"))?;
    let fit = Batch::draw(&law, 20, 20_000, Precision::Double, &mut stream("fit"))?;
    let streams = Streams::new(15);
    let squared = |matrix: &Array2<f64>, name: &str| -> Result<Estimate, Box<dyn std::error::Error>> {
        let model = on(&best_multiples(&fit, matrix, 2)?, matrix)?;
        let mut products = Vec::new();
        for pair in 0..30 {
            let mut draws = streams.replicate(name, pair)?;
            let mut gradient = || -> Result<Parameters, Box<dyn std::error::Error>> {
                Ok(Batch::draw(&law, 20, 5000, Precision::Double, &mut draws)?
                    .loss_and_gradient(&model)?
                    .1)
            };
            let (g, h) = (gradient()?, gradient()?);
            products.push(g.values().iter().zip(h.values()).map(|(a, b)| a * b).sum());
        }
        Ok(mean(&products)?)
    };
    let right = squared(law.truth_covariance(), "inverse")?;
    for (name, matrix) in [("identity", Array2::eye(3)), ("covariance", law.covariance().clone())] {
        let twin = squared(&matrix, name)?;
        let zero = |e: Estimate| outcome(Finding::equals("squared norm", 0.0, 0.1 * twin.value, e));
        assert_eq!(zero(right)?, Outcome::Supports, "{right} beside {twin}");
        assert_eq!(zero(twin)?, Outcome::Contradicts);
    }
    Ok(())
}

#[test]
fn only_the_mean_of_the_diagonal_gives_the_distance() -> Outcomes {
    let mut draws = stream("matrices");
    for _ in 0..50 {
        let m = normal_array2(&mut draws, 5, 5);
        let alpha = mean_diagonal(&m)?;
        let best = distance_to_identity(&m)?;
        let excess = |a: f64| -> Result<f64, workbench::memformer::Error> { Ok((distance_at(&m, a)? - best).abs()) };
        separates(
            excess(alpha)?,
            1e-14,
            &[excess(5.0 * alpha + 0.1)?, excess(-alpha - 0.1)?],
        );
    }
    let drawn: Vec<f64> = (0..20_000)
        .map(|_| distance_to_identity(&normal_array2(&mut draws, 3, 3)))
        .collect::<Result<_, _>>()?;
    let seen = mean(&drawn)?;
    assert_eq!(
        outcome(Finding::near("start", expected_distance(3)?, 0.0, seen))?,
        Outcome::Supports
    );
    assert_eq!(
        outcome(Finding::near("start", 1.0 - 1.0 / 9.0, 0.0, seen))?,
        Outcome::Contradicts
    );
    Ok(())
}

#[test]
fn training_goes_to_the_inverse_covariance_and_to_nothing_else() -> Outcomes {
    let law = TaskLaw::rotated(&[1.0, 0.25, 1.0], &mut stream("law of training"))?;
    let protocol = Protocol::rotated().with_batch(4000).with_phases(vec![
        Phase::new(&[Part::Preconditioners], 1500, 0.03).halving_every(200),
    ]);
    let mut trainer = Trainer::new(Architecture::new(2, 3)?, law.clone(), protocol, &mut stream("training"))?;
    let seen = Alignment::follow(&mut trainer, 500, &mut Unwatched)?;
    let end = seen.steps.len() - 1;
    let largest = |table: &Array2<f64>| table.column(end).iter().copied().fold(0.0, f64::max);
    let smallest = |table: &Array2<f64>| table.column(end).iter().copied().fold(1.0, f64::min);
    separates(
        largest(&seen.inverse),
        0.1,
        &[smallest(&seen.identity), smallest(&seen.covariance)],
    );
    // The loss at the end is that of the exact optimum on S, and not that of one layer less.
    let fresh = Batch::draw(&law, 20, 50_000, Precision::Double, &mut stream("fresh"))?;
    let losses = |model: &Parameters, l: usize| -> Result<Vec<f64>, workbench::memformer::Error> {
        Ok(fresh.losses(model)?.row(l).to_vec())
    };
    let trained = losses(trainer.parameters(), 2)?;
    let against = |steps: &[f64]| -> Result<Outcome, Box<dyn std::error::Error>> {
        let optimum = losses(&on(steps, law.truth_covariance())?, steps.len())?;
        let scale = mean(&optimum)?.value;
        let excess = paired_difference(&trained, &optimum)?.affine(1.0 / scale, 0.0)?;
        outcome(Finding::equals("relative excess", 0.0, 0.2, excess))
    };
    assert_eq!(against(&best_whitened(20, 3, 2)?.steps)?, Outcome::Supports);
    assert_eq!(against(&best_whitened(20, 3, 1)?.steps)?, Outcome::Contradicts);
    Ok(())
}

#[test]
fn few_prompts_are_learned_by_heart_and_many_are_not() -> Outcomes {
    let streams = Streams::new(15);
    let law = TaskLaw::isotropic(3)?;
    let test = Batch::draw(&law, 10, 10_000, Precision::Double, &mut stream("test"))?;
    let registers = RegisterKind::Separate {
        weight: RegisterWeight::Diagonal,
        tied: false,
    };
    let start = descent_parameters(Architecture::new(2, 3)?.with_registers(registers), 0.5)?;
    let protocol = Protocol::document()
        .with_examples(10)
        .with_phases(vec![Phase::new(&[Part::Registers], 600, 0.02).halving_every(200)]);
    let gap = |prompts: usize| -> Result<Estimate, Box<dyn std::error::Error>> {
        let mut gaps = Vec::new();
        for run in 0..6 {
            let mut draws = streams.replicate(&format!("prompts {prompts}"), run)?;
            gaps.push(train_on_prompts(&start, &law, &protocol, prompts, &test, &mut draws, &mut Unwatched)?.gap());
        }
        Ok(mean(&gaps)?)
    };
    let (one, thousand) = (gap(1)?, gap(1000)?);
    let none = |e: Estimate| outcome(Finding::equals("gap", 0.0, 0.5, e));
    assert_eq!(none(thousand)?, Outcome::Supports, "{thousand}");
    assert_eq!(none(one)?, Outcome::Contradicts, "{one}");
    // The broader family of Section 5: scalar weights are covered, diagonal ones are not.
    separates(
        hadamard_distance(&array![2.0, 2.0, 2.0])?,
        1e-12,
        &[hadamard_distance(&array![1.0, 2.0, 3.0])?],
    );
    Ok(())
}

#[test]
fn shared_diagonal_weights_do_not_match_conjugate_gradients() -> Outcomes {
    let law = TaskLaw::rotated(&[1.0, 1.0, 0.5, 0.25, 1.0], &mut stream("law of Section 3.3"))?;
    let measure = Measure::Query(law.covariance().clone());
    let registers = RegisterKind::Separate {
        weight: RegisterWeight::Diagonal,
        tied: false,
    };
    let start = descent_parameters(Architecture::new(4, 5)?.with_registers(registers), 0.5)?;
    let protocol =
        Protocol::document().with_phases(vec![Phase::new(&[Part::Registers], 2000, 0.02).halving_every(400)]);
    let mut trainer = Trainer::from_parameters(start, law.clone(), protocol, &mut stream("diagonal"))?;
    trainer.run(&mut Unwatched)?;
    let fresh = Quadratic::of_batch(&Prompts::draw(&law, 20, 2000, &mut stream("fresh prompts"))?.statistics()?)?;
    let own = conjugate_losses(&fresh, 4, &measure)?;
    let learned = method_losses(&method_of(trainer.parameters())?, &fresh, &measure)?;
    let margin: Vec<f64> = own.row(4).iter().map(|v| 1.1 * v).collect();
    let matches = |losses: Vec<f64>| -> Result<Outcome, Box<dyn std::error::Error>> {
        outcome(Finding::at_most(
            "loss minus margin",
            0.0,
            paired_difference(&losses, &margin)?,
        ))
    };
    assert_eq!(matches(learned.row(4).to_vec())?, Outcome::Contradicts);
    assert_eq!(matches(own.row(4).to_vec())?, Outcome::Supports);
    assert_eq!(matches(own.row(3).to_vec())?, Outcome::Contradicts);
    Ok(())
}

#[test]
fn stages_are_separate_and_joint_training_is_not() -> Outcomes {
    let architecture = Architecture::new(2, 3)?.with_registers(RegisterKind::Separate {
        weight: RegisterWeight::Scalar,
        tied: false,
    });
    let start = Parameters::random(architecture, 1e-2, &mut stream("start"))?;
    let law = TaskLaw::isotropic(3)?;
    let changed = |first: &[Part]| -> Result<f64, Box<dyn std::error::Error>> {
        let phases = vec![Phase::new(first, 200, 0.03), Phase::new(&[Part::Registers], 100, 0.01)];
        let protocol = Protocol::document().with_batch(200).with_phases(phases);
        let mut run = Trainer::from_parameters(
            start.clone(),
            law.clone(),
            protocol,
            &mut Streams::new(1).stream("run")?,
        )?;
        run.run_for(200, &mut Unwatched)?;
        let registers = run.parameters().registers().iter().zip(start.registers());
        Ok(registers.filter(|(a, b)| a.to_bits() != b.to_bits()).count() as f64)
    };
    separates(
        changed(&[Part::Preconditioners])?,
        0.0,
        &[changed(&[Part::Preconditioners, Part::Registers])?],
    );
    Ok(())
}
