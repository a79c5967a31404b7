//! The knobs of a cell: values that its text allows to be turned.
//!
//! ```text
//! let runs = 50; // knob 10..=200 step 10
//! let exponent = 1.5; // knob 0.5..=3.0
//! let law = "zipf"; // knob "zipf" | "uniform"
//! ```
//! The cell is plain Rust with plain values, in any kernel and without a front end. Where the front end has Jupyter's widgets, a
//! slider or a list stands above the cell's outputs, and turning it runs the cell with another value. A line that asks for a knob and
//! cannot have one is told so ([`refused`]).

use std::ops::Range;

use ra_ap_parser::LexedStr;
use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind};

use crate::source;

/// Stands before the values that a knob may take.
const SIGN: &str = "// knob ";
/// Steps of a slider over numbers with a fraction, unless the cell says otherwise.
const STEPS: f64 = 100.0;
/// Types that a number may name at its end, or its variable.
const FLOATS: [&str; 2] = ["f32", "f64"];
const INTEGERS: [&str; 12] = ["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize"];

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
    /// The value that the cell was read with.
    pub ran: String,
    /// What it may be.
    pub values: Values,
    /// The type that the number names at its end.
    suffix: String,
    /// Where the value stands in the source.
    at: Range<usize>,
}

/// The knobs of a cell.
pub fn of(source: &str) -> Vec<Knob> {
    asked(source).filter_map(Result::ok).collect()
}

/// For each line that asks for a knob and cannot have one, why not.
pub fn refused(source: &str) -> Vec<String> {
    asked(source).filter_map(Result::err).flatten().collect()
}

/// What each line with a sign gives: a knob, a reason why not, or nothing, where the words after the sign are prose.
fn asked(source: &str) -> impl Iterator<Item = Result<Knob, Option<String>>> {
    let rust = source::without_commands(source).0;
    let tokens = LexedStr::new(Edition::Edition2024, &rust);
    let signs: Vec<Range<usize>> = (0..tokens.len())
        .filter(|index| tokens.kind(*index) == SyntaxKind::COMMENT)
        .filter(|index| tokens.text(*index).starts_with(SIGN) || tokens.text(*index).trim_end() == SIGN.trim_end())
        .map(|index| tokens.text_range(index))
        .collect();
    let found: Vec<_> = signs
        .into_iter()
        .map(|sign| {
            let start = rust[..sign.start].rfind('\n').map_or(0, |at| at + 1);
            let allowed = rust[sign.start..sign.end].strip_prefix(SIGN).unwrap_or_default().trim();
            let code = &rust[start..sign.start];
            if code.trim().is_empty() || !is_meant(allowed) {
                return Err(None);
            }
            in_line(code, allowed, start).map_err(|why| {
                let line = code.trim();
                Some(format!("no knob for `{line}`: {why}"))
            })
        })
        .collect();
    found.into_iter()
}

/// Whether the words after a sign are values rather than prose: a range, a list of values, one word, or what begins as values do.
fn is_meant(allowed: &str) -> bool {
    let number = allowed.trim_start_matches('-').trim_start_matches('.');
    allowed.is_empty()
        || allowed.contains("..=")
        || allowed.starts_with(['"', '[', '('])
        || !allowed.contains(char::is_whitespace)
        || number.starts_with(|c: char| c.is_ascii_digit())
        || listed(allowed).is_some_and(|all| all.iter().all(|one| is_value(one)))
}

/// Whether a text is one expression, so that it cannot change the line around it.
fn is_value(text: &str) -> bool {
    bound(&format!("let value = {text};")).is_some_and(|bound| bound.value == text)
}

/// What a line binds.
struct Bound {
    name: String,
    /// The type that is named for it, or nothing.
    ty: String,
    value: String,
    /// Where the value stands in the line.
    at: usize,
}

/// What a line binds, if it is one `let` of a name.
fn bound(code: &str) -> Option<Bound> {
    const BEFORE: &str = "fn cell() {";
    if source::is_too_deep(code) {
        return None;
    }
    let file = SourceFile::parse(&format!("{BEFORE}{code}\n}}"), Edition::Edition2024);
    let function = file.tree().syntax().children().find_map(ast::Fn::cast)?;
    let list = function.body()?.stmt_list()?;
    let mut statements = list.statements();
    let (Some(ast::Stmt::LetStmt(bound)), None, None) = (statements.next(), statements.next(), list.tail_expr()) else {
        return None;
    };
    let Some(ast::Pat::IdentPat(pattern)) = bound.pat() else {
        return None;
    };
    let value = bound.initializer()?;
    let at = usize::from(value.syntax().text_range().start()).checked_sub(BEFORE.len())?;
    let is_plain = file.errors().is_empty() && pattern.pat().is_none() && pattern.ref_token().is_none();
    let name = pattern.name().filter(|_| is_plain)?;
    Some(Bound {
        name: name.text().to_string(),
        ty: bound.ty().map(|ty| ty.syntax().text().to_string()).unwrap_or_default(),
        value: value.syntax().text().to_string(),
        at,
    })
}

fn in_line(code: &str, allowed: &str, start: usize) -> Result<Knob, String> {
    let Bound { name, ty, value, at } =
        bound(code).ok_or("a knob stands behind one `let NAME = VALUE;`, alone in its line")?;
    let from = start + at;
    let knob = |values, suffix: &str| Knob {
        name: name.clone(),
        value: value.clone(),
        ran: value.clone(),
        values,
        suffix: suffix.to_owned(),
        at: from..from + value.len(),
    };
    if let Some(all) = listed(allowed) {
        return match all.iter().find(|one| !is_value(one)) {
            Some(other) => Err(format!("`{other}` is no value")),
            None if all.contains(&value) => Ok(knob(Values::OneOf(all), "")),
            None => Err(format!("{value} is none of {allowed}")),
        };
    }
    let (number, suffix) =
        parted(&value).ok_or(format!("{value} is no plain number, and {allowed} no list `A | B`"))?;
    let is_float = FLOATS.contains(&suffix.trim_start_matches('_')) || number.contains(['.', 'e', 'E']);
    let values = range(allowed, is_float)?;
    let kind = Some(suffix.trim_start_matches('_')).filter(|kind| !kind.is_empty()).unwrap_or(&ty);
    if let Some(beyond) = values.beyond(kind) {
        return Err(format!("{beyond} is no {kind}"));
    }
    if values.allow(&value) { Ok(knob(values, suffix)) } else { Err(format!("{value} is outside of {allowed}")) }
}

/// A list of values, which may be strings with `|` in them.
fn listed(allowed: &str) -> Option<Vec<String>> {
    let tokens = LexedStr::new(Edition::Edition2024, allowed);
    let (mut all, mut from) = (Vec::new(), 0);
    for index in (0..tokens.len()).filter(|index| tokens.kind(*index) == SyntaxKind::PIPE) {
        let at = tokens.text_range(index);
        all.push(allowed[from..at.start].trim().to_owned());
        from = at.end;
    }
    all.push(allowed[from..].trim().to_owned());
    (all.len() > 1).then_some(all)
}

/// A decimal number and the type at its end, with the `_` before that.
fn parted(value: &str) -> Option<(&str, &str)> {
    let digits = FLOATS
        .iter()
        .chain(&INTEGERS)
        .find_map(|suffix| value.strip_suffix(suffix))
        .map_or(value, |digits| digits.trim_end_matches('_'));
    read::<f64>(digits).is_some_and(f64::is_finite).then_some(())?;
    digits.ends_with(|c: char| c.is_ascii_digit() || c == '.').then_some((digits, &value[digits.len()..]))
}

fn range(allowed: &str, is_float: bool) -> Result<Values, String> {
    const FORM: &str = "write 10..=200, 0.5..=3.0, either with ` step 0.5` behind it, or \"a\" | \"b\"";
    let (from, rest) = allowed.split_once("..=").ok_or(FORM)?;
    let (to, step) = match rest.split_once(" step ") {
        Some((to, step)) => (to, Some(step)),
        None => (rest, None),
    };
    if is_float {
        let (from, to) = (read::<f64>(from).ok_or(FORM)?, read::<f64>(to).ok_or(FORM)?);
        let step = step.map_or(Some((to - from) / STEPS), read::<f64>).ok_or(FORM)?;
        let ordered = from < to && step > 0.0 && (to - from).is_finite();
        return if ordered { Ok(Values::Number(from, to, step)) } else { Err(format!("{allowed} is empty")) };
    }
    let whole = |text: &str| {
        read::<i64>(text).ok_or_else(|| match read::<f64>(text) {
            Some(_) => format!("the value is a whole number, and {} is none; give it a point, as in 5.0", text.trim()),
            None => FORM.to_owned(),
        })
    };
    let (from, to, step) = (whole(from)?, whole(to)?, step.map_or(Ok(1), whole)?);
    if from < to && step > 0 { Ok(Values::Whole(from, to, step)) } else { Err(format!("{allowed} is empty")) }
}

fn read<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.trim().replace('_', "").parse().ok()
}

impl Values {
    /// Whether this, as it would stand in a line, is one of them; a number may name its type.
    pub fn allow(&self, value: &str) -> bool {
        let number = parted(value).map(|(number, _)| number);
        match self {
            Values::Whole(from, to, _) => {
                number.and_then(read::<i64>).is_some_and(|value| (*from..=*to).contains(&value))
            }
            Values::Number(from, to, _) => {
                number.and_then(read::<f64>).is_some_and(|value| (*from..=*to).contains(&value))
            }
            Values::OneOf(all) => all.iter().any(|one| one == value),
        }
    }

    /// The end of a range that a number of this type cannot be.
    fn beyond(&self, kind: &str) -> Option<String> {
        let ends = match self {
            Values::Whole(from, to, _) => [from.to_string(), to.to_string()],
            Values::Number(from, to, _) => [format!("{from:?}"), format!("{to:?}")],
            Values::OneOf(_) => return None,
        };
        let fits = |end: &String| match kind {
            "i8" => end.parse::<i8>().is_ok(),
            "i16" => end.parse::<i16>().is_ok(),
            "i32" => end.parse::<i32>().is_ok(),
            "u8" => end.parse::<u8>().is_ok(),
            "u16" => end.parse::<u16>().is_ok(),
            "u32" => end.parse::<u32>().is_ok(),
            "u64" | "u128" => end.parse::<u64>().is_ok(),
            "usize" => end.parse::<usize>().is_ok(),
            "isize" => end.parse::<isize>().is_ok(),
            "f32" => end.parse::<f32>().is_ok_and(f32::is_finite),
            _ => true,
        };
        ends.into_iter().find(|end| !fits(end))
    }
}

impl Knob {
    /// Turns the knob to what a front end sent; false where that is no value of it.
    pub fn turn(&mut self, to: &serde_json::Value) -> bool {
        let text = match &self.values {
            Values::Whole(from, least, _) => to
                .as_i64()
                .or_else(|| to.as_f64().filter(|value| value.fract() == 0.0).map(|value| value as i64))
                .filter(|value| (*from..=*least).contains(value))
                .map(|value| format!("{value}{}", self.suffix)),
            Values::Number(from, least, _) => to
                .as_f64()
                .filter(|value| (*from..=*least).contains(value))
                .map(|value| format!("{:?}{}", tidy(value).clamp(*from, *least), self.suffix)),
            Values::OneOf(all) => to.as_u64().and_then(|index| all.get(usize::try_from(index).ok()?)).cloned(),
        };
        let turned = text.is_some();
        self.value = text.unwrap_or_else(|| self.value.clone());
        // Turned back, the cell is what it was, also where its line says 1_000 or 1e3.
        let is_number = !matches!(self.values, Values::OneOf(_));
        if is_number && self.number().is_some() && self.number() == self.read(&self.ran) {
            self.value.clone_from(&self.ran);
        }
        turned
    }

    /// Its value, where that is a number.
    pub fn number(&self) -> Option<f64> {
        self.read(&self.value)
    }

    fn read(&self, value: &str) -> Option<f64> {
        read(value.strip_suffix(self.suffix.as_str())?)
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
        for part in ["runs: usize = 120; //", "s = 0.8; //", "law = \"uniform\"; //", ":dep a\n"] {
            assert!(text.contains(part), "{text}");
        }
        // What the front end may not ask for changes nothing.
        assert!(!knobs[0].turn(&json!(201)) && !knobs[1].turn(&json!("x; panic!()")) && !knobs[2].turn(&json!(2)));
        assert_eq!(turned(CELL, &knobs), text);
    }

    #[test]
    fn a_number_keeps_its_type() {
        for (line, to, turned_to) in [
            ("let a = 1.0; // knob 0..=3", 2.5, "let a = 2.5; // knob 0..=3"),
            ("let n = 50usize; // knob 10..=200", 60.0, "let n = 60usize; // knob 10..=200"),
            ("let s = 1.5_f32; // knob 0.5..=3.0", 2.0, "let s = 2.0_f32; // knob 0.5..=3.0"),
            ("let s = 2f64; // knob 0..=3", 1.0, "let s = 1.0f64; // knob 0..=3"),
            ("let n = -1; // knob -5..=5", -3.0, "let n = -3; // knob -5..=5"),
            ("let big = 1_000; // knob 10..=2_000", 20.0, "let big = 20; // knob 10..=2_000"),
        ] {
            let mut knobs = of(line);
            assert_eq!(knobs.len(), 1, "{line}: {:?}", refused(line));
            assert!(knobs[0].turn(&json!(to)), "{line}");
            assert_eq!(turned(line, &knobs), turned_to);
            assert_eq!(knobs[0].number(), Some(to));
            // Turned back, the line is what it was.
            let back = of(line)[0].number();
            assert!(knobs[0].turn(&json!(back)), "{line}");
            assert_eq!(turned(line, &knobs), line);
        }
    }

    #[test]
    fn a_list_may_hold_bars_in_its_strings() {
        let line = "let sep = \"|\"; // knob \"|\" | \", \" | f(1)";
        let mut knobs = of(line);
        assert_eq!(knobs[0].values, Values::OneOf(["\"|\"", "\", \"", "f(1)"].map(str::to_owned).to_vec()));
        assert!(knobs[0].turn(&json!(1)));
        assert_eq!(turned(line, &knobs), line.replacen("\"|\"", "\", \"", 1));
    }

    #[test]
    fn a_line_that_asks_for_a_knob_and_cannot_have_one_is_told_why() {
        for (line, why) in [
            ("let x = f(2); // knob 1..=3", "no plain number"),
            ("let x = 0x10; // knob 1..=30", "no plain number"),
            ("let x = 5; // knob 3..=1", "is empty"),
            ("let x = 5; // knob 1..9", "write 10..=200"),
            ("let x = 5; // knob", "write 10..=200"),
            ("let x = 5; // knob blah", "write 10..=200"),
            ("let x = 5; // knob [1, 9]", "write 10..=200"),
            ("let x = 5; // knob 10..=20", "5 is outside of 10..=20"),
            ("let x = 5; // knob 0.5..=10.0", "a whole number, and 0.5 is none"),
            ("let (a, b) = (1, 2); // knob 1..=3", "one `let NAME = VALUE;`"),
            ("let a = 1; let b = 2; // knob 1..=3", "one `let NAME = VALUE;`"),
            ("let x = \"c\"; // knob \"a\" | \"b\"", "is none of"),
            ("let x = 1; // knob 1 | 2; g()", "`2; g()` is no value"),
            ("let law = C::A; // knob C::B | C::D", "is none of"),
            ("let n = 5u8; // knob 0..=300", "300 is no u8"),
            ("let n: u32 = 5; // knob -5..=5", "-5 is no u32"),
            ("let s = 1.0_f32; // knob 0.0..=1e300", "1e300 is no f32"),
            ("x = 5; // knob 1..=3", "one `let NAME = VALUE;`"),
        ] {
            assert_eq!(of(line), [], "{line}");
            let told = refused(line);
            assert!(told.len() == 1 && told[0].contains(why), "{line}: {told:?}");
        }
    }

    #[test]
    fn prose_and_strings_ask_for_nothing() {
        for line in [
            "let x = 5; // the knob 1..=3",
            "let x = 5; // knob of the amplifier",
            "let g = f(2); // knob of the amplifier, see below...",
            "let g = f(2); // knob of the amplifier | of the filter",
            "let x = 5; // knob ... and so on",
            "let x = 5; // knob - the left one",
            "// knob 1..=3 is how one is written",
            "let x = \"5; // knob 1..=3\";",
        ] {
            assert_eq!((of(line), refused(line)), (Vec::new(), Vec::new()), "{line}");
        }
    }
}
