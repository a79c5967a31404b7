//! A type as the compiler lists it, written so that a later cell can name it.
//!
//! The listing is for people: function items are shown with their function, closures with their place, lifetimes are left
//! out where they were told apart no longer. What is written here is parsed before it is trusted, because a type that a later
//! cell cannot read would make every cell fail that names the variable.

use std::ops::Range;

use ra_ap_syntax::{Edition, SourceFile};

/// How a variable's type can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spelled {
    /// As it is.
    As(String),
    /// It is a function item, which is kept as this pointer.
    Pointer(String),
    /// It has no name: the variable lives in its own cell.
    Nameless,
    /// The listing does not tell.
    Untold,
}

/// Spells a type of the listing.
pub fn spell(found: &str) -> Spelled {
    if let Some(pointer) = function_item(found) {
        return checked(pointer).map_or(Spelled::Untold, Spelled::Pointer);
    }
    // The type of what never is (`!`) cannot be written by a compiler that is stable.
    let nameless = ["{", "impl ", "!"];
    if nameless.iter().any(|sign| found.contains(sign)) {
        return Spelled::Nameless;
    }
    checked(found).map_or(Spelled::Untold, Spelled::As)
}

/// The pointer type of `fn(u8) -> u8 {name}`.
fn function_item(found: &str) -> Option<&str> {
    let rest = found.strip_suffix('}')?;
    let mut open = 1;
    let brace = rest.char_indices().rev().find_map(|(at, c)| {
        match c {
            '}' => open += 1,
            '{' => open -= 1,
            _ => {}
        }
        (open == 0).then_some(at)
    })?;
    let pointer = rest[..brace].strip_suffix(' ')?;
    let mut word = pointer;
    if let Some(bound) = word.strip_prefix("for<") {
        word = bound.split_once("> ")?.1;
    }
    let word = word.strip_prefix("unsafe ").unwrap_or(word);
    let starts = word.starts_with("fn(") || word.starts_with("extern ") && word.contains(" fn(");
    (starts && !pointer.contains('{') && !pointer.contains("impl ")).then_some(pointer)
}

/// With its lifetimes, if it is a type then.
fn checked(found: &str) -> Option<String> {
    let written = with_lifetimes(found)?;
    let item = format!("type T = {written};");
    SourceFile::parse(&item, Edition::Edition2024).errors().is_empty().then_some(written)
}

/// Variables outlive their cell, so references in their types are `'static`. Those of `for<'a> Fn(&'a str) -> &'a str` are
/// bound by it; the listing leaves them out after the arrow.
fn with_lifetimes(found: &str) -> Option<String> {
    let returns = bound_returns(found);
    let lifetime = |at: usize| {
        let inside = returns.iter().filter(|(range, _)| range.contains(&at)).min_by_key(|(range, _)| range.len());
        match inside {
            None => Some("'static"),
            Some((_, bound)) => match bound[..] {
                [one] => Some(one),
                _ => None,
            },
        }
    };
    let mut out = String::with_capacity(found.len() + 16);
    let mut rest = found;
    while let Some(at) = rest.find(['&', '\'']) {
        let place = found.len() - rest.len() + at;
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("'_") {
            out.push_str(lifetime(place)?);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("'{erased}") {
            out.push_str(lifetime(place)?);
            rest = after;
        } else {
            let sign = &rest[..1];
            rest = &rest[1..];
            out.push_str(sign);
            if sign == "&" && !rest.starts_with('\'') {
                out.push_str(lifetime(place)?);
                out.push(' ');
            }
        }
    }
    out.push_str(rest);
    Some(out)
}

/// What stands after the arrows of traits such as `for<'a> Fn(&'a T) -> U`, with the lifetimes that are bound there.
fn bound_returns(found: &str) -> Vec<(Range<usize>, Vec<&str>)> {
    let mut returns = Vec::new();
    for (at, _) in found.match_indices("for<") {
        let Some((names, trait_)) = found[at + "for<".len()..].split_once("> ") else {
            continue;
        };
        let Some(open) = trait_.find('(') else { continue };
        let path = &trait_[..open];
        let is_path = path.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
        let pointer = path == "fn" || !is_path;
        let start = found.len() - trait_.len() + open;
        let Some(close) = end_of(found, start + 1) else {
            continue;
        };
        if !pointer && let Some(arrow) = found[close + 1..].strip_prefix(" -> ") {
            let from = found.len() - arrow.len();
            let to = end_of(found, from).unwrap_or(found.len());
            returns.push((from..to, names.split(", ").collect()));
        }
    }
    returns
}

/// Where the bracket closes, or the list goes on, that is open at `from`.
fn end_of(text: &str, from: usize) -> Option<usize> {
    let mut depth = 0_i32;
    let mut before = ' ';
    for (at, c) in text[from..].char_indices() {
        match c {
            '(' | '[' | '<' => depth += 1,
            '>' if before == '-' => {}
            ')' | ']' | '>' if depth == 0 => return Some(from + at),
            ')' | ']' | '>' => depth -= 1,
            ',' | '+' if depth == 0 && !text[..from].ends_with('(') => return Some(from + at),
            _ => {}
        }
        before = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(found: &str) -> String {
        match spell(found) {
            Spelled::As(of) => of,
            other => panic!("{found}: {other:?}"),
        }
    }

    #[test]
    fn references_that_are_kept_are_static() {
        for (found, written) in [
            ("&str", "&'static str"),
            ("std::vec::Vec<&mut [f64]>", "std::vec::Vec<&'static mut [f64]>"),
            ("&&str", "&'static &'static str"),
            ("std::borrow::Cow<'_, str>", "std::borrow::Cow<'static, str>"),
            ("Box<dyn std::ops::Fn(&str) -> &str>", "Box<dyn std::ops::Fn(&'static str) -> &'static str>"),
            ("for<'a> fn(&'a u8, &str) -> &str", "for<'a> fn(&'a u8, &'static str) -> &'static str"),
        ] {
            assert_eq!(named(found), written);
        }
    }

    #[test]
    fn what_a_binder_binds_stays_bound() {
        assert_eq!(
            named("(Box<dyn for<'a> std::ops::Fn(&'a str) -> &str>, &str)"),
            "(Box<dyn for<'a> std::ops::Fn(&'a str) -> &'a str>, &'static str)"
        );
        assert_eq!(
            named("Vec<Box<dyn for<'a, 'b> std::ops::Fn(&'a [f64], &'b mut f64) -> f64>>"),
            "Vec<Box<dyn for<'a, 'b> std::ops::Fn(&'a [f64], &'b mut f64) -> f64>>"
        );
        // Which of the two is meant, the listing does not say.
        assert_eq!(spell("Box<dyn for<'a, 'b> Fn(&'a str, &'b str) -> &str>"), Spelled::Untold);
    }

    #[test]
    fn function_items_are_pointers() {
        for (found, pointer) in [
            ("fn(f64) -> f64 {g}", "fn(f64) -> f64"),
            ("for<'a> fn(&'a str) -> &'a str {pick}", "for<'a> fn(&'a str) -> &'a str"),
            (
                "fn(u8, u8) -> std::option::Option<u8> {core::num::<impl u8>::checked_add}",
                "fn(u8, u8) -> std::option::Option<u8>",
            ),
            ("unsafe extern \"C\" fn() {exit}", "unsafe extern \"C\" fn()"),
        ] {
            assert_eq!(spell(found), Spelled::Pointer(pointer.into()), "{found}");
        }
    }

    #[test]
    fn what_has_no_name_is_told() {
        for found in [
            "{closure@cell.rs:1:2: 1:3}",
            "(Vec<u8>, {closure@cell.rs:1:2: 1:3})",
            "Vec<for<'a> fn(&'a str) -> &'a str {pick}>",
            "impl std::iter::Iterator<Item = u8>",
            "{async block@cell.rs:1:2: 1:3}",
            "std::result::Result<!, u8>",
        ] {
            assert_eq!(spell(found), Spelled::Nameless, "{found}");
        }
        assert_eq!(spell("Vec<u8"), Spelled::Untold);
    }
}
