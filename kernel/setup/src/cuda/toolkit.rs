//! The CUDA toolkit of the machine: where it is, its version, and whether it has what candle is built with.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::capability::Capability;
use super::driver::Driver;
use super::version::Version;
use crate::system::System;
use workbench_base::text::tail;

/// The versions that the bindings of candle (cudarc 0.19) know.
const KNOWN: [Version; 19] = [
    Version(11, 4),
    Version(11, 5),
    Version(11, 6),
    Version(11, 7),
    Version(11, 8),
    Version(12, 0),
    Version(12, 1),
    Version(12, 2),
    Version(12, 3),
    Version(12, 4),
    Version(12, 5),
    Version(12, 6),
    Version(12, 8),
    Version(12, 9),
    Version(13, 0),
    Version(13, 1),
    Version(13, 2),
    Version(13, 3),
    Version(13, 4),
];

/// What candle links of a toolkit.
const LIBRARIES: [&str; 5] = ["cublas", "cublasLt", "curand", "cudart", "nvrtc"];

/// What the bindings of a version take for granted, and its first releases lack: the crate would compile and no cell could load it.
const LATER: [(Version, &str, &str); 1] = [(Version(13, 0), "cublasLt", "cublasLtEmulationDescCreate")];

/// Where toolkits are when no variable names one.
const USUAL: [&str; 2] = ["/usr/local/cuda", "/opt/cuda"];

/// A toolkit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolkit {
    /// Its folder.
    pub root: PathBuf,
    /// Its version.
    pub version: Version,
}

impl Toolkit {
    /// Its compiler.
    pub fn nvcc(&self) -> PathBuf {
        self.root.join("bin/nvcc")
    }

    /// Where its libraries are.
    pub fn library_folders(&self) -> Vec<PathBuf> {
        let places = ["lib64", "lib", "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu"];
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in places.map(|place| self.root.join(place)) {
            let same = |known: &PathBuf| known.canonicalize().ok() == folder.canonicalize().ok();
            if folder.is_dir() && !folders.iter().any(same) {
                folders.push(folder);
            }
        }
        folders
    }

    /// Whether it serves: a version that the bindings know and the driver can load, all libraries, the capability.
    ///
    /// # Errors
    /// What is wrong, and what to do.
    pub fn check(
        &self,
        driver: Option<&Driver>,
        capability: Capability,
        system: &dyn System,
    ) -> Result<(), (String, String)> {
        const ANOTHER: &str = "name another toolkit in CUDA_HOME";
        let place = self.root.display();
        if !KNOWN.contains(&self.version) {
            return Err((
                format!(
                    "the toolkit in {place} is CUDA {}, which the crate's bindings do not know (they know {} to {})",
                    self.version,
                    KNOWN[0],
                    KNOWN[KNOWN.len() - 1]
                ),
                ANOTHER.to_owned(),
            ));
        }
        if let Some(driver) = driver.filter(|driver| driver.version < self.version) {
            return Err((
                format!(
                    "the driver knows CUDA {} and the toolkit in {place} is {}, whose kernels it cannot load",
                    driver.version, self.version
                ),
                format!("update the driver, or name a toolkit of CUDA {} or older in CUDA_HOME", driver.version),
            ));
        }
        let folders = self.library_folders();
        let has = |library: &&str| folders.iter().any(|folder| system.exists(&folder.join(format!("lib{library}.so"))));
        let missing: Vec<&str> = LIBRARIES.iter().copied().filter(|library| !has(library)).collect();
        if !missing.is_empty() {
            return Err((
                format!("the toolkit in {place} lacks lib{}.so", missing.join(".so, lib")),
                format!("install the toolkit's development libraries, or {ANOTHER}"),
            ));
        }
        let lacks = |(version, library, function): &&(Version, &str, &str)| {
            let files = folders.iter().map(|folder| folder.join(format!("lib{library}.so")));
            *version == self.version && files.filter_map(|file| names(&file, function)).any(|names| !names)
        };
        if let Some((version, library, function)) = LATER.iter().find(lacks) {
            return Err((
                format!(
                    "lib{library}.so of the toolkit in {place} has no {function}: it is a first release of CUDA {version}"
                ),
                format!("update the toolkit to the last release of CUDA {version}, or {ANOTHER}"),
            ));
        }
        let codes = codes(&self.nvcc(), system);
        if !codes.is_empty() && !codes.contains(&capability) {
            let known: Vec<String> = codes.iter().map(Capability::to_string).collect();
            return Err((
                format!(
                    "CUDA {} in {place} does not compile for capability {capability}; it does for {}",
                    self.version,
                    known.join(", ")
                ),
                format!("name the capability of your device with --capability, or {ANOTHER}"),
            ));
        }
        Ok(())
    }
}

/// The toolkit of this machine: the one that a variable names, one in a usual place, or the one of the `nvcc` on the path.
///
/// # Errors
/// A variable that names a folder without a compiler, or a compiler that does not tell its version.
pub fn find(system: &dyn System) -> Result<Option<Toolkit>, (String, String)> {
    for name in ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"] {
        if let Some(folder) = system.var(name) {
            let root = PathBuf::from(&folder);
            if !system.exists(&root.join("bin/nvcc")) {
                return Err((
                    format!("{name} is {folder}, where no bin/nvcc is"),
                    "let it name the folder of a CUDA toolkit, or unset it".to_owned(),
                ));
            }
            return at(&root, system).map(Some);
        }
    }
    for root in USUAL.map(Path::new) {
        if system.exists(&root.join("bin/nvcc")) {
            return at(root, system).map(Some);
        }
    }
    let path = system.var("PATH").unwrap_or_default();
    let nvcc = std::env::split_paths(&path).map(|folder| folder.join("nvcc")).find(|file| system.exists(file));
    let Some(nvcc) = nvcc else { return Ok(None) };
    // A link on the path leads to the toolkit's own folder.
    let nvcc = nvcc.canonicalize().unwrap_or(nvcc);
    match nvcc.parent().and_then(Path::parent) {
        Some(root) => at(root, system).map(Some),
        None => Ok(None),
    }
}

/// The toolkit in a folder.
///
/// # Errors
/// A compiler that does not start or does not tell its version.
pub fn at(root: &Path, system: &dyn System) -> Result<Toolkit, (String, String)> {
    let nvcc = root.join("bin/nvcc").display().to_string();
    let ran = system.run(&nvcc, &["--version"]).unwrap_or_default();
    match Version::of_compiler(&ran.output).filter(|_| ran.ok) {
        Some(version) => Ok(Toolkit { root: root.to_path_buf(), version }),
        None => Err((
            format!("`{nvcc} --version` does not tell a version{}", tail(&ran.output, 3)),
            "reinstall the toolkit, or name another one in CUDA_HOME".to_owned(),
        )),
    }
}

/// Whether a library has a name in it; nothing if it cannot be read.
fn names(library: &Path, name: &str) -> Option<bool> {
    let (mut file, name) = (std::fs::File::open(library).ok()?, name.as_bytes());
    let mut part = vec![0; 1 << 20];
    let mut kept = 0;
    loop {
        let read = file.read(&mut part[kept..]).ok()?;
        let all = kept + read;
        if part[..all].windows(name.len()).any(|window| window == name) {
            return Some(true);
        }
        if read == 0 {
            return Some(false);
        }
        // The name may lie across two parts.
        kept = all.min(name.len() - 1);
        part.copy_within(all - kept..all, 0);
    }
}

/// What a compiler compiles for; nothing if it does not tell.
fn codes(nvcc: &Path, system: &dyn System) -> Vec<Capability> {
    let ran = system.run(&nvcc.display().to_string(), &["--list-gpu-code"]).unwrap_or_default();
    let mut codes: Vec<Capability> = ran.output.lines().filter_map(|line| line.trim().parse().ok()).collect();
    codes.sort();
    codes
}

#[cfg(test)]
mod tests {
    use super::super::super::system::fake::Fake;
    use super::*;

    const TELLS: &str = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.4, V12.4.131\n";

    /// A folder that looks like a toolkit, on disk, and a machine that sees it.
    fn toolkit() -> (tempfile::TempDir, Fake) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("lib64")).unwrap();
        let mut machine = Fake::default();
        machine.files.push(root.join("bin/nvcc"));
        machine.files.extend(LIBRARIES.map(|name| root.join(format!("lib64/lib{name}.so"))));
        let nvcc = root.join("bin/nvcc").display().to_string();
        let machine = machine.answer(&format!("{nvcc} --version"), true, TELLS).answer(
            &format!("{nvcc} --list-gpu-code"),
            true,
            "sm_80\nsm_90\n",
        );
        (folder, machine)
    }

    fn named(folder: &tempfile::TempDir, mut machine: Fake) -> Fake {
        machine.vars.insert("CUDA_HOME".into(), folder.path().display().to_string());
        machine
    }

    #[test]
    fn the_variable_comes_first_and_then_the_path() {
        let (folder, machine) = toolkit();
        let by_variable = find(&named(&folder, machine)).unwrap().unwrap();
        assert_eq!(by_variable.root, folder.path());
        assert_eq!(by_variable.version, Version(12, 4));
        let (folder, mut machine) = toolkit();
        let path = format!("/nowhere:{}", folder.path().join("bin").display());
        machine.vars.insert("PATH".into(), path);
        assert_eq!(find(&machine).unwrap().unwrap().root, folder.path());
        assert_eq!(find(&Fake::default()).unwrap(), None);
    }

    #[test]
    fn a_variable_that_names_no_toolkit_is_told() {
        let mut machine = Fake::default();
        machine.vars.insert("CUDA_HOME".into(), "/wrong".into());
        let (why, hint) = find(&machine).unwrap_err();
        assert!(why.contains("CUDA_HOME is /wrong") && hint.contains("unset"), "{why} {hint}");
    }

    #[test]
    fn a_compiler_that_tells_no_version_is_told_with_its_words() {
        let mut machine = Fake::default().answer("/t/bin/nvcc --version", false, "cannot execute binary file");
        machine.vars.insert("CUDA_PATH".into(), "/t".into());
        machine.files.push("/t/bin/nvcc".into());
        let (why, _) = find(&machine).unwrap_err();
        assert!(why.contains("cannot execute"), "{why}");
    }

    #[test]
    fn what_does_not_serve_is_refused_with_what_to_do() {
        let (folder, machine) = toolkit();
        let nine = Capability::new(9, 0);
        let found = at(folder.path(), &machine).unwrap();
        let driver = |version| Driver { version, devices: Ok(Vec::new()) };
        assert_eq!(found.check(Some(&driver(Version(12, 4))), nine, &machine), Ok(()));
        assert_eq!(found.check(None, nine, &machine), Ok(()));
        let (why, hint) = found.check(Some(&driver(Version(12, 2))), nine, &machine).unwrap_err();
        assert!(why.contains("12.2") && why.contains("12.4") && hint.contains("update the driver"), "{why} {hint}");
        let (why, hint) = found.check(None, Capability::new(6, 1), &machine).unwrap_err();
        assert!(why.contains("6.1; it does for 8.0, 9.0") && hint.contains("--capability"), "{why} {hint}");
        let strange = Toolkit { version: Version(10, 2), ..found.clone() };
        let (why, _) = strange.check(None, nine, &machine).unwrap_err();
        assert!(why.contains("10.2") && why.contains("11.4 to 13.4"), "{why}");
        let mut bare = machine;
        bare.files.retain(|file| !file.ends_with("libcurand.so"));
        let (why, _) = found.check(None, nine, &bare).unwrap_err();
        assert!(why.contains("lacks libcurand.so"), "{why}");
    }

    #[test]
    fn a_first_release_that_lacks_what_the_bindings_name_is_refused() {
        let (folder, machine) = toolkit();
        let mut toolkit = at(folder.path(), &machine).unwrap();
        toolkit.version = Version(13, 0);
        let check = || toolkit.check(None, Capability::new(9, 0), &machine);
        let library = folder.path().join("lib64/libcublasLt.so");
        let mut bytes = vec![b'c'; (1 << 20) - 5];
        std::fs::write(&library, &bytes).unwrap();
        let (why, hint) = check().unwrap_err();
        assert!(
            why.contains("cublasLtEmulationDescCreate") && hint.contains("last release of CUDA 13.0"),
            "{why} {hint}"
        );
        bytes.extend(b"cublasLtEmulationDescCreate");
        std::fs::write(&library, &bytes).unwrap();
        assert_eq!(check(), Ok(()));
    }

    #[test]
    fn versions_are_read_and_written() {
        assert_eq!(Version::of_driver(13000), Version(13, 0));
        assert_eq!(Version::of_driver(12040), Version(12, 4));
        assert_eq!(Version(12, 4).in_digits(), "12040");
        assert_eq!(Version(13, 0).in_digits(), "13000");
        assert_eq!(Version::of_compiler("none"), None);
    }
}
