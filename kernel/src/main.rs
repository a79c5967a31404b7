//! Workbench: the Jupyter kernel, the headless runner and the front door of the project, in one binary.

#![warn(missing_docs)]

mod bench;
mod cli;
mod doctor;
mod error;
mod export;
mod lab;
mod ledger_program;
mod progress;
mod run;
mod setup;
mod test;

mod jupyter {
    use std::path::Path;

    pub fn serve(path: &Path) -> anyhow::Result<()> {
        anyhow::bail!("no kernel is built in yet for {path:?}")
    }
}

fn main() -> std::process::ExitCode {
    evcxr::runtime_hook();
    cli::main()
}
