//! The setting that puts a GPU under the notebooks: the toolkit that the crate's feature `cuda` is built with, and the devices it is
//! built for. `cargo workbench setup --cuda` finds and records it; what builds the crate, starts cells or computes obeys the record
//! until `setup --no-cuda`. On a machine without a driver a library of ours stands in for the driver's, so that everything loads and
//! a device that is asked for is refused in the crate's own words.

pub mod capability;
pub mod driver;
pub mod probe;
pub mod stand_in;
pub mod toolkit;
pub mod turn;
pub mod version;
pub mod wheels;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use capability::Capability;
use driver::Driver;
use toolkit::Toolkit;
use workbench_base::error::{Error, Result};

/// The feature of the crate that the setting turns on.
pub const FEATURE: &str = "cuda";
/// What turns it on.
pub const TURN_ON: &str = "cargo workbench setup --cuda";
/// The package whose build compiles kernels.
pub const KERNELS: &str = "candle-kernels";
/// Name of the record, inside the state folder.
const RECORD: &str = "cuda.json";

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The toolkit that kernels are compiled with.
    pub toolkit: Toolkit,
    /// The devices that they are compiled for.
    pub capability: Capability,
}

/// Folder of what the setting installs, inside the state folder.
pub fn folder(state: &Path) -> PathBuf {
    state.join("cuda")
}

impl Setting {
    /// The setting recorded in a state folder, if one is.
    ///
    /// # Errors
    /// [`Error::Cuda`] if the record cannot be read.
    pub fn read(state: &Path) -> Result<Option<Setting>> {
        let path = state.join(RECORD);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::io("read", &path, source)),
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| Error::Cuda {
            what: format!("read the GPU setting {}", path.display()),
            why: error.to_string(),
            hint: format!("`{TURN_ON}` makes it anew, `cargo workbench setup --no-cuda` removes it"),
        })
    }

    /// Records it.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write(&self, state: &Path) -> Result<()> {
        let path = state.join(RECORD);
        let text = serde_json::json!(self);
        workbench_record::atomic::write(&path, format!("{text:#}\n").as_bytes())
            .map_err(|source| Error::io("write", &path, source))
    }

    /// Removes the record; whether there was one.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn forget(state: &Path) -> Result<bool> {
        let path = state.join(RECORD);
        match std::fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(Error::io("remove", &path, source)),
        }
    }

    /// Variables for cargo: the same ones for every build, or each would compile the GPU's part of candle anew.
    pub fn build_environment(&self) -> Vec<(String, String)> {
        let root = self.toolkit.root.display().to_string();
        // Each compiler takes a gigabyte or more.
        let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get().div_ceil(2).max(2));
        [
            ("CUDA_HOME", root.clone()),
            ("CUDA_PATH", root.clone()),
            ("CUDA_ROOT", root),
            ("NVCC", self.toolkit.nvcc().display().to_string()),
            ("CUDARC_CUDA_VERSION", self.toolkit.version.in_digits()),
            ("CUDA_COMPUTE_CAP", self.capability.in_digits()),
            ("CUDAFORGE_THREADS", threads.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }

    /// Folders that programs load libraries from: the toolkit's, and last what stands in for a driver that is not there.
    pub fn load_folders(&self, state: &Path, driver_is_there: bool) -> Vec<PathBuf> {
        let mut folders = self.toolkit.library_folders();
        if !driver_is_there {
            folders.push(stand_in::folder(state));
        }
        folders
    }

    /// In one line: toolkit, its origin, and what it is built for.
    pub fn describe(&self) -> String {
        format!("CUDA {} in {}, for capability {}", self.toolkit.version, self.toolkit.root.display(), self.capability)
    }

    /// What a reader has to know of this machine: nothing where the devices are those that the crate was built for.
    pub fn complaint(&self, driver: Option<&Driver>) -> Option<String> {
        const GOES_ON: &str = "cells compute on the machine's own cores";
        let Some(driver) = driver else {
            return Some(format!(
                "the GPU setting is on and this machine has no NVIDIA driver (libcuda.so.1): {GOES_ON}"
            ));
        };
        if driver.version < self.toolkit.version {
            return Some(format!(
                "the GPU setting is on and the driver knows CUDA {}, older than the toolkit's {}: {GOES_ON}; update the driver, or run \
                 `{TURN_ON}` with an older toolkit in CUDA_HOME",
                driver.version, self.toolkit.version
            ));
        }
        match &driver.devices {
            Err(why) => Some(format!("the GPU setting is on and the driver has no device to offer ({why}): {GOES_ON}")),
            Ok(devices) if devices.is_empty() => {
                Some(format!("the GPU setting is on and the driver has no device to offer: {GOES_ON}"))
            }
            Ok(devices) => {
                let other = devices.iter().find(|device| device.capability != self.capability)?;
                Some(format!(
                    "the GPU setting is for capability {} and {} has {}: run `{TURN_ON}` to build for it",
                    self.capability, other.name, other.capability
                ))
            }
        }
    }
}

/// Puts folders before those that a list of variables, or else this process, has under `name`.
pub fn prepend(environment: &mut Vec<(String, String)>, name: &str, folders: &[PathBuf], old: Option<String>) {
    let known = environment.iter().position(|(known, _)| known == name).map(|at| environment.remove(at).1);
    let old = known.or(old).unwrap_or_default();
    let mut all: Vec<String> = Vec::new();
    let before = folders.iter().map(|folder| folder.display().to_string());
    for folder in before.chain(old.split(':').map(str::to_owned)) {
        if !folder.is_empty() && !all.contains(&folder) {
            all.push(folder);
        }
    }
    if !all.is_empty() {
        environment.push((name.to_owned(), all.join(":")));
    }
}

#[cfg(test)]
mod tests {
    use super::driver::Device;
    use super::version::Version;
    use super::*;

    pub(super) fn setting() -> Setting {
        Setting {
            toolkit: Toolkit { root: "/opt/toolkit".into(), version: Version(13, 0) },
            capability: Capability::new(9, 0),
        }
    }

    #[test]
    fn what_was_recorded_is_read_until_it_is_forgotten() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(Setting::read(state.path()).unwrap(), None);
        setting().write(state.path()).unwrap();
        assert_eq!(Setting::read(state.path()).unwrap(), Some(setting()));
        assert!(Setting::forget(state.path()).unwrap());
        assert!(!Setting::forget(state.path()).unwrap());
        assert_eq!(Setting::read(state.path()).unwrap(), None);
    }

    #[test]
    fn a_damaged_record_says_how_to_make_it_anew() {
        let state = tempfile::tempdir().unwrap();
        std::fs::write(state.path().join(RECORD), "{").unwrap();
        let error = Setting::read(state.path()).unwrap_err().to_string();
        assert!(error.contains(TURN_ON) && error.contains("--no-cuda"), "{error}");
    }

    #[test]
    fn every_build_gets_the_same_variables() {
        let environment = setting().build_environment();
        let value = |name: &str| environment.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        assert_eq!(value("CUDA_HOME"), Some("/opt/toolkit"));
        assert_eq!(value("NVCC"), Some("/opt/toolkit/bin/nvcc"));
        assert_eq!(value("CUDARC_CUDA_VERSION"), Some("13000"));
        assert_eq!(value("CUDA_COMPUTE_CAP"), Some("90"));
    }

    #[test]
    fn each_way_of_having_no_device_is_one_sentence() {
        let on = |version, devices| Driver { version, devices };
        let device = |major, minor| Device { name: "a device".into(), capability: Capability::new(major, minor) };
        let told = |driver: Option<Driver>| setting().complaint(driver.as_ref());
        let cases = [
            (told(None), "no NVIDIA driver"),
            (told(Some(on(Version(12, 4), Ok(vec![device(9, 0)])))), "knows CUDA 12.4"),
            (told(Some(on(Version(13, 0), Err("no device".into())))), "(no device)"),
            (told(Some(on(Version(13, 0), Ok(Vec::new())))), "no device to offer"),
            (told(Some(on(Version(13, 1), Ok(vec![device(8, 6)])))), "capability 9.0 and a device has 8.6"),
        ];
        for (told, part) in cases {
            let told = told.unwrap();
            assert!(told.contains(part) && !told.contains('\n'), "{told}");
        }
        assert_eq!(told(Some(on(Version(13, 0), Ok(vec![device(9, 0)])))), None);
    }

    #[test]
    fn folders_come_before_what_was_there_and_once() {
        let mut environment = vec![("P".to_owned(), "/conda".to_owned())];
        prepend(&mut environment, "P", &["/a".into(), "/conda".into()], Some("/unused".into()));
        assert_eq!(environment, [("P".to_owned(), "/a:/conda".to_owned())]);
        prepend(&mut environment, "Q", &["/a".into()], Some("/old:/a".into()));
        assert_eq!(environment[1], ("Q".to_owned(), "/a:/old".to_owned()));
        prepend(&mut environment, "R", &[], None);
        assert_eq!(environment.len(), 2);
    }
}
