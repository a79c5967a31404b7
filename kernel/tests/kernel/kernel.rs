//! The kernel over the protocol: values, variables, failures, changed sources.

use std::time::Duration;

use crate::common::{DEP, Kernel, Project};
use object::{Object, ObjectSection};

#[test]
fn values_variables_and_output() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    assert_eq!(kernel.run("1 + 1").ok().value(), "2");
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "1");

    // Types come from the compiler: of std, of private modules behind a re-export, of patterns, of string literals.
    kernel
        .run("let t = workbench::thing();\nlet (a, mut b) = (String::from(\"x\"), vec![1.5]);\nlet s = \"lit\";")
        .ok();
    assert_eq!(
        kernel.run("b.push(2.5);\n(a.clone(), b.len(), s, t.clone())").ok().value(),
        "(\"x\", 2, \"lit\", Thing([1, 2]))"
    );
    let vars = kernel.run(":vars").ok().value();
    assert!(vars.contains("workbench::deep::Thing<std::vec::Vec<u8>>"), "{vars}");

    // A type with a display of its own, a value without one, and the unit value.
    assert_eq!(kernel.run("workbench::Shown").ok().value(), "plain");
    assert_eq!(kernel.run("for _ in 0..2 {}").ok().value(), "");
    let shown = kernel.run("struct Plain;\nPlain");
    assert!(shown.error().1.contains("cannot be shown"), "{:?}", shown.error());

    // An error in place of a value is an error; one that was asked for is not.
    let shown = kernel.run("let kept = 3; \"x\".parse::<f64>()");
    assert!(shown.error().1.contains("ParseFloatError"), "{:?}", shown.error());
    assert_eq!(kernel.run("kept").ok().value(), "3");
    assert_eq!(kernel.run("\"1\".parse::<f64>()").ok().value(), "Ok(1.0)");
    assert!(kernel.run("\"x\".parse::<f64>().is_err()").ok().value().contains("true"));

    // Streams apart, partial lines complete, in order with rich output.
    let run = kernel.run("print!(\"a\"); eprintln!(\"e\"); println!(\"b\"); print!(\"no newline\");").ok();
    assert_eq!(run.stream(false), "ab\nno newline");
    assert_eq!(run.stream(true), "e\n");

    // Items of a cell serve later cells; redefining replaces.
    kernel.run("fn square(x: f64) -> f64 { x * x }").ok();
    assert_eq!(kernel.run("square(3.0)").ok().value(), "9.0");
    kernel.run("fn square(x: f64) -> f64 { x * x + 1.0 }").ok();
    assert_eq!(kernel.run("square(3.0)").ok().value(), "10.0");
    kernel.shutdown();
}

#[test]
fn the_compiler_gets_what_the_cell_mentions() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run(DEP).ok();
    kernel.run("let kept = vec![1.5]; let idle = 7_usize;").ok();
    let own_source = "kept.len(); let file = std::env::var(\"WORKBENCH_CELL_FILE\")?;\n\
        std::fs::read_to_string(std::path::Path::new(&file).with_file_name(\"cell.rs\"))?";
    let compiled = kernel.run(own_source).ok().value();
    assert!(compiled.contains("stringify!(kept)"), "{compiled}");
    // Otherwise evcxr writes other text than `eval::compiled` knows, and cells are slow again.
    for left_out in ["stringify!(idle)", "mod evcxr_internal_runtime {", "struct EvcxrUserCodeError"] {
        assert!(!compiled.contains(left_out), "{left_out}: {compiled}");
    }
    assert_eq!(kernel.run("idle + kept.len()").ok().value(), "8");
    kernel.shutdown();
}

#[test]
fn cells_link_against_the_name_and_the_metadata_of_the_crate() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "1");
    let frozen = project.root().join(".workbench/frozen");
    let folder =
        std::fs::read_dir(frozen).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap();
    let parts = |file: &str| {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let parsed = object::File::parse(&*bytes).unwrap();
        let metadata = parsed.section_by_name(".rustc").unwrap().data().unwrap().to_vec();
        (metadata, parsed.exports().unwrap().count())
    };
    let (whole, interface) = (parts("libworkbench.so"), parts("interface/libworkbench.so"));
    assert!(whole.0 == interface.0 && !whole.0.is_empty());
    assert!(whole.1 > 0);
    assert_eq!(interface.1, 0);
    kernel.shutdown();
}

#[test]
fn a_variable_whose_type_was_defined_anew_is_given_up_and_said() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel
        .run("#[derive(Debug)]\nstruct Rate(f32);\nlet rate = Rate(0.5); let all: Vec<Rate> = vec![Rate(1.0)]; let n = 3;")
        .ok();
    kernel.run("#[derive(Debug, Clone)]\nstruct Rate(f32); // the same").ok();
    assert_eq!(kernel.run("(rate.0, all.len())").ok().value(), "(0.5, 1)");
    // The compiler takes both for the same type, because their fields have the same names.
    kernel.run("struct Rate(f64);").ok();
    assert_eq!(kernel.run("n").ok().value(), "3");
    for gone in ["rate", "all"] {
        let run = kernel.run(&format!("{gone};"));
        assert!(run.error().1.contains(gone), "{:?}", run.error());
        assert!(run.stream(true).contains("redefined"), "{}", run.stream(true));
    }
    assert_eq!(kernel.run("let rate = Rate(0.25); rate.0 + n as f64").ok().value(), "3.25");
    assert_eq!(kernel.run("rate.0").ok().value(), "0.25");
    kernel.shutdown();
}

#[test]
fn a_variable_whose_length_is_computed_anew_is_given_up() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    let part = project.root().join("part.rs");
    std::fs::write(&part, "pub struct Part(pub f32);").unwrap();
    kernel.run("const fn n() -> usize { 2 }\nstruct S(pub [f64; n()]);").ok();
    kernel.run(&format!("mod m {{ include!({:?}); }}", part.display().to_string())).ok();
    kernel.run("let s = S([1.0; 2]); let p = m::Part(1.0); let n = 3;").ok();
    assert_eq!(kernel.run("(s.0, p.0)").ok().value(), "([1.0, 1.0], 1.0)");
    kernel.run("const fn n() -> usize { 4 }").ok();
    // No text of a cell tells that this has changed; the value's size does.
    std::fs::write(&part, "pub struct Part(pub f64);").unwrap();
    for gone in ["s", "p"] {
        let run = kernel.run(&format!("{gone}.0"));
        assert!(run.error().1.contains(gone), "{:?}", run.error());
        assert!(run.stream(true).contains("redefined"), "{}", run.stream(true));
    }
    assert_eq!(kernel.run("n").ok().value(), "3");
    kernel.shutdown();
}

#[test]
fn a_symbol_that_nobody_has_is_an_error_and_variables_are_kept() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run(DEP).ok();
    kernel.run("let kept = vec![7];").ok();
    let run = kernel.run("unsafe extern \"C\" { fn nowhere_at_all() -> i32; }\nunsafe { nowhere_at_all() }");
    assert!(run.error().1.contains("nowhere_at_all"), "{:?}", run.error());
    assert_eq!(kernel.run("kept").ok().value(), "[7]");
    kernel
        .run("unsafe extern \"C\" { fn getpid() -> i32; }\nassert_eq!(unsafe { getpid() }, std::process::id() as i32);")
        .ok();
    assert_eq!(kernel.run("workbench::version() + 1").ok().value(), "2");
    kernel.shutdown();
}

#[test]
fn failures_are_errors_with_a_place_and_keep_variables() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("let kept = vec![7];").ok();

    let run = kernel.run("let other = 1;\nassert_eq!(other, 2, \"one is not two\");");
    assert_eq!(run.error().0, "panic");
    assert!(run.error().1.contains("one is not two"));
    assert!(run.traceback().contains("line 2"), "{}", run.traceback());

    let run = kernel.run("let n: i32 = \"seven\".parse()?;");
    assert_eq!(run.error(), ("error".into(), "invalid digit found in string".into()));
    assert!(run.traceback().contains("line 1"), "{}", run.traceback());

    let run = kernel.run("let ok = 1;\nlet bad = ok + undefined;");
    assert_eq!(run.error().0, "compile error");
    assert!(run.traceback().contains("line 2, column 16"), "{}", run.traceback());

    assert_eq!(kernel.run("let f = |x: i32| x + 1;\nf(1)").ok().value(), "2");
    let run = kernel.run("f(2)");
    assert!(run.error().1.contains("Box"), "{:?}", run.error());

    assert_eq!(kernel.run("kept.len()").ok().value(), "1");

    // An exit takes the process along; the kernel says so and goes on.
    let run = kernel.run("std::process::exit(3);");
    let (name, message) = run.error();
    assert!(name == "process ended" && message.contains("ended it with `exit`"), "{name}: {message}");
    assert_eq!(kernel.run("2 + 2").ok().value(), "4");
    kernel.shutdown();
}

#[test]
fn a_failure_does_not_define_its_variables() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("let x = 5;\nlet y: i32 = \"no\".parse()?;");
    let run = kernel.run("x");
    assert_eq!(run.error().0, "compile error");
    kernel.run("let x = 6;").ok();
    assert_eq!(kernel.run("x").ok().value(), "6");
    kernel.shutdown();
}

#[test]
fn a_changed_crate_asks_for_a_restart_and_a_new_kernel_has_the_new_code() {
    let project = Project::new();
    let mut old = Kernel::start(&project);
    old.run(DEP).ok();
    assert_eq!(old.run("workbench::version()").ok().value(), "1");
    // A lock file that is written anew with the same content is no change.
    std::thread::sleep(Duration::from_millis(20));
    let lock = project.root().join("Cargo.lock");
    std::fs::write(&lock, std::fs::read(&lock).unwrap()).unwrap();
    assert_eq!(old.run("workbench::version()").ok().value(), "1");
    project.set_version(2);
    let run = old.run("workbench::version()");
    assert_eq!(run.error().0, "restart needed");
    assert!(run.error().1.contains("workbench/src/lib.rs"), "{:?}", run.error());

    let mut new = Kernel::start(&project);
    new.run(DEP).ok();
    assert_eq!(new.run("workbench::version()").ok().value(), "2");
    // The old kernel still refuses, and nothing of it has crashed.
    assert_eq!(old.run("1").error().0, "restart needed");
    old.shutdown();
    new.shutdown();
}
