//! Section 2.2, last paragraph: N steps, and ill-conditioned problems.
//!
//! **Claim** (`memformer/cgd-N-steps`). Momentum and conjugate gradients are linear first-order methods; on a quadratic in N dimensions
//! conjugate gradients need at most N iterations, and they are effective for ill-conditioned problems.
//!
//! The bound is one of exact arithmetic, so it is tried in fractions, on random integer quadratics, where both methods are replayed from
//! their weights on past gradients (1.1) too. With m < N distinct eigenvalues m steps do and m - 1 do not, on which the check stands.
//! "Effective" is judged against what a reader would use instead: gradient descent, momentum and Chebyshev's iteration, each given the
//! extreme eigenvalues of the very problem. Refuted by a residual after N steps, a method that is not the sum of its weighted gradients, a
//! condition number at which another method is ahead.

use ndarray::{Array1, Array2};
use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{
    Fraction, Quadratic, SingleMemory, conjugate_gradient, fraction_vector, product, rank, steepest_descent,
};

use super::exact::{part, whole};
use super::trained_memformers::colour;
use crate::vocabulary::{EXACT, largest_of, least_of};

const RIVAL: Margin =
    Margin::rounding("rival", 1e-9, "relative; rounding of twenty steps, on losses down to 1e-11 of their start");

/// N steps in fractions, and in double precision over a range of condition numbers.
pub const CHECK: Check = Check {
    claim: "memformer/cgd-N-steps",
    metric: "problems with a residual after N steps, in fractions; loss over its start after N steps, in doubles",
    against: "a problem in fractions that N steps do not solve, or on which a method is not the sum of its weighted gradients; a condition number at which a tuned method is ahead",
    choices: &[
        "the bound of N iterations is read as one of exact arithmetic and tried in fractions, N = 2 to 8",
        "\"effective\" is judged in doubles, N = 20, condition numbers 10 to 10⁶, by whether any tuned method is ahead",
    ],
    rivals: &[
        "gradient descent, momentum and Chebyshev's iteration with constants that are best for the extreme eigenvalues of the problem",
        "momentum at the best of 40 rates and 40 memories for the loss after N steps of this very problem; memory 0 is gradient descent",
    ],
    run,
    ..Check::DEFAULT
};

const KAPPAS: [f64; 6] = [1e1, 1e2, 1e3, 1e4, 1e5, 1e6];

fn run(s: &Sheet) -> Done {
    in_fractions(s)?;
    in_doubles(s)
}

fn in_fractions(s: &Sheet) -> Done {
    let mut stream = s.stream("N steps")?;
    let dimensions = s.knobs("dimensions N, in fractions", &[2, 3, 4, 5, 6, 7, 8], 2..=12)?;
    for size in s.each("problems", dimensions) {
        let m = Array2::from_shape_simple_fn((size, size + 1), || whole(stream.below(7) as i64 - 3));
        let f = Quadratic::around(product(&m, &m.t().to_owned())?, &fraction_vector(&mut stream, size))?;
        if rank(&f.hessian) < size {
            continue;
        }
        let run = conjugate_gradient(&f, &f.origin(), size)?;
        let left = |k: usize| f.gradient(&run.iterates[k]).iter().any(|g| *g != whole(0));
        s.printed(EXACT).never("exact: problems with a residual after N steps", left(size));
        s.twin(EXACT).never("exact: problems with a residual after N - 1 steps", left(size - 1));
        let momentum = SingleMemory::momentum(part(1, 50), part(1, 2), size)?;
        let replayed = |method: &SingleMemory<Fraction>| -> Result<Vec<Array1<Fraction>>, Failure> {
            Ok(method.unrolled()?.run(&f, &f.origin())?.iterates)
        };
        let differs = replayed(&momentum)? != momentum.run(&f, &f.origin())?.iterates
            || replayed(&run.coefficients)? != run.iterates;
        let label =
            "exact: problems on which momentum or conjugate gradients are not the sum of their weighted gradients";
        s.printed(EXACT).never(label, differs);
        let mut late = run.coefficients.clone();
        late.gamma.rotate_right(1);
        late.gamma[0] = whole(0);
        let label = "exact, conjugate gradients with γ one step late: problems that differ";
        s.twin(EXACT).never(label, replayed(&late)? != run.iterates);
        // Eigenvalues 1, ..., m, repeated.
        let distinct = 1 + size / 2;
        let eigenvalues: Vec<Fraction> = (0..size).map(|i| whole(1 + (i % distinct) as i64)).collect();
        let diagonal =
            Array2::from_shape_fn((size, size), |(i, j)| if i == j { eigenvalues[i].clone() } else { whole(0) });
        let g = Quadratic::around(diagonal, &Array1::from_elem(size, whole(1)))?;
        let run = conjugate_gradient(&g, &g.origin(), distinct)?;
        let open = |k: usize| -> Result<bool, Failure> { Ok(run.iterates[k] != g.minimiser()?) };
        let label = "exact: problems not solved after m steps, m distinct eigenvalues";
        s.support(EXACT).never(label, open(distinct)?);
        s.twin(EXACT).never("exact: problems not solved after m - 1 steps", open(distinct - 1)?);
    }
    Ok(())
}

const RIVALS: [&str; 4] = [
    "gradient descent, best constant",
    "momentum, best constants in the long run",
    "momentum, best of a grid after N steps",
    "Chebyshev",
];

/// f over its start after N steps, for each condition number.
fn in_doubles(s: &Sheet) -> Done {
    let size = s.knob("dimension N, in doubles", 20, 2..=100)?;
    let (mut losses, mut conjugate, mut more) = ([const { Vec::new() }; 4], Vec::new(), Vec::new());
    for kappa in s.each("condition numbers", KAPPAS) {
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
        let after =
            |method: SingleMemory<f64>| -> Result<f64, Failure> { Ok(end(&method.run(&f, &origin)?.iterates[size])) };
        let grid = momentum_grid(size)?.into_iter().map(after).collect::<Result<Vec<f64>, _>>()?;
        let rivals = [
            after(SingleMemory::gradient_descent(2.0 / (1.0 + low), size)?)?,
            after(SingleMemory::tuned_momentum(low, 1.0, size)?)?,
            least_of(grid),
            after(SingleMemory::chebyshev(low, 1.0, size)?)?,
        ];
        let run = conjugate_gradient(&f, &origin, 2 * size)?;
        let own = end(&run.iterates[size]);
        let best = least_of(rivals);
        let label = "doubles: decades by which conjugate gradients are below the best tuned method, least over κ";
        s.printed(Margin::ZERO).at_least(label, (best / own).log10());
        // The line search without a memory.
        let forgetful = end(&steepest_descent(&f, &origin, size)?.iterates[size]);
        let label = "doubles, no memory: decades by which steepest descent is below the best tuned method, least";
        s.twin(Margin::ZERO).least().at_least(label, (best / forgetful).log10());

        // Gradient descent and Chebyshev's iteration run polynomials.
        let left = |polynomial: &dyn Fn(f64) -> f64| {
            let of = |i| eigenvalue(i) * polynomial(eigenvalue(i)).powi(2);
            0.5 * (0..size).map(of).sum::<f64>() / start
        };
        let mapped = |x: f64| (1.0 + low - 2.0 * x) / (1.0 - low);
        let descent = left(&|x| (1.0 - 2.0 * x / (1.0 + low)).powi(size as i32));
        let least = left(&|x| chebyshev(size, mapped(x)) / chebyshev(size, mapped(0.0)));
        for (run, exact) in s.each("runs", [(rivals[0], descent), (rivals[3], least)]) {
            let label = "rivals' losses against those of their polynomials, relative";
            s.support(RIVAL).same(label, (run / exact - 1.0).abs());
        }
        losses.iter_mut().zip(rivals).for_each(|(all, now)| all.push(now));
        conjugate.push(own);
        more.push(end(&run.iterates[2 * size]));
    }
    s.figure(figure(size, &losses, &conjugate, &more));
    Ok(())
}

/// Momentum with memories in [0, 1) and rates up to where it diverges at the largest eigenvalue, 1; without memory it is gradient descent.
fn momentum_grid(steps: usize) -> Result<Vec<SingleMemory<f64>>, Failure> {
    const GRID: usize = 40;
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

fn figure(size: usize, losses: &[Vec<f64>], conjugate: &[f64], more: &[f64]) -> Figure {
    let mut panel = Panel::new(&format!("N = {size}, after {size} steps"))
        .x_label("condition number κ")
        .y_label("loss / start")
        .log_x()
        .log_y()
        .legend_below();
    for (name, values) in RIVALS.iter().zip(losses) {
        panel = panel.line(name, &KAPPAS, values);
    }
    let panel = panel.line("conjugate gradients", &KAPPAS, conjugate).colour(colour::CONJUGATE);
    let panel = panel.points("conjugate gradients, 2N steps", &KAPPAS, more).colour(colour::CONJUGATE);
    Figure::new("Conjugate gradients are ahead of every tuned method").panel(panel).caption(
        "Eigenvalues evenly spaced in the logarithm. The other methods are given the exact extreme eigenvalues; conjugate gradients \
         are given nothing. In exact arithmetic they would be at zero.",
    )
}
