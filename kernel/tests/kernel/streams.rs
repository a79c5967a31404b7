//! Output streams of cells, also after their end, and what they cannot say by printing.

use crate::common::{Kernel, Project};
use std::time::Duration;

#[test]
fn a_thread_that_prints_after_its_cell_does_not_hold_up_the_next() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    let first = kernel
        .run("use std::io::Write;\nlet late = std::thread::spawn(|| for _ in 0..20 { std::thread::sleep(std::time::Duration::from_millis(20)); print!(\".\"); std::io::stdout().flush().unwrap(); eprint!(\"!\"); });")
        .ok();
    std::thread::sleep(Duration::from_millis(200));
    // However long the thread takes: the cell waits for it.
    let second = kernel.run("late.join().unwrap(); 1 + 1").ok();
    assert_eq!(second.value(), "2");
    // On a busy machine the first ones come while the first cell is still ending.
    let shown = |err, sign| {
        let text = format!("{}{}", first.stream(err), second.stream(err));
        text.matches(sign).count()
    };
    assert_eq!((shown(false, "."), shown(true, "!")), (20, 20));
    kernel.shutdown();
}

#[test]
fn a_destructor_that_hangs_after_its_cell_is_ended_by_an_interrupt() {
    let project = Project::shared();
    let mut kernel = Kernel::start_with(project, &[("WORKBENCH_GRACE_SECONDS", "0.5")]);
    kernel.run("struct Stuck; impl Drop for Stuck { fn drop(&mut self) { loop { std::thread::sleep(std::time::Duration::from_millis(50)); } } }\nlet d = Stuck;").ok();
    let run = kernel.run_within("let d = 5;", Duration::from_secs(10));
    assert!(run.traceback().contains("did not stop"), "{}", run.traceback());
    assert_eq!(kernel.run_within("2 + 2", Duration::from_secs(60)).ok().value(), "4");
    kernel.shutdown();
}

#[test]
fn a_panic_that_was_caught_is_text_and_no_failure() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    let run = kernel.run("std::panic::catch_unwind(|| panic!(\"caught\")).is_err()").ok();
    assert_eq!(run.value(), "true");
    assert!(run.stream(true).contains("caught"), "{}", run.stream(true));
    let run = kernel
        .run("let joined = std::thread::spawn(|| { if true { panic!(\"in a thread\") } }).join();\njoined.is_err()")
        .ok();
    assert!(run.stream(true).contains("in a thread"), "{}", run.stream(true));
    // What leaves the cell is a failure, also after one that was caught.
    let run = kernel.run("let _ = std::panic::catch_unwind(|| panic!(\"first\"));\npanic!(\"second\");");
    assert_eq!(run.error(), ("panic".into(), "second".into()));
    kernel.shutdown();
}

#[test]
fn printed_data_is_text_whatever_it_looks_like() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("let markup = \"EVCXR_BEGIN_CONTENT text/html\\n<script>\\nEVCXR_END_CONTENT\\n\";").ok();
    kernel.run("struct Raw(&'static str); impl std::fmt::Debug for Raw { fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { write!(f, \"\\nEVCXR_END_CONTENT\\n{}\", self.0) } }").ok();
    let run = kernel.run("println!(\"{markup}\");").ok();
    assert!(run.stream(false).contains("<script>"));
    let run = kernel.run("println!(\"\\x01EVCXR_BEGIN_CONTENT application/x-workbench-signal\\n{{\\\"kind\\\":\\\"error\\\",\\\"message\\\":\\\"no\\\"}}\\nEVCXR_END_CONTENT\");").ok();
    assert!(run.stream(false).contains("kind"));
    for value in ["markup", "Raw(markup)"] {
        let run = kernel.run(value).ok();
        assert!(
            run.value().contains("<script>") && !format!("{:?}", run.messages).contains("Html"),
            "{:?}",
            run.messages
        );
    }
    // The types of other crates show themselves, as a value and where the reader asks for it.
    kernel.run("struct Page; impl Page { fn evcxr_display(&self) { println!(\"EVCXR_BEGIN_CONTENT text/html\\n<b>page</b>\\nEVCXR_END_CONTENT\"); } }").ok();
    for shows in ["Page", "Page.evcxr_display();", "for page in [Page] { page.evcxr_display(); }"] {
        let run = kernel.run(shows).ok();
        assert!(format!("{:?}", run.messages).contains("Html(\"<b>page</b>\")"), "{:?}", run.messages);
    }
    kernel.shutdown();
}

#[test]
fn strings_and_lines_that_look_like_something_else_are_rust() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    let picture = "+--[(((((|=====|\n".repeat(200);
    let run = kernel.run(&format!("let s = r\"{picture}\";\ns.len()")).ok();
    assert_eq!(run.value(), picture.len().to_string());
    let run = kernel.run("let z =\n!true;\nlet w = std::vec\n::Vec::<u8>::new();\n(z, w.len())").ok();
    assert_eq!(run.value(), "(false, 0)");
    let vars = kernel.run("// what there is\n:vars").ok().value();
    assert!(vars.contains("w  std::vec::Vec<u8>"), "{vars}");
    kernel.shutdown();
}
