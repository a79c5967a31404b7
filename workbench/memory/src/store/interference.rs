//! Interference at each input: signal against interference, who wins, how ties count, and where an error comes from.

use crate::data::zipf::{Counts, Zipf};
use crate::store::associative_memory::AssociativeMemory;
use crate::store::associative_memory::{check_labels, same_length};
use crate::store::embedding::Embeddings;
use ndarray::Array1;
use workbench_ground::Error;
use workbench_ground::check::{position, within};
use workbench_ground::tabulated::{Columns, Tabulated};

/// How an input counts whose class ties with another for the highest score.
///
/// The paper assumes that the maximum is unique. Ties have probability zero once anything is stored, but a memory without content, an
/// orthonormal input that was never stored, or two classes with one embedding tie for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// A tie is an error. The rule of this room.
    #[default]
    Errors,
    /// The lowest class index wins, as `argmax` of most programs and [`AssociativeMemory::predict`] do.
    LowestIndex,
    /// One of the tied classes is drawn at random: the share of a class is one over their number.
    Shared,
}

/// Margin of each input, split into the part that its own pair contributes and the rest.
///
/// **Source**: Eq. 23 and 24:
///
/// $$ \mathrm{score}_f-\mathrm{score}_y=q(x)\,\lVert e_x\rVert^2\langle u_f,u_f-u_y\rangle
/// +\sum_{x'\ne x}q(x')\,\langle e_{x'},e_x\rangle\langle u_{f_\ast(x')},u_f-u_y\rangle $$
#[derive(Clone, Debug, PartialEq)]
pub struct Interference {
    /// First term, against the strongest rival y.
    pub signal: Array1<f64>,
    /// Second term, against the same rival; negative when it hurts.
    pub interference: Array1<f64>,
    /// The strongest rival, the class with the highest score among the others.
    pub rival: Vec<usize>,
}

impl Interference {
    /// `signal + interference`; the input is recalled when this is positive.
    pub fn margin(&self) -> Array1<f64> {
        &self.signal + &self.interference
    }
}

impl AssociativeMemory {
    /// Splits the margin of every input; `weights` and `labels` are those that the memory was built from.
    ///
    /// **Errors**: lengths that do not match, fewer than two classes.
    pub fn interference(
        &self,
        embeddings: &Embeddings,
        weights: &[f64],
        labels: &[usize],
    ) -> Result<Interference, Error> {
        const OP: &str = "AssociativeMemory::interference";
        let scores = self.scores(&embeddings.inputs)?;
        let (n, m) = scores.dim();
        same_length(OP, "weights", weights.len(), n)?;
        check_labels(OP, labels, n, m)?;
        let allowed = "at least two classes, one has no rival";
        within(OP, "n_classes (M)", m as f64, m >= 2, allowed)?;
        let gram = embeddings.outputs.dot(&embeddings.outputs.t());
        let (mut signal, mut rest, mut rival) = (Array1::zeros(n), Array1::zeros(n), vec![0; n]);
        for x in 0..n {
            let f = labels[x];
            let start = usize::from(f == 0);
            let best = (0..m)
                .filter(|&y| y != f)
                .fold(start, |best, y| if scores[[x, y]] > scores[[x, best]] { y } else { best });
            let e = embeddings.inputs.row(x);
            signal[x] = weights[x] * e.dot(&e) * (gram[[f, f]] - gram[[f, best]]);
            rest[x] = scores[[x, f]] - scores[[x, best]] - signal[x];
            rival[x] = best;
        }
        Ok(Interference { signal, interference: rest, rival })
    }

    /// How much of each input counts as recalled, from 0 to 1, under a rule for ties.
    ///
    /// **Errors**: labels that do not match.
    pub fn recall(&self, embeddings: &Embeddings, labels: &[usize], ties: Ties) -> Result<Array1<f64>, Error> {
        let scores = self.scores(&embeddings.inputs)?;
        check_labels("AssociativeMemory::recall", labels, scores.nrows(), scores.ncols())?;
        Ok(scores
            .outer_iter()
            .zip(labels)
            .map(|(row, &f)| {
                let own = row[f];
                if row.iter().any(|&s| s > own) {
                    return 0.0;
                }
                let equal = row.iter().filter(|&&s| s == own).count();
                match ties {
                    _ if equal == 1 => 1.0,
                    Ties::Errors => 0.0,
                    Ties::LowestIndex => f64::from(u8::from(row.iter().position(|&s| s == own) == Some(f))),
                    Ties::Shared => 1.0 / equal as f64,
                }
            })
            .collect())
    }

    /// The error of Eq. 3 under a rule for ties; `Ties::Errors` is [`AssociativeMemory::generalization_error`].
    ///
    /// **Errors**: lengths that do not match.
    pub fn error_with_ties(
        &self,
        embeddings: &Embeddings,
        labels: &[usize],
        p: &[f64],
        ties: Ties,
    ) -> Result<f64, Error> {
        let recall = self.recall(embeddings, labels, ties)?;
        same_length("AssociativeMemory::error_with_ties", "p", p.len(), recall.len())?;
        Ok(recall.iter().zip(p).map(|(r, p)| p * (1.0 - r)).sum())
    }
}

/// The error of a memory built from data, split by where it comes from.
///
/// **Source**: Appendix A, "Why do we make errors?".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorSources {
    /// Mass of the inputs that the data do not show.
    pub unseen: f64,
    /// The part of it that is answered wrongly; the rest is a lucky guess.
    pub unseen_wrong: f64,
    /// Mass of the inputs that were seen and are answered wrongly.
    pub seen_wrong: f64,
}

/// One row: the masses and the whole error.
impl Tabulated for ErrorSources {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Sources of the error")
            .with("unseen", [self.unseen])
            .with("unseen wrong", [self.unseen_wrong])
            .with("seen wrong", [self.seen_wrong])
            .with("error", [self.total()]))
    }
}

impl ErrorSources {
    /// Splits the error by the margins of all inputs; ties count as errors.
    ///
    /// **Errors**: a law that cannot be listed, another number of margins than inputs.
    ///
    /// ```
    /// use workbench_ground::stats::Streams;
    /// use workbench_memory::{AssociativeMemory, Embeddings, ErrorSources, Scheme, Target, Zipf};
    /// let (law, labels, streams) = (Zipf::new(1.5, 50)?, Target::modulo(5)?.labels(50), Streams::new(1));
    /// let e = Embeddings::draw(50, 5, 20, &mut streams.stream("e")?)?;
    /// let counts = law.sample_counts(100, &mut streams.stream("data")?)?;
    /// let q = Scheme::power(1.0)?.empirical_weights(&counts, 50, 20)?;
    /// let memory = AssociativeMemory::store(&e, &q, &labels)?;
    /// let sources = ErrorSources::split(memory.margins(&e, &labels)?.as_slice().unwrap_or(&[]), &counts, &law)?;
    /// let whole = memory.generalization_error(&e, &labels, &law.probabilities(50))?;
    /// assert!((sources.total() - whole).abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn split(margins: &[f64], counts: &Counts, law: &Zipf) -> Result<ErrorSources, Error> {
        const OP: &str = "ErrorSources::split";
        let n = law.enumerable(OP)?;
        same_length(OP, "margins", margins.len(), n)?;
        let mut seen = vec![false; n];
        for &(x, _) in &counts.seen {
            let x = x - 1;
            position(OP, "input", x, n)?;
            seen[x] = true;
        }
        let mass = |keep: &dyn Fn(usize) -> bool| -> f64 {
            (0..n)
                .rev()
                .filter(|&x| keep(x))
                .map(|x| law.probability(x + 1))
                // Not `sum`, which makes -0.0 of nothing.
                .fold(0.0, |sum, p| sum + p)
        };
        Ok(ErrorSources {
            unseen: mass(&|x| !seen[x]),
            unseen_wrong: mass(&|x| !seen[x] && margins[x] <= 0.0),
            seen_wrong: mass(&|x| seen[x] && margins[x] <= 0.0),
        })
    }

    /// The whole error.
    pub fn total(&self) -> f64 {
        self.unseen_wrong + self.seen_wrong
    }
}

/// All scores of a memory with equal weights on vectors of integers, exactly: $\sum_i\langle u_y,u_{\ell_i}\rangle\langle e_i,e_x\rangle$,
/// $\ell$ = `labels`, for every class y.
///
/// Rational vectors become integers when multiplied by a common denominator k; scores then carry the factor $k^4$.
///
/// **Source**: Eq. 2, as expanded in the caption of Fig. 2.
///
/// **Shapes**: `outputs` M vectors, `inputs` N vectors, all of one length; one label per input.
///
/// **Errors**: lengths that do not match, labels beyond the classes, an input that does not exist, numbers that overflow.
///
/// ```
/// use workbench_memory::exact_scores;
/// // Unit vectors times 5: u_2 wins the first input, whose class is 0.
/// let u = [[5, 0], [0, 5], [-3, 4]].map(Vec::from);
/// let e = [[5, 0], [3, 4], [4, 3]].map(Vec::from);
/// let scores = exact_scores(&u, &e, &[0, 1, 2], 0)?;
/// assert!(scores[1] > scores[0]);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn exact_scores(outputs: &[Vec<i64>], inputs: &[Vec<i64>], labels: &[usize], x: usize) -> Result<Vec<i128>, Error> {
    const OP: &str = "exact_scores";
    check_labels(OP, labels, inputs.len(), outputs.len())?;
    position(OP, "input", x, inputs.len())?;
    let query = &inputs[x];
    let d = query.len();
    for v in outputs.iter().chain(inputs) {
        same_length(OP, "length of a vector", v.len(), d)?;
        // Products of four entries, summed, stay far inside 128 bits.
        let largest = v.iter().map(|a| a.unsigned_abs()).max().unwrap_or(0);
        let allowed = "integers up to 2^24 in size";
        within(OP, "entry", largest as f64, largest <= 1 << 24, allowed)?;
    }
    let dot = |a: &[i64], b: &[i64]| -> i128 { a.iter().zip(b).map(|(a, b)| i128::from(a * b)).sum() };
    Ok(outputs
        .iter()
        .map(|u| inputs.iter().zip(labels).map(|(e, &y)| dot(u, &outputs[y]) * dot(e, query)).sum())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::store::scheme::Scheme;
    use ndarray::{Array2, array};
    use workbench_ground::stats::Streams;

    fn setting(n: usize, d: usize) -> (Embeddings, Vec<f64>, Vec<usize>, AssociativeMemory) {
        let e = Embeddings::draw(n, 3, d, &mut Streams::new(4).stream("e").unwrap()).unwrap();
        let q = Scheme::power(0.5).unwrap().population_weights(&Zipf::new(1.0, n).unwrap(), 1).unwrap();
        let labels = Target::modulo(3).unwrap().labels(n);
        let memory = AssociativeMemory::store(&e, &q, &labels).unwrap();
        (e, q, labels, memory)
    }

    #[test]
    fn the_parts_make_the_margin() {
        let (e, q, labels, memory) = setting(20, 8);
        let parts = memory.interference(&e, &q, &labels).unwrap();
        let margins = memory.margins(&e, &labels).unwrap();
        assert!((parts.margin() - &margins).iter().all(|x| x.abs() < 1e-12));
        // The second term by its own sum.
        for x in 0..20 {
            let difference = &e.outputs.row(labels[x]) - &e.outputs.row(parts.rival[x]);
            let sum: f64 = (0..20)
                .filter(|&k| k != x)
                .map(|k| q[k] * e.inputs.row(k).dot(&e.inputs.row(x)) * e.outputs.row(labels[k]).dot(&difference))
                .sum();
            assert!((sum - parts.interference[x]).abs() < 1e-12);
        }
    }

    #[test]
    fn ties_count_as_the_rule_says() {
        let (e, _, labels, _) = setting(6, 4);
        let nothing = AssociativeMemory::store(&e, &[0.0; 6], &labels).unwrap();
        let p = [1.0 / 6.0; 6];
        let error = |ties| nothing.error_with_ties(&e, &labels, &p, ties).unwrap();
        assert!((error(Ties::Errors) - 1.0).abs() < 1e-15);
        assert!((error(Ties::LowestIndex) - 4.0 / 6.0).abs() < 1e-15);
        assert!((error(Ties::Shared) - 2.0 / 3.0).abs() < 1e-15);
        let (e, _, labels, memory) = setting(20, 8);
        let p = [0.05; 20];
        let plain = memory.generalization_error(&e, &labels, &p).unwrap();
        for ties in [Ties::Errors, Ties::LowestIndex, Ties::Shared] {
            assert_eq!(memory.error_with_ties(&e, &labels, &p, ties).unwrap(), plain);
        }
    }

    #[test]
    fn two_tied_classes_share() {
        let e = Embeddings::from_parts(array![[1.0, 0.0]], array![[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).unwrap();
        let memory = AssociativeMemory::store(&e, &[1.0], &[1]).unwrap();
        assert_eq!(memory.recall(&e, &[1], Ties::Shared).unwrap()[0], 0.5);
        assert_eq!(memory.recall(&e, &[1], Ties::LowestIndex).unwrap()[0], 0.0);
        assert_eq!(memory.recall(&e, &[0], Ties::LowestIndex).unwrap()[0], 1.0);
    }

    #[test]
    fn exact_scores_agree_with_floats() {
        let (u, e) = (vec![vec![3, -1], vec![2, 5]], vec![vec![1, 4], vec![-2, 7], vec![0, 1]]);
        let labels = [0, 1, 1];
        let floats = |v: &[Vec<i64>]| Array2::from_shape_fn((v.len(), 2), |(i, j)| v[i][j] as f64);
        let embeddings = Embeddings::from_parts(floats(&e), floats(&u)).unwrap();
        let scores =
            AssociativeMemory::store(&embeddings, &[1.0; 3], &labels).unwrap().scores(&embeddings.inputs).unwrap();
        for x in 0..3 {
            let exact = exact_scores(&u, &e, &labels, x).unwrap();
            assert_eq!(exact[0] as f64, scores[[x, 0]]);
            assert_eq!(exact[1] as f64, scores[[x, 1]]);
        }
    }

    #[test]
    fn refuses_bad_input() {
        let (e, q, labels, memory) = setting(6, 4);
        assert!(matches!(memory.interference(&e, &q[..5], &labels), Err(Error::Shape { .. })));
        assert!(matches!(memory.recall(&e, &[0; 5], Ties::Errors), Err(Error::Shape { .. })));
        assert!(matches!(memory.error_with_ties(&e, &labels, &[1.0], Ties::Shared), Err(Error::Shape { .. })));
        let one = Embeddings::from_parts(Array2::eye(2), array![[1.0, 0.0]]).unwrap();
        let single = AssociativeMemory::store(&one, &[1.0; 2], &[0; 2]).unwrap();
        assert!(matches!(single.interference(&one, &[1.0; 2], &[0; 2]), Err(Error::Parameter { .. })));
        let law = Zipf::new(1.0, 3).unwrap();
        let counts = Counts { seen: vec![(4, 1)], total: 1 };
        assert!(matches!(ErrorSources::split(&[1.0; 3], &counts, &law), Err(Error::NoSuch { .. })));
        assert!(matches!(ErrorSources::split(&[1.0; 2], &counts, &law), Err(Error::Shape { .. })));
        let seen = Counts { seen: vec![(1, 1)], total: 1 };
        let sources = ErrorSources::split(&[-1.0; 3], &seen, &law).unwrap();
        let columns = sources.columns().unwrap().list;
        assert_eq!((columns.len(), &columns[3].1), (4, &[sources.total()].into()));
        let u = vec![vec![1, 0]];
        assert!(matches!(exact_scores(&u, &[vec![1]], &[0], 0), Err(Error::Shape { .. })));
        assert!(matches!(exact_scores(&u, &[vec![1, 0]], &[0], 1), Err(Error::NoSuch { .. })));
        assert!(matches!(exact_scores(&u, &[vec![1 << 40, 0]], &[0], 0), Err(Error::Parameter { .. })));
    }
}
