//! Weights of pairs $(\ell,j)$, $j\le\ell$: what every kind of register comes down to, and the way back for gradients.

/// How parameters of registers become weights of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// $\alpha_0,\alpha_1,\dots,\gamma_0,\gamma_1,\dots$: the weight is $\alpha_\ell\gamma_\ell\cdots\gamma_{j+1}$.
    Single,
    /// One weight per register j, for all l.
    Tied,
    /// One weight per pair, (0, 0), (1, 0), (1, 1), ...
    Untied,
}

impl Sharing {
    /// Weights of all pairs in order, each of `width` numbers.
    pub fn spread(self, depth: usize, width: usize, values: &[f64]) -> Vec<f64> {
        let mut out = Vec::with_capacity(depth * (depth + 1) / 2 * width);
        match self {
            Sharing::Single => {
                let (alpha, gamma) = values.split_at(depth);
                for l in 0..depth {
                    out.extend((0..=l).map(|j| alpha[l] * gamma[j + 1..=l].iter().product::<f64>()));
                }
            }
            Sharing::Tied => (0..depth).for_each(|l| out.extend_from_slice(&values[..(l + 1) * width])),
            Sharing::Untied => out.extend_from_slice(values),
        }
        out
    }

    /// The gradient with respect to `values`, from that with respect to [`Sharing::spread`] of them.
    pub fn fold(self, depth: usize, width: usize, values: &[f64], pairs: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; values.len()];
        match self {
            Sharing::Single => {
                let (alpha, gamma) = values.split_at(depth);
                for l in 0..depth {
                    for j in 0..=l {
                        let g = pairs[l * (l + 1) / 2 + j];
                        out[l] += g * gamma[j + 1..=l].iter().product::<f64>();
                        for i in j + 1..=l {
                            let others = (j + 1..=l).filter(|k| *k != i).map(|k| gamma[k]).product::<f64>();
                            out[depth + i] += g * alpha[l] * others;
                        }
                    }
                }
            }
            Sharing::Tied => {
                for l in 0..depth {
                    let row = &pairs[l * (l + 1) / 2 * width..][..(l + 1) * width];
                    out.iter_mut().zip(row).for_each(|(out, g)| *out += g);
                }
            }
            Sharing::Untied => out.copy_from_slice(pairs),
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreading_three_layers() {
        assert_eq!(
            Sharing::Single.spread(2, 1, &[2.0, 3.0, 9.0, 0.5]),
            [2.0, 1.5, 3.0],
            "the first gamma multiplies an empty register"
        );
        assert_eq!(Sharing::Tied.spread(2, 2, &[1.0, 2.0, 3.0, 4.0]), [1.0, 2.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(Sharing::Untied.spread(2, 1, &[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn folding_is_the_transposed_derivative_of_spreading() {
        for (sharing, depth, width, count) in
            [(Sharing::Single, 4, 1, 8), (Sharing::Tied, 3, 2, 6), (Sharing::Untied, 3, 2, 12)]
        {
            let values: Vec<f64> = (0..count).map(|i| 0.3 + 0.1 * i as f64).collect();
            let by: Vec<f64> = (0..depth * (depth + 1) / 2 * width).map(|i| (i as f64).cos()).collect();
            for (i, g) in sharing.fold(depth, width, &values, &by).iter().enumerate() {
                let at = |h: f64| {
                    let mut moved = values.clone();
                    moved[i] += h;
                    let spread = sharing.spread(depth, width, &moved);
                    spread.iter().zip(&by).map(|(x, y)| x * y).sum::<f64>()
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((g - difference).abs() < 1e-8, "{sharing:?} {i}: {g} {difference}");
            }
        }
    }
}
