//! Names of papers and claims: each also names a module.

use ra_ap_syntax::{Edition, SyntaxKind};

/// What every crate has at its root, files that are no modules, and the page for the methods of a project of one's own.
pub(super) const ROOTS: [&str; 7] = ["alloc", "all", "core", "lib", "main", "methods", "std"];

/// A cell is named after its claim, and Jupyter gives such names 64 characters.
const LONGEST: usize = 50;

/// What is wrong with the spelling of a name, and how it is spelt.
pub fn misspelt(name: &str) -> Option<String> {
    let wrong = |c: &char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-');
    let trouble = match name.chars().find(wrong) {
        _ if name.is_empty() => "the name is empty".to_string(),
        _ if name.chars().count() > LONGEST => format!("a name of {} characters is too long", name.chars().count()),
        Some(c) if c.is_whitespace() => format!("`{name}` has a blank"),
        Some(c) => format!("`{name}` has `{c}`"),
        None if !name.starts_with(|c: char| c.is_ascii_lowercase()) => format!("`{name}` does not begin with a letter"),
        None => return None,
    };
    let rule = format!("a name has at most {LONGEST} small letters, digits and hyphens, and begins with a letter");
    Some(format!("{trouble}; {rule}"))
}

/// What a title has that nothing prints, and where.
pub fn unprintable(title: &str) -> Option<String> {
    let (place, sign) = (1..).zip(title.chars()).find(|(_, c)| c.is_control() && *c != '\t')?;
    let sign = match sign {
        '\n' => "a line break".to_string(),
        '\r' => "a carriage return".to_string(),
        other => format!("the sign U+{:04X}", u32::from(other)),
    };
    Some(format!("{sign} is its character {place}"))
}

/// Whether no module can have this name.
pub fn is_keyword(module: &str) -> bool {
    SyntaxKind::from_keyword(module, Edition::CURRENT).is_some()
}

/// Why a crate with this front page and this manifest can have no module of this name more.
pub fn taken(module: &str, library: &str, manifest: &str) -> Option<String> {
    if is_keyword(module) {
        return Some(format!("`{module}` is a word of Rust, and no module can have it"));
    }
    let manifest: toml::Table = manifest.parse().unwrap_or_default();
    let package = manifest.get("package").and_then(|package| package.get("name")?.as_str());
    let below = manifest.get("dependencies").and_then(toml::Value::as_table);
    let crates = package.into_iter().chain(below.into_iter().flat_map(|table| table.keys().map(String::as_str)));
    if ROOTS.contains(&module) || crates.into_iter().any(|name| name.replace('-', "_") == module) {
        return Some(format!("cells and checks know another thing as `{module}`"));
    }
    // A module in a file of its own is told by that file.
    let uses = library.lines().filter(|line| line.starts_with("pub use ") || line.starts_with("use "));
    let mut words = uses.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.any(|word| word == module).then(|| format!("the library has `{module}` already"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_name_is_named() {
        for (name, part) in [
            ("two words", "has a blank"),
            ("Thm-2", "has `T`"),
            ("a_b", "has `_`"),
            ("2nd", "begin with a letter"),
            ("", "is empty"),
            (&"a".repeat(51), "51 characters is too long"),
        ] {
            let why = misspelt(name).unwrap();
            assert!(why.contains(part) && why.contains("small letters, digits and hyphens"), "{why}");
        }
        assert_eq!(misspelt("eq-6"), None);
    }

    #[test]
    fn what_a_title_cannot_have_is_named_with_its_place() {
        for (title, said) in [
            ("On\nsums", "a line break is its character 3"),
            ("On\r sums", "a carriage return is its character 3"),
            ("ü\u{1b}[1m", "the sign U+001B is its character 2"),
        ] {
            assert_eq!(unprintable(title).as_deref(), Some(said));
        }
        assert_eq!(unprintable("On the $\\ell_1$ norm: \ta \\ b"), None);
    }

    #[test]
    fn a_module_has_a_name_that_is_free() {
        let library = "//! fn\n\npub use workbench_ledger::prelude;\nuse a::{one, b as two};\n\npub mod eq_1;\n";
        let manifest = "[package]\nname = \"some-records\"\n[dependencies]\nndarray = \"0.17\"\n";
        for (name, part) in [
            ("fn", "a word of Rust"),
            ("self", "a word of Rust"),
            ("async", "a word of Rust"),
            ("prelude", "the library has `prelude`"),
            ("one", "the library has"),
            ("two", "the library has"),
            ("std", "know another thing"),
            ("methods", "know another thing"),
            ("ndarray", "know another thing"),
            ("some_records", "know another thing"),
        ] {
            assert!(taken(name, library, manifest).unwrap().contains(part), "{name}");
        }
        assert_eq!(taken("eq_2", library, manifest), None);
    }
}
