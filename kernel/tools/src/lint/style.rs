//! Style of a notebook, in numbers: minutes, words of prose for each line of code, length of cells and lines, what stands around cards.

use workbench_record::Registry;

use workbench_base::notebook::Notebook;
use workbench_queries::links::links;

/// Columns of a line of code, at most.
pub const COLUMNS: usize = 100;
/// Words of prose for each line of code, at least.
pub const WORDS: f64 = 9.0;
/// Lines of code in a cell: the median, the 90th percentile and the longest, at most.
pub const LINES: [usize; 3] = [6, 15, 20];
/// Words of prose that are read in a minute, with time for the cards and figures between them.
pub const PACE: usize = 120;
/// Minutes that a notebook takes to read, at most.
pub const MINUTES: usize = 20;
/// Numbers of the record in a paragraph, at most: what is more stands in the card, or in a table.
pub const NUMBERS: usize = 3;

/// What there is to count in a notebook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Words of prose; a formula is one.
    pub words: usize,
    /// Those of them that are not folded away.
    pub read: usize,
    /// Lines of each code cell that has any; blank lines and pure comments do not count.
    pub cells: Vec<usize>,
    /// Lines of code of more than [`COLUMNS`] columns.
    pub wide: usize,
    /// Links in prose.
    pub links: usize,
}

impl Style {
    /// Counts.
    pub fn of(notebook: &Notebook) -> Style {
        let mut style = Style::default();
        for (_, text) in notebook.texts() {
            style.words += words(&text);
            style.read += words(&without(&text, "<details>", "</details>"));
            style.links += text.matches("](").count();
        }
        for cell in notebook.cells() {
            let lines: Vec<&str> = cell.source.lines().filter(|line| counts(line)).collect();
            style.wide += lines.iter().filter(|line| line.chars().count() > COLUMNS).count();
            if !lines.is_empty() {
                style.cells.push(lines.len());
            }
        }
        style.cells.sort_unstable();
        style
    }

    /// Both together.
    pub fn and(&self, other: &Style) -> Style {
        let mut cells = [self.cells.as_slice(), &other.cells].concat();
        cells.sort_unstable();
        Style {
            words: self.words + other.words,
            read: self.read + other.read,
            cells,
            wide: self.wide + other.wide,
            links: self.links + other.links,
        }
    }

    /// Lines of code.
    pub fn lines(&self) -> usize {
        self.cells.iter().sum()
    }

    /// Words of prose for each line of code.
    pub fn ratio(&self) -> f64 {
        self.words as f64 / self.lines().max(1) as f64
    }

    /// Minutes of reading, to the nearest.
    pub fn minutes(&self) -> usize {
        (self.read + PACE / 2) / PACE
    }

    /// Median, 90th percentile and longest of the cells.
    pub fn spread(&self) -> [usize; 3] {
        let at = |part: usize| {
            let place = (self.cells.len() * part).div_ceil(10).saturating_sub(1);
            self.cells.get(place).copied().unwrap_or(0)
        };
        [at(5), at(9), at(10)]
    }

    /// What is beyond the limits, in words.
    pub fn beyond(&self) -> Vec<String> {
        let mut beyond = Vec::new();
        if self.ratio() < WORDS {
            beyond.push(format!("{:.1} words for each line of code, at least {WORDS}", self.ratio()));
        }
        if self.minutes() > MINUTES {
            beyond.push(format!("{} minutes to read, at most {MINUTES}: two notebooks would be read", self.minutes()));
        }
        for ((name, lines), limit) in
            ["median", "90th percentile of the", "longest"].iter().zip(self.spread()).zip(LINES)
        {
            if lines > limit {
                beyond.push(format!("{name} cell {lines} lines, at most {limit}"));
            }
        }
        beyond
    }
}

/// Lines of code that are too long.
pub fn wide(notebook: &Notebook) -> Vec<String> {
    let mut wide = Vec::new();
    for cell in notebook.cells() {
        for (number, line) in (1..).zip(cell.source.lines()).filter(|(_, line)| counts(line)) {
            let columns = line.chars().count();
            if columns > COLUMNS {
                wide.push(format!("cell {}, line {number}: {columns} columns, at most {COLUMNS}", cell.id));
            }
        }
    }
    wide
}

fn counts(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with("//")
}

/// Words of a text of Markdown; a formula is one, and comments and targets of links are none.
fn words(text: &str) -> usize {
    let text = without(text, "<!--", "-->");
    let mut prose = String::new();
    // Pieces between dollar signs: prose and formulas in turn.
    for (at, piece) in text.replace("$$", "$").split('$').enumerate() {
        prose += if at % 2 == 0 { piece } else { " formula " };
    }
    let prose = without_targets(&prose);
    let begins = |word: &&str| word.chars().any(char::is_alphanumeric);
    prose.split(|c: char| c.is_whitespace() || c == '|').filter(begins).count()
}

/// A text without the targets of its links. A title may hold brackets, and ends with its quotation mark.
fn without_targets(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, target)) = rest.split_once("](") {
        out += before;
        out.push(' ');
        let bracket = target.find(')').unwrap_or(target.len());
        let title = target[..bracket].find('"').and_then(|quote| {
            let end = target[quote + 1..].find("\")")?;
            Some(quote + 1 + end + 1)
        });
        rest = target.get(title.unwrap_or(bracket) + 1..).unwrap_or_default();
    }
    out + rest
}

fn without(text: &str, open: &str, close: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        out += before;
        out.push(' ');
        rest = after.split_once(close).map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// What is missing around the cells that record a claim: beforehand what would count against it, and afterwards a text with a number of
/// each claim that is tested.
pub fn around_cards(notebook: &Notebook, registry: &Registry, is_tested: impl Fn(&str) -> bool) -> Vec<String> {
    let (texts, name) = (notebook.texts(), notebook.name());
    let mut missing = Vec::new();
    let recording: Vec<(usize, &str, Vec<String>)> = notebook
        .cells()
        .iter()
        .map(|cell| (cell.index, cell.id.as_str(), registry.recorded_in(&name, &cell.source)))
        .filter(|(_, _, claims)| !claims.is_empty())
        .collect();
    let mut from = 0;
    // Cards that follow one another share the texts around them.
    for cards in recording.chunk_by(|a, b| a.0 + 1 == b.0) {
        let [(first, id, _), ..] = cards else { continue };
        let last = first + cards.len() - 1;
        let mut before = texts.iter().filter(|(at, _)| (from..*first).contains(at));
        if !before.any(|(_, text)| text.contains("count against")) {
            missing.push(format!("cell {id}: no text before it says what would count against the claim; write there `**What would count against it**:`"));
        }
        match texts.iter().find(|(at, _)| *at == last + 1) {
            None => missing.push(format!("cell {id}: no text after its card")),
            Some((_, text)) => {
                for (_, id, claims) in cards {
                    let untold =
                        claims.iter().filter(|claim| is_tested(claim) && !text.contains(&format!("](#{claim} \"")));
                    missing
                        .extend(untold.map(|claim| {
                            format!("cell {id}: the text after it has no number of {claim}, as in `[0.5](#{claim} \"words of its finding\")`")
                        }));
                }
            }
        }
        from = last;
    }
    missing
}

/// A frame that promises another time of reading than the words take: `**Reading**: 12 minutes.`
pub fn promised_minutes(notebook: &Notebook, style: &Style) -> Option<String> {
    let texts = notebook.texts();
    let promise = texts.iter().find_map(|(_, text)| text.split_once("**Reading**: "))?.1;
    let said = promise.split('.').next().unwrap_or_default();
    let right = format!("{} minutes", style.minutes());
    (said != right).then(|| format!("its frame says {said} of reading, its words take {right}"))
}

/// Paragraphs with more numbers of the record than a reader keeps.
pub fn crowded(notebook: &Notebook) -> Vec<String> {
    let mut crowded = Vec::new();
    for (_, text) in notebook.texts() {
        for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.trim_start().starts_with('|')) {
            let numbers = links(paragraph).len();
            if numbers > NUMBERS {
                let begin: String = paragraph.trim_start().chars().take(60).collect();
                crowded
                    .push(format!("a paragraph with {numbers} numbers of the record, at most {NUMBERS}: {begin} ..."));
            }
        }
    }
    crowded
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::path::Path;

    /// A notebook of cells by kind and source.
    pub fn notebook(cells: &[(&str, &str)]) -> Notebook {
        let cells: Vec<serde_json::Value> = cells
            .iter()
            .enumerate()
            .map(|(at, (kind, source))| {
                let mut cell = serde_json::json!({
                    "cell_type": kind, "id": format!("c{at}"), "metadata": {}, "source": [source]
                });
                if *kind == "code" {
                    cell["outputs"] = serde_json::json!([]);
                    cell["execution_count"] = serde_json::Value::Null;
                }
                cell
            })
            .collect();
        let json = serde_json::json!({ "cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
        Notebook::parse(Path::new("n.ipynb"), &json.to_string()).unwrap()
    }

    #[test]
    fn words_lines_and_columns_are_counted() {
        let long = format!("let x = \"{}\";\n// {}", "y".repeat(100), "z".repeat(120));
        let parsed = notebook(&[
            ("markdown", "# Two words\n\n$$a + b = c$$ and $d$ | [here](there.md) <!-- not this -->"),
            ("code", "let a = 1;\n\n// a remark\nlet b = 2;"),
            ("code", &long),
            ("code", "// nothing but a remark"),
        ]);
        let style = Style::of(&parsed);
        assert_eq!(wide(&parsed), ["cell c2, line 1: 111 columns, at most 100"]);
        assert_eq!(style, Style { words: 6, read: 6, cells: vec![1, 2], wide: 1, links: 1 });
        assert_eq!((style.lines(), style.ratio(), style.spread()), (3, 2.0, [1, 2, 2]));
        assert_eq!(style.beyond().len(), 1, "{:?}", style.beyond());
        assert_eq!(style.and(&style).cells, [1, 1, 2, 2]);
    }

    #[test]
    fn titles_of_links_are_no_words_whatever_they_hold() {
        assert_eq!(words("One [2](#m/a \"the gap (relative) of all ) runs\") three."), 3);
        assert_eq!(words("[a](b.md), [c](d.md \"e (f)\") and [g](h"), 4);
        assert_eq!(words("[a](#m/b \"no end) c"), 2);
    }

    #[test]
    fn a_paragraph_has_three_numbers_at_most_and_a_table_as_many_as_it_needs() {
        let one = "[2](#m/a \"gap\") ";
        let texts =
            [one.repeat(3), format!("{}\n\n{one}", one.repeat(3)), format!("| {} |", one.repeat(9)), one.repeat(4)];
        let found = texts.map(|text| crowded(&notebook(&[("markdown", &text)])).len());
        assert_eq!(found, [0, 0, 0, 1]);
    }

    #[test]
    fn a_frame_promises_the_minutes_that_its_words_take() {
        let long = |words: usize, frame: &str| {
            let text = format!("{} <details>{}</details>", "word ".repeat(words), "folded ".repeat(900));
            let parsed = notebook(&[("markdown", frame), ("markdown", &text)]);
            let style = Style::of(&parsed);
            (style.minutes(), promised_minutes(&parsed, &style), style.beyond())
        };
        assert_eq!(long(2000, "**Reading**: 17 minutes."), (17, None, vec![]));
        assert_eq!(long(2000, "No promise.").1, None);
        let (_, promise, _) = long(2000, "**Reading**: 25 minutes. **Running**: one.");
        assert_eq!(promise.unwrap(), "its frame says 25 minutes of reading, its words take 17 minutes");
        let (minutes, _, beyond) = long(3360, "**Reading**: 28 minutes.");
        assert!(minutes == 28 && beyond[0].contains("28 minutes to read, at most 20"), "{beyond:?}");
    }

    #[test]
    fn a_card_has_a_text_on_both_sides() {
        let told = [
            ("markdown", "**What would count against it**: a lot."),
            ("code", "ledger.record(\"m/a\", evidence)?"),
            ("markdown", "We saw [3](#m/a \"it\")."),
        ];
        assert_eq!(around_cards(&notebook(&told), &Registry::empty(), |_| true), [""; 0]);
        let two = [told[0], told[1], told[1], told[2]];
        assert_eq!(around_cards(&notebook(&two), &Registry::empty(), |_| true), [""; 0]);
        let bare = [told[1], ("code", "1"), told[1], ("markdown", "No number.")];
        let missing = around_cards(&notebook(&bare), &Registry::empty(), |_| true);
        assert_eq!(missing.len(), 4, "{missing:?}");
        assert!(missing[1].contains("no text after") && missing[3].contains("no number of m/a"));
    }
}
