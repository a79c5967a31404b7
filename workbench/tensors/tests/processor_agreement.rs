//! Agreement tests of `examples/gpu_agreement`, on the machine's own cores.

#[path = "../examples/gpu_agreement/agreement.rs"]
mod agreement;
#[path = "../examples/gpu_agreement/ended.rs"]
mod ended;
#[path = "../examples/gpu_agreement/same.rs"]
mod same;
#[path = "../examples/gpu_agreement/tables.rs"]
mod tables;
#[path = "../examples/gpu_agreement/timings.rs"]
mod timings;

use agreement::{RUNS, Sizes, compare, compare_runs, models};
use ended::{Ended, Fault, ended};
use timings::{floor, time};
use workbench_memformer::Precision;
use workbench_tensors::{AttentionKind, Processor};

#[test]
fn this_machine_agrees_with_itself() {
    let sizes = Sizes(3, 8, 3, 200);
    for processor in [Processor::Cpu, Processor::Rehearsal] {
        let agreements = compare(processor, sizes).unwrap();
        assert_eq!(agreements.len(), 6 * models(sizes).unwrap().len());
        for agreement in &agreements {
            assert!(agreement.holds(), "{agreement:?}");
        }
        let rounds = |a: &&agreement::Agreement| a.precision == Precision::Single && a.what == "gradient";
        assert!(agreements.iter().filter(rounds).all(|a| a.difference > 0.0), "single precision rounds");
    }
    let runs = compare_runs(Processor::Rehearsal, Sizes(2, 5, 2, 8), 50).unwrap();
    assert!(runs.iter().all(agreement::Agreement::holds), "{runs:?}");
}

#[test]
#[ignore = "takes minutes: what a device is asked for, rehearsed"]
fn runs_of_a_device_s_sizes_agree() {
    for sizes in RUNS {
        for agreement in compare_runs(Processor::Rehearsal, sizes, 1000).unwrap() {
            println!("{agreement:?}");
            assert!(agreement.holds(), "{agreement:?}");
        }
    }
}

#[test]
fn a_difference_is_seen() {
    let mut wrong = compare(Processor::Cpu, Sizes(2, 3, 1, 4)).unwrap().remove(0);
    wrong.difference = 2.0 * wrong.tolerance;
    assert!(!wrong.holds());
    wrong.difference = f64::INFINITY;
    assert!(!wrong.holds());
}

#[test]
fn a_fault_is_an_error_that_says_what_to_do_and_a_run_that_goes_on() {
    let to_its_end = ended(Processor::Cpu, || Ok(())).unwrap_err().to_string();
    assert!(to_its_end.contains("all the same"), "{to_its_end}");
    let end = |said: &str, kept, apart| Ended { said: said.into(), kept, apart };
    let good = end("it was \"lost\", use `Processor::Cpu`", 9, 1e-12);
    let all = [
        Fault::end("a loss", good, &["memory", "lost"]),
        Fault::end("a loss", end("lost", 9, 1e-12), &["lost"]),
        Fault::end("a loss", end("lost, `Processor::Cpu`", 6, 1e-12), &["lost"]),
        Fault::end("a loss", end("lost, `Processor::Cpu`", 9, 1e-3), &["lost"]),
        Fault::end("a loss", end("lost, `Processor::Cpu`", 9, f64::NAN), &["lost"]),
        Fault::refusal("a refusal", "no device".into(), "no device"),
    ];
    assert_eq!(all.each_ref().map(|fault| fault.holds), [true, false, false, false, false, false]);
    let folder = tempfile::tempdir().unwrap();
    tables::faults(Some(folder.path()), &all[..1]).unwrap();
    let text = std::fs::read_to_string(folder.path().join("faults.csv")).unwrap();
    assert_eq!(text, "what,holds,said\na loss,true,\"it was \"\"lost\"\", use `Processor::Cpu`\"\n");
}

#[test]
fn steps_are_timed_and_tables_written() {
    let floor = floor(Processor::Rehearsal, 32).unwrap();
    assert!(floor.launch > 0.0 && floor.round > 0.0 && floor.multiplications > 0.0 && floor.bytes > 0.0);
    let timings = time(Processor::Rehearsal, Sizes(3, 5, 2, 40), AttentionKind::Softmax, 3, &floor).unwrap();
    let [timing] = timings[..] else { panic!("the machine's own cores have no choice: {timings:?}") };
    assert!(timing.median >= timing.least && timing.least > 0.0 && timing.share() > 0.0);
    let folder = tempfile::tempdir().unwrap();
    tables::timings(Some(folder.path()), "here", &floor, &[timing]).unwrap();
    tables::agreements(Some(folder.path()), &compare(Processor::Cpu, Sizes(2, 3, 1, 4)).unwrap()).unwrap();
    for (name, rows) in [("timings.csv", 2), ("floor.csv", 2), ("agreement.csv", 73)] {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let columns: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
        assert!(columns.len() == rows && columns.iter().all(|c| *c == columns[0]), "{name}: {text}");
    }
    same::write(Processor::Rehearsal, Sizes(2, 3, 1, 4), AttentionKind::Linear, Some(folder.path())).unwrap();
    let text = std::fs::read_to_string(folder.path().join("same_linear.csv")).unwrap();
    let lengths: Vec<usize> = text.lines().map(|line| line.split(',').count() - 1).collect();
    assert_eq!(lengths, [4, 48, 4, 18, 1, 18], "{text}");
    assert!(compare(Processor::Cuda(4096), Sizes(2, 3, 1, 4)).is_err());
}
