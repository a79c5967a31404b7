//! Types of calls: of functions, methods, constructors, and of macros whose value has a known type.

use std::collections::BTreeMap;

use ra_ap_syntax::ast::{self, HasArgList, HasGenericArgs};

use super::infer::{Infer, Target};
use super::item::Kind;
use super::members::Member;
use super::ty::{Def, Ty};
use super::types::{Env, named, unify};

impl<'w> Infer<'w> {
    /// The method that a call calls.
    pub fn method(&self, call: &ast::MethodCallExpr) -> Option<Member<'w>> {
        let name = call.name_ref()?.text().to_string();
        let on = self.expr(&call.receiver()?);
        self.named_method(&on, &name)
    }

    fn named_method(&self, on: &Ty, name: &str) -> Option<Member<'w>> {
        for ty in self.world.chain(on) {
            let found = self.world.functions(&ty, &self.traits, self.from());
            if let Some(member) = found.into_iter().find(|m| m.item.name == name) {
                return Some(member);
            }
        }
        None
    }

    /// A field or method of an expression, by name.
    pub fn member(&self, on: &Ty, name: &str) -> Option<Member<'w>> {
        let field = self
            .world
            .chain(on)
            .iter()
            .find_map(|ty| self.world.fields(ty, self.from()).into_iter().find(|f| f.item.name == name));
        field.or_else(|| self.named_method(on, name))
    }

    pub(super) fn call(&self, call: &ast::CallExpr) -> Option<Ty> {
        let callee = call.expr()?;
        let args = || self.args(call.arg_list());
        let ast::Expr::PathExpr(path) = &callee else {
            return match self.expr(&callee) {
                Ty::Function(_, result) => Some(*result),
                _ => None,
            };
        };
        let path = path.path()?;
        let explicit = self.explicit(path.segment().and_then(|s| s.generic_arg_list()));
        if let Some(name) = path.as_single_name_ref()
            && let Some(found) = self.macro_result(name.text().strip_suffix('_').unwrap_or_default(), call)
        {
            return Some(found);
        }
        match self.path(&path)? {
            Target::Member(member) => {
                // `Type::method(&value)` has the receiver as first argument.
                let mut args = args();
                if member.item.kind == Kind::Method && !args.is_empty() {
                    args.remove(0);
                }
                Some(self.world.result(&member, &explicit, &args))
            }
            Target::Variable(_, Ty::Function(_, result)) => Some(*result),
            Target::Item(def) => match self.world.item(def).kind {
                Kind::Function => {
                    let member = Member {
                        item: self.world.item(def),
                        scope: (def.krate, def.module),
                        env: Env::default(),
                        of: None,
                        owner: String::new(),
                    };
                    Some(self.world.result(&member, &explicit, &args()))
                }
                Kind::Struct => Some(self.constructed(def, &self.world.item(def).members, &args())),
                _ => None,
            },
            Target::Variant(def, number) => {
                let variant = self.world.item(def).members.get(number)?;
                Some(self.constructed(def, &variant.members, &args()))
            }
            _ => None,
        }
    }

    fn constructed(&self, def: Def, fields: &[super::item::Item], args: &[Ty]) -> Ty {
        let item = self.world.item(def);
        let params: Vec<Ty> = item.generics.iter().map(|g| Ty::Param(g.name.clone())).collect();
        let env = named(item, &params);
        let mut found = BTreeMap::new();
        for (field, actual) in fields.iter().zip(args) {
            let pattern = self.world.ty_of((def.krate, def.module), &field.ty, &env);
            unify(&pattern, actual, &mut found);
        }
        let args = item.generics.iter().map(|g| found.remove(&g.name).unwrap_or(Ty::Unknown));
        Ty::Adt(def, args.collect())
    }

    /// Macros whose value has a known type. The cell's macro calls were turned into calls (see [`super::context`]).
    fn macro_result(&self, name: &str, call: &ast::CallExpr) -> Option<Ty> {
        let first = || call.arg_list().and_then(|l| l.args().next());
        match name {
            "vec" => {
                let inner = first().map_or(Ty::Unknown, |e| self.expr(&e));
                Some(Ty::Adt(self.standard_type("Vec")?, vec![inner]))
            }
            "format" => Some(Ty::Adt(self.standard_type("String")?, Vec::new())),
            "matches" => Some(Ty::Prim("bool".to_owned())),
            "array" => {
                let (mut inner, mut rank) = (first()?, 1);
                while let ast::Expr::ArrayExpr(list) = &inner {
                    rank += 1;
                    inner = list.exprs().next()?;
                }
                let inner = self.expr(&inner);
                let alias = format!("Array{rank}");
                let env = Env { params: [("T".to_owned(), inner)].into(), own: None };
                let home = self.world.names().find(|(n, _)| *n == "ndarray").map(|(_, number)| number)?;
                Some(self.world.ty_of((home, 0), &format!("{alias}<T>"), &env))
            }
            _ => None,
        }
    }
}
