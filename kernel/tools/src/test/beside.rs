//! Parts of the test command that mostly wait (browsers, a site, a sweep on Slurm), in a process of their own beside the notebooks.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use clap::ValueEnum;

use super::tally::{Tally, handed_over};
use super::{Part, TestArgs};
use workbench_base::error::{Error, Result};
use workbench_setup::paths::this_binary;

/// A test of some parts that runs while this one goes on.
pub struct Beside {
    child: Child,
    said: PathBuf,
    tally: PathBuf,
    parts: String,
}

impl Beside {
    /// Starts a test of these parts, whose output and tally go into `folder`.
    ///
    /// # Errors
    /// A file that cannot be written, a program that does not start.
    pub fn start(parts: &[Part], args: &TestArgs, folder: &Path) -> Result<Beside> {
        let (said, tally) = (folder.join("beside.log"), folder.join("beside.json"));
        let log = File::create(&said).map_err(|source| Error::io("write", &said, source))?;
        let errors = log.try_clone().map_err(|source| Error::io("write", &said, source))?;
        let parts: Vec<String> =
            parts.iter().filter_map(|part| Some(part.to_possible_value()?.get_name().to_owned())).collect();
        let parts = parts.join(",");
        let program = this_binary()?;
        let mut command = Command::new(&program);
        command.args(["test", "--only", &parts, "--hand-over"]).arg(&tally);
        if args.complete {
            command.arg("--complete");
        }
        let child = command.stdin(Stdio::null()).stdout(log).stderr(errors).spawn().map_err(|source| Error::Start {
            program: program.display().to_string(),
            source,
            hint: "run the parts one after another, with --only".into(),
        })?;
        println!("beside the notebooks: {parts}");
        Ok(Beside { child, said, tally, parts })
    }

    /// Waits for its end, prints what it said, and takes its tally over.
    pub fn end(mut self, tally: &mut Tally) {
        let ended = self.child.wait();
        println!("\n==> what ran beside the notebooks");
        // What it said is a comfort; what it found is in its tally.
        print!("{}", std::fs::read_to_string(&self.said).unwrap_or_default());
        match (ended, handed_over(&self.tally)) {
            (Ok(_), Some(entries)) => tally.take_beside(entries),
            (ended, _) => {
                println!("{} came to no end: {ended:?}", self.parts);
                tally.count(&self.parts, false);
            }
        }
    }
}
