//! Learned and classical optimizers.

use super::{GrowthRow, LINEAR, row};

pub const ROWS: &[GrowthRow] = &[
    row(
        ("optimizer", "adam-coordinates"),
        ("a step of Adam", "coordinates p"),
        ("optimizer/src/optimizer.rs", "fn step", "**Cost** O(p) on p numbers"),
        (1.0, LINEAR),
        1 << 20,
        4.0,
    ),
    row(
        ("optimizer", "light-coordinates"),
        ("a step of the light learned rule", "coordinates p"),
        ("optimizer/src/learned.rs", "struct Learned", "**Cost** that of the cell for each unit"),
        (1.0, LINEAR),
        1 << 16,
        16.0,
    ),
    row(
        ("optimizer", "default-coordinates"),
        ("a step of the document's learned rule", "coordinates p"),
        ("optimizer/src/learned.rs", "struct Learned", "**Cost** that of the cell for each unit"),
        (1.0, LINEAR),
        1 << 15,
        16.0,
    ),
    row(
        ("optimizer", "practical-coordinates"),
        ("a step of the practical rule", "coordinates p"),
        ("optimizer/src/learned.rs", "struct Learned", "**Cost** that of the cell for each unit"),
        (1.0, LINEAR),
        1 << 16,
        16.0,
    ),
    row(
        ("optimizer", "light-features"),
        ("a step of the light learned rule", "features r"),
        ("optimizer/src/cell/memory/mod.rs", "Compact", "a step costs some $4rd$ multiplications"),
        (1.0, None),
        4096,
        16.0,
    ),
    row(
        ("optimizer", "window-steps"),
        ("a window of meta-training with its adjoint", "steps T"),
        ("optimizer/src/meta/rollout.rs", "fn window", "O(T^2 (r + d)) for each coordinate"),
        (2.0, None),
        256,
        4.0,
    ),
    row(
        ("optimizer", "window-coordinates"),
        ("a window of five steps with its adjoint", "coordinates p"),
        ("optimizer/src/meta/rollout.rs", "fn window", "for each coordinate"),
        (1.0, None),
        8192,
        16.0,
    ),
    row(
        ("optimizer", "save-numbers"),
        ("a state to bytes", "numbers"),
        ("optimizer/src/saved.rs", "fn to_bytes", "**Cost** O(numbers)"),
        (1.0, LINEAR),
        1 << 18,
        16.0,
    ),
    row(
        ("optimizer", "load-numbers"),
        ("a state from bytes", "numbers"),
        ("optimizer/src/saved.rs", "fn from_bytes", "**Cost** O(bytes)"),
        (1.0, LINEAR),
        1 << 18,
        16.0,
    ),
];
