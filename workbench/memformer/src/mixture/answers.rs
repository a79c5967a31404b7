//! Answers of each head on each prompt.

use crate::{Error, Parameters, Statistics};
use ndarray::{Array1, Array2, Axis};
use workbench_ground::check::{positive, same_shape};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// Prompts between two looks at a stop request.
const LOOK: usize = 256;

/// Answers after each layer, and how well the same iterates fit the prompt's own examples.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// $\langle w_\ell,x^{(n+1)}\rangle$ after $\ell=0,1,\dots,L$ layers, (L + 1, B).
    pub answers: Array2<f64>,
    /// In-context loss $R(w_\ell)$ of Eq. 2.11: known at test time, without the answer, (L + 1, B).
    pub in_context: Array2<f64>,
    /// The right answers $\langle w^\ast,x^{(n+1)}\rangle$, (B).
    pub truth: Array1<f64>,
}

/// Means over prompts, one row after each layer.
impl Tabulated for Answers {
    fn columns(&self) -> Result<Columns, Error> {
        let columns = &[self.answers.ncols()];
        same_shape("Answers::columns", "the right answers", self.truth.shape(), columns)?;
        let errors = (&self.answers - &self.truth).mapv(|miss| miss * miss);
        let means = |table: &Array2<f64>| table.outer_iter().map(|row| row.mean()).collect::<Vec<Option<f64>>>();
        Ok(Columns::new("Answers after each layer")
            .x("layer", (0..self.answers.nrows()).collect::<Vec<usize>>())
            .with("squared error", means(&errors))
            .with("in-context loss", means(&self.in_context))
            .log_y())
    }
}

impl Answers {
    /// Answers of a restricted model ($B=0$) on prompts.
    ///
    /// **Source**: Eqs. 2.6, 2.9 and 2.11. **Errors**: another dimension, a model with upper blocks, a stop request. Cost B L^2 d^2.
    ///
    /// ```
    /// use workbench_ground::stats::Streams;
    /// use workbench_memformer::{Answers, Architecture, Parameters, Prompts, TaskLaw};
    /// let prompts = Prompts::draw(&TaskLaw::isotropic(3)?, 20, 4, &mut Streams::new(1).stream("p")?)?;
    /// let model = Parameters::random(Architecture::new(2, 3)?, 0.1, &mut Streams::new(1).stream("a")?)?;
    /// let answers = Answers::of(&model, &prompts.statistics()?)?;
    /// let definition = model.transformer(20)?.predict(&prompts.tokens(3)?)?;
    /// assert!((answers.answers[[2, 3]] - definition).abs() < 1e-13);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(model: &Parameters, statistics: &Statistics) -> Result<Answers, Error> {
        const OP: &str = "Answers::of";
        let architecture = model.architecture();
        let (depth, d, batch) = (architecture.depth(), architecture.dim(), statistics.batch());
        same_shape(OP, "the model's dimension", &[d], &[statistics.dim()])?;
        if architecture.upper_block() {
            let instead = "use `Batch::losses`, or hold B at zero";
            return Err(Error::unavailable(OP, "a model with upper blocks", instead));
        }
        let coefficients = model.coefficients();
        let matrices = (0..depth).map(|l| Ok(model.a(l)?.t().to_owned())).collect::<Result<Vec<_>, Error>>()?;
        let mut out = Answers {
            answers: Array2::zeros((depth + 1, batch)),
            in_context: Array2::zeros((depth + 1, batch)),
            truth: statistics.answers(),
        };
        for b in 0..batch {
            if b % LOOK == 0 {
                work::check(OP, b, batch)?;
            }
            let h = statistics.gram().index_axis(Axis(0), b);
            let (truth, query) = (statistics.truth().row(b), statistics.query().row(b));
            let mut error = truth.to_owned();
            let mut steps: Vec<Array1<f64>> = Vec::with_capacity(depth);
            for (l, matrix) in matrices.iter().map(Some).chain([None]).enumerate() {
                let gradient = h.dot(&error);
                out.answers[[l, b]] = out.truth[b] - error.dot(&query);
                out.in_context[[l, b]] = 0.5 * error.dot(&gradient);
                let Some(matrix) = matrix else { break };
                steps.push(matrix.dot(&gradient));
                for (j, step) in steps.iter().enumerate() {
                    let weight = coefficients.row(l * (l + 1) / 2 + j);
                    if weight.len() == 1 {
                        error.scaled_add(-weight[0], step);
                    } else if weight.len() == d {
                        error.zip_mut_with(&(&weight * step), |e, s| *e -= s);
                    } else {
                        for (i, e) in error.iter_mut().enumerate() {
                            *e -= (0..d).map(|k| weight[i * d + k] * step[k]).sum::<f64>();
                        }
                    }
                }
            }
        }
        Ok(out)
    }

    /// Layers L.
    pub fn depth(&self) -> usize {
        self.answers.nrows() - 1
    }

    /// Squared errors after the last layer, (B).
    pub fn errors(&self) -> Vec<f64> {
        let last = self.answers.row(self.depth());
        last.iter().zip(&self.truth).map(|(a, t)| (a - t).powi(2)).collect()
    }
}

/// Final answers of several heads, (B, H).
///
/// **Source**: Eq. 2.6; the heads of Section 4.2.
/// **Errors**: no head, heads that answered different prompts.
pub fn final_answers(heads: &[Answers]) -> Result<Array2<f64>, Error> {
    const OP: &str = "final_answers";
    positive(OP, "the number of heads (H)", heads.len())?;
    let batch = heads[0].truth.len();
    for head in heads {
        same_shape(OP, "answers of a head", head.truth.shape(), &[batch])?;
    }
    Ok(Array2::from_shape_fn((batch, heads.len()), |(b, h)| heads[h].answers[[heads[h].depth(), b]]))
}

/// For each prompt the head whose last iterate fits the prompt's own examples best: a gate that needs no label.
///
/// **Source**: ours; Theorem 4.1 does not say where the component m comes from. **Errors**: as [`final_answers`].
pub fn best_in_context(heads: &[Answers]) -> Result<Vec<usize>, Error> {
    final_answers(heads)?;
    let loss = |h: usize, b: usize| heads[h].in_context[[heads[h].depth(), b]];
    Ok((0..heads[0].truth.len())
        .map(|b| {
            let better = |best: usize, h: usize| if loss(h, b) < loss(best, b) { h } else { best };
            (1..heads.len()).fold(0, better)
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Batch, Precision, Prompts, RegisterKind, RegisterWeight, TaskLaw};
    use workbench_ground::stats::Streams;
    use workbench_ground::tabulated::Values;

    #[test]
    fn answers_agree_with_the_passes_for_every_kind_of_register() {
        let mut stream = Streams::new(9).stream("answers").unwrap();
        let law = TaskLaw::isotropic(3).unwrap();
        let law = law.with_means(Array1::from_elem(3, 0.5), Array1::from_elem(3, -1.0)).unwrap();
        let statistics = Prompts::draw(&law, 7, 30, &mut stream).unwrap().statistics().unwrap();
        let batch = Batch::new(&statistics, Precision::Double).unwrap();
        let kinds = [RegisterWeight::Scalar, RegisterWeight::Diagonal, RegisterWeight::Full];
        let separate = |weight, tied| RegisterKind::Separate { weight, tied };
        let mut registers = vec![RegisterKind::None, RegisterKind::Single];
        registers.extend(kinds.iter().flat_map(|w| [separate(*w, false), separate(*w, true)]));
        for kind in registers {
            let architecture = Architecture::new(3, 3).unwrap().with_registers(kind);
            let mut model = Parameters::random(architecture, 0.2, &mut stream).unwrap();
            model.registers_mut().iter_mut().for_each(|v| *v += 0.1 * stream.normal());
            let answers = Answers::of(&model, &statistics).unwrap();
            let want = batch.losses(&model).unwrap();
            for ((l, b), a) in answers.answers.indexed_iter() {
                assert!(
                    ((a - answers.truth[b]).powi(2) - want[[l, b]]).abs() < 1e-10 * (1.0 + want[[l, b]]),
                    "{kind:?}"
                );
            }
            assert_eq!(answers.errors().len(), 30);
        }
    }

    #[test]
    fn the_better_fit_is_chosen_and_bad_input_is_named() {
        let mut stream = Streams::new(9).stream("choice").unwrap();
        let law = TaskLaw::isotropic(2).unwrap();
        let statistics = Prompts::draw(&law, 5, 20, &mut stream).unwrap().statistics().unwrap();
        let still = Parameters::neutral(Architecture::new(2, 2).unwrap());
        let mut moving = still.clone();
        moving.set_a(0, &(0.3 * Array2::eye(2))).unwrap();
        let answers = [Answers::of(&still, &statistics).unwrap(), Answers::of(&moving, &statistics).unwrap()];
        let shown = answers[1].columns().unwrap();
        let error = answers[1].errors().iter().sum::<f64>() / 20.0;
        assert_eq!(shown.list[0].1, [0, 1, 2].into());
        assert!(
            matches!(&shown.list[1].1, Values::Floats(v) if v[2].is_some_and(|e| (e / error - 1.0).abs() < 1e-12)),
            "{shown:?}"
        );
        let chosen = best_in_context(&answers).unwrap();
        assert!(chosen.iter().filter(|h| **h == 1).count() > 15, "a small step helps as a rule");
        assert!(best_in_context(&[]).is_err() && final_answers(&[]).is_err());
        let other = Parameters::neutral(Architecture::new(2, 3).unwrap());
        assert!(
            Answers::of(&other, &statistics)
                .unwrap_err()
                .to_string()
                .contains("= 3 does not match the shape needed = 2;")
        );
        let block = Parameters::neutral(Architecture::new(2, 2).unwrap().with_upper_block());
        assert!(Answers::of(&block, &statistics).is_err());
        let stopped = workbench_ground::rehearsal::stop_after(0, || Answers::of(&still, &statistics));
        assert!(matches!(stopped, Err(Error::Stopped(_))));
    }
}
