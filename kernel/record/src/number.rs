//! Numbers as text: shortest exact form for files, a few digits for cards, raised exponents and groups of thousands.

/// The digits as exponents are written.
const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// The shortest decimal that reads back as the same `f64`; an exponent outside 1e-4..1e15.
pub fn shortest(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || (1e-4..1e15).contains(&size) { format!("{x}") } else { format!("{x:e}") }
}

/// `x` rounded to `digits` significant digits, without trailing zeros.
pub fn rounded(x: f64, digits: usize) -> String {
    let text = format!("{x:.*e}", digits.clamp(1, 17) - 1);
    // Formatting and parsing a finite float cannot fail; what is not finite prints as itself.
    shortest(text.parse().unwrap_or(x))
}

/// Significant digits of a value that its interval supports: two digits of the half width, 4 to 12.
pub fn digits_for(value: f64, low: f64, high: f64) -> usize {
    let half = (high - low).abs() / 2.0;
    let size = value.abs().max(low.abs()).max(high.abs());
    if half == 0.0 || size == 0.0 {
        return 6;
    }
    ((size / half).log10().floor() + 3.0).clamp(4.0, 12.0) as usize
}

/// `1.512 [1.48, 1.54]`, or the value alone where the interval is a point.
pub fn with_interval(value: f64, low: f64, high: f64) -> String {
    let digits = digits_for(value, low, high);
    let value = rounded(value, digits);
    if low == high {
        return value;
    }
    let (below, above) = (rounded(low, digits), rounded(high, digits));
    // An interval of rounding alone has no width that anybody reads.
    if below == above { rounded(low, 6) } else { format!("{value} [{below}, {above}]") }
}

/// A text in which numbers with more than six digits have four.
pub fn brief(text: &str) -> String {
    let part = |c: char| c.is_ascii_digit() || c == '.';
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(from) = rest.find(part) {
        let (before, number) = rest.split_at(from);
        let (number, after) = number.split_at(number.find(|c| !part(c)).unwrap_or(number.len()));
        let long = number.contains('.') && number.len() > 7;
        let short = number.parse().ok().filter(|_| long).map(|value: f64| rounded(value, 4));
        out += before;
        out += short.as_deref().unwrap_or(number);
        rest = after;
    }
    out + rest
}

/// Digits and signs of `text` as Unicode superscripts; other characters are kept.
pub fn superscript(text: &str) -> String {
    text.chars()
        .map(|c| match (c, c.to_digit(10)) {
            (_, Some(digit)) => RAISED[digit as usize],
            ('-' | '−', _) => '⁻',
            ('+', _) => '⁺',
            _ => c,
        })
        .collect()
}

/// `10` with a superscript exponent.
pub fn power_of_ten(exponent: i32) -> String {
    format!("10{}", superscript(&exponent.to_string()))
}

/// The exponent that superscripts say.
pub fn raised(text: &str) -> Option<i32> {
    let plain: Option<String> = text
        .chars()
        .map(|c| match RAISED.iter().position(|raised| *raised == c) {
            Some(digit) => char::from_digit(digit as u32, 10),
            None => (c == '⁻').then_some('-'),
        })
        .collect();
    plain?.parse().ok()
}

/// A text with its plain numbers as people write them: `-1.5e-7 ± 2` is `−1.5×10⁻⁷ ± 2`.
pub fn typeset(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let begins = at == 0 || !(chars[at - 1].is_alphanumeric() || matches!(chars[at - 1], '_' | ')' | ']' | '.'));
        let negative = chars[at] == '-' && digit(at + 1);
        if !begins || !(negative || digit(at)) {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        if negative {
            out.push('−');
            at += 1;
        }
        let from = at;
        while digit(at) || (chars.get(at) == Some(&'.') && digit(at + 1)) {
            at += 1;
        }
        let front: String = chars[from..at].iter().collect();
        let sign = usize::from(matches!(chars.get(at + 1), Some('-' | '+')));
        if chars.get(at) != Some(&'e') || !digit(at + 1 + sign) {
            out.push_str(&front);
            continue;
        }
        let exponent = at + 1;
        at += 1 + sign;
        while digit(at) {
            at += 1;
        }
        if front != "1" {
            out.push_str(&front);
            out.push('×');
        }
        let exponent: String = chars[exponent..at].iter().filter(|c| **c != '+').collect();
        out.push_str(&format!("10{}", superscript(&exponent)));
    }
    out
}

/// `12400.5` as `12,400.5`; a sign before the digits stays before them.
pub fn in_groups(text: &str) -> String {
    let begin = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let (sign, number) = text.split_at(begin);
    let (front, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut out = String::from(sign);
    for (at, digit) in front.chars().enumerate() {
        if at > 0 && (front.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

/// A finite number in a table, exact and short.
pub(crate) mod exact {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(x: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::shortest(*x))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        super::finite(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// A finite number or nothing in a table.
pub(crate) mod optional {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(x: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&x.map_or(String::new(), super::shortest))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
        let text = String::deserialize(from)?;
        if text.is_empty() {
            return Ok(None);
        }
        super::finite(&text).map(Some).map_err(D::Error::custom)
    }
}

fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(format!("`{text}` is not a finite number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_raised_and_read_back() {
        for (exponent, text) in [(-12, "⁻¹²"), (0, "⁰"), (3_456_789, "³⁴⁵⁶⁷⁸⁹")] {
            assert_eq!(superscript(&exponent.to_string()), text);
            assert_eq!(raised(text), Some(exponent));
            assert_eq!(power_of_ten(exponent), format!("10{text}"));
        }
        assert_eq!(superscript("e+x"), "e⁺x");
        for text in ["", "⁻", "¹x", "12"] {
            assert_eq!(raised(text), None, "{text}");
        }
    }

    #[test]
    fn plain_numbers_in_a_text_are_written_as_people_do() {
        for (plain, set) in [
            ("-0.25 [-0.26, -0.24], expected -0.25 ± 1e-2", "−0.25 [−0.26, −0.24], expected −0.25 ± 10⁻²"),
            ("error at most 1.5e-12", "error at most 1.5×10⁻¹²"),
            ("in 2e+3 steps.", "in 2×10³ steps."),
            ("x_1 - 2, eq-1, (a)-1 and 1.2.3e", "x_1 - 2, eq-1, (a)-1 and 1.2.3e"),
        ] {
            assert_eq!(typeset(plain), set);
        }
    }

    #[test]
    fn long_numbers_in_a_text_are_cut() {
        let text = "expected -0.3333333333333333 ± 0.02, d = 1234567, 0.123456 or 1.23456789e-7.";
        assert_eq!(brief(text), "expected -0.3333 ± 0.02, d = 1234567, 0.1235 or 1.235e-7.");
    }

    #[test]
    fn thousands_are_grouped_before_the_point() {
        for (text, grouped) in
            [("12400.5", "12,400.5"), ("−1234567", "−1,234,567"), ("999", "999"), ("0.1234", "0.1234"), ("", "")]
        {
            assert_eq!(in_groups(text), grouped);
        }
    }

    #[test]
    fn shortest_reads_back_bit_for_bit() {
        let values = [0.1, 1.0 / 3.0, 1e-300, 5e-324, f64::MAX, -0.0, 123456789.0, 6.02e23, 0.1 + 0.2];
        for x in values {
            let back: f64 = shortest(x).parse().unwrap();
            assert_eq!(back.to_bits(), x.to_bits(), "{x:e}");
        }
        assert_eq!(shortest(1.0), "1");
        assert_eq!(shortest(1.5e-9), "1.5e-9");
    }

    #[test]
    fn digits_follow_the_interval() {
        assert_eq!(with_interval(1.51234567, 1.48, 1.54), "1.512 [1.48, 1.54]");
        assert_eq!(with_interval(0.25, 0.25, 0.25), "0.25");
        assert_eq!(with_interval(1.000000123, 1.000000120, 1.000000126), "1.000000123 [1.00000012, 1.000000126]");
        assert_eq!(with_interval(-0.102_164_011_372_1, -0.102_164_011_372_2, -0.102_164_011_372), "-0.102164");
        assert_eq!(rounded(123456.0, 2), "120000");
        assert_eq!(rounded(0.0, 3), "0");
    }
}
