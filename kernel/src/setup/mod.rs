//! Makes a fresh machine ready: OpenBLAS, the built crate, and, where asked for, the Python environment and the kernelspec.

pub mod crate_build;
pub mod kernelspec;
pub mod lock;
pub mod openblas;
pub mod packages;
pub mod paths;
pub mod python;
pub mod system;

use clap::Args;

use crate::error::{Error, Result};
use crate::progress;
use paths::Workspace;
use system::Machine;

/// Options of `setup`.
#[derive(Args, Clone, Debug)]
pub struct SetupArgs {
    /// Make the Python environment with conda
    #[arg(long)]
    pub conda: bool,
    /// Also install the kernelspec for all of this user's Jupyter
    #[arg(long)]
    pub user: bool,
}

/// A machine that is ready.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The workspace.
    pub workspace: Workspace,
    /// Variables that kernels and cargo need (conda's library folder, or nothing).
    pub environment: Vec<(String, String)>,
}

/// What running notebooks needs: OpenBLAS and the built crate. No Python.
pub fn for_notebooks() -> Result<Ready> {
    let workspace = Workspace::find()?;
    let found = openblas::ensure(&Machine, &mut progress::step)?;
    let environment = found.environment(&Machine);
    let built = crate_build::build(&workspace, &environment)?;
    for line in built.report() {
        progress::note(&line);
    }
    if built.compiled > 0 {
        progress::note(&format!("cells link {}", built.shared_object.display()));
    }
    Ok(Ready { workspace, environment })
}

/// What JupyterLab needs: all of the above, the Python environment and our kernelspec in it.
pub fn for_lab(conda: bool) -> Result<Ready> {
    let ready = for_notebooks()?;
    if conda {
        progress::step("making the Python environment with conda");
        python::ensure_conda(&ready.workspace, &Machine)?;
    } else {
        python::ensure(&ready.workspace, &Machine, &mut progress::step)?;
    }
    kernelspec::install(
        &ready.workspace.kernelspec(),
        &paths::kernel_binary()?,
        &ready.environment,
    )?;
    Ok(ready)
}

/// `cargo workbench setup`; returns the exit status.
pub fn command(args: &SetupArgs) -> Result<i32> {
    let ready = for_lab(args.conda)?;
    if args.user {
        let folder = kernelspec::user_folder().ok_or_else(|| Error::Option {
            option: "--user",
            value: "true".into(),
            why: "HOME is not set; set JUPYTER_DATA_DIR to the folder to install into".into(),
        })?;
        let mut environment = ready.environment.clone();
        // Notebooks of this kernelspec may lie anywhere.
        environment.push((
            "WORKBENCH_ROOT".to_owned(),
            ready.workspace.root().display().to_string(),
        ));
        kernelspec::install(&folder, &paths::this_binary()?, &environment)?;
        progress::note(&format!("kernelspec installed in {}", folder.display()));
    }
    progress::step("ready: `cargo workbench run` and `cargo workbench lab` start at once now");
    Ok(0)
}
