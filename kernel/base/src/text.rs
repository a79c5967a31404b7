//! Words on their way to a reader, whatever page or terminal they go to.

pub use workbench_record::words::{agree, count};

/// Text inside an element or an attribute of HTML.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            _ => out.push(letter),
        }
    }
    out
}

/// Last `count` lines of a program's output, for a message.
pub fn tail(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let from = lines.len().saturating_sub(count);
    lines[from..].iter().map(|line| format!("\n  | {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(html("a < b & \"c\" > 'd'"), "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;");
    }

    #[test]
    fn the_tail_skips_blank_lines() {
        assert_eq!(tail("a\n\nb\nc\n", 2), "\n  | b\n  | c");
        assert_eq!(tail("", 2), "");
    }
}
