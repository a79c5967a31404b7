//! Index of a crate: its modules, their items, and the impls.
//!
//! Types stay text here (`ty::Written` reads them when asked), and documentation stays in its file: an item keeps the first
//! line and where the rest is. That keeps polars, ndarray, candle and this project's crate together at a few megabytes.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::world::Res;

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// A module; its number is in [`Item::module`].
    Module,
    /// A struct or union.
    Struct,
    /// An enum.
    Enum,
    /// A variant of an enum.
    Variant,
    /// A trait.
    Trait,
    /// A type alias.
    Alias,
    /// A free function.
    Function,
    /// A function with `self`.
    Method,
    /// A function of a type without `self`.
    Associated,
    /// A constant or static.
    Constant,
    /// An associated type.
    AssociatedType,
    /// A field.
    Field,
    /// A macro.
    Macro,
}

impl Kind {
    /// The word that front ends show beside a completion.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Module => "module",
            Kind::Struct => "struct",
            Kind::Enum => "enum",
            Kind::Variant => "enum member",
            Kind::Trait => "trait",
            Kind::Alias | Kind::AssociatedType => "type",
            Kind::Function | Kind::Associated => "function",
            Kind::Method => "method",
            Kind::Constant => "constant",
            Kind::Field => "property",
            Kind::Macro => "macro",
        }
    }

    /// Whether it names a type.
    pub fn is_type(self) -> bool {
        matches!(self, Kind::Struct | Kind::Enum | Kind::Trait | Kind::Alias)
    }
}

/// Where an item's text is: file number and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Place {
    /// Number in [`Crate::files`].
    pub file: u32,
    /// First byte, documentation included.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A generic parameter and the traits it is bound by, as text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Generic {
    /// Its name.
    pub name: String,
    /// Bounds, those of the where clause included.
    pub bounds: Vec<String>,
}

/// One thing with a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Whether other crates can name it.
    pub public: bool,
    /// Its declaration in one line.
    pub signature: String,
    /// First paragraph of its documentation, in one line.
    pub doc: String,
    /// Where it is written.
    pub place: Place,
    /// Its generic parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generics: Vec<Generic>,
    /// Result of a function, type of a field or constant, target of an alias, as text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ty: String,
    /// Types of a function's parameters without `self`, as text; supertraits of a trait.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// Fields, variants, or a trait's items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Item>,
    /// Derived traits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derives: Vec<String>,
    /// Number of the module it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<u32>,
}

/// One name that a `use` brings in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// The path, `*` left out.
    pub path: Vec<String>,
    /// The name it gets; nothing for a glob.
    pub name: Option<String>,
    /// Whether other crates see it.
    pub public: bool,
    /// What the path means, once it was asked.
    #[serde(skip)]
    pub target: OnceLock<Vec<Res>>,
}

/// A module.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Module {
    /// Its path in the crate, without the crate.
    pub path: String,
    /// The module around it.
    pub parent: Option<u32>,
    /// What it defines.
    pub items: Vec<Item>,
    /// What it imports.
    pub uses: Vec<Use>,
}

/// One impl block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Impl {
    /// The module it stands in.
    pub module: u32,
    /// The type, as text.
    pub subject: String,
    /// The trait, as text.
    pub of: Option<String>,
    /// Generic parameters.
    pub generics: Vec<Generic>,
    /// Functions and constants of an inherent impl; associated types of a trait impl.
    pub members: Vec<Item>,
}

/// A source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum File {
    /// On disk, with length and time (nanoseconds since 1970) when it was read.
    Disk(PathBuf, u64, u128),
    /// In memory; such crates are not kept on disk.
    #[serde(skip)]
    Text(Arc<str>),
}

/// A crate.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Crate {
    /// Its name, as paths write it.
    pub name: String,
    /// Its sources.
    pub files: Vec<File>,
    /// Its modules; the first one is the root.
    pub modules: Vec<Module>,
    /// Its impls.
    pub impls: Vec<Impl>,
    /// Names of the crates it sees, with their keys.
    #[serde(skip)]
    pub externs: BTreeMap<String, usize>,
    /// Inherent impls by the head of their type.
    #[serde(skip)]
    pub inherent: HashMap<String, Vec<u32>>,
    /// Trait impls by the last name of the trait, with the heads of their types; an impl for all types has none.
    #[serde(skip)]
    pub of_trait: HashMap<String, Vec<(String, u32)>>,
    /// Traits by name, as (module, item).
    #[serde(skip)]
    pub traits: HashMap<String, Vec<(u32, u32)>>,
    /// Traits by the names of their associated types.
    #[serde(skip)]
    pub with_type: HashMap<String, Vec<(u32, u32)>>,
    /// Aliases by the head of what they stand for.
    #[serde(skip)]
    pub aliases: HashMap<String, Vec<String>>,
}

impl Crate {
    /// Fills the lookup tables after the impls are complete.
    pub fn finish(mut self) -> Crate {
        self.inherent.clear();
        self.of_trait.clear();
        for (number, block) in self.impls.iter().enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            match &block.of {
                None => self.inherent.entry(head(&block.subject)).or_default().push(number),
                Some(name) => {
                    let mut subject = head(&block.subject);
                    if block.generics.iter().any(|g| g.name == subject) {
                        subject.clear();
                    }
                    self.of_trait.entry(head(name)).or_default().push((subject, number));
                }
            }
        }
        self.traits.clear();
        self.with_type.clear();
        self.aliases.clear();
        for (m, module) in (0u32..).zip(&self.modules) {
            for (i, item) in (0u32..).zip(&module.items) {
                if item.kind == Kind::Alias {
                    self.aliases.entry(head(&item.ty)).or_default().push(item.name.clone());
                }
                if item.kind != Kind::Trait {
                    continue;
                }
                self.traits.entry(item.name.clone()).or_default().push((m, i));
                for member in item.members.iter().filter(|m| m.kind == Kind::AssociatedType) {
                    self.with_type.entry(member.name.clone()).or_default().push((m, i));
                }
            }
        }
        self
    }
}

/// The name by which a type's impls are found: the last segment of its path, `[]` for slices and arrays, `()` for
/// tuples, `&` for references.
pub fn head(text: &str) -> String {
    let text = text.trim_start();
    for (start, name) in [("[", "[]"), ("(", "()"), ("&", "&"), ("*", "*")] {
        if text.starts_with(start) {
            return name.to_owned();
        }
    }
    let text = text.trim_start_matches("dyn ").trim_start_matches("impl ");
    let path = text.split(['<', ' ', '+', '(']).next().unwrap_or(text);
    path.rsplit("::").next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_the_last_names() {
        assert_eq!(head("std::vec::Vec<T>"), "Vec");
        assert_eq!(head("[T; 3]"), "[]");
        assert_eq!(head("&'a str"), "&");
        assert_eq!(head("dyn SeriesTrait + 'a"), "SeriesTrait");
        assert_eq!(head("Add<Output = T>"), "Add");
    }
}
