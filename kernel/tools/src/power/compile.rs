//! The build of the copy, and which sites the compiler refuses.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::house::House;
use super::plant::Planted;
use workbench_base::error::{Error, Result};
use workbench_base::text::tail;
use workbench_setup::building::watched;
use workbench_setup::cargo::cargo;
use workbench_setup::own;
use workbench_setup::packages;
use workbench_setup::paths::Workspace;

/// The copy and where it is built.
pub struct Copy {
    workspace: Workspace,
    house: House,
    target: PathBuf,
    environment: Vec<(String, String)>,
}

/// An error of the compiler: its text, and the places that it points at, those that it is about first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Complaint {
    text: String,
    places: Vec<(String, usize, usize)>,
}

impl Copy {
    /// The copy in `source`, built in `target`.
    ///
    /// # Errors
    /// [`Error::NoWorkspace`] if it is none.
    pub fn new(source: &Path, target: &Path, environment: Vec<(String, String)>) -> Result<Copy> {
        let workspace = Workspace::at(source)?;
        if workspace.is_own() {
            own::ensure_crates(&workspace)?;
        }
        Ok(Copy { house: House::of(workspace.root()), workspace, target: target.to_path_buf(), environment })
    }

    /// The program, once it is built.
    pub fn program(&self) -> PathBuf {
        self.target.join("debug").join(&self.house.program)
    }

    /// The places among `planted` that the compiler refuses; none if the copy is sound.
    ///
    /// # Errors
    /// [`Error::Failed`] if it refuses something that was not planted.
    pub fn refused(&self, planted: &[Planted]) -> Result<BTreeSet<usize>> {
        let (sound, complaints, errors) = self.run("check", &["--keep-going"])?;
        let refused = blamed(&complaints, planted);
        if !sound && refused.is_empty() {
            let told: String = complaints.iter().map(|complaint| complaint.text.as_str()).collect();
            return Err(failed("checking the copy with faults", &format!("{told}{errors}")));
        }
        Ok(refused)
    }

    /// Builds the program.
    ///
    /// # Errors
    /// [`Error::Failed`] with what cargo says.
    pub fn build(&self) -> Result<PathBuf> {
        let (sound, complaints, errors) = self.run("build", &[])?;
        let program = self.program();
        if !sound || !program.is_file() {
            let told: String = complaints.iter().map(|complaint| complaint.text.as_str()).collect();
            return Err(failed("building the copy with faults", &format!("{told}{errors}")));
        }
        Ok(program)
    }

    /// The whole workspace is named, as elsewhere: other packages would be other features, and another build of them all.
    fn run(&self, what: &str, more: &[&str]) -> Result<(bool, Vec<Complaint>, String)> {
        let mut command: Command = cargo(&self.workspace);
        command
            .arg(what)
            .args(self.house.build())
            .args(more)
            .env("CARGO_TARGET_DIR", &self.target)
            .envs(self.environment.iter().cloned());
        let work = watched(&mut command, packages::needed(&self.workspace, &self.house.program))?;
        let complaints = work.messages.iter().filter_map(|line| complaint(line)).collect();
        Ok((work.status.success(), complaints, work.complaints()))
    }
}

fn failed(what: &str, told: &str) -> Error {
    Error::Failed {
        what: what.into(),
        status: "cargo refused".into(),
        hint: "see that `cargo build --workspace` passes; a folder named with --out starts anew".into(),
        tail: tail(told, 25),
    }
}

/// The error that a line of cargo's JSON tells, if it tells one with a place.
fn complaint(line: &str) -> Option<Complaint> {
    let told: Value = serde_json::from_str(line).ok()?;
    let message = told.get("message")?;
    if told.get("reason")?.as_str()? != "compiler-message" || !message.get("level")?.as_str()?.starts_with("error") {
        return None;
    }
    let mut places = Vec::new();
    let spans = message.get("spans")?.as_array()?;
    for primary in [true, false] {
        for span in spans.iter().filter(|span| span["is_primary"].as_bool() == Some(primary)) {
            let end = |name: &str| span.get(name).and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
            let file = span.get("file_name").and_then(Value::as_str);
            if let (Some(file), Some(begin), Some(end)) = (file, end("byte_start"), end("byte_end")) {
                places.push((file.replace('\\', "/"), begin, end));
            }
        }
    }
    let text = message.get("rendered").or_else(|| message.get("message"))?.as_str()?;
    Some(Complaint { text: format!("{text}\n"), places })
}

/// The sites that errors are about: those that an error points into or around; where it points at none, those of the same function.
fn blamed(complaints: &[Complaint], planted: &[Planted]) -> BTreeSet<usize> {
    let mut blamed = BTreeSet::new();
    for complaint in complaints {
        let within = |range: &dyn Fn(&Planted) -> (usize, usize)| -> Vec<usize> {
            let sites = planted.iter().enumerate();
            let hit = sites.filter(|(_, site)| {
                let (begin, end) = range(site);
                let meets =
                    |(file, from, to): &(String, usize, usize)| *file == site.file && *from < end && begin < *to;
                complaint.places.iter().any(meets)
            });
            hit.map(|(at, _)| at).collect()
        };
        let exact = within(&|site| site.bytes);
        match exact.is_empty() {
            false => blamed.extend(exact),
            true => blamed.extend(within(&|site| site.function)),
        }
    }
    blamed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(file: &str, bytes: (usize, usize), function: (usize, usize)) -> Planted {
        Planted { file: file.to_string(), bytes, function }
    }

    fn error(file: &str, begin: usize, end: usize) -> String {
        format!(
            r#"{{"reason":"compiler-message","message":{{"level":"error","rendered":"no","spans":[
            {{"file_name":"b.rs","byte_start":1,"byte_end":2,"is_primary":false}},
            {{"file_name":"{file}","byte_start":{begin},"byte_end":{end},"is_primary":true}}]}}}}"#
        )
        .replace('\n', "")
    }

    #[test]
    fn an_error_is_blamed_on_the_site_or_on_its_function() {
        let planted =
            [site("a.rs", (10, 20), (0, 100)), site("a.rs", (30, 40), (0, 100)), site("a.rs", (200, 210), (150, 300))];
        let of = |begin, end| {
            let told: Vec<Complaint> = complaint(&error("a.rs", begin, end)).into_iter().collect();
            assert_eq!(told[0].places[0].0, "a.rs", "what it is about comes first");
            blamed(&told, &planted).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(of(32, 35), [1]);
        assert_eq!(of(5, 25), [0]);
        assert_eq!(of(60, 70), [0, 1]);
        assert_eq!(of(160, 170), [2]);
        assert!(of(400, 401).is_empty());
    }

    #[test]
    fn warnings_and_other_messages_are_no_errors() {
        assert_eq!(complaint("not json"), None);
        assert_eq!(complaint(r#"{"reason":"build-finished","success":false}"#), None);
        assert_eq!(complaint(&error("a.rs", 1, 2).replace("\"error\"", "\"warning\"")), None);
    }

    /// A workspace of three small crates: the ground, a room, and a program that says what the room computes.
    fn small_workspace(root: &Path) {
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let package = |name: &str, needs: &[&str]| {
            let mut text = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n[dependencies]\n");
            for (folder, need) in needs.iter().map(|need| (need.trim_start_matches("workbench-"), need)) {
                text += &format!("{need} = {{ path = \"../{folder}\" }}\n");
            }
            text
        };
        let members = "[workspace]\nresolver = \"3\"\nmembers = [\"workbench/ground\", \"workbench/memory\", \"workbench/verify\"]\n";
        write("Cargo.toml", members);
        write("workbench/Cargo.toml", "");
        write("kernel/Cargo.toml", "");
        write("workbench/ground/Cargo.toml", &package("workbench-ground", &[]));
        write("workbench/ground/src/lib.rs", "");
        write("workbench/memory/Cargo.toml", &package("workbench-memory", &["workbench-ground"]));
        let room = "
pub fn twice(x: f64) -> f64 { 2.0 * x }
pub fn joined(a: String, b: &str) -> String { a + b }
";
        write("workbench/memory/src/lib.rs", room);
        write("workbench/verify/Cargo.toml", &package("workbench-verify", &["workbench-memory"]));
        let program = "
fn main() { println!(\"{} {}\", workbench_memory::twice(3.0), workbench_memory::joined(String::new(), \"ok\")); }
";
        write("workbench/verify/src/main.rs", program);
        let lock = Command::new("cargo").args(["generate-lockfile", "--offline", "--quiet"]).current_dir(root).status();
        assert!(lock.unwrap().success());
        crate::fixtures::commit_all(root);
    }

    #[test]
    fn one_build_serves_all_faults_and_what_does_not_compile_is_refused() {
        use super::super::plant::{FAULT, REACHED, plant};
        let folder = tempfile::tempdir().unwrap();
        let (root, source) = (folder.path().join("root"), folder.path().join("src"));
        small_workspace(&root);
        let file = "workbench/memory/src/lib.rs";
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        let mut sites = super::super::sites::of_file("memory", file, &text);
        let of = |planted: &[Planted]| {
            let copy = Copy::new(&source, &folder.path().join("target"), Vec::new()).unwrap();
            (copy.refused(planted).unwrap(), copy)
        };
        let (refused, _) = of(&plant(&root, &source, &sites).unwrap());
        let wrong: Vec<&str> = refused.iter().map(|&at| sites[at].before.as_str()).collect();
        assert_eq!(wrong, ["a + b"]);
        sites.retain(|site| site.before != "a + b");
        let (refused, copy) = of(&plant(&root, &source, &sites).unwrap());
        assert!(refused.is_empty());
        let program = copy.build().unwrap();
        let reached = folder.path().join("reached");
        let says = |fault: &str| {
            let output = Command::new(&program).env(FAULT, fault).env(REACHED, &reached).output().unwrap();
            String::from_utf8_lossy(&output.stdout).trim().to_string()
        };
        assert_eq!((says("0"), says("1")), ("6 ok".to_string(), "3 ok".to_string()));
        assert_eq!(std::fs::read_to_string(reached).unwrap(), "1\n1\n");
    }
}
