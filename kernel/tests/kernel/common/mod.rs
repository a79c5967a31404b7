//! A kernel with a small crate of its own, spoken to over the protocol.

pub mod talk;
pub mod workspace;

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use jupyter_protocol::{JupyterMessageContent, MediaType, Stdio};
use workbench_client::{Client, Executed, Interrupt, KernelCommand, Outcome, Transport};

/// A project folder with a crate `workbench` that compiles in a second.
pub struct Project {
    folder: tempfile::TempDir,
}

static SHARED: OnceLock<Project> = OnceLock::new();

/// A static value is not dropped, so its folder is taken away at the end of the program.
extern "C" fn remove_shared() {
    if let Some(project) = SHARED.get() {
        // It lies among the system's temporary files; what cannot be taken away is only disk space.
        let _ = std::fs::remove_dir_all(project.root());
    }
}

impl Project {
    /// The one project of all tests that leave its files alone: its crate, and a cell that several of them run, is compiled once.
    pub fn shared() -> &'static Project {
        SHARED.get_or_init(|| {
            // SAFETY: the function takes nothing, and does not panic.
            unsafe { libc::atexit(remove_shared) };
            Project::new()
        })
    }

    /// A project of one test, which may write into it.
    pub fn new() -> Project {
        // Blanks and letters beyond ASCII are nothing special in a path.
        let folder = tempfile::Builder::new().prefix("Prüf stand ").tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("workbench/src")).unwrap();
        std::fs::create_dir_all(root.join("notebooks")).unwrap();
        let workspace = "[workspace]\nresolver = \"3\"\nmembers = [\"workbench\"]\n\n[profile.dev]\ndebug = false\n";
        std::fs::write(root.join("Cargo.toml"), workspace).unwrap();
        let manifest = "[package]\nname = \"workbench\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
            [lib]\ncrate-type = [\"rlib\", \"dylib\"]\n";
        std::fs::write(root.join("workbench/Cargo.toml"), manifest).unwrap();
        let lock = "version = 4\n\n[[package]]\nname = \"workbench\"\nversion = \"0.1.0\"\n";
        std::fs::write(root.join("Cargo.lock"), lock).unwrap();
        let project = Project { folder };
        project.set_version(1);
        project
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Variables of a kernel over this project, and more of them.
    pub fn environment(&self, more: &[(&str, &str)]) -> Vec<(String, String)> {
        let root = self.root().display().to_string();
        let target = self.root().join("target").display().to_string();
        let own = [("WORKBENCH_ROOT", root.as_str()), ("CARGO_TARGET_DIR", &target)];
        let all = own.iter().chain(more);
        all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    pub fn set_version(&self, version: u32) {
        let source = format!(
            "//! A crate.\npub mod deep {{ mod hidden {{ #[derive(Debug, Clone)] pub struct Thing<T>(pub T); }} pub use hidden::Thing; }}\n\
             pub fn version() -> u32 {{ {version} }}\n\
             pub fn thing() -> deep::Thing<Vec<u8>> {{ deep::Thing(vec![1, 2]) }}\n\
             pub struct Shown;\nimpl Shown {{ pub fn evcxr_display(&self) {{ \
             println!(\"EVCXR_BEGIN_CONTENT text/plain\\nplain\\nEVCXR_END_CONTENT\\nEVCXR_BEGIN_CONTENT text/html\\n<b>html</b>\\nEVCXR_END_CONTENT\"); }} }}\n"
        );
        std::fs::write(self.root().join("workbench/src/lib.rs"), source).unwrap();
    }
}

/// What a cell gave.
pub struct Run {
    pub done: Executed,
    pub messages: Vec<JupyterMessageContent>,
}

impl Run {
    #[track_caller]
    pub fn ok(self) -> Run {
        assert_eq!(self.done.outcome, Outcome::Ok, "{:?}", self.messages);
        self
    }

    #[track_caller]
    pub fn error(&self) -> (String, String) {
        match &self.done.outcome {
            Outcome::Error { name, message } => (name.clone(), message.clone()),
            other => panic!("expected an error, got {other:?}"),
        }
    }

    pub fn traceback(&self) -> String {
        self.messages
            .iter()
            .filter_map(|m| match m {
                JupyterMessageContent::ErrorOutput(e) => Some(e.traceback.join("\n")),
                _ => None,
            })
            .collect()
    }

    #[track_caller]
    pub fn stream(&self, err: bool) -> String {
        self.messages
            .iter()
            .filter_map(|m| match m {
                JupyterMessageContent::StreamContent(s) if matches!(s.name, Stdio::Stderr) == err => {
                    Some(s.text.as_str())
                }
                _ => None,
            })
            .collect()
    }

    #[track_caller]
    pub fn value(&self) -> String {
        let plain = |media: &jupyter_protocol::Media| {
            media.content.iter().find_map(|m| match m {
                MediaType::Plain(text) => Some(text.clone()),
                _ => None,
            })
        };
        self.messages
            .iter()
            .filter_map(|m| match m {
                JupyterMessageContent::ExecuteResult(r) => plain(&r.data),
                _ => None,
            })
            .collect()
    }
}

/// A running kernel.
pub struct Kernel {
    runtime: tokio::runtime::Runtime,
    client: Option<Client>,
}

impl Kernel {
    pub fn start(project: &Project) -> Kernel {
        Kernel::start_with(project, &[])
    }

    /// A kernel that lives on when a file is larger than its limit, as it would when a disk is full.
    pub fn start_ignoring_file_limits(project: &Project) -> Kernel {
        Kernel::start_by(project, &[], "trap '' XFSZ; exec \"$0\" \"$@\"")
    }

    /// As [`Kernel::start_ignoring_file_limits`], with a limit in bytes from the start.
    pub fn start_with_limit(project: &Project, bytes: u64) -> Kernel {
        // The unit of `ulimit -f` is 512 bytes.
        let blocks = bytes / 512;
        let line = format!("trap '' XFSZ; ulimit -S -f {blocks}; exec \"$0\" \"$@\"");
        Kernel::start_by(project, &[], &line)
    }

    pub fn start_with(project: &Project, environment: &[(&str, &str)]) -> Kernel {
        Kernel::start_by(project, environment, "exec \"$0\" \"$@\"")
    }

    /// A kernel whose temporary files go into `place`.
    pub fn start_in(project: &Project, place: &Path) -> Kernel {
        let line = format!("TMPDIR='{}' exec \"$0\" \"$@\"", place.display());
        Kernel::start_by(project, &[], &line)
    }

    /// A kernel in a world of its own, where `first` has been done.
    pub fn start_where(project: &Project, first: &str) -> Kernel {
        let line = format!(
            "exec unshare -m sh -c '{}' \"$0\" \"$@\"",
            (first.to_owned() + " && exec \"$0\" \"$@\"").replace('\'', "'\\''")
        );
        Kernel::start_by(project, &[], &line)
    }

    /// A kernel that a shell becomes, with the last words of `line`.
    pub fn start_by(project: &Project, environment: &[(&str, &str)], line: &str) -> Kernel {
        let command = KernelCommand {
            argv: vec![
                "sh".to_owned(),
                "-c".to_owned(),
                line.to_owned(),
                env!("CARGO_BIN_EXE_workbench").to_owned(),
                "kernel".to_owned(),
                "-f".to_owned(),
                "{connection_file}".to_owned(),
            ],
            folder: project.root().join("notebooks"),
            environment: project.environment(environment),
            interrupt: Interrupt::Message,
            transport: Transport::TCP,
            log: None,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let client = runtime.block_on(Client::start(&command, Duration::from_secs(60))).unwrap();
        Kernel { runtime, client: Some(client) }
    }

    /// Tells with the next cell which ones come after it.
    pub fn announce(&mut self, next: &[&str]) {
        let next = next.iter().map(|source| (*source).to_owned()).collect();
        self.client.as_mut().unwrap().announce(next);
    }

    pub fn run(&mut self, code: &str) -> Run {
        self.run_within(code, Duration::from_secs(120))
    }

    pub fn run_within(&mut self, code: &str, limit: Duration) -> Run {
        let mut messages = Vec::new();
        let client = self.client.as_mut().unwrap();
        let done = self
            .runtime
            .block_on(client.execute(code, "cell-1", Some(limit), &mut |m| messages.push(m.clone())))
            .unwrap();
        Run { done, messages }
    }

    pub fn id(&self) -> i32 {
        self.client.as_ref().unwrap().id()
    }

    pub fn shutdown(mut self) {
        let client = self.client.take().unwrap();
        self.runtime.block_on(client.shutdown());
    }
}

pub const DEP: &str = ":dep workbench = { path = \"../workbench\" }";
