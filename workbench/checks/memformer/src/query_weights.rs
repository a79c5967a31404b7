//! Gamma with entries of its own for the query, as Eq. 3.4 prints it, and tied numbers for any covariance.
//!
//! Gamma_j is a matrix of d + 1 rows and n + 1 columns, and its last column multiplies the query alone. What the examples compute does not
//! depend on it. With Gamma_j the same in all layers the answer after L layers is sum_j (L - j) q_j <x, A_j grad R(w_j)>, linear in the
//! query's entries q_j, so the best of them are a least-squares problem, solved on prompts set aside. Gradient j is a polynomial of degree
//! j + 1 in the Hessian whatever the other entries are, so with A_j = a_j Sigma^{-1} these answers reach every polynomial of degree L. A that
//! were trained beside one number for all tokens need not be such multiples: entries that come after them have a smaller span.
//!
//! Tied numbers are one model in coordinates in which covariates are white; it is trained there once and carried to every law.

use std::sync::Arc;

use ndarray::{Array1, Array2, s};
use workbench_ground::stats::Stream;
use workbench_ledger::{Failure, Setting};
use workbench_memformer::{Architecture, Curve, Lfom, Parameters, TaskLaw, TestSet, Trainer, Weight, least_squares};

use super::task_law::{DIM, EXAMPLES};
use super::trained_memformers::{
    Field, LAYERS, Reading, Recipe, TIED_SCALARS, budget, curve_of, field, group, schedule,
};

/// Prompts on which the query's entries are fitted: of each law, and once for all laws in white coordinates.
const FITTED: usize = 1000;
const FITTED_ONCE: usize = 10_000;

/// (L - j) times the best entry of Gamma_j for the query of a tied model, in the last layer, on prompts set aside.
pub fn best_weights(model: &Parameters, law: &TaskLaw, fit: &TestSet) -> Result<Vec<f64>, Failure> {
    let (layers, dim, root) = (model.architecture().depth(), law.dim(), law.root()?);
    let mut features = Array2::zeros((fit.size() * dim, layers));
    let mut target = Array1::zeros(fit.size() * dim);
    for (b, f) in fit.quadratics().iter().enumerate() {
        let (rows, run) = (b * dim..(b + 1) * dim, model.run(f)?);
        target.slice_mut(s![rows.clone()]).assign(&root.dot(&fit.statistics().truth().row(b)));
        for j in 0..layers {
            let step = root.dot(&model.a(j)?.t().dot(&run.gradients[j]));
            features.slice_mut(s![rows.clone(), j]).assign(&step);
        }
    }
    Ok(least_squares(&features, &target)?.coefficients.to_vec())
}

/// The tied model with these weights at the query: those of [`best_weights`] after the last layer.
pub fn with_weights(model: &Parameters, query: &[f64]) -> Result<Lfom<f64>, Failure> {
    let layers = model.architecture().depth();
    let mut weights = Vec::new();
    for k in 0..layers {
        let mut row = Vec::new();
        for (j, own) in query.iter().enumerate().take(k + 1) {
            let weight = match k + 1 == layers {
                true => *own,
                false => -((k + 1 - j) as f64) * model.registers()[j],
            };
            row.push(Weight::Full(weight * &model.a(j)?.t()));
        }
        weights.push(row);
    }
    Ok(Lfom::new(weights)?)
}

/// Tied numbers trained in white coordinates, A_l = a_l I.
pub fn white_tied(
    (dim, layers): (usize, usize),
    (first, second): (usize, usize),
    stream: &mut Stream,
) -> Result<Parameters, Failure> {
    // A tied number times A_l is one matrix, so A alone says all.
    let protocol = schedule(first + second, 0);
    let form = Architecture::new(layers, dim)?.with_registers(TIED_SCALARS);
    let start = Parameters::random(form, protocol.initial_scale, stream)?;
    let white = TaskLaw::isotropic(dim)?;
    let mut run = Trainer::from_parameters(start, white.clone(), protocol, stream)?;
    run.run()?;
    carried(run.parameters(), &white)
}

/// The same numbers for another covariance: A_l = a_l Sigma^{-1}, where a_l is the mean of the diagonal.
pub fn carried(white: &Parameters, law: &TaskLaw) -> Result<Parameters, Failure> {
    let (mut model, dim) = (white.clone(), law.dim());
    for l in 0..white.architecture().depth() {
        let mean = white.a(l)?.diag().sum() / dim as f64;
        model.set_a(l, &(mean * law.truth_covariance()))?;
    }
    Ok(model)
}

/// A tied model in white coordinates, and what [`best_weights`] are there.
pub fn white_with_query(
    (dim, layers, n): (usize, usize, usize),
    steps: (usize, usize),
    stream: &mut Stream,
) -> Result<(Parameters, Vec<f64>), Failure> {
    let (white, law) = (white_tied((dim, layers), steps, stream)?, TaskLaw::isotropic(dim)?);
    let query = best_weights(&white, &law, &TestSet::draw(&law, n, FITTED_ONCE, stream)?)?;
    Ok((white, query))
}

/// Such a model on these laws: with one number for all tokens, and with entries of its own for the query.
pub fn on_laws(
    (white, query): &(Parameters, Vec<f64>),
    (laws, tests): (&[TaskLaw], &[TestSet]),
) -> Result<[Curve; 2], Failure> {
    let models = laws.iter().map(|law| carried(white, law)).collect::<Result<Vec<_>, _>>()?;
    let with_query = models.iter().map(|model| with_weights(model, query));
    let with_query = with_query.collect::<Result<Vec<_>, _>>()?;
    let layers = white.architecture().depth();
    Ok([curve_of(&models, tests)?, Curve::of_methods(&with_query, tests, layers)?])
}

/// Tied models of 1, 2, ... layers with A_l = a_l Sigma^{-1} on the fresh prompts of Section 3.3; a curve speaks of its last layer.
pub struct Tied {
    /// One number for all tokens.
    numbers: Vec<Curve>,
    /// Entries of its own for the query.
    query: Vec<Curve>,
}

impl Tied {
    /// Of models with `layers` layers and one number for all tokens.
    pub fn numbers(&self, layers: usize) -> &Curve {
        &self.numbers[layers - 1]
    }

    /// Of models with `layers` layers and entries of its own for the query.
    pub fn query(&self, layers: usize) -> &Curve {
        &self.query[layers - 1]
    }
}

/// A tied model and the query's weights.
type WithQuery = (Parameters, Vec<f64>);

/// Tied models of one to four layers in white coordinates, and the query's weights there.
fn white_models(setting: &Setting) -> Result<Arc<Vec<WithQuery>>, Failure> {
    setting.shared("tied in white coordinates", |own| {
        let of = |layers: usize| {
            let mut stream = own.streams().replicate("tied, white covariates", layers)?;
            white_with_query((DIM, layers, EXAMPLES), budget(own), &mut stream)
        };
        (1..=LAYERS).map(of).collect()
    })
}

/// The models of four layers with the query's weights in the wrong order, last layer first.
pub fn in_reverse(setting: &Setting, field: &Field) -> Result<Curve, Failure> {
    let (white, mut query) = white_models(setting)?[LAYERS - 1].clone();
    query.reverse();
    let [_, reversed] = on_laws(&(white, query), (field.laws.as_slice(), field.tests.as_slice()))?;
    Ok(reversed)
}

/// These models with A_l = a_l Sigma^{-1} for a reading of D.
pub fn tied(setting: &Setting, reading: Reading) -> Result<Arc<Tied>, Failure> {
    setting.shared(&format!("tied, multiples of the inverse covariance, {reading:?}"), |own| {
        let field = field(own, reading)?;
        let (mut numbers, mut query) = (Vec::new(), Vec::new());
        for model in white_models(own)?.iter() {
            let [of_numbers, of_query] = on_laws(model, (field.laws.as_slice(), field.tests.as_slice()))?;
            numbers.push(of_numbers);
            query.push(of_query);
        }
        Ok(Tied { numbers, query })
    })
}

/// Tied models that were trained on each law, D as printed, and then given the best entries for the query.
pub fn trained_first(setting: &Setting, recipe: &Recipe) -> Result<Arc<Curve>, Failure> {
    let name = format!("{recipe:?}, then entries for the query");
    setting.shared(&name, |own| {
        let at = Reading::Variances;
        let field = field(own, at)?;
        let models = group(own, at, recipe)?.of_depth(LAYERS);
        fitted_to(own, &field, &models)
    })
}

/// Tied models with the best entries for the query, fitted on prompts of their law that are set aside.
pub fn fitted_to(own: &Setting, field: &Field, models: &[Parameters]) -> Result<Curve, Failure> {
    let mut methods = Vec::new();
    for (i, (model, law)) in (0..).zip(models.iter().zip(&field.laws)) {
        let mut stream = own.streams().restart_replicate("prompts for the query's weights", i)?;
        let fit = TestSet::draw(law, EXAMPLES, FITTED, &mut stream)?;
        methods.push(with_weights(model, &best_weights(model, law, &fit)?)?);
    }
    Ok(Curve::of_methods(&methods, &field.tests, LAYERS)?)
}
