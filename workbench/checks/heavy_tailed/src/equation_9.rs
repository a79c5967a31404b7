//! Equation 9: the loss.
//!
//! **Claim** (`heavy-tailed/eq-9`). L(W) = E[l(X, Y; W)] with l(x, y; W) = -u_y^T W e_x + ln sum_z exp(u_z^T W e_x).
//!
//! It has to be the surprise -ln p_W(y|x) of the softmax, computed on another road, ln(1 + sum_{z != y} exp(s_z - s_y)), on average under
//! the law of the inputs; ln M at W = 0; and convex in W, which every chord between two memories tests. A difference beyond rounding or a
//! chord that lies below the loss counts against it.

use ndarray::Array2;
use workbench_ground::stats::{Estimate, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{Embeddings, Target, Zipf, cross_entropy};

use crate::vocabulary::{Largest, Least, ROUNDING};

/// Inputs of a case, under a Zipf law: an average without the law is another number.
const INPUTS: usize = 8;
/// Where a chord is looked at.
const BETWEEN: [f64; 3] = [0.1, 0.5, 0.8];

/// Random memories of growing size.
#[derive(Clone, Debug)]
pub struct Loss {
    /// How many.
    pub cases: usize,
}

impl Default for Loss {
    fn default() -> Loss {
        Loss { cases: 60 }
    }
}

struct Seen {
    apart: Largest,
    at_zero: Largest,
    bump: Largest,
    /// First term with the other sign.
    flipped: Least,
    /// The plain mean over the inputs.
    plain: Least,
    /// Chords of (1 - p_W)^2.
    squared: Largest,
}

impl Default for Seen {
    fn default() -> Seen {
        let lowest = Largest(f64::NEG_INFINITY);
        Seen {
            apart: Largest::default(),
            at_zero: Largest::default(),
            bump: lowest,
            flipped: Least::default(),
            plain: Least::default(),
            squared: lowest,
        }
    }
}

/// `ln(1 + sum_{z != y} exp(s_z - s_y))` of each row of scores, with the largest difference taken out of the exponentials if it is
/// positive.
fn surprises(scores: &Array2<f64>, labels: &[usize]) -> Vec<f64> {
    let rows = scores.outer_iter().zip(labels);
    rows.map(|(s, &y)| {
        let above = || (0..s.len()).filter(|z| *z != y).map(|z| s[z] - s[y]);
        let most = above().fold(0.0, f64::max);
        let others = above().map(|above| (above - most).exp()).sum::<f64>();
        match most > 0.0 {
            true => most + ((-most).exp() + others).ln(),
            false => others.ln_1p(),
        }
    })
    .collect()
}

impl Seen {
    fn look(&mut self, e: &Embeddings, labels: &[usize], a: &Array2<f64>, b: &Array2<f64>) -> Result<(), Failure> {
        let p = Zipf::new(1.0, INPUTS)?.probabilities(INPUTS);
        let scores = |w: &Array2<f64>| e.inputs.dot(&w.t()).dot(&e.outputs.t());
        let loss = |w: &Array2<f64>| cross_entropy(w, e, labels, &p);
        let average = |values: &[f64]| -> f64 { values.iter().zip(&p).map(|(v, p)| v * p).sum() };
        let (table, here) = (scores(a), loss(a)?);
        let surprises_here = surprises(&table, labels);
        let direct = average(&surprises_here);
        let apart = |other: f64| (other - direct).abs() / direct.max(1.0);
        let right: Vec<f64> = labels.iter().enumerate().map(|(x, &y)| table[[x, y]]).collect();
        self.apart.see(apart(here));
        self.flipped.see(apart(here + 2.0 * average(&right)));
        self.plain.see(apart(surprises_here.iter().sum::<f64>() / INPUTS as f64));
        let squared = |w: &Array2<f64>| -> f64 {
            let missing = surprises(&scores(w), labels).into_iter().map(|s| 1.0 - (-s).exp());
            average(&missing.map(|m| m * m).collect::<Vec<f64>>())
        };
        for t in BETWEEN {
            let between = a * t + b * (1.0 - t);
            let excess = loss(&between)? - t * here - (1.0 - t) * loss(b)?;
            self.bump.see(excess / here);
            self.squared.see(squared(&between) - t * squared(a) - (1.0 - t) * squared(b));
        }
        let zero = loss(&Array2::zeros(a.dim()))?;
        self.at_zero.see((zero - (e.outputs.nrows() as f64).ln()).abs());
        Ok(())
    }
}

impl TypedCheck for Loss {
    const CLAIM: &'static str = "heavy-tailed/eq-9";
    const PLAN: Plan = Plan::new(
        "difference from -ln p_W(y|x) as a part of the loss, or of one where it is less; excess of the loss over a chord; distance from ln M at W = 0",
        "a difference beyond rounding; a chord below the loss",
        &[ROUNDING],
    )
    .protocol(&[
        "embeddings of Eq. 1, inputs under a Zipf law, W of any size: scores from order one to far beyond the range of the exponential",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("loss")?;
        let mut seen = Seen::default();
        for case in 0..self.cases {
            let (m, d) = (2 + case % 6, 4 + case % 5);
            let e = Embeddings::draw(INPUTS, m, d, &mut stream)?;
            let a = normal_array2(&mut stream, d, d) * 10f64.powi(case as i32 % 4);
            let b = normal_array2(&mut stream, d, d);
            seen.look(&e, &Target::modulo(m)?.labels(INPUTS), &a, &b)?;
        }
        let cases = |finding: Finding| finding.cases(self.cases).unit("memories");
        let chord = |label: &str, excess: Largest| cases(Finding::at_most(label, ROUNDING, Estimate::exact(excess.0)));
        let evidence = Evidence::of(cases(Finding::identity(
            "loss against −ln p_W(y|x), as a part of max(1, loss)",
            seen.apart.0,
            ROUNDING,
        )))
        .and(cases(Finding::identity("|loss at W = 0 − ln M|", seen.at_zero.0, ROUNDING)))
        .and(chord("largest excess of the loss over a chord, relative", seen.bump))
        .twin(cases(Finding::identity(
            "sign of the first term flipped: difference as a part of max(1, loss)",
            seen.flipped.0,
            ROUNDING,
        )))
        .twin(cases(Finding::identity(
            "plain mean over the inputs in the place of the mean under p",
            seen.plain.0,
            ROUNDING,
        )))
        .twin(chord("(1 − p_W)² in the place of −ln p_W: excess over a chord", seen.squared));
        Ok(evidence.into())
    }
}
