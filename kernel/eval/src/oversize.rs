//! Content that is too long to show: what is remembered of it while the rest is thrown away.

use memchr::memmem;

use super::channel::{DISPLAY, FRAME_LIMIT, Output, Role, size};

/// How much of the beginning and of the end is kept: the MIME type, a name, the first lines.
const KEPT: usize = 4 << 10;
/// Longest plain-text form that is shown instead.
const PLAIN_LIMIT: usize = 64 << 10;
const PLAIN_KEY: &[u8] = b"\"text/plain\":\"";

/// A frame whose content is not kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Oversize {
    head: Vec<u8>,
    tail: Vec<u8>,
    total: u64,
    plain: Vec<u8>,
    plain_state: Plain,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Plain {
    #[default]
    Sought,
    Inside {
        escaped: bool,
    },
    Known,
}

impl Oversize {
    /// Takes the next bytes of the frame.
    pub fn take(&mut self, bytes: &[u8]) {
        let room = KEPT.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.look_for_plain(bytes);
        self.total += bytes.len() as u64;
        if bytes.len() >= KEPT {
            self.tail = bytes[bytes.len() - KEPT..].to_vec();
        } else {
            self.tail.extend_from_slice(bytes);
            let surplus = self.tail.len().saturating_sub(KEPT);
            self.tail.drain(..surplus);
        }
    }

    /// The plain-text form of a complete output, wherever in the frame it is. Its key cannot occur inside a JSON string: the
    /// quotes would be escaped there.
    fn look_for_plain(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        if self.plain_state == Plain::Sought {
            // The key may have been cut in two.
            let before = self.tail.len().min(PLAIN_KEY.len() - 1);
            let mut seam = self.tail[self.tail.len() - before..].to_vec();
            seam.extend_from_slice(&bytes[..bytes.len().min(PLAIN_KEY.len())]);
            let start = memmem::find(&seam, PLAIN_KEY)
                .map(|at| (at + PLAIN_KEY.len()).saturating_sub(before))
                .or_else(|| memmem::find(bytes, PLAIN_KEY).map(|at| at + PLAIN_KEY.len()));
            let Some(start) = start else { return };
            self.plain_state = Plain::Inside { escaped: false };
            rest = &bytes[start.min(bytes.len())..];
        }
        while let (Plain::Inside { escaped }, Some((&byte, after))) = (self.plain_state, rest.split_first()) {
            rest = after;
            self.plain_state = match byte {
                b'"' if !escaped => Plain::Known,
                b'\\' if !escaped => Plain::Inside { escaped: true },
                _ => Plain::Inside { escaped: false },
            };
            if self.plain_state != Plain::Known && self.plain.len() < PLAIN_LIMIT {
                self.plain.push(byte);
            }
        }
    }

    /// Its MIME type, behind which the session's word may stand.
    pub fn mime(&self) -> &str {
        let line = self.head.split(|b| matches!(b, b'\n' | b' ')).next().unwrap_or_default();
        std::str::from_utf8(line).map_or("", str::trim)
    }

    /// Length of its content in bytes.
    pub fn bytes(&self) -> u64 {
        let line = self.head.iter().position(|b| *b == b'\n').map_or(0, |at| at as u64 + 1);
        self.total.saturating_sub(line)
    }

    /// What the reader is told.
    pub fn notice(&self) -> String {
        let what = if self.mime() == DISPLAY { "an output" } else { self.mime() };
        format!(
            "[{what} of {} is left out: the limit is {}. Show a part of it, or write it to a file.]",
            size(self.bytes()),
            size(FRAME_LIMIT as u64)
        )
    }

    /// What is shown instead: the plain-text form where there is one, and the notice.
    pub fn stand_in(&self) -> Output {
        let plain = if self.mime() == "text/plain" {
            let start = self.head.iter().position(|b| *b == b'\n').map_or(0, |at| at + 1);
            String::from_utf8_lossy(&self.head[start..]).into_owned()
        } else {
            self.plain_form()
        };
        let text = if plain.is_empty() { self.notice() } else { format!("{plain}\n{}", self.notice()) };
        let mut output = Output::text(text);
        if self.mime() == DISPLAY {
            // The fields after the data: a short object of their own.
            let tail = String::from_utf8_lossy(&self.tail);
            output.id = tail.rfind("\"id\":\"").and_then(|at| {
                let mut strings = serde_json::Deserializer::from_str(&tail[at + 5..]).into_iter::<String>();
                strings.next()?.ok()
            });
            if output.id.is_some() && tail.contains("\"update\":true") {
                output.role = Role::Update;
            }
        }
        output
    }

    fn plain_form(&self) -> String {
        // Cut at the limit, the text may end within a character or an escape: shorten it until it is whole.
        let mut bytes = self.plain.as_slice();
        for _ in 0..12 {
            if let Ok(text) = std::str::from_utf8(bytes)
                && let Ok(plain) = serde_json::from_str::<String>(&format!("\"{text}\""))
            {
                return plain;
            }
            bytes = &bytes[..bytes.len().saturating_sub(1)];
        }
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(frame: &[u8], chunk: usize) -> Oversize {
        let mut long = Oversize::default();
        frame.chunks(chunk).for_each(|bytes| long.take(bytes));
        long
    }

    #[test]
    fn the_plain_form_stands_in_however_the_bytes_are_cut() {
        let frame = format!(
            "{DISPLAY}\n{{\"data\":{{\"text/html\":\"{}\",\"text/plain\":\"a \\\"b\\\"\\nc\"}},\"id\":\"p\\u0031\",\"update\":true}}",
            "<p>\\\"text/plain\\\":\\\"no".repeat(1000)
        );
        for chunk in [1, 7, 1000, 65536] {
            let output = taken(frame.as_bytes(), chunk).stand_in();
            let text = output.data["text/plain"].as_str().unwrap();
            assert!(text.starts_with("a \"b\"\nc\n[an output of "), "{text}");
            assert_eq!((output.id.as_deref(), output.role), (Some("p1"), Role::Update));
        }
    }

    #[test]
    fn other_types_are_named_with_their_size() {
        let output = taken(format!("text/html\n{}", "x".repeat(52_400_000)).as_bytes(), 65536).stand_in();
        let text = output.data["text/plain"].as_str().unwrap();
        assert!(text.starts_with("[text/html of 52.4 MB is left out"), "{text}");
    }

    #[test]
    fn a_plain_form_cut_within_a_character_stays_readable() {
        let frame = format!("{DISPLAY}\n{{\"data\":{{\"text/plain\":\"{}\"}}}}", "ä\\n".repeat(40_000));
        let text = taken(frame.as_bytes(), 4096).stand_in().data["text/plain"].to_string();
        assert!(text.contains("ä\\nä"), "{}", &text[..40]);
    }
}
