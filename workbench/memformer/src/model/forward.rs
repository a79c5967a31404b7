//! The one recursion of all models: attention, registers and the residual connection, in any arithmetic.

use ndarray::Array2;

use super::attention::{Head, attention};
use super::memory::LayerMemory;
use crate::Error;
use crate::arithmetic::algebra::step_matrix;
use crate::arithmetic::number::Number;
use workbench_ground::check::{positive, same_shape};

/// States $Z_0$ to $Z_L$ and what the registers held.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterRun<T> {
    /// $Z_0$ to $Z_L$, each (d + 1, n + 1).
    pub states: Vec<Array2<T>>,
    /// $R_\ell$ of each layer, each (d + 1, n + 1): one for each head with [`LayerMemory::PerHead`], and else one.
    pub registers: Vec<Vec<Array2<T>>>,
}

/// What a register is multiplied with before it is added to the state.
pub(crate) enum Factor<'a, T> {
    One,
    Scalar(&'a T),
    Entries(&'a Array2<T>),
}

/// In which order products and sums are taken: with floats it decides the last digits, and nothing else.
pub(crate) trait Order<T> {
    /// $\operatorname{Attn}(Z)$ of a head.
    fn attention(&self, head: &Head<T>, z: &Array2<T>) -> Result<Array2<T>, Error>;

    /// $Z+\frac1n\sum_ic_i\odot R_i$.
    fn moved(&self, z: &Array2<T>, terms: &[(Factor<T>, &Array2<T>)]) -> Array2<T>;
}

/// $Z_0$ to $Z_L$ of the given layers.
///
/// $$ R_\ell=\operatorname{Attn}(Z_\ell)\;[+\,\gamma_\ell R_{\ell-1}],\qquad
/// Z_{\ell+1}=Z_\ell+\tfrac1n\{R_\ell,\ \alpha_\ell R_\ell,\ \textstyle\sum_{j\le\ell}\Gamma_j^\ell\odot R_j\} $$
///
/// The heads of a layer are added up in one register, unless each has its own.
///
/// **Source**: Eqs. 2.5 and 3.1 to 3.4. **Errors**: no layer, n = 0, $\Gamma$ of another width.
pub(crate) fn forward<'a, T: Number>(
    op: &'static str,
    layers: impl ExactSizeIterator<Item = &'a [Head<T>]>,
    memory: &LayerMemory<T>,
    z0: &Array2<T>,
    order: &impl Order<T>,
) -> Result<RegisterRun<T>, Error> {
    positive(op, "the number of layers (L)", layers.len())?;
    positive(op, "the number of examples (n)", z0.ncols().saturating_sub(1))?;
    let mut run = RegisterRun { states: vec![z0.clone()], registers: Vec::new() };
    for (l, heads) in layers.enumerate() {
        let z = &run.states[l];
        let mut registers = Vec::with_capacity(heads.len());
        for head in heads {
            registers.push(order.attention(head, z)?);
        }
        if !matches!(memory, LayerMemory::PerHead { .. }) {
            let sum = registers.into_iter().reduce(|sum, next| step_matrix(&sum, &T::one(), &next));
            registers = sum.into_iter().collect();
        }
        if let (LayerMemory::Single { gamma, .. }, Some(before)) = (memory, run.registers.last()) {
            for (register, before) in registers.iter_mut().zip(before) {
                *register = step_matrix(register, &gamma[l], before);
            }
        }
        run.registers.push(registers);
        let mut terms = Vec::new();
        match memory {
            LayerMemory::None => terms.extend(run.registers[l].iter().map(|r| (Factor::One, r))),
            LayerMemory::Single { alpha, .. } => {
                terms.extend(run.registers[l].iter().map(|r| (Factor::Scalar(&alpha[l]), r)));
            }
            LayerMemory::Separate { gamma } => {
                let weighted = gamma[l].iter().zip(run.registers.iter().flatten());
                terms.extend(weighted.map(|(weight, r)| (Factor::Entries(weight), r)));
            }
            LayerMemory::PerHead { gamma } => {
                let weighted = gamma[l].iter().flatten().zip(run.registers.iter().flatten());
                terms.extend(weighted.map(|(weight, r)| (Factor::Entries(weight), r)));
            }
        }
        for (factor, _) in &terms {
            if let Factor::Entries(weight) = factor {
                same_shape(op, "Gamma_j", weight.shape(), z0.shape())?;
            }
        }
        let next = order.moved(z, &terms);
        run.states.push(next);
    }
    Ok(run)
}

/// Through second moments, $P(ZMZ^\top)QZ$, and the sum over registers divided by n at its end.
pub(crate) struct ByMoments;

impl<T: Number> Order<T> for ByMoments {
    fn attention(&self, head: &Head<T>, z: &Array2<T>) -> Result<Array2<T>, Error> {
        attention(head, z)
    }

    fn moved(&self, z: &Array2<T>, terms: &[(Factor<T>, &Array2<T>)]) -> Array2<T> {
        let n = T::whole(z.ncols() as i64 - 1);
        Array2::from_shape_fn(z.dim(), |at| {
            let step = terms.iter().fold(T::zero(), |sum, (factor, register)| match factor {
                Factor::One => sum.plus(&register[at]),
                Factor::Scalar(c) => sum.plus(&c.times(&register[at])),
                Factor::Entries(weight) => sum.plus(&weight[at].times(&register[at])),
            });
            z[at].plus(&step.over(&n).unwrap_or_else(T::zero))
        })
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
        let weights: Vec<Vec<Array2<f64>>> =
            (0..3).map(|l| (0..=l).map(|_| normal_array2(&mut stream, 3, 6)).collect()).collect();
        let mut ends: Vec<Array2<f64>> = Vec::new();
        for memory in
            [LayerMemory::None, LayerMemory::Single { alpha, gamma }, LayerMemory::Separate { gamma: weights }]
        {
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
        // Two heads in a layer: in one register, and each in its own.
        let pairs = [[layers[0].clone(), layers[1].clone()], [layers[2].clone(), layers[0].clone()]];
        let mut weight = || normal_array2(&mut stream, 3, 6);
        let gamma = (0..2).map(|l| (0..=l).map(|_| vec![weight(), weight()]).collect()).collect();
        for (memory, held) in [(LayerMemory::None, 1), (LayerMemory::PerHead { gamma }, 2)] {
            let of_layers = || pairs.iter().map(|heads| &heads[..]);
            let fast = forward("test", of_layers(), &memory, &z, &ByMoments).unwrap();
            let printed = forward("test", of_layers(), &memory, &z, &Mask::Printed).unwrap();
            assert!((&fast.states[2] - &printed.states[2]).iter().all(|v| v.abs() < 1e-10));
            assert!(fast.registers.iter().all(|registers| registers.len() == held));
            assert!(!ends.contains(&fast.states[2]));
            ends.push(fast.states[2].clone());
        }
        let gamma = vec![vec![Array2::zeros((3, 5))]];
        let memory = LayerMemory::Separate { gamma };
        let one = || layers[..1].iter().map(std::slice::from_ref);
        assert!(forward("test", one(), &memory, &z, &ByMoments).is_err());
        assert!(forward::<f64>("test", one(), &LayerMemory::None, &Array2::zeros((3, 1)), &ByMoments).is_err());
    }
}
