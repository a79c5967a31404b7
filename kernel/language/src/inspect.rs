//! Inspection: what the word under the cursor is, with its declaration and documentation; inside an argument list, the
//! function that is called.

use ra_ap_syntax::ast::{self, AstNode, HasArgList};
use ra_ap_syntax::{SyntaxKind, SyntaxToken};

use super::View;
use super::context::{Parsed, byte_offset, is_command, without_commands, word_at};
use super::docs::{documentation, runnable, source};
use super::infer::{Infer, Target};
use super::item::{Item, Kind};
use super::members::Member;
use super::ty::{Def, Ty};
use super::world::{Res, Scope, World};

/// What is told about a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// As plain text.
    pub plain: String,
    /// As Markdown.
    pub markdown: String,
}

/// Tells what is at a position of a cell, counted in characters.
pub fn inspect(view: &View, cell: &str, cursor: usize, detail: u32) -> Option<Inspection> {
    let offset = byte_offset(cell, cursor);
    let line_start = cell[..offset].rfind('\n').map_or(0, |at| at + 1);
    if is_command(cell[line_start..].lines().next().unwrap_or_default()) {
        return command(view, cell, offset, detail);
    }
    let parsed = Parsed::new(&without_commands(cell));
    let teller =
        Teller { infer: Infer::new(&view.world, view.scope, &view.variables), written: &view.variables, detail };
    let (start, end) = word_at(cell, offset);
    let token = parsed.token(if start < end { start } else { offset })?;
    if !matches!(token.kind(), SyntaxKind::COMMENT)
        && start < end
        && let Some(found) = teller.word(&token)
    {
        return Some(found);
    }
    teller.call_around(&token, Parsed::shift(offset).into())
}

/// The crate named in a `:dep` line.
fn command(view: &View, cell: &str, offset: usize, detail: u32) -> Option<Inspection> {
    let (start, end) = word_at(cell, offset);
    let (_, number) = view.world.names().find(|(name, _)| *name == &cell[start..end])?;
    Some(Page::module(&view.world, (number, 0), detail).finish())
}

struct Teller<'w> {
    infer: Infer<'w>,
    /// Variables of earlier cells with the types that the compiler told.
    written: &'w [(String, String)],
    detail: u32,
}

impl Teller<'_> {
    fn word(&self, token: &SyntaxToken) -> Option<Inspection> {
        let node = token.parent()?;
        let around = node.parent()?;
        let world = self.infer.world;
        if let Some(call) = ast::MethodCallExpr::cast(around.clone()) {
            return Some(self.member(&self.infer.method(&call)?));
        }
        if let Some(field) = ast::FieldExpr::cast(around.clone()) {
            let on = self.infer.expr(&field.expr()?);
            return Some(self.member(&self.infer.member(&on, token.text())?));
        }
        if let Some(field) = ast::RecordExprField::cast(around.clone()) {
            let record = field.syntax().ancestors().find_map(ast::RecordExpr::cast)?;
            return self.record_field(&record.path()?, token.text());
        }
        if let Some(segment) = ast::PathSegment::cast(around.clone()) {
            let path = segment.parent_path();
            if let Some(tree) = path.syntax().ancestors().find_map(ast::UseTree::cast) {
                return self.imported(&tree, &path);
            }
            // A macro call was made a call of `name_`.
            if let Some(name) = token.text().strip_suffix('_')
                && path.qualifier().is_none()
                && let Some(found) = self.macro_named(name)
            {
                return Some(found);
            }
            return Some(self.target(&self.infer.path(&path)?));
        }
        if let Some(pattern) = ast::IdentPat::cast(around.clone()) {
            // The variable is in scope after its own statement, or at the end of what it is defined for.
            let name = token.text().to_owned();
            let inside = || self.infer.variable(&name, last_inside(&pattern)?.parent().as_ref()?);
            let ty = self.infer.defined(&pattern).or_else(inside);
            return Some(self.variable(&name, &ty?));
        }
        if ast::Name::can_cast(node.kind()) {
            let found = self.infer.named(&[token.text().to_owned()], false)?;
            return Some(self.target(&found));
        }
        let primitive = super::ty::PRIMITIVES.contains(&token.text());
        primitive.then(|| self.primitive(token.text())).or_else(|| {
            let found = world.names().find(|(n, _)| *n == token.text())?;
            Some(Page::module(world, (found.1, 0), self.detail).finish())
        })
    }

    fn macro_named(&self, name: &str) -> Option<Inspection> {
        let world = self.infer.world;
        let found = world.path(self.infer.scope, &[name.to_owned()]).into_iter().find_map(|res| match res {
            Res::Item(def) if world.item(def).kind == Kind::Macro => Some(def),
            _ => None,
        })?;
        Some(self.item(found))
    }

    fn imported(&self, tree: &ast::UseTree, path: &ast::Path) -> Option<Inspection> {
        let world = self.infer.world;
        let names = |path: &ast::Path| path.segments().map(|s| s.syntax().text().to_string()).collect::<Vec<_>>();
        let mut trees: Vec<ast::UseTree> = tree.syntax().ancestors().filter_map(ast::UseTree::cast).collect();
        trees.reverse();
        let mut segments: Vec<String> =
            trees.iter().filter(|t| *t != tree).filter_map(ast::UseTree::path).flat_map(|p| names(&p)).collect();
        segments.extend(names(path));
        let res = world.path(self.infer.scope, &segments).into_iter().next()?;
        Some(match res {
            Res::Module(krate, module) => Page::module(world, (krate, module), self.detail).finish(),
            Res::Item(def) => self.item(def),
            Res::Variant(def, number) => self.variant(def, number)?,
            Res::Primitive(name) => self.primitive(&name),
        })
    }

    fn target(&self, target: &Target<'_>) -> Inspection {
        match target {
            Target::Variable(name, ty) => self.variable(name, ty),
            Target::Module(scope) => Page::module(self.infer.world, *scope, self.detail).finish(),
            Target::Item(def) => self.item(*def),
            Target::Variant(def, number) => self.variant(*def, *number).unwrap_or_else(|| self.item(*def)),
            Target::Member(member) => self.member(member),
            Target::Primitive(name) => self.primitive(name),
        }
    }

    fn variable(&self, name: &str, ty: &Ty) -> Inspection {
        let world = self.infer.world;
        let mut page = Page::default();
        let shown = match self.written.iter().find(|(n, _)| n == name) {
            Some((_, written)) if ty.is_unknown() => written.clone(),
            _ => world.show(ty),
        };
        page.code(&format!("{name}: {shown}"));
        match ty.behind() {
            Ty::Adt(def, _) => page.item(world, *def, self.detail),
            Ty::Prim(primitive) => page.text(&primitive_docs(world, primitive)),
            _ => {}
        }
        page.finish()
    }

    fn primitive(&self, name: &str) -> Inspection {
        let mut page = Page::default();
        page.code(name);
        page.text(&primitive_docs(self.infer.world, name));
        page.finish()
    }

    fn item(&self, def: Def) -> Inspection {
        let mut page = Page::default();
        page.item(self.infer.world, def, self.detail);
        page.finish()
    }

    fn variant(&self, def: Def, number: usize) -> Option<Inspection> {
        let world = self.infer.world;
        let item = world.item(def);
        let variant = item.members.get(number)?;
        let mut page = Page::default();
        page.text(&format!("`{}::{}`", world.public_path(def), item.name));
        page.code(&variant.signature);
        page.text(&documentation(world, def.krate, variant));
        Some(page.finish())
    }

    fn record_field(&self, path: &ast::Path, name: &str) -> Option<Inspection> {
        let world = self.infer.world;
        let (krate, field) = match self.infer.path(path)? {
            Target::Variant(def, number) => {
                let variant = world.item(def).members.get(number)?;
                (def.krate, variant.members.iter().find(|m| m.name == name)?)
            }
            Target::Item(def) => (def.krate, world.item(def).members.iter().find(|m| m.name == name)?),
            _ => return None,
        };
        let mut page = Page::default();
        page.code(&field.signature);
        page.text(&documentation(world, krate, field));
        Some(page.finish())
    }

    fn member(&self, member: &Member<'_>) -> Inspection {
        let world = self.infer.world;
        let mut page = Page::default();
        let place = match member.of {
            Some(_) => format!("trait `{}`", member.owner),
            None => format!("`{}`", member.owner),
        };
        page.text(&place);
        let mut signature = member.item.signature.clone();
        if member.item.kind == Kind::Field {
            let ty = world.result(member, &[], &[]);
            if !ty.is_unknown() {
                signature = format!("{}: {}", member.item.name, world.show(&ty));
            }
        }
        page.code(&signature);
        page.text(&documentation(world, member.scope.0, member.item));
        page.source(world, member.scope.0, member.item, self.detail);
        page.finish()
    }

    /// The innermost call whose name or arguments are at `offset`.
    fn call_around(&self, token: &SyntaxToken, offset: usize) -> Option<Inspection> {
        let inside = |list: &ast::ArgList| {
            let range = list.syntax().text_range();
            let closed = list.r_paren_token().is_some();
            usize::from(range.start()) <= offset && (offset < usize::from(range.end()) || !closed)
        };
        for node in token.parent_ancestors() {
            if let Some(call) = ast::MethodCallExpr::cast(node.clone())
                && call.arg_list().is_some_and(|l| inside(&l))
            {
                return Some(self.member(&self.infer.method(&call)?));
            }
            if let Some(call) = ast::CallExpr::cast(node)
                && call.arg_list().is_some_and(|l| inside(&l))
                && let Some(ast::Expr::PathExpr(callee)) = call.expr()
            {
                let path = callee.path()?;
                if let Some(name) = path.as_single_name_ref()
                    && let Some(name) = name.text().strip_suffix('_')
                    && let Some(found) = self.macro_named(name)
                {
                    return Some(found);
                }
                return Some(self.target(&self.infer.path(&path)?));
            }
        }
        None
    }
}

fn last_inside(pattern: &ast::IdentPat) -> Option<SyntaxToken> {
    // The end of the loop body, closure or arm that the pattern belongs to.
    let owner = pattern.syntax().ancestors().find(|n| {
        ast::ForExpr::can_cast(n.kind()) || ast::ClosureExpr::can_cast(n.kind()) || ast::MatchArm::can_cast(n.kind())
    })?;
    owner.last_token()
}

fn primitive_docs(world: &World, name: &str) -> String {
    let module = world.krate(0).modules.iter().flat_map(|m| &m.items);
    let alias = format!("prim_{name}");
    module.filter(|i| i.name == alias).map(|i| i.doc.clone()).next().unwrap_or_else(|| "A primitive type.".to_owned())
}

/// The item that stands for a module in the one around it.
pub fn module_item(world: &World, (krate, module): Scope) -> Option<&Item> {
    let parent = world.module((krate, module)).parent?;
    let items = &world.module((krate, parent)).items;
    items.iter().find(|i| i.module == Some(module))
}

#[derive(Default)]
struct Page {
    plain: Vec<String>,
    markdown: Vec<String>,
}

impl Page {
    fn code(&mut self, text: &str) {
        self.plain.push(text.to_owned());
        self.markdown.push(format!("```rust\n{text}\n```"));
    }

    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.plain.push(text.to_owned());
            self.markdown.push(text.to_owned());
        }
    }

    fn module(world: &World, scope: Scope, detail: u32) -> Page {
        let mut page = Page::default();
        match module_item(world, scope) {
            Some(item) => {
                page.code(&format!("mod {}", world.path_of(scope)));
                page.text(&documentation(world, scope.0, item));
                if detail > 0 {
                    page.source(world, scope.0, item, detail);
                }
            }
            None => {
                let krate = world.krate(scope.0);
                page.code(&format!("crate {}", krate.name));
                if let Some(super::item::File::Disk(path, ..)) = krate.files.first()
                    && let Ok(text) = std::fs::read_to_string(path)
                {
                    page.text(&runnable(&super::declare::module_docs(&text)));
                }
            }
        }
        page
    }

    fn item(&mut self, world: &World, def: Def, detail: u32) {
        let item = world.item(def);
        if item.module.is_none() {
            self.text(&format!("`{}`", world.public_path(def)));
        }
        self.code(&declaration(item));
        self.text(&documentation(world, def.krate, item));
        self.source(world, def.krate, item, detail);
    }

    fn source(&mut self, world: &World, krate: usize, item: &Item, detail: u32) {
        // What is known of `std` are declarations only.
        if detail > 0
            && krate > 0
            && let Some(text) = source(world, krate, item)
        {
            self.text("Source:");
            self.code(&text);
        }
    }

    fn finish(self) -> Inspection {
        Inspection { plain: self.plain.join("\n\n"), markdown: self.markdown.join("\n\n") }
    }
}

/// A declaration with the fields or variants that can be named.
fn declaration(item: &Item) -> String {
    const MANY: usize = 24;
    let fields = item.members.iter().filter(|m| matches!(m.kind, Kind::Field | Kind::Variant));
    let shown: Vec<String> = fields
        .filter(|m| !m.name.starts_with(|c: char| c.is_ascii_digit()))
        .map(|m| format!("    {},", m.signature))
        .collect();
    if shown.is_empty() {
        return item.signature.clone();
    }
    let more = if shown.len() > MANY { "\n    // ..." } else { "" };
    format!("{} {{\n{}{more}\n}}", item.signature, shown[..shown.len().min(MANY)].join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::language;

    /// Inspects at `§`.
    fn at(cell: &str) -> Option<Inspection> {
        at_detail(cell, 0)
    }

    fn at_detail(cell: &str, detail: u32) -> Option<Inspection> {
        let language = language();
        language.ran("", vec![("memory".into(), "workbench::memory::AssociativeMemory".into())]);
        let cursor = cell.chars().position(|c| c == '§').unwrap();
        language.inspect(&cell.replacen('§', "", 1), cursor, detail)
    }

    fn plain(cell: &str) -> String {
        at(cell).unwrap_or_else(|| panic!("nothing at {cell}")).plain
    }

    #[test]
    fn a_variable_tells_its_type_and_the_types_documentation() {
        for cell in ["§memory", "mem§ory", "memory§", "f(§memory)", "\"ß\"; memo§ry.scores()"] {
            let found = plain(cell);
            assert!(found.starts_with("memory: AssociativeMemory"), "{cell}: {found}");
            assert!(found.contains("A sum of outer products.\n\nThe whole story, `E[x]`."), "{found}");
        }
        assert!(plain("let e§st = stats::mean(&[1.0])?;\nest").starts_with("est: Estimate"));
        assert!(plain("let e§st = stats::mean(&[1.0])?;").starts_with("est: Estimate"));
        assert!(plain("for m§ in memory.scores() { m; }").starts_with("m: f64"));
    }

    #[test]
    fn methods_functions_and_types_have_signature_and_documentation() {
        for cell in ["memory.sto§re", "memory.retrieve§(1)", "memory.retr§ieve(1)"] {
            let found = at(cell);
            if cell.contains("retr") {
                let found = found.unwrap();
                assert!(found.plain.contains("fn retrieve(&self, input: usize) -> Option<String>"), "{found:?}");
                assert!(found.markdown.contains("The most likely output"), "{found:?}");
            } else {
                assert!(found.is_some_and(|f| f.plain.contains("Stores pairs")));
            }
        }
        assert!(plain("workbench::memory::Zi§pf::infinite(2.0)").contains("Law with power tails"));
        assert!(plain("workbench::memory::Zipf::infi§nite(2.0)").contains("Infinite support"));
        assert!(plain("stats::me§an(&[1.0])").contains("The mean with its interval"));
        assert!(plain("use workbench::sta§ts;").contains("Statistics."));
        assert!(plain("workbench::memory::Error::Sm§all").contains("Too small"));
        assert!(plain("memory.wei§ghts").contains("weights: Vec<f64>"));
        assert!(plain("memory.scores().le§n()").contains("fn len(&self) -> usize"));
        assert!(plain("printl§n!(\"x\")").contains("println"));
    }

    #[test]
    fn an_argument_list_tells_the_function() {
        for cell in ["stats::mean§(&[1.0])", "stats::mean(§&[1.0])", "stats::mean(&[1.0§])", "stats::mean(§"] {
            assert!(plain(cell).contains("fn mean(values: &[f64])"), "{cell}: {}", plain(cell));
        }
        assert!(plain("memory.retrieve(§)").contains("fn retrieve"));
        assert!(plain("memory.retrieve( § 1)").contains("fn retrieve"));
    }

    #[test]
    fn detail_shows_the_source() {
        assert!(!plain("memory.sco§res()").contains("todo!()"));
        let found = at_detail("memory.sco§res()", 1).unwrap();
        assert!(found.plain.contains("pub fn scores(&self) -> Vec<f64> { todo!() }"), "{found:?}");
    }

    #[test]
    fn what_is_not_known_is_not_found() {
        for cell in ["not§hing", "1 +§ 2", "§", "// mem§ory", "\"mem§ory\"", "nothing.at§_all()"] {
            assert_eq!(at(cell), None, "{cell}");
        }
    }
}
