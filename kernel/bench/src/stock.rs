//! Stock evcxr under our roof: the same version, from the same lock file, as it comes.

use std::path::Path;
use std::process::Command;

use workbench_kernel::error::{Error, Result};
use workbench_kernel::handover::become_it;
use workbench_kernel::setup::paths::this_binary;

/// The option by which evcxr_jupyter is told its connection file.
pub const CONTROL_FILE: &str = "--control_file";

/// Becomes evcxr's own kernel. It reads its command line itself, so this process starts anew in the form it expects.
pub fn exec(connection_file: &Path) -> Result<()> {
    let mut command = Command::new(this_binary()?);
    command.arg(CONTROL_FILE).arg(connection_file);
    let source = become_it(&mut command);
    Err(Error::Start {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
        hint: "build again with `cargo workbench setup`".into(),
    })
}
