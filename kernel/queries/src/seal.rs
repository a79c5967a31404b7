//! The digest of a certificate: over which rows and findings it goes, how it is written down, how it is checked.
//!
//! It is the SHA-256 of the rows as `ledger.csv` has them, ordered by claim, scale and seed, and then of their findings as
//! their tables have them, each table with its header. In the rows the columns `seconds` and `run` are 0 and empty, so a run that
//! comes to the same numbers comes to the same digest, whoever makes it and however long it takes.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use workbench_record::table::{Key, Line, to_csv};
use workbench_record::{FindingLine, Row, Scale, Tables, digest};

use super::findings::by_key;
use workbench_base::text::count;

/// Which rule the digest follows. Another rule needs another number.
const FORM: u32 = 1;
/// What begins the block in which a certificate carries its seal; a comment in Markdown and in HTML alike.
const BEGIN: &str = "<!-- workbench-certificate";
const END: &str = "-->";

/// What a certificate covers, and the digest of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    form: u32,
    /// `record`, or the id of a run.
    pub of: String,
    /// SHA-256 in hexadecimal.
    pub digest: String,
    /// Rows that it covers.
    pub rows: usize,
    /// Findings that it covers.
    pub findings: usize,
    /// Digest of the page around the block; empty in certificates of before 2026-12.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
    claims: Vec<Part>,
}

/// The rows of one claim, with a short digest that tells which claim differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Part {
    claim: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    quick: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    paper: Vec<u64>,
    digest: String,
}

impl Part {
    fn keys(&self) -> impl Iterator<Item = Key> {
        let of = |scale, seeds: &[u64]| -> Vec<Key> {
            seeds.iter().map(|seed| Key::new(&self.claim, scale, *seed)).collect()
        };
        of(Scale::Quick, &self.quick).into_iter().chain(of(Scale::Paper, &self.paper))
    }
}

impl Seal {
    /// Seals rows with their findings; `of` says where they are from.
    pub fn new(of: &str, rows: &[&Row], findings: &HashMap<Key, Vec<&FindingLine>>) -> Seal {
        let mut rows = rows.to_vec();
        rows.sort_by_cached_key(|row| row.key());
        let parts = rows.chunk_by(|one, other| one.claim == other.claim).map(|rows| {
            let seeds = |scale| rows.iter().filter(|row| row.scale == scale).map(|row| row.seed).collect();
            Part {
                claim: rows[0].claim.clone(),
                quick: seeds(Scale::Quick),
                paper: seeds(Scale::Paper),
                digest: digest::of(canonical(rows, findings)),
            }
        });
        Seal {
            form: FORM,
            of: of.to_string(),
            digest: sha256(&canonical(&rows, findings)),
            rows: rows.len(),
            findings: rows.iter().map(|row| findings.get(&row.key()).map_or(0, Vec::len)).sum(),
            text: String::new(),
            claims: parts.collect(),
        }
    }

    /// The same for a page, which has nothing yet where the block will stand.
    pub fn of_page(&self, page: &str) -> Seal {
        Seal { text: text_of(page), ..self.clone() }
    }

    /// Whether a page around the block is the one that was sealed.
    pub fn has_text(&self, page: &str) -> bool {
        let around = page.rfind(BEGIN).and_then(|begin| {
            let end = begin + page[begin..].find(END)? + END.len();
            Some([&page[..begin], &page[end..]].concat())
        });
        self.text.is_empty() || around.is_some_and(|around| text_of(&around) == self.text)
    }

    /// Which rows it covers.
    pub fn keys(&self) -> HashSet<Key> {
        self.claims.iter().flat_map(Part::keys).collect()
    }

    /// The block that a certificate carries, one line for each claim.
    pub fn block(&self) -> String {
        let head = Seal { claims: Vec::new(), ..self.clone() };
        // Writing strings and numbers to memory cannot fail.
        let json = |value: serde_json::Result<String>| value.unwrap_or_default();
        let parts: Vec<String> = self.claims.iter().map(|part| json(serde_json::to_string(part))).collect();
        let head = json(serde_json::to_string(&head));
        let head = head.strip_suffix("]}").unwrap_or(&head);
        // Nothing inside may end the comment; JSON has another way to write both letters.
        let inside = format!("{head}\n{}\n]}}", parts.join(",\n")).replace('<', "\\u003c").replace('>', "\\u003e");
        format!("{BEGIN}\n{inside}\n{END}")
    }

    /// Reads the seal of a certificate, in either of its forms.
    ///
    /// # Errors
    /// Why the text is no certificate, or none that agrees with itself.
    pub fn parse(text: &str) -> Result<Seal, String> {
        let begin = text
            .rfind(BEGIN)
            .ok_or_else(|| format!("it has no block `{BEGIN} ... {END}`, so it is no certificate of Workbench"))?;
        let inside = &text[begin + BEGIN.len()..];
        let end = inside.find(END).ok_or_else(|| format!("its block `{BEGIN}` does not end with `{END}`"))?;
        let seal: Seal = serde_json::from_str(&inside[..end])
            .map_err(|cause| format!("the block at its end cannot be read: {cause}"))?;
        if seal.form != FORM {
            return Err(format!("its digest follows rule {}, and this program knows rule {FORM} only", seal.form));
        }
        if !text[..begin].contains(&seal.digest) {
            return Err("its text shows another digest than the block at its end: it has been changed".to_string());
        }
        Ok(seal)
    }

    /// What is different in these tables; nothing if they have the same numbers.
    pub fn check(&self, tables: &Tables) -> Vec<String> {
        let rows: HashMap<Key, &Row> = tables.rows.iter().map(|row| (row.key(), row)).collect();
        let findings = by_key(&tables.findings);
        let mut differences = Vec::new();
        let mut covered = Vec::new();
        for part in &self.claims {
            let keys: Vec<Key> = part.keys().collect();
            let missing: Vec<&Key> = keys.iter().filter(|key| !rows.contains_key(key)).collect();
            if let [first, ..] = missing[..] {
                let (n, claim) = (count(missing.len(), "row"), &part.claim);
                differences.push(format!("{claim}: {n} missing, as at scale {} with seed {}", first.scale, first.seed));
                continue;
            }
            let mut ours: Vec<&Row> = keys.iter().filter_map(|key| rows.get(key).copied()).collect();
            ours.sort_by_cached_key(|row| row.key());
            if digest::of(canonical(&ours, &findings)) != part.digest {
                differences.push(format!("{}: other numbers", part.claim));
            }
            covered.extend(ours);
        }
        covered.sort_by_cached_key(|row| row.key());
        if differences.is_empty() && sha256(&canonical(&covered, &findings)) != self.digest {
            differences.push(
                "the digest is not the one of the claims that the certificate lists: it has been changed".to_string(),
            );
        }
        differences
    }
}

/// The text that the digest is taken of.
fn canonical(rows: &[&Row], findings: &HashMap<Key, Vec<&FindingLine>>) -> Vec<u8> {
    let timeless: Vec<Row> =
        rows.iter().map(|row| Row { seconds: 0.0, run: String::new(), ..(*row).clone() }).collect();
    let lines = rows.iter().filter_map(|row| findings.get(&row.key()));
    let lines: Vec<FindingLine> = lines.flatten().map(|line| (*line).clone()).collect();
    [to_csv(&timeless), to_csv(&lines)].concat()
}

/// The digest of a page, whatever its ends of lines.
fn text_of(page: &str) -> String {
    digest::of(page.replace('\r', ""))
}

fn sha256(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{record, workspace};

    fn sealed(tables: &Tables) -> Seal {
        let rows: Vec<&Row> = tables.rows.iter().collect();
        Seal::new("record", &rows, &by_key(&tables.findings))
    }

    fn page(seal: &Seal) -> String {
        format!("# Certificate\n\n{}\n\n{}\n", seal.digest, seal.block())
    }

    #[test]
    fn times_runs_and_order_do_not_count_and_numbers_do() {
        let (_folder, workspace) = workspace();
        let tables = record(&workspace);
        let seal = sealed(&tables);
        assert_eq!((seal.rows, seal.findings, seal.digest.len()), (3, 3, 64));
        let mut again = tables.clone();
        again.rows.reverse();
        again.rows.iter_mut().for_each(|row| {
            row.seconds *= 7.0;
            row.run = "r2".into();
        });
        assert_eq!(sealed(&again), seal);
        assert!(seal.check(&again).is_empty());
        // Rows that the certificate does not cover do not matter.
        again.rows.push(Row::blank("m/zz", Scale::Paper, 1));
        assert!(seal.check(&again).is_empty());
        for change in [
            |t: &mut Tables| t.rows[0].measured = Some(1.02 + f64::EPSILON),
            |t: &mut Tables| t.rows[0].note = "other".into(),
            |t: &mut Tables| t.findings[0].low = 1.0,
            |t: &mut Tables| drop(t.findings.remove(0)),
        ] {
            let mut other = tables.clone();
            change(&mut other);
            assert_ne!(sealed(&other).digest, seal.digest);
            assert_eq!(seal.check(&other), ["m/a: other numbers"]);
        }
        let mut gone = tables.clone();
        gone.rows.remove(1);
        assert_eq!(seal.check(&gone), ["m/a: 1 row missing, as at scale quick with seed 2"]);
        assert_eq!(seal.check(&Tables::default()).len(), 2);
    }

    #[test]
    fn the_digest_is_that_of_the_two_tables() {
        let (_folder, workspace) = workspace();
        let tables = record(&workspace);
        let mut rows = tables.rows.clone();
        rows.iter_mut().for_each(|row| {
            row.seconds = 0.0;
            row.run.clear();
        });
        assert_eq!(sealed(&tables).digest, sha256(&[to_csv(&rows), to_csv(&tables.findings)].concat()));
        assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn the_block_reads_back_whatever_an_id_holds() {
        let (_folder, workspace) = workspace();
        let mut tables = record(&workspace);
        tables.rows[2].claim = "m/a-->\"<b>".into();
        for tables in [tables, Tables::default()] {
            let seal = sealed(&tables);
            let page = page(&seal);
            assert_eq!(page.matches("-->").count(), 1);
            assert_eq!(Seal::parse(&page), Ok(seal));
        }
    }

    #[test]
    fn what_is_no_certificate_or_was_changed_is_refused() {
        let (_folder, workspace) = workspace();
        let seal = sealed(&record(&workspace));
        let good = page(&seal);
        let other = "0".repeat(64);
        for (text, part) in [
            (String::new(), "no certificate of Workbench"),
            ("# Notes\n".to_string(), "no certificate of Workbench"),
            (good.replace("-->", ""), "does not end"),
            (good.replace("\"rows\"", "\"lines\""), "cannot be read: missing field `rows`"),
            (good.replace("\"form\":1", "\"form\":9"), "rule 9"),
            (good.replacen(&seal.digest, &other, 1), "another digest"),
        ] {
            let error = Seal::parse(&text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        // The digest replaced throughout: the claims listed give it away.
        let changed = Seal::parse(&good.replace(&seal.digest, &other)).unwrap();
        assert!(changed.check(&record(&workspace))[0].contains("it has been changed"));
    }
}
