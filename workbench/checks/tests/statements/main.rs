//! Tests of the checks as a whole. That each gives its committed verdict is seen where it is run, in its notebook.

mod figures_from_sweeps;
mod mechanisms;
mod own_claims;
mod places;
mod refereed;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
