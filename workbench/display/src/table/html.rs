//! The HTML form of a table.
//!
//! It must read well in JupyterLab (which right-aligns cells), on code hosts (which drop `style`) and in dark themes. So
//! alignment is given twice (`align` and `style`) only where the two defaults differ, and no colours are set.

use super::{Cell, Grid};
use crate::escape;

const LEFT: &str = " align=\"left\" style=\"text-align:left\"";
const RIGHT: &str = " align=\"right\"";

pub(crate) fn render(grid: &Grid) -> String {
    let named = match grid.title.is_empty() && grid.caption.is_empty() {
        true => format!(" aria-label=\"table of {}\"", escape::html(&headings(grid))),
        false => String::new(),
    };
    let mut out = format!("<table{named} style=\"font-variant-numeric:tabular-nums\">\n");
    if !grid.title.is_empty() || !grid.caption.is_empty() {
        // A narrow table would break its title after every word.
        out.push_str("<caption style=\"text-align:left;min-width:28em\">");
        if !grid.title.is_empty() {
            out.push_str(&format!("<b>{}</b>", escape::html(&grid.title)));
        }
        if !grid.caption.is_empty() {
            let gap = if grid.title.is_empty() { "" } else { "<br>" };
            out.push_str(&format!("{gap}{}", escape::html(&grid.caption)));
        }
        out.push_str("</caption>\n");
    }
    out.push_str("<thead><tr>");
    for column in &grid.columns {
        let side = if column.right { RIGHT } else { LEFT };
        out.push_str(&format!("<th{side}>{}</th>", escape::html(&column.heading)));
    }
    if let Some(kinds) = grid.kinds() {
        out.push_str("</tr>\n<tr>");
        for (column, kind) in grid.columns.iter().zip(kinds) {
            let side = if column.right { RIGHT } else { LEFT };
            out.push_str(&format!("<td{side}><small><i>{}</i></small></td>", escape::html(kind)));
        }
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in 0..grid.shown_rows {
        if row == grid.head {
            cut(&mut out, grid);
        }
        out.push_str("<tr>");
        for column in &grid.columns {
            cell(&mut out, &column.cells[row], column.right);
        }
        out.push_str("</tr>\n");
    }
    if grid.head == grid.shown_rows {
        cut(&mut out, grid);
    }
    out.push_str("</tbody>\n</table>\n");
    if let Some(line) = grid.shape_line() {
        out.push_str(&format!("<p><small>{}</small></p>", escape::html(&line)));
    }
    out
}

fn headings(grid: &Grid) -> String {
    let headings: Vec<&str> = grid.columns.iter().map(|column| column.heading.as_str()).collect();
    headings.join(", ")
}

fn cut(out: &mut String, grid: &Grid) {
    if let Some(line) = grid.cut_line() {
        let span = grid.columns.len().max(1);
        out.push_str(&format!(
            "<tr><td colspan=\"{span}\" align=\"center\" style=\"text-align:center\"><i>{line}</i></td></tr>\n"
        ));
    }
}

fn cell(out: &mut String, cell: &Cell, right: bool) {
    out.push_str("<td");
    out.push_str(if right { RIGHT } else { LEFT });
    if let Some(full) = &cell.full {
        out.push_str(&format!(" title=\"{}\"", escape::html(full)));
    }
    out.push('>');
    let text = escape::html(&cell.text);
    if cell.null {
        out.push_str(&format!("<i>{text}</i>"));
    } else {
        out.push_str(&text);
    }
    out.push_str("</td>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Table, columns};

    #[test]
    fn everything_from_outside_is_escaped() {
        let frame = columns(vec![("<x>", ["<script>alert('a')</script>", "a & \"b\""].into())]).unwrap();
        let html = Table::new(frame).title("<t>").caption("</caption><script>").to_html().unwrap();
        assert!(!html.contains("<script") && !html.contains("<x>") && !html.contains("<t>"));
        assert!(html.contains("&lt;script&gt;alert(&#39;a&#39;)"));
        assert!(html.contains("a &amp; &quot;b&quot;"));
        assert_eq!(escape::html("a\u{1b}[0m"), "a\u{fffd}[0m");
    }

    #[test]
    fn numbers_go_right_strings_left_and_hover_has_full_values() {
        let frame = columns(vec![("n", [1.0 / 3.0].into()), ("s", ["a"].into())]).unwrap();
        let html = Table::new(frame.clone()).to_html().unwrap();
        assert!(html.contains("<td align=\"right\" title=\"0.3333333333333333\">0.3333</td>"), "{html}");
        assert!(html.contains("<td align=\"left\" style=\"text-align:left\">a</td>"));
        assert!(!html.contains("f64"));
        let html = Table::new(frame).types().to_html().unwrap();
        assert!(html.contains("<small><i>f64</i></small>") && html.contains("<small><i>str</i></small>"));
    }

    #[test]
    fn every_row_has_every_column_and_the_cut_spans_them() {
        let x: Vec<f64> = (0..100).map(f64::from).collect();
        let frame = columns(vec![("a", x.clone().into()), ("b", x.into())]).unwrap();
        let html = Table::new(frame).rows(5).to_html().unwrap();
        assert_eq!(html.matches("<tr>").count(), 1 + 5 + 1);
        assert_eq!(html.matches("<td align=\"right\"").count(), 10);
        assert!(html.contains("colspan=\"2\"") && html.contains("95 rows not shown"));
        assert!(!html.contains("color"));
    }
}
