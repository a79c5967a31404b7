//! Refusals of bad input: operation, value, next thing to try.

use std::path::Path;
use std::sync::Arc;

use workbench_record::{Lock, Scale};
use workbench_sweep::{
    DATA, Error, FILE, Kind, Plan, State, Sweep, Taken, Wanted, file, merge, missing, states, sweeps,
};

use crate::common::{Toy, computed, merged, one, planned, toy, wanted};

fn told<T: std::fmt::Debug>(result: Result<T, Error>, words: &[&str]) {
    let error = result.unwrap_err().to_string();
    assert!(words.iter().all(|word| error.contains(word)), "{error}\nlacks one of {words:?}");
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from} in {text}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn an_unknown_sweep_and_a_shard_out_of_range_are_named() {
    told(sweeps::named("figure-99"), &["figure-99", "error-curves", "memformers"]);
    let folder = tempfile::tempdir().unwrap();
    let plan = planned(&toy(), 3, folder.path());
    told(one(&toy(), &plan, folder.path(), 3), &["no shard 3", "use 0 to 2"]);
    for shards in [0, 22] {
        told(Plan::new(&toy(), wanted(shards), None), &["--shards", "21 tasks", "use 1 to 21"]);
    }
    told(Plan::read(Path::new("/nowhere"), "sweep merge"), &["sweep merge", "/nowhere", "sweep plan"]);
}

#[test]
fn two_columns_of_one_name_are_refused_before_anything_is_computed() {
    for columns in
        [&[("width", Kind::Number)][..], &[("replicate", Kind::Count)], &[("a", Kind::Number), ("a", Kind::Count)]]
    {
        let mut sweep = toy();
        sweep.columns = columns;
        told(Plan::new(&sweep, wanted(1), None), &["sweep plan", "two columns", columns[0].0]);
    }
}

#[test]
fn a_plan_that_was_edited_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    planned(&toy(), 3, folder.path());
    let path = folder.path().join(FILE);
    let whole = std::fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("\"seed\": 5", "\"seed\": 6"),
        ("\"shards\": 3", "\"shards\": 4"),
        ("\"even\"", "\"odd\""),
        ("  \"digest\": \"", "  \"digest\": \"0"),
        ("\"toy\"", "\"toy\" "),
    ] {
        edit(&path, from, to);
        told(Plan::read(folder.path(), "sweep shard"), &["plan.json", "digest", "plan anew"]);
        std::fs::write(&path, &whole).unwrap();
    }
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    told(Plan::read(folder.path(), "sweep shard"), &["no digest"]);
}

#[test]
fn a_folder_keeps_its_plan() {
    let folder = tempfile::tempdir().unwrap();
    let plan = planned(&toy(), 3, folder.path());
    assert!(plan.write(folder.path(), Path::new("")).is_ok(), "the same plan once more");
    let other = Plan::new(&toy(), Wanted { seed: 6, ..wanted(3) }, None).unwrap();
    told(other.write(folder.path(), Path::new("")), &["another plan", "seed 5", "--folder"]);
    let cut = Plan::new(&toy(), wanted(2), None).unwrap();
    told(cut.write(folder.path(), Path::new("")), &["3 shards"]);
    let paper = Wanted { scale: Scale::Paper, ..wanted(3) };
    assert_ne!(Plan::new(&toy(), paper, None).unwrap().work(), plan.work());
    let pilot = Wanted { replicates: Some(plan.replicates + 1), ..wanted(3) };
    assert_ne!(Plan::new(&toy(), pilot, None).unwrap().work(), plan.work());
    assert_eq!(cut.work(), plan.work(), "what is computed does not depend on the shards");
}

#[test]
fn a_program_of_other_sources_computes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = planned(&toy(), 3, folder.path());
    plan.source = "other".into();
    told(one(&toy(), &plan, folder.path(), 0), &["other sources", "workbench-sweep", "plan anew"]);
    told(merge(&toy(), &plan, folder.path()), &["other sources"]);
}

#[test]
fn gaps_doubles_and_shards_of_other_plans_and_commits_are_refused() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let plan = computed(3, folder.path());
    let path = |index| file(&plan, index, folder.path());
    let kept = std::fs::read(path(1)).unwrap();

    std::fs::remove_file(path(1)).unwrap();
    told(merge(&toy(), &plan, folder.path()), &["1 of 3 shards", "(1)", "--index"]);
    assert_eq!(missing(&states(&plan, folder.path()).unwrap()), [1]);

    // The right number of rows under the wrong name.
    std::fs::copy(path(0), path(1)).unwrap();
    told(merge(&toy(), &plan, folder.path()), &["it is shard 0 of 3"]);
    std::fs::write(path(1), &kept).unwrap();

    let double = folder.path().join("shards/00001-of-00003 (1).parquet");
    std::fs::write(&double, &kept).unwrap();
    told(merge(&toy(), &plan, folder.path()), &["(1).parquet", "double"]);
    std::fs::remove_file(double).unwrap();

    let foreign = |change: fn(&mut Plan)| {
        let mut plan = plan.clone();
        change(&mut plan);
        std::fs::create_dir_all(other.path().join("shards")).unwrap();
        let _ = std::fs::remove_file(file(&plan, 1, other.path()));
        one(&toy(), &plan, other.path(), 1).unwrap();
        std::fs::copy(file(&plan, 1, other.path()), path(1)).unwrap();
    };
    foreign(|plan| plan.seed = 9);
    told(merge(&toy(), &plan, folder.path()), &["another plan"]);
    foreign(|plan| plan.commit = "abc".into());
    told(merge(&toy(), &plan, folder.path()), &["commit abc"]);

    std::fs::write(path(1), kept).unwrap();
    merge(&toy(), &plan, folder.path()).unwrap();
}

#[test]
fn a_shard_cut_short_is_computed_again_and_the_bytes_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let plan = computed(2, folder.path());
    let whole = merged(&toy(), &plan, folder.path());
    let path = file(&plan, 1, folder.path());
    let bytes = std::fs::read(&path).unwrap();
    for length in [0, 4, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..length]).unwrap();
        told(merge(&toy(), &plan, folder.path()), &["00001-of-00002.parquet", "sweep shard", "--index 1"]);
        assert_eq!(missing(&states(&plan, folder.path()).unwrap()), [1]);
    }
    one(&toy(), &plan, folder.path(), 1).unwrap();
    assert!(merged(&toy(), &plan, folder.path()) == whole);
}

#[test]
fn a_changed_bit_anywhere_is_seen_or_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let plan = computed(2, folder.path());
    let whole = merged(&toy(), &plan, folder.path());
    let path = file(&plan, 1, folder.path());
    let bytes = std::fs::read(&path).unwrap();
    // A reader that panics over damaged bytes is caught, and not heard; other tests of this process are.
    let hook = Arc::new(std::panic::take_hook());
    let heard = Arc::clone(&hook);
    std::panic::set_hook(Box::new(move |panic| {
        if panic.location().is_some_and(|place| place.file().contains("/tests/")) {
            heard(panic);
        }
    }));
    let (mut tried, mut seen) = (0, 0);
    for at in (0..bytes.len()).step_by(3) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&path, damaged).unwrap();
        tried += 1;
        match states(&plan, folder.path()).unwrap()[1] {
            State::Done { .. } => assert!(merged(&toy(), &plan, folder.path()) == whole, "byte {at}"),
            _ => seen += 1,
        }
    }
    std::panic::set_hook(Box::new(move |panic| hook(panic)));
    assert!(2 * seen > tried, "{seen} of {tried} bytes");
}

#[test]
fn two_merges_at_once_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let plan = computed(2, folder.path());
    let lock = Lock::take(folder.path(), "sweep merge", std::time::Duration::ZERO).unwrap();
    told(merge(&toy(), &plan, folder.path()), &["is being merged by sweep merge (process", "wait"]);
    drop(lock);
    merge(&toy(), &plan, folder.path()).unwrap();
}

#[test]
fn a_full_disk_leaves_no_half_of_a_shard() {
    let error = std::io::Error::from(std::io::ErrorKind::StorageFull);
    let told = Error::io("sweep shard", "shards/00000-of-00001.parquet", error).to_string();
    assert!(told.contains("free some space") && told.contains("finished shards are kept"), "{told}");
    // A folder that cannot be written, as root too: a file stands where it should be.
    let folder = tempfile::tempdir().unwrap();
    let plan = planned(&toy(), 2, folder.path());
    std::fs::remove_dir(folder.path().join("shards")).unwrap();
    std::fs::write(folder.path().join("shards"), "in the way").unwrap();
    let error = one(&toy(), &plan, folder.path(), 0).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
}

#[test]
fn a_check_takes_a_result_or_is_told_why_not() {
    let (folder, empty) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let stale = |taken: Taken, word: &str| {
        let told = taken.sentence();
        assert!(told.starts_with("sweep stale: ") && told.contains(word), "{told}");
    };
    let none = Toy::result(empty.path(), "").sentence();
    assert!(none.starts_with("sweep missing: no plan in ") && none.contains("sweep plan toy"), "{none}");
    let plan = computed(2, folder.path());
    let open = Toy::result(folder.path(), "").sentence();
    assert!(open.starts_with("sweep missing: ") && open.contains("sweep merge"), "{open}");
    merge(&toy(), &plan, folder.path()).unwrap();
    let Taken::Found(found) = Toy::result(folder.path(), "") else {
        panic!("not found");
    };
    assert_eq!((found.frame.height(), found.runs.len(), found.plan.seed), (39, 2, 5));
    stale(Toy::result(folder.path(), "abc"), "asked for abc");

    let path = folder.path().join(FILE);
    let whole = std::fs::read(&path).unwrap();
    let replanned = |change: fn(&mut Plan)| {
        let mut plan = plan.clone();
        change(&mut plan);
        std::fs::remove_file(&path).unwrap();
        plan.write(folder.path(), Path::new("")).unwrap();
        Toy::result(folder.path(), "")
    };
    stale(replanned(|plan| plan.dirty = true), "differed from its commit");
    stale(replanned(|plan| plan.source = "other".into()), "other sources");
    stale(replanned(|plan| plan.sweep = "other".into()), "of the sweep other");
    stale(replanned(|plan| plan.points.truncate(2)), "has changed since");
    stale(replanned(|plan| plan.replicates = 2), "has changed since");
    stale(replanned(|plan| plan.seed = 6), "another plan");
    std::fs::write(&path, whole).unwrap();
    let data = folder.path().join(DATA);
    let bytes = std::fs::read(&data).unwrap();
    std::fs::write(&data, &bytes[..bytes.len() - 9]).unwrap();
    let cut = Toy::result(folder.path(), "").sentence();
    assert!(cut.starts_with("sweep missing: ") && cut.contains("merge again"), "{cut}");
}
