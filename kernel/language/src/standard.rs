//! The standard library as completion knows it: its stable declarations, with one line of our own words where we have one.
//!
//! The toolchain's sources are an optional component, and much of `std` comes from macros. `standard/std.txt` is written by
//! `standard/from_docs.py` from the pages that come with the toolchain, and is not compiled. It is read once for a process, when
//! somebody first needs it: the thread that learns a project's crates, or a question that is asked before.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::item::{Crate, Impl, Item, head};
use super::source::Collector;

static STANDARD: OnceLock<Arc<Crate>> = OnceLock::new();

/// Reads the declarations, the first time.
pub fn standard() -> Arc<Crate> {
    STANDARD.get_or_init(|| Arc::new(read())).clone()
}

fn read() -> Crate {
    let mut found = Collector::new("std", BTreeSet::new()).text(include_str!("standard/std.txt"));
    let (families, mut impls): (Vec<Impl>, Vec<Impl>) =
        found.impls.into_iter().partition(|block| !types_of(&head(&block.subject)).is_empty());
    for block in families {
        let types = types_of(&head(&block.subject));
        impls.extend(types.iter().map(|words| of_one(&block, words)));
    }
    found.impls = impls;
    found.finish()
}

/// What the words in a block stand for, for one type.
type Words = [(&'static str, String); 6];

/// The types of a family, whose blocks stand in the file once for all of them; none where `word` is no family.
fn types_of(word: &str) -> Vec<Words> {
    let (signs, sizes): (&[&str], &[&str]) = match word {
        "INT" => (&["u", "i"], &["size", "64", "32", "16", "8", "128"]),
        "Signed" => (&["i"], &["size", "64", "32", "16", "8", "128"]),
        "Unsigned" => (&["u"], &["size", "64", "32", "16", "8", "128"]),
        "ATOMIC" => (&["U", "I"], &["size", "64", "32", "16", "8"]),
        "FLOAT" => (&["f"], &["64", "32"]),
        _ => return Vec::new(),
    };
    let one = |sign: &str, size: &str| {
        [
            ("INT", format!("{}{size}", sign.to_lowercase())),
            ("Signed", format!("i{size}")),
            ("Unsigned", format!("u{size}")),
            ("ATOMIC", format!("Atomic{sign}{size}")),
            ("FLOAT", format!("f{size}")),
            ("BYTES", (size.parse().unwrap_or(64) / 8).to_string()),
        ]
    };
    let signs = signs.iter();
    signs.flat_map(|sign| sizes.iter().map(move |size| one(sign, size))).collect()
}

/// A family's block for one of its types.
fn of_one(block: &Impl, words: &Words) -> Impl {
    let written = |text: &String| {
        let mut text = text.clone();
        for (word, meant) in words.iter().filter(|(word, _)| text.contains(word)).collect::<Vec<_>>() {
            text = text.replace(word, meant);
        }
        text
    };
    let member = |item: &Item| Item {
        signature: written(&item.signature),
        ty: written(&item.ty),
        inputs: item.inputs.iter().map(written).collect(),
        ..item.clone()
    };
    Impl {
        subject: written(&block.subject),
        of: block.of.as_ref().map(written),
        members: block.members.iter().map(member).collect(),
        ..block.clone()
    }
}

#[cfg(test)]
mod tests {
    use ra_ap_syntax::{Edition, SourceFile};

    use crate::testing::language;

    /// What is offered at the end of a cell.
    fn offered(cell: &str) -> Vec<String> {
        let found = language().complete(cell, cell.chars().count());
        found.items.into_iter().map(|item| item.text).collect()
    }

    /// The type of a value, as inspection shows it.
    fn type_of(value: &str) -> String {
        let found = language().inspect(&format!("let it = {value};"), 5, 0);
        let shown = found.map(|found| found.plain.lines().next().unwrap_or_default().to_owned());
        shown.unwrap_or_default().trim_start_matches("it: ").to_owned()
    }

    #[test]
    fn the_declarations_are_rust_and_each_line_of_ours_is_told() {
        let text = include_str!("standard/std.txt");
        let errors = SourceFile::parse(text, Edition::Edition2024).errors();
        assert!(errors.is_empty(), "{errors:?}");
        for line in include_str!("standard/descriptions.txt").lines() {
            let (_, told) = line.split_once(": ").unwrap();
            assert!(text.contains(&format!("/// {told}\n")), "{line}");
        }
    }

    #[test]
    fn methods_of_all_kinds_of_types_are_offered() {
        for (cell, wanted) in [
            ("\"a b\".split_", "split_ascii_whitespace split_terminator split_at_checked"),
            ("vec![1].chunk_", "chunk_by chunk_by_mut"),
            ("vec![1.0].sel", "select_nth_unstable_by"),
            ("std::fs::read_", "read_dir read_link read_to_string"),
            ("Option::<u8>::is_", "is_some_and is_none_or"),
            ("1.5.cl", "clamp"),
            ("1_u8.is_ascii_", "is_ascii_digit is_ascii_graphic"),
            ("1_u32.", "isqrt next_multiple_of to_le_bytes"),
            ("(-1_i64).unsigned_", "unsigned_abs"),
            ("2.0_f32.", "next_up to_int_unchecked midpoint"),
            ("std::collections::BinaryHeap::<u8>::new().", "peek into_sorted_vec append"),
            ("std::collections::BTreeMap::<u8, u8>::new().", "range first_entry retain"),
            ("std::time::Instant::now().", "checked_duration_since elapsed"),
            ("std::time::", "Instant SystemTime UNIX_EPOCH Duration"),
            ("std::sync::Mutex::new(1).", "lock try_lock into_inner"),
            ("std::sync::atomic::AtomicUsize::new(1).", "fetch_add load compare_exchange"),
            ("std::process::Command::new(\"ls\").", "arg current_dir output spawn"),
            ("std::path::Path::new(\"a\").", "file_stem with_file_name components"),
            ("std::cell::RefCell::new(1).", "borrow borrow_mut"),
            ("std::thread::", "spawn scope available_parallelism sleep"),
            ("std::f64::consts::", "FRAC_PI_3 LOG2_10 PI"),
            ("std::iter::", "from_fn successors zip repeat_n Peekable"),
            ("mat", "matches! match"),
            ("debug_", "debug_assert! debug_assert_eq! debug_assert_ne!"),
            ("inclu", "include_bytes! include_str!"),
            ("[1, 2].iter().", "rev try_fold sum is_sorted_by partition rposition max_by map_while"),
            ("(0..3).", "step_by contains rev sum"),
            ("\"a\".to_", "to_owned to_string to_uppercase"),
            ("1.5.to_", "to_string to_owned to_bits"),
        ] {
            let found = offered(cell);
            for name in wanted.split(' ') {
                assert!(found.iter().any(|text| text == name), "{name} at {cell}: {found:?}");
            }
        }
    }

    #[test]
    fn what_is_unstable_deprecated_or_not_for_the_type_is_not_offered() {
        for (cell, unwanted) in [
            ("[1, 2].iter().", "array_chunks intersperse"),
            ("std::", "simd intrinsics i32 primitives"),
            ("vec![1.5].", "cmp clamp"),
            ("1.5.", "cmp checked_add"),
            ("1_u8.", "unsigned_abs"),
            ("1.5.", "borrow try_into type_id"),
        ] {
            let found = offered(cell);
            for name in unwanted.split(' ') {
                assert!(!found.iter().any(|text| text == name), "{name} at {cell}");
            }
        }
    }

    #[test]
    fn methods_of_traits_need_their_import() {
        let file = "std::fs::File::open(\"a\")?.read_to_";
        assert!(offered(file).is_empty());
        assert_eq!(offered(&format!("use std::io::Read;\n{file}")), ["read_to_end", "read_to_string"]);
        let lines = "use std::io::prelude::*;\nstd::io::stdin().lock().read_l";
        assert_eq!(offered(lines), ["read_line"]);
        let text = "String::new().write_f";
        assert_eq!(offered(&format!("use std::fmt::Write;\n{text}")), ["write_fmt"]);
    }

    #[test]
    fn chains_have_their_types() {
        for (value, ty) in [
            ("vec![1.5].iter().map(|x| x + 1.0).collect::<Vec<_>>().len()", "usize"),
            ("vec![1.5].iter().map(|x| x + 1.0).collect::<Vec<_>>()", "Vec<f64>"),
            ("vec![1.5].iter().copied().next()", "Option<f64>"),
            ("vec![1.5].iter().cloned().fold(0.0, f64::max)", "f64"),
            ("vec![1u8].iter().zip(vec![true].iter()).next().unwrap()", "(&u8, &bool)"),
            ("vec![1u8].into_iter().zip(vec![true]).rev().next()", "Option<(u8, bool)>"),
            ("vec![vec![1u8]].into_iter().flatten().max()", "Option<u8>"),
            ("vec![vec![1u8]].iter().flat_map(|v| v.iter().copied()).min()", "Option<u8>"),
            ("vec![1u8].iter().filter(|x| true).enumerate().last()", "Option<(usize, &u8)>"),
            ("vec![1u8].chunks(2).map(|c| c.len()).collect::<Vec<_>>()", "Vec<usize>"),
            ("vec![1u8].iter().filter_map(|x| Some(*x as f64)).next()", "Option<f64>"),
            ("\"a b\".split(' ').collect::<Vec<_>>()", "Vec<&str>"),
            ("\"a b\".chars().rev().collect::<String>()", "String"),
            ("\"a=b\".split_once('=').unwrap().0", "&str"),
            ("\"1\".parse::<f64>().unwrap_or_default()", "f64"),
            ("(0..10usize).map(|i| i as f64).sum::<f64>()", "f64"),
            ("(1..=3u8).rev().next()", "Option<u8>"),
            ("std::collections::HashMap::<String, u8>::new().iter().next()", "Option<(&String, &u8)>"),
            ("std::collections::BTreeMap::<String, u8>::new().into_values().next()", "Option<u8>"),
            ("std::fs::read_to_string(\"a\")?.lines().next()", "Option<&str>"),
            ("std::time::Instant::now().elapsed().as_secs_f64()", "f64"),
            ("std::thread::spawn(|| 1u8).join().unwrap()", "u8"),
            ("*std::sync::Mutex::new(1u8).lock().unwrap()", "u8"),
            ("Some(1u8).map(|x| x as f64).unwrap_or(0.0)", "f64"),
            ("std::collections::HashMap::<String, u8>::new().entry(String::new()).or_insert(1)", "&u8"),
            ("vec![1u8][0]", "u8"),
            ("vec![1u8].get(0).copied().unwrap()", "u8"),
            ("vec![1u8].windows(2).last().unwrap()", "&[u8]"),
            ("i16::MAX.unsigned_abs()", "u16"),
            ("7u8.checked_add(1).unwrap()", "u8"),
            ("std::f64::consts::PI.sin_cos()", "(f64, f64)"),
        ] {
            assert_eq!(type_of(value), ty, "{value}");
        }
    }
}
