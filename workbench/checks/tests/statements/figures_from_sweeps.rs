//! Sweeps as the source of a figure: each number comes to its place, and what a sweep lacks is said.

use std::collections::BTreeMap;

use workbench_checks::heavy_tailed::error_curves::Curves;
use workbench_checks::heavy_tailed::figure_12;
use workbench_checks::heavy_tailed::rival_memories::{
    BACKWARDS_LARGE, BACKWARDS_SMALL, EQUAL_LARGE, EQUAL_SMALL, WEIGHTED_LARGE, WEIGHTED_SMALL, WEIGHTS, recalled,
};
use workbench_ledger::Swept;
use workbench_memory::{Samples, Scheme};

#[test]
fn what_the_sweep_has_is_taken_and_what_it_lacks_is_said() {
    const COLUMNS: [&str; 8] = [
        "error",
        "sectors",
        "cosine",
        "cosine_weighted",
        "nearest_own",
        "cosine_one_off",
        "untrained_weighted",
        "untrained_nearest_own",
    ];
    let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (seed, classes) in [(0.0, 5.0), (1.0, 5.0), (0.0, 10.0)] {
        for (name, value) in [("inputs", 100.0), ("classes", classes), ("dimension", 2.0)] {
            columns.entry(name.into()).or_default().push(value);
        }
        for (k, name) in COLUMNS.into_iter().enumerate() {
            columns.entry(name.into()).or_default().push(k as f64 + 0.5 * seed);
        }
    }
    let rows = Swept::new("a test", columns);
    let seen = figure_12::swept(&rows, 5, 2, 2).unwrap();
    assert_eq!((seen.errors.clone(), seen.sectors.clone()), (vec![0.0, 0.5], vec![1.0, 1.5]));
    assert_eq!((&seen.cosines.uniform, &seen.cosines.one_off), (&vec![2.0, 2.5], &vec![5.0, 5.5]));
    assert_eq!((&seen.untrained.weighted, &seen.untrained.nearest), (&vec![6.0, 6.5], &vec![7.0, 7.5]));
    assert_eq!(seen.without_error(), 1);
    assert!(figure_12::swept(&rows, 10, 2, 2).unwrap_err().contains("1 of the 2"));
}

/// Two draws of each memory; which inputs are lost says whose they are.
fn memories(alpha: f64) -> Swept {
    let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (w, weights) in WEIGHTS.into_iter().enumerate() {
        for (d, dim) in [10.0, 50.0].into_iter().enumerate() {
            for draw in 0..2 {
                let row = [
                    ("inputs", 10.0),
                    ("alpha", alpha),
                    ("samples", 1000.0),
                    ("weights", weights),
                    ("dimension", dim),
                    ("lost_to_50", (2 * w + d + draw) as f64),
                ];
                for (name, value) in row {
                    columns.entry(name.into()).or_default().push(value);
                }
            }
        }
    }
    Swept::new("a test", columns)
}

#[test]
fn every_memory_and_draw_comes_to_its_place() {
    let found = recalled(&memories(1.0), 2).unwrap();
    for ((memory, draw, x), recalled) in found.indexed_iter() {
        assert_eq!(*recalled, (memory + draw) >> x & 1 == 0, "{memory} {draw} {x}");
    }
    // The memories stand as the panels do, and the wrong ones behind them.
    let panels = [EQUAL_SMALL, EQUAL_LARGE, WEIGHTED_SMALL, WEIGHTED_LARGE, BACKWARDS_SMALL, BACKWARDS_LARGE];
    assert_eq!(panels, [0, 1, 2, 3, 4, 5]);
    assert!(recalled(&memories(1.0), 3).unwrap_err().contains("2 of the 3"));
    assert!(recalled(&memories(2.0), 2).unwrap_err().contains("alpha = 1"));
}

/// Two runs, two dimensions, two data sizes; each error says where it belongs, and an enlarged figure stands between.
fn errors() -> Swept {
    let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for run in [1.0, 2.0] {
        for times in [1.0, 10.0] {
            for samples in [10.0, f64::INFINITY] {
                for dim in [5.0, 7.0] {
                    let place = run / 8.0 + dim / 100.0 + if samples == 10.0 { 0.5 } else { 0.0 };
                    let row = [
                        ("times", times),
                        ("inputs", 20.0),
                        ("alpha", 0.5),
                        ("samples", samples),
                        ("dimension", dim),
                        ("error_equal", if times == 1.0 { place } else { 9.0 }),
                        ("error_none", f64::NAN),
                    ];
                    for (name, value) in row {
                        columns.entry(name.into()).or_default().push(value);
                    }
                }
            }
        }
    }
    Swept::new("a test", columns)
}

fn curves() -> Curves {
    Curves {
        inputs: 20,
        alpha: 0.5,
        schemes: vec![("error_equal", Scheme::uniform())],
        dims: vec![5, 7],
        samples: vec![Samples::Population, Samples::Draws(10)],
        runs: 2,
        stream: "test",
    }
}

#[test]
fn every_error_comes_to_its_place_and_is_read_as_if_it_had_been_computed() {
    let values = curves().values(&errors()).unwrap();
    for ((_, t, run, d), error) in values.indexed_iter() {
        let expected = [0.125, 0.25][run] + [0.05, 0.07][d] + [0.0, 0.5][t];
        assert!((error - expected).abs() < 1e-15, "{t} {run} {d}: {error}");
    }
    let errors = curves().experiment().unwrap().found(values).unwrap();
    assert_eq!((errors.dims(), errors.sizes()), (vec![5.0, 7.0], vec![f64::INFINITY, 10.0]));
    assert!(
        (errors.mean(&Scheme::uniform(), 7, Samples::Draws(10)).unwrap().value - (0.1875 + 0.07 + 0.5)).abs() < 1e-12
    );
}

#[test]
fn what_the_sweep_does_not_have_is_said() {
    let why = |change: fn(&mut Curves)| {
        let mut other = curves();
        change(&mut other);
        other.values(&errors()).unwrap_err()
    };
    assert!(why(|curves| curves.dims.push(8)).contains("dimension = 8"));
    assert!(why(|curves| curves.runs = 3).contains("2 of the 3 replicates"));
    assert!(why(|curves| curves.alpha = 1.0).contains("alpha = 1"));
    assert!(why(|curves| curves.schemes[0].0 = "error_none").contains("no numbers"));
}
