//! Equation 44: gradient step of a batch.
//!
//! **Claim** (`heavy-tailed/eq-44`). W_{t+1} = W_t - gamma_t sum_{x in B} grad_W l(x, f_*(x); W_t): a sum over the batch, not a mean.
//!
//! Three programs take the same 300 steps with batches of seven: one on W, one on the rows u_y^T W, one on the table of scores, which never
//! forms W. A fourth adds up the gradients of Lemma 4. A batch of n copies has to equal one sample at n times the rate. Refuted by a score
//! that differs beyond rounding.

use ndarray::Array2;
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memory::{
    Gradient, Method, Parametrization, Reduction, Tracked, TrainingRun, TrainingTask, cross_entropy_gradient,
};

use super::population_gradient::{INPUTS, drawn, task, within};
use crate::vocabulary::ROUNDING;

/// A trajectory of batches.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-44",
    metric: "largest difference of scores over their norm after a trajectory",
    against: "a score that differs beyond rounding; a batch of copies that is not one sample at the rate times their number",
    protocol: &["batches drawn from the law, summed"],
    choices: &["N = 100, M = 5, d = 30, 300 steps with batches of seven, rate 0.5"],
    departures: &["unit inputs, so that scores stay of order one"],
    run,
    ..Check::DEFAULT
};

const DIM: usize = 30;
const RATE: f64 = 0.5;

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("eq 44")?;
    let task = task(&drawn(DIM, &mut stream)?, Parametrization::Unit, DIM)?;
    let (steps, batch) = (s.knob("steps", 300, 1..)?, s.knob("samples of a batch", 7, 1..)?);
    let batches: Vec<Vec<usize>> = (0..steps).map(|_| (0..batch).map(|_| task.sample(&mut stream)).collect()).collect();
    let method = Method::sgd(RATE)?;
    let scores = by_lemma_4(&task, &batches)?;
    let off = |method: Method| -> Result<f64, Failure> { Ok(within(&through(&task, &method, &batches)?, &scores)) };
    let on = |tracked: Tracked| off(method.clone().tracking(tracked));

    let [printed, twin] = [s.printed(ROUNDING), s.twin(ROUNDING)].map(|says| says.over(scores.len(), "scores"));
    printed.same("steps on W against summed gradients of Lemma 4, scores, relative", on(Tracked::Weights)?);
    printed.same("steps on the rows u_y^T W", on(Tracked::Classes)?);
    printed.same("steps on the table of scores alone", on(Tracked::Scores)?);
    let once = through(&task, &Method::sgd(1.5)?, &[3, 0, 3, 17].map(|x| vec![x]))?;
    let fivefold = through(&task, &Method::sgd(0.3)?, &[3, 0, 3, 17].map(|x| vec![x; 5]))?;
    printed.same("five copies against five times the rate", within(&fivefold, &once));
    twin.same("mean over the batch, not sum", off(method.clone().reduction(Reduction::Mean))?);
    twin.same("gradients without ε", off(method.clone().gradient(Gradient::Leading))?);
    Ok(())
}

fn through(task: &TrainingTask, method: &Method, batches: &[Vec<usize>]) -> Result<Array2<f64>, Failure> {
    let mut run = TrainingRun::new(task, method)?;
    for batch in batches {
        run.step(batch)?;
    }
    Ok(run.scores())
}

/// Scores after the same steps with the gradients of Lemma 4 added up.
fn by_lemma_4(task: &TrainingTask, batches: &[Vec<usize>]) -> Result<Array2<f64>, Failure> {
    let (e, mut w) = (task.embeddings(), Array2::<f64>::zeros((DIM, DIM)));
    for batch in batches {
        let mut counts = vec![0.0; INPUTS];
        batch.iter().for_each(|x| counts[*x] += 1.0);
        let gradient = cross_entropy_gradient(&w, e, task.labels(), &counts)?;
        w.scaled_add(-RATE, &gradient);
    }
    Ok(e.inputs.dot(&w.t()).dot(&e.outputs.t()))
}
