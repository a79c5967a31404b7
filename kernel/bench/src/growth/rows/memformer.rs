//! Memformers of the restricted form, prompts, first-order methods.

use super::{FLAT, GrowthRow, SQUARE, row};

pub const ROWS: &[GrowthRow] = &[
    row(
        ("memformer", "prompts-examples"),
        ("prompts drawn with their examples", "examples n"),
        ("memformer/src/prompts/batch.rs", "fn draw", "B (n + 2) d normals"),
        (1.0, None),
        128,
        2,
    ),
    row(
        ("memformer", "draw-prompts"),
        ("prompts drawn without their examples", "prompts B"),
        ("memformer/src/engine/draw.rs", "fn draw", "d^3 / 3 multiplications a prompt, whatever n is"),
        (1.0, None),
        4096,
        2,
    ),
    row(
        ("memformer", "draw-dim"),
        ("prompts drawn without their examples", "dimension d"),
        ("memformer/src/engine/draw.rs", "fn draw", "d^3 / 3 multiplications a prompt, whatever n is"),
        (3.0, None),
        64,
        2,
    )
    .by_half_steps(),
    row(
        ("memformer", "draw-examples"),
        ("prompts drawn without their examples", "examples n"),
        ("memformer/src/engine/draw.rs", "fn draw", "d^3 / 3 multiplications a prompt, whatever n is"),
        (0.0, FLAT),
        64,
        4,
    ),
    row(
        ("memformer", "pass-prompts"),
        ("a pass with its gradient", "prompts B"),
        ("memformer/src/engine/batch.rs", "fn loss_and_gradient", "6 L d^2 multiplications a prompt"),
        (1.0, None),
        1 << 18,
        2,
    ),
    row(
        ("memformer", "pass-dim"),
        ("a pass with its gradient", "dimension d"),
        ("memformer/src/engine/batch.rs", "fn loss_and_gradient", "6 L d^2 multiplications a prompt"),
        (2.0, None),
        64,
        2,
    )
    .by_half_steps(),
    row(
        ("memformer", "pass-layers"),
        ("a pass with its gradient", "layers L"),
        ("memformer/src/engine/batch.rs", "fn loss_and_gradient", "6 L d^2 multiplications a prompt"),
        (1.0, FLAT),
        16,
        2,
    ),
    row(
        ("memformer", "train-steps"),
        ("training", "steps T"),
        ("memformer/src/training/trainer.rs", "fn run", "for each step that of a pass with its gradient"),
        (1.0, FLAT),
        400,
        2,
    ),
    row(
        ("memformer", "forward-examples"),
        ("a prediction by the definition", "examples n"),
        ("memformer/src/model/transformer.rs", "fn predict", "L n d^2 for each head"),
        (1.0, None),
        8192,
        2,
    ),
    row(
        ("memformer", "conjugate-dim"),
        ("ten steps of conjugate gradients", "dimension d"),
        ("memformer/src/methods/conjugate.rs", "fn conjugate_gradient", "Cost K (d^2 + 5d)"),
        (2.0, SQUARE),
        256,
        2,
    ),
    row(
        ("memformer", "conjugate-steps"),
        ("conjugate gradients, d = 64", "steps K"),
        ("memformer/src/methods/conjugate.rs", "fn conjugate_gradient", "Cost K (d^2 + 5d)"),
        (1.0, None),
        64,
        2,
    ),
    row(
        ("memformer", "lfom-steps"),
        ("a method with all past gradients", "steps K"),
        ("memformer/src/methods/lfom.rs", "fn run", "O(K^2 d) for scalar and diagonal weights"),
        (2.0, None),
        128,
        2,
    ),
];
