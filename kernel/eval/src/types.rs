//! Types of notebook variables, read from the compiler instead of guessed.
//!
//! evcxr must write down the type of every variable it keeps between cells. It would ask rust-analyzer, which takes
//! seconds to load, knows nothing of `std` where the toolchain has no `rust-src`, and takes minutes where a cell has
//! thousands of statements; so its inference is left out of the build (`kernel/analysis`), and evcxr sees the types that
//! stand in the code. Here each `let` gets a placeholder type, the placeholder is left to inference while the defining
//! cell compiles, and the type that the compiler found is read from the MIR listing of that same compilation. Later
//! cells see the real type.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::compiled::{Move, stored_anew};
use super::listing::types_of_probes;
use super::marks::{PLACEHOLDER, PROBE, UNKEPT};
use super::shapes::{Definitions, Shape};
use super::spelling::{Spelled, spell};

/// What the compiler said about the variables of a session, kept beside the cell's source.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeTable {
    /// Placeholder to type; [`UNKEPT`] and what the compiler calls it, where that has no name.
    pub types: BTreeMap<String, String>,
    /// Variable to the shape of its type when it was stored, where the type is the reader's own.
    pub shapes: BTreeMap<String, Shape>,
}

impl TypeTable {
    fn path(dir: &Path) -> PathBuf {
        dir.join("types.json")
    }

    /// Reads the table of the session whose cells are built in `dir`; empty when there is none yet.
    pub fn load(dir: &Path) -> TypeTable {
        std::fs::read(Self::path(dir)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
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
            let digits = rest[at + PLACEHOLDER.len()..].bytes().take_while(u8::is_ascii_digit).count();
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
                        && let Some((variable, call)) = call.split_once(')')
                        && let Some(stop) = call.find(");")
                    {
                        let variable = variable.trim().to_owned();
                        let value = call[..stop].trim_start_matches(',').trim();
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

    /// Adds the types that a MIR listing gives for `fresh` placeholders. What comes back has to be changed in the code, which is
    /// then compiled again.
    ///
    /// # Errors
    /// A message for the reader when a variable's type cannot be told.
    pub fn learn(&mut self, mir: &str, fresh: &[(String, String)]) -> Result<Vec<Change>, String> {
        let types = types_of_probes(mir);
        let mut changes = Vec::new();
        for (placeholder, variable) in fresh {
            let number = placeholder.trim_start_matches(PLACEHOLDER);
            let untold = || format!("The type of `{variable}` {UNTOLD}. Write it: `let {variable}: T = ...`.");
            let found = *types.get(number).ok_or_else(untold)?;
            let of = match spell(found) {
                Spelled::As(of) => of,
                Spelled::Pointer(of) => {
                    changes.push(Change::Store(number.to_owned(), of.clone()));
                    of
                }
                Spelled::Nameless => {
                    changes.push(Change::Leave(number.to_owned()));
                    format!("{UNKEPT} {found}")
                }
                Spelled::Untold => return Err(untold()),
            };
            self.types.insert(placeholder.clone(), of);
        }
        Ok(changes)
    }

    /// The type that later cells see for one that evcxr noted; nothing where the variable lived in its own cell only.
    pub fn type_of<'a>(&'a self, noted: &'a str) -> Option<&'a str> {
        let of = self.types.get(noted).map_or(noted, String::as_str);
        (!of.starts_with(UNKEPT)).then_some(of)
    }

    /// Text of evcxr's with each placeholder as the type that it stands for, which `write` puts down.
    pub fn told(&self, text: &str, write: impl Fn(&str) -> String) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((at, prefix)) =
            [PLACEHOLDER, UNKEPT].iter().filter_map(|prefix| Some((rest.find(prefix)?, prefix))).min()
        {
            let digits = rest[at + prefix.len()..].bytes().take_while(u8::is_ascii_digit).count();
            let (before, name) = rest[..at + prefix.len() + digits].split_at(at);
            out.push_str(before);
            match self.types.get(name) {
                Some(real) => out.push_str(&write(real.trim_start_matches(UNKEPT).trim_start())),
                None if *prefix == UNKEPT => out.push_str("a closure"),
                None => out.push_str(name),
            }
            rest = &rest[at + name.len()..];
        }
        out + rest
    }

    /// Leaves out evcxr's lines about variables that live in their own cell only.
    pub fn without_unkept(&self, code: &str) -> String {
        let mut out = String::with_capacity(code.len());
        for line in code.split_inclusive('\n') {
            match Move::parse(line.trim_end_matches('\n')) {
                Some(moved) if self.type_of(moved.of).is_none() => out.push('\n'),
                _ => out.push_str(&inferred(line)),
            }
        }
        out
    }

    /// Notes the shapes of the variables that `code` stores for the first time; `fresh` are those whose types are now known.
    pub fn learn_shapes(&mut self, code: &str, fresh: &[(String, String)], definitions: &Definitions) {
        let inferred =
            fresh.iter().filter_map(|(placeholder, name)| Some((name.as_str(), self.types.get(placeholder)?.as_str())));
        let written = stored_anew(code).filter(|moved| moved.of != "_").map(|moved| (moved.name, moved.of));
        let found: Vec<(String, Option<Shape>)> =
            inferred.chain(written).map(|(name, of)| (name.to_owned(), definitions.shape(of))).collect();
        for (name, shape) in found {
            match shape {
                Some(shape) => self.shapes.insert(name, shape),
                None => self.shapes.remove(&name),
            };
        }
    }
}

/// What the message about a variable says whose type the compiler's listing does not have.
pub const UNTOLD: &str = "could not be told";

/// What has to change in a cell before its variables can be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The variable that passes this probe is stored under this type.
    Store(String, String),
    /// It is not stored.
    Leave(String),
}

impl Change {
    fn number(&self) -> &str {
        let (Change::Store(number, _) | Change::Leave(number)) = self;
        number
    }

    /// The changed code, line for line.
    pub fn apply(changes: &[Change], code: &str) -> String {
        let by_number: HashMap<&str, &Change> = changes.iter().map(|change| (change.number(), change)).collect();
        let probe = format!("{PROBE}::<_, ");
        let of_line = |line: &str| {
            let (number, _) = line.split_once(&probe)?.1.split_once(">(")?;
            by_number.get(number)
        };
        code.split_inclusive('\n')
            .map(|line| match of_line(line) {
                None => line.to_owned(),
                Some(Change::Store(_, of)) => line.replacen("put_variable::<_>", &format!("put_variable::<{of}>"), 1),
                Some(Change::Leave(_)) => "\n".to_owned(),
            })
            .collect()
    }
}

/// A line with annotations of unkept variables left to inference; columns stay what they are.
fn inferred(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(UNKEPT) {
        let digits = rest[at + UNKEPT.len()..].bytes().take_while(u8::is_ascii_digit).count();
        out.push_str(&rest[..at]);
        out.push('_');
        out.extend(std::iter::repeat_n(' ', UNKEPT.len() + digits - 1));
        rest = &rest[at + UNKEPT.len() + digits..];
    }
    out.push_str(rest);
    out
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
        assert!(code.contains("put_variable::<_>(stringify!(v), ::evcxr_cell::evcxr_typed::<_, 1>(v));"), "{code}");
        assert!(code.contains("take_variable::<std::string::String>(stringify!(w))"), "{code}");
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
        table.learn_shapes("evcxr_variable_store.put_variable::<u8>(stringify!(w), w);\n", &[], &definitions);
        assert_eq!(table.shapes.keys().collect::<Vec<_>>(), ["v"]);
    }

    #[test]
    fn a_nameless_type_is_left_in_its_cell() {
        let mir = "fn run() -> () {\n    let _2: {closure@src/lib.rs:1:2: 1:3};\n    \
            _2 = evcxr_typed::<C, 1>(move _4) -> [return: bb9];\n}\n";
        let mut table = TypeTable::default();
        let code = "let f: EvcxrType1 = g();\nevcxr_variable_store.put_variable::<EvcxrType1>(stringify!(f), f);\nend";
        let (compiled, fresh) = table.resolve(code);
        let changes = table.learn(mir, &fresh).unwrap();
        assert_eq!(changes, [Change::Leave("1".into())]);
        let left = Change::apply(&changes, &compiled);
        assert!(!left.contains("put_variable") && left.lines().count() == 3, "{left}");
        assert_eq!(table.type_of("EvcxrType1"), None);
        let later = "let f = evcxr_variable_store.take_variable::<EvcxrType1>(stringify!(f));\nf(1)";
        assert_eq!(table.without_unkept(later), "\nf(1)");
    }

    #[test]
    fn a_function_item_is_stored_as_a_pointer() {
        let mir = "fn run() -> () {\n    let _2: fn(f64) -> f64 {g};\n    \
            _2 = evcxr_typed::<fn(f64) -> f64 {g}, 1>(g) -> [return: bb9];\n}\n";
        let mut table = TypeTable::default();
        let (code, fresh) = table.resolve("evcxr_variable_store.put_variable::<EvcxrType1>(stringify!(h), h);\n");
        let changes = table.learn(mir, &fresh).unwrap();
        assert_eq!(
            Change::apply(&changes, &code),
            "evcxr_variable_store.put_variable::<fn(f64) -> f64>(stringify!(h), ::evcxr_cell::evcxr_typed::<_, 1>(h));\n"
        );
        assert_eq!(table.type_of("EvcxrType1"), Some("fn(f64) -> f64"));
    }

    #[test]
    fn a_closure_has_no_lines_of_evcxrs() {
        let table = TypeTable::default();
        let code = "let f: EvcxrLocal12 = |x: u8| x;\nevcxr_variable_store.put_variable::<EvcxrLocal12>(stringify!(f), f);\nend";
        assert_eq!(table.without_unkept(code), "let f: _            = |x: u8| x;\n\nend");
    }

    #[test]
    fn text_for_the_reader_names_types_and_no_placeholders() {
        let mut table = TypeTable::default();
        table.types.insert("EvcxrType3".into(), "std::vec::Vec<u8>".into());
        table.types.insert("EvcxrType31".into(), "EvcxrLocal {closure@a}".into());
        let text = "v: EvcxrType3\nf: EvcxrType31\ng: EvcxrLocal4\nx: u8, EvcxrTypes";
        assert_eq!(
            table.told(text, str::to_owned),
            "v: std::vec::Vec<u8>\nf: {closure@a}\ng: a closure\nx: u8, EvcxrTypes"
        );
        assert_eq!(table.told("<td>EvcxrType3</td>", workbench_base::text::html), "<td>std::vec::Vec&lt;u8&gt;</td>");
    }

    #[test]
    fn a_type_that_cannot_be_told_asks_for_an_annotation() {
        let error = TypeTable::default().learn("", &[("EvcxrType1".into(), "f".into())]).unwrap_err();
        assert!(error.contains("let f: T"), "{error}");
    }
}
