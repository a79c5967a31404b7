//! Screen of progress bars: one output for a loop and the loops inside it.

use std::cell::RefCell;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::super::live::Slot;
use super::super::{Bundle, Mime};
use super::Shared;
use super::curve;
use super::state::End;
use workbench_ground::{channel, work};

/// Time between two states shown.
const GAP: Duration = Duration::from_millis(100);
/// Loops inside each other that are shown.
const MOST_LINES: usize = 8;

/// The output of an outermost loop.
pub(crate) struct Screen {
    cell: u32,
    ended: AtomicBool,
    parts: Mutex<Parts>,
}

#[derive(Default)]
struct Parts {
    slot: Slot,
    /// The outermost loop first.
    loops: Vec<Weak<Shared>>,
    /// Loops inside that were stopped: their last words stay.
    stopped: Vec<(String, String)>,
    /// Figures of the loops' curves, by depth.
    curves: Vec<Slot>,
    last: Option<Instant>,
    /// A terminal line was begun.
    line: bool,
}

thread_local! {
    /// The screens of loops that run on this thread.
    static OPEN: RefCell<Vec<Arc<Screen>>> = const { RefCell::new(Vec::new()) };
}

impl Screen {
    /// Loops shown.
    #[cfg(test)]
    pub fn size(&self) -> usize {
        self.parts().loops.len()
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a loop that begins on the screen of the loop around it, or on one of its own.
    pub fn join(shared: &Arc<Shared>) {
        let cell = work::cell();
        let around = OPEN.with_borrow_mut(|open| {
            // A loop that was never finished may have been left behind by an earlier cell.
            open.retain(|screen| {
                screen.cell == cell
                    && !screen.ended.load(Ordering::Relaxed)
                    && screen.parts().loops.first().is_some_and(|root| root.strong_count() > 0)
            });
            open.last().cloned()
        });
        let (screen, root) = match around {
            Some(screen) => (screen, false),
            None => {
                let screen = Arc::new(Screen { cell, ended: AtomicBool::new(false), parts: Mutex::default() });
                OPEN.with_borrow_mut(|open| open.push(screen.clone()));
                (screen, true)
            }
        };
        screen.parts().loops.push(Arc::downgrade(shared));
        shared.state().screen = Some(screen.clone());
        if root {
            Screen::update(shared, Instant::now());
        }
    }

    /// Shows the screen of a loop if it is time to.
    pub fn update(shared: &Arc<Shared>, now: Instant) {
        let Some(screen) = shared.state().screen.clone() else {
            return;
        };
        // Another thread is about to show the same.
        let Ok(mut parts) = screen.parts.try_lock() else { return };
        if parts.last.is_some_and(|last| now.duration_since(last) < GAP) {
            return;
        }
        parts.last = Some(now);
        parts.show(now);
        parts.show_curves(now, false);
    }

    /// Takes a loop that has ended off its screen; the outermost one leaves its last state.
    pub fn leave(shared: &Arc<Shared>) {
        let Some(screen) = shared.state().screen.take() else {
            return;
        };
        let now = Instant::now();
        let mut parts = screen.parts();
        let place = parts.loops.iter().position(|l| l.as_ptr() == Arc::as_ptr(shared));
        if place == Some(0) {
            screen.ended.store(true, Ordering::Relaxed);
            parts.show_last(now);
            drop(parts);
            OPEN.with_borrow_mut(|open| open.retain(|s| !Arc::ptr_eq(s, &screen)));
        } else if let Some(place) = place {
            let state = shared.state();
            if state.end == Some(End::Stopped) {
                let done = shared.done();
                let words = (state.line(done, now), state.html(done, now));
                drop(state);
                parts.stopped.push(words);
            } else {
                drop(state);
            }
            parts.loops.remove(place);
        }
    }
}

impl Parts {
    fn alive(&self) -> Vec<Arc<Shared>> {
        self.loops.iter().filter_map(Weak::upgrade).take(MOST_LINES).collect()
    }

    /// Each running loop in one line of plain text and of HTML.
    fn lines(&self, now: Instant) -> Vec<(String, String)> {
        let loops = self.alive();
        let lines = loops.iter().map(|shared| {
            let done = shared.done();
            let mut state = shared.state();
            state.note(done, now);
            (state.bar_line(done, now), state.html(done, now))
        });
        lines.chain(self.stopped.iter().cloned()).collect()
    }

    fn show(&mut self, now: Instant) {
        match channel::host() {
            channel::Host::Kernel => {
                let bundle = bundle(&self.lines(now));
                self.slot.send(&bundle);
            }
            channel::Host::Plain if std::io::stderr().is_terminal() => {
                let lines: Vec<String> = self.lines(now).into_iter().map(|line| line.0).collect();
                self.line = true;
                terminal(&format!("\r\x1b[2K{}", cut(&lines.join(" · "), width())));
            }
            _ => {}
        }
    }

    fn show_last(&mut self, now: Instant) {
        let lines = self.lines(now);
        match channel::host() {
            channel::Host::Kernel => self.slot.send(&bundle(&lines)),
            _ => {
                let start = if self.line { "\r\x1b[2K" } else { "" };
                let text: Vec<String> = lines.into_iter().map(|line| line.0).collect();
                terminal(&format!("{start}{}\n", text.join("\n")));
            }
        }
        self.show_curves(now, true);
    }

    /// Draws the curves that are due; with `last`, that of the outermost loop, to stay.
    fn show_curves(&mut self, now: Instant, last: bool) {
        let host = channel::host();
        if host == channel::Host::Plain || (host == channel::Host::Stock && !last) {
            return;
        }
        for (depth, shared) in self.alive().into_iter().enumerate() {
            let figure = {
                let state = shared.state();
                let due = |c: &&curve::Curve| if last && depth == 0 { c.drawable() } else { c.due(now) };
                state.curve.as_ref().filter(due).map(|c| c.figure(&state.name, &state.unit, &state.values))
            };
            let Some(figure) = figure else { continue };
            let begin = Instant::now();
            let drawn = if last && depth == 0 {
                let name = shared.state().name.clone();
                curve::folded(&figure, &name)
            } else {
                curve::on_the_way(&figure)
            };
            // Values that cannot be drawn are said in words; the loop goes on.
            let bundle = drawn.unwrap_or_else(|error| Bundle::new(&format!("the curve cannot be drawn: {error}")));
            while self.curves.len() <= depth {
                self.curves.push(Slot::default());
            }
            self.curves[depth].send(&bundle);
            if let Some(curve) = &mut shared.state().curve {
                curve.drawn(now, begin.elapsed());
            }
        }
    }
}

fn bundle(lines: &[(String, String)]) -> Bundle {
    let (plain, html): (Vec<&str>, Vec<&str>) = lines.iter().map(|(a, b)| (a.as_str(), b.as_str())).unzip();
    Bundle::new(&plain.join("\n")).with(Mime::Html, &html.join("\n"))
}

fn terminal(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// Columns of the terminal.
fn width() -> usize {
    // SAFETY: the call fills a structure that is ours.
    let columns = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        if libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &mut size) == 0 { size.ws_col } else { 0 }
    };
    if columns == 0 { 80 } else { usize::from(columns) }
}

/// A line that fits, so that a carriage return leads back to its beginning.
fn cut(line: &str, width: usize) -> String {
    let most = width.saturating_sub(1).max(1);
    if line.chars().count() <= most {
        return line.to_string();
    }
    line.chars().take(most - 1).chain(std::iter::once('…')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_line_never_wraps() {
        assert_eq!(cut("abcdef", 7), "abcdef");
        assert_eq!(cut("abcdef", 6), "abcd…");
        assert_eq!(cut("░░░░", 3), "░…");
        assert_eq!(cut("ab", 0), "…");
    }
}
