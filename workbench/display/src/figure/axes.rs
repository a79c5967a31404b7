//! Axes: from values to pixels, and where ticks and their labels go.

use crate::number;

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spread {
    Linear,
    Log,
}

/// One axis: the shown range of values and the pixels its ends lie on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub spread: Spread,
    pub low: f64,
    pub high: f64,
    /// Pixel of `low`.
    pub from: f64,
    /// Pixel of `high`.
    pub to: f64,
}

impl Axis {
    /// The pixel of a value; values outside the range land outside the axis.
    pub fn pixel(&self, value: f64) -> f64 {
        let unit = match self.spread {
            Spread::Linear => (value - self.low) / (self.high - self.low),
            Spread::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        self.from + unit * (self.to - self.from)
    }

    pub fn length(&self) -> f64 {
        (self.to - self.from).abs()
    }
}

/// Ticks of an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ticks {
    /// Labelled ticks.
    pub major: Vec<(f64, String)>,
    /// Unlabelled ticks.
    pub minor: Vec<f64>,
    /// A common factor of all labels, such as `×10⁵`, to be written once at the end of the axis.
    pub factor: Option<String>,
}

impl Ticks {
    /// Only the whole numbers among them, for values that are all whole; all of them where fewer than two would be left.
    pub fn whole(self) -> Ticks {
        let is_whole = |v: f64| (v - v.round()).abs() < 1e-9;
        let major: Vec<_> = self.major.iter().filter(|(v, _)| is_whole(*v)).collect();
        if major.len() < 2 || major.len() == self.major.len() || self.factor.is_some() {
            return self;
        }
        let major = major.into_iter().map(|(v, _)| (*v, format!("{v:.0}").replace('-', "−"))).collect();
        Ticks { major, minor: self.minor.into_iter().filter(|v| is_whole(*v)).collect(), factor: None }
    }
}

/// A range that shows all values with a little room around them.
///
/// `room` is the share of the range added at each end.
pub(crate) fn range(spread: Spread, low: f64, high: f64, room: f64) -> (f64, f64) {
    match spread {
        Spread::Linear => {
            let width = high - low;
            if width <= f64::EPSILON * low.abs().max(high.abs()) {
                let half = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
                return (low - half, high + half);
            }
            // A range that starts at zero keeps its zero.
            let start = if low == 0.0 { 0.0 } else { low - room * width };
            let end = if high == 0.0 { 0.0 } else { high + room * width };
            (start.max(f64::MIN), end.min(f64::MAX))
        }
        Spread::Log => {
            let ratio = high / low;
            if ratio <= 1.0 + 1e-12 {
                return (low / 2.0, high * 2.0);
            }
            let factor = ratio.powf(room);
            ((low / factor).max(f64::MIN_POSITIVE), (high * factor).min(f64::MAX))
        }
    }
}

/// Ticks with about `most` labels or fewer, but at least two where a linear axis allows it.
pub(crate) fn ticks(spread: Spread, low: f64, high: f64, most: usize) -> Ticks {
    match spread {
        Spread::Linear => linear(low, high, most.max(2)),
        Spread::Log => log(low, high, most.max(2)),
    }
}

/// The smallest step of the form 1, 2 or 5 times a power of ten with at most `most` ticks in the range.
fn step(low: f64, high: f64, most: usize) -> f64 {
    let raw = (high - low) / most as f64;
    let mut decade = 10f64.powf(raw.log10().floor());
    loop {
        for factor in [1.0, 2.0, 5.0] {
            let step = decade * factor;
            let count = (high / step + 1e-9).floor() - (low / step - 1e-9).ceil() + 1.0;
            if count <= most as f64 {
                return step;
            }
        }
        decade *= 10.0;
    }
}

fn linear(low: f64, high: f64, most: usize) -> Ticks {
    let ends = |step: f64| ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    // One label says nothing about the scale, so there are at least two, and at most five more than asked for.
    let step = (most..most + 6)
        .map(|most| step(low, high, most))
        .find(|&step| ends(step).1 > ends(step).0)
        .unwrap_or_else(|| step(low, high, most));
    let (first, last) = ends(step);
    let values: Vec<f64> = (first..=last).map(|i| i as f64 * step).collect();
    let largest = low.abs().max(high.abs());
    let exponent = largest.log10().floor() as i32;
    let scaled = !(-3..5).contains(&exponent);
    let unit = if scaled { 10f64.powi(exponent) } else { 1.0 };
    let decimals = (-(step / unit).log10() - 1e-9).ceil().max(0.0) as usize;
    let label = |v: f64| {
        let text = format!("{:.decimals$}", v / unit).replace('-', "−");
        // "−0" and "−0.0" are zero.
        if text.trim_matches(['−', '0', '.']).is_empty() { text.replace('−', "") } else { text }
    };
    let fifth = step / if is_two(step) { 4.0 } else { 5.0 };
    let mut minor = Vec::new();
    let start = (low / fifth - 1e-9).ceil();
    for k in 0..200 {
        let i = start + f64::from(k);
        if i * fifth > high + 1e-9 * step {
            break;
        }
        if ((i * fifth / step) - (i * fifth / step).round()).abs() > 1e-6 {
            minor.push(i * fifth);
        }
    }
    Ticks {
        major: values.into_iter().map(|v| (v, label(v))).collect(),
        minor,
        factor: scaled.then(|| format!("×{}", number::power_of_ten(exponent))),
    }
}

/// Whether a step is 2 times a power of ten.
fn is_two(step: f64) -> bool {
    let mantissa = step / 10f64.powf(step.log10().floor());
    (mantissa - 2.0).abs() < 0.01
}

fn log(low: f64, high: f64, most: usize) -> Ticks {
    let inside = |v: f64| v >= low * (1.0 - 1e-9) && v <= high * (1.0 + 1e-9);
    let first = (low.log10() - 1e-9).ceil() as i32;
    let last = (high.log10() + 1e-9).floor() as i32;
    let decades = last - first + 1;
    let below = low.log10().floor() as i32;
    let above = high.log10().floor() as i32;
    let multiples = |factors: &[u8]| -> Vec<(i32, u8, f64)> {
        (below..=above)
            .flat_map(|k| factors.iter().map(move |&m| (k, m, f64::from(m) * 10f64.powi(k))))
            .filter(|&(_, _, v)| inside(v))
            .collect()
    };
    if decades >= 2 {
        let stride = (decades as usize).div_ceil(most).max(1) as i32;
        // Counting from zero keeps 10⁰ labelled whenever it is shown.
        let major = (first..=last)
            .filter(|k| k.rem_euclid(stride) == 0)
            .map(|k| (10f64.powi(k), number::power_of_ten(k)))
            .collect();
        let minor = if stride == 1 && decades <= 12 {
            multiples(&[2, 3, 4, 5, 6, 7, 8, 9]).into_iter().map(|(_, _, v)| v).collect()
        } else {
            (first..=last).filter(|k| k.rem_euclid(stride) != 0).map(|k| 10f64.powi(k)).collect()
        };
        return Ticks { major, minor, factor: None };
    }
    // Less than two decades: label multiples as well.
    for factors in [&[1, 2, 3, 4, 5, 6, 7, 8, 9][..], &[1, 2, 3, 5][..], &[1, 2, 5][..], &[1, 3][..]] {
        let labelled = multiples(factors);
        if (2..=most).contains(&labelled.len()) {
            let major: Vec<(f64, String)> = labelled.iter().map(|&(k, m, v)| (v, multiple_label(k, m))).collect();
            let minor = multiples(&[1, 2, 3, 4, 5, 6, 7, 8, 9])
                .into_iter()
                .map(|(_, _, v)| v)
                .filter(|v| !major.iter().any(|(w, _)| w == v))
                .collect();
            return Ticks { major, minor, factor: None };
        }
    }
    // A narrow range of a log axis is nearly linear.
    let mut ticks = linear(low, high, most);
    ticks.major.retain(|(v, _)| *v > 0.0);
    ticks.minor.retain(|v| *v > 0.0);
    ticks
}

fn multiple_label(exponent: i32, factor: u8) -> String {
    if (-3..4).contains(&exponent) {
        let decimals = (-exponent).max(0) as usize;
        format!("{:.decimals$}", f64::from(factor) * 10f64.powi(exponent))
    } else if factor == 1 {
        number::power_of_ten(exponent)
    } else {
        format!("{factor}×{}", number::power_of_ten(exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &Ticks) -> Vec<&str> {
        ticks.major.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn linear_ticks_are_round_numbers() {
        assert_eq!(labels(&ticks(Spread::Linear, -0.03, 1.04, 6)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&ticks(Spread::Linear, -12.0, 11.0, 6)), ["−10", "−5", "0", "5", "10"]);
        let large = ticks(Spread::Linear, 0.0, 250_000.0, 6);
        assert_eq!(labels(&large), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]);
        assert_eq!(large.factor.as_deref(), Some("×10⁵"));
    }

    #[test]
    fn there_are_two_labels_or_more_but_not_many_more_than_asked_and_none_outside() {
        for (low, high) in [(0.0, 1.0), (-7.3, 91.0), (1e-9, 3e-9), (999.0, 1001.0), (-5e7, -4e7)] {
            for most in 2..12 {
                let ticks = ticks(Spread::Linear, low, high, most);
                let width = high - low;
                assert!((2..=most.max(4)).contains(&ticks.major.len()), "{low} {high} {most}");
                assert!(ticks.major.iter().all(|(v, _)| *v >= low - 1e-6 * width && *v <= high + 1e-6 * width));
            }
        }
    }

    #[test]
    fn whole_values_have_whole_ticks() {
        assert_eq!(labels(&ticks(Spread::Linear, 0.8, 4.2, 8).whole()), ["1", "2", "3", "4"]);
        assert_eq!(labels(&ticks(Spread::Linear, -2.2, 2.2, 12).whole()), ["−2", "−1", "0", "1", "2"]);
        let narrow = ticks(Spread::Linear, 2.7, 3.3, 6);
        assert_eq!(narrow.clone().whole(), narrow, "one tick says nothing about the scale");
        let wide = ticks(Spread::Linear, 0.0, 100.0, 6);
        assert_eq!(wide.clone().whole(), wide);
    }

    #[test]
    fn decades_have_superscript_labels_and_eight_minor_ticks_each() {
        let ticks = ticks(Spread::Log, 0.01, 100.0, 8);
        assert_eq!(labels(&ticks), ["10⁻²", "10⁻¹", "10⁰", "10¹", "10²"]);
        assert_eq!(ticks.minor.len(), 4 * 8);
    }

    #[test]
    fn many_decades_are_thinned_evenly_through_one() {
        let ticks = ticks(Spread::Log, 1e-16, 1e3, 7);
        assert!(ticks.major.len() <= 7);
        assert!(labels(&ticks).contains(&"10⁰"));
    }

    #[test]
    fn a_short_log_range_labels_multiples() {
        let short = ticks(Spread::Log, 60.0, 600.0, 6);
        assert_eq!(labels(&short), ["100", "200", "300", "500"]);
        assert!(short.minor.contains(&400.0));
        let shorter = ticks(Spread::Log, 1.01, 1.09, 6);
        assert!(shorter.major.len() >= 2);
    }

    #[test]
    fn ranges_of_one_value_are_widened() {
        assert_eq!(range(Spread::Linear, 3.0, 3.0, 0.05), (2.7, 3.3));
        assert_eq!(range(Spread::Linear, 0.0, 0.0, 0.05), (-1.0, 1.0));
        assert_eq!(range(Spread::Log, 4.0, 4.0, 0.05), (2.0, 8.0));
        assert_eq!(range(Spread::Linear, 0.0, 1.0, 0.05).0, 0.0);
    }

    #[test]
    fn pixels_follow_the_spread() {
        let axis = Axis { spread: Spread::Log, low: 1.0, high: 100.0, from: 0.0, to: 200.0 };
        assert!((axis.pixel(10.0) - 100.0).abs() < 1e-9);
        let axis = Axis { spread: Spread::Linear, low: 0.0, high: 1.0, from: 100.0, to: 0.0 };
        assert_eq!(axis.pixel(0.25), 75.0);
    }
}
