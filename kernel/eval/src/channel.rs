//! The channel between the process that runs cells and the kernel: what a cell may say, and how the kernel answers.
//!
//! This page is the contract, for `workbench::display` and for any other crate that is used in cells. Nothing of it needs a
//! library: a cell writes to its standard output, reads one line, or looks at a few bytes of a file.
//!
//! # Environment
//! | variable | meaning |
//! | --- | --- |
//! | `WORKBENCH_KERNEL=1` | the process belongs to this kernel |
//! | `WORKBENCH_SEAL` | a word of this session, which makes a frame count, see below |
//! | `WORKBENCH_CHANNEL=1` | version of this channel; without it only the plain frames below are understood |
//! | `WORKBENCH_CONTROL` | path of the shared file with the kernel's requests, see [`workbench_base::control`] |
//! | `WORKBENCH_CELL_FILE` | path of a JSON file with the id, number and start of the running cell |
//!
//! # Frames
//! Output is read as it is written, and shown in that order. Rich content is a frame on standard output, in line with the text:
//! ```text
//! [\x01]EVCXR_BEGIN_CONTENT <mime>[ <seal>]\n<content>\nEVCXR_END_CONTENT\n
//! ```
//! Data that is printed may look like a frame. A frame counts where it carries the session's word. Without it, as stock evcxr and
//! the crates made for it write frames, it counts only while the cell's value is being shown or the reader's own call of
//! `evcxr_display` runs, and is never one of the two types that are ours; elsewhere it is the text that it is.
//! The control byte lets a frame follow a line without its end. A frame of `text/html` or another ordinary type is what stock
//! evcxr understands too: frames of different types that follow each other are one output. Two types are ours:
//!
//! - [`DISPLAY`]: one complete output, as one line of JSON, `{"data": {"text/plain": "…", "text/html": "…"}, "metadata": {},
//!   "id": "…" or null, "update": false}`. `data` is what Jupyter calls a MIME bundle: text, or JSON for JSON types. An output
//!   with an id can be replaced later, from any cell, by one with the same id and `"update": true`; one that was never shown is
//!   shown then. Updates may come at any rate: the kernel passes on the latest of each id every 50 ms and before the cell ends.
//! - [`SIGNAL`]: a message to the kernel, a JSON object with a `kind`:
//!
//! | kind | other fields | meaning |
//! | --- | --- | --- |
//! | `value` | | the next output is the value of the cell's last expression |
//! | `clear` | `wait`: bool | the outputs of this cell go, at once or when the next one comes |
//! | `input` | `prompt`; `password`: `"true"` or `"false"` | the cell waits for a line of the reader's, see below |
//! | `stopped` | `operation`, `done`, `of` | a computation ended early because it was asked to, and kept what it had |
//! | `error` | `message`, `name`, `file`, `line`, `column` | the cell answers with this error, although it runs on: all variables are kept |
//! | `begin`, `end`, `panic`, `shows`, `shown` | | sent by the runtime of cells itself |
//!
//! # Answers
//! After `input` the cell reads one line from descriptor 204: `{"value": "…"}` or `{"error": "…"}`. The error says why there is
//! no answer: the front end cannot ask, or the reader interrupted. A plain read of standard input asks the front end too.
//!
//! # Limits
//! A frame is at most [`FRAME_LIMIT`] long and a cell's text [`TEXT_LIMIT`]; what is longer is cut and said so, because a
//! front end would freeze on it. The process never waits for the reader's front end.

use serde_json::{Map, Value};

/// MIME type of a complete output.
pub const DISPLAY: &str = "application/x-workbench-display";
/// MIME type of messages to the kernel.
pub const SIGNAL: &str = "application/x-workbench-signal";
/// Names the session's word.
pub const SEAL_ENV: &str = "WORKBENCH_SEAL";
/// Names the version of the channel to the process.
pub const CHANNEL_ENV: &str = "WORKBENCH_CHANNEL";
/// The version.
pub const CHANNEL_VERSION: &str = "1";
/// Longest frame that is shown, in bytes.
pub const FRAME_LIMIT: usize = 10 << 20;
/// Most text of one cell that is shown, in bytes.
pub const TEXT_LIMIT: usize = 5 << 20;
/// Most rich content of one cell that is shown, in bytes.
pub const CONTENT_LIMIT: usize = 100 << 20;

/// What becomes of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is the value of the cell's last expression.
    Value,
    /// It is shown below the cell.
    Show,
    /// It replaces the outputs with its id.
    Update,
}

/// One output: content by MIME type.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Content by MIME type.
    pub data: Map<String, Value>,
    /// Metadata by MIME type, as Jupyter has it.
    pub metadata: Map<String, Value>,
    /// The name under which it can be replaced.
    pub id: Option<String>,
    /// What becomes of it.
    pub role: Role,
}

impl Output {
    /// An output that is shown below the cell.
    pub fn show(data: Map<String, Value>) -> Output {
        Output { data, metadata: Map::new(), id: None, role: Role::Show }
    }

    /// Text as an output.
    pub fn text(text: impl Into<String>) -> Output {
        Output::show([("text/plain".to_owned(), Value::String(text.into()))].into_iter().collect())
    }

    /// Reads the content of a [`DISPLAY`] frame; nothing when it is not one.
    pub fn parse(json: &str) -> Option<Output> {
        let Ok(Value::Object(mut fields)) = serde_json::from_str(json) else {
            return None;
        };
        let Some(Value::Object(data)) = fields.remove("data") else {
            return None;
        };
        let metadata = match fields.remove("metadata") {
            Some(Value::Object(metadata)) => metadata,
            _ => Map::new(),
        };
        let id = match fields.remove("id") {
            Some(Value::String(id)) => Some(id),
            _ => None,
        };
        let update = fields.get("update") == Some(&Value::Bool(true)) && id.is_some();
        Some(Output { data, metadata, id, role: if update { Role::Update } else { Role::Show } })
    }

    /// Roughly how many bytes it is.
    pub fn size(&self) -> usize {
        self.data.values().map(|value| value.as_str().map_or_else(|| value.to_string().len(), str::len)).sum()
    }
}

/// Bytes for a reader: `52.4 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_read_from_its_line() {
        let line =
            r#"{"data":{"text/plain":"a\nb","application/json":{"x":1}},"metadata":{"m":1},"id":"p","update":true}"#;
        let output = Output::parse(line).unwrap();
        assert_eq!(output.data["text/plain"], "a\nb");
        assert_eq!(output.data["application/json"]["x"], 1);
        assert_eq!(output.metadata["m"], 1);
        assert_eq!((output.id.as_deref(), output.role), (Some("p"), Role::Update));
    }

    #[test]
    fn an_update_needs_an_id_and_other_things_are_no_outputs() {
        assert_eq!(Output::parse(r#"{"data":{},"id":null,"update":true}"#).unwrap().role, Role::Show);
        for bad in ["", "[]", "{}", r#"{"data":"x"}"#, "{\"data\":{}"] {
            assert_eq!(Output::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn sizes_are_told_in_words() {
        assert_eq!(size(999), "999 bytes");
        assert_eq!(size(52_400_000), "52.4 MB");
    }
}
