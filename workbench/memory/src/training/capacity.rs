//! Capacity: equally weighted associations that a memory recalls at once.

use crate::error_curve::ErrorCurve;
use crate::store::embedding::Embeddings;
use ndarray::{Array2, Axis, s};
use rayon::prelude::*;
use workbench_ground::Error;
use workbench_ground::check::positive;
use workbench_ground::stats::{Stream, Streams, unit_sphere};
use workbench_ground::work::{Finished, Observer, Stopped, Unwatched};

const OP: &str = "recall_of_all";

/// What the memory stores of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Similarity {
    /// $e_{x'}^\top e_x$: the linear memory of Eq. 2, whose W has $d^2$ entries.
    Linear,
    /// $(e_{x'}^\top e_x)^2$: keeps every stored vector.
    Quadratic,
    /// $e^{b\,e_{x'}^\top e_x}$ with $b=\ln2P$, as in modern Hopfield networks: keeps every stored vector.
    Exponential,
}

/// Which outputs the stored pairs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputSharing {
    /// So many classes, given in turn.
    Classes(usize),
    /// Every pair has an output of its own: $M=P$.
    Own,
}

/// The memories that are asked whether they recall all they store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPairs {
    /// What is stored of the inputs.
    pub similarity: Similarity,
    /// Which outputs the pairs have.
    pub sharing: OutputSharing,
    /// Dimension d.
    pub dim: usize,
    /// Numbers P of stored pairs, ascending.
    pub sizes: Vec<usize>,
}

/// For each P of `sizes`, whether all of the first P pairs are recalled by the memory that stores exactly those, with equal weights.
///
/// Inputs and outputs are uniform on the unit sphere and common to all P of a run, so a run is one nested family. The result is a curve of
/// zeros and ones over P, one row per run: its mean is the probability that all are recalled, and
/// [`ErrorCurve::crossing`] at one half is the capacity.
///
/// **Source**: Section 3, Learning the embeddings: "only memorize about d / log d associations".
///
/// **Errors**: zero sizes, sizes that do not ascend, [`Error::Stopped`].
///
/// Cost per run and P: `P M d` for classes, `P^2 d` for own outputs and for kernels.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::{OutputSharing, Similarity, StoredPairs, recall_of_all};
/// let pairs = StoredPairs {
///     similarity: Similarity::Linear,
///     sharing: OutputSharing::Classes(5),
///     dim: 32,
///     sizes: vec![2, 400],
/// };
/// let recalled = recall_of_all(&pairs, 20, &Streams::new(1), "capacity")?;
/// assert!(recalled.means()[0] > 0.9 && recalled.means()[1] == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn recall_of_all(pairs: &StoredPairs, runs: usize, streams: &Streams, name: &str) -> Result<ErrorCurve, Error> {
    recall_of_all_watched(pairs, runs, streams, name, &mut Unwatched)
}

/// [`recall_of_all`], telling `observer` after each finished run.
///
/// **Source**: as [`recall_of_all`]. **Errors**: as [`recall_of_all`].
pub fn recall_of_all_watched(
    pairs: &StoredPairs,
    runs: usize,
    streams: &Streams,
    name: &str,
    observer: &mut (dyn Observer + Send),
) -> Result<ErrorCurve, Error> {
    let (dim, sizes, sharing) = (pairs.dim, &pairs.sizes, pairs.sharing);
    for (what, value) in [("dim (d)", dim), ("runs", runs), ("sizes (list of P)", sizes.len())] {
        positive(OP, what, value)?;
    }
    if let OutputSharing::Classes(m) = sharing {
        positive(OP, "n_classes (M)", m)?;
    }
    positive(OP, "smallest P", sizes[0])?;
    if let Some(w) = sizes.windows(2).find(|w| w[0] >= w[1]) {
        return Err(Error::parameter(OP, "P", w[1] as f64, "sizes in ascending order"));
    }
    let largest = sizes[sizes.len() - 1];
    let finished = Finished::new(OP, runs, observer);
    let rows = (0..runs)
        .into_par_iter()
        .map(|i| {
            let mut stream = streams.restart_replicate(&format!("{name}, d = {dim}"), i)?;
            let e = draw(largest, sharing, dim, &mut stream)?;
            let row = sizes
                .iter()
                .map(|&p| {
                    let whole = recalls_first(pairs.similarity, sharing, &e, p, &finished)?;
                    Ok(if whole { 1.0 } else { 0.0 })
                })
                .collect::<Result<Vec<f64>, Error>>()?;
            finished.one();
            Ok(row)
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let runs = Array2::from_shape_fn((runs, sizes.len()), |(i, j)| rows[i][j]);
    ErrorCurve::new(sizes.iter().map(|p| *p as f64).collect(), runs)
}

fn draw(n: usize, sharing: OutputSharing, dim: usize, stream: &mut Stream) -> Result<Embeddings, Error> {
    let classes = match sharing {
        OutputSharing::Classes(m) => m,
        OutputSharing::Own => n,
    };
    // Outputs first: they are the same whatever n is when classes are shared.
    let outputs = unit_sphere(stream, classes, dim);
    Embeddings::from_parts(unit_sphere(stream, n, dim), outputs)
}

/// Rows of a block of queries.
const BLOCK: usize = 256;

/// Whether the first `p` pairs are all recalled; asks before each block of queries whether to go on.
fn recalls_first(
    similarity: Similarity,
    sharing: OutputSharing,
    e: &Embeddings,
    p: usize,
    finished: &Finished,
) -> Result<bool, Stopped> {
    let inputs = e.inputs.slice(s![..p, ..]);
    let (labels, outputs): (Vec<usize>, _) = match sharing {
        OutputSharing::Classes(m) => ((0..p).map(|x| x % m).collect(), e.outputs.view()),
        OutputSharing::Own => ((0..p).collect(), e.outputs.slice(s![..p, ..])),
    };
    // What a similarity with stored pair x' adds to the scores: `u_y . u_{f(x')}`, gathered by class.
    let by_class = |k: &Array2<f64>| {
        let mut sums = Array2::<f64>::zeros((k.nrows(), outputs.nrows()));
        for (column, &y) in k.axis_iter(Axis(1)).zip(&labels) {
            let mut sum = sums.column_mut(y);
            sum += &column;
        }
        sums.dot(&outputs).dot(&outputs.t())
    };
    let memory = (similarity == Similarity::Linear).then(|| {
        let mut sums = Array2::<f64>::zeros((outputs.nrows(), inputs.ncols()));
        for (row, &y) in inputs.outer_iter().zip(&labels) {
            let mut sum = sums.row_mut(y);
            sum += &row;
        }
        // W^T = sum of e u^T, (d, d).
        sums.t().dot(&outputs)
    });
    let sharpness = (2.0 * p as f64).ln();
    for from in (0..p).step_by(BLOCK) {
        finished.go_on()?;
        let block = s![from..p.min(from + BLOCK), ..];
        let queries = inputs.slice(block);
        let scores = match (&memory, similarity) {
            (Some(memory), _) => queries.dot(memory).dot(&outputs.t()),
            (None, Similarity::Quadratic) => by_class(&queries.dot(&inputs.t()).mapv(|k| k * k)),
            (None, _) => by_class(&queries.dot(&inputs.t()).mapv(|k| (sharpness * (k - 1.0)).exp())),
        };
        let recalled = scores.outer_iter().enumerate().all(|(i, row)| {
            let y = labels[from + i];
            let right = row[y];
            row.iter().enumerate().all(|(z, s)| z == y || *s < right)
        });
        if !recalled {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::associative_memory::AssociativeMemory;
    use workbench_ground::work::Seen;

    #[test]
    fn agrees_with_the_memory_itself() {
        let mut stream = Streams::new(1).stream("e").unwrap();
        let (mut seen, mut nobody) = ([0; 2], Unwatched);
        let finished = Finished::new("t", 1, &mut nobody);
        for _ in 0..60 {
            let sharing = OutputSharing::Classes(3);
            let e = draw(9, sharing, 24, &mut stream).unwrap();
            let labels: Vec<usize> = (0..9).map(|x| x % 3).collect();
            let memory = AssociativeMemory::store(&e, &[1.0; 9], &labels).unwrap();
            let all = memory.margins(&e, &labels).unwrap().iter().all(|m| *m > 0.0);
            assert_eq!(recalls_first(Similarity::Linear, sharing, &e, 9, &finished), Ok(all));
            seen[usize::from(all)] += 1;
        }
        assert!(seen[0] > 5 && seen[1] > 5, "{seen:?}");
    }

    #[test]
    fn kernels_and_own_outputs_by_the_sum() {
        let (mut stream, mut nobody) = (Streams::new(2).stream("e").unwrap(), Unwatched);
        let finished = Finished::new("t", 1, &mut nobody);
        for similarity in [Similarity::Linear, Similarity::Quadratic, Similarity::Exponential] {
            let mut seen = [0; 2];
            for _ in 0..60 {
                let (p, d) = (5, 6);
                let e = draw(p, OutputSharing::Own, d, &mut stream).unwrap();
                let (k, g) = (e.inputs.dot(&e.inputs.t()), e.outputs.dot(&e.outputs.t()));
                let k = k.mapv(|k| match similarity {
                    Similarity::Linear => k,
                    Similarity::Quadratic => k * k,
                    Similarity::Exponential => ((2.0 * p as f64).ln() * k).exp(),
                });
                let scores = k.dot(&g);
                let all = (0..p).all(|x| (0..p).all(|y| y == x || scores[[x, y]] < scores[[x, x]]));
                assert_eq!(recalls_first(similarity, OutputSharing::Own, &e, p, &finished), Ok(all));
                seen[usize::from(all)] += 1;
            }
            assert!(seen[0] > 2 && seen[1] > 2, "{similarity:?} {seen:?}");
        }
    }

    #[test]
    fn every_run_is_told_and_changes_nothing() {
        let pairs =
            StoredPairs { similarity: Similarity::Linear, sharing: OutputSharing::Own, dim: 4, sizes: vec![2, 5] };
        let mut seen = Seen::default();
        let watched = recall_of_all_watched(&pairs, 3, &Streams::new(1), "c", &mut seen).unwrap();
        assert_eq!(watched, recall_of_all(&pairs, 3, &Streams::new(1), "c").unwrap());
        let told: Vec<(usize, usize)> = seen.0.iter().map(|step| (step.done, step.of)).collect();
        assert_eq!(told, [(1, 3), (2, 3), (3, 3)]);
    }

    #[test]
    fn refuses_bad_input() {
        let streams = Streams::new(1);
        let call = |m, d, sizes: &[usize], runs| {
            let pairs = StoredPairs {
                similarity: Similarity::Linear,
                sharing: OutputSharing::Classes(m),
                dim: d,
                sizes: sizes.to_vec(),
            };
            recall_of_all(&pairs, runs, &streams, "c")
        };
        assert!(matches!(call(0, 4, &[2], 3), Err(Error::Zero { .. })));
        assert!(matches!(call(2, 0, &[2], 3), Err(Error::Zero { .. })));
        assert!(matches!(call(2, 4, &[], 3), Err(Error::Zero { .. })));
        assert!(matches!(call(2, 4, &[0, 2], 3), Err(Error::Zero { .. })));
        assert!(matches!(call(2, 4, &[2], 0), Err(Error::Zero { .. })));
        assert!(matches!(call(2, 4, &[3, 2], 3), Err(Error::Parameter { name: "P", .. })));
    }
}
