//! Eq. 1: the answer is the class whose output embedding fits best.
//!
//! **Claim** (`heavy-tailed/eq-1`). f_W(x) = argmax_y u_y^T W e_x with e_x ~ N(0, I_d) and u_y uniform on the unit sphere.
//!
//! The embeddings must have their laws: |e_x|^2 that of chi-square with d degrees of freedom, |u_y| = 1, and a coordinate of u_y the
//! density proportional to (1 - t^2)^((d-3)/2). The answer must not care for the scale of W, nor for the axes: turn inputs by R,
//! outputs by S, and W into S W R^T, and nothing may change. An answer that does would count against the program.

use workbench_ground::stats::{Estimate, normal_array2, orthonormal};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{Embeddings, chi_square_cdf, kolmogorov_smirnov, sphere_coordinate_cdf};

use super::section_2_model::{CLASSES, P_VALUE, answers, differing, none};
use crate::vocabulary::{ROUNDING, largest_of};

/// Laws of the embeddings, and what leaves answers alone.
#[derive(Clone, Debug)]
pub struct ArgMax {
    /// Dimension d.
    pub dim: usize,
    /// Embeddings of each kind whose law is tested.
    pub embeddings: usize,
    /// Random matrices, each asked for 100 inputs.
    pub matrices: usize,
}

impl Default for ArgMax {
    fn default() -> ArgMax {
        ArgMax { dim: 12, embeddings: 3000, matrices: 20 }
    }
}

const INPUTS: usize = 100;

/// Answers that change under what is done to the matrix and the embeddings.
#[derive(Default)]
struct Changed {
    scaled: usize,
    turned: usize,
    flipped: usize,
    half_turned: usize,
    transposed: usize,
}

struct Laws {
    unit: f64,
    lengths: Vec<f64>,
    first: Vec<f64>,
}

impl Laws {
    fn of(e: &Embeddings) -> Laws {
        let off = |u: ndarray::ArrayView1<f64>| (u.dot(&u).sqrt() - 1.0).abs();
        Laws {
            unit: largest_of(e.outputs.outer_iter().map(off)),
            lengths: e.inputs.outer_iter().map(|v| v.dot(&v)).collect(),
            first: e.outputs.column(0).to_vec(),
        }
    }

    /// Squared lengths of inputs against the chi-square law of so many degrees of freedom.
    fn chi_square(&self, label: String, dof: usize) -> Result<Finding, Failure> {
        let fit = kolmogorov_smirnov(&self.lengths, &|x| chi_square_cdf(dof, x).unwrap_or(f64::NAN))?;
        let p = Estimate::exact(fit.p_value);
        Ok(Finding::at_least(label, P_VALUE, p).cases(fit.size).unit("draws"))
    }

    /// First coordinates of outputs against the law on the sphere in so many dimensions.
    fn sphere(&self, label: String, dim: usize) -> Result<Finding, Failure> {
        let fit = kolmogorov_smirnov(&self.first, &|t| sphere_coordinate_cdf(dim, t).unwrap_or(f64::NAN))?;
        let p = Estimate::exact(fit.p_value);
        Ok(Finding::at_least(label, P_VALUE, p).cases(fit.size).unit("draws"))
    }
}

impl TypedCheck for ArgMax {
    const CLAIM: &'static str = "heavy-tailed/eq-1";
    const PLAN: Plan = Plan::new(
        "answers that change, counted; Kolmogorov and Smirnov's test of each law",
        "an answer that depends on the scale of W or on the axes; embeddings whose law is refused; an output of another length",
        &[P_VALUE, ROUNDING],
    )
    .departures(&["the document leaves d, N and M open here; d = 12, N = 100 and M = 5 are ours"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (d, mut stream) = (self.dim, setting.stream("eq 1")?);
        let laws = Laws::of(&Embeddings::draw(self.embeddings, self.embeddings, d, &mut stream)?);
        let mut changed = Changed::default();
        for _ in 0..self.matrices {
            let e = Embeddings::draw(INPUTS, CLASSES, d, &mut stream)?;
            let w = normal_array2(&mut stream, d, d);
            let (r, s) = (orthonormal(&mut stream, d, d)?, orthonormal(&mut stream, d, d)?);
            let (plain, both) = (answers(&w, &e), e.turned(&r, &s)?);
            let turned = s.dot(&w).dot(&r.t());
            changed.scaled += differing(&answers(&(&w * 17.0), &e), &plain);
            changed.turned += differing(&answers(&turned, &both), &plain);
            changed.flipped += differing(&answers(&-&w, &e), &plain);
            changed.half_turned += differing(&answers(&w, &both), &plain);
            changed.transposed += differing(&answers(&turned.t().to_owned(), &both), &plain);
        }
        let of = self.matrices * INPUTS;
        let evidence = Evidence::of(none("W → 17 W: answers that change", changed.scaled, of, "answers"))
            .and(none(
                "inputs turned by R, outputs by S, W → S W Rᵀ: answers that change",
                changed.turned,
                of,
                "answers",
            ))
            .and(
                Finding::identity("norms of u, largest distance from one", laws.unit, ROUNDING)
                    .cases(self.embeddings)
                    .unit("draws"),
            )
            .and(laws.chi_square(format!("|e|² against chi-square with {d} degrees of freedom: p-value"), d)?)
            .and(laws.sphere(format!("a coordinate of u against the sphere in {d} dimensions: p-value"), d)?)
            .twin(none("W → −W: answers that change", changed.flipped, of, "answers"))
            .twin(none("W not turned along: answers that change", changed.half_turned, of, "answers"))
            .twin(none("W → (S W Rᵀ)ᵀ: answers that change", changed.transposed, of, "answers"))
            .twin(laws.chi_square("|e|² against one degree of freedom more: p-value".to_string(), d + 1)?)
            .twin(laws.sphere("a coordinate of u against twice the dimension: p-value".to_string(), 2 * d)?);
        Ok(evidence.into())
    }
}
