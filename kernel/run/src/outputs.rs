//! Outputs of cells, put together from the messages that a kernel sends, by Jupyter's rules.

use jupyter_protocol::{JupyterMessageContent, Stdio, Transient};
use nbformat::v4::{DisplayData, ErrorOutput, ExecuteResult, MultilineString, Output};

/// One output and the name under which later messages may replace it.
#[derive(Clone, Debug)]
struct Kept {
    output: Output,
    display_id: Option<String>,
}

/// The outputs of one cell.
#[derive(Clone, Debug, Default)]
pub struct CellOutputs {
    kept: Vec<Kept>,
    clear_next: bool,
    changed: bool,
}

impl CellOutputs {
    /// The outputs, with text that a carriage return overwrote taken out.
    pub fn outputs(&self) -> Vec<Output> {
        self.kept
            .iter()
            .map(|kept| match &kept.output {
                Output::Stream { name, text } => {
                    Output::Stream { name: name.clone(), text: MultilineString(overwrite(&text.0)) }
                }
                other => other.clone(),
            })
            .collect()
    }

    /// Replaces every output shown under `id`.
    fn replace(&mut self, id: &str, data: &DisplayData) {
        for kept in &mut self.kept {
            if kept.display_id.as_deref() != Some(id) {
                continue;
            }
            self.changed = true;
            match &mut kept.output {
                Output::DisplayData(old) => *old = data.clone(),
                Output::ExecuteResult(old) => {
                    old.data = data.data.clone();
                    old.metadata = data.metadata.clone();
                }
                _ => {}
            }
        }
    }

    fn push(&mut self, output: Output, display_id: Option<String>) {
        if std::mem::take(&mut self.clear_next) {
            self.kept.clear();
        }
        if let Output::Stream { name, text } = &output
            && let Some(Kept { output: Output::Stream { name: last, text: before }, .. }) = self.kept.last_mut()
            && name == last
        {
            before.0.push_str(&text.0);
            return;
        }
        self.kept.push(Kept { output, display_id });
    }

    fn clear(&mut self, wait: bool) {
        if wait {
            self.clear_next = true;
        } else {
            self.kept.clear();
        }
    }
}

/// The outputs of all cells of a session: an update may reach back to an earlier cell.
#[derive(Clone, Debug, Default)]
pub struct SessionOutputs {
    cells: Vec<CellOutputs>,
}

impl SessionOutputs {
    /// Begins the next cell; returns its number.
    pub fn begin(&mut self) -> usize {
        self.cells.push(CellOutputs::default());
        self.cells.len() - 1
    }

    /// The outputs of a cell as they stand now.
    pub fn cell(&self, number: usize) -> Vec<Output> {
        self.cells.get(number).map(CellOutputs::outputs).unwrap_or_default()
    }

    /// Whether a display of a cell was replaced since [`seen`](Self::seen).
    pub fn changed(&self, number: usize) -> bool {
        self.cells.get(number).is_some_and(|cell| cell.changed)
    }

    /// From here on [`changed`](Self::changed) tells what is new.
    pub fn seen(&mut self) {
        self.cells.iter_mut().for_each(|cell| cell.changed = false);
    }

    /// Takes a message that belongs to the newest cell.
    pub fn take(&mut self, content: &JupyterMessageContent) {
        if let JupyterMessageContent::UpdateDisplayData(update) = content {
            let data = DisplayData { data: update.data.clone(), metadata: update.metadata.clone() };
            if let Some(id) = &update.transient.display_id {
                for cell in &mut self.cells {
                    cell.replace(id, &data);
                }
            }
            return;
        }
        let Some(cell) = self.cells.last_mut() else {
            return;
        };
        match content {
            JupyterMessageContent::StreamContent(stream) => {
                let name = match stream.name {
                    Stdio::Stderr => "stderr",
                    Stdio::Stdout => "stdout",
                };
                let output = Output::Stream { name: name.into(), text: MultilineString(stream.text.clone()) };
                cell.push(output, None);
            }
            JupyterMessageContent::DisplayData(shown) => {
                let output =
                    Output::DisplayData(DisplayData { data: shown.data.clone(), metadata: shown.metadata.clone() });
                let id = shown.transient.clone().and_then(display_id);
                // Showing something under a name that is in use replaces it wherever it stands, and shows it here too.
                cell.push(output.clone(), id.clone());
                if let (Some(id), Output::DisplayData(data)) = (id, &output) {
                    for cell in &mut self.cells {
                        cell.replace(&id, data);
                    }
                }
            }
            JupyterMessageContent::ExecuteResult(result) => {
                let output = Output::ExecuteResult(ExecuteResult {
                    execution_count: result.execution_count,
                    data: result.data.clone(),
                    metadata: result.metadata.clone(),
                });
                let id = result.transient.clone().and_then(display_id);
                cell.push(output, id);
            }
            JupyterMessageContent::ErrorOutput(error) => {
                let output = Output::Error(ErrorOutput {
                    ename: error.ename.clone(),
                    evalue: error.evalue.clone(),
                    traceback: error.traceback.clone(),
                });
                cell.push(output, None);
            }
            JupyterMessageContent::ClearOutput(clear) => cell.clear(clear.wait),
            _ => {}
        }
    }
}

fn display_id(transient: Transient) -> Option<String> {
    transient.display_id
}

/// What is left of a text as JupyterLab keeps it: a carriage return goes back to the start of the line, where what follows
/// overwrites it; a backspace takes one letter away.
fn overwrite(text: &str) -> String {
    if !text.contains(['\r', '\u{8}']) {
        return text.to_string();
    }
    let lines: Vec<String> = text
        .replace("\r\n", "\n")
        .split('\n')
        .map(|line| {
            let mut shown: Vec<char> = Vec::new();
            let mut at = 0usize;
            for letter in line.chars() {
                match letter {
                    '\r' => at = 0,
                    '\u{8}' if at > 0 => {
                        at -= 1;
                        shown.remove(at);
                    }
                    '\u{8}' => {}
                    letter if at < shown.len() => {
                        shown[at] = letter;
                        at += 1;
                    }
                    letter => {
                        shown.push(letter);
                        at += 1;
                    }
                }
            }
            shown.into_iter().collect()
        })
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use jupyter_protocol::media::{Media, MediaType};
    use jupyter_protocol::{
        ClearOutput, DisplayData as Shown, ErrorOutput as Failed, ExecuteResult as Result, StreamContent,
        UpdateDisplayData,
    };

    fn stream(name: Stdio, text: &str) -> JupyterMessageContent {
        JupyterMessageContent::StreamContent(StreamContent { name, text: text.into() })
    }

    fn media(text: &str) -> Media {
        Media::new(vec![MediaType::Plain(text.into())])
    }

    fn shown(text: &str, id: Option<&str>) -> JupyterMessageContent {
        JupyterMessageContent::DisplayData(Shown {
            data: media(text),
            metadata: Default::default(),
            transient: id.map(|id| Transient { display_id: Some(id.into()) }),
        })
    }

    fn texts(outputs: &[Output]) -> Vec<String> {
        outputs
            .iter()
            .map(|output| match output {
                Output::Stream { name, text } => format!("{name}:{}", text.0),
                Output::DisplayData(data) => plain(&data.data),
                Output::ExecuteResult(result) => plain(&result.data),
                Output::Error(error) => error.evalue.clone(),
            })
            .collect()
    }

    fn plain(media: &Media) -> String {
        match media.content.first() {
            Some(MediaType::Plain(text)) => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn after(messages: &[JupyterMessageContent]) -> Vec<String> {
        let mut session = SessionOutputs::default();
        let cell = session.begin();
        for message in messages {
            session.take(message);
        }
        texts(&session.cell(cell))
    }

    #[test]
    fn neighbouring_text_of_one_stream_is_one_output() {
        let messages = [
            stream(Stdio::Stdout, "a\n"),
            stream(Stdio::Stdout, "b\n"),
            stream(Stdio::Stderr, "c\n"),
            stream(Stdio::Stdout, "d\n"),
        ];
        assert_eq!(after(&messages), ["stdout:a\nb\n", "stderr:c\n", "stdout:d\n"]);
    }

    #[test]
    fn a_rewritten_progress_line_keeps_its_last_state() {
        let messages =
            [stream(Stdio::Stdout, "step 1 of 10"), stream(Stdio::Stdout, "\rstep 2 of 10\rstep 3 of 10\nend\r\n")];
        assert_eq!(after(&messages), ["stdout:step 3 of 10\nend\n"]);
        assert_eq!(overwrite("abc\rX"), "Xbc");
        assert_eq!(overwrite("ab\u{8}c\u{8}\u{8}\u{8}\u{8}d"), "d");
        assert_eq!(overwrite("50 %\r"), "50 %");
    }

    #[test]
    fn results_and_errors_keep_their_order() {
        let messages = [
            shown("figure", None),
            JupyterMessageContent::ExecuteResult(Result {
                execution_count: 7.into(),
                data: media("42"),
                metadata: Default::default(),
                transient: None,
            }),
            JupyterMessageContent::ErrorOutput(Failed {
                ename: "Panic".into(),
                evalue: "no".into(),
                traceback: vec![],
            }),
        ];
        assert_eq!(after(&messages), ["figure", "42", "no"]);
    }

    #[test]
    fn an_update_reaches_an_earlier_cell() {
        let mut session = SessionOutputs::default();
        let first = session.begin();
        session.take(&shown("0 %", Some("bar")));
        session.take(&shown("other", Some("else")));
        let second = session.begin();
        session.take(&JupyterMessageContent::UpdateDisplayData(UpdateDisplayData {
            data: media("100 %"),
            metadata: Default::default(),
            transient: Transient { display_id: Some("bar".into()) },
        }));
        assert_eq!(texts(&session.cell(first)), ["100 %", "other"]);
        assert!(session.cell(second).is_empty());
    }

    #[test]
    fn the_last_state_of_a_display_is_kept_once() {
        let mut messages = vec![shown("0", Some("bar"))];
        messages.extend((1..=1000).map(|step| {
            JupyterMessageContent::UpdateDisplayData(UpdateDisplayData {
                data: media(&step.to_string()),
                metadata: Default::default(),
                transient: Transient { display_id: Some("bar".into()) },
            })
        }));
        messages.push(stream(Stdio::Stdout, "done"));
        assert_eq!(after(&messages), ["1000", "stdout:done"]);
    }

    #[test]
    fn clearing_now_and_clearing_at_the_next_output() {
        let clear = |wait| JupyterMessageContent::ClearOutput(ClearOutput { wait });
        assert_eq!(after(&[shown("a", None), clear(false)]), Vec::<String>::new());
        assert_eq!(after(&[shown("a", None), clear(true)]), ["a"]);
        assert_eq!(after(&[shown("a", None), clear(true), shown("b", None)]), ["b"]);
    }
}
