//! A command that another program of the workspace carries out: it is built where it is missing or old, and takes this one's place.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use workbench_record::{Registry, program};

use crate::building::{Work, watched};
use crate::cargo::cargo;
use crate::packages::{metadata, needed_packages};
use crate::paths::{Workspace, build_folder};
use crate::project::Project;
use crate::system::Machine;
use crate::verify_options::Options;
use crate::{features, own};
use workbench_base::error::{Error, Result};
use workbench_base::progress;

/// The benchmarks.
const BENCH: &str = "workbench-bench";
/// The checks that need no kernel.
const VERIFY: &str = "workbench-verify";
/// The sweeps.
pub const SWEEP: &str = "workbench-sweep";

/// Words that are passed on as they stand, `--help` too.
#[derive(Args, Clone, Debug)]
pub struct Words {
    /// The words
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub words: Vec<OsString>,
}

/// The words of `help bench ...`: the other program knows what they ask for.
pub fn asks_for_help(line: &[OsString]) -> Option<Words> {
    match line {
        [_, help, bench, rest @ ..] if help == "help" && bench == "bench" => {
            Some(Words { words: std::iter::once(help).chain(rest).cloned().collect() })
        }
        _ => None,
    }
}

/// `cargo workbench bench`; returns only on failure.
pub fn bench(args: &Words) -> Result<i32> {
    let Some(workspace) = checkout_unless_help("bench", &args.words)? else { return Ok(0) };
    let mut command = Command::new(for_help(BENCH, &args.words).map_or_else(|| built(&workspace, BENCH, &[]), Ok)?);
    command.args(&args.words);
    Err(not_started(&mut command))
}

/// `cargo workbench verify` with these options, which the program that knows the checks is given as the words that they were; returns only
/// on failure.
pub fn verify(options: &Options, words: &[OsString]) -> Result<i32> {
    let workspace = Workspace::find()?;
    fit_something(&workspace, &options.globs)?;
    let mut command = match workspace.is_own() {
        false => to_compute(&workspace, VERIFY, words)?,
        true if options.sweeps.is_some() => {
            return Err(Error::Asked("verify: --sweeps is for a checkout of Workbench; leave it away".into()));
        }
        true => {
            let mut command = Command::new(own_program(&workspace)?);
            command.arg("verify").args(words);
            command
        }
    };
    command.arg("--notebooks").arg(workspace.notebooks());
    Err(not_started(&mut command))
}

/// Refuses a registry that is damaged and a pattern that fits no claim before a build that takes minutes.
fn fit_something(workspace: &Workspace, patterns: &[String]) -> Result<()> {
    let registry = Registry::read(&workspace.notebooks().join("claims.toml"))?;
    patterns.iter().try_for_each(|pattern| registry.matching(pattern).map(drop))?;
    Ok(())
}

/// `cargo workbench sweep`; returns only on failure.
pub fn sweep(args: &Words) -> Result<i32> {
    let Some(workspace) = checkout_unless_help("sweep", &args.words)? else { return Ok(0) };
    let mut command = to_compute(&workspace, SWEEP, &args.words)?;
    command.env("WORKBENCH_ROOT", workspace.root());
    Err(not_started(&mut command))
}

/// The program of a reader's own project, which runs its checks and knows its tables; built where it is missing or old.
///
/// # Errors
/// No `src/main.rs`, or one that does not compile.
pub fn own_program(workspace: &Workspace) -> Result<PathBuf> {
    own::ensure_crates(workspace)?;
    let project = Project::at(workspace.root());
    project.usable().map_err(|why| Error::Room(why.into()))?;
    let program = &project.library.package;
    let mut total = 0;
    if !project.built().join(program).is_file() {
        progress::step(&format!(
            "building {program} and what it stands on, once: some minutes, most of them for polars"
        ));
        total = needed_packages(&own::metadata(workspace)?, &[program]).len();
    }
    let work = told(cargo(workspace).args(["build", "--bin", program]), total)?;
    if work.status.success() {
        return Ok(project.built().join(program));
    }
    let halves = does_not_fit(&work.said);
    Err(Error::Failed {
        what: format!("building the program {program}"),
        status: work.status.to_string(),
        hint: halves.unwrap_or_else(|| mending(workspace.root(), &project.library.name)),
        tail: String::new(),
    })
}

/// What to do where the linker misses symbols of Workbench's crates: they were compiled, and what a build left that was cut off, or
/// whose sources changed meanwhile, does not fit together.
fn does_not_fit(said: &str) -> Option<String> {
    said.lines().find(|line| line.contains("undefined") && line.contains("symbol"))?;
    Some("parts of an earlier build do not fit together, as after one that was cut off: `cargo clean`, then try again; that compiles \
          everything once more".into())
}

/// What to do where the program of a reader's own project does not build.
fn mending(root: &Path, library: &str) -> String {
    match root.join("src/main.rs").is_file() {
        true => "mend what cargo names above, and try again".into(),
        false => format!(
            "write src/main.rs: fn main() -> std::process::ExitCode {{ workbench_program::main(&{library}::all()) }}"
        ),
    }
}

/// The call of a program that computes, with the OpenBLAS that it needs and the GPU setting.
fn to_compute(workspace: &Workspace, program: &str, words: &[OsString]) -> Result<Command> {
    let environment = crate::environment(workspace, &Machine, &mut progress::step)?;
    let built = || built(workspace, program, &environment);
    let mut command = Command::new(for_help(program, words).map_or_else(built, Ok)?);
    command.args(words).envs(environment);
    Ok(command)
}

/// The program as it stands there, where only its help is asked for: that waits for no build.
fn for_help(program: &str, words: &[OsString]) -> Option<PathBuf> {
    let path = build_folder().ok()?.join(program);
    (asks(words) && path.is_file()).then_some(path)
}

/// Whether these words ask for help.
fn asks(words: &[OsString]) -> bool {
    let asks = |word: &OsString| ["--help", "-h", "help"].iter().any(|help| word == help);
    words.iter().take_while(|word| *word != "--").any(asks)
}

/// The checkout; none where there is none and only help is asked for, which says so.
fn checkout_unless_help(name: &str, words: &[OsString]) -> Result<Option<Workspace>> {
    match Workspace::checkout(name) {
        Err(_) if asks(words) => {
            println!(
                "{} {name}: works in a clone of Workbench's repository, and `--help` lists its options there",
                program()
            );
            Ok(None)
        }
        found => found.map(Some),
    }
}

fn not_started(command: &mut Command) -> Error {
    let source = become_it(command);
    Error::Start {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
        hint: format!("build again with `{} setup`", program()),
    }
}

/// Has cargo build a program if it is missing or old. The workspace is always named: other features of its packages would
/// be another build of them all.
pub fn built(workspace: &Workspace, program: &str, environment: &[(String, String)]) -> Result<PathBuf> {
    let failed = |what: String, status: String, hint: &str| Error::Failed {
        what,
        status,
        hint: hint.into(),
        tail: String::new(),
    };
    let path = build_folder()?.join(program);
    let features = features::args_of(workspace)?;
    let mut total = 0;
    if !path.is_file() {
        progress::step(&format!("building {program}"));
        total = needed_packages(&metadata(workspace, &features)?, &[program]).len();
    }
    let mut command = cargo(workspace);
    command.args(["build", "--workspace", "--locked", "--bin", program]).args(&features);
    let status = told(command.envs(environment.iter().cloned()), total)?.status;
    if !status.success() {
        let what = format!("building {program}");
        return Err(failed(what, status.to_string(), "cargo says above what is wrong"));
    }
    if !path.is_file() {
        return Err(failed(
            format!("the build ended well but {program} is not beside the binary"),
            path.display().to_string(),
            "run through `cargo workbench`, which uses the profile that the build uses",
        ));
    }
    Ok(path)
}

/// Has cargo build, shows how far it is, and then what the compiler says.
fn told(command: &mut Command, total: usize) -> Result<Work> {
    command.arg("--message-format=json-render-diagnostics");
    if progress::is_terminal() {
        command.arg("--color=always");
    }
    let work = watched(command, total)?;
    eprint!("{}", work.complaints());
    Ok(work)
}

/// Replaces this process, so that signals and the terminal are the other program's own; returns only on failure.
#[cfg(unix)]
pub fn become_it(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// The same where a process cannot be replaced.
#[cfg(not(unix))]
pub fn become_it(command: &mut Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_project_without_its_program_is_told_to_write_it() {
        let folder = tempfile::tempdir().unwrap();
        let said = mending(folder.path(), "my_paper");
        assert!(said.starts_with("write src/main.rs") && said.contains("main(&my_paper::all())"), "{said}");
        std::fs::create_dir(folder.path().join("src")).unwrap();
        std::fs::write(folder.path().join("src/main.rs"), "fn main() {}").unwrap();
        assert_eq!(mending(folder.path(), "my_paper"), "mend what cargo names above, and try again");
        let halves = does_not_fit("error: linking failed\nrust-lld: error: undefined hidden symbol: kind.llvm.20\n");
        assert!(halves.unwrap().contains("`cargo clean`") && does_not_fit("error[E0308]: mismatched types").is_none());
    }

    #[test]
    fn a_pattern_that_fits_no_claim_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("workbench/Cargo.toml", "");
        write("kernel/Cargo.toml", "");
        let claim = "id = \"m/a\"\npaper = \"m\"\nwhere = \"w\"\nkind = \"lemma\"\nsays = \"s\"\nsetup = \"s\"\ncheck = \"c\"\n";
        let rest = "reach = \"gpu\"\nnotebook = \"n\"\n";
        write("notebooks/claims.toml", &format!("[[paper]]\nid = \"m\"\ntitle = \"t\"\n[[claim]]\n{claim}{rest}"));
        let workspace = Workspace::at(folder.path()).unwrap();
        let asked =
            |words: &[&str]| fit_something(&workspace, &words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(asked(&["m/*"]).is_ok() && asked(&[]).is_ok());
        assert!(asked(&["m/a", "x/*"]).unwrap_err().to_string().contains("no claim matches"));
    }

    #[test]
    fn a_question_for_help_about_the_benchmarks_is_passed_on() {
        let line = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let asked = |words: &[&str]| asks_for_help(&line(words)).map(|passed| passed.words);
        assert_eq!(asked(&["workbench", "help", "bench"]), Some(line(&["help"])));
        assert_eq!(asked(&["workbench", "help", "bench", "lfom"]), Some(line(&["help", "lfom"])));
        assert_eq!(asked(&["workbench", "help", "run"]), None);
        assert_eq!(asked(&["workbench", "bench", "help"]), None);
    }
}
