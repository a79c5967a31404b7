//! Numbers as prose writes them: `1.9`, `−0.25`, `12,400`, `98.5 %`, `1.3×10⁻⁵`, `10⁻⁸`, `2.5e-16`, `three`.

use workbench_record::number::{in_groups, power_of_ten, raised};

/// How prose may write them, for a message.
pub const SPELLINGS: &str = "1.9, −0.25, 12,400, 98.5 %, 1.3×10⁻⁵, 10⁻⁸, 2.5e-16, three";

/// A number in prose: its value, how far a measured one may lie from it, and how it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numeral {
    /// The number.
    pub value: f64,
    /// Half a unit of the last digit that is written.
    half: f64,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// `none`, `no`, `zero` to `twelve`; which word stands for nothing.
    Word(&'static str),
    /// Digits, with so many after the point.
    Plain { decimals: usize, percent: bool, grouped: bool },
    /// A power of ten, with so many digits after the point of what stands before it, if anything does.
    Power { decimals: Option<usize> },
    /// The same as programs write it, `2.5e-16`.
    Exponent { decimals: usize },
}

const WORDS: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

impl Numeral {
    /// Reads one; nothing if the text is no number, or one that no measured value can be: around infinity, every value would be it.
    pub fn read(text: &str) -> Option<Numeral> {
        let text = text.trim();
        let read = word(text).or_else(|| power(text)).or_else(|| exponent(text)).or_else(|| plain(text));
        read.filter(|numeral| numeral.value.is_finite() && numeral.half.is_finite())
    }

    /// Whether a measured value, rounded to the digits that are written, is this number.
    pub fn is(&self, measured: f64) -> bool {
        match self.form {
            Form::Power { decimals: None } => measured > 0.0 && (measured / self.value).log10().abs() <= 0.5,
            // The last digit of what was measured may itself be rounded.
            _ => (measured - self.value).abs() <= self.half * (1.0 + 1e-9),
        }
    }

    /// A measured value in the form of this one.
    pub fn write(&self, measured: f64) -> String {
        match self.form {
            Form::Word(nothing) => match whole(measured) {
                Some(0) => nothing.to_string(),
                Some(n) if n < WORDS.len() => WORDS[n].to_string(),
                Some(n) => n.to_string(),
                None => digits(measured, 2),
            },
            Form::Plain { decimals, percent, grouped } => {
                let scaled = if percent { 100.0 * measured } else { measured };
                // No digit would be left of a number that became much smaller: then two stay.
                let lost = scaled != 0.0 && self.value != 0.0 && scaled.abs() < 0.5 * 10f64.powi(-(decimals as i32));
                if lost && leading(scaled) > 4 {
                    // Zeros that nobody counts.
                    return Numeral { form: Form::Power { decimals: Some(1) }, ..*self }.write(measured);
                }
                let decimals = if lost { leading(scaled) + 1 } else { decimals };
                let text = digits(scaled, decimals);
                format!("{}{}", if grouped { in_groups(&text) } else { text }, if percent { " %" } else { "" })
            }
            Form::Power { decimals: None } => power_of_ten(measured.abs().log10().round() as i32),
            Form::Power { decimals: Some(decimals) } => {
                let (front, exponent) = in_powers(measured, decimals);
                format!("{front}×{}", power_of_ten(exponent))
            }
            Form::Exponent { decimals } => {
                let (front, exponent) = in_powers(measured, decimals);
                format!("{front}e{exponent}")
            }
        }
    }
}

/// What stands before a power of ten, with so many digits after the point, and the power.
fn in_powers(measured: f64, decimals: usize) -> (String, i32) {
    let mut exponent = if measured == 0.0 { 0 } else { measured.abs().log10().floor() as i32 };
    let mut front = measured / 10f64.powi(exponent);
    if digits(front.abs(), decimals).starts_with("10") {
        exponent += 1;
        front /= 10.0;
    }
    (digits(front, decimals), exponent)
}

/// Places after the point down to the first digit that is not zero.
fn leading(x: f64) -> usize {
    (-x.abs().log10().floor()).max(0.0) as usize
}

fn whole(x: f64) -> Option<usize> {
    (x >= 0.0 && x == x.trunc() && x < 1e9).then_some(x as usize)
}

fn digits(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().any(|b| matches!(b, b'1'..=b'9')) => format!("−{rest}"),
        Some(rest) => rest.to_string(),
        None => text,
    }
}

fn word(text: &str) -> Option<Numeral> {
    let lower = text.to_lowercase();
    let (value, nothing) = match lower.as_str() {
        "none" => (0, "none"),
        "no" => (0, "no"),
        other => (WORDS.iter().position(|word| *word == other)?, "zero"),
    };
    Some(Numeral { value: value as f64, half: 0.0, form: Form::Word(nothing) })
}

fn power(text: &str) -> Option<Numeral> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (front, exponent) = text.rsplit_once("10")?;
    let unit = 10f64.powi(raised(exponent)?);
    if !unit.is_normal() {
        return None;
    }
    let front = match front {
        "" => None,
        front => Some(plain(front.strip_suffix(['×', '·'])?)?),
    };
    let decimals = match front {
        None => None,
        Some(Numeral { form: Form::Plain { decimals, .. }, .. }) => Some(decimals),
        Some(_) => return None,
    };
    Some(Numeral {
        value: front.map_or(1.0, |front| front.value) * unit,
        half: front.map_or(0.0, |front| front.half) * unit,
        form: Form::Power { decimals },
    })
}

fn exponent(text: &str) -> Option<Numeral> {
    let (front, exponent) = text.split_once(['e', 'E'])?;
    let unit = 10f64.powi(exponent.replace('−', "-").parse().ok()?);
    match plain(front)? {
        Numeral { value, half, form: Form::Plain { decimals, percent: false, grouped: false } } if unit.is_normal() => {
            Some(Numeral { value: value * unit, half: half * unit, form: Form::Exponent { decimals } })
        }
        _ => None,
    }
}

fn plain(text: &str) -> Option<Numeral> {
    let (body, percent) = match text.strip_suffix('%') {
        Some(body) => (body.trim_end(), true),
        None => (text, false),
    };
    let (body, sign) = match body.strip_prefix(['-', '−']) {
        Some(body) => (body, -1.0),
        None => (body.strip_prefix('+').unwrap_or(body), 1.0),
    };
    let sound = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    if !body.starts_with(|c: char| c.is_ascii_digit()) || !body.chars().all(sound) {
        return None;
    }
    let grouped = body.contains(',');
    let value: f64 = body.replace(',', "").parse().ok()?;
    let decimals = body.split_once('.').map_or(0, |(_, after)| after.len());
    let unit = if percent { 0.01 } else { 1.0 };
    Some(Numeral {
        value: sign * value * unit,
        half: 0.5 * 10f64.powi(-(decimals as i32)) * unit,
        form: Form::Plain { decimals, percent, grouped },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_prose_writes_them() {
        for (text, value) in [
            ("1.9", 1.9),
            ("−0.25", -0.25),
            ("-3", -3.0),
            ("12,400", 12400.0),
            ("98.5 %", 0.985),
            ("7%", 0.07),
            ("1.3×10⁻⁵", 1.3e-5),
            ("2 · 10¹²", 2e12),
            ("10⁻⁸", 1e-8),
            ("2.5e-16", 2.5e-16),
            ("−3E−2", -0.03),
            ("Three", 3.0),
            ("none", 0.0),
        ] {
            let read = Numeral::read(text).unwrap_or_else(|| panic!("{text}"));
            assert!((read.value - value).abs() <= 1e-12 * value.abs(), "{text}: {}", read.value);
            assert!(read.is(value), "{text}");
        }
        let beyond = ["−0.2×10⁶⁸⁹⁸", "2×10⁻⁴⁰⁰", "10⁴⁰⁰", &"9".repeat(400)];
        for text in ["", "many", "1e", "e5", "7 %e3", "2e-400", "1.2.3", "x10⁻⁵", "10", "%", "1.3×5", "−"]
            .into_iter()
            .chain(beyond)
        {
            let read = Numeral::read(text);
            assert!(text == "10" || read.is_none(), "{text}: {read:?}");
        }
    }

    #[test]
    fn the_digits_that_are_written_decide() {
        for (text, same, other) in [
            ("1.9", 1.949, 1.96),
            ("12,400", 12400.4, 12401.0),
            ("98.5 %", 0.98549, 0.9856),
            ("1.3×10⁻⁵", 1.34e-5, 1.4e-5),
            ("10⁻⁸", 2.9e-8, 3.3e-8),
            ("2.5e-16", 2.54e-16, 2.6e-16),
            ("three", 3.0, 3.2),
            ("0", 0.0, 0.6),
        ] {
            let read = Numeral::read(text).unwrap();
            assert!(read.is(same) && !read.is(other), "{text}");
        }
    }

    #[test]
    fn another_number_is_written_in_the_form_of_the_old_one() {
        for (text, measured, written) in [
            ("1.9", 2.04, "2.0"),
            ("1.9", -0.31, "−0.3"),
            ("0.25", 0.00123, "0.0012"),
            ("1", 1.46e-14, "1.5×10⁻¹⁴"),
            ("12,400", 1_234_567.0, "1,234,567"),
            ("98.5 %", 0.07, "7.0 %"),
            ("1.3×10⁻⁵", 9.97e-4, "1.0×10⁻³"),
            ("10⁻⁸", 3.4e-8, "10⁻⁷"),
            ("2.5e-16", 9.97e-15, "1.0e-14"),
            ("2.5e-16", -3.12, "−3.1e0"),
            ("three", 12.0, "twelve"),
            ("three", 13.0, "13"),
            ("none", 0.0, "none"),
            ("none", 2.0, "two"),
        ] {
            let read = Numeral::read(text).unwrap();
            assert_eq!(read.write(measured), written, "{text}");
            assert!(Numeral::read(written).is_some_and(|again| again.is(measured)), "{written}");
        }
    }
}
