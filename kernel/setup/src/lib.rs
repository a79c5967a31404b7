//! Set-up: makes a fresh machine ready, and builds what cells link.
//!
//! Where a command works is a [`paths::Workspace`]; what the kernel of that place serves is a [`project::Project`]: this checkout, a
//! reader's own cargo package, or nothing. Before the first cell runs, [`environment`] finds OpenBLAS ([`openblas`]) and what the GPU setting
//! asks for ([`cuda`]), [`features`] says with which features the crate is wanted, and [`crate_build`] has cargo build it once ([`packages`]
//! says whether that needs a network, `building` how far it is). A kernel that starts asks [`library`]: it looks whether the build is of today's sources and
//! compiler, has cargo build it if not, and freezes it in a folder of hard links, so that a later build does not reach a session that has
//! the old code in memory. What the evaluating crate gets is a [`library::Frozen`]: which files a cell is linked with, and how.
//!
//! For a lab there are the Python environment of the lock file ([`python`], [`lock`]), the kernel's entry in it ([`kernelspec`]), and
//! JupyterLab itself ([`lab`]). A verdict passes only by its programs: [`programs`] builds and becomes the one that a command stands for, and
//! [`ledger_program`] is the one that knows the tables.

#![warn(missing_docs)]

// The machine of the tests is named alike here and in the crates above.
#[cfg(test)]
extern crate self as workbench_setup;

pub mod building;
pub mod cargo;
pub mod crate_build;
pub mod cuda;
pub mod debian;
pub mod features;
pub mod kernelspec;
pub mod lab;
pub mod ledger_program;
pub mod library;
pub mod lock;
pub mod openblas;
pub mod own;
pub mod packages;
pub mod paths;
pub mod programs;
pub mod project;
pub mod python;
pub mod system;
pub mod toolchain;
#[path = "../../../workbench/program/src/options.rs"]
pub mod verify_options;

use std::path::PathBuf;
use workbench_record::program;

use clap::Args;

use cuda::capability::Capability;
use cuda::{Setting, turn};
use paths::Workspace;
use system::{Machine, System};
use workbench_base::error::{Error, Result};
use workbench_base::progress;

/// Options of `setup`.
#[derive(Args, Clone, Debug)]
pub struct SetupArgs {
    /// Make the Python environment with conda
    #[arg(long)]
    pub conda: bool,
    /// Also install the kernelspec for all of this user's Jupyter
    #[arg(long)]
    pub user: bool,
    /// Put an NVIDIA GPU under the notebooks: find or install the CUDA toolkit, build the crate for it, and remember the choice
    #[arg(long)]
    pub cuda: bool,
    /// The compute capability to build for, as in 9.0; without it that of the first device
    #[arg(long, value_name = "CAPABILITY", requires = "cuda")]
    pub capability: Option<Capability>,
    /// Forget that choice, and build the crate for the machine's own cores
    #[arg(long, conflicts_with = "cuda")]
    pub no_cuda: bool,
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
    for_notebooks_and(&[])
}

/// The same where notebooks elsewhere are run, too.
pub fn for_notebooks_and(others: &[PathBuf]) -> Result<Ready> {
    let workspace = Workspace::find()?;
    let environment = environment(&workspace, &Machine, &mut progress::step)?;
    if workspace.is_own() {
        own::ensure_crates(&workspace)?;
    } else {
        features::record_of_notebooks(&workspace, others)?;
    }
    let built = crate_build::build(&workspace, &environment)?;
    for line in built.report() {
        progress::note(&line);
    }
    if built.compiled > 0 {
        progress::note(&format!("cells link {}", built.shared_object.display()));
    }
    Ok(Ready { workspace, environment })
}

/// Variables that cargo, kernels and programs that compute need: where OpenBLAS is, and what the GPU setting asks for. What a reader's own
/// project links, it says itself.
///
/// # Errors
/// OpenBLAS is missing, or the record of the setting cannot be read.
pub fn environment(
    workspace: &Workspace,
    system: &dyn System,
    say: &mut dyn FnMut(&str),
) -> Result<Vec<(String, String)>> {
    if workspace.is_own() {
        return Ok(Vec::new());
    }
    let mut environment = openblas::ensure(system, say)?.environment(system);
    if let Some(setting) = Setting::read(&workspace.state())? {
        let driver = system.driver();
        if let Some(complaint) = setting.complaint(driver.as_ref()) {
            say(&complaint);
        }
        environment.extend(setting.build_environment());
        let folders = setting.load_folders(&workspace.state(), driver.is_some());
        let name = "LD_LIBRARY_PATH";
        cuda::prepend(&mut environment, name, &folders, system.var(name));
    }
    Ok(environment)
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
    kernelspec::install(&ready.workspace.kernelspec(), &paths::kernel_binary()?, &ready.environment)?;
    Ok(ready)
}

/// `cargo workbench setup`; returns the exit status.
pub fn command(args: &SetupArgs) -> Result<i32> {
    if args.cuda || args.no_cuda {
        Workspace::checkout("setup --cuda")?;
    }
    if args.cuda {
        turn_on(args.capability)?;
    }
    if args.no_cuda {
        let there_was = Setting::forget(&Workspace::find()?.state())?;
        progress::step(if there_was {
            "the GPU setting is off: building for the machine's own cores"
        } else {
            "the GPU setting was off"
        });
    }
    let ready = for_lab(args.conda)?;
    if args.user {
        let folder = kernelspec::user_folder().ok_or_else(|| Error::Option {
            option: "--user",
            value: "true".into(),
            why: "HOME is not set; set JUPYTER_DATA_DIR to the folder to install into".into(),
        })?;
        let mut environment = ready.environment.clone();
        // Notebooks of this kernelspec may lie anywhere.
        environment.push(("WORKBENCH_ROOT".to_owned(), ready.workspace.root().display().to_string()));
        kernelspec::install(&folder, &paths::this_binary()?, &environment)?;
        progress::note(&format!("kernelspec installed in {}", folder.display()));
    }
    let program = program();
    progress::step(&format!("ready: `{program} run` and `{program} lab` start at once now"));
    Ok(0)
}

/// Records the GPU setting and builds with it; a build that fails leaves the setting as it was.
fn turn_on(capability: Option<Capability>) -> Result<()> {
    let workspace = Workspace::find()?;
    let state = workspace.state();
    let before = Setting::read(&state).unwrap_or_default();
    let setting = turn::on(&workspace, capability, &Machine, &mut progress::step)?;
    progress::step(&format!("building for {}", setting.describe()));
    progress::note("kernels of candle take about eight minutes of two cores, once");
    forget_kernels_of_another(&workspace, &setting)?;
    setting.write(&state)?;
    if let Err(error) = for_notebooks() {
        match before {
            Some(before) => before.write(&state)?,
            None => drop(Setting::forget(&state)?),
        }
        return Err(error);
    }
    progress::step("the GPU setting is on; `cargo workbench setup --no-cuda` turns it off");
    Ok(())
}

/// Has cargo forget compiled kernels that another toolkit made: their build goes by the capability alone.
fn forget_kernels_of_another(workspace: &Workspace, setting: &Setting) -> Result<()> {
    let folder = cuda::folder(&workspace.state());
    let (note, now) = (folder.join("kernels-of"), setting.describe());
    if std::fs::read_to_string(&note).is_ok_and(|before| before != now) {
        // Where nothing was compiled there is nothing to forget.
        let _ = cargo::cargo(workspace).args(["clean", "--offline", "--quiet", "-p", cuda::KERNELS]).output();
    }
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
    std::fs::write(&note, now).map_err(|source| Error::io("write", &note, source))
}

#[cfg(test)]
mod tests {
    use super::cuda::toolkit::Toolkit;
    use super::cuda::version::Version;
    use super::system::fake::Fake;
    use super::*;

    #[test]
    fn the_setting_reaches_everything_and_a_machine_without_a_driver_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        for part in ["workbench", "kernel"] {
            std::fs::create_dir_all(folder.path().join(part)).unwrap();
            std::fs::write(folder.path().join(part).join("Cargo.toml"), "").unwrap();
        }
        let workspace = Workspace::at(folder.path()).unwrap();
        let mut machine = Fake { links_after: Some(String::new()), ..Fake::default() };
        machine.vars.insert("LD_LIBRARY_PATH".into(), "/old".into());
        let ask = || {
            let mut said = Vec::new();
            let found = environment(&workspace, &machine, &mut |text| said.push(text.to_owned())).unwrap();
            (found, said)
        };
        assert_eq!(ask(), (Vec::new(), Vec::new()), "without the setting all is as it was");
        let root = folder.path().join("toolkit");
        std::fs::create_dir_all(root.join("lib64")).unwrap();
        let setting = Setting {
            toolkit: Toolkit { root: root.clone(), version: Version(13, 0) },
            capability: Capability::new(9, 0),
        };
        setting.write(&workspace.state()).unwrap();
        let (found, said) = ask();
        let value = |name: &str| found.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        let libraries = root.join("lib64");
        let stands_in = workspace.state().join("cuda/no-driver");
        let folders = format!("{}:{}:/old", libraries.display(), stands_in.display());
        assert_eq!(value("LD_LIBRARY_PATH"), Some(folders));
        assert_eq!(value("CUDA_COMPUTE_CAP").as_deref(), Some("90"));
        assert!(said.len() == 1 && said[0].contains("no NVIDIA driver"), "{said:?}");
        Setting::forget(&workspace.state()).unwrap();
        assert_eq!(ask().0, Vec::new());
    }
}
