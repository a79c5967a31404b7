//! Layout of code cells, as rustfmt would have it.

use std::fs;
use std::process::Command;

use super::style::COLUMNS;
use workbench_base::notebook::Notebook;

/// What of a notebook's cells rustfmt would lay out otherwise, in words.
///
/// Each cell becomes the body of a function, so that statements and a last expression may stand in it; lines of dependencies are no
/// Rust. `use` lines keep the order of the author, who goes from the general to the particular.
pub fn otherwise_laid_out(notebook: &Notebook) -> Vec<String> {
    look(notebook).unwrap_or_else(|error| {
        vec![format!("the layout of cells was not looked at: {error}; `rustup component add rustfmt`, then try again")]
    })
}

fn look(notebook: &Notebook) -> std::io::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let cells = notebook.cells();
    let path = |place: usize| folder.path().join(format!("{place}.rs"));
    for (place, cell) in cells.iter().enumerate() {
        fs::write(path(place), wrapped(&cell.source))?;
    }
    // Four columns more for the function around a cell.
    let settings = format!("max_width={},use_small_heuristics=Max,reorder_imports=false", COLUMNS + 4);
    let output = Command::new("rustfmt")
        .args(["--edition", "2024", "--check", "-l", "--config", &settings])
        .args((0..cells.len()).map(path))
        .output()?;
    let (others, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let named = |text: &str, place: usize| text.contains(path(place).to_string_lossy().as_ref());
    let mut found = Vec::new();
    for (place, cell) in cells.iter().enumerate() {
        if named(&errors, place) {
            found.push(format!("cell {}: rustfmt cannot read it", cell.id));
        } else if named(&others, place) {
            found.push(format!("cell {}: rustfmt would lay it out otherwise", cell.id));
        }
    }
    match found.is_empty() && !output.status.success() {
        true => Err(std::io::Error::other(errors.trim().to_string())),
        false => Ok(found),
    }
}

fn wrapped(source: &str) -> String {
    let rust = source.lines().filter(|line| !line.starts_with(':'));
    let body: String = rust
        .map(|line| match line.is_empty() {
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
        assert!(
            code(":dep workbench = { path = \"../workbench\" }\nuse b::*;\nuse a::*;\nlet x = f(1)?;\nx").is_empty()
        );
        assert!(
            code("let long = (one_of_them, another_one, a_third_one, a_fourth_one, a_fifth_one, a_sixth_one);")
                .is_empty()
        );
        let loose = code("let x  = 1;");
        assert!(loose.len() == 1 && loose[0].contains("lay it out otherwise"), "{loose:?}");
        let broken = code("let x = ;");
        assert!(broken.len() == 1 && broken[0].contains("cannot read"), "{broken:?}");
    }
}
