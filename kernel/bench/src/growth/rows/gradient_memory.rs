//! Gradient steps as memories.

use super::{FLAT, GrowthRow, LINEAR, SQUARE, row};

pub const ROWS: &[GrowthRow] = &[
    row(
        ("gradient memory", "step-examples"),
        ("a gradient step", "examples n"),
        ("gradient_memory/src/rule.rs", "fn step", "Cost O(n d_v d_k)"),
        (1.0, LINEAR),
        8192,
        2,
    ),
    row(
        ("gradient memory", "recursive-dim"),
        ("a step of recursive least squares", "dimension d"),
        ("gradient_memory/src/rules/recursive.rs", "struct RecursiveLeastSquares", "O(n d_k (d_v + d_k))"),
        (2.0, SQUARE),
        256,
        2,
    ),
    row(
        ("gradient memory", "stream-steps"),
        ("a stream of pairs, all memories kept", "steps T"),
        ("gradient_memory/src/stream.rs", "fn run_stream", "O(T d_v d_k) memory"),
        (1.0, LINEAR),
        1024,
        2,
    ),
    row(
        ("gradient memory", "retention-pairs"),
        ("retention by age", "pairs T"),
        ("gradient_memory/src/retention.rs", "fn retention_by_age", "O(runs pairs d_v d_k)"),
        (1.0, None),
        512,
        2,
    ),
    row(
        ("gradient memory", "retention-runs"),
        ("retention by age", "runs"),
        ("gradient_memory/src/retention.rs", "fn retention_by_age", "O(runs pairs d_v d_k)"),
        (1.0, FLAT),
        4,
        2,
    ),
    row(
        ("gradient memory", "descend-examples"),
        ("twenty steps of accelerated descent", "examples n"),
        ("gradient_memory/src/optimum.rs", "fn descend", "O(n d_v d_k) for each step"),
        (1.0, None),
        1024,
        2,
    ),
    row(
        ("gradient memory", "pseudo-inverse-examples"),
        ("the memory of least squares", "examples n"),
        ("gradient_memory/src/optimum.rs", "fn pseudo_inverse_memory", "Cost O(n^2 d_k) time and n^2 numbers"),
        (2.0, SQUARE),
        2048,
        2,
    )
    .by_half_steps(),
    row(
        ("gradient memory", "pseudo-inverse-many"),
        ("the memory of least squares, many pairs", "examples n"),
        ("gradient_memory/src/optimum.rs", "fn pseudo_inverse_memory", "O(n d_k^2) and O(n d_k) memory"),
        (1.0, LINEAR),
        1 << 18,
        2,
    )
    .by_half_steps(),
    row(
        ("gradient memory", "ridge-examples"),
        ("the ridge memory", "examples n"),
        ("gradient_memory/src/optimum.rs", "fn ridge_memory", "O((n + d_k) d_k (d_k + d_v))"),
        (1.0, LINEAR),
        8192,
        2,
    ),
    row(
        ("gradient memory", "ridge-dim"),
        ("the ridge memory, n = d", "dimension d"),
        ("gradient_memory/src/optimum.rs", "fn ridge_memory", "O((n + d_k) d_k (d_k + d_v))"),
        (3.0, None),
        128,
        2,
    ),
];
