//! Memory of layers: nothing, one register, one for each layer, or one for each layer and head.

use crate::Error;
use ndarray::Array2;
use workbench_ground::check::same_shape;

/// What the layers remember.
#[derive(Clone, Debug, PartialEq)]
pub enum LayerMemory<T = f64> {
    /// Nothing: $Z_{\ell+1}=Z_\ell+\frac1n\operatorname{Attn}(Z_\ell)$ (Eq. 2.5).
    None,
    /// One register (Eqs. 3.1 and 3.2), with which the layers are CGD++ or any method with one memory.
    ///
    /// $$ R_\ell=\operatorname{Attn}(Z_\ell)+\gamma_\ell R_{\ell-1},\qquad Z_{\ell+1}=Z_\ell+\frac{\alpha_\ell}nR_\ell $$
    #[doc(alias = "CGD++")]
    Single {
        /// Steps, one per layer.
        alpha: Vec<T>,
        /// Deflections, one per layer; the first multiplies an empty register.
        gamma: Vec<T>,
    },
    /// One register per layer (Eqs. 3.3 and 3.4), with which the layers are a linear first-order method.
    ///
    /// $$ R_\ell=\operatorname{Attn}(Z_\ell),\qquad Z_{\ell+1}=Z_\ell+\frac1n\sum_{j\le\ell}\Gamma_j^\ell\odot R_j $$
    #[doc(alias = "LFOM Memformer")]
    Separate {
        /// Hadamard weights `gamma[l][j]`, j <= l, each `(d + 1, n + 1)`.
        gamma: Vec<Vec<Array2<T>>>,
    },
    /// One register per layer and head, each with weights of its own, as for heads that learn on their own (Section 4.2).
    ///
    /// $$ R_\ell^h=\operatorname{Attn}^h(Z_\ell),\qquad Z_{\ell+1}=Z_\ell+\frac1n\sum_{j\le\ell}\sum_h\Gamma_j^{h,\ell}\odot R_j^h $$
    PerHead {
        /// Hadamard weights `gamma[l][j][h]`, j <= l, each `(d + 1, n + 1)`.
        gamma: Vec<Vec<Vec<Array2<T>>>>,
    },
}

impl<T> LayerMemory<T> {
    /// Checks that the weights fit layers with these numbers of heads.
    ///
    /// **Errors**: another number of layers or of heads, another height, or widths that differ.
    pub(super) fn fits(&self, op: &'static str, heads: &[usize], d: usize) -> Result<(), Error> {
        let depth = heads.len();
        let triangle = |lengths: Vec<usize>| {
            same_shape(op, "Gamma", &[lengths.len()], &[depth])?;
            (0..depth).try_for_each(|l| same_shape(op, "Gamma of a layer", &[lengths[l]], &[l + 1]))
        };
        let weights: Vec<&Array2<T>> = match self {
            LayerMemory::None => return Ok(()),
            LayerMemory::Single { alpha, gamma } => {
                same_shape(op, "alpha", &[alpha.len()], &[depth])?;
                return same_shape(op, "gamma", &[gamma.len()], &[depth]);
            }
            LayerMemory::Separate { gamma } => {
                triangle(gamma.iter().map(Vec::len).collect())?;
                gamma.iter().flatten().collect()
            }
            LayerMemory::PerHead { gamma } => {
                triangle(gamma.iter().map(Vec::len).collect())?;
                for of_layer in gamma {
                    for (weights, heads) in of_layer.iter().zip(heads) {
                        same_shape(op, "Gamma of a register", &[weights.len()], &[*heads])?;
                    }
                }
                gamma.iter().flatten().flatten().collect()
            }
        };
        let tokens = weights[0].ncols();
        weights.into_iter().try_for_each(|weight| same_shape(op, "Gamma_j", weight.shape(), &[d + 1, tokens]))
    }
}
