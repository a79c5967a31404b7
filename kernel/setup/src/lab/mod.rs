//! `cargo workbench lab`: JupyterLab on loopback with a token, everything it writes kept inside the project.

mod pairs;

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::Ready;
use crate::paths::Workspace;
use crate::programs::become_it;
use workbench_base::args::whole;
use workbench_base::error::{Error, Result};
use workbench_base::names::KERNEL_NAME;
use workbench_base::notebook;
use workbench_base::private;
use workbench_base::progress;

/// Options of `lab`.
#[derive(Args, Clone, Debug)]
pub struct LabArgs {
    /// Port on 127.0.0.1; without it the first free one from 8888
    #[arg(long, value_parser = whole::<u16>)]
    pub port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    pub no_browser: bool,
    /// Make the Python environment with conda
    #[arg(long)]
    pub conda: bool,
}

/// First port that is tried when none is asked for.
const FIRST_PORT: u16 = 8888;
/// How many ports are tried.
const TRIES: u16 = 20;

/// Prepares what is missing and becomes JupyterLab.
pub fn command(args: &LabArgs) -> Result<i32> {
    // Before the build, so that a port in use is said at once.
    let port = choose_port(args.port, FIRST_PORT)?;
    let ready = crate::for_lab(args.conda)?;
    let token = uuid::Uuid::new_v4().simple().to_string();
    let browser = !args.no_browser && has_display();
    let root = ready.workspace.root();
    let page = first_page(&ready.workspace);
    let mut lab = lab_command(&ready, port, &token, root, &page)?;
    if !browser {
        lab.arg("--ServerApp.open_browser=False");
    }
    progress::step(&format!("JupyterLab: {}   (Ctrl-C twice ends it)", address(port, &page, &token)));
    let program = lab.get_program().to_string_lossy().into_owned();
    let source = become_it(&mut lab);
    Err(Error::Start { program, source, hint: "delete .workbench/venv and try again".into() })
}

/// The command line and the variables of JupyterLab over a folder.
fn lab_command(ready: &Ready, port: u16, token: &str, root: &Path, page: &str) -> Result<Command> {
    let workspace = &ready.workspace;
    let mut command = Command::new(workspace.venv_program("jupyter-lab"));
    command
        .arg("--ServerApp.ip=127.0.0.1")
        .arg(format!("--ServerApp.port={port}"))
        .arg("--ServerApp.port_retries=0")
        .arg(format!("--MultiKernelManager.default_kernel_name={KERNEL_NAME}"))
        // Sockets in the runtime folder, which is the owner's alone: any user of the machine could connect to a kernel's ports, and read.
        .arg("--KernelManager.transport=ipc")
        // Nothing is looked up on the network once set-up is done.
        .arg("--LabApp.news_url=None")
        .arg("--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate")
        .arg(format!("--ServerApp.root_dir={}", root.display()))
        .arg(format!("--LabApp.default_url={page}"))
        .current_dir(root)
        .envs(ready.environment.iter().cloned())
        // Not on the command line, where every user of the machine could read it.
        .env("JUPYTER_TOKEN", token)
        .env("WORKBENCH_ROOT", workspace.root());
    if is_root() {
        command.arg("--ServerApp.allow_root=True");
    }
    let own = own_folder(workspace);
    keep(&own)?;
    for (name, folder) in jupyter_folders(workspace) {
        keep(&folder)?;
        command.env(name, folder);
    }
    quiet_pages(workspace)?;
    pairs::install(&own)?;
    Ok(command)
}

/// Makes a folder that only its owner can enter: Jupyter writes its token into files that everybody may read. The umask stays as it is,
/// since it would hide the notebooks, too, from those with whom the project is shared.
fn keep(folder: &Path) -> Result<()> {
    private::make(folder).map_err(|source| {
        let why = format!(
            "cannot keep {folder:?} from other users of this machine: {source}; JupyterLab's token would lie there for them to read. Delete \
             it if it is another user's, or put the project on a disk that knows users' rights"
        );
        Error::Room(why.into())
    })
}

/// JupyterLab over a folder of its own, for a test in a browser: nothing of the reader's settings is read or written.
pub fn for_test(ready: &Ready, port: u16, token: &str, folder: &Path) -> Result<Command> {
    let mut command = lab_command(ready, port, token, &folder.join("notebooks"), "/lab")?;
    // The test asks the page itself what it has open.
    command
        .args(["--ServerApp.open_browser=False", "--LabApp.expose_app_in_browser=True"])
        .env("JUPYTERLAB_SETTINGS_DIR", folder.join("settings"))
        .env("JUPYTERLAB_WORKSPACES_DIR", folder.join("workspaces"));
    Ok(command)
}

/// Turns off the extension that asks whether to fetch news.
fn quiet_pages(workspace: &Workspace) -> Result<()> {
    let path = own_folder(workspace).join("config/labconfig/page_config.json");
    let text = "{\n  \"disabledExtensions\": {\"@jupyterlab/apputils-extension:announcements\": true}\n}\n";
    workbench_record::atomic::write(&path, text.as_bytes()).map_err(|source| Error::io("write", &path, source))
}

/// The folder of all that Jupyter keeps for itself.
fn own_folder(workspace: &Workspace) -> PathBuf {
    workspace.state().join("jupyter")
}

/// The folder of connection files and of the sockets beside them. Where the project's path is too long for sockets it is a temporary one,
/// the same for each start.
fn runtime_folder(workspace: &Workspace) -> PathBuf {
    let within = own_folder(workspace).join("runtime");
    let socket = within.join("kernel-00000000-0000-0000-0000-000000000000-ipc-1");
    if socket.as_os_str().len() <= private::LONGEST_SOCKET {
        return within;
    }
    let name = &workbench_record::digest::of(within.as_os_str().as_encoded_bytes())[..12];
    Path::new("/tmp").join(format!("workbench-lab-{name}"))
}

/// Folders that Jupyter would otherwise make in the user's home.
pub fn jupyter_folders(workspace: &Workspace) -> Vec<(&'static str, PathBuf)> {
    let base = own_folder(workspace);
    let mut folders: Vec<(&'static str, PathBuf)> = [
        ("JUPYTER_CONFIG_DIR", "config"),
        ("JUPYTER_DATA_DIR", "data"),
        ("JUPYTERLAB_SETTINGS_DIR", "settings"),
        ("JUPYTERLAB_WORKSPACES_DIR", "workspaces"),
        ("IPYTHONDIR", "ipython"),
    ]
    .into_iter()
    .map(|(name, folder)| (name, base.join(folder)))
    .collect();
    folders.push(("JUPYTER_RUNTIME_DIR", runtime_folder(workspace)));
    folders
}

/// The page that opens: the tour, or else the first notebook, or else the file browser.
fn first_page(workspace: &Workspace) -> String {
    let all = notebook::find_all(&workspace.notebooks());
    let tour = all.iter().find(|path| path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains("tour")));
    match tour.or(all.first()) {
        Some(path) => match path.strip_prefix(workspace.root()) {
            Ok(path) => format!("/lab/tree/{}", path.display()),
            Err(_) => "/lab".into(),
        },
        None => "/lab".into(),
    }
}

/// The address of a page, as a browser takes it.
fn address(port: u16, page: &str, token: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let page: String = page
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    format!("http://127.0.0.1:{port}{page}?token={token}")
}

/// A free port on loopback: the one asked for, any if that is 0, or the first free one from `first`.
///
/// **Errors**: [`Error::PortInUse`] when the one asked for is taken, or all that were tried are.
pub fn choose_port(asked: Option<u16>, first: u16) -> Result<u16> {
    let free = |port: u16| Some(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()?.local_addr().ok()?.port());
    if let Some(port) = asked {
        return free(port).ok_or(Error::PortInUse { port, tried: String::new() });
    }
    let last = first.saturating_add(TRIES - 1);
    match (first..=last).find_map(free) {
        Some(port) => {
            if port != first {
                progress::note(&format!("port {first} is in use, taking {port}"));
            }
            Ok(port)
        }
        None => Err(Error::PortInUse { port: first, tried: format!(", and so are all up to {last}") }),
    }
}

fn has_display() -> bool {
    cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

fn is_root() -> bool {
    // SAFETY: geteuid has no arguments and cannot fail.
    cfg!(unix) && unsafe { libc::geteuid() } == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> (tempfile::TempDir, Workspace) {
        let root = tempfile::tempdir().unwrap();
        for part in ["workbench", "kernel", "notebooks"] {
            std::fs::create_dir_all(root.path().join(part)).unwrap();
            std::fs::write(root.path().join(part).join("Cargo.toml"), "").unwrap();
        }
        let workspace = Workspace::at(root.path()).unwrap();
        (root, workspace)
    }

    #[test]
    fn a_port_in_use_is_refused_when_asked_for_and_passed_over_when_not() {
        let held = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = held.local_addr().unwrap().port();
        let error = choose_port(Some(port), FIRST_PORT).unwrap_err().to_string();
        assert!(error.contains(&port.to_string()), "{error}");
        assert!(error.contains("--port"), "{error}");
        let other = choose_port(None, port).unwrap();
        assert!(other > port);
        let any = choose_port(Some(0), FIRST_PORT).unwrap();
        assert!(any > 0 && any != port);
    }

    fn lab_command_env(ready: &Ready, wanted: &str) -> Option<String> {
        let command = lab_command(ready, 9000, "secret", ready.workspace.root(), "/lab").unwrap();
        let found = command.get_envs().find(|(name, _)| *name == wanted);
        found.and_then(|(_, value)| Some(value?.to_string_lossy().into_owned()))
    }

    #[test]
    fn jupyterlab_stays_on_loopback_and_out_of_the_home_folder() {
        let (_root, workspace) = workspace();
        let ready =
            Ready { workspace: workspace.clone(), environment: vec![("LD_LIBRARY_PATH".into(), "/conda/lib".into())] };
        let command = for_test(&ready, 9000, "secret", workspace.root()).unwrap();
        let args: Vec<String> = command.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
        assert!(args.contains(&"--ServerApp.ip=127.0.0.1".to_string()));
        assert!(args.contains(&"--ServerApp.open_browser=False".to_string()));
        assert!(!args.iter().any(|arg| arg.contains("secret")), "{args:?}");
        assert!(args.contains(&"--KernelManager.transport=ipc".to_string()));
        let env = |wanted: &str| {
            command
                .get_envs()
                .find(|(name, _)| *name == wanted)
                .and_then(|(_, value)| value)
                .map(|value| value.to_string_lossy().into_owned())
        };
        assert_eq!(env("JUPYTER_TOKEN").as_deref(), Some("secret"));
        assert_eq!(env("LD_LIBRARY_PATH").as_deref(), Some("/conda/lib"));
        for name in ["JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR"] {
            assert_ne!(env(name), lab_command_env(&ready, name), "{name}: a reader's own");
        }
        for (name, folder) in jupyter_folders(&workspace) {
            assert!(folder.starts_with(workspace.state()) || name == "JUPYTER_RUNTIME_DIR", "{name}");
            assert_eq!(lab_command_env(&ready, name), Some(folder.display().to_string()));
        }
    }

    #[test]
    fn sockets_of_kernels_have_a_path_that_the_system_takes() {
        let place = tempfile::tempdir_in("/tmp").unwrap();
        for (folder, inside) in
            [("a", true), ("a-project-with-a-name-that-goes-on-and-on-and-on-until-it-is-far-too-long", false)]
        {
            let root = place.path().join(folder);
            for part in ["workbench", "kernel", "notebooks"] {
                std::fs::create_dir_all(root.join(part)).unwrap();
                std::fs::write(root.join(part).join("Cargo.toml"), "").unwrap();
            }
            let workspace = Workspace::at(&root).unwrap();
            let runtime = runtime_folder(&workspace);
            assert_eq!(runtime.starts_with(workspace.state()), inside, "{}", runtime.display());
            assert!(runtime.as_os_str().len() < 60, "{}", runtime.display());
        }
    }

    #[test]
    fn nobody_else_can_enter_the_folders_with_the_token() {
        use std::os::unix::fs::PermissionsExt;
        let (_root, workspace) = workspace();
        let own = own_folder(&workspace);
        let folders: Vec<PathBuf> = jupyter_folders(&workspace).into_iter().map(|(_, folder)| folder).collect();
        // As an earlier version and Jupyter left them.
        for folder in [&own].into_iter().chain(&folders) {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o1755)).unwrap();
        }
        let ready = Ready { workspace: workspace.clone(), environment: Vec::new() };
        for before in ["open", "missing"] {
            if before == "missing" {
                std::fs::remove_dir_all(&own).unwrap();
            }
            lab_command(&ready, 9000, "secret", workspace.root(), "/lab").unwrap();
            for folder in [&own].into_iter().chain(&folders) {
                assert!(!private::is_open(folder).unwrap(), "{before}: {}", folder.display());
            }
        }
        assert!(!private::is_open(&workspace.logs().unwrap()).unwrap());
        // Where it cannot be so, JupyterLab is not started.
        std::fs::remove_dir_all(&own).unwrap();
        std::fs::write(&own, "").unwrap();
        let error = lab_command(&ready, 9000, "secret", workspace.root(), "/lab").unwrap_err();
        assert!(error.to_string().contains("cannot keep") && error.status() == 4, "{error}");
    }

    #[test]
    fn the_tour_opens_first() {
        let (_root, workspace) = workspace();
        assert_eq!(first_page(&workspace), "/lab");
        std::fs::write(workspace.notebooks().join("a.ipynb"), "").unwrap();
        assert_eq!(first_page(&workspace), "/lab/tree/notebooks/a.ipynb");
        std::fs::write(workspace.notebooks().join("tour.ipynb"), "").unwrap();
        assert_eq!(first_page(&workspace), "/lab/tree/notebooks/tour.ipynb");
    }

    #[test]
    fn the_address_is_of_the_page_that_opens() {
        assert_eq!(address(8888, "/lab", "t"), "http://127.0.0.1:8888/lab?token=t");
        let page = address(8888, "/lab/tree/notebooks/a b#é.ipynb", "t");
        assert_eq!(page, "http://127.0.0.1:8888/lab/tree/notebooks/a%20b%23%C3%A9.ipynb?token=t");
    }
}
