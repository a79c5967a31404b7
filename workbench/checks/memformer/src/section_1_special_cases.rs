//! Section 1, after Eq. 1.1: which methods are in the class.
//!
//! **Claim** (`memformer/lfom-special-cases`). The class contains gradient descent, momentum, Nesterov's method, conjugate gradients
//! and, in a stochastic version, AdaGrad and ADAM.
//!
//! Conjugate gradients, AdaGrad and ADAM work their numbers out from the gradients that they see; that is what they are, and Eq. 1.1 does
//! not say that its array is the same for every function. So each method's array is written in closed form, from the run where the method
//! does so, and replayed. The points w^i of Eq. 1.1 are those at which gradients are taken: for Nesterov's method its extrapolated points,
//! also on a sum of ln cosh, which is no quadratic. Refuted by a method that its array does not replay. Which methods have one array for
//! every function, as trained weights are, and what diagonal weights that depend on the run can reach, stand beside it.

use ndarray::Array1;
use workbench_display::{Table, columns};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memformer::{
    AdaptiveRun, Lfom, LogCosh, Quadratic, SingleExamples, SingleMemory, Weight, adagrad, adam, conjugate_gradient,
    largest_gap, nesterov, nesterov_lfom, nesterov_lfom_on_quadratics,
};

use crate::vocabulary::{largest_of, least_of};

const REPLAYED: Margin = Margin::rounding(
    "replayed",
    1e-10,
    "beside the largest iterate; thirty steps of rounding leave some 1e-14, divisions by small roots a few digits more",
);

/// Eight arrays on random functions in pairs.
pub const CHECK: Check = Check {
    claim: "memformer/lfom-special-cases",
    metric: "largest distance of a replay beside the largest iterate",
    against: "a method that its array does not replay, with gradients at the points at which the method takes them",
    choices: &["d = 5, n = 20; 30 steps, five for conjugate gradients; the document names no setting"],
    run,
    ..Check::DEFAULT
};

const DIM: usize = 5;
const EXAMPLES: usize = 20;
/// Step size and memory of gradient descent, momentum and Nesterov's method.
const RATE: f64 = 0.1;
const BETA: f64 = 0.9;

fn run(s: &Sheet) -> Done {
    s.note(
        "the weights of conjugate gradients (scalar), AdaGrad and ADAM (diagonal) depend on the gradients seen; Nesterov's gradients are \
         taken at the extrapolated points, or f is quadratic",
    );
    let mut stream = s.stream("special cases")?;
    let steps = s.knob("steps", 30, 1..=1000)?;
    let (printed, aside) = (s.printed(REPLAYED), s.aside(REPLAYED));
    // Largest distances of the eight arrays, on the function that they come from and on another.
    let mut all = [[0.0; 2]; 8];
    let pairs = s.knob("pairs", 20, 1..)?;
    for _ in s.each("pairs", 0..pairs) {
        let (here, there) = (Problem::draw(&mut stream)?, Problem::draw(&mut stream)?);
        let (own, other) = (fixed(&here, steps)?, fixed(&there, steps)?);
        let of_two = |k: usize| largest_of([own[k], other[k]]);
        let label = "one array for every function: gradient descent, momentum, Nesterov";
        printed.same(label, largest_of([0, 1, 2].map(of_two)));
        printed.same("Nesterov at extrapolated points, function not quadratic", of_two(2));
        printed.same("Nesterov at iterates, quadratic", of_two(3));
        let fitted = fitted(s, &here, &there, steps)?;
        let label = "weights from the run itself: conjugate gradients, AdaGrad, ADAM";
        printed.same(label, largest_of(fitted.map(|[own, _]| own)));
        let (f, momentum) = (&here.quadratic, SingleMemory::momentum(RATE, BETA, steps)?);
        let increments = Lfom::new(momentum.unrolled()?.increments())?.run(f, &f.origin())?.iterates;
        let label = "momentum, its increments for its sums";
        s.twin(REPLAYED).same(label, relative(&increments, &momentum.run(f, &f.origin())?.iterates));
        let label = "so wide a class holds anything: random points, replayed by weights on the first gradient alone";
        aside.same(label, wandering(f, &mut stream)?);
        let now = own.iter().zip(other).map(|(own, other)| [*own, other]).chain(fitted);
        all.iter_mut().zip(now).for_each(|(all, now)| *all = [0, 1].map(|i| largest_of([all[i], now[i]])));
    }
    let label = "one array for every function: best of conjugate gradients, AdaGrad, ADAM";
    aside.over(pairs, "pairs").same(label, least_of(all[5..].iter().map(|[_, other]| *other)));
    let label = "Nesterov with gradients at its iterates, function not quadratic";
    aside.over(pairs, "pairs").same(label, all[4][0]);
    let methods = [
        ("gradient descent", "scalar"),
        ("momentum", "scalar"),
        ("Nesterov, at extrapolated points", "scalar"),
        ("Nesterov, at iterates, quadratic", "scalar"),
        ("Nesterov, at iterates, not quadratic", "scalar"),
        ("conjugate gradients", "scalar"),
        ("AdaGrad, one example a step", "diagonal"),
        ("ADAM, one example a step", "diagonal"),
    ];
    let frame = columns(vec![
        ("method", methods.map(|(name, _)| name).into()),
        ("weights", methods.map(|(_, kind)| kind).into()),
        ("same function", all.map(|[own, _]| own).into()),
        ("another function", all.map(|[_, other]| other).into()),
    ])?;
    s.table(Table::new(frame).title("Distance of the replay, on the function of the array and on another").digits(2));
    Ok(())
}

/// A regression problem seen in three ways.
struct Problem {
    quadratic: Quadratic<f64>,
    curved: LogCosh,
    noisy: SingleExamples,
}

impl Problem {
    fn draw(stream: &mut Stream) -> Result<Problem, Failure> {
        let x = normal_array2(stream, DIM, EXAMPLES);
        let w = normal_array2(stream, 1, DIM).row(0).to_owned();
        let y = x.t().dot(&w);
        Ok(Problem {
            quadratic: Quadratic::of_prompt(&x, &y)?,
            curved: LogCosh::new(0.3 * &x.t(), y.clone())?,
            noisy: SingleExamples::new(x, y, stream.permutation(EXAMPLES))?,
        })
    }
}

/// The largest distance of two sequences beside the largest entry of the second.
pub(super) fn relative(a: &[Array1<f64>], b: &[Array1<f64>]) -> f64 {
    let size = largest_of(b.iter().flatten().map(|v| v.abs()));
    largest_of(a.iter().zip(b).map(|(x, y)| largest_gap(x, y))) / size
}

/// Replays by arrays that know nothing of the problem: gradient descent, momentum; Nesterov at extrapolated points, at iterates of a
/// quadratic, at iterates of another function.
fn fixed(problem: &Problem, steps: usize) -> Result<[f64; 5], Failure> {
    let (f, c, origin) = (&problem.quadratic, &problem.curved, problem.quadratic.origin());
    let single = |method: SingleMemory<f64>| -> Result<f64, Failure> {
        Ok(relative(&method.unrolled()?.run(f, &origin)?.iterates, &method.run(f, &origin)?.iterates))
    };
    let (at_points, at_iterates) =
        (nesterov_lfom(&RATE, &BETA, steps)?, nesterov_lfom_on_quadratics(&RATE, &BETA, steps)?);
    let plain = nesterov(f, &origin, &RATE, &BETA, steps)?;
    let off = nesterov(c, &origin, &RATE, &BETA, steps)?;
    Ok([
        single(SingleMemory::gradient_descent(RATE, steps)?)?,
        single(SingleMemory::momentum(RATE, BETA, steps)?)?,
        relative(&at_points.run(c, &origin)?.iterates, &off.extrapolated.iterates),
        relative(&at_iterates.run(f, &origin)?.iterates, &plain.iterates),
        relative(&at_iterates.run(c, &origin)?.iterates, &off.iterates),
    ])
}

/// Replays by arrays that come from a run on one function, on that function and on the other: conjugate gradients, AdaGrad, ADAM.
fn fitted(s: &Sheet, here: &Problem, there: &Problem, steps: usize) -> Result<[[f64; 2]; 3], Failure> {
    let (f, g, origin) = (&here.quadratic, &there.quadratic, here.quadratic.origin());
    let (a, b) = (conjugate_gradient(f, &origin, DIM)?, conjugate_gradient(g, &origin, DIM)?);
    let array = a.coefficients.unrolled()?;
    let conjugate = [
        relative(&array.run(f, &origin)?.iterates, &a.iterates),
        relative(&array.run(g, &origin)?.iterates, &b.iterates),
    ];
    let mut late = a.coefficients.clone();
    late.gamma.rotate_right(1);
    late.gamma[0] = 0.0;
    let late = late.unrolled()?.run(f, &origin)?.iterates;
    s.twin(REPLAYED).same("conjugate gradients, γ one step late", relative(&late, &a.iterates));

    let adaptive = |f: &SingleExamples| -> Result<[AdaptiveRun; 2], Failure> {
        Ok([adagrad(f, &origin, 0.5, 1e-8, steps)?, adam(f, &origin, 0.1, (0.9, 0.999), 1e-8, steps)?])
    };
    let (mine, theirs) = (adaptive(&here.noisy)?, adaptive(&there.noisy)?);
    let replays = |k: usize| -> Result<[f64; 2], Failure> {
        let replay = |f: &SingleExamples, run: &AdaptiveRun| -> Result<f64, Failure> {
            Ok(relative(&mine[k].weights.run(f, &origin)?.iterates, &run.run.iterates))
        };
        Ok([replay(&here.noisy, &mine[k])?, replay(&there.noisy, &theirs[k])?])
    };
    // The array that uses, in every row, the weight of the newest gradient for all of them.
    let row = |(k, row): (usize, &Vec<Weight<f64>>)| vec![row[k].clone(); k + 1];
    let newest = Lfom::new(mine[0].weights.rows().iter().enumerate().map(row).collect())?;
    let newest = newest.run(&here.noisy, &origin)?.iterates;
    let label = "AdaGrad, its newest weight for all gradients";
    s.twin(REPLAYED).same(label, relative(&newest, &mine[0].run.iterates));
    Ok([conjugate, replays(0)?, replays(1)?])
}

/// How far random points are from their replay by diagonal weights on the first gradient alone.
fn wandering(f: &Quadratic<f64>, stream: &mut Stream) -> Result<f64, Failure> {
    let (points, first) = (normal_array2(stream, DIM + 1, DIM), f.gradient(&f.origin()));
    let weight = |k: usize, i: usize| match i {
        0 => &points.row(k) / &first,
        _ => Array1::zeros(DIM),
    };
    let rows = (1..=DIM).map(|k| (0..k).map(|i| weight(k, i)).collect()).collect();
    let replayed = Lfom::diagonals(rows)?.run(f, &f.origin())?.iterates;
    let pairs = points.outer_iter().zip(&replayed).skip(1);
    Ok(largest_of(pairs.map(|(point, w)| largest_gap(w, &point.to_owned()))))
}
