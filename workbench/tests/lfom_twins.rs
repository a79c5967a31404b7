//! Wrong twins of the checks in `notebooks/memformer-cgd-and-lfom.ipynb`: each check is run against the printed misprint, or against a
//! statement that is known to be wrong, and must say so.

use workbench::ledger::{Finding, Outcome};
use workbench::memformer::{
    Fraction, Instance, Layer, Lfom, Mask, Measure, Number, Prompts, Quadratic, Registers, SingleMemory, TaskLaw,
    Weight, best_shared_memory, conjugate_gradient, conjugate_gradient_as_printed, fraction_matrix, fraction_vector,
    gamma_jacobian, hadamard_distance, identity, inner_product, lambda_jacobian, literal_attention, matrix_vector,
    nearest_diagonal, nearest_hadamard, nearest_iterate, preconditioned_conjugate_gradient, product, rank,
    single_register,
};
use workbench::ndarray::{Array1, Array2, array, s};
use workbench::stats::{Stream, Streams, normal_array2};

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

fn whole(i: i64) -> Fraction {
    Fraction::whole(i)
}

fn part(top: i64, bottom: i64) -> Fraction {
    whole(top).over(&whole(bottom)).expect("the bottom is not zero")
}

fn stack(a: &Array2<Fraction>, layers: usize) -> Vec<Layer<Fraction>> {
    vec![Layer::restricted(a).expect("square"); layers]
}

/// Labels that are not y - <x, w>, over all states and tokens.
fn strangers(prompt: &Instance<Fraction>, states: &[Array2<Fraction>], iterates: &[Array1<Fraction>]) -> f64 {
    let d = prompt.dim();
    let mut count = 0u32;
    for (z, w) in states.iter().zip(iterates) {
        for i in 0..z.ncols() {
            let x = z.slice(s![..d, i]).to_owned();
            let predicted = inner_product(&x, w).expect("one dimension");
            count += u32::from(z[[d, i]] != prompt.tokens[[d, i]].minus(&predicted));
        }
    }
    f64::from(count)
}

#[test]
fn theorem_3_1_needs_the_prompts_own_coefficients() -> Outcomes {
    let mut stream = stream("3.1");
    let (d, n) = (3, 5);
    let (prompt, other) = (Instance::draw(&mut stream, d, n)?, Instance::draw(&mut stream, d, n)?);
    let f = prompt.quadratic();
    let run = conjugate_gradient(&f, &f.origin(), d)?;
    let strange = |c: &SingleMemory<Fraction>| -> Result<f64, Box<dyn std::error::Error>> {
        let states = single_register(&stack(&identity(d), d), &prompt.tokens, c)?.states;
        Ok(strangers(&prompt, &states, &run.iterates))
    };
    let g = other.quadratic();
    let theirs = conjugate_gradient(&g, &g.origin(), d)?.coefficients;
    let mut uphill = run.coefficients.clone();
    uphill.alpha.iter_mut().for_each(|a| *a = a.negated());
    let mut forgetful = run.coefficients.clone();
    forgetful.gamma.iter_mut().for_each(|c| *c = whole(0));
    let mut averaged = run.coefficients.clone();
    averaged.alpha.iter_mut().for_each(|a| *a = a.times(&part(1, n as i64)));
    separates(
        strange(&run.coefficients)?,
        0.0,
        &[
            strange(&theirs)?,
            strange(&uphill)?,
            strange(&forgetful)?,
            strange(&averaged)?,
        ],
    );
    Ok(())
}

#[test]
fn two_prompts_share_no_coefficients() -> Outcomes {
    let law = TaskLaw::isotropic(3)?;
    let statistics = Prompts::draw(&law, 8, 2, &mut stream("pair"))?.statistics()?;
    let batch = Quadratic::of_batch(&statistics)?;
    let left = |batch: &[Quadratic<f64>]| -> Result<f64, Box<dyn std::error::Error>> {
        let best = best_shared_memory(batch, 3, &Measure::Loss)?;
        Ok(best.means[3] / best.means[0])
    };
    separates(left(&batch[..1])?, 1e-12, &[left(&batch)?]);
    Ok(())
}

#[test]
fn the_loop_from_n_1_and_the_mapping() -> Outcomes {
    let mut stream = stream("A.2");
    let (d, n) = (3, 5);
    let prompt = Instance::draw(&mut stream, d, n)?;
    let f = prompt.quadratic();
    let run = conjugate_gradient(&f, &f.origin(), d)?;
    let printed = conjugate_gradient_as_printed(&f, &f.origin(), d + 1)?;
    let left = |w: &Array1<Fraction>| f.gradient(w).iter().map(Number::magnitude).fold(0.0, f64::max);
    separates(
        left(&run.iterates[d]),
        0.0,
        &[left(&printed[d]), left(&printed[d + 1]), left(&run.iterates[d - 1])],
    );

    let held = single_register(&stack(&identity(d), d), &prompt.tokens, &run.coefficients)?;
    let register = &held.registers[1][0][[d, n]];
    let s = inner_product(&prompt.query(), &run.directions[1])?;
    let miss = |c: Fraction| register.minus(&c.times(&s)).magnitude();
    let n = n as i64;
    separates(
        miss(whole(-n)),
        0.0,
        &[miss(whole(n)), miss(whole(-1)), miss(part(1, n))],
    );

    let m = fraction_matrix(&mut stream, d, d + 1);
    let a = product(&m, &m.t().to_owned())?;
    let proper = preconditioned_conjugate_gradient(&f, &a, &f.origin(), d)?.coefficients;
    let unsolved = |c: &SingleMemory<Fraction>| -> Result<f64, Box<dyn std::error::Error>> {
        let last = single_register(&stack(&a, d), &prompt.tokens, c)?.states[d]
            .row(d)
            .to_owned();
        Ok(last.iter().take(5).map(Number::magnitude).fold(0.0, f64::max))
    };
    separates(unsolved(&proper)?, 0.0, &[unsolved(&run.coefficients)?]);
    Ok(())
}

#[test]
fn the_loss_and_its_hessian() -> Outcomes {
    let mut stream = stream("A.9");
    let prompt = Instance::draw(&mut stream, 3, 5)?;
    let x = prompt.covariates();
    let xx = product(&x, &x.t().to_owned())?;
    let seen = prompt.quadratic().hessian_by_differences();
    let miss = |c: Fraction| {
        let gap = |at: (usize, usize)| seen[at].minus(&c.times(&xx[at])).magnitude();
        (0..9).map(|k| gap((k / 3, k % 3))).fold(0.0, f64::max)
    };
    separates(
        miss(part(1, 5)),
        0.0,
        &[miss(whole(1)), miss(part(1, 10)), miss(part(-1, 5))],
    );
    let term = literal_attention(&stack(&identity(3), 1)[0], &prompt.tokens, Mask::Printed)?;
    let step = prompt.quadratic().gradient(&Array1::from_elem(3, whole(0)));
    let pull = inner_product(&prompt.query(), &step)?;
    let miss = |c: i64| term[[3, 5]].minus(&whole(c).times(&pull)).magnitude();
    separates(miss(5), 0.0, &[miss(1), miss(-5), miss(25)]);
    Ok(())
}

#[test]
fn theorem_3_2_increments_sign_and_heads() -> Outcomes {
    let mut stream = stream("3.2");
    let (d, n, k) = (2, 4, 3);
    let prompt = Instance::draw(&mut stream, d, n)?;
    let f = prompt.quadratic();
    let rows: Vec<Vec<Fraction>> = (0..k)
        .map(|l| (0..=l).map(|_| Fraction::draw(&mut stream).plus(&part(1, 7))).collect())
        .collect();
    let method = Lfom::scalars(rows.clone())?;
    let run = method.run(&f, &f.origin())?;
    let strange = |r: &Registers<Fraction>| -> Result<f64, Box<dyn std::error::Error>> {
        Ok(strangers(&prompt, &r.run(&prompt.tokens)?.states, &run.iterates))
    };
    let constant = |c: &Fraction| Array1::from_elem(n + 1, c.negated());
    let summed: Vec<Vec<Array1<Fraction>>> = rows.iter().map(|row| row.iter().map(constant).collect()).collect();
    separates(
        strange(&Registers::of_method(&method, d, n)?)?,
        0.0,
        &[
            strange(&Registers::with_rows(stack(&identity(d), k), &summed)?)?,
            strange(&Registers::of_method(&method.scaled(&whole(-1)), d, n)?)?,
            strange(&Registers::of_method(&method.scaled(&part(1, n as i64)), d, n)?)?,
        ],
    );

    // Diagonal weights: d heads do it, one head with the mean of each diagonal does not.
    let diagonals: Vec<Vec<Array1<Fraction>>> = (0..k)
        .map(|l| (0..=l).map(|_| fraction_vector(&mut stream, d)).collect())
        .collect();
    let method = Lfom::diagonals(diagonals.clone())?;
    let run = method.run(&f, &f.origin())?;
    let strange = |r: &Registers<Fraction>| -> Result<f64, Box<dyn std::error::Error>> {
        Ok(strangers(&prompt, &r.run(&prompt.tokens)?.states, &run.iterates))
    };
    let mean = |c: &Array1<Fraction>| c.iter().fold(whole(0), |sum, v| sum.plus(v)).times(&part(1, d as i64));
    let single = Lfom::scalars(diagonals.iter().map(|row| row.iter().map(mean).collect()).collect())?;
    separates(
        strange(&Registers::of_method(&method, d, n)?)?,
        0.0,
        &[strange(&Registers::of_method(&single, d, n)?)?],
    );
    Ok(())
}

#[test]
fn the_distance_of_one_head_from_a_diagonal_matrix() -> Outcomes {
    let statistics = Prompts::draw(&TaskLaw::isotropic(4)?, 15, 40_000, &mut stream("distance"))?.statistics()?;
    let lambda = array![1.0, 2.0, 3.0, 6.0];
    let left = nearest_hadamard(&statistics, &lambda)?.left;
    let right = hadamard_distance(&lambda)?;
    // Twins: without the square of the trace's factor d, and the share for the diagonal's square root.
    let without_d = 1.0 - lambda.sum().powi(2) / (5.0 * lambda.dot(&lambda));
    let root = hadamard_distance(&lambda.mapv(f64::sqrt))?;
    separates(
        (left - right).abs(),
        0.02,
        &[(left - without_d).abs(), (left - root).abs(), left],
    );
    Ok(())
}

#[test]
fn rows_of_gamma_must_be_constant() -> Outcomes {
    let mut stream = stream("rows");
    let (d, n) = (3, 9);
    let prompt = Instance::new(normal_array2(&mut stream, d, n + 1), array![1.0, -1.0, 0.5])?;
    let layer = vec![Layer::restricted(&Array2::eye(d))?];
    let left = |row: Array1<f64>| -> Result<f64, Box<dyn std::error::Error>> {
        let states = Registers::with_rows(layer.clone(), &[vec![row]])?
            .run(&prompt.tokens)?
            .states;
        Ok(nearest_iterate(&prompt, &states[1])?.left)
    };
    let mut one_off = Array1::from_elem(n + 1, 0.7);
    one_off[2] = 0.0;
    separates(
        left(Array1::from_elem(n + 1, 0.7))?,
        1e-20,
        &[left(Array1::range(0.0, 1.0, 0.1))?, left(one_off)?],
    );

    // And the nearest diagonal of updates with diagonal and with full A.
    let gradients: Vec<Array1<f64>> = (0..30)
        .map(|_| normal_array2(&mut stream, 1, d).row(0).to_owned())
        .collect();
    let share = |a: &Array2<f64>| -> Result<f64, Box<dyn std::error::Error>> {
        let updates: Vec<Array1<f64>> = gradients.iter().map(|g| a.dot(g)).collect();
        Ok(nearest_diagonal(&gradients, &updates)?.left)
    };
    let diagonal = Array2::from_diag(&array![0.2, 0.5, 1.0]);
    let full = &diagonal + &(0.2 * normal_array2(&mut stream, d, d));
    separates(share(&diagonal)?, 1e-18, &[share(&full)?]);
    Ok(())
}

#[test]
fn recursion_of_a3_with_constant_rows() -> Outcomes {
    let mut stream = stream("A.3");
    let (d, n, k) = (2, 4, 3);
    let prompt = Instance::draw(&mut stream, d, n)?;
    let f = prompt.quadratic();
    let a: Vec<Array2<Fraction>> = (0..k).map(|_| fraction_matrix(&mut stream, d, d)).collect();
    let c: Vec<Vec<Fraction>> = (0..k)
        .map(|l| (0..=l).map(|_| Fraction::draw(&mut stream)).collect())
        .collect();
    let constant = |c: &Fraction| Array1::from_elem(n + 1, c.clone());
    let rows: Vec<Vec<Array1<Fraction>>> = c.iter().map(|row| row.iter().map(constant).collect()).collect();
    let layers: Vec<Layer<Fraction>> = a.iter().map(Layer::restricted).collect::<Result<_, _>>()?;
    let states = Registers::with_rows(layers, &rows)?.run(&prompt.tokens)?.states;
    let strange = |turn: bool, scale: Fraction| -> Result<f64, Box<dyn std::error::Error>> {
        let weight = |c: &Fraction, a: &Array2<Fraction>| {
            let a = if turn { a.t().to_owned() } else { a.clone() };
            Weight::Full(a.mapv(|v| c.times(&v).times(&scale)))
        };
        let steps = c
            .iter()
            .map(|row| row.iter().zip(&a).map(|(c, a)| weight(c, a)).collect())
            .collect();
        let run = Lfom::from_increments(steps)?.run(&f, &f.origin())?;
        Ok(strangers(&prompt, &states, &run.iterates))
    };
    let printed = strange(false, part(-1, n as i64))?;
    separates(
        strange(true, whole(-1))?,
        0.0,
        &[
            printed,
            strange(false, whole(-1))?,
            strange(true, part(-1, n as i64))?,
            strange(true, whole(1))?,
        ],
    );
    Ok(())
}

#[test]
fn increments_of_eq_3_5() -> Outcomes {
    let mut stream = stream("3.5");
    let f = Instance::draw(&mut stream, 2, 4)?.quadratic();
    let method = Lfom::diagonals(
        (0..3)
            .map(|k| (0..=k).map(|_| fraction_vector(&mut stream, 2)).collect())
            .collect(),
    )?;
    let run = method.run(&f, &f.origin())?;
    let end = |steps: Vec<Vec<Weight<Fraction>>>| {
        let mut w = f.origin();
        for step in &steps {
            for (weight, g) in step.iter().zip(&run.gradients) {
                let part = weight.times(g);
                w = Array1::from_shape_fn(2, |i| w[i].plus(&part[i]));
            }
        }
        (0..2)
            .map(|i| w[i].minus(&run.iterates[3][i]).magnitude())
            .fold(0.0, f64::max)
    };
    separates(end(method.increments()), 0.0, &[end(method.rows().to_vec())]); // the weights themselves, added up
    Ok(())
}

#[test]
fn ranks_and_average_case() -> Outcomes {
    let mut stream = stream("ranks");
    let (d, n) = (2, 5);
    let prompts: Vec<_> = (0..10)
        .map(|_| Instance::draw(&mut stream, d, n))
        .collect::<Result<_, _>>()?;
    let mut rows = |len: usize| -> Vec<Vec<Array1<Fraction>>> {
        let mut entry = || Fraction::draw(&mut stream).plus(&part(1, 7)); // never zero
        (0..2)
            .map(|k| (0..=k).map(|_| Array1::from_shape_simple_fn(len, &mut entry)).collect())
            .collect()
    };
    let gamma = rank(&gamma_jacobian(&prompts, &stack(&identity(d), 2), &rows(n + 1))?) as f64;
    let lambda = rank(&lambda_jacobian(&prompts, &rows(d))?) as f64;
    let (d, n) = (d as f64, n as f64);
    separates(
        (gamma - (n + 1.0)).abs(),
        0.0,
        &[(gamma - (n + 2.0)).abs(), (gamma - 3.0 * (n + 1.0)).abs()],
    );
    separates((lambda - (3.0 * d - 1.0)).abs(), 0.0, &[(lambda - 3.0 * d).abs()]);

    // Shared coefficients serve the average: better there than Chebyshev, worse than the prompt's own.
    let statistics = Prompts::draw(&TaskLaw::isotropic(3)?, 9, 300, &mut stream)?.statistics()?;
    let batch = Quadratic::of_batch(&statistics)?;
    let shared = best_shared_memory(&batch, 3, &Measure::Loss)?;
    let mean = |method: &SingleMemory<f64>| -> Result<f64, Box<dyn std::error::Error>> {
        let mut sum = 0.0;
        for f in &batch {
            sum += f.value(&method.run(f, &f.origin())?.iterates[3]);
        }
        Ok(sum / batch.len() as f64)
    };
    assert!(mean(&SingleMemory::chebyshev(0.02, 4.0, 3)?)? > 1.05 * shared.means[3]);
    assert!((mean(&shared.method)? / shared.means[3] - 1.0).abs() < 1e-9);
    let f = &batch[0];
    let own = conjugate_gradient(f, &f.origin(), 3)?;
    assert!(f.value(&own.iterates[3]) < 1e-12 * f.value(&f.origin()));
    assert!(matrix_vector(&f.hessian, &own.iterates[3]).is_ok());
    Ok(())
}
