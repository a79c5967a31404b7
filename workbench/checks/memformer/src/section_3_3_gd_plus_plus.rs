//! Sections 1 and 3.3: GD++.
//!
//! **Claim** (`memformer/gd-plus-plus`). GD++ is quasi-Newton: non-zero blocks B_l resemble a heavily truncated Neumann series of the
//! inverse of X X^T, the Hessian of (2.11). Cited work reports rates similar to Newton's method.
//!
//! With A = aI, B = bI a layer turns every token x into (I - ab H) x. The Neumann series of H^{-1} with the constant c = 2ab, cut after two
//! terms, is c (2I - cH) = 4ab (I - ab H): the same up to a factor. With full blocks, which do not commute, it is I - B H A. H itself is
//! compared with second differences of the printed loss. The order of convergence is that of the worst of many prompts, with a_l and b_l
//! chosen so that each layer narrows the spectrum.

use ndarray::{Array1, Array2};
use ndarray_linalg::{Eigh, UPLO};
use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};
use workbench_memformer::{
    Fraction, Instance, Layer, Mask, Number, Quadratic, SingleMemory, fraction_matrix, gd_plus_plus, identity,
    literal_forward, matrix_vector, neumann_inverse, product,
};

use super::exact::{dot, part, token, whole};
use super::task_law::DIM;
use super::trained_memformers::{Reading, field};
use crate::vocabulary::{EXACT, largest_of, least_of};

const ORDER: Margin = Margin::statistical("order", 0.5, "orders are whole numbers; half of one tells one from two");

/// GD++ with multiples of the identity.
pub const CHECK: Check = Check {
    claim: "memformer/gd-plus-plus",
    metric: "entries, tokens and labels that differ, in fractions; order of convergence of the worst prompt",
    against: "a token that is not multiplied with a truncated Neumann series up to a factor; a linear rate",
    protocol: &["order: prompts of the law of Section 3.3"],
    choices: &["order: 200 prompts, a and b shared by all of them"],
    departures: &["prompts in fractions have d = 2 to 4 and n = 4 to 6, so that equal means equal"],
    rivals: &["gradient descent with the constant step that is best for the range of all curvatures"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint("the Hessian of (2.11) is X Xᵀ/n");
    in_fractions(s)?;
    convergence(s)
}

fn in_fractions(s: &Sheet) -> Done {
    let mut stream = s.stream("GD++, exact")?;
    let (printed, changed, twin) = (s.printed(EXACT), s.changed(EXACT), s.twin(EXACT));
    for case in s.cases("prompts", 8, 24)? {
        let (d, n) = (2 + case % 3, 4 + case % 3);
        let prompt = Instance::draw(&mut stream, d, n)?;
        let x = prompt.covariates();
        let (hessian, gram) = (prompt.quadratic().hessian_by_differences(), product(&x, &x.t().to_owned())?);
        entries(printed, "entries in which X Xᵀ is not the Hessian of (2.11)", &gram, &hessian);
        let scaled = times(&gram, &part(1, n as i64));
        entries(changed, "entries in which X Xᵀ/n is not the Hessian", &scaled, &hessian);

        let (a, b) = (part(1, 3), part(1, 5));
        let (c, unit) = (a.times(&b), identity::<Fraction>(d));
        let blocks = vec![(times(&unit, &a), times(&unit, &b)); 3];
        let states = forward(&prompt, &blocks)?;
        let (shrink, grow) = (remainder(&hessian, &c), remainder(&hessian, &c.negated()));
        tokens(printed, "tokens not multiplied with I - ab H", &states, &shrink)?;
        tokens(twin, "B of the other sign: tokens not multiplied with I + ab H", &states, &grow)?;
        let double = c.times(&whole(2));
        let (two, three) = (neumann_inverse(&hessian, &double, 2)?, neumann_inverse(&hessian, &double, 3)?);
        let series = times(&shrink, &double.times(&whole(2)));
        let label = "entries in which 4ab (I - ab H) is not a Neumann series of two terms";
        entries(printed, label, &series, &two);
        entries(twin, "a Neumann series of three terms: entries that differ", &series, &three);
        labels(changed, "labels that differ from those of GD++", &prompt, &states, &blocks)?;

        // Blocks that do not commute.
        let (a, b) = (fraction_matrix(&mut stream, d, d), fraction_matrix(&mut stream, d, d));
        let blocks = vec![(a.clone(), b.clone()); 2];
        let states = forward(&prompt, &blocks)?;
        let around = |left: &Array2<Fraction>, right: &Array2<Fraction>| -> Result<Array2<Fraction>, Failure> {
            Ok(remainder(&product(&product(left, &hessian)?, right)?, &whole(1)))
        };
        tokens(printed, "full A and B: tokens not multiplied with I - B H A", &states, &around(&b, &a)?)?;
        tokens(twin, "A H B for B H A: tokens not multiplied with it", &states, &around(&a, &b)?)?;
        let transposed = around(&b.t().to_owned(), &a)?;
        tokens(twin, "B transposed: tokens not multiplied with I - Bᵀ H A", &states, &transposed)?;
        let label = "full A and B, two layers: labels that differ from those of GD++";
        labels(changed, label, &prompt, &states, &blocks)?;
    }
    Ok(())
}

/// A and B of each layer.
type Blocks<T> = [(Array2<T>, Array2<T>)];

fn forward(prompt: &Instance<Fraction>, blocks: &Blocks<Fraction>) -> Result<Vec<Array2<Fraction>>, Failure> {
    let layers = blocks.iter().map(|(a, b)| Layer::with_block(a, b)).collect::<Result<Vec<_>, _>>()?;
    Ok(literal_forward(&layers, &prompt.tokens, Mask::Printed)?)
}

/// States that two matrices are the same.
fn entries(says: Says, label: &str, a: &Array2<Fraction>, b: &Array2<Fraction>) {
    a.iter().zip(b).for_each(|(a, b)| says.of("entries").never(label, a != b));
}

/// States that the first layer multiplies the covariates of every token with this matrix.
fn tokens(says: Says, label: &str, states: &[Array2<Fraction>], form: &Array2<Fraction>) -> Done {
    for i in 0..states[0].ncols() {
        let multiplied = matrix_vector(form, &token(&states[0], i))?;
        says.of("tokens").never(label, multiplied != token(&states[1], i));
    }
    Ok(())
}

/// States that the query's label is that of GD++ after every layer.
fn labels(
    says: Says,
    label: &str,
    prompt: &Instance<Fraction>,
    states: &[Array2<Fraction>],
    blocks: &Blocks<Fraction>,
) -> Done {
    let f = prompt.quadratic();
    for (z, w) in states.iter().zip(&gd_plus_plus(&f, &f.origin(), blocks)?.iterates) {
        let answer = z[[prompt.dim(), prompt.examples()]].negated();
        says.of("labels").never(label, answer != dot(&prompt.query(), w)?);
    }
    Ok(())
}

fn times(a: &Array2<Fraction>, c: &Fraction) -> Array2<Fraction> {
    a.mapv(|v| v.times(c))
}

/// I - cH.
fn remainder(h: &Array2<Fraction>, c: &Fraction) -> Array2<Fraction> {
    let unit = identity::<Fraction>(h.nrows());
    Array2::from_shape_fn(h.dim(), |at| unit[at].minus(&c.times(&h[at])))
}

/// Order of convergence of GD++, of the same without B, beside gradient descent with the best constant step.
fn convergence(s: &Sheet) -> Done {
    const DEPTH: usize = 8;
    let size = s.knob("prompts of which the worst is followed", 200, 1..=4000)?;
    let field = field(s, Reading::Variances)?;
    let batch = &field.tests[0].quadratics()[..size];
    let curvatures = batch.iter().map(|f| Ok(f.hessian.eigh(UPLO::Lower)?.0)).collect::<Result<Vec<_>, Failure>>()?;
    let low = least_of(curvatures.iter().map(|of_prompt| of_prompt[0]));
    let high = largest_of(curvatures.iter().map(|of_prompt| of_prompt[DIM - 1]));
    // The range [low, high] goes to [min(f(low), f(high)), f(c)], f(h) = h (1 - h / 3c)^2, c its middle.
    let (mut blocks, mut range) = (Vec::new(), (low, high));
    for _ in 0..DEPTH {
        let c = 0.5 * (range.0 + range.1);
        blocks.push((Array2::eye(DIM) / c, Array2::eye(DIM) / 3.0));
        let to = |h: f64| h * (1.0 - h / (3.0 * c)).powi(2);
        range = (to(range.0).min(to(range.1)), to(c));
    }
    let plain = vec![(Array2::eye(DIM) / (0.5 * (low + high)), Array2::zeros((DIM, DIM))); DEPTH];
    let with =
        |layers: &[(Array2<f64>, Array2<f64>)]| worst(batch, |f| Ok(gd_plus_plus(f, &f.origin(), layers)?.iterates));
    let (plus, without) = (with(&blocks)?, with(&plain)?);
    let descent = SingleMemory::gradient_descent(2.0 / (low + high), DEPTH)?;
    let descent = worst(batch, |f| Ok(descent.run(f, &f.origin())?.iterates))?;
    s.printed(ORDER).over(size, "prompts").equals("order of convergence of GD++", 2.0, order(&plus));
    s.twin(ORDER).over(size, "prompts").equals("without B: order of convergence", 2.0, order(&without));
    let errors = plus[1..8].iter().map(|e| format!("{e:.1e}")).collect::<Vec<_>>().join(", ");
    s.note(format!("worst error after 1 to 7 layers: {errors}"));

    let x: Vec<f64> = (0..=DEPTH).map(|l| l as f64).collect();
    let floor = |errors: &[f64]| errors.iter().map(|e| e.max(1e-16)).collect::<Vec<f64>>();
    let panel = Panel::new("d = 5, n = 20")
        .line("GD++, shared a and b", &x, &floor(&plus))
        .line("gradient descent, best constant step", &x, &floor(&descent))
        .x_label("layers")
        .y_label("error / start")
        .log_y()
        .legend_below();
    let caption = "Relative error of the iterate of the worst of 200 prompts; Newton's method is exact after one step.";
    s.figure(Figure::new("GD++ doubles its digits once the spectrum is narrow").panel(panel).caption(caption));
    Ok(())
}

/// Iterates of the worst prompt: largest |w - w*| / |w*| after each layer.
fn worst(
    batch: &[Quadratic<f64>],
    run: impl Fn(&Quadratic<f64>) -> Result<Vec<Array1<f64>>, Failure>,
) -> Result<Vec<f64>, Failure> {
    let mut errors = Vec::new();
    for f in batch {
        let target = f.minimiser()?;
        let iterates = run(f)?;
        errors.resize(iterates.len(), 0.0);
        for (worst, w) in errors.iter_mut().zip(&iterates) {
            let miss = w - &target;
            *worst = largest_of([*worst, (miss.dot(&miss) / target.dot(&target)).sqrt()]);
        }
    }
    Ok(errors)
}

/// The order of the last layers before rounding.
fn order(errors: &[f64]) -> f64 {
    let last = (2..errors.len() - 1).rev().find(|l| errors[l + 1] > 1e-13).unwrap_or(2);
    (errors[last + 1] / errors[last]).ln() / (errors[last] / errors[last - 1]).ln()
}
