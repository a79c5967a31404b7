//! Local variables of a cell: `let`, parameters, loops, arms of `match`, and the patterns that take values apart.

use ra_ap_syntax::SyntaxNode;
use ra_ap_syntax::ast::{self, AstNode, HasLoopBody, HasName};

use super::infer::Infer;
use super::item::Kind;
use super::ty::Ty;
use super::types::named;

/// A name that a pattern or parameter brings in, and how to learn its type.
struct Binding {
    name: String,
    pattern: ast::Pat,
    source: Source,
}

enum Source {
    Let(Option<ast::Type>, Option<ast::Expr>),
    Item(Option<ast::Expr>),
    Value(Option<ast::Expr>),
    Written(Option<ast::Type>),
    Closure(ast::ClosureExpr, usize),
}

impl Infer<'_> {
    /// Names of local variables visible at a node, nearest first.
    pub fn locals(&self, at: &SyntaxNode) -> Vec<String> {
        self.bindings(at).into_iter().map(|b| b.name).collect()
    }

    /// The variable `name` at a node.
    pub fn variable(&self, name: &str, at: &SyntaxNode) -> Option<Ty> {
        for binding in self.bindings(at) {
            if binding.name == name {
                return Some(self.binding_type(&binding));
            }
        }
        if name == "self" {
            let param = at.ancestors().find_map(ast::Fn::cast)?.param_list()?.self_param()?;
            let own = self.own_type(at)?;
            let by_reference = param.amp_token().is_some();
            return Some(referred(own, by_reference));
        }
        self.variables.get(name).cloned()
    }

    /// The type of a variable where a `let` defines it.
    pub fn defined(&self, pattern: &ast::IdentPat) -> Option<Ty> {
        let statement = pattern.syntax().ancestors().find_map(ast::LetStmt::cast)?;
        let whole = statement.pat()?;
        let contains = whole.syntax().text_range().contains_range(pattern.syntax().text_range());
        contains.then_some(())?;
        Some(self.binding_type(&Binding {
            name: pattern.name()?.text().to_string(),
            pattern: whole,
            source: Source::Let(statement.ty(), statement.initializer()),
        }))
    }

    /// What `Self` is at a node.
    pub fn own_type(&self, at: &SyntaxNode) -> Option<Ty> {
        let block = at.ancestors().find_map(ast::Impl::cast)?;
        Some(self.written(&block.self_ty()?))
    }

    fn binding_type(&self, binding: &Binding) -> Ty {
        let whole = match &binding.source {
            Source::Let(Some(ty), _) | Source::Written(Some(ty)) => self.written(ty),
            Source::Let(None, Some(value)) | Source::Value(Some(value)) => self.expr(value),
            Source::Item(Some(iterable)) => self.item_of(&self.expr(iterable)),
            Source::Closure(closure, number) => {
                self.closure_inputs(closure).get(*number).cloned().unwrap_or(Ty::Unknown)
            }
            _ => Ty::Unknown,
        };
        let mut found = Vec::new();
        self.bind(&binding.pattern, whole, &mut found);
        found.into_iter().find(|(name, _)| *name == binding.name).map_or(Ty::Unknown, |(_, ty)| ty)
    }

    /// What a loop over a value runs through.
    pub(super) fn item_of(&self, ty: &Ty) -> Ty {
        for name in ["Iterator", "IntoIterator"] {
            if let Some(def) = self.world.standard_trait(name) {
                let found = self.world.project(ty, Some(def), "Item", 0);
                if !found.is_unknown() {
                    return found;
                }
            }
        }
        Ty::Unknown
    }

    fn bindings(&self, at: &SyntaxNode) -> Vec<Binding> {
        let mut found = Vec::new();
        let start = at.text_range().start();
        let mut add = |pattern: Option<ast::Pat>, source: &dyn Fn() -> Source| {
            if let Some(pattern) = pattern {
                let mut names = Vec::new();
                names_in(&pattern, &mut names);
                found.extend(names.into_iter().map(|name| Binding {
                    name,
                    pattern: pattern.clone(),
                    source: source(),
                }));
            }
        };
        for node in at.ancestors() {
            if let Some(list) = ast::StmtList::cast(node.clone()) {
                let before: Vec<ast::Stmt> =
                    list.statements().take_while(|s| s.syntax().text_range().end() <= start).collect();
                for statement in before.into_iter().rev() {
                    if let ast::Stmt::LetStmt(statement) = statement {
                        add(statement.pat(), &|| Source::Let(statement.ty(), statement.initializer()));
                    }
                }
            } else if let Some(closure) = ast::ClosureExpr::cast(node.clone()) {
                let inside = closure.body().is_some_and(|b| b.syntax().text_range().start() <= start);
                for (number, param) in closure.param_list().into_iter().flat_map(|l| l.params()).enumerate() {
                    if inside {
                        add(param.pat(), &|| match param.ty() {
                            Some(ty) => Source::Written(Some(ty)),
                            None => Source::Closure(closure.clone(), number),
                        });
                    }
                }
            } else if let Some(function) = ast::Fn::cast(node.clone()) {
                for param in function.param_list().into_iter().flat_map(|l| l.params()) {
                    add(param.pat(), &|| Source::Written(param.ty()));
                }
                if function.name().is_some_and(|n| n.text() != "evcxr") {
                    break;
                }
            } else if let Some(repeat) = ast::ForExpr::cast(node.clone()) {
                if repeat.loop_body().is_some_and(|b| b.syntax().text_range().start() <= start) {
                    add(repeat.pat(), &|| Source::Item(repeat.iterable()));
                }
            } else if let Some(arm) = ast::MatchArm::cast(node.clone()) {
                if arm.pat().is_none_or(|p| p.syntax().text_range().end() <= start) {
                    add(arm.pat(), &|| Source::Value(arm.parent_match().expr()));
                }
            } else if let Some(branch) = ast::IfExpr::cast(node.clone()) {
                if branch.then_branch().is_some_and(|b| b.syntax().text_range().contains(start)) {
                    for test in branch.condition().iter().flat_map(lets_in) {
                        add(test.pat(), &|| Source::Value(test.expr()));
                    }
                }
            } else if let Some(repeat) = ast::WhileExpr::cast(node.clone()) {
                for test in repeat.condition().iter().flat_map(lets_in) {
                    add(test.pat(), &|| Source::Value(test.expr()));
                }
            }
        }
        found
    }

    fn bind(&self, pattern: &ast::Pat, ty: Ty, found: &mut Vec<(String, Ty)>) {
        match pattern {
            ast::Pat::IdentPat(p) => {
                if let Some(name) = p.name() {
                    let ty = if p.ref_token().is_some() { Ty::Ref(Box::new(ty.clone())) } else { ty.clone() };
                    found.push((name.text().to_string(), ty));
                }
                if let Some(inner) = p.pat() {
                    self.bind(&inner, ty, found);
                }
            }
            ast::Pat::RefPat(p) => {
                let inner = match ty {
                    Ty::Ref(inner) => *inner,
                    other => other,
                };
                p.pat().into_iter().for_each(|p| self.bind(&p, inner.clone(), found));
            }
            ast::Pat::ParenPat(p) => p.pat().into_iter().for_each(|p| self.bind(&p, ty.clone(), found)),
            ast::Pat::OrPat(p) => p.pats().take(1).for_each(|p| self.bind(&p, ty.clone(), found)),
            ast::Pat::TuplePat(p) => {
                let by_reference = matches!(ty, Ty::Ref(_));
                let parts = match ty.behind() {
                    Ty::Tuple(parts) => parts.clone(),
                    _ => Vec::new(),
                };
                for (i, field) in p.fields().enumerate() {
                    let part = parts.get(i).cloned().unwrap_or(Ty::Unknown);
                    self.bind(&field, referred(part, by_reference), found);
                }
            }
            ast::Pat::SlicePat(p) => {
                let by_reference = matches!(ty, Ty::Ref(_));
                let inner = match ty.behind() {
                    Ty::Slice(inner) | Ty::Array(inner, _) => (**inner).clone(),
                    _ => Ty::Unknown,
                };
                p.pats().for_each(|p| self.bind(&p, referred(inner.clone(), by_reference), found));
            }
            ast::Pat::TupleStructPat(p) => {
                for (i, field) in p.fields().enumerate() {
                    let part = self.part(p.path().as_ref(), &ty, &i.to_string());
                    self.bind(&field, part, found);
                }
            }
            ast::Pat::RecordPat(p) => {
                for field in p.record_pat_field_list().into_iter().flat_map(|l| l.fields()) {
                    let name = field.field_name().map(|n| n.text().to_string()).unwrap_or_default();
                    let part = self.part(p.path().as_ref(), &ty, &name);
                    if let Some(pattern) = field.pat() {
                        self.bind(&pattern, part, found);
                    }
                }
            }
            _ => {}
        }
    }

    /// The field `name` of a struct or variant that a pattern takes apart.
    fn part(&self, path: Option<&ast::Path>, ty: &Ty, name: &str) -> Ty {
        let by_reference = matches!(ty, Ty::Ref(_));
        let Ty::Adt(def, args) = ty.behind() else {
            return Ty::Unknown;
        };
        let item = self.world.item(*def);
        let last = path.and_then(|p| p.segment()).and_then(|s| s.name_ref()).map(|n| n.text().to_string());
        let members = match item.kind {
            Kind::Enum => match item.members.iter().find(|v| Some(&v.name) == last.as_ref()) {
                Some(variant) => &variant.members,
                None => return Ty::Unknown,
            },
            _ => &item.members,
        };
        let Some(field) = members.iter().find(|m| m.name == name) else {
            return Ty::Unknown;
        };
        let found = self.world.ty_of((def.krate, def.module), &field.ty, &named(item, args));
        referred(found, by_reference)
    }
}

fn referred(ty: Ty, by_reference: bool) -> Ty {
    if by_reference && !matches!(ty, Ty::Ref(_) | Ty::Unknown) { Ty::Ref(Box::new(ty)) } else { ty }
}

fn names_in(pattern: &ast::Pat, names: &mut Vec<String>) {
    for node in pattern.syntax().descendants() {
        if let Some(ident) = ast::IdentPat::cast(node.clone())
            && let Some(name) = ident.name()
        {
            names.push(name.text().to_string());
        } else if let Some(field) = ast::RecordPatField::cast(node)
            && field.pat().is_none()
            && let Some(name) = field.field_name()
        {
            names.push(name.text().to_string());
        }
    }
}

fn lets_in(condition: &ast::Expr) -> Vec<ast::LetExpr> {
    condition.syntax().descendants().filter_map(ast::LetExpr::cast).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PIECES, ask, type_of};

    /// The locals at the last word `here`.
    fn locals(cell: &str) -> Vec<String> {
        ask(cell, |infer, root| {
            let names = root.descendants().filter_map(ast::NameRef::cast);
            let here = names.filter(|name| name.text() == "here").last().unwrap();
            infer.locals(here.syntax())
        })
    }

    #[test]
    fn locals_are_those_of_the_scope_nearest_first() {
        assert_eq!(locals("let a = 1;\nlet b = 2;\nhere;\nlet c = 3;"), ["b", "a"]);
        assert_eq!(locals("{ let inner = 1; }\nhere;"), [""; 0]);
        assert_eq!(locals("for i in 0..3 { here; }"), ["i"]);
        assert_eq!(locals("if let Some(v) = o { here; }"), ["v"]);
        assert_eq!(locals("match o { Some((p, q)) => here, _ => 0 };"), ["p", "q"]);
        assert_eq!(locals("let f = |k: u8| here;"), ["k"]);
    }

    #[test]
    fn patterns_take_values_apart() {
        assert_eq!(type_of("let (a, b) = (1.0, true);", "b"), "bool");
        assert_eq!(type_of("let x: Vec<u8> = todo!();", "x"), "Vec<u8>");
    }

    proptest::proptest! {
        #[test]
        fn the_locals_at_any_place_can_be_asked_for(
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..24)
        ) {
            ask(&pieces.concat(), |infer, root| {
                for node in root.descendants() {
                    for name in infer.locals(&node) {
                        infer.variable(&name, &node);
                    }
                }
            });
        }
    }
}
