//! Cells of many statements: what they cost grows with them, and not with their square.

use std::time::Duration;

use crate::common::{DEP, Kernel, Project};

/// Processor time of a kernel and of what it started and waited for, in ticks.
fn ticks(kernel: &Kernel) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", kernel.id())).unwrap();
    // The name, which may hold anything, stands in brackets before the fields that are counted here.
    let fields = stat.rsplit(')').next().unwrap().split_whitespace().skip(11).take(4);
    fields.map(|field| field.parse::<u64>().unwrap()).sum()
}

/// As many statements of a kind: with variables that are kept, with calls of what is not known before the cell is compiled.
fn cell(kind: &str, statements: usize) -> String {
    let statement = |n: usize| match kind {
        "variables" => format!("let {kind}_{statements}_{n} = vec![{n}];\n"),
        "calls" => format!("workbench::version();\ntotal = total.rotate_left({n}) ^ {n};\n"),
        _ => format!("assert!(total != {n});\n"),
    };
    let body: String = (1..=statements).map(statement).collect();
    format!("let mut total = 0_u64;\n{body}")
}

#[test]
fn what_a_cell_costs_grows_with_its_statements() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run(DEP).ok();
    // What is counted is processor time: how long it takes on a busy machine does not matter.
    let limit = Duration::from_secs(900);
    for kind in ["calls", "assertions", "variables"] {
        let mut cost = |statements: usize| {
            let before = ticks(&kernel);
            kernel.run_within(&cell(kind, statements), limit).ok();
            ticks(&kernel) - before
        };
        let (few, many) = (cost(100), cost(800));
        println!("{kind}: {few} and {many} ticks");
        // Eight times the statements; the square is 64.
        assert!(many < 24 * few.max(10), "{kind}: {few} and {many} ticks");
    }
    kernel.shutdown();
}
