//! The compiler from the Python index, for machines without a toolkit: NVIDIA's own packages, pinned with their digests, in a Python
//! environment of their own inside the state folder.

use std::path::{Path, PathBuf};

use super::toolkit::{Toolkit, at};
use crate::python;
use crate::system::System;
use workbench_base::error::{Error, Result};

/// The packages, as pip reads them.
const LIST: &str = include_str!("../../../assets/cuda-wheels.txt");
/// The version of CUDA that they are.
pub const VERSION: super::version::Version = super::version::Version(13, 0);

/// Installs the packages, or finds them installed; the toolkit that they are. `stub` is the folder in which the linker expects the
/// driver's stub.
///
/// # Errors
/// [`Error::Cuda`] where there are none for this machine or they cannot be downloaded.
pub fn ensure(state: &Path, system: &dyn System, say: &mut dyn FnMut(&str)) -> Result<Toolkit> {
    if !(cfg!(target_os = "linux") && cfg!(target_arch = "x86_64")) {
        return Err(Error::Cuda {
            what: "find a CUDA toolkit".into(),
            why: "this machine has none, and the packages of the Python index that we know are for Linux on x86-64"
                .into(),
            hint: "install NVIDIA's CUDA toolkit and name its folder in CUDA_HOME".into(),
        });
    }
    let folder = super::folder(state);
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
    let venv = folder.join("python");
    let what = "NVIDIA's compiler for CUDA 13.0 (0.7 GB to download, once)";
    python::ensure_in(&venv, LIST, what, system, say).map_err(|error| Error::Cuda {
        what: "install a CUDA toolkit, of which this machine has none".into(),
        why: error.to_string(),
        hint: "or install NVIDIA's CUDA toolkit and name its folder in CUDA_HOME".into(),
    })?;
    let root = unpacked(&venv)?;
    complete(&root)?;
    at(&root, system).map_err(|(why, hint)| Error::Cuda {
        what: "use the compiler of the Python index".into(),
        why,
        hint,
    })
}

/// Where the linker expects the driver's stub in a toolkit of ours.
pub fn stubs(toolkit: &Toolkit) -> PathBuf {
    toolkit.root.join("lib/stubs")
}

/// The folder in the environment that is laid out as a toolkit.
fn unpacked(venv: &Path) -> Result<PathBuf> {
    let versions = std::fs::read_dir(venv.join("lib")).into_iter().flatten().flatten();
    let mut roots = versions.map(|entry| entry.path().join("site-packages/nvidia/cu13"));
    roots.find(|root| root.join("bin/nvcc").is_file()).ok_or_else(|| Error::Cuda {
        what: "use the compiler of the Python index".into(),
        why: format!("{} has no nvidia/cu13/bin/nvcc", venv.display()),
        hint: format!("delete {} and run `{}` again", venv.display(), super::TURN_ON),
    })
}

/// Gives libraries the names that linkers look for, and the folder the name that builds look for.
fn complete(root: &Path) -> Result<()> {
    let lib = root.join("lib");
    let entries = std::fs::read_dir(&lib).map_err(|source| Error::io("read", &lib, source))?;
    let mut links = vec![(root.join("lib64"), PathBuf::from("lib"))];
    for name in entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()) {
        if let Some((plain, _)) = name.split_once(".so.") {
            links.push((lib.join(format!("{plain}.so")), name.into()));
        }
    }
    for (link, to) in links {
        if link.symlink_metadata().is_err() {
            std::os::unix::fs::symlink(to, &link).map_err(|source| Error::io("make", &link, source))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::system::fake::Fake;
    use super::*;

    #[test]
    fn every_package_has_a_version_and_a_digest() {
        let entries: Vec<&str> = LIST.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
        assert_eq!(entries.len(), 8);
        for entry in entries {
            let digest = entry.split_once(" --hash=sha256:").map(|(_, digest)| digest);
            assert!(entry.contains("==") && digest.is_some_and(|digest| digest.len() == 64), "{entry}");
        }
    }

    #[test]
    fn libraries_get_the_names_that_linkers_look_for() {
        let folder = tempfile::tempdir().unwrap();
        let lib = folder.path().join("lib");
        std::fs::create_dir_all(&lib).unwrap();
        std::fs::write(lib.join("libcublas.so.13"), "library").unwrap();
        std::fs::write(lib.join("libcudart_static.a"), "").unwrap();
        for _ in 0..2 {
            complete(folder.path()).unwrap();
            assert_eq!(std::fs::read_to_string(folder.path().join("lib64/libcublas.so")).unwrap(), "library");
        }
    }

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn without_a_network_the_error_names_both_ways_out() {
        let state = tempfile::tempdir().unwrap();
        let venv = state.path().join("cuda/python");
        let python = venv.join("bin/python");
        std::fs::create_dir_all(python.parent().unwrap()).unwrap();
        std::fs::write(&python, "").unwrap();
        let list = venv.join(python::ASKED).display().to_string();
        let python = python.display().to_string();
        let machine = Fake::default().answer(&format!("{python} -m pip --version"), true, "pip 23").answer(
            &format!("{python} -m pip install --disable-pip-version-check --quiet -r {list}"),
            false,
            "ERROR: Could not find a version that satisfies the requirement nvidia-cuda-nvcc==13.0.88",
        );
        let mut said = String::new();
        let error = ensure(state.path(), &machine, &mut |text| said.push_str(text)).unwrap_err().to_string();
        assert!(said.contains("0.7 GB"), "{said}");
        for part in ["nvidia-cuda-nvcc", "CUDA_HOME", "check the network"] {
            assert!(error.contains(part), "{error}");
        }
    }
}
