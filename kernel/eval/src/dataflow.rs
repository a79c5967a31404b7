//! Names that a cell makes, changes and mentions, as far as its text tells: what rests on what between cells.
//!
//! Names are followed through the scopes of the cell, so that the parameter of a closure, a field or a method is none of them. What a
//! macro gets is read as expressions where it can be, with the names in its format strings. Whether a method changes what it is called
//! on, the text alone does not say: [`super::changing`] goes by whether its value is used, and by its name. A cell that is too long or
//! nested too deeply to be parsed ([`source::is_too_deep`], more than 2000 signs in one expression) has no names.

use std::collections::BTreeSet;

use ra_ap_syntax::ast::{self, AstNode, HasGenericParams, HasLoopBody, HasModuleItem, HasName};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, SyntaxNode};

use super::changing::{self, Use};
use workbench_base::source;

mod macros;

/// Deepest nesting of expressions that is followed: in what lies deeper all words are mentions. A long sum is as deep as it is long.
const DEPTH: usize = 200;
/// The names of a cell.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Dataflow {
    /// Variables and items that it makes.
    pub makes: BTreeSet<String>,
    /// Variables that it changes, and types that it gives methods to; some may be nobody's variable.
    pub changes: BTreeSet<String>,
    /// Names that it mentions and has not made before itself; which of them mean anything, the session knows.
    pub reads: BTreeSet<String>,
}

impl Dataflow {
    /// The names of a cell's source; none where it does not parse.
    pub fn of(source: &str) -> Dataflow {
        let (rust, _) = source::without_commands(source);
        if source::is_too_deep(&rust) {
            return Dataflow::default();
        }
        let Some(body) = body(&rust) else {
            return Dataflow::default();
        };
        let mut walk = Walk::default();
        walk.open_with_items(body.syntax());
        let statements = body.stmt_list().map(|list| list.syntax().clone());
        walk.children(&statements.unwrap_or_else(|| body.syntax().clone()));
        walk.dataflow.makes = walk.scopes.pop().unwrap_or_default();
        walk.dataflow
    }
}

/// The body of a function with these statements, if they parse.
fn body(statements: &str) -> Option<ast::BlockExpr> {
    let file = SourceFile::parse(&format!("fn cell() {{\n{statements}\n}}"), Edition::Edition2024);
    let function = file.tree().syntax().children().find_map(ast::Fn::cast)?;
    file.errors().is_empty().then(|| function.body()).flatten()
}

#[derive(Default)]
struct Walk {
    dataflow: Dataflow,
    /// What is bound in each of the scopes that are open, the cell's own first.
    scopes: Vec<BTreeSet<String>>,
    depth: usize,
}

impl Walk {
    fn bind(&mut self, name: &str) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned());
        }
    }

    fn read(&mut self, name: &str) {
        if !self.scopes.iter().any(|scope| scope.contains(name)) {
            self.dataflow.reads.insert(name.to_owned());
        }
    }

    /// Notes a change, unless it is to something that lives in an inner scope only.
    fn change(&mut self, name: String) {
        if !self.scopes.iter().skip(1).any(|scope| scope.contains(&name)) {
            self.dataflow.changes.insert(name);
        }
    }

    fn change_all(&mut self, place: Option<&ast::Expr>, how: Use) {
        for name in place.into_iter().flat_map(|place| changing::roots(place, how)) {
            self.change(name);
        }
    }

    /// Opens a scope in which the items of a block are known from its beginning.
    fn open_with_items(&mut self, block: &SyntaxNode) {
        self.scopes.push(BTreeSet::new());
        let list = block.children().find_map(ast::StmtList::cast);
        for item in list.into_iter().flat_map(|list| list.statements()) {
            if let ast::Stmt::Item(item) = item {
                self.bind_item(item.syntax());
            }
        }
    }

    fn bind_item(&mut self, item: &SyntaxNode) {
        if let Some(name) = item.children().find_map(ast::Name::cast) {
            self.bind(name.text());
        }
    }

    fn inside(&mut self, walk: impl FnOnce(&mut Walk)) {
        self.scopes.push(BTreeSet::new());
        walk(self);
        self.scopes.pop();
    }

    fn children(&mut self, node: &SyntaxNode) {
        if self.depth == DEPTH {
            return self.words(node, false);
        }
        self.depth += 1;
        for child in node.children() {
            self.node(&child);
        }
        self.depth -= 1;
    }

    fn maybe(&mut self, node: Option<impl AstNode>) {
        if let Some(node) = node {
            if self.depth == DEPTH {
                return self.words(node.syntax(), false);
            }
            self.depth += 1;
            self.node(node.syntax());
            self.depth -= 1;
        }
    }

    fn node(&mut self, node: &SyntaxNode) {
        match node.kind() {
            SyntaxKind::ATTR | SyntaxKind::VISIBILITY => return,
            SyntaxKind::BLOCK_EXPR => {
                self.open_with_items(node);
                self.children(node);
                self.scopes.pop();
                return;
            }
            SyntaxKind::MACRO_RULES => {
                for tree in node.children().filter_map(ast::TokenTree::cast) {
                    self.words(tree.syntax(), true);
                }
                return;
            }
            SyntaxKind::MODULE => {
                let items = node.children().find_map(ast::ItemList::cast);
                return self.inside(|walk| {
                    for item in items.iter().flat_map(|items| items.items()) {
                        walk.bind_item(item.syntax());
                    }
                    walk.children(node);
                });
            }
            SyntaxKind::USE => {
                let path = node.descendants().find_map(ast::Path::cast);
                let first = path.and_then(|path| path.first_segment()).and_then(|first| first.name_ref());
                return self.named(first);
            }
            // These bind names for themselves only.
            SyntaxKind::CLOSURE_EXPR
            | SyntaxKind::MATCH_ARM
            | SyntaxKind::FN
            | SyntaxKind::STRUCT
            | SyntaxKind::ENUM
            | SyntaxKind::UNION
            | SyntaxKind::TRAIT
            | SyntaxKind::TYPE_ALIAS => return self.inside(|walk| walk.children(node)),
            _ => {}
        }
        if let Some(path) = ast::Path::cast(node.clone()) {
            self.path(&path);
        } else if let Some(pattern) = ast::IdentPat::cast(node.clone()) {
            self.pattern(&pattern);
        } else if let Some(parameter) = ast::TypeParam::cast(node.clone()) {
            self.maybe(parameter.syntax().children().find_map(ast::TypeBoundList::cast));
            parameter.name().iter().for_each(|name| self.bind(name.text()));
        } else if let Some(parameter) = ast::ConstParam::cast(node.clone()) {
            parameter.name().iter().for_each(|name| self.bind(name.text()));
        } else if let Some(implementation) = ast::Impl::cast(node.clone()) {
            self.implementation(&implementation);
        } else if let Some(call) = ast::MacroCall::cast(node.clone()) {
            self.macro_call(&call);
        } else if let Some(bound) = ast::LetStmt::cast(node.clone()) {
            self.maybe(bound.ty());
            self.maybe(bound.initializer());
            self.maybe(bound.let_else());
            self.maybe(bound.pat());
        } else if let Some(bound) = ast::LetExpr::cast(node.clone()) {
            self.maybe(bound.expr());
            self.maybe(bound.pat());
        } else if let Some(branch) = ast::IfExpr::cast(node.clone()) {
            self.inside(|walk| {
                walk.maybe(branch.condition());
                walk.maybe(branch.then_branch());
            });
            match branch.else_branch() {
                Some(ast::ElseBranch::Block(block)) => self.maybe(Some(block)),
                Some(ast::ElseBranch::IfExpr(branch)) => self.maybe(Some(branch)),
                None => {}
            }
        } else if let Some(turns) = ast::WhileExpr::cast(node.clone()) {
            self.inside(|walk| walk.children(turns.syntax()));
        } else if let Some(turns) = ast::ForExpr::cast(node.clone()) {
            self.maybe(turns.iterable());
            self.inside(|walk| {
                walk.maybe(turns.pat());
                walk.maybe(turns.loop_body());
            });
        } else {
            self.plain(node);
        }
    }

    /// What binds nothing: its parts, and what it changes.
    fn plain(&mut self, node: &SyntaxNode) {
        if let Some(assignment) = ast::BinExpr::cast(node.clone()) {
            if matches!(assignment.op_kind(), Some(ast::BinaryOp::Assignment { .. })) {
                self.change_all(assignment.lhs().as_ref(), Use::Place);
            }
        } else if let Some(lent) = ast::RefExpr::cast(node.clone()) {
            if lent.mut_token().is_some() {
                self.change_all(lent.expr().as_ref(), Use::Place);
            }
        } else if let Some(call) = ast::MethodCallExpr::cast(node.clone()) {
            let how = changing::of_call(&call);
            self.change_all(Some(&ast::Expr::MethodCallExpr(call)), how);
        }
        self.children(node);
    }

    /// Only the first word of `a::b` is a name of the cell's. Words outside of paths name fields, methods and associated types.
    fn path(&mut self, path: &ast::Path) {
        let segment = path.segment();
        if path.qualifier().is_none() {
            self.named(segment.as_ref().and_then(|segment| segment.name_ref()));
        }
        self.maybe(path.qualifier());
        segment.iter().for_each(|segment| self.children(segment.syntax()));
    }

    /// `self` and its like are no names.
    fn named(&mut self, name: Option<ast::NameRef>) {
        if let Some(name) = name.filter(|name| name.ident_token().is_some()) {
            self.read(name.text());
        }
    }

    fn pattern(&mut self, pattern: &ast::IdentPat) {
        self.maybe(pattern.pat());
        let Some(name) = pattern.name() else { return };
        let name = name.text().to_string();
        // In an arm, a word of this form is a constant or a variant.
        let may_fail = pattern
            .syntax()
            .ancestors()
            .find_map(|above| match above.kind() {
                SyntaxKind::MATCH_ARM | SyntaxKind::LET_EXPR => Some(true),
                SyntaxKind::LET_STMT | SyntaxKind::PARAM | SyntaxKind::FOR_EXPR => Some(false),
                _ => None,
            })
            .unwrap_or(false);
        if may_fail && pattern.pat().is_none() && name.starts_with(char::is_uppercase) {
            self.read(&name);
        } else {
            self.bind(&name);
        }
    }

    /// Methods are a change to the type, or to the trait where the type is none that a cell can have made.
    fn implementation(&mut self, implementation: &ast::Impl) {
        self.inside(|walk| {
            walk.maybe(implementation.generic_param_list());
            let names = |ty: Option<ast::Type>| -> Vec<String> {
                let paths = ty.into_iter().flat_map(|ty| {
                    let paths = ty.syntax().descendants().filter_map(ast::Path::cast);
                    paths.collect::<Vec<_>>()
                });
                paths.filter_map(|path| Some(path.as_single_name_ref()?.text().to_string())).collect()
            };
            let mut changed = names(implementation.self_ty());
            if !changed.iter().any(|name| name.starts_with(char::is_uppercase)) {
                changed = names(implementation.trait_());
            }
            changed.into_iter().for_each(|name| walk.change(name));
            walk.children(implementation.syntax());
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(names: &BTreeSet<String>) -> Vec<&str> {
        names.iter().map(String::as_str).collect()
    }

    #[track_caller]
    fn check(source: &str, makes: &[&str], changes: &[&str], reads: &[&str]) {
        let dataflow = Dataflow::of(source);
        assert_eq!(words(&dataflow.makes), makes, "made in {source}");
        assert_eq!(words(&dataflow.changes), changes, "changed in {source}");
        assert_eq!(words(&dataflow.reads), reads, "read in {source}");
    }

    #[test]
    fn what_is_made_and_what_is_read() {
        check("let (a, b) = f(x);\na + b", &["a", "b"], &[], &["f", "x"]);
        check("let x = x + 1;\nx", &["x"], &[], &["x"]);
        check("fn g() -> f64 { h() }\nstruct S;\ng()", &["S", "g"], &[], &["f64", "h"]);
        check("println!(\"{}\", inside)", &[], &[], &["inside", "println"]);
        check("let x = ;", &[], &[], &[]);
    }

    #[test]
    fn what_is_changed() {
        check("w[0].v += 1.0; *q = 2;", &[], &["q", "w"], &["q", "w"]);
        check("fill(&mut all); all.len()", &[], &["all"], &["all", "fill"]);
        check("list.push(1);", &[], &["list"], &["list"]);
        check("list.len()", &[], &[], &["list"]);
        check("(a, b) = (b, a);", &[], &["a", "b"], &["a", "b"]);
        check("write!(out, \"{}\", 1)?;", &[], &["out"], &["out", "write"]);
    }

    #[test]
    fn changes_are_seen_wherever_they_stand() {
        check("for i in 0..3 { list.push(i); }", &[], &["list"], &["list"]);
        check("let last = list.pop();", &["last"], &["list"], &["list"]);
        check("if c { list.clear(); }", &[], &["list"], &["c", "list"]);
        check("if c { list.clear() }", &[], &["list"], &["c", "list"]);
        check("list.iter_mut().for_each(|x| *x += 1.0);", &[], &["list"], &["list"]);
        check("c.borrow_mut().push(1);", &[], &["c"], &["c"]);
        check("*m.lock().unwrap() += 1;", &[], &["m"], &["m"]);
        check("for x in &mut list { *x = 0.0; }", &[], &["list"], &["list"]);
        check("assert_eq!(list.pop(), None);", &[], &["list"], &["None", "assert_eq", "list"]);
        // What stands at the end of a body without `;` is dropped, too.
        for source in [
            "for b in 0..3 { m.step(b) }",
            "while c { m.step(b) }",
            "loop { m.step(b)? }",
            "if c { m.step(b) }",
            "if c { m.step(b) } else if b { m.rest() }",
            "for b in 0..3 { if c { m.step(b) } else { m.rest() } }",
            "for b in 0..3 { match c { 0 => m.step(b), _ => {} } }",
            "match c { 0 => m.step(b), _ => {} }\nf()",
        ] {
            assert_eq!(words(&Dataflow::of(source).changes), ["m"], "{source}");
        }
        for source in [
            "if m.step(b) { 1 } else { 2 }",
            "if c { m.len() } else { m.rest() }",
            "match c { _ if m.is(b) => {} _ => {} }\nf()",
            "for b in m.each() {}",
            "for b in 0..3 { let mut m = f(); m.step(b) }",
        ] {
            assert_eq!(words(&Dataflow::of(source).changes), [""; 0], "{source}");
        }
        // Who is only looked at, and what lives in an inner scope, is not changed.
        check("list.iter().for_each(|x| out.push(*x));", &[], &["out"], &["list", "out"]);
        check("let n = { let mut v = f(); v.push(1); v.len() };", &["n"], &[], &["f"]);
    }

    #[test]
    fn format_strings_mention_names() {
        check("Card(format!(\"{x}\"))", &[], &[], &["Card", "format", "x"]);
        check("println!(\"{{y}} {x:?} {:>width$.deep$}\", z)", &[], &[], &["deep", "println", "width", "x", "z"]);
        check("println!(\"{x}\", x = 5)", &[], &[], &["println"]);
        check("let s = \"{x}\"; vec![\"{y}\"]", &["s"], &[], &["vec"]);
        // The format is one of the strings that a macro gets.
        check("println!(\"{}\", \"{x}\")", &[], &[], &["println"]);
        check("write!(out, \"{}\", \"{x}\")", &[], &["out"], &["out", "write"]);
        check("assert_eq!(s, \"{x}\")", &[], &[], &["assert_eq", "s"]);
        check("assert_eq!(s, \"{x}\", \"{y}\")", &[], &[], &["assert_eq", "s", "y"]);
        check("ensure!(c, \"{x}\", \"{y}\")", &[], &[], &["c", "ensure", "x"]);
        check("own!(a => \"{x}\", b.c, d: e)", &[], &[], &["a", "b", "e", "own", "x"]);
    }

    #[test]
    fn fields_methods_and_names_of_inner_scopes_are_not_read() {
        check("v.len() + p.x", &[], &[], &["p", "v"]);
        check("println!(\"{}\", v.len())", &[], &[], &["println", "v"]);
        check("P { x: 1, y }", &[], &[], &["P", "y"]);
        check("all.iter().map(|x| x + k).sum()", &[], &[], &["all", "k"]);
        check("for i in 0..n { f(i); }", &[], &[], &["f", "n"]);
        check("if let Some(v) = o { v } else { w }", &[], &[], &["Some", "o", "w"]);
        check("match o { MAX => 1, Some(x) if x > y => x, _ => 0 }", &[], &[], &["MAX", "Some", "o", "y"]);
        check("stats::mean(&v)", &[], &[], &["stats", "v"]);
        check("let m = { let a = 1; a };\na", &["m"], &[], &["a"]);
        check("union U<T: Copy> { a: T }\nT", &["U"], &[], &["Copy", "T"]);
        check("mod m { fn a() {} fn b() { a(); c() } }\na", &["m"], &[], &["a", "c"]);
        check("mod m { fn a() {} fn b() { a() } }", &["m"], &[], &[]);
    }

    #[test]
    fn methods_belong_to_their_type() {
        check("impl S { fn f(&self) -> u8 { self.n } }", &[], &["S"], &["S", "u8"]);
        check("impl<T> Show for Pair<T> {}", &[], &["Pair"], &["Pair", "Show"]);
        check("impl Show for f64 {}", &[], &["Show"], &["Show", "f64"]);
    }

    #[test]
    fn a_long_sum_or_chain_is_read_to_its_end() {
        let sum = format!("{}last", "x + ".repeat(1500));
        let dataflow = Dataflow::of(&sum);
        assert_eq!(words(&dataflow.reads), ["last", "x"]);
        let chain = format!("all{}", ".map(|v| v + k)".repeat(1000));
        assert!(Dataflow::of(&chain).reads.contains("k"));
    }
}
