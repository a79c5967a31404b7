//! Texts that people, tools and the compiler write: the properties of their parsers, for many inputs that a seeded generator makes and for
//! those that a fuzzer found.

use crate::numbers::Numbers;
use crate::parsers as texts;

const CELL: [&[u8]; 26] = [
    b"let n = 50; // knob 10..=200 step 10\n",
    b"let law = \"a\"; // knob \"a\" | \"b\"\n",
    b"let mut s: f64 = 1.5; // knob 0.5..=3.0\n",
    b"; // knob ",
    b"1..=9",
    b"let x = ",
    b"vec![1].",
    b"std::",
    b"use std::collections::{",
    b"fn f<T: Into<String>>(x: &T) -> impl Fn(i32) -> i32 ",
    b"struct S<'a> { x: &'a str }",
    b"impl S<'_> { fn go(&self) -> Self { self.",
    b"match x { Some(",
    b"#[derive(",
    b"println!(\"{}\", ",
    b"|a, b| a.",
    b".iter().map(|x| x.",
    b"r#\"",
    b"'",
    b"\r\n",
    b":dep a = \"1\"\n",
    b"?",
    b"}",
    b")",
    "größe".as_bytes(),
    b"\0",
];

#[test]
fn any_cell_can_be_asked_about_and_its_knobs_be_turned() {
    let mut numbers = Numbers(4);
    for _ in 0..1_500 {
        let bytes = numbers.mix(&CELL);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        texts::knobs(&text);
        texts::question(&text, numbers.below(400));
    }
}

const LISTING: [&[u8]; 20] = [
    b"fn run() -> () {\n",
    b"    let mut _2: std::vec::Vec<u8>;\n",
    b"    _2 = evcxr_cell::evcxr_typed::<Vec<u8>, 2>(move _9) -> [return: bb9];\n",
    b"}\n",
    b"for<'a> fn(&'a str) -> &'a str {pick}\n",
    b"std::boxed::Box<dyn for<'a> Fn(&'a str) -> &str>\n",
    b"&'_ str",
    b"&'{erased} mut ",
    b"{closure@cell.rs:1:2: 1:3}",
    b"impl Fn(i32)",
    b", 7>(",
    b"evcxr_typed::<",
    b"<",
    b">",
    b"let d = evcxr_variable_store.take_variable::<EvcxrType1>(stringify!(d));\n",
    b"evcxr_variable_store.put_variable::<EvcxrType2>(stringify!(e), e);\n",
    b"mod evcxr_internal_runtime {\n}\n",
    b"#[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_7() {\n",
    b"let x: EvcxrType3 = 1;\n",
    b"struct P { x: f64 }\n",
];

#[test]
fn any_listing_gives_types_that_can_be_written() {
    let mut numbers = Numbers(5);
    for _ in 0..4_000 {
        let bytes = numbers.mix(&LISTING);
        let text = String::from_utf8_lossy(&bytes);
        texts::listing(&text);
        texts::written(&text);
    }
}

const PROSE: [&[u8]; 18] = [
    b"[1.9](#memformer/thm-3-1 \"words\")",
    b"[",
    b"](#",
    b"a/b",
    b" \"low: ",
    b"\")",
    b")",
    b"\n",
    " 1.3×10⁻⁵ ".as_bytes(),
    " −0.25 ".as_bytes(),
    b" 12,400 ",
    b" 98.5 % ",
    b" three ",
    b"-",
    ",".as_bytes(),
    "⁻".as_bytes(),
    b"999999999999999999999999",
    b"e308",
];

#[test]
fn any_prose_is_read() {
    let mut numbers = Numbers(6);
    for _ in 0..20_000 {
        let bytes = numbers.mix(&PROSE);
        texts::prose(&String::from_utf8_lossy(&bytes));
    }
}

/// Tables and notebooks as they are, damaged in one place.
#[test]
fn any_damage_to_a_table_or_a_notebook_is_told() {
    let mut numbers = Numbers(7);
    for (name, all) in [("record", kept("record")), ("notebook", kept("notebook"))] {
        for _ in 0..1_500 {
            let mut bytes = all[numbers.below(all.len())].clone();
            let (at, length) = (numbers.below(bytes.len()), numbers.below(9));
            let end = (at + length).min(bytes.len());
            let with = numbers.mix(&[b"\"", b",", b"nan", b"\n", b"-1", b"{", b"]", b"\xff", b"[[claim]]"]);
            bytes.splice(at..end, with);
            replay(name, &bytes);
        }
    }
}

fn kept(target: &str) -> Vec<Vec<u8>> {
    let folder = format!("{}/fuzz/kept/{target}", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// As the fuzz target of this name does.
fn replay(target: &str, bytes: &[u8]) {
    let text = std::str::from_utf8(bytes);
    match (target, text) {
        ("record", _) => texts::record(bytes),
        ("question", Ok(text)) => {
            let mut chars = text.chars();
            let cursor = chars.next().map_or(0, |first| first as usize);
            texts::question(chars.as_str(), cursor);
            texts::knobs(chars.as_str());
        }
        ("listing", Ok(text)) => {
            texts::listing(text);
            texts::written(text);
        }
        ("notebook", Ok(text)) => texts::notebook(text),
        ("prose", Ok(text)) => texts::prose(text),
        _ => {}
    }
}

/// Inputs that a fuzzer found or that were once wrong, one file each.
#[test]
fn the_corpus_is_replayed() {
    for target in ["question", "listing", "record", "notebook", "prose"] {
        let inputs = kept(target);
        assert!(!inputs.is_empty(), "{target}");
        for bytes in &inputs {
            replay(target, bytes);
        }
    }
}
