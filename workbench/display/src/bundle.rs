//! Rich output of one cell as a typed MIME bundle, and the frames in which it travels to the kernel.

use base64::Engine as _;

use super::Mime;
use workbench_ground::channel::{self, BEGIN, END, Host};

/// Invisible character put inside a marker that a content happens to contain.
const BREAK: &str = "\u{2060}";

/// Several forms of one result, of which a viewer shows the richest it can. Plain text is always there and comes first.
///
/// ```
/// use workbench_display::{Bundle, Mime};
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
        Bundle { parts: vec![(Mime::Plain, plain.to_string())] }
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
        self.with_bytes(Mime::Png, bytes)
    }

    /// Adds one form given as bytes, of an image, a font or a video; it is stored and sent as base64.
    pub fn with_bytes(self, mime: Mime, bytes: &[u8]) -> Bundle {
        let text = base64::engine::general_purpose::STANDARD.encode(bytes);
        self.with(mime, &text)
    }

    /// The content stored for a type, if any.
    pub fn get(&self, mime: Mime) -> Option<&str> {
        self.parts.iter().find(|part| part.0 == mime).map(|part| part.1.as_str())
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

    /// The bundle as one line of JSON: an output of its own, or the display `id` shown for the first time or updated.
    pub(crate) fn to_display(&self, id: Option<(&str, bool)>) -> String {
        let data: serde_json::Map<String, serde_json::Value> =
            self.parts.iter().map(|(mime, content)| (mime.name().to_string(), on_the_wire(mime, content))).collect();
        let update = id.is_some_and(|(_, update)| update);
        let id = id.map(|(id, _)| id);
        serde_json::json!({ "data": data, "metadata": {}, "id": id, "update": update }).to_string()
    }
}

/// JSON travels as JSON, everything else as text.
fn on_the_wire(mime: &Mime, content: &str) -> serde_json::Value {
    let is_json = *mime == Mime::Json || mime.name().ends_with("+json");
    let parsed = is_json.then(|| serde_json::from_str(content).ok()).flatten();
    parsed.unwrap_or_else(|| content.into())
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

/// Shows a bundle as an output of the cell, in one piece and in order with printed text.
///
/// Our kernel gets the bundle whole, so a cell can have any number of outputs; stock evcxr gets one frame for each form and keeps the
/// last of each type. A closed standard output is ignored: there is nobody left to show the result to.
pub fn emit(bundle: &Bundle) {
    match channel::host() {
        Host::Kernel => channel::display(&bundle.to_display(None)),
        Host::Stock | Host::Plain => channel::write(&bundle.to_wire()),
    }
}

/// Shows what could be made, or why it could not.
pub(crate) fn show(made: Result<Bundle, super::Error>) {
    match made {
        Ok(bundle) => emit(&bundle),
        Err(error) => emit_error(&error),
    }
}

/// Shows an error as a message, in plain text and HTML, never as a debug dump. The cell runs to its end and keeps its variables,
/// but its reply is an error: what should stand in this place is missing.
pub(crate) fn emit_error(error: &super::Error) {
    emit(&error_bundle(error));
    let fields = [("name", "NotShown".into()), ("message", format!("a result could not be shown: {error}").into())];
    channel::signal("error", &fields);
}

fn error_bundle(error: &super::Error) -> Bundle {
    let text = format!("Error: {error}");
    let html = format!("<p><strong>Error:</strong> {}</p>", super::escape::html(&error.to_string()));
    Bundle::new(&text).with(Mime::Html, &html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_comes_first_and_every_frame_is_closed() {
        let wire = Bundle::new("a\nb").with(Mime::Html, "<b>a</b>").with_png(&[1, 2, 3]).to_wire();
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
    fn one_line_of_json_carries_everything() {
        let bundle = Bundle::new("a\nEVCXR_END_CONTENT\n\"b\"").with(Mime::parse("a/b").unwrap(), "é");
        let line = bundle.to_display(Some(("x-1", true)));
        assert!(!line.contains('\n'));
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(json["data"]["text/plain"], "a\nEVCXR_END_CONTENT\n\"b\"");
        assert_eq!(json["data"]["a/b"], "é");
        let tree = Bundle::new("t").with(Mime::Json, "{\"a\": [1]}").to_display(None);
        assert!(tree.contains("\"application/json\":{\"a\":[1]}"), "{tree}");
        let broken = Bundle::new("t").with(Mime::Json, "{").to_display(None);
        assert!(broken.contains("\"application/json\":\"{\""), "{broken}");
        assert_eq!((json["id"].as_str(), json["update"].as_bool()), (Some("x-1"), Some(true)));
        let json: serde_json::Value = serde_json::from_str(&bundle.to_display(None)).unwrap();
        assert!(json["id"].is_null() && json["update"] == false && json["metadata"].is_object());
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
        assert!(bundle.get(Mime::Plain).is_some_and(|text| text.starts_with("Error: figure: series \"<a>\" is empty")));
        assert!(bundle.get(Mime::Html).is_some_and(|text| text.contains("&lt;a&gt;")));
    }
}
