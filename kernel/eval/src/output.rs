//! A cell's output, read as it is written and split into text, content and messages (see [`super::channel`]).

use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use memchr::memmem;
use serde_json::{Map, Value};

use super::channel::{DISPLAY, FRAME_LIMIT, Output, SEAL_ENV, SIGNAL};
use super::oversize::Oversize;

const BEGIN: &[u8] = b"EVCXR_BEGIN_CONTENT ";
const END: &[u8] = b"\nEVCXR_END_CONTENT\n";
/// A frame that begins inside another one: the outer one was none, or was never finished.
const AGAIN: &[u8] = b"\x01EVCXR_BEGIN_CONTENT ";
/// Bytes at the end of a search that may be the beginning of either marker.
const SEAM: usize = AGAIN.len();
/// Pieces that may wait for the kernel; then the readers wait, and then the process that writes.
const WAITING: usize = 32;

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
    /// A complete output.
    Output(Output),
    /// Content that is too long to show.
    TooLong(Oversize),
    /// A message of the cell runtime: its kind and fields.
    Signal(Stream, String, Map<String, Value>),
}

/// Splits a stream into pieces as the bytes arrive. Holds at most one frame.
pub struct Splitter {
    stream: Stream,
    /// The word without which a frame counts only where something is shown; nothing where every frame does.
    seal: Option<String>,
    /// Something is being shown.
    shows: bool,
    pending: Vec<u8>,
    state: State,
}

enum State {
    Text,
    /// Inside a frame; its end is not in the first `searched` pending bytes. Before it stood the control byte, or not.
    Frame {
        searched: usize,
        marked: bool,
    },
    /// Inside a frame that is too long.
    Skip(Box<Oversize>),
}

impl Splitter {
    /// A splitter for one stream, in which every frame counts.
    pub fn new(stream: Stream) -> Splitter {
        Splitter { seal: None, shows: false, stream, pending: Vec::new(), state: State::Text }
    }

    /// A splitter for one stream, in which frames carry this word.
    pub fn sealed(stream: Stream, seal: String) -> Splitter {
        Splitter { seal: Some(seal), ..Splitter::new(stream) }
    }

    /// Takes bytes and returns the pieces that are complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Piece> {
        self.pending.extend_from_slice(bytes);
        let mut pieces = Vec::new();
        while self.step(&mut pieces) {}
        pieces
    }

    /// What is left when the stream ends.
    pub fn finish(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        match std::mem::replace(&mut self.state, State::Text) {
            State::Text => {}
            State::Frame { marked, .. } => {
                self.give_back(marked);
            }
            State::Skip(long) => pieces.push(Piece::TooLong(*long)),
        }
        // Also the beginning of a character that never came to its end.
        self.text_before(self.pending.len(), self.pending.len(), &mut pieces);
        pieces
    }

    /// Takes one step; false when more bytes are needed.
    fn step(&mut self, pieces: &mut Vec<Piece>) -> bool {
        match &mut self.state {
            State::Text => match memmem::find(&self.pending, BEGIN) {
                Some(at) => {
                    let marked = at > 0 && self.pending[at - 1] == 1;
                    self.text_before(if marked { at - 1 } else { at }, at + BEGIN.len(), pieces);
                    self.state = State::Frame { searched: 0, marked };
                    true
                }
                None => {
                    let keep = partial(&self.pending, AGAIN).max(partial(&self.pending, BEGIN));
                    self.text(self.pending.len() - keep, pieces);
                    false
                }
            },
            State::Frame { searched, marked } => {
                let from = searched.saturating_sub(SEAM);
                let marked = *marked;
                match frame_end(&self.pending[from..]) {
                    Some((at, true)) => {
                        let frame: Vec<u8> = self.pending.drain(..from + at + END.len()).collect();
                        self.state = State::Text;
                        let piece = self.frame(&frame[..from + at]);
                        pieces.push(piece.unwrap_or_else(|| {
                            // It looks like a frame, and is text.
                            let marker = if marked { AGAIN } else { BEGIN };
                            let bytes = [marker, &frame].concat();
                            Piece::Text(self.stream, String::from_utf8_lossy(&bytes).into_owned())
                        }));
                        true
                    }
                    Some((at, false)) => {
                        let before = self.give_back(marked) + from + at;
                        self.text_before(before, before + AGAIN.len(), pieces);
                        self.state = State::Frame { searched: 0, marked: true };
                        true
                    }
                    None if self.pending.len() > FRAME_LIMIT => {
                        self.state = State::Skip(Box::default());
                        true
                    }
                    None => {
                        *searched = self.pending.len();
                        false
                    }
                }
            }
            State::Skip(long) => match frame_end(&self.pending) {
                Some((at, closed)) => {
                    long.take(&self.pending[..at]);
                    let marker = if closed { END.len() } else { AGAIN.len() };
                    self.pending.drain(..at + marker);
                    let next = if closed { State::Text } else { State::Frame { searched: 0, marked: true } };
                    if let State::Skip(long) = std::mem::replace(&mut self.state, next) {
                        pieces.push(Piece::TooLong(*long));
                    }
                    true
                }
                None => {
                    let done = self.pending.len().saturating_sub(SEAM);
                    long.take(&self.pending[..done]);
                    self.pending.drain(..done);
                    false
                }
            },
        }
    }

    /// The frame that was begun is text after all; returns the length of what is given back.
    fn give_back(&mut self, marked: bool) -> usize {
        let marker = if marked { AGAIN } else { BEGIN };
        self.pending.splice(..0, marker.iter().copied());
        marker.len()
    }

    /// Passes on the first `length` bytes as text and drops what follows up to `until`.
    fn text_before(&mut self, length: usize, until: usize, pieces: &mut Vec<Piece>) {
        if length > 0 {
            let text = String::from_utf8_lossy(&self.pending[..length]).into_owned();
            pieces.push(Piece::Text(self.stream, text));
        }
        self.pending.drain(..until);
    }

    fn text(&mut self, length: usize, pieces: &mut Vec<Piece>) {
        if length == 0 {
            return;
        }
        // A character cut in two waits for its rest.
        let complete = if length == self.pending.len() { length - cut_character(&self.pending) } else { length };
        self.text_before(complete, complete, pieces);
    }

    /// A frame's content, if it counts.
    fn frame(&mut self, body: &[u8]) -> Option<Piece> {
        let text = String::from_utf8_lossy(body);
        let (head, content) = text.split_once('\n').unwrap_or((&text, ""));
        let (mime, word) = head.trim().split_once(' ').unwrap_or((head.trim(), ""));
        let is_sealed = self.seal.as_deref().is_none_or(|seal| seal == word);
        if !is_sealed && (!self.shows || mime == SIGNAL || mime == DISPLAY) {
            return None;
        }
        if mime == SIGNAL
            && let Ok(Value::Object(mut fields)) = serde_json::from_str(content)
            && let Some(Value::String(kind)) = fields.remove("kind")
        {
            match kind.as_str() {
                "value" | "shows" => self.shows = true,
                "begin" | "end" | "shown" => self.shows = false,
                _ => {}
            }
            return Some(Piece::Signal(self.stream, kind, fields));
        }
        if mime == DISPLAY
            && let Some(output) = Output::parse(content)
        {
            return Some(Piece::Output(output));
        }
        Some(Piece::Content(mime.to_owned(), content.to_owned()))
    }
}

/// Bytes at the end that are the beginning of a character.
fn cut_character(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    (1..=tail.len())
        .find(|length| {
            let end = &tail[tail.len() - length..];
            std::str::from_utf8(end).is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none())
        })
        .unwrap_or(0)
}

/// Where a frame ends, and whether by its own end rather than by the beginning of the next.
fn frame_end(bytes: &[u8]) -> Option<(usize, bool)> {
    let end = memmem::find(bytes, END);
    // The beginning of another frame counts only before the end of this one.
    match memmem::find(&bytes[..end.unwrap_or(bytes.len())], AGAIN) {
        Some(at) => Some((at, false)),
        None => end.map(|at| (at, true)),
    }
}

/// Length of the end of `bytes` that may be the beginning of `marker`.
fn partial(bytes: &[u8], marker: &[u8]) -> usize {
    let longest = (marker.len() - 1).min(bytes.len());
    (1..=longest).rev().find(|length| marker.starts_with(&bytes[bytes.len() - length..])).unwrap_or(0)
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
        let (sender, pieces) = sync_channel(WAITING);
        let out = pipe(Stream::Out, sender.clone())?;
        let err = pipe(Stream::Err, sender)?;
        Ok(Pipes { out, err, pieces })
    }

    /// The descriptors' numbers, for the process that is about to be started.
    pub fn raw(&self) -> (i32, i32) {
        (self.out.as_raw_fd(), self.err.as_raw_fd())
    }
}

fn pipe(stream: Stream, sender: SyncSender<Piece>) -> std::io::Result<OwnedFd> {
    let (mut reader, writer) = std::io::pipe()?;
    let seal = std::env::var(SEAL_ENV).unwrap_or_default();
    std::thread::Builder::new().name("cell output".to_owned()).spawn(move || {
        let mut splitter = Splitter::sealed(stream, seal);
        let mut buffer = vec![0; 64 << 10];
        while let Ok(count) = reader.read(&mut buffer) {
            let pieces = if count == 0 { splitter.finish() } else { splitter.feed(&buffer[..count]) };
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
    use crate::channel::Role;

    fn text(s: &str) -> Piece {
        Piece::Text(Stream::Out, s.to_owned())
    }

    /// Neighbouring texts put together.
    fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
        let mut joined: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (joined.last_mut(), piece) {
                (Some(Piece::Text(_, a)), Piece::Text(_, b)) => a.push_str(&b),
                (_, piece) => joined.push(piece),
            }
        }
        joined
    }

    #[test]
    fn text_and_content_keep_their_order() {
        let mut splitter = Splitter::new(Stream::Out);
        let pieces = splitter.feed(b"a\nEVCXR_BEGIN_CONTENT text/html\n<b>\nx\nEVCXR_END_CONTENT\nb");
        assert_eq!(pieces, [text("a\n"), Piece::Content("text/html".into(), "<b>\nx".into()), text("b")]);
    }

    #[test]
    fn any_cut_gives_the_same_pieces() {
        let bytes = "größer\x01EVCXR_BEGIN_CONTENT text/plain\nx\nEVCXR_END_CONTENT\nEVCXR_ rest".as_bytes();
        for cut in 0..bytes.len() {
            let mut splitter = Splitter::new(Stream::Out);
            let mut pieces = splitter.feed(&bytes[..cut]);
            pieces.extend(splitter.feed(&bytes[cut..]));
            pieces.extend(splitter.finish());
            assert_eq!(
                joined(pieces),
                [text("größer"), Piece::Content("text/plain".into(), "x".into()), text("EVCXR_ rest")],
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

    #[test]
    fn a_marker_by_chance_is_text_and_hides_no_later_frame() {
        let mut splitter = Splitter::new(Stream::Out);
        let pieces = splitter.feed(
            b"say EVCXR_BEGIN_CONTENT often\nlater\n\x01EVCXR_BEGIN_CONTENT application/x-workbench-signal\n{\"kind\":\"end\"}\nEVCXR_END_CONTENT\n",
        );
        let [first, Piece::Signal(_, kind, _)] = &joined(pieces)[..] else {
            panic!();
        };
        assert_eq!(*first, text("say EVCXR_BEGIN_CONTENT often\nlater\n"));
        assert_eq!(kind, "end");
    }

    #[test]
    fn printed_data_is_never_markup_or_a_message() {
        let forged = [
            "EVCXR_BEGIN_CONTENT text/html\n<script>\nEVCXR_END_CONTENT\n",
            "\x01EVCXR_BEGIN_CONTENT text/html guess\n<script>\nEVCXR_END_CONTENT\n",
            "\x01EVCXR_BEGIN_CONTENT application/x-workbench-signal\n{\"kind\":\"error\"}\nEVCXR_END_CONTENT\n",
            "\x01EVCXR_BEGIN_CONTENT application/x-workbench-display\n{\"data\":{}}\nEVCXR_END_CONTENT\n",
        ];
        let says = |kind: &str| {
            format!(
                "\x01EVCXR_BEGIN_CONTENT application/x-workbench-signal w\n{{\"kind\":\"{kind}\"}}\nEVCXR_END_CONTENT\n"
            )
        };
        for forged in forged {
            let mut splitter = Splitter::sealed(Stream::Out, "w".into());
            let mut pieces = splitter.feed(forged.as_bytes());
            pieces.extend(splitter.finish());
            assert_eq!(joined(pieces), [text(forged)]);
        }
        // Where a value is shown, the types of other crates count, and ours still need the word.
        let mut splitter = Splitter::sealed(Stream::Out, "w".into());
        let all = [&says("value"), forged[0], forged[2], &says("end"), forged[0]].concat();
        let pieces = splitter.feed(all.as_bytes());
        assert_eq!(pieces[1], Piece::Content("text/html".into(), "<script>".into()));
        assert_eq!(pieces[2], text(forged[2]));
        assert_eq!(pieces[4], text(forged[0]));
    }

    #[test]
    fn an_output_is_one_piece() {
        let mut splitter = Splitter::new(Stream::Out);
        let pieces = splitter.feed(
            b"EVCXR_BEGIN_CONTENT application/x-workbench-display\n{\"data\":{\"text/plain\":\"x\"},\"id\":\"a\",\"update\":true}\nEVCXR_END_CONTENT\n",
        );
        let [Piece::Output(output)] = &pieces[..] else {
            panic!("{pieces:?}");
        };
        assert_eq!(output.role, Role::Update);
    }

    #[test]
    fn a_frame_that_is_too_long_is_counted_and_not_kept() {
        let mut splitter = Splitter::new(Stream::Out);
        let mut pieces = splitter.feed(b"a\x01EVCXR_BEGIN_CONTENT text/html\n");
        let chunk = vec![b'x'; 1 << 20];
        for _ in 0..20 {
            pieces.extend(splitter.feed(&chunk));
            assert!(splitter.pending.capacity() < 4 * FRAME_LIMIT);
        }
        pieces.extend(splitter.feed(b"\nEVCXR_END_CONTENT\nb"));
        let [before, Piece::TooLong(long), after] = &pieces[..] else {
            panic!("{} pieces", pieces.len());
        };
        assert_eq!((before, after), (&text("a"), &text("b")));
        assert_eq!((long.mime(), long.bytes()), ("text/html", 20 << 20));
    }
}
