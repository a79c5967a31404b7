//! The paper's constructions, evaluated as they are printed, in exact fractions where that decides.

pub(in crate::memformer) mod adjoint;
pub(in crate::memformer) mod instance;
pub(in crate::memformer) mod lemma;
pub(in crate::memformer) mod literal;
pub(in crate::memformer) mod reach;
pub(in crate::memformer) mod registers;
