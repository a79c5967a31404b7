//! Messages as they come from a socket: checked, and read leniently where the specification lets a field be left out.
//!
//! A message is refused, and logged, when it is not signed with the session's key, when it comes a second time, when it is too
//! long, or when it is not a message. A signed request whose content cannot be read still has a sender who waits: it is handed
//! on as [`Incoming::Unreadable`], so that it can be answered.

use std::collections::{HashSet, VecDeque};

use jupyter_protocol::{Header, JupyterMessage, JupyterMessageContent, UnknownMessage};
use jupyter_zmq_client::{Connection, RawMessage};
use serde_json::{Map, Value, json};
use zeromq::{SocketRecv, ZmqMessage};

/// Longest message in bytes, all its parts together.
pub const LIMIT: usize = 64 << 20;
/// Most parts of a message: identities, frame of the protocol, buffers.
const PARTS: usize = 1000;
/// How many signatures are remembered, to notice a message that is sent a second time.
const REMEMBERED: usize = 1 << 16;

/// A message of a client.
#[derive(Debug)]
pub enum Incoming {
    /// A message as it should be.
    Message(Box<JupyterMessage>),
    /// A message whose content does not fit its type, and why.
    Unreadable(Box<JupyterMessage>, String),
}

impl Incoming {
    /// When the front end sent it, by its own clock.
    pub fn sent(&self) -> chrono::DateTime<chrono::Utc> {
        let (Incoming::Message(message) | Incoming::Unreadable(message, _)) = self;
        message.header.date
    }
}

/// Why a message is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The socket failed.
    #[error("the socket failed: {0}")]
    Socket(String),
    /// It is too long.
    #[error("it has {bytes} bytes in {parts} parts; the limit is {LIMIT} bytes in {PARTS} parts")]
    TooLong {
        /// Its bytes.
        bytes: usize,
        /// Its parts.
        parts: usize,
    },
    /// It is not signed with the session's key, or is not made of the parts of a message.
    #[error("it is not a message signed with this session's key ({0})")]
    Unsigned(String),
    /// It was sent before.
    #[error("it was received before")]
    Repeated,
    /// Its header or metadata cannot be read.
    #[error("its {part} cannot be read: {why}")]
    Malformed {
        /// Which part.
        part: &'static str,
        /// Why not.
        why: String,
    },
}

/// The session's memory of signatures.
#[derive(Debug, Default)]
pub struct Seen {
    known: HashSet<Vec<u8>>,
    order: VecDeque<Vec<u8>>,
}

impl Seen {
    /// Remembers a signature; false when it was known.
    fn insert(&mut self, signature: Vec<u8>) -> bool {
        if !self.known.insert(signature.clone()) {
            return false;
        }
        self.order.push_back(signature);
        if self.order.len() > REMEMBERED
            && let Some(old) = self.order.pop_front()
        {
            self.known.remove(&old);
        }
        true
    }
}

/// Waits for the next message of a socket.
///
/// # Errors
/// The socket fails, or the message is refused.
pub async fn read<S: SocketRecv>(connection: &mut Connection<S>, seen: &mut Seen) -> Result<Incoming, Refused> {
    let parts = connection.socket.recv().await.map_err(|error| Refused::Socket(error.to_string()))?;
    let signed = connection.mac.is_some();
    check_size(&parts)?;
    let signature = signed.then(|| signature(&parts));
    let raw =
        RawMessage::from_multipart(parts, &connection.mac).map_err(|error| Refused::Unsigned(error.to_string()))?;
    if let Some(signature) = signature
        && !seen.insert(signature)
    {
        return Err(Refused::Repeated);
    }
    parse(raw)
}

fn check_size(message: &ZmqMessage) -> Result<(), Refused> {
    let parts = message.len();
    let bytes = message.iter().map(|part| part.len()).sum();
    if parts > PARTS || bytes > LIMIT {
        return Err(Refused::TooLong { bytes, parts });
    }
    Ok(())
}

/// The part after the delimiter.
fn signature(message: &ZmqMessage) -> Vec<u8> {
    let mut parts = message.iter().skip_while(|part| part.as_ref() != b"<IDS|MSG>");
    parts.nth(1).map(|part| part.to_vec()).unwrap_or_default()
}

/// Reads a message whose signature is right.
///
/// # Errors
/// Its header or metadata are none.
pub fn parse(raw: RawMessage) -> Result<Incoming, Refused> {
    let malformed =
        |part: &'static str| move |error: serde_json::Error| Refused::Malformed { part, why: error.to_string() };
    let header: Header = serde_json::from_slice(&raw.jparts[0]).map_err(malformed("header"))?;
    // An empty object stands for no parent.
    let parent_header = serde_json::from_slice(&raw.jparts[1]).ok();
    let metadata: Value = serde_json::from_slice(&raw.jparts[2]).map_err(malformed("metadata"))?;
    let content: Value = serde_json::from_slice(&raw.jparts[3]).map_err(malformed("content"))?;
    let content = with_defaults(&header.msg_type, content);
    let (content, problem) = match JupyterMessageContent::from_type_and_content(&header.msg_type, content) {
        Ok(content) => (content, None),
        Err(error) => (unknown(&header.msg_type, json!({})), Some(error.to_string())),
    };
    let message = Box::new(JupyterMessage {
        zmq_identities: raw.zmq_identities,
        header,
        parent_header,
        metadata,
        content,
        buffers: raw.jparts.get(4..).map(<[_]>::to_vec).unwrap_or_default(),
        channel: None,
    });
    Ok(match problem {
        None => Incoming::Message(message),
        Some(problem) => Incoming::Unreadable(message, problem),
    })
}

/// Content that the protocol crate has no type for.
pub fn unknown(kind: &str, content: Value) -> JupyterMessageContent {
    JupyterMessageContent::UnknownMessage(UnknownMessage { msg_type: kind.to_owned(), content })
}

/// Fields that the specification gives a default, or that clients are known to leave out.
fn with_defaults(kind: &str, content: Value) -> Value {
    let defaults = match kind {
        "execute_request" => json!({
            "silent": false, "store_history": true, "user_expressions": {}, "allow_stdin": true, "stop_on_error": true
        }),
        "complete_request" | "inspect_request" => {
            let end = content["code"].as_str().map_or(0, |code| code.chars().count());
            json!({"cursor_pos": end, "detail_level": 0})
        }
        "history_request" => json!({
            "output": false, "raw": true, "hist_access_type": "tail", "session": 0, "start": 0, "stop": i32::MAX,
            "n": i32::MAX, "pattern": "*", "unique": false
        }),
        "shutdown_request" => json!({"restart": false}),
        "comm_open" | "comm_msg" | "comm_close" => json!({"data": {}, "target_name": ""}),
        _ => return content,
    };
    let (Value::Object(mut fields), Value::Object(defaults)) = (content, defaults) else {
        return Value::Null;
    };
    for (name, value) in defaults {
        let field = fields.entry(name).or_insert(Value::Null);
        if field.is_null() {
            *field = value;
        }
    }
    Value::Object(fields)
}

/// The content of the reply to a request that cannot be answered.
pub fn error_content(name: &str, message: &str) -> Map<String, Value> {
    let content =
        json!({"status": "error", "ename": name, "evalue": message, "traceback": [format!("{name}: {message}")]});
    match content {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn raw(kind: &str, content: &str) -> RawMessage {
        let header = json!({"msg_id": "1", "username": "", "session": "s", "msg_type": kind, "version": "5.3"});
        let parts = [header.to_string(), "{}".into(), "{}".into(), content.to_owned()];
        RawMessage {
            zmq_identities: vec![Bytes::from_static(b"id")],
            jparts: parts.map(|part| Bytes::from(part.into_bytes())).to_vec(),
        }
    }

    #[test]
    fn fields_that_may_be_left_out_have_the_values_of_the_specification() {
        let Ok(Incoming::Message(message)) = parse(raw("execute_request", r#"{"code": "1", "silent": null}"#)) else {
            panic!();
        };
        let JupyterMessageContent::ExecuteRequest(request) = message.content else {
            panic!();
        };
        assert!(!request.silent && request.store_history && request.stop_on_error && request.allow_stdin);
        for content in [r#"{"hist_access_type":"search","pattern":"a"}"#, "{}", r#"{"hist_access_type":"range"}"#] {
            assert!(matches!(parse(raw("history_request", content)), Ok(Incoming::Message(_))), "{content}");
        }
    }

    #[test]
    fn a_request_that_cannot_be_read_keeps_its_sender() {
        for content in ["{}", "[]", "null", r#"{"code": 5}"#] {
            let Ok(Incoming::Unreadable(message, _)) = parse(raw("execute_request", content)) else {
                panic!("{content}");
            };
            assert_eq!(message.header.msg_id, "1");
        }
    }

    #[test]
    fn what_is_no_message_is_refused_and_what_is_unknown_is_not() {
        assert!(matches!(parse(raw("x", "{")), Err(Refused::Malformed { part: "content", .. })));
        let mut bad = raw("x", "{}");
        bad.jparts[0] = Bytes::from_static(b"{\"msg_id\": 1}");
        assert!(matches!(parse(bad), Err(Refused::Malformed { part: "header", .. })));
        assert!(matches!(parse(raw("brand_new_request", "{}")), Ok(Incoming::Message(_))));
    }

    #[test]
    fn signatures_are_remembered_for_a_while() {
        let mut seen = Seen::default();
        assert!(seen.insert(vec![1]));
        assert!(!seen.insert(vec![1]));
        for i in 0..REMEMBERED as u32 {
            seen.insert(i.to_le_bytes().to_vec());
        }
        assert!(seen.insert(vec![1]));
        assert_eq!(seen.known.len(), seen.order.len());
    }
}
