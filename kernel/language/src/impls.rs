//! Impls of a type: associated types, what it implements, what it dereferences to.

use std::collections::BTreeMap;

use super::item::{Generic, Impl};
use super::ty::{Def, Ty, Written, read};
use super::types::{Env, unify};
use super::world::{Scope, World};

/// How deep blanket impls and dereferences are followed.
const DEPTH: usize = 6;
/// Traits of which it is known for each type of the standard library whether it has them.
const CERTAIN: [&str; 5] = ["Clone", "Copy", "Eq", "Hash", "Ord"];

impl World {
    /// `<ty as by>::name`.
    pub fn project(&self, ty: &Ty, by: Option<Def>, name: &str, depth: usize) -> Ty {
        if depth > 12 {
            return Ty::Unknown;
        }
        if let Ty::Bounded(_, bounds) = ty {
            let bound = bounds.iter().flat_map(|b| &b.bindings).find(|(n, _)| n == name);
            if let Some((_, found)) = bound {
                return found.clone();
            }
        }
        if matches!(ty, Ty::Unknown | Ty::Param(_)) {
            return Ty::Unknown;
        }
        let traits: Vec<Def> = match by {
            Some(def) => vec![def],
            None => self.traits_with_type(name),
        };
        for def in traits {
            if let Some((krate, block, env)) = self.implementation(ty, def, depth + 1)
                && let Some(member) = block.members.iter().find(|m| m.name == name)
            {
                let found = self.resolve((krate, block.module), &read(&member.ty), &env, depth + 1);
                if !found.is_unknown() {
                    return found;
                }
            }
        }
        Ty::Unknown
    }

    fn traits_with_type(&self, name: &str) -> Vec<Def> {
        let mut found = Vec::new();
        for (krate, content) in self.crates() {
            let all = content.with_type.get(name).into_iter().flatten();
            found.extend(all.map(|(module, item)| Def { krate, module: *module, item: *item }));
        }
        // What iterates is also something to iterate over, which tells nothing new.
        found.sort_by_key(|def| self.item(*def).name == "IntoIterator");
        found
    }

    /// The impl of a trait for a type, with what its generics stand for.
    pub fn implementation(&self, ty: &Ty, of: Def, depth: usize) -> Option<(usize, &Impl, Env)> {
        if depth > DEPTH * 2 {
            return None;
        }
        let name = &self.item(of).name;
        let wanted = self.heads(ty);
        for (krate, content) in self.crates() {
            for (subject, number) in content.of_trait.get(name).into_iter().flatten() {
                if !subject.is_empty() && !wanted.contains(subject) {
                    continue;
                }
                let block = &content.impls[*number as usize];
                let scope = (krate, block.module);
                let is_trait = block.of.as_deref().is_some_and(|t| {
                    matches!(self.resolve(scope, &read(t), &Env::default(), 0), Ty::Bounded(_, b) if b.iter().any(|b| b.def == of))
                });
                if !is_trait {
                    continue;
                }
                if let Some(env) = self.matches(scope, block, ty, depth) {
                    return Some((krate, block, env));
                }
            }
        }
        None
    }

    /// Under which names impls for a type are found; they are also written for its aliases.
    pub(super) fn heads(&self, ty: &Ty) -> Vec<String> {
        match ty {
            Ty::Adt(def, _) => self.aliases_of(*def),
            Ty::Prim(name) => vec![name.clone()],
            Ty::Ref(_) => vec!["&".to_owned()],
            Ty::Slice(_) | Ty::Array(..) => vec!["[]".to_owned()],
            Ty::Tuple(_) => vec!["()".to_owned()],
            Ty::Bounded(_, bounds) => bounds.iter().map(|b| self.item(b.def).name.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether an impl is for a type, and what its parameters then stand for.
    pub(super) fn matches(&self, scope: Scope, block: &Impl, ty: &Ty, depth: usize) -> Option<Env> {
        let mut open = Env::default();
        for generic in &block.generics {
            open.params.insert(generic.name.clone(), Ty::Param(generic.name.clone()));
        }
        let subject = self.resolve(scope, &read(&block.subject), &open, 0);
        if subject.is_unknown() {
            return None;
        }
        let mut env = Env { own: Some(ty.clone()), ..Env::default() };
        if !unify(&subject, ty, &mut env.params) {
            return None;
        }
        if let Ty::Param(name) = &subject {
            // A blanket impl: its bounds must hold.
            let generic = block.generics.iter().find(|g| g.name == *name)?;
            for text in &generic.bounds {
                let bound = self.bound(scope, &read(text), &Env::default(), 0);
                let holds = bound.is_some_and(|b| self.implements(ty, b.def, depth + 1));
                if !holds && text != "Sized" && text != "?Sized" {
                    return None;
                }
            }
        }
        if block.of.is_some() && !self.arguments_fit(scope, block, &env, depth) {
            return None;
        }
        self.bindings_tell(scope, block, &open, &mut env, depth);
        let known = env.clone();
        self.results_of_functions(scope, &block.generics, &known, &mut env.params);
        for generic in &block.generics {
            let unbound = || self.parameter(scope, &generic.name, &generic.bounds, &Env::default());
            if !env.params.contains_key(&generic.name) {
                env.params.insert(generic.name.clone(), unbound());
            }
        }
        Some(env)
    }

    /// Whether what an impl's parameters stand for has the traits that it asks of them; `Vec<f64>` has no greatest element.
    /// Only where that is known for sure: for types and traits of the standard library.
    fn arguments_fit(&self, scope: Scope, block: &Impl, env: &Env, depth: usize) -> bool {
        block.generics.iter().all(|generic| {
            let Some(actual) = env.params.get(&generic.name) else {
                return true;
            };
            let known = matches!(actual, Ty::Prim(_)) || matches!(actual, Ty::Adt(def, _) if def.krate == 0);
            let mut asked = generic.bounds.iter().filter(|bound| CERTAIN.contains(&bound.as_str()));
            !known
                || asked.all(|text| {
                    let bound = self.bound(scope, &read(text), &Env::default(), 0);
                    bound.is_none_or(|bound| bound.def.krate != 0 || self.implements(actual, bound.def, depth + 1))
                })
        })
    }

    /// `I: Iterator<Item = &'a T>` tells `T` where `I` is known.
    fn bindings_tell(&self, scope: Scope, block: &Impl, open: &Env, env: &mut Env, depth: usize) {
        for generic in &block.generics {
            for text in generic.bounds.iter().filter(|bound| bound.contains(" = ")) {
                let Some(actual) = env.params.get(&generic.name).cloned() else {
                    continue;
                };
                let Some(bound) = self.bound(scope, &read(text), open, 0) else {
                    continue;
                };
                for (name, pattern) in &bound.bindings {
                    let found = self.project(&actual, Some(bound.def), name, depth + 1);
                    unify(pattern, &found, &mut env.params);
                }
            }
        }
    }

    /// Whether a type implements a trait.
    pub fn implements(&self, ty: &Ty, of: Def, depth: usize) -> bool {
        let item = self.item(of);
        match ty {
            Ty::Unknown => return false,
            Ty::Bounded(_, bounds) if bounds.iter().any(|b| self.with_supers(b.def).contains(&of)) => return true,
            Ty::Adt(def, _) if self.item(*def).derives.contains(&item.name) => return true,
            _ => {}
        }
        self.implementation(ty, of, depth).is_some()
    }

    pub(super) fn with_supers(&self, def: Def) -> Vec<Def> {
        let mut all = vec![def];
        let mut at = 0;
        while at < all.len() && all.len() < 32 {
            let def = all[at];
            let scope = (def.krate, def.module);
            for text in &self.item(def).inputs {
                if let Some(bound) = self.bound(scope, &read(text), &Env::default(), 0)
                    && !all.contains(&bound.def)
                {
                    all.push(bound.def);
                }
            }
            at += 1;
        }
        all
    }

    /// The type and what it dereferences to.
    pub fn chain(&self, ty: &Ty) -> Vec<Ty> {
        let deref = self.standard_trait("Deref");
        let mut all = vec![ty.clone()];
        while let Some(last) = all.last()
            && all.len() < DEPTH
        {
            let next = match last {
                Ty::Ref(inner) => (**inner).clone(),
                Ty::Array(inner, _) => Ty::Slice(inner.clone()),
                Ty::Adt(..) => match deref {
                    Some(deref) => self.project(last, Some(deref), "Target", 0),
                    None => Ty::Unknown,
                },
                _ => Ty::Unknown,
            };
            if next.is_unknown() || all.contains(&next) {
                break;
            }
            all.push(next);
        }
        all
    }

    /// A trait of the standard library.
    pub fn standard_trait(&self, name: &str) -> Option<Def> {
        let (module, item) = *self.krate(0).traits.get(name)?.first()?;
        Some(Def { krate: 0, module, item })
    }

    /// The name of a type and those of its aliases.
    fn aliases_of(&self, def: Def) -> Vec<String> {
        let aliases = &self.krate(def.krate).aliases;
        let mut found = vec![self.item(def).name.clone()];
        let mut at = 0;
        while let Some(name) = found.get(at) {
            let more: Vec<String> = aliases.get(name).into_iter().flatten().cloned().collect();
            for name in more {
                if !found.contains(&name) {
                    found.push(name);
                }
            }
            at += 1;
        }
        found
    }

    /// `F: FnMut(A) -> B` tells `B` where `F` is known.
    pub(super) fn results_of_functions(
        &self,
        scope: Scope,
        generics: &[Generic],
        env: &Env,
        found: &mut BTreeMap<String, Ty>,
    ) {
        for generic in generics {
            let Some(Ty::Function(_, actual)) = found.get(&generic.name).cloned() else {
                continue;
            };
            for bound in &generic.bounds {
                if let Written::Function(_, _, result) = read(bound) {
                    let mut open = env.clone();
                    for other in generics {
                        open.params.insert(other.name.clone(), Ty::Param(other.name.clone()));
                    }
                    let pattern = self.resolve(scope, &result, &open, 0);
                    unify(&pattern, &actual, found);
                }
            }
        }
    }
}
