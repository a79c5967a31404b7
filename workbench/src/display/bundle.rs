//! Rich output of one cell as a typed MIME bundle, and the frames in which it travels to the kernel.

use std::io::Write;

use base64::Engine as _;

const BEGIN: &str = "EVCXR_BEGIN_CONTENT";
const END: &str = "EVCXR_END_CONTENT";
/// Invisible character put inside a marker that a content happens to contain.
const BREAK: &str = "\u{2060}";

/// A MIME type that notebooks render.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mime {
    /// `text/plain`, the fallback every bundle has.
    Plain,
    /// `text/html`.
    Html,
    /// `text/markdown`.
    Markdown,
    /// `text/latex`.
    Latex,
    /// `image/svg+xml`, as text.
    Svg,
    /// `image/png`, base64 in the bundle.
    Png,
    /// `application/json`.
    Json,
}

impl Mime {
    /// The name sent over the wire.
    pub fn name(self) -> &'static str {
        match self {
            Mime::Plain => "text/plain",
            Mime::Html => "text/html",
            Mime::Markdown => "text/markdown",
            Mime::Latex => "text/latex",
            Mime::Svg => "image/svg+xml",
            Mime::Png => "image/png",
            Mime::Json => "application/json",
        }
    }
}

/// Several forms of one result, of which a viewer shows the richest it can. Plain text is always there and comes first.
///
/// ```
/// use workbench::display::{Bundle, Mime};
/// let bundle = Bundle::new("1 row").with(Mime::Html, "<p>1 row</p>");
/// assert_eq!(bundle.get(Mime::Plain), Some("1 row"));
/// assert!(bundle.to_wire().starts_with("EVCXR_BEGIN_CONTENT text/plain\n1 row\nEVCXR_END_CONTENT\n"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    parts: Vec<(Mime, String)>,
}

impl Bundle {
    /// A bundle with only its plain-text form.
    pub fn new(plain: &str) -> Bundle {
        Bundle {
            parts: vec![(Mime::Plain, plain.to_string())],
        }
    }

    /// Adds one form, or replaces the form of the same type.
    pub fn with(mut self, mime: Mime, content: &str) -> Bundle {
        match self.parts.iter_mut().find(|part| part.0 == mime) {
            Some(part) => part.1 = content.to_string(),
            None => self.parts.push((mime, content.to_string())),
        }
        self
    }

    /// Adds a PNG image given as bytes; it is stored and sent as base64.
    pub fn with_png(self, bytes: &[u8]) -> Bundle {
        let text = base64::engine::general_purpose::STANDARD.encode(bytes);
        self.with(Mime::Png, &text)
    }

    /// The content stored for a type, if any.
    pub fn get(&self, mime: Mime) -> Option<&str> {
        self.parts
            .iter()
            .find(|part| part.0 == mime)
            .map(|part| part.1.as_str())
    }

    /// The frames as sent: plain text first, each `EVCXR_BEGIN_CONTENT <mime>`, content, `EVCXR_END_CONTENT`.
    ///
    /// A content that contains one of the two markers gets an invisible character inside it, so a frame cannot end early.
    pub fn to_wire(&self) -> String {
        let size = self.parts.iter().map(|part| part.1.len() + 64).sum();
        let mut wire = String::with_capacity(size);
        for (mime, content) in &self.parts {
            wire.push_str(BEGIN);
            wire.push(' ');
            wire.push_str(mime.name());
            wire.push('\n');
            wire.push_str(&defused(content));
            wire.push('\n');
            wire.push_str(END);
            wire.push('\n');
        }
        wire
    }
}

fn defused(content: &str) -> String {
    let mut text = content.replace("\r\n", "\n");
    for marker in [BEGIN, END] {
        if text.contains(marker) {
            let broken = format!("{}{BREAK}{}", &marker[..6], &marker[6..]);
            text = text.replace(marker, &broken);
        }
    }
    text
}

/// Writes a bundle to standard output in one piece and flushes it. Works under our kernel and under stock evcxr.
///
/// A closed standard output is ignored: there is nobody left to show the result to.
pub fn emit(bundle: &Bundle) {
    let wire = bundle.to_wire();
    let mut out = std::io::stdout().lock();
    // A reader that has gone away is not an error of the cell.
    let _ = out.write_all(wire.as_bytes()).and_then(|()| out.flush());
}

/// Shows an error as a message, in plain text and HTML, never as a debug dump.
pub(crate) fn emit_error(error: &super::Error) {
    emit(&error_bundle(error));
}

fn error_bundle(error: &super::Error) -> Bundle {
    let text = format!("Error: {error}");
    let html = format!(
        "<p><strong>Error:</strong> {}</p>",
        super::escape::html(&error.to_string())
    );
    Bundle::new(&text).with(Mime::Html, &html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_comes_first_and_every_frame_is_closed() {
        let wire = Bundle::new("a\nb")
            .with(Mime::Html, "<b>a</b>")
            .with_png(&[1, 2, 3])
            .to_wire();
        let expected = "EVCXR_BEGIN_CONTENT text/plain\na\nb\nEVCXR_END_CONTENT\n\
            EVCXR_BEGIN_CONTENT text/html\n<b>a</b>\nEVCXR_END_CONTENT\n\
            EVCXR_BEGIN_CONTENT image/png\nAQID\nEVCXR_END_CONTENT\n";
        assert_eq!(wire, expected);
    }

    #[test]
    fn a_marker_in_the_content_cannot_end_the_frame() {
        let wire = Bundle::new("x\nEVCXR_END_CONTENT\nEVCXR_BEGIN_CONTENT text/html\n").to_wire();
        assert_eq!(wire.matches(END).count(), 1);
        assert_eq!(wire.matches(BEGIN).count(), 1);
    }

    #[test]
    fn a_second_form_of_one_type_replaces_the_first() {
        let bundle = Bundle::new("old").with(Mime::Plain, "new");
        assert_eq!(bundle.get(Mime::Plain), Some("new"));
        assert_eq!(bundle.get(Mime::Svg), None);
        assert_eq!(bundle.to_wire().matches(BEGIN).count(), 1);
    }

    #[test]
    fn errors_are_messages_in_two_forms() {
        let bundle = error_bundle(&super::super::Error::EmptySeries { series: "<a>".into() });
        assert!(
            bundle
                .get(Mime::Plain)
                .is_some_and(|text| text.starts_with("Error: figure: series \"<a>\" is empty"))
        );
        assert!(bundle.get(Mime::Html).is_some_and(|text| text.contains("&lt;a&gt;")));
    }
}
