//! Moves in notebooks: what became of a variable, why a type is not the one, where a panic came from.

use crate::common::{DEP, Kernel, Project};

#[test]
fn a_moved_variable_is_told_with_its_cell_and_what_to_write() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("let df = vec![1.0]; let k = 2;").ok();
    kernel.run("let taken = df; // for good").ok();
    let run = kernel.run("df.len()");
    let told = "cell [2] moved `df`, in `let taken = df;";
    assert!(run.error().1.contains(told) && run.error().1.contains("`df.clone()`"), "{:?}", run.error());
    assert!(run.traceback().contains(told), "{}", run.traceback());
    kernel.run("let df = vec![2.0];").ok();
    assert_eq!(kernel.run("(df.len(), k)").ok().value(), "(1, 2)");
    kernel.shutdown();
}

#[test]
fn variables_bound_before_an_error_are_said_to_be_gone() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("let mut old = vec![1];").ok();
    for end in [
        "let n: i32 = \"x\".parse()?;",
        "panic!(\"no\");",
        "assert!(false, \"no\");",
        "std::collections::VecDeque::from(vec![1]).swap(3, 4);",
    ] {
        let run = kernel.run(&format!("old.push(2);\nlet new = 7;\n{end}\nlet late = 1;"));
        let told = run.traceback();
        assert!(told.contains("`new` is gone") && !told.contains("`late`"), "{told}");
        assert!(told.contains("line 3"), "{told}");
        let run = kernel.run("new");
        assert!(run.error().1.contains("ended in an error"), "{:?}", run.error());
    }
    assert_eq!(kernel.run("old.len()").ok().value(), "5");
    kernel.shutdown();
}

#[test]
fn functions_closures_and_what_never_returns_are_ordinary() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel
        .run("fn g(x: f64) -> f64 { 2.0 * x }\nfn pick(s: &str) -> &str { s }\nfn fail() -> ! { panic!(\"f\") }\n\
              fn boxed() -> Box<dyn Fn(&str) -> &str> { Box::new(pick) }\nfn adder(k: i32) -> impl Fn(i32) -> i32 { move |x| x + k }")
        .ok();
    kernel.run("let h = g;\nlet b = boxed();\nlet add = adder(2);\nassert_eq!(add(1), 3);").ok();
    // Each of them in later cells, and cells that do not name them.
    assert_eq!(kernel.run("h(1.5)").ok().value(), "3.0");
    assert_eq!(kernel.run("b(\"x\").len()").ok().value(), "1");
    assert!(kernel.run("add(1)").error().1.contains("Box"));
    assert_eq!(kernel.run("let k = 3; let f = |x: i32| x * k;\nf(2)").ok().value(), "6");
    assert_eq!(kernel.run("h(f64::from(k))").ok().value(), "6.0");
    assert_eq!(kernel.run("let y = vec![1]; fail();").error(), ("panic".into(), "f".into()));
    assert_eq!(kernel.run("let y = vec![1]; assert!(k == 4, \"not {k}\")").error().1, "not 3");
    kernel.shutdown();
}

#[test]
fn a_name_of_two_globs_is_an_ambiguity_and_both_are_named() {
    let project = Project::new();
    let source = project.root().join("workbench/src/lib.rs");
    let text = std::fs::read_to_string(&source).unwrap();
    std::fs::write(&source, text + "pub mod a { pub struct Same(pub u8); }\npub mod b { pub struct Same(pub u8); }\n")
        .unwrap();
    let mut kernel = Kernel::start(&project);
    kernel.run(DEP).ok();
    kernel.run("use workbench::a::*;").ok();
    kernel.run("use workbench::b::*;").ok();
    let run = kernel.run("Same(1).0");
    assert!(run.error().1.contains("`Same` is ambiguous"), "{:?}", run.error());
    let told = run.traceback();
    assert!(told.contains("`use workbench::a::*;`") && told.contains("`use workbench::b::*;`"), "{told}");
    assert_eq!(kernel.run("workbench::a::Same(1).0").ok().value(), "1");
    kernel.shutdown();
}

#[test]
fn what_was_expected_and_found_is_told() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("struct M; impl M { fn go(&self, a: &[f32], b: usize) {} }\nlet x = vec![1.0_f64];").ok();
    let run = kernel.run("M.go(&x, 2)");
    for told in [run.error().1, run.traceback()] {
        assert!(told.contains("expected `&[f32]`, found `&Vec<f64>`"), "{told}");
    }
    assert!(run.traceback().contains("expected reference `&[f32]`"), "{}", run.traceback());
    let run = kernel.run("M.go(&[1.0_f32], 2.0)");
    assert!(run.error().1.contains("expected `usize`, found floating-point number"), "{:?}", run.error());
    kernel.shutdown();
}
