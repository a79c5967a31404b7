//! Numbers as text: fixed significant digits, the same rule for tables, figures and exports.

pub(crate) use workbench_record::number::power_of_ten;

/// A number with a fixed count of significant digits.
///
/// Between 1e-4 and 1e6 the decimal form is used and integer digits are never rounded away; outside, the form `1.235e-7`.
///
/// ```
/// use workbench_display::significant;
/// assert_eq!(significant(0.00123456, 4), "0.001235");
/// assert_eq!(significant(123456.7, 4), "123457");
/// assert_eq!(significant(-1.5e-9, 3), "-1.50e-9");
/// assert_eq!(significant(0.0, 4), "0");
/// ```
pub fn significant(value: f64, digits: usize) -> String {
    let digits = digits.clamp(1, 17);
    if value.is_nan() {
        return "NaN".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_string();
    }
    if value == 0.0 {
        return "0".to_string();
    }
    // The exponent after rounding, so that 9.9996 with 4 digits counts as 10.00.
    let scientific = format!("{:.*e}", digits - 1, value);
    let exponent: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if !(-4..6).contains(&exponent) {
        return scientific;
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    format!("{value:.decimals$}")
}

/// A short form for a tick or a range: up to `digits` significant digits, no trailing zeros, `2×10⁻⁷` when extreme.
pub(crate) fn short(value: f64, digits: usize) -> String {
    let text = significant(value, digits);
    let (mantissa, exponent) = match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()),
        None => (text.as_str(), None),
    };
    let trimmed = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    let signed = trimmed.replace('-', "−");
    match exponent {
        Some(power) if trimmed == "1" => power_of_ten(power),
        Some(power) => format!("{signed}×{}", power_of_ten(power)),
        None => signed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_up_to_the_next_decade_keeps_the_digit_count() {
        assert_eq!(significant(9.9996, 4), "10.00");
        assert_eq!(significant(0.99996, 4), "1.000");
        assert_eq!(significant(999999.7, 4), "1.000e6");
    }

    #[test]
    fn special_values_have_names() {
        assert_eq!(significant(f64::NAN, 3), "NaN");
        assert_eq!(significant(f64::NEG_INFINITY, 3), "-inf");
        assert_eq!(significant(-0.0, 3), "0");
    }

    #[test]
    fn short_forms_drop_zeros_and_use_superscripts() {
        assert_eq!(short(0.25, 4), "0.25");
        assert_eq!(short(2e-7, 4), "2×10⁻⁷");
        assert_eq!(short(1e12, 4), "10¹²");
        assert_eq!(short(-3.0, 4), "−3");
        assert_eq!(power_of_ten(-12), "10⁻¹²");
    }
}
