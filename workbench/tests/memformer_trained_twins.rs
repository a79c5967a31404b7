//! Wrong twins of the checks in `notebooks/memformer-trained.ipynb`: each check is run against a statement that is known to be wrong, and
//! must say so.

use workbench::ledger::{Finding, Outcome};
use workbench::memformer::{
    Architecture, Averaging, Batch, Counted, Curve, Ensemble, Family, Fraction, Instance, Layer, Lfom, Mask, Measure,
    Number, Parameters, Part, Phase, Precision, Prompts, Protocol, Quadratic, RegisterKind, RegisterWeight, Registers,
    Score, SingleMemory, Solver, TaskLaw, TestSet, Trainer, best_shared_memory, complex_step_gradients,
    conjugate_gradient, count_operations, fraction_matrix, gd_plus_plus, identity, inner_product, literal_forward,
    matrix_vector, neumann_inverse, newton_step, output, preconditioned_descent, product, rank,
};
use workbench::ndarray::{Array1, Array2, s};
use workbench::stats::{Estimate, Stream, Streams, normal_array2};
use workbench::work::Unwatched;

type Outcomes = Result<(), Box<dyn std::error::Error>>;

const SCORE: Score = Score::Query;
const MEAN: Averaging = Averaging::LogOfMeans;

fn stream(name: &str) -> Stream {
    Streams::new(5).stream(name).expect("fresh name")
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

/// The measurement is at least the bound, the wrong ones are not. Three runs decide the sign only: the notebook has five, and intervals.
fn reaches(bound: f64, right: Estimate, wrong: &[Estimate]) {
    let outcome = |e: &Estimate| {
        let finding = Finding::at_least("difference", bound, Estimate::exact(e.value));
        finding.outcome().expect("finite numbers have an outcome")
    };
    assert_eq!(outcome(&right), Outcome::Supports, "{right:?}");
    for twin in wrong {
        assert_eq!(outcome(twin), Outcome::Contradicts, "{twin:?}");
    }
}

fn part(top: i64, bottom: i64) -> Fraction {
    Fraction::whole(top)
        .over(&Fraction::whole(bottom))
        .expect("the bottom is not zero")
}

/// Three laws of Section 3.3 and prompts of each.
fn field(name: &str, size: usize) -> (Vec<TaskLaw>, Vec<TestSet>) {
    let streams = Streams::new(6);
    let draw = |i: u64| {
        let spectrum = [1.0, 1.0, 0.5, 0.25, 1.0];
        let law = TaskLaw::rotated(&spectrum, &mut streams.replicate("rotation", i)?)?;
        let test = TestSet::draw(&law, 20, size, &mut streams.replicate(name, i)?)?;
        Ok((law, test))
    };
    let drawn: Result<Vec<_>, workbench::memformer::Error> = (0..3).map(draw).collect();
    drawn.expect("laws and prompts").into_iter().unzip()
}

fn train(parameters: Parameters, law: &TaskLaw, protocol: &Protocol, name: &str) -> Trainer {
    Trainer::from_parameters(parameters, law.clone(), protocol.clone(), &mut stream(name)).expect("a sound protocol")
}

fn short(parts: &[Part], steps: u64) -> Protocol {
    let phase = Phase::new(parts, steps, 0.03).halving_every(steps / 6);
    Protocol::document().with_batch(500).with_phases(vec![phase])
}

fn tied(depth: usize) -> Architecture {
    let weight = RegisterWeight::Scalar;
    let plain = Architecture::new(depth, 5).expect("positive sizes");
    plain.with_registers(RegisterKind::Separate { weight, tied: true })
}

/// Linear transformers of 1, ..., depth layers with A_l = a_l Sigma^power at the rates of the best polynomial.
fn built(laws: &[TaskLaw], depth: usize, inverse: bool) -> Result<Vec<Parameters>, Box<dyn std::error::Error>> {
    let white = TaskLaw::isotropic(5)?;
    let batch = Quadratic::of_batch(&Prompts::draw(&white, 20, 4000, &mut stream("optimum"))?.statistics()?)?;
    let best = best_shared_memory(&batch, depth, &Measure::Distance)?.method;
    let mut all = Vec::new();
    for law in laws {
        for l in 1..=depth {
            let rates = SingleMemory::new(best.alpha[..l].to_vec(), best.gamma[..l].to_vec())?.memoryless()?;
            let mut model = Parameters::neutral(Architecture::new(l, 5)?);
            for (i, a) in rates.iter().enumerate() {
                let matrix = if inverse {
                    law.truth_covariance()
                } else {
                    law.covariance()
                };
                model.set_a(i, &(*a * matrix))?;
            }
            all.push(model);
        }
    }
    Ok(all)
}

#[test]
fn training_comes_near_the_optimum_and_its_beginning_does_not() -> Outcomes {
    let (laws, tests) = field("trainability", 2000);
    let optimum = Curve::of_models(&built(&laws, 2, true)?, &tests)?;
    let start = Parameters::random(Architecture::new(2, 5)?, 1e-4, &mut stream("start"))?;
    let mut whole = train(start, &laws[0], &short(&[Part::Preconditioners], 1500), "whole");
    whole.run_for(15, &mut Unwatched)?;
    let early = whole.parameters().clone();
    whole.run(&mut Unwatched)?;
    let mut flipped = whole.parameters().clone();
    flipped.values_mut().iter_mut().for_each(|v| *v = -*v);
    let gap = |model: &Parameters| -> Result<f64, workbench::memformer::Error> {
        let losses = tests[0].losses(&Solver::Model(model.clone()), 2)?;
        Ok(losses.log_of_means(SCORE)[2] - optimum.runs()[0].log_of_means(SCORE)[2])
    };
    separates(gap(whole.parameters())?, 0.2, &[gap(&early)?, gap(&flipped)?]);
    Ok(())
}

#[test]
fn the_gradient_of_the_set_up_and_a_transposed_one() -> Outcomes {
    let law = TaskLaw::rotated(&[1.0, 0.5, 0.25], &mut stream("law"))?;
    let prompts = Prompts::draw(&law, 6, 4, &mut stream("prompts"))?;
    let model = Parameters::random(Architecture::new(3, 3)?, 0.3, &mut stream("model"))?;
    let (_, gradient) = Batch::new(&prompts.statistics()?, Precision::Double)?.loss_and_gradient(&model)?;
    let layers = (0..3)
        .map(|l| Layer::restricted(&model.a(l)?.to_owned()))
        .collect::<Result<Vec<_>, _>>()?;
    let mut stepped = vec![Array2::<f64>::zeros((3, 3)); 3];
    for b in 0..4 {
        let z = Instance::of_prompts(&prompts, b)?.tokens;
        let miss = output(&literal_forward(&layers, &z, Mask::Printed)?)? - prompts.answers()[b];
        for (sum, layer) in stepped.iter_mut().zip(complex_step_gradients(&layers, &z)?) {
            sum.scaled_add(-2.0 * miss / 4.0, &layer.q.slice(s![..3, ..3]));
        }
    }
    let far = |turn: bool| -> Result<f64, workbench::memformer::Error> {
        let mut worst = 0.0f64;
        for (l, want) in stepped.iter().enumerate() {
            let got = gradient.a(l)?;
            let got = if turn { got.t().to_owned() } else { got.to_owned() };
            worst = worst.max((&got - want).iter().fold(0.0, |m: f64, e| m.max(e.abs())));
        }
        Ok(worst)
    };
    separates(far(false)?, 1e-10, &[far(true)?]);
    Ok(())
}

#[test]
fn runs_repeat_from_their_seed_only() -> Outcomes {
    let law = TaskLaw::isotropic(5)?;
    let run = |name: &str| -> Result<Vec<f64>, Box<dyn std::error::Error>> {
        let mut run = Trainer::new(
            tied(2),
            law.clone(),
            short(&[Part::Preconditioners], 60),
            &mut stream(name),
        )?;
        run.run(&mut Unwatched)?;
        Ok(run.parameters().values().to_vec())
    };
    let differ = |a: &[f64], b: &[f64]| a.iter().zip(b).filter(|(x, y)| x.to_bits() != y.to_bits()).count() as f64;
    let one = run("one")?;
    separates(differ(&one, &run("one")?), 0.0, &[differ(&one, &run("two")?)]);
    Ok(())
}

#[test]
fn shared_scalars_lie_between_gradient_descent_and_conjugate_gradients() -> Outcomes {
    let (laws, tests) = field("fig 1", 400);
    let batch = Quadratic::of_batch(&Prompts::draw(&laws[0], 20, 1000, &mut stream("batch"))?.statistics()?)?;
    let shared = Solver::Memory(best_shared_memory(&batch, 4, &Measure::Loss)?.method);
    let shared = Curve::of_solver(&shared, &tests, 4)?;
    let cgd = Curve::of_solver(&Solver::ConjugateGradient, &tests, 4)?;
    let gd = Curve::of_solver(&Solver::Memory(SingleMemory::gradient_descent(0.5, 4)?), &tests, 4)?;
    let ahead = |a: &Curve, b: &Curve| a.advantage(b, SCORE, MEAN, 4);
    reaches(0.0, ahead(&shared, &gd)?, &[ahead(&gd, &shared)?]);
    reaches(0.3, ahead(&cgd, &shared)?, &[ahead(&shared, &cgd)?]);
    Ok(())
}

#[test]
fn preconditioning_with_the_covariance_instead_of_its_inverse() -> Outcomes {
    let (laws, tests) = field("fig 2", 400);
    let right = Curve::of_models(&built(&laws, 4, true)?, &tests)?;
    let wrong = Curve::of_models(&built(&laws, 4, false)?, &tests)?;
    let cgd = Curve::of_solver(&Solver::ConjugateGradient, &tests, 4)?;
    let (nag, mgd) = (
        Curve::of_solver(&Family::Nesterov.solver(0.03, 0.9, 4)?, &tests, 4)?,
        Curve::of_solver(&Family::Momentum.solver(0.005, 0.9, 4)?, &tests, 4)?,
    );
    let ahead = |a: &Curve, b: &Curve, l: usize| a.advantage(b, SCORE, MEAN, l);
    reaches(0.0, ahead(&right, &cgd, 1)?, &[ahead(&wrong, &cgd, 1)?]);
    for rival in [&nag, &mgd] {
        reaches(0.5, ahead(&right, rival, 4)?, &[ahead(rival, &right, 4)?]);
    }
    // After d = 5 steps conjugate gradients are done, after 4 they are not.
    let five = Curve::of_solver(&Solver::ConjugateGradient, &tests, 5)?;
    let left = |l: usize| five.line(SCORE, MEAN)[l];
    reaches(20.0, Estimate::exact(-left(5)), &[Estimate::exact(-left(4))]);
    Ok(())
}

#[test]
fn a_shared_scalar_gamma_is_absorbed_by_a_and_a_free_one_is_not() -> Outcomes {
    let model = |architecture: Architecture| -> Result<Parameters, workbench::memformer::Error> {
        let mut model = Parameters::random(architecture, 0.2, &mut stream("gamma"))?;
        for (i, g) in model.registers_mut().iter_mut().enumerate() {
            *g = 0.5 + 0.3 * i as f64;
        }
        Ok(model)
    };
    let f = Quadratic::of_prompt(&normal_array2(&mut stream("x"), 5, 20), &Array1::ones(20))?;
    // Gamma_j A_j in the place of A_j, with Gamma = 1.
    let absorb = |model: &Parameters, gamma: &dyn Fn(usize) -> f64| -> Result<f64, workbench::memformer::Error> {
        let mut plain = Parameters::neutral(tied(3));
        for l in 0..3 {
            plain.set_a(l, &(gamma(l) * &model.a(l)?))?;
        }
        let (a, b) = (model.run(&f)?.iterates, plain.run(&f)?.iterates);
        Ok(a.iter()
            .zip(&b)
            .flat_map(|(a, b)| a - b)
            .fold(0.0, |m: f64, e| m.max(e.abs())))
    };
    let shared = model(tied(3))?;
    let weight = RegisterWeight::Scalar;
    let free = model(Architecture::new(3, 5)?.with_registers(RegisterKind::Separate { weight, tied: false }))?;
    let of = |m: &Parameters, l: usize| m.registers()[l];
    separates(
        absorb(&shared, &|l| of(&shared, l))?,
        1e-12,
        &[
            absorb(&shared, &|_| 1.0)?,
            absorb(&free, &|l| of(&free, l * (l + 3) / 2))?,
        ],
    );
    Ok(())
}

#[test]
fn a_shared_gamma_enters_once_for_each_later_layer() -> Outcomes {
    let mut stream = stream("multiplicity");
    let prompt = Instance::draw(&mut stream, 2, 4)?;
    let (f, gamma) = (prompt.quadratic(), [part(1, 7), part(1, 5), part(1, 3)]);
    let rows: Vec<Vec<Array1<Fraction>>> = (0..3)
        .map(|l| (0..=l).map(|j| Array1::from_elem(5, gamma[j].clone())).collect())
        .collect();
    let states = Registers::with_rows(vec![Layer::restricted(&identity(2))?; 3], &rows)?
        .run(&prompt.tokens)?
        .states;
    let wrong_labels = |count: &dyn Fn(usize, usize) -> i64| -> Result<f64, Box<dyn std::error::Error>> {
        let weight = |k: usize, j: usize| gamma[j].times(&Fraction::whole(-count(k, j)));
        let method = Lfom::scalars((0..3).map(|k| (0..=k).map(|j| weight(k, j)).collect()).collect())?;
        let run = method.run(&f, &f.origin())?;
        let answer = inner_product(&prompt.query(), &run.iterates[3])?;
        Ok(states[3][[2, 4]].plus(&answer).magnitude())
    };
    separates(
        wrong_labels(&|k, j| (k + 1 - j) as i64)?,
        0.0,
        &[wrong_labels(&|_, _| 1)?, wrong_labels(&|k, j| (k + 2 - j) as i64)?],
    );
    // It is momentum with the coefficient 1: s_l = r_l + s_{l-1}, with one gamma for all layers.
    let same: Vec<Vec<Array1<Fraction>>> = (0..3)
        .map(|l| vec![Array1::from_elem(5, gamma[0].clone()); l + 1])
        .collect();
    let states = Registers::with_rows(vec![Layer::restricted(&identity(2))?; 3], &same)?
        .run(&prompt.tokens)?
        .states;
    let miss = |beta: Fraction| -> Result<f64, Box<dyn std::error::Error>> {
        let run = SingleMemory::momentum(gamma[0].clone(), beta, 3)?.run(&f, &f.origin())?;
        Ok(states[3][[2, 4]]
            .plus(&inner_product(&prompt.query(), &run.iterates[3])?)
            .magnitude())
    };
    separates(
        miss(Fraction::one())?,
        0.0,
        &[miss(Fraction::zero())?, miss(part(9, 10))?],
    );
    Ok(())
}

#[test]
fn upper_blocks_shrink_tokens_by_the_remainder_not_the_sum() -> Outcomes {
    let mut stream = stream("blocks");
    let (d, a, b) = (2, part(1, 3), part(1, 5));
    let prompt = Instance::draw(&mut stream, d, 4)?;
    let h = prompt.quadratic().hessian;
    let scaled = |c: &Fraction| identity::<Fraction>(d).mapv(|v| v.times(c));
    let layers = vec![Layer::with_block(&scaled(&a), &scaled(&b))?; 2];
    let moved = literal_forward(&layers, &prompt.tokens, Mask::Printed)?[1]
        .slice(s![..d, 1])
        .to_owned();
    let token = prompt.tokens.slice(s![..d, 1]).to_owned();
    let c = a.times(&b);
    let left = |matrix: &Array2<Fraction>| -> Result<f64, Box<dyn std::error::Error>> {
        let want = matrix_vector(matrix, &token)?;
        Ok(want
            .iter()
            .zip(&moved)
            .map(|(x, y)| x.minus(y).magnitude())
            .fold(0.0, f64::max))
    };
    let shrink = |c: &Fraction| {
        Array2::from_shape_fn((d, d), |(i, j)| {
            Fraction::whole(i64::from(i == j)).minus(&c.times(&h[[i, j]]))
        })
    };
    separates(
        left(&shrink(&c))?,
        0.0,
        &[
            left(&shrink(&c.negated()))?,
            left(&shrink(&b))?,
            left(&neumann_inverse(&h, &c, 1)?)?,
            left(&neumann_inverse(&h, &c, 2)?)?,
        ],
    );
    // Digits double with B and only add up without.
    let f = Quadratic::around(Array2::from_diag(&Array1::from(vec![0.9, 1.0, 1.1])), &Array1::ones(3))?;
    let order = |beta: f64| -> Result<f64, Box<dyn std::error::Error>> {
        let mut range = (0.9, 1.1);
        let mut blocks = Vec::new();
        for _ in 0..3 {
            let c = 0.5 * (range.0 + range.1);
            let to = |h: f64| h * (1.0 - beta * h / c).powi(2);
            blocks.push((Array2::eye(3) / c, beta * Array2::<f64>::eye(3)));
            let ends = (to(range.0), to(range.1));
            range = if beta == 0.0 {
                range
            } else {
                (ends.0.min(ends.1), to(c))
            };
        }
        let run = gd_plus_plus(&f, &blocks)?.iterates;
        let left: Vec<f64> = run
            .iter()
            .map(|w| (w - 1.0).iter().fold(0.0, |m: f64, e| m.max(e.abs())))
            .collect();
        Ok((left[3] / left[2]).ln() / (left[2] / left[1]).ln())
    };
    let near = |order: f64| (order - 2.0).abs();
    separates(near(order(1.0 / 3.0)?), 0.5, &[near(order(0.0)?), near(order(0.05)?)]);
    Ok(())
}

#[test]
fn upper_blocks_beat_conjugate_gradients_and_their_absence_does_not() -> Outcomes {
    let (laws, tests) = field("fig 4", 400);
    let architecture = Architecture::new(3, 5)?.with_upper_block();
    let parts = [Part::Preconditioners, Part::UpperBlocks];
    let mut all = Vec::new();
    for (i, law) in laws.iter().enumerate() {
        let start = Parameters::random(architecture, 1e-4, &mut stream(&format!("start {i}")))?;
        all.push(train(start, law, &short(&parts, 1500), &format!("run {i}")));
    }
    let mut ensemble = Ensemble::new(all)?;
    ensemble.run(&mut Unwatched)?;
    let with: Vec<Solver> = ensemble.models().into_iter().map(Solver::Model).collect();
    let with = Curve::of_solvers(&with, &tests, 3)?;
    let without = Curve::of_models(&built(&laws, 3, true)?, &tests)?;
    let cgd = Curve::of_solver(&Solver::ConjugateGradient, &tests, 3)?;
    reaches(
        0.3,
        with.advantage(&cgd, SCORE, MEAN, 3)?,
        &[
            without.advantage(&cgd, SCORE, MEAN, 3)?,
            cgd.advantage(&with, SCORE, MEAN, 3)?,
        ],
    );
    Ok(())
}

#[test]
fn the_order_of_mean_and_logarithm_matters() -> Outcomes {
    let (_, tests) = field("averages", 1000);
    let cgd = Curve::of_solver(&Solver::ConjugateGradient, &tests, 4)?;
    let gap = |l: usize| cgd.line(SCORE, MEAN)[l] - cgd.line(SCORE, Averaging::MeanOfLogs)[l];
    // Conjugate gradients spread over decades by the fourth step; at the start prompts are alike.
    reaches(
        0.4,
        Estimate::exact(gap(4)),
        &[Estimate::exact(gap(0)), Estimate::exact(-gap(4))],
    );
    Ok(())
}

#[test]
fn one_prompt_is_learned_by_heart_and_only_that_one() -> Outcomes {
    let (laws, tests) = field("fresh", 200);
    let (mut own, mut scalars) = (Vec::new(), Vec::new());
    let prompts: Vec<TestSet> = laws
        .iter()
        .enumerate()
        .map(|(i, law)| TestSet::draw(law, 20, 1, &mut stream(&format!("prompt {i}"))))
        .collect::<Result<_, _>>()?;
    for (i, (law, prompt)) in laws.iter().zip(&prompts).enumerate() {
        for identity in [false, true] {
            let mut model = Parameters::random(tied(3), 1e-4, &mut stream(&format!("start {i} {identity}")))?;
            let parts = if identity {
                Part::Registers
            } else {
                Part::Preconditioners
            };
            if identity {
                (0..3).try_for_each(|l| model.set_a(l, &Array2::eye(5)))?;
            }
            let mut run = train(model, law, &short(&[parts], 900), &format!("run {i} {identity}"));
            run.hold(Batch::new(prompt.statistics(), Precision::Double)?)?;
            run.run(&mut Unwatched)?;
            let solver = Solver::Model(run.parameters().clone());
            if identity {
                scalars.push(solver)
            } else {
                own.push(solver)
            }
        }
    }
    let curve = |solvers: &[Solver], tests: &[TestSet]| Curve::of_solvers(solvers, tests, 3);
    let (cgd, cgd_fresh) = (
        Curve::of_solver(&Solver::ConjugateGradient, &prompts, 3)?,
        Curve::of_solver(&Solver::ConjugateGradient, &tests, 3)?,
    );
    let mean = |curve: &Curve, rival: &Curve, score: Score| curve.advantage(rival, score, MEAN, 3);
    reaches(
        0.5,
        mean(&curve(&own, &prompts)?, &cgd, Score::Answer)?,
        &[
            mean(&curve(&own, &tests)?, &cgd_fresh, Score::Query)?,
            mean(&curve(&scalars, &prompts)?, &cgd, Score::Examples)?,
        ],
    );
    Ok(())
}

#[test]
fn printed_constants_are_not_the_best_of_the_grid() -> Outcomes {
    let (_, tests) = field("constants", 300);
    for (family, printed, better) in [
        (Family::Nesterov, (0.03, 0.9), (0.6, 0.2)),
        (Family::Momentum, (0.005, 0.9), (0.6, 0.2)),
    ] {
        let curve = |(rate, beta): (f64, f64)| Curve::of_solver(&family.solver(rate, beta, 4)?, &tests, 4);
        let (printed, better) = (curve(printed)?, curve(better)?);
        let gain = better.advantage(&printed, SCORE, MEAN, 4)?;
        reaches(0.3, gain, &[printed.advantage(&better, SCORE, MEAN, 4)?]);
    }
    // Stability: the closed form of the radius against a wrong sign of the memory.
    let radius = Family::Nesterov.spectral_radius(0.7, 0.5, 1.5);
    let (t, p) = (1.5 * (1.0 - 1.05), 0.5 * (1.0 - 1.05));
    let root = |t: f64, p: f64| (0.5 * (f64::abs(t) + (t * t - 4.0 * p).max(0.0).sqrt()) - radius).abs();
    separates(root(t, p), 1e-12, &[root(t, -p), root(0.5 * (1.0 - 1.05), p)]);
    Ok(())
}

#[test]
fn ten_dimensions_need_ten_steps() -> Outcomes {
    let law = TaskLaw::isotropic(10)?;
    let tests = [TestSet::draw(&law, 20, 200, &mut stream("ten"))?];
    let line = Curve::of_solver(&Solver::ConjugateGradient, &tests, 10)?.line(SCORE, MEAN);
    reaches(
        15.0,
        Estimate::exact(-line[10]),
        &[Estimate::exact(-line[7]), Estimate::exact(-line[6])],
    );
    Ok(())
}

#[test]
fn the_rank_is_the_smaller_of_d_and_n() -> Outcomes {
    let mut stream = stream("rank");
    for (d, n) in [(3, 5), (5, 3)] {
        let x = fraction_matrix(&mut stream, d, n);
        let rank = rank(&product(&x, &x.t().to_owned())?) as f64;
        let miss = |claim: usize| (rank - claim as f64).abs();
        separates(miss(d.min(n)), 0.0, &[miss(d.max(n))]);
    }
    Ok(())
}

#[test]
fn newton_needs_one_whole_step() -> Outcomes {
    let f = Quadratic::of_prompt(&normal_array2(&mut stream("newton"), 4, 9), &Array1::ones(9))?;
    let best = f.minimiser()?;
    let step = newton_step(&f, &f.origin())?;
    let left = |w: &Array1<f64>| (w - &best).iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    let conjugate = conjugate_gradient(&f, &f.origin(), 3)?.iterates;
    separates(left(&step), 1e-10, &[left(&(0.5 * &step)), left(&conjugate[3])]);
    Ok(())
}

#[test]
fn operations_follow_their_polynomials() -> Outcomes {
    let counts = |d: usize, n: usize| -> Result<(f64, f64), Box<dyn std::error::Error>> {
        let x = normal_array2(&mut stream("counted"), d, n).mapv(Counted);
        let prompt = Instance::new(
            normal_array2(&mut stream("tokens"), d, n + 1).mapv(Counted),
            x.column(0).to_owned(),
        )?;
        let (f, a) = (prompt.quadratic(), identity::<Counted>(d));
        let layers = |l: usize| vec![Layer::restricted(&a).expect("square"); l];
        let printed = |l: usize| count_operations(|| literal_forward(&layers(l), &prompt.tokens, Mask::Printed)).1;
        let short = |l: usize| count_operations(|| preconditioned_descent(&f, &f.origin(), &vec![a.clone(); l])).1;
        let more = |count: &dyn Fn(usize) -> u64| (count(3) - count(2)) as f64;
        Ok((more(&|l| printed(l).total()), more(&|l| short(l).total())))
    };
    let (small, _) = counts(4, 8)?;
    let (large, _) = counts(4, 16)?;
    // Quadratic in n as printed, independent of n on the statistics.
    reaches(
        3.0,
        Estimate::exact(large / small),
        &[Estimate::exact(counts(4, 16)?.1 / counts(4, 8)?.1)],
    );
    let (_, own) = counts(4, 8)?;
    let d = 4.0;
    separates((own - (4.0 * d * d + 3.0 * d)).abs(), 0.0, &[(own - 2.0 * d * d).abs()]);
    Ok(())
}
