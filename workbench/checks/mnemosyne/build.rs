//! Lists the checks of this crate.

fn main() {
    workbench_checks_list::write();
}
