//! Command line of the tables: `export`, for the program `workbench-ledger` and for a project's own.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use workbench_record::words::count;
use workbench_record::{Error as RecordError, Lock, Registry, Tables};

use crate::{Error, export};

const USAGE: &str = "\
usage: workbench-ledger export [--notebooks DIR] --results DIR --out DIR [PATTERN...]

writes the tables as CSV and Parquet, and the table of claims as CSV, Parquet, Markdown and LaTeX

options
  --notebooks DIR  folder of claims.toml; without it the claims of the ledger alone are listed
  --results DIR    folder of ledger.csv and its companions
  --out DIR        where to write
  PATTERN          only claims whose id matches one of these";

/// How long an export into the folder of the tables themselves waits for a cell that writes them.
const PATIENCE: Duration = Duration::from_secs(5);

enum Failure {
    Usage(String),
    Ledger(Error),
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(cause: E) -> Failure {
        Failure::Ledger(cause.into())
    }
}

struct Options {
    notebooks: Option<PathBuf>,
    results: PathBuf,
    out: PathBuf,
    patterns: Vec<String>,
}

/// Carries out a command with its words; the status is 2 for wrong use, 1 for tables that cannot be read or written.
pub fn command(arguments: &[String]) -> ExitCode {
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(problem)) => {
            eprintln!("workbench-ledger: {problem}\n\n{USAGE}");
            ExitCode::from(2)
        }
        Err(Failure::Ledger(cause)) => {
            eprintln!("workbench-ledger: {cause}");
            ExitCode::from(1)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => return Err(Failure::Usage("a command is missing".to_string())),
    };
    match command {
        "-h" | "--help" | "help" => {
            println!("{USAGE}");
            Ok(())
        }
        "export" => export_with(&parse(rest)?),
        other => Err(Failure::Usage(format!("`{other}` is not a command"))),
    }
}

fn parse(arguments: &[String]) -> Result<Options, Failure> {
    let (mut notebooks, mut results, mut out) = (None, None, None);
    let mut patterns = Vec::new();
    let mut left = arguments.iter();
    while let Some(argument) = left.next() {
        let (name, inline) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (argument.as_str(), None),
        };
        let option = match name {
            "--notebooks" => &mut notebooks,
            "--results" => &mut results,
            "--out" => &mut out,
            _ if !argument.starts_with('-') => {
                patterns.push(argument.clone());
                continue;
            }
            _ => return Err(Failure::Usage(format!("`{argument}` is not an option"))),
        };
        let value = inline.or_else(|| left.next().cloned());
        *option = Some(PathBuf::from(value.ok_or_else(|| Failure::Usage(format!("{name} needs a value")))?));
    }
    let needed =
        |option: Option<PathBuf>, name: &str| option.ok_or_else(|| Failure::Usage(format!("export needs {name} DIR")));
    Ok(Options { notebooks, results: needed(results, "--results")?, out: needed(out, "--out")?, patterns })
}

fn export_with(options: &Options) -> Result<(), Failure> {
    let registry = match &options.notebooks {
        Some(folder) => Registry::read(&folder.join("claims.toml"))?,
        None => Registry::empty(),
    };
    let only = registry.only(&options.patterns)?;
    // Into their own folder the tables are written as they were read: nobody else may write between.
    let same = match (options.results.canonicalize(), options.out.canonicalize()) {
        (Ok(results), Ok(out)) => results == out,
        _ => false,
    };
    let _lock = match same {
        true => Some(Lock::take(&options.out, "an export", PATIENCE)?),
        false => None,
    };
    let mut tables = Tables::read(&options.results)?;
    if !options.patterns.is_empty() {
        tables = tables.only(&only);
    }
    for path in export(&tables, &only, &options.out)? {
        say(&path.display().to_string())?;
    }
    let rows = tables.rows.len();
    say(&format!("{} from {}", count(rows, "row"), options.results.display()))?;
    Ok(())
}

/// A line on standard output, which may be a disk that is full.
fn say(line: &str) -> Result<(), RecordError> {
    let told = writeln!(std::io::stdout(), "{line}");
    // No advice on folders.
    let plain = |cause: std::io::Error| std::io::Error::other(cause.to_string());
    told.map_err(|cause| RecordError::io("writing to", "standard output", plain(cause)))
}
