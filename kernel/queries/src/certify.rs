//! `cargo workbench certify`: writes down what the record says, for others to check, and checks what others wrote down.

use std::path::{Path, PathBuf};

use clap::Args;
use workbench_record::{Run, Scale, Tables, atomic, digest, program};

use super::certificate::{Certificate, Order, TITLE, falsified};
use super::git::Git;
use super::present::Present;
use super::seal::Seal;
use super::source::{RECORD, Source};
use super::{chosen, page};
use workbench_base::error::{Error, Result};
use workbench_base::text::count;
use workbench_setup::paths::Workspace;

/// Options of `certify`.
#[derive(Args, Clone, Debug, Default)]
#[command(
    after_help = "With --check, the exit status is 0 if the numbers are the same, in the record and on the page, and 1 if they differ."
)]
pub struct CertifyArgs {
    /// Only claims whose id matches
    #[arg(value_name = "GLOB")]
    pub claims: Option<String>,
    /// Certify this run, by its id or the beginning of it, instead of the record
    #[arg(long, value_name = "ID")]
    pub run: Option<String>,
    /// Only rows of this scale
    #[arg(long, value_name = "quick|paper")]
    pub scale: Option<Scale>,
    /// Folder for certificate.md and certificate.html instead of the one of the tables
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Who certifies, instead of git's user.name
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// Compare a certificate with the record or run that it names, or with the run of --run
    #[arg(long, value_name = "FILE", conflicts_with_all = ["claims", "scale", "out", "by"])]
    pub check: Option<PathBuf>,
}

/// Writes a certificate, or checks one; the exit status is 1 if the one that is checked has other numbers.
///
/// # Errors
/// If there is nothing to certify, the run is unknown, a table is corrupt, or the file to check is no certificate.
pub fn command(args: &CertifyArgs) -> Result<i32> {
    let workspace = Workspace::find()?;
    match &args.check {
        Some(file) => check(file, args.run.as_deref(), &workspace),
        None => write(args, &workspace),
    }
}

fn write(args: &CertifyArgs, workspace: &Workspace) -> Result<i32> {
    let mut source = match &args.run {
        Some(run) => Source::run(run, "--run", workspace)?,
        None => Source::record(workspace)?,
    };
    let present = Present::read(workspace)?;
    committed_since(&mut source.tables.runs, &present, workspace);
    let patterns: Vec<String> = args.claims.iter().cloned().collect();
    let claims = chosen(&present.registry, &patterns)?;
    let by = args.by.clone().or_else(|| Git::at(workspace.root()).user_name());
    let certificate = Certificate::new(&Order {
        source: &source,
        present: &present,
        scale: args.scale,
        claims: claims.as_ref(),
        pattern: args.claims.as_deref(),
        by: by.as_deref().map(str::trim).filter(|by| !by.is_empty()),
    })
    .map_err(|why| match args.run {
        Some(_) => Error::Option { option: "--run", value: source.name.clone(), why },
        None => Error::Asked(format!("certify the record: {why}").into()),
    })?;
    let out = match (&args.out, &source.folder) {
        (Some(out), _) => out.clone(),
        (None, Some(folder)) => folder.clone(),
        (None, None) => workspace.results(),
    };
    let Certificate { blocks, seal, stale, bare } = certificate;
    for name in ["certificate.md", "certificate.html"] {
        let form = if name.ends_with("md") { page::to_markdown } else { page::to_html };
        let sealed = seal.of_page(&form(TITLE, &blocks, ""));
        let text = form(TITLE, &blocks, &sealed.block());
        let path = out.join(name);
        atomic::write(&path, text.as_bytes()).map_err(|source| Error::io("write", &path, source))?;
        println!("{}", path.display());
    }
    println!("sha256 {}", seal.digest);
    println!("{}, {}", count(seal.rows, "row"), count(seal.findings, "finding"));
    Tables::told_bare(bare).into_iter().for_each(|told| println!("{told}"));
    if stale > 0 {
        println!(
            "not certified: {} that stale checks computed; `{} list --stale` says why",
            count(stale, "row"),
            program()
        );
    }
    Ok(0)
}

/// A run whose sources were committed after it, as a record is committed with what computed it, ran as that commit has it.
fn committed_since(runs: &mut [Run], present: &Present, workspace: &Workspace) {
    let lock = std::fs::read(workspace.root().join("Cargo.lock")).map_or(String::new(), digest::of);
    let is_ours = |run: &&mut Run| run.dirty && run.source == present.source && run.lock == lock;
    let mut ours = runs.iter_mut().filter(is_ours).peekable();
    if ours.peek().is_none() {
        return;
    }
    if let Some(commit) = Git::at(workspace.root()).unchanged() {
        ours.for_each(|run| (run.commit, run.dirty) = (commit.clone(), false));
    }
}

fn check(file: &Path, run: Option<&str>, workspace: &Workspace) -> Result<i32> {
    let bytes = std::fs::read(file).map_err(|source| Error::io("read the certificate", file, source))?;
    let refused = |why: String| Error::Option { option: "--check", value: file.display().to_string(), why };
    let text = String::from_utf8(bytes).map_err(|_| refused("it is no text, so it is no certificate".to_string()))?;
    let seal = Seal::parse(&text).map_err(refused)?;
    let source = match run {
        Some(run) => Source::run(run, "--run", workspace)?,
        None if seal.of == RECORD => Source::record(workspace)?,
        // Made elsewhere, it names a run that is not here.
        None => Source::run(&seal.of, "the run that the certificate names", workspace)?,
    };
    let mut differences = seal.check(&source.tables);
    if differences.is_empty() {
        differences = falsified(&text, &source, &seal.keys());
    }
    if differences.is_empty() && !seal.has_text(&text) {
        differences.push("the page is not the one that was sealed: its text has been changed".to_string());
    }
    if differences.is_empty() {
        println!("same: sha256 {}", seal.digest);
        println!("{}, {}, as in {}", count(seal.rows, "row"), count(seal.findings, "finding"), source.title());
        return Ok(0);
    }
    println!("different from {}", source.title());
    for difference in &differences {
        println!("  {difference}");
    }
    println!("{} from sha256 {}", count(differences.len(), "difference"), seal.digest);
    Ok(1)
}

#[cfg(test)]
mod tests {
    use super::super::runs::tests::plan_text;
    use super::*;
    use crate::fixtures::{record, run, save, workspace};
    use workbench_record::Verdict;

    fn args() -> CertifyArgs {
        CertifyArgs { by: Some("A. Reader".into()), ..CertifyArgs::default() }
    }

    fn both(workspace: &Workspace) -> [String; 2] {
        ["certificate.md", "certificate.html"]
            .map(|name| std::fs::read_to_string(workspace.results().join(name)).unwrap())
    }

    #[test]
    fn a_certificate_says_who_what_and_where_and_checks_in_both_forms() {
        let (_folder, workspace) = workspace();
        save(&workspace.results(), &record(&workspace));
        assert_eq!(write(&args(), &workspace).unwrap(), 0);
        let pages = both(&workspace);
        for page in &pages {
            for part in [
                "A. Reader",
                "2 claims, 3 rows, 3 findings",
                "scale quick with seed 1, 2",
                "0123456789abcdef0123456789abcdef01234567",
                "as committed",
                "rustc 1.95.0",
                "OpenBLAS 0.3",
                "1 min 01 s",
                "needs data that nobody has",
                "git checkout 0123456789abcdef",
                "cargo workbench run --scale quick --seeds 1,2",
                "cargo workbench certify --check certificate.md",
            ] {
                assert!(page.contains(part), "{part}\n{page}");
            }
            assert!(!page.contains("does not cover") && !page.contains("Some of it was computed"), "{page}");
        }
        assert!(pages[0].contains("| A &lt;small&gt; memory | 2 | 4 |"), "{}", pages[0]);
        assert!(pages[0].contains(
            "| `m/a` | Lemma 1 \\| &lt;x&gt; | holds | 1.02 \\[1.01, 1.03\\] | 1 ± 0.1 |  | quick | 1 2 | `r1` |"
        ));
        assert!(pages[1].contains("<td>Lemma 1 | &lt;x&gt;</td><td>holds</td>"));
        for name in ["certificate.md", "certificate.html"] {
            assert_eq!(check(&workspace.results().join(name), None, &workspace).unwrap(), 0);
        }
        write(&args(), &workspace).unwrap();
        assert_eq!(both(&workspace), pages, "the same record gives the same bytes");
    }

    #[test]
    fn a_page_that_says_something_else_than_its_record_is_told() {
        let (_folder, workspace) = workspace();
        save(&workspace.results(), &record(&workspace));
        write(&args(), &workspace).unwrap();
        let pages = both(&workspace);
        for (page, from, to) in [
            (&pages[0], "| holds | 1.02", "| fails | 1.02"),
            (&pages[0], r"1.02 \[1.01", r"0.02 \[1.01"),
            (&pages[0], "| fails | 0 | 0 |", "| fails | 1 | 1 |"),
            (&pages[0], "A. Reader", "Another"),
            (&pages[1], "<td>holds</td><td>1.02", "<td>fails</td><td>1.02"),
        ] {
            assert!(page.contains(from), "{from}");
            let file = workspace.results().join("changed");
            std::fs::write(&file, page.replacen(from, to, 1)).unwrap();
            assert_eq!(check(&file, None, &workspace).unwrap(), 1, "{from}");
            std::fs::write(&file, page.replace('\n', "\r\n")).unwrap();
            assert_eq!(check(&file, None, &workspace).unwrap(), 0);
        }
    }

    #[test]
    fn findings_that_are_gone_are_told() {
        let (_folder, workspace) = workspace();
        let mut tables = record(&workspace);
        tables.findings.clear();
        save(&workspace.results(), &tables);
        write(&args(), &workspace).unwrap();
        assert!(both(&workspace)[0].contains("The findings of 3 rows are in no table"), "{}", both(&workspace)[0]);
    }

    #[test]
    fn a_record_that_is_committed_with_its_sources_is_of_that_commit() {
        let (folder, workspace) = workspace();
        let mut tables = record(&workspace);
        tables.runs.iter_mut().for_each(|run| run.dirty = true);
        std::fs::write(folder.path().join("Cargo.lock"), "lock").unwrap();
        tables.runs.iter_mut().for_each(|run| run.lock = digest::of("lock"));
        save(&workspace.results(), &tables);
        write(&args(), &workspace).unwrap();
        assert!(both(&workspace)[0].contains("Some of it was computed from sources that differ"));
        crate::fixtures::commit_all(folder.path());
        write(&args(), &workspace).unwrap();
        let [page, _] = both(&workspace);
        let commit = Git::at(folder.path()).commit("HEAD").unwrap();
        assert!(page.contains("as committed") && page.contains(&format!("git checkout {commit}")), "{page}");
    }

    #[test]
    fn stale_rows_are_said_at_the_top_and_left_out_of_the_digest() {
        let (_folder, workspace) = workspace();
        let mut tables = record(&workspace);
        tables.rows[2].code = "another".into();
        let commit = std::mem::take(&mut tables.runs[0].commit);
        save(&workspace.results(), &tables);
        write(&args(), &workspace).unwrap();
        let [page, _] = both(&workspace);
        assert!(page.contains("of no commit that is known") && !page.contains("as committed"), "{page}");
        tables.runs[0].commit = commit;
        tables.runs[0].dirty = true;
        tables.runs[0].source = "another".into();
        save(&workspace.results(), &tables);
        write(&args(), &workspace).unwrap();
        let [page, _] = both(&workspace);
        let top = page.find("This certificate does not cover 1 row of 1 claim").unwrap();
        assert!(top < page.find("A verdict is").unwrap());
        assert!(
            page.contains("| `m/b` | Lemma 1 \\| &lt;x&gt; | quick | 1 | the code of its check has changed"),
            "{page}"
        );
        assert!(page.contains("Some of it was computed from sources that differ"));
        assert!(page.contains("The sources of the crate have changed since"));
        // What it leaves out may change.
        tables.rows[2].verdict = Verdict::Fails;
        save(&workspace.results(), &tables);
        let file = workspace.results().join("certificate.md");
        assert_eq!(check(&file, None, &workspace).unwrap(), 0);
        tables.rows[0].verdict = Verdict::Fails;
        save(&workspace.results(), &tables);
        assert_eq!(check(&file, None, &workspace).unwrap(), 1);
    }

    #[test]
    fn a_run_is_certified_in_its_folder_and_compared_with_another() {
        let (_folder, workspace) = workspace();
        let mut tables = record(&workspace);
        tables.rows.remove(1);
        tables.findings.remove(1);
        let folder = |id: &str| workspace.results().join("runs").join(id);
        save(&folder("r1"), &tables);
        std::fs::write(folder("r1").join("run.json"), plan_text("r1")).unwrap();
        let some = CertifyArgs { run: Some("r".into()), claims: Some("m/a".into()), ..args() };
        write(&some, &workspace).unwrap();
        let file = folder("r1").join("certificate.md");
        let page = std::fs::read_to_string(&file).unwrap();
        for part in [
            "**Run:** `r1`",
            "**Claims chosen by:** `m/a`",
            "but the same with other values: n = 3.",
            "did not come to its end",
            "run --scale quick --seed 1 --claim 'm/a' --param 'n=3'",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        tables.rows.iter_mut().for_each(|row| row.run = "r2".into());
        tables.runs = vec![run(&workspace, "r2", Scale::Quick, 1)];
        save(&folder("r2"), &tables);
        assert_eq!(check(&file, None, &workspace).unwrap(), 0);
        assert_eq!(check(&file, Some("r2"), &workspace).unwrap(), 0);
        std::fs::remove_dir_all(folder("r1")).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let copy = elsewhere.path().join("c.md");
        std::fs::write(&copy, page).unwrap();
        let error = check(&copy, None, &workspace).unwrap_err().to_string();
        assert!(error.contains("the run that the certificate names") && error.contains("r1"), "{error}");
        assert_eq!(check(&copy, Some("r2"), &workspace).unwrap(), 0);
    }

    #[test]
    fn of_a_part_of_the_notebooks_only_that_part_is_run_again() {
        let (folder, workspace) = workspace();
        std::fs::copy(
            folder.path().join("notebooks/memory-model.ipynb"),
            folder.path().join("notebooks/memory-later.ipynb"),
        )
        .unwrap();
        let registry = folder.path().join("notebooks/claims.toml");
        let text = std::fs::read_to_string(&registry).unwrap();
        std::fs::write(&registry, text.replace("needs data that nobody has", "")).unwrap();
        let mut tables = record(&workspace);
        tables.rows[2].verdict = Verdict::NotTested;
        tables.rows[2].note = "no time".into();
        tables.rows[1].run = String::new();
        save(&workspace.results(), &tables);
        write(&args(), &workspace).unwrap();
        let [page, _] = both(&workspace);
        assert!(page.contains("run --scale quick --seed 1 --notebook memory-model\n"), "{page}");
        assert!(page.contains("| `m/b` | Lemma 1 \\| &lt;x&gt; | no time |"), "{page}");
        assert!(page.contains("does not say who computed them") && page.contains("not named"), "{page}");
    }

    #[test]
    fn nothing_to_certify_an_unknown_run_and_a_file_that_is_none_are_errors() {
        let (_folder, workspace) = workspace();
        let refused = |args: CertifyArgs| write(&args, &workspace).unwrap_err().to_string();
        assert!(refused(args()).contains("no row to certify; run `cargo workbench run`"));
        let mut tables = record(&workspace);
        save(&workspace.results(), &tables);
        let scale = Some(Scale::Paper);
        assert!(refused(CertifyArgs { scale, ..args() }).contains("no row of scale paper"));
        assert!(refused(CertifyArgs { run: Some("zz".into()), ..args() }).contains("none begins with it"));
        assert!(refused(CertifyArgs { claims: Some("n/*".into()), ..args() }).contains("n/*"));
        tables.rows.iter_mut().for_each(|row| row.statement = "another".into());
        save(&workspace.results(), &tables);
        assert!(refused(args()).contains("its 3 rows are stale"));
        save(&workspace.results(), &Tables::default());
        let file = workspace.results().join("ledger.csv");
        let error = check(&file, None, &workspace).unwrap_err().to_string();
        assert!(error.contains("--check") && error.contains("no certificate"), "{error}");
        std::fs::write(&file, [0xff, 0xfe]).unwrap();
        assert!(check(&file, None, &workspace).unwrap_err().to_string().contains("it is no text"));
        assert!(check(Path::new("/no/such/file"), None, &workspace).is_err());
    }
}
