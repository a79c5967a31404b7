//! The numbers of one loop and the words for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::{escape, number};
use super::curve::Curve;
use super::screen::Screen;
use workbench_ground::work::Step;

/// How a loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// All steps were done.
    Complete,
    /// A stop was requested.
    Stopped,
    /// The loop was left, in the step of this number if that is known.
    Left { in_step: Option<usize> },
}

/// The rate is averaged over about this time.
const MEMORY: f64 = 4.0;
/// Cells of the bar in plain text.
const BAR: usize = 20;
/// Significant digits of a reported value.
const DIGITS: usize = 4;

pub(crate) struct State {
    pub name: String,
    pub unit: String,
    pub of: Option<usize>,
    pub curve: Option<Curve>,
    pub values: Vec<(String, f64)>,
    /// What an observed computation calls its value.
    pub told: String,
    /// What its caller calls it.
    pub chosen: Option<String>,
    /// When the loop began; `None` before.
    pub began: Option<Instant>,
    pub end: Option<End>,
    /// How long an ended loop took.
    took: Duration,
    rate: Rate,
    /// Where the running loop is shown.
    pub screen: Option<Arc<Screen>>,
}

impl State {
    pub fn new(name: &str) -> State {
        State {
            name: name.to_string(),
            unit: "steps".to_string(),
            of: None,
            curve: None,
            values: Vec::new(),
            told: "value".to_string(),
            chosen: None,
            began: None,
            end: None,
            took: Duration::ZERO,
            rate: Rate::default(),
            screen: None,
        }
    }

    pub fn begin(&mut self, of: Option<usize>) {
        self.of = of;
        self.values.clear();
        self.curve = self.curve.take().map(Curve::emptied);
        self.began = Some(Instant::now());
        self.end = None;
        self.rate = Rate::default();
    }

    pub fn running(&self) -> bool {
        self.began.is_some() && self.end.is_none()
    }

    pub fn finish(&mut self, done: usize, end: End, now: Instant) {
        self.took = self.elapsed(now);
        self.end = Some(end);
        // A loop of unknown length has now the length it had.
        if end == End::Complete {
            self.of = Some(done);
        }
    }

    pub fn set_value(&mut self, name: &str, value: f64, step: usize) {
        let index = match self.values.iter().position(|(n, _)| n == name) {
            Some(index) => {
                self.values[index].1 = value;
                index
            }
            None => {
                self.values.push((name.to_string(), value));
                self.values.len() - 1
            }
        };
        if let Some(curve) = &mut self.curve {
            curve.push(index, step, value);
        }
    }

    /// Takes over where an observed computation stands.
    pub fn observe(&mut self, step: Step) {
        self.of = Some(step.of);
        if let Some(value) = step.value {
            let name = self.chosen.as_ref().unwrap_or(&self.told).clone();
            self.set_value(&name, value, step.done);
        }
    }

    fn elapsed(&self, now: Instant) -> Duration {
        match (self.end, self.began) {
            (Some(_), _) => self.took,
            (None, Some(began)) => now.duration_since(began),
            (None, None) => Duration::ZERO,
        }
    }

    /// Takes note of how far the loop is, for the rate.
    pub fn note(&mut self, done: usize, now: Instant) {
        let elapsed = self.elapsed(now).as_secs_f64();
        self.rate.note(done, elapsed);
    }

    /// The state in one line, without a bar.
    pub fn line(&self, done: usize, now: Instant) -> String {
        format!("{}: {}", self.name, self.words(done, now))
    }

    /// The state in one line with a bar while the loop runs, for plain text.
    pub fn bar_line(&self, done: usize, now: Instant) -> String {
        match (self.end, self.of) {
            (None, Some(of)) if of > 0 => {
                let full = (done as u128 * BAR as u128 / of as u128).min(BAR as u128) as usize;
                let bar = "█".repeat(full) + &"░".repeat(BAR - full);
                format!("{}: {bar} {} %, {}", self.name, percent(done, of), self.words(done, now))
            }
            _ => self.line(done, now),
        }
    }

    /// The state as HTML without script: a progress element while the loop runs, words alone when it has ended.
    pub fn html(&self, done: usize, now: Instant) -> String {
        let (name, words) = (escape::html(&self.name), escape::html(&self.words(done, now)));
        let bar = match (self.end, self.of) {
            (Some(End::Complete), _) => return format!("<div>{name}: {words}</div>"),
            (Some(_), _) => return format!("<div><strong>{name}:</strong> {words}</div>"),
            (None, Some(of)) => {
                let value = done.min(of);
                format!("max=\"{}\" value=\"{value}\">{} %", of.max(1), percent(done, of))
            }
            // Without a value the element says that something runs.
            (None, None) => ">".to_string(),
        };
        format!(
            "<div><label>{name} <progress style=\"width:16em;vertical-align:middle\" {bar}</progress></label> {words}</div>"
        )
    }

    fn words(&self, done: usize, now: Instant) -> String {
        let elapsed = self.elapsed(now);
        let single = singular(&self.unit);
        let of = |of: usize| format!("{} of {} {}", thousands(done), thousands(of), self.units(of));
        let mut parts = Vec::new();
        match (self.end, self.of) {
            (Some(End::Stopped), Some(of)) => {
                parts.push(format!("stopped at {single} {} of {} as you asked", thousands(done), thousands(of)));
            }
            (Some(End::Stopped), None) => parts.push(format!("stopped at {single} {} as you asked", thousands(done))),
            (Some(End::Left { in_step: Some(step) }), Some(of)) => {
                parts.push(format!("left in {single} {} of {}", thousands(step), thousands(of)));
            }
            (Some(End::Left { in_step: Some(step) }), None) => {
                parts.push(format!("left in {single} {}", thousands(step)));
            }
            (Some(End::Left { in_step: None }), Some(n)) => parts.push(format!("left after {}", of(n))),
            (_, Some(n)) => parts.push(of(n)),
            (_, None) => parts.push(format!("{} {}", thousands(done), self.units(done))),
        }
        if self.end.is_some() {
            parts.push(duration(elapsed.as_secs_f64()));
        } else if let Some(rate) = self.rate.per_second(done, elapsed.as_secs_f64()) {
            parts.push(if rate >= 1.0 {
                format!("{} {}/s", rounded(rate), self.unit)
            } else {
                format!("{} per {single}", duration(1.0 / rate))
            });
            if let Some(of) = self.of {
                parts.push(format!("{} left", duration(of.saturating_sub(done) as f64 / rate)));
            }
        }
        let values = self.values.iter();
        parts.extend(values.map(|(name, value)| format!("{name} {}", number::significant(*value, DIGITS))));
        parts.join(", ")
    }

    fn units(&self, n: usize) -> &str {
        if n == 1 { singular(&self.unit) } else { &self.unit }
    }
}

/// The singular of a regular English plural.
pub(crate) fn singular(plural: &str) -> &str {
    let hissing = ["ches", "shes", "sses", "xes"].iter().any(|ending| plural.ends_with(ending));
    let ending = if hissing { "es" } else { "s" };
    plural.strip_suffix(ending).unwrap_or(plural)
}

/// Steps per second, over the last few seconds: steps and seconds are both forgotten, so that the share of a long wait is its length.
#[derive(Default)]
struct Rate {
    last: Option<(usize, f64)>,
    steps: f64,
    seconds: f64,
}

/// Who reports from the first step on begins to be timed with that report, which therefore says nothing of the pace.
const AT_ONCE: f64 = 1e-3;

impl Rate {
    fn note(&mut self, done: usize, elapsed: f64) {
        let (before, then) = match self.last {
            None if elapsed < AT_ONCE => {
                self.last = Some((done, elapsed));
                return;
            }
            last => last.unwrap_or_default(),
        };
        let (steps, time) = (done.saturating_sub(before), elapsed - then);
        if steps == 0 || time <= 0.0 {
            return;
        }
        let kept = (-time / MEMORY).exp();
        self.steps = kept * self.steps + steps as f64;
        self.seconds = kept * self.seconds + time;
        self.last = Some((done, elapsed));
    }

    fn per_second(&self, done: usize, elapsed: f64) -> Option<f64> {
        let rate = match (self.seconds > 0.0, self.last) {
            (true, _) => Some(self.steps / self.seconds),
            (false, None) => (done > 0 && elapsed > 0.0).then(|| done as f64 / elapsed),
            (false, Some(_)) => None,
        };
        rate.filter(|rate| rate.is_finite() && *rate > 0.0)
    }
}

fn percent(done: usize, of: usize) -> u128 {
    if of == 0 { 100 } else { (done as u128 * 100 / of as u128).min(100) }
}

/// A whole number with commas between groups of three digits.
pub(crate) fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Three digits for a rate.
fn rounded(rate: f64) -> String {
    if rate >= 1000.0 {
        let unit = 10f64.powf(rate.log10().floor() - 2.0);
        thousands(((rate / unit).round() * unit).round() as usize)
    } else {
        number::significant(rate, 3)
    }
}

/// A duration in seconds as a reader says it.
pub(crate) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "unknown time".to_string();
    }
    match seconds {
        s if s < 0.001 => "under 1 ms".to_string(),
        s if s < 0.0995 => format!("{} ms", number::significant(s * 1e3, if s < 0.01 { 2 } else { 3 })),
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 59.5 => format!("{s:.0} s"),
        s if s < 3570.0 => {
            let s = s.round() as usize;
            format!("{} min {} s", s / 60, s % 60)
        }
        s => {
            let minutes = (s / 60.0).round() as usize;
            match (minutes / 60, minutes % 60) {
                (hours @ ..48, minutes) => format!("{hours} h {minutes} min"),
                (hours, _) => format!("{} days {} h", hours / 24, hours % 24),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1000), "1,000");
        assert_eq!(thousands(usize::MAX), "18,446,744,073,709,551,615");
        assert_eq!(duration(0.0), "under 1 ms");
        assert_eq!(duration(0.0034), "3.4 ms");
        assert_eq!(duration(0.0999), "0.1 s");
        assert_eq!(duration(3.24), "3.2 s");
        assert_eq!(duration(59.6), "1 min 0 s");
        assert_eq!(duration(125.0), "2 min 5 s");
        assert_eq!(duration(3590.0), "1 h 0 min");
        assert_eq!(duration(7.3 * 3600.0), "7 h 18 min");
        assert_eq!(duration(75.0 * 3600.0), "3 days 3 h");
        assert_eq!(duration(f64::INFINITY), "unknown time");
        assert_eq!(rounded(1_234_567.0), "1,230,000");
        assert_eq!(rounded(45.678), "45.7");
    }

    #[test]
    fn units_have_a_singular() {
        for (plural, single) in [
            ("steps", "step"),
            ("epochs", "epoch"),
            ("batches", "batch"),
            ("boxes", "box"),
            ("runs", "run"),
            ("data", "data"),
        ] {
            assert_eq!(singular(plural), single);
        }
    }

    #[test]
    fn the_rate_follows_and_an_average_bridges_gaps() {
        let mut rate = Rate::default();
        assert_eq!(rate.per_second(0, 1.0), None);
        assert_eq!(rate.per_second(10, 2.0), Some(5.0));
        rate.note(100, 1.0);
        rate.note(100, 2.0);
        assert_eq!(rate.per_second(100, 2.0), Some(100.0));
        // Ten times slower for a long time: the old rate is forgotten.
        for k in 1..=300 {
            rate.note(100 + 10 * k, 1.0 + k as f64);
        }
        assert!((rate.per_second(3100, 301.0).unwrap() - 10.0).abs() < 1e-6);
    }

    #[test]
    fn a_report_at_once_says_nothing_of_the_pace() {
        let mut rate = Rate::default();
        rate.note(16, 2e-6);
        assert_eq!(rate.per_second(16, 3e-6), None);
        rate.note(32, 0.7);
        assert!((rate.per_second(32, 0.7).unwrap() - 16.0 / 0.7).abs() < 0.01);
        // A fast stretch and a slow one: what is left is counted by the seconds that each took.
        let mut rate = Rate::default();
        rate.note(1000, 0.01);
        rate.note(1010, 1.01);
        assert!(rate.per_second(1010, 1.01).unwrap() < 1200.0);
    }
}
