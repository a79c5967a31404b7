//! Stock evcxr under our roof: the same version, from the same lock file, as it comes.

use std::path::Path;
use std::process::Command;

use crate::error::{Error, Result};
use crate::setup::paths::this_binary;

/// Becomes evcxr's own kernel. It reads its command line itself, so this process starts anew in the form it expects.
pub fn exec(connection_file: &Path) -> Result<()> {
    let mut command = Command::new(this_binary()?);
    command.arg("--control_file").arg(connection_file);
    #[cfg(unix)]
    let source = std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    let source = match command.status() {
        Ok(_) => return Ok(()),
        Err(source) => source,
    };
    Err(Error::Start {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
        hint: "build again with `cargo workbench setup`".into(),
    })
}
