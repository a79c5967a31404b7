//! Shards of a sweep: however it is cut, in whatever order and however often they are computed: the same bytes.

use std::path::Path;

use polars_io::SerReader;
use polars_io::parquet::read::ParquetReader;
use workbench_record::{Line, Run, Scale};
use workbench_sweep::{Computed, DATA, Draws, How, Plan, TIMES, Wanted, compute, file, sweeps};

use crate::common::{computed, merged, one, planned, toy, wanted};

#[test]
fn one_three_or_eight_shards_in_any_order_give_the_same_bytes() {
    let sweep = toy();
    let folders: Vec<tempfile::TempDir> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let orders: [&[u64]; 3] = [&[0], &[2, 0, 1, 0], &[7, 3, 0, 6, 2, 5, 1, 4]];
    let mut seen = Vec::new();
    for ((folder, order), shards) in folders.iter().zip(orders).zip([1, 3, 8]) {
        let plan = planned(&sweep, shards, folder.path());
        let mut first = vec![true; shards as usize];
        for index in order {
            // One of them twice, from the beginning.
            let how = How { anew: true, threads: 1 + *index as usize % 3, ..How::default() };
            let done = compute(&sweep, &plan, folder.path(), *index, how).unwrap();
            assert!(matches!(done, Computed::Now { kept: 0, .. }));
            first[*index as usize] = false;
        }
        assert!(first.iter().all(|open| !open));
        assert_eq!(one(&sweep, &plan, folder.path(), 0).unwrap(), Computed::AlreadyThere);
        seen.push(merged(&sweep, &plan, folder.path()));
    }
    assert!(seen[0] == seen[1] && seen[0] == seen[2]);
}

#[test]
fn the_table_has_the_rows_of_the_plan_and_the_runs_stand_beside_it() {
    let (sweep, folder) = (toy(), tempfile::tempdir().unwrap());
    let plan = computed(4, folder.path());
    merged(&sweep, &plan, folder.path());
    let file = std::fs::File::open(folder.path().join(DATA)).unwrap();
    let frame = ParquetReader::new(file).finish().unwrap();
    let names: Vec<&str> = frame.get_column_names().into_iter().map(|name| name.as_str()).collect();
    assert_eq!(names, ["law", "rows", "width", "replicate", "value", "place"]);
    let mut expected = Vec::new();
    for (at, point) in plan.points.iter().enumerate() {
        for replicate in 0..3 {
            let draws = Draws::new(5, "toy", point, replicate, folder.path());
            let mut stream = draws.stream("values").unwrap();
            expected.extend((0..1 + at % 3).map(|_| 0.1 * at as f64 * stream.normal()));
        }
    }
    let values = frame.column("value").unwrap();
    assert_eq!(values.f64().unwrap().into_no_null_iter().collect::<Vec<f64>>(), expected);
    let runs = workbench_record::table::read::<Run>(folder.path()).unwrap();
    assert_eq!(runs.len(), 4);
    assert!(runs.iter().all(|run| run.check().is_ok() && run.scale == Scale::Quick && run.seed == 5));
    assert!(runs[3].run.starts_with("toy/00003-of-00004@"), "{}", runs[3].run);
    let times = std::fs::read_to_string(folder.path().join(TIMES)).unwrap();
    assert_eq!(times.lines().count(), 1 + plan.points.len());
}

#[test]
fn other_points_leave_the_draws_of_a_point_as_they_are() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let plans = [computed(1, folders[0].path()), computed(1, folders[1].path())];
    let mut fewer = plans[1].clone();
    fewer.points.remove(0);
    let path = file(&fewer, 0, folders[1].path());
    compute(&toy(), &fewer, folders[1].path(), 0, How { anew: true, ..How::default() }).unwrap();
    let read = |path| {
        let frame = ParquetReader::new(std::fs::File::open(path).unwrap()).finish().unwrap();
        let values = frame.column("value").unwrap();
        values.f64().unwrap().into_no_null_iter().collect::<Vec<f64>>()
    };
    let (all, rest) = (read(file(&plans[0], 0, folders[0].path())), read(path));
    assert_eq!(all[3..], rest[..]);
}

/// Each sweep of the project, at quick scale: it computes, in one process and in three, to the same bytes.
fn every(name: &str) {
    let sweep = sweeps::named(name).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seen = Vec::new();
    for shards in [1, 3] {
        let folder = tempfile::tempdir().unwrap();
        let plan = Plan::new(&sweep, wanted(shards), Some(&root)).unwrap();
        plan.write(folder.path(), &root.join("datasets")).unwrap();
        for index in 0..shards {
            let how = How { threads: 2, ..How::default() };
            compute(&sweep, &plan, folder.path(), index, how).unwrap();
        }
        seen.push(merged(&sweep, &plan, folder.path()));
    }
    assert!(seen[0] == seen[1], "{name}");
}

#[test]
fn error_curves_do_not_depend_on_shards() {
    every("error-curves");
}

#[test]
fn stored_memories_do_not_depend_on_shards() {
    every("stored-memories");
}

#[test]
fn trained_memories_do_not_depend_on_shards() {
    every("trained-memories");
}

#[test]
fn learned_planes_do_not_depend_on_shards() {
    every("learned-planes");
}

#[test]
fn memformers_do_not_depend_on_shards() {
    every("memformers");
}

#[test]
fn meta_training_does_not_depend_on_shards() {
    every("meta-training");
}

#[test]
fn long_trainings_do_not_depend_on_shards() {
    every("long-trainings");
}

#[test]
fn a_long_training_goes_on_from_its_checkpoint_to_the_same_bytes() {
    use workbench_ground::work::Unwatched;
    use workbench_optimizer::bank::{Course, Recipe};
    let (sweep, root) = (sweeps::named("long-trainings").unwrap(), Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let computed = |windows: u64| {
        let folder = tempfile::tempdir().unwrap();
        let wanted = Wanted { replicates: Some(1), ..wanted(1) };
        let plan = Plan::new(&sweep, wanted, Some(&root)).unwrap();
        plan.write(folder.path(), &root.join("datasets")).unwrap();
        let recipe = Recipe::named("document").unwrap();
        let tasks = workbench_optimizer::tasks::Suite::new(root.join("datasets")).tasks(recipe.tasks).unwrap();
        let file = folder.path().join("checkpoints/document-1.course");
        if windows > 0 {
            std::fs::create_dir(folder.path().join("checkpoints")).unwrap();
            let mut course = Course::begin(&recipe, &tasks, 1).unwrap();
            course.run(windows, 1, &mut |course| course.save().write(&file), &mut Unwatched).unwrap();
        }
        one(&sweep, &plan, folder.path(), 0)
            .map(|_| (merged(&sweep, &plan, folder.path()), std::fs::read(file).unwrap()))
    };
    assert!(computed(0).unwrap() == computed(2).unwrap());
    let refused = computed(4).unwrap_err().to_string();
    assert!(refused.contains("has 4 windows, 3 are planned"), "{refused}");
}

#[test]
fn the_largest_of_normals_has_the_mean_that_is_known() {
    let (sweep, folder) = (sweeps::named("rehearsal").unwrap(), tempfile::tempdir().unwrap());
    let plan = planned(&sweep, 1, folder.path());
    one(&sweep, &plan, folder.path(), 0).unwrap();
    let file = std::fs::File::open(file(&plan, 0, folder.path())).unwrap();
    let frame = ParquetReader::new(file).finish().unwrap();
    let means = frame.column("mean_largest").unwrap();
    let of_two: Vec<f64> = means.f64().unwrap().into_no_null_iter().take(8).collect();
    // E max(X, Y) = 1/sqrt(pi); 8 means of 2^18 sets with variance 1 - 1/pi each, five standard errors.
    let mean = of_two.iter().sum::<f64>() / 8.0;
    let error = 5.0 * ((1.0 - std::f64::consts::FRAC_1_PI) / (8.0 * f64::from(1 << 18))).sqrt();
    assert!((mean - std::f64::consts::PI.sqrt().recip()).abs() < error, "{mean}");
}
