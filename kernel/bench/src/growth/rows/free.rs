//! Memformers with free P and Q.

use super::{GrowthRow, row};

pub const ROWS: &[GrowthRow] = &[
    row(
        ("free P and Q", "free-prompts"),
        ("a pass with its gradient", "prompts B"),
        ("tensors/src/batch.rs", "fn loss_and_gradient", "L (6 H d^3 + 5 n d^2) multiplications a prompt"),
        (1.0, None),
        16_384,
        16.0,
    ),
    row(
        ("free P and Q", "free-layers"),
        ("a pass with its gradient", "layers L"),
        ("tensors/src/batch.rs", "fn loss_and_gradient", "L (6 H d^3 + 5 n d^2) multiplications a prompt"),
        (1.0, None),
        16,
        16.0,
    ),
    row(
        ("free P and Q", "free-examples"),
        ("a pass with its gradient, n > d", "examples n"),
        ("tensors/src/batch.rs", "fn loss_and_gradient", "L (6 H + 5) d^3 without registers and with n > d"),
        (0.0, None),
        1024,
        16.0,
    ),
    row(
        ("free P and Q", "free-dim"),
        ("a pass with its gradient, n = d", "dimension d"),
        ("tensors/src/batch.rs", "fn loss_and_gradient", "L (6 H d^3 + 5 n d^2) multiplications a prompt"),
        (3.0, None),
        512,
        4.0,
    ),
];
