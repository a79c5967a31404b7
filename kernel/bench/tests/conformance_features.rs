//! The table of features is not allowed to rot: our kernel plays every scenario of `cargo workbench bench features`, with the crate
//! that notebooks load, and everything must work.

use std::path::Path;

use workbench_bench::features::stage::Mark;
use workbench_bench::features::{SCENARIOS, kernel_of, play};
use workbench_setup::paths::kernel_binary;

#[test]
fn our_kernel_does_all_that_the_table_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let binary = kernel_binary().unwrap();
    assert!(binary.ends_with("workbench"), "build the kernel too: cargo test --workspace");
    let results = tempfile::tempdir().unwrap();
    let set = |name: &str, value: String| (name.to_owned(), value);
    let environment = vec![
        set("WORKBENCH_RESULTS", results.path().display().to_string()),
        set("WORKBENCH_SCALE", "quick".into()),
        // The build that this test belongs to has the crate already.
        set("CARGO_TARGET_DIR", binary.ancestors().nth(2).unwrap().display().to_string()),
    ];
    let subject = kernel_of(&binary, root, environment);
    let mut lacking = Vec::new();
    let column = play(&subject, "", &mut |scenario, seen, seconds| {
        println!("{:7} {} ({}; {seconds:.1} s)", seen.mark.word(), scenario.name, seen.fact);
        if seen.mark != Mark::Works {
            lacking.push(format!("{} {}: {}", scenario.name, seen.mark.word(), seen.fact));
        }
    })
    .unwrap();
    assert_eq!(column.len(), SCENARIOS.len());
    assert!(lacking.is_empty(), "{}", lacking.join("\n"));
}
