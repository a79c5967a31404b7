//! Names: what a path means in a module, through imports, globs and re-exports of all indexed crates.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::item::{Crate, Item, Kind, Module, Use};
use super::ty::{Def, PRIMITIVES};

/// A module of a crate.
pub type Scope = (usize, u32);

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Res {
    /// A module.
    Module(usize, u32),
    /// An item.
    Item(Def),
    /// A variant of an enum.
    Variant(Def, usize),
    /// A primitive type.
    Primitive(String),
}

/// All crates that are known. The standard library is the first one.
#[derive(Debug, Clone, Default)]
pub struct World {
    crates: Vec<Arc<Crate>>,
    names: BTreeMap<String, usize>,
}

/// Where a name was looked for already: modules, whether from inside the crate, and the name.
type Seen = Vec<(Scope, bool, u64)>;

/// FNV-1a: tells one name from another.
fn fingerprint(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl World {
    /// The standard library alone.
    pub fn new(standard: impl Into<Arc<Crate>>) -> World {
        let mut world = World::default();
        world.add(standard);
        for name in ["std", "core", "alloc"] {
            world.names.insert(name.to_owned(), 0);
        }
        world
    }

    /// Adds a crate under its name; its number.
    pub fn add(&mut self, krate: impl Into<Arc<Crate>>) -> usize {
        let krate = krate.into();
        let number = self.crates.len();
        self.names.entry(krate.name.clone()).or_insert(number);
        self.crates.push(krate);
        number
    }

    /// Adds a crate in place of what its name meant; its number.
    pub fn replace(&mut self, krate: Crate) -> usize {
        self.names.remove(&krate.name);
        self.add(krate)
    }

    /// A crate by number.
    pub fn krate(&self, number: usize) -> &Crate {
        &self.crates[number]
    }

    /// All crates.
    pub fn crates(&self) -> impl Iterator<Item = (usize, &Crate)> {
        self.crates.iter().enumerate().map(|(i, c)| (i, &**c))
    }

    /// Names of crates that cells can use.
    pub fn names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.names.iter().map(|(name, number)| (name.as_str(), *number))
    }

    /// A module.
    pub fn module(&self, (krate, module): Scope) -> &Module {
        &self.crates[krate].modules[module as usize]
    }

    /// An item.
    pub fn item(&self, def: Def) -> &Item {
        &self.crates[def.krate].modules[def.module as usize].items[def.item as usize]
    }

    /// A path as a reader would write it.
    pub fn path_of(&self, (krate, module): Scope) -> String {
        let krate = &self.crates[krate];
        let path = &krate.modules[module as usize].path;
        if path.is_empty() { krate.name.clone() } else { format!("{}::{path}", krate.name) }
    }

    /// The shortest path by which other crates name an item's module, private modules left out.
    pub fn public_path(&self, def: Def) -> String {
        let name = &self.item(def).name;
        let mut around = vec![def.module];
        while let Some(parent) = around.last().and_then(|m| self.module((def.krate, *m)).parent) {
            around.push(parent);
        }
        let shown = around.into_iter().rev().find(|module| {
            let found = self.in_module((def.krate, *module), name, usize::MAX);
            found.contains(&Res::Item(def))
        });
        self.path_of((def.krate, shown.unwrap_or(def.module)))
    }

    fn external(&self, from: usize, name: &str) -> Option<Res> {
        let krate = &self.crates[from];
        let number = krate.externs.get(name).or_else(|| self.names.get(name))?;
        Some(Res::Module(*number, 0))
    }

    /// What `name` means among the items and imports of a module, for a reader in crate `from`.
    pub fn in_module(&self, scope: Scope, name: &str, from: usize) -> Vec<Res> {
        let mut found = Vec::new();
        self.search(scope, name, from, &mut Vec::new(), &mut found);
        found
    }

    fn search(&self, scope: Scope, name: &str, from: usize, seen: &mut Seen, found: &mut Vec<Res>) {
        let own = scope.0 == from;
        let here = (scope, own, fingerprint(name));
        if seen.contains(&here) || seen.len() > 400 {
            return;
        }
        seen.push(here);
        let module = self.module(scope);
        for (number, item) in module.items.iter().enumerate() {
            if item.name == name && (own || item.public) {
                add(found, self.res_of(scope, number));
            }
        }
        for used in &module.uses {
            if !(own || used.public) {
                continue;
            }
            match &used.name {
                Some(alias) if alias == name => {
                    for res in self.target(scope, used, seen) {
                        add(found, res);
                    }
                }
                Some(_) => {}
                None => {
                    // A name of the module itself shadows those of globs.
                    if !found.is_empty() {
                        continue;
                    }
                    for target in self.target(scope, used, seen) {
                        match target {
                            Res::Module(krate, module) => {
                                let inner = if own && krate == scope.0 { from } else { usize::MAX };
                                self.search((krate, module), name, inner, seen, found);
                            }
                            Res::Item(def) => {
                                if let Some(at) = self.item(def).members.iter().position(|m| m.name == name)
                                    && self.item(def).kind == Kind::Enum
                                {
                                    add(found, Res::Variant(def, at));
                                }
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
    }

    fn res_of(&self, scope: Scope, number: usize) -> Res {
        match self.module(scope).items[number].module {
            Some(inner) => Res::Module(scope.0, inner),
            None => Res::Item(Def { krate: scope.0, module: scope.1, item: u32::try_from(number).unwrap_or(0) }),
        }
    }

    /// What a path means in a module.
    pub fn path(&self, scope: Scope, segments: &[String]) -> Vec<Res> {
        self.path_guarded(scope, segments, &Vec::new(), false)
    }

    /// What a `use` means. The answer is kept: paths of imports are asked again and again.
    fn target(&self, scope: Scope, used: &Use, seen: &Seen) -> Vec<Res> {
        if let Some(known) = used.target.get() {
            return known.clone();
        }
        let mut found = self.path_guarded(scope, &used.path, seen, true);
        if found.len() > 1 {
            // `mod frame; pub use frame::frame;` exports the function only.
            found.retain(|res| !matches!(res, Res::Module(krate, module) if self.is_private((*krate, *module))));
        }
        // Nothing may also mean that it was asked while it was being answered.
        if !found.is_empty() {
            let _ = used.target.set(found.clone());
        }
        found
    }

    fn is_private(&self, (krate, module): Scope) -> bool {
        let parent = self.module((krate, module)).parent;
        let mut items = parent.into_iter().flat_map(|p| &self.module((krate, p)).items);
        items.any(|i| i.module == Some(module) && !i.public)
    }

    fn path_guarded(&self, scope: Scope, segments: &[String], seen: &Seen, import: bool) -> Vec<Res> {
        let Some(first) = segments.first() else {
            return Vec::new();
        };
        let from = scope.0;
        let mut rest = &segments[1..];
        let mut here = match first.as_str() {
            "crate" | "$crate" => vec![Res::Module(from, 0)],
            "self" => vec![Res::Module(from, scope.1)],
            "super" => {
                let mut module = self.module(scope).parent;
                while rest.first().is_some_and(|s| s == "super") {
                    module = module.and_then(|m| self.module((from, m)).parent);
                    rest = &rest[1..];
                }
                module.map(|m| Res::Module(from, m)).into_iter().collect()
            }
            "::" => {
                let name = rest.first().map(String::as_str).unwrap_or_default();
                rest = rest.get(1..).unwrap_or_default();
                self.external(from, name).into_iter().collect()
            }
            // `pub use frame::frame;` begins with the module, whatever else has that name.
            name if import && !rest.is_empty() && self.own_module(scope, name).is_some() => {
                self.own_module(scope, name).into_iter().collect()
            }
            name => self.first(scope, name, seen, import),
        };
        for segment in rest {
            let mut next = Vec::new();
            for res in &here {
                match res {
                    Res::Module(krate, module) => {
                        let mut deeper = seen.clone();
                        self.search((*krate, *module), segment, from, &mut deeper, &mut next);
                    }
                    Res::Item(def) if self.item(*def).kind == Kind::Enum => {
                        if let Some(at) = self.item(*def).members.iter().position(|m| m.name == *segment) {
                            add(&mut next, Res::Variant(*def, at));
                        }
                    }
                    _ => {}
                }
            }
            here = next;
            if here.is_empty() {
                break;
            }
        }
        here
    }

    fn own_module(&self, scope: Scope, name: &str) -> Option<Res> {
        let mut items = self.module(scope).items.iter();
        let module = items.find_map(|i| i.module.filter(|_| i.name == name))?;
        Some(Res::Module(scope.0, module))
    }

    /// The first name of a path: the module's own, a crate, the prelude of `std`, a primitive type.
    fn first(&self, scope: Scope, name: &str, seen: &Seen, import: bool) -> Vec<Res> {
        let mut found = Vec::new();
        let seen = &mut seen.clone();
        if import {
            // Imports mostly begin with an item of the module or a crate; globs would be searched in circles.
            let module = self.module(scope);
            let own = module.items.iter().any(|i| i.name == name)
                || module.uses.iter().any(|u| u.name.as_deref() == Some(name));
            if !own && let Some(external) = self.external(scope.0, name) {
                return vec![external];
            }
        }
        self.search(scope, name, scope.0, seen, &mut found);
        if !found.is_empty() {
            return found;
        }
        // The cell being written sees what earlier cells defined.
        if let Some(parent) = self.module(scope).parent
            && self.krate(scope.0).name == CELLS
        {
            self.search((scope.0, parent), name, scope.0, seen, &mut found);
            if !found.is_empty() {
                return found;
            }
        }
        if let Some(external) = self.external(scope.0, name) {
            return vec![external];
        }
        if let Some(prelude) = self.prelude() {
            let mut fresh = Vec::new();
            self.search(prelude, name, usize::MAX, &mut fresh, &mut found);
        }
        if PRIMITIVES.contains(&name) {
            found.push(Res::Primitive(name.to_owned()));
        }
        found
    }

    /// The module of `std` that every cell sees.
    pub fn prelude(&self) -> Option<Scope> {
        let number = self.crates.first()?.modules.iter().position(|m| m.path == "prelude")?;
        Some((0, u32::try_from(number).ok()?))
    }

    /// Everything that can be named in a module by a reader in crate `from`, by name.
    pub fn list(&self, scope: Scope, from: usize) -> BTreeSet<(String, Res)> {
        let mut found = BTreeSet::new();
        self.list_into(scope, from, &mut Vec::new(), &mut found);
        found
    }

    fn list_into(&self, scope: Scope, from: usize, seen: &mut Vec<(Scope, bool)>, found: &mut BTreeSet<(String, Res)>) {
        let own = scope.0 == from;
        if seen.contains(&(scope, own)) {
            return;
        }
        seen.push((scope, own));
        let module = self.module(scope);
        for (number, item) in module.items.iter().enumerate() {
            if own || item.public {
                found.insert((item.name.clone(), self.res_of(scope, number)));
            }
        }
        for used in &module.uses {
            if !(own || used.public) {
                continue;
            }
            let targets = self.target(scope, used, &Vec::new());
            match &used.name {
                Some(name) if name == "_" => {}
                Some(name) => found.extend(targets.into_iter().map(|res| (name.clone(), res))),
                None => {
                    for target in targets {
                        match target {
                            Res::Module(krate, module) => {
                                let inner = if own && krate == scope.0 { from } else { usize::MAX };
                                self.list_into((krate, module), inner, seen, found);
                            }
                            Res::Item(def) if self.item(def).kind == Kind::Enum => {
                                let members = self.item(def).members.iter().enumerate();
                                found.extend(members.map(|(i, m)| (m.name.clone(), Res::Variant(def, i))));
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
    }
}

/// Name of the crate that a session's cells make up.
pub const CELLS: &str = "cells";

fn add(found: &mut Vec<Res>, res: Res) {
    if !found.contains(&res) {
        found.push(res);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Collector;

    fn world() -> World {
        let read = |name: &str, text: &str| Collector::new(name, BTreeSet::new()).text(text);
        let mut world =
            World::new(read("std", "pub mod prelude { pub use crate::vec::Vec; } pub mod vec { pub struct Vec<T>; }"));
        world.add(read(
            "lib",
            "mod twice { pub fn twice() {} } pub use twice::twice; mod hidden { pub struct Law; struct Private; } pub use hidden::Law as Zipf; pub mod a { pub use super::b::*; } \
             pub mod b { pub use super::a::*; pub fn f() {} pub enum E { X, Y } pub use E::*; } \
             pub mod prelude { pub use crate::a::{self, f}; pub use crate::*; }",
        ));
        let mut cells = Collector::new(CELLS, BTreeSet::new()).with_private();
        cells.cell("use lib::prelude::*;\nstruct Mine;", 0);
        let current = cells.module(0, "current");
        cells.cell("fn here() {}", current);
        let cells = cells.finish();
        world.add(cells);
        world
    }

    fn names(world: &World, path: &str) -> Vec<String> {
        let segments: Vec<String> = path.split("::").map(str::to_owned).collect();
        let scope = (world.crates.len() - 1, 1);
        let mut found: Vec<String> = world
            .path(scope, &segments)
            .into_iter()
            .map(|res| match res {
                Res::Module(k, m) => format!("mod {}", world.path_of((k, m))),
                Res::Item(def) => world.item(def).signature.clone(),
                Res::Variant(def, i) => world.item(def).members[i].name.clone(),
                Res::Primitive(name) => name,
            })
            .collect();
        found.sort();
        found
    }

    #[test]
    fn names_are_found_through_imports() {
        let world = world();
        assert_eq!(names(&world, "Zipf"), ["struct Law"]);
        assert_eq!(names(&world, "lib::a::f"), ["fn f()"]);
        assert_eq!(names(&world, "a::X"), ["X"]);
        assert_eq!(names(&world, "a::E::Y"), ["Y"]);
        assert_eq!(names(&world, "lib::twice"), ["fn twice()"]);
        assert_eq!(names(&world, "Mine"), ["struct Mine"]);
        assert_eq!(names(&world, "here"), ["fn here()"]);
        assert_eq!(names(&world, "Vec"), ["struct Vec<T>"]);
        assert_eq!(names(&world, "std::vec"), ["mod std::vec"]);
        assert_eq!(names(&world, "f64"), ["f64"]);
        assert_eq!(names(&world, "lib::hidden::Private"), [""; 0]);
        assert_eq!(names(&world, "nothing::at::all"), [""; 0]);
    }

    #[test]
    fn modules_list_what_can_be_named() {
        let world = world();
        let lib = world.names["lib"];
        let found = world.list((lib, 0), usize::MAX);
        let found: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(found, ["Zipf", "a", "b", "prelude", "twice"]);
        let a = world.path((lib, 0), &["a".to_owned()]);
        let Res::Module(k, m) = a[0] else { panic!("{a:?}") };
        let found = world.list((k, m), usize::MAX);
        let found: BTreeSet<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(found, ["E", "X", "Y", "f"].into());
    }
}
