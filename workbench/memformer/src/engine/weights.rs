//! Parameters as the kernels read them: rounded, registers written as triangular coefficients.

use workbench_ground::lanes::Real;

/// Position of the pair (l, j), j <= l, among the coefficients of a triangle.
pub(super) const fn entry(l: usize, j: usize) -> usize {
    l * (l + 1) / 2 + j
}

/// How the steps of earlier layers enter later ones: u_{l+1} = u_l - sum_{j <= l} Lambda_j^l rho_j.
#[derive(Clone, Debug)]
pub(super) enum Mixing<T> {
    /// Lambda_l^l = 1, all others 0.
    Plain,
    /// One number per pair.
    Scalar(Vec<T>),
    /// A diagonal per pair.
    Diagonal(Vec<T>),
    /// A matrix per pair, row-major.
    Full(Vec<T>),
}

/// What a kernel needs to know of a model.
#[derive(Clone, Debug)]
pub(super) struct Weights<T> {
    /// Layers L.
    pub(super) depth: usize,
    /// Dimension d.
    pub(super) dim: usize,
    /// A_l, `(L, d, d)` row-major.
    pub(super) a: Vec<T>,
    /// B_l likewise; empty where they are held at zero.
    pub(super) b: Vec<T>,
    /// Coefficients of the registers.
    pub(super) mixing: Mixing<T>,
}

impl<T: Real> Weights<T> {
    /// Where the coefficients of the registers begin in a gradient.
    pub(super) fn mixing_from(&self) -> usize {
        self.a.len() + self.b.len()
    }

    /// Numbers in a gradient.
    pub(super) fn gradient_len(&self) -> usize {
        self.mixing_from()
            + match &self.mixing {
                Mixing::Plain => 0,
                Mixing::Scalar(v) | Mixing::Diagonal(v) | Mixing::Full(v) => v.len(),
            }
    }
}
