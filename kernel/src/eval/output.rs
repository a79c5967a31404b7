//! A cell's output, read as it is written.
//!
//! The process that runs cells writes text and framed content to one pipe, in order. A frame is
//! `EVCXR_BEGIN_CONTENT <mime>`, the content, `EVCXR_END_CONTENT`, each on lines of its own: evcxr's own convention,
//! so that notebooks also work with the stock kernel.

use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::{Map, Value};

const BEGIN: &[u8] = b"EVCXR_BEGIN_CONTENT ";
const END: &[u8] = b"\nEVCXR_END_CONTENT\n";
/// Messages of the cell runtime to the kernel.
const SIGNAL: &str = "application/x-workbench-signal";
/// A frame without its end is given up after this many bytes, so that a program that prints the marker by chance
/// cannot hold back output for ever.
const FRAME_LIMIT: usize = 256 << 20;

/// Which stream of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// One thing that a cell wrote.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Text, as written.
    Text(Stream, String),
    /// Content of one MIME type.
    Content(String, String),
    /// A message of the cell runtime: its kind and fields.
    Signal(Stream, String, Map<String, Value>),
}

/// Splits a stream into pieces as the bytes arrive.
pub struct Splitter {
    stream: Stream,
    pending: Vec<u8>,
}

impl Splitter {
    /// A splitter for one stream.
    pub fn new(stream: Stream) -> Splitter {
        Splitter {
            stream,
            pending: Vec::new(),
        }
    }

    /// Takes bytes and returns the pieces that are complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Piece> {
        self.pending.extend_from_slice(bytes);
        let mut pieces = Vec::new();
        loop {
            match find(&self.pending, BEGIN) {
                Some(at) => {
                    // The runtime puts a control byte before its frames, so that they can follow a partial line.
                    let text_end = if at > 0 && self.pending[at - 1] == 1 {
                        at - 1
                    } else {
                        at
                    };
                    let Some(length) = find(&self.pending[at..], END) else {
                        if self.pending.len() - at > FRAME_LIMIT {
                            self.text(self.pending.len(), &mut pieces);
                        } else {
                            self.text(text_end, &mut pieces);
                        }
                        return pieces;
                    };
                    self.text(text_end, &mut pieces);
                    let start = at - text_end;
                    let frame: Vec<u8> = self.pending.drain(..start + length + END.len()).collect();
                    pieces.push(self.frame(&frame[start + BEGIN.len()..start + length]));
                }
                None => {
                    let keep = partial_marker(&self.pending);
                    self.text(self.pending.len() - keep, &mut pieces);
                    return pieces;
                }
            }
        }
    }

    /// What is left when the stream ends.
    pub fn finish(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        self.text(self.pending.len(), &mut pieces);
        pieces
    }

    fn text(&mut self, length: usize, pieces: &mut Vec<Piece>) {
        if length == 0 {
            return;
        }
        // A character cut in two waits for its rest.
        let complete = match std::str::from_utf8(&self.pending[..length]) {
            Ok(_) => length,
            Err(e) if e.error_len().is_none() && length == self.pending.len() => e.valid_up_to(),
            Err(_) => length,
        };
        let bytes: Vec<u8> = self.pending.drain(..complete).collect();
        if !bytes.is_empty() {
            pieces.push(Piece::Text(self.stream, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }

    fn frame(&self, body: &[u8]) -> Piece {
        let text = String::from_utf8_lossy(body);
        let (mime, content) = text.split_once('\n').unwrap_or((&text, ""));
        let mime = mime.trim();
        if mime == SIGNAL
            && let Ok(Value::Object(mut fields)) = serde_json::from_str(content)
            && let Some(Value::String(kind)) = fields.remove("kind")
        {
            return Piece::Signal(self.stream, kind, fields);
        }
        Piece::Content(mime.to_owned(), content.to_owned())
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = needle[0];
    let mut from = 0;
    while let Some(at) = haystack[from..].iter().position(|b| *b == first) {
        let at = from + at;
        if haystack[at..].starts_with(needle) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// Length of the end of `bytes` that may be the beginning of a marker.
fn partial_marker(bytes: &[u8]) -> usize {
    let longest = BEGIN.len().min(bytes.len());
    for length in (1..=longest).rev() {
        let tail = &bytes[bytes.len() - length..];
        if BEGIN.starts_with(tail) || (tail[0] == 1 && BEGIN.starts_with(&tail[1..])) {
            return length;
        }
    }
    0
}

/// The two ends of a pipe for cells' output: the kernel reads, every process that runs cells writes.
pub struct Pipes {
    /// Write ends, kept open so that a restarted process finds the same streams.
    pub out: OwnedFd,
    /// See `out`.
    pub err: OwnedFd,
    /// Pieces of both streams in the order in which they were read.
    pub pieces: Receiver<Piece>,
}

impl Pipes {
    /// Creates both pipes and the threads that read them.
    pub fn new() -> std::io::Result<Pipes> {
        let (sender, pieces) = channel();
        let out = pipe(Stream::Out, sender.clone())?;
        let err = pipe(Stream::Err, sender)?;
        Ok(Pipes { out, err, pieces })
    }

    /// The descriptors' numbers, for the process that is about to be started.
    pub fn raw(&self) -> (i32, i32) {
        (self.out.as_raw_fd(), self.err.as_raw_fd())
    }
}

fn pipe(stream: Stream, sender: Sender<Piece>) -> std::io::Result<OwnedFd> {
    let (mut reader, writer) = std::io::pipe()?;
    std::thread::Builder::new()
        .name("cell output".to_owned())
        .spawn(move || {
            let mut splitter = Splitter::new(stream);
            let mut buffer = vec![0; 64 << 10];
            while let Ok(count) = reader.read(&mut buffer) {
                let pieces = if count == 0 {
                    splitter.finish()
                } else {
                    splitter.feed(&buffer[..count])
                };
                for piece in pieces {
                    if sender.send(piece).is_err() {
                        return;
                    }
                }
                if count == 0 {
                    return;
                }
            }
        })?;
    Ok(writer.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(s: &str) -> Piece {
        Piece::Text(Stream::Out, s.to_owned())
    }

    #[test]
    fn text_and_content_keep_their_order() {
        let mut splitter = Splitter::new(Stream::Out);
        let pieces = splitter.feed(b"a\nEVCXR_BEGIN_CONTENT text/html\n<b>\nx\nEVCXR_END_CONTENT\nb");
        assert_eq!(
            pieces,
            [
                text("a\n"),
                Piece::Content("text/html".into(), "<b>\nx".into()),
                text("b")
            ]
        );
    }

    #[test]
    fn any_cut_gives_the_same_pieces() {
        let bytes = "größer\x01EVCXR_BEGIN_CONTENT text/plain\nx\nEVCXR_END_CONTENT\nEVCXR_ rest".as_bytes();
        for cut in 0..bytes.len() {
            let mut splitter = Splitter::new(Stream::Out);
            let mut pieces = splitter.feed(&bytes[..cut]);
            pieces.extend(splitter.feed(&bytes[cut..]));
            pieces.extend(splitter.finish());
            let mut joined: Vec<Piece> = Vec::new();
            for piece in pieces {
                match (joined.last_mut(), piece) {
                    (Some(Piece::Text(_, a)), Piece::Text(_, b)) => a.push_str(&b),
                    (_, piece) => joined.push(piece),
                }
            }
            assert_eq!(
                joined,
                [
                    text("größer"),
                    Piece::Content("text/plain".into(), "x".into()),
                    text("EVCXR_ rest")
                ],
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn partial_lines_are_not_held_back() {
        let mut splitter = Splitter::new(Stream::Out);
        assert_eq!(splitter.feed(b"50 %\r"), [text("50 %\r")]);
    }

    #[test]
    fn signals_carry_their_fields() {
        let mut splitter = Splitter::new(Stream::Err);
        let pieces = splitter.feed(
            b"\x01EVCXR_BEGIN_CONTENT application/x-workbench-signal\n{\"kind\":\"end\",\"state\":\"done\"}\nEVCXR_END_CONTENT\n",
        );
        let [Piece::Signal(Stream::Err, kind, fields)] = pieces.as_slice() else {
            panic!("{pieces:?}");
        };
        assert_eq!(kind, "end");
        assert_eq!(fields["state"], "done");
    }
}
