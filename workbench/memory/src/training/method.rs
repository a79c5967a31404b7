//! A method of training: which gradient, what is done with it, at what rate and on how much data a step.

use super::rule::DescentRule;
use super::schedule::Schedule;
use workbench_ground::Error;
use workbench_ground::check::{above_zero, not_negative, positive};

const OP: &str = "Method";
/// A norm of the weights beyond which a descent counts as diverged, unless told otherwise.
const NORM_LIMIT: f64 = 1e12;

/// The data of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchSize {
    /// The expectation over the law: every input with its probability.
    Population,
    /// So many independent samples of the law.
    Samples(usize),
}

/// How the gradients of a batch are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The sum over the samples, as in Eq. 44.
    Sum,
    /// The mean over the samples, as deep-learning libraries do by default.
    Mean,
}

/// What stands in for the gradient of the cross-entropy loss.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Gradient {
    /// The gradient itself, Lemma 4.
    Exact,
    /// Its leading term $-(1-p_W(y\mid x))\,u_ye_x^\top$, Eq. 10: memories still interfere in the scores, but only right pairs are stored.
    Leading,
    /// The update of [`IdealUpdate`](crate::IdealUpdate), Eq. 11 and 45: no interference at all.
    Ideal(Ideal),
}

/// The form of the idealised update $q\leftarrow q+\frac{\gamma w}{1+e^{skq}/c}$ of an input, with w its count in the batch.
///
/// | | c | s | k |
/// | --- | --- | --- | --- |
/// | [`Ideal::printed`], Eq. 11 and 45 | $M$ | 1 | 1 |
/// | [`Ideal::corrected`] | $M-1$ | $\frac M{M-1}$ | $\lVert e_x\rVert^2$ |
///
/// The corrected form is what descent does to a pair when embeddings are orthogonal: the M - 1 other classes of x together lose what the
/// right one gains, which multiplies the gap between them by s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ideal {
    /// The constant c that divides the exponential: M as printed in Eq. 11 and 45, $M-1$ in the display after Eq. 44.
    pub competitors: f64,
    /// The factor s in the exponent.
    pub gap: f64,
    /// True: k is $\lVert e_x\rVert^2$, so that the exponent holds the score of the stored pair; false: $k=1$, as printed.
    pub with_norms: bool,
    /// True: every step moves every input by its expected count `b p(x)`, Eq. 45; false: by its count in the batch.
    pub expected_counts: bool,
}

impl Ideal {
    /// The form of Eq. 11 and 45 as printed, with the exact counts of the batch.
    pub fn printed(n_classes: usize) -> Ideal {
        Ideal { competitors: n_classes as f64, gap: 1.0, with_norms: false, expected_counts: false }
    }

    /// The form that descent follows on orthogonal embeddings, with the exact counts of the batch; needs two classes.
    pub fn corrected(n_classes: usize) -> Ideal {
        let others = n_classes as f64 - 1.0;
        Ideal { competitors: others, gap: (others + 1.0) / others, with_norms: true, expected_counts: false }
    }

    /// The same form with expected counts.
    pub fn expected(self) -> Ideal {
        Ideal { expected_counts: true, ..self }
    }
}

/// Layer normalisation of $We_x$ before it is scored.
///
/// $n=\frac{\mathrm{gain}\cdot h}{\sqrt{\mathrm{mean}(h^2)+\epsilon}}$ for $h=We_x$, after the mean of h has been taken off when `centred`.
/// There are no learned parameters. With gain 1 the norm of n is about $\sqrt d$.
///
/// **Source**: Section 3, Practical considerations. The paper does not give its form; PyTorch's is `LayerNorm::standard()`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerNorm {
    /// Whether the mean over the d coordinates is taken off first.
    pub centred: bool,
    /// Factor on the result.
    pub gain: f64,
    /// Added to the mean square, at least 0; with 0 a zero $We_x$ stays zero and has no gradient.
    pub epsilon: f64,
}

impl LayerNorm {
    /// Centred, gain 1, epsilon 1e-5.
    pub const fn standard() -> LayerNorm {
        LayerNorm { centred: true, gain: 1.0, epsilon: 1e-5 }
    }

    /// Only the rescaling of the paper's text, without centring; gain 1, epsilon 1e-5.
    pub const fn rescaling() -> LayerNorm {
        LayerNorm { centred: false, ..LayerNorm::standard() }
    }
}

/// Which numbers a descent carries from step to step. All give the same scores up to rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracked {
    /// The scores of all pairs, `(M, N)`: `2 N M` operations a sample, independent of d.
    Scores,
    /// The rows $u_y^\top W$, `(M, d)`: `4 M d` operations a sample, independent of N.
    Classes,
    /// The matrix W, `(d, d)`: needed by Adam, its sign limit and layer norm.
    Weights,
}

/// A method of training the matrix W by descent on the cross-entropy loss.
///
/// Starts from plain descent with batch one on the exact gradient, summed over the batch, for 1000 steps; every property has a setter.
///
/// **Source**: Section 3, Eq. 9 to 11, B.5 and C.
///
/// ```
/// use workbench_memory::{BatchSize, DescentRule, Method, Schedule};
/// let method = Method::sgd(10.0)?.steps(500).record(vec![0, 100, 500]);
/// let adam = Method::new(DescentRule::ADAM, Schedule::steps(0.1, 0.5, 50)?).batch(BatchSize::Samples(1000)).label("Adam");
/// assert_eq!((method.label_text(), adam.label_text()), ("Sgd", "Adam"));
/// # Ok::<(), workbench_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    pub(super) label: String,
    pub(super) rule: DescentRule,
    pub(super) schedule: Schedule,
    pub(super) gradient: Gradient,
    pub(super) batch: BatchSize,
    pub(super) reduction: Reduction,
    pub(super) layer_norm: Option<LayerNorm>,
    pub(super) tracked: Option<Tracked>,
    pub(super) norm_limit: f64,
    pub(super) moments: bool,
    pub(super) steps: usize,
    pub(super) record: Option<Vec<usize>>,
}

impl Method {
    /// A method with this rule and schedule.
    pub fn new(rule: DescentRule, schedule: Schedule) -> Method {
        let label = match rule {
            DescentRule::Sgd => "Sgd",
            DescentRule::Adam { .. } => "Adam",
            DescentRule::Sign => "Sign",
            DescentRule::Rescaled { .. } => "Rescaled",
        };
        Method {
            label: label.to_string(),
            rule,
            schedule,
            gradient: Gradient::Exact,
            batch: BatchSize::Samples(1),
            reduction: Reduction::Sum,
            layer_norm: None,
            tracked: None,
            norm_limit: NORM_LIMIT,
            moments: true,
            steps: 1000,
            record: None,
        }
    }

    /// Plain descent at a constant rate.
    pub fn sgd(rate: f64) -> Result<Method, Error> {
        Ok(Method::new(DescentRule::Sgd, Schedule::constant(rate)?))
    }

    /// Sign descent at a constant rate.
    pub fn sign(rate: f64) -> Result<Method, Error> {
        Ok(Method::new(DescentRule::Sign, Schedule::constant(rate)?))
    }

    /// The idealised updates of Eq. 11 and 45 as printed, with exact counts, at a constant rate.
    pub fn ideal(rate: f64, n_classes: usize) -> Result<Method, Error> {
        let ideal = Ideal::printed(n_classes);
        Ok(Method::sgd(rate)?.gradient(Gradient::Ideal(ideal)).label("Ideal"))
    }

    /// The name in tables and legends.
    pub fn label(self, label: &str) -> Method {
        Method { label: label.to_string(), ..self }
    }

    /// The gradient or what stands in for it.
    pub fn gradient(self, gradient: Gradient) -> Method {
        Method { gradient, ..self }
    }

    /// The data of one step.
    pub fn batch(self, batch: BatchSize) -> Method {
        Method { batch, ..self }
    }

    /// Sum or mean over the batch; the population gradient is an expectation in any case.
    pub fn reduction(self, reduction: Reduction) -> Method {
        Method { reduction, ..self }
    }

    /// Normalises $We_x$ before it is scored.
    pub fn layer_norm(self, layer_norm: LayerNorm) -> Method {
        Method { layer_norm: Some(layer_norm), ..self }
    }

    /// Another schedule.
    pub fn schedule(self, schedule: Schedule) -> Method {
        Method { schedule, ..self }
    }

    /// Which numbers to carry; without it the cheapest of those that the rule allows.
    pub fn tracking(self, tracked: Tracked) -> Method {
        Method { tracked: Some(tracked), ..self }
    }

    /// The Frobenius norm of W at which a descent is stopped as diverged; 1e12 unless told otherwise.
    pub fn norm_limit(self, norm_limit: f64) -> Method {
        Method { norm_limit, ..self }
    }

    /// Leaves out the moments of the gradient at the recorded steps (they read `NaN`); each costs as much as hundreds of short steps.
    pub fn without_moments(self) -> Method {
        Method { moments: false, ..self }
    }

    /// The number of steps of a run.
    pub fn steps(self, steps: usize) -> Method {
        Method { steps, ..self }
    }

    /// The numbers of finished steps at which a run is measured, ascending; 0 is the start. Without it only the end is.
    pub fn record(self, steps: Vec<usize>) -> Method {
        Method { record: Some(steps), ..self }
    }

    /// The name in tables and legends.
    pub fn label_text(&self) -> &str {
        &self.label
    }

    /// The steps at which a run is measured.
    pub fn recorded(&self) -> Vec<usize> {
        self.record.clone().unwrap_or_else(|| vec![self.steps])
    }

    /// Samples that one step takes; `None` for the population.
    pub fn batch_size(&self) -> Option<usize> {
        match self.batch {
            BatchSize::Population => None,
            BatchSize::Samples(b) => Some(b),
        }
    }

    /// Refuses what does not fit together.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.rule.check(OP)?;
        if let BatchSize::Samples(b) = self.batch {
            positive(OP, "batch size", b)?;
        }
        if self.norm_limit.is_nan() || self.norm_limit <= 0.0 {
            return Err(Error::parameter(OP, "norm_limit", self.norm_limit, "a number > 0"));
        }
        if let Some(norm) = &self.layer_norm {
            above_zero(OP, "gain of the layer norm", norm.gain)?;
            not_negative(OP, "epsilon of the layer norm", norm.epsilon)?;
        }
        if let Gradient::Ideal(ideal) = self.gradient {
            above_zero(OP, "competitors", ideal.competitors)?;
            above_zero(OP, "gap", ideal.gap)?;
        }
        let dense = !self.rule.is_linear() || self.layer_norm.is_some();
        if dense && matches!(self.tracked, Some(Tracked::Scores | Tracked::Classes)) {
            let instead = "use Tracked::Weights with Adam, the sign limit or layer norm";
            return Err(Error::unavailable(OP, "tracking scores or classes", instead));
        }
        if self.gradient != Gradient::Exact && (dense || self.rule != DescentRule::Sgd) {
            let instead = "use the exact gradient with any rule but plain descent";
            return Err(Error::unavailable(OP, "this gradient", instead));
        }
        if let Some(record) = &self.record {
            positive(OP, "recorded steps", record.len())?;
            for (i, &step) in record.iter().enumerate() {
                if step > self.steps || (i > 0 && record[i - 1] >= step) {
                    let allowed = "ascending steps up to the last one of the run";
                    return Err(Error::parameter(OP, "recorded step", step as f64, allowed));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_does_not_fit() {
        let sgd = || Method::sgd(1.0).unwrap();
        assert!(sgd().check().is_ok());
        assert_eq!(sgd().recorded(), vec![1000]);
        let leading = |method: Method| method.gradient(Gradient::Leading);
        for bad in [
            sgd().batch(BatchSize::Samples(0)),
            sgd().norm_limit(0.0),
            sgd().norm_limit(f64::NAN),
            sgd().steps(5).record(vec![1, 6]),
            sgd().record(vec![2, 2]),
            sgd().record(vec![]),
            sgd().layer_norm(LayerNorm { gain: 0.0, ..LayerNorm::standard() }),
            sgd().layer_norm(LayerNorm { epsilon: -1.0, ..LayerNorm::rescaling() }),
            sgd().layer_norm(LayerNorm::standard()).tracking(Tracked::Scores),
            Method::sign(1.0).unwrap().tracking(Tracked::Classes),
            leading(Method::sign(1.0).unwrap()),
            leading(Method::new(DescentRule::Rescaled { power: 1.0 }, Schedule::constant(1.0).unwrap())),
            leading(sgd().layer_norm(LayerNorm::standard())),
            Method::ideal(1.0, 0).unwrap(),
            sgd().gradient(Gradient::Ideal(Ideal::corrected(1))),
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
        assert!(Method::sgd(-1.0).is_err());
    }
}
