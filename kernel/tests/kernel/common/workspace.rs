//! A workspace with notebooks of orders for the scripted kernel, and the runner's binary on it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use workbench_record::{Row, Tables};

use crate::fake_kernel;

/// A workspace in a temporary folder.
pub struct Workspace {
    pub root: tempfile::TempDir,
}

impl Workspace {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for part in ["workbench", "kernel", "notebooks"] {
            std::fs::create_dir_all(root.path().join(part)).unwrap();
        }
        for part in ["workbench", "kernel"] {
            std::fs::write(root.path().join(part).join("Cargo.toml"), "").unwrap();
        }
        let workspace = Workspace { root };
        workspace.claims(&[]);
        workspace
    }

    /// A registry with these claims and their notebooks.
    pub fn claims(&self, claims: &[(&str, &str)]) {
        let mut text = "[[paper]]\nid = \"a\"\ntitle = \"A\"\n".to_string();
        for (id, notebook) in claims {
            text += &format!(
                "[[claim]]\nid = \"{id}\"\npaper = \"a\"\nwhere = \"w\"\nkind = \"lemma\"\nsays = \"s\"\nsetup = \"s\"\n\
                 check = \"c\"\nreach = \"gpu\"\nnotebook = \"{notebook}\"\n"
            );
        }
        std::fs::write(self.path("notebooks/claims.toml"), text).unwrap();
    }

    /// The rows of the record.
    pub fn record(&self) -> Vec<Row> {
        Tables::read(&self.path("notebooks/results")).unwrap().rows
    }

    /// The folders of the runs.
    pub fn runs(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = std::fs::read_dir(self.path("notebooks/results/runs"))
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path())
            .collect();
        found.sort();
        found
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Writes a notebook whose cells `c1`, `c2`, ... hold these orders, each with an old output.
    pub fn notebook(&self, name: &str, cells: &[(&str, &[&str])]) -> String {
        let cells: Vec<serde_json::Value> = cells
            .iter()
            .enumerate()
            .map(|(index, (source, tags))| {
                serde_json::json!({
                    "cell_type": "code", "id": format!("c{}", index + 1), "execution_count": 99,
                    "metadata": {"tags": tags, "kept": {"by": "another tool"}},
                    "outputs": [{"output_type": "stream", "name": "stdout", "text": ["old\n"]}],
                    "source": [source],
                })
            })
            .collect();
        let text = serde_json::json!({
            "cells": cells, "nbformat": 4, "nbformat_minor": 5,
            "metadata": {"kernelspec": {"name": "workbench", "display_name": "Rust (Workbench)"}},
        })
        .to_string();
        std::fs::write(self.path(&format!("notebooks/{name}.ipynb")), &text).unwrap();
        text
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let argv = serde_json::to_string(&fake_kernel::argv("fake_kernel::process")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        command
            .args(["run", "--no-coverage", "--kernel-argv", &argv])
            .args(args)
            .env("WORKBENCH_ROOT", self.root.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run(&self, args: &[&str]) -> (Option<i32>, String) {
        told(self.command(args).output().unwrap())
    }

    /// Starts a run and waits until the kernel works on the cell `id`.
    pub fn start_until(&self, cell: &str) -> Child {
        self.start_with(&[], cell)
    }

    pub fn start_with(&self, args: &[&str], cell: &str) -> Child {
        let mut command = self.command(args);
        let log = std::fs::File::create(self.path("stderr.txt")).unwrap();
        let child = command.stderr(log).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while !self.read("stderr.txt").contains(cell) {
            assert!(Instant::now() < deadline, "{}", self.read("stderr.txt"));
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(200));
        child
    }

    pub fn leftovers(&self) -> Vec<PathBuf> {
        let mut open = vec![self.path("notebooks")];
        let mut found = Vec::new();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|ending| ending == "tmp") {
                    found.push(path);
                }
            }
        }
        found
    }
}

pub fn told(output: Output) -> (Option<i32>, String) {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    (output.status.code(), text)
}

/// Processes whose environment or command line names this folder: kernels that outlived their runner.
pub fn kernels_of(folder: &Path) -> Vec<String> {
    let wanted = format!("WORKBENCH_ROOT={}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()) {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found
}

pub fn wait_until_gone(folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !kernels_of(folder).is_empty() {
        assert!(Instant::now() < deadline, "{:?}", kernels_of(folder));
        std::thread::sleep(Duration::from_millis(50));
    }
}
