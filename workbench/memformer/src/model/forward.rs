//! The one recursion of all models: attention, registers and the residual connection, in any arithmetic.

use ndarray::Array2;

use super::attention::{Head, attention};
use crate::Error;
use crate::arithmetic::algebra::step_matrix;
use crate::arithmetic::number::Number;
use workbench_ground::check::{positive, same_shape};

/// States $Z_0$ to $Z_L$ and what the registers held.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterRun<T> {
    /// $Z_0$ to $Z_L$, each (d + 1, n + 1).
    pub states: Vec<Array2<T>>,
    /// $R_\ell$ of each layer, one for each head, each (d + 1, n + 1).
    pub registers: Vec<Vec<Array2<T>>>,
}

/// What the layers remember, and the weights of what they remember.
pub(crate) enum Recall<'a, T> {
    /// Nothing (Eq. 2.5).
    None,
    /// One register (Eqs. 3.1 and 3.2): $\alpha$ and $\gamma$.
    Single(&'a [T], &'a [T]),
    /// One register per layer (Eqs. 3.3 and 3.4): $\Gamma_j^\ell$ of each head, from l and j.
    Separate(Box<dyn Fn(usize, usize) -> &'a [Array2<T>] + 'a>),
}

/// What a register is multiplied with before it is added to the state.
pub(crate) enum Factor<'a, T> {
    One,
    Scalar(&'a T),
    Entries(&'a Array2<T>),
}

/// In which order products and sums are taken: with floats it decides the last digits, and nothing else.
pub(crate) trait Order<T> {
    /// $\operatorname{Attn}(Z)$ of each register of a layer.
    fn attention(&self, heads: &[Head<T>], z: &Array2<T>) -> Result<Vec<Array2<T>>, Error>;

    /// $Z+\frac1n\sum_ic_i\odot R_i$.
    fn moved(&self, z: &Array2<T>, terms: &[(Factor<T>, &Array2<T>)]) -> Array2<T>;
}

/// $Z_0$ to $Z_L$ of the given layers.
///
/// $$ R_\ell=\operatorname{Attn}(Z_\ell)\;[+\,\gamma_\ell R_{\ell-1}],\qquad
/// Z_{\ell+1}=Z_\ell+\tfrac1n\{R_\ell,\ \alpha_\ell R_\ell,\ \textstyle\sum_{j\le\ell}\Gamma_j^\ell\odot R_j\} $$
///
/// **Source**: Eqs. 2.5 and 3.1 to 3.4. **Errors**: no layer, n = 0, shapes.
pub(crate) fn forward<'a, T: Number>(
    op: &'static str,
    layers: impl ExactSizeIterator<Item = &'a [Head<T>]>,
    memory: &Recall<'_, T>,
    z0: &Array2<T>,
    order: &impl Order<T>,
) -> Result<RegisterRun<T>, Error> {
    positive(op, "the number of layers (L)", layers.len())?;
    positive(op, "the number of examples (n)", z0.ncols().saturating_sub(1))?;
    let mut run = RegisterRun {
        states: vec![z0.clone()],
        registers: Vec::new(),
    };
    for (l, heads) in layers.enumerate() {
        let z = &run.states[l];
        let mut registers = order.attention(heads, z)?;
        if let (Recall::Single(_, gamma), Some(before)) = (memory, run.registers.last()) {
            for (register, before) in registers.iter_mut().zip(before) {
                *register = step_matrix(register, &gamma[l], before);
            }
        }
        run.registers.push(registers);
        let mut terms = Vec::new();
        match memory {
            Recall::None => terms.extend(run.registers[l].iter().map(|r| (Factor::One, r))),
            Recall::Single(alpha, _) => {
                terms.extend(run.registers[l].iter().map(|r| (Factor::Scalar(&alpha[l]), r)));
            }
            Recall::Separate(weights) => {
                for (j, registers) in run.registers.iter().enumerate() {
                    let weights = weights(l, j);
                    same_shape(op, "Gamma of a register", &[weights.len()], &[registers.len()])?;
                    for (weight, register) in weights.iter().zip(registers) {
                        same_shape(op, "Gamma_j", weight.shape(), z0.shape())?;
                        terms.push((Factor::Entries(weight), register));
                    }
                }
            }
        }
        let next = order.moved(z, &terms);
        run.states.push(next);
    }
    Ok(run)
}

/// Floats, through second moments: $P(ZMZ^\top)QZ$, heads added up in one register, sums divided by n at the end.
pub(crate) struct ByMoments;

impl Order<f64> for ByMoments {
    fn attention(&self, heads: &[Head], z: &Array2<f64>) -> Result<Vec<Array2<f64>>, Error> {
        let mut register = Array2::zeros(z.dim());
        for head in heads {
            register += &attention(head, z)?;
        }
        Ok(vec![register])
    }

    fn moved(&self, z: &Array2<f64>, terms: &[(Factor<f64>, &Array2<f64>)]) -> Array2<f64> {
        let mut step = Array2::zeros(z.dim());
        for (factor, register) in terms {
            match factor {
                Factor::One => step += *register,
                Factor::Scalar(c) => step += &(**c * *register),
                Factor::Entries(weight) => step += &(*weight * *register),
            }
        }
        z + &(step / (z.ncols() - 1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mask;
    use workbench_ground::stats::{Streams, normal_array2};

    #[test]
    fn the_order_of_sums_decides_no_more_than_the_last_digits() {
        let mut stream = Streams::new(4).stream("orders").unwrap();
        let mut matrix = || 0.3 * normal_array2(&mut stream, 3, 3);
        let layers: Vec<Head> = (0..3).map(|_| Head::new(matrix(), matrix()).unwrap()).collect();
        let z = normal_array2(&mut stream, 3, 6);
        let (alpha, gamma) = (vec![0.9, 1.1, 0.7], vec![5.0, 0.4, -0.3]);
        let weights: Vec<Vec<Array2<f64>>> = (0..3)
            .map(|l| (0..=l).map(|_| normal_array2(&mut stream, 3, 6)).collect())
            .collect();
        let mut ends: Vec<Array2<f64>> = Vec::new();
        for memory in [
            Recall::None,
            Recall::Single(&alpha, &gamma),
            Recall::Separate(Box::new(|l, j| std::slice::from_ref(&weights[l][j]))),
        ] {
            let of_layers = || layers.iter().map(std::slice::from_ref);
            let fast = forward("test", of_layers(), &memory, &z, &ByMoments).unwrap();
            let printed = forward("test", of_layers(), &memory, &z, &Mask::Printed).unwrap();
            for (a, b) in fast.states.iter().zip(&printed.states) {
                assert!((a - b).iter().all(|v| v.abs() < 1e-10));
            }
            assert_eq!((fast.states.len(), printed.registers.len()), (4, 3));
            assert!(!ends.contains(&fast.states[3]));
            ends.push(fast.states[3].clone());
        }
        let narrow = [Array2::zeros((3, 5))];
        let memory = Recall::Separate(Box::new(|_, _| &narrow[..]));
        let one = || layers[..1].iter().map(std::slice::from_ref);
        assert!(forward("test", one(), &memory, &z, &ByMoments).is_err());
        assert!(forward::<f64>("test", one(), &Recall::None, &Array2::zeros((3, 1)), &ByMoments).is_err());
    }
}
