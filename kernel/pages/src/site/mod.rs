//! `cargo workbench site`: the record as pages, from registry, ledger, findings, runs and notebooks. Nothing is computed, and the pages
//! load nothing from outside their folder.
//!
//! | file | holds |
//! | --- | --- |
//! | `facts` | what is known of each claim, what rests on what, whether it stands |
//! | `claim`, `chapter`, `sources` | a page for each claim, notebook and file of checks |
//! | `history` | which commits changed a verdict |
//! | `overview`, `errata`, `comparison` | the pages about all of them |
//! | `strip`, `axis` | a finding as a picture |
//! | `still`, `outline`, `shorter` | whether a figure of a notebook is a picture and nothing else; its letters, as fine as a screen shows them; its moves |
//! | `graph`, `layers` | claims and what they rest on as a picture, and its layout |
//! | `tree`, `sphinx` | files on disk, and the program that makes pages of them |
//! | `text`, `error` | words on their way into a page, and why there is none |

mod axis;
mod chapter;
mod claim;
mod comparison;
mod errata;
mod error;
mod facts;
mod graph;
mod history;
mod layers;
mod outline;
mod overview;
mod refereed;
mod shorter;
mod sources;
mod sphinx;
mod still;
mod strip;
mod text;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use clap::Args;
use workbench_record::{Cells, Registry, Row, Scale, Stale, Tables, Today, cells, program};

pub use error::SiteError;
use facts::Book;
use history::History;
use sphinx::Folders;
use tree::{Changes, Tree};

use crate::export;
use workbench_base::args::whole;
use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::{agree, count};
use workbench_setup::lab;
use workbench_setup::paths::Workspace;
use workbench_setup::programs;
use workbench_setup::python;
use workbench_setup::system::Machine;

/// Options of `site`.
#[derive(Args, Clone, Debug)]
pub struct SiteArgs {
    /// Folder for the site; one that is new, empty, or a site already
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Serve the pages on 127.0.0.1 when they are built, until Ctrl-C
    #[arg(long)]
    pub serve: bool,
    /// Port to serve on; without it the first free one from 8000
    #[arg(long, requires = "serve", value_parser = whole::<u16>)]
    pub port: Option<u16>,
    /// Build although rows of the record are stale; their claims say so
    #[arg(long)]
    pub stale: bool,
}

/// First port that is tried.
const FIRST_PORT: u16 = 8000;
/// Longest time for printing the errata.
const PRINTING: Duration = Duration::from_secs(60);

/// Builds the site, and serves it if asked; returns the exit status.
pub fn command(args: &SiteArgs) -> Result<i32> {
    let workspace = Workspace::find()?;
    let out = std::path::absolute(&args.out).map_err(|source| Error::io("find the folder", &args.out, source))?;
    let port = match args.serve {
        true => Some(lab::choose_port(args.port, FIRST_PORT)?),
        false => None,
    };
    let built = build(&workspace, &out, args.stale)?;
    progress::note(&format!("{} is the front page", built.folders.html.join("index.html").display()));
    match port {
        Some(port) => Err(serve(&built, port)),
        None => Ok(0),
    }
}

/// A site that was built.
#[derive(Clone, Debug)]
pub struct Built {
    /// Its folders.
    pub folders: Folders,
    /// The Python environment that built it.
    pub environment: PathBuf,
    /// What Sphinx warned of.
    pub warnings: Vec<String>,
}

/// Builds the site into a folder.
///
/// # Errors
/// [`SiteError`] for what of record, registry or notebooks makes no site; errors of the Python environment and of Sphinx.
pub fn build(workspace: &Workspace, out: &Path, stale: bool) -> Result<Built> {
    let started = Instant::now();
    // What is wrong with the record or the folder is said before anything is installed.
    let book = read(workspace, stale)?;
    tree::take(out)?;
    let environment = python::ensure_site(workspace, &Machine, &mut progress::step)?;
    progress::step(&format!("writing the site of {}", count(book.count(), "claim")));
    let folders = Folders::new(out);
    let browser = export::find_browser(&Machine);
    let changes = write(workspace, &book, &environment, &folders, out, browser.is_some())?;
    let words = match changes.written {
        1 => format!("1 of {} is new or has changed", count(changes.files, "file")),
        written => format!("{written} of {} are new or have changed", count(changes.files, "file")),
    };
    progress::note(&words);
    let spinner = progress::spinner("Sphinx makes pages of them");
    let built = sphinx::build(workspace, &environment, &folders);
    drop(spinner);
    let mut warnings = built?;
    if let Err(why) = errata_as_pdf(browser, &environment, &folders.html) {
        progress::note(&format!("no errata.pdf: {why}"));
        if browser.is_some() {
            // The page does not lead to a file that is not there.
            write(workspace, &book, &environment, &folders, out, false)?;
            warnings = sphinx::build(workspace, &environment, &folders)?;
        }
    }
    warnings.iter().for_each(|warning| progress::note(warning));
    progress::note(&format!("built in {}", progress::seconds(started.elapsed().as_secs_f64())));
    Ok(Built { folders, environment, warnings })
}

/// Prints the errata beside their page, unless the file there is of this page already.
fn errata_as_pdf(browser: Option<&str>, environment: &Path, html: &Path) -> std::result::Result<(), String> {
    let (page, pdf) = (html.join("errata.html"), html.join(errata::PDF));
    let Some(browser) = browser else {
        // One from a machine that had a browser would grow old here.
        let _ = std::fs::remove_file(&pdf);
        return Err("there is no browser on this machine to print it (`sudo apt-get install chromium`)".into());
    };
    let time = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified()).ok();
    if time(&pdf).is_some_and(|printed| time(&page).is_some_and(|written| printed >= written)) {
        return Ok(());
    }
    let spinner = progress::spinner("printing the errata");
    let (copy, fonts) = (html.join("errata-on-paper.html"), html.join(errata::FONTS));
    let printed = on_paper(environment, &page, &copy).and_then(|()| export::print_to(browser, &copy, &pdf, PRINTING));
    // They lie there for the browser alone, which may have failed before they were written.
    let _ = std::fs::remove_file(&copy);
    let _ = std::fs::remove_dir_all(&fonts);
    drop(spinner);
    printed.map_err(|error| {
        let _ = std::fs::remove_file(&pdf);
        error.to_string()
    })
}

/// A copy of the errata as they are printed. Their equations are set in fonts, whose letters a PDF holds once, and not as outlines, which it
/// holds wherever they stand.
fn on_paper(environment: &Path, page: &Path, copy: &Path) -> Result<()> {
    const LETTERS: &str = "output/chtml/fonts/woff-v2";
    let mathjax = export::pages::mathjax(environment)?;
    let from = mathjax.parent().unwrap_or(environment);
    let to = page.with_file_name(errata::FONTS);
    let failed = |source| Error::io("copy", from, source);
    std::fs::create_dir_all(to.join(LETTERS)).map_err(failed)?;
    std::fs::copy(from.join(errata::IN_FONTS), to.join(errata::IN_FONTS)).map_err(failed)?;
    for font in std::fs::read_dir(from.join(LETTERS)).map_err(failed)? {
        let font = font.map_err(failed)?;
        std::fs::copy(font.path(), to.join(LETTERS).join(font.file_name())).map_err(failed)?;
    }
    let text = std::fs::read_to_string(page).map_err(|source| Error::io("read", page, source))?;
    std::fs::write(copy, errata::on_paper(&text)).map_err(|source| Error::io("write", copy, source))
}

/// Becomes the server; comes back only if it does not start.
fn serve(built: &Built, port: u16) -> Error {
    let mut server = Command::new(built.environment.join("bin/python"));
    server
        .args(["-m", "http.server", "--bind", "127.0.0.1", "--directory"])
        .arg(&built.folders.html)
        .arg(port.to_string());
    progress::step(&format!("the site: http://127.0.0.1:{port}/   (Ctrl-C ends it)"));
    let source = programs::become_it(&mut server);
    Error::Start {
        program: "python -m http.server".into(),
        source,
        hint: "delete .workbench/site and try again".into(),
    }
}

/// Registry, record and notebooks, if they fit together.
fn read(workspace: &Workspace, stale: bool) -> Result<Book> {
    let folder = workspace.notebooks();
    let registry = Registry::read(&folder.join("claims.toml"))?;
    let (notebooks, broken) = cells::read_all(&folder)?;
    if let Some((notebook, why)) = broken.into_iter().next() {
        return Err(SiteError::Notebook { notebook, why }.into());
    }
    if let Some(notebook) = notebooks.keys().find(|name| !text::is_address(name)) {
        return Err(SiteError::Name { notebook: notebook.clone() }.into());
    }
    let tables = Tables::read(&workspace.results())?;
    tables.gaps().iter().for_each(|told| progress::note(told));
    let today = Today::new(&registry, &notebooks);
    let old: Vec<(&Row, Stale)> = tables.rows.iter().filter_map(|row| Some((row, today.stale(row)?))).collect();
    // A row of no claim has no page that could say that it is stale.
    let told = old.iter().find(|(_, why)| !stale || *why == Stale::NoClaim);
    if let Some((row, why)) = told {
        let more = match old.len() - 1 {
            0 => String::new(),
            more => format!(", and {} more", count(more, "row")),
        };
        return Err(SiteError::OtherRecord {
            claim: row.claim.clone(),
            scale: row.scale,
            seed: row.seed,
            why: *why,
            more,
            next: next(*why, &old),
        }
        .into());
    }
    let refereed = refereed::read(&registry, &folder)?;
    let mut book = Book::new(registry, tables, notebooks, |row| today.stale(row).map(|why| why.to_string()));
    book.refereed = refereed;
    book.history = History::read(workspace);
    cells_are_there(&book)?;
    Ok(book)
}

/// What to do about these rows: the commands that compute them again, one for each scale. Rows without a claim have nothing to compute.
fn next(why: Stale, old: &[(&Row, Stale)]) -> String {
    if why == Stale::NoClaim {
        return format!("put the claim back into claims.toml, or let `{} run --accept` take its rows out", program());
    }
    let mut seeds: BTreeMap<Scale, BTreeSet<u64>> = BTreeMap::new();
    for (row, _) in old.iter().filter(|(_, why)| *why != Stale::NoClaim) {
        seeds.entry(row.scale).or_default().insert(row.seed);
    }
    let commands = seeds.iter().map(|(scale, seeds)| {
        let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
        let word = agree(seeds.len(), "seed", "seeds");
        format!("`{} run --changed --scale {scale} --{word} {}`", program(), seeds.join(","))
    });
    let commands = commands.collect::<Vec<_>>().join(" and ");
    format!(
        "compute it again with {commands}, take the record of this commit from git, or mark such claims on their pages with --stale"
    )
}

/// Every claim's page has a cell to lead to.
fn cells_are_there(book: &Book) -> Result<(), SiteError> {
    for row in (0..book.count()).filter_map(|at| book.row(at)) {
        let notebook: Option<&Cells> = book.notebooks.get(&row.notebook);
        if !notebook.is_some_and(|notebook| notebook.has(&row.cell)) {
            return Err(SiteError::NoCell {
                claim: row.claim.clone(),
                notebook: row.notebook.clone(),
                cell: row.cell.clone(),
            });
        }
    }
    Ok(())
}

/// Writes everything that Sphinx reads, and the errata as files of their own.
fn write(
    workspace: &Workspace,
    book: &Book,
    environment: &Path,
    folders: &Folders,
    out: &Path,
    pdf: bool,
) -> Result<Changes> {
    let mut tree = Tree::new(&folders.source);
    let title = match workspace.is_own() {
        true => book.registry.papers().first().map(|paper| text::short(&paper.title, 60)),
        false => None,
    };
    sphinx::settings(&mut tree, title.as_deref(), environment, folders)?;
    tree.put("_templates/beside.html", overview::beside(book))?;
    tree.put(graph::NAMES, graph::names(book))?;
    tree.put("index.md", overview::index(book))?;
    tree.put("errata.md", errata::page(book, pdf))?;
    tree.put("comparison.md", comparison::page(book))?;
    tree.put("coverage.md", overview::coverage(book))?;
    for paper in book.registry.papers() {
        let map = workspace.notebooks().join("maps").join(format!("{}.md", paper.id));
        // A document whose map nobody has written has a page all the same.
        let map = std::fs::read_to_string(map).unwrap_or_default();
        tree.put(format!("documents/{}.md", paper.id), overview::document(book, paper, &map)?)?;
        tree.put(format!("graphs/{}.md", paper.id), overview::graphs(book, paper))?;
    }
    for at in 0..book.count() {
        tree.put(claim::file(&book.claim(at).id), claim::page(book, at))?;
    }
    for (id, text) in &book.refereed {
        tree.put(refereed::file(id), refereed::page(id, text))?;
    }
    for (place, text) in sources::pages(&book.registry, workspace.root())? {
        tree.put(place, text)?;
    }
    for name in book.notebooks.keys() {
        let path = workspace.notebooks().join(format!("{name}.ipynb"));
        let text = std::fs::read_to_string(&path).map_err(|source| Error::io("read", &path, source))?;
        let chapter = chapter::chapter(book, name, &text)?;
        tree.put(format!("notebooks/{name}.ipynb"), chapter.text)?;
        for (place, figure) in chapter.figures {
            tree.put(place, figure)?;
        }
    }
    for (name, text) in pages_beside(&workspace.notebooks())? {
        // A notebook of the same name is the page of that name.
        if book.notebooks.contains_key(&name) {
            continue;
        }
        let text = chapter::with_links(book, &text, &format!("{name}.md"))?;
        tree.put(format!("notebooks/{name}.md"), format!("---\norphan: true\n---\n\n{text}"))?;
    }
    let changes = tree.finish()?;
    forget(&changes, &folders.html);
    let mut beside = Tree::new(out);
    beside.put("errata.md", errata::as_markdown(book))?;
    beside.put("errata.tex", errata::as_latex(book))?;
    Ok(changes)
}

/// Pages in Markdown beside the notebooks, by name, but for the one that is for the folder.
fn pages_beside(notebooks: &Path) -> Result<BTreeMap<String, String>> {
    let mut pages = BTreeMap::new();
    for entry in std::fs::read_dir(notebooks).map_err(|source| Error::io("read", notebooks, source))?.flatten() {
        let path = entry.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_string();
        if path.extension().is_some_and(|ending| ending == "md") && name != "README" {
            let text = std::fs::read_to_string(&path).map_err(|source| Error::io("read", &path, source))?;
            pages.insert(name, text);
        }
    }
    Ok(pages)
}

/// Takes away the pages of sources that are gone; Sphinx leaves them.
fn forget(changes: &Changes, html: &Path) {
    for place in &changes.gone {
        // A page that was never built need not be taken away.
        let _ = std::fs::remove_file(html.join(place.with_extension("html")));
        let _ = std::fs::remove_file(html.join(place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{record, save, workspace};

    fn refused(workspace: &Workspace, stale: bool) -> String {
        read(workspace, stale).unwrap_err().to_string()
    }

    #[test]
    fn a_record_of_today_is_a_book() {
        let (_folder, workspace) = workspace();
        save(&workspace.results(), &record(&workspace));
        let book = read(&workspace, false).unwrap();
        assert_eq!((book.count(), book.rows(0).len(), book.rows(2).len()), (4, 2, 0));
    }

    #[test]
    fn a_ledger_of_another_commit_is_refused_or_marked() {
        let (_folder, workspace) = workspace();
        let mut tables = record(&workspace);
        tables.rows[2].code = "0000000000000000".into();
        tables.rows[1].code = "0000000000000000".into();
        save(&workspace.results(), &tables);
        let error = refused(&workspace, false);
        for part in [
            "`m/a` (quick, seed 2)",
            "code of its check has changed",
            "1 row more",
            "`cargo workbench run --changed --scale quick --seeds 1,2`",
        ] {
            assert!(error.contains(part), "{error}");
        }
        let book = read(&workspace, true).unwrap();
        assert!(book.facts(1).stale.is_some() && book.facts(2).stale.is_none());
        tables.rows[0].claim = "m/zz".into();
        save(&workspace.results(), &tables);
        assert!(refused(&workspace, true).contains("`m/zz`"), "a row of no claim is refused in any case");
    }

    #[test]
    fn a_page_without_its_cell_an_unknown_id_and_a_circle_are_named() {
        let (folder, workspace) = workspace();
        let mut tables = record(&workspace);
        tables.rows.iter_mut().for_each(|row| row.cell = "gone".into());
        save(&workspace.results(), &tables);
        let error = refused(&workspace, true);
        for part in ["`m/a`", "memory-model.ipynb", "`gone`", "cargo workbench run --notebook memory-model"] {
            assert!(error.contains(part), "{error}");
        }
        let claims = folder.path().join("notebooks/claims.toml");
        let text = std::fs::read_to_string(&claims).unwrap();
        for (uses, part) in [("m/zz", "m/zz"), ("m/a", "m/a -> m/a")] {
            let with = text.replacen("open = \"\"", &format!("open = \"\"\nuses = [\"{uses}\"]"), 1);
            std::fs::write(&claims, with).unwrap();
            assert!(refused(&workspace, true).contains(part));
        }
    }

    #[test]
    fn a_broken_notebook_is_named() {
        let (folder, workspace) = workspace();
        save(&workspace.results(), &record(&workspace));
        std::fs::write(folder.path().join("notebooks/memory-model.ipynb"), "{").unwrap();
        assert!(refused(&workspace, false).contains("notebook memory-model cannot be made a chapter"));
    }

    #[test]
    fn a_notebook_whose_name_would_be_script_is_refused() {
        let (folder, workspace) = workspace();
        save(&workspace.results(), &record(&workspace));
        let notebooks = folder.path().join("notebooks");
        let copy = notebooks.join("x';alert(1);'.ipynb");
        std::fs::copy(notebooks.join("memory-model.ipynb"), copy).unwrap();
        assert!(refused(&workspace, false).contains("rename the file"));
    }
}
