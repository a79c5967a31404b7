//! Cells that were compiled before: a restart compiles nothing again, and what has changed is compiled.

use std::path::{Path, PathBuf};

use crate::common::{DEP, Kernel, Project};

const CELLS: [&str; 4] = [
    "use std::collections::BTreeMap;\nuse std::fmt::Write as _;",
    "struct Point { x: f64 }",
    "let (p, mut seen, idle) = (Point { x: 1.5 }, BTreeMap::<&str, f64>::new(), vec![0_u8; 3]);",
    "seen.insert(\"x\", 2.0 * p.x);",
];

/// Runs all cells and the last one, which shows `seen`; the folder of the session comes back too.
fn session(project: &Project) -> (String, PathBuf) {
    let mut kernel = Kernel::start(project);
    kernel.run(DEP).ok();
    for cell in CELLS {
        kernel.run(cell).ok();
    }
    let seen = kernel.run("(seen.clone(), workbench::version())").ok().value();
    let compiled = kernel.run("std::env::var(\"WORKBENCH_CELL_FILE\")?").ok().value().trim_matches('"').to_owned();
    let folder = Path::new(&compiled).parent().unwrap().to_path_buf();
    let listed = lists(&folder);
    kernel.shutdown();
    (seen, listed.into_iter().next().unwrap_or_default())
}

/// What the compiler wrote about what it read, below a session's folder: nothing where it never ran.
fn lists(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.ends_with("ctx.d") {
                found.push(path);
            }
        }
    }
    found
}

fn kept(project: &Project) -> usize {
    std::fs::read_dir(project.root().join(".workbench/cells")).map_or(0, Iterator::count)
}

#[test]
fn a_restart_compiles_nothing_again_and_a_changed_crate_is_compiled() {
    let project = Project::new();
    let (first, list) = session(&project);
    assert_eq!(first, "({\"x\": 3.0}, 1)");
    assert_ne!(list, PathBuf::new(), "the compiler ran");
    let before = kept(&project);
    assert!(before >= CELLS.len(), "{before} kept");
    let (second, list) = session(&project);
    assert_eq!((second, list, kept(&project)), (first, PathBuf::new(), before));
    project.set_version(2);
    let (third, list) = session(&project);
    assert_eq!(third, "({\"x\": 3.0}, 2)");
    assert_ne!(list, PathBuf::new(), "the crate has changed, and with it what cells are compiled against");
}

/// evcxr learns from the compiler's errors which variables a cell has moved, and looks for them in lines whose order is its own.
#[test]
fn a_moved_variable_is_the_same_one_in_each_session() {
    let project = Project::new();
    let mut counts = Vec::new();
    for _ in 0..6 {
        let mut kernel = Kernel::start(&project);
        kernel.run("let (a, b, c, d, e) = (vec![1], vec![2], vec![3], vec![4], vec![5]);").ok();
        kernel.run("let taken = (b, d);\nlet seen = (a.len(), c.len(), e.len());").ok();
        assert_eq!(kernel.run("(&a, &c, &e, taken)").ok().value(), "([1], [3], [5], ([2], [4]))");
        assert!(kernel.run("b").error().1.contains("b"));
        kernel.shutdown();
        counts.push(kept(&project));
    }
    counts.dedup();
    assert_eq!(counts.len(), 1, "a later session compiled something again: {counts:?}");
}

/// evcxr writes the definitions of all cells in an order of its own. A macro has to stand before what uses it, and a panic names its line.
#[test]
fn definitions_are_the_same_ones_in_each_session() {
    let project = Project::new();
    let cells = [
        "use std::collections::{BTreeMap, BTreeSet};\nuse std::fmt::Write as _;\nstruct P {\n    x: f64,\n}",
        "fn first(v: &[u8]) -> u8 {\n    v[0]\n}\n// Two of them.\nfn second(v: &[u8]) -> u8 {\n    let at = 1;\n    v[at]\n}",
        "macro_rules! twice { ($x:expr) => { 2.0 * $x } }",
        "fn area(p: &P) -> f64 {\n    twice!(p.x)\n}\nimpl P {\n    fn new(x: f64) -> P {\n        P { x }\n    }\n}",
        "let p = P::new(1.5);\nlet seen: BTreeMap<u8, f64> = [(first(&[7]), area(&p))].into();",
    ];
    let (mut counts, mut told) = (Vec::new(), Vec::new());
    for _ in 0..6 {
        let mut kernel = Kernel::start(&project);
        for cell in cells {
            kernel.run(cell).ok();
        }
        assert_eq!(kernel.run("&seen").ok().value(), "{7: 3.0}");
        let (panic, compile) = (kernel.run("second(&[1])"), kernel.run("fn third() -> u8 {\n    \"x\"\n}\nthird()"));
        told.push((panic.error(), panic.traceback(), compile.error(), compile.traceback()));
        kernel.shutdown();
        counts.push(kept(&project));
    }
    counts.dedup();
    assert_eq!(counts.len(), 1, "a later session compiled something again: {counts:?}");
    let first = told[0].clone();
    assert!(first.0.1.contains("index out of bounds") && first.3.contains("\"x\""), "{first:?}");
    assert!(told.iter().all(|one| *one == first), "{told:#?}");
}

#[test]
fn failures_of_a_kept_cell_are_told_as_those_of_a_fresh_one() {
    let project = Project::new();
    let cell = "let n = vec![1, 2];\nlet at = n.len();\nn[at]";
    let wrong = "let text: usize = \"x\";";
    let told = || {
        let mut kernel = Kernel::start(&project);
        let (panic, compile) = (kernel.run(cell), kernel.run(wrong));
        let told = (panic.error(), panic.traceback(), compile.error());
        kernel.shutdown();
        told
    };
    let first = told();
    assert!(first.0.1.contains("index out of bounds"), "{first:?}");
    assert_eq!(told(), first);
}

#[test]
fn a_cell_that_reads_a_file_or_the_environment_while_it_is_compiled_is_compiled_again() {
    let project = Project::new();
    let file = project.root().join("data.txt");
    let cell = format!("include_str!({:?}).trim()", file.display().to_string());
    for text in ["one", "two"] {
        std::fs::write(&file, text).unwrap();
        let mut kernel = Kernel::start(&project);
        let shown = kernel.run(&cell).ok().value();
        assert!(shown.contains(text), "{shown}");
        kernel.run("option_env!(\"HOME\").is_some()").ok();
        kernel.shutdown();
    }
    let mut kernel = Kernel::start(&project);
    let before = kept(&project);
    kernel.run("option_env!(\"PATH\").is_some()").ok();
    kernel.run("let kept = 1;").ok();
    kernel.shutdown();
    assert_eq!(kept(&project), before + 1, "one of the two cells is kept");
}

#[test]
fn a_cell_that_was_refused_for_a_file_it_reads_is_compiled_once_that_is_mended() {
    let project = Project::new();
    let file = project.root().join("part.rs");
    let cell = format!("include!({:?})", file.display().to_string());
    for (text, ends_well) in [("1 +", false), ("1 + x_that_is_not", false), ("1 + 2", true)] {
        std::fs::write(&file, text).unwrap();
        let mut kernel = Kernel::start(&project);
        kernel.run("let before = 1;").ok();
        let run = kernel.run(&cell);
        match ends_well {
            true => assert_eq!(run.ok().value(), "3"),
            false => assert!(!run.error().0.is_empty()),
        }
        kernel.shutdown();
    }
}
