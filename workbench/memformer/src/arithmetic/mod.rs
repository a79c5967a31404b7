//! Arithmetic in which constructions and methods are evaluated: floats, complex numbers and exact fractions.
//!
//! Identities of the paper are polynomial, so exact fractions decide them without a tolerance; complex numbers carry derivatives
//! (complex-step differentiation); floats serve the document's own sizes.

pub(crate) mod algebra;
pub(crate) mod number;
