//! Questions to git: files of a revision, and who works here.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its full name.
    pub id: String,
    /// The day, as `2026-01-31`.
    pub day: String,
    /// The first line of its message.
    pub subject: String,
}

/// The repository that holds a folder, as the program `git` sees it.
#[derive(Clone, Debug)]
pub struct Git {
    folder: PathBuf,
}

impl Git {
    /// The repository of `folder`.
    pub fn at(folder: &Path) -> Git {
        Git { folder: folder.to_path_buf() }
    }

    /// The full commit that a revision names.
    ///
    /// # Errors
    /// Why there is none, as a sentence.
    pub fn commit(&self, revision: &str) -> Result<String, String> {
        // git would take it as an option.
        if revision.starts_with('-') {
            return Err("no revision begins with a hyphen".to_string());
        }
        let commit = format!("{revision}^{{commit}}");
        let output = self.run(&["rev-parse", "--verify", "--quiet", &commit])?;
        output
            .map(|bytes| String::from_utf8_lossy(&bytes).trim().to_string())
            .ok_or_else(|| "git knows no such revision".to_string())
    }

    /// The commit that is checked out, if nothing but what runs write differs from it.
    pub fn unchanged(&self) -> Option<String> {
        let changes = self.run(&["status", "--porcelain"]).ok()??;
        let is_written = |line: &str| line.contains("notebooks/results/");
        if !String::from_utf8_lossy(&changes).lines().all(is_written) {
            return None;
        }
        self.commit("HEAD").ok()
    }

    /// The names of the files that a commit has in `folder`, which is given from the folder of this value.
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn files(&self, commit: &str, folder: &str) -> Result<Vec<String>, String> {
        let place = format!("{folder}/");
        let listed = self.run(&["ls-tree", "--name-only", "-z", commit, &place])?.unwrap_or_default();
        let text = String::from_utf8_lossy(&listed).into_owned();
        let names = text.split('\0').filter_map(|path| path.strip_prefix(&place));
        Ok(names.map(str::to_string).collect())
    }

    /// A file of a commit, its path given from the folder of this value.
    ///
    /// # Errors
    /// If git cannot be started, or the commit has no such file.
    pub fn show(&self, commit: &str, path: &str) -> Result<Vec<u8>, String> {
        self.run(&["show", &format!("{commit}:./{path}")])?.ok_or_else(|| format!("git cannot show {path} of {commit}"))
    }

    /// The commits that brought a file to what it is, the newest first; a merge counts as one. None outside version control.
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn log(&self, path: &str) -> Result<Vec<Commit>, String> {
        let told = self.run(&["log", "--first-parent", "-z", "--format=%H%x09%cs%x09%s", "--", path])?;
        let text = String::from_utf8_lossy(&told.unwrap_or_default()).into_owned();
        let commits = text.split('\0').filter_map(|line| {
            let mut parts = line.splitn(3, '\t').map(str::to_string);
            Some(Commit { id: parts.next()?, day: parts.next()?, subject: parts.next()? })
        });
        Ok(commits.collect())
    }

    /// A file of several commits, in their order and with one call; nothing for a commit that does not have it.
    ///
    /// # Errors
    /// If git cannot be started or asked.
    pub fn show_each(&self, commits: &[Commit], path: &str) -> Result<Vec<Option<Vec<u8>>>, String> {
        let asked = |cause: std::io::Error| format!("git cannot be asked: {cause}");
        let mut child = self
            .command(&["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(not_started)?;
        let (Some(mut questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("git cannot be asked".to_string());
        };
        let lines: String = commits.iter().map(|commit| format!("{}:./{path}\n", commit.id)).collect();
        // Beside the reading: git answers before it has heard all.
        let asking = std::thread::spawn(move || questions.write_all(lines.as_bytes()));
        let mut answers = BufReader::new(answers);
        let mut found = Vec::new();
        for _ in commits {
            let mut head = String::new();
            answers.read_line(&mut head).map_err(asked)?;
            let length = head.trim_end().strip_suffix(" missing").map_or_else(
                || head.rsplit(' ').next().and_then(|length| length.trim_end().parse::<usize>().ok()),
                |_| None,
            );
            found.push(match length {
                None => None,
                Some(length) => {
                    // The content and the end of its line.
                    let mut bytes = vec![0; length + 1];
                    answers.read_exact(&mut bytes).map_err(asked)?;
                    bytes.pop();
                    Some(bytes)
                }
            });
        }
        // What was answered is all that was asked for; how git ends says nothing more.
        let _ = (asking.join(), child.wait());
        Ok(found)
    }

    /// The name that git signs commits with here, if one is set.
    pub fn user_name(&self) -> Option<String> {
        let bytes = self.run(&["config", "user.name"]).ok().flatten()?;
        let name = String::from_utf8_lossy(&bytes).trim().to_string();
        (!name.is_empty()).then_some(name)
    }

    /// Standard output, or nothing where git ends with a failure.
    fn run(&self, args: &[&str]) -> Result<Option<Vec<u8>>, String> {
        let output = self.command(args).output().map_err(not_started)?;
        Ok(output.status.success().then_some(output.stdout))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder).args(args).stdin(Stdio::null());
        command
    }
}

fn not_started(cause: std::io::Error) -> String {
    format!("git cannot be started: {cause}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::commit_all;

    #[test]
    fn files_of_a_commit_are_read_from_a_folder_below_the_top() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir_all(inner.join("tables")).unwrap();
        std::fs::write(inner.join("tables/a.csv"), "one").unwrap();
        commit_all(folder.path());
        std::fs::write(inner.join("tables/a.csv"), "two").unwrap();
        let git = Git::at(&inner);
        let commit = git.commit("main").unwrap();
        assert_eq!(commit.len(), 40);
        assert_eq!(git.files(&commit, "tables").unwrap(), ["a.csv"]);
        assert!(git.files(&commit, "none").unwrap().is_empty());
        assert_eq!(git.show(&commit, "tables/a.csv").unwrap(), b"one");
        assert!(git.show(&commit, "tables/b.csv").unwrap_err().contains("tables/b.csv"));
    }

    #[test]
    fn every_state_of_a_file_is_read_in_one_call() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir_all(&inner).unwrap();
        let git = Git::at(&inner);
        assert!(git.log("a.csv").unwrap().is_empty(), "outside version control");
        for text in ["one\n", "", "three"] {
            std::fs::write(inner.join("a.csv"), text).unwrap();
            commit_all(folder.path());
        }
        std::fs::remove_file(inner.join("a.csv")).unwrap();
        commit_all(folder.path());
        let commits = git.log("a.csv").unwrap();
        assert_eq!(commits.len(), 4);
        assert_eq!((commits[0].subject.as_str(), commits[0].day.len()), ("m", 10));
        let found = git.show_each(&commits, "a.csv").unwrap();
        let told: Vec<Option<&[u8]>> = found.iter().map(Option::as_deref).collect();
        assert_eq!(told, [None, Some(&b"three"[..]), Some(b""), Some(b"one\n")]);
    }

    #[test]
    fn what_is_no_revision_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path());
        assert!(git.commit("HEAD").unwrap_err().contains("no such revision"));
        commit_all(folder.path());
        assert!(git.commit("no/such").unwrap_err().contains("no such revision"));
        assert!(git.commit("--all").unwrap_err().contains("hyphen"));
    }
}
