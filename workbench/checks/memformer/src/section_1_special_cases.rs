//! Section 1, after Eq. 1.1: which methods are in the class.
//!
//! **Claim** (`memformer/lfom-special-cases`). The class contains gradient descent, momentum, Nesterov's method, conjugate gradients
//! and, in a stochastic version, AdaGrad and ADAM.
//!
//! Two readings. Either one array of numbers serves every function, which is what "linear" suggests and what trained weights would have
//! to be; or the array may be worked out from the run itself. Each method's array is written in closed form and replayed, on the
//! function it comes from and on another one. Nesterov's method is also tried on a sum of ln cosh, which is no quadratic, with gradients
//! at its iterates and at its extrapolated points. Against the first reading counts a method that needs another array for another
//! function; against the second, one that its own array does not replay.

use ndarray::Array1;
use workbench_display::{Table, columns};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{
    AdaptiveRun, Lfom, LogCosh, Quadratic, SingleExamples, SingleMemory, Weight, adagrad, adam, conjugate_gradient,
    largest_gap, nesterov, nesterov_lfom, nesterov_lfom_on_quadratics,
};

use crate::vocabulary::{Largest, Least, largest_of, least_of};

const REPLAYED: Margin = Margin::new(
    "replayed",
    1e-10,
    "beside the largest iterate; thirty steps of rounding leave some 1e-14, divisions by small roots a few digits more",
);

/// Eight arrays on random functions in pairs.
#[derive(Clone, Debug)]
pub struct Replays {
    /// Pairs of functions.
    pub pairs: usize,
    /// Step size of gradient descent, momentum and Nesterov's method.
    pub rate: f64,
    /// Memory of the last two.
    pub beta: f64,
    /// Steps; conjugate gradients take d = 5.
    pub steps: usize,
}

impl Default for Replays {
    fn default() -> Replays {
        Replays { pairs: 20, rate: 0.1, beta: 0.9, steps: 30 }
    }
}

const DIM: usize = 5;
const EXAMPLES: usize = 20;
const METHODS: [(&str, &str); 8] = [
    ("gradient descent", "scalar"),
    ("momentum", "scalar"),
    ("Nesterov, at extrapolated points", "scalar"),
    ("Nesterov, at iterates, quadratic", "scalar"),
    ("Nesterov, at iterates, not quadratic", "scalar"),
    ("conjugate gradients", "scalar"),
    ("AdaGrad, one example a step", "diagonal"),
    ("ADAM, one example a step", "diagonal"),
];
const POINTS: usize = 2;
const ITERATES: usize = 3;
const ITERATES_CURVED: usize = 4;
/// Conjugate gradients, AdaGrad, ADAM.
const FITTED: [usize; 3] = [5, 6, 7];

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

#[derive(Default)]
struct Seen {
    /// Worst replay of each method on the function that its array comes from.
    own: [Largest; 8],
    /// The same on another function.
    other: [Largest; 8],
    /// Random points replayed by diagonal weights on the first gradient alone.
    wandering: Largest,
    /// Wrong arrays: momentum's increments, conjugate gradients with a late memory, AdaGrad with its newest weight for all.
    wrong: [Least; 3],
}

/// The array that uses, in every row, the weight of the newest gradient for all of them.
fn newest_for_all(weights: &Lfom<f64>) -> Result<Lfom<f64>, Failure> {
    let row = |(k, row): (usize, &Vec<Weight<f64>>)| vec![row[k].clone(); k + 1];
    Ok(Lfom::new(weights.rows().iter().enumerate().map(row).collect())?)
}

impl Replays {
    fn fixed(&self, here: &Problem, there: &Problem, seen: &mut Seen) -> Result<(), Failure> {
        let (rate, beta, steps, origin) = (self.rate, self.beta, self.steps, here.quadratic.origin());
        let methods = [SingleMemory::gradient_descent(rate, steps)?, SingleMemory::momentum(rate, beta, steps)?];
        let points = nesterov_lfom(&rate, &beta, steps)?;
        let iterates = nesterov_lfom_on_quadratics(&rate, &beta, steps)?;
        for (errors, problem) in [(&mut seen.own, here), (&mut seen.other, there)] {
            let (f, c) = (&problem.quadratic, &problem.curved);
            for (k, method) in methods.iter().enumerate() {
                let replayed = method.unrolled()?.run(f, &origin)?.iterates;
                errors[k].see(relative(&replayed, &method.run(f, &origin)?.iterates));
            }
            let plain = nesterov(f, &origin, &rate, &beta, steps)?;
            let off = nesterov(c, &origin, &rate, &beta, steps)?;
            let replayed = points.run(c, &origin)?.iterates;
            errors[POINTS].see(relative(&replayed, &off.extrapolated.iterates));
            errors[ITERATES].see(relative(&iterates.run(f, &origin)?.iterates, &plain.iterates));
            errors[ITERATES_CURVED].see(relative(&iterates.run(c, &origin)?.iterates, &off.iterates));
        }
        let increments = Lfom::new(methods[1].unrolled()?.increments())?;
        let momentum = methods[1].run(&here.quadratic, &origin)?.iterates;
        seen.wrong[0].see(relative(&increments.run(&here.quadratic, &origin)?.iterates, &momentum));
        Ok(())
    }

    fn fitted(&self, here: &Problem, there: &Problem, seen: &mut Seen) -> Result<(), Failure> {
        let (f, g, origin) = (&here.quadratic, &there.quadratic, here.quadratic.origin());
        let (a, b) = (conjugate_gradient(f, &origin, DIM)?, conjugate_gradient(g, &origin, DIM)?);
        let array = a.coefficients.unrolled()?;
        seen.own[FITTED[0]].see(relative(&array.run(f, &origin)?.iterates, &a.iterates));
        seen.other[FITTED[0]].see(relative(&array.run(g, &origin)?.iterates, &b.iterates));
        let mut late = a.coefficients.clone();
        late.gamma.rotate_right(1);
        late.gamma[0] = 0.0;
        seen.wrong[1].see(relative(&late.unrolled()?.run(f, &origin)?.iterates, &a.iterates));
        let adaptive = |f: &SingleExamples| -> Result<[AdaptiveRun; 2], Failure> {
            Ok([adagrad(f, &origin, 0.5, 1e-8, self.steps)?, adam(f, &origin, 0.1, (0.9, 0.999), 1e-8, self.steps)?])
        };
        let (mine, theirs) = (adaptive(&here.noisy)?, adaptive(&there.noisy)?);
        for (k, (a, b)) in FITTED[1..].iter().zip(mine.iter().zip(&theirs)) {
            seen.own[*k].see(relative(&a.weights.run(&here.noisy, &origin)?.iterates, &a.run.iterates));
            seen.other[*k].see(relative(&a.weights.run(&there.noisy, &origin)?.iterates, &b.run.iterates));
        }
        let newest = newest_for_all(&mine[0].weights)?.run(&here.noisy, &origin)?.iterates;
        seen.wrong[2].see(relative(&newest, &mine[0].run.iterates));
        Ok(())
    }

    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("special cases")?;
        let mut seen = Seen::default();
        for _ in 0..self.pairs {
            let (here, there) = (Problem::draw(&mut stream)?, Problem::draw(&mut stream)?);
            self.fixed(&here, &there, &mut seen)?;
            self.fitted(&here, &there, &mut seen)?;
            let origin = here.quadratic.origin();
            let (points, first) = (normal_array2(&mut stream, DIM + 1, DIM), here.quadratic.gradient(&origin));
            let weight = |k: usize, i: usize| match i {
                0 => &points.row(k) / &first,
                _ => Array1::zeros(DIM),
            };
            let rows = (1..=DIM).map(|k| (0..k).map(|i| weight(k, i)).collect()).collect();
            let replayed = Lfom::diagonals(rows)?.run(&here.quadratic, &origin)?.iterates;
            for (point, w) in points.outer_iter().zip(&replayed).skip(1) {
                seen.wandering.see(largest_gap(w, &point.to_owned()));
            }
        }
        Ok(seen)
    }
}

fn largest(errors: &[Largest; 8], methods: &[usize]) -> f64 {
    largest_of(methods.iter().map(|k| errors[*k].0))
}

impl TypedCheck for Replays {
    const CLAIM: &'static str = "memformer/lfom-special-cases";
    const PLAN: Plan = Plan::new(
        "largest distance of a replay beside the largest iterate",
        "a method that one array does not replay on every function; or, with arrays of the run itself, one that its own does not replay",
        &[REPLAYED],
    )
    .protocol(&["d = 5, n = 20; 30 steps, five for conjugate gradients; the document names no setting"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let pairs = self.pairs;
        let replay = |label: &str, error: f64| Finding::identity(label, error, REPLAYED).cases(pairs).unit("pairs");
        let everywhere = |methods: &[usize]| largest_of([largest(&seen.own, methods), largest(&seen.other, methods)]);
        let refit = least_of(FITTED.iter().map(|k| seen.other[*k].0));
        let evidence = Evidence::of(replay(
            "one array for every function: gradient descent, momentum, Nesterov",
            everywhere(&[0, 1, POINTS]),
        ))
        .and(replay(
            "one array for every function: best of conjugate gradients, AdaGrad, ADAM",
            refit,
        ))
        .and(replay(
            "Nesterov with gradients at its iterates, function not quadratic",
            seen.own[ITERATES_CURVED].0,
        ))
        .condition(
            "the weights of conjugate gradients (scalar), AdaGrad and ADAM (diagonal) depend on the gradients seen; Nesterov's gradients are \
             taken at the extrapolated points, or f is quadratic",
            vec![
                replay(
                    "weights from the run itself: conjugate gradients, AdaGrad, ADAM",
                    largest(&seen.own, &FITTED),
                ),
                replay(
                    "Nesterov at extrapolated points, function not quadratic",
                    everywhere(&[POINTS]),
                ),
                replay("Nesterov at iterates, quadratic", everywhere(&[ITERATES])),
                replay(
                    "so wide a class holds anything: random points, replayed by weights on the first gradient alone",
                    seen.wandering.0,
                ),
            ],
        )
        .twin(replay("momentum, its increments for its sums", seen.wrong[0].0))
        .twin(replay("conjugate gradients, γ one step late", seen.wrong[1].0))
        .twin(replay("AdaGrad, its newest weight for all gradients", seen.wrong[2].0));
        let frame = columns(vec![
            ("method", METHODS.map(|(name, _)| name).into()),
            ("weights", METHODS.map(|(_, kind)| kind).into()),
            ("same function", seen.own.map(|e| e.0).into()),
            ("another function", seen.other.map(|e| e.0).into()),
        ])?;
        let table =
            Table::new(frame).title("Distance of the replay, on the function of the array and on another").digits(2);
        Ok(Checked::from(evidence).table(table))
    }
}
