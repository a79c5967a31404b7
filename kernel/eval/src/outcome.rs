//! Report of an interrupted or ended cell: what stopped, where it stood, what is kept and what is lost.

use serde_json::{Map, Value};

use super::failure::Failure;
use super::interrupt::Interrupts;
use super::pump::Reports;

/// Kind of the failure of an interrupted cell.
pub const INTERRUPTED: &str = "Interrupted";

/// The failure of a cell that was interrupted. `ran` says that its code ran to an end, by itself or through `failure`.
pub fn interrupted(
    interrupts: &Interrupts,
    reports: &Reports,
    ran: bool,
    failure: Option<Failure>,
    before: &[String],
) -> Failure {
    if interrupts.process_was_ended() {
        return Failure::new(
            INTERRUPTED,
            format!(
                "the cell did not stop within {:.0} s, so its process was ended. {} Long loops can look at \
                 `workbench::work::stop_requested()`: then an interrupt keeps everything.",
                interrupts.grace().as_secs_f64().ceil(),
                lost(before)
            ),
        );
    }
    let stopped: Vec<String> = reports.stopped.iter().map(stopped).collect();
    let mut message = stopped.join("\n");
    if !message.is_empty() {
        message.push('\n');
    }
    match failure {
        // The process ended by itself, or evcxr could not go on: that is the news.
        Some(failure) if !ran && failure.name != "error" && failure.name != "compile error" => failure,
        Some(_) if !ran => Failure::new(
            INTERRUPTED,
            "the cell was stopped while it was being compiled: none of it ran, and all variables are kept.",
        ),
        Some(failure) => {
            message.push_str(&format!(
                "The cell ended with: {}\nVariables of earlier cells are kept, those that this cell was making are not.",
                failure.message
            ));
            Failure {
                traceback: [vec![Failure::new(INTERRUPTED, message.clone()).traceback[0].clone()], failure.traceback]
                    .concat(),
                name: INTERRUPTED.to_owned(),
                message,
                line: failure.line,
            }
        }
        None => {
            message.push_str(if stopped.is_empty() {
                "The cell was at its end. All variables are kept, those of this cell too."
            } else {
                "All variables are kept, those of this cell too: look at them, or run the cell again for the whole computation."
            });
            Failure::new(INTERRUPTED, message)
        }
    }
}

/// `training stopped after 12 of 100 steps and kept what it had.`
fn stopped(fields: &Map<String, Value>) -> String {
    let text = |name: &str| match fields.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let operation = text("operation");
    let operation = if operation.is_empty() { "a computation" } else { &operation };
    match (text("done").as_str(), text("of").as_str()) {
        ("", _) => format!("{operation} stopped and kept what it had."),
        (done, "" | "0") => format!("{operation} stopped after {done} steps and kept what it had."),
        (done, of) => format!("{operation} stopped after {done} of {of} and kept what it had."),
    }
}

/// What is gone with the process, and what to do.
pub fn lost(variables: &[String]) -> String {
    let kept = "Functions, types, imports and crates are kept, and a new process is ready";
    match variables {
        [] => format!("No variables were lost. {kept}."),
        [one] => format!("Lost: the variable `{one}`. {kept}: run the cell that makes it again."),
        many => {
            const NAMED: usize = 20;
            let mut names: Vec<String> = many.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
            if many.len() > NAMED {
                names.push(format!("{} more", many.len() - NAMED));
            }
            format!("Lost: the variables {}. {kept}: run the cells that make them again.", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_named() {
        assert!(lost(&[]).starts_with("No variables were lost."));
        assert!(lost(&["a".into()]).contains("the variable `a`"));
        let many: Vec<String> = (0..30).map(|i| format!("v{i}")).collect();
        assert!(lost(&many).contains("`v19`, 10 more"), "{}", lost(&many));
    }

    #[test]
    fn a_stopped_computation_says_where_it_stood() {
        let fields = serde_json::json!({"operation": "training", "done": "12", "of": 100});
        assert_eq!(stopped(fields.as_object().unwrap()), "training stopped after 12 of 100 and kept what it had.");
        assert_eq!(stopped(&Map::new()), "a computation stopped and kept what it had.");
    }
}
