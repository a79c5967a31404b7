//! The experiment of B.1 at its own size, as recipes: what is printed there, and what had to be chosen.
//!
//! | | printed | here |
//! | --- | --- | --- |
//! | data | MNIST | the 5,000 images of `mnist-28` |
//! | networks | 3 MLPs and 3 ViTs from ranges | [`NETWORKS`], drawn once from those ranges |
//! | patches of the ViTs | - | 7 x 7: sixteen patches |
//! | roll-out, batch, window | 100, 64, 5 | the same |
//! | meta-optimizer | Adam, 3e-4 | the same; gradients longer than 1 are shortened |
//! | windows | - | 10,000: 500 roll-outs, 25 minutes on a core |
//! | trainings | - | three are kept, with their curves |
//! | cell | two encoders, width 16, $r=16$, $\tau=0.1$ | the same; what else is open stands at [`Form`](crate::cell::Form) |
//! | random scaling | "proposed by \[42\]" | $e^U$, $U$ uniform on $[-3,3]$, as that paper's code |
//! | imitation | Adam at 0.03; the weight is not printed | weight 1000, as all recipes of this room: see [`hybrid`] |
//!
//! Three controls take the same windows: an LSTM of as many weights, the cell without a memory, the cell with an average of the past.

use super::recipes::{Design, IMITATION, Recipe, hybrid};
use crate::cell::{Form, Memory};
use crate::meta::Training;

/// Three MLPs, then three ViTs, drawn by [`NetworkShape::draw_mlp`](crate::tasks::NetworkShape::draw_mlp) and
/// [`draw_vit`](crate::tasks::NetworkShape::draw_vit) from the stream `"networks of B.1"` of seed 1: 13,608 to
/// 30,220 parameters.
pub const NETWORKS: [&str; 6] = [
    "mlp-25-37-sigmoid@mnist-28",
    "mlp-38-relu@mnist-28",
    "mlp-26-sigmoid@mnist-28",
    "vit-l2-h1-d43-k14-m52-p7@mnist-28",
    "vit-l3-h3-d26-k8-m63-p7@mnist-28",
    "vit-l2-h2-d31-k9-m49-p7@mnist-28",
];

/// Windows of a training.
const WINDOWS: u64 = 10_000;
/// Trainings that are kept, of the cell alone.
const SEEDS: u64 = 3;

/// The cell and its three controls.
pub(super) fn recipes() -> [Recipe; 4] {
    let document = Recipe {
        name: "document",
        title: "the experiment of B.1 at its own size: its cell, MNIST at 28 x 28, three MLPs and three ViTs",
        design: Design::Memory(Form::default()),
        training: Training { objective: hybrid(IMITATION), ..Training::default() },
        tasks: &NETWORKS,
        steps: WINDOWS,
        seeds: SEEDS,
    };
    let with = |name, title, memory| Recipe {
        name,
        title,
        design: Design::Memory(Form { memory, ..Form::default() }),
        ..document
    };
    [
        document,
        Recipe {
            name: "document-lstm",
            title: "the experiment of B.1 with an LSTM of as many weights",
            design: Design::LstmLike(Form::default()),
            ..document
        },
        with("document-no-memory", "the experiment of B.1, its cell without a memory", Memory::None),
        with(
            "document-average",
            "the experiment of B.1, its cell with an average of the past",
            Memory::Average { tau: 0.1 },
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::NetworkShape;
    use workbench_ground::stats::Streams;

    #[test]
    fn the_networks_are_drawn_from_the_ranges_of_the_document() {
        let mut stream = Streams::new(1).stream("networks of B.1").unwrap();
        let mut drawn: Vec<NetworkShape> = (0..3).map(|_| NetworkShape::draw_mlp(&mut stream)).collect();
        drawn.extend((0..3).map(|_| NetworkShape::draw_vit(&mut stream, 7)));
        let names: Vec<String> = drawn.iter().map(|shape| format!("{shape}@mnist-28")).collect();
        assert_eq!(names, NETWORKS);
    }
}
