//! One fixed numeric routine, so that code called from a cell can be timed against the same code in a release build.
//!
//! `cargo workbench bench kernel` calls it from a cell, where it comes out of the shared object, and compiles this very
//! file into a program of its own in cargo's release profile. It uses nothing but the standard library.

/// Steps of softmax retrieval from a dense memory: `q <- sum_i p_i x_i` with `p = softmax(beta X q)`, `steps` times.
///
/// $$ q_{t+1} = X^\top \operatorname{softmax}(\beta X q_t) $$
///
/// Shapes: `patterns` is row-major `(patterns.len() / query.len(), query.len())`; the result has `query.len()` entries.
/// An empty query gives an empty result. Cost: `steps` times two passes over `patterns`.
///
/// ```
/// let found = workbench::timing::softmax_retrieval(&[1.0, 0.0, 0.0, 1.0], &[0.9, 0.1], 50.0, 3);
/// assert!((found[0] - 1.0).abs() < 1e-12 && found[1].abs() < 1e-12);
/// ```
pub fn softmax_retrieval(patterns: &[f64], query: &[f64], beta: f64, steps: usize) -> Vec<f64> {
    let mut state = query.to_vec();
    if state.is_empty() {
        return state;
    }
    let mut scores = vec![0.0; patterns.len() / query.len()];
    for _ in 0..steps {
        let mut largest = f64::NEG_INFINITY;
        for (score, row) in scores.iter_mut().zip(patterns.chunks_exact(query.len())) {
            *score = beta * row.iter().zip(&state).map(|(x, q)| x * q).sum::<f64>();
            largest = largest.max(*score);
        }
        let mut total = 0.0;
        for score in &mut scores {
            *score = (*score - largest).exp();
            total += *score;
        }
        state.fill(0.0);
        for (score, row) in scores.iter().zip(patterns.chunks_exact(query.len())) {
            let weight = score / total;
            for (entry, x) in state.iter_mut().zip(row) {
                *entry += weight * x;
            }
        }
    }
    state
}

/// Best of `repeats` times, in seconds, of one fixed call: 4,000 patterns of 128 entries, 10 steps.
///
/// The patterns are a fixed sequence, the same on every machine.
pub fn best_time(repeats: usize) -> f64 {
    let mut word = 1u64;
    let mut draw = || {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (word >> 40) as f64 / f64::from(1u32 << 23) - 1.0
    };
    let patterns: Vec<f64> = (0..4_000 * 128).map(|_| draw()).collect();
    let query: Vec<f64> = (0..128).map(|_| draw()).collect();
    let mut best = f64::INFINITY;
    for _ in 0..repeats {
        let started = std::time::Instant::now();
        let found = softmax_retrieval(&patterns, &query, 0.5, 10);
        let seconds = started.elapsed().as_secs_f64();
        std::hint::black_box(found);
        best = best.min(seconds);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sharp_memory_returns_the_nearest_pattern() {
        let patterns = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let found = softmax_retrieval(&patterns, &[0.2, 0.3, 0.0], 200.0, 4);
        assert!((found[1] - 1.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn a_flat_memory_returns_the_mean() {
        let found = softmax_retrieval(&[1.0, 3.0, 5.0, 7.0], &[1.0, 1.0], 0.0, 1);
        assert_eq!(found, vec![3.0, 5.0]);
    }

    #[test]
    fn no_query_and_no_patterns_are_no_panic() {
        assert!(softmax_retrieval(&[1.0], &[], 1.0, 2).is_empty());
        assert_eq!(softmax_retrieval(&[], &[1.0], 1.0, 1), vec![0.0]);
    }

    #[test]
    fn a_time_is_positive() {
        let seconds = best_time(1);
        assert!(seconds > 0.0 && seconds.is_finite());
    }
}
