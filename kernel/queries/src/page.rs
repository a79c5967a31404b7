//! A page of headings, facts and tables, written as Markdown and as HTML.
//!
//! The HTML stands alone: no scripts, no files beside it, light or dark as the reader's system is.

use std::fmt::Write as _;

use workbench_base::text::html;

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// Words.
    Plain(String),
    /// Something to be read letter by letter: an id, a digest.
    Code(String),
}

impl Text {
    /// Words.
    pub fn plain(text: impl Into<String>) -> Text {
        Text::Plain(text.into())
    }

    /// An id or a digest.
    pub fn code(text: impl Into<String>) -> Text {
        Text::Code(text.into())
    }

    fn markdown(&self) -> String {
        match self {
            Text::Plain(text) => markdown(text),
            Text::Code(text) if text.is_empty() => String::new(),
            // A bar ends a cell of a table even in code.
            Text::Code(text) => format!("`{}`", one_line(text).replace('`', "'").replace('|', "\\|")),
        }
    }

    fn html(&self) -> String {
        match self {
            Text::Plain(text) => html(&one_line(text)),
            Text::Code(text) if text.is_empty() => String::new(),
            Text::Code(text) => format!("<code>{}</code>", html(text)),
        }
    }
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading below the title.
    Heading(String),
    /// A paragraph.
    Words(String),
    /// A paragraph that has to be seen.
    Warning(String),
    /// Names and what they are.
    Facts(Vec<(&'static str, Text)>),
    /// A table; the first cell of a row names the row.
    Table {
        /// What it shows, in a few words.
        caption: String,
        /// Names of the columns.
        columns: Vec<&'static str>,
        /// Cells, row by row.
        rows: Vec<Vec<Text>>,
    },
    /// Lines for a terminal.
    Commands(Vec<String>),
}

/// The page as Markdown; `end` is put behind it as it is.
pub fn to_markdown(title: &str, blocks: &[Block], end: &str) -> String {
    let mut out = format!("# {}\n", markdown(title));
    for block in blocks {
        out.push('\n');
        // Writing to a string cannot fail.
        let _ = match block {
            Block::Heading(text) => writeln!(out, "## {}", markdown(text)),
            Block::Words(text) => writeln!(out, "{}", markdown(text)),
            Block::Warning(text) => writeln!(out, "> **{}**", markdown(text)),
            Block::Facts(facts) => {
                facts.iter().try_for_each(|(name, text)| writeln!(out, "- **{}:** {}", markdown(name), text.markdown()))
            }
            Block::Table { caption, columns, rows } => {
                let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
                let mut lines = vec![
                    format!("{}:\n", markdown(caption)),
                    line(columns.iter().map(|name| markdown(name)).collect()),
                    line(columns.iter().map(|_| "---".to_string()).collect()),
                ];
                lines.extend(rows.iter().map(|row| line(row.iter().map(Text::markdown).collect())));
                writeln!(out, "{}", lines.join("\n"))
            }
            Block::Commands(lines) => writeln!(out, "```console\n{}\n```", lines.join("\n")),
        };
    }
    format!("{out}\n{end}\n")
}

/// The page as HTML; `end` is put behind it as it is.
pub fn to_html(title: &str, blocks: &[Block], end: &str) -> String {
    let title = html(title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<main>\n<h1>{title}</h1>\n"
    );
    for block in blocks {
        let _ = match block {
            Block::Heading(text) => writeln!(out, "<h2>{}</h2>", html(text)),
            Block::Words(text) => writeln!(out, "<p>{}</p>", html(text)),
            Block::Warning(text) => writeln!(out, "<p class=\"warning\"><strong>{}</strong></p>", html(text)),
            Block::Facts(facts) => {
                let lines: Vec<String> = facts
                    .iter()
                    .map(|(name, text)| format!("<dt>{}</dt><dd>{}</dd>", html(name), text.html()))
                    .collect();
                writeln!(out, "<dl>\n{}\n</dl>", lines.join("\n"))
            }
            Block::Table { caption, columns, rows } => table(&mut out, caption, columns, rows),
            Block::Commands(lines) => writeln!(out, "<pre><code>{}</code></pre>", html(&lines.join("\n"))),
        };
    }
    format!("{out}</main>\n{end}\n</body>\n</html>\n")
}

/// Whether a page, in either form, has a row of a table with this name and these cells side by side.
pub fn has_row(page: &str, name: &Text, cells: &[Text]) -> bool {
    let forms = [
        (format!("| {} |", name.markdown()), format!("| {} |", joined(cells, Text::markdown, " | "))),
        (
            format!("<tr><th scope=\"row\">{}</th>", name.html()),
            format!("<td>{}</td>", joined(cells, Text::html, "</td><td>")),
        ),
    ];
    page.lines().any(|line| forms.iter().any(|(begin, cells)| line.starts_with(begin) && line.contains(cells)))
}

fn joined(cells: &[Text], form: fn(&Text) -> String, between: &str) -> String {
    cells.iter().map(form).collect::<Vec<_>>().join(between)
}

/// A table that a screen reader can follow, and that can be scrolled with the keyboard where it is too wide.
fn table(out: &mut String, caption: &str, columns: &[&str], rows: &[Vec<Text>]) -> std::fmt::Result {
    let caption = html(caption);
    writeln!(out, "<div class=\"wide\" role=\"region\" aria-label=\"{caption}\" tabindex=\"0\">\n<table>")?;
    writeln!(out, "<caption>{caption}</caption>\n<thead><tr>")?;
    for name in columns {
        writeln!(out, "<th scope=\"col\">{}</th>", html(name))?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for row in rows {
        out.push_str("<tr>");
        for (at, cell) in row.iter().enumerate() {
            let text = cell.html();
            match at {
                0 => write!(out, "<th scope=\"row\">{text}</th>")?,
                _ => write!(out, "<td>{text}</td>")?,
            }
        }
        out.push_str("</tr>\n");
    }
    writeln!(out, "</tbody>\n</table>\n</div>")
}

const STYLE: &str = "\
:root { color-scheme: light dark; --text: #1b1b1b; --page: #ffffff; --soft: #f2f2f0; --line: #c8c8c4; --alarm: #9b1c1c; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8e8e4; --page: #161616; --soft: #242424; --line: #4a4a48; --alarm: #ff9d94; }
}
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1, h2 { line-height: 1.2; }
h2 { margin-top: 2.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.25rem; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
.warning { border-left: 0.3rem solid var(--alarm); padding: 0.5rem 1rem; color: var(--alarm); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.92rem; }
caption { text-align: left; padding: 0.3rem 0; font-style: italic; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.8rem 0.3rem 0; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 400; }
code, pre { font: 0.9em ui-monospace, monospace; }
pre { background: var(--soft); padding: 0.8rem 1rem; overflow-x: auto; }
@media (max-width: 40rem) { dl { display: block; } dd { margin-bottom: 0.5rem; } }
@media print { .wide { overflow: visible; } }
";

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words that Markdown leaves as they are.
fn markdown(text: &str) -> String {
    let mut out = String::new();
    for letter in one_line(text).chars() {
        match letter {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '\\' | '`' | '*' | '_' | '|' | '#' | '~' | '$' | '[' | ']' => out.extend(['\\', letter]),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Vec<Block> {
        vec![
            Block::Warning("Not <all> of it".into()),
            Block::Heading("What".into()),
            Block::Words("a_b & c".into()),
            Block::Facts(vec![
                ("Run", Text::code("r|1`")),
                ("By", Text::plain("O'Neil <o@x>")),
                ("None", Text::code("")),
            ]),
            Block::Table {
                caption: "Claims \"all\"".into(),
                columns: vec!["claim", "number"],
                rows: vec![vec![Text::code("m/a"), Text::plain("1 | 2\n[0, 3]")]],
            },
            Block::Commands(vec!["echo <x>".into(), "true".into()]),
        ]
    }

    #[test]
    fn markdown_keeps_cells_and_letters_apart() {
        let text = to_markdown("A *title*", &page(), "<!-- end -->");
        assert!(
            text.starts_with("# A \\*title\\*\n\n> **Not &lt;all&gt; of it**\n\n## What\n\na\\_b &amp; c\n"),
            "{text}"
        );
        assert!(text.contains("- **Run:** `r\\|1'`\n- **By:** O'Neil &lt;o@x&gt;\n- **None:** \n"), "{text}");
        assert!(text.contains("| claim | number |\n| --- | --- |\n| `m/a` | 1 \\| 2 \\[0, 3\\] |\n"), "{text}");
        assert!(text.contains("```console\necho <x>\ntrue\n```\n"));
        assert!(text.ends_with("<!-- end -->\n"));
        for text in [text, to_html("A *title*", &page(), "")] {
            assert!(has_row(&text, &Text::code("m/a"), &[Text::plain("1 | 2\n[0, 3]")]));
            assert!(!has_row(&text, &Text::code("m/b"), &[Text::plain("1 | 2\n[0, 3]")]));
            assert!(!has_row(&text, &Text::code("m/a"), &[Text::plain("2 | 2\n[0, 3]")]));
        }
    }

    #[test]
    fn html_is_escaped_stands_alone_and_names_rows_and_columns() {
        let text = to_html("<A & B>", &page(), "<!-- end -->");
        assert!(text.contains("<title>&lt;A &amp; B&gt;</title>"));
        assert!(text.contains("<dd>O&#39;Neil &lt;o@x&gt;</dd>"));
        assert!(text.contains("aria-label=\"Claims &quot;all&quot;\""));
        assert!(
            text.contains("<th scope=\"col\">number</th>") && text.contains("<th scope=\"row\"><code>m/a</code></th>")
        );
        assert!(text.contains("prefers-color-scheme: dark"));
        for outside in ["<script", "http", "src=", "href=", "@import", "url("] {
            assert!(!text.contains(outside), "{outside}");
        }
        for element in ["main", "table", "tbody", "dl", "div", "h2", "html", "body", "pre", "p class=\"warning\""] {
            let name = element.split(' ').next().unwrap();
            assert_eq!(
                text.matches(&format!("<{element}")).count(),
                text.matches(&format!("</{name}>")).count().min(1),
                "{element}"
            );
        }
    }
}
