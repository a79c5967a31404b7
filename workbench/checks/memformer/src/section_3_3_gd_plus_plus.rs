//! Sections 1 and 3.3: GD++.
//!
//! **Claim** (`memformer/gd-plus-plus`). GD++ is quasi-Newton: non-zero blocks B_l resemble a heavily truncated Neumann series of the
//! inverse of X X^T, the Hessian of (2.11). Cited work reports rates similar to Newton's method.
//!
//! With A = aI, B = bI a layer turns every token x into (I - ab H) x. The Neumann series of H^{-1} with the constant c = 2ab, cut after two
//! terms, is c (2I - cH) = 4ab (I - ab H): the same up to a factor. With full blocks, which do not commute, it is I - B H A. H itself is compared with second differences of the printed loss. The
//! order of convergence is that of the worst of many prompts, with a_l and b_l chosen so that each layer narrows the spectrum.

use std::sync::Arc;

use ndarray::{Array1, Array2};
use ndarray_linalg::{Eigh, UPLO};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Instance, Layer, Mask, Number, Quadratic, SingleMemory, fraction_matrix, gd_plus_plus, identity,
    literal_forward, matrix_vector, neumann_inverse, product,
};

use super::exact::{Tally, dot, part, token, whole};
use super::section_3_3::DIM;
use super::section_3_3_training::{Reading, field};
use crate::vocabulary::{EXACT, Largest, Least, by_scale, largest_of};

const ORDER: Margin = Margin::new("order", 0.5, "orders are whole numbers; half of one tells one from two");
/// Layers of the worst prompt.
const DEPTH: usize = 8;

/// GD++ with multiples of the identity.
#[derive(Clone, Debug)]
pub struct NeumannBlocks {
    /// Prompts in fractions; by scale if 0.
    pub prompts: usize,
    /// Prompts of which the worst is followed.
    pub worst_of: usize,
}

impl Default for NeumannBlocks {
    fn default() -> NeumannBlocks {
        NeumannBlocks { prompts: 0, worst_of: 200 }
    }
}

#[derive(Default)]
struct Exact {
    unscaled: Tally,
    hessian: Tally,
    tokens: Tally,
    grown: Tally,
    neumann: Tally,
    three: Tally,
    labels: Tally,
    /// With full A and B, which do not commute: tokens and labels, and three orders that are wrong.
    full_tokens: Tally,
    full_labels: Tally,
    exchanged: Tally,
    transposed: Tally,
}

fn times(a: &Array2<Fraction>, c: &Fraction) -> Array2<Fraction> {
    a.mapv(|v| v.times(c))
}

/// I - cH.
fn remainder(h: &Array2<Fraction>, c: &Fraction) -> Array2<Fraction> {
    let unit = identity::<Fraction>(h.nrows());
    Array2::from_shape_fn(h.dim(), |at| unit[at].minus(&c.times(&h[at])))
}

fn compare(tally: &mut Tally, a: &Array2<Fraction>, b: &Array2<Fraction>) {
    a.iter().zip(b).for_each(|(a, b)| tally.see(a != b));
}

/// Iterates of the worst prompt: largest |w - w*| / |w*| after each layer.
fn worst(batch: &[Quadratic<f64>], runs: &[Vec<Array1<f64>>]) -> Result<Vec<f64>, Failure> {
    let mut errors = vec![0.0f64; runs[0].len()];
    for (f, run) in batch.iter().zip(runs) {
        let target = f.minimiser()?;
        for (worst, w) in errors.iter_mut().zip(run) {
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

/// Errors of the worst prompt after each layer: of GD++, of the same without B, of gradient descent with the best constant step.
pub struct Orders {
    plus: Vec<f64>,
    without: Vec<f64>,
    descent: Vec<f64>,
}

/// Follows the worst of the first `size` test prompts.
pub fn orders(setting: &Setting, size: usize) -> Result<Arc<Orders>, Failure> {
    setting.shared(&format!("GD++ on {size} prompts"), |own| {
        let batch = field(own, Reading::Variances)?.tests[0].quadratics()[..size].to_vec();
        let (mut low, mut high) = (Least::default(), Largest::default());
        for f in &batch {
            let values = f.hessian.eigh(UPLO::Lower)?.0;
            low.see(values[0]);
            high.see(values[DIM - 1]);
        }
        let (low, high) = (low.0, high.0);
        // The range [low, high] goes to [min(f(low), f(high)), f(c)], f(h) = h (1 - h / 3c)^2, c its middle.
        let (mut blocks, mut plain, mut range) = (Vec::new(), Vec::new(), (low, high));
        for _ in 0..DEPTH {
            let c = 0.5 * (range.0 + range.1);
            blocks.push((Array2::eye(DIM) / c, Array2::eye(DIM) / 3.0));
            plain.push((Array2::eye(DIM) / (0.5 * (low + high)), Array2::zeros((DIM, DIM))));
            let to = |h: f64| h * (1.0 - h / (3.0 * c)).powi(2);
            range = (to(range.0).min(to(range.1)), to(c));
        }
        let descent = SingleMemory::gradient_descent(2.0 / (low + high), DEPTH)?;
        let of = |layers: &[(Array2<f64>, Array2<f64>)]| -> Result<Vec<f64>, Failure> {
            let runs = batch.iter().map(|f| Ok(gd_plus_plus(f, &f.origin(), layers)?.iterates));
            worst(&batch, &runs.collect::<Result<Vec<_>, Failure>>()?)
        };
        let steps = batch.iter().map(|f| Ok(descent.run(f, &f.origin())?.iterates));
        let steps = steps.collect::<Result<Vec<_>, Failure>>()?;
        Ok(Orders { plus: of(&blocks)?, without: of(&plain)?, descent: worst(&batch, &steps)? })
    })
}

impl NeumannBlocks {
    fn exact(&self, setting: &Setting) -> Result<Exact, Failure> {
        let mut stream = setting.stream("GD++, exact")?;
        let mut seen = Exact::default();
        for case in 0..by_scale(self.prompts, setting.scale().pick(8, 24)) {
            let (d, n) = (2 + case % 3, 4 + case % 3);
            let prompt = Instance::draw(&mut stream, d, n)?;
            let (f, x) = (prompt.quadratic(), prompt.covariates());
            let (a, b) = (part(1, 3), part(1, 5));
            let c = a.times(&b);
            let gram = product(&x, &x.t().to_owned())?;
            let curvature = f.hessian_by_differences();
            compare(&mut seen.unscaled, &gram, &curvature);
            compare(&mut seen.hessian, &times(&gram, &part(1, n as i64)), &curvature);
            let unit = identity::<Fraction>(d);
            let blocks = (times(&unit, &a), times(&unit, &b));
            let stack = vec![Layer::with_block(&blocks.0, &blocks.1)?; 3];
            let states = literal_forward(&stack, &prompt.tokens, Mask::Printed)?;
            let (shrink, grow) = (remainder(&curvature, &c), remainder(&curvature, &c.negated()));
            for i in 0..=n {
                let (before, after) = (token(&states[0], i), token(&states[1], i));
                seen.tokens.see(matrix_vector(&shrink, &before)? != after);
                seen.grown.see(matrix_vector(&grow, &before)? != after);
            }
            let double = c.times(&whole(2));
            let scaled = times(&shrink, &double.times(&whole(2)));
            compare(&mut seen.neumann, &scaled, &neumann_inverse(&curvature, &double, 2)?);
            compare(&mut seen.three, &scaled, &neumann_inverse(&curvature, &double, 3)?);
            for (z, w) in states.iter().zip(&gd_plus_plus(&f, &f.origin(), &vec![blocks; 3])?.iterates) {
                seen.labels.see(z[[d, n]].negated() != dot(&prompt.query(), w)?);
            }
            let (a, b) = (fraction_matrix(&mut stream, d, d), fraction_matrix(&mut stream, d, d));
            let states = literal_forward(&vec![Layer::with_block(&a, &b)?; 2], &prompt.tokens, Mask::Printed)?;
            let between = |left: &Array2<Fraction>, right: &Array2<Fraction>| -> Result<_, Failure> {
                Ok(remainder(&product(&product(left, &curvature)?, right)?, &whole(1)))
            };
            let transposed = b.t().to_owned();
            let forms = [between(&b, &a)?, between(&a, &b)?, between(&transposed, &a)?];
            let tallies = [&mut seen.full_tokens, &mut seen.exchanged, &mut seen.transposed];
            for (tally, form) in tallies.into_iter().zip(&forms) {
                for i in 0..=n {
                    let (before, after) = (token(&states[0], i), token(&states[1], i));
                    tally.see(matrix_vector(form, &before)? != after);
                }
            }
            for (z, w) in states.iter().zip(&gd_plus_plus(&f, &f.origin(), &vec![(a, b); 2])?.iterates) {
                seen.full_labels.see(z[[d, n]].negated() != dot(&prompt.query(), w)?);
            }
        }
        Ok(seen)
    }
}

fn figure(orders: &Orders) -> Figure {
    let x: Vec<f64> = (0..=DEPTH).map(|l| l as f64).collect();
    let floor = |errors: &[f64]| errors.iter().map(|e| e.max(1e-16)).collect::<Vec<f64>>();
    let panel = Panel::new("d = 5, n = 20").line("GD++, shared a and b", &x, &floor(&orders.plus)).line(
        "gradient descent, best constant step",
        &x,
        &floor(&orders.descent),
    );
    Figure::new("GD++ doubles its digits once the spectrum is narrow")
        .panel(panel.x_label("layers").y_label("error / start").log_y().legend_below())
        .caption("Relative error of the iterate of the worst of 200 prompts; Newton's method is exact after one step.")
}

impl TypedCheck for NeumannBlocks {
    const CLAIM: &'static str = "memformer/gd-plus-plus";
    const PLAN: Plan = Plan::new(
        "entries, tokens and labels that differ, in fractions; order of convergence of the worst prompt",
        "a token that is not multiplied with a truncated Neumann series up to a factor; a linear rate",
        &[EXACT, ORDER],
    )
    .protocol(&["order: 200 prompts of the law of Section 3.3, a and b shared by all of them"])
    .departures(&["prompts in fractions have d = 2 to 4 and n = 4 to 6, so that equal means equal"])
    .rivals(&["gradient descent with the constant step that is best for the range of all curvatures"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.exact(setting)?;
        let orders = orders(setting, self.worst_of)?;
        let of_order = |label: &str, errors: &[f64]| {
            Finding::equals(label, 2.0, ORDER, Estimate::exact(order(errors))).cases(self.worst_of).unit("prompts")
        };
        let evidence =
            Evidence::of(seen.unscaled.none("entries in which X Xᵀ is not the Hessian of (2.11)", "entries"))
                .and(seen.tokens.none("tokens not multiplied with I - ab H", "tokens"))
                .and(seen.full_tokens.none("full A and B: tokens not multiplied with I - B H A", "tokens"))
                .and(
                    seen.neumann
                        .none("entries in which 4ab (I - ab H) is not a Neumann series of two terms", "entries"),
                )
                .and(of_order("order of convergence of GD++", &orders.plus))
                .misprint(
                    "the Hessian of (2.11) is X Xᵀ/n",
                    vec![
                        seen.hessian.none("entries in which X Xᵀ/n is not the Hessian", "entries"),
                        seen.labels.none("labels that differ from those of GD++", "labels"),
                        seen.full_labels
                            .none("full A and B, two layers: labels that differ from those of GD++", "labels"),
                    ],
                )
                .twin(seen.grown.none("B of the other sign: tokens not multiplied with I + ab H", "tokens"))
                .twin(seen.exchanged.none("A H B for B H A: tokens not multiplied with it", "tokens"))
                .twin(seen.transposed.none("B transposed: tokens not multiplied with I - Bᵀ H A", "tokens"))
                .twin(seen.three.none("a Neumann series of three terms: entries that differ", "entries"))
                .twin(of_order("without B: order of convergence", &orders.without))
                .note(format!(
                    "worst error after 1 to 7 layers: {}",
                    orders.plus[1..8].iter().map(|e| format!("{e:.1e}")).collect::<Vec<_>>().join(", ")
                ));
        Ok(Checked::from(evidence).figure(figure(&orders)))
    }
}
