//! Seeds as people type them.

use std::collections::BTreeSet;

/// Parses `1..=3`, `1..4`, `1,2,5` or `7`.
///
/// # Errors
/// How to write them, for anything else, and for the same seed twice.
pub fn seeds(text: &str) -> Result<Vec<u64>, String> {
    const MOST: u64 = 1000;
    let wrong = || format!("write 1..=3, 1..4 or 1,2,5 with whole numbers, at most {MOST} seeds");
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    let seeds: Vec<u64> = if let Some((from, to)) = text.split_once("..") {
        let (from, to) = match to.strip_prefix('=') {
            Some(to) => (number(from)?, number(to)?.checked_add(1).ok_or_else(wrong)?),
            None => (number(from)?, number(to)?),
        };
        if to.saturating_sub(from) > MOST {
            return Err(wrong());
        }
        (from..to).collect()
    } else {
        text.split(',').map(number).collect::<Result<_, _>>()?
    };
    let different: BTreeSet<u64> = seeds.iter().copied().collect();
    if seeds.is_empty() || different.len() != seeds.len() {
        return Err(wrong());
    }
    Ok(seeds)
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
    }
}
