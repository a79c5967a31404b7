//! The standard library as completion knows it: declarations with one line each of our own words.
//!
//! The toolchain's sources are an optional component, and much of `std` comes from macros. `standard/*.rs` hold what
//! notebooks use; those files are data and are not compiled.

use std::collections::BTreeSet;

use super::item::Crate;
use super::source::Collector;

const PARTS: [&str; 4] = [
    include_str!("standard/root.rs"),
    include_str!("standard/values.rs"),
    include_str!("standard/collections.rs"),
    include_str!("standard/iter.rs"),
];

/// The number types; `values.rs` has one block for each family with `INT` and `FLOAT` in it.
const INTEGERS: [&str; 12] = [
    "usize", "u64", "u32", "u16", "u8", "u128", "isize", "i64", "i32", "i16", "i8", "i128",
];

/// Reads the declarations.
pub fn standard() -> Crate {
    let mut text = PARTS.join("\n");
    for integer in INTEGERS {
        text.push_str(&include_str!("standard/integer.rs").replace("INT", integer));
    }
    for float in ["f64", "f32"] {
        text.push_str(&include_str!("standard/float.rs").replace("FLOAT", float));
    }
    Collector::new("std", BTreeSet::new()).text(&text)
}
