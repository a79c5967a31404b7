//! Frames read as messages, and everything that belongs to one request.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use ring::hmac;
use serde_json::Value;

use super::Channel;

/// Frame between the addresses and the signature.
pub(super) const DELIMITER: &[u8] = b"<IDS|MSG>";

/// One message from a kernel.
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
    /// Whether its signature is right.
    pub signed: bool,
    /// Bytes of all of its frames.
    pub size: usize,
    /// When it came in.
    pub at: Instant,
    /// The same on the wall clock, in seconds since 1970: comparable with times that a cell prints.
    pub wall: f64,
}

/// The signature of header, parent, metadata and content, in hexadecimal digits.
pub(super) fn signature<P: AsRef<[u8]>>(key: &hmac::Key, parts: impl IntoIterator<Item = P>) -> String {
    let mut context = hmac::Context::with_key(key);
    parts.into_iter().for_each(|part| context.update(part.as_ref()));
    context.sign().as_ref().iter().map(|b| format!("{b:02x}")).collect()
}

/// A message of its frames; none without the delimiter and the five frames after it.
pub(super) fn read(frames: &[Bytes], channel: Channel, key: &hmac::Key) -> Option<Message> {
    let delimiter = frames.iter().position(|frame| &frame[..] == DELIMITER)?;
    let [signature, header, parent, metadata, content, ..] = &frames[delimiter + 1..] else {
        return None;
    };
    let right = self::signature(key, [header, parent, metadata, content]);
    let json = |bytes: &Bytes| serde_json::from_slice::<Value>(bytes).unwrap_or(Value::Null);
    let header = json(header);
    Some(Message {
        channel,
        kind: header["msg_type"].as_str().unwrap_or_default().to_string(),
        parent: json(parent)["msg_id"].as_str().unwrap_or_default().to_string(),
        metadata: json(metadata),
        content: json(content),
        signed: signature[..] == *right.as_bytes(),
        size: frames.iter().map(Bytes::len).sum(),
        at: Instant::now(),
        wall: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |d| d.as_secs_f64()),
        header,
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
        self.messages
            .iter()
            .find(|m| m.channel != Channel::Iopub && m.kind.ends_with("_reply"))
    }

    /// `status` of the reply; empty when there is none.
    pub fn status(&self) -> &str {
        self.reply()
            .and_then(|m| m.content["status"].as_str())
            .unwrap_or_default()
    }

    /// The idle message.
    pub fn idle(&self) -> Option<&Message> {
        self.messages
            .iter()
            .find(|m| m.kind == "status" && m.content["execution_state"] == "idle")
    }

    /// Outputs, in order: streams, displays, updates, results, errors and clears.
    pub fn outputs(&self) -> Vec<&Message> {
        const OUTPUTS: [&str; 6] = [
            "stream",
            "display_data",
            "update_display_data",
            "execute_result",
            "error",
            "clear_output",
        ];
        self.messages
            .iter()
            .filter(|m| m.channel == Channel::Iopub && OUTPUTS.contains(&m.kind.as_str()))
            .collect()
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
    pub fn value(&self) -> String {
        self.messages
            .iter()
            .filter(|m| m.kind == "execute_result")
            .filter_map(|m| m.content["data"]["text/plain"].as_str())
            .collect()
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
    fn what_is_signed_reads_back_as_signed_and_damage_shows() {
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"k");
        let parts: Vec<Vec<u8>> = [r#"{"msg_type":"status"}"#, r#"{"msg_id":"7"}"#, "{}", r#"{"a":1}"#]
            .map(|p| p.as_bytes().to_vec())
            .into();
        let signature = signature(&key, &parts);
        let mut frames = vec![Bytes::from("topic"), Bytes::from("<IDS|MSG>"), Bytes::from(signature)];
        frames.extend(parts.into_iter().map(Bytes::from));
        let message = read(&frames, Channel::Iopub, &key).unwrap();
        assert_eq!((message.kind.as_str(), message.parent.as_str()), ("status", "7"));
        assert!(message.signed);
        frames[6] = Bytes::from(r#"{"a":2}"#);
        assert!(!read(&frames, Channel::Iopub, &key).unwrap().signed);
        assert!(read(&frames[..4], Channel::Iopub, &key).is_none());
    }

    #[test]
    fn colours_are_taken_out() {
        assert_eq!(without_colours("\u{1b}[1;31merror\u{1b}[0m: x"), "error: x");
    }
}
