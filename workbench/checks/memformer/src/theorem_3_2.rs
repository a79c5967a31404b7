//! Theorem 3.2: a register for each layer runs every linear first-order method.
//!
//! **Claim** (`memformer/thm-3-2`, Eqs. 3.3 and 3.4). With R_l = Attn(Z_l) and Z_{l+1} = Z_l + (1/n) sum_j Gamma_j^l o R_j a memformer
//! implements k steps of any method w^{k+1} = w^0 + sum_i Lambda_i^k grad f(w^i) with diagonal Lambda_i^k.
//!
//! Scalars: a layer adds, so constant entries Gamma_j^l = -(Lambda_j^l - Lambda_j^{l-1}) should do it for every prompt. Diagonal
//! matrices: a Hadamard weight multiplies the label of a token, a diagonal Lambda multiplies coordinates of the gradient. With one layer for
//! each step, as in the proof, one diagonal for each layer can be carried by A; momentum with a memory for each coordinate needs two in the
//! second layer, and is what decides. What the best one number leaves of the first update is, for white covariates and targets,
//! 1 - (tr Lambda)^2 / (d tr Lambda^2). The theorem itself names no number of layers, so that it stands if another construction reaches its
//! end. With d of them for each step, A = e_c e_c^T in the c-th and Gamma = 0 until the last, the registers hold the coordinates of one
//! gradient, and any diagonal should be in reach.

use ndarray::{Array1, Array2, Axis, array};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{mean, normal_array2, quantile};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};
use workbench_memformer::{
    Fraction, Instance, LayerMemory, Lfom, LinearTransformer, Number, Prompts, SingleMemory, Statistics, TaskLaw,
    Weight, conjugate_gradient, fraction_matrix, fraction_vector, hadamard_distance, identity, least_squares,
    nearest_hadamard, nesterov_lfom_on_quadratics,
};

use super::exact::{labels, part, stack, triangle, whole};
use super::task_law::{Batch, DIM, EXAMPLES, batch_size, law, losses, prompts};
use crate::vocabulary::{EXACT, largest_of};

const FLOATS: Margin = Margin::rounding("floats", 1e-9, "six layers of products on numbers of order ten");
const NOTHING: Margin = Margin::rounding("nothing left", 1e-6, "a millionth of the update; rounding leaves 1e-15");
const SAMPLED: Margin = Margin::statistical("sampled", 0.02, "a share between 0 and 1 from 20,000 prompts");

/// Scalar methods, diagonal methods, and the distance of what one head can do.
pub const CHECK: Check = Check {
    claim: "memformer/thm-3-2",
    metric: "labels that differ, in fractions; error of an answer, in floats; share of an update that the best weights leave",
    against: "a label that differs for scalar Λ; for diagonal Λ, one layer a step, a share that no weights shared by the prompts explain, nor a full A of each layer with constant Γ",
    choices: &[
        "classical methods: law of Section 3.3, d = 5, n = 20, six layers",
        "momentum by coordinate has rates 0.2 to 1 and memories 0.1 to 0.9, and is asked with Γ constant over tokens",
    ],
    departures: &[
        "one layer a step is the proof's; the theorem names no number of layers",
        "random methods in fractions have d = 2 or 3 and n = 4; the formula for the share holds for white covariates",
        "findings with A = I ask what the proof builds",
    ],
    rivals: &["all weights at once, by least squares: their distance bounds every trained model's"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.step(
        "a row of Γ weighs tokens and becomes no Λ that weighs coordinates: the proof's one layer a step does Λ_i^k = c_i^k A_i, scalars among them. \
         Another construction does every diagonal Λ: d layers a step, A = e_c e_cᵀ in the c-th and Γ = 0 before the last (or one layer of d heads)",
    );
    let label = "momentum with a memory for each coordinate, one head, one layer a step: share of the second update that the best c and A leave";
    momentum(s, s.printed(NOTHING), label, &array![0.1, 0.3, 0.5, 0.7, 0.9])?;
    let label =
        "momentum with one memory for all coordinates, one head, one layer a step: share that the best c and A leave";
    momentum(s, s.changed(NOTHING), label, &Array1::from_elem(DIM, 0.5))?;
    in_fractions(s)?;
    classical(s)?;
    let size = s.scale().pick(20_000, 200_000);
    let white = Prompts::draw(&TaskLaw::isotropic(DIM)?, EXAMPLES, size, &mut s.stream("isotropic prompts")?)?;
    let white = white.statistics()?;
    first_update(s, &white)?;
    two_layers(s)?;
    s.figure(figure(s, &white)?);
    Ok(())
}

/// Momentum with a rate and these memories for each coordinate, two layers: the share of the second update of the answer that the best
/// factor of the first register and the best full A of the second layer leave. The first update fixes A of the first layer.
fn momentum(s: &Sheet, says: Says, label: &str, memories: &Array1<f64>) -> Done {
    let size = s.scale().pick(2000, 20_000);
    let mut stream = s.streams().restart("momentum for each coordinate")?;
    let facts = Prompts::draw(&TaskLaw::isotropic(DIM)?, EXAMPLES, size, &mut stream)?.statistics()?;
    let (mut features, mut wanted) = (Array2::zeros((size, 1 + DIM * DIM)), Array1::zeros(size));
    let rates = rates();
    for b in 0..size {
        let (x, g) = (facts.query().row(b), -facts.cross(b)?);
        let first = &rates * &g;
        let g1 = &g - &facts.gram().index_axis(Axis(0), b).dot(&first);
        features[[b, 0]] = x.dot(&first);
        for i in 0..DIM {
            for j in 0..DIM {
                features[[b, 1 + i * DIM + j]] = x[i] * g1[j];
            }
        }
        wanted[b] = -x.dot(&(memories * &first + &rates * &g1));
    }
    says.over(size, "prompts").same(label, least_squares(&features, &wanted)?.left);
    Ok(())
}

fn rates() -> Array1<f64> {
    Array1::from_shape_fn(DIM, |i| 0.2 * (i + 1) as f64)
}

fn in_fractions(s: &Sheet) -> Done {
    let mut stream = s.stream("theorem 3.2")?;
    for case in s.cases("prompts", 6, 18)? {
        let (d, n, k) = (2 + case % 2, 4, 3);
        let prompt = Instance::draw(&mut stream, d, n)?;
        let f = prompt.quadratic();
        // States that the network runs the method, with `step` layers for each of its steps.
        let does = |says: Says, label: &str, built: &LinearTransformer<Fraction>, method: &Lfom<Fraction>, step| {
            let states = built.forward(&prompt.tokens)?.into_iter().step_by(step).collect::<Vec<_>>();
            labels(says, label, &prompt, &states, &method.run(&f, &f.origin())?.iterates)
        };
        let rows = triangle(k, || Fraction::draw(&mut stream).plus(&part(1, 7)));
        let method = Lfom::scalars(rows.clone())?;
        let built = LinearTransformer::of_method(&method, d, n)?;
        does(s.printed(EXACT), "scalar Λ: labels that differ, random arrays, exact", &built, &method, 1)?;
        let constant = |c: &Fraction| Array1::from_elem(n + 1, c.negated());
        let rows: Vec<Vec<_>> = rows.iter().map(|row| row.iter().map(constant).collect()).collect();
        let summed = LinearTransformer::with_rows(stack(&identity(d), k)?, &rows)?;
        does(s.twin(EXACT), "Γ = -Λ instead of its increments", &summed, &method, 1)?;
        let flipped = LinearTransformer::of_method(&method.scaled(&whole(-1)), d, n)?;
        does(s.twin(EXACT), "Γ with the other sign", &flipped, &method, 1)?;

        let diagonal = Lfom::diagonals(triangle(k, || fraction_vector(&mut stream, d)))?;
        let heads = LinearTransformer::of_method(&diagonal, d, n)?;
        let label = "diagonal Λ, d heads, one layer a step: labels that differ, exact";
        does(s.changed(EXACT), label, &heads, &diagonal, 1)?;
        let label = "diagonal Λ, one head, d layers a step: labels that differ, exact";
        does(s.changed(EXACT), label, &heads.one_head()?, &diagonal, d)?;
        does(s.twin(EXACT), "d layers a step, each with its own Γ at once", &hasty(&heads)?, &diagonal, d)?;

        let full = Lfom::new(triangle(k, || Weight::Full(fraction_matrix(&mut stream, d, d))))?;
        let heads = LinearTransformer::of_method(&full, d, n)?;
        let label = "full Λ, d² heads, one layer a step: labels that differ, exact";
        does(s.aside(EXACT), label, &heads, &full, 1)?;
    }
    Ok(())
}

/// The heads in layers one after another, each with its Gamma at once: Z moves before all of them have read it.
fn hasty(heads: &LinearTransformer<Fraction>) -> Result<LinearTransformer<Fraction>, Failure> {
    let LayerMemory::PerHead { gamma: weights } = heads.memory() else {
        return Err("heads without registers of their own".into());
    };
    let (mut layers, mut gamma) = (Vec::new(), Vec::new());
    for (of_layer, weights) in heads.layers().iter().zip(weights) {
        for (c, head) in of_layer.iter().enumerate() {
            layers.push(vec![head.clone()]);
            let of_register = |q: usize, weight: &Array2<Fraction>| match q == c {
                true => weight.clone(),
                false => weight.mapv(|_| whole(0)),
            };
            let row =
                weights.iter().flat_map(|heads| heads.iter().enumerate()).map(|(q, weight)| of_register(q, weight));
            gamma.push(row.take(layers.len()).collect());
        }
    }
    Ok(LinearTransformer::new(layers, LayerMemory::Separate { gamma })?)
}

/// The classical methods at the document's size, in floats, through one head and scalar registers.
fn classical(s: &Sheet) -> Done {
    let batch = losses(s, &law(s)?, Batch::Training, batch_size(s))?;
    let mut stream = s.stream("theorem 3.2, floats")?;
    for f in s.each("prompts", batch.iter().take(20)) {
        let prompt = Instance::new(normal_array2(&mut stream, DIM, EXAMPLES + 1), f.minimiser()?)?;
        let f = prompt.quadratic();
        for method in [
            SingleMemory::gradient_descent(0.3, 6)?.unrolled()?,
            SingleMemory::momentum(0.1, 0.9, 6)?.unrolled()?,
            nesterov_lfom_on_quadratics(&0.1, &0.9, 6)?,
            SingleMemory::chebyshev(0.2, 3.0, 6)?.unrolled()?,
            conjugate_gradient(&f, &f.origin(), 4)?.coefficients.unrolled()?,
        ] {
            let states = LinearTransformer::of_method(&method, DIM, EXAMPLES)?.forward(&prompt.tokens)?;
            let run = method.run(&f, &f.origin())?;
            let off = states.iter().zip(&run.iterates).map(|(z, w)| z[[DIM, EXAMPLES]] + prompt.query().dot(w));
            let label = "scalar Λ: gradient descent, momentum, Nesterov, Chebyshev, conjugate gradients, floats";
            s.printed(FLOATS).same(label, largest_of(off.map(f64::abs)));
        }
    }
    Ok(())
}

/// The diagonal matrix of the first update.
fn lambda() -> Array1<f64> {
    array![1.0, 2.0, 3.0, 4.0, 5.0]
}

/// The share of the first update that the best constant leaves, and what a weight of the prompt's own would have to be.
fn first_update(s: &Sheet, white: &Statistics) -> Done {
    let best = nearest_hadamard(white, &lambda())?.coefficients[0];
    let (mut squares, mut misses, mut needed) = (Vec::new(), Vec::new(), Vec::new());
    for b in 0..white.batch() {
        let (x, g) = (white.query().row(b), -white.cross(b)?);
        let (asked, moved) = (x.dot(&(&lambda() * &g)), x.dot(&g));
        squares.push(asked * asked);
        misses.push((asked - best * moved).powi(2));
        needed.push(asked / moved);
    }
    let share = mean(&misses)?.affine(1.0 / mean(&squares)?.value, 0.0)?;
    let label = "A = I, one layer a step, Λ = diag(1, ..., 5): share of the first update that the best shared Γ leaves";
    s.printed(NOTHING).of("prompts").at_most(label, share);
    let label = "share left by A = I in its layer, against 1 - (tr Λ)²/(d tr Λ²)";
    s.support(SAMPLED).of("prompts").equals(label, hadamard_distance(&lambda())?, share);
    s.note(format!(
        "a Γ that may depend on the prompt does it in one layer, but then it is the answer in disguise: for Λ = diag(1, ..., 5) \
         the 10 % and 90 % quantiles of the needed Γ are {:.2} and {:.2}",
        quantile(&needed, 0.1)?.value,
        quantile(&needed, 0.9)?.value
    ));
    Ok(())
}

/// Two layers of descent with a rate for each coordinate, only the last answer asked for: the share that all of Gamma leave. The
/// answer is linear in what Gamma can vary, <x, grad R(0)> and <x(j), grad R(0)> <x(j), x> for each example j.
fn two_layers(s: &Sheet) -> Done {
    let size = s.scale().pick(5000, 20_000);
    let two = Prompts::draw(&TaskLaw::isotropic(DIM)?, EXAMPLES, size, &mut s.stream("two layers")?)?;
    let facts = two.statistics()?;
    let (mut features, mut wanted) = (Array2::zeros((size, EXAMPLES + 1)), Array1::zeros(size));
    let rates = rates();
    for b in 0..size {
        let (x, g) = (facts.query().row(b), -facts.cross(b)?);
        features[[b, 0]] = x.dot(&g);
        for (j, example) in two.covariates(b)?.outer_iter().enumerate() {
            features[[b, j + 1]] = example.dot(&g) * example.dot(&x);
        }
        let w1 = -(&rates * &g);
        let g1 = &g + &facts.gram().index_axis(Axis(0), b).dot(&w1);
        wanted[b] = x.dot(&(&w1 - &(&rates * &g1)));
    }
    let label =
        "A = I, one layer a step, descent with rates (0.2, ..., 1), last answer of two only: share that all of Γ leave";
    s.printed(NOTHING).over(size, "prompts").same(label, least_squares(&features, &wanted)?.left);
    Ok(())
}

fn figure(s: &Sheet, white: &Statistics) -> Result<Figure, Failure> {
    let test = prompts(s, &law(s)?, Batch::Test, batch_size(s))?;
    let tilts: Vec<f64> = (0..=20).map(|k| 0.2 * f64::from(k)).collect();
    let (mut theory, mut here, mut there) = (Vec::new(), Vec::new(), Vec::new());
    for t in &tilts {
        let lambda = Array1::from_shape_fn(DIM, |i| 1.0 + t * i as f64 / 4.0);
        theory.push(hadamard_distance(&lambda)?);
        here.push(nearest_hadamard(white, &lambda)?.left);
        there.push(nearest_hadamard(&test, &lambda)?.left);
    }
    let panel = Panel::new("first layer, query, d = 5")
        .theory("1 − (tr Λ)²/(d tr Λ²)", &tilts, &theory)
        .points("measured, Σ = I", &tilts, &here)
        .points("measured, Section 3.3", &tilts, &there)
        .x_label("t, with Λ = diag(1, …, 1 + t)")
        .y_label("share of the update left")
        .legend_below();
    let title = "One number cannot stand in for a diagonal matrix, unless it is a multiple of the identity";
    Ok(Figure::new(title)
        .panel(panel)
        .caption("Least squares over prompts: what the best shared number leaves of <x, Λ∇R>."))
}
