//! Findings and verdicts in words, for people: digits that mean something, counts with their unit.

use workbench_ground::stats::Estimate;
use workbench_record::number::{in_groups, superscript};

use super::finding::{Finding, Rule};

/// What a finding measured: `0.251 [0.247, 0.255]`, `3.2×10⁻¹⁴`, `12 of 624 prompts`.
pub(crate) fn measured(finding: &Finding) -> String {
    let Estimate { value, low, high, .. } = finding.measured();
    let exact = low == high;
    if is_tally(finding) {
        return format!("{} of {}", number(value, 0), counted(finding));
    }
    if exact {
        return match whole(value) {
            true => number(value, 0),
            false => number(value, decimals(value, value.abs() / 50.0)),
        };
    }
    // Two digits of the half width, and no finer than a tenth of what is tolerated.
    let mut unit = (high - low) / 20.0;
    if let Rule::Equals { tolerance, .. } = finding.rule() {
        unit = unit.max(tolerance / 10.0);
    }
    let size = value.abs().max(low.abs()).max(high.abs());
    let places = decimals(size, unit);
    if tiny(size) {
        let digits = (places + size.log10().floor() as i32).max(0);
        let number = |x: f64| power(x, digits);
        return format!("{} [{}, {}]", number(value), number(low), number(high));
    }
    format!("{} [{}, {}]", number(value, places), number(low, places), number(high, places))
}

/// What the prediction asks for: `0.25 ± 0.02`, `at most 10⁻¹²`, `none`.
pub(crate) fn expected(finding: &Finding) -> String {
    match finding.rule() {
        Rule::Equals { expected, tolerance: 0.0 } => format!("exactly {}", short(expected)),
        Rule::Equals { expected, tolerance } => format!("{} ± {}", short(expected), short(tolerance)),
        Rule::Near { expected, allowance: 0.0 } => format!("{} in the interval", short(expected)),
        Rule::Near { expected, allowance } => format!("{} within {}", short(expected), short(allowance)),
        Rule::AtLeast(0.0) => "not below 0".to_string(),
        Rule::AtMost(0.0) => "not above 0".to_string(),
        Rule::AtMost(bound) => format!("at most {}", short(bound)),
        Rule::AtLeast(bound) => format!("at least {}", short(bound)),
        Rule::Excludes(alternative) => format!("not {}", short(alternative)),
        Rule::Identity { tolerance: 0.0 } => "none".to_string(),
        Rule::Identity { tolerance } => format!("at most {}", short(tolerance)),
    }
}

/// Whether the measurement is said as so many of so many.
fn is_tally(finding: &Finding) -> bool {
    let Estimate { value, n, .. } = finding.measured();
    matches!(finding.rule(), Rule::Identity { tolerance: 0.0 }) && whole(value) && n > 1 && value <= n as f64
}

/// What stands behind a finding, with its unit: `624 labels`; nothing where the measurement says it.
pub(crate) fn behind(finding: &Finding) -> String {
    match is_tally(finding) {
        true => String::new(),
        false => counted(finding),
    }
}

fn counted(finding: &Finding) -> String {
    let n = number(finding.measured().n as f64, 0);
    match finding.unit_text() {
        "" => n,
        unit => format!("{n} {unit}"),
    }
}

fn whole(x: f64) -> bool {
    x == x.trunc() && x.abs() < 1e9
}

fn tiny(size: f64) -> bool {
    size != 0.0 && !(1e-3..1e6).contains(&size)
}

/// A stated number with up to four digits, as few as say it.
fn short(x: f64) -> String {
    if whole(x) && x.abs() < 1e6 {
        return number(x, 0);
    }
    let exponent = x.abs().log10().floor() as i32;
    for digits in 0..3 {
        let rounded = format!("{x:.*e}", digits as usize);
        if rounded.parse() == Ok(x) {
            return place(x, exponent, digits);
        }
    }
    place(x, exponent, 3)
}

fn place(x: f64, exponent: i32, digits: i32) -> String {
    match tiny(x.abs()) {
        true => power(x, digits),
        false => number(x, digits - exponent),
    }
}

/// Places after the point at which a step of `unit` is seen; below zero before it.
fn decimals(size: f64, unit: f64) -> i32 {
    if unit <= 0.0 || size == 0.0 {
        return 3;
    }
    -(unit.log10().floor() as i32)
}

/// With so many places after the point, groups of three before it, and a true minus.
fn number(x: f64, places: i32) -> String {
    if tiny(x.abs()) && !whole(x) {
        return power(x, (places + x.abs().log10().floor() as i32).clamp(0, 3));
    }
    let text = format!("{:.*}", places.max(0) as usize, x.abs());
    let zero = text.bytes().all(|b| matches!(b, b'0' | b'.'));
    let long = text.find('.').unwrap_or(text.len()) > 4;
    let text = if long { in_groups(&text) } else { text };
    format!("{}{text}", if x < 0.0 && !zero { "−" } else { "" })
}

/// `3.2×10⁻¹⁴`, and `10⁻¹²` for a power itself.
fn power(x: f64, digits: i32) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    let text = format!("{:.*e}", digits.clamp(0, 11) as usize, x.abs());
    let (front, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let raised = superscript(exponent);
    let sign = if x < 0.0 { "−" } else { "" };
    match front {
        "1" => format!("{sign}10{raised}"),
        front => format!("{sign}{front}×10{raised}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(value: f64, low: f64, high: f64) -> Estimate {
        Estimate { value, low, high, n: 40, confidence: 0.999 }
    }

    #[test]
    fn a_measurement_has_the_digits_that_mean_something() {
        for (finding, said) in [
            (
                Finding::equals("x", -0.5, 0.01, interval(-0.4999999746, -0.5000000033, -0.49999)),
                "−0.500 [−0.500, −0.500]",
            ),
            (Finding::at_least("x", 0.0, interval(0.2512, 0.2471, 0.2554)), "0.2512 [0.2471, 0.2554]"),
            (Finding::at_least("x", 0.0, interval(12345.6, 12001.0, 12700.0)), "12,346 [12,001, 12,700]"),
            (Finding::at_most("x", 1.0, interval(2.31e-7, 1.9e-7, 2.7e-7)), "2.31×10⁻⁷ [1.90×10⁻⁷, 2.70×10⁻⁷]"),
            (Finding::identity("x", 2.894238e-14, 1e-12), "2.89×10⁻¹⁴"),
            (Finding::identity("x", 0.0, 0.0).cases(624).unit("labels"), "0 of 624 labels"),
            (Finding::identity("x", 12.0, 0.0), "12"),
            (Finding::identity("x", 0.127095, 0.2), "0.127"),
        ] {
            assert_eq!(measured(&finding), said);
        }
    }

    #[test]
    fn a_prediction_is_said_shortly() {
        let any = interval(1.0, 0.9, 1.1);
        for (finding, said) in [
            (Finding::equals("x", 0.25, 0.02, any), "0.25 ± 0.02"),
            (Finding::equals("x", 1.0 / 3.0, 0.1, any), "0.3333 ± 0.1"),
            (Finding::near("x", 2.0, 0.0, any), "2 in the interval"),
            (Finding::at_least("x", 0.0, any), "not below 0"),
            (Finding::at_most("x", 12500.0, any), "at most 12,500"),
            (Finding::excludes("x", -1.5, any), "not −1.5"),
            (Finding::identity("x", 0.0, 1e-12), "at most 10⁻¹²"),
            (Finding::identity("x", 0.0, 5e-9), "at most 5×10⁻⁹"),
            (Finding::identity("x", 0.0, 0.0), "none"),
        ] {
            assert_eq!(expected(&finding), said);
        }
    }
}
