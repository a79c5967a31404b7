//! Real data for tasks: images, names and speeches, from the files in `datasets/` and from the public files that they were made of.
//!
//! | module | what it reads |
//! | --- | --- |
//! | [`Idx`] | the IDX format of MNIST and its successors, gzipped or plain |
//! | [`Images`] | images with labels: the parts of MNIST and Fashion-MNIST and the digits that `datasets/` keeps, or your own pairs of files |
//! | [`Names`], [`Surnames`] | first names with the sex of their bearers; surnames |
//! | [`Speeches`] | documents of two lengths |
//! | [`Vocabulary`] | texts as numbers, by characters or by words |
//! | [`parts`] | which examples are for training, fixed by the name of the data |
//!
//! Origin, licence and checksum of each file stand in `datasets/manifest.toml`; `make_datasets.py` beside this file made them.

mod idx;
mod images;
mod names;
mod speeches;
mod split;
mod vocabulary;

pub use idx::Idx;
pub use images::Images;
pub use names::{Name, Names, Sex, Surnames};
pub use speeches::{Speech, Speeches};
pub use split::{Parts, parts};
pub use vocabulary::Vocabulary;

/// What to try when a file of `datasets/` cannot be used.
const SEE: &str = "see datasets/README.md for the files that come with the notebooks";

/// The folder of kept data, for tests of this crate.
#[cfg(test)]
pub(crate) fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets")
}
