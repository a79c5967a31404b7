//! `cargo workbench export`: the ledger's tables in every format, and notebooks as web pages.

use std::path::Path;
use std::process::Command;

use crate::cli::ExportArgs;
use crate::error::{Error, Result};
use crate::run::notebook;
use crate::setup::system::tail;
use crate::setup::{self, Ready};
use crate::{lab, ledger_program, progress};

/// Writes the tables, and the pages if asked; returns the exit status.
pub fn command(args: &ExportArgs) -> Result<i32> {
    let ready = if args.html {
        setup::for_lab(false)?
    } else {
        setup::for_notebooks()?
    };
    let results = ready.workspace.results();
    let out = match &args.out {
        Some(out) => std::path::absolute(out).map_err(|source| Error::io("find the folder", out, source))?,
        None => results.clone(),
    };
    std::fs::create_dir_all(&out).map_err(|source| Error::io("make", &out, source))?;
    let text = out.display().to_string();
    let status = ledger_program::run(&ready, &results, &["export", "--out", &text])?;
    if !status.success() {
        return Ok(1);
    }
    if args.html {
        html(&ready, &out.join("html"))?;
    }
    Ok(0)
}

fn html(ready: &Ready, out: &Path) -> Result<()> {
    let workspace = &ready.workspace;
    std::fs::create_dir_all(out).map_err(|source| Error::io("make", out, source))?;
    let notebooks = notebook::find_all(&workspace.notebooks());
    progress::step(&format!("rendering {} notebooks", notebooks.len()));
    let program = workspace.venv_program("jupyter-nbconvert");
    let mut command = Command::new(&program);
    command
        .args(["--to", "html", "--log-level", "WARN", "--output-dir"])
        .arg(out)
        .args(&notebooks)
        .envs(lab::jupyter_folders(workspace));
    let output = command.output().map_err(|source| Error::Start {
        program: program.display().to_string(),
        source,
        hint: "delete .workbench/venv and try again".into(),
    })?;
    if !output.status.success() {
        return Err(Error::Failed {
            what: "rendering notebooks".into(),
            status: output.status.to_string(),
            hint: "check the notebooks with `cargo workbench run`".into(),
            tail: tail(&String::from_utf8_lossy(&output.stderr), 8),
        });
    }
    progress::note(&format!("pages are in {}", out.display()));
    Ok(())
}
