//! The gradient of one pair, line by line of the proof of Lemma 4, and how good its leading term is.

use super::run::TrainingRun;
use crate::store::embedding::Embeddings;
use ndarray::{Array1, Array2, Axis};
use workbench_ground::Error;
use workbench_ground::check::{position, same, within};
use workbench_ground::stats::log_sum_exp;
use workbench_ground::work;

/// The gradient of `l(x, y; W)` in W by complex steps, and every line of the proof of Lemma 4 evaluated on its own.
///
/// **Source**: Lemma 4, Eq. 43.
#[derive(Clone, Debug)]
pub struct GradientLines {
    /// $\operatorname{Im}\ell(W+ihE_{jk})/h$ for every entry, which has no cancellation: exact to rounding.
    pub complex_step: Array2<f64>,
    /// The lines of the proof in their order: exponentials, probabilities, right class split off, `1 - p` factored out, and Eq. 43.
    pub lines: Vec<Array2<f64>>,
    /// $p_W(z\mid x,z\ne y)$, zero at y.
    pub conditional: Array1<f64>,
    /// $\ln(1-p_W(y\mid x))$, from the log of the other classes' sum, so that it stays finite as $p_W(y\mid x)$ rounds to one.
    pub log_missing: f64,
}

impl GradientLines {
    /// Evaluates all lines at one input (by row) and class.
    ///
    /// **Errors**: sizes that do not match, no such input or class, a single class (then no other class exists),
    /// [`Error::Stopped`].
    ///
    /// Cost: `M d^2` complex exponentials.
    pub fn at(w: &Array2<f64>, embeddings: &Embeddings, x: usize, y: usize) -> Result<GradientLines, Error> {
        const OP: &str = "GradientLines::at";
        let (u, d, m) = (&embeddings.outputs, embeddings.dim(), embeddings.outputs.nrows());
        for (left_name, left) in [("rows of W", w.nrows()), ("columns of W", w.ncols())] {
            same(OP, (left_name, left), ("d", d))?;
        }
        for (what, index, len) in [("input", x, embeddings.inputs.nrows()), ("class", y, m)] {
            position(OP, what, index, len)?;
        }
        within(OP, "n_classes (M)", m as f64, m >= 2, "at least two classes")?;
        let e = embeddings.inputs.row(x);
        let scores = u.dot(&w.dot(&e));
        let outer = |left: &Array1<f64>| {
            let column = left.view().insert_axis(Axis(1)).to_owned();
            column.dot(&e.insert_axis(Axis(0)))
        };
        let top = scores.fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        let exponentials = scores.mapv(|s| (s - top).exp());
        let p = &exponentials / exponentials.sum();
        let right = u.row(y).to_owned();
        let others: Vec<f64> = (0..m).filter(|z| *z != y).map(|z| scores[z]).collect();
        let log_missing = log_sum_exp(&others) - log_sum_exp(&scores.to_vec());
        let total_others = log_sum_exp(&others);
        let conditional = Array1::from_shape_fn(m, |z| if z == y { 0.0 } else { (scores[z] - total_others).exp() });
        let missing = log_missing.exp();
        let mut not_right = p.clone();
        not_right[y] = 0.0;
        let over_missing = not_right.mapv(|p| p / missing);
        let lines = vec![
            outer(&-&right) + outer(&exponentials.dot(u)) / exponentials.sum(),
            outer(&-&right) + outer(&p.dot(u)),
            outer(&right) * -missing + outer(&not_right.dot(u)),
            (outer(&right) - outer(&over_missing.dot(u))) * -missing,
            outer(&(&right - &conditional.dot(u))) * -missing,
        ];
        let entry = |i: usize, j: usize| {
            const STEP: f64 = 1e-200;
            let (mut re, mut im) = (0.0, 0.0);
            for z in 0..m {
                let turn = STEP * u[[z, i]] * e[j];
                re += (scores[z] - top).exp() * turn.cos();
                im += (scores[z] - top).exp() * turn.sin();
            }
            im.atan2(re) / STEP - u[[y, i]] * e[j]
        };
        let mut complex_step = Array2::<f64>::zeros((d, d));
        for (i, mut row) in complex_step.outer_iter_mut().enumerate() {
            work::check(OP, i, d)?;
            row.iter_mut().enumerate().for_each(|(j, slope)| *slope = entry(i, j));
        }
        Ok(GradientLines { complex_step, lines, conditional, log_missing })
    }
}

/// The part of a gradient that Eq. 10 leaves out: $\epsilon=\sum_zp_W(z\mid x,z\ne y)\,u_z$.
///
/// **Source**: Eq. 10 and 43.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeadingTerm {
    /// $\lVert\epsilon\rVert^2$.
    pub epsilon_square: f64,
    /// $\lVert\epsilon\rVert/\lVert u_y-\epsilon\rVert$: the relative error of Eq. 10 in Frobenius norm, exactly.
    pub relative_error: f64,
    /// $\sum_z\lvert p_W(z\mid x,z\ne y)-\tfrac1{M-1}\rvert$: how far the other classes are from equally likely, between 0 and 2.
    pub spread: f64,
    /// $1-p_W(y\mid x)$, which multiplies the whole gradient.
    pub missing: f64,
}

impl LeadingTerm {
    /// The term of one input from its scores and the inner products of the outputs.
    ///
    /// **Errors**: sizes that do not match, no such class, a single class.
    ///
    /// ```
    /// use workbench_memory::LeadingTerm;
    /// use ndarray::Array2;
    /// // Zero scores and orthonormal outputs: epsilon is the mean of M - 1 unit vectors.
    /// let term = LeadingTerm::at(&[0.0; 5], &Array2::eye(5), 2)?;
    /// assert!((term.epsilon_square - 0.25).abs() < 1e-15 && term.spread < 1e-15);
    /// # Ok::<(), workbench_memory::Error>(())
    /// ```
    pub fn at(scores: &[f64], gram: &Array2<f64>, y: usize) -> Result<LeadingTerm, Error> {
        const OP: &str = "LeadingTerm::at";
        let m = scores.len();
        same(OP, ("the Gram matrix", gram.dim()), ("scores by scores", (m, m)))?;
        position(OP, "class", y, m)?;
        within(OP, "n_classes (M)", m as f64, m >= 2, "at least two classes")?;
        let others: Vec<f64> = (0..m).filter(|z| *z != y).map(|z| scores[z]).collect();
        let total = log_sum_exp(&others);
        let conditional = Array1::from_shape_fn(m, |z| if z == y { 0.0 } else { (scores[z] - total).exp() });
        let epsilon_square = conditional.dot(&gram.dot(&conditional)).max(0.0);
        let along = gram.row(y).dot(&conditional);
        let uniform = 1.0 / (m as f64 - 1.0);
        Ok(LeadingTerm {
            epsilon_square,
            relative_error: (epsilon_square / (gram[[y, y]] - 2.0 * along + epsilon_square)).sqrt(),
            spread: (0..m).filter(|z| *z != y).map(|z| (conditional[z] - uniform).abs()).sum(),
            missing: (total - log_sum_exp(scores)).exp(),
        })
    }
}

impl TrainingRun {
    /// The part that Eq. 10 leaves out, for each input, at the present weights.
    ///
    /// **Errors**: those of [`LeadingTerm::at`].
    pub fn leading_terms(&self) -> Result<Vec<LeadingTerm>, Error> {
        self.scores()
            .outer_iter()
            .zip(self.task().labels())
            .map(|(row, &y)| LeadingTerm::at(&row.to_vec(), self.task().gram(), y))
            .collect()
    }
}

/// Spearman's rank correlation of two lists; equal values share their mean rank.
///
/// `NaN` when one list is constant or they are shorter than two.
///
/// **Source**: Spearman's coefficient, asked of the update of Eq. 11.
///
/// **Errors**: lists of different lengths.
pub fn rank_correlation(a: &[f64], b: &[f64]) -> Result<f64, Error> {
    same("rank_correlation", ("first list", a.len()), ("second list", b.len()))?;
    let (a, b) = (ranks(a), ranks(b));
    let centre = (a.len() as f64 - 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - centre) * (b - centre)).sum() };
    Ok(product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt())
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let mut to = from + 1;
        while to < order.len() && values[order[to]] == values[order[from]] {
            to += 1;
        }
        for &i in &order[from..to] {
            ranks[i] = (from + to - 1) as f64 / 2.0;
        }
        from = to;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::{Streams, largest_of, normal_array2};

    fn largest(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
        largest_of((a - b).iter().map(|x| x.abs()))
    }

    #[test]
    fn all_lines_agree() {
        let streams = Streams::new(8);
        let e = Embeddings::draw(6, 4, 5, &mut streams.stream("e").unwrap()).unwrap();
        let w = normal_array2(&mut streams.stream("w").unwrap(), 5, 5);
        for x in 0..6 {
            for y in 0..4 {
                let lines = GradientLines::at(&w, &e, x, y).unwrap();
                assert!((lines.conditional.sum() - 1.0).abs() < 1e-14);
                for line in &lines.lines {
                    assert!(largest(line, &lines.complex_step) < 1e-13);
                }
            }
        }
        // Far in saturation the last line keeps its digits, the ones that subtract do not.
        let gram = e.outputs.dot(&e.outputs.t());
        let strong = e
            .outputs
            .t()
            .dot(&Array2::from_shape_fn((4, 5), |(y, j)| if y == 1 { 60.0 * e.inputs[[0, j]] } else { 0.0 }));
        let lines = GradientLines::at(&strong, &e, 0, 1).unwrap();
        let scores = e.outputs.dot(&strong.dot(&e.inputs.row(0))).to_vec();
        let term = LeadingTerm::at(&scores, &gram, 1).unwrap();
        assert!(lines.log_missing < -40.0 && (lines.log_missing.exp() / term.missing - 1.0).abs() < 1e-12);
        assert!(lines.lines[4].iter().any(|g| *g != 0.0));
    }

    #[test]
    fn relative_error_is_that_of_the_matrices() {
        let streams = Streams::new(9);
        let e = Embeddings::draw(3, 5, 4, &mut streams.stream("e").unwrap()).unwrap();
        let w = normal_array2(&mut streams.stream("w").unwrap(), 4, 4);
        let gram = e.outputs.dot(&e.outputs.t());
        for x in 0..3 {
            let lines = GradientLines::at(&w, &e, x, 2).unwrap();
            let scores = e.outputs.dot(&w.dot(&e.inputs.row(x))).to_vec();
            let term = LeadingTerm::at(&scores, &gram, 2).unwrap();
            let u = e.outputs.row(2).to_owned().insert_axis(Axis(1));
            let leading = u.dot(&e.inputs.row(x).insert_axis(Axis(0))) * -term.missing;
            let size = |a: &Array2<f64>| a.iter().map(|x| x * x).sum::<f64>().sqrt();
            let direct = size(&(&lines.lines[4] - &leading)) / size(&lines.lines[4]);
            assert!((direct - term.relative_error).abs() < 1e-12, "{direct} {term:?}");
        }
    }

    #[test]
    fn rank_correlation_by_hand() {
        assert!((rank_correlation(&[1.0, 2.0, 3.0], &[10.0, 20.0, 5000.0]).unwrap() - 1.0).abs() < 1e-15);
        assert!((rank_correlation(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]).unwrap() + 1.0).abs() < 1e-15);
        // Ties: ranks 0.5, 0.5, 2 against 0, 1, 2 give 1.5 / sqrt(1.5 * 2).
        let tied = rank_correlation(&[1.0, 1.0, 2.0], &[1.0, 2.0, 3.0]).unwrap();
        assert!((tied - 1.5 / 3f64.sqrt()).abs() < 1e-15, "{tied}");
        assert!(rank_correlation(&[1.0, 1.0], &[1.0, 2.0]).unwrap().is_nan());
        assert!(rank_correlation(&[1.0], &[1.0, 2.0]).is_err());
    }

    #[test]
    fn refuses_bad_input() {
        let e = Embeddings::draw(3, 2, 4, &mut Streams::new(1).stream("e").unwrap()).unwrap();
        let single = Embeddings::draw(3, 1, 4, &mut Streams::new(1).stream("f").unwrap()).unwrap();
        let w = Array2::zeros((4, 4));
        assert!(GradientLines::at(&Array2::zeros((4, 3)), &e, 0, 0).is_err());
        assert!(GradientLines::at(&w, &e, 3, 0).is_err() && GradientLines::at(&w, &e, 0, 2).is_err());
        assert!(matches!(GradientLines::at(&w, &single, 0, 0), Err(Error::Parameter { .. })));
        assert!(LeadingTerm::at(&[0.0; 2], &Array2::eye(3), 0).is_err());
        assert!(LeadingTerm::at(&[0.0; 2], &Array2::eye(2), 2).is_err());
        assert!(LeadingTerm::at(&[0.0], &Array2::eye(1), 0).is_err());
    }
}
