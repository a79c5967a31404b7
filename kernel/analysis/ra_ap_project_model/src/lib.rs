//! A cargo project that is not read: see `kernel/analysis/README.md`.

use std::convert::Infallible;

use ra_ap_base_db::CrateGraphBuilder;
use ra_ap_ide_db::FxHashMap;
use ra_ap_paths::{AbsPath, AbsPathBuf};
use ra_ap_vfs::FileId;

/// The manifest of a project.
#[derive(Debug)]
pub struct ProjectManifest;

impl ProjectManifest {
    /// A manifest by its path.
    ///
    /// # Errors
    /// Never.
    pub fn from_manifest_file(_path: AbsPathBuf) -> Result<ProjectManifest, Infallible> {
        Ok(ProjectManifest)
    }
}

/// Where the sources of the standard library are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RustLibSource {
    /// Where the toolchain has them.
    Discover,
}

/// How a project is read.
#[derive(Debug, Default)]
pub struct CargoConfig {
    /// The standard library.
    pub sysroot: Option<RustLibSource>,
    /// Whether all targets are read.
    pub all_targets: bool,
}

/// Folders of sources.
#[derive(Debug)]
pub struct PackageRoot {
    /// Which belong to it.
    pub include: Vec<AbsPathBuf>,
    /// Which do not.
    pub exclude: Vec<AbsPathBuf>,
}

/// A project, empty.
#[derive(Debug)]
pub struct ProjectWorkspace;

impl ProjectWorkspace {
    /// Reads nothing.
    ///
    /// # Errors
    /// Never.
    pub fn load(
        _manifest: ProjectManifest,
        _config: &CargoConfig,
        _progress: &dyn Fn(String),
    ) -> Result<ProjectWorkspace, Infallible> {
        Ok(ProjectWorkspace)
    }

    /// No folders.
    pub fn to_roots(&self) -> Vec<PackageRoot> {
        Vec::new()
    }

    /// No crates, and no procedural macros.
    pub fn to_crate_graph(
        &self,
        _files: &mut dyn FnMut(&AbsPath) -> Option<FileId>,
        _environment: &FxHashMap<String, String>,
    ) -> (CrateGraphBuilder, ()) {
        (CrateGraphBuilder, ())
    }
}
