//! The knobs of a cell: values that its text allows to be turned.
//!
//! ```text
//! let runs = 50; // knob 10..=200 step 10
//! let exponent = 1.5; // knob 0.5..=3.0
//! let law = "zipf"; // knob "zipf" | "uniform"
//! ```
//! The cell is plain Rust with plain values, in any kernel and without a front end. Where the front end has Jupyter's widgets, a
//! slider or a list stands above the cell's outputs, and turning it runs the cell with another value.

use std::ops::Range;

use crate::eval::text;

/// Stands before the values that a knob may take.
const SIGN: &str = "// knob ";
/// Steps of a slider over numbers with a fraction, unless the cell says otherwise.
const STEPS: f64 = 100.0;

/// The values that a knob may take.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Whole numbers from, to, in steps.
    Whole(i64, i64, i64),
    /// Numbers from, to, in steps.
    Number(f64, f64, f64),
    /// One of these, as they stand in the cell.
    OneOf(Vec<String>),
}

/// A knob.
#[derive(Debug, Clone, PartialEq)]
pub struct Knob {
    /// The variable.
    pub name: String,
    /// Its value, as it stands in the cell.
    pub value: String,
    /// What it may be.
    pub values: Values,
    /// Where the value stands in the source.
    at: Range<usize>,
}

/// The knobs of a cell. A line that looks like one and is none is plain Rust.
pub fn of(source: &str) -> Vec<Knob> {
    let rust = text::without_commands(source).0;
    let mut start = 0;
    let mut knobs = Vec::new();
    for line in rust.split_inclusive('\n') {
        knobs.extend(in_line(line, start));
        start += line.len();
    }
    knobs
}

fn in_line(line: &str, start: usize) -> Option<Knob> {
    let (code, allowed) = line.split_once(SIGN)?;
    let bound = code.trim_start().strip_prefix("let ")?;
    let (pattern, _) = bound.split_once('=')?;
    let pattern = pattern.trim().trim_start_matches("mut ");
    let name = pattern.split(':').next()?.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let from = code.find('=')? + 1;
    let to = code.rfind(';')?;
    let value = code.get(from..to)?;
    let from = from + value.len() - value.trim_start().len();
    let value = value.trim();
    let values = values(allowed.trim())?;
    let fits = match &values {
        Values::Whole(..) => number::<i64>(value).is_some(),
        Values::Number(..) => number::<f64>(value).is_some(),
        Values::OneOf(all) => all.iter().any(|one| one == value),
    };
    (is_name && fits).then(|| Knob {
        name: name.to_owned(),
        value: value.to_owned(),
        values,
        at: start + from..start + from + value.len(),
    })
}

fn values(allowed: &str) -> Option<Values> {
    if allowed.contains('|') {
        let all: Vec<String> = allowed.split('|').map(|one| one.trim().to_owned()).collect();
        return all.iter().all(|one| !one.is_empty()).then_some(Values::OneOf(all));
    }
    let (from, rest) = allowed.split_once("..=")?;
    let (to, step) = match rest.split_once(" step ") {
        Some((to, step)) => (to, Some(step)),
        None => (rest, None),
    };
    let whole = (
        number::<i64>(from),
        number::<i64>(to),
        step.map_or(Some(1), number::<i64>),
    );
    if let (Some(from), Some(to), Some(step)) = whole {
        return (from < to && step > 0).then_some(Values::Whole(from, to, step));
    }
    let (from, to) = (number::<f64>(from)?, number::<f64>(to)?);
    let step = step.map_or(Some((to - from) / STEPS), number::<f64>)?;
    let ordered = from < to && step > 0.0 && (to - from).is_finite();
    ordered.then_some(Values::Number(from, to, step))
}

fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.trim().replace('_', "").parse().ok()
}

impl Knob {
    /// Turns the knob to what a front end sent; false where that is no value of it.
    pub fn turn(&mut self, to: &serde_json::Value) -> bool {
        let text = match &self.values {
            Values::Whole(from, least, _) => to
                .as_i64()
                .or_else(|| {
                    to.as_f64()
                        .filter(|value| value.fract() == 0.0)
                        .map(|value| value as i64)
                })
                .filter(|value| (*from..=*least).contains(value))
                .map(|value| value.to_string()),
            Values::Number(from, least, _) => to
                .as_f64()
                .filter(|value| (*from..=*least).contains(value))
                .map(|value| format!("{:?}", tidy(value))),
            Values::OneOf(all) => to
                .as_u64()
                .and_then(|index| all.get(usize::try_from(index).ok()?))
                .cloned(),
        };
        let turned = text.is_some();
        self.value = text.unwrap_or_else(|| self.value.clone());
        turned
    }

    /// What it may be, for a reader.
    pub fn allowed(&self) -> String {
        match &self.values {
            Values::Whole(from, to, 1) => format!("{from} to {to}"),
            Values::Whole(from, to, step) => format!("{from} to {to} in steps of {step}"),
            Values::Number(from, to, _) => format!("{from} to {to}"),
            Values::OneOf(all) => all.join(", "),
        }
    }
}

/// Without the digits that adding up steps leaves behind.
fn tidy(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}

/// The source with the values of these knobs, which are its own.
pub fn turned(source: &str, knobs: &[Knob]) -> String {
    let mut turned = source.to_owned();
    for knob in knobs.iter().rev() {
        turned.replace_range(knob.at.clone(), &knob.value);
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const CELL: &str = ":dep a\nlet runs: usize = 50; // knob 10..=200 step 10\nlet mut s = 1.5; // knob 0.5..=3.0\n\
        let law = \"zipf\"; // knob \"zipf\" | \"uniform\"\nruns + 1";

    #[test]
    fn knobs_are_read_from_the_text_and_turned_in_it() {
        let mut knobs = of(CELL);
        let names: Vec<&str> = knobs.iter().map(|knob| knob.name.as_str()).collect();
        assert_eq!(names, ["runs", "s", "law"]);
        assert_eq!(knobs[0].values, Values::Whole(10, 200, 10));
        assert!(matches!(knobs[1].values, Values::Number(0.5, 3.0, step) if (step - 0.025).abs() < 1e-12));
        assert!(knobs[0].turn(&json!(120)) && knobs[1].turn(&json!(0.1 + 0.7)) && knobs[2].turn(&json!(1)));
        let text = turned(CELL, &knobs);
        for part in [
            "runs: usize = 120; //",
            "s = 0.8; //",
            "law = \"uniform\"; //",
            ":dep a\n",
        ] {
            assert!(text.contains(part), "{text}");
        }
        // What the front end may not ask for changes nothing.
        assert!(!knobs[0].turn(&json!(201)) && !knobs[1].turn(&json!("x; panic!()")) && !knobs[2].turn(&json!(2)));
        assert_eq!(turned(CELL, &knobs), text);
    }

    #[test]
    fn what_is_no_knob_is_plain_rust() {
        for line in [
            "let x = 5; // the knob 1..=3",
            "let x = 5; // knob",
            "let x = f(2); // knob 1..=3",
            "let x = 5; // knob 3..=1",
            "let (a, b) = (1, 2); // knob 1..=3",
            "let x = \"c\"; // knob \"a\" | \"b\"",
            "x = 5; // knob 1..=3",
        ] {
            assert_eq!(of(line), [], "{line}");
        }
    }
}
