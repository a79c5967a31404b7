//! Whether the cost that a row states is the one that the documentation of its function states.

use std::path::Path;

use workbench_base::error::{Error, Result};

use super::rows::GrowthRow;

/// Refuses the first row whose cost does not stand in the documentation of its function.
pub fn all(root: &Path, rows: &[&GrowthRow]) -> Result<()> {
    for row in rows {
        let path = root.join("workbench").join(row.file);
        let text = std::fs::read_to_string(&path).map_err(|source| Error::io("read", &path, source))?;
        let stated = documentation(&text, row.item);
        if !stated.as_deref().is_some_and(|text| text.contains(row.cost)) {
            return Err(Error::Failed {
                what: format!("looking for the cost of {}", row.item),
                status: format!("{:?} does not stand in its documentation in {}", row.cost, row.file),
                hint: "correct the row in kernel/bench/src/growth/rows.rs, or the documentation".into(),
                tail: String::new(),
            });
        }
    }
    Ok(())
}

/// The lines of documentation before an item, such as `fn read` or `struct LinearAttention`, as one line.
fn documentation(text: &str, item: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let named = |line: &str| {
        let rest = line.strip_prefix("pub ").unwrap_or(line);
        let rest = rest.strip_prefix(item);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let at = lines.iter().position(|line| named(line))?;
    let above = lines[..at].iter().rev().take_while(|line| line.starts_with("///") || line.starts_with("#["));
    let mut doc: Vec<&str> = above.filter_map(|line| line.strip_prefix("///").map(str::trim)).collect();
    doc.reverse();
    Some(doc.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::rows;
    use super::*;

    #[test]
    fn documentation_is_that_of_the_item() {
        let text = "/// Of another.\nfn read_all() {}\n\n    /// Reads. Cost\n    /// O(r).\n    #[inline]\n    pub fn read(&self) {}\n";
        assert_eq!(documentation(text, "fn read").unwrap(), "Reads. Cost O(r).");
        assert_eq!(documentation(text, "fn read_all").unwrap(), "Of another.");
        assert!(documentation(text, "fn write").is_none());
    }

    /// A cost that is changed in the documentation is changed in the table too, and measured anew.
    #[test]
    fn every_cost_stands_in_the_documentation() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let rows = rows::all();
        all(&root, &rows).unwrap();
        let wrong = GrowthRow { cost: "O(1) whatever comes", ..*rows[0] };
        assert!(all(&root, &[&wrong]).unwrap_err().to_string().contains("does not stand"));
    }

    #[test]
    fn sizes_rise_from_the_least_by_a_span_of_four_or_more() {
        for row in rows::all() {
            let sizes = row.sizes();
            let [least, .., most] = sizes;
            assert!(sizes.is_sorted_by(|one, next| one < next) && row.span >= 4.0, "{}: {sizes:?}", row.name);
            assert_eq!((least, most as f64), (row.least, row.least as f64 * row.span), "{}", row.name);
        }
    }
}
