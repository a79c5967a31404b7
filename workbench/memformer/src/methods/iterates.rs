//! The iterates that a restricted model runs through on one prompt.

use ndarray::{Array1, Array2, ArrayView1};

use super::lfom::Trajectory;
use super::quadratic::Quadratic;
use crate::{Error, Parameters, RegisterKind, RegisterWeight};
use workbench_ground::check::same_shape;
use workbench_ground::work;

impl Parameters {
    /// $w_0=0$ to $w_L$ of the model on a prompt with loss `f`, and the gradients of Eq. 2.11 at the first L of them.
    ///
    /// $$ w_{\ell+1}=w_\ell-\sum_{j\le\ell}\Lambda_j^\ell\rho_j,\qquad\rho_\ell=M_\ell^\top A_\ell^\top M_\ell\nabla f(w_\ell),\qquad
    /// M_{\ell+1}=M_\ell-\sum_{j\le\ell}\Lambda_j^\ell B_jM_jHM_j^\top A_jM_j $$
    ///
    /// Without B every $M_\ell$ is the identity; with B the covariates change.
    ///
    /// **Source**: Lemma 2.1 with Eqs. 3.2 and 3.4; the prediction after l layers is $\langle w_\ell,x^{(n+1)}\rangle$. **Errors**: a
    /// prompt of another dimension, B together with weights that are not scalar, a stop request. Cost L^2 d + L d^2 multiplications; with B, L d^3.
    ///
    /// ```
    /// use workbench_memformer::{Architecture, Parameters, Quadratic};
    /// use ndarray::array;
    /// let f = Quadratic::around(array![[2.0]], &array![1.0])?;
    /// let mut model = Parameters::neutral(Architecture::new(2, 1)?);
    /// model.set_a(0, &array![[0.25]])?;
    /// model.set_a(1, &array![[0.5]])?;
    /// assert_eq!(model.run(&f)?.iterates, [array![0.0], array![0.5], array![1.0]]);
    /// # Ok::<(), workbench_memformer::Error>(())
    /// ```
    pub fn run(&self, f: &Quadratic<f64>) -> Result<Trajectory<f64>, Error> {
        const OP: &str = "Parameters::run";
        let (architecture, d) = (self.architecture(), f.dim());
        same_shape(OP, "the prompt's Hessian", &[d], &[architecture.dim()])?;
        let weight = match architecture.registers() {
            RegisterKind::Separate { weight, .. } => weight,
            _ => RegisterWeight::Scalar,
        };
        architecture.check(OP)?;
        let coefficients = self.coefficients();
        let mut run = Trajectory { iterates: vec![f.origin()], gradients: Vec::new() };
        let mut map = Array2::eye(d);
        let (mut steps, mut changes): (Vec<Array1<f64>>, Vec<Array2<f64>>) = (Vec::new(), Vec::new());
        for l in 0..architecture.depth() {
            work::check(OP, l, architecture.depth())?;
            let a = self.a(l)?;
            let gradient = f.gradient(&run.iterates[l]);
            if architecture.upper_block() {
                let preconditioned = a.dot(&map);
                steps.push(map.t().dot(&a.t().dot(&map.dot(&gradient))));
                let gram = map.dot(&f.hessian).dot(&map.t());
                changes.push(self.b(l)?.dot(&gram.dot(&preconditioned)));
            } else {
                steps.push(a.t().dot(&gradient));
            }
            run.gradients.push(gradient);
            let mut next = run.iterates[l].clone();
            for (j, step) in steps.iter().enumerate() {
                let lambda = coefficients.row(l * (l + 1) / 2 + j);
                next -= &weighted(weight, lambda, step);
                if let Some(change) = changes.get(j) {
                    map.scaled_add(-lambda[0], change);
                }
            }
            run.iterates.push(next);
        }
        Ok(run)
    }
}

/// Lambda times a step.
fn weighted(weight: RegisterWeight, lambda: ArrayView1<f64>, step: &Array1<f64>) -> Array1<f64> {
    let d = step.len();
    match weight {
        RegisterWeight::Scalar => lambda[0] * step,
        RegisterWeight::Diagonal => &lambda * step,
        RegisterWeight::Full => Array1::from_shape_fn(d, |i| (0..d).map(|k| lambda[i * d + k] * step[k]).sum()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Batch, Part, Precision, Prompts, TaskLaw};
    use workbench_ground::stats::Streams;

    /// The engine's squared errors are those of the iterates, for every kind of model.
    #[test]
    fn iterates_predict_what_the_engine_predicts() {
        let streams = Streams::new(3);
        let law = TaskLaw::rotated(&[1.0, 0.5, 0.8], &mut streams.stream("law").unwrap()).unwrap();
        let statistics =
            Prompts::draw(&law, 7, 9, &mut streams.stream("prompts").unwrap()).unwrap().statistics().unwrap();
        let batch = Batch::new(&statistics, Precision::Double).unwrap();
        let quadratics = Quadratic::of_batch(&statistics).unwrap();
        let plain = Architecture::new(3, 3).unwrap();
        let separate = |weight, tied| plain.with_registers(RegisterKind::Separate { weight, tied });
        for (i, architecture) in [
            plain,
            plain.with_registers(RegisterKind::Single),
            separate(RegisterWeight::Scalar, true),
            separate(RegisterWeight::Scalar, false),
            separate(RegisterWeight::Diagonal, false),
            separate(RegisterWeight::Full, true),
            plain.with_upper_block(),
            separate(RegisterWeight::Scalar, true).with_upper_block(),
            plain.with_registers(RegisterKind::Single).with_upper_block(),
        ]
        .into_iter()
        .enumerate()
        {
            let mut stream = streams.replicate("model", i).unwrap();
            let mut model = Parameters::random(architecture, 0.2, &mut stream).unwrap();
            for v in &mut model.values_mut()[architecture.range(Part::Registers)] {
                *v += 0.3 * stream.normal();
            }
            let want = batch.losses(&model).unwrap();
            for (b, f) in quadratics.iter().enumerate() {
                let run = model.run(f).unwrap();
                for (l, w) in run.iterates.iter().enumerate() {
                    let miss = (w - &statistics.truth().row(b)).dot(&statistics.query().row(b));
                    let want = want[[l, b]];
                    assert!((miss * miss - want).abs() < 1e-11 * (1.0 + want), "{architecture:?} {l}");
                }
            }
        }
    }

    #[test]
    fn what_it_cannot_run_is_named() {
        let weight = RegisterWeight::Full;
        let model = Parameters::neutral(
            Architecture::new(2, 2)
                .unwrap()
                .with_registers(RegisterKind::Separate { weight, tied: true })
                .with_upper_block(),
        );
        let f = |d: usize| Quadratic::around(Array2::eye(d), &Array1::ones(d)).unwrap();
        assert!(model.run(&f(2)).unwrap_err().to_string().contains("scalar weights"));
        assert!(model.run(&f(3)).unwrap_err().to_string().contains("= 3 does not match the shape needed = 2;"));
    }
}
