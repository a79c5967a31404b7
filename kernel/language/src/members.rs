//! Members of a type: fields, functions of its impls, and those of traits that a cell sees.

use std::collections::BTreeMap;

use super::item::{Item, Kind};
use super::ty::{Def, Ty, Written, read};
use super::types::{Env, named, unify};
use super::world::{Res, Scope, World};

/// A function, constant, field or variant found on a type.
#[derive(Debug, Clone)]
pub struct Member<'w> {
    /// The member.
    pub item: &'w Item,
    /// The module it is written in.
    pub scope: Scope,
    /// What its generics stand for.
    pub env: Env,
    /// The trait it comes from.
    pub of: Option<Def>,
    /// The type it is defined on, as a word.
    pub owner: String,
}

impl World {
    /// Fields of a type, without dereferencing.
    pub fn fields<'w>(&'w self, ty: &Ty, from: usize) -> Vec<Member<'w>> {
        match ty {
            Ty::Adt(def, args) => {
                let item = self.item(*def);
                if item.kind != Kind::Struct {
                    return Vec::new();
                }
                let env = Env { own: Some(ty.clone()), ..named(item, args) };
                item.members
                    .iter()
                    .filter(|m| m.public || def.krate == from)
                    .map(|m| Member {
                        item: m,
                        scope: (def.krate, def.module),
                        env: env.clone(),
                        of: None,
                        owner: item.name.clone(),
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Functions and constants of a type, without dereferencing: inherent ones, and those of `traits`.
    pub fn functions<'w>(&'w self, ty: &Ty, traits: &[Def], from: usize) -> Vec<Member<'w>> {
        let mut found = Vec::new();
        let homes: Vec<usize> = match ty {
            Ty::Adt(def, _) => vec![def.krate],
            Ty::Unknown | Ty::Param(_) | Ty::Function(..) => return found,
            _ => vec![0],
        };
        let owner = self.show(ty);
        for krate in homes {
            let content = self.krate(krate);
            for key in self.heads(ty) {
                for number in content.inherent.get(&key).into_iter().flatten() {
                    let block = &content.impls[*number as usize];
                    let scope = (krate, block.module);
                    let Some(env) = self.matches(scope, block, ty, 0) else {
                        continue;
                    };
                    for item in block.members.iter().filter(|m| m.public || krate == from) {
                        found.push(Member { item, scope, env: env.clone(), of: None, owner: owner.clone() });
                    }
                }
            }
        }
        let mut all: Vec<(Def, Vec<Ty>)> = Vec::new();
        if let Ty::Bounded(_, bounds) = ty {
            for bound in bounds {
                let supers = self.with_supers(bound.def).into_iter();
                all.extend(supers.map(|def| (def, if def == bound.def { bound.args.clone() } else { Vec::new() })));
            }
        }
        for def in traits {
            if !all.iter().any(|(d, _)| d == def) && self.implements(ty, *def, 0) {
                all.push((*def, Vec::new()));
            }
        }
        for (def, args) in all {
            let item = self.item(def);
            let mut env = named(item, &args);
            env.own = Some(ty.clone());
            for member in item.members.iter().filter(|m| m.kind != Kind::AssociatedType) {
                if found.iter().any(|f| f.item.name == member.name) {
                    continue;
                }
                found.push(Member {
                    item: member,
                    scope: (def.krate, def.module),
                    env: env.clone(),
                    of: Some(def),
                    owner: item.name.clone(),
                });
            }
        }
        found
    }

    /// What `value.` offers: fields and methods of the type and of what it dereferences to.
    pub fn dotted<'w>(&'w self, ty: &Ty, traits: &[Def], from: usize) -> Vec<Member<'w>> {
        let mut found: Vec<Member<'w>> = Vec::new();
        for ty in self.chain(ty) {
            let fields = self.fields(&ty, from).into_iter();
            let methods = self.functions(&ty, traits, from).into_iter();
            for member in fields.chain(methods.filter(|m| m.item.kind == Kind::Method)) {
                let field = member.item.kind == Kind::Field;
                let same = |f: &Member<'_>| f.item.name == member.item.name && (f.item.kind == Kind::Field) == field;
                if !found.iter().any(same) {
                    found.push(member);
                }
            }
        }
        found
    }

    /// The type of a member's value: a field's type, a function's result when called with `args`.
    pub fn result(&self, member: &Member<'_>, explicit: &[Ty], args: &[Ty]) -> Ty {
        let env = self.call_env(member, explicit, args);
        self.ty_of(member.scope, &member.item.ty, &env)
    }

    /// What generics stand for in a call with `args`, as far as it can be told.
    pub fn call_env(&self, member: &Member<'_>, explicit: &[Ty], args: &[Ty]) -> Env {
        let mut env = member.env.clone();
        for (i, generic) in member.item.generics.iter().enumerate() {
            let known = explicit.get(i).filter(|t| !t.is_unknown()).cloned();
            let ty = known.unwrap_or_else(|| self.parameter(member.scope, &generic.name, &generic.bounds, &env));
            env.params.insert(generic.name.clone(), ty);
        }
        if args.is_empty() {
            return env;
        }
        let mut open = env.clone();
        for (name, ty) in &mut open.params {
            if matches!(ty, Ty::Unknown | Ty::Bounded(..)) {
                *ty = Ty::Param(name.clone());
            }
        }
        for generic in &member.item.generics {
            if generic.bounds.iter().any(|b| matches!(read(b), Written::Function(..))) {
                open.params.insert(generic.name.clone(), Ty::Param(generic.name.clone()));
            }
        }
        let mut found = BTreeMap::new();
        for (input, actual) in member.item.inputs.iter().zip(args) {
            let pattern = self.ty_of(member.scope, input, &open);
            // A generic argument may be given by reference or by value.
            unify(&pattern, actual, &mut found);
        }
        self.results_of_functions(member.scope, &member.item.generics, &env, &mut found);
        env.params.extend(found.into_iter().filter(|(_, ty)| !ty.is_unknown()));
        env
    }

    /// Traits that a module sees, those of the prelude of `std` included.
    pub fn traits_in(&self, scope: Scope) -> Vec<Def> {
        let mut found = Vec::new();
        let mut scopes = vec![(scope, scope.0)];
        scopes.extend(self.module(scope).parent.map(|p| ((scope.0, p), scope.0)));
        scopes.extend(self.prelude().map(|p| (p, usize::MAX)));
        for (scope, from) in scopes {
            for (_, res) in self.list(scope, from) {
                if let Res::Item(def) = res
                    && self.item(def).kind == Kind::Trait
                    && !found.contains(&def)
                {
                    found.push(def);
                }
            }
            // `use Trait as _;`
            for used in self.module(scope).uses.iter().filter(|u| u.name.as_deref() == Some("_")) {
                for res in self.path(scope, &used.path) {
                    if let Res::Item(def) = res
                        && !found.contains(&def)
                    {
                        found.push(def);
                    }
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PIECES, ask};

    fn names(ty: &str) -> [Vec<String>; 2] {
        ask("", |infer, _| {
            let ty = infer.world.ty_of(infer.scope, ty, &Env::default());
            let words = |found: Vec<Member<'_>>| found.iter().map(|member| member.item.name.clone()).collect();
            let functions = infer.world.functions(&ty, &[], infer.scope.0);
            [words(infer.world.fields(&ty, infer.scope.0)), words(functions)]
        })
    }

    #[test]
    fn a_type_has_its_public_fields_and_functions() {
        let [fields, functions] = names("workbench::memory::AssociativeMemory");
        assert_eq!(fields, ["weights"]);
        for name in ["store", "retrieve", "scores"] {
            assert!(functions.contains(&name.to_owned()), "{functions:?}");
        }
        assert!(!functions.contains(&"secret".to_owned()), "{functions:?}");
        assert!(names("Vec<f64>")[1].contains(&"push".to_owned()));
        assert_eq!(names("nothing::of::ours"), [Vec::<String>::new(), Vec::new()]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_asked_for_its_members(
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..24)
        ) {
            names(&pieces.concat());
        }
    }
}
