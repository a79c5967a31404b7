//! Check that compiles and says that it is not written yet, with what was said of its claim and an example to write over.

use crate::inert::inert;
use crate::lint::UNWRITTEN;

/// What is known of a claim that begins.
pub struct Skeleton<'a> {
    pub id: &'a str,
    /// The title of its paper.
    pub title: &'a str,
    pub place: &'a str,
    pub says: &'a str,
    /// The parameters that the document gives; empty if none were said.
    pub setup: &'a str,
    /// What the check compares; empty if it was not said.
    pub check: &'a str,
}

/// Its text with everything filled in and the example alive: a test of the ledger runs it.
const TEMPLATE: &str = include_str!("../../../assets/project/check.rs.in");
/// Columns of a comment.
const WIDTH: usize = 110;

impl Skeleton<'_> {
    /// The file, with the example as a comment.
    pub fn text(&self) -> String {
        let (head, run) = TEMPLATE.split_once("fn run(").unwrap_or((TEMPLATE, ""));
        let head = head.replace("{id}", self.id);
        let head = match self.setup {
            "" => head.replace("&[\"{setup}\"]", "&[]"),
            setup => head.replace("\"{setup}\"", &format!("{setup:?}")),
        };
        let tested = match self.check {
            "" => "HOW IT IS TESTED. Refuted if WHAT HAPPENS.".to_string(),
            check if check.to_lowercase().contains("refuted") => sentence(check),
            check => format!("{} Refuted if WHAT HAPPENS.", sentence(check)),
        };
        let says = sentence(self.says);
        let words =
            [("{check}", tested.as_str()), ("{says}", says.as_str()), ("{place}", self.place), ("{title}", self.title)];
        // Comments alone have these words.
        let told = |line: &str| match words.iter().any(|(word, _)| line.contains(word)) {
            true => comment(&inert(&filled(line.trim_start_matches("//! "), &words))),
            false => format!("{line}\n"),
        };
        let mut text: String = head.lines().map(told).collect();
        text += "fn run(";
        for (at, line) in run.lines().enumerate() {
            match line.trim_start() {
                _ if at == 0 => text += line,
                "Ok(())" => text += &format!("    {UNWRITTEN}\n{line}"),
                "}" if line == "}" => text += line,
                code if code.starts_with("//") => text += line,
                _ => text += &format!("    // {}", &line[4..]),
            }
            text.push('\n');
        }
        text
    }
}

/// A text that ends as a sentence does.
fn sentence(text: &str) -> String {
    format!("{text}{}", if text.ends_with(['.', '!', '?']) { "" } else { "." })
}

/// A text with its words filled in, and nothing in what was filled in.
pub fn filled(text: &str, words: &[(&str, &str)]) -> String {
    let first = words.iter().filter_map(|(word, said)| Some((text.find(word)?, word, said))).min();
    first.map_or(text.to_string(), |(at, word, said)| {
        format!("{}{said}{}", &text[..at], filled(&text[at + word.len()..], words))
    })
}

/// A text as lines of a module's comment.
fn comment(text: &str) -> String {
    let mut lines = vec![String::from("//!")];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() == 3 || line.chars().count() + word.chars().count() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("//! {word}")),
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Skeleton =
        Skeleton { id: "a/eq-1", title: "On {says}", place: "Eq. 1", says: "Rare.", setup: "", check: "" };

    #[test]
    fn what_was_said_of_the_claim_stands_in_its_check() {
        let text = PLAIN.text();
        assert!(
            text.starts_with("//! Eq. 1 of \"On {says}\".\n//!\n//! **Claim** (`a/eq-1`). Rare.\n//!\n//! HOW IT IS"),
            "{text}"
        );
        assert!(text.contains("    protocol: &[],\n"), "{text}");
        let check = "Counts beside 1/k".repeat(20);
        let text = Skeleton { setup: "n = \"100\"", check: &check, ..PLAIN }.text();
        assert!(text.contains("protocol: &[\"n = \\\"100\\\"\"],"), "{text}");
        assert!(text.contains("beside 1/k. Refuted if WHAT HAPPENS.\n"), "{text}");
        let text = Skeleton { check: "Sums. Refuted if they differ.", ..PLAIN }.text();
        assert!(text.contains("//! Sums. Refuted if they differ.\n") && !text.contains("WHAT HAPPENS"), "{text}");
    }

    #[test]
    fn nothing_that_was_said_is_more_than_words_on_its_page() {
        use crate::inert::tests::{WORST, live, page};
        for text in [WORST.join(" "), WORST.concat()] {
            let made = Skeleton { title: &text, place: &text, says: &text, check: &text, ..PLAIN }.text();
            let (comments, _) = made.split_once("\nuse ").unwrap();
            let page = page(comments);
            assert!(page.contains("Refuted if WHAT HAPPENS."), "{page}");
            assert_eq!(live(&page), [""; 0], "{page}");
        }
    }

    #[test]
    fn the_example_is_a_comment_that_is_code_when_its_marks_are_taken_away() {
        let text = PLAIN.text();
        let alive = text.replace(&format!("    {UNWRITTEN}\n"), "");
        let (head, run) = alive.split_once("fn run(").unwrap();
        let run: Vec<String> = run
            .lines()
            .map(|line| match line.strip_prefix("    // ") {
                Some(code) if !code.starts_with(char::is_uppercase) => format!("    {code}"),
                _ => line.to_string(),
            })
            .collect();
        let (_, of_the_template) = TEMPLATE.split_once("fn run(").unwrap();
        assert_eq!(run.join("\n") + "\n", of_the_template);
        let used = |name: &str| head.contains(&format!("{name}, ")) || head.contains(&format!("{name}}}"));
        assert!(["Check", "Done", "Margin", "Sheet"].into_iter().all(used), "{head}");
        assert!(head.contains("pub const ROUNDING: Margin = "), "{head}");
    }
}
