//! What git is asked: files of a revision, and who works here.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The repository that holds a folder, as the program `git` sees it.
#[derive(Clone, Debug)]
pub struct Git {
    folder: PathBuf,
}

impl Git {
    /// The repository of `folder`.
    pub fn at(folder: &Path) -> Git {
        Git {
            folder: folder.to_path_buf(),
        }
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

    /// The names of the files that a commit has in `folder`, which is given from the folder of this value.
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn files(&self, commit: &str, folder: &str) -> Result<Vec<String>, String> {
        let place = format!("{folder}/");
        let listed = self
            .run(&["ls-tree", "--name-only", "-z", commit, &place])?
            .unwrap_or_default();
        let text = String::from_utf8_lossy(&listed).into_owned();
        let names = text.split('\0').filter_map(|path| path.strip_prefix(&place));
        Ok(names.map(str::to_string).collect())
    }

    /// A file of a commit, its path given from the folder of this value.
    ///
    /// # Errors
    /// If git cannot be started, or the commit has no such file.
    pub fn show(&self, commit: &str, path: &str) -> Result<Vec<u8>, String> {
        self.run(&["show", &format!("{commit}:./{path}")])?
            .ok_or_else(|| format!("git cannot show {path} of {commit}"))
    }

    /// The name that git signs commits with here, if one is set.
    pub fn user_name(&self) -> Option<String> {
        let bytes = self.run(&["config", "user.name"]).ok().flatten()?;
        let name = String::from_utf8_lossy(&bytes).trim().to_string();
        (!name.is_empty()).then_some(name)
    }

    /// Standard output, or nothing where git ends with a failure.
    fn run(&self, args: &[&str]) -> Result<Option<Vec<u8>>, String> {
        let output = Command::new("git")
            .arg("-C")
            .arg(&self.folder)
            .args(args)
            .stdin(Stdio::null())
            .output()
            .map_err(|cause| format!("git cannot be started: {cause}"))?;
        Ok(output.status.success().then_some(output.stdout))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Makes `folder` a repository with everything in it committed.
    pub fn commit_all(folder: &Path) {
        let git = Git::at(folder);
        git.run(&["init", "-q", "-b", "main"]).unwrap().unwrap();
        git.run(&["add", "-A"]).unwrap().unwrap();
        let commit = [
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "m",
        ];
        git.run(&commit).unwrap().unwrap();
    }

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
    fn what_is_no_revision_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path());
        assert!(git.commit("HEAD").unwrap_err().contains("no such revision"));
        commit_all(folder.path());
        assert!(git.commit("no/such").unwrap_err().contains("no such revision"));
        assert!(git.commit("--all").unwrap_err().contains("hyphen"));
    }
}
