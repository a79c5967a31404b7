//! Command line of the ledger: `audit`, `coverage`, `export`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use workbench::ledger::{Audit, Coverage, Error, Registry, Scale, Settings, Store, export};

const USAGE: &str = "\
usage: workbench-ledger <command> [options]

commands
  audit       check that claims, notebooks, ledger and committed verdicts agree; exit 1 if not
  coverage    print how much of each document is checked
  export      write the ledger as CSV, Parquet, Markdown and LaTeX

options
  --notebooks DIR      folder of claims.toml and the notebooks (found from here upward)
  --results DIR        folder of ledger.csv (`results` beside the notebooks)
  --scale quick|paper  look at one scale only (audit, coverage)
  --out DIR            where to write (export)";

enum Failure {
    Usage(String),
    Ledger(Error),
}

impl From<Error> for Failure {
    fn from(cause: Error) -> Failure {
        Failure::Ledger(cause)
    }
}

#[derive(Default)]
struct Options {
    notebooks: Option<PathBuf>,
    results: Option<PathBuf>,
    out: Option<PathBuf>,
    scale: Option<Scale>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
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

fn run(arguments: &[String]) -> Result<bool, Failure> {
    let Some((command, rest)) = arguments.split_first() else {
        return Err(Failure::Usage("a command is missing".to_string()));
    };
    if ["-h", "--help", "help"].contains(&command.as_str()) {
        println!("{USAGE}");
        return Ok(true);
    }
    let options = parse(rest)?;
    let settings = settings(&options)?;
    match command.as_str() {
        "audit" => audit(&settings, options.scale),
        "coverage" => {
            let registry = Registry::read(&settings.notebooks.join("claims.toml"))?;
            let rows = Store::new(&settings.results).read()?;
            print!("{}", Coverage::of(&registry, &rows, options.scale).text());
            Ok(true)
        }
        "export" => {
            let out = options
                .out
                .ok_or_else(|| Failure::Usage("export needs --out DIR".to_string()))?;
            export_to(&settings, &out)
        }
        other => Err(Failure::Usage(format!("`{other}` is not a command"))),
    }
}

fn parse(arguments: &[String]) -> Result<Options, Failure> {
    let mut options = Options::default();
    let mut left = arguments.iter();
    while let Some(argument) = left.next() {
        let (name, inline) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (argument.as_str(), None),
        };
        if !["--notebooks", "--results", "--out", "--scale"].contains(&name) {
            return Err(Failure::Usage(format!("`{argument}` is not an option")));
        }
        let value = inline
            .or_else(|| left.next().cloned())
            .ok_or_else(|| Failure::Usage(format!("{name} needs a value")))?;
        match name {
            "--notebooks" => options.notebooks = Some(value.into()),
            "--results" => options.results = Some(value.into()),
            "--out" => options.out = Some(value.into()),
            _ => options.scale = Some(value.parse().map_err(Failure::Usage)?),
        }
    }
    Ok(options)
}

fn settings(options: &Options) -> Result<Settings, Error> {
    let mut settings = Settings::from_env_at(options.notebooks.as_deref())?;
    if let Some(results) = &options.results {
        settings.results = results.clone();
    }
    Ok(settings)
}

fn audit(settings: &Settings, scale: Option<Scale>) -> Result<bool, Failure> {
    let audit = Audit::run(settings, scale)?;
    print!("{}", audit.coverage.text());
    for problem in &audit.problems {
        eprintln!("{problem}");
    }
    println!("{} notebooks, {} problems", audit.notebooks.len(), audit.problems.len());
    Ok(audit.problems.is_empty())
}

fn export_to(settings: &Settings, out: &Path) -> Result<bool, Failure> {
    let store = Store::new(&settings.results);
    let rows = store.read()?;
    for path in export(&rows, out)? {
        println!("{}", path.display());
    }
    println!("{} rows from {}", rows.len(), store.path().display());
    Ok(true)
}
