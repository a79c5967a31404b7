//! Kinds of cells, on the real evaluator: impls that are run again, code that never ends, patterns, commands.

use crate::common::{Kernel, Project};

#[test]
fn an_impl_that_is_run_again_takes_the_place_of_the_one_before() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("struct P<T> { x: T }\nlet p = P { x: 2.0_f64 };").ok();
    for (factor, value) in [("1.0", "2.0"), ("1.0", "2.0"), ("3.0", "6.0")] {
        let cell = format!(
            "impl P<f64> {{\n    fn v(&self) -> f64 {{ {factor} * self.w() }}\n    /// The number.\n    fn w(&self) -> f64 {{ self.x }}\n}}\n\
             impl std::fmt::Display for P<f64> {{\n    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {{ write!(f, \"{{}}\", \
             {factor}) }}\n}}"
        );
        kernel.run(&cell).ok();
        assert_eq!(kernel.run("p.v()").ok().value(), value);
        assert_eq!(
            kernel.run("p.to_string().parse::<f64>()?.to_string()").ok().value(),
            format!("{:?}", factor.trim_end_matches(".0"))
        );
    }
    // Another impl of the same type adds to the first; one method that is defined anew leaves the others.
    kernel.run("impl P<f64> { fn w(&self) -> f64 { 10.0 } }").ok();
    kernel.run("impl P<f64> { fn n(&self) -> u8 { 1 } }").ok();
    assert_eq!(kernel.run("(p.v(), p.n())").ok().value(), "(30.0, 1)");
    // What does not compile is told in its own cell, once, and the next one runs.
    let run = kernel.run("impl Q {\n    fn a() {}\n    fn b() -> u8 { \"x\" }\n}");
    let (_, message) = run.error();
    assert_eq!(message.matches("cannot find type `Q`").count(), 1, "{message}");
    let run = kernel.run("impl P<f64> {\n    fn a() {}\n    fn b() -> u8 { \"x\" }\n}");
    assert!(run.traceback().contains("line 3, column 20"), "{}", run.traceback());
    let run = kernel.run("impl P<f64> { fn twice() {} fn twice() {} }");
    assert!(run.error().1.contains("twice"), "{:?}", run.error());
    assert_eq!(kernel.run("p.n()").ok().value(), "1");
    kernel.shutdown();
}

#[test]
fn a_cell_that_never_comes_to_its_end_runs_to_where_it_fails() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("fn fail() -> ! { panic!(\"it fails\") }").ok();
    for (cell, told) in [
        ("let y = vec![1];\nfail()", "it fails"),
        ("let y = vec![1];\nfail();", "it fails"),
        ("let y = 1;\nlet x: u8 = todo!();", "not yet implemented"),
        ("let y = 1;\nlet x: u8 = fail();", "it fails"),
        ("let y = 1;\nlet x = todo!();", "not yet implemented"),
        ("let y = 1;\nif y == 1 { panic!(\"a\") } else { panic!(\"b\") }", "a"),
        ("let y = 1;\nif y == 1 { fail() } else { fail() };", "it fails"),
        ("let y = 1;\nmatch y { 0 => panic!(\"a\"), _ => { fail(); } };", "it fails"),
        ("let y = 1;\nmatch y { 0 => panic!(\"a\"), _ => panic!(\"b\") }", "b"),
        ("let y = 1;\n{ panic!(\"inside\") }", "inside"),
        ("let n = 1;\nloop { for i in 0..3 { if i == 1 { break; } } if n == 1 { panic!(\"out\") } }", "out"),
    ] {
        let run = kernel.run(cell);
        let (name, message) = run.error();
        assert_eq!(name, "panic", "{cell}: {message}");
        assert!(message.contains(told), "{cell}: {message}");
    }
    // A value behind such code is shown as ever, and a call that returns returns.
    assert_eq!(kernel.run("let y = vec![1];\nif y.is_empty() { fail() }\ny.len()").ok().value(), "1");
    assert_eq!(kernel.run("let z = if y.is_empty() { fail() } else { 2 };\nz").ok().value(), "2");
    kernel.shutdown();
}

#[test]
fn a_variable_that_goes_with_the_one_that_was_to_take_its_place_is_told() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("let x = 1; let z = vec![1]; let kept = 2;").ok();
    // Whether the error comes before the new one is bound or after.
    let run = kernel.run("let x = 2;\nlet new = 3;\nlet w: u8 = \"a\".parse()?;\nlet z = kept;");
    let told = run.traceback();
    assert!(told.contains("`x`, `z` are gone with the new ones"), "{told}");
    assert!(told.contains("`new` is gone") && !told.contains("`kept`"), "{told}");
    let (_, message) = kernel.run("z").error();
    assert!(message.contains("was to make `z`"), "{message}");
    assert_eq!(kernel.run("kept").ok().value(), "2");
    kernel.shutdown();
}

#[test]
fn names_inside_of_patterns_are_kept_and_constants_are_compared_with() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("let all @ [a, ..] = [1, 2, 3];").ok();
    assert_eq!(kernel.run("(all, a)").ok().value(), "([1, 2, 3], 1)");
    kernel.run("let (None, b) = (None::<u8>, 2) else { panic!() };").ok();
    kernel.run("enum Sign { Plus, Minus }\nuse Sign::*;").ok();
    kernel.run("let (Plus, c) = (Plus, 3) else { panic!() };").ok();
    assert_eq!(kernel.run("(b, c)").ok().value(), "(2, 3)");
    let run = kernel.run("let (Minus, d) = (Plus, 3) else { panic!(\"it is plus\") };");
    assert!(run.error().1.contains("it is plus"), "{:?}", run.error());
    kernel.run("let (A, B) = (1, 2) else { panic!() };").ok();
    assert_eq!(kernel.run("A + B").ok().value(), "3");
    kernel.shutdown();
}

#[test]
fn commands_that_tell_types_name_the_types() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("let v = vec![1.5];\nlet f = |x: u8| x;").ok();
    for command in [":type v", ":t v", ":vars\nv.len();", "// why\n:vars"] {
        let told = format!("{:?}", kernel.run(command).ok().messages);
        assert!(told.contains("Vec<f64>") && !told.contains("Evcxr"), "{command}: {told}");
    }
    assert_eq!(kernel.run(":type v").ok().value(), "v: std::vec::Vec<f64>");
    kernel.shutdown();
}

#[test]
fn a_static_is_one_over_cells() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("use std::sync::{LazyLock, Mutex, OnceLock, atomic::{AtomicU32, AtomicUsize, Ordering}};\nfn id() -> u32 { static N: AtomicU32 = AtomicU32::new(0); N.fetch_add(1, Ordering::SeqCst) }").ok();
    assert_eq!(kernel.run("(id(), id())").ok().value(), "(0, 1)");
    assert_eq!(kernel.run("id()").ok().value(), "2");
    kernel
        .run("static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());\nSEEN.lock().unwrap().push(\"a\".into());")
        .ok();
    kernel.run("SEEN.lock().unwrap().push(\"b\".into());").ok();
    assert_eq!(kernel.run("SEEN.lock().unwrap().join(\"+\")").ok().value(), "\"a+b\"");
    // What is lazy is computed once, and is used as what it holds.
    kernel.run("static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| { println!(\"computed\"); vec![1, 2] });").ok();
    assert_eq!(kernel.run("TABLE.len() + usize::from((*TABLE)[1])").ok().stream(false), "computed\n");
    let run = kernel.run("TABLE.iter().sum::<u8>()").ok();
    assert_eq!((run.stream(false).as_str(), run.value().as_str()), ("", "3"));
    kernel.run("static ONCE: OnceLock<u8> = OnceLock::new();\nONCE.set(7).unwrap();").ok();
    assert_eq!(kernel.run("ONCE.get()").ok().value(), "Some(7)");
    // In a function of a type, and from another thread.
    kernel.run("struct Ids; impl Ids { fn next() -> usize { static N: AtomicUsize = AtomicUsize::new(10); N.fetch_add(1, Ordering::SeqCst) } }").ok();
    assert_eq!(kernel.run("std::thread::spawn(Ids::next).join().unwrap() + Ids::next()").ok().value(), "21");
    assert_eq!(kernel.run("Ids::next()").ok().value(), "12");
    // The cell that defines it, run again, begins anew.
    kernel.run("fn id() -> u32 { static N: AtomicU32 = AtomicU32::new(0); N.fetch_add(1, Ordering::SeqCst) }").ok();
    assert_eq!(kernel.run("id()").ok().value(), "0");
    kernel.shutdown();
}
