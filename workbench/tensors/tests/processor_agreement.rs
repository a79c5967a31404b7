//! What `examples/gpu_agreement` asks of a GPU, asked of the machine's own cores.

#[path = "../examples/gpu_agreement/agreement.rs"]
mod agreement;

use agreement::{Sizes, compare, floor, seconds_per_step};
use workbench_memformer::Precision;
use workbench_tensors::Processor;

#[test]
fn this_machine_agrees_with_itself() {
    let agreements = compare(Processor::Cpu).unwrap();
    assert_eq!(agreements.len(), 12);
    for (i, agreement) in agreements.iter().enumerate() {
        assert!(agreement.holds(), "{agreement:?}");
        let precision = [Precision::Single, Precision::Double][i % 2];
        assert_eq!(agreement.precision, precision);
    }
    assert_eq!(agreements[10].model, "softmax");
    assert!(agreements.iter().any(|a| a.gradient > 0.0), "single precision rounds");
}

#[test]
fn a_difference_is_seen() {
    let mut wrong = compare(Processor::Cpu).unwrap().remove(0);
    wrong.gradient = 2.0 * wrong.tolerance;
    assert!(!wrong.holds());
    wrong.gradient = f64::INFINITY;
    assert!(!wrong.holds());
}

#[test]
fn steps_and_launches_are_timed() {
    let (seconds, operations) = seconds_per_step(Processor::Cpu, Sizes(3, 5, 2, 40), 3).unwrap();
    assert!(seconds > 0.0 && operations > 0);
    let (launch, round) = floor(Processor::Cpu).unwrap();
    assert!(launch > 0.0 && round > 0.0);
    assert!(compare(Processor::Cuda(4096)).is_err());
}
