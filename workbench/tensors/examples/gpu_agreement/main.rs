//! A GPU against the machine's own cores: the same predictions and gradients, then seconds per step.
//!
//! ```console
//! $ cargo run --features cuda --example gpu_agreement            # device 0
//! $ cargo run --features cuda --example gpu_agreement -- 1
//! ```
//!
//! Ends with status 1 when a number differs by more than the tolerance beside it. Times stand beside the device's floor: what the step's
//! operations would take if each did nothing. A step is loss and gradient; about two operations run backward for each one forward.

mod agreement;

use agreement::{Sizes, compare, floor, seconds_per_step};
use workbench_tensors::Processor;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = std::env::args().nth(1).map_or(Ok(0), |text| text.parse())?;
    let processor = Processor::Cuda(device);
    let agreements = compare(processor)?;
    println!(
        "{:<24} {:>8} {:>12} {:>12} {:>10}",
        "model", "", "predictions", "gradient", "tolerance"
    );
    for a in &agreements {
        let verdict = if a.holds() { "" } else { "  DIFFERS" };
        let precision = format!("{:?}", a.precision);
        println!(
            "{:<24} {precision:>8} {:>12.1e} {:>12.1e} {:>10.0e}{verdict}",
            a.model, a.predictions, a.gradient, a.tolerance
        );
    }
    let (launch, round) = floor(processor)?;
    println!(
        "\nfloor: {:.2} us a launch, {:.1} us a launch that is waited for",
        1e6 * launch,
        1e6 * round
    );
    for sizes in [Sizes(5, 20, 3, 20_000), Sizes(64, 256, 8, 4096)] {
        let (seconds, operations) = seconds_per_step(processor, sizes, 20)?;
        let least = 3.0 * operations as f64 * launch;
        println!(
            "{sizes:?} (d, n, L, B): {:.3} ms a step; {operations} operations forward, floor {:.3} ms",
            1e3 * seconds,
            1e3 * least
        );
    }
    if agreements.iter().all(agreement::Agreement::holds) {
        return Ok(());
    }
    Err("the device differs from the machine's own cores".into())
}
