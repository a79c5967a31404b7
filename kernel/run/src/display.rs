//! Progress of a run: one bar per notebook on a terminal, plain lines elsewhere.

use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::session::Event;
use workbench_base::progress;
use workbench_base::text::count;

/// How often the progress of a cell is told where there is no terminal.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// Progress of all notebooks of a run.
#[derive(Clone)]
pub struct Display {
    bars: Option<Arc<MultiProgress>>,
}

/// Progress of one notebook.
pub struct NotebookDisplay {
    name: String,
    bars: Option<Arc<MultiProgress>>,
    bar: Option<ProgressBar>,
    live: Option<ProgressBar>,
    told: Instant,
    claim: Option<String>,
    cell: String,
}

impl Display {
    /// Bars where a terminal can draw them.
    pub fn start() -> Self {
        Display { bars: progress::is_terminal().then(|| Arc::new(MultiProgress::new())) }
    }

    /// A notebook begins.
    pub fn begin(&self, name: &str, cells: usize) -> NotebookDisplay {
        let bar = self.bars.as_ref().map(|bars| {
            let bar = bars.add(ProgressBar::new(cells as u64));
            bar.set_style(
                ProgressStyle::with_template("  {prefix} {bar:20} cell {pos}/{len}  {elapsed}  {wide_msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar.set_prefix(name.to_string());
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        if bar.is_none() {
            eprintln!("  {name}: {}", count(cells, "code cell"));
        }
        NotebookDisplay {
            name: name.to_string(),
            bars: self.bars.clone(),
            bar,
            live: None,
            told: Instant::now(),
            claim: None,
            cell: String::new(),
        }
    }

    /// A line above the bars.
    pub fn line(&self, text: &str) {
        match &self.bars {
            // A terminal that is gone has nobody who misses the line.
            Some(bars) => drop(bars.println(text)),
            None => eprintln!("{text}"),
        }
    }
}

impl NotebookDisplay {
    /// Shows an event.
    pub fn event(&mut self, event: &Event) {
        match event {
            Event::KernelReady { seconds } if self.bar.is_none() => {
                eprintln!("  {}: kernel ready after {seconds:.1} s", self.name);
            }
            Event::Cell { number, total, id } => {
                self.cell = id.clone();
                self.end_live();
                match &self.bar {
                    Some(bar) => {
                        bar.set_length(*total as u64);
                        bar.set_position(*number as u64);
                        self.message();
                    }
                    None => eprintln!("  {}: cell {number}/{total} {id}", self.name),
                }
            }
            Event::Live { text } => self.live(text),
            Event::Done { id, seconds } if self.bar.is_none() && *seconds >= 10.0 => {
                eprintln!("  {}: {id} took {}", self.name, progress::seconds(*seconds));
            }
            _ => {}
        }
    }

    /// A claim was recorded.
    pub fn claim(&mut self, claim: &str) {
        if self.claim.as_deref() == Some(claim) {
            return;
        }
        self.claim = Some(claim.to_string());
        match &self.bar {
            Some(_) => self.message(),
            None => eprintln!("  {}: recorded {claim}", self.name),
        }
    }

    /// A line below the notebook's bar; without a terminal, a line now and then.
    fn live(&mut self, text: &str) {
        let (Some(bars), Some(bar)) = (&self.bars, &self.bar) else {
            if self.told.elapsed() >= TELL_EVERY {
                self.told = Instant::now();
                eprintln!("  {}: {} {text}", self.name, self.cell);
            }
            return;
        };
        let live = self.live.get_or_insert_with(|| {
            let live = bars.insert_after(bar, ProgressBar::new_spinner());
            live.set_style(
                ProgressStyle::with_template("    {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
            );
            live
        });
        live.set_message(text.to_string());
    }

    fn end_live(&mut self) {
        if let Some(live) = self.live.take() {
            live.finish_and_clear();
        }
    }

    fn message(&self) {
        if let Some(bar) = &self.bar {
            let claim = self.claim.as_deref().unwrap_or("no claim yet");
            bar.set_message(format!("{}  {claim}", self.cell));
        }
    }

    /// The notebook ended.
    pub fn end(mut self) {
        self.end_live();
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
