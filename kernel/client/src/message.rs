//! Frames read as messages, and everything that belongs to one request.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use jupyter_protocol::JupyterMessageContent;
use jupyter_zmq_client::RawMessage;
use ring::hmac;
use serde_json::{Value, json};
use zeromq::ZmqMessage;

/// Frame between the addresses and the signature.
const DELIMITER: &[u8] = b"<IDS|MSG>";

/// The sockets of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Requests in turn.
    Shell,
    /// Requests that do not wait.
    Control,
    /// Questions of the kernel, and the answers to them.
    Stdin,
    /// Broadcasts of the kernel (only received).
    Iopub,
}

/// One message from a kernel, signed with the key of the session.
#[derive(Clone, Debug)]
pub struct Message {
    /// Where it came in.
    pub channel: Channel,
    /// Its type, from the header.
    pub kind: String,
    /// Message id of the request that it belongs to; empty if none.
    pub parent: String,
    /// Its header.
    pub header: Value,
    /// Its metadata.
    pub metadata: Value,
    /// Its content.
    pub content: Value,
    /// Bytes of all of its frames.
    pub size: usize,
    /// When it came in.
    pub at: Instant,
    /// The same on the wall clock, in seconds since 1970: comparable with times that a cell prints.
    pub wall: f64,
}

impl Message {
    /// Whether it is the reply to a request.
    pub fn is_reply(&self) -> bool {
        self.channel != Channel::Iopub && self.kind.ends_with("_reply")
    }

    /// Whether it says that the kernel is done with a request.
    pub fn is_idle(&self) -> bool {
        self.kind == "status" && self.content["execution_state"] == "idle"
    }

    /// Its content as the protocol crate has it.
    ///
    /// # Errors
    /// The content does not fit its type.
    pub fn typed(self) -> serde_json::Result<JupyterMessageContent> {
        JupyterMessageContent::from_type_and_content(&self.kind, self.content)
    }
}

/// The frames of a message: the delimiter, the right signature, and its four parts.
pub(super) fn signed(key: Option<&hmac::Key>, parts: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut frames = vec![DELIMITER.to_vec(), signature(key, &parts).into_bytes()];
    frames.extend(parts);
    frames
}

/// In hexadecimal digits; empty where the session has no key, which turns signatures off.
fn signature(key: Option<&hmac::Key>, parts: &[Vec<u8>]) -> String {
    let Some(key) = key else {
        return String::new();
    };
    let mut context = hmac::Context::with_key(key);
    parts.iter().take(4).for_each(|part| context.update(part));
    context.sign().as_ref().iter().map(|b| format!("{b:02x}")).collect()
}

/// A message of its frames; none where they are not those of a message, or not signed with the key.
pub(super) fn read(frames: ZmqMessage, channel: Channel, key: &Option<hmac::Key>) -> Option<Message> {
    let size = frames.iter().map(|frame| frame.len()).sum();
    let raw = RawMessage::from_multipart(frames, key).ok()?;
    let part = |index: usize| serde_json::from_slice::<Value>(&raw.jparts[index]).unwrap_or(Value::Null);
    let header = part(0);
    Some(Message {
        channel,
        kind: header["msg_type"].as_str().unwrap_or_default().to_string(),
        parent: part(1)["msg_id"].as_str().unwrap_or_default().to_string(),
        metadata: part(2),
        content: part(3),
        size,
        at: Instant::now(),
        wall: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64()),
        header,
    })
}

/// Content of an ordinary request to run a cell.
pub fn execute_request(code: &str) -> Value {
    json!({
        "code": code, "silent": false, "store_history": true, "user_expressions": {}, "allow_stdin": true,
        "stop_on_error": true,
    })
}

/// Everything that belongs to one request.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// Its messages, in the order in which they came in (order between channels is not told by the protocol).
    pub messages: Vec<Message>,
}

impl Exchange {
    /// The reply.
    pub fn reply(&self) -> Option<&Message> {
        self.messages.iter().find(|m| m.is_reply())
    }

    /// `status` of the reply; empty when there is none.
    pub fn status(&self) -> &str {
        self.reply().and_then(|m| m.content["status"].as_str()).unwrap_or_default()
    }

    /// The idle message.
    pub fn idle(&self) -> Option<&Message> {
        self.messages.iter().find(|m| m.is_idle())
    }

    /// Outputs, in order: streams, displays, updates, results, errors and clears.
    pub fn outputs(&self) -> Vec<&Message> {
        const OUTPUTS: [&str; 6] =
            ["stream", "display_data", "update_display_data", "execute_result", "error", "clear_output"];
        self.messages.iter().filter(|m| m.channel == Channel::Iopub && OUTPUTS.contains(&m.kind.as_str())).collect()
    }

    /// Text of a stream.
    pub fn stream(&self, name: &str) -> String {
        self.messages
            .iter()
            .filter(|m| m.kind == "stream" && m.content["name"] == name)
            .filter_map(|m| m.content["text"].as_str())
            .collect()
    }

    /// Plain text of the value of the last expression.
    pub fn value(&self) -> &str {
        let result = self.messages.iter().find(|m| m.kind == "execute_result");
        result.and_then(|m| m.content["data"]["text/plain"].as_str()).unwrap_or_default()
    }

    /// Name and message of the error, if there was one.
    pub fn error(&self) -> Option<(String, String)> {
        let error = self.messages.iter().find(|m| m.kind == "error")?;
        let text = |key: &str| error.content[key].as_str().unwrap_or_default().to_string();
        Some((text("ename"), text("evalue")))
    }

    /// The traceback without terminal colours.
    pub fn traceback(&self) -> String {
        let lines: Vec<&str> = self
            .messages
            .iter()
            .filter(|m| m.kind == "error")
            .flat_map(|m| m.content["traceback"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .collect();
        without_colours(&lines.join("\n"))
    }
}

/// Text without the escape sequences that colour it in a terminal.
pub fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // Ends with the first letter.
            let _ = chars.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_reads_back_and_what_is_damaged_is_no_message() {
        let key = Some(hmac::Key::new(hmac::HMAC_SHA256, b"k"));
        let parts: Vec<Vec<u8>> = [r#"{"msg_type":"status"}"#, r#"{"msg_id":"7"}"#, "{}", r#"{"a":1}"#]
            .map(|part| part.as_bytes().to_vec())
            .into();
        let mut frames = vec![b"topic".to_vec()];
        frames.extend(signed(key.as_ref(), parts));
        let read_back = |frames: &[Vec<u8>], key: &Option<hmac::Key>| {
            let frames: Vec<bytes::Bytes> = frames.iter().cloned().map(bytes::Bytes::from).collect();
            read(ZmqMessage::try_from(frames).unwrap(), Channel::Iopub, key)
        };
        let message = read_back(&frames, &key).unwrap();
        assert_eq!((message.kind.as_str(), message.parent.as_str()), ("status", "7"));
        assert_eq!(message.content["a"], 1);
        assert_eq!(message.size, frames.iter().map(Vec::len).sum::<usize>());
        frames[6] = br#"{"a":2}"#.to_vec();
        assert!(read_back(&frames, &key).is_none());
        assert!(read_back(&frames, &None).is_some(), "a session without a key signs nothing");
        assert!(read_back(&frames[..4], &key).is_none());
    }

    #[test]
    fn colours_are_taken_out() {
        assert_eq!(without_colours("\u{1b}[1;31merror\u{1b}[0m: x"), "error: x");
    }
}
