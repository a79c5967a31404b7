//! Drawings in fewer bytes: the same elements with the same numbers, moves told from where the pen stands.
//!
//! A dashed line and a cloud of points are hundreds of moves, and a site has hundreds of drawings.

/// The drawing without line breaks between its elements, and with each move of a path in the shorter of its two forms.
pub fn shorter(svg: &str) -> String {
    let mut out = String::with_capacity(svg.len());
    for line in svg.split('\n') {
        if !(out.is_empty() || out.ends_with('>') && (line.is_empty() || line.starts_with('<'))) {
            out.push('\n');
        }
        out.push_str(line);
    }
    let mut parts = out.split(" d=\"");
    let mut shorter = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (path, rest) = part.split_once('"').unwrap_or((part, ""));
        shorter.push_str(" d=\"");
        shorter.push_str(relative(path).as_deref().unwrap_or(path));
        if part.contains('"') {
            shorter.push('"');
        }
        shorter.push_str(rest);
    }
    shorter
}

/// A path of moves and straight lines; nothing of any other, whose pen is not followed here.
fn relative(path: &str) -> Option<String> {
    let (mut out, mut rest) = (String::with_capacity(path.len()), path);
    let (mut at, mut begin) = ([0i64; 2], [0i64; 2]);
    while let Some(command) = rest.chars().next() {
        let end = rest[1..].find(|c: char| c.is_ascii_alphabetic()).map_or(rest.len(), |end| end + 1);
        let (own, after) = rest.split_at(end);
        rest = after;
        let numbers = own[1..].replace('-', " -").split_whitespace().map(thousandths).collect::<Option<Vec<i64>>>()?;
        match (command, numbers.as_slice()) {
            ('M', &[x, y]) => {
                let near = format!("m{}", joined([x - at[0], y - at[1]]));
                out += if out.is_empty() || own.len() <= near.len() { own } else { &near };
                (at, begin) = ([x, y], [x, y]);
                continue;
            }
            ('h', steps) => at[0] += steps.iter().sum::<i64>(),
            ('v', steps) => at[1] += steps.iter().sum::<i64>(),
            ('l', steps) if steps.len() % 2 == 0 => {
                steps.chunks_exact(2).for_each(|step| at = [at[0] + step[0], at[1] + step[1]]);
            }
            ('z' | 'Z', []) => at = begin,
            _ => return None,
        }
        out += own;
    }
    Some(out)
}

/// A number of at most three digits behind the point, exactly.
fn thousandths(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if part.len() > 3 || whole.len() > 9 || digits.is_empty() || !plain(whole) || !plain(part) {
        return None;
    }
    let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let part: i64 = format!("{part:0<3}").parse().ok()?;
    Some(sign * (1000 * whole + part))
}

fn joined([x, y]: [i64; 2]) -> String {
    let written = |number: i64| {
        let text = format!("{}.{:03}", number.abs() / 1000, number.abs() % 1000);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        let short = if text.starts_with("0.") { &text[1..] } else { text };
        format!("{}{short}", if number < 0 { "-" } else { "" })
    };
    let (x, y) = (written(x), written(y));
    format!("{x}{}{y}", if y.starts_with('-') { "" } else { " " })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_told_from_where_the_pen_stands_if_that_is_shorter() {
        for (path, wanted) in [
            ("M78 150h3M84 150h3M90 150h3", Some("M78 150h3m3 0h3m3 0h3")),
            ("M436.5 186.1h0M454.1 247.5h0", Some("M436.5 186.1h0m17.6 61.4h0")),
            ("M10.5 20v3M9.75 18v3l1-1-1 1zM9 18h1", Some("M10.5 20v3m-.75-5v3l1-1-1 1zM9 18h1")),
            ("M1 2h0M111.1 222.2l2 3M111.1 221h1", Some("M1 2h0M111.1 222.2l2 3m-2-4.2h1")),
            ("M1 2q3 4 5 6M100 100h1", None),
            ("M1 2L3 4", None),
            ("M1.2345 2h1", None),
            ("M1e5 2h1", None),
        ] {
            assert_eq!(relative(path).as_deref(), wanted, "{path}");
        }
    }

    #[test]
    fn a_drawing_keeps_its_elements_and_words() {
        let svg = "<svg>\n<title>two\nlines</title>\n\n<path stroke=\"red\" d=\"M78 150h3M84 150h3\"/>\n<path id=\"a\" d=\"M1 2q3 4 5 6z\"/>\n</svg>\n";
        let wanted = "<svg><title>two\nlines</title><path stroke=\"red\" d=\"M78 150h3m3 0h3\"/><path id=\"a\" d=\"M1 2q3 4 5 6z\"/></svg>";
        assert_eq!(shorter(svg), wanted);
        assert_eq!(shorter("<svg d=\"M1"), "<svg d=\"M1");
    }
}
