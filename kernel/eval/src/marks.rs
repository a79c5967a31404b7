//! The names and marks in a cell's code that several files of this room must agree on.

/// The crate that evcxr makes of a cell.
pub const CRATE: &str = "ctx";

/// The file that the compiler reads, beside what evcxr wrote.
pub const CELL: &str = "cell.rs";

/// Prefix of the placeholder types. The number that follows is unique in a session.
pub const PLACEHOLDER: &str = "EvcxrType";

/// Prefix of the placeholders of variables that live in their own cell only: closures, whose types have no name.
pub const UNKEPT: &str = "EvcxrLocal";

/// Stands before each statement of a cell, with its number: a panic in a library is told with the reader's line.
pub const AT: (&str, &str) = ("::evcxr_cell::at(", ");");

/// Stands at the begin of the body of each loop: where a cell is stopped that was asked to, and does not listen.
pub const TURN: &str = "::evcxr_cell::turn();";

/// What stands around a call that shows something by itself: frames of any crate count between the two.
pub const SHOWS: (&str, &str) = ("{::evcxr_cell::shows();", ";::evcxr_cell::shown()}");

/// Name of the function that the defining cell passes each new variable through.
pub const PROBE: &str = "evcxr_typed";

/// Code that the compiler sees where evcxr sees the mark of the same length: evcxr would keep a `let` it can see.
pub struct Mark {
    /// What evcxr sees.
    pub seen: &'static str,
    /// What the compiler sees.
    pub compiled: &'static str,
}

/// Begins a cell.
pub const BEGIN: Mark =
    Mark { seen: "evcxr_begin!(______________________);", compiled: "let evcxr_cell=::evcxr_cell::enter();" };
/// Announces the value of the last expression.
pub const VALUE: Mark = Mark { seen: "evcxr_value!(____);", compiled: "evcxr_cell.value();" };
/// What stands around the last expression. It is evaluated before its value is announced, so that what it shows by itself, as a loop
/// with a progress does, is no part of its value; its temporaries live until the value was shown.
pub const AROUND: (&str, &str, &str) = ("match/**/&(", "){evcxr_last=>{", "evcxr_last.evcxr_display();}}");
/// What stands around a statement that never comes to its end, as `panic!(...)`: for the compiler the rest of the cell can be
/// reached, so that the types of the variables before it are told and they are kept.
pub const ENDLESS: (&str, &str) = ("if/**/evcxr_cell.goes_on(){", "/**/}");
/// What the compiler sees as the other way to the value that such code would be bound to, of a known type and of one that nobody
/// knows.
pub const ABSENT: [&str; 2] = ["else{::evcxr_cell::absent()}", "else{::evcxr_cell::absent::<()>()}"];
/// Ends a cell that ran through.
pub const DONE: Mark = Mark { seen: "evcxr_done!(____);", compiled: "evcxr_cell.done();" };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_have_the_length_of_what_they_stand_for() {
        for mark in [BEGIN, VALUE, DONE] {
            assert_eq!(mark.seen.len(), mark.compiled.len(), "{}", mark.seen);
        }
    }
}
