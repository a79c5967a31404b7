//! Tables 1, 2 and 4 as printed, and what counts as meeting a printed number of parameters.

use workbench_ledger::{Failure, Margin};
use workbench_optimizer::counts::{VitReading, VitShape};

/// A printed number of millions.
pub const MILLION: Margin =
    Margin::rounding("a rounded million", 0.5, "a count in whole millions is off by half a million at most");

/// A number of millions said with "about", if one digit of it counts.
pub const TEN_MILLIONS: Margin = Margin::ours(
    "one digit, tens of millions",
    5.0,
    "a number like 50M whose first digit alone is meant, and half of ten million either way; how much \"about\" leaves is not printed",
);

/// A printed number of billions.
pub const BILLION: Margin =
    Margin::rounding("a rounded billion", 0.5, "a count in whole billions is off by half a billion at most");

/// A row of Table 1.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// As printed.
    pub name: &'static str,
    /// The printed millions.
    pub millions: f64,
    /// The other columns, under their printed labels.
    pub shape: VitShape,
}

const fn row(name: &'static str, columns: [usize; 4], millions: f64, patch: usize) -> Row {
    let [heads, layers, hidden, mlp] = columns;
    let shape = VitShape { heads, layers, hidden, mlp, patch, side: 224 };
    Row { name, millions, shape }
}

/// Table 1, with images of side 224.
pub const TABLE_1: [Row; 4] = [
    row("ViT-Base", [12, 12, 768, 3072], 86.0, 16),
    row("ViT-Large (16)", [24, 16, 1024, 4096], 307.0, 16),
    row("ViT-Large (32)", [24, 16, 1024, 4096], 307.0, 32),
    row("ViT-Huge", [32, 16, 1280, 5120], 632.0, 32),
];

/// Millions.
pub fn millions(count: usize) -> f64 {
    count as f64 / 1e6
}

/// The millions of parameters of a shape, under a reading.
pub fn parameters(shape: &VitShape, reading: &VitReading) -> Result<f64, Failure> {
    Ok(millions(shape.layout(reading)?.len()))
}
