//! Names of settings: see `kernel/analysis/README.md`.

pub use rustc_hash::FxHashMap;

/// Whether an editor takes snippets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnippetCap;

impl SnippetCap {
    /// It does, or it does not.
    pub fn new(takes: bool) -> Option<SnippetCap> {
        takes.then_some(SnippetCap)
    }
}

/// What a completion stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the language's own")]
pub enum SymbolKind {
    Attribute,
    BuiltinAttr,
    Const,
    ConstParam,
    CrateRoot,
    Derive,
    DeriveHelper,
    Enum,
    Field,
    Function,
    Label,
    Local,
    Macro,
    Method,
    Module,
    ProcMacro,
    SelfParam,
    SelfType,
    Static,
    Struct,
    ToolModule,
    Trait,
    TypeAlias,
    TypeParam,
    Union,
    ValueParam,
    Variant,
}

/// How completion writes imports.
pub mod imports {
    /// Where and how it inserts them.
    pub mod insert_use {
        use ra_ap_hir::PrefixKind;

        /// How imports are merged.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ImportGranularity {
            /// A line for each item.
            Item,
        }

        /// The settings of inserted imports.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[expect(missing_docs, reason = "evcxr sets them, nobody reads them")]
        pub struct InsertUseConfig {
            pub prefix_kind: PrefixKind,
            pub group: bool,
            pub granularity: ImportGranularity,
            pub enforce_granularity: bool,
            pub skip_glob_imports: bool,
        }
    }
}
