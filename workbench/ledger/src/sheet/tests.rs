use super::*;
use workbench_ground::stats::Estimate;
use workbench_record::{Outcome, Scale, Verdict};

const CLOSE: Margin = Margin::statistical("close", 0.1, "a tenth is what a reader would call close");
const HALF: Margin = Margin::statistical("half", 0.5, "half of what there is");

fn sheet(turned: &[(&str, Value)]) -> Sheet {
    let turned = turned.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    Sheet::new(Setting::new(Scale::Quick, 1), turned)
}

fn interval() -> Estimate {
    Estimate { value: 0.45, low: 0.44, high: 0.46, n: 90, confidence: 0.999 }
}

/// Measured value, count and unit of all findings of an evidence.
fn numbers(findings: &[Finding]) -> Vec<(f64, u64, &str)> {
    findings.iter().map(|f| (f.measured().value, f.measured().n, f.unit_text())).collect()
}

fn evidence(s: Sheet) -> Evidence {
    s.read().unwrap().0.evidence
}

fn refusal(s: Sheet) -> String {
    s.read().unwrap_err().to_string()
}

#[test]
fn cases_are_one_finding_the_worst_for_the_claim_and_the_mildest_for_a_twin() {
    let s = sheet(&[]);
    for x in s.each("draws", [0.02, 0.05, 0.01]) {
        s.printed(CLOSE).same("error", x);
        s.printed(HALF).at_most("at most", x);
        s.printed(CLOSE).at_least("at least", x);
        s.printed(CLOSE).equals("equal to three hundredths", 0.03, x);
        s.twin(CLOSE).same("error", x);
        s.twin(CLOSE).at_least("at least", x);
        s.twin(CLOSE).largest().same("largest", x);
        s.support(CLOSE).least().same("least", x);
    }
    let evidence = evidence(s);
    let draws = |values: &[f64]| values.iter().map(|x| (*x, 3, "draws")).collect::<Vec<_>>();
    assert_eq!(numbers(&evidence.printed), draws(&[0.05, 0.05, 0.01, 0.05]));
    assert_eq!(numbers(&evidence.twins), draws(&[0.01, 0.05, 0.05]));
    assert_eq!(numbers(&evidence.supports), draws(&[0.01]));
}

#[test]
fn cases_are_counted_once_each_and_inside_of_others() {
    let s = sheet(&[]);
    for _ in s.each("prompts", 0..3) {
        s.printed(CLOSE).same("by prompt", 0.0);
        for layer in s.each("layers", 0..4) {
            s.printed(CLOSE).same("by layer", 0.0);
            s.printed(CLOSE).same("by layer", f64::from(layer) / 100.0);
        }
        s.printed(CLOSE).same("by prompt", 0.0);
    }
    s.printed(CLOSE).same("once", 0.0);
    s.printed(CLOSE).over(7, "entries").same("counted elsewhere", 0.0);
    s.printed(HALF).of("runs").at_most("interval", interval());
    let expected = [(0.0, 3, "prompts"), (0.03, 12, "layers"), (0.0, 1, ""), (0.0, 7, "entries"), (0.45, 90, "runs")];
    assert_eq!(numbers(&evidence(s).printed), expected);
}

#[test]
fn events_are_counted_wherever_they_happen() {
    let s = sheet(&[]);
    for x in 0..10 {
        s.printed(Margin::ZERO).of("cells").never("never", x > 100);
        s.twin(Margin::ZERO).of("cells").never("happens", x > 7);
    }
    let evidence = evidence(s);
    assert_eq!(numbers(&evidence.printed), [(0.0, 10, "cells")]);
    assert_eq!(numbers(&evidence.twins), [(2.0, 10, "cells")]);
    assert_eq!(evidence.verdict().unwrap(), Verdict::Holds);
}

#[test]
fn a_nan_in_one_case_is_no_measurement_whichever_it_is() {
    for order in [[f64::NAN, 0.01], [0.01, f64::NAN]] {
        for least in [false, true] {
            let s = sheet(&[]);
            for x in s.each("draws", order) {
                let says = if least { s.printed(CLOSE).least() } else { s.printed(CLOSE) };
                says.same("error", x);
            }
            let error = evidence(s).verdict().unwrap_err().to_string();
            assert!(error.contains("finite"), "{error}");
        }
    }
}

#[test]
fn a_changed_form_has_what_is_said_of_it_and_of_both() {
    let s = sheet(&[]);
    s.printed(CLOSE).equals("as printed", 1.0, interval());
    s.both_forms(HALF).at_most("either way", interval());
    s.changed(CLOSE).equals("with one half", 0.5, interval());
    s.misprint("one half, not one");
    s.twin(CLOSE).equals("a quarter", 0.25, interval());
    s.note("a remark");
    let evidence = evidence(s);
    assert_eq!(evidence.verdict().unwrap(), Verdict::HoldsWithChange);
    let labels = |findings: &[Finding]| findings.iter().map(|f| f.label().to_string()).collect::<Vec<_>>();
    assert_eq!(labels(&evidence.printed), ["as printed", "either way"]);
    assert_eq!(labels(&evidence.corrections[0].findings), ["either way", "with one half"]);
    assert_eq!(evidence.corrections[0].kind, Some(Kind::Misprint));
    assert_eq!(evidence.notes, ["a remark"]);
}

#[test]
fn what_is_not_tested_has_a_reason_and_nothing_else() {
    let s = sheet(&[]);
    s.not_tested("no such machine here");
    assert_eq!(evidence(s).not_tested.as_deref(), Some("no such machine here"));
    let s = sheet(&[]);
    s.not_tested(" ");
    assert!(refusal(s).contains("say what is missing"));
    let s = sheet(&[]);
    s.not_tested("no such machine here");
    s.printed(CLOSE).same("x", 0.0);
    assert!(refusal(s).contains("take s.not_tested(..) away"));
}

#[test]
fn the_margin_is_tolerance_or_bound_and_what_is_scaled_down_says_so() {
    let s = sheet(&[]);
    s.printed(HALF).scaled_down().at_least("scaled", interval());
    s.printed(Margin::ZERO).excludes("nothing", 0.0, interval());
    s.printed(CLOSE).near("near", 0.4, interval());
    let printed = evidence(s).printed;
    assert!(printed[0].is_scaled_down());
    let outcomes: Vec<Outcome> = printed.iter().map(|f| f.outcome().unwrap()).collect();
    assert_eq!(outcomes, [Outcome::Contradicts, Outcome::Supports, Outcome::Supports]);
    assert_eq!(printed[0].allowance().margin(), Some(HALF));
    assert_eq!(printed[1].allowance().margin(), None);
}

#[test]
fn what_cannot_be_said_is_refused_with_the_next_thing_to_try() {
    let one = |say: fn(&Sheet)| {
        let s = sheet(&[]);
        say(&s);
        refusal(s)
    };
    for (say, hint) in [
        ((|_| ()) as fn(&Sheet), "s.printed(MARGIN)"),
        (
            |s| {
                s.printed(CLOSE).same("x", 0.0);
                s.printed(CLOSE).same("x", 0.0);
            },
            "s.each(",
        ),
        (
            |s| {
                for x in s.each("draws", [interval(), interval()]) {
                    s.printed(CLOSE).equals("x", 0.5, x);
                }
            },
            "words of its own",
        ),
        (
            |s| {
                s.printed(CLOSE).same("y", 0.0);
                for x in s.each("draws", [0.0; 0]) {
                    s.printed(CLOSE).same("x", x);
                }
            },
            "there is none, so what is stated of them is missing",
        ),
        (
            |s| {
                for margin in s.each("draws", [CLOSE, HALF]) {
                    s.printed(margin).same("x", 0.0);
                }
            },
            "words of its own",
        ),
        (
            |s| {
                s.printed(CLOSE).same("x", 0.0);
                s.changed(CLOSE).same("y", 0.0);
            },
            "s.misprint(",
        ),
    ] {
        let error = one(say);
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn knobs_stand_at_their_defaults_until_they_are_turned() {
    let asks = |s: &Sheet| -> Result<(usize, f64, Vec<u32>, usize), Failure> {
        let (layers, rate) = (s.knob("layers L", 3usize, 1..=8)?, s.knob("rate", 0.5, 0.0..)?);
        Ok((layers, rate, s.knobs("dimensions", &[4u32, 8], 1..)?, s.cases("prompts", 5, 20)?.count()))
    };
    assert_eq!(asks(&sheet(&[])).unwrap(), (3, 0.5, vec![4, 8], 5));
    let turned =
        [("layers L", 7usize.into()), ("rate", 1.5.into()), ("dimensions", [2u32].into()), ("prompts", 2usize.into())];
    let s = sheet(&turned);
    assert_eq!(asks(&s).unwrap(), (7, 1.5, vec![2], 2));
    s.printed(CLOSE).same("x", 0.0);
    let knobs = s.read().unwrap().1;
    let shown: Vec<String> = knobs.iter().map(|k| format!("{} {} {}", k.name, k.value, k.default)).collect();
    assert_eq!(shown, ["layers L 7 3", "rate 1.5 0.5", "dimensions [2] [4, 8]", "prompts 2 5"]);
    for (name, value, hint) in [
        ("layers L", Value::from(9usize), "9 is not a number of at least 1 and at most 8"),
        ("layers L", 2.5.into(), "2.5 is not a number"),
        ("layers L", [2usize].into(), "[2] is not a number"),
        ("rate", (-1.0).into(), "-1 is not a number of at least 0"),
        ("dimensions", Vec::<usize>::new().into(), "[] is not a list of at least one number"),
        ("prompts", 0usize.into(), "0 is not a number of at least 1"),
    ] {
        let error = asks(&sheet(&[(name, value)])).unwrap_err().to_string();
        assert!(error.contains(hint) && error.contains(name), "{error}");
    }
    let error = sheet(&[]).knob("rate", 7usize, 0..=3).unwrap_err().to_string();
    assert!(
        error.contains("7 is not in its own range: its default has to be a number of at least 0 and at most 3"),
        "{error}"
    );
    assert!(sheet(&[]).knobs("dimensions", &[4u32, 0], 1..).is_err());
    let s = sheet(&[("layer", 2usize.into())]);
    asks(&s).unwrap();
    let error = refusal(s);
    assert!(error.contains("\"layer\"") && error.contains("\"layers L\" = 3"), "{error}");
}

const TENFOLD: Margin = Margin::ours("tenfold", 10.0, "an order of magnitude is what we call far");

#[test]
fn a_number_of_ours_is_shown_and_turns_no_verdict() {
    let s = sheet(&[]);
    s.printed(TENFOLD).at_least("far above", 12.0);
    assert!(refusal(s).contains("margin \"tenfold\" is a number of ours"));
    let s = sheet(&[]);
    s.printed(Margin::ZERO).at_least("above", 3.0);
    s.aside(TENFOLD).at_least("far above", 3.0);
    let evidence = evidence(s);
    assert_eq!(evidence.verdict().unwrap(), Verdict::Holds);
    assert_eq!(evidence.asides[0].outcome().unwrap(), Outcome::Contradicts);
}

#[test]
fn a_repair_that_says_what_the_printed_form_said_is_refused() {
    let s = sheet(&[]);
    s.misprint("a factor of two");
    s.printed(CLOSE).equals("slope", 1.0, 0.5);
    s.changed(CLOSE).equals("slope again", 1.0, 0.5);
    assert!(refusal(s).contains("numbers that the printed form did not have"));
    let s = sheet(&[]);
    s.step("by Jensen in place of the union bound");
    s.printed(CLOSE).equals("slope", 1.0, 0.5);
    s.changed(CLOSE).equals("slope", 0.5, 0.5);
    assert_eq!(evidence(s).verdict().unwrap(), Verdict::HoldsWithChange);
}

#[test]
fn what_is_true_instead_makes_a_failure() {
    let s = sheet(&[]);
    s.instead("it grows");
    s.printed(CLOSE).at_most("slope", 0.5);
    s.changed(Margin::ZERO).at_least("slope", 0.5);
    assert_eq!(evidence(s).verdict().unwrap(), Verdict::Fails);
}

/// The check that `new claim` writes, with its example alive.
#[path = "../../../../kernel/assets/project/check.rs.in"]
mod begun;

#[test]
fn the_example_of_a_claim_that_begins_runs_and_holds() {
    let found = begun::CHECK.run(&Setting::new(Scale::Quick, 1)).unwrap();
    assert_eq!(found.evidence.verdict().unwrap(), Verdict::Holds);
}
