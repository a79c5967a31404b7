//! Statics of cells: one place over all cells, as in a program.
//!
//! evcxr compiles the items of earlier cells into each later one, so a static would start anew in every cell. What can change in one is
//! therefore kept by the process: `static N: T = e;` becomes `static N: Kept<T> = Kept::new(key, || e);`, by insertions only, and `Kept<T>`
//! is used as a `T`. The key is of the cell that defines it: running that cell again makes a new one.
//!
//! Types that a cell defines are compiled anew in each cell and may have another layout in the next, so statics of them stay as they are.

use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};

use super::cell::{end, start};

/// Types of the standard library whose content changes behind a shared reference.
const CHANGE: [&str; 18] = [
    "AtomicBool",
    "AtomicI16",
    "AtomicI32",
    "AtomicI64",
    "AtomicI8",
    "AtomicIsize",
    "AtomicU16",
    "AtomicU32",
    "AtomicU64",
    "AtomicU8",
    "AtomicUsize",
    "Condvar",
    "LazyLock",
    "Mutex",
    "Once",
    "OnceLock",
    "RwLock",
    "Barrier",
];

/// What else may stand in their types: the same type in every cell.
const SAME: [&str; 46] = [
    "Arc",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "Box",
    "Duration",
    "HashMap",
    "HashSet",
    "Instant",
    "Option",
    "PathBuf",
    "Result",
    "String",
    "SystemTime",
    "Vec",
    "VecDeque",
    "atomic",
    "bool",
    "boxed",
    "char",
    "collections",
    "core",
    "f32",
    "f64",
    "i128",
    "i16",
    "i32",
    "i64",
    "i8",
    "isize",
    "option",
    "path",
    "std",
    "str",
    "string",
    "sync",
    "time",
    "u128",
    "u16",
    "u32",
    "u64",
    "u8",
    "usize",
    "vec",
    "alloc",
    "result",
];

/// Has the statics in `around` kept by the process: adds what is to be inserted to `edits`, numbered from `next`.
pub(super) fn keep(around: &SyntaxNode, next: &mut usize, edits: &mut Vec<(usize, String)>) {
    for item in around.descendants().filter_map(ast::Static::cast) {
        let (Some(name), Some(of), Some(body)) = (item.name(), item.ty(), item.body()) else { continue };
        if item.mut_token().is_some() || item.attrs().next().is_some() || !changes(&of) {
            continue;
        }
        let lazy = of.to_string().split('<').next().is_some_and(|head| head.trim().ends_with("LazyLock"));
        let kept = if lazy { "KeptLazy" } else { "Kept" };
        let (of, body) = (of.syntax().text_range(), body.syntax().text_range());
        edits.push((start(of), format!("::evcxr_cell::{kept}<")));
        edits.push((end(of), ">".to_owned()));
        edits.push((start(body), format!("::evcxr_cell::{kept}::new(\"{name} {next}\",||")));
        edits.push((end(body), ")".to_owned()));
        *next += 1;
    }
}

/// Whether a static of this type can change, and its type is the same in every cell.
fn changes(of: &ast::Type) -> bool {
    let tokens = of.syntax().descendants_with_tokens().filter_map(|part| part.into_token());
    let names: Vec<String> =
        tokens.filter(|token| token.kind() == SyntaxKind::IDENT).map(|token| token.text().to_owned()).collect();
    names.iter().any(|name| CHANGE.contains(&name.as_str()))
        && names.iter().all(|name| CHANGE.contains(&name.as_str()) || SAME.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use crate::cell::{Care, prepare};

    fn prepared(source: &str) -> String {
        prepare(source, Care::Usual, &mut 7).code
    }

    #[test]
    fn what_can_change_is_kept_wherever_it_stands() {
        let code = prepared("fn id() -> u32 { static N: AtomicU32 = AtomicU32::new(0); N.fetch_add(1, SeqCst) }");
        let kept = "static N: ::evcxr_cell::Kept<AtomicU32> = ::evcxr_cell::Kept::new(\"N 7\",||AtomicU32::new(0));";
        assert!(code.contains(kept), "{code}");
        let code = prepared(
            "pub static A: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());\nstatic B: LazyLock<Mutex<u8>> = LazyLock::new(|| 1.into());",
        );
        assert!(code.contains("Kept::new(\"A 7\",||std::sync::Mutex::new(Vec::new()))"), "{code}");
        assert!(
            code.contains(
                "static B: ::evcxr_cell::KeptLazy<LazyLock<Mutex<u8>>> = ::evcxr_cell::KeptLazy::new(\"B 8\",||"
            ),
            "{code}"
        );
    }

    #[test]
    fn what_cannot_change_and_what_may_be_another_type_stays() {
        for source in [
            "static LIMIT: u32 = 5;",
            "static NAMES: [&str; 2] = [\"a\", \"b\"];",
            "static P: Mutex<Point> = Mutex::new(Point { x: 1 });",
            "static mut N: u32 = 0;",
            "#[used] static N: AtomicU8 = AtomicU8::new(0);",
            "const N: AtomicU8 = AtomicU8::new(0);",
        ] {
            assert_eq!(prepared(source), source);
        }
    }
}
