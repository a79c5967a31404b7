//! The channel between the process that runs a cell and the kernel, as this crate uses it.
//!
//! The kernel sets four variables: `WORKBENCH_KERNEL` says that it is ours, `WORKBENCH_CHANNEL` is the version of the frames on
//! standard output that it understands, `WORKBENCH_SEAL` is a word of this session, and `WORKBENCH_CONTROL` names a small file that
//! both sides map (see [`crate::work`]).
//! A frame is `EVCXR_BEGIN_CONTENT <mime>`, the content and `EVCXR_END_CONTENT`, each on lines of its own; a byte 1 before it lets it
//! follow a partial line. After the type stands the session's word, so that printed data cannot pass for a frame. Without the variables nothing is sent and callers fall back to what a terminal or stock evcxr can do.

use std::io::Write;
use std::sync::OnceLock;

/// Begins a frame.
pub const BEGIN: &str = "EVCXR_BEGIN_CONTENT";
/// Ends a frame.
pub const END: &str = "EVCXR_END_CONTENT";
/// Messages to the kernel that are no output.
const SIGNAL: &str = "application/x-workbench-signal";
/// One complete output with an optional display id, as one line of JSON.
const DISPLAY: &str = "application/x-workbench-display";
/// The version spoken here.
const VERSION: &str = "1";

/// Who reads what this process writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// Our kernel: displays can be updated, input can be asked for.
    Kernel,
    /// A stock evcxr kernel, or ours without the channel: plain frames, of which the last of each type remains.
    Stock,
    /// No kernel: a terminal, a pipe or a file.
    Plain,
}

/// Where this process runs. Decided once.
pub fn host() -> Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    *HOST.get_or_init(|| {
        let is = |name: &str| std::env::var_os(name).is_some();
        if std::env::var("WORKBENCH_CHANNEL").is_ok_and(|version| version == VERSION) {
            Host::Kernel
        } else if is("WORKBENCH_KERNEL") || is("EVCXR_IS_RUNTIME") {
            Host::Stock
        } else {
            Host::Plain
        }
    })
}

/// Writes one complete output. `json` must be one line.
pub fn display(json: &str) {
    write(&frame(DISPLAY, json));
}

/// Sends a message to the kernel, if there is one that listens.
pub fn signal(kind: &str, fields: &[(&str, serde_json::Value)]) {
    if host() != Host::Kernel {
        return;
    }
    let mut map = serde_json::Map::new();
    map.insert("kind".into(), kind.into());
    map.extend(fields.iter().map(|(name, value)| ((*name).to_string(), value.clone())));
    write(&frame(SIGNAL, &serde_json::Value::Object(map).to_string()));
}

fn frame(mime: &str, content: &str) -> String {
    static SEAL: OnceLock<Option<String>> = OnceLock::new();
    let seal = SEAL.get_or_init(|| std::env::var("WORKBENCH_SEAL").ok());
    sealed(mime, content, seal.as_deref())
}

fn sealed(mime: &str, content: &str, seal: Option<&str>) -> String {
    let seal = seal.map(|word| format!(" {word}")).unwrap_or_default();
    format!("\x01{BEGIN} {mime}{seal}\n{content}\n{END}\n")
}

/// Writes to standard output in one piece and flushes. A reader that has gone away is not an error of the cell.
pub fn write(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_can_follow_a_partial_line() {
        assert_eq!(
            sealed(SIGNAL, "{\"kind\":\"clear\"}", None),
            "\x01EVCXR_BEGIN_CONTENT application/x-workbench-signal\n{\"kind\":\"clear\"}\nEVCXR_END_CONTENT\n"
        );
    }

    #[test]
    fn a_frame_carries_the_word_of_the_session() {
        assert_eq!(sealed("a/b", "c", Some("w0rd")), "\x01EVCXR_BEGIN_CONTENT a/b w0rd\nc\nEVCXR_END_CONTENT\n");
    }
}
