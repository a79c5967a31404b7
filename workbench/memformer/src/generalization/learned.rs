//! Training a method on N prompts, and trying it on others.

use crate::methods::optimum::Measure;
use crate::{
    Architecture, Batch, Error, Lfom, Parameters, Precision, Quadratic, RegisterKind, RegisterWeight, TaskLaw, Trainer,
    TrainingProtocol, Weight,
};
use ndarray::{Array1, Array2};
use workbench_ground::check::{finite, positive, same_shape};
use workbench_ground::stats::Stream;
use workbench_ground::work;

/// Gradient descent with one rate, as parameters of an architecture: $A_\ell=I$, registers pass on `rate` times the newest gradient.
///
/// A start for training the weights of Eq. 3.5 alone, with preconditioners held.
///
/// **Source**: Lemma 2.1 with Eqs. 3.2 and 3.4.
/// **Errors**: no registers, a rate that is not finite.
///
/// ```
/// use workbench_memformer::{Architecture, RegisterKind, RegisterWeight, descent_parameters, method_of};
/// let registers = RegisterKind::Separate { weight: RegisterWeight::Diagonal, tied: false };
/// let start = descent_parameters(Architecture::new(2, 3)?.with_registers(registers), 0.4)?;
/// assert_eq!(start.registers()[..3], [0.4; 3]);
/// assert_eq!(method_of(&start)?.steps(), 2);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn descent_parameters(architecture: Architecture, rate: f64) -> Result<Parameters, Error> {
    const OP: &str = "descent_parameters";
    if architecture.registers() == RegisterKind::None {
        let instead = "use `with_registers`, or put the rate into A_l";
        return Err(Error::unavailable(OP, "a rate without registers", instead));
    }
    finite(OP, "the rate", &[rate])?;
    let mut parameters = Parameters::neutral(architecture);
    for l in 0..architecture.depth() {
        parameters.set_a(l, &Array2::eye(architecture.dim()))?;
    }
    let scaled = match architecture.registers() {
        // alpha only: gamma weighs the memory.
        RegisterKind::Single => architecture.depth(),
        _ => parameters.registers().len(),
    };
    parameters.registers_mut()[..scaled].iter_mut().for_each(|v| *v *= rate);
    Ok(parameters)
}

/// A restricted model as a linear first-order method: step l adds $-\Lambda_j^\ell A_j^\top\nabla R(w_j)$ for all $j\le\ell$.
///
/// **Source**: Lemma 2.1 and Eq. 3.5. **Errors**: upper blocks, which act on the covariates and make no such method.
pub fn method_of(parameters: &Parameters) -> Result<Lfom<f64>, Error> {
    const OP: &str = "method_of";
    let architecture = parameters.architecture();
    let (depth, d) = (architecture.depth(), architecture.dim());
    if architecture.upper_block() {
        let what = "a first-order method with upper blocks B_l";
        return Err(Error::unavailable(OP, what, "use a model with B = 0"));
    }
    let weight = match architecture.registers() {
        RegisterKind::Separate { weight, .. } => weight,
        _ => RegisterWeight::Scalar,
    };
    let coefficients = parameters.coefficients();
    let mut steps = Vec::with_capacity(depth);
    for l in 0..depth {
        let mut step = Vec::with_capacity(l + 1);
        for j in 0..=l {
            let row = coefficients.row(l * (l + 1) / 2 + j);
            let a = parameters.a(j)?.t().to_owned();
            step.push(Weight::Full(match weight {
                RegisterWeight::Scalar => -row[0] * a,
                RegisterWeight::Diagonal => -(&row.to_owned().insert_axis(ndarray::Axis(1)) * &a),
                RegisterWeight::Full => {
                    let full = Array2::from_shape_fn((d, d), |(i, k)| row[i * d + k]);
                    -full.dot(&a)
                }
            }));
        }
        steps.push(step);
    }
    Lfom::from_increments(steps)
}

/// The measure after 0, 1, ..., K steps of a method, for each prompt.
///
/// With [`Measure::Query`] it is the squared error of the answer with the mean over the query taken: less scatter than single queries.
///
/// **Source**: Eqs. 1.1 and 2.11.
/// **Shapes**: result `(K + 1, B)`. **Errors**: an empty batch, shapes, singular Hessians, a stop request. Cost B K^2 d^2.
///
/// ```
/// use workbench_memformer::{Lfom, Measure, Quadratic, method_losses};
/// use ndarray::array;
/// let f = Quadratic::around(array![[2.0]], &array![3.0])?;
/// let losses = method_losses(&Lfom::scalars(vec![vec![-0.25]])?, &[f], &Measure::Distance)?;
/// assert_eq!(losses, array![[9.0], [2.25]]);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn method_losses(method: &Lfom<f64>, batch: &[Quadratic<f64>], measure: &Measure) -> Result<Array2<f64>, Error> {
    const OP: &str = "method_losses";
    iterate_losses(OP, method.steps(), batch, measure, &|f| Ok(method.run(f, &f.origin())?.iterates))
}

/// The same for conjugate gradients, which compute their coefficients from each prompt.
///
/// **Source**: Eq. 2.13.
/// **Errors**: as [`method_losses`], no step.
pub fn conjugate_losses(batch: &[Quadratic<f64>], steps: usize, measure: &Measure) -> Result<Array2<f64>, Error> {
    const OP: &str = "conjugate_losses";
    iterate_losses(OP, steps, batch, measure, &|f| Ok(crate::conjugate_gradient(f, &f.origin(), steps)?.iterates))
}

type Iterates<'a> = dyn Fn(&Quadratic<f64>) -> Result<Vec<Array1<f64>>, Error> + 'a;

fn iterate_losses(
    op: &'static str,
    steps: usize,
    batch: &[Quadratic<f64>],
    measure: &Measure,
    iterates: &Iterates<'_>,
) -> Result<Array2<f64>, Error> {
    let targets = crate::methods::optimum::targets(op, batch, steps)?;
    if let Measure::Query(sigma) = measure {
        let d = batch[0].dim();
        same_shape(op, "the query covariance", sigma.shape(), &[d, d])?;
    }
    let mut out = Array2::zeros((steps + 1, batch.len()));
    for (b, f) in batch.iter().enumerate() {
        if b % 256 == 0 {
            work::check(op, b, batch.len())?;
        }
        for (k, w) in iterates(f)?.iter().enumerate() {
            out[[k, b]] = measure.value(f, &targets[b], w);
        }
    }
    Ok(out)
}

/// What training on N prompts gave.
#[derive(Clone, Debug)]
pub struct TrainedOnPrompts {
    /// The model.
    pub parameters: Parameters,
    /// Its mean loss on the prompts that it was trained on.
    pub training: f64,
    /// Its mean loss on other prompts.
    pub test: f64,
}

impl TrainedOnPrompts {
    /// ln(test / training): the generalisation gap on the scale of the document's plots.
    pub fn gap(&self) -> f64 {
        (self.test / self.training).ln()
    }
}

/// What a model is trained and tried on by [`train_on_prompts`].
#[derive(Clone, Copy, Debug)]
pub struct FixedPrompts<'a> {
    /// The law of the prompts.
    pub law: &'a TaskLaw,
    /// Number of prompts N.
    pub prompts: usize,
    /// How the model is trained; its batch size and resampling are replaced by the N prompts.
    pub protocol: &'a TrainingProtocol,
    /// Other prompts.
    pub test: &'a Batch,
}

/// Draws N prompts, trains on nothing else, and tries the result on others.
///
/// Passes are in double precision, since a few prompts can be learned down to rounding.
///
/// **Source**: Section 5, the paragraph on Fig. 11. **Errors**: N of 0, those of [`Trainer::run`], a stop request.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::*;
/// let streams = Streams::new(1);
/// let law = TaskLaw::isotropic(3)?;
/// let test = Batch::draw(&law, 10, 5000, Precision::Double, &mut streams.stream("test")?)?;
/// let registers = RegisterKind::Separate { weight: RegisterWeight::Diagonal, tied: false };
/// let start = descent_parameters(Architecture::new(2, 3)?.with_registers(registers), 0.5)?;
/// let protocol = TrainingProtocol::document().with_examples(10).with_phases(vec![Phase::new(&[Part::Registers], 500, 0.02)]);
/// let one = FixedPrompts { law: &law, prompts: 1, protocol: &protocol, test: &test };
/// let one = train_on_prompts(&start, one, &mut streams.stream("prompts")?)?;
/// assert!(one.gap() > 1.0); // one prompt is learned by heart
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn train_on_prompts(start: &Parameters, on: FixedPrompts, stream: &mut Stream) -> Result<TrainedOnPrompts, Error> {
    let FixedPrompts { law, prompts, protocol, test } = on;
    positive("train_on_prompts", "the number of prompts (N)", prompts)?;
    let draw = |stream: &mut Stream| Batch::draw(law, protocol.examples, prompts, Precision::Double, stream);
    // The trainer keeps its batch; the same stream gives the same prompts again.
    let again = &mut stream.clone();
    let batch = draw(stream)?;
    let mut trainer = Trainer::from_parameters(start.clone(), law.clone(), protocol.clone(), stream)?;
    trainer.hold(batch)?;
    if trainer.run()? == crate::RunStatus::Stopped {
        work::check("train_on_prompts", trainer.steps_taken(), protocol.steps())?;
    }
    let parameters = trainer.parameters().clone();
    Ok(TrainedOnPrompts { training: draw(again)?.loss(&parameters)?, test: test.loss(&parameters)?, parameters })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Part, Phase, Prompts, conjugate_gradient};
    use ndarray::Axis;
    use workbench_ground::stats::Streams;

    fn separate(weight: RegisterWeight) -> Architecture {
        Architecture::new(3, 3).unwrap().with_registers(RegisterKind::Separate { weight, tied: false })
    }

    #[test]
    fn models_and_their_methods_have_the_same_losses() {
        let streams = Streams::new(8);
        let law = TaskLaw::rotated(&[1.0, 0.5, 0.25], &mut streams.stream("u").unwrap()).unwrap();
        let prompts = Prompts::draw(&law, 9, 20, &mut streams.stream("p").unwrap()).unwrap();
        let statistics = prompts.statistics().unwrap();
        let batch = Batch::new(&statistics, Precision::Double).unwrap();
        let quadratics = Quadratic::of_batch(&statistics).unwrap();
        let mut stream = streams.stream("model").unwrap();
        let kinds = [
            separate(RegisterWeight::Scalar),
            separate(RegisterWeight::Diagonal),
            separate(RegisterWeight::Full),
            Architecture::new(3, 3).unwrap().with_registers(RegisterKind::Single),
            Architecture::new(3, 3).unwrap(),
        ];
        for architecture in kinds {
            let mut model = Parameters::random(architecture, 0.3, &mut stream).unwrap();
            model.registers_mut().iter_mut().for_each(|v| *v += 0.2 * stream.normal());
            let traced = batch.losses(&model).unwrap();
            let method = method_of(&model).unwrap();
            for (b, f) in quadratics.iter().enumerate() {
                let run = method.run(f, &f.origin()).unwrap();
                for (l, w) in run.iterates.iter().enumerate() {
                    let miss = &statistics.truth().row(b) - w;
                    let loss = statistics.query().row(b).dot(&miss).powi(2);
                    assert!((traced[[l, b]] - loss).abs() < 1e-10 * (1.0 + loss), "{architecture:?}");
                }
            }
        }
    }

    #[test]
    fn descent_is_descent() {
        let streams = Streams::new(9);
        let law = TaskLaw::isotropic(3).unwrap();
        let statistics = Prompts::draw(&law, 9, 5, &mut streams.stream("p").unwrap()).unwrap().statistics().unwrap();
        let batch = Quadratic::of_batch(&statistics).unwrap();
        for registers in [RegisterKind::Single, RegisterKind::Separate { weight: RegisterWeight::Full, tied: false }] {
            let architecture = Architecture::new(2, 3).unwrap().with_registers(registers);
            let mut start = descent_parameters(architecture, 0.3).unwrap();
            if registers == RegisterKind::Single {
                start.registers_mut()[2..].fill(0.0); // no memory
            }
            let losses = method_losses(&method_of(&start).unwrap(), &batch, &Measure::Distance).unwrap();
            for b in 0..5 {
                let h = statistics.gram().index_axis(Axis(0), b);
                let mut u = statistics.truth().row(b).to_owned();
                for l in 0..=2 {
                    assert!((losses[[l, b]] - u.dot(&u)).abs() < 1e-10);
                    u = &u - &(0.3 * h.dot(&u));
                }
            }
        }
        assert!(descent_parameters(Architecture::new(2, 3).unwrap(), 0.3).is_err());
        let blocks = Architecture::new(2, 3).unwrap().with_upper_block();
        assert!(method_of(&Parameters::neutral(blocks)).is_err());
    }

    #[test]
    fn conjugate_gradients_solve_each_prompt() {
        let law = TaskLaw::isotropic(3).unwrap();
        let statistics =
            Prompts::draw(&law, 9, 5, &mut Streams::new(9).stream("p").unwrap()).unwrap().statistics().unwrap();
        let batch = Quadratic::of_batch(&statistics).unwrap();
        let losses = conjugate_losses(&batch, 3, &Measure::Query(Array2::eye(3))).unwrap();
        assert!(losses.row(3).iter().all(|l| *l < 1e-20) && losses.row(2).iter().all(|l| *l > 1e-20));
        let own = conjugate_gradient(&batch[1], &batch[1].origin(), 1).unwrap().coefficients.unrolled().unwrap();
        let alone = method_losses(&own, &batch[1..2], &Measure::Distance).unwrap();
        let there = conjugate_losses(&batch, 1, &Measure::Distance).unwrap();
        assert!((alone[[1, 0]] - there[[1, 1]]).abs() < 1e-12);
        assert!(conjugate_losses(&[], 3, &Measure::Loss).is_err());
        assert!(conjugate_losses(&batch, 3, &Measure::Query(Array2::eye(2))).is_err());
    }

    #[test]
    fn many_prompts_leave_no_gap() {
        let streams = Streams::new(10);
        let law = TaskLaw::isotropic(3).unwrap();
        let test = Batch::draw(&law, 10, 20_000, Precision::Double, &mut streams.stream("test").unwrap()).unwrap();
        let start = descent_parameters(separate(RegisterWeight::Diagonal), 0.5).unwrap();
        let protocol = TrainingProtocol::document()
            .with_examples(10)
            .with_phases(vec![Phase::new(&[Part::Registers], 400, 0.02).halving_every(200)]);
        let train = |prompts: usize| {
            let on = FixedPrompts { law: &law, prompts, protocol: &protocol, test: &test };
            let mut stream = streams.restart("prompts").unwrap();
            train_on_prompts(&start, on, &mut stream)
        };
        let gap = |prompts: usize| train(prompts).unwrap().gap();
        let (few, many) = (gap(2), gap(5000));
        assert!(few > 1.0 && many.abs() < 0.2, "{few} {many}");
        let stopped = workbench_ground::rehearsal::stop_after(30, || train(10));
        assert!(matches!(stopped, Err(Error::Stopped(_))));
    }
}
