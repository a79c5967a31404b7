//! Classical first-order methods, one prompt at a time, and the best that fixed coefficients can do.

pub(crate) mod adaptive;
pub(crate) mod conjugate;
pub(crate) mod first_order;
mod iterates;
pub(crate) mod lfom;
pub(crate) mod memoryless;
pub(crate) mod nesterov;
pub(crate) mod newton;
pub(crate) mod objective;
pub(crate) mod optimum;
pub(crate) mod quadratic;
pub(crate) mod single_memory;
pub(crate) mod stagewise;
