//! Tests of the feature `cuda` on machines without a GPU: lints with a stand-in for NVIDIA's compiler, then a program that
//! is linked and run with libraries that count calls and compute nothing.
//!
//! The stand-in compiles kernels to nothing, into the same build folder as everything else, where a real toolkit would compile them too.
//! It names a capability that no device has, so that cargo never takes its kernels for real ones. Where the GPU setting is on, its
//! toolkit serves, whose kernels would otherwise be compiled anew afterwards; the null driver, which only the stand-in's libraries bring,
//! is then linked in a build folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::bundle;
use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::tail;
use workbench_setup::Ready;
use workbench_setup::cuda::capability::Capability;
use workbench_setup::cuda::{Setting, prepend, turn};
use workbench_setup::system::{Machine, System};

/// The stand-in for NVIDIA's compiler.
const NVCC: &str = include_str!("../../../assets/stand-in/nvcc");
/// The folder of the null libraries' source, in the checkout.
const NULL: &str = "workbench/tensors/tests/null_driver";
/// What compiles the project's own kernels, in the checkout, and what is committed of that beside it.
const KERNELS: (&str, &str) = ("workbench/tensors/src/device/kernels.sh", "kernels.ptx");
/// The libraries, and under which name the loader looks for what a real toolkit links.
const LIBRARIES: [(&str, &[&str]); 6] = [
    ("cuda", &["libcuda.so.1"]),
    ("cublas", &["libcublas.so.11", "libcublas.so.12", "libcublas.so.13"]),
    ("cublasLt", &["libcublasLt.so.11", "libcublasLt.so.12", "libcublasLt.so.13"]),
    ("curand", &["libcurand.so.10"]),
    ("cudart", &["libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"]),
    ("nvrtc", &["libnvrtc.so.11.2", "libnvrtc.so.12", "libnvrtc.so.13"]),
];
/// What the real toolkit compiles for where nothing else says it.
const USUAL: (u32, u32) = (9, 0);

/// What builds with the feature are given.
pub struct Gpu {
    /// Variables for cargo.
    pub build: Vec<(String, String)>,
    /// The same, and programs load the null libraries.
    pub run: Vec<(String, String)>,
    /// Programs also link the null libraries, and may ask them what they counted.
    pub count: Vec<(String, String)>,
    /// The toolkit, for the heading.
    pub toolkit: String,
    /// Its compiler, unless that is the stand-in.
    pub compiler: Option<PathBuf>,
}

/// Makes the null libraries in `folder`, and finds or makes the toolkit: the setting's, with `real` any real one, else the stand-in.
///
/// # Errors
/// What cannot be written or compiled, and a real toolkit that cannot be had.
pub fn prepare(ready: &Ready, folder: &Path, real: bool) -> Result<Gpu> {
    let state = ready.workspace.state();
    let null = folder.join("null");
    make_null(&ready.workspace.root().join(NULL), &null, &Machine)?;
    let setting = match Setting::read(&state)? {
        None if real => {
            let (major, minor) = USUAL;
            let capability = Capability::new(major, minor);
            Some(turn::on(&ready.workspace, Some(capability), &Machine, &mut progress::step)?)
        }
        setting => setting,
    };
    let stands_in = stand_in(folder, &null)?;
    let mut count = stands_in.clone();
    let compiler = setting.as_ref().map(|setting| setting.toolkit.nvcc());
    let (build, toolkit) = match setting {
        Some(setting) => {
            count.push(("CARGO_TARGET_DIR".to_owned(), folder.join("target").display().to_string()));
            (setting.build_environment(), setting.describe())
        }
        None => (stands_in, "a stand-in for the compiler".to_owned()),
    };
    let mut run = build.clone();
    let name = "LD_LIBRARY_PATH";
    let known = ready.environment.iter().find(|(known, _)| known == name);
    let old = known.map(|(_, folders)| folders.clone()).or_else(|| Machine.var(name));
    // What a real compiler makes calls the toolkit's own run-time library, which asks the null driver.
    let driver = match compiler {
        Some(_) => beside(&null, &folder.join("null-driver"))?,
        None => null.clone(),
    };
    prepend(&mut run, name, &[driver], old.clone());
    prepend(&mut count, name, &[null], old);
    Ok(Gpu { build, run, count, toolkit, compiler })
}

/// Compiles the project's own kernels with a real compiler: what is committed has to be what it makes, if it is of the same version. What
/// differs, or the compiler's words.
///
/// # Errors
/// A script that does not start, files that cannot be read.
pub fn kernels_compile(ready: &Ready, compiler: &Path, folder: &Path) -> Result<Result<(), String>> {
    let script = ready.workspace.root().join(KERNELS.0);
    let (made, kept) = (folder.join(KERNELS.1), script.with_file_name(KERNELS.1));
    let output =
        Command::new("sh").args([&script, &made]).env("NVCC", compiler).stdin(Stdio::null()).output().map_err(
            |source| Error::Start {
                program: script.display().to_string(),
                source,
                hint: "a POSIX shell is needed".into(),
            },
        )?;
    if !output.status.success() {
        return Ok(Err(tail(&String::from_utf8_lossy(&output.stderr), 20)));
    }
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source));
    let (made, kept) = (read(&made)?, read(&kept)?);
    Ok(same_kernels(&made, &kept))
}

/// Whether two texts for devices are the same, as far as compilers of one version made them.
fn same_kernels(made: &str, kept: &str) -> Result<(), String> {
    let version = |text: &str| text.lines().find(|line| line.contains("release")).map(str::to_owned);
    if version(made) != version(kept) || made == kept {
        return Ok(());
    }
    Err(format!("{} is not what its compiler makes: run {}", KERNELS.1, KERNELS.0))
}

/// Makes the bundle and runs it with the null libraries, which compute nothing: the script has to come to its end and leave its tables.
/// What it said if it did not.
///
/// # Errors
/// A bundle that cannot be made, or a script that does not start.
pub fn bundle_runs(ready: &Ready, gpu: &Gpu, out: &Path) -> Result<Result<(), String>> {
    let environment: Vec<(String, String)> = ready.environment.iter().chain(&gpu.run).cloned().collect();
    bundle::make(&ready.workspace, &environment, "13.0", out)?;
    let tables = out.join("tables");
    // Those of an earlier test would pass for this one's.
    let _ = std::fs::remove_dir_all(&tables);
    let output = Command::new("sh")
        .args(["run.sh", "--no-torch", "--quick"])
        .current_dir(out)
        .envs(environment)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::Start {
            program: "sh run.sh".into(),
            source,
            hint: "a POSIX shell is needed".into(),
        })?;
    // Numbers that nothing computed differ, which is status 1.
    let ended = matches!(output.status.code(), Some(0 | 1));
    let wrote = |name: &str| std::fs::read_to_string(tables.join(name)).unwrap_or_default();
    // Either way to multiply is timed.
    let timed = [",library,", ",tiles,"].iter().all(|way| wrote("timings.csv").contains(way));
    if ended && timed && !wrote("agreement.csv").is_empty() {
        return Ok(Ok(()));
    }
    let said = [output.stdout, output.stderr].concat();
    Ok(Err(format!("the bundle ended with {}:{}", output.status, tail(&String::from_utf8_lossy(&said), 20))))
}

/// Lays out a folder as a toolkit whose compiler is the stand-in; variables for cargo.
fn stand_in(folder: &Path, null: &Path) -> Result<Vec<(String, String)>> {
    let root = folder.join("toolkit");
    let nvcc = root.join("bin/nvcc");
    let made = || -> std::io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        std::fs::create_dir_all(root.join("bin"))?;
        std::fs::create_dir_all(root.join("include"))?;
        // Cargo goes by what variables name and not by the file, so it may be written again.
        std::fs::write(&nvcc, NVCC)?;
        std::fs::set_permissions(&nvcc, std::fs::Permissions::from_mode(0o755))?;
        let lib = root.join("lib64");
        if lib.symlink_metadata().is_err() {
            std::os::unix::fs::symlink(null, &lib)?;
        }
        Ok(())
    };
    made().map_err(|source| Error::io("make a stand-in for a toolkit in", &root, source))?;
    let root = root.display().to_string();
    Ok([
        ("CUDA_HOME", root.clone()),
        ("CUDA_PATH", root.clone()),
        ("CUDA_ROOT", root),
        ("NVCC", nvcc.display().to_string()),
        ("CUDARC_CUDA_VERSION", "13000".to_owned()),
        ("CUDA_COMPUTE_CAP", "99".to_owned()),
        ("CUDAFORGE_THREADS", "2".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into())
}

/// Compiles the null libraries, and gives them all names under which they are looked for.
fn make_null(source: &Path, folder: &Path, system: &dyn System) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| Error::io("make", folder, error))?;
    for (name, names) in LIBRARIES {
        let file = source.join(format!("{name}.c"));
        let library = folder.join(format!("lib{name}.so"));
        compile(&file, &library, system)?;
        for other in names {
            let link = folder.join(other);
            if link.symlink_metadata().is_err() {
                let to = PathBuf::from(format!("lib{name}.so"));
                std::os::unix::fs::symlink(to, &link).map_err(|error| Error::io("make", &link, error))?;
            }
        }
    }
    Ok(())
}

/// The null libraries without that of the run time, in a folder of their own.
fn beside(null: &Path, folder: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).map_err(|error| Error::io("make", folder, error))?;
    for (name, names) in LIBRARIES.iter().filter(|(name, _)| *name != "cudart") {
        for other in *names {
            let link = folder.join(other);
            if link.symlink_metadata().is_err() {
                let to = null.join(format!("lib{name}.so"));
                let to = std::path::absolute(&to).unwrap_or(to);
                std::os::unix::fs::symlink(to, &link).map_err(|error| Error::io("make", &link, error))?;
            }
        }
    }
    Ok(folder.to_path_buf())
}

/// The files that a source includes by names between quotes, and those that they include.
fn included(source: &Path) -> Vec<PathBuf> {
    let folder = source.parent().unwrap_or(Path::new("."));
    let text = std::fs::read_to_string(source).unwrap_or_default();
    let named = text.lines().filter_map(|line| line.strip_prefix("#include \""));
    let files = named.map(|rest| folder.join(rest.trim_end_matches('"')));
    files.flat_map(|file| [vec![file.clone()], included(&file)].concat()).collect()
}

fn compile(source: &Path, library: &Path, system: &dyn System) -> Result<()> {
    let newest = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    let folder = source.parent().unwrap_or(Path::new("."));
    let text = std::fs::read_to_string(source).unwrap_or_default();
    let sources = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let changed = sources.map(|entry| entry.path()).chain(included(source)).filter_map(|path| newest(&path)).max();
    if newest(library).is_some_and(|made| changed.is_none_or(|changed| changed < made)) && source.is_file() {
        return Ok(());
    }
    let first = text.lines().next().unwrap_or_default();
    // What programs look for is the name that a source begins with.
    let named = first.strip_prefix("/* soname: ").and_then(|rest| rest.strip_suffix(" */"));
    let own = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let soname = format!("-Wl,-soname,{}", named.unwrap_or(&own));
    let (from, to) = (source.display().to_string(), library.display().to_string());
    let ran = system.run("cc", &["-shared", "-fPIC", "-O1", "-w", &soname, "-o", &to, &from, "-lm"]);
    match ran {
        Some(ran) if ran.ok => Ok(()),
        ran => Err(Error::Failed {
            what: format!("compiling the null library {}", source.display()),
            status: "the C compiler refused it".into(),
            hint: "see that `cc` works, and restore the file from the repository".into(),
            tail: tail(&ran.unwrap_or_default().output, 8),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stand_in_answers_as_the_compiler_does_and_makes_what_the_build_looks_for() {
        let folder = tempfile::tempdir().unwrap();
        let environment = stand_in(folder.path(), &folder.path().join("null")).unwrap();
        let value = |name: &str| environment.iter().find(|(n, _)| n == name).unwrap().1.clone();
        let nvcc = value("NVCC");
        let toolkit = workbench_setup::cuda::toolkit::at(Path::new(&value("CUDA_HOME")), &Machine).unwrap();
        assert_eq!(toolkit.version.in_digits(), value("CUDARC_CUDA_VERSION"));

        let place = folder.path().join("crate");
        std::fs::create_dir_all(place.join("src")).unwrap();
        std::fs::write(
            place.join("src/ffi.rs"),
            "extern \"C\" {\n    pub fn launch_one(\n    pub fn launch_two(x: i32);\n}",
        )
        .unwrap();
        std::fs::write(place.join("src/affine.cu"), "").unwrap();
        let run = |args: &[&str]| {
            let status = std::process::Command::new(&nvcc).args(args).current_dir(&place).status().unwrap();
            assert!(status.success(), "{args:?}");
        };
        run(&["-gencode=x", "--ptx", "--output-directory", ".", "-O3", "src/affine.cu"]);
        assert!(std::fs::read_to_string(place.join("affine.ptx")).unwrap().starts_with(".version"));
        run(&["-gencode=x", "-c", "-o", "affine.o", "src/affine.cu"]);
        run(&["--lib", "-o", "libmoe.a", "affine.o"]);
        std::fs::write(
            place.join("use.c"),
            "void launch_one(void); void launch_two(void); int main(void) { launch_one(); launch_two(); return 0; }",
        )
        .unwrap();
        let linked = std::process::Command::new("cc")
            .args(["use.c", "libmoe.a", "-o", "use"])
            .current_dir(&place)
            .status()
            .unwrap();
        assert!(linked.success());
    }

    #[test]
    fn committed_kernels_are_compared_with_what_their_compiler_makes() {
        let of = |version: &str, rest: &str| format!("// Cuda compilation tools, release {version}\n{rest}");
        assert!(same_kernels(&of("13.0", "a"), &of("13.0", "a")).is_ok());
        assert!(same_kernels(&of("13.1", "b"), &of("13.0", "a")).is_ok());
        let error = same_kernels(&of("13.0", "b"), &of("13.0", "a")).unwrap_err();
        assert!(error.contains("kernels.sh"), "{error}");
    }

    #[test]
    fn a_null_library_is_made_again_when_what_it_includes_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (source, null) = (folder.path().join("tests/source"), folder.path().join("null"));
        std::fs::create_dir_all(&source).unwrap();
        std::fs::create_dir_all(&null).unwrap();
        let (file, included) = (source.join("cuda.c"), folder.path().join("tiled.cu"));
        std::fs::write(&file, "#include \"../../kernels.cu\"\n").unwrap();
        std::fs::write(folder.path().join("kernels.cu"), "#include \"tiled.cu\"\n").unwrap();
        std::fs::write(&included, "int one(void) { return 1; }\n").unwrap();
        let library = null.join("libcuda.so");
        compile(&file, &library, &Machine).unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        std::fs::write(&included, "int two(void) { return 2; }\n").unwrap();
        std::fs::File::options().write(true).open(&included).unwrap().set_modified(later).unwrap();
        compile(&file, &library, &Machine).unwrap();
        let bytes = std::fs::read(&library).unwrap();
        let has = |name: &[u8]| bytes.windows(name.len()).any(|part| part == name);
        assert!(has(b"two") && !has(b"one\0"));
    }

    #[test]
    fn a_null_library_that_does_not_compile_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        std::fs::create_dir_all(&source).unwrap();
        std::fs::write(source.join("cuda.c"), "int cuInit(").unwrap();
        let error = make_null(&source, &folder.path().join("null"), &Machine).unwrap_err().to_string();
        assert!(error.contains("cuda.c") && error.contains("null library"), "{error}");
    }

    #[test]
    fn null_libraries_are_found_under_the_names_that_a_real_toolkit_links() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        std::fs::create_dir_all(&source).unwrap();
        for (name, _) in LIBRARIES {
            std::fs::write(source.join(format!("{name}.c")), format!("int of_{name}(void) {{ return 0; }}")).unwrap();
        }
        let null = folder.path().join("null");
        for _ in 0..2 {
            make_null(&source, &null, &Machine).unwrap();
        }
        for name in ["libcuda.so.1", "libcublas.so.13", "libcurand.so.10", "libcudart.so.12"] {
            assert!(null.join(name).is_file(), "{name}");
        }
        let driver = beside(&null, &folder.path().join("driver")).unwrap();
        assert!(driver.join("libcuda.so.1").is_file() && !driver.join("libcudart.so.13").exists());
    }
}
