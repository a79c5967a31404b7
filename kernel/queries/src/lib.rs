//! Questions to the record: the commands that only read it (`list`, `diff` and `certify`), and what site and exports ask.
//!
//! None of the commands builds anything, starts a kernel, or needs Python or the network, so they answer at once and on any clone.
//!
//! | file | holds |
//! | --- | --- |
//! | `list`, `listing` | which claims are asked for; the table and the JSON of them |
//! | `diff`, `changes`, `findings`, `comparison` | two records side by side: rows, findings, and both as text |
//! | `certify`, `certificate`, `origin`, `seal`, `page` | what a certificate says, its digest, and its two forms on disk |
//! | `source`, `runs`, `older`, `git` | where a record comes from: the results folder, a run, another folder, a revision |
//! | `present`, `groups`, `fit` | what counts as stale today, rows that agree over seeds, tables that fit a terminal |
//! | `links`, `numeral` | numbers in prose that name their finding |
//!
//! A verdict comes in as a row of a table, with its findings: `source` finds the tables by what was asked (the record, a run, a revision),
//! `present` says whether the row is of today's text and code, `groups` puts the seeds of a claim together, and what comes out is a line of a
//! list, a difference, or a certificate with a digest over all that it says. A link in prose goes the other way: from the claim and the words
//! of a finding to the number that was measured.

#![warn(missing_docs)]

// The records of the tests are named alike here and in the crates above.
#[cfg(test)]
extern crate self as workbench_queries;

pub mod certificate;
pub mod certify;
pub mod changes;
pub mod comparison;
pub mod diff;
pub mod findings;
pub mod fit;
#[cfg(test)]
pub(crate) mod fixtures;
pub mod git;
pub mod groups;
pub mod links;
pub mod list;
pub mod listing;
pub mod numeral;
pub mod older;
pub mod origin;
pub mod page;
pub mod present;
pub mod runs;
pub mod seal;
pub mod source;

use std::collections::HashSet;

use workbench_record::{Registry, Verdict};

use workbench_base::error::Result;

/// Writes JSON for other programs to standard output, and nothing else.
fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|cause| {
        workbench_base::error::Error::io("write JSON to", std::path::Path::new("standard output"), cause.into())
    })?;
    println!("{text}");
    Ok(())
}

/// The ids that match at least one of the patterns; none stands for all.
///
/// # Errors
/// For a pattern that is none, or that no claim of the registry matches.
fn chosen<'a>(registry: &'a Registry, patterns: &[String]) -> Result<Option<HashSet<&'a str>>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut ids = HashSet::new();
    for pattern in patterns {
        ids.extend(registry.matching(pattern)?.into_iter().map(|claim| claim.id.as_str()));
    }
    Ok(Some(ids))
}

/// A verdict by its words, with hyphens or spaces, or by a part that only one verdict has: `change`, `not-tested`, `inc`.
///
/// # Errors
/// For words that no verdict has, or several have.
pub fn verdict(word: &str) -> Result<Verdict, String> {
    let word = word.trim().to_lowercase().replace(['-', '_'], " ");
    if let Ok(exact) = word.parse() {
        return Ok(exact);
    }
    let found: Vec<Verdict> =
        Verdict::ALL.into_iter().filter(|verdict| !word.is_empty() && verdict.text().contains(&word)).collect();
    match found[..] {
        [one] => Ok(one),
        _ => {
            Err("give one of `holds`, `change` (holds with stated change), `fails`, `inconclusive`, `not-tested`"
                .into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::registry_text;

    #[test]
    fn a_verdict_is_known_by_a_part_that_no_other_has() {
        assert_eq!(verdict("holds"), Ok(Verdict::Holds));
        assert_eq!(verdict("Change"), Ok(Verdict::HoldsWithChange));
        assert_eq!(verdict("not-tested"), Ok(Verdict::NotTested));
        assert_eq!(verdict("holds with stated change"), Ok(Verdict::HoldsWithChange));
        for bad in ["", "hold", "true", "t"] {
            assert!(verdict(bad).unwrap_err().contains("`fails`"), "{bad}");
        }
    }

    #[test]
    fn patterns_are_united_and_a_wrong_one_is_an_error() {
        let registry = Registry::parse(&registry_text(), std::path::Path::new("claims.toml")).unwrap();
        let ids = |patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|p| p.to_string()).collect();
            chosen(&registry, &patterns).map(|found| found.map(|ids| ids.len()))
        };
        assert_eq!(ids(&[]).unwrap(), None);
        assert_eq!(ids(&["m/a", "m/[ab]"]).unwrap(), Some(2));
        for bad in ["m/zz*", "[", "n/*"] {
            let error = ids(&["m/a", bad]).unwrap_err().to_string();
            assert!(error.contains(&format!("`{bad}`")), "{error}");
        }
    }
}
