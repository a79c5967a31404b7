//! Types of notebook variables, read from the compiler instead of guessed.
//!
//! evcxr must write down the type of every variable it keeps between cells. It asks rust-analyzer, which takes
//! seconds to load and knows nothing of `std` where the toolchain has no `rust-src`. Here each `let` gets a
//! placeholder type, the placeholder is left to inference while the defining cell compiles, and the type that the
//! compiler found is read from the MIR listing of that same compilation. Later cells see the real type.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::compiled::stored_anew;
use super::marks::{PLACEHOLDER, PROBE};
use super::shapes::Definitions;

/// What the compiler said about the variables of a session, kept beside the cell's source.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeTable {
    /// Placeholder to type.
    pub types: BTreeMap<String, String>,
    /// Variable to the shape of its type when it was stored, where the type is the reader's own.
    pub shapes: BTreeMap<String, u64>,
}

impl TypeTable {
    fn path(dir: &Path) -> PathBuf {
        dir.join("types.json")
    }

    /// Reads the table of the session whose cells are built in `dir`; empty when there is none yet.
    pub fn load(dir: &Path) -> TypeTable {
        std::fs::read(Self::path(dir))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    /// Writes the table beside the cell's source.
    pub fn save(&self, dir: &Path) -> std::io::Result<()> {
        std::fs::write(Self::path(dir), serde_json::to_vec(self)?)
    }

    /// Replaces placeholders in generated code: known ones by their type, new ones by what lets the compiler
    /// infer. Returns the code and, for each new placeholder that is stored, the variable's name. The code keeps
    /// its lines, so positions in diagnostics stay true.
    pub fn resolve(&self, code: &str) -> (String, Vec<(String, String)>) {
        let mut out = String::with_capacity(code.len());
        let mut fresh = Vec::new();
        for line in code.split_inclusive('\n') {
            self.resolve_line(line, &mut out, &mut fresh);
        }
        (out, fresh)
    }

    fn resolve_line(&self, line: &str, out: &mut String, fresh: &mut Vec<(String, String)>) {
        let mut rest = line;
        while let Some(at) = rest.find(PLACEHOLDER) {
            let digits = rest[at + PLACEHOLDER.len()..]
                .bytes()
                .take_while(u8::is_ascii_digit)
                .count();
            let end = at + PLACEHOLDER.len() + digits;
            let name = &rest[at..end];
            let before = &rest[..at];
            match self.types.get(name) {
                Some(real) => {
                    out.push_str(before);
                    out.push_str(real);
                    rest = &rest[end..];
                }
                None => {
                    out.push_str(before);
                    rest = &rest[end..];
                    out.push('_');
                    // Padded where it is an annotation, so that columns in diagnostics stay true too.
                    if !rest.starts_with('>') {
                        out.extend(std::iter::repeat_n(' ', name.len() - 1));
                    }
                    // `put_variable::<P>(stringify!(x), x);` is how evcxr stores a variable. Newer code styles
                    // would only lose the type, which is reported when the variable is next used.
                    if before.ends_with("put_variable::<")
                        && let Some(call) = rest.strip_prefix(">(stringify!(")
                        && let Some(close) = call.find(')')
                        && let Some(stop) = call.find(");")
                    {
                        let variable = call[..close].trim().to_owned();
                        let value = call[close + 1..stop].trim_start_matches(',').trim();
                        let number = &name[PLACEHOLDER.len()..];
                        out.push_str(&format!(
                            ">(stringify!({variable}), ::evcxr_cell::{PROBE}::<_, {number}>({value}));"
                        ));
                        rest = &call[stop + 2..];
                        fresh.push((name.to_owned(), variable));
                    }
                }
            }
        }
        out.push_str(rest);
    }

    /// Adds the types that a MIR listing gives for `fresh` placeholders.
    ///
    /// # Errors
    /// A message for the reader when a variable has a type that cannot be written down or kept.
    pub fn learn(&mut self, mir: &str, fresh: &[(String, String)]) -> Result<(), String> {
        for (placeholder, variable) in fresh {
            let number = placeholder.trim_start_matches(PLACEHOLDER);
            let found = type_of_probe(mir, number).ok_or_else(|| {
                format!("The type of `{variable}` could not be told. Write it: `let {variable}: T = ...`.")
            })?;
            if let Some(problem) = unstorable(&found) {
                return Err(format!("The variable `{variable}` has the type `{found}`, {problem}"));
            }
            self.types.insert(placeholder.clone(), make_static(&found));
        }
        Ok(())
    }

    /// Notes the shapes of the variables that `code` stores for the first time; `fresh` are those whose types are now known.
    pub fn learn_shapes(&mut self, code: &str, fresh: &[(String, String)], definitions: &Definitions) {
        let inferred = fresh
            .iter()
            .filter_map(|(placeholder, name)| Some((name.as_str(), self.types.get(placeholder)?.as_str())));
        let written = stored_anew(code)
            .filter(|moved| moved.of != "_")
            .map(|moved| (moved.name, moved.of));
        let found: Vec<(String, Option<u64>)> = inferred
            .chain(written)
            .map(|(name, of)| (name.to_owned(), definitions.shape(of)))
            .collect();
        for (name, shape) in found {
            match shape {
                Some(shape) => self.shapes.insert(name, shape),
                None => self.shapes.remove(&name),
            };
        }
    }
}

/// The type of the value that passed the probe numbered `number`.
fn type_of_probe(mir: &str, number: &str) -> Option<String> {
    let call = format!("{PROBE}::<");
    let key = format!(", {number}>(");
    for section in mir.split("\n}\n") {
        for line in section.lines() {
            let (Some(start), Some(end)) = (line.find(&call), line.find(&key)) else {
                continue;
            };
            let local = line.trim_start().split(' ').next()?;
            for declaration in [format!("let mut {local}: "), format!("let {local}: ")] {
                if let Some(found) = section
                    .lines()
                    .find_map(|l| l.trim_start().strip_prefix(declaration.as_str()))
                {
                    return Some(found.trim_end().trim_end_matches(';').to_owned());
                }
            }
            return line.get(start + call.len()..end).map(str::to_owned);
        }
    }
    None
}

fn unstorable(found: &str) -> Option<&'static str> {
    if found.contains("{closure@") || found.contains("{async") || found.contains("{coroutine") {
        Some(
            "which has no name and cannot be kept between cells. Box it, as in \
             `let f: Box<dyn Fn(f64) -> f64> = Box::new(|x| x + 1.0);`, write a `fn`, or put the code in braces.",
        )
    } else if found.contains("impl ") {
        Some(
            "which cannot be written down and so cannot be kept between cells. Collect it (`.collect::<Vec<_>>()`), \
             box it, or put the code in braces.",
        )
    } else if found.contains("fn item") || found.contains("{fn") {
        Some("a function item. Give it a function pointer type, as in `let f: fn(f64) -> f64 = g;`.")
    } else {
        None
    }
}

/// Variables outlive their cell, so references in their types are `'static`; MIR leaves lifetimes out.
fn make_static(found: &str) -> String {
    let mut out = String::with_capacity(found.len());
    let mut chars = found.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        if c == '&' && chars.peek() != Some(&'\'') && chars.peek() != Some(&'&') {
            out.push_str("'static ");
        }
    }
    out.replace("'_", "'static").replace("&&", "&'static &")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "let v: EvcxrType1 = vec![1.0];\n\
        store.put_variable::<EvcxrType1>(stringify!(v), v);\n\
        let w = store.take_variable::<EvcxrType0>(stringify!(w));\n";

    #[test]
    fn new_placeholders_are_inferred_and_known_ones_replaced() {
        let mut table = TypeTable::default();
        table.types.insert("EvcxrType0".into(), "std::string::String".into());
        let (code, fresh) = table.resolve(CODE);
        assert!(code.contains("let v: _          = vec![1.0];"), "{code}");
        assert!(
            code.contains("put_variable::<_>(stringify!(v), ::evcxr_cell::evcxr_typed::<_, 1>(v));"),
            "{code}"
        );
        assert!(
            code.contains("take_variable::<std::string::String>(stringify!(w))"),
            "{code}"
        );
        assert_eq!(fresh, [("EvcxrType1".to_owned(), "v".to_owned())]);
        assert_eq!(code.lines().count(), CODE.lines().count());
    }

    #[test]
    fn a_placeholder_is_not_a_prefix_of_a_longer_one() {
        let mut table = TypeTable::default();
        table.types.insert("EvcxrType1".into(), "u8".into());
        let (code, _) = table.resolve("x::<EvcxrType12>() + y::<EvcxrType1>()");
        assert_eq!(code, "x::<_>() + y::<u8>()");
    }

    #[test]
    fn types_are_read_from_mir() {
        let mir = "fn run() -> () {\n    let _2: std::vec::Vec<f64>;\n    let mut _3: &str;\n    \
            bb1: {\n    _2 = evcxr_typed::<Vec<f64>, 7>(move _9) -> [return: bb9];\n    \
            _3 = evcxr_typed::<&str, 71>(move _8) -> [return: bb9];\n}\n";
        let mut table = TypeTable::default();
        let fresh = [("EvcxrType7".into(), "v".into()), ("EvcxrType71".into(), "s".into())];
        table.learn(mir, &fresh).unwrap();
        assert_eq!(table.types["EvcxrType7"], "std::vec::Vec<f64>");
        assert_eq!(table.types["EvcxrType71"], "&'static str");
    }

    #[test]
    fn shapes_are_those_of_the_last_time_a_variable_was_stored() {
        let mut table = TypeTable::default();
        table.types.insert("EvcxrType1".into(), "Vec<P>".into());
        let definitions = Definitions::read("struct P(u8);");
        let code = "evcxr_variable_store.put_variable::<P>(stringify!(w), w);\n\
            evcxr_variable_store.put_variable::<_>(stringify!(v), ::evcxr_cell::evcxr_typed::<_, 1>(v));\n\
            })) { \n\
            evcxr_variable_store.put_variable::<P>(stringify!(kept), kept);\n";
        table.learn_shapes(code, &[("EvcxrType1".into(), "v".into())], &definitions);
        assert_eq!(table.shapes.keys().collect::<Vec<_>>(), ["v", "w"]);
        table.learn_shapes(
            "evcxr_variable_store.put_variable::<u8>(stringify!(w), w);\n",
            &[],
            &definitions,
        );
        assert_eq!(table.shapes.keys().collect::<Vec<_>>(), ["v"]);
    }

    #[test]
    fn a_closure_is_refused_with_a_remedy() {
        let mir = "fn run() -> () {\n    let _2: {closure@src/lib.rs:1:2: 1:3};\n    \
            _2 = evcxr_typed::<C, 1>(move _4) -> [return: bb9];\n}\n";
        let error = TypeTable::default()
            .learn(mir, &[("EvcxrType1".into(), "f".into())])
            .unwrap_err();
        assert!(error.contains("`f`") && error.contains("Box"), "{error}");
    }

    #[test]
    fn a_type_that_cannot_be_told_asks_for_an_annotation() {
        let error = TypeTable::default()
            .learn("", &[("EvcxrType1".into(), "f".into())])
            .unwrap_err();
        assert!(error.contains("let f: T"), "{error}");
    }
}
