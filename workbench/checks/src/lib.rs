//! Every check under its statement's name.
//!
//! A folder for each document, a file for each statement as printed. A file says at its head what is claimed, where, and what would
//! count against it; a type holds the parameters with the document's values as default; its [`Check::run`] computes the findings and
//! the wrong twins. The same check runs from a cell (`ledger.check(..)`, with the reader's parameters if she wants), from
//! `cargo workbench verify`, and from a test.
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

pub mod gradient_memory;
pub mod heavy_tailed;
pub mod memformer;
pub mod mnemosyne;
pub mod vocabulary;

use workbench_ledger::AnyCheck;
#[doc(no_inline)]
pub use workbench_ledger::{Check, Checked, Failure, Margin, Plan, Setting};

/// All checks, document by document in the order of the text.
pub fn all() -> Vec<AnyCheck> {
    [
        gradient_memory::all(),
        heavy_tailed::all(),
        memformer::all(),
        mnemosyne::all(),
    ]
    .concat()
}

/// The file of a check below the project's root, from the path of its type.
///
/// ```
/// let check = &workbench::checks::all()[0];
/// assert_eq!(workbench::checks::file_of(check), "workbench/checks/src/gradient_memory/definition_1.rs");
/// ```
pub fn file_of(check: &AnyCheck) -> String {
    let mut parts: Vec<&str> = check.path.split("::").collect();
    parts.pop();
    format!("workbench/checks/src/{}.rs", parts[1..].join("/"))
}
