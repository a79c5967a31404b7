//! Wrong twins of the checks in `notebooks/memformer-linear-attention.ipynb`: each check is run against the printed misprint, or against
//! a statement that is known to be wrong, and must say so.

use workbench::ledger::{Finding, Outcome};
use workbench::memformer::{
    Fraction, Head, Instance, Layer, Lfom, LinearTransformer, LogCosh, Mask, Memory, Number, Prompts, Quadratic,
    SingleExamples, SingleMemory, TaskLaw, adagrad, adam, associations, attention, complex_step_gradients,
    conjugate_gradient, fraction_matrix, fraction_vector, identity, inner_product, label_rows, largest_difference,
    largest_gap, literal_attention, literal_forward, matrix_vector, nesterov, nesterov_lfom,
    nesterov_lfom_on_quadratics, one_layer_best, one_layer_loss, output, preconditioned_descent, prediction_gradients,
    product, query_outputs, rank, recovered_theta, relative_difference, softmax_attention, unmasked_attention,
};
use workbench::ndarray::{Array1, Array2, array, s};
use workbench::stats::{Stream, Streams, normal_array2};

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn stream(name: &str) -> Stream {
    Streams::new(7).stream(name).expect("fresh name")
}

/// An identity check: what the notebook's cells ask.
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

fn general(stream: &mut Stream, layers: usize, d: usize) -> Vec<Array2<Fraction>> {
    (0..layers).map(|_| fraction_matrix(stream, d, d)).collect()
}

fn turned(a: &[Array2<Fraction>]) -> Vec<Array2<Fraction>> {
    a.iter().map(|a| a.t().to_owned()).collect()
}

fn times(a: &[Array2<Fraction>], c: &Fraction) -> Vec<Array2<Fraction>> {
    a.iter().map(|a| a.mapv(|v| c.times(&v))).collect()
}

fn stack(a: &[Array2<Fraction>]) -> Vec<Layer<Fraction>> {
    a.iter().map(|a| Layer::restricted(a).expect("square")).collect()
}

fn apart(a: &[Array1<f64>], b: &[Array1<f64>]) -> f64 {
    a.iter().zip(b).map(|(x, y)| largest_gap(x, y)).fold(0.0, f64::max)
}

#[test]
fn lemma_2_1_transpose_factor_and_sign() -> Outcomes {
    let mut stream = stream("lemma");
    let (d, n) = (3, 4);
    let prompt = Instance::draw(&mut stream, d, n)?;
    let f = prompt.quadratic();
    let a = general(&mut stream, 3, d);
    let answer = output(&literal_forward(&stack(&a), &prompt.tokens, Mask::Printed)?)?;
    let miss = |steps: &[Array2<Fraction>]| -> Result<f64, Box<dyn std::error::Error>> {
        let run = preconditioned_descent(&f, &f.origin(), steps)?;
        let value = inner_product(&prompt.query(), &run.iterates[3])?;
        Ok(if value == answer {
            0.0
        } else {
            value.minus(&answer).magnitude().max(1e-300)
        })
    };
    let right = turned(&a);
    let wrong = [
        miss(&a)?,                                 // Lemma 2.1 as printed
        miss(&times(&right, &part(1, n as i64)))?, // A.6
        miss(&times(&right, &whole(-1)))?,         // uphill
        miss(&right[..].iter().rev().cloned().collect::<Vec<_>>())?,
    ];
    separates(miss(&right)?, 0.0, &wrong);
    Ok(())
}

#[test]
fn label_row_of_a1() -> Outcomes {
    let mut stream = stream("A.1");
    let prompt = Instance::draw(&mut stream, 2, 4)?;
    let a = general(&mut stream, 2, 2);
    let rows = |mask| -> Result<Array1<Fraction>, Box<dyn std::error::Error>> {
        Ok(literal_forward(&stack(&a), &prompt.tokens, mask)?[2].row(2).to_owned())
    };
    let (printed, open) = (rows(Mask::Printed)?, rows(Mask::Absent)?);
    let recursion = label_rows(&prompt, &a)?[2].clone();
    separates(
        largest_gap(&recursion, &printed),
        0.0,
        &[
            largest_gap(&recursion, &open),
            largest_gap(&label_rows(&prompt, &turned(&a))?[2], &printed),
        ],
    );
    Ok(())
}

#[test]
fn attention_term_and_its_constant() -> Outcomes {
    let mut stream = stream("note");
    let prompt = Instance::draw(&mut stream, 2, 5)?;
    let f = prompt.quadratic();
    // Not symmetric, or its transpose would be no twin.
    let a = ndarray::array![[whole(1), part(1, 2)], [whole(-2), whole(3)]];
    let term = literal_attention(&Layer::restricted(&a)?, &prompt.tokens, Mask::Printed)?;
    let miss = |c: i64, a: &Array2<Fraction>| -> Result<f64, Box<dyn std::error::Error>> {
        let pull = matrix_vector(a, &f.gradient(&f.origin()))?;
        let mut worst = 0.0f64; // over all tokens, since a random one may be blind to a wrong form
        for i in 0..6 {
            let value = inner_product(&prompt.tokens.slice(s![..2, i]).to_owned(), &pull)?;
            worst = worst.max(term[[2, i]].minus(&whole(c).times(&value)).magnitude());
        }
        Ok(worst)
    };
    let right = a.t().to_owned();
    separates(
        miss(5, &right)?,
        0.0,
        &[miss(5, &a)?, miss(-5, &right)?, miss(1, &right)?, miss(6, &right)?],
    );
    assert!(term.slice(s![..2, ..]).iter().all(|v| *v == whole(0)));
    Ok(())
}

#[test]
fn points_of_the_proof() -> Outcomes {
    let mut stream = stream("points");
    let prompt = Instance::draw(&mut stream, 2, 4)?;
    let layers = stack(&general(&mut stream, 3, 2));
    let (x, y) = (fraction_vector(&mut stream, 2), part(5, 7));
    let g = |y: &Fraction, mask| query_outputs(&layers, &prompt, &x, y, mask);
    let (with, without) = (g(&y, Mask::Printed)?, g(&whole(0), Mask::Printed)?);
    let (seen, unseen) = (g(&y, Mask::Absent)?, g(&whole(0), Mask::Absent)?);
    let constant_in_k = with[2].minus(&with[1]).magnitude(); // the induction as printed
    let open = seen[2].minus(&unseen[2]).minus(&y).magnitude();
    separates(
        with[2].minus(&without[2]).minus(&y).magnitude(),
        0.0,
        &[constant_in_k, open],
    );

    let theta = recovered_theta(&layers, &prompt, &identity(2), Mask::Printed)?;
    let t = inner_product(&theta[3], &x)?;
    let miss = |value: Fraction| with[3].minus(&value).magnitude();
    // The last display as printed, y - <theta, x>, and without its label.
    separates(miss(y.plus(&t)), 0.0, &[miss(y.minus(&t)), miss(t.clone())]);

    let mut reading = layers.clone();
    for layer in &mut reading {
        layer.q[[0, 2]] = whole(1); // a token's own label enters its scores
    }
    let example = prompt.tokens.slice(s![..2, 1]).to_owned();
    let miss = |layers: &[Layer<Fraction>], mask| -> Result<f64, Box<dyn std::error::Error>> {
        let theta = recovered_theta(layers, &prompt, &identity(2), mask)?;
        let label = literal_forward(layers, &prompt.tokens, mask)?[3][[2, 1]].clone();
        let predicted = inner_product(&theta[3], &example)?.plus(&prompt.tokens[[2, 1]]);
        Ok(label.minus(&predicted).magnitude())
    };
    separates(
        miss(&layers, Mask::Printed)?,
        0.0,
        &[miss(&layers, Mask::Absent)?, miss(&reading, Mask::Printed)?],
    );
    Ok(())
}

#[test]
fn shapes_of_a2_are_refused() -> Outcomes {
    let mut stream = stream("A.2");
    let prompt = Instance::draw(&mut stream, 2, 4)?;
    let (a, x) = (fraction_matrix(&mut stream, 2, 2), prompt.covariates());
    assert!(product(&a, &x.t().to_owned()).is_err() && product(&a, &x).is_ok());
    // A.4 with and without its 1/n, against the forward pass (symmetric A).
    let even = Array2::from_shape_fn((2, 2), |(i, j)| a[[i, j]].plus(&a[[j, i]]));
    let theta = recovered_theta(
        &stack(std::slice::from_ref(&even)),
        &prompt,
        &identity(2),
        Mask::Printed,
    )?;
    let pull = matrix_vector(&product(&even, &product(&x, &x.t().to_owned())?)?, &prompt.target)?;
    let miss = |c: Fraction| largest_gap(&theta[1], &pull.mapv(|v| c.times(&v)));
    separates(
        miss(part(-1, 4)),
        0.0,
        &[miss(whole(-1)), miss(part(1, 4)), miss(part(-1, 16))],
    );
    Ok(())
}

#[test]
fn mask_softmax_and_orders() -> Outcomes {
    let mut stream = stream("attention");
    let z = normal_array2(&mut stream, 4, 8);
    let head = Head::new(normal_array2(&mut stream, 4, 4), 0.2 * normal_array2(&mut stream, 4, 4))?;
    let mut other = z.clone();
    other[[3, 7]] += 1.0; // the label of the query
    type Form = fn(&Head, &Array2<f64>) -> Result<Array2<f64>, workbench::memformer::Error>;
    let moves = |form: Form| -> Result<f64, Box<dyn std::error::Error>> {
        let (a, b) = (form(&head, &z)?, form(&head, &other)?);
        Ok(largest_difference(
            &a.slice(s![.., ..7]).to_owned(),
            &b.slice(s![.., ..7]).to_owned(),
        ))
    };
    separates(
        moves(attention)?,
        0.0,
        &[moves(unmasked_attention)?, moves(softmax_attention)?],
    );
    let both = associations(&Layer::of_head(&head), &z)?;
    let without_mask = unmasked_attention(&head, &z)?;
    separates(
        largest_difference(&both.by_scores, &both.by_moments),
        1e-10,
        &[largest_difference(&both.by_scores, &without_mask)],
    );
    let exact = fraction_matrix(&mut stream, 3, 4);
    let layer = Layer::new(fraction_matrix(&mut stream, 3, 3), fraction_matrix(&mut stream, 3, 3))?;
    let out = |c: i64| literal_attention(&layer, &exact.mapv(|v| whole(c).times(&v)), Mask::Printed);
    let miss = |power: i64| -> Result<f64, Box<dyn std::error::Error>> {
        Ok(largest_difference(&out(2)?, &out(1)?.mapv(|v| whole(power).times(&v))))
    };
    separates(miss(8)?, 0.0, &[miss(4)?, miss(16)?]);
    Ok(())
}

#[test]
fn layers_and_their_derivatives() -> Outcomes {
    let mut stream = stream("layers");
    let z = normal_array2(&mut stream, 4, 7);
    let layers: Vec<Layer<f64>> = (0..2)
        .map(|_| {
            Layer::new(
                0.3 * normal_array2(&mut stream, 4, 4),
                0.3 * normal_array2(&mut stream, 4, 4),
            )
        })
        .collect::<Result<_, _>>()?;
    let (exact, stepped) = (prediction_gradients(&layers, &z)?, complex_step_gradients(&layers, &z)?);
    let flipped: Vec<Layer<f64>> = exact
        .iter()
        .map(|g| Layer::new(-&g.p, -&g.q))
        .collect::<Result<_, _>>()?;
    let exchanged: Vec<Layer<f64>> = exact
        .iter()
        .map(|g| Layer::new(g.q.clone(), g.p.clone()))
        .collect::<Result<_, _>>()?;
    separates(
        relative_difference(&stepped, &exact),
        1e-10,
        &[
            relative_difference(&stepped, &flipped),
            relative_difference(&stepped, &exchanged),
        ],
    );
    Ok(())
}

#[test]
fn objective_and_its_sign() -> Outcomes {
    let law = TaskLaw::rotated(&[1.0, 0.5, 0.25], &mut stream("rotation"))?;
    let prompts = Prompts::draw(&law, 12, 400, &mut stream("prompts"))?;
    let head = Head::restricted(&(0.5 * law.truth_covariance()), &Array2::zeros((3, 3)))?;
    let deep = LinearTransformer::new(vec![vec![head]; 250], Memory::None)?;
    let mean = |sign: f64| -> Result<f64, Box<dyn std::error::Error>> {
        let mut sum = 0.0;
        for b in 0..prompts.batch() {
            sum += (deep.predict(&prompts.tokens(b)?)? + sign * prompts.answers()[b]).powi(2);
        }
        Ok(sum / prompts.batch() as f64)
    };
    separates(mean(-1.0)?, 0.01, &[mean(1.0)?]);
    assert!((mean(1.0)? - 12.0).abs() < 4.0); // 4d
    let best = one_layer_best(12, 3)?;
    let slope = |a: f64| -> Result<f64, Box<dyn std::error::Error>> {
        Ok((one_layer_loss(a + 1e-4, 12, 3)? - one_layer_loss(a - 1e-4, 12, 3)?) / 2e-4)
    };
    separates(
        slope(best)?.abs(),
        1e-8,
        &[slope(-best)?.abs(), slope(12.0 / 15.0)?.abs(), slope(1.0)?.abs()],
    );
    Ok(())
}

#[test]
fn members_of_the_class() -> Outcomes {
    let mut stream = stream("members");
    let x = normal_array2(&mut stream, 3, 10);
    let y = x.t().dot(&array![1.0, -2.0, 0.5]);
    let (f, c) = (
        Quadratic::of_prompt(&x, &y)?,
        LogCosh::new(x.t().to_owned(), y.clone())?,
    );
    let g = Quadratic::around(
        array![[2.0, 0.1, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 0.3]],
        &array![1.0, 1.0, 1.0],
    )?;
    let start = f.origin();
    let (rate, beta, steps) = (0.05, 0.9, 20);

    let momentum = SingleMemory::momentum(rate, beta, steps)?;
    let closed = |shift: i32| {
        let weight = |k: usize, i: usize| -rate * (1.0 - f64::powi(beta, (k - i) as i32 + shift)) / (1.0 - beta);
        Lfom::scalars((0..steps).map(|k| (0..=k).map(|i| weight(k, i)).collect()).collect())
    };
    let run = momentum.run(&c, &start)?.iterates;
    separates(
        apart(&closed(1)?.run(&c, &start)?.iterates, &run),
        1e-12,
        &[
            apart(&closed(0)?.run(&c, &start)?.iterates, &run),
            apart(&closed(1)?.scaled(&-1.0).run(&c, &start)?.iterates, &run),
        ],
    );

    let run = nesterov(&c, &start, &rate, &beta, steps)?;
    let points = nesterov_lfom(&rate, &beta, steps)?.run(&c, &start)?.iterates;
    let iterates = nesterov_lfom_on_quadratics(&rate, &beta, steps)?
        .run(&c, &start)?
        .iterates;
    separates(
        apart(&points, &run.extrapolated.iterates),
        1e-10,
        &[apart(&iterates, &run.iterates), apart(&points, &run.iterates)],
    );

    let own = conjugate_gradient(&f, &start, 3)?;
    let weights = own.coefficients.unrolled()?;
    let there = conjugate_gradient(&g, &start, 3)?;
    separates(
        apart(&weights.run(&f, &start)?.iterates, &own.iterates),
        1e-10,
        &[apart(&weights.run(&g, &start)?.iterates, &there.iterates)],
    );

    let one = SingleExamples::new(x.clone(), y.clone(), (0..10).collect())?;
    let two = SingleExamples::new(x, y, (0..10).rev().collect())?;
    for (mine, theirs) in [
        (
            adagrad(&one, &start, 0.5, 1e-8, steps)?,
            adagrad(&two, &start, 0.5, 1e-8, steps)?,
        ),
        (
            adam(&one, &start, 0.1, (0.9, 0.999), 1e-8, steps)?,
            adam(&two, &start, 0.1, (0.9, 0.999), 1e-8, steps)?,
        ),
    ] {
        separates(
            apart(&mine.weights.run(&one, &start)?.iterates, &mine.run.iterates),
            1e-10,
            &[apart(&mine.weights.run(&two, &start)?.iterates, &theirs.run.iterates)],
        );
    }
    Ok(())
}

#[test]
fn definition_1_1_and_its_span() -> Outcomes {
    let mut stream = stream("span");
    let f = Quadratic::of_prompt(&fraction_matrix(&mut stream, 5, 7), &fraction_vector(&mut stream, 7))?;
    let start = f.origin();
    let mut enlarged = |diagonal: bool| -> Result<f64, Box<dyn std::error::Error>> {
        let method = if diagonal {
            Lfom::diagonals(
                (0..3)
                    .map(|k| (0..=k).map(|_| fraction_vector(&mut stream, 5)).collect())
                    .collect(),
            )?
        } else {
            Lfom::scalars(
                (0..3)
                    .map(|k| (0..=k).map(|_| Fraction::draw(&mut stream)).collect())
                    .collect(),
            )?
        };
        let run = method.run(&f, &start)?;
        let columns: Vec<Array1<Fraction>> = run.gradients.iter().chain(&run.iterates).cloned().collect();
        let span = |v: &[Array1<Fraction>]| rank(&Array2::from_shape_fn((5, v.len()), |(i, j)| v[j][i].clone()));
        Ok((span(&columns) - span(&run.gradients)) as f64)
    };
    separates(enlarged(false)?, 0.0, &[enlarged(true)?]);
    Ok(())
}

#[test]
fn conjugate_gradients_and_their_steps() -> Outcomes {
    let mut stream = stream("cg");
    let m = fraction_matrix(&mut stream, 4, 5);
    let f = Quadratic::around(product(&m, &m.t().to_owned())?, &fraction_vector(&mut stream, 4))?;
    let run = conjugate_gradient(&f, &f.origin(), 4)?;
    let halved = run.coefficients.gamma.iter().map(|g| g.times(&part(1, 2))).collect();
    let other = SingleMemory::new(run.coefficients.alpha.clone(), halved)?.run(&f, &f.origin())?;
    let flipped = run.coefficients.gamma.iter().map(|g| g.negated()).collect();
    let minus = SingleMemory::new(run.coefficients.alpha.clone(), flipped)?.run(&f, &f.origin())?;
    let left = |w: &Array1<Fraction>| f.gradient(w).iter().map(Number::magnitude).fold(0.0, f64::max);
    separates(
        left(&run.iterates[4]),
        0.0,
        &[
            left(&run.iterates[3]),
            left(&other.iterates[4]),
            left(&minus.iterates[4]),
        ],
    );
    let product = |i: usize, j: usize, h: bool| -> Result<f64, Box<dyn std::error::Error>> {
        let right = if h {
            matrix_vector(&f.hessian, &run.directions[j])?
        } else {
            run.directions[j].clone()
        };
        Ok(inner_product(&run.directions[i], &right)?.magnitude())
    };
    separates(product(3, 1, true)?, 0.0, &[product(3, 1, false)?]); // conjugate, not orthogonal
    Ok(())
}

#[test]
fn prompts_have_the_right_moments() -> Outcomes {
    let law = TaskLaw::rotated(&[1.0, 1.0, 0.5, 0.25, 1.0], &mut stream("law"))?;
    let trace = |a: &Array2<f64>, b: &Array2<f64>| a.dot(b).diag().sum();
    let right = trace(law.covariance(), law.truth_covariance()) - 5.0;
    let wrong = trace(law.covariance(), law.covariance()) - 5.0;
    separates(right.abs(), 1e-9, &[wrong.abs()]);
    Ok(())
}
