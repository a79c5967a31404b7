//! Eqs. 24 to 26: the leads of the other classes are Gaussian.
//!
//! **Claim** (`heavy-tailed/eq-24-26`). Given e_{x_0}, the leads Z_y = sum_x q(x) <e_x, e_{x_0}> <u_{f_*(x)}, u_y - u_{f_*(x_0)}> are
//! Gaussian with mean mu_y = q(x_0) |e_{x_0}|^2 <u_{f_*(x_0)}, u_y - u_{f_*(x_0)}> and covariance
//! Sigma_{y,y'} = |e_{x_0}|^2 (u_y - u_f)^T (sum_{x != x_0} q(x)^2 u_{f_*(x)} u_{f_*(x)}^T) (u_{y'} - u_f).
//!
//! The two lines before Eq. 26 print u^T u^T for u u^T, and u_{y_1} - u_f before the bracket without its transpose, which Eq. 26 has. Row
//! times row is no number unless it is read as the inner product |u|^2. First by matrix algebra: Z is an explicit linear map of the other
//! inputs, Z = mu + A vec(e), so Sigma must be A A^T. Then by memories: six inputs, M = 4, d = 5, e_{x_0} held fixed, everything else drawn
//! again. Refuted by an entry of A A^T that differs, a projection of Z that is not normal, or a share of lost inputs that is not the
//! orthant probability.

use ndarray::{Array1, Array2, Axis};
use workbench_ground::stats::{Stream, integrate, normal_array2, normal_cdf, proportion, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{
    AssociativeMemory, Embeddings, GivenOutputs, InputGroup, MarginLaw, Profile, kolmogorov_smirnov,
};

use super::profiles::{QUADRATURE, even};
use crate::vocabulary::{ROUNDING, largest, least_of};

const LEVEL: Margin = Margin::statistical(
    "level",
    1e-4,
    "smallest of six p-values; the whole test has a level of some six in ten thousand",
);

/// The law of the leads, by algebra and by memories.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-24-26",
    metric: "entries of mean and covariance over the trace of the covariance; p-values; share of lost inputs",
    against: "an entry that differs, a projection that is not normal, a share that is not the orthant probability",
    choices: &["six inputs, M = 4, d = 5: with three leads the orthant probability is an integral in two dimensions"],
    run,
    ..Check::DEFAULT
};

const LABELS: [usize; 6] = [0, 1, 2, 3, 0, 1];
const WEIGHTS: [f64; 6] = [0.6, 0.8, 1.2, 0.5, 0.9, 0.7];
const DIM: usize = 5;
const TESTED: InputGroup = InputGroup { mass: 0.0, weight: WEIGHTS[0], class: 0 };
/// A vector is Gaussian when its projections are.
const DIRECTIONS: [[f64; 3]; 6] =
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [1.0, -2.0, 0.5], [0.3, 1.0, -1.0]];

fn run(s: &Sheet) -> Done {
    s.misprint(
        "in the two lines before Eq. 26 u_{f_*(x)} u_{f_*(x)}^T for u_{f_*(x)}^T u_{f_*(x)}^T, and the first factor transposed, \
         (u_{y_1} - u_{f_*(x_0)})^T",
    );
    let mut stream = s.stream("one input")?;
    let mut drawn = Vec::new();
    for trial in 0..40 {
        // The identity asks for no unit norm.
        let outputs = if trial == 0 { unit_sphere(&mut stream, 4, DIM) } else { normal_array2(&mut stream, 4, DIM) };
        drawn.push((outputs, normal_array2(&mut stream, 1, DIM)));
    }
    drawn[39].0 = unit_sphere(&mut stream, 4, DIM);
    for (outputs, e0) in s.each("draws", &drawn) {
        algebra(s, outputs, e0)?;
    }
    let (outputs, e0) = &drawn[39];
    memories(s, outputs, e0, &mut stream)?;
    let label = "average over |e| against Student's tail, M = 2, d = 7, relative";
    s.support(QUADRATURE).same(label, averaged_over_length()?);
    Ok(())
}

/// Mean and covariance of the leads, from the explicit linear map of the other inputs.
fn algebra(s: &Sheet, outputs: &Array2<f64>, e0: &Array2<f64>) -> Done {
    let (both, twin) = (s.both_forms(ROUNDING), s.twin(ROUNDING).largest());
    let law = law(outputs, e0)?;
    let map = linear_map(outputs, e0, 1.0);
    let sigma = map.dot(&map.t());
    let scale = sigma.diag().sum();
    let alone = leads_alone(outputs, e0, WEIGHTS[0])?;
    let squared = leads_alone(outputs, e0, WEIGHTS[0].powi(2))?;
    for (mean, &y) in law.mean.iter().zip(&law.rivals) {
        both.same("mean against the leads of x₀ stored alone, relative", (mean - alone[y]).abs() / scale);
        twin.same("mean with q(x₀)² in the place of q(x₀), relative", (mean - squared[y]).abs() / scale);
    }
    both.same("Eq. 26 against A Aᵀ, relative", largest(&(&sigma - &law.covariance)) / scale);
    let of_lines = |line: &Array2<f64>| largest(&(line - &sigma)) / scale;
    let label = "two lines before, u^T u^T read as an inner product: against A Aᵀ, relative";
    s.printed(ROUNDING).same(label, of_lines(&line_before(outputs, e0, false)));
    s.changed(ROUNDING)
        .same("two lines before, with u u^T: against A Aᵀ, relative", of_lines(&line_before(outputs, e0, true)));
    let wrong = linear_map(outputs, e0, 0.5);
    let unsquared = largest(&(wrong.dot(&wrong.t()) - &law.covariance)) / scale;
    twin.same("covariance with q in the place of q², relative", unsquared);
    let signal = outputs.row(0).dot(&(&outputs.row(1) - &outputs.row(0)));
    let own = WEIGHTS[0].powi(2) * e0.row(0).dot(&e0.row(0)) * signal.powi(2);
    let with_itself = (sigma[[0, 0]] + own - law.covariance[[0, 0]]).abs() / scale;
    twin.same("covariance with the term x = x₀ kept, relative", with_itself);
    Ok(())
}

fn law(outputs: &Array2<f64>, e0: &Array2<f64>) -> Result<MarginLaw, Failure> {
    let radius = e0.row(0).dot(&e0.row(0)).sqrt();
    let profile = even(&WEIGHTS, &LABELS, 4)?;
    Ok(GivenOutputs::new(outputs)?.margin_law(&profile, &TESTED, radius)?)
}

/// `A` of `Z = mu + A vec(e)`, (3, 25): how each coordinate of the other five inputs enters each lead.
fn linear_map(outputs: &Array2<f64>, e0: &Array2<f64>, power: f64) -> Array2<f64> {
    Array2::from_shape_fn((3, 5 * DIM), |(i, j)| {
        let x = 1 + j / DIM;
        let difference = &outputs.row(i + 1) - &outputs.row(0);
        WEIGHTS[x].powf(power) * e0[[0, j % DIM]] * outputs.row(LABELS[x]).dot(&difference)
    })
}

/// The lines before Eq. 26, with the transpose of the first factor: `|e|^2 (u_y - u_f)^T (sum q^2 u u^T) (u_y' - u_f)`, or the number
/// `|u|^2` in the bracket.
fn line_before(outputs: &Array2<f64>, e0: &Array2<f64>, outer: bool) -> Array2<f64> {
    let mut inner = Array2::zeros((DIM, DIM));
    for (q, class) in WEIGHTS.iter().zip(LABELS).skip(1) {
        let u = outputs.row(class);
        inner += &match outer {
            true => u.insert_axis(Axis(1)).dot(&u.insert_axis(Axis(0))) * q.powi(2),
            false => Array2::eye(DIM) * (q.powi(2) * u.dot(&u)),
        };
    }
    let from_f = Array2::from_shape_fn((3, DIM), |(y, i)| outputs[[y + 1, i]] - outputs[[0, i]]);
    from_f.dot(&inner).dot(&from_f.t()) * e0.row(0).dot(&e0.row(0))
}

/// The leads over class 0 in a memory that stores x_0 alone, with weight `q`.
fn leads_alone(outputs: &Array2<f64>, e0: &Array2<f64>, q: f64) -> Result<Array1<f64>, Failure> {
    let e = Embeddings::from_parts(e0.clone(), outputs.clone())?;
    let scores = AssociativeMemory::store(&e, &[q], &LABELS[..1])?.scores(e0)?;
    Ok(&scores.row(0) - scores[[0, 0]])
}

/// The leads of memories with e_{x_0} held fixed, and the share that lost the input.
fn memories(s: &Sheet, outputs: &Array2<f64>, e0: &Array2<f64>, stream: &mut Stream) -> Done {
    let (law, runs) = (law(outputs, e0)?, s.knob("memories", s.scale().pick(6000, 40_000), 100..)?);
    let mut leads = Vec::with_capacity(runs);
    for _ in 0..runs {
        let mut inputs = normal_array2(stream, LABELS.len(), DIM);
        inputs.row_mut(0).assign(&e0.row(0));
        let e = Embeddings::from_parts(inputs, outputs.clone())?;
        let scores = AssociativeMemory::store(&e, &WEIGHTS, &LABELS)?.scores(e0)?;
        leads.push((1..4).map(|y| scores[[0, y]] - scores[[0, 0]]).collect::<Array1<f64>>());
    }
    let (normal, wider) = (smallest_p(&leads, &law, 1.0)?, smallest_p(&leads, &law, 1.2)?);
    let label = "smallest p-value of Kolmogorov-Smirnov over six directions";
    s.both_forms(LEVEL).over(runs, "memories").at_least(label, normal);
    s.twin(LEVEL).over(runs, "memories").at_least("a standard deviation 20 % larger", wider);
    let lost = proportion(leads.iter().filter(|z| z.iter().any(|z| *z >= 0.0)).count(), runs)?;
    let label = "share of lost inputs against the trivariate orthant";
    s.both_forms(Margin::ZERO).of("memories").near(label, law.failure()?, lost);
    let apart = MarginLaw { covariance: Array2::from_diag(&law.covariance.diag()), ..law };
    let label = "share of lost inputs against leads without correlations";
    s.twin(Margin::ZERO).of("memories").near(label, apart.failure()?, lost);
    Ok(())
}

/// The smallest p-value over the directions, with the deviation of each projection multiplied by `stretch`.
fn smallest_p(leads: &[Array1<f64>], law: &MarginLaw, stretch: f64) -> Result<f64, Failure> {
    let mut smallest = 1.0f64;
    for direction in DIRECTIONS {
        let v = Array1::from(direction.to_vec());
        let (centre, width) = (v.dot(&law.mean), stretch * v.dot(&law.covariance.dot(&v)).sqrt());
        let projected: Vec<f64> = leads.iter().map(|z| v.dot(z)).collect();
        let fit = kolmogorov_smirnov(&projected, &|t| normal_cdf((t - centre) / width))?;
        smallest = least_of([smallest, fit.p_value]);
    }
    Ok(smallest)
}

/// For two classes and d = 7: the failure averaged over the length of e_{x_0}, over Student's tail, less one.
fn averaged_over_length() -> Result<f64, Failure> {
    let two = GivenOutputs::equiangular(2, 0.3, 7)?;
    let pair = Profile::from_weights(&[1.0, 0.0], &[1.0, 2.0], &[0, 1], 2)?;
    let input = pair.groups()[0];
    let tail = two.pairwise_failure(&pair, &input, 1)?;
    let density = |r: f64| r.powi(6) * (-0.5 * r * r).exp();
    let failure = |r: f64| {
        let law = two.margin_law(&pair, &input, r).and_then(|law| law.failure());
        law.unwrap_or(f64::NAN)
    };
    let top = integrate(&|r: f64| failure(r) * density(r), 0.0, 14.0, 1e-11)?.value;
    let whole = integrate(&density, 0.0, 14.0, 1e-11)?.value;
    Ok((top / whole / tail - 1.0).abs())
}
