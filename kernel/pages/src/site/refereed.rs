//! Pages on how rows were refereed: what is printed, what is computed, which wrong forms would pass, what was objected and done.

use std::collections::BTreeMap;
use std::path::Path;

use workbench_record::Registry;

use super::text::{html, name};
use workbench_base::error::{Error, Result};

/// The folder of these pages, beside the notebooks and in the site.
const FOLDER: &str = "refereed";

/// Where the page on a claim lies.
pub fn file(id: &str) -> String {
    format!("{FOLDER}/{id}.md")
}

/// The pages that are there, by claim.
///
/// # Errors
/// [`Error::Io`] for a page that cannot be read.
pub fn read(registry: &Registry, notebooks: &Path) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for claim in registry.claims() {
        let path = notebooks.join(file(&claim.id));
        if path.is_file() {
            let text = std::fs::read_to_string(&path).map_err(|source| Error::io("read", &path, source))?;
            found.insert(claim.id.clone(), text);
        }
    }
    Ok(found)
}

/// The page, with a way back to the claim.
pub fn page(id: &str, text: &str) -> String {
    let back = format!("<p><a href=\"../../claims/{}.html\">The claim {}</a></p>", html(id), html(name(id)));
    match text.split_once('\n') {
        Some((title, rest)) => format!("---\norphan: true\n---\n\n{title}\n\n{back}\n\n{}", rest.trim_start()),
        None => format!("---\norphan: true\n---\n\n{text}\n\n{back}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_leads_back_to_its_claim() {
        let text = page("m/a", "# `m/a`\nWhere it stands.\n");
        assert!(
            text.contains("# `m/a`\n\n<p><a href=\"../../claims/m/a.html\">The claim a</a></p>\n\nWhere it stands.")
        );
        assert!(page("m/a", "# `m/a`").contains("claims/m/a.html"));
        assert_eq!(file("m/a"), "refereed/m/a.md");
    }
}
