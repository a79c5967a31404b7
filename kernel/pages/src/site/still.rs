//! Drawings that are pictures and nothing else. As a file of its own a drawing would run the scripts in it.

/// Elements that are drawn.
const DRAWN: [&str; 23] = [
    "?xml",
    "svg",
    "g",
    "defs",
    "symbol",
    "use",
    "path",
    "rect",
    "circle",
    "ellipse",
    "line",
    "polyline",
    "polygon",
    "text",
    "tspan",
    "title",
    "desc",
    "clipPath",
    "marker",
    "linearGradient",
    "radialGradient",
    "stop",
    "image",
];

/// Whether a drawing is elements that are drawn, and nothing that runs, is loaded or leads elsewhere.
pub fn is_still(drawing: &str) -> bool {
    let mut parts = drawing.split('<');
    let before = parts.next().unwrap_or_default();
    before.trim().is_empty() && parts.all(|part| is_drawn(part).is_some())
}

/// Something if a tag with what follows it, without its `<`, is of an element that is drawn, with attributes that do nothing.
fn is_drawn(part: &str) -> Option<()> {
    let (tag, _) = part.split_once('>')?;
    let name = tag.trim_start_matches('/').split(char::is_whitespace).next()?;
    let name = name.trim_end_matches('/');
    if !DRAWN.contains(&name) {
        return None;
    }
    // Values between quotes stand at odd places, each behind its name.
    let mut parts = tag.split('"');
    let mut before = parts.next()?;
    while let Some(value) = parts.next() {
        let attribute = before.trim_end().strip_suffix('=')?.trim_end();
        let attribute = attribute.rsplit(char::is_whitespace).next()?;
        let leads = attribute == "href" || attribute.ends_with(":href");
        let inside = value.starts_with('#') || (name == "image" && value.starts_with("data:image/"));
        if attribute.starts_with("on") || (leads && !inside) || before.contains('\'') {
            return None;
        }
        before = parts.next()?;
    }
    (!before.contains('\'')).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_still_and_what_runs_loads_or_leads_away_is_not() {
        for drawing in [
            "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"><title>the document's</title></svg>",
            "<svg><defs><path id=\"a\" d=\"M0 0\"/></defs><use xlink:href=\"#a\" x=\"1\"/></svg>",
            "<svg><image href=\"data:image/png;base64,AA\" width=\"1\"/>\n</svg>",
        ] {
            assert!(is_still(drawing), "{drawing}");
        }
        for drawing in [
            "<svg><script>alert(1)</script></svg>",
            "<svg onload=\"alert(1)\"/>",
            "<svg onload = 'alert(1)'/>",
            "<svg a=\">\" onload=\"alert(1)\"/>",
            "<svg><a href=\"javascript:alert(1)\"><text>x</text></a></svg>",
            "<svg><use x:href=\"https://a.org/x.svg#a\"/></svg>",
            "<svg><image href=\"https://a.org/x.png\"/></svg>",
            "<svg><foreignObject><p>x</p></foreignObject></svg>",
            "<svg><set attributeName=\"href\" to=\"x\"/></svg>",
            "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg/>",
            "<svg><style>@import \"x\";</style></svg>",
            "<svg",
            "words",
        ] {
            assert!(!is_still(drawing), "{drawing}");
        }
    }
}
