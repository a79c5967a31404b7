//! The plain-text form of a table, with the same content as the HTML form.

use super::Grid;

pub(crate) fn render(grid: &Grid) -> String {
    let widths: Vec<usize> = grid
        .columns
        .iter()
        .map(|column| {
            let cells = column.cells.iter().map(|cell| width(&cell.text));
            cells.chain([width(&column.heading), column.kind.as_deref().map_or(0, width)]).max().unwrap_or(0)
        })
        .collect();
    let mut lines = Vec::new();
    lines.extend([&grid.title, &grid.caption].into_iter().filter(|line| !line.is_empty()).cloned());
    let line = |pick: &dyn Fn(usize) -> String| {
        let parts: Vec<String> =
            grid.columns.iter().enumerate().map(|(i, column)| pad(&pick(i), widths[i], column.right)).collect();
        format!(" {}", parts.join("  ")).trim_end().to_string()
    };
    if !grid.columns.is_empty() {
        lines.push(line(&|i| grid.columns[i].heading.clone()));
        lines.extend(grid.kinds().map(|kinds| line(&|i| kinds[i].to_string())));
        lines.push(line(&|i| "-".repeat(widths[i])));
    }
    for row in 0..grid.shown_rows {
        if row == grid.head {
            lines.extend(grid.cut_line().map(|cut| format!(" {cut}")));
        }
        if !grid.columns.is_empty() {
            lines.push(line(&|i| grid.columns[i].cells[row].text.clone()));
        }
    }
    if grid.head == grid.shown_rows {
        lines.extend(grid.cut_line().map(|cut| format!(" {cut}")));
    }
    lines.extend(grid.shape_line());
    lines.join("\n")
}

/// Columns a text takes in a terminal, near enough for Latin and Greek text: combining marks take none.
fn width(text: &str) -> usize {
    text.chars().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).count()
}

fn pad(text: &str, to: usize, right: bool) -> String {
    let space = " ".repeat(to.saturating_sub(width(text)));
    if right { format!("{space}{text}") } else { format!("{text}{space}") }
}

#[cfg(test)]
mod tests {
    use crate::{Table, columns};

    #[test]
    fn the_layout_is_exactly_this() {
        let frame = columns(vec![
            ("method", ["exact", "β-sketch"].into()),
            ("n", [7_i64, 1024].into()),
            ("error", vec![Some(0.25), None].into()),
        ])
        .unwrap();
        let text = Table::new(frame.clone()).title("Errors").units(&[("error", "s")]).types().to_text().unwrap();
        let expected = "\
Errors
 method       n  error (s)
 str        i64        f64
 --------  ----  ---------
 exact        7     0.2500
 β-sketch  1024       null
2 rows × 3 columns";
        assert_eq!(text, expected);
        let plain = Table::new(frame).to_text().unwrap();
        assert!(plain.starts_with(" method       n   error\n --------  ----  ------\n"), "{plain}");
    }

    #[test]
    fn numbers_end_in_one_column() {
        let frame = columns(vec![("x", [1.5, 123456.0, 2.5e-9].into()), ("s", ["a", "bb", "c"].into())]).unwrap();
        let text = Table::new(frame).to_text().unwrap();
        let ends: Vec<usize> = text
            .lines()
            .skip(2)
            .take(3)
            .map(|line| line.trim_end_matches(|c: char| c.is_ascii_lowercase()).trim_end().len())
            .collect();
        assert!(ends.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    }
}
