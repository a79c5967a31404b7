//! Seeds and times as people type them.

use std::collections::BTreeSet;

/// Parses `1..=3`, `1..4`, `1,2,5` or `7`.
///
/// # Errors
/// How to write them, for anything else, and for the same seed twice.
pub fn seeds(text: &str) -> Result<Vec<u64>, String> {
    const MOST: u64 = 1000;
    let wrong = || format!("write 1..=3, 1..4 or 1,2,5 with whole numbers, at most {MOST} seeds");
    let none = || "there is no seed in it; the smaller end comes first, as in 1..=3".to_string();
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    let seeds: Vec<u64> = if let Some((from, to)) = text.split_once("..") {
        let (from, to) = match to.strip_prefix('=') {
            Some(to) => (number(from)?, number(to)?.checked_add(1).ok_or_else(wrong)?),
            None => (number(from)?, number(to)?),
        };
        match to.saturating_sub(from) {
            0 => return Err(none()),
            1..=MOST => (from..to).collect(),
            _ => return Err(wrong()),
        }
    } else {
        text.split(',').map(number).collect::<Result<_, _>>()?
    };
    let mut different = BTreeSet::new();
    match seeds.iter().find(|seed| !different.insert(**seed)) {
        Some(twice) => Err(format!("seed {twice} stands twice; write it once")),
        None => Ok(seeds),
    }
}

/// Parses a time in seconds.
///
/// # Errors
/// What to give instead.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && (0.0..=1e9).contains(&value) => Ok(value),
        _ => Err("give a number of seconds from 0 to 1e9".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_in_every_form() {
        assert_eq!(seeds("1..=3").unwrap(), [1, 2, 3]);
        assert_eq!(seeds("1..3").unwrap(), [1, 2]);
        assert_eq!(seeds("5, 2").unwrap(), [5, 2]);
        assert_eq!(seeds("7").unwrap(), [7]);
        for text in ["", "3..1", "1..=x", "1,1", "-1", "1..=9999999", "0..=18446744073709551615"] {
            assert!(seeds(text).is_err(), "{text}");
        }
        assert_eq!(seeds("3,1,3").unwrap_err(), "seed 3 stands twice; write it once");
        assert!(seeds("3..=1").unwrap_err().contains("the smaller end comes first"));
        assert!(seconds("nan").is_err() && seconds("-1").is_err() && seconds("0.5") == Ok(0.5));
    }
}
