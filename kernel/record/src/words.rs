//! The words of the registry: plain text with equations between dollars. And one and many, as sentences have them.

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Words.
    Words(&'a str),
    /// An equation with its dollars.
    Math(&'a str),
}

/// Words and equations in turn. A dollar that is never closed is a word.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(open) = rest.find('$') {
        let mark = if rest[open..].starts_with("$$") { "$$" } else { "$" };
        let Some(length) = rest[open + mark.len()..].find(mark) else {
            break;
        };
        if open > 0 {
            found.push(Piece::Words(&rest[..open]));
        }
        let end = open + 2 * mark.len() + length;
        found.push(Piece::Math(&rest[open..end]));
        rest = &rest[end..];
    }
    if !rest.is_empty() {
        found.push(Piece::Words(rest));
    }
    found
}

/// Plain words with equations as Markdown. Not every reader pairs dollars as we do: what it takes for words is no tag and no link either.
pub fn markdown(text: &str) -> String {
    let written = |piece: Piece| match piece {
        Piece::Math(math) => inert(math),
        Piece::Words(words) => escaped(words, |c| "\\*_`[]<>#|{}$~!".contains(c).then(|| format!("\\{c}"))),
    };
    pieces(text).into_iter().map(written).collect()
}

/// An equation in which nothing looks like a tag or a link: a blank, which says nothing in an equation, stands between.
fn inert(math: &str) -> String {
    let mut out = String::with_capacity(math.len());
    let mut letters = math.chars().peekable();
    while let Some(letter) = letters.next() {
        out.push(letter);
        let apart = letters.peek().is_some_and(|next| match letter {
            '<' => next.is_ascii_alphabetic() || "/!?".contains(*next),
            ']' => "([:".contains(*next),
            _ => false,
        });
        if apart {
            out.push(' ');
        }
    }
    out
}

/// `3 rows`, `1 row`.
pub fn count(n: usize, one: &str) -> String {
    format!("{n} {one}{}", agree(n, "", "s"))
}

/// The word that goes with so many: `one` with 1, `many` with any other number.
pub fn agree<'a>(n: usize, one: &'a str, many: &'a str) -> &'a str {
    if n == 1 { one } else { many }
}

/// Text in which `change` gives what some characters become.
pub fn escaped(text: &str, change: impl Fn(char) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match change(c) {
            Some(other) => out += &other,
            None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!(
            (count(1, "row"), count(2, "row"), count(0, "row")),
            ("1 row".into(), "2 rows".into(), "0 rows".into())
        );
        assert_eq!((agree(1, "has", "have"), agree(0, "has", "have")), ("has", "have"));
    }

    #[test]
    fn equations_are_left_alone_and_words_are_escaped() {
        let text = r"If $a_1<2$ then 5 % of *x_2* & $$\sum_i$$ cost $3";
        assert_eq!(markdown(text), r"If $a_1<2$ then 5 % of \*x\_2\* & $$\sum_i$$ cost \$3");
        let hostile = r"$\text{<img src=x onerror=f()>}$ and $a<b$, $[x](javascript:f) [y][z] [z]: u$";
        let shown = r"$\text{< img src=x onerror=f()>}$ and $a< b$, $[x] (javascript:f) [y] [z] [z] : u$";
        assert_eq!(markdown(hostile), shown);
        assert_eq!(pieces("$x$"), [Piece::Math("$x$")]);
        assert!(pieces("").is_empty());
    }
}
