//! Adam as the rooms use it to train: one update of many entries.

use crate::vectorized;

/// The t-th update of Adam, the same for all entries.
///
/// $$ m\leftarrow\beta_1m+(1-\beta_1)\,g,\qquad v\leftarrow\beta_2v+(1-\beta_2)\,g^2,\qquad
/// w\leftarrow w-\eta\,\frac{m/(1-\beta_1^t)}{\sqrt{v/(1-\beta_2^t)}+\epsilon} $$
///
/// Epsilon stands outside the root, as in PyTorch. An entry whose second moment is zero and which has no epsilon stays where it is: it has
/// no direction, as for the sign.
///
/// **Source**: Kingma and Ba (2015), Algorithm 1.
///
/// ```
/// use workbench_ground::AdamStep;
/// let (mut w, mut m, mut v) = ([1.0, 1.0], [0.0; 2], [0.0; 2]);
/// let square = AdamStep::new(1, 0.1, (0.9, 0.999), 0.0).apply(&mut w, &[1e-6, -300.0], &mut m, &mut v);
/// // The first step has the size of the rate, whatever the gradient.
/// assert!((w[0] - 0.9f64).abs() < 1e-15 && (w[1] - 1.1f64).abs() < 1e-15);
/// assert!((square - 0.02).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamStep {
    rate: f64,
    betas: (f64, f64),
    corrections: (f64, f64),
    epsilon: f64,
}

impl AdamStep {
    /// Update `t`, counted from 1, with rate $\eta$, memories $\beta$ in `[0, 1)` and $\epsilon\ge0$; whoever holds the settings has
    /// checked them.
    pub fn new(t: usize, rate: f64, betas: (f64, f64), epsilon: f64) -> AdamStep {
        let correction = |beta: f64| 1.0 / (1.0 - beta.powf(t as f64));
        AdamStep { rate, betas, corrections: (correction(betas.0), correction(betas.1)), epsilon }
    }

    /// Moves the moments of one entry and returns what the entry loses.
    #[inline(always)]
    pub fn change(&self, g: f64, m: &mut f64, v: &mut f64) -> f64 {
        let ((beta1, beta2), (correct1, correct2)) = (self.betas, self.corrections);
        *m = beta1 * *m + (1.0 - beta1) * g;
        *v = beta2 * *v + (1.0 - beta2) * g * g;
        let size = (*v * correct2).sqrt() + self.epsilon;
        let change = self.rate * (*m * correct1) / size;
        if size > 0.0 { change } else { 0.0 }
    }

    /// Moves all entries and their moments and returns the squared norm of the change.
    ///
    /// **Panics** if the slices differ in length.
    pub fn apply(&self, w: &mut [f64], g: &[f64], m: &mut [f64], v: &mut [f64]) -> f64 {
        assert!([g.len(), m.len(), v.len()] == [w.len(); 3], "slices of one length");
        apply(self, w, g, m, v)
    }
}

vectorized! {
    /// An update of all entries, eight at a time.
    fn apply(step: &AdamStep, w: &mut [f64], g: &[f64], m: &mut [f64], v: &mut [f64]) -> f64 {
        const LANES: usize = 8;
        let mut squares = [0.0; LANES];
        let whole = w.len() - w.len() % LANES;
        let ((w, w_rest), (g, g_rest)) = (w.split_at_mut(whole), g.split_at(whole));
        let ((m, m_rest), (v, v_rest)) = (m.split_at_mut(whole), v.split_at_mut(whole));
        let moments = m.chunks_exact_mut(LANES).zip(v.chunks_exact_mut(LANES));
        for ((w, g), (m, v)) in w.chunks_exact_mut(LANES).zip(g.chunks_exact(LANES)).zip(moments) {
            for l in 0..LANES {
                let change = step.change(g[l], &mut m[l], &mut v[l]);
                w[l] -= change;
                squares[l] += change * change;
            }
        }
        let mut square: f64 = squares.iter().sum();
        for ((w, g), (m, v)) in w_rest.iter_mut().zip(g_rest).zip(m_rest.iter_mut().zip(v_rest)) {
            let change = step.change(*g, m, v);
            *w -= change;
            square += change * change;
        }
        square
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_entries_move_as_one_does() {
        let gradient: Vec<f64> = (0..21).map(|i| (i as f64 - 9.0) * 0.37).collect();
        let (mut w, mut m, mut v) = (vec![1.0; 21], vec![0.0; 21], vec![0.0; 21]);
        let mut one: Vec<[f64; 3]> = vec![[1.0, 0.0, 0.0]; 21];
        for t in 1..=5 {
            let step = AdamStep::new(t, 0.1, (0.8, 0.9), 1e-3);
            let square = step.apply(&mut w, &gradient, &mut m, &mut v);
            let mut want = 0.0;
            for ([w, m, v], g) in one.iter_mut().zip(&gradient) {
                let change = step.change(*g, m, v);
                *w -= change;
                want += change * change;
            }
            assert!((square - want).abs() < 1e-14, "{square} {want}");
        }
        for (i, [want, first, second]) in one.into_iter().enumerate() {
            assert_eq!([w[i], m[i], v[i]], [want, first, second], "{i}");
        }
    }

    #[test]
    fn no_direction_is_no_step() {
        let (mut m, mut v) = (0.0, 0.0);
        assert_eq!(AdamStep::new(1, 0.5, (0.9, 0.9), 0.0).change(0.0, &mut m, &mut v), 0.0);
        // However many updates came before.
        let late = AdamStep::new(usize::MAX, 0.5, (0.0, 0.0), 0.0);
        assert_eq!(late.change(-3.0, &mut m, &mut v), -0.5);
    }
}
