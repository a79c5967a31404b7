//! Types of code, as far as they stand in its syntax: see `kernel/analysis/README.md`.

use ra_ap_base_db::{CrateGraphBuilder, EditionedFileId, SourceRoot};
use ra_ap_syntax::{SourceFile, SyntaxNode, ast};
use ra_ap_vfs::FileId;

/// How a path is written in what completion inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrefixKind {
    /// From the root of the crate.
    ByCrate,
}

/// What changed since the last analysis.
#[derive(Debug, Default)]
pub struct ChangeWithProcMacros {
    /// Files and their new texts; none where a file is gone.
    pub files: Vec<(FileId, Option<String>)>,
}

impl ChangeWithProcMacros {
    /// A file has another text, or is gone.
    pub fn change_file(&mut self, file: FileId, text: Option<String>) {
        self.files.push((file, text));
    }

    /// Roots are of no interest to what reads one file.
    pub fn set_roots(&mut self, _roots: Vec<SourceRoot>) {}

    /// Nor are crates.
    pub fn set_crate_graph(&mut self, _graph: CrateGraphBuilder) {}
}

/// Where the texts of files are.
pub trait SourceDatabase {
    /// The text of a file; empty where it is not known.
    fn text(&self, file: FileId) -> &str;
}

/// Runs `op`; the database is found without being attached.
pub fn attach_db<D, R>(_db: &D, op: impl FnOnce() -> R) -> R {
    op()
}

/// Answers about the code in a database.
#[derive(Debug)]
pub struct Semantics<'db, D> {
    /// The database.
    pub db: &'db D,
}

impl<'db, D: SourceDatabase> Semantics<'db, D> {
    /// Answers about `db`.
    pub fn new(db: &'db D) -> Semantics<'db, D> {
        Semantics { db }
    }

    /// The syntax of a file.
    pub fn parse(&self, file: EditionedFileId) -> SourceFile {
        SourceFile::parse(self.db.text(file.file_id()), file.edition()).tree()
    }

    /// The scope of a node. All are alike.
    pub fn scope(&self, _node: &SyntaxNode) -> Option<SemanticsScope> {
        Some(SemanticsScope)
    }

    /// The inferred type of a pattern: none is inferred.
    pub fn type_of_pat(&self, _pat: &ast::Pat) -> Option<TypeInfo> {
        None
    }
}

/// Where a node stands.
#[derive(Debug)]
pub struct SemanticsScope;

impl SemanticsScope {
    /// The module around it.
    pub fn module(&self) -> Module {
        Module
    }
}

/// A module.
#[derive(Debug, Clone, Copy)]
pub struct Module;

/// The identity of a module.
#[derive(Debug, Clone, Copy)]
pub struct ModuleId;

impl From<Module> for ModuleId {
    fn from(_: Module) -> ModuleId {
        ModuleId
    }
}

/// An inferred type with its coercion. There is none.
#[derive(Debug)]
pub enum TypeInfo {}

impl TypeInfo {
    /// The type before a coercion.
    pub fn original(self) -> Type {
        match self {}
    }
}

/// An inferred type. There is none.
#[derive(Debug)]
pub enum Type {}

impl Type {
    /// Whether it is a closure's.
    pub fn is_closure(&self) -> bool {
        match *self {}
    }
}

/// A type that can be written down.
pub trait HirDisplay {
    /// The type as source code in a module.
    ///
    /// # Errors
    /// Where a type has no name; there is no type to ask it of.
    fn display_source_code<D>(&self, db: &D, module: ModuleId, allow_opaque: bool) -> Result<String, Unwritable>;
}

/// A type that has no name.
#[derive(Debug)]
pub enum Unwritable {}

impl HirDisplay for Type {
    fn display_source_code<D>(&self, _db: &D, _module: ModuleId, _allow_opaque: bool) -> Result<String, Unwritable> {
        match *self {}
    }
}
