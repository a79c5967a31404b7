//! Section 2: the target of the figures, and Eq. 1 word for word; the checks of the section share them.

use ndarray::Array2;
use workbench_ledger::{Failure, Margin, Says};
use workbench_memory::{Embeddings, Target};

/// Classes M in all figures of the section.
pub const CLASSES: usize = 5;

/// What a test of fit may fall to before a law is refused.
pub const P_VALUE: Margin =
    Margin::statistical("p-value", 1e-3, "draws from the right law fall below it once in a thousand tests");

/// `f_*(x) = x mod M`, as in the figures.
pub fn target() -> Result<Target, Failure> {
    Ok(Target::modulo(CLASSES)?)
}

/// Eq. 1 word for word: the class with the highest score `u_y^T W e_x`, for each input. Of equal scores the first wins.
///
/// **Shapes**: `w` (d, d); `embeddings` N inputs and M outputs in d dimensions.
pub fn answers(w: &Array2<f64>, embeddings: &Embeddings) -> Vec<usize> {
    let scores = embeddings.inputs.dot(&w.t()).dot(&embeddings.outputs.t());
    let best = |scores: ndarray::ArrayView1<f64>| {
        (1..scores.len()).fold(0, |best, y| if scores[y] > scores[best] { y } else { best })
    };
    scores.outer_iter().map(best).collect()
}

/// At how many places two lists of answers differ.
pub fn differing(a: &[usize], b: &[usize]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}

/// States that two lists of answers are the same.
pub fn same_answers(says: Says, label: &str, a: &[usize], b: &[usize]) {
    a.iter().zip(b).for_each(|(a, b)| says.of("answers").never(label, a != b));
}
