//! The learned rule's step on wide layers beside the machine's own copy of the bytes that the step has to move.

use workbench_base::error::Result;
use workbench_base::progress;
use workbench_setup::Ready;

use super::points::{answer, example, number};

/// Coordinates of a layer, and turns of each.
const LAYERS: [(usize, usize); 2] = [(1_000_000, 15), (10_000_000, 5)];
/// Least speed of the step, as a share of the copy's.
pub const LEAST_SHARE: f64 = 0.6;
/// Most memory, in bytes.
pub const MOST_BYTES: f64 = 8.0 * 1024.0 * 1024.0 * 1024.0;

/// What was measured on one layer.
#[derive(Clone, Debug, PartialEq)]
pub struct WideLayer {
    /// Coordinates.
    pub coordinates: usize,
    /// Seconds of a step.
    pub step: f64,
    /// Seconds of a copy of the same bytes.
    pub copy: f64,
    /// Bytes that a step has to read and write.
    pub moved: f64,
    /// Most bytes that the process held, those of the copy too.
    pub bytes: f64,
}

impl WideLayer {
    /// Speed of the step as a share of the copy's.
    pub fn share(&self) -> f64 {
        self.copy / self.step
    }

    /// Whether both limits are met.
    pub fn met(&self) -> bool {
        self.share() >= LEAST_SHARE && self.bytes <= MOST_BYTES
    }
}

/// Runs both layers.
pub fn measure(ready: &Ready) -> Result<Vec<WideLayer>> {
    let mut all = Vec::new();
    for (coordinates, turns) in LAYERS {
        progress::step(&format!("a step of {coordinates} coordinates beside a copy, in turn"));
        let mut command = example(ready)?;
        let text = answer(command.args(["--copy", &coordinates.to_string(), &turns.to_string()]), "")?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let after = |name: &str| {
            let at = words.iter().position(|word| *word == name);
            number(at.and_then(|at| words.get(at + 1)).copied().unwrap_or("nothing"))
        };
        let (step, copy) = (after("step")?, after("copy")?);
        all.push(WideLayer { coordinates, step, copy, moved: after("moved")?, bytes: after("bytes")? });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_limits_decide() {
        let layer = WideLayer { coordinates: 10, step: 0.1, copy: 0.07, moved: 1e9, bytes: 7e9 };
        assert!(layer.met());
        assert!(!WideLayer { copy: 0.05, ..layer.clone() }.met());
        assert!(!WideLayer { bytes: 9e9, ..layer }.met());
    }
}
