//! The compiler's listing of a cell (its MIR): what it says about the types of new variables.
//!
//! Each new variable passes through a call with a number of its own ([`PROBE`]); the listing declares the local that takes
//! the call's value, with its type. A cell of many variables has a long listing, so it is read once for all of them.

use std::collections::HashMap;

use super::marks::PROBE;

/// The type of the value that passed each probe, by the probe's number as it is written.
pub fn types_of_probes(mir: &str) -> HashMap<&str, &str> {
    let call = format!("{PROBE}::<");
    let mut types = HashMap::new();
    let mut locals: HashMap<&str, &str> = HashMap::new();
    for line in mir.lines() {
        // A function ends; the next one has locals of its own.
        if line == "}" {
            locals.clear();
        }
        let text = line.trim();
        if let Some((local, of)) = declaration(text) {
            locals.entry(local).or_insert(of);
        } else if let Some((_, rest)) = text.split_once(call.as_str())
            && let Some((written, number)) = arguments(rest)
        {
            let of = text.split(' ').next().and_then(|local| locals.get(local)).copied().unwrap_or(written);
            types.entry(number).or_insert(of);
        }
    }
    types
}

/// The local and the type of `let mut _3: Vec<f64>;`.
fn declaration(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("let ")?;
    let (local, of) = rest.strip_prefix("mut ").unwrap_or(rest).split_once(": ")?;
    Some((local, of.trim_end_matches(';')))
}

/// The type and the number of `Vec<f64>, 7>(move _9)`.
fn arguments(rest: &str) -> Option<(&str, &str)> {
    rest.match_indices(">(").find_map(|(close, _)| {
        let (written, number) = rest[..close].rsplit_once(", ")?;
        let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
        is_number.then_some((written, number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locals_belong_to_their_function() {
        let mir = "fn one() -> () {\n    let _2: u8;\n    _2 = evcxr_typed::<u8, 1>(move _9) -> [return: bb9];\n}\n\n\
            fn two() -> () {\n    let mut _2: std::vec::Vec<u8>;\n    scope 1 {\n        let _3: f64;\n    }\n    \
            _2 = evcxr_cell::evcxr_typed::<Vec<u8>, 2>(move _9) -> [return: bb9];\n    \
            _3 = evcxr_typed::<f64, 3>(const 1_f64) -> [return: bb9];\n    \
            (*_7) = evcxr_typed::<for<'a> fn(&'a str), 12>(g) -> [return: bb9];\n}\n";
        let types = types_of_probes(mir);
        let expected = [("1", "u8"), ("2", "std::vec::Vec<u8>"), ("3", "f64"), ("12", "for<'a> fn(&'a str)")];
        assert_eq!(types, HashMap::from(expected));
    }
}
