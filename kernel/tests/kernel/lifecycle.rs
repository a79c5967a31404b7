//! Kernels as processes: several at once, interrupts, builds that fail, and how each of them ends.

use std::time::Duration;

use crate::common::talk::Process;
use crate::common::{DEP, Kernel, Project};

#[test]
fn several_kernels_at_once_do_not_meet() {
    let project = Project::new();
    let mut kernels: Vec<Kernel> = (0..3).map(|_| Kernel::start(&project)).collect();
    std::thread::scope(|scope| {
        for (i, kernel) in kernels.iter_mut().enumerate() {
            scope.spawn(move || {
                kernel.run(DEP).ok();
                kernel.run(&format!("let x = {i} * 10;")).ok();
                assert_eq!(kernel.run("x + workbench::version() as i32").ok().value(), format!("{}", i * 10 + 1));
            });
        }
    });
    kernels.into_iter().for_each(Kernel::shutdown);
}

#[test]
fn an_interrupt_ends_a_loop_that_does_not_listen() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    kernel.run("1").ok();
    // The client interrupts a cell that is over its time.
    let run = kernel.run_within("loop { std::hint::black_box(1); }", Duration::from_millis(1500));
    assert!(run.messages.iter().any(|m| m.message_type() == "error"), "{:?}", run.messages);
    assert_eq!(kernel.run("3").ok().value(), "3");
    kernel.shutdown();
}

#[test]
fn a_crate_that_does_not_build_is_told_and_can_be_mended() {
    let project = Project::new();
    std::fs::write(project.root().join("workbench/src/lib.rs"), "pub fn version() -> u32 { nonsense }").unwrap();
    let mut kernel = Kernel::start(&project);
    let run = kernel.run("1");
    assert!(run.error().1.contains("nonsense"), "{:?}", run.error());
    project.set_version(4);
    kernel.run(DEP).ok();
    assert_eq!(kernel.run("workbench::version()").ok().value(), "4");
    kernel.shutdown();
}

/// Whether a process ends within ten seconds. One that has ended may wait for whoever inherited it to take note.
fn is_gone(id: u32) -> bool {
    (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_none_or(|rest| rest.is_empty() || rest.trim_start().starts_with('Z'))
    })
}

#[test]
fn shutdown_leaves_no_process_behind() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    let child: u32 = kernel.run("std::process::id()").ok().value().parse().unwrap();
    assert!(std::path::Path::new(&format!("/proc/{child}")).exists());
    kernel.shutdown();
    assert!(is_gone(child), "process {child} is still there");
}

#[test]
fn killing_the_kernel_kills_the_process_for_cells() {
    let project = Project::shared();
    let mut kernel = Kernel::start(project);
    let child: u32 = kernel.run("std::process::id()").ok().value().parse().unwrap();
    // SAFETY: a signal to a process that this test started.
    unsafe { libc::kill(kernel.id(), libc::SIGKILL) };
    assert!(is_gone(child), "process {child} outlived its kernel");
}

#[test]
fn a_kernel_whose_client_crashed_ends() {
    let project = Project::new();
    // A client that starts a kernel, names itself as its parent, and never ends it.
    let mut ended = Process::start(&project, &[]);
    ended.end();
    let script = "export JPY_PARENT_PID=$$; \"$0\" kernel -f \"$1\" & echo $!; wait";
    let mut client = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_workbench")])
        .arg(ended.folder().join("connection.json"))
        .current_dir(project.root().join("notebooks"))
        .env("WORKBENCH_ROOT", project.root())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut id = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(client.stdout.take().unwrap()), &mut id).unwrap();
    let kernel = format!("/proc/{}/cmdline", id.trim());
    let lives = || std::fs::read(&kernel).is_ok_and(|command| !command.is_empty());
    std::thread::sleep(Duration::from_secs(2));
    assert!(lives());
    client.kill().unwrap();
    client.wait().unwrap();
    let began = std::time::Instant::now();
    while lives() {
        assert!(began.elapsed() < Duration::from_secs(30), "the kernel outlives its client");
        std::thread::sleep(Duration::from_millis(100));
    }
}
