//! Turning a notebook's knobs from outside: lines `let NAME = VALUE; // knob ...`, which are sliders and lists in a front end, and, as papermill
//! has it, each `let NAME = VALUE;` of a cell that carries the tag `parameters`.

use ra_ap_syntax::ast::{HasModuleItem, HasName};
use ra_ap_syntax::{AstNode, Edition, Parse, SourceFile, TextSize, ast};

use workbench_base::error::{Error, Result};
use workbench_base::knobs;
use workbench_base::notebook::Notebook;
use workbench_base::source::is_too_deep;

/// Tag of the cells whose lines are all knobs, as papermill has it.
pub const TAG: &str = "parameters";
/// Stands behind a line that is a knob by itself.
const SIGN: &str = "// knob ";

/// One knob: its name and where its value stands in the cell.
struct Knob {
    cell: usize,
    name: String,
    value: std::ops::Range<usize>,
}

/// Splits each `NAME=VALUE`.
///
/// **Errors**: [`Error::Option`] for what is none, and for a name that is given twice.
pub fn parse_all(texts: &[String]) -> Result<Vec<(String, String)>> {
    let mut knobs: Vec<(String, String)> = Vec::new();
    for text in texts {
        let (name, value) = parse(text)?;
        if let Some((_, first)) = knobs.iter().find(|(other, _)| *other == name) {
            return Err(Error::Option {
                option: "--param",
                value: text.clone(),
                why: format!("{name} is given twice; leave this one or {name}={first} out"),
            });
        }
        knobs.push((name, value));
    }
    Ok(knobs)
}

/// Splits `NAME=VALUE`.
fn parse(text: &str) -> Result<(String, String)> {
    let wrong = |why: &str| Error::Option { option: "--param", value: text.to_string(), why: why.to_string() };
    let (name, value) = text.split_once('=').ok_or_else(|| wrong("write NAME=VALUE, as in --param runs=100"))?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || value.is_empty() {
        return Err(wrong("write NAME=VALUE, as in --param runs=100"));
    }
    if !is_expression(value) {
        return Err(wrong(
            "the value is not one Rust expression; write what may stand between `let NAME =` and `;`, as in --param runs=100",
        ));
    }
    Ok((name.to_string(), value.to_string()))
}

/// Whether a text is one expression and nothing beside it, so that it cannot change the cell around it.
fn is_expression(text: &str) -> bool {
    let cell = format!("let value = {text};");
    let alone = matches!(&of(0, &cell)[..], [knob] if cell[knob.value.clone()] == *text);
    alone && parsed(&cell).errors().is_empty()
}

/// Gives knobs other values in the notebooks; the files stay as they are.
///
/// **Errors**: [`Error::Option`] for a name that no notebook has, with the names that exist.
pub fn turn(notebooks: &mut [Notebook], given: &[(String, String)]) -> Result<()> {
    let mut known: Vec<String> = Vec::new();
    let mut turned = vec![false; given.len()];
    for notebook in notebooks {
        let mut found = Vec::new();
        for (cell, code) in notebook.cells().iter().enumerate() {
            let is_one = |knob: &Knob| code.has_tag(TAG) || has_sign(&code.source, knob);
            let (ours, others): (Vec<Knob>, Vec<Knob>) = of(cell, &code.source).into_iter().partition(is_one);
            for (name, value) in given {
                if let Some(why) = no_one(&code.source, name, &ours, &others) {
                    let (value, why) = (format!("{name}={value}"), format!("{why} in {}", notebook.name()));
                    return Err(Error::Option { option: "--param", value, why });
                }
            }
            found.extend(ours);
        }
        known.extend(found.iter().map(|knob| format!("{} ({})", knob.name, notebook.name())));
        // From the last to the first, so that places further up stay what they are.
        for knob in found.iter().rev() {
            // Once: the next value would not find the place of this one.
            if let Some(at) = given.iter().position(|(name, _)| *name == knob.name) {
                let mut source = notebook.cells()[knob.cell].source.clone();
                let (name, value) = &given[at];
                let value = &quoted(&source, knob, value);
                if let Some(why) = refused(&source, knob, value) {
                    let (value, why) = (format!("{name}={value}"), format!("{why} in {}", notebook.name()));
                    return Err(Error::Option { option: "--param", value, why });
                }
                source.replace_range(knob.value.clone(), value);
                notebook.replace_source(knob.cell, source);
                turned[at] = true;
            }
        }
    }
    match given.iter().zip(turned).find(|(_, done)| !done) {
        None => Ok(()),
        Some(((name, _), _)) => Err(Error::Option {
            option: "--param",
            value: name.clone(),
            why: if known.is_empty() {
                format!(
                    "these notebooks have no knobs: no line `let NAME = VALUE; {SIGN}...`, and no `let NAME = VALUE;` in a cell with the \
                     tag `{TAG}`"
                )
            } else {
                format!("the knobs are {}", known.join(", "))
            },
        }),
    }
}

/// Whether the line of a `let` says itself that it is a knob.
fn has_sign(source: &str, knob: &Knob) -> bool {
    source[knob.value.end..].lines().next().is_some_and(|rest| rest.contains(SIGN))
}

/// Why no value can be given to this name in a cell: its line asks for a knob and says wrongly for which, or there are two.
fn no_one(source: &str, name: &str, knobs: &[Knob], others: &[Knob]) -> Option<String> {
    let named = |knob: &&Knob| knob.name == name;
    if knobs.iter().filter(named).count() > 1 {
        return Some(format!("two knobs `{name}` in one cell; rename one"));
    }
    others.iter().find(named).and_then(|knob| knobs::refused(line_of(source, knob)).pop())
}

/// The line of a knob.
fn line_of<'a>(source: &'a str, knob: &Knob) -> &'a str {
    let begin = source[..knob.value.end].rfind('\n').map_or(0, |at| at + 1);
    source[begin..].lines().next().unwrap_or_default()
}

/// A word that the line has as a text, with the quotes that a shell takes away.
fn quoted(source: &str, knob: &Knob, value: &str) -> String {
    let text = format!("\"{value}\"");
    let known = knobs::of(line_of(source, knob)).pop();
    let meant = known.is_some_and(|known| !known.values.allow(value) && known.values.allow(&text));
    if meant { text } else { value.to_string() }
}

/// Why a knob cannot have this value: its line allows others, or is no line of a knob.
fn refused(source: &str, knob: &Knob, value: &str) -> Option<String> {
    let line = line_of(source, knob);
    let allowed = knobs::of(line).pop().filter(|known| !known.values.allow(value));
    let whole =
        |known: &knobs::Knob| if matches!(known.values, knobs::Values::Whole(..)) { "a whole number, " } else { "" };
    allowed
        .map(|known| format!("{} may be {}{}", knob.name, whole(&known), known.allowed()))
        .or_else(|| knobs::refused(line).pop())
}

/// What stands before a cell's source where it is parsed.
const BEFORE: &str = "fn cell() {\n";

/// A cell's source as the body of a function.
fn parsed(source: &str) -> Parse<SourceFile> {
    SourceFile::parse(&format!("{BEFORE}{source}\n}}"), Edition::Edition2024)
}

/// The knobs of a cell: its plain `let` statements with a value.
fn of(cell: usize, source: &str) -> Vec<Knob> {
    if is_too_deep(source) {
        return Vec::new();
    }
    let body = parsed(source).tree().items().find_map(|item| match item {
        ast::Item::Fn(function) => function.body(),
        _ => None,
    });
    let statements: Vec<ast::Stmt> = body.map_or_else(Vec::new, |body| body.statements().collect());
    statements
        .into_iter()
        .filter_map(|statement| {
            let ast::Stmt::LetStmt(bound) = statement else {
                return None;
            };
            let Some(ast::Pat::IdentPat(name)) = bound.pat() else {
                return None;
            };
            let range = bound.initializer()?.syntax().text_range();
            let place = |at: TextSize| usize::from(at).checked_sub(BEFORE.len());
            let value = place(range.start())?..place(range.end())?;
            // One that is never closed takes what stands behind the cell.
            source.get(value.clone())?;
            Some(Knob { cell, name: name.name()?.to_string(), value })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn notebook(source: &str, tags: &[&str]) -> Notebook {
        let json = serde_json::json!({
            "nbformat": 4, "nbformat_minor": 5, "metadata": {},
            "cells": [{"cell_type": "code", "id": "k", "execution_count": null, "metadata": {"tags": tags},
                       "outputs": [], "source": source}]
        });
        Notebook::parse(Path::new("tour.ipynb"), &json.to_string()).unwrap()
    }

    #[test]
    fn a_knob_keeps_its_type_and_its_neighbours() {
        let source =
            "// sizes\nlet (a, b) = (1, 2);\nlet d: usize = 10; // width\nlet mut law = Zipf::new(2.0, d)?;\nd";
        let mut notebooks = [notebook(source, &[TAG])];
        turn(&mut notebooks, &[parse("d = 1 << 4").unwrap(), parse("law=Zipf::new(1.5, 9)?").unwrap()]).unwrap();
        let expected = source.replace("= 10;", "= 1 << 4;").replace("Zipf::new(2.0, d)?", "Zipf::new(1.5, 9)?");
        assert_eq!(notebooks[0].cells()[0].source, expected);
        assert!(notebooks[0].to_json().contains("1 << 4"));
    }

    #[test]
    fn a_line_that_says_so_is_a_knob_in_any_cell() {
        let source = "let runs = 5;\nlet d = 10; // knob 5..=20\nlet a = d + 1; // no knob";
        let mut notebooks = [notebook(source, &[])];
        turn(&mut notebooks, &[parse("d=7").unwrap()]).unwrap();
        assert_eq!(notebooks[0].cells()[0].source, source.replace("= 10", "= 7"));
        let error = turn(&mut notebooks, &[parse("d=21").unwrap()]).unwrap_err().to_string();
        assert!(error.contains("d may be a whole number, 5 to 20 in tour"), "{error}");
        for word in ["abc", "true", "nan", "inf", "\"7\"", "7.5", "1 << 3", "4u8"] {
            let error = turn(&mut notebooks, &[parse(&format!("d={word}")).unwrap()]).unwrap_err();
            assert!(
                error.to_string().ends_with("d may be a whole number, 5 to 20 in tour") && error.status() == 2,
                "{error}"
            );
        }
        turn(&mut notebooks, &[parse("d=1_0usize").unwrap()]).unwrap();
        for other in ["runs=1", "a=1"] {
            let error = turn(&mut notebooks, &[parse(other).unwrap()]).unwrap_err().to_string();
            assert!(error.ends_with("the knobs are d (tour)"), "{error}");
        }
    }

    #[test]
    fn a_value_is_one_that_its_line_allows() {
        let source = "let law = \"zipf\"; // knob \"zipf\" | \"uniform\"\nlet on = true; // knob true | false\n\
            let rate = 1.5; // knob 0.5..=3.0 step 0.5\nlet free = 1; // knob of the whole figure\n\
            let far = 7; // knob 0..=5";
        let turned =
            |text: &str| turn(&mut [notebook(source, &[])], &[parse(text).unwrap()]).map_err(|e| e.to_string());
        for fits in ["law=\"uniform\"", "law=uniform", "on=false", "rate=2.5", "rate=1e0", "rate=3.0f64", "free=n + 1"]
        {
            assert_eq!(turned(fits), Ok(()), "{fits}");
        }
        for (other, said) in [
            ("law=normal", "law may be \"zipf\", \"uniform\" in tour"),
            ("law=3", "law may be \"zipf\", \"uniform\" in tour"),
            ("on=1", "on may be true, false in tour"),
            ("rate=fast", "rate may be 0.5 to 3 in tour"),
            ("rate=3.1", "rate may be 0.5 to 3 in tour"),
            ("far=3", "no knob for `let far = 7;`: 7 is outside of 0..=5 in tour"),
        ] {
            let told = turned(other).unwrap_err();
            assert!(told.ends_with(said), "{told}");
        }
    }

    #[test]
    fn a_line_without_values_and_two_of_one_name_are_told() {
        let told = |source: &str, knob: &str| {
            turn(&mut [notebook(source, &[])], &[parse(knob).unwrap()]).unwrap_err().to_string()
        };
        let said = told("let f = 3; // knob\nlet g = 2; // knob 1..=3", "f=4");
        assert!(said.contains("no knob for `let f = 3;`: write 10..=200") && said.ends_with(" in tour"), "{said}");
        let said = told("let a = 3; // knob 1..=5\nlet a = 2; // knob 1..=3", "a=1");
        assert!(said.ends_with("two knobs `a` in one cell; rename one in tour"), "{said}");
    }

    #[test]
    fn what_is_no_knob_is_refused_with_those_that_are() {
        let told = |source: &str, tags: &[&str], knob: &str| {
            let mut notebooks = [notebook(source, tags)];
            turn(&mut notebooks, &[parse(knob).unwrap()]).unwrap_err().to_string()
        };
        let error = told("let d = 10;", &[TAG], "n=1");
        assert!(error.contains("the knobs are d (tour)"), "{error}");
        let error = told("let d = 10;", &[], "d=1");
        assert!(error.contains("no line `let NAME = VALUE; // knob ...`"), "{error}");
        // A value that is never closed is none to put another in place of.
        let error = told("let d = {", &[TAG], "d=1");
        assert!(error.contains("have no knobs"), "{error}");
        let deep = format!("let d = {};", "(".repeat(100_000));
        assert!(told(&deep, &[TAG], "d=1").contains("have no knobs"));
    }

    #[test]
    fn a_value_is_one_expression_and_nothing_that_changes_the_cell_around_it() {
        for text in ["d", "d=", "=1"] {
            let error = parse(text).unwrap_err();
            assert!(error.to_string().contains("write NAME=VALUE") && error.status() == 2, "{error}");
        }
        let deep = format!("d={}1", "-".repeat(100_000));
        for text in [
            "d=1 +",
            "d=;",
            "d=1 2",
            "d=a;b",
            "d=1;",
            "d=1\n2",
            "d=1 // one",
            "d=1; let e = 2",
            "d=1 } fn f() { 2",
            "d=a else { return }",
            "d=let x = 1",
            "d=\"open",
            "d=/* open",
            "d=}",
            "d=#",
            deep.as_str(),
        ] {
            let error = parse(text).unwrap_err();
            let words = error.to_string();
            assert!(
                words.starts_with("--param = ") && words.contains("as in --param runs=100") && error.status() == 2,
                "{text}: {words}"
            );
        }
        for text in
            ["d=-1.5", "d=\"a;b\"", "d=vec![1,\n2]", "d=if a { 1 } else { 2 }", "d=|x| x + 1", "d = a == b", "größe=1"]
        {
            assert!(parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_knob_has_one_value() {
        let all = |texts: &[&str]| parse_all(&texts.iter().map(|text| text.to_string()).collect::<Vec<_>>());
        assert_eq!(all(&["d=1", "e=2"]).unwrap().len(), 2);
        let error = all(&["d=1", "e=2", "d = 22"]).unwrap_err().to_string();
        assert!(error.contains("d is given twice") && error.contains("d=1"), "{error}");
    }
}
