//! The command line: `cargo workbench COMMAND`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::install::InstallArgs;
use workbench_base::ending::{end_with_the_reader, status};
use workbench_jupyter::ConnectionArgs;
use workbench_pages::export::ExportArgs;
use workbench_pages::rustdoc::DocArgs;
use workbench_pages::site::SiteArgs;
use workbench_queries::certify::CertifyArgs;
use workbench_queries::diff::DiffArgs;
use workbench_queries::list::ListArgs;
use workbench_record::program;
use workbench_run::args::RunArgs;
use workbench_setup::SetupArgs;
use workbench_setup::lab::LabArgs;
use workbench_setup::paths::Workspace;
use workbench_setup::programs::{self, Words};
use workbench_setup::verify_options::Options as VerifyOptions;
use workbench_tools::bundle::BundleArgs;
use workbench_tools::lint::LintArgs;
use workbench_tools::new::NewArgs;
use workbench_tools::power::PowerArgs;
use workbench_tools::test::TestArgs;

/// Rust notebooks that recompute what papers claim.
#[derive(Debug, Parser)]
#[command(name = "workbench", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run notebooks headless and print the verdict of every claim
    Run(RunArgs),
    /// Run checks of claims without a kernel and compare their verdicts with the committed ones
    Verify(VerifyOptions),
    /// Compute a grid of parameters times seeds in shards, here or on a cluster
    #[command(disable_help_flag = true)]
    Sweep(Words),
    /// Open the notebooks in JupyterLab on this machine
    Lab(LabArgs),
    /// Check everything: format, lints, tests, every notebook, the ledger
    Test(TestArgs),
    /// List claims with their verdicts, numbers and seeds, and what is stale or open
    List(ListArgs),
    /// Compare two records, runs or revisions: verdicts and findings
    Diff(DiffArgs),
    /// Write a page that says who ran what, where, when, with which result
    Certify(CertifyArgs),
    /// Begin a claim: its row, its check, its section of a notebook
    New(NewArgs),
    /// Look at how the notebooks read, and hold the numbers in their prose to the record
    Lint(LintArgs),
    /// Plant faults in the methods and report which of them some verdict catches
    Power(PowerArgs),
    /// Write the record as CSV and Parquet, the table of claims as Markdown and LaTeX, and notebooks as pages if asked
    Export(ExportArgs),
    /// Build the record as a site: a page for each claim, its findings as pictures, what rests on what, the notebooks
    Site(SiteArgs),
    /// Write the pages of the crates with their equations set
    Doc(DocArgs),
    /// Check this machine and say what to do about what is missing
    Doctor,
    /// Measure the kernel beside stock evcxr and Python
    #[command(disable_help_flag = true)]
    Bench(Words),
    /// Build everything and install JupyterLab into the project, without starting anything
    Setup(SetupArgs),
    /// Install the kernel for this user's Jupyter, or into an environment
    Install(InstallArgs),
    /// Make a bundle that compares and times a GPU on a machine that has nothing of the project
    Bundle(BundleArgs),
    /// The Jupyter kernel
    #[command(hide = true)]
    Kernel(ConnectionArgs),
}

/// Commands that work in a checkout of Workbench alone.
const OF_A_CHECKOUT: [&str; 4] = ["sweep", "test", "bench", "bundle"];

/// The command line as it is here: a project of one's own is not offered what it does not have.
fn cli(own: bool) -> clap::Command {
    let all = Cli::command().mut_subcommand("verify", |verify| verify.mut_arg("sweeps", |sweeps| sweeps.hide(own)));
    OF_A_CHECKOUT.into_iter().fold(all, |all, name| all.mut_subcommand(name, |command| command.hide(own)))
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let line: Vec<OsString> = std::env::args_os().collect();
    let command = match programs::asks_for_help(&line) {
        Some(words) => Command::Bench(words),
        None => {
            let own = Workspace::find().is_ok_and(|workspace| workspace.is_own());
            let matches = cli(own).bin_name(program()).get_matches_from(&line);
            Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()).command
        }
    };
    if !matches!(command, Command::Kernel(_)) {
        end_with_the_reader();
    }
    status(match command {
        Command::Run(args) => workbench_run::command(&args).map_err(anyhow::Error::from),
        Command::Verify(options) => {
            programs::verify(&options, line.get(2..).unwrap_or_default()).map_err(anyhow::Error::from)
        }
        Command::Sweep(words) => programs::sweep(&words).map_err(anyhow::Error::from),
        Command::Lab(args) => workbench_setup::lab::command(&args).map_err(anyhow::Error::from),
        Command::Test(args) => workbench_tools::test::command(&args).map_err(anyhow::Error::from),
        Command::Power(args) => workbench_tools::power::command(&args).map_err(anyhow::Error::from),
        Command::Export(args) => workbench_pages::export::command(&args).map_err(anyhow::Error::from),
        Command::Site(args) => workbench_pages::site::command(&args).map_err(anyhow::Error::from),
        Command::List(args) => workbench_queries::list::command(&args).map_err(anyhow::Error::from),
        Command::New(args) => workbench_tools::new::command(&args).map_err(anyhow::Error::from),
        Command::Lint(args) => workbench_tools::lint::command(&args).map_err(anyhow::Error::from),
        Command::Diff(args) => workbench_queries::diff::command(&args).map_err(anyhow::Error::from),
        Command::Certify(args) => workbench_queries::certify::command(&args).map_err(anyhow::Error::from),
        Command::Doc(args) => workbench_pages::rustdoc::command(&args).map_err(anyhow::Error::from),
        Command::Doctor => Ok(crate::doctor::command()),
        Command::Bench(words) => programs::bench(&words).map_err(anyhow::Error::from),
        Command::Bundle(args) => workbench_tools::bundle::command(&args).map_err(anyhow::Error::from),
        Command::Install(args) => crate::install::command(&args).map_err(anyhow::Error::from),
        Command::Setup(args) => workbench_setup::command(&args).map_err(anyhow::Error::from),
        Command::Kernel(args) => workbench_jupyter::serve(&args.file).map(|()| 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_project_of_ones_own_is_offered_what_works_there() {
        let offered = |own: bool, name: &str| {
            let help = cli(own).render_long_help().to_string();
            help.lines().any(|line| line.trim_start().split(' ').next() == Some(name))
        };
        for name in OF_A_CHECKOUT {
            assert!(offered(false, name) && !offered(true, name), "{name}");
        }
        assert!(["run", "verify", "lint", "power", "site"].into_iter().all(|name| offered(true, name)));
    }

    #[test]
    fn the_words_of_the_benchmarks_are_passed_on_as_they_stand() {
        for words in [&["--help"][..], &["kernel", "--help"], &["lfom", "--seconds=-1", "-x"], &[]] {
            let line = [&["workbench", "bench"], words].concat();
            let Command::Bench(passed) = Cli::parse_from(line).command else {
                panic!("bench did not parse as bench");
            };
            assert_eq!(passed.words, words);
        }
    }

    #[test]
    fn defaults_of_the_parser_and_of_the_type_agree() {
        let Command::Run(parsed) = Cli::parse_from(["workbench", "run"]).command else {
            panic!("run did not parse as run");
        };
        assert_eq!(format!("{parsed:?}"), format!("{:?}", RunArgs::default()));
    }

    #[test]
    fn bad_numbers_are_refused() {
        for bad in ["-1", "nan", "inf", "soon"] {
            let parsed = Cli::try_parse_from(["workbench", "run", &format!("--timeout={bad}")]);
            assert!(parsed.is_err(), "{bad}");
        }
        for bad in [
            &["--scale", "huge"][..],
            &["--jobs", "0"],
            &["--seed", "-1"],
            &["--seed", "2", "--seeds", "1..3"],
            &["--resume", "r", "--claim", "a/1"],
        ] {
            let line = [&["workbench", "run"], bad].concat();
            assert!(Cli::try_parse_from(line).is_err(), "{bad:?}");
        }
        for bad in [&["--jobs", "0"][..], &["--seeds", "3..1"], &["--scale", "big"], &["--scal", "quick"]] {
            let said = Cli::try_parse_from([&["workbench", "verify"], bad].concat()).unwrap_err().to_string();
            assert!(said.contains(bad[0]) && !said.contains("non-zero type"), "{said}");
        }
        assert!(Cli::try_parse_from(["workbench", "run", "--resume", "--jobs", "2"]).is_ok());
    }
}
