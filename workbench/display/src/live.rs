//! Outputs that are updated in place.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::{Bundle, Error, Figure, Panel, Table, Tabular, bundle, emit};
use workbench_ground::channel::{self, Host};

/// Something that can be shown: a bundle, a figure, a table, a frame, any [`Tabular`] struct, or text.
pub trait Showable {
    /// Its forms.
    ///
    /// **Errors**: whatever keeps it from being shown.
    fn bundle(&self) -> Result<Bundle, Error>;
}

impl Showable for Bundle {
    fn bundle(&self) -> Result<Bundle, Error> {
        Ok(self.clone())
    }
}

impl Showable for Figure {
    fn bundle(&self) -> Result<Bundle, Error> {
        self.to_bundle()
    }
}

impl Showable for Panel {
    fn bundle(&self) -> Result<Bundle, Error> {
        Figure::new("").panel(self.clone()).to_bundle()
    }
}

impl Showable for Table {
    fn bundle(&self) -> Result<Bundle, Error> {
        self.to_bundle()
    }
}

impl Showable for str {
    fn bundle(&self) -> Result<Bundle, Error> {
        Ok(Bundle::new(self))
    }
}

impl Showable for String {
    fn bundle(&self) -> Result<Bundle, Error> {
        self.as_str().bundle()
    }
}

impl<T: Tabular + ?Sized> Showable for T {
    fn bundle(&self) -> Result<Bundle, Error> {
        Table::new(self.to_frame()?).title(&self.table_title()).to_bundle()
    }
}

/// An output that is updated in place: the first [`show`](Live::show) makes it, each further one replaces what it shows.
///
/// Only the last state is saved in the notebook. Kept in a variable it can be updated from later cells, in its old place. Showing costs
/// the calling thread the rendering and one write; nothing is kept. Outside our kernel: stock evcxr shows the last state at the end
/// of the cell; a plain run prints the plain text of the last state once, when the display is finished or dropped.
///
/// ```
/// use workbench_display::{Figure, Live, Panel};
/// let mut live = Live::new();
/// let (mut x, mut y) = (vec![], vec![]);
/// for step in 1..=3 {
///     x.push(f64::from(step));
///     y.push(1.0 / f64::from(step));
///     live.show(&Figure::new("Loss").panel(Panel::new("").line("loss", &x, &y)))?;
/// }
/// live.finish();
/// # Ok::<(), workbench_display::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Live {
    slot: Slot,
    /// The least time between two updates, and when the last one was sent.
    gap: Duration,
    last: Option<Instant>,
    /// A state that has not been sent.
    waiting: Option<Bundle>,
}

impl Live {
    /// A display that shows nothing yet and sends every update. The kernel passes on the latest one of each twentieth of a second, so
    /// updating more often costs little.
    pub fn new() -> Live {
        Live::default()
    }

    /// Sends at most this many updates a second; the ones between are replaced by the next. **Ranges** above 0; other values mean no
    /// limit. The last state waits for the next update, [`finish`](Live::finish) or the end of the variable, whichever is first.
    pub fn at_most(mut self, per_second: f64) -> Live {
        self.gap = Duration::try_from_secs_f64(1.0 / per_second).unwrap_or_default();
        self
    }

    /// Shows `what` in place of what was shown before.
    ///
    /// **Errors**: those of [`Showable::bundle`]; the output stays as it was. Cost: rendering, even for an update that is not sent.
    pub fn show<T: Showable + ?Sized>(&mut self, what: &T) -> Result<(), Error> {
        self.replace(what.bundle()?);
        Ok(())
    }

    fn replace(&mut self, bundle: Bundle) {
        let now = Instant::now();
        let early = self.last.is_some_and(|last| now.duration_since(last) < self.gap);
        if early || channel::host() == Host::Plain {
            self.waiting = Some(bundle);
        } else {
            self.waiting = None;
            self.last = Some(now);
            self.slot.send(&bundle);
        }
    }

    /// Sends the last state if it has not been sent. Dropping the display does the same.
    pub fn finish(mut self) {
        self.flush();
    }

    fn flush(&mut self) {
        let Some(bundle) = self.waiting.take() else { return };
        match channel::host() {
            Host::Plain => channel::write(&format!("{}\n", bundle.get(super::Mime::Plain).unwrap_or_default())),
            _ => self.slot.send(&bundle),
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.flush();
    }
}

/// Removes the outputs of the running cell; with `wait`, at the moment when the next output arrives, so that nothing flickers.
///
/// Outside our kernel: clears the screen of a terminal, else does nothing.
pub fn clear(wait: bool) {
    use std::io::IsTerminal;
    match channel::host() {
        Host::Kernel => {
            CLEARED.fetch_add(1, Ordering::Relaxed);
            channel::signal("clear", &[("wait", wait.into())]);
        }
        Host::Plain if std::io::stdout().is_terminal() => channel::write("\x1b[2J\x1b[H"),
        _ => {}
    }
}

/// How often outputs were removed: a display from before has no place any more.
static CLEARED: AtomicU64 = AtomicU64::new(0);

/// One updatable output at the kernel.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// Its id, and the state of [`CLEARED`] when it was made; `None` before the first time.
    made: Option<(String, u64)>,
}

impl Slot {
    /// Shows the bundle, in the place of the last one.
    pub fn send(&mut self, bundle: &Bundle) {
        if channel::host() != Host::Kernel {
            return emit(bundle);
        }
        let cleared = CLEARED.load(Ordering::Relaxed);
        let update = self.made.as_ref().is_some_and(|made| made.1 == cleared);
        if !update {
            self.made = Some((fresh_id(), cleared));
        }
        if let Some((id, _)) = &self.made {
            channel::display(&bundle.to_display(Some((id, update))));
        }
    }
}

/// An id that no other display of this session has, also not one of an earlier process.
fn fresh_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    static START: std::sync::OnceLock<u128> = std::sync::OnceLock::new();
    let start = START.get_or_init(|| {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        time.as_nanos() ^ (u128::from(std::process::id()) << 64)
    });
    format!("workbench-{start:x}-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

impl Live {
    /// As the last expression of a cell: sends what has not been sent and adds nothing.
    pub fn evcxr_display(&self) {
        if let Some(bundle) = &self.waiting {
            bundle::emit(bundle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame;
    use super::*;

    #[test]
    fn many_things_can_be_shown() {
        let table = frame(&[("x", &[1.5])]).unwrap();
        let mut live = Live::new();
        live.show("text").unwrap();
        live.show(&Bundle::new("bundle")).unwrap();
        live.show(&table).unwrap();
        live.show(&Table::new(table)).unwrap();
        live.show(&Panel::new("p").line("y", &[1.0, 2.0], &[3.0, 4.0])).unwrap();
        let last = live.waiting.clone().unwrap();
        assert!(live.show(&Figure::new("no panel")).is_err());
        assert_eq!(live.waiting.take(), Some(last), "a bad update leaves the display as it was");
    }

    #[test]
    fn ids_differ() {
        assert_ne!(fresh_id(), fresh_id());
    }

    #[test]
    fn odd_rates_are_no_limit() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Live::new().at_most(rate).gap, Duration::ZERO, "{rate}");
        }
        assert_eq!(Live::new().at_most(4.0).gap, Duration::from_millis(250));
    }
}
