//! Trained models on prompts of rotations that they were not trained for.
//!
//! Laws of Section 3.3 differ in their rotation only, and a model knows its own. What it meets on the prompts of another law depends on the
//! rotation between the two. The rotation from law i to law j is the inverse of that from j to i, so both directions make one case; of
//! different pairs of independent rotations they are independent, two by two. Five laws give ten cases.

use ndarray::Array2;
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::Failure;
use workbench_memformer::{Averaging, Parameters, Score, TestSet};

use super::trained_memformers::curve_of;

/// Losses of every model on every law.
pub struct Abroad {
    /// log10 of the mean loss after the last layer: a row for each law, a column for each model.
    losses: Array2<f64>,
}

impl Abroad {
    /// Models of one depth, one for each law, on the fresh prompts of all of them.
    pub fn of(mut models: Vec<Parameters>, tests: &[TestSet]) -> Result<Abroad, Failure> {
        let (laws, depth) = (tests.len(), models[0].architecture().depth());
        let mut losses = Array2::zeros((laws, laws));
        for shift in 0..laws {
            let decades = curve_of(&models, tests)?.decades(Score::Query, Averaging::LogOfMeans);
            for (law, loss) in decades.column(depth).iter().enumerate() {
                losses[[law, (law + shift) % laws]] = *loss;
            }
            models.rotate_left(1);
        }
        Ok(Abroad { losses })
    }

    /// The mean over cases of `of(law, loss)` for the loss of a model on a law that is not its own.
    pub fn over_pairs(&self, of: impl Fn(usize, f64) -> f64) -> Result<Estimate, Failure> {
        let mut cases = Vec::new();
        for i in 0..self.losses.nrows() {
            for j in 0..i {
                cases.push(0.5 * (of(i, self.losses[[i, j]]) + of(j, self.losses[[j, i]])));
            }
        }
        Ok(mean(&cases)?)
    }

    /// Loss of the model of a law at home.
    pub fn at_home(&self, law: usize) -> f64 {
        self.losses[[law, law]]
    }
}
