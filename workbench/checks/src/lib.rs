//! Every check under its statement's name.
//!
//! A crate for each document, so that an edit compiles the checks of one; a file for each statement as printed. A file says at its
//! head what is claimed, where, and what would refute it; a constant [`Check`] holds what is fixed before it runs; its `run` states the
//! findings and the wrong twins on a [`Sheet`]. The same check runs from a cell (`ledger.check(module::CHECK)`, with a knob turned if the
//! reader wants), from `cargo workbench verify`, and from a test.
//!
//! | folder | document |
//! | --- | --- |
//! | [`gradient_memory`] | "Gradient steps as associative memory" |
//! | [`heavy_tailed`] | "Associative Memories with Heavy-Tailed Data" |
//! | [`memformer`] | "Toward generalizable learning of all (linear) first-order methods via memory augmented Transformers" |
//! | [`mnemosyne`] | Mnemosyne, appendix |
//!
//! [`all`] lists them; [`vocabulary`] is what several say in the same words.

#![warn(missing_docs)]

// Modules and not renamed crates: the compiler names the types of variables by these paths.

/// "Gradient steps as associative memory".
pub mod gradient_memory {
    #[doc(inline)]
    pub use workbench_checks_gradient_memory::*;
}

/// "Associative Memories with Heavy-Tailed Data".
pub mod heavy_tailed {
    #[doc(inline)]
    pub use workbench_checks_heavy_tailed::*;
}

/// "Toward generalizable learning of all (linear) first-order methods via memory augmented Transformers".
pub mod memformer {
    #[doc(inline)]
    pub use workbench_checks_memformer::*;
}

/// Mnemosyne, appendix.
pub mod mnemosyne {
    #[doc(inline)]
    pub use workbench_checks_mnemosyne::*;
}

/// What several say in the same words.
pub mod vocabulary {
    #[doc(inline)]
    pub use workbench_checks_vocabulary::*;
}

use workbench_ledger::Check;
#[doc(no_inline)]
pub use workbench_ledger::{Done, Failure, Margin, Setting, Sheet};

/// All checks, document by document in the order of the text.
pub fn all() -> Vec<Check> {
    [gradient_memory::all(), heavy_tailed::all(), memformer::all(), mnemosyne::all()].concat()
}
