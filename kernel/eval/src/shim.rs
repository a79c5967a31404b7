//! The `cargo` that evcxr sees.
//!
//! evcxr compiles each cell by running cargo in a folder of its own. Cargo's own work (resolving, fingerprints,
//! two processes) takes longer than compiling a small cell. The kernel therefore puts itself on evcxr's path under
//! the name `cargo`: a cell that needs only the prebuilt crates is handed to rustc directly, and anything else goes
//! to the real cargo.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::compile_ahead::worker;
use super::compile_cache::{self, COMPILE_ENV, CompileCache, Compiled};
use super::compiled;
use super::compiling::{Compiling, What, Who};
use super::dependencies;
use super::marks::{CELL, CRATE};
use super::order::Ordered;
use super::process::SHIM_DIR_ENV;
use super::report;
use super::shapes::Definitions;
use super::types::{Change, TypeTable};
use workbench_base::stoppable::{self, code_of};
use workbench_setup::cargo::{CARGO_ENV, PREBUILT_ENV, RUSTC_ENV, real, real_cargo};
use workbench_setup::library::prebuilt::{Link, Prebuilt};

/// Runs this process as the tool it was called as; returns when it was called as itself.
pub fn hook() {
    let mut args = std::env::args_os();
    let name =
        args.next().map(PathBuf::from).and_then(|path| path.file_name().map(|n| n.to_string_lossy().into_owned()));
    let Some(dir) = std::env::var_os(PREBUILT_ENV).map(PathBuf::from) else {
        return;
    };
    let args: Vec<String> = args.map(|a| a.to_string_lossy().into_owned()).collect();
    let outcome = match name.as_deref() {
        Some("cargo") => {
            // A kernel that is killed leaves no compiler behind.
            // SAFETY: a call with plain integers.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            cargo(&dir, &args)
        }
        Some("rustup") => rustup(&args),
        _ => return,
    };
    let code = outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        101
    });
    std::process::exit(code);
}

/// `rustup which TOOL`, the only thing evcxr asks of rustup.
fn rustup(args: &[String]) -> Result<i32> {
    match args {
        [which, tool] if which == "which" => {
            let path = match (tool.as_str(), std::env::var_os(SHIM_DIR_ENV)) {
                ("cargo", Some(folder)) => Path::new(&folder).join("cargo"),
                ("cargo", None) => real(CARGO_ENV, "cargo"),
                _ => real(RUSTC_ENV, "rustc"),
            };
            println!("{}", path.display());
            Ok(0)
        }
        _ => bail!("only `rustup which` is answered inside a kernel"),
    }
}

fn cargo(dir: &Path, args: &[String]) -> Result<i32> {
    let verb = args.iter().find(|a| !a.starts_with('-')).map(String::as_str);
    match verb {
        Some("metadata") => metadata(dir, args),
        Some("build") => build(dir, args, true),
        Some("check") => build(dir, args, false),
        Some("clean") => Ok(0),
        _ => pass_on(args),
    }
}

/// Becomes the real cargo.
fn pass_on(args: &[String]) -> Result<i32> {
    let error = real_cargo().args(args).exec();
    Err(error).context("could not run the real cargo")
}

/// The crate that evcxr wrote into the current folder.
struct Manifest {
    /// Dependencies that are not prebuilt, as TOML lines.
    foreign: Vec<String>,
    /// Prebuilt crates the cell names.
    prebuilt: Vec<String>,
    opt_level: String,
    name: String,
}

fn manifest(folder: &Path, prebuilt: &Prebuilt) -> Result<Manifest> {
    let text = std::fs::read_to_string(folder.join("Cargo.toml"))?;
    let value: toml::Table = text.parse().context("the cell's Cargo.toml does not parse")?;
    let mut found =
        Manifest { foreign: Vec::new(), prebuilt: Vec::new(), opt_level: "2".to_owned(), name: CRATE.to_owned() };
    if let Some(name) = value.get("package").and_then(|p| p.get("name")).and_then(toml::Value::as_str) {
        found.name = name.to_owned();
    }
    if let Some(level) = value.get("profile").and_then(|p| p.get("dev")).and_then(|p| p.get("opt-level")) {
        found.opt_level = level.to_string().trim_matches('"').to_owned();
    }
    if prebuilt.at_hand {
        found.prebuilt.push(prebuilt.library.clone());
    }
    if let Some(dependencies) = value.get("dependencies").and_then(toml::Value::as_table) {
        for (name, spec) in dependencies {
            if prebuilt.serves(name, spec) {
                if !found.prebuilt.contains(name) {
                    found.prebuilt.push(name.clone());
                }
            } else {
                found.foreign.push(format!("{name} = {spec}"));
            }
        }
    }
    Ok(found)
}

/// evcxr asks for metadata to check a dependency. Prebuilt crates need no check.
fn metadata(dir: &Path, args: &[String]) -> Result<i32> {
    let prebuilt = Prebuilt::load(dir)?;
    let folder = args
        .iter()
        .position(|a| a == "--manifest-path")
        .and_then(|i| args.get(i + 1))
        .map(PathBuf::from)
        .and_then(|p| p.parent().map(Path::to_path_buf))
        .map_or_else(std::env::current_dir, Ok)?;
    let found = manifest(&folder, &prebuilt)?;
    if !found.foreign.is_empty() {
        worker::refuse_to_build()?;
        let code = dependencies::metadata(&folder, &found.foreign, &prebuilt)?;
        if code == 0 {
            println!("{}", bare_metadata(&folder, &found.name));
        }
        return Ok(code);
    }
    println!("{}", bare_metadata(&folder, &found.name));
    Ok(0)
}

fn bare_metadata(folder: &Path, name: &str) -> Value {
    let id = format!("path+file://{}#{name}@1.0.0", folder.display());
    let manifest = folder.join("Cargo.toml");
    let dependencies: Vec<Value> = Vec::new();
    json!({
        "packages": [{
            "name": name, "version": "1.0.0", "id": id, "license": null, "license_file": null,
            "description": null, "source": null, "dependencies": dependencies,
            "targets": [{
                "kind": ["cdylib"], "crate_types": ["cdylib"], "name": name,
                "src_path": folder.join("src/lib.rs"), "edition": "2024", "doc": true,
                "doctest": false, "test": true
            }],
            "features": {}, "manifest_path": manifest, "metadata": null, "publish": null,
            "authors": [], "categories": [], "keywords": [], "readme": null, "repository": null,
            "homepage": null, "documentation": null, "edition": "2024", "links": null,
            "default_run": null, "rust_version": null
        }],
        "workspace_members": [id], "workspace_default_members": [id],
        "resolve": { "nodes": [{"id": id, "dependencies": [], "deps": [], "features": []}], "root": id },
        "target_directory": folder.join("target"), "build_directory": folder.join("target"),
        "version": 1, "workspace_root": folder, "metadata": null
    })
}

/// Compiles the cell in the current folder; without `link` only its types are checked.
fn build(dir: &Path, args: &[String], link: bool) -> Result<i32> {
    let folder = std::env::current_dir()?;
    let prebuilt = Prebuilt::load(dir)?;
    let found = manifest(&folder, &prebuilt)?;
    let target = args.iter().position(|a| a == "--target").and_then(|i| args.get(i + 1)).map_or("host", String::as_str);
    let out = folder.join("target").join(target).join("debug");
    std::fs::create_dir_all(&out)?;

    let library = out.join(format!("lib{CRATE}.so"));

    let source = std::fs::read_to_string(folder.join("src/lib.rs"))?;
    let table = TypeTable::load(&folder);
    let (code, fresh) = table.resolve(&compiled::form(&table.without_unkept(&source)));
    let Ordered { code, lines } = Ordered::of(&code);
    let tell = |messages: &str| report::compilation(report::with_lines(messages, &lines).as_bytes(), &folder, &library);
    let definitions = Definitions::read(&code);
    let code = definitions.refuse_changed(&code, &table.shapes);
    // Naming types costs the compiler a walk through all crates: it is asked where a variable is new.
    let emit = match (link, fresh.is_empty()) {
        (true, true) => "link,dep-info",
        (true, false) => "link,mir,dep-info",
        (false, _) => "metadata",
    };
    let way = if found.foreign.is_empty() && !compiled::declares_symbols(&code) { Link::Quick } else { Link::Full };
    std::fs::write(folder.join(CELL), &code)?;
    let cell = Cell { folder: &folder, code: &code, table: &table, fresh: &fresh, definitions: &definitions };
    let extra = if found.foreign.is_empty() {
        Vec::new()
    } else {
        worker::refuse_to_build()?;
        match dependencies::build(&folder, &found.foreign, &prebuilt)? {
            Ok(extra) => extra,
            Err(code) => return Ok(code),
        }
    };
    let kept = (link && !compiled::declares_symbols(&code))
        .then(|| kept_under(&prebuilt, &found, &code, emit, &extra))
        .flatten();
    let compiling = Compiling::of(dir);
    let who = if worker::is_here() { Who::Ahead } else { Who::Cell };
    let find = || {
        let (kept, keys) = kept.as_ref()?;
        keys.iter().find_map(|key| kept.take(key, &library))
    };
    let (mut found_before, mut turn) = (find(), None);
    if let Some((_, [key, _])) = &kept {
        if found_before.is_none() {
            turn = Some(compiling.turn(key, who));
            // Whoever had a turn before may have left it there.
            found_before = find();
        }
        if found_before.is_some() {
            compiling.note(key, who, What::Found, turn.as_ref());
        }
    }
    if let Some(compiled) = found_before {
        tell(&compiled.messages)?;
        if compiled.failed {
            return Ok(101);
        }
        let mut learnt = table.clone();
        learnt.types.extend(compiled.types);
        cell.learnt(learnt)?;
        return Ok(0);
    }

    let mut rustc = Command::new(real(RUSTC_ENV, "rustc"));
    rustc
        .args(["--crate-name", CRATE, "--edition=2024", CELL, "--crate-type=cdylib"])
        .args(["--error-format=json", "--json=diagnostic-rendered-ansi,artifacts"])
        .arg(format!("--emit={emit}"))
        .args(["-Cdebuginfo=0", "-Cstrip=debuginfo", "-Cpanic=unwind"])
        .args(["-Coverflow-checks=on", "-Cdebug-assertions=off", "-Ccodegen-units=4"])
        .arg("-Aunreachable_code")
        // Two globs that bring the same name: the compiler would take the first and warn, and warnings are not shown.
        .arg("-Dambiguous_glob_imports")
        .arg(format!("-Copt-level={}", found.opt_level))
        .arg("-Cmetadata=workbench-cell")
        .arg("--out-dir")
        .arg(&out)
        .args(prebuilt.rustc_args(&found.prebuilt, way))
        .args(&extra)
        .current_dir(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    // The list of the cell before would speak for one that the compiler refuses early.
    let list = out.join(format!("{CRATE}.d"));
    let _ = std::fs::remove_file(&list);
    let mut output = stoppable::output(&mut rustc).context("could not run rustc")?;
    let mut learnt = table.clone();
    if output.status.success() && link && !fresh.is_empty() {
        let changes = match learnt.learn(&listing(&out), &fresh) {
            Ok(changes) => changes,
            Err(message) => {
                tell(&String::from_utf8_lossy(&output.stderr))?;
                report::refuse(&message)?;
                return Ok(101);
            }
        };
        if !changes.is_empty() {
            std::fs::write(folder.join(CELL), Change::apply(&changes, &code))?;
            output = stoppable::output(&mut rustc).context("could not run rustc")?;
        }
    }
    tell(&String::from_utf8_lossy(&output.stderr))?;
    let kept = kept.filter(|_| compile_cache::reads_only(CELL, &list));
    if let Some((kept, [_, refused])) = &kept
        && !output.status.success()
        && report::is_about_the_code(&output.stderr)
    {
        // As below.
        let _ = kept.put(refused, Compiled::failed(&output.stderr), None);
        compiling.note(refused, who, What::Compiled, turn.as_ref());
    }
    if output.status.success() && link {
        if let Some((kept, [key, _])) = kept {
            let types = fresh
                .iter()
                .filter_map(|(placeholder, _)| learnt.types.get_key_value(placeholder))
                .map(|(placeholder, of)| (placeholder.clone(), of.clone()));
            let compiled = Compiled::new(types.collect(), &output.stderr);
            // A full disk or a folder that cannot be written costs a compilation the next time, and not the cell.
            let put = kept.put(&key, compiled, Some(&library));
            if who == Who::Ahead {
                // There it is all that it was for.
                put?;
            }
            compiling.note(&key, who, What::Compiled, turn.as_ref());
        }
        cell.learnt(learnt)?;
    }
    Ok(code_of(output.status))
}

/// The compiler's listing of a cell that was compiled into `out`.
fn listing(out: &Path) -> String {
    std::fs::read_to_string(out.join(format!("{CRATE}.mir")))
        .or_else(|_| std::fs::read_to_string(out.join(format!("lib{CRATE}.mir"))))
        .unwrap_or_default()
}

/// A cell that is compiled.
struct Cell<'a> {
    folder: &'a Path,
    code: &'a str,
    table: &'a TypeTable,
    fresh: &'a [(String, String)],
    definitions: &'a Definitions,
}

impl Cell<'_> {
    /// Keeps what was learnt of its variables for the cells to come.
    fn learnt(&self, mut learnt: TypeTable) -> Result<()> {
        learnt.learn_shapes(self.code, self.fresh, self.definitions);
        if learnt != *self.table {
            learnt.save(self.folder)?;
        }
        Ok(())
    }
}

/// Where a cell's library is kept, and under which keys: if it compiles, and if it is refused. `extra` finds the crates that are not ours.
fn kept_under(
    prebuilt: &Prebuilt,
    found: &Manifest,
    code: &str,
    emit: &str,
    extra: &[String],
) -> Option<(CompileCache, [String; 2])> {
    if std::env::var_os(COMPILE_ENV).is_some() {
        return None;
    }
    let mut with = vec![prebuilt.identity.clone(), emit.to_owned(), found.opt_level.clone()];
    for name in &found.prebuilt {
        with.push(prebuilt.identity_of(name)?);
    }
    if !found.foreign.is_empty() {
        with.extend(dependencies::identity(&found.foreign, extra)?);
    }
    let with = || with.iter().map(String::as_str);
    let keys = [compile_cache::key(code, with()), compile_cache::key(code, with().chain(["refused"]))];
    Some((CompileCache::at(&prebuilt.kept), keys))
}
