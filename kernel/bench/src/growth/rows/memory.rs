//! Associative memories.

use super::{FLAT, GrowthRow, LINEAR, row};

const FIELD: &str = "memory/src/generalization/regenerated.rs";
const STORE: &str = "memory/src/store/associative_memory.rs";

pub const ROWS: &[GrowthRow] = &[
    row(
        ("memory", "error-inputs"),
        ("exact error of one memory, d = 128", "inputs N"),
        (FIELD, "fn generalization_error", "linear in N and in d"),
        (1.0, LINEAR),
        1_000_000,
        100.0,
    ),
    row(
        ("memory", "error-dim"),
        ("exact error of one memory, N = 131,072", "dimension d"),
        (FIELD, "fn generalization_error", "linear in N and in d"),
        (1.0, None),
        256,
        16.0,
    ),
    row(
        ("memory", "store-inputs"),
        ("storing pairs, d = 256", "inputs N"),
        (STORE, "fn store", "Cost: `N d`"),
        (1.0, LINEAR),
        16_384,
        16.0,
    ),
    row(
        ("memory", "scores-inputs"),
        ("scores of all inputs, d = 256", "inputs N"),
        (STORE, "fn scores", "Cost: `N M d + N M^2`"),
        (1.0, LINEAR),
        15_000,
        16.0,
    ),
    row(
        ("memory", "recall-inputs"),
        ("which inputs are recalled", "inputs N"),
        ("memory/src/generalization/recall.rs", "fn run", "`N d_max` Gaussians and `N M d` operations"),
        (1.0, None),
        1000,
        16.0,
    ),
    row(
        ("memory", "recall-runs"),
        ("which inputs are recalled", "draws"),
        ("memory/src/generalization/recall.rs", "fn run", "Cost per run"),
        (1.0, FLAT),
        16,
        16.0,
    ),
    row(
        ("memory", "experiment-inputs"),
        ("simulated errors", "inputs N"),
        ("memory/src/generalization/experiment.rs", "fn run", "`4 N M d` operations"),
        (1.0, None),
        256,
        8.0,
    ),
    row(
        ("memory", "experiment-runs"),
        ("simulated errors", "draws"),
        ("memory/src/generalization/experiment.rs", "fn run", "Cost per run"),
        (1.0, FLAT),
        16,
        16.0,
    ),
    row(
        ("memory", "conditional-draws"),
        ("expected error given the outputs", "draws"),
        ("memory/src/generalization/expected_error.rs", "fn expected_error", "`n_draws (M^3 + groups)`"),
        (1.0, None),
        500,
        16.0,
    ),
    row(
        ("memory", "training-steps"),
        ("descent with batch one", "steps T"),
        ("memory/src/training/run.rs", "fn advance", "`steps` times that of one"),
        (1.0, FLAT),
        16_384,
        16.0,
    ),
    row(
        ("memory", "learned-steps"),
        ("descent of memory and embeddings", "steps T"),
        ("memory/src/training/learned_training.rs", "fn run", "`steps (M d^2 + (distinct inputs of a batch) M d)`"),
        (1.0, FLAT),
        64,
        16.0,
    ),
    row(
        ("memory", "learned-dim"),
        ("descent of memory and embeddings", "dimension d"),
        ("memory/src/training/learned_training.rs", "fn run", "`steps (M d^2 + (distinct inputs of a batch) M d)`"),
        (2.0, None),
        256,
        16.0,
    ),
    row(
        ("memory", "zipf-draws"),
        ("counts of a sample, alpha = 2", "samples T"),
        ("memory/src/data/zipf.rs", "fn sample_counts", "the cost grows as $t^{1/\\alpha}$"),
        (0.5, None),
        4_000_000,
        256.0,
    ),
];
