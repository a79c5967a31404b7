//! Types of expressions in a cell: variables, calls, method chains, fields, closures' parameters.
//!
//! Unfinished code is the normal case here: what cannot be told is unknown and offers nothing.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use ra_ap_syntax::ast::{self, AstNode, HasArgList, HasGenericArgs, RangeItem};
use ra_ap_syntax::{SyntaxNode, TextRange};

use super::item::Kind;
use super::members::Member;
use super::ty::{Def, Ty, Written, read};
use super::types::Env;
use super::world::{Res, Scope, World};

/// What a name or path in a cell refers to.
#[derive(Debug, Clone)]
pub enum Target<'w> {
    /// A variable of the cell or the session, with its type.
    Variable(String, Ty),
    /// A module.
    Module(Scope),
    /// An item.
    Item(Def),
    /// A variant.
    Variant(Def, usize),
    /// A field, method, or function of a type.
    Member(Box<Member<'w>>),
    /// A primitive type.
    Primitive(String),
}

/// Types in one cell.
pub struct Infer<'w> {
    /// All names.
    pub world: &'w World,
    /// The cell's module.
    pub scope: Scope,
    /// Traits the cell sees.
    pub traits: Vec<Def>,
    /// Variables of earlier cells.
    pub variables: BTreeMap<String, Ty>,
    known: RefCell<HashMap<TextRange, Ty>>,
    working: RefCell<Vec<TextRange>>,
}

impl<'w> Infer<'w> {
    /// Types for a cell in module `scope`.
    pub fn new(world: &'w World, scope: Scope, variables: &[(String, String)]) -> Infer<'w> {
        let variables =
            variables.iter().map(|(name, ty)| (name.clone(), world.ty_of(scope, ty, &Env::default()))).collect();
        Infer {
            world,
            scope,
            traits: world.traits_in(scope),
            variables,
            known: RefCell::default(),
            working: RefCell::default(),
        }
    }

    pub(super) fn from(&self) -> usize {
        self.scope.0
    }

    /// The type that an annotation means.
    pub fn written(&self, ty: &ast::Type) -> Ty {
        self.world.ty_of(self.scope, &super::declare::text_of(ty.syntax()), &Env::default())
    }

    /// The type of an expression.
    pub fn expr(&self, expr: &ast::Expr) -> Ty {
        let range = expr.syntax().text_range();
        if let Some(known) = self.known.borrow().get(&range) {
            return known.clone();
        }
        if self.working.borrow().contains(&range) || self.working.borrow().len() > 120 {
            return Ty::Unknown;
        }
        self.working.borrow_mut().push(range);
        let found = self.compute(expr).unwrap_or(Ty::Unknown);
        self.working.borrow_mut().pop();
        self.known.borrow_mut().insert(range, found.clone());
        found
    }

    fn compute(&self, expr: &ast::Expr) -> Option<Ty> {
        Some(match expr {
            ast::Expr::Literal(literal) => literal_type(literal),
            ast::Expr::ParenExpr(e) => self.expr(&e.expr()?),
            ast::Expr::PathExpr(e) => match self.path(&e.path()?)? {
                Target::Variable(_, ty) => ty,
                Target::Member(member) if matches!(member.item.kind, Kind::Method | Kind::Associated) => {
                    Ty::Function(Vec::new(), Box::new(self.world.result(&member, &[], &[])))
                }
                Target::Member(member) => self.world.result(&member, &[], &[]),
                Target::Item(def) => self.value_of(def),
                Target::Variant(def, _) => Ty::Adt(def, Vec::new()),
                _ => Ty::Unknown,
            },
            ast::Expr::MethodCallExpr(e) => {
                let member = self.method(e)?;
                let mut explicit = self.explicit(e.generic_arg_list());
                if let Some(Ty::Adt(_, args)) = explicit.first_mut()
                    && member.item.name == "collect"
                {
                    self.collected(args, &self.item_of(&self.expr(&e.receiver()?)));
                }
                self.world.result(&member, &explicit, &self.args(e.arg_list()))
            }
            ast::Expr::FieldExpr(e) => {
                let name = e.name_ref()?.text().to_string();
                let on = self.expr(&e.expr()?);
                for ty in self.world.chain(&on) {
                    if let Ty::Tuple(parts) = &ty {
                        return name.parse::<usize>().ok().and_then(|i| parts.get(i).cloned());
                    }
                    let fields = self.world.fields(&ty, self.from());
                    if let Some(field) = fields.iter().find(|f| f.item.name == name) {
                        return Some(self.world.result(field, &[], &[]));
                    }
                }
                Ty::Unknown
            }
            ast::Expr::CallExpr(e) => self.call(e)?,
            ast::Expr::RecordExpr(e) => {
                let text = super::declare::text_of(e.path()?.syntax());
                match self.path(&e.path()?) {
                    Some(Target::Variant(def, _)) => Ty::Adt(def, Vec::new()),
                    _ => self.world.ty_of(self.scope, &text, &Env::default()),
                }
            }
            ast::Expr::TryExpr(e) => match self.expr(&e.expr()?) {
                Ty::Adt(_, args) => args.first()?.clone(),
                _ => Ty::Unknown,
            },
            ast::Expr::RefExpr(e) => Ty::Ref(Box::new(self.expr(&e.expr()?))),
            ast::Expr::PrefixExpr(e) => {
                let inner = self.expr(&e.expr()?);
                match e.op_kind()? {
                    ast::UnaryOp::Deref => self.world.chain(&inner).get(1).cloned()?,
                    _ => inner,
                }
            }
            ast::Expr::CastExpr(e) => self.written(&e.ty()?),
            ast::Expr::BinExpr(e) => self.binary(e)?,
            ast::Expr::RangeExpr(e) => {
                let end = e.syntax().children().filter_map(ast::Expr::cast).last();
                let item = end.map_or(Ty::Unknown, |e| self.expr(&e));
                let name = match e.op_kind()? {
                    ast::RangeOp::Exclusive => "std::ops::Range",
                    ast::RangeOp::Inclusive => "std::ops::RangeInclusive",
                };
                Ty::Adt(self.standard_type(name)?, vec![item])
            }
            ast::Expr::IndexExpr(e) => self.index(e)?,
            ast::Expr::TupleExpr(e) => Ty::Tuple(e.fields().map(|f| self.expr(&f)).collect()),
            ast::Expr::ArrayExpr(e) => {
                let inner = e.exprs().next().map_or(Ty::Unknown, |e| self.expr(&e));
                Ty::Array(Box::new(inner), e.exprs().count().to_string())
            }
            ast::Expr::BlockExpr(e) => self.expr(&e.stmt_list()?.tail_expr()?),
            ast::Expr::IfExpr(e) => self.expr(&ast::Expr::BlockExpr(e.then_branch()?)),
            ast::Expr::MatchExpr(e) => e
                .match_arm_list()?
                .arms()
                .filter_map(|arm| arm.expr())
                .map(|e| self.expr(&e))
                .find(|ty| !ty.is_unknown())?,
            ast::Expr::ClosureExpr(e) => {
                let inputs = self.closure_inputs(e);
                let result = match e.ret_type().and_then(|r| r.ty()) {
                    Some(ty) => self.written(&ty),
                    None => self.expr(&e.body()?),
                };
                Ty::Function(inputs, Box::new(result))
            }
            _ => Ty::Unknown,
        })
    }

    /// `collect::<Vec<_>>()` leaves it to the iterator what the collection holds.
    fn collected(&self, args: &mut [Ty], item: &Ty) {
        match (args, item) {
            ([only], item) if only.is_unknown() => *only = item.clone(),
            ([key, value], Ty::Tuple(parts)) if parts.len() == 2 && key.is_unknown() && value.is_unknown() => {
                *key = parts[0].clone();
                *value = parts[1].clone();
            }
            _ => {}
        }
    }

    fn value_of(&self, def: Def) -> Ty {
        let item = self.world.item(def);
        let scope = (def.krate, def.module);
        match item.kind {
            Kind::Function => {
                let env = Env::default();
                let inputs = item.inputs.iter().map(|t| self.world.ty_of(scope, t, &env)).collect();
                Ty::Function(inputs, Box::new(self.world.ty_of(scope, &item.ty, &env)))
            }
            Kind::Constant => self.world.ty_of(scope, &item.ty, &Env::default()),
            Kind::Struct => Ty::Adt(def, Vec::new()),
            _ => Ty::Unknown,
        }
    }

    pub(super) fn standard_type(&self, name: &str) -> Option<Def> {
        match self.world.ty_of((0, 0), name, &Env::default()) {
            Ty::Adt(def, _) => Some(def),
            _ => None,
        }
    }

    pub(super) fn explicit(&self, list: Option<ast::GenericArgList>) -> Vec<Ty> {
        list.into_iter()
            .flat_map(|l| l.generic_args())
            .filter_map(|a| match a {
                ast::GenericArg::TypeArg(a) => a.ty().map(|t| self.written(&t)),
                _ => None,
            })
            .collect()
    }

    pub(super) fn args(&self, list: Option<ast::ArgList>) -> Vec<Ty> {
        list.into_iter().flat_map(|l| l.args()).map(|a| self.expr(&a)).collect()
    }

    fn binary(&self, e: &ast::BinExpr) -> Option<Ty> {
        let op = e.op_kind()?;
        match op {
            ast::BinaryOp::LogicOp(_) | ast::BinaryOp::CmpOp(_) => Some(Ty::Prim("bool".to_owned())),
            ast::BinaryOp::Assignment { .. } => Some(Ty::Tuple(Vec::new())),
            ast::BinaryOp::ArithOp(_) => {
                let left = self.expr(&e.lhs()?).behind().clone();
                let right = e.rhs().map_or(Ty::Unknown, |r| self.expr(&r).behind().clone());
                // A number times an array is an array.
                let plain = |ty: &Ty| matches!(ty, Ty::Prim(_) | Ty::Unknown);
                Some(if plain(&left) && !plain(&right) { right } else { left })
            }
        }
    }

    fn index(&self, e: &ast::IndexExpr) -> Option<Ty> {
        let base = self.expr(&e.base()?);
        let part = matches!(e.index(), Some(ast::Expr::RangeExpr(_)));
        for ty in self.world.chain(&base) {
            match ty {
                Ty::Slice(inner) | Ty::Array(inner, _) => {
                    return Some(if part { Ty::Slice(inner) } else { *inner });
                }
                Ty::Adt(..) => {
                    let index = self.world.standard_trait("Index")?;
                    let found = self.world.project(&ty, Some(index), "Output", 0);
                    if !found.is_unknown() {
                        return Some(found);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The types of a closure's parameters, from where it is handed to.
    pub(super) fn closure_inputs(&self, closure: &ast::ClosureExpr) -> Vec<Ty> {
        let count = closure.param_list().map_or(0, |l| l.params().count());
        let written: Vec<Option<Ty>> = closure
            .param_list()
            .into_iter()
            .flat_map(|l| l.params())
            .map(|p| p.ty().map(|t| self.written(&t)))
            .collect();
        let wanted = self.wanted(closure).unwrap_or_default();
        (0..count)
            .map(|i| {
                let known = written.get(i).cloned().flatten();
                known.or_else(|| wanted.get(i).cloned()).unwrap_or(Ty::Unknown)
            })
            .collect()
    }

    fn wanted(&self, closure: &ast::ClosureExpr) -> Option<Vec<Ty>> {
        let list = ast::ArgList::cast(closure.syntax().parent()?)?;
        let place = list.args().position(|a| a.syntax() == closure.syntax())?;
        let call = list.syntax().parent()?;
        let member = if let Some(call) = ast::MethodCallExpr::cast(call.clone()) {
            self.method(&call)?
        } else {
            let call = ast::CallExpr::cast(call)?;
            match call.expr()? {
                ast::Expr::PathExpr(path) => match self.path(&path.path()?)? {
                    Target::Member(member) => *member,
                    Target::Item(def) => Member {
                        item: self.world.item(def),
                        scope: (def.krate, def.module),
                        env: Env::default(),
                        of: None,
                        owner: String::new(),
                    },
                    _ => return None,
                },
                _ => return None,
            }
        };
        // What the arguments before it tell.
        let before: Vec<Ty> = list.args().take(place).map(|a| self.expr(&a)).collect();
        let env = self.world.call_env(&member, &[], &before);
        let input = member.item.inputs.get(place)?;
        let function = |written: Written| match written {
            Written::Function(_, inputs, _) => Some(inputs),
            Written::Bounds(all) => all.into_iter().find_map(|b| match b {
                Written::Function(_, inputs, _) => Some(inputs),
                _ => None,
            }),
            _ => None,
        };
        let generic = member.item.generics.iter().find(|g| g.name == *input);
        let texts = generic.map_or_else(|| vec![input.clone()], |g| g.bounds.clone());
        let inputs = texts.iter().find_map(|t| function(read(t)))?;
        Some(inputs.iter().map(|w| self.world.ty_written(member.scope, w, &env)).collect())
    }

    /// What a path in the cell refers to.
    pub fn path(&self, path: &ast::Path) -> Option<Target<'w>> {
        let name = path.segment()?.name_ref().map(|n| n.text().trim_start_matches("r#").to_owned());
        let Some(qualifier) = path.qualifier() else {
            let name = name.or_else(|| path.segment().map(|s| s.syntax().text().to_string()))?;
            if let Some(ty) = self.variable(&name, path.syntax()) {
                return Some(Target::Variable(name, ty));
            }
            return self.named(&[name], value_position(path.syntax()));
        };
        let name = name.unwrap_or_default();
        let segments: Vec<String> = path
            .segments()
            .map(|s| match s.name_ref() {
                Some(n) => n.text().trim_start_matches("r#").to_owned(),
                None => s.syntax().text().to_string(),
            })
            .collect();
        if let Some(found) = self.named(&segments, value_position(path.syntax())) {
            return Some(found);
        }
        let on = self.prefix_type(&qualifier)?;
        let found = self.world.functions(&on, &self.traits, self.from());
        let found = found.into_iter().find(|m| m.item.name == name)?;
        Some(Target::Member(Box::new(found)))
    }

    /// The type before `::`.
    pub fn prefix_type(&self, qualifier: &ast::Path) -> Option<Ty> {
        let text = super::declare::text_of(qualifier.syntax());
        let env = Env { own: self.own_type(qualifier.syntax()), ..Env::default() };
        let ty = self.world.ty_of(self.scope, &text.replace("::<", "<"), &env);
        (!ty.is_unknown()).then_some(ty)
    }

    /// What a sequence of names refers to, without types' own functions.
    pub fn named(&self, segments: &[String], value: bool) -> Option<Target<'w>> {
        let mut all = self.world.path(self.scope, segments);
        let item = |res: &Res| match res {
            Res::Item(def) => Some(self.world.item(*def).kind),
            _ => None,
        };
        // `display` may be a module and a function: the place decides.
        all.sort_by_key(|res| match (res, item(res)) {
            (_, Some(Kind::Function | Kind::Constant)) => !value,
            (Res::Variant(..), _) => !value,
            (_, Some(Kind::Macro)) => true,
            _ => value,
        });
        Some(match all.into_iter().next()? {
            Res::Module(krate, module) => Target::Module((krate, module)),
            Res::Item(def) => Target::Item(def),
            Res::Variant(def, number) => Target::Variant(def, number),
            Res::Primitive(name) => Target::Primitive(name),
        })
    }
}

/// Whether a path stands where a value is expected and nothing follows it.
fn value_position(path: &SyntaxNode) -> bool {
    path.parent().is_some_and(|p| ast::PathExpr::can_cast(p.kind()))
}

fn literal_type(literal: &ast::Literal) -> Ty {
    let prim = |name: &str| Ty::Prim(name.to_owned());
    match literal.kind() {
        ast::LiteralKind::String(_) => Ty::Ref(Box::new(prim("str"))),
        ast::LiteralKind::ByteString(_) => Ty::Ref(Box::new(Ty::Array(Box::new(prim("u8")), "_".to_owned()))),
        ast::LiteralKind::IntNumber(n) => prim(n.suffix().unwrap_or("i32")),
        ast::LiteralKind::FloatNumber(n) => prim(n.suffix().unwrap_or("f64")),
        ast::LiteralKind::Char(_) => prim("char"),
        ast::LiteralKind::Byte(_) => prim("u8"),
        ast::LiteralKind::Bool(_) => prim("bool"),
        ast::LiteralKind::CString(_) => Ty::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PIECES, ask, type_of};

    #[test]
    fn literals_have_their_types() {
        for (value, ty) in [
            ("1", "i32"),
            ("1u8", "u8"),
            ("1.0", "f64"),
            ("1.0_f32", "f32"),
            ("true", "bool"),
            ("'a'", "char"),
            ("\"a\"", "&str"),
            ("(1.0, true)", "(f64, bool)"),
            ("[1.0, 2.0]", "[f64; 2]"),
            ("&1.0", "&f64"),
            ("2 as usize", "usize"),
            ("{ 1.0 }", "f64"),
            ("if a { 1.0 } else { 2.0 }", "f64"),
        ] {
            assert_eq!(type_of(&format!("let it = {value};"), "it"), ty, "{value}");
        }
    }

    #[test]
    fn chains_calls_and_fields_are_followed() {
        for (value, ty) in [
            ("workbench::memory::AssociativeMemory::store(&[1.0], 0.1)?", "AssociativeMemory"),
            ("workbench::memory::AssociativeMemory::store(&[1.0], 0.1)?.scores()", "Vec<f64>"),
            ("workbench::memory::AssociativeMemory::store(&[1.0], 0.1)?.weights", "Vec<f64>"),
            ("mean(&[1.0])?.low", "f64"),
            ("Figure::new(\"a\").panel(Panel::new(\"b\"))", "Figure"),
        ] {
            assert_eq!(type_of(&format!("let it = {value};"), "it"), ty, "{value}");
        }
        // What cannot be told is unknown.
        for unknown in ["let it = nobody.knows(this);", "let it = ;"] {
            assert_eq!(type_of(unknown, "it"), "_", "{unknown}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_expression_can_be_asked_for_its_type(
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..24)
        ) {
            ask(&pieces.concat(), |infer, root| {
                for expression in root.descendants().filter_map(ast::Expr::cast) {
                    infer.world.show(&infer.expr(&expression));
                }
            });
        }
    }
}
