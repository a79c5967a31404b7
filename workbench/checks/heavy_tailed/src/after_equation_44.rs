//! Appendix B.5, the display after Equation 44: what one visit adds to the coefficient of a pair.
//!
//! **Claim** (`heavy-tailed/q-increment`). With the approximate updates, batch one and exp(u_z^T W e_x) ~ 1 for z != f_*(x),
//! q_{t+1}(x) - q_t(x) = 1{x_t = x} gamma (1 - p_W) ~ 1{x_t = x} gamma / (1 + exp(q_t(x)) / (M - 1)).
//!
//! On exactly orthonormal embeddings no other memory interferes and the second sign has to be an equality. One input is visited a thousand
//! times, with |e_x|^2 = 1 and with |e_x|^2 = d = 100 as in Eq. 1, where the score of the pair is d q. The rate is divided by |e_x|^2, so that
//! the pair takes many visits to saturate in both. With the exact gradient the other classes lose together what the right one gains, which
//! stretches the gap by M/(M - 1). A coefficient that is off counts against it.

use ndarray::{Array2, s};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{Embeddings, Gradient, IdealUpdate, Method, TrainingRun, TrainingTask};

use super::section_3_gradient::{CLASSES, INPUTS, law, own, target};
use crate::vocabulary::largest_of;

const SAME: Margin = Margin::new(
    "same coefficient",
    1e-10,
    "a thousand steps that carry rounding on, from 1e-16, with three digits to spare",
);

/// The input that is visited.
const VISITED: usize = 7;
/// Squared norm of an input of Eq. 1 in a hundred dimensions.
const LONG: f64 = 100.0;

/// Visits of one input.
#[derive(Clone, Debug)]
pub struct Increment {
    /// How many.
    pub visits: usize,
    /// Learning rate times the squared norm of an input.
    pub rate: f64,
}

impl Default for Increment {
    fn default() -> Increment {
        Increment { visits: 1000, rate: 0.5 }
    }
}

impl Increment {
    /// The coefficient after each visit, on orthonormal outputs and orthogonal inputs of this squared norm.
    fn coefficients(&self, squared_norm: f64, gradient: Gradient) -> Result<Vec<f64>, Failure> {
        let eye = Array2::<f64>::eye(INPUTS);
        let e = Embeddings::from_parts(&eye * squared_norm.sqrt(), eye.slice(s![..CLASSES, ..]).to_owned())?;
        let task = TrainingTask::new(e, &target()?.labels(INPUTS), &law()?.probabilities(INPUTS))?;
        let mut run = TrainingRun::new(&task, &Method::sgd(self.rate / squared_norm)?.gradient(gradient))?;
        let mut q = Vec::with_capacity(self.visits);
        for _ in 0..self.visits {
            run.step(&[VISITED])?;
            q.push(own(&run)[VISITED]);
        }
        Ok(q)
    }

    /// Largest relative distance from the iterates of `q + rate / (1 + exp(stretch q) / competitors)`, for inputs of this squared norm.
    fn off(&self, q: &[f64], squared_norm: f64, competitors: f64, stretch: f64) -> Result<f64, Failure> {
        let f = IdealUpdate::new(self.rate / squared_norm, competitors, stretch)?.iterates(q.len());
        Ok(largest_of(q.iter().zip(&f[1..]).map(|(q, f)| (f / q - 1.0).abs())))
    }
}

impl TypedCheck for Increment {
    const CLAIM: &'static str = "heavy-tailed/q-increment";
    const PLAN: Plan = Plan::new(
        "largest relative distance of the coefficient from the iterates over all visits",
        "a coefficient that is off, with unit inputs or with those of Eq. 1",
        &[SAME],
    )
    .protocol(&["orthonormal outputs and orthogonal inputs, so that nothing else interferes; rate 0.5 over |e|^2"])
    .departures(&["the exact gradient beside the approximate one, to see what it changes"]);

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let m = CLASSES as f64;
        let (others, gap) = (m - 1.0, m / (m - 1.0));
        let (short, long) = (self.coefficients(1.0, Gradient::Leading)?, self.coefficients(LONG, Gradient::Leading)?);
        let (short_exact, long_exact) =
            (self.coefficients(1.0, Gradient::Exact)?, self.coefficients(LONG, Gradient::Exact)?);
        let same =
            |label: &str, (q, norm): (&[f64], f64), competitors: f64, stretch: f64| -> Result<Finding, Failure> {
                let off = self.off(q, norm, competitors, stretch)?;
                Ok(Finding::identity(label, off, SAME).cases(self.visits).unit("visits"))
            };
        let (short, long) = ((&short[..], 1.0), (&long[..], LONG));
        let (short_exact, long_exact) = ((&short_exact[..], 1.0), (&long_exact[..], LONG));
        let evidence = Evidence::of(same(
            "approximate updates, |e|² = d = 100 as in Eq. 1, exp(q) as printed",
            long,
            others,
            1.0,
        )?)
        .and(same("approximate updates, |e|² = 1, exp(q) as printed", short, others, 1.0)?)
        .misprint(
            "exp(|e_x|² q) in the place of exp(q); with the exact gradient, on orthonormal outputs, M/(M−1) joins the exponent",
            vec![
                same("|e|² = 100, exp(|e|² q)", long, others, LONG)?,
                same("|e|² = 1, exp(q)", short, others, 1.0)?,
                same("exact gradient, |e|² = 1, exp(5/4 q)", short_exact, others, gap)?,
                same("exact gradient, |e|² = 100, exp(5/4 |e|² q)", long_exact, others, gap * LONG)?,
            ],
        )
        .twin(same("M in the place of M − 1, |e|² = 1", short, m, 1.0)?)
        .twin(same("exact gradient without the factor 5/4, |e|² = 1", short_exact, others, 1.0)?)
        .twin(same("exact gradient without the factor 5/4, |e|² = 100", long_exact, others, LONG)?);
        Ok(evidence.into())
    }
}
