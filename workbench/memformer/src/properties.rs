//! Properties of any shape, any law and any fraction: fused passes against the definition, adjoints against complex steps.

use ndarray::{Array1, Array2};
use proptest::prelude::*;
use workbench_ground::stats::{Stream, Streams, normal_array2};

use crate::*;

fn stream(seed: u64) -> Stream {
    Streams::new(seed).stream("property").unwrap()
}

fn registers() -> impl Strategy<Value = RegisterKind> {
    let weight = prop_oneof![Just(RegisterWeight::Scalar), Just(RegisterWeight::Diagonal), Just(RegisterWeight::Full)];
    prop_oneof![
        Just(RegisterKind::None),
        Just(RegisterKind::Single),
        (weight, any::<bool>()).prop_map(|(weight, tied)| RegisterKind::Separate { weight, tied }),
    ]
}

/// A model in which no parameter is zero or one.
fn model(registers: RegisterKind, upper: bool, depth: usize, d: usize, stream: &mut Stream) -> Parameters {
    let mut of = Architecture::new(depth, d).unwrap().with_registers(registers);
    let scalar =
        !matches!(registers, RegisterKind::Separate { weight: RegisterWeight::Diagonal | RegisterWeight::Full, .. });
    if upper && scalar {
        of = of.with_upper_block();
    }
    let mut model = Parameters::random(of, 0.2, stream).unwrap();
    model.values_mut().iter_mut().for_each(|v| *v += 0.1 * stream.normal());
    model
}

fn prompts(d: usize, n: usize, batch: usize, stream: &mut Stream) -> Prompts {
    let spectrum: Vec<f64> = (0..d).map(|_| 0.3 + stream.uniform()).collect();
    Prompts::draw(&TaskLaw::rotated(&spectrum, stream).unwrap(), n, batch, stream).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The fused loss is that of the definition, and its gradient that of differences along a random direction.
    #[test]
    fn fused_passes_are_the_definition(
        seed: u64, kind in registers(), upper: bool, depth in 1usize..5, d in 1usize..8, n in 1usize..12, batch in 1usize..40
    ) {
        let mut stream = stream(seed);
        let prompts = prompts(d, n, batch, &mut stream);
        let model = model(kind, upper, depth, d, &mut stream);
        let fused = Batch::new(&prompts.statistics()?, Precision::Double)?;
        let (loss, gradient) = fused.loss_and_gradient(&model)?;
        // Weights that act on the gradient's coordinates have no transformer; their gradient is checked all the same.
        if let Ok(transformer) = model.transformer(n) {
            let definition = transformer.loss(&prompts)?;
            prop_assert!((loss - definition).abs() <= 1e-10 * (1.0 + definition), "{loss} against {definition}");
        }
        prop_assert!((fused.loss(&model)? - loss).abs() <= 1e-13 * loss);

        let along: Vec<f64> = model.values().iter().map(|_| stream.normal()).collect();
        let moved = |h: f64| -> Result<f64, Error> {
            let mut moved = model.clone();
            moved.values_mut().iter_mut().zip(&along).for_each(|(v, a)| *v += h * a);
            fused.loss(&moved)
        };
        let h = 1e-5;
        let difference = (moved(h)? - moved(-h)?) / (2.0 * h);
        let slope: f64 = gradient.values().iter().zip(&along).map(|(g, a)| g * a).sum();
        let size: f64 = gradient.values().iter().map(|g| g.abs()).sum();
        prop_assert!((slope - difference).abs() <= 1e-5 * (1.0 + size + loss), "{slope} against {difference}");
    }

    /// Each set of instructions gives the same numbers up to rounding, in either precision.
    #[test]
    fn instructions_agree(seed: u64, kind in registers(), depth in 1usize..4, d in 1usize..7, batch in 1usize..40) {
        let mut stream = stream(seed);
        let statistics = prompts(d, 8, batch, &mut stream).statistics()?;
        let model = model(kind, false, depth, d, &mut stream);
        let right = Batch::new(&statistics, Precision::Double)?.loss(&model)?;
        for instructions in [Instructions::Avx512, Instructions::Avx2, Instructions::Portable] {
            for (precision, tolerance) in [(Precision::Double, 1e-11), (Precision::Single, 1e-2)] {
                if instructions.available() {
                    let loss = Batch::with_instructions(&statistics, precision, instructions)?.loss(&model)?;
                    prop_assert!((loss - right).abs() <= tolerance * (right + 0.1), "{instructions:?} {precision:?}");
                }
            }
        }
    }

    #[test]
    fn adjoints_are_complex_steps(seed: u64, depth in 1usize..4, d in 1usize..4, n in 1usize..5) {
        let mut stream = stream(seed);
        let mut matrix = || 0.3 * normal_array2(&mut stream, d + 1, d + 1);
        let layers: Vec<Head> = (0..depth).map(|_| Head::new(matrix(), matrix())).collect::<Result<_, _>>()?;
        let z = normal_array2(&mut stream, d + 1, n + 1);
        let (exact, stepped) = (prediction_gradients(&layers, &z)?, complex_step_gradients(&layers, &z)?);
        prop_assert!(relative_difference(&exact, &stepped) < 1e-10);
    }

    #[test]
    fn rotations_keep_the_spectrum(seed: u64, d in 1usize..12) {
        let mut stream = stream(seed);
        let spectrum: Vec<f64> = (0..d).map(|_| 0.1 + stream.uniform()).collect();
        let law = TaskLaw::rotated(&spectrum, &mut stream)?;
        let trace: f64 = spectrum.iter().sum();
        prop_assert!((law.covariance().diag().sum() - trace).abs() < 1e-12 * trace);
        let identity = law.covariance().dot(law.truth_covariance());
        prop_assert!((identity - Array2::<f64>::eye(d)).iter().all(|v| v.abs() < 1e-11));
        let factor = law.factor();
        prop_assert!((factor.dot(&factor.t()) - law.covariance()).iter().all(|v| v.abs() < 1e-13));
    }

    /// d steps of conjugate gradients solve a system in d dimensions, in fractions without tolerance.
    #[test]
    fn conjugate_gradients_end(seed: u64, d in 1usize..5) {
        let mut stream = stream(seed);
        let x = fraction_matrix(&mut stream, d, d);
        let y = fraction_vector(&mut stream, d);
        let f = Quadratic::of_prompt(&x, &y)?;
        if rank(&x) == d {
            let run = conjugate_gradient(&f, &f.origin(), d)?.into_run();
            let zero = Array1::from_elem(d, Fraction::zero());
            prop_assert_eq!(f.gradient(run.iterates.last().unwrap()), zero);
        }
    }

    /// Fractions of floats are those floats, and a quotient is the nearest float of itself.
    #[test]
    fn fractions_are_the_nearest_floats(numerator in -(1i64 << 53)..(1i64 << 53), denominator in 1i64..(1i64 << 53)) {
        let (x, y) = (Fraction::whole(numerator), Fraction::whole(denominator));
        prop_assert_eq!(x.to_f64(), numerator as f64);
        let quotient = x.over(&y).unwrap();
        // Division of floats rounds correctly.
        prop_assert_eq!(quotient.to_f64(), numerator as f64 / denominator as f64);
        prop_assert_eq!(quotient.times(&y), x);
    }
}
