//! A machine made of tables, for the tests of this crate and of those above it, which take this file in, too.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use workbench_setup::cuda::driver::Driver;
use workbench_setup::system::{Ran, System};

/// Answers are looked up by the whole command line; the calls made are kept.
#[derive(Default)]
pub struct Fake {
    pub answers: HashMap<String, Ran>,
    pub files: Vec<PathBuf>,
    pub vars: HashMap<String, String>,
    pub calls: RefCell<Vec<String>>,
    /// The library links once one of the calls made contains this text ("" from the start).
    pub links_after: Option<String>,
    /// What the person before the machine says, if there is one.
    pub person: Option<bool>,
    /// Its driver.
    pub driver: Option<Driver>,
}

impl Fake {
    pub fn answer(mut self, line: &str, ok: bool, output: &str) -> Self {
        self.answers.insert(line.to_string(), Ran { ok, output: output.to_string() });
        self
    }
}

impl System for Fake {
    fn run(&self, program: &str, args: &[&str]) -> Option<Ran> {
        let line = std::iter::once(program).chain(args.iter().copied()).collect::<Vec<_>>().join(" ");
        self.calls.borrow_mut().push(line.clone());
        self.answers.get(&line).cloned()
    }
    fn exists(&self, path: &Path) -> bool {
        self.files.iter().any(|file| file == path)
    }
    fn var(&self, name: &str) -> Option<String> {
        self.vars.get(name).cloned()
    }
    fn asks(&self, question: &str) -> Option<bool> {
        self.calls.borrow_mut().push(format!("asks {question}"));
        self.person
    }
    fn links(&self, _library: &str, _symbol: &str, _folders: &[&Path]) -> bool {
        self.links_after
            .as_ref()
            .is_some_and(|after| after.is_empty() || self.calls.borrow().iter().any(|call| call.contains(after)))
    }
    fn driver(&self) -> Option<Driver> {
        self.driver.clone()
    }
}
