//! Appendix B.5 after Lemma 4: how small is eps?
//!
//! **Claim** (`heavy-tailed/epsilon-norm`). Where p_W(z|x) hardly changes over z != f_*(x), eps concentrates around zero with
//! |eps|^2 ~ 1/M and is negligible in front of u_y; the proof hopes for an order of magnitude.
//!
//! With equally likely classes eps is the mean of M - 1 independent unit vectors, so E|eps|^2 = 1/(M - 1) and
//! Var|eps|^2 = 2 (M - 2) / ((M - 1)^3 d) exactly. The statement is asked for at the document's M = 5 and at M = 2, 10, 100. A length that
//! is not a tenth, or an |eps|^2 that is off 1/M by more than "~" can hide, counts against it.

use workbench_ground::stats::{Estimate, Stream, mean, normal_array2, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::LeadingTerm;

use super::section_3_gradient::{LEVEL, TENTH};
use crate::vocabulary::by_scale;

const ROUGHLY: Margin = Margin::new("roughly", 0.1, "the most that a reader lets pass under a sign of rough equality");
const VARIANCE: Margin = Margin::new(
    "variance",
    0.2,
    "a power of M - 1 or of d too many, or a missing factor two, changes it by half at least",
);

/// Numbers of classes and dimensions.
const SIZES: [(usize, usize); 7] = [(2, 64), (5, 64), (10, 64), (100, 64), (5, 16), (5, 256), (101, 64)];
/// Position of the document's M in [`SIZES`].
const FIVE: usize = 1;

/// Random outputs at W = 0.
#[derive(Clone, Debug, Default)]
pub struct Epsilon {
    /// Draws for each size; by scale if 0.
    pub draws: usize,
}

/// `|eps|^2` of one size, draw by draw.
struct Squares {
    m: f64,
    d: f64,
    values: Vec<f64>,
}

impl Squares {
    fn draw(m: usize, d: usize, draws: usize, stream: &mut Stream) -> Result<Squares, Failure> {
        let mut values = Vec::with_capacity(draws);
        for _ in 0..draws {
            let u = unit_sphere(stream, m, d);
            values.push(LeadingTerm::at(&vec![0.0; m], &u.dot(&u.t()), 0)?.epsilon_square);
        }
        let (m, d) = (m as f64, d as f64);
        Ok(Squares { m, d, values })
    }

    /// Mean of `|eps|^2` times a factor.
    fn times(&self, factor: f64) -> Result<Estimate, Failure> {
        Ok(mean(&self.values)?.affine(factor, 0.0)?)
    }

    /// Variance over the exact one.
    fn variance(&self) -> Result<Estimate, Failure> {
        let others = self.m - 1.0;
        let exact = 2.0 * (self.m - 2.0) / (others.powi(3) * self.d);
        let squares: Vec<f64> = self.values.iter().map(|v| (v - 1.0 / others).powi(2)).collect();
        Ok(mean(&squares)?.affine(1.0 / exact, 0.0)?)
    }

    fn name(&self) -> String {
        format!("M = {}, d = {}", self.m, self.d)
    }
}

/// `|eps|^2` with the right class left in the mean; and with normal outputs of mean square one.
fn wrong(draws: usize, stream: &mut Stream) -> Result<(Squares, Squares), Failure> {
    let square_of_mean = |u: &ndarray::Array2<f64>| {
        let sum = u.sum_axis(ndarray::Axis(0));
        sum.dot(&sum) / (u.nrows() as f64).powi(2)
    };
    let of = |m: f64, values| Squares { m, d: 64.0, values };
    let all = (0..draws).map(|_| square_of_mean(&unit_sphere(stream, 5, 64))).collect();
    let normal = (0..draws).map(|_| square_of_mean(&(normal_array2(stream, 2, 64) / 8.0))).collect();
    Ok((of(5.0, all), of(3.0, normal)))
}

impl TypedCheck for Epsilon {
    const CLAIM: &'static str = "heavy-tailed/epsilon-norm";
    const PLAN: Plan = Plan::new(
        "mean and variance of |eps|^2 over random outputs, and |eps| over |u| = 1",
        "an |eps| that is no order of magnitude below |u| at M = 5; an |eps|^2 that is not 1/M",
        &[TENTH, ROUGHLY, LEVEL, VARIANCE],
    )
    .protocol(&["outputs uniform on the sphere, the other classes equally likely as the statement supposes"])
    .departures(&["M = 5 is the document's; 2, 10, 100, 101 and three dimensions are ours, to see the law"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let draws = by_scale(self.draws, setting.scale().pick(4000, 10_000));
        let mut all = Vec::new();
        for (m, d) in SIZES {
            let mut stream = setting.stream(&format!("epsilon {m} {d}"))?;
            all.push(Squares::draw(m, d, draws, &mut stream)?);
        }
        let (with_right, normal) = wrong(draws, &mut setting.stream("epsilon, wrong forms")?)?;
        let counted = |finding: Finding| finding.unit("draws");
        let length = all[FIVE].times(1.0)?.map(f64::sqrt)?;
        let mut evidence = Evidence::of(counted(Finding::at_most(
            "|ε| over |u| at M = 5: an order of magnitude below",
            TENTH,
            length,
        )));
        for squares in &all[..4] {
            let label = format!("M E|ε|², {}: printed as 1", squares.name());
            evidence = evidence.and(counted(Finding::equals(label, 1.0, ROUGHLY, squares.times(squares.m)?)));
        }
        let mut exact = vec![counted(Finding::equals("|ε| over |u| at M = 5: a half", 0.5, LEVEL, length))];
        for squares in &all {
            let label = format!("(M − 1) E|ε|², {}", squares.name());
            exact.push(counted(Finding::equals(label, 1.0, LEVEL, squares.times(squares.m - 1.0)?)));
        }
        for squares in all.iter().filter(|squares| squares.m > 2.0) {
            let label = format!("variance of |ε|² over 2(M−2)/((M−1)³d), {}", squares.name());
            exact.push(counted(Finding::equals(label, 1.0, VARIANCE, squares.variance()?)));
        }
        let evidence = evidence
            .condition(
                "with many classes: E|ε|² is exactly 1/(M−1), so |ε| is a tenth of |u| from M = 101 on and half of it at the document's M = 5",
                exact,
            )
            .twin(counted(Finding::equals(
                "right class left in the mean: (M − 1) E|ε|², M = 5",
                1.0,
                LEVEL,
                with_right.times(4.0)?,
            )))
            .twin(counted(Finding::equals(
                "normal outputs in the place of the sphere: variance over the exact one, M = 3",
                1.0,
                VARIANCE,
                normal.variance()?,
            )))
            .note("concentration is in d: the variance falls as 1/d, the mean does not move");
        Ok(evidence.into())
    }
}
