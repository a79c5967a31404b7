//! Layout of code cells, as rustfmt would have it.

use std::fs;
use std::process::Command;

use workbench_record::digest::of_cells;

use super::style::COLUMNS;
use workbench_base::notebook::Notebook;

/// A cell that rustfmt would have otherwise.
pub struct Otherwise {
    /// Its number among the code cells.
    pub number: usize,
    /// What there is to say of it.
    pub text: String,
    /// The cell as rustfmt has it, if it is the same code for the record; nothing where a reader has to look.
    pub right: Option<String>,
}

/// What of a notebook's cells rustfmt would lay out otherwise.
///
/// Each cell becomes the body of a function, so that statements and a last expression may stand in it; lines of dependencies are no
/// Rust. `use` lines keep the order of the author, who goes from the general to the particular.
pub fn otherwise_laid_out(notebook: &Notebook) -> Vec<Otherwise> {
    look(notebook).unwrap_or_else(|error| {
        let text =
            format!("the layout of cells was not looked at: {error}; `rustup component add rustfmt`, then try again");
        vec![Otherwise { number: 0, text, right: None }]
    })
}

fn look(notebook: &Notebook) -> std::io::Result<Vec<Otherwise>> {
    let folder = tempfile::tempdir()?;
    let cells: Vec<_> =
        notebook.cells().iter().enumerate().filter(|(_, cell)| rust(&cell.source).count() > 0).collect();
    if cells.is_empty() {
        return Ok(Vec::new());
    }
    let path = |place: usize| folder.path().join(format!("{place}.rs"));
    for (place, cell) in &cells {
        fs::write(path(*place), wrapped(&cell.source))?;
    }
    // Four columns more for the function around a cell.
    let settings = format!("max_width={},use_small_heuristics=Max,reorder_imports=false", COLUMNS + 4);
    let output = Command::new("rustfmt")
        .args(["--edition", "2024", "--config", &settings])
        .args(cells.iter().map(|(place, _)| path(*place)))
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let mut found = Vec::new();
    for (place, cell) in cells {
        let (before, after) = (wrapped(&cell.source), fs::read_to_string(path(place))?);
        if errors.contains(path(place).to_string_lossy().as_ref()) {
            let text =
                format!("cell {}: rustfmt cannot read it; look for a bracket or a quote without its partner", cell.id);
            found.push(Otherwise { number: place, text, right: None });
        } else if before != after {
            let (line, shown) = first_other(&cell.source, &before, &after);
            let right = unwrapped(&cell.source, &after);
            let by_hand = if right.is_none() { ", which is left to you: commas or brackets change" } else { "" };
            let text =
                format!("cell {}, line {line}: rustfmt would lay it out otherwise, as `{shown}`{by_hand}", cell.id);
            found.push(Otherwise { number: place, text, right });
        }
    }
    match found.is_empty() && !output.status.success() {
        true => Err(std::io::Error::other(errors.trim().to_string())),
        false => Ok(found),
    }
}

/// The lines of a cell that are Rust, with their numbers from 1.
fn rust(source: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(source.lines()).filter(|(_, line)| !line.starts_with(':'))
}

/// The first line of a cell that rustfmt has otherwise, and how.
fn first_other<'a>(source: &str, before: &str, after: &'a str) -> (usize, &'a str) {
    let same = before.lines().zip(after.lines()).take_while(|(one, other)| one == other).count();
    // One line stands before the cell's.
    let line = rust(source).nth(same.saturating_sub(1)).map_or(source.lines().count(), |(line, _)| line);
    (line, after.lines().nth(same).unwrap_or_default().trim())
}

/// The cell in the layout of a function's body; nothing where another token stands in it, so that the record would not be of this code, or
/// a line of dependencies between others.
fn unwrapped(source: &str, laid_out: &str) -> Option<String> {
    let body = laid_out.strip_prefix("fn cell() {\n")?.strip_suffix("}\n")?;
    let commands = source.lines().take_while(|line| line.starts_with(':'));
    let own = body.lines().map(|line| line.strip_prefix("    ").unwrap_or(line));
    let right = commands.chain(own).collect::<Vec<_>>().join("\n");
    (of_cells([right.as_str()]) == of_cells([source])).then_some(right)
}

fn wrapped(source: &str) -> String {
    let body: String = rust(source)
        .map(|(_, line)| match line.is_empty() {
            true => "\n".to_string(),
            false => format!("    {line}\n"),
        })
        .collect();
    format!("fn cell() {{\n{body}}}\n")
}

#[cfg(test)]
mod tests {
    use super::super::style::tests::notebook;
    use super::*;

    #[test]
    fn a_cell_that_rustfmt_would_change_or_cannot_read_is_named() {
        let code = |source: &str| otherwise_laid_out(&notebook(&[("code", source)]));
        let told = |source: &str| code(source).into_iter().map(|other| (other.text, other.right)).collect::<Vec<_>>();
        assert!(
            code(":dep workbench = { path = \"../workbench\" }\nuse b::*;\nuse a::*;\nlet x = f(1)?;\nx").is_empty()
        );
        assert!(
            code("let long = (one_of_them, another_one, a_third_one, a_fourth_one, a_fifth_one, a_sixth_one);")
                .is_empty()
        );
        assert!(code(":dep a = \"1\"").is_empty(), "nothing of it is Rust");
        let loose = told(":dep a = \"1\"\nlet y = \"\n  two\";\nlet x  = 1;\nx");
        let [(text, right)] = &loose[..] else { panic!("{loose:?}") };
        assert_eq!(text, "cell c0, line 4: rustfmt would lay it out otherwise, as `let x = 1;`");
        assert_eq!(right.as_deref(), Some(":dep a = \"1\"\nlet y = \"\n  two\";\nlet x = 1;\nx"));
        let other = told("let x = |y| { y };");
        assert!(other.len() == 1 && other[0].1.is_none(), "other tokens would be another cell: {other:?}");
        let broken = told("let x = ;");
        assert!(broken.len() == 1 && broken[0].0.contains("cannot read") && broken[0].1.is_none(), "{broken:?}");
    }
}
