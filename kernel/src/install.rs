//! `workbench install`: the kernel for all of a user's Jupyter, or for one environment, from any folder.

use std::path::PathBuf;

use clap::Args;

use workbench_base::error::{Error, Result};
use workbench_base::names::KERNEL_NAME;
use workbench_base::progress;
use workbench_setup::{kernelspec, paths};

/// Options of `install`.
#[derive(Args, Clone, Debug)]
pub struct InstallArgs {
    /// Into the Jupyter of the environment in this folder, in place of the user's own
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
}

/// Writes the kernelspec of this program.
///
/// # Errors
/// No home folder, or a folder that cannot be written.
pub fn command(args: &InstallArgs) -> Result<i32> {
    let folder = match &args.prefix {
        Some(prefix) if !prefix.is_dir() => {
            return Err(Error::Option {
                option: "--prefix",
                value: prefix.display().to_string(),
                why: "there is no such folder; name that of an environment, or make it first".into(),
            });
        }
        Some(prefix) => prefix.join("share/jupyter/kernels").join(KERNEL_NAME),
        None => kernelspec::user_folder().ok_or_else(|| Error::Option {
            option: "install",
            value: String::new(),
            why: "HOME is not set; name an environment with --prefix, or set JUPYTER_DATA_DIR".into(),
        })?,
    };
    kernelspec::install(&folder, &paths::this_binary()?, &[])?;
    progress::note(&format!("kernelspec installed in {}", folder.display()));
    Ok(0)
}
