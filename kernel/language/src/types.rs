//! Types: from text to definitions, through aliases and associated types; which impls are for a type; what has a name on
//! it. A small part of what a compiler does: no inference variables, no coherence, and whatever is not understood is
//! unknown instead of wrong.

use std::collections::BTreeMap;

use super::item::{Item, Kind};
use super::ty::{Bound, Def, PRIMITIVES, Ty, Written, read};
use super::world::{CELLS, Res, Scope, World};

/// What generic parameters and `Self` stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Env {
    /// Parameters.
    pub params: BTreeMap<String, Ty>,
    /// `Self`.
    pub own: Option<Ty>,
}

impl World {
    /// The type that a text means.
    pub fn ty_of(&self, scope: Scope, text: &str, env: &Env) -> Ty {
        self.resolve(scope, &read(text), env, 0)
    }

    /// The type that a written type means.
    pub fn ty_written(&self, scope: Scope, written: &Written, env: &Env) -> Ty {
        self.resolve(scope, written, env, 0)
    }

    pub(super) fn resolve(&self, scope: Scope, written: &Written, env: &Env, depth: usize) -> Ty {
        if depth > 16 {
            return Ty::Unknown;
        }
        let inner = |w: &Written| self.resolve(scope, w, env, depth + 1);
        match written {
            Written::Path(segments, args, bindings) => self.resolve_path(scope, segments, args, bindings, env, depth),
            Written::Projection(of, by, name) => {
                let by = by.as_ref().and_then(|b| self.bound(scope, b, env, depth + 1));
                self.project(&inner(of), by.map(|b| b.def), name, depth + 1)
            }
            Written::Ref(of) => Ty::Ref(Box::new(inner(of))),
            Written::Slice(of) => Ty::Slice(Box::new(inner(of))),
            Written::Array(of, length) => Ty::Array(Box::new(inner(of)), length.clone()),
            Written::Tuple(parts) => Ty::Tuple(parts.iter().map(inner).collect()),
            Written::Function(_, inputs, result) => {
                Ty::Function(inputs.iter().map(inner).collect(), Box::new(inner(result)))
            }
            Written::Bounds(all) => {
                if let [function @ Written::Function(..)] = all.as_slice() {
                    return inner(function);
                }
                let bounds = all.iter().filter_map(|b| self.bound(scope, b, env, depth + 1)).collect();
                Ty::Bounded("impl".to_owned(), bounds)
            }
            Written::Unknown => Ty::Unknown,
        }
    }

    fn resolve_path(
        &self,
        scope: Scope,
        segments: &[String],
        args: &[Written],
        bindings: &[(String, Written)],
        env: &Env,
        depth: usize,
    ) -> Ty {
        let first = segments[0].as_str();
        if let Some(own) = (first == "Self").then_some(env.own.as_ref()).flatten().or(env.params.get(first)) {
            let mut found = own.clone();
            for name in &segments[1..] {
                found = self.project(&found, None, name, depth + 1);
            }
            return found;
        }
        if segments.len() == 1 && PRIMITIVES.contains(&first) {
            return Ty::Prim(first.to_owned());
        }
        let args: Vec<Ty> = args.iter().map(|a| self.resolve(scope, a, env, depth + 1)).collect();
        for res in self.path(scope, segments) {
            match res {
                Res::Item(def) => match self.item(def).kind {
                    Kind::Struct | Kind::Enum => return Ty::Adt(def, args),
                    Kind::Alias => {
                        let item = self.item(def);
                        let env = named(item, &args);
                        return self.resolve((def.krate, def.module), &read(&item.ty), &env, depth + 1);
                    }
                    Kind::Trait => {
                        let bindings = bindings
                            .iter()
                            .map(|(name, w)| (name.clone(), self.resolve(scope, w, env, depth + 1)))
                            .collect();
                        return Ty::Bounded("dyn".to_owned(), vec![Bound { def, args, bindings }]);
                    }
                    _ => {}
                },
                Res::Primitive(name) => return Ty::Prim(name),
                _ => {}
            }
        }
        if self.krate(scope.0).name != CELLS {
            return Ty::Unknown;
        }
        // The compiler may name a variable's type by a path that only it can see: the only type of that name is meant.
        self.only_type(segments).map_or(Ty::Unknown, |def| Ty::Adt(def, args))
    }

    fn only_type(&self, segments: &[String]) -> Option<Def> {
        let [first, .., name] = segments else { return None };
        let mut found = None;
        let home = self.names().find(|(n, _)| n == first).map(|(_, number)| number)?;
        for (number, krate) in self.crates() {
            if home != number && number != 0 {
                continue;
            }
            for (m, module) in krate.modules.iter().enumerate() {
                for (i, item) in module.items.iter().enumerate() {
                    if item.name == *name && matches!(item.kind, Kind::Struct | Kind::Enum) {
                        let def = Def { krate: number, module: u32::try_from(m).ok()?, item: u32::try_from(i).ok()? };
                        if found.replace(def).is_some() {
                            return None;
                        }
                    }
                }
            }
        }
        found
    }

    pub(super) fn bound(&self, scope: Scope, written: &Written, env: &Env, depth: usize) -> Option<Bound> {
        match written {
            Written::Path(..) => match self.resolve(scope, written, env, depth) {
                Ty::Bounded(_, mut bounds) => bounds.pop(),
                _ => None,
            },
            Written::Function(name, inputs, result) if name != "fn" => {
                let def = self.trait_named(scope, name)?;
                let inputs = inputs.iter().map(|w| self.resolve(scope, w, env, depth + 1)).collect();
                let result = self.resolve(scope, result, env, depth + 1);
                Some(Bound { def, args: vec![Ty::Tuple(inputs)], bindings: vec![("Output".to_owned(), result)] })
            }
            _ => None,
        }
    }

    fn trait_named(&self, scope: Scope, name: &str) -> Option<Def> {
        self.path(scope, &[name.to_owned()]).into_iter().find_map(|res| match res {
            Res::Item(def) if self.item(def).kind == Kind::Trait => Some(def),
            _ => None,
        })
    }

    /// A generic parameter of which only the bounds are known.
    pub fn parameter(&self, scope: Scope, name: &str, bounds: &[String], env: &Env) -> Ty {
        for text in bounds {
            if let Written::Function(..) = read(text) {
                return self.resolve(scope, &read(text), env, 0);
            }
        }
        let bounds: Vec<Bound> = bounds.iter().filter_map(|b| self.bound(scope, &read(b), env, 1)).collect();
        if bounds.is_empty() { Ty::Unknown } else { Ty::Bounded(name.to_owned(), bounds) }
    }

    /// A type as a reader writes it.
    pub fn show(&self, ty: &Ty) -> String {
        let list = |parts: &[Ty]| parts.iter().map(|p| self.show(p)).collect::<Vec<_>>().join(", ");
        match ty {
            Ty::Adt(def, args) => {
                let name = &self.item(*def).name;
                if args.is_empty() { name.clone() } else { format!("{name}<{}>", list(args)) }
            }
            Ty::Prim(name) | Ty::Param(name) => name.clone(),
            Ty::Ref(inner) => format!("&{}", self.show(inner)),
            Ty::Slice(inner) => format!("[{}]", self.show(inner)),
            Ty::Array(inner, length) => format!("[{}; {length}]", self.show(inner)),
            Ty::Tuple(parts) if parts.len() == 1 => format!("({},)", list(parts)),
            Ty::Tuple(parts) => format!("({})", list(parts)),
            Ty::Function(inputs, result) => match &**result {
                Ty::Tuple(none) if none.is_empty() => format!("fn({})", list(inputs)),
                result => format!("fn({}) -> {}", list(inputs), self.show(result)),
            },
            Ty::Bounded(_, bounds) => {
                let one = |b: &Bound| {
                    let name = self.item(b.def).name.clone();
                    let mut args: Vec<String> = b.args.iter().map(|a| self.show(a)).collect();
                    args.extend(b.bindings.iter().map(|(n, t)| format!("{n} = {}", self.show(t))));
                    if args.is_empty() { name } else { format!("{name}<{}>", args.join(", ")) }
                };
                format!("impl {}", bounds.iter().map(one).collect::<Vec<_>>().join(" + "))
            }
            Ty::Unknown => "_".to_owned(),
        }
    }
}

/// An item's generics with what they stand for.
pub fn named(item: &Item, args: &[Ty]) -> Env {
    let pairs = item.generics.iter().enumerate();
    Env {
        params: pairs.map(|(i, g)| (g.name.clone(), args.get(i).cloned().unwrap_or(Ty::Unknown))).collect(),
        own: None,
    }
}

/// Makes `pattern` equal to `actual` by choosing its parameters. What is not known agrees with everything.
pub fn unify(pattern: &Ty, actual: &Ty, params: &mut BTreeMap<String, Ty>) -> bool {
    let all = |a: &[Ty], b: &[Ty], params: &mut BTreeMap<String, Ty>| a.iter().zip(b).all(|(a, b)| unify(a, b, params));
    match (pattern, actual) {
        (Ty::Param(name), _) => {
            match params.get(name) {
                Some(known) if !known.is_unknown() && !actual.is_unknown() => return known == actual,
                Some(_) if actual.is_unknown() => {}
                _ => {
                    params.insert(name.clone(), actual.clone());
                }
            }
            true
        }
        (Ty::Unknown, _) | (_, Ty::Unknown) => true,
        (Ty::Adt(a, x), Ty::Adt(b, y)) => a == b && all(x, y, params),
        (Ty::Prim(a), Ty::Prim(b)) => a == b,
        (Ty::Ref(a), Ty::Ref(b)) | (Ty::Slice(a), Ty::Slice(b)) => unify(a, b, params),
        (Ty::Array(a, n), Ty::Array(b, m)) => (n == m || n.parse::<u64>().is_err()) && unify(a, b, params),
        (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len() && all(a, b, params),
        (Ty::Bounded(_, a), Ty::Bounded(_, b)) => a.iter().all(|a| b.iter().any(|b| a.def == b.def)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Collector;
    use std::collections::BTreeSet;

    fn world() -> World {
        let read = |name: &str, text: &str| Collector::new(name, BTreeSet::new()).text(text);
        let mut world = World::new(read(
            "std",
            "pub mod prelude { pub use crate::{Vec, Iterator, Deref, Clone, IntoIterator}; }
             pub struct Vec<T>; impl<T> Vec<T> { pub fn push(&mut self, x: T) {} }
             pub trait Deref { type Target; fn deref(&self) -> &Self::Target; }
             pub trait Clone { fn clone(&self) -> Self; }
             impl<T> Deref for Vec<T> { type Target = [T]; }
             impl<T> [T] { pub fn iter(&self) -> Iter<'_, T> {} pub fn first(&self) -> Option<&T> {} }
             pub struct Iter<'a, T>; impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
             pub trait Iterator { type Item; fn next(&mut self) -> Option<Self::Item>; fn map<B, F: FnMut(Self::Item) -> B>(self, f: F) -> Map<Self, F>; }
             pub trait IntoIterator { type Item; fn into_iter(self); } impl<I: Iterator> IntoIterator for I { type Item = I::Item; }
             pub enum Option<T> { None, Some(T) } pub trait FnMut<A> { type Output; }
             pub struct Map<I, F>;",
        ));
        world.add(read(
            "nd",
            "pub struct ArrayBase<S: RawData, D> { pub dim: D } pub struct OwnedRepr<A>; pub trait RawData { type Elem; }
             impl<A> RawData for OwnedRepr<A> { type Elem = A; } pub type Array<A, D> = ArrayBase<OwnedRepr<A>, D>;
             pub type Array1<A> = Array<A, Ix1>; pub type Ix1 = Dim<[usize; 1]>; pub type Ix2 = Dim<[usize; 2]>; pub struct Dim<I>;
             impl<A> Array<A, Ix2> { pub fn only_two(&self) -> A {} } impl<S: RawData, D> ArrayBase<S, D> { pub fn first(&self) -> S::Elem {} }
             pub trait Show { fn show(&self) -> String; } impl<T> Show for Vec<T> {}",
        ));
        world
    }

    fn dotted(world: &World, text: &str, traits: &[Def]) -> Vec<String> {
        let ty = world.ty_of((1, 0), text, &Env::default());
        world.dotted(&ty, traits, 99).into_iter().map(|m| m.item.name.clone()).collect()
    }

    #[test]
    fn methods_come_through_dereferencing_aliases_and_traits() {
        let world = world();
        assert_eq!(dotted(&world, "&Vec<f64>", &[]), ["push", "iter", "first"]);
        assert_eq!(dotted(&world, "Array1<f64>", &[]), ["dim", "first"]);
        assert_eq!(dotted(&world, "nd::Array<f64, nd::Ix2>", &[]), ["dim", "first", "only_two"]);
        let traits = world.traits_in((1, 0));
        assert!(dotted(&world, "Vec<u8>", &traits).contains(&"show".to_owned()));
        assert!(!dotted(&world, "f64", &traits).contains(&"show".to_owned()));
        assert!(dotted(&world, "std::Iter<u8>", &traits).contains(&"into_iter".to_owned()));
    }

    #[test]
    fn results_follow_generics_and_associated_types() {
        let world = world();
        let traits = world.traits_in((1, 0));
        let result = |text: &str, name: &str| {
            let ty = world.ty_of((1, 0), text, &Env::default());
            let members = world.dotted(&ty, &traits, 99);
            let member = members.iter().find(|m| m.item.name == name).unwrap();
            world.show(&world.result(member, &[], &[]))
        };
        assert_eq!(result("Array1<f64>", "first"), "f64");
        assert_eq!(result("Array1<f64>", "dim"), "Dim<[usize; 1]>");
        assert_eq!(result("Vec<u8>", "iter"), "Iter<u8>");
        assert_eq!(result("std::Iter<u8>", "next"), "Option<&u8>");
        assert_eq!(result("Vec<u8>", "first"), "Option<&u8>");
    }
}
