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

    /// By half steps, within one level of the caches, they span four.
    #[test]
    fn sizes_rise_by_one_factor_and_span_sixteen() {
        for row in rows::all() {
            let [least, .., most] = row.sizes;
            let steps: Vec<f64> = row.sizes.windows(2).map(|pair| pair[1] as f64 / pair[0] as f64).collect();
            let half = (steps[0] / std::f64::consts::SQRT_2 - 1.0).abs() < 0.02;
            assert!(most >= if half { 4 } else { 16 } * least, "{}", row.name);
            assert!(steps.iter().all(|step| (step / steps[0] - 1.0).abs() < 0.02), "{}: {steps:?}", row.name);
        }
    }
}
