//! Bytes from outside: the properties of the parsers, for many inputs that a seeded generator makes. What a running kernel does
//! with messages that it must refuse is played in `bench/tests/conformance_features.rs`.

use crate::numbers::Numbers;
use crate::properties;

const OUTPUT: [&[u8]; 20] = [
    b"text\n",
    b"\x01",
    b"\n",
    b"\r",
    "größer €".as_bytes(),
    b"\xe2\x82",
    b"\xff\xe2",
    b"\xf0\x9f\x98",
    b"EVCXR_",
    b"EVCXR_BEGIN_CONTENT ",
    b"\x01EVCXR_BEGIN_CONTENT ",
    b"\nEVCXR_END_CONTENT\n",
    b"EVCXR_BEGIN_CONTENT text/html\n<b>\nEVCXR_END_CONTENT\n",
    b"\x01EVCXR_BEGIN_CONTENT text/plain\nEVCXR_END_CONTENT\n",
    b"EVCXR_BEGIN_CONTENT application/x-workbench-signal\n{\"kind\":\"end\"}\nEVCXR_END_CONTENT\n",
    b"EVCXR_BEGIN_CONTENT application/x-workbench-signal\n{\"kind\":7}\nEVCXR_END_CONTENT\n",
    b"\x01EVCXR_BEGIN_CONTENT application/x-workbench-display\n{\"data\":{\"text/plain\":\"a\"},\"id\":\"x\"}\nEVCXR_END_CONTENT\n",
    b"application/x-workbench-display\n",
    b"{\"data\":{\"text/plain\":1},\"metadata\":[],\"id\":{},\"update\":\"yes\"}",
    b"\0",
];

#[test]
fn any_cut_of_a_cells_output_gives_the_same_pieces() {
    let mut numbers = Numbers(1);
    for _ in 0..20_000 {
        let bytes = numbers.mix(&OUTPUT);
        let cuts: Vec<usize> = (0..numbers.below(6)).map(|_| numbers.below(200)).collect();
        properties::splitter(&bytes, &cuts);
        properties::display(&bytes);
        properties::unsealed(&bytes);
    }
}

/// Frames as clients send them, and such as they never do.
const FRAMES: [&[u8]; 14] = [
    b"\x00\x05hello",
    b"\x01\x02id",
    b"\x04\x05READY",
    b"\x02\0\0\0\0\0\0\0\x03abc",
    b"\x03\0\0\0\0\0\0\0\x01x",
    b"\x02\0\0\0\0\x10\0\0\0",
    b"\x02\0\0\0\x02\0\0\0\0",
    b"\x02\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x00\x00",
    b"\x01\x00",
    b"\xff",
    b"\x02",
    b"\0",
    b"\x01\xff",
];

#[test]
fn any_bytes_of_a_stranger_pass_the_gate_or_do_not() {
    let mut numbers = Numbers(4);
    for turn in 0..20_000_u64 {
        // Most with a whole greeting.
        let mut bytes = vec![7; if turn % 8 == 0 { numbers.below(64) } else { 64 }];
        bytes.extend(numbers.mix(&FRAMES));
        properties::frame_limit(&bytes, turn % 5);
    }
}

/// Inputs that a fuzzer found or that were once wrong, one file each.
#[test]
fn the_corpus_is_replayed() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/kept");
    let read = |target: &str| -> Vec<Vec<u8>> {
        let files = std::fs::read_dir(format!("{corpus}/{target}")).unwrap();
        files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
    };
    let all = [read("frame_limit"), read("splitter"), read("source"), read("message")];
    assert!(all.iter().all(|inputs| !inputs.is_empty()));
    for bytes in &all[0] {
        properties::frame_limit(bytes, 100);
    }
    for bytes in &all[1] {
        properties::splitter(bytes, &[1, 7]);
        properties::unsealed(bytes);
    }
    for bytes in &all[2] {
        properties::source(bytes);
    }
    for bytes in &all[3] {
        properties::message(bytes);
    }
}

const SOURCE: [&[u8]; 30] = [
    b"let x = 1;",
    b"let (a, mut b) = (1, 2);",
    b"let Some(y) = f() else { return };",
    b"let v: Vec<_> = it.collect();",
    b"x",
    b"x + 1 // two",
    b"fn f() {",
    b"}",
    b"\"",
    b"r#\"",
    b"'a",
    b"/*",
    b"*/",
    b"//",
    b":dep workbench = { path = \"..\" }",
    b":vars",
    b"!ls",
    b"\n",
    b"\r\n",
    b"\t",
    b";",
    b"?",
    b"(",
    b")",
    "größe".as_bytes(),
    "let größe = \"ß\";".as_bytes(),
    b"macro_rules! m { () => {} }",
    b"#[derive(Debug)]",
    b"struct S { a: u8 }",
    b"\0",
];

#[test]
fn any_source_is_prepared_line_for_line() {
    let mut numbers = Numbers(2);
    for _ in 0..4_000 {
        properties::source(&numbers.mix(&SOURCE));
    }
    // Deep nesting must not use up the stack of the thread that evaluates, which has 16 MB.
    let deep = std::thread::Builder::new().stack_size(16 << 20).spawn(|| {
        for open in ["(", "[", "{", "if x {", "&", "-", "x(", "a::<", "|x| "] {
            properties::source(open.repeat(20_000).as_bytes());
        }
    });
    deep.unwrap().join().unwrap();
}

const MESSAGE: [&[u8]; 24] = [
    b"{\"msg_id\":\"1\",\"username\":\"\",\"session\":\"s\",\"msg_type\":\"execute_request\",\"version\":\"5.3\"}",
    b"{\"msg_id\":\"1\",\"username\":\"\",\"session\":\"s\",\"msg_type\":\"complete_request\",\"version\":\"5.3\"}",
    b"{\"msg_id\":\"1\",\"username\":\"\",\"session\":\"s\",\"msg_type\":\"history_request\",\"version\":\"5.3\"}",
    b"{\"msg_id\":\"1\",\"username\":\"\",\"session\":\"s\",\"msg_type\":\"comm_open\",\"version\":\"5.3\"}",
    b"{\"msg_id\":\"1\",\"username\":\"\",\"session\":\"s\",\"msg_type\":\"no_such\",\"version\":\"5.3\"}",
    b"\0",
    b"\0",
    b"\0",
    b"{}",
    b"[]",
    b"null",
    b"{\"code\":\"1\"}",
    b"{\"code\":1}",
    b"{\"code\":\"1\",\"silent\":null,\"cursor_pos\":-1}",
    b"{\"code\":\"1\",\"cursor_pos\":99999999999999999999}",
    b"{\"hist_access_type\":\"range\",\"session\":-9,\"start\":-1,\"stop\":0}",
    b"{\"hist_access_type\":\"search\",\"pattern\":null,\"n\":-5}",
    b"{\"comm_id\":\"a\",\"data\":[]}",
    b"\"",
    b"\\ud800",
    b"\xff",
    b"1e999",
    b"[[[[[[[[",
    b"{\"a\":",
];

#[test]
fn any_parts_of_a_message_are_read_or_refused() {
    let mut numbers = Numbers(3);
    for _ in 0..50_000 {
        properties::message(&numbers.mix(&MESSAGE));
    }
    for deep in ["[", "{\"a\":"] {
        let mut bytes = MESSAGE[0].to_vec();
        bytes.extend(b"\0{}\0{}\0");
        bytes.extend(deep.repeat(100_000).bytes());
        properties::message(&bytes);
    }
}
