//! Numbers as text: shortest exact form for files, a few digits for cards.

/// The shortest decimal that reads back as the same `f64`; an exponent outside 1e-4..1e15.
pub fn shortest(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || (1e-4..1e15).contains(&size) {
        format!("{x}")
    } else {
        format!("{x:e}")
    }
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
    format!("{value} [{}, {}]", rounded(low, digits), rounded(high, digits))
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
    fn shortest_reads_back_bit_for_bit() {
        let values = [
            0.1,
            1.0 / 3.0,
            1e-300,
            5e-324,
            f64::MAX,
            -0.0,
            123456789.0,
            6.02e23,
            0.1 + 0.2,
        ];
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
        assert_eq!(
            with_interval(1.000000123, 1.000000120, 1.000000126),
            "1.000000123 [1.00000012, 1.000000126]"
        );
        assert_eq!(rounded(123456.0, 2), "120000");
        assert_eq!(rounded(0.0, 3), "0");
    }
}
