//! Builds the crate that notebooks load, once, with a progress bar over the packages that cargo still has to compile.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::paths::{SHARED_OBJECT, Workspace, build_folder};
use super::system::tail;
use crate::error::{Error, Result};

/// What a build gave and how long its parts took.
#[derive(Clone, Debug)]
pub struct Built {
    /// The shared object that cells link.
    pub shared_object: PathBuf,
    /// Packages that were compiled now; 0 when everything was fresh.
    pub compiled: usize,
    /// Time to download packages.
    pub download: Duration,
    /// Time to compile and link.
    pub compile: Duration,
    /// The longest waits between two finished packages, and the package that ended each.
    pub longest: Vec<(String, Duration)>,
}

/// Builds the whole workspace in the profile that `cargo run` uses, so that nothing is compiled twice.
///
/// **Errors**: [`Error::NoNetwork`] when packages have to be downloaded and cannot be; [`Error::Failed`] with the
/// compiler's last lines otherwise.
pub fn build(workspace: &Workspace, environment: &[(String, String)]) -> Result<Built> {
    let started = Instant::now();
    let metadata = match metadata(workspace, true) {
        Ok(metadata) => metadata,
        Err(_) => {
            eprintln!("==> downloading the packages that Cargo.lock names");
            fetch(workspace)?;
            metadata(workspace, true)?
        }
    };
    let download = started.elapsed();
    let needed = needed_packages(&metadata);

    let started = Instant::now();
    let mut child = cargo(workspace)
        .args([
            "build",
            "--workspace",
            "--locked",
            "--offline",
            "--message-format=json-render-diagnostics",
        ])
        .envs(environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|source| Error::Start {
            program: "cargo".into(),
            source,
            hint: "install Rust with rustup".into(),
        })?;
    let mut errors = child.stderr.take();
    let stderr = std::thread::spawn(move || {
        let mut text = String::new();
        if let Some(pipe) = errors.as_mut() {
            // A pipe that breaks ends the text; the exit status below says whether that matters.
            let _ = pipe.read_to_string(&mut text);
        }
        text
    });
    let mut tally = Tally::new(needed.len());
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(|line| line.ok()) {
            tally.line(&line);
        }
    }
    let status = child
        .wait()
        .map_err(|source| Error::io("wait for cargo in", workspace.root(), source))?;
    let stderr = stderr.join().unwrap_or_default();
    tally.finish();
    write_log(workspace, &stderr);
    if !status.success() {
        return Err(Error::Failed {
            what: "building the workbench crate".into(),
            status: status.to_string(),
            hint: "the whole log is in .workbench/logs/build.log".into(),
            tail: tail(&stderr, 25),
        });
    }
    let shared_object = build_folder()?.join(SHARED_OBJECT);
    if !shared_object.is_file() {
        return Err(Error::Failed {
            what: format!("the build ended well but {SHARED_OBJECT} is not beside the binary"),
            status: shared_object.display().to_string(),
            hint: "run through `cargo workbench`, which uses the profile that the build uses".into(),
            tail: String::new(),
        });
    }
    Ok(Built {
        shared_object,
        compiled: tally.compiled.len(),
        download,
        compile: started.elapsed(),
        longest: tally.longest(5),
    })
}

impl Built {
    /// A line or two on where the time went; nothing when everything was fresh.
    pub fn report(&self) -> Vec<String> {
        if self.compiled == 0 {
            return Vec::new();
        }
        let mut lines = vec![format!(
            "compiled {} packages in {:.0} s (download {:.0} s)",
            self.compiled,
            self.compile.as_secs_f64(),
            self.download.as_secs_f64()
        )];
        if !self.longest.is_empty() {
            let waits: Vec<String> = self
                .longest
                .iter()
                .map(|(name, wait)| format!("{name} {:.0} s", wait.as_secs_f64()))
                .collect();
            lines.push(format!("longest waits ended with: {}", waits.join(", ")));
        }
        lines
    }
}

/// Counts finished packages from cargo's JSON lines.
struct Tally {
    total: usize,
    seen: BTreeSet<String>,
    compiled: BTreeSet<String>,
    waits: BTreeMap<String, Duration>,
    last: Instant,
    started: Instant,
    bar: Option<ProgressBar>,
    next_plain: usize,
}

impl Tally {
    fn new(total: usize) -> Self {
        Tally {
            total,
            seen: BTreeSet::new(),
            compiled: BTreeSet::new(),
            waits: BTreeMap::new(),
            last: Instant::now(),
            started: Instant::now(),
            bar: None,
            next_plain: 0,
        }
    }

    fn line(&mut self, line: &str) {
        let Some((name, fresh)) = finished_package(line) else {
            return;
        };
        if !fresh {
            *self.waits.entry(name.clone()).or_default() += self.last.elapsed();
            self.compiled.insert(name.clone());
        }
        self.last = Instant::now();
        self.seen.insert(name.clone());
        if !fresh {
            self.show(&name);
        }
    }

    fn show(&mut self, name: &str) {
        let done = self.seen.len().min(self.total);
        if crate::progress::is_terminal() {
            let total = self.total as u64;
            let bar = self.bar.get_or_insert_with(|| {
                let bar = ProgressBar::new(total);
                bar.set_style(
                    ProgressStyle::with_template("  building {bar:30} {pos}/{len} packages  {elapsed}  {msg}")
                        .unwrap_or_else(|_| ProgressStyle::default_bar()),
                );
                bar.enable_steady_tick(Duration::from_millis(200));
                bar
            });
            bar.set_position(done as u64);
            bar.set_message(name.to_string());
        } else if done >= self.next_plain {
            eprintln!(
                "  building {done}/{} packages, {:.0} s, {name}",
                self.total,
                self.started.elapsed().as_secs_f64()
            );
            self.next_plain = done + 25;
        }
    }

    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn longest(&self, count: usize) -> Vec<(String, Duration)> {
        let mut waits: Vec<(String, Duration)> = self
            .waits
            .iter()
            .filter(|(_, wait)| wait.as_secs() >= 1)
            .map(|(name, wait)| (name.clone(), *wait))
            .collect();
        waits.sort_by_key(|(_, wait)| std::cmp::Reverse(*wait));
        waits.truncate(count);
        waits
    }
}

/// Name of the package that a JSON line says is finished, and whether it was fresh.
fn finished_package(line: &str) -> Option<(String, bool)> {
    let message: Value = serde_json::from_str(line).ok()?;
    if message.get("reason")?.as_str()? != "compiler-artifact" {
        return None;
    }
    let id = message.get("package_id")?.as_str()?;
    Some((package_name(id), message.get("fresh")?.as_bool()?))
}

/// Short name with version out of a package id such as `registry+https://…#polars-core@0.55.2`.
fn package_name(id: &str) -> String {
    let (path, name) = id.rsplit_once('#').unwrap_or(("", id));
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        let folder = path.rsplit('/').next().unwrap_or(path);
        return format!("{folder}@{name}");
    }
    name.to_string()
}

/// Packages that a build of the members needs: everything reachable without development dependencies.
fn needed_packages(metadata: &Value) -> BTreeSet<String> {
    let mut edges: HashMap<&str, Vec<&str>> = HashMap::new();
    let nodes = metadata["resolve"]["nodes"].as_array();
    for node in nodes.into_iter().flatten() {
        let Some(id) = node["id"].as_str() else {
            continue;
        };
        let wanted = node["deps"].as_array().into_iter().flatten().filter(|dep| {
            dep["dep_kinds"]
                .as_array()
                .is_none_or(|kinds| kinds.iter().any(|kind| kind["kind"] != "dev"))
        });
        edges.insert(id, wanted.filter_map(|dep| dep["pkg"].as_str()).collect());
    }
    let members = metadata["workspace_members"].as_array();
    let mut open: Vec<&str> = members.into_iter().flatten().filter_map(Value::as_str).collect();
    let mut reached = BTreeSet::new();
    while let Some(id) = open.pop() {
        if reached.insert(id.to_string()) {
            open.extend(edges.get(id).into_iter().flatten());
        }
    }
    reached
}

fn metadata(workspace: &Workspace, offline: bool) -> Result<Value> {
    let mut command = cargo(workspace);
    command.args(["metadata", "--format-version", "1", "--locked"]);
    if offline {
        command.arg("--offline");
    }
    if let Some(host) = host_triple() {
        command.args(["--filter-platform", &host]);
    }
    let output = command.output().map_err(|source| Error::Start {
        program: "cargo".into(),
        source,
        hint: "install Rust with rustup".into(),
    })?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let failed = |status: String, tail: String| Error::Failed {
        what: "`cargo metadata --locked`".into(),
        status,
        hint: "check Cargo.toml and Cargo.lock".into(),
        tail,
    };
    if !output.status.success() {
        return Err(failed(output.status.to_string(), tail(&stderr, 8)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string(), String::new()))
}

fn fetch(workspace: &Workspace) -> Result<()> {
    let mut command = cargo(workspace);
    command.args(["fetch", "--locked"]);
    if let Some(host) = host_triple() {
        command.args(["--target", &host]);
    }
    let output = command.output().map_err(|source| Error::Start {
        program: "cargo".into(),
        source,
        hint: "install Rust with rustup".into(),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let lock = workspace.root().join("Cargo.lock");
    let text = std::fs::read_to_string(&lock).map_err(|source| Error::io("read", &lock, source))?;
    Err(fetch_error(&stderr, &text, &cargo_home()))
}

/// Says why a download failed: no network (with what is missing), or something else (with cargo's last lines).
fn fetch_error(stderr: &str, lock: &str, cargo_home: &Path) -> Error {
    const SIGNS: [&str; 8] = [
        "Could not resolve host",
        "Couldn't resolve host",
        "failed to download",
        "spurious network error",
        "Couldn't connect",
        "Could not connect",
        "Timeout was reached",
        "failed to query replaced source",
    ];
    if !SIGNS.iter().any(|sign| stderr.contains(sign)) {
        return Error::Failed {
            what: "`cargo fetch --locked`".into(),
            status: "see below".into(),
            hint: "check Cargo.toml and Cargo.lock".into(),
            tail: tail(stderr, 8),
        };
    }
    let packages = locked_packages(lock);
    let missing: Vec<&String> = packages.iter().filter(|name| !in_cache(cargo_home, name)).collect();
    let mut first = missing
        .iter()
        .take(4)
        .map(|name| name.as_str())
        .collect::<Vec<_>>()
        .join(", ");
    if missing.len() > 4 {
        first.push_str(", ...");
    }
    Error::NoNetwork {
        count: missing.len(),
        total: packages.len(),
        first,
        cargo_home: cargo_home.to_path_buf(),
    }
}

/// `name-version` of every registry package of a lock file.
fn locked_packages(lock: &str) -> Vec<String> {
    let table: toml::Table = match lock.parse() {
        Ok(table) => table,
        Err(_) => return Vec::new(),
    };
    let packages = table.get("package").and_then(|list| list.as_array());
    packages
        .into_iter()
        .flatten()
        .filter(|package| package.get("source").is_some())
        .filter_map(|package| {
            let name = package.get("name")?.as_str()?;
            let version = package.get("version")?.as_str()?;
            Some(format!("{name}-{version}"))
        })
        .collect()
}

fn in_cache(cargo_home: &Path, package: &str) -> bool {
    let Ok(registries) = std::fs::read_dir(cargo_home.join("registry/cache")) else {
        return false;
    };
    registries
        .filter_map(|entry| entry.ok())
        .any(|entry| entry.path().join(format!("{package}.crate")).is_file())
}

fn cargo_home() -> PathBuf {
    std::env::var_os("CARGO_HOME").map_or_else(
        || {
            let home = std::env::var_os("HOME").unwrap_or_default();
            PathBuf::from(home).join(".cargo")
        },
        PathBuf::from,
    )
}

pub(crate) fn host_triple() -> Option<String> {
    let output = Command::new("rustc").arg("-vV").output().ok()?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("host: ").map(str::to_string))
}

/// A cargo command in the workspace, without what `cargo run` put into our own environment.
pub fn cargo(workspace: &Workspace) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace.root());
    forget_cargo_run(&mut command);
    command
}

/// Takes from a command's environment what `cargo run` put there. Build scripts that watch those variables would run
/// again, and with them everything that depends on them.
pub fn forget_cargo_run(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let Some(name) = name.to_str() else { continue };
        let from_run = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        if from_run || name == "CARGO_CRATE_NAME" || name == "CARGO_PRIMARY_PACKAGE" {
            command.env_remove(name);
        }
    }
}

fn write_log(workspace: &Workspace, text: &str) {
    // The log is a convenience: a build must not fail because its log could not be kept.
    if let Ok(logs) = workspace.logs() {
        let _ = std::fs::write(logs.join("build.log"), text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4
[[package]]
name = "workbench"
version = "0.1.0"
[[package]]
name = "here"
version = "1.0.0"
source = "registry"
[[package]]
name = "absent"
version = "2.0.0"
source = "registry"
"#;

    #[test]
    fn no_network_names_what_is_missing() {
        let home = tempfile::tempdir().unwrap();
        let cache = home.path().join("registry/cache/index");
        std::fs::create_dir_all(&cache).unwrap();
        std::fs::write(cache.join("here-1.0.0.crate"), "").unwrap();
        let stderr = "error: failed to download from the registry\nCould not resolve host";
        let error = fetch_error(stderr, LOCK, home.path());
        let Error::NoNetwork { count, total, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!((*count, *total), (1, 2));
        let text = error.to_string();
        assert!(text.contains("absent-2.0.0"), "{text}");
        assert!(!text.contains("here-1.0.0"), "{text}");
        assert!(text.contains("cargo fetch --locked"), "{text}");
    }

    #[test]
    fn another_failure_keeps_cargos_words() {
        let error = fetch_error("error: the lock file needs to be updated", LOCK, Path::new("/"));
        assert!(error.to_string().contains("needs to be updated"), "{error}");
    }

    #[test]
    fn the_tally_counts_packages_once_and_fresh_ones_apart() {
        let mut tally = Tally::new(3);
        let line = |name: &str, fresh: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"registry+https://x#{name}@1.0.0","fresh":{fresh}}}"#
            )
        };
        tally.line(&line("a", true));
        tally.line(&line("b", false));
        tally.line(&line("b", false));
        tally.line("not json");
        tally.line(r#"{"reason":"build-finished","success":true}"#);
        assert_eq!(tally.seen.len(), 2);
        assert_eq!(tally.compiled.iter().collect::<Vec<_>>(), vec!["b@1.0.0"]);
    }

    #[test]
    fn package_names_come_out_of_ids() {
        assert_eq!(package_name("registry+https://x#serde@1.0.1"), "serde@1.0.1");
        assert_eq!(package_name("path+file:///a/workbench#0.1.0"), "workbench@0.1.0");
    }

    #[test]
    fn development_dependencies_are_not_waited_for() {
        let metadata = serde_json::json!({
            "workspace_members": ["m"],
            "resolve": {"nodes": [
                {"id": "m", "deps": [
                    {"pkg": "n", "dep_kinds": [{"kind": null}]},
                    {"pkg": "d", "dep_kinds": [{"kind": "dev"}]},
                    {"pkg": "b", "dep_kinds": [{"kind": "build"}, {"kind": "dev"}]},
                ]},
                {"id": "n", "deps": []}, {"id": "d", "deps": []}, {"id": "b", "deps": []},
            ]}
        });
        let needed: Vec<String> = needed_packages(&metadata).into_iter().collect();
        assert_eq!(needed, vec!["b", "m", "n"]);
    }
}
