//! The one place below a cell for what has no output of its own: text, an error, and outputs beyond those of its first run.
//!
//! A front end replaces displays and nothing else, and shows none that it was not asked to show while the cell ran. So a cell that may run
//! by itself later, for a knob or because it follows what it rests on, prints into a display, and has one even where it printed nothing.
//! Long text that is printed fast waits, at most 100 ms, so that it is not sent anew for each line.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio::runtime::Handle;

use super::stale::markup;
use workbench_base::text::html;
use workbench_eval::channel::{Output, Role};

/// How often text that is being printed is shown, once it is long.
const OFTEN: Duration = Duration::from_millis(100);
/// Up to which length, in bytes, it is shown as it comes.
const SHORT: usize = 4 << 10;

/// The place and what it holds.
#[derive(Debug, Clone, Default)]
pub struct FallbackDisplay {
    id: String,
    text: String,
    outputs: Vec<Output>,
    /// Whether the front end has it.
    is_there: bool,
    /// When it was shown as it is; nothing where it is not.
    shown: Option<Instant>,
    changed: bool,
    /// Whether [`later`] is to show text that waits.
    late: bool,
}

/// Calls `show` when text that waits is to be shown, with [`FallbackDisplay::show_late`].
pub fn later(runtime: &Handle, show: impl FnOnce() + Send + 'static) {
    runtime.spawn(async move {
        tokio::time::sleep(OFTEN).await;
        show();
    });
}

impl FallbackDisplay {
    /// A place that the front end does not have yet.
    pub fn new(id: String) -> FallbackDisplay {
        FallbackDisplay { id, changed: true, ..FallbackDisplay::default() }
    }

    /// The same place, empty.
    pub fn again(&self) -> FallbackDisplay {
        FallbackDisplay { is_there: self.is_there, ..FallbackDisplay::new(self.id.clone()) }
    }

    /// Adds text; what comes back is to be published now.
    pub fn print(&mut self, text: &str) -> Option<Output> {
        self.text += text;
        self.changed = true;
        let waits = self.text.len() > SHORT && self.shown.is_some_and(|shown| shown.elapsed() < OFTEN);
        if waits { None } else { self.show() }
    }

    /// Whether text waits that nobody has been asked to show [`later`]; the caller is now.
    pub fn is_late(&mut self) -> bool {
        self.changed && !std::mem::replace(&mut self.late, true)
    }

    /// Shows text that has waited, if that has not been done.
    pub fn show_late(&mut self) -> Option<Output> {
        if std::mem::take(&mut self.late) { self.show() } else { None }
    }

    /// Adds a line of the kernel's own, to be shown with the next thing.
    pub fn say(&mut self, line: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text += line;
        self.text.push('\n');
        self.changed = true;
    }

    /// Adds an output, or puts it where the one with its id is.
    pub fn add(&mut self, output: Output) -> Option<Output> {
        match self.outputs.iter_mut().find(|other| is_same(other, &output.id)) {
            Some(other) => *other = output,
            None => self.outputs.push(output),
        }
        self.changed = true;
        self.show()
    }

    /// Whether it holds the output with this id.
    pub fn has(&self, id: &Option<String>) -> bool {
        self.outputs.iter().any(|output| is_same(output, id))
    }

    /// Forgets what was shown: the front end has removed it.
    pub fn clear(&mut self) {
        *self = FallbackDisplay::new(std::mem::take(&mut self.id));
    }

    /// The place as it is, if the front end has it otherwise.
    pub fn show(&mut self) -> Option<Output> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        self.shown = Some(Instant::now());
        let role = if std::mem::replace(&mut self.is_there, true) { Role::Update } else { Role::Show };
        Some(Output { role, ..self.output() })
    }

    /// What it holds.
    pub fn output(&self) -> Output {
        Output { id: Some(self.id.clone()), ..Output::show(self.data()) }
    }

    fn data(&self) -> Map<String, Value> {
        let plain = |output: &Output| {
            let text = output.data.get("text/plain").and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let texts = Some(self.text.trim_end().to_owned()).into_iter();
        let texts: Vec<String> = texts.chain(self.outputs.iter().map(plain)).filter(|text| !text.is_empty()).collect();
        let mut data = Map::new();
        data.insert("text/plain".to_owned(), Value::String(texts.join("\n")));
        if self.outputs.iter().any(|output| markup(output).is_some()) {
            let pre = |text: &str| format!("<pre>{}</pre>", html(text));
            let parts = self.outputs.iter().map(|output| markup(output).unwrap_or_else(|| pre(&plain(output))));
            let text = Some(&self.text).filter(|text| !text.is_empty());
            let whole: String = text.map(|text| pre(text)).into_iter().chain(parts).collect();
            data.insert("text/html".to_owned(), Value::String(whole));
        }
        data
    }
}

fn is_same(output: &Output, id: &Option<String>) -> bool {
    id.is_some() && output.id == *id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_outputs_share_one_display_that_is_replaced() {
        let mut rest = FallbackDisplay::new("k-rest".to_owned());
        let first = rest.print("a\n").unwrap();
        assert_eq!((first.id.as_deref(), first.role), (Some("k-rest"), Role::Show));
        let next = rest.print("b\n").unwrap();
        assert_eq!((&next.data["text/plain"], next.role), (&"a\nb".into(), Role::Update));
        assert_eq!(rest.show(), None);
        // What is long is not sent anew for each line.
        rest.print(&"c".repeat(2 * SHORT));
        assert_eq!(rest.print("d\n"), None);
        // One is asked to show it later, and does so once.
        assert!(rest.is_late());
        assert_eq!((rest.print("e\n"), rest.is_late()), (None, false));
        let late = rest.show_late().unwrap();
        assert!(late.data["text/plain"].as_str().unwrap().ends_with("d\ne"));
        assert_eq!((rest.show_late(), rest.show(), rest.is_late()), (None, None, false));

        let mut again = rest.again();
        let card = [("text/html".to_owned(), "<b>c</b>".into()), ("text/plain".to_owned(), "c".into())];
        again.print("x < y\n");
        let both = again.add(Output::show(card.into_iter().collect())).unwrap();
        assert_eq!(both.data["text/html"], "<pre>x &lt; y\n</pre><b>c</b>");
        assert_eq!((&both.data["text/plain"], both.role), (&"x < y\nc".into(), Role::Update));
    }

    #[test]
    fn a_cell_that_printed_nothing_has_the_place_too_and_keeps_it_when_cleared() {
        let mut rest = FallbackDisplay::new("k-rest".to_owned());
        assert_eq!(rest.show().unwrap().role, Role::Show);
        rest.clear();
        assert_eq!(rest.print("a").unwrap().role, Role::Show);
    }
}
