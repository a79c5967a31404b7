//! The inputs of an analysis, as far as evcxr makes them: see `kernel/analysis/README.md`.

use ra_ap_syntax::Edition;
use ra_ap_vfs::FileId;
use ra_ap_vfs::file_set::FileSet;

/// A file in the edition that it is parsed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditionedFileId {
    file: FileId,
    edition: Edition,
}

impl EditionedFileId {
    /// The file `file`, in `edition`; no database has to remember it.
    pub fn new<D>(_db: &D, file: FileId, edition: Edition) -> EditionedFileId {
        EditionedFileId { file, edition }
    }

    /// Which file.
    pub fn file_id(self) -> FileId {
        self.file
    }

    /// Its edition.
    pub fn edition(self) -> Edition {
        self.edition
    }
}

/// Files that belong together. Nobody looks at them.
#[derive(Debug)]
pub struct SourceRoot;

impl SourceRoot {
    /// A root of the project's own files.
    pub fn new_local(_files: FileSet) -> SourceRoot {
        SourceRoot
    }
}

/// The crates of a project and their dependencies: none.
#[derive(Debug, Default)]
pub struct CrateGraphBuilder;
