//! Classical first-order methods, one prompt at a time, and the best that fixed coefficients can do.

pub(in crate::memformer) mod adaptive;
pub(in crate::memformer) mod conjugate;
pub(in crate::memformer) mod lfom;
pub(in crate::memformer) mod memoryless;
pub(in crate::memformer) mod nesterov;
pub(in crate::memformer) mod newton;
pub(in crate::memformer) mod objective;
pub(in crate::memformer) mod optimum;
pub(in crate::memformer) mod quadratic;
pub(in crate::memformer) mod single_memory;
pub(in crate::memformer) mod stagewise;
