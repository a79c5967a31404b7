//! Gamma with entries of its own for the query, as Eq. 3.4 prints it.
//!
//! Gamma_j is a matrix of d + 1 rows and n + 1 columns. What counts is the row of labels, and with a number for all examples and one for the
//! query a tied Gamma_j is two numbers. The last column multiplies the query alone, and what the examples compute does not depend on it: the
//! answer after l layers is minus sum_j (l - j) q_j <x, A_j grad R(w_j)>, linear in the query's entries q_j, so the best of them are a
//! least-squares problem, solved on prompts set aside. Gradient j is a polynomial of degree j + 1 in the Hessian whatever the examples'
//! entries are, so with A_j = a_j Sigma^{-1} these answers reach every polynomial of degree L.
//!
//! Appendix D trains A first, and verifies that on a linear transformer, whose A_l come near such multiples; then Gamma, which here is fitted
//! from Gamma = 1 on, the query's entries by least squares for each set of the examples' (Levenberg and Marquardt). A that were trained inside
//! of (3.4), beside one number for all tokens, need not be such multiples: entries that come after them have a smaller span.
//!
//! In coordinates in which covariates are white all laws are one: models are trained there once and carried to every law.

use std::sync::Arc;

use ndarray::{Array1, Array2, s};
use ndarray_linalg::Solve;
use workbench_ground::stats::Stream;
use workbench_ledger::{Failure, Setting};
use workbench_memformer::{
    Architecture, ConjugateGradient, Curve, Error, FirstOrderMethod, Measure, Parameters, Quadratic, RegisterKind,
    TaskLaw, TestSet, Trainer, Trajectory, best_shared_memory, least_squares,
};

use super::shared_optimum::optimal;
use super::task_law::{DIM, EXAMPLES, SPECTRUM};
use super::trained_memformers::{
    Field, Group, LAYERS, LINEAR, Reading, Recipe, TIED_SCALARS, budget, curve_of, field, fresh, group, rotations,
    schedule,
};

/// Prompts on which the query's entries are fitted where A was trained beside Gamma = 1.
const FITTED: usize = 1000;
/// Prompts on which a row of Gamma is fitted in white coordinates.
const FITTED_ONCE: usize = 10_000;
/// A fit of Gamma ends where a step gains less than this share of the loss.
const GAIN: f64 = 1e-4;

/// A tied model with a number for all examples, and Gamma_j of the query beside it.
#[derive(Clone, Debug)]
pub struct Row {
    model: Parameters,
    query: Vec<f64>,
}

impl Row {
    /// The same for another law, if it was found in white coordinates.
    fn carried(&self, law: &TaskLaw) -> Result<Row, Failure> {
        Ok(Row { model: carried(&self.model, law)?, query: self.query.clone() })
    }
}

/// The iterate after k layers is the one that the query's label stands for.
impl FirstOrderMethod for Row {
    fn name(&self) -> &'static str {
        "tied memformer with entries for the query"
    }

    fn run_steps(&self, f: &Quadratic<f64>, start: &Array1<f64>, steps: usize) -> Result<Trajectory<f64>, Error> {
        let mut run = self.model.run_steps(f, start, steps)?;
        let (mut step, mut w) = (Array1::zeros(start.len()), start.clone());
        for (j, (gradient, at)) in run.gradients.iter().zip(&mut run.iterates[1..]).enumerate() {
            // What a layer adds contains all that the one before it added.
            step = step - self.query[j] * self.model.a(j)?.t().dot(gradient);
            w += &step;
            at.assign(&w);
        }
        Ok(run)
    }
}

/// The tied model with the best entries for the query after the last layer, and by how much each coordinate is missed.
fn with_best_query(model: &Parameters, law: &TaskLaw, fit: &TestSet) -> Result<(Row, Array1<f64>), Failure> {
    let (layers, dim, root) = (model.architecture().depth(), law.dim(), law.root()?);
    let mut features = Array2::zeros((fit.size() * dim, layers));
    let mut target = Array1::zeros(fit.size() * dim);
    let turned = (0..layers).map(|j| Ok(root.dot(&model.a(j)?.t()))).collect::<Result<Vec<Array2<f64>>, Error>>()?;
    for (b, f) in fit.quadratics().iter().enumerate() {
        let (rows, run) = (b * dim..(b + 1) * dim, model.run(f)?);
        target.slice_mut(s![rows.clone()]).assign(&root.dot(&fit.statistics().truth().row(b)));
        for (j, turned) in turned.iter().enumerate() {
            let often = (layers - j) as f64;
            features.slice_mut(s![rows.clone(), j]).assign(&(-often * turned.dot(&run.gradients[j])));
        }
    }
    let query = least_squares(&features, &target)?.coefficients;
    let missed = target - features.dot(&query);
    Ok((Row { model: model.clone(), query: query.to_vec() }, missed))
}

/// These A with the best row of a tied Gamma after the last layer, from Gamma = 1 on.
pub fn with_best_row(trained: &Parameters, law: &TaskLaw, fit: &TestSet) -> Result<Row, Failure> {
    const STEP: f64 = 1e-5;
    let (mut best, mut missed) = with_best_query(&untrained(trained, TIED_SCALARS)?, law, fit)?;
    // The last layer's step of the examples is seen by nobody.
    let (free, mut damping) = (best.query.len() - 1, 1e-3);
    while free > 0 && damping < 1e6 {
        let mut slopes = Array2::zeros((missed.len(), free));
        for (k, mut slope) in slopes.columns_mut().into_iter().enumerate() {
            let mut moved = best.model.clone();
            moved.registers_mut()[k] += STEP;
            slope.assign(&((&missed - with_best_query(&moved, law, fit)?.1) / STEP));
        }
        let (normal, right) = (slopes.t().dot(&slopes), slopes.t().dot(&missed));
        let before = missed.dot(&missed);
        while damping < 1e6 {
            let mut damped = normal.clone();
            damped.diag_mut().mapv_inplace(|v| v * (1.0 + damping) + f64::MIN_POSITIVE);
            let mut moved = best.model.clone();
            moved.registers_mut().iter_mut().zip(&damped.solve(&right)?).for_each(|(gamma, by)| *gamma += by);
            let (row, now) = with_best_query(&moved, law, fit)?;
            if now.dot(&now) < before {
                (best, missed, damping) = (row, now, damping / 4.0);
                break;
            }
            damping *= 10.0;
        }
        if missed.dot(&missed) > (1.0 - GAIN) * before {
            break;
        }
    }
    Ok(best)
}

/// These A with registers of their own that nobody has trained, Gamma = 1 if they are tied.
pub fn untrained(model: &Parameters, registers: RegisterKind) -> Result<Parameters, Failure> {
    let of = model.architecture();
    let mut plain = Parameters::neutral(Architecture::new(of.depth(), of.dim())?.with_registers(registers));
    for l in 0..of.depth() {
        plain.set_a(l, &model.a(l)?.to_owned())?;
    }
    Ok(plain)
}

/// A model that was trained in white coordinates for another covariance: A_l = a_l Sigma^{-1}, where a_l is the mean of the diagonal.
fn carried(white: &Parameters, law: &TaskLaw) -> Result<Parameters, Failure> {
    let (mut model, dim) = (white.clone(), law.dim());
    for l in 0..white.architecture().depth() {
        let mean = white.a(l)?.diag().sum() / dim as f64;
        model.set_a(l, &(mean * law.truth_covariance()))?;
    }
    Ok(model)
}

/// Tied models in white coordinates.
#[derive(Clone, Debug)]
pub struct White {
    /// With one number for all tokens, which is one matrix with A.
    numbers: Parameters,
    /// A of a linear transformer, then a row of Gamma.
    row: Row,
}

impl White {
    /// Trains both, so many steps each.
    pub fn train(
        (dim, layers, n): (usize, usize, usize),
        (first, second): (usize, usize),
        stream: &mut Stream,
    ) -> Result<White, Failure> {
        let (law, protocol) = (TaskLaw::isotropic(dim)?, schedule(first + second, 0));
        let mut runs = Vec::new();
        for registers in [TIED_SCALARS, RegisterKind::None] {
            let form = Architecture::new(layers, dim)?.with_registers(registers);
            let start = Parameters::random(form, protocol.initial_scale, stream)?;
            runs.push(Trainer::from_parameters(start, law.clone(), protocol.clone(), stream)?);
        }
        let models = Group::train(&[layers], runs)?.models;
        let (numbers, linear) = (carried(&models[0], &law)?, carried(&models[1], &law)?);
        let fit = TestSet::draw(&law, n, FITTED_ONCE, stream)?;
        Ok(White { numbers, row: with_best_row(&linear, &law, &fit)? })
    }

    /// Such models on these laws: with one number for all tokens, and with a row of Gamma.
    pub fn on_laws(&self, (laws, tests): (&[TaskLaw], &[TestSet])) -> Result<[Curve; 2], Failure> {
        let numbers = laws.iter().map(|law| carried(&self.numbers, law)).collect::<Result<Vec<_>, _>>()?;
        let rows = laws.iter().map(|law| self.row.carried(law)).collect::<Result<Vec<_>, _>>()?;
        Ok([curve_of(&numbers, tests)?, Curve::of_methods(&rows, tests, self.row.query.len())?])
    }
}

/// Tied models of 1 to 4 layers with A_l = a_l Sigma^{-1} on the fresh prompts of Section 3.3.
pub struct Tied(Vec<[Curve; 2]>);

impl Tied {
    /// Of models with `layers` layers and one number for all tokens.
    pub fn numbers(&self, layers: usize) -> &Curve {
        &self.0[layers - 1][0]
    }

    /// Of models with `layers` layers and a row of Gamma.
    pub fn row(&self, layers: usize) -> &Curve {
        &self.0[layers - 1][1]
    }
}

/// These models for a reading of D.
pub fn tied(setting: &Setting, reading: Reading) -> Result<Arc<Tied>, Failure> {
    setting.shared(&format!("tied, multiples of the inverse covariance, {reading:?}"), |own| {
        let white = own.shared("tied in white coordinates", |own| {
            let of = |layers: usize| {
                let mut stream = own.streams().replicate("tied, white covariates", layers)?;
                White::train((DIM, layers, EXAMPLES), budget(own), &mut stream)
            };
            (1..=LAYERS).map(of).collect::<Result<Vec<_>, Failure>>()
        })?;
        let field = field(own, reading)?;
        let on = |model: &White| model.on_laws((&field.laws, &field.tests));
        Ok(Tied(white.iter().map(on).collect::<Result<_, _>>()?))
    })
}

/// The order of Appendix D on each law: these A, which are those of a linear transformer, then a row of Gamma.
fn in_order_on(own: &Setting, field: &Field, models: &[Parameters], name: &str) -> Result<Curve, Failure> {
    let (mut rows, size) = (Vec::new(), own.scale().pick(2000, 10_000));
    for (i, (model, law)) in (0..).zip(models.iter().zip(&field.laws)) {
        let mut stream = own.streams().restart_replicate(name, i)?;
        rows.push(with_best_row(model, law, &TestSet::draw(law, EXAMPLES, size, &mut stream)?)?);
    }
    Ok(Curve::of_methods(&rows, &field.tests, models[0].architecture().depth())?)
}

/// The same with models of so many layers on the five rotations, D as printed.
pub fn in_order(setting: &Setting, layers: usize) -> Result<Arc<Curve>, Failure> {
    setting.shared(&format!("A first, then a row of tied Γ, {layers} layers"), |own| {
        let models = group(own, Reading::Variances, &LINEAR)?.of_depth(layers);
        in_order_on(own, &*field(own, Reading::Variances)?, &models, "prompts for a row of Γ")
    })
}

/// More rotations, for models that are read before their last layer: what inner layers leave differs much from training to training.
pub fn more_rotations(setting: &Setting) -> Result<Arc<Field>, Failure> {
    setting.shared("more rotations of Section 3.3", |own| {
        let laws = rotations(own, &SPECTRUM, "rotation, more", own.scale().pick(10, 20))?;
        let tests = fresh(own, &laws, EXAMPLES, own.scale().pick(4000, 10_000), "test prompts, more rotations")?;
        let cgd = Curve::of_method(&ConjugateGradient, &tests, DIM)?;
        Ok(Field { laws, tests, cgd })
    })
}

/// Models of so many layers on [`more_rotations`], A first, then a row of Gamma, read after each layer.
pub fn read_early(setting: &Setting, layers: usize) -> Result<Arc<Curve>, Failure> {
    setting.shared(&format!("read early, {layers} layers"), |own| {
        let (field, (first, second)) = (more_rotations(own)?, budget(own));
        let (mut runs, protocol) = (Vec::new(), schedule(first + second, 0));
        for (i, law) in field.laws.iter().enumerate() {
            let mut stream = own.streams().replicate("linear transformer, more rotations", i * (DIM + 1) + layers)?;
            runs.push(Trainer::new(Architecture::new(layers, DIM)?, law.clone(), protocol.clone(), &mut stream)?);
        }
        let models = Group::train(&[layers], runs)?.models;
        in_order_on(own, &field, &models, &format!("prompts for a row of Γ, {layers} layers, more rotations"))
    })
}

/// The best there is of four layers where A are multiples of the inverse covariance, found on the same prompts: a row of Gamma, the same
/// with the query's entries in the wrong order, last layer first, and no registers.
pub fn best_of_both(setting: &Setting) -> Result<[Curve; 3], Failure> {
    let (law, field) = (TaskLaw::isotropic(DIM)?, field(setting, Reading::Variances)?);
    let fit = TestSet::draw(&law, EXAMPLES, FITTED_ONCE, &mut setting.stream("prompts for the best there is")?)?;
    let best = best_shared_memory(fit.quadratics(), LAYERS, &Measure::Distance)?.method.memoryless()?;
    let plain = optimal(&[best], std::slice::from_ref(&law))?;
    let row = with_best_row(&plain[0], &law, &fit)?;
    let on = |row: &Row| -> Result<Curve, Failure> {
        let rows = field.laws.iter().map(|law| row.carried(law)).collect::<Result<Vec<_>, _>>()?;
        Ok(Curve::of_methods(&rows, &field.tests, LAYERS)?)
    };
    let mut reversed = row.clone();
    reversed.query.reverse();
    let plain = field.laws.iter().map(|law| carried(&plain[0], law)).collect::<Result<Vec<_>, _>>()?;
    Ok([on(&row)?, on(&reversed)?, curve_of(&plain, &field.tests)?])
}

/// The best row of Gamma for these A on each law, D as printed.
pub fn row_for(own: &Setting, field: &Field, models: &[Parameters]) -> Result<Curve, Failure> {
    fitted(own, field, models, with_best_row)
}

/// Tied models that were trained on each law, D as printed, and then given the best entries for the query.
pub fn trained_first(setting: &Setting, recipe: &Recipe) -> Result<Arc<Curve>, Failure> {
    let name = format!("{recipe:?}, then entries for the query");
    setting.shared(&name, |own| {
        let at = Reading::Variances;
        let models = group(own, at, recipe)?.of_depth(LAYERS);
        fitted(own, &*field(own, at)?, &models, |model, law, fit| Ok(with_best_query(model, law, fit)?.0))
    })
}

/// Models of four layers with entries that are fitted on prompts of their law that are set aside.
fn fitted(
    own: &Setting,
    field: &Field,
    models: &[Parameters],
    fit: impl Fn(&Parameters, &TaskLaw, &TestSet) -> Result<Row, Failure>,
) -> Result<Curve, Failure> {
    let mut rows = Vec::new();
    for (i, (model, law)) in (0..).zip(models.iter().zip(&field.laws)) {
        let mut stream = own.streams().restart_replicate("prompts for the query's weights", i)?;
        rows.push(fit(model, law, &TestSet::draw(law, EXAMPLES, FITTED, &mut stream)?)?);
    }
    Ok(Curve::of_methods(&rows, &field.tests, LAYERS)?)
}
