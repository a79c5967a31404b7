//! Settings of questions that nobody answers.

use std::marker::PhantomData;

use ra_ap_ide_db::SnippetCap;
use ra_ap_ide_db::imports::insert_use::InsertUseConfig;

/// Which fields of a completion may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletionFieldsToResolve;

impl CompletionFieldsToResolve {
    /// None.
    pub fn empty() -> CompletionFieldsToResolve {
        CompletionFieldsToResolve
    }
}

/// What is written for the arguments of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallableSnippets {
    /// Their names.
    FillArguments,
}

/// Code in string literals of tests.
#[derive(Debug, Default, Clone, Copy)]
pub struct RaFixtureConfig<'a>(PhantomData<&'a str>);

/// What completion is asked for.
#[derive(Debug)]
#[expect(missing_docs, reason = "evcxr sets them, nobody reads them")]
pub struct CompletionConfig<'a> {
    pub enable_postfix_completions: bool,
    pub enable_imports_on_the_fly: bool,
    pub enable_self_on_the_fly: bool,
    pub enable_auto_iter: bool,
    pub enable_auto_await: bool,
    pub enable_private_editable: bool,
    pub enable_term_search: bool,
    pub term_search_fuel: u64,
    pub full_function_signatures: bool,
    pub callable: Option<CallableSnippets>,
    pub add_colons_to_module: bool,
    pub add_semicolon_to_unit: bool,
    pub snippet_cap: Option<SnippetCap>,
    pub insert_use: InsertUseConfig,
    pub prefer_no_std: bool,
    pub prefer_prelude: bool,
    pub prefer_absolute: bool,
    pub snippets: Vec<String>,
    pub limit: Option<usize>,
    pub fields_to_resolve: CompletionFieldsToResolve,
    pub exclude_flyimport: Vec<String>,
    pub exclude_traits: &'a [String],
    pub ra_fixture: RaFixtureConfig<'a>,
}

/// The form of what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoverDocFormat {
    /// Markdown.
    Markdown,
    /// Text.
    PlainText,
}

/// How far the arguments of a type are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubstTyLen {
    /// To their end.
    Unlimited,
}

/// What is asked about a name.
#[derive(Debug)]
#[expect(missing_docs, reason = "evcxr sets them, nobody reads them")]
pub struct HoverConfig<'a> {
    pub links_in_hover: bool,
    pub memory_layout: Option<()>,
    pub documentation: bool,
    pub keywords: bool,
    pub format: HoverDocFormat,
    pub max_trait_assoc_items_count: Option<usize>,
    pub max_fields_count: Option<usize>,
    pub max_enum_variants_count: Option<usize>,
    pub max_subst_ty_len: SubstTyLen,
    pub show_drop_glue: bool,
    pub ra_fixture: RaFixtureConfig<'a>,
}
