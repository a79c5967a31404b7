//! Build script of a crate of checks: lists the checks that stand in its files.
//!
//! A crate of checks declares its modules in the order of its document, and each module holds one or more `pub const NAME: Check`. Its
//! `build.rs` is `fn main() { workbench_checks_list::write(); }`, its front page takes in what that wrote:
//!
//! ```ignore
//! include!(concat!(env!("OUT_DIR"), "/all.rs"));
//! ```
//!
//! which is a function `all` that gives them all. A claim more is a file and its module, and no list.

use std::path::Path;

/// Writes `all.rs` for the crate that is being built; a file that cannot be read ends the build with its name.
pub fn write() {
    println!("cargo::rerun-if-changed=src");
    let folder = |name: &str| std::env::var(name).unwrap_or_default();
    let (from, to) = (folder("CARGO_MANIFEST_DIR"), folder("OUT_DIR"));
    let read = |name: &str| {
        let path = Path::new(&from).join("src").join(name);
        std::fs::read_to_string(&path)
            .map_err(|why| format!("cannot read {}: {why}; is its module declared?", path.display()))
    };
    let written = list(read).and_then(|text| {
        let file = Path::new(&to).join("all.rs");
        std::fs::write(&file, text).map_err(|why| format!("cannot write {}: {why}", file.display()))
    });
    if let Err(problem) = written {
        println!("cargo::error={problem}");
    }
}

/// The function `all` of the crate whose sources are read by their names.
fn list(read: impl Fn(&str) -> Result<String, String>) -> Result<String, String> {
    let front = read("lib.rs")?;
    let modules = front.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let mut names = Vec::new();
    for module in modules {
        let text = read(&format!("{module}.rs"))?;
        names.extend(checks(&text).into_iter().map(|name| format!("{module}::{name}")));
    }
    Ok(format!(
        "/// Its checks, in the order of the text.\npub fn all() -> Vec<workbench_ledger::Check> {{\n    vec![{}]\n}}\n",
        names.join(", ")
    ))
}

/// The constants of a file that are checks of claims; those of one's own have ids without a document, and are not listed.
fn checks(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for part in text.split("\npub const ").skip(1) {
        let claim = part.split_once("claim: \"").and_then(|(_, rest)| rest.split('"').next());
        if let Some((name, rest)) = part.split_once(':')
            && rest.split_whitespace().take(4).eq(["Check", "=", "Check", "{"])
            && claim.is_some_and(|claim| claim.contains('/'))
        {
            found.push(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_listed_in_the_order_of_the_modules() {
        let check =
            |name: &str, claim: &str| format!("\npub const {name}: Check = Check {{\n    claim: \"{claim}\",\n}};\n");
        let files = [
            ("lib.rs", "//! Page.\npub mod second;\npub mod first;\npub mod helpers;\nmod private;\n".to_string()),
            (
                "first.rs",
                "//! One.\n\npub const CHECK: Check =\n    Check { claim: \"a/one\", ..OTHER };\n".to_string(),
            ),
            ("second.rs", format!("{}{}{}", check("LEFT", "a/left"), check("RIGHT", "a/right"), check("OWN", "mine"))),
            ("helpers.rs", "\npub const SIZE: usize = 3;\n".to_string()),
        ];
        let read = |files: &[(&str, String)], name: &str| {
            let found = files.iter().find(|(file, _)| *file == name);
            found.map(|(_, text)| text.clone()).ok_or_else(|| format!("no {name}"))
        };
        let text = list(|name| read(&files, name)).unwrap();
        assert!(text.contains("vec![second::LEFT, second::RIGHT, first::CHECK]"), "{text}");
        assert_eq!(list(|name| read(&files[..1], name)).unwrap_err(), "no second.rs");
    }
}
