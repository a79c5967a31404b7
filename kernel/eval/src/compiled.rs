//! Source that the compiler sees of what evcxr wrote: the same lines, with less on them.
//!
//! evcxr takes every variable of the session out of its store before each cell, puts all of them back afterwards, and
//! pastes the store's own source into each cell. Most of what the compiler then works on is neither the reader's nor
//! needed, so variables that a cell does not mention stay where they are, and the store comes compiled with the cell's
//! runtime. Lines keep their numbers, and text that is not what is expected here is left as evcxr wrote it.

use std::collections::HashSet;

use super::marks::{BEGIN, DONE, VALUE};

/// Where the type that errors are turned into on their way out of a cell begins. The store follows it.
const ERROR: &str = "            struct EvcxrUserCodeError {}\n";
/// The whole of it, as evcxr writes it where errors show their message.
const ERROR_SHOWN: &str = r#"            struct EvcxrUserCodeError {}
            impl<T: std::fmt::Display> From<T> for EvcxrUserCodeError {
                fn from(error: T) -> Self {
                    eprintln!("{}", error);
                    println!("{}", evcxr_internal_runtime::USER_ERROR_OCCURRED);
                    EvcxrUserCodeError {}
                }
            }"#;
const OUR_ERROR: &str = "use ::evcxr_cell::UserError as EvcxrUserCodeError;";

/// Where the source of the store of variables begins and ends.
const STORE: (&str, &str) =
    ("\nmod evcxr_internal_runtime {\n", "\n}\n#[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_");
/// How a cell tells evcxr that a panic has left it.
const PANIC: &str = "EVCXR_PANIC_NOTIFICATION";
const OUR_STORE: &str = "use ::evcxr_cell::store as evcxr_internal_runtime;";

/// The source that is compiled.
pub fn form(source: &str) -> String {
    let mut code = source.to_owned();
    for mark in [BEGIN, VALUE, DONE] {
        code = code.replace(mark.seen, mark.compiled);
    }
    if let Some(begin) = code.find(ERROR)
        && let Some(length) = code[begin..].find(STORE.0)
    {
        let text = error_type(&code[begin..begin + length]);
        code.replace_range(begin..begin + length, &text);
    }
    if let Some(begin) = code.find(STORE.0).map(|at| at + 1)
        && let Some(length) = code[begin..].find(STORE.1)
    {
        let end = begin + length + "\n}".len();
        let text = in_lines_of(OUR_STORE, &code[begin..end]);
        code.replace_range(begin..end, &text);
    }
    // Standard output is the cell's.
    code = code.replace(&format!("println!(\"{PANIC}\");"), &format!("::evcxr_cell::protocol(\"{PANIC}\");"));
    let mut code = without_idle_variables(&code);
    code.push_str("\n#[allow(unused_imports)] use ::evcxr_cell::Fallback as _;\n");
    code
}

/// What stands in the place of evcxr's type of errors, in as many lines.
fn error_type(written: &str) -> String {
    if let Some(rest) = written.strip_prefix(ERROR_SHOWN) {
        return format!("{}{rest}", in_lines_of(OUR_ERROR, ERROR_SHOWN));
    }
    // Another form of errors was asked for. Their text and evcxr's own note must still reach their own streams.
    written
        .replace("fn from(error: T) -> Self {", "#[track_caller] fn from(error: T) -> Self {")
        .replace("eprintln!(\"{}\", error);", "::evcxr_cell::user_error(&error);")
        .replace(
            "println!(\"{}\", evcxr_internal_runtime::USER_ERROR_OCCURRED);",
            "::evcxr_cell::protocol(evcxr_internal_runtime::USER_ERROR_OCCURRED);",
        )
}

/// Whether a cell may name symbols of its own, which somebody has to look for when it is linked.
pub fn declares_symbols(code: &str) -> bool {
    let ours = "pub extern \"C\" fn run_user_code_";
    code.match_indices("extern").any(|(at, word)| {
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        let is_word = !before.ends_with(in_word) && !after.starts_with(in_word);
        let is_evcxrs = before.ends_with("pub ") && code[at - "pub ".len()..].starts_with(ours);
        is_word && !is_evcxrs
    })
}

/// `text`, followed by as many empty lines as `replaced` had beyond its first.
fn in_lines_of(text: &str, replaced: &str) -> String {
    format!("{text}{}", "\n".repeat(replaced.matches('\n').count()))
}

/// Leaves variables that no line of the cell mentions in the store.
fn without_idle_variables(code: &str) -> String {
    let mentioned: HashSet<&str> = code.lines().filter(|line| Move::parse(line).is_none()).flat_map(words).collect();
    code.split_inclusive('\n')
        .map(|line| match Move::parse(line.trim_end_matches('\n')) {
            Some(moved) if !mentioned.contains(moved.name) => "\n",
            _ => line,
        })
        .collect()
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The identifiers and numbers of a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !in_word(c)).filter(|word| !word.is_empty())
}

/// What a line of evcxr's own does with a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Asks whether the variable in the store has the type.
    Check,
    /// Takes it out.
    Take,
    /// Puts it in.
    Put,
}

/// A line of evcxr's own that moves a variable between cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move<'a> {
    /// What it does.
    pub way: Way,
    /// The variable.
    pub name: &'a str,
    /// Its type.
    pub of: &'a str,
}

impl Move<'_> {
    /// Reads a line; other lines, and variables whose names are no plain identifiers, are nothing.
    pub fn parse(line: &str) -> Option<Move<'_>> {
        const CALL: &str = "evcxr_variable_store.";
        const NAME: &str = ">(stringify!(";
        let (before, call) = line.split_once(CALL)?;
        let (way, rest) = match before {
            "" => (Way::Put, call.strip_prefix("put_variable::<")?),
            "vars_ok &= " => (Way::Check, call.strip_prefix("check_variable::<")?),
            _ if before.starts_with("let ") && before.ends_with(" = ") => {
                (Way::Take, call.strip_prefix("take_variable::<")?)
            }
            _ => return None,
        };
        let at = rest.rfind(NAME)?;
        let name = rest[at + NAME.len()..].split(')').next()?;
        let plain = !name.is_empty() && name.chars().all(in_word);
        (plain && line.ends_with(");")).then_some(Move { way, name, of: &rest[..at] })
    }
}

/// The variables that a cell puts into the store for the first time, with their types: those that it puts there before its end.
pub fn stored_anew(code: &str) -> impl Iterator<Item = Move<'_>> {
    code.lines()
        .take_while(|line| !line.starts_with("})) {"))
        .filter_map(Move::parse)
        .filter(|moved| moved.way == Way::Put)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell as evcxr 0.22 writes it: `d` and `law` are in the store, `total` is new.
    fn cell() -> String {
        let mut lines = vec!["#![allow(unused_imports, unused_mut, dead_code)]", "use workbench::memory;", ""];
        lines.extend(ERROR_SHOWN.lines());
        lines.extend([
            "        ",
            "mod evcxr_internal_runtime {",
            "pub struct VariableStore {",
            "    variables: std::collections::HashMap<String, Box<dyn std::any::Any + 'static>>,",
            "}",
            "}",
            "#[unsafe(no_mangle)]",
            "pub extern \"C\" fn run_user_code_7(",
            "mut evcxr_variable_store: *mut evcxr_internal_runtime::VariableStore)",
            "{let mut vars_ok = true;",
            "vars_ok &= evcxr_variable_store.check_variable::<Vec<f64>>(stringify!(d));",
            "vars_ok &= evcxr_variable_store.check_variable::<workbench::memory::Law>(stringify!(law));",
            "if !vars_ok {return evcxr_variable_store;}}",
            "let d = evcxr_variable_store.take_variable::<Vec<f64>>(stringify!(d));",
            "let mut law = evcxr_variable_store.take_variable::<workbench::memory::Law>(stringify!(law));",
            "let total: EvcxrType3 = law.total();",
            "evcxr_variable_store.put_variable::<EvcxrType3>(stringify!(total), total);",
            "})) { ",
            "evcxr_variable_store.put_variable::<Vec<f64>>(stringify!(d), d);",
            "evcxr_variable_store.put_variable::<workbench::memory::Law>(stringify!(law), law);",
            "evcxr_variable_store",
            "}",
        ]);
        lines.join("\n")
    }

    fn line_of(code: &str, part: &str) -> Option<usize> {
        code.lines().position(|line| line.contains(part))
    }

    #[test]
    fn variables_that_a_cell_does_not_mention_stay_in_the_store() {
        let code = form(&cell());
        assert!(!code.contains("stringify!(d)"), "{code}");
        for call in [
            "check_variable::<workbench::memory::Law>",
            "let mut law = ",
            "put_variable::<EvcxrType3>",
            "put_variable::<workbench::memory::Law>",
        ] {
            assert_eq!(line_of(&code, call), line_of(&cell(), call), "{call}");
            assert!(line_of(&code, call).is_some(), "{call}");
        }
        let mentioned = form(&cell().replace("law.total()", "format!(\"{d:?}\")"));
        assert_eq!(mentioned.matches("stringify!(d)").count(), 3, "{mentioned}");
    }

    #[test]
    fn the_store_and_the_error_come_compiled_and_lines_keep_their_numbers() {
        let code = form(&cell());
        assert!(!code.contains("mod evcxr_internal_runtime {") && !code.contains("struct "), "{code}");
        for ours in [OUR_ERROR, OUR_STORE] {
            assert!(code.contains(ours), "{ours}");
        }
        assert_eq!(line_of(&code, "run_user_code_7"), line_of(&cell(), "run_user_code_7"));
    }

    #[test]
    fn another_form_of_errors_is_kept_and_reported() {
        let debug = cell()
            .replace("std::fmt::Display", "std::fmt::Debug")
            .replace("eprintln!(\"{}\", error)", "eprintln!(\"{:?}\", error)");
        let code = form(&debug);
        assert!(code.contains("#[track_caller] fn from(error: T)"), "{code}");
        assert!(code.contains("::evcxr_cell::protocol("), "{code}");
    }

    #[test]
    fn the_readers_own_words_stay() {
        let own = "fn from(error: T) -> Self { eprintln!(\"{}\", error); }";
        let with_type = cell().replace("law.total();", &format!("law.total(); {own}"));
        let without =
            "mod evcxr_internal_runtime {\n}\n#[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_7() {\n";
        for code in [with_type, format!("{without}{own}\n}}")] {
            assert!(form(&code).contains(own), "{}", form(&code));
        }
    }

    #[test]
    fn only_evcxrs_own_lines_are_taken_for_moves() {
        assert_eq!(Move::parse("let d = f(stringify!(d));"), None);
        assert_eq!(Move::parse("let r#type = evcxr_variable_store.take_variable::<u8>(stringify!(r#type));"), None);
        assert_eq!(
            Move::parse("evcxr_variable_store.put_variable::<Vec<(u8, u8)>>(stringify!(α_1), α_1);"),
            Some(Move { way: Way::Put, name: "α_1", of: "Vec<(u8, u8)>" })
        );
    }

    #[test]
    fn variables_of_the_cell_itself_are_told_from_those_it_puts_back() {
        let names = |code: &str| stored_anew(code).map(|moved| moved.name.to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&cell()), ["total"]);
    }

    #[test]
    fn symbols_of_a_cells_own_are_noticed() {
        assert!(!declares_symbols(&cell()));
        assert!(!declares_symbols("let external = 1; // externs"));
        for code in ["unsafe extern \"C\" { fn nowhere(); }", "extern crate alloc;", "pub extern \"C\" fn f() {}"] {
            assert!(declares_symbols(&format!("{}\n{code}", cell())), "{code}");
        }
    }
}
