//! `cargo doctor`: looks at the machine before anything is built.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use workbench_machine::{ask, look, status};

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let checks = look(&ask, root, &target);
    for check in &checks {
        println!("{:18} {:8} {}", check.name, check.mark(), check.found);
        if !check.remedy.is_empty() {
            println!("{:28}{}", "", check.remedy);
        }
    }
    let status = status(&checks);
    match status {
        0 => println!("\nA first `cargo workbench run` builds everything, which takes minutes, and says what it does."),
        _ => println!("\nMend what is MISSING first: a build would end there, minutes later."),
    }
    ExitCode::from(u8::try_from(status).unwrap_or(1))
}
