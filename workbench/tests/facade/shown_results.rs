//! Results of the papers' rooms show themselves: a table of named columns, and a figure where they are curves.

use ndarray::array;
use workbench::gradient_memory::{Hebbian, retention_by_age};
use workbench::memformer::{Curve, LearningCurve, SingleMemory, TaskLaw, TestSet};
use workbench::memory::ErrorCurve;
use workbench::prelude::*;

/// Names of the columns of the table, and what the figure says in words.
fn shown(result: &impl Tabulated) -> (Vec<String>, String) {
    let names = result.table().unwrap().frame().get_column_names_owned();
    let names = names.iter().map(|name| name.to_string()).collect();
    (names, result.figure().unwrap().text().unwrap())
}

#[test]
fn curves_are_tables_and_figures() {
    let errors = ErrorCurve::new(vec![1.0, 10.0, 100.0], array![[0.5, 0.05, 0.005], [0.3, 0.03, 0.004]]).unwrap();
    let (names, text) = shown(&errors);
    assert_eq!(names, ["x", "error", "error_low", "error_high"]);
    assert!(text.contains("error"), "{text}");

    let streams = Streams::new(1);
    let rule = Hebbian::new(4, 4, 1.0).unwrap();
    let retention = retention_by_age(&rule, 6, &[0, 2, 4], 20, &streams, "shown").unwrap();
    assert_eq!(shown(&retention).0[..2], ["age", "retention"]);

    let law = TaskLaw::isotropic(3).unwrap();
    let tests: Vec<TestSet> =
        (0..3).map(|i| TestSet::draw(&law, 8, 20, &mut streams.replicate("tests", i).unwrap()).unwrap()).collect();
    let descent = SingleMemory::gradient_descent(0.5, 2).unwrap();
    let (names, text) = shown(&Curve::of_method(&descent, &tests, 2).unwrap());
    assert_eq!((names.len(), names[0].as_str()), (10, "layer"));
    assert!(text.contains("query") && text.contains("3 points"), "{text}");

    let learning = LearningCurve {
        sizes: vec![10.0, 100.0],
        excess: array![[0.1, 0.01], [0.2, 0.02]],
        supremum: ndarray::Array2::zeros((2, 0)),
        first_slack: ndarray::Array2::zeros((2, 0)),
    };
    assert_eq!(shown(&learning).0[1], "excess risk");
}
