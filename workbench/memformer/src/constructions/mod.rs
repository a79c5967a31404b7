//! The paper's constructions, evaluated as they are printed, in exact fractions where that decides.

pub(crate) mod adjoint;
pub(crate) mod instance;
pub(crate) mod lemma;
pub(crate) mod literal;
pub(crate) mod reach;
pub(crate) mod registers;
