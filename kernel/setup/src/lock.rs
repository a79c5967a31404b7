//! The locked list of Python packages, `environment.lock`: versions and digests of what is installed, also of what packages need.

use std::collections::{BTreeMap, BTreeSet};

/// A package: the lines by which pip installs it, and the packages that need it.
#[derive(Debug, Default)]
struct Locked {
    lines: Vec<String>,
    needed_by: BTreeSet<String>,
}

/// The packages of a locked list, by name. One that differs from Python to Python has the lines of all its versions.
#[derive(Debug, Default)]
pub struct Lock {
    packages: BTreeMap<String, Locked>,
}

impl Lock {
    /// Reads what `uv pip compile` writes.
    pub fn parse(text: &str) -> Lock {
        let mut lock = Lock::default();
        let mut name = String::new();
        for line in text.lines() {
            let trimmed = line.trim();
            if line.starts_with(|c: char| c.is_ascii_alphanumeric()) {
                name = package(line);
            }
            let Some(packages) = (!name.is_empty()).then(|| lock.packages.entry(name.clone()).or_default()) else {
                continue;
            };
            match trimmed.strip_prefix('#') {
                Some(comment) => {
                    let comment = comment.trim();
                    let by = comment.strip_prefix("via ").unwrap_or(comment);
                    if by != "via" && !by.starts_with('-') {
                        packages.needed_by.insert(package(by));
                    }
                }
                None => packages.lines.push(line.trim_end().to_owned()),
            }
        }
        lock
    }

    /// The requirements of these packages and of all that they need, as pip reads them; the names that the list does not have.
    pub fn closure<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<String, Vec<String>> {
        let mut wanted: BTreeSet<String> = names.into_iter().map(package).collect();
        let absent: Vec<String> = wanted.iter().filter(|name| !self.packages.contains_key(*name)).cloned().collect();
        if !absent.is_empty() {
            return Err(absent);
        }
        loop {
            let before = wanted.len();
            for (name, locked) in &self.packages {
                if !locked.needed_by.is_disjoint(&wanted) {
                    wanted.insert(name.clone());
                }
            }
            if wanted.len() == before {
                break;
            }
        }
        let chosen = self.packages.iter().filter(|(name, _)| wanted.contains(*name));
        Ok(chosen.map(|(_, locked)| locked.lines.join("\n") + "\n").collect())
    }
}

/// The name of a package as the lists of locked ones have it: `Jupyter_Client==8` is `jupyter-client`.
fn package(requirement: &str) -> String {
    let end = requirement.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)));
    requirement[..end.unwrap_or(requirement.len())].to_lowercase().replace(['_', '.'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::pip_requirements;

    const LIST: &str = "# a word before\na==1 \\\n    --hash=sha256:aa\n    # via -r environment.yml\nB_b==2 ; python_version < '3.12' \\\n    \
                        --hash=sha256:b1 \\\n    --hash=sha256:b2\n    # via\n    #   -r environment.yml\n    #   a\nb-b==3 ; python_version >= '3.12' \\\n    \
                        --hash=sha256:b3\n    # via a\nc==4 \\\n    --hash=sha256:cc\n    # via b-b\nd==5 \\\n    --hash=sha256:dd\n";

    #[test]
    fn a_choice_comes_with_all_that_it_needs_and_nothing_else() {
        let lock = Lock::parse(LIST);
        let text = lock.closure(["a"]).unwrap();
        for line in ["a==1 \\", "B_b==2 ;", "b-b==3 ;", "c==4 \\", "    --hash=sha256:b2"] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(!text.contains("d==5") && !text.contains('#'), "{text}");
        assert_eq!(lock.closure(["c"]).unwrap(), "c==4 \\\n    --hash=sha256:cc\n");
        assert_eq!(lock.closure(["a", "x"]), Err(vec!["x".to_owned()]));
    }

    #[test]
    fn the_committed_list_has_every_pin_with_digests() {
        let text = include_str!("../../../environment.lock");
        let lock = Lock::parse(text);
        for pin in pip_requirements(include_str!("../../../environment.yml")) {
            let locked = lock.closure([pin.as_str()]).unwrap_or_default();
            let (name, version) = pin.split_once("==").unwrap();
            let same = format!("{}=={version}", package(name));
            assert!(
                locked.lines().any(|line| line.split([' ', '\\']).next() == Some(same.as_str())),
                "{pin} is not what environment.lock has: its first lines say how to write it anew"
            );
        }
        for (name, locked) in &lock.packages {
            assert!(locked.lines.iter().any(|line| line.contains("--hash=sha256:")), "{name}");
        }
    }
}
