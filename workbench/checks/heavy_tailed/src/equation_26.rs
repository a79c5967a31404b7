//! Eqs. 24 to 26: the leads of the other classes are Gaussian.
//!
//! **Claim** (`heavy-tailed/eq-24-26`). Given e_{x_0}, the leads Z_y = sum_x q(x) <e_x, e_{x_0}> <u_{f_*(x)}, u_y - u_{f_*(x_0)}> are
//! Gaussian with mean mu_y = q(x_0) |e_{x_0}|^2 <u_{f_*(x_0)}, u_y - u_{f_*(x_0)}> and covariance
//! Sigma_{y,y'} = |e_{x_0}|^2 (u_y - u_f)^T (sum_{x != x_0} q(x)^2 u_{f_*(x)} u_{f_*(x)}^T) (u_{y'} - u_f).
//!
//! First by matrix algebra: Z is an explicit linear map of the other inputs, Z = mu + A vec(e), so Sigma must be A A^T. Then by memories:
//! six inputs, M = 4, d = 5, e_{x_0} held fixed, everything else drawn again. Against it would count an entry of A A^T that differs, a
//! projection of Z that is not normal, or a share of lost inputs that is not the orthant probability.

use ndarray::{Array1, Array2};
use workbench_ground::stats::{Estimate, Stream, integrate, normal_array2, normal_cdf, proportion, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{
    AssociativeMemory, Embeddings, GivenOutputs, InputGroup, MarginLaw, Profile, kolmogorov_smirnov,
};

use super::proof_of_lemma_3::{QUADRATURE, even};
use crate::vocabulary::{Largest, ROUNDING, by_scale, largest, least_of};

const LEVEL: Margin =
    Margin::new("level", 1e-4, "smallest of six p-values; the whole test has a level of some six in ten thousand");

const LABELS: [usize; 6] = [0, 1, 2, 3, 0, 1];
const WEIGHTS: [f64; 6] = [0.6, 0.8, 1.2, 0.5, 0.9, 0.7];
const DIM: usize = 5;
const TESTED: InputGroup = InputGroup { mass: 0.0, weight: WEIGHTS[0], class: 0 };
/// A vector is Gaussian when its projections are.
const DIRECTIONS: [[f64; 3]; 6] =
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [1.0, -2.0, 0.5], [0.3, 1.0, -1.0]];

/// The law of the leads, by algebra and by memories.
#[derive(Clone, Debug)]
pub struct MarginsAreGaussian {
    /// Draws of outputs and of e_{x_0} for the algebra.
    pub trials: usize,
    /// Memories; by scale if 0.
    pub memories: usize,
}

impl Default for MarginsAreGaussian {
    fn default() -> MarginsAreGaussian {
        MarginsAreGaussian { trials: 40, memories: 0 }
    }
}

struct Algebra {
    mean: Largest,
    squared_in_mean: Largest,
    covariance: Largest,
    with_itself: Largest,
    unsquared: Largest,
    /// The last outputs and e_{x_0}, which the memories go on with.
    outputs: Array2<f64>,
    e0: Array2<f64>,
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

/// The leads over class 0 in a memory that stores x_0 alone, with weight `q`.
fn leads_alone(outputs: &Array2<f64>, e0: &Array2<f64>, q: f64) -> Result<Array1<f64>, Failure> {
    let e = Embeddings::from_parts(e0.clone(), outputs.clone())?;
    let scores = AssociativeMemory::store(&e, &[q], &LABELS[..1])?.scores(e0)?;
    Ok(&scores.row(0) - scores[[0, 0]])
}

impl MarginsAreGaussian {
    fn algebra(&self, stream: &mut Stream) -> Result<Algebra, Failure> {
        let mut seen = Algebra {
            mean: Largest::default(),
            squared_in_mean: Largest::default(),
            covariance: Largest::default(),
            with_itself: Largest::default(),
            unsquared: Largest::default(),
            outputs: unit_sphere(stream, 4, DIM),
            e0: normal_array2(stream, 1, DIM),
        };
        for trial in 0..self.trials {
            if trial > 0 {
                // The identity asks for no unit norm.
                seen.outputs = normal_array2(stream, 4, DIM);
                seen.e0 = normal_array2(stream, 1, DIM);
            }
            if trial + 1 == self.trials {
                seen.outputs = unit_sphere(stream, 4, DIM);
            }
            let (outputs, e0) = (&seen.outputs, &seen.e0);
            let length = e0.row(0).dot(&e0.row(0));
            let law = law(outputs, e0)?;
            let map = linear_map(outputs, e0, 1.0);
            let sigma = map.dot(&map.t());
            let scale = sigma.diag().sum();
            seen.covariance.see(largest(&(&sigma - &law.covariance)) / scale);
            let wrong = linear_map(outputs, e0, 0.5);
            seen.unsquared.see(largest(&(wrong.dot(&wrong.t()) - &law.covariance)) / scale);
            let signal = |y: usize| outputs.row(0).dot(&(&outputs.row(y) - &outputs.row(0)));
            let (alone, squared) =
                (leads_alone(outputs, e0, WEIGHTS[0])?, leads_alone(outputs, e0, WEIGHTS[0].powi(2))?);
            for (mean, &y) in law.mean.iter().zip(&law.rivals) {
                seen.mean.see((mean - alone[y]).abs() / scale);
                seen.squared_in_mean.see((mean - squared[y]).abs() / scale);
            }
            let own = WEIGHTS[0].powi(2) * length * signal(1).powi(2);
            seen.with_itself.see((sigma[[0, 0]] + own - law.covariance[[0, 0]]).abs() / scale);
        }
        Ok(seen)
    }
}

/// The leads of memories with e_{x_0} held fixed, and the share that lost the input.
fn memories(seen: &Algebra, runs: usize, stream: &mut Stream) -> Result<(Vec<Array1<f64>>, Estimate), Failure> {
    let (mut leads, mut lost) = (Vec::with_capacity(runs), 0usize);
    for _ in 0..runs {
        let mut inputs = normal_array2(stream, LABELS.len(), DIM);
        inputs.row_mut(0).assign(&seen.e0.row(0));
        let e = Embeddings::from_parts(inputs, seen.outputs.clone())?;
        let scores = AssociativeMemory::store(&e, &WEIGHTS, &LABELS)?.scores(&seen.e0)?;
        let z: Array1<f64> = (1..4).map(|y| scores[[0, y]] - scores[[0, 0]]).collect();
        lost += usize::from(z.iter().any(|z| *z >= 0.0));
        leads.push(z);
    }
    Ok((leads, proportion(lost, runs)?))
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

impl TypedCheck for MarginsAreGaussian {
    const CLAIM: &'static str = "heavy-tailed/eq-24-26";
    const PLAN: Plan = Plan::new(
        "entries of mean and covariance over the trace of the covariance; p-values; share of lost inputs",
        "an entry that differs, a projection that is not normal, a share that is not the orthant probability",
        &[ROUNDING, LEVEL, QUADRATURE],
    )
    .departures(&[
        "six inputs, M = 4, d = 5: with three leads the orthant probability is an integral in two dimensions",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("one input")?;
        let seen = self.algebra(&mut stream)?;
        let runs = by_scale(self.memories, setting.scale().pick(6000, 40_000));
        let law = law(&seen.outputs, &seen.e0)?;
        let (leads, share) = memories(&seen, runs, &mut stream)?;
        let trials = self.trials;
        let algebra = |label: &str, off: Largest| Finding::identity(label, off.0, ROUNDING).cases(trials).unit("draws");
        let normal = |label: &str, stretch: f64| -> Result<Finding, Failure> {
            let p = Estimate::exact(smallest_p(&leads, &law, stretch)?);
            Ok(Finding::at_least(label, LEVEL, p).cases(runs).unit("memories"))
        };
        let orthant = |label: &str, law: &MarginLaw| -> Result<Finding, Failure> {
            Ok(Finding::near(label, law.failure()?, 0.0, share).unit("memories"))
        };
        let mut apart = law.clone();
        apart.covariance = Array2::from_diag(&law.covariance.diag());
        let evidence = Evidence::of(algebra("mean against the leads of x₀ stored alone, relative", seen.mean))
            .and(algebra("covariance against A Aᵀ, relative", seen.covariance))
            .and(normal("smallest p-value of Kolmogorov-Smirnov over six directions", 1.0)?)
            .and(orthant("share of lost inputs against the trivariate orthant", &law)?)
            .and(Finding::identity(
                "average over |e| against Student's tail, M = 2, d = 7, relative",
                averaged_over_length()?,
                QUADRATURE,
            ))
            .twin(algebra("mean with q(x₀)² in the place of q(x₀), relative", seen.squared_in_mean))
            .twin(algebra("covariance with the term x = x₀ kept, relative", seen.with_itself))
            .twin(algebra("covariance with q in the place of q², relative", seen.unsquared))
            .twin(normal("a standard deviation 20 % larger", 1.2)?)
            .twin(orthant("share of lost inputs against leads without correlations", &apart)?);
        Ok(evidence.into())
    }
}
