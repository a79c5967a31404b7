//! The MIME types of a bundle.

use super::Error;

/// A MIME type: those that every notebook renders by name, and any other.
///
/// ```
/// use workbench_display::Mime;
/// assert_eq!(Mime::Html.name(), "text/html");
/// let plot = Mime::parse("application/vnd.vegalite.v5+json")?;
/// assert_eq!(plot.name(), "application/vnd.vegalite.v5+json");
/// assert_eq!(Mime::parse("text/html")?, Mime::Html);
/// # Ok::<(), workbench_display::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    /// Any other type, made with [`Mime::parse`].
    Other(OtherMime),
}

/// The name of a type that [`Mime`] has no variant for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OtherMime(String);

impl Mime {
    /// The type of this name.
    ///
    /// **Errors**: [`Error::Mime`] unless the name is `type/subtype` of letters, digits and `! # $ & - ^ _ . +`.
    pub fn parse(name: &str) -> Result<Mime, Error> {
        let known = [Mime::Plain, Mime::Html, Mime::Markdown, Mime::Latex, Mime::Svg, Mime::Png, Mime::Json];
        let lower = name.to_ascii_lowercase();
        if let Some(mime) = known.into_iter().find(|mime| mime.name() == lower) {
            return Ok(mime);
        }
        // RFC 6838, section 4.2.
        let part = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_alphanumeric())
                && text.len() <= 127
                && text.chars().all(|c| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c))
        };
        match lower.split_once('/') {
            Some((kind, subtype)) if part(kind) && part(subtype) => Ok(Mime::Other(OtherMime(lower))),
            _ => Err(Error::Mime { name: name.to_string() }),
        }
    }

    /// The name sent over the wire.
    pub fn name(&self) -> &str {
        match self {
            Mime::Plain => "text/plain",
            Mime::Html => "text/html",
            Mime::Markdown => "text/markdown",
            Mime::Latex => "text/latex",
            Mime::Svg => "image/svg+xml",
            Mime::Png => "image/png",
            Mime::Json => "application/json",
            Mime::Other(other) => &other.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back_and_bad_ones_are_refused() {
        for name in ["text/plain", "image/png", "application/x-workbench+json", "video/mp4"] {
            assert_eq!(Mime::parse(name).unwrap().name(), name);
        }
        assert_eq!(Mime::parse("Image/SVG+xml").unwrap(), Mime::Svg);
        for name in ["", "html", "text/", "/html", "text/html\nX", "a b/c", "text/html; charset=utf-8", "a/b/c"] {
            assert!(matches!(Mime::parse(name), Err(Error::Mime { .. })), "{name}");
        }
    }
}
