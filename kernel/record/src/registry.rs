//! The registry of claims: `notebooks/claims.toml`, parsed and checked.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::Deserialize;

use super::Error;
use super::checks::{CheckFile, Checks};
use super::near::{nearest, question};
use super::program::program;
use super::scan::{Call, calls};

/// What its check can need.
const REACHES: [&str; 4] = ["cpu-seconds", "cpu-minutes", "gpu", "scaled-down"];

/// One document whose claims are checked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// Short name, the part of a claim id before the slash.
    pub id: String,
    /// Title as printed.
    pub title: String,
}

impl Claim {
    /// What a claim can be.
    pub const KINDS: [&str; 9] =
        ["bound", "definition", "experiment", "figure", "identity", "lemma", "statement", "table", "theorem"];
}

/// One claim or system of a document, as the registry states it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// `<paper>/<name>`, never reused.
    pub id: String,
    /// The document, an id of a [`Paper`].
    pub paper: String,
    /// The place in the document.
    #[serde(rename = "where")]
    pub place: String,
    /// bound, definition, experiment, figure, identity, lemma, statement, table or theorem.
    pub kind: String,
    /// What the document says, restated.
    pub says: String,
    /// The parameters that the document gives.
    pub setup: String,
    /// The check that decides it.
    pub check: String,
    /// What the check needs: `cpu-seconds`, `cpu-minutes`, `gpu` or `scaled-down`.
    pub reach: String,
    /// The notebook that checks it, a file name without extension.
    pub notebook: String,
    /// The claims that it rests on directly: were one of them wrong, the document's argument for this one would suffer.
    #[serde(default)]
    pub uses: Vec<String>,
    /// Why no notebook checks it yet; empty where one does.
    #[serde(default)]
    pub open: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    paper: Vec<Paper>,
    #[serde(default)]
    claim: Vec<Claim>,
}

/// All claims, in the order of the file.
///
/// Every id is unique and starts with a listed paper, and no field is empty.
#[derive(Clone, Debug)]
pub struct Registry {
    path: PathBuf,
    papers: Vec<Paper>,
    claims: Vec<Claim>,
    index: HashMap<String, usize>,
    /// Of all copies of this registry: reading them is dear.
    checks: Arc<OnceLock<Checks>>,
}

impl Registry {
    /// Reads and checks a registry file.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read, otherwise as [`Registry::parse`].
    pub fn read(path: &Path) -> Result<Registry, Error> {
        let text = std::fs::read_to_string(path).map_err(|cause| Error::io("reading the registry", path, cause))?;
        Registry::parse(&text, path)
    }

    /// Checks the text of a registry; `path` serves the messages only.
    ///
    /// # Errors
    /// [`Error::NotToml`], [`Error::DuplicateId`], [`Error::EmptyField`], [`Error::UnknownWord`], [`Error::UnknownPaper`],
    /// [`Error::MalformedPaper`] or [`Error::MalformedId`].
    pub fn parse(text: &str, path: &Path) -> Result<Registry, Error> {
        let file: File = toml::from_str(text).map_err(|cause| Error::NotToml {
            path: path.to_path_buf(),
            problem: cause.to_string().trim_end().to_string(),
        })?;
        let duplicate = |kind, id: &str| Error::DuplicateId { path: path.to_path_buf(), kind, id: id.to_string() };
        let mut papers = HashSet::new();
        for (row, paper) in file.paper.iter().enumerate() {
            refuse_empty(path, "paper", row, &[("id", &paper.id), ("title", &paper.title)])?;
            if !is_name(&paper.id) {
                return Err(Error::MalformedPaper { path: path.to_path_buf(), id: paper.id.clone() });
            }
            if !papers.insert(paper.id.as_str()) {
                return Err(duplicate("paper", &paper.id));
            }
        }
        let mut index = HashMap::new();
        for (row, claim) in file.claim.iter().enumerate() {
            refuse_empty(
                path,
                "claim",
                row,
                &[
                    ("id", &claim.id),
                    ("paper", &claim.paper),
                    ("where", &claim.place),
                    ("kind", &claim.kind),
                    ("says", &claim.says),
                    ("setup", &claim.setup),
                    ("check", &claim.check),
                    ("reach", &claim.reach),
                    ("notebook", &claim.notebook),
                ],
            )?;
            for (field, value, known) in
                [("kind", &claim.kind, Claim::KINDS.as_slice()), ("reach", &claim.reach, REACHES.as_slice())]
            {
                if !known.contains(&value.as_str()) {
                    let nearest = question(&nearest(value, known.iter().copied(), 2));
                    return Err(Error::UnknownWord {
                        path: path.to_path_buf(),
                        id: claim.id.clone(),
                        field,
                        value: value.clone(),
                        known: known.join(", ") + &nearest,
                    });
                }
            }
            if !papers.contains(claim.paper.as_str()) {
                let known: Vec<&str> = file.paper.iter().map(|p| p.id.as_str()).collect();
                return Err(Error::UnknownPaper {
                    path: path.to_path_buf(),
                    id: claim.id.clone(),
                    paper: claim.paper.clone(),
                    known: known.join(", "),
                });
            }
            let name = claim.id.strip_prefix(claim.paper.as_str()).and_then(|rest| rest.strip_prefix('/'));
            if !name.is_some_and(is_name) {
                return Err(Error::MalformedId {
                    path: path.to_path_buf(),
                    id: claim.id.clone(),
                    paper: claim.paper.clone(),
                });
            }
            if index.insert(claim.id.clone(), row).is_some() {
                return Err(duplicate("claim", &claim.id));
            }
        }
        let registry = Registry {
            path: path.to_path_buf(),
            papers: file.paper,
            claims: file.claim,
            index,
            checks: Arc::default(),
        };
        registry.check_uses()?;
        Ok(registry)
    }

    /// A registry without a claim, for ledgers outside the project.
    pub fn empty() -> Registry {
        Registry {
            path: PathBuf::from("claims.toml"),
            papers: Vec::new(),
            claims: Vec::new(),
            index: HashMap::new(),
            checks: Arc::default(),
        }
    }

    /// Every id in `uses` exists, and no claim rests on itself, however indirectly.
    fn check_uses(&self) -> Result<(), Error> {
        for claim in &self.claims {
            if let Some(used) = claim.uses.iter().find(|used| self.position(used).is_none()) {
                return Err(Error::UnknownUse {
                    path: self.path.clone(),
                    id: claim.id.clone(),
                    used: used.clone(),
                    suggestion: self.suggestion(used, || "; write the id of one of its rows".into()),
                });
            }
        }
        let mut sound = HashSet::new();
        for claim in &self.claims {
            let mut way = Vec::new();
            if self.circle(&claim.id, &mut way, &mut sound) {
                return Err(Error::Circle { path: self.path.clone(), circle: way.join(" -> ") });
            }
        }
        Ok(())
    }

    /// Follows `uses` from `id`; on a circle `way` is that circle, first claim again at its end.
    fn circle<'a>(&'a self, id: &'a str, way: &mut Vec<&'a str>, sound: &mut HashSet<&'a str>) -> bool {
        if sound.contains(id) {
            return false;
        }
        if let Some(begin) = way.iter().position(|step| *step == id) {
            way.drain(..begin);
            way.push(id);
            return true;
        }
        way.push(id);
        for used in self.position(id).into_iter().flat_map(|at| &self.claims[at].uses) {
            if self.circle(used, way, sound) {
                return true;
            }
        }
        way.pop();
        sound.insert(id);
        false
    }

    /// The claims whose id matches a pattern as a shell has it (`*`, `?`, `[ab]`; `*` reaches over the slash), in the order of
    /// the file.
    ///
    /// # Errors
    /// [`Error::Pattern`] for a pattern that is none, or that no id matches.
    pub fn matching(&self, pattern: &str) -> Result<Vec<&Claim>, Error> {
        let wrong = |problem: String| Error::Pattern { pattern: pattern.to_string(), problem };
        let glob = glob::Pattern::new(pattern).map_err(|cause| wrong(cause.to_string()))?;
        let found: Vec<&Claim> = self.claims.iter().filter(|claim| glob.matches(&claim.id)).collect();
        if found.is_empty() {
            return Err(wrong(format!("no claim matches{}", self.suggestion(pattern, String::new))));
        }
        Ok(found)
    }

    /// The claims that some of these patterns match, as a registry of their own; all of them if there is no pattern.
    ///
    /// # Errors
    /// As of [`Registry::matching`].
    pub fn only(&self, patterns: &[String]) -> Result<Registry, Error> {
        if patterns.is_empty() {
            return Ok(self.clone());
        }
        let mut wanted = HashSet::new();
        for pattern in patterns {
            wanted.extend(self.matching(pattern)?.into_iter().map(|claim| claim.id.clone()));
        }
        let claims: Vec<Claim> = self.claims.iter().filter(|claim| wanted.contains(&claim.id)).cloned().collect();
        let papers = self.papers.iter().filter(|paper| claims.iter().any(|claim| claim.paper == paper.id));
        let index = claims.iter().enumerate().map(|(at, claim)| (claim.id.clone(), at)).collect();
        Ok(Registry { papers: papers.cloned().collect(), claims, index, ..self.clone() })
    }

    /// The checks that stand in files of their own, in the project that this file belongs to. Read when first asked for.
    pub fn checks(&self) -> &Checks {
        self.checks.get_or_init(|| {
            let notebooks = self.path.parent().map(Path::to_path_buf).unwrap_or_default();
            Checks::read(&notebooks.join(".."))
        })
    }

    /// The check that a cell of this notebook names, by the end of its path.
    pub fn check_in(&self, path: &str, notebook: &str) -> Option<&CheckFile> {
        let here = |claim: &str| self.position(claim).is_some_and(|at| self.claims()[at].notebook == notebook);
        self.checks().named(path, here)
    }

    /// The claims that a cell of this notebook records, in order; calls whose id is not known are left out.
    pub fn recorded_in(&self, notebook: &str, source: &str) -> Vec<String> {
        let ids = calls(source).into_iter().filter_map(|call| match call {
            Call::Id(id) => Some(id),
            Call::Check(path) => self.check_in(&path, notebook).map(|check| check.claim.clone()),
            Call::Opaque(_) => None,
        });
        ids.collect()
    }

    /// The claims that rest on `id` directly.
    pub fn users_of(&self, id: &str) -> Vec<&Claim> {
        self.claims.iter().filter(|claim| claim.uses.iter().any(|used| used == id)).collect()
    }

    /// The file this registry was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The documents, in the order of the file.
    pub fn papers(&self) -> &[Paper] {
        &self.papers
    }

    /// The claims, in the order of the file.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The claims that a notebook has to check, in the order of the file.
    pub fn of_notebook(&self, notebook: &str) -> Vec<&Claim> {
        self.claims.iter().filter(|c| c.notebook == notebook).collect()
    }

    /// The names of all notebooks with the number of their claims.
    pub fn notebooks(&self) -> BTreeMap<String, usize> {
        let mut count = BTreeMap::new();
        for claim in &self.claims {
            *count.entry(claim.notebook.clone()).or_insert(0) += 1;
        }
        count
    }

    /// The place of a claim in the file, from 0.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// Looks up a claim by id.
    ///
    /// # Errors
    /// [`Error::UnknownClaim`], with up to three ids that read alike.
    pub fn get(&self, id: &str) -> Result<&Claim, Error> {
        match self.position(id) {
            Some(row) => Ok(&self.claims[row]),
            None => Err(Error::UnknownClaim { id: id.to_string(), suggestion: self.suggestion(id, all_listed) }),
        }
    }

    /// The ids that read alike, or else what is to be done.
    fn suggestion(&self, id: &str, otherwise: impl FnOnce() -> String) -> String {
        match nearest(id, self.claims.iter().map(|c| c.id.as_str()), 3).as_slice() {
            [] => otherwise(),
            near => question(near),
        }
    }
}

/// Where all ids are.
fn all_listed() -> String {
    format!("; `{} list` shows all", program())
}

/// Whether files, links and commands can be named after it as it is.
fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !text.is_empty() && !text.starts_with('.') && text.chars().all(plain)
}

fn refuse_empty(path: &Path, kind: &str, row: usize, fields: &[(&'static str, &String)]) -> Result<(), Error> {
    for (field, value) in fields {
        if value.trim().is_empty() {
            let id = match fields[0].1.trim() {
                "" => format!("{kind} row {}", row + 1),
                id => id.to_string(),
            };
            return Err(Error::EmptyField { path: path.to_path_buf(), id, field });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
