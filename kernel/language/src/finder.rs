//! Candidates of completion: members behind a dot, fields of a record, names behind a path, names alone.

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{SyntaxKind, SyntaxNode, SyntaxToken};

use super::View;
use super::complete::{Completion, DERIVES, KEYWORDS, candidate, of_item};
use super::context::MARK;
use super::infer::{Infer, Target};
use super::item::{Item, Kind};
use super::members::Member;
use super::ty::Ty;
use super::types::{Env, named};
use super::world::{Res, Scope};

/// Finds what may stand at a place.
pub(super) struct Finder<'v> {
    view: &'v View,
    infer: Infer<'v>,
}

impl<'v> Finder<'v> {
    pub(super) fn new(view: &'v View) -> Finder<'v> {
        Finder { view, infer: Infer::new(&view.world, view.scope, &view.variables) }
    }

    fn from(&self) -> usize {
        self.view.scope.0
    }

    pub(super) fn at(&self, token: &SyntaxToken) -> Vec<Completion> {
        if !token.text().contains(MARK) || matches!(token.kind(), SyntaxKind::STRING | SyntaxKind::COMMENT) {
            return Vec::new();
        }
        let Some(node) = token.parent() else { return Vec::new() };
        if let Some(attribute) = node.ancestors().find_map(ast::Attr::cast) {
            let derive = attribute.syntax().text().to_string().contains("derive");
            let all = DERIVES.iter().filter(|_| derive);
            return all.map(|d| candidate(d, "trait", format!("trait {d}"), "", 0)).collect();
        }
        let Some(around) = node.parent() else { return Vec::new() };
        if let Some(call) = ast::MethodCallExpr::cast(around.clone()) {
            return call.receiver().map_or_else(Vec::new, |r| self.dotted(&self.infer.expr(&r)));
        }
        if let Some(field) = ast::FieldExpr::cast(around.clone()) {
            return field.expr().map_or_else(Vec::new, |r| self.dotted(&self.infer.expr(&r)));
        }
        if let Some(record) = node.ancestors().take(5).find_map(ast::RecordExprField::cast)
            && record.colon_token().is_none()
            && let Some(record) = record.syntax().ancestors().find_map(ast::RecordExpr::cast)
        {
            let written: Vec<String> = record
                .record_expr_field_list()
                .into_iter()
                .flat_map(|l| l.fields())
                .filter_map(|f| f.field_name().map(|n| n.text().to_string()))
                .collect();
            return self.fields_of(record.path(), &written);
        }
        if let Some(record) = node.ancestors().take(4).find_map(ast::RecordPat::cast) {
            return self.fields_of(record.path(), &[]);
        }
        if let Some(segment) = ast::PathSegment::cast(around.clone()) {
            let path = segment.parent_path();
            if let Some(tree) = path.syntax().ancestors().find_map(ast::UseTree::cast) {
                return self.imported(&tree, &path);
            }
            return match path.qualifier() {
                Some(qualifier) => self.qualified(&qualifier),
                None => self.bare(&around),
            };
        }
        // A pattern may begin with the name of a variant; the name of a definition is the writer's own.
        if ast::IdentPat::can_cast(around.kind()) && around.ancestors().any(|n| ast::MatchArm::can_cast(n.kind())) {
            let mut found = self.bare(&around);
            found.retain(|c| !matches!(c.kind, "variable" | "keyword" | "function" | "macro" | "method"));
            return found;
        }
        Vec::new()
    }

    fn member(&self, member: &Member<'_>) -> Completion {
        let mut rank = match (member.item.kind, member.of) {
            (Kind::Field, _) => 0,
            (_, None) => 1,
            (_, Some(_)) => 6,
        };
        if member.item.signature.starts_with("unsafe") {
            rank += 3;
        }
        let mut found = of_item(&member.item.name, member.item, rank);
        if member.item.kind == Kind::Field {
            let ty = self.infer.world.result(member, &[], &[]);
            if !ty.is_unknown() {
                found.signature = format!("{}: {}", found.text, self.infer.world.show(&ty));
            }
        }
        found
    }

    fn dotted(&self, ty: &Ty) -> Vec<Completion> {
        let world = self.infer.world;
        if let Ty::Tuple(parts) = ty.behind() {
            let shown = |p: &Ty| world.show(p);
            let fields = parts.iter().enumerate();
            return fields
                .map(|(i, p)| candidate(&i.to_string(), "property", format!("{i}: {}", shown(p)), "", 0))
                .collect();
        }
        let found = world.dotted(ty, &self.infer.traits, self.from());
        found.iter().map(|member| self.member(member)).collect()
    }

    fn fields_of(&self, path: Option<ast::Path>, written: &[String]) -> Vec<Completion> {
        let world = self.infer.world;
        let Some(path) = path else { return Vec::new() };
        let members: Vec<(&Item, Scope, Env)> = match self.infer.path(&path) {
            Some(Target::Variant(def, number)) => {
                let item = world.item(def);
                let variant = item.members.get(number).into_iter();
                variant.flat_map(|v| &v.members).map(|m| (m, (def.krate, def.module), named(item, &[]))).collect()
            }
            _ => {
                let ty = self.infer.prefix_type(&path).unwrap_or(Ty::Unknown);
                let fields = world.fields(&ty, self.from()).into_iter();
                fields.map(|f| (f.item, f.scope, f.env)).collect()
            }
        };
        members.into_iter().filter(|(m, ..)| !written.contains(&m.name)).map(|(m, ..)| of_item(&m.name, m, 0)).collect()
    }

    /// After `use`.
    fn imported(&self, tree: &ast::UseTree, path: &ast::Path) -> Vec<Completion> {
        let mut segments = Vec::new();
        let mut trees: Vec<ast::UseTree> = tree.syntax().ancestors().filter_map(ast::UseTree::cast).collect();
        trees.reverse();
        let names = |path: &ast::Path| {
            let all = path.segments().map(|s| s.syntax().text().to_string());
            all.collect::<Vec<_>>()
        };
        for outer in trees.iter().filter(|t| *t != tree) {
            segments.extend(outer.path().iter().flat_map(names));
        }
        segments.extend(path.qualifier().iter().flat_map(names));
        if segments.is_empty() {
            let mut found = self.crates();
            found.extend(self.listed(self.view.scope, self.from(), 1));
            return found;
        }
        let mut found = Vec::new();
        for res in self.infer.world.path(self.view.scope, &segments) {
            found.extend(self.inside(&res));
        }
        found
    }

    fn inside(&self, res: &Res) -> Vec<Completion> {
        match res {
            Res::Module(krate, module) => self.listed((*krate, *module), self.from(), 0),
            Res::Item(def) => {
                let members = &self.infer.world.item(*def).members;
                let variants = members.iter().filter(|m| m.kind == Kind::Variant);
                variants.map(|m| of_item(&m.name, m, 0)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn listed(&self, scope: Scope, from: usize, rank: u8) -> Vec<Completion> {
        let world = self.infer.world;
        world.list(scope, from).into_iter().filter_map(|(name, res)| self.shown(&name, &res, rank)).collect()
    }

    fn shown(&self, name: &str, res: &Res, rank: u8) -> Option<Completion> {
        let world = self.infer.world;
        Some(match res {
            Res::Item(def) => of_item(name, world.item(*def), rank),
            Res::Variant(def, number) => of_item(name, world.item(*def).members.get(*number)?, rank),
            Res::Primitive(name) => candidate(name, "type", name.clone(), "", rank),
            Res::Module(krate, module) => {
                let doc = super::inspect::module_item(world, (*krate, *module)).map_or("", |i| i.doc.as_str());
                candidate(name, "module", format!("mod {}", world.path_of((*krate, *module))), doc, rank)
            }
        })
    }

    fn crates(&self) -> Vec<Completion> {
        let loaded = |name: &str| ["std", "core", "alloc"].contains(&name) || self.view.dependencies.contains(name);
        let names = self.infer.world.names().filter(|(name, _)| loaded(name));
        names.map(|(name, _)| candidate(name, "module", format!("crate {name}"), "", 5)).collect()
    }

    /// After `path::`.
    fn qualified(&self, qualifier: &ast::Path) -> Vec<Completion> {
        let world = self.infer.world;
        let segments: Vec<String> = qualifier
            .segments()
            .map(|s| s.name_ref().map_or_else(|| s.syntax().text().to_string(), |n| n.text().to_string()))
            .collect();
        let mut found = Vec::new();
        for res in world.path(self.view.scope, &segments) {
            found.extend(self.inside(&res));
        }
        if let Some(ty) = self.infer.prefix_type(qualifier) {
            for member in world.functions(&ty, &self.infer.traits, self.from()) {
                let mut one = self.member(&member);
                // Functions without `self` are what a type's path is written for.
                if member.item.kind == Kind::Method {
                    one.rank += 2;
                }
                found.push(one);
            }
        }
        found
    }

    /// A word on its own.
    fn bare(&self, node: &SyntaxNode) -> Vec<Completion> {
        let world = self.infer.world;
        let type_position = node.ancestors().take(3).any(|n| ast::PathType::can_cast(n.kind()));
        let mut found = Vec::new();
        if !type_position {
            let mut names = self.infer.locals(node);
            names.extend(self.infer.variables.keys().cloned());
            for name in names {
                let ty = self.infer.variable(&name, node).unwrap_or(Ty::Unknown);
                let shown = match world.show(&ty) {
                    unknown if unknown == "_" => name.clone(),
                    known => format!("{name}: {known}"),
                };
                let doc = match ty.behind() {
                    Ty::Adt(def, _) => world.item(*def).doc.as_str(),
                    _ => "",
                };
                found.push(candidate(&name, "variable", shown, doc, 0));
            }
        }
        found.extend(self.listed(self.view.scope, self.from(), 1));
        if let Some(parent) = world.module(self.view.scope).parent {
            found.extend(self.listed((self.from(), parent), self.from(), 1));
        }
        if let Some(prelude) = world.prelude() {
            found.extend(self.listed(prelude, usize::MAX, 3));
        }
        found.extend(self.crates());
        let primitives = super::ty::PRIMITIVES.iter();
        found.extend(primitives.map(|p| candidate(p, "type", (*p).to_owned(), "", 4)));
        if type_position {
            found.retain(|c| matches!(c.kind, "struct" | "enum" | "trait" | "type" | "module"));
        } else {
            found.extend(KEYWORDS.iter().map(|k| candidate(k, "keyword", (*k).to_owned(), "", 2)));
        }
        found
    }
}
