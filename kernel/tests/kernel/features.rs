//! Features of the crate that cells ask for: obeyed or refused, and never ignored.

use std::path::Path;
use std::process::Command;

use crate::common::{DEP, Kernel, Project};

/// A project whose crate has features.
fn project() -> Project {
    let project = Project::new();
    let root = project.root();
    let manifest = root.join("workbench/Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let features = "\n[features]\ntensors = []\nother = []\ncuda = [\"tensors\"]\n";
    std::fs::write(&manifest, text + features).unwrap();
    let source = root.join("workbench/src/lib.rs");
    let text = std::fs::read_to_string(&source).unwrap();
    let code = "#[cfg(feature = \"tensors\")] pub fn tensors() -> u8 { 5 }\n#[cfg(feature = \"other\")] pub fn other() -> u8 { 6 }\n";
    std::fs::write(source, text + code).unwrap();
    project
}

fn asks(names: &str) -> String {
    format!(":dep workbench = {{ path = \"../workbench\", features = [{names}] }}")
}

#[test]
fn a_feature_is_obeyed_said_once_and_shared_by_later_kernels() {
    let project = project();
    let mut kernel = Kernel::start(&project);
    let first = kernel.run(&asks("\"tensors\"")).ok();
    let said = first.stream(true);
    assert!(said.contains("asks for `tensors`") && said.contains("building"), "{said}");
    assert_eq!(kernel.run("(workbench::tensors(), workbench::version())").ok().value(), "(5, 1)");
    // Another wish in a session that holds variables: it is not lost behind the reader's back.
    kernel.run("let kept = 3;").ok();
    let (name, message) = kernel.run(&asks("\"other\"")).error();
    assert_eq!(name, "restart needed", "{message}");
    assert!(message.contains("`other`"), "{message}");
    assert_eq!(kernel.run("kept").ok().value(), "3");
    kernel.shutdown();

    // Both wishes are in the one build, for notebooks that ask for either or for none.
    for line in [asks("\"other\""), asks("\"tensors\""), DEP.to_owned()] {
        let mut kernel = Kernel::start(&project);
        let ran = kernel.run(&line).ok();
        assert!(!ran.stream(true).contains("asks for"), "{}", ran.stream(true));
        assert_eq!(kernel.run("workbench::tensors() + workbench::other()").ok().value(), "11");
        kernel.shutdown();
    }
}

#[test]
fn what_cannot_be_had_is_refused_with_what_to_do() {
    let project = project();
    let mut kernel = Kernel::start(&project);
    let (_, message) = kernel.run(&asks("\"tensor\"")).error();
    assert!(message.contains("no feature `tensor`"), "{message}");
    assert!(message.contains("`cuda`, `other`, `tensors`"), "{message}");
    let (_, message) = kernel.run(&asks("\"cuda\"")).error();
    assert!(message.contains("cargo workbench setup --cuda"), "{message}");
    // Nothing was built or recorded for it.
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "1");
    assert!(!kernel.run("workbench::tensors()").stream(true).contains("building"));
    kernel.shutdown();
}

/// A shared library made by the C compiler.
fn library(file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let source = file.with_extension("c");
    std::fs::write(&source, text).unwrap();
    let status = Command::new("cc").args(["-shared", "-fPIC", "-w", "-o"]).args([file, &source]).status().unwrap();
    assert!(status.success());
}

#[test]
fn with_the_setting_cells_link_and_load_what_the_toolkit_has_and_without_it_they_do_again_without() {
    let project = project();
    let root = project.root();
    let toolkit = root.join("toolkit");
    library(&toolkit.join("lib64/libgpu_of_a_test.so"), "int answer(void) { return 42; }");
    // As candle's kernels do: an archive that only the build script knows the folder of, and a library of the toolkit.
    let build = r#"use std::process::Command;
fn main() {
    if std::env::var_os("CARGO_FEATURE_CUDA").is_none() { return; }
    let root = std::env::var("CUDA_HOME").unwrap();
    let out = std::env::var("OUT_DIR").unwrap();
    std::fs::write(format!("{out}/k.c"), "int launched(void) { return 7; }").unwrap();
    let run = |program: &str, args: &[&str]| assert!(Command::new(program).args(args).current_dir(&out).status().unwrap().success());
    run("cc", &["-fPIC", "-c", "k.c", "-o", "k.o"]);
    run("ar", &["rcs", "libkernels_of_a_test.a", "k.o"]);
    println!("cargo:rustc-link-search={out}");
    println!("cargo:rustc-link-lib=kernels_of_a_test");
    println!("cargo:rustc-link-search=native={root}/lib64");
    println!("cargo:rustc-link-lib=dylib=gpu_of_a_test");
    println!("cargo:rerun-if-env-changed=CUDA_COMPUTE_CAP");
    println!("cargo:rustc-env=CAPABILITY={}", std::env::var("CUDA_COMPUTE_CAP").unwrap());
}
"#;
    std::fs::write(root.join("workbench/build.rs"), build).unwrap();
    let source = root.join("workbench/src/lib.rs");
    let text = std::fs::read_to_string(&source).unwrap();
    let code = "#[cfg(feature = \"cuda\")] mod gpu { unsafe extern \"C\" { pub fn answer() -> i32; pub fn launched() -> i32; } }\n\
        #[cfg(feature = \"cuda\")] pub fn answer() -> (i32, &'static str) { (unsafe { gpu::answer() + gpu::launched() }, env!(\"CAPABILITY\")) }\n";
    std::fs::write(&source, text + code).unwrap();
    let record = root.join(".workbench/cuda.json");
    std::fs::create_dir_all(record.parent().unwrap()).unwrap();
    let setting = serde_json::json!({"toolkit": {"root": toolkit, "version": [13, 0]}, "capability": "9.0"});
    std::fs::write(&record, setting.to_string()).unwrap();

    let mut kernel = Kernel::start(&project);
    kernel.run(&asks("\"cuda\"")).ok();
    assert_eq!(kernel.run("workbench::answer()").ok().value(), "(49, \"90\")");
    // A cell with symbols of its own is linked in the other way.
    let own = "#[unsafe(no_mangle)] pub extern \"C\" fn mine() -> i32 { workbench::answer().0 }\nmine()";
    assert_eq!(kernel.run(own).ok().value(), "49");
    kernel.shutdown();

    std::fs::remove_file(&record).unwrap();
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "1");
    let (_, message) = kernel.run("workbench::answer()").error();
    assert!(message.contains("answer"), "{message}");
    kernel.shutdown();

    // A record that is damaged is told, and how it is made anew.
    std::fs::write(&record, "{").unwrap();
    let mut kernel = Kernel::start(&project);
    let (_, message) = kernel.run(DEP).error();
    assert!(message.contains("setup --cuda") && message.contains("--no-cuda"), "{message}");
    kernel.shutdown();
}

#[test]
fn where_a_link_fails_the_linker_speaks_for_itself() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    let (_, message) = kernel
        .run("#[link(name = \"no_such_library_here\")] unsafe extern \"C\" { pub fn nothing() -> i32; }\nunsafe { nothing() }")
        .error();
    assert!(message.contains("does not link") && message.contains("-lno_such_library_here"), "{message}");
    kernel.shutdown();
}
