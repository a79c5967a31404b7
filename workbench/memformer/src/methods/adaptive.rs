//! AdaGrad and ADAM, with the diagonal weights that replay them.

use ndarray::Array1;

use super::lfom::{Lfom, Trajectory};
use super::objective::Objective;
use crate::Error;
use workbench_ground::check::{positive, same_shape};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// A run together with the weights of Eq. 1.1 that replay it; they depend on the gradients that were seen.
#[derive(Clone, Debug)]
pub struct AdaptiveRun {
    /// Iterates and gradients.
    pub run: Trajectory<f64>,
    /// The weights, diagonal.
    pub weights: Lfom<f64>,
}

/// The rows of [`Trajectory`].
impl Tabulated for AdaptiveRun {
    fn columns(&self) -> Result<Columns, Error> {
        self.run.columns()
    }
}

/// AdaGrad, in each coordinate.
///
/// $$ w_{k+1}=w_k-\frac{\eta\,g_k}{\sqrt{g_0^2+\dots+g_k^2}+\epsilon} $$
///
/// As an array, $\Gamma_i^k=-\eta/\bigl(\sqrt{g_0^2+\dots+g_i^2}+\epsilon\bigr)$ for every $k\ge i$.
///
/// **Source**: Section 1 after Eq. 1.1, which names the method; Duchi, Hazan and Singer (2011).
/// **Errors**: no step, a start of another dimension.
///
/// ```
/// use workbench_memformer::{SingleExamples, adagrad};
/// use ndarray::array;
/// let f = SingleExamples::new(array![[1.0, 2.0]], array![3.0, 6.0], vec![0, 1])?;
/// let seen = adagrad(&f, &array![0.0], 1.0, 0.0, 20)?;
/// let replayed = seen.weights.run(&f, &array![0.0])?;
/// assert!((replayed.iterates[20][0] - seen.run.iterates[20][0]).abs() < 1e-12);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn adagrad(
    f: &impl Objective<f64>,
    start: &Array1<f64>,
    rate: f64,
    epsilon: f64,
    steps: usize,
) -> Result<AdaptiveRun, Error> {
    let mut squares = start.mapv(|_| 0.0);
    let mut seen: Vec<Array1<f64>> = Vec::new();
    replayable("adagrad", f, start, steps, |_, gradient, w| {
        squares = &squares + &(gradient * gradient);
        let weight = squares.mapv(|s| -rate / (s.sqrt() + epsilon));
        let next = w + &(&weight * gradient);
        seen.push(weight);
        (next, seen.clone())
    })
}

/// ADAM with bias correction.
///
/// $$ m_k=b_1m_{k-1}+(1-b_1)\,g_k,\qquad v_k=b_2v_{k-1}+(1-b_2)\,g_k^2,\qquad
/// w_{k+1}=w_k-\eta\,\frac{m_k/(1-b_1^{k+1})}{\sqrt{v_k/(1-b_2^{k+1})}+\epsilon} $$
///
/// As an array,
///
/// $$ \Gamma_i^k=-\sum_{l=i}^k\frac{\eta\,(1-b_1)\,b_1^{l-i}/(1-b_1^{l+1})}{\sqrt{v_l/(1-b_2^{l+1})}+\epsilon}. $$
///
/// **Source**: Section 1 after Eq. 1.1, which names the method; Kingma and Ba (2015), Algorithm 1.
/// **Errors**: as [`adagrad`].
pub fn adam(
    f: &impl Objective<f64>,
    start: &Array1<f64>,
    rate: f64,
    (b1, b2): (f64, f64),
    epsilon: f64,
    steps: usize,
) -> Result<AdaptiveRun, Error> {
    let mut first = start.mapv(|_| 0.0);
    let mut second = first.clone();
    let mut sums: Vec<Array1<f64>> = Vec::new();
    replayable("adam", f, start, steps, |k, gradient, w| {
        first = b1 * &first + (1.0 - b1) * gradient;
        second = b2 * &second + (1.0 - b2) * &(gradient * gradient);
        let (lift1, lift2) = (1.0 - b1.powi(k as i32 + 1), 1.0 - b2.powi(k as i32 + 1));
        let scale = second.mapv(|v| -rate / lift1 / ((v / lift2).sqrt() + epsilon));
        sums.push(scale.mapv(|_| 0.0));
        for (i, sum) in sums.iter_mut().enumerate() {
            sum.scaled_add((1.0 - b1) * b1.powi((k - i) as i32), &scale);
        }
        (w + &(&scale * &first), sums.clone())
    })
}

/// Runs a method that tells, after each step, the weights of all gradients so far.
fn replayable(
    op: &'static str,
    f: &impl Objective<f64>,
    start: &Array1<f64>,
    steps: usize,
    mut advance: impl FnMut(usize, &Array1<f64>, &Array1<f64>) -> (Array1<f64>, Vec<Array1<f64>>),
) -> Result<AdaptiveRun, Error> {
    positive(op, "the number of steps", steps)?;
    same_shape(op, "the start", start.shape(), &[f.dim()])?;
    let mut run = Trajectory { iterates: vec![start.clone()], gradients: Vec::new() };
    let mut rows = Vec::new();
    for k in 0..steps {
        work::check(op, k, steps)?;
        let gradient = f.gradient(k, &run.iterates[k]);
        let (next, row) = advance(k, &gradient, &run.iterates[k]);
        rows.push(row);
        run.iterates.push(next);
        run.gradients.push(gradient);
    }
    let weights = Lfom::diagonals(rows)?;
    Ok(AdaptiveRun { run, weights })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::algebra::largest_gap;
    use crate::methods::objective::SingleExamples;
    use ndarray::array;
    use workbench_ground::stats::{Streams, normal_array2};

    #[test]
    fn the_weights_replay_the_method_on_its_own_gradients_only() {
        let mut stream = Streams::new(1).stream("adaptive").unwrap();
        let x = normal_array2(&mut stream, 3, 10);
        let y = x.t().dot(&array![1.0, -2.0, 0.5]);
        let order = |shift: usize| (0..30).map(|i| (7 * i + shift) % 10).collect::<Vec<usize>>();
        let f = SingleExamples::new(x.clone(), y.clone(), order(0)).unwrap();
        let other = SingleExamples::new(x, y, order(3)).unwrap();
        let start = array![0.0, 0.0, 0.0];
        let runs = [
            (adagrad(&f, &start, 0.5, 1e-8, 30).unwrap(), adagrad(&other, &start, 0.5, 1e-8, 30).unwrap()),
            (
                adam(&f, &start, 0.1, (0.9, 0.999), 1e-8, 30).unwrap(),
                adam(&other, &start, 0.1, (0.9, 0.999), 1e-8, 30).unwrap(),
            ),
        ];
        for (mine, theirs) in runs {
            let replay = mine.weights.run(&f, &start).unwrap();
            assert!(largest_gap(&replay.iterates[30], &mine.run.iterates[30]) < 1e-12);
            let elsewhere = mine.weights.run(&other, &start).unwrap();
            assert!(largest_gap(&elsewhere.iterates[30], &theirs.run.iterates[30]) > 1e-2);
        }
    }

    #[test]
    fn the_first_steps_by_hand() {
        let f = SingleExamples::new(array![[2.0]], array![1.0], vec![0]).unwrap();
        // The gradient at 0 is -2: both methods move by the rate.
        let moved = adagrad(&f, &array![0.0], 0.1, 0.0, 1).unwrap();
        assert!((moved.run.iterates[1][0] - 0.1).abs() < 1e-15);
        let shown = moved.columns().unwrap();
        assert_eq!(shown, moved.run.columns().unwrap());
        assert_eq!(shown.list[1].1, [2.0].into());
        let moved = adam(&f, &array![0.0], 0.1, (0.9, 0.999), 0.0, 1).unwrap();
        assert!((moved.run.iterates[1][0] - 0.1).abs() < 1e-14);
        assert!(adagrad(&f, &array![0.0], 0.1, 0.0, 0).is_err());
        assert!(adam(&f, &array![0.0, 1.0], 0.1, (0.9, 0.999), 0.0, 1).is_err());
    }
}
