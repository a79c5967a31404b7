//! Equation 44: the update of a batch.
//!
//! **Claim** (`heavy-tailed/eq-44`). W_{t+1} = W_t - gamma_t sum_{x in B} grad_W l(x, f_*(x); W_t): a sum over the batch, not a mean.
//!
//! Three programs take the same 300 steps with batches of seven: one on W, one on the rows u_y^T W, one on the table of scores, which never
//! forms W. A fourth adds up the gradients of Lemma 4. A batch of n copies has to equal one sample at n times the rate. A score that differs
//! beyond rounding counts against it.

use ndarray::Array2;
use workbench_ground::stats::Stream;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{
    Gradient, Method, Parametrization, Reduction, Tracked, TrainingRun, TrainingTask, cross_entropy_gradient,
};

use super::section_3_gradient::{INPUTS, drawn, task, within};
use crate::vocabulary::ROUNDING;

const DIM: usize = 30;
const RATE: f64 = 0.5;

/// A trajectory of batches.
#[derive(Clone, Debug)]
pub struct BatchUpdate {
    /// Steps.
    pub steps: usize,
    /// Samples of a batch.
    pub batch: usize,
}

impl Default for BatchUpdate {
    fn default() -> BatchUpdate {
        BatchUpdate { steps: 300, batch: 7 }
    }
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

impl BatchUpdate {
    fn batches(&self, task: &TrainingTask, stream: &mut Stream) -> Vec<Vec<usize>> {
        (0..self.steps).map(|_| (0..self.batch).map(|_| task.sample(stream)).collect()).collect()
    }
}

/// Distance of five copies of a sample from one at five times the rate.
fn copies(task: &TrainingTask) -> Result<f64, Failure> {
    let once = [3, 0, 3, 17].map(|x| vec![x]);
    let fivefold = [3, 0, 3, 17].map(|x| vec![x; 5]);
    Ok(within(&through(task, &Method::sgd(0.3)?, &fivefold)?, &through(task, &Method::sgd(1.5)?, &once)?))
}

impl TypedCheck for BatchUpdate {
    const CLAIM: &'static str = "heavy-tailed/eq-44";
    const PLAN: Plan = Plan::new(
        "largest difference of scores over their norm after a trajectory",
        "a score that differs beyond rounding; a batch of copies that is not one sample at the rate times their number",
        &[ROUNDING],
    )
    .protocol(&["N = 100, M = 5, d = 30, batches drawn from the law, rate 0.5"])
    .departures(&["unit inputs, so that scores stay of order one"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("eq 44")?;
        let raw = drawn(DIM, &mut stream)?;
        let task = task(&raw, Parametrization::Unit, DIM)?;
        let batches = self.batches(&task, &mut stream);
        let scores = by_lemma_4(&task, &batches)?;
        let method = Method::sgd(RATE)?;
        let off = |label: &str, method: Method| -> Result<Finding, Failure> {
            let apart = within(&through(&task, &method, &batches)?, &scores);
            Ok(Finding::identity(label, apart, ROUNDING).cases(self.steps).unit("steps"))
        };
        let form = |tracked: Tracked| method.clone().tracking(tracked);
        let evidence = Evidence::of(off(
            "steps on W against summed gradients of Lemma 4, scores, relative",
            form(Tracked::Weights),
        )?)
        .and(off("steps on the rows u_y^T W", form(Tracked::Classes))?)
        .and(off("steps on the table of scores alone", form(Tracked::Scores))?)
        .and(Finding::identity("five copies against five times the rate", copies(&task)?, ROUNDING))
        .twin(off("mean over the batch, not sum", method.clone().reduction(Reduction::Mean))?)
        .twin(off("gradients without ε", method.clone().gradient(Gradient::Leading))?);
        Ok(evidence.into())
    }
}
