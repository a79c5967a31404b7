//! The kernel over the protocol: values, variables, failures, changed sources, several kernels.

mod common;

use common::{DEP, Kernel, Project};
use std::time::Duration;

#[test]
fn values_variables_and_output() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    assert_eq!(kernel.run("1 + 1").ok().value(), "2");
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "1");

    // Types come from the compiler: of std, of private modules behind a re-export, of patterns, of string literals.
    kernel
        .run("let t = workbench::thing();\nlet (a, mut b) = (String::from(\"x\"), vec![1.5]);\nlet s = \"lit\";")
        .ok();
    assert_eq!(
        kernel
            .run("b.push(2.5);\n(a.clone(), b.len(), s, t.clone())")
            .ok()
            .value(),
        "(\"x\", 2, \"lit\", Thing([1, 2]))"
    );
    let vars = kernel.run(":vars").ok().value();
    assert!(vars.contains("workbench::deep::Thing<std::vec::Vec<u8>>"), "{vars}");

    // A type with a display of its own, a value without one, and the unit value.
    assert_eq!(kernel.run("workbench::Shown").ok().value(), "plain");
    assert_eq!(kernel.run("for _ in 0..2 {}").ok().value(), "");
    let shown = kernel.run("struct Plain;\nPlain");
    assert!(shown.error().1.contains("cannot be shown"), "{:?}", shown.error());

    // Streams apart, partial lines complete, in order with rich output.
    let run = kernel
        .run("print!(\"a\"); eprintln!(\"e\"); println!(\"b\"); print!(\"no newline\");")
        .ok();
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
fn failures_are_errors_with_a_place_and_keep_variables() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
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

    let run = kernel.run("let f = |x: i32| x + 1;");
    assert!(run.error().1.contains("Box"), "{:?}", run.error());

    assert_eq!(kernel.run("kept.len()").ok().value(), "1");

    // An exit takes the process along; the kernel says so and goes on.
    let run = kernel.run("std::process::exit(3);");
    assert_eq!(run.error().0, "process ended");
    assert_eq!(kernel.run("2 + 2").ok().value(), "4");
    kernel.shutdown();
}

#[test]
fn a_failure_does_not_define_its_variables() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
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

#[test]
fn several_kernels_at_once_do_not_meet() {
    let project = Project::new();
    let mut kernels: Vec<Kernel> = (0..3).map(|_| Kernel::start(&project)).collect();
    std::thread::scope(|scope| {
        for (i, kernel) in kernels.iter_mut().enumerate() {
            scope.spawn(move || {
                kernel.run(DEP).ok();
                kernel.run(&format!("let x = {i} * 10;")).ok();
                assert_eq!(
                    kernel.run("x + workbench::version() as i32").ok().value(),
                    format!("{}", i * 10 + 1)
                );
            });
        }
    });
    kernels.into_iter().for_each(Kernel::shutdown);
}

#[test]
fn an_interrupt_ends_a_loop_that_does_not_listen() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    kernel.run("1").ok();
    // The client interrupts a cell that is over its time.
    let run = kernel.run_within("loop { std::hint::black_box(1); }", Duration::from_millis(1500));
    assert!(
        run.messages.iter().any(|m| m.message_type() == "error"),
        "{:?}",
        run.messages
    );
    assert_eq!(kernel.run("3").ok().value(), "3");
    kernel.shutdown();
}

#[test]
fn a_crate_that_does_not_build_is_told_and_can_be_mended() {
    let project = Project::new();
    std::fs::write(
        project.root().join("workbench/src/lib.rs"),
        "pub fn version() -> u32 { nonsense }",
    )
    .unwrap();
    let mut kernel = Kernel::start(&project);
    let run = kernel.run("1");
    assert!(run.error().1.contains("nonsense"), "{:?}", run.error());
    project.set_version(4);
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "4");
    kernel.shutdown();
}

#[test]
fn shutdown_leaves_no_process_behind() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    let child: u32 = kernel.run("std::process::id()").ok().value().parse().unwrap();
    assert!(std::path::Path::new(&format!("/proc/{child}")).exists());
    kernel.shutdown();
    let gone = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        !std::path::Path::new(&format!("/proc/{child}")).exists()
    });
    assert!(gone, "process {child} is still there");
}

#[test]
fn killing_the_kernel_kills_the_process_for_cells() {
    let project = Project::new();
    let mut kernel = Kernel::start(&project);
    let child: u32 = kernel.run("std::process::id()").ok().value().parse().unwrap();
    // SAFETY: a signal to a process that this test started.
    unsafe { libc::kill(kernel.id(), libc::SIGKILL) };
    let gone = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        !std::path::Path::new(&format!("/proc/{child}")).exists()
    });
    assert!(gone, "process {child} outlived its kernel");
}
