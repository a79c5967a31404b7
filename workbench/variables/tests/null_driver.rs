//! Steps on variables of a device that is this machine's memory (`workbench/tensors/tests/null_driver/`): the numbers of the machine's own
//! cores, nothing opened on the way, a lost device and too little memory as errors that leave the variables alone.

use candle_core::{DType, Device, Tensor, Var};
use workbench_ground::stats::Streams;
use workbench_optimizer::cell::{Cell, Form, Mnemosyne};
use workbench_optimizer::classical::{Adam, AdamSettings};
use workbench_optimizer::{Error, Layout, Learned};
use workbench_variables::ModelOptimizer;

unsafe extern "C" {
    safe fn null_driver_computes(yes: i32);
    safe fn null_driver_fails(after: i64, code: i32);
    fn null_driver_counts(out: *mut u64);
}

/// Modules, handles, contexts, streams and kernels that the driver does not know, as `cuda.c` counts them.
fn opened() -> [u64; 5] {
    let mut counts = [0; 15];
    // SAFETY: the driver writes fifteen numbers.
    unsafe { null_driver_counts(counts.as_mut_ptr()) };
    [8, 9, 10, 11, 14].map(|which| counts[which])
}

fn adam(layout: Layout) -> Result<Adam, Error> {
    Adam::new(layout, AdamSettings::default())
}

fn learned(layout: Layout) -> Result<Learned<Mnemosyne>, Error> {
    let cell = Mnemosyne::new(Form::light())?;
    let weights = cell.start(&mut Streams::new(2).restart("weights")?)?;
    Learned::fused(cell, weights, layout)
}

/// Two variables, and the factors of a loss that is linear in them.
struct Model {
    variables: [(&'static str, Var); 2],
    factors: [Tensor; 2],
}

impl Model {
    fn new(device: &Device, dtype: DType) -> Model {
        let mut noise = Streams::new(4).stream("model").unwrap();
        let mut draw = |rows: usize, columns: usize| {
            let all: Vec<f64> = (0..rows * columns).map(|_| noise.normal()).collect();
            let all = Tensor::from_vec(all, (rows, columns), &Device::Cpu).unwrap();
            all.to_dtype(dtype).unwrap().to_device(device).unwrap()
        };
        let var = |tensor: Tensor| Var::from_tensor(&tensor).unwrap();
        Model {
            variables: [("weight", var(draw(3, 5))), ("bias", var(draw(1, 4)))],
            factors: [draw(3, 5), draw(1, 4)],
        }
    }

    fn loss(&self) -> Tensor {
        let part = |i: usize| self.variables[i].1.mul(&self.factors[i])?.sum_all();
        part(0).and_then(|one| one + part(1)?).unwrap()
    }

    fn numbers(&self) -> Vec<f64> {
        let of = |(_, var): &(&str, Var)| -> Vec<f64> {
            let flat = var.flatten_all().unwrap().to_device(&Device::Cpu).unwrap();
            flat.to_dtype(DType::F64).unwrap().to_vec1().unwrap()
        };
        self.variables.iter().flat_map(of).collect()
    }
}

#[test]
fn steps_on_a_device_are_those_on_the_cores() {
    null_driver_computes(1);
    let device = Device::new_cuda(0).unwrap();
    let mut counts = None;
    for dtype in [DType::F32, DType::F64] {
        for rule in 0..2 {
            let run = |device: &Device| {
                let model = Model::new(device, dtype);
                let variables = model.variables.clone();
                let optimizer = match rule {
                    0 => ModelOptimizer::all(variables, adam),
                    _ => ModelOptimizer::all(variables, learned),
                };
                (model, optimizer.unwrap())
            };
            let ((own, mut on_cores), (there, mut on_device)) = (run(&Device::Cpu), run(&device));
            let start = own.numbers();
            for _ in 0..20 {
                on_cores.backward_step(&own.loss()).unwrap();
                on_device.backward_step(&there.loss()).unwrap();
            }
            assert_ne!(own.numbers(), start);
            assert_eq!(there.numbers(), own.numbers(), "{dtype:?}, rule {rule}");
        }
        // Modules are loaded once for each type of numbers; nothing else is opened after the first steps.
        let [_, handles, contexts, streams, unknown] = opened();
        assert_eq!(unknown, 0, "every kernel is one that the driver computes");
        assert_eq!(
            *counts.get_or_insert([handles, contexts, streams]),
            [handles, contexts, streams]
        );
    }

    // A device that is lost in a step is an error with the operation, and the optimizer says so until it is restored.
    const LAUNCH_FAILED: i32 = 719;
    let model = Model::new(&device, DType::F32);
    let mut optimizer = ModelOptimizer::all(model.variables.clone(), adam).unwrap();
    let (loss, before) = (model.loss(), model.numbers());
    null_driver_fails(0, LAUNCH_FAILED);
    let error = optimizer.backward_step(&loss).unwrap_err().to_string();
    null_driver_fails(-1, 0);
    assert!(
        error.contains("ModelOptimizer::") && !error.contains("panicked"),
        "{error}"
    );
    assert_eq!(model.numbers(), before);
    assert_eq!(optimizer.steps(), 0);
}
