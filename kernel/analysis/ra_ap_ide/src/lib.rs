//! An editor's questions, answered with nothing: see `kernel/analysis/README.md`.

mod settings;

use std::collections::HashMap;

use ra_ap_hir::{ChangeWithProcMacros, SourceDatabase};
use ra_ap_vfs::FileId;

pub use ra_ap_hir::Semantics;
pub use ra_ap_syntax::{Edition, TextRange, TextSize};
pub use settings::{
    CallableSnippets, CompletionConfig, CompletionFieldsToResolve, HoverConfig, HoverDocFormat, RaFixtureConfig,
    SubstTyLen,
};

/// The texts that are analysed.
#[derive(Debug, Default)]
pub struct RootDatabase {
    texts: HashMap<FileId, String>,
}

impl SourceDatabase for RootDatabase {
    fn text(&self, file: FileId) -> &str {
        self.texts.get(&file).map_or("", String::as_str)
    }
}

/// What holds the texts and takes their changes.
#[derive(Debug, Default)]
pub struct AnalysisHost {
    db: RootDatabase,
}

impl AnalysisHost {
    /// Takes new texts.
    pub fn apply_change(&mut self, change: ChangeWithProcMacros) {
        for (file, text) in change.files {
            match text {
                Some(text) => self.db.texts.insert(file, text),
                None => self.db.texts.remove(&file),
            };
        }
    }

    /// The texts.
    pub fn raw_database(&self) -> &RootDatabase {
        &self.db
    }

    /// What an editor asks.
    pub fn analysis(&self) -> Analysis {
        Analysis
    }
}

/// The answers to an editor.
#[derive(Debug)]
pub struct Analysis;

/// An answer that was cut off.
#[derive(Debug)]
pub enum Cancelled {}

impl Analysis {
    /// No completions.
    ///
    /// # Errors
    /// Never.
    pub fn completions(
        &self,
        _config: &CompletionConfig<'_>,
        _position: FilePosition,
        _trigger: Option<char>,
    ) -> Result<Option<Vec<CompletionItem>>, Cancelled> {
        Ok(None)
    }

    /// Nothing to show.
    ///
    /// # Errors
    /// Never.
    pub fn hover(
        &self,
        _config: &HoverConfig<'_>,
        _range: FileRange,
    ) -> Result<Option<RangeInfo<HoverResult>>, Cancelled> {
        Ok(None)
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy)]
pub struct FilePosition {
    /// The file.
    pub file_id: FileId,
    /// Bytes from its start.
    pub offset: TextSize,
}

/// A part of a file.
#[derive(Debug, Clone, Copy)]
pub struct FileRange {
    /// The file.
    pub file_id: FileId,
    /// Which bytes.
    pub range: TextRange,
}

/// An answer about a part of a file.
#[derive(Debug)]
pub struct RangeInfo<T> {
    /// Which part.
    pub range: TextRange,
    /// The answer.
    pub info: T,
}

/// What is shown of a name.
#[derive(Debug)]
pub struct HoverResult {
    /// The text.
    pub markup: String,
}

/// A completion that is offered.
#[derive(Debug)]
pub struct CompletionItem {
    /// What it shows.
    pub label: CompletionItemLabel,
    /// What it stands for.
    pub kind: CompletionItemKind,
    /// What it changes.
    pub text_edit: Vec<Indel>,
}

impl CompletionItem {
    /// What the reader's text is compared with.
    pub fn lookup(&self) -> &str {
        &self.label.primary
    }
}

/// What a completion shows.
#[derive(Debug)]
pub struct CompletionItemLabel {
    /// Its name.
    pub primary: String,
}

/// What a completion stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the language's own")]
pub enum CompletionItemKind {
    SymbolKind(ra_ap_ide_db::SymbolKind),
    Binding,
    BuiltinType,
    Expression,
    InferredType,
    Keyword,
    Snippet,
    UnresolvedReference,
}

/// A replacement in a text.
#[derive(Debug)]
pub struct Indel {
    /// What goes.
    pub delete: TextRange,
    /// What comes in its place.
    pub insert: String,
}
