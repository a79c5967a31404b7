//! Tests of the messages.

use std::path::Path;

use super::*;

const OP: &str = "fit";

fn says(error: Error, parts: &[&str]) {
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "{text:?} lacks {part:?}");
    }
}

#[test]
fn messages_name_operation_value_and_remedy() {
    says(Error::parameter(OP, "alpha", 0.5, "alpha > 1"), &["fit: alpha = 0.5 is not allowed; use alpha > 1"]);
    says(Error::zero(OP, "runs"), &["fit: runs is zero; use at least 1"]);
    says(Error::empty(OP, "the memory", "store a pattern first"), &["the memory is empty; store a pattern first"]);
    says(Error::too_few(OP, "points", 2, 3, "add one"), &["2 points, needs at least 3; add one"]);
    says(Error::no_such(OP, "class", 7, 3), &["no class at position 7, there are 3"]);
    says(Error::unavailable(OP, "CUDA", "use the CPU"), &["CUDA is not available; use the CPU"]);
    says(Error::refused(OP, "r = 3 is odd", format!("use r = {}", 4)), &["fit: r = 3 is odd; use r = 4"]);
    says(Error::file(OP, Path::new("a/b"), "damaged", "delete it"), &["fit: a/b: damaged; delete it"]);
    says(Error::not_finite(OP, "W", &[1, 2], f64::NAN), &["fit: W[1, 2] = NaN is not finite"]);
    says(Error::not_finite(OP, "the loss", &[], f64::INFINITY), &["the loss = inf is not finite"]);
    says(Error::entry(OP, "x", 4, -1.0, "positive numbers"), &["x[4] = -1 is not allowed; use positive numbers"]);
}

#[test]
fn both_shapes_are_shown_and_counts_stay_readable() {
    let shape: &[usize] = &[3, 4];
    says(Error::shape(OP, ("W", shape), ("keys", (5, 6)), "agree"), &["W = (3, 4)", "keys = (5, 6); agree"]);
    says(Error::shape(OP, ("x", 3), ("y", 4), "agree"), &["x = 3 does not match y = 4"]);
    says(Error::too_many(OP, "types", 65.0, 64.0, "less"), &["65 types (limit 64); less"]);
    says(Error::too_many(OP, "types", 1e300, 2e7, "less"), &["1.000e300 types (limit 20000000)"]);
}

#[test]
fn a_divergence_names_step_value_and_rate() {
    let at = |rate| Error::Diverged { op: OP, step: 7, name: "loss", value: 1e30, rate, next: "lower the rate".into() };
    says(at(Some(0.5)), &["at step 7: loss 1.000e30 at learning rate 5.000e-1; lower the rate"]);
    says(at(None), &["loss 1.000e30; lower the rate"]);
}

#[test]
fn what_was_called_keeps_its_name_and_its_source() {
    let inner = Error::empty("mean", "values", "pass at least one value");
    let outer = Error::during(OP)(inner.clone());
    assert_eq!(outer.to_string(), format!("fit: {inner}"));
    let source = std::error::Error::source(&outer).map(ToString::to_string);
    assert_eq!(source, Some(inner.to_string()));
    let stopped = Stopped { operation: "mean", done: 1, of: 2 };
    assert!(matches!(Error::during(OP)(stopped.into()), Error::Stopped(s) if s == stopped));
    let foreign = "x".parse::<u64>().map_err(Error::linear_algebra(OP)).unwrap_err();
    says(foreign.clone(), &["fit: invalid digit", "nearly singular"]);
    assert!(std::error::Error::source(&foreign).is_some());
}

#[test]
fn it_can_be_kept_and_sent() {
    fn keeps<T: std::error::Error + Clone + Send + Sync + 'static>(_: T) {}
    keeps(Error::zero(OP, "n"));
}
