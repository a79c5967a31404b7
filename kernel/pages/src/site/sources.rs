//! The sources of checks as pages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use workbench_record::{CheckFile, Registry, checks};

use super::error::SiteError;
use super::text::{html, markdown};

/// The page of a check's file below the root of the source, without ending.
fn place(check: &CheckFile) -> String {
    let inside = check.file.strip_prefix(checks::FOLDER).unwrap_or(&check.file);
    let parts: Vec<String> = inside
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .filter(|part| part != "src")
        .collect();
    format!("checks/{}", parts.join("/"))
}

/// The name of a check without its modules.
fn short(check: &CheckFile) -> &str {
    check.name.rsplit("::").next().unwrap_or(&check.name)
}

/// Where a check's source stands on the site, below its root.
pub fn address(check: &CheckFile) -> String {
    format!("{}.html#{}", place(check), short(check))
}

/// Where a file of the project is shown, below the root of the site, if it is.
pub fn address_of_file(registry: &Registry, file: &str) -> Option<String> {
    let found = registry.checks().iter().find(|check| check.file == Path::new(file))?;
    Some(format!("{}.html", place(found)))
}

/// All pages: place below the root of the source, and text.
///
/// # Errors
/// [`SiteError::Source`] if a file cannot be read.
pub fn pages(registry: &Registry, root: &Path) -> Result<Vec<(String, String)>, SiteError> {
    let mut files: BTreeMap<&PathBuf, Vec<&CheckFile>> = BTreeMap::new();
    for check in registry.checks().iter() {
        // A check of a claim that the registry does not have has no page to lead to.
        if registry.position(&check.claim).is_some() {
            files.entry(&check.file).or_default().push(check);
        }
    }
    let mut found = Vec::new();
    for (file, checks) in files {
        let text = std::fs::read_to_string(root.join(file)).map_err(|cause| SiteError::Source {
            claim: checks[0].claim.clone(),
            path: file.clone(),
            why: cause.to_string(),
        })?;
        found.push((format!("{}.md", place(checks[0])), page(file, &checks, &text)));
    }
    Ok(found)
}

fn page(file: &Path, checks: &[&CheckFile], text: &str) -> String {
    let depth = place(checks[0]).matches('/').count();
    let root = "../".repeat(depth);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let parent = match file.starts_with(checks::FOLDER) {
        true => format!("{}: ", file.iter().nth(2).unwrap_or_default().to_string_lossy()),
        false => String::new(),
    };
    let claims: Vec<String> = checks
        .iter()
        .map(|check| {
            format!(
                "<a href=\"#{0}\">{0}</a> decides <a href=\"{root}claims/{1}.html\">{1}</a>",
                short(check),
                html(&check.claim)
            )
        })
        .collect();
    let mut out = format!(
        "---\norphan: true\n---\n\n# {}\n\n<p><code>{}</code>: {}.</p>\n\n",
        markdown(&format!("{parent}{name}")),
        html(&file.display().to_string()),
        claims.join("; ")
    );
    for (anchor, part) in parts(text, checks) {
        if let Some(anchor) = anchor {
            out += &format!("<div class=\"wb-anchor\" id=\"{anchor}\"></div>\n\n");
        }
        let fence = "`".repeat(fence(part));
        out += &format!("{fence}{{source}}\n{}\n{fence}\n\n", part.trim_matches('\n'));
    }
    out
}

/// Long enough that nothing in the text ends it.
fn fence(text: &str) -> usize {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    3.max(longest + 1)
}

/// The text, cut before each check; the words about a check stay with it.
fn parts<'a, 'b>(text: &'a str, checks: &[&'b CheckFile]) -> Vec<(Option<&'b str>, &'a str)> {
    let mut cuts: Vec<(usize, &str)> = checks
        .iter()
        .filter_map(|check| {
            let found = text.find(&format!("const {}: Check", short(check)))?;
            Some((found, short(check)))
        })
        .collect();
    cuts.sort_unstable();
    let (mut found, mut from, mut anchor) = (Vec::new(), 0, None);
    for (at, name) in cuts {
        let begin = text[..at].rfind('\n').map_or(0, |line| line + 1);
        if !text[from..begin].trim().is_empty() {
            found.push((anchor, &text[from..begin]));
        }
        (from, anchor) = (begin, Some(name));
    }
    found.push((anchor, &text[from..]));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str) -> CheckFile {
        CheckFile {
            claim: format!("m/{}", name.to_lowercase()),
            name: format!("memory::lemma_1::{name}"),
            file: PathBuf::from("workbench/checks/memory/src/lemma_1.rs"),
            digest: String::new(),
        }
    }

    #[test]
    fn a_file_becomes_a_page_with_an_anchor_for_each_check() {
        let (one, two) = (check("ONE"), check("TWO"));
        assert_eq!(address(&one), "checks/memory/lemma_1.html#ONE");
        let text =
            "//! ``` in words\nuse a;\n\npub const ONE: Check = Check {\n};\n\npub const TWO: Check = Check {\n};\n";
        let page = page(&one.file, &[&one, &two], text);
        let places = ["# memory: lemma\\_1.rs", "````{source}\n//! ```", "id=\"ONE\"", "```\n", "id=\"TWO\""];
        let mut from = 0;
        for part in places {
            let found = page[from..].find(part);
            from += found.unwrap_or_else(|| panic!("{part} in order in {page}"));
        }
        assert!(page.contains("<a href=\"../../claims/m/two.html\">m/two</a>"));
    }

    #[test]
    fn a_check_that_begins_the_file_has_nothing_before_it() {
        let one = check("ONE");
        assert_eq!(parts("const ONE: Check = Check {};", &[&one]), [(Some("ONE"), "const ONE: Check = Check {};")]);
        assert_eq!(parts("macro!()", &[&one]), [(None, "macro!()")]);
    }
}
