//! Eq. 2.12 and its examples: gradient descent and momentum, unrolled.
//!
//! **Claim** (`memformer/gd-momentum-expansion`). w^{k+1} = w^k + alpha_k d^k unrolls to w^0 - alpha sum_i grad f(w^i) for gradient descent
//! and to w^0 + sum_i gamma_i^k grad f(w^i) for momentum; diagonal matrices for the scalars scale coordinates.
//!
//! For constant (eta, beta) the weights of momentum are -eta (1 - beta^{k-i+1}) / (1 - beta). Recursion and closed form run side by side,
//! on quadratics and on sums of ln cosh. Against the claim counts an iterate that the two do not share.

use ndarray::Array1;
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{Lfom, LogCosh, Objective, Quadratic, SingleMemory};

use super::section_1_special_cases::relative;
use crate::vocabulary::{Largest, Least, ROUNDING};

/// Closed forms against recursions.
#[derive(Clone, Debug)]
pub struct Unrolled {
    /// Functions of each of the two kinds.
    pub functions: usize,
    /// Step size eta.
    pub rate: f64,
    /// Memory beta, not 1.
    pub beta: f64,
    /// Steps.
    pub steps: usize,
}

impl Default for Unrolled {
    fn default() -> Unrolled {
        Unrolled { functions: 20, rate: 0.05, beta: 0.9, steps: 50 }
    }
}

const DIM: usize = 5;
const EXAMPLES: usize = 20;

#[derive(Default)]
struct Seen {
    descent: Largest,
    momentum: Largest,
    coordinates: Largest,
    early: Least,
    increments: Least,
    one_rate: Least,
}

impl Unrolled {
    /// gamma_i^k as a function of how old the gradient is.
    fn weights(&self, of_age: impl Fn(i32) -> f64) -> Result<Lfom<f64>, Failure> {
        let row = |k: usize| (0..=k).map(|i| of_age((k - i) as i32)).collect();
        Ok(Lfom::scalars((0..self.steps).map(row).collect())?)
    }

    fn closed(&self, shift: i32) -> Result<Lfom<f64>, Failure> {
        self.weights(|age| -self.rate * (1.0 - self.beta.powi(age + shift)) / (1.0 - self.beta))
    }

    fn methods(&self, f: &impl Objective<f64>, origin: &Array1<f64>, seen: &mut Seen) -> Result<(), Failure> {
        let equal = self.weights(|_| -self.rate)?.run(f, origin)?.iterates;
        let descent = SingleMemory::gradient_descent(self.rate, self.steps)?.run(f, origin)?.iterates;
        seen.descent.see(relative(&equal, &descent));
        let momentum = SingleMemory::momentum(self.rate, self.beta, self.steps)?.run(f, origin)?.iterates;
        let by = |method: Lfom<f64>| Ok::<f64, Failure>(relative(&method.run(f, origin)?.iterates, &momentum));
        seen.momentum.see(by(self.closed(1)?)?);
        seen.early.see(by(self.closed(0)?)?);
        seen.increments.see(by(self.weights(|age| -self.rate * self.beta.powi(age))?)?);
        Ok(())
    }

    /// One rate for each coordinate, as diagonal weights and as a recursion; and, as a twin, their mean for all.
    fn by_coordinate(&self, f: &Quadratic<f64>, rates: &Array1<f64>, seen: &mut Seen) -> Result<(), Failure> {
        let mut recursive = vec![f.origin()];
        for k in 0..self.steps {
            recursive.push(&recursive[k] - &(rates * &f.gradient(&recursive[k])));
        }
        let by = |rates: &Array1<f64>| -> Result<f64, Failure> {
            let rows = (0..self.steps).map(|k| vec![-rates; k + 1]).collect();
            let iterates = Lfom::diagonals(rows)?.run(f, &f.origin())?.iterates;
            Ok(relative(&iterates, &recursive))
        };
        seen.coordinates.see(by(rates)?);
        seen.one_rate.see(by(&Array1::from_elem(DIM, rates.sum() / DIM as f64))?);
        Ok(())
    }
}

impl TypedCheck for Unrolled {
    const CLAIM: &'static str = "memformer/gd-momentum-expansion";
    const PLAN: Plan = Plan::new(
        "largest distance of the iterates beside the largest iterate",
        "an iterate of the recursion that the unrolled form does not reach",
        &[ROUNDING],
    )
    .protocol(&["50 steps on quadratics with d = 5, n = 20 and on sums of ln cosh; the document names no setting"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("unrolling")?;
        let mut seen = Seen::default();
        for _ in 0..self.functions {
            let x = normal_array2(&mut stream, DIM, EXAMPLES);
            let y = x.t().dot(&normal_array2(&mut stream, 1, DIM).row(0));
            let (f, c) = (Quadratic::of_prompt(&x, &y)?, LogCosh::new(0.3 * &x.t(), y)?);
            let squares = normal_array2(&mut stream, 1, DIM).row(0).mapv(|v| v * v);
            self.methods(&f, &f.origin(), &mut seen)?;
            self.methods(&c, &f.origin(), &mut seen)?;
            self.by_coordinate(&f, &squares.mapv(|v| 0.02 + 0.02 * v / (1.0 + v)), &mut seen)?;
        }
        let functions = self.functions;
        let same =
            |label: &str, gap: f64, of: usize| Finding::identity(label, gap, ROUNDING).cases(of).unit("functions");
        let both = 2 * functions;
        let evidence =
            Evidence::of(same("gradient descent, unrolled against recursive, relative", seen.descent.0, both))
                .and(same("momentum, closed form against recursive, relative", seen.momentum.0, both))
                .and(same(
                    "a rate for each coordinate, diagonal weights against recursive, relative",
                    seen.coordinates.0,
                    functions,
                ))
                .twin(same("momentum with exponent k - i instead of k - i + 1, least", seen.early.0, both))
                .twin(same("momentum with β^(k-i) instead of its sum, least", seen.increments.0, both))
                .twin(same("one mean rate for all coordinates, least", seen.one_rate.0, functions));
        Ok(evidence.into())
    }
}
