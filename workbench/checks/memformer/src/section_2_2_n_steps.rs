//! Section 2.2, last paragraph: N steps, and ill-conditioned problems.
//!
//! **Claim** (`memformer/cgd-N-steps`). Momentum and conjugate gradients are linear first-order methods; on a quadratic in N dimensions
//! conjugate gradients need at most N iterations, and they are effective for ill-conditioned problems.
//!
//! The bound is one of exact arithmetic, so it is tried in fractions: on random integer quadratics, and on quadratics with m < N distinct
//! eigenvalues, where m steps should do and m - 1 should not. "Effective" is judged against what a reader would use instead: gradient
//! descent, momentum and Chebyshev's iteration, each given the extreme eigenvalues of the very problem. Against the claim counts a
//! residual after N steps, a condition number at which another method is ahead.

use ndarray::{Array1, Array2};
use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Quadratic, SingleMemory, conjugate_gradient, fraction_vector, product, rank, steepest_descent,
};

use super::exact::{Tally, whole};
use super::section_3_3_training::colour;
use crate::vocabulary::{EXACT, Largest, Least, largest_of, least_of};

const AHEAD: Margin =
    Margin::new("ahead", 1.1, "a tenth less than the rival's loss; equal polynomials differ by rounding only");

const RIVAL: Margin =
    Margin::new("rival", 1e-9, "relative; rounding of twenty steps, on losses down to 1e-11 of their start");

/// N steps in fractions, and in double precision over a range of condition numbers.
#[derive(Clone, Debug)]
pub struct NSteps {
    /// Dimensions N of the problems in fractions.
    pub exact: Vec<usize>,
    /// Dimension N in double precision.
    pub dim: usize,
    /// Condition numbers.
    pub kappas: Vec<f64>,
}

impl Default for NSteps {
    fn default() -> NSteps {
        NSteps { exact: (2..=8).collect(), dim: 20, kappas: vec![1e1, 1e2, 1e3, 1e4, 1e5, 1e6] }
    }
}

const RIVALS: [&str; 4] = [
    "gradient descent, best constant",
    "momentum, best constants in the long run",
    "momentum, best of a grid after N steps",
    "Chebyshev",
];
const GRIDDED: usize = 2;
const CHEBYSHEV: usize = 3;
/// Rates and memories on each side of the grid.
const GRID: usize = 40;

#[derive(Default)]
struct Exact {
    late: Tally,
    distinct: Tally,
    too_soon: Tally,
    early: Tally,
}

/// f over its start after N steps, for each condition number.
#[derive(Default)]
struct Doubles {
    rivals: [Vec<f64>; 4],
    conjugate: Vec<f64>,
    /// Conjugate gradients after 2N steps.
    more: Vec<f64>,
    /// Steepest descent, which has the line search and no memory, as a twin.
    forgetful: Vec<f64>,
    /// Gradient descent and Chebyshev's iteration against the polynomials that they run, relative.
    unsound: Largest,
}

impl Doubles {
    /// The best rival's loss over that of conjugate gradients, at the condition number `k`.
    fn lead(&self, k: usize) -> f64 {
        least_of(self.rivals.iter().map(|of| of[k])) / self.conjugate[k]
    }
}

/// Momentum with memories in [0, 1) and rates up to where it diverges at the largest eigenvalue, 1; without memory it is gradient descent.
fn momentum_grid(steps: usize) -> Result<Vec<SingleMemory<f64>>, Failure> {
    let part = |k: usize| k as f64 / GRID as f64;
    let mut methods = Vec::new();
    for beta in (0..GRID).map(part) {
        for rate in (1..=GRID).map(|k| 2.0 * (1.0 + beta) * part(k)) {
            methods.push(SingleMemory::momentum(rate, beta, steps)?);
        }
    }
    Ok(methods)
}

/// T_n, the polynomial of Chebyshev's iteration, at `x` of any size.
fn chebyshev(n: usize, x: f64) -> f64 {
    let step = |(before, now): (f64, f64), _| (now, 2.0 * x * now - before);
    (0..n).fold((x, 1.0), step).1
}

fn diagonal(entries: Vec<Fraction>) -> Array2<Fraction> {
    let size = entries.len();
    Array2::from_shape_fn((size, size), |(i, j)| if i == j { entries[i].clone() } else { whole(0) })
}

impl NSteps {
    fn in_fractions(&self, stream: &mut Stream) -> Result<Exact, Failure> {
        let mut seen = Exact::default();
        for &size in &self.exact {
            let m = Array2::from_shape_simple_fn((size, size + 1), || whole(stream.below(7) as i64 - 3));
            let f = Quadratic::around(product(&m, &m.t().to_owned())?, &fraction_vector(stream, size))?;
            if rank(&f.hessian) < size {
                continue;
            }
            let run = conjugate_gradient(&f, &f.origin(), size)?;
            let left = |k: usize| f.gradient(&run.iterates[k]).iter().any(|g| *g != whole(0));
            seen.late.see(left(size));
            seen.early.see(left(size - 1));
            // Eigenvalues 1, ..., m, repeated.
            let distinct = 1 + size / 2;
            let eigenvalues = (0..size).map(|i| whole(1 + (i % distinct) as i64)).collect();
            let g = Quadratic::around(diagonal(eigenvalues), &Array1::from_elem(size, whole(1)))?;
            let run = conjugate_gradient(&g, &g.origin(), distinct)?;
            let solution = g.minimiser()?;
            seen.distinct.see(run.iterates[distinct] != solution);
            seen.too_soon.see(run.iterates[distinct - 1] != solution);
        }
        Ok(seen)
    }

    fn in_doubles(&self) -> Result<Doubles, Failure> {
        let (size, mut seen) = (self.dim, Doubles::default());
        for &kappa in &self.kappas {
            let low = 1.0 / kappa;
            let eigenvalue = |i: usize| kappa.powf(i as f64 / (size - 1) as f64 - 1.0);
            let hessian = Array2::from_diag(&Array1::from_shape_fn(size, eigenvalue));
            let f = Quadratic::around(hessian, &Array1::ones(size))?;
            let origin = f.origin();
            // From the error, since f itself cancels to rounding beside its start.
            let loss = |w: &Array1<f64>| {
                let error = w - 1.0;
                0.5 * error.dot(&f.hessian.dot(&error))
            };
            let start = loss(&origin);
            let end = |w: &Array1<f64>| largest_of([loss(w) / start, 1e-32]);
            let mut grid = f64::INFINITY;
            for method in momentum_grid(size)? {
                grid = least_of([grid, end(&method.run(&f, &origin)?.iterates[size])]);
            }
            seen.rivals[GRIDDED].push(grid);
            let methods = [
                SingleMemory::gradient_descent(2.0 / (1.0 + low), size)?,
                SingleMemory::tuned_momentum(low, 1.0, size)?,
                SingleMemory::chebyshev(low, 1.0, size)?,
            ];
            for (rival, method) in [0, 1, CHEBYSHEV].into_iter().zip(&methods) {
                seen.rivals[rival].push(end(&method.run(&f, &origin)?.iterates[size]));
            }
            let left = |polynomial: &dyn Fn(f64) -> f64| {
                let of = |i| eigenvalue(i) * polynomial(eigenvalue(i)).powi(2);
                0.5 * (0..size).map(of).sum::<f64>() / start
            };
            let mapped = |x: f64| (1.0 + low - 2.0 * x) / (1.0 - low);
            let descent = left(&|x| (1.0 - 2.0 * x / (1.0 + low)).powi(size as i32));
            let least = left(&|x| chebyshev(size, mapped(x)) / chebyshev(size, mapped(0.0)));
            for (rival, exact) in [(0, descent), (CHEBYSHEV, least)] {
                let run = seen.rivals[rival].last().copied().unwrap_or(f64::NAN);
                seen.unsound.see((run / exact - 1.0).abs());
            }
            let run = conjugate_gradient(&f, &origin, 2 * size)?;
            seen.conjugate.push(end(&run.iterates[size]));
            seen.more.push(end(&run.iterates[2 * size]));
            let descent = steepest_descent(&f, &origin, size)?;
            seen.forgetful.push(end(&descent.iterates[size]));
        }
        Ok(seen)
    }

    fn figure(&self, seen: &Doubles) -> Figure {
        let mut panel = Panel::new(&format!("N = {0}, after {0} steps", self.dim))
            .x_label("condition number κ")
            .y_label("loss / start")
            .log_x()
            .log_y()
            .legend_below();
        for (name, values) in RIVALS.iter().zip(&seen.rivals) {
            panel = panel.line(name, &self.kappas, values);
        }
        Figure::new("Conjugate gradients are ahead of every tuned method")
            .panel(
                panel
                    .line("conjugate gradients", &self.kappas, &seen.conjugate)
                    .colour(colour::CONJUGATE)
                    .points("conjugate gradients, 2N steps", &self.kappas, &seen.more)
                    .colour(colour::CONJUGATE),
            )
            .caption(
                "Eigenvalues evenly spaced in the logarithm. The other methods are given the exact extreme eigenvalues; conjugate gradients \
                 are given nothing. In exact arithmetic they would be at zero.",
            )
    }
}

impl TypedCheck for NSteps {
    const CLAIM: &'static str = "memformer/cgd-N-steps";
    const PLAN: Plan = Plan::new(
        "problems with a residual after N steps, in fractions; loss over its start after N steps, in doubles",
        "a problem in fractions that N steps do not solve; a condition number at which a tuned method is ahead",
        &[EXACT, AHEAD, RIVAL],
    )
    .protocol(&[
        "the bound of N iterations is read as one of exact arithmetic, as it is everywhere, and tried in fractions, N = 2 to 8",
        "\"effective\" is judged in doubles, N = 20, condition numbers 10 to 10⁶",
    ])
    .rivals(&[
        "gradient descent, momentum and Chebyshev's iteration with constants that are best for the extreme eigenvalues of the problem",
        "momentum at the best of 40 rates and 40 memories for the loss after N steps of this very problem; memory 0 is gradient descent",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let exact = self.in_fractions(&mut setting.stream("N steps")?)?;
        let doubles = self.in_doubles()?;
        let mut lead = Least::default();
        let mut forgetful = Least::default();
        for k in 0..self.kappas.len() {
            lead.see(doubles.lead(k));
            forgetful.see(doubles.lead(k) * doubles.conjugate[k] / doubles.forgetful[k]);
        }
        let ahead = |label: &str, ratio: f64| {
            Finding::at_least(label, AHEAD, Estimate::exact(ratio)).cases(self.kappas.len()).unit("condition numbers")
        };
        let last = self.kappas.len() - 1;
        let evidence = Evidence::of(exact.late.none("exact: problems with a residual after N steps", "problems"))
            .and(exact.distinct.none("exact: problems not solved after m steps, m distinct eigenvalues", "problems"))
            .and(ahead("doubles: loss of the best tuned method over that of conjugate gradients, least over κ", lead.0))
            .and(Finding::at_least(
                "doubles, κ = 10⁶: loss of the best tuned method over that of conjugate gradients",
                AHEAD,
                Estimate::exact(doubles.lead(last)),
            ))
            .twin(exact.too_soon.none("exact: problems not solved after m - 1 steps", "problems"))
            .twin(exact.early.none("exact: problems with a residual after N - 1 steps", "problems"))
            .twin(ahead(
                "doubles, no memory: loss of the best tuned method over that of steepest descent, least",
                forgetful.0,
            ))
            .support(
                Finding::identity(
                    "rivals' losses against those of their polynomials, relative",
                    doubles.unsound.0,
                    RIVAL,
                )
                .cases(2 * self.kappas.len())
                .unit("runs"),
            );
        Ok(Checked::from(evidence).figure(self.figure(&doubles)))
    }
}
