//! Turning a notebook's knobs from outside: `let NAME = VALUE;` in a cell that carries the tag `parameters`.

use ra_ap_syntax::ast::{HasModuleItem, HasName};
use ra_ap_syntax::{AstNode, Edition, SourceFile, ast};

use crate::error::{Error, Result};
use crate::notebook::Notebook;

/// Tag of the cells that hold knobs, as papermill has it.
pub const TAG: &str = "parameters";

/// One knob: its name and where its value stands in the cell.
struct Knob {
    cell: usize,
    name: String,
    value: std::ops::Range<usize>,
}

/// Splits `NAME=VALUE`.
pub fn parse(text: &str) -> Result<(String, String)> {
    let wrong = |why: &str| Error::Option {
        option: "--param",
        value: text.to_string(),
        why: why.to_string(),
    };
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| wrong("write NAME=VALUE, as in --param runs=100"))?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || value.is_empty() {
        return Err(wrong("write NAME=VALUE, as in --param runs=100"));
    }
    match ast::Expr::parse(value, Edition::Edition2024).ok() {
        Ok(_) => Ok((name.to_string(), value.to_string())),
        Err(_) => Err(wrong("the value is no Rust expression")),
    }
}

/// Gives knobs other values in the notebooks; the files stay as they are.
///
/// **Errors**: [`Error::Option`] for a name that no notebook has, with the names that exist.
pub fn turn(notebooks: &mut [Notebook], knobs: &[(String, String)]) -> Result<()> {
    let mut known: Vec<String> = Vec::new();
    let mut turned = vec![false; knobs.len()];
    for notebook in notebooks {
        let mut found = Vec::new();
        for (cell, code) in notebook
            .cells()
            .iter()
            .enumerate()
            .filter(|(_, code)| code.has_tag(TAG))
        {
            found.extend(of(cell, &code.source));
        }
        known.extend(found.iter().map(|knob| format!("{} ({})", knob.name, notebook.name())));
        // From the last to the first, so that places further up stay what they are.
        for knob in found.iter().rev() {
            for ((name, value), done) in knobs.iter().zip(&mut turned) {
                if *name == knob.name {
                    let mut source = notebook.cells()[knob.cell].source.clone();
                    source.replace_range(knob.value.clone(), value);
                    notebook.replace_source(knob.cell, source);
                    *done = true;
                }
            }
        }
    }
    match knobs.iter().zip(turned).find(|(_, done)| !done) {
        None => Ok(()),
        Some(((name, _), _)) => Err(Error::Option {
            option: "--param",
            value: name.clone(),
            why: if known.is_empty() {
                format!("no cell of these notebooks carries the tag `{TAG}`, so they have no knobs")
            } else {
                format!("the knobs are {}", known.join(", "))
            },
        }),
    }
}

/// The knobs of a cell: its plain `let` statements with a value.
fn of(cell: usize, source: &str) -> Vec<Knob> {
    const BEFORE: &str = "fn cell() {\n";
    let file = SourceFile::parse(&format!("{BEFORE}{source}\n}}"), Edition::Edition2024).tree();
    let body = file.items().find_map(|item| match item {
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
            Some(Knob {
                cell,
                name: name.name()?.to_string(),
                value: usize::from(range.start()) - BEFORE.len()..usize::from(range.end()) - BEFORE.len(),
            })
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
        turn(
            &mut notebooks,
            &[parse("d = 1 << 4").unwrap(), parse("law=Zipf::new(1.5, 9)?").unwrap()],
        )
        .unwrap();
        let expected = source
            .replace("= 10;", "= 1 << 4;")
            .replace("Zipf::new(2.0, d)?", "Zipf::new(1.5, 9)?");
        assert_eq!(notebooks[0].cells()[0].source, expected);
        assert!(notebooks[0].to_json().contains("1 << 4"));
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
        assert!(
            error.contains("no cell of these notebooks carries the tag `parameters`"),
            "{error}"
        );
        for text in ["d", "d=", "=1", "d=1 +", "d=;"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
