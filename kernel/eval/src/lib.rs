//! Evaluation of cells: evcxr's context, with the compiler called directly and output read as it is written.
//!
//! | file | idea |
//! | --- | --- |
//! | [`session`], [`process`], `host` | the session, and the process that holds its variables |
//! | [`workbench_base::source`], [`cell`], `bindings`, [`endless`], `impls`, [`marks`], [`compiled`] | a cell's text as evcxr gets it, and as the compiler gets it |
//! | [`types`], [`listing`], [`spelling`], [`shapes`], [`lost_variables`] | the variables' types, whether they are still what they were, and what became of the others |
//! | [`shim`], `dependencies`, [`report`], [`workbench_base::stoppable`] | the cargo that evcxr sees, what it reports, compiler calls that an interrupt ends |
//! | `order`, `compile_cache`, `compile_ahead`, `compiling` | one text for the same cells, what was compiled before, and what is before its turn comes |
//! | [`workbench_setup::project`], [`workbench_setup::library`] | what cells link: built once, shared, and checked |
//! | [`channel`], [`output`], [`oversize`] | how cells and kernel talk, and how that is read |
//! | [`event`], [`pump`] | what a cell shows, passed on while it runs |
//! | [`input`], [`workbench_base::control`], [`interrupt`] | answers to a cell's questions, and requests to stop |
//! | [`failure`], `remedy`, [`diagnose`], [`outcome`] | why a cell failed and how it ended, in the reader's own lines |
//! | [`dataflow`], [`changing`], `formats` | which names a cell makes, changes and mentions |
//! | `runtime/` of [`workbench_setup::library`] | what every cell is linked with; compiled there, part of no crate |
//!
//! # The way of a cell
//!
//! What happens to the text of one cell, from the message that brings it to the output that shows it. Paths without a
//! folder are files of this crate; those in `jupyter/` are of the crate `workbench-jupyter`, those in `runtime/` of
//! [`workbench_setup::library`].
//!
//! **In.** The threads of the kernel that serve its sockets.
//!
//! 1. `jupyter/frame_limit.rs`, `pass`: the bytes of an `execute_request` come in on the shell port; a frame that is too long
//!    is emptied.
//! 2. `jupyter/wire.rs`, `read` and `parse`: the message is checked (size, signature, not seen before), and fields that
//!    may be left out get their values. `jupyter/server.rs`, `read_requests`, puts it into a queue.
//! 3. `jupyter/shell.rs`, `Shell::serve` and `Shell::handle`: requests are worked on one after the other. Busy is
//!    published, and [`interrupt::Interrupts::begin`] forgets interrupts that were for an earlier cell. Questions about
//!    code are answered beside the running cell (`Requests::beside`), and [`compile_ahead`] is told which cells wait behind it.
//! 4. `jupyter/execute.rs`, `Shell::execute`: the cell gets its number and its name, `execute_input` is published, and
//!    a [`Sink`] is made that turns each [`Event`] into a message. `Shell::run` submits the text to the evaluating
//!    thread.
//!
//! **Prepared.** The evaluating thread.
//!
//! 5. `jupyter/engine.rs`, `Worker::run` and `Worker::execute`: the thread starts the session when the kernel starts,
//!    and again if there is none; it hands the text to [`Session::execute`]. A panic of evcxr ends here, not the
//!    kernel.
//! 6. `:vars` is answered at once. [`workbench_base::source::is_too_deep`] refuses text whose nesting would use up a parser's stack.
//!    [`cell::prepare`] blanks evcxr's commands for the parser, marks where the code begins, where each statement and the
//!    value begin and where the end is ([`marks`]), gives each `let` without a type a placeholder, and each impl that begins a
//!    cell a name. Lines keep their numbers. Text that does not parse stays as it is.
//! 7. `Session::check_sources` asks for a restart if the crate has changed on disk. [`process::name_cell`] writes down
//!    who the cell is, for the ledger. A thread is started that runs [`pump::Pump::run`] until the cell has ended.
//! 8. evcxr's `CommandContext::execute` carries out the command lines (`:dep`, `!ls`), puts the rest between the lines
//!    that take the session's variables and put them back, writes it as `src/lib.rs` of a crate named `ctx`, and starts
//!    `cargo build`. Where the compiler's errors tell it how (a variable that was moved, say), it changes its own lines
//!    and starts again. It infers no types: it has no more of rust-analyzer than `analysis/`.
//!
//! **Compiled.** This program once more, as a process that was started under the name `cargo`.
//!
//! 9. [`shim::hook`] notices the name; `shim.rs`, `build`, reads what evcxr wrote. Crates that are built already need
//!    no cargo; others are built by the real one (`dependencies::build`).
//! 10. [`compiled::form`] puts the compiler's form of the marks in place of evcxr's, takes out the store and the type
//!     of errors, which come compiled with `runtime/`, and leaves variables that the cell does not mention in the
//!     store. [`types::TypeTable::resolve`] puts known types in place of their placeholders and lets the compiler infer
//!     the new ones. [`shapes::Definitions::refuse_changed`] makes the check of a variable fail whose type was defined
//!     anew. The result is `cell.rs`.
//! 11. `compile_cache::key` tells whether this text was compiled before with the same compiler and libraries; then
//!     `compile_cache::CompileCache::take` gives what was kept. Else rustc compiles and links it with [`workbench_setup::library::prebuilt::Prebuilt::rustc_args`]; [`workbench_base::stoppable::output`] lets an interrupt end
//!     it. [`report::compilation`] tells evcxr what the compiler said, in cargo's words, and where the library is.
//! 12. [`types::TypeTable::learn`] reads the new variables' types from the compiler's listing; a function is stored as a
//!     pointer and what has no name not at all ([`spelling`]), for which the cell is compiled once more. `learn_shapes` notes
//!     how types are made, and the table is kept for the cells to come. Where a type could not be told, step 6 is done again
//!     with more care.
//!
//! **Run.** The process for cells, which [`process::command`] has started and in which [`hook`] has called
//! `host::serve`.
//!
//! 13. evcxr sends it the path of the library and the name of a function; `host.rs` loads the one and calls the other. The
//!     variables that the cell mentions are taken out of `runtime/store.rs`.
//! 14. `runtime/cell.rs`, `enter`: standard input is the kernel's, as the output streams always are; `begin` is
//!     said on the pipe. The reader's code runs.
//! 15. The last expression is evaluated; `value` is said, and its `evcxr_display` writes what it looks like: its type's
//!     own, or `Fallback`, the `Debug` form. A panic is told by `panicked`, an error that leaves through `?` by
//!     `user_error`.
//! 16. `Guard::drop`: `end` is said on both pipes. New variables are in the store by
//!     then, evcxr's lines put the others back, and evcxr is told that the function has returned.
//!
//! **Out.** While the cell runs.
//!
//! 17. `output.rs`, `pipe`: a thread for each stream reads what is written, and [`output::Splitter::feed`] cuts it into
//!     text, content and messages. What is too long becomes an [`oversize::Oversize`].
//! 18. [`pump::Pump::run`] takes these pieces in the order in which they come: `begin` and `end` go to [`interrupt`], a
//!     failure is kept for the end, text and parts of one output are gathered for a moment, updates of one display
//!     replace each other, and what is more than a cell may show is cut. The rest are [`Event`]s for the sink.
//! 19. `jupyter/execute.rs`, `Shell::sink` and `publish`: an event becomes `stream`, `display_data`,
//!     `update_display_data`, `execute_result` or `clear_output`; a question goes to `jupyter/stdin.rs`.
//!     `jupyter/publish.rs`, `Publisher::publish`, sends it to all clients, through `drain` of `jupyter/frame_limit.rs`.
//!
//!     `jupyter/display_ids.rs` gives figures and cards an id under which `jupyter/stale.rs` can mark them later.
//!
//! **Answered.**
//!
//! 20. [`Session::execute`] goes on when evcxr has returned and the pump has seen both ends:
//!     [`diagnose::runtime_failure`] places a panic or an error in the reader's text, [`diagnose::evaluation_failure`]
//!     tells compile errors and the end of the process, [`lost_variables`] what became of variables, [`outcome::interrupted`] what an
//!     interrupt left. What evcxr's own commands gave is shown.
//! 21. `Worker::execute` tells `language` which code has run and which variables there are; in `Worker::run`,
//!     [`Failure::with_remedy`] adds what to do where a message does not say it.
//! 22. `Shell::execute` evaluates the request's own expressions in the same way, or publishes the failure as `error`,
//!     and adds the cell to the history. `Shell::handle` sends the `execute_reply` and publishes idle; after a failure,
//!     cells that wait are not run.

#![warn(missing_docs)]

mod bindings;
pub mod cell;
pub mod changing;
pub mod channel;
pub mod compile_ahead;
pub mod compile_cache;
pub mod compiled;
mod compiling;
pub mod dataflow;
pub mod dependencies;
mod descriptors;
pub mod diagnose;
pub mod endless;
pub mod event;
pub mod failure;
mod formats;
mod host;
mod impls;
pub mod input;
pub mod interrupt;
pub mod listing;
pub mod lost_variables;
pub mod marks;
mod order;
pub mod outcome;
pub mod output;
pub mod oversize;
pub mod process;
pub mod pump;
mod remedy;
pub mod report;
pub mod session;
pub mod shapes;
pub mod shim;
pub mod spelling;
mod statics;
pub mod types;

pub use event::{CellName, Event, Sink};
pub use failure::Failure;
pub use session::Session;

/// Runs this process in the role in which a kernel has started it: as the cargo that evcxr sees, as what compiles cells ahead, or as the
/// process for cells, which serves evcxr's orders. Returns in any other process. To be called before anything else.
pub fn hook() {
    shim::hook();
    compile_ahead::worker::hook();
    if std::env::var_os("EVCXR_IS_RUNTIME").is_some() {
        host::arrange_streams();
        host::serve();
    }
    evcxr::runtime_hook();
}
