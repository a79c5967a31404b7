//! Properties of readers of outside bytes. The fuzz targets and the ordinary tests (`kernel/tests/kernel/protocol_security.rs`) share
//! this file: a fuzzer looks for inputs, the tests try many that a seeded generator makes.

use jupyter_zmq_client::RawMessage;
use workbench_eval::cell;
use workbench_eval::channel::Output;
use workbench_eval::output::{Piece, Splitter, Stream};
use workbench_jupyter::frame_limit;
use workbench_jupyter::wire::{LIMIT, Refused, parse};

/// Pieces of a stream that arrives in these parts, neighbouring texts put together.
fn split(parts: &[&[u8]]) -> Vec<Piece> {
    let mut splitter = Splitter::new(Stream::Out);
    let mut pieces: Vec<Piece> = parts.iter().flat_map(|part| splitter.feed(part)).collect();
    pieces.extend(splitter.finish());
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (joined.last_mut(), piece) {
            (Some(Piece::Text(_, a)), Piece::Text(_, b)) => a.push_str(&b),
            (_, piece) => joined.push(piece),
        }
    }
    joined
}

/// The splitter of cells' output: any cut gives the same pieces, no text is lost, nothing is made up.
pub fn splitter(bytes: &[u8], cuts: &[usize]) {
    let whole = split(&[bytes]);
    let mut parts = Vec::new();
    let mut rest = bytes;
    for cut in cuts {
        let (part, after) = rest.split_at(cut % (rest.len() + 1));
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    assert_eq!(split(&parts), whole, "cut in {} parts", parts.len());
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(split(&single), whole, "byte by byte");

    let text: String = whole
        .iter()
        .filter_map(|piece| match piece {
            Piece::Text(_, text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    if whole.iter().all(|piece| matches!(piece, Piece::Text(..))) {
        assert_eq!(text, String::from_utf8_lossy(bytes), "text changed on its way");
    }
    // Each byte becomes at most one character of three bytes.
    assert!(text.len() <= 3 * bytes.len());
}

/// A display's line of JSON: it is an output where it has data, and its data are that.
pub fn display(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let fields = serde_json::from_str::<serde_json::Value>(text).ok();
    let data = fields.as_ref().and_then(|fields| fields.get("data")?.as_object());
    assert_eq!(Output::parse(text).map(|output| output.data).as_ref(), data);
}

/// Bytes without the session's word: text, the same text, and nothing else.
pub fn unsealed(bytes: &[u8]) {
    const WORD: &str = "b81a55ed";
    if bytes.windows(WORD.len()).any(|window| window == WORD.as_bytes()) {
        return;
    }
    let mut splitter = Splitter::sealed(Stream::Out, WORD.to_owned());
    let mut pieces = splitter.feed(bytes);
    pieces.extend(splitter.finish());
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(_, part) => text.push_str(&part),
            other => panic!("printed data became {other:?}"),
        }
    }
    if std::str::from_utf8(bytes).is_ok() {
        assert_eq!(text.as_bytes(), bytes, "text changed on its way");
    }
}

/// The limit of frames: what passes is the greeting and whole or beginning frames of what came, each no longer than a message may be; what has
/// passed once passes again unchanged.
pub fn frame_limit(bytes: &[u8], most: u64) {
    let (passed, refused) = frame_limit::passes(bytes, most);
    assert!(passed.len() <= bytes.len(), "{} bytes became {}", bytes.len(), passed.len());
    let greeting = bytes.len().min(64);
    assert_eq!(passed[..greeting.min(passed.len())], bytes[..greeting.min(passed.len())]);
    let (again, _) = frame_limit::passes(&passed, most);
    assert!(again == passed, "what has passed is changed when it passes again");
    let mut rest = passed.get(64..).unwrap_or_default();
    let mut messages = 0;
    while let Some((flags, after)) = rest.split_first() {
        let (length, body) = if flags & 2 != 0 {
            let Some((length, body)) = after.split_first_chunk::<8>() else {
                break;
            };
            (u64::from_be_bytes(*length), body)
        } else {
            let Some((length, body)) = after.split_first() else {
                break;
            };
            (u64::from(*length), body)
        };
        assert!(length <= LIMIT as u64, "a frame of {length} bytes has passed");
        let Some(next) = usize::try_from(length).ok().and_then(|length| body.get(length..)) else {
            break;
        };
        messages += u64::from(flags & 1 == 0);
        rest = next;
    }
    assert!(messages <= most, "{messages} messages have passed, refused: {refused}");
}

/// A cell's source: prepared without a panic, line for line, with columns that stay inside the line.
pub fn source(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let prepared = cell::prepare(text, cell::Care::Usual, &mut 0);
    assert_eq!(prepared.code.matches('\n').count(), text.matches('\n').count(), "lines keep their numbers");
    for (number, line) in text.split('\n').enumerate() {
        let inserted = prepared.code.split('\n').nth(number).unwrap_or_default();
        let length = line.chars().count();
        for column in [1, inserted.chars().count() / 2, inserted.chars().count() + 1] {
            let told = prepared.reader_column(number + 1, column.max(1));
            assert!((1..=length + 1).contains(&told), "column {told} of a line of {length}");
        }
    }
}

/// The parts of a signed message: read, or refused with a reason.
pub fn message(bytes: &[u8]) {
    let mut parts: Vec<Vec<u8>> = bytes.split(|b| *b == 0).map(<[u8]>::to_vec).collect();
    parts.resize(parts.len().max(4), b"{}".to_vec());
    let raw = RawMessage { zmq_identities: Vec::new(), jparts: parts.into_iter().map(Into::into).collect() };
    if let Err(refused) = parse(raw) {
        assert!(matches!(refused, Refused::Malformed { .. }), "{refused}");
        assert!(!refused.to_string().is_empty());
    }
}
