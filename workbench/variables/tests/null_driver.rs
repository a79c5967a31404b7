//! Steps on variables of a device that is this machine's memory (`workbench/tensors/tests/null_driver/`): the numbers of the machine's own
//! cores, nothing opened on the way, a lost device and too little memory as errors that leave the variables alone.

#[path = "../examples/device_door/steps.rs"]
mod steps;

use candle_core::{DType, Device};
use steps::{Model, adam, both};
use workbench_variables::ModelOptimizer;

unsafe extern "C" {
    safe fn null_driver_computes(yes: i32);
    safe fn null_driver_fails(after: i64, code: i32);
    fn null_driver_counts(out: *mut u64);
}

/// Handles, contexts, streams and kernels that the driver does not know, as `cuda.c` counts them.
fn opened() -> [u64; 4] {
    let mut counts = [0; 15];
    // SAFETY: the driver writes fifteen numbers.
    unsafe { null_driver_counts(counts.as_mut_ptr()) };
    [9, 10, 11, 14].map(|which| counts[which])
}

#[test]
fn steps_on_a_device_are_those_on_the_cores() {
    null_driver_computes(1);
    let device = Device::new_cuda(0).unwrap();
    let before = opened();
    let all = both(&device).unwrap();
    assert_eq!(all.len(), 4);
    for steps in &all {
        let (rule, dtype, differ) = (steps.rule, steps.dtype, steps.differ);
        assert!(differ == 0 && steps.moved > 0.0, "{rule}, {dtype:?}: {differ}");
    }
    // Every kernel is one that the driver computes, and nothing is opened on the way.
    assert_eq!(opened(), before);
    assert_eq!(before[3], 0);

    // A device that is lost in a step is an error with the operation, and the optimizer says so until it is restored.
    const LAUNCH_FAILED: i32 = 719;
    let model = Model::new(&device, DType::F32).unwrap();
    let mut optimizer = ModelOptimizer::all(model.variables.clone(), adam).unwrap();
    let (loss, before) = (model.loss().unwrap(), model.numbers().unwrap());
    null_driver_fails(0, LAUNCH_FAILED);
    let error = optimizer.backward_step(&loss).unwrap_err().to_string();
    null_driver_fails(-1, 0);
    assert!(error.contains("ModelOptimizer::") && !error.contains("panicked"), "{error}");
    assert_eq!(model.numbers().unwrap(), before);
    assert_eq!(optimizer.steps(), 0);
}
