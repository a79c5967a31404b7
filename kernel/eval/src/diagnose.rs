//! Failures of cells, told in the reader's own lines.

use evcxr::{CompilationError, Error};
use serde_json::{Map, Value};

use super::cell::Prepared;
use super::failure::{BLUE, Failure, PLAIN, RED, excerpt};
use super::marks::{ABSENT, AROUND, AT, BEGIN, DONE, ENDLESS, SHOWS, TURN, VALUE};
use super::outcome::lost;
use super::remedy::TWO_VERSIONS;
use super::types::UNTOLD;
use workbench_base::source::lonely_bracket as lonely;

/// A panic or an error that left the cell, as the cell runtime reported it. `compiled` is the code that the
/// compiler saw, whose lines the report names.
pub fn runtime_failure(
    kind: &str,
    fields: &Map<String, Value>,
    source: &str,
    cell: &Prepared,
    compiled: &str,
) -> Failure {
    let field = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or("");
    let name = Some(field("name")).filter(|name| !name.is_empty());
    let failure = Failure::new(name.unwrap_or(kind), field("message"));
    let number = |name: &str| field(name).parse::<usize>().unwrap_or(0);
    let file = field("file");
    if !file.ends_with("cell.rs") {
        let mut failure = failure;
        if let Some(line) = cell.statements.get(number("statement")).filter(|_| kind == "panic") {
            let text = source.lines().nth(line - 1).unwrap_or_default();
            let indent = text.chars().take_while(|c| c.is_whitespace()).count();
            failure = failure.with_place(source, *line, indent + 1, text.trim().chars().count(), "in this statement");
        }
        if !file.is_empty() {
            failure.traceback.push(format!("{BLUE}-->{PLAIN} {file}, line {}", field("line")));
        }
        return failure;
    }
    match place_in_cell(compiled, number("line"), number("column"), source) {
        Some((line, column)) => failure.with_place(source, line, column, 1, ""),
        None => failure,
    }
}

/// The reader's line and column of a place in the compiled code. evcxr puts each statement on lines of its own, so
/// the line is found by its text; of equal lines the one that comes as late.
fn place_in_cell(compiled: &str, line: usize, column: usize, source: &str) -> Option<(usize, usize)> {
    let text = compiled.lines().nth(line.checked_sub(1)?)?;
    let key = normal(text);
    if key.is_empty() {
        return None;
    }
    let before = compiled.lines().take(line - 1).filter(|earlier| normal(earlier) == key).count();
    let of_source = |same: &dyn Fn(&str) -> bool| -> Option<usize> {
        let places = source.lines().enumerate().filter(|(_, candidate)| same(&normal(candidate)));
        places.map(|(index, _)| index).take(before + 1).last()
    };
    let index =
        of_source(&|candidate| candidate == key).or_else(|| of_source(&|candidate| candidate.contains(&key)))?;
    let before: String = text.chars().take(column.saturating_sub(1)).collect();
    let before = plain(&before);
    let before = before.trim_start();
    let line = source.lines().nth(index)?;
    // The statement may be the second one of the reader's line.
    let statement = plain(text);
    let from = line.find(statement.trim()).unwrap_or(0);
    let column = line[from..].find(before).map_or(1, |at| line[..from + at + before.len()].chars().count() + 1);
    Some((index + 1, column))
}

/// Compiled text as the reader wrote it: without marks, placeholders and what shows the last value.
fn plain(text: &str) -> String {
    let mut text = text.replace(TURN, "");
    for mark in [BEGIN, VALUE, DONE] {
        text = text.replace(mark.seen, "").replace(mark.compiled, "");
    }
    while let Some((before, rest)) = text.split_once(AT.0) {
        let after = rest.split_once(AT.1).map_or("", |(_, after)| after);
        text = format!("{before}{after}");
    }
    // An annotation that was left to inference, padded to the placeholder's length.
    while let Some(at) = text.find(": _ ") {
        let blanks = text[at + 3..].bytes().take_while(|b| *b == b' ').count();
        text.replace_range(at..at + 3 + blanks.saturating_sub(1), "");
    }
    let (before, announce, show) = AROUND;
    text = text.replace(&format!("{announce}{show}"), "").replace(before, "");
    for absent in ABSENT {
        text = text.replace(absent, "");
    }
    for (before, after) in [ENDLESS, SHOWS] {
        text = text.replace(before, "").replace(after, "");
    }
    text
}

/// Text without spaces and without the comment at its end, for comparing lines.
fn normal(line: &str) -> String {
    let mut text = plain(line);
    if !text.contains('"')
        && let Some(comment) = text.find("//")
    {
        text.truncate(comment);
    }
    text.retain(|c| !c.is_whitespace());
    text
}

/// What ends a process so, most of the time, and where to look.
fn likely(status: &str) -> &'static str {
    let known = [
        ("exit status", "; the cell, or what it called, ended it with `exit`: let that return an error instead"),
        (
            "SIGABRT",
            "; it overflowed its stack (look for a call of itself without an end, or a large array), asked for more memory than there \
             is, or aborted: what it wrote last, among the outputs of the cell, says which",
        ),
        (
            "SIGSEGV",
            "; it touched memory that is not its own: look at `unsafe` code and at libraries of other languages",
        ),
        ("SIGKILL", "; it was killed, perhaps because memory ran out: compute with less"),
    ];
    known.into_iter().find(|(word, _)| status.contains(word)).map_or("", |(_, why)| why)
}

/// What evcxr says when a cell did not run. `before` names the variables that there were.
pub fn evaluation_failure(error: &Error, source: &str, cell: &Prepared, before: &[String]) -> Failure {
    match error {
        Error::CompilationErrors(errors) => compile_failure(errors, source, cell),
        Error::SubprocessTerminated(text) => Failure::new(
            "process ended",
            format!("{}{}\nThe process that held the variables is gone. {}", text.trim(), likely(text), lost(before)),
        ),
        Error::TypeRedefinedVariablesLost(names) => Failure::new(
            "variables lost",
            format!(
                "a type was defined anew, so variables of the old type are gone: {}. Run their cells again.",
                names.join(", ")
            ),
        ),
        Error::Message(text) => Failure::new("error", text.trim()),
    }
}

/// Whether a cell was refused for a variable whose type the compiler's listing does not have, or for nothing that can be told.
pub fn is_about_untold_types(error: &Error) -> bool {
    let Error::CompilationErrors(errors) = error else {
        return false;
    };
    let mut told = errors.iter().filter(|e| e.level() == "error");
    told.all(|e| e.message().starts_with("The type of `") && e.message().contains(UNTOLD))
}

/// A message about a `:dep` whose folder is not there, with where it was looked for.
fn with_folder(message: String, source: &str) -> String {
    let missing = source.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix(":dep ")?;
        let (_, path) = rest.split_once("path")?;
        let path = path.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
        let (path, _) = path.split_once('"')?;
        (message.ends_with(&format!(": {path:?}"))).then_some(path)
    });
    match (missing, std::env::current_dir()) {
        (Some(path), Ok(here)) => {
            format!("there is no folder {path:?}, seen from that of the notebook, {}", here.display())
        }
        _ => message,
    }
}

/// A bracket of the cell that has no partner. The compiler sees it among what the kernel puts around the cell, and names one of that.
fn lonely_bracket(source: &str) -> Option<Failure> {
    let found = lonely(source)?;
    let bracket = found.bracket;
    let (message, label) = match found.opens {
        true => (format!("`{bracket}` is opened and not closed"), "nothing closes it"),
        false => (format!("`{bracket}` closes nothing, or something else than was opened last"), "one too many"),
    };
    let mut traceback = vec![format!("{RED}error{PLAIN}: {message}")];
    traceback.extend(excerpt(source, found.line, found.column, 1, label));
    let message = format!("{message}: line {}, column {}", found.line, found.column);
    Some(Failure { name: "compile error".to_owned(), message, traceback, line: None })
}

fn compile_failure(errors: &[CompilationError], source: &str, cell: &Prepared) -> Failure {
    // What else it says then follows from the bracket.
    let is_of_brackets = |error: &CompilationError| error.level() == "error" && error.message().contains(" delimiter");
    if let Some(failure) = errors.iter().any(is_of_brackets).then(|| lonely_bracket(source)).flatten() {
        return failure;
    }
    let mut seen = Vec::new();
    let mut traceback = Vec::new();
    let mut messages = Vec::new();
    for error in errors.iter().filter(|e| e.level() == "error") {
        let code = error.code().map(|c| format!("[{c}]")).unwrap_or_default();
        let text = with_folder(readable(&error.message()), source);
        let primary = error.primary_spanned_message();
        let place = primary.and_then(|m| m.span).map(|s| (s.start_line, s.start_column));
        let repeats = |(other, at): &(String, Option<(usize, usize)>)| {
            *other == text && (*at == place || place.is_some_and(|(line, column)| cell.is_inserted(line, column)))
        };
        if seen.iter().any(repeats) {
            continue;
        }
        seen.push((text.clone(), place));
        traceback.push(format!("{RED}error{code}{PLAIN}: {text}"));
        for spanned in error.spanned_messages() {
            if let Some(span) = spanned.span {
                let column = cell.reader_column(span.start_line, span.start_column);
                let width = if span.end_line == span.start_line {
                    cell.reader_column(span.end_line, span.end_column).saturating_sub(column)
                } else {
                    usize::MAX
                };
                let label = readable(&spanned.label);
                traceback.extend(excerpt(source, span.start_line, column, width, &label));
            }
        }
        for note in notes(&error.rendered()) {
            traceback.push(format!("  {BLUE}note{PLAIN}: {note}"));
        }
        for help in error.help().iter().filter(|help| !help.contains("`cargo tree`")) {
            traceback.push(format!("  {BLUE}help{PLAIN}: {}", in_one_line(&readable(help))));
        }
        // What was expected and what was found stands in the label.
        let label = primary.map(|m| m.label.as_str()).unwrap_or_default();
        let adds = !label.is_empty() && !label.contains("error: ") && !label.starts_with("not found");
        messages.push(if adds { format!("{text}: {}", readable(label)) } else { text });
    }
    if messages.is_empty() {
        messages.push("the cell does not compile".to_owned());
        let rendered = errors.iter().filter(|e| e.level() == "error").map(CompilationError::rendered);
        traceback.extend(rendered);
    }
    Failure { name: "compile error".to_owned(), message: messages.join("\n"), traceback, line: None }
}

/// A hint with the text that it proposes behind it, rather than as a fragment on a line of its own.
fn in_one_line(help: &str) -> String {
    match help.split_once("\n\n") {
        Some((hint, text)) if !text.trim().is_empty() && !text.contains('\n') => format!("{hint}: `{}`", text.trim()),
        Some((hint, "")) => hint.to_owned(),
        _ => help.to_owned(),
    }
}

/// The compiler's notes on an error: what was expected and found at length, between what a name wavers, what asks for a trait, and
/// which crate there is twice. They stand only in the text that it renders.
fn notes(rendered: &str) -> Vec<String> {
    const WITH_CODE: [&str; 3] = ["could refer to", "could also refer to", "required for "];
    const ALONE: [&str; 4] =
        ["required by ", "was not satisfied", TWO_VERSIONS, "the method call chain might not have had"];
    const NOT_NEWS: [&str; 5] = [
        "this error originates in",
        "requested on the command line",
        "for more information",
        "full type name has been written",
        "consider using `--verbose`",
    ];
    let text = without_colours(rendered);
    let lines: Vec<&str> = text.lines().collect();
    let mut notes = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if let Some(note) = line.trim_start().strip_prefix("= note: ") {
            let goes_on = |line: &&&str| {
                line.starts_with("        ") && !line.contains('|') && !line.trim_start().starts_with('=')
            };
            let rest = lines[index + 1..].iter().take_while(goes_on).map(|line| line.trim());
            let note: Vec<&str> = std::iter::once(note.trim()).chain(rest).collect();
            notes.push(note.join(", "));
        } else if let Some(note) = line.strip_prefix("note: ")
            && WITH_CODE.iter().chain(&ALONE).any(|sign| note.contains(sign))
        {
            let its_own = lines[index + 1..].iter().take(4).take_while(|line| !line.starts_with(char::is_alphabetic));
            let code = its_own.filter(|_| WITH_CODE.iter().any(|sign| note.contains(sign))).find_map(|line| {
                let (number, code) = line.split_once(" | ")?;
                number.trim().parse::<usize>().ok().map(|_| code.trim())
            });
            notes.push(code.map_or(note.to_owned(), |code| format!("{note}, `{code}`")));
        }
    }
    notes.retain(|note| !NOT_NEWS.iter().any(|sign| note.contains(sign)));
    notes
}

/// Text without the terminal's colours.
fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

/// Compiler text without the names of what the kernel adds to a cell.
fn readable(text: &str) -> String {
    let mut out = text.to_owned();
    if out.contains("evcxr_display") && out.contains("doesn't implement") || out.contains("method `evcxr_display`") {
        out = format!(
            "the value of the last expression cannot be shown: its type has neither `Debug` nor a display. End the line \
             with a semicolon, or show a part of it. ({out})"
        );
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_folder_that_is_not_there_is_told_with_where_it_was_looked_for() {
        let says = "No such file or directory (os error 2): \"../nowhere\"".to_owned();
        let told = with_folder(says.clone(), "// why\n:dep a = { path = \"../nowhere\" }\n1");
        let here = std::env::current_dir().unwrap();
        assert!(told.contains("\"../nowhere\"") && told.ends_with(&here.display().to_string()), "{told}");
        assert_eq!(with_folder(says.clone(), ":dep a = \"1\""), says);
        assert_eq!(with_folder("mismatched types".into(), ":dep a = { path = \"b\" }"), "mismatched types");
    }

    use super::*;
    use crate::cell::{Care, prepare};

    #[test]
    fn a_panic_is_placed_in_the_readers_cell() {
        let source = "let v = vec![1];\nlet w = v[9];";
        let cell = prepare(source, Care::Usual, &mut 0);
        let compiled = format!(
            "generated\n{}",
            cell.code
                .replace(BEGIN.seen, BEGIN.compiled)
                .replace(DONE.seen, DONE.compiled)
                .replace(": EvcxrType0", ": _         ")
                .replace(": EvcxrType1", ": _         ")
        );
        let column = compiled.lines().nth(2).unwrap().find("v[9]").unwrap() + 1;
        let fields = serde_json::json!({"message": "out of bounds", "file": "cell.rs", "line": "3", "column": column.to_string()});
        let failure = runtime_failure("panic", fields.as_object().unwrap(), source, &cell, &compiled);
        let text = failure.traceback.join("\n");
        assert!(text.contains("line 2, column 9"), "{text}");
        assert!(text.contains("let w = v[9];"), "{text}");
    }

    #[test]
    fn a_bracket_without_its_partner_is_marked_in_the_cell() {
        let failure = lonely_bracket("let x = 1;\nlet y = f(x;").unwrap();
        assert_eq!(failure.message, "`(` is opened and not closed: line 2, column 10");
        let told = failure.traceback.join("\n");
        assert!(told.contains("let y = f(x;") && told.contains("line 2, column 10"), "{told}");
        assert!(lonely_bracket("f(x))").unwrap().message.starts_with("`)` closes nothing"));
        assert!(lonely_bracket("f(x)").is_none());
    }

    #[test]
    fn notes_are_read_from_the_rendered_text() {
        let rendered = "\u{1b}[1merror\u{1b}[0m: mismatched types\n --> src/lib.rs:3:4\n  |\n3 | f(x)\n  = note: expected reference `&f32`\n             \
            found struct `Vec<f64>`\n  = note: this error originates in the macro\nnote: `S` could refer to the struct imported here\n --> a\n  |\n2 \
            | use a::*;\n  | ^^^\n";
        assert_eq!(
            notes(rendered),
            [
                "expected reference `&f32`, found struct `Vec<f64>`",
                "`S` could refer to the struct imported here, `use a::*;`"
            ]
        );
        assert_eq!(in_one_line("change it\n\n f32 "), "change it: `f32`");
    }

    #[test]
    fn notes_tell_what_asks_for_a_trait_and_which_crate_there_is_twice() {
        let rendered = "error[E0277]: the trait bound `N: Loc` is not satisfied\n --> cell.rs:6:56\n  |\n6 | need(n)\n  | ^^^\n  |\n\
            note: there are multiple different versions of crate `dep` in the dependency graph\n --> a.rs:1:1\n  |\n1 | pub struct A;\n\
            note: required for `Vec<N>` to implement `Loc`\n --> cell.rs:3:16\n  |\n3 | impl<X: Clone> Loc for Vec<X> {}\n  | ---  ^^^\n\
            note: required by a bound in `spawn`\n --> /rustc/5/functions.rs:125:0\n\
            note: function defined here\n --> a.rs:1:1\n  |\n1 | pub fn f() {}\n";
        assert_eq!(
            notes(rendered),
            [
                "there are multiple different versions of crate `dep` in the dependency graph",
                "required for `Vec<N>` to implement `Loc`, `impl<X: Clone> Loc for Vec<X> {}`",
                "required by a bound in `spawn`",
            ]
        );
    }

    #[test]
    fn of_equal_lines_the_one_that_failed_is_marked() {
        let compiled = "start\nf(1);\nf(2);\nf(1);\nend";
        let source = "f(1); // first\nf(2);\n\nf(1);";
        assert_eq!(place_in_cell(compiled, 2, 1, source), Some((1, 1)));
        assert_eq!(place_in_cell(compiled, 3, 1, source), Some((2, 1)));
        assert_eq!(place_in_cell(compiled, 4, 1, source), Some((4, 1)));
        // Two on one line of the reader: that line.
        assert_eq!(place_in_cell("g();\ng();", 2, 1, "g(); g();"), Some((1, 1)));
        assert_eq!(place_in_cell("let a = 1;\nh(a);", 2, 1, "let a = 1; h(a);"), Some((1, 12)));
    }

    #[test]
    fn a_place_outside_the_cell_is_named() {
        let fields = serde_json::json!({"message": "m", "file": "workbench/src/a.rs", "line": "7", "column": "1", "statement": "1"});
        let source = "let x = 1;\n  g(x)";
        let cell = prepare(source, Care::Usual, &mut 0);
        let told = runtime_failure("panic", fields.as_object().unwrap(), source, &cell, "").traceback.join("\n");
        assert!(told.contains("workbench/src/a.rs, line 7") && told.contains("cell, line 2, column 3"), "{told}");
    }
}
